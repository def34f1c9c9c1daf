/* SPDX-License-Identifier: Apache-2.0 */
/* value-tree.c - a tree that a running program shows (readers/values.h), as it is at the instant: drawn by Graphviz.
 *
 * What several parents share is drawn once, or, undone, as often as it is used; that may be without end, so it is drawn
 * from its root on as far as there is room. */
#include <math.h>
#include <stddef.h>
#include "readers/values.h"
#include "eve/words.h"
#include "views/chart.h"
#include "views/layout.h"
#include "views/painter.h"

#define MOST_NODES 400 /* drawn: more can be neither laid out while one waits, nor read */
#define MARGIN 24.0
#define LABEL_PX 90.0
#define CHIP_PX 160.0 /* at most, of what is opened in the line below the title */
#define LINE_PX 22.0  /* that line */

enum { IN_TREE, IN_NAMES, IN_SHARING }; /* `part` of tags: a node; a tree that can be shown; how sharing is drawn */

/* A node as it is drawn. */
typedef struct Drawn {
  uint32_t node, depth;
} Drawn;

typedef struct ValueTree {
  EveBase base;
  char *tree, *title; /* settings */
  bool sharing;
  /* what was laid out last: */
  uint8_t source;
  int64_t place; /* of the tree; 0: nothing was */
  bool shared;
  uint8_t *bytes;
  ValueTreeNode *nodes;
  uint32_t n_nodes;
  bool shares;   /* some node has several parents */
  GArray *drawn; /* of Drawn */
  GArray *edges; /* of LayoutEdge */
  double *x, *y;
} ValueTree;

static void
on_states (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  /* what is drawn is asked of the state graph itself */
}

static const EveInSpec ins[] = {
  { "states", &state_type_state, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = on_states, .required = true,
    .doc = "From a simulator that knows trees: of its state graph one is drawn." },
};
static const EveField settings[] = {
  { "tree", EVE_F_STRING, offsetof (ValueTree, tree), .look = true,
    .doc = "Its name; empty: the first that there is." },
  { "sharing", EVE_F_BOOL, offsetof (ValueTree, sharing), .def = 1, .look = true,
    .doc = "What several parents share is drawn once; else as often as it is used." },
  { "title", EVE_F_STRING, offsetof (ValueTree, title), .look = true, .doc = "Empty: the name of the tree." },
};

static bool
tree_init (EveComponent *c)
{
  ValueTree *v = (ValueTree *) c;

  v->drawn = g_array_new (FALSE, FALSE, sizeof (Drawn));
  v->edges = g_array_new (FALSE, FALSE, sizeof (LayoutEdge));
  return true;
}

static void
value_tree_forget (ValueTree *v)
{
  g_clear_pointer (&v->bytes, g_free);
  g_clear_pointer (&v->nodes, g_free);
  g_clear_pointer (&v->x, g_free);
  g_clear_pointer (&v->y, g_free);
  g_array_set_size (v->drawn, 0);
  g_array_set_size (v->edges, 0);
  v->place = 0;
  v->n_nodes = 0;
}

static void
tree_finish (EveComponent *c)
{
  ValueTree *v = (ValueTree *) c;

  value_tree_forget (v);
  g_array_unref (v->drawn);
  g_array_unref (v->edges);
}

/* ---- which tree, and where its nodes stand -------------------------------------------------------------------------------- */

/* The node of the state graph that has the tree, and where that is in the trace; false: there is none. */
static bool
find_tree (const ValueTree *v, const StateGraph *g, uint32_t *node, int64_t *place)
{
  int at = g ? state_attribute (g->model, STATE_NODE, "TreePlace") : -1;

  for (uint32_t i = 0; at >= 0 && i < g->n_nodes; i++) {
    double its = state_number (g, (uint32_t) at, i, g->clock);
    if (!(its > 0) || (*v->tree && strcmp (g->node_id (g, i), v->tree) != 0))
      continue;
    *node = i;
    *place = (int64_t) its;
    return true;
  }
  return false;
}

static bool
has_shared (const ValueTree *v)
{
  g_autofree uint8_t *has_parent = g_malloc0 (v->n_nodes + 1);

  for (uint32_t i = 0; i < v->n_nodes; i++)
    for (uint32_t k = 0; k < v->nodes[i].n_children; k++) {
      uint32_t child = value_tree_child (&v->nodes[i], k);
      if (has_parent[child])
        return true;
      has_parent[child] = 1;
    }
  return false;
}

/* From the root on, level by level. */
static void
choose_nodes (ValueTree *v)
{
  g_autofree uint32_t *shown_as = g_new0 (uint32_t, v->n_nodes + 1); /* number among those drawn, + 1 */

  if (v->n_nodes > 0)
    g_array_append_vals (v->drawn, &(Drawn){ v->n_nodes - 1, 0 }, 1);
  for (guint i = 0; i < v->drawn->len; i++) {
    Drawn from = g_array_index (v->drawn, Drawn, i);
    const ValueTreeNode *n = &v->nodes[from.node];
    for (uint32_t k = 0; k < n->n_children; k++) {
      uint32_t child = value_tree_child (n, k), to = v->sharing ? shown_as[child] : 0;
      if (to == 0 && v->drawn->len >= MOST_NODES)
        return;
      if (to == 0) {
        g_array_append_vals (v->drawn, &(Drawn){ child, from.depth + 1 }, 1);
        shown_as[child] = to = v->drawn->len;
      }
      if (v->edges->len < 4 * MOST_NODES)
        g_array_append_vals (v->edges, &(LayoutEdge){ i, to - 1, 1 }, 1);
    }
  }
}

static void
value_tree_lay_out (ValueTree *v, const StateGraph *g, int64_t place)
{
  double ratio;
  size_t n;

  if (v->place == place && v->source == g->source && v->shared == v->sharing)
    return;
  value_tree_forget (v);
  v->bytes = trace_source (g->source) ? values_bytes_at (trace_source (g->source), place, &n) : NULL;
  if (!v->bytes || !value_tree_check (v->bytes, n))
    return;
  v->nodes = value_tree_nodes (v->bytes, n, &v->n_nodes);
  v->place = place;
  v->source = g->source;
  v->shared = v->sharing;
  v->shares = has_shared (v);
  choose_nodes (v);
  v->x = g_new0 (double, v->drawn->len);
  v->y = g_new0 (double, v->drawn->len);
  layout_compute ("dot", v->drawn->len, (const LayoutEdge *) (const void *) v->edges->data, v->edges->len, v->x, v->y,
                  &ratio);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------------------- */

static void
stand (const ValueTree *v, const ViewScene *scene, guint i, double *x, double *y)
{
  *x = MARGIN + LABEL_PX / 2 + v->x[i] * fmax (scene->width_px - 2 * MARGIN - LABEL_PX, 1);
  *y = CHART_TOP + LINE_PX + MARGIN / 2 + v->y[i] * fmax (scene->height_px - CHART_TOP - LINE_PX - 2 * MARGIN, 1);
}

static void
draw_node (const ValueTree *v, Drawing *d, Paint *p, guint i)
{
  const ValueTreeNode *n = &v->nodes[g_array_index (v->drawn, Drawn, i).node];
  g_autofree char *label = g_utf8_make_valid (n->label, MIN (n->n_label, 64));
  double x, y, width = fmin (paint_text_width (p, PAINT_SMALL, label), LABEL_PX) + 10;
  DrawingTag tag = { DRAWING_NO_DATES, .index = i };

  stand (v, p->scene, i, &x, &y);
  drawing_rect (d, x - width / 2, y - 9, width, 18, p->grid, 1, &tag);
  paint_text (p, x, y, 0.5, PAINT_SMALL, p->ink, LABEL_PX, label);
}

/* ---- the line below the title: which trees there are, and how sharing is drawn ----------------------------------------- */

/* Something that is opened; *x goes on behind it.  False: there is no room for it. */
static bool
value_tree_draw_chip (Drawing *d, Paint *p, double *x, const char *text, bool chosen, const DrawingTag *tag)
{
  int px = chosen ? PAINT_SMALL | PAINT_BOLD : PAINT_SMALL;
  double width = fmin (paint_text_width (p, px, text), CHIP_PX) + 12;

  if (*x + width > p->scene->width_px - 12)
    return false;
  drawing_rect (d, *x, CHART_TOP - 6, width, 18, p->grid, chosen ? 1 : 0.4, tag);
  paint_text (p, *x + 6, CHART_TOP + 3, 0, px, chosen ? p->ink : p->muted, CHIP_PX, text);
  *x += width + 6;
  return true;
}

static const char *
sharing_text (const ValueTree *v)
{
  return v->sharing ? _ ("What is shared is drawn once") : _ ("What is shared is drawn as often as it is used");
}

static TraceRef
value_tree_ref_of (const StateGraph *g, uint32_t node)
{
  const StatsDatum of = { .source = g->source, .owner = node, .owner_kind = STATS_OF_NODE };

  return stats_owner_ref (&of, g);
}

/* `shown`: TRACE_NONE if none is. */
static void
draw_choices (const ValueTree *v, Drawing *d, Paint *p, const StateGraph *g, uint32_t shown)
{
  int at = state_attribute (g->model, STATE_NODE, "TreePlace");
  double x = 12;

  if (v->shares && shown != TRACE_NONE) {
    DrawingTag tag = { DRAWING_NO_DATES, .what = value_tree_ref_of (g, shown), .part = IN_SHARING };
    value_tree_draw_chip (d, p, &x, v->sharing ? "Shared" : "Unfolded", false, &tag);
  }
  for (uint32_t i = 0; at >= 0 && i < g->n_nodes; i++) {
    if (!(state_number (g, (uint32_t) at, i, g->clock) > 0))
      continue;
    DrawingTag tag = { DRAWING_NO_DATES, .what = value_tree_ref_of (g, i), .index = i, .part = IN_NAMES };
    if (!value_tree_draw_chip (d, p, &x, g->node_id (g, i), i == shown, &tag))
      break;
  }
}

static const char *
value_tree_open_mark (EveComponent *c, const ViewScene *scene, const DrawingMark *m, char **value)
{
  const ValueTree *v = (const ValueTree *) c;

  if (m->tag.part == IN_SHARING) {
    *value = g_strdup (v->sharing ? "false" : "true");
    return "sharing";
  }
  if (m->tag.part != IN_NAMES || !scene->graph || m->tag.index >= scene->graph->n_nodes)
    return NULL;
  *value = g_strdup (scene->graph->node_id (scene->graph, m->tag.index));
  return "tree";
}

static bool
value_tree_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  ValueTree *v = (ValueTree *) c;
  const StateGraph *g = scene->graph;
  Paint *p = drawing_begin (d);
  int64_t place;
  uint32_t node;

  if (!find_tree (v, g, &node, &place)) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, *v->tree ? N_ ("There is no tree of this name now") : N_ ("No tree has come yet"));
    if (g)
      draw_choices (v, d, p, g, TRACE_NONE);
    return true;
  }
  value_tree_lay_out (v, g, place);
  g_autofree char *some = v->drawn->len < v->n_nodes || !v->sharing
                              ? paint_told (_ ("%u drawn, of %u nodes"), v->drawn->len, v->n_nodes)
                              : paint_told (P_ ("%u node", "%u nodes", v->n_nodes), v->n_nodes);
  chart_title (p, *v->title ? v->title : g->node_id (g, node), some);
  draw_choices (v, d, p, g, node);
  if (p->cr)
    cairo_new_path (p->cr); /* texts have left a point, from which a line would begin */
  for (guint i = 0; i < v->edges->len; i++) {
    LayoutEdge e = g_array_index (v->edges, LayoutEdge, i);
    double points[4];
    stand (v, scene, e.from, &points[0], &points[1]);
    stand (v, scene, e.to, &points[2], &points[3]);
    drawing_line (d, points, 2, 1, p->muted, 1, NULL);
  }
  for (guint i = 0; i < v->drawn->len; i++)
    draw_node (v, d, p, i);
  return true;
}

static void
value_tree_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const ValueTree *v = (const ValueTree *) c;

  if (m->tag.part == IN_SHARING) {
    g_string_append (name, sharing_text (v));
    if (facts)
      g_string_append_printf (facts, _ ("Drawn %s\tdouble click, or Enter\n"),
                              v->sharing ? _ ("as often") : _ ("once"));
    return;
  }
  if (m->tag.part == IN_NAMES) {
    if (!scene->graph || m->tag.index >= scene->graph->n_nodes)
      return;
    g_string_append_printf (name, _ ("Tree %s"), scene->graph->node_id (scene->graph, m->tag.index));
    if (facts)
      g_string_append (facts, _ ("Drawn\tdouble click, or Enter\n"));
    return;
  }
  if (m->tag.index >= v->drawn->len)
    return;
  const Drawn *drawn = &g_array_index (v->drawn, Drawn, m->tag.index);
  const ValueTreeNode *n = &v->nodes[drawn->node];
  g_autofree char *label = g_utf8_make_valid (n->label, MIN (n->n_label, 4096));
  g_string_append_printf (name, _ ("%s: %u children, depth %u"), label, n->n_children, drawn->depth);
}

static uint32_t
value_tree_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT;
}

static const View view = {
  .title = "Tree of a program",
  .spans = VIEW_OF_INSTANT,
  .build = value_tree_build,
  .say = value_tree_say,
  .depends = value_tree_depends,
  .open = value_tree_open_mark,
};

VIEW_QUERY (value_tree_query, view)

static const EveClass value_tree = {
  VIEW_CLASS (ValueTree),
  .id = "scope.value-tree",
  .label = "Tree of a program",
  .doc = "A tree that a running program shows, drawn at the instant; what is shared is drawn once, or as often as it "
         "is used.",
  .init = tree_init,
  .finish = tree_finish,
  .query = value_tree_query,
};
EVE_PLUGIN (&value_tree);
