/* SPDX-License-Identifier: Apache-2.0 */
/* Vector Clocks: what is told of it, in tables and in sentences. */
#include "statistics/dates.h"
#include "components/analysis/vector-clocks.h"
#include "eve/words.h"

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

static int
by_receive (gconstpointer a, gconstpointer b)
{
  const Race *p = a, *q = b;

#define ORDER(of)                                                                                                      \
  if (p->of != q->of)                                                                                                  \
  return p->of < q->of ? -1 : 1
  ORDER (date);
  ORDER (task);
  ORDER (other_sent);
  ORDER (other);
  ORDER (tag);
#undef ORDER
  return 0;
}

static int
vector_clocks_told_by_sender (gconstpointer a, gconstpointer b)
{
  const Race *p = a, *q = b;

  return p->date != q->date     ? (p->date > q->date) - (p->date < q->date)
         : p->task != q->task   ? (p->task > q->task) - (p->task < q->task)
         : p->other != q->other ? (p->other > q->other) - (p->other < q->other)
                                : by_receive (a, b);
}

/* Of several messages of one sender a receive could have got the first. */
static void
leave_first (GArray *all)
{
  guint n = 0;

  g_array_sort (all, vector_clocks_told_by_sender);
  for (guint i = 0; i < all->len; i++) {
    const Race r = g_array_index (all, Race, i), *last = n > 0 ? &g_array_index (all, Race, n - 1) : NULL;
    if (!last || last->date != r.date || last->task != r.task || last->other != r.other)
      g_array_index (all, Race, n++) = r;
  }
  g_array_set_size (all, n);
}

/* Those for messages that were received, then those for what nobody has received yet, or ever; g_array_unref. */
static GArray *
all_races (const VectorClocks *self)
{
  g_autoptr (GArray) more = g_array_new (FALSE, FALSE, sizeof (Race));
  GArray *all = g_array_copy (self->races);
  GHashTableIter iter;
  gpointer first;

  g_hash_table_iter_init (&iter, self->flying);
  while (self->asks && g_hash_table_iter_next (&iter, &first, NULL))
    for (const Flying *f = first; f; f = f->next)
      vectors_look_for_races (self, f, more, UINT32_MAX);
  g_array_sort (more, by_receive);
  if (more->len > 0 && all->len < MOST_RACES)
    g_array_append_vals (all, more->data, MIN (more->len, MOST_RACES - all->len));
  leave_first (all);
  g_array_sort (all, by_receive);
  return all;
}

static StatsTable *
races (const VectorClocks *self, const GArray *all, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  StatsTable *t = stats_table_new ("Races for a message", race_columns, G_N_ELEMENTS (race_columns), all->len);

  t->date = date;
  t->source = self->source;
  for (guint i = 0; i < all->len; i++) {
    const Race *r = &g_array_index (all, Race, i);
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

/* ---- in sentences ------------------------------------------------------------------------------------------------------------- */

/* Receives, not pairs: one may race with several messages, and those of one receive stand beside each other or not. */
static uint32_t
n_racing (const GArray *all)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (pair_hash, g_int64_equal);
  g_autofree uint64_t *keys = g_new (uint64_t, MAX (all->len, 1));

  for (guint i = 0; i < all->len; i++) {
    const Race *r = &g_array_index (all, Race, i);
    keys[i] = (uint64_t) r->date * MOST_TASKS + r->task;
    g_hash_table_add (seen, &keys[i]);
  }
  return g_hash_table_size (seen);
}

/* Others that the receive of this race could have got, as a text. */
static char *
vector_clocks_told_others_of (const VectorClocks *self, const GArray *all, const Race *r)
{
  g_autoptr (GString) names = g_string_new (NULL);
  uint64_t told[MOST_TASKS / 64] = { 0 };

  for (guint i = 0; i < all->len; i++) {
    const Race *o = &g_array_index (all, Race, i);
    if (o->date != r->date || o->task != r->task || told[o->other / 64] >> o->other % 64 & 1)
      continue;
    told[o->other / 64] |= UINT64_C (1) << o->other % 64;
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                            trace_task_name (trace_source (self->source), o->other));
  }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

static bool
is_first_of_its_receive (const GArray *all, guint i)
{
  const Race *r = &g_array_index (all, Race, i), *last = i > 0 ? r - 1 : NULL;

  return !last || last->date != r->date || last->task != r->task;
}

static const StatsColumn impossible_columns[] = {
  { "what", NULL, STATS_CELL_TEXT, STATS_WORDS },
  { "from", NULL, STATS_CELL_TEXT },
  { "cause", "s", STATS_CELL_DATE },
  { "to", NULL, STATS_CELL_TEXT },
  { "came", "s", STATS_CELL_DATE },
  { "too early by", "s", STATS_CELL_REAL },
  { "tag", NULL, STATS_CELL_WHOLE },
};

static StatsTable *
impossible (const VectorClocks *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  StatsTable *t = stats_table_new ("Impossible by the clocks", impossible_columns, G_N_ELEMENTS (impossible_columns),
                                   self->impossible->len);

  t->date = date;
  t->source = self->source;
  for (guint i = 0; i < self->impossible->len; i++) {
    const Impossible *r = &g_array_index (self->impossible, Impossible, i);
    stats_table_set_text (t, i, 0, r->birth ? N_ ("birth") : N_ ("message"));
    stats_table_set_text (t, i, 1, trace_task_name (s, r->from));
    stats_cell (t, i, 2)->whole = r->cause;
    stats_table_set_text (t, i, 3, trace_task_name (s, r->to));
    stats_cell (t, i, 4)->whole = r->date;
    stats_cell (t, i, 5)->real = trace_clock_seconds (&s->clock, r->cause - r->date);
    if (r->tag != -1)
      stats_cell (t, i, 6)->whole = r->tag;
    stats_table_set_owner (t, i, trace_ref_task (self->source, r->from), trace_ref_task (self->source, r->to));
  }
  return t;
}

static void
vector_clocks_told_tell_impossible (const VectorClocks *self, void (*add) (void *to, const char *sentence), void *to)
{
  const TraceSource *s = trace_source (self->source);
  const Impossible *worst = NULL;
  char span[32], at[64];

  for (guint i = 0; i < self->impossible->len; i++) {
    const Impossible *r = &g_array_index (self->impossible, Impossible, i);
    if (!worst || r->cause - r->date > worst->cause - worst->date)
      worst = r;
  }
  if (!s || !worst)
    return;
  trace_write_span (trace_clock_seconds (&s->clock, worst->cause - worst->date), span, sizeof span);
  stats_date_told (&s->clock, worst->date, at, sizeof at);
  g_autofree char *one = g_strdup_printf (
      worst->birth ? _ ("%" PRIu64 " times something is dated before its cause, by up to %s: at %s %s %s began before "
                        "%s had it born.  Their clocks cannot both be right.")
                   : _ ("%" PRIu64 " times something is dated before its cause, by up to %s: at %s %s %s received what "
                        "%s had not sent yet.  Their clocks cannot both be right."),
      self->n_impossible, span, at, s->clock.units, trace_task_name (s, worst->to), trace_task_name (s, worst->from));
  add (to, one);
}

static void
vector_clocks_told_tell (EveComponent *c, void (*add) (void *to, const char *sentence), void *to)
{
  const VectorClocks *self = (const VectorClocks *) c;
  const TraceSource *s = trace_source (self->source);
  g_autoptr (GArray) all = all_races (self);
  uint32_t n = all->len > 0 ? n_racing (all) : 0, told = 0;
  char at[64];

  vector_clocks_told_tell_impossible (self, add, to);
  if (!s || n == 0)
    return;
  g_autofree char *count = g_strdup_printf (
      P_ ("%u receive of any sender could have got another message, which was sent without knowing of it: in "
          "another run it may come first.",
          "%u receives of any sender could have got another message, which was sent without knowing of "
          "them: in another run it may come first.",
          n),
      n);
  add (to, count);
  for (guint i = 0; i < all->len && told < TOLD; i++) {
    const Race *r = &g_array_index (all, Race, i);
    if (!is_first_of_its_receive (all, i))
      continue;
    stats_date_told (&s->clock, r->date, at, sizeof at);
    g_autofree char *others = vector_clocks_told_others_of (self, all, r);
    g_autofree char *one = g_strdup_printf (_ ("At %s %s, %s got the message of %s; it could have been one of: %s."),
                                            at, s->clock.units, trace_task_name (s, r->task),
                                            trace_task_name (s, r->from), others);
    add (to, one);
    told++;
  }
  if (n > told) {
    g_autofree char *more = g_strdup_printf (
        all->len >= MOST_RACES ? _ ("The first %u pairs of messages stand in a table of the component Vector Clocks.")
                               : _ ("All %u pairs of messages stand in a table of the component Vector Clocks."),
        all->len);
    add (to, more);
  }
}

/* ---- of what is selected --------------------------------------------------------------------------------------------------- */

/* As files have them. */
#define known_of "Events of %s that it can know of"
static const char instead[] = N_ ("Could have come instead"), nothing[] = N_ ("nothing that is known by now");

static void
tell_task (const VectorClocks *self, uint32_t task, void (*add) (void *to, const TraceTold *one), void *to)
{
  const TraceSource *s = trace_source (self->source);

  if (task >= MOST_TASKS || !self->tasks[task].known || self->of >= MOST_TASKS)
    return;
  const char *of = trace_task_name (s, self->of);
  g_autofree char *shown = g_strdup_printf (_ ("Events of %s that it can know of"), of);
  g_autofree char *name = g_strdup_printf (known_of, of);
  g_autofree char *value = g_strdup_printf ("%" PRId64, self->tasks[task].known[self->of].events);
  add (to, &(TraceTold){ .name = name, .value = value, .shown_name = shown });
}

/* Who draws asks of one message after the other. */
static GArray *
races_known (VectorClocks *self)
{
  if (self->known_races && self->known_at == self->n_events)
    return self->known_races;
  g_clear_pointer (&self->known_races, g_array_unref);
  self->known_races = all_races (self);
  self->known_at = self->n_events;
  return self->known_races;
}

/* What the receive of a message could have got instead. */
static void
tell_message (VectorClocks *self, TraceRef what, void (*add) (void *to, const TraceTold *one), void *to)
{
  int64_t sent, received;
  uint32_t from, task;

  if (!trace_ref_dates (what, &sent, &received) || !trace_ref_ends (what, &from, &task) || !self->asks)
    return;
  GArray *all = races_known (self);
  for (guint i = 0; i < all->len; i++) {
    const Race *r = &g_array_index (all, Race, i);
    if (r->date != received || r->task != task || r->from != from)
      continue;
    g_autofree char *others = vector_clocks_told_others_of (self, all, r);
    add (to, &(TraceTold){ instead, others, in_words (instead), NULL });
    return;
  }
  add (to, &(TraceTold){ instead, nothing, in_words (instead), in_words (nothing) });
}

static void
vector_clocks_told_tell_more (EveComponent *c, TraceRef what, const char *only,
                              void (*add) (void *to, const TraceTold *one), void *to)
{
  VectorClocks *self = (VectorClocks *) c;

  if (self->source == 0 || what.source != self->source || !trace_source (self->source))
    return;
  if (what.type == TRACE_REF_TASK)
    tell_task (self, what.id, add, to);
  else if (what.type == TRACE_REF_MESSAGE && trace_more_wants (only, instead))
    tell_message (self, what, add, to);
}

static void
vector_clocks_told_offer_more (EveComponent *c, TraceRefType type, void (*add) (void *to, const char *name), void *to)
{
  const VectorClocks *self = (const VectorClocks *) c;
  const TraceSource *s = trace_source (self->source);

  if (type == TRACE_REF_TASK && s && self->of < MOST_TASKS) {
    g_autofree char *name = g_strdup_printf (known_of, trace_task_name (s, self->of));
    add (to, name);
  }
  if (type == TRACE_REF_MESSAGE && self->asks)
    add (to, instead);
}

const void *
vectors_query (EveComponent *c, const char *name)
{
  static const StatsFindings findings = { vector_clocks_told_tell };
  static const TraceMore more = { vector_clocks_told_tell_more, vector_clocks_told_offer_more };

  return g_str_equal (name, "findings/1")  ? (const void *) &findings
         : g_str_equal (name, TRACE_MORE)  ? (const void *) &more
         : g_str_equal (name, "heading/1") ? (const void *) _ ("What could come in another order")
                                           : NULL;
}

void
vectors_give (VectorClocks *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);

  if (!s || self->n_tasks == 0)
    return;
  bool wanted = eve_out_connected (self->base.out[OUT_RACES]);
  g_autoptr (GArray) all = wanted ? all_races (self) : NULL;
  if (wanted)
    eve_emit_steal (self->base.out[OUT_RACES], &(StatsTable *){ races (self, all, date) });
  if (eve_out_connected (self->base.out[OUT_IMPOSSIBLE]))
    eve_emit_steal (self->base.out[OUT_IMPOSSIBLE], &(StatsTable *){ impossible (self, date) });
  if (self->of == TRACE_NONE || self->of >= MOST_TASKS) {
    eve_status ((EveComponent *) self, _ ("no such task is here"));
    return;
  }
  if (eve_out_connected (self->base.out[OUT_TABLE]))
    eve_emit_steal (self->base.out[OUT_TABLE], &(StatsTable *){ table (self, date) });
  if (self->lost + self->beyond > 0)
    eve_status ((EveComponent *) self, _ ("%" PRIu64 " messages and %" PRIu64 " events are too many to be followed"),
                self->lost, self->beyond);
  else if (self->n_impossible > 0)
    eve_status ((EveComponent *) self,
                P_ ("as %s has it; %" PRIu64 " order that the clocks show is impossible",
                    "as %s has it; %" PRIu64 " orders that the clocks show are impossible", self->n_impossible),
                trace_task_name (s, self->of), self->n_impossible);
  else if (!self->asks)
    eve_status ((EveComponent *) self, _ ("as %s has it; what receives ask for is not told"),
                trace_task_name (s, self->of));
  else if (!all)
    eve_status ((EveComponent *) self, _ ("as %s has it"), trace_task_name (s, self->of));
  else
    eve_status ((EveComponent *) self, P_ ("as %s has it; %u race", "as %s has it; %u races", all->len),
                trace_task_name (s, self->of), all->len);
}
