/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - events, dates, kinds and trace sources: what everybody knows of a trace, whatever its format.
 *
 * An event is a plain struct of one cache line; its meaning is in the tables of its source: the kinds with their
 * fields, the tasks, groups and hosts, the clock.  What is rare (lists, words, source lines) is not copied: it is
 * read again from the record, by trace_value() and trace_list(), when somebody asks.  Thesis, section 2.1. */
#pragma once
#include <glib.h>
#include "eve/eve.h"

#define TRACE_API __attribute__ ((visibility ("default")))
#define TRACE_NONE UINT32_MAX /* no task, no object */
#define TRACE_RECORD_BITS 48  /* of TraceEvent.record: 256 TiB of a file */
#define TRACE_RECORD(at) ((at) & ((UINT64_C (1) << TRACE_RECORD_BITS) - 1))

enum {                       /* TraceEvent.flags */
       TRACE_END = 1,        /* the end of the action: a logical event added by the reader */
       TRACE_INSTANT = 2,    /* has no end */
       TRACE_UNFINISHED = 4, /* never ended: duration is unknown and given as 0 */
       TRACE_OPEN = 8,       /* the begin of an action of which only the end tells how long it took: duration is 0 */
       TRACE_REAL = 16,      /* the value is `real`, not `size` */
       TRACE_LATE = 32,      /* with TRACE_END, of an OPEN action: what came of it is told here first */
};
/* Bytes, or another whole amount; 0 where the value is a real one. */
#define TRACE_SIZE(e) ((e)->flags & TRACE_REAL ? 0 : (e)->size)
/* How long the action took is told. */
#define TRACE_HAS_DURATION(e) (((e)->flags & (TRACE_UNFINISHED | TRACE_INSTANT | TRACE_OPEN)) == 0)

typedef struct TraceEvent {
  int64_t date;                        /* of this event, in ticks of the source's clock: nanoseconds */
  int64_t duration;                    /* of the whole action, ticks; the same at begin and end */
  uint64_t number;                     /* 0, 1, 2, ... in date order, ends counted */
  uint64_t record : TRACE_RECORD_BITS; /* where the record lies, for trace_value(); the same at begin and end */
  uint16_t source;                     /* number of the source in this process: trace_source() */
  union {
    int64_t size; /* bytes, or another whole amount: what the kind says */
    double real;  /* with TRACE_REAL: the value of a variable */
  };
  uint32_t task;   /* who: index into the source's tasks, which are all that does or holds something */
  uint32_t peer;   /* the one other task, or TRACE_NONE (then trace_list() may tell several) */
  uint32_t object; /* group, semaphore, region, variable, ...: index into the source's objects, or TRACE_NONE */
  int32_t tag;     /* -1: none or any */
  int32_t result;  /* return code of the call */
  uint16_t kind;   /* index into the source's kinds */
  uint8_t flags, reserved;
} TraceEvent;
_Static_assert(sizeof (TraceEvent) == 64, "an event is one cache line");

extern TRACE_API const EveType trace_type_event;

/* ---- kinds and their fields: static for a source ------------------------------------------------------------- */
typedef enum {
  TRACE_ROLE_PEER,
  TRACE_ROLE_PEERS,
  TRACE_ROLE_TAG,
  TRACE_ROLE_SIZE,
  TRACE_ROLE_OBJECT,
  TRACE_ROLE_RESULT,
  TRACE_ROLE_INT,
  TRACE_ROLE_TASK,
  TRACE_ROLE_TASKS,
  TRACE_ROLE_WORD,
  TRACE_ROLE_OBJECTS,
  TRACE_ROLE_REGION, /* object: what the task is inside of; a CALL with it is the state of that name */
  TRACE_ROLE_VALUE,  /* size, or real: of a variable */
  TRACE_ROLE_KEY,    /* tag: what a message is known by when it comes; nothing that the program chose */
} TraceRole;

typedef struct TraceField {
  const char *name; /* "to", "bytes", "asked_from": also the member in JSON */
  TraceRole role;
  const char *unit; /* "B", "s", or NULL */
} TraceField;

/* What events of a kind do, whatever a format calls them.  A simulator that knows these replays any trace
 * (simulators/calls). */
enum {                      /* TraceKind.acts */
       TRACE_ACT_BIRTH = 1, /* of the task */
       TRACE_ACT_DEATH = 2, /* of the task, or it was killed */
       TRACE_ACT_CALL = 4,  /* something that the task is inside of, from its begin to its end */
       TRACE_ACT_SEND = 8,  /* to the task, or the tasks, of the field `to` */
       TRACE_ACT_MULTICAST = 16,
       TRACE_ACT_RECEIVE = 32,      /* from the task of the field `from` */
       TRACE_ACT_PHASE = 64,        /* a CALL that the program itself has named: a part of the program */
       TRACE_ACT_ENTER = 128,       /* the task is inside of the state `object` from now on, */
       TRACE_ACT_LEAVE = 256,       /* and of the innermost one no more; each is a record of its own */
       TRACE_ACT_SET = 512,         /* it is in the state `object` alone, or, if that is a type of states, in none; the
                                       variable `object` has a value */
       TRACE_ACT_ADD = 1024,        /* the variable `object` grows by a value, which may be negative */
       TRACE_ACT_COLLECTIVE = 2048, /* it takes part in what the group `object` does together */
       TRACE_ACT_ALLOC = 4096,      /* it has `size` bytes more, */
       TRACE_ACT_FREE = 8192,       /* or less, of memory; the calls that led to the allocation are its OBJECTS */
       TRACE_ACT_MARK = 16384,      /* something is noted; nothing changes.  With ALLOC: so many bytes more of those
                                       calls live than was told before, or less; nothing tells of how many blocks */
       TRACE_ACT_MEET = 32768, /* with a CALL that is a SEND or a RECEIVE: a rendezvous over `object`, both wait for
                                  each other; its end has the field `meeting`, a number that both ends share, 0:
                                  they did not meet.  With another CALL: it waits until a task begins to SEND over
                                  one of its objects, and takes nothing: its end tells which */
};
/* Names of fields that say more than their role:
 * `thread` of a kind without a TAG and a KEY: the tag of its events is the thread of the task, of which each has calls
 *   of its own.  The end of a CALL is then a record of its own, other than that of the begin: it belongs to the
 *   innermost call of its category and thread.  `spawned` (TASKS), at the end or of an instant: it has started these.
 * `created` (PEER) of a SEND: it has started that one.  `coordinate` (VALUE) of a SET: where the task is in a topology;
 *   the variable is named after topology and dimension.
 * `flow` (KEY) of a SEND or a RECEIVE: what led to what; the task waits for it in calls of communication alone. */

typedef struct TraceKind {
  const char *name; /* "Send"; the end is called "EndSend" */
  const char *end_name;
  const char *category; /* "point", "collective", ... */
  const TraceField *fields;
  uint32_t n_fields;
  bool instant;
  uint16_t acts; /* TRACE_ACT_*; 0: as trace_acts() finds them in the rest */
} TraceKind;
/* What events of a kind do: what the format says, or, if it says nothing, what the category, the roles and names of the
 * fields tell.  Instants of the category "task" are births, those with a result deaths; a PEER or PEERS called `to` is
 * sent to, one called `from` received from; what is no instant is a CALL, of the category "user" a PHASE.  For tables
 * of kinds, not for each event. */
TRACE_API uint16_t trace_acts (const TraceKind *k);
/* Whether one of the fields has this role.  For tables of kinds too. */
static inline bool
trace_kind_has (const TraceKind *k, TraceRole role)
{
  for (uint32_t i = 0; i < k->n_fields; i++)
    if (k->fields[i].role == role)
      return true;
  return false;
}
/* Whether a name is in a list, NULL-terminated, be its letters large or small. */
TRACE_API bool trace_is_one_of (const char *name, const char *const *names);
/* What members of a group wait for in a COLLECTIVE, as the name of its kind tells: "Allreduce", "MPI_Iallreduce". */
typedef enum {
  TRACE_COLLECTIVE_OTHER,
  TRACE_COLLECTIVE_BARRIER,   /* all for the last */
  TRACE_COLLECTIVE_ALL,       /* the same: data go from all to all */
  TRACE_COLLECTIVE_FROM_ROOT, /* all but the root for the root */
  TRACE_COLLECTIVE_TO_ROOT,   /* the root for all others */
  TRACE_COLLECTIVE_SCAN,      /* each for those before it */
} TraceCollective;
/* *blocks (may be NULL): its begin is not over before its end is. */
TRACE_API TraceCollective trace_collective (const TraceKind *k, bool *blocks);
/* A receive that got something; at its end. */
static inline bool
trace_received (const TraceEvent *e)
{
  return e->peer != TRACE_NONE && e->result >= 0 && !(e->flags & TRACE_UNFINISHED);
}

/* ---- dates: compared as numbers, printed and read by the clock of the source (thesis, table 2.3) ---------------- */
struct TraceSource;
struct TraceDates;
typedef struct TraceClock {
  int64_t ticks_per_second;
  const char *units; /* "s": what printed dates are in */
  int64_t offset;    /* ticks that were added to the dates of the trace, so that executions can be compared */
  int64_t zero; /* people are shown dates from here on, as "+0.25 s": where an execution begins long after its clock
                   does; 0: there */
  const struct TraceDates *dates; /* what dates are beyond a place in an order of all events; NULL: seconds */
  const struct TraceSource *of;   /* with `dates` */
} TraceClock;
/* Of all dates outside a format, whatever the clock of the trace is: those of several executions meet on one ruler. */
#define TRACE_TICKS INT64_C (1000000000)
/* Decimal seconds with every digit that the clock has and no trailing zeros beyond six digits; n >= 32. */
TRACE_API void trace_clock_print (const TraceClock *clock, int64_t date, char *buf, size_t n);
/* Reads decimal seconds exactly, with a plus sign before them those since `zero`; false: not a date, or outside +-2^62
 * ticks. */
TRACE_API bool trace_clock_parse (const TraceClock *clock, const char *text, int64_t *date);
/* What a person writes: also with a unit behind it (h, min, s, ms, us, ns), and where dates are those of a calendar a
 * time of day, UTC, with a day before it or on the first: "2022-02-18 11:57:56.976", "11:58". */
TRACE_API bool trace_clock_typed (const TraceClock *clock, const char *text, int64_t *date);
/* Whether dates are those of a calendar: seconds since 1970. */
TRACE_API bool trace_clock_is_of_day (const TraceClock *clock);
/* Their sum, or the least or greatest number there is where no number is as large: of dates that only a damaged trace
 * has. */
static inline int64_t
trace_sum (int64_t a, int64_t b)
{
  int64_t sum;

  return __builtin_add_overflow (a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
TRACE_API double trace_clock_seconds (const TraceClock *clock, int64_t date);
/* An amount of data with its unit, by the locale (eve/number.h): "96 B", "4.1 kB", "262 kB"; n >= 32. */
TRACE_API void trace_write_bytes (double bytes, char *buf, size_t n);
/* Seconds with the unit that suits them, which stays on the line of the number: "12.3 ms"; n >= 32. */
TRACE_API void trace_write_span (double seconds, char *buf, size_t n);

/* A kind of date that a format brings along (thesis, table 2.3): vectors, for instance.  Whoever sorts, draws or plays
 * knows of a date only its place in an order of all events, which is a number as any; what else it is, the format says.
 * Dates here are those of events outside of the format.  NULL for a function: as if there were none. */
typedef enum { TRACE_BEFORE, TRACE_SAME, TRACE_AFTER, TRACE_BESIDE /* neither can know of the other */ } TraceSequence;
typedef struct TraceDates {
  const char *hint; /* how a person writes one, NP_ */
  /* As a person reads it; false: it is none of them. */
  bool (*write) (const struct TraceSource *s, int64_t date, char *buf, size_t n);
  /* What a person wrote; false: it is no such date, and may be a number. */
  bool (*read) (const struct TraceSource *s, const char *text, int64_t *date);
  /* a is ... b; both are of one source. */
  TraceSequence (*compare) (const TraceEvent *a, const TraceEvent *b);
} TraceDates;
/* As the format of both says; else by their dates.  Not for each event: it may read their records. */
TRACE_API TraceSequence trace_compare (const TraceEvent *a, const TraceEvent *b);
/* A date as a format writes it; false: dates are seconds. */
TRACE_API bool trace_date_written (const TraceClock *clock, int64_t date, char *buf, size_t n);

/* ---- what a source keeps beside events ------------------------------------------------------------------------ */
/* What a trace itself declares: kinds of its tasks, of their states, of variables.  Numbers never change their meaning;
 * all are known when the trace is open, but for one that is still being written. */
typedef enum { TRACE_ENTITY, TRACE_STATES, TRACE_VARIABLE, TRACE_LINKS, TRACE_MARKS } TraceTypeKind;
/* What tasks in a state of a type do, where the trace knows: nothing more is known of the others. */
typedef enum { TRACE_DOES_ANYTHING, TRACE_WORKS, TRACE_WAITS, TRACE_RESTS } TraceDoes;
typedef struct TraceType {
  char *name; /* "Node", "MPI state", "power used" */
  char *unit; /* of a variable; or NULL */
  TraceTypeKind kind;
  uint32_t parent; /* of entities: those around it; else: the entities that have it; an index, or TRACE_NONE */
  uint32_t object; /* what stands for it in events: TraceEvent.object */
  TraceDoes does;  /* of states; of entities RESTS: things, which do nothing themselves; WAITS: what is under way, which
                      threads beside it do; WORKS: what the one around calls (another.h) */
  bool own;        /* its name is a word of Scope's, not of the file */
  unsigned tools;  /* while it is read: those that states of it are known of (does.c) */
} TraceType;
/* Its name for a person: a word of Scope's in the person's language, one of the file as it is. */
TRACE_API const char *trace_type_word (const TraceType *t);
/* Names of regions and states have one meaning in all formats (does.c).  The group that a region of code belongs to as
 * its name alone tells: "MPI"; NULL: nobody knows. */
TRACE_API const char *trace_group_of (const char *region);
#define TRACE_GROUP_PARALLEL "OpenMP"
#define TRACE_GROUP_TEAM "OpenMP synchronisation" /* where threads of a team wait for each other */
/* What tasks do inside of regions of a group; of a region, by its name; in a state whose name is a word rather than a
 * region, whoever writes it: "Waiting a message", "Idle"; in an operation that may have no word before it: "RECV".
 * Words that programs may call their own phases by wait only where they are known to be a tool's. */
TRACE_API TraceDoes trace_group_does (const char *group);
TRACE_API TraceDoes trace_region_does (const char *region);
TRACE_API TraceDoes trace_word_does (const char *state);
TRACE_API TraceDoes trace_operation_does (const char *operation);
/* In a state that the trace has: as it says of this one, else of its type. */
TRACE_API TraceDoes trace_state_does (const struct TraceSource *s, uint32_t object);
/* In a call of a kind: communication waits, of others their name tells. */
TRACE_API TraceDoes trace_call_does (const TraceKind *k);
/* Whether who is in it waits for others to do something: a task that rests, or sleeps, waits for nobody. */
TRACE_API bool trace_state_asks (const struct TraceSource *s, uint32_t object);
TRACE_API bool trace_call_asks (const TraceKind *k);
/* For each kind of a source the first one of the same category, which only calls of the same category end; those
 * without one are alike.  g_free. */
TRACE_API uint16_t *trace_categories (const struct TraceSource *s);
/* A task is whatever does or holds something: a process, a thread, a machine, a container of them.  It is in one state
 * at a time, and states nest.  Where a trace has states of several types for one of them, all but those of one type are
 * told of tasks of their own inside of it. */
typedef struct TraceTask {
  char *id;        /* "t40002": as the model writes it */
  char *nickname;  /* given by the person (file `nicknames` of the bundle), else by the trace; or NULL */
  uint32_t host;   /* index into hosts, or TRACE_NONE */
  char *program;   /* or NULL */
  int64_t raw;     /* as in the file */
  uint32_t type;   /* index into types, or TRACE_NONE */
  uint32_t parent; /* the task that it is inside of, or TRACE_NONE; always a lower number */
  bool once_more;  /* what it does is told of that one too, in states of another type, or of those in it: another.h */
} TraceTask;
typedef struct TraceObject {
  char *id;          /* name of a group, link, ... */
  uint32_t from, to; /* tasks, of a link that the trace declares; else TRACE_NONE */
  uint32_t type;     /* what it is one of (a state of its type), or stands for; TRACE_NONE: of none */
  TraceDoes does;    /* of a state: where it is other than what is said of its type */
} TraceObject;
typedef struct TraceHost {
  char *name, *arch;
  int64_t speed;
} TraceHost;

/* A record, or a file, that is not as it should be: counted always, kept up to a bound. */
typedef struct TraceDamage {
  char *file;      /* name inside the bundle */
  uint64_t line;   /* from 1; 0: not a text file */
  uint64_t column; /* from 1, or offset in bytes if line is 0 */
  char *reason;    /* a sentence */
} TraceDamage;

/* How dates of tasks, each of which may have a clock of its own, were made to fit each other (decisions/clocks.md). */
typedef enum {
  TRACE_CLOCKS_OFFSETS, /* as the trace says that they differ, if it does */
  TRACE_CLOCKS_NONE,    /* as they were recorded */
  TRACE_CLOCKS_LINEAR,  /* then by the first and last operation of all that nobody leaves before the last has come */
  TRACE_CLOCKS_LOGICAL, /* then what comes too early by itself, and what follows it: nothing is before its cause */
  N_TRACE_CLOCKS
} TraceClocksBy;
typedef struct TraceClocks {
  TraceClocksBy by;
  uint32_t n_tasks;                  /* whose dates are other than recorded */
  uint64_t n_offsets;                /* tasks of which the trace itself tells how their clock differs */
  uint64_t n_checked;                /* receives, and ends of operations of groups, whose cause is known */
  uint64_t n_before, n_after;        /* of these: came before their cause; before the correction, and still */
  int64_t worst_before, worst_after; /* by how much at most, ticks of the trace */
  int64_t moved;                     /* the most by which a date is another now, ticks of the trace */
} TraceClocks;
extern TRACE_API const char *const trace_clocks_names[N_TRACE_CLOCKS + 1]; /* "offsets", "none", ...; NULL behind */

typedef enum { TRACE_SORTED = 1, TRACE_BACKWARD = 2, TRACE_SEEK = 4, TRACE_LIVE = 8 } TraceAbility;

typedef struct TraceSource TraceSource;
typedef struct TraceFormat TraceFormat;

/* A field's value, as a presenter gives it. */
typedef enum {
  TRACE_VALUE_NONE,
  TRACE_VALUE_INT,
  TRACE_VALUE_REAL,
  TRACE_VALUE_TEXT,
  TRACE_VALUE_TASK,
  TRACE_VALUE_TASKS,
  TRACE_VALUE_OBJECTS
} TraceValueKind;
typedef struct TraceValue {
  TraceValueKind kind;
  int64_t i; /* INT; TASK: index */
  double real;
  const char *text;      /* TEXT, good until the next call for the same source */
  const uint32_t *tasks; /* TASKS, likewise; OBJECTS: these, n_tasks of them */
  uint32_t n_tasks;
} TraceValue;

/* What the files of a trace are made of, beside its events: "streams"; how many, and how many of them have their end.
 */
typedef struct TracePart {
  const char *name; /* interned; English, translated where it is shown */
  uint64_t n, whole;
} TracePart;

/* An open trace.  Readers put this first in their own struct; counters are kept up as events are read. */
struct TraceSource {
  const TraceFormat *format;
  char *path;      /* of the bundle */
  char *name;      /* of the bundle without .trace */
  uint16_t number; /* in this process */
  uint32_t abilities;
  TraceClock clock;            /* set by the format as the trace has it, by trace_open() then to nanoseconds */
  int64_t own_ticks;           /* per second, of the dates inside the trace; 0: not opened by trace_open() */
  int64_t own_first, own_last; /* what the format said of `first` and `last` */
  const TraceKind *kinds;
  uint32_t n_kinds;
  GPtrArray *tasks;             /* of TraceTask *, in order of first appearance; grow only */
  GPtrArray *objects;           /* of TraceObject * */
  GPtrArray *hosts;             /* of TraceHost * */
  GPtrArray *types;             /* of TraceType * */
  uint64_t n_records, n_events; /* in the whole trace, known after opening; while it may grow, so far */
  int64_t first, last;   /* dates of the first and last event; first > last: no event.  While it may grow: nothing
                            that is not there yet is dated before `last` */
  uint64_t n_damaged;    /* met so far, or in the whole trace after a full pass */
  GPtrArray *damage;     /* of TraceDamage *, the first TRACE_DAMAGE_KEPT */
  GArray *parts;         /* of TracePart; of most formats none */
  GHashTable *nicknames; /* task id -> name, from the bundle's file `nicknames` */
  bool ended;            /* nothing more will come; false only in a LIVE source, until trace_look() finds out */
  bool silent;           /* of a LIVE source: what came last says that nothing comes any more */
  TraceClocks clocks;    /* of LINEAR and LOGICAL all is known, else `by` and `n_offsets` */
  int64_t halt;          /* the newest date that the program asks to be looked at; INT64_MIN: none */
  char *reference;       /* whose order events are in, of those that their dates allow; NULL: there is one alone */
  void *moments;         /* what `dates` of the format keep, freed by */
  GDestroyNotify free_moments;
  GArray *early;       /* of TraceEarly (early.h): receives dated before their send; NULL: nobody has looked */
  char *left;          /* how it ended, a sentence, if its writer did not say that it was done; else NULL */
  GHashTable *colours; /* name of a state -> 0xRRGGBB + 1, as the trace declares it; NULL: it declares none */
};
#define TRACE_DAMAGE_KEPT 100
#define TRACE_COLOURS_KEPT 100000
#define TRACE_PARTS_MOST 16

/* The source of an event; NULL when it was closed. */
TRACE_API TraceSource *trace_source (uint16_t number);
/* A trace that was opened once more, before anything was given of it: it has the number of the other from here on, so
 * that what is selected or pointed at in one is the same thing in the other.  The other is still who is found by that
 * number; what of the trace has not been read there yet, it does not know. */
TRACE_API void trace_source_same (TraceSource *s, const TraceSource *as);
/* From here on `s` is who is found by its number; gives who was, for the way back.  Engine thread. */
TRACE_API TraceSource *trace_source_stand_in (TraceSource *s);
/* The open source with the next higher number: from 0, all of them one after the other; NULL: there is no more. */
TRACE_API TraceSource *trace_source_after (uint16_t number);
/* Time stands still at `now`, of all traces together: what lasts in this one lasts until then, or until its own end. */
static inline int64_t
trace_lasts_until (uint16_t number, int64_t now)
{
  const TraceSource *s = trace_source (number);

  return s != NULL && s->first <= s->last ? MIN (now, s->last) : now;
}
/* For run states, as a number is good in one process only: written is the name of the reader of `p` that has the
 * source; when none has, or `p` is NULL, that of the trace.  Two traces may have one name, two readers have not.  0:
 * nobody has what was written. */
TRACE_API void trace_put_source (EveProgram *p, uint16_t number, EveBlob *to);
TRACE_API uint16_t trace_get_source (EveProgram *p, EveBlobView *from);
static inline TraceTask *
trace_task (const TraceSource *s, uint32_t task)
{
  return task < s->tasks->len ? (TraceTask *) s->tasks->pdata[task] : NULL;
}
/* A task whose type says that it does nothing itself, as a lock or a class of blocks; how many of them there are. */
TRACE_API bool trace_is_thing (const TraceSource *s, uint32_t task);
TRACE_API uint32_t trace_n_things (const TraceSource *s);
/* "t40002", or "?" for TRACE_NONE. */
TRACE_API const char *trace_task_id (const TraceSource *s, uint32_t task);
/* Nickname if there is one, else id. */
TRACE_API const char *trace_task_name (const TraceSource *s, uint32_t task);
TRACE_API const char *trace_object_id (const TraceSource *s, uint32_t object);

/* ---- presenting (thesis, 2.1.4): the fields of an event as named, typed attributes ------------------------------ */
/* The value of field `field` of the event's kind. */
TRACE_API TraceValue trace_value (const TraceEvent *e, uint32_t field);
/* The tasks of the PEERS field of an event; NULL and *n = 0 if it has none.  Good until the next call. */
TRACE_API const uint32_t *trace_list (const TraceEvent *e, uint32_t *n);
/* The tasks that an event of a SEND names; `multicast`: it is a MULTICAST too.  Good until the next trace_list(). */
static inline const uint32_t *
trace_sent_to (const TraceEvent *e, bool multicast, uint32_t *n)
{
  *n = 1;
  return multicast ? trace_list (e, n) : &e->peer;
}
/* Whom a call that never ended, and that receives, waits for: who is told, or was asked for.  TRACE_NONE: anybody, or
 * nobody tells, or it would have ended by itself.  *tag: that the message was to have; -1: any. */
TRACE_API uint32_t trace_asked (const TraceKind *k, const TraceEvent *e, int32_t *tag);
/* Whether one of them gets a message.  A send that failed has sent nothing, and a multicast leaves its sender out. */
static inline bool
trace_reaches (const TraceEvent *e, bool multicast, uint32_t to)
{
  return e->result >= 0 && to != TRACE_NONE && !(multicast && to == e->task);
}
/* Whether an event is what one task does with another: towards it, or with it in its list. */
static inline bool
trace_goes_to (const TraceEvent *e, uint32_t from, uint32_t to)
{
  uint32_t n = 0;

  if (e->task != from)
    return false;
  if (e->peer == to)
    return true;
  const uint32_t *list = trace_list (e, &n);
  for (uint32_t i = 0; i < n; ++i)
    if (list[i] == to)
      return true;
  return false;
}
/* The same for the objects of its OBJECTS field: links that an alternative listens to. */
TRACE_API const uint32_t *trace_objects (const TraceEvent *e, uint32_t *n);
/* Where in the program's source the call stands; false: unknown. */
TRACE_API bool trace_site (const TraceEvent *e, const char **file, uint32_t *line, const char **function);
/* The name of an event: "Send", "EndSend". */
TRACE_API const char *trace_event_name (const TraceEvent *e);
/* A sentence for a person: who did what to whom, how much, how long; no final stop. */
TRACE_API char *trace_sentence (const TraceEvent *e); /* g_free */
/* How the clocks of a trace were corrected, for a person: whole sentences; g_free. */
TRACE_API char *trace_clocks_tell (const TraceSource *s);
/* One JSON object with every field, as docs of the command line say. */
TRACE_API void trace_json (const TraceEvent *e, GString *to);
/* Appends text as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
TRACE_API void trace_json_text (GString *to, const char *text);
/* A number; JSON has none for what is none, which are "nan", "inf" and "-inf". */
TRACE_API void trace_json_real (GString *to, double real);

/* ---- session: what its controller tells readers ----------------------------------------------------------------- */
typedef enum {
  TRACE_GO_EVENTS, /* give `number` more events (UINT64_MAX: no bound), then wait */
  TRACE_GO_UNTIL,  /* give all events dated <= date, then wait */
  TRACE_PAUSE,     /* give none until told otherwise */
  TRACE_STOP,      /* back to the beginning */
  TRACE_MARK,
  TRACE_SAVE,    /* for the session itself: a mark, a checkpoint, called `name` */
  TRACE_GO_MARK, /* travel to the mark `name` */
  TRACE_OTHER,   /* a word that the session does not know; `name` is how it begins */
} TraceVerb;
typedef struct TraceCommand {
  uint32_t verb;
  uint32_t reserved;
  int64_t date;
  uint64_t number;
  char name[40];
} TraceCommand;
extern TRACE_API const EveType trace_type_command;
