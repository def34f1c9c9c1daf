/* SPDX-License-Identifier: Apache-2.0 */
/* film-groups.c - the file `groups` of a film: the group that each task was first seen in, for views that put tasks of a group
 * together.  Which groups there are changes in the course of an execution; a picture of the whole wants one for each task. */
#include <string.h>
#include "session/film.h"
#include "views/history.h"

struct FilmGroups {
  char *path;
  GHashTable *of;                               /* id of a task -> group */
  bool changed;
};

FilmGroups *
film_groups_new (const char *folder)
{
  FilmGroups *g = g_new0 (FilmGroups, 1);

  g->path = g_build_filename (folder, "groups", NULL);
  g->of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *text = names_file_read (g->path);
  if (!text)
    return g;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; ++line) {
    char *tab = strchr (*line, '\t');
    if (tab)
      g_hash_table_insert (g->of, g_strndup (*line, (gsize) (tab - *line)), g_strcompress (tab + 1));
  }
  return g;
}

void
film_groups_free (FilmGroups *g)
{
  if (!g)
    return;
  g_hash_table_unref (g->of);
  g_free (g->path);
  g_free (g);
}

void
film_groups_look (FilmGroups *g, const Session *s)
{
  const StateGraph *graph = s->graph;
  int attribute = graph ? state_attribute (graph->model, STATE_NODE, "Groups") : -1;
  g_autoptr (GString) text = g_string_new (NULL);

  /* tasks are few, and all of them are known soon */
  for (uint32_t node = 0; attribute >= 0 && node < graph->n_nodes; ++node) {
    const char *id = graph->node_id (graph, node);
    if (g_hash_table_contains (g->of, id))
      continue;
    g_string_truncate (text, 0);
    state_text (graph, (uint32_t) attribute, node, graph->clock, text);
    if (!text->len)
      continue;
    g_hash_table_insert (g->of, g_strdup (id), g_strndup (text->str, strcspn (text->str, ",")));
    g->changed = true;
  }
}

bool
film_groups_write (FilmGroups *g, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GList) ids = NULL;

  if (!g->changed)
    return true;
  ids = g_list_sort (g_hash_table_get_keys (g->of), (GCompareFunc) strcmp);
  for (GList *l = ids; l; l = l->next) {
    g_autofree char *group = g_strescape (g_hash_table_lookup (g->of, l->data), NULL);
    g_string_append_printf (text, "%s\t%s\n", (char *) l->data, group);
  }
  g->changed = false;
  return names_file_write (g->path, text, error);
}
