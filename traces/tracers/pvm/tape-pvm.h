/* SPDX-License-Identifier: Apache-2.0 */
/* tape-pvm.h - inside the command: a run, its tasks and clocks, and what its parts do in turn. */
#ifndef TAPE_PVM_H
#define TAPE_PVM_H

#include "../command.h"
#include "local.h"

#include <stdio.h>
#include <sys/types.h>

/* The clock of one host against that of tape-pvm: two measures, a line between them. */
typedef struct TapeClock {
  char domain[96];
  bool known;                  /* measured at least once, or the clock of tape-pvm itself */
  bool own;                    /* the clock of tape-pvm */
  int n;                       /* measures */
  int64_t at[2];               /* when, our clock */
  int64_t offset[2], error[2]; /* theirs minus ours, and half the width of what is possible */
} TapeClock;

typedef struct TapePoint { /* from local date `at` on, the task is moved to `to` (causal.c) */
  int64_t at, to;
} TapePoint;

typedef struct TapeModule {
  uint64_t begin, end, offset;
  int file; /* number in sites.c, -1: none */
} TapeModule;

typedef struct TapeTask {
  const uint8_t *map;
  size_t size;
  const TapeHeader *h;
  int clock;
  int64_t died; /* our clock; 0: nobody saw it */
  TapePoint *point;
  int n_points, room_points;
  TapeModule *module;
  int n_modules;
} TapeTask;

typedef struct TapeHost {
  int dtid, agent; /* agent 0: none */
  char name[72], arch[24];
  int speed;
  int clock;                /* -1: not known */
  bool shares_files, asked; /* asked: its agent was tried */
} TapeHost;

typedef struct TapeDeath {
  int tid;
  int64_t at;
} TapeDeath;

typedef struct TapeRun {
  /* what was asked */
  const char *bundle;
  char name[256]; /* of the bundle, without .trace */
  char **argv;
  const char *events;
  bool mask[TAPE_KIND_MAX];
  double timeout_s;
  bool anonymous, quiet, live;
  double sample_hz;   /* how often the system is asked of the processes; 0: never */
  const char *replay; /* a trace whose order of messages this run is to keep; NULL: none */

  struct TapeOrder *order;   /* of `replay` (order.h) */
  char dir[256], marker[64]; /* local files, and what tells the folder from another of the same name */
  TapeHost *host;
  int n_hosts;
  TapeClock *clock;
  int n_clocks;
  TapeDeath *known; /* tasks that said hello; at 0: alive */
  int n_known;
  TapeTask *task;
  int n_tasks;
  int64_t began, ended; /* our clock */

  /* what came of it */
  int64_t origin;
  long long n_events, n_calls, n_unfinished, n_moved, cost_ps;
  long long n_samples;
  int64_t most_moved, lived_ns;
  int status;
  bool timed_out, interrupted;
} TapeRun;

/* machine.c: the virtual machine.  All return false after having said why. */
bool machine_open (TapeRun *run); /* finds a running PVM or starts one */
bool machine_run (TapeRun *run);  /* runs the program until all its tasks are gone */
void machine_close (TapeRun *run);
TapeHost *machine_host_of (TapeRun *run, int tid); /* NULL if it was never seen */

/* estimate.c: the clocks of other hosts */
int tape_clock_number (TapeRun *run, const char *domain);
void estimate_host (TapeRun *run, TapeHost *host); /* spawns the agent the first time; then measures again */
void estimate_collect (TapeRun *run);              /* last measures, files of other hosts, end of the agents */
int agent_main (int argc, char **argv);
int64_t tape_to_ours (const TapeClock *clock, int64_t theirs);

/* local.c: reading what the tasks wrote */
bool local_open (TapeRun *run);
void local_close (TapeRun *run);
const TapeRecord *local_next (const TapeTask *task, size_t *at);              /* *at 0: the first; NULL: no more */
int64_t local_date (const TapeRun *run, const TapeTask *task, int64_t local); /* global and causal, from the origin */
void local_modules (TapeTask *task, const TapeRecord *r);                     /* what its first record tells */
int local_find (const TapeRun *run, int tid);                                 /* index, or -1 */

/* A small map from 64-bit keys to numbers, for channels and sites. */
typedef struct TapeMap {
  uint64_t *key;
  int *value;
  unsigned size, used;
} TapeMap;
int *map_at (TapeMap *map, uint64_t key); /* new ones are -1; the address holds until the next map_at */
void map_clear (TapeMap *map);

/* A heap of indices by date; at one date the lower index comes first. */
typedef struct TapeHeap {
  struct {
    int64_t date;
    int index;
  } * item;
  int n, room;
} TapeHeap;
void heap_push (TapeHeap *heap, int64_t date, int index);
int heap_pop (TapeHeap *heap);

void causal_repair (TapeRun *run);                            /* causal.c: no message before it was sent */
bool merge_write (TapeRun *run);                              /* merge.c: the file `events` */
void tape_put_word (FILE *out, const char *s, size_t length); /* a blank, then a word of the format */
int site_file (const char *path);                             /* sites.c: the number of an executable file */
int site_number (int file, uint64_t offset);                  /* 0: unknown */
bool sites_write (TapeRun *run);
void sites_write_more (TapeRun *run); /* those that are new, behind the others */
bool notes_write (TapeRun *run);      /* notes.c: doc/README.md of the bundle */

/* sample.c: what the system says of the processes */
bool sample_open (TapeRun *run);
void sample_close (void);
void sample_watch (TapeRun *run, int tid, int pid); /* from now on */
void sample_step (TapeRun *run);                    /* looks, if it is time to */
int sample_wait_ms (int most);                      /* until it is time again */

/* order.c: a run under the order of messages of another */
bool order_read (TapeRun *run); /* false after having said why */
bool order_tell (TapeRun *run); /* after the run; false: it went another way somewhere, which was said */

/* live.c: the bundle grows while the program runs. */
bool live_begin (TapeRun *run);
void live_step (TapeRun *run, bool last); /* writes what is there by now; often enough every 100 ms */
bool live_end (TapeRun *run);             /* false: all is to be written again, as it can be now */
void live_close (TapeRun *run);
void live_discard (TapeRun *run);
void live_say_ended (void); /* to whoever follows: all of it is there */

/* Opens NAME.trace/FOLDER/FILE for writing. */
FILE *bundle_create (TapeRun *run, const char *folder, const char *file);

#endif
