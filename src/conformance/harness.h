/* SPDX-License-Identifier: Apache-2.0 */
/* harness.h - one component alone in a program: arrays in, arrays out.
 *
 * Every input that is fed has a source of its own, every output that is collected a sink of its own.  Sources
 * and sinks keep their place in their run state, so that a saved run goes on where it was, also in another
 * harness that was fed the same.  Engine thread only.
 *
 *   Harness *h = harness_new (eve_registry_find ("scope.gate"));
 *   harness_feed (h, "value", &eve_type_double, (double[]){ 1, 2, 3 }, 3);
 *   harness_collect (h, "out");
 *   harness_run (h);
 *   harness_send (h, "open", &eve_type_bool, &yes);         one datum to an async input, between two runs
 *   harness_run (h);
 *   const double *got = harness_collected (h, "out", &n);
 *   harness_free (h);
 */
#pragma once
#include "eve/eve-host.h"

typedef struct Harness Harness;

/* The component is called "tested".  Aborts with a message when the class cannot be added: see harness_try.
 */
Harness *harness_new (const EveClass *klass);
Harness *harness_try (const EveClass *klass, GError **error);
void harness_free (Harness *h);
EveProgram *harness_program (Harness *h);
EveComponent *harness_component (Harness *h);

/* Connects a source of `type` to an input, unless that is done already; false: the port refuses. */
bool harness_source (Harness *h, const char *in, const EveType *type, GError **error);
/* Appends n data of `type` to what the source of an input gives; data are copied, counted ones retained.
 * Aborts when the port refuses. */
void harness_feed (Harness *h, const char *in, const EveType *type, const void *data, size_t n);
/* Feeds one datum and runs until idle: so that an async input is driven at a given point. */
EveRun harness_send (Harness *h, const char *in, const EveType *type, const void *datum);
/* After what it was fed, the source of this input says that it has ended; NULL: all of them. */
void harness_end (Harness *h, const char *in);

/* Connects a sink to an output, of the type that the output has by now (so feed before you collect). */
void harness_collect (Harness *h, const char *out);
/* The same, but the sink chooses when it takes: no more than `most` data, -1: all.  (Because of that the engine works
 * datum by datum all the way to it, where it would go in bursts.) */
void harness_collect_at_most (Harness *h, const char *out, int64_t most);
/* The same as harness_collect(), but the sink takes what is told at rest too, until the program goes on. */
void harness_collect_present (Harness *h, const char *out);
void harness_collect_all (Harness *h);
/* What came since the beginning (or, in a harness into which a run was loaded, since then), as one array that
 * is good until the next run; *n data, the first of which was number harness_first. */
const void *harness_collected (Harness *h, const char *out, size_t *n);
uint64_t harness_first (Harness *h, const char *out);
const EveType *harness_collected_type (Harness *h, const char *out);
/* Another bound for a sink of harness_collect_at_most. */
void harness_limit (Harness *h, const char *out, int64_t most);

/* Aborts when the value is refused. */
void harness_set (Harness *h, const char *setting, const char *value);

/* Until idle, stalled or failed, in slices of the given length: < 0 unlimited, 0 round by round.  Gives
 * EVE_BUDGET when that takes more than harness_patience seconds, which never happens in unlimited runs. */
EveRun harness_run (Harness *h);
EveRun harness_run_in (Harness *h, int64_t slice_ns);
/* Slices of random length, rounds among them. */
EveRun harness_run_random (Harness *h, GRand *rand);
extern double harness_patience;

/* Sentence on the first difference between what two harnesses collected, to g_free; NULL: none.  Where one
 * began later (a run was loaded), what both have is compared, and that both end at the same number. */
char *harness_difference (Harness *a, Harness *b);
/* Whether a datum of program p and one of program q are the same: by what `save` makes of them, else by bytes, or for
 * counted references without it by what `print` says. */
bool harness_same (const EveType *type, EveProgram *p, const void *a, EveProgram *q, const void *b);

/* The same class without its fire_span and on_span and with its calls watched: told a sentence, once, when a call emits
 * more than it may or says that it has more and gives nothing.  Must outlive its components. */
typedef struct HarnessWatch HarnessWatch;
HarnessWatch *harness_watch (const EveClass *klass, void (*told) (void *arg, const char *sentence), void *arg);
const EveClass *harness_watch_class (const HarnessWatch *w);
void harness_watch_free (HarnessWatch *w);
