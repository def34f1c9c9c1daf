/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - the parts of the reader of threads, and what they share.
 *
 *   lanes.c    the files of the threads: what they did, in order of date; the clock; names of addresses
 *   model.c    locks, conditions, semaphores, barriers: who has them, who waits, and whom for
 *   told.c     what is told of it: kinds, types, tasks, events
 *   threads.c  the format */
#pragma once
#include "readers/converted.h"
#include "readers/threads/format.h"
#include "readers/unlike.h"

typedef struct Process Process;
typedef struct Thing Thing;
typedef struct Lane Lane;

/* ---- lanes.c ---- */
/* One thing that a thread did.  Fields as in format.h. */
typedef struct Item {
  unsigned type, a, b;
  int64_t date;          /* nanoseconds from the beginning of the trace */
  uint64_t object, site; /* addresses */
  uint64_t with;         /* of ASK: the lock of a condition, the pthread_t of who is joined; of INIT: its value */
} Item;

struct Lane { /* a thread */
  ThreadsHeader *h;
  uint64_t *words; /* of the file, from `offset` on: n, of which those before `at` were read */
  uint64_t offset, n, at, room, size;
  char *name; /* of the file */
  guint order;
  Process *process;
  char *given;          /* its own name, or NULL */
  uint32_t task;        /* of the source */
  int64_t born, exited; /* dates; exited INT64_MAX: it has not ended */
  Item next;
  bool has_next, pending; /* a lock was taken and let go of in one record: the second half is to come */
  int64_t last;           /* date of what it did last */
  uint64_t back;          /* records with an earlier date than the one before */
  int64_t back_most;      /* by how much, at most */
  bool names_others;

  /* model.c */
  Thing *thing;        /* that it waits for; or */
  Lane *joins;         /* the thread that it waits for; both NULL: it does not wait */
  uint64_t asked_at;   /* the call; */
  int64_t asked;       /* its date; */
  uint64_t asked_with; /* address of the lock of a condition */
  unsigned asks;       /* WAIT_* */
  bool limited;        /* with a limit of time */
  uint32_t woken_by;   /* the task that has let it go on, or TRACE_NONE */
  int64_t woken_at;
  uint64_t woken_place;
  bool dead, was_joined;
  uint64_t exit_place; /* of its end */

  /* told.c: states */
  uint32_t joined, held_by, read_by;
};

struct Process {
  int32_t pid;
  uint32_t image;
  uint32_t task;
  char *program;
  bool done;                   /* it has said that it ended, */
  int64_t ended;               /* then */
  guint order, first, n_lanes; /* its threads are lanes from `first` on, in order of their numbers */
  GHashTable *selves;          /* pthread_t -> those that had it */
  GHashTable *names, *called;  /* address -> name: of a variable; that the program gives */
  GHashTable *sites;           /* address -> "FILE:LINE" */
  GHashTable *routines;        /* address -> name of a function */
  GHashTable *things;          /* address -> Thing, as it is now */
};

typedef struct Threads {
  Converter *to;
  TraceSource *source;
  char *folder;
  GPtrArray *lanes;       /* of Lane */
  GPtrArray *processes;   /* of Process */
  GHashTable *process_of; /* by pid and image: itself */
  char *below;            /* what is read lies in this folder: the bundle */
  GPtrArray *heap;        /* of Lane, the one with the earliest item first */
  uint64_t size, read;    /* words, of all files */
  uint64_t piece;         /* of each that is in memory */
  int64_t origin_ticks, origin_ns;
  double ns_per_tick;
  int64_t last;
  GPtrArray *things; /* of Thing: all there ever were */

  /* told.c */
  uint32_t types[16], kinds[16], variables[8];
  uint32_t runs, free, read_by_several;
  uint32_t n_unnamed, n_rows, n_cut;
  Unlike *ids; /* all names */
} Threads;

/* Opens all files of the folder, and what belongs to them.  False and an error: there is none. */
bool lanes_open (Threads *t, GError **error);
void lanes_tell (const Threads *t); /* of the source: what in the files cannot be right; when all was read */
void lanes_close (Threads *t);
/* The next item of all, in order of date; NULL: there is no more.  `*share` tells how far it is. */
Lane *lanes_next (Threads *t, Item *item);
double lanes_share (const Threads *t);
/* The thread of a process with this pthread_t at a date, which may be asked for and not have begun, and which nobody
 * has joined; NULL: none is known. */
Lane *lanes_find (const Process *p, uint64_t self, int64_t date);
/* The thread of a process with this number, or NULL. */
Lane *lanes_numbered (const Threads *t, const Process *p, uint32_t thread);
/* The name of what lies at an address, or where a call of it stands, "FILE:LINE"; NULL: not known. */
const char *lanes_object (const Process *p, uint64_t address);
const char *lanes_site (const Process *p, uint64_t address);

/* ---- model.c ---- */
typedef enum { THING_LOCK, THING_CONDITION, THING_SEMAPHORE, THING_BARRIER } ThingKind;

/* Who has a lock. */
typedef struct Holder {
  Lane *lane;
  int depth; /* times that it has taken it and not let go */
  int64_t since;
  uint64_t site;
} Holder;

/* A call that lets others go on. */
typedef struct Wake {
  uint32_t by; /* task, or TRACE_NONE: none has come */
  int64_t at;
  uint64_t place; /* where it is told */
} Wake;

/* A lock, condition, semaphore or barrier, from when it is made until it is unmade. */
struct Thing {
  ThingKind kind;
  Process *process;
  uint64_t address;
  char *name;
  uint32_t task, object, waits, holds; /* of the source: its row, itself, states of threads */
  GArray *holders;                     /* of Holder */
  bool shared;                         /* those who have it only read */
  GPtrArray *waiters;                  /* of Lane, the first to come first */
  Wake last;                           /* of a lock: who let go of it; of a barrier: who came */
  GArray *tokens;                      /* of Wake: of a semaphore, those that can be taken; by TRACE_NONE: at once */
  guint first_token;
  bool counts; /* its value is known */
  uint64_t n_takes, n_waits;
  int64_t waited, longest; /* nanoseconds */
};

/* Reads all, and tells it.  False and an error: cancelled. */
bool model_read (Threads *t, GError **error);

/* ---- told.c ---- */
enum {
  TYPE_PROCESS,
  TYPE_THREAD,
  TYPE_LOCK,
  TYPE_CONDITION,
  TYPE_SEMAPHORE,
  TYPE_BARRIER,
  TYPE_LIFE,
  TYPE_WAIT,
  TYPE_SECTION,
  TYPE_HOLDER,
  TYPE_FREE
};
enum { VARIABLE_WAITING, VARIABLE_TAKES, VARIABLE_WAITS, VARIABLE_WAITED, VARIABLE_LONGEST, VARIABLE_VALUE };
enum {
  KIND_BORN,
  KIND_DIED,
  KIND_RUNS,
  KIND_HOLD,
  KIND_WAIT,
  KIND_LEFT,
  KIND_UNLOCK,
  KIND_SIGNAL,
  KIND_POST,
  KIND_ARRIVE,
  KIND_EXIT,
  KIND_CREATE,
  KIND_GOT,
  KIND_IS,
  KIND_DEADLOCK,
  N_KINDS
};
#define MOST_TOKENS 65536 /* of a semaphore as it is made, that are kept apart */
#define MOST_ROWS 5000    /* locks and the like that have a row of their own */

void told_begin (Threads *t);
void told_end (Threads *t);
/* Who there is: processes and threads. */
void told_tasks (Threads *t);
/* A new thing, made or first used by the call at `site`; `what` it is, for who knows no name of it. */
void told_thing (Threads *t, Thing *thing, const char *what, uint64_t site);
void told_birth (Threads *t, const Lane *l, int64_t date);
void told_death (Threads *t, const Lane *l, int64_t date);
/* It had the lock; until INT64_MAX: it never let go of it. */
void told_hold (Threads *t, const Lane *l, const Thing *thing, int64_t since, int64_t until, uint64_t site);
/* It was in this state of waiting. */
void told_wait (Threads *t, const Lane *l, uint32_t state, int64_t since, int64_t until, uint64_t site);
/* It was so to the end; `on`: the task that was to let it go on, or TRACE_NONE. */
void told_left (Threads *t, const Lane *l, uint32_t state, int64_t since, uint64_t site, uint32_t on);
/* The state of who waits for the end of a thread. */
uint32_t told_joins (Threads *t, Lane *of);
/* Task `by` has let task `to` go on: a call of this kind at the place that was kept for it. */
void told_wake (Threads *t, unsigned kind, uint32_t by, int64_t sent, uint64_t place, uint32_t to, int64_t got,
                uint32_t object);
/* Who has a lock now. */
void told_holder (Threads *t, const Thing *thing, int64_t date);
void told_variable (Threads *t, const Thing *thing, unsigned variable, int64_t date, double value);
void told_deadlock (Threads *t, const Lane *l, int64_t date, const char *circle);
