/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/remember.h"
#include <string.h>
#include <sys/stat.h>
#include "eve/bytes.h"
#include "eve/disk.h"

enum {
  KEPT = 256,            /* lines */
  LARGEST = KEPT * 512,  /* bytes; what is larger is none of ours */
  LEAST_BYTES = 1 << 20, /* smaller files are read at once */
  SETTLED_S = 2,         /* clocks of file systems are coarse: a younger file may change unseen */
};

char *
remember_file (int fd, uint64_t size, size_t *same)
{
  struct stat st;

  if (size < LEAST_BYTES || fstat (fd, &st) < 0 || (uint64_t) st.st_size != size)
    return NULL;
  if (g_get_real_time () / G_USEC_PER_SEC < MAX (st.st_mtim.tv_sec, st.st_ctim.tv_sec) + SETTLED_S)
    return NULL;
  g_autofree char *file = g_strdup_printf ("%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x ", (guint64) st.st_dev,
                                           (guint64) st.st_ino);
  *same = strlen (file);
  return g_strdup_printf ("%s%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT ".%09ld ", file,
                          (guint64) size, (gint64) st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (gint64) st.st_ctim.tv_sec,
                          st.st_ctim.tv_nsec);
}

static char *
eve_remember_path_of (const char *store)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", store, NULL);
}

/* The lines that are whole, without their sums; there may be none. */
static GPtrArray *
eve_remember_read_lines (const char *path)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = disk_read (path, NULL, LARGEST, NULL, NULL);
  g_auto (GStrv) lines = g_strsplit (text ? text : "", "\n", -1);

  for (char **line = lines; *line; line++) {
    char *last = strrchr (*line, ' '), *end;
    if (!last || strlen (last) != 17)
      continue;
    uint64_t told = g_ascii_strtoull (last + 1, &end, 16);
    if (!*end && told == bytes_fnv (*line, (size_t) (last - *line)))
      g_ptr_array_add (list, g_strndup (*line, (gsize) (last - *line)));
  }
  return list;
}

char *
remember_recall (const char *store, const char *begin)
{
  g_autofree char *path = eve_remember_path_of (store);
  g_autoptr (GPtrArray) lines = eve_remember_read_lines (path);

  for (guint i = lines->len; i-- > 0;)
    if (g_str_has_prefix (lines->pdata[i], begin))
      return g_strdup ((char *) lines->pdata[i] + strlen (begin));
  return NULL;
}

void
remember_keep (const char *store, const char *begin, size_t same, const char *rest)
{
  g_autofree char *path = eve_remember_path_of (store), *folder = g_path_get_dirname (path);
  g_autofree char *own = g_strconcat (begin, rest, NULL);
  g_autoptr (GPtrArray) lines = eve_remember_read_lines (path);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < lines->len; i++)
    if (strncmp (lines->pdata[i], begin, same) == 0)
      g_ptr_array_remove_index (lines, i--);
  g_ptr_array_add (lines, g_steal_pointer (&own));
  for (guint i = lines->len > KEPT ? lines->len - KEPT : 0; i < lines->len; i++) {
    const char *line = lines->pdata[i];
    g_string_append_printf (text, "%s %016" G_GINT64_MODIFIER "x\n", line, (guint64) bytes_fnv (line, strlen (line)));
  }
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_file_set_contents_full (path, text->str, (gssize) text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}
