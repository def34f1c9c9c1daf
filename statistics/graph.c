/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/graph.h"
#include "eve/eve-host.h"

const StateGraph *
stats_graph_above (const EveComponent *c, const char **out)
{
  EveProgram *p = eve_program (c);
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();

  g_ptr_array_add (seen, (gpointer) c);
  for (guint i = 0; i < seen->len; i++)
    for (uint32_t k = 0; k < eve_n_wires (p); k++) {
      EveWire w = eve_wire (p, k);
      if (w.broken || w.to != seen->pdata[i] || eve_is_ghost (w.from) || g_ptr_array_find (seen, w.from, NULL))
        continue;
      const StateGraph *g = eve_query (w.from, "state-graph/1");
      if (g) {
        if (out)
          *out = w.out;
        return g;
      }
      g_ptr_array_add (seen, w.from);
    }
  return NULL;
}
