/* SPDX-License-Identifier: Apache-2.0 */
/* stretches-draw.c - stretches over the rows of a timeline: hatched, with an edge in the colour of their kind; columns
 * where they are too dense; and the path, with what is not on it faded. */
#include <math.h>
#include <string.h>
#include "statistics/stretch.h"
#include "eve/words.h"
#include "views/palettes.h"
#include "views/stretches.h"
#include "views/painter.h"

#define EXACT 1500       /* drawn one by one, with marks */
#define BY_ONE 200000    /* read one by one; more are read as sums */
#define HATCH 5.0        /* px between two lines */
#define FADED 0.62       /* how much of the paper lies over what is not on the path */
#define ATTRIBUTE "Wait" /* in the table of colours */
#define SEVERAL 0x8a4f9e /* of kinds that sums do not tell apart */

typedef struct Rgba {
  float red, green, blue, cover;
} Rgba;

typedef struct Marks {
  const Stretches *stretches;
  const StretchRows *rows;
  const ViewScene *scene;
  Drawing *d;
  Paint *p;
  Rgba *columns; /* dense: row by row */
  uint32_t width;
} Marks;

static const StretchRow *
stretches_draw_row_of (const StretchRows *rows, uint32_t task)
{
  uint32_t i = task < rows->n_tasks ? rows->row_of[task] : TRACE_NONE;

  return i < rows->n ? &rows->rows[i] : NULL;
}

static uint32_t
stretches_draw_colour_of (const Stretches *s, const ViewScene *scene, const char *kind)
{
  return view_colour_mark (scene->colours, ATTRIBUTE, kind, scene->dark, stretches_place (s, kind));
}

static double
stretches_draw_edge_of (const StretchRow *row)
{
  return CLAMP (floor (row->height / 4), 1, 4);
}

/* ---- one by one ---------------------------------------------------------------------------------------------------------- */

static void
hatch (Paint *p, double x, double y, double width, double height, bool quiet)
{
  cairo_save (p->cr);
  cairo_rectangle (p->cr, x, y, width, height);
  cairo_clip (p->cr);
  cairo_set_line_width (p->cr, quiet ? 1 : 1.6);
  /* dark and light beside each other: it is seen on any colour */
  for (int light = 0; light < (quiet ? 1 : 2); light++) {
    paint_source (p->cr, light ? p->paper : p->ink, light ? 0.8 : quiet ? 0.28 : 0.55);
    for (double at = floor (x / HATCH) * HATCH + light * 1.6; at < x + width + height; at += HATCH) {
      cairo_move_to (p->cr, at, y);
      cairo_line_to (p->cr, at - height, y + height);
    }
    cairo_stroke (p->cr);
  }
  cairo_restore (p->cr);
}

static bool
stretches_draw_one (void *arg, const Stretch *one)
{
  const Marks *m = arg;
  const Axis *a = m->rows->axis;
  const StretchRow *row = stretches_draw_row_of (m->rows, one->owner);
  double x0 = MAX (axis_x (a, one->from), a->x), x1 = MIN (axis_x (a, one->to), a->x + a->width);
  uint16_t source = m->scene->source->number;

  if (row == NULL || x1 < a->x || x0 > a->x + a->width)
    return true;
  double width = MAX (x1 - x0, 1), edge = stretches_draw_edge_of (row);
  const DrawingTag tag = { .what = trace_ref_task (source, one->owner),
                           .other = one->cause != TRACE_NONE ? trace_ref_task (source, one->cause) : (TraceRef){ 0 },
                           .attribute = g_intern_static_string (ATTRIBUTE),
                           .value = one->kind,
                           .from = one->from,
                           .to = one->to,
                           .part = m->rows->part };
  if (width >= 2 && row->height >= 4 && drawing_is_painted (m->d))
    hatch (m->p, x0, row->y, width, row->height, m->rows->quiet);
  drawing_area (m->d, x0, row->y, width, row->height, &tag);
  drawing_rect (m->d, x0, row->y + row->height - edge, width, edge,
                stretches_draw_colour_of (m->stretches, m->scene, one->kind), 1, &tag);
  return true;
}

/* ---- columns ------------------------------------------------------------------------------------------------------------- */

/* Each column has of it what lies in it. */
static void
add_to_columns (const Marks *m, uint32_t task, double from, double to, double weight, uint32_t rgb)
{
  const Axis *a = m->rows->axis;
  const StretchRow *row = stretches_draw_row_of (m->rows, task);

  if (row == NULL)
    return;
  double x0 = MAX ((from - (double) a->from) / a->per_px, 0), x1 = MIN ((to - (double) a->from) / a->per_px, m->width);
  Rgba *column = m->columns + (size_t) (row - m->rows->rows) * m->width;
  for (uint32_t x = (uint32_t) x0; x < m->width && (double) x < x1; x++) {
    float part = (float) (weight * (MIN (x1, x + 1.0) - MAX (x0, (double) x)) / MAX (row->tasks, 1));
    column[x].red += part * (float) (rgb >> 16 & 255);
    column[x].green += part * (float) (rgb >> 8 & 255);
    column[x].blue += part * (float) (rgb & 255);
    column[x].cover += part;
  }
}

static bool
add_one (void *arg, const Stretch *one)
{
  const Marks *m = arg;

  add_to_columns (m, one->owner, (double) one->from, (double) one->to, 1,
                  stretches_draw_colour_of (m->stretches, m->scene, one->kind));
  return true;
}

/* Many of one task and cause: as much as they are together, between the mean of their begins and what they last. */
static void
stretches_draw_add_bundle (void *arg, const MessageBundle *b)
{
  const Marks *m = arg;

  if (b->from == TRACE_NONE || b->count == 0)
    return;
  double lasts = MAX ((double) b->bytes / (double) b->count, 1), most = MAX (lasts, m->rows->axis->per_px);
  add_to_columns (m, b->to, b->sent, b->sent + most, (double) b->bytes / most, SEVERAL);
}

static inline uint32_t
blended (float red, float green, float blue, float alpha)
{
  return (uint32_t) (255 * alpha + 0.5f) << 24 | (uint32_t) (red * alpha + 0.5f) << 16
         | (uint32_t) (green * alpha + 0.5f) << 8 | (uint32_t) (blue * alpha + 0.5f);
}

/* An image over the plot, a pixel a column. */
typedef struct Over {
  cairo_surface_t *image;
  uint32_t *pixels, stride, width, height;
} Over;

static bool
over_begin (Over *o, const StretchRows *rows)
{
  *o = (Over){ .width = (uint32_t) rows->axis->width, .height = (uint32_t) ceil (MAX (rows->bottom - rows->top, 1)) };
  o->image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) o->width, (int) o->height);
  if (cairo_surface_status (o->image) != CAIRO_STATUS_SUCCESS) {
    g_clear_pointer (&o->image, cairo_surface_destroy);
    return false;
  }
  cairo_surface_flush (o->image);
  o->pixels = (uint32_t *) (void *) cairo_image_surface_get_data (o->image);
  o->stride = (uint32_t) cairo_image_surface_get_stride (o->image) / 4;
  return true;
}

static void
over_end (Over *o, Drawing *d, const StretchRows *rows)
{
  cairo_surface_mark_dirty (o->image);
  drawing_image (d, rows->axis->x, rows->top, o->width, o->height, o->image, NULL, NULL, 0);
  cairo_surface_destroy (o->image);
}

/* The pixels of a row, `share` of its height from the lower edge up. */
static void
stretches_draw_lines_of (const Over *o, const StretchRows *rows, const StretchRow *row, double height, uint32_t *first,
                         uint32_t *end)
{
  double bottom = row->y + row->height - rows->top;

  *end = (uint32_t) CLAMP (round (bottom), 0, o->height);
  *first = (uint32_t) CLAMP (round (bottom - height), 0, o->height);
  if (*first == *end && *first > 0)
    --*first;
}

static void
stretches_draw_columns (Stretches *s, Marks *m)
{
  const Axis *a = m->rows->axis;
  Over o;

  if (!drawing_is_painted (m->d) || !over_begin (&o, m->rows))
    return;
  m->width = o.width;
  m->columns = g_new0 (Rgba, (gsize) m->rows->n * m->width);
  if (stretches_count (s, a->from, a->to) <= BY_ONE)
    stretches_each (s, a->from, a->to, add_one, m);
  else
    messages_reader_bundles (stretches_messages (s), a->from, a->to, (int64_t) MAX (a->per_px, 1),
                             stretches_draw_add_bundle, m);
  for (guint i = 0; i < m->rows->n; i++) {
    const StretchRow *row = &m->rows->rows[i];
    uint32_t first, end;
    stretches_draw_lines_of (&o, m->rows, row, MAX (stretches_draw_edge_of (row), ceil (row->height / 3)), &first,
                             &end);
    for (uint32_t x = 0; x < m->width; x++) {
      const Rgba *c = &m->columns[(size_t) i * m->width + x];
      if (c->cover < 0.004f)
        continue;
      uint32_t pixel = blended (MIN (c->red / c->cover, 255), MIN (c->green / c->cover, 255),
                                MIN (c->blue / c->cover, 255), MIN (0.15f + 0.85f * c->cover, 1));
      for (uint32_t y = first; y < end; y++)
        o.pixels[(size_t) y * o.stride + x] = pixel;
    }
  }
  g_clear_pointer (&m->columns, g_free);
  over_end (&o, m->d, m->rows);
}

/* ---- the path ------------------------------------------------------------------------------------------------------------ */

/* The part that holds a date, or the first one. */
static guint
leg_at (const PathLeg *legs, guint n, int64_t date)
{
  guint low = 0, high = n;

  while (low + 1 < high) {
    guint mid = (low + high) / 2;
    if (legs[mid].from <= date)
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* How much of each column of each row is on the path, out of its parts in the picture. */
static void
add_legs (const Marks *m, const PathLeg *legs, guint first, guint end, guint n, int64_t path_end)
{
  for (guint i = first; i < end; i++)
    add_to_columns (m, legs[i].task, (double) legs[i].from, (double) (i + 1 < n ? legs[i + 1].from : path_end), 1, 0);
}

/* Lines along the rows, and from one to the next. */
static void
draw_legs (const Marks *m, const PathLeg *legs, guint first, guint end, guint n, int64_t path_end)
{
  const Axis *a = m->rows->axis;
  Paint *p = m->p;

  cairo_set_line_join (p->cr, CAIRO_LINE_JOIN_ROUND);
  bool open = false;
  for (guint i = first; i < end; i++) {
    const StretchRow *row = stretches_draw_row_of (m->rows, legs[i].task);
    double x0 = CLAMP (axis_x (a, legs[i].from), a->x, a->x + a->width),
           x1 = CLAMP (axis_x (a, i + 1 < n ? legs[i + 1].from : path_end), a->x, a->x + a->width);
    if (row == NULL) { /* hidden: the line goes on with the next that is not */
      open = false;
      continue;
    }
    double y = row->y + row->height / 2;
    if (open)
      cairo_line_to (p->cr, x0, y);
    else
      cairo_move_to (p->cr, x0, y);
    cairo_line_to (p->cr, x1, y);
    open = true;
  }
  paint_source (p->cr, p->paper, 0.7); /* it is seen on any colour */
  cairo_set_line_width (p->cr, 4);
  cairo_stroke_preserve (p->cr);
  paint_source (p->cr, p->cursor, 1);
  cairo_set_line_width (p->cr, 2);
  cairo_stroke (p->cr);
}

static void
draw_path (Stretches *s, Marks *m)
{
  const Axis *a = m->rows->axis;
  int64_t path_end;
  guint n;
  const PathLeg *legs = stretches_path (s, &n, &path_end);
  Over o;

  if (legs == NULL || !drawing_is_painted (m->d) || !over_begin (&o, m->rows))
    return;
  guint first = leg_at (legs, n, a->from), end = leg_at (legs, n, a->to) + 1;
  m->width = o.width;
  m->columns = g_new0 (Rgba, (gsize) m->rows->n * m->width);
  add_legs (m, legs, first, end, n, path_end);
  float red = (float) (m->p->paper >> 16 & 255), green = (float) (m->p->paper >> 8 & 255),
        blue = (float) (m->p->paper & 255);
  for (guint i = 0; i < m->rows->n; i++) {
    const StretchRow *row = &m->rows->rows[i];
    uint32_t from, to;
    stretches_draw_lines_of (&o, m->rows, row, row->height, &from, &to);
    for (uint32_t x = 0; x < m->width; x++) {
      float on = MIN (m->columns[(size_t) i * m->width + x].cover * (float) MAX (row->tasks, 1), 1);
      uint32_t pixel = blended (red, green, blue, (float) FADED * (1 - on));
      for (uint32_t y = from; y < to; y++)
        o.pixels[(size_t) y * o.stride + x] = pixel;
    }
  }
  g_clear_pointer (&m->columns, g_free);
  over_end (&o, m->d, m->rows);
  if (end - first <= EXACT)
    draw_legs (m, legs, first, end, n, path_end);
}

void
stretches_draw (Stretches *s, Drawing *d, Paint *p, const ViewScene *scene, const StretchRows *rows)
{
  Marks m = { .stretches = s, .rows = rows, .scene = scene, .d = d, .p = p };

  if (rows->n == 0 || rows->axis->width < 1)
    return;
  if (rows->path)
    draw_path (s, &m);
  if (stretches_count (s, rows->axis->from, rows->axis->to) <= EXACT)
    stretches_each (s, rows->axis->from, rows->axis->to, stretches_draw_one, &m);
  else
    stretches_draw_columns (s, &m);
}

/* ---- the key ------------------------------------------------------------------------------------------------------------- */

/* What is said of the path; of each the second where there is less room. */
static const char *const keys_of_path[][2] = {
  { N_ ("Critical path, all else pale"), N_ ("Critical path") },
  { N_ ("Critical path, as if nobody waited where the trace does not tell who waits for whom"),
    N_ ("Critical path, as far as waits are told") },
  { N_ ("No critical path: the trace does not tell who waits for whom"), N_ ("No critical path is known") },
};
#define KEY_PX 16.0 /* of a sample */
#define KEY_HIGH 10.0
#define KEY_LINE 17.0 /* to the line below */

typedef struct Met {
  const StretchRows *rows;
  GPtrArray *kinds;
} Met;

static bool
stretches_draw_meet (void *arg, const Stretch *one)
{
  const Met *m = arg;

  if (stretches_draw_row_of (m->rows, one->owner) != NULL && one->from <= m->rows->axis->to
      && one->to >= m->rows->axis->from && !g_ptr_array_find (m->kinds, one->kind, NULL))
    g_ptr_array_add (m->kinds, (gpointer) one->kind);
  return true;
}

/* In the order in which the film met them, so that a key stays as it is while the picture moves. */
static GPtrArray *
kinds_in (Stretches *s, const StretchRows *rows)
{
  g_autoptr (GPtrArray) met = g_ptr_array_new ();
  GPtrArray *kinds = stretches_kinds (s);

  if (stretches_count (s, rows->axis->from, rows->axis->to) > EXACT)
    return kinds;
  stretches_each (s, rows->axis->from, rows->axis->to, stretches_draw_meet, &(Met){ rows, met });
  for (guint i = kinds->len; i-- > 0;)
    if (!g_ptr_array_find (met, kinds->pdata[i], NULL))
      g_ptr_array_remove_index (kinds, i);
  return kinds;
}

static double
key_entry (Paint *p, double x, double y, const char *kind, uint32_t rgb, bool quiet)
{
  double at = round (x), top = round (y) - KEY_HIGH / 2;

  if (drawing_is_painted (p->drawing))
    hatch (p, at, top, KEY_PX, KEY_HIGH, quiet);
  drawing_rect (p->drawing, at, top + KEY_HIGH - 2.5, KEY_PX, 2.5, rgb, 1, NULL);
  double wide = KEY_PX + 6 + paint_text (p, at + KEY_PX + 6, y, 0, PAINT_TEXT, p->ink, 0, in_words (kind));
  drawing_area (p->drawing, at, y - 9, wide, 18,
                &(DrawingTag){ DRAWING_NO_DATES, .attribute = g_intern_static_string (ATTRIBUTE),
                               .value = g_intern_string (kind), .part = DRAWING_LEGEND });
  return at + wide + 18;
}

static double
key_path (Paint *p, double x, double y, const char *text, bool line)
{
  double at = round (x);

  if (!line)
    return x + paint_text (p, at, y, 0, PAINT_TEXT, p->muted, 0, in_words (text)) + 18;
  drawing_rect (p->drawing, at, round (y) - 1, KEY_PX, 2, p->cursor, 1, NULL);
  return at + KEY_PX + 6 + paint_text (p, at + KEY_PX + 6, y, 0, PAINT_TEXT, p->ink, 0, in_words (text)) + 18;
}

static double
key_width (Paint *p, const char *text)
{
  return KEY_PX + 24 + paint_text_width (p, PAINT_TEXT, in_words (text));
}

/* Those that fit as far as `most`, and how many more there are. */
static double
key_entries (Stretches *s, Paint *p, const StretchRows *rows, const GPtrArray *kinds, double x, double y, double most)
{
  for (guint i = 0; i < kinds->len; i++) {
    g_autofree char *more = g_strdup_printf ("+%u", kinds->len - i);
    double rest = i + 1 < kinds->len ? paint_text_width (p, PAINT_TEXT, more) + 18 : 0;
    if (x + key_width (p, kinds->pdata[i]) - 18 + rest > most)
      return x + paint_text (p, x, y, 0, PAINT_TEXT, p->muted, 0, more) + 18;
    x = key_entry (p, x, y, kinds->pdata[i], stretches_draw_colour_of (s, p->scene, kinds->pdata[i]), rows->quiet);
  }
  return x;
}

double
stretches_legend (Stretches *s, Paint *p, const StretchRows *rows, double x, double y)
{
  if (rows->n == 0 || rows->axis->width < 1)
    return x;
  g_autoptr (GPtrArray) kinds = kinds_in (s, rows);
  bool sums = stretches_count (s, rows->axis->from, rows->axis->to) > BY_ONE && kinds->len > 1;
  bool doubtful = rows->path && stretches_path_is_doubtful (s);
  bool path = rows->path && stretches_path (s, &(guint){ 0 }, &(int64_t){ 0 }) != NULL, told = path || doubtful;
  const char *const *keys = keys_of_path[doubtful ? path ? 1 : 2 : 0], *on_path = keys[0];
  double of_path = told ? key_width (p, on_path) : 0, wide = of_path, begin = x;

  for (guint i = 0; i < kinds->len && !sums; i++)
    wide += key_width (p, kinds->pdata[i]);
  if (told && wide > p->scene->width_px - 24) {
    on_path = keys[1]; /* rather the names of all */
    wide += key_width (p, on_path) - of_path;
    of_path = key_width (p, on_path);
  }
  if (x + wide > p->scene->width_px - 12) {
    x = MAX (MIN (rows->axis->x, p->scene->width_px - 12 - wide), 12);
    y += KEY_LINE;
  }
  if (sums) /* which these are is not known there */
    x = key_entry (p, x, y, N_ ("Waits"), SEVERAL, rows->quiet);
  else
    x = key_entries (s, p, rows, kinds, x, y, p->scene->width_px - 12 - of_path);
  if (told)
    x = key_path (p, x, y, on_path, path);
  return y > 20 ? begin : x;
}

/* ---- what is told -------------------------------------------------------------------------------------------------------- */

static void
stretches_draw_put_stretch (const Names *names, const ViewScene *scene, const Stretch *one, GString *facts)
{
  const TraceSource *s = scene->source;
  g_autofree char *from = axis_date (&s->clock, one->from, -1), *to = axis_date (&s->clock, one->to, -1),
                  *lasts = axis_duration (&s->clock, (double) one->to - (double) one->from);

  g_string_append_printf (facts, _ ("Waits\t%s\n"), in_words (one->kind));
  if (one->cause != TRACE_NONE)
    g_string_append_printf (facts, _ ("Waits for\t%s\n"), names_name (names, s, one->cause));
  g_string_append_printf (facts, _ ("Waits from\t%s\nWaits until\t%s\nWaited\t%s\n"), from, to, lasts);
}

typedef struct Telling {
  const Names *names;
  const ViewScene *scene;
  uint32_t task;
  int64_t date;
  GString *facts;
} Telling;

static bool
stretches_draw_tell_one (void *arg, const Stretch *one)
{
  const Telling *t = arg;

  if (one->owner == t->task && one->from <= t->date && t->date < one->to)
    stretches_draw_put_stretch (t->names, t->scene, one, t->facts);
  return true;
}

void
stretches_facts (Stretches *s, const Names *names, const ViewScene *scene, uint32_t task, int64_t date, GString *facts)
{
  Telling t = { names, scene, task, date, facts };
  int64_t end;
  guint n;
  const PathLeg *legs;

  stretches_each (s, date, MIN (date, INT64_MAX - 1) + 1, stretches_draw_tell_one, &t);
  legs = stretches_path (s, &n, &end);
  if (legs != NULL && date < end && date >= legs[0].from && legs[leg_at (legs, n, date)].task == task)
    g_string_append (facts, _ ("On the critical path\tyes\n"));
}

void
stretches_say (Stretches *s, const Names *names, const ViewScene *scene, const DrawingTag *tag, GString *name,
               GString *facts)
{
  const TraceSource *source = scene->source;
  const char *task = names_name (names, source, tag->what.id);
  bool caused = tag->other.type == TRACE_REF_TASK;
  const Stretch one = { tag->from,  tag->to, tag->what.id, caused ? tag->other.id : TRACE_NONE,
                        tag->value, false,   tag->to };

  if (facts != NULL) {
    g_string_append_printf (name, "%s \u00b7 %s", task, in_words (tag->value));
    stretches_draw_put_stretch (names, scene, &one, facts);
    return;
  }
  g_autofree char *from = axis_date (&source->clock, tag->from, -1), *to = axis_date (&source->clock, tag->to, -1);
  g_string_append_printf (name, _ ("%s: %s from %s to %s%s%s"), task, in_words (tag->value), from, to,
                          caused ? _ (", for ") : "", caused ? names_name (names, source, tag->other.id) : "");
}
