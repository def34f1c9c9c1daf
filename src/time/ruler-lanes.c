/* SPDX-License-Identifier: Apache-2.0 */
/* ruler-lanes.c - the executions of a program on the ruler: of each the shares of its states over time, in a lane of
 * its own with its own colours, and what is told of them where the pointer is. */
#include "time/ruler.h"
#include "eve/number.h"
#include "eve/words.h"

#define MOST_TOLD 8 /* states */

bool
ruler_is_still (const TraceSource *source)
{
  return source && source->tasks->len > 0 && trace_n_things (source) == source->tasks->len;
}

bool
ruler_trim (ScopeRuler *r, double *x0, double *x1)
{
  double end = RULER_SIDE + ruler_inner_width (r);

  *x0 = CLAMP (*x0, RULER_SIDE, end);
  *x1 = CLAMP (*x1, RULER_SIDE, end);
  return *x1 > *x0;
}

/* Where the lane of an execution is. */
static void
lane_of (const FilmOverview *o, guint nth, double y0, double y1, double *top, double *foot)
{
  double gap = o->n_executions > 1 ? 2 : 0, high = (y1 - y0 + gap) / MAX (o->n_executions, 1);

  *top = y0 + nth * high;
  *foot = *top + high - gap;
}

/* On paper of its own, as what is below may have any colour. */
static void
draw_lane_name (Paint *p, const char *name, double right, double middle)
{
  double wide = paint_text_width (p, PAINT_SMALL, name) + 8;

  paint_source (p->cr, p->paper, 0.8);
  cairo_rectangle (p->cr, right - wide - 2, middle - 7, wide, 14);
  cairo_fill (p->cr);
  paint_text (p, right - 6, middle, 1, PAINT_SMALL, p->ink, 0, name);
}

/* The shares of states of one execution. */
static void
draw_execution (ScopeRuler *r, Paint *p, guint nth, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  cairo_t *cr = p->cr;

  for (guint k = 0; k < o->n; ++k) {
    double x0 = ruler_x_of (r, film_bucket (o->first, o->last, k)),
           x1 = ruler_x_of (r, film_bucket (o->first, o->last, k + 1));
    const int64_t *spent = o->spent + (gsize) k * o->n_states;
    double sum = 0, y = y1;
    if (!ruler_trim (r, &x0, &x1))
      continue;
    for (guint i = 0; i < o->n_states; ++i)
      sum += o->of[i] == nth ? (double) spent[i] : 0;
    for (guint i = 0; i < o->n_states && sum > 0; ++i) {
      double h = o->of[i] == nth ? (double) spent[i] / sum * (y1 - y0) : 0;
      if (h <= 0)
        continue;
      paint_source (cr, paint_state_named (p->scene, STATE_NODE, o->states[i]), 1);
      cairo_rectangle (cr, x0, y - h, x1 - x0, h);
      cairo_fill (cr);
      y -= h;
    }
  }
}

void
ruler_draw_lanes (ScopeRuler *r, cairo_t *cr, const ViewScene *scene, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  g_autoptr (GArray) all = session_executions (scope_document_session (r->d));

  for (guint i = 0; o && i < MAX (o->n_executions, 1); ++i) {
    const SessionExecution *one = i < all->len ? &g_array_index (all, SessionExecution, i) : NULL;
    double top, foot;
    ViewScene of = *scene;
    Paint p;
    lane_of (o, i, y0, y1, &top, &foot);
    if (i > 0 && one) {
      of.source = one->source;
      of.graph = one->simulator ? eve_query (one->simulator, "state-graph/1") : NULL;
    }
    paint_over (&p, &of, cr);
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE); /* else paper shines through between two buckets */
    if (!ruler_is_still (of.source))
      draw_execution (r, &p, i, top, foot);
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
    if (o->n_executions > 1 && one)
      draw_lane_name (&p, one->name, RULER_SIDE + ruler_inner_width (r), (top + foot) / 2);
    paint_end (&p);
  }
}

/* ---- telling --------------------------------------------------------------------------------------------------------- */

/* How many states an execution has. */
static guint
ruler_lanes_states_of (const FilmOverview *o, guint nth)
{
  guint n = 0;

  for (guint i = 0; i < o->n_states; ++i)
    n += o->of[i] == nth;
  return n;
}

/* Those that lasted longest in a bucket, or all of a model that has few; false: none. */
static bool
tell_states (const FilmOverview *o, guint nth, const StateGraph *g, guint bucket, const char *head, GString *text)
{
  const int64_t *spent = o->spent + (gsize) bucket * o->n_states;
  g_autofree bool *told = g_new0 (bool, o->n_states + 1);
  guint n = ruler_lanes_states_of (o, nth);
  bool few = n <= MOST_TOLD;
  double sum = 0;

  for (guint i = 0; i < o->n_states; ++i)
    sum += o->of[i] == nth ? (double) spent[i] : 0;
  if (sum <= 0)
    return false;
  g_string_append (text, head);
  for (guint k = 0; k < MIN (n, MOST_TOLD); ++k) {
    guint best = o->n_states;
    for (guint i = 0; i < o->n_states; ++i)
      if (o->of[i] == nth && !told[i] && (best == o->n_states || (!few && spent[i] > spent[best])))
        best = i;
    told[best] = true;
    g_autofree char *share = number_percent (MAX (0.1, 100 * (double) spent[best] / sum), 1);
    if (spent[best] > 0)
      g_string_append_printf (text, (double) spent[best] < sum / 1000 ? _ ("\n%s under %s") : "\n%s %s",
                              paint_word (g, STATE_NODE, o->states[best]), share);
  }
  return true;
}

void
ruler_tell_bucket (ScopeRuler *r, guint bucket, GString *text)
{
  const FilmOverview *o = scope_document_overview (r->d);
  const Session *s = scope_document_session (r->d);
  g_autofree char *simulator = session_simulator_told (s);
  g_autoptr (GArray) all = session_executions (s);
  bool any = false;

  for (guint i = 0; i < MAX (o->n_executions, 1); ++i) {
    const SessionExecution *one = i < all->len ? &g_array_index (all, SessionExecution, i) : NULL;
    const StateGraph *g = i == 0                  ? scope_document_graph (r->d)
                          : one && one->simulator ? eve_query (one->simulator, "state-graph/1")
                                                  : NULL;
    g_autofree char *head = o->n_executions > 1 && one ? g_strdup_printf ("\n%s", one->name)
                            : simulator                ? g_strdup_printf (_ ("\nStates of %s"), simulator)
                                                       : g_strdup ("");
    if (!ruler_is_still (one ? one->source : scope_document_source (r->d)))
      any |= tell_states (o, i, g, bucket, head, text);
  }
  if (!any)
    g_string_append_printf (text,
                            P_ ("\n%" PRIu64 " event about here", "\n%" PRIu64 " events about here", o->events[bucket]),
                            o->events[bucket]);
}
