/* SPDX-License-Identifier: Apache-2.0 */
/* tree-rows.c - a tree as a table whose rows can be opened and closed, sorted among those beside each other. */
#include <math.h>
#include "statistics/list.h"
#include "eve/words.h"
#include "views/tree-view.h"

#define LINE 21.0
#define INDENT 14.0
#define PAD 18.0
#define LEFT 12.0
#define NAME_LEAST 140.0
#define BAR 60.0 /* px: of the share, before the numbers */

typedef struct Line {
  uint32_t row, depth;
  bool open;
} Line;

typedef struct Sorting {
  const Tree *tree;
  uint32_t column;
  bool ascending;
} Sorting;

static int
tree_rows_by_column (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int order = stats_table_compare (s->tree->t, s->column, x, y);

  return order == 0 ? (x > y) - (x < y) : s->ascending ? order : -order;
}

/* As a rule has them. */
static int
tree_rows_by_place (gconstpointer a, gconstpointer b, gpointer data)
{
  const Tree *tree = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return tree->before[x] != tree->before[y] ? (tree->before[x] < tree->before[y] ? -1 : 1) : (x > y) - (x < y);
}

/* Rows from `first` on that are beside each other, in their order. */
static GArray *
tree_rows_beside (const TreeView *v, const Tree *tree, uint32_t first, uint32_t last)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  Sorting how = { tree, TRACE_NONE, v->ascending };

  for (uint32_t i = first; i < last; i = tree->end[i])
    if (!tree_hides (tree, i))
      g_array_append_val (rows, i);
  for (uint32_t k = 0; *v->sort && k < tree->t->n_columns; k++)
    if (g_ascii_strcasecmp (tree->t->columns[k].name, v->sort) == 0)
      how.column = k;
  if (how.column != TRACE_NONE)
    g_array_sort_with_data (rows, tree_rows_by_column, &how);
  else if (tree->before != NULL)
    g_array_sort_with_data (rows, tree_rows_by_place, (gpointer) tree);
  return rows;
}

/* Open is what is not deeper than `levels`, but for what was toggled, and the way to what was found. */
static bool
tree_rows_is_open (const TreeView *v, const Tree *tree, char *const *toggled, uint32_t row, uint32_t depth)
{
  g_autofree char *path = *toggled != NULL ? tree_path (tree, row) : NULL;
  bool open = depth + 1 < (uint64_t) v->levels;

  for (uint32_t i = row + 1; tree->hit != NULL && !open && i < tree->end[row]; i++)
    open = tree->hit[i];
  return tree->end[row] > row + 1 && open != (path != NULL && stats_names_have (toggled, path));
}

static GArray *
open_lines (const TreeView *v, const Tree *tree)
{
  g_auto (GStrv) toggled = stats_list_split (v->toggled);
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (Line)),
                     first = tree_rows_beside (v, tree, tree_first (tree), tree_last (tree));

  for (guint i = first->len; i-- > 0;) {
    Line l = { g_array_index (first, uint32_t, i), 0, false };
    g_array_append_val (todo, l);
  }
  while (todo->len > 0) {
    Line l = g_array_index (todo, Line, todo->len - 1);
    g_array_set_size (todo, todo->len - 1);
    l.open = tree_rows_is_open (v, tree, toggled, l.row, l.depth);
    g_array_append_val (lines, l);
    g_autoptr (GArray) inside = l.open ? tree_rows_beside (v, tree, l.row + 1, tree->end[l.row]) : NULL;
    for (guint i = inside != NULL ? inside->len : 0; i-- > 0;) {
      Line in = { g_array_index (inside, uint32_t, i), l.depth + 1, false };
      g_array_append_val (todo, in);
    }
  }
  return lines;
}

typedef struct Columns {
  uint32_t n, of[32];
  double right[32], width[32], name; /* name: the width of the first */
} Columns;

static double
tree_rows_widest_name (const Tree *tree, Paint *p, const Line *lines, uint32_t n)
{
  double widest = NAME_LEAST;

  for (uint32_t i = 0; i < n; i++)
    widest = MAX (widest, lines[i].depth * INDENT + 28 + PAD
                              + paint_text_width (p, PAINT_TEXT | PAINT_BOLD, tree_name (tree, lines[i].row)));
  return widest;
}

/* Numbers stand at the right; what has no room beside a name is left out. */
static Columns
tree_rows_measure (const Tree *tree, Paint *p, const Line *lines, uint32_t n)
{
  Columns c = { 0 };
  double room = p->scene->width_px - 2 * LEFT - NAME_LEAST - BAR, x = p->scene->width_px - LEFT;

  for (uint32_t k = 0; k < tree->t->n_columns && c.n < G_N_ELEMENTS (c.of); k++) {
    double width = paint_text_width (p, PAINT_TEXT | PAINT_BOLD, chart_head (&tree->t->columns[k])) + 14;
    if (k == tree->name || k == tree->depth)
      continue;
    for (uint32_t i = 0; i < MIN (n, 100); i++) {
      g_autofree char *text = tree_cell (tree, p->scene, lines[i].row, k);
      width = MAX (width, MIN (paint_text_width (p, PAINT_TEXT, text), 240));
    }
    if (width + PAD > room)
      break;
    room -= width + PAD;
    c.width[c.n] = width;
    c.of[c.n++] = k;
  }
  /* numbers stand near the names, where these are short */
  double spare = MAX (NAME_LEAST + room - tree_rows_widest_name (tree, p, lines, n), 0);
  for (uint32_t k = c.n; k-- > 0; x -= c.width[k] + PAD)
    c.right[k] = x - spare;
  c.name = x - spare - BAR - LEFT - PAD;
  return c;
}

static void
tree_rows_draw_heads (const TreeView *v, const Tree *tree, const Columns *c, Drawing *d, Paint *p)
{
  double y = CHART_TOP + LINE / 2 - 2;

  for (uint32_t k = 0; k <= c->n; k++) {
    uint32_t column = k == c->n ? tree->name : c->of[k];
    bool here = g_ascii_strcasecmp (tree->t->columns[column].name, v->sort) == 0;
    double right = k == c->n ? LEFT + c->name : c->right[k], width = k == c->n ? c->name : c->width[k];
    g_autofree char *head = g_strdup_printf ("%s%s", chart_head (&tree->t->columns[column]),
                                             here ? v->ascending ? " ▴" : " ▾" : "");
    paint_text (p, k == c->n ? LEFT : right, y, k == c->n ? 0 : 1, PAINT_TEXT | PAINT_BOLD, here ? p->ink : p->muted,
                width, head);
    drawing_area (d, right - width, CHART_TOP, width, LINE - 2,
                  &(DrawingTag){ DRAWING_NO_DATES, .index = column, .part = TREE_HEAD });
  }
  drawing_rect (d, LEFT, CHART_TOP + LINE - 4, p->scene->width_px - 2 * LEFT, 1, p->faint, 1, NULL);
}

static void
tree_rows_draw_line (const Tree *tree, const Columns *c, Drawing *d, Paint *p, const Line *l, double y)
{
  double x = LEFT + MIN (l->depth * INDENT, MAX (c->name - 80, 0)), middle = y + LINE / 2;
  DrawingTag tag = tree_tag (tree, l->row);
  Look look;
  bool chosen = tree_is_selected (tree, p->scene, l->row), inner = tree->end[l->row] > l->row + 1,
       found = tree->hit != NULL && tree->hit[l->row];

  if (chosen)
    drawing_band (d, LEFT - 6, y, p->scene->width_px - 2 * LEFT + 12, LINE);
  if (inner)
    paint_text (p, x, middle, 0, PAINT_TEXT, p->muted, 0, l->open ? "▾" : "▸");
  drawing_rect (d, x + 13, middle - 5, 9, 9, tree_colour (tree, p, l->row), 1, NULL);
  paint_text (p, x + 28, middle, 0, found || chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT,
              tree->hit != NULL && !found ? p->muted : p->ink, LEFT + c->name - x - 28,
              tree_called (tree, p->scene, l->row, &look));
  drawing_rect (d, LEFT + c->name + PAD / 2, middle - 4, BAR, 8, p->grid, 1, NULL);
  drawing_rect (d, LEFT + c->name + PAD / 2, middle - 4, BAR * MIN (tree->share[l->row], 1), 8,
                tree_colour (tree, p, l->row), 1, NULL);
  for (uint32_t k = 0; k < c->n; k++) {
    g_autofree char *text = tree_cell (tree, p->scene, l->row, c->of[k]);
    paint_text (p, c->right[k], middle, 1, PAINT_TEXT, g_str_equal (text, "–") ? p->faint : p->ink, c->width[k], text);
  }
  drawing_area (d, LEFT, y, p->scene->width_px - 2 * LEFT, LINE, &tag);
}

char *
tree_draw_rows (const TreeView *v, const Tree *tree, Drawing *d, Paint *p)
{
  g_autoptr (GArray) lines = open_lines (v, tree);
  uint32_t fit = (uint32_t) MAX (floor ((p->scene->height_px - CHART_TOP - LINE - 4 - tree->key_px) / LINE), 1),
           first = (uint32_t) MIN ((uint64_t) v->first, lines->len > fit ? lines->len - fit : 0),
           n = MIN (lines->len - first, fit), columns = tree->t->n_columns - 2;
  Columns c = tree_rows_measure (tree, p, &g_array_index (lines, Line, first), n);
  GString *left_out = g_string_new (NULL);

  tree_rows_draw_heads (v, tree, &c, d, p);
  for (uint32_t i = 0; i < n; i++)
    tree_rows_draw_line (tree, &c, d, p, &g_array_index (lines, Line, first + i), CHART_TOP + LINE * (i + 1) - 1);
  if (n < lines->len)
    g_string_append_printf (left_out, _ ("rows %u to %u of %u"), first + 1, first + n, lines->len);
  if (c.n < MIN (columns, G_N_ELEMENTS (c.of)))
    g_string_append_printf (left_out, _ ("%s%u of %u columns"), left_out->len > 0 ? " · " : "", c.n, columns);
  return g_string_free (left_out, left_out->len == 0);
}
