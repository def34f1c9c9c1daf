/* SPDX-License-Identifier: Apache-2.0 */
/* early.h - which message a receive is of: the one rule of all who match sends with receives (decisions/clocks.md).
 *
 * Messages wait in queues: those of a sender, a receiver, a tag, and the group in which they are sent where the trace
 * tells that of all messages.  The n-th receive of a queue is of its n-th send, be it dated before it, as clocks
 * differ.  But where receives alone are left when each takes the first that was sent before it, sends were lost: then a
 * receive that finds nothing is of nobody, and those behind it have their own.  And where the trace was cut out of a
 * run, the first m receives are of sends before the cut, and the n-th send is of the receive m behind it.  Which of
 * these a queue is, early-judge.c says: by the sizes of messages, by how even their ways are, by clocks that cannot be,
 * and where nothing tells, by which ways are shorter. */
#pragma once
#include "readers/event.h"

typedef struct TraceQueue {
  uint32_t from, to, object; /* tasks; the group, or TRACE_NONE */
  int32_t tag;               /* or -1 */
} TraceQueue;

static inline bool
trace_queue_is (const TraceQueue *a, const TraceQueue *b)
{
  return a->from == b->from && a->to == b->to && a->object == b->object && a->tag == b->tag;
}

/* How a source tells messages apart. */
typedef struct TraceQueues {
  bool by_group;
  uint32_t n_kinds;
  uint8_t *tags; /* by kind: its events have a tag, or a key; another one's tag is a thread, or nothing */
} TraceQueues;
TRACE_API void trace_queues_bind (TraceQueues *q, const TraceSource *s);
TRACE_API void trace_queues_clear (TraceQueues *q);
static inline TraceQueue
trace_queue (const TraceQueues *q, const TraceEvent *e, uint32_t from, uint32_t to)
{
  bool tags = e->kind < q->n_kinds && q->tags[e->kind];

  return (TraceQueue){ from, to, tags && q->by_group ? e->object : TRACE_NONE, tags ? e->tag : -1 };
}

#define TRACE_NEVER_SENT INT64_MIN
typedef struct TraceEarly { /* a receive that is dated before its send, or whose send is not in the trace */
  uint64_t number;          /* of the event at which it has received */
  int64_t sent;             /* ticks of the trace; TRACE_NEVER_SENT: it is of nobody, whatever waits to be received */
} TraceEarly;
/* How messages of a trace were matched that could be read in two ways. */
typedef struct TraceMatched {
  uint32_t cut;    /* queues whose first receives are of sends before recording began, */
  uint32_t untold; /* and queues of which nothing tells whether they are so or clocks differ */
} TraceMatched;
/* A remark on the trace for each that there is. */
void trace_matched_tell (TraceSource *s, const TraceMatched *m);

/* Whether a source knows which these are; another one, as one that grows, does not. */
static inline bool
trace_knows_early (const TraceSource *s)
{
  return s->early != NULL;
}
/* Whether a receive is one, and when it is sent, nanoseconds; `sent` may be NULL.  Cheap where there are none. */
TRACE_API bool trace_is_early (const TraceSource *s, const TraceEvent *receive, int64_t *sent);
/* Whether a receive is of nobody although messages of its queue wait.  As cheap. */
TRACE_API bool trace_has_no_send (const TraceSource *s, const TraceEvent *receive);

/* Finds them, from all events of a trace in order of date; one thread at a time. */
typedef struct TraceEarlyFinder TraceEarlyFinder;
TraceEarlyFinder *trace_early_finder_new (const TraceSource *s);
/* `number`: that the event has among all. */
void trace_early_finder_event (TraceEarlyFinder *f, const TraceEvent *e, uint64_t number);
/* The same while kinds are still added: one that knows none yet, and is told each before the first event of it, by the
 * thread that adds them.  The other functions may be called by another one, which has that event from it. */
TraceEarlyFinder *trace_early_finder_growing (void);
void trace_early_finder_kind (TraceEarlyFinder *f, uint32_t i, const TraceKind *k);
/* By kind: 0 of those that it need not see. */
const uint8_t *trace_early_finder_wants (const TraceEarlyFinder *f);
/* Whether what it has found is what one would have that had known all kinds from the beginning, and all events.  Not if
 * there were messages to several at once, whose list it could not read yet, or messages that are to be judged. */
bool trace_early_finder_holds (TraceEarlyFinder *f, const TraceSource *s);
/* After the last event.  True: all events have to be given once more, from the first one (once, no more). */
bool trace_early_finder_again (TraceEarlyFinder *f);
/* Frees it, after trace_early_finder_again(), and gives the receives in order of their numbers, of TraceEarly; never
 * NULL.  More than two million that find nothing sent, or of more than a million queues, are taken for messages of
 * nobody. */
GArray *trace_early_finder_free (TraceEarlyFinder *f, TraceMatched *matched);
/* The one with a number, or NULL; not all are early. */
const TraceEarly *trace_early_find (const GArray *early, uint64_t number);
