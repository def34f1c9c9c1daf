/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-axes.c - tasks where attributes of theirs say: across, upwards, or both; what no rule says is as the
 * layout has it. */
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "views/painter.h"
#include "views/state-graph.h"

#define NONE_AT 0.02  /* of the room: there stand those that have no value */
#define NONE_ROOM 0.1 /* which the others leave to them */
#define ASIDE_MOST 96 /* places that are tried for one that would cover another */
#define GAP 2.0       /* px, between two */
#define BELOW_PX 24.0 /* labels and title of the axis across */

static Vertex *
state_graph_axes_vertex (const Picture *p, uint32_t i)
{
  return &g_array_index (p->vertices, Vertex, i);
}

void
state_graph_find_axes (const StateGraphView *v, const ViewScene *scene, const uint32_t *nodes, const uint32_t *task_of,
                       Picture *p)
{
  for (int k = 0; k < 2; k++) {
    uint32_t n = scene->graph != NULL ? scene->graph->n_nodes : 0;
    if (!looks_axis (&p->tasks, scene, k == 0 ? LOOK_X : LOOK_Y, nodes, n, &p->axis[k]))
      continue;
    g_autofree uint32_t *met = g_new0 (uint32_t, p->vertices->len + 1);
    p->along[k] = g_new0 (double, p->vertices->len + 1);
    for (uint32_t i = 0; i < n; i++)
      if (nodes[i] != TRACE_NONE && !isnan (p->axis[k].at[i])) {
        p->along[k][v->vertex_of[task_of[i]]] += p->axis[k].at[i];
        met[v->vertex_of[task_of[i]]]++;
      }
    for (uint32_t i = 0; i < p->vertices->len; i++)
      p->along[k][i] = met[i] > 0 ? p->along[k][i] / met[i] : NAN;
  }
}

double
state_graph_axis_px (const Picture *p, int axis)
{
  const LooksAxis *a = &p->axis[axis];
  glong most = 0;

  if (p->along[axis] == NULL)
    return 0;
  if (axis == 0)
    return BELOW_PX;
  for (uint32_t i = 0; i < a->n_ticks; i++)
    most = MAX (most, g_utf8_strlen (a->text[i], -1));
  return CLAMP (7.0 * (double) most, 30, 120);
}

/* Where a place from 0 to 1 is, px; NaN: where those stand that have none. */
static double
px_of (const Picture *p, int axis, double at)
{
  double begin = p->axis[axis].n_none > 0 ? NONE_ROOM : 0;

  at = isnan (at) ? NONE_AT : begin + at * (1 - begin);
  return axis == 0 ? p->origin_x + at * p->room_x : p->origin_y + (1 - at) * p->room_y;
}

static bool
state_graph_axes_is_free (const Picture *p, uint32_t i, double x, double y)
{
  const Vertex *v = state_graph_axes_vertex (p, i);

  if (x < p->origin_x - 24 || x > p->origin_x + p->room_x + 24 || y < p->origin_y - 24
      || y > p->origin_y + p->room_y + 24)
    return false;
  for (uint32_t k = 0; k < i; k++) {
    const Vertex *other = state_graph_axes_vertex (p, k);
    double dx = other->x - x, dy = other->y - y, apart = other->radius + v->radius + GAP;
    if (other->present > 0 && dx * dx + dy * dy < apart * apart)
      return false;
  }
  return true;
}

/* Along an axis of numbers a vertex keeps its place as long as it can be moved along the other. */
static void
move_aside (const Picture *p, uint32_t i)
{
  Vertex *v = state_graph_axes_vertex (p, i);
  bool across = p->along[0] == NULL || p->axis[0].names,
       upward = (p->along[1] == NULL || p->axis[1].names) && p->along[0] != NULL;
  double step = v->radius + GAP / 2, x = v->x, y = v->y;

  for (int k = 0; k < ASIDE_MOST; k++) {
    double turn = k * 2.399963229728653, away = step * sqrt (k); /* the golden angle: even over a disc */
    double side = step * ((k + 1) / 2) * (k % 2 == 1 ? 1 : -1) / 2;
    double to_x = across == upward ? x + away * cos (turn)
                  : across         ? x + side
                                   : x,
           to_y = across == upward ? y + away * sin (turn)
                  : upward         ? y + side
                                   : y;
    if (!state_graph_axes_is_free (p, i, to_x, to_y))
      continue;
    v->x = to_x;
    v->y = to_y;
    return;
  }
}

void
state_graph_stand (Picture *p)
{
  double largest = 0;

  for (uint32_t i = 0; i < p->vertices->len; i++) {
    Vertex *v = state_graph_axes_vertex (p, i);
    if (p->along[0] != NULL)
      v->x = px_of (p, 0, p->along[0][i]);
    if (p->along[1] != NULL)
      v->y = px_of (p, 1, p->along[1][i]);
    if (v->present > 0)
      move_aside (p, i);
    largest = fmax (largest, v->present > 0 ? fmin (v->radius, 30) : 0);
  }
  p->foot[0] = p->origin_y + p->room_y + largest + 8;
  p->foot[1] = p->origin_x - largest - 8;
}

/* A faint line through the picture, and its label; one that would touch the label before it has none. */
static void
state_graph_axes_draw_line (Paint *paint, const Picture *p, int axis, double at, const char *text, double foot,
                            double *taken)
{
  cairo_t *cr = paint->cr;
  double x = floor (px_of (p, axis, at)) + 0.5, room = axis == 0 ? 110 : foot - 14;

  paint_source (cr, paint->grid, 1);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, axis == 0 ? x : foot, axis == 0 ? p->origin_y - 20 : x);
  cairo_line_to (cr, axis == 0 ? x : p->origin_x + p->room_x + 20, axis == 0 ? foot : x);
  cairo_stroke (cr);
  double half = axis == 0 ? fmin (paint_text_width (paint, PAINT_SMALL, text), room) / 2 : 7;
  if (fabs (x - *taken) < half * 2 + 8 && isfinite (*taken))
    return;
  *taken = x;
  if (axis == 0)
    paint_text (paint, x, foot + 11, 0.5, PAINT_SMALL, paint->muted, room, text);
  else
    paint_text (paint, foot - 6, x, 1, PAINT_SMALL, paint->muted, room, text);
}

void
state_graph_draw_axes (Paint *paint, const Picture *p)
{
  for (int k = 0; k < 2; k++) {
    const LooksAxis *a = &p->axis[k];
    double foot = p->foot[k], taken = INFINITY;
    if (p->along[k] == NULL)
      continue;
    if (a->n_none > 0)
      state_graph_axes_draw_line (paint, p, k, NAN, _ ("no value"), foot, &taken);
    for (uint32_t i = 0; i < a->n_ticks; i++)
      state_graph_axes_draw_line (paint, p, k, a->tick[i], a->text[i], foot, &taken);
    if (k == 0)
      paint_text (paint, p->origin_x + p->room_x / 2, foot + 27, 0.5, PAINT_SMALL, paint->ink, p->room_x, a->title);
    else
      paint_text (paint, 14, p->origin_y - 32, 0, PAINT_SMALL, paint->ink, p->room_x, a->title);
  }
}
