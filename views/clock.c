/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the instant that is looked at, written large, and how far it is in the execution. */
#include <math.h>
#include <stddef.h>
#include "eve/words.h"
#include "simulators/state.h"
#include "views/chart.h"

typedef struct Clock {
  EveBase base;
  char *title; /* setting */
} Clock;

static const EveInSpec ins[] = {
  { "states", &state_type_state, EVE_ASYNC, .kept = true, .required = true,
    .doc = "From a simulator: its time is shown." },
};
static const EveField settings[] = {
  { "title", EVE_F_STRING, offsetof (Clock, title), .look = true, .doc = "Empty: the name of the box." },
};

#define LARGEST 60
#define LEAST 18
#define BAR 10.0

/* As large as there is room for. */
static int
views_clock_size_of (Paint *p, const char *text, double room)
{
  int px = LARGEST;

  while (px > LEAST && paint_text_width (p, px | PAINT_BOLD, text) > room)
    px -= 2;
  return px;
}

static void
views_clock_draw_bar (Drawing *d, Paint *p, const TraceSource *s, double y, double share, int64_t at)
{
  double x0 = 24, width = fmax (p->scene->width_px - 48, 10);
  DrawingTag tag = { .from = at, .to = at };

  drawing_rect (d, x0, y, width, BAR, p->grid, 1, NULL);
  drawing_rect (d, x0, y, width * share, BAR, DRAWING_ACCENT, 1, &tag);
  g_autofree char *first = axis_date (&s->clock, s->first, -1), *last = axis_date (&s->clock, s->last, -1);
  paint_text (p, x0, y + BAR + 14, 0, PAINT_SMALL, p->muted, width / 2 - 8, first);
  paint_text (p, x0 + width, y + BAR + 14, 1, PAINT_SMALL, p->muted, width / 2 - 8, last);
}

static double
views_clock_share_of (const TraceSource *s, int64_t at)
{
  double all = trace_clock_seconds (&s->clock, s->last) - trace_clock_seconds (&s->clock, s->first);

  return all > 0 ? CLAMP ((trace_clock_seconds (&s->clock, at) - trace_clock_seconds (&s->clock, s->first)) / all, 0, 1)
                 : 1;
}

static bool
views_clock_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  const Clock *v = (const Clock *) c;
  const TraceSource *s = scene->source;
  Paint *p = drawing_begin (d);

  chart_title (p, *v->title ? v->title : eve_name (c), NULL);
  if (s == NULL || scene->at == INT64_MIN || s->first > s->last) {
    paint_sentence (p, N_ ("No instant is looked at: go on in time"));
    return true;
  }
  int64_t at = CLAMP (scene->at, s->first, s->last);
  double room = fmax (scene->height_px - CHART_TOP, 60), y = CHART_TOP + room * 0.42;
  g_autofree char *date = axis_date (&s->clock, at, -1),
                  *share = g_strdup_printf (_ ("%.1f\u2009%% of the execution"), 100 * views_clock_share_of (s, at));
  DrawingTag tag = { .from = at, .to = at };
  int px = views_clock_size_of (p, date, scene->width_px - 48);
  paint_text (p, scene->width_px / 2, y, 0.5, px | PAINT_BOLD, p->ink, scene->width_px - 24, date);
  drawing_area (d, 24, y - px / 2.0, fmax (scene->width_px - 48, 1), px, &tag);
  paint_text (p, scene->width_px / 2, y + px / 2.0 + 16, 0.5, PAINT_TEXT, p->muted, scene->width_px - 48, share);
  if (room > 140)
    views_clock_draw_bar (d, p, s, y + px / 2.0 + 44, views_clock_share_of (s, at), at);
  return true;
}

static void
views_clock_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  g_autofree char *date = scene->source != NULL ? axis_date (&scene->source->clock, m->tag.from, -1) : NULL;

  g_string_append (name, date != NULL ? date : "");
}

static bool
views_clock_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  const TraceSource *s = scene->source;

  g_string_append (to, "date [s],share [%]\r\n");
  if (s == NULL || scene->at == INT64_MIN || s->first > s->last)
    return true;
  stats_csv_date (to, s->number, CLAMP (scene->at, s->first, s->last));
  g_string_append_c (to, ',');
  stats_csv_number (to, 100 * views_clock_share_of (s, scene->at));
  g_string_append (to, "\r\n");
  return true;
}

static const View view = { .title = "Clock",
                           .spans = VIEW_OF_INSTANT,
                           .build = views_clock_build,
                           .say = views_clock_say,
                           .depends = chart_depends,
                           .csv = views_clock_csv };

VIEW_QUERY (views_clock_query, view)

static const EveClass clock_view = {
  VIEW_CLASS (Clock),
  .id = "scope.clock",
  .label = "Clock",
  .doc = "The instant that is looked at, written large, and how far it is in the execution.",
  .help = "ParaGraph's clock: for a picture that is shown to others, or beside a view that has no axis of time.",
  .query = views_clock_query,
};
EVE_PLUGIN (&clock_view);
