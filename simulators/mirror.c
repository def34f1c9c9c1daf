/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.c - a libcgraph graph that follows a state graph when it is told to. */
#include "simulators/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "simulators/mirror-private.h"

Mirror *
mirror_new (const StateGraph *g)
{
  Mirror *m = g_new0 (Mirror, 1);

  m->state = g;
  m->at = INT64_MIN;
  m->n_attributes = g->model->n_attributes; /* those that a trace brings later are not in this one */
  m->wanted = g_new0 (bool, m->n_attributes);
  m->symbols = g_new0 (Agsym_t *, m->n_attributes);
  m->nodes = g_ptr_array_new ();
  m->edges = g_ptr_array_new ();
  m->graph = agopen ((char *) "state", Agdirected, NULL);
  return m;
}

void
mirror_free (Mirror *m)
{
  if (m == NULL)
    return;
  agclose (m->graph);
  g_ptr_array_unref (m->nodes);
  g_ptr_array_unref (m->edges);
  g_free (m->wanted);
  g_free (m->symbols);
  g_free (m);
}

Agraph_t *
mirror_graph (Mirror *m)
{
  return m->graph;
}

Agnode_t *
mirror_node (Mirror *m, uint32_t node)
{
  return node < m->nodes->len ? m->nodes->pdata[node] : NULL;
}

Agedge_t *
mirror_edge (Mirror *m, uint32_t edge)
{
  return edge < m->edges->len ? m->edges->pdata[edge] : NULL;
}

void
mirror_want (Mirror *m, StateScope scope, const char *name)
{
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->state->model->attributes[i].scope == scope
        && (name == NULL || strcmp (m->state->model->attributes[i].name, name) == 0))
      m->wanted[i] = true;
}

/* In DOT a backslash before a quotation mark says that the text goes on, and libcgraph writes a mark of its own behind
 * each text: where an odd number of them stands there, one more makes them mean themselves.  g_free; NULL: none does.
 */
static char *
written_name (const char *text)
{
  if (!strchr (text, '\\'))
    return NULL;
  GString *to = g_string_new (NULL);
  for (const char *at = text; *at;) {
    size_t n = strspn (at, "\\"), other = strcspn (at + n, "\\");
    g_string_append_len (to, at, (gssize) n);
    if (n % 2 > 0 && (at[n] == '"' || at[n] == '\0'))
      g_string_append_c (to, '\\');
    g_string_append_len (to, at + n, (gssize) other);
    at += n + other;
  }
  return g_string_free (to, FALSE);
}

static bool
mirror_is_called (void *node, const char *id)
{
  g_autofree char *written = written_name (id);

  return strcmp (agnameof (node), written ? written : id) == 0;
}

/* The simulator was reset, or another run was loaded: ids mean other things now. */
static void
start_again (Mirror *m)
{
  agclose (m->graph);
  m->graph = agopen ((char *) "state", Agdirected, NULL);
  memset (m->symbols, 0, m->n_attributes * sizeof *m->symbols);
  g_ptr_array_set_size (m->nodes, 0);
  g_ptr_array_set_size (m->edges, 0);
}

static bool
same_objects (Mirror *m)
{
  if (m->state->n_nodes < m->nodes->len || m->state->n_edges < m->edges->len)
    return false;
  for (guint i = 0; i < m->nodes->len; i++)
    if (m->nodes->pdata[i] != NULL && !mirror_is_called (m->nodes->pdata[i], m->state->node_id (m->state, i)))
      return false;
  for (guint i = 0; i < m->edges->len; i++)
    if (m->edges->pdata[i] != NULL) {
      uint32_t from, to;
      m->state->edge_ends (m->state, i, &from, &to);
      if (agtail ((Agedge_t *) m->edges->pdata[i]) != mirror_node (m, from)
          || aghead ((Agedge_t *) m->edges->pdata[i]) != mirror_node (m, to))
        return false;
    }
  return true;
}

static void
update_nodes (Mirror *m)
{
  const StateGraph *g = m->state;
  g_autofree uint32_t *order = state_sorted (g, STATE_NODE);
  uint32_t n = state_count (g, STATE_NODE);

  g_ptr_array_set_size (m->nodes, (int) g->n_nodes);
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    gpointer *node = &m->nodes->pdata[order[i]];
    if (i < n && *node == NULL) {
      g_autofree char *written = written_name (g->node_id (g, order[i]));
      *node = agnode (m->graph, written ? written : (char *) g->node_id (g, order[i]), TRUE);
    }
  }
}

static void
update_edges (Mirror *m)
{
  const StateGraph *g = m->state;
  g_autofree uint32_t *order = state_sorted (g, STATE_EDGE);
  uint32_t n = state_count (g, STATE_EDGE), from, to;
  g_autoptr (GString) id = g_string_new (NULL);

  g_ptr_array_set_size (m->edges, (int) g->n_edges);
  for (uint32_t i = 0; i < g->n_edges; i++) {
    gpointer *edge = &m->edges->pdata[order[i]];
    if (i < n && *edge == NULL) {
      g->edge_ends (g, order[i], &from, &to);
      g_string_truncate (id, 0);
      state_edge_id (g, order[i], id);
      g_autofree char *written = written_name (id->str);
      *edge = agedge (m->graph, mirror_node (m, from), mirror_node (m, to), written ? written : id->str, TRUE);
    } else if (i >= n && *edge != NULL) {
      agdeledge (m->graph, *edge);
      *edge = NULL;
    }
  }
  /* Only now: with a node its edges go, and we would still point at them. */
  for (uint32_t i = 0; i < m->nodes->len; i++)
    if (m->nodes->pdata[i] != NULL && !state_present (g, STATE_NODE, i)) {
      agdelnode (m->graph, m->nodes->pdata[i]);
      m->nodes->pdata[i] = NULL;
    }
}

static void
update_attribute (Mirror *m, uint32_t attribute, GString *text)
{
  static const int cgraph_kinds[] = { AGRAPH, AGNODE, AGEDGE };
  const StateAttribute *a = &m->state->model->attributes[attribute];
  const GPtrArray *objects = a->scope == STATE_NODE ? m->nodes : m->edges;

  if (m->symbols[attribute] == NULL)
    m->symbols[attribute] = agattr (m->graph, cgraph_kinds[a->scope], (char *) a->name, (char *) "");
  for (guint i = 0; i < (a->scope == STATE_GRAPH ? 1 : objects->len); i++) {
    void *object = a->scope == STATE_GRAPH ? (void *) m->graph : objects->pdata[i];
    if (object == NULL)
      continue;
    g_string_truncate (text, 0);
    state_text (m->state, attribute, i, m->at, text);
    mirror_set (m, object, m->symbols[attribute], text->str);
  }
}

void
mirror_set (Mirror *m, void *object, Agsym_t *symbol, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *written = written_name (valid);

  agxset (object, symbol, written ? written : valid);
}

void
mirror_update (Mirror *m, int64_t at)
{
  g_autoptr (GString) text = g_string_new (NULL);

  m->at = MAX (at, m->state->clock);
  if (!same_objects (m))
    start_again (m);
  update_nodes (m);
  update_edges (m);
  for (uint32_t i = 0; i < m->n_attributes; i++)
    if (m->wanted[i])
      update_attribute (m, i, text);
}

bool
mirror_dot (Mirror *m, FILE *to)
{
  return agwrite (m->graph, to) == 0 && fflush (to) == 0;
}

void
state_dot (const StateGraph *g, int64_t at, GString *to)
{
  Mirror *m = mirror_new (g);
  char *text = NULL;
  size_t n = 0;
  FILE *file = open_memstream (&text, &n);

  for (int scope = STATE_GRAPH; scope <= STATE_EDGE; scope++)
    mirror_want (m, scope, NULL);
  mirror_update (m, at);
  mirror_style (m);
  if (file != NULL) {
    mirror_dot (m, file);
    fclose (file);
    g_string_append_len (to, text, (gssize) n);
    free (text);
  }
  mirror_free (m);
}
