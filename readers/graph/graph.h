/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - a graph while its file is read: dot.c and graphml.c fill it, graph.c gives it as events. */
#pragma once
#include "readers/converted.h"
#include "readers/graphs.h"
#include "readers/name-table.h"
#include "readers/unlike.h"

#define MOST_NODES 1000000 /* and groups; others are told and left out */
#define MOST_LINKS 4000000
#define MOST_GROUPS 100000
#define MOST_DEPTH 64   /* groups inside of groups */
#define MOST_NAME 1000  /* bytes; a longer one is cut, and told apart by its sum */
#define MOST_WORD 65536 /* bytes of a value */

/* Of whom attributes are: groups have those of nodes. */
typedef enum { OF_GRAPH, OF_NODE, OF_LINK, N_OF } Of;

typedef struct Value {
  uint32_t attribute, next; /* of the same thing; or TRACE_NONE */
  const char *text;
} Value;

/* The graph, a group, a node or a link. */
typedef struct Thing {
  const char *name; /* of a link: its key, or NULL */
  uint32_t values;  /* chain, or TRACE_NONE */
  uint32_t group;   /* around it, TRACE_NONE: none; of a link the node that it comes from */
  uint32_t to;      /* of links */
  uint32_t inside;  /* of nodes: the node around it, or TRACE_NONE */
  uint32_t depth;   /* how many are around it */
} Thing;

typedef struct Attribute {
  char *name;
  bool text;             /* its values are no numbers, whatever they look like */
  const char *otherwise; /* the value of who has none; or NULL */
} Attribute;

typedef struct Graph {
  Converter *to;
  TraceSource *source;
  const char *file; /* its name, for what is told */
  Input *in;
  GStringChunk *texts;
  GArray *groups, *nodes, *links; /* of Thing */
  NameTable *node_of, *group_of;  /* by name */
  Thing whole;
  GArray *values;           /* of Value */
  GArray *attributes[N_OF]; /* of Attribute */
  NameTable *attribute_of[N_OF];
  GArray *order[N_OF]; /* of uint32_t: the attributes as they are shown */
  bool undirected, too_many_nodes, too_many_links, too_many_attributes;
} Graph;

/* A text as others may have it too, valid and not too long, that lives as long as the graph. */
const char *graph_text (Graph *g, const char *text, size_t n);
/* Its number, or TRACE_NONE: there are too many. */
uint32_t graph_attribute (Graph *g, Of of, const char *name);
/* The node of this name, made if there is none; `group`, and the node `inside`, are around a node that has none around
 * it yet.  TRACE_NONE: too many. */
uint32_t graph_node (Graph *g, const char *name, size_t n, uint32_t group, uint32_t inside);
uint32_t graph_find_node (const Graph *g, const char *name, size_t n);
uint32_t graph_group (Graph *g, const char *name, size_t n, uint32_t group);
/* A link more; `key` may be NULL. */
uint32_t graph_link (Graph *g, uint32_t from, uint32_t to, const char *key);
/* Gives a thing a value; `text` as of graph_text(), "" is none. */
void graph_put (Graph *g, Thing *thing, uint32_t attribute, const char *text);
const char *graph_get (const Graph *g, const Thing *thing, uint32_t attribute); /* or NULL */
static inline Thing *
graph_node_at (const Graph *g, uint32_t node)
{
  return &g_array_index (g->nodes, Thing, node);
}
static inline Thing *
graph_link_at (const Graph *g, uint32_t link)
{
  return &g_array_index (g->links, Thing, link);
}
/* Nodes and links that the file gives a colour have an attribute `colour`, whatever way it is written (colours.c). */
void graph_colours (Graph *g);
void graph_damaged (Graph *g, uint64_t line, const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* Fill it.  False, and *error is set: cancelled, or it is no such file at all. */
bool dot_read (Graph *g, GError **error);
bool graphml_read (Graph *g, GError **error);
