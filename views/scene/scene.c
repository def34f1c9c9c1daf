/* SPDX-License-Identifier: Apache-2.0 */
/* scene.c - the view of a scene: pixels from the renderer, names and legend painted over them. */
#include "views/scene/scene.h"
#include "eve/nearest.h"
#include "eve/words.h"
#include "readers/box-inspector.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#define HEAD 30 /* px, of the legend */
#define NAMED 6 /* px, the least radius of what has its name below it */

static void scene_on_numbers (EveComponent *c, EveIn *in, const void *data, uint32_t n);
static void on_matrix (EveComponent *c, EveIn *in, const void *data, uint32_t n);
#define NUMBERS(name_, doc_)                                                                                           \
  {                                                                                                                    \
    name_, &stats_type_datum, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = scene_on_numbers,                 \
                                         .present = true, .doc = doc_                                                  \
  }
static const EveInSpec ins[SCENE_INS] = {
  { "messages", &state_type_message, EVE_ASYNC, .kept = true,
    .doc = "From a simulator: its tasks and links at the present instant, or its messages." },
  { "states", &state_type_state, EVE_ASYNC, .kept = true,
    .doc = "State of each task, from a simulator's output of that name: for space-time, Kiviat over time, terrain." },
  { "matrix", &stats_type_matrix, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = on_matrix, .present = true,
    .doc = "Matrices; the last is shown as a terrain." },
  NUMBERS ("x", "For a scatter: dated numbers of owners, how far to the right."),
  NUMBERS ("y", "Numbers of the same owners: how far behind."),
  NUMBERS ("z", "Numbers of the same owners: how high."),
};

static const SceneBuilder *const builders[] = { &scene_graph, &scene_space_time, &scene_kiviat, &scene_terrain,
                                                &scene_cloud };
static const char *const builder_names[] = {
  "state graph", "space-time", "kiviat over time", "terrain", "scatter", NULL
};
static const char *const stereos[] = { "no", "side by side", "red-cyan", NULL };
const char *const scene_parts[SCENE_PARTS] = { "task", "link", "interval", "message", "cell", "point" };

static const EveField settings[] = {
  { "builder", EVE_F_CHOICE, offsetof (SceneView, builder), .choices = builder_names, .look = true,
    .doc = "What is shown: the state graph at an instant; an execution with time upwards; the share of work of each "
           "task as a tube over time; numbers as a landscape, of a matrix or of tasks over time; three numbers of each "
           "owner as points." },
  { "layout", EVE_F_STRING, offsetof (SceneView, layout), .def_text = "hosts", .look = true,
    .doc = "Where tasks stand: `hosts`, `ball`, `ring`, `mesh`, `cube`, `torus`, `hypercube`, `tree` or `helix`, by "
           "their hosts or numbers; `graphviz`, `dot`, `neato`, `fdp`, `sfdp` or `circo`, by what goes between them; "
           "`sorted`, by what their attributes are now; `file`, where the file `layout-3d` of the bundle says; or one "
           "of a plug-in.  Space-time takes those that are flat." },
  { "positions", EVE_F_STRING, offsetof (SceneView, positions), .look = true,
    .doc = "Tasks that stand elsewhere, moved by hand: ID X Y Z for each, with commas between; up is Z." },
  { "keep positions", EVE_F_BOOL, offsetof (SceneView, keep), .look = true,
    .doc = "Writes where tasks stand into the file `layout-3d` of the trace, for the layout `file`." },
  { "sort x", EVE_F_STRING, offsetof (SceneView, sort_by[0]), .look = true,
    .doc = "With the layout `sorted`: the attribute of a task that tells how far to the right it stands." },
  { "sort y", EVE_F_STRING, offsetof (SceneView, sort_by[1]), .look = true, .doc = "The same: how far behind." },
  { "sort z", EVE_F_STRING, offsetof (SceneView, sort_by[2]), .look = true, .doc = "The same: how high." },
  { "size", EVE_F_STRING, offsetof (SceneView, size_by), .look = true,
    .doc = "The attribute of a task that tells how large it is; empty: all are alike." },
  { "states shown", EVE_F_STRING, offsetof (SceneView, counted), .look = true,
    .doc =
        "For Kiviat over time and terrain: the states whose share is shown, with commas between; empty: all in which "
        "a task neither rests nor waits." },
  { "slices", EVE_F_INT64, offsetof (SceneView, slices), .def = 96, .min = 2, .max = 512, .look = true,
    .doc = "For the same: into how many slices the time shown is cut." },
  { "logarithmic", EVE_F_BOOL, offsetof (SceneView, logarithmic), .look = true,
    .doc = "Heights of a matrix are logarithms, of a number and one." },
  { "x title", EVE_F_STRING, offsetof (SceneView, axis_title[0]), .look = true, .doc = "What the x of points is." },
  { "y title", EVE_F_STRING, offsetof (SceneView, axis_title[1]), .look = true, .doc = "The same of y." },
  { "z title", EVE_F_STRING, offsetof (SceneView, axis_title[2]), .look = true, .doc = "The same of z." },
  { "side", EVE_F_CHOICE, offsetof (SceneView, side), .choices = scene_sides, .look = true,
    .doc = "The side from which all is seen, where the camera is left empty." },
  { "camera", EVE_F_STRING, offsetof (SceneView, camera), .look = true,
    .doc = "From where it is seen: eye X Y Z centre X Y Z up X Y Z angle DEGREES, or the name of a viewpoint; empty: "
           "all of it, from the side." },
  { "viewpoints", EVE_F_STRING, offsetof (SceneView, viewpoints), .look = true,
    .doc = "Places of the camera with names: NAME: eye X Y Z centre X Y Z up X Y Z angle DEGREES; NAME: ..." },
  { "shared camera", EVE_F_STRING, offsetof (SceneView, shared), .look = true,
    .doc = "Scenes that have the same word here are seen from one place, that of the first of them; empty: from its "
           "own." },
  { "parallel", EVE_F_BOOL, offsetof (SceneView, parallel), .look = true,
    .doc = "Without perspective: what is far is as large as what is near." },
  { "cut", EVE_F_DOUBLE, offsetof (SceneView, cut), .min = 0, .max = 99, .unit = "%", .look = true,
    .doc = "So much of the scene is cut away before the eye, to look inside; 0: nothing." },
  { "rendering", EVE_F_CHOICE, offsetof (SceneView, rendering), .choices = scene_renderings, .look = true,
    .doc = "How objects are drawn: smooth or flat faces, their edges with or without those that are hidden, their "
           "corners as points, or the boxes around them." },
  { "stereo", EVE_F_CHOICE, offsetof (SceneView, stereo), .choices = stereos, .look = true,
    .doc = "A picture for each eye: the left one's on the left, to be looked at without crossing the eyes; or both in "
           "one, for spectacles whose left glass is red." },
  { "fog", EVE_F_BOOL, offsetof (SceneView, fog), .def = 1, .look = true, .doc = "What is far is paler." },
  { "ground", EVE_F_BOOL, offsetof (SceneView, ground), .def = 1, .look = true,
    .doc = "With the layout `hosts`: plates under the tasks of each host, with its name." },
};

/* ---- what comes: part of the run state ------------------------------------------------------------------------------------- */

static void
on_matrix (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  chart_thing_data (c, in, data, n);
}

static void
scene_on_numbers (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  SceneView *v = (SceneView *) c;

  for (int k = 0; k < 3; k++)
    if (in == v->held.base.in[SCENE_IN_X + k])
      chart_values_take (&v->of[k], &stats_type_datum, eve_at_rest (c), data, n);
}

static bool
scene_init (EveComponent *c)
{
  SceneView *v = (SceneView *) c;

  v->held.type = &stats_type_matrix;
  scene_steer_begin (v);
  for (int k = 0; k < 3; k++)
    chart_values_init (&v->of[k]);
  return true;
}

static void
scene_reset (EveComponent *c)
{
  chart_thing_reset (c);
  for (int k = 0; k < 3; k++)
    chart_values_reset (&((SceneView *) c)->of[k]);
}

static void
scene_save (EveComponent *c, EveBlob *to)
{
  chart_thing_save (c, to);
  for (int k = 0; k < 3; k++)
    chart_values_save (&((SceneView *) c)->of[k], eve_program (c), to);
}

static bool
scene_load (EveComponent *c, EveBlobView *from)
{
  bool ok = chart_thing_load (c, from);

  for (int k = 0; ok && k < 3; k++)
    ok = chart_values_load (&((SceneView *) c)->of[k], eve_program (c), from);
  return ok;
}

static void
scene_finish (EveComponent *c)
{
  SceneView *v = (SceneView *) c;

  scene_steer_end (v);
  scene_stand_forget (v);
  g_strfreev (v->attributes);
  scene_close (v);
  scene_shares_clear (&v->shares);
  slots_clear (&v->slots);
  scene_model_end (&v->model);
  scene_pixels_end (v);
  scene_gpu_free (v->gpu);
  scene_gpu_free (v->pick_gpu);
  g_clear_pointer (&v->passed, g_array_unref);
  for (int k = 0; k < 3; k++)
    chart_values_finish (&v->of[k]);
  chart_thing_finish (c);
}

/* ---- what is seen from where --------------------------------------------------------------------------------------------- */

/* While the camera moves, all else stays as it is: what was made of it before can be used again, if time has not gone
 * on meanwhile. */
static bool
is_same_model (SceneView *v, const ViewScene *scene)
{
  uint64_t look = (uint64_t) (uintptr_t) scene->colours ^ (scene->dark ? 1 : 0) ^ (uint64_t) v->builder << 8
                  ^ (uint64_t) trace_refs_n (scene->selection) << 16 ^ (uint64_t) scene->from << 24
                  ^ (uint64_t) scene->to << 40 ^ (scene->groups != NULL ? scene->groups->serial : 0) << 48;
  bool same = (scene_steer_moves (v) || v->settled || (scene->again && v->refining)) && !v->gliding
              && v->model.things != NULL && v->of_look == look && v->made_at == scene->at && v->made_of == scene->graph;

  v->settled = false;
  v->of_look = look;
  v->made_at = scene->at;
  v->made_of = scene->graph;
  return same;
}

static void note_attributes (SceneView *v, const ViewScene *scene);

static bool
scene_compose (SceneView *v, const ViewScene *scene, bool *unread, GError **error)
{
  note_attributes (v, scene);
  if (!is_same_model (v, scene)) {
    v->gliding = false;
    scene_model_end (&v->model);
    scene_model_begin (&v->model);
    v->made_by = v->builder;
    if (!builders[v->builder]->build (v, scene, &v->model, error)) {
      scene_model_end (&v->model);
      return false;
    }
  }
  double head = MIN (HEAD, scene->height_px / 4);
  v->frame = (SceneFrame){ .y = head,
                           .width = v->stereo == SCENE_SIDE_BY_SIDE ? fmax (scene->width_px / 2, 1) : scene->width_px,
                           .height = fmax (scene->height_px - head, 1),
                           .cut = v->cut / 100 };
  scene_frame_around (&v->frame, v->model.low, v->model.high);
  v->now = scene_steer_camera (v, unread);
  scene_steer_note (v);
  return true;
}

/* A long sentence, a line for each of its parts: the picture stands in for the message. */
static void
paint_failure (Paint *p, const char *sentence)
{
  g_auto (GStrv) parts = g_strsplit_set (sentence, ".;", -1);
  double y = p->scene->height_px / 2 - 20;
  g_autoptr (GString) line = g_string_new (NULL);

  for (char **part = parts; *part != NULL; part++) {
    if (line->len > 0 && g_ascii_isdigit (**part)) { /* "3.3" */
      g_string_append_printf (line, ".%s", *part);
      continue;
    }
    if (line->len > 0)
      paint_text (p, p->scene->width_px / 2, y, 0.5, PAINT_TITLE, p->muted, p->scene->width_px - 40, line->str);
    y += line->len > 0 ? 20 : 0;
    g_string_assign (line, g_strstrip (*part));
  }
  paint_text (p, p->scene->width_px / 2, y, 0.5, PAINT_TITLE, p->muted, p->scene->width_px - 40, line->str);
}

static void
scene_draw_head (SceneView *v, const ViewScene *scene, Paint *p, bool unread, const char *failed)
{
  double x = 16;
  g_autoptr (GString) note = g_string_new (NULL);
  const char *foot = NULL;
  uint32_t ink = p->muted;

  if (v->model.met != 0)
    x = paint_legend (p, x, 16, STATE_NODE, &v->slots, v->model.met, NULL);
  x = scene_links_key (v, p, x);
  if (builders[v->builder]->key != NULL && failed == NULL)
    builders[v->builder]->key (v, p);
  if (scene->at != INT64_MIN && builders[v->builder]->depends & VIEW_ON_INSTANT) {
    g_autofree char *date = axis_date (&scene->source->clock, scene->at, -1);
    g_string_append_printf (note, _ ("at %s; "), date);
  }
  g_string_append (note, v->model.note != NULL ? v->model.note : "");
  if (v->model.n_nowhere > 0)
    g_string_append_printf (note, _ ("; %u at no place that is a number"), v->model.n_nowhere);
  paint_note (p, x, 16, note->str);
  if (failed != NULL)
    paint_failure (p, failed);
  else if (v->model.empty != NULL)
    paint_sentence (p, v->model.empty);
  if (unread) {
    foot = SCENE_NO_CAMERA;
    ink = p->cursor;
  } else if (v->refining) {
    foot = _ ("all of it is being drawn");
  } else if (v->hasty) {
    foot = v->fewer ? _ ("while it moves: fewer, simpler objects and the heaviest links")
                    : _ ("while it moves: simpler objects");
  }
  if (foot != NULL)
    paint_text (p, scene->width_px - 16, scene->height_px - 10, 1, PAINT_SMALL, ink, scene->width_px - 32, foot);
}

/* ---- marks ------------------------------------------------------------------------------------------------------------------ */

/* Marks are found again by the place of their thing. */
static DrawingTag
scene_tag_of (const SceneView *v, guint thing)
{
  DrawingTag tag = g_array_index (v->model.things, SceneThing, thing).tag;

  tag.index = thing;
  return tag;
}

/* NULL: the model is another by now, or another builder made it than the one that would tell of it. */
static const SceneThing *
scene_thing_of (const SceneView *v, const DrawingTag *tag)
{
  const SceneThing *t = v->made_by == v->builder && v->model.things != NULL && tag->index < v->model.things->len
                            ? &g_array_index (v->model.things, SceneThing, tag->index)
                            : NULL;

  return t != NULL && t->tag.part == tag->part && trace_ref_same (t->tag.what, tag->what)
                 && trace_ref_same (t->tag.other, tag->other)
             ? t
             : NULL;
}

static bool
mark_thing (const SceneView *v, const SceneThing *t, double *x, double *y, double *r)
{
  double depth;

  if (!scene_camera_project (&v->now, &v->frame, t->at, x, y, &depth))
    return false;
  *r = fmax (t->radius * scene_camera_px (&v->now, &v->frame, depth), 2);
  return *x + *r > v->frame.x && *x - *r<v->frame.x + v->frame.width && * y + *r> v->frame.y
         && *y - *r < v->frame.y + v->frame.height;
}

/* Nodes go before links: they can be stepped to first. */
static void
mark_all (const SceneView *v, Drawing *d)
{
  double x, y, r, end[4], depth;

  for (int lines = 0; lines <= 1; lines++)
    for (guint i = 0; i < v->model.things->len && drawing_room (d) > 0; i++) {
      const SceneThing *t = &g_array_index (v->model.things, SceneThing, i);
      bool line = t->radius == 0;
      if (line != (bool) lines || !mark_thing (v, t, &x, &y, &r))
        continue;
      DrawingTag tag = scene_tag_of (v, i);
      if (!line) {
        drawing_mark_disc (d, x, y, r, &tag);
      } else if (scene_camera_project (&v->now, &v->frame, t->end, &end[2], &end[3], &depth)) {
        end[0] = x, end[1] = y;
        drawing_mark_line (d, end, 2, 3, &tag);
      }
    }
}

static bool
scene_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  SceneView *v = (SceneView *) c;
  g_autoptr (GError) failed = NULL;
  bool unread;

  if (!scene_compose (v, scene, &unread, error))
    return false;
  Paint *p = drawing_begin (d);
  if (drawing_is_painted (d) && scene_pixels_draw (v, scene, d, p, &failed))
    scene_names_draw (v, p);
  if ((!scene_steer_moves (v) && !(v->refining && drawing_is_painted (d))) || !drawing_later (d))
    mark_all (v, d);
  if (v->gliding)
    drawing_on_the_way (d);
  scene_draw_head (v, scene, p, unread, failed != NULL ? failed->message : NULL);
  return true;
}

/* ---- pointing ----------------------------------------------------------------------------------------------------------------- */

static bool
mark_id (SceneView *v, uint32_t id, double x, double y, DrawingMark *mark)
{
  double mx = x, my = y, r = 6;

  if (id == 0 || v->model.things == NULL || id > v->model.things->len)
    return false;
  const SceneThing *t = &g_array_index (v->model.things, SceneThing, id - 1);
  DrawingTag tag = scene_tag_of (v, id - 1);
  if (t->radius == 0 || !mark_thing (v, t, &mx, &my, &r) || hypot (mx - x, my - y) > r + 12)
    mx = x, my = y, r = 6;
  *mark = drawing_mark_of (mx - r, my - r, 2 * r, 2 * r, &tag);
  mark->shape = DRAWING_DISC;
  mark->x = mx, mark->y = my, mark->a = r;
  return true;
}

static bool
scene_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  SceneView *v = (SceneView *) c;

  return !scene_steer_moves (v) && mark_id (v, scene_pick (v, scene, x, y, NULL), x, y, mark);
}

#define SAME_PLACE 3 /* px */

/* What was there is taken away one after the other; behind the last the first comes again. */
static bool
scene_below (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  SceneView *v = (SceneView *) c;
  SceneCamera now = v->now;

  if (v->passed == NULL)
    v->passed = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  if (hypot (x - v->passed_x, y - v->passed_y) > SAME_PLACE || v->passed_at != scene->at
      || memcmp (&now, &v->passed_camera, sizeof now) != 0) {
    g_array_set_size (v->passed, 0);
    v->passed_last = scene_pick (v, scene, x, y, NULL);
    v->passed_x = x, v->passed_y = y, v->passed_at = scene->at, v->passed_camera = now;
  }
  if (v->passed_last != 0)
    g_array_append_val (v->passed, v->passed_last);
  v->passed_last = scene_pick (v, scene, x, y, v->passed);
  if (v->passed_last == 0) {
    g_array_set_size (v->passed, 0);
    v->passed_last = scene_pick (v, scene, x, y, NULL);
  }
  return mark_id (v, v->passed_last, x, y, mark);
}

static void
scene_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  SceneView *v = (SceneView *) c;
  const SceneThing *t = scene_thing_of (v, &m->tag);

  if (t != NULL)
    builders[v->builder]->say (v, scene, t, name, facts);
}

static void
scene_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  SceneView *v = (SceneView *) c;
  const SceneThing *t = scene_thing_of (v, &m->tag);

  if (t != NULL && builders[v->builder]->owners != NULL)
    builders[v->builder]->owners (v, scene, t, to);
}

/* Who is selected goes where it is dragged to, as far from the eye as before; a drag that begins elsewhere moves the
 * camera. */
static const char *
scene_drag (EveComponent *c, const ViewScene *scene, const DrawingMark *m, double x, double y, char **value)
{
  SceneView *v = (SceneView *) c;
  const SceneThing *t = scene_thing_of (v, &m->tag);
  SceneCamera camera;
  SceneFrame frame;
  double was_x, was_y, depth, at[3];

  if (t == NULL || !t->chosen || t->tag.part != SCENE_PART_NODE || t->tag.what.type == TRACE_REF_NONE)
    return NULL;
  scene_eye (v, scene_eye_at (v, x), &camera, &frame);
  if (!scene_camera_project (&camera, &frame, t->at, &was_x, &was_y, &depth)
      || !scene_camera_unproject (&camera, &frame, x, y, depth, at))
    return NULL;
  g_autoptr (GString) id = g_string_new (NULL);
  if (t->tag.what.type == TRACE_REF_TASK)
    g_string_append (id, names_id (v->names, scene->source, t->tag.what.id));
  else
    trace_ref_name (t->tag.what, false, id);
  *value = scene_stand_moved (v, id->str, at);
  return *value != NULL ? "positions" : NULL;
}

static uint32_t
scene_depends (EveComponent *c, const ViewScene *scene)
{
  return builders[((SceneView *) c)->builder]->depends;
}

/* A picture of numbers, what each pixel shows; g_free.  NULL: it cannot be drawn. */
static uint32_t *
draw_ids (SceneView *v, const ViewScene *scene, int *width_px, int *height_px)
{
  SceneFrame f = scene_in_pixels (&v->frame, 1);
  SceneLook look = { .rendering = SCENE_FLAT, .px = 1, .open = v->cut > 0, .n_links = UINT32_MAX };
  bool ok = true;

  *width_px = (int) f.width;
  *height_px = (int) f.height;
  if ((gint64) *width_px * *height_px > 64 * 1024 * 1024)
    return NULL;
  uint32_t *ids = g_new (uint32_t, (gsize) *width_px * (gsize) *height_px),
           *part = g_new (uint32_t, SCENE_TILE * SCENE_TILE);
  for (int y = 0; ok && y < *height_px; y += SCENE_TILE)
    for (int x = 0; ok && x < *width_px; x += SCENE_TILE) {
      int width = MIN (*width_px - x, SCENE_TILE), height = MIN (*height_px - y, SCENE_TILE);
      ok = scene_render_ids (&v->gpu, &v->model, &v->now, &f, &look, x, y, width, height, part, NULL);
      for (int row = 0; ok && row < height; row++)
        memcpy (ids + (gsize) (y + row) * (gsize) *width_px + x, part + (gsize) row * (gsize) width,
                (gsize) width * sizeof *ids);
    }
  g_free (part);
  if (!ok)
    g_clear_pointer (&ids, g_free);
  return ids;
}

static void
scene_put_names (const DrawingTag *tag, GString *to)
{
  g_autoptr (GString) name = g_string_new (NULL);

  trace_ref_name (tag->what, true, name);
  if (tag->other.type != TRACE_REF_NONE) {
    g_string_append (name, "->");
    trace_ref_name (tag->other, true, name);
  }
  stats_csv_text (to, name->str);
}

/* Of a task its id. */
static void
scene_put_end (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second, GString *to)
{
  const SceneBuilder *builder = builders[v->builder];
  TraceRef r = second ? t->tag.other : t->tag.what;
  g_autoptr (GString) id = g_string_new (NULL);
  g_autofree char *name = r.type == TRACE_REF_NONE && builder->end_name != NULL
                              ? builder->end_name (v, scene, t, second)
                              : NULL;

  if (name == NULL)
    trace_ref_name (r, true, id);
  stats_csv_text (to, name != NULL ? name : id->str);
}

static void
put_thing (SceneView *v, const SceneThing *t, const ViewScene *scene, double x, double y, GString *to)
{
  const double numbers[] = { t->at[0], t->at[1], t->at[2], t->end[0], t->end[1], t->end[2], t->radius, x, y };
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  bool dated = t->tag.from <= t->tag.to;

  bool group = t->tag.attribute != NULL && strcmp (t->tag.attribute, LOOKS_OF_GROUP) == 0;

  g_string_append_printf (to, "%s,", scene_parts[t->tag.part]);
  for (int second = 0; second < 2; second++) {
    scene_put_end (v, scene, t, second, to);
    g_string_append_c (to, ',');
  }
  stats_csv_text (to, group ? NULL : t->tag.value);
  g_string_append_c (to, ',');
  stats_csv_date (to, scene->source->number, dated ? t->tag.from : INT64_MIN);
  g_string_append_c (to, ',');
  stats_csv_date (to, scene->source->number, dated ? t->tag.to : INT64_MIN);
  g_string_append_c (to, ',');
  if (!isnan (t->value))
    stats_csv_number (to, t->value);
  g_string_append_c (to, ',');
  if (!isnan (t->value))
    stats_csv_text (to, t->unit);
  for (size_t k = 0; k < G_N_ELEMENTS (numbers); k++)
    g_string_append_printf (
        to, ",%s",
        t->radius > 0 && k >= 3 && k <= 5 ? "" : g_ascii_formatd (number, sizeof number, "%.7g", numbers[k]));
}

/* Where each object is, in the scene and in the picture, and what the picture has at that px. */
static bool
scene_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  SceneView *v = (SceneView *) c;
  int width, height;
  bool unread;

  if (!scene_compose (v, scene, &unread, error))
    return false;
  g_autofree uint32_t *ids = draw_ids (v, scene, &width, &height);
  g_string_append (to,
                   "kind,what,other,state,from [s],to [s],value,unit,x,y,z,to x,to y,to z,radius,across [px],down [px],"
                   "number,seen there,number seen\r\n");
  for (guint i = 0; i < v->model.things->len; i++) {
    const SceneThing *t = &g_array_index (v->model.things, SceneThing, i);
    double x = NAN, y = NAN, depth;
    uint32_t id = 0;
    if (scene_camera_project (&v->now, &v->frame, t->at, &x, &y, &depth) && ids != NULL) {
      int px = (int) floor (x - v->frame.x), py = (int) floor (y - v->frame.y);
      if (px >= 0 && py >= 0 && px < width && py < height)
        id = ids[(gsize) py * (gsize) width + (gsize) px];
    }
    put_thing (v, t, scene, x, y, to);
    g_string_append_printf (to, ",%u,", i + 1);
    if (id > 0 && id <= v->model.things->len)
      scene_put_names (&g_array_index (v->model.things, SceneThing, id - 1).tag, to);
    g_string_append_printf (to, ",%u\r\n", id);
  }
  return true;
}

static const char *
scene_damage (EveComponent *c, bool *lost)
{
  SceneView *v = (SceneView *) c;
  const char *names = names_problem (v->names), *states = NULL, *messages = NULL;

  if (builders[v->builder]->spans & VIEW_OF_EXECUTION) {
    states = v->states != NULL ? states_reader_problem (v->states) : NULL;
    messages = v->messages != NULL ? messages_reader_problem (v->messages) : NULL;
  }
  if (lost != NULL)
    *lost = names != NULL || (states != NULL && states_reader_lost (v->states, 0, 0, NULL, NULL))
            || (messages != NULL && messages_reader_lost (v->messages, 0, 0, NULL, NULL));
  return states != NULL ? states : messages != NULL ? messages : names;
}

#define SCENE_VIEW(spans_)                                                                                             \
  {                                                                                                                    \
    .title = "Scene", .spans = spans_, .build = scene_build, .say = scene_say, .point = scene_point,                   \
    .owners = scene_owners, .depends = scene_depends, .csv = scene_csv, .damage = scene_damage, .drag = scene_drag     \
  }
static const View of_instant = SCENE_VIEW (VIEW_OF_INSTANT), of_both = SCENE_VIEW (VIEW_OF_INSTANT | VIEW_OF_EXECUTION);

/* ---- its settings in the window ----------------------------------------------------------------------------------------------- */

#define SETTING(name_)                                                                                                 \
  {                                                                                                                    \
    BOX_ROW_SETTING, name_, NULL, NULL                                                                                 \
  }
static const BoxRow rows[] = {
  SETTING ("builder"),
  SETTING ("layout"),
  SETTING ("sort x"),
  SETTING ("sort y"),
  SETTING ("sort z"),
  SETTING ("positions"),
  SETTING ("keep positions"),
  SETTING ("size"),
  SETTING ("states shown"),
  SETTING ("slices"),
  SETTING ("logarithmic"),
  SETTING ("x title"),
  SETTING ("y title"),
  SETTING ("z title"),
  { BOX_ROW_HEADING, NULL, N_ ("How it is seen"), NULL },
  SETTING ("rendering"),
  SETTING ("fog"),
  SETTING ("ground"),
  SETTING ("cut"),
  SETTING ("stereo"),
  SETTING ("parallel"),
  SETTING ("side"),
  SETTING ("camera"),
  SETTING ("viewpoints"),
  SETTING ("shared camera"),
};

/* Layouts, those of plug-ins too; attributes of tasks. */
static void
scene_offer (EveComponent *c, uint32_t row, void (*add) (void *arg, const char *value), void *arg)
{
  const SceneView *v = (SceneView *) c;
  const char *name = rows[row].name;

  if (strcmp (name, "layout") == 0) {
    layouts_offer (&(LayoutsWhere){ LAYOUT_IN_SPACE }, add, arg);
  } else if (g_str_has_prefix (name, "sort ") || strcmp (name, "size") == 0) {
    for (char **one = v->attributes; one != NULL && *one != NULL; one++)
      add (arg, *one);
  }
}

/* What makes sense for what is shown. */
static bool
scene_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  const SceneView *v = (SceneView *) c;
  const char *name = rows[row].name;
  const SceneBuilder *b = builders[v->builder];
  bool graph = b == &scene_graph, shares = b == &scene_kiviat || b == &scene_terrain;

  if (name == NULL)
    return true;
  if (g_str_has_prefix (name, "sort ")) {
    const GraphLayout *l = layouts_find (LAYOUT_IN_SPACE, v->layout);
    return graph && l != NULL && l->dynamic;
  }
  if (strcmp (name, "layout") == 0)
    return graph || b == &scene_space_time;
  if (strcmp (name, "positions") == 0 || strcmp (name, "keep positions") == 0 || strcmp (name, "size") == 0)
    return graph;
  if (strcmp (name, "states shown") == 0 || strcmp (name, "slices") == 0)
    return shares;
  if (strcmp (name, "logarithmic") == 0)
    return b == &scene_terrain;
  return !g_str_has_suffix (name, " title") || b == &scene_cloud;
}

/* For offer(): names outlive the graph that they came from. */
static void
note_attributes (SceneView *v, const ViewScene *scene)
{
  if (scene->graph == NULL || v->attributes_of == scene->graph->model)
    return;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (uint32_t a = 0; a < scene->graph->model->n_attributes; a++) {
    const StateAttribute *one = &scene->graph->model->attributes[a];
    if (one->scope == STATE_NODE && (one->kind == STATE_INT || one->kind == STATE_REAL || one->kind == STATE_PERCENT))
      g_ptr_array_add (names, g_strdup (one->name));
  }
  g_ptr_array_add (names, NULL);
  g_strfreev (v->attributes);
  v->attributes = (char **) g_ptr_array_steal (names, NULL);
  v->attributes_of = scene->graph->model;
}

static bool
scene_changed (EveComponent *c, uint32_t setting)
{
  SceneView *v = (SceneView *) c;

  if (settings[setting].offset == offsetof (SceneView, layout) && layouts_find (LAYOUT_IN_SPACE, v->layout) == NULL) {
    g_autofree char *nearest = eve_nearest_told (v->layout, layouts_offer, &(LayoutsWhere){ LAYOUT_IN_SPACE });
    eve_warn_missing (c, _ ("No layout is called “%s”%s; tasks stand by their hosts."), v->layout, nearest);
  }
  v->stood++;
  g_clear_pointer (&v->filed, g_hash_table_unref);
  return true;
}

static const void *
scene_query (EveComponent *c, const char *interface_name)
{
  static ViewCamera camera;
  static const BoxInspector inspector = {
    .rows = rows,
    .n_rows = EVE_N (rows),
    .look = scene_look,
    .offer = scene_offer,
    .n_panel = 2 /* builder and layout */
  };

  if (strcmp (interface_name, BOX_INSPECTOR) == 0)
    return &inspector;

  if (strcmp (interface_name, VIEW_CAMERA_INTERFACE) == 0) {
    camera = scene_steer;
    camera.below = scene_below;
    return &camera;
  }
  if (strcmp (interface_name, VIEW_INTERFACE) != 0)
    return NULL;
  const SceneBuilder *b = builders[((SceneView *) c)->builder];
  bool of_matrix = b == &scene_terrain && eve_in_connected (eve_base (c)->in[SCENE_IN_MATRIX]); /* as it is then */
  return b->spans & VIEW_OF_EXECUTION && !of_matrix ? &of_both : &of_instant;
}

static const EveClass scene_class = {
  VIEW_CLASS (SceneView),
  .id = "scope.scene",
  .label = "Scene",
  .doc = "An execution in three dimensions: the state graph at an instant, or time, numbers and tasks as a landscape.",
  .help =
      "State graph: tasks are shapes in the colour of their state; links are cones that point from the sender to the "
      "receiver, as thick as what has passed them.  Drag to go round, drag with the middle button to slide, turn the "
      "wheel to come nearer; a second click at the same place selects what lies behind.",
  .init = scene_init,
  .reset = scene_reset,
  .save = scene_save,
  .load = scene_load,
  .finish = scene_finish,
  .changed = scene_changed,
  .query = scene_query,
};
EVE_PLUGIN (&scene_class);
