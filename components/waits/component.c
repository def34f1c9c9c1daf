/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - who waits for whom, and how efficient the program is, as tables and dated numbers. */
#include <math.h>
#include <string.h>

#include "readers/counted.h"
#include "components/waits/component.h"
#include "components/waits/findings.h"
#include "eve/words.h"
#include "statistics/graph.h"

static void waits_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events, of all tasks." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, waits_give, .doc = "Any datum: give everything now." },
};
static const EveOutSpec outs[N_OUTS] = {
  [OUT_WAITS] = { "waits", &stats_type_table,
                  .doc = "A row for each kind of wait of a task in a region: how often, how long, for whom most, and "
                         "when the longest; each time once, and `by itself` as if it were the only kind." },
  [OUT_TASKS] = { "tasks", &stats_type_table,
                  .doc = "A row a task: how long it computed, waited, for whom most, and in each way, by itself; "
                         "less what it waited `for two things at once` these add up to `waiting`." },
  [OUT_EFFICIENCY] = { "efficiency", &stats_type_table, .doc = "Efficiency of the whole, and what limits it." },
  [OUT_PATH] = { "path", &stats_type_table,
                 .doc = "The critical path: a row a region, how long it lies in it, and how much longer than a task is "
                        "in it." },
  [OUT_DATED] = { "dated", &stats_type_datum, .capacity = 4096, .unit = "s",
                  .doc = "Each wait, as long as it was, dated when all of it is known: when the calls that it is in "
                         "are over.  At an instant those that are under way come last, as long as they are then." },
  [OUT_STRETCHES] = { "stretches", &stats_type_stretch, .capacity = 4096,
                      .doc =
                          "Each wait as a stretch of the time of who waited, with whom it was for; at the end of the "
                          "trace where the critical path ends.  Timelines mark them." },
  [OUT_MESSAGES] = { "messages", &stats_type_table,
                     .doc = "Late senders message by message, those that were waited for longest: a row each." },
  [OUT_CAUSES] = { "causes", &stats_type_table,
                   .doc = "Root causes: a row for each region of a task that others wait for, how long they wait since "
                          "it takes longer there than with them (direct), and how long further ones wait for those "
                          "(indirect)." },
  [OUT_FLOWS] = { "flows", &stats_type_table,
                  .doc = "What flows lead to, as launches to what an accelerator does: how long it takes from their "
                         "begin, and for how much of that the task was still in others." },
};
enum { SET_EVERY, SET_FROM, SET_TO };

#define SAVED_AS 17 /* the form of what is saved: raised when rows of a table change */
static const EveField settings[] = {
  { "every", EVE_F_INT64, offsetof (Component, every), .min = 0, .max = 1e15, .def = 0,
    .doc = "Give the tables after so many events; 0: at the end only." },
  { "from", EVE_F_STRING, offsetof (Component, from_text),
    .doc = "Counts what is of a window of time alone, which begins at this date; empty: at the beginning." },
  { "to", EVE_F_STRING, offsetof (Component, to_text), .doc = "Where that window ends; empty: at the end." },
  { "without set-up", EVE_F_BOOL, offsetof (Component, inner),
    .doc = "Leaves calls that begin and end communication itself, and what lies before and behind them, out of "
           "efficiency." },
  { "messages", EVE_F_INT64, offsetof (Component, waits.most_messages), .min = 0, .max = 1000000, .def = 1000,
    .doc = "So many late senders are kept message by message: those that were waited for longest." },
};

static void
on_wait (void *to, const Wait *w)
{
  Component *self = to;
  bool unfinished = self->waits.settled && !waits_over (&self->waits);

  if (!eve_out_connected (self->base.out[OUT_DATED]) && !eve_out_connected (self->base.out[OUT_STRETCHES]))
    return;
  StatsDatum d = {
    .date = waits_instant (&self->waits),
    .unfinished = unfinished,
    .owner = path_task (&self->waits, w->task),
    .owner_kind = STATS_OF_TASK,
    .source = self->source,
  };

  d.value.real = trace_clock_seconds (&self->waits.source->clock, w->ticks);
  d.unit = self->unit;
  if (eve_out_connected (self->base.out[OUT_DATED]) && w->ticks > 0)
    g_array_append_vals (unfinished ? self->under_way : self->later_dated, &d, 1);
  self->waits.told = true;
  if (unfinished || !eve_out_connected (self->base.out[OUT_STRETCHES]))
    return;
  const StatsStretch s = { .from = w->from,
                           .to = w->from + w->ticks,
                           .date = d.date,
                           .kind = w->ticks > 0 ? self->kinds[w->kind]
                                                : g_intern_static_string (N_ ("Started by another")),
                           .owner = path_task (&self->waits, w->task),
                           .cause = path_task (&self->waits, w->cause),
                           .source = self->source,
                           .leads = w->leads };
  g_array_append_val (self->later, s);
}

/* As many as there is room for: an operation of many tasks gives as many at once. */
static bool
emit_some_of (Component *self, GArray *later, uint32_t output)
{
  guint size = g_array_get_element_size (later), n = MIN (later->len, eve_room (self->base.out[output]));

  for (guint i = 0; i < n; i++)
    eve_emit (self->base.out[output], later->data + (gsize) i * size);
  if (n > 0)
    g_array_remove_range (later, 0, n);
  return later->len == 0;
}

/* True: that was all. */
static bool
emit_some (Component *self)
{
  bool dated = emit_some_of (self, self->later_dated, OUT_DATED),
       stretches = emit_some_of (self, self->later, OUT_STRETCHES);

  return dated && stretches;
}

/* What is told is of this date, or of the last event. */
static void
waits_component_at (Component *self, int64_t date)
{
  if (date == self->waits.now)
    return;
  waits_unsettle (&self->waits);
  self->waits.now = date;
}

/* What calls that never end wait; and what the critical path is, were this the end. */
static void
waits_component_tell_end (Component *self)
{
  StatsStretch s = { .date = self->waits.count[WAITS_LAST], .cause = TRACE_NONE, .source = self->source };
  int64_t task, first;

  if (self->path_told == self->waits.count[WAITS_EVENTS] || !self->waits.source)
    return;
  self->path_told = self->waits.count[WAITS_EVENTS];
  waits_component_at (self, INT64_MIN);
  if (waits_over (&self->waits)) {
    waits_unsettle (&self->waits);
    self->waits.tells_settled = true;
    waits_settle (&self->waits);
    self->waits.tells_settled = false;
  }
  if (!eve_out_connected (self->base.out[OUT_STRETCHES]))
    return;
  task = path_end (&self->waits, &s.from, &s.to, &first);
  s.leads = task >= 0 && path_is_doubtful (&self->waits);
  s.kind = g_intern_static_string (STATS_STRETCH_PATH);
  if (task < 0 && path_untold (&self->waits) && self->waits.tasks.n > 0) { /* which is said */
    task = ((const WaitTask *) table_at (&self->waits.tasks, 0))->task;
    s.from = s.to = s.date;
    s.leads = 1;
  }
  s.owner = (uint32_t) task;
  if (task >= 0)
    g_array_append_val (self->later, s);
}

static bool
waits_component_init (EveComponent *c)
{
  Component *self = (Component *) c;

  waits_init (&self->waits);
  self->waits.tell = on_wait;
  self->waits.to_whom = self;
  self->unit = g_intern_static_string ("s");
  self->later = g_array_new (FALSE, FALSE, sizeof (StatsStretch));
  self->later_dated = g_array_new (FALSE, FALSE, sizeof (StatsDatum));
  self->under_way = g_array_new (FALSE, FALSE, sizeof (StatsDatum));
  for (int k = 0; k < N_WAITS; k++)
    self->kinds[k] = g_intern_static_string (wait_names[k]);
  return true;
}

/* What a setting says; `all` where it says nothing, or no date. */
static int64_t
waits_component_date_of (Component *self, const TraceSource *s, const char *text, int64_t all)
{
  int64_t date;

  if (!text || !*text)
    return all;
  if (trace_clock_parse (&s->clock, text, &date))
    return date;
  eve_warn ((EveComponent *) self, _ ("“%s” is no date, as 0.25: the window has no bound there"), text);
  return all;
}

static void
window (Component *self, const TraceSource *s)
{
  self->waits.from = waits_component_date_of (self, s, self->from_text, INT64_MIN);
  self->waits.to = waits_component_date_of (self, s, self->to_text, INT64_MAX);
}

static void
waits_component_bind (Component *self, const TraceSource *s)
{
  waits_bind (&self->waits, s);
  window (self, s);
}

/* Between two events a reader may have opened its trace again, when one of its settings was set: what was known of the
 * trace is gone then.  False: there is none. */
static bool
has_source (Component *self)
{
  self->waits.source = self->source ? trace_source (self->source) : NULL;
  return self->waits.source;
}

static void
waits_component_forget_foreseen (Component *self)
{
  for (uint32_t i = 0; i < N_OUTS; i++) {
    if (self->foreseen[i])
      stats_type_table.release (&self->foreseen[i]);
    self->foreseen[i] = NULL;
  }
}

/* A window counts from when it is set on: what was counted before is of the one before. */
static bool
waits_component_changed (EveComponent *c, uint32_t setting)
{
  Component *self = (Component *) c;

  if (setting == SET_FROM || setting == SET_TO)
    waits_component_forget_foreseen (self);
  if ((setting == SET_FROM || setting == SET_TO) && has_source (self))
    window (self, self->waits.source);
  return true;
}

/* Programs of version 1 counted the same time of a call for each of its operations, those of version 2 what is outside
 * of states as work: nothing is to be changed in them. */
static bool
upgrade (EveComponent *c, uint16_t from, EveRenames *renames)
{
  return true;
}

static void
waits_component_reset (EveComponent *c)
{
  Component *self = (Component *) c;

  waits_reset (&self->waits);
  self->given = self->path_told = 0;
  self->warned = false;
  self->source = 0;
  g_array_set_size (self->later, 0);
  g_array_set_size (self->later_dated, 0);
  g_array_set_size (self->under_way, 0);
  self->next_under_way = 0;
}

static void
waits_component_finish (EveComponent *c)
{
  waits_clear (&((Component *) c)->waits);
  g_array_unref (((Component *) c)->later);
  g_array_unref (((Component *) c)->later_dated);
  g_array_unref (((Component *) c)->under_way);
  waits_component_forget_foreseen ((Component *) c);
}

/* ---- what is given ------------------------------------------------------------------------------------------------------------------ */

double
waits_seconds (const Component *self, int64_t ticks)
{
  return trace_clock_seconds (&self->waits.source->clock, ticks);
}

/* A reference for the caller. */
static StatsTable *
table_now (Component *self, uint32_t output)
{
  StatsTable *t = self->foreseen[output];

  if (!t)
    return waits_table (self, output);
  stats_type_table.retain (&t);
  return t;
}

static void
waits_component_tell (Component *self)
{
  if (has_source (self))
    waits_settle (&self->waits);
  for (uint32_t i = 0; i < N_OUTS && has_source (self); i++) {
    StatsTable *t = outs[i].type == &stats_type_table && eve_out_connected (self->base.out[i]) ? table_now (self, i)
                                                                                               : NULL;
    if (t)
      eve_emit_steal (self->base.out[i], &t);
  }
}

static void
waits_component_give (Component *self)
{
  waits_component_at (self, INT64_MIN);
  self->given = self->waits.count[WAITS_EVENTS];
  waits_component_tell (self);
}

static void
waits_give (EveComponent *c, EveIn *in, const void *datum)
{
  waits_component_give ((Component *) c);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------- */

/* Gives how many of these events were taken. */
static uint32_t
waits_component_step (Component *self, const TraceEvent *e, uint32_t n)
{
  if (G_UNLIKELY (e->source != self->source) && !stats_follow_trace ((EveComponent *) self, &self->source, e->source))
    return 1;
  if (G_UNLIKELY (!self->waits.source)) {
    const TraceSource *s = trace_source (e->source);
    if (!s)
      return 1;
    waits_component_bind (self, s);
  }
  uint32_t taken = waits_events (&self->waits, e, self->every > 0 ? 1 : n);
  if (G_UNLIKELY (self->later->len > 0 || self->later_dated->len > 0))
    emit_some (self);
  if (self->every > 0 && self->waits.count[WAITS_EVENTS] % self->every == 0)
    waits_component_give (self);
  return taken;
}

static void
waits_component_fire (EveComponent *c)
{
  waits_component_step ((Component *) c, eve_take (eve_base (c)->in[0]), 1);
}

static void
waits_component_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *events = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n;)
    i += waits_component_step ((Component *) c, &events[i], n - i);
}

static void
waits_component_status (Component *self)
{
  const Waits *w = &self->waits;

  eve_status ((EveComponent *) self, _ ("%lld messages, %lld operations"), (long long) w->count[WAITS_MESSAGES],
              (long long) w->count[WAITS_INSTANCES]);
}

static void
waits_component_warn (void *c, const char *sentence)
{
  eve_warn (c, "%s", sentence);
  ((Component *) c)->warned = true;
}

static bool
waits_component_at_end (EveComponent *c)
{
  Component *self = (Component *) c;

  if (self->given != self->waits.count[WAITS_EVENTS])
    waits_component_give (self);
  waits_component_tell_end (self);
  waits_component_status (self);
  if (has_source (self) && !self->warned) /* who only looks at views should know it too */
    findings_tell_clocks (&(Telling){ .self = self, .add = waits_component_warn, .to = c });
  return emit_some (self);
}

/* Waits of calls that are under way count as far as they have come. */
static bool
waits_component_at_rest (EveComponent *c, int64_t now)
{
  Component *self = (Component *) c;
  Waits *w = &self->waits;
  int64_t at = self->source ? trace_lasts_until (self->source, now) : INT64_MIN;

  if (self->next_under_way == 0) {
    waits_component_at (self, at);
    g_array_set_size (self->under_way, 0);
    if (has_source (self) && !waits_over (w)) {
      waits_unsettle (w);
      w->tells_settled = true;
      waits_settle (w);
      w->tells_settled = false;
    }
    if (self->given != w->count[WAITS_EVENTS] || at > w->count[WAITS_LAST])
      waits_component_tell (self);
    waits_component_status (self);
  }
  while (self->next_under_way < self->under_way->len && eve_room (self->base.out[OUT_DATED]) > 0)
    eve_emit (self->base.out[OUT_DATED], &g_array_index (self->under_way, StatsDatum, self->next_under_way++));
  if (self->next_under_way < self->under_way->len)
    return false;
  self->next_under_way = 0;
  return true;
}

/* A rest may have been broken off. */
static void
waits_component_start (EveComponent *c)
{
  ((Component *) c)->next_under_way = 0;
}

static void
waits_component_save (EveComponent *c, EveBlob *to)
{
  Component *self = (Component *) c;

  waits_unsettle (&self->waits);
  eve_put_int (to, SAVED_AS);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->given);
  eve_put_int (to, self->path_told);
  eve_put_int (to, self->later->len);
  for (guint i = 0; i < self->later->len; i++)
    stats_type_stretch.save (eve_program (c), &g_array_index (self->later, StatsStretch, i), to);
  eve_put_int (to, self->later_dated->len);
  for (guint i = 0; i < self->later_dated->len; i++)
    stats_type_datum.save (eve_program (c), &g_array_index (self->later_dated, StatsDatum, i), to);
  waits_save (&self->waits, to);
}

static bool
waits_component_load (EveComponent *c, EveBlobView *from)
{
  Component *self = (Component *) c;

  waits_component_reset (c);
  if (eve_get_int (from) != SAVED_AS) /* before version 3 a text is here: what is behind it would be read wrong */
    return false;
  self->source = trace_get_source (eve_program (c), from);
  self->given = eve_get_int (from);
  self->path_told = eve_get_int (from);
  for (int64_t n = eve_get_int (from); n > 0; n--) {
    StatsStretch s;
    if (!eve_get_ok (from) || !stats_type_stretch.load (eve_program (c), &s, from))
      return false;
    g_array_append_val (self->later, s);
  }
  for (int64_t n = eve_get_int (from); n > 0; n--) {
    StatsDatum d;
    if (!eve_get_ok (from) || !stats_type_datum.load (eve_program (c), &d, from))
      return false;
    g_array_append_val (self->later_dated, d);
  }
  if (self->source && trace_source (self->source))
    waits_component_bind (self, trace_source (self->source));
  return waits_load (&self->waits, from);
}

static StatsTable *
waits_component_figures (EveComponent *c, uint32_t n)
{
  static const uint32_t told[] = { OUT_EFFICIENCY, OUT_WAITS, OUT_TASKS, OUT_PATH, OUT_CAUSES };
  Component *self = (Component *) c;

  if (n >= EVE_N (told) || !has_source (self))
    return NULL;
  waits_settle (&self->waits);
  return table_now (self, told[n]);
}
static const StatsFigures waits_figures = { waits_component_figures };

/* How much of a wait lies in a range, and the critical path, may be known only later. */
static void
waits_component_foresee (EveComponent *c)
{
  Component *self = (Component *) c;

  waits_component_forget_foreseen (self);
  if (!has_source (self))
    return;
  waits_settle (&self->waits);
  for (uint32_t i = 0; i < N_OUTS; i++)
    self->foreseen[i] = outs[i].type == &stats_type_table ? waits_table (self, i) : NULL;
}

static const void *
waits_component_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { .by_settings = true };
  static const uint32_t stretches = OUT_STRETCHES;
  static const TraceForesees foresees = { waits_component_foresee };

  return g_str_equal (name, "findings/1")     ? (const void *) &waits_findings
         : g_str_equal (name, "answer/1")     ? (const void *) &waits_answer
         : g_str_equal (name, "circles/1")    ? (const void *) &waits_circles
         : g_str_equal (name, "leads/1")      ? (const void *) &waits_leads
         : g_str_equal (name, "scaling/1")    ? (const void *) &waits_scaling
         : g_str_equal (name, STATS_WAITS)    ? &stretches
         : g_str_equal (name, "figures/1")    ? (const void *) &waits_figures
         : g_str_equal (name, TRACE_COUNTED)  ? (const void *) &counted
         : g_str_equal (name, TRACE_FORESEES) ? (const void *) &foresees
                                              : NULL;
}

static const EveClass waits = {
  EVE_CLASS_HEAD,
  .id = "scope.wait-states",
  .label = "Wait States",
  .category = "Analysis",
  .version = 3, /* 3: what of a task is held up is saved, and which states say that it runs */
  .doc = "Finds who waits for whom, and how efficient the program is.",
  .help =
      "Connect the events of a reader.  A receive that is called before its message is sent waits for a *late sender*, "
      "a send that is blocked for a *late receiver*; in an operation of a whole group tasks wait for the last to come "
      "(*barrier*, *N x N*), for a *late root*, or the root for the first of the others (*early root*).  `waits` has "
      "a row for each kind, task and region, the longest first; `tasks` a row a task; `efficiency` tells load balance, "
      "communication efficiency and their product, as POP defines them, and what was left over at the end; `dated` "
      "each wait; `causes` tells whose doing it is that tasks wait, and what they do longer than others.  At an "
      "instant "
      "waits that are under way count as far as they are known then: *Under way* is a call that is not over, of which "
      "only what comes later tells what it waits for.\n\n"
      "It works for any trace whose events say who sends, receives and takes part; calls of communication are those of "
      "the group MPI or of names that begin so.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Component),
  .init = waits_component_init,
  .finish = waits_component_finish,
  .start = waits_component_start,
  .reset = waits_component_reset,
  .changed = waits_component_changed,
  .upgrade = upgrade,
  .fire = waits_component_fire,
  .fire_span = waits_component_fire_span,
  .at_end = waits_component_at_end,
  .at_rest = waits_component_at_rest,
  .save = waits_component_save,
  .load = waits_component_load,
  .query = waits_component_query,
};
EVE_PLUGIN (&waits);
