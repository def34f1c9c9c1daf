/* SPDX-License-Identifier: Apache-2.0 */
/* store-test.c - a state graph on the store, beside a slow model of it that keeps everything in lists: after each of
 * many random operations, saved and loaded in between, all that can be asked is compared. */
#include <string.h>
#include "eve/eve-host.h"
#include "simulators/store.h"

enum { WORKS, AWAY, GONE };
static const StateValue node_states[] = {
  { "Works", STATE_SENSE_WORKS },
  { "Away", STATE_SENSE_WAITS },
  { "Gone", STATE_SENSE_GONE },
};
static const StateValue edge_states[] = { { "Empty", STATE_SENSE_REST }, { "Full", STATE_SENSE_COSTS } };
enum { NODE_CLOCK, NODE_STATE, NODE_SIZE, NODE_PART, EDGE_CLOCK, EDGE_STATE, EDGE_BYTES, EDGE_PART, N_ATTRIBUTES };

typedef struct Node {
  StoreNode node;
  StoreStack stack;
  uint32_t state;
  int64_t size;
} Node;

typedef struct Edge {
  StoreEdge edge;
  uint8_t state;
  int64_t spent[2], bytes;
} Edge;

static const StateAttribute attributes[N_ATTRIBUTES] = {
  [NODE_CLOCK] = { "Clock", STATE_NODE, STATE_DATE, STORE_AT (Node, node) },
  [NODE_STATE] = { "State", STATE_NODE, STATE_VALUE, STORE_AT (Node, state), STATE_VALUES (node_states) },
  [NODE_SIZE] = { "Size", STATE_NODE, STATE_INT, STORE_AT (Node, size) },
  [NODE_PART] = { "PercentAway", STATE_NODE, STATE_PERCENT, .of = AWAY },
  [EDGE_CLOCK] = { "Clock", STATE_EDGE, STATE_DATE, STORE_AT (Edge, edge) },
  [EDGE_STATE] = { "State", STATE_EDGE, STATE_ENUM, STORE_AT (Edge, state), STATE_VALUES (edge_states) },
  [EDGE_BYTES] = { "Bytes", STATE_EDGE, STATE_INT, STORE_AT (Edge, bytes) },
  [EDGE_PART] = { "PercentFull", STATE_EDGE, STATE_PERCENT, .of = 1 },
};
static const StoreLayout layout = {
  .model = "Modelled",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .stack = offsetof (Node, stack) },
  .edge = { sizeof (Edge), .spent = offsetof (Edge, spent), .n_spent = 2 },
};

/* ---- the model: histories, of which everything is counted anew --------------------------------------------------------- */

typedef struct Frame {
  uint64_t key;
  uint32_t group, value;
} Frame;

typedef struct Stay {
  int64_t from;
  uint32_t state;
} Stay;

/* A state is entered, or left: one more of it on the stack, or one less. */
typedef struct Passage {
  int64_t date;
  uint32_t state;
  int more;
} Passage;

typedef struct Message {
  int32_t tag;
  int64_t size, sent;
} Message;

static const int32_t tags[4] = { INT32_MIN, -1, 0, INT32_MAX };

typedef struct Object {
  uint32_t task, from, to, base;
  int64_t clock, number;
  GArray *stays;     /* of Stay */
  GArray *passages;  /* of Passage */
  GArray *frames;    /* of Frame, the innermost last */
  GArray *messages;  /* of Message, as sent */
  uint32_t early[4]; /* by tag */
} Object;

typedef struct Model {
  GPtrArray *nodes, *edges;
  GPtrArray *names; /* of states of nodes */
  int64_t now;
} Model;

static void
pass (Object *o, int64_t now, uint32_t state, int more)
{
  g_array_append_vals (o->passages, &(Passage){ now, state, more }, 1);
}

/* All frames are left. */
static void
leave_all (Object *o, int64_t now)
{
  for (guint i = 0; i < o->frames->len; ++i)
    pass (o, now, g_array_index (o->frames, Frame, i).value, -1);
  g_array_set_size (o->frames, 0);
}

static void
set_base (Object *o, int64_t now, uint32_t state)
{
  if (o->base != state) {
    pass (o, now, o->base, -1);
    pass (o, now, state, 1);
  }
  o->base = state;
}

static Object *
add (GPtrArray *to, int64_t now, uint32_t state)
{
  Object *o = g_new0 (Object, 1);

  o->stays = g_array_new (FALSE, FALSE, sizeof (Stay));
  o->passages = g_array_new (FALSE, FALSE, sizeof (Passage));
  o->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  o->messages = g_array_new (FALSE, FALSE, sizeof (Message));
  o->base = state;
  o->clock = now;
  g_array_append_vals (o->stays, &(Stay){ now, state }, 1);
  pass (o, now, state, 1);
  g_ptr_array_add (to, o);
  return o;
}

static void
object_free (gpointer data)
{
  Object *o = data;

  g_array_unref (o->stays);
  g_array_unref (o->passages);
  g_array_unref (o->frames);
  g_array_unref (o->messages);
  g_free (o);
}

static uint32_t
state_of (const Object *o)
{
  return g_array_index (o->stays, Stay, o->stays->len - 1).state;
}

static void
take_state (Object *o, int64_t now)
{
  guint n = o->frames->len;
  uint32_t state = n ? g_array_index (o->frames, Frame, n - 1).value : o->base;

  if (state == state_of (o))
    return;
  o->clock = now;
  g_array_append_vals (o->stays, &(Stay){ now, state }, 1);
}

/* Ticks until `at` in a state, and in all that count. */
static void
count_stays (const Object *o, bool is_node, uint32_t state, int64_t at, int64_t *spent, int64_t *total)
{
  *spent = *total = 0;
  for (guint i = 0; i < o->stays->len; ++i) {
    const Stay *s = &g_array_index (o->stays, Stay, i);
    int64_t to = i + 1 < o->stays->len ? g_array_index (o->stays, Stay, i + 1).from : at;
    if (s->state == state)
      *spent += to - s->from;
    if (is_node ? s->state != GONE : s->state < 2)
      *total += to - s->from;
  }
}

/* Whether a state was entered; how often, and how long it was any on the stack. */
static int64_t
count_passages (const Object *o, uint32_t state, int64_t at, int64_t *inclusive)
{
  int64_t visits = 0, since = 0;
  int open = 0;

  *inclusive = 0;
  for (guint i = 0; i < o->passages->len; ++i) {
    const Passage *p = &g_array_index (o->passages, Passage, i);
    if (p->state != state)
      continue;
    visits += p->more > 0;
    if (open == 0)
      since = p->date;
    open += p->more;
    if (open == 0)
      *inclusive += p->date - since;
  }
  if (open > 0)
    *inclusive += at - since;
  return visits;
}

/* What state_times() gives is all of that. */
static void
assert_same_times (const Store *s, const Model *m, uint32_t node, int64_t at)
{
  const Object *o = m->nodes->pdata[node];
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  guint next = 0;

  state_times (&s->graph, node, at, times);
  for (uint32_t state = 0; state < m->names->len; ++state) {
    int64_t spent, total, inclusive, visits = count_passages (o, state, at, &inclusive);
    if (visits == 0)
      continue;
    g_assert_cmpuint (next, <, times->len);
    const StateTime *t = &g_array_index (times, StateTime, next++);
    count_stays (o, true, state, at, &spent, &total);
    g_assert_cmpuint (t->value, ==, state);
    g_assert_cmpint (t->visits, ==, visits);
    g_assert_cmpint (t->spent, ==, spent);
    g_assert_cmpint (t->inclusive, ==, inclusive);
  }
  g_assert_cmpuint (next, ==, times->len);
}

static void
assert_same_object (const Store *s, const Model *m, StateScope scope, uint32_t k, int64_t at)
{
  bool is_node = scope == STATE_NODE;
  const Object *o = (is_node ? m->nodes : m->edges)->pdata[k];
  int64_t spent, total, should, all, bytes = 0;

  g_assert_cmpint (store_get (s, is_node ? NODE_CLOCK : EDGE_CLOCK, k), ==, o->clock);
  g_assert_cmpint (store_get (s, is_node ? NODE_STATE : EDGE_STATE, k), ==, state_of (o));
  g_assert_cmpint (store_get (s, is_node ? NODE_SIZE : EDGE_BYTES, k), ==, o->number);
  for (uint32_t state = 0; state < 2; ++state) {
    s->model.spent (&s->graph, scope, k, state, at, &spent, &total);
    count_stays (o, is_node, state, at, &should, &all);
    g_assert_cmpint (spent, ==, should);
    g_assert_cmpint (total, ==, all);
  }
  if (is_node) {
    g_assert_cmpuint (store_find_node (s, o->task), ==, k);
    g_assert_cmpuint (store_stack (s, k)->depth, ==, o->frames->len);
    assert_same_times (s, m, k, at);
    return;
  }
  uint32_t from, to;
  s->graph.edge_ends (&s->graph, k, &from, &to);
  g_assert_true (from == o->from && to == o->to);
  g_assert_cmpuint (store_find_edge (s, from, to), ==, k);
  for (guint i = 0; i < o->messages->len; ++i)
    bytes += g_array_index (o->messages, Message, i).size;
  g_assert_cmpint (store_edge_at (s, k)->volume, ==, bytes);
  g_assert_cmpuint (store_edge_at (s, k)->n_messages, ==, o->messages->len);
  for (guint t = 0; t < G_N_ELEMENTS (tags); ++t) {
    bool holds = false;
    for (guint i = 0; i < o->messages->len; ++i)
      holds |= g_array_index (o->messages, Message, i).tag == tags[t];
    g_assert_true (store_queue_holds (s, k, tags[t]) == holds);
    g_assert_cmpuint (store_queue_early (s, k, tags[t]), ==, o->early[t]);
  }
}

/* The sums over all nodes are those of the stays of each. */
static void
assert_same_sums (const Store *s, const Model *m, int64_t at)
{
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (StateTime));

  s->model.sums (&s->graph, at, sums);
  for (uint32_t state = 0; state < m->names->len; ++state) {
    int64_t all = 0, told = 0;
    for (guint k = 0; k < m->nodes->len; ++k) {
      int64_t spent, total;
      count_stays (m->nodes->pdata[k], true, state, at, &spent, &total);
      all += spent;
    }
    for (guint i = 0; i < sums->len; ++i) {
      const StateTime *t = &g_array_index (sums, StateTime, i);
      g_assert_true (t->spent == 0 || t->value < m->names->len);
      told += t->value == state ? t->spent : 0;
    }
    g_assert_cmpint (told, ==, all);
  }
}

static void
assert_same_graph (const Store *s, const Model *m, int64_t at)
{
  const StateAttribute *a = &s->graph.model->attributes[NODE_STATE];

  g_assert_cmpuint (s->graph.n_nodes, ==, m->nodes->len);
  g_assert_cmpuint (s->graph.n_edges, ==, m->edges->len);
  for (uint32_t k = 0; k < m->nodes->len; ++k)
    assert_same_object (s, m, STATE_NODE, k, at);
  for (uint32_t k = 0; k < m->edges->len; ++k)
    assert_same_object (s, m, STATE_EDGE, k, at);
  assert_same_sums (s, m, at);
  g_assert_cmpuint (a->n_values, >=, m->names->len); /* after a reset what was met before may come again */
  for (guint i = 0; i < m->names->len; ++i)
    g_assert_cmpstr (a->values[i].name, ==, m->names->pdata[i]);
}

/* ---- the last change and message that were told ----------------------------------------------------------------------- */

static void
assert_told (Store *s, StateScope scope, uint32_t object, uint32_t attribute, int64_t old, int64_t new, bool told)
{
  if (!told) {
    g_assert_cmpuint (s->outbox.changes.n, ==, 0);
    return;
  }
  g_assert_cmpuint (s->outbox.changes.n, ==, 1);
  const StateChange *c = s->outbox.changes.data;
  g_assert_cmpint (c->date, ==, s->now);
  g_assert_cmpint (c->old_value, ==, old);
  g_assert_cmpint (c->new_value, ==, new);
  g_assert_cmpuint (c->object, ==, object);
  g_assert_cmpuint (c->attribute, ==, attribute);
  g_assert_cmpint (c->scope, ==, scope);
}

/* ---- one of all operations --------------------------------------------------------------------------------------------- */

static void
step (Store *s, Model *m, GRand *rand, guint n_tasks)
{
  int what = g_rand_int_range (rand, 0, 17);
  guint n = m->nodes->len;
  uint32_t k = n ? (uint32_t) g_rand_int_range (rand, 0, (gint32) n) : 0, task;
  guint of_tag = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (tags));
  int32_t tag = tags[of_tag];
  Object *node = n ? m->nodes->pdata[k] : NULL, *edge = NULL;
  uint32_t e = m->edges->len ? (uint32_t) g_rand_int_range (rand, 0, (gint32) m->edges->len) : 0, old;
  int64_t size = g_rand_int_range (rand, 0, 6) ? g_rand_int_range (rand, 0, 5000) : 0;

  if (m->edges->len)
    edge = m->edges->pdata[e];
  m->now += g_rand_int_range (rand, 0, 3) ? g_rand_int_range (rand, 0, 1000) : 0;
  s->now = s->graph.clock = m->now;
  outbox_clear (&s->outbox);
  if (!n || what == 0) {
    uint32_t state = (uint32_t) g_rand_int_range (rand, 0, 3), is;
    task = (uint32_t) g_rand_int_range (rand, 0, (gint32) n_tasks);
    is = store_node (s, task, state);
    for (k = 0; k < n && ((Object *) m->nodes->pdata[k])->task != task; ++k)
      ;
    g_assert_cmpuint (is, ==, k);
    if (k == n)
      add (m->nodes, m->now, state)->task = task;
    assert_told (s, STATE_NODE, k, NODE_STATE, -1, state, k == n);
    return;
  }
  old = state_of (node);
  switch (what) {
  case 1:
  case 2: {
    uint32_t other = (uint32_t) g_rand_int_range (rand, 0, (gint32) n), is = store_edge (s, k, other), i = 0;
    for (i = 0; i < m->edges->len; ++i) {
      const Object *o = m->edges->pdata[i];
      if (o->from == k && o->to == other)
        break;
    }
    g_assert_cmpuint (is, ==, i);
    assert_told (s, STATE_EDGE, i, EDGE_STATE, -1, 0, i == m->edges->len);
    if (i == m->edges->len) {
      edge = add (m->edges, m->now, 0);
      edge->from = k;
      edge->to = other;
    }
    break;
  }
  case 3:
    store_set (s, NODE_SIZE, k, size);
    assert_told (s, STATE_NODE, k, NODE_SIZE, node->number, size, node->number != size);
    if (node->number != size)
      node->clock = m->now;
    node->number = size;
    break;
  case 4:
    set_base (node, m->now, (uint32_t) g_rand_int_range (rand, 0, (gint32) m->names->len));
    store_set (s, NODE_STATE, k, node->base);
    take_state (node, m->now);
    assert_told (s, STATE_NODE, k, NODE_STATE, old, state_of (node), state_of (node) != old);
    break;
  case 5:
  case 6: {
    Frame f = { (uint64_t) g_rand_int_range (rand, 0, 12), (uint32_t) g_rand_int_range (rand, 0, 3),
                (uint32_t) g_rand_int_range (rand, 0, (gint32) m->names->len) };
    g_assert_true (store_push (s, k, f.key, f.group, f.value));
    g_array_append_val (node->frames, f);
    pass (node, m->now, f.value, 1);
    take_state (node, m->now);
    assert_told (s, STATE_NODE, k, NODE_STATE, old, state_of (node), state_of (node) != old);
    break;
  }
  case 7:
  case 8: {
    uint64_t key = (uint64_t) g_rand_int_range (rand, 0, 12);
    uint32_t group = (uint32_t) g_rand_int_range (rand, 0, 3);
    int found = -1;
    for (guint i = 0; i < node->frames->len; ++i) /* the innermost of this group; before it, one with the key */
      if (g_array_index (node->frames, Frame, i).group == group)
        found = (int) i;
    for (guint i = 0, seen = 0; i < node->frames->len; ++i)
      if (g_array_index (node->frames, Frame, i).key == key) {
        found = (int) i;
        ++seen;
      }
    g_assert_true (store_pop (s, k, key, group) == (found >= 0));
    if (found >= 0) {
      pass (node, m->now, g_array_index (node->frames, Frame, found).value, -1);
      g_array_remove_index (node->frames, (guint) found);
    }
    take_state (node, m->now);
    assert_told (s, STATE_NODE, k, NODE_STATE, old, state_of (node), state_of (node) != old);
    break;
  }
  case 9:
    store_pop_all (s, k);
    leave_all (node, m->now);
    store_set (s, NODE_STATE, k, GONE);
    set_base (node, m->now, GONE);
    take_state (node, m->now);
    break;
  case 10:
    if (!edge)
      break;
    store_set (s, EDGE_STATE, e, size % 2);
    old = state_of (edge);
    edge->base = (uint32_t) (size % 2);
    take_state (edge, m->now);
    assert_told (s, STATE_EDGE, e, EDGE_STATE, old, edge->base, edge->base != old);
    break;
  case 11:
    if (!edge)
      break;
    store_add (s, EDGE_BYTES, e, size);
    assert_told (s, STATE_EDGE, e, EDGE_BYTES, edge->number, edge->number + size, size != 0);
    if (size)
      edge->clock = m->now;
    edge->number += size;
    break;
  case 12:
  case 13:
    if (!edge)
      break;
    if (store_queue_early (s, e, tag)) { /* what was received early comes now */
      g_assert_true (store_queue_settle_early (s, e, tag));
      --edge->early[of_tag];
      break;
    }
    g_assert_false (store_queue_settle_early (s, e, tag));
    store_send (s, e, tag, size);
    g_array_append_vals (edge->messages, &(Message){ tag, size, m->now }, 1);
    break;
  case 14:
    if (edge) {
      int64_t sent_size = -1, sent = INT64_MIN, told = size;
      guint i = 0;
      while (i < edge->messages->len && g_array_index (edge->messages, Message, i).tag != tag)
        ++i;
      bool there = i < edge->messages->len;
      g_assert_true (store_receive (s, e, tag, told, &sent_size) == there);
      if (there) {
        g_assert_cmpint (sent_size, ==, g_array_index (edge->messages, Message, i).size);
        sent = g_array_index (edge->messages, Message, i).sent;
        g_array_remove_index (edge->messages, i);
      } else if (g_rand_boolean (rand)) {
        store_queue_add_early (s, e, tag);
        ++edge->early[of_tag];
      }
      g_assert_cmpuint (s->outbox.messages.n, ==, 1);
      const StateMessage *t = s->outbox.messages.data;
      g_assert_cmpint (t->size, ==, told);
      g_assert_cmpint (t->tag, ==, tag);
      g_assert_cmpint (t->received, ==, m->now);
      g_assert_cmpint (t->sent, ==, sent);
      g_assert_cmpuint (t->from, ==, ((Object *) m->nodes->pdata[edge->from])->task);
      g_assert_cmpuint (t->to, ==, ((Object *) m->nodes->pdata[edge->to])->task);
    }
    break;
  case 15: /* taken and given back, by some that wait for it: the order is what it was */
    for (int times = g_rand_int_range (rand, 1, 4); edge && times > 0; --times) {
      Message taken[4];
      int n_taken = 0;
      while (n_taken < times && store_queue_pop (s, e, tag, &taken[n_taken].size, &taken[n_taken].sent))
        ++n_taken;
      if (n_taken < times && n_taken && !g_rand_int_range (rand, 0, 3)) { /* one more is received, not sent yet */
        store_queue_add_early (s, e, tag);
        ++edge->early[of_tag];
      }
      while (n_taken-- > 0)
        store_queue_give_back (s, e, tag, taken[n_taken].size, taken[n_taken].sent);
    }
    break;
  default: {
    g_autofree char *name = g_strdup_printf ("name %d", g_rand_int_range (rand, 0, 30));
    guint i = 0;
    while (i < m->names->len && strcmp (m->names->pdata[i], name) != 0)
      ++i;
    g_assert_cmpuint (store_value (s, NODE_STATE, name, STATE_SENSE_NONE), ==, i);
    if (i == m->names->len)
      g_ptr_array_add (m->names, g_steal_pointer (&name));
  }
  }
}

/* Saved and loaded into a fresh one, which saves the same. */
static void
exchange (Store *s)
{
  EveBlob *blob = eve_blob_new (), *again = eve_blob_new ();
  Store fresh;
  size_t n, n_again;

  store_save (s, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  memset (&fresh, 0, sizeof fresh);
  store_init (&fresh, &layout);
  EveBlobView *view = eve_blob_view_new (bytes, n);
  g_assert_true (store_load (&fresh, view));
  eve_blob_view_free (view);
  store_save (&fresh, again);
  const uint8_t *same = eve_blob_data (again, &n_again);
  g_assert_cmpmem (bytes, n, same, n_again);
  /* the store is exchanged by loading it into the old place, which has something in it */
  int64_t now = s->now;
  store_reset (s);
  view = eve_blob_view_new (bytes, n);
  s->now = s->graph.clock = now + 1000; /* of elsewhere: what ends now is reckoned by the clock that was saved */
  g_assert_true (store_load (s, view));
  g_assert_cmpint (s->now, ==, now);
  g_assert_cmpint (s->graph.clock, ==, now);
  eve_blob_view_free (view);
  g_assert_false (s->telling || s->telling_messages); /* who listens says so again */
  s->telling = s->telling_messages = true;
  store_clear (&fresh);
  eve_blob_free (blob);
  eve_blob_free (again);
}

static void
test_modelled (void)
{
  for (guint32 seed = 1; seed <= 12; ++seed) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    Model m = { g_ptr_array_new_with_free_func (object_free), g_ptr_array_new_with_free_func (object_free),
                g_ptr_array_new_with_free_func (g_free), 0 };
    Store s;

    memset (&s, 0, sizeof s);
    store_init (&s, &layout);
    s.telling = s.telling_messages = true;
    for (guint i = 0; i < G_N_ELEMENTS (node_states); ++i)
      g_ptr_array_add (m.names, g_strdup (node_states[i].name));
    for (guint i = 0; i < 4000; ++i) {
      if (i == 3000) { /* from the beginning again: numbers of names too */
        store_reset (&s);
        m.now = 0;
        g_ptr_array_set_size (m.nodes, 0);
        g_ptr_array_set_size (m.edges, 0);
        g_ptr_array_set_size (m.names, G_N_ELEMENTS (node_states));
      }
      step (&s, &m, rand, seed * 20);
      if (i % 50 == 0 || i > 3950)
        assert_same_graph (&s, &m, m.now + g_rand_int_range (rand, 0, 500));
      if (i % 400 == 399) {
        exchange (&s);
        assert_same_graph (&s, &m, m.now);
      }
    }
    store_reset (&s);
    g_assert_true (s.graph.n_nodes == 0 && s.graph.n_edges == 0);
    g_assert_cmpuint (store_find_node (&s, 0), ==, NONE);
    store_clear (&s);
    g_ptr_array_unref (m.nodes);
    g_ptr_array_unref (m.edges);
    g_ptr_array_unref (m.names);
  }
}

/* So many states inside each other, and no more; so many names, the others are one. */
static void
test_bounds (void)
{
  Store s;

  memset (&s, 0, sizeof s);
  store_init (&s, &layout);
  uint32_t node = store_node (&s, 5, WORKS), others = NONE;
  for (uint32_t i = 0; i < STORE_MOST_DEPTH; ++i)
    g_assert_true (store_push (&s, node, i, 0, i % 3));
  g_assert_false (store_push (&s, node, STORE_MOST_DEPTH, 0, AWAY));
  g_assert_cmpuint (store_stack (&s, node)->depth, ==, STORE_MOST_DEPTH);
  g_assert_false (store_pop (&s, node, STORE_MOST_DEPTH, 1));
  for (uint32_t i = 0; i < STORE_MOST_DEPTH; ++i)
    g_assert_true (store_pop (&s, node, i, 0));
  g_assert_false (store_pop (&s, node, 0, 0));
  for (uint32_t i = G_N_ELEMENTS (node_states); i < STORE_MOST_VALUES + 10; ++i) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    uint32_t is = store_value (&s, NODE_STATE, name, STATE_SENSE_WORKS);
    if (i < STORE_MOST_VALUES)
      g_assert_cmpuint (is, ==, i);
    else {
      others = others == NONE ? is : others;
      g_assert_cmpuint (is, ==, STORE_MOST_VALUES);
      g_assert_cmpuint (is, ==, others);
    }
    if (i < STORE_MOST_VALUES && i % 1000 == 0)
      g_assert_cmpuint (store_value (&s, NODE_STATE, name, STATE_SENSE_WORKS), ==, i);
  }
  const StateValue *v = &s.graph.model->attributes[NODE_STATE].values[others];
  g_assert_cmpstr (v->name, ==, "others");
  g_assert_cmpint (v->sense, ==, STATE_SENSE_NONE);
  store_clear (&s);
}

static int64_t
total (const Store *s, uint32_t node, uint32_t value, int64_t *visits)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  int64_t sum = 0;

  *visits = -1;
  state_times (&s->graph, node, s->now, times);
  for (guint i = 0; i < times->len; ++i) {
    const StateTime *t = &g_array_index (times, StateTime, i);
    sum += t->spent;
    if (t->value == value)
      *visits = t->visits;
  }
  return sum;
}

/* When there are more nodes in states than are kept apart no time is lost, and nothing else is another after a load. */
static void
test_many_times (void)
{
  const uint32_t n_values = STORE_MOST_VALUES, n_nodes = STORE_MOST_TIMES / n_values + 2;
  Store s, loaded;
  EveBlob *blob = eve_blob_new ();
  int64_t visits, others;

  memset (&s, 0, sizeof s);
  store_init (&s, &layout);
  s.now = 0;
  for (uint32_t i = G_N_ELEMENTS (node_states); i < n_values; ++i) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    store_value (&s, NODE_STATE, name, STATE_SENSE_WORKS);
  }
  for (uint32_t node = 0; node < n_nodes; ++node)
    store_node (&s, node, WORKS);
  for (uint32_t node = 0; node < n_nodes; ++node)
    for (uint32_t value = 1; value < n_values; ++value, ++s.now)
      store_set (&s, NODE_STATE, node, value);
  s.graph.clock = s.now;
  g_assert_cmpuint (s.times.n, ==, STORE_MOST_TIMES + s.times.n_others);
  g_assert_cmpint (s.times.n_others, ==, 2);
  store_save (&s, blob);
  size_t n;
  const uint8_t *bytes = eve_blob_data (blob, &n);
  EveBlobView *view = eve_blob_view_new (bytes, n);
  memset (&loaded, 0, sizeof loaded);
  store_init (&loaded, &layout);
  g_assert_true (store_load (&loaded, view));
  eve_blob_view_free (view);
  eve_blob_free (blob);
  for (const Store *which = &s; which; which = which == &s ? &loaded : NULL)
    for (uint32_t node = 0; node < n_nodes; ++node) {
      g_assert_cmpint (total (which, node, n_values - 1, &visits), ==, s.now);
      total (which, node, STATE_OTHERS, &others);
      g_assert_true (visits == 1 || others > 0);
    }
  store_clear (&s);
  store_clear (&loaded);
}

/* A message comes back from a run state bit for bit, and one with ends or a tag that cannot be does not. */
static void
test_message (void)
{
  static const struct {
    int64_t from, to, tag;
    bool good;
  } cases[] = {
    { 0, 1, 2, true },
    { UINT32_MAX, UINT32_MAX, INT32_MIN, true },
    { 0, UINT32_MAX, INT32_MAX, true },
    { -1, 1, 2, false },
    { 1, -1, 2, false },
    { INT64_C (1) << 32, 1, 2, false },
    { 1, INT64_C (1) << 32, 2, false },
    { 1, 1, INT64_C (1) << 31, false },
    { 1, 1, -(INT64_C (1) << 31) - 1, false },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); ++i) {
    EveBlob *blob = eve_blob_new ();
    StateMessage m;
    size_t n;
    eve_put_int (blob, INT64_MIN);
    eve_put_int (blob, 77);
    eve_put_int (blob, INT64_MAX);
    eve_put_int (blob, cases[i].from);
    eve_put_int (blob, cases[i].to);
    eve_put_int (blob, cases[i].tag);
    trace_put_source (NULL, 0, blob);
    const uint8_t *bytes = eve_blob_data (blob, &n);
    EveBlobView *view = eve_blob_view_new (bytes, n);
    g_assert_true (state_type_message.load (NULL, &m, view) == cases[i].good);
    if (cases[i].good) {
      g_assert_true (m.sent == INT64_MIN && m.received == 77 && m.size == INT64_MAX);
      g_assert_true (m.from == cases[i].from && m.to == cases[i].to && m.tag == cases[i].tag);
      EveBlob *again = eve_blob_new ();
      state_type_message.save (NULL, &m, again);
      size_t n_again;
      const uint8_t *same = eve_blob_data (again, &n_again);
      g_assert_cmpmem (bytes, n, same, n_again);
      eve_blob_free (again);
    }
    eve_blob_view_free (view);
    eve_blob_free (blob);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/modelled", test_modelled);
  g_test_add_func ("/store/bounds", test_bounds);
  g_test_add_func ("/store/many-times", test_many_times);
  g_test_add_func ("/store/message", test_message);
  return g_test_run ();
}
