/* SPDX-License-Identifier: Apache-2.0 */
/* ctf.h - what the files of the CTF reader share. */
#pragma once
#include <babeltrace2/babeltrace.h>

#include "readers/converted.h"
#include "readers/ctf/layout.h"
#include "readers/together.h"
#include "readers/unlike.h"

#define MOST_FIELDS 200       /* of an event */
#define MOST_NAMED (1u << 17) /* states with names of their own */
#define MOST_TASKS (1u << 20)
#define NONE TRACE_NONE

/* ---- what becomes of events ----------------------------------------------------------------------------------------------- */
typedef enum { IN_PACKET, IN_COMMON, IN_SPECIFIC, IN_PAYLOAD, N_SCOPES, NOWHERE = N_SCOPES } Scope;
typedef struct Ref { /* a member of one of the four structures of an event */
  Scope scope;
  uint32_t index;
} Ref;

typedef enum {
  DOES_NOTHING,
  DOES_ENTER,
  DOES_LEAVE,
  DOES_SEND,
  DOES_RECEIVE,
  DOES_NAME,
  DOES_MEET,
  DOES_TOGETHER,
  DOES_SWITCH
} Does;

/* What a map (maps.c) says of events of one name. */
typedef struct Rule {
  Does does;
  char *task, *state, *peer, *size, *tag, *received; /* names of fields, or "FIELD:TABLE", or "FIELD@FIELD" */
  char *table, *key, *text;                          /* DOES_NAME */
} Rule;

/* The members of a structure, so that nothing is asked of each event. */
typedef struct Plan {
  uint32_t n;
  bool is_deep; /* there are structures among them, or very many */
  bt_field_class_type types[];
} Plan;

/* The value of a member of an event at hand: of the library, or as it lies in its packet. */
typedef enum {
  CELL_INT,
  CELL_NAMED, /* a whole number that is shown as a text */
  CELL_REAL,
  CELL_TEXT,
  CELL_BOOL,
  CELL_STRUCT,
  CELL_OTHER /* as text */
} CellIs;
typedef struct Cell {
  CellIs is;
  const bt_field *field; /* NULL: it is */
  const Node *node;      /* this, */
  const uint8_t *bytes;  /* in a packet, */
  uint64_t at, end;      /* from this bit on, and where its packet ends */
  union {
    int64_t whole;
    double real;
    struct {
      const char *text; /* of a CELL_TEXT */
      size_t n;
    };
  };
} Cell;

/* A class of events: a kind of ours. */
typedef struct Class {
  uint32_t kind;
  Does does;
  Ref process, thread, name;                        /* who: of the contexts */
  Ref task, state, peer, comm, size, tag, received; /* what a rule names */
  char *task_table, *state_table, *prefix;
  bool of_running; /* what a kernel does for a thread, not told which: for who runs there */
  bool own_state;  /* the state is named by a text or an address, not through a table */
  const Rule *rule;
  Ref key[2], number;
  Ref *parts; /* of the text of DOES_NAME, with their tables */
  char **tables;
  uint32_t n_parts;
  Ref prev_tid, prev_comm, prev_state, next_tid, next_comm;
  uint32_t state_object; /* of all, if nothing of an event names it */
  Plan *plans[N_SCOPES];
  bool has_sizes;
  bool of_perf, names_thread; /* what perf tells beside samples; of these what threads are called */
} Class;

typedef struct Who { /* key of a task */
  uint32_t place;    /* host or trace */
  uint32_t what;
  int64_t id;
} Who;

/* What runs on a processor of a host: its calls may be told by another stream than its scheduling. */
typedef struct Processor {
  uint32_t thread; /* the task that runs, or the processor's own if none does, + 1; 0: nobody knows */
  int64_t until;   /* that is known until here: what came then was lost */
} Processor;

typedef struct Stream {
  struct Ctf *ctf;
  char *name;                      /* of its port */
  uint64_t n_given, n_skip;        /* events given, and to be passed over when it is read once more, */
  uint64_t n_quick;                /* of these, that were decoded here */
  uint64_t n_told, n_skip_told;    /* and how often it was told that some were lost */
  int64_t date;                    /* of the last one */
  int64_t next;                    /* of the one that waits; INT64_MIN: none is known to */
  bool is_dated, is_known;         /* whether its events have dates, once there was one */
  bt_message_array_const messages; /* at hand: at.. of n were not looked at */
  uint64_t at, n;
  bool done, failed;
  uint32_t host, trace, task, cpu_task;
  int64_t cpu; /* -1: none */
  int64_t process;
  char *process_name;
  bool began, is_kernel;
  const bt_packet *packet; /* not owned: of the message at hand */
  Processor *processor;    /* not owned; NULL: its cpu is not known */
  bool switches;           /* tells who runs on it */
  uint32_t running;        /* object of who runs on the cpu, + 1 */
  uint64_t run_begun;
  int64_t run_begin;
  const bt_stream *stream;                       /* not owned: while a graph is there */
  struct Flow *flow;                             /* its packets, where they are decoded here; else NULL */
  uint64_t begun, ended, packets, whole_packets; /* as far as it was read; `begun`, `ended`: the stream itself */
} Stream;

#define N_NEAR 256
typedef struct Near {
  const bt_event_class *class;
  Class *is;
} Near;

typedef struct Ctf {
  Converter *to;
  TraceSource *source;
  const char *top;
  GHashTable *rules;      /* name of an event -> Rule */
  char *task;             /* the field that tells the task of any event that has it; or NULL */
  bool has_threads;       /* threads have calls, of programs or of the system, beside their scheduling */
  GHashTable *classes;    /* bt_event_class * -> Class, while a graph is there */
  Near near[N_NEAR];      /* of these, by where they lie in memory */
  GHashTable *kinds;      /* name and fields -> kind + 1 */
  GHashTable *names;      /* bt_trace_class * -> set of names of events */
  GHashTable *tasks;      /* Who -> task + 1 */
  Unlike *ids;            /* of tasks */
  GHashTable *states;     /* text -> object + 1 */
  GHashTable *hosts;      /* name -> host + 1 */
  GHashTable *tables;     /* name -> GHashTable of int64 -> text */
  GHashTable *symbols;    /* address -> name, from a file beside the trace */
  GPtrArray *later;       /* of Later: names that are known at the end */
  GPtrArray *streams;     /* of the trace at hand */
  GHashTable *processors; /* Who -> Processor, of the trace at hand */
  Together together;      /* what groups do */
  GHashTable *met;        /* task -> date at which it came to an operation of a group */
  GHashTable *groups;     /* number of a communicator -> object + 1 */
  GHashTable *operations; /* number of an operation, as text -> its name, as maps tell */
  int64_t first;          /* date of the first event */
  bool looks;             /* what streams there are is looked at, and no more */
  bool was_quick;         /* they were decoded here, as far as that goes */
  bool exact;    /* its streams are read in the order of all dates: one tells who runs where another is called */
  GString *text; /* scratch */
  Cell *cells[N_SCOPES]; /* of an event of the library */
  uint32_t room[N_SCOPES];
  uint32_t n_traces, n_named, n_clockless, n_members;
  uint32_t type_cpu, type_process, type_thread, type_stream, type_location, type_scheduling, type_state;
  uint32_t on_cpu_kind, scheduled_kind, lost_kind, lost_packets_kind;
  uint64_t total_bytes, n_lost, n_lost_packets, n_undated;
  uint64_t n_before;       /* events of perf that tell what was there before, and have no date */
  uint64_t n_without_date; /* events of streams that have no clock */
  int64_t date;            /* the last one */
  bool stopped;            /* the person cancelled, or the disk refuses */
  bool some_clock;
  uint64_t begun, ended, packets, whole_packets; /* of all streams that were read */
  uint64_t n_silent;                             /* times that nothing came, which a tracer at work tells */
  uint64_t n_failed;
  char *why; /* the first thing that the library refused */
} Ctf;

/* ---- graph.c: the library ---------------------------------------------------------------------------------------------------- */
/* Reads the trace that lies in these folders (of one, where it was rotated).  What is wrong is told as damage. */
void ctf_read (Ctf *c, GPtrArray *folders);
/* Of a clock of the library, in ns; one that cannot be counted is told, and is that of the event before instead. */
int64_t ctf_date (Ctf *c, const Stream *s, bool is_known, int64_t ns);
/* Of an event of a stream that has no clock. */
int64_t ctf_date_without_clock (Ctf *c);
/* Tells why a stream ends before its end. */
void ctf_tell_stream (Ctf *c, const char *folder, const Stream *s, const char *reason);
/* Counts a little further.  False: the person cancelled, or the disk refuses. */
bool ctf_goes_on (Ctf *c);
/* ---- events.c ------------------------------------------------------------------------------------------------------------------ */
void ctf_declare (Ctf *c);
void ctf_stream_begins (Ctf *c, Stream *s, const bt_stream *stream);
void ctf_packet_begins (Ctf *c, Stream *s, const Cell *cpu);
/* The class of events, which is made when it is not there. */
const Class *ctf_class (Ctf *c, const bt_event_class *class);
void ctf_event (Ctf *c, Stream *s, const Class *k, const Cell *const *scopes);
void ctf_lost (Ctf *c, Stream *s, int64_t date, bool packets, uint64_t n);
void ctf_stream_ends (Ctf *c, Stream *s);
/* The object of a state. */
uint32_t ctf_state (Ctf *c, const char *text);
uint32_t ctf_task (Ctf *c, Who who, const char *name, uint32_t type, uint32_t parent, uint32_t host);
void ctf_free_class (void *class);
/* The task that is known by a number, which a table may name. */
uint32_t ctf_location (Ctf *c, const Stream *s, const char *table, int64_t id);
/* The other end of a message, or the root of an operation; NONE: it is not told. */
uint32_t ctf_peer (Ctf *c, const Stream *s, const Class *k, const Cell *const *scopes);
/* ---- together.c: what groups do --------------------------------------------------------------------------------------------- */
void ctf_together_begin (Ctf *c);
void ctf_together_end (Ctf *c);
/* A task has come to an operation; which it is comes later. */
void ctf_meets (Ctf *c, uint32_t task, int64_t date);
/* An event tells an operation that is over. */
void ctf_together (Ctf *c, const Stream *s, const Class *k, const Cell *const *scopes, uint32_t task);
/* ---- quick.c: streams without the library ------------------------------------------------------------------------------------ */
/* Decodes the streams of a trace, of one folder, whose metadata the library has read and whose streams have begun,
 * until all are at their end.  What is not as the layouts have it, or damaged, ends it: what follows is the library's.
 */
void ctf_read_quickly (Ctf *c, const char *folder);
/* ---- decode.c ---- */
/* Puts what lies there as the library would show it. */
void ctf_put_cell (GString *to, const Cell *cell);
/* Gives the members of a structure, as ctf_give_fields(); gives how many there were then. */
uint32_t ctf_give_inner (Ctf *c, const Cell *cell, int depth, uint32_t n);
/* ---- fields.c ------------------------------------------------------------------------------------------------------------------- */
#define DEEPEST 8         /* of structures in each other */
#define LONGEST_TEXT 4000 /* bytes of what is made to text */
/* The fields of a class as they are given, at most `most`; gives how many.  Names are kept in `keep`. */
uint32_t ctf_list_fields (const bt_event_class *class, TraceField *to, uint32_t most, GPtrArray *keep);
/* The values of an event of the library; good until the next call. */
void ctf_take_cells (Ctf *c, const Class *k, const bt_field *const *fields, const Cell **scopes);
void ctf_take_cell (const bt_field *field, bt_field_class_type type, Cell *to);
/* Gives the values of an event to the converter, for the next event. */
void ctf_give_fields (Ctf *c, const Class *k, const Cell *const *scopes);
void ctf_give_cell (Ctf *c, const Cell *cell);
/* g_free */
Plan *ctf_plan (const bt_event_class *class, Scope scope);
const bt_field_class *ctf_scope_class (const bt_event_class *class, Scope scope);
void ctf_put_whole (GString *to, const bt_field_class *class, int64_t v);
void ctf_put_real (GString *to, double v);
bool ctf_int (const Cell *cell, int64_t *v);
/* As text; good until the next call. */
const char *ctf_text (Ctf *c, const Cell *cell);
static inline const Cell *
ctf_field (const Cell *const *scopes, Ref r)
{
  return r.scope < N_SCOPES && scopes[r.scope] ? &scopes[r.scope][r.index] : NULL;
}
/* ---- maps.c: which events begin and end what ---------------------------------------------------------------------------------------- */
void ctf_read_maps (Ctf *c);
void ctf_free_rule (void *rule);
/* The rule for events of this name, from a map, from pairs of names, or NULL.  `names`: of all events of the trace. */
const Rule *ctf_rule (Ctf *c, const char *name, GHashTable *names);
/* Whether events of this name tell which thread a processor lets run: LTTng's, or perf's. */
bool ctf_is_switch (const char *name);
/* Whether a kernel does for a thread what events of this name begin or end: calls of the system, work, files; no
 * interrupts.  `names`: as above. */
bool ctf_is_for_thread (Ctf *c, const char *name, GHashTable *names);
/* Looks up a number through a table: the text is known at the end of the trace alone. */
typedef struct Later {
  uint32_t place; /* index of a task, or of an object */
  bool is_task;
  char *table;
  int64_t key;
} Later;
void ctf_name_later (Ctf *c, bool is_task, uint32_t place, const char *table, int64_t key);
/* A name on one line, and as an id that no other task has; g_free. */
char *ctf_one_line (const char *name);
char *ctf_id_like (Ctf *c, const char *name);
void ctf_give_names (Ctf *c);
void ctf_keep_name (Ctf *c, const Class *k, const Cell *const *scopes);
/* The number behind a number, of a table; false: it is not known. */
bool ctf_number_in (const Ctf *c, const char *table, int64_t key, int64_t *v);
