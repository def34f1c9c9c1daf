/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names over a scene, and the key of its links. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"
#include "eve/words.h"
#include "views/painter.h"

#define NAMED 6        /* px, the least radius of what has its name beside it */
#define HIGH 16        /* px, of a name */
#define LINES_MOST 300 /* links that names give way to, the heaviest */
#define RULES_LINE 20  /* px, of the key of rules */
#define KEY_LEAVES 240 /* px, for the note on the right */

typedef struct Seen {
  guint label;
  double x, y, depth, radius;
} Seen;

typedef struct Line {
  double x0, y0, x1, y1;
} Line;

typedef struct Overlay {
  SceneView *v;
  Paint *p;
  SceneCamera camera;
  SceneFrame frame;
  double left, right; /* of the picture of this eye */
  GArray *seen, *lines, *taken;
} Overlay;

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

/* Whether a line enters a rectangle (Liang and Barsky). */
static bool
enters (const Line *l, const cairo_rectangle_t *r)
{
  double dx = l->x1 - l->x0, dy = l->y1 - l->y0, from = 0, to = 1;
  const double p[] = { -dx, dx, -dy, dy },
               q[] = { l->x0 - r->x, r->x + r->width - l->x0, l->y0 - r->y, r->y + r->height - l->y0 };

  for (int i = 0; i < 4; i++) {
    if (p[i] == 0 && q[i] < 0)
      return false;
    if (p[i] < 0)
      from = fmax (from, q[i] / p[i]);
    else if (p[i] > 0)
      to = fmin (to, q[i] / p[i]);
  }
  return from <= to;
}

static void
find_seen (Overlay *o)
{
  const SceneModel *m = &o->v->model;

  for (guint i = 0; i < m->labels->len; i++) {
    const SceneLabel *l = &g_array_index (m->labels, SceneLabel, i);
    Seen s = { .label = i };
    if (scene_camera_project (&o->camera, &o->frame, l->at, &s.x, &s.y, &s.depth)) {
      s.radius = l->radius * scene_camera_px (&o->camera, &o->frame, s.depth);
      if (l->quiet || (s.radius >= NAMED && !o->v->hasty)) /* among smaller ones nobody could tell whose name it is */
        g_array_append_val (o->seen, s);
    }
  }
  g_array_sort (o->seen, nearest_first);
  for (guint i = 0; i < m->things->len && o->seen->len > 0 && o->lines->len < LINES_MOST; i++) {
    const SceneThing *t = &g_array_index (m->things, SceneThing, i);
    double depth;
    Line l;
    if (t->radius == 0 && scene_camera_project (&o->camera, &o->frame, t->at, &l.x0, &l.y0, &depth)
        && scene_camera_project (&o->camera, &o->frame, t->end, &l.x1, &l.y1, &depth))
      g_array_append_val (o->lines, l);
  }
}

/* Not over an object that is nearer, nor over another name; no name of an object that is hidden. */
static bool
scene_names_is_free (const Overlay *o, guint i, const cairo_rectangle_t *box)
{
  const Seen *s = &g_array_index (o->seen, Seen, i);
  double middle = box->x + box->width / 2;

  if (box->x <= o->left + 2 || box->x + box->width >= o->right - 2 || box->y <= o->frame.y
      || box->y + box->height >= o->p->scene->height_px - 16)
    return false;
  for (guint k = 0; k < o->taken->len; k++)
    if (meets (box, &g_array_index (o->taken, cairo_rectangle_t, k)))
      return false;
  for (guint k = 0; k < o->seen->len; k++) {
    const Seen *other = &g_array_index (o->seen, Seen, k);
    double dx = fmax (fabs (other->x - middle) - box->width / 2 + 2, 0),
           dy = fmax (fabs (other->y - box->y - 8) - 6, 0);
    if (k == i || other->radius == 0)
      continue;
    if (hypot (dx, dy) <= other->radius
        || (other->depth < s->depth && hypot (other->x - s->x, other->y - s->y) <= other->radius))
      return false;
  }
  return true;
}

/* How many links lie below it. */
static guint
crossed (const Overlay *o, const cairo_rectangle_t *box)
{
  guint n = 0;

  for (guint i = 0; i < o->lines->len; i++)
    n += enters (&g_array_index (o->lines, Line, i), box);
  return n;
}

static void
scene_names_draw_one (Overlay *o, guint i)
{
  const Seen *s = &g_array_index (o->seen, Seen, i);
  const SceneLabel *l = &g_array_index (o->v->model.labels, SceneLabel, s->label);
  int size = l->quiet ? PAINT_SMALL : PAINT_TEXT;
  double width = paint_text_width (o->p, size, l->text), gap = l->quiet ? 2 : 3, far = s->radius + gap;
  /* below, above, to the right, to the left */
  const double to[][2] = {
    { 0, far + HIGH / 2.0 }, { 0, -far - HIGH / 2.0 }, { far + width / 2 + 2, 0 }, { -far - width / 2 - 2, 0 }
  };
  cairo_rectangle_t best = { 0 };
  guint least = G_MAXUINT;

  for (int k = 0; k < (l->quiet ? 1 : 4) && least > 0; k++) {
    cairo_rectangle_t box = { s->x + to[k][0] - width / 2 - 2, s->y + to[k][1] - HIGH / 2.0, width + 4, HIGH };
    guint n = scene_names_is_free (o, i, &box) ? crossed (o, &box) : G_MAXUINT;
    if (n < least) {
      least = n;
      best = box;
    }
  }
  if (least == G_MAXUINT)
    return;
  paint_source (o->p->cr, o->p->paper, least > 0 ? 0.88 : 0.72);
  cairo_rectangle (o->p->cr, best.x, best.y, best.width, best.height);
  cairo_fill (o->p->cr);
  paint_text (o->p, best.x + best.width / 2, best.y + HIGH / 2.0, 0.5, size, l->quiet ? o->p->muted : o->p->ink, 0,
              l->text);
  g_array_append_val (o->taken, best);
}

void
scene_names_draw (SceneView *v, Paint *p)
{
  int eyes = v->stereo == SCENE_SIDE_BY_SIDE ? 2 : 1;

  for (int eye = 0; eye < eyes; eye++) {
    g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (Seen)),
                       lines = g_array_new (FALSE, FALSE, sizeof (Line)),
                       taken = g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));
    Overlay o = {
      v,    p,     v->now, v->frame, v->frame.x + eye * v->frame.width, v->frame.x + (eye + 1) * v->frame.width,
      seen, lines, taken
    };
    if (eyes == 2)
      scene_eye (v, eye, &o.camera, &o.frame);
    find_seen (&o);
    for (guint i = 0; i < seen->len; i++)
      scene_names_draw_one (&o, i);
  }
}

/* ---- the key of links -------------------------------------------------------------------------------------------------- */

static double
draw_key (Paint *p, double x, uint32_t rgb, const char *text)
{
  if (x + 44 + paint_text_width (p, PAINT_TEXT, text) > p->scene->width_px - KEY_LEAVES)
    return x; /* the tasks say more */
  paint_source (p->cr, rgb, 1);
  cairo_move_to (p->cr, x, 12);
  cairo_line_to (p->cr, x + 24, 16);
  cairo_line_to (p->cr, x, 20);
  cairo_close_path (p->cr);
  cairo_fill (p->cr);
  return x + 30 + paint_text (p, x + 30, 16, 0, PAINT_TEXT, p->muted, 0, text) + 14;
}

double
scene_links_key (const SceneView *v, Paint *p, double x)
{
  if (p->scene->keyed && v->model.links == NULL)
    return x;
  if (v->model.links != NULL)
    return draw_key (p, x, v->model.links_rgb, v->model.links);
  for (uint32_t left = v->model.links_met; left != 0; left &= left - 1) {
    uint32_t state = (uint32_t) __builtin_ctz (left);
    g_autofree char *text = g_strdup_printf (_ ("link: %s"), paint_state_word (p->scene->graph, STATE_EDGE, state));
    x = draw_key (p, x, paint_state (p->scene, STATE_EDGE, state), text);
  }
  return x;
}

/* ---- the key of rules -------------------------------------------------------------------------------------------------- */

double
scene_looks_key (const SceneView *v, Paint *p, double y, LookKind kind, uint32_t offers, uint32_t shown)
{
  Looks rules;

  if (!looks_begin (&rules, p->scene, eve_name ((EveComponent *) v), kind, offers) || (rules.channels & shown) == 0)
    return y;
  looks_legend (&rules, p, 16, y, shown);
  return y + RULES_LINE;
}
