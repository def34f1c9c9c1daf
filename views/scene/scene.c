/* SPDX-License-Identifier: Apache-2.0 */
/* scene.c - the view of a scene: pixels from the renderer, names and legend painted over them. */
#include "views/scene/scene.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "statistics/graph.h"
#include "statistics/types.h"
#include "views/view-class.h"

#define HEAD 30 /* px, of the legend */
#define NEAR 5  /* px, that may be pointed beside something */
#define FOG 0.45
#define NAMED 6       /* px, the least radius of what has its name below it */
#define FRAME_MS 40.0 /* that a frame may take while the camera moves */

static const EveInSpec ins[] = {
  { "messages", &state_type_message, EVE_ASYNC, .kept = true,
    .doc = "From a simulator: its tasks and links at the present instant are shown." },
};
static const EveField settings[] = {
  { "layout", EVE_F_CHOICE, offsetof (SceneView, layout), .choices = scene_places_names, .look = true,
    .doc = "Where tasks stand: by their hosts or numbers, or, `sorted`, by what their attributes are now." },
  { "sort x", EVE_F_STRING, offsetof (SceneView, sort_by[0]), .look = true,
    .doc = "With the layout `sorted`: the attribute of a task that tells how far to the right it stands." },
  { "sort y", EVE_F_STRING, offsetof (SceneView, sort_by[1]), .look = true, .doc = "The same: how far behind." },
  { "sort z", EVE_F_STRING, offsetof (SceneView, sort_by[2]), .look = true, .doc = "The same: how high." },
  { "size", EVE_F_STRING, offsetof (SceneView, size_by), .look = true,
    .doc = "The attribute of a task that tells how large it is; empty: all are alike." },
  { "side", EVE_F_CHOICE, offsetof (SceneView, side), .choices = scene_sides, .look = true,
    .doc = "The side from which all is seen, where the camera is left empty." },
  { "camera", EVE_F_STRING, offsetof (SceneView, camera), .look = true,
    .doc = "From where it is seen: eye X Y Z centre X Y Z up X Y Z angle DEGREES; empty: all of it, from the side." },
  { "parallel", EVE_F_BOOL, offsetof (SceneView, parallel), .look = true,
    .doc = "Without perspective: what is far is as large as what is near." },
  { "rendering", EVE_F_CHOICE, offsetof (SceneView, rendering), .choices = scene_renderings, .look = true,
    .doc = "How objects are drawn: smooth or flat faces, their edges with or without those that are hidden, their "
           "corners as points, or the boxes around them." },
  { "fog", EVE_F_BOOL, offsetof (SceneView, fog), .def = 1, .look = true, .doc = "What is far is paler." },
  { "ground", EVE_F_BOOL, offsetof (SceneView, ground), .def = 1, .look = true,
    .doc = "With the layout `hosts`: plates under the tasks of each host, with its name." },
};

static void
forget_ids (SceneView *v)
{
  g_clear_pointer (&v->ids, g_free);
}

static bool
changed (EveComponent *c, uint32_t setting)
{
  forget_ids ((SceneView *) c);
  return true;
}

static void
finish (EveComponent *c)
{
  SceneView *v = (SceneView *) c;

  forget_ids (v);
  scene_model_end (&v->model);
  scene_gpu_free (v->gpu);
  g_clear_pointer (&v->names, names_free);
  g_free (v->film);
}

/* ---- what is seen from where --------------------------------------------------------------------------------------------- */

static SceneCamera
camera_of (const SceneView *v, bool *unread)
{
  SceneCamera c = v->moved;

  *unread = false;
  c.parallel = v->parallel;
  if (v->held)
    return c;
  if (v->camera[0] != '\0' && scene_camera_read (&c, v->camera))
    return c;
  *unread = v->camera[0] != '\0';
  return scene_camera_fit (v->model.low, v->model.high, v->side, &v->frame, v->parallel);
}

static bool
compose (SceneView *v, const ViewScene *scene, bool *unread, GError **error)
{
  if (scene->graph == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, "no simulator is connected to it, whose state could be shown");
    return false;
  }
  scene_model_end (&v->model);
  scene_model_begin (&v->model);
  forget_ids (v);
  scene_build_graph (v, scene, &v->model);
  double head = MIN (HEAD, scene->height_px / 4);
  v->frame = (SceneFrame){ .y = head, .width = scene->width_px, .height = fmax (scene->height_px - head, 1) };
  scene_frame_around (&v->frame, v->model.low, v->model.high);
  v->now = camera_of (v, unread);
  return true;
}

static SceneFrame
in_pixels (const SceneFrame *f, double scale)
{
  SceneFrame p = *f;

  p.x = p.y = 0;
  p.width = fmax (round (f->width * scale), 1);
  p.height = fmax (round (f->height * scale), 1);
  return p;
}

/* While the camera is moved a picture that takes too long is drawn with less. */
static bool
is_hasty (const SceneView *v)
{
  return v->held && v->full_ms > FRAME_MS;
}

static SceneLook
look_of (const SceneView *v, const Paint *p, double scale)
{
  SceneLook look = { .rendering = (SceneRendering) v->rendering,
                     .paper = p->paper,
                     .fog = v->fog ? FOG : 0,
                     .px = scale,
                     .n_links = UINT32_MAX };

  if (is_hasty (v)) {
    look.rendering = SCENE_BOXES;
    look.n_links = (uint32_t) (v->model.of[SCENE_CONE]->len * FRAME_MS / 2 / v->full_ms);
  }
  return look;
}

/* Part by part, so that a large picture needs no more memory than a small one. */
static bool
draw_pixels (SceneView *v, Drawing *d, const Paint *p, GError **error)
{
  double scale = p->scene->scale > 0 ? p->scene->scale : 1;
  SceneFrame f = in_pixels (&v->frame, scale);
  SceneLook look = look_of (v, p, scale);

  for (int y = 0; y < (int) f.height; y += SCENE_TILE)
    for (int x = 0; x < (int) f.width; x += SCENE_TILE) {
      int width = MIN ((int) f.width - x, SCENE_TILE), height = MIN ((int) f.height - y, SCENE_TILE);
      cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
      cairo_surface_flush (s);
      bool ok = cairo_image_surface_get_stride (s) == 4 * width
                && scene_render (&v->gpu, &v->model, &v->now, &f, &look, x, y, width, height,
                                 (uint32_t *) (void *) cairo_image_surface_get_data (s), error);
      cairo_surface_mark_dirty (s);
      if (ok)
        drawing_image (d, v->frame.x + x / scale, v->frame.y + y / scale, width / scale, height / scale, s, NULL, NULL,
                       0);
      cairo_surface_destroy (s);
      if (!ok)
        return false;
    }
  return true;
}

/* ---- names over it --------------------------------------------------------------------------------------------------------- */

typedef struct Seen {
  guint label;
  double x, y, depth, radius;
} Seen;

static int
nearest_first (const void *a, const void *b)
{
  const Seen *x = a, *y = b;

  return (x->depth > y->depth) - (x->depth < y->depth);
}

static bool
meets (const cairo_rectangle_t *a, const cairo_rectangle_t *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

/* Below its object; not over one that is nearer, nor over another name. */
static void
draw_labels (SceneView *v, Paint *p)
{
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (Seen)),
                     taken = g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));

  for (guint i = 0; i < v->model.labels->len; i++) {
    const SceneLabel *l = &g_array_index (v->model.labels, SceneLabel, i);
    Seen s = { .label = i };
    if (scene_camera_project (&v->now, &v->frame, l->at, &s.x, &s.y, &s.depth)) {
      s.radius = l->radius * scene_camera_px (&v->now, &v->frame, s.depth);
      if (l->quiet || s.radius >= NAMED) /* among smaller ones nobody could tell whose name it is */
        g_array_append_val (seen, s);
    }
  }
  qsort (seen->data, seen->len, sizeof (Seen), nearest_first);
  for (guint i = 0; i < seen->len; i++) {
    const Seen *s = &g_array_index (seen, Seen, i);
    const SceneLabel *l = &g_array_index (v->model.labels, SceneLabel, s->label);
    int size = l->quiet ? PAINT_SMALL : PAINT_TEXT;
    double width = paint_text_width (p, size, l->text), gap = l->quiet ? 2 : 3;
    cairo_rectangle_t box = { s->x - width / 2 - 2, s->y + s->radius + gap, width + 4, 16 };
    bool ok = box.x > 2 && box.x + box.width < p->scene->width_px - 2 && box.y > v->frame.y
              && box.y + box.height < p->scene->height_px - 16;
    for (guint k = 0; ok && k < taken->len; k++)
      ok = !meets (&box, &g_array_index (taken, cairo_rectangle_t, k));
    for (guint k = 0; ok && k < seen->len; k++) {
      const Seen *o = &g_array_index (seen, Seen, k);
      double dx = fmax (fabs (o->x - s->x) - width / 2, 0), dy = fmax (fabs (o->y - box.y - 8) - 6, 0);
      ok = k == i || o->radius == 0 || hypot (dx, dy) > o->radius;
      /* its object is hidden: so is its name */
      ok = ok && (k == i || o->depth >= s->depth || hypot (o->x - s->x, o->y - s->y) > o->radius);
    }
    if (!ok)
      continue;
    paint_source (p->cr, p->paper, 0.72);
    cairo_rectangle (p->cr, box.x, box.y, box.width, box.height);
    cairo_fill (p->cr);
    paint_text (p, s->x, box.y + 8, 0.5, size, l->quiet ? p->muted : p->ink, 0, l->text);
    g_array_append_val (taken, box);
  }
}

static void
draw_head (SceneView *v, const ViewScene *scene, Paint *p, bool unread)
{
  uint32_t states = 0, nodes = 0, links = 0;
  double x = 16;
  const StateGraph *g = scene->graph;
  int state_at = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
  g_autoptr (GString) note = g_string_new (NULL);

  for (guint i = 0; i < v->model.things->len; i++) {
    const SceneThing *t = &g_array_index (v->model.things, SceneThing, i);
    uint32_t state;
    nodes += t->tag.part == SCENE_PART_NODE;
    links += t->tag.part == SCENE_PART_LINK;
    if (t->tag.part == SCENE_PART_NODE && state_value_of (g, state_at, t->tag.index, &state))
      states |= 1u << MIN (state, 31);
  }
  x = paint_legend (p, x, 16, STATE_NODE, NULL, states, NULL);
  if (scene->at != INT64_MIN) {
    g_autofree char *date = axis_date (&scene->source->clock, scene->at, -1);
    g_string_append_printf (note, "at %s; ", date);
  }
  g_string_append_printf (note, "%u task%s, %u link%s", nodes, nodes == 1 ? "" : "s", links, links == 1 ? "" : "s");
  if (v->model.links_left > 0)
    g_string_append_printf (note, " (the heaviest; %u more are not drawn)", v->model.links_left);
  if (v->model.n_nowhere > 0)
    g_string_append_printf (note, "; %u at no place that is a number", v->model.n_nowhere);
  paint_note (p, x, 16, note->str);
  if (unread)
    paint_text (p, 16, scene->height_px - 10, 0, PAINT_SMALL, p->cursor, scene->width_px - 32,
                "The camera is not understood: it is eye X Y Z centre X Y Z up X Y Z angle DEGREES");
  else if (is_hasty (v))
    paint_text (p, scene->width_px - 16, scene->height_px - 10, 1, PAINT_SMALL, p->muted, scene->width_px - 32,
                "while it moves: boxes, and the heaviest links");
  else if (nodes == 0)
    paint_text (p, scene->width_px / 2, scene->height_px - 12, 0.5, PAINT_SMALL, p->muted, scene->width_px - 24,
                "No task lives at this instant: another one shows them");
}

/* ---- marks ------------------------------------------------------------------------------------------------------------------ */

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

static void
mark_all (const SceneView *v, Drawing *d)
{
  double x, y, r, end[4], depth;

  for (int part = SCENE_PART_NODE; part <= SCENE_PART_LINK; part++)
    for (guint i = 0; i < v->model.things->len && drawing_room (d) > 0; i++) {
      const SceneThing *t = &g_array_index (v->model.things, SceneThing, i);
      if ((int) t->tag.part != part || !mark_thing (v, t, &x, &y, &r))
        continue;
      if (part == SCENE_PART_NODE) {
        drawing_mark_disc (d, x, y, r, &t->tag);
      } else if (scene_camera_project (&v->now, &v->frame, t->end, &end[2], &end[3], &depth)) {
        end[0] = x, end[1] = y;
        drawing_mark_line (d, end, 2, 3, &t->tag);
      }
    }
}

static bool
build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  SceneView *v = (SceneView *) c;
  gint64 began = g_get_monotonic_time ();
  bool unread;

  if (!compose (v, scene, &unread, error))
    return false;
  Paint *p = drawing_begin (d);
  if (drawing_is_painted (d)) {
    if (!draw_pixels (v, d, p, error))
      return false;
    draw_labels (v, p);
    if (!v->held)
      v->full_ms = (double) (g_get_monotonic_time () - began) / 1000;
  }
  mark_all (v, d);
  draw_head (v, scene, p, unread);
  return true;
}

/* ---- pointing ----------------------------------------------------------------------------------------------------------------- */

/* The picture of numbers is drawn when somebody points, and kept until the scene or the camera is another. */
static bool
make_ids (SceneView *v, const ViewScene *scene)
{
  SceneFrame f = in_pixels (&v->frame, 1);
  Paint p;
  bool ok = true;

  if (v->ids != NULL)
    return true;
  paint_measure (&p, scene);
  SceneLook look = look_of (v, &p, 1);
  paint_end (&p);
  v->ids_width = (int) f.width;
  v->ids_height = (int) f.height;
  if ((gint64) v->ids_width * v->ids_height > 64 * 1024 * 1024)
    return false;
  uint32_t *ids = g_new (uint32_t, (gsize) v->ids_width * (gsize) v->ids_height),
           *part = g_new (uint32_t, SCENE_TILE * SCENE_TILE);
  for (int y = 0; ok && y < v->ids_height; y += SCENE_TILE)
    for (int x = 0; ok && x < v->ids_width; x += SCENE_TILE) {
      int width = MIN (v->ids_width - x, SCENE_TILE), height = MIN (v->ids_height - y, SCENE_TILE);
      ok = scene_render_ids (&v->gpu, &v->model, &v->now, &f, &look, x, y, width, height, part, NULL);
      for (int row = 0; ok && row < height; row++)
        memcpy (ids + (gsize) (y + row) * (gsize) v->ids_width + x, part + (gsize) row * (gsize) width,
                (gsize) width * sizeof *ids);
    }
  g_free (part);
  if (ok)
    v->ids = ids;
  else
    g_free (ids);
  return ok;
}

/* The id nearest to a px, not farther than a few; 0: none. */
static uint32_t
id_near (const SceneView *v, double x, double y)
{
  int px = (int) floor (x - v->frame.x), py = (int) floor (y - v->frame.y), best = NEAR * NEAR + 1;
  uint32_t found = 0;

  for (int yy = MAX (py - NEAR, 0); yy <= MIN (py + NEAR, v->ids_height - 1); yy++)
    for (int xx = MAX (px - NEAR, 0); xx <= MIN (px + NEAR, v->ids_width - 1); xx++) {
      uint32_t id = v->ids[(gsize) yy * (gsize) v->ids_width + (gsize) xx];
      int away = (xx - px) * (xx - px) + (yy - py) * (yy - py);
      if (id != 0 && away < best) {
        best = away;
        found = id;
      }
    }
  return found;
}

static bool
point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  SceneView *v = (SceneView *) c;
  double mx, my, r;

  if (v->model.things == NULL || !make_ids (v, scene))
    return false;
  uint32_t id = id_near (v, x, y);
  if (id == 0 || id > v->model.things->len)
    return false;
  const SceneThing *t = &g_array_index (v->model.things, SceneThing, id - 1);
  if (t->tag.part == SCENE_PART_LINK || !mark_thing (v, t, &mx, &my, &r))
    mx = x, my = y, r = 6;
  *mark = drawing_mark_of (mx - r, my - r, 2 * r, 2 * r, &t->tag);
  mark->shape = DRAWING_DISC;
  mark->x = mx, mark->y = my, mark->a = r;
  return true;
}

static void
say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const StateGraph *g = scene->graph;
  StateScope scope = m->tag.part == SCENE_PART_NODE ? STATE_NODE : STATE_EDGE;

  if (g == NULL || m->tag.part > SCENE_PART_LINK || m->tag.index >= (scope == STATE_NODE ? g->n_nodes : g->n_edges))
    return;
  trace_ref_name (m->tag.what, false, name);
  if (scope == STATE_EDGE) {
    g_string_append (name, " \u2192 ");
    trace_ref_name (m->tag.other, false, name);
  }
  g_string_append_printf (name, ": %s", m->tag.value);
  for (uint32_t a = 0; facts != NULL && a < g->model->n_attributes; a++) {
    if (g->model->attributes[a].scope != scope)
      continue;
    g_string_append_printf (facts, "%s\t", g->model->attributes[a].name);
    state_text (g, a, m->tag.index, MAX (scene->at, g->clock), facts);
    g_string_append_c (facts, '\n');
  }
}

static uint32_t
depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

/* Where each object is, in the scene and in the picture, and what the picture has at that px. */
static bool
csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  SceneView *v = (SceneView *) c;
  bool unread;

  if (!compose (v, scene, &unread, error))
    return false;
  bool drawn = make_ids (v, scene);
  g_string_append (to, "kind,what,other,state,x,y,z,to x,to y,to z,radius,across [px],down [px],seen there\r\n");
  for (guint i = 0; i < v->model.things->len; i++) {
    const SceneThing *t = &g_array_index (v->model.things, SceneThing, i);
    g_autoptr (GString) what = g_string_new (NULL), other = g_string_new (NULL), there = g_string_new (NULL);
    double x = NAN, y = NAN, depth;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    trace_ref_name (t->tag.what, true, what);
    trace_ref_name (t->tag.other, true, other);
    bool node = t->tag.part == SCENE_PART_NODE;
    if (scene_camera_project (&v->now, &v->frame, t->at, &x, &y, &depth) && drawn) {
      int px = (int) floor (x - v->frame.x), py = (int) floor (y - v->frame.y);
      uint32_t id = px >= 0 && py >= 0 && px < v->ids_width && py < v->ids_height
                        ? v->ids[(gsize) py * (gsize) v->ids_width + (gsize) px]
                        : 0;
      if (id > 0 && id <= v->model.things->len) {
        const DrawingTag *s = &g_array_index (v->model.things, SceneThing, id - 1).tag;
        trace_ref_name (s->what, true, there);
        if (s->other.type != TRACE_REF_NONE) {
          g_string_append (there, "->");
          trace_ref_name (s->other, true, there);
        }
      }
    }
    g_string_append (to, node ? "task," : "link,");
    stats_csv_text (to, what->str);
    g_string_append_c (to, ',');
    stats_csv_text (to, other->str);
    g_string_append_c (to, ',');
    stats_csv_text (to, t->tag.value);
    const double numbers[] = { t->at[0], t->at[1], t->at[2], t->end[0], t->end[1], t->end[2], t->radius, x, y };
    for (size_t k = 0; k < G_N_ELEMENTS (numbers); k++)
      g_string_append_printf (
          to, ",%s", node && k >= 3 && k <= 5 ? "" : g_ascii_formatd (number, sizeof number, "%.7g", numbers[k]));
    g_string_append_c (to, ',');
    stats_csv_text (to, there->str);
    g_string_append (to, "\r\n");
  }
  return true;
}

static const char *
damage (EveComponent *c, bool *lost)
{
  SceneView *v = (SceneView *) c;
  const char *problem = v->names != NULL ? names_problem (v->names) : NULL;

  if (lost != NULL)
    *lost = problem != NULL;
  return problem;
}

/* ---- the camera ------------------------------------------------------------------------------------------------------------- */

static void
camera_move (EveComponent *c, const ViewScene *scene, ViewCameraMove how, double dx, double dy, double x, double y)
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
  v->held = true;
  forget_ids (v);
}

static const char *
camera_settle (EveComponent *c, char **value)
{
  SceneView *v = (SceneView *) c;

  if (!v->held)
    return NULL;
  *value = scene_camera_text (&v->moved);
  v->held = false;
  return "camera";
}

static void
camera_cancel (EveComponent *c)
{
  ((SceneView *) c)->held = false;
}

static const ViewCamera camera = { camera_move, camera_settle, camera_cancel };

static const View view = {
  .title = "Scene",
  .spans = VIEW_OF_INSTANT,
  .build = build,
  .say = say,
  .point = point,
  .depends = depends,
  .csv = csv,
  .damage = damage,
};

static const void *
query (EveComponent *c, const char *interface_name)
{
  if (strcmp (interface_name, VIEW_CAMERA_INTERFACE) == 0)
    return &camera;
  return strcmp (interface_name, VIEW_INTERFACE) == 0 ? &view : NULL;
}

static const EveClass scene = {
  VIEW_CLASS (SceneView),
  .id = "scope.scene",
  .label = "Scene",
  .doc = "Tasks and links at one instant, in three dimensions.",
  .help = "Tasks are shapes in the colour of their state; links are cones that point from the sender to the receiver, "
          "as thick as what has passed them.  Drag to go round, drag with the middle button to slide, turn the wheel "
          "to come nearer.",
  .finish = finish,
  .changed = changed,
  .query = query,
};
EVE_PLUGIN (&scene);
