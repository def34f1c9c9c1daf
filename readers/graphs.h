/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.h - graphs from files, as executions of one instant: what their reader (graph/) and their simulator
 * (simulators/graph) agree on.
 *
 * The first task is the graph itself; groups and nodes are tasks too, inside of each other where the file says so.  One
 * event tells of the graph, one of each group, node and link, with the values of its attributes as fields.  What an
 * attribute is really called tells the type that has its place: types of the kind VARIABLE whose parent is GRAPH_OF_...
 * are, in their order, the fields of that kind's events, behind those that all links have. */
#pragma once
#include "readers/event.h"

#define GRAPHS_MODEL "graph" /* of their format */

/* Kinds of events. */
enum { GRAPH_IS, GRAPH_GROUP_IS, GRAPH_NODE_IS, GRAPH_LINK_IS, N_GRAPH_KINDS };
/* Types of what has attributes: the first three are of tasks.  What is known of groups are attributes of nodes. */
enum { GRAPH_OF_GRAPH, GRAPH_OF_GROUP, GRAPH_OF_NODE, GRAPH_OF_LINK, N_GRAPH_TYPES };

enum { GRAPH_LINK_TO, GRAPH_LINK_NAME, GRAPH_LINK_FIELDS }; /* fields that all links have, before their attributes */

#define GRAPHS_MOST_ATTRIBUTES 256 /* of nodes, of links, of the graph */
