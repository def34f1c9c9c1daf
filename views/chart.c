/* SPDX-License-Identifier: Apache-2.0 */
#include "views/chart.h"
#include "views/associations.h"
#include "views/palettes.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "readers/reader.h"
#include "views/chart-matrix.h"
#include "views/painter.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

static bool
is_unit (const char *unit, const char *other)
{
  return unit != NULL && strcmp (unit, other) == 0;
}

/* Four digits that count; whole numbers whole. */
static char *
plain (double x)
{
  double v = fabs (x);
  g_autofree char *text = NULL;

  if (v != 0 && (v < 1e-4 || v >= 1e15))
    return number_local (g_strdup_printf ("%.3g", x));
  if (x == rint (x) || v >= 1000)
    text = g_strdup_printf ("%.0f", x);
  else
    text = g_strdup_printf ("%.*f", v >= 100 ? 1 : v >= 10 ? 2 : v >= 1 ? 3 : 3 - (int) floor (log10 (v)), x);
  for (char *end = strchr (text, '.') != NULL ? text + strlen (text) - 1 : NULL;
       end != NULL && (*end == '0' || *end == '.'); end--) {
    char was = *end;
    *end = '\0';
    if (was == '.')
      break;
  }
  return paint_in_threes (text, false);
}

char *
chart_number (double x, const char *unit)
{
  static const TraceClock nanoseconds = { 1000000000, "s" };

  if (isnan (x))
    return g_strdup (state_is_value (x) ? _ ("not a number") : "–");
  if (isinf (x))
    return g_strdup (x < 0 ? "−∞" : "∞");
  int digits;
  if (is_unit (unit, "s") && (fabs (x) < 1000 || axis_unit (&digits) != NULL))
    return axis_duration (&nanoseconds, x * 1e9);
  if (is_unit (unit, "B") && x >= 0)
    return paint_bytes (x);
  if (is_unit (unit, "%") && x > 0 && x < 0.05) /* what is there is not told as nothing */
    return number_share (x / 100, 1, "\u2009");
  if (is_unit (unit, "%"))
    return number_local (g_strdup_printf (_ ("%.1f\u2009%%"), x));
  g_autofree char *number = plain (x);
  return unit != NULL && *unit != '\0' ? g_strdup_printf ("%s\u2009%s", number, unit) : g_steal_pointer (&number);
}

char *
chart_round (double x, const char *unit)
{
  static const char *const parts[] = { "s", "ms", "µs", "ns" };
  int i = 0;

  int digits;
  if (!is_unit (unit, "s") || axis_unit (&digits) != NULL)
    return chart_number (x, unit);
  for (; x != 0 && fabs (x) < 1 - 1e-9 && i < 3; i++)
    x *= 1000;
  return number_local (g_strdup_printf ("%.4g\u2009%s", x, parts[i]));
}

/* As many as tell two steps apart. */
static void
set_decimals (ChartScale *s)
{
  s->decimals = CLAMP (axis_decimals (s->step * s->factor), 0, 12);
}

void
chart_scale (ChartScale *s, double lo, double hi, const char *unit, int most)
{
  if (!isfinite (lo) || !isfinite (hi))
    lo = isfinite (lo) ? lo : isfinite (hi) ? hi : 0, hi = isfinite (hi) ? hi : lo;
  if (lo > hi) {
    double swap = lo;
    lo = hi;
    hi = swap;
  }
  if (!(hi - lo > fabs (hi) * 1e-12)) {
    double around = hi != 0 ? fabs (hi) * 0.1 : 1;
    lo -= lo == 0 ? 0 : around;
    hi += around;
  }
  double big;

  *s = (ChartScale){ .unit = unit != NULL ? unit : "",
                     .factor = 1,
                     .step = axis_round_step ((hi - lo) / MAX (most - 1, 1)) };
  s->lo = floor (lo / s->step + 1e-9) * s->step;
  s->hi = ceil (hi / s->step - 1e-9) * s->step;
  big = MAX (fabs (s->lo), fabs (s->hi));
  if (is_unit (unit, "s")) {
    s->factor = big < 1e-6 ? 1e9 : big < 1e-3 ? 1e6 : big < 1 ? 1e3 : 1;
    s->unit = big < 1e-6 ? "ns" : big < 1e-3 ? "µs" : big < 1 ? "ms" : "s";
  } else if (is_unit (unit, "B") && big >= 1e4) {
    s->factor = big >= 1e9 ? 1e-9 : big >= 1e6 ? 1e-6 : 1e-3;
    s->unit = big >= 1e9 ? _ ("GB") : big >= 1e6 ? _ ("MB") : _ ("kB");
  }
  set_decimals (s);
}

void
chart_scale_whole (ChartScale *s, double lo, double hi, const char *unit, int most)
{
  chart_scale (s, lo, hi, unit, most);
  if (s->step >= 1)
    return;
  s->step = 1;
  s->lo = floor (s->lo);
  s->hi = ceil (s->hi);
  set_decimals (s);
}

char *
chart_label (const ChartScale *s, double x)
{
  double v = x * s->factor;

  if (fabs (v) < s->step * s->factor * 1e-6)
    v = 0;
  if (fabs (v) >= 1e15)
    return number_local (g_strdup_printf ("%.3g", v));
  g_autofree char *text = g_strdup_printf ("%.*f", s->decimals, v);
  return paint_in_threes (text, false);
}

static double
numbers_width (Paint *p, const ChartScale *s)
{
  double width = 0;

  for (int i = 0; i <= 2; i++) {
    g_autofree char *label = chart_label (s, i == 0 ? s->lo : i == 1 ? s->hi : s->lo + s->step);
    width = MAX (width, paint_text_width (p, PAINT_TEXT, label));
  }
  return width;
}

double
chart_scale_width (Paint *p, const ChartScale *s)
{
  return MAX (numbers_width (p, s), s->unit[0] ? paint_text_width (p, PAINT_TEXT, s->unit) : 0);
}

static int
n_steps (const ChartScale *s)
{
  return (int) MIN (lround ((s->hi - s->lo) / s->step), 1000);
}

/* Labels that are wider than their room are in thousands, millionths, …: in which, is written before the unit, as
 * "10⁶". */
static const char *
fit_labels (Paint *p, ChartScale *s, double room)
{
  static const char *const powers[] = { "10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "",
                                        "10³",   "10⁶",   "10⁹",  "10¹²", "10¹⁵" };
  const int one = G_N_ELEMENTS (powers) / 2;
  double big = MAX (fabs (s->lo), fabs (s->hi)) * s->factor;
  int i = one, way = big >= 1000 ? 1 : big < 1 ? -1 : 0;

  while (way && i + way >= 0 && i + way <= 2 * one && numbers_width (p, s) > room
         && (way > 0 ? big >= 1000 : big < 1)) {
    double by = way > 0 ? 1e-3 : 1e3;
    big *= by;
    s->factor *= by;
    set_decimals (s);
    i += way;
  }
  return powers[i];
}

void
chart_scale_y (Paint *p, const ChartScale *scale, double x0, double x1, double y0, double y1)
{
  ChartScale fitting = *scale, *s = &fitting;
  const char *power = fit_labels (p, s, x0 - 8);
  g_autofree char *unit = g_strdup_printf ("%s%s%s", power, power[0] && s->unit[0] ? "\u2009" : "", s->unit);
  int n = n_steps (s);

  cairo_set_line_width (p->cr, 1);
  for (int i = 0; i <= n; i++) {
    double x = s->lo + i * s->step, y = floor (y1 - (y1 - y0) * (x - s->lo) / (s->hi - s->lo)) + 0.5;
    g_autofree char *label = chart_label (s, x);
    paint_source (p->cr, i == 0 ? p->faint : p->grid, 1);
    cairo_move_to (p->cr, x0, y);
    cairo_line_to (p->cr, x1, y);
    cairo_stroke (p->cr);
    paint_text (p, x0 - 6, y, 1, PAINT_TEXT, p->muted, 0, label);
  }
  bool fits = paint_text_width (p, PAINT_TEXT, unit) <= x0 - 8;
  if (unit[0])
    paint_text (p, fits ? x0 - 6 : 2, y0 - 15, fits ? 1 : 0, PAINT_TEXT, p->muted, 0, unit);
}

void
chart_scale_x (Paint *p, const ChartScale *s, double x0, double x1, double y0, double y1)
{
  int n = n_steps (s);
  double right = -1e9;

  cairo_set_line_width (p->cr, 1);
  for (int i = 0; i <= n; i++) {
    double v = s->lo + i * s->step, x = floor (x0 + (x1 - x0) * (v - s->lo) / (s->hi - s->lo)) + 0.5;
    g_autofree char *number = chart_label (s, v);
    g_autofree char *label = s->unit[0] ? g_strdup_printf ("%s\u2009%s", number, s->unit) : g_strdup (number);
    double width = paint_text_width (p, PAINT_TEXT, label);
    paint_source (p->cr, p->grid, 1);
    cairo_move_to (p->cr, x, y0);
    cairo_line_to (p->cr, x, y1);
    cairo_stroke (p->cr);
    double at = MIN (x, p->scene->width_px - 4 - width / 2);
    if (at - width / 2 > right + 8) {
      paint_text (p, at, y1 + 13, 0.5, PAINT_TEXT, p->muted, 0, label);
      right = at + width / 2;
    }
  }
}

uint32_t
chart_colour (const ViewScene *scene, const char *name, uint32_t i, uint32_t n)
{
  const ViewPalette *p = view_palette_of (scene->colours);

  if (n <= 1)
    return p->one[scene->dark];
  if (n <= PALETTE_SERIES)
    return p->series[scene->dark][i];
  return view_colour_placed (scene->colours, LOOKS_OF_SERIES, name, scene->dark, i);
}

uint32_t
chart_colour_of (const ViewScene *scene, TraceRef of, const char *name, uint32_t i, uint32_t n)
{
  return of.type == TRACE_REF_TASK ? view_colour_placed (scene->colours, LOOKS_OF_SERIES, name, scene->dark, of.id)
                                   : chart_colour (scene, name, i, n);
}

uint32_t
chart_shade (const ViewScene *scene, double share)
{
  const uint32_t *stops = view_palette_of (scene->colours)->shades[scene->dark];
  double at = CLAMP (share, 0, 1) * (PALETTE_STOPS - 1);
  int i = MIN ((int) at, PALETTE_STOPS - 2);

  return paint_mix (stops[i], stops[i + 1], at - i);
}

const char *
chart_when (const ViewScene *scene, const char *before, const char *at_the_end)
{
  if (view_is_counted (scene))
    return N_ ("Nothing that is counted here happened in this range of time");
  return scene->source != NULL && scene->at >= scene->source->last ? at_the_end : before;
}

const char *
chart_head (const StatsColumn *column)
{
  const char *name = column->name;
  const char *head = !column->given && name && *name ? g_dpgettext2 (GETTEXT_PACKAGE, "table", name) : name;

  return head == name && !column->given ? in_words (name) : head;
}

const char *
chart_word (const StatsColumn *column, const StateGraph *g, const char *text)
{
  return column->words == STATS_STATES  ? paint_word (g, STATE_NODE, text)
         : column->words == STATS_WORDS ? in_words (text)
                                        : state_word (NULL, -1, text);
}

bool
chart_is_titled (const ViewScene *scene, const char *title)
{
  return scene->trace == NULL && g_strcmp0 (in_words (title), in_words (scene->titled)) == 0;
}

char *
chart_range_told (const ViewScene *scene)
{
  const TraceClock *clock = &scene->source->clock;
  int decimals = axis_span_decimals (clock, (double) scene->counted_to - (double) scene->counted_from, 4);
  int64_t unit = clock->ticks_per_second, begin = scene->counted_from - clock->zero,
          end = scene->counted_to - clock->zero;
  int digits = 0; /* zeros at the end tell nothing */
  for (; digits < decimals && unit >= 10 && (begin % unit != 0 || end % unit != 0); digits++)
    unit /= 10;
  g_autofree char *from = axis_date (clock, scene->counted_from, digits),
                  *to = axis_date (clock, scene->counted_to, digits);

  return g_strdup_printf (_ ("in %s to %s"), from, to);
}

/* What is told beside a title, where there is room for it; of a range at least that.  NULL: nothing; g_free. */
static char *
told_beside (Paint *p, const char *title, const char *quiet)
{
  bool more = quiet != NULL && *quiet != '\0';
  double room = p->scene->width_px - 24 - 16 - paint_text_width (p, PAINT_TITLE | PAINT_BOLD, title);

  if (!view_is_counted (p->scene))
    return g_strdup (quiet);
  g_autofree char *range = chart_range_told (p->scene), *all = more ? paint_joined (range, quiet) : NULL;
  return all != NULL && paint_text_width (p, PAINT_SMALL, all) < room ? g_steal_pointer (&all)
                                                                      : g_steal_pointer (&range);
}

void
chart_title (Paint *p, const char *title, const char *more)
{
  const char *trace = p->scene->trace, *told = in_words (title); /* a setting of a program on offer may be known */
  g_autofree char *named = trace != NULL ? g_strdup_printf ("%s, %s", told, trace) : NULL;
  g_autofree char *quiet = told_beside (p, chart_is_titled (p->scene, title) ? "" : named != NULL ? named : told, more);
  double room = p->scene->width_px - 24, taken = 0;

  if (chart_is_titled (p->scene, title)) {
    if (quiet != NULL)
      paint_text (p, 12, 16, 0, PAINT_SMALL, p->muted, room, quiet);
    return;
  }
  if (quiet != NULL && *quiet != '\0') {
    double wide = paint_text_width (p, PAINT_SMALL, quiet);
    double own = paint_text_width (p, PAINT_TITLE | PAINT_BOLD, named != NULL ? named : told);
    if (wide < room * 0.6 || own + wide + 16 < room)
      taken = paint_text (p, p->scene->width_px - 12, 16, 1, PAINT_SMALL, p->muted, 0, quiet) + 12;
  }
  paint_text (p, 12, 16, 0, PAINT_TITLE | PAINT_BOLD, p->ink, MAX (room - taken, 20), named != NULL ? named : told);
}

#define NAME_HIGH 14 /* px, of a line of text */

GArray *
chart_names_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));
}

bool
chart_names_room (GArray *names, double x, double y, double wide)
{
  cairo_rectangle_t own = { x, y, wide, NAME_HIGH };

  for (guint i = 0; i < names->len; i++) {
    const cairo_rectangle_t *other = &g_array_index (names, cairo_rectangle_t, i);
    if (fabs (y - other->y) < NAME_HIGH && x < other->x + other->width + 4 && other->x < x + wide + 4)
      return false;
  }
  g_array_append_val (names, own);
  return true;
}

uint32_t
chart_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT | VIEW_ON_SELECTED;
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

DrawingTag
chart_tag (const ViewScene *scene, const StatsDatum *of, uint32_t index)
{
  return (DrawingTag){ DRAWING_NO_DATES, .what = stats_owner_ref (of, scene->graph), .index = index };
}

static inline uint32_t
chart_hash (const StatsDatum *d)
{
  uint64_t key = ((uint64_t) d->source << 48 | (uint64_t) d->attribute << 35 | (uint64_t) d->owner_kind << 32
                  | d->owner)
                 * UINT64_C (0x9e3779b97f4a7c15);

  return (uint32_t) (key >> 32);
}

#define AT_FIRST 4096 /* owners that there is room for */

void
chart_values_init (ChartValues *v)
{
  v->n_places = 2 * AT_FIRST;
  v->place = g_new0 (uint32_t, v->n_places);
  v->values = g_array_sized_new (FALSE, FALSE, sizeof (ChartValue), AT_FIRST);
}

void
chart_values_finish (ChartValues *v)
{
  g_free (v->place);
  if (v->values != NULL)
    g_array_unref (v->values);
}

const char *
chart_values_unit (const ChartValues *v)
{
  return v->values->len > 0 ? g_array_index (v->values, ChartValue, 0).last.unit : NULL;
}

void
chart_values_reset (ChartValues *v)
{
  memset (v->place, 0, v->n_places * sizeof *v->place);
  g_array_set_size (v->values, 0);
  v->n_beyond = 0;
  v->n_attributes = 0;
}

#define PLACE_BITS 18 /* of an index + 1; above it, those of the hash: another owner's value need not be looked at */
#define PLACE_MASK ((1u << PLACE_BITS) - 1)
_Static_assert(CHART_MOST_OWNERS <= PLACE_MASK, "each owner has a place");

/* Where the owner of a datum stands, or belongs. */
static uint32_t *
chart_place_of (const ChartValues *v, const StatsDatum *d)
{
  uint32_t hash = chart_hash (d), i = hash & (v->n_places - 1);

  while (v->place[i] != 0
         && ((v->place[i] ^ hash) > PLACE_MASK
             || !stats_same_series (&g_array_index (v->values, ChartValue, (v->place[i] & PLACE_MASK) - 1).last, d)))
    i = (i + 1) & (v->n_places - 1);
  return &v->place[i];
}

static void
chart_put_place (uint32_t *place, const StatsDatum *d, uint32_t number)
{
  *place = (chart_hash (d) & ~PLACE_MASK) | number;
}

/* Twice as many places: few times in a run, however many owners come. */
static void
chart_widen (ChartValues *v)
{
  g_free (v->place);
  v->n_places *= 2;
  v->place = g_new0 (uint32_t, v->n_places);
  for (guint i = 0; i < v->values->len; i++) {
    const StatsDatum *d = &g_array_index (v->values, ChartValue, i).last;
    chart_put_place (chart_place_of (v, d), d, i + 1);
  }
}

const ChartValue *
chart_values_find (const ChartValues *v, const StatsDatum *of, bool *several)
{
  StatsDatum like = *of;
  bool met = v->n_attributes == CHART_ATTRIBUTES; /* one of these may be of the same attribute */
  for (uint32_t k = 0; k < v->n_attributes && !met; k++)
    met = v->attributes[k] == of->attribute;
  uint32_t own = met ? *chart_place_of (v, of) & PLACE_MASK : 0, other = 0, n = 0;

  for (uint32_t k = 0; own == 0 && k < v->n_attributes; k++) {
    like.attribute = v->attributes[k] & STATS_MOST_ATTRIBUTES;
    uint32_t i = *chart_place_of (v, &like) & PLACE_MASK;
    other = i != 0 ? i : other;
    n += i != 0;
  }
  n += n == 1 && v->n_attributes == CHART_ATTRIBUTES; /* there may be more */
  if (several != NULL)
    *several = n > 1;
  own = n == 1 ? other : own;
  return own != 0 ? &g_array_index (v->values, ChartValue, own - 1) : NULL;
}

const ChartValue *
chart_values_find_beside (const ChartValues *v, const StatsDatum *of, uint32_t i, bool *several)
{
  const ChartValue *beside = i < v->values->len ? &g_array_index (v->values, ChartValue, i) : NULL;
  StatsDatum like = *of;

  if (v->n_attributes == 1)
    like.attribute = v->attributes[0] & STATS_MOST_ATTRIBUTES;
  if (beside == NULL || !stats_same_series (&beside->last, &like))
    return chart_values_find (v, of, several);
  if (several != NULL)
    *several = false;
  return beside;
}

/* NULL: one beyond those that are kept apart. */
static ChartValue *
chart_value_of (ChartValues *v, const StatsDatum *d)
{
  uint32_t *place = chart_place_of (v, d);

  if (*place != 0)
    return &g_array_index (v->values, ChartValue, (*place & PLACE_MASK) - 1);
  if (v->values->len >= CHART_MOST_OWNERS)
    return NULL;
  if (2 * (v->values->len + 1) > v->n_places) {
    chart_widen (v);
    place = chart_place_of (v, d);
  }
  ChartValue fresh = { .last = *d, .min = NAN, .max = NAN };
  bool known = v->n_attributes == CHART_ATTRIBUTES;
  for (uint32_t k = 0; k < v->n_attributes && !known; k++)
    known = v->attributes[k] == d->attribute;
  if (!known)
    v->attributes[v->n_attributes++] = d->attribute;
  g_array_append_val (v->values, fresh); /* within what was set aside, but for very many */
  chart_put_place (place, d, v->values->len);
  return &g_array_index (v->values, ChartValue, v->values->len - 1);
}

void
chart_values_take (ChartValues *v, const EveType *type, bool present, const void *data, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    StatsDatum d = number_dated (type, (const char *) data + (size_t) i * type->size);
    ChartValue *value = chart_value_of (v, &d);
    double x = stats_datum_number (&d);
    if (value == NULL) {
      v->n_beyond++;
      continue;
    }
    value->last = d;
    value->count += !present;
    if (!isfinite (x))
      continue;
    if (!(x >= value->min))
      value->min = x;
    if (!(x <= value->max))
      value->max = x;
  }
}

void
chart_values_save (const ChartValues *v, EveProgram *program, EveBlob *to)
{
  eve_put_int (to, v->values->len);
  for (guint i = 0; i < v->values->len; i++) {
    const ChartValue *value = &g_array_index (v->values, ChartValue, i);
    stats_type_datum.save (program, &value->last, to);
    eve_put_double (to, value->min);
    eve_put_double (to, value->max);
    eve_put_int (to, (int64_t) value->count);
  }
  eve_put_int (to, (int64_t) v->n_beyond);
}

bool
chart_values_load (ChartValues *v, EveProgram *program, EveBlobView *from)
{
  int64_t n = eve_get_int (from);

  if (n < 0 || n > CHART_MOST_OWNERS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    StatsDatum d;
    guint before = v->values->len;
    if (!stats_type_datum.load (program, &d, from))
      return false;
    ChartValue *value = chart_value_of (v, &d);
    if (v->values->len == before) /* twice the same */
      return false;
    value->min = eve_get_double (from);
    value->max = eve_get_double (from);
    value->count = (uint64_t) eve_get_int (from);
  }
  v->n_beyond = (uint64_t) eve_get_int (from);
  return eve_get_ok (from);
}

bool
chart_view_init (EveComponent *c)
{
  chart_values_init (&((ChartView *) c)->of);
  return true;
}

void
chart_view_finish (EveComponent *c)
{
  chart_values_finish (&((ChartView *) c)->of);
}

void
chart_view_reset (EveComponent *c)
{
  chart_values_reset (&((ChartView *) c)->of);
}

void
chart_view_data (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  chart_values_take (&((ChartView *) c)->of, eve_in_type (in), eve_at_rest (c), data, n);
}

void
chart_view_save (EveComponent *c, EveBlob *to)
{
  chart_values_save (&((ChartView *) c)->of, eve_program (c), to);
}

bool
chart_view_load (EveComponent *c, EveBlobView *from)
{
  return chart_values_load (&((ChartView *) c)->of, eve_program (c), from);
}

const ChartValue *
chart_view_value (EveComponent *c, const DrawingMark *m)
{
  const ChartView *v = (const ChartView *) c;

  return m->tag.index < v->of.values->len ? &g_array_index (v->of.values, ChartValue, m->tag.index) : NULL;
}

unsigned
chart_differ_in (const ChartView *v)
{
  unsigned differ = 0;

  for (guint i = 1; i < v->of.values->len; i++)
    differ |= stats_differ_in (&g_array_index (v->of.values, ChartValue, i).last,
                               &g_array_index (v->of.values, ChartValue, 0).last);
  return differ;
}

bool
chart_view_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  ChartView *v = (ChartView *) c;

  unsigned differ = chart_differ_in (v);

  g_string_append (to, "owner,date [s],value,unit,min,max,count\r\n");
  for (guint i = 0; i < v->of.values->len; i++) {
    const ChartValue *value = &g_array_index (v->of.values, ChartValue, i);
    g_autoptr (GString) name = g_string_new (NULL);
    char date[64] = "";
    stats_owner_name_among (&value->last, scene->graph, differ, name);
    if (value->last.date != INT64_MIN && scene->source != NULL)
      trace_clock_print (&scene->source->clock, value->last.date, date, sizeof date);
    stats_csv_text (to, name->str);
    g_string_append_printf (to, ",%s,", date);
    stats_csv_number (to, stats_datum_number (&value->last));
    g_string_append_c (to, ',');
    stats_csv_text (to, value->last.unit);
    g_string_append_c (to, ',');
    stats_csv_number (to, value->min);
    g_string_append_c (to, ',');
    stats_csv_number (to, value->max);
    g_string_append_printf (to, ",%" G_GUINT64_FORMAT "\r\n", value->count);
  }
  return true;
}

/* ---- things -------------------------------------------------------------------------------------------------------------- */

static void
chart_hold (ChartThing *t, void *thing)
{
  g_clear_pointer (&t->shown, chart_matrix_free);
  if (t->thing != NULL)
    stats_unref (t->type, t->thing);
  t->thing = thing;
  t->serial++;
}

bool
chart_thing_init (EveComponent *c)
{
  ((ChartThing *) c)->type = eve_class (c)->ins[0].type;
  return true;
}

void
chart_thing_finish (EveComponent *c)
{
  chart_hold ((ChartThing *) c, NULL);
}

void
chart_thing_reset (EveComponent *c)
{
  chart_hold ((ChartThing *) c, NULL);
}

void
chart_thing_save (EveComponent *c, EveBlob *to)
{
  ChartThing *t = (ChartThing *) c;

  eve_put_int (to, t->thing != NULL);
  if (t->thing != NULL)
    t->type->save (eve_program (c), &t->thing, to);
}

bool
chart_thing_load (EveComponent *c, EveBlobView *from)
{
  ChartThing *t = (ChartThing *) c;
  void *thing = NULL;

  if (eve_get_int (from) == 0)
    return eve_get_ok (from);
  if (!eve_get_ok (from) || !t->type->load (eve_program (c), &thing, from))
    return false;
  chart_hold (t, thing);
  return true;
}

void
chart_thing_data (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  ChartThing *t = (ChartThing *) c;
  void *thing = ((void *const *) data)[n - 1];

  stats_ref (t->type, thing);
  chart_hold (t, thing);
}

bool
chart_thing_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  ChartThing *t = (ChartThing *) c;

  if (t->thing != NULL)
    return stats_csv (t->type, &t->thing, to);
  if (view_is_counted (scene))
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing that %s counts happened in this range of time"),
                 eve_name (c));
  else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing has come to %s yet"), eve_name (c));
  return false;
}

void
chart_thing_title (Paint *p, EveComponent *c, const char *setting, const char *own, int64_t date, const char *more)
{
  const char *title = in_words (setting != NULL && *setting ? setting : own != NULL && *own ? own : eve_name (c));
  bool told = (p->scene->titled != NULL && date == p->scene->at) || view_is_counted (p->scene); /* beside the title */
  g_autofree char *at = date != INT64_MIN && !told && p->scene->source != NULL
                            ? axis_date (&p->scene->source->clock, date, -1)
                            : NULL;
  g_autofree char *quiet = g_strjoin (more != NULL && at != NULL ? " · " : "", more != NULL ? more : "",
                                      at != NULL ? at : "", NULL);

  chart_title (p, title, quiet);
}
