/* SPDX-License-Identifier: Apache-2.0 */
/* call-trace.c - the call that each task is inside of, or the last one that it was, as a sentence (XPVM's Call Trace).
 *
 * What a task did last is one event; its sentence is written when a table is given, which is when time stands still. */
#include <glib.h>
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/types.h"

#define MOST_TASKS (1u << 20)

typedef struct CallTrace {
  EveBase base;
  TraceEvent *last; /* by task; number UINT64_MAX: it has called nothing */
  uint32_t n_tasks, room;
  uint64_t calls;
  int64_t date;
  uint16_t source;
  /* of the kinds of the source, whether they are calls; no run state */
  uint8_t *is_call;
  uint32_t n_kinds;
  const TraceSource *of;
} CallTrace;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of one trace." },
};
static const EveOutSpec outs[] = {
  { "table", &stats_type_table, .doc = "A row for each task: its call, whether it lasts, from when to when." },
};

static void
call_trace_reset (EveComponent *c)
{
  CallTrace *self = (CallTrace *) c;

  g_clear_pointer (&self->last, g_free);
  g_clear_pointer (&self->is_call, g_free);
  self->n_tasks = self->room = self->n_kinds = 0;
  self->calls = 0;
  self->date = INT64_MIN;
  self->source = 0;
  self->of = NULL;
}

static bool
call_trace_init (EveComponent *c)
{
  call_trace_reset (c);
  return true;
}

static void
look_at_kinds (CallTrace *self)
{
  const TraceSource *s = trace_source (self->source);

  if (!s || (self->of == s && self->n_kinds == s->n_kinds))
    return;
  self->of = s;
  self->n_kinds = s->n_kinds;
  self->is_call = g_renew (uint8_t, self->is_call, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; i++)
    self->is_call[i] = (trace_acts (&s->kinds[i])
                        & (TRACE_ACT_CALL | TRACE_ACT_ENTER | TRACE_ACT_LEAVE | TRACE_ACT_SEND | TRACE_ACT_RECEIVE
                           | TRACE_ACT_COLLECTIVE))
                       != 0;
}

static bool
call_trace_make_room (CallTrace *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return false;
  if (task >= self->room) {
    self->room = MAX (task + 1, 2 * self->room + 16);
    self->last = g_renew (TraceEvent, self->last, self->room);
  }
  for (; self->n_tasks <= task; self->n_tasks++)
    self->last[self->n_tasks] = (TraceEvent){ .number = UINT64_MAX };
  return true;
}

static void
call_trace_take (CallTrace *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source) && !stats_follow_trace ((EveComponent *) self, &self->source, e->source))
    return;
  if (G_UNLIKELY (e->kind >= self->n_kinds || !self->of))
    look_at_kinds (self);
  self->date = e->date;
  if (e->kind >= self->n_kinds || !self->is_call[e->kind])
    return;
  if (G_UNLIKELY (e->task >= self->n_tasks) && !call_trace_make_room (self, e->task))
    return;
  self->last[e->task] = *e;
  self->calls += !(e->flags & TRACE_END);
}

static void
call_trace_fire (EveComponent *c)
{
  call_trace_take ((CallTrace *) c, eve_take (eve_base (c)->in[0]));
}

static void
call_trace_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    call_trace_take ((CallTrace *) c, &e[i]);
}

/* What is called: a region of the program, or the kind of event. */
static const char *
call_trace_name_of (const TraceSource *s, const TraceEvent *e)
{
  const char *name = e->object != TRACE_NONE && trace_acts (&s->kinds[e->kind]) & (TRACE_ACT_ENTER | TRACE_ACT_LEAVE)
                         ? trace_object_id (s, e->object)
                         : NULL;

  return name && *name ? name : s->kinds[e->kind].name;
}

static void
call_trace_put_row (const TraceSource *s, const TraceEvent *e, StatsTable *t, uint32_t row)
{
  uint32_t acts = trace_acts (&s->kinds[e->kind]);
  bool leaves = acts & TRACE_ACT_LEAVE; /* entering and leaving are records of their own, each of an instant */
  bool over = e->flags & TRACE_END || leaves || (e->flags & TRACE_INSTANT && !(acts & TRACE_ACT_ENTER));
  bool timed = e->flags & TRACE_END && TRACE_HAS_DURATION (e);
  g_autofree char *sentence = trace_sentence (e);

  stats_table_set_text (t, row, 1, call_trace_name_of (s, e));
  stats_table_set_text (t, row, 2, over ? N_ ("over") : N_ ("lasts"));
  if (!(e->flags & TRACE_END) || timed)
    stats_cell (t, row, 3)->whole = timed                                             ? e->date - e->duration
                                    : leaves || (over && !(e->flags & TRACE_INSTANT)) ? INT64_MIN
                                                                                      : e->date;
  if (over)
    stats_cell (t, row, 4)->whole = e->date;
  if (timed)
    stats_cell (t, row, 5)->real = trace_clock_seconds (&s->clock, e->duration);
  stats_table_set_name (t, row, 6, sentence);
}

static void
call_trace_give (CallTrace *self, int64_t date)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },  { "call", NULL, STATS_CELL_TEXT }, { "is", NULL, STATS_CELL_TEXT, STATS_WORDS },
    { "since", "s", STATS_CELL_DATE },  { "until", "s", STATS_CELL_DATE }, { "took", "s", STATS_CELL_REAL },
    { "event", NULL, STATS_CELL_TEXT },
  };
  const TraceSource *s = trace_source (self->source);
  uint32_t n = 0;

  if (!eve_out_connected (self->base.out[0]) || !s)
    return;
  look_at_kinds (self);
  for (uint32_t i = 0; i < self->n_tasks; i++)
    n += self->last[i].number != UINT64_MAX && self->last[i].kind < s->n_kinds;
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, EVE_N (columns), n);
  t->date = date;
  t->source = self->source;
  n = 0;
  for (uint32_t i = 0; i < self->n_tasks; i++) {
    const TraceEvent *e = &self->last[i];
    if (e->number == UINT64_MAX || e->kind >= s->n_kinds)
      continue;
    stats_table_set_name (t, n, 0, trace_task_name (s, i));
    stats_table_set_owner (t, n, trace_ref_task (self->source, i), (TraceRef){ 0 });
    call_trace_put_row (s, e, t, n++);
  }
  eve_emit_steal (self->base.out[0], &t);
  eve_status ((EveComponent *) self, P_ ("%llu calls of %u task", "%llu calls of %u tasks", n),
              (unsigned long long) self->calls, n);
}

static bool
call_trace_at_rest (EveComponent *c, int64_t now)
{
  CallTrace *self = (CallTrace *) c;

  if (self->source != 0)
    call_trace_give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
call_trace_at_end (EveComponent *c)
{
  CallTrace *self = (CallTrace *) c;
  const TraceSource *s = trace_source (self->source);

  call_trace_give (self, s ? MAX (self->date, s->last) : self->date);
  return true;
}

static void
call_trace_save (EveComponent *c, EveBlob *to)
{
  const CallTrace *self = (const CallTrace *) c;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->date);
  eve_put_int (to, (int64_t) self->calls);
  eve_put_int (to, self->n_tasks);
  for (uint32_t i = 0; i < self->n_tasks; i++) {
    const TraceEvent *e = &self->last[i];
    eve_put_int (to, e->number == UINT64_MAX ? -1 : (int64_t) e->number);
    if (e->number != UINT64_MAX)
      trace_type_event.save (eve_program (c), e, to);
  }
}

static bool
call_trace_load (EveComponent *c, EveBlobView *from)
{
  CallTrace *self = (CallTrace *) c;

  call_trace_reset (c);
  self->source = trace_get_source (eve_program (c), from);
  self->date = eve_get_int (from);
  self->calls = (uint64_t) eve_get_int (from);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t number = eve_get_int (from);
    if (!eve_get_ok (from) || !call_trace_make_room (self, (uint32_t) i))
      return false;
    if (number >= 0 && !trace_type_event.load (eve_program (c), &self->last[i], from))
      return false;
  }
  return eve_get_ok (from);
}

static const EveClass call_trace = {
  EVE_CLASS_HEAD,
  .id = "scope.call-trace",
  .label = "Call Trace",
  .category = "Analysis",
  .version = 1,
  .doc = "The call that each task is inside of, or its last one, with all that the trace tells of it.",
  .help =
      "Connect the events of a reader. At the instant that is looked at, `table` has a row for each task that has "
      "called anything: the call, whether it lasts or is over, since and until when, how long it took, and the event "
      "as a sentence.\n\n"
      "Example: Call Trace to a table shows what XPVM's display of that name does.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (CallTrace),
  .init = call_trace_init,
  .finish = call_trace_reset,
  .reset = call_trace_reset,
  .fire = call_trace_fire,
  .fire_span = call_trace_fire_span,
  .at_rest = call_trace_at_rest,
  .at_end = call_trace_at_end,
  .save = call_trace_save,
  .load = call_trace_load,
};
EVE_PLUGIN (&call_trace);
