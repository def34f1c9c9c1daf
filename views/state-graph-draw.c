/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-draw.c - paints vertices and links.  A state has a colour and a shape: Busy a disc, Overhead a
 * hexagon, Idle a ring, Talking a square, Dead a crossed disc; a cluster is a pie of its states.  A dead link
 * is dashed. */
#include <math.h>
#include <string.h>
#include "views/state-graph.h"

static const Vertex *
vertex (const Picture *p, uint32_t i)
{
  return &g_array_index (p->vertices, Vertex, i);
}

/* A link bends to its right if there is one the other way. */
static void
bend (const Picture *p, const Link *l, double *cx, double *cy)
{
  const Vertex *a = vertex (p, l->from), *b = vertex (p, l->to);
  double dx = b->x - a->x, dy = b->y - a->y, length = MAX (hypot (dx, dy), 1);
  double away = l->opposite ? MIN (length * 0.12, 34) : 0;

  *cx = (a->x + b->x) / 2 - dy / length * away;
  *cy = (a->y + b->y) / 2 + dx / length * away;
}

void
state_graph_middle (const Picture *p, const Link *l, double *x, double *y)
{
  const Vertex *a = vertex (p, l->from), *b = vertex (p, l->to);
  double cx, cy;

  bend (p, l, &cx, &cy);
  *x = (a->x + 2 * cx + b->x) / 4;
  *y = (a->y + 2 * cy + b->y) / 4;
}

static void
draw_link (Paint *paint, const Picture *p, const Link *l, double most, double thinnest, double widest)
{
  const Vertex *a = vertex (p, l->from), *b = vertex (p, l->to);
  uint32_t rgb = paint_state (paint->scene, STATE_EDGE, l->state);
  const char *name = paint_state_name (paint->scene->graph, STATE_EDGE, l->state);
  double width = thinnest + (widest - thinnest) * (most > 0 ? sqrt (l->total / most) : 0), cx, cy, d, ux, uy,
         x0, y0, x1, y1;
  double head = CLAMP (5 + width * 1.4, 6, 15);
  bool dead = strcmp (name, "Dead") == 0, quiet = dead || strcmp (name, "Unused") == 0;
  cairo_t *cr = paint->cr;

  if (a->present == 0 || b->present == 0 || hypot (b->x - a->x, b->y - a->y) < a->radius + b->radius + 2)
    return;
  bend (p, l, &cx, &cy);
  d = MAX (hypot (cx - a->x, cy - a->y), 1);
  x0 = a->x + (cx - a->x) / d * (a->radius + 2);
  y0 = a->y + (cy - a->y) / d * (a->radius + 2);
  d = MAX (hypot (b->x - cx, b->y - cy), 1);
  ux = (b->x - cx) / d;
  uy = (b->y - cy) / d;
  x1 = b->x - ux * (b->radius + 3);
  y1 = b->y - uy * (b->radius + 3);
  paint_source (cr, rgb, quiet && p->links->len > 60 ? 0.6 : 1);
  cairo_set_line_width (cr, width);
  if (dead)
    cairo_set_dash (cr, (const double[]){ 4, 4 }, 2, 0);
  cairo_move_to (cr, x0, y0);
  cairo_curve_to (cr, x0 + (cx - x0) * 2 / 3, y0 + (cy - y0) * 2 / 3,
                  x1 - ux * head * 0.8 + (cx - x1) * 2 / 3, y1 - uy * head * 0.8 + (cy - y1) * 2 / 3,
                  x1 - ux * head * 0.8, y1 - uy * head * 0.8);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x1 - ux * head - uy * head * 0.42, y1 - uy * head + ux * head * 0.42);
  cairo_line_to (cr, x1 - ux * head + uy * head * 0.42, y1 - uy * head - ux * head * 0.42);
  cairo_close_path (cr);
  cairo_fill (cr);
}

/* ---- vertices ------------------------------------------------------------------------------------------ */

static uint32_t
draw_pie (Paint *p, const Vertex *v)
{
  double angle = -G_PI / 2;
  cairo_t *cr = p->cr;

  paint_source (cr, p->unknown, 1);
  cairo_arc (cr, v->x, v->y, v->radius, 0, 2 * G_PI);
  cairo_fill (cr);
  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    double part = 2 * G_PI * v->in_state[s] / MAX (v->n, 1);
    if (part <= 0)
      continue;
    paint_source (cr, paint_state (p->scene, STATE_NODE, s), 1);
    cairo_move_to (cr, v->x, v->y);
    cairo_arc (cr, v->x, v->y, v->radius, angle, angle + part);
    cairo_close_path (cr);
    cairo_fill (cr);
    angle += part;
  }
  paint_source (cr, p->paper, 1);
  cairo_arc (cr, v->x, v->y, v->radius * 0.56, 0, 2 * G_PI);
  cairo_fill (cr);
  return p->ink;
}

static uint32_t
state_of (const Vertex *v)
{
  uint32_t best = 0;

  for (uint32_t s = 1; s < VERTEX_STATES; s++)
    if (v->in_state[s] > v->in_state[best])
      best = s;
  return best;
}

typedef struct Box {
  double x0, y0, x1, y1;
} Box;

/* Whether a label fits there: on the paper, on no label and no vertex. */
static bool
is_free (const Picture *p, const Paint *paint, const GArray *taken, Box b, const Vertex *own)
{
  if (b.x0 < 4 || b.x1 > paint->scene->width_px - 4 || b.y1 > paint->scene->height_px - 2)
    return false;
  for (guint i = 0; i < taken->len; i++) {
    const Box *t = &g_array_index (taken, Box, i);
    if (b.x0 < t->x1 && b.x1 > t->x0 && b.y0 < t->y1 && b.y1 > t->y0)
      return false;
  }
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = vertex (p, i);
    if (v != own && v->present > 0 && b.x0 < v->x + v->radius && b.x1 > v->x - v->radius
        && b.y0 < v->y + v->radius && b.y1 > v->y - v->radius)
      return false;
  }
  return true;
}

/* Below its vertex, above, or beside it; nowhere if there is no room: the labels of a crowd thin out. */
static void
draw_label (Paint *paint, const Picture *p, const Vertex *v, GArray *taken, const char *text)
{
  double width = paint_text_width (paint, PAINT_TEXT, text), r = v->radius + 3;
  const Box places[] = {
    { v->x - width / 2, v->y + r, v->x + width / 2, v->y + r + 15 },
    { v->x - width / 2, v->y - r - 15, v->x + width / 2, v->y - r },
    { v->x + r + 2, v->y - 8, v->x + r + 2 + width, v->y + 8 },
    { v->x - r - 2 - width, v->y - 8, v->x - r - 2, v->y + 8 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (places); i++)
    if (is_free (p, paint, taken, places[i], v)) {
      Box b = places[i];
      paint_source (paint->cr, paint->paper, 0.82); /* readable over links */
      cairo_rectangle (paint->cr, b.x0 - 2, b.y0, width + 4, b.y1 - b.y0);
      cairo_fill (paint->cr);
      paint_text (paint, (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2, 0.5, PAINT_TEXT, paint->ink, 0, text);
      g_array_append_val (taken, b);
      return;
    }
}

static void
draw_vertices (Paint *paint, const Picture *p)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (Box));

  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = vertex (p, i);
    uint32_t ink, state = state_of (v);
    if (v->present == 0)
      continue;
    /* A gap of paper sets it off from links that pass behind. */
    paint_source (paint->cr, paint->paper, 1);
    cairo_arc (paint->cr, v->x, v->y, v->radius + 2, 0, 2 * G_PI);
    cairo_fill (paint->cr);
    ink = p->clusters ? draw_pie (paint, v) : paint_shape (paint, v->x, v->y, v->radius, state);
    if (v->task != TRACE_NONE && v->task == paint->scene->selected) {
      paint_source (paint->cr, paint->ink, 1);
      cairo_set_line_width (paint->cr, 2);
      cairo_arc (paint->cr, v->x, v->y, v->radius + 5, 0, 2 * G_PI);
      cairo_stroke (paint->cr);
    }
    g_autofree char *count = g_strdup_printf ("%u", v->n);
    const char *inside = p->clusters ? count : v->name;
    if (!p->clusters && state == 4)
      continue; /* crossed out: its name stands beside it */
    if (paint_text_width (paint, PAINT_TEXT | PAINT_BOLD, inside) < v->radius
                                                                        * (p->clusters  ? 1.1
                                                                           : state == 2 ? 1.5
                                                                                        : 1.75))
      paint_text (paint, v->x, v->y, 0.5, PAINT_TEXT | PAINT_BOLD, ink, 0, inside);
  }
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = vertex (p, i);
    uint32_t state = state_of (v);
    bool inside = !p->clusters && state != 4
                  && paint_text_width (paint, PAINT_TEXT | PAINT_BOLD, v->name)
                         < v->radius * (state == 2 ? 1.5 : 1.75);
    g_autofree char *text = NULL;
    if (v->present == 0)
      continue;
    if (p->vertices->len <= 20 && !p->clusters)
      text = inside ? g_strdup (paint_state_name (paint->scene->graph, STATE_NODE, state))
                    : g_strdup_printf ("%s \u00b7 %s", v->name,
                                       paint_state_name (paint->scene->graph, STATE_NODE, state));
    else if (!inside)
      text = g_strdup (v->name);
    if (text != NULL)
      draw_label (paint, p, v, taken, text);
  }
}

void
state_graph_draw (Paint *paint, const Picture *p)
{
  const ViewScene *scene = paint->scene;
  double most = 0, shares[HISTORY_STATES_MAX] = { 0 }, x,
         widest = p->vertices->len <= 20 ? 7
                  : p->clusters          ? 6
                                         : 4;
  double thinnest = p->links->len > 400 ? 0.6 : p->links->len > 60 ? 0.9 : 1.4;
  uint32_t present = 0, states = 0, in_state[VERTEX_STATES] = { 0 };

  for (guint i = 0; i < p->links->len; i++)
    most = MAX (most, g_array_index (p->links, Link, i).total);
  for (guint i = 0; i < p->links->len; i++)
    draw_link (paint, p, &g_array_index (p->links, Link, i), most, thinnest, widest);
  draw_vertices (paint, p);
  for (guint i = 0; i < p->vertices->len; i++) {
    present += vertex (p, i)->present;
    for (uint32_t s = 0; s < VERTEX_STATES; s++)
      in_state[s] += vertex (p, i)->in_state[s];
  }
  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    states |= in_state[s] > 0 ? 1u << s : 0;
    shares[s] = present > 0 ? (double)in_state[s] / present : 0;
  }
  x = paint_legend (paint, 16, 16, STATE_NODE, states, present > 20 ? shares : NULL);
  if (scene->at != INT64_MIN) {
    g_autofree char *date = axis_date (&scene->source->clock, scene->at, -1), *bytes = paint_bytes (most);
    g_autofree char *note = most > 0 ? g_strdup_printf ("widest link %s   at %s", bytes, date)
                                     : g_strdup_printf ("at %s", date);
    if (scene->width_px - 16 - x > 90)
      paint_text (paint, scene->width_px - 16, 16, 1, PAINT_TEXT, paint->muted, scene->width_px - 16 - x,
                  note);
  }
  if (present == 0)
    paint_sentence (paint, "No task lives at this instant");
}
