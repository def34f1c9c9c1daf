/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - the calls that a task is inside of, and what they make of it: its state, and whom it communicates with.
 * Compiled into the loop over events. */
#pragma once
#include "simulators/pvm/pvm.h"

static inline bool
is_dead (const Task *t)
{
  return t->born && t->state == TASK_DEAD;
}

static inline __attribute__ ((always_inline)) void
set_state (Pvm *p, uint32_t node, Task *t, uint8_t state)
{
  uint8_t old = t->state;

  if (store_put_state (&p->store, STATE_NODE, node, NODE_STATE, &t->node.life, &t->state, t->spent, N_LIVE, state)) {
    store_visit (&p->store, node, N_LIVE, state);
    store_tell_state (&p->store, t->node.task, old, state);
  }
}

/* `several`: the record of the call, if it has more than one. */
static inline __attribute__ ((always_inline)) void
set_protagonist (Pvm *p, uint32_t node, Task *t, int32_t who, uint64_t several)
{
  int32_t old = t->protagonist;

  if (old == who && (who >= 0 || t->several == several))
    return;
  t->protagonist = who;
  t->several = several;
  t->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, NODE_PROTAGONISTS, old, who);
}

/* Of a call that does this. */
static inline __attribute__ ((always_inline)) int32_t
protagonist_of (const Call *c, uint8_t act)
{
  switch (act) {
  case ACT_MCAST:
  case ACT_BCAST:
    return -1;
  case ACT_SCATTER:
  case ACT_GATHER:
    if (c->flags & CALL_ROOT)
      return -1;
    return (int32_t) (c->peer + 1);
  case ACT_SEND:
  case ACT_RECEIVE:
    return (int32_t) (c->peer + 1); /* NONE + 1 is 0: nobody */
  default:
    return 0;
  }
}

static inline Call *
outer_call (Pvm *p, const Call *c)
{
  return c->outer != NONE ? &p->outer[c->outer] : NULL;
}

static inline Call *
first_call (Task *t)
{
  return t->call.act != ACT_NONE ? &t->call : NULL;
}

/* State and protagonists of a task as its calls say. */
void pvm_refresh (Pvm *p, uint32_t node);

/* The same when the innermost call has just begun, or ended: nearly always it alone decides. */
static inline __attribute__ ((always_inline)) void
refresh_innermost (Pvm *p, uint32_t node, Task *t, int32_t who)
{
  const Call *c = &t->call;
  bool none = c->act == ACT_NONE;

  if (G_UNLIKELY (t->state == TASK_DEAD))
    return;
  if (G_UNLIKELY (!none && c->state == STATE_KEPT)) {
    pvm_refresh (p, node);
    return;
  }
  set_state (p, node, t, none ? TASK_BUSY : c->state);
  set_protagonist (p, node, t, none ? 0 : who, none ? 0 : c->record);
}

/* Takes the call of an event off the stack, wherever it stands; false: it is not there. */
bool pvm_call_pop_any (Pvm *p, Task *t, const TraceEvent *e, Call *call);

static inline bool
pop_call (Pvm *p, Task *t, const TraceEvent *e, Call *call)
{
  const Call *c = &t->call;

  if (G_UNLIKELY (c->act == ACT_NONE || c->record != e->record || c->kind != e->kind || c->outer != NONE))
    return pvm_call_pop_any (p, t, e, call);
  *call = *c;
  t->call.act = ACT_NONE;
  return true;
}

/* The first part of a chain, taken off. */
Part pvm_part_take (Pvm *p, uint32_t *chain);
