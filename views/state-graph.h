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
#include "views/layouts.h"
#include "views/drawing.h"
#include "views/topology.h"

#define STATE_GRAPH_KEY_PX 18.0 /* a line */

/* A way over the wires of a topology, or along the tree of groups: its points in Picture.way, px, without both ends. */
typedef struct Way {
  guint first, n;
} Way;

typedef struct Wire {
  double x0, y0, x1, y1; /* px */
  double total;          /* bytes that went over it so far, both ways */
} Wire;

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
  Looks tasks, between, together;            /* associations of tasks, of links, and of groups */
  Look *task_looks, *link_looks;             /* of each vertex, and link; NULL: no rule is asked */
  const Topology *topology;                  /* NULL: none is shown */
  const char *topology_problem;              /* what is wrong with it; NULL: nothing */
  GArray *wires, *way;                       /* of Wire; of double[2] */
  Way *ways;                                 /* of each link */
  double (*nodes)[2];                        /* of the topology, px */
  uint32_t n_wayless, n_nowhere;             /* links that no wires lead along; tasks that are on no node */
  uint32_t n_bundled;                        /* links */
  uint32_t n_left_out;                       /* vertices that the layout has no place for */
  LooksAxis axis[2];                         /* places by attributes, across and upwards */
  double foot[2];                            /* px, where their labels begin: below it, left of it */
  GArray *labels;                            /* names beside vertices; state-graph-labels.c */
  double *along[2];                          /* by vertex, 0 to 1, the mean of its tasks; NaN: none; NULL: no rule */
} Picture;

typedef struct StateGraphView {
  EveBase base;
  char *layout, *positions; /* settings */
  bool keep, bundle;

  char *film; /* draw side: of what is below */
  Names *names;
  uint32_t n_tasks, n_vertices; /* that positions were computed for */
  char *laid_out;               /* the layout */
  uint32_t n_left_out;          /* vertices that it has no place for */
  uint32_t laid_links;          /* how many pairs the layout was made from */
  uint32_t n_edges;             /* that the graph had then */
  uint64_t cut;                 /* of the scene's groups; 0: it had none */
  bool by_host;                 /* what clusters are */
  uint32_t *vertex_of;          /* by task */
  double *x, *y;                /* of each vertex; then, once more, as Graphviz has them */
  double ratio;
  Topology *topology; /* of that layout; NULL: there is none */
  char *topology_problem;
  uint32_t *task_node;   /* by task: its node, or TRACE_NONE */
  uint32_t *vertex_node; /* by vertex */
  double (*node_at)[2];  /* 0 to 1 */
  bool is_placed;        /* what was kept and dragged is in x and y */
  Picture drawn;         /* the last that was built: its marks tell of that; vertices NULL: none */

  /* Model side: the bytes that came between two tasks, where the wire does not come straight from a simulator. */
  GHashTable *came; /* tasks, from << 32 | to -> gint64 of bytes; run state */
  StatsWires wires;
} StateGraphView;

#define VERTEX_STATES 32 /* those above are one */
typedef struct Vertex {
  char *name, *id;     /* g_free */
  char *group;         /* name of a group that a rule calls otherwise, g_free; NULL: it has its own */
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
/* By the name of the setting; one that is not there is the automatic one.  Never NULL. */
const GraphLayout *state_graph_layout (const StateGraphView *v);
void state_graph_forget (StateGraphView *v);
/* Makes the vertices and their layout for a film; gives the task of each node of the graph, g_free. */
uint32_t *state_graph_prepare (StateGraphView *v, const ViewScene *scene);
void state_graph_place (StateGraphView *v, const ViewScene *scene, Picture *p);
/* A member of a group, the `i`th of n, within `room` of the group's middle: on a ring, or, of many, over the disc. */
void state_graph_place_member (uint32_t i, uint32_t n, double x, double y, double room, double ratio, double *to_x,
                               double *to_y);
/* Half the way from the `i`th to the nearest other one, less a gap. */
double state_graph_room_of (const double *x, const double *y, uint32_t i, uint32_t n);
/* The setting `positions` with a task at x, y (px); g_free. */
char *state_graph_moved (StateGraphView *v, const ViewScene *scene, const Picture *p, uint32_t task, double x,
                         double y);

/* state-graph-sums.c: what the tasks and links of the graph come to.  Whether every wire comes from a simulator itself.
 */
bool state_graph_is_straight (StateGraphView *v);
/* The tasks of the messages that came, as a set of their numbers + 1; NULL: all are shown. */
GHashTable *state_graph_tasks_that_came (StateGraphView *v);
bool state_graph_shows_task (GHashTable *tasks, uint32_t task);
/* The bytes that came from one task to another; -1: no message did. */
int64_t state_graph_bytes_that_came (StateGraphView *v, uint32_t from, uint32_t to);
/* The vertex of each node that is in the graph now; TRACE_NONE: of those that are not, or are no task; g_free.
 * `state`, unless it is NULL: their states, for state_graph_count_states (), g_free. */
uint32_t *state_graph_vertices_now (const StateGraphView *v, const StateGraph *g, const uint32_t *task_of,
                                    uint32_t **state);
/* How many tasks of each vertex are in which state. */
void state_graph_count_states (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, const uint32_t *now,
                               const uint32_t *state, Picture *p);
/* The links between the vertices, in no order. */
void state_graph_sum_links (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, const uint32_t *now,
                            Picture *p);
/* The bytes that count for an edge: all that have passed it, or those that came by the wire of its two tasks, once as
 * `counted` knows, a set of pairs of them; < 0: it is not shown. */
double state_graph_bytes (StateGraphView *v, const ViewScene *scene, uint32_t edge, const uint32_t *task_of,
                          GHashTable *counted);

/* state-graph-routes.c: tasks on the nodes of a topology.  Reads it, and puts them there: false, there is none. */
bool state_graph_lay_on_topology (StateGraphView *v, const ViewScene *scene);
void state_graph_forget_topology (StateGraphView *v);
/* What went over each wire, and the ways of links; once vertices stand. */
void state_graph_route (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, Picture *p);
void state_graph_draw_wires (Paint *paint, const Picture *p);
void state_graph_draw_nodes (Paint *paint, const Picture *p);
/* Whether a node of the topology is drawn, and then, whether its name is below it: none where a task stands on it. */
bool state_graph_shows_node (const Picture *p, uint32_t node, bool *named);
void state_graph_mark_wires (Drawing *d, const ViewScene *scene, const Picture *p);
void state_graph_note_wires (const Picture *p, GString *note); /* "; busiest wire ..." */
void state_graph_say_wire (const Picture *p, uint32_t wire, GString *name);
/* A table's lines for wires: "wire", its nodes, what went over it in the column of `total`. */
void state_graph_put_wires (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, GString *to);
/* state-graph-bundle.c: the ways of links along the tree of groups, if that is wanted; once vertices stand. */
void state_graph_bundle (StateGraphView *v, const ViewScene *scene, Picture *p);

/* state-graph-axes.c: places by attributes.  `nodes`: those of the graph that are shown, else TRACE_NONE. */
void state_graph_find_axes (const StateGraphView *v, const ViewScene *scene, const uint32_t *nodes,
                            const uint32_t *task_of, Picture *p);
/* What axes need at the left, and below, px. */
double state_graph_axis_px (const Picture *p, int axis);
/* Moves vertices along them, and so far aside that none covers another, where that can be. */
void state_graph_stand (Picture *p);
void state_graph_draw_axes (Paint *paint, const Picture *p);

/* state-graph-say.c */
void state_graph_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts);

/* state-graph-draw.c */
void state_graph_draw (Paint *p, const Picture *picture);
/* Marks: vertices, then links, the busiest first; `index` is the place in the picture. */
enum { STATE_GRAPH_VERTEX, STATE_GRAPH_LINK, STATE_GRAPH_WIRE };
void state_graph_mark (Drawing *d, const ViewScene *scene, const Picture *picture);
/* Where the loop of a vertex is that stands for what its tasks sent each other, and its radius; 0: it has none. */
double state_graph_loop (const Vertex *v, double *x, double *y);
/* x and y of points along the middle of a link are appended; false: its ends are too near for one. */
bool state_graph_add_points (const Picture *p, guint link, GArray *to);
/* The state that it has, or most of a cluster. */
uint32_t state_graph_state (const Vertex *v);

/* state-graph-labels.c: laid before anything is marked or painted. */
void state_graph_lay_labels (Paint *paint, Picture *p);
/* Part of the mark of its vertex, behind which it is called. */
void state_graph_mark_label (Drawing *d, const Picture *p, guint vertex, const DrawingTag *tag);
void state_graph_draw_labels (Paint *paint, const Picture *p);
/* Whether the name of a vertex, or how many it is of, stands in it. */
bool state_graph_names_inside (Paint *paint, const Picture *p, guint vertex, const char *text);
