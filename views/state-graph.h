/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph.h - inside of the state graph view: vertices are tasks, or clusters of them; links are summed between vertices. */
#pragma once
#include "readers/reader.h"
#include "views/history.h"
#include "views/layout.h"
#include "views/paint.h"

typedef struct Picture {
  GArray *vertices;                           /* of Vertex */
  GArray *links;                              /* of Link */
  bool clusters;
  double left, top, width, height;            /* px */
} Picture;

#define VERTEX_STATES 8
typedef struct Vertex {
  char *name, *id;                            /* g_free */
  uint32_t task;                              /* TRACE_NONE: a cluster */
  uint32_t n, present;                        /* tasks; in the graph now */
  uint32_t in_state[VERTEX_STATES];
  double x, y, radius;                        /* px */
} Vertex;

typedef struct Link {
  uint32_t from, to;                          /* vertices */
  uint32_t state;                             /* the busiest of its links */
  double total, now;                          /* bytes */
  bool opposite;                              /* there is one the other way */
} Link;

void state_graph_draw (Paint *p, const Picture *picture);
/* Middle of a link's curve, px. */
void state_graph_middle (const Picture *picture, const Link *l, double *x, double *y);
