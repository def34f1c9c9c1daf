/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-draw.c - paints vertices and links.  A state has a colour and a shape: Busy a disc, Overhead a
 * hexagon, Idle a ring, Talking a square, Dead a crossed disc; a cluster is a pie of its states.  A dead link
 * is dashed. */
#include <math.h>
#include <string.h>
#include "views/dense.h"
#include "views/slots.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/state-graph.h"
#include "views/painter.h"

static const Vertex *
state_graph_draw_vertex (const Picture *p, uint32_t i)
{
  return &g_array_index (p->vertices, Vertex, i);
}

/* A link bends to its right if there is one the other way. */
static void
bend (const Picture *p, const Link *l, double *cx, double *cy)
{
  const Vertex *a = state_graph_draw_vertex (p, l->from), *b = state_graph_draw_vertex (p, l->to);
  double dx = b->x - a->x, dy = b->y - a->y, length = MAX (hypot (dx, dy), 1);
  double away = l->opposite ? MIN (length * 0.12, 34) : 0;

  *cx = (a->x + b->x) / 2 - dy / length * away;
  *cy = (a->y + b->y) / 2 + dx / length * away;
}

/* A link as it is painted: from x0, y0 to the foot of its head, whose tip is at x1, y1. */
typedef struct Curve {
  double x0, y0, x1, y1, cx, cy, ux, uy, head;
  const double *via; /* x and y of the points that it passes, of one that takes a way; NULL: none */
  guint n_via;
} Curve;

static bool
curve_of (const Picture *p, const Link *l, double width, Curve *c)
{
  const Vertex *a = state_graph_draw_vertex (p, l->from), *b = state_graph_draw_vertex (p, l->to);
  double d;

  if (a->present == 0 || b->present == 0 || hypot (b->x - a->x, b->y - a->y) < a->radius + b->radius + 2)
    return false;
  c->head = MAX (CLAMP (5 + width * 1.4, 6, 15), 2.2 * width - 5);
  c->via = NULL;
  c->n_via = 0;
  bend (p, l, &c->cx, &c->cy);
  double out_x = c->cx, out_y = c->cy;
  const Way *way = p->ways != NULL ? &p->ways[l - &g_array_index (p->links, Link, 0)] : NULL;
  if (way != NULL && way->n > 0) {
    c->via = &g_array_index (p->way, double, 2 * way->first);
    c->n_via = way->n;
    out_x = c->via[0], out_y = c->via[1];
    c->cx = c->via[2 * way->n - 2], c->cy = c->via[2 * way->n - 1];
  }
  d = MAX (hypot (out_x - a->x, out_y - a->y), 1);
  c->x0 = a->x + (out_x - a->x) / d * (a->radius + 2);
  c->y0 = a->y + (out_y - a->y) / d * (a->radius + 2);
  d = MAX (hypot (b->x - c->cx, b->y - c->cy), 1);
  c->ux = (b->x - c->cx) / d;
  c->uy = (b->y - c->cy) / d;
  c->x1 = b->x - c->ux * (b->radius + 3);
  c->y1 = b->y - c->uy * (b->radius + 3);
  return true;
}

static void
state_graph_draw_add_line (cairo_t *cr, const Curve *c, bool straight)
{
  double x = c->x1 - c->ux * c->head * 0.8, y = c->y1 - c->uy * c->head * 0.8;

  cairo_move_to (cr, c->x0, c->y0);
  for (guint i = 0; i < c->n_via; i++)
    cairo_line_to (cr, c->via[2 * i], c->via[2 * i + 1]);
  if (straight || c->n_via > 0)
    cairo_line_to (cr, x, y);
  else
    cairo_curve_to (cr, c->x0 + (c->cx - c->x0) * 2 / 3, c->y0 + (c->cy - c->y0) * 2 / 3, x + (c->cx - x) * 2 / 3,
                    y + (c->cy - y) * 2 / 3, x, y);
}

static void
state_graph_draw_add_head (cairo_t *cr, const Curve *c)
{
  double x = c->x1 - c->ux * c->head, y = c->y1 - c->uy * c->head, side = c->head * 0.42;

  cairo_move_to (cr, c->x1, c->y1);
  cairo_line_to (cr, x - c->uy * side, y + c->ux * side);
  cairo_line_to (cr, x + c->uy * side, y - c->ux * side);
  cairo_close_path (cr);
}

/* ---- marks --------------------------------------------------------------------------------------------- */

#define NEAR 4.0 /* px beside a link */
#define BENT 7   /* points of one that bends */

static const char *
interned (const char *text)
{
  return g_intern_string (text);
}

/* Appends x and y of points along the middle of a link; none: its ends are too near. */
bool
state_graph_add_points (const Picture *p, guint i, GArray *to)
{
  const Link *l = &g_array_index (p->links, Link, i);
  guint n = l->opposite ? BENT : 2;
  Curve c;

  if (!curve_of (p, l, 1, &c))
    return false;
  if (c.n_via > 0) {
    g_array_append_vals (to, &c.x0, 2); /* and y0 */
    g_array_append_vals (to, c.via, 2 * c.n_via);
    g_array_append_vals (to, &c.x1, 2);
    return true;
  }
  for (guint k = 0; k < n; k++) {
    double t = (double) k / (n - 1), a = (1 - t) * (1 - t), b = 2 * t * (1 - t), e = t * t;
    double cx = l->opposite ? c.cx : (c.x0 + c.x1) / 2, cy = l->opposite ? c.cy : (c.y0 + c.y1) / 2;
    double at[2] = { a * c.x0 + b * cx + e * c.x1, a * c.y0 + b * cy + e * c.y1 };
    g_array_append_vals (to, at, 2);
  }
  return true;
}

static void
mark_link (Drawing *d, const ViewScene *scene, const Picture *p, guint i)
{
  const Link *l = &g_array_index (p->links, Link, i);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (double));
  DrawingTag tag = { DRAWING_NO_DATES,
                     .what = trace_ref_task (scene->source->number, state_graph_draw_vertex (p, l->from)->task),
                     .other = trace_ref_task (scene->source->number, state_graph_draw_vertex (p, l->to)->task),
                     .attribute = interned (paint_state_attribute (scene->graph, STATE_EDGE)),
                     .value = interned (paint_state_name (scene->graph, STATE_EDGE, l->state)),
                     .index = i,
                     .part = STATE_GRAPH_LINK };

  if (state_graph_add_points (p, i, points))
    drawing_mark_line (d, (const double *) points->data, points->len / 2, NEAR, &tag);
}

void
state_graph_mark (Drawing *d, const ViewScene *scene, const Picture *p)
{
  for (guint i = 0; i < p->vertices->len && drawing_room (d) > 0; i++) {
    const Vertex *v = state_graph_draw_vertex (p, i);
    DrawingTag tag = { DRAWING_NO_DATES,
                       .what = trace_ref_task (scene->source->number, v->task),
                       .attribute = interned (paint_state_attribute (scene->graph, STATE_NODE)),
                       .value = interned (paint_state_name (scene->graph, STATE_NODE, state_graph_state (v))),
                       .index = i,
                       .part = STATE_GRAPH_VERTEX };
    if (v->n > 1) { /* its middle is its own; what its tasks do, its ring has */
      tag.attribute = LOOKS_OF_GROUP;
      tag.value = interned (v->group != NULL ? v->group : v->name);
    }
    if (v->present > 0)
      drawing_mark_disc (d, v->x, v->y, v->radius, &tag);
    state_graph_mark_label (d, p, i, &tag);
  }
  if (p->links->len > 2000 && drawing_later (d))
    return;
  for (guint i = p->links->len; i-- > 0 && drawing_room (d) > 0;)
    mark_link (d, scene, p, i);
  state_graph_mark_wires (d, scene, p);
}

static bool
is_quiet (const ViewScene *scene, uint32_t state)
{
  StateSense sense = paint_state_sense (scene->graph, STATE_EDGE, state);

  return sense == STATE_SENSE_GONE || sense == STATE_SENSE_REST;
}

#define BEND_PX 24.0 /* of a crowd: pieces of a bend are as long */

/* The same as add_line() and add_head(), of a crowd. */
static void
state_graph_draw_put_link (Dense *d, const Curve *c, bool straight, double width, bool dashed)
{
  double tip = c->head * 0.8, x = c->x0, y = c->y0, end_x = c->x1 - c->ux * tip, end_y = c->y1 - c->uy * tip;
  guint n = c->n_via > 0 ? c->n_via + 1 : straight ? 1 : (guint) CLAMP (hypot (end_x - x, end_y - y) / BEND_PX, 2, 40);

  for (guint k = 1; k <= n; k++) {
    double t = (double) k / n, to_x = end_x, to_y = end_y;
    if (k < n && c->n_via > 0) {
      to_x = c->via[2 * k - 2], to_y = c->via[2 * k - 1];
    } else if (k < n) {
      to_x = (1 - t) * (1 - t) * c->x0 + 2 * t * (1 - t) * c->cx + t * t * end_x;
      to_y = (1 - t) * (1 - t) * c->y0 + 2 * t * (1 - t) * c->cy + t * t * end_y;
    }
    if (dashed)
      dense_dashes (d, x, y, to_x, to_y, width, 4);
    else
      dense_line (d, x, y, to_x, to_y, width);
    x = to_x, y = to_y;
  }
}

static void
state_graph_draw_put_head (Dense *d, const Curve *c)
{
  double x = c->x1 - c->ux * c->head, y = c->y1 - c->uy * c->head, side = c->head * 0.42;

  dense_triangle (d, (const double[]){ c->x1, x - c->uy * side, x + c->uy * side },
                  (const double[]){ c->y1, y + c->ux * side, y - c->ux * side });
}

/* Of one state and one width, as one path: a crowd of links costs little, and where they cross they do not add up.
 * `pixels`: of a crowd those of the picture, else NULL. */
static void
draw_alike (Paint *paint, const Picture *p, guint from, guint to, double width, Dense *pixels)
{
  const Link *first = &g_array_index (p->links, Link, from);
  bool dead = paint_state_sense (paint->scene->graph, STATE_EDGE, first->state) == STATE_SENSE_GONE;
  uint32_t rgb = paint_state (paint->scene, STATE_EDGE, first->state);
  cairo_t *cr = paint->cr;
  Curve c;

  /* a crowd of links is a background: what it joins must be seen through it; bundles leave enough of that free */
  double crowd = p->links->len > 400 ? fmax (400.0 / p->links->len, 0.15) : 1;
  double alpha = p->n_bundled > 0                                              ? 0.85
                 : p->links->len > 60 && is_quiet (paint->scene, first->state) ? 0.6 * crowd
                                                                               : fmax (crowd, width > 2 ? 0.7 : 0.3);
  for (int heads = 0; pixels != NULL && heads < 2; heads++) {
    dense_colour (pixels, rgb, alpha);
    for (guint i = from; i < to; i++) {
      const Link *l = &g_array_index (p->links, Link, i);
      if (curve_of (p, l, width, &c))
        heads ? state_graph_draw_put_head (pixels, &c)
              : state_graph_draw_put_link (pixels, &c, !l->opposite, width, dead);
    }
  }
  if (pixels != NULL)
    return;
  paint_source (cr, rgb, alpha);
  cairo_set_line_width (cr, width);
  if (dead)
    cairo_set_dash (cr, (const double[]){ 4, 4 }, 2, 0);
  cairo_new_path (cr);
  for (guint i = from; i < to; i++) {
    const Link *l = &g_array_index (p->links, Link, i);
    if (curve_of (p, l, width, &c))
      state_graph_draw_add_line (cr, &c, !l->opposite);
  }
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  for (guint i = from; i < to; i++)
    if (curve_of (p, &g_array_index (p->links, Link, i), width, &c))
      state_graph_draw_add_head (cr, &c);
  cairo_fill (cr);
}

/* The width of the line; the links are in order of state, then of what passed, so that those alike are neighbours. */
static double
width_for (const Picture *p, double total, double most)
{
  double widest = p->topology != NULL ? 2 : p->vertices->len <= 20 ? 7 : p->clusters ? 6 : 4;
  double thinnest = p->topology != NULL ? 1 : p->links->len > 400 ? 0.6 : p->links->len > 60 ? 0.9 : 1.4;
  double width = thinnest + (widest - thinnest) * (most > 0 ? sqrt (total / most) : 0);

  return p->links->len > 60 ? thinnest + round ((width - thinnest) * 4) / 4 : width;
}

static double
state_graph_draw_width_of (const Picture *p, const Link *l, double most)
{
  return width_for (p, l->total, most);
}

/* Those that are selected have a glow. */
static void
state_graph_draw_chosen (Paint *paint, const Picture *p, double most)
{
  for (guint i = 0; i < p->links->len; i++) {
    const Link *l = &g_array_index (p->links, Link, i);
    double width = l->chosen ? state_graph_draw_width_of (p, l, most) : 0;
    Curve c;
    if (!l->chosen || !curve_of (p, l, width, &c))
      continue;
    paint_source (paint->cr, DRAWING_ACCENT, 0.45);
    cairo_set_line_width (paint->cr, width + 7);
    cairo_new_path (paint->cr);
    state_graph_draw_add_line (paint->cr, &c, !l->opposite);
    cairo_stroke (paint->cr);
  }
}

/* One that rules say something of; what they do not say is as ever. */
static void
draw_looked (Paint *paint, const Picture *p, guint i, double most)
{
  const Link *l = &g_array_index (p->links, Link, i);
  const Look *look = &p->link_looks[i];
  double width = LOOK_HAS (look, LOOK_WIDTH) ? look->width : state_graph_draw_width_of (p, l, most);
  bool dead = paint_state_sense (paint->scene->graph, STATE_EDGE, l->state) == STATE_SENSE_GONE;
  cairo_t *cr = paint->cr;
  Curve c;

  if (width <= 0 || !curve_of (p, l, width, &c))
    return;
  paint_source (cr, LOOK_HAS (look, LOOK_COLOUR) ? look->rgb : paint_state (paint->scene, STATE_EDGE, l->state),
                LOOK_HAS (look, LOOK_OPACITY) ? look->opacity : 1);
  cairo_set_line_width (cr, width);
  looks_set_dash (cr, LOOK_HAS (look, LOOK_DASH) ? look->dash : dead ? DASH_DASHED : DASH_SOLID, width);
  cairo_new_path (cr);
  state_graph_draw_add_line (cr, &c, !l->opposite);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  state_graph_draw_add_head (cr, &c);
  cairo_fill (cr);
}

#define CROWD 200 /* links */

static void
draw_links (Paint *paint, const Picture *p, double most)
{
  guint to;

  state_graph_draw_chosen (paint, p, most);
  for (guint i = 0; p->link_looks != NULL && i < p->links->len; i++)
    draw_looked (paint, p, i, most);
  if (p->link_looks != NULL)
    return;
  Dense dense;
  bool on_pixels = p->links->len > CROWD && dense_begin (&dense, paint->cr);
  if (on_pixels)
    dense_gather (&dense);
  cairo_save (paint->cr);
  if (p->links->len > CROWD) /* nobody sees how round each is */
    cairo_set_tolerance (paint->cr, p->links->len > 1000 ? 1 : 0.25),
        cairo_set_antialias (paint->cr, CAIRO_ANTIALIAS_FAST);
  for (guint i = 0; i < p->links->len; i = to) {
    const Link *l = &g_array_index (p->links, Link, i);
    double width = state_graph_draw_width_of (p, l, most);
    for (to = i + 1; to < p->links->len; to++) {
      const Link *next = &g_array_index (p->links, Link, to);
      if (next->state != l->state || state_graph_draw_width_of (p, next, most) != width)
        break;
    }
    draw_alike (paint, p, i, to, width, on_pixels ? &dense : NULL);
  }
  cairo_restore (paint->cr);
  if (on_pixels)
    dense_end (&dense);
}

/* ---- vertices ------------------------------------------------------------------------------------------ */

#define MIDDLE 0.56 /* of the radius of a group's ring */

#define SEEN_PX 2.5 /* of a ring, for one among thousands */

/* The part of a ring, in radians, that each state has: its share, and so much at least that it is seen, which the
 * largest one gives. */
static void
share_ring (const Vertex *v, double part[VERTEX_STATES])
{
  uint32_t most = state_graph_state (v);
  double least = SEEN_PX / MAX (v->radius, 1), given = 0;

  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    part[s] = 2 * G_PI * v->in_state[s] / MAX (v->n, 1);
    if (s == most || part[s] <= 0 || part[s] >= least)
      continue;
    given += least - part[s];
    part[s] = least;
  }
  part[most] = MAX (part[most] - given, 0);
}

/* A ring of the states of its tasks, around a middle of the colour `rgb`; `of_state`: their colours. */
static uint32_t
draw_pie (Paint *p, const Vertex *v, uint32_t rgb, const uint32_t *of_state)
{
  double angle = -G_PI / 2, parts[VERTEX_STATES];
  cairo_t *cr = p->cr;

  share_ring (v, parts);

  paint_source (cr, p->unknown, 1);
  cairo_arc (cr, v->x, v->y, v->radius, 0, 2 * G_PI);
  cairo_fill (cr);
  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    double part = parts[s];
    if (part <= 0)
      continue;
    paint_source (cr, of_state[s], 1);
    cairo_move_to (cr, v->x, v->y);
    cairo_arc (cr, v->x, v->y, v->radius, angle, angle + part);
    cairo_close_path (cr);
    cairo_fill (cr);
    angle += part;
  }
  paint_source (cr, rgb, 1);
  cairo_arc (cr, v->x, v->y, v->radius * MIDDLE, 0, 2 * G_PI);
  cairo_fill (cr);
  return paint_ink_on (rgb);
}

uint32_t
state_graph_state (const Vertex *v)
{
  uint32_t best = 0;

  for (uint32_t s = 1; s < VERTEX_STATES; s++)
    if (v->in_state[s] > v->in_state[best])
      best = s;
  return best;
}

/* The shape of a task, or the ring of a group, and what rules say of it. */
static uint32_t
draw_task (Paint *paint, const Picture *p, guint i, uint32_t state, const uint32_t *of_state)
{
  static const Look none = { .opacity = 1 };
  const Vertex *v = state_graph_draw_vertex (p, i);
  const Look *look = p->task_looks != NULL ? &p->task_looks[i] : &none;
  bool group = v->n > 1;
  uint32_t rgb = LOOK_HAS (look, LOOK_COLOUR) ? look->rgb
                 : group                      ? paint->paper
                                              : of_state[MIN (state, VERTEX_STATES - 1)];
  cairo_t *cr = paint->cr;

  if (LOOK_HAS (look, LOOK_OPACITY))
    cairo_push_group (cr);
  uint32_t ink = group                         ? draw_pie (paint, v, rgb, of_state)
                 : LOOK_HAS (look, LOOK_SHAPE) ? paint_shape_of (paint, v->x, v->y, v->radius, look->shape, rgb)
                                               : paint_shape_in (paint, v->x, v->y, v->radius, state, rgb);
  if (!group && fabs (paint_lightness (rgb) - paint_lightness (paint->paper)) < 0.08) { /* on paper nobody sees it */
    cairo_arc (cr, v->x, v->y, v->radius, 0, 2 * G_PI);
    paint_source (cr, paint->faint, 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
  if (!group && LOOK_HAS (look, LOOK_CHART))
    looks_draw_chart (paint, v->x, v->y, v->radius, look);
  else if (!group && LOOK_HAS (look, LOOK_FILL))
    looks_draw_fill (paint, v->x, v->y, v->radius, look->fill, rgb);
  if (LOOK_HAS (look, LOOK_PATTERN)) {
    cairo_new_path (cr);
    cairo_arc (cr, v->x, v->y, group ? v->radius * MIDDLE : v->radius, 0, 2 * G_PI);
    looks_fill_pattern (cr, look->pattern, ink);
    cairo_new_path (cr);
  }
  double outline = LOOK_HAS (look, LOOK_WIDTH) ? look->width : LOOK_HAS (look, LOOK_DASH) ? 2 : 0;
  if (outline > 0) {
    cairo_arc (cr, v->x, v->y, v->radius + outline / 2, 0, 2 * G_PI);
    paint_source (cr, paint->ink, 1);
    cairo_set_line_width (cr, outline);
    looks_set_dash (cr, LOOK_HAS (look, LOOK_DASH) ? look->dash : DASH_SOLID, outline);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
  }
  if (LOOK_HAS (look, LOOK_OPACITY)) {
    cairo_pop_group_to_source (cr);
    cairo_paint_with_alpha (cr, look->opacity);
    if (look->opacity < 0.5)
      ink = paint->ink;
  }
  return ink;
}

/* What went between tasks of one vertex is a loop: its radius, without its width; 0: nothing went. */
double
state_graph_loop (const Vertex *v, double *x, double *y)
{
  double r = CLAMP (v->radius * 0.6, 4, 16), away = (v->radius + r / 2) * G_SQRT2 / 2;

  *x = v->x + away;
  *y = v->y - away;
  return v->inside > 0 ? r : 0;
}

/* As wide as a link of so much. */
static void
draw_inside (Paint *paint, const Picture *p, const Vertex *v, double most)
{
  double width = width_for (p, v->inside, most), x, y, r = state_graph_loop (v, &x, &y);

  if (r <= 0)
    return;
  paint_source (paint->cr, paint->muted, 0.8);
  cairo_set_line_width (paint->cr, width);
  cairo_new_path (paint->cr);
  cairo_arc (paint->cr, x, y, r + width / 2, 0, 2 * G_PI);
  cairo_stroke (paint->cr);
}

#define DISC_AROUND 8.0 /* px that a vertex takes beyond its disc, where it is selected */
#define GAP 2.0         /* where it is not */

/* What is needed for a vertex without its name. */
typedef struct Discs {
  const Paint *paint;
  const Picture *p;
  double most;
  uint32_t of_state[VERTEX_STATES]; /* colours */
  uint32_t *ink;                    /* of each name */
  const bool *named;                /* whether it has its name inside */
  double top, bottom;               /* of all that is painted */
} Discs;

static uint32_t
draw_disc (Paint *paint, const Discs *d, guint i)
{
  const Vertex *v = state_graph_draw_vertex (d->p, i);

  draw_inside (paint, d->p, v, d->most);
  /* A gap of paper sets it off from links that pass behind. */
  paint_source (paint->cr, paint->paper, 1);
  cairo_arc (paint->cr, v->x, v->y, v->radius + GAP, 0, 2 * G_PI);
  cairo_fill (paint->cr);
  uint32_t ink = draw_task (paint, d->p, i, state_graph_state (v), d->of_state);
  if (v->chosen) {
    paint_source (paint->cr, DRAWING_ACCENT, 1);
    cairo_set_line_width (paint->cr, 3);
    cairo_arc (paint->cr, v->x, v->y, v->radius + 5, 0, 2 * G_PI);
    cairo_stroke (paint->cr);
  }
  return ink;
}

static void
draw_some_discs (void *arg, cairo_t *cr)
{
  const Discs *d = arg;
  Paint paint = *d->paint;
  double left, top, right, bottom;

  paint.cr = cr;
  cairo_clip_extents (cr, &left, &top, &right, &bottom);
  for (guint i = 0; i < d->p->vertices->len; i++) {
    const Vertex *v = state_graph_draw_vertex (d->p, i);
    double around = v->radius + DISC_AROUND, x, y, r = state_graph_loop (v, &x, &y),
           loop_top = r > 0 ? y - r - width_for (d->p, v->inside, d->most) - 1 : y;
    if (v->present == 0 || v->y + around < top || MIN (v->y - around, loop_top) > bottom)
      continue;
    uint32_t ink = draw_disc (&paint, d, i);
    /* of several bands that it is in, one tells: that of its middle, or the nearest to it */
    if ((v->y >= top || top <= d->top) && (v->y < bottom || bottom >= d->bottom))
      d->ink[i] = ink;
  }
}

#define DISCS_LEAST 16 /* fewer are not worth a thread, */
#define DISCS_MOST 256 /* and of more it is not asked which lie on each other */

static bool
discs_meet (double x0, double y0, double r0, double x1, double y1, double r1)
{
  return (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0) < (r0 + r1) * (r0 + r1);
}

/* Whether none lies on the name inside another, so that all discs may come before all names; and nothing of them is to
 * be looked up. */
static bool
stand_apart (const Discs *d)
{
  const Picture *p = d->p;

  if (p->vertices->len < DISCS_LEAST || p->vertices->len > DISCS_MOST || p->task_looks != NULL)
    return false;
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *a = state_graph_draw_vertex (p, i);
    double x, y, r = state_graph_loop (a, &x, &y), wide = r + width_for (p, a->inside, d->most);
    for (guint k = 0; a->present > 0 && k < p->vertices->len; k++) {
      const Vertex *b = state_graph_draw_vertex (p, k);
      double name = b->n > 1 ? b->radius * MIDDLE : b->radius;
      if (k == i || !d->named[k])
        continue;
      if (discs_meet (a->x, a->y, a->radius + (a->chosen ? DISC_AROUND : GAP), b->x, b->y, name)
          || (r > 0 && discs_meet (x, y, wide, b->x, b->y, name)))
        return false;
    }
  }
  return true;
}

static void
draw_vertices (Paint *paint, const Picture *p, double most)
{
  g_autofree uint32_t *ink = g_new0 (uint32_t, p->vertices->len + 1);
  g_autofree bool *named = g_new0 (bool, p->vertices->len + 1);
  Discs d = { .paint = paint, .p = p, .most = most, .ink = ink, .named = named };

  uint32_t states = 1; /* those of which there are tasks, and the first, where there are none */
  for (guint i = 0; i < p->vertices->len; i++)
    for (uint32_t s = 0; s < VERTEX_STATES; s++)
      states |= (uint32_t) (state_graph_draw_vertex (p, i)->in_state[s] > 0) << s;
  for (uint32_t s = 0; s < VERTEX_STATES; s++)
    if (states >> s & 1)
      d.of_state[s] = paint_state (paint->scene, STATE_NODE, s);
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = state_graph_draw_vertex (p, i);
    char count[16];
    g_snprintf (count, sizeof count, "%u", v->n);
    named[i] = v->present > 0 && state_graph_names_inside (paint, p, i, v->n > 1 ? count : v->name);
  }
  bool apart = stand_apart (&d);
  cairo_clip_extents (paint->cr, &(double){ 0 }, &d.top, &(double){ 0 }, &d.bottom);
  if (apart)
    dense_bands (paint->cr, draw_some_discs, &d);
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = state_graph_draw_vertex (p, i);
    char count[16];
    if (v->present > 0 && !apart)
      ink[i] = draw_disc (paint, &d, i);
    if (!named[i])
      continue;
    g_snprintf (count, sizeof count, "%u", v->n);
    paint_text (paint, v->x, v->y, 0.5, PAINT_TEXT | PAINT_BOLD, ink[i], 0, v->n > 1 ? count : v->name);
  }
  state_graph_draw_labels (paint, p);
}

/* ---- legend -------------------------------------------------------------------------------------------- */

/* What a legend names, from x to `end`. */
static void
state_graph_draw_mark_legend (Paint *p, double x, double end, StateScope scope, uint32_t state)
{
  drawing_area (p->drawing, x, 7, end - x, 18,
                &(DrawingTag){ DRAWING_NO_DATES, .attribute = interned (paint_state_attribute (p->scene->graph, scope)),
                               .value = interned (paint_state_name (p->scene->graph, scope, state)), .index = state,
                               .part = DRAWING_LEGEND });
}

/* Whether rules give the colours of tasks to another attribute than the state. */
static bool
coloured_otherwise (const Picture *p, const Paint *paint)
{
  return p->task_looks != NULL && p->tasks.channels >> LOOK_COLOUR & 1 && p->tasks.role[LOOK_COLOUR] != STATE_ROLE_STATE
         && paint->scene->graph != NULL;
}

static bool
shaped_otherwise (const Picture *p)
{
  return p->task_looks != NULL && p->tasks.channels >> LOOK_SHAPE & 1;
}

/* The shapes of tasks, or the colours of a cluster's parts; gives where it ends. */
static double
draw_task_legend (Paint *paint, const Picture *p, uint32_t states, const double *shares)
{
  double x = 16;

  if (p->clusters)
    return paint_legend (paint, x, 16, STATE_NODE, NULL, states, shares);
  if (paint->scene->keyed && shares == NULL)
    return x;
  bool otherwise = coloured_otherwise (p, paint), shaped = shaped_otherwise (p);
  if (otherwise && shaped) /* nothing says what a task does */
    return x;
  for (; states != 0; states &= states - 1) {
    uint32_t state = (uint32_t) __builtin_ctz (states);
    const char *name = paint_state_word (paint->scene->graph, STATE_NODE, state);
    g_autofree char *share = shares != NULL ? number_percent (100 * shares[state], 1) : NULL;
    g_autofree char *text = g_strjoin (" ", name, share, NULL);
    double begin = x;
    if (shaped)
      paint_shape_of (paint, x + 6, 16, 6, PAINT_DISC, paint_state (paint->scene, STATE_NODE, state));
    else if (otherwise) /* the shape alone says what it is */
      paint_shape_in (paint, x + 6, 16, 6, state, paint->muted);
    else
      paint_shape (paint, x + 6, 16, 6, state);
    x += 18;
    x += paint_text (paint, x, 16, 0, PAINT_TEXT, paint->ink, 0, text) + 18;
    state_graph_draw_mark_legend (paint, begin, x - 12, STATE_NODE, state);
  }
  return x;
}

/* A link of each state there is. */
static double
draw_link_legend (Paint *paint, const Picture *p, double x)
{
  uint32_t states = 0;

  if (paint->scene->keyed)
    return x;
  for (guint i = 0; i < p->links->len; i++)
    states |= 1u << (g_array_index (p->links, Link, i).state & 31);
  x += 14;
  for (; states != 0; states &= states - 1) {
    uint32_t state = (uint32_t) __builtin_ctz (states);
    const char *name = paint_state_word (paint->scene->graph, STATE_EDGE, state);
    Curve c = { .x0 = x, .y0 = 16, .x1 = x + 26, .y1 = 16, .ux = 1, .head = 8 };
    if (x + 44 + paint_text_width (paint, PAINT_TEXT, name) > paint->scene->width_px - 240)
      return x; /* the tasks say more */
    paint_source (paint->cr, paint_state (paint->scene, STATE_EDGE, state), 1);
    cairo_set_line_width (paint->cr, 2);
    if (paint_state_sense (paint->scene->graph, STATE_EDGE, state) == STATE_SENSE_GONE)
      cairo_set_dash (paint->cr, (const double[]){ 4, 4 }, 2, 0);
    cairo_new_path (paint->cr);
    state_graph_draw_add_line (paint->cr, &c, true);
    cairo_stroke (paint->cr);
    cairo_set_dash (paint->cr, NULL, 0, 0);
    state_graph_draw_add_head (paint->cr, &c);
    cairo_fill (paint->cr);
    double begin = x;
    x += 32;
    x += paint_text (paint, x, 16, 0, PAINT_TEXT, paint->muted, 0, name) + 16;
    state_graph_draw_mark_legend (paint, begin, x - 10, STATE_EDGE, state);
  }
  return x;
}

void
state_graph_draw (Paint *paint, const Picture *p)
{
  const ViewScene *scene = paint->scene;
  double most = 0, shares[VERTEX_STATES] = { 0 }, x;
  uint32_t present = 0, states = 0, in_state[VERTEX_STATES] = { 0 };

  for (guint i = 0; i < p->links->len; i++)
    most = MAX (most, g_array_index (p->links, Link, i).total);
  bool loop = false;
  for (guint i = 0; i < p->vertices->len; i++) {
    loop |= state_graph_draw_vertex (p, i)->inside > most;
    most = MAX (most, state_graph_draw_vertex (p, i)->inside);
  }
  state_graph_draw_axes (paint, p);
  state_graph_draw_wires (paint, p);
  draw_links (paint, p, most);
  state_graph_draw_nodes (paint, p);
  draw_vertices (paint, p, most);
  for (guint i = 0; i < p->vertices->len; i++) {
    present += state_graph_draw_vertex (p, i)->present;
    for (uint32_t s = 0; s < VERTEX_STATES; s++)
      in_state[s] += state_graph_draw_vertex (p, i)->in_state[s];
  }
  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    states |= in_state[s] > 0 ? 1u << s : 0;
    shares[s] = present > 0 ? (double) in_state[s] / present : 0;
  }
  for (guint i = 0; p->task_looks != NULL && i < p->vertices->len; i++) /* what charts inside of tasks are of */
    for (int k = 0; LOOK_HAS (&p->task_looks[i], LOOK_CHART) && k < p->task_looks[i].n_shares; k++)
      states |= 1u << (p->task_looks[i].share_of[k] & 31);
  x = draw_task_legend (paint, p, states, present > 20 ? shares : NULL);
  x = draw_link_legend (paint, p, x);
  if (p->task_looks != NULL)
    looks_legend (&p->tasks, paint, 16, 36, ~LOOKS_PLACES);
  if (p->together.channels != 0)
    looks_legend (&p->together, paint, 16, (p->tasks.channels & ~LOOKS_PLACES) != 0 ? 36 + STATE_GRAPH_KEY_PX : 36,
                  ~0u);
  if (p->link_looks != NULL)
    looks_legend (&p->between, paint, 16, 18 + p->key_px, ~0u);
  if (scene->at != INT64_MIN) {
    g_autofree char *date = axis_date (&scene->source->clock, scene->at, -1), *bytes = paint_bytes (most);
    g_autoptr (GString) note = g_string_new (NULL);
    if (!scene->keyed) /* else it stands in a pane, above which the date is told */
      g_string_append_printf (note, _ ("at %s; "), date);
    if (most > 0)
      g_string_append_printf (note, loop ? _ ("widest loop %s; ") : _ ("widest link %s; "), bytes);
    paint_end_note (note);
    if (p->n_hidden > 0)
      paint_tell (note, _ ("; %u hidden"), p->n_hidden);
    if (p->n_mixed > 0)
      paint_tell (note, P_ ("; in %u group rules differ", "; in %u groups rules differ", p->n_mixed), p->n_mixed);
    if (p->crowded)
      paint_tell (note, _ ("; too many to show each: in %u groups"), p->vertices->len);
    state_graph_note_wires (p, note);
    if (p->n_bundled > 0)
      paint_tell (note, P_ ("; %u link runs in a bundle", "; %u links run in bundles", p->n_bundled), p->n_bundled);
    if (p->topology_problem != NULL)
      g_string_append_printf (note, "%s%s", _ ("; "), p->topology_problem);
    if (p->n_left_out > 0)
      paint_tell (note, _ ("; %u below, for the layout has no place for them"), p->n_left_out);
    if (p->n_nowhere > 0)
      paint_tell (note, P_ ("; %u task is on no node", "; %u tasks are on no node", p->n_nowhere), p->n_nowhere);
    if (p->n_wayless > 0)
      paint_tell (note, P_ ("; no wires lead along %u link", "; no wires lead along %u links", p->n_wayless),
                  p->n_wayless);
    const char *from = note->str; /* where none stands before */
    while (*from == ';' || g_unichar_isspace (g_utf8_get_char (from)))
      from = g_utf8_next_char (from);
    paint_note (paint, x, 16, from);
  }
  uint32_t gone = 0;
  for (uint32_t s = 0; s < VERTEX_STATES; s++)
    gone += paint_state_sense (scene->graph, STATE_NODE, s) == STATE_SENSE_GONE ? in_state[s] : 0;
  if (present > 0 && gone == present) {
    const char *text = present == 1 ? _ ("The task has ended by then: an earlier instant shows it at work")
                                    : _ ("All tasks have ended by then: an earlier instant shows them at work");
    double room = scene->width_px - 24, width = MIN (paint_text_width (paint, PAINT_SMALL, text), room) + 8;
    /* Where there is little room labels of tasks lie as low. */
    drawing_rect (paint->drawing, (scene->width_px - width) / 2, scene->height_px - 17, width, 16, paint->paper, 1,
                  NULL);
    paint_text (paint, scene->width_px / 2, scene->height_px - 9, 0.5, PAINT_SMALL, paint->muted, room, text);
  }
  if (present == 0)
    paint_sentence (paint, p->nothing_came ? N_ ("No message has come by its wire until this instant")
                           : p->n_hidden > 0
                               ? N_ ("All tasks are hidden by a rule")
                               : N_ ("No task lives at this instant: press Play, or click in the time bar"));
}
