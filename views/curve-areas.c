/* SPDX-License-Identifier: Apache-2.0 */
/* curve-areas.c - areas one upon the other, and the legend of a curve. */
#include "views/curve.h"
#include <math.h>
#include <stdlib.h>
#include "eve/words.h"
#include "views/layer.h"
#include "views/painter.h"

#define LEGEND_LINE 18.0     /* px */
#define LEGEND_NARROWEST 110 /* px that a name has at least, with its colour */

/* It has an area of its own, however small it is. */
static bool
has_own (const Curve *v, const ViewScene *scene, uint32_t s)
{
  return v->named[s] || view_stands_out (scene, v->refs[s]);
}

Legend
curve_legend (const Curve *v, const ViewScene *scene)
{
  uint32_t all = v->names != NULL ? v->names->len : 0, chosen = 0;
  for (uint32_t s = 0; v->join == JOIN_STACKED && s < all; s++)
    chosen += has_own (v, scene, s);
  uint32_t n = v->join == JOIN_STACKED ? MIN (all, (uint32_t) v->most + chosen) : all;
  double width = scene->width_px - 12, height = scene->height_px - CHART_TOP;
  Legend l = { .lines = 0 };

  if (n < 2)
    return l;
  uint32_t room = (uint32_t) CLAMP (height / 4 / LEGEND_LINE, 1, 6);
  l.a_line = (uint32_t) CLAMP (width / LEGEND_NARROWEST, 1, n);
  l.lines = MIN ((n + l.a_line - 1) / l.a_line, room);
  l.shown = n <= l.lines * l.a_line ? n : l.lines * l.a_line - 1;
  return l;
}

#define SERIES_LOOKS                                                                                                   \
  (1u << LOOK_COLOUR | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_PATTERN | 1u << LOOK_OPACITY | 1u << LOOK_LABEL \
   | 1u << LOOK_ORDER | 1u << LOOK_HIDDEN)

static bool
begin_looks (const Curve *v, const ViewScene *scene, Looks *rules)
{
  uint32_t offers = v->join == JOIN_STACKED ? SERIES_LOOKS & ~(1u << LOOK_WIDTH | 1u << LOOK_DASH)
                                            : SERIES_LOOKS & ~(1u << LOOK_PATTERN);

  return looks_begin (rules, scene, eve_name ((EveComponent *) v), LOOK_SERIES, offers);
}

/* Where the title is told above the picture, and nothing else stands in its line, names go there. */
static double
spared_px (const Curve *v, const ViewScene *scene)
{
  const char *title = *v->title ? v->title : eve_name ((EveComponent *) v);
  Looks rules;
  bool hides = begin_looks (v, scene, &rules) && rules.channels >> LOOK_HIDDEN & 1;
  bool says = v->join == JOIN_STACKED || v->beyond > 0 || hides
              || (v->read != NULL && values_reader_problem (v->read) != NULL);

  return !says && chart_is_titled (scene, title) && curve_legend (v, scene).lines > 0 ? LEGEND_LINE : 0;
}

/* Of the plot: below the title, and the legend where there is one. */
double
curve_top (const Curve *v, const ViewScene *scene)
{
  return CHART_TOP + 16 + LEGEND_LINE * curve_legend (v, scene).lines + curve_key_px (v, scene) - spared_px (v, scene);
}

typedef struct Ranked {
  double sum;
  uint32_t series, place; /* place: in the order that a rule wishes for; else 0 */
  bool chosen;
} Ranked;

static int
curve_areas_by_sum (const void *a, const void *b)
{
  const Ranked *x = a, *y = b;

  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->sum != y->sum)
    return x->sum > y->sum ? -1 : 1;
  return x->series < y->series ? -1 : x->series > y->series;
}

/* What a series is at each column, as it holds until the next one; what is no number, or below 0, has no height. */
static void
heights (const Plot *plot, uint32_t s, bool hidden, double *to)
{
  double now = plot->before[s];

  for (uint32_t i = 0; i < plot->t.n_columns; i++) {
    const ValueColumn *c = &plot->columns[s * plot->t.n_columns + i];
    if (c->count > 0 || !isfinite (c->last))
      now = c->last;
    to[i] = isfinite (now) && now > 0 && !hidden ? now : 0;
  }
}

/* How large each series is at an instant. */
static void
sizes_at (const Curve *v, const Plot *plot, int64_t at, Ranked *ranked)
{
  g_autofree ValueColumn *none = g_new0 (ValueColumn, MAX (plot->n, 1));
  double now[VALUES_SERIES];

  values_reader_columns (v->read, at < INT64_MAX ? at + 1 : at, 1, 1, plot->n, none, now);
  for (uint32_t s = 0; s < plot->n; s++)
    ranked[s].sum = isfinite (now[s]) ? now[s] : 0;
}

/* Areas one upon the other; gives the height of all. */
double
curve_stack (const Curve *v, const ViewScene *scene, Plot *plot)
{
  const uint32_t n = plot->t.n_columns;
  g_autofree double *own = g_new (double, (gsize) n *MAX (plot->n, 1));
  Ranked ranked[VALUES_SERIES];
  double most = 0;
  uint32_t shown = 0;

  for (uint32_t s = 0; s < plot->n; s++) {
    ranked[s] = (Ranked){ .series = s, .chosen = has_own (v, scene, s) };
    heights (plot, s, curve_hides (v, s), own + (gsize) s * n);
    for (uint32_t i = 0; i < n; i++)
      ranked[s].sum += own[(gsize) s * n + i];
  }
  if (v->order == ORDER_INSTANT && scene->at != INT64_MIN)
    sizes_at (v, plot, scene->at, ranked);
  for (uint32_t k = 0; v->looks != NULL && v->rules.channels >> LOOK_ORDER & 1 && k < plot->n; k++)
    ranked[v->sorted[k]].place = k;
  qsort (ranked, plot->n, sizeof *ranked, curve_areas_by_sum);
  plot->edge = g_new0 (double, (gsize) n *(plot->n + 2));
  for (uint32_t r = 0; r < plot->n; r++) {
    if (curve_hides (v, ranked[r].series))
      continue;
    ranked[r].chosen |= shown++ < (uint32_t) v->most;
    if (ranked[r].chosen)
      plot->area[plot->n_areas++] = ranked[r].series;
    else
      plot->n_rest++;
  }
  if (plot->n_rest > 0)
    plot->area[plot->n_areas++] = REST;
  for (uint32_t a = 0; a < plot->n_areas; a++)
    for (uint32_t i = 0; i < n; i++) {
      double high = 0;
      for (uint32_t r = 0; plot->area[a] == REST && r < plot->n; r++)
        high += !ranked[r].chosen ? own[(gsize) ranked[r].series * n + i] : 0;
      if (plot->area[a] != REST)
        high = own[(gsize) plot->area[a] * n + i];
      plot->edge[(gsize) (a + 1) * n + i] = plot->edge[(gsize) a * n + i] + high;
      most = fmax (most, plot->edge[(gsize) (a + 1) * n + i]);
    }
  return most;
}

uint32_t
curve_colour (const Curve *v, const ViewScene *scene, uint32_t s, uint32_t n)
{
  uint32_t rgb;

  if (v->looks != NULL && LOOK_HAS (&v->looks[s], LOOK_COLOUR)
      && !view_chosen_colour (scene->colours, LOOKS_OF_SERIES, v->names->pdata[s], scene->dark, &rgb))
    return v->looks[s].rgb;
  return chart_colour_of (scene, v->shares_owner ? (TraceRef){ 0 } : v->refs[s], v->names->pdata[s], s, n);
}

/* "12 others": of the areas that have none of their own; g_free. */
char *
curve_rest_name (const Plot *plot)
{
  return g_strdup_printf (P_ ("%u other", "%u others", plot->n_rest), plot->n_rest);
}

static uint32_t
area_colour (const Curve *v, Paint *p, const Plot *plot, uint32_t s)
{
  uint32_t rgb = s == REST ? p->faint : curve_colour (v, p->scene, s, plot->n);

  return v->any_chosen && (s == REST || !view_stands_out (p->scene, v->refs[s])) ? paint_mix (rgb, p->paper, 0.7) : rgb;
}

/* How far the film knows of it. */
double
curve_end (const Curve *v, const Paint *p, const Plot *plot)
{
  return fmin (axis_x (&plot->t.axis, MIN (values_reader_reach (v->read), p->scene->source->last)), plot->t.x1);
}

#define SEAM_APART 3 /* px: a line between thinner areas would be all of them */

/* The line between an area and the one below it.  It runs along alone: up and down, at peaks of a pixel, it would hide
 * them. */
static void
curve_draw_seam (const Curve *v, Paint *p, const Plot *plot, uint32_t a, double end)
{
  const uint32_t n = plot->t.n_columns;
  const double *low = plot->edge + (gsize) (a - 1) * n, *edge = low + n, *high = edge + n;
  bool chosen = false;

  for (uint32_t k = a - 1; k <= a; k++)
    chosen |= plot->area[k] != REST && view_stands_out (p->scene, v->refs[plot->area[k]]);
  for (uint32_t i = 0, next; i < n && plot->t.x0 + i < end; i = next) {
    double y = time_plot_y (&plot->t, edge[i]);
    next = i;
    while (next < n && edge[next] == edge[i] && time_plot_y (&plot->t, low[next]) - y >= SEAM_APART
           && y - time_plot_y (&plot->t, high[next]) >= SEAM_APART)
      next++;
    if (next == i) {
      next++;
      continue;
    }
    cairo_move_to (p->cr, plot->t.x0 + i, y);
    cairo_line_to (p->cr, fmin (plot->t.x0 + next, end), y);
  }
  paint_source (p->cr, p->paper, 1);
  cairo_set_line_width (p->cr, chosen ? 1.5 : 0.5);
  cairo_stroke (p->cr);
}

void
curve_draw_area (Curve *v, Paint *p, const Plot *plot, uint32_t a)
{
  const uint32_t n = plot->t.n_columns, s = plot->area[a];
  const double *low = plot->edge + (gsize) a * n, *high = low + n, end = curve_end (v, p, plot);
  cairo_t *cr = p->cr;

  for (int side = 0; side < 2; side++) { /* forward along the top, back along the ground */
    const double *edge = side == 0 ? high : low;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t i = side == 0 ? k : n - 1 - k;
      double y = time_plot_y (&plot->t, edge[i]), from = fmin (plot->t.x0 + i, end),
             to = fmin (plot->t.x0 + i + 1, end);
      cairo_line_to (cr, side == 0 ? from : to, y);
      if (k == 0 || k == n - 1 || edge[i] != edge[i - 1] || (i + 1 < n && edge[i] != edge[i + 1]))
        cairo_line_to (cr, side == 0 ? to : from, y);
    }
  }
  cairo_close_path (cr);
  paint_source (cr, area_colour (v, p, plot, s), s != REST ? curve_opacity (v, s) : 1);
  cairo_fill_preserve (cr);
  if (s != REST && v->looks != NULL && LOOK_HAS (&v->looks[s], LOOK_PATTERN))
    looks_fill_pattern (cr, v->looks[s].pattern, paint_ink_on (area_colour (v, p, plot, s)));
  cairo_new_path (cr);
  if (a > 0)
    curve_draw_seam (v, p, plot, a, end);
}

void
curve_draw_legend (Curve *v, Paint *p, const Plot *plot)
{
  Legend l = curve_legend (v, p->scene);
  bool areas = v->join == JOIN_STACKED;
  double cell = l.lines > 0 ? (p->scene->width_px - 12) / l.a_line : 0, x = 12, top = 30 - spared_px (v, p->scene),
         y = top;
  uint32_t n = areas ? plot->n_areas : plot->n, hidden = 0, k = 0;

  for (uint32_t at = 0; at < n && k < l.shown; at++) {
    uint32_t i = areas ? plot->area[at] : v->sorted[at];
    if (i == REST)
      break;
    if (curve_hides (v, i)) {
      hidden++;
      continue;
    }
    bool chosen = view_stands_out (p->scene, v->refs[i]);
    DrawingTag tag = {
      DRAWING_NO_DATES, .what = v->refs[i], .attribute = LOOKS_OF_SERIES, .value = g_intern_string (v->names->pdata[i]),
      .index = i,       .part = IN_LEGEND
    };
    if (l.lines > 1) { /* in columns */
      x = 12 + cell * (k % l.a_line);
      y = top + LEGEND_LINE * (k / l.a_line);
    }
    uint32_t rgb = curve_colour (v, p->scene, i, v->names->len);
    if (v->join == JOIN_POINTS)
      drawing_disc (p->drawing, x + 7, y + 9.5, 3, rgb, 1, NULL);
    else
      drawing_rect (p->drawing, x, y + (areas ? 4 : 8), 14, areas ? 10 : 3, rgb, 1, NULL);
    double width = paint_text (p, x + 19, y + 9, 0, chosen ? PAINT_SMALL | PAINT_BOLD : PAINT_SMALL, p->ink, cell - 33,
                               curve_name (v, i));
    drawing_area (p->drawing, x, y, width + 22, 18, &tag);
    x += 19 + width + 14;
    k++;
  }
  for (uint32_t s = 0; areas && s < plot->n; s++)
    hidden += curve_hides (v, s);
  for (uint32_t at = k + hidden; !areas && at < n; at++)
    hidden += curve_hides (v, v->sorted[at]);
  if (k + hidden < v->names->len && l.lines > 0) {
    g_autofree char *more = g_strdup_printf (_ ("and %u more"), v->names->len - k - hidden);
    if (l.lines > 1)
      x = 12 + cell * (k % l.a_line);
    paint_text (p, x, top + 9 + LEGEND_LINE * (l.lines - 1), 0, PAINT_SMALL, p->muted, cell, more);
  }
}

/* ---- what rules say of series --------------------------------------------------------------------------------------------- */

#define KEY_PX 18.0
double
curve_key_px (const Curve *v, const ViewScene *scene)
{
  Looks rules;

  return begin_looks (v, scene, &rules) ? KEY_PX : 0;
}

void
curve_draw_key (const Curve *v, Paint *p)
{
  if (v->looks != NULL)
    looks_legend (&v->rules, p, 12, curve_top (v, p->scene) - 14 - KEY_PX / 2, ~0u);
}

const char *
curve_name (const Curve *v, uint32_t s)
{
  const Look *look = v->looks != NULL ? &v->looks[s] : NULL;

  return look != NULL && LOOK_HAS (look, LOOK_LABEL) && *look->label != '\0' ? look->label : v->names->pdata[s];
}

double
curve_opacity (const Curve *v, uint32_t s)
{
  return v->looks != NULL && LOOK_HAS (&v->looks[s], LOOK_OPACITY) ? v->looks[s].opacity : 1;
}

typedef struct Asked {
  const Curve *v;
  const ViewScene *scene;
  const Plot *plot;
  uint32_t s;
} Asked;

/* Of what is shown. */
static bool
number_of_series (const Asked *a, const char *attribute, double *number)
{
  double least = INFINITY, most = -INFINITY, sum = 0, last = a->plot->before[a->s];
  uint64_t n = 0;

  for (uint32_t i = 0; i < a->plot->t.n_columns; i++) {
    const ValueColumn *c = &a->plot->columns[a->s * a->plot->t.n_columns + i];
    if (c->count == 0)
      continue;
    least = fmin (least, c->min);
    most = fmax (most, c->max);
    sum += c->sum;
    last = c->last;
    n += c->count;
  }
  *number = g_ascii_strcasecmp (attribute, "number") == 0   ? a->s + 1
            : g_ascii_strcasecmp (attribute, "least") == 0  ? least
            : g_ascii_strcasecmp (attribute, "most") == 0   ? most
            : g_ascii_strcasecmp (attribute, "mean") == 0   ? sum / (double) n
            : g_ascii_strcasecmp (attribute, "last") == 0   ? last
            : g_ascii_strcasecmp (attribute, "values") == 0 ? (double) n
                                                            : NAN;
  return isfinite (*number);
}

static bool
series_has (void *asked, const char *attribute, GString *text, double *number)
{
  const Asked *a = asked;
  TraceRef of = a->v->refs[a->s];
  const char *word = g_ascii_strcasecmp (attribute, "name") == 0    ? a->v->names->pdata[a->s]
                     : g_ascii_strcasecmp (attribute, "owner") == 0 ? a->v->owners->pdata[a->s]
                     : g_ascii_strcasecmp (attribute, "unit") == 0  ? a->v->unit
                     : of.type == TRACE_REF_TASK && a->v->tasks != NULL
                         ? looks_kept (a->v->tasks, a->scene->source, of.id, attribute)
                         : NULL;

  if (word != NULL) {
    g_string_append (text, word);
    return true;
  }
  if (number_of_series (a, attribute, number)) {
    g_string_append_printf (text, "%.15g", *number);
    return true;
  }
  *number = NAN;
  return false;
}

static int
curve_areas_by_order (gconstpointer a, gconstpointer b, gpointer curve)
{
  const Curve *v = curve;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int before = looks_compare (&v->rules, &v->looks[x], &v->looks[y]);

  return before != 0 ? before : (x > y) - (x < y);
}

void
curve_look_up (Curve *v, const ViewScene *scene, const Plot *plot)
{
  for (uint32_t s = 0; s < VALUES_SERIES; s++)
    v->sorted[s] = s;
  if (!begin_looks (v, scene, &v->rules)) {
    g_clear_pointer (&v->looks, g_free);
    return;
  }
  if (v->looks == NULL)
    v->looks = g_new0 (Look, VALUES_SERIES);
  bool of_tasks = false;
  for (int i = 0; i < LOOK_CHANNELS; i++)
    of_tasks |= v->rules.role[i] != STATE_ROLE_NONE && v->rules.role[i] != STATE_ROLE_LABEL;
  g_clear_pointer (&v->tasks, names_free);
  v->tasks = of_tasks ? names_read (view_tasks (scene)) : NULL;
  for (uint32_t s = 0; s < plot->n; s++)
    looks_of_values (&v->rules, series_has, &(Asked){ v, scene, plot, s }, &v->looks[s]);
  if (v->rules.channels >> LOOK_ORDER & 1)
    g_qsort_with_data (v->sorted, (gint) plot->n, sizeof *v->sorted, curve_areas_by_order, v);
}

/* ---- marks ------------------------------------------------------------------------------------------------------------------ */

void
curve_close_marks (Curve *v)
{
  g_clear_pointer (&v->read_marks, values_reader_free);
  g_clear_pointer (&v->marks, g_free);
}

/* The layer of what is wired to `marks`; false: nothing is, or it has not been filmed. */
static bool
open_marks (Curve *v, const ViewScene *scene)
{
  g_autofree char *base = scene->film != NULL && v->base.in[CURVE_MARKS] != NULL
                              ? layer_of_input (v->base.in[CURVE_MARKS], scene->film)
                              : NULL;

  if (base == NULL) {
    curve_close_marks (v);
    return false;
  }
  if (g_strcmp0 (v->marks, base) != 0) {
    curve_close_marks (v);
    v->marks = g_steal_pointer (&base);
  }
  if (v->read_marks == NULL)
    v->read_marks = values_reader_open (v->marks, NULL);
  else
    values_reader_refresh (v->read_marks);
  return v->read_marks != NULL;
}

/* A line at each column in which one is, with a knob on top. */
void
curve_draw_marks (Curve *v, Drawing *d, Paint *p, const Plot *plot)
{
  const double dashes[] = { 3, 3 };
  const uint32_t n = plot->t.n_columns;
  double before[VALUES_SERIES];
  cairo_t *cr = p->cr;

  if (!open_marks (v, p->scene))
    return;
  g_autofree ValueColumn *columns = g_new0 (ValueColumn, n);
  values_reader_columns (v->read_marks, plot->t.axis.from, plot->t.axis.per_px, n, 1, columns, before);
  for (uint32_t i = 0; i < n; i++) {
    double x = plot->t.x0 + i + 0.5;
    if (columns[i].count == 0)
      continue;
    int64_t from = plot->t.axis.from + (int64_t) (i * plot->t.axis.per_px);
    DrawingTag tag = { .from = from, .to = from, .index = i, .part = IN_MARK };
    drawing_area (d, x - 4, plot->t.y0, 8, plot->t.y1 - plot->t.y0, &tag);
    if (!drawing_is_painted (d))
      continue;
    paint_source (cr, p->ink, 0.7);
    cairo_set_line_width (cr, 1);
    cairo_set_dash (cr, dashes, 2, 0);
    cairo_move_to (cr, x, plot->t.y0);
    cairo_line_to (cr, x, plot->t.y1);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
    cairo_arc (cr, x, plot->t.y0 + 3, 3, 0, 2 * G_PI);
    cairo_fill (cr);
  }
}

typedef struct Marked {
  int64_t date;
  double value;
  uint32_t n;
} Marked;

static bool
meet_mark (void *arg, const ValueSample *s)
{
  Marked *m = arg;

  if (m->n++ == 0) {
    m->date = s->date;
    m->value = s->value;
  }
  return m->n < 1000;
}

/* "compactions: 3 at 1.25 s" */
void
curve_say_mark (Curve *v, const ViewScene *scene, const DrawingMark *m, const Plot *plot, GString *name)
{
  Marked first = { 0 };

  if (!open_marks (v, scene))
    return;
  values_reader_each (v->read_marks, m->tag.from, m->tag.from + (int64_t) ceil (plot->t.axis.per_px) + 1, meet_mark,
                      &first);
  if (first.n == 0)
    return;
  g_autofree char *number = chart_number (first.value, NULL),
                  *date = axis_date (&scene->source->clock, first.date, plot->t.axis.decimals + 2);
  g_string_append_printf (name, _ ("%s: %s at %s"), *v->mark != '\0' ? v->mark : _ ("mark"), number, date);
  if (first.n > 1)
    g_string_append_printf (name, P_ (", and %u more", ", and %u more", first.n - 1), first.n - 1);
}
