/* SPDX-License-Identifier: Apache-2.0 */
/* tree-draw.c - a tree as boxes below or above each other, as rings, and as rectangles inside of each other. */
#include <math.h>
#include "views/tree-view.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/painter.h"

#define LEFT 12.0
#define FOOT 10.0
#define ROW_MOST 20.0
#define ROW_TEXT 12.0
#define ROW_LEAST 14.0 /* of more levels than fit those nearest to the root are shown, with their names */
#define BOX_TEXT 26.0
#define LEAST 0.75 /* px: what is narrower is not drawn alone */

/* Where a row stands, as shares of the whole: rows come with what is inside of them behind them. */
typedef struct Place {
  double from, to;
  uint32_t depth; /* in the picture */
} Place;

typedef struct Scale {
  Place *places; /* by row from `first` on; to < from: it is not drawn */
  uint32_t first;
  uint32_t n_small; /* rows that are too narrow */
  uint32_t deepest; /* of those that are not */
} Scale;

static Place *
tree_draw_place_at (const Scale *s, uint32_t row)
{
  return &s->places[row - s->first];
}

/* Everybody beside the one before, within what is around them; `least` is the share of what can be seen. */
static void
tree_draw_lay_out (const Tree *tree, double least, Scale *s)
{
  uint32_t first = tree_first (tree), last = tree_last (tree);
  g_autofree double *used = g_new0 (double, last - first + 1);
  double roots = 0;

  *s = (Scale){ .places = g_new (Place, last - first + 1), .first = first };
  for (uint32_t i = first; i < last;) {
    bool top = i == tree->root || tree->parent[i] == TRACE_NONE;
    const Place *around = top ? NULL : tree_draw_place_at (s, tree->parent[i]);
    double *at = top ? &roots : &used[tree->parent[i] - first],
           from = (top ? 0 : around->from) + (tree->before != NULL && i != tree->root ? tree->before[i] : *at);
    *at += tree->share[i];
    if (tree->share[i] < least || tree_hides (tree, i)) {
      s->n_small += tree_hides (tree, i) ? 0 : tree->end[i] - i;
      for (uint32_t end = tree->end[i]; i < end; i++)
        *tree_draw_place_at (s, i) = (Place){ 1, 0, 0 };
      continue;
    }
    *tree_draw_place_at (s, i) = (Place){ from, from + tree->share[i], top ? 0 : around->depth + 1 };
    s->deepest = MAX (s->deepest, tree_draw_place_at (s, i)->depth);
    i++;
  }
}

static char *
what_is_left_out (const Scale *s, uint32_t shown)
{
  GString *text = g_string_new (NULL);

  if (s->n_small > 0)
    g_string_append_printf (text, _ ("%u too small to be seen"), s->n_small);
  if (shown <= s->deepest)
    g_string_append_printf (text, _ ("%s%u of %u levels"), text->len > 0 ? " · " : "", shown, s->deepest + 1);
  return g_string_free (text, text->len == 0);
}

/* ---- boxes ---------------------------------------------------------------------------------------------------------------- */

typedef struct Boxes {
  const Tree *tree;
  Drawing *d;
  Paint *p;
  bool upwards;
  double top, bottom, row; /* of what is shown; height of a row */
} Boxes;

static double
box_y (const Boxes *b, uint32_t depth)
{
  return b->upwards ? b->bottom - (depth + 1) * b->row : b->top + depth * b->row;
}

static void
tree_draw_box (const Boxes *b, uint32_t i, double x, double y, double width, double height)
{
  uint32_t rgb = tree_colour (b->tree, b->p, i);
  DrawingTag tag = tree_tag (b->tree, i);
  g_autofree char *text = NULL;
  Look look;

  /* a pixel between two boxes tells them apart */
  tree_fill (b->tree, b->d, b->p, i, x, y, width > 3 ? width - 1 : width, height > 4 ? height - 1 : height, &tag);
  if (tree_is_selected (b->tree, b->p->scene, i))
    drawing_rect (b->d, x, y + height - 3, width > 3 ? width - 1 : width, 2, DRAWING_ACCENT, 1, NULL);
  if (height < ROW_TEXT || width < BOX_TEXT)
    return;
  g_autofree char *share = number_percent (100 * b->tree->share[i], 1);
  const char *name = tree_called (b->tree, b->p->scene, i, &look);
  text = g_strdup_printf ("%s  %s", name, share);
  bool whole = paint_text_width (b->p, PAINT_SMALL, text) < width - 9;
  paint_text (b->p, x + 4, y + (height - 1) / 2, 0, PAINT_SMALL, paint_ink_on (rgb), width - 9, whole ? text : name);
}

/* What the root is inside of, over the whole width: the way back. */
static uint32_t
tree_draw_way (const Boxes *b, double left, double width)
{
  uint32_t n = 0, k = 0;

  for (uint32_t i = b->tree->root; i != TRACE_NONE && b->tree->parent[i] != TRACE_NONE; i = b->tree->parent[i])
    n++;
  for (uint32_t i = b->tree->root; n > 0 && (i = b->tree->parent[i]) != TRACE_NONE; k++) {
    double y = b->upwards ? b->bottom - (n - k) * ROW_MOST : b->top + (n - k - 1) * ROW_MOST;
    DrawingTag tag = tree_tag (b->tree, i);
    uint32_t rgb = paint_mix (tree_colour (b->tree, b->p, i), b->p->paper, 0.6);
    drawing_rect (b->d, left, y, width, ROW_MOST - 1, rgb, 1, &tag);
    paint_text (b->p, left + 4, y + ROW_MOST / 2 - 0.5, 0, PAINT_SMALL, paint_ink_on (rgb), width - 9,
                tree_name (b->tree, i));
  }
  return n;
}

char *
tree_draw_icicle (const TreeView *v, const Tree *tree, Drawing *d, Paint *p)
{
  double width = MAX (p->scene->width_px - 2 * LEFT, 20);
  Boxes b = {
    tree, d, p, v->as == TREE_FLAME, CHART_TOP, MAX (p->scene->height_px - FOOT - tree->key_px, CHART_TOP + 8), ROW_MOST
  };
  Scale s;

  tree_draw_lay_out (tree, LEAST / width, &s);
  uint32_t way = tree_draw_way (&b, LEFT, width);
  if (b.upwards)
    b.bottom -= way * ROW_MOST;
  else
    b.top += way * ROW_MOST;
  b.row = CLAMP (floor ((b.bottom - b.top) / (s.deepest + 1)), ROW_LEAST, 1.3 * ROW_MOST);
  uint32_t shown = (uint32_t) MAX (floor ((b.bottom - b.top) / b.row), 1);
  for (uint32_t i = s.first; i < tree_last (tree); i++) {
    const Place *at = tree_draw_place_at (&s, i);
    if (at->to >= at->from && at->depth < shown)
      tree_draw_box (&b, i, LEFT + width * at->from, box_y (&b, at->depth), width * (at->to - at->from), b.row);
  }
  char *left_out = what_is_left_out (&s, shown);
  g_free (s.places);
  return left_out;
}

/* ---- rings ---------------------------------------------------------------------------------------------------------------- */

#define RING_MOST 64.0
#define RING_LEAST 9.0

static void
write_on_ring (Paint *p, double x, double y, double r, const Place *at, double thick, uint32_t ink, const char *text)
{
  double middle = G_PI * (at->from + at->to) - G_PI / 2, along = 2 * G_PI * r * (at->to - at->from);

  if (along < 13 || thick < BOX_TEXT)
    return;
  cairo_save (p->cr);
  cairo_translate (p->cr, x + r * cos (middle), y + r * sin (middle));
  cairo_rotate (p->cr, cos (middle) < 0 ? middle + G_PI : middle);
  paint_text (p, 0, 0, 0.5, PAINT_SMALL, ink, thick - 6, text);
  cairo_restore (p->cr);
}

char *
tree_draw_sunburst (const TreeView *v, const Tree *tree, Drawing *d, Paint *p)
{
  double width = p->scene->width_px, height = p->scene->height_px - CHART_TOP - FOOT - tree->key_px,
         most = MAX (MIN (width / 2 - LEFT, height / 2), 20), x = width / 2, y = CHART_TOP + height / 2;
  Scale s;

  tree_draw_lay_out (tree, LEAST / (2 * G_PI * most), &s);
  double ring = CLAMP (most / (s.deepest + 1), RING_LEAST, RING_MOST);
  uint32_t shown = (uint32_t) MAX (floor (most / ring), 1);
  cairo_set_line_width (p->cr, 1);
  for (uint32_t i = s.first; i < tree_last (tree); i++) {
    const Place *at = tree_draw_place_at (&s, i);
    DrawingTag tag = tree_tag (tree, i);
    uint32_t rgb = tree_colour (tree, p, i);
    Look look;
    if (at->to < at->from || at->depth >= shown)
      continue;
    double from = 2 * G_PI * at->from - G_PI / 2, to = 2 * G_PI * at->to - G_PI / 2;
    drawing_sector (d, x, y, at->depth * ring, (at->depth + 1) * ring - 1, from, to, rgb, &tag);
    paint_source (p->cr, tree_is_selected (tree, p->scene, i) ? DRAWING_ACCENT : p->paper, 1);
    cairo_new_path (p->cr);
    cairo_arc (p->cr, x, y, (at->depth + 1) * ring - 1, from, to);
    if (at->to - at->from < 0.999) { /* a whole ring has no ends */
      cairo_arc_negative (p->cr, x, y, at->depth * ring, to, from);
      cairo_close_path (p->cr);
    }
    cairo_stroke (p->cr);
    if (at->depth == 0 && at->to - at->from > 0.999)
      paint_text (p, x, y, 0.5, PAINT_SMALL, paint_ink_on (rgb), 2 * ring - 6, tree_called (tree, p->scene, i, &look));
    else
      write_on_ring (p, x, y, (at->depth + 0.5) * ring, at, ring, paint_ink_on (rgb),
                     tree_called (tree, p->scene, i, &look));
  }
  char *left_out = what_is_left_out (&s, shown);
  g_free (s.places);
  return left_out;
}

/* ---- rectangles ----------------------------------------------------------------------------------------------------------- */

#define HEAD 15.0 /* of one with others inside, for its name */
#define PIXELS_LEAST 5.0

typedef struct Rect {
  double x, y, width, height;
} Rect;

typedef struct Tiles {
  const Tree *tree;
  Drawing *d;
  Paint *p;
  GArray *todo; /* of Todo: rows with the room for what is inside of them */
  uint32_t n_small;
} Tiles;

typedef struct Todo {
  uint32_t first, last;
  double share; /* of what fills the room */
  Rect room;
} Todo;

static void
tree_draw_tile (Tiles *t, uint32_t i, Rect r)
{
  bool inner = t->tree->end[i] > i + 1;
  uint32_t rgb = tree_colour (t->tree, t->p, i);
  DrawingTag tag = tree_tag (t->tree, i);

  Look look;

  tree_fill (t->tree, t->d, t->p, i, r.x, r.y, MAX (r.width - 1, 0.5), MAX (r.height - 1, 0.5), &tag);
  if (tree_is_selected (t->tree, t->p->scene, i))
    drawing_rect (t->d, r.x, r.y, MAX (r.width - 1, 0.5), 3, DRAWING_ACCENT, 1, NULL);
  if (r.width < BOX_TEXT || r.height < HEAD)
    return;
  paint_text (t->p, r.x + 4, inner ? r.y + HEAD / 2 : r.y + MIN (r.height / 2, HEAD / 2 + 2), 0, PAINT_SMALL,
              paint_ink_on (rgb), r.width - 8, tree_called (t->tree, t->p->scene, i, &look));
  Rect in = { r.x + 3, r.y + HEAD, r.width - 7, r.height - HEAD - 4 };
  Todo todo = { i + 1, t->tree->end[i], t->tree->share[i], in };
  if (inner && in.width >= PIXELS_LEAST && in.height >= PIXELS_LEAST)
    g_array_append_val (t->todo, todo);
}

/* How far from square the worst tile of a strip is (Bruls, Huizing and van Wijk 2000). */
static double
worst (double sum, double least, double most, double side, double scale)
{
  double area = sum * scale, wide = area / side;

  return MAX (wide * wide / (least * scale), most * scale / (wide * wide));
}

/* A strip along the shorter side, of as many as make it squarest. */
static uint32_t
take_strip (const Tiles *t, uint32_t i, uint32_t last, double side, double scale, double *sum)
{
  double least = INFINITY, most = 0, before = INFINITY;

  for (*sum = 0; i < last; i = t->tree->end[i]) {
    double share = MAX (tree_hides (t->tree, i) ? 0 : t->tree->share[i], 1e-12),
           now = worst (*sum + share, MIN (least, share), MAX (most, share), side, scale);
    if (now > before)
      break;
    before = now;
    *sum += share;
    least = MIN (least, share);
    most = MAX (most, share);
  }
  return i;
}

static void
tree_draw_fill_room (Tiles *t, Todo todo)
{
  Rect r = todo.room;
  double scale = r.width * r.height / MAX (todo.share, 1e-12); /* px a share */

  for (uint32_t i = todo.first; i < todo.last;) {
    double sum, side = MIN (r.width, r.height), at = 0;
    if (tree_hides (t->tree, i)) {
      i = t->tree->end[i];
      continue;
    }
    if (t->tree->share[i] * scale < PIXELS_LEAST || side < 1) {
      for (; i < todo.last; i++)
        t->n_small++;
      return;
    }
    uint32_t end = take_strip (t, i, todo.last, side, scale, &sum);
    double wide = sum * scale / side;
    bool across = r.width >= r.height;
    for (; i < end; i = t->tree->end[i]) {
      double length = t->tree->share[i] * scale / MAX (wide, 1e-9);
      if (tree_hides (t->tree, i))
        continue;
      tree_draw_tile (t, i, across ? (Rect){ r.x, r.y + at, wide, length } : (Rect){ r.x + at, r.y, length, wide });
      at += length;
    }
    if (across)
      r = (Rect){ r.x + wide, r.y, r.width - wide, r.height };
    else
      r = (Rect){ r.x, r.y + wide, r.width, r.height - wide };
  }
}

char *
tree_draw_treemap (const TreeView *v, const Tree *tree, Drawing *d, Paint *p)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (Todo));
  Tiles t = { tree, d, p, todo, 0 };
  Rect all = { LEFT, CHART_TOP, MAX (p->scene->width_px - 2 * LEFT, 20),
               MAX (p->scene->height_px - CHART_TOP - FOOT - tree->key_px, 20) };

  tree_draw_fill_room (&t, (Todo){ tree_first (tree), tree_last (tree), 1, all });
  for (guint k = 0; k < todo->len; k++)
    tree_draw_fill_room (&t, g_array_index (todo, Todo, k));
  return t.n_small > 0 ? g_strdup_printf (_ ("%u too small to be seen"), t.n_small) : NULL;
}
