/* SPDX-License-Identifier: Apache-2.0 */
/* pixels.c - the picture of a model, within the time that there is: all of it at once, with less while the camera
 * moves, or in slices, while what is shown is the picture with less. */
#include "views/scene/scene.h"
#include "views/painter.h"
#include <math.h>

#define FOG 0.45
#define FRAME_MS 40.0  /* that a frame may take while the camera moves; */
#define SPARE_MS 12.0  /* of these, for what does not hang on how many objects there are */
#define UNIT_MS 0.0005 /* that an object costs as a point, before it was measured; */
#define BOX_UNITS 3    /* and so many as much as a box, or a link */
#define LINK_UNITS 8
#define LONG_MS 100       /* a picture that takes longer is drawn in slices, where the caller can wait; */
#define LONG_OBJECTS 4000 /* so many are taken to be that long */

SceneFrame
scene_in_pixels (const SceneFrame *f, double scale)
{
  SceneFrame p = *f;

  p.x = p.y = 0;
  p.width = fmax (round (f->width * scale), 1);
  p.height = fmax (round (f->height * scale), 1);
  return p;
}

static uint32_t
n_objects (const SceneModel *m)
{
  uint32_t n = 0;

  for (int s = 0; s < SCENE_CONE; s++)
    n += m->of[s]->len;
  return n;
}

/* What the time of a frame suffices for: boxes or, where there are too many, points, or only some of these; and the
 * heaviest links.  *units: how much of it, in points. */
static void
pixels_spend (SceneView *v, SceneLook *look, double *units)
{
  double have = (FRAME_MS - SPARE_MS) / (v->unit_ms > 0 ? v->unit_ms : UNIT_MS), n = n_objects (&v->model),
         links = v->model.of[SCENE_CONE]->len, fixed = v->model.of[SCENE_ROD]->len * BOX_UNITS + v->model.faces[0]->len;

  look->rough = true;
  look->rendering = SCENE_BOXES;
  have = fmax (have - fixed, have / 8);
  *units = fixed;
  if (n * BOX_UNITS <= 0.6 * have) {
    *units += n * BOX_UNITS;
  } else {
    look->spots = true;
    look->every = (uint32_t) CLAMP (ceil (n / (0.7 * have)), 1, SCENE_EVERY_MOST);
    *units += n / look->every;
  }
  look->n_links = (uint32_t) CLAMP ((have - *units + fixed) / LINK_UNITS, 0, links);
  *units += look->n_links * (double) LINK_UNITS;
  v->fewer = look->every > 1 || look->n_links < links;
}

static SceneLook
pixels_look_of (const SceneView *v, const Paint *p, double scale)
{
  return (SceneLook){ .rendering = (SceneRendering) v->rendering,
                      .paper = p->paper,
                      .fog = v->fog ? FOG : 0,
                      .px = scale,
                      .open = v->cut > 0,
                      .n_links = UINT32_MAX };
}

/* ---- parts, so that a large picture needs no more memory on the card than a small one -------------------------------- */

typedef struct Tile {
  cairo_surface_t *pixels;
  double x, y, width, height; /* of the picture, logical px */
} Tile;

static void
clear_tile (void *tile)
{
  cairo_surface_destroy (((Tile *) tile)->pixels);
}

static GArray *
new_tiles (void)
{
  GArray *tiles = g_array_new (FALSE, FALSE, sizeof (Tile));

  g_array_set_clear_func (tiles, clear_tile);
  return tiles;
}

typedef struct Size { /* of the picture, in pixels */
  SceneFrame frame;
  double scale;
  int columns, rows; /* of parts */
} Size;

static Size
pixels_size_of (const SceneView *v, const ViewScene *scene)
{
  Size s = { .scale = scene->scale > 0 ? scene->scale : 1 };

  s.frame = scene_in_pixels (&v->frame, s.scale);
  s.columns = ((int) s.frame.width + SCENE_TILE - 1) / SCENE_TILE;
  s.rows = ((int) s.frame.height + SCENE_TILE - 1) / SCENE_TILE;
  return s;
}

static int
n_tiles (const SceneView *v, const Size *s)
{
  return s->columns * s->rows * scene_eyes (v);
}

/* The `n`th part, those of the left eye first; of slices *s the next, which adds it once it is whole. */
static bool
pixels_draw_tile (SceneView *v, const Size *size, int n, const SceneLook *look, SceneSlices *s, double budget_ms,
                  GArray *to, GError **error)
{
  int eye = n / (size->columns * size->rows), m = n % (size->columns * size->rows);
  int x = m % size->columns * SCENE_TILE, y = m / size->columns * SCENE_TILE;
  int width = MIN ((int) size->frame.width - x, SCENE_TILE), height = MIN ((int) size->frame.height - y, SCENE_TILE);
  cairo_surface_t *pixels = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  uint32_t *data = (uint32_t *) (void *) cairo_image_surface_get_data (pixels);
  bool ok = cairo_image_surface_get_stride (pixels) == 4 * width;

  cairo_surface_flush (pixels);
  SceneCamera camera;
  SceneFrame frame;
  scene_eye (v, eye, &camera, &frame);
  double begin = v->stereo == SCENE_SIDE_BY_SIDE ? v->frame.x + eye * v->frame.width : v->frame.x;
  int across = (int) lround ((begin - frame.x) * size->scale); /* an eye sees what is beside the middle */
  if (ok && s != NULL)
    ok = scene_render_slice (&v->gpu, &v->model, &camera, &size->frame, look, x + across, y, width, height, s,
                             budget_ms, data, error);
  else if (ok)
    ok = scene_render (&v->gpu, &v->model, &camera, &size->frame, look, x + across, y, width, height, data, error);
  cairo_surface_mark_dirty (pixels);
  Tile tile = { pixels, begin + x / size->scale, v->frame.y + y / size->scale, width / size->scale,
                height / size->scale };
  if (ok && (s == NULL || s->done))
    g_array_append_val (to, tile);
  else
    cairo_surface_destroy (pixels);
  return ok;
}

static void
paint_tiles (const SceneView *v, Drawing *d, GArray *tiles)
{
  guint n = v->stereo == SCENE_RED_CYAN ? tiles->len / 2 : tiles->len;

  for (guint i = n; i < tiles->len; i++)
    scene_stereo_mix (g_array_index (tiles, Tile, i - n).pixels, g_array_index (tiles, Tile, i).pixels);
  for (guint i = 0; i < n; i++) {
    const Tile *t = &g_array_index (tiles, Tile, i);
    drawing_image (d, t->x, t->y, t->width, t->height, t->pixels, NULL, NULL, 0);
  }
}

static bool
draw_tiles (SceneView *v, const Size *size, const SceneLook *look, GArray *to, GError **error)
{
  bool ok = true;

  for (int n = 0; ok && n < n_tiles (v, size); n++)
    ok = pixels_draw_tile (v, size, n, look, NULL, 0, to, error);
  return ok;
}

/* ---- all at once, with less, in slices ----------------------------------------------------------------------------------- */

static bool
draw_hasty (SceneView *v, const Size *size, SceneLook look, GArray *to, GError **error)
{
  gint64 began = g_get_monotonic_time ();
  double units = 0;

  pixels_spend (v, &look, &units);
  if (!draw_tiles (v, size, &look, to, error))
    return false;
  if (units > 0) {
    double ms = (double) (g_get_monotonic_time () - began) / 1000, each = fmax (ms - SPARE_MS / 2, 1) / units;
    v->unit_ms = v->unit_ms > 0 ? 0.6 * v->unit_ms + 0.4 * each : each;
  }
  return true;
}

/* The first slice is the picture with less. */
static bool
pixels_draw_slice (SceneView *v, const ViewScene *scene, const Size *size, const SceneLook *look, GError **error)
{
  gint64 began = g_get_monotonic_time ();
  bool ok = true;

  if (!scene->again || !v->refining || v->refined != v->model.serial) {
    scene_pixels_end (v);
    v->refining = true;
    v->refined = v->model.serial;
    v->spent_ms = 0;
    v->progress = (SceneSlices){ 0 };
    v->shown = new_tiles ();
    v->coming = new_tiles ();
    return draw_hasty (v, size, *look, v->shown, error);
  }
  ok = pixels_draw_tile (v, size, (int) v->coming->len, look, &v->progress, scene->budget_ms, v->coming, error);
  v->spent_ms += (double) (g_get_monotonic_time () - began) / 1000;
  if (ok && v->progress.done) {
    v->progress = (SceneSlices){ 0 };
    v->refining = (int) v->coming->len < n_tiles (v, size);
  }
  return ok;
}

void
scene_pixels_end (SceneView *v)
{
  v->refining = false;
  scene_render_end (v->gpu);
  g_clear_pointer (&v->shown, g_array_unref);
  g_clear_pointer (&v->coming, g_array_unref);
}

bool
scene_pixels_draw (SceneView *v, const ViewScene *scene, Drawing *d, const Paint *p, GError **error)
{
  Size size = pixels_size_of (v, scene);
  SceneLook look = pixels_look_of (v, p, size.scale);
  gint64 began = g_get_monotonic_time ();
  bool moves = scene_steer_moves (v), ok;
  double many = n_objects (&v->model) + v->model.of[SCENE_CONE]->len + v->model.faces[0]->len / 8.0;

  v->fewer = false;
  v->hasty = moves && v->full_ms > FRAME_MS;
  if (!moves && scene->budget_ms > 0 && (v->full_ms > LONG_MS || many > LONG_OBJECTS)) {
    ok = pixels_draw_slice (v, scene, &size, &look, error);
    v->hasty = ok && v->refining;
    if (v->hasty)
      drawing_unfinished (d);
    else
      v->full_ms = v->spent_ms;
    if (ok)
      paint_tiles (v, d, v->hasty ? v->shown : v->coming);
    if (!v->hasty)
      scene_pixels_end (v);
    return ok;
  }
  scene_pixels_end (v);
  g_autoptr (GArray) tiles = new_tiles ();
  ok = v->hasty ? draw_hasty (v, &size, look, tiles, error) : draw_tiles (v, &size, &look, tiles, error);
  if (ok)
    paint_tiles (v, d, tiles);
  if (!moves)
    v->full_ms = (double) (g_get_monotonic_time () - began) / 1000;
  return ok;
}
