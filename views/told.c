/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/disk.h"
#include "views/told.h"
#include <string.h>

static void
views_told_place_clear (gpointer data)
{
  g_free (((ToldPlace *) data)->name);
}

static void
told_free (gpointer data)
{
  TaskTold *t = data;

  g_free (t->group);
  g_free (t->spawner);
  if (t->places != NULL)
    g_array_unref (t->places);
  g_free (t);
}

GHashTable *
told_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, told_free);
}

TaskTold *
told_of (GHashTable *all, const char *id)
{
  TaskTold *t = g_hash_table_lookup (all, id);

  if (t == NULL)
    g_hash_table_insert (all, g_strdup (id), t = g_new0 (TaskTold, 1));
  return t;
}

bool
told_place (TaskTold *t, const char *name, int64_t at)
{
  if (t->places == NULL) {
    t->places = g_array_new (FALSE, FALSE, sizeof (ToldPlace));
    g_array_set_clear_func (t->places, views_told_place_clear);
  }
  if (t->places->len >= TOLD_PLACES_MOST)
    return false;
  for (guint i = 0; i < t->places->len; i++)
    if (strcmp (g_array_index (t->places, ToldPlace, i).name, name) == 0)
      return false;
  const ToldPlace new = { g_strdup (name), at };
  g_array_append_val (t->places, new);
  return true;
}

/* Its id; then, each behind a tab, the group, who spawned it, and "NAME=NUMBER" for each coordinate; none of these
 * stands there where nothing comes behind it. */
static void
views_told_put (GString *to, const char *id, const TaskTold *t)
{
  g_string_append (to, id);
  if (t->group != NULL || t->spawner != NULL || t->places != NULL)
    names_put (to, t->group);
  if (t->spawner != NULL || t->places != NULL)
    names_put (to, t->spawner);
  for (guint i = 0; t->places != NULL && i < t->places->len; i++) {
    const ToldPlace *p = &g_array_index (t->places, ToldPlace, i);
    names_put (to, p->name);
    g_string_append_printf (to, "=%" G_GINT64_FORMAT, p->at);
  }
  g_string_append_c (to, '\n');
}

bool
told_write (const char *film, GHashTable *all, GError **error)
{
  g_autofree char *path = g_build_filename (film, "groups", NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GList) ids = g_list_sort (g_hash_table_get_keys (all), (GCompareFunc) strcmp);

  for (GList *l = ids; l != NULL; l = l->next)
    views_told_put (text, l->data, g_hash_table_lookup (all, l->data));
  return names_file_write (path, text, error);
}

static void
views_told_take (GHashTable *all, char *line)
{
  char *words[TOLD_PLACES_MOST + 3], *next = line;
  int n = 0;

  while (next != NULL && n < (int) G_N_ELEMENTS (words)) {
    words[n++] = next;
    next = strchr (next, '\t');
    if (next != NULL)
      *next++ = '\0';
  }
  if (n < 2)
    return;
  TaskTold *t = told_of (all, words[0]);
  if (t->group == NULL && *words[1] != '\0')
    t->group = g_strcompress (words[1]);
  if (n > 2 && t->spawner == NULL && *words[2] != '\0')
    t->spawner = g_strcompress (words[2]);
  for (int i = 3; i < n; i++) {
    char *at = strrchr (words[i], '=');
    if (at == NULL)
      continue;
    *at++ = '\0';
    g_autofree char *name = g_strcompress (words[i]);
    told_place (t, name, g_ascii_strtoll (at, NULL, 10));
  }
}

GHashTable *
told_read (const char *film, char **problem)
{
  g_autofree char *path = g_build_filename (film, "groups", NULL), *text = names_file_read (path, problem);

  if (text == NULL)
    return NULL;
  GHashTable *all = told_new ();
  const char *end = text + strlen (text);
  for (char *line = text, *next; line != NULL; line = next) {
    next = disk_end_line (line, end);
    views_told_take (all, line);
  }
  return all;
}
