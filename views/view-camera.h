/* SPDX-License-Identifier: Apache-2.0 */
/* view-camera.h - what a view answers the query "view-camera/3" with, whose scene a person looks at from a place of her
 * own (docs/scene.md).  Engine thread only. */
#pragma once
#include "views/view.h"

#define VIEW_CAMERA_INTERFACE "view-camera/3"

typedef enum {
  VIEW_CAMERA_ORBIT, /* circular: round what is looked at */
  VIEW_CAMERA_TURN,  /* rotation: looks elsewhere */
  VIEW_CAMERA_SLIDE, /* axial: what is seen goes along */
  VIEW_CAMERA_ZOOM,  /* by dx, > 1: nearer to what is at x, y */
} ViewCameraMove;

typedef struct ViewCamera {
  /* Moves it by dx, dy px, a gesture that begun at x, y; NAN: in the middle.  What is drawn next is seen from there. */
  void (*move) (EveComponent *self, const ViewScene *scene, ViewCameraMove how, double dx, double dy, double x,
                double y);
  /* The gesture is over: the setting that keeps the place, and *value its text, g_free; the caller sets it in *of, so
   * that it can be undone: in `self`, or, of several that share one camera, in the one that keeps it.  NULL: nothing
   * was moved. */
  const char *(*settle) (EveComponent *self, EveComponent **of, char **value);
  /* The same for the place where it was before the present one, and so on, as long as the view is open; NULL: there is
   * none. */
  const char *(*back) (EveComponent *self, EveComponent **of, char **value);
  /* Who keeps the place: itself, or the one whose camera it shares. */
  EveComponent *(*keeper) (EveComponent *self);
  bool (*is_shared) (EveComponent *self); /* others are seen from the same place */
  /* Where it is in the picture that was made last, as text of that setting; g_free.  NULL: there was none. */
  char *(*place) (EveComponent *self);
  /* As if nothing had been moved since the last one. */
  void (*cancel) (EveComponent *self);
  /* What lies behind what was found at x, y px before, by View.point or by this; behind the last comes the first.
   * False: there is nothing. */
  bool (*below) (EveComponent *self, const ViewScene *scene, double x, double y, DrawingMark *mark);
  /* Of the picture that was made last: the setting that keeps its place, and *value its text for a place `degrees` on,
   * round what is looked at, beginning at the place `from` (such a text).  `from` NULL: where it is now; so far away,
   * if nobody has placed it, that all stays in the picture while it goes round; NAN: does not go round.  g_free; NULL:
   * there was no picture. */
  const char *(*round) (EveComponent *self, const char *from, double degrees, char **value);
  /* A sentence if `place` is none that can be read, nor the name of one; NULL: it is.  `place` NULL: that of the
   * setting. */
  const char *(*wrong) (EveComponent *self, const char *place);
  /* What draws, as it calls itself; NULL: nothing has been drawn yet. */
  const char *(*renderer) (EveComponent *self);
} ViewCamera;

/* The item of what lies behind, as view_item_at(). */
TRACE_API bool view_item_below (EveComponent *c, const View *v, const ViewScene *scene, double x, double y,
                                ViewItem *item);

/* NULL: it has none. */
static inline const ViewCamera *
view_camera (EveComponent *c)
{
  const EveClass *k = eve_class (c);

  return k->query != NULL ? k->query (c, VIEW_CAMERA_INTERFACE) : NULL;
}
