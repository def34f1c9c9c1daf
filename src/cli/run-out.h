/* SPDX-License-Identifier: Apache-2.0 */
/* run-out.h - what `scope run` does beside running: obeys what components command, and draws the views. */
#pragma once
#include "cli/cli.h"

typedef struct RunOut RunOut;
/* From here on commands of components are heard, and, with a folder `out`, the histories of views recorded. */
RunOut *run_out_new (Session *s, const char *out);
void run_out_free (RunOut *r);
/* After the program came to rest: does what could not be done inside a firing (checkpoints, travel).  True: go on, to
 * *until if that is not INT64_MAX; false: the run is over. */
bool run_out_more (RunOut *r, int64_t *until);
/* A component has ordered a part that the program has not been given yet, at which the run has paused (extend.h): it is
 * added, and told of, and all begins again.  False: nothing of the kind. */
bool run_out_extend (RunOut *r);
/* A component has paused or stopped the program: it stands where the readers do, before it came to `until`. */
bool run_out_paused (const RunOut *r);
/* The program stands at the instant `at`, and goes on from there: draws those views that are of an instant. */
void run_out_instant (RunOut *r, int64_t at);
/* Tells what was commanded, writes marks, and with `pictures` draws the views into the folder, as of the instant `at`,
 * unless run_out_instant() has: then those of the whole execution, with the cursor there.
 * False: something that was to be kept could not be written, which was told. */
bool run_out_end (RunOut *r, int64_t at, bool pictures);
/* Removes the checkpoints that components of an earlier run saved into the folder. */
void run_out_forget_saved (const char *out);
