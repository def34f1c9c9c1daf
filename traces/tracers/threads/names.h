/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - what the addresses in the files of the threads are: lines of the program's source, variables. */
#ifndef TAPE_THREADS_NAMES_H
#define TAPE_THREADS_NAMES_H

#include <glib.h>
#include <stdbool.h>

typedef struct RunTold { /* of a run, for a person */
  guint64 n_takes, n_waits, n_missed, n_records;
  guint n_threads, n_processes, n_lost, n_not_done;
  double seconds;
} RunTold;

/* Reads the files that the threads have left in `folder`, cuts what is unused behind their ends, and writes the file
 * `names` beside them; `lines`: with what has to be looked up in the program's files.  False, after having said why. */
bool names_write (const char *folder, bool lines, bool anonymous, RunTold *told);

#endif
