/* SPDX-License-Identifier: Apache-2.0 */
/* film-check.c - looks for damage in a film, and cuts off what cannot be gone on from.
 *
 * Every file has checksums: the big ones for each block, record or line, the small ones for the whole; the manifest of
 * a film that is not being shot lists all of them with their lengths. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "eve/words.h"
#include "session/film.h"
#include "views/history.h"
#include "eve/disk.h"

/* ---- what a film consists of ----------------------------------------------------------------------------------------- */

/* Written whole or not at all; a further reader has the first three too, in a folder of its own. */
static const char *const small[] = { "tasks", "groups", "traffic", "schema", NULL };
/* Files that change beside the shooting, or hold nothing. */
static const char *const others[] = { "manifest", FILM_MANIFEST_NEW, "lock", FILM_BY_HAND, NULL };
static const char *const growing[] = { "checkpoints", "overview", "commands", "program.eve", NULL };

/* "0123456789abcdef.states.index" and the like (views/layer.h), also of a copy that was cut off. */
#define OF_HISTORY "^[0-9a-f]{16}\\.(series|rows|[a-z]+\\.(index|records|sums))(\\.making-[A-Za-z0-9]{6})?$"

bool
film_has_folder (const char *name)
{
  return g_str_has_suffix (name, ".tasks") && !strchr (name, '/');
}

bool
film_has_file (const char *name)
{
  const char *inner = strchr (name, '/');

  if (inner) {
    g_autofree char *folder = g_strndup (name, (gsize) (inner - name));
    return film_has_folder (folder) && g_strv_contains (small, inner + 1);
  }
  return g_strv_contains (small, name) || g_strv_contains (others, name) || g_strv_contains (growing, name)
         || g_regex_match_simple (OF_HISTORY, name, 0, 0);
}

static bool
film_check_is_listed (const char *name)
{
  return film_has_file (name) && !g_strv_contains (others, name) && !strstr (name, ".making-");
}

/* Those whose sums the list has.  Blocks have theirs in the index of their history, checkpoints say what they are of:
 * all others would be believed in the film of any trace. */
static bool
is_summed (const char *name)
{
  return !g_str_equal (name, "checkpoints") && !g_str_has_suffix (name, ".records")
         && !g_str_has_suffix (name, ".sums");
}

static uint64_t
film_check_sum_of (const char *path)
{
  g_autofree char *bytes = NULL;
  gsize n;

  return (bytes = disk_read (path, NULL, 256 * DISK_MIB, &n, NULL)) ? bytes_fnv (bytes, n) : 0;
}

static void
list_files (const char *folder, const char *below, GPtrArray *to)
{
  g_autofree char *path = g_build_filename (folder, below, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *file = *below ? g_strconcat (below, "/", name, NULL) : g_strdup (name),
                    *whole = g_build_filename (folder, file, NULL);
    struct stat st;
    if (lstat (whole, &st) != 0)
      continue;
    if (S_ISDIR (st.st_mode) && film_has_folder (file))
      list_files (folder, file, to);
    else if (S_ISREG (st.st_mode) && film_check_is_listed (file))
      g_ptr_array_add (to,
                       g_strdup_printf ("%" G_GUINT64_FORMAT " %016" G_GINT64_MODIFIER "x %s", (uint64_t) st.st_size,
                                        is_summed (file) ? film_check_sum_of (whole) : 0, file));
  }
}

static int
film_check_by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char **
film_list_files (const char *folder)
{
  GPtrArray *files = g_ptr_array_new ();

  list_files (folder, "", files);
  g_ptr_array_sort (files, film_check_by_text);
  g_ptr_array_add (files, NULL);
  return (char **) g_ptr_array_free (files, FALSE);
}

/* ---- looking --------------------------------------------------------------------------------------------------------- */

typedef struct Look {
  const char *folder;
  const FilmCheck *how;
  GPtrArray *problems;
  GHashTable *changed; /* name -> path: what is not as it was listed, and was not found damaged by now */
  bool anew;           /* no checkpoint can be gone on from: what is damaged has no beginning that is sound */
} Look;

static void G_GNUC_PRINTF (2, 3) film_check_damaged (Look *l, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_ptr_array_add (l->problems, g_strdup_vprintf (fmt, args));
  va_end (args);
}

static void
look_at_list (Look *l, char *const *files)
{
  for (; files && *files; ++files) {
    char *end;
    uint64_t bytes = g_ascii_strtoull (*files, &end, 10), sum = g_ascii_strtoull (end, &end, 16);
    const char *name = *end == ' ' ? end + 1 : "";
    g_autofree char *path = g_build_filename (l->folder, name, NULL);
    struct stat st;
    if (!*name || strstr (name, "..") || !film_check_is_listed (name))
      continue;
    if (lstat (path, &st) != 0)
      film_check_damaged (l, _ ("%s is missing"), path);
    else if (!S_ISREG (st.st_mode)) {
      film_check_damaged (l, _ ("%s is no plain file"), path);
      if (l->how->mend && !strchr (name, '/')) /* where a link leads is never touched; a folder goes if it is empty */
        g_remove (path);
    } else if ((uint64_t) st.st_size < bytes)
      film_check_damaged (l, _ ("%s has %" PRIu64 " bytes and should have %" PRIu64), path, (uint64_t) st.st_size,
                          bytes);
    else if (is_summed (name) && sum && ((uint64_t) st.st_size != bytes || film_check_sum_of (path) != sum))
      g_hash_table_insert (l->changed, g_strdup (name), g_steal_pointer (&path));
  }
}

/* Whole files, sound in themselves: of another film, or changed by somebody.  What has grown with the film has no part
 * that could be gone on from. */
static void
look_at_changed (Look *l)
{
  GHashTableIter each;
  gpointer name, path;

  g_hash_table_iter_init (&each, l->changed);
  while (g_hash_table_iter_next (&each, &name, &path)) {
    film_check_damaged (l, _ ("%s is not as this film has left it"), (char *) path);
    l->anew |= g_str_has_suffix (name, "groups");
    if (l->how->mend)
      unlink (path);
  }
}

static bool
film_check_cut (Look *l, const char *path, uint64_t bytes)
{
  if (!l->how->mend || disk_cut (path, bytes) || errno == ENOENT)
    return true;
  film_check_damaged (l, _ ("%s cannot be cut: %s"), path, g_strerror (errno));
  return false;
}

/* Small files that are written whole. */
static void
look_at_whole (Look *l, const char *name, const char *what)
{
  g_autofree char *path = g_build_filename (l->folder, name, NULL), *text = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) || (text = names_file_read (path, NULL)))
    return;
  film_check_damaged (l, _ ("%s is damaged: %s"), path, what);
  g_hash_table_remove (l->changed, name);
  /* which group a task was seen in first is known only to who begins at the beginning */
  l->anew |= g_str_equal (name, "groups");
  if (l->how->mend)
    unlink (path);
}

static void
look_at_parts (Look *l, const char *name, uint64_t (*sound) (const char *path, uint64_t *bytes), const char *what)
{
  g_autofree char *path = g_build_filename (l->folder, name, NULL);
  uint64_t bytes = 0, good = sound (path, &bytes);

  if (good >= bytes)
    return;
  film_check_damaged (l, _ ("%s is damaged at byte %" PRIu64 ": %s from there on"), path, good, what);
  g_hash_table_remove (l->changed, name);
  film_check_cut (l, path, good);
}

static bool
look_at_histories (Look *l)
{
  g_autoptr (GDir) dir = g_dir_open (l->folder, 0, NULL);
  bool going = true;

  for (const char *name; going && dir && (name = g_dir_read_name (dir));) {
    g_autofree char *problem = NULL, *base = NULL;
    if (g_str_has_suffix (name, ".series") || g_str_has_suffix (name, ".rows"))
      look_at_whole (l, name, "the names of curves");
    if (!g_str_has_suffix (name, ".index"))
      continue;
    g_autofree char *path = g_build_filename (l->folder, name, NULL);
    base = g_strndup (path, strlen (path) - strlen (".index"));
    going = history_look_through (base, l->how->data, l->how->mend, l->how->progress, &problem);
    if (problem) {
      film_check_damaged (l, "%s", problem);
      g_hash_table_remove (l->changed, name);
    }
  }
  return going;
}

bool
film_check (const char *folder, const FilmManifest *m, const FilmCheck *how, GPtrArray *problems)
{
  g_autoptr (GHashTable) changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Look l = { .folder = folder, .how = how, .problems = problems, .changed = changed };
  g_autofree char *path = g_build_filename (folder, "checkpoints", NULL);

  if (m->state == FILM_COMPLETE || m->state == FILM_STOPPED)
    look_at_list (&l, m->files);
  look_at_whole (&l, "tasks", "who the tasks are");
  look_at_whole (&l, "groups", "the groups of tasks");
  look_at_whole (&l, "traffic", "the bytes that went through each link");
  look_at_whole (&l, "schema", "the names of states");
  look_at_parts (&l, "overview", film_overview_sound, "the time spent in each state");
  look_at_parts (&l, "commands", film_commands_sound, "commands of components");
  if (!look_at_histories (&l))
    return false;
  look_at_changed (&l);
  Checkpoints *c = checkpoints_open (path, m->plan, m->trace, how->mend, NULL, NULL);
  if (c) {
    bool stopped = false;
    uint64_t sound = checkpoints_sound (c, how->data, how->progress, problems, &stopped);
    checkpoints_free (c);
    if (stopped)
      return false;
    if (l.anew)
      film_check_cut (&l, path, 0);
    else if (sound != UINT64_MAX)
      film_check_cut (&l, path, sound);
  }
  return true;
}
