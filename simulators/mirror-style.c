/* SPDX-License-Identifier: Apache-2.0 */
/* mirror-style.c - how the state graph looks when Graphviz draws it.
 *
 * Colour is the state, of tasks and of links alike; the width of a link is what has passed through it, by order of
 * magnitude.  Above a size where names cannot be read at once tasks become discs, then dots. */
#include <math.h>
#include <string.h>

#include "eve/visible.h"
#include "simulators/mirror-private.h"

#define FONT "Helvetica,Arial,sans-serif"
#define INK "#20242b"

enum { A_HANDFUL = 6, FEW = 40, MANY = 400 }; /* tasks: up to FEW with their state in words, up to MANY with names */
enum { LABELLED = 48 };                       /* links: up to so many with their traffic in words */
enum { MOST_IN_LEGEND = 12 };                 /* values of one attribute */

static const struct {
  const char *colour, *ink;
} colours[] = {
  [STATE_SENSE_NONE] = { "#a9b4c2", INK },        [STATE_SENSE_WORKS] = { "#2a9d6f", "#ffffff" },
  [STATE_SENSE_COSTS] = { "#d9730d", "#ffffff" }, [STATE_SENSE_WAITS] = { "#8fb8de", INK },
  [STATE_SENSE_TALKS] = { "#e3b505", INK },       [STATE_SENSE_REST] = { "#d0cfcc", INK },
  [STATE_SENSE_GONE] = { "#7a7a7a", "#ffffff" },
};

/* What a style sheet may call it, and who reads the graph again. */
static const char *const senses[] = {
  [STATE_SENSE_NONE] = "",       [STATE_SENSE_WORKS] = "works", [STATE_SENSE_COSTS] = "costs",
  [STATE_SENSE_WAITS] = "waits", [STATE_SENSE_TALKS] = "talks", [STATE_SENSE_REST] = "rest",
  [STATE_SENSE_GONE] = "gone"
};

const char *
state_colour (StateSense sense)
{
  return colours[sense].colour;
}

/* "#2a9d6f": of the state, as views have it. */
static const char *
mirror_style_colour_of (const StateValue *value, char buf[8])
{
  if (value->unborn)
    return "#a4a4a4";
  if (value->colour == 0)
    return colours[value->sense].colour;
  g_snprintf (buf, 8, "#%06x", state_row_colour (value->colour, false));
  return buf;
}

static const char *
ink_of (const StateValue *value)
{
  uint32_t rgb = value->colour > 0 ? state_row_colour (value->colour, false) : 0;
  double light = 0.3 * (rgb >> 16 & 255) + 0.59 * (rgb >> 8 & 255) + 0.11 * (rgb & 255);

  return value->unborn ? INK : rgb == 0 ? colours[value->sense].ink : light < 140 ? "#ffffff" : INK;
}

/* What an object does now. */
static const StateValue *
state_now (const Mirror *m, StateScope scope, uint32_t object)
{
  static const StateValue none = { "" };
  const StateGraph *g = m->state;
  int attribute = state_with_role (g->model, scope, STATE_ROLE_STATE);
  uint32_t value;

  return state_value_of (g, attribute, object, &value) ? state_value (g->model, attribute, value) : &none;
}

static void
mirror_style_set (Mirror *m, int kind, void *object, const char *name, const char *value)
{
  Agsym_t *symbol = agattr (m->graph, kind, (char *) name, NULL);

  if (symbol == NULL)
    symbol = agattr (m->graph, kind, (char *) name, (char *) "");
  mirror_set (m, object, symbol, value);
}

/* A value that Graphviz reads as markup. */
static void
set_markup (Mirror *m, int kind, void *object, const char *name, const char *markup)
{
  char *value = agstrdup_html (m->graph, (char *) markup);

  mirror_style_set (m, kind, object, name, "");
  agxset (object, agattr (m->graph, kind, (char *) name, NULL), value);
  agstrfree (m->graph, value);
}

static char *
mirror_style_text_of (Mirror *m, StateScope scope, StateRole role, uint32_t object)
{
  int a = state_with_role (m->state->model, scope, role);
  GString *text = g_string_new (NULL);

  if (a >= 0)
    state_text (m->state, (uint32_t) a, object, m->at, text);
  return g_string_free (text, FALSE);
}

static double
mirror_style_number_of (Mirror *m, StateRole role, uint32_t edge)
{
  int a = state_with_role (m->state->model, STATE_EDGE, role);
  double v = a >= 0 ? state_number (m->state, (uint32_t) a, edge, m->at) : 0;

  return v > 0 ? v : 0;
}

/* Takes the text. */
static char *
mirror_style_markup_of (char *text)
{
  g_autofree char *taken = text, *shown = visible_text (text, strlen (text));

  return g_markup_escape_text (shown ? shown : taken, -1);
}

/* ---- the graph ----------------------------------------------------------------------------------------------- */

/* Which values of the state something has at this instant; of n, g_free. */
static bool *
values_now (const Mirror *m, StateScope scope, uint32_t n)
{
  const StateGraph *g = m->state;
  bool *now = g_new0 (bool, n + 1);
  int attribute = state_with_role (g->model, scope, STATE_ROLE_STATE);
  uint32_t all = scope == STATE_NODE ? g->n_nodes : g->n_edges, value;

  for (uint32_t i = 0; attribute >= 0 && i < all; i++)
    if (state_value_of (g, attribute, i, &value) && value < n)
      now[value] = true;
  return now;
}

/* Title and legend are the graph's label: no node or edge stands for anything but a task or a link. */
static void
style_graph (Mirror *m, uint32_t n_tasks, uint32_t n_links)
{
  const TraceSource *source = trace_source (m->state->source);
  char clock[64] = "";
  bool met[STATE_SENSE_GONE + 1] = { false };
  char colour[8];
  g_autoptr (GString) label = g_string_new ("<TABLE BORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"2\">"
                                            "<TR><TD COLSPAN=\"13\" HEIGHT=\"10\"></TD></TR><TR>");

  if (source != NULL && m->state->clock != INT64_MIN) /* the instant that the attributes are of, not the last event's */
    trace_clock_print (&source->clock, m->at, clock, sizeof clock);
  if (*clock != '\0')
    g_string_append_printf (label, "<TD><B>%s at %s %s</B></TD>", m->state->model->name, clock, source->clock.units);
  else
    g_string_append_printf (label, "<TD><B>%s, before the first event</B></TD>", m->state->model->name);
  for (StateScope scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
    int attribute = state_with_role (m->state->model, scope, STATE_ROLE_STATE);
    uint32_t n_values = attribute >= 0 ? m->state->model->attributes[attribute].n_values : 0, n_told = 0;
    g_autofree bool *now = values_now (m, scope, n_values);
    for (uint32_t i = 0; i < n_values && n_told < MOST_IN_LEGEND; i++) {
      const StateValue *value = state_value (m->state->model, attribute, i);
      if (n_values > MOST_IN_LEGEND && !now[i])
        continue;
      n_told++;
      if (met[value->sense] && value->sense != STATE_SENSE_NONE)
        continue; /* links have the colours of tasks */
      met[value->sense] = true;
      g_autofree char *name = mirror_style_markup_of (g_strdup (value->name));
      g_string_append_printf (
          label,
          "<TD WIDTH=\"8\"></TD><TD BGCOLOR=\"%s\" WIDTH=\"14\" HEIGHT=\"14\" FIXEDSIZE=\"TRUE\"></TD>"
          "<TD><FONT POINT-SIZE=\"11\">%s</FONT></TD>",
          mirror_style_colour_of (value, colour), name);
    }
  }
  g_string_append (label, "</TR></TABLE>");
  set_markup (m, AGRAPH, m->graph, "label", label->str);
  mirror_style_set (m, AGRAPH, m->graph, "labelloc", "b");
  mirror_style_set (m, AGRAPH, m->graph, "fontname", FONT);
  mirror_style_set (m, AGRAPH, m->graph, "fontsize", "13");
  mirror_style_set (m, AGRAPH, m->graph, "fontcolor", INK);
  mirror_style_set (m, AGRAPH, m->graph, "bgcolor", "#ffffff");
  mirror_style_set (m, AGRAPH, m->graph, "pad", "0.3");
  mirror_style_set (m, AGRAPH, m->graph, "outputorder", "edgesfirst");
  /* prism also draws together what stands apart: a handful has room, by the length of its links */
  mirror_style_set (m, AGRAPH, m->graph, "overlap", n_tasks <= A_HANDFUL ? "true" : "prism");
  mirror_style_set (m, AGRAPH, m->graph, "splines", n_tasks <= FEW ? "curved" : n_links <= 400 ? "true" : "line");
  mirror_style_set (m, AGRAPH, m->graph, "mindist", "0.8");
  mirror_style_set (m, AGRAPH, m->graph, "sep", "+12");
  /* A program's tasks are peers: ranks, dot's strength, say nothing of them. */
  mirror_style_set (m, AGRAPH, m->graph, "layout", n_tasks <= A_HANDFUL ? "neato" : n_tasks <= FEW ? "circo" : "sfdp");
  if (n_tasks <= A_HANDFUL)
    agattr (m->graph, AGEDGE, (char *) "len", (char *) "2.6");
}

static void
style_node (Mirror *m, uint32_t node, uint32_t n_tasks)
{
  Agnode_t *n = mirror_node (m, node);
  const StateValue *value = state_now (m, STATE_NODE, node);
  g_autofree char *state = mirror_style_markup_of (g_strdup (value->name));
  g_autofree char *name = mirror_style_markup_of (mirror_style_text_of (m, STATE_NODE, STATE_ROLE_LABEL, node));
  g_autofree char *id = mirror_style_text_of (m, STATE_NODE, STATE_ROLE_NAME, node);
  g_autofree char *tip = g_strdup_printf ("%s: %s", id, value->name);
  g_autofree char *label = n_tasks <= FEW
                               ? g_strdup_printf ("<B>%s</B><BR/><FONT POINT-SIZE=\"10\">%s</FONT>", name, state)
                               : g_strdup (name);

  char colour[8];
  mirror_style_set (m, AGNODE, n, "fillcolor", mirror_style_colour_of (value, colour));
  mirror_style_set (m, AGNODE, n, "fontcolor", ink_of (value));
  mirror_style_set (m, AGNODE, n, "tooltip", tip);
  mirror_style_set (m, AGNODE, n, "class", senses[value->sense]);
  if (n_tasks <= MANY)
    set_markup (m, AGNODE, n, "label", label);
  else
    mirror_style_set (m, AGNODE, n, "label", " ");
}

static void
style_edge (Mirror *m, uint32_t edge, double most, uint32_t n_links)
{
  Agedge_t *e = mirror_edge (m, edge);
  const StateValue *value = state_now (m, STATE_EDGE, edge);
  g_autofree char *name = mirror_style_text_of (m, STATE_EDGE, STATE_ROLE_NAME, edge);
  double traffic = mirror_style_number_of (m, STATE_ROLE_PENDING, edge),
         total = mirror_style_number_of (m, STATE_ROLE_TRAFFIC, edge) + traffic;
  bool quiet = value->sense == STATE_SENSE_REST || value->sense == STATE_SENSE_GONE;
  char now[32], all[32], width[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *tip = NULL;

  trace_write_bytes (traffic, now, sizeof now);
  trace_write_bytes (total, all, sizeof all);
  tip = g_strdup_printf ("%s: %s, %s now, %s in all", name, value->name, now, all);
  /* What is quiet stays in the background, however much went through it. */
  g_ascii_formatd (width, sizeof width, "%.2f",
                   (quiet ? 0.5 : 1.2) + (quiet ? 1.3 : 2.8) * (most > 0 ? log1p (total) / log1p (most) : 0));
  mirror_style_set (m, AGEDGE, e, "color", colours[value->sense].colour);
  mirror_style_set (m, AGEDGE, e, "penwidth", width);
  mirror_style_set (m, AGEDGE, e, "tooltip", tip);
  mirror_style_set (m, AGEDGE, e, "class", senses[value->sense]);
  if (quiet || traffic <= 0 || n_links > LABELLED) {
    mirror_style_set (m, AGEDGE, e, "label", "");
    return;
  }
  /* on paper of its own: lines pass below it */
  g_autofree char *label = g_strdup_printf ("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\" "
                                            "BGCOLOR=\"#ffffffe0\"><TR><TD>%s</TD></TR></TABLE>",
                                            now);
  set_markup (m, AGEDGE, e, "label", label);
}

void
mirror_style (Mirror *m)
{
  static const char *const few[][2] = {
    { "shape", "box" },   { "style", "filled,rounded" }, { "penwidth", "0" }, { "fontname", FONT },
    { "fontsize", "13" }, { "margin", "0.16,0.08" },     { "width", "0.9" },  { "height", "0.5" },
  };
  static const char *const many[][2] = {
    { "shape", "circle" }, { "style", "filled" }, { "penwidth", "0" }, { "fontname", FONT },
    { "fontsize", "9" },   { "margin", "0.02" },  { "width", "0.6" },  { "height", "0.6" },
  };
  static const char *const dots[][2] = {
    { "shape", "circle" }, { "style", "filled" },   { "penwidth", "0" }, { "width", "0.22" },
    { "height", "0.22" },  { "fixedsize", "true" }, { "label", " " },
  };
  static const char *const links[][2] = {
    { "arrowsize", "0.6" },
    { "fontname", FONT },
    { "fontsize", "10" },
    { "fontcolor", INK },
  };
  uint32_t n_tasks = state_count (m->state, STATE_NODE), n_links = state_count (m->state, STATE_EDGE);
  double most = 0;

  style_graph (m, n_tasks, n_links);
  for (size_t i = 0; i < G_N_ELEMENTS (links); i++)
    agattr (m->graph, AGEDGE, (char *) links[i][0], (char *) links[i][1]);
  if (n_tasks <= FEW)
    for (size_t i = 0; i < G_N_ELEMENTS (few); i++)
      agattr (m->graph, AGNODE, (char *) few[i][0], (char *) few[i][1]);
  else if (n_tasks <= MANY)
    for (size_t i = 0; i < G_N_ELEMENTS (many); i++)
      agattr (m->graph, AGNODE, (char *) many[i][0], (char *) many[i][1]);
  else
    for (size_t i = 0; i < G_N_ELEMENTS (dots); i++)
      agattr (m->graph, AGNODE, (char *) dots[i][0], (char *) dots[i][1]);
  for (uint32_t i = 0; i < m->nodes->len; i++)
    if (mirror_node (m, i) != NULL)
      style_node (m, i, n_tasks);
  for (uint32_t i = 0; i < m->edges->len; i++)
    most = MAX (most,
                mirror_style_number_of (m, STATE_ROLE_TRAFFIC, i) + mirror_style_number_of (m, STATE_ROLE_PENDING, i));
  for (uint32_t i = 0; i < m->edges->len; i++)
    if (mirror_edge (m, i) != NULL)
      style_edge (m, i, most, n_links);
}
