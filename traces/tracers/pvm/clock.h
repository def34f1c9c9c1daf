/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the local clock of a tracer, and the name of what it is shared by.  Any thread. */
#ifndef TAPE_CLOCK_H
#define TAPE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_ENV_SKEW "TAPE_PVM_SKEW" /* for tests: HOSTNAME:OFFSET_NS:DRIFT_PPM,... */

int64_t tape_now (void);                         /* nanoseconds: monotonic, with the skew of a test */
void tape_clock_init (void);                     /* reads the skew; not needed without one */
void tape_clock_domain (char *out, size_t size); /* processes with the same words here share one clock; size >= 96 */

#endif
