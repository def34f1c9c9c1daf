/* SPDX-License-Identifier: Apache-2.0 */
/* conformance.h - what every component must do, whatever it computes: checked on each of them by `make
 * check`, and by `scope check x.so` on one that somebody is writing.
 *
 * Random data of the ports' types (EveType.sample) go through the component at full speed, in slices, round
 * by round, without its fire_span, from checkpoints and after a reset: outputs and run state must be the
 * same; it goes on beyond the 10,000th firing, and leaves descriptors as they were.  A component that crashes takes the
 * process with it; the report, written before each check, then tells which check it was.  Engine thread only. */
#pragma once
#include <stdio.h>
#include "eve/eve-host.h"

/* Appends a sentence (char *, to g_free) a problem; true if there is none.  `report` gets a line a check, or
 * NULL. */
bool conformance_check (const EveClass *klass, FILE *report, GPtrArray *problems);
/* Loads a shared object and checks all of its classes. */
bool conformance_check_file (const char *path, FILE *report, GPtrArray *problems);

/* Loads a shared object as a program would that uses it: reads its tables, makes one of each class, sets each setting
 * to what it is, asks the usual questions, frees it.  For what must not end the process that does: where an object is
 * only refused, that is told when it is loaded. */
void conformance_try_file (const char *path);
/* Told before each check begins; NULL: nobody. */
void conformance_set_told (void (*begins) (const char *check));

/* The bundle that components with a setting `trace` read, copied; NULL, at first: what needs a trace is not
 * run. */
void conformance_set_trace (const char *bundle);
/* What inputs of a type get, one after the other and from the beginning again, in the place of samples; kept by the
 * caller, as is what it speaks of.  NULL, at first: samples. */
void conformance_set_data (const EveType *type, const void *data, size_t n);
/* The same seed, the same data and places.  In the report and in each problem that comes from a run. */
void conformance_set_seed (uint32_t seed);
/* Gives how many allocations this thread made (harness_allocations); without it they are not checked. */
void conformance_set_allocations (uint64_t (*count) (void));
