/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - a scene in three dimensions: what stands where, before anything is drawn.
 *
 * A builder (scene.h) fills a model from the execution; a renderer (render.h) draws it, and what is said of an
 * object comes from its tag, as in any drawing.  Up is +z.  Coordinates are the builder's own, small numbers around
 * zero: the camera finds out how large the scene is.  Engine thread only. */
#pragma once
#include "views/drawing.h"

typedef enum {
  SCENE_SPHERE, /* of radius 1 around the middle, as all of these: */
  SCENE_CUBE,
  SCENE_HEXAGON, /* a prism of six sides */
  SCENE_RING,
  SCENE_OCTAHEDRON,
  SCENE_CONE,  /* from the disc of radius 1 around the middle to a point at z = 1 */
  SCENE_ROD,   /* as thick at z = 1 */
  SCENE_PLATE, /* a square of z = 0; may be seen through */
  SCENE_SHAPES
} SceneShape;

/* One object, as the renderer takes it: a shape, and three rows of a matrix that puts it where it is. */
typedef struct SceneInstance {
  float row[3][4];
  uint8_t rgba[4];
  uint32_t id; /* 0, or the place of its thing + 1 */
} SceneInstance;

/* A corner of a triangle of a surface, in the scene. */
typedef struct SceneCorner {
  float at[3], normal[3];
  uint8_t rgba[4];
  uint32_t id;
} SceneCorner;

/* What can be pointed at. */
typedef struct SceneThing {
  DrawingTag tag;
  double value;         /* the number that is shown of it; NaN: none */
  const char *unit;     /* of that number, good for ever; NULL: it has none */
  double at[3], end[3]; /* where it is; of what has two ends, the other one */
  double radius;        /* of the ball around `at` that holds it; 0: it is a line to `end` */
  bool chosen;          /* it is selected: it gets an outline */
  uint32_t rows[2];     /* of what leads from row to row: these (space.c) */
  uint32_t parts[2];    /* of the state graph: the closed group that it is, or that each end is; TRACE_NONE: none */
} SceneThing;

typedef struct SceneLabel {
  double at[3], radius; /* the text stands below the ball */
  char *text;           /* g_free */
  bool quiet;           /* of the ground, not of an object */
} SceneLabel;

typedef struct SceneModel {
  GArray *of[SCENE_SHAPES]; /* of SceneInstance; cones: the heaviest first, as few may be drawn while moving */
  GArray *faces[2];         /* of SceneCorner, three a triangle: solid ones, and those that are seen through */
  GArray *things;           /* of SceneThing */
  GArray *labels;           /* of SceneLabel, the most important first */
  double low[3], high[3];   /* what it fills; low > high: nothing */
  uint64_t serial;          /* another one for each model that was begun */
  uint32_t n_chosen;        /* things that are selected */
  uint32_t n_nowhere;       /* objects left out, as they stand at no place that is a number */
  uint32_t links_left;      /* links that were too many to be objects, the lightest */
  char *note;               /* what the first line says of it, its parts between semicolons; g_free */
  char *empty;              /* a sentence, where there is nothing to see; g_free, or NULL */
  uint32_t links_met;       /* a bit for each state of links that are drawn in its colour */
  const char *links;        /* what links are, where all have one colour; NULL: what links_met says */
  uint32_t links_rgb;       /* which */
  uint32_t met;             /* a bit for each slot of the view that its legend names */
} SceneModel;

void scene_model_begin (SceneModel *m);
void scene_model_end (SceneModel *m);

/* Adds something that can be pointed at; gives its id for the functions below. */
uint32_t scene_thing (SceneModel *m, const SceneThing *t);
/* A shape around a point, as wide as `size` says along each axis (half of it, to each side); `alpha` 0 to 1.  False: it
 * is nowhere, as a number is NaN or infinite, or larger than any scene; it is counted, and its thing, if it was the
 * last that was added, taken back. */
bool scene_shape (SceneModel *m, SceneShape shape, const double at[3], const double size[3], uint32_t rgb, double alpha,
                  uint32_t id);
/* A cone from one point to another; `radius` at the first. */
bool scene_arrow (SceneModel *m, SceneShape shape, const double from[3], const double to[3], double radius,
                  uint32_t rgb, uint32_t id);
/* A triangle; `normal` of each corner, or NULL: it is flat.  Seen through where `alpha` < 1. */
void scene_triangle (SceneModel *m, const double at[3][3], const double normal[3][3], uint32_t rgb, double alpha,
                     uint32_t id);
/* `text` is taken over. */
void scene_label (SceneModel *m, const double at[3], double radius, char *text, bool quiet);
