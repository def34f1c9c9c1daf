/* SPDX-License-Identifier: Apache-2.0 */
/* allocations.c - memory by the calls that led to its allocation: what lives at an instant, and all that there was.
 *
 * Of each path of calls only what was allocated in it itself is counted as events come; with what was allocated in
 * calls from it is a sum over the paths below, made when a table is given. */
#include <math.h>
#include <string.h>
#include "statistics/findings.h"
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/paths.h"

#define OTHERS (UINT32_MAX - 1) /* in the place of an object */
#define MOST_PATHS (1u << 20)
#define MOST_DEPTH 1024
#define MOST_TASKS (1u << 16)
#define KNOWN 8192 /* places in the file whose path is kept at hand */

typedef struct Counts {
  double live, allocated; /* bytes */
  int64_t blocks, allocations;
} Counts;

typedef struct Known {
  uint64_t record; /* + 1 */
  uint32_t task, path;
} Known;

typedef struct Allocations {
  EveBase base;
  int32_t roots; /* settings */
  bool each;
  int64_t most;
  StatsPaths paths; /* of objects; the outermost are the tasks */
  GArray *counts;   /* of Counts, by path */
  Known *known;
  bool counted;    /* allocations come one by one; else only how much more there is */
  uint64_t beyond; /* allocations that went into "others" */
  int64_t date;
  uint16_t source; /* 0: nothing has come */
  bool told;
} Allocations;

enum { OUTERMOST, ALLOCATING };
static const char *const roots[] = { "outermost call", "allocating call", NULL };

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true,
    .doc = "Events of a trace that tells allocations with the calls that led to them." },
};
static const EveOutSpec outs[] = {
  { "tree", &stats_type_table,
    .doc = "A row for each path of calls, each above those that are inside of it; `depth` tells how deep it is." },
  { "places", &stats_type_table,
    .doc = "A row for each place in the program, whatever it was called from; what most lives of first." },
};
enum { ROOTS, EACH, MOST };
static const EveField settings[] = {
  [ROOTS] = { "roots", EVE_F_CHOICE, offsetof (Allocations, roots), .choices = roots,
              .doc = "What the tree begins with: the outermost call, with what it calls inside of it, or the call that "
                     "allocates, with who called it inside." },
  [EACH] = { "each recursion", EVE_F_BOOL, offsetof (Allocations, each),
             .doc = "A place that is called directly from itself is one more level for each time; else once." },
  [MOST] = { "paths", EVE_F_INT64, offsetof (Allocations, most), .min = 16, .max = MOST_PATHS, .def = 65536,
             .doc = "So many paths are kept apart; what is allocated on further ones counts as others where they "
                    "part." },
};

/* ---- paths --------------------------------------------------------------------------------------------------------------- */

static inline Counts *
counts_of (const Allocations *self, uint32_t path)
{
  return &g_array_index (self->counts, Counts, path);
}

static uint32_t
allocations_path_inside (Allocations *self, uint32_t parent, uint32_t label)
{
  uint32_t path = stats_paths_find (&self->paths, parent, label);

  if (path == STATS_NO_PATH && parent != STATS_NO_PATH && self->paths.n >= self->most) {
    label = OTHERS;
    path = stats_paths_find (&self->paths, parent, label);
  }
  if (path == STATS_NO_PATH) {
    g_array_append_val (self->counts, ((Counts){ 0 }));
    path = stats_paths_add (&self->paths, parent, label);
  }
  return path;
}

/* What is below "others" is one of them. */
static uint32_t
path_of_calls (Allocations *self, const TraceEvent *e)
{
  uint32_t n, path = allocations_path_inside (self, STATS_NO_PATH, MIN (e->task, MOST_TASKS));
  const uint32_t *calls = trace_objects (e, &n);
  uint32_t depth = MIN (n, MOST_DEPTH);

  for (uint32_t i = 0; i < depth && self->paths.at[path].label != OTHERS; i++) {
    uint32_t call = calls[self->roots == ALLOCATING ? n - 1 - i : i];
    bool again = self->paths.at[path].parent != STATS_NO_PATH && self->paths.at[path].label == call;
    if (self->each || !again)
      path = allocations_path_inside (self, path, call);
  }
  return path;
}

/* Reading the calls of an event takes a look into the file; those that share them are at one place in it. */
static uint32_t
allocations_path_of (Allocations *self, const TraceEvent *e)
{
  Known *k = &self->known[(e->record * UINT64_C (0x9e3779b97f4a7c15) >> 32) % KNOWN];

  if (k->record != (uint64_t) e->record + 1 || k->task != e->task)
    *k = (Known){ (uint64_t) e->record + 1, e->task, path_of_calls (self, e) };
  return k->path;
}

/* ---- what comes ------------------------------------------------------------------------------------------------------------ */

static void
allocations_step (Allocations *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source) && !stats_follow_trace ((EveComponent *) self, &self->source, e->source))
    return;
  self->date = e->date;
  const TraceSource *s = trace_source (self->source);
  uint16_t acts = s != NULL && e->kind < s->n_kinds ? s->kinds[e->kind].acts : 0;
  if (!(acts & (TRACE_ACT_ALLOC | TRACE_ACT_FREE)) || e->task == TRACE_NONE)
    return;
  uint32_t path = allocations_path_of (self, e);
  Counts *n = counts_of (self, path);
  double bytes = e->flags & TRACE_REAL ? e->real : (double) e->size;
  if (!isfinite (bytes))
    return;
  self->beyond += self->paths.at[path].label == OTHERS && acts & TRACE_ACT_ALLOC && !(acts & TRACE_ACT_MARK);
  if (acts & TRACE_ACT_MARK) {
    n->live += bytes; /* and not how often */
    return;
  }
  self->counted = true;
  bytes = fabs (bytes);
  if (acts & TRACE_ACT_ALLOC) {
    n->live += bytes;
    n->allocated += bytes;
    n->blocks++;
    n->allocations++;
  } else {
    n->live -= bytes;
    n->blocks--;
  }
  if (n->blocks == 0)
    n->live = 0; /* and no rest of sums of fractions */
}

static void
allocations_fire (EveComponent *c)
{
  allocations_step ((Allocations *) c, eve_take (eve_base (c)->in[0]));
}

static void
allocations_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    allocations_step ((Allocations *) c, &e[i]);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

typedef struct Forest {
  const Allocations *self;
  StatsPathOrder order;
  Counts *all; /* by path, with what is inside of it */
  double live; /* of all */
} Forest;

static void
add_counts (Counts *to, const Counts *n)
{
  to->live += n->live;
  to->allocated += n->allocated;
  to->blocks += n->blocks;
  to->allocations += n->allocations;
}

static const char *
allocations_name_of (const Allocations *self, uint32_t path)
{
  const StatsPath *p = &self->paths.at[path];
  const TraceSource *s = trace_source (self->source);

  if (p->parent == STATS_NO_PATH)
    return p->label >= MOST_TASKS ? "others" : s != NULL ? trace_task_name (s, p->label) : "?";
  return p->label == OTHERS ? "others" : s != NULL ? trace_object_id (s, p->label) : "?";
}

static int
compare_counts (const Counts *a, const Counts *b)
{
  if (a->live != b->live)
    return a->live < b->live ? 1 : -1;
  return a->allocated != b->allocated ? (a->allocated < b->allocated ? 1 : -1) : 0;
}

static int
by_counts (gconstpointer a, gconstpointer b, gpointer forest)
{
  const Forest *f = forest;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int order = compare_counts (&f->all[x], &f->all[y]);

  return order != 0 ? order : strcmp (allocations_name_of (f->self, x), allocations_name_of (f->self, y));
}

static Forest
allocations_gather (const Allocations *self)
{
  uint32_t n = self->paths.n;
  Forest f = { .self = self, .all = g_new0 (Counts, MAX (n, 1)) };

  for (uint32_t i = n; i-- > 0;) {
    uint32_t parent = self->paths.at[i].parent;
    add_counts (&f.all[i], counts_of (self, i));
    if (parent != STATS_NO_PATH)
      add_counts (&f.all[parent], &f.all[i]);
    else
      f.live += f.all[i].live;
  }
  f.order = stats_paths_order (&self->paths, by_counts, &f);
  return f;
}

/* What columns of both tables tell; the tree has `depth` behind the first. */
static const StatsColumn columns[] = {
  { "place", NULL, STATS_CELL_TEXT },    { "depth", NULL, STATS_CELL_WHOLE },
  { "live", "B", STATS_CELL_REAL },      { "of all", "%", STATS_CELL_REAL },
  { "own live", "B", STATS_CELL_REAL },  { "blocks", NULL, STATS_CELL_WHOLE },
  { "allocated", "B", STATS_CELL_REAL }, { "allocations", NULL, STATS_CELL_WHOLE },
};
enum { LIVE, SHARE, OWN, BLOCKS, ALLOCATED, TIMES };

static void
allocations_fill (const Forest *f, StatsTable *t, uint32_t row, uint32_t k, uint32_t path, const Counts *n, double own)
{
  const StatsPath *p = &f->self->paths.at[path];

  stats_table_set_text (t, row, 0, allocations_name_of (f->self, path));
  stats_cell (t, row, k + LIVE)->real = n->live;
  if (f->live > 0)
    stats_cell (t, row, k + SHARE)->real = 100 * n->live / f->live;
  stats_cell (t, row, k + OWN)->real = own;
  if (f->self->counted) {
    stats_cell (t, row, k + BLOCKS)->whole = n->blocks;
    stats_cell (t, row, k + ALLOCATED)->real = n->allocated;
    stats_cell (t, row, k + TIMES)->whole = n->allocations;
  }
  if (p->label != OTHERS && (p->parent != STATS_NO_PATH || p->label < MOST_TASKS))
    stats_table_set_owner (t, row,
                           p->parent == STATS_NO_PATH ? trace_ref_task (f->self->source, p->label)
                                                      : trace_ref_value ("Place", allocations_name_of (f->self, path)),
                           (TraceRef){ 0 });
}

/* There is something to tell of a path. */
static bool
has_row (const Forest *f, uint32_t path)
{
  return f->all[path].live > 0 || f->all[path].allocations > 0;
}

static StatsTable *
allocations_begin_table (const Allocations *self, const char *title, const StatsColumn *of, uint32_t n_columns,
                         uint32_t n)
{
  StatsTable *t = stats_table_new (title, of, n_columns, n);

  t->date = self->date;
  t->source = self->source;
  return t;
}

static void
allocations_give_tree (Allocations *self, const Forest *f)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < self->paths.n; i++)
    n += has_row (f, i);
  StatsTable *t = allocations_begin_table (self, "Memory by calls", columns, G_N_ELEMENTS (columns), n);
  for (uint32_t i = 0, row = 0; i < self->paths.n; i++) {
    uint32_t path = f->order.paths[i];
    if (!has_row (f, path))
      continue;
    stats_cell (t, row, 1)->whole = f->order.depth[path];
    allocations_fill (f, t, row++, 2, path, &f->all[path], counts_of (self, path)->live);
  }
  eve_emit_steal (self->base.out[0], &t);
}

typedef struct Place { /* all paths that end with one object */
  Counts all;
  double own;
  uint32_t path; /* one of them */
} Place;

static int
by_own (gconstpointer a, gconstpointer b, gpointer self)
{
  const Place *x = a, *y = b;

  if (x->own != y->own)
    return x->own < y->own ? 1 : -1;
  int order = compare_counts (&x->all, &y->all);
  order = order != 0 ? order : strcmp (allocations_name_of (self, x->path), allocations_name_of (self, y->path));
  return order != 0 ? order : (x->path > y->path) - (x->path < y->path);
}

/* By place, sorted, of Place.  Of a call that is inside of itself only the outermost counts, but for what it has
 * itself. */
static GArray *
gather_places (const Allocations *self, const Forest *f)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL); /* by object: its place, + 1 */
  GArray *places = g_array_new (FALSE, TRUE, sizeof (Place));
  g_autofree bool *outermost = stats_paths_outermost (&self->paths, &f->order, false);

  for (uint32_t path = 0; path < self->paths.n; path++) {
    if (self->paths.at[path].parent == STATS_NO_PATH || !has_row (f, path))
      continue;
    gpointer key = GSIZE_TO_POINTER ((gsize) self->paths.at[path].label + 1);
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (rows, key));
    if (k == 0) {
      g_array_append_val (places, ((Place){ .path = path }));
      g_hash_table_insert (rows, key, GUINT_TO_POINTER (k = places->len));
    }
    Place *place = &g_array_index (places, Place, k - 1);
    place->own += counts_of (self, path)->live;
    if (outermost[path])
      add_counts (&place->all, &f->all[path]);
  }
  g_array_sort_with_data (places, by_own, (gpointer) self);
  return places;
}

static StatsTable *
places_table (const Allocations *self, const Forest *f)
{
  StatsColumn flat[G_N_ELEMENTS (columns) - 1];
  g_autoptr (GArray) places = gather_places (self, f);

  flat[0] = columns[0];
  memcpy (flat + 1, columns + 2, sizeof flat - sizeof *flat);
  StatsTable *t = allocations_begin_table (self, "Memory by place", flat, G_N_ELEMENTS (flat), places->len);
  for (uint32_t i = 0; i < places->len; i++) {
    const Place *place = &g_array_index (places, Place, i);
    allocations_fill (f, t, i, 1, place->path, &place->all, place->own);
  }
  return t;
}

static void
allocations_forest_clear (Forest *f)
{
  stats_path_order_clear (&f->order);
  g_free (f->all);
}

static void
allocations_give (Allocations *self)
{
  if (self->paths.n == 0)
    return;
  Forest f = allocations_gather (self);
  if (eve_out_connected (self->base.out[0]))
    allocations_give_tree (self, &f);
  if (eve_out_connected (self->base.out[1]))
    eve_emit_steal (self->base.out[1], &(StatsTable *){ places_table (self, &f) });
  allocations_forest_clear (&f);
  if (self->beyond > 0)
    eve_status ((EveComponent *) self, _ ("%u paths; %" PRIu64 " allocations are others"), self->paths.n, self->beyond);
  else
    eve_status ((EveComponent *) self, P_ ("%u path", "%u paths", self->paths.n), self->paths.n);
}

static bool
allocations_at_rest (EveComponent *c, int64_t now)
{
  allocations_give ((Allocations *) c);
  return true;
}

static bool
allocations_at_end (EveComponent *c)
{
  Allocations *self = (Allocations *) c;

  if (self->paths.n == 0 && self->source != 0 && !self->told)
    eve_warn (c, _ ("This trace tells no allocations: traces of memtrace, heaptrack and Massif do."));
  if (self->beyond > 0 && !self->told)
    eve_warn (c,
              _ ("%" PRIu64 " allocations came in more ways than the %" PRId64
                 " that are kept apart, and are counted as others; set *paths* for more."),
              self->beyond, self->most);
  self->told = true;
  allocations_give (self);
  return true;
}

/* ---- in sentences ---------------------------------------------------------------------------------------------------------- */

/* "Of 52.1 kB that live, 48.0 kB (92.1 %) were allocated at grab (leaky.c:7), 48.0 kB of it called from leak." */
static char *
who_has_it (Allocations *self)
{
  char all[32], own[32], way[32];

  if (self->paths.n == 0)
    return NULL;
  Forest f = allocations_gather (self);
  g_autoptr (GArray) places = gather_places (self, &f);
  const Place *first = places->len > 0 ? &g_array_index (places, Place, 0) : NULL;
  GString *text = g_string_new (NULL);
  trace_write_bytes (f.live, all, sizeof all);
  if (!first || !(first->own > 0) || !(f.live > 0)) {
    allocations_forest_clear (&f);
    return g_string_free (g_string_append (text, _ ("Nothing lives of what the calls have allocated.")), FALSE);
  }
  uint32_t most = first->path; /* the way that has the most of it */
  for (uint32_t i = 0; i < self->paths.n; i++)
    if (self->paths.at[i].parent != STATS_NO_PATH && self->paths.at[i].label == self->paths.at[most].label
        && counts_of (self, i)->live > counts_of (self, most)->live)
      most = i;
  trace_write_bytes (first->own, own, sizeof own);
  trace_write_bytes (counts_of (self, most)->live, way, sizeof way);
  g_string_append_printf (text, _ ("Of %s that live, %s (%.1f\u2009%%) were allocated by %s"), all, own,
                          100 * first->own / f.live, allocations_name_of (self, most));
  uint32_t caller = self->paths.at[most].parent;
  if (self->roots == OUTERMOST && self->paths.at[caller].parent != STATS_NO_PATH)
    g_string_append_printf (text, _ (", %s of it on one way, called from %s"), way, allocations_name_of (self, caller));
  g_string_append_c (text, '.');
  allocations_forest_clear (&f);
  return g_string_free (text, FALSE);
}

static char *
allocations_answer (EveComponent *c, const char *about)
{
  return g_str_equal (about, "memory") ? who_has_it ((Allocations *) c) : NULL;
}
static const StatsAnswer the_answer = { allocations_answer };

/* Whether allocations tell how many samples hit them: others, which none did, are not there. */
static bool
is_sampled (const TraceSource *s)
{
  for (uint32_t i = 0; s && i < s->n_kinds; i++)
    for (uint32_t k = 0; s->kinds[i].acts & TRACE_ACT_ALLOC && k < s->kinds[i].n_fields; k++)
      if (g_str_equal (s->kinds[i].fields[k].name, "samples"))
        return true;
  return false;
}

/* What it holds, and what made the most of it. */
static void
allocations_tell (EveComponent *c, void (*add) (void *to, const char *sentence), void *to)
{
  Allocations *self = (Allocations *) c;
  g_autofree char *first = who_has_it (self);
  char all[32], own[32];

  if (!first)
    return;
  add (to, first);
  if (!self->counted)
    return;
  uint32_t most = STATS_NO_PATH;
  double allocated = 0;
  int64_t times = 0;
  for (uint32_t i = 0; i < self->paths.n; i++) {
    allocated += counts_of (self, i)->allocated;
    times += counts_of (self, i)->allocations;
    if (self->paths.at[i].parent != STATS_NO_PATH
        && (most == STATS_NO_PATH || counts_of (self, i)->allocated > counts_of (self, most)->allocated))
      most = i;
  }
  if (most != STATS_NO_PATH && allocated > 0) {
    trace_write_bytes (allocated, all, sizeof all);
    trace_write_bytes (counts_of (self, most)->allocated, own, sizeof own);
    g_autofree char *second = g_strdup_printf (
        is_sampled (trace_source (self->source))
            ? _ ("In all, %s were allocated, as %" PRId64
                 " allocations that were sampled tell; %s of that (%.1f\u2009%%) on one way, by %s.")
            : _ ("In all, %s were allocated in %" PRId64 " pieces; %s of that (%.1f\u2009%%) on one way, by %s."),
        all, times, own, 100 * counts_of (self, most)->allocated / allocated, allocations_name_of (self, most));
    add (to, second);
  }
}
static const StatsFindings findings = { allocations_tell };

static StatsTable *
allocations_figures (EveComponent *c, uint32_t n)
{
  Allocations *self = (Allocations *) c;

  if (n > 0 || self->paths.n == 0)
    return NULL;
  Forest f = allocations_gather (self);
  StatsTable *t = places_table (self, &f);
  allocations_forest_clear (&f);
  return t;
}
static const StatsFigures the_figures = { allocations_figures };

static const void *
allocations_query (EveComponent *c, const char *name)
{
  return g_str_equal (name, "findings/1")  ? (const void *) &findings
         : g_str_equal (name, "heading/1") ? (const void *) _ ("Who has the memory")
         : g_str_equal (name, "answer/1")  ? (const void *) &the_answer
         : g_str_equal (name, "figures/1") ? (const void *) &the_figures
                                           : NULL;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

static void
allocations_reset (EveComponent *c)
{
  Allocations *self = (Allocations *) c;

  stats_paths_clear (&self->paths);
  g_array_set_size (self->counts, 0);
  memset (self->known, 0, KNOWN * sizeof *self->known);
  self->counted = false;
  self->beyond = 0;
  self->date = INT64_MIN;
  self->source = 0;
}

static bool
allocations_init (EveComponent *c)
{
  Allocations *self = (Allocations *) c;

  self->counts = g_array_new (FALSE, FALSE, sizeof (Counts));
  self->known = g_new0 (Known, KNOWN);
  allocations_reset (c);
  return true;
}

static void
allocations_finish (EveComponent *c)
{
  Allocations *self = (Allocations *) c;

  stats_paths_clear (&self->paths);
  g_array_unref (self->counts);
  g_free (self->known);
}

static bool
allocations_changed (EveComponent *c, uint32_t setting)
{
  ((Allocations *) c)->told = false;
  return true;
}

static void
allocations_save (EveComponent *c, EveBlob *to)
{
  const Allocations *self = (const Allocations *) c;

  eve_put_int (to, self->paths.n);
  for (uint32_t i = 0; i < self->paths.n; i++) {
    const StatsPath *p = &self->paths.at[i];
    const Counts *n = counts_of (self, i);
    eve_put_int (to, p->parent == STATS_NO_PATH ? -1 : (int64_t) p->parent);
    eve_put_int (to, p->label);
    eve_put_double (to, n->live);
    eve_put_double (to, n->allocated);
    eve_put_int (to, n->blocks);
    eve_put_int (to, n->allocations);
  }
  eve_put_int (to, self->counted);
  eve_put_int (to, (int64_t) self->beyond);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
allocations_load (EveComponent *c, EveBlobView *from)
{
  Allocations *self = (Allocations *) c;

  allocations_reset (c);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > 2 * (int64_t) MOST_PATHS + MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t parent = eve_get_int (from), label = eve_get_int (from);
    Counts counts;
    counts.live = eve_get_double (from);
    counts.allocated = eve_get_double (from);
    counts.blocks = eve_get_int (from);
    counts.allocations = eve_get_int (from);
    if (!eve_get_ok (from) || parent < -1 || parent >= i || label < 0 || label > OTHERS || !isfinite (counts.live)
        || !isfinite (counts.allocated))
      return false;
    g_array_append_val (self->counts, counts);
    stats_paths_add (&self->paths, parent < 0 ? STATS_NO_PATH : (uint32_t) parent, (uint32_t) label);
  }
  self->counted = eve_get_int (from) != 0;
  self->beyond = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

static const EveClass allocations = {
  EVE_CLASS_HEAD,
  .id = "scope.allocations",
  .label = "Allocations",
  .category = "Analysis",
  .version = 1,
  .doc = "How much memory lives, and was allocated, by the calls that led to it.",
  .help =
      "Connect the events of a reader whose traces tell allocations with their calls (memtrace, heaptrack, Massif), "
      "and `tree` to a Tree (a flame graph, or a table that can be opened), `places` to a Table.\n\n"
      "*live* is what has been allocated and not freed at the instant at which time stands still, in a path of calls "
      "and in all that was called from there, *own live* without the latter; *blocks* is how many pieces that are, "
      "*allocated* and *allocations* all that there ever were until then.  In `places`, which has a row for each place "
      "whatever it was called from, only the outermost of a call inside of itself counts.  A place that calls itself "
      "directly is one level, unless *each recursion* is set.\n\n"
      "Where a trace has samples, all is estimated from them.  Where it only tells now and then how much there is "
      "(Massif), only what lives is known, as it was told last.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Allocations),
  .init = allocations_init,
  .finish = allocations_finish,
  .reset = allocations_reset,
  .changed = allocations_changed,
  .fire = allocations_fire,
  .fire_span = allocations_fire_span,
  .at_end = allocations_at_end,
  .at_rest = allocations_at_rest,
  .save = allocations_save,
  .load = allocations_load,
  .query = allocations_query,
};
EVE_PLUGIN (&allocations);
