/* SPDX-License-Identifier: Apache-2.0 */
/* film-tasks.c - what views of a film want to know about the tasks of the whole execution before a session has come to
 * them. `tasks`: who they are.  `groups`: the group that each was first seen in; which there are changes in the course
 * of an execution, a picture of the whole wants one for each task.  `traffic`: bytes by link, for layouts. */
#include <string.h>
#include "session/film.h"
#include "views/history.h"

struct FilmTasks {
  char *folder;
  GHashTable *of; /* id of a task -> group */
  bool changed;
  guint n_written;       /* tasks */
  uint64_t traffic_from; /* events, from which the traffic is to be written anew */
};

FilmTasks *
film_tasks_new (const char *folder)
{
  FilmTasks *g = g_new0 (FilmTasks, 1);

  g->folder = g_strdup (folder);
  g->of = names_groups (folder);
  if (!g->of)
    g->of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return g;
}

void
film_tasks_free (FilmTasks *g)
{
  if (!g)
    return;
  g_hash_table_unref (g->of);
  g_free (g->folder);
  g_free (g);
}

void
film_tasks_look (FilmTasks *g, const Session *s)
{
  const StateGraph *graph = s->graph;
  int attribute = graph ? state_with_role (graph->model, STATE_NODE, STATE_ROLE_GROUP) : -1;
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

static bool
write_groups (FilmTasks *g, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = g_build_filename (g->folder, "groups", NULL);
  g_autoptr (GList) ids = NULL;

  if (!g->changed)
    return true;
  ids = g_list_sort (g_hash_table_get_keys (g->of), (GCompareFunc) strcmp);
  for (GList *l = ids; l; l = l->next) {
    g_autofree char *group = g_strescape (g_hash_table_lookup (g->of, l->data), NULL);
    g_string_append_printf (text, "%s\t%s\n", (char *) l->data, group);
  }
  g->changed = false;
  return names_file_write (path, text, error);
}

/* Each time there are twice as many events, and at the end: so all of it costs no more than twice the last. */
static bool
write_traffic (FilmTasks *g, const Session *s, bool last, GError **error)
{
  const StateGraph *graph = s->graph;
  int attribute = graph ? state_with_role (graph->model, STATE_EDGE, STATE_ROLE_TRAFFIC) : -1;
  size_t stride = 0;
  const char *column = attribute >= 0 ? graph->model->column (graph, (uint32_t) attribute, &stride) : NULL;

  if (!graph || (!last && graph->n_events < g->traffic_from))
    return true;
  g->traffic_from = 2 * graph->n_events;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = g_build_filename (g->folder, "traffic", NULL);
  for (uint32_t i = 0; i < graph->n_edges; ++i) {
    uint32_t from, to;
    int64_t bytes = column ? *(const int64_t *) (const void *) (column + stride * i) : 0;
    graph->edge_ends (graph, i, &from, &to);
    g_string_append_printf (text, "%s\t%s\t%" G_GINT64_FORMAT "\n", graph->node_id (graph, from),
                            graph->node_id (graph, to), bytes);
  }
  return names_file_write (path, text, error);
}

bool
film_tasks_write (FilmTasks *g, const Session *s, bool last, GError **error)
{
  film_tasks_look (g, s);
  if (s->source->tasks->len != g->n_written && !names_write (g->folder, s->source, error))
    return false;
  g->n_written = s->source->tasks->len;
  return write_groups (g, error) && write_traffic (g, s, last, error);
}
