/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - one class of blocks, or one block, of the heap snapshot that is looked at: the ways on which roots reach
 * it, what it refers to, and what refers to it. */
#include <stddef.h>
#include <string.h>
#include "components/heap/snapshot.h"
#include "eve/words.h"
#include "readers/reader.h"

#define MOST_ROWS 10000
#define MOST_WAYS 200
#define LONGEST 200 /* steps of a way that are shown; the middle of a longer one is counted */
#define GAP TRACE_NONE

typedef struct Blocks {
  SnapshotBase at;
  char *what; /* settings */
  int64_t ways, rows;
  SnapshotChoice selected; /* draw side: no run state */
} Blocks;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[] = {
  { "paths", &stats_type_table,
    .doc = "A row for each step of the shortest ways from a root to the block, or to blocks of the class; `depth` "
           "tells how far it is." },
  { "references", &stats_type_table,
    .doc = "What the block or the class refers to, and what refers to it; `depth` tells what belongs together." },
};
enum { WHAT, WAYS, ROWS };
static const EveField settings[] = {
  [WHAT] = { "of", EVE_F_STRING, offsetof (Blocks, what),
             .doc = "A class by its name, or a block by its number, as #17; empty: what is selected, else the class of "
                    "which most lives." },
  [WAYS] = { "ways", EVE_F_INT64, offsetof (Blocks, ways), .min = 1, .max = MOST_WAYS, .def = 10,
             .doc = "Ways to so many blocks of a class, the nearest to a root first." },
  [ROWS] = { "rows", EVE_F_INT64, offsetof (Blocks, rows), .min = 4, .max = MOST_ROWS, .def = 200,
             .doc = "So many of those that refer to it, and of those that it refers to; the others are counted." },
};

static const StatsColumn path_columns[] = {
  { "block", NULL, STATS_CELL_TEXT },        { "depth", NULL, STATS_CELL_WHOLE },
  { "retained", "words", STATS_CELL_WHOLE }, { "own words", "words", STATS_CELL_WHOLE },
  { "keeps it", NULL, STATS_CELL_TEXT },     { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};
static const StatsColumn reference_columns[] = {
  { "block", NULL, STATS_CELL_TEXT },        { "depth", NULL, STATS_CELL_WHOLE },
  { "references", NULL, STATS_CELL_WHOLE },  { "own words", "words", STATS_CELL_WHOLE },
  { "retained", "words", STATS_CELL_WHOLE }, { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};

/* What is asked for in a snapshot. */
typedef struct Asked {
  uint32_t block, class; /* TRACE_NONE: it is no one block; not to be found */
  const char *name;      /* as it was asked for */
} Asked;

static uint32_t
largest_class (const HeapGraph *h)
{
  uint32_t found = TRACE_NONE;

  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    if (c->live_words > 0
        && (found == TRACE_NONE || c->live_words > g_array_index (h->classes, HeapClass, found).live_words))
      found = i;
  }
  return found;
}

static Asked
heap_blocks_what_of (const Blocks *self, const HeapGraph *h)
{
  Asked a = { TRACE_NONE, TRACE_NONE, self->what };
  guint64 block;

  if (*self->what == '#' && g_ascii_string_to_unsigned (self->what + 1, 10, 0, TRACE_NONE, &block, NULL)) {
    a.block = block < h->n_blocks ? (uint32_t) block : TRACE_NONE;
  } else if (*self->what) {
    a.class = heap_class_named (h, self->what);
  } else if (self->selected.block < h->n_blocks && self->selected.number == self->at.last.number) {
    a.block = self->selected.block;
  } else if (self->selected.class) {
    a.name = self->selected.class;
    a.class = heap_class_named (h, a.name);
  } else {
    a.class = largest_class (h);
  }
  if (a.block != TRACE_NONE)
    a.class = h->class_of[a.block];
  return a;
}

/* "tag 0, 4 fields #17" */
static char *
heap_blocks_name_of (const HeapGraph *h, uint32_t node)
{
  return node < h->n_blocks
             ? g_strdup_printf ("%s #%u%s", heap_node_name (h, node), node, node >= h->n_heap ? _ (" (static)") : "")
             : g_strdup (heap_node_name (h, node));
}

static uint64_t
retained_by (const HeapGraph *h, uint32_t node)
{
  return h->place[node] != TRACE_NONE ? h->retained[h->place[node]] : 0;
}

/* ---- ways from roots ------------------------------------------------------------------------------------------------------ */

typedef struct Step {
  uint32_t node;              /* or GAP */
  uint32_t below, last, next; /* steps: the first and the last below it, and the one beside it; 0: none */
  uint32_t n_left_out;        /* of a GAP */
  bool alone, ends;           /* without it nothing at the end of its ways would live; it is such an end */
} Step;

static uint32_t
step_to (GArray *steps, uint32_t from, uint32_t node)
{
  uint32_t at = node != GAP && steps->len > 1 ? g_array_index (steps, Step, from).below : 0;

  while (at != 0 && g_array_index (steps, Step, at).node != node)
    at = g_array_index (steps, Step, at).next;
  if (at != 0)
    return at;
  at = steps->len;
  g_array_append_val (steps, ((Step){ .node = node, .alone = true }));
  Step *up = &g_array_index (steps, Step, from);
  if (up->below == 0)
    up->below = at;
  else
    g_array_index (steps, Step, up->last).next = at;
  up->last = at;
  return at;
}

/* Puts a way among the others; which of its steps dominate its end. */
static void
add_way (GArray *steps, const HeapGraph *h, const GArray *way)
{
  const uint32_t *nodes = (const uint32_t *) (const void *) way->data;
  g_autoptr (GHashTable) alone = g_hash_table_new (NULL, NULL); /* places + 1 */
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  uint32_t n = way->len, at = 0;

  for (uint32_t i = 0; i < n; i++) {
    if (n > LONGEST && i == LONGEST / 2) {
      at = step_to (steps, at, GAP);
      g_array_index (steps, Step, at).n_left_out = n - LONGEST;
      i = n - LONGEST / 2;
    }
    at = i == 0 ? 0 : step_to (steps, at, nodes[i]);
    if (i == 0)
      g_array_index (steps, Step, 0).node = nodes[0];
    g_array_append_val (own, at);
    g_hash_table_insert (alone, GUINT_TO_POINTER (h->place[nodes[i]] + 1), GUINT_TO_POINTER (1));
  }
  g_array_index (steps, Step, at).ends = true;
  for (uint32_t v = h->place[nodes[n - 1]];; v = h->dominator[v]) {
    if (g_hash_table_contains (alone, GUINT_TO_POINTER (v + 1)))
      g_hash_table_insert (alone, GUINT_TO_POINTER (v + 1), GUINT_TO_POINTER (2));
    if (v == 0)
      break;
  }
  for (guint i = 0; i < own->len; i++) {
    Step *s = &g_array_index (steps, Step, g_array_index (own, uint32_t, i));
    gpointer is = g_hash_table_lookup (alone, GUINT_TO_POINTER (h->place[s->node] + 1));
    s->alone = s->alone && GPOINTER_TO_UINT (is) == 2;
  }
}

static void
put_step (Blocks *self, StatsTable *t, uint32_t row, const HeapGraph *h, const Step *s, uint32_t depth)
{
  stats_cell (t, row, 1)->whole = depth;
  if (s->node == GAP) {
    g_autofree char *gap = g_strdup_printf (P_ ("… %u block between", "… %u blocks between", s->n_left_out),
                                            s->n_left_out);
    stats_table_set_name (t, row, 0, gap);
    return;
  }
  g_autofree char *name = heap_blocks_name_of (h, s->node);
  stats_table_set_name (t, row, 0, name);
  stats_cell (t, row, 2)->whole = (int64_t) retained_by (h, s->node);
  stats_cell (t, row, 3)->whole = s->node < h->n_heap ? h->words[s->node] : 0;
  stats_table_set_text (t, row, 4, s->ends ? _ ("here it is") : s->alone ? _ ("alone") : _ ("with others"));
  stats_table_set_text (t, row, 5, heap_sure_names[heap_node_sure (h, s->node)]);
  snapshot_set_owner (t, row, &self->at.last, h, s->node, true);
}

static StatsTable *
paths_table (Blocks *self, const HeapGraph *h, const Asked *a, const char *title)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) ways = NULL;
  SnapshotWatch watch;

  snapshot_watch (&watch, (EveComponent *) self);
  if (a->block != TRACE_NONE) {
    GArray *way = heap_path (h, a->block, &watch.progress, &error);
    ways = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    if (way)
      g_ptr_array_add (ways, way);
  } else {
    ways = heap_paths_to_class (h, a->class, (guint) self->ways, &watch.progress, &error);
  }
  if (error)
    eve_warn ((EveComponent *) self, "%s", error->message);
  if (!ways || ways->len == 0)
    return snapshot_sentence (path_columns, G_N_ELEMENTS (path_columns), title,
                              _ ("Nothing keeps such a block alive here."));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step)),
                     stack = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));
  g_array_append_val (steps, ((Step){ .alone = true }));
  for (guint i = 0; i < ways->len; i++)
    add_way (steps, h, ways->pdata[i]);
  StatsTable *t = stats_table_new (title, path_columns, G_N_ELEMENTS (path_columns), steps->len);
  g_array_append_vals (stack, ((uint32_t[2]){ 0, 0 }), 1);
  for (uint32_t row = 0; stack->len > 0; row++) { /* what is below a step comes before what is beside it */
    const uint32_t *top = &((const uint32_t *) (const void *) stack->data)[2 * (stack->len - 1)];
    uint32_t at = top[0], depth = top[1];
    const Step *s = &g_array_index (steps, Step, at);
    g_array_set_size (stack, stack->len - 1);
    put_step (self, t, row, h, s, depth);
    if (s->next != 0)
      g_array_append_vals (stack, ((uint32_t[2]){ s->next, depth }), 1);
    if (s->below != 0)
      g_array_append_vals (stack, ((uint32_t[2]){ s->below, depth + 1 }), 1);
  }
  return t;
}

/* ---- references ------------------------------------------------------------------------------------------------------------- */

typedef struct Neighbour {
  uint32_t node; /* of a block: a node; of a class: a class, or behind these a root */
  uint64_t times;
} Neighbour;

static int
by_times (gconstpointer a, gconstpointer b)
{
  const Neighbour *x = a, *y = b;

  if (x->times != y->times)
    return x->times > y->times ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* Of a sorted or unsorted list of nodes, how often each is in it, those in it most first. */
static GArray *
count_nodes (const uint32_t *nodes, uint32_t n)
{
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Neighbour));

  for (uint32_t i = 0; i < n; i++) {
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (at, GUINT_TO_POINTER (nodes[i])));
    if (k == 0) {
      g_array_append_val (all, ((Neighbour){ nodes[i], 0 }));
      g_hash_table_insert (at, GUINT_TO_POINTER (nodes[i]), GUINT_TO_POINTER (k = all->len));
    }
    g_array_index (all, Neighbour, k - 1).times++;
  }
  g_array_sort (all, by_times);
  return all;
}

/* Between live blocks of a class and the others, by class: what they refer to, and who refers to them. */
static void
heap_blocks_count_classes (const HeapGraph *h, uint32_t class, GArray **out, GArray **in)
{
  guint n = h->classes->len + h->tops->len;
  g_autofree uint64_t *to = g_new0 (uint64_t, n), *from = g_new0 (uint64_t, n);
  GArray **const both[] = { out, in };

  for (uint32_t b = 0; b < h->n_blocks; b++)
    for (uint32_t e = h->first[b]; h->live[b] && e < h->first[b + 1]; e++) {
      to[h->class_of[h->to[e]]] += h->class_of[b] == class;
      from[h->class_of[b]] += h->class_of[h->to[e]] == class;
    }
  for (uint32_t top = 0; top < h->tops->len; top++)
    for (uint32_t e = h->above_first[top]; e < h->above_first[top + 1]; e++)
      from[h->classes->len + top] += h->above_to[e] < h->n_blocks && h->class_of[h->above_to[e]] == class;
  for (int k = 0; k < 2; k++) {
    const uint64_t *counts = k == 0 ? to : from;
    *both[k] = g_array_new (FALSE, FALSE, sizeof (Neighbour));
    for (uint32_t i = 0; i < n; i++)
      if (counts[i] > 0)
        g_array_append_val (*both[k], ((Neighbour){ i, counts[i] }));
    g_array_sort (*both[k], by_times);
  }
}

typedef struct Filling {
  Blocks *self;
  const HeapGraph *h;
  StatsTable *t;
  uint32_t row;
  bool classes; /* neighbours are classes */
} Filling;

static uint64_t
heap_blocks_sum_of (const GArray *all, guint from)
{
  uint64_t sum = 0;

  for (guint i = from; i < all->len; i++)
    sum += g_array_index (all, Neighbour, i).times;
  return sum;
}

static uint32_t
begin_row (Filling *f, const char *name, uint32_t depth, uint64_t times)
{
  stats_table_set_name (f->t, f->row, 0, name);
  stats_cell (f->t, f->row, 1)->whole = depth;
  stats_cell (f->t, f->row, 2)->whole = (int64_t) times;
  return f->row++;
}

static void
heap_blocks_put_node (Filling *f, uint32_t node, uint32_t depth, uint64_t times)
{
  g_autofree char *name = heap_blocks_name_of (f->h, node);
  uint32_t row = begin_row (f, name, depth, times);

  stats_cell (f->t, row, 3)->whole = node < f->h->n_heap ? f->h->words[node] : 0;
  stats_cell (f->t, row, 4)->whole = (int64_t) retained_by (f->h, node);
  stats_table_set_text (f->t, row, 5, heap_sure_names[heap_node_sure (f->h, node)]);
  snapshot_set_owner (f->t, row, &f->self->at.last, f->h, node, true);
}

static void
heap_blocks_put_class (Filling *f, uint32_t class, uint32_t depth, uint64_t times)
{
  if (class >= f->h->classes->len) {
    uint32_t node = class - f->h->classes->len + f->h->n_blocks,
             row = begin_row (f, heap_node_name (f->h, node), depth, times);
    stats_cell (f->t, row, 4)->whole = (int64_t) retained_by (f->h, node);
    return;
  }
  const HeapClass *c = &g_array_index (f->h->classes, HeapClass, class);
  uint32_t row = begin_row (f, c->name, depth, times);
  stats_cell (f->t, row, 3)->whole = (int64_t) c->live_words;
  stats_cell (f->t, row, 4)->whole = (int64_t) c->retained;
  stats_table_set_text (f->t, row, 5, heap_sure_names[c->sure]);
  stats_table_set_owner (f->t, row, snapshot_class_ref (&f->self->at.last, c->name), (TraceRef){ 0 });
}

static void
put_neighbours (Filling *f, const char *heading, const GArray *all)
{
  guint shown = MIN (all->len, (guint) f->self->rows);

  begin_row (f, heading, 1, heap_blocks_sum_of (all, 0));
  for (guint i = 0; i < shown; i++) {
    const Neighbour *n = &g_array_index (all, Neighbour, i);
    if (f->classes)
      heap_blocks_put_class (f, n->node, 2, n->times);
    else
      heap_blocks_put_node (f, n->node, 2, n->times);
  }
  if (shown == all->len)
    return;
  g_autofree char *more = g_strdup_printf (_ ("… %u more"), all->len - shown);
  begin_row (f, more, 2, heap_blocks_sum_of (all, shown));
}

static uint32_t
rows_for (const Blocks *self, const GArray *all)
{
  return 1 + MIN (all->len, (guint) self->rows) + (all->len > (guint) self->rows);
}

/* Where a block was allocated, if it was sampled. */
static char *
allocated_at (const HeapGraph *h, uint32_t block)
{
  for (guint i = 0; h->sites && i < h->sites->samples->len; i++) {
    const HeapSample *s = &g_array_index (h->sites->samples, HeapSample, i);
    const HeapFrame *f = s->block == block ? heap_call (h->sites, s->stack, 0) : NULL;
    if (f && f->file)
      return g_strdup_printf (_ ("allocated at %s:%u"), f->file, f->line);
  }
  return NULL;
}

static StatsTable *
references_table (Blocks *self, const HeapGraph *h, const Asked *a, const char *title)
{
  g_autoptr (GArray) out = NULL, in = NULL;
  g_autofree char *allocated = a->block != TRACE_NONE ? allocated_at (h, a->block) : NULL;

  if (a->block != TRACE_NONE) {
    g_autoptr (GArray) from = heap_referrers (h, a->block);
    for (guint i = 0, n = 0; i <= from->len; i++) { /* what is garbage keeps nothing alive */
      if (i == from->len) {
        g_array_set_size (from, n);
        break;
      }
      uint32_t node = g_array_index (from, uint32_t, i);
      if (node >= h->n_blocks || h->live[node])
        g_array_index (from, uint32_t, n++) = node;
    }
    out = count_nodes (h->to + h->first[a->block], h->first[a->block + 1] - h->first[a->block]);
    in = count_nodes ((const uint32_t *) (const void *) from->data, from->len);
  } else {
    heap_blocks_count_classes (h, a->class, &out, &in);
  }
  Filling f = { .self = self, .h = h, .classes = a->block == TRACE_NONE };
  f.t = stats_table_new (title, reference_columns, G_N_ELEMENTS (reference_columns),
                         1 + (allocated != NULL) + rows_for (self, out) + rows_for (self, in));
  if (f.classes)
    heap_blocks_put_class (&f, a->class, 0, heap_blocks_sum_of (out, 0) + heap_blocks_sum_of (in, 0));
  else
    heap_blocks_put_node (&f, a->block, 0, heap_blocks_sum_of (out, 0) + heap_blocks_sum_of (in, 0));
  if (allocated)
    begin_row (&f, allocated, 1, 0);
  put_neighbours (&f, _ ("is referred to by"), in);
  put_neighbours (&f, _ ("refers to"), out);
  return f.t;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

enum { PATHS, REFERENCES };

static void
heap_blocks_make (EveComponent *c, HeapGraph *h)
{
  Blocks *self = (Blocks *) c;
  Asked a = heap_blocks_what_of (self, h);
  g_autofree char *name = a.block != TRACE_NONE   ? heap_blocks_name_of (h, a.block)
                          : a.class != TRACE_NONE ? g_strdup (g_array_index (h->classes, HeapClass, a.class).name)
                                                  : g_strdup (a.name),
                  *of_paths = g_strdup_printf (_ ("Ways to %s"), name),
                  *of_references = g_strdup_printf (_ ("References of %s"), name);
  const char *none = a.class == TRACE_NONE ? _ ("There is no such block in this snapshot.") : NULL;

  self->at.things[PATHS] = none ? snapshot_sentence (path_columns, G_N_ELEMENTS (path_columns), of_paths, none)
                                : paths_table (self, h, &a, of_paths);
  self->at.things[REFERENCES] = none ? snapshot_sentence (reference_columns, G_N_ELEMENTS (reference_columns),
                                                          of_references, none)
                                     : references_table (self, h, &a, of_references);
  eve_status (c, "%s", name);
}
static const SnapshotMaker maker = {
  .outs = outs, .n_outs = G_N_ELEMENTS (outs), .retained = true, .make = heap_blocks_make
};

static bool
heap_blocks_selected (EveComponent *c, const TraceRefs *selection)
{
  Blocks *self = (Blocks *) c;

  if (!snapshot_choose (&self->selected, selection) || *self->what)
    return false;
  snapshot_forget (&self->at);
  return true;
}

static bool
heap_blocks_knows (EveComponent *c, TraceRef what)
{
  const char *attribute = NULL;

  return trace_ref_named_by (what, &attribute) && attribute
         && (g_str_equal (attribute, "Class") || g_str_equal (attribute, "Block"));
}
static const TraceSelected follows = { heap_blocks_selected, heap_blocks_knows };

static const void *
heap_blocks_query (EveComponent *c, const char *name)
{
  return g_str_equal (name, TRACE_SELECTED) ? &follows : NULL;
}

static void
heap_blocks_finish (EveComponent *c)
{
  snapshot_choice_clear (&((Blocks *) c)->selected);
  snapshot_finish (c);
}

static bool
heap_blocks_init (EveComponent *c)
{
  snapshot_choice_clear (&((Blocks *) c)->selected);
  snapshot_begin (c, &maker);
  return true;
}

static const EveClass blocks = {
  SNAPSHOT_CLASS (Blocks),
  .id = "scope.heap-blocks",
  .label = "Blocks of the Heap",
  .doc = "Of one block, or of a class of them, in the last heap snapshot: the ways from roots, and the references.",
  .help =
      "Connect the events of a reader of heap snapshots, and `paths` and `references` to a Tree each (*as*: table).\n\n"
      "It tells of what is selected: a class in a curve, a table or a treemap, or a block in a row that is of one "
      "alone, as those of these two tables are: so one goes from block to block.  Without a selection it tells of the "
      "class of which most lives, and *of* names a class or a block for good.\n\n"
      "In `paths`, *keeps it* is alone where a step is on every way to what stands at its end, which would be free "
      "without it; with others, where another way leads past it.  Ways of weak references are none.  `references` of a "
      "class are summed up by class; references from garbage are left out.",
  .init = heap_blocks_init,
  .finish = heap_blocks_finish,
  .reset = snapshot_reset,
  .fire = snapshot_fire,
  .fire_span = snapshot_fire_span,
  .save = snapshot_save_base,
  .load = snapshot_load_base,
  .query = heap_blocks_query,
};
EVE_PLUGIN (&blocks);
