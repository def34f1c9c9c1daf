/* SPDX-License-Identifier: Apache-2.0 */
#include "document/agreements.h"
#include "eve/disk.h"

#define MOST_PROGRAMS 500 /* kept; the first of them goes then, and is asked about again */

static char *
file (void)
{
  return g_build_filename (g_get_user_data_dir (), "scope", "agreed", NULL);
}

static GKeyFile *
agreements_read_all (void)
{
  g_autofree char *path = file ();
  GKeyFile *f = g_key_file_new ();

  disk_read_keys (f, path, G_KEY_FILE_KEEP_COMMENTS);
  return f;
}

static char *
agreements_key_of (const char *act)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, act, -1);
}

static bool
agreements_write_all (GKeyFile *f, GError **error)
{
  g_autofree char *path = file (), *folder = g_path_get_dirname (path);
  gsize n;
  g_auto (GStrv) groups = g_key_file_get_groups (f, &n);

  for (gsize i = 0; i + MOST_PROGRAMS < n; ++i)
    g_key_file_remove_group (f, groups[i], NULL);
  g_mkdir_with_parents (folder, 0700);
  return g_key_file_save_to_file (f, path, error);
}

bool
agreements_has (const char *content, const char *act)
{
  g_autoptr (GKeyFile) f = agreements_read_all ();
  g_autofree char *key = agreements_key_of (act), *kept = g_key_file_get_string (f, content, key, NULL);

  return kept && *content;
}

bool
agreements_add (const char *content, const char *act, GError **error)
{
  g_autoptr (GKeyFile) f = agreements_read_all ();
  g_autofree char *key = agreements_key_of (act);

  if (!*content)
    return true;
  g_key_file_set_string (f, content, key, act);
  return agreements_write_all (f, error);
}

void
agreements_carry (const char *from, const char *to)
{
  g_autoptr (GKeyFile) f = agreements_read_all ();
  g_auto (GStrv) keys = g_key_file_get_keys (f, from, NULL, NULL);

  if (!keys || !*to || g_str_equal (from, to))
    return;
  for (char **key = keys; *key; ++key) {
    g_autofree char *act = g_key_file_get_string (f, from, *key, NULL);
    if (act)
      g_key_file_set_string (f, to, *key, act);
  }
  agreements_write_all (f, NULL);
}
