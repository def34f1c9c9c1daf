/* SPDX-License-Identifier: Apache-2.0 */
/* curve-stretches.c - points whose numbers are how long stretches of the time of tasks lasted, such as waits: each is
 * drawn from where it begins to where it ends, and tells what it was and whom it was for. */
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "views/curve.h"
#include "views/painter.h"

#define SPANS_MOST 1500 /* more in a picture are points, where all of each was known */
#define NEAR 24.0       /* px from a span or a point */

/* Which series the stretch is of; VALUES_SERIES: none that is shown. */
static uint32_t
curve_stretches_series (const Curve *v, const Plot *plot, const ViewScene *scene, const Stretch *one)
{
  TraceRef owner = trace_ref_task (scene->source->number, one->owner);
  uint32_t s = 0;

  while (s < plot->n && (!trace_ref_same (v->refs[s], owner) || curve_hides (v, s)))
    s++;
  return s < plot->n && one->to > one->from ? s : VALUES_SERIES;
}

static double
curve_stretches_length (const ViewScene *scene, const Stretch *one)
{
  return trace_clock_seconds (&scene->source->clock, one->to - one->from);
}

/* Those in sight, until `each` gives false. */
static void
curve_stretches_in_sight (Curve *v, const Plot *plot, bool (*each) (void *arg, const Stretch *one), void *arg)
{
  const Axis *a = &plot->t.axis;

  stretches_each (v->stretches.read, a->from, a->to < INT64_MAX ? a->to + 1 : a->to, each, arg);
}

bool
curve_knows_stretches (const Curve *v)
{
  return v->join == JOIN_POINTS && v->stretches.read != NULL && g_strcmp0 (v->unit, "s") == 0;
}

bool
curve_has_spans (Curve *v, const Plot *plot)
{
  return curve_knows_stretches (v)
         && stretches_count (v->stretches.read, plot->t.axis.from, plot->t.axis.to) <= SPANS_MOST;
}

typedef struct Bounds {
  Curve *v;
  const Plot *plot;
  const ViewScene *scene;
  double *low, *high;
} Bounds;

static bool
curve_stretches_widen (void *arg, const Stretch *one)
{
  const Bounds *b = arg;

  if (curve_stretches_series (b->v, b->plot, b->scene, one) == VALUES_SERIES)
    return true;
  *b->low = fmin (*b->low, curve_stretches_length (b->scene, one));
  *b->high = fmax (*b->high, curve_stretches_length (b->scene, one));
  return true;
}

void
curve_span_bounds (Curve *v, const ViewScene *scene, const Plot *plot, double *low, double *high)
{
  curve_stretches_in_sight (v, plot, curve_stretches_widen, &(Bounds){ v, plot, scene, low, high });
}

/* ---- drawn -------------------------------------------------------------------------------------------------------------- */

typedef struct Spans {
  Curve *v;
  Drawing *d;
  Paint *p;
  const Plot *plot;
} Spans;

static DrawingTag
curve_stretches_tag (const ViewScene *scene, const Stretch *one, uint32_t series)
{
  uint16_t source = scene->source->number;

  return (DrawingTag){ .what = trace_ref_task (source, one->owner),
                       .other = one->cause != TRACE_NONE ? trace_ref_task (source, one->cause) : (TraceRef){ 0 },
                       .value = one->kind,
                       .from = one->from,
                       .to = one->to,
                       .index = series,
                       .part = IN_STRETCH };
}

static bool
curve_stretches_draw_one (void *arg, const Stretch *one)
{
  const Spans *g = arg;
  const TimePlot *t = &g->plot->t;
  uint32_t s = curve_stretches_series (g->v, g->plot, g->p->scene, one), rgb;
  double width;

  if (s == VALUES_SERIES)
    return true;
  double y = time_plot_y (t, curve_stretches_length (g->p->scene, one)),
         x0 = fmax (axis_x (&t->axis, one->from), t->x0), x1 = fmin (axis_x (&t->axis, one->to), t->x1);
  DrawingTag tag = curve_stretches_tag (g->p->scene, one, s);
  drawing_area (g->d, x0 - POINT_PX, y - 4, x1 - x0 + 2 * POINT_PX, 8, &tag);
  if (!drawing_is_painted (g->d) || !curve_pen (g->v, g->p, g->plot, s, &rgb, &width))
    return true;
  paint_source (g->p->cr, rgb, curve_opacity (g->v, s));
  cairo_set_line_width (g->p->cr, width);
  cairo_move_to (g->p->cr, x0, y);
  cairo_line_to (g->p->cr, x1, y);
  cairo_stroke (g->p->cr);
  if (axis_x (&t->axis, one->to) <= t->x1) {
    cairo_arc (g->p->cr, x1, y, POINT_PX, 0, 2 * G_PI);
    cairo_fill (g->p->cr);
  }
  return true;
}

void
curve_draw_spans (Curve *v, Drawing *d, Paint *p, const Plot *plot)
{
  curve_stretches_in_sight (v, plot, curve_stretches_draw_one, &(Spans){ v, d, p, plot });
}

/* ---- pointed at ---------------------------------------------------------------------------------------------------------- */

typedef struct Pointing {
  Curve *v;
  const Plot *plot;
  const ViewScene *scene;
  bool spans;
  double x, y, best;
  DrawingMark *mark;
} Pointing;

static bool
curve_stretches_point_one (void *arg, const Stretch *one)
{
  Pointing *g = arg;
  const TimePlot *t = &g->plot->t;
  uint32_t s = curve_stretches_series (g->v, g->plot, g->scene, one);

  if (s == VALUES_SERIES)
    return true;
  double y = time_plot_y (t, curve_stretches_length (g->scene, one)),
         x0 = axis_x (&t->axis, g->spans ? one->from : one->known),
         x1 = g->spans ? axis_x (&t->axis, one->to) : floor (x0 - t->x0) + t->x0 + 1, /* the column of the point */
      beside = fmax (fmax (x0 - g->x, g->x - x1), 0), off = hypot (beside, y - g->y);
  if (off > g->best || beside > 2 * POINT_PX)
    return true;
  g->best = off;
  DrawingTag tag = curve_stretches_tag (g->scene, one, s);
  x0 = fmax (x0, t->x0);
  *g->mark = drawing_mark_of (x0 - POINT_PX, y - 4, fmin (x1, t->x1) - x0 + 2 * POINT_PX, 8, &tag);
  return true;
}

bool
curve_point_stretch (Curve *v, const ViewScene *scene, const Plot *plot, double x, double y, DrawingMark *mark)
{
  Pointing g = { v, plot, scene, curve_has_spans (v, plot), x, y, NEAR, mark };
  const Axis *a = &plot->t.axis;
  double near = 3 * POINT_PX * a->per_px, date = (double) a->from + (x - plot->t.x0) * a->per_px,
         from = fmax (date - near, (double) a->from), to = fmin (date + near + 1, (double) a->to + 1);

  if (from < to && from > -9e18 && to < 9e18)
    (g.spans ? stretches_each : stretches_each_known) (v->stretches.read, (int64_t) from, (int64_t) to,
                                                       curve_stretches_point_one, &g);
  return g.best < NEAR;
}

void
curve_say_stretch (Curve *v, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  Names *tasks = names_read (view_tasks (scene));

  stretches_say (v->stretches.read, tasks, scene, &m->tag, name, facts);
  names_free (tasks);
}

/* ---- as a table ----------------------------------------------------------------------------------------------------------- */

typedef struct CurveKnown {
  const Curve *v;
  const ViewScene *scene;
  GArray *all;
} CurveKnown;

static bool
curve_stretches_is_of (const Curve *v, const ViewScene *scene, const Stretch *one, uint32_t series)
{
  return trace_ref_same (v->refs[series], trace_ref_task (scene->source->number, one->owner));
}

static bool
curve_stretches_keep (void *arg, const Stretch *one)
{
  const CurveKnown *k = arg;
  uint32_t s = 0;

  while (s < k->v->names->len && !curve_stretches_is_of (k->v, k->scene, one, s))
    s++;
  if (s < k->v->names->len && one->to > one->from)
    g_array_append_val (k->all, *one);
  return true;
}

GArray *
curve_stretches_known (Curve *v, const ViewScene *scene, int64_t from, int64_t to)
{
  CurveKnown k = { v, scene, g_array_new (FALSE, FALSE, sizeof (Stretch)) };

  if (curve_knows_stretches (v))
    stretches_each_known (v->stretches.read, from, to, curve_stretches_keep, &k);
  return k.all;
}

/* Those of one date are few: of at most as many tasks as there are series. */
const Stretch *
curve_stretch_of (const Curve *v, const ViewScene *scene, GArray *known, guint *next, const ValueSample *s)
{
  const Stretch *all = (const Stretch *) (const void *) known->data;

  while (*next < known->len && all[*next].known < s->date)
    ++*next;
  for (guint i = *next; i < known->len && all[i].known == s->date; i++)
    if (curve_stretches_is_of (v, scene, &all[i], s->series) && curve_stretches_length (scene, &all[i]) == s->value) {
      Stretch one = all[i];
      g_array_index (known, Stretch, i) = all[*next]; /* each is told once */
      g_array_index (known, Stretch, (*next)++) = one;
      return &g_array_index (known, Stretch, *next - 1);
    }
  return NULL;
}
