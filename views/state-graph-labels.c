/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-labels.c - names beside vertices: on no other label, on no vertex, and where no link passes, if there is
 * such a place. */
#include <math.h>
#include <string.h>
#include "views/at-once.h"
#include "views/painter.h"
#include "views/slots.h"
#include "views/state-graph.h"

static const Vertex *
state_graph_labels_vertex (const Picture *p, uint32_t i)
{
  return &g_array_index (p->vertices, Vertex, i);
}

typedef struct Box {
  double x0, y0, x1, y1;
} Box;

typedef struct Label {
  uint32_t vertex;
  char *text; /* g_free */
  Box box;    /* empty: it has no room */
} Label;

static void
label_clear (gpointer label)
{
  g_free (((Label *) label)->text);
}

/* ---- where links pass ------------------------------------------------------------------------------------------------ */

#define CELL_PX 4.0

/* The picture as cells, each with how many links pass it, 255 at most: asking costs the same for one link and for
 * thousands. */
typedef struct Passed {
  uint8_t *cells; /* g_free */
  int columns, rows;
} Passed;

/* Gives the cell that this link was counted in last. */
static inline int
pass_cell (Passed c, int column, int row, int before)
{
  if ((uint32_t) column >= (uint32_t) c.columns || (uint32_t) row >= (uint32_t) c.rows)
    return before;
  int at = row * c.columns + column;
  c.cells[at] = (uint8_t) (c.cells[at] + ((at != before) & (c.cells[at] < 255))); /* no jump: nobody could guess it */
  return at;
}

/* The cell that the `k`th of n + 1 points of a line is in, across or down. */
static int
state_graph_labels_cell_of (double from, double to, int k, int n)
{
  return (int) floor (CLAMP ((from + (to - from) * k / n) / CELL_PX, -1e9, 1e9));
}

#define LONG_PX 1e7  /* a longer one passes no labels: it is nowhere */
#define FAR_PX 4e6   /* further off there are no whole numbers for it */
#define FINE 0x1p32  /* parts of a cell */
#define POINTS 65536 /* of a line: by then what is cut off of a step is still less than what is near an edge */

/* cell_of() of each point, by adding whole numbers: only near the edge of a cell, where what they cut off may matter,
 * it is asked itself. */
static void
pass_line (const Passed *passed, double x0, double y0, double x1, double y1, int *before)
{
  const Passed c = *passed;
  double length = sqrt ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
  int n = length < LONG_PX ? (int) (length / (CELL_PX / 2)) + 1 : 0, at = *before;
  uint32_t near = (uint32_t) n + 16;

  if (n == 0)
    return;
  if (n > POINTS || !(fabs (x0) < FAR_PX && fabs (y0) < FAR_PX)) {
    for (int k = 0; k <= n; k++)
      at = pass_cell (c, state_graph_labels_cell_of (x0, x1, k, n), state_graph_labels_cell_of (y0, y1, k, n), at);
    *before = at;
    return;
  }
  int64_t x = (int64_t) floor (x0 / CELL_PX * FINE), dx = (int64_t) ((x1 - x0) / CELL_PX * FINE / n);
  int64_t y = (int64_t) floor (y0 / CELL_PX * FINE), dy = (int64_t) ((y1 - y0) / CELL_PX * FINE / n);
  for (int k = 0; k <= n; k++, x += dx, y += dy) {
    int column = (int) (x >> 32), row = (int) (y >> 32);
    if (G_UNLIKELY ((uint32_t) x + near < 2 * near)) /* it wraps round */
      column = state_graph_labels_cell_of (x0, x1, k, n);
    if (G_UNLIKELY ((uint32_t) y + near < 2 * near))
      row = state_graph_labels_cell_of (y0, y1, k, n);
    at = pass_cell (c, column, row, at);
  }
  *before = at;
}

#define SELECTED_PX 7.0 /* the ring around one that is selected */

static double
state_graph_labels_reach (const Vertex *v)
{
  return v->radius + (v->chosen ? SELECTED_PX : 0);
}

#define PARTS_MOST 8    /* of links, each with cells of its own that are added up, */
#define PART_LEAST 2000 /* links */

typedef struct Parts {
  const Picture *p;
  guint n;
  Passed passed[PARTS_MOST];
} Parts;

static void
pass_part (void *arg, uint32_t part)
{
  Parts *parts = arg;
  const Picture *p = parts->p;
  guint to = (guint) ((uint64_t) p->links->len * (part + 1) / parts->n);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = (guint) ((uint64_t) p->links->len * part / parts->n); i < to; i++) {
    g_array_set_size (points, 0);
    if (!state_graph_add_points (p, i, points))
      continue;
    const double *at = (const double *) points->data;
    int before = -1;
    for (guint k = 2; k + 1 < points->len; k += 2)
      pass_line (&parts->passed[part], at[k - 2], at[k - 1], at[k], at[k + 1], &before);
  }
}

static Passed
pass_links (const Paint *paint, const Picture *p)
{
  Passed none = { .columns = (int) (paint->scene->width_px / CELL_PX) + 1,
                  .rows = (int) (paint->scene->height_px / CELL_PX) + 1 };
  gsize n_cells = (gsize) none.columns * (gsize) none.rows;
  Parts parts = { .p = p, .n = CLAMP (p->links->len / PART_LEAST, 1, PARTS_MOST) };
  Passed *c = &parts.passed[0];

  for (guint i = 0; i < parts.n; i++) {
    parts.passed[i] = none;
    parts.passed[i].cells = g_malloc0 (n_cells);
  }
  for (guint i = 0; i < p->vertices->len; i++) {
    double x, y, r = state_graph_loop (state_graph_labels_vertex (p, i), &x, &y);
    int before = -1;
    for (int k = 0; r > 0 && state_graph_labels_vertex (p, i)->present > 0 && k < 16; k++)
      pass_line (c, x + r * cos (k * G_PI / 8), y + r * sin (k * G_PI / 8), x + r * cos ((k + 1) * G_PI / 8),
                 y + r * sin ((k + 1) * G_PI / 8), &before);
  }
  at_once (parts.n, 1, pass_part, &parts);
  for (guint i = 1; i < parts.n; i++) {
    for (gsize k = 0; k < n_cells; k++)
      c->cells[k] = (uint8_t) MIN (c->cells[k] + parts.passed[i].cells[k], 255);
    g_free (parts.passed[i].cells);
  }
  return *c;
}

/* How often cells of a box are passed. */
static uint32_t
passing (const Passed *c, Box b)
{
  int from = MAX ((int) floor ((b.x0 - 1) / CELL_PX), 0), to = MIN ((int) floor ((b.x1 + 1) / CELL_PX), c->columns - 1);
  int above = MAX ((int) floor (b.y0 / CELL_PX), 0), below = MIN ((int) floor (b.y1 / CELL_PX), c->rows - 1);
  uint32_t sum = 0;

  for (int row = above; row <= below; row++)
    for (int column = from; column <= to; column++)
      sum += c->cells[row * c->columns + column];
  return sum;
}

/* ---- places ---------------------------------------------------------------------------------------------------------- */

#define LABEL_GAP 6.0 /* px between two that stand side by side: else they read as one */
#define NODE_PX 11.0  /* of a node of the machine to each side; its name is below it */
#define LINE_PX 15.0

/* Whether a label fits there: on the paper, on no label and no vertex. */
static bool
state_graph_labels_is_free (const Picture *p, const Paint *paint, const GArray *taken, Box b, const Vertex *own)
{
  if ((p->along[0] != NULL && b.y1 > p->foot[0]) || (p->along[1] != NULL && b.x0 < p->foot[1]))
    return false; /* labels of an axis stand there */
  if (b.x0 < 4 || b.x1 > paint->scene->width_px - 4 || b.y0 < 28 + p->key_px || b.y1 > paint->scene->height_px - 2)
    return false;
  for (guint i = 0; i < taken->len; i++) {
    const Box *t = &g_array_index (taken, Box, i);
    if (b.x0 - LABEL_GAP < t->x1 && b.x1 + LABEL_GAP > t->x0 && b.y0 < t->y1 && b.y1 > t->y0)
      return false;
  }
  for (uint32_t i = 0; p->topology != NULL && i < topology_n (p->topology); i++) {
    const double *at = p->nodes[i];
    bool named;
    if (!state_graph_shows_node (p, i, &named))
      continue;
    if (b.x0 < at[0] + NODE_PX && b.x1 > at[0] - NODE_PX && b.y0 < at[1] + (named ? 2.2 : 1) * NODE_PX
        && b.y1 > at[1] - NODE_PX)
      return false;
  }
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = state_graph_labels_vertex (p, i);
    double r = state_graph_labels_reach (v);
    if (v != own && v->present > 0 && b.x0 < v->x + r && b.x1 > v->x - r && b.y0 < v->y + r && b.y1 > v->y - r)
      return false;
  }
  return true;
}

#define AROUND 24 /* directions */
#define BESIDE 4
#define N_PLACES (BESIDE + 2 * AROUND)

static Box
place_around (const Vertex *v, double w, double outwards, int k)
{
  int turn = (k % AROUND + 1) / 2 * ((k & 1) ? 1 : -1);
  double angle = outwards + turn * 2 * G_PI / AROUND, ux = cos (angle), uy = sin (angle);
  double r = state_graph_labels_reach (v) + 3, off = r, x, y, gap;

  do { /* until it is off its own vertex, which is round */
    x = v->x + ux * off, y = v->y + uy * off;
    gap = hypot (fmax (fabs (x - v->x) - w / 2, 0), fmax (fabs (y - v->y) - LINE_PX / 2, 0));
    off += 2;
  } while (gap < r);
  x += ux * (k < AROUND ? 0 : LINE_PX * 0.7);
  y += uy * (k < AROUND ? 0 : LINE_PX * 0.7);
  return (Box){ x - w / 2, y - LINE_PX / 2, x + w / 2, y + LINE_PX / 2 };
}

/* The `k`th place: beside its vertex, first on the side away from the middle of the picture, where fewest links pass;
 * then all around it, near, and a little further off. */
static Box
state_graph_labels_place_of (const Picture *p, const Vertex *v, double w, int k)
{
  double r = state_graph_labels_reach (v) + 3, dx = v->x - (p->origin_x + p->room_x / 2),
         dy = v->y - (p->origin_y + p->room_y / 2);
  bool up = dy < -1, west = dx<-1, beside = fabs (dx)> 1.2 * fabs (dy);

  if (k >= BESIDE)
    return place_around (v, w, fabs (dx) + fabs (dy) > 2 ? atan2 (dy, dx) : G_PI / 2, k - BESIDE);
  bool inwards = k >= 2, flat = beside == (k == 0 || k == 3);
  if (flat && west != inwards)
    return (Box){ v->x - r - 2 - w, v->y - 8, v->x - r - 2, v->y + 8 };
  if (flat)
    return (Box){ v->x + r + 2, v->y - 8, v->x + r + 2 + w, v->y + 8 };
  if (up != inwards)
    return (Box){ v->x - w / 2, v->y - r - LINE_PX, v->x + w / 2, v->y - r };
  return (Box){ v->x - w / 2, v->y + r, v->x + w / 2, v->y + r + LINE_PX };
}

/* Of the places that are free the first that no link passes, else the one that is passed least.  Gives how much it is
 * passed; UINT32_MAX: it has no room. */
static uint32_t
place_label (Paint *paint, const Picture *p, const Passed *passed, Label *l, GArray *taken)
{
  const Vertex *v = state_graph_labels_vertex (p, l->vertex);
  double w = paint_text_width (paint, PAINT_TEXT, l->text);
  uint32_t least = UINT32_MAX;

  l->box = (Box){ 0 };
  for (int k = 0; k < N_PLACES && least > 0; k++) {
    Box place = state_graph_labels_place_of (p, v, w, k);
    uint32_t n = passing (passed, place);
    if (n < least && state_graph_labels_is_free (p, paint, taken, place, v)) {
      least = n;
      l->box = place;
    }
  }
  if (least < UINT32_MAX)
    g_array_append_val (taken, l->box);
  return least;
}

/* Gives how many have no room, as the labels of a crowd thin out; *struck: how many stand where links pass. */
static guint
place_labels (Paint *paint, const Picture *p, const Passed *passed, GArray *labels, guint *struck)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (Box));
  guint n_without = 0;

  *struck = 0;
  for (guint i = 0; i < labels->len; i++) {
    uint32_t n = place_label (paint, p, passed, &g_array_index (labels, Label, i), taken);
    n_without += n == UINT32_MAX;
    *struck += n > 0 && n < UINT32_MAX;
  }
  return n_without;
}

static bool
only_one_state (const StateGraph *g)
{
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);

  return attribute >= 0 && g->model->attributes[attribute].n_values == 1;
}

/* Of a state that is crossed out the name stands beside it, and of what has a chart inside. */
bool
state_graph_names_inside (Paint *paint, const Picture *p, guint i, const char *text)
{
  const Vertex *v = state_graph_labels_vertex (p, i);
  uint32_t state = state_graph_state (v);
  bool taken = v->n == 1 && p->task_looks != NULL
               && p->task_looks[i].has & (UINT32_C (1) << LOOK_CHART | UINT32_C (1) << LOOK_FILL);

  return !taken && !(v->n == 1 && state == 4)
         && paint_text_width (paint, PAINT_TEXT | PAINT_BOLD, text) < v->radius
                                                                          * (v->n > 1     ? 1.1
                                                                             : state == 2 ? 1.5
                                                                                          : 1.75);
}

/* `with_states`: what each does stands there in words, too. */
static GArray *
labels_of (Paint *paint, const Picture *p, bool with_states)
{
  GArray *labels = g_array_new (FALSE, FALSE, sizeof (Label));

  g_array_set_clear_func (labels, label_clear);
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = state_graph_labels_vertex (p, i);
    Label l = { .vertex = i };
    bool inside = v->n == 1 && state_graph_names_inside (paint, p, i, v->name);
    const char *state = paint_state_word (paint->scene->graph, STATE_NODE, state_graph_state (v));
    if (v->present == 0)
      continue;
    if (with_states && v->n == 1)
      l.text = inside ? g_strdup (state) : g_strdup_printf ("%s \u00b7 %s", v->name, state);
    else if (!inside)
      l.text = g_strdup (v->name);
    if (l.text != NULL)
      g_array_append_val (labels, l);
  }
  return labels;
}

/* Few have their states in words beside them, all or none of them: where names would crowd, or links pass them, shapes
 * and colours tell. */
void
state_graph_lay_labels (Paint *paint, Picture *p)
{
  bool few = p->vertices->len <= 20 && !only_one_state (paint->scene->graph); /* beside each it would say nothing */
  Passed passed = pass_links (paint, p);
  guint struck, struck_alone;

  p->labels = labels_of (paint, p, few);
  guint n_without = place_labels (paint, p, &passed, p->labels, &struck);
  if (few && n_without + struck > 0) {
    GArray *names = labels_of (paint, p, false);
    place_labels (paint, p, &passed, names, &struck_alone);
    bool better = n_without > 0 || struck_alone < struck;
    g_array_unref (better ? p->labels : names);
    p->labels = better ? names : p->labels;
  }
  g_free (passed.cells);
}

/* Labels are in order of their vertices. */
static const Label *
state_graph_labels_find (const Picture *p, guint i)
{
  guint from = 0, to = p->labels->len;

  while (from < to) {
    guint middle = (from + to) / 2;
    if (g_array_index (p->labels, Label, middle).vertex < i)
      from = middle + 1;
    else
      to = middle;
  }
  const Label *l = from < p->labels->len ? &g_array_index (p->labels, Label, from) : NULL;
  return l != NULL && l->vertex == i && l->box.x1 > l->box.x0 ? l : NULL;
}

void
state_graph_mark_label (Drawing *d, const Picture *p, guint i, const DrawingTag *tag)
{
  const Label *l = state_graph_labels_find (p, i);

  if (l != NULL)
    drawing_area (d, l->box.x0, l->box.y0, l->box.x1 - l->box.x0, l->box.y1 - l->box.y0, tag);
}

/* On paper of its own: where there is no place that no link passes, that link passes below it. */
void
state_graph_draw_labels (Paint *paint, const Picture *p)
{
  for (guint i = 0; i < p->labels->len; i++) {
    const Label *l = &g_array_index (p->labels, Label, i);
    const Box b = l->box;
    if (b.x1 <= b.x0)
      continue;
    paint_source (paint->cr, paint->paper, 1);
    cairo_rectangle (paint->cr, b.x0 - 2, b.y0, b.x1 - b.x0 + 4, b.y1 - b.y0);
    cairo_fill (paint->cr);
    paint_text (paint, (b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2, 0.5, PAINT_TEXT, paint->ink, 0, l->text);
  }
}
