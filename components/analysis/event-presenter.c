/* SPDX-License-Identifier: Apache-2.0 */
/* event-presenter.c - a field of trace events as a number, a dated number or a text, for components that know nothing
 * of traces (thesis, section 2.1.4). */
#include <string.h>
#include "components/events.h"
#include "eve/words.h"
#include "readers/box-inspector.h"
#include "statistics/list.h"
#include "statistics/types.h"

/* Names are looked up once a source: what to do with each of its kinds. */
typedef struct Bound {
  const TraceSource *source;
  const TraceKind *kinds;
  uint32_t n_kinds;
  int8_t what[]; /* one a kind: an index of its fields, or one of the below */
} Bound;

typedef struct Presenter {
  EveBase base;
  char *field, *kind;
  int32_t phase;
  bool warned, right, wrong; /* an event of the phase that is taken has come; of the other */
  GHashTable *told;          /* names of `kind` that are none */
  Bound **bound;             /* by number of the source */
  uint32_t n_bound;
  const Bound *unit_of; /* whose unit, and of which kind, was looked up last */
  uint16_t unit_kind;
  const char *unit; /* interned, or NULL */
} Presenter;

enum { WHAT_NOTHING = -1, WHAT_DATE = -2, WHAT_DURATION = -3, WHAT_NUMBER = -4, WHAT_TASK = -5 };
enum { PHASE_BEGIN, PHASE_END, PHASE_BOTH };
static const char *const phases[] = { "beginnings", "ends", "both", NULL };

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .doc = "The field, of each event that has it." },
  { "dated", &stats_type_datum,
    .doc = "The same with its date, the task as owner, and its unit; whole numbers stay whole." },
  { "text", &eve_type_text, .doc = "The field as text: words, names of tasks and groups, or the number." },
};
static const EveField settings[] = {
  { "field", EVE_F_STRING, offsetof (Presenter, field), .def_text = "duration",
    .doc = "Date or duration (s), number, task, peer, object, tag, size (B), result, or a field of the kind by name." },
  { "kind", EVE_F_STRING, offsetof (Presenter, kind),
    .doc = "Events of these kinds only, such as Recv, TRecv, with commas between; empty: of any." },
  { "of", EVE_F_CHOICE, offsetof (Presenter, phase), .def = PHASE_BEGIN, .choices = phases,
    .doc = "An action is an event when it begins and one when it ends, with the same fields: which to take." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Presenter, warned) },
  { "right phase", EVE_F_BOOL, offsetof (Presenter, right) },
  { "wrong phase", EVE_F_BOOL, offsetof (Presenter, wrong) },
};

/* The names that any event may answer to, and the role by which a kind tells that it has one. */
static const struct {
  const char *name;
  int role; /* TraceRole, or a WHAT that every event has */
} common[] = {
  { "date", WHAT_DATE },     { "duration", WHAT_DURATION }, { "number", WHAT_NUMBER },
  { "task", WHAT_TASK },     { "peer", TRACE_ROLE_PEER },   { "object", TRACE_ROLE_OBJECT },
  { "tag", TRACE_ROLE_TAG }, { "size", TRACE_ROLE_SIZE },   { "result", TRACE_ROLE_RESULT },
};

static int8_t
presenter_find (const Presenter *self, char *const *kinds, const TraceKind *k)
{
  if (kinds[0] && !stats_names_have (kinds, k->name))
    return WHAT_NOTHING;
  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (k->fields[i].name, self->field) == 0)
      return (int8_t) i;
  for (uint32_t n = 0; n < EVE_N (common); n++)
    if (strcmp (common[n].name, self->field) == 0) {
      if (common[n].role < 0)
        return (int8_t) common[n].role;
      for (uint32_t i = 0; i < k->n_fields; i++)
        if ((int) k->fields[i].role == common[n].role)
          return (int8_t) i;
    }
  return WHAT_NOTHING;
}

/* ---- its inspector: fields and kinds are chosen among those of the traces that are open --------------------------------- */
enum { ROW_FIELD, ROW_KIND, ROW_OF };
static const BoxRow rows[] = {
  [ROW_FIELD] = { BOX_ROW_SETTING, "field", NULL, NULL },
  [ROW_KIND] = { BOX_ROW_SETTING, "kind", NULL, NULL },
  [ROW_OF] = { BOX_ROW_SETTING, "of", NULL, NULL },
};

static void
presenter_offer (EveComponent *c, uint32_t row, void (*add) (void *arg, const char *value), void *arg)
{
  g_auto (GStrv) kinds = stats_list_split (((const Presenter *) c)->kind);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (uint32_t i = 0; row == ROW_FIELD && i < EVE_N (common); i++)
    if (g_hash_table_add (known, (void *) common[i].name))
      add (arg, common[i].name);
  for (const TraceSource *s = NULL; (s = trace_source_after (s ? s->number : 0));) {
    for (uint32_t k = 0; k < s->n_kinds; k++) {
      const TraceKind *kind = &s->kinds[k];
      if (row == ROW_KIND && g_hash_table_add (known, (void *) kind->name))
        add (arg, kind->name);
      for (uint32_t f = 0;
           row == ROW_FIELD && (!kinds[0] || stats_names_have (kinds, kind->name)) && f < kind->n_fields; f++)
        if (g_hash_table_add (known, (void *) kind->fields[f].name))
          add (arg, kind->fields[f].name);
    }
  }
}

static void
fields_offer (void *presenter, void (*add) (void *to, const char *name), void *to)
{
  presenter_offer (presenter, ROW_FIELD, add, to);
}

/* Looks the names up in the tables of a source; tells if none of its kinds has such a field. */
static Bound *
event_presenter_bind (Presenter *self, const TraceSource *s)
{
  Bound *b = s->number < self->n_bound ? self->bound[s->number] : NULL;
  bool kind_found = false, found = false;
  g_auto (GStrv) kinds = NULL;

  if (b && b->source == s && b->kinds == s->kinds && b->n_kinds == s->n_kinds)
    return b;
  g_free (b);
  self->unit_of = NULL;
  if (s->number >= self->n_bound) {
    self->bound = g_renew (Bound *, self->bound, s->number + 1u);
    memset (self->bound + self->n_bound, 0, (s->number + 1u - self->n_bound) * sizeof (Bound *));
    self->n_bound = s->number + 1u;
  }
  b = self->bound[s->number] = g_malloc0 (sizeof (Bound) + s->n_kinds);
  b->source = s;
  b->kinds = s->kinds;
  b->n_kinds = s->n_kinds;
  kinds = stats_list_read ((EveComponent *) self, &self->told, "kind of event", self->kind, kinds_offer, (void *) s);
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    b->what[i] = presenter_find (self, kinds, &s->kinds[i]);
    kind_found |= !kinds[0] || stats_names_have (kinds, s->kinds[i].name);
    found |= b->what[i] != WHAT_NOTHING;
  }
  if (!found && kind_found && !self->warned) {
    g_autofree char *nearest = eve_nearest_told (self->field, fields_offer, self);
    self->warned = true;
    eve_warn_missing ((EveComponent *) self, _ ("No event of the trace %s%s%s has a field “%s”%s; nothing is given."),
                      s->name, self->kind[0] ? " of the kind " : "", self->kind, self->field, nearest);
  }
  return b;
}

/* False: this event does not have it. */
static bool
presenter_number (Presenter *self, const Bound *b, const TraceEvent *e, double *number)
{
  int what = b->what[e->kind];
  TraceValue v;

  switch (what) {
  case WHAT_NOTHING:
    return false;
  case WHAT_DATE:
    *number = trace_clock_seconds (&b->source->clock, e->date);
    return true;
  case WHAT_DURATION:
    *number = trace_clock_seconds (&b->source->clock, e->duration);
    return TRACE_HAS_DURATION (e);
  case WHAT_NUMBER:
    *number = (double) e->number + 1;
    return true;
  case WHAT_TASK:
    *number = e->task;
    return e->task != TRACE_NONE;
  }
  if (b->kinds[e->kind].fields[what].role == TRACE_ROLE_SIZE) { /* lies in the event, no need to read it again */
    *number = (double) e->size;
    return true;
  }
  v = trace_value (e, (uint32_t) what);
  switch (v.kind) {
  case TRACE_VALUE_INT:
    *number = (double) v.i;
    return true;
  case TRACE_VALUE_TASK:
    *number = (double) v.i;
    return v.i >= 0 && v.i != TRACE_NONE;
  case TRACE_VALUE_REAL:
    *number = v.real;
    return true;
  case TRACE_VALUE_TASKS:
    *number = v.n_tasks;
    return true;
  case TRACE_VALUE_TEXT:
    if (!self->warned && (eve_out_connected (self->base.out[0]) || eve_out_connected (self->base.out[1]))) {
      self->warned = true;
      eve_warn ((EveComponent *) self, _ ("The field \"%s\" is a text, not a number; take it from the output text."),
                self->field);
    }
    return false;
  default:
    return false;
  }
}

/* The field with all that goes with it. */
static void
presenter_dated (Presenter *self, const Bound *b, const TraceEvent *e, double number)
{
  int what = b->what[e->kind];
  const TraceField *f = what >= 0 ? &b->kinds[e->kind].fields[what] : NULL;
  bool seconds = what == WHAT_DATE || what == WHAT_DURATION;
  StatsDatum d = { .date = e->date, .owner = e->task, .owner_kind = STATS_OF_TASK, .source = e->source };

  if (self->unit_of != b
      || self->unit_kind != e->kind) { /* those of a trace live as long as it does, interned ones for ever */
    const char *unit = seconds                           ? b->source->clock.units
                       : f && f->unit && *f->unit        ? f->unit
                       : f && f->role == TRACE_ROLE_SIZE ? "B"
                                                         : NULL;
    self->unit = unit ? g_intern_string (unit) : NULL;
    self->unit_of = b;
    self->unit_kind = e->kind;
  }
  d.unit = self->unit;
  d.is_whole = !seconds && number >= -0x1p63 && number < 0x1p63 && number == (double) (int64_t) number;
  if (d.is_whole)
    d.value.whole = f && f->role == TRACE_ROLE_SIZE ? e->size : (int64_t) number;
  else
    d.value.real = number;
  eve_emit (self->base.out[1], &d);
}

static void
presenter_text (const Presenter *self, const Bound *b, const TraceEvent *e, bool is_number, double number)
{
  int what = b->what[e->kind];
  TraceValue v = what >= 0 ? trace_value (e, (uint32_t) what) : (TraceValue){ .kind = TRACE_VALUE_NONE };
  char buf[32];
  const char *text = buf;

  if (what == WHAT_TASK || v.kind == TRACE_VALUE_TASK)
    text = trace_task_name (b->source, what == WHAT_TASK ? e->task : (uint32_t) v.i);
  else if (v.kind == TRACE_VALUE_TEXT)
    text = v.text;
  else if (what >= 0 && b->kinds[e->kind].fields[what].role == TRACE_ROLE_OBJECT && e->object != TRACE_NONE)
    text = trace_object_id (b->source, e->object);
  else if (is_number)
    g_ascii_formatd (buf, sizeof buf, "%.15g", number);
  else
    return;
  char *s = g_ref_string_new (text);
  eve_emit_steal (self->base.out[2], &s);
}

static void
event_presenter_step (Presenter *self, const TraceEvent *e)
{
  const TraceSource *s = trace_source (e->source);
  const Bound *b;
  double number;

  if (!s)
    return;
  if (self->phase != PHASE_BOTH && (self->phase == PHASE_END) != !!(e->flags & TRACE_END)) {
    self->wrong = true;
    return;
  }
  self->right = true;
  b = event_presenter_bind (self, s);
  if (e->kind >= b->n_kinds || b->what[e->kind] == WHAT_NOTHING)
    return;
  bool is_number = presenter_number (self, b, e, &number);
  if (is_number)
    eve_emit (self->base.out[0], &number);
  if (is_number && eve_out_connected (self->base.out[1]))
    presenter_dated (self, b, e, number);
  if (eve_out_connected (self->base.out[2]))
    presenter_text (self, b, e, is_number, number);
}

static void
event_presenter_fire (EveComponent *c)
{
  Presenter *self = (Presenter *) c;

  event_presenter_step (self, eve_take (self->base.in[0]));
}

static void
event_presenter_fire_span (EveComponent *c, uint32_t n)
{
  Presenter *self = (Presenter *) c;
  const TraceEvent *e = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++)
    event_presenter_step (self, &e[i]);
}

/* What stands before it may let one phase pass alone. */
static bool
event_presenter_at_end (EveComponent *c)
{
  const Presenter *self = (const Presenter *) c;

  if (self->wrong && !self->right)
    eve_warn (c, _ ("Nothing was given: all events that came are %s, and “of” takes %s."),
              phases[self->phase == PHASE_END ? PHASE_BEGIN : PHASE_END], phases[self->phase]);
  return true;
}

/* Names are looked up again: other settings, or other traces at the same place in memory. */
static void
event_presenter_reset (EveComponent *c)
{
  Presenter *self = (Presenter *) c;

  for (uint32_t i = 0; i < self->n_bound; i++)
    g_free (self->bound[i]);
  g_clear_pointer (&self->bound, g_free);
  self->n_bound = 0;
  self->unit_of = NULL;
}

static void
event_presenter_finish (EveComponent *c)
{
  event_presenter_reset (c);
  g_clear_pointer (&((Presenter *) c)->told, g_hash_table_unref);
}

static bool
event_presenter_changed (EveComponent *c, uint32_t setting)
{
  event_presenter_finish (c);
  ((Presenter *) c)->warned = false;
  return true;
}

static const void *
presenter_query (EveComponent *c, const char *interface_name)
{
  static const BoxInspector inspector = { rows, EVE_N (rows), NULL, NULL, presenter_offer };

  return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &inspector : NULL;
}

static const EveClass presenter = {
  EVE_CLASS_HEAD,
  .id = "scope.event-presenter",
  .label = "Event Presenter",
  .category = "Analysis",
  .version = 1,
  .doc = "Gives a field of trace events as a number, with its date and task, or as text.",
  .help = "For each event that has it, it gives one field as a number. *field* is `date` or `duration` in seconds, "
          "`number` (place in the trace, from 1), `task` (as a number from 0, in order of appearance), `peer`, "
          "`object`, `tag`, `size` in bytes, `result`, or the name of any field of the kind of event, such as "
          "`count`; a list of tasks gives how many they are. Events that do not have the field are passed over, and "
          "so are events of other *kind*s, and calls that never ended when `duration` is asked for. `dated` adds date, "
          "task and "
          "unit; `text` gives words, and the names of tasks and groups. Behind a filter that lets ends alone pass, "
          "*of* must "
          "be `ends`, or `both`.\n\n"
          "Example: *field* `size` and *kind* `Send` give the bytes of each message sent.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Presenter),
  .finish = event_presenter_finish,
  .reset = event_presenter_reset,
  .changed = event_presenter_changed,
  .query = presenter_query,
  .fire = event_presenter_fire,
  .at_end = event_presenter_at_end,
  .fire_span = event_presenter_fire_span,
};
EVE_PLUGIN (&presenter);
