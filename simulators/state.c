/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - what is the same for every state graph: attributes as text and numbers, JSON, hash, changes. */
#include "simulators/state.h"
#include "eve/words.h"
#include "simulators/row.h"

#include <math.h>
#include <string.h>

#include "readers/reader.h"

#define IMPOSSIBLE_KEPT 100

/* ---- changes ------------------------------------------------------------------------------------------------- */

static const char *const scope_names[] = { "graph", "node", "edge" };

static void
change_print (const void *slot, char *buf, size_t n)
{
  const StateChange *c = slot;

  g_snprintf (buf, (gulong) n, "%s %u, attribute %u: %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT,
              scope_names[c->scope <= STATE_EDGE ? c->scope : STATE_GRAPH], c->object, c->attribute, c->old_value,
              c->new_value);
}

static int64_t
change_date (const void *slot)
{
  return ((const StateChange *) slot)->date;
}

static void
change_sample (void *slot, uint64_t n)
{
  *(StateChange *) slot = (StateChange){ .date = (int64_t) n * 1000,
                                         .old_value = (int64_t) (n % 4),
                                         .new_value = (int64_t) ((n + 1) % 4),
                                         .object = (uint32_t) (n % 7),
                                         .attribute = (uint16_t) (n % 5),
                                         .scope = STATE_NODE };
}

static void
state_print (const void *slot, char *buf, size_t n)
{
  const StateChange *c = slot;

  g_snprintf (buf, (gulong) n, "task %u: %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT, c->object, c->old_value,
              c->new_value);
}

static void
state_sample (void *slot, uint64_t n)
{
  change_sample (slot, n);
  ((StateChange *) slot)->attribute = 0; /* they are all of one attribute */
}

static void
change_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StateChange *c = slot;

  eve_put_int (to, c->date);
  eve_put_int (to, c->old_value);
  eve_put_int (to, c->new_value);
  eve_put_int (to, c->object);
  eve_put_int (to, c->attribute);
  eve_put_int (to, c->scope);
  trace_put_source (p, c->source, to);
}

static bool
change_load (EveProgram *p, void *slot, EveBlobView *from)
{
  StateChange *c = slot;

  c->date = eve_get_int (from);
  c->old_value = eve_get_int (from);
  c->new_value = eve_get_int (from);
  int64_t object = eve_get_int (from), attribute = eve_get_int (from), scope = eve_get_int (from);
  c->source = trace_get_source (p, from);
  if (!eve_get_ok (from) || object < 0 || object > UINT32_MAX || attribute < 0 || attribute > UINT16_MAX || scope < 0
      || scope > STATE_EDGE)
    return false;
  c->object = (uint32_t) object;
  c->attribute = (uint16_t) attribute;
  c->scope = (uint8_t) scope;
  return true;
}

const EveType state_type_change = {
  .name = "state change",
  .size = sizeof (StateChange),
  .align = _Alignof(StateChange),
  .colour = 0x1f78d1,
  .print = change_print,
  .date = change_date,
  .sample = change_sample,
  .save = change_save,
  .load = change_load,
};

const EveType state_type_state = {
  .name = "state of a task",
  .size = sizeof (StateChange),
  .align = _Alignof(StateChange),
  .colour = 0x3a9188,
  .print = state_print,
  .date = change_date,
  .sample = state_sample,
  .save = change_save,
  .load = change_load,
};

static void
frame_print (const void *slot, char *buf, size_t n)
{
  const StateChange *c = slot;

  g_snprintf (buf, (gulong) n, "task %u: %" G_GINT64_FORMAT " at depth %u", c->object, c->new_value, c->attribute);
}

const EveType state_type_frame = {
  .name = "call of a task",
  .size = sizeof (StateChange),
  .align = _Alignof(StateChange),
  .colour = 0x8a6d1f,
  .print = frame_print,
  .date = change_date,
  .sample = change_sample,
  .save = change_save,
  .load = change_load,
};

/* ---- messages ------------------------------------------------------------------------------------------------ */

static void
message_print (const void *slot, char *buf, size_t n)
{
  const StateMessage *m = slot;

  g_snprintf (buf, (gulong) n, "%u -> %u, tag %d, %" G_GINT64_FORMAT " B", m->from, m->to, m->tag, m->size);
}

static int64_t
message_date (const void *slot)
{
  return ((const StateMessage *) slot)->received;
}

static void
message_sample (void *slot, uint64_t n)
{
  *(StateMessage *) slot = (StateMessage){ .sent = (int64_t) n * 1000,
                                           .received = (int64_t) n * 1000 + 250,
                                           .size = (int64_t) (n % 9) * 512,
                                           .from = (uint32_t) (n % 7),
                                           .to = (uint32_t) ((n + 1) % 7),
                                           .tag = (int32_t) (n % 3) };
}

static void
message_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StateMessage *m = slot;

  eve_put_int (to, m->sent);
  eve_put_int (to, m->received);
  eve_put_int (to, m->size);
  eve_put_int (to, m->from);
  eve_put_int (to, m->to);
  eve_put_int (to, m->tag);
  trace_put_source (p, m->source, to);
}

static bool
message_load (EveProgram *p, void *slot, EveBlobView *from)
{
  StateMessage m = { 0 };
  m.sent = eve_get_int (from);
  m.received = eve_get_int (from);
  m.size = eve_get_int (from);
  int64_t origin = eve_get_int (from), to = eve_get_int (from), tag = eve_get_int (from);

  m.source = trace_get_source (p, from);
  if (!eve_get_ok (from) || origin < 0 || origin > UINT32_MAX || to < 0 || to > UINT32_MAX || tag < INT32_MIN
      || tag > INT32_MAX)
    return false;
  m.from = (uint32_t) origin;
  m.to = (uint32_t) to;
  m.tag = (int32_t) tag;
  memcpy (slot, &m, sizeof m);
  return true;
}

const EveType state_type_message = {
  .name = "message",
  .size = sizeof (StateMessage),
  .align = _Alignof(StateMessage),
  .colour = 0x1f78d1,
  .print = message_print,
  .date = message_date,
  .sample = message_sample,
  .save = message_save,
  .load = message_load,
};

/* ---- attributes ---------------------------------------------------------------------------------------------- */

static const void *
simulators_state_cell (const StateGraph *g, uint32_t attribute, uint32_t object)
{
  size_t stride = 0;
  const char *first = g->model->column (g, attribute, &stride);

  return first != NULL ? first + stride * object : NULL;
}

/* Whether its column holds numbers that need no name. */
static bool
has_number (const StateAttribute *a)
{
  return a->kind <= STATE_DATE || a->kind == STATE_REAL;
}

/* 0..100; 0 while no time has passed, when every share would be as good. */
static double
simulators_state_percent (const StateGraph *g, const StateAttribute *a, uint32_t object, int64_t at)
{
  int64_t spent = 0, total = 0;

  g->model->spent (g, a->scope, object, a->of, at, &spent, &total);
  return total > 0 ? 100.0 * (double) spent / (double) total : 0;
}

static void
simulators_state_put_date (const StateGraph *g, int64_t date, GString *to)
{
  char buf[64] = "";
  const TraceSource *s = trace_source (g->source);
  static const TraceClock nanoseconds = { .ticks_per_second = 1000000000, .units = "s" };

  if (date == INT64_MIN)
    return;
  trace_clock_print (s != NULL ? &s->clock : &nanoseconds, date, buf, sizeof buf);
  g_string_append (to, buf);
}

void
state_text (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at, GString *to)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  const void *c = has_number (a) ? simulators_state_cell (g, attribute, object) : NULL;
  uint32_t value;
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  switch (a->kind) {
  case STATE_INT:
    if (c != NULL && state_has (g, attribute, object))
      g_string_append_printf (to, "%" G_GINT64_FORMAT, *(const int64_t *) c);
    break;
  case STATE_ENUM:
  case STATE_VALUE:
    if (state_value_of (g, (int) attribute, object, &value))
      g_string_append (to, state_value (g->model, (int) attribute, value)->name);
    break;
  case STATE_REAL:
    if (c != NULL && isnan (*(const double *) c))
      g_string_append (to, state_is_value (*(const double *) c) ? "nan" : "");
    else if (c != NULL)
      g_string_append (to, g_ascii_formatd (buf, sizeof buf, "%.15g", *(const double *) c));
    break;
  case STATE_DATE:
    if (c != NULL)
      simulators_state_put_date (g, *(const int64_t *) c, to);
    break;
  case STATE_PERCENT:
    g_string_append (to, g_ascii_formatd (buf, sizeof buf, "%.1f", simulators_state_percent (g, a, object, at)));
    break;
  case STATE_TEXT:
    g->model->text (g, attribute, object, to);
    break;
  }
}

double
state_number (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  const void *c = has_number (a) ? simulators_state_cell (g, attribute, object) : NULL;
  const TraceSource *s;
  uint32_t value;

  if (a->kind == STATE_VALUE)
    return state_value_of (g, (int) attribute, object, &value) ? value : NAN;
  if (a->kind == STATE_PERCENT)
    return simulators_state_percent (g, a, object, at);
  if (c == NULL)
    return NAN;
  if (a->kind == STATE_ENUM)
    return *(const uint8_t *) c;
  if (a->kind == STATE_INT)
    return (double) *(const int64_t *) c;
  if (a->kind == STATE_REAL)
    return *(const double *) c;
  s = trace_source (g->source);
  return s != NULL ? trace_clock_seconds (&s->clock, *(const int64_t *) c) : (double) *(const int64_t *) c * 1e-9;
}

int
state_with_role (const StateModel *m, StateScope scope, StateRole role)
{
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->attributes[i].scope == scope && m->attributes[i].role == role)
      return (int) i;
  return -1;
}

const StateValue *
state_value (const StateModel *m, int attribute, uint32_t value)
{
  static _Thread_local char names[8][24]; /* parts of a picture are drawn by several threads */
  static _Thread_local StateValue unknown[8];
  static _Thread_local unsigned next;
  const StateAttribute *a = attribute >= 0 ? &m->attributes[attribute] : NULL;

  if (a != NULL && value < a->n_values)
    return &a->values[value];
  next = (next + 1) % G_N_ELEMENTS (names);
  g_snprintf (names[next], sizeof names[next], "state %u", value);
  unknown[next].name = names[next];
  return &unknown[next];
}

StateValues
state_values_of (const StateGraph *g, int attribute)
{
  const StateAttribute *a = attribute >= 0 ? &g->model->attributes[attribute] : NULL;
  StateValues v = { .first = NULL };

  if (a == NULL || (a->kind != STATE_ENUM && a->kind != STATE_VALUE))
    return v;
  v.first = g->model->column (g, (uint32_t) attribute, &v.stride);
  v.wide = a->kind == STATE_VALUE;
  return v;
}

bool
state_value_of (const StateGraph *g, int attribute, uint32_t object, uint32_t *value)
{
  StateValues v = state_values_of (g, attribute);

  return state_value_in (&v, object, value);
}

/* Whether a person means a name: blanks and capitals do not matter, so "Percent busy" is PercentBusy. */
static bool
simulators_state_is_meant (const char *name, const char *written)
{
  for (;; name++, written++) {
    while (*written == ' ')
      written++;
    if (g_ascii_tolower (*name) != g_ascii_tolower (*written))
      return false;
    if (*name == '\0')
      return true;
  }
}

int
state_attribute (const StateModel *m, StateScope scope, const char *name)
{
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->attributes[i].scope == scope && strcmp (m->attributes[i].name, name) == 0)
      return (int) i;
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->attributes[i].scope == scope && simulators_state_is_meant (m->attributes[i].name, name))
      return (int) i;
  return -1;
}

void
state_times (const StateGraph *g, uint32_t node, int64_t at, GArray *to)
{
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
  int64_t all;

  if (g->model->times != NULL)
    g->model->times (g, node, at, to);
  else if (attribute >= 0 && g->model->spent != NULL)
    for (uint32_t i = 0; i < g->model->attributes[attribute].n_values; i++)
      if (state_counts (g->model, STATE_NODE, i)) {
        StateTime t = { .value = i, .visits = g->model->visits ? g->model->visits (g, node, i) : -1 };
        g->model->spent (g, STATE_NODE, node, i, at, &t.spent, &all);
        t.inclusive = t.spent;
        g_array_append_val (to, t);
      }
}

const char *
state_time_name (const StateModel *m, int attribute, uint32_t value)
{
  return value == STATE_OTHERS ? "others" : state_value (m, attribute, value)->name;
}

/* What readers call so that a trace gives no name to stands in brackets. */
#define GIVEN(name) ((name) != NULL && *(name) == '(' ? in_words (name) : (name))

const char *
state_word (const StateModel *m, int attribute, const char *value)
{
  const StateAttribute *a = m != NULL && attribute >= 0 ? &m->attributes[attribute] : NULL;

  for (uint32_t i = 0; value != NULL && a != NULL && i < a->n_values && !a->values[i].given; i++)
    if (strcmp (a->values[i].name, value) == 0)
      return in_words (value);
  return g_strcmp0 (value, "others") == 0 ? _ ("others") : GIVEN (value);
}

const char *
state_value_word (const StateValue *v)
{
  return v->given ? GIVEN (v->name) : in_words (v->name);
}

const char *
state_attribute_word (const StateAttribute *a)
{
  return a->given ? a->name : in_words (a->name);
}

StateTotals
state_totals (const StateGraph *g)
{
  StateTotals t = { 0 };

  for (uint32_t e = 0; e < g->n_edges && g->model->messages != NULL; e++)
    g->model->messages (g, e, &t);
  return t;
}

bool
state_counts (const StateModel *m, StateScope scope, uint32_t state)
{
  bool any = false;
  int attribute = state_with_role (m, scope, STATE_ROLE_STATE);

  if (attribute >= 0 && m->attributes[attribute].kind == STATE_VALUE) /* not all of them have percentages */
    return state_value (m, attribute, state)->sense != STATE_SENSE_GONE;
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->attributes[i].scope == scope && m->attributes[i].kind == STATE_PERCENT) {
      if (m->attributes[i].of == state)
        return true;
      any = true;
    }
  return !any;
}

/* ---- objects in order ---------------------------------------------------------------------------------------- */

void
state_edge_id (const StateGraph *g, uint32_t edge, GString *to)
{
  uint32_t from, dest;

  g->edge_ends (g, edge, &from, &dest);
  g_string_append (to, g->node_id (g, from));
  g_string_append (to, "->");
  g_string_append (to, g->node_id (g, dest));
}

bool
state_edge_name (const StateGraph *g, uint32_t edge, GString *to)
{
  int name = state_with_role (g->model, STATE_EDGE, STATE_ROLE_NAME);
  gsize begin = to->len;

  if (name < 0)
    return false;
  state_text (g, (uint32_t) name, edge, g->clock, to);
  gsize n = to->len - begin;
  state_edge_id (g, edge, to); /* behind it, to compare them without another text */
  bool own = n > 0 && (to->len - begin != 2 * n || memcmp (to->str + begin, to->str + begin + n, n) != 0);
  g_string_truncate (to, own ? begin + n : begin);
  return own;
}

bool
state_present (const StateGraph *g, StateScope scope, uint32_t object)
{
  uint32_t from, to;

  if (g->model->present == NULL || scope == STATE_GRAPH)
    return true;
  if (scope == STATE_NODE)
    return g->model->present (g, object);
  g->edge_ends (g, object, &from, &to);
  return g->model->present (g, from) && g->model->present (g, to);
}

static uint32_t
objects (const StateGraph *g, StateScope scope)
{
  return scope == STATE_GRAPH ? 1 : scope == STATE_NODE ? g->n_nodes : g->n_edges;
}

uint32_t
state_count (const StateGraph *g, StateScope scope)
{
  uint32_t n = objects (g, scope), count = 0;

  if (g->model->present == NULL || scope == STATE_GRAPH)
    return n;
  for (uint32_t i = 0; i < n; i++)
    count += state_present (g, scope, i);
  return count;
}

static int
simulators_state_by_id (gconstpointer a, gconstpointer b, gpointer graph)
{
  const StateGraph *g = graph;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int order = strcmp (g->node_id (g, x), g->node_id (g, y));

  return order != 0 ? order : (x > y) - (x < y);
}

static int
simulators_state_by_number (gconstpointer a, gconstpointer b, gpointer unused)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

/* Stable: those that are present to the front. */
static void
present_first (const StateGraph *g, StateScope scope, uint32_t *order, uint32_t n)
{
  g_autofree uint32_t *absent = g_new (uint32_t, n);
  uint32_t kept = 0, left = 0;

  for (uint32_t i = 0; i < n; i++)
    if (state_present (g, scope, order[i]))
      order[kept++] = order[i];
    else
      absent[left++] = order[i];
  if (left > 0)
    memcpy (order + kept, absent, left * sizeof *order);
}

uint32_t *
state_sorted (const StateGraph *g, StateScope scope)
{
  uint32_t n = objects (g, scope);
  uint32_t *nodes = g_new (uint32_t, MAX (g->n_nodes, 1));

  for (uint32_t i = 0; i < g->n_nodes; i++)
    nodes[i] = i;
  if (scope == STATE_GRAPH) {
    nodes[0] = 0;
    return nodes;
  }
  g_qsort_with_data (nodes, (int) g->n_nodes, sizeof *nodes, simulators_state_by_id, (gpointer) g);
  if (scope == STATE_EDGE) {
    /* Ranks of nodes in place of names: edges are many. */
    g_autofree uint32_t *rank = g_new (uint32_t, MAX (g->n_nodes, 1));
    g_autofree struct {
      uint64_t key;
      uint32_t edge;
    } *keyed = g_malloc (MAX (n, 1) * sizeof *keyed);
    for (uint32_t i = 0; i < g->n_nodes; i++)
      rank[nodes[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t from, to;
      g->edge_ends (g, i, &from, &to);
      keyed[i].key = (uint64_t) rank[from] << 32 | rank[to];
      keyed[i].edge = i;
    }
    g_qsort_with_data (keyed, (int) n, sizeof *keyed, simulators_state_by_number, NULL);
    g_free (nodes);
    nodes = g_new (uint32_t, MAX (n, 1));
    for (uint32_t i = 0; i < n; i++)
      nodes[i] = keyed[i].edge;
  }
  present_first (g, scope, nodes, n);
  return nodes;
}

/* ---- the whole graph ----------------------------------------------------------------------------------------- */

static int64_t
not_before_clock (const StateGraph *g, int64_t at)
{
  return at > g->clock ? at : g->clock;
}

/* FNV-1a: slow, but plain, and the same everywhere. */
static uint64_t
hash_bytes (uint64_t h, const void *bytes, size_t n)
{
  for (const uint8_t *b = bytes; n > 0; n--, b++)
    h = (h ^ *b) * UINT64_C (0x100000001b3);
  return h;
}

static uint64_t
hash_int (uint64_t h, int64_t v)
{
  uint8_t bytes[8];

  for (int i = 0; i < 8; i++)
    bytes[i] = (uint8_t) ((uint64_t) v >> (8 * i));
  return hash_bytes (h, bytes, sizeof bytes);
}

/* What a model that nests states says beside its attributes. */
static uint64_t
hash_times (const StateGraph *g, uint64_t h, uint32_t node, int64_t at, GArray *scratch)
{
  g_array_set_size (scratch, 0);
  state_times (g, node, at, scratch);
  for (guint i = 0; i < scratch->len; i++) {
    const StateTime *t = &g_array_index (scratch, StateTime, i);
    h = hash_int (hash_int (hash_int (hash_int (h, t->value), t->spent), t->inclusive), t->visits);
  }
  return h;
}

static uint64_t
hash_object (const StateGraph *g, uint64_t h, StateScope scope, uint32_t object, int64_t at, GString *scratch)
{
  for (uint32_t i = 0; i < g->model->n_attributes; i++) {
    const StateAttribute *a = &g->model->attributes[i];
    if (a->scope != scope)
      continue;
    if (a->kind == STATE_PERCENT) {
      int64_t spent = 0, total = 0;
      g->model->spent (g, scope, object, a->of, at, &spent, &total);
      h = hash_int (hash_int (h, spent), total);
    } else if (a->kind == STATE_TEXT) {
      g_string_truncate (scratch, 0);
      g->model->text (g, i, object, scratch);
      h = hash_bytes (h, scratch->str, scratch->len + 1);
    } else {
      const void *c = simulators_state_cell (g, i, object);
      uint32_t value = 0;
      bool named = state_value_of (g, (int) i, object, &value);
      h = hash_int (h, named || c == NULL ? value : *(const int64_t *) c);
    }
  }
  return h;
}

uint64_t
state_hash (const StateGraph *g, int64_t at)
{
  g_autoptr (GString) scratch = g_string_new (NULL);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  uint64_t h = UINT64_C (0xcbf29ce484222325);

  at = not_before_clock (g, at);
  for (int scope = STATE_GRAPH; scope <= STATE_EDGE; scope++) {
    g_autofree uint32_t *order = state_sorted (g, scope);
    uint32_t n = state_count (g, scope);
    h = hash_int (h, n);
    for (uint32_t i = 0; i < n; i++) {
      g_string_truncate (scratch, 0);
      if (scope == STATE_NODE)
        g_string_append (scratch, g->node_id (g, order[i]));
      else if (scope == STATE_EDGE)
        state_edge_id (g, order[i], scratch);
      h = hash_bytes (h, scratch->str, scratch->len + 1);
      h = hash_object (g, h, scope, order[i], at, scratch);
      if (scope == STATE_NODE && g->model->times != NULL)
        h = hash_times (g, h, order[i], at, times);
    }
  }
  return h;
}

static void
put_attributes (const StateGraph *g, StateScope scope, uint32_t object, int64_t at, bool first, GString *to,
                GString *scratch)
{
  for (uint32_t i = 0; i < g->model->n_attributes; i++) {
    const StateAttribute *a = &g->model->attributes[i];
    if (a->scope != scope)
      continue;
    if (!first)
      g_string_append (to, ", ");
    first = false;
    trace_json_text (to, a->name);
    g_string_append (to, ": ");
    g_string_truncate (scratch, 0);
    state_text (g, i, object, at, scratch);
    trace_json_text (to, scratch->str);
  }
}

static void
put_objects (const StateGraph *g, StateScope scope, int64_t at, GString *to, GString *scratch)
{
  g_autofree uint32_t *order = state_sorted (g, scope);
  uint32_t n = state_count (g, scope);

  for (uint32_t i = 0; i < n; i++) {
    g_string_append (to, i == 0 ? "\n  {\"id\": " : ",\n  {\"id\": ");
    if (scope == STATE_NODE) {
      trace_json_text (to, g->node_id (g, order[i]));
    } else {
      uint32_t from, dest;
      g->edge_ends (g, order[i], &from, &dest);
      g_string_truncate (scratch, 0);
      state_edge_id (g, order[i], scratch);
      trace_json_text (to, scratch->str);
      g_string_append (to, ", \"from\": ");
      trace_json_text (to, g->node_id (g, from));
      g_string_append (to, ", \"to\": ");
      trace_json_text (to, g->node_id (g, dest));
    }
    put_attributes (g, scope, order[i], at, false, to, scratch);
    g_string_append_c (to, '}');
  }
}

/* A row for each node and value of its state. */
static void
simulators_state_put_times (const StateGraph *g, int64_t at, GString *to)
{
  g_autofree uint32_t *order = state_sorted (g, STATE_NODE);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
  uint32_t n = state_count (g, STATE_NODE);
  bool first = true;

  for (uint32_t i = 0; i < n; i++) {
    g_array_set_size (times, 0);
    state_times (g, order[i], at, times);
    for (guint k = 0; k < times->len; k++) {
      const StateTime *t = &g_array_index (times, StateTime, k);
      g_string_append (to, first ? "\n  {\"id\": " : ",\n  {\"id\": ");
      first = false;
      trace_json_text (to, g->node_id (g, order[i]));
      g_string_append (to, ", \"state\": ");
      trace_json_text (to, state_time_name (g->model, attribute, t->value));
      g_string_append (to, ", \"spent\": ");
      simulators_state_put_date (g, t->spent, to);
      g_string_append (to, ", \"inclusive\": ");
      simulators_state_put_date (g, t->inclusive, to);
      if (t->visits >= 0)
        g_string_append_printf (to, ", \"visits\": %" G_GINT64_FORMAT, t->visits);
      g_string_append_c (to, '}');
    }
  }
}

void
state_json (const StateGraph *g, int64_t at, GString *to)
{
  g_autoptr (GString) scratch = g_string_new (NULL);
  const TraceSource *s = trace_source (g->source);

  at = not_before_clock (g, at);
  g_string_append (to, "{\"clock\": ");
  if (at == INT64_MIN)
    g_string_append (to, "null");
  else
    simulators_state_put_date (g, at, to);
  g_string_append (to, ", \"format\": ");
  trace_json_text (to, s != NULL && s->format != NULL ? s->format->name : "");
  g_string_append_printf (to, ", \"hash\": \"%016" G_GINT64_MODIFIER "x\",\n \"graph\": {", state_hash (g, at));
  put_attributes (g, STATE_GRAPH, 0, at, true, to, scratch);
  g_string_append (to, "},\n \"nodes\": [");
  put_objects (g, STATE_NODE, at, to, scratch);
  g_string_append (to, "],\n \"edges\": [");
  put_objects (g, STATE_EDGE, at, to, scratch);
  g_string_append (to, "],\n \"times\": [");
  if (at != INT64_MIN)
    simulators_state_put_times (g, at, to);
  g_string_append (to, "]}\n");
}

void
state_impossible (StateGraph *g, const TraceEvent *e, const char *fmt, ...)
{
  GString *text;
  const TraceSource *s;
  va_list args;

  g->n_impossible++;
  if (g->impossible == NULL || g->impossible->len >= IMPOSSIBLE_KEPT)
    return;
  s = trace_source (e->source);
  text = g_string_new (NULL);
  if (s != NULL) {
    simulators_state_put_date (g, e->date, text);
    g_string_append_printf (text, _ (" %s, %s of %s: "), s->clock.units, trace_event_name (e),
                            trace_task_id (s, e->task));
  }
  va_start (args, fmt);
  g_string_append_vprintf (text, fmt, args);
  va_end (args);
  g_ptr_array_add (g->impossible, g_string_free (text, FALSE));
}

/* For values of which nothing is known but the name; on light and on dark paper.  Chosen so that the smallest distance
 * in OKLab (Ottosson 2020) is large, also as protan, deutan and tritan eyes see them (Machado 2009): of the first eight
 * above 0.15 and 0.1, of the first sixteen 0.11 and 0.06, of all 0.09 and 0.04; and to both papers, to what works and
 * to what is over.  None is so dark, or so loud, that it stands out of the others: lightness from 0.46 to 0.79 on light
 * paper and from 0.54 to 0.86 on dark, chroma at most 0.165, less where it is red and blue.  Those of one place are of
 * similar hues on both papers. */
static const uint32_t row[2][STATE_COLOURS] = {
  {
      0x00c7e0, 0x664e6c, 0x898bfd, 0x958100, 0xe66c75, 0xbeb900, 0x006c00, 0x0074cf,
      0x8ccd95, 0x0095b4, 0x007968, 0xdc9bba, 0x814caa, 0xac5e8b, 0xb02f41, 0xd38d00,
      0x32a7e9, 0x627400, 0x6ab647, 0x00c2a1, 0xa75c3c, 0xa87cc6, 0x4e5f39, 0xfa8753,
  },
  {
      0x00f3c7, 0x8c5b88, 0x96aefc, 0xac5200, 0xef708c, 0xffbf27, 0x7a9f00, 0x007ad3,
      0xb3d093, 0x00b6d1, 0x008546, 0xd79b68, 0x7c86ea, 0xb477af, 0xcc4b60, 0xbdb200,
      0x2295bf, 0x8a7f00, 0x75d26c, 0x00d4cb, 0xa49750, 0xe4ace9, 0x88e2e5, 0xb97963,
  },
};

uint32_t
state_row_colour (uint8_t place, bool dark)
{
  return state_row_of (row[dark], place);
}

uint32_t
state_row_of (const uint32_t *colours, uint8_t place)
{
  uint32_t at = place - 1u, turn = at / STATE_COLOURS % 3, rgb = colours[at % STATE_COLOURS], mixed = rgb & 0xff000000;

  uint32_t light = (rgb >> 16 & 255) * 3 + (rgb >> 8 & 255) * 6 + (rgb & 255), other = turn == 1      ? 128
                                                                                       : light > 1280 ? 0
                                                                                                      : 255;
  for (int shift = 0; shift < 24; shift += 8) {
    uint32_t own = rgb >> shift & 255;
    mixed |= (turn == 0 ? own : (3 * own + 2 * other) / 5) << shift;
  }
  return mixed;
}
