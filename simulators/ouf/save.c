/* SPDX-License-Identifier: Apache-2.0 */
/* save.c - what the simulator knows beside its store, as typed values.
 *
 * What can be counted again from calls is not written, so it fits them whatever is read.  What is read may be anything:
 * every number is checked before it is used, and nothing is allocated for more than the bytes that are there. */
#include "simulators/ouf/ouf.h"

#include "readers/reader.h"

#define FORMAT 3
#define CALLS_MAX (1u << 20) /* of one task, guards of one alternative; more is damage */

/* ---- writing ------------------------------------------------------------------------------------------------- */

/* Numbers of meetings by index: link after link, as they are written. */
static uint32_t *
number_meetings (const Ouf *p)
{
  uint32_t *numbers = g_new (uint32_t, MAX (p->n_meetings, 1)), n = 0;

  for (uint32_t i = 0; i < p->store.graph.n_edges; i++)
    for (uint32_t at = link_at (p, i)->meetings; at != NONE; at = p->meetings[at].next)
      numbers[at] = n++;
  return numbers;
}

static void
ouf_save_put_call (const Ouf *p, const Call *c, const uint32_t *meetings, EveBlob *to)
{
  uint32_t n = 0;

  eve_put_int (to, c->act);
  eve_put_int (to, c->state);
  eve_put_int (to, c->thread);
  state_put_index (to, c->link);
  eve_put_int (to, c->size);
  eve_put_int (to, c->sent);
  state_put_index (to, c->meeting != NONE ? meetings[c->meeting] : NONE);
  state_put_index (to, c->semaphore);
  for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next)
    n++;
  eve_put_int (to, n);
  for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next)
    eve_put_int (to, p->guards[at].link);
}

static void
ouf_save_put_node (const Ouf *p, Node *n, const uint32_t *meetings, EveBlob *to)
{
  uint32_t n_calls = 0;

  eve_put_int (to, n->kind);
  state_put_index (to, n->inside);
  if (n->kind != KIND_TASK) {
    eve_put_int (to, n->number);
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
    ouf_save_put_call (p, c, meetings, to);
}

static void
ouf_save_put_link (const Ouf *p, const Link *l, EveBlob *to)
{
  uint32_t n = 0;

  for (uint32_t at = l->meetings; at != NONE; at = p->meetings[at].next)
    n++;
  eve_put_int (to, n);
  for (uint32_t at = l->meetings; at != NONE; at = p->meetings[at].next) {
    eve_put_int (to, p->meetings[at].size);
    eve_put_int (to, p->meetings[at].sent);
    eve_put_int (to, p->meetings[at].number);
  }
}

void
ouf_save (const Ouf *p, EveBlob *to)
{
  const Store *s = &p->store;

  eve_put_int (to, FORMAT);
  eve_put_int (to, p->begun);
  if (!p->begun) /* the topology says it all */
    return;
  eve_put_int (to, p->threads | p->semaphores << 1 | p->processors << 2);
  store_save (s, to);
  g_autofree uint32_t *meetings = number_meetings (p);
  for (uint32_t i = 0; i < s->graph.n_edges; i++)
    ouf_save_put_link (p, link_at (p, i), to);
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    ouf_save_put_node (p, node_at (p, i), meetings, to);
  int64_t n_holds = 0;
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    n_holds += node_at (p, i)->n_holding;
  eve_put_int (to, n_holds);
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    for (uint32_t at = node_at (p, i)->first_hold; at != NONE; at = p->holds[at].next) {
      eve_put_int (to, i);
      eve_put_int (to, p->holds[at].thread);
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

/* What its meetings and the calls of its tasks say again is counted from them. */
static void
ouf_save_get_link (Ouf *p, uint32_t link, EveBlobView *b, bool *ok)
{
  Link *l = link_at (p, link);

  l->meetings = NONE;
  l->traffic = l->usage = 0;
  for (int64_t n = state_get (b, 0, 2 * CALLS_MAX, ok); n > 0 && *ok; n--) {
    Meeting m = { .size = state_get (b, 0, STORE_MOST_BYTES, ok) };
    m.sent = eve_get_int (b);
    m.number = eve_get_int (b);
    ouf_meeting_add (p, link, &m);
    l->traffic = plus (l->traffic, m.size);
  }
}

/* The call takes its side of a meeting of its link, which nobody else has taken. */
static bool
get_meeting (Ouf *p, Call *c, uint32_t meeting)
{
  uint8_t side = c->act == ACT_SEND ? 1 : 2;

  if ((c->state == NODE_TALKING) != (meeting != NONE))
    return false;
  if (meeting == NONE)
    return true;
  if (meeting >= p->n_meetings || p->meetings[meeting].link != c->link || p->meetings[meeting].open & side)
    return false;
  p->meetings[meeting].open |= side;
  c->meeting = meeting;
  return true;
}

/* Into the first call of the task; counts it where it belongs. */
static void
ouf_save_get_call (Ouf *p, Node *t, uint32_t task, EveBlobView *b, bool *ok)
{
  Call c = { .link = NONE, .peer = NONE, .next = NONE, .guards = NONE, .meeting = NONE };
  Link *l;

  c.act = (uint8_t) state_get (b, ACT_SEND, ACT_SEM_P, ok);
  c.state = (uint8_t) state_get (b, NODE_BUSY, NODE_TALKING, ok);
  c.thread = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);
  c.link = state_get_index (b, ok);
  c.size = state_get (b, 0, STORE_MOST_BYTES, ok);
  c.sent = eve_get_int (b);
  if (!get_meeting (p, &c, state_get_index (b, ok)))
    *ok = false;
  c.semaphore = state_get_index (b, ok);
  if (c.link != NONE && (c.link >= p->store.graph.n_edges || (c.act != ACT_SEND && c.act != ACT_RECEIVE)))
    *ok = false;
  if (*ok && c.link != NONE) {
    l = link_at (p, c.link);
    if ((c.act == ACT_SEND ? l->edge.from : l->edge.to) != task)
      *ok = false;
    c.peer = c.act == ACT_SEND ? l->edge.to : l->edge.from;
    l->usage++;
  }
  t->n_blocked += c.state == NODE_IDLE;
  t->n_talking += c.state == NODE_TALKING;
  if (*ok)
    t->call = c;
  g_autoptr (GArray) guards = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (int64_t n = state_get (b, 0, CALLS_MAX, ok); n > 0 && *ok; n--) {
    uint32_t link = (uint32_t) state_get (b, 0, (int64_t) p->store.graph.n_edges - 1, ok);
    g_array_append_val (guards, link);
  }
  for (guint i = guards->len; i-- > 0 && *ok && p->store.graph.n_edges > 0;)
    ouf_listen (p, &t->call, g_array_index (guards, uint32_t, i));
}

/* The calls of a task, the last that began first; each one read goes behind those before. */
static void
get_calls (Ouf *p, Node *t, uint32_t task, EveBlobView *b, bool *ok)
{
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (Call));

  for (int64_t n = state_get (b, 0, CALLS_MAX, ok); n > 0 && *ok; n--) {
    ouf_save_get_call (p, t, task, b, ok);
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
ouf_save_get_node (Ouf *p, uint32_t node, EveBlobView *b, bool *ok)
{
  Node *n = node_at (p, node);

  n->kind = (uint8_t) state_get (b, KIND_TASK, KIND_PROCESSOR, ok);
  n->inside = state_get_index (b, ok);
  n->chain = n->first_hold = n->last_hold = NONE; /* fits() and get_hold() fill them */
  if (n->kind == KIND_TASK) {
    if (p->n_tasks != node || n->node.task != node) /* tasks come first */
      *ok = false;
    n->n_running = (uint32_t) state_get (b, 0, UINT32_MAX, ok);
    n->protagonist = (int32_t) state_get (b, -1, INT32_MAX, ok);
    get_calls (p, n, node, b, ok);
    p->n_tasks += *ok;
  } else {
    if (n->node.task != NONE)
      *ok = false;
    n->number = (uint32_t) state_get (b, 0, UINT32_MAX - 1, ok);
    n->stopped = state_get (b, 0, 1, ok) != 0;
    n->passes = state_get (b, 0, 1, ok) != 0;
  }
}

/* What nodes say of each other can be checked when all are there. */
static bool
ouf_save_fits (Ouf *p, uint32_t node)
{
  Node *n = node_at (p, node);

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
    if (n->inside >= p->store.graph.n_nodes || node_at (p, n->inside)->kind != KIND_PROCESSOR)
      return false;
    node_at (p, n->inside)->n_in[n->state]++;
  }
  for (Call *c = ouf_first_call (n); c != NULL; c = c->next != NONE ? &p->calls[c->next] : NULL) {
    if (c->semaphore == NONE)
      continue;
    if (c->semaphore >= p->store.graph.n_nodes || node_at (p, c->semaphore)->kind != KIND_SEMAPHORE
        || node_at (p, c->semaphore)->inside != node)
      return false;
    node_at (p, c->semaphore)->n_waiting++;
  }
  return true;
}

static bool
all_fit (Ouf *p)
{
  for (uint32_t i = 0; i < p->store.graph.n_edges; i++) {
    Link *l = link_at (p, i);
    if (l->edge.from >= p->n_tasks || l->edge.to >= p->n_tasks || l->edge.from == l->edge.to)
      return false;
    for (uint32_t at = l->meetings; at != NONE; at = p->meetings[at].next)
      if (p->meetings[at].open == 0)
        return false;
  }
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    if (!ouf_save_fits (p, i))
      return false;
  return true;
}

static void
get_hold (Ouf *p, EveBlobView *b, bool *ok)
{
  uint32_t semaphore = (uint32_t) state_get (b, 0, (int64_t) p->store.graph.n_nodes - 1, ok);
  int32_t thread = (int32_t) state_get (b, INT32_MIN, INT32_MAX, ok);

  if (!*ok || semaphore >= p->store.graph.n_nodes || node_at (p, semaphore)->kind != KIND_SEMAPHORE) {
    *ok = false;
    return;
  }
  ouf_hold (p, semaphore, thread);
  node_at (p, semaphore)->n_holding++;
}

bool
ouf_load (Ouf *p, EveBlobView *from)
{
  Store *s = &p->store;
  bool ok = true;

  if (eve_get_int (from) != FORMAT)
    return false;
  if (state_get (from, 0, 1, &ok) == 0)
    return ok;
  int64_t flags = state_get (from, 0, 7, &ok);
  p->threads = flags & 1;
  p->semaphores = flags >> 1 & 1;
  p->processors = flags >> 2 & 1;
  p->begun = true;
  ok = ok && store_load (s, from);
  for (uint32_t i = 0; ok && i < s->graph.n_edges; i++)
    ouf_save_get_link (p, i, from, &ok);
  for (uint32_t i = 0; ok && i < s->graph.n_nodes; i++)
    ouf_save_get_node (p, i, from, &ok);
  ok = ok && all_fit (p);
  for (int64_t n = ok ? state_get (from, 0, UINT32_MAX - 1, &ok) : 0; n > 0 && ok; n--)
    get_hold (p, from, &ok);
  ok = ok && eve_get_ok (from);
  if (ok)
    store_find_source (s);
  return ok;
}
