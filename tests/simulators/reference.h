/* SPDX-License-Identifier: Apache-2.0 */
/* reference.h - a second simulator of PVM, slow and plain: what is on a link and who is in which call are lists, and
 * the state of everything is worked out anew after each event.  Rules: simulators/pvm/README.md.
 *
 * It knows the events of a Fake, and only programs in which a task makes one receive at a time. */
#pragma once
#include "fake.h"

typedef struct Reference Reference;

Reference *reference_new (Fake *f);
void reference_free (Reference *r);
void reference_step (Reference *r, const TraceEvent *e);
uint64_t reference_impossible (const Reference *r);
/* Every attribute of every task and link at `at`, a line each, sorted; g_free. */
char *reference_text (const Reference *r, int64_t at);
