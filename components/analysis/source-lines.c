/* SPDX-License-Identifier: Apache-2.0 */
/* source-lines.c - where in the source of the program its tasks spend the time of their calls. */
#include <string.h>
#include "components/analysis/source-place.h"
#include "eve/words.h"
#include "readers/counted.h"
#include "statistics/findings.h"
#include "statistics/graph.h"
#include "statistics/paths.h"

#define MOST_TASKS (1u << 20)
#define MOST_PLACES (1u << 16) /* further calls are counted at a place of their own: others */
#define MOST_DEPTH 4096        /* calls inside of each other that are kept apart */
#define ENTERED INT64_MIN

typedef struct Call {     /* under way */
  int64_t since, counted; /* counted: what of `alone` is in its place already ends there */
  int64_t record;         /* of an event whose end is another of the same record; ENTERED: it is left by itself */
  uint32_t place;
  bool inside; /* of one of the same place, whose time counts already */
  bool part;   /* it has no line, and is a part of the call around it */
} Call;

typedef struct Stack { /* of a task */
  Call *calls;
  uint32_t n, room;
  uint32_t deeper; /* calls under way that are left by themselves, inside of MOST_DEPTH others: a part of these */
} Stack;

typedef struct SourceLines {
  EveBase base;
  GArray *places;    /* of Place */
  GHashTable *known; /* Place (of what identifies it) -> its number + 1 */
  GString *phase;    /* the name of the one at hand */
  Stack *stacks;     /* by task */
  uint32_t n_stacks;
  uint64_t beyond;
  int64_t date;
  int64_t until;   /* tables were given of this instant, while it is shown; no run state */
  uint16_t source; /* 0: nothing has come */
  const TraceSource *of;
  uint16_t *acts;  /* of its kinds, */
  uint32_t n_acts; /* as many as it had then */
  bool lines;      /* some call had a line */
  bool told;
} SourceLines;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a trace that tells the lines of calls." },
};
static const EveOutSpec outs[] = {
  { "lines", &stats_type_table,
    .doc = "A row for each kind of call at each line of the source, what took longest first." },
  { "tree", &stats_type_table,
    .doc = "Files, the functions in them, the calls in these: a row each; `depth` tells how deep it is." },
};

/* ---- places -------------------------------------------------------------------------------------------------------------- */

static inline Place *
source_lines_place_at (const SourceLines *self, uint32_t i)
{
  return &g_array_index (self->places, Place, i);
}

/* The texts of the key may be gone with the next event; those of the table are the place's own. */
static uint32_t
find_place (SourceLines *self, const Place *key)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (self->known, key));

  if (known > 0)
    return known - 1;
  if (self->places->len >= MOST_PLACES && key->kind != OTHERS) {
    self->beyond++;
    return find_place (self, &(Place){ .call = (char *) "others", .kind = OTHERS });
  }
  Place *own = g_new (Place, 1);
  *own = (Place){ .file = source_place_text (key->file),
                  .function = source_place_text (key->function),
                  .call = source_place_text (key->call),
                  .line = key->line,
                  .kind = key->kind };
  g_array_append_val (self->places, *own);
  g_hash_table_insert (self->known, own, GUINT_TO_POINTER (self->places->len));
  return self->places->len - 1;
}

/* What is called: a region of the program, a phase by its name, or the kind of event.  Good until the next. */
static const char *
source_lines_call_of (SourceLines *self, const TraceEvent *e, bool enters)
{
  const TraceKind *k = &self->of->kinds[e->kind];
  const char *name = enters && e->object != TRACE_NONE ? trace_object_id (self->of, e->object) : NULL;

  for (uint32_t i = 0; i < k->n_fields && !name && self->acts[e->kind] & TRACE_ACT_PHASE; i++) {
    TraceValue v = trace_value (e, i);
    if (v.kind == TRACE_VALUE_TEXT) /* which may be gone when another field is read */
      name = g_string_assign (self->phase, v.text ? v.text : "")->str;
  }
  return name && *name ? name : k->name;
}

/* Where a call stands; the same kind of call at no line where nobody knows it. */
static uint32_t
source_lines_place_of (SourceLines *self, const TraceEvent *e, bool enters, bool *has_line)
{
  Place key = { .call = (char *) source_lines_call_of (self, e, enters), .kind = e->kind };
  const char *file, *function = NULL;

  *has_line = trace_site (e, &file, &key.line, &function) && file && *file;
  if (*has_line) {
    key.file = (char *) file;
    key.function = (char *) (function && *function ? function : NULL);
  } else {
    key.line = 0;
  }
  self->lines |= *has_line;
  return find_place (self, &key);
}

/* ---- what comes ------------------------------------------------------------------------------------------------------------ */

static Stack *
source_lines_stack_of (SourceLines *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return NULL;
  if (task >= self->n_stacks) {
    uint32_t more = MAX (task + 1, 2 * self->n_stacks + 16);
    self->stacks = g_renew (Stack, self->stacks, more);
    memset (self->stacks + self->n_stacks, 0, (more - self->n_stacks) * sizeof *self->stacks);
    self->n_stacks = more;
  }
  return &self->stacks[task];
}

/* Ticks between two dates; of dates that only a damaged run state has, any number. */
static int64_t
source_lines_between (int64_t from, int64_t to)
{
  return to > from ? (int64_t) ((uint64_t) to - (uint64_t) from) : 0;
}

/* What is inside of a call at a line, and has none of its own, is a part of that call. */
static void
source_lines_enter (SourceLines *self, Stack *t, const TraceEvent *e, bool enters)
{
  Call call = { .since = e->date, .counted = e->date, .record = enters ? ENTERED : (int64_t) e->record };
  bool has_line;

  call.place = source_lines_place_of (self, e, enters, &has_line);
  call.part = !has_line && t->n > 0 && source_lines_place_at (self, t->calls[t->n - 1].place)->file != NULL;
  if (call.part)
    call.place = t->calls[t->n - 1].place;
  else
    source_lines_place_at (self, call.place)->calls++;
  if (e->flags & TRACE_INSTANT && !enters)
    return;
  if (t->n == MOST_DEPTH) {
    t->deeper += enters && t->deeper < UINT32_MAX;
    return;
  }
  if (t->n > 0) {
    const Call *around = &t->calls[t->n - 1];
    Place *p = source_lines_place_at (self, around->place);
    p->alone = trace_sum (p->alone, source_lines_between (around->counted, e->date));
  }
  for (uint32_t i = 0; i < t->n && !call.inside; i++)
    call.inside = t->calls[i].place == call.place;
  if (t->n == t->room) {
    t->room = MAX (4, 2 * t->room);
    t->calls = g_renew (Call, t->calls, t->room);
  }
  t->calls[t->n++] = call;
}

static void
count_time (Place *p, const Call *call, int64_t date, bool innermost)
{
  if (innermost)
    p->alone = trace_sum (p->alone, source_lines_between (call->counted, date));
  if (!call->inside)
    p->time = trace_sum (p->time, source_lines_between (call->since, date));
  if (!call->part)
    p->longest = MAX (p->longest, source_lines_between (call->since, date));
}

/* The innermost call of that record ends, and with it what is inside of it and has not. */
static void
source_lines_end (SourceLines *self, Stack *t, const TraceEvent *e, int64_t record)
{
  uint32_t n = t->n;

  if (record == ENTERED && t->deeper > 0) {
    t->deeper--;
    return;
  }
  while (n > 0 && t->calls[n - 1].record != record)
    n--;
  if (n == 0)
    return;
  t->deeper = 0;
  for (bool innermost = true; t->n >= n; innermost = false) {
    const Call *call = &t->calls[--t->n];
    count_time (source_lines_place_at (self, call->place), call, e->date, innermost);
  }
  if (t->n > 0)
    t->calls[t->n - 1].counted = e->date;
}

static void
source_lines_bind (SourceLines *self)
{
  self->of = trace_source (self->source);
  g_clear_pointer (&self->acts, g_free);
  self->n_acts = self->of != NULL ? self->of->n_kinds : 0;
  self->acts = g_new (uint16_t, MAX (self->n_acts, 1));
  for (uint32_t i = 0; i < self->n_acts; i++)
    self->acts[i] = trace_acts (&self->of->kinds[i]);
}

static inline void
source_lines_step (SourceLines *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source)) {
    if (!stats_follow_trace ((EveComponent *) self, &self->source, e->source))
      return;
    source_lines_bind (self);
  }
  self->date = e->date;
  Stack *t = source_lines_stack_of (self, e->task);
  if (G_UNLIKELY (e->kind >= self->n_acts && self->of != NULL && self->of->n_kinds > self->n_acts))
    source_lines_bind (self);
  if (t == NULL || e->kind >= self->n_acts)
    return;
  uint16_t acts = self->acts[e->kind];
  bool ends = e->flags & TRACE_END;
  if (acts & TRACE_ACT_LEAVE)
    source_lines_end (self, t, e, ENTERED);
  if (acts & TRACE_ACT_ENTER && !ends)
    source_lines_enter (self, t, e, true);
  else if (acts & TRACE_ACT_CALL && ends)
    source_lines_end (self, t, e, (int64_t) e->record);
  else if (acts & TRACE_ACT_CALL)
    source_lines_enter (self, t, e, false);
}

static void
source_lines_fire (EveComponent *c)
{
  source_lines_step ((SourceLines *) c, eve_take (eve_base (c)->in[0]));
}

static void
source_lines_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    source_lines_step ((SourceLines *) c, &e[i]);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

/* What the places have at a date: calls under way count as far as they have come. */
typedef struct Sums {
  const SourceLines *self;
  Place *at;       /* by place, of whose texts they are */
  uint32_t *order; /* places, what took longest by itself first */
  uint32_t n;
  int64_t all;       /* ticks in all calls */
  const char *state; /* what the model calls the state of a task */
} Sums;

static char *
source_lines_name_of (const Place *p)
{
  return p->file ? g_strdup_printf ("%s:%u", p->file, p->line) : g_strdup ("no line");
}

static int
by_alone_time (gconstpointer a, gconstpointer b, gpointer sums)
{
  const Sums *s = sums;
  uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
  const Place *x = &s->at[i], *y = &s->at[k];

  if (x->alone != y->alone)
    return x->alone < y->alone ? 1 : -1;
  if (x->time != y->time)
    return x->time < y->time ? 1 : -1;
  if (x->calls != y->calls)
    return x->calls < y->calls ? 1 : -1;
  int order = g_strcmp0 (x->file, y->file);
  order = order ? order : (x->line > y->line) - (x->line < y->line);
  return order ? order : (i > k) - (i < k);
}

static Sums
source_lines_sum_up (const SourceLines *self, int64_t date)
{
  Sums s = { .self = self,
             .n = self->places->len,
             .state = stats_state_name ((const EveComponent *) self, self->source) };

  s.at = g_memdup2 (self->places->data, MAX (s.n, 1) * sizeof *s.at);
  s.order = g_new (uint32_t, MAX (s.n, 1));
  for (uint32_t i = 0; i < self->n_stacks; i++) {
    const Stack *t = &self->stacks[i];
    for (uint32_t k = 0; k < t->n; k++)
      count_time (&s.at[t->calls[k].place], &t->calls[k], date, k + 1 == t->n);
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < s.n; i++) {
    s.all = trace_sum (s.all, s.at[i].alone);
    if (s.at[i].calls > 0) /* of a range some have none */
      s.order[n++] = i;
  }
  s.n = n;
  g_qsort_with_data (s.order, (gint) s.n, sizeof *s.order, by_alone_time, &s);
  return s;
}

static void
sums_clear (Sums *s)
{
  g_free (s->at);
  g_free (s->order);
}

static double
source_lines_in_seconds (const SourceLines *self, int64_t ticks)
{
  const TraceSource *s = trace_source (self->source);

  return s ? trace_clock_seconds (&s->clock, ticks) : (double) ticks;
}

static double
source_lines_share (const Sums *s, int64_t ticks)
{
  return s->all > 0 ? 100 * (double) ticks / (double) s->all : 0;
}

static const StatsColumn columns[] = {
  { "place", NULL, STATS_CELL_TEXT },  { "function", NULL, STATS_CELL_TEXT }, { "call", NULL, STATS_CELL_TEXT },
  { "calls", NULL, STATS_CELL_WHOLE }, { "alone", "s", STATS_CELL_REAL },     { "of all", "%", STATS_CELL_REAL },
  { "time", "s", STATS_CELL_REAL },    { "mean", "s", STATS_CELL_REAL },      { "longest", "s", STATS_CELL_REAL },
};
enum { PLACE, FUNCTION, CALL, CALLS, ALONE, SHARE, TIME, MEAN, LONGEST };

/* As a simulator names what tasks are inside of. */
static TraceRef
call_ref (const Sums *s, const Place *p)
{
  return p->kind != OTHERS ? trace_ref_value (s->state, p->call) : (TraceRef){ 0 };
}

static StatsTable *
lines_table (const Sums *s)
{
  StatsTable *t = stats_table_new ("Lines of the source", columns, G_N_ELEMENTS (columns), s->n);

  t->date = s->self->date;
  t->source = s->self->source;
  for (uint32_t i = 0; i < s->n; i++) {
    const Place *p = &s->at[s->order[i]];
    g_autofree char *name = source_lines_name_of (p);
    stats_table_set_text (t, i, PLACE, name);
    stats_table_set_text (t, i, FUNCTION, p->function ? p->function : "");
    stats_table_set_text (t, i, CALL, p->call);
    stats_cell (t, i, CALLS)->whole = p->calls;
    stats_cell (t, i, TIME)->real = source_lines_in_seconds (s->self, p->time);
    stats_cell (t, i, SHARE)->real = source_lines_share (s, p->alone);
    stats_cell (t, i, ALONE)->real = source_lines_in_seconds (s->self, p->alone);
    if (p->calls > 0)
      stats_cell (t, i, MEAN)->real = source_lines_in_seconds (s->self, p->time) / (double) p->calls;
    stats_cell (t, i, LONGEST)->real = source_lines_in_seconds (s->self, p->longest);
    stats_table_set_owner (t, i, call_ref (s, p), (TraceRef){ 0 });
  }
  return t;
}

/* A file, a function, or a call, of the tree. */
typedef struct Branch {
  int64_t alone, calls;
  uint32_t place; /* one that is in it */
} Branch;

static int
by_alone (gconstpointer a, gconstpointer b, gpointer branches)
{
  const Branch *of = branches, *x = &of[*(const uint32_t *) a], *y = &of[*(const uint32_t *) b];

  if (x->alone != y->alone)
    return x->alone < y->alone ? 1 : -1;
  if (x->calls != y->calls)
    return x->calls < y->calls ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static const StatsColumn of_tree[] = {
  { "place", NULL, STATS_CELL_TEXT }, { "depth", NULL, STATS_CELL_WHOLE }, { "time", "s", STATS_CELL_REAL },
  { "of all", "%", STATS_CELL_REAL }, { "calls", NULL, STATS_CELL_WHOLE },
};

static void
add_branch (GArray *branches, StatsPaths *paths, uint32_t *path, uint32_t label, const Sums *s, uint32_t place)
{
  uint32_t found = stats_paths_find (paths, *path, label);

  if (found == STATS_NO_PATH) {
    g_array_append_val (branches, ((Branch){ .place = place }));
    found = stats_paths_add (paths, *path, label);
  }
  Branch *b = &g_array_index (branches, Branch, found);
  b->alone = trace_sum (b->alone, s->at[place].alone);
  b->calls = trace_sum (b->calls, s->at[place].calls);
  *path = found;
}

/* The number of a text, 0 for none. */
static uint32_t
source_lines_number_of (GHashTable *texts, const char *text)
{
  if (!text)
    return 0;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (texts, text));
  if (n == 0)
    g_hash_table_insert (texts, (gpointer) text, GUINT_TO_POINTER (n = g_hash_table_size (texts) + 1));
  return n;
}

static bool
source_lines_is_call (const Sums *s, const Branch *b, uint32_t depth)
{
  return depth == (s->at[b->place].file ? 2 : 1);
}

static char *
branch_name (const Sums *s, const Branch *b, uint32_t depth)
{
  const Place *p = &s->at[b->place];

  if (depth == 0)
    return g_strdup (p->file ? p->file : "no line");
  if (depth == 1)
    return g_strdup (!p->file ? p->call : p->function ? p->function : "no function");
  return g_strdup_printf ("%u: %s", p->line, p->call);
}

/* Time is what calls have alone: so what is in a file, or in a function, is the sum of what is in it. */
static StatsTable *
source_lines_tree_table (const Sums *s)
{
  g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) branches = g_array_new (FALSE, FALSE, sizeof (Branch));
  StatsPaths paths = { 0 };

  for (uint32_t i = 0; i < s->self->places->len; i++) {
    const Place *p = &s->at[i];
    uint32_t path = STATS_NO_PATH;
    if (p->calls == 0)
      continue;
    add_branch (branches, &paths, &path, source_lines_number_of (texts, p->file), s, i);
    add_branch (branches, &paths, &path, p->file ? source_lines_number_of (texts, p->function) : i, s, i);
    if (p->file)
      add_branch (branches, &paths, &path, i, s, i);
  }
  StatsPathOrder order = stats_paths_order (&paths, by_alone, branches->data);
  StatsTable *t = stats_table_new ("Source", of_tree, G_N_ELEMENTS (of_tree), paths.n);
  t->date = s->self->date;
  t->source = s->self->source;
  for (uint32_t i = 0; i < paths.n; i++) {
    const Branch *b = &g_array_index (branches, Branch, order.paths[i]);
    g_autofree char *name = branch_name (s, b, order.depth[order.paths[i]]);
    stats_table_set_text (t, i, 0, name);
    stats_cell (t, i, 1)->whole = order.depth[order.paths[i]];
    stats_cell (t, i, 2)->real = source_lines_in_seconds (s->self, b->alone);
    stats_cell (t, i, 3)->real = source_lines_share (s, b->alone);
    stats_cell (t, i, 4)->whole = b->calls;
    stats_table_set_owner (t, i,
                           source_lines_is_call (s, b, order.depth[order.paths[i]]) ? call_ref (s, &s->at[b->place])
                                                                                    : trace_ref_value ("Place", name),
                           (TraceRef){ 0 });
  }
  stats_path_order_clear (&order);
  stats_paths_clear (&paths);
  return t;
}

static void
source_lines_give (SourceLines *self, int64_t date)
{
  self->until = date;
  if (!self->lines)
    return;
  Sums s = source_lines_sum_up (self, date);
  if (eve_out_connected (self->base.out[0]))
    eve_emit_steal (self->base.out[0], &(StatsTable *){ lines_table (&s) });
  if (eve_out_connected (self->base.out[1]))
    eve_emit_steal (self->base.out[1], &(StatsTable *){ source_lines_tree_table (&s) });
  sums_clear (&s);
  eve_status ((EveComponent *) self, P_ ("%u place", "%u places", self->places->len), self->places->len);
}

static bool
source_lines_at_rest (EveComponent *c, int64_t now)
{
  SourceLines *self = (SourceLines *) c;

  source_lines_give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
source_lines_at_end (EveComponent *c)
{
  SourceLines *self = (SourceLines *) c;
  const TraceSource *s = trace_source (self->source);

  if (!self->lines && self->source != 0 && !self->told)
    eve_warn (
        c, _ ("This trace does not tell in which lines of the source calls stand; tape-pvm, tape-mpi and tape-threads "
              "record them of programs that were compiled with -g."));
  if (self->beyond > 0 && !self->told)
    eve_warn (c,
              _ ("%" PRIu64 " calls stand at more places than the %u that are kept apart, and are counted as others."),
              self->beyond, MOST_PLACES);
  self->told = true;
  source_lines_give (self, s ? MAX (self->date, s->last) : self->date);
  return true;
}

/* ---- in sentences ---------------------------------------------------------------------------------------------------------- */

/* "fft2d.c:212 (Recv) took 4.5 s of the 12.3 s that tasks spent in calls (36.2 %), in 128 calls." */
static char *
sentence (const Sums *s, uint32_t i)
{
  const Place *p = &s->at[s->order[i]];
  char time[48], all[48];
  g_autofree char *name = source_lines_name_of (p);

  trace_write_span (source_lines_in_seconds (s->self, p->alone), time, sizeof time);
  trace_write_span (source_lines_in_seconds (s->self, s->all), all, sizeof all);
  return g_strdup_printf (
      P_ ("%s (%s) took %s of the %s that tasks spent in calls (%.1f\u2009%%), in %" PRId64 " call.",
          "%s (%s) took %s of the %s that tasks spent in calls (%.1f\u2009%%), in %" PRId64 " calls.",
          (gulong) p->calls),
      name, p->call, time, all, source_lines_share (s, p->alone), p->calls);
}

static char *
source_lines_answer (EveComponent *c, const char *about)
{
  const SourceLines *self = (const SourceLines *) c;

  if (!g_str_equal (about, "lines"))
    return NULL;
  if (!self->lines)
    return self->source == 0 ? NULL
                             : g_strdup (_ ("This trace does not tell in which lines of the source calls stand."));
  Sums s = source_lines_sum_up (self, MAX (self->date, self->until));
  char *text = s.n > 0 ? sentence (&s, 0) : NULL;
  sums_clear (&s);
  return text;
}
static const StatsAnswer the_answer = { source_lines_answer };

#define TOLD 3

static void
source_lines_tell (EveComponent *c, void (*add_sentence) (void *to, const char *sentence), void *to)
{
  const SourceLines *self = (const SourceLines *) c;

  if (!self->lines)
    return;
  Sums s = source_lines_sum_up (self, MAX (self->date, self->until));
  for (uint32_t i = 0; i < MIN (s.n, TOLD); i++)
    if (s.at[s.order[i]].alone > 0) {
      g_autofree char *text = sentence (&s, i);
      add_sentence (to, text);
    }
  sums_clear (&s);
}
static const StatsFindings findings = { source_lines_tell };

static StatsTable *
source_lines_figures (EveComponent *c, uint32_t n)
{
  const SourceLines *self = (const SourceLines *) c;

  if (n > 0 || !self->lines)
    return NULL;
  Sums s = source_lines_sum_up (self, MAX (self->date, self->until));
  StatsTable *t = lines_table (&s);
  sums_clear (&s);
  return t;
}
static const StatsFigures the_figures = { source_lines_figures };

/* Of a range: what lasts counts from its first date on, and is a call of it. */
static void
source_lines_begin (EveComponent *c, int64_t date)
{
  SourceLines *self = (SourceLines *) c;

  for (guint i = 0; i < self->places->len; i++) {
    Place *p = source_lines_place_at (self, i);
    p->time = p->alone = p->longest = p->calls = 0;
  }
  for (uint32_t i = 0; i < self->n_stacks; i++)
    for (uint32_t k = 0; k < self->stacks[i].n; k++) {
      Call *call = &self->stacks[i].calls[k];
      call->since = MAX (call->since, date);
      call->counted = MAX (call->counted, date);
      if (!call->part)
        source_lines_place_at (self, call->place)->calls++;
    }
  self->beyond = 0;
  self->date = self->until = MAX (self->date, date);
}
static const TraceCounted source_lines_counted = { source_lines_begin };

static const void *
source_lines_query (EveComponent *c, const char *name)
{
  return g_str_equal (name, "findings/1")    ? (const void *) &findings
         : g_str_equal (name, "heading/1")   ? (const void *) _ ("Which lines of the source take the time")
         : g_str_equal (name, "answer/1")    ? (const void *) &the_answer
         : g_str_equal (name, "figures/1")   ? (const void *) &the_figures
         : g_str_equal (name, TRACE_COUNTED) ? (const void *) &source_lines_counted
                                             : NULL;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

static void
source_lines_reset (EveComponent *c)
{
  SourceLines *self = (SourceLines *) c;

  for (uint32_t i = 0; i < self->n_stacks; i++)
    g_free (self->stacks[i].calls);
  g_clear_pointer (&self->stacks, g_free);
  self->n_stacks = 0;
  g_hash_table_remove_all (self->known);
  g_array_set_size (self->places, 0);
  self->beyond = 0;
  self->date = self->until = INT64_MIN;
  self->source = 0;
  self->of = NULL;
  self->n_acts = 0;
  g_clear_pointer (&self->acts, g_free);
  self->lines = false;
}

static bool
source_lines_init (EveComponent *c)
{
  SourceLines *self = (SourceLines *) c;

  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_array_set_clear_func (self->places, clear_place);
  self->known = g_hash_table_new_full (hash_place, same_place, g_free, NULL);
  self->phase = g_string_new (NULL);
  source_lines_reset (c);
  return true;
}

static void
source_lines_finish (EveComponent *c)
{
  SourceLines *self = (SourceLines *) c;

  source_lines_reset (c);
  g_hash_table_unref (self->known);
  g_array_unref (self->places);
  g_string_free (self->phase, TRUE);
}

static bool
source_lines_changed (EveComponent *c, uint32_t setting)
{
  ((SourceLines *) c)->told = false;
  return true;
}

static void
source_lines_save (EveComponent *c, EveBlob *to)
{
  const SourceLines *self = (const SourceLines *) c;
  uint32_t n = self->n_stacks;

  eve_put_int (to, self->places->len);
  for (uint32_t i = 0; i < self->places->len; i++) {
    const Place *p = source_lines_place_at (self, i);
    eve_put_text (to, p->file ? p->file : "");
    eve_put_text (to, p->function ? p->function : "");
    eve_put_text (to, p->call);
    eve_put_ints (to, (const int64_t[]){ p->line, p->kind, p->time, p->alone, p->longest, p->calls }, 6);
  }
  while (n > 0 && self->stacks[n - 1].n == 0)
    n--;
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, self->stacks[i].n);
    eve_put_int (to, self->stacks[i].deeper);
    for (uint32_t k = 0; k < self->stacks[i].n; k++) {
      const Call *call = &self->stacks[i].calls[k];
      eve_put_ints (
          to, (const int64_t[]){ call->since, call->counted, call->record, call->place, call->inside, call->part }, 6);
    }
  }
  eve_put_int (to, (int64_t) self->beyond);
  eve_put_int (to, self->lines);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
load_places (SourceLines *self, EveBlobView *from)
{
  int64_t n = eve_get_int (from), v[6];

  if (!eve_get_ok (from) || n < 0 || n > (int64_t) MOST_PLACES + 1)
    return false;
  for (int64_t i = 0; i < n; i++) {
    g_autofree char *file = g_strdup (eve_get_text (from)), *function = g_strdup (eve_get_text (from)),
                    *call = g_strdup (eve_get_text (from));
    if (!call || !*call || eve_get_ints (from, v, 6) != 6 || v[0] < 0 || v[0] > UINT32_MAX || v[1] < 0
        || v[1] > UINT16_MAX)
      return false;
    Place key = { .file = file && *file ? file : NULL,
                  .function = function && *function ? function : NULL,
                  .call = call,
                  .line = (uint32_t) v[0],
                  .kind = (uint16_t) v[1] };
    if (find_place (self, &key) != i) /* one that is there already */
      return false;
    Place *p = source_lines_place_at (self, (uint32_t) i);
    p->time = v[2];
    p->alone = v[3];
    p->longest = v[4];
    p->calls = v[5];
  }
  return true;
}

static bool
source_lines_load_stack (SourceLines *self, uint32_t task, EveBlobView *from)
{
  int64_t n = eve_get_int (from), deeper = eve_get_int (from), v[6];
  Stack *t = source_lines_stack_of (self, task);

  if (!eve_get_ok (from) || n < 0 || n > MOST_DEPTH || deeper < 0 || deeper > (n == MOST_DEPTH ? UINT32_MAX : 0))
    return false;
  t->deeper = (uint32_t) deeper;
  t->calls = g_new (Call, MAX (n, 1));
  t->room = (uint32_t) MAX (n, 1);
  for (; t->n < n; t->n++) {
    if (eve_get_ints (from, v, 6) != 6 || v[3] < 0 || v[3] >= self->places->len)
      return false;
    t->calls[t->n] = (Call){ v[0], v[1], v[2], (uint32_t) v[3], v[4] != 0, v[5] != 0 };
  }
  return true;
}

static bool
source_lines_load (EveComponent *c, EveBlobView *from)
{
  SourceLines *self = (SourceLines *) c;

  source_lines_reset (c);
  if (!load_places (self, from))
    return false;
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!source_lines_load_stack (self, i, from))
      return false;
  self->beyond = (uint64_t) eve_get_int (from);
  self->lines = eve_get_int (from) != 0 && self->places->len > 0;
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  source_lines_bind (self);
  return eve_get_ok (from);
}

static const EveClass source_lines = {
  EVE_CLASS_HEAD,
  .id = "scope.source-lines",
  .label = "Source Lines",
  .category = "Analysis",
  .version = 1,
  .doc = "In which lines of the program's source tasks spend the time of their calls.",
  .help =
      "Connect the events of a reader whose traces tell where calls stand (tape-pvm, tape-mpi and tape-threads "
      "record it of "
      "programs that were compiled with -g), `lines` to a Table and `tree` to a Tree.\n\n"
      "A row of `lines` is a kind of call at a line, or a phase there: how often it was called, how long tasks were in "
      "it, *alone* without the calls inside of it and as *time* with them; of one inside of itself only the outermost "
      "counts there.  *of all* is the share of the time in all calls.\n\n"
      "What is called inside of such a call and has no line of its own is a part of it; other calls without a line are "
      "in the rows *no line*.  In `tree` files have functions, and these their calls, with the time that each has "
      "alone, "
      "so that sums are right.\n\n"
      "It is of the instant at which time stands still, or of the end.  Calls that last count as far as they have "
      "come.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (SourceLines),
  .init = source_lines_init,
  .finish = source_lines_finish,
  .reset = source_lines_reset,
  .changed = source_lines_changed,
  .fire = source_lines_fire,
  .fire_span = source_lines_fire_span,
  .at_end = source_lines_at_end,
  .at_rest = source_lines_at_rest,
  .save = source_lines_save,
  .load = source_lines_load,
  .query = source_lines_query,
};
EVE_PLUGIN (&source_lines);
