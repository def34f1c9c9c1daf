/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - who waits for whom, and how efficient the program is, as tables and dated numbers. */
#include <math.h>
#include <string.h>

#include "components/waits/component.h"
#include "statistics/graph.h"

static void waits_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events, of all tasks." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, waits_give, .doc = "Any datum: give everything now." },
};
static const EveOutSpec outs[] = {
  [OUT_WAITS] = { "waits", &stats_type_table,
                  .doc =
                      "A row for each kind of wait of a task in a region: how often, how long, and when the longest." },
  [OUT_TASKS] = { "tasks", &stats_type_table, .doc = "A row a task: how long it computed, and waited in each way." },
  [OUT_EFFICIENCY] = { "efficiency", &stats_type_table, .doc = "Efficiency of the whole, and what limits it." },
  [OUT_PATH] = { "path", &stats_type_table,
                 .doc = "The critical path: a row a region, how long it lies in it, and how much longer than a task is "
                        "in it." },
  [OUT_DATED] = { "dated", &stats_type_datum, .capacity = 4096, .unit = "s",
                  .doc = "Each wait, as long as it was, dated when all of it is known: when the calls that it is in "
                         "are over." },
  [OUT_STRETCHES] = { "stretches", &stats_type_stretch, .capacity = 4096,
                      .doc =
                          "Each wait as a stretch of the time of who waited, with whom it was for; at the end of the "
                          "trace where the critical path ends.  Timelines mark them." },
};
static const EveField settings[] = {
  { "every", EVE_F_INT64, offsetof (Component, every), .min = 0, .max = 1e15, .def = 0,
    .doc = "Give the tables after so many events; 0: at the end only." },
};

static void
on_wait (void *to, const Wait *w)
{
  Component *self = to;
  StatsDatum d = {
    .date = self->waits.count[WAITS_LAST], .owner = w->task, .owner_kind = STATS_OF_TASK, .source = self->source
  };

  d.value.real = trace_clock_seconds (&self->waits.source->clock, w->ticks);
  d.unit = self->unit;
  if (eve_room (self->base.out[OUT_DATED]) > 0)
    eve_emit (self->base.out[OUT_DATED], &d);
  if (!eve_out_connected (self->base.out[OUT_STRETCHES]))
    return;
  const StatsStretch s = { .from = w->from + w->before,
                           .to = w->from + w->ticks,
                           .date = d.date,
                           .kind = self->kinds[w->kind],
                           .owner = w->task,
                           .cause = w->cause,
                           .source = self->source,
                           .leads = w->leads };
  g_array_append_val (self->owed, s);
}

/* As many as there is room for.  True: that was all. */
static bool
pay (Component *self)
{
  guint n = MIN (self->owed->len, eve_room (self->base.out[OUT_STRETCHES]));

  for (guint i = 0; i < n; i++)
    eve_emit (self->base.out[OUT_STRETCHES], &g_array_index (self->owed, StatsStretch, i));
  if (n > 0)
    g_array_remove_range (self->owed, 0, n);
  return self->owed->len == 0;
}

/* What the critical path is, were this the end. */
static void
tell_path_end (Component *self)
{
  StatsStretch s = { .date = self->waits.count[WAITS_LAST], .cause = TRACE_NONE, .source = self->source };
  int64_t task;

  if (self->path_told == self->waits.count[WAITS_EVENTS] || !self->waits.source
      || !eve_out_connected (self->base.out[OUT_STRETCHES]))
    return;
  self->path_told = self->waits.count[WAITS_EVENTS];
  task = path_end (&self->waits, &s.from, &s.to);
  s.owner = (uint32_t) task;
  s.kind = g_intern_static_string (STATS_STRETCH_PATH);
  if (task >= 0)
    g_array_append_val (self->owed, s);
}

static bool
init (EveComponent *c)
{
  Component *self = (Component *) c;

  waits_init (&self->waits);
  self->waits.tell = on_wait;
  self->waits.to = self;
  self->unit = g_intern_static_string ("s");
  self->owed = g_array_new (FALSE, FALSE, sizeof (StatsStretch));
  for (int k = 0; k < N_WAITS; k++)
    self->kinds[k] = g_intern_static_string (wait_names[k]);
  return true;
}

static void
reset (EveComponent *c)
{
  Component *self = (Component *) c;

  waits_reset (&self->waits);
  self->given = self->path_told = 0;
  self->source = 0;
  g_array_set_size (self->owed, 0);
}

static void
finish (EveComponent *c)
{
  waits_clear (&((Component *) c)->waits);
  g_array_unref (((Component *) c)->owed);
}

/* ---- what is given ------------------------------------------------------------------------------------------------------------------ */

double
waits_seconds (const Component *self, int64_t ticks)
{
  return trace_clock_seconds (&self->waits.source->clock, ticks);
}

static StatsTable *
new_table (const Component *self, const char *title, const StatsColumn *columns, uint32_t n_columns, uint32_t n_rows)
{
  StatsTable *t = stats_table_new (title, columns, n_columns, n_rows);

  t->date = self->waits.count[WAITS_LAST];
  t->source = self->source;
  return t;
}

static int
by_ticks (const void *a, const void *b)
{
  const WaitCell *x = *(const WaitCell *const *) a, *y = *(const WaitCell *const *) b;

  if (x->ticks != y->ticks)
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
  if (x->kind != y->kind)
    return (x->kind > y->kind) - (x->kind < y->kind);
  if (x->task != y->task)
    return (x->task > y->task) - (x->task < y->task);
  return (x->region > y->region) - (x->region < y->region);
}

static StatsTable *
table_of_waits (const Component *self)
{
  static const StatsColumn columns[] = {
    { "kind", NULL, STATS_CELL_TEXT },     { "task", NULL, STATS_CELL_TEXT },  { "region", NULL, STATS_CELL_TEXT },
    { "times", NULL, STATS_CELL_WHOLE },   { "waited", "s", STATS_CELL_REAL }, { "longest", "s", STATS_CELL_REAL },
    { "begins at", "s", STATS_CELL_DATE },
  };
  const Table *cells = &self->waits.cells;
  g_autofree const WaitCell **rows = g_new (const WaitCell *, MAX (cells->n, 1));

  for (int64_t i = 0; i < cells->n; i++)
    rows[i] = table_at (cells, i);
  qsort (rows, (size_t) cells->n, sizeof *rows, by_ticks);
  StatsTable *t = new_table (self, "Waits", columns, EVE_N (columns), (uint32_t) cells->n);
  for (uint32_t i = 0; i < t->n_rows; i++) {
    const WaitCell *c = rows[i];
    stats_table_set_text (t, i, 0, c->kind >= 0 && c->kind < N_WAITS ? wait_names[c->kind] : "?");
    stats_table_set_text (t, i, 1, trace_task_name (self->waits.source, (uint32_t) c->task));
    stats_table_set_text (t, i, 2, waits_region (&self->waits, c->region));
    stats_cell (t, i, 3)->whole = c->n;
    stats_cell (t, i, 4)->real = waits_seconds (self, c->ticks);
    stats_cell (t, i, 5)->real = waits_seconds (self, c->longest);
    stats_cell (t, i, 6)->whole = c->longest_at;
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) c->task), (TraceRef){ 0 });
  }
  return t;
}

static int
by_task (const void *a, const void *b)
{
  int64_t x = (*(const WaitTask *const *) a)->task, y = (*(const WaitTask *const *) b)->task;

  return (x > y) - (x < y);
}

/* Further states of a task that has states of its own are told of one inside of it: that is the same once more. */
static bool
is_another (const Waits *w, const WaitTask *t)
{
  const TraceTask *task = trace_task (w->source, (uint32_t) t->task);
  const TraceTask *parent = task ? trace_task (w->source, task->parent) : NULL;
  int64_t key = parent ? (int64_t) task->parent : -1, i = parent ? table_find (&w->tasks, &key) : -1;
  const WaitTask *around = i >= 0 ? table_at (&w->tasks, i) : NULL;

  return around && around->first <= around->last && g_str_has_prefix (task->id, parent->id)
         && g_str_has_prefix (task->id + strlen (parent->id), " · ");
}

const WaitTask **
waits_tasks (const Waits *w, uint32_t *n)
{
  const WaitTask **rows = g_new (const WaitTask *, MAX (w->tasks.n, 1));

  *n = 0;
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = table_at (&w->tasks, i);
    if (t->first <= t->last && !is_another (w, t))
      rows[(*n)++] = t;
  }
  qsort (rows, *n, sizeof *rows, by_task);
  return rows;
}

static StatsTable *
table_of_tasks (const Component *self)
{
  StatsColumn columns[5 + N_WAITS] = { { "task", NULL, STATS_CELL_TEXT },
                                       { "computing", "s", STATS_CELL_REAL },
                                       { "waiting", "s", STATS_CELL_REAL },
                                       { "waited for", "s", STATS_CELL_REAL },
                                       { "on the critical path", "s", STATS_CELL_REAL } };
  uint32_t n;
  g_autofree const WaitTask **rows = waits_tasks (&self->waits, &n);
  g_autoptr (GArray) parts = path_by_task (&self->waits);
  guint at = 0;

  for (int k = 0; k < N_WAITS; k++)
    columns[5 + k] = (StatsColumn){ wait_names[k], "s", STATS_CELL_REAL };
  StatsTable *t = new_table (self, "Waits of tasks", columns, EVE_N (columns), n);
  for (uint32_t i = 0; i < n; i++) {
    double all = 0;
    stats_table_set_text (t, i, 0, trace_task_name (self->waits.source, (uint32_t) rows[i]->task));
    stats_cell (t, i, 1)->real = waits_seconds (self, waits_useful (rows[i]));
    for (int k = 0; k < N_WAITS; k++)
      all += stats_cell (t, i, 5 + (uint32_t) k)->real = waits_seconds (self, rows[i]->waited[k]);
    stats_cell (t, i, 2)->real = all;
    stats_cell (t, i, 3)->real = waits_seconds (self, rows[i]->caused);
    for (; at < parts->len && g_array_index (parts, PathPart, at).task < rows[i]->task; at++)
      ;
    bool on_path = at < parts->len && g_array_index (parts, PathPart, at).task == rows[i]->task;
    stats_cell (t, i, 4)->real = on_path ? waits_seconds (self, g_array_index (parts, PathPart, at).ticks) : 0;
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) rows[i]->task), (TraceRef){ 0 });
  }
  return t;
}

/* ---- efficiency: POP's metrics -------------------------------------------------------------------------------------------------------- */

Efficiency
waits_efficiency (const Component *self)
{
  Efficiency e = { 0 };
  g_autofree const WaitTask **rows = waits_tasks (&self->waits, &e.n);
  double sum = 0;

  e.runtime = waits_seconds (self, waits_between (self->waits.count[WAITS_FIRST], self->waits.count[WAITS_LAST]));
  for (uint32_t i = 0; i < e.n; i++) {
    double u = waits_seconds (self, waits_useful (rows[i]));
    sum += u;
    e.most = MAX (e.most, u);
  }
  e.mean = e.n > 0 ? sum / e.n : 0;
  e.balance = e.most > 0 ? e.mean / e.most : NAN;
  e.communication = e.runtime > 0 ? e.most / e.runtime : NAN;
  e.parallel = e.runtime > 0 ? e.mean / e.runtime : NAN;
  return e;
}

int64_t
waits_left_over (const Waits *w, bool receives)
{
  int64_t n = 0;

  for (int64_t i = 0; i < w->halves.n; i++) {
    const WaitHalf *h = table_at (&w->halves, i);
    n += table_uses (&w->halves, i) && h->other < 0 && (h->is_receive != 0) == receives;
  }
  return n;
}

static StatsTable *
table_of_efficiency (const Component *self)
{
  static const StatsColumn columns[] = { { "what", NULL, STATS_CELL_TEXT },
                                         { "value", NULL, STATS_CELL_REAL },
                                         { "unit", NULL, STATS_CELL_TEXT } };
  const Waits *w = &self->waits;
  Efficiency e = waits_efficiency (self);
  double waited[N_WAITS] = { 0 }, n_waited[N_WAITS] = { 0 };
  int64_t length, stretches;

  g_array_unref (path_by_region (w, &length, &stretches));

  int64_t wrong[2] = { 0 }, n_wrong[2] = { 0 }, setting_up = 0, idle = 0;
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = table_at (&w->tasks, i);
    for (int k = 0; k < 2; k++) {
      wrong[k] += t->wrong[k];
      n_wrong[k] += t->n_wrong[k];
    }
    setting_up += t->setting_up;
    idle += waits_idle (t);
  }
  for (int64_t i = 0; i < w->tasks.n; i++)
    for (int k = 0; k < N_WAITS; k++) {
      waited[k] += waits_seconds (self, ((const WaitTask *) table_at (&w->tasks, i))->waited[k]);
      n_waited[k] += (double) ((const WaitTask *) table_at (&w->tasks, i))->n_waited[k];
    }
  const struct {
    const char *what;
    double value;
    const char *unit;
  } rows[] = {
    { "Parallel efficiency", e.parallel, "" },
    { "Load balance", e.balance, "" },
    { "Communication efficiency", e.communication, "" },
    { "Run time", e.runtime, "s" },
    { "Computing, mean of tasks", e.mean, "s" },
    { "Computing, most of a task", e.most, "s" },
    { "Tasks", e.n, "" },
    { "Critical path", waits_seconds (self, length), "s" },
    { "Critical path, stretches", (double) stretches, "" },
    { "Late sender in wrong order, of one source", waits_seconds (self, wrong[0]), "s" },
    { "Late sender in wrong order, of one source, times", (double) n_wrong[0], "" },
    { "Late sender in wrong order, of several sources", waits_seconds (self, wrong[1]), "s" },
    { "Late sender in wrong order, of several sources, times", (double) n_wrong[1], "" },
    { "Beginning and ending communication", waits_seconds (self, setting_up), "s" },
    { "Idle threads", waits_seconds (self, idle), "s" },
    { "Messages", (double) w->count[WAITS_MESSAGES], "" },
    { "Volume", (double) w->count[WAITS_BYTES], "B" },
    { "Operations of groups", (double) w->count[WAITS_INSTANCES], "" },
    { "Sends that nobody received", (double) waits_left_over (w, false), "" },
    { "Receives that nobody sent", (double) waits_left_over (w, true), "" },
    { "Operations that not all took part in", (double) w->instances.n_used, "" },
    { "Operations in which tasks did different things", (double) w->count[WAITS_MISMATCHED], "" },
    { "Operations of groups nobody told the members of", (double) w->count[WAITS_UNKNOWN], "" },
    { "Messages received before they were sent", (double) w->count[WAITS_BACKWARD], "" },
    { "Operations left before the last had come", (double) w->count[WAITS_LEFT_EARLY], "" },
    { "Clocks differ by at least", waits_seconds (self, w->count[WAITS_APART]), "s" },
    { "Clocks are corrected", self->waits.source->clocks.by >= TRACE_CLOCKS_LINEAR, "" },
  };
  StatsTable *t = new_table (self, "Efficiency", columns, EVE_N (columns), EVE_N (rows) + 2 * N_WAITS);
  for (uint32_t i = 0; i < EVE_N (rows); i++) {
    stats_table_set_text (t, i, 0, rows[i].what);
    stats_cell (t, i, 1)->real = rows[i].value;
    stats_table_set_text (t, i, 2, rows[i].unit);
  }
  for (uint32_t k = 0; k < N_WAITS; k++) {
    uint32_t i = EVE_N (rows) + 2 * k;
    g_autofree char *times = g_strconcat (wait_names[k], ", times", NULL);
    stats_table_set_text (t, i, 0, wait_names[k]);
    stats_cell (t, i, 1)->real = waited[k];
    stats_table_set_text (t, i, 2, "s");
    stats_table_set_text (t, i + 1, 0, times);
    stats_cell (t, i + 1, 1)->real = n_waited[k];
  }
  return t;
}

/* ---- the critical path ------------------------------------------------------------------------------------------------------------- */

static StatsTable *
table_of_path (const Component *self)
{
  static const StatsColumn columns[] = {
    { "region", NULL, STATS_CELL_TEXT },   { "on the path", "s", STATS_CELL_REAL },
    { "share", "%", STATS_CELL_REAL },     { "mean of tasks", "s", STATS_CELL_REAL },
    { "imbalance", "s", STATS_CELL_REAL },
  };
  const Waits *w = &self->waits;
  int64_t length, stretches;
  uint32_t n_tasks;
  g_free (waits_tasks (w, &n_tasks));
  g_autoptr (GArray) parts = path_by_region (w, &length, &stretches);
  StatsTable *t = new_table (self, "Critical path", columns, EVE_N (columns), parts->len);

  for (uint32_t i = 0; i < parts->len; i++) {
    const PathPart *p = &g_array_index (parts, PathPart, i);
    int64_t k = table_find (&w->regions_spent, &p->region);
    double on = waits_seconds (self, p->ticks);
    double mean = k >= 0 && n_tasks > 0
                      ? waits_seconds (self, ((const WaitRegion *) table_at (&w->regions_spent, k))->ticks) / n_tasks
                      : 0;
    stats_table_set_text (t, i, 0, waits_region (w, p->region));
    stats_cell (t, i, 1)->real = on;
    stats_cell (t, i, 2)->real = length > 0 ? 100 * on / waits_seconds (self, length) : 0;
    stats_cell (t, i, 3)->real = mean;
    stats_cell (t, i, 4)->real = MAX (on - mean, 0);
  }
  return t;
}

static void
tell (Component *self)
{
  static StatsTable *(*const make[]) (const Component *) = { [OUT_WAITS] = table_of_waits,
                                                             [OUT_TASKS] = table_of_tasks,
                                                             [OUT_EFFICIENCY] = table_of_efficiency,
                                                             [OUT_PATH] = table_of_path };

  for (uint32_t i = 0; i < EVE_N (make) && self->waits.source; i++)
    if (eve_out_connected (self->base.out[i])) {
      StatsTable *t = make[i](self);
      eve_emit_steal (self->base.out[i], &t);
    }
}

static void
give (Component *self)
{
  self->given = self->waits.count[WAITS_EVENTS];
  tell (self);
}

static void
waits_give (EveComponent *c, EveIn *in, const void *datum)
{
  give ((Component *) c);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------- */

static inline void
step (Component *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source) && !stats_same_trace ((EveComponent *) self, &self->source, e->source))
    return;
  if (G_UNLIKELY (!self->waits.source)) {
    const TraceSource *s = trace_source (e->source);
    if (!s)
      return;
    waits_bind (&self->waits, s);
  }
  waits_event (&self->waits, e);
  if (G_UNLIKELY (self->owed->len > 0))
    pay (self);
  if (self->every > 0 && self->waits.count[WAITS_EVENTS] % self->every == 0)
    give (self);
}

static void
fire (EveComponent *c)
{
  step ((Component *) c, eve_take (eve_base (c)->in[0]));
}

static void
status (Component *self)
{
  const Waits *w = &self->waits;

  eve_status ((EveComponent *) self, "%lld messages, %lld operations", (long long) w->count[WAITS_MESSAGES],
              (long long) w->count[WAITS_INSTANCES]);
}

static bool
at_end (EveComponent *c)
{
  Component *self = (Component *) c;

  if (self->given != self->waits.count[WAITS_EVENTS])
    give (self);
  tell_path_end (self);
  status (self);
  return pay (self);
}

static bool
at_rest (EveComponent *c, int64_t now)
{
  Component *self = (Component *) c;

  if (self->given != self->waits.count[WAITS_EVENTS])
    tell (self);
  status (self);
  return true;
}

static void
save (EveComponent *c, EveBlob *to)
{
  const Component *self = (const Component *) c;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->given);
  eve_put_int (to, self->path_told);
  eve_put_int (to, self->owed->len);
  for (guint i = 0; i < self->owed->len; i++)
    stats_type_stretch.save (eve_program (c), &g_array_index (self->owed, StatsStretch, i), to);
  waits_save (&self->waits, to);
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  Component *self = (Component *) c;

  reset (c);
  self->source = trace_get_source (eve_program (c), from);
  self->given = eve_get_int (from);
  self->path_told = eve_get_int (from);
  for (int64_t n = eve_get_int (from); n > 0; n--) {
    StatsStretch s;
    if (!eve_get_ok (from) || !stats_type_stretch.load (eve_program (c), &s, from))
      return false;
    g_array_append_val (self->owed, s);
  }
  if (self->source && trace_source (self->source))
    waits_bind (&self->waits, trace_source (self->source));
  return waits_load (&self->waits, from);
}

static const void *
query (EveComponent *c, const char *name)
{
  return g_str_equal (name, "findings/1") ? &waits_findings : NULL;
}

static const EveClass waits = {
  EVE_CLASS_HEAD,
  .id = "scope.wait-states",
  .label = "Wait States",
  .category = "Analysis",
  .version = 1,
  .doc = "Finds who waits for whom, and how efficient the program is.",
  .help =
      "Connect the events of a reader.  A receive that is called before its message is sent waits for a *late sender*, "
      "a send that is blocked for a *late receiver*; in an operation of a whole group tasks wait for the last to come "
      "(*barrier*, *N x N*), for a *late root*, or the root for the first of the others (*early root*).  `waits` has "
      "a row for each kind, task and region, the longest first; `tasks` a row a task; `efficiency` tells load balance, "
      "communication efficiency and their product, as POP defines them, and what was left over at the end; `dated` "
      "each "
      "wait.\n\n"
      "It works for any trace whose events say who sends, receives and takes part; calls of communication are those of "
      "the group MPI or of names that begin so.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Component),
  .init = init,
  .finish = finish,
  .reset = reset,
  .fire = fire,
  .at_end = at_end,
  .at_rest = at_rest,
  .save = save,
  .load = load,
  .query = query,
};
EVE_PLUGIN (&waits);
