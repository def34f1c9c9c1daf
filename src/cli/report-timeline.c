/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of the report, as SVG. */
#include <math.h>
#include <string.h>
#include "cli/report.h"
#include "eve/number.h"
#include "eve/words.h"
#include "cli/text.h"
#include "simulators/mirror.h"

enum { LEFT = 150, ROW = 24, BAND = 18, WIDTH = 960, TOP = 16, BOTTOM = 60 };

/* A round step that gives five to ten marks, in ticks: dates of today in nanoseconds are more than a double tells
 * apart. */
static int64_t
axis_step (const TraceClock *clock, double span_s)
{
  double step = pow (10, floor (log10 (span_s / 5)));

  step = span_s / (step * 5) < 1    ? step
         : span_s / (step * 5) >= 5 ? step * 5
         : span_s / (step * 2) >= 5 ? step * 2
                                    : step;
  return (int64_t) CLAMP (step * (double) clock->ticks_per_second + 0.5, 1, 0x1p62);
}

char *
report_date (const TraceClock *clock, int64_t date, int64_t step)
{
  double decimals = ceil (-log10 (trace_clock_seconds (clock, step)) - 1e-9);
  char text[64];

  trace_clock_print (clock, date, text, sizeof text);
  char *point = strchr (text, '.'), *end = text + strlen (text);
  if (point) {
    end = MIN (end, point + 1 + (int) CLAMP (decimals, 0, 20));
    while (end[-1] == '0')
      --end;
    end -= end[-1] == '.';
  }
  return g_strndup (text, (gsize) (end - text));
}

#define DIGIT 7.0 /* px, about */

static void
draw_axis (const TraceClock *clock, int64_t first, int64_t last, double span_s, int bottom, GString *to)
{
  double span = report_span (first, last), px = WIDTH / MAX (span, 1);
  int64_t step = axis_step (clock, span_s);
  g_autofree char *longest = report_date (clock, last, step);

  for (double more = 2; (double) step * px < DIGIT * (double) strlen (longest) + 10 && (double) step < span; more *= 2)
    step = axis_step (clock, span_s * more);
  int64_t into = first % step;
  double date = into > 0 ? (double) (step - into) : (double) -into; /* of the first mark, after the beginning */
  for (; date <= span; date += (double) step) {
    g_autofree char *label = number_local (report_date (clock, first + (int64_t) date, step));
    double x = LEFT + date * px;
    g_string_append_printf (to,
                            "<path d=\"M%.1f %dv5\" stroke=\"#8a8f99\"/><text x=\"%.1f\" y=\"%d\" "
                            "text-anchor=\"middle\">%s</text>\n",
                            x, bottom + 2, x, bottom + 20, label);
  }
  g_string_append_printf (to, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + WIDTH + 14, bottom + 20, clock->units);
}

void
report_timeline (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  bool alone = r->ruler_first == r->ruler_last; /* else others have the same ruler */
  int64_t first = alone ? s->first : r->ruler_first, last = alone ? s->last : r->ruler_last;
  double ticks = (double) s->clock.ticks_per_second, own = MAX (report_span (s->first, s->last) / ticks, 1e-9);
  double span = alone ? own : MAX (report_span (first, last) / ticks, own);
  double slice = own / REPORT_SLICES, width = WIDTH * (own / span) / REPORT_SLICES;
  double left = LEFT + WIDTH * (report_span (first, s->first) / ticks / span);
  int bottom = TOP + ROW * (int) r->n_rows;

  g_string_append_printf (to,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                          "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"12\" fill=\"#33363d\">\n"
                          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                          LEFT + WIDTH + 30, bottom + BOTTOM, LEFT + WIDTH + 30, bottom + BOTTOM);
  for (uint32_t row = 0; row < r->n_rows; ++row) {
    g_autofree char *name = text_clean (report_task (r, r->rows[row]));
    g_autofree char *escaped = g_markup_escape_text (name, -1);
    double y = TOP + ROW * row;
    g_string_append_printf (to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + BAND - 5,
                            escaped);
    for (int k = 0; k < r->n_states; ++k) {
      g_autofree char *colour = report_colour (r, k);
      /* One path a state: inside a slice its states are stacked, each as high as its share of it. */
      g_string_append_printf (to, "<path fill=\"%s\" d=\"", colour);
      for (int i = 0; i < REPORT_SLICES; ++i) {
        double below = 0, here = r->spent[row][i][k] / slice;
        for (int l = 0; l < k; ++l)
          below += r->spent[row][i][l] / slice;
        if (here > 0.002)
          g_string_append_printf (to, "M%.2f %.2fh%.2fv%.2fh-%.2fz", left + i * width, y + BAND * (1 - below),
                                  width + 0.05, -BAND * here, width + 0.05);
      }
      g_string_append (to, "\"/>\n");
    }
  }
  draw_axis (&s->clock, first, last, span, bottom, to);
  for (int k = 0, x = LEFT; k < r->n_states; ++k) {
    g_autofree char *colour = report_colour (r, k), *plain = text_clean (g_strdup (report_word (r, r->state_of[k])));
    g_autofree char *name = g_markup_escape_text (plain, -1);
    g_string_append_printf (
        to, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x,
        bottom + 34, colour, x + 18, bottom + 44, name);
    x += MAX (110, 30 + (int) (DIGIT * (double) g_utf8_strlen (plain, -1)));
  }
  g_string_append (to, "</svg>\n");
}
