/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/readers/traces.h"
#include "tests/harness/folder.h"

static char *top;
static unsigned n_bundles;

char *
traces_folder (const char *bundle)
{
  g_autofree char *base = g_path_get_basename (bundle), *name = g_strndup (base, strlen (base) - 6);
  return g_strdup_printf ("%s/%s.tapepvm", bundle, name);
}

static void
write_file (const char *folder, const char *name, const char *text, gssize n)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  g_file_set_contents (path, text, n, &error);
  g_assert_no_error (error);
}

char *
traces_make (const char *events, gssize n, const char *kinds, const char *sites)
{
  if (!top)
    top = g_dir_make_tmp ("scope-readers-XXXXXX", NULL);
  char *bundle = g_strdup_printf ("%s/n%u.trace", top, n_bundles++);
  g_autofree char *folder = traces_folder (bundle);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  if (events)
    write_file (folder, "events", events, n);
  if (kinds)
    write_file (folder, "kinds", kinds, -1);
  if (sites)
    write_file (folder, "sites", sites, -1);
  return bundle;
}

TraceSource *
traces_open (const char *bundle, const TraceOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = traces_folder (bundle);
  TraceOptions own = options ? *options : (TraceOptions){ 0 };
  if (!own.work_folder)
    own.work_folder = top;
  TraceSource *s = tapepvm_format.open (bundle, folder, &own, &error);
  g_assert_no_error (error);
  g_assert_nonnull (s);
  return s;
}

TraceSource *
traces_of (const char *events)
{
  g_autofree char *bundle = traces_make (events, -1, NULL, NULL);
  return traces_open (bundle, NULL);
}

GArray *
traces_read (TraceSource *s)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  TraceEvent some[50];
  g_autoptr (GError) error = NULL;
  for (size_t n; (n = s->format->next (s, some, G_N_ELEMENTS (some), &error));)
    g_array_append_vals (all, some, (guint) n);
  g_assert_no_error (error);
  return all;
}

char *
traces_outline (TraceSource *s)
{
  GString *to = g_string_new (NULL);
  g_autoptr (GArray) all = traces_read (s);
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, i);
    g_assert_cmpuint (e->number, ==, i);
    g_string_append_printf (to, "%s%s(%s)@%" G_GINT64_FORMAT, i ? " " : "", trace_event_name (e),
                            trace_task_id (s, e->task), e->date);
  }
  return g_string_free (to, FALSE);
}

EveBlob *
traces_save (TraceSource *s)
{
  EveBlob *b = eve_blob_new ();
  s->format->save (s, b);
  return b;
}

bool
traces_load (TraceSource *s, EveBlob *b)
{
  size_t n;
  const uint8_t *bytes = eve_blob_data (b, &n);
  EveBlobView *view = eve_blob_view_new (bytes, n);
  bool loaded = s->format->load (s, view);
  eve_blob_view_free (view);
  return loaded;
}

void
traces_finish (void)
{
  if (top)
    remove_all (top);
  g_clear_pointer (&top, g_free);
}
