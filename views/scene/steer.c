/* SPDX-License-Identifier: Apache-2.0 */
/* steer.c - the camera of a scene in a person's hand: moved, settled, back to where it was, shared by several scenes.
 */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"

#define PLACES_MOST 100

static GPtrArray *scenes; /* of SceneView *, all there are, as they were made; NULL: none */

void
scene_steer_begin (SceneView *v)
{
  if (scenes == NULL)
    scenes = g_ptr_array_new ();
  g_ptr_array_add (scenes, v);
}

void
scene_steer_end (SceneView *v)
{
  if (scenes != NULL && g_ptr_array_remove (scenes, v) && scenes->len == 0)
    g_clear_pointer (&scenes, g_ptr_array_unref);
  g_clear_pointer (&v->places, g_ptr_array_unref);
  g_free (v->place);
  g_free (v->kept);
}

static EveComponent *
steer_component (SceneView *v)
{
  return (EveComponent *) v;
}

static bool
steer_share (const SceneView *v, const SceneView *other)
{
  return v == other
         || (v->shared[0] != '\0' && strcmp (v->shared, other->shared) == 0
             && eve_program ((EveComponent *) v) == eve_program ((EveComponent *) other));
}

/* The first of those who share a camera keeps it. */
static SceneView *
keeper_of (SceneView *v)
{
  for (guint i = 0; v->shared[0] != '\0' && i < scenes->len; i++)
    if (steer_share (v, g_ptr_array_index (scenes, i)))
      return g_ptr_array_index (scenes, i);
  return v;
}

/* Who is moved just now; NULL: nobody. */
static SceneView *
mover_of (const SceneView *v)
{
  for (guint i = 0; scenes != NULL && i < scenes->len; i++) {
    SceneView *other = g_ptr_array_index (scenes, i);
    if (other->moving && steer_share (v, other))
      return other;
  }
  return NULL;
}

bool
scene_steer_moves (const SceneView *v)
{
  return v->moving || (v->shared[0] != '\0' && mover_of (v) != NULL);
}

SceneCamera
scene_steer_camera (SceneView *v, bool *unread)
{
  const SceneView *mover = mover_of (v), *keeper = keeper_of (v);
  g_autofree char *named = scene_viewpoint (keeper->viewpoints, keeper->camera);
  SceneCamera c = mover != NULL ? mover->moved : v->now;

  *unread = false;
  c.parallel = v->parallel;
  if (mover != NULL)
    return c;
  if (keeper->camera[0] != '\0' && scene_camera_read (&c, named != NULL ? named : keeper->camera))
    return c;
  *unread = keeper->camera[0] != '\0';
  return scene_camera_fit (v->model.low, v->model.high, keeper->side, &v->frame, v->parallel);
}

void
scene_steer_note (SceneView *v)
{
  const SceneView *keeper = keeper_of (v);

  if (scene_steer_moves (v))
    return;
  g_autofree char *kept = g_strdup_printf ("%d %s", keeper->side, keeper->camera);
  bool other = g_strcmp0 (kept, v->kept) != 0;
  if (other && v->place != NULL && !v->stepped_back) {
    if (v->places == NULL)
      v->places = g_ptr_array_new_with_free_func (g_free);
    if (v->places->len == PLACES_MOST)
      g_ptr_array_remove_index (v->places, 0);
    g_ptr_array_add (v->places, g_strdup (v->place));
  }
  if (other) {
    g_free (v->kept);
    v->kept = g_steal_pointer (&kept);
    v->stepped_back = false;
  }
  g_free (v->place);
  v->place = scene_camera_text (&v->now);
}

/* ---- what is done to it ------------------------------------------------------------------------------------------------ */

static void
steer_move (EveComponent *c, const ViewScene *scene, ViewCameraMove how, double dx, double dy, double x, double y)
{
  SceneView *v = (SceneView *) c;
  double high = fmax (v->frame.height, 1);

  if (v->model.things == NULL)
    return;
  v->moved = v->now;
  switch (how) {
  case VIEW_CAMERA_ORBIT:
    scene_camera_orbit (&v->moved, dx / high, dy / high);
    break;
  case VIEW_CAMERA_TURN:
    scene_camera_turn (&v->moved, dx / high, dy / high);
    break;
  case VIEW_CAMERA_SLIDE:
    scene_camera_slide (&v->moved, dx / high, dy / high);
    break;
  case VIEW_CAMERA_ZOOM:
    scene_camera_zoom (&v->moved, &v->frame, dx, x, y);
    break;
  }
  v->now = v->moved;
  v->moving = true;
}

static const char *
steer_settle (EveComponent *c, EveComponent **of, char **value)
{
  SceneView *v = (SceneView *) c;

  if (!v->moving)
    return NULL;
  *of = steer_component (keeper_of (v));
  *value = scene_camera_text (&v->moved);
  v->moving = false;
  v->settled = true;
  return "camera";
}

static void
cancel (EveComponent *c)
{
  ((SceneView *) c)->moving = false;
}

static const char *
back (EveComponent *c, EveComponent **of, char **value)
{
  SceneView *v = (SceneView *) c;

  if (v->places == NULL || v->places->len == 0)
    return NULL;
  *of = steer_component (keeper_of (v));
  *value = g_ptr_array_steal_index (v->places, v->places->len - 1);
  v->stepped_back = true;
  return "camera";
}

static EveComponent *
steer_keeper (EveComponent *c)
{
  return steer_component (keeper_of ((SceneView *) c));
}

static bool
is_shared (EveComponent *c)
{
  SceneView *v = (SceneView *) c;
  guint n = 0;

  for (guint i = 0; i < scenes->len; i++)
    n += steer_share (v, g_ptr_array_index (scenes, i));
  return n > 1;
}

static char *
steer_place (EveComponent *c)
{
  return g_strdup (((SceneView *) c)->place);
}

static const char *
round_about (EveComponent *c, const char *from, double degrees, char **value)
{
  SceneView *v = (SceneView *) c;
  SceneCamera at = v->now;

  if (v->model.things == NULL || (from != NULL && !scene_camera_read (&at, from)))
    return NULL;
  if (from == NULL && !isnan (degrees) && keeper_of (v)->camera[0] == '\0')
    scene_camera_step_back (&at, v->model.low, v->model.high, &v->frame);
  if (!isnan (degrees))
    scene_camera_orbit (&at, -degrees / 180, 0);
  *value = scene_camera_text (&at);
  return "camera";
}

static const char *
steer_wrong (EveComponent *c, const char *place)
{
  const SceneView *v = keeper_of ((SceneView *) c);
  const char *text = place != NULL ? place : v->camera;
  g_autofree char *named = scene_viewpoint (v->viewpoints, text);
  SceneCamera at = v->now;

  return *text == '\0' || scene_camera_read (&at, named != NULL ? named : text) ? NULL : SCENE_NO_CAMERA;
}

static const char *
renderer (EveComponent *c)
{
  return scene_renderer ();
}

const ViewCamera scene_steer = { .move = steer_move,
                                 .settle = steer_settle,
                                 .back = back,
                                 .keeper = steer_keeper,
                                 .is_shared = is_shared,
                                 .place = steer_place,
                                 .cancel = cancel,
                                 .round = round_about,
                                 .wrong = steer_wrong,
                                 .renderer = renderer };
