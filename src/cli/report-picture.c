/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of the report: the state graph for Graphviz, the timeline as SVG. */
#include <math.h>
#include <string.h>
#include "cli/report.h"
#include "cli/text.h"

#define NAMED_NODES 32                          /* more: only ids; above the next, only points */
#define DRAWN_NODES 128
#define DRAWN_LINKS 400                         /* the busiest; a picture with more shows nothing */
#define POINTS_PER_INCH 72.0

const char *
report_colour (const char *state)
{
  /* ParaGraph's meaning of colours (green works, yellow is overhead, red waits), in tones that also differ in
   * lightness. */
  static const char *const colours[][2] = {
    { "Busy", "#3fa36c" }, { "Overhead", "#efb93f" }, { "Idle", "#d9584f" }, { "Talking", "#4482cf" },
    { "Dead", "#9a9aa2" }, { "Unused", "#d4d7dd" },
  };
  static const char *const others[] = { "#8f6fc0", "#3aa6a6", "#c77f3c", "#7a8c3d" };

  for (size_t i = 0; i < G_N_ELEMENTS (colours); ++i)
    if (g_str_equal (colours[i][0], state))
      return colours[i][1];
  return others[g_str_hash (state) % G_N_ELEMENTS (others)];
}

/* ---- the state graph ------------------------------------------------------------------------------------------------ */

static void
quoted (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (to, '\\');
    g_string_append_c (to, *text);
  }
  g_string_append_c (to, '"');
}

static char *
attribute_text (const StateGraph *g, StateScope scope, const char *name, uint32_t object, int64_t at)
{
  int a = state_attribute (g->model, scope, name);
  GString *s = g_string_new (NULL);

  if (a >= 0)
    state_text (g, (uint32_t) a, object, at, s);
  return text_clean (g_string_free (s, FALSE));
}

static double
attribute_number (const StateGraph *g, const char *name, uint32_t edge, int64_t at)
{
  int a = state_attribute (g->model, STATE_EDGE, name);
  double v = a < 0 ? 0 : state_number (g, (uint32_t) a, edge, at);

  return v > 0 ? v : 0;
}

static void
write_legend (const Session *s, int64_t at, GString *to)
{
  const StateGraph *g = s->graph;
  int state = state_attribute (g->model, STATE_NODE, "State");
  g_autofree char *date = text_date (&s->source->clock, at);
  g_autofree char *name = g_markup_escape_text (s->source->name, -1);

  g_string_append_printf (to, "  label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"6\"><tr><td colspan=\"%d\"><b>%s</b> at %s</td></tr><tr>",
                          16, name, date);
  for (const char *const *n = state < 0 ? NULL : g->model->attributes[state].names; n && *n; ++n)
    g_string_append_printf (to, "<td bgcolor=\"%s\" width=\"14\" height=\"14\" fixedsize=\"true\"></td><td align=\"left\"><font point-size=\"11\">%s </font></td>",
                            report_colour (*n), *n);
  g_string_append (to, "</tr></table>>;\n");
}

static void
write_node (const Session *s, uint32_t node, uint32_t place, uint32_t n, double radius, int64_t at, GString *to)
{
  const StateGraph *g = s->graph;
  g_autofree char *state = attribute_text (g, STATE_NODE, "State", node, at);
  g_autofree char *busy = attribute_text (g, STATE_NODE, "PercentBusy", node, at);
  g_autofree char *tip = NULL;
  const TraceTask *t = report_trace_task (s, node);
  const char *id = g->node_id (g, node), *name = t && t->nickname ? t->nickname : t ? t->program : NULL;
  double angle = G_PI / 2 - 2 * G_PI * place / n;       /* from the top, clockwise */

  g_string_append (to, "  ");
  quoted (to, id);
  g_string_append_printf (to, " [pos=\"%.1f,%.1f\", fillcolor=\"%s\"", radius * cos (angle) + 0.0, radius * sin (angle) + 0.0,
                          report_colour (state));
  if (n > DRAWN_NODES) {
    g_string_append (to, ", label=\"\"");
  } else {
    g_autofree char *label = n <= NAMED_NODES && name ? g_strdup_printf ("%s\n%s", name, id) : g_strdup (id);
    g_string_append (to, ", label=");
    quoted (to, label);
  }
  tip = g_strdup_printf ("%s%s%s: %s, %s %% busy", name ? name : "", name ? " " : "", id, state, busy);
  g_string_append (to, ", tooltip=");
  quoted (to, tip);
  g_string_append (to, "];\n");
}

static void
write_edge (const Session *s, uint32_t edge, double most, int64_t at, GString *to)
{
  const StateGraph *g = s->graph;
  g_autofree char *state = attribute_text (g, STATE_EDGE, "State", edge, at);
  double traffic = attribute_number (g, "Traffic", edge, at), total = attribute_number (g, "TotalTraffic", edge, at);
  g_autofree char *now = text_bytes (traffic), *all = text_bytes (total);
  g_autofree char *tip = g_strdup_printf ("%s: %s now, %s in all", state, now, all);
  bool quiet = g_str_equal (state, "Unused") || g_str_equal (state, "Dead");
  uint32_t from, ends;

  g->edge_ends (g, edge, &from, &ends);
  g_string_append (to, "  ");
  quoted (to, g->node_id (g, from));
  g_string_append (to, " -> ");
  quoted (to, g->node_id (g, ends));
  /* Width tells the volume so far, by its order of magnitude. */
  g_string_append_printf (to, " [color=\"%s\", penwidth=%.2f", report_colour (state),
                          (quiet ? 0.7 : 1.6) + (most > 0 ? 2.2 * log1p (total) / log1p (most) : 0));
  if (!quiet && traffic > 0) {
    g_string_append (to, ", label=");
    quoted (to, now);
  }
  g_string_append (to, ", tooltip=");
  quoted (to, tip);
  g_string_append (to, "];\n");
}

void
report_graph (const Session *s, int64_t at, GString *to)
{
  const StateGraph *g = s->graph;
  g_autofree uint32_t *nodes = state_sorted (g, STATE_NODE), *edges = state_sorted (g, STATE_EDGE);
  /* Places are kept for every task of the trace: those not yet born leave theirs empty. */
  uint32_t n = MAX (g->n_nodes, s->source->tasks->len);
  double size = n <= NAMED_NODES ? 0.95 : n <= DRAWN_NODES ? 0.6 : 0.08;
  double radius = POINTS_PER_INCH * MAX (1.6, size * 1.5 * n / (2 * G_PI));
  double most = 0;
  uint32_t drawn = 0;

  g_string_append_printf (to,
                          "digraph state {\n"
                          "  graph [splines=true, outputorder=edgesfirst, bgcolor=\"white\", pad=0.3, labelloc=b, "
                          "fontname=\"Helvetica,Arial,sans-serif\", fontsize=14, fontcolor=\"#33363d\"];\n"
                          "  node [shape=circle, style=filled, fixedsize=true, width=%.2f, penwidth=0, fontcolor=\"white\", "
                          "fontname=\"Helvetica,Arial,sans-serif\", fontsize=%d];\n"
                          "  edge [arrowsize=0.7, fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"#33363d\"];\n",
                          size, n <= NAMED_NODES ? 11 : 8);
  write_legend (s, at, to);
  for (uint32_t i = 0; i < g->n_nodes; ++i)
    write_node (s, nodes[i], i, n, radius, at, to);
  for (uint32_t i = 0; i < g->n_edges; ++i)
    most = MAX (most, attribute_number (g, "TotalTraffic", i, at));
  for (uint32_t i = 0; i < g->n_edges && drawn < DRAWN_LINKS; ++i) {
    g_autofree char *state = attribute_text (g, STATE_EDGE, "State", edges[i], at);
    bool used = !g_str_equal (state, "Unused") || attribute_number (g, "TotalTraffic", edges[i], at) > 0;
    if (!used)
      continue;
    write_edge (s, edges[i], most, at, to);
    ++drawn;
  }
  g_string_append (to, "}\n");
}

/* ---- the timeline --------------------------------------------------------------------------------------------------- */

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
  const TraceSource *s = r->session->source;
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
    g_autofree char *name = text_clean (report_task (r->session, r->rows[row]));
    g_autofree char *escaped = g_markup_escape_text (name, -1);
    double y = TOP + ROW * row;
    g_string_append_printf (to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + BAND - 5, escaped);
    for (int k = 0; k < r->n_states; ++k) {
      /* One path a state: inside a slice its states are stacked, each as high as its share of it. */
      g_string_append_printf (to, "<path fill=\"%s\" d=\"", report_colour (r->states[k]));
      for (int i = 0; i < REPORT_SLICES; ++i) {
        double below = 0, here = r->spent[row][i][k] / slice;
        for (int l = 0; l < k; ++l)
          below += r->spent[row][i][l] / slice;
        if (here > 0.002)
          g_string_append_printf (to, "M%.2f %.2fh%.2fv%.2fh-%.2fz", LEFT + i * width, y + BAND * (1 - below), width + 0.05,
                                  -BAND * here, width + 0.05);
      }
      g_string_append (to, "\"/>\n");
    }
  }
  double step = axis_step (span);
  for (double t = ceil (first / step) * step; t <= first + span * 1.0001; t += step) {
    double x = LEFT + (t - first) / span * WIDTH;
    g_string_append_printf (to, "<path d=\"M%.1f %dv5\" stroke=\"#8a8f99\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                            x, bottom + 2, x, bottom + 20, fabs (t) < step / 1000 ? 0 : t);
  }
  g_string_append_printf (to, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + WIDTH + 14, bottom + 20, s->clock.units);
  for (int k = 0, x = LEFT; k < r->n_states; ++k, x += 110)
    g_string_append_printf (to, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
                            x, bottom + 34, report_colour (r->states[k]), x + 18, bottom + 44, r->states[k]);
  g_string_append (to, "</svg>\n");
}
