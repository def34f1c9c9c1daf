/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where what lives in the heap snapshot that is looked at was allocated, as sampling estimates it: module,
 * function and place; the calls that led there; and the lines of the source of the place that is selected. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "components/heap/snapshot.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/reader.h"

#define MOST_ROWS 20000
#define MOST_DEPTH 64
#define MOST_SOURCE (16 * DISK_MIB)

enum { TREE, CALLS, SOURCE };

typedef struct Places {
  SnapshotBase at;
  int64_t rows, around; /* settings */
  char *sources;
  char *selected; /* a place; draw side: no run state; NULL: none */
} Places;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a reader of heap snapshots." },
};
static const EveOutSpec outs[] = {
  [TREE] = { "tree", &stats_type_table,
             .doc = "A row for each module, above its functions, and these above their places; `depth` tells which." },
  [CALLS] = { "calls", &stats_type_table,
              .doc = "A row for each path of calls that led to an allocation, the outermost first." },
  [SOURCE] = { "source", &stats_type_table,
               .doc =
                   "The lines of the source around the place that is selected, else the one of which most lives, and "
                   "what each has allocated." },
};
enum { ROWS, AROUND, SOURCES };
static const EveField settings[] = {
  [ROWS] = { "rows", EVE_F_INT64, offsetof (Places, rows), .min = 16, .max = MOST_ROWS, .def = 2000,
             .doc = "At most so many rows of each table." },
  [AROUND] = { "around", EVE_F_INT64, offsetof (Places, around), .min = 0, .max = MOST_ROWS, .def = 12,
               .doc = "So many lines before and behind the place." },
  [SOURCES] = { "sources", EVE_F_STRING, offsetof (Places, sources), .path = true,
                .doc = "The folder in which the sources of the program are; empty: that in which the bundle lies, or "
                       "`sources` in the bundle." },
};

static const StatsColumn tree_columns[] = {
  { "place", NULL, STATS_CELL_TEXT },
  { "depth", NULL, STATS_CELL_WHOLE },
  { "words", "words", STATS_CELL_WHOLE },
  { "of sampled", "%", STATS_CELL_REAL },
  { "give or take", "words", STATS_CELL_WHOLE },
  { "blocks", NULL, STATS_CELL_WHOLE },
  { "mostly", NULL, STATS_CELL_TEXT },
  { "type is", NULL, STATS_CELL_TEXT, STATS_WORDS },
};
static const StatsColumn call_columns[] = {
  { "call", NULL, STATS_CELL_TEXT },          { "depth", NULL, STATS_CELL_WHOLE },
  { "words", "words", STATS_CELL_WHOLE },     { "of sampled", "%", STATS_CELL_REAL },
  { "own words", "words", STATS_CELL_WHOLE },
};
static const StatsColumn source_columns[] = {
  { "line", NULL, STATS_CELL_WHOLE },
  { "words", "words", STATS_CELL_WHOLE },
  { "text", NULL, STATS_CELL_TEXT },
};

/* ---- modules, functions, places --------------------------------------------------------------------------------------------- */

typedef struct Sums {
  const HeapGraph *h;
  GArray *modules, *functions, *places; /* of HeapSite, as heap_sites() gives them */
  GArray **of_module, **of_function;    /* numbers of functions and places, most first */
  uint64_t all;                         /* words */
} Sums;

static guint
heap_places_number_of (GHashTable *names, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (names, name)) - 1;
}

static GHashTable *
names_of (const GArray *sites)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < sites->len; i++)
    g_hash_table_insert (names, g_array_index (sites, HeapSite, i).name, GUINT_TO_POINTER (i + 1));
  return names;
}

/* Which of `inner` belongs to each of `outer`. */
static GArray **
heap_places_part (const GArray *outer, HeapBy by, const GArray *inner)
{
  GArray **of = g_new (GArray *, outer->len + 1);
  g_autoptr (GHashTable) names = names_of (outer);

  for (guint i = 0; i < outer->len; i++)
    of[i] = g_array_new (FALSE, FALSE, sizeof (guint));
  of[outer->len] = NULL;
  for (guint i = 0; i < inner->len; i++) {
    g_autofree char *name = heap_site_name (g_array_index (inner, HeapSite, i).frame, by);
    guint k = heap_places_number_of (names, name);
    if (k < outer->len)
      g_array_append_val (of[k], i);
  }
  return of;
}

static void
sums_begin (Sums *s, const HeapGraph *h)
{
  *s = (Sums){ .h = h,
               .modules = heap_sites (h, HEAP_BY_MODULE),
               .functions = heap_sites (h, HEAP_BY_FUNCTION),
               .places = heap_sites (h, HEAP_BY_SITE) };
  s->of_module = heap_places_part (s->modules, HEAP_BY_MODULE, s->functions);
  s->of_function = heap_places_part (s->functions, HEAP_BY_FUNCTION, s->places);
  for (guint i = 0; i < s->modules->len; i++)
    s->all += g_array_index (s->modules, HeapSite, i).words;
}

static void
sums_end (Sums *s)
{
  for (GArray **a = s->of_module; *a; a++)
    g_array_unref (*a);
  for (GArray **a = s->of_function; *a; a++)
    g_array_unref (*a);
  g_free (s->of_module);
  g_free (s->of_function);
  g_array_unref (s->modules);
  g_array_unref (s->functions);
  g_array_unref (s->places);
}

static void
set_row (Places *self, const Sums *s, StatsTable *t, uint32_t row, uint32_t depth, const HeapSite *site)
{
  static const char *const entities[] = { "Module", "Function", "Site" };
  const HeapClass *c = &g_array_index (s->h->classes, HeapClass, site->class);
  g_autofree char *task = depth == 0 ? g_strconcat (site->name, " (code)", NULL) : g_strdup (site->name);

  g_autofree char *line = depth == 2 && site->frame && site->frame->file
                              ? g_strdup_printf ("%s:%u", site->frame->file, site->frame->line)
                              : NULL;

  stats_table_set_text (t, row, 0, line ? line : site->name);
  stats_cell (t, row, 1)->whole = depth;
  stats_cell (t, row, 2)->whole = (int64_t) site->words;
  stats_cell (t, row, 3)->real = s->all > 0 ? 100 * (double) site->words / (double) s->all : 0;
  stats_cell (t, row, 4)->whole = llround ((double) site->words / sqrt ((double) MAX (site->taken, 1)));
  stats_cell (t, row, 5)->whole = llround (site->whole_blocks);
  stats_table_set_text (t, row, 6, c->name);
  stats_table_set_text (t, row, 7, heap_sure_names[c->sure]);
  stats_table_set_owner (t, row, snapshot_ref (&self->at.last, entities[depth], task), (TraceRef){ 0 });
}

static StatsTable *
heap_places_tree_table (Places *self, const Sums *s)
{
  guint n = MIN (s->modules->len + s->functions->len + s->places->len, (guint) self->rows), row = 0;
  StatsTable *t = stats_table_new ("Who allocated what lives", tree_columns, G_N_ELEMENTS (tree_columns), n);

  for (guint m = 0; m < s->modules->len && row < n; m++) {
    set_row (self, s, t, row++, 0, &g_array_index (s->modules, HeapSite, m));
    for (guint f = 0; f < s->of_module[m]->len && row < n; f++) {
      guint function = g_array_index (s->of_module[m], guint, f);
      set_row (self, s, t, row++, 1, &g_array_index (s->functions, HeapSite, function));
      for (guint p = 0; p < s->of_function[function]->len && row < n; p++)
        set_row (self, s, t, row++, 2,
                 &g_array_index (s->places, HeapSite, g_array_index (s->of_function[function], guint, p)));
    }
  }
  return t;
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------- */

typedef struct Call { /* a path of calls; its first is the top */
  char *name;
  uint64_t all, own;    /* words that were taken */
  GPtrArray *below;     /* of Call * */
  GHashTable *by_frame; /* HeapFrame -> Call, of those below */
} Call;

static void
free_call (gpointer p)
{
  Call *c = p;

  g_ptr_array_unref (c->below);
  g_hash_table_unref (c->by_frame);
  g_free (c->name);
  g_free (c);
}

static Call *
new_call (char *name)
{
  Call *c = g_new0 (Call, 1);

  c->name = name;
  c->below = g_ptr_array_new_with_free_func (free_call);
  c->by_frame = g_hash_table_new (NULL, NULL);
  return c;
}

static int
by_all (gconstpointer a, gconstpointer b)
{
  const Call *x = *(Call *const *) a, *y = *(Call *const *) b;

  if (x->all != y->all)
    return x->all > y->all ? -1 : 1;
  return strcmp (x->name, y->name);
}

static Call *
heap_places_calls_of (const HeapGraph *h)
{
  Call *top = new_call (g_strdup (_ ("all that was sampled")));

  for (guint i = 0; h->sites && i < h->sites->samples->len; i++) {
    const HeapSample *s = &g_array_index (h->sites->samples, HeapSample, i);
    uint32_t depth = 0;
    if (!h->live[s->block])
      continue;
    while (depth < MOST_DEPTH && heap_call (h->sites, s->stack, depth))
      depth++;
    Call *at = top;
    at->all += s->taken;
    for (uint32_t d = depth; d-- > 0;) {
      const HeapFrame *f = heap_call (h->sites, s->stack, d);
      Call *inner = g_hash_table_lookup (at->by_frame, f);
      if (!inner) {
        inner = new_call (heap_site_name (f, HEAP_BY_SITE));
        g_hash_table_insert (at->by_frame, (gpointer) f, inner);
        g_ptr_array_add (at->below, inner);
      }
      at = inner;
      at->all += s->taken;
    }
    at->own += s->taken;
  }
  return top;
}

static guint
count_calls (Call *c)
{
  guint n = 1;

  g_ptr_array_sort (c->below, by_all);
  for (guint i = 0; i < c->below->len; i++)
    n += count_calls (c->below->pdata[i]); /* at most MOST_DEPTH deep */
  return n;
}

static void
heap_places_put_call (Places *self, StatsTable *t, uint32_t *row, uint32_t depth, const Call *c, double each,
                      uint64_t all)
{
  if (*row >= t->n_rows)
    return;
  stats_table_set_text (t, *row, 0, c->name);
  stats_cell (t, *row, 1)->whole = depth;
  stats_cell (t, *row, 2)->whole = llround ((double) c->all * each);
  stats_cell (t, *row, 3)->real = all > 0 ? 100 * (double) c->all / (double) all : 0;
  stats_cell (t, *row, 4)->whole = llround ((double) c->own * each);
  if (depth > 0)
    stats_table_set_owner (t, *row, snapshot_ref (&self->at.last, "Site", c->name), (TraceRef){ 0 });
  ++*row;
  for (guint i = 0; i < c->below->len; i++)
    heap_places_put_call (self, t, row, depth + 1, c->below->pdata[i], each, all);
}

static StatsTable *
calls_table (Places *self, const HeapGraph *h)
{
  Call *top = heap_places_calls_of (h);
  guint n = MIN (count_calls (top), (guint) self->rows);
  StatsTable *t = stats_table_new ("Calls that allocated what lives", call_columns, G_N_ELEMENTS (call_columns), n);
  uint32_t row = 0;

  heap_places_put_call (self, t, &row, 0, top, (double) heap_number (h->info, "sample_words", 0), top->all);
  free_call (top);
  return t;
}

/* ---- the source ------------------------------------------------------------------------------------------------------------- */

/* The file of a place: below the folder of the setting, of the bundle, or of `sources` in it; nowhere else, as the
 * trace says what it is called.  NULL: it is not there. */
static char *
source_file (Places *self, const char *file, char **below)
{
  const TraceSource *s = trace_source (self->at.last.source);
  g_autofree char *beside = g_path_get_dirname (s->path), *in = g_build_filename (s->path, "sources", NULL),
                  *own = *self->sources ? eve_path ((EveComponent *) self, self->sources) : NULL;
  const char *const folders[] = { own ? own : beside, in };

  if (g_path_is_absolute (file) || (*self->sources && !own))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *path = g_build_filename (folders[i], file, NULL);
    if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && disk_is_below (path, folders[i])) {
      *below = g_strdup (folders[i]);
      return g_steal_pointer (&path);
    }
  }
  return NULL;
}

/* The place that is selected, else that of which most lives and whose source is there, else of which most lives. */
static const HeapSite *
heap_places_chosen (Places *self, const Sums *s)
{
  const HeapSite *found = NULL;

  for (guint i = 0; i < s->places->len; i++) {
    const HeapSite *p = &g_array_index (s->places, HeapSite, i);
    if (self->selected && g_str_equal (p->name, self->selected))
      return p;
    if (self->selected || !p->frame || !p->frame->file || p->frame->line == 0)
      continue;
    g_autofree char *below = NULL, *path = source_file (self, p->frame->file, &below);
    if (path)
      return p;
    found = found ? found : p;
  }
  return found;
}

/* Lines of text in the place of the source. */
static StatsTable *
heap_places_told (const char *title, const char *why)
{
  g_auto (GStrv) lines = g_strsplit (why, "\n", -1);
  StatsTable *t = stats_table_new (title, source_columns + 2, 1, g_strv_length (lines));

  for (uint32_t i = 0; lines[i]; i++)
    stats_table_set_text (t, i, 0, lines[i]);
  return t;
}

static StatsTable *
source_table (Places *self, const Sums *s)
{
  const HeapSite *p = heap_places_chosen (self, s);
  const HeapFrame *f = p ? p->frame : NULL;
  g_autofree char *title = g_strdup (p ? p->name : _ ("Source")), *why = NULL, *below = NULL;

  if (!f || !f->file || f->line == 0)
    return heap_places_told (title, p || !self->selected ? _ ("This place has no line of a source.")
                                                         : _ ("Nothing of that place lives in this snapshot."));
  g_autofree char *path = source_file (self, f->file, &below),
                  *text = path ? disk_read (path, below, MOST_SOURCE, NULL, NULL) : NULL;
  if (!text) {
    why = g_strdup_printf (_ ("%s, line %u: the file was not found,\nneither beside the bundle, nor in it in the "
                              "folder “sources”,\nnor where the setting “sources” says."),
                           f->file, f->line);
    return heap_places_told (title, why);
  }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  uint32_t n = g_strv_length (lines), first = f->line > self->around ? f->line - (uint32_t) self->around : 1,
           last = (uint32_t) MIN ((int64_t) n, (int64_t) f->line + self->around);
  if (f->line > n) {
    why = g_strdup_printf (_ ("%s has no line %u: it is not the source of this program."), f->file, f->line);
    return heap_places_told (title, why);
  }
  StatsTable *t = stats_table_new (title, source_columns, G_N_ELEMENTS (source_columns), last - first + 1);
  for (uint32_t line = first; line <= last; line++) {
    g_autofree char *valid = g_utf8_make_valid (g_strchomp (lines[line - 1]), -1);
    stats_cell (t, line - first, 0)->whole = line;
    stats_table_set_name (t, line - first, 2, valid);
  }
  for (guint i = 0; i < s->places->len; i++) {
    const HeapSite *other = &g_array_index (s->places, HeapSite, i);
    if (!other->frame || g_strcmp0 (other->frame->file, f->file) != 0 || other->frame->line < first
        || other->frame->line > last)
      continue;
    uint32_t row = other->frame->line - first;
    StatsCell *cell = stats_cell (t, row, 1);
    cell->whole = (cell->whole > 0 ? cell->whole : 0) + (int64_t) other->words;
    stats_table_set_owner (t, row, snapshot_ref (&self->at.last, "Site", other->name), (TraceRef){ 0 });
  }
  return t;
}

/* ---- the component ------------------------------------------------------------------------------------------------------- */

static void
heap_places_make (EveComponent *c, HeapGraph *h)
{
  Places *self = (Places *) c;
  Sums s;

  sums_begin (&s, h);
  if (s.places->len == 0) {
    const char *why = _ ("Nothing was sampled: scope heap run --rate 1e-4");
    self->at.things[TREE] = snapshot_sentence (tree_columns, G_N_ELEMENTS (tree_columns), "Who allocated what lives",
                                               why);
    self->at.things[CALLS] = snapshot_sentence (call_columns, G_N_ELEMENTS (call_columns),
                                                "Calls that allocated what lives", why);
    self->at.things[SOURCE] = heap_places_told ("Source", why);
    eve_status (c, "%s", _ ("nothing was sampled"));
  } else {
    self->at.things[TREE] = heap_places_tree_table (self, &s);
    self->at.things[CALLS] = calls_table (self, h);
    self->at.things[SOURCE] = source_table (self, &s);
    eve_status (c, P_ ("%u place", "%u places", s.places->len), s.places->len);
  }
  sums_end (&s);
}
static const SnapshotMaker maker = { .outs = outs, .n_outs = G_N_ELEMENTS (outs), .make = heap_places_make };

static bool
heap_places_selected (EveComponent *c, const TraceRefs *selection)
{
  Places *self = (Places *) c;
  const char *name = NULL;

  for (uint32_t i = trace_refs_n (selection); i-- > 0 && !name;)
    name = snapshot_named (trace_refs_at (selection, i), "Site");
  if (!name || g_strcmp0 (name, self->selected) == 0)
    return false;
  g_free (self->selected);
  self->selected = g_strdup (name);
  snapshot_forget (&self->at);
  return true;
}

static bool
heap_places_knows (EveComponent *c, TraceRef what)
{
  const char *attribute = NULL;

  return trace_ref_named_by (what, &attribute) && attribute && g_str_equal (attribute, "Site");
}
static const TraceSelected follows = { heap_places_selected, heap_places_knows };

static const void *
heap_places_query (EveComponent *c, const char *name)
{
  return g_str_equal (name, TRACE_SELECTED) ? &follows : NULL;
}

static void
heap_places_finish (EveComponent *c)
{
  g_free (((Places *) c)->selected);
  snapshot_finish (c);
}

static bool
heap_places_init (EveComponent *c)
{
  snapshot_begin (c, &maker);
  return true;
}

static const EveClass places = {
  SNAPSHOT_CLASS (Places),
  .id = "scope.heap-places",
  .label = "Places of Allocation",
  .doc = "Who allocated what lives in the last heap snapshot: modules, their functions and places, and their source.",
  .help =
      "Connect the events of a reader of heap snapshots, `tree` to a Tree (*as*: table), `calls` to another (a flame "
      "graph), and `source` to a Table.\n\n"
      "`tree` goes from a module to its functions, and from these to the places in the source; *mostly* is the class "
      "of which most of it is, *give or take* the standard error.  A place that is selected, here or in a curve of "
      "places, is shown in `source`, with what each of its lines has allocated; the file is looked for in the folder "
      "*sources*, and nowhere else.\n\n"
      "All is estimated from what was sampled (`scope heap run --rate`): one word of so many.",
  .init = heap_places_init,
  .finish = heap_places_finish,
  .reset = snapshot_reset,
  .fire = snapshot_fire,
  .fire_span = snapshot_fire_span,
  .save = snapshot_save_base,
  .load = snapshot_load_base,
  .query = heap_places_query,
};
EVE_PLUGIN (&places);
