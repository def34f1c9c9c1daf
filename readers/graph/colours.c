/* SPDX-License-Identifier: Apache-2.0 */
/* colours.c - the colour that a graph of Graphviz gives a node or link, in whatever way it is written, as six digits.
 */
#include <string.h>

#include "readers/graph/graph.h"

static uint32_t
graph_colours_known (const Graph *g, Of of, const char *name)
{
  for (guint i = 0; i < g->attributes[of]->len; i++)
    if (strcmp (g_array_index (g->attributes[of], Attribute, i).name, name) == 0)
      return i;
  return TRACE_NONE;
}

static const char *
own_value (const Graph *g, Of of, const Thing *t, uint32_t attribute)
{
  const char *text = attribute != TRACE_NONE ? graph_get (g, t, attribute) : NULL;

  return text || attribute == TRACE_NONE ? text : g_array_index (g->attributes[of], Attribute, attribute).otherwise;
}

static void
graph_colours_fill (Graph *g, Of of, Thing *t, const uint32_t *from, uint32_t n, uint32_t *to)
{
  uint32_t rgb;
  char text[8];

  for (uint32_t i = 0; i < n; i++) {
    const char *value = own_value (g, of, t, from[i]);
    if (!value || !trace_colour_named (value, &rgb))
      continue;
    if (*to == TRACE_NONE)
      *to = graph_attribute (g, of, "colour");
    g_snprintf (text, sizeof text, "#%06x", rgb & 0xffffff);
    if (*to != TRACE_NONE)
      graph_put (g, t, *to, graph_text (g, text, strlen (text)));
    return;
  }
}

void
graph_colours (Graph *g)
{
  const uint32_t of_node[] = { graph_colours_known (g, OF_NODE, "fillcolor"),
                               graph_colours_known (g, OF_NODE, "color") },
                 of_link[] = { graph_colours_known (g, OF_LINK, "color"),
                               graph_colours_known (g, OF_LINK, "fillcolor") };
  uint32_t to = TRACE_NONE;

  if (graph_colours_known (g, OF_NODE, "colour") == TRACE_NONE && (of_node[0] & of_node[1]) != TRACE_NONE)
    for (guint i = 0; i < g->nodes->len; i++)
      graph_colours_fill (g, OF_NODE, graph_node_at (g, i), of_node, 2, &to);
  to = TRACE_NONE;
  if (graph_colours_known (g, OF_LINK, "colour") == TRACE_NONE && (of_link[0] & of_link[1]) != TRACE_NONE)
    for (guint i = 0; i < g->links->len; i++)
      graph_colours_fill (g, OF_LINK, graph_link_at (g, i), of_link, 2, &to);
}
