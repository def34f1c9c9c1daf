/* SPDX-License-Identifier: Apache-2.0 */
#include "session/meant.h"
#include "eve/words.h"
#include <string.h>
#include "eve/disk.h"
#include "eve/nearest.h"

/* "run" of "run.otf2", "run" and "run.prv" of "run.prv.gz". */
static bool
is_stem (const char *word, const char *base)
{
  size_t n = strlen (word);

  return n > 0 && strncmp (word, base, n) == 0 && base[n] == '.';
}

/* Whether a word of the command line means the n-th trace that was opened, which lies at `path`; by its stem alone, if
 * nothing else is called so. */
static bool
meant_names_trace (const char *word, const char *path, guint n, bool stem)
{
  g_autofree char *place = g_strdup_printf ("%u", n), *base = g_path_get_basename (path);
  g_autofree char *real = disk_real_path (word), *bundle = g_strconcat (word, ".trace", NULL);

  if (stem)
    return is_stem (word, base);
  return g_str_equal (word, place) || g_strcmp0 (real, path) == 0 || g_str_equal (word, base)
         || g_str_equal (bundle, base);
}

/* Paths of all traces, NULL-terminated, and then their names with and without ending. */
static void
meant_offer_names (void *paths, void (*add) (void *to, const char *name), void *to)
{
  for (char **path = paths; *path; ++path) {
    if (!**path)
      continue;
    g_autofree char *base = g_path_get_basename (*path);
    add (to, base);
    char *dot = strchr (base, '.');
    if (dot && dot > base) {
      *dot = '\0';
      add (to, base);
    }
  }
}

/* The one of the paths (NULL-terminated, "": it is none) that a word means; g_free; NULL: none, or, with a sentence,
 * several. */
static char *
find_called (char **paths, const char *word, bool stem, GError **error)
{
  const char *found = NULL;

  for (guint i = 0; paths[i]; ++i) {
    if (!*paths[i] || !meant_names_trace (word, paths[i], i + 1, stem))
      continue;
    if (found && !g_str_equal (found, paths[i])) {
      g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING,
                   _ ("several of the traces are called “%s”; write its path or its place instead"), word);
      return NULL;
    }
    found = paths[i];
  }
  return g_strdup (found);
}

char *
meant_trace (const Session *s, const char *word, GError **error)
{
  const char *const *more = s->options.more;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  GError *why = NULL;

  for (guint i = 0; i == 0 || (more && more[i - 1]); ++i) {
    g_autofree char *path = i == 0 ? g_strdup (s->trace) : disk_real_path (more[i - 1]);
    g_string_append_printf (names, "%s%u: %s", i ? ", " : "", i + 1, path);
    g_strv_builder_add (builder, path ? path : "");
  }
  g_auto (GStrv) paths = g_strv_builder_end (builder);
  char *found = find_called (paths, word, false, &why);
  if (!found && !why)
    found = find_called (paths, word, true, &why);
  if (why) {
    g_propagate_error (error, why);
  } else if (!found) {
    g_autofree char *nearest = eve_nearest_told (word, meant_offer_names, paths);
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("no trace “%s” is opened; there is %s%s"), word,
                 names->str, nearest);
  }
  return found;
}
