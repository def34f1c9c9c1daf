/* SPDX-License-Identifier: Apache-2.0 */
/* recognise.c - what an OTF2 archive is known by: its anchor file.  Needs no library.
 *
 * An archive NAME is the anchor NAME.otf2, its definitions NAME.def and a folder NAME with a file of events for each
 * location.  Whoever names any of these means the whole of it. */
#include <string.h>
#include <unistd.h>

#include "eve/disk.h"
#include "readers/otf2/recognise.h"

#define MOST_LOOKED_AT 100000 /* names in a folder */
#define SURE 97

/* An anchor says so; of the other files the first bytes say little. */
static bool
is_anchor (const char *head, size_t n)
{
  return n >= 6 && head[0] == 3 && (head[1] == 0x42 || head[1] == 0x23) && memcmp (head + 2, "OTF2", 4) == 0;
}

static bool
is_anchor_file (const char *path)
{
  char head[8];
  int fd = disk_open (path, NULL, DISK_DATA, NULL, NULL);
  ssize_t n = fd >= 0 ? disk_pread (fd, head, sizeof head, 0) : 0;

  if (fd >= 0)
    close (fd);
  return n > 0 && is_anchor (head, (size_t) n);
}

char *
otf2_anchor_in (const char *folder, unsigned *n)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  char *found = NULL;
  int looked_at = 0;

  *n = 0;
  for (const char *name; dir && (name = g_dir_read_name (dir)) && ++looked_at < MOST_LOOKED_AT;) {
    g_autofree char *path = g_str_has_suffix (name, ".otf2") ? g_build_filename (folder, name, NULL) : NULL;
    if (!path || !is_anchor_file (path))
      continue;
    ++*n;
    if (!found || strcmp (path, found) < 0) {
      g_free (found);
      found = g_steal_pointer (&path);
    }
  }
  return found;
}

/* What is opened for an anchor: its folder, so that all files count in what is kept of it; the anchor alone, where
 * several lie together. */
static char *
otf2_recognise_whole_of (const char *anchor)
{
  g_autofree char *folder = g_path_get_dirname (anchor);
  unsigned n;

  g_free (otf2_anchor_in (folder, &n));
  return n == 1 ? g_steal_pointer (&folder) : g_strdup (anchor);
}

/* The anchor that a file or folder of an archive belongs to; NULL: none. */
static char *
anchor_beside (const char *path, bool is_folder)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path), *anchor = NULL;
  char *dot = is_folder ? NULL : strrchr (name, '.');

  if (dot)
    *dot = '\0';
  g_autofree char *file = g_strconcat (name, ".otf2", NULL);
  anchor = g_build_filename (folder, file, NULL);
  if (is_anchor_file (anchor))
    return g_steal_pointer (&anchor);
  if (is_folder)
    return NULL;
  g_free (anchor);
  anchor = g_strconcat (folder, ".otf2", NULL);
  return is_anchor_file (anchor) ? g_steal_pointer (&anchor) : NULL;
}

int
otf2_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const char *bytes = head;
  g_autofree char *anchor = NULL;
  unsigned several = 0;

  if (!head && (anchor = otf2_anchor_in (path, &several))) {
    if (several > 1)
      *whole = g_steal_pointer (&anchor); /* the first of them by name */
    return SURE;
  }
  if (head && is_anchor (bytes, n))
    anchor = g_strdup (path);
  else if (!head || (n >= 2 && bytes[0] == 3 && (bytes[1] == 0x42 || bytes[1] == 0x23)))
    anchor = anchor_beside (path, !head);
  if (!anchor)
    return 0;
  *whole = otf2_recognise_whole_of (anchor);
  return SURE;
}
