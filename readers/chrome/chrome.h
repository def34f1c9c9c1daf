/* SPDX-License-Identifier: Apache-2.0 */
/* chrome.h - what the files of the reader of Chrome's traces share. */
#pragma once
#include <string.h>

#include "readers/chrome/json.h"
#include "readers/name-table.h"
#include "readers/unlike.h"

#define MOST_FIELDS 48        /* of one record; a record with more is kept as its text */
#define MOST_KINDS 1000       /* the same of records that are of further kinds */
#define MOST_NAMES 100000     /* different names of slices and marks */
#define MOST_NAME 1000        /* bytes; a longer name of a slice or mark is cut, and told from others by a sum */
#define MOST_TASKS 1000000    /* processes, threads and lanes of asynchronous slices */
#define MOST_HALVES 100000    /* flows and asynchronous slices that wait for their other half */
#define MOST_VARIABLES 10000  /* series of counters; what is of others is told */
#define MOST_TIES (1u << 20)  /* calls to accelerators, what these do because of them, and flows */
#define LOOKED_AT 65536       /* bytes, to tell a record from a list */
#define MOST_LANES 100        /* of asynchronous slices of one name at one time */
#define MOST_LANE_GROUPS 2000 /* beyond it, lanes are of a category, not of a name */

/* ---- a record, where it lies in the buffer --------------------------------------------------------------------------------- */
typedef struct Field {
  const char *key;
  size_t n;
  JsonValue value;
  bool argument, escaped;
} Field;

typedef struct Record {
  const char *at, *end;
  JsonValue name, category, pid, tid, date, duration, id, local, global, scope, where, bind, flow_in, flow_out, ph;
  char phase;
  uint32_t n_members, n_fields, n_args;
  bool more;    /* than there is room for */
  bool escaped; /* a key, or whom it is of, has backslashes: chrome_plain() */
  Field fields[MOST_FIELDS];
} Record;

typedef struct Kind { /* of records of one phase, category and list of fields */
  uint32_t kind;
  bool whole; /* the record is kept as its text */
} Kind;

typedef struct Process {
  uint32_t task;
  int64_t place; /* among the others, the least first */
  char *name, *labels, *id;
} Process;

typedef struct Thread {
  uint32_t task, process;
  uint32_t of;    /* index + 1 of the one that it is once more; 0: of none */
  bool is_thread; /* something of it is no sum of a compiler, nor what a profiler tells of itself; else it is that, */
  bool profiler;  /* or the former, if that has a name */
  int64_t place;
  char *name, *id, *total; /* total: the name of that sum */
} Thread;

typedef struct Lane { /* of asynchronous slices */
  uint32_t task, process, group;
  int64_t from; /* it is free from this date on */
  bool busy;
} Lane;

/* Tables of names: pid -> Process, ... */
enum { OF_PROCESSES, OF_THREADS, OF_KINDS, OF_VARIABLES, OF_STATES, OF_MARKS, OF_LANES, N_NAMES };

typedef struct Beside Beside; /* beside.c */
typedef struct Slices Slices; /* slices.c */

typedef struct Chrome {
  Converter *to;
  TraceSource *source;
  Json json;
  const char *file;
  NameTable *names[N_NAMES];
  GArray *processes, *threads, *kinds, *lanes;
  GPtrArray *groups; /* of lanes: GArray of indices */
  uint32_t process_type, thread_type, async_type, total_type, profiler_type, slices, marks; /* types of the source */
  uint32_t others[2]; /* what names beyond MOST_NAMES are: a state, a mark */
  uint32_t n_names[2];
  GString *key, *text;
  GStringChunk *plain;       /* of the present record: keys and numbers of processes without backslashes */
  GHashTable *starts, *ends; /* key of a flow -> Half */
  GHashTable *last_of_id;    /* key of an id of any process -> that of the process where one of it began last */
  GHashTable *open, *early;  /* key of an asynchronous slice -> Async; -> Early, an end before its begin */
  uint32_t n_halves, n_links;
  uint64_t alone, first_alone; /* how many halves, and where the first one is */
  uint32_t n_variables;
  uint64_t other_values; /* of counters beyond MOST_VARIABLES */
  bool crowded;          /* too many tasks, which was told */
  bool has_list;         /* of events */
  Beside *beside;        /* what samples tell; NULL: the file has none */
  Slices *ties;          /* what ties programs and their accelerators; NULL: nothing so far */
  int64_t scale;         /* nanoseconds in the unit of dates; 0: not known yet */
} Chrome;

void chrome_damaged (Chrome *c, uint64_t at, const char *fmt, ...) G_GNUC_PRINTF (3, 4);
/* The words of a value, good until the next call. */
const char *chrome_text (Chrome *c, const JsonValue *v, size_t *n);
/* A string of them; g_free. */
char *chrome_word (Chrome *c, const JsonValue *v);
/* Fields of the event of a record are given, and `e` its kind and, of those with names, its object. */
typedef enum { SLICE, BEGIN, END, COUNTER, SEND, RECEIVE, ASYNC, MARK } Act;
void chrome_values (Chrome *c, const Record *r, const char *kind, Act act, TraceEvent *e);
/* The state, or the mark, that a name is. */
uint32_t chrome_named (Chrome *c, Act act, const JsonValue *name);
/* What the record tells beside its act, as a mark, if it has arguments. */
void chrome_note (Chrome *c, const Record *r, const char *kind, const TraceEvent *e);

/* Where the record begins in the file. */
static inline uint64_t
chrome_offset (const Chrome *c, const Record *r)
{
  return c->json.base + (uint64_t) (r->at - c->json.buffer);
}

/* What the record is known by; of type 0: it has no id. */
static inline const JsonValue *
chrome_id (const Record *r)
{
  return r->id.type ? &r->id : r->global.type ? &r->global : &r->local;
}

/* The name of metadata of ours: what tasks do in slices of a name. */
#define CHROME_STATE_DOES "scope_state_does"
/* The category of instants of ours that carry a flow where a thread is in no slice: other programs tie flows to slices,
 * and an instant is one to them. */
#define CHROME_CARRIES "scope.carries"
static inline bool
chrome_carries (const Record *r)
{
  return r->category.n == strlen (CHROME_CARRIES) && memcmp (r->category.at, CHROME_CARRIES, r->category.n) == 0;
}

/* ---- tasks.c ------------------------------------------------------------------------------------------------------------ */
uint32_t chrome_process (Chrome *c, const JsonValue *pid); /* its index */
uint32_t chrome_thread (Chrome *c, const Record *r);       /* its task */
uint32_t chrome_process_task (Chrome *c, const Record *r);
void chrome_plain (Chrome *c, Record *r); /* takes the backslashes out of keys and of whom it is of */
const JsonValue *chrome_argument (const Record *r, const char *key); /* NULL: it has none */
void chrome_metadata (Chrome *c, const Record *r);
/* At the end, when all names are known. */
void chrome_name_tasks (Chrome *c);
void chrome_order_tasks (Chrome *c);
void chrome_free_tasks (Chrome *c);
/* A lane of asynchronous slices that is free at a date, in the process of a record. */
uint32_t chrome_lane (Chrome *c, const Record *r, int64_t date);

/* ---- async.c ------------------------------------------------------------------------------------------------------------ */
void chrome_async (Chrome *c, const Record *r, int64_t date);
void chrome_flow (Chrome *c, const Record *r, int64_t date);
/* What a flow tells of the size of its message, in bytes, as those that we write do; -1: nothing.  A slice that is
 * bound to others may have bytes that are not those of the message. */
int64_t chrome_size_of_flow (const Record *r);
/* A slice that is bound to others. */
void chrome_bound (Chrome *c, const Record *r, int64_t date);
void chrome_open_halves (Chrome *c);
void chrome_end_halves (Chrome *c);
void chrome_free_halves (Chrome *c);

/* ---- slices.c ------------------------------------------------------------------------------------------------------------ */
/* A slice whose duration is told. */
void chrome_slice (Chrome *c, const Record *r, int64_t date);
/* Whether the last call that has a number of correlation is this one: an end of a flow there is of itself. */
bool chrome_is_last_call (const Chrome *c, uint32_t task, int64_t date);
/* Whose a flow is that begins or ends there: of what was just told of a stream, but is not done by it, its lane. */
uint32_t chrome_flow_task (Chrome *c, const Record *r, int64_t date);
/* A flow was given. */
void chrome_tied (Chrome *c, const TraceEvent *start, const TraceEvent *end);
/* At the end, before halves: what is tied by numbers of correlation.  Afterwards, whether what begins there is. */
void chrome_end_slices (Chrome *c);
bool chrome_is_tied (const Chrome *c, uint32_t task, int64_t date);
void chrome_free_slices (Chrome *c);

/* ---- beside.c ------------------------------------------------------------------------------------------------------------ */
/* A member of `stackFrames`, of `samples`. */
void chrome_frame (Chrome *c, const char *id, const Record *r);
void chrome_end_frames (Chrome *c); /* of one object of the file */
void chrome_sample (Chrome *c, const Record *r, int64_t date);
void chrome_counter (Chrome *c, const Record *r, int64_t date);
/* How much memory a dump says that a process has. */
void chrome_memory (Chrome *c, const Record *r, int64_t date);
/* At the end, when all threads are known. */
void chrome_end_beside (Chrome *c);
void chrome_free_beside (Chrome *c);

/* write.c: as `write` of TraceFormat. */
bool chrome_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error);
