/* SPDX-License-Identifier: Apache-2.0 */
/* counted.h - what a program counts of a range of dates alone (readers/counted.h): charts of an instant that follow the
 * range which a person drags.
 *
 * It takes a session of its own, which stands at the end of the range then, at rest: the other, with its present, its
 * film and what it was told, does not know of it.  Engine thread only. */
#pragma once
#include "session/session.h"

/* Whether what a view shows of an instant is counted by components that can count a range alone. */
bool counted_shows (EveComponent *view);

typedef struct Counted Counted;
/* Of a session that is used for nothing else, and must outlive it. */
Counted *counted_new (Session *s);
void counted_free (Counted *c); /* NULL: nothing */
/* What is dated from..to, both counted; nothing runs yet. */
void counted_begin (Counted *c, int64_t from, int64_t to);
/* Runs a slice.  1: there is more to do, 0: the session rests at the end of the range, -1: failed, with a sentence. */
int counted_go_on (Counted *c, int64_t budget_ns, GError **error);
/* The same until it is there; false with a sentence, also when the progress, which may be NULL, said stop. */
bool counted_go (Counted *c, const TraceProgress *progress, GError **error);
double counted_share (const Counted *c); /* of the way, 0..1, about */
