/* SPDX-License-Identifier: Apache-2.0 */
/* room.c - room in the heap snapshot that is looked at which does nothing for the program: strings that are there more
 * than once, arrays that refer to little, free room and garbage between what lives. */
#include <math.h>
#include <stddef.h>
#include "components/heap/snapshot.h"
#include "eve/words.h"
#include "readers/reader.h"

#define MOST_ROWS 100000

enum { STRINGS, ARRAYS, PIECES, MAP, FACTS, N_OUTS };

typedef struct Room {
  SnapshotBase at;
  int64_t rows; /* setting */
} Room;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[N_OUTS] = {
  [STRINGS] = { "strings", &stats_type_table, .doc = "A row for each string that lives more than once." },
  [ARRAYS] = { "arrays", &stats_type_table,
               .doc = "A row for each class of arrays, and of blocks of 64 fields and more: how many fields refer to a "
                      "block." },
  [PIECES] = { "pieces", &stats_type_table,
               .doc = "A row for each piece of memory that the heap consists of, by address." },
  [MAP] = { "map", &stats_type_matrix,
            .doc = "For each piece, how much of it lives, is garbage, and is free, in per cent." },
  [FACTS] = { "facts", &stats_type_table,
              .doc = "What the snapshot says of itself: the program, when and why it was taken, and what the runtime "
                     "counts of its collector." },
};
static const EveField settings[] = {
  { "rows", EVE_F_INT64, offsetof (Room, rows), .min = 16, .max = MOST_ROWS, .def = 1000,
    .doc = "At most so many rows of each, those first of which most could be saved." },
};

static const StatsColumn string_columns[] = {
  { "begins", NULL, STATS_CELL_TEXT },
  { "copies", "words", STATS_CELL_WHOLE },
  { "of all", "%", STATS_CELL_REAL },
  { "times", NULL, STATS_CELL_WHOLE },
  { "words of each", "words", STATS_CELL_WHOLE },
};
static const StatsColumn array_columns[] = {
  { "class", NULL, STATS_CELL_TEXT },   { "empty fields", "words", STATS_CELL_WHOLE },
  { "filled", "%", STATS_CELL_REAL },   { "fields", NULL, STATS_CELL_WHOLE },
  { "blocks", NULL, STATS_CELL_WHOLE }, { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};
static const StatsColumn piece_columns[] = {
  { "address", NULL, STATS_CELL_TEXT },      { "words", "words", STATS_CELL_WHOLE },
  { "live", "words", STATS_CELL_WHOLE },     { "garbage", "words", STATS_CELL_WHOLE },
  { "free", "words", STATS_CELL_WHOLE },     { "of it free", "%", STATS_CELL_REAL },
  { "free pieces", NULL, STATS_CELL_WHOLE }, { "mean free piece", "words", STATS_CELL_REAL },
};

static const StatsColumn fact_columns[] = {
  { "fact", NULL, STATS_CELL_TEXT },
  { "number", NULL, STATS_CELL_WHOLE },
  { "in", NULL, STATS_CELL_TEXT },
  { "text", NULL, STATS_CELL_TEXT },
};

/* What INFO and END of the file have, in this order. */
static const struct {
  const char *key, *name, *unit;
} facts[] = {
  { "program", N_ ("program"), NULL },
  { "pid", N_ ("process"), NULL },
  { "ocaml", N_ ("version of OCaml"), NULL },
  { "number", N_ ("snapshot"), NULL },
  { "trigger", N_ ("taken by"), NULL },
  { "label", N_ ("label"), NULL },
  { "cpu_ns", N_ ("processor time of the program"), "ns" },
  { "writing_ns", N_ ("written for"), "ns" },
  { "skipped", N_ ("due before and not begun"), NULL },
  { "failed", N_ ("not written to their end"), NULL },
  { "minor_collections", N_ ("minor collections"), NULL },
  { "major_collections", N_ ("major collections"), NULL },
  { "compactions", N_ ("compactions"), NULL },
  { "minor_words", N_ ("allocated in the minor heap"), "words" },
  { "promoted_words", N_ ("promoted from there"), "words" },
  { "major_words", N_ ("allocated in the major heap, with these"), "words" },
  { "heap_words", N_ ("heap"), "words" },
  { "top_heap_words", N_ ("heap at its largest"), "words" },
  { "heap_chunks", N_ ("pieces of the heap"), NULL },
  { "heap_blocks", N_ ("blocks"), NULL },
  { "free_words", N_ ("free"), "words" },
  { "free_blocks", N_ ("in so many pieces"), NULL },
  { "static_blocks", N_ ("static blocks that are reached"), NULL },
  { "outside", N_ ("pointers out of the heap"), NULL },
  { "atoms", N_ ("pointers to atoms"), NULL },
  { "dangling", N_ ("pointers of garbage to what is no more"), NULL },
  { "sample_words", N_ ("one word was sampled of"), "words" },
  { "word", N_ ("a word has"), "bytes" },
};

static StatsTable *
facts_table (const HeapGraph *h)
{
  uint32_t n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    n += g_hash_table_contains (h->info, facts[i].key);
  StatsTable *t = stats_table_new ("What the snapshot says of itself", fact_columns, G_N_ELEMENTS (fact_columns), n);
  for (gsize i = 0, row = 0; i < G_N_ELEMENTS (facts); i++) {
    const char *text = g_hash_table_lookup (h->info, facts[i].key);
    uint64_t number;
    if (!text)
      continue;
    stats_table_set_text (t, (uint32_t) row, 0, _ (facts[i].name));
    if (g_ascii_string_to_unsigned (text, 10, 0, INT64_MAX, &number, NULL))
      stats_cell (t, (uint32_t) row, 1)->whole = (int64_t) number;
    else
      stats_table_set_name (t, (uint32_t) row, 3, text);
    if (facts[i].unit)
      stats_table_set_text (t, (uint32_t) row, 2, facts[i].unit);
    row++;
  }
  return t;
}

static StatsTable *
strings_table (Room *self, const HeapGraph *h, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) all = heap_duplicates (h, path, &error);
  uint64_t live = 0, copies = 0;

  if (!all) {
    eve_warn ((EveComponent *) self, "%s", error->message);
    return NULL;
  }
  for (guint i = 0; i < h->classes->len; i++)
    live += g_array_index (h->classes, HeapClass, i).live_words;
  guint n = MIN (all->len, (guint) self->rows);
  StatsTable *t = stats_table_new ("Strings that live more than once", string_columns, G_N_ELEMENTS (string_columns),
                                   n);
  for (guint i = 0; i < all->len; i++) {
    const HeapText *s = all->pdata[i];
    uint64_t saved = (s->copies - 1) * s->words;
    copies += saved;
    if (i >= n)
      continue;
    stats_table_set_name (t, i, 0, s->text);
    stats_cell (t, i, 1)->whole = (int64_t) saved;
    stats_cell (t, i, 2)->real = live > 0 ? 100 * (double) saved / (double) live : 0;
    stats_cell (t, i, 3)->whole = (int64_t) s->copies;
    stats_cell (t, i, 4)->whole = (int64_t) s->words;
    snapshot_set_owner (t, i, &self->at.last, h, s->block, true);
  }
  eve_status ((EveComponent *) self,
              P_ ("%" PRIu64 " word of copies of strings", "%" PRIu64 " words of copies of strings", copies), copies);
  return t;
}

static StatsTable *
arrays_table (Room *self, const HeapGraph *h)
{
  g_autoptr (GArray) all = heap_fills (h);
  guint n = MIN (all->len, (guint) self->rows);
  StatsTable *t = stats_table_new ("How full arrays are", array_columns, G_N_ELEMENTS (array_columns), n);

  for (guint i = 0; i < n; i++) {
    const HeapFill *f = &g_array_index (all, HeapFill, i);
    const HeapClass *c = &g_array_index (h->classes, HeapClass, f->class);
    stats_table_set_text (t, i, 0, c->name);
    stats_cell (t, i, 1)->whole = (int64_t) (f->fields - f->filled);
    stats_cell (t, i, 2)->real = f->fields > 0 ? 100 * (double) f->filled / (double) f->fields : 0;
    stats_cell (t, i, 3)->whole = (int64_t) f->fields;
    stats_cell (t, i, 4)->whole = (int64_t) f->blocks;
    stats_table_set_text (t, i, 5, heap_sure_names[c->sure]);
    stats_table_set_owner (t, i, snapshot_class_ref (&self->at.last, c->name), (TraceRef){ 0 });
  }
  return t;
}

static StatsTable *
pieces_table (const GArray *all, bool fits, guint n)
{
  StatsTable *t = stats_table_new ("Pieces of the heap", piece_columns, G_N_ELEMENTS (piece_columns), n);

  for (guint i = 0; i < n; i++) {
    const HeapPiece *p = &g_array_index (all, HeapPiece, i);
    g_autofree char *address = g_strdup_printf ("%" PRIx64, p->address);
    stats_table_set_name (t, i, 0, address);
    stats_cell (t, i, 1)->whole = (int64_t) p->words;
    if (fits) {
      stats_cell (t, i, 2)->whole = (int64_t) p->live_words;
      stats_cell (t, i, 3)->whole = (int64_t) (p->words - p->free_words - p->live_words);
    }
    stats_cell (t, i, 4)->whole = (int64_t) p->free_words;
    stats_cell (t, i, 5)->real = p->words > 0 ? 100 * (double) p->free_words / (double) p->words : 0;
    stats_cell (t, i, 6)->whole = (int64_t) p->free_blocks;
    if (p->free_blocks > 0)
      stats_cell (t, i, 7)->real = (double) p->free_words / (double) p->free_blocks;
  }
  return t;
}

static StatsMatrix *
map_of (const GArray *all, bool fits, guint n)
{
  const char *const names[] = { _ ("live"), _ ("garbage"), _ ("free") };
  StatsMatrix *m = stats_matrix_new ("Pieces of the heap", "%", n, 3);

  m->means = true;
  for (uint32_t k = 0; k < 3; k++)
    stats_matrix_name (m, true, k, names[k]);
  for (guint i = 0; i < n; i++) {
    const HeapPiece *p = &g_array_index (all, HeapPiece, i);
    double words = (double) MAX (p->words, 1);
    g_autofree char *address = g_strdup_printf ("%" PRIx64, p->address);
    stats_matrix_name (m, false, i, address);
    m->values[3 * i] = fits ? 100 * (double) p->live_words / words : NAN;
    m->values[3 * i + 1] = fits ? 100 * (double) (p->words - p->free_words - p->live_words) / words : NAN;
    m->values[3 * i + 2] = 100 * (double) p->free_words / words;
  }
  return m;
}

static void
make_pieces (Room *self, const HeapGraph *h, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) all = heap_pieces (path, &error);

  if (!all) {
    eve_warn ((EveComponent *) self, "%s", error->message);
    return;
  }
  bool fits = heap_fill_pieces (h, all);
  guint n = MIN (all->len, (guint) self->rows);
  self->at.things[PIECES] = pieces_table (all, fits, n);
  if (n > 0)
    self->at.things[MAP] = map_of (all, fits, n);
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

static void
room_make (EveComponent *c, HeapGraph *h)
{
  Room *self = (Room *) c;
  g_autofree char *path = g_build_filename (trace_source (self->at.last.source)->path, self->at.last.file, NULL);

  self->at.things[STRINGS] = strings_table (self, h, path);
  self->at.things[ARRAYS] = arrays_table (self, h);
  make_pieces (self, h, path);
  self->at.things[FACTS] = facts_table (h);
}
static const SnapshotMaker maker = { .outs = outs, .n_outs = N_OUTS, .make = room_make };

static bool
room_init (EveComponent *c)
{
  snapshot_begin (c, &maker);
  return true;
}

static const EveClass room = {
  SNAPSHOT_CLASS (Room),
  .id = "scope.heap-room",
  .label = "Room in the Heap",
  .doc = "Memory that could be saved, of the last heap snapshot: copies of strings, empty arrays, free room between.",
  .help =
      "Connect the events of a reader of heap snapshots; `strings`, `arrays`, `pieces` and `facts` to a Table each, "
      "and `map` to a Matrix.\n\n"
      "Strings are the same where their lengths and the hash of all their bytes are; *copies* is what would be free if "
      "each lived once.  A field of an array is filled where it refers to a block: buckets of a hash table that are "
      "empty, or slots that were never set, are not; an array of numbers looks empty though it is full.\n\n"
      "The heap consists of pieces of memory; what of one is *live*, *garbage* (to be swept) and *free*, and in how "
      "many pieces the latter lies, tells how much it is fragmented.  Where blocks and pieces do not go together to "
      "the word, as they may not in OCaml 5, only what is free is known.",
  .init = room_init,
  .finish = snapshot_finish,
  .reset = snapshot_reset,
  .fire = snapshot_fire,
  .fire_span = snapshot_fire_span,
  .save = snapshot_save_base,
  .load = snapshot_load_base,
};
EVE_PLUGIN (&room);
