/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include <glib/gstdio.h>
#include "eve/eve-host.h"
#include "readers/reader.h"

static char *bundle, *data, *events_file; /* TEMPORARY/toy.trace, its folder toy.@NAME@, the file in it */

static TraceSource *
open_text (const char *text, bool strict, GError **error)
{
  const TraceOptions options = { .strict = strict };

  g_assert_true (g_file_set_contents (events_file, text, -1, NULL));
  return trace_open (bundle, NULL, &options, error);
}

static void
test_events (void)
{
  g_autoptr (GError) error = NULL;
  TraceSource *s = open_text ("# a comment\n0.5 alice wakes\r\n\n1 bob wakes\n 1\talice  sings\n2.25 bob sings", false,
                              &error);
  TraceEvent e[10];

  g_assert_no_error (error);
  g_assert_cmpuint (s->n_events, ==, 4);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  g_assert_cmpint (s->first, ==, 500000000);
  g_assert_cmpint (s->last, ==, 2250000000);
  g_assert_cmpuint (s->format->next (s, e, 10, &error), ==, 4);
  g_assert_cmpuint (s->format->next (s, e + 4, 6, &error), ==, 0);
  g_assert_no_error (error);
  g_assert_cmpint (e[2].date, ==, 1000000000);
  g_assert_cmpuint (e[2].number, ==, 2);
  g_assert_cmpstr (trace_task_id (s, e[2].task), ==, "alice");
  g_assert_cmpstr (trace_event_name (&e[2]), ==, "sings");
  g_assert_cmpstr (trace_task_id (s, e[3].task), ==, "bob");
  g_assert_cmpuint (s->tasks->len, ==, 2);
  g_assert_cmpuint (s->n_kinds, ==, 2);
  trace_close (s);
}

static void
test_damage (void)
{
  static const char text[] = "1 alice wakes\nsoon bob wakes\n0.5 bob wakes\n2 bob\n3 bob wakes\n";
  g_autoptr (GError) error = NULL;
  TraceSource *s = open_text (text, false, &error);
  const TraceDamage *d;

  g_assert_no_error (error);
  g_assert_cmpuint (s->n_events, ==, 2);
  g_assert_cmpuint (s->n_damaged, ==, 3);
  d = s->damage->pdata[2];
  g_assert_cmpuint (d->line, ==, 4);
  g_assert_cmpuint (d->column, ==, 6);
  trace_close (s);

  g_assert_null (open_text (text, true, &error)); /* strict: the first one is too much */
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
  g_assert_nonnull (strstr (error->message, "line 2, column 1"));
}

static void
test_travel (void) /* from every place, the rest is the same */
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  TraceEvent all[200], again[200];

  for (int i = 0; i < 200; i++)
    g_string_append_printf (text, "%d.%d task%d event%d\n", i / 10, i % 10, i % 7, i % 3);
  TraceSource *s = open_text (text->str, false, &error);
  g_assert_no_error (error);
  for (size_t i = 0, n; i < 200; i += n)
    g_assert_cmpuint (n = s->format->next (s, all + i, 200 - i, &error), >, 0);
  for (size_t place = 0; place <= 200; place++) {
    EveBlob *blob = eve_blob_new ();
    EveBlobView *view;
    const uint8_t *bytes;
    size_t n;

    s->format->rewind (s);
    for (size_t i = 0; i < place; i++)
      g_assert_cmpuint (s->format->next (s, again, 1, &error), ==, 1);
    s->format->save (s, blob);
    s->format->rewind (s);
    bytes = eve_blob_data (blob, &n);
    view = eve_blob_view_new (bytes, n);
    g_assert_true (s->format->load (s, view));
    for (size_t i = place; i < 200; i += n)
      g_assert_cmpuint (n = s->format->next (s, again + i, 200 - i, &error), >, 0);
    g_assert_cmpuint (s->format->next (s, again, 1, &error), ==, 0);
    if (place < 200)
      g_assert_cmpmem (all + place, (200 - place) * sizeof *all, again + place, (200 - place) * sizeof *all);
    eve_blob_view_free (view);
    eve_blob_free (blob);
  }
  trace_close (s);
}

int
main (int argc, char **argv)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("reader-XXXXXX", NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!eve_registry_load_file (argv[1], &classes, &error))
    g_error ("%s", error->message);
  bundle = g_build_filename (folder, "toy.trace", NULL);
  data = g_build_filename (bundle, "toy.@NAME@", NULL);
  events_file = g_build_filename (data, "events", NULL);
  g_mkdir_with_parents (data, 0777);
  g_test_add_func ("/@NAME@/events", test_events);
  g_test_add_func ("/@NAME@/damage", test_damage);
  g_test_add_func ("/@NAME@/travel", test_travel);
  status = g_test_run ();
  g_remove (events_file);
  g_rmdir (data);
  g_rmdir (bundle);
  g_rmdir (folder);
  return status;
}
