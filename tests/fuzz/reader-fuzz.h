/* SPDX-License-Identifier: Apache-2.0 */
/* reader-fuzz.h - a bundle that is written again for each input, and what is asked of any event. */
#pragma once
#include <glib/gstdio.h>

#include "eve/eve-host.h"
#include "readers/reader.h"
#include "tests/fuzz/fuzz.h"

static char *bundle, *folder;

static void
empty_folder (const char *at)
{
  g_autoptr (GDir) dir = g_dir_open (at, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (at, name, NULL);
    if (g_unlink (path) != 0) {
      empty_folder (path);
      g_rmdir (path);
    }
  }
}

static void
remove_bundle (void)
{
  g_autofree char *top = g_path_get_dirname (bundle);
  empty_folder (folder);
  g_rmdir (folder);
  g_rmdir (bundle);
  g_rmdir (top);
  g_free (folder);
  g_free (bundle);
}

/* Once for the process. */
static void
make_bundle (const TraceFormat *format)
{
  if (bundle)
    return;
  g_autofree char *top = g_dir_make_tmp ("scope-fuzz-XXXXXX", NULL), *name = g_strconcat ("f.", format->name, NULL);
  CHECK (top);
  bundle = g_build_filename (top, "f.trace", NULL);
  folder = g_build_filename (bundle, name, NULL);
  CHECK (g_mkdir_with_parents (folder, 0700) == 0);
  atexit (remove_bundle);
}

/* `data` NULL: there is no such file. */
static void
write_file (const char *name, const uint8_t *data, size_t n)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  if (!data) {
    g_unlink (path);
    return;
  }
  FILE *f = fopen (path, "w");
  CHECK (f && fwrite (data, 1, n, f) == n && fclose (f) == 0);
}

/* NULL: it cannot be opened, and that was said. */
static TraceSource *
open_bundle (const TraceFormat *format, const TraceOptions *options)
{
  g_autoptr (GError) error = NULL;
  TraceSource *s = format->open (bundle, folder, options, &error);
  CHECK ((s != NULL) != (error != NULL));
  CHECK (s || g_utf8_validate (error->message, -1, NULL));
  return s;
}

static void
check_event (const TraceSource *s, const TraceEvent *e)
{
  CHECK (e->task < s->tasks->len && e->kind < s->n_kinds && e->duration >= 0);
  CHECK (e->peer == TRACE_NONE || e->peer < s->tasks->len);
  CHECK (e->object == TRACE_NONE || e->object < s->objects->len);
}

static void
show (const TraceEvent *e)
{
  g_autofree char *sentence = trace_sentence (e);
  g_autoptr (GString) json = g_string_new (NULL);
  CHECK (g_utf8_validate (sentence, -1, NULL));
  trace_json (e, json);
  CHECK (g_utf8_validate (json->str, (gssize) json->len, NULL));
}
