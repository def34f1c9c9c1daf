/* SPDX-License-Identifier: Apache-2.0 */
/* scope heap show, diff, check and export: what snapshots hold. */
#include <string.h>
#include "cli/heap.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/paint.h"

#define MOST_DEPTH 64

typedef struct ShowOptions {
  char *path_to, *sort, *block, *by;
  int top, depth, number, sites_by;
  gboolean json, quick, csv, folded, sites, strings, pieces, arrays;
} ShowOptions;

/* ---- opening ------------------------------------------------------------------------------------------------------------- */

HeapGraph *
heap_snapshot (const char *path, bool retained, int *status)
{
  GError *error = NULL;
  HeapGraph *h = heap_open (path, cli_progress (), &error);

  if (h && !(retained ? heap_dominate (h, cli_progress (), &error) : heap_reach (h, cli_progress (), &error)))
    g_clear_pointer (&h, heap_free);
  cli_progress_clear ();
  if (!h) {
    *status = cli_fail_error (path, error);
    return NULL;
  }
  for (guint i = 0; i < h->damage->len; i++)
    cli_note (path, "%s", (const char *) h->damage->pdata[i]);
  if (h->not_used)
    cli_note (path, "%s", h->not_used);
  return h;
}

/* Which of several: the last, or the one of --number. */
static const char *
heap_show_choose (const GPtrArray *files, int number)
{
  if (number == 0)
    return files->pdata[files->len - 1];
  for (guint i = 0; i < files->len; i++) {
    g_autofree char *name = g_path_get_basename (files->pdata[i]);
    if (g_ascii_strtoll (name, NULL, 10) == number)
      return files->pdata[i];
  }
  return NULL;
}

static int
no_snapshot (const char *bundle, const GPtrArray *files, int number)
{
  g_autofree char *first = g_path_get_basename (files->pdata[0]),
                  *last = g_path_get_basename (files->pdata[files->len - 1]);

  return cli_fail (bundle, _ ("there is no snapshot %d in it: it holds %u, from number %d to %d"), number, files->len,
                   (int) g_ascii_strtoll (first, NULL, 10), (int) g_ascii_strtoll (last, NULL, 10));
}

/* ---- show ------------------------------------------------------------------------------------------------------------------ */

static int
heap_show_by_retained (gconstpointer a, gconstpointer b)
{
  const HeapClass *x = *(HeapClass *const *) a, *y = *(HeapClass *const *) b;

  if (x->retained != y->retained)
    return x->retained > y->retained ? -1 : 1;
  return heap_by_live (a, b);
}

static GPtrArray *
classes_of (const HeapGraph *h, GCompareFunc by)
{
  GPtrArray *all = g_ptr_array_new ();

  for (guint i = 0; i < h->classes->len; i++) {
    HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    if (c->blocks > 0)
      g_ptr_array_add (all, c);
  }
  g_ptr_array_sort (all, by);
  return all;
}

typedef struct Totals {
  uint64_t blocks, words, live_blocks, live_words, static_live, sure[N_HEAP_SURE];
} Totals;

static Totals
totals_of (const HeapGraph *h)
{
  Totals t = { 0 };

  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    t.blocks += c->blocks;
    t.words += c->words;
    t.live_blocks += c->live_blocks;
    t.live_words += c->live_words;
    t.sure[c->sure] += c->live_words;
  }
  for (uint32_t b = h->n_heap; b < h->n_blocks; b++)
    t.static_live += h->live[b];
  return t;
}

char *
heap_threes (uint64_t n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);

  return paint_in_threes (digits, false);
}

static double
heap_show_percent (uint64_t part, uint64_t all)
{
  return all > 0 ? 100.0 * (double) part / (double) all : 0;
}

static void
json_totals (Json *j, const HeapGraph *h, const Totals *t)
{
  GHashTableIter iter;
  gpointer key, value;
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (h->info), (GCompareFunc) strcmp);

  (void) iter;
  json_open (j, "info", '{');
  for (GList *l = keys; l; l = l->next) {
    key = l->data;
    value = g_hash_table_lookup (h->info, key);
    uint64_t number;
    if (g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &number, NULL))
      json_count (j, key, number);
    else
      json_text (j, key, value);
  }
  json_close (j, '}');
  json_bool (j, "complete", h->complete);
  json_count (j, "damaged", h->n_damage);
  json_count (j, "blocks", t->blocks);
  json_count (j, "words", t->words);
  json_count (j, "live_blocks", t->live_blocks);
  json_count (j, "live_words", t->live_words);
  json_count (j, "garbage_blocks", t->blocks - t->live_blocks);
  json_count (j, "garbage_words", t->words - t->live_words);
  json_count (j, "static_blocks", t->static_live);
  json_count (j, "references", h->n_edges);
  json_open (j, "known", '{');
  for (int i = 0; i < N_HEAP_SURE; i++)
    json_count (j, heap_sure_names[i], t->sure[i]);
  json_close (j, '}');
}

static void
json_tree (Json *j, const HeapGraph *h, HeapTree *tree, uint32_t place, int depth, const ShowOptions *o)
{
  uint32_t n, node = h->node[place];
  const uint32_t *below = heap_tree_below (tree, place, &n);

  json_open (j, NULL, '{');
  json_text (j, "name", heap_node_name (h, node));
  if (node < h->n_blocks) {
    json_count (j, "block", node);
    json_count (j, "words", node < h->n_heap ? h->words[node] : 0);
  }
  json_count (j, "retained", h->retained[place]);
  if (depth < o->depth && n > 0) {
    json_open (j, "below", '[');
    for (uint32_t i = 0; i < MIN (n, (uint32_t) o->top) && h->retained[below[i]] > 0; i++)
      json_tree (j, h, tree, below[i], depth + 1, o);
    json_close (j, ']');
  }
  json_close (j, '}');
}

static void
print_tree (GString *to, const HeapGraph *h, HeapTree *tree, uint32_t place, int depth, const ShowOptions *o)
{
  uint32_t n, node = h->node[place], shown = 0;
  const uint32_t *below = heap_tree_below (tree, place, &n);
  g_autofree char *name = text_clean (g_strdup (heap_node_name (h, node)));

  g_autofree char *retained = heap_threes (h->retained[place]);
  g_autofree char *share = number_local (
      g_strdup_printf ("%5.1f", heap_show_percent (h->retained[place], h->retained[0])));
  g_string_append_printf (to, "  %14s  %s %%  %*s%s", retained, share, 2 * depth, "",
                          place == 0 ? _ ("all that is live") : name);
  if (node < h->n_blocks)
    g_string_append_printf (to, " #%u", node);
  g_string_append_c (to, '\n');
  if (depth >= o->depth)
    return;
  for (; shown < MIN (n, (uint32_t) o->top) && h->retained[below[shown]] > 0
         && h->retained[below[shown]] >= h->retained[0] / 1000;
       shown++)
    print_tree (to, h, tree, below[shown], depth + 1, o);
}

/* "#17", "17", or the name of a class.  False: there is no such block or class, or it was cancelled, which was told. */
static bool
heap_show_find_path (const HeapGraph *h, const char *what, GArray **path)
{
  const char *number = *what == '#' ? what + 1 : what;
  g_autoptr (GError) error = NULL;
  bool known = false;
  guint64 block;

  *path = NULL;
  if (*what == '#' || g_ascii_isdigit (*what)) {
    if (!g_ascii_string_to_unsigned (number, 10, 0, h->n_blocks > 0 ? h->n_blocks - 1 : 0, &block, NULL)
        || h->n_blocks == 0) {
      cli_fail (what, _ ("is no block of this snapshot: a block is # and its number, from #0 to #%u"),
                h->n_blocks > 0 ? h->n_blocks - 1 : 0);
      return false;
    }
    known = true;
    *path = heap_path (h, (uint32_t) block, cli_progress (), &error);
  }
  for (guint i = 0; i < h->classes->len && !*path && !error; i++)
    if (g_str_equal (g_array_index (h->classes, HeapClass, i).name, what)) {
      known = true;
      *path = heap_path_to_class (h, i, cli_progress (), &error);
    }
  cli_progress_clear ();
  if (error)
    cli_fail_error (what, g_steal_pointer (&error));
  else if (!known)
    cli_fail (what, _ ("is no class of this snapshot: without --path its classes are listed (--top N: more of them)"));
  else
    return true;
  return false;
}

static bool
print_path (GString *to, Json *j, const HeapGraph *h, const char *what)
{
  g_autoptr (GArray) path = NULL;

  if (!heap_show_find_path (h, what, &path))
    return false;
  if (j)
    json_open (j, "path", '[');
  else
    g_string_append_printf (to, _ ("\nShortest way from a root to %s:\n"), what);
  if (!path && !j)
    g_string_append (to, _ ("  there is none: no such block is kept alive\n"));
  for (guint i = 0; path && i < path->len; i++) {
    uint32_t node = g_array_index (path, uint32_t, i);
    if (j) {
      json_open (j, NULL, '{');
      json_text (j, "name", heap_node_name (h, node));
      if (node < h->n_blocks)
        json_count (j, "block", node);
      json_close (j, '}');
    } else {
      g_autofree char *name = text_clean (g_strdup (heap_node_name (h, node)));
      g_string_append_printf (to, "  %*s%s", (int) MIN (2 * i, 40), "", name);
      if (node < h->n_blocks)
        g_string_append_printf (to, " #%u%s", node, node >= h->n_heap ? " (static)" : "");
      g_string_append_c (to, '\n');
    }
  }
  if (j)
    json_close (j, ']');
  return true;
}

static void
print_classes (GString *to, GPtrArray *classes, const Totals *t, const ShowOptions *o)
{
  Table *table = table_new ("rrrrrll");

  table_heads (table, N_ ("live words"), "%", N_ ("live blocks"), N_ ("retained"), N_ ("garbage"), N_ ("class"),
               N_ ("known"));
  for (guint i = 0; i < classes->len && i < (guint) o->top; i++) {
    const HeapClass *c = classes->pdata[i];
    g_autofree char *name = text_clean (g_strdup (c->name));
    g_autofree char *live = heap_threes (c->live_words), *blocks = heap_threes (c->live_blocks),
                    *retained = heap_threes (c->retained), *garbage = heap_threes (c->words - c->live_words);
    table_cell (table, "%s", live);
    table_decimal (table, heap_show_percent (c->live_words, t->live_words), 1);
    table_cell (table, "%s", blocks);
    table_cell (table, "%s", o->quick ? "-" : retained);
    table_cell (table, "%s", garbage);
    table_cell (table, "%s", name);
    table_cell (table, "%s", in_words (heap_sure_names[c->sure]));
  }
  table_print (table, 2, to);
  if (classes->len > (guint) o->top)
    g_string_append_printf (to, _ ("  %d of %u classes\n"), o->top, classes->len);
}

static const char *
info_text (const HeapGraph *h, const char *key)
{
  const char *text = g_hash_table_lookup (h->info, key);

  return text ? text : "?";
}

static void
print_text (GString *to, const HeapGraph *h, const Totals *t, GPtrArray *classes, const ShowOptions *o)
{
  text_line (to, N_ ("program"), _ ("%s, OCaml %s, process %s"), info_text (h, "program"), info_text (h, "ocaml"),
             info_text (h, "pid"));
  g_autofree char *elapsed = number_local (
      g_strdup_printf ("%.3f", (double) heap_number (h->info, "elapsed_ns", 0) / 1e9));
  text_line (to, N_ ("snapshot"), _ ("%s (%s%s%s), after %s s"), info_text (h, "number"), info_text (h, "trigger"),
             *info_text (h, "label") ? ": " : "", info_text (h, "label"), elapsed);
  g_autofree char *words = heap_threes (heap_number (h->info, "heap_words", 0)),
                  *free_words = heap_threes (heap_number (h->info, "free_words", 0)),
                  *pieces = heap_threes (heap_number (h->info, "free_blocks", 0)), *live = heap_threes (t->live_words),
                  *live_blocks = heap_threes (t->live_blocks), *garbage = heap_threes (t->words - t->live_words),
                  *garbage_blocks = heap_threes (t->blocks - t->live_blocks);
  uint64_t skipped = heap_number (h->info, "skipped", 0), failed = heap_number (h->info, "failed", 0);
  uint64_t word = heap_number (h->info, "word", 8), all = heap_number (h->info, "heap_words", 0);
  g_autofree char *heap_size = number_local (g_format_size (all * word)),
                  *live_size = number_local (g_format_size (t->live_words * word)),
                  *garbage_size = number_local (g_format_size ((t->words - t->live_words) * word));
  text_line (to, N_ ("heap"), _ ("%s words (%s), %s free in %s pieces, %s compactions"), words, heap_size, free_words,
             pieces, info_text (h, "compactions"));
  text_line (to, N_ ("live"), _ ("%s words (%s) in %s blocks"), live, live_size, live_blocks);
  text_line (to, N_ ("garbage"), _ ("%s words (%s) in %s blocks"), garbage, garbage_size, garbage_blocks);
  if (skipped + failed > 0)
    text_line (to, N_ ("left out"),
               _ ("%" PRIu64 " snapshots before it were due and not begun, %" PRIu64 " were not written to their end"),
               skipped, failed);
  g_autofree char *known = number_local (g_strdup_printf (
      _ ("%.1f %% of the live words exactly, %.1f %% inferred, %.1f %% guessed, %.1f %% by shape alone"),
      heap_show_percent (t->sure[HEAP_EXACT], t->live_words), heap_show_percent (t->sure[HEAP_INFERRED], t->live_words),
      heap_show_percent (t->sure[HEAP_GUESSED], t->live_words),
      heap_show_percent (t->sure[HEAP_UNKNOWN], t->live_words)));
  text_line (to, N_ ("known"), "%s", known);
  g_string_append (to, _ ("\nClasses:\n"));
  print_classes (to, classes, t, o);
  heap_print_sites (to, h, t->live_words, (HeapBy) o->sites_by, o->top);
}

/* What was asked for else. */
static bool
tell_more (Json *j, GString *to, const HeapGraph *h, const char *path, const ShowOptions *o)
{
  if (o->arrays)
    heap_tell_arrays (j, to, h, o->top);
  return (!o->path_to || print_path (to, j, h, o->path_to))
         && (!o->block || heap_tell_block (j, to, h, o->block, o->top))
         && (!o->strings || heap_tell_strings (j, to, h, path, o->top))
         && (!o->pieces || heap_tell_pieces (j, to, path, o->top));
}

static int
show_one (const char *path, const ShowOptions *o)
{
  int status = CLI_OK;
  HeapGraph *h = heap_snapshot (path, !o->quick, &status);

  if (!h)
    return status;
  g_autoptr (GString) to = g_string_new (NULL);
  Totals t = totals_of (h);
  g_autoptr (GPtrArray)
      classes = classes_of (h, g_strcmp0 (o->sort, "retained") == 0 ? heap_show_by_retained : heap_by_live);
  HeapTree *tree = o->quick ? NULL : heap_tree_new (h);
  Json j = { .to = to };

  if (o->json) {
    json_open (&j, NULL, '{');
    json_text (&j, "file", path);
    json_totals (&j, h, &t);
    json_open (&j, "classes", '[');
    for (guint i = 0; i < classes->len && i < (guint) o->top; i++) {
      const HeapClass *c = classes->pdata[i];
      json_open (&j, NULL, '{');
      json_text (&j, "name", c->name);
      json_text (&j, "known", heap_sure_names[c->sure]);
      json_count (&j, "blocks", c->blocks);
      json_count (&j, "words", c->words);
      json_count (&j, "live_blocks", c->live_blocks);
      json_count (&j, "live_words", c->live_words);
      if (!o->quick)
        json_count (&j, "retained", c->retained);
      json_close (&j, '}');
    }
    json_close (&j, ']');
    heap_json_sites (&j, h, (HeapBy) o->sites_by, o->top);
    if (tree) {
      json_key (&j, "tree");
      j.comma = false;
      json_tree (&j, h, tree, 0, 0, o);
    }
    if (!tell_more (&j, to, h, path, o))
      status = CLI_FAILED;
    json_close (&j, '}');
    g_string_append_c (to, '\n');
  } else {
    print_text (to, h, &t, classes, o);
    if (tree) {
      g_string_append (to, _ ("\nWords that would be free without it:\n"));
      print_tree (to, h, tree, 0, 0, o);
    }
    if (!tell_more (NULL, to, h, path, o))
      status = CLI_FAILED;
  }
  heap_tree_free (tree);
  heap_free (h);
  if (status == CLI_OK)
    cli_out (to);
  return status;
}

static int
show_command (const CliCommand *self, int argc, char **argv)
{
  ShowOptions o = { .top = 20, .depth = 3 };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, _ ("As JSON"), NULL },
    { "number", 'n', 0, G_OPTION_ARG_INT, &o.number, _ ("Which snapshot of the bundle; the last if not given"), "N" },
    { "top", 0, 0, G_OPTION_ARG_INT, &o.top, _ ("So many classes, and so many blocks below each (20)"), "N" },
    { "depth", 0, 0, G_OPTION_ARG_INT, &o.depth, _ ("So many levels of the tree of what keeps what alive (3)"), "N" },
    { "sort", 0, 0, G_OPTION_ARG_STRING, &o.sort, _ ("Classes by: live (words), or retained"), "HOW" },
    { "path", 0, 0, G_OPTION_ARG_STRING, &o.path_to,
      _ ("Also the shortest way from a root to this block, or to one of this class"), "#BLOCK|CLASS" },
    { "block", 0, 0, G_OPTION_ARG_STRING, &o.block, _ ("Also what this block refers to, and what refers to it"),
      _ ("#BLOCK") },
    { "by", 0, 0, G_OPTION_ARG_STRING, &o.by, _ ("Where it was allocated, by: site (place), function, or module"),
      "HOW" },
    { "arrays", 0, 0, G_OPTION_ARG_NONE, &o.arrays, _ ("Also how many fields of arrays refer to a block"), NULL },
    { "strings", 0, 0, G_OPTION_ARG_NONE, &o.strings, _ ("Also strings that are there more than once"), NULL },
    { "pieces", 0, 0, G_OPTION_ARG_NONE, &o.pieces, _ ("Also the pieces of the heap, and what is free in them"), NULL },
    { "quick", 0, 0, G_OPTION_ARG_NONE, &o.quick, _ ("Without what is retained"), NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  if (o.top < 1 || o.depth < 0 || o.depth > MOST_DEPTH || o.number < 0
      || (o.sort && !g_str_equal (o.sort, "live") && !g_str_equal (o.sort, "retained")))
    return cli_usage (self->name, _ ("--top and --number are 1 or more, --depth 0 to %d, --sort live or retained"),
                      MOST_DEPTH);
  static const char *const ways[] = { "site", "function", "module", NULL };
  while (o.by && ways[o.sites_by] && !g_str_equal (o.by, ways[o.sites_by]))
    o.sites_by++;
  bool unknown = o.by && !ways[o.sites_by];
  g_free (o.by);
  if (unknown)
    return cli_usage (self->name, _ ("--by is site, function or module"));
  g_autoptr (GPtrArray) files = heap_files (argv[1]);
  if (!files)
    return CLI_FAILED;
  const char *file = heap_show_choose (files, o.number);
  if (!file)
    return no_snapshot (argv[1], files, o.number);
  int status = show_one (file, &o);
  g_free (o.path_to);
  g_free (o.block);
  g_free (o.sort);
  return status;
}

const CliCommand cli_heap_show = {
  "heap show",
  "NAME.trace|FILE.heap",
  N_ ("Tells what a snapshot holds, what of it is garbage, and what keeps the rest alive."),
  "  scope heap show run.trace --number 3 --path string\n",
  show_command,
};

/* ---- diff ------------------------------------------------------------------------------------------------------------------ */

typedef struct Delta {
  const char *name;
  int64_t blocks, words;
} Delta;

static int
heap_show_by_growth (gconstpointer a, gconstpointer b)
{
  const Delta *x = *(Delta *const *) a, *y = *(Delta *const *) b;

  if (x->words != y->words)
    return x->words > y->words ? -1 : 1;
  return strcmp (x->name, y->name);
}

static void
add_deltas (GHashTable *deltas, const HeapGraph *h, int sign)
{
  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    Delta *d = g_hash_table_lookup (deltas, c->name);
    if (!d) {
      d = g_new0 (Delta, 1);
      char *name = g_strdup (c->name);
      d->name = name;
      g_hash_table_insert (deltas, name, d);
    }
    d->blocks += sign * (int64_t) c->live_blocks;
    d->words += sign * (int64_t) c->live_words;
  }
}

static int
diff_two (const char *before, const char *after, const ShowOptions *o)
{
  g_autoptr (GHashTable) deltas = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const char *const paths[] = { before, after };
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  g_autoptr (GString) to = g_string_new (NULL);
  GHashTableIter iter;
  gpointer value;
  int64_t words = 0, blocks = 0;

  for (int i = 0; i < 2; i++) {
    int status = CLI_OK;
    HeapGraph *h = heap_snapshot (paths[i], false, &status);
    if (!h)
      return status;
    add_deltas (deltas, h, i == 0 ? -1 : 1);
    heap_free (h);
  }
  g_hash_table_iter_init (&iter, deltas);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Delta *d = value;
    words += d->words;
    blocks += d->blocks;
    if (d->words != 0 || d->blocks != 0)
      g_ptr_array_add (sorted, value);
  }
  g_ptr_array_sort (sorted, heap_show_by_growth);
  Json j = { .to = to };
  Table *table = o->json ? NULL : table_new ("rrl");
  if (o->json) {
    json_open (&j, NULL, '{');
    json_text (&j, "before", before);
    json_text (&j, "after", after);
    json_int (&j, "live_words", words);
    json_int (&j, "live_blocks", blocks);
    json_open (&j, "classes", '[');
  } else {
    table_heads (table, N_ ("words"), N_ ("blocks"), N_ ("class"));
  }
  for (guint i = 0; i < sorted->len; i++) {
    const Delta *d = sorted->pdata[i];
    if (o->json) {
      json_open (&j, NULL, '{');
      json_text (&j, "name", d->name);
      json_int (&j, "words", d->words);
      json_int (&j, "blocks", d->blocks);
      json_close (&j, '}');
    } else if (i < (guint) o->top || i + (guint) o->top >= sorted->len) {
      g_autofree char *name = text_clean (g_strdup (d->name));
      table_cell (table, "%+" G_GINT64_FORMAT, d->words);
      table_cell (table, "%+" G_GINT64_FORMAT, d->blocks);
      table_cell (table, "%s", name);
    }
  }
  if (o->json) {
    json_close (&j, ']');
    json_close (&j, '}');
    g_string_append_c (to, '\n');
  } else {
    table_print (table, 2, to);
    g_string_append_printf (to, _ ("  %+" PRId64 " live words, %+" PRId64 " blocks in all\n"), words, blocks);
  }
  cli_out (to);
  return CLI_OK;
}

static int
diff_command (const CliCommand *self, int argc, char **argv)
{
  ShowOptions o = { .top = 20 };
  int from = 0, until = 0;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, _ ("As JSON, all classes"), NULL },
    { "top", 0, 0, G_OPTION_ARG_INT, &o.top, _ ("So many classes that grew and that shrank (20)"), "N" },
    { "from", 0, 0, G_OPTION_ARG_INT, &from, _ ("Of a bundle: this snapshot; the first if not given"), "N" },
    { "to", 0, 0, G_OPTION_ARG_INT, &until, _ ("Of a bundle: this snapshot; the last if not given"), "N" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, 2))
    return CLI_USAGE;
  if (o.top < 1 || from < 0 || until < 0)
    return cli_usage (self->name, _ ("--top, --from and --to are 1 or more"));
  g_autoptr (GPtrArray) first = heap_files (argv[1]), second = argc > 2 ? heap_files (argv[2]) : NULL;
  if (!first || (argc > 2 && !second))
    return CLI_FAILED;
  const char *before = from || second ? heap_show_choose (first, from) : first->pdata[0],
             *after = heap_show_choose (second ? second : first, until);
  if (!before || !after)
    return no_snapshot (argv[!before || argc < 3 ? 1 : 2], !before || !second ? first : second, !before ? from : until);
  return diff_two (before, after, &o);
}

const CliCommand cli_heap_diff = {
  "heap diff",
  "NAME.trace|BEFORE.heap [AFTER.trace|AFTER.heap]",
  N_ ("Tells which classes of live blocks grew and shrank from one snapshot to another."),
  "  scope heap diff run.trace --from 1 --to 5\n"
  "  scope heap diff before.trace after.trace\n",
  diff_command,
};

/* ---- check ------------------------------------------------------------------------------------------------------------------ */

/* What the runtime counts and what was found; gives how many sentences there are. */
static uint64_t
check_one (const char *path, GString *to, int *status)
{
  HeapGraph *h = heap_snapshot (path, false, status);
  g_autoptr (GPtrArray) lies = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;

  if (!h)
    return 1;
  Totals t = totals_of (h);
  if (h->complete && !heap_compare (h, path, lies, &error)) { /* of what was cut the end is missing, which is told */
    *status = cli_fail_error (path, error);
    heap_free (h);
    return 1;
  }
  for (guint i = 0; i < lies->len; i++)
    g_string_append_printf (to, "%s: %s\n", path, (const char *) lies->pdata[i]);
  uint64_t faults = h->n_damage + lies->len;
  g_string_append_printf (to,
                          _ ("%s: %s, %" PRIu64 " blocks, %" PRIu64 " live, %" PRIu64 " references, %" PRIu64
                             " of garbage into what is no more\n"),
                          path, faults ? "damaged" : "good", t.blocks, t.live_blocks, (uint64_t) h->n_edges,
                          heap_number (h->info, "dangling", 0));
  heap_free (h);
  return faults;
}

static int
heap_show_check_command (const CliCommand *self, int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };
  g_autoptr (GString) to = g_string_new (NULL);
  uint64_t faults = 0;
  int status = CLI_OK;

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  g_autoptr (GPtrArray) files = heap_files (argv[1]);
  if (!files)
    return CLI_FAILED;
  for (guint i = 0; i < files->len && !cli_interrupted (); i++)
    faults += check_one (files->pdata[i], to, &status);
  cli_out (to);
  return faults > 0 ? CLI_FAILED : status;
}

const CliCommand cli_heap_check = {
  "heap check",
  "NAME.trace|FILE.heap",
  N_ ("Reads snapshots, and compares them with what the runtime itself counts."),
  "  scope heap check run.trace\n",
  heap_show_check_command,
};

/* ---- export ------------------------------------------------------------------------------------------------------------------ */

/* A line for each path of the tree of dominators, merged by name: "globals;Main;string 120". */
static void
heap_show_fold (GHashTable *sums, const HeapGraph *h, HeapTree *tree, uint32_t place, const char *above, int depth,
                const ShowOptions *o)
{
  uint32_t n;
  const uint32_t *below = heap_tree_below (tree, place, &n);
  g_autofree char *name = text_clean (g_strdup (heap_node_name (h, h->node[place])));
  g_strdelimit (name, ";", ',');
  char *path = above ? g_strconcat (above, ";", name, NULL) : g_strdup (name);
  uint64_t own = h->retained[place];

  for (uint32_t i = 0; i < n && depth < o->depth; i++) {
    if (h->retained[below[i]] == 0)
      break;
    own -= h->retained[below[i]];
    heap_show_fold (sums, h, tree, below[i], path, depth + 1, o);
  }
  uint64_t *sum = g_hash_table_lookup (sums, path);
  if (!sum) {
    sum = g_new0 (uint64_t, 1);
    g_hash_table_insert (sums, path, sum);
  } else {
    g_free (path);
  }
  *sum += own;
}

static void
put_csv (GString *to, const HeapGraph *h)
{
  g_autoptr (GPtrArray) classes = classes_of (h, heap_by_live);

  g_string_append (to, "class,known,blocks,words,live_blocks,live_words,retained_words\n");
  for (guint i = 0; i < classes->len; i++) {
    const HeapClass *c = classes->pdata[i];
    g_auto (GStrv) parts = g_strsplit (c->name, "\"", -1);
    g_autofree char *quoted = g_strjoinv ("\"\"", parts);
    g_string_append_printf (to,
                            "\"%s\",%s,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
                            ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
                            quoted, heap_sure_names[c->sure], c->blocks, c->words, c->live_blocks, c->live_words,
                            c->retained);
  }
}

static int
heap_show_export_command (const CliCommand *self, int argc, char **argv)
{
  ShowOptions o = { .depth = 12 };
  const GOptionEntry entries[] = {
    { "folded", 0, 0, G_OPTION_ARG_NONE, &o.folded,
      _ ("Retained words as folded stacks, for flame graphs; else classes as CSV"), NULL },
    { "sites", 0, 0, G_OPTION_ARG_NONE, &o.sites,
      _ ("Live words as folded stacks of the calls that allocated them, of what was sampled"), NULL },
    { "number", 'n', 0, G_OPTION_ARG_INT, &o.number, _ ("Which snapshot of the bundle; the last if not given"), "N" },
    { "depth", 0, 0, G_OPTION_ARG_INT, &o.depth, _ ("So many levels of folded stacks (12)"), "N" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  int status = CLI_OK;

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  if (o.depth < 0 || o.depth > MOST_DEPTH)
    return cli_usage (self->name, _ ("--depth is 0 to %d"), MOST_DEPTH);
  g_autoptr (GPtrArray) files = heap_files (argv[1]);
  if (!files)
    return CLI_FAILED;
  const char *file = heap_show_choose (files, o.number);
  if (!file)
    return no_snapshot (argv[1], files, o.number);
  HeapGraph *h = heap_snapshot (file, !o.sites, &status);
  if (!h)
    return status;
  g_autoptr (GString) to = g_string_new (NULL);
  if (o.sites) {
    heap_fold_sites (to, h);
  } else if (o.folded) {
    g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    HeapTree *tree = heap_tree_new (h);
    heap_show_fold (sums, h, tree, 0, NULL, 0, &o);
    heap_tree_free (tree);
    g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (sums), (GCompareFunc) strcmp);
    for (GList *l = keys; l; l = l->next) {
      uint64_t sum = *(uint64_t *) g_hash_table_lookup (sums, l->data);
      if (sum > 0)
        g_string_append_printf (to, "%s %" G_GUINT64_FORMAT "\n", (char *) l->data, sum);
    }
  } else {
    put_csv (to, h);
  }
  heap_free (h);
  cli_out (to);
  return CLI_OK;
}

const CliCommand cli_heap_export = {
  "heap export",
  "NAME.trace|FILE.heap",
  N_ ("Writes classes as CSV, or retained words as folded stacks, on standard output."),
  "  scope heap export run.trace --folded > run.folded\n",
  heap_show_export_command,
};
