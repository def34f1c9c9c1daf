/* SPDX-License-Identifier: Apache-2.0 */
/* draw-moving.c - pictures one after the other: `scope draw --turn`, `--play`. */
#include "cli/draw-moving.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "cli/moving.h"
#include "views/drawing.h"
#include "views/view-camera.h"
#include "views/painter.h"

#define RATE 12 /* pictures a second */
#define TURN_PICTURES 72
#define PLAY_PICTURES 100
#define PIXELS_MOST 16e6 /* of a picture in a file that moves, which has many */

static bool
moves (const char *out)
{
  return g_str_has_suffix (out, ".gif") || g_str_has_suffix (out, ".webm");
}

int
draw_moving_check (DrawMoving *m, const char *out)
{
  g_autoptr (GError) error = NULL;

  if (!draw_moving_asked (m)) {
    if (moves (out))
      return cli_usage ("-o", _ ("%s: a file that moves needs --turn, which goes round a scene, or --play FROM..TO"),
                        out);
    if (m->pictures != 0 || m->rate != 0)
      return cli_usage (m->rate != 0 ? "--rate" : "--pictures", _ ("it is of use with --turn or --play alone"));
    return CLI_OK;
  }
  if (!moves (out) && !g_str_has_suffix (out, ".png"))
    return cli_usage ("-o", _ ("%s: pictures that move end in .gif or .webm; .png gives a file for each"), out);
  if (m->pictures < 0 || m->pictures == 1 || m->pictures > MOVING_MOST)
    return cli_usage ("--pictures", _ ("%d is not between 2 and %d"), m->pictures, MOVING_MOST);
  if (m->pictures == 0)
    m->pictures = m->play ? PLAY_PICTURES : TURN_PICTURES;
  if (m->rate == 0)
    m->rate = RATE;
  if (!(m->rate >= 0.1 && m->rate <= 50))
    return cli_usage ("--rate", _ ("%g pictures a second are not between 0.1 and 50"), m->rate);
  return moving_can (out, &error) ? CLI_OK : cli_fail (out, "%s", error->message);
}

int
draw_moving_instants (DrawMoving *m, const Session *s)
{
  return m->play ? cli_range (s->source, "--play", m->play, s->first, s->last, &m->from, &m->to) : CLI_OK;
}

static bool
arrive (Session *s, Travel *t, ViewScene *scene, GError **error)
{
  bool ok = travel_to_date (t, scene->at, error) && travel_extend (t, cli_tell_part, NULL, error);

  if (ok)
    session_rest (s, scene->at);
  return ok;
}

/* As view_to_file(), but the pixels. */
static cairo_surface_t *
draw_moving_picture_of (EveComponent *c, const View *view, const ViewScene *scene, GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int) (scene->width_px * scene->scale + 0.5), (int) (scene->height_px * scene->scale + 0.5));
  cairo_t *cr = cairo_create (surface);

  cairo_scale (cr, scene->scale, scene->scale);
  bool ok = view_draw (c, view, scene, cr, error);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  if (!ok)
    g_clear_pointer (&surface, cairo_surface_destroy);
  return surface;
}

static bool
draw_moving_add (Moving *to, EveComponent *c, const View *view, const ViewScene *scene, GError **error)
{
  g_autofree char *path = moving_next_path (to);
  cairo_surface_t *surface = NULL;

  if (path != NULL)
    return view_to_file (c, scene, path, error);
  surface = draw_moving_picture_of (c, view, scene, error);
  bool ok = surface != NULL && moving_add (to, surface, error);
  if (surface != NULL)
    cairo_surface_destroy (surface);
  return ok;
}

/* Where the camera is now, which it keeps or begins from; NULL: it has none.  A picture has to be made for that. */
static char *
stand_still (EveComponent *c, const View *view, const ViewScene *scene, bool turns, GError **error)
{
  const ViewCamera *camera = view_camera (c);
  char *from = NULL;

  if (camera != NULL) {
    g_autoptr (Drawing) d = view_marks (c, view, scene, 1, error);
    if (d != NULL)
      camera->round (c, NULL, turns ? 0 : NAN, &from);
  }
  return from;
}

static bool
look_from (EveComponent *c, const char *from, double degrees, GError **error)
{
  g_autofree char *value = NULL;
  const char *setting = view_camera (c)->round (c, from, degrees, &value);

  return setting == NULL || eve_set (c, setting, value, error);
}

int
draw_moving (Session *s, const DrawMoving *m, EveComponent *c, const View *view, ViewScene *scene, Travel *t,
             const char *out)
{
  const TraceProgress *progress = cli_progress ();
  uint32_t n = (uint32_t) m->pictures;
  GError *error = NULL;

  if (m->turn && view_camera (c) == NULL)
    return cli_usage ("--turn", _ ("%s has no camera: only scenes in three dimensions can be gone round"),
                      eve_name (c));
  if (moves (out) && scene->width_px * scene->height_px * scene->scale * scene->scale > PIXELS_MOST)
    return cli_usage ("--size", _ ("a picture that moves has at most 16 million pixels"));
  Moving *to = moving_begin (out, n, m->rate, &error);
  bool ok = to != NULL;
  g_autofree char *from = ok ? stand_still (c, view, scene, m->turn, &error) : NULL;
  ok = ok && error == NULL;
  for (uint32_t i = 0; ok && i < n; i++) {
    if (m->play) {
      scene->at = i == n - 1 ? m->to : m->from + (int64_t) llround ((double) (m->to - m->from) * i / (n - 1));
      ok = t == NULL || arrive (s, t, scene, &error);
    }
    if (ok && !progress->report (progress->arg, "drawing", (double) i / n)) {
      moving_free (to);
      return cli_fail (out, _ ("given up"));
    }
    ok = ok && (from == NULL || look_from (c, from, m->turn ? 360.0 * i / n : 0, &error))
         && draw_moving_add (to, c, view, scene, &error);
  }
  ok = ok && moving_end (to, &error);
  cli_progress_clear ();
  if (to != NULL)
    moving_free (to);
  return ok ? CLI_OK : cli_fail_error (out, error);
}
