/* SPDX-License-Identifier: Apache-2.0 */
/* communication-overhead.c - the share of their time that tasks spend exchanging data (thesis, section 5.1.3).
 *
 * At an instant t the time spent so far by all tasks is a sum kept at hand: of what is over, plus t for each task at
 * it, less the dates they began.  So a sample costs the same for any number of tasks, and may lie between two events.
 */
#include <glib.h>
#include "readers/counted.h"
#include "components/analysis/communication-overhead.h"
#include "components/events.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "statistics/dates.h"
#include "statistics/graph.h"
#include "statistics/list.h"
#include "statistics/types.h"

static const char *const samplings[] = {
  "intervals of time", "receives", "receives of a task", "phases", "phases so far", "at the end", NULL
};
static const char *const phase_kinds[] = { "exchanges", "marks", NULL };
enum { OUT_OVERHEAD, OUT_DATED, OUT_MIN, OUT_MAX, OUT_SENDS, OUT_RECEIVES, OUT_UNDER_WAY, OUT_PHASES, OUT_TREND };
enum {
  IS_COMMUNICATION = 1,
  IS_SEND = 2,
  IS_RECEIVE = 4,
  IS_DEATH = 8,
  IS_MARK = 16,
  IS_MULTICAST = 32,
  IS_BIRTH = 64
};

#define CATEGORIES "point, global, collective"
#define MOST_TASKS (1u << 20)
#define MOST_INTERVALS 100000 /* in one trace */

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true,
    .doc = "Trace events, of all tasks or of those that a Filter passes." },
};
static const EveOutSpec outs[] = {
  [OUT_OVERHEAD] = { "overhead", &eve_type_double, .unit = "%",
                     .doc = "Share of the time spent communicating, at each sample." },
  [OUT_DATED] = { "dated", &stats_type_datum, .unit = "%", .doc = "The same with its date." },
  [OUT_MIN] = { "min", &eve_type_double, .unit = "%", .doc = "The smallest so far." },
  [OUT_MAX] = { "max", &eve_type_double, .unit = "%", .doc = "The largest so far." },
  [OUT_SENDS] = { "sends", &eve_type_int64, .doc = "Messages whose sending has begun." },
  [OUT_RECEIVES] = { "receives", &eve_type_int64, .doc = "Messages received." },
  [OUT_UNDER_WAY] = { "under way", &eve_type_int64, .doc = "Messages sent and not yet received." },
  [OUT_PHASES] = { "phases", &eve_type_int64, .doc = "Phases that all tasks have ended." },
  [OUT_TREND] = { "trend", &eve_type_int64,
                  .doc = "For how many samples it has been rising, or falling (then less than 0)." },
};
enum { SAMPLING, N, INTERVAL, PHASES_BY, GAP, CATEGORIES_OF, FROM, TO };
static const EveField settings[] = {
  { "sampling", EVE_F_CHOICE, offsetof (Overhead, sampling), .def = BY_PHASES, .choices = samplings,
    .doc = "When a sample is taken, and of what: of the time since the one before, or of all the time so far." },
  { "n", EVE_F_INT64, offsetof (Overhead, n), .min = 1, .max = 1e15, .def = 1,
    .doc = "After how many receives or phases." },
  { "interval", EVE_F_DOUBLE, offsetof (Overhead, interval_s), .min = 0, .max = 1e9, .def = 0, .unit = "s",
    .doc = "Time between two samples; 0: a hundredth of the trace." },
  { "phases by", EVE_F_CHOICE, offsetof (Overhead, phases_by), .def = PHASE_EXCHANGES, .choices = phase_kinds,
    .doc = "A phase is communication followed by computing, or what the program itself marks as one." },
  { "gap", EVE_F_DOUBLE, offsetof (Overhead, gap_s), .min = 0, .max = 1e9, .def = 0.0001, .unit = "s",
    .doc = "A task that computes for so long between two communications has ended a phase." },
  { "categories", EVE_F_STRING, offsetof (Overhead, categories), .def_text = CATEGORIES,
    .doc = "Categories of event that are communication." },
  [FROM] = { "from", EVE_F_STRING, offsetof (Overhead, from_text), .unit = "s",
             .doc = "Only the time from this date on; empty: from the beginning." },
  [TO] = { "to", EVE_F_STRING, offsetof (Overhead, to_text), .unit = "s",
           .doc = "Only the time until this date; empty: until the end." },
};

static const EveField state[] = {
  /* sums modulo 2^64 */
  { "spent", EVE_F_INT64, offsetof (Overhead, spent) },
  { "in since", EVE_F_INT64, offsetof (Overhead, in_since) },
  { "life", EVE_F_INT64, offsetof (Overhead, life) },
  { "births", EVE_F_INT64, offsetof (Overhead, births) },
  { "spent before", EVE_F_INT64, offsetof (Overhead, spent_before) },
  { "life before", EVE_F_INT64, offsetof (Overhead, life_before) },
  { "spent zero", EVE_F_INT64, offsetof (Overhead, spent_zero) },
  { "life zero", EVE_F_INT64, offsetof (Overhead, life_zero) },
  /* dates */
  { "next", EVE_F_INT64, offsetof (Overhead, next) },
  { "clock", EVE_F_INT64, offsetof (Overhead, clock) },
  { "in", EVE_F_INT64, offsetof (Overhead, n_in), EVE_COUNT },
  { "alive", EVE_F_INT64, offsetof (Overhead, n_alive), EVE_COUNT },
  { "sends", EVE_F_INT64, offsetof (Overhead, sends), EVE_COUNT },
  { "receives", EVE_F_INT64, offsetof (Overhead, receives), EVE_COUNT },
  { "phases", EVE_F_INT64, offsetof (Overhead, phases), EVE_COUNT },
  { "behind", EVE_F_INT64, offsetof (Overhead, behind), EVE_COUNT },
  { "counted", EVE_F_INT64, offsetof (Overhead, counted), EVE_COUNT },
  { "samples", EVE_F_INT64, offsetof (Overhead, samples), EVE_COUNT },
  { "trend", EVE_F_INT64, offsetof (Overhead, trend), .min = -1e18, .max = 1e18 },
  { "value", EVE_F_DOUBLE, offsetof (Overhead, value), .def = NAN },
  { "min", EVE_F_DOUBLE, offsetof (Overhead, min), .def = NAN },
  { "max", EVE_F_DOUBLE, offsetof (Overhead, max), .def = NAN },
  { "begun", EVE_F_BOOL, offsetof (Overhead, begun) },
  { "over", EVE_F_BOOL, offsetof (Overhead, over) },
  { "warned", EVE_F_BOOL, offsetof (Overhead, warned) },
  { "partial", EVE_F_BOOL, offsetof (Overhead, partial) },
};

static void
overhead_forget (EveComponent *c)
{
  Overhead *self = (Overhead *) c;

  g_clear_pointer (&self->what, g_free);
  self->source = NULL;
  self->number = -1;
  self->n_kinds = 0;
}

static void
overhead_reset (EveComponent *c)
{
  Overhead *self = (Overhead *) c;
  size_t begin = offsetof (Overhead, task), end = offsetof (Overhead, source);

  overhead_forget (c);
  g_free (self->task);
  g_free (self->part);
  memset ((char *) self + begin, 0, end - begin);
  self->value = self->min = self->max = NAN;
}

static void
overhead_finish (EveComponent *c)
{
  overhead_reset (c);
  g_clear_pointer (&((Overhead *) c)->told, g_hash_table_unref);
}

static bool
overhead_init (EveComponent *c)
{
  overhead_reset (c);
  return true;
}

/* The next date at which what counts begins or ends. */
static int64_t
next_edge (const Overhead *self)
{
  return !self->begun ? self->from : self->over || self->to == INT64_MAX ? INT64_MAX : self->to + 1;
}

static uint64_t
ticks (const TraceSource *s, double seconds)
{
  double t = seconds * (double) s->clock.ticks_per_second;

  return t < 0x1p62 ? (uint64_t) t : UINT64_C (1) << 62;
}

static void
offer_categories (void *source, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = source;

  for (uint32_t i = 0; i < s->n_kinds; i++)
    add (to, s->kinds[i].category);
}

static void
communication_overhead_bind_dates (Overhead *self)
{
  stats_wires_changed (&self->wires, (EveComponent *) self);
  stats_dates ((EveComponent *) self, self->source, (char *const[]){ self->from_text, self->to_text },
               &self->told_outside, &self->from, &self->to);
  self->edge = next_edge (self);
}

static void
overhead_bind (Overhead *self, uint16_t number)
{
  const TraceSource *s = trace_source (number);
  bool silent = self->warned || eve_at_rest ((EveComponent *) self); /* nobody hears what is told then */
  uint8_t any = 0;

  overhead_forget ((EveComponent *) self);
  self->unit = g_intern_static_string ("%");
  if (!s)
    return;
  self->number = number;
  self->source = s;
  self->n_kinds = s->n_kinds;
  self->what = g_new0 (uint8_t, MAX (s->n_kinds, 1));
  g_auto (GStrv) categories = stats_list_split (self->categories);
  if (strcmp (self->categories, CATEGORIES) != 0) /* not each format has all of these */
    stats_tell_unknown ((EveComponent *) self, &self->told, "category of event", categories, offer_categories,
                        (void *) s);
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    uint8_t what = stats_names_have (categories, k->category) ? IS_COMMUNICATION : 0;
    any |= what;
    uint16_t acts = trace_acts (k);
    what |= (acts & TRACE_ACT_SEND ? IS_SEND : 0) | (acts & TRACE_ACT_MULTICAST ? IS_MULTICAST : 0);
    what |= acts & TRACE_ACT_RECEIVE ? IS_RECEIVE : 0;
    what |= acts & TRACE_ACT_DEATH ? IS_DEATH : 0;
    what |= acts & TRACE_ACT_BIRTH ? IS_BIRTH : 0;
    what |= acts & TRACE_ACT_PHASE ? IS_MARK : 0;
    self->what[i] = what;
  }
  if (!any && !silent) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("No event of the trace %s is of the categories “%s”; the overhead is 0."),
              s->name, self->categories);
  }
  communication_overhead_bind_dates (self);
  int64_t first = MAX (s->first, self->from), last = MIN (s->last, self->to);
  uint64_t span = last > first ? (uint64_t) last - (uint64_t) first : 1;
  self->gap = ticks (s, self->gap_s);
  self->interval = self->interval_s > 0 ? MAX (ticks (s, self->interval_s), 1) : MAX (span / 100, 1);
  if (self->sampling == BY_INTERVAL && span / self->interval > MOST_INTERVALS) {
    self->interval = span / MOST_INTERVALS;
    if (!silent)
      eve_warn ((EveComponent *) self, _ ("The interval would give more than %d samples of %s; it is made longer."),
                MOST_INTERVALS, s->name);
    self->warned |= !silent;
  }
}

/* How long all tasks together have lived by a date, ticks. */
static uint64_t
life_until (const Overhead *self, int64_t t)
{
  return self->life + (uint64_t) self->n_alive * (uint64_t) t - self->births;
}

/* Takes one; false: no time has passed for anybody. */
static bool
communication_overhead_take_sample (Overhead *self, int64_t t)
{
  uint64_t at = (uint64_t) t;
  uint64_t spent = self->spent + (uint64_t) self->n_in * at - self->in_since;
  uint64_t life = life_until (self, t);
  bool all = self->sampling == BY_PHASES_SO_FAR || self->sampling == AT_END;
  uint64_t part = spent - (all ? self->spent_zero : self->spent_before);
  uint64_t whole = life - (all ? self->life_zero : self->life_before);
  double before = self->value;

  if (whole == 0 || whole > INT64_MAX)
    return false;
  self->spent_before = spent;
  self->life_before = life;
  self->counted = 0;
  self->value = 100.0 * (double) part / (double) whole;
  self->min = self->samples == 0 || self->value < self->min ? self->value : self->min;
  self->max = self->samples == 0 || self->value > self->max ? self->value : self->max;
  if (self->samples++ > 0)
    self->trend = self->value > before ? MAX (self->trend, 0) + 1 : self->value < before ? MIN (self->trend, 0) - 1 : 0;
  return true;
}

/* What the inspector shows. */
static void
show_sample (Overhead *self)
{
  self->shown = (Sampled){ self->samples, self->sends, self->receives, self->phases,
                           self->trend,   self->value, self->min,      self->max };
}

static void
tell_sample (Overhead *self, int64_t t)
{
  show_sample (self);
  EveOut *const *out = self->base.out;
  StatsDatum d = { .date = t,
                   .value.real = self->value,
                   .unit = self->unit,
                   .owner = TRACE_NONE,
                   .source = (uint16_t) MAX (self->number, 0) };
  eve_emit (out[OUT_OVERHEAD], &self->value);
  eve_emit (out[OUT_DATED], &d);
  eve_emit (out[OUT_MIN], &self->min);
  eve_emit (out[OUT_MAX], &self->max);
  eve_emit (out[OUT_SENDS], &self->sends);
  eve_emit (out[OUT_RECEIVES], &self->receives);
  eve_emit (out[OUT_UNDER_WAY], &(int64_t){ self->sends - self->receives });
  eve_emit (out[OUT_PHASES], &self->phases);
  eve_emit (out[OUT_TREND], &self->trend);
}

static void
communication_overhead_sample (Overhead *self, int64_t t)
{
  if (communication_overhead_take_sample (self, t))
    tell_sample (self, t);
}

/* ---- phases ---------------------------------------------------------------------------------------------------------- */

/* Of the tasks that take part: the phases of those that have ended the fewest, and how many tasks those are. */
static int64_t
slowest (const Overhead *self, int64_t *n)
{
  int64_t least = INT64_MAX;

  *n = 0;
  for (uint32_t i = 0; i < self->n_part; i++) {
    int64_t phases = self->task[self->part[i]].phases;
    if (phases <= least) {
      *n = phases < least ? 1 : *n + 1;
      least = phases;
    }
  }
  return least;
}

/* A phase of all is over when every living task that takes part has ended it, which is when nobody is behind; the tasks
 * that are late for the next are counted anew.  That is done once a phase of all, and looks only at tasks that have
 * each ended this phase: in all it costs no more than counting the phases of each task.  Gives how many phases that
 * made. */
static int64_t
phases_over (Overhead *self)
{
  int64_t before = self->phases, behind, least = slowest (self, &behind);

  if (behind > 0) {
    self->phases = least;
    self->behind = behind;
  }
  return self->phases - before;
}

static void
communication_overhead_add_part (Overhead *self, Task *t)
{
  t->counts = true;
  t->place = self->n_part;
  self->part[self->n_part++] = (uint32_t) (t - self->task);
}

static void
communication_overhead_take_part (Overhead *self, Task *t)
{
  if (t->counts)
    return;
  communication_overhead_add_part (self, t);
  t->phases = self->phases;
  self->behind++;
}

static void
phase_ends (Overhead *self, Task *t)
{
  t->talks = false;
  if (t->counts && t->phases++ == self->phases)
    self->behind--;
}

static void
communication_overhead_leave (Overhead *self, Task *t)
{
  if (!t->counts)
    return;
  if (t->phases <= self->phases)
    self->behind--;
  uint32_t last = self->part[--self->n_part];
  self->part[t->place] = last;
  self->task[last].place = t->place;
  t->counts = false;
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static Task *
communication_overhead_task_of (Overhead *self, uint32_t task)
{
  if (task >= self->n_tasks) {
    if (task >= MOST_TASKS)
      return NULL;
    if (task >= self->room) {
      self->room = MAX (task + 1, self->room * 2 + 16);
      self->task = g_renew (Task, self->task, self->room);
      self->part = g_renew (uint32_t, self->part, self->room);
    }
    memset (self->task + self->n_tasks, 0, (task + 1 - self->n_tasks) * sizeof *self->task);
    self->n_tasks = task + 1;
  }
  return &self->task[task];
}

static void
communication_overhead_begin (Overhead *self, Task *t, uint64_t at)
{
  if (t->depth++ > 0)
    return;
  if (self->phases_by == PHASE_EXCHANGES) {
    if (t->talks && at - t->left >= self->gap && at - t->left <= INT64_MAX)
      phase_ends (self, t);
    communication_overhead_take_part (self, t);
    t->talks = true;
  }
  t->since = at;
  self->in_since += at;
  self->n_in++;
}

static void
communication_overhead_end (Overhead *self, Task *t, uint64_t at)
{
  if (t->depth == 0 || --t->depth > 0)
    return;
  self->spent += at - t->since;
  self->in_since -= t->since;
  self->n_in--;
  t->left = at;
}

static void
communication_overhead_die (Overhead *self, Task *t, uint64_t at)
{
  while (t->depth > 0)
    communication_overhead_end (self, t, at);
  if (t->talks)
    phase_ends (self, t);
  self->life += at - t->birth;
  self->births -= t->birth;
  self->n_alive--;
  t->life = 2;
}

/* What it is of has ended: an instant is over as it begins. */
static bool
is_over (const TraceEvent *e)
{
  return e->flags & (TRACE_END | TRACE_INSTANT);
}

static void
count_messages (Overhead *self, Task *t, const TraceEvent *e, uint8_t what)
{
  if (what & IS_SEND && !(e->flags & TRACE_END)) {
    bool multicast = what & IS_MULTICAST;
    uint32_t n;
    const uint32_t *to = trace_sent_to (e, multicast, &n);
    for (uint32_t i = 0; i < n; i++)
      self->sends += trace_reaches (e, multicast, to[i]);
  }
  if (what & IS_RECEIVE && is_over (e) && trace_received (e)) {
    self->receives++;
    t->receives++;
    if (self->sampling == BY_RECEIVES)
      self->counted++;
    else if (self->sampling == BY_TASK_RECEIVES && t->receives % self->n == 0)
      self->counted = self->n;
  }
}

/* ---- the time that counts ---------------------------------------------------------------------------------------------- */

/* What was until now is no part of it: sums go on from here, messages and phases are counted anew. */
static void
begin_window (Overhead *self)
{
  uint64_t at = (uint64_t) self->from;

  self->spent_zero = self->spent_before = self->spent + (uint64_t) self->n_in * at - self->in_since;
  self->life_zero = self->life_before = self->life + (uint64_t) self->n_alive * at - self->births;
  self->sends = self->receives = self->phases = self->behind = self->counted = 0;
  self->n_part = 0;
  for (uint32_t i = 0; i < self->n_tasks; i++) {
    Task *t = &self->task[i];
    t->phases = t->receives = 0;
    t->counts = t->talks = false;
    if (t->depth > 0 && self->phases_by == PHASE_EXCHANGES) {
      communication_overhead_take_part (self, t);
      t->talks = true;
    }
  }
}

/* An event dated `date` comes, at or behind `from`. */
static void
begin_time (Overhead *self, int64_t date)
{
  self->begun = true;
  if (self->from > INT64_MIN)
    begin_window (self);
  self->next = (int64_t) ((uint64_t) (self->from > INT64_MIN ? self->from : date) + self->interval);
  self->edge = next_edge (self);
}

/* The first one behind `to`. */
static void
end_time (Overhead *self)
{
  communication_overhead_sample (self, self->to);
  self->over = true;
  self->edge = next_edge (self);
}

/* What most events are: no communication, of a task that is alive; or behind `to`.  All they change is the clock. */
static inline bool
is_nothing (const Overhead *self, const TraceEvent *e)
{
  return self->over
         || (e->kind < self->n_kinds && self->what[e->kind] == 0 && e->task < self->n_tasks
             && self->task[e->task].life == 1);
}

/* A Filter has left out the beginning of a task: its life would be taken for shorter than it is. */
static void
communication_overhead_tell_partial (Overhead *self, const TraceEvent *e)
{
  self->partial = false;
  eve_warn (
      (EveComponent *) self,
      _ ("The birth of %s was left out before it came here: it is taken to live from its first event that came. For a "
         "window of time, set from and to here and leave those of the Filter empty."),
      self->source ? trace_task_name (self->source, e->task) : _ ("a task"));
}

/* What an event changes; a sample that is due at it. */
static G_NO_INLINE void
overhead_step (Overhead *self, const TraceEvent *e)
{
  uint8_t what = e->kind < self->n_kinds ? self->what[e->kind] : 0;
  uint64_t at = (uint64_t) e->date;
  Task *t;

  self->clock = e->date;
  if (self->over)
    return;
  t = e->task < self->n_tasks ? &self->task[e->task] : communication_overhead_task_of (self, e->task);
  if (!t)
    return;
  if (t->life != 1 && !(what & IS_DEATH)) {
    if (t->life == 2 && !(what & IS_BIRTH))
      return;
    if (t->life == 0 && !(what & IS_BIRTH) && self->partial)
      communication_overhead_tell_partial (self, e);
    t->life = 1;
    t->birth = at;
    self->births += at;
    self->n_alive++;
  }
  if (!what || t->life != 1)
    return;
  if (what & IS_COMMUNICATION) {
    if (!(e->flags & TRACE_END))
      communication_overhead_begin (self, t, at);
    if (is_over (e))
      communication_overhead_end (self, t, at);
  }
  if (what & (IS_SEND | IS_RECEIVE))
    count_messages (self, t, e, what);
  if (what & IS_MARK && self->phases_by == PHASE_MARKS) {
    communication_overhead_take_part (self, t);
    if (is_over (e))
      phase_ends (self, t);
  }
  if (what & IS_DEATH)
    communication_overhead_die (self, t, at);
  if (self->behind == 0 && self->n_part) {
    int64_t over = phases_over (self);
    if (self->sampling == BY_PHASES || self->sampling == BY_PHASES_SO_FAR)
      self->counted += over;
  }
  if (what & IS_DEATH)
    communication_overhead_leave (self, t);
  if (!self->begun)
    self->counted = 0;
  else if (self->counted >= self->n)
    communication_overhead_sample (self, e->date);
}

/* The event is of the trace that it is bound to; false after eve_fail(): it is of another. */
static bool
bind_to (Overhead *self, const TraceEvent *e)
{
  if (!stats_follow_trace ((EveComponent *) self, &self->of, e->source))
    return false;
  if (self->number != self->of)
    overhead_bind (self, self->of);
  if (self->n_tasks == 0)
    self->partial = e->number > 0;
  return true;
}

static inline bool
overhead_source (Overhead *self, const TraceEvent *e)
{
  return G_LIKELY (e->source == self->number) || bind_to (self, e);
}

/* Nothing may have come since a run state was loaded, or a setting changed.  True: it was bound only now. */
static bool
communication_overhead_need_bound (Overhead *self)
{
  bool bind = self->number < 0 && self->of > 0;

  if (bind)
    overhead_bind (self, self->of);
  else if (self->source && G_UNLIKELY (stats_wires_changed (&self->wires, (EveComponent *) self)))
    communication_overhead_bind_dates (self);
  return bind;
}

/* The one that is due; false: it was the last before the end of time. */
static bool
sample_next (Overhead *self)
{
  int64_t at = self->next;

  self->next = (int64_t) ((uint64_t) at + self->interval);
  if (self->next < at)
    self->next = INT64_MAX;
  communication_overhead_sample (self, at);
  return self->next > at;
}

/* By intervals, an event waits at the input until the samples before it have gone out, one each firing. */
static void
overhead_fire (EveComponent *c)
{
  Overhead *self = (Overhead *) c;
  const TraceEvent *e = eve_peek (self->base.in[0]);

  communication_overhead_need_bound (self);
  if (!overhead_source (self, e))
    return;
  if (e->date >= self->edge && !self->begun)
    begin_time (self, e->date);
  if (self->sampling == BY_INTERVAL && self->begun && !self->over && MIN (e->date, self->to) >= self->next
      && sample_next (self) && MIN (e->date, self->to) >= self->next)
    return;
  if (e->date >= self->edge)
    end_time (self);
  overhead_step (self, e);
  eve_take (self->base.in[0]);
}

static void
overhead_fire_span (EveComponent *c, uint32_t n)
{
  Overhead *self = (Overhead *) c;

  communication_overhead_need_bound (self);
  if (self->sampling == BY_INTERVAL) {
    for (; n; n--)
      overhead_fire (c);
    return;
  }
  const TraceEvent *e = eve_take_span (self->base.in[0], n);
  for (uint32_t i = 0; i < n; i++) {
    if (!overhead_source (self, &e[i]))
      return;
    if (G_UNLIKELY (e[i].date >= self->edge) && !self->begun)
      begin_time (self, e[i].date);
    if (G_UNLIKELY (e[i].date >= self->edge))
      end_time (self);
    if (is_nothing (self, &e[i]))
      self->clock = e[i].date;
    else
      overhead_step (self, &e[i]);
  }
}

/* What has come since the last sample is one more, and the only one of the sampling `at the end`. */
static bool
overhead_at_end (EveComponent *c)
{
  Overhead *self = (Overhead *) c;

  communication_overhead_need_bound (self);
  /* what lasts does so until the end, also if no event is there */
  int64_t end = self->source && self->to < self->source->last ? MAX (self->to, self->clock) : self->clock;
  if (self->begun && !self->over) {
    if (self->sampling == BY_INTERVAL && self->next > self->clock && self->next <= end && sample_next (self))
      return false;
    communication_overhead_sample (self, end);
  }
  if (self->samples)
    eve_status (c, _ ("%.3g\u2009%%, from %.3g to %.3g; %lld phases"), self->value, self->min, self->max,
                (long long) self->phases);
  return true;
}

/* The sample that would be the last if the trace ended now. */
static bool
overhead_at_rest (EveComponent *c, int64_t now)
{
  Overhead *self = (Overhead *) c;

  if (!self->begun || self->over)
    return true;
  bool bound = communication_overhead_need_bound (self);
  const Overhead was = *self;
  if (self->number >= 0)
    now = MIN (trace_lasts_until ((uint16_t) self->number, now), self->to);
  now = MAX (now, self->clock);
  /* what was told last is still true while nobody has lived since */
  bool anew = self->samples == 0 || life_until (self, now) != self->life_before;
  if (self->sampling == BY_INTERVAL)
    for (int64_t at, n = 0; (at = self->next) <= now && n < 2 * MOST_INTERVALS; n++) {
      self->next = (int64_t) ((uint64_t) at + self->interval);
      communication_overhead_take_sample (self, at);
      if (self->next <= at)
        break;
    }
  communication_overhead_take_sample (self, now);
  if (anew && self->samples > was.samples) /* one that is due at `now` itself is there already */
    tell_sample (self, now);
  else
    show_sample (self);
  const Sampled shown = self->shown;
  *self = was;
  self->shown = shown;
  if (bound) /* the next event binds it, and what is wrong is told then */
    overhead_forget (c);
  return true;
}

static bool
overhead_changed (EveComponent *c, uint32_t setting)
{
  Overhead *self = (Overhead *) c;

  overhead_forget (c);
  g_clear_pointer (&self->told, g_hash_table_unref);
  self->told_outside = false;
  return (setting != FROM && setting != TO) || stats_dates_check (c, self->from_text, self->to_text);
}

static void
overhead_save (EveComponent *c, EveBlob *to)
{
  const Overhead *self = (const Overhead *) c;
  eve_put_int (to, self->n_tasks);
  for (uint32_t i = 0; i < self->n_tasks; i++) {
    const Task *t = &self->task[i];
    const int64_t of_task[] = { (int64_t) t->since, (int64_t) t->birth, (int64_t) t->left, t->phases,
                                t->receives,        t->depth,           t->life,           t->talks,
                                t->counts };
    eve_put_ints (to, of_task, EVE_N (of_task));
  }
  trace_put_source (eve_program (c), self->of, to);
}

static bool
overhead_load (EveComponent *c, EveBlobView *from)
{
  Overhead *self = (Overhead *) c;
  int64_t t[9];
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (eve_get_ints (from, t, EVE_N (t)) != EVE_N (t) || !eve_get_ok (from) || t[5] < 0 || t[5] > UINT32_MAX
        || t[6] < 0 || t[6] > 2 || ((uint64_t) t[3] | (uint64_t) t[4]) >> 61) /* counts, of which no sum overflows */
      return false;
    Task *one = communication_overhead_task_of (self, (uint32_t) i);
    *one = (Task){ .since = (uint64_t) t[0], .birth = (uint64_t) t[1], .left = (uint64_t) t[2], .phases = t[3] };
    one->receives = t[4];
    one->depth = (uint32_t) t[5];
    one->life = (uint8_t) t[6];
    one->talks = t[7] != 0;
    if (t[8])
      communication_overhead_add_part (self, one);
  }
  self->of = trace_get_source (eve_program (c), from);
  show_sample (self);
  /* how many are behind is what decides when a phase is over */
  int64_t behind, least = slowest (self, &behind);
  return eve_get_ok (from)
         && (behind == 0 || least > self->phases ? self->behind == 0 : least == self->phases && behind == self->behind);
}

static const void *
overhead_query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &overhead_inspector
                                                     : trace_counted_by_settings (c, interface_name);
}

static const EveClass overhead = {
  EVE_CLASS_HEAD,
  .id = "scope.communication-overhead",
  .label = "Communication Overhead",
  .category = "Analysis",
  .version = 1,
  .doc = "The share of their time that tasks spend exchanging data, sampled in one of six ways.",
  .help = "The overhead is the time that all tasks together have spent in communications, divided by the time they "
          "have lived (thesis, section 5.1.3); waiting in them counts, where the state Overhead of a PVM task is time "
          "in calls that do not block; a call in progress counts as far as it has come. *sampling*: at equal "
          "`intervals of time`; after every *n* `receives`, of all tasks or each time some task has made *n* "
          "(`receives of a task`); after every *n* `phases`, of the time since the sample before, or of all the time "
          "(`phases so far`); once, `at the end`. What is left at the end is a sample too.\n\n"
          "A phase of a task is communication followed by computing: it ends when the task begins to communicate after "
          "it has computed for *gap* seconds, or dies; with *phases by* `marks`, when a phase ends that the program "
          "has marked. A phase of all is over when each living task that communicates has ended it.\n\n"
          "With each sample come the extrema, counts of messages (not those of collective calls, nor of sends that "
          "failed) and phases, and the trend. To look at some tasks only, put a Filter before. For a window of time "
          "set *from* and *to* here: a task that lived before *from*, and a call that began before it, count from "
          "*from* on. (Behind a Filter with a *from* they would count from the first event that passes, which makes "
          "lives too short; with a *to* they count until there.)\n\n"
          "Example: followed by a Watch it stops where the overhead is more than one allows.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Overhead),
  .init = overhead_init,
  .finish = overhead_finish,
  .reset = overhead_reset,
  .changed = overhead_changed,
  .fire = overhead_fire,
  .fire_span = overhead_fire_span,
  .at_end = overhead_at_end,
  .at_rest = overhead_at_rest,
  .save = overhead_save,
  .load = overhead_load,
  .query = overhead_query,
};
EVE_PLUGIN (&overhead);
