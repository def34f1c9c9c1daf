/* SPDX-License-Identifier: Apache-2.0 */
/* camera.h - from where a scene is seen (thesis, 4.2.4): an eye, the point that it looks at, and which way is up.
 *
 * A camera is nine numbers and an angle, kept as text in a setting, so that a view can be told, compared and taken
 * back; empty text: the whole scene from one corner.  Any thread. */
#pragma once
#include "eve/words.h"
#include <glib.h>
#include <stdbool.h>

typedef struct SceneCamera {
  double eye[3], centre[3], up[3]; /* in the scene */
  double angle;                    /* of what is seen from top to bottom, degrees */
  bool parallel;                   /* no perspective; what lies at the centre is as large as with it */
} SceneCamera;

/* What is drawn where: px of the picture. */
typedef struct SceneFrame {
  double x, y, width, height;
  double radius, middle[3]; /* the ball that holds the scene: what lies nearer or farther is not there */
  double cut;               /* how much of it is cut away by a plane before the eye, 0 to 1 */
} SceneFrame;

/* Sides from which all is seen: "corner", "front", "back", "left", "right", "top", "bottom"; NULL at the end. */
extern const char *const scene_sides[];
#define SCENE_ANGLE 30.0

/* All of a box, from a side.  A box of nothing is taken for one of a unit. */
SceneCamera scene_camera_fit (const double low[3], const double high[3], int side, const SceneFrame *frame,
                              bool parallel);
/* The ball that holds a box, into the frame. */
void scene_frame_around (SceneFrame *f, const double low[3], const double high[3]);
/* "eye X Y Z centre X Y Z up X Y Z angle A"; g_free. */
char *scene_camera_text (const SceneCamera *c);
/* The text of a viewpoint in a list "NAME: eye ...; NAME: eye ..."; g_free.  NULL: it has no such name. */
char *scene_viewpoint (const char *list, const char *name);
#define SCENE_NO_CAMERA _ ("The camera is neither a viewpoint nor eye X Y Z centre X Y Z up X Y Z angle DEGREES")
/* False: it is no such text, or nothing could be seen with it. */
bool scene_camera_read (SceneCamera *c, const char *text);

/* ---- moving it; dx, dy: shares of the height of the picture, to the right and downward ------------------------------- */
void scene_camera_orbit (SceneCamera *c, double dx, double dy); /* circular: the eye goes round the centre */
void scene_camera_turn (SceneCamera *c, double dx, double dy);  /* rotation: the eye stays, and looks elsewhere */
void scene_camera_slide (SceneCamera *c, double dx, double dy); /* axial, across: what is seen goes along */
/* Nearer (factor > 1) to the point that is seen at x, y px. */
void scene_camera_zoom (SceneCamera *c, const SceneFrame *f, double factor, double x, double y);

/* So far away that all of a box stays in the picture whichever way it is gone round. */
void scene_camera_step_back (SceneCamera *c, const double low[3], const double high[3], const SceneFrame *f);

/* ---- projection ------------------------------------------------------------------------------------------------------- */
/* The matrices as OpenGL has them, column by column: into the space of the eye, and from there into the cube that is
 * seen.  False: nothing can be seen. */
bool scene_camera_matrices (const SceneCamera *c, const SceneFrame *f, double view[16], double projection[16]);
/* Where a point of the scene is in the picture, px, and how far from the eye along its gaze; false: behind the eye, or
 * nowhere. */
bool scene_camera_project (const SceneCamera *c, const SceneFrame *f, const double at[3], double *x, double *y,
                           double *depth);
/* The point of the scene that is seen there at such a depth; false: there is none. */
bool scene_camera_unproject (const SceneCamera *c, const SceneFrame *f, double x, double y, double depth, double at[3]);
/* Px that a unit of the scene takes up at that depth. */
double scene_camera_px (const SceneCamera *c, const SceneFrame *f, double depth);
