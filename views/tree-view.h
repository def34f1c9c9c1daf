/* SPDX-License-Identifier: Apache-2.0 */
/* tree-view.h - what the ways to show a tree share.  A tree is a table whose rows stand above those that are inside of
 * them, and whose column `depth` tells how deep they are.  Engine thread only. */
#pragma once
#include "views/associations.h"
#include "views/chart.h"

enum { TREE_ICICLE, TREE_FLAME, TREE_SUNBURST, TREE_TREEMAP, TREE_ROWS };
enum { TREE_BOX, TREE_HEAD }; /* part of a tag; index: the row, or the column */

typedef struct TreeView {
  ChartThing held;
  int32_t as; /* settings */
  char *amount, *root, *search, *sort, *toggled, *title;
  int64_t levels, first;
  bool ascending;
} TreeView;

/* A table as a tree, for one picture. */
typedef struct Tree {
  const StatsTable *t;
  uint32_t name, depth, amount; /* columns */
  uint32_t root, top;           /* row that the picture begins with, TRACE_NONE: all; its depth, or 0 */
  uint32_t *parent, *end; /* by row: what it is inside of or TRACE_NONE, and the first row that is not inside of it */
  double *share;          /* by row: of `all`, at least what is inside of it */
  double all;             /* amount of what is shown, in the unit of the table */
  GHashTable *states;     /* by name: number of a state + 1 */
  uint32_t n_found;       /* rows that were searched for; */
  double found;           /* their share of all, where none is inside of another */
  bool *hit;              /* by row; NULL: nothing is searched for */
  Looks rules;            /* of regions, */
  bool ruled;             /* if there are any */
  bool *hidden;           /* by row; NULL: no rule hides any */
  uint32_t n_hidden;      /* rows, with those inside of them */
  double *before; /* by row: shares of those that a rule puts before it, beside it; NULL: they stand as they come */
  double key_px;  /* what the key of rules takes below */
} Tree;

/* False: there is no tree in it. */
bool tree_read (Tree *tree, const TreeView *v, const ViewScene *scene);
void tree_clear (Tree *tree);
const char *tree_name (const Tree *tree, uint32_t row);
uint32_t tree_colour (const Tree *tree, const Paint *p, uint32_t row);
DrawingTag tree_tag (const Tree *tree, uint32_t row);
bool tree_is_selected (const Tree *tree, const ViewScene *scene, uint32_t row);
static inline bool
tree_hides (const Tree *tree, uint32_t row)
{
  return tree->hidden != NULL && tree->hidden[row];
}
/* What rules say of a row; not asked where there are none (`ruled`). */
void tree_look (const Tree *tree, const ViewScene *scene, uint32_t row, Look *to);
/* Fills a rectangle with what a row looks like; with `tag` it can be pointed at. */
void tree_fill (const Tree *tree, Drawing *d, Paint *p, uint32_t row, double x, double y, double width, double height,
                const DrawingTag *tag);
/* How a row is called: by itself, or as a rule says, in `look`, which is cleared where there are no rules. */
const char *tree_called (const Tree *tree, const ViewScene *scene, uint32_t row, Look *look);
/* "main;solve;MPI_Send": how a row is told in settings; g_free. */
char *tree_path (const Tree *tree, uint32_t row);
/* A cell for a person; g_free. */
char *tree_cell (const Tree *tree, const ViewScene *scene, uint32_t row, uint32_t column);

/* Each draws what is inside of a rectangle that begins at CHART_TOP, and gives what it had to leave out, for the first
 * line; g_free, NULL: nothing. */
char *tree_draw_icicle (const TreeView *v, const Tree *tree, Drawing *d, Paint *p);
char *tree_draw_sunburst (const TreeView *v, const Tree *tree, Drawing *d, Paint *p);
char *tree_draw_treemap (const TreeView *v, const Tree *tree, Drawing *d, Paint *p);
char *tree_draw_rows (const TreeView *v, const Tree *tree, Drawing *d, Paint *p);
/* The rows that are inside of none of the rows shown, or the root: where a picture begins. */
static inline uint32_t
tree_first (const Tree *tree)
{
  return tree->root != TRACE_NONE ? tree->root : 0;
}
static inline uint32_t
tree_last (const Tree *tree)
{
  return tree->root != TRACE_NONE ? tree->end[tree->root] : tree->t->n_rows;
}
