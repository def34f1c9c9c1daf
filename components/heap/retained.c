/* SPDX-License-Identifier: Apache-2.0 */
/* retained.c - what keeps the memory of a program alive at the instant that is looked at: the tree of dominators of its
 * last heap snapshot as a table, and its classes of blocks. */
#include <glib.h>
#include <stddef.h>
#include <string.h>
#include "components/heap/snapshot.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/reader.h"

#define MOST_ROWS 20000
#define TOGETHER 12 /* of one class side by side: more of them are one row */

typedef struct Retained {
  SnapshotBase at;
  int64_t rows, levels, against; /* settings */
  double least;
  char *trace;
  char *other;        /* file of the snapshot that is compared with; NULL: there is none before */
  char *known;        /* of which `before` is */
  GHashTable *before; /* name of a class -> Before: of the other one */
} Retained;

typedef struct Before {
  uint64_t words, blocks;
  HeapSure sure;
} Before;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[] = {
  { "tree", &stats_type_table,
    .doc = "A row for each block, or several of one class, above what it alone keeps alive; `depth` tells how deep it "
           "is." },
  { "classes", &stats_type_table, .doc = "A row for each class of blocks." },
  { "changes", &stats_type_table,
    .doc = "A row for each class that has become larger or smaller since the snapshot that *against* says." },
};
enum { ROWS, LEVELS, LEAST, AGAINST, TRACE };
static const EveField settings[] = {
  [ROWS] = { "rows", EVE_F_INT64, offsetof (Retained, rows), .min = 16, .max = MOST_ROWS, .def = 2000,
             .doc = "At most so many rows of the tree." },
  [LEVELS] = { "levels", EVE_F_INT64, offsetof (Retained, levels), .min = 1, .max = 200, .def = 24,
               .doc = "So deep at most; what is deeper is part of what is above it." },
  [LEAST] = { "least", EVE_F_DOUBLE, offsetof (Retained, least), .unit = "%", .min = 0, .max = 100, .def = 0.1,
              .doc = "What retains less of all that is live is put together, by class; so are more than twelve of one "
                     "class side by side." },
  [AGAINST] = { "against", EVE_F_INT64, offsetof (Retained, against), .min = -1, .max = G_MAXUINT32, .def = 0,
                .doc = "`changes` are those since the snapshot of this number; 0: since the first, -1: since the one "
                       "before.  Of *against trace*, which it is of that; 0 or -1: its last." },
  [TRACE] = { "against trace", EVE_F_STRING, offsetof (Retained, trace), .path = true,
              .doc = "Another bundle of snapshots, or one snapshot, such as of the program before it was corrected: "
                     "`changes` are those since then; empty: of the same trace." },
};

static const StatsColumn tree_columns[] = {
  { "block", NULL, STATS_CELL_TEXT },
  { "depth", NULL, STATS_CELL_WHOLE },
  { "retained", "words", STATS_CELL_WHOLE },
  { "of all", "%", STATS_CELL_REAL },
  { "own words", "words", STATS_CELL_WHOLE },
  { "blocks", NULL, STATS_CELL_WHOLE },
  { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};
static const StatsColumn class_columns[] = {
  { "class", NULL, STATS_CELL_TEXT },       { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
  { "words", "words", STATS_CELL_WHOLE },   { "of all", "%", STATS_CELL_REAL },
  { "blocks", NULL, STATS_CELL_WHOLE },     { "retained", "words", STATS_CELL_WHOLE },
  { "garbage", "words", STATS_CELL_WHOLE },
};

static const StatsColumn change_columns[] = {
  { "class", NULL, STATS_CELL_TEXT },      { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
  { "growth", "words", STATS_CELL_WHOLE }, { "before", "words", STATS_CELL_WHOLE },
  { "now", "words", STATS_CELL_WHOLE },    { "more blocks", NULL, STATS_CELL_WHOLE },
};

/* ---- the tree ----------------------------------------------------------------------------------------------------------- */

typedef struct Row {
  uint32_t node, depth;
  uint64_t retained, own, blocks;
} Row;

typedef struct Planting {
  Retained *self;
  const HeapGraph *h;
  HeapTree *tree;
  GArray *rows;
  uint64_t least;
} Planting;

/* What stands side by side: one place, or all of a class that are too many or too small for rows of their own. */
typedef struct Item {
  Row row;
  uint32_t place;
  uint32_t large; /* of the places: that retain enough for a row */
  GArray *places; /* of uint32_t; NULL: it is one */
} Item;

static int
retained_by_retained (gconstpointer a, gconstpointer b)
{
  const Row *x = &((const Item *) a)->row, *y = &((const Item *) b)->row;

  if (x->retained != y->retained)
    return x->retained > y->retained ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void
retained_clear_item (gpointer item)
{
  g_clear_pointer (&((Item *) item)->places, g_array_unref);
}

static Row
retained_row_of (const HeapGraph *h, uint32_t place, uint32_t depth)
{
  uint32_t node = h->node[place];

  return (Row){ .node = node,
                .depth = depth,
                .retained = h->retained[place],
                .own = node < h->n_heap ? h->words[node] : 0,
                .blocks = node < h->n_blocks };
}

/* Places by class: [class + 1] -> the item of it. */
static GArray *
retained_group (const Planting *p, const GArray *below, uint32_t depth)
{
  const HeapGraph *h = p->h;
  g_autoptr (GHashTable) of_class = g_hash_table_new (NULL, NULL);
  GArray *items = g_array_new (FALSE, FALSE, sizeof (Item));

  g_array_set_clear_func (items, retained_clear_item);
  for (guint i = 0; i < below->len; i++) {
    uint32_t place = g_array_index (below, uint32_t, i), node = h->node[place];
    Row row = retained_row_of (h, place, depth);
    gpointer key = node < h->n_blocks ? GUINT_TO_POINTER (h->class_of[node] + 1) : NULL;
    guint at = key ? GPOINTER_TO_UINT (g_hash_table_lookup (of_class, key)) : 0;
    if (row.retained == 0)
      continue;
    if (at == 0) {
      g_array_append_val (items, ((Item){ .row = { .node = node, .depth = depth }, .place = place }));
      at = items->len;
      if (key)
        g_hash_table_insert (of_class, key, GUINT_TO_POINTER (at));
    }
    Item *item = &g_array_index (items, Item, at - 1);
    if (key && !item->places)
      item->places = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    if (key)
      g_array_append_val (item->places, place);
    item->row.retained += row.retained;
    item->row.own += row.own;
    item->row.blocks += row.blocks;
    item->large += row.retained >= p->least;
  }
  return items;
}

/* Of a class of which few retain much these are for themselves, and the others together. */
static void
retained_part (const Planting *p, GArray *items, uint32_t depth)
{
  const HeapGraph *h = p->h;

  for (guint i = items->len; i-- > 0;) {
    Item item = g_array_index (items, Item, i);
    if (!item.places || item.large > TOGETHER)
      continue;
    GArray *rest = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    Item others = { .row = { .depth = depth }, .places = rest };
    for (guint k = 0; k < item.places->len; k++) {
      uint32_t place = g_array_index (item.places, uint32_t, k);
      Row row = retained_row_of (h, place, depth);
      if (row.retained >= p->least) {
        g_array_append_val (items, ((Item){ .row = row, .place = place }));
        continue;
      }
      others.row.node = rest->len > 0 ? others.row.node : row.node;
      others.row.retained += row.retained;
      others.row.own += row.own;
      others.row.blocks++;
      g_array_append_val (rest, place);
    }
    g_array_unref (item.places);
    g_array_index (items, Item, i) = others;
  }
}

static void
plant (Planting *p, const Item *item)
{
  const guint most = (guint) p->self->rows;

  if (p->rows->len >= most)
    return;
  g_array_append_val (p->rows, item->row);
  if (item->row.depth + 1 >= (uint32_t) p->self->levels || item->row.retained < p->least)
    return;
  g_autoptr (GArray) below = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (guint i = 0; i < (item->places ? item->places->len : 1); i++) {
    uint32_t n;
    const uint32_t *of = heap_tree_below (p->tree,
                                          item->places ? g_array_index (item->places, uint32_t, i) : item->place, &n);
    if (n > 0)
      g_array_append_vals (below, of, n);
  }
  g_autoptr (GArray) items = retained_group (p, below, item->row.depth + 1);
  retained_part (p, items, item->row.depth + 1);
  g_array_sort (items, retained_by_retained);
  for (guint i = 0; i < items->len && p->rows->len < most; i++)
    if (g_array_index (items, Item, i).row.retained > 0)
      plant (p, &g_array_index (items, Item, i)); /* at most *levels* deep */
}

static StatsTable *
retained_tree_table (Retained *self, const HeapGraph *h)
{
  Planting p = { .self = self,
                 .h = h,
                 .tree = heap_tree_new (h),
                 .rows = g_array_new (FALSE, FALSE, sizeof (Row)),
                 .least = MAX ((uint64_t) (self->least / 100 * (double) h->retained[0]), 1) };

  plant (&p, &(Item){ .row = retained_row_of (h, 0, 0) });
  StatsTable *t = stats_table_new ("Retained words", tree_columns, G_N_ELEMENTS (tree_columns), p.rows->len);
  for (guint i = 0; i < p.rows->len; i++) {
    const Row *row = &g_array_index (p.rows, Row, i);
    g_autofree char *several = row->blocks > 1 ? g_strdup_printf ("%" G_GUINT64_FORMAT " x %s", row->blocks,
                                                                  heap_node_name (h, row->node))
                                               : NULL;
    stats_table_set_text (t, i, 0, several ? several : heap_node_name (h, row->node));
    stats_cell (t, i, 1)->whole = row->depth;
    stats_cell (t, i, 2)->whole = (int64_t) row->retained;
    stats_cell (t, i, 3)->real = h->retained[0] > 0 ? 100 * (double) row->retained / (double) h->retained[0] : 0;
    stats_cell (t, i, 4)->whole = (int64_t) row->own;
    if (row->blocks > 0) {
      snapshot_set_owner (t, i, &self->at.last, h, row->node, row->blocks == 1);
      stats_cell (t, i, 5)->whole = (int64_t) row->blocks;
      stats_table_set_text (t, i, 6, heap_sure_names[heap_node_sure (h, row->node)]);
    }
  }
  heap_tree_free (p.tree);
  g_array_unref (p.rows);
  return t;
}

static StatsTable *
class_table (Retained *self, const HeapGraph *h)
{
  g_autoptr (GPtrArray) classes = g_ptr_array_new ();

  for (guint i = 0; i < h->classes->len; i++)
    if (g_array_index (h->classes, HeapClass, i).blocks > 0)
      g_ptr_array_add (classes, &g_array_index (h->classes, HeapClass, i));
  g_ptr_array_sort (classes, heap_by_live);
  StatsTable *t = stats_table_new ("Classes of blocks", class_columns, G_N_ELEMENTS (class_columns), classes->len);
  for (guint i = 0; i < classes->len; i++) {
    const HeapClass *c = classes->pdata[i];
    stats_table_set_text (t, i, 0, c->name);
    stats_table_set_text (t, i, 1, heap_sure_names[c->sure]);
    stats_table_set_owner (t, i, snapshot_class_ref (&self->at.last, c->name), (TraceRef){ 0 });
    stats_cell (t, i, 2)->whole = (int64_t) c->live_words;
    stats_cell (t, i, 3)->real = h->retained[0] > 0 ? 100 * (double) c->live_words / (double) h->retained[0] : 0;
    stats_cell (t, i, 4)->whole = (int64_t) c->live_blocks;
    stats_cell (t, i, 5)->whole = (int64_t) c->retained;
    stats_cell (t, i, 6)->whole = (int64_t) (c->words - c->live_words);
  }
  return t;
}

/* ---- two snapshots --------------------------------------------------------------------------------------------------------- */

static GHashTable *
live_classes (const HeapGraph *h)
{
  GHashTable *all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    if (c->live_blocks == 0)
      continue;
    Before *b = g_hash_table_lookup (all, c->name);
    if (!b) {
      b = g_new0 (Before, 1);
      g_hash_table_insert (all, g_strdup (c->name), b);
    }
    b->words += c->live_words;
    b->blocks += c->live_blocks;
    b->sure = c->sure;
  }
  return all;
}

typedef struct Change {
  const char *name;
  const Before *before, *now; /* NULL: none of it lives */
  int64_t growth;
} Change;

/* What grew most comes first, what became smaller last. */
static int
retained_by_growth (gconstpointer a, gconstpointer b)
{
  const Change *x = a, *y = b;

  if (x->growth != y->growth)
    return x->growth > y->growth ? -1 : 1;
  return strcmp (x->name, y->name);
}

static void
add_change (GArray *to, const char *name, const Before *before, const Before *now)
{
  Change c = { .name = name, .before = before, .now = now };

  c.growth = (int64_t) (now ? now->words : 0) - (int64_t) (before ? before->words : 0);
  if (c.growth != 0 || (now ? now->blocks : 0) != (before ? before->blocks : 0))
    g_array_append_val (to, c);
}

static StatsTable *
change_table (Retained *self, GHashTable *before, GHashTable *now)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Change));
  GHashTableIter at;
  gpointer name, is;

  g_hash_table_iter_init (&at, now);
  while (g_hash_table_iter_next (&at, &name, &is))
    add_change (all, name, g_hash_table_lookup (before, name), is);
  g_hash_table_iter_init (&at, before);
  while (g_hash_table_iter_next (&at, &name, &is))
    if (!g_hash_table_contains (now, name))
      add_change (all, name, is, NULL);
  g_array_sort (all, retained_by_growth);
  g_autofree char *other = *self->trace ? g_path_get_basename (self->trace) : NULL,
                  *title = other ? g_strdup_printf (_ ("Changes of classes since %s"), other)
                                 : g_strdup ("Changes of classes");
  StatsTable *t = stats_table_new (title, change_columns, G_N_ELEMENTS (change_columns), all->len);
  for (guint i = 0; i < all->len; i++) {
    const Change *c = &g_array_index (all, Change, i);
    stats_table_set_text (t, i, 0, c->name);
    stats_table_set_text (t, i, 1, heap_sure_names[(c->now ? c->now : c->before)->sure]);
    stats_table_set_owner (t, i, snapshot_class_ref (&self->at.last, c->name), (TraceRef){ 0 });
    stats_cell (t, i, 2)->whole = c->growth;
    stats_cell (t, i, 3)->whole = c->before ? (int64_t) c->before->words : 0;
    stats_cell (t, i, 4)->whole = c->now ? (int64_t) c->now->words : 0;
    stats_cell (t, i, 5)->whole = (int64_t) (c->now ? c->now->blocks : 0)
                                  - (int64_t) (c->before ? c->before->blocks : 0);
  }
  return t;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

/* The snapshot that is compared with, and what it must lie in; g_free.  NULL: there is none, which is told. */
static char *
path_of_other (Retained *self, char **below)
{
  const TraceSource *s = trace_source (self->at.last.source);
  g_autoptr (GError) error = NULL;

  *below = g_strdup (s->path);
  if (!*self->trace)
    return self->other ? g_build_filename (s->path, self->other, NULL) : NULL;
  g_autofree char *path = eve_path ((EveComponent *) self, self->trace);
  if (!path || !g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_free (*below);
    *below = path ? g_path_get_dirname (path) : NULL;
    return g_steal_pointer (&path);
  }
  g_free (*below);
  *below = g_strdup (path);
  g_autofree char *inner = heap_folder (path);
  g_autoptr (GPtrArray) names = heap_list (inner ? inner : path, &error);
  for (guint i = names ? names->len : 0; i-- > 0;)
    if (self->against <= 0 || g_ascii_strtoll (names->pdata[i], NULL, 10) == self->against)
      return g_build_filename (inner ? inner : path, names->pdata[i], NULL);
  if (error)
    eve_warn ((EveComponent *) self, "%s", error->message);
  else if (names->len > 0)
    eve_warn ((EveComponent *) self, _ ("%s holds no snapshot %d; it holds %u"), path, (int) self->against, names->len);
  else
    eve_warn ((EveComponent *) self, _ ("%s holds no snapshot"), path);
  return NULL;
}

/* The classes of that snapshot, which are kept; NULL: it cannot be read, which is told. */
static GHashTable *
classes_before (Retained *self)
{
  SnapshotWatch watch;
  g_autofree char *below = NULL, *path = path_of_other (self, &below);
  g_autoptr (GError) error = NULL;

  if (!path || g_strcmp0 (self->known, path) == 0)
    return path ? self->before : NULL;
  g_clear_pointer (&self->before, g_hash_table_unref);
  g_clear_pointer (&self->known, g_free);
  snapshot_watch (&watch, (EveComponent *) self);
  HeapGraph *h = disk_is_below (path, below) ? heap_open (path, &watch.progress, &error) : NULL;
  if (h && heap_reach (h, &watch.progress, &error)) {
    self->before = live_classes (h);
    self->known = g_strdup (path);
  } else if (error) {
    eve_warn ((EveComponent *) self, "%s: %s", path, error->message);
  }
  heap_free (h);
  return self->before;
}

enum { TREE, CLASSES, CHANGES };

static void
retained_make (EveComponent *c, HeapGraph *h)
{
  Retained *self = (Retained *) c;

  self->at.things[TREE] = retained_tree_table (self, h);
  self->at.things[CLASSES] = class_table (self, h);
  if (eve_out_connected (self->at.base.out[CHANGES])) {
    g_autoptr (GHashTable) now = live_classes (h);
    GHashTable *before = classes_before (self);
    self->at.things[CHANGES] = change_table (self, before ? before : now, now);
  }
}
static const SnapshotMaker maker = {
  .outs = outs, .n_outs = G_N_ELEMENTS (outs), .retained = true, .make = retained_make
};

static bool
retained_init (EveComponent *c)
{
  snapshot_begin (c, &maker);
  return true;
}

static void
retained_fire (EveComponent *c)
{
  Retained *self = (Retained *) c;
  g_autofree char *before = self->against < 0 ? g_strdup (self->at.last.file) : NULL;

  if (!snapshot_take (&self->at.last, eve_take (self->at.base.in[0])))
    return;
  if (self->against < 0) {
    g_free (self->other);
    self->other = g_steal_pointer (&before);
  } else if (self->against == 0 ? !self->other : self->at.last.number == self->against) {
    g_free (self->other);
    self->other = g_strdup (self->at.last.file);
  }
}

static void
retained_reset (EveComponent *c)
{
  Retained *self = (Retained *) c;

  snapshot_reset (c);
  g_clear_pointer (&self->other, g_free);
  g_clear_pointer (&self->known, g_free);
  g_clear_pointer (&self->before, g_hash_table_unref);
}

static void
retained_finish (EveComponent *c)
{
  retained_reset (c);
  snapshot_finish (c);
}

static void
retained_save (EveComponent *c, EveBlob *to)
{
  const Retained *self = (const Retained *) c;

  snapshot_save (c, &self->at.last, to);
  eve_put_text (to, self->other ? self->other : "");
}

static bool
retained_load (EveComponent *c, EveBlobView *from)
{
  Retained *self = (Retained *) c;

  if (!snapshot_load (c, &self->at.last, from))
    return false;
  const char *other = eve_get_text (from);
  g_free (self->other);
  self->other = other && *other ? g_strdup (other) : NULL;
  return eve_get_ok (from);
}

static const EveClass retained = {
  SNAPSHOT_CLASS (Retained),
  .id = "scope.heap-retained",
  .label = "Retained Memory",
  .doc = "What keeps the memory of a program alive, of its last heap snapshot: which block alone keeps how much.",
  .help =
      "Connect the events of a reader of heap snapshots, and `tree` to a Tree (a treemap, a flame graph, or a table "
      "that can be "
      "opened), `classes` to a Table, and `changes` to another: how much each class has grown since an earlier "
      "snapshot.\n\n"
      "A row of the tree is a block, below the one without which it would be free too (its dominator); *retained* is "
      "how many words would be free without it, with its own.  Above all are the roots: values of modules, the stack, "
      "C, finalisers.  "
      "Blocks that retain less than *least* are put together by their class, and so are more than twelve of one class "
      "below the same: what stands below such a row is what all of these keep.\n\n"
      "*type is* tells how well a class is known: exact (the runtime says so), inferred (it follows from what it "
      "refers to), guessed, "
      "or unknown: then it is no more than the block's shape.",
  .init = retained_init,
  .finish = retained_finish,
  .reset = retained_reset,
  .fire = retained_fire,
  .save = retained_save,
  .load = retained_load,
};
EVE_PLUGIN (&retained);
