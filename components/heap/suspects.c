/* SPDX-License-Identifier: Apache-2.0 */
/* suspects.c - which classes of blocks have grown from snapshot to snapshot until the instant that is looked at, and
 * who keeps their blocks in the last one.
 *
 * How large classes were is in the events; only the last snapshot is read, for who keeps what. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "components/heap/snapshot.h"
#include "eve/words.h"
#include "readers/reader.h"
#include "statistics/findings.h"
#include "statistics/graph.h"

#define MOST_ROWS 200
#define MOST_TASKS (1u << 20)

typedef struct Grown { /* a class, by its task */
  double first, before, now;
  int64_t grew; /* in so many steps, without that to `now` */
} Grown;

typedef struct Suspect {
  const char *name; /* of the trace */
  double first, now;
  int64_t grew;
} Suspect;

typedef struct Suspects {
  SnapshotBase at;
  int64_t rows;         /* setting */
  uint16_t source;      /* of which `grown` is */
  uint16_t known;       /* of which are: */
  uint32_t kind, words; /* the kind of event that says what a class is, and the object that stands for its words */
  uint32_t of_class;    /* type of the tasks that are classes */
  int64_t n_shots;
  GArray *grown;        /* of Grown, by task */
  GPtrArray *sentences; /* of char *; made with the tables */
} Suspects;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[] = {
  { "suspects", &stats_type_table,
    .doc = "A row for each class that has become larger, and in two of three steps from snapshot to snapshot; that "
           "which grew most first." },
  { "keepers", &stats_type_table,
    .doc = "Of each of them the way down to who keeps four fifths of it; `depth` tells how far it is." },
};
static const EveField settings[] = {
  { "rows", EVE_F_INT64, offsetof (Suspects, rows), .min = 1, .max = MOST_ROWS, .def = 20,
    .doc = "So many classes at most, those that grew most." },
};

enum { SUSPECTS, KEEPERS };

static const StatsColumn columns[] = {
  { "class", NULL, STATS_CELL_TEXT },   { "growth", "words", STATS_CELL_WHOLE },
  { "kept by", NULL, STATS_CELL_TEXT }, { "kept together", "%", STATS_CELL_REAL },
  { "grew", "%", STATS_CELL_REAL },     { "from", "words", STATS_CELL_WHOLE },
  { "to", "words", STATS_CELL_WHOLE },  { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};
enum { CLASS, GROWTH, KEPT_BY, KEPT, GREW, FROM, TO, TYPE };
static const StatsColumn way_columns[] = {
  { "block", NULL, STATS_CELL_TEXT },
  { "depth", NULL, STATS_CELL_WHOLE },
  { "retained", "words", STATS_CELL_WHOLE },
  { "own words", "words", STATS_CELL_WHOLE },
  { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};

/* ---- what comes ------------------------------------------------------------------------------------------------------------ */

static void
suspects_look_up (Suspects *self, uint16_t number)
{
  const TraceSource *s = trace_source (number);

  self->known = number;
  self->kind = self->words = self->of_class = TRACE_NONE;
  for (uint32_t i = 0; s && i < s->types->len; i++) {
    const TraceType *t = s->types->pdata[i];
    if (t->kind == TRACE_ENTITY && g_str_equal (t->name, "Class"))
      self->of_class = i;
    else if (t->kind == TRACE_VARIABLE && g_str_equal (t->name, "words") && t->parent == self->of_class
             && self->of_class != TRACE_NONE)
      self->words = t->object;
  }
  for (uint32_t k = 0; s && k < s->n_kinds; k++)
    if (s->kinds[k].acts & TRACE_ACT_SET)
      self->kind = k;
}

static Grown *
grown_of (Suspects *self, uint32_t task)
{
  if (task >= self->grown->len)
    g_array_set_size (self->grown, task + 1);
  return &g_array_index (self->grown, Grown, task);
}

/* What a snapshot has told is whole. */
static void
end_of_shot (Suspects *self)
{
  for (guint i = 0; i < self->grown->len; i++) {
    Grown *g = &g_array_index (self->grown, Grown, i);
    g->grew += self->n_shots > 1 && g->now > g->before;
    if (self->n_shots == 1)
      g->first = g->now;
    g->before = g->now;
  }
}

static void
suspects_step (Suspects *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source) && !stats_follow_trace ((EveComponent *) self, &self->source, e->source))
    return;
  if (G_UNLIKELY (e->source != self->known))
    suspects_look_up (self, e->source);
  if (e->kind == self->kind) {
    double words = e->flags & TRACE_REAL ? e->real : (double) e->size;
    if (e->object == self->words && e->task < MOST_TASKS && isfinite (words) && self->words != TRACE_NONE) {
      grown_of (self, e->task)->now = words;
      g_clear_pointer (&self->at.shown, g_free); /* what was made in the midst of the snapshot told too little */
    }
    self->at.last.date = e->date;
  } else if (snapshot_take (&self->at.last, e)) {
    if (self->n_shots > 0)
      end_of_shot (self);
    self->n_shots++;
  }
}

static void
suspects_fire (EveComponent *c)
{
  suspects_step ((Suspects *) c, eve_take (eve_base (c)->in[0]));
}

static void
suspects_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    suspects_step ((Suspects *) c, &e[i]);
}

/* ---- what it tells ----------------------------------------------------------------------------------------------------------- */

static int
suspects_by_growth (gconstpointer a, gconstpointer b)
{
  const Suspect *x = a, *y = b;
  double m = x->now - x->first, n = y->now - y->first;

  return m != n ? (m > n ? -1 : 1) : strcmp (x->name, y->name);
}

static GArray *
heap_suspects_of (Suspects *self)
{
  const TraceSource *s = trace_source (self->source);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Suspect));

  if (self->source != self->known)
    suspects_look_up (self, self->source);
  for (guint i = 0; s && i < MIN (self->grown->len, s->tasks->len); i++) {
    const Grown *g = &g_array_index (self->grown, Grown, i);
    const TraceTask *t = s->tasks->pdata[i];
    Suspect one = { t->id, self->n_shots > 1 ? g->first : g->now, g->now,
                    g->grew + (self->n_shots > 1 && g->now > g->before) };
    if (t->type == self->of_class && t->id && one.first >= 0 && one.now >= 0
        && heap_leaks ((uint64_t) one.first, (uint64_t) one.now, (uint64_t) one.grew, (uint64_t) self->n_shots - 1))
      g_array_append_val (all, one);
  }
  g_array_sort (all, suspects_by_growth);
  return all;
}

/* "globals > Leak > tag 0, 4 fields #17"; `brief`: without what is between the module, or the category, and the end. */
static char *
way_name (const HeapGraph *h, const GArray *way, bool brief)
{
  GString *text = g_string_new (NULL);
  guint begin = brief && way->len > 2 && h->node[g_array_index (way, uint32_t, 2)] >= h->n_blocks ? 2 : 1;

  for (guint i = begin; i < way->len; i++) {
    uint32_t node = h->node[g_array_index (way, uint32_t, i)];
    if (brief && i > begin && i + 1 < way->len) {
      if (i == begin + 1)
        g_string_append (text, " > …");
      continue;
    }
    g_string_append_printf (text, "%s%s", i > begin ? " > " : "", heap_node_name (h, node));
    if (node < h->n_blocks)
      g_string_append_printf (text, " #%u", node);
  }
  return g_string_free (text, FALSE);
}

typedef struct Telling {
  Suspects *self;
  const HeapGraph *h;
  GArray *ways; /* of GArray *, by suspect; NULL: it is in no class of the snapshot */
} Telling;

static void
suspects_tell_one (Telling *t, uint32_t row, const Suspect *s)
{
  Suspects *self = t->self;
  StatsTable *table = self->at.things[SUSPECTS];
  uint32_t class = heap_class_named (t->h, s->name);
  uint64_t words = 0, below = 0;
  g_autoptr (GError) error = NULL;
  GArray *way = class != TRACE_NONE ? heap_gathers (t->h, class, HEAP_MOSTLY, &words, &below, &error) : NULL;
  double steps = (double) (self->n_shots - 1), kept = words > 0 ? 100 * (double) below / (double) words : 0;

  if (error)
    eve_warn ((EveComponent *) self, "%s", error->message);
  g_array_append_val (t->ways, way);
  stats_table_set_name (table, row, CLASS, s->name);
  stats_cell (table, row, GROWTH)->whole = (int64_t) (s->now - s->first);
  stats_cell (table, row, FROM)->whole = (int64_t) s->first;
  stats_cell (table, row, TO)->whole = (int64_t) s->now;
  stats_cell (table, row, GREW)->real = 100 * (double) s->grew / steps;
  stats_table_set_owner (table, row, snapshot_class_ref (&self->at.last, s->name), (TraceRef){ 0 });
  GString *text = g_string_new (NULL);
  g_string_append_printf (
      text, _ ("%s grew from %.0f to %.0f words over %" PRId64 " snapshots, in %" PRId64 " of %.0f steps"), s->name,
      s->first, s->now, self->n_shots, s->grew, steps);
  if (way && way->len > 1) {
    g_autofree char *name = way_name (t->h, way, false), *brief = way_name (t->h, way, true);
    stats_cell (table, row, KEPT)->real = kept;
    stats_table_set_name (table, row, KEPT_BY, brief);
    g_string_append_printf (text, _ ("; %.0f\u2009%% of it is kept by %s"), kept, name);
  } else if (way) {
    stats_table_set_text (table, row, KEPT_BY, _ ("several"));
  }
  if (class != TRACE_NONE)
    stats_table_set_text (table, row, TYPE, heap_sure_names[g_array_index (t->h->classes, HeapClass, class).sure]);
  g_ptr_array_add (self->sentences, g_string_free (g_string_append_c (text, '.'), FALSE));
}

static StatsTable *
ways_table (Telling *t, const GArray *all)
{
  uint32_t n = 0, row = 0;

  for (guint i = 0; i < t->ways->len; i++) {
    const GArray *way = g_array_index (t->ways, GArray *, i);
    n += way ? way->len : 1; /* the top of a way is not told, the class is */
  }
  StatsTable *table = stats_table_new ("Who keeps what grows", way_columns, G_N_ELEMENTS (way_columns), n);
  for (guint i = 0; i < t->ways->len; i++) {
    const GArray *way = g_array_index (t->ways, GArray *, i);
    const Suspect *s = &g_array_index (all, Suspect, i);
    stats_table_set_name (table, row, 0, s->name);
    stats_cell (table, row, 1)->whole = 0;
    stats_cell (table, row, 3)->whole = (int64_t) s->now;
    stats_table_set_owner (table, row, snapshot_class_ref (&t->self->at.last, s->name), (TraceRef){ 0 });
    uint32_t head = row++;
    for (guint k = 1; way && k < way->len; k++, row++) {
      uint32_t place = g_array_index (way, uint32_t, k), node = t->h->node[place];
      g_autofree char *name = node < t->h->n_blocks ? g_strdup_printf ("%s #%u", heap_node_name (t->h, node), node)
                                                    : g_strdup (heap_node_name (t->h, node));
      stats_table_set_name (table, row, 0, name);
      stats_cell (table, row, 1)->whole = k;
      stats_cell (table, row, 2)->whole = (int64_t) t->h->retained[place];
      stats_cell (table, row, 3)->whole = node < t->h->n_heap ? t->h->words[node] : 0;
      stats_table_set_text (table, row, 4, heap_sure_names[heap_node_sure (t->h, node)]);
      snapshot_set_owner (table, row, &t->self->at.last, t->h, node, true);
    }
    uint32_t class = heap_class_named (t->h, s->name);
    if (class != TRACE_NONE)
      stats_cell (table, head, 2)->whole = (int64_t) g_array_index (t->h->classes, HeapClass, class).retained;
  }
  return table;
}

static void
suspects_make (EveComponent *c, HeapGraph *h)
{
  Suspects *self = (Suspects *) c;
  g_autoptr (GArray) all = self->n_shots > 1 ? heap_suspects_of (self) : NULL;

  g_ptr_array_set_size (self->sentences, 0);
  if (!h) {
    const char *why = all ? _ ("No class grows in two of three steps between the snapshots so far.")
                          : _ ("What grows is seen from two snapshots on.");
    self->at.things[SUSPECTS] = snapshot_sentence (columns, G_N_ELEMENTS (columns), "What grows", why);
    self->at.things[KEEPERS] = snapshot_sentence (way_columns, G_N_ELEMENTS (way_columns), "Who keeps what grows", why);
    return;
  }
  g_autoptr (GArray) ways = g_array_new (FALSE, FALSE, sizeof (GArray *));
  Telling t = { self, h, ways };
  if (all->len > self->rows)
    g_array_set_size (all, (guint) self->rows);
  self->at.things[SUSPECTS] = stats_table_new ("What grows", columns, G_N_ELEMENTS (columns), all->len);
  for (guint i = 0; i < all->len; i++)
    suspects_tell_one (&t, i, &g_array_index (all, Suspect, i));
  self->at.things[KEEPERS] = ways_table (&t, all);
  for (guint i = 0; i < ways->len; i++)
    if (g_array_index (ways, GArray *, i))
      g_array_unref (g_array_index (ways, GArray *, i));
}

/* A snapshot is read where something has grown. */
static bool
suspects_wants (EveComponent *c)
{
  Suspects *self = (Suspects *) c;
  g_autoptr (GArray) all = self->n_shots > 1 ? heap_suspects_of (self) : NULL;

  return all && all->len > 0;
}
static const SnapshotMaker maker = {
  .outs = outs, .n_outs = G_N_ELEMENTS (outs), .retained = true, .make = suspects_make, .wants = suspects_wants
};

static void
suspects_tell (EveComponent *c, void (*add) (void *to, const char *sentence), void *to)
{
  Suspects *self = (Suspects *) c;

  snapshot_ready (&self->at);
  for (guint i = 0; i < MIN (self->sentences->len, 3); i++)
    add (to, self->sentences->pdata[i]);
}
static const StatsFindings findings = { suspects_tell };

static char *
suspects_answer (EveComponent *c, const char *about)
{
  Suspects *self = (Suspects *) c;

  if (!g_str_equal (about, "leaks"))
    return NULL;
  snapshot_ready (&self->at);
  return self->sentences->len > 0 ? g_strdup (self->sentences->pdata[0])
         : self->n_shots > 1      ? g_strdup (_ ("No class grows in two of three steps between the snapshots so far."))
                                  : g_strdup (_ ("What grows is seen from two snapshots on."));
}
static const StatsAnswer the_answer = { suspects_answer };

static StatsTable *
suspects_figures (EveComponent *c, uint32_t n)
{
  Suspects *self = (Suspects *) c;

  snapshot_ready (&self->at);
  StatsTable *t = n == 0 && self->sentences->len > 0 ? self->at.things[SUSPECTS] : NULL;
  if (t)
    stats_type_table.retain (&t);
  return t;
}
static const StatsFigures the_figures = { suspects_figures };

static const void *
suspects_query (EveComponent *c, const char *name)
{
  return g_str_equal (name, "findings/1")  ? (const void *) &findings
         : g_str_equal (name, "heading/1") ? (const void *) _ ("What grows in the heap")
         : g_str_equal (name, "answer/1")  ? (const void *) &the_answer
         : g_str_equal (name, "figures/1") ? (const void *) &the_figures
                                           : NULL;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

static void
suspects_reset (EveComponent *c)
{
  Suspects *self = (Suspects *) c;

  snapshot_reset (c);
  g_ptr_array_set_size (self->sentences, 0);
  g_array_set_size (self->grown, 0);
  self->n_shots = 0;
  self->source = 0;
}

static void
suspects_finish (EveComponent *c)
{
  Suspects *self = (Suspects *) c;

  g_array_unref (self->grown);
  g_ptr_array_unref (self->sentences);
  snapshot_finish (c);
}

static bool
suspects_init (EveComponent *c)
{
  Suspects *self = (Suspects *) c;

  self->grown = g_array_new (FALSE, TRUE, sizeof (Grown));
  self->sentences = g_ptr_array_new_with_free_func (g_free);
  self->kind = self->words = self->of_class = TRACE_NONE;
  snapshot_begin (c, &maker);
  return true;
}

static void
suspects_save (EveComponent *c, EveBlob *to)
{
  const Suspects *self = (const Suspects *) c;

  snapshot_save (c, &self->at.last, to);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->n_shots);
  eve_put_int (to, self->grown->len);
  for (guint i = 0; i < self->grown->len; i++) {
    const Grown *g = &g_array_index (self->grown, Grown, i);
    eve_put_double (to, g->first);
    eve_put_double (to, g->before);
    eve_put_double (to, g->now);
    eve_put_int (to, g->grew);
  }
}

static bool
suspects_load (EveComponent *c, EveBlobView *from)
{
  Suspects *self = (Suspects *) c;

  suspects_reset (c);
  if (!snapshot_load (c, &self->at.last, from))
    return false;
  self->source = trace_get_source (eve_program (c), from);
  self->n_shots = eve_get_int (from);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS || self->n_shots < 0)
    return false;
  for (int64_t i = 0; i < n; i++) {
    Grown g;
    g.first = eve_get_double (from);
    g.before = eve_get_double (from);
    g.now = eve_get_double (from);
    g.grew = eve_get_int (from);
    if (!eve_get_ok (from) || !isfinite (g.first) || !isfinite (g.before) || !isfinite (g.now))
      return false;
    g_array_append_val (self->grown, g);
  }
  return eve_get_ok (from);
}

static const EveClass suspects = {
  SNAPSHOT_CLASS (Suspects),
  .id = "scope.heap-suspects",
  .label = "Leak Suspects",
  .doc = "Which classes of blocks grow from one heap snapshot to the next, and who keeps them.",
  .help =
      "Connect the events of a reader of heap snapshots, `suspects` to a Table, and `keepers` to a Tree (*as*: "
      "table).\n\n"
      "A class is a suspect if more of it lives at the instant that is looked at than at the first snapshot, and if it "
      "grew in two of three steps at least.  *kept by* is where its blocks gather in the last snapshot: the way down "
      "the tree of what keeps what alive, as long as one place has four fifths of its words; *kept together* is how "
      "much of it that is.  Where it is kept by several there is no such place.",
  .init = suspects_init,
  .finish = suspects_finish,
  .reset = suspects_reset,
  .fire = suspects_fire,
  .fire_span = suspects_fire_span,
  .save = suspects_save,
  .load = suspects_load,
  .query = suspects_query,
};
EVE_PLUGIN (&suspects);
