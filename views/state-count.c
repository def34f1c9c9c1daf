/* SPDX-License-Identifier: Apache-2.0 */
/* state-count.c - how many tasks are in each state over time, stacked on each other (utilization count; summary
 * timeline). */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "statistics/list.h"
#include "eve/words.h"
#include "readers/another.h"
#include "readers/reader.h"
#include "views/layer.h"
#include "views/slots.h"
#include "views/at-once.h"
#include "views/dense.h"
#include "views/palettes.h"
#include "views/time-plot.h"
#include "views/painter.h"

enum { AS_STACK, AS_SHARES, AS_LINES };
#define TOP (CHART_TOP + 38) /* px: of the plot, below title and legend */
#define STRIP 7.0            /* px: what a selected task does, under the plot */
#define TOGETHER 1024        /* tasks whose shares are added up in single precision before they are added to the rest */
#define PARTS 16             /* into which they are divided, at least */

typedef struct Counted { /* of the last picture: made anew only when these are others */
  char *base;
  int64_t from, to, reach;
  uint32_t n_columns, owners, met;
  uint32_t n_once_more; /* owners that are told of once more: of these the first counts */
  double *tasks;        /* by column, then slot: the mean number of tasks */
} Counted;

typedef struct StateCount {
  EveBase base;
  int32_t as; /* settings */
  char *states, *title;
  StatesReader *read; /* draw side: of `layer` */
  char *layer;
  StateSlots slots;
  Counted counted;
} StateCount;

static const EveInSpec ins[] = {
  { "states", &state_type_state, EVE_ASYNC, .kept = true, .required = true,
    .doc = "State of each task, from a simulator's output of that name." },
};
static const char *const ways[] = { "stacked", "shares", "lines", NULL };
static const EveField settings[] = {
  { "as", EVE_F_CHOICE, offsetof (StateCount, as), .choices = ways, .look = true,
    .doc = "States stacked on each other, the same as shares of 100 %, or a line for each." },
  { "states", EVE_F_STRING, offsetof (StateCount, states), .look = true,
    .doc = "Which states are shown, with commas between, the first at the bottom; empty: all that are part of a life, "
           "work at the bottom and rest on top." },
  { "title", EVE_F_STRING, offsetof (StateCount, title), .look = true, .doc = "Empty: the name of the box." },
};

static void
forget_counted (Counted *k)
{
  g_free (k->base);
  g_free (k->tasks);
  *k = (Counted){ 0 };
}

static void
state_count_finish (EveComponent *c)
{
  StateCount *v = (StateCount *) c;

  g_clear_pointer (&v->read, states_reader_free);
  slots_clear (&v->slots);
  forget_counted (&v->counted);
  g_free (v->layer);
}

static bool
state_count_open_film (StateCount *v, const ViewScene *scene, GError **error)
{
  if (scene->film == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("there is no film yet: what tasks did in the whole execution comes from it"));
    return false;
  }
  g_autofree char *layer = layer_of_input (v->base.in[0], scene->film);
  if (layer == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing is wired to it"));
    return false;
  }
  if (g_strcmp0 (layer, v->layer) != 0) {
    g_clear_pointer (&v->read, states_reader_free);
    g_free (v->layer);
    v->layer = g_steal_pointer (&layer);
  }
  if (v->read == NULL)
    v->read = states_reader_open (v->layer, error);
  else
    states_reader_refresh (v->read);
  if (v->read != NULL)
    states_reader_set_end (v->read, scene->source->last);
  return v->read != NULL;
}

/* ---- counting -------------------------------------------------------------------------------------------------------- */

typedef struct Plot {
  TimePlot t;
  uint32_t n;                /* slots shown, */
  uint32_t slot[SLOTS_MOST]; /* from the bottom to the top */
  const double *tasks;
} Plot;

/* Some owners, which all processors count at once. */
typedef struct Counting {
  StateCount *v;
  const Axis *a;
  const uint32_t *all;
  uint32_t n_columns, owners, first, together; /* together: owners of a part */
  float *shares;                               /* by part, column and slot */
  uint32_t met[PARTS];
} Counting;

static void
state_count_part (void *arg, uint32_t part)
{
  Counting *c = arg;
  const StateSlots *slots = &c->v->slots;
  gsize n = (gsize) c->n_columns * slots->stride;
  uint32_t first = c->first + part * c->together;

  memset (c->shares + part * n, 0, n * sizeof *c->shares);
  c->met[part] = 0;
  states_reader_shares_of (c->v->read, c->all + first, MIN (c->together, c->owners - first), c->a->from, c->a->per_px,
                           c->n_columns, 1, &slots->palette, c->shares + part * n, slots->stride, &c->met[part]);
}

/* The mean number of tasks in each slot of each column. */
static void
views_state_count (StateCount *v, const TraceSource *source, const Axis *a, uint32_t n_columns)
{
  Counted *k = &v->counted;
  uint32_t owners = states_reader_owners (v->read);
  int64_t reach = states_reader_reach (v->read);

  if (g_strcmp0 (k->base, v->layer) == 0 && k->from == a->from && k->to == a->to && k->reach == reach
      && k->n_columns == n_columns && k->owners == owners)
    return;
  forget_counted (k);
  g_autofree uint32_t *all = g_new (uint32_t, owners + 1);
  uint32_t n_all = 0;
  for (uint32_t i = 0; i < owners; i++)
    if (!trace_task_is_another (source, i))
      all[n_all++] = i;
  slots_choose (&v->slots, v->read, all, n_all, a->from, a->to);
  gsize n = (gsize) n_columns * v->slots.stride;
  *k = (Counted){ g_strdup (v->layer),   a->from, a->to, reach, n_columns, owners, 0, owners - n_all,
                  g_new0 (double, n + 1) };
  /* Of so many, and added up in this order, on any machine. */
  Counting some = { .v = v, .a = a, .n_columns = n_columns, .all = all, .owners = n_all };
  some.together = CLAMP ((n_all + PARTS - 1) / PARTS, 1, TOGETHER);
  some.shares = g_new (float, n *PARTS + 1);
  states_reader_together (v->read); /* here, not by those that count */
  states_reader_keep_sums (v->read);
  for (; some.first < n_all; some.first += some.together * PARTS) {
    uint32_t parts = MIN ((n_all - some.first + some.together - 1) / some.together, PARTS);
    at_once (parts, 1, state_count_part, &some);
    for (uint32_t part = 0; part < parts; part++) {
      const float *shares = some.shares + part * n;
      k->met |= some.met[part];
      for (gsize at = 0; at < n; at++)
        k->tasks[at] += (double) shares[at];
    }
  }
  g_free (some.shares);
}

/* Work at the bottom, rest on top; less than nothing: not shown. */
static int
state_count_rank_of (const StateCount *v, const ViewScene *scene, uint32_t slot)
{
  static const int rank[] = {
    [STATE_SENSE_WORKS] = 0, [STATE_SENSE_COSTS] = 1, [STATE_SENSE_TALKS] = 2, [STATE_SENSE_NONE] = 3,
    [STATE_SENSE_WAITS] = 4, [STATE_SENSE_REST] = 5,  [STATE_SENSE_GONE] = -1
  };
  uint32_t state = v->slots.state[slot];

  if (*v->states) {
    g_auto (GStrv) names = stats_list_split (v->states);
    for (int i = 0; names[i] != NULL; i++)
      if (strcmp (names[i], paint_slot_name (scene->graph, STATE_NODE, &v->slots, slot)) == 0)
        return i;
    return -1;
  }
  return state == SLOTS_OTHERS ? 3 : rank[paint_state_sense (scene->graph, STATE_NODE, state)];
}

static void
order_slots (const StateCount *v, const ViewScene *scene, Plot *plot)
{
  int ranks[SLOTS_MOST];

  for (uint32_t k = 0; k < v->slots.n; k++) {
    int rank = (v->counted.met >> k & 1) != 0 ? state_count_rank_of (v, scene, k) : -1;
    uint32_t at = plot->n;
    if (rank < 0)
      continue;
    for (; at > 0 && ranks[at - 1] > rank; at--) {
      ranks[at] = ranks[at - 1];
      plot->slot[at] = plot->slot[at - 1];
    }
    ranks[at] = rank;
    plot->slot[at] = k;
    plot->n++;
  }
}

static double
at_column (const StateCount *v, const Plot *plot, uint32_t column, uint32_t i)
{
  return plot->tasks[(gsize) column * v->slots.stride + plot->slot[i]];
}

static double
state_count_sum_of (const StateCount *v, const Plot *plot, uint32_t column)
{
  double sum = 0;

  for (uint32_t i = 0; i < plot->n; i++)
    sum += at_column (v, plot, column, i);
  return sum;
}

static void
state_count_compose (StateCount *v, const ViewScene *scene, Plot *plot)
{
  double most = 0;

  *plot = (Plot){ 0 };
  time_plot_begin (&plot->t, scene, TOP);
  views_state_count (v, scene->source, &plot->t.axis, plot->t.n_columns);
  plot->tasks = v->counted.tasks;
  order_slots (v, scene, plot);
  for (uint32_t i = 0; i < plot->t.n_columns; i++)
    for (uint32_t k = 0; v->as == AS_LINES ? k < plot->n : k < 1; k++)
      most = fmax (most, v->as == AS_LINES ? at_column (v, plot, i, k) : state_count_sum_of (v, plot, i));
  int labels = (int) CLAMP ((plot->t.y1 - plot->t.y0) / 40, 2, 9);
  if (v->as == AS_SHARES)
    chart_scale (&plot->t.scale, 0, 100, "%", labels);
  else
    chart_scale_whole (&plot->t.scale, 0, fmax (round (most * 1e4) / 1e4, 1), _ ("tasks"), labels);
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

static TraceRef
state_count_ref_of (const StateCount *v, const ViewScene *scene, uint32_t slot)
{
  if (v->slots.state[slot] == SLOTS_OTHERS)
    return (TraceRef){ 0 };
  return trace_ref_value (paint_state_attribute (scene->graph, STATE_NODE),
                          paint_slot_name (scene->graph, STATE_NODE, &v->slots, slot));
}

/* How much of the sum a column must be, for shares. */
static double
state_count_measure (const StateCount *v, const Plot *plot, uint32_t column)
{
  double sum = v->as == AS_SHARES ? state_count_sum_of (v, plot, column) : 1;

  return v->as == AS_SHARES ? sum > 0 ? 100 / sum : 0 : 1;
}

static bool
any_state_chosen (const StateCount *v, const ViewScene *scene, const Plot *plot)
{
  for (uint32_t i = 0; i < plot->n; i++)
    if (view_selects (scene, state_count_ref_of (v, scene, plot->slot[i])))
      return true;
  return false;
}

static void
draw_stack (const StateCount *v, Paint *p, const Plot *plot)
{
  uint32_t n = plot->t.n_columns;
  g_autofree double *base = g_new0 (double, n + 1);
  g_autofree float *top = g_new0 (float, n + 1), *bottom = g_new0 (float, n + 1);
  bool others = any_state_chosen (v, p->scene, plot);
  Dense dense;
  bool pixels = dense_begin (&dense, p->cr);

  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE); /* neighbours touch without a seam */
  for (uint32_t i = 0; i < plot->n; i++) {
    uint32_t slot = plot->slot[i], rgb = paint_slot (p->scene, STATE_NODE, &v->slots, slot);
    if (others && !view_selects (p->scene, state_count_ref_of (v, p->scene, slot)))
      rgb = paint_mix (rgb, p->paper, 0.6);
    for (uint32_t k = 0; k < n; k++) {
      double more = at_column (v, plot, k, i) * state_count_measure (v, plot, k);
      bottom[k] = (float) time_plot_y (&plot->t, base[k]);
      base[k] += fmax (more, 0);
      top[k] = (float) time_plot_y (&plot->t, base[k]);
    }
    if (pixels && VIEW_PATTERN (rgb) == 0) {
      dense_colour (&dense, rgb, 1);
      dense_sharp_columns (&dense, plot->t.x0, n, top, bottom);
      continue;
    }
    paint_source (p->cr, rgb, 1);
    for (uint32_t k = 0; k < n; k++)
      if (top[k] < bottom[k])
        cairo_rectangle (p->cr, plot->t.x0 + k, (double) top[k], 1, (double) (bottom[k] - top[k]));
    cairo_fill (p->cr);
  }
  if (pixels)
    dense_end (&dense);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
}

static void
state_count_draw_lines (const StateCount *v, Paint *p, const Plot *plot)
{
  bool others = any_state_chosen (v, p->scene, plot);

  cairo_set_line_join (p->cr, CAIRO_LINE_JOIN_ROUND);
  for (uint32_t i = 0; i < plot->n; i++) {
    uint32_t slot = plot->slot[i], rgb = paint_slot (p->scene, STATE_NODE, &v->slots, slot);
    bool chosen = view_selects (p->scene, state_count_ref_of (v, p->scene, slot));
    paint_source (p->cr, others && !chosen ? paint_mix (rgb, p->paper, 0.6) : rgb, 1);
    cairo_set_line_width (p->cr, chosen ? 2.5 : 1.5);
    for (uint32_t k = 0; k < plot->t.n_columns; k++)
      cairo_line_to (p->cr, plot->t.x0 + k + 0.5, time_plot_y (&plot->t, at_column (v, plot, k, i)));
    cairo_stroke (p->cr);
  }
}

/* What a selected task does, as a strip at the foot of the plot. */
static void
state_count_draw_chosen (StateCount *v, Paint *p, const Plot *plot)
{
  const TraceRefs *s = p->scene->selection;
  g_autofree float *shares = NULL;
  uint32_t met = 0, task = TRACE_NONE;

  for (uint32_t i = 0; task == TRACE_NONE && i < trace_refs_n (s); i++) {
    TraceRef r = trace_refs_at (s, i);
    uint32_t to;
    if (r.type == TRACE_REF_TASK)
      task = r.id;
    else
      trace_ref_ends (r, &task, &to); /* of a message its sender */
    if (task != TRACE_NONE && (r.source != p->scene->source->number || task >= v->counted.owners))
      task = TRACE_NONE;
  }
  if (task == TRACE_NONE)
    return;
  shares = g_new0 (float, (gsize) plot->t.n_columns * v->slots.stride + 1);
  states_reader_shares (v->read, task, plot->t.axis.from, plot->t.axis.per_px, plot->t.n_columns, 1, &v->slots.palette,
                        shares, v->slots.stride, &met);
  paint_source (p->cr, p->paper, 1);
  cairo_rectangle (p->cr, plot->t.x0, plot->t.y1 - STRIP - 2, plot->t.x1 - plot->t.x0, STRIP + 2);
  cairo_fill (p->cr);
  for (uint32_t k = 0; k < plot->t.n_columns; k++) {
    double y = plot->t.y1;
    for (uint32_t i = 0; i < plot->n; i++) {
      double high = STRIP * (double) shares[(gsize) k * v->slots.stride + plot->slot[i]];
      if (!(high > 0))
        continue;
      paint_source (p->cr, paint_slot (p->scene, STATE_NODE, &v->slots, plot->slot[i]), 1);
      cairo_rectangle (p->cr, plot->t.x0 + k, y - high, 1, high);
      cairo_fill (p->cr);
      y -= high;
    }
  }
  paint_source (p->cr, DRAWING_ACCENT, 1);
  cairo_rectangle (p->cr, plot->t.x0, plot->t.y1 - STRIP - 2, plot->t.x1 - plot->t.x0, 2);
  cairo_fill (p->cr);
  g_autoptr (GString) name = g_string_new (NULL);
  trace_ref_name (trace_ref_task (p->scene->source->number, task), false, name);
  /* The name stands in the place of the lowest label. */
  paint_source (p->cr, p->paper, 1);
  cairo_rectangle (p->cr, plot->t.x0 - 62, plot->t.y1 - STRIP - 6, 61, STRIP + 13);
  cairo_fill (p->cr);
  paint_text (p, plot->t.x0 - 6, plot->t.y1 - STRIP / 2 - 1, 1, PAINT_SMALL | PAINT_BOLD, p->ink, 54, name->str);
}

static bool
state_count_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  StateCount *v = (StateCount *) c;
  uint32_t shown = 0;
  Plot plot;

  if (!state_count_open_film (v, scene, error))
    return false;
  Paint *p = drawing_begin (d);
  state_count_compose (v, scene, &plot);
  const char *problem = states_reader_problem (v->read);
  uint32_t n = v->counted.owners - v->counted.n_once_more;
  g_autofree char *owners = v->counted.n_once_more > 0
                                ? paint_told (_ ("%u tasks; %u rows that tell of them once more do not count"), n,
                                              v->counted.n_once_more)
                                : paint_told (P_ ("%u task", "%u tasks", n), n);
  chart_title (p, *v->title ? v->title : eve_name (c), problem != NULL ? problem : owners);
  for (uint32_t i = 0; i < plot.n; i++)
    shown |= 1u << plot.slot[i];
  paint_legend (p, 12, 38, STATE_NODE, &v->slots, shown, NULL);
  axis_draw (p, &plot.t.axis, plot.t.y0, plot.t.y1);
  chart_scale_y (p, &plot.t.scale, plot.t.x0, plot.t.x1, plot.t.y0, plot.t.y1);
  cairo_save (p->cr);
  cairo_rectangle (p->cr, plot.t.x0, plot.t.y0 - 1, plot.t.x1 - plot.t.x0, plot.t.y1 - plot.t.y0 + 2);
  cairo_clip (p->cr);
  if (drawing_is_painted (d)) {
    if (v->as == AS_LINES)
      state_count_draw_lines (v, p, &plot);
    else
      draw_stack (v, p, &plot);
  }
  time_plot_unknown (&plot.t, p, states_reader_reach (v->read));
  if (states_reader_lost (v->read, 0, 0, NULL, NULL))
    states_reader_lost (v->read, plot.t.axis.from, MIN (plot.t.axis.to, scene->source->last), time_plot_lost,
                        &(TimePlotLosses){ p, &plot.t });
  cairo_restore (p->cr);
  state_count_draw_chosen (v, p, &plot);
  if (plot.n == 0)
    paint_sentence (p, axis_outside (&plot.t.axis, scene->source) != NULL ? axis_outside (&plot.t.axis, scene->source)
                                                                          : "No task was in such a state");
  if (scene->at != INT64_MIN)
    axis_cursor (p, &plot.t.axis, scene->at, plot.t.y0, plot.t.y1);
  return true;
}

static uint32_t
state_count_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

static bool
state_count_plot_of (EveComponent *c, const ViewScene *scene, cairo_rectangle_t *where, int64_t *from, int64_t *to)
{
  time_plot_where (scene, TOP, where, from, to);
  return true;
}

static void
state_count_draw_cursor (EveComponent *c, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where)
{
  time_plot_draw_cursor (scene, TOP, cr, where);
}

/* ---- pointing -------------------------------------------------------------------------------------------------------- */

/* The state at a point: the part of the stack, or the nearest line. */
static bool
state_count_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  StateCount *v = (StateCount *) c;
  double base = 0, best = 24;
  uint32_t found = UINT32_MAX;
  Plot plot;

  if (!state_count_open_film (v, scene, NULL))
    return false;
  state_count_compose (v, scene, &plot);
  if (x < plot.t.x0 || x >= plot.t.x0 + plot.t.n_columns || y < plot.t.y0 || y > plot.t.y1 || plot.t.n_columns == 0)
    return false;
  uint32_t column = (uint32_t) (x - plot.t.x0);
  for (uint32_t i = 0; i < plot.n; i++) {
    double more = at_column (v, &plot, column, i) * state_count_measure (v, &plot, column);
    if (v->as == AS_LINES && fabs (time_plot_y (&plot.t, more) - y) < best) {
      best = fabs (time_plot_y (&plot.t, more) - y);
      found = plot.slot[i];
    }
    if (v->as != AS_LINES && more > 0 && y <= time_plot_y (&plot.t, base) && y > time_plot_y (&plot.t, base + more))
      found = plot.slot[i];
    base += more;
  }
  if (found == UINT32_MAX)
    return false;
  DrawingTag tag = { .from = plot.t.axis.from + (int64_t) (column * plot.t.axis.per_px),
                     .to = plot.t.axis.from + (int64_t) ((column + 1) * plot.t.axis.per_px),
                     .index = found };
  if (v->slots.state[found] != SLOTS_OTHERS) {
    tag.attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE));
    tag.value = g_intern_string (paint_slot_name (scene->graph, STATE_NODE, &v->slots, found));
  }
  *mark = drawing_mark_of (plot.t.x0 + column, y - 4, 1, 8, &tag);
  return true;
}

static void
state_count_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  StateCount *v = (StateCount *) c;
  Plot plot;

  if (m->tag.index >= v->slots.n || !state_count_open_film (v, scene, NULL))
    return;
  state_count_compose (v, scene, &plot);
  g_string_append (name, paint_slot_word (scene->graph, STATE_NODE, &v->slots, m->tag.index));
  if (m->tag.part == DRAWING_LEGEND || m->tag.from > m->tag.to || plot.t.n_columns == 0)
    return;
  uint32_t column = (uint32_t) CLAMP (floor (m->left - plot.t.x0), 0, plot.t.n_columns - 1.0);
  g_autofree char *date = axis_date (&scene->source->clock, m->tag.from, plot.t.axis.decimals + 2);
  for (uint32_t i = 0; i < plot.n; i++) {
    double tasks = at_column (v, &plot, column, i), sum = state_count_sum_of (v, &plot, column);
    g_autofree char *number = chart_number (round (tasks * 100) / 100, NULL),
                    *share = chart_number (100 * tasks / sum, "%");
    if (plot.slot[i] == m->tag.index)
      g_string_append_printf (name, P_ (": %s task at %s, %s", ": %s tasks at %s, %s", tasks == 1 ? 1 : 2), number,
                              date, share);
    else if (facts != NULL && tasks > 0)
      g_string_append_printf (facts, P_ ("%s\t%s task\n", "%s\t%s tasks\n", tasks == 1 ? 1 : 2),
                              paint_slot_word (scene->graph, STATE_NODE, &v->slots, plot.slot[i]), number);
  }
}

/* ---- the numbers ----------------------------------------------------------------------------------------------------- */

#define LINES 200 /* stretches of time that the table has */

typedef struct Adding {
  double *ticks; /* by stretch, then slot */
  int64_t from;
  double width;
  const StateSlots *slots;
} Adding;

/* Exact: each stay is cut at the edges of the stretches. */
static bool
add_stay (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Adding *a = arg;
  double x = fmax (((double) from - (double) a->from) / a->width, 0),
         end = fmin (((double) to - (double) a->from) / a->width, LINES);

  for (double next; x < end; x = next) {
    uint32_t line = (uint32_t) MIN (x, LINES - 1);
    next = fmin (line + 1.0, end);
    a->ticks[line * SLOTS_MOST + states_slot (&a->slots->palette, state)] += next - x;
  }
  return true;
}

static bool
state_count_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  StateCount *v = (StateCount *) c;
  Plot plot;

  if (!state_count_open_film (v, scene, error))
    return false;
  state_count_compose (v, scene, &plot);
  g_autofree double *ticks = g_new0 (double, LINES *SLOTS_MOST);
  Adding a = { ticks, plot.t.axis.from, ((double) plot.t.axis.to - (double) plot.t.axis.from) / LINES, &v->slots };
  for (uint32_t i = 0; a.width > 0 && i < v->counted.owners; i++)
    states_reader_each (v->read, i, plot.t.axis.from, plot.t.axis.to, add_stay, &a);
  g_string_append (to, "from [s],to [s],state,tasks\r\n");
  for (uint32_t line = 0; line < LINES; line++)
    for (uint32_t i = 0; i < plot.n; i++) {
      char from[64], until[64];
      trace_clock_print (&scene->source->clock, plot.t.axis.from + (int64_t) (line * a.width), from, sizeof from);
      trace_clock_print (&scene->source->clock, plot.t.axis.from + (int64_t) ((line + 1) * a.width), until,
                         sizeof until);
      g_string_append_printf (to, "%s,%s,", from, until);
      stats_csv_text (to, paint_slot_name (scene->graph, STATE_NODE, &v->slots, plot.slot[i]));
      g_string_append_c (to, ',');
      stats_csv_number (to, ticks[line * SLOTS_MOST + plot.slot[i]]);
      g_string_append (to, "\r\n");
    }
  return true;
}

static const char *
state_count_damage (EveComponent *c, bool *lost)
{
  StateCount *v = (StateCount *) c;

  if (lost != NULL)
    *lost = v->read != NULL && states_reader_lost (v->read, 0, 0, NULL, NULL);
  return v->read != NULL ? states_reader_problem (v->read) : NULL;
}

static const View view = { .title = "State count",
                           .spans = VIEW_OF_EXECUTION,
                           .build = state_count_build,
                           .say = state_count_say,
                           .point = state_count_point,
                           .depends = state_count_depends,
                           .draw_cursor = state_count_draw_cursor,
                           .plot = state_count_plot_of,
                           .csv = state_count_csv,
                           .damage = state_count_damage };

VIEW_QUERY (state_count_query, view)

static const EveClass state_count_class = {
  VIEW_CLASS (StateCount),
  .id = "scope.state-count",
  .label = "State count",
  .doc = "How many tasks are in each state over the whole execution, stacked on each other.",
  .help =
      "A column of pixels has the mean number of tasks over its time.  Time in states that are no part of a life, and "
      "before a task is born, is not counted.  A selected state stands out, and what a selected task does is a strip "
      "at the foot.  The table has 200 stretches of time, exactly.",
  .finish = state_count_finish,
  .query = state_count_query,
};
EVE_PLUGIN (&state_count_class);
