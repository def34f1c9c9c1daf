/* SPDX-License-Identifier: Apache-2.0 */
#include "views/scene/camera.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TURN G_PI /* a drag as long as the picture is high goes half round */
#define LEAST_DISTANCE 1e-4

const char *const scene_sides[] = { "corner", "front", "back", "left", "right", "top", "bottom", NULL };

static double
dot (const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
cross (const double a[3], const double b[3], double to[3])
{
  double r[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };

  memcpy (to, r, sizeof r);
}

static bool
scene_camera_normalise (double a[3])
{
  double n = sqrt (dot (a, a));

  if (!(n > 1e-12) || !isfinite (n))
    return false;
  for (int k = 0; k < 3; k++)
    a[k] /= n;
  return true;
}

/* Round a unit axis (Rodrigues). */
static void
scene_camera_turn_round (double v[3], const double axis[3], double angle)
{
  double c = cos (angle), s = sin (angle), along = dot (v, axis), side[3];

  cross (axis, v, side);
  for (int k = 0; k < 3; k++)
    v[k] = v[k] * c + side[k] * s + axis[k] * along * (1 - c);
}

/* Its axes: to the right, up, and onward; false: they are none. */
static bool
axes (const SceneCamera *c, double right[3], double up[3], double onward[3], double *distance)
{
  for (int k = 0; k < 3; k++)
    onward[k] = c->centre[k] - c->eye[k];
  *distance = sqrt (dot (onward, onward));
  if (!scene_camera_normalise (onward))
    return false;
  cross (onward, c->up, right);
  if (!scene_camera_normalise (right))
    return false;
  cross (right, onward, up);
  return true;
}

void
scene_frame_around (SceneFrame *f, const double low[3], const double high[3])
{
  double size = 0;

  for (int k = 0; k < 3; k++) {
    bool some = low[k] <= high[k];
    f->middle[k] = some ? (low[k] + high[k]) / 2 : 0;
    size += some ? (high[k] - low[k]) * (high[k] - low[k]) : 1;
  }
  f->radius = fmax (sqrt (size) / 2, 1e-3);
}

/* How far the eye must be for a box to fit, seen along `onward`: for each corner, as far as it needs. */
static double
distance_for (const SceneCamera *c, const double low[3], const double high[3], const SceneFrame *f, double middle[3])
{
  double right[3], up[3], onward[3], unused, best = 0;
  double tall = tan (c->angle * G_PI / 360), wide = tall * f->width / fmax (f->height, 1);

  axes (c, right, up, onward, &unused);
  for (int i = 0; i < 8; i++) {
    double at[3] = { i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2] };
    for (int k = 0; k < 3; k++)
      at[k] -= middle[k];
    double depth = c->parallel ? 0 : dot (at, onward);
    best = fmax (best, fmax (fabs (dot (at, right)) / wide, fabs (dot (at, up)) / tall) - depth);
  }
  return best * 1.09; /* a margin, and room for names */
}

SceneCamera
scene_camera_fit (const double low_[3], const double high_[3], int side, const SceneFrame *frame, bool parallel)
{
  static const double from[][3] = { { 0.5, -0.8, 0.72 }, { 0, -1, 0 }, { 0, 1, 0 }, { -1, 0, 0 },
                                    { 1, 0, 0 },         { 0, 0, 1 },  { 0, 0, -1 } };
  SceneCamera c = { .up = { 0, 0, 1 }, .angle = SCENE_ANGLE, .parallel = parallel };
  double low[3], high[3], direction[3];
  SceneFrame ball = *frame;

  side = CLAMP (side, 0, (int) G_N_ELEMENTS (from) - 1);
  memcpy (direction, from[side], sizeof direction);
  scene_camera_normalise (direction);
  if (fabs (direction[2]) > 0.99)
    memcpy (c.up, (const double[]){ 0, 1, 0 }, sizeof c.up);
  scene_frame_around (&ball, low_, high_);
  for (int k = 0; k < 3; k++) {
    bool some = low_[k] <= high_[k];
    low[k] = some ? low_[k] : -0.5;
    high[k] = some ? high_[k] : 0.5;
    c.centre[k] = ball.middle[k];
    c.eye[k] = c.centre[k] + direction[k];
  }
  double distance = fmax (distance_for (&c, low, high, frame, c.centre), 0.05 * ball.radius + LEAST_DISTANCE);
  for (int k = 0; k < 3; k++)
    c.eye[k] = c.centre[k] + direction[k] * distance;
  return c;
}

char *
scene_camera_text (const SceneCamera *c)
{
  GString *text = g_string_new (NULL);
  const double *const of[] = { c->eye, c->centre, c->up };
  static const char *const names[] = { "eye", "centre", "up" };
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (int i = 0; i < 3; i++) {
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", names[i]);
    for (int k = 0; k < 3; k++)
      g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.9g", of[i][k]));
  }
  g_string_append_printf (text, " angle %s", g_ascii_formatd (number, sizeof number, "%.4g", c->angle));
  return g_string_free (text, FALSE);
}

bool
scene_camera_read (SceneCamera *c, const char *text)
{
  SceneCamera read = { .up = { 0, 0, 1 }, .angle = SCENE_ANGLE, .parallel = c->parallel };
  g_auto (GStrv) words = g_strsplit_set (text, " ,\t\n", -1);
  double right[3], up[3], onward[3], distance, *to = NULL;
  int room = 0, met = 0;

  for (char **w = words; *w != NULL; w++) {
    char *end = NULL;
    if (**w == '\0')
      continue;
    if (room == 0) {
      to = strcmp (*w, "eye") == 0      ? read.eye
           : strcmp (*w, "centre") == 0 ? read.centre
           : strcmp (*w, "up") == 0     ? read.up
           : strcmp (*w, "angle") == 0  ? &read.angle
                                        : NULL;
      room = to == &read.angle ? 1 : 3;
      met |= to == read.eye ? 1 : to == read.centre ? 2 : 0;
      if (to == NULL)
        return false;
      continue;
    }
    *to = g_ascii_strtod (*w, &end);
    if (end == *w || *end != '\0' || !(fabs (*to) < 1e9))
      return false;
    to++;
    room--;
  }
  if (room > 0 || met != 3 || !(read.angle >= 1 && read.angle <= 120) || !axes (&read, right, up, onward, &distance))
    return false;
  *c = read;
  return true;
}

char *
scene_viewpoint (const char *list, const char *name)
{
  g_auto (GStrv) all = g_strsplit (list, ";", -1);

  for (char **one = all; *one != NULL; one++) {
    char *colon = strchr (*one, ':');
    if (colon == NULL)
      continue;
    *colon = '\0';
    if (strcmp (g_strstrip (*one), name) == 0)
      return g_strdup (g_strstrip (colon + 1));
  }
  return NULL;
}

/* ---- moving ------------------------------------------------------------------------------------------------------------- */

static double
distance_of (const SceneCamera *c)
{
  double d[3] = { c->centre[0] - c->eye[0], c->centre[1] - c->eye[1], c->centre[2] - c->eye[2] };

  return sqrt (dot (d, d));
}

/* Turns what looks from `pivot` to `end`, `up` with it, so that up and the gaze never fall together. */
static void
camera_turn_by (SceneCamera *c, const double pivot[3], double end[3], double sideways, double over)
{
  double right[3], up[3], onward[3], distance, arm[3];

  if (!axes (c, right, up, onward, &distance))
    return;
  for (int k = 0; k < 3; k++)
    arm[k] = end[k] - pivot[k];
  /* The poles are where it would look along `up`: as near as a degree. */
  double lean = acos (CLAMP (dot (onward, c->up) / fmax (sqrt (dot (c->up, c->up)), 1e-12), -1, 1));
  over = CLAMP (over, lean - (G_PI - 0.02), lean - 0.02);
  scene_camera_turn_round (arm, right, over);
  double axis[3] = { c->up[0], c->up[1], c->up[2] };
  if (scene_camera_normalise (axis))
    scene_camera_turn_round (arm, axis, sideways);
  for (int k = 0; k < 3; k++)
    end[k] = pivot[k] + arm[k];
}

void
scene_camera_orbit (SceneCamera *c, double dx, double dy)
{
  camera_turn_by (c, c->centre, c->eye, -dx * TURN, -dy * TURN);
}

void
scene_camera_turn (SceneCamera *c, double dx, double dy)
{
  double by = c->angle * G_PI / 180; /* what is under the pointer stays there */

  camera_turn_by (c, c->eye, c->centre, dx * by, dy * by);
}

void
scene_camera_slide (SceneCamera *c, double dx, double dy)
{
  double right[3], up[3], onward[3], distance;

  if (!axes (c, right, up, onward, &distance))
    return;
  double high = 2 * distance * tan (c->angle * G_PI / 360);
  for (int k = 0; k < 3; k++) {
    double by = (-dx * right[k] + dy * up[k]) * high;
    c->eye[k] += by;
    c->centre[k] += by;
  }
}

void
scene_camera_zoom (SceneCamera *c, const SceneFrame *f, double factor, double x, double y)
{
  double right[3], up[3], onward[3], distance, at[3];

  if (!axes (c, right, up, onward, &distance) || !(factor > 0) || distance / factor < LEAST_DISTANCE
      || distance / factor > 1e6)
    return;
  double px = 2 * distance * tan (c->angle * G_PI / 360) / fmax (f->height, 1);
  double dx = isnan (x) ? 0 : (x - f->x - f->width / 2) * px, dy = isnan (y) ? 0 : (y - f->y - f->height / 2) * px;
  for (int k = 0; k < 3; k++) {
    at[k] = c->centre[k] + dx * right[k] - dy * up[k];
    c->eye[k] = at[k] + (c->eye[k] - at[k]) / factor;
    c->centre[k] = at[k] + (c->centre[k] - at[k]) / factor;
  }
}

void
scene_camera_step_back (SceneCamera *c, const double low[3], const double high[3], const SceneFrame *f)
{
  double far = distance_of (c), now = far;

  for (int i = 0; i < 36; i++) {
    SceneCamera at = *c;
    double middle[3] = { c->centre[0], c->centre[1], c->centre[2] };
    scene_camera_orbit (&at, i / 18.0, 0);
    far = fmax (far, distance_for (&at, low, high, f, middle));
  }
  for (int k = 0; k < 3 && now > 0; k++)
    c->eye[k] = c->centre[k] + (c->eye[k] - c->centre[k]) * far / now;
}

/* ---- projection --------------------------------------------------------------------------------------------------------- */

bool
scene_camera_matrices (const SceneCamera *c, const SceneFrame *f, double view[16], double projection[16])
{
  double right[3], up[3], onward[3], distance, to[3];

  if (!axes (c, right, up, onward, &distance) || f->width <= 0 || f->height <= 0)
    return false;
  const double *const rows[] = { right, up };
  memset (view, 0, 16 * sizeof *view);
  memset (projection, 0, 16 * sizeof *projection);
  for (int k = 0; k < 3; k++) {
    for (int r = 0; r < 2; r++)
      view[4 * k + r] = rows[r][k];
    view[4 * k + 2] = -onward[k];
    to[k] = f->middle[k] - c->eye[k];
  }
  view[12] = -dot (right, c->eye), view[13] = -dot (up, c->eye), view[14] = dot (onward, c->eye), view[15] = 1;
  double middle = dot (to, onward), tall = tan (c->angle * G_PI / 360), wide = tall * f->width / f->height;
  double r = f->radius * 1.01, near = middle - r + 2 * r * CLAMP (f->cut, 0, 0.999), far = middle + r;
  if (c->parallel) {
    tall *= distance;
    wide *= distance;
    projection[0] = 1 / wide, projection[5] = 1 / tall;
    projection[10] = -2 / (far - near), projection[14] = -(far + near) / (far - near), projection[15] = 1;
    return true;
  }
  near = fmax (near, fmax (distance, r) * 1e-3);
  far = fmax (far, near * 1.01);
  projection[0] = 1 / wide, projection[5] = 1 / tall;
  projection[10] = -(far + near) / (far - near), projection[14] = -2 * far * near / (far - near), projection[11] = -1;
  return true;
}

bool
scene_camera_project (const SceneCamera *c, const SceneFrame *f, const double at[3], double *x, double *y,
                      double *depth)
{
  double right[3], up[3], onward[3], distance, to[3];

  if (!axes (c, right, up, onward, &distance))
    return false;
  for (int k = 0; k < 3; k++)
    to[k] = at[k] - c->eye[k];
  *depth = dot (to, onward);
  double px = scene_camera_px (c, f, *depth);
  if (f->cut > 0) { /* what is cut away is nowhere */
    double middle = 0;
    for (int k = 0; k < 3; k++)
      middle += (f->middle[k] - c->eye[k]) * onward[k];
    if (*depth < middle - f->radius * 1.01 * (1 - 2 * f->cut))
      return false;
  }
  if (!(px > 0) || !isfinite (px))
    return false;
  *x = f->x + f->width / 2 + dot (to, right) * px;
  *y = f->y + f->height / 2 - dot (to, up) * px;
  return isfinite (*x) && isfinite (*y);
}

double
scene_camera_px (const SceneCamera *c, const SceneFrame *f, double depth)
{
  double tall = tan (c->angle * G_PI / 360), distance = c->parallel ? distance_of (c) : depth;

  return distance > 0 ? f->height / (2 * tall * distance) : 0;
}

bool
scene_camera_unproject (const SceneCamera *c, const SceneFrame *f, double x, double y, double depth, double at[3])
{
  double right[3], up[3], onward[3], distance, px = scene_camera_px (c, f, depth);

  if (!(px > 0) || !isfinite (px) || !axes (c, right, up, onward, &distance))
    return false;
  double dx = (x - f->x - f->width / 2) / px, dy = (y - f->y - f->height / 2) / px;
  for (int k = 0; k < 3; k++)
    at[k] = c->eye[k] + depth * onward[k] + dx * right[k] - dy * up[k];
  return true;
}
