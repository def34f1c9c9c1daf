/* SPDX-License-Identifier: Apache-2.0 */
/* simulator.h - what simulators share beside the graph they show: what an event changed, on its way out; time spent in
 * states; run state, which may be anything when it is read.  component.h is the frame of their components.  Engine
 * thread only. */
#pragma once
#include <string.h>

#include "simulators/state.h"

#define NONE UINT32_MAX

/* Sums that hostile run state must not turn into undefined behaviour. */
static inline int64_t
plus (int64_t a, int64_t b)
{
  return (int64_t) ((uint64_t) a + (uint64_t) b);
}

static inline int64_t
minus (int64_t a, int64_t b)
{
  return (int64_t) ((uint64_t) a - (uint64_t) b);
}

/* Room for one more in an array of `room` of `size` bytes; doubled when full. */
static inline void *
state_room (void *array, uint32_t n, uint32_t *room, size_t size)
{
  if (G_LIKELY (n < *room))
    return array;
  *room = *room == 0 ? 64 : *room * 2;
  return g_realloc_n (array, *room, size);
}

/* Adds the ticks that an object spent until `at`: past[i] in state i up to `since`, in state `now` from then on. States
 * from n_live on do not count. */
static inline void
state_add_spent (const int64_t *past, uint32_t n_live, uint32_t now, int64_t since, uint32_t state, int64_t at,
                 int64_t *in_state, int64_t *total)
{
  int64_t running = now < n_live && at > since ? minus (at, since) : 0;

  for (uint32_t i = 0; i < n_live; i++)
    *total = plus (*total, plus (past[i], now == i ? running : 0));
  if (state < n_live)
    *in_state = plus (*in_state, plus (past[state], now == state ? running : 0));
}

/* No nodes, no edges, nothing simulated; who keeps them frees them. */
TRACE_API void state_reset_graph (StateGraph *g);

/* ---- what an event changed, on its way out --------------------------------------------------------------------------- */
typedef struct StateList {
  void *data;            /* StateChange, or StateMessage; g_free */
  uint32_t n, room, out; /* `out` of them have gone out */
} StateList;

typedef struct StateOutbox {
  StateList changes;
  StateList states; /* the same for those who want states of tasks alone */
  StateList messages;
  StateList frames;    /* of tasks whose states nest */
  bool halfway;        /* the event at hand was simulated, and not all of this has gone out */
  StateKeeper *keeper; /* in this firing states go there; NULL: into `states` */
  StateKeeper nothing; /* where they go when nobody keeps them */
  uint32_t n_kept;     /* have gone there in this firing, the last of them: */
  uint32_t task;
  int64_t date, old;
  uint32_t state;
} StateOutbox;

static inline void *
outbox_add (StateList *l, size_t size)
{
  l->data = state_room (l->data, l->n, &l->room, size);
  return (char *) l->data + size * l->n++;
}

/* A task of the trace takes another state, for those who want these alone; old -1: it came into being. */
static inline __attribute__ ((always_inline)) void
outbox_state (StateOutbox *t, const StateChange *c)
{
  if (G_UNLIKELY (t->keeper == NULL)) {
    *(StateChange *) outbox_add (&t->states, sizeof *c) = *c;
    return;
  }
  state_keeper_put (t->keeper, c->object, c->date, (uint32_t) c->new_value);
  t->n_kept++;
  t->task = c->object;
  t->date = c->date;
  t->old = c->old_value;
  t->state = (uint32_t) c->new_value;
}

/* For the `put` of who keeps nothing. */
TRACE_API void outbox_keep_nothing (StateKeeper *self, uint32_t task, int64_t date, uint32_t state);
/* Nothing waits; room is kept. */
static inline void
outbox_clear (StateOutbox *t)
{
  t->changes.n = t->changes.out = t->states.n = t->states.out = t->messages.n = t->messages.out = 0;
  t->frames.n = t->frames.out = 0;
  t->halfway = false;
}
/* How many things wait in it. */
static inline uint32_t
outbox_n (const StateOutbox *t)
{
  return t->changes.n + t->states.n + t->messages.n + t->frames.n;
}

TRACE_API void outbox_free (StateOutbox *t);
TRACE_API void outbox_save (const StateOutbox *t, EveBlob *to);
/* Into one that is clear; *ok turns false if this is nothing of such a graph, whose trace has n_tasks tasks. */
TRACE_API void outbox_load (StateOutbox *t, const StateGraph *g, uint32_t n_tasks, EveBlobView *from, bool *ok);
/* The frames of it, which only models have whose states nest. */
TRACE_API void outbox_save_frames (const StateOutbox *t, EveBlob *to);
TRACE_API void outbox_load_frames (StateOutbox *t, const StateGraph *g, EveBlobView *from, bool *ok);

/* ---- run state --------------------------------------------------------------------------------------------------------- */
/* A number in [low, high], or the view's end: *ok turns false and stays so. */
static inline int64_t
state_get (EveBlobView *b, int64_t low, int64_t high, bool *ok)
{
  int64_t v = eve_get_int (b);

  if (v < low || v > high || !eve_get_ok (b))
    *ok = false;
  return *ok ? v : low;
}

/* An index, or NONE. */
static inline void
state_put_index (EveBlob *b, uint32_t i)
{
  eve_put_int (b, i == NONE ? -1 : (int64_t) i);
}

static inline uint32_t
state_get_index (EveBlobView *b, bool *ok)
{
  int64_t v = state_get (b, -1, (int64_t) UINT32_MAX - 1, ok);

  return v < 0 ? NONE : (uint32_t) v;
}

static inline void
state_get_spent (EveBlobView *b, int64_t *spent, size_t n_live, bool *ok)
{
  if (eve_get_ints (b, spent, n_live) != n_live)
    *ok = false;
}

/* Clock and counts, and what was impossible; not the nodes and edges. */
TRACE_API void state_save_graph (const StateGraph *g, EveBlob *to);
TRACE_API void state_load_graph (StateGraph *g, EveBlobView *from, bool *ok);
