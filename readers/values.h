/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - what a running program tells of itself, as it is received: things with names, and their values.
 *
 * A ValuesRecorder takes it, and keeps it in the data folder NAME.values of a bundle, which whoever follows the trace
 * reads while it grows (readers/values/README.md has the layout).  Without a folder nothing is kept, and only who
 * listens gets it.  Everything that a program declares is a task of the trace; the program itself is one too, around
 * them.  One thread at a time. */
#pragma once
#include "readers/reader.h"

#define VALUES_MOST_ENTITIES (UINT32_C (1) << 17)    /* that are taken: a state of them is printed in 3 s */
#define VALUES_MOST_NAME 4096u                       /* bytes of a name; what is longer is cut, and counted */
#define VALUES_MOST_TEXT (UINT32_C (64) << 20)       /* bytes of a text, a tree */
#define VALUES_SILENT_NS (INT64_C (3) * TRACE_TICKS) /* before silence is told of */

/* What a thing is.  The numbers are those of the file. */
typedef enum {
  VALUE_PROGRAM,
  VALUE_POINT,
  VALUE_TIME,
  VALUE_INTEGER,
  VALUE_FLOAT,
  VALUE_BOOLEAN,
  VALUE_STRING,
  VALUE_TAG,
  VALUE_HASH_TABLE,
  VALUE_TREE,
  VALUE_LOG,
  VALUE_SPECIAL,
  N_VALUE_KINDS
} ValueKind;
TRACE_API extern const char *const value_kind_names[N_VALUE_KINDS];

/* What of it has a value: a variable of the trace. */
typedef enum {
  VAR_COUNT, /* how often a point was passed */
  VAR_TIME,  /* seconds */
  VAR_INTEGER,
  VAR_FLOAT,
  VAR_BOOLEAN,
  VAR_STRING,
  VAR_TAG_COUNT, /* marked values that live */
  VAR_TAG_SIZE,  /* bytes that they reach */
  VAR_ARRAY,     /* of a hash table: length of its array, */
  VAR_ELEMENTS,
  VAR_EMPTY,   /* buckets, */
  VAR_LONGEST, /* bucket */
  VAR_TREE,
  VAR_LOG,
  VAR_CPU,        /* of the program: seconds of processor time, */
  VAR_HEAP_TOTAL, /* bytes, */
  VAR_HEAP_ALIVE,
  VAR_SPECIAL,
  N_VALUE_VARIABLES
} ValueVariable;
typedef struct ValueVariableInfo {
  const char *name, *unit; /* unit: or NULL */
} ValueVariableInfo;
TRACE_API extern const ValueVariableInfo value_variables[N_VALUE_VARIABLES];

/* Types of records, which are the kinds of events of the trace: trace->kinds[type]. */
typedef enum {
  VALUE_DECLARED,
  VALUE_IS,        /* a number: int64_t, or double with `real` */
  VALUE_TEXT_IS,   /* a string */
  VALUE_TREE_IS,   /* value_tree_*() */
  VALUE_LOGGED,    /* seconds, a line */
  VALUE_KILLED,    /* the program observes it no more; values may come all the same */
  VALUE_COLLECTED, /* it is no more */
  VALUE_CONNECTED, /* of a program: its data come, for the first time or again */
  VALUE_SILENT,    /* nothing has come for VALUES_SILENT_NS */
  VALUE_ENDED,     /* the connection is closed */
  VALUE_BREAK,     /* the program asks whoever watches to look at this instant */
  VALUE_DAMAGED,   /* a record that makes no sense */
  VALUE_LISTENS,   /* of a program: it takes orders, as long as it is connected */
  VALUE_STOPPED,   /* it was told not to send this thing, */
  VALUE_RESUMED,   /* and to send it again; or its connection, for which that was so, is closed */
  N_VALUE_RECORDS
} ValueRecordType;

/* A record, as it lies in the file `records`, least significant byte first. */
typedef struct ValueRecord {
  int64_t date;    /* ns since the recording began */
  int64_t value;   /* of IS: the number, or the bits of the double; of texts, trees, lines: where it is in `texts`, the
                      same place as long as its bytes are the same; else 0 */
  uint32_t entity; /* task of the trace */
  uint8_t type;    /* ValueRecordType */
  uint8_t variable;
  uint8_t real, reserved;
} ValueRecord;
_Static_assert(sizeof (ValueRecord) == 24, "a record has 24 bytes");

/* ---- taking in ----------------------------------------------------------------------------------------------------- */
/* Told of each record as it is written: bytes[n] are those of a text, a tree or a line (its seconds, a double, before
 * it). */
typedef void (*ValuesTap) (void *arg, const ValueRecord *r, const void *bytes, size_t n);

typedef struct ValuesEntity {
  char *name;             /* UTF-8, with a sign in place of what is none */
  char *raw;              /* [n_raw], as it came */
  uint32_t n_raw, parent; /* TRACE_NONE: a program */
  ValueKind kind;
  int64_t tag; /* of the program's own numbering */
} ValuesEntity;

typedef struct ValuesRecorder ValuesRecorder;
/* Begins a recording.  `folder`: NAME.trace/NAME.values, made here, or NULL.  `who`: a line of text for the file
 * `live`. NULL and a sentence. */
TRACE_API ValuesRecorder *values_recorder_new (const char *folder, const char *who, GError **error);
/* Says that it is done, unless !done: then who follows it is told that its writer is gone. */
TRACE_API void values_recorder_free (ValuesRecorder *w, bool done);
TRACE_API void values_recorder_tap (ValuesRecorder *w, ValuesTap tap, void *arg); /* one more, at most 4 */
/* The date of what comes next; never goes back. */
TRACE_API void values_date (ValuesRecorder *w, int64_t ns);
TRACE_API int64_t values_now (const ValuesRecorder *w);
/* What was put goes to the disk, as far as other processes see.  Called when all that had come is taken in.  False and
 * a sentence: the disk refuses; nothing more is kept. */
TRACE_API bool values_flush (ValuesRecorder *w, GError **error);

/* A program; its name is shown.  TRACE_NONE: there are too many things. */
TRACE_API uint32_t values_program (ValuesRecorder *w, const char *name);
/* A thing of it; the name has any bytes. */
TRACE_API uint32_t values_declare (ValuesRecorder *w, uint32_t program, ValueKind kind, const char *name, size_t n,
                                   int64_t tag);
TRACE_API const ValuesEntity *values_entity (const ValuesRecorder *w, uint32_t entity);
TRACE_API uint32_t values_n_entities (const ValuesRecorder *w);
/* Values; of an entity TRACE_NONE nothing happens. */
TRACE_API void values_int (ValuesRecorder *w, uint32_t entity, ValueVariable variable, int64_t v);
TRACE_API void values_real (ValuesRecorder *w, uint32_t entity, ValueVariable variable, double v);
TRACE_API void values_text (ValuesRecorder *w, uint32_t entity, const char *text, size_t n);
TRACE_API void values_log (ValuesRecorder *w, uint32_t entity, double seconds, const char *text, size_t n);
/* A tree as value_tree_check() finds it good. */
TRACE_API void values_tree (ValuesRecorder *w, uint32_t entity, const void *bytes, size_t n);
/* All types without a value: KILLED, COLLECTED, CONNECTED ... */
TRACE_API void values_note (ValuesRecorder *w, uint32_t entity, ValueRecordType what);
/* Something that was received makes no sense, and was left out: counted, and the first hundred kept as sentences in the
 * file `damage`, which whoever opens the recording is told. */
TRACE_API void values_damage (ValuesRecorder *w, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
TRACE_API uint64_t values_n_damaged (const ValuesRecorder *w);
TRACE_API const char *values_last_damage (const ValuesRecorder *w); /* or NULL */

/* ---- trees: nodes in order, children before their parents, the last is the root.  A node is i32 bytes of its label, the
 * label, u16 children, u16 for each: its number.  In front of all u16 nodes.  Nodes may have several parents. -------
 */
/* False: it is none. */
TRACE_API bool value_tree_check (const void *bytes, size_t n);
typedef struct ValueTreeNode {
  const char *label; /* [n_label], no 0 behind it */
  uint32_t n_label, n_children;
  const uint8_t *children; /* u16 each, least significant byte first */
} ValueTreeNode;
/* All nodes of a tree that is good; g_free; *n of them.  The bytes must outlive it. */
TRACE_API ValueTreeNode *value_tree_nodes (const void *bytes, size_t n_bytes, uint32_t *n);
static inline uint32_t
value_tree_child (const ValueTreeNode *node, uint32_t i)
{
  return node->children[2 * i] | (uint32_t) node->children[2 * i + 1] << 8;
}

/* ---- reading: a source of the format `values`, or of another that is first made a recording ---------------------------- */
TRACE_API void values_close (TraceSource *s);
TRACE_API size_t values_next (TraceSource *s, TraceEvent *events, size_t max, GError **error);
TRACE_API size_t values_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error);
TRACE_API size_t values_peek (TraceSource *s, const TraceEvent **events, GError **error);
TRACE_API bool values_seek (TraceSource *s, int64_t date, GError **error);
TRACE_API void values_rewind (TraceSource *s);
TRACE_API void values_save (TraceSource *s, EveBlob *to);
TRACE_API bool values_load (TraceSource *s, EveBlobView *from);
TRACE_API TraceValue values_value (TraceSource *s, const TraceEvent *e, uint32_t field);
TRACE_API char *values_sentence (TraceSource *s, const TraceEvent *e);
TRACE_API bool values_look (TraceSource *s);
TRACE_API GPtrArray *values_orders (TraceSource *s, uint32_t task);
TRACE_API uint64_t values_skip (TraceSource *s, uint64_t kinds, bool backward);
#define VALUES_FUNCTIONS                                                                                               \
  .close = values_close, .next = values_next, .previous = values_previous, .seek = values_seek,                        \
  .rewind = values_rewind, .save = values_save, .load = values_load, .value = values_value, .peek = values_peek,       \
  .look = values_look, .sentence = values_sentence, .orders = values_orders, .skip = values_skip
/* Opens what a ValuesRecorder has made in `folder`; `temporary`: the folder is taken away at once, and what is in it is
 * there as long as the source. */
TRACE_API TraceSource *values_open_folder (const TraceFormat *format, const char *bundle, const char *folder,
                                           bool temporary, const TraceOptions *options, GError **error);
TRACE_API void values_remove_folder (const char *folder); /* with what a ValuesRecorder has made in it */
/* The bytes of a text, tree or line, of the event's value; g_free; NULL: it has none, or cannot be read. */
TRACE_API void *values_bytes (const TraceEvent *e, size_t *n);
/* The same by the value that such an event had: `ref` is TraceEvent.size. */
TRACE_API void *values_bytes_at (const TraceSource *s, int64_t ref, size_t *n);
/* The variable that an event is of, N_VALUE_VARIABLES: none. */
static inline uint32_t
values_variable (const TraceEvent *e)
{
  return (uint32_t) e->tag < N_VALUE_VARIABLES ? (uint32_t) e->tag : N_VALUE_VARIABLES;
}
