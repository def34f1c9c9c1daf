/* SPDX-License-Identifier: Apache-2.0 */
/* state-presenter.c - an attribute of nodes, links or the graph as dated numbers, for components that know nothing of
 * states (thesis, sections 2.1.4 and 2.2).
 *
 * Everything comes from the changes themselves, never from the graph as it stands: the simulator may be ahead. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "statistics/dates.h"
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/list.h"
#include "statistics/types.h"

typedef struct Track {         /* one object, for percentages */
  int64_t since, spent, total; /* ticks; total: of its life before `since`, time spent Dead left out */
  uint32_t task;               /* of the trace, that a node is; TRACE_NONE: none */
  uint16_t state;              /* NO_STATE: not there yet */
  uint8_t chosen;              /* by *object*: a Choice */
  bool placed;                 /* `task` was looked up */
} Track;
#define NO_STATE UINT16_MAX /* no model has so many */
typedef enum { NOT_KNOWN, NOT_CHOSEN, CHOSEN } Choice;
typedef enum { NOT_ASKED, IS_NOT_COUNTED, IS_COUNTED } Counted;
_Static_assert(sizeof (Track) == 32, "a track is half a cache line");

typedef struct Presenter {
  EveBase base;
  int32_t scope;
  char *attribute, *object;
  bool warned;
  GHashTable *told;        /* the name in `object`, if it is none */
  uint64_t wires;          /* when the graph was looked up */
  const StateGraph *graph; /* NULL: none, or no such attribute */
  bool are_tasks;          /* objects are tasks: the wire is `states` */
  int index, state;        /* of the attribute; of State of the same scope */
  const char *unit;        /* interned, or NULL */
  uint8_t *counted;        /* by state: a Counted, of those that were met */
  uint32_t n_counted;
  GPtrArray *names;  /* of an ENUM or a VALUE, GRefStrings */
  GHashTable *tasks; /* ids of the trace's tasks, the first n_tasks of them -> index */
  uint32_t n_tasks;
  Track *track;
  uint32_t n_tracks;
  uint32_t n_rested; /* at rest: objects that are done */
  uint16_t source;   /* of the changes; 0: none has come */
  bool partial;      /* that changes were left out was told */
} Presenter;

static const char *const scopes[] = { "graph", "node", "link", NULL };
#define MOST_OBJECTS (1u << 24)

static const EveInSpec ins[] = {
  { "changes", NULL, .required = true, .doc = "Changes of attributes, or states of tasks, from a simulator." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .doc = "The attribute, at each change." },
  { "dated", &stats_type_datum,
    .doc = "The same with its date, its owner (a task, another node or a link) and its unit." },
  { "text", &eve_type_text, .doc = "States by name; other attributes as numbers." },
};
static const EveField settings[] = {
  { "of", EVE_F_CHOICE, offsetof (Presenter, scope), .def = STATE_NODE, .choices = scopes, .doc = "Whose attribute." },
  { "attribute", EVE_F_STRING, offsetof (Presenter, attribute), .def_text = "State",
    .doc = "Its name, such as State, PercentBusy, Traffic or Clock; of the model that is simulated." },
  { "object", EVE_F_STRING, offsetof (Presenter, object),
    .doc = "Only of this node (t40002, or its nickname) or link (t40002->t40003, or the name that its "
           "model gives it); empty: of all." },
};

static void
presenter_forget (EveComponent *c)
{
  Presenter *self = (Presenter *) c;

  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_clear_pointer (&self->counted, g_free);
  g_clear_pointer (&self->tasks, g_hash_table_unref);
  self->n_tasks = self->n_counted = 0;
  self->graph = NULL;
  self->wires = 0;
}

static void
state_presenter_reset (EveComponent *c)
{
  presenter_forget (c);
  g_clear_pointer (&((Presenter *) c)->track, g_free);
  ((Presenter *) c)->n_tracks = ((Presenter *) c)->n_rested = 0;
  ((Presenter *) c)->source = 0;
  ((Presenter *) c)->partial = false;
}

static void
state_presenter_finish (EveComponent *c)
{
  state_presenter_reset (c);
  g_clear_pointer (&((Presenter *) c)->told, g_hash_table_unref);
}

/* Whether time in a state counts in percentages (simulators/state.h); a model may get more states as it goes on. */
static bool
state_presenter_is_counted (Presenter *self, uint32_t state)
{
  if (state >= self->n_counted) {
    uint32_t more = MAX (state + 1, self->n_counted * 2 + 16);
    self->counted = g_realloc (self->counted, more);
    memset (self->counted + self->n_counted, NOT_ASKED, more - self->n_counted);
    self->n_counted = more;
  }
  if (G_UNLIKELY (self->counted[state] == NOT_ASKED))
    self->counted[state] = state_counts (self->graph->model, (StateScope) self->scope, state) ? IS_COUNTED
                                                                                              : IS_NOT_COUNTED;
  return self->counted[state] == IS_COUNTED;
}

/* Attributes of the scope. */
static void
state_presenter_offer_attributes (void *arg, void (*add) (void *to, const char *name), void *to)
{
  Presenter *self = arg;
  const StateGraph *g = stats_graph_above ((EveComponent *) self);

  for (uint32_t i = 0; g && i < g->model->n_attributes; i++)
    if ((int) g->model->attributes[i].scope == self->scope)
      add (to, g->model->attributes[i].name);
}

/* Looks the attribute up; false after eve_fail(). */
static bool
state_presenter_bind (Presenter *self)
{
  EveComponent *c = (EveComponent *) self;
  const StateGraph *g = stats_graph_above (c);

  if (!g) {
    if (!self->warned && !eve_at_rest (c)) { /* nobody would hear it then */
      self->warned = true;
      eve_warn (c, _ ("The changes come from no simulator, so nobody knows their attributes; connect one."));
    }
    return false;
  }
  self->index = state_attribute (g->model, (StateScope) self->scope, self->attribute);
  self->state = state_with_role (g->model, (StateScope) self->scope, STATE_ROLE_STATE);
  if (self->index < 0) {
    g_autoptr (GString) names = g_string_new (NULL);
    for (uint32_t i = 0; i < g->model->n_attributes; i++)
      if ((int) g->model->attributes[i].scope == self->scope)
        g_string_append_printf (names, "%s%s", names->len ? ", " : "", g->model->attributes[i].name);
    g_autofree char *nearest = eve_nearest_told (self->attribute, state_presenter_offer_attributes, self);
    eve_fail (c, _ ("A %s of the %s model has no attribute “%s”; it has %s%s."), scopes[self->scope], g->model->name,
              self->attribute, names->str, nearest);
    return false;
  }
  const StateAttribute *a = &g->model->attributes[self->index];
  self->are_tasks = eve_in_type (eve_base (c)->in[0]) == &state_type_state;
  if (self->are_tasks && self->index != self->state && a->kind != STATE_PERCENT) {
    eve_fail (c, _ ("The output states of a simulator tells nothing but State; take %s from its output changes."),
              a->name);
    return false;
  }
  if (a->kind == STATE_ENUM || a->kind == STATE_VALUE)
    self->names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  self->unit = a->unit ? g_intern_string (a->unit) : NULL;
  self->graph = g;
  return true;
}

/* Looks the graph up again after an edit: the simulator may be gone, and another in its place. */
static bool
is_bound (Presenter *self)
{
  uint64_t serial = self->wires;

  if (G_UNLIKELY (stats_wires_changed (&serial, (EveComponent *) self))) {
    presenter_forget ((EveComponent *) self);
    self->wires = serial;
    if (!state_presenter_bind (self) && eve_at_rest ((EveComponent *) self))
      self->wires = 0; /* it is told when a change comes */
  }
  return self->graph != NULL;
}

/* Whether the object is the one that was asked for. */
static bool
state_presenter_is_chosen (const Presenter *self, uint32_t object, uint16_t source)
{
  const StateGraph *g = self->graph;
  const TraceSource *s = trace_source (source);
  g_autoptr (GString) id = g_string_new (NULL);

  if (self->scope == STATE_EDGE) {
    if (object >= g->n_edges)
      return false;
    state_edge_id (g, object, id);
    if (strcmp (id->str, self->object) == 0)
      return true;
    g_string_truncate (id, 0);
    return state_edge_name (g, object, id) && strcmp (id->str, self->object) == 0;
  }
  if (self->scope == STATE_NODE && self->are_tasks && s)
    g_string_append (id, trace_task_id (s, object));
  else if (self->scope == STATE_NODE && !self->are_tasks && object < g->n_nodes)
    g_string_append (id, g->node_id (g, object));
  if (strcmp (id->str, self->object) == 0)
    return true;
  const char *nickname = s && self->scope == STATE_NODE ? g_hash_table_lookup (s->nicknames, id->str) : NULL;
  return nickname && strcmp (nickname, self->object) == 0;
}

static Track *
track_of (Presenter *self, const StateChange *c)
{
  if (c->object >= self->n_tracks) {
    if (c->object >= MOST_OBJECTS)
      return NULL;
    uint32_t more = MAX (c->object + 1, self->n_tracks * 2 + 16);
    self->track = g_renew (Track, self->track, more);
    for (; self->n_tracks < more; self->n_tracks++)
      self->track[self->n_tracks] = (Track){ .state = NO_STATE };
  }
  Track *t = &self->track[c->object];
  if (t->chosen == NOT_KNOWN)
    t->chosen = !self->object[0] || self->scope == STATE_GRAPH || state_presenter_is_chosen (self, c->object, c->source)
                    ? CHOSEN
                    : NOT_CHOSEN;
  return t;
}

/* Share of its life that the object has spent in the state of the attribute, at the date of the change, which is then
 * made. States that no percentage is of (Dead) do not count, as in the graph (simulators/state.h). */
static double
percentage (Presenter *self, uint32_t of, Track *t, const StateChange *c)
{
  uint32_t was = t->state;
  bool counts = was != NO_STATE && state_presenter_is_counted (self, was);
  uint64_t stretch = counts ? (uint64_t) c->date - (uint64_t) t->since : 0;

  t->total = (int64_t) ((uint64_t) t->total + stretch);
  if (was == of)
    t->spent = (int64_t) ((uint64_t) t->spent + stretch);
  t->since = c->date;
  t->state = (uint64_t) c->new_value < NO_STATE ? (uint16_t) c->new_value : NO_STATE;
  return t->total > 0 ? 100.0 * (double) t->spent / (double) t->total : 0;
}

/* The task of the trace that a node is; TRACE_NONE: it is none. */
static uint32_t
state_presenter_find_task (Presenter *self, const TraceSource *s, uint32_t node)
{
  gpointer task;

  if (!self->tasks)
    self->tasks = g_hash_table_new (g_str_hash, g_str_equal);
  for (; self->n_tasks < s->tasks->len; self->n_tasks++)
    g_hash_table_insert (self->tasks, (gpointer) trace_task_id (s, self->n_tasks), GUINT_TO_POINTER (self->n_tasks));
  return g_hash_table_lookup_extended (self->tasks, self->graph->node_id (self->graph, node), NULL, &task)
             ? GPOINTER_TO_UINT (task)
             : TRACE_NONE;
}

static uint32_t
state_presenter_task_of (Presenter *self, const TraceSource *s, const StateChange *c)
{
  if (self->are_tasks || !s || c->object >= self->graph->n_nodes)
    return c->object;
  Track *t = &self->track[c->object]; /* track_of() made it */
  if (G_UNLIKELY (!t->placed)) {
    t->task = state_presenter_find_task (self, s, c->object);
    t->placed = true;
  }
  return t->task;
}

/* A value of an ENUM or a VALUE by name. */
static void
emit_name (Presenter *self, uint32_t value)
{
  const StateAttribute *a = &self->graph->model->attributes[self->index];

  while (self->names->len < a->n_values && self->names->len <= value)
    g_ptr_array_add (self->names, g_ref_string_new (a->values[self->names->len].name));
  if (G_LIKELY (value < self->names->len)) {
    eve_emit (self->base.out[2], &self->names->pdata[value]);
    return;
  }
  char *text = g_ref_string_new (state_value (self->graph->model, self->index, value)->name);
  eve_emit_steal (self->base.out[2], &text);
}

static void
presenter_emit (Presenter *self, const StateAttribute *a, const StateChange *c, StatsDatum d)
{
  const TraceSource *s = trace_source (c->source);
  char buf[32];

  eve_emit (self->base.out[0], &(double){ stats_datum_number (&d) });
  if (eve_out_connected (self->base.out[1])) {
    d.date = c->date;
    d.source = c->source;
    d.unit = self->unit;
    uint32_t task = self->scope == STATE_NODE ? state_presenter_task_of (self, s, c) : TRACE_NONE;
    d.owner = task != TRACE_NONE ? task : self->scope == STATE_GRAPH ? TRACE_NONE : c->object;
    d.owner_kind = task != TRACE_NONE          ? STATS_OF_TASK
                   : self->scope == STATE_NODE ? STATS_OF_NODE
                   : self->scope == STATE_EDGE ? STATS_OF_LINK
                                               : STATS_OF_ALL;
    d.attribute = (uint16_t) MIN ((uint32_t) self->index + 1, STATS_MOST_ATTRIBUTES);
    eve_emit (self->base.out[1], &d);
  }
  if (!eve_out_connected (self->base.out[2]))
    return;
  if (self->names) {
    if (c->new_value >= 0 && c->new_value <= UINT32_MAX)
      emit_name (self, (uint32_t) c->new_value);
  } else {
    char *text = g_ref_string_new (g_ascii_formatd (buf, sizeof buf, "%.15g", stats_datum_number (&d)));
    eve_emit_steal (self->base.out[2], &text);
  }
}

/* A Filter has left out changes: the share is one of the rest, as if the object had stayed in the state before. */
static void
state_presenter_tell_partial (Presenter *self, const StateChange *c)
{
  self->partial = true;
  eve_warn ((EveComponent *) self,
            _ ("Changes of State were left out before they came here: what an object did meanwhile counts as the state "
               "before, or not at all, and %s is not that of the whole execution."),
            self->attribute);
}

static void
state_presenter_step (Presenter *self, const StateChange *c)
{
  const StateAttribute *a = &self->graph->model->attributes[self->index];

  if (G_UNLIKELY (c->source != self->source) && !stats_same_trace ((EveComponent *) self, &self->source, c->source))
    return;
  bool date = a->kind == STATE_DATE, percent = a->kind == STATE_PERCENT;
  if (self->scope == STATE_GRAPH
          ? !date
          : c->scope != self->scope || (percent ? c->attribute != self->state : !date && c->attribute != self->index))
    return;
  StatsDatum d = { 0 };
  if (self->scope != STATE_GRAPH) {
    Track *t = track_of (self, c);
    if (!t)
      return;
    if (percent && G_UNLIKELY (t->state != (c->old_value < 0 ? NO_STATE : c->old_value)) && !self->partial)
      state_presenter_tell_partial (self, c);
    if (percent)
      d.value.real = percentage (self, a->of, t, c);
    if (t->chosen != CHOSEN)
      return;
  }
  if (date) {
    const TraceSource *s = trace_source (c->source);
    d.value.real = s ? trace_clock_seconds (&s->clock, c->date) : (double) c->date;
  } else if (a->kind == STATE_REAL) {
    d.value.real = state_real (c->new_value);
  } else if (!percent) {
    d.is_whole = 1;
    d.value.whole = c->new_value;
  }
  presenter_emit (self, a, c, d);
}

/* Percentages and dates grow while nothing changes. */
static bool
presenter_at_rest (EveComponent *c, int64_t now)
{
  Presenter *self = (Presenter *) c;

  if (now == INT64_MIN || !is_bound (self) || !self->graph->n_nodes)
    return true;
  const StateAttribute *a = &self->graph->model->attributes[self->index];
  now = trace_lasts_until (self->graph->source, now);
  if (trace_source (self->graph->source))
    now = MIN (now, stats_end_above (c, trace_source (self->graph->source)));
  StateChange change = { .date = now, .scope = self->scope, .source = self->graph->source };
  const TraceSource *s = trace_source (change.source);
  if (a->kind == STATE_DATE && self->scope == STATE_GRAPH) {
    presenter_emit (self, a, &change,
                    (StatsDatum){ .value.real = s ? trace_clock_seconds (&s->clock, now) : (double) now });
    return true;
  }
  while (a->kind == STATE_PERCENT && self->n_rested < self->n_tracks) { /* one each call: that is the room there is */
    change.object = self->n_rested++;
    Track t = *track_of (self, &change);
    if (t.state == NO_STATE || t.chosen != CHOSEN || now < t.since)
      continue;
    change.new_value = t.state;
    presenter_emit (self, a, &change, (StatsDatum){ .value.real = percentage (self, a->of, &t, &change) });
    return false;
  }
  self->n_rested = 0;
  return true;
}

static void
state_presenter_fire (EveComponent *c)
{
  const StateChange *change = eve_take (eve_base (c)->in[0]);

  if (is_bound ((Presenter *) c))
    state_presenter_step ((Presenter *) c, change);
}

static void
state_presenter_fire_span (EveComponent *c, uint32_t n)
{
  const StateChange *change = eve_take_span (eve_base (c)->in[0], n);

  if (is_bound ((Presenter *) c))
    for (uint32_t i = 0; i < n; i++)
      state_presenter_step ((Presenter *) c, &change[i]);
}

static bool
state_presenter_changed (EveComponent *c, uint32_t setting)
{
  presenter_forget (c);
  g_clear_pointer (&((Presenter *) c)->told, g_hash_table_unref);
  for (uint32_t i = 0; i < ((Presenter *) c)->n_tracks; i++)
    ((Presenter *) c)->track[i].chosen = NOT_KNOWN, ((Presenter *) c)->track[i].placed = false;
  ((Presenter *) c)->warned = false;
  return true;
}

static const char *
presenter_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  static char sentence[160];

  if (!in || !other || state_is_change (other))
    return NULL;
  g_snprintf (sentence, sizeof sentence, "a %s has no attributes; the outputs changes and states of a simulator have",
              other->name);
  return sentence;
}

/* A rest may have been broken off. */
static void
presenter_start (EveComponent *c)
{
  ((Presenter *) c)->n_rested = 0;
}

/* Names of the objects of the scope. */
static void
offer_objects (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const Presenter *self = arg;
  const StateGraph *g = self->graph;
  const TraceSource *s = trace_source (g->source);
  g_autoptr (GString) id = g_string_new (NULL);

  for (uint32_t i = 0; self->scope == STATE_EDGE && i < g->n_edges; i++) {
    g_string_truncate (id, 0);
    state_edge_id (g, i, id);
    add (to, id->str);
    g_string_truncate (id, 0);
    if (state_edge_name (g, i, id))
      add (to, id->str);
  }
  for (uint32_t i = 0; self->scope == STATE_NODE && i < (!self->are_tasks ? g->n_nodes : s ? s->tasks->len : 0); i++) {
    const char *name = self->are_tasks ? trace_task_id (s, i) : g->node_id (g, i);
    const char *nickname = s ? g_hash_table_lookup (s->nicknames, name) : NULL;
    add (to, name);
    if (nickname)
      add (to, nickname);
  }
}

/* The objects of the whole trace are known. */
static bool
state_presenter_at_end (EveComponent *c)
{
  Presenter *self = (Presenter *) c;

  if (self->object[0] && self->scope != STATE_GRAPH && is_bound (self) && self->graph->n_nodes)
    stats_tell_unknown (c, &self->told, self->are_tasks ? "task" : scopes[self->scope],
                        (char *const[]){ self->object, NULL }, offer_objects, self);
  return true;
}

static void
presenter_save (EveComponent *c, EveBlob *to)
{
  const Presenter *self = (const Presenter *) c;
  uint32_t n = self->n_tracks;

  while (n && self->track[n - 1].state == NO_STATE && self->track[n - 1].total == 0)
    n--;
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, self->track[i].since);
    eve_put_int (to, self->track[i].spent);
    eve_put_int (to, self->track[i].total);
    eve_put_int (to, self->track[i].state);
  }
  eve_put_int (to, self->partial);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
presenter_load (EveComponent *c, EveBlobView *from)
{
  Presenter *self = (Presenter *) c;
  int64_t n = eve_get_int (from);

  state_presenter_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_OBJECTS)
    return false;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    if (i == self->n_tracks) {
      uint32_t more = (uint32_t) MIN (n, MAX (16, 2 * i));
      self->track = g_renew (Track, self->track, more);
      for (; self->n_tracks < more; self->n_tracks++)
        self->track[self->n_tracks] = (Track){ .state = NO_STATE };
    }
    Track *t = &self->track[i];
    t->since = eve_get_int (from);
    t->spent = eve_get_int (from);
    t->total = eve_get_int (from);
    int64_t now = eve_get_int (from);
    if (now < 0 || now > NO_STATE)
      return false;
    t->state = (uint16_t) now;
  }
  self->partial = eve_get_int (from) != 0;
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

static const EveClass presenter = {
  EVE_CLASS_HEAD,
  .id = "scope.state-presenter",
  .label = "State Presenter",
  .category = "Analysis",
  .version = 1,
  .doc = "Gives an attribute of tasks, links or the graph as numbers or text, whenever it changes.",
  .help = "*of* says whose attribute, *attribute* which: those of the model that is simulated (for PVM, tables 2.13 to "
          "2.15 of "
          "the thesis). A state is a number at `value`, in the order of the model, and a name at `text`; a percentage "
          "is given at "
          "each change of State of its object, as it is at that instant; Clock, whenever something changes. Attributes "
          "that are "
          "lists, such as Groups, give the number that the simulator tells of them. Connect the output `changes` of a "
          "simulator; for State and percentages of tasks, `states` is enough and costs less.\n\n"
          "Example: *attribute* `PercentIdle` and *object* `t40002` follow how idle a task has been.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Presenter),
  .finish = state_presenter_finish,
  .start = presenter_start,
  .reset = state_presenter_reset,
  .changed = state_presenter_changed,
  .at_end = state_presenter_at_end,
  .at_rest = presenter_at_rest,
  .fire = state_presenter_fire,
  .fire_span = state_presenter_fire_span,
  .save = presenter_save,
  .load = presenter_load,
  .refuse = presenter_refuse,
};
EVE_PLUGIN (&presenter);
