/* SPDX-License-Identifier: Apache-2.0 */
/* render.h - draws a scene off screen, with OpenGL by EGL and no display (surfaceless), and hands over pixels.
 *
 * The libraries are loaded with the first scene that is drawn.  Where they are missing, or give no context, there is a
 * sentence and no picture.  Engine thread only. */
#pragma once
#include "views/scene/camera.h"
#include "views/scene/model.h"

typedef enum { SCENE_SMOOTH, SCENE_FLAT, SCENE_HIDDEN_LINES, SCENE_WIRE, SCENE_POINTS, SCENE_BOXES } SceneRendering;
extern const char *const scene_renderings[]; /* their names; NULL at the end */

typedef struct SceneLook {
  SceneRendering rendering;
  uint32_t paper;
  double fog;       /* 0: none, 1: what is farthest is paper */
  double px;        /* pixels made for each of the picture */
  uint32_t n_links; /* cones are the first so many */
  bool open;        /* objects are cut open: one looks inside */
  /* for a picture in a hurry: */
  bool rough;     /* one sample a pixel, no outlines */
  bool spots;     /* a point in the place of each object, as large as it */
  uint32_t every; /* of these only each so manyth; 0: all */
} SceneLook;
#define SCENE_EVERY_MOST 36

/* What draws, as OpenGL calls it ("llvmpipe (LLVM 15.0.6, 256 bits)"); NULL: nothing has been drawn yet. */
const char *scene_renderer (void);

/* What a view has on the card: it is sent again where it changed.  NULL: nothing yet. */
typedef struct SceneGpu SceneGpu;
void scene_gpu_free (SceneGpu *g); /* NULL: nothing */

/* Gives back what a picture in slices needs, which is not gone on with; NULL: nothing. */
void scene_render_end (SceneGpu *g);
/* Draws the part x, y, width, height (pixels) of the frame, which is in pixels too, into `pixels`, row by row from the
 * top, 0xffRRGGBB.  False and a sentence: it cannot be drawn here; the next call tries anew. */
bool scene_render (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f, const SceneLook *look,
                   int x, int y, int width, int height, uint32_t *pixels, GError **error);
/* How far a picture is that is drawn in slices of time, {0} before the first. */
typedef struct SceneSlices {
  uint64_t ticket; /* whose is what is in the target; private */
  uint64_t drawn;  /* objects, and triangles of surfaces, by now */
  bool done;       /* the pixels are there */
} SceneSlices;
/* As scene_render(), for about so many ms: goes on with what it began, if that is still on the card, else begins anew.
 * Other pictures may be drawn meanwhile, also in slices if they are of another SceneGpu.  Everything else must be as it
 * was.  Pixels come with the last slice. */
bool scene_render_slice (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f,
                         const SceneLook *look, int x, int y, int width, int height, SceneSlices *s, double budget_ms,
                         uint32_t *pixels, GError **error);
/* The same, but the id of what each pixel shows; 0: nothing. */
bool scene_render_ids (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f,
                       const SceneLook *look, int x, int y, int width, int height, uint32_t *ids, GError **error);
#define SCENE_TILE 2048 /* the largest side of a part */
