/* SPDX-License-Identifier: Apache-2.0 */
/* tape.h - the parts of the TAPE reader and what they share.
 *
 *   kinds.c       the kinds of events, out of kinds.def
 *   topology.c    the topology manager: who there is, where a link leads
 *   index.c       which blocks there are, by the index or by walking through the events
 *   block.c       one block of one task -> events, checked
 *   reader.c      the source: a block reader a task, and the queue that puts their events in order, either way
 *   record.c      fields read again from a record, sentences
 *   synth.c       traces of any size */
#pragma once
#include <string.h>
#include "readers/reader.h"
#include "readers/tape/format.h"

/* ---- kinds.c ---- */
#define TAPE_MAX_FIELDS 12
typedef enum { TAPE_UNKNOWN, TAPE_INSTANT, TAPE_BEGIN, TAPE_END } TapePhase;
typedef enum { TAPE_LINK, TAPE_LINKS, TAPE_SIZE, TAPE_RESULT, TAPE_INT, TAPE_WORD } TapeRole;

/* A type of event in the file. */
typedef struct TapeTypeInfo {
  const char *name;
  uint8_t phase; /* TapePhase */
  uint8_t kind;  /* of the source; of an end: if it is a kind of its own, else 255 */
  uint8_t n_fields;
  uint8_t role[TAPE_MAX_FIELDS]; /* TapeRole */
  const char *field[TAPE_MAX_FIELDS];
  int8_t link, size, result, list; /* which field it is, or -1; list: of items behind the fields */
  int8_t from, to;                 /* the link begins, ends at the task: 1; it must not: 0 */
} TapeTypeInfo;

/* A field of a kind: in the record of its begin (or instant), in that of its end; -1: not there. */
typedef struct TapeFieldAt {
  int8_t begin, end;
} TapeFieldAt;
/* Behind those of the record: the fields of the header. */
enum { TAPE_AT_THREAD = 100, TAPE_AT_PHYSICAL, TAPE_AT_VIRTUAL };

typedef struct TapeKinds {
  TapeTypeInfo types[256];
  TraceKind kinds[64];
  TapeFieldAt at[64][2 * TAPE_MAX_FIELDS];
  uint8_t begin_type[64], end_type[64]; /* by kind; 0: none */
  uint32_t n_kinds;
} TapeKinds;
const TapeKinds *tape_kinds (void); /* [any thread] */

/* ---- topology.c ---- */
typedef struct TapeLink {
  uint32_t from, to; /* tasks; TRACE_NONE: its line is damaged, and it is used by nobody */
} TapeLink;

typedef struct TapeTopology {
  GArray *links;       /* of TapeLink, by number; the source's object of the same number is it */
  GArray *virtuals;    /* of uint32_t: its processor, by number */
  GHashTable *threads; /* task << 16 | thread -> name */
} TapeTopology;

/* Fills tasks, objects and hosts of the source.  Damaged lines are told and left out; false: it is no topology. */
bool tape_topology_read (TraceSource *s, TapeTopology *t, const char *folder, GError **error);
void tape_topology_clear (TapeTopology *t);
static inline const TapeLink *
tape_link (const TapeTopology *t, int64_t number)
{
  return number >= 0 && number < t->links->len ? &g_array_index (t->links, TapeLink, number) : NULL;
}

/* ---- index.c ---- */
typedef struct TapeBlockRef {
  uint64_t at;     /* in `events` */
  uint64_t before; /* events of its task in earlier blocks */
  int64_t first, last;
  uint32_t length, count, task;
  bool open; /* never closed, or cut off: its head does not know count and dates */
  bool told; /* its damage was told */
} TapeBlockRef;

typedef struct TapeReader TapeReader;
/* Opens `events`, finds its blocks.  False: *error is set. */
bool tape_index_read (TapeReader *r, const char *folder, GError **error);

/* ---- block.c ---- */
/* Reads a block into `events`, which has room for `*room` and is made larger if need be; gives how many there are.
 * Damage is told, once for each block.  (size_t) -1 and *error: the file cannot be read, or a strict source stops. */
size_t tape_block_load (TapeReader *r, TapeBlockRef *ref, TraceEvent **events, uint32_t *room, GError **error);
/* pread that goes on after interrupts and short reads; less than n only at the end of the file. */

/* ---- reader.c ---- */
/* Reads the blocks of one task, either way.  Its place is between events[at - 1] and events[at]. */
typedef struct TapeTask {
  TraceEvent *events; /* of the block that is loaded */
  uint32_t n, at, room;
  uint32_t first_block, n_blocks; /* of this task */
  uint32_t loaded;                /* which of them, from 1; 0: before the first, n_blocks + 1: behind the last */
} TapeTask;

/* The queue of what comes next is a tournament: a task at each leaf, with the date of its next event; at each inner
 * node who lost there.  Node 0 has the winner. */
typedef struct TapeMatch {
  uint64_t date; /* from TAPE_MAX_DATE down when reading backward; UINT64_MAX: nothing is left */
  uint64_t leaf;
} TapeMatch;

struct TapeReader {
  TraceSource base;
  TapeTopology topology;
  int fd;
  uint64_t size; /* of `events` */
  uint64_t run;  /* its number, in the byte order of the file */
  bool swap;     /* written in the other byte order */
  bool strict;
  uint32_t n_tasks;
  GArray *blocks;  /* of TapeBlockRef, by task, then by date */
  uint8_t *buffer; /* of a block as it lies in the file */
  size_t buffer_room;
  TapeTask *tasks;
  GError *failed; /* why reading stopped */

  TapeMatch *queue;
  uint32_t n_leaves;
  int direction;     /* it is ready for: 1 forward, -1 backward, 0 nothing */
  uint64_t number;   /* of the next event */
  TraceEvent *ahead; /* taken from the tasks, not given: [ahead_at, n_ahead) */
  uint32_t ahead_at, n_ahead;

  /* record.c */
  uint64_t record_at; /* UINT64_MAX: none */
  uint64_t *record;   /* an event, in the byte order of this machine */
  uint32_t record_room;
  GString *text;
  GArray *list;
};
#define TAPE_AHEAD 1024

TraceValue tape_value (TraceSource *s, const TraceEvent *e, uint32_t field);
char *tape_sentence (TraceSource *s, const TraceEvent *e);
bool tape_synth (const char *folder, const TraceSynth *what, GError **error);
extern const TraceFormat tape_format;

/* ---- byte order ---- */
static inline uint16_t
tape_16 (uint16_t v, bool swap)
{
  return swap ? __builtin_bswap16 (v) : v;
}
static inline uint32_t
tape_32 (uint32_t v, bool swap)
{
  return swap ? __builtin_bswap32 (v) : v;
}
static inline int64_t
tape_64 (int64_t v, bool swap)
{
  return swap ? (int64_t) __builtin_bswap64 ((uint64_t) v) : v;
}
