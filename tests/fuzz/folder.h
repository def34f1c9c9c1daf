/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - a folder of its own for a fuzz target, whose files are written again for each input. */
#pragma once
#include <glib/gstdio.h>
#include "tests/fuzz/fuzz.h"

static char *fuzz_folder;

/* Takes the files away. */
static void
fuzz_clear (void)
{
  g_autoptr (GDir) dir = g_dir_open (fuzz_folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (fuzz_folder, name, NULL);
    g_unlink (path);
  }
}

static void
fuzz_remove (void)
{
  fuzz_clear ();
  g_rmdir (fuzz_folder);
}

/* The path of a file in it; g_free. */
static char *
fuzz_path (const char *name)
{
  if (!fuzz_folder) {
    fuzz_folder = g_dir_make_tmp ("scope-fuzz-XXXXXX", NULL);
    CHECK (fuzz_folder);
    atexit (fuzz_remove);
  }
  return g_build_filename (fuzz_folder, name, NULL);
}

static void
fuzz_write (const char *name, const void *data, size_t n)
{
  g_autofree char *path = fuzz_path (name);
  FILE *f = fopen (path, "w");
  CHECK (f && (n == 0 || fwrite (data, 1, n, f) == n) && fclose (f) == 0);
}

/* What is shown to a person must be text. */
static void
fuzz_text (const char *text)
{
  CHECK (!text || g_utf8_validate (text, -1, NULL));
}
