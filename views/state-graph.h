/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph.h - inside of the state graph view: vertices are tasks, or clusters of them; links are summed between
 * vertices. */
#pragma once
#include "readers/reader.h"
#include "views/associations.h"
#include "statistics/graph.h"
#include "views/groups.h"
#include "views/history.h"
#include "views/layout.h"
#include "views/drawing.h"

#define STATE_GRAPH_KEY_PX 18.0 /* a line */

typedef struct Picture {
  GArray *vertices; /* of Vertex */
  GArray *links;    /* of Link */
  bool clusters;
  bool crowded;                              /* nobody asked for groups: there are too many tasks to show each */
  uint32_t n_mixed;                          /* groups of whose tasks rules say different things */
  uint32_t n_hidden;                         /* tasks, by a rule */
  bool nothing_came;                         /* a Filter or the like let no message through */
  double left, top, width, height;           /* px */
  double origin_x, origin_y, room_x, room_y; /* px, of the layout from 0 to 1 */
  double key_px;                             /* what the keys of associations take above */
  Looks tasks, between;                      /* associations of tasks, and of links */
  Look *task_looks, *link_looks;             /* of each vertex, and link; NULL: no rule is asked */
  LooksAxis axis[2];                         /* places by attributes, across and upwards */
  double foot[2];                            /* px, where their labels begin: below it, left of it */
  double *along[2];                          /* by vertex, 0 to 1, the mean of its tasks; NaN: none; NULL: no rule */
} Picture;

typedef struct StateGraphView {
  EveBase base;
  int32_t layout; /* settings */
  char *positions;
  bool keep;

  char *film; /* draw side: of what is below */
  Names *names;
  uint32_t n_tasks, n_vertices; /* that positions were computed for */
  int32_t laid_out;
  uint32_t laid_links; /* how many pairs the layout was made from */
  uint32_t n_edges;    /* that the graph had then */
  uint64_t cut;        /* of the scene's groups; 0: it had none */
  bool by_host;        /* what clusters are */
  uint32_t *vertex_of; /* by task */
  double *x, *y;       /* of each vertex; then, once more, as Graphviz has them */
  double ratio;
  bool is_placed; /* what was kept and dragged is in x and y */
  Picture drawn;  /* the last that was built: its marks tell of that; vertices NULL: none */

  /* Model side: the bytes that came between two tasks, where the wire does not come straight from a simulator. */
  GHashTable *came; /* tasks, from << 32 | to -> gint64 of bytes; run state */
  StatsWires wires;
} StateGraphView;

#define VERTEX_STATES 32 /* those above are one */
typedef struct Vertex {
  char *name, *id;     /* g_free */
  uint32_t task;       /* TRACE_NONE: a cluster */
  uint32_t n, present; /* tasks; in the graph now */
  uint32_t node;       /* of the graph, + 1; 0: it is several, or not there */
  uint32_t in_state[VERTEX_STATES];
  double x, y, radius; /* px */
  double inside;       /* bytes between tasks of it */
  bool chosen;         /* it, or a task of it, is selected */
  bool mixed;          /* rules say different things of its tasks */
} Vertex;

typedef struct Link {
  uint32_t from, to; /* vertices */
  uint32_t edge;     /* the busiest of its links, */
  uint32_t state;    /* and its state */
  int rank;          /* of that state: what tells more has a higher one */
  double total;      /* bytes */
  bool opposite;     /* there is one the other way */
  bool chosen;       /* it is selected */
} Link;

/* state-graph-place.c */
extern const char *const state_graph_layouts[];
void state_graph_forget (StateGraphView *v);
/* Makes the vertices and their layout for a film; gives the task of each node of the graph, g_free. */
uint32_t *state_graph_prepare (StateGraphView *v, const ViewScene *scene);
void state_graph_place (StateGraphView *v, const ViewScene *scene, Picture *p);
/* The setting `positions` with a task at x, y (px); g_free. */
char *state_graph_moved (StateGraphView *v, const ViewScene *scene, const Picture *p, uint32_t task, double x,
                         double y);

/* state-graph-axes.c: places by attributes.  `nodes`: those of the graph that are shown, else TRACE_NONE. */
void state_graph_find_axes (const StateGraphView *v, const ViewScene *scene, const uint32_t *nodes,
                            const uint32_t *task_of, Picture *p);
/* What axes need at the left, and below, px. */
double state_graph_axis_px (const Picture *p, int axis);
/* Moves vertices along them, and so far aside that none covers another, where that can be. */
void state_graph_stand (Picture *p);
void state_graph_draw_axes (Paint *paint, const Picture *p);

/* state-graph-draw.c */
void state_graph_draw (Paint *p, const Picture *picture);
/* Marks: vertices, then links, the busiest first; `index` is the place in the picture. */
enum { STATE_GRAPH_VERTEX, STATE_GRAPH_LINK };
void state_graph_mark (Drawing *d, const ViewScene *scene, const Picture *picture);
/* The state that it has, or most of a cluster. */
uint32_t state_graph_state (const Vertex *v);
