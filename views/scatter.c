/* SPDX-License-Identifier: Apache-2.0 */
/* scatter.c - two numbers of an owner as a point; of a single owner with the way it has come (phase portrait); of a
 * closed group of tasks their means, in a cross from the least to the most of both. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "readers/reader.h"
#include "eve/words.h"
#include "views/associations.h"
#include "views/chart-rows.h"
#include "views/dense.h"
#include "views/painter.h"
#include "views/palettes.h"

#define WAY_MOST 4096 /* points of the way of a single owner: the last of each of so many stretches of time at most */

typedef struct Sample {
  int64_t date;
  double value;
} Sample;

/* What one number of the first owner has been.  A stretch is a power of two of ticks long: when there are too many, two
 * become one, so that what is kept does not depend on when it came. */
typedef struct Past {
  Sample *of;
  uint32_t n;
  int shift; /* a stretch is 2^shift ticks long */
} Past;

typedef struct Scatter {
  EveBase base;
  double trail; /* settings */
  char *x_title, *y_title, *size_title, *title;
  ChartValues of[3]; /* x, y and size; run state, as what follows */
  Past past[2];
  uint32_t *near[2], n_near; /* of each x: where its y and its size were last, as they stand in another order */
} Scatter;

enum { X, Y, SIZE };
static void scatter_on_numbers (EveComponent *c, EveIn *in, const void *data, uint32_t n);
#define NUMBERS(name_, required_, doc_)                                                                                \
  {                                                                                                                    \
    name_, &stats_type_datum, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = scatter_on_numbers,               \
                                         .required = required_, .present = true, .doc = doc_                           \
  }
static const EveInSpec ins[] = {
  NUMBERS ("x", true, "Dated numbers: how far to the right."),
  NUMBERS ("y", true, "Dated numbers of the same owners: how high."),
  NUMBERS ("size", false, "Dated numbers of the same owners: how large the points are, by their area."),
};
static const EveField settings[] = {
  { "trail", EVE_F_DOUBLE, offsetof (Scatter, trail), .min = 0, .max = 1e9, .unit = "s", .look = true,
    .doc = "How long the way is that is shown behind the point of a single owner; 0: since the beginning." },
  { "x title", EVE_F_STRING, offsetof (Scatter, x_title), .look = true, .doc = "What the numbers to the right are." },
  { "y title", EVE_F_STRING, offsetof (Scatter, y_title), .look = true, .doc = "What the numbers upward are." },
  { "size title", EVE_F_STRING, offsetof (Scatter, size_title), .look = true,
    .doc = "What the numbers are that make points large." },
  { "title", EVE_F_STRING, offsetof (Scatter, title), .look = true, .doc = "Empty: the name of the box." },
};

/* ---- the model side -------------------------------------------------------------------------------------------------- */

static void
scatter_keep (Past *k, int64_t date, double value)
{
  uint32_t n = 0;

  if (k->n > 0 && k->of[k->n - 1].date >> k->shift == date >> k->shift) {
    k->of[k->n - 1] = (Sample){ date, value };
    return;
  }
  while (k->n == WAY_MOST && k->shift < 62) { /* dates that go to and fro may not become fewer */
    k->shift++;
    for (uint32_t i = n = 0; i < k->n; i++) {
      if (n > 0 && k->of[n - 1].date >> k->shift == k->of[i].date >> k->shift)
        n--;
      k->of[n++] = k->of[i];
    }
    k->n = n;
  }
  if (k->n == WAY_MOST)
    memmove (k->of, k->of + 1, --k->n * sizeof *k->of);
  k->of[k->n++] = (Sample){ date, value };
}

static void
scatter_on_numbers (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  Scatter *v = (Scatter *) c;
  int which = in == v->base.in[SIZE] ? SIZE : in == v->base.in[Y] ? Y : X;
  const StatsDatum *d = data;

  chart_values_take (&v->of[which], &stats_type_datum, eve_at_rest (c), data, n);
  if (which == SIZE || v->of[which].values->len == 0 || eve_at_rest (c))
    return;
  const StatsDatum *first = &g_array_index (v->of[which].values, ChartValue, 0).last;
  for (uint32_t i = 0; i < n; i++)
    if (stats_same_series (&d[i], first))
      scatter_keep (&v->past[which], d[i].date, stats_datum_number (&d[i]));
}

static bool
scatter_init (EveComponent *c)
{
  Scatter *v = (Scatter *) c;

  chart_values_init (&v->of[SIZE]);
  for (int k = X; k <= Y; k++) {
    chart_values_init (&v->of[k]);
    v->past[k].of = g_new0 (Sample, WAY_MOST);
  }
  return true;
}

static void
scatter_finish (EveComponent *c)
{
  Scatter *v = (Scatter *) c;

  chart_values_finish (&v->of[SIZE]);
  for (int k = X; k <= Y; k++) {
    chart_values_finish (&v->of[k]);
    g_free (v->past[k].of);
    g_free (v->near[k]);
  }
}

static void
scatter_reset (EveComponent *c)
{
  Scatter *v = (Scatter *) c;

  chart_values_reset (&v->of[SIZE]);
  for (int k = X; k <= Y; k++) {
    chart_values_reset (&v->of[k]);
    v->past[k].n = 0;
    v->past[k].shift = 0;
  }
}

static void
scatter_save (EveComponent *c, EveBlob *to)
{
  const Scatter *v = (const Scatter *) c;

  chart_values_save (&v->of[SIZE], eve_program (c), to);
  for (int k = X; k <= Y; k++) {
    chart_values_save (&v->of[k], eve_program (c), to);
    eve_put_int (to, v->past[k].shift);
    eve_put_int (to, v->past[k].n);
    for (uint32_t i = 0; i < v->past[k].n; i++) {
      eve_put_int (to, v->past[k].of[i].date);
      eve_put_double (to, v->past[k].of[i].value);
    }
  }
}

static bool
scatter_load (EveComponent *c, EveBlobView *from)
{
  Scatter *v = (Scatter *) c;

  if (!chart_values_load (&v->of[SIZE], eve_program (c), from))
    return false;
  for (int k = X; k <= Y; k++) {
    if (!chart_values_load (&v->of[k], eve_program (c), from))
      return false;
    int64_t shift = eve_get_int (from), n = eve_get_int (from);
    if (shift < 0 || shift > 62 || n < 0 || n > WAY_MOST)
      return false;
    v->past[k].shift = (int) shift;
    v->past[k].n = (uint32_t) n;
    for (int64_t i = 0; i < n; i++) {
      v->past[k].of[i].date = eve_get_int (from);
      v->past[k].of[i].value = eve_get_double (from);
    }
  }
  return eve_get_ok (from);
}

/* ---- the way --------------------------------------------------------------------------------------------------------- */

/* The point that the first owner is at now; false: one of its numbers has not come. */
static bool
spot_now (const Scatter *v, ChartSpot *to)
{
  const ChartValue *x = v->of[X].values->len > 0 ? &g_array_index (v->of[X].values, ChartValue, 0) : NULL;
  const ChartValue *y = x != NULL ? chart_values_find (&v->of[Y], &x->last, NULL) : NULL;

  if (y == NULL || y != &g_array_index (v->of[Y].values, ChartValue, 0))
    return false;
  *to = (ChartSpot){ MAX (x->last.date, y->last.date), stats_datum_number (&x->last), stats_datum_number (&y->last) };
  return isfinite (to->x) && isfinite (to->y);
}

/* Where it has been from a date on: a point whenever one of both numbers has changed; of ChartSpot, g_array_unref. */
static GArray *
scatter_way_of (const Scatter *v, double from)
{
  GArray *way = g_array_new (FALSE, FALSE, sizeof (ChartSpot));
  uint32_t i = 0, k = 0;
  const Past *x = &v->past[X], *y = &v->past[Y];
  ChartSpot now;

  if (!spot_now (v, &now))
    return way;
  while (i < x->n || k < y->n) {
    int64_t date = MIN (i < x->n ? x->of[i].date : INT64_MAX, k < y->n ? y->of[k].date : INT64_MAX);
    while (i < x->n && x->of[i].date <= date)
      i++;
    while (k < y->n && y->of[k].date <= date)
      k++;
    ChartSpot s = { date, i > 0 ? x->of[i - 1].value : NAN, k > 0 ? y->of[k - 1].value : NAN };
    if (isfinite (s.x) && isfinite (s.y) && (double) date >= from)
      g_array_append_val (way, s);
  }
  return way;
}

static double
begin_of_way (const Scatter *v, const ViewScene *scene)
{
  ChartSpot now;

  if (!(v->trail > 0) || scene->source == NULL || !spot_now (v, &now))
    return -INFINITY;
  return (double) now.date - v->trail * (double) scene->source->clock.ticks_per_second;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

#define BOTTOM 44.0
enum { IN_OWNER, IN_WAY };

typedef struct Layout {
  ChartScale x, y;
  double x0, x1, y0, y1;
  uint32_t n, alone; /* owners with both numbers, with one of them, */
  uint32_t several;  /* and of these: with numbers of several attributes as y */
  Dense *dense;      /* NULL: they are no crowd, or not to be pixels */
  ChartSpot *spots;  /* by x: NaN where there is no point; g_free */
  GArray *swarms;    /* of ChartSwarm; NULL: no group is closed */
} Layout;

/* Of the same owner as the `i`th x, whose number is `of`. */
static const ChartValue *
find_near (const Scatter *v, int which, const StatsDatum *of, guint i, bool *several)
{
  const ChartValues *in = &v->of[which];
  uint32_t *near = i < v->n_near ? &v->near[which - Y][i] : &(uint32_t){ i };
  const ChartValue *found = chart_values_find_beside (in, of, *near, several);

  if (found != NULL)
    *near = (uint32_t) (found - &g_array_index (in->values, ChartValue, 0));
  return found;
}

/* There is room to remember where each is. */
static void
make_near (Scatter *v)
{
  guint n = v->of[X].values->len;

  if (n <= v->n_near)
    return;
  for (int k = 0; k < 2; k++) {
    v->near[k] = g_renew (uint32_t, v->near[k], n);
    for (guint i = v->n_near; i < n; i++)
      v->near[k][i] = i;
  }
  v->n_near = n;
}

/* The y of the same owner; NULL: it has none, or *several, none of which is of the attribute that x is of, or one of
 * both is no number. */
static const ChartValue *
partner (const Scatter *v, guint i, double *x, double *y, bool *several)
{
  const ChartValue *a = &g_array_index (v->of[X].values, ChartValue, i), *b = find_near (v, Y, &a->last, i, several);

  if (b == NULL)
    return NULL;
  *x = stats_datum_number (&a->last);
  *y = stats_datum_number (&b->last);
  return isfinite (*x) && isfinite (*y) ? b : NULL;
}

/* The scale is of all that has been so far, so that it stays while one moves about in time near by. */
static void
scales (const Scatter *v, const ViewScene *scene, Layout *l)
{
  double lo[2] = { 0, 0 }, hi[2] = { 0, 0 };

  for (int k = 0; k < 2; k++)
    for (guint i = 0; i < v->of[k].values->len; i++) {
      const ChartValue *value = &g_array_index (v->of[k].values, ChartValue, i);
      lo[k] = value->min < lo[k] ? value->min : lo[k]; /* NaN: it has none */
      hi[k] = value->max > hi[k] ? value->max : hi[k];
    }
  for (int k = 0; k < 2; k++)
    if (g_strcmp0 (chart_values_unit (&v->of[k]), "%") == 0 && lo[k] >= 0 && hi[k] <= 100 && hi[k] > 25)
      hi[k] = 100;
  chart_scale (&l->x, lo[X], hi[X], chart_values_unit (&v->of[X]), (int) CLAMP (scene->width_px / 110, 2, 11));
  chart_scale (&l->y, lo[Y], hi[Y], chart_values_unit (&v->of[Y]), (int) CLAMP (scene->height_px / 60, 2, 9));
}

/* What makes the point of an owner large; NaN: nothing does. */
static double
scatter_amount_of (const Scatter *v, const StatsDatum *of, guint i)
{
  const ChartValue *value = find_near (v, SIZE, of, i, NULL);

  return value != NULL ? stats_datum_number (&value->last) : NAN;
}

static double
amount_at (const void *v, guint i)
{
  return scatter_amount_of (v, &g_array_index (((const Scatter *) v)->of[X].values, ChartValue, i).last, i);
}

static void
layout_clear (Layout *l)
{
  g_free (l->spots);
  if (l->swarms != NULL)
    g_array_unref (l->swarms);
}

#define AHEAD 12 /* what memory is slow with is asked for so many before it is wanted */

static void
scatter_lay_out (const Scatter *v, Paint *p, Layout *l)
{
  const ViewScene *scene = p->scene;
  double x, y;
  bool several;

  *l = (Layout){ .y0 = CHART_TOP + 18, .y1 = fmax (scene->height_px - BOTTOM, CHART_TOP + 30) };
  scales (v, scene, l);
  l->x0 = 18 + chart_scale_width (p, &l->y) + 6;
  l->x1 = fmax (scene->width_px - 24, l->x0 + 20);
  l->spots = g_new (ChartSpot, v->of[X].values->len + 1);
  for (guint i = 0; i < v->of[X].values->len; i++) {
    if (i + AHEAD < v->n_near && v->near[0][i + AHEAD] < v->of[Y].values->len)
      __builtin_prefetch (&g_array_index (v->of[Y].values, ChartValue, v->near[0][i + AHEAD]));
    bool there = partner (v, i, &x, &y, &several) != NULL;
    l->spots[i] = there ? (ChartSpot){ 0, x, y } : (ChartSpot){ 0, NAN, NAN };
    l->n += there;
    l->several += several;
  }
  l->alone = v->of[X].values->len - l->n;
  l->swarms = chart_swarms_new (&v->of[X], scene, l->spots, amount_at, v);
  for (guint k = 0; l->swarms != NULL && k < l->swarms->len; k++)
    l->n -= g_array_index (l->swarms, ChartSwarm, k).n - 1;
}

static double
scatter_x_at (const Layout *l, double v)
{
  return l->x0 + (l->x1 - l->x0) * (v - l->x.lo) / (l->x.hi - l->x.lo);
}

static double
scatter_y_at (const Layout *l, double v)
{
  return l->y1 - (l->y1 - l->y0) * (v - l->y.lo) / (l->y.hi - l->y.lo);
}

/* Older parts of the way are paler.  Points that lie on the pixel of the one before add nothing. */
static void
scatter_draw_way (const Scatter *v, Paint *p, const Layout *l)
{
  g_autoptr (GArray) way = scatter_way_of (v, begin_of_way (v, p->scene));
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1), n = way->len;
  double px = NAN, py = NAN;
  ChartSpot now;

  if (n == 0 || !spot_now (v, &now))
    return;
  cairo_set_line_width (p->cr, 1.5);
  cairo_set_line_join (p->cr, CAIRO_LINE_JOIN_ROUND);
  for (uint32_t i = 0; i <= n; i++) {
    const ChartSpot *s = i < n ? &g_array_index (way, ChartSpot, i) : &now;
    double x = scatter_x_at (l, s->x), y = scatter_y_at (l, s->y);
    if (!isnan (px) && hypot (x - px, y - py) < 0.5)
      continue;
    if (!isnan (px)) {
      paint_source (p->cr, paint_mix (p->paper, rgb, 0.15 + 0.75 * i / (n + 1)), 1);
      cairo_move_to (p->cr, px, py);
      cairo_line_to (p->cr, x, y);
      cairo_stroke (p->cr);
    }
    px = x;
    py = y;
  }
}

/* ---- what rules say of the owners ------------------------------------------------------------------------------------ */

#define LOOKS                                                                                                          \
  (1u << LOOK_COLOUR | 1u << LOOK_SHAPE | 1u << LOOK_SIZE | 1u << LOOK_OPACITY | 1u << LOOK_LABEL | 1u << LOOK_HIDDEN)
#define LARGEST 14.0 /* px, of the dot of size 1 */
#define BUBBLE 26.0  /* of the most that has come at `size` */
#define CROWD 1000   /* from so many on they are put as pixels */

typedef struct Ruled {
  Looks rules;
  uint32_t *node_of; /* by task; NULL: no rule is asked */
  uint32_t n_tasks;
} Ruled;

static void
rule (const Scatter *v, const ViewScene *scene, Ruled *r)
{
  *r = (Ruled){ .node_of = NULL };
  if (scene->graph == NULL || scene->source == NULL
      || !looks_begin (&r->rules, scene, eve_name ((EveComponent *) v), LOOK_TASK, LOOKS))
    return;
  Names *names = names_read (view_tasks (scene));
  g_autofree uint32_t *task_of = names_tasks_of_nodes (names, scene->source, scene->graph);
  r->n_tasks = names_count (names, scene->source);
  r->node_of = g_new (uint32_t, r->n_tasks + 1);
  memset (r->node_of, 255, (r->n_tasks + 1) * sizeof *r->node_of);
  for (uint32_t node = 0; node < scene->graph->n_nodes; node++)
    if (task_of[node] < r->n_tasks)
      r->node_of[task_of[node]] = node;
  names_free (names);
}

/* How the owner of a tag looks; one that is no task as if there were no rules. */
static Look
scatter_look_of (const Ruled *r, const ViewScene *scene, const DrawingTag *tag)
{
  Look look = { .opacity = 1 };

  if (r->node_of != NULL && tag->what.type == TRACE_REF_TASK && tag->what.source == scene->source->number
      && tag->what.id < r->n_tasks && r->node_of[tag->what.id] != TRACE_NONE)
    looks_of_object (&r->rules, scene, r->node_of[tag->what.id], &look);
  return look;
}

/* The most of it that anybody has. */
static double
largest_amount (const Scatter *v)
{
  double most = 0;

  for (guint i = 0; i < v->of[SIZE].values->len; i++) {
    const ChartValue *value = &g_array_index (v->of[SIZE].values, ChartValue, i);
    most = value->max > most ? value->max : most;
  }
  return most;
}

/* `dense`: where a crowd is put as pixels; NULL: cairo paints all of it. */
static void
draw_dot (Drawing *d, Paint *p, Dense *dense, double x, double y, double r, const Look *look, uint32_t rgb,
          double alpha, const DrawingTag *tag)
{
  rgb = LOOK_HAS (look, LOOK_COLOUR) ? look->rgb : rgb;
  alpha *= LOOK_HAS (look, LOOK_OPACITY) ? look->opacity : 1;
  if (dense != NULL && !LOOK_HAS (look, LOOK_SHAPE) && VIEW_PATTERN (rgb) == 0 && r * dense->scale <= DENSE_DISC_MOST) {
    dense_spot (dense, x, y, r, rgb, alpha);
    drawing_mark_disc (d, x, y, r, tag);
    return;
  }
  if (!LOOK_HAS (look, LOOK_SHAPE)) {
    drawing_disc (d, x, y, r, rgb, alpha, tag);
    return;
  }
  if (drawing_is_painted (d))
    paint_shape_of (p, x, y, r, look->shape, paint_mix (p->paper, rgb, alpha));
  drawing_mark_disc (d, x, y, r, tag);
}

/* A dot, and its name beside it. */
typedef struct Dot {
  guint i;
  const ChartSwarm *swarm; /* NULL: it is of one */
  double x, y, r;
  Look look;
  DrawingTag tag;
  bool chosen;
  char *name; /* NULL: there is no room for it, and it is told when pointed at */
  bool on_left;
  double room;
} Dot;

/* On its right side, else on its left one. */
static void
scatter_place_name (const Scatter *v, Paint *p, const Layout *l, Dot *of, GArray *names)
{
  g_autoptr (GString) name = g_string_new (NULL);
  double right = p->scene->width_px - 4 - (of->x + of->r + 4), left = of->x - of->r - 4 - l->x0;

  if (LOOK_HAS (&of->look, LOOK_LABEL) && *of->look.label != '\0')
    g_string_assign (name, of->look.label);
  else
    chart_swarm_name (&v->of[X], p->scene, of->i, of->swarm, name);
  double wide = paint_text_width (p, of->chosen ? PAINT_SMALL | PAINT_BOLD : PAINT_SMALL, name->str);
  for (int turn = 0; turn < 2 && of->name == NULL; turn++) {
    of->on_left = (wide > right && left > right) != (bool) turn;
    of->room = of->on_left ? left : right;
    double seen = fmin (wide, of->room);
    if (of->room >= 20
        && chart_names_room (names, of->on_left ? of->x - of->r - 4 - seen : of->x + of->r + 4, of->y, seen))
      of->name = g_strdup (name->str);
  }
}

static void
draw_one (Drawing *d, Paint *p, const Layout *l, const Dot *dot)
{
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);

  if (dot->chosen)
    drawing_disc (d, dot->x, dot->y, dot->r + 4, DRAWING_ACCENT, 0.5, NULL);
  if (dot->swarm != NULL) /* how far its tasks are from it */
    chart_swarm_draw (d, dot->x, dot->y, scatter_x_at (l, dot->swarm->x_least), scatter_x_at (l, dot->swarm->x_most),
                      scatter_y_at (l, dot->swarm->y_most), scatter_y_at (l, dot->swarm->y_least), rgb);
  draw_dot (d, p, l->dense, dot->x, dot->y, dot->r, &dot->look, rgb, l->n > 64 && !dot->chosen ? 0.6 : 1, &dot->tag);
  if (dot->name != NULL)
    drawing_text (d, dot->x + (dot->on_left ? -dot->r - 4 : dot->r + 4), dot->y, dot->on_left,
                  dot->chosen ? PAINT_SMALL | PAINT_BOLD : PAINT_SMALL, p->muted, dot->room, dot->name, &dot->tag);
}

/* Gives how many are hidden. */
static guint
draw_owners (const Scatter *v, Drawing *d, Paint *p, Layout *l, const Ruled *ruled)
{
  Dense dense;
  bool few = l->n <= 32 && l->n > 1; /* names are written */
  double usual = l->n == 1 ? 6 : l->n <= 64 ? 5 : l->n <= 1000 ? 3.5 : 2;
  double most = largest_amount (v);
  guint hidden = 0;
  g_autoptr (GArray) dots = g_array_new (FALSE, TRUE, sizeof (Dot)), names = chart_names_new ();

  if (l->n >= CROWD && drawing_is_painted (d) && dense_begin (&dense, p->cr))
    l->dense = &dense;
  for (int chosen = 0; chosen < (trace_refs_n (p->scene->selection) > 0 ? 2 : 1); chosen++) /* over the others */
    for (guint i = 0; i < v->of[X].values->len; i++) {
      const StatsDatum *of = &g_array_index (v->of[X].values, ChartValue, i).last;
      if (i + AHEAD < v->n_near && v->near[1][i + AHEAD] < v->of[SIZE].values->len)
        __builtin_prefetch (&g_array_index (v->of[SIZE].values, ChartValue, v->near[1][i + AHEAD]));
      if (isnan (l->spots[i].x))
        continue;
      const ChartSwarm *swarm = chart_swarm_of (l->swarms, i);
      DrawingTag tag = swarm != NULL ? (DrawingTag){ DRAWING_NO_DATES, .index = i, .part = CHART_IN_GROUP }
                                     : chart_tag (p->scene, of, i);
      if (chart_swarm_stands_out (p->scene, swarm, &tag) != (bool) chosen)
        continue;
      Look look = scatter_look_of (ruled, p->scene, &tag);
      if (look.hidden) {
        hidden++;
        continue;
      }
      double r = LOOK_HAS (&look, LOOK_SIZE) ? fmax (LARGEST * sqrt (look.size), 1.5) : usual,
             amount = most <= 0 || LOOK_HAS (&look, LOOK_SIZE) ? NAN
                      : swarm != NULL                          ? swarm->amount
                                                               : scatter_amount_of (v, of, i);
      if (most > 0 && !LOOK_HAS (&look, LOOK_SIZE)) /* by its area; who has none is the least dot */
        r = isfinite (amount) ? fmax (BUBBLE * sqrt (CLAMP (amount / most, 0, 1)), 1.5) : 1.5;
      Dot dot = {
        i, swarm, scatter_x_at (l, l->spots[i].x), scatter_y_at (l, l->spots[i].y), r, look, tag, chosen, NULL, false, 0
      };
      if (few)
        g_array_append_val (dots, dot);
      else
        draw_one (d, p, l, &dot);
    }
  if (l->dense != NULL)
    dense_end (&dense);
  l->dense = NULL;
  for (guint k = dots->len; k-- > 0;) /* what is selected before the others */
    scatter_place_name (v, p, l, &g_array_index (dots, Dot, k), names);
  for (guint k = 0; k < dots->len; k++) {
    Dot *dot = &g_array_index (dots, Dot, k);
    draw_one (d, p, l, dot);
    g_free (dot->name);
  }
  return hidden;
}

static bool
scatter_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Scatter *v = (Scatter *) c;
  Paint *p = drawing_begin (d);
  Layout l;

  Ruled ruled;

  make_near (v);
  rule (v, scene, &ruled);
  scatter_lay_out (v, p, &l);
  if (ruled.node_of != NULL) {
    looks_legend (&ruled.rules, p, 12, CHART_TOP + 4, ~0u);
    l.y0 = fmin (l.y0 + 16, l.y1 - 10);
  }
  g_autoptr (GString) some = g_string_new (NULL);
  if (l.alone > 0)
    paint_tell (some, _ ("%u of %u have no y"), l.alone, l.n + l.alone);
  if (l.several > 0)
    paint_tell (some, _ (", %u as y is of several attributes"), l.several);
  if (largest_amount (v) > 0) {
    g_autofree char *most = chart_number (largest_amount (v), chart_values_unit (&v->of[SIZE]));
    g_string_append_printf (some, _ ("%slargest: %s%s%s"), some->len > 0 ? ", " : "", in_words (v->size_title),
                            *v->size_title ? " " : "", most);
  }
  if (l.swarms != NULL)
    g_string_append_printf (some, "%s%s", some->len > 0 ? _ ("; ") : "", _ ("groups: means, least to most"));
  chart_title (p, *v->title ? v->title : eve_name (c), some->str);
  if (l.n == 0) {
    paint_sentence (p, v->of[X].values->len == 0   ? N_ ("No x has come yet")
                       : v->of[Y].values->len == 0 ? N_ ("No y has come yet")
                                                   : N_ ("No owner has an x and a y"));
    layout_clear (&l);
    g_free (ruled.node_of);
    return true;
  }
  chart_scale_x (p, &l.x, l.x0, l.x1, l.y0, l.y1);
  chart_scale_y (p, &l.y, l.x0, l.x1, l.y0, l.y1);
  paint_text (p, (l.x0 + l.x1) / 2, scene->height_px - 11, 0.5, PAINT_SMALL, p->muted, scene->width_px - 20,
              in_words (v->x_title));
  paint_text (p, l.x0, l.y0 - 15, 0, PAINT_SMALL, p->muted, scene->width_px - l.x0 - 10, in_words (v->y_title));
  if (l.n == 1 && l.swarms == NULL && drawing_is_painted (d))
    scatter_draw_way (v, p, &l);
  guint hidden = draw_owners (v, d, p, &l, &ruled);
  if (hidden > 0) {
    g_autofree char *told = g_strdup_printf (P_ ("%u hidden", "%u hidden", hidden), hidden);
    paint_text (p, scene->width_px - 16, CHART_TOP + 4, 1, PAINT_SMALL, p->muted, 0, told);
  }
  layout_clear (&l);
  g_free (ruled.node_of);
  return true;
}

/* "node2 (4): idle 34.2 %, 12.0 % to 71.5 %, sent 8.1 kB, 6.0 kB to 12.0 kB" */
static void
say_swarm (const Scatter *v, const ViewScene *scene, guint i, GString *name)
{
  Layout l = { .spots = g_new (ChartSpot, v->of[X].values->len + 1) };

  for (guint k = 0; k < v->of[X].values->len; k++)
    l.spots[k] = partner (v, k, &l.spots[k].x, &l.spots[k].y, NULL) != NULL ? l.spots[k] : (ChartSpot){ 0, NAN, NAN };
  l.swarms = chart_swarms_new (&v->of[X], scene, l.spots, amount_at, v);
  const ChartSwarm *s = chart_swarm_of (l.swarms, i);
  if (s != NULL) {
    const char *unit[] = { chart_values_unit (&v->of[X]), chart_values_unit (&v->of[Y]) },
               *title[] = { v->x_title, v->y_title };
    const double mean[] = { s->x, s->y }, low[] = { s->x_least, s->y_least }, high[] = { s->x_most, s->y_most };
    chart_swarm_name (&v->of[X], scene, i, s, name);
    for (int k = X; k <= Y; k++) {
      g_autofree char *is = chart_number (mean[k], unit[k]), *least = chart_number (low[k], unit[k]),
                      *most = chart_number (high[k], unit[k]);
      g_string_append_printf (name, "%s%s%s", k == X ? ": " : ", ", in_words (title[k]), *title[k] ? " " : "");
      g_string_append_printf (name, _ ("%s, %s to %s"), is, least, most);
    }
  }
  layout_clear (&l);
}

static void
scatter_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  const Scatter *v = (const Scatter *) c;

  if (m->tag.part == CHART_IN_GROUP && m->tag.index < v->of[X].values->len)
    chart_add_part (scene, chart_part_of (scene, &g_array_index (v->of[X].values, ChartValue, m->tag.index).last), to);
}

static void
scatter_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const Scatter *v = (const Scatter *) c;
  double x, y;

  if (m->tag.part == CHART_IN_GROUP) {
    say_swarm (v, scene, m->tag.index, name);
    return;
  }
  if (m->tag.index >= v->of[X].values->len || partner (v, m->tag.index, &x, &y, NULL) == NULL)
    return;
  g_autofree char *right = chart_number (x, chart_values_unit (&v->of[X])),
                  *up = chart_number (y, chart_values_unit (&v->of[Y]));
  chart_swarm_name (&v->of[X], scene, m->tag.index, NULL, name);
  g_string_append_printf (name, ": %s%s%s, %s%s%s", in_words (v->x_title), *v->x_title ? " " : "", right,
                          in_words (v->y_title), *v->y_title ? " " : "", up);
  double amount = scatter_amount_of (v, &g_array_index (v->of[X].values, ChartValue, m->tag.index).last, m->tag.index);
  g_autofree char *size = isnan (amount) ? NULL : chart_number (amount, chart_values_unit (&v->of[SIZE]));
  if (size != NULL)
    g_string_append_printf (name, ", %s%s%s", in_words (v->size_title), *v->size_title ? " " : "", size);
}

static void
put_spot (const ViewScene *scene, const char *owner, const ChartSpot *s, const double *size, GString *to)
{
  char date[64] = "";

  if (s->date != INT64_MIN && scene->source != NULL)
    trace_clock_print (&scene->source->clock, s->date, date, sizeof date);
  stats_csv_text (to, owner);
  g_string_append_printf (to, ",%s,", date);
  stats_csv_number (to, s->x);
  g_string_append_c (to, ',');
  stats_csv_number (to, s->y);
  if (size != NULL) {
    g_string_append_c (to, ',');
    if (!isnan (*size))
      stats_csv_number (to, *size);
  }
  g_string_append (to, "\r\n");
}

/* ",x [s]" */
static void
scatter_put_heading (GString *to, const char *name, const char *unit)
{
  g_string_append_c (to, ',');
  stats_csv_heading (to, name, unit);
}

/* Each owner as it is now, and before it the way of a single one. */
static bool
scatter_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  const Scatter *v = (const Scatter *) c;
  g_autoptr (GArray) way = scatter_way_of (v, begin_of_way (v, scene));

  const double none = NAN;
  bool sized = v->of[SIZE].values->len > 0;

  g_string_append (to, "owner,date [s]");
  scatter_put_heading (to, "x", chart_values_unit (&v->of[X]));
  scatter_put_heading (to, "y", chart_values_unit (&v->of[Y]));
  if (sized)
    scatter_put_heading (to, "size", chart_values_unit (&v->of[SIZE]));
  g_string_append (to, "\r\n");
  for (guint i = 0; i < v->of[X].values->len; i++) {
    const ChartValue *a = &g_array_index (v->of[X].values, ChartValue, i), *b;
    g_autoptr (GString) name = g_string_new (NULL);
    ChartSpot now;
    chart_swarm_name (&v->of[X], scene, i, NULL, name);
    for (guint k = 0; v->of[X].values->len == 1 && k < way->len; k++)
      put_spot (scene, name->str, &g_array_index (way, ChartSpot, k), sized ? &none : NULL, to);
    if ((b = partner (v, i, &now.x, &now.y, NULL)) == NULL)
      continue;
    now.date = MAX (a->last.date, b->last.date);
    double size = scatter_amount_of (v, &a->last, i);
    put_spot (scene, name->str, &now, sized ? &size : NULL, to);
  }
  return true;
}

static const View view = { .title = "Scatter",
                           .spans = VIEW_OF_INSTANT,
                           .build = scatter_build,
                           .say = scatter_say,
                           .owners = scatter_owners,
                           .depends = chart_depends,
                           .csv = scatter_csv };

VIEW_QUERY (scatter_query, view)

static const EveClass scatter = {
  VIEW_CLASS_OF (Scatter, 2), /* 2: sizes are kept */
  .id = "scope.scatter",
  .label = "Scatter",
  .doc = "Two numbers of each owner as a point, a third as its size; of a single owner the way that it has come too.",
  .help = "With the output `all` of Activity as x and that of In Flight as y it is a phase portrait: an execution that "
          "repeats itself goes round in circles.  The scale is of all that has been so far.  With a third wire, to "
          "`size`, it "
          "is a bubble chart.",
  .init = scatter_init,
  .finish = scatter_finish,
  .reset = scatter_reset,
  .save = scatter_save,
  .load = scatter_load,
  .query = scatter_query,
};
EVE_PLUGIN (&scatter);
