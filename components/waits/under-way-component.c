/* SPDX-License-Identifier: Apache-2.0 */
/* under-way-component.c - what is under way, and what has been done so far, as tables: at the end they tell what was
 * left over. */
#include <string.h>

#include "components/waits/under-way.h"
#include "eve/words.h"
#include "readers/reader.h"
#include "readers/ref.h"
#include "statistics/graph.h"

static void under_way_give (EveComponent *c, EveIn *in, const void *datum);

enum { OUT_TASKS, OUT_GROUPS, OUT_TIMES, OUT_OBJECTS, OUT_LEFT, OUT_BETWEEN, N_OUTS };
static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events, of all tasks." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, under_way_give, .doc = "Any datum: give everything now." },
};
static const EveOutSpec outs[] = {
  [OUT_TASKS] = { "tasks", &stats_type_table,
                  .doc =
                      "A row a task: what it is inside of, messages, requests that are open, operations of groups." },
  [OUT_GROUPS] = { "groups", &stats_type_table,
                   .doc = "A row a group: members, operations that are done, members that are inside of one now." },
  [OUT_TIMES] = { "times", &stats_type_table,
                  .doc = "Time of each task in each group of regions, as the innermost that it was inside of." },
  [OUT_OBJECTS] = { "objects", &stats_type_table,
                    .doc = "What was done with windows and files: how often, how much, how long, and what is open." },
  [OUT_LEFT] = { "left", &stats_type_table,
                 .doc = "What is under way, one row each: messages, receives that nobody sent, requests, operations, "
                        "regions.  At the end: what was left over." },
  [OUT_BETWEEN] = { "between", &stats_type_table,
                    .doc = "All messages so far: a row for each sender, receiver, communicator and tag." },
};

typedef struct Component {
  EveBase base;
  UnderWay u;
  char *groups, *otherwise;
  int64_t every, given;
  uint16_t source;
} Component;

#define GROUPS "MPI_ = MPI; PMPI_ = MPI; mpi_ = MPI; !$omp = OpenMP; omp_ = OpenMP; cuda = CUDA; cu = CUDA; hip = HIP"
static const EveField settings[] = {
  { "groups", EVE_F_STRING, offsetof (Component, groups), .def_text = GROUPS,
    .doc = "Groups of regions that the trace puts in none: how names begin = the group, with semicolons between." },
  { "otherwise", EVE_F_STRING, offsetof (Component, otherwise), .def_text = "Application",
    .doc = "The group of all other regions; what the trace itself puts there is looked for in `groups` too." },
  { "every", EVE_F_INT64, offsetof (Component, every), .min = 0, .max = 1e15, .def = 0,
    .doc = "Give the tables after so many events; 0: at the end only." },
};

static bool
under_way_component_init (EveComponent *c)
{
  Component *self = (Component *) c;

  uw_init (&self->u);
  return true;
}

static void
under_way_component_reset (EveComponent *c)
{
  Component *self = (Component *) c;

  uw_reset (&self->u);
  self->given = 0;
  self->source = 0;
}

static void
under_way_component_finish (EveComponent *c)
{
  uw_clear (&((Component *) c)->u);
}

static void
under_way_component_bind (Component *self)
{
  const TraceSource *s = self->source ? trace_source (self->source) : NULL;

  if (!s)
    return;
  uw_bind (&self->u, s);
  uw_groups (&self->u, self->groups, self->otherwise ? self->otherwise : "");
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

static StatsTable *
under_way_component_new_table (const Component *self, const char *title, const StatsColumn *columns, uint32_t n_columns,
                               uint32_t n_rows)
{
  StatsTable *t = stats_table_new (title, columns, n_columns, n_rows);

  t->date = self->u.last;
  t->source = self->source;
  return t;
}

static int
under_way_component_by_key (const void *a, const void *b)
{
  const int64_t *x = *(const int64_t *const *) a, *y = *(const int64_t *const *) b;

  for (int i = 0; i < 4; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* Its rows in the order of their keys; g_free. */
static const void **
under_way_component_sorted (const Table *t, uint32_t *n)
{
  const void **rows = g_new (const void *, MAX (t->n_used, 1));

  *n = 0;
  for (int64_t i = 0; i < t->n; i++)
    if (table_uses (t, i))
      rows[(*n)++] = table_at (t, i);
  qsort (rows, *n, sizeof *rows, under_way_component_by_key);
  return rows;
}

static const char *
under_way_component_name_of (const Component *self, int64_t task)
{
  return task < 0 ? "" : trace_task_name (self->u.source, (uint32_t) task);
}

static double
under_way_component_seconds (const Component *self, int64_t ticks)
{
  return trace_clock_seconds (&self->u.source->clock, ticks);
}

static StatsTable *
under_way_component_table_of_tasks (Component *self)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },
    { "region", NULL, STATS_CELL_TEXT },
    { "depth", NULL, STATS_CELL_WHOLE },
    { "sent", NULL, STATS_CELL_WHOLE },
    { "received", NULL, STATS_CELL_WHOLE },
    { "volume sent", "B", STATS_CELL_WHOLE },
    { "volume received", "B", STATS_CELL_WHOLE },
    { "on their way", NULL, STATS_CELL_WHOLE },
    { "sends open", NULL, STATS_CELL_WHOLE },
    { "receives open", NULL, STATS_CELL_WHOLE },
    { "accesses open", NULL, STATS_CELL_WHOLE },
    { "operations inside", NULL, STATS_CELL_WHOLE },
  };
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_TASKS], &n);
  StatsTable *t = under_way_component_new_table (self, "Tasks now", columns, EVE_N (columns), n);

  for (uint32_t i = 0; i < n; i++) {
    const UwTask *r = rows[i];
    const UwFrame *f = uw_innermost (&self->u, r);
    const int64_t numbers[] = { r->depth,  r->sent,       r->received,      r->bytes_sent,    r->bytes_received,
                                r->on_way, r->open_sends, r->open_receives, r->open_accesses, r->inside };
    stats_table_set_text (t, i, 0, under_way_component_name_of (self, r->task));
    if (f)
      stats_table_set_text (t, i, 1, uw_region_name (&self->u, f->region));
    for (uint32_t k = 0; k < EVE_N (numbers); k++)
      stats_cell (t, i, 2 + k)->whole = numbers[k];
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) r->task), (TraceRef){ 0 });
  }
  return t;
}

static StatsTable *
table_of_groups (Component *self)
{
  static const StatsColumn columns[] = {
    { "group", NULL, STATS_CELL_TEXT },
    { "members", NULL, STATS_CELL_WHOLE },
    { "operations done", NULL, STATS_CELL_WHOLE },
    { "operations under way", NULL, STATS_CELL_WHOLE },
    { "members inside", NULL, STATS_CELL_WHOLE },
    { "not the same", NULL, STATS_CELL_WHOLE },
    { "volume given", "B", STATS_CELL_WHOLE },
    { "volume got", "B", STATS_CELL_WHOLE },
  };
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_GROUPS], &n);
  g_autofree int64_t *under_way = g_new0 (int64_t, self->u.source->objects->len + 1);
  const Table *instances = &self->u.tables[UW_INSTANCES];
  StatsTable *t = under_way_component_new_table (self, "Groups", columns, EVE_N (columns), n);

  for (int64_t i = 0; i < instances->n; i++) {
    const UwInstance *x = table_at (instances, i);
    if (table_uses (instances, i) && x->group >= 0 && x->group < self->u.source->objects->len)
      under_way[x->group]++;
  }
  for (uint32_t i = 0; i < n; i++) {
    const UwGroup *g = rows[i];
    bool known = g->group >= 0 && g->group < self->u.source->objects->len;
    const int64_t numbers[] = { g->size < 0 ? INT64_MIN : g->size,
                                g->size < 0 ? INT64_MIN : g->done,
                                g->size < 0 ? INT64_MIN
                                : known     ? under_way[g->group]
                                            : 0,
                                g->inside,
                                g->mixed,
                                g->given,
                                g->got };
    stats_table_set_text (t, i, 0, known ? trace_object_id (self->u.source, (uint32_t) g->group) : "");
    for (uint32_t k = 0; k < EVE_N (numbers); k++)
      stats_cell (t, i, 1 + k)->whole = numbers[k];
  }
  return t;
}

static StatsTable *
table_of_times (Component *self)
{
  static const StatsColumn columns[] = { { "task", NULL, STATS_CELL_TEXT },
                                         { "group", NULL, STATS_CELL_TEXT },
                                         { "time", "s", STATS_CELL_REAL },
                                         { "visits", NULL, STATS_CELL_WHOLE } };
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_TIMES], &n);
  StatsTable *t = under_way_component_new_table (self, "Time by group of regions", columns, EVE_N (columns), n);

  for (uint32_t i = 0; i < n; i++) {
    const UwTime *r = rows[i];
    stats_table_set_text (t, i, 0, under_way_component_name_of (self, r->task));
    stats_table_set_text (t, i, 1, uw_group_name (&self->u, r->group));
    stats_cell (t, i, 2)->real = under_way_component_seconds (self, uw_ticks (&self->u, r));
    stats_cell (t, i, 3)->whole = r->visits;
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) r->task), (TraceRef){ 0 });
  }
  return t;
}

static StatsTable *
table_of_objects (Component *self)
{
  static const StatsColumn columns[] = {
    { "object", NULL, STATS_CELL_TEXT }, { "what", NULL, STATS_CELL_TEXT },   { "times", NULL, STATS_CELL_WHOLE },
    { "open", NULL, STATS_CELL_WHOLE },  { "volume", "B", STATS_CELL_WHOLE }, { "time", "s", STATS_CELL_REAL },
  };
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_OBJECTS], &n);
  StatsTable *t = under_way_component_new_table (self, "Windows and files", columns, EVE_N (columns), n);

  for (uint32_t i = 0; i < n; i++) {
    const UwObject *x = rows[i];
    stats_table_set_text (t, i, 0, uw_region_name (&self->u, x->object));
    stats_table_set_text (t, i, 1, uw_kind_name (&self->u, x->kind));
    stats_cell (t, i, 2)->whole = x->n;
    stats_cell (t, i, 3)->whole = x->open;
    stats_cell (t, i, 4)->whole = x->bytes;
    stats_cell (t, i, 5)->real = under_way_component_seconds (self, x->ticks);
  }
  return t;
}

static StatsTable *
table_of_between (Component *self)
{
  static const StatsColumn columns[] = {
    { "sender", NULL, STATS_CELL_TEXT },    { "receiver", NULL, STATS_CELL_TEXT },
    { "group", NULL, STATS_CELL_TEXT },     { "tag", NULL, STATS_CELL_WHOLE },
    { "sent", NULL, STATS_CELL_WHOLE },     { "volume sent", "B", STATS_CELL_WHOLE },
    { "received", NULL, STATS_CELL_WHOLE }, { "volume received", "B", STATS_CELL_WHOLE },
  };
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_BETWEEN], &n);
  StatsTable *t = under_way_component_new_table (self, "Messages by communicator and tag", columns, EVE_N (columns), n);

  for (uint32_t i = 0; i < n; i++) {
    const UwBetween *b = rows[i];
    const int64_t numbers[] = { b->tag < 0 ? INT64_MIN : b->tag, b->sent, b->bytes_sent, b->received,
                                b->bytes_received };
    bool grouped = b->group != UW_OTHERS && b->group != (int64_t) TRACE_NONE;
    stats_table_set_text (t, i, 0, under_way_component_name_of (self, b->from));
    stats_table_set_text (t, i, 1, under_way_component_name_of (self, b->to));
    stats_table_set_text (t, i, 2,
                          grouped                 ? uw_region_name (&self->u, b->group)
                          : b->group == UW_OTHERS ? N_ ("(others)")
                                                  : "");
    for (uint32_t k = 0; k < EVE_N (numbers); k++)
      stats_cell (t, i, 3 + k)->whole = numbers[k];
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) b->from),
                           trace_ref_task (t->source, (uint32_t) b->to));
  }
  return t;
}

/* ---- what is left ---------------------------------------------------------------------------------------------------------- */
typedef struct Left {
  const char *what, *task, *peer, *of;
  int64_t tag, n, bytes, since; /* INT64_MIN: none */
  int64_t owner;
} Left;

static void
add_left (GArray *to, Left l)
{
  g_array_append_val (to, l);
}

static void
left_messages (const Component *self, GArray *to)
{
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_QUEUES], &n);

  for (uint32_t i = 0; i < n; i++) {
    const UwQueue *q = rows[i];
    bool sent = q->n > 0;
    add_left (to, (Left){ sent ? N_ ("Messages that nobody received") : N_ ("Receives that nobody sent"),
                          under_way_component_name_of (self, sent ? q->from : q->to),
                          under_way_component_name_of (self, sent ? q->to : q->from),
                          q->group == (int64_t) TRACE_NONE ? "" : uw_region_name (&self->u, q->group),
                          q->tag < 0 ? INT64_MIN : q->tag, sent ? q->n : -q->n, sent ? q->bytes : -q->bytes, q->since,
                          sent ? q->from : q->to });
  }
}

static void
left_open (const Component *self, GArray *to)
{
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_OPEN], &n);

  for (uint32_t i = 0; i < n; i++) {
    const UwOpen *o = rows[i];
    add_left (to, (Left){ uw_kind_name (&self->u, o->kind), under_way_component_name_of (self, o->task),
                          under_way_component_name_of (self, o->peer),
                          o->object == (int64_t) TRACE_NONE ? "" : uw_region_name (&self->u, o->object),
                          o->tag < 0 ? INT64_MIN : o->tag, 1, o->bytes, o->since, o->task });
  }
}

static void
left_operations (const Component *self, GArray *to)
{
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_INSTANCES], &n);

  for (uint32_t i = 0; i < n; i++) {
    const UwInstance *x = rows[i];
    add_left (to, (Left){ N_ ("Operations that not all have ended"), "", uw_kind_name (&self->u, x->kind),
                          uw_region_name (&self->u, x->group), INT64_MIN, x->n_ended, INT64_MIN, x->since, -1 });
  }
}

static void
left_regions (const Component *self, GArray *to)
{
  uint32_t n;
  g_autofree const void **rows = under_way_component_sorted (&self->u.tables[UW_FRAMES], &n);

  for (uint32_t i = 0; i < n; i++) {
    const UwFrame *f = rows[i];
    add_left (to, (Left){ N_ ("Regions that were not left"), under_way_component_name_of (self, f->task), "",
                          uw_region_name (&self->u, f->region), INT64_MIN, 1, INT64_MIN, f->enter, f->task });
  }
}

static StatsTable *
table_of_left (Component *self)
{
  static const StatsColumn columns[] = {
    { "what", NULL, STATS_CELL_TEXT, STATS_WORDS },
    { "task", NULL, STATS_CELL_TEXT },
    { "other", NULL, STATS_CELL_TEXT },
    { "of", NULL, STATS_CELL_TEXT },
    { "tag", NULL, STATS_CELL_WHOLE },
    { "number", NULL, STATS_CELL_WHOLE },
    { "volume", "B", STATS_CELL_WHOLE },
    { "since", "s", STATS_CELL_DATE },
  };
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Left));

  left_messages (self, rows);
  left_open (self, rows);
  left_operations (self, rows);
  left_regions (self, rows);
  StatsTable *t = under_way_component_new_table (self, "Under way", columns, EVE_N (columns), rows->len);
  for (uint32_t i = 0; i < rows->len; i++) {
    const Left *l = &g_array_index (rows, Left, i);
    const char *const texts[] = { l->what, l->task, l->peer, l->of };
    const int64_t numbers[] = { l->tag, l->n, l->bytes, l->since };
    for (uint32_t k = 0; k < 4; k++) {
      stats_table_set_text (t, i, k, texts[k]);
      stats_cell (t, i, 4 + k)->whole = numbers[k];
    }
    if (l->owner >= 0)
      stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) l->owner), (TraceRef){ 0 });
  }
  return t;
}

/* ---- events ------------------------------------------------------------------------------------------------------------------- */

static void
under_way_component_tell (Component *self)
{
  static StatsTable *(*const make[N_OUTS]) (Component *) = { [OUT_TASKS] = under_way_component_table_of_tasks,
                                                             [OUT_GROUPS] = table_of_groups,
                                                             [OUT_TIMES] = table_of_times,
                                                             [OUT_OBJECTS] = table_of_objects,
                                                             [OUT_LEFT] = table_of_left,
                                                             [OUT_BETWEEN] = table_of_between };

  for (uint32_t i = 0; i < N_OUTS && self->u.source && trace_source (self->source); i++)
    if (eve_out_connected (self->base.out[i])) {
      StatsTable *t = make[i](self);
      eve_emit_steal (self->base.out[i], &t);
    }
  eve_status ((EveComponent *) self,
              P_ ("%u group, %u messages and requests under way", "%u groups, %u messages and requests under way",
                  self->u.tables[UW_GROUPS].n_used),
              self->u.tables[UW_GROUPS].n_used, self->u.tables[UW_QUEUES].n_used + self->u.tables[UW_OPEN].n_used);
}

static void
under_way_give (EveComponent *c, EveIn *in, const void *datum)
{
  Component *self = (Component *) c;

  self->given = self->u.n_events;
  under_way_component_tell (self);
}

static void
under_way_component_fire (EveComponent *c)
{
  Component *self = (Component *) c;
  const TraceEvent *e = eve_take (eve_base (c)->in[0]);

  if (G_UNLIKELY (e->source != self->source) && !stats_follow_trace (c, &self->source, e->source))
    return;
  if (G_UNLIKELY (!self->u.source))
    under_way_component_bind (self);
  if (G_UNLIKELY (!self->u.source))
    return;
  uw_event (&self->u, e);
  if (self->every > 0 && self->u.n_events % self->every == 0)
    under_way_give (c, NULL, NULL);
}

static bool
under_way_component_at_end (EveComponent *c)
{
  Component *self = (Component *) c;

  if (self->given != self->u.n_events)
    under_way_give (c, NULL, NULL);
  return true;
}

static bool
under_way_component_at_rest (EveComponent *c, int64_t now)
{
  Component *self = (Component *) c;

  if (self->given != self->u.n_events)
    under_way_component_tell (self);
  return true;
}

#define SAVED_AS                                                                                                       \
  (-2) /* the form of what is saved: another one when that of tables changes; once it began with a source */

static void
under_way_component_save (EveComponent *c, EveBlob *to)
{
  const Component *self = (const Component *) c;

  eve_put_int (to, SAVED_AS);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->given);
  uw_save (&self->u, to);
}

static bool
under_way_component_load (EveComponent *c, EveBlobView *from)
{
  Component *self = (Component *) c;

  under_way_component_reset (c);
  if (eve_get_int (from) != SAVED_AS)
    return false;
  self->source = trace_get_source (eve_program (c), from);
  self->given = eve_get_int (from);
  under_way_component_bind (self);
  return uw_load (&self->u, from);
}

static const EveClass under_way = {
  EVE_CLASS_HEAD,
  .id = "scope.under-way",
  .label = "Under Way",
  .category = "Analysis",
  .version = 1,
  .doc = "Tells what is under way: messages, requests, operations of groups, accesses to memory and files of others.",
  .help =
      "Connect the events of a reader.  `tasks` has a row a task: the region it is inside of, what it has sent and "
      "received, its messages that nobody has received, requests that are open, operations of groups that it is inside "
      "of.  `groups` tells the members of each group (a communicator, a window), how many of its operations are done, "
      "and how many members are inside of one now.  `times` is the time of each task in each group of regions: what "
      "the "
      "trace says of a region decides first, of others how its name begins (`groups`).  `objects` tells what was done "
      "with windows and files.  `left` lists all that is under way; at the end that is what was left over: messages "
      "that nobody received, requests that were never complete, operations that not all took part in, regions that "
      "were "
      "not left.\n\n"
      "It works for any trace whose events say so; all of it is at any instant what a run up to there tells.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Component),
  .init = under_way_component_init,
  .finish = under_way_component_finish,
  .reset = under_way_component_reset,
  .fire = under_way_component_fire,
  .at_end = under_way_component_at_end,
  .at_rest = under_way_component_at_rest,
  .save = under_way_component_save,
  .load = under_way_component_load,
};
EVE_PLUGIN (&under_way);
