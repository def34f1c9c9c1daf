/* SPDX-License-Identifier: Apache-2.0 */
/* topology.h - the machine that an execution ran on: nodes, the wires between them, which tasks are where, and which
 * way a message takes (docs/views.md, State graph).  Engine thread only. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "views/history.h"

typedef struct Topology Topology;
typedef struct TopologyWire {
  uint32_t a, b; /* nodes */
} TopologyWire;

/* The file `topology` of a bundle; of an execution that is one file, FILE.topology beside it.  NULL: there is none, or
 * it is damaged, and then *problem says so (g_free). */
Topology *topology_read (const char *bundle, char **problem);
/* From a text; `name` is told in sentences. */
Topology *topology_parse (const char *text, const char *name, char **problem);
void topology_free (Topology *t); /* NULL: nothing */

uint32_t topology_n (const Topology *t);
const char *topology_name (const Topology *t, uint32_t node);
/* Where it stands, 0 to 1, y downward.  False: some node has no place, and so none counts. */
bool topology_place (const Topology *t, uint32_t node, double *x, double *y);
const TopologyWire *topology_wires (const Topology *t, uint32_t *n);
/* The wire between two nodes, or TRACE_NONE. */
uint32_t topology_wire (const Topology *t, uint32_t a, uint32_t b);

/* The node of each task: what a line says of it, else the one called as its host; TRACE_NONE: none.  g_free. */
uint32_t *topology_nodes_of_tasks (const Topology *t, const Names *names, const TraceSource *source, uint32_t n_tasks);
/* The nodes that what goes from one to another passes, both with it: as a line says, else the fewest wires.  NULL:
 * there is no way.  Good as long as the topology. */
const uint32_t *topology_route (Topology *t, uint32_t from, uint32_t to, uint32_t *n);
