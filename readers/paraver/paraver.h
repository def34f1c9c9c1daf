/* SPDX-License-Identifier: Apache-2.0 */
/* paraver.h - what the files of the Paraver reader share. */
#pragma once
#include "readers/converted.h"
#include "readers/together.h"
#include "readers/unlike.h"

#define MOST_TASKS (1u << 20)         /* applications, tasks and threads */
#define MOST_TYPES 20000              /* of events that have a kind of their own */
#define MOST_NAMED (1u << 20)         /* values that have an object of their own */
#define MOST_DATE (INT64_C (1) << 61) /* nanoseconds */

/* ---- names.c: the files .pcf and .row, which say what numbers mean -------------------------------------------------- */
typedef enum {
  PARAVER_VARIABLE, /* a number that is so from now on */
  PARAVER_CALL,     /* not 0: begins, 0: ends */
  PARAVER_MARK,     /* a value with a name that nothing ends */
} ParaverMeaning;

/* A type of events, as the .pcf has it, or as it is met. */
typedef struct ParaverType {
  uint32_t number;
  char *label;
  GHashTable *values;  /* int64_t * -> char *, shared by the types of a block; NULL: it has none */
  GHashTable *objects; /* int64_t * -> object + 1 */
  int64_t last_value;  /* the one that was asked for last, */
  uint32_t last;       /* and its object + 1 */
  ParaverMeaning meaning;
  bool replaces;               /* of calls: one is over when the next one of the type begins */
  uint32_t kind, type, object; /* of the source, from its first event on; kind TRACE_NONE: none yet */
} ParaverType;

/* Types that tell of what a group does together, as Extrae numbers them. */
enum {
  PARAVER_TOGETHER = 50000002, /* the call */
  PARAVER_SENT = 50100001,
  PARAVER_RECEIVED,
  PARAVER_IS_ROOT,
  PARAVER_COMMUNICATOR
};

typedef enum { ROW_CPU, ROW_NODE, ROW_THREAD, ROW_TASK, ROW_APPLICATION, N_ROWS } ParaverRow;

typedef struct ParaverNames {
  GHashTable *types;   /* of ParaverType */
  GHashTable *states;  /* number -> name */
  GHashTable *colours; /* of states: number -> 0xRRGGBB + 1 */
  GPtrArray *rows[N_ROWS];
} ParaverNames;

ParaverNames *paraver_names_new (void);
void paraver_names_free (ParaverNames *names);
/* Reads a file; what is wrong in it is told as damage. */
void paraver_read_pcf (ParaverNames *names, TraceSource *s, const char *path);
void paraver_read_row (ParaverNames *names, TraceSource *s, const char *path);
/* The type of that number; one that nobody described is made. */
ParaverType *paraver_type (ParaverNames *names, uint32_t number);
/* So often does a 0 stand behind a value of a type: it ends what the value began, though the .pcf does not name it. */
void paraver_ended (ParaverNames *names, uint32_t number, uint32_t n);
/* What a value is called that nobody named; g_free. */
char *paraver_usual_call (const ParaverType *t, int64_t value);
/* Whether a type is of calls, as far as is known. */
bool paraver_has_calls (const ParaverNames *names);
/* Events of a type are calls of MPI; of the runtime of OpenMP; a state is the one that is work. */
bool paraver_is_mpi (uint32_t number);
bool paraver_is_runtime (uint32_t number);
bool paraver_is_running (const ParaverNames *names, int64_t state);
/* The name that a row gives the i-th, from 0; NULL: none. */
const char *paraver_row (const ParaverNames *names, ParaverRow row, uint64_t i);

/* ---- the trace ------------------------------------------------------------------------------------------------------- */
typedef struct Open { /* a call that has begun */
  const ParaverType *type;
  uint32_t object;
  uint64_t begun;
  int64_t begin;
  uint32_t together; /* the kind of the operation that it is, or TOGETHER_NONE */
  uint32_t group, root;
  int64_t sent;
  uint64_t together_begun;
} Open;

typedef struct ParaverNow { /* what the record at hand tells of an operation of a group */
  bool begins;              /* a call of those has begun: the innermost one of its thread */
  bool is_root;
  int64_t communicator, sent, received; /* 0: it does not tell */
} ParaverNow;

typedef struct Thread {
  uint32_t task, calls; /* whose calls are told: itself, or a task inside of it */
  uint32_t cpu;
  int64_t last; /* date of its last events */
  uint32_t n_open, room;
  Open *open;
} Thread;

typedef struct Paraver {
  Converter *to;
  TraceSource *source;
  Input *in;
  uint64_t n_ahead; /* lines that were read where they lie, and that `in` does not know of yet */
  const char *file;
  ParaverNames *names;
  Unlike *ids;             /* of tasks, to be unlike each other */
  uint32_t n_applications; /* as the header tells; */
  uint32_t *first_task;    /* by application, into n_threads ...; one more behind the last */
  uint32_t *first_thread;  /* by task, into threads; one more behind the last */
  uint32_t *task_of_task, *task_of_application;
  GArray *threads;    /* of Thread */
  GHashTable *others; /* threads that the header does not tell: "1.2.3" -> index + 1 */
  uint32_t type_application, type_task, type_thread, type_calls;
  int64_t unit, end; /* nanoseconds a tick; the end that the header tells, ticks, or -1 */
  bool calls_apart;  /* states and calls are both told, of the same time: calls have tasks of their own */
  uint32_t state_kind, send_kind, receive_kind, end_kind, lone_kind, cpu_kind, cpu_variable, states;
  GHashTable *state_objects; /* number -> object + 1 */
  uint32_t near_states[64];  /* the same of the first numbers */
  Together together;
  GHashTable *groups; /* application << 32 | number of a communicator -> object + 1 */
  ParaverNow now;
  uint32_t n_named, n_messages;
  uint64_t n_globals, n_deep;
  uint64_t n_late, first_late;       /* records after the end that the header tells, the line of the first; */
  uint64_t n_back, first_back;       /* events that are dated before those of their thread that come before them */
  uint64_t n_strange, first_strange; /* communicators with tasks that the header does not tell */
  uint64_t first_beyond;             /* the line of the first event of a type that is told with others; 0: none, */
  uint64_t first_unnamed;            /* and of the first value that has no object of its own */
  ParaverType *near[1024];           /* types that were met last */
} Paraver;

/* Reads a whole number, moves on behind it; false: there is none, or it has more digits than are counted. */
static inline bool
paraver_number (const char **at, int64_t *v)
{
  const char *c = *at;
  bool negative = *c == '-';
  uint64_t n = 0;

  c += negative;
  const char *from = c;
  for (; *c >= '0' && *c <= '9'; c++)
    n = n * 10 + (uint64_t) (*c - '0');
  if (c == from || (c - from > 18 && (c - from > 19 || n > INT64_MAX)))
    return false;
  *v = negative ? -(int64_t) n : (int64_t) n;
  *at = c;
  return true;
}

void paraver_damaged (Paraver *p, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

/* ---- header.c: the first line, and all that is in the trace by it -------------------------------------------------------- */
/* Takes the line "#Paraver (...)..."; what cannot be read of it is told, and found in the records then. */
void paraver_header (Paraver *p, const char *line);
/* A thread that the header does not tell; NULL: there are too many. */
Thread *paraver_other_thread (Paraver *p, int64_t application, int64_t task, int64_t thread);
/* ---- scan.c -------------------------------------------------------------------------------------------------------------- */
/* Looks at the beginning of a file: whether it has records of states, and which types of calls do not nest. */
bool paraver_scan (Paraver *p, const char *path);
/* ---- records.c ------------------------------------------------------------------------------------------------------------ */
/* The kinds of events that every trace has. */
void paraver_kinds (Paraver *p);
/* ---- groups.c: communicators, and what they do together ---------------------------------------------------------------- */
/* A line "c:APPLICATION:NUMBER:N:TASK:TASK...", from behind the "c". */
void paraver_communicator (Paraver *p, const char *at);
/* An event of the record at hand, which is of a type of its own for operations of groups. */
void paraver_note_together (Paraver *p, int64_t type, int64_t value);
/* All events of the record at hand are read: the call that it begins may be an operation of a group. */
void paraver_begin_together (Paraver *p, Thread *t, int64_t application, int64_t date);
/* The call ends. */
void paraver_end_together (Paraver *p, const Thread *t, const Open *o, int64_t date);
/* ---- records.c, again ----------------------------------------------------------------------------------------------------- */
/* Reads a whole number behind a ":"; false: there is none. */
static inline bool
paraver_next (const char **at, int64_t *v)
{
  const char *from = *at + 1;

  if (**at != ':' || !paraver_number (&from, v))
    return false;
  *at = from;
  return true;
}
/* The same for a date, which some writers have as a real number: to the nearest tick. */
static inline bool
paraver_next_date (const char **at, int64_t *v)
{
  if (!paraver_next (at, v))
    return false;
  if (G_UNLIKELY (**at == '.')) {
    *v += *v < INT64_MAX && (*at)[1] >= '5' && (*at)[1] <= '9';
    do
      ++*at;
    while (g_ascii_isdigit (**at));
  }
  return true;
}
/* The line at hand, from 1. */
static inline uint64_t
paraver_line (const Paraver *p)
{
  return input_line_number (p->in) + p->n_ahead;
}
/* Lines of the body, as input_ahead() gives them: takes the first ones that are nothing but numbers, and in order.
 * Nothing has come of the line behind these. */
void paraver_quick (Paraver *p);
/* A line as input_line() gives it, whatever it is. */
void paraver_record (Paraver *p, char *line);
