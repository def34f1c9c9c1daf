/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h - inside of the view of a scene: its settings, and what builders of scenes share.
 *
 * A builder makes a model (model.h) of what a scene shows: the state graph, an execution with time upwards, a landscape
 * of numbers, ...  All else (camera, rendering, pointing, the table) is the view's and the same for all.  A new builder
 * is a file with a SceneBuilder, its name in `scene_builders`, and the inputs that it reads. */
#pragma once
#include "readers/reader.h"
#include "statistics/graph.h"
#include "statistics/types.h"
#include "views/associations.h"
#include "views/chart.h"
#include "views/groups.h"
#include "views/history.h"
#include "views/layouts.h"
#include "views/scene/render.h"
#include "views/slots.h"
#include "views/view-camera.h"

enum { SCENE_IN_MESSAGES, SCENE_IN_STATES, SCENE_IN_MATRIX, SCENE_IN_X, SCENE_IN_Y, SCENE_IN_Z, SCENE_INS };

/* What tasks did in each of some slices of time, from the film.  Neighbours are put together where they are many. */
typedef struct SceneShares {
  char *layer; /* of which states; NULL: nothing is counted yet */
  char *which; /* states that count, as the setting has them */
  int64_t from, to, reach;
  uint64_t model;                  /* of the states' names, see shares.c */
  uint32_t n_owners, most, n_bins; /* as was asked for */
  double width;                    /* of a slice, ticks */
  uint64_t cut;                    /* serial of the groups that were cut, 0: none were */
  uint32_t n_rows, per_row;        /* rows, each of so many tasks, or parts of the cut */
  uint32_t *first;                 /* of each, in `tasks`, and behind the last */
  uint32_t *part;                  /* of the first task of each row: its part of the cut; NULL: there is no cut */
  uint32_t *tasks, n_tasks;        /* those who live in it */
  float *share;  /* row by row: of a slice that its tasks spend in states that count, 0 to 1; NaN: nobody
                    lives then, or nobody knows */
  uint8_t *slot; /* the state that lasts longest; UINT8_MAX: none */
} SceneShares;

/* Places that a layout has taken its time for. */
typedef struct SceneLaid {
  char *layout;
  double (*at)[3]; /* NULL: there are none */
  uint64_t of;     /* names that it is of */
  uint32_t n, n_ties, n_edges;
} SceneLaid;

/* Nodes on their way from one place to the next. */
typedef struct SceneGlide {
  uint64_t of; /* names that it is of */
  uint32_t n, *task;
  double (*from)[3], (*to)[3];
  gint64 began, changed; /* monotonic us; began 0: all have arrived */
} SceneGlide;

/* Those who are given a place. */
typedef struct SceneStand {
  uint32_t n;
  const uint32_t *task;   /* of each; TRACE_NONE: it is none */
  const uint32_t *host;   /* a number, from 0 on */
  const uint32_t *row_of; /* by node of the graph: which it is; TRACE_NONE: none */
  const double *value[3]; /* see LayoutNodes */
  bool by_value;          /* rules say where they stand, whatever the layout is */
  const char *(*id) (const void *of, uint32_t row);
  const void *of;
} SceneStand;

/* What the cells of a terrain were when it was made.  By now its matrix may be gone, or others may be put together. */
typedef struct SceneGrid {
  bool of_matrix;               /* else of tasks over time */
  uint64_t cut;                 /* serial of the groups; 0: there were none */
  uint32_t n_rows, n_columns;   /* of a matrix: as it is shown, before some are put together */
  uint32_t per_row, per_column; /* so many rows and columns of these are one */
} SceneGrid;

typedef struct SceneView {
  ChartThing held;                          /* the matrix that came last; first, as chart.h wants it */
  int32_t builder, side, rendering, stereo; /* settings */
  int64_t slices;
  bool parallel, fog, ground, logarithmic, keep;
  double cut;
  char *layout, *positions, *camera, *viewpoints, *shared, *size_by, *sort_by[3], *counted, *axis_title[3];

  ChartValues of[3]; /* x, y and z of owners; run state, as the matrix is */

  char *film; /* draw side: of what is below */
  Names *names;
  uint64_t named;                      /* another one each time that they were opened */
  char *states_layer, *messages_layer; /* whose readers are open; NULL: none */
  StatesReader *states;
  MessagesReader *messages;
  SceneShares shares;
  StateSlots slots; /* of the legend, and of `shares` */
  SceneModel model; /* what was drawn last; things NULL: nothing */
  int32_t made_by;  /* the builder of the model */
  SceneGrid grid;   /* terrain.c: the cells of the model */
  SceneFrame frame;
  SceneCamera now; /* it is seen from there */
  SceneGpu *gpu;
  bool moving; /* the person moves the camera: it is not in the setting yet */
  SceneCamera moved;
  const char *stands; /* the layout by which nodes stand */
  SceneLaid laid;     /* stand.c */
  SceneGlide glide;   /* of the last picture */
  bool gliding;       /* they are not there yet: the picture is wanted again */
  GHashTable *filed;  /* id -> places of the file; NULL: not read since a setting was changed */
  char *filed_of;
  bool filed_flat;             /* the file is of the plane */
  uint64_t stood, kept_serial; /* changes of settings; the one up to which places were written */
  char **attributes;           /* of tasks, to choose from; NULL: nothing was drawn yet */
  const StateModel *attributes_of;

  GPtrArray *places;  /* of char *: where it was looked at from before; NULL: nowhere else yet */
  char *place, *kept; /* the present one, and what the settings say of it */
  bool stepped_back;

  SceneGpu *pick_gpu; /* pick.c */
  GArray *passed;     /* ids of what was clicked away at passed_x, passed_y; NULL: nothing */
  double passed_x, passed_y;
  int64_t passed_at;
  uint32_t passed_last; /* the id that is selected there */
  SceneCamera passed_camera;

  uint64_t of_look; /* what the model was made of while the camera moves, see is_same_model() */
  int64_t made_at;
  const StateGraph *made_of;
  double full_ms; /* that the last complete picture took */
  double unit_ms; /* that an object costs while the camera moves, as a point; 0: not measured yet */
  bool fewer;     /* the last picture left something out for that */
  bool hasty;     /* it was one with less */
  bool settled;   /* the camera has come to rest: only that has changed */

  bool refining;          /* pixels.c: the full picture is being drawn, in slices */
  uint64_t refined;       /* serial of the model that it is of */
  double spent_ms;        /* by now */
  SceneSlices progress;   /* of the next part */
  GArray *shown, *coming; /* parts of the picture with less, and those of the full one that are done; or NULL */
} SceneView;

enum { SCENE_MONO, SCENE_SIDE_BY_SIDE, SCENE_RED_CYAN }; /* SceneView.stereo */

/* What a thing is: `part` of its tag. */
typedef enum {
  SCENE_PART_NODE,
  SCENE_PART_LINK,
  SCENE_PART_INTERVAL,
  SCENE_PART_MESSAGE,
  SCENE_PART_CELL,
  SCENE_PART_POINT,
  SCENE_PARTS
} ScenePart;
extern const char *const scene_parts[SCENE_PARTS]; /* as the table calls them */

typedef struct SceneBuilder {
  const char *name;
  uint32_t spans;   /* bits of ViewSpan, */
  uint32_t depends; /* and of ViewOn, of what it shows */
  /* Fills a model that was begun.  False and a sentence: what it needs is not there. */
  bool (*build) (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error);
  /* As View.say, of a thing of the model. */
  void (*say) (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts);
  /* As View.owners; NULL: what is in its tag. */
  void (*owners) (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to);
  /* The name of one end of what is of no single task, for the table: of a group, or of rows; g_free.  The whole is its
   * own first end.  NULL: it has none. */
  char *(*end_name) (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second);
  /* What rules show, below the legend; NULL: they show nothing. */
  void (*key) (SceneView *v, Paint *p);
} SceneBuilder;
extern const SceneBuilder scene_graph, scene_space_time, scene_kiviat, scene_terrain, scene_cloud;

/* ---- what builders share -------------------------------------------------------------------------------------------------- */
/* film.c: the readers of what is wired to the inputs, brought to what the film knows by now, and the names of tasks.
 * False and a sentence: there is no film, or nothing is wired. */
bool scene_open_states (SceneView *v, const ViewScene *scene, GError **error);
/* Messages are drawn where there are any: v->messages NULL, there are none. */
void scene_open_messages (SceneView *v, const ViewScene *scene);
void scene_open_names (SceneView *v, const ViewScene *scene, uint32_t n_least);
void scene_close (SceneView *v);
/* The host of each of some tasks, numbered as they are met; those of which nobody knows it have one together, the last.
 * g_free. */
uint32_t *scene_hosts (const SceneView *v, const ViewScene *scene, const uint32_t *tasks, uint32_t n);
/* The dates that the scene shows: the whole execution, if it says none. */
void scene_range (const ViewScene *scene, int64_t *from, int64_t *to);
/* shares.c: of the states that the setting names, or, if it is empty, of work; at most `most` rows. */
const SceneShares *scene_shares (SceneView *v, const ViewScene *scene, uint32_t most, uint32_t n_bins);
void scene_shares_clear (SceneShares *s);
/* That of a row's first task. */
static inline uint32_t
scene_row_task (const SceneShares *s, uint32_t row)
{
  return s->tasks[s->first[row]];
}
/* The row of what stands at a place of `shares`, which are row by row; TRACE_NONE: there are none any more. */
static inline uint32_t
scene_row_at (const SceneShares *s, uint32_t place)
{
  return s->n_bins > 0 ? place / s->n_bins : TRACE_NONE;
}
/* Of `shares`; g_free.  Empty: there is no such row any more. */
char *scene_row_name (SceneView *v, const ViewScene *scene, uint32_t row);
/* The task of a row, or nothing: it is of several. */
TraceRef scene_row_owner (const SceneView *v, const ViewScene *scene, uint32_t row);
/* Of a row that is no more: nobody. */
void scene_add_row_owners (const SceneView *v, const ViewScene *scene, uint32_t row, TraceRefs *to);
bool scene_row_is_chosen (const SceneView *v, const ViewScene *scene, uint32_t row);
/* ", some in a row: means", or nothing; for a note. */
const char *scene_shares_together (const SceneShares *s);
/* Makes the legend of the states that tasks are in now: how many are in each, of HISTORY_STATES_MOST + 1.  Of many the
 * last slot is all others. */
void scene_legend (SceneView *v, SceneModel *m, const uint32_t *in_state);
/* The states that count, in words. */
const char *scene_counted (const SceneView *v);

/* steer.c: the camera of a view.  From where it is seen now; *unread: its setting says nothing that is understood. */
SceneCamera scene_steer_camera (SceneView *v, bool *unread);
/* It, or one with which it shares its camera, is moved just now. */
bool scene_steer_moves (const SceneView *v);
/* A picture is made, from v->now: takes note of where that is, for steps back. */
void scene_steer_note (SceneView *v);
/* A view begins, and ends: who shares a camera is found among all that there are. */
void scene_steer_begin (SceneView *v);
void scene_steer_end (SceneView *v);
extern const ViewCamera scene_steer; /* but below() */

/* stereo.c: what an eye (0: the left one) sees, and where in the picture; of one for both, what is in the middle
 * between them. */
int scene_eyes (const SceneView *v);
void scene_eye (const SceneView *v, int eye, SceneCamera *c, SceneFrame *f);
/* The eye in whose picture a point is. */
int scene_eye_at (const SceneView *v, double x);
/* Left and right in one: the red of the one, all else of the other. */
void scene_stereo_mix (cairo_surface_t *left, cairo_surface_t *right);

/* names.c: names, below, above or beside their objects, where they lie on least. */
void scene_names_draw (SceneView *v, Paint *p);
/* What the colours of links say, from x on; gives where that ends. */
double scene_links_key (const SceneView *v, Paint *p, double x);

/* pixels.c: the picture of the model, as far as the time suffices (ViewScene.budget_ms); v->hasty, v->refining.  False
 * and a sentence: there is none. */
bool scene_pixels_draw (SceneView *v, const ViewScene *scene, Drawing *d, const Paint *p, GError **error);
void scene_pixels_end (SceneView *v);
/* A frame in pixels. */
SceneFrame scene_in_pixels (const SceneFrame *f, double scale);

/* pick.c: the id of what is seen at a point of the picture, or nearest to it within a few px; 0: nothing.  `skip` (of
 * uint32_t, or NULL): as if these were not there. */
uint32_t scene_pick (SceneView *v, const ViewScene *scene, double x, double y, const GArray *skip);

/* stand.c: gives each of them a place, NaN: nowhere; and what there is to say of that, "; ...". */
void scene_stand (SceneView *v, const ViewScene *scene, const SceneStand *s, double (*at)[3], GString *note);
/* The setting `positions` with one of them moved; g_free.  NULL: its name cannot stand there. */
char *scene_stand_moved (SceneView *v, const char *id, const double at[3]);
void scene_stand_forget (SceneView *v);

/* graph.c: what rules make of a colour: shapes are solid, so what is nearly not there is nearly paper. */
uint32_t scene_looks_colour (const ViewScene *scene, const Look *look, uint32_t rgb);
/* The same of what keeps its own colour. */
uint32_t scene_looks_solid (const ViewScene *scene, const Look *look, uint32_t rgb);

/* What rules show of objects of a kind, of the channels that `offers` and `shown` have: a line; gives where the next
 * one begins. */
double scene_looks_key (const SceneView *v, Paint *p, double y, LookKind kind, uint32_t offers, uint32_t shown);

/* ground.c: floors, rods and scales around what is shown. */
uint32_t scene_faint (const ViewScene *scene);
void scene_floor (const ViewScene *scene, SceneModel *m, const double low[2], const double high[2], double z);
void scene_rod (SceneModel *m, const double from[3], const double to[3], double radius, uint32_t rgb, uint32_t id);
/* A scale from one point to another, its numbers beside it. */
void scene_scale (const ViewScene *scene, SceneModel *m, const ChartScale *s, const double from[3], const double to[3],
                  const double aside[3], const char *title);
/* Time from one point to another: its dates beside it. */
void scene_time_scale (const ViewScene *scene, SceneModel *m, int64_t from, int64_t to, const double a[3],
                       const double b[3], const double aside[3]);
/* A plate under the nodes of each host, with the name that they give it; nodes without a name are passed over. */
void scene_host_plates (const ViewScene *scene, const LayoutNodes *nodes, const double (*at)[3],
                        const char *const *names, SceneModel *m, double z);
