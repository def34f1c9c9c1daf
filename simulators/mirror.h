/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.h - the state graph as a libcgraph graph with string attributes, for layouts, Graphviz and inspection.
 *
 * The simulator knows nothing of it: a mirror is brought up to date when somebody looks, and holds only the
 * attributes that somebody asked for.  Engine thread only. */
#pragma once
#include <graphviz/cgraph.h>
#include <stdio.h>

#include "simulators/state.h"

typedef struct Mirror Mirror;

/* A mirror of a graph that must outlive it; empty until mirror_update(). */
TRACE_API Mirror *mirror_new (const StateGraph *g);
TRACE_API void mirror_free (Mirror *m);
/* From the next update on it has the attribute called `name`; NULL: every attribute of the scope. */
TRACE_API void mirror_want (Mirror *m, StateScope scope, const char *name);
/* Brings nodes, edges and the attributes asked for to date `at` (ticks, >= the graph's clock).  Nodes and edges
 * that have left the state graph are deleted. */
TRACE_API void mirror_update (Mirror *m, int64_t at);
/* Owned by the mirror; nodes are named by their id, edges are keyed by theirs. */
TRACE_API Agraph_t *mirror_graph (Mirror *m);
TRACE_API Agnode_t *mirror_node (Mirror *m, uint32_t node); /* NULL: not there */
TRACE_API Agedge_t *mirror_edge (Mirror *m, uint32_t edge);
/* Sets Graphviz's own attributes (colour, label, width of lines, ...) from the state at the last update. */
TRACE_API void mirror_style (Mirror *m);
/* Writes the graph in Graphviz's language; false: the file did not take it, errno tells why. */
TRACE_API bool mirror_dot (Mirror *m, FILE *to);

/* All of it at once: every attribute, styled, appended as text. */
TRACE_API void state_dot (const StateGraph *g, int64_t at, GString *to);
/* The colour of a state, "#2a9d6f"; the same in every picture. */
TRACE_API const char *state_colour (StateSense sense);
