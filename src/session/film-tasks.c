/* SPDX-License-Identifier: Apache-2.0 */
/* film-tasks.c - what views of a film want to know about the tasks of the whole execution before a session has come to
 * them. `tasks`: who they are.  `groups`: the group that each was first seen in; which there are changes in the course
 * of an execution, a picture of the whole wants one for each task.  `traffic`: bytes by link, for layouts. */
#include <string.h>
#include "session/film.h"
#include "views/history.h"

/* Of one trace. */
typedef struct Cast {
  char *folder;
  const TraceSource *source;
  const StateGraph *graph; /* of the first simulator of this trace; NULL: there is none */
  GHashTable *of;          /* id of a task -> group */
  GByteArray *known;       /* by node: 1, it is among these */
  bool changed;
  guint n_written;       /* tasks */
  uint64_t traffic_from; /* events, from which the traffic is to be written anew */
} Cast;

struct FilmTasks {
  GArray *casts; /* of Cast */
};

static void
cast_clear (gpointer data)
{
  Cast *c = data;

  g_hash_table_unref (c->of);
  g_byte_array_unref (c->known);
  g_free (c->folder);
}

static const StateGraph *
graph_of (const Session *s, EveComponent *reader)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);

  for (guint i = 0; i < simulators->len; ++i)
    if (session_reader_above (simulators->pdata[i]) == reader)
      return eve_query (simulators->pdata[i], "state-graph/1");
  return NULL;
}

static void
add_cast (FilmTasks *g, const char *folder, const TraceSource *source, const StateGraph *graph)
{
  Cast c = { .folder = g_strdup (folder),
             .source = source,
             .graph = graph,
             .of = names_groups (folder, NULL),
             .known = g_byte_array_new () };

  if (!c.of)
    c.of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_array_append_val (g->casts, c);
}

FilmTasks *
film_tasks_new (const char *folder, Session *s)
{
  FilmTasks *g = g_new0 (FilmTasks, 1);

  g->casts = g_array_new (FALSE, TRUE, sizeof (Cast));
  g_array_set_clear_func (g->casts, cast_clear);
  add_cast (g, folder, s->source, s->graph);
  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *reader = s->readers->pdata[i];
    g_autofree char *own = session_tasks_folder (s, reader, folder);
    if (g_str_equal (own, folder))
      continue;
    g_mkdir_with_parents (own, 0777); /* a folder that cannot be made is told when a file in it cannot */
    add_cast (g, own, session_source_of (reader), graph_of (s, reader));
  }
  return g;
}

void
film_tasks_free (FilmTasks *g)
{
  if (!g)
    return;
  g_array_unref (g->casts);
  g_free (g);
}

static void
look (Cast *g)
{
  const StateGraph *graph = g->graph;
  int attribute = graph ? state_with_role (graph->model, STATE_NODE, STATE_ROLE_GROUP) : -1;
  g_autoptr (GString) text = g_string_new (NULL);

  if (attribute < 0)
    return;
  /* hundreds of times in a film, of all tasks: names are asked for once, and of those only that have a group */
  guint n = g->known->len;
  if (n < graph->n_nodes) {
    g_byte_array_set_size (g->known, graph->n_nodes);
    memset (g->known->data + n, 0, graph->n_nodes - n);
  }
  for (uint32_t node = 0; node < graph->n_nodes; ++node) {
    if (g->known->data[node])
      continue;
    g_string_truncate (text, 0);
    state_text (graph, (uint32_t) attribute, node, graph->clock, text);
    if (!text->len)
      continue;
    g->known->data[node] = 1;
    const char *id = graph->node_id (graph, node);
    if (g_hash_table_contains (g->of, id))
      continue;
    g_hash_table_insert (g->of, g_strdup (id), g_strndup (text->str, strcspn (text->str, ",")));
    g->changed = true;
  }
}

static bool
write_groups (Cast *g, GError **error)
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
write_traffic (Cast *g, bool last, GError **error)
{
  const StateGraph *graph = g->graph;
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

void
film_tasks_look (FilmTasks *g)
{
  for (guint i = 0; i < g->casts->len; ++i)
    look (&g_array_index (g->casts, Cast, i));
}

bool
film_tasks_write (FilmTasks *g, bool last, GError **error)
{
  film_tasks_look (g);
  for (guint i = 0; i < g->casts->len; ++i) {
    Cast *c = &g_array_index (g->casts, Cast, i);
    if (c->source->tasks->len != c->n_written && !names_write (c->folder, c->source, error))
      return false;
    c->n_written = c->source->tasks->len;
    if (!write_groups (c, error) || !write_traffic (c, last, error))
      return false;
  }
  return true;
}
