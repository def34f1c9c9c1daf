/* SPDX-License-Identifier: Apache-2.0 */
/* radial.c - a number of each owner on a ray of its own (Kiviat diagram): an even polygon is an even load.  Around the
 * present values lies the band between the least and the most that each has been. */
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "views/at-once.h"
#include "views/chart-rows.h"
#include "eve/words.h"
#include "views/painter.h"

#define RAYS_MOST 64 /* more owners than this are put together, neighbours each */

typedef struct Radial {
  ChartView chart;
  double from, to; /* settings */
  bool band;
  char *title;
  guint *order; /* of the rays of the last picture */
  guint n_order;
} Radial;

static const EveInSpec ins[] = { CHART_IN };
static const EveField settings[] = {
  { "from", EVE_F_DOUBLE, offsetof (Radial, from), .look = true,
    .doc = "The value in the middle; from and to equal: what the values need." },
  { "to", EVE_F_DOUBLE, offsetof (Radial, to), .look = true, .doc = "The value at the rim." },
  { "least and most", EVE_F_BOOL, offsetof (Radial, band), .def = 1, .look = true,
    .doc = "Shades what lies between the least and the most that each value has been so far." },
  { "title", EVE_F_STRING, offsetof (Radial, title), .look = true, .doc = "Empty: the name of the box." },
};

/* ---- rays ------------------------------------------------------------------------------------------------------------ */

typedef struct Ray {
  guint first, n;       /* places in the order of owners */
  uint32_t part;        /* of the scene's groups: a closed one that all of it is; else TRACE_NONE */
  double now, min, max; /* the mean of what is put together, and the extremes of all; NaN: nothing */
} Ray;

typedef struct Rays {
  const guint *order; /* indices of values, by owner */
  guint n_values, n,
      n_parts;     /* n_parts: rays there would be, if all had room; fewer than values where groups are closed */
  unsigned differ; /* chart_differ_in() */
  Ray ray[RAYS_MOST];
} Rays;

typedef struct InOrder {
  const GArray *values;
  const ViewScene *scene;
} InOrder;

/* Those of a closed group follow each other. */
static int
by_owner (gconstpointer a, gconstpointer b, gpointer of)
{
  const InOrder *in = of;
  guint i = *(const guint *) a, k = *(const guint *) b;
  const StatsDatum *x = &g_array_index (in->values, ChartValue, i).last,
                   *y = &g_array_index (in->values, ChartValue, k).last;
  uint32_t p = chart_part_of (in->scene, x), q = chart_part_of (in->scene, y);

  if (p != q)
    return p < q ? -1 : 1; /* who is in none comes last: TRACE_NONE */
  if (p != TRACE_NONE && x->attribute != y->attribute)
    return x->attribute < y->attribute ? -1 : 1;

  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  if (x->owner_kind != y->owner_kind)
    return x->owner_kind < y->owner_kind ? -1 : 1;
  return x->owner != y->owner ? (x->owner < y->owner ? -1 : 1) : (i > k) - (i < k);
}

#define GATHER_LEAST 20000 /* values: fewer are not worth another thread */

typedef struct Gathering {
  const GArray *values;
  Rays *rays;
} Gathering;

static void
radial_gather (void *arg, uint32_t number)
{
  const Gathering *g = arg;
  const GArray *values = g->values;
  const Rays *rays = g->rays;
  Ray *ray = &g->rays->ray[number];
  double sum = 0;
  guint n = 0;

  ray->now = ray->min = ray->max = NAN;
  for (guint i = ray->first; i < ray->first + ray->n; i++) {
    const ChartValue *v = &g_array_index (values, ChartValue, rays->order[i]);
    double x = stats_datum_number (&v->last);
    if (isfinite (x)) {
      sum += x;
      n++;
    }
    ray->min = fmin (ray->min, v->min);
    ray->max = fmax (ray->max, v->max);
  }
  if (n > 0)
    ray->now = sum / n;
}

#define SORTED_PART 8192 /* values */

typedef struct Sorted {
  InOrder *in;
  const guint *order;
  guint n;
  atomic_bool broken;
} Sorted;

static void
look_whether_sorted (void *arg, uint32_t part)
{
  Sorted *s = arg;
  guint first = part * SORTED_PART, end = MIN (first + SORTED_PART, s->n);

  for (guint i = MAX (first, 1); i < end; i++)
    if (by_owner (&s->order[i - 1], &s->order[i], s->in) >= 0)
      s->broken = true;
}

/* Indices of values, by owner.  Owners hardly ever change between two pictures, so the order of the last one is looked
 * at first: whatever came since, it still has each index once. */
static const guint *
order_of (Radial *r, const ViewScene *scene)
{
  GArray *values = r->chart.of.values;
  InOrder in = { values, scene };
  bool sorted = r->n_order == values->len && r->order != NULL;

  if (!sorted) {
    g_free (r->order);
    r->n_order = values->len;
    r->order = g_new (guint, values->len + 1);
    for (guint i = 0; i < values->len; i++)
      r->order[i] = i;
    sorted = true;
  }
  Sorted still = { .in = &in, .order = r->order, .n = values->len };
  if (sorted)
    at_once (values->len / SORTED_PART + 1, 2, look_whether_sorted, &still);
  if (!sorted || still.broken)
    g_qsort_with_data (r->order, (gint) values->len, sizeof *r->order, by_owner, &in);
  return r->order;
}

static void
radial_finish (EveComponent *c)
{
  g_clear_pointer (&((Radial *) c)->order, g_free);
  chart_view_finish (c);
}

/* Where the values of each part begin, and the end of all: of a closed group those that follow each other there; owners
 * that are no tasks, or alone, are parts of their own.  g_array_unref. */
static GArray *
radial_parts_of (const Radial *r, const ViewScene *scene, const guint *order)
{
  GArray *begins = g_array_new (FALSE, FALSE, sizeof (guint));
  uint32_t before = TRACE_NONE, attribute = 0;

  if (scene->groups == NULL) { /* each is its own */
    g_array_set_size (begins, r->chart.of.values->len + 1);
    for (guint i = 0; i < begins->len; i++)
      g_array_index (begins, guint, i) = i;
    return begins;
  }
  for (guint i = 0; i < r->chart.of.values->len; i++) {
    const StatsDatum *last = &g_array_index (r->chart.of.values, ChartValue, order[i]).last;
    uint32_t part = chart_part_of (scene, last);
    if (i == 0 || part == TRACE_NONE || part != before || last->attribute != attribute)
      g_array_append_val (begins, i);
    attribute = last->attribute;
    before = part;
  }
  g_array_append_val (begins, r->chart.of.values->len);
  return begins;
}

static void
rays_of (Radial *r, const ViewScene *scene, Rays *rays)
{
  GArray *values = r->chart.of.values;

  *rays = (Rays){ .n_values = values->len, .order = order_of (r, scene), .differ = chart_differ_in (&r->chart) };
  g_autoptr (GArray) begins = radial_parts_of (r, scene, rays->order);
  rays->n_parts = begins->len - 1;
  rays->n = MIN (rays->n_parts, RAYS_MOST);
  for (guint i = 0; i < rays->n; i++) {
    guint first = (guint) ((guint64) i * rays->n_parts / rays->n),
          end = (guint) ((guint64) (i + 1) * rays->n_parts / rays->n);
    Ray *ray = &rays->ray[i];
    *ray = (Ray){ .first = g_array_index (begins, guint, first), .part = TRACE_NONE };
    ray->n = g_array_index (begins, guint, end) - ray->first;
    if (end == first + 1)
      ray->part = chart_part_of (scene, &g_array_index (values, ChartValue, rays->order[ray->first]).last);
  }
  at_once (rays->n, rays->n_values < GATHER_LEAST ? RAYS_MOST : 1, radial_gather, &(Gathering){ values, rays });
}

static char *
radial_name_of (const Radial *r, const ViewScene *scene, const Rays *rays, guint i)
{
  const Ray *ray = &rays->ray[i];
  unsigned differ = rays->differ;
  g_autoptr (GString) first = g_string_new (NULL), last = g_string_new (NULL);

  if (ray->part != TRACE_NONE) {
    g_autofree char *part = groups_part_name (scene->groups, ray->part);
    if (differ & STATS_OF_ATTRIBUTES)
      stats_attribute_name (&g_array_index (r->chart.of.values, ChartValue, rays->order[ray->first]).last, scene->graph,
                            first);
    return g_strconcat (first->str, part, NULL);
  }
  stats_owner_name_among (&g_array_index (r->chart.of.values, ChartValue, rays->order[ray->first]).last, scene->graph,
                          differ, first);
  if (ray->n > 1)
    stats_owner_name_among (&g_array_index (r->chart.of.values, ChartValue, rays->order[ray->first + ray->n - 1]).last,
                            scene->graph, differ, last);
  return stats_name_of_several (first->str, last->str, ray->n > 1);
}

static DrawingTag
radial_tag_of (const Radial *r, const ViewScene *scene, const Rays *rays, guint i)
{
  const Ray *ray = &rays->ray[i];

  if (ray->n == 1)
    return chart_tag (scene, &g_array_index (r->chart.of.values, ChartValue, rays->order[ray->first]).last, i);
  return (DrawingTag){ DRAWING_NO_DATES, .index = i };
}

static bool
radial_is_chosen (const Radial *r, const ViewScene *scene, const Rays *rays, guint i)
{
  const Ray *ray = &rays->ray[i];

  for (guint k = ray->first; trace_refs_n (scene->selection) > 0 && k < ray->first + ray->n; k++) {
    DrawingTag tag = chart_tag (scene, &g_array_index (r->chart.of.values, ChartValue, rays->order[k]).last, i);
    if (view_tag_stands_out (scene, &tag))
      return true;
  }
  return false;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

typedef struct Layout {
  ChartScale scale;
  double x, y, r;
} Layout;

static void
radial_lay_out (const Radial *r, Paint *p, const Rays *rays, Layout *l)
{
  const ViewScene *scene = p->scene;
  double lo = r->from, hi = r->to, names = 0;
  const char *unit = rays->n_values > 0 ? g_array_index (r->chart.of.values, ChartValue, rays->order[0]).last.unit
                                        : NULL;

  if (!(lo < hi)) {
    lo = hi = 0;
    for (guint i = 0; i < rays->n; i++) {
      lo = fmin (fmin (lo, rays->ray[i].min), rays->ray[i].now);
      hi = fmax (fmax (hi, rays->ray[i].max), rays->ray[i].now);
    }
    if (g_strcmp0 (unit, "%") == 0 && lo >= 0 && hi <= 100 && hi > 25)
      hi = 100;
  }
  chart_scale (&l->scale, lo, hi, unit, 5);
  if (r->from < r->to)
    l->scale.lo = r->from, l->scale.hi = r->to;
  for (guint i = 0; i < rays->n; i++) {
    g_autofree char *name = radial_name_of (r, scene, rays, i);
    names = fmax (names, paint_text_width (p, PAINT_TEXT, name));
  }
  names = fmin (names, scene->width_px * 0.2);
  l->y = CHART_TOP + (scene->height_px - CHART_TOP) / 2;
  l->x = scene->width_px / 2;
  l->r = fmax (fmin (scene->width_px / 2 - names - 18, (scene->height_px - CHART_TOP) / 2 - 24), 8);
}

static double
radial_angle_of (const Rays *rays, guint i)
{
  return -G_PI / 2 + 2 * G_PI * i / rays->n;
}

static void
radial_place (const Layout *l, const Rays *rays, guint i, double value, double *x, double *y)
{
  double at = l->r * CLAMP ((value - l->scale.lo) / (l->scale.hi - l->scale.lo), 0, 1);

  *x = l->x + at * cos (radial_angle_of (rays, i));
  *y = l->y + at * sin (radial_angle_of (rays, i));
}

static void
add_outline (Paint *p, const Layout *l, const Rays *rays, size_t value, bool back)
{
  bool begun = false;
  double x, y;

  for (guint k = 0; k < rays->n; k++) {
    guint i = back ? rays->n - 1 - k : k;
    double v = *(const double *) (const void *) ((const char *) &rays->ray[i] + value);
    radial_place (l, rays, i, isfinite (v) ? v : l->scale.lo, &x, &y);
    if (begun)
      cairo_line_to (p->cr, x, y);
    else
      cairo_move_to (p->cr, x, y);
    begun = true;
  }
  cairo_close_path (p->cr);
}

static void
draw_web (Paint *p, const Layout *l, const Rays *rays)
{
  int n = (int) CLAMP (lround ((l->scale.hi - l->scale.lo) / l->scale.step), 1, 10);

  cairo_set_line_width (p->cr, 1);
  paint_source (p->cr, p->grid, 1);
  for (guint i = 0; i < rays->n; i++) {
    double x, y;
    radial_place (l, rays, i, l->scale.hi, &x, &y);
    cairo_move_to (p->cr, l->x, l->y);
    cairo_line_to (p->cr, x, y);
  }
  cairo_stroke (p->cr);
  for (int k = 1; k <= n; k++) {
    paint_source (p->cr, k == n ? p->faint : p->grid, 1);
    cairo_new_path (p->cr);
    cairo_arc (p->cr, l->x, l->y, l->r * k / n, 0, 2 * G_PI);
    cairo_stroke (p->cr);
  }
}

/* Of the rings, on the way from the middle to the top, over what is drawn. */
static void
draw_numbers (Paint *p, const Layout *l)
{
  int n = (int) CLAMP (lround ((l->scale.hi - l->scale.lo) / l->scale.step), 1, 10);
  double above = INFINITY;

  for (int k = n; k >= 0; k--) {
    double y = l->y - l->r * k / n;
    g_autofree char *number = chart_label (&l->scale, l->scale.lo + k * l->scale.step);
    g_autofree char *label = k == n && *l->scale.unit ? g_strdup_printf ("%s\u2009%s", number, l->scale.unit)
                                                      : g_strdup (number);
    double wide = paint_text_width (p, PAINT_SMALL, label);
    if (k < n && y - above < 15)
      continue;
    above = y;
    paint_source (p->cr, p->paper, 0.75);
    cairo_rectangle (p->cr, l->x + 3, y - 7, wide + 4, 14);
    cairo_fill (p->cr);
    paint_text (p, l->x + 5, y, 0, PAINT_SMALL, p->muted, 0, label);
  }
}

static void
draw_values (const Radial *r, Drawing *d, Paint *p, const Layout *l, const Rays *rays)
{
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double x, y;

  cairo_set_line_join (p->cr, CAIRO_LINE_JOIN_ROUND);
  if (r->band) {
    cairo_new_path (p->cr);
    add_outline (p, l, rays, offsetof (Ray, max), false);
    add_outline (p, l, rays, offsetof (Ray, min), true); /* turned round: what is inside of the least stays paper */
    paint_source (p->cr, rgb, 0.18);
    cairo_fill (p->cr);
  }
  cairo_new_path (p->cr);
  add_outline (p, l, rays, offsetof (Ray, now), false);
  paint_source (p->cr, rgb, 0.22);
  cairo_fill_preserve (p->cr);
  paint_source (p->cr, rgb, 1);
  cairo_set_line_width (p->cr, 2);
  cairo_stroke (p->cr);
  for (guint i = 0; i < rays->n; i++) {
    DrawingTag tag = radial_tag_of (r, p->scene, rays, i);
    bool chosen = radial_is_chosen (r, p->scene, rays, i);
    if (!isfinite (rays->ray[i].now))
      continue;
    radial_place (l, rays, i, rays->ray[i].now, &x, &y);
    if (chosen)
      drawing_disc (d, x, y, 8, DRAWING_ACCENT, 0.5, NULL);
    drawing_disc (d, x, y, 3.5, rgb, 1, &tag);
  }
}

/* Where a name stands at the end of its ray; *room: what it may take. */
static double
radial_place_name (Paint *p, const Layout *l, const Rays *rays, guint i, double *x, double *y, double *room)
{
  double angle = radial_angle_of (rays, i), align = fabs (cos (angle)) < 0.1 ? 0.5 : cos (angle) > 0 ? 0 : 1;

  *x = l->x + (l->r + 8) * cos (angle);
  *y = l->y + (l->r + 11) * sin (angle);
  *room = align == 0.5 ? p->scene->width_px : fmax (align == 0 ? p->scene->width_px - *x - 4 : *x - 4, 20);
  return align;
}

static int
size_of_name (bool chosen)
{
  return chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT;
}

/* As far as they do not lie on each other: what is chosen, then every 32nd, every 16th and so on, so that where there
 * is no room for all, those that are left stand alike on all sides. */
static void
choose_names (const Radial *r, Paint *p, const Layout *l, const Rays *rays, const bool *chosen, bool *shown)
{
  g_autoptr (GArray) names = chart_names_new ();

  for (guint step = RAYS_MOST; step > 0; step /= 2)
    for (guint i = 0; i < rays->n; i += step == RAYS_MOST ? 1 : step) {
      double x, y, room, align = radial_place_name (p, l, rays, i, &x, &y, &room);
      if (shown[i] || (step == RAYS_MOST && !chosen[i]))
        continue;
      g_autofree char *name = radial_name_of (r, p->scene, rays, i);
      double wide = fmin (paint_text_width (p, size_of_name (chosen[i]), name), room);
      shown[i] = chart_names_room (names, x - align * wide, y, wide);
    }
}

/* With a wide mark, as rays are thin. */
static void
radial_draw_names (const Radial *r, Drawing *d, Paint *p, const Layout *l, const Rays *rays)
{
  bool chosen[RAYS_MOST], shown[RAYS_MOST] = { false };

  for (guint i = 0; i < rays->n; i++)
    chosen[i] = radial_is_chosen (r, p->scene, rays, i);
  choose_names (r, p, l, rays, chosen, shown);
  for (guint i = 0; i < rays->n; i++) {
    double angle = radial_angle_of (rays, i), x, y, room, align = radial_place_name (p, l, rays, i, &x, &y, &room);
    double rim[] = { l->x, l->y, l->x + l->r * cos (angle), l->y + l->r * sin (angle) };
    DrawingTag tag = radial_tag_of (r, p->scene, rays, i);
    drawing_mark_line (d, rim, 2, 4, &tag);
    if (!shown[i])
      continue;
    g_autofree char *name = radial_name_of (r, p->scene, rays, i);
    drawing_text (d, x, y, align, size_of_name (chosen[i]), p->ink, align == 0.5 ? 0 : room, name, &tag);
  }
}

static bool
radial_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Radial *r = (Radial *) c;
  g_autofree char *groups = NULL;
  Paint *p = drawing_begin (d);
  Layout l;
  Rays rays;

  rays_of (r, scene, &rays);
  if (rays.n < rays.n_values)
    groups = paint_told (_ ("%u on %u rays: means, and the extremes of all"), rays.n_values, rays.n);
  chart_title (p, *r->title ? r->title : eve_name (c),
               groups != NULL ? groups
               : r->band      ? _ ("now, least to most so far")
                              : NULL);
  if (rays.n == 0) {
    paint_sentence (p, chart_when (p->scene, N_ ("No value has come yet: go on in time"),
                                   N_ ("No value has come in the whole execution")));
  } else {
    radial_lay_out (r, p, &rays, &l);
    draw_web (p, &l, &rays);
    draw_values (r, d, p, &l, &rays);
    draw_numbers (p, &l);
    radial_draw_names (r, d, p, &l, &rays);
  }
  return true;
}

static void
radial_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  Radial *r = (Radial *) c;
  Rays rays;

  rays_of (r, scene, &rays);
  if (m->tag.index < rays.n) {
    const Ray *ray = &rays.ray[m->tag.index];
    const char *unit = g_array_index (r->chart.of.values, ChartValue, rays.order[ray->first]).last.unit;
    g_autofree char *who = radial_name_of (r, scene, &rays, m->tag.index), *now = chart_number (ray->now, unit),
                    *least = chart_number (ray->min, unit), *most = chart_number (ray->max, unit);
    g_string_append_printf (name, _ ("%s: %s%s, least %s, most %s"), who, ray->n > 1 ? _ ("mean ") : "", now, least,
                            most);
  }
}

/* All whose rays are one. */
static void
radial_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  Radial *r = (Radial *) c;
  Rays rays;

  rays_of (r, scene, &rays);
  for (guint k = 0; m->tag.index < rays.n && k < rays.ray[m->tag.index].n; k++) {
    guint i = rays.order[rays.ray[m->tag.index].first + k];
    trace_refs_add (to, stats_owner_ref (&g_array_index (r->chart.of.values, ChartValue, i).last, scene->graph));
  }
}

static const View view = { .title = "Kiviat diagram",
                           .spans = VIEW_OF_INSTANT,
                           .build = radial_build,
                           .say = radial_say,
                           .owners = radial_owners,
                           .depends = chart_depends,
                           .csv = chart_view_csv };

VIEW_QUERY (radial_query, view)

static const EveClass radial = {
  VIEW_CLASS (Radial),
  .id = "scope.radial",
  .label = "Kiviat diagram",
  .doc = "The last number of each owner on a ray of its own, with the least and the most it has been.",
  .help = "An even polygon is an even load.  The output `share` of Activity gives the work of each task of late.  From "
          "65 owners on neighbours share a ray: it has their mean, and the extremes of all of them.",
  .init = chart_view_init,
  .finish = radial_finish,
  .reset = chart_view_reset,
  .save = chart_view_save,
  .load = chart_view_load,
  .refuse = number_refuse,
  .query = radial_query,
};
EVE_PLUGIN (&radial);
