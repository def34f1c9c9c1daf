/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks did, from the tables of time that every state graph answers: while the program plays, slice by slice;
 * then of all tasks, by what they are. */
#include "cli/report.h"
#include "readers/another.h"
#include "readers/pair.h"
#include "statistics/graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED 1024            /* nodes, the first to appear, that are looked at in each slice, */
#define MOST_WATCHES (1u << 14) /* and states of them */
#define USUAL_OF 4              /* so many make a usual: fewer are all unlike each other */
#define LEAST_UNLIKE 0.05       /* of a life */

/* A node in one state, over time. */
struct ReportWatch {
  int64_t before;
  float spent[REPORT_SLICES]; /* seconds */
};

static uint64_t
report_states_key_of (uint32_t node, uint32_t value)
{
  return (uint64_t) node << 32 | value;
}

static ReportWatch *
report_states_watch_of (const Report *r, uint32_t node, uint32_t value)
{
  uint64_t key = report_states_key_of (node, value);

  return g_hash_table_lookup (r->watches, &key);
}

void
report_watch_begin (Report *r)
{
  const StateModel *m = r->graph->model;

  g_clear_pointer (&r->watches, g_hash_table_unref);
  r->watches = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  r->n_watched = WATCHED;
  r->n_states = 0;
  for (uint32_t a = 0; m->times == NULL && a < m->n_attributes && r->n_states < REPORT_STATES; ++a)
    if (m->attributes[a].scope == STATE_NODE && m->attributes[a].kind == STATE_PERCENT)
      r->state_of[r->n_states++] = m->attributes[a].of;
}

static gboolean
is_dropped (gpointer key, gpointer watch, gpointer report)
{
  return *(uint64_t *) key >> 32 >= ((const Report *) report)->n_watched;
}

static void
watch_node (Report *r, uint32_t node, int slice, const GArray *times)
{
  for (guint i = 0; i < times->len; ++i) {
    const StateTime *t = &g_array_index (times, StateTime, i);
    ReportWatch *w = report_states_watch_of (r, node, t->value);
    if (!w) {
      uint64_t key = report_states_key_of (node, t->value);
      w = g_new0 (ReportWatch, 1);
      g_hash_table_insert (r->watches, g_memdup2 (&key, sizeof key), w);
    }
    w->spent[slice] = (float) trace_clock_seconds (&r->source->clock, t->spent - w->before);
    w->before = t->spent;
  }
}

void
report_watch (Report *r, int slice, int64_t at)
{
  const StateGraph *g = r->graph;
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));

  for (uint32_t n = 0; n < MIN (g->n_nodes, r->n_watched); ++n) {
    g_array_set_size (times, 0);
    state_times (g, n, at, times);
    watch_node (r, n, slice, times);
    if (g_hash_table_size (r->watches) > MOST_WATCHES && r->n_watched > 1) { /* then of fewer, but all of them */
      r->n_watched /= 2;
      g_hash_table_foreach_remove (r->watches, is_dropped, r);
    }
  }
}

/* ---- tasks by what they are --------------------------------------------------------------------------------------- */

uint32_t
report_task_number (const Report *r, uint32_t node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (r->tasks, r->graph->node_id (r->graph, node))) - 1;
}

typedef struct Stand {
  uint32_t number, place, node;
} Stand;

static int
compare_stands (const void *a, const void *b)
{
  const Stand *x = a, *y = b;

  return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                : (x->place > y->place) - (x->place < y->place);
}

/* Nodes as their tasks stand in the trace, as everywhere else; behind them the others, by id. */
static uint32_t *
nodes_in_order (const Report *r)
{
  uint32_t n = state_count (r->graph, STATE_NODE), *order = state_sorted (r->graph, STATE_NODE);
  g_autofree Stand *all = g_new (Stand, (gsize) n + 1);

  for (uint32_t i = 0; i < n; i++)
    all[i] = (Stand){ report_task_number (r, order[i]), i, order[i] };
  qsort (all, n, sizeof *all, compare_stands);
  for (uint32_t i = 0; i < n; i++)
    order[i] = all[i].node;
  return order;
}

const TraceTask *
report_trace_task (const Report *r, uint32_t node)
{
  return trace_task (r->source, report_task_number (r, node));
}

static const char *
report_states_type_of (const Report *r, uint32_t node)
{
  return stats_task_type (r->source, report_task_number (r, node));
}

static void
type_free (gpointer pointer)
{
  ReportType *t = pointer;

  g_array_unref (t->nodes);
  g_array_unref (t->states);
  g_free (t);
}

static ReportType *
find_type (Report *r, GHashTable *by_name, uint32_t node)
{
  const char *name = report_states_type_of (r, node), *key = name ? name : "";
  ReportType *t = g_hash_table_lookup (by_name, key);

  if (!t) {
    t = g_new0 (ReportType, 1);
    t->name = t->word = name;
    const TraceTask *task = report_trace_task (r, node);
    const TraceType *type = task && task->type < r->source->types->len ? r->source->types->pdata[task->type] : NULL;
    if (type && name && strcmp (type->name, name) == 0)
      t->word = trace_type_word (type);
    t->shortest = INT64_MAX;
    t->nodes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    t->states = g_array_new (FALSE, FALSE, sizeof (ReportState));
    g_hash_table_insert (by_name, (gpointer) key, t);
    g_ptr_array_add (r->types, t);
  }
  return t;
}

static bool
report_states_counts (const Report *r, uint32_t value)
{
  return value == STATE_OTHERS || state_counts (r->graph->model, STATE_NODE, value);
}

StateSense
report_sense (const Report *r, uint32_t value)
{
  const StateModel *m = r->graph->model;

  return value == STATE_OTHERS ? STATE_SENSE_NONE
                               : state_value (m, state_with_role (m, STATE_NODE, STATE_ROLE_STATE), value)->sense;
}

const char *
report_state (const Report *r, uint32_t value)
{
  return state_time_name (r->graph->model, state_with_role (r->graph->model, STATE_NODE, STATE_ROLE_STATE), value);
}

const char *
report_word (const Report *r, uint32_t value)
{
  const StateModel *m = r->graph->model;

  return state_word (m, state_with_role (m, STATE_NODE, STATE_ROLE_STATE), report_state (r, value));
}

/* One more of this type, and what it spent where.  `places`: of a value of this type in its table, + 1. */
static void
report_states_add_times (const Report *r, ReportType *type, GHashTable *places, uint32_t node, const GArray *times)
{
  int64_t life = 0;

  for (guint i = 0; i < times->len; ++i) {
    const StateTime *t = &g_array_index (times, StateTime, i);
    if (!report_states_counts (r, t->value))
      continue;
    life = trace_sum (life, t->spent);
    uint64_t key = report_states_key_of (type->place, t->value);
    guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &key));
    if (!place) {
      g_array_append_vals (type->states, &(ReportState){ .value = t->value, .least = INT64_MAX, .most = -1 }, 1);
      place = type->states->len;
      g_hash_table_insert (places, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (place));
    }
    ReportState *s = &g_array_index (type->states, ReportState, place - 1);
    s->spent = trace_sum (s->spent, t->spent);
    s->inclusive = trace_sum (s->inclusive, t->inclusive);
    s->visits += t->visits;
    s->n_tasks += t->visits != 0 && (t->visits > 0 || t->spent > 0);
    if (t->spent < s->least) {
      s->least = t->spent;
      s->least_node = node;
    }
    if (t->spent > s->most) {
      s->most = t->spent;
      s->most_node = node;
    }
    type->busy |= report_sense (r, t->value) != STATE_SENSE_REST && (t->visits > 0 || t->spent > 0);
  }
  g_array_append_val (type->nodes, node);
  type->lived = trace_sum (type->lived, life);
  type->shortest = MIN (type->shortest, life);
  type->longest = MAX (type->longest, life);
}

static int
report_states_by_time (gconstpointer a, gconstpointer b)
{
  const ReportState *p = a, *q = b;

  return p->spent != q->spent ? (p->spent < q->spent) - (p->spent > q->spent)
                              : (p->value > q->value) - (p->value < q->value);
}

static int
by_life (gconstpointer a, gconstpointer b)
{
  const ReportType *p = *(ReportType *const *) a, *q = *(ReportType *const *) b;

  return p->busy != q->busy     ? q->busy - p->busy
         : p->again != q->again ? p->again - q->again
         : p->lived != q->lived ? (p->lived < q->lived) - (p->lived > q->lived)
                                : (p->place > q->place) - (p->place < q->place);
}

/* Who was never in a state that others of the type were in has spent nothing in it. */
static void
complete_least (const Report *r, ReportType *type)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autofree guint *met = g_new0 (guint, MAX (type->states->len, 1));

  for (guint i = 0; i < type->states->len; ++i)
    g_hash_table_insert (places, GUINT_TO_POINTER (g_array_index (type->states, ReportState, i).value),
                         GUINT_TO_POINTER (i + 1));
  for (guint k = 0; k < type->nodes->len; ++k) {
    uint32_t node = g_array_index (type->nodes, uint32_t, k);
    g_array_set_size (times, 0);
    state_times (r->graph, node, r->graph->clock, times);
    for (guint i = 0; i < times->len; ++i) {
      guint place = GPOINTER_TO_UINT (
          g_hash_table_lookup (places, GUINT_TO_POINTER (g_array_index (times, StateTime, i).value)));
      if (place && met[place - 1] == k) /* all before have it too */
        ++met[place - 1];
    }
  }
  for (guint i = 0; i < type->states->len; ++i)
    if (met[i] < type->nodes->len) {
      ReportState *s = &g_array_index (type->states, ReportState, i);
      s->least = 0;
      s->least_node = g_array_index (type->nodes, uint32_t, met[i]);
    }
}

static void
find_types (Report *r)
{
  const StateGraph *g = r->graph;
  g_autofree uint32_t *order = nodes_in_order (r);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) places = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));

  for (uint32_t i = 0, n = state_count (g, STATE_NODE); i < n; ++i) {
    ReportType *type = find_type (r, by_name, order[i]);
    uint32_t number = report_task_number (r, order[i]); /* what is under way beside tasks is nobody once more */
    bool again = trace_task_is_another (r->source, number) && !trace_task_is_under_way (r->source, number);
    if (type->nodes->len == 0)
      type->place = r->types->len;
    type->again = again && (type->again || type->nodes->len == 0);
    g_array_set_size (times, 0);
    state_times (g, order[i], g->clock, times);
    report_states_add_times (r, type, places, order[i], times);
  }
  for (guint i = 0; i < r->types->len; ++i) {
    ReportType *type = r->types->pdata[i];
    complete_least (r, type);
    g_array_sort (type->states, report_states_by_time);
    for (guint k = 0; k < type->states->len; ++k) {
      ReportState *s = &g_array_index (type->states, ReportState, k);
      s->visits = g->model->times || g->model->visits ? s->visits : -1;
      r->nested |= g->model->times && s->inclusive != s->spent && report_sense (r, s->value) == STATE_SENSE_NONE;
    }
  }
  g_ptr_array_sort (r->types, by_life);
}

/* ---- states that have a column, and rows of tasks ------------------------------------------------------------------ */

/* Of a model that learns its states as it goes those that took most time; the last of them is all others, if there are
 * more. */
static void
report_states_choose (Report *r)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (ReportState));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    for (guint k = 0; type->busy && !type->again && k < type->states->len; ++k) {
      const ReportState *s = &g_array_index (type->states, ReportState, k);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (s->value)));
      if (!place) {
        g_array_append_vals (all, &(ReportState){ .value = s->value }, 1);
        place = all->len;
        g_hash_table_insert (places, GUINT_TO_POINTER (s->value), GUINT_TO_POINTER (place));
      }
      g_array_index (all, ReportState, place - 1).spent += s->spent;
    }
  }
  g_array_sort (all, report_states_by_time);
  while (all->len > 0 && g_array_index (all, ReportState, all->len - 1).spent == 0)
    g_array_set_size (all, all->len - 1);
  r->n_states = (int) MIN (all->len, REPORT_STATES);
  for (int k = 0; k < r->n_states; ++k)
    r->state_of[k] = g_array_index (all, ReportState, k).value;
  if (all->len > REPORT_STATES)
    r->state_of[REPORT_STATES - 1] = STATE_OTHERS;
}

static void
name_states (Report *r)
{
  const StateModel *m = r->graph->model;
  int attribute = state_with_role (m, STATE_NODE, STATE_ROLE_STATE);

  for (int k = 0; k < r->n_states; ++k) {
    r->states[k] = report_state (r, r->state_of[k]);
    r->senses[k] = report_sense (r, r->state_of[k]);
    r->docs[k] = r->state_of[k] == STATE_OTHERS ? NULL : state_value (m, attribute, r->state_of[k])->doc;
  }
}

/* The column of a value, or -1. */
static int
report_states_column_of (const Report *r, uint32_t value)
{
  for (int k = 0; k < r->n_states; ++k)
    if (r->state_of[k] == value)
      return k;
  return r->n_states > 0 && r->state_of[r->n_states - 1] == STATE_OTHERS && report_states_counts (r, value)
             ? r->n_states - 1
             : -1;
}

static bool
is_busy (const Report *r, uint32_t node)
{
  const char *name = report_states_type_of (r, node);

  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    if (g_strcmp0 (type->name, name) == 0)
      return type->busy && !type->again;
  }
  return true;
}

/* As they stand; only tasks that were looked at have one, and only those of a type that does something, if any
 * does. */
static void
report_states_choose_rows (Report *r)
{
  const StateGraph *g = r->graph;
  g_autofree uint32_t *order = nodes_in_order (r);
  bool any = r->types->len > 0 && ((ReportType *) r->types->pdata[0])->busy;
  GHashTableIter iter;
  gpointer key, watch;

  r->rows = g_new0 (uint32_t, REPORT_ROWS);
  r->spent = g_malloc0 (sizeof *r->spent * REPORT_ROWS);
  g_autoptr (GHashTable) row_of = g_hash_table_new (NULL, NULL);
  for (uint32_t i = 0, n = state_count (g, STATE_NODE); i < n; ++i) {
    bool busy = !any || is_busy (r, order[i]);
    r->n_busy += busy;
    if (!busy || order[i] >= r->n_watched || r->n_rows >= REPORT_ROWS)
      continue;
    r->rows[r->n_rows++] = order[i];
    g_hash_table_insert (row_of, GUINT_TO_POINTER (order[i]), GUINT_TO_POINTER (r->n_rows));
  }
  g_hash_table_iter_init (&iter, r->watches);
  while (g_hash_table_iter_next (&iter, &key, &watch)) {
    uint64_t who = *(uint64_t *) key;
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (row_of, GUINT_TO_POINTER ((guint) (who >> 32))));
    int k = report_states_column_of (r, (uint32_t) who);
    for (int i = 0; row && k >= 0 && i < REPORT_SLICES; ++i)
      r->spent[row - 1][i][k] += ((ReportWatch *) watch)->spent[i];
  }
}

double
report_share (const Report *r, uint32_t node, int state)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  double spent = 0, life = 0;

  state_times (r->graph, node, r->graph->clock, times);
  for (guint i = 0; i < times->len; ++i) {
    const StateTime *t = &g_array_index (times, StateTime, i);
    if (!report_states_counts (r, t->value))
      continue;
    life += (double) t->spent;
    spent += report_states_column_of (r, t->value) == state ? (double) t->spent : 0;
  }
  return life > 0 ? spent / life : 0;
}

double
report_share_of_all (const Report *r, int state)
{
  double spent = 0, life = 0;

  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    if (type->again)
      continue;
    life += (double) type->lived;
    for (guint k = 0; k < type->states->len; ++k) {
      const ReportState *s = &g_array_index (type->states, ReportState, k);
      spent += report_states_column_of (r, s->value) == state ? (double) s->spent : 0;
    }
  }
  return life > 0 ? spent / life : 0;
}

/* ---- tasks that are unlike the others of their type ------------------------------------------------------------------ */

static int
report_states_by_number (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Sorts them. */
static double
median (double *x, guint n)
{
  qsort (x, n, sizeof *x, report_states_by_number);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* When it was: the stretch of slices in which it spent more than the median of its type, or less, that makes most of
 * the difference. */
static void
date_unlike (const Report *r, const ReportType *type, ReportUnlike *u)
{
  g_autofree double *x = g_new (double, type->nodes->len);
  double best = 0, sum = 0, sign = u->share > u->usual ? 1 : -1;
  int from = 0, begin = 0, end = REPORT_SLICES - 1;
  const ReportWatch *own = report_states_watch_of (r, u->node, u->value);
  int64_t span = r->source->last - r->source->first;

  if (u->node >= r->n_watched)
    return;
  for (int slice = 0; slice < REPORT_SLICES; ++slice) {
    guint n = 0;
    for (guint i = 0; i < type->nodes->len; ++i) {
      uint32_t node = g_array_index (type->nodes, uint32_t, i);
      const ReportWatch *w = node < r->n_watched ? report_states_watch_of (r, node, u->value) : NULL;
      if (node < r->n_watched)
        x[n++] = w ? w->spent[slice] : 0;
    }
    sum += sign * ((own ? own->spent[slice] : 0) - median (x, n));
    if (sum > best) {
      best = sum;
      begin = from;
      end = slice;
    }
    if (sum <= 0) {
      sum = 0;
      from = slice + 1;
    }
  }
  u->dated = best > 0;
  u->from = r->source->first + (int64_t) ((double) span * begin / REPORT_SLICES);
  u->to = r->source->first + (int64_t) ((double) span * (end + 1) / REPORT_SLICES);
}

static int
by_difference (gconstpointer a, gconstpointer b)
{
  const ReportUnlike *p = a, *q = b;
  double x = fabs (p->share - p->usual), y = fabs (q->share - q->usual);

  if (x != y)
    return (x < y) - (x > y);
  if (p->node == q->node) /* of what it does more, and what it does less instead, the first */
    return (p->share < p->usual) - (q->share < q->usual);
  return (p->node > q->node) - (p->node < q->node);
}

/* Far from the median as measured by how far the others are, and by what a person would see. */
static void
compare_state (Report *r, const ReportType *type, uint32_t value, double *share, double *x)
{
  guint n = type->nodes->len;

  memcpy (x, share, n * sizeof *x);
  double usual = median (x, n);
  for (guint i = 0; i < n; ++i)
    x[i] = fabs (share[i] - usual);
  double apart = 1.4826 * median (x, n), most = MAX (LEAST_UNLIKE, 4 * apart);
  guint n_unlike = 0;
  for (guint i = 0; i < n; ++i)
    n_unlike += fabs (share[i] - usual) > most;
  for (guint i = 0; i < n && n_unlike * USUAL_OF <= n; ++i)
    if (fabs (share[i] - usual) > most) {
      ReportUnlike u = { .type = type, .node = g_array_index (type->nodes, uint32_t, i), .value = value };
      u.share = share[i];
      u.usual = usual;
      u.n_unlike = n_unlike;
      g_array_append_val (r->unlike, u);
    }
}

static void
find_unlike (Report *r)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));

  for (guint t = 0; t < r->types->len; ++t) {
    const ReportType *type = r->types->pdata[t];
    guint n = type->nodes->len, n_states = MIN (type->states->len, REPORT_COMPARED);
    if (!type->busy || n < USUAL_OF)
      continue;
    g_autofree double *share = g_new0 (double, (gsize) n *n_states), *x = g_new (double, n);
    g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
    for (guint k = 0; k < n_states; ++k)
      g_hash_table_insert (places, GUINT_TO_POINTER (g_array_index (type->states, ReportState, k).value),
                           GUINT_TO_POINTER (k + 1));
    for (guint i = 0; i < n; ++i) {
      double life = 0;
      g_array_set_size (times, 0);
      state_times (r->graph, g_array_index (type->nodes, uint32_t, i), r->graph->clock, times);
      for (guint k = 0; k < times->len; ++k)
        life += report_states_counts (r, g_array_index (times, StateTime, k).value)
                    ? (double) g_array_index (times, StateTime, k).spent
                    : 0;
      for (guint k = 0; k < times->len; ++k) {
        const StateTime *time = &g_array_index (times, StateTime, k);
        guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (time->value)));
        if (place && life > 0)
          share[(gsize) (place - 1) * n + i] = (double) time->spent / life;
      }
    }
    for (guint k = 0; k < n_states; ++k)
      compare_state (r, type, g_array_index (type->states, ReportState, k).value, share + (gsize) k * n, x);
  }
  g_array_sort (r->unlike, by_difference);
  if (r->unlike->len > REPORT_TOP)
    g_array_set_size (r->unlike, REPORT_TOP);
  for (guint i = 0; i < r->unlike->len; ++i) {
    ReportUnlike *u = &g_array_index (r->unlike, ReportUnlike, i);
    date_unlike (r, u->type, u);
  }
}

void
report_watch_end (Report *r)
{
  r->types = g_ptr_array_new_with_free_func (type_free);
  r->tasks = stats_tasks_by_id (r->source);
  r->unlike = g_array_new (FALSE, FALSE, sizeof (ReportUnlike));
  find_types (r);
  if (r->graph->model->times)
    report_states_choose (r);
  name_states (r);
  report_states_choose_rows (r);
  find_unlike (r);
}

void
report_watch_clear (Report *r)
{
  g_clear_pointer (&r->watches, g_hash_table_unref);
  g_clear_pointer (&r->types, g_ptr_array_unref);
  g_clear_pointer (&r->tasks, g_hash_table_unref);
  g_clear_pointer (&r->unlike, g_array_unref);
}
