/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - inside the preloaded library: receives that get what they got in a recorded run (replay.c). */
#ifndef TAPE_REPLAY_H
#define TAPE_REPLAY_H

#include <stdbool.h>

extern bool tape_replays; /* there is an order to keep; false costs a test of it */

void replay_open (void); /* once, when the library is loaded */

/* In the place of PVM's own, called inside the span of the program's call.  Of a call that comes otherwise than it was
 * recorded they call PVM's own. */
int replay_receive (unsigned kind, int tid, int tag, struct timeval *wait);
int replay_precv (int tid, int tag, void *data, int count, int type, int *from, int *what, int *length);
int replay_probe (int tid, int tag);
int replay_join (char *group);
void replay_matcher (void); /* the program brings its own matching */

/* Around pvm_spawn: children are who they were. */
void replay_before_spawn (void);
void replay_after_spawn (const int *tids, int n);

#endif
