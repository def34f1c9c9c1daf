/* SPDX-License-Identifier: Apache-2.0 */
/* curve.c - numbers over time, a line for each owner, or each attribute of it; where several values share a pixel, the
 * span they cover is shaded and the line is their mean.  The whole execution comes from the film. */
#include "views/curve.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "readers/reader.h"
#include "eve/words.h"
#include "statistics/list.h"
#include "statistics/stretch.h"
#include "readers/box-inspector.h"
#include "views/time-plot.h"
#include "views/history-values.h"
#include "views/history.h"
#include "views/layer.h"
#include "views/view-class.h"
#include "views/painter.h"
#include "eve/disk.h"

static const EveInSpec ins[] = {
  { "value", &stats_type_datum, EVE_ASYNC, .kept = true, .required = true,
    .doc = "Dated numbers, of one owner or of several." },
  { "marks", &stats_type_datum, EVE_ASYNC, .kept = true,
    .doc = "Instants that are marked by a line: those of these dated numbers." },
  { "stretches", &stats_type_stretch, EVE_ASYNC, .kept = true,
    .doc =
        "Stretches of the time of tasks whose lengths the numbers are, such as waits: points become lines from where "
        "each begins to where it ends, and tell what it is and whom it was for." },
};

static const char *const orders[] = { "all that is shown", "the instant", NULL };
static const char *const joins[] = { "steps", "lines", "points", "stacked", NULL };
static const EveField settings[] = {
  { "join", EVE_F_CHOICE, offsetof (Curve, join), .choices = joins, .look = true,
    .doc = "A value holds until the next one (steps), or goes there straight (lines); or areas one upon the other, "
           "each as "
           "high as its value: the height of all is their sum (stacked)." },
  { "from", EVE_F_DOUBLE, offsetof (Curve, low), .look = true,
    .doc = "Lower end of the scale; from and to equal: what the values need." },
  { "to", EVE_F_DOUBLE, offsetof (Curve, high), .look = true, .doc = "Upper end of the scale." },
  { "title", EVE_F_STRING, offsetof (Curve, title), .look = true, .doc = "Empty: the name of the box." },
  { "most", EVE_F_INT64, offsetof (Curve, most), .look = true, .min = 1, .max = VALUES_SERIES, .def = 20,
    .doc = "Stacked: so many areas, of those that are largest in the part of time that is shown, and of all that are "
           "selected; the others are one area together." },
  { "largest by", EVE_F_CHOICE, offsetof (Curve, order), .choices = orders, .look = true,
    .doc = "Stacked: which areas are the largest, and lie below: those that are it in all of the part of time that is "
           "shown, or at the instant that is looked at." },
  { "also", EVE_F_STRING, offsetof (Curve, also), .look = true,
    .doc = "Stacked: names, with commas between, that have an area of their own, however small they are." },
  { "empty", EVE_F_STRING, offsetof (Curve, empty), .look = true,
    .doc = "What is said where no value has come, such as why; empty: that none has come." },
  { "marks are", EVE_F_STRING, offsetof (Curve, mark), .look = true,
    .doc = "What a line of `marks` is called when it is pointed at; empty: mark." },
};

static void
curve_finish (EveComponent *c)
{
  Curve *v = (Curve *) c;

  g_clear_pointer (&v->read, values_reader_free);
  g_clear_pointer (&v->names, g_ptr_array_unref);
  g_clear_pointer (&v->owners, g_ptr_array_unref);
  g_free (v->unit);
  g_free (v->refs_of);
  g_free (v->lost_names);
  g_free (v->values);
  g_clear_pointer (&v->tasks, names_free);
  g_free (v->looks);
  curve_close_marks (v);
  stretches_layer_close (&v->stretches);
}

/* ---- draw side ---------------------------------------------------------------------------------------------------------- */

static void
curve_read_names (Curve *v, const char *path)
{
  g_clear_pointer (&v->lost_names, g_free);
  g_autofree char *text = names_file_read (path, &v->lost_names);

  v->beyond = 0;
  g_clear_pointer (&v->unit, g_free);
  g_clear_pointer (&v->names, g_ptr_array_unref);
  g_clear_pointer (&v->owners, g_ptr_array_unref);
  v->names = g_ptr_array_new_with_free_func (g_free);
  v->owners = g_ptr_array_new_with_free_func (g_free);
  if (text == NULL || !g_str_has_prefix (text, LAYER_SERIES_HEAD))
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines + 1; *line != NULL; line++) {
    if (g_str_has_prefix (*line, LAYER_SERIES_BEYOND " "))
      v->beyond = g_ascii_strtoull (*line + strlen (LAYER_SERIES_BEYOND), NULL, 10);
    if (v->names->len == VALUES_SERIES)
      continue;
    g_auto (GStrv) words = g_strsplit (*line, "\t", -1);
    if (g_strv_length (words) != 3)
      continue;
    g_ptr_array_add (v->names, g_strcompress (words[0]));
    g_ptr_array_add (v->owners, g_strcompress (words[2]));
    if (v->unit == NULL)
      v->unit = g_strcompress (words[1]);
  }
}

static bool
curve_open_film (Curve *v, const ViewScene *scene, GError **error)
{
  if (scene->film == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("there is no film yet: curves of the whole execution come from it"));
    return false;
  }
  g_autofree char *base = layer_of_input (v->base.in[0], scene->film);
  if (base == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing is wired to it"));
    return false;
  }
  g_autofree char *names = layer_names_file (base);
  if (g_strcmp0 (v->values, base) != 0) {
    g_clear_pointer (&v->read, values_reader_free);
    g_free (v->values);
    v->values = g_strdup (base);
  }
  if (v->read == NULL)
    v->read = values_reader_open (base, error);
  else
    values_reader_refresh (v->read);
  if (v->read != NULL)
    curve_read_names (v, names);
  stretches_layer_begin (&v->stretches, v->base.in[CURVE_STRETCHES], scene->film);
  return v->read != NULL;
}

static void
plot_clear (Plot *plot)
{
  g_free (plot->columns);
  g_free (plot->edge);
}

static void
curve_compose (Curve *v, Paint *p, Plot *plot)
{
  const ViewScene *scene = p->scene;
  double lo = v->low, hi = v->high;

  *plot = (Plot){ .n = v->names->len };
  time_plot_begin (&plot->t, scene, curve_top (v, scene));
  plot->columns = g_new0 (ValueColumn, (gsize) plot->t.n_columns * MAX (plot->n, 1));
  /* what comes at the last date, as what is counted of all does, is in the last column */
  double wide = ((double) plot->t.axis.to - (double) plot->t.axis.from + 1) / MAX (plot->t.n_columns, 1);
  values_reader_columns (v->read, plot->t.axis.from, fmax (wide, plot->t.axis.per_px), plot->t.n_columns, plot->n,
                         plot->columns, plot->before);
  curve_look_up (v, scene, plot);
  double high = v->join == JOIN_STACKED ? curve_stack (v, scene, plot) : 0;
  if (!(lo < hi) && v->join == JOIN_STACKED) {
    lo = 0;
    hi = high;
  } else if (!(lo < hi)) {
    lo = INFINITY;
    hi = -INFINITY;
    for (uint32_t s = 0; s < plot->n; s++) {
      if (curve_hides (v, s))
        continue;
      if (isfinite (plot->before[s])) {
        lo = fmin (lo, plot->before[s]);
        hi = fmax (hi, plot->before[s]);
      }
      for (uint32_t i = 0; i < plot->t.n_columns; i++) {
        const ValueColumn *c = &plot->columns[s * plot->t.n_columns + i];
        if (c->count > 0) {
          lo = fmin (lo, c->min);
          hi = fmax (hi, c->max);
        }
      }
    }
    if (curve_has_spans (v, plot))
      curve_span_bounds (v, scene, plot, &lo, &hi);
    if (lo > 0 && lo < 0.6 * hi) /* near enough that 0 belongs into the picture */
      lo = 0;
  }
  chart_scale (&plot->t.scale, lo, hi, v->unit, (int) CLAMP ((plot->t.y1 - plot->t.y0) / 40, 2, 9));
}

/* The least and the most of a column are values that were there; their mean is none. */
static void
draw_points (cairo_t *cr, Dense *dense, const TimePlot *t, const ValueColumn *c)
{
  for (uint32_t i = 0; i < t->n_columns; i++) {
    double x = t->x0 + i + 0.5, at[2];
    int n = 1;
    if (c[i].count == 0)
      continue;
    at[0] = time_plot_y (t, c[i].count > 1 ? c[i].max : time_plot_mean (&c[i]));
    if (c[i].count > 1 && c[i].min < c[i].max)
      at[n++] = time_plot_y (t, c[i].min);
    for (int k = 0; k < n; k++) {
      if (dense != NULL) {
        dense_disc (dense, x, at[k], POINT_PX);
        continue;
      }
      cairo_arc (cr, x, at[k], POINT_PX, 0, 2 * G_PI);
      cairo_close_path (cr);
    }
  }
  cairo_fill (cr);
}

/* Its one value in the picture comes last in it, where a line would have no length. */
static bool
is_lone (const Plot *plot, uint32_t s)
{
  const ValueColumn *c = &plot->columns[s * plot->t.n_columns];
  uint32_t last = plot->t.n_columns - 1;

  if (isfinite (plot->before[s]) || c[last].count == 0)
    return false;
  for (uint32_t i = 0; i < last; i++)
    if (c[i].count > 0)
      return false;
  return true;
}

bool
curve_pen (const Curve *v, const Paint *p, const Plot *plot, uint32_t s, uint32_t *rgb, double *width)
{
  bool chosen = view_stands_out (p->scene, v->refs[s]);
  const Look *look = v->looks != NULL ? &v->looks[s] : NULL;

  *width = look != NULL && LOOK_HAS (look, LOOK_WIDTH) ? look->width + (chosen ? 1 : 0) : chosen ? 2.5 : 1.5;
  *rgb = curve_colour (v, p->scene, s, plot->n);
  if (v->any_chosen && !chosen) /* behind the one that is selected */
    *rgb = paint_mix (*rgb, p->paper, 0.7);
  return *width > 0;
}

/* `pixels`: those of the picture; NULL: it has none, or is not crowded. */
static void
draw_series (Curve *v, Paint *p, const Plot *plot, uint32_t s, Dense *pixels, bool crowded)
{
  cairo_t *cr = p->cr;
  const ValueColumn *c = &plot->columns[s * plot->t.n_columns];
  const Look *look = v->looks != NULL ? &v->looks[s] : NULL;
  double width, opacity = curve_opacity (v, s);
  uint32_t rgb;

  if (!curve_pen (v, p, plot, s, &rgb, &width))
    return;
  paint_source (cr, rgb, 0.28 * opacity);
  if (pixels != NULL)
    dense_colour (pixels, rgb, 0.28 * opacity);
  time_plot_band (&plot->t, cr, pixels, c);
  paint_source (cr, rgb, opacity);
  if (pixels != NULL)
    dense_colour (pixels, rgb, opacity);
  cairo_set_line_width (cr, width);
  if (look != NULL && LOOK_HAS (look, LOOK_DASH))
    looks_set_dash (cr, look->dash, width);
  if (is_lone (plot, s)) { /* large enough to be seen at the edge */
    uint32_t last = plot->t.n_columns - 1;
    cairo_arc (cr, plot->t.x0 + last - 2, time_plot_y (&plot->t, time_plot_mean (&c[last])), 3.5, 0, 2 * G_PI);
    cairo_fill (cr);
  }
  if (v->join == JOIN_POINTS)
    draw_points (cr, pixels, &plot->t, c);
  else
    time_plot_line (&plot->t, cr, pixels, c, plot->before[s], curve_end (v, p, plot), v->join == JOIN_STEPS, crowded);
  looks_set_dash (cr, DASH_SOLID, width);
}

static void
draw_all_series (Curve *v, Paint *p, const Plot *plot)
{
  Dense dense;
  bool crowded = time_plot_crowded (&plot->t, plot->columns, plot->n),
       ruled = v->looks != NULL && v->rules.channels & (1u << LOOK_WIDTH | 1u << LOOK_DASH), /* pixels have neither */
      ordered = v->looks != NULL && v->rules.channels >> LOOK_ORDER & 1,
       on_pixels = crowded && !ruled && dense_begin (&dense, p->cr);

  for (int chosen = 0; chosen < 2; chosen++) /* what is selected over the others */
    for (uint32_t k = plot->n; k-- > 0;) {   /* the first over the others */
      uint32_t s = ordered ? v->sorted[k] : plot->n - 1 - k;
      if (!curve_hides (v, s) && view_stands_out (p->scene, v->refs[s]) == (bool) chosen)
        draw_series (v, p, plot, s, on_pixels ? &dense : NULL, crowded);
    }
  if (on_pixels)
    dense_end (&dense);
}

static const char *
curve_damage (EveComponent *c, bool *lost)
{
  Curve *v = (Curve *) c;

  bool stretches_lost;
  const char *stretches = stretches_layer_damage (&v->stretches, &stretches_lost);

  if (lost != NULL)
    *lost = stretches_lost || v->lost_names != NULL
            || (v->read != NULL && values_reader_lost (v->read, 0, 0, NULL, NULL));
  const char *problem = v->read != NULL ? values_reader_problem (v->read) : NULL;
  return problem != NULL ? problem : v->lost_names != NULL ? v->lost_names : stretches;
}

/* The first task, + 1, that has the name of the owner of each series; 0: none has. */
static GHashTable *
tasks_of_owners (const Curve *v, const ViewScene *scene)
{
  GHashTable *found = g_hash_table_new (g_str_hash, g_str_equal);
  Names *tasks = names_read (view_tasks (scene));
  const TraceSource *source = scene->source;
  gpointer name, task;

  for (guint s = 0; s < v->owners->len; s++)
    g_hash_table_insert (found, v->owners->pdata[s], NULL);
  for (uint32_t i = 0, n = names_count (tasks, source); i < n; i++)
    if (g_hash_table_lookup_extended (found, names_name (tasks, source, i), &name, &task) && task == NULL)
      g_hash_table_insert (found, name, GUINT_TO_POINTER (i + 1));
  names_free (tasks);
  return found;
}

static void
find_refs (Curve *v, const ViewScene *scene)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint s = 0; s < v->owners->len; s++)
    g_string_append_printf (names, "%s\n", (char *) v->owners->pdata[s]);
  g_string_append_printf (names, "%u %u", scene->source->number, scene->source->tasks->len);
  bool same = g_strcmp0 (names->str, v->refs_of) == 0; /* tasks are looked for once */
  if (!same) {
    g_autoptr (GHashTable) tasks = tasks_of_owners (v, scene);
    for (uint32_t s = 0; s < VALUES_SERIES; s++) {
      const char *owner = s < v->names->len ? v->owners->pdata[s] : NULL;
      uint32_t task = owner != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (tasks, owner)) : 0;
      v->refs[s] = owner == NULL ? (TraceRef){ 0 }
                   : task > 0    ? trace_ref_task (scene->source->number, task - 1)
                                 : trace_ref_named (TRACE_REF_SERIES, scene->source->number, owner);
    }
    v->shares_owner = false;
    for (uint32_t s = 0; s < v->names->len; s++)
      for (uint32_t k = 0; k < s; k++)
        v->shares_owner |= trace_ref_same (v->refs[s], v->refs[k]);
    g_free (v->refs_of);
    v->refs_of = g_strdup (names->str);
  }
  v->any_chosen = false;
  g_auto (GStrv) also = stats_list_split (v->also);
  for (uint32_t s = 0; s < VALUES_SERIES; s++)
    v->named[s] = s < v->names->len && stats_names_have (also, v->names->pdata[s]);
  for (uint32_t s = 0; s < v->names->len; s++)
    v->any_chosen |= view_stands_out (scene, v->refs[s]);
}

/* The room that a series takes up, for who steps from one to the next. */
static void
mark_series (const Curve *v, Drawing *d, const Plot *plot, uint32_t s)
{
  double lo = INFINITY, hi = -INFINITY;

  if (v->join == JOIN_STACKED) {
    for (uint32_t a = 0; a < plot->n_areas; a++)
      for (uint32_t i = 0; plot->area[a] == s && i < plot->t.n_columns; i++) {
        lo = fmin (lo, plot->edge[(gsize) a * plot->t.n_columns + i]);
        hi = fmax (hi, plot->edge[(gsize) (a + 1) * plot->t.n_columns + i]);
      }
  }
  for (uint32_t i = 0; v->join != JOIN_STACKED && i < plot->t.n_columns; i++) {
    const ValueColumn *k = &plot->columns[s * plot->t.n_columns + i];
    if (k->count > 0) {
      lo = fmin (lo, k->min);
      hi = fmax (hi, k->max);
    }
  }
  if (lo > hi || curve_hides (v, s))
    return;
  DrawingTag tag = {
    .what = v->refs[s], .from = plot->t.axis.from, .to = plot->t.axis.to, .index = s, .part = IN_SERIES
  };
  drawing_area (d, plot->t.x0, time_plot_y (&plot->t, hi), plot->t.x1 - plot->t.x0,
                time_plot_y (&plot->t, lo) - time_plot_y (&plot->t, hi), &tag);
}
static bool
curve_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Curve *v = (Curve *) c;
  Plot plot;

  if (!curve_open_film (v, scene, error))
    return false;
  Paint *p = drawing_begin (d);
  cairo_t *cr = p->cr;
  g_autofree char *more = v->beyond > 0
                              ? paint_told (_ ("the first %d series; %" PRIu64 " values of others are not shown"),
                                            VALUES_SERIES, v->beyond)
                              : NULL;
  find_refs (v, scene);
  curve_compose (v, p, &plot);
  const char *problem = values_reader_problem (v->read); /* that composing may have met */
  if (more == NULL && plot.n_rest > 0)
    more = paint_told (_ ("the largest %u of %u, and the others together"), plot.n - plot.n_rest, plot.n);
  uint32_t n_hidden = 0;
  for (uint32_t s = 0; s < plot.n; s++)
    n_hidden += curve_hides (v, s);
  if (n_hidden > 0) {
    g_autofree char *rest = g_steal_pointer (&more);
    more = paint_told (_ ("%s%s%u hidden by a rule"), rest != NULL ? rest : "", rest != NULL ? _ ("; ") : "", n_hidden);
  }
  chart_title (p, *v->title ? v->title : eve_name (c), problem != NULL ? problem : more);
  for (uint32_t s = 0; s < plot.n; s++)
    mark_series (v, d, &plot, s);
  axis_draw (p, &plot.t.axis, plot.t.y0, plot.t.y1);
  chart_scale_y (p, &plot.t.scale, plot.t.x0, plot.t.x1, plot.t.y0, plot.t.y1);
  curve_draw_legend (v, p, &plot);
  curve_draw_key (v, p);
  cairo_save (cr);
  cairo_rectangle (cr, plot.t.x0, plot.t.y0 - 1, plot.t.x1 - plot.t.x0, plot.t.y1 - plot.t.y0 + 2);
  cairo_clip (cr);
  time_plot_unknown (&plot.t, p, values_reader_reach (v->read));
  for (uint32_t a = 0; drawing_is_painted (d) && a < plot.n_areas; a++)
    curve_draw_area (v, p, &plot, a);
  if (curve_has_spans (v, &plot))
    curve_draw_spans (v, d, p, &plot);
  else if (drawing_is_painted (d) && v->join != JOIN_STACKED)
    draw_all_series (v, p, &plot);
  curve_draw_marks (v, d, p, &plot);
  if (values_reader_lost (v->read, 0, 0, NULL, NULL))
    values_reader_lost (v->read, plot.t.axis.from, MIN (plot.t.axis.to, scene->source->last), time_plot_lost,
                        &(TimePlotLosses){ p, &plot.t });
  cairo_restore (cr);
  if (plot.n == 0)
    paint_sentence (p, *v->empty != '\0' ? v->empty : "No value has come");
  else if (axis_outside (&plot.t.axis, scene->source) != NULL)
    paint_sentence (p, axis_outside (&plot.t.axis, scene->source));
  if (scene->at != INT64_MIN)
    axis_cursor (p, &plot.t.axis, scene->at, plot.t.y0, plot.t.y1);
  plot_clear (&plot);
  return true;
}

static uint32_t
curve_depends (EveComponent *c, const ViewScene *scene)
{
  const Curve *v = (const Curve *) c;

  return VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED
         | (v->join == JOIN_STACKED && v->order == ORDER_INSTANT ? VIEW_ON_INSTANT : 0);
}

static bool
curve_plot_of (EveComponent *c, const ViewScene *scene, cairo_rectangle_t *where, int64_t *from, int64_t *to)
{
  time_plot_where (scene, curve_top ((const Curve *) c, scene), where, from, to);
  return true;
}

static void
curve_draw_cursor (EveComponent *c, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where)
{
  time_plot_draw_cursor (scene, curve_top ((const Curve *) c, scene), cr, where);
}

/* What a series has at a column: its mean there, or what held before; NULL: nothing. */
static bool
curve_value_at (const Plot *plot, uint32_t s, uint32_t at, double *value, const ValueColumn **of)
{
  uint32_t i = at;

  while (i > 0 && plot->columns[s * plot->t.n_columns + i].count == 0
         && isfinite (plot->columns[s * plot->t.n_columns + i].last))
    i--;
  const ValueColumn *k = &plot->columns[s * plot->t.n_columns + i];
  *value = k->count > 0 ? i == at ? k->sum / (double) k->count : k->last : plot->before[s];
  *of = i == at ? k : NULL;
  return isfinite (*value);
}

/* A colour dropped there is that of the series. */
static void
give_colour (const Curve *v, uint32_t s, DrawingTag *tag)
{
  tag->attribute = s == REST ? NULL : LOOKS_OF_SERIES;
  tag->value = s == REST ? NULL : g_intern_string (v->names->pdata[s]);
}

/* The area that a point lies in. */
static bool
point_area (const Curve *v, const Plot *plot, double x, double y, DrawingMark *mark)
{
  uint32_t i = MIN ((uint32_t) (x - plot->t.x0), plot->t.n_columns - 1);

  for (uint32_t a = 0; a < plot->n_areas; a++) {
    double low = time_plot_y (&plot->t, plot->edge[(gsize) a * plot->t.n_columns + i]),
           high = time_plot_y (&plot->t, plot->edge[(gsize) (a + 1) * plot->t.n_columns + i]);
    if (y > low || y <= high)
      continue;
    int64_t date = plot->t.axis.from + (int64_t) ((x - plot->t.x0) * plot->t.axis.per_px);
    DrawingTag tag = { .what = plot->area[a] == REST ? (TraceRef){ 0 } : v->refs[plot->area[a]],
                       .from = date,
                       .to = date,
                       .index = plot->area[a],
                       .part = IN_POINT };
    give_colour (v, plot->area[a], &tag);
    *mark = drawing_mark_of (x - 4, high, 8, low - high, &tag);
    return true;
  }
  return false;
}

#define NEAR 24.0 /* px from a curve */

/* The curve nearest to a point. */
static bool
curve_at_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  Curve *v = (Curve *) c;
  double best = NEAR, value;
  const ValueColumn *k;
  bool found = false;
  Paint p;
  Plot plot;

  if (!curve_open_film (v, scene, NULL))
    return false;
  paint_measure (&p, scene);
  find_refs (v, scene);
  curve_compose (v, &p, &plot);
  bool inside = x >= plot.t.x0 && x < plot.t.x1;
  if (v->join == JOIN_STACKED)
    found = inside && x < curve_end (v, &p, &plot) && point_area (v, &plot, x, y, mark);
  else if (inside && curve_knows_stretches (v))
    found = curve_point_stretch (v, scene, &plot, x, y, mark);
  for (uint32_t s = 0; s < plot.n && inside && !found && v->join != JOIN_STACKED; s++) {
    double off;
    if (curve_hides (v, s)
        || !curve_value_at (&plot, s, MIN ((uint32_t) (x - plot.t.x0), plot.t.n_columns - 1), &value, &k)
        || (off = fabs (time_plot_y (&plot.t, value) - y)) > best)
      continue;
    int64_t date = plot.t.axis.from + (int64_t) ((x - plot.t.x0) * plot.t.axis.per_px);
    DrawingTag tag = { .what = v->refs[s], .from = date, .to = date, .index = s, .part = IN_POINT };
    give_colour (v, s, &tag);
    best = off;
    found = true;
    *mark = drawing_mark_of (x - 4, time_plot_y (&plot.t, value) - 4, 8, 8, &tag);
  }
  plot_clear (&plot);
  paint_end (&p);
  return found;
}

static void
say_point (Curve *v, const ViewScene *scene, const Plot *plot, const DrawingMark *m, GString *name, GString *facts)
{
  double x = axis_x (&plot->t.axis, m->tag.from), value;
  uint32_t i = (uint32_t) CLAMP (m->left + 4 - plot->t.x0, 0, plot->t.n_columns - 1.0);
  const ValueColumn *k = NULL;
  bool known = false;

  for (uint32_t a = 0; a < plot->n_areas; a++)
    if (plot->area[a] == m->tag.index) { /* what is drawn, which is the last value of the column */
      value = plot->edge[(gsize) (a + 1) * plot->t.n_columns + i] - plot->edge[(gsize) a * plot->t.n_columns + i];
      known = true;
    }
  if ((!known && (m->tag.index == REST || !curve_value_at (plot, m->tag.index, i, &value, &k))) || !isfinite (x))
    return;
  g_autofree char *number = chart_number (value, v->unit),
                  *date = axis_date (&scene->source->clock, m->tag.from, plot->t.axis.decimals + 2);
  g_string_append_printf (name, _ (": %s at %s"), number, date);
  if (facts == NULL || k == NULL || k->count <= 1)
    return;
  g_autofree char *least = chart_number (k->min, v->unit), *most = chart_number (k->max, v->unit);
  g_string_append_printf (facts, "Least\t%s\nMost\t%s\nValues\t%" G_GUINT64_FORMAT "\n", least, most, k->count);
}

static void
say_series (Curve *v, const Plot *plot, uint32_t s, GString *name)
{
  double lo = INFINITY, hi = -INFINITY;
  uint64_t n = 0;

  for (uint32_t i = 0; i < plot->t.n_columns; i++) {
    const ValueColumn *k = &plot->columns[s * plot->t.n_columns + i];
    if (k->count > 0) {
      lo = fmin (lo, k->min);
      hi = fmax (hi, k->max);
      n += k->count;
    }
  }
  if (n == 0)
    return;
  g_autofree char *least = chart_number (lo, v->unit), *most = chart_number (hi, v->unit);
  if (n == 1)
    g_string_append_printf (name, _ (": 1 value, %s"), least);
  else
    g_string_append_printf (name, _ (": %" PRIu64 " values from %s to %s"), n, least, most);
}

static void
curve_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  Curve *v = (Curve *) c;
  Paint p;
  Plot plot;

  bool rest = m->tag.index == REST && m->tag.part == IN_POINT, marked = m->tag.part == IN_MARK;
  if (!curve_open_film (v, scene, NULL) || (m->tag.index >= v->names->len && !rest && !marked))
    return;
  paint_measure (&p, scene);
  find_refs (v, scene);
  curve_compose (v, &p, &plot);
  if (marked || m->tag.part == IN_STRETCH) {
    if (marked)
      curve_say_mark (v, scene, m, &plot, name);
    else if (v->stretches.read != NULL)
      curve_say_stretch (v, scene, m, name, facts);
    plot_clear (&plot);
    paint_end (&p);
    return;
  }
  g_autofree char *others = curve_rest_name (&plot);
  g_string_append (name, rest ? others : curve_name (v, m->tag.index));
  if (m->tag.part == IN_POINT)
    say_point (v, scene, &plot, m, name, facts);
  else
    say_series (v, &plot, m->tag.index, name);
  plot_clear (&plot);
  paint_end (&p);
}

typedef struct Writing {
  Curve *v;
  const ViewScene *scene;
  GString *to;
  Names *tasks;
  GArray *known; /* stretches that the values are the lengths of, */
  guint next;    /* these are not told yet */
} Writing;

static void
write_stretch (Writing *w, const ValueSample *s)
{
  const Stretch *one = curve_stretch_of (w->v, w->scene, w->known, &w->next, s);
  const TraceSource *source = w->scene->source;
  char from[64], to[64];

  if (one == NULL) {
    g_string_append (w->to, ",,,,");
    return;
  }
  trace_clock_print (&source->clock, one->from, from, sizeof from);
  trace_clock_print (&source->clock, one->to, to, sizeof to);
  g_string_append_c (w->to, ',');
  stats_csv_text (w->to, one->kind);
  g_string_append_c (w->to, ',');
  if (one->cause != TRACE_NONE)
    stats_csv_text (w->to, names_name (w->tasks, source, one->cause));
  g_string_append_printf (w->to, ",%s,%s", from, to);
}

static bool
write_sample (void *arg, const ValueSample *s)
{
  Writing *w = arg;
  char date[64];

  if (s->series >= w->v->names->len)
    return true;
  trace_clock_print (&w->scene->source->clock, s->date, date, sizeof date);
  g_string_append_printf (w->to, "%s,", date);
  stats_csv_text (w->to, w->v->names->pdata[s->series]);
  g_string_append_c (w->to, ',');
  stats_csv_number (w->to, s->value);
  if (w->tasks != NULL)
    write_stretch (w, s);
  g_string_append (w->to, "\r\n");
  return w->to->len < (UINT64_C (1) << 30);
}

static void
write_loss (void *arg, const HistoryLost *lost)
{
  Writing *w = arg;
  char from[64], to[64];

  trace_clock_print (&w->scene->source->clock, lost->from, from, sizeof from);
  trace_clock_print (&w->scene->source->clock, lost->to, to, sizeof to);
  g_string_append_printf (w->to, "%s,missing until %s,\r\n", from, to);
}

static bool
curve_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  Curve *v = (Curve *) c;
  int64_t from, until;

  if (!curve_open_film (v, scene, error))
    return false;
  time_plot_range (scene, &from, &until);
  g_string_append (to, "date [s],owner,");
  stats_csv_heading (to, "value", v->unit);
  if (curve_knows_stretches (v))
    g_string_append (to, ",kind,for,from [s],until [s]");
  g_string_append (to, "\r\n");
  find_refs (v, scene);
  int64_t end = until < INT64_MAX ? until + 1 : until;
  Writing w = { v,
                scene,
                to,
                curve_knows_stretches (v) ? names_read (view_tasks (scene)) : NULL,
                curve_stretches_known (v, scene, from, end),
                0 };
  values_reader_each (v->read, from, end, write_sample, &w);
  values_reader_lost (v->read, from, MIN (end, scene->source->last), write_loss, &w);
  g_clear_pointer (&w.tasks, names_free);
  g_array_unref (w.known);
  if (v->beyond > 0)
    g_string_append_printf (to, ",%" G_GUINT64_FORMAT " values of others are not shown,\r\n", v->beyond);
  return true;
}

static const View view = { .title = "Curve",
                           .spans = VIEW_OF_EXECUTION,
                           .build = curve_build,
                           .say = curve_say,
                           .point = curve_at_point,
                           .depends = curve_depends,
                           .draw_cursor = curve_draw_cursor,
                           .plot = curve_plot_of,
                           .csv = curve_csv,
                           .damage = curve_damage };

/* ---- its inspector: names of series are chosen among those of the film ----------------------------------------------------- */

enum { ROW_JOIN, ROW_MOST, ROW_LARGEST, ROW_ALSO, ROW_FROM, ROW_TO, ROW_TITLE, ROW_EMPTY, ROW_MARK };
static const BoxRow rows[] = {
  [ROW_JOIN] = { BOX_ROW_SETTING, "join", NULL, NULL },          [ROW_MOST] = { BOX_ROW_SETTING, "most", NULL, NULL },
  [ROW_LARGEST] = { BOX_ROW_SETTING, "largest by", NULL, NULL }, [ROW_ALSO] = { BOX_ROW_SETTING, "also", NULL, NULL },
  [ROW_FROM] = { BOX_ROW_SETTING, "from", NULL, NULL },          [ROW_TO] = { BOX_ROW_SETTING, "to", NULL, NULL },
  [ROW_TITLE] = { BOX_ROW_SETTING, "title", NULL, NULL },        [ROW_EMPTY] = { BOX_ROW_SETTING, "empty", NULL, NULL },
  [ROW_MARK] = { BOX_ROW_SETTING, "marks are", NULL, NULL },
};

static bool
curve_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  const Curve *v = (const Curve *) c;

  if (row == ROW_MARK)
    return eve_in_connected (v->base.in[CURVE_MARKS]);
  return v->join == JOIN_STACKED || (row != ROW_MOST && row != ROW_LARGEST && row != ROW_ALSO);
}

/* What is named already with one more. */
static void
curve_offer (EveComponent *c, uint32_t row, void (*add) (void *arg, const char *value), void *arg)
{
  const Curve *v = (const Curve *) c;

  for (guint i = 0; row == ROW_ALSO && v->names != NULL && i < v->names->len; i++) {
    g_autoptr (GString) list = g_string_new (v->also);
    if (stats_list_has (v->also, v->names->pdata[i]))
      continue;
    stats_list_add (list, v->names->pdata[i]);
    add (arg, list->str);
  }
}

static const BoxInspector inspector = {
  .rows = rows, .n_rows = EVE_N (rows), .look = curve_look, .offer = curve_offer
};

static const void *
curve_query (EveComponent *c, const char *name)
{
  return strcmp (name, VIEW_INTERFACE) == 0  ? (const void *) &view
         : strcmp (name, BOX_INSPECTOR) == 0 ? (const void *) &inspector
                                             : NULL;
}

static const EveClass curve = {
  VIEW_CLASS (Curve),
  .id = "scope.curve",
  .label = "Curve",
  .doc = "Dated numbers over the whole execution, a line for each of the first 64 owners and attributes of theirs.",
  .help = "Where several values share a pixel, the line is their mean and the span between the least and the most is "
          "shaded: nothing is "
          "painted over. A value holds until the next one unless `join` says otherwise. Stacked, the area of each "
          "owner stands "
          "on those of the larger ones, and the height of all is their sum: of what adds up, as memory by class.",
  .finish = curve_finish,
  .query = curve_query,
};
EVE_PLUGIN (&curve);
