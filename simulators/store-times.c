/* SPDX-License-Identifier: Apache-2.0 */
/* store-times.c - how long each node was in each value of its state, and how often it was entered.
 *
 * A row for each node and value that it was in.  Frames and stacks know the numbers of theirs, so only who enters a
 * state looks for one, by two numbers. */
#include "simulators/store-private.h"

#define FIRST_BITS 6

static void
index_time (StoreTimes *t, uint32_t time)
{
  uint32_t i = store_time_place (t, t->rows[time].node, t->rows[time].value);

  while (t->index[i] != 0)
    i = (i + 1) & ((1u << t->bits) - 1);
  t->index[i] = time + 1;
}

/* At most half of the index is used. */
static void
grow_index (StoreTimes *t)
{
  t->bits = t->index ? t->bits + 1 : FIRST_BITS;
  g_free (t->index);
  t->index = g_new0 (uint32_t, (gsize) 1 << t->bits);
  for (uint32_t i = 0; i < t->n; i++)
    index_time (t, i);
}

uint32_t
store_add_time (Store *s, uint32_t node, uint32_t value)
{
  StoreTimes *t = &s->times;
  StoreStack *stack = stack_of (s, node);

  if (t->n - t->n_others >= STORE_MOST_TIMES && value != STATE_OTHERS)
    return store_time (s, node, STATE_OTHERS);
  if (!t->index || t->n + 1 > 1u << (t->bits - 1))
    grow_index (t);
  t->rows = state_room (t->rows, t->n, &t->room, sizeof *t->rows);
  t->rows[t->n] = (StoreTime){ .node = node, .value = value, .next = stack->first_time };
  stack->first_time = t->n;
  t->n_others += value == STATE_OTHERS;
  index_time (t, t->n);
  return t->n++;
}

void
store_times_reset (StoreTimes *t)
{
  g_free (t->rows);
  g_free (t->index);
  g_free (t->sums);
  *t = (StoreTimes){ 0 };
}

/* What is inclusive of a value is, while a node is in it, less the date since when; visits that are under way count. */
static void
count_times_from (StoreTimes *t, int64_t date)
{
  for (uint32_t i = 0; i < t->n; i++) {
    t->rows[i].spent = 0;
    t->rows[i].visits = t->rows[i].open;
    t->rows[i].inclusive = t->rows[i].open > 0 ? minus (0, date) : 0;
  }
  g_clear_pointer (&t->sums, g_free); /* made when asked for */
  t->n_sums = 0;
}

/* Since when they are in their states stays known: what that is too long by is taken from the time before. */
static void
count_sides_from (Store *s, StoreSide *side, const StoreKind *kind, uint32_t n, int64_t date)
{
  for (uint32_t i = 0; side->state >= 0 && i < n; i++) {
    void *row = side->rows + (size_t) kind->size * i;
    int64_t before = minus (((const StoreLife *) row)->since, date);
    if (kind->stack) {
      s->times.rows[((const StoreStack *) inside (row, kind->stack))->time].spent = before;
      continue;
    }
    int64_t *spent = inside (row, kind->spent);
    uint32_t state = (uint32_t) get_cell (&s->attributes[side->state], row);
    memset (spent, 0, kind->n_spent * sizeof *spent);
    if (state < kind->n_spent)
      spent[state] = before;
  }
}

void
store_count_from (Store *s, int64_t date)
{
  uint32_t n_spent = s->layout->node.n_spent;

  count_times_from (&s->times, date);
  count_sides_from (s, &s->nodes, &s->layout->node, s->graph.n_nodes, date);
  count_sides_from (s, &s->edges, &s->layout->edge, s->graph.n_edges, date);
  if (!s->visits || n_spent == 0)
    return;
  memset (s->visits, 0, (size_t) n_spent * s->graph.n_nodes * sizeof *s->visits);
  for (uint32_t i = 0; i < s->graph.n_nodes && s->nodes.state >= 0; i++)
    store_visit (
        s, i, n_spent,
        (uint32_t) get_cell (&s->attributes[s->nodes.state], s->nodes.rows + (size_t) s->layout->node.size * i));
}

/* ---- what others ask ----------------------------------------------------------------------------------------------- */

/* Ticks since the last change of state. */
static int64_t
running (const Store *s, uint32_t node, int64_t at)
{
  int64_t since = ((const StoreNode *) store_node_at (s, node))->life.since;

  return at > since ? minus (at, since) : 0;
}

static bool
store_times_counts (const Store *s, uint32_t value)
{
  const StateAttribute *a = &s->attributes[s->nodes.state];

  return value >= a->n_values || a->values[value].sense != STATE_SENSE_GONE;
}

void
store_times_spent (const Store *s, uint32_t node, uint32_t state, int64_t at, int64_t *in_state, int64_t *total)
{
  const StoreStack *stack = stack_of (s, node);

  for (uint32_t i = stack->first_time; i != NONE; i = s->times.rows[i].next) {
    const StoreTime *x = &s->times.rows[i];
    int64_t spent = plus (x->spent, i == stack->time ? running (s, node, at) : 0);
    if (store_times_counts (s, x->value))
      *total = plus (*total, spent);
    if (x->value == state)
      *in_state = spent;
  }
}

static gint
store_times_by_value (gconstpointer a, gconstpointer b)
{
  uint32_t x = ((const StateTime *) a)->value, y = ((const StateTime *) b)->value;

  return (x > y) - (x < y);
}

void
store_times (const StateGraph *g, uint32_t node, int64_t at, GArray *to)
{
  const Store *s = (const Store *) g;
  const StoreStack *stack = stack_of (s, node);
  guint first = to->len;

  for (uint32_t i = stack->first_time; i != NONE; i = s->times.rows[i].next) {
    const StoreTime *x = &s->times.rows[i];
    StateTime t = { .value = x->value,
                    .spent = plus (x->spent, i == stack->time ? running (s, node, at) : 0),
                    .inclusive = plus (x->inclusive, x->open > 0 ? MAX (at, s->now) : 0),
                    .visits = x->visits };
    g_array_append_val (to, t);
  }
  if (to->len > first)
    qsort (&g_array_index (to, StateTime, first), to->len - first, sizeof (StateTime), store_times_by_value);
}

/* ---- sums over all nodes ------------------------------------------------------------------------------------------- */

StoreSum *
store_sum_of (StoreTimes *t, uint32_t value)
{
  uint32_t i = value + 1; /* of STATE_OTHERS 0 */

  if (G_UNLIKELY (i >= t->n_sums)) {
    uint32_t n = MAX (i + 1, 2 * t->n_sums);
    t->sums = g_renew (StoreSum, t->sums, n);
    memset (t->sums + t->n_sums, 0, (n - t->n_sums) * sizeof *t->sums);
    t->n_sums = n;
  }
  return &t->sums[i];
}

/* All of them anew, from what is kept of each node. */
static void
store_times_sum_up (Store *s)
{
  StoreTimes *t = &s->times;

  t->n_sums = s->attributes[s->nodes.state].n_values + 1;
  t->sums = g_new0 (StoreSum, t->n_sums);
  for (uint32_t i = 0; i < t->n; i++) {
    StoreSum *sum = store_sum_of (t, t->rows[i].value);
    sum->past = plus (sum->past, t->rows[i].spent);
  }
  for (uint32_t node = 0; node < s->graph.n_nodes; node++)
    store_sum_enter (t, t->rows[stack_of (s, node)->time].value,
                     ((const StoreNode *) store_node_at (s, node))->life.since);
}

void
store_times_sums (const StateGraph *g, int64_t at, GArray *to)
{
  Store *s = (Store *) (uintptr_t) g; /* what it tells of stays the same */

  if (!s->times.sums)
    store_times_sum_up (s);
  for (uint32_t i = 0; i < s->times.n_sums; i++) {
    const StoreSum *sum = &s->times.sums[i];
    StateTime one = { .value = i - 1,
                      .spent = plus (sum->past,
                                     minus ((int64_t) ((uint64_t) sum->n * (uint64_t) MAX (at, s->now)), sum->since)) };
    g_array_append_val (to, one);
  }
}

/* ---- run state ------------------------------------------------------------------------------------------------------- */

void
store_times_save (const Store *s, uint32_t node, EveBlob *to)
{
  uint32_t n = 0, k;

  for (uint32_t i = stack_of (s, node)->first_time; i != NONE; i = s->times.rows[i].next)
    n++;
  g_autofree uint32_t *oldest_first = g_new (uint32_t, MAX (n, 1));
  k = n;
  for (uint32_t i = stack_of (s, node)->first_time; i != NONE; i = s->times.rows[i].next)
    oldest_first[--k] = i;
  eve_put_int (to, n);
  for (k = 0; k < n; k++) {
    const StoreTime *x = &s->times.rows[oldest_first[k]];
    state_put_index (to, x->value);
    eve_put_int (to, x->spent);
    eve_put_int (to, x->inclusive);
    eve_put_int (to, x->visits);
  }
}

void
store_times_load (Store *s, uint32_t node, EveBlobView *from, bool *ok)
{
  uint32_t n_states = s->names[s->nodes.state].n_met;

  for (int64_t n = state_get (from, 0, (int64_t) n_states + 1, ok); n > 0 && *ok; n--) {
    uint32_t value = state_get_index (from, ok), before = s->times.n;
    if (!*ok || (value != STATE_OTHERS && value >= n_states)) {
      *ok = false;
      return;
    }
    uint32_t time = store_time (s, node, value);
    StoreTime *x = &s->times.rows[time];
    if (s->times.n == before) /* each value once */
      *ok = false;
    x->spent = eve_get_int (from);
    x->inclusive = eve_get_int (from);
    x->visits = state_get (from, 0, INT64_MAX - 1, ok);
  }
}
