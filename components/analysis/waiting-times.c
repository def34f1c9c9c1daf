/* SPDX-License-Identifier: Apache-2.0 */
/* waiting-times.c - how long each receive took from its call to the message (thesis, section 6.3). */
#include <glib.h>
#include "components/events.h"
#include "eve/words.h"
#include "statistics/list.h"
#include "statistics/types.h"

#define MOST_SPANS 256         /* of a task that are kept apart */
#define BEGINS 128             /* of `waits`: begins are looked for too; no flag of an event */
#define MOST_TASKS (1u << 24u) /* of run states */

/* Times in which a task had some receive under way: apart, in their order; those that no receive can reach into any
 * more are forgotten. */
typedef struct Span {
  int64_t from, to;
} Span;
typedef struct Task {
  gint64 key; /* source << 32 | task */
  int64_t open;
  bool blind; /* begins are not told of all */
  GArray *spans;
} Task;

typedef struct Waiting {
  EveBase base;
  GHashTable *tasks; /* Task; only where the third output is wired */
  char *kinds;
  bool warned;
  GHashTable *told; /* names of `kinds` that are none */
  int64_t n;
  const TraceSource *source; /* bound to it: */
  int number;                /* its number; -1: to none */
  uint8_t *waits;            /* one a kind: the flags of the events that are looked for, or 0 */
  uint32_t n_kinds;
  const char *unit; /* "s", interned */
} Waiting;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .unit = "s", .doc = "The time of each receive, when it ends." },
  { "dated", &stats_type_datum, .unit = "s", .doc = "The same with its date and the task that waited." },
  { "once", &stats_type_datum, .unit = "s",
    .doc =
        "The same, but of the time that several receives of one task have in common each part once, for the one that "
        "ended first: they add up to no more than its life." },
};
static const EveField settings[] = {
  { "kinds", EVE_F_STRING, offsetof (Waiting, kinds),
    .doc = "Kinds of event that wait, with commas between; empty: all that receive from one task." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Waiting, warned) },
  { "n", EVE_F_INT64, offsetof (Waiting, n), EVE_COUNT },
};

static void
waiting_forget (EveComponent *c)
{
  Waiting *self = (Waiting *) c;

  g_clear_pointer (&self->waits, g_free);
  self->source = NULL;
  self->number = -1;
  self->n_kinds = 0;
}

static void
waiting_bind (Waiting *self, uint16_t number)
{
  const TraceSource *s = trace_source (number);
  bool any = false;

  waiting_forget ((EveComponent *) self);
  if (!s)
    return;
  self->number = number;
  self->unit = g_intern_static_string ("s");
  self->source = s;
  self->n_kinds = s->n_kinds;
  self->waits = g_new0 (uint8_t, MAX (s->n_kinds, 1));
  g_auto (GStrv) kinds = stats_list_read ((EveComponent *) self, &self->told, "kind of event", self->kinds, kinds_offer,
                                          (void *) s);
  for (uint32_t i = 0; i < s->n_kinds; i++)
    if (kinds[0] ? stats_names_have (kinds, s->kinds[i].name) : trace_acts (&s->kinds[i]) & TRACE_ACT_RECEIVE)
      any = (self->waits[i] = eve_out_connected (self->base.out[2]) ? TRACE_END | BEGINS : TRACE_END) != 0;
  if (!any && !kinds[0] && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("No kind of event of the trace %s receives from one task."), s->name);
  }
}

static void
waiting_times_free_task (void *task)
{
  g_array_unref (((Task *) task)->spans);
  g_free (task);
}

static Task *
waiting_times_task_of (Waiting *self, gint64 key)
{
  if (!self->tasks)
    self->tasks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, waiting_times_free_task);
  Task *t = g_hash_table_lookup (self->tasks, &key);
  if (!t) {
    t = g_new0 (Task, 1);
    t->key = key;
    t->spans = g_array_new (FALSE, FALSE, sizeof (Span));
    g_hash_table_insert (self->tasks, &t->key, t);
  }
  return t;
}

/* Ticks of a stretch that no other has had yet; none ends before those that are known. */
static int64_t
take_span (GArray *spans, int64_t from, int64_t to)
{
  int64_t ticks = to - from;

  for (; spans->len > 0; g_array_set_size (spans, spans->len - 1)) {
    const Span *last = &g_array_index (spans, Span, spans->len - 1);
    if (last->to < from)
      break;
    ticks -= MAX (MIN (last->to, to) - MAX (last->from, from), 0);
    from = MIN (from, last->from);
    to = MAX (to, last->to);
  }
  const Span all = { from, to };
  g_array_append_val (spans, all);
  if (spans->len > MOST_SPANS) { /* what is between them is taken too: rather too little than twice */
    g_array_index (spans, Span, 1).from = g_array_index (spans, Span, 0).from;
    g_array_remove_index (spans, 0);
  }
  return MAX (ticks, 0);
}

static void
waiting_begins (Waiting *self, const TraceEvent *e)
{
  waiting_times_task_of (self, (gint64) e->source << 32 | e->task)->open++;
}

static void
give_once (Waiting *self, const TraceEvent *e, const StatsDatum *d)
{
  Task *t = waiting_times_task_of (self, (gint64) e->source << 32 | e->task);
  StatsDatum once = *d;

  t->blind |= t->open-- == 0;
  t->open = MAX (t->open, 0);
  once.value.real = trace_clock_seconds (&self->source->clock,
                                         take_span (t->spans, e->date - MAX (e->duration, 0), e->date));
  if (t->open == 0 && !t->blind && t->spans->len > 1)
    g_array_remove_range (t->spans, 0, t->spans->len - 1);
  eve_emit (self->base.out[2], &once);
}

static void
waiting_give (Waiting *self, const TraceEvent *e)
{
  StatsDatum d = { .date = e->date, .owner = e->task, .owner_kind = STATS_OF_TASK, .source = e->source };
  d.value.real = trace_clock_seconds (&self->source->clock, e->duration);
  d.unit = self->unit;
  self->n++;
  eve_emit (self->base.out[0], &d.value.real);
  eve_emit (self->base.out[1], &d);
  if (G_UNLIKELY (self->waits[e->kind] & BEGINS))
    give_once (self, e, &d);
}

static inline void
waiting_step (Waiting *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->number))
    waiting_bind (self, e->source);
  if (G_LIKELY (e->kind >= self->n_kinds || !(self->waits[e->kind] & (e->flags | BEGINS))))
    return;
  if (e->flags & TRACE_END)
    waiting_give (self, e);
  else if (!(e->flags & TRACE_INSTANT))
    waiting_begins (self, e);
}

static bool
waiting_init (EveComponent *c)
{
  waiting_forget (c);
  return true;
}

static void
waiting_reset (EveComponent *c)
{
  waiting_forget (c);
  g_clear_pointer (&((Waiting *) c)->tasks, g_hash_table_unref);
}

static void
waiting_finish (EveComponent *c)
{
  waiting_reset (c);
  g_clear_pointer (&((Waiting *) c)->told, g_hash_table_unref);
}

static void
waiting_fire (EveComponent *c)
{
  waiting_step ((Waiting *) c, eve_take (eve_base (c)->in[0]));
}

static void
waiting_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n), *end = e + n;
  Waiting *self = (Waiting *) c;

  /* Most events are none of ours: passed over with what the loop keeps at hand. */
  while (e < end) {
    const uint8_t *waits = self->waits;
    uint32_t n_kinds = self->n_kinds;
    int number = self->number;
    while (e < end && e->source == number && e->kind < n_kinds && !(waits[e->kind] & (e->flags | BEGINS)))
      e++;
    if (e < end)
      waiting_step (self, e++);
  }
}

static bool
waiting_changed (EveComponent *c, uint32_t setting)
{
  waiting_finish (c);
  ((Waiting *) c)->warned = false;
  return true;
}

static int
by_key (const void *a, const void *b)
{
  const Task *x = *(const Task *const *) a, *y = *(const Task *const *) b;

  return (x->key > y->key) - (x->key < y->key);
}

static void
waiting_save (EveComponent *c, EveBlob *to)
{
  const Waiting *self = (const Waiting *) c;
  guint n = 0;
  g_autofree Task **all = self->tasks ? (Task **) g_hash_table_get_keys_as_array (self->tasks, &n) : NULL;

  for (guint i = 0; i < n; i++)
    all[i] = g_hash_table_lookup (self->tasks, all[i]);
  if (n > 0)
    qsort (all, n, sizeof *all, by_key);
  eve_put_int (to, n);
  for (guint i = 0; i < n; i++) {
    trace_put_source (eve_program (c), (uint16_t) (all[i]->key >> 32), to);
    eve_put_int (to, all[i]->key & UINT32_MAX);
    eve_put_int (to, all[i]->open);
    eve_put_int (to, all[i]->blind);
    eve_put_int (to, all[i]->spans->len);
    for (guint k = 0; k < all[i]->spans->len; k++) {
      eve_put_int (to, g_array_index (all[i]->spans, Span, k).from);
      eve_put_int (to, g_array_index (all[i]->spans, Span, k).to);
    }
  }
}

static bool
waiting_load (EveComponent *c, EveBlobView *from)
{
  Waiting *self = (Waiting *) c;

  waiting_reset (c);
  int64_t n = eve_get_int (from);
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    gint64 source = trace_get_source (eve_program (c), from), task = eve_get_int (from);
    if (task < 0 || task > UINT32_MAX || i >= MOST_TASKS)
      return false;
    Task *t = waiting_times_task_of (self, source << 32 | task);
    t->open = eve_get_int (from);
    t->blind = eve_get_int (from) != 0;
    int64_t n_spans = eve_get_int (from);
    if (n_spans < 0 || n_spans > MOST_SPANS || t->open < 0 || t->open > INT64_MAX / 2)
      return false;
    for (int64_t k = 0; k < n_spans && eve_get_ok (from); k++) {
      Span s = { .from = eve_get_int (from) };
      s.to = eve_get_int (from);
      g_array_append_val (t->spans, s);
    }
  }
  return eve_get_ok (from) && n >= 0;
}

static bool
waiting_at_end (EveComponent *c)
{
  eve_status (c, _ ("%lld receives"), (long long) ((Waiting *) c)->n);
  return true;
}

static const EveClass waiting = {
  EVE_CLASS_HEAD,
  .id = "scope.waiting-times",
  .label = "Waiting Times",
  .category = "Analysis",
  .version = 2, /* 2: receives under way together are saved */
  .doc = "How long each receive took, from its call to the message.",
  .help =
      "The time of a receive is its duration in the trace: what the task spent in the call, waiting and being "
      "given the "
      "message (thesis, section 6.3). The part in which it was blocked is what the state Idle tells: see State "
      "Durations. *once* gives for each receive what no other of its task had: of some that are under way together, "
      "each time counts once, so that sums are shares of a life. "
      "Receives count when they end: one in progress, or that never ended, gives nothing. *kinds* chooses others, "
      "such as `Barrier`.\n\n"
      "Example: Waiting Times to Histogram shows whether all receives wait alike.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Waiting),
  .init = waiting_init,
  .finish = waiting_finish,
  .reset = waiting_reset,
  .save = waiting_save,
  .load = waiting_load,
  .changed = waiting_changed,
  .fire = waiting_fire,
  .fire_span = waiting_fire_span,
  .at_end = waiting_at_end,
};
EVE_PLUGIN (&waiting);
