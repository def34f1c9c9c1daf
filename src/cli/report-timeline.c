/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline of the report, as SVG. */
#include <math.h>
#include "cli/report.h"
#include "cli/text.h"
#include "simulators/mirror.h"

enum { LEFT = 150, ROW = 24, BAND = 18, WIDTH = 960, TOP = 16, BOTTOM = 60 };

/* A round step that gives five to ten marks. */
static double
axis_step (double span)
{
  double step = pow (10, floor (log10 (span / 5)));

  return span / (step * 5) < 1 ? step : span / (step * 5) >= 5 ? step * 5 : span / (step * 2) >= 5 ? step * 2 : step;
}

void
report_timeline (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  double first = trace_clock_seconds (&s->clock, s->first);
  double span = MAX (trace_clock_seconds (&s->clock, s->last - s->first), 1e-9), slice = span / REPORT_SLICES;
  double width = (double) WIDTH / REPORT_SLICES;
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
      /* One path a state: inside a slice its states are stacked, each as high as its share of it. */
      g_string_append_printf (to, "<path fill=\"%s\" d=\"", state_colour (r->senses[k]));
      for (int i = 0; i < REPORT_SLICES; ++i) {
        double below = 0, here = r->spent[row][i][k] / slice;
        for (int l = 0; l < k; ++l)
          below += r->spent[row][i][l] / slice;
        if (here > 0.002)
          g_string_append_printf (to, "M%.2f %.2fh%.2fv%.2fh-%.2fz", LEFT + i * width, y + BAND * (1 - below),
                                  width + 0.05, -BAND * here, width + 0.05);
      }
      g_string_append (to, "\"/>\n");
    }
  }
  double step = axis_step (span);
  for (double t = ceil (first / step) * step; t <= first + span * 1.0001; t += step) {
    double x = LEFT + (t - first) / span * WIDTH;
    g_string_append_printf (to,
                            "<path d=\"M%.1f %dv5\" stroke=\"#8a8f99\"/><text x=\"%.1f\" y=\"%d\" "
                            "text-anchor=\"middle\">%.6g</text>\n",
                            x, bottom + 2, x, bottom + 20, fabs (t) < step / 1000 ? 0 : t);
  }
  g_string_append_printf (to, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + WIDTH + 14, bottom + 20, s->clock.units);
  for (int k = 0, x = LEFT; k < r->n_states; ++k, x += 110)
    g_string_append_printf (
        to, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x,
        bottom + 34, state_colour (r->senses[k]), x + 18, bottom + 44, r->states[k]);
  g_string_append (to, "</svg>\n");
}
