/* SPDX-License-Identifier: Apache-2.0 */
/* vector-clocks.c - dates by vectors (Fidge, Mattern): of each task's events how many each other task can know of, as
 * messages tell; what that says of one site of reference, whatever the clocks of the machines show; and receives of
 * "any" for which another message could have come. */
#include <string.h>
#include "eve/words.h"
#include "readers/pair.h"
#include "statistics/graph.h"
#include "statistics/stretch.h"
#include "statistics/types.h"

#define MOST_TASKS 256u   /* what is known of each by each is kept */
#define MOST_FLYING 8192u /* messages on their way */
#define MOST_OPEN 32u     /* receives of "any" of a task that are remembered */
#define MOST_RACES 10000u
#define MOST_EVENTS (INT64_C (1) << 60)
#define NO_FIELD UINT32_MAX

/* What is known of a task: so many of its events, the last of them dated so. */
typedef struct Known {
  int64_t events, date;
} Known;

/* A message that was sent, with what its sender knew; messages of one key are chained, the oldest first. */
typedef struct Flying {
  uint32_t from, to;
  int32_t tag;
  uint32_t n; /* of `known` */
  Known *known;
  struct Flying *next, *last; /* last: of a chain, known to its first */
} Flying;

/* A receive that took what came first. */
typedef struct Open {
  int64_t event, date; /* its number among the events of its task; its end */
  uint32_t from;       /* whose message it got */
  int32_t tag;         /* that it asked for; -1: any */
} Open;

typedef struct Race {
  int64_t date, other_sent; /* end of the receive; when the other message was sent, as far as its receiver knows */
  uint32_t task, from, other;
  int32_t tag; /* of the other message */
} Race;

typedef struct Task {
  Known *known;     /* of MOST_TASKS; NULL: nothing has come of it */
  int64_t begun;    /* date of its first event */
  int64_t after;    /* number of its first event that the instant of reference has led to; 0: none yet */
  int64_t after_at; /* its date */
  Open open[MOST_OPEN];
  uint32_t n_open; /* in all; the last MOST_OPEN are there */
  bool told;       /* its stretch is given */
} Task;

typedef struct KindOf {
  uint16_t acts;
  uint32_t asked_from, asked_tag; /* fields, or NO_FIELD */
} KindOf;

typedef struct VectorClocks {
  EveBase base;
  char *reference, *instant_text; /* settings */
  int64_t instant;                /* INT64_MIN: the present */
  Task tasks[MOST_TASKS];
  uint32_t n_tasks;
  GHashTable *flying; /* key -> the first Flying */
  uint32_t n_flying;
  uint64_t lost, beyond, unsent; /* not kept; of tasks beyond; received without a send */
  GArray *races;                 /* of Race */
  bool asks;                     /* some kind of event tells what a receive asked for */
  Known *then;                   /* what the reference knew at the instant; n_tasks of it; NULL: not yet */
  uint32_t of;                   /* the reference, or TRACE_NONE: not found yet, */
  uint32_t n_looked;             /* among so many tasks: others may come */
  bool warned;
  bool passed; /* the instant */
  KindOf *kinds;
  uint32_t n_kinds;
  int64_t date;
  uint16_t source;
} VectorClocks;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of any trace, in order of date." },
};
enum { OUT_TABLE, OUT_ORDER, OUT_CONCURRENT, OUT_RACES };
static const EveOutSpec outs[] = {
  [OUT_TABLE] = { "table", &stats_type_table,
                  .doc =
                      "A row for each task: how many of its events came before the instant of the site of reference, "
                      "after it, or neither." },
  [OUT_ORDER] = { "order", &stats_type_datum, .capacity = 4096,
                  .doc = "Of each event, how many events of the site of reference came before it: its date as that "
                         "site has it." },
  [OUT_CONCURRENT] = { "concurrent", &stats_type_stretch, .capacity = 4 * MOST_TASKS, .per_fire = MOST_TASKS,
                       .doc =
                           "Of each other task, the stretch that is neither before nor after the instant of the site "
                           "of reference." },
  [OUT_RACES] = { "races", &stats_type_table,
                  .doc = "Receives of any sender that could have got another message than they got." },
};
enum { REFERENCE, INSTANT };
static const EveField settings[] = {
  [REFERENCE] = { "reference", EVE_F_STRING, offsetof (VectorClocks, reference),
                  .doc = "The task whose order it is, by id or nickname; empty: the first one." },
  [INSTANT] = { "instant", EVE_F_STRING, offsetof (VectorClocks, instant_text), .unit = "s",
                .doc = "What is asked of is the last event of that task until this date; empty: until the present." },
};

/* ---- whom it is of --------------------------------------------------------------------------------------------------- */

static void
find_reference (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  self->n_looked = s ? s->tasks->len : 0;
  self->of = s && !*self->reference && s->tasks->len > 0 ? 0 : TRACE_NONE;
  for (uint32_t i = 0; s && *self->reference && i < s->tasks->len && self->of == TRACE_NONE; i++)
    if (strcmp (trace_task_id (s, i), self->reference) == 0 || strcmp (trace_task_name (s, i), self->reference) == 0)
      self->of = i;
}

/* A task may be named by the trace for the first time in its middle. */
static void
look_again (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  if (s && s->tasks->len != self->n_looked)
    find_reference (self);
}

static void
warn_of_reference (VectorClocks *self)
{
  if (self->warned || (self->of < MOST_TASKS && self->of != TRACE_NONE))
    return;
  self->warned = true;
  if (self->of == TRACE_NONE)
    eve_warn ((EveComponent *) self, _ ("No task is called “%s”."), self->reference);
  else
    eve_warn ((EveComponent *) self, _ ("Only the first %u tasks are kept apart; “%s” is none of them."), MOST_TASKS,
              trace_task_name (trace_source (self->source), self->of));
}

static uint32_t
field_of (const TraceKind *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (k->fields[i].name, name) == 0)
      return i;
  return NO_FIELD;
}

static void
bind (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  g_clear_pointer (&self->kinds, g_free);
  self->n_kinds = s ? s->n_kinds : 0;
  self->kinds = g_new (KindOf, MAX (self->n_kinds, 1));
  self->asks = false;
  for (uint32_t i = 0; i < self->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    self->kinds[i] = (KindOf){ trace_acts (k), field_of (k, "asked_from"), field_of (k, "asked_tag") };
    self->asks |= self->kinds[i].acts & TRACE_ACT_RECEIVE && self->kinds[i].asked_from != NO_FIELD;
  }
  self->instant = INT64_MIN;
  if (s && *self->instant_text && !trace_clock_parse (&s->clock, self->instant_text, &self->instant))
    eve_warn ((EveComponent *) self, _ ("“%s” is no date in seconds; the present is taken"), self->instant_text);
  find_reference (self);
}

/* ---- messages ---------------------------------------------------------------------------------------------------------- */

static guint
hash_flying (gconstpointer at)
{
  const Flying *f = at;

  return pair_hash_of ((uint64_t) f->from << 32 | f->to) ^ (guint) f->tag * 40503u;
}

static gboolean
same_flying (gconstpointer a, gconstpointer b)
{
  const Flying *x = a, *y = b;

  return x->from == y->from && x->to == y->to && x->tag == y->tag;
}

static void
free_flying (Flying *f)
{
  g_free (f->known);
  g_free (f);
}

static void
free_chain (gpointer first)
{
  for (Flying *f = first, *next; f; f = next) {
    next = f->next;
    free_flying (f);
  }
}

static void
push (VectorClocks *self, Flying *f)
{
  Flying *first = g_hash_table_lookup (self->flying, f);

  f->next = NULL;
  f->last = f;
  self->n_flying++;
  if (!first) {
    g_hash_table_insert (self->flying, f, f);
    return;
  }
  first->last->next = f;
  first->last = f;
}

/* The oldest from one task to another with this tag; NULL: there is none. */
static Flying *
pop (VectorClocks *self, uint32_t from, uint32_t to, int32_t tag)
{
  const Flying key = { .from = from, .to = to, .tag = tag };
  Flying *first = g_hash_table_lookup (self->flying, &key);

  if (!first)
    return NULL;
  g_hash_table_steal (self->flying, &key);
  if (first->next) {
    first->next->last = first->last;
    g_hash_table_insert (self->flying, first->next, first->next);
  }
  self->n_flying--;
  return first;
}

static void
send (VectorClocks *self, const TraceEvent *e, bool multicast)
{
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  for (uint32_t i = 0; i < n; i++) {
    if (!trace_reaches (e, multicast, to[i]) || to[i] >= MOST_TASKS)
      continue;
    if (self->n_flying >= MOST_FLYING) {
      self->lost++;
      continue;
    }
    Flying *f = g_new (Flying, 1);
    *f = (Flying){ .from = e->task, .to = to[i], .tag = e->tag, .n = self->n_tasks };
    f->known = g_memdup2 (self->tasks[e->task].known, self->n_tasks * sizeof *f->known);
    push (self, f);
  }
}

/* ---- races --------------------------------------------------------------------------------------------------------------- */

/* A message that was sent without knowing of an earlier receive could have been what that one got, unless it was the
 * next of the same sender. */
static void
look_for_races (VectorClocks *self, const TraceEvent *e, const Flying *f)
{
  Task *t = &self->tasks[e->task];
  int64_t knew = e->task < f->n ? f->known[e->task].events : 0;

  for (uint32_t i = t->n_open > MOST_OPEN ? t->n_open - MOST_OPEN : 0; i < t->n_open; i++) {
    const Open *o = &t->open[i % MOST_OPEN];
    if (knew >= o->event || o->from == f->from || (o->tag != -1 && o->tag != f->tag) || self->races->len >= MOST_RACES)
      continue;
    const Race r = { o->date, f->known[f->from].date, e->task, o->from, f->from, f->tag };
    g_array_append_val (self->races, r);
  }
}

/* -1 of a tag is any, and no task is any task. */
static void
note_open (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  Task *t = &self->tasks[e->task];
  Open o = { t->known[e->task].events, e->date, e->peer, -1 };

  if (k->asked_from == NO_FIELD)
    return;
  TraceValue asked = trace_value (e, k->asked_from);
  if (asked.kind == TRACE_VALUE_TASK && asked.i != TRACE_NONE)
    return;
  TraceValue tag = k->asked_tag != NO_FIELD ? trace_value (e, k->asked_tag) : (TraceValue){ 0 };
  if (tag.kind == TRACE_VALUE_INT)
    o.tag = (int32_t) tag.i;
  t->open[t->n_open++ % MOST_OPEN] = o;
}

static void
receive (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  Known *mine = self->tasks[e->task].known;
  Flying *f = pop (self, e->peer, e->task, e->tag);

  if (!f) {
    self->unsent++;
    return;
  }
  for (uint32_t i = 0; i < f->n; i++)
    if (i != e->task && f->known[i].events > mine[i].events)
      mine[i] = f->known[i];
  look_for_races (self, e, f);
  note_open (self, e, k);
  free_flying (f);
}

/* ---- the instant ----------------------------------------------------------------------------------------------------------- */

static void
give_stretch (VectorClocks *self, uint32_t task, int64_t to, int64_t date)
{
  Task *t = &self->tasks[task];
  int64_t from = self->then && self->then[task].events > 0 ? self->then[task].date : t->begun;

  if (task != self->of && t->known && !t->told && from < to) {
    StatsStretch out = { .from = from,
                         .to = to,
                         .date = MAX (date, to),
                         .kind = g_intern_static_string ("Concurrent"),
                         .owner = task,
                         .cause = self->of,
                         .source = self->source };
    eve_emit (self->base.out[OUT_CONCURRENT], &out);
  }
  t->told = true;
}

static void
take_instant (VectorClocks *self)
{
  g_free (self->then);
  self->then = g_memdup2 (self->tasks[self->of].known, MOST_TASKS * sizeof *self->then);
  for (uint32_t i = 0; i < self->n_tasks; i++)
    self->tasks[i].after = 0;
}

/* What was after it before it was known to be the last of its task until the instant. */
static void
pass_instant (VectorClocks *self)
{
  self->passed = true;
  for (uint32_t i = 0; i < self->n_tasks && self->then; i++)
    if (self->tasks[i].after > 0)
      give_stretch (self, i, self->tasks[i].after_at, self->date);
}

static void
follow_instant (VectorClocks *self, const TraceEvent *e)
{
  Task *t = &self->tasks[e->task];

  if (e->task == self->of && e->date <= self->instant) {
    take_instant (self);
    return;
  }
  if (!self->then || e->task == self->of || t->after > 0 || t->known[self->of].events < self->then[self->of].events)
    return;
  t->after = t->known[e->task].events;
  t->after_at = e->date;
  if (self->passed)
    give_stretch (self, e->task, e->date, e->date);
}

static void
give_order (VectorClocks *self, const TraceEvent *e)
{
  StatsDatum d = { .date = e->date,
                   .value.whole = self->of < MOST_TASKS ? self->tasks[e->task].known[self->of].events : 0,
                   .owner = e->task,
                   .owner_kind = STATS_OF_TASK,
                   .source = self->source,
                   .is_whole = 1 };

  eve_emit (self->base.out[OUT_ORDER], &d);
}

static void
step (VectorClocks *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source || !self->kinds)) {
    if (!stats_follow_trace ((EveComponent *) self, &self->source, e->source))
      return;
    bind (self);
  }
  self->date = e->date;
  if (self->then && !self->passed && self->instant != INT64_MIN && e->date > self->instant)
    pass_instant (self);
  if (e->task >= MOST_TASKS || e->kind >= self->n_kinds) {
    self->beyond++;
    return;
  }
  Task *t = &self->tasks[e->task];
  const KindOf *k = &self->kinds[e->kind];
  if (!t->known) {
    t->known = g_new0 (Known, MOST_TASKS);
    t->begun = e->date;
  }
  self->n_tasks = MAX (self->n_tasks, e->task + 1);
  t->known[e->task].events++;
  t->known[e->task].date = e->date;
  if (k->acts & TRACE_ACT_RECEIVE && e->flags & (TRACE_END | TRACE_INSTANT) && trace_received (e)
      && e->peer < MOST_TASKS)
    receive (self, e, k);
  if (k->acts & TRACE_ACT_SEND && !(e->flags & TRACE_END))
    send (self, e, k->acts & TRACE_ACT_MULTICAST);
  if (G_UNLIKELY (self->of == TRACE_NONE))
    look_again (self);
  if (self->instant != INT64_MIN && self->of < MOST_TASKS)
    follow_instant (self, e);
  if (eve_out_connected (self->base.out[OUT_ORDER]))
    give_order (self, e);
}

static void
fire (EveComponent *c)
{
  step ((VectorClocks *) c, eve_take (eve_base (c)->in[0]));
}

/* ---- tables -------------------------------------------------------------------------------------------------------------------- */

static const StatsColumn columns[] = {
  { "task", NULL, STATS_CELL_TEXT },       { "events", NULL, STATS_CELL_WHOLE },
  { "before", NULL, STATS_CELL_WHOLE },    { "concurrent", NULL, STATS_CELL_WHOLE },
  { "after", NULL, STATS_CELL_WHOLE },     { "last before", "s", STATS_CELL_DATE },
  { "first after", "s", STATS_CELL_DATE }, { "knows", NULL, STATS_CELL_WHOLE },
};
enum { TASK, EVENTS, BEFORE, CONCURRENT, AFTER, LAST_BEFORE, FIRST_AFTER, KNOWS };

/* The events of the reference itself are before it, up to the one that is asked of, or after. */
static StatsTable *
table (const VectorClocks *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  const Known *then = self->instant != INT64_MIN ? self->then : self->tasks[self->of].known;
  static const Known nothing;
  uint32_t n = 0, row = 0;

  for (uint32_t i = 0; i < self->n_tasks; i++)
    n += self->tasks[i].known != NULL;
  StatsTable *t = stats_table_new ("Vector clocks", columns, G_N_ELEMENTS (columns), n);
  t->date = date;
  t->source = self->source;
  for (uint32_t i = 0; i < self->n_tasks; i++) {
    const Task *k = &self->tasks[i];
    if (!k->known)
      continue;
    int64_t events = k->known[i].events;
    Known before = then ? then[i] : nothing;
    int64_t after = i == self->of ? events - before.events : k->after > 0 ? events - k->after + 1 : 0;
    stats_table_set_text (t, row, TASK, trace_task_name (s, i));
    stats_cell (t, row, EVENTS)->whole = events;
    stats_cell (t, row, BEFORE)->whole = before.events;
    stats_cell (t, row, CONCURRENT)->whole = events - before.events - after;
    stats_cell (t, row, AFTER)->whole = after;
    if (before.events > 0)
      stats_cell (t, row, LAST_BEFORE)->whole = before.date;
    if (i != self->of && k->after > 0)
      stats_cell (t, row, FIRST_AFTER)->whole = k->after_at;
    stats_cell (t, row, KNOWS)->whole = k->known[self->of].events;
    stats_table_set_owner (t, row, trace_ref_task (self->source, i), (TraceRef){ 0 });
    row++;
  }
  return t;
}

static const StatsColumn race_columns[] = {
  { "receive", "s", STATS_CELL_DATE },    { "task", NULL, STATS_CELL_TEXT }, { "got from", NULL, STATS_CELL_TEXT },
  { "could get", NULL, STATS_CELL_TEXT }, { "sent", "s", STATS_CELL_DATE },  { "tag", NULL, STATS_CELL_WHOLE },
};

static StatsTable *
races (const VectorClocks *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  StatsTable *t = stats_table_new ("Races for a message", race_columns, G_N_ELEMENTS (race_columns), self->races->len);

  t->date = date;
  t->source = self->source;
  for (guint i = 0; i < self->races->len; i++) {
    const Race *r = &g_array_index (self->races, Race, i);
    stats_cell (t, i, 0)->whole = r->date;
    stats_table_set_text (t, i, 1, trace_task_name (s, r->task));
    stats_table_set_text (t, i, 2, trace_task_name (s, r->from));
    stats_table_set_text (t, i, 3, trace_task_name (s, r->other));
    stats_cell (t, i, 4)->whole = r->other_sent;
    if (r->tag != -1)
      stats_cell (t, i, 5)->whole = r->tag;
    stats_table_set_owner (t, i, trace_ref_task (self->source, r->task), trace_ref_task (self->source, r->other));
  }
  return t;
}

static void
give (VectorClocks *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);

  if (!s || self->n_tasks == 0)
    return;
  if (eve_out_connected (self->base.out[OUT_RACES]))
    eve_emit_steal (self->base.out[OUT_RACES], &(StatsTable *){ races (self, date) });
  if (self->of == TRACE_NONE || self->of >= MOST_TASKS) {
    eve_status ((EveComponent *) self, _ ("no such task is here"));
    return;
  }
  if (eve_out_connected (self->base.out[OUT_TABLE]))
    eve_emit_steal (self->base.out[OUT_TABLE], &(StatsTable *){ table (self, date) });
  if (self->lost + self->beyond > 0)
    eve_status ((EveComponent *) self, _ ("%" PRIu64 " messages and %" PRIu64 " events are too many to be followed"),
                self->lost, self->beyond);
  else if (!self->asks)
    eve_status ((EveComponent *) self, _ ("as %s has it; what receives ask for is not told"),
                trace_task_name (s, self->of));
  else
    eve_status ((EveComponent *) self, _ ("as %s has it; %u races"), trace_task_name (s, self->of), self->races->len);
}

static bool
at_rest (EveComponent *c, int64_t now)
{
  VectorClocks *self = (VectorClocks *) c;

  give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
at_end (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;
  const TraceSource *s = trace_source (self->source);
  int64_t date = s ? MAX (self->date, s->last) : self->date;

  for (uint32_t i = 0; self->then && i < self->n_tasks; i++)
    if (self->tasks[i].known && !self->tasks[i].told)
      give_stretch (self, i, self->tasks[i].after > 0 ? self->tasks[i].after_at : date, date);
  if (self->source != 0)
    warn_of_reference (self);
  give (self, date);
  return true;
}

/* ---- the component --------------------------------------------------------------------------------------------------------------- */

static void
reset (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  for (uint32_t i = 0; i < MOST_TASKS; i++)
    g_free (self->tasks[i].known);
  memset (self->tasks, 0, sizeof self->tasks);
  g_hash_table_remove_all (self->flying);
  g_array_set_size (self->races, 0);
  g_clear_pointer (&self->then, g_free);
  g_clear_pointer (&self->kinds, g_free);
  self->n_kinds = self->n_tasks = self->n_flying = 0;
  self->lost = self->beyond = self->unsent = 0;
  self->of = TRACE_NONE;
  self->passed = self->asks = self->warned = false;
  self->n_looked = 0;
  self->instant = self->date = INT64_MIN;
  self->source = 0;
}

static bool
init (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  self->flying = g_hash_table_new_full (hash_flying, same_flying, NULL, free_chain);
  self->races = g_array_new (FALSE, FALSE, sizeof (Race));
  reset (c);
  return true;
}

static void
finish (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  reset (c);
  g_hash_table_unref (self->flying);
  g_array_unref (self->races);
}

/* Another reference is answered at once where it is asked of the present; an instant is looked for from the beginning.
 */
static bool
changed (EveComponent *c, uint32_t setting)
{
  VectorClocks *self = (VectorClocks *) c;

  if (self->source != 0 && setting == REFERENCE)
    find_reference (self);
  return true;
}

static void
put_known (const Known *known, uint32_t n, EveBlob *to)
{
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, known[i].events);
    eve_put_int (to, known[i].date);
  }
}

/* A number within bounds; else *ok is false. */
static int64_t
get (EveBlobView *from, int64_t low, int64_t high, bool *ok)
{
  int64_t v = eve_get_int (from);

  *ok = *ok && eve_get_ok (from) && v >= low && v <= high;
  return *ok ? v : low;
}

static Known *
get_known (uint32_t n, EveBlobView *from, bool *ok)
{
  Known *known = g_new0 (Known, MOST_TASKS);

  for (uint32_t i = 0; i < n && *ok; i++) {
    known[i].events = get (from, 0, MOST_EVENTS, ok);
    known[i].date = eve_get_int (from);
  }
  return known;
}

static void
put_task (const Task *t, uint32_t n, EveBlob *to)
{
  eve_put_int (to, t->known != NULL);
  if (!t->known)
    return;
  put_known (t->known, n, to);
  eve_put_int (to, t->begun);
  eve_put_int (to, t->after);
  eve_put_int (to, t->after_at);
  eve_put_int (to, t->told);
  eve_put_int (to, t->n_open);
  for (uint32_t i = 0; i < MIN (t->n_open, MOST_OPEN); i++) {
    eve_put_int (to, t->open[i].event);
    eve_put_int (to, t->open[i].date);
    eve_put_int (to, t->open[i].from);
    eve_put_int (to, t->open[i].tag);
  }
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Flying *x = *(Flying *const *) a, *y = *(Flying *const *) b;

  return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
         : x->to != y->to   ? (x->to > y->to) - (x->to < y->to)
                            : (x->tag > y->tag) - (x->tag < y->tag);
}

static void
save (EveComponent *c, EveBlob *to)
{
  const VectorClocks *self = (const VectorClocks *) c;
  g_autoptr (GPtrArray) chains = g_ptr_array_new ();
  GHashTableIter each;
  gpointer first;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->date);
  eve_put_int (to, self->instant);
  eve_put_int (to, self->passed);
  eve_put_int (to, (int64_t) self->lost);
  eve_put_int (to, (int64_t) self->beyond);
  eve_put_int (to, (int64_t) self->unsent);
  eve_put_int (to, self->n_tasks);
  for (uint32_t i = 0; i < self->n_tasks; i++)
    put_task (&self->tasks[i], self->n_tasks, to);
  eve_put_int (to, self->then != NULL);
  if (self->then)
    put_known (self->then, self->n_tasks, to);
  for (g_hash_table_iter_init (&each, self->flying); g_hash_table_iter_next (&each, &first, NULL);)
    g_ptr_array_add (chains, first);
  g_ptr_array_sort (chains, by_key);
  eve_put_int (to, self->n_flying);
  for (guint i = 0; i < chains->len; i++)
    for (const Flying *f = chains->pdata[i]; f; f = f->next) {
      eve_put_int (to, f->from);
      eve_put_int (to, f->to);
      eve_put_int (to, f->tag);
      eve_put_int (to, f->n);
      put_known (f->known, f->n, to);
    }
  eve_put_int (to, self->races->len);
  for (guint i = 0; i < self->races->len; i++) {
    const Race *r = &g_array_index (self->races, Race, i);
    const int64_t all[] = { r->date, r->other_sent, r->task, r->from, r->other, r->tag };
    eve_put_ints (to, all, G_N_ELEMENTS (all));
  }
}

static void
get_task (Task *t, uint32_t n, EveBlobView *from, bool *ok)
{
  if (get (from, 0, 1, ok) == 0)
    return;
  t->known = get_known (n, from, ok);
  t->begun = eve_get_int (from);
  t->after = get (from, 0, MOST_EVENTS, ok);
  t->after_at = eve_get_int (from);
  t->told = get (from, 0, 1, ok);
  t->n_open = (uint32_t) get (from, 0, UINT32_MAX, ok);
  for (uint32_t i = 0; *ok && i < MIN (t->n_open, MOST_OPEN); i++) {
    t->open[i].event = eve_get_int (from);
    t->open[i].date = eve_get_int (from);
    t->open[i].from = (uint32_t) get (from, 0, UINT32_MAX, ok);
    t->open[i].tag = (int32_t) get (from, INT32_MIN, INT32_MAX, ok);
  }
}

static void
get_flying (VectorClocks *self, EveBlobView *from, bool *ok)
{
  for (int64_t n = get (from, 0, MOST_FLYING, ok); n > 0 && *ok; n--) {
    Flying *f = g_new0 (Flying, 1);
    f->from = (uint32_t) get (from, 0, MOST_TASKS - 1, ok);
    f->to = (uint32_t) get (from, 0, MOST_TASKS - 1, ok);
    f->tag = (int32_t) get (from, INT32_MIN, INT32_MAX, ok);
    f->n = (uint32_t) get (from, (int64_t) f->from + 1, MOST_TASKS, ok);
    f->known = get_known (*ok ? f->n : 0, from, ok);
    push (self, f);
  }
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  VectorClocks *self = (VectorClocks *) c;
  bool ok = true;

  reset (c);
  self->source = trace_get_source (eve_program (c), from);
  if (self->source != 0)
    bind (self);
  self->date = eve_get_int (from);
  self->instant = eve_get_int (from);
  self->passed = get (from, 0, 1, &ok);
  self->lost = (uint64_t) eve_get_int (from);
  self->beyond = (uint64_t) eve_get_int (from);
  self->unsent = (uint64_t) eve_get_int (from);
  self->n_tasks = (uint32_t) get (from, 0, MOST_TASKS, &ok);
  for (uint32_t i = 0; ok && i < self->n_tasks; i++)
    get_task (&self->tasks[i], self->n_tasks, from, &ok);
  if (ok && get (from, 0, 1, &ok) == 1)
    self->then = get_known (self->n_tasks, from, &ok);
  get_flying (self, from, &ok);
  for (int64_t n = get (from, 0, MOST_RACES, &ok); n > 0 && ok; n--) {
    int64_t all[6];
    ok = eve_get_ints (from, all, 6) == 6 && all[2] >= 0 && all[3] >= 0 && all[4] >= 0 && all[2] <= UINT32_MAX
         && all[3] <= UINT32_MAX && all[4] <= UINT32_MAX;
    const Race r = { all[0], all[1], (uint32_t) all[2], (uint32_t) all[3], (uint32_t) all[4], (int32_t) all[5] };
    g_array_append_val (self->races, r);
  }
  return ok && eve_get_ok (from);
}

static const EveClass vector_clocks = {
  EVE_CLASS_HEAD,
  .id = "scope.vector-clocks",
  .label = "Vector Clocks",
  .category = "Analysis",
  .version = 1,
  .doc =
      "Dates by vectors: what came before, after, or neither, as one task of reference has it by the messages alone; "
      "and races for a message.",
  .help =
      "Clocks of several machines may differ; what messages tell does not.  Each event has a vector for its date: of "
      "how many events of each task it can know.  `table` says of each task how many of its events came before the "
      "last event of the task *reference* (until *instant*), after it, or *concurrent*: neither, whatever their "
      "dates are; `concurrent` to the input `waits` of Space-time shows these stretches.  `order` to a Curve is the "
      "date of each event as the reference has it.  `races` are receives of any sender for which another message "
      "was on its way as well: in another run they may get that one.\n\n"
      "Messages alone are looked at: what tasks know by barriers, or by who started whom, is not.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (VectorClocks),
  .init = init,
  .finish = finish,
  .reset = reset,
  .changed = changed,
  .fire = fire,
  .at_end = at_end,
  .at_rest = at_rest,
  .save = save,
  .load = load,
};
EVE_PLUGIN (&vector_clocks);
