/* SPDX-License-Identifier: Apache-2.0 */
/* scope heap leaks: which classes of blocks grow from snapshot to snapshot, and who keeps them. */
#include <string.h>
#include "cli/heap.h"
#include "eve/number.h"
#include "eve/words.h"
#include "cli/text.h"

/* A class over the snapshots. */
typedef struct Growth {
  char *name;
  HeapSure sure;
  GArray *words; /* of uint64_t, a number for each snapshot so far */
  guint grew;    /* in so many steps from one to the next */
} Growth;

typedef struct Leaks {
  GHashTable *classes; /* name -> Growth * */
  GArray *seconds;     /* of double: when each snapshot was taken */
  gboolean json;
  int top;
} Leaks;

static void
free_growth (gpointer p)
{
  Growth *g = p;

  g_free (g->name);
  g_array_unref (g->words);
  g_free (g);
}

static uint64_t
heap_leaks_words_of (const Growth *g, guint i)
{
  return i < g->words->len ? g_array_index (g->words, uint64_t, i) : 0;
}

/* How much a class has become larger, from the first snapshot to the last. */
static int64_t
growth_of (const Growth *g)
{
  return (int64_t) heap_leaks_words_of (g, g->words->len - 1) - (int64_t) heap_leaks_words_of (g, 0);
}

/* Classes of one name are one: constructors of exceptions may be called alike. */
static void
add_snapshot (Leaks *l, const HeapGraph *h)
{
  guint n = l->seconds->len;
  double at = (double) heap_number (h->info, "elapsed_ns", 0) / 1e9;
  GHashTableIter iter;
  gpointer value;

  g_array_append_val (l->seconds, at);
  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    Growth *g = g_hash_table_lookup (l->classes, c->name);
    if (!g) {
      g = g_new0 (Growth, 1);
      g->name = g_strdup (c->name);
      g->sure = c->sure;
      g->words = g_array_new (FALSE, TRUE, sizeof (uint64_t));
      g_hash_table_insert (l->classes, g->name, g);
    }
    g_array_set_size (g->words, n + 1);
    g_array_index (g->words, uint64_t, n) += c->live_words;
  }
  g_hash_table_iter_init (&iter, l->classes);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Growth *g = value;
    g_array_set_size (g->words, n + 1); /* with 0, where it has none */
    g->grew += n > 0 && heap_leaks_words_of (g, n) > heap_leaks_words_of (g, n - 1);
  }
}

static int
heap_leaks_by_growth (gconstpointer a, gconstpointer b)
{
  const Growth *x = *(Growth *const *) a, *y = *(Growth *const *) b;
  int64_t m = growth_of (x), n = growth_of (y);

  return m != n ? (m > n ? -1 : 1) : strcmp (x->name, y->name);
}

/* Those that have become larger, and in two steps of three at least; the most first. */
static GPtrArray *
heap_leaks_suspects_of (const Leaks *l)
{
  GPtrArray *all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, l->classes);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Growth *g = value;
    if (heap_leaks (heap_leaks_words_of (g, 0), heap_leaks_words_of (g, g->words->len - 1), g->grew,
                    l->seconds->len - 1))
      g_ptr_array_add (all, value);
  }
  g_ptr_array_sort (all, heap_leaks_by_growth);
  return all;
}

static void
json_gathers (Json *j, const HeapGraph *h, const GArray *way, uint64_t words, uint64_t below)
{
  json_count (j, "kept_words", words);
  json_count (j, "kept_below", below);
  json_open (j, "kept_by", '[');
  for (guint i = 1; way && i < way->len; i++) {
    uint32_t place = g_array_index (way, uint32_t, i), node = h->node[place];
    json_open (j, NULL, '{');
    json_text (j, "name", heap_node_name (h, node));
    if (node < h->n_blocks)
      json_count (j, "block", node);
    json_count (j, "retained", h->retained[place]);
    json_close (j, '}');
  }
  json_close (j, ']');
}

static void
print_gathers (GString *to, const HeapGraph *h, const GArray *way, uint64_t words, uint64_t below)
{
  if (way->len < 2) {
    g_string_append_printf (to, _ ("      no one keeps %.0f %% of it\n"), 100 * HEAP_MOSTLY);
    return;
  }
  g_autofree char *kept = number_local (
      g_strdup_printf (_ ("      %.1f %% of it is kept by "), 100 * (double) below / (double) MAX (words, 1)));
  g_string_append (to, kept);
  for (guint i = 1; i < way->len; i++) {
    uint32_t node = h->node[g_array_index (way, uint32_t, i)];
    g_autofree char *name = text_clean (g_strdup (heap_node_name (h, node)));
    g_string_append_printf (to, "%s%s", i > 1 ? " > " : "", name);
    if (node < h->n_blocks)
      g_string_append_printf (to, " #%u", node);
  }
  g_string_append_c (to, '\n');
}

static bool
heap_leaks_tell_one (const Leaks *l, const Growth *g, const HeapGraph *h, GString *to, Json *j)
{
  uint64_t words = 0, below = 0;
  uint32_t class = heap_class_named (h, g->name);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) way = class != TRACE_NONE ? heap_gathers (h, class, HEAP_MOSTLY, &words, &below, &error) : NULL;
  guint last = l->seconds->len - 1;

  if (error) {
    cli_fail_error (g->name, g_steal_pointer (&error));
    return false;
  }
  if (l->json) {
    json_open (j, NULL, '{');
    json_text (j, "name", g->name);
    json_text (j, "known", heap_sure_names[g->sure]);
    json_int (j, "growth", growth_of (g));
    json_count (j, "grew", g->grew);
    json_open (j, "words", '[');
    for (guint i = 0; i <= last; i++)
      json_count (j, NULL, heap_leaks_words_of (g, i));
    json_close (j, ']');
    json_gathers (j, h, way, words, below);
    json_close (j, '}');
    return true;
  }
  g_autofree char *more = heap_threes ((uint64_t) growth_of (g)), *from = heap_threes (heap_leaks_words_of (g, 0)),
                  *until = heap_threes (heap_leaks_words_of (g, last)), *name = text_clean (g_strdup (g->name));
  g_string_append_printf (to, _ ("  +%s words, from %s to %s, in %u of %u steps: %s (%s)\n"), more, from, until,
                          g->grew, last, name, in_words (heap_sure_names[g->sure]));
  if (way)
    print_gathers (to, h, way, words, below);
  return true;
}

static int
heap_leaks_tell (const Leaks *l, const char *trace, const HeapGraph *h)
{
  g_autoptr (GPtrArray) suspects = heap_leaks_suspects_of (l);
  g_autoptr (GString) to = g_string_new (NULL);
  Json j = { .to = to };
  guint n = l->seconds->len, shown = MIN (suspects->len, (guint) l->top);

  if (l->json) {
    json_open (&j, NULL, '{');
    json_text (&j, "trace", trace);
    json_count (&j, "snapshots", n);
    json_open (&j, "suspects", '[');
  } else if (suspects->len == 0) {
    g_string_append_printf (to, _ ("No class of blocks grows in two of three steps between the %u snapshots.\n"), n);
  } else {
    g_autofree char *head = number_local (g_strdup_printf (
        _ ("Classes of blocks that grow, over %u snapshots from %.3f s to %.3f s, and who keeps them in "
           "the last one:\n\n"),
        n, g_array_index (l->seconds, double, 0), g_array_index (l->seconds, double, n - 1)));
    g_string_append (to, head);
  }
  for (guint i = 0; i < shown; i++)
    if (!heap_leaks_tell_one (l, suspects->pdata[i], h, to, &j))
      return CLI_FAILED;
  if (l->json) {
    json_close (&j, ']');
    json_close (&j, '}');
    g_string_append_c (to, '\n');
  } else if (shown < suspects->len) {
    g_string_append_printf (to, _ ("  %u of %u classes that grow\n"), shown, suspects->len);
  }
  cli_out (to);
  return CLI_OK;
}

static int
leaks_command (const CliCommand *self, int argc, char **argv)
{
  Leaks l = { .top = 10 };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &l.json, _ ("As JSON, with the words in each snapshot"), NULL },
    { "top", 0, 0, G_OPTION_ARG_INT, &l.top, _ ("So many classes (10)"), "N" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  int status = CLI_OK;

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  if (l.top < 1)
    return cli_usage (self->name, _ ("--top is 1 or more"));
  g_autoptr (GPtrArray) files = heap_files (argv[1]);
  if (!files)
    return CLI_FAILED;
  if (files->len < 2)
    return cli_fail (argv[1],
                     _ ("what grows is seen from two snapshots on: `scope heap run --every N`, or `scope heap dump`"));
  l.classes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_growth);
  l.seconds = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < files->len && status == CLI_OK; i++) {
    bool last = i + 1 == files->len;
    HeapGraph *h = heap_snapshot (files->pdata[i], last, &status);
    if (h)
      add_snapshot (&l, h);
    if (h && last)
      status = heap_leaks_tell (&l, argv[1], h);
    heap_free (h);
  }
  g_hash_table_unref (l.classes);
  g_array_unref (l.seconds);
  return status;
}

const CliCommand cli_heap_leaks = {
  "heap leaks",
  "NAME.trace",
  N_ ("Tells which classes of live blocks grow from snapshot to snapshot, and which block keeps most of them alive."),
  "  scope heap leaks run.trace\n",
  leaks_command,
};
