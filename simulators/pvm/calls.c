/* SPDX-License-Identifier: Apache-2.0 */
#include "simulators/pvm/calls.h"

const Call *
pvm_deciding_call (const Pvm *p, const Task *t)
{
  const Call *c = t->call.act != ACT_NONE ? &t->call : NULL;

  while (c != NULL && c->state == STATE_KEPT)
    c = c->outer != NONE ? &p->outer[c->outer] : NULL;
  return c;
}

void
pvm_refresh (Pvm *p, uint32_t node)
{
  Task *t = task_at (p, node);
  const Call *c;

  if (G_UNLIKELY (t->state == TASK_DEAD))
    return;
  c = pvm_deciding_call (p, t);
  set_state (p, node, t, c != NULL ? c->state : TASK_BUSY);
  set_protagonist (p, node, t, c != NULL ? protagonist_of (c, c->act) : 0, c != NULL ? c->record : 0);
}

uint32_t
pvm_call_push (Pvm *p, Task *t)
{
  uint32_t at = p->free_outer;

  if (at != NONE) {
    p->free_outer = p->outer[at].outer;
  } else {
    at = p->n_outer++;
    p->outer = state_room (p->outer, at, &p->outer_room, sizeof *p->outer);
  }
  p->outer[at] = t->call;
  t->depth++;
  return at;
}

/* Ends of one date may come in any order. */
bool
pvm_call_pop_any (Pvm *p, Task *t, const TraceEvent *e, Call *call)
{
  Call *c = first_call (t), *inner = NULL;
  uint32_t at;

  while (c != NULL && (c->record != e->record || c->kind != e->kind)) {
    inner = c;
    c = outer_call (p, c);
  }
  if (G_UNLIKELY (c == NULL))
    return false;
  *call = *c;
  at = call->outer;
  if (inner != NULL) {
    uint32_t mine = inner->outer;
    inner->outer = at;
    at = mine;
  } else if (G_LIKELY (at == NONE)) {
    t->call.act = ACT_NONE;
    return true;
  } else {
    t->call = p->outer[at];
  }
  p->outer[at].outer = p->free_outer;
  p->free_outer = at;
  t->depth--;
  return true;
}

uint32_t
pvm_part_add (Pvm *p, Call *c, uint32_t last, uint32_t who, uint8_t flags)
{
  uint32_t at = p->free_part;

  if (at != NONE) {
    p->free_part = p->parts[at].next;
  } else {
    at = p->n_parts++;
    p->parts = state_room (p->parts, at, &p->parts_room, sizeof *p->parts);
  }
  p->parts[at] = (Part){ .who = who, .next = NONE, .flags = flags };
  *(last != NONE ? &p->parts[last].next : &c->parts) = at;
  return at;
}

Part
pvm_part_take (Pvm *p, uint32_t *chain)
{
  uint32_t at = *chain;
  const Part part = p->parts[at];

  *chain = part.next;
  p->parts[at].next = p->free_part;
  p->free_part = at;
  return part;
}
