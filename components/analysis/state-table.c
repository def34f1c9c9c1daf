/* SPDX-License-Identifier: Apache-2.0 */
/* state-table.c - tasks, or links, with all that is known of them at an instant: a row each, a column for each
 * attribute.
 *
 * It is asked of the state graph, which is at the instant to be told only when time stands still or has ended; so
 * nothing is given in between, and there is nothing to save. */
#include <glib.h>
#include <string.h>
#include "statistics/graph.h"
#include "eve/words.h"
#include "statistics/list.h"
#include "statistics/types.h"

#define MOST_ROWS (1u << 17)

typedef struct StateTable {
  EveBase base;
  int32_t of; /* settings */
  char *attributes, *types;
  GHashTable *told; /* names in settings that are none */
  bool warned;
  /* The rows as they were, where they can only become more: they are worked out again when there are. */
  GArray *rows; /* NULL: there are none */
  const StateGraph *of_graph;
  uint32_t of_nodes, of_tasks;
} StateTable;

static const char *const scopes[] = { "node", "link", NULL };
static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "From the output of that name of a simulator: its state graph is told." },
};
static const EveOutSpec outs[] = {
  { "table", &stats_type_table, .doc = "A row for each task, or link." },
};
enum { OF, ATTRIBUTES, TYPES };
static const EveField settings[] = {
  [OF] = { "of", EVE_F_CHOICE, offsetof (StateTable, of), .choices = scopes, .doc = "What has a row." },
  [ATTRIBUTES] = { "attributes", EVE_F_STRING, offsetof (StateTable, attributes),
                   .doc = "Only these, such as State, PercentIdle, in this order; one with ? behind it, as Host?, "
                          "where rows "
                          "differ in it.  Empty: all that something has." },
  [TYPES] = { "types", EVE_F_STRING, offsetof (StateTable, types),
              .doc = "Only tasks of these types, or that run these programs; empty: all." },
};

/* ---- which rows and columns ------------------------------------------------------------------------------------------ */

static StateScope
scope_of (const StateTable *self)
{
  return self->of == 0 ? STATE_NODE : STATE_EDGE;
}

static void
state_table_offer_attributes (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const StateModel *m = arg;

  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->attributes[i].scope != STATE_GRAPH)
      add (to, m->attributes[i].name);
}

/* The objects that have a row, as StatsNode; of links `node` is the link. */
static GArray *
state_table_choose_rows (StateTable *self, const StateGraph *g, bool ended)
{
  g_auto (GStrv) types = stats_list_split (self->types);
  GArray *rows = scope_of (self) == STATE_NODE ? stats_nodes_in_order (g)
                                               : g_array_new (FALSE, FALSE, sizeof (StatsNode));
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  guint kept = 0;

  if (scope_of (self) == STATE_EDGE) {
    g_autofree uint32_t *edges = state_sorted (g, STATE_EDGE);
    for (uint32_t i = 0; i < state_count (g, STATE_EDGE); i++)
      g_array_append_vals (rows, &(StatsNode){ .node = edges[i], .task = TRACE_NONE }, 1);
    return rows;
  }
  for (guint i = 0; i < rows->len; i++) {
    StatsNode n = g_array_index (rows, StatsNode, i);
    if (n.type)
      g_hash_table_add (met, (gpointer) n.type);
    if (!*types || (n.type && stats_names_have (types, n.type)))
      g_array_index (rows, StatsNode, kept++) = n;
  }
  g_array_set_size (rows, kept);
  const TraceSource *source = g->n_nodes > 0 ? trace_source (g->source) : NULL;
  for (guint i = 0; source && i < source->types->len; i++) { /* those that the trace declares, and nobody is of */
    const TraceType *t = source->types->pdata[i];
    if (t->kind == TRACE_ENTITY)
      g_hash_table_add (met, t->name);
  }
  if (ended)
    stats_tell_unknown ((EveComponent *) self, &self->told, "type of tasks", types, stats_offer_keys, met);
  return rows;
}

/* Of what is counted: whether anybody has more than 0. */
static bool
has_any (const StateGraph *g, uint32_t attribute, const GArray *rows, int64_t date)
{
  g_autoptr (GString) text = g_string_new (NULL);
  bool counted = g->model->attributes[attribute].kind == STATE_INT, any = false;

  for (guint i = 0; i < rows->len && !any; i++) {
    uint32_t object = g_array_index (rows, StatsNode, i).node;
    if (!counted)
      state_text (g, attribute, object, date, text);
    any = counted ? state_number (g, attribute, object, date) != 0 : text->len > 0;
  }
  return any;
}

static bool
differs (const StateGraph *g, uint32_t attribute, const GArray *rows, int64_t date)
{
  g_autoptr (GString) first = g_string_new (NULL), text = g_string_new (NULL);
  bool same = true;

  for (guint i = 0; i < rows->len && same; i++) {
    g_string_truncate (text, 0);
    state_text (g, attribute, g_array_index (rows, StatsNode, i).node, date, i == 0 ? first : text);
    same = i == 0 || g_string_equal (first, text);
  }
  return !same;
}

/* Whether rows of nodes stay what they are as long as there are no more nodes and tasks: none goes, and each task has
 * its type from the beginning. */
static bool
rows_stay (const StateGraph *g, const TraceSource *s)
{
  bool stay = s && !g->model->present;

  for (guint i = 0; stay && i < s->tasks->len; i++)
    stay = ((const TraceTask *) s->tasks->pdata[i])->type < s->types->len;
  return stay;
}

/* As choose_rows(), which sorts all nodes; g_array_unref. */
static GArray *
rows_now (StateTable *self, const StateGraph *g, bool ended)
{
  const TraceSource *s = trace_source (g->source);
  bool same = self->rows && self->of_graph == g && self->of_nodes == g->n_nodes && s && self->of_tasks == s->tasks->len;

  if (same && !ended)
    return g_array_ref (self->rows);
  g_clear_pointer (&self->rows, g_array_unref);
  GArray *rows = state_table_choose_rows (self, g, ended);
  if (!ended && scope_of (self) == STATE_NODE && rows_stay (g, s)) {
    self->rows = g_array_ref (rows);
    self->of_graph = g;
    self->of_nodes = g->n_nodes;
    self->of_tasks = s->tasks->len;
  }
  return rows;
}

/* The attributes that have a column.  Who it is stands in front already. */
static GArray *
choose_columns (StateTable *self, const StateGraph *g, const GArray *rows, int64_t date, bool ended)
{
  g_auto (GStrv) names = stats_list_split (self->attributes);
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const StateModel *m = g->model;

  for (char **n = names; *n; n++) {
    bool asked = g_str_has_suffix (*n, "?");
    if (asked)
      (*n)[strlen (*n) - 1] = '\0';
    int i = state_attribute (m, scope_of (self), *n);
    if (i >= 0 && (!asked || differs (g, (uint32_t) i, rows, date)))
      g_array_append_vals (columns, &(uint32_t){ (uint32_t) i }, 1);
  }
  if (ended)
    stats_tell_unknown ((EveComponent *) self, &self->told, "attribute", names, state_table_offer_attributes,
                        (void *) m);
  for (uint32_t i = 0; !*names && i < m->n_attributes; i++)
    if (m->attributes[i].scope == scope_of (self) && m->attributes[i].role != STATE_ROLE_NAME
        && m->attributes[i].role != STATE_ROLE_LABEL && has_any (g, i, rows, date))
      g_array_append_val (columns, i);
  return columns;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

static StatsCellKind
cell_kind (const StateAttribute *a)
{
  return a->kind == STATE_INT                                ? STATS_CELL_WHOLE
         : a->kind == STATE_DATE                             ? STATS_CELL_DATE
         : a->kind == STATE_REAL || a->kind == STATE_PERCENT ? STATS_CELL_REAL
                                                             : STATS_CELL_TEXT;
}

static const int64_t *
state_table_whole_of (const char *first, size_t stride, uint32_t object)
{
  return (const int64_t *) (const void *) (first + stride * object);
}

/* The words for what one of a few values says are put into the table once for rows that follow each other. */
static void
fill_texts (const StateGraph *g, uint32_t attribute, const GArray *rows, StatsTable *t, uint32_t column)
{
  StateKind kind = g->model->attributes[attribute].kind;
  bool few = kind == STATE_ENUM || kind == STATE_VALUE;
  uint32_t last = UINT32_MAX, value = 0;
  g_autoptr (GString) text = g_string_new (NULL);

  for (uint32_t row = 0; row < t->n_rows; row++) {
    uint32_t object = g_array_index (rows, StatsNode, row).node;
    bool known = few && state_value_of (g, (int) attribute, object, &value);
    if (known && value == last) {
      stats_cell (t, row, column)->text = stats_cell (t, row - 1, column)->text;
      continue;
    }
    last = known ? value : UINT32_MAX;
    g_string_truncate (text, 0);
    state_text (g, attribute, object, t->date, text);
    stats_table_set_text (t, row, column, text->str);
  }
}

static void
fill_column (const StateGraph *g, uint32_t attribute, const GArray *rows, StatsTable *t, uint32_t column)
{
  StatsCellKind kind = cell_kind (&g->model->attributes[attribute]);
  size_t stride = 0;
  const char *first = kind == STATS_CELL_TEXT ? NULL : g->model->column (g, attribute, &stride);

  if (kind == STATS_CELL_TEXT) {
    fill_texts (g, attribute, rows, t, column);
    return;
  }
  for (uint32_t row = 0; row < t->n_rows; row++) {
    uint32_t object = g_array_index (rows, StatsNode, row).node;
    if (kind == STATS_CELL_REAL)
      stats_cell (t, row, column)->real = state_number (g, attribute, object, t->date);
    else if (first && state_has (g, attribute, object)) /* INT64_MIN is nothing: of what is counted, and of dates */
      stats_cell (t, row, column)->whole = *state_table_whole_of (first, stride, object);
  }
}

static void
state_table_name_row (const StateTable *self, const StateGraph *g, const StatsNode *n, StatsTable *t, uint32_t row)
{
  const TraceSource *s = trace_source (g->source);

  if (scope_of (self) == STATE_NODE) {
    g_autoptr (GString) name = g_string_new (NULL);
    if (s && n->task != TRACE_NONE)
      g_string_append (name, trace_task_name (s, n->task));
    else
      stats_node_name (g, n->node, name);
    stats_table_set_name (t, row, 0, name->str);
    stats_table_set_owner (t, row, trace_ref_task (g->source, n->task), (TraceRef){ 0 });
    return;
  }
  StatsDatum d = { .owner = n->node, .owner_kind = STATS_OF_LINK, .source = g->source };
  g_autoptr (GString) text = g_string_new (NULL);
  stats_owner_name (&d, g, text);
  stats_table_set_text (t, row, 0, text->str);
  stats_table_set_owner (t, row, stats_owner_ref (&d, g), (TraceRef){ 0 });
}

static bool
state_table_give (StateTable *self, int64_t now, bool ended)
{
  const StateGraph *g = stats_graph_above ((EveComponent *) self);
  const TraceSource *s = g ? trace_source (g->source) : NULL;

  if (!g || g->n_nodes == 0)
    return true;
  int64_t date = MAX (g->clock, ended && s ? s->last : trace_lasts_until (g->source, now));
  g_autoptr (GArray) rows = rows_now (self, g, ended);
  g_autoptr (GArray) attributes = choose_columns (self, g, rows, date, ended);
  g_autofree StatsColumn *columns = g_new0 (StatsColumn, attributes->len + 1);
  uint32_t n_rows = MIN (rows->len, MOST_ROWS);

  columns[0] = (StatsColumn){ scope_of (self) == STATE_NODE ? "task" : "link", NULL, STATS_CELL_TEXT };
  for (guint k = 0; k < attributes->len; k++) {
    const StateAttribute *a = &g->model->attributes[g_array_index (attributes, uint32_t, k)];
    const char *unit = cell_kind (a) == STATS_CELL_DATE ? "s" : a->unit;
    columns[k + 1] = (StatsColumn){ g_intern_string (a->name), g_intern_string (unit), cell_kind (a),
                                    .words = a->role == STATE_ROLE_STATE && a->scope == STATE_NODE ? STATS_STATES
                                                                                                   : STATS_GIVEN,
                                    .given = a->given };
  }
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, attributes->len + 1, n_rows);
  t->date = date;
  t->source = g->source;
  for (uint32_t row = 0; row < n_rows; row++)
    state_table_name_row (self, g, &g_array_index (rows, StatsNode, row), t, row);
  for (guint k = 0; k < attributes->len; k++)
    fill_column (g, g_array_index (attributes, uint32_t, k), rows, t, k + 1);
  if (rows->len > MOST_ROWS && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("The table has the first %u rows of %u."), MOST_ROWS, rows->len);
  }
  eve_status ((EveComponent *) self, P_ ("%u row", "%u rows", n_rows), n_rows);
  eve_emit_steal (self->base.out[0], &t);
  return true;
}

/* ---- the component --------------------------------------------------------------------------------------------------- */

static bool
state_table_at_end (EveComponent *c)
{
  return state_table_give ((StateTable *) c, INT64_MAX, true);
}

static bool
state_table_at_rest (EveComponent *c, int64_t now)
{
  return state_table_give ((StateTable *) c, now, false);
}

/* What comes says only that the graph goes on. */
static void
state_table_fire (EveComponent *c)
{
  eve_take (eve_base (c)->in[0]);
}

static void
state_table_fire_span (EveComponent *c, uint32_t n)
{
  eve_take_span (eve_base (c)->in[0], n);
}

static void
state_table_reset (EveComponent *c)
{
  ((StateTable *) c)->warned = false;
  g_clear_pointer (&((StateTable *) c)->rows, g_array_unref);
}

static bool
state_table_changed (EveComponent *c, uint32_t setting)
{
  g_clear_pointer (&((StateTable *) c)->told, g_hash_table_unref);
  g_clear_pointer (&((StateTable *) c)->rows, g_array_unref);
  return true;
}

static void
state_table_finish (EveComponent *c)
{
  g_clear_pointer (&((StateTable *) c)->rows, g_array_unref);
  g_clear_pointer (&((StateTable *) c)->told, g_hash_table_unref);
}

static const EveClass state_table = {
  EVE_CLASS_HEAD,
  .id = "scope.state-table",
  .label = "State Table",
  .category = "Analysis",
  .version = 1,
  .doc = "Tasks or links with all their attributes at an instant, as a table.",
  .help =
      "Connect the output `states` of a simulator.  A row is a task, or a link; a column is an attribute of the model "
      "that is simulated, or a variable that the trace declares; columns in which nobody has anything, or of what is "
      "counted all have 0, are left out, unless they were asked for in *attributes*.  Tasks of one type stand "
      "together.\n\n"
      "It is of the instant at which time stands still, or of the end: nothing is given in between.\n\n"
      "Example: `table` to a Table, *attributes* `State, PercentIdle`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (StateTable),
  .finish = state_table_finish,
  .reset = state_table_reset,
  .changed = state_table_changed,
  .fire = state_table_fire,
  .fire_span = state_table_fire_span,
  .at_end = state_table_at_end,
  .at_rest = state_table_at_rest,
};
EVE_PLUGIN (&state_table);
