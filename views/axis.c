/* SPDX-License-Identifier: Apache-2.0 */
/* axis.c - time across: where dates stand, round steps between labels. */
#include "views/paint.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/painter.h"
#include <math.h>
#include <string.h>

static int64_t
since_zero (int64_t date, int64_t zero)
{
  return (int64_t) ((uint64_t) date - (uint64_t) zero);
}

/* Whole groups of three of them at the end, never the first: what changes at each instant does not change its width so
 * often. */
static void
drop_zeros (char *number)
{
  char *point = strchr (number, '.');

  while (point != NULL) {
    size_t n = strlen (point + 1), last = n > 0 ? (n - 1) % 3 + 1 : 0;
    if (n <= 3 || strspn (point + 1 + n - last, "0") < last)
      return;
    point[1 + n - last] = '\0';
  }
}

static _Atomic AxisUnit chosen;
static const struct {
  int digits; /* behind the point of seconds that it moves over */
  double seconds;
  const char *name;
} units[N_AXIS_UNITS] = {
  [AXIS_UNIT_FITTING] = { 0, 1, "s" },
  [AXIS_UNIT_S] = { 0, 1, "s" },
  [AXIS_UNIT_MS] = { 3, 1e-3, "ms" },
  [AXIS_UNIT_US] = { 6, 1e-6, "µs" },
};

void
axis_set_unit (AxisUnit unit)
{
  chosen = unit < N_AXIS_UNITS ? unit : AXIS_UNIT_FITTING;
}

const char *
axis_unit (int *digits)
{
  AxisUnit unit = chosen;

  *digits = units[unit].digits;
  return unit == AXIS_UNIT_FITTING ? NULL : units[unit].name;
}

char *
axis_date (const TraceClock *clock, int64_t date, int decimals)
{
  AxisUnit unit = clock->dates ? AXIS_UNIT_FITTING : chosen; /* of steps there are no milliseconds */
  TraceClock shown = *clock;

  for (int i = 0; i < units[unit].digits; i++)
    if (shown.ticks_per_second % 10 != 0)
      return axis_date_typed (clock, date, decimals);
    else
      shown.ticks_per_second /= 10;
  if (units[unit].digits > 0)
    shown.units = units[unit].name;
  return axis_date_typed (&shown, date, decimals < 0 ? decimals : MAX (0, decimals - units[unit].digits));
}

char *
axis_date_typed (const TraceClock *clock, int64_t date, int decimals)
{
  char all[256];
  g_autofree char *number = NULL, *grouped = NULL;

  if (decimals < 0 && trace_date_written (clock, date, all, sizeof all))
    return g_strdup (all);
  date = since_zero (date, clock->zero);
  if (decimals < 0) {
    trace_clock_print (clock, date, all, sizeof all);
    drop_zeros (all);
    number = g_strdup (all);
  } else {
    number = g_strdup_printf ("%.*f", decimals, trace_clock_seconds (clock, date));
  }
  grouped = paint_in_threes (number, true);
  return g_strdup_printf ("%s%s\u2009%s", clock->zero != 0 && date >= 0 ? "+" : "", grouped,
                          clock->units != NULL ? clock->units : "s");
}

char *
axis_duration (const TraceClock *clock, double ticks)
{
  double s = ticks / (double) clock->ticks_per_second, v = fabs (s);
  const char *unit = "s";
  AxisUnit one = chosen;

  if (clock->dates)
    return number_local (g_strdup_printf ("%.*f\u2009%s", v == floor (v) ? 0 : 1, s, clock->units));

  if (one != AXIS_UNIT_FITTING) { /* three digits that count, as far as a nanosecond */
    int least = 9 - units[one].digits, places = v > 0 ? 2 - (int) floor (log10 (v / units[one].seconds)) : 0;
    return number_local (
        g_strdup_printf ("%.*f\u2009%s", CLAMP (places, 0, least), s / units[one].seconds, units[one].name));
  }
  if (v < 1e-6 && v > 0) {
    s *= 1e9;
    unit = "ns";
  } else if (v < 1e-3 && v > 0) {
    s *= 1e6;
    unit = "µs";
  } else if (v < 1 && v > 0) {
    s *= 1e3;
    unit = "ms";
  }
  v = fabs (s);
  return number_local (g_strdup_printf ("%.*f\u2009%s",
                                        v >= 100 || v == 0 || unit[0] == 'n' ? 0
                                        : v >= 10                            ? 1
                                                                             : 2,
                                        s, unit));
}

const char *
axis_outside (const Axis *a, const TraceSource *source)
{
  if (source == NULL || source->first > source->last)
    return NULL;
  return a->to <= source->first && a->to < source->last ? N_ ("The execution is later than this stretch of time")
         : a->from > source->last                       ? N_ ("The execution is earlier than this stretch of time")
                                                        : NULL;
}

double
axis_round_step (double least)
{
  double power = pow (10, floor (log10 (least) + 1e-9)), by = least / power;

  return power * (by <= 1.0001 ? 1 : by <= 2.0001 ? 2 : by <= 5.0001 ? 5 : 10);
}

int
axis_decimals (double step)
{
  return (int) -floor (log10 (step) + 1e-9);
}

int
axis_span_decimals (const TraceClock *clock, double ticks, int digits)
{
  double seconds = MAX (ticks / (double) clock->ticks_per_second, 1e-9);

  return CLAMP ((int) ceil (digits - 0.5 - log10 (seconds)), 0, 9);
}

void
axis_begin (Axis *a, const ViewScene *scene, int64_t from, int64_t to, double x, double width)
{
  const TraceClock *clock = &scene->source->clock;
  double per_second = (double) clock->ticks_per_second, most;

  if (from >= to) {
    from = MIN (from, INT64_MAX - 1);
    to = from + 1;
  }
  *a = (Axis){ .from = from,
               .to = to,
               .x = x,
               .width = width,
               .zero = clock->zero,
               .per_px = ((double) to - (double) from) / MAX (width, 1),
               .ticks_per_second = per_second };
  most = MAX (fabs ((double) since_zero (from, a->zero)), fabs ((double) since_zero (to, a->zero))) / per_second;
  a->unit_s = most < 1e-4 ? 1e-6 : most < 0.1 ? 1e-3 : 1;
  a->unit = most < 1e-4 ? "µs" : most < 0.1 ? "ms" : "s";
  AxisUnit one = chosen;
  if (clock->dates) { /* steps have no parts */
    a->unit_s = 1;
    a->unit = clock->units;
  } else if (one != AXIS_UNIT_FITTING) {
    a->unit_s = units[one].seconds;
    a->unit = units[one].name;
  }
  /* Labels get longer as the step gets finer; about a third of the axis stays free. */
  for (double apart = 80;; apart += 30) {
    double step = axis_round_step (MAX (a->per_px * apart / per_second / a->unit_s, 1 / per_second / a->unit_s));
    a->decimals = MAX (0, axis_decimals (step));
    a->step = MAX (1, (int64_t) llround (step * a->unit_s * per_second));
    double digits = a->decimals + a->decimals / 3.0 + 3
                    + (most > 0 ? MAX (0, floor (log10 (MAX (most / a->unit_s, 1)))) : 0);
    if (digits * 7.2 + 24 <= (double) a->step / a->per_px || apart > 400)
      break;
  }
}

/* The first label: steps count from zero. */
static int64_t
first_label (const Axis *a)
{
  int64_t date = since_zero (a->from, a->zero), down = date / a->step * a->step;

  return (down < date ? down + a->step : down) + a->zero;
}

/* What the labels count from, told once, at the left of them; gives where it ends. */
static double
draw_zero (Paint *p, const Axis *a, double y)
{
  double s = (double) a->zero / a->ticks_per_second;
  const TraceClock clock = { .ticks_per_second = a->ticks_per_second, .zero = a->zero };
  g_autoptr (GDateTime) when = trace_clock_is_of_day (&clock) ? g_date_time_new_from_unix_utc ((gint64) s) : NULL;
  g_autofree char *date = when != NULL ? g_date_time_format (when, C_ ("date and time", "%Y-%m-%d %H:%M:%S")) : NULL,
                  *text = NULL;

  if (a->zero == 0)
    return -1e9;
  if (date != NULL)
    text = number_local (g_strdup_printf (_ ("from %s.%03d UTC"), date, (int) (fmod (s, 1) * 1000)));
  else
    text = number_local (g_strdup_printf (_ ("from %.3f\u2009s"), s));
  if (paint_text_width (p, PAINT_SMALL, text) > p->scene->width_px / 3)
    return -1e9;
  return 12 + paint_text (p, 12, y, 0, PAINT_SMALL, p->muted, 0, text);
}

void
axis_draw (Paint *p, const Axis *a, double y0, double y1)
{
  cairo_t *cr = p->cr;
  double right = draw_zero (p, a, y1 + 13);

  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  for (int64_t date = first_label (a); date <= a->to && date >= a->from; date += a->step) {
    double x = floor (axis_x (a, date)) + 0.5;
    g_autofree char *number = g_strdup_printf ("%.*f", a->decimals,
                                               (double) since_zero (date, a->zero) / a->ticks_per_second / a->unit_s);
    g_autofree char *digits = paint_in_threes (number, true);
    g_autofree char *label = g_strdup_printf ("%s%s\u2009%s", a->zero != 0 ? "+" : "", digits, a->unit);
    double width = paint_text_width (p, PAINT_TEXT, label), at = x;
    paint_source (cr, p->grid, 1);
    cairo_move_to (cr, x, y0);
    cairo_line_to (cr, x, y1);
    cairo_stroke (cr);
    paint_source (cr, p->faint, 1);
    cairo_move_to (cr, x, y1);
    cairo_line_to (cr, x, y1 + 4);
    cairo_stroke (cr);
    at = CLAMP (at, 4 + width / 2, MAX (4 + width / 2, p->scene->width_px - 4 - width / 2));
    if (at - width / 2 > right + 10)
      paint_text (p, at, y1 + 13, 0.5, PAINT_TEXT, p->muted, 0, label);
    right = MAX (right, at + width / 2);
    if (date > INT64_MAX - a->step)
      break;
  }
  cairo_restore (cr);
}

typedef struct Flag { /* of the cursor */
  char *text;         /* g_free; NULL: the cursor is not in the picture */
  double x, left, width;
} Flag;

static Flag
axis_flag_of (Paint *p, const Axis *a, int64_t at)
{
  Flag f = { .text = NULL };
  int decimals = 0;

  if (at < a->from || at > a->to)
    return f;
  /* As many digits as a pixel tells apart, in the unit of the axis. */
  while (decimals < 9 && pow (10, -decimals) * a->unit_s > a->per_px / a->ticks_per_second)
    decimals++;
  g_autofree char *number = g_strdup_printf ("%.*f", decimals,
                                             (double) since_zero (at, a->zero) / a->ticks_per_second / a->unit_s);
  g_autofree char *digits = paint_in_threes (number, true);
  f.x = floor (axis_x (a, at)) + 0.5;
  f.text = g_strdup_printf ("%s%s\u2009%s", a->zero != 0 && at >= a->zero ? "+" : "", digits, a->unit);
  f.width = ceil (paint_text_width (p, PAINT_SMALL | PAINT_BOLD, f.text)) + 12;
  /* From the left end of the axis on, as what labels the height stands before it. */
  f.left = floor (MAX (2, MIN (MAX (f.x - f.width / 2, axis_x (a, a->from)), p->scene->width_px - f.width - 2)));
  return f;
}

static void
axis_draw_flag (Paint *p, const Flag *f, double y0, double y1)
{
  paint_source (p->cr, p->cursor, 1);
  cairo_rectangle (p->cr, f->x - 0.5, y0, 1, y1 - y0);
  cairo_fill (p->cr);
  cairo_new_path (p->cr);
  cairo_arc (p->cr, f->left + 3, y0 - 14, 3, G_PI, 1.5 * G_PI);
  cairo_arc (p->cr, f->left + f->width - 3, y0 - 14, 3, 1.5 * G_PI, 2 * G_PI);
  cairo_arc (p->cr, f->left + f->width - 3, y0 - 4, 3, 0, 0.5 * G_PI);
  cairo_arc (p->cr, f->left + 3, y0 - 4, 3, 0.5 * G_PI, G_PI);
  cairo_close_path (p->cr);
  cairo_fill (p->cr);
  paint_text (p, f->left + f->width / 2, y0 - 9, 0.5, PAINT_SMALL | PAINT_BOLD, paint_ink_on (p->cursor), 0, f->text);
}

void
axis_cursor (Paint *p, const Axis *a, int64_t at, double y0, double y1)
{
  Flag f = axis_flag_of (p, a, at);

  if (f.text != NULL)
    axis_draw_flag (p, &f, y0, y1);
  g_free (f.text);
}

void
axis_draw_cursor (const Axis *a, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where, double y0, double y1)
{
  Flag f;
  Paint p;

  if (cr != NULL)
    paint_over (&p, scene, cr);
  else
    paint_measure (&p, scene);
  f = axis_flag_of (&p, a, scene->at);
  if (f.text != NULL && cr != NULL)
    axis_draw_flag (&p, &f, y0, y1);
  if (where != NULL) {
    double right = MAX (f.left + f.width, f.x + 0.5), left = MIN (f.left, f.x - 0.5);
    *where = (cairo_rectangle_t){ 0 };
    if (f.text != NULL)
      *where = (cairo_rectangle_t){ left - 1, y0 - 18, right - left + 2, y1 - y0 + 19 };
  }
  g_free (f.text);
  paint_end (&p);
}
