/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - the whole state of the simulator as typed values.
 *
 * What is written depends on the state alone, not on the history of tables and pools: the same state gives the same
 * bytes.  What is read may be anything: every number is checked before it is used, and nothing is allocated for
 * more than the bytes that are there. */
#include "simulators/pvm/pvm.h"

#include <stdlib.h>

#include "readers/reader.h"

#define FORMAT 3

/* ---- writing ------------------------------------------------------------------------------------------------- */

static void
put_call (const Pvm *p, const Call *c, EveBlob *to)
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
put_task (const Pvm *p, const Task *t, EveBlob *to)
{
  uint32_t n = 0;
  const Call *first = t->call.act != ACT_NONE ? &t->call : NULL;

  eve_put_int (to, t->task);
  eve_put_int (to, t->born);
  eve_put_int (to, t->state);
  eve_put_int (to, t->clock);
  eve_put_int (to, t->since);
  eve_put_ints (to, t->spent, N_LIVE);
  eve_put_int (to, t->protagonist);
  for (const Call *c = first; c != NULL; c = c->outer != NONE ? &p->outer[c->outer] : NULL)
    n++;
  eve_put_int (to, n);
  for (const Call *c = first; c != NULL; c = c->outer != NONE ? &p->outer[c->outer] : NULL)
    put_call (p, c, to);
}

static void
put_link (const Pvm *p, const Link *l, EveBlob *to)
{
  eve_put_int (to, l->from);
  eve_put_int (to, l->to);
  eve_put_int (to, l->state);
  eve_put_int (to, l->clock);
  eve_put_int (to, l->since);
  eve_put_ints (to, l->spent, N_LIVE);
  eve_put_int (to, l->traffic);
  eve_put_int (to, l->total_traffic);
  eve_put_int (to, l->usage);
  eve_put_int (to, l->messages);
  eve_put_int (to, l->volume);
  eve_put_int (to, l->n_on_link);
  eve_put_int (to, l->taking);
  eve_put_int (to, l->taking == TAKING_WAITS ? l->taking_tag : 0);
  eve_put_int (to, l->taking == TAKING_HAS ? l->taking_size : 0);
  if (p->dating)
    eve_put_int (to, l->taking == TAKING_HAS ? l->taking_sent : 0);
}

static void
put_queue (const Pvm *p, const Queue *q, EveBlob *to)
{
  uint32_t n = q->count > 0;

  eve_put_int (to, q->link);
  eve_put_int (to, q->tag);
  eve_put_int (to, q->owed);
  for (uint32_t row = q->first; row != NONE; row = p->rows[row].next)
    n++;
  eve_put_int (to, n);
  if (n == 0)
    return;
  eve_put_int (to, q->bytes);
  eve_put_int (to, q->count);
  if (p->dating)
    eve_put_int (to, p->queue_sent[q - p->queues]);
  for (uint32_t row = q->first; row != NONE; row = p->rows[row].next) {
    eve_put_int (to, p->rows[row].bytes);
    eve_put_int (to, p->rows[row].count);
    if (p->dating)
      eve_put_int (to, p->row_sent[row]);
  }
}

/* A queue's place in the table, for sorting by tag. */
typedef struct Sorted {
  int32_t tag;
  uint32_t at;
} Sorted;

static int
by_tag (const void *a, const void *b)
{
  int32_t x = ((const Sorted *) a)->tag, y = ((const Sorted *) b)->tag;

  return (x > y) - (x < y);
}

/* By link, then by tag: counted into links first, which leaves little to compare. */
static void
put_queues (const Pvm *p, EveBlob *to)
{
  g_autofree Sorted *sorted = g_new (Sorted, p->n_queues + 1);
  g_autofree uint32_t *end = g_new0 (uint32_t, p->graph.n_edges + 1);
  uint32_t n = 0;

  for (uint32_t i = 0; p->queues != NULL && i <= p->queue_mask; i++)
    if (p->queues[i].link != NONE)
      end[p->queues[i].link]++;
  for (uint32_t link = 0; link < p->graph.n_edges; link++) {
    uint32_t count = end[link];
    end[link] = n;
    n += count;
  }
  for (uint32_t i = 0; p->queues != NULL && i <= p->queue_mask; i++)
    if (p->queues[i].link != NONE)
      sorted[end[p->queues[i].link]++] = (Sorted){ p->queues[i].tag, i };
  for (uint32_t link = 0, from = 0; link < p->graph.n_edges; from = end[link++])
    qsort (sorted + from, end[link] - from, sizeof *sorted, by_tag);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    /* places in memory are as good as random: those of the queues to come are fetched ahead */
    if (i + 48 < n) {
      __builtin_prefetch (&p->queues[sorted[i + 48].at]);
      if (p->dating)
        __builtin_prefetch (&p->queue_sent[sorted[i + 48].at]);
    }
    if (i + 20 < n) {
      uint32_t row = p->queues[sorted[i + 20].at].first;
      if (row != NONE) {
        __builtin_prefetch (&p->rows[row]);
        if (p->dating)
          __builtin_prefetch (&p->row_sent[row]);
      }
    }
    put_queue (p, &p->queues[sorted[i].at], to);
  }
}

static void
put_groups (const Pvm *p, EveBlob *to)
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
  const TraceSource *s = p->bound ? trace_source (p->graph.source) : NULL;

  eve_put_int (to, FORMAT);
  eve_put_int (to, p->dating);
  eve_put_text (to, s != NULL ? s->name : p->source_name);
  state_save_graph (&p->graph, to);
  eve_put_int (to, p->graph.n_nodes);
  for (uint32_t i = 0; i < p->graph.n_nodes; i++)
    put_task (p, &p->tasks[i], to);
  eve_put_int (to, p->graph.n_edges);
  for (uint32_t i = 0; i < p->graph.n_edges; i++)
    put_link (p, &p->links[i], to);
  put_queues (p, to);
  put_groups (p, to);
  told_save (&p->told, to);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static Call
get_call (Pvm *p, EveBlobView *b, bool *ok)
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
get_task (Pvm *p, EveBlobView *b, bool *ok)
{
  uint32_t task = (uint32_t) state_get (b, 0, UINT32_MAX - 1, ok), node, at = NONE;
  int64_t n;
  Task *t;

  /* Tasks of a source have dense numbers; those that nobody speaks of have no node. */
  if (task > 64 * p->graph.n_nodes + (1u << 20) || (task < p->n_node_of && p->node_of[task] != NONE))
    *ok = false;
  if (!*ok)
    return;
  node = pvm_node_add (p, task);
  t = &p->tasks[node];
  t->born = state_get (b, 0, 1, ok);
  t->state = (uint8_t) state_get (b, 0, TASK_DEAD, ok);
  t->clock = eve_get_int (b);
  t->since = eve_get_int (b);
  state_get_spent (b, t->spent, N_LIVE, ok);
  t->protagonist = (int32_t) state_get (b, -1, INT32_MAX, ok);
  n = state_get (b, 0, CALLS_MAX + 1, ok);
  if (n > 0 && *ok)
    t->call = get_call (p, b, ok);
  for (n--; n > 0 && *ok; n--) {
    Task scratch = { .call = get_call (p, b, ok) };
    uint32_t outer = pvm_call_push (p, &scratch);
    t->depth++;
    if (at == NONE)
      t->call.outer = outer;
    else
      p->outer[at].outer = outer;
    at = outer;
  }
  if (!t->born && (t->state != TASK_DEAD || t->call.act != ACT_NONE))
    *ok = false;
}

static void
get_link (Pvm *p, EveBlobView *b, bool *ok)
{
  int64_t last = (int64_t) p->graph.n_nodes - 1;
  uint32_t from = (uint32_t) state_get (b, 0, last, ok), to = (uint32_t) state_get (b, 0, last, ok);
  Link *l;

  if (!*ok || p->graph.n_nodes == 0 || pvm_link_find (p, from, to) != NONE) {
    *ok = false;
    return;
  }
  uint32_t link = pvm_link_get (p, from, to); /* may move the links */
  l = &p->links[link];
  l->state = (uint8_t) state_get (b, 0, LINK_DEAD, ok);
  l->clock = eve_get_int (b);
  l->since = eve_get_int (b);
  state_get_spent (b, l->spent, N_LIVE, ok);
  l->traffic = eve_get_int (b);
  l->total_traffic = eve_get_int (b);
  l->usage = eve_get_int (b);
  l->messages = eve_get_int (b);
  l->volume = eve_get_int (b);
  l->n_on_link = (uint32_t) state_get (b, 0, UINT32_MAX, ok);
  l->taking = (uint8_t) state_get (b, 0, TAKING_HAS, ok);
  l->taking_tag = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);
  l->taking_size = state_get (b, 0, SIZE_MAX_BYTES, ok);
  if (p->dating)
    l->taking_sent = eve_get_int (b);
}

static void
get_queue (Pvm *p, EveBlobView *b, bool *ok)
{
  uint32_t link = (uint32_t) state_get (b, 0, (int64_t) p->graph.n_edges - 1, ok);
  int32_t tag = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);
  uint32_t owed = (uint32_t) state_get (b, 0, UINT32_MAX, ok);
  int64_t n = state_get (b, 0, UINT32_MAX - 1, ok);

  if (!*ok || p->graph.n_edges == 0 || (n > 0) == (owed > 0) || pvm_queue_find (p, link, tag) != NULL) {
    *ok = false;
    return;
  }
  Queue *q = pvm_queue_get (p, link, tag);
  q->owed = owed;
  p->n_owed += owed;
  for (; n > 0 && *ok; n--) {
    int64_t bytes = state_get (b, 0, SIZE_MAX_BYTES << 20, ok);
    uint32_t count = (uint32_t) state_get (b, 1, 1 << 20, ok);
    int64_t sent = p->dating ? eve_get_int (b) : INT64_MIN;
    if (*ok)
      pvm_queue_add_row (p, q, bytes, count, sent);
  }
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
  for (int64_t n = state_get (b, 0, p->graph.n_nodes, ok); n > 0 && *ok; n--) {
    uint32_t node = (uint32_t) state_get (b, 0, (int64_t) p->graph.n_nodes - 1, ok);
    *ok = *ok && pvm_group_join (p, group, object, node);
  }
}

/* What calls say of links and nodes can be checked when all are there. */
static bool
call_fits (const Pvm *p, const Call *c)
{
  bool takes = c->act == ACT_RECEIVE || c->act == ACT_SCATTER;
  bool sends = c->act == ACT_BCAST || c->act == ACT_SCATTER;

  if ((c->peer != NONE && c->peer >= p->graph.n_nodes) || (c->link != NONE && c->link >= p->graph.n_edges)
      || (c->flags & (CALL_TAKER | CALL_USES) && c->link == NONE)
      || (c->flags & CALL_GETS && (c->peer == NONE || !takes)) || (c->parts != NONE && c->act != ACT_GATHER && !sends))
    return false;
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next)
    if (p->parts[at].who >= (sends ? p->graph.n_nodes : p->graph.n_edges))
      return false;
  return true;
}

static bool
tasks_fit (Pvm *p)
{
  for (uint32_t i = 0; i < p->graph.n_nodes; i++) {
    Task *t = &p->tasks[i];
    const Call *deciding = pvm_deciding_call (p, t);
    t->several = deciding != NULL ? deciding->record : 0;
    if (t->protagonist > 0 && (uint32_t) t->protagonist > p->graph.n_nodes)
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
  bool ok = true;
  const char *name;
  int64_t n;
  uint64_t updates;

  p->telling = p->telling_states = p->telling_messages = false;
  if (eve_get_int (from) != FORMAT)
    return false;
  if (state_get (from, 0, 1, &ok) != 0)
    pvm_queue_date (p);
  name = eve_get_text (from);
  p->source_name = *name != '\0' ? g_strdup (name) : NULL;
  state_load_graph (&p->graph, from, &ok);
  p->now = p->graph.clock;
  updates = p->graph.n_updates;
  for (n = state_get (from, 0, INT32_MAX, &ok); n > 0 && ok; n--)
    get_task (p, from, &ok);
  for (n = state_get (from, 0, UINT32_MAX - 1, &ok); n > 0 && ok; n--)
    get_link (p, from, &ok);
  for (n = state_get (from, 0, UINT32_MAX - 1, &ok); n > 0 && ok; n--)
    get_queue (p, from, &ok);
  for (n = state_get (from, 0, 1 << 24, &ok); n > 0 && ok; n--)
    get_group (p, from, &ok);
  ok = ok && tasks_fit (p);
  if (ok)
    told_load (&p->told, &p->graph, UINT32_MAX, from, &ok);
  p->graph.n_updates = updates;
  pvm_find_source (p);
  return ok && eve_get_ok (from);
}
