/* SPDX-License-Identifier: Apache-2.0 */
/* synth-test.c - synthetic traces are reproducible, of the size asked for, and possible. */
#include "tests/readers/traces.h"

static char *
make (uint32_t tasks, uint64_t records, uint64_t seed)
{
  char *bundle = traces_make (NULL, 0, NULL, NULL);
  g_autofree char *folder = traces_folder (bundle);
  g_autoptr (GError) error = NULL;
  g_assert_true (tapepvm_format.synth (folder, &(TraceSynth){ tasks, records, seed, NULL }, &error));
  g_assert_no_error (error);
  return bundle;
}

static char *
content (const char *bundle, gsize *n)
{
  g_autofree char *folder = traces_folder (bundle), *file = g_build_filename (folder, "events", NULL);
  char *text;
  g_assert_true (g_file_get_contents (file, &text, n, NULL));
  return text;
}

static void
test_reproducible (void)
{
  g_autofree char *a = make (20, 5000, 7), *b = make (20, 5000, 7), *c = make (20, 5000, 8);
  gsize n, m, k;
  g_autofree char *x = content (a, &n), *y = content (b, &m), *z = content (c, &k);
  g_assert_cmpmem (x, n, y, m);
  g_assert_cmpstr (x, !=, z);
  /* The same on any machine. */
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) x, n);
  g_assert_cmpstr (sum, ==, "1ce9f87edc62e2b42400e3d4fa628b8c2837aa76daf332da495baa6dfd6a15d2");
}

/* A message on its way: what was sent and not yet received, by (from, to, tag). */
static guint64
way (uint32_t from, uint32_t to, int tag)
{
  return (guint64) from << 40 | (guint64) to << 12 | (guint64) tag;
}

static void
send_to (GHashTable *sent, uint32_t from, uint32_t to, int tag)
{
  guint64 key = way (from, to, tag), *copy = g_memdup2 (&key, sizeof key);
  g_hash_table_insert (sent, copy, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (sent, &key)) + 1));
}

static void
check (uint32_t tasks, uint64_t records, unsigned most_partners)
{
  g_autofree char *bundle = make (tasks, records, 3);
  TraceSource *s = traces_open (bundle, NULL);
  g_test_message ("%u tasks, %u records", tasks, (unsigned) records);
  g_assert_cmpuint (s->n_records, ==, records);
  g_assert_true (s->abilities & TRACE_SORTED);
  g_autoptr (GArray) all = traces_read (s);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  g_assert_cmpuint (s->tasks->len, ==, tasks);
  g_autoptr (GHashTable) sent = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) partners = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree uint8_t *open = g_malloc0 (tasks), *alive = g_malloc0 (tasks);
  g_autofree unsigned *n_partners = g_new0 (unsigned, tasks);
  unsigned kinds = 0, waited = 0, received = 0;
  bool seen[TP_MAX_KINDS] = { false };
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, i);
    const char *name = s->kinds[e->kind].name;
    bool end = e->flags & TRACE_END;
    kinds += !seen[e->kind];
    seen[e->kind] = true;
    g_assert_false (e->flags & TRACE_UNFINISHED);
    /* A task enrolls first, exits last, and does one thing at a time. */
    g_assert_cmpint (alive[e->task], ==, !g_str_equal (name, "Enroll"));
    alive[e->task] = !g_str_equal (name, "Exit");
    if (!(e->flags & TRACE_INSTANT)) {
      g_assert_cmpint (open[e->task], ==, end);
      open[e->task] = !end;
    }
    if (e->peer != TRACE_NONE && e->peer != e->task) {
      guint64 pair = way (e->task, e->peer, 0);
      if (!g_hash_table_contains (partners, &pair)) {
        g_hash_table_add (partners, g_memdup2 (&pair, sizeof pair));
        n_partners[e->task]++;
      }
    }
    bool sends = g_str_equal (name, "Send") || g_str_equal (name, "PSend");
    uint32_t n;
    const uint32_t *list;
    if (end && sends) {
      send_to (sent, e->task, e->peer, e->tag);
    } else if (end && g_str_equal (name, "Mcast")) {
      list = trace_list (e, &n);
      for (uint32_t k = 0; k < n; k++)
        send_to (sent, e->task, list[k], e->tag);
    } else if (end && g_str_equal (name, "Bcast")) {
      for (uint32_t k = e->task / 8 * 8; k < MIN (tasks, e->task / 8 * 8 + 8); k++)
        if (k != e->task)
          send_to (sent, e->task, k, e->tag);
    } else if (end && g_str_has_suffix (name, "Recv")) {
      guint64 key = way (e->peer, e->task, e->tag);
      guint there = GPOINTER_TO_UINT (g_hash_table_lookup (sent, &key));
      g_assert_cmpuint (there, >, 0); /* nothing is received before it was sent */
      g_assert_cmpint (e->result > 0, ==, !g_str_equal (name, "PRecv"));
      g_hash_table_insert (sent, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (there - 1));
      received++;
      waited += e->duration > 20000;
    }
  }
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, sent);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_assert_cmpuint (GPOINTER_TO_UINT (value), ==, 0); /* and all that was sent is received */
  for (uint32_t i = 0; i < tasks; i++)
    g_assert_cmpuint (n_partners[i], <=, most_partners);
  if (records > 100 * (uint64_t) tasks && tasks > 2) {
    g_assert_cmpuint (kinds, >=, 25);
    g_assert_cmpuint (waited, >, received / 10);
    for (uint32_t i = 0; i < tasks; i++)
      g_assert_false (alive[i]);
  }
  trace_close (s);
}

static void
test_possible (void)
{
  check (1, 1, 0);
  check (1, 2, 0);
  check (1, 500, 0);
  check (2, 1000, 1);
  check (3, 3, 2);
  check (7, 20, 6);
  check (7, 21, 6);
  check (8, 5000, 7);
  check (64, 50001, 16);
  check (100, 299, 16);
  check (1000, 120000, 16);
}

static void
test_refused (void)
{
  static const TraceSynth rows[] = { { 0, 10, 1, NULL }, { 1000001, 2000000, 1, NULL }, { 5, 4, 1, NULL } };
  g_autofree char *bundle = traces_make (NULL, 0, NULL, NULL), *folder = traces_folder (bundle);
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (tapepvm_format.synth (folder, &rows[i], &error));
    g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
  }
}

static bool
cancel (void *arg, const char *doing, double share)
{
  return share < *(const double *) arg;
}

static void
test_cancelled (void)
{
  double after = 0.4;
  TraceProgress progress = { cancel, &after };
  g_autofree char *bundle = make (64, 400000, 1), *folder = traces_folder (bundle);
  g_autoptr (GError) error = NULL;
  TraceOptions options = { .progress = &progress };
  g_assert_null (tapepvm_format.open (bundle, folder, &options, &error));
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (tapepvm_format.synth (folder, &(TraceSynth){ 64, 400000, 1, &progress }, &error));
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/synth/reproducible", test_reproducible);
  g_test_add_func ("/synth/possible", test_possible);
  g_test_add_func ("/synth/refused", test_refused);
  g_test_add_func ("/synth/cancelled", test_cancelled);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
