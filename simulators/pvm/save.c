/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - what the simulator knows beside its store, as typed values.
 *
 * What is written depends on the state alone, not on the history of tables and pools: the same state gives the same
 * bytes.  What is read may be anything: every number is checked before it is used, and nothing is allocated for
 * more than the bytes that are there. */
#include "simulators/pvm/pvm.h"

/* ---- writing ------------------------------------------------------------------------------------------------- */

static void
pvm_save_put_call (const Pvm *p, const Call *c, EveBlob *to)
{
  uint32_t n = 0;

  eve_put_int (to, c->act);
  eve_put_int (to, c->state);
  eve_put_int (to, c->flags);
  eve_put_int (to, c->kind);
  eve_put_int (to, (int64_t) c->record);
  eve_put_int (to, c->tag);
  state_put_index (to, c->link);
  state_put_index (to, c->peer);
  state_put_index (to, c->group);
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next)
    n++;
  eve_put_int (to, n);
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next) {
    eve_put_int (to, p->parts[at].who);
    eve_put_int (to, p->parts[at].flags);
  }
}

static void
pvm_save_put_task (const Pvm *p, const Task *t, EveBlob *to)
{
  uint32_t n = 0;
  const Call *first = t->call.act != ACT_NONE ? &t->call : NULL;

  eve_put_int (to, t->born);
  eve_put_int (to, t->protagonist);
  for (const Call *c = first; c != NULL; c = c->outer != NONE ? &p->outer[c->outer] : NULL)
    n++;
  eve_put_int (to, n);
  for (const Call *c = first; c != NULL; c = c->outer != NONE ? &p->outer[c->outer] : NULL)
    pvm_save_put_call (p, c, to);
}

static void
pvm_save_put_link (const Link *l, EveBlob *to)
{
  eve_put_int (to, l->taking);
  eve_put_int (to, l->taking == TAKING_WAITS ? l->taking_tag : 0);
  eve_put_int (to, l->taking == TAKING_HAS ? l->taking_size : 0);
  eve_put_int (to, l->taking == TAKING_HAS ? l->taking_sent : 0);
}

static void
pvm_save_put_groups (const Pvm *p, EveBlob *to)
{
  uint32_t n = 0;

  for (guint i = 0; i < p->groups->len; i++)
    n += g_array_index (p->groups, Group, i).n > 0;
  eve_put_int (to, n);
  for (guint i = 0; i < p->groups->len; i++) {
    const Group *group = &g_array_index (p->groups, Group, i);
    if (group->n == 0)
      continue;
    eve_put_int (to, i);
    eve_put_int (to, group->n);
    for (uint32_t at = group->first; at != NONE; at = p->members[at].after)
      eve_put_int (to, p->members[at].node);
  }
}

void
pvm_save (const Pvm *p, EveBlob *to)
{
  store_save (&p->store, to);
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    pvm_save_put_task (p, task_at (p, i), to);
  for (uint32_t i = 0; i < p->store.graph.n_edges; i++)
    pvm_save_put_link (link_at (p, i), to);
  pvm_save_put_groups (p, to);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static Call
pvm_save_get_call (Pvm *p, EveBlobView *b, bool *ok)
{
  Call c = { .act = (uint8_t) state_get (b, ACT_NONE + 1, N_ACTS - 1, ok), .parts = NONE, .outer = NONE };
  uint32_t last = NONE;

  c.state = (uint8_t) state_get (b, 0, STATE_KEPT, ok);
  if (c.state > TASK_TALKING && c.state != STATE_KEPT)
    *ok = false;
  c.flags = (uint8_t) state_get (b, 0, CALL_DROPPED * 2 - 1, ok);
  c.kind = (uint16_t) state_get (b, 0, UINT16_MAX, ok);
  c.record = (uint64_t) eve_get_int (b);
  c.tag = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);
  c.link = state_get_index (b, ok);
  c.peer = state_get_index (b, ok);
  c.group = state_get_index (b, ok);
  for (int64_t n = state_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    uint32_t who = state_get_index (b, ok);
    last = pvm_part_add (p, &c, last, who, (uint8_t) state_get (b, 0, CALL_DROPPED - 1, ok));
  }
  return c;
}

static void
pvm_save_get_task (Pvm *p, uint32_t node, EveBlobView *b, bool *ok)
{
  Task *t = task_at (p, node);
  uint32_t at = NONE;

  t->call.outer = t->last_group = NONE;
  t->born = state_get (b, 0, 1, ok);
  t->protagonist = (int32_t) state_get (b, -1, INT32_MAX, ok);
  int64_t n = state_get (b, 0, CALLS_MAX + 1, ok);
  if (n > 0 && *ok)
    t->call = pvm_save_get_call (p, b, ok);
  for (n--; n > 0 && *ok; n--) {
    Task scratch = { .call = pvm_save_get_call (p, b, ok) };
    uint32_t outer = pvm_call_push (p, &scratch);
    t->depth++;
    if (at == NONE)
      t->call.outer = outer;
    else
      p->outer[at].outer = outer;
    at = outer;
  }
  if (t->node.task == NONE || (!t->born && (t->state != TASK_DEAD || t->call.act != ACT_NONE)))
    *ok = false;
}

static void
pvm_save_get_link (Pvm *p, uint32_t link, EveBlobView *b, bool *ok)
{
  Link *l = link_at (p, link);

  l->taking = (uint8_t) state_get (b, 0, TAKING_HAS, ok);
  l->taking_tag = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);
  l->taking_size = state_get (b, 0, STORE_MOST_BYTES, ok);
  l->taking_sent = eve_get_int (b);
}

static void
get_group (Pvm *p, EveBlobView *b, bool *ok)
{
  uint32_t object = (uint32_t) state_get (b, 0, 1 << 24, ok);

  if (!*ok || (object < p->groups->len && g_array_index (p->groups, Group, object).n > 0)) {
    *ok = false;
    return;
  }
  Group *group = pvm_group_make (p, object);
  for (int64_t n = state_get (b, 0, p->store.graph.n_nodes, ok); n > 0 && *ok; n--) {
    uint32_t node = (uint32_t) state_get (b, 0, (int64_t) p->store.graph.n_nodes - 1, ok);
    *ok = *ok && pvm_group_join (p, group, object, node);
  }
}

/* What calls say of links and nodes can be checked when all are there. */
static bool
call_fits (const Pvm *p, const Call *c)
{
  bool takes = c->act == ACT_RECEIVE || c->act == ACT_SCATTER;
  bool sends = c->act == ACT_BCAST || c->act == ACT_SCATTER;

  if ((c->peer != NONE && c->peer >= p->store.graph.n_nodes) || (c->link != NONE && c->link >= p->store.graph.n_edges)
      || (c->flags & (CALL_TAKER | CALL_USES) && c->link == NONE)
      || (c->flags & CALL_GETS && (c->peer == NONE || !takes)) || (c->parts != NONE && c->act != ACT_GATHER && !sends))
    return false;
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next)
    if (p->parts[at].who >= (sends ? p->store.graph.n_nodes : p->store.graph.n_edges))
      return false;
  return true;
}

static bool
tasks_fit (Pvm *p)
{
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++) {
    Task *t = task_at (p, i);
    const Call *deciding = pvm_deciding_call (p, t);
    t->several = deciding != NULL ? deciding->record : 0;
    if (t->protagonist > 0 && (uint32_t) t->protagonist > p->store.graph.n_nodes)
      return false;
    for (const Call *c = t->call.act != ACT_NONE ? &t->call : NULL; c != NULL;
         c = c->outer != NONE ? &p->outer[c->outer] : NULL) {
      if (!call_fits (p, c))
        return false;
      t->n_phases += c->act == ACT_PHASE;
    }
  }
  return true;
}

bool
pvm_load (Pvm *p, EveBlobView *from)
{
  bool ok = store_load (&p->store, from);

  for (uint32_t i = 0; ok && i < p->store.graph.n_nodes; i++)
    pvm_save_get_task (p, i, from, &ok);
  for (uint32_t i = 0; ok && i < p->store.graph.n_edges; i++)
    pvm_save_get_link (p, i, from, &ok);
  for (int64_t n = ok ? state_get (from, 0, 1 << 24, &ok) : 0; n > 0 && ok; n--)
    get_group (p, from, &ok);
  ok = ok && tasks_fit (p) && eve_get_ok (from);
  if (ok)
    store_find_source (&p->store);
  return ok;
}
