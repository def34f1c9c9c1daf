/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-say.c - the names of what is in the picture, for who points at it, and for who is read to. */
#include "eve/words.h"
#include "views/paint.h"
#include "views/state-graph.h"

static void
say_vertex (const Vertex *vertex, const ViewScene *scene, GString *name)
{
  g_string_append (name, vertex->name);
  if (vertex->n > 1)
    g_string_append_printf (name, " (%u)", vertex->n);
  for (uint32_t s = 0; s < VERTEX_STATES; s++)
    if (vertex->in_state[s] > 0 && vertex->n == 1)
      g_string_append_printf (name, _ (": %s"), paint_state_word (scene->graph, STATE_NODE, s));
    else if (vertex->in_state[s] > 0)
      g_string_append_printf (name, ", %u %s", vertex->in_state[s], paint_state_word (scene->graph, STATE_NODE, s));
  if (vertex->inside > 0) {
    g_autofree char *bytes = paint_bytes (vertex->inside);
    g_string_append_printf (name, _ (", %s between them so far"), bytes);
  }
}

static void
say_link (const Picture *p, const Link *l, const ViewScene *scene, GString *name)
{
  const Vertex *a = &g_array_index (p->vertices, Vertex, l->from), *b = &g_array_index (p->vertices, Vertex, l->to);
  g_autofree char *bytes = paint_bytes (l->total);

  if (state_with_role (scene->graph->model, STATE_EDGE, STATE_ROLE_TRAFFIC) < 0) { /* nothing passes them */
    g_string_append_printf (name, _ ("%s to %s: %s"), a->name, b->name,
                            paint_state_word (scene->graph, STATE_EDGE, l->state));
    return;
  }
  g_string_append_printf (name, _ ("%s to %s: %s, %s so far"), a->name, b->name,
                          paint_state_word (scene->graph, STATE_EDGE, l->state), bytes);
}

void
state_graph_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const Picture *p = &((StateGraphView *) c)->drawn;

  if (p->vertices == NULL || scene->graph == NULL)
    return;
  if (m->tag.part == STATE_GRAPH_VERTEX && m->tag.index < p->vertices->len)
    say_vertex (&g_array_index (p->vertices, Vertex, m->tag.index), scene, name);
  else if (m->tag.part == STATE_GRAPH_LINK && m->tag.index < p->links->len)
    say_link (p, &g_array_index (p->links, Link, m->tag.index), scene, name);
  else if (m->tag.part == STATE_GRAPH_WIRE)
    state_graph_say_wire (p, m->tag.index, name);
}
