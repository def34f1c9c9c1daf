/* SPDX-License-Identifier: Apache-2.0 */
/* film-tasks.c - what views of a film want to know about the tasks of the whole execution before a session has come to
 * them. `tasks`: who they are.  `groups`: the group that each was first seen in, as which there are changes in the
 * course of an execution, and a picture of the whole wants one for each task; and who spawned it, and where it is in a
 * topology (views/told.h).  `traffic`: bytes by link, for layouts. */
#include <string.h>
#include "session/film.h"
#include "views/told.h"

/* What events of a kind tell of tasks. */
typedef enum { TELL_NOTHING, TELL_SPAWNED, TELL_PARENT, TELL_CREATED, TELL_PLACE } Tell;
typedef struct KindTells {
  uint8_t what;
  uint32_t field;
} KindTells;

/* Of one trace. */
typedef struct Cast {
  char *folder;
  const TraceSource *source;
  const StateGraph *graph; /* of the first simulator of this trace; NULL: there is none */
  GHashTable *told;        /* id of a task -> TaskTold */
  GByteArray *known;       /* by node: 1, its group is among these */
  GArray *kinds;           /* of KindTells, by kind */
  bool tells;              /* one of them tells something */
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

  g_hash_table_unref (c->told);
  g_byte_array_unref (c->known);
  g_array_unref (c->kinds);
  g_free (c->folder);
}

static const StateGraph *
film_tasks_graph_of (const Session *s, EveComponent *reader)
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
             .told = told_read (folder, NULL),
             .known = g_byte_array_new (),
             .kinds = g_array_new (FALSE, TRUE, sizeof (KindTells)) };

  if (!c.told)
    c.told = told_new ();
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
    add_cast (g, own, session_source_of (reader), film_tasks_graph_of (s, reader));
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
film_tasks_learn_groups (Cast *g)
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
    TaskTold *told = told_of (g->told, graph->node_id (graph, node));
    if (told->group)
      continue;
    told->group = g_strndup (text->str, strcspn (text->str, ","));
    g->changed = true;
  }
}

/* ---- what events tell ------------------------------------------------------------------------------------------ */

static KindTells
kind_tells (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);

  for (uint32_t i = 0; i < k->n_fields; ++i) {
    TraceRole role = k->fields[i].role;
    if (g_str_equal (k->fields[i].name, "spawned") && (role == TRACE_ROLE_PEERS || role == TRACE_ROLE_TASKS))
      return (KindTells){ TELL_SPAWNED, i };
    if (g_str_equal (k->fields[i].name, "parent") && role == TRACE_ROLE_TASK && acts & TRACE_ACT_BIRTH)
      return (KindTells){ TELL_PARENT, i };
    if (g_str_equal (k->fields[i].name, "created") && role == TRACE_ROLE_PEER && acts & TRACE_ACT_SEND)
      return (KindTells){ TELL_CREATED, i };
    if (g_str_equal (k->fields[i].name, "coordinate") && role == TRACE_ROLE_VALUE && acts & TRACE_ACT_SET)
      return (KindTells){ TELL_PLACE, i };
  }
  return (KindTells){ 0 };
}

/* A format may tell of kinds as it meets them. */
static void
film_tasks_see_kinds (Cast *c)
{
  for (guint i = c->kinds->len; i < c->source->n_kinds; ++i) {
    KindTells k = kind_tells (&c->source->kinds[i]);
    c->tells |= k.what != TELL_NOTHING;
    g_array_append_val (c->kinds, k);
  }
}

static void
spawned (Cast *c, uint32_t by, uint32_t task)
{
  if (by >= c->source->tasks->len || task >= c->source->tasks->len || by == task)
    return;
  TaskTold *told = told_of (c->told, trace_task_id (c->source, task));
  if (told->spawner)
    return;
  told->spawner = g_strdup (trace_task_id (c->source, by));
  c->changed = true;
}

static void
film_tasks_take_told (Cast *c, const TraceEvent *e, KindTells k)
{
  const TraceSource *s = c->source;
  TraceValue v = { 0 };

  switch ((Tell) k.what) {
  case TELL_SPAWNED:
    if (e->flags & (TRACE_END | TRACE_INSTANT))
      v = trace_value (e, k.field);
    for (uint32_t i = 0; v.kind == TRACE_VALUE_TASKS && i < v.n_tasks; ++i)
      spawned (c, e->task, v.tasks[i]);
    break;
  case TELL_PARENT:
    v = trace_value (e, k.field);
    if (v.kind == TRACE_VALUE_TASK && v.i >= 0 && v.i < s->tasks->len)
      spawned (c, (uint32_t) v.i, e->task);
    break;
  case TELL_CREATED:
    spawned (c, e->task, e->peer);
    break;
  case TELL_PLACE:
    if (e->object < s->objects->len && !(e->flags & TRACE_REAL) && e->task < s->tasks->len)
      c->changed |= told_place (told_of (c->told, trace_task_id (s, e->task)),
                                ((const TraceObject *) s->objects->pdata[e->object])->id, e->size);
    break;
  default:
    break;
  }
}

void
film_tasks_hear (void *tasks, EveComponent *reader, const void *data, uint32_t n)
{
  FilmTasks *const *g = tasks;
  const TraceEvent *events = data;
  const TraceSource *source = session_source_of (reader);
  Cast *c = NULL;

  for (guint i = 0; *g && i < (*g)->casts->len && !c; ++i)
    if (g_array_index ((*g)->casts, Cast, i).source == source)
      c = &g_array_index ((*g)->casts, Cast, i);
  if (!c)
    return;
  film_tasks_see_kinds (c);
  if (!c->tells)
    return;
  const KindTells *kinds = &g_array_index (c->kinds, KindTells, 0);
  const guint n_kinds = c->kinds->len;
  for (uint32_t i = 0; i < n; ++i) {
    __builtin_prefetch (&events[MIN (i + 8, n - 1)]); /* it lies with the processor that read it */
    if (events[i].kind < n_kinds && kinds[events[i].kind].what != TELL_NOTHING)
      film_tasks_take_told (c, &events[i], kinds[events[i].kind]);
  }
}

static bool
film_tasks_write_groups (Cast *c, GError **error)
{
  if (!c->changed)
    return true;
  c->changed = false;
  return told_write (c->folder, c->told, error);
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
    film_tasks_learn_groups (&g_array_index (g->casts, Cast, i));
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
    if (!film_tasks_write_groups (c, error) || !write_traffic (c, last, error))
      return false;
  }
  return true;
}
