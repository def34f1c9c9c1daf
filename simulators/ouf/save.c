/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - the whole state of the simulator as typed values.
 *
 * What can be counted again from calls is not written, so it fits them whatever is read.  What is read may be anything:
 * every number is checked before it is used, and nothing is allocated for more than the bytes that are there. */
#include "simulators/ouf/ouf.h"

#include "readers/reader.h"

#define FORMAT 1
#define CALLS_MAX (1u << 20)                  /* of one task, guards of one alternative; more is damage */
#define SIZE_MAX_BYTES (INT64_C (1) << 40)

/* ---- writing ------------------------------------------------------------------------------------------------- */

static int64_t
signed_index (uint32_t i)
{
  return i == NONE ? -1 : (int64_t) i;
}

static void
put_call (const Ouf *p, const Call *c, EveBlob *to)
{
  uint32_t n = 0;

  eve_put_int (to, c->act);
  eve_put_int (to, c->state);
  eve_put_int (to, c->thread);
  eve_put_int (to, signed_index (c->link));
  eve_put_int (to, c->size);
  eve_put_int (to, c->sent);
  eve_put_int (to, signed_index (c->semaphore));
  for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next)
    n++;
  eve_put_int (to, n);
  for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next)
    eve_put_int (to, p->guards[at].link);
}

static void
put_node (const Ouf *p, Node *n, EveBlob *to)
{
  uint32_t n_calls = 0;

  eve_put_int (to, n->kind);
  eve_put_int (to, n->state);
  eve_put_int (to, n->clock);
  eve_put_int (to, n->since);
  eve_put_ints (to, n->spent, N_LIVE);
  eve_put_int (to, signed_index (n->inside));
  if (n->kind != KIND_TASK) {
    eve_put_int (to, n->number);
    eve_put_int (to, n->value);
    eve_put_int (to, n->stopped);
    eve_put_int (to, n->passes);
    return;
  }
  eve_put_int (to, n->n_running);
  eve_put_int (to, n->protagonist);
  for (const Call *c = ouf_first_call (n); c != NULL; c = ouf_next_call (p, c))
    n_calls++;
  eve_put_int (to, n_calls);
  for (const Call *c = ouf_first_call (n); c != NULL; c = ouf_next_call (p, c))
    put_call (p, c, to);
}

static void
put_link (const Link *l, EveBlob *to)
{
  eve_put_int (to, l->from);
  eve_put_int (to, l->to);
  eve_put_int (to, l->state);
  eve_put_int (to, l->clock);
  eve_put_int (to, l->since);
  eve_put_ints (to, l->spent, N_LIVE);
  eve_put_int (to, l->traffic);
  eve_put_int (to, l->total_traffic);
  eve_put_int (to, l->messages);
}

static void
put_changes (const StateChange *changes, uint32_t n, uint32_t gone, EveBlob *to)
{
  eve_put_int (to, n - gone);
  for (uint32_t i = gone; i < n; i++)
    state_type_change.save (NULL, &changes[i], to);
}

void
ouf_save (const Ouf *p, EveBlob *to)
{
  const TraceSource *s = p->bound ? trace_source (p->graph.source) : NULL;

  eve_put_int (to, FORMAT);
  eve_put_int (to, p->begun);
  if (!p->begun)                              /* the topology says it all */
    return;
  eve_put_text (to, s != NULL ? s->name : p->source_name);
  eve_put_int (to, p->threads | p->semaphores << 1 | p->processors << 2);
  eve_put_int (to, p->graph.clock);
  eve_put_int (to, (int64_t) p->graph.n_events);
  eve_put_int (to, (int64_t) p->graph.n_updates);
  eve_put_int (to, (int64_t) p->graph.n_impossible);
  eve_put_int (to, p->graph.impossible->len);
  for (guint i = 0; i < p->graph.impossible->len; i++)
    eve_put_text (to, p->graph.impossible->pdata[i]);
  eve_put_int (to, p->graph.n_edges);
  eve_put_int (to, p->graph.n_nodes);
  for (uint32_t i = 0; i < p->graph.n_edges; i++)
    put_link (&p->links[i], to);
  for (uint32_t i = 0; i < p->graph.n_nodes; i++)
    put_node (p, &p->nodes[i], to);
  eve_put_int (to, p->holds->len);
  for (guint i = 0; i < p->holds->len; i++) {
    eve_put_int (to, g_array_index (p->holds, Hold, i).semaphore);
    eve_put_int (to, g_array_index (p->holds, Hold, i).thread);
  }
  put_changes (p->told, p->n_told, p->told_out, to);
  put_changes (p->states, p->n_states, p->states_out, to);
  eve_put_int (to, p->n_messages - p->messages_out);
  for (uint32_t i = p->messages_out; i < p->n_messages; i++)
    state_type_message.save (NULL, &p->messages[i], to);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

/* A number in [low, high], or the view's end: `ok` turns false and stays so. */
static int64_t
get (EveBlobView *b, int64_t low, int64_t high, bool *ok)
{
  int64_t v = eve_get_int (b);

  if (v < low || v > high || !eve_get_ok (b))
    *ok = false;
  return *ok ? v : low;
}

static uint32_t
get_index (EveBlobView *b, bool *ok)
{
  int64_t v = get (b, -1, (int64_t) UINT32_MAX - 1, ok);

  return v < 0 ? NONE : (uint32_t) v;
}

static void
get_spent (EveBlobView *b, int64_t *spent, bool *ok)
{
  if (eve_get_ints (b, spent, N_LIVE) != N_LIVE)
    *ok = false;
}

static void
get_link (Ouf *p, EveBlobView *b, uint32_t *room, bool *ok)
{
  uint32_t link = p->graph.n_edges;
  Link l = { .next_out = NONE };

  l.from = (uint32_t) get (b, 0, UINT32_MAX - 1, ok);
  l.to = (uint32_t) get (b, 0, UINT32_MAX - 1, ok);
  l.state = (uint8_t) get (b, 0, LINK_DEAD, ok);
  l.clock = eve_get_int (b);
  l.since = eve_get_int (b);
  get_spent (b, l.spent, ok);
  l.traffic = eve_get_int (b);
  l.total_traffic = eve_get_int (b);
  l.messages = eve_get_int (b);
  if (!*ok)
    return;
  p->links = ouf_room (p->links, link, room, sizeof l);
  p->links[link] = l;
  p->graph.n_edges++;
}

/* Into the first call of the task; counts it where it belongs. */
static void
get_call (Ouf *p, Node *t, uint32_t task, EveBlobView *b, bool *ok)
{
  Call c = { .link = NONE, .peer = NONE, .next = NONE, .guards = NONE };
  Link *l;

  c.act = (uint8_t) get (b, ACT_SEND, ACT_SEM_P, ok);
  c.state = (uint8_t) get (b, NODE_BUSY, NODE_TALKING, ok);
  c.thread = (int32_t) get (b, INT32_MIN, INT32_MAX, ok);
  c.link = get_index (b, ok);
  c.size = get (b, 0, SIZE_MAX_BYTES, ok);
  c.sent = eve_get_int (b);
  c.semaphore = get_index (b, ok);
  if (c.link != NONE && (c.link >= p->graph.n_edges || (c.act != ACT_SEND && c.act != ACT_RECEIVE)))
    *ok = false;
  if (*ok && c.link != NONE) {
    l = &p->links[c.link];
    if ((c.act == ACT_SEND ? l->from : l->to) != task)
      *ok = false;
    c.peer = c.act == ACT_SEND ? l->to : l->from;
    l->usage++;
    l->n_talking += c.state == NODE_TALKING;
  }
  t->n_blocked += c.state == NODE_IDLE;
  t->n_talking += c.state == NODE_TALKING;
  if (*ok)
    t->call = c;
  g_autoptr (GArray) guards = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (int64_t n = get (b, 0, CALLS_MAX, ok); n > 0 && *ok; n--) {
    uint32_t link = (uint32_t) get (b, 0, (int64_t) p->graph.n_edges - 1, ok);
    g_array_append_val (guards, link);
  }
  for (guint i = guards->len; i-- > 0 && *ok && p->graph.n_edges > 0;)
    ouf_listen (p, &t->call, g_array_index (guards, uint32_t, i));
}

/* The calls of a task, the last that began first; each one read goes behind those before. */
static void
get_calls (Ouf *p, Node *t, uint32_t task, EveBlobView *b, bool *ok)
{
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (Call));

  for (int64_t n = get (b, 0, CALLS_MAX, ok); n > 0 && *ok; n--) {
    get_call (p, t, task, b, ok);
    g_array_append_val (calls, t->call);
  }
  t->call.act = ACT_NONE;
  for (guint i = calls->len; i-- > 0;) {
    uint32_t next = t->call.act != ACT_NONE ? ouf_call_push (p, t) : NONE;
    t->call = g_array_index (calls, Call, i);
    t->call.next = next;
  }
}

static void
get_node (Ouf *p, EveBlobView *b, bool *ok)
{
  NodeKind kind = (NodeKind) get (b, KIND_TASK, KIND_PROCESSOR, ok);
  Node n = { .first_out = NONE, .kind = (uint8_t) kind };
  uint32_t node = p->graph.n_nodes;

  n.state = (uint8_t) get (b, 0, NODE_DEAD, ok);
  n.clock = eve_get_int (b);
  n.since = eve_get_int (b);
  get_spent (b, n.spent, ok);
  n.inside = get_index (b, ok);
  if (kind == KIND_TASK) {
    if (p->n_tasks != node)                   /* tasks come first */
      *ok = false;
    n.n_running = (uint32_t) get (b, 0, UINT32_MAX, ok);
    n.protagonist = (int32_t) get (b, -1, INT32_MAX, ok);
    get_calls (p, &n, node, b, ok);
    p->n_tasks += *ok;
  } else {
    n.number = (uint32_t) get (b, 0, UINT32_MAX - 1, ok);
    n.value = eve_get_int (b);
    n.stopped = get (b, 0, 1, ok) != 0;
    n.passes = get (b, 0, 1, ok) != 0;
  }
  if (!*ok)
    return;
  p->nodes = ouf_room (p->nodes, node, &p->nodes_room, sizeof n);
  p->nodes[node] = n;
  p->graph.n_nodes++;
}

/* What nodes say of each other can be checked when all are there. */
static bool
fits (Ouf *p, uint32_t node)
{
  Node *n = &p->nodes[node];

  if (n->kind == KIND_PROCESSOR)
    return n->inside == NONE;
  if (n->kind != KIND_TASK) {
    if (n->inside >= p->n_tasks || ouf_find (p, n->inside, n->kind == KIND_SEMAPHORE, n->number) != NONE)
      return false;
    ouf_number_node (p, node);
    return true;
  }
  if (n->protagonist > 0 && (uint32_t) n->protagonist > p->n_tasks)
    return false;
  if (n->inside != NONE) {
    if (n->inside >= p->graph.n_nodes || p->nodes[n->inside].kind != KIND_PROCESSOR)
      return false;
    p->nodes[n->inside].n_in[n->state]++;
  }
  for (Call *c = ouf_first_call (n); c != NULL; c = c->next != NONE ? &p->calls[c->next] : NULL) {
    if (c->semaphore == NONE)
      continue;
    if (c->semaphore >= p->graph.n_nodes || p->nodes[c->semaphore].kind != KIND_SEMAPHORE
        || p->nodes[c->semaphore].inside != node)
      return false;
    p->nodes[c->semaphore].n_waiting++;
  }
  return true;
}

static bool
all_fit (Ouf *p)
{
  for (uint32_t i = 0; i < p->graph.n_edges; i++) {
    Link *l = &p->links[i];
    if (l->from >= p->n_tasks || l->to >= p->n_tasks || l->from == l->to)
      return false;
    l->next_out = p->nodes[l->from].first_out;
    p->nodes[l->from].first_out = i;
  }
  for (uint32_t i = 0; i < p->graph.n_nodes; i++)
    if (!fits (p, i))
      return false;
  return true;
}

static void
get_hold (Ouf *p, EveBlobView *b, bool *ok)
{
  Hold h = { .semaphore = (uint32_t) get (b, 0, (int64_t) p->graph.n_nodes - 1, ok) };

  h.thread = (int32_t) get (b, INT32_MIN, INT32_MAX, ok);
  if (!*ok || h.semaphore >= p->graph.n_nodes || p->nodes[h.semaphore].kind != KIND_SEMAPHORE) {
    *ok = false;
    return;
  }
  g_array_append_val (p->holds, h);
  p->nodes[h.semaphore].n_holding++;
}

static void
get_changes (Ouf *p, bool states, StateChange **changes, uint32_t *n_changes, uint32_t *room, EveBlobView *b, bool *ok)
{
  static const uint32_t first[] = { GRAPH_CLOCK, AT_CLOCK, EDGE_CLOCK, N_ATTRIBUTES };
  const uint32_t objects[] = { 1, states ? p->n_tasks : p->graph.n_nodes, p->graph.n_edges };

  for (int64_t n = get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    StateChange c = { 0 };
    if (!state_type_change.load (NULL, &c, b) || c.attribute < first[c.scope] || c.attribute >= first[c.scope + 1]
        || c.object >= objects[c.scope] || (states && c.attribute != AT_STATE)) {
      *ok = false;
      return;
    }
    *changes = ouf_room (*changes, *n_changes, room, sizeof c);
    (*changes)[(*n_changes)++] = c;
  }
}

static void
get_messages (Ouf *p, EveBlobView *b, bool *ok)
{
  for (int64_t n = get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    StateMessage m = { 0 };
    if (!state_type_message.load (NULL, &m, b)) {
      *ok = false;
      return;
    }
    p->messages = ouf_room (p->messages, p->n_messages, &p->messages_room, sizeof m);
    p->messages[p->n_messages++] = m;
  }
}

bool
ouf_load (Ouf *p, EveBlobView *from)
{
  bool ok = true;
  uint32_t room = 0;
  const char *name;
  int64_t n, flags, n_edges;

  p->telling = p->telling_states = p->telling_messages = false;
  if (eve_get_int (from) != FORMAT)
    return false;
  if (get (from, 0, 1, &ok) == 0)
    return ok;
  p->begun = true;
  name = eve_get_text (from);
  p->source_name = *name != '\0' ? g_strdup (name) : NULL;
  flags = get (from, 0, 7, &ok);
  p->threads = flags & 1;
  p->semaphores = flags >> 1 & 1;
  p->processors = flags >> 2 & 1;
  p->graph.clock = p->now = eve_get_int (from);
  p->graph.n_events = (uint64_t) eve_get_int (from);
  p->graph.n_updates = (uint64_t) eve_get_int (from);
  p->graph.n_impossible = (uint64_t) eve_get_int (from);
  for (n = get (from, 0, 100, &ok); n > 0 && ok; n--)
    g_ptr_array_add (p->graph.impossible, g_strdup (eve_get_text (from)));
  n_edges = get (from, 0, UINT32_MAX - 1, &ok);
  n = get (from, 0, INT32_MAX, &ok);
  for (; n_edges > 0 && ok; n_edges--)
    get_link (p, from, &room, &ok);
  for (; n > 0 && ok; n--)
    get_node (p, from, &ok);
  ok = ok && all_fit (p);
  for (n = ok ? get (from, 0, UINT32_MAX - 1, &ok) : 0; n > 0 && ok; n--)
    get_hold (p, from, &ok);
  if (ok)
    get_changes (p, false, &p->told, &p->n_told, &p->told_room, from, &ok);
  if (ok)
    get_changes (p, true, &p->states, &p->n_states, &p->states_room, from, &ok);
  if (ok)
    get_messages (p, from, &ok);
  p->halfway = p->n_told > 0 || p->n_states > 0 || p->n_messages > 0;
  if (ok && eve_get_ok (from))
    ouf_find_source (p);
  return ok && eve_get_ok (from);
}
