/* SPDX-License-Identifier: Apache-2.0 */
/* merge.h - from the records of tasks to the lines of the bundle: at the end (merge.c), or while the program runs
 * (live.c). */
#ifndef TAPE_MERGE_H
#define TAPE_MERGE_H

#include "tape-pvm.h"

typedef struct Cursor {
  size_t at;
  const TapeRecord *r;
  enum { ENROLL, RECORDS, DEATH, GONE } stage;
  int64_t date, last, last_end; /* of what comes next; of what came */
} Cursor;

typedef struct Join {
  int64_t date;
  int tid, instance;
  char *group;
} Join;

typedef struct Merge {
  TapeRun *run;
  FILE *out;
  Cursor *cursor; /* of each task */
  TapeHeap heap;
  Join *join;
  int n_joins;
  TapeMap sites;
  int64_t sampled; /* date of the last sample that was written */
} Merge;

void merge_clear (Merge *m); /* but for `out` */
/* Lines for task i, dated as its cursor says: its birth; its record `r`; its end, when it has written none. */
void merge_put_enroll (Merge *m, int i);
void merge_put_record (Merge *m, int i, int64_t duration); /* as it is to be written */
void merge_put_exit (Merge *m, int i);
/* How long the call of a record took that began, as written, at `begin`; -1: it has not ended. */
int64_t merge_duration (const Merge *m, int i, const TapeRecord *r, int64_t begin);
/* sample.c: lines for the samples dated until then. */
void sample_put (Merge *merge, int64_t until);
void sample_rewind (void); /* all of them again */
/* A task that has joined a group may be the root of collectives. */
void merge_note_join (Merge *m, int i, const TapeRecord *r);

#endif
