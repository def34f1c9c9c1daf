/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - where the data of a component come from.  Engine thread only. */
#pragma once
#include "simulators/state.h"

/* The graph of the simulator that feeds a component, through others or not; NULL: none does.  The wire it comes by,
 * from the simulator, is of the output `*out` ("changes", "states"), if out is not NULL.  Walks the program: not for
 * each datum. */
TRACE_API const StateGraph *stats_graph_above (const EveComponent *c, const char **out);
