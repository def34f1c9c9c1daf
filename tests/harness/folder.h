/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - what a test wrote is taken away. */
#pragma once
#include <glib/gstdio.h>

/* A file, a link, or a folder with all that is in it; a link is not followed. */
static inline void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *inner = g_build_filename (path, name, NULL);
    remove_all (inner);
  }
  g_remove (path);
}
