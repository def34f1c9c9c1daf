/* SPDX-License-Identifier: Apache-2.0 */
/* terrain.c - numbers of rows and columns as a landscape: a column for each, as high as its number.  Of a matrix, where
 * one is wired; else of what tasks did over time. */
#include <math.h>
#include <string.h>
#include "views/chart-matrix.h"
#include "eve/words.h"
#include "views/scene/scene.h"

#define SIDE 10.0 /* of the longer side of the ground */
#define HIGH 3.2
#define CELLS_MOST 40000 /* of a matrix; more are put together */
#define ROWS_MOST 96     /* of tasks over time */
#define NAMES_MOST 24    /* along one side */

typedef struct Field {
  uint32_t n_rows, n_columns;
  double x, y, width, depth; /* of the corner of the first cell; of a cell */
  ChartScale scale;
} Field;

/* Rows run from the front backwards, so that the first is nearest. */
static void
terrain_begin (Field *f, uint32_t n_rows, uint32_t n_columns, double least, double most, const char *unit)
{
  double long_side = MAX (MAX (n_rows, n_columns), 1), across = n_columns / long_side, deep = n_rows / long_side;

  across = fmax (across, 0.4);
  deep = fmax (deep, 0.4);
  *f = (Field){ n_rows,
                n_columns,
                -SIDE * across / 2,
                -SIDE * deep / 2,
                SIDE * across / MAX (n_columns, 1),
                SIDE * deep / MAX (n_rows, 1),
                { 0 } };
  chart_scale (&f->scale, fmin (least, 0), fmax (most, 0), unit, 5);
}

static double
terrain_height_of (const Field *f, double value)
{
  return HIGH * value / fmax (f->scale.hi - f->scale.lo, 1e-300);
}

/* One column; what is below zero goes down. */
static void
add_cell (const Field *f, SceneModel *m, uint32_t row, uint32_t column, SceneThing *t, uint32_t rgb)
{
  double high = terrain_height_of (f, t->value),
         size[] = { f->width * 0.46, f->depth * 0.46, fmax (fabs (high) / 2, 0.01) };
  double at[] = { f->x + f->width * (column + 0.5), f->y + f->depth * (row + 0.5), high / 2 };

  t->tag.part = SCENE_PART_CELL;
  t->tag.index = row * f->n_columns + column;
  memcpy (t->at, (const double[]){ at[0], at[1], high }, sizeof t->at); /* its top */
  memcpy (t->end, at, sizeof t->end);
  t->radius = fmin (size[0], size[1]);
  scene_shape (m, SCENE_CUBE, at, size, rgb, 1, scene_thing (m, t));
}

static void
add_surroundings (const ViewScene *scene, const Field *f, SceneModel *m, const char *title)
{
  double right = f->x + f->width * f->n_columns, back = f->y + f->depth * f->n_rows, edge = 0.35;
  double low[] = { f->x - edge, f->y - edge }, high[] = { right + edge, back + edge };
  double foot = terrain_height_of (f, f->scale.lo), head = terrain_height_of (f, f->scale.hi);

  scene_floor (scene, m, low, high, -0.02);
  scene_scale (scene, m, &f->scale, (const double[]){ low[0], low[1], foot }, (const double[]){ low[0], low[1], head },
               (const double[]){ -0.55, 0, 0 }, title);
}

/* Every so many, that they do not lie on each other. */
static void
terrain_add_names (const Field *f, SceneModel *m, bool columns, char *(*name) (void *arg, uint32_t i), void *arg)
{
  uint32_t n = columns ? f->n_columns : f->n_rows, step = MAX ((n + NAMES_MOST - 1) / NAMES_MOST, 1);

  for (uint32_t i = 0; i < n; i += step)
    scene_label (m,
                 (const double[]){ columns ? f->x + f->width * (i + 0.5) : f->x + f->width * f->n_columns + 0.9,
                                   columns ? f->y - 0.7 : f->y + f->depth * (i + 0.5), 0 },
                 0, name (arg, i), true);
}

/* ---- a matrix --------------------------------------------------------------------------------------------------------------- */

typedef struct Together {
  const StatsMatrix *m;
  uint32_t per_row, per_column;
} Together;

static char *
row_name (void *arg, uint32_t i)
{
  const Together *t = arg;

  return g_strdup (chart_matrix_name (t->m, false, i * t->per_row));
}

static char *
terrain_column_name (void *arg, uint32_t i)
{
  const Together *t = arg;

  return g_strdup (chart_matrix_name (t->m, true, i * t->per_column));
}

static Together
terrain_together (const StatsMatrix *m)
{
  uint32_t side = (uint32_t) sqrt (CELLS_MOST);
  Together t = { m, 1, 1 };

  if ((uint64_t) m->n_rows * m->n_columns > CELLS_MOST) {
    t.per_row = MAX ((m->n_rows + side - 1) / side, 1);
    t.per_column = MAX ((m->n_columns + side - 1) / side, 1);
  }
  return t;
}

static uint64_t
terrain_cut_of (const ViewScene *scene)
{
  return scene->groups != NULL ? scene->groups->serial : 0;
}

/* A cell of a matrix. */
typedef struct Cell {
  const StatsMatrix *m;
  uint32_t row, column;
} Cell;

/* False: what is shown by now is another matrix than the one that the model was made of. */
static bool
terrain_cell_of (SceneView *v, const ViewScene *scene, const SceneThing *t, Cell *cell)
{
  const SceneGrid *g = &v->grid;
  uint32_t n_columns = (g->n_columns + g->per_column - 1) / g->per_column;

  *cell = (Cell){ g->cut == terrain_cut_of (scene) ? chart_matrix_shown (&v->held, scene) : NULL,
                  t->tag.index / n_columns, t->tag.index % n_columns };
  return cell->m != NULL && cell->m->n_rows == g->n_rows && cell->m->n_columns == g->n_columns
         && trace_ref_same (t->tag.what, chart_matrix_owner (cell->m, false, cell->row, g->per_row))
         && trace_ref_same (t->tag.other, chart_matrix_owner (cell->m, true, cell->column, g->per_column));
}

static double
terrain_measure (const SceneView *v, double x)
{
  return v->logarithmic ? x > 0 ? log10 (1 + x) : NAN : x;
}

static bool
build_matrix (SceneView *v, const ViewScene *scene, const StatsMatrix *matrix, SceneModel *m)
{
  Together t = terrain_together (matrix);
  uint32_t n_rows = (matrix->n_rows + t.per_row - 1) / t.per_row,
           n_columns = (matrix->n_columns + t.per_column - 1) / t.per_column;
  double least = INFINITY, most = -INFINITY;
  Field f;

  v->grid = (SceneGrid){ true, terrain_cut_of (scene), matrix->n_rows, matrix->n_columns, t.per_row, t.per_column };
  for (uint32_t i = 0; i < n_rows; i++)
    for (uint32_t k = 0; k < n_columns; k++) {
      double x = terrain_measure (v, chart_matrix_value (matrix, i, k, t.per_row, t.per_column));
      if (isfinite (x))
        least = fmin (least, x), most = fmax (most, x);
    }
  terrain_begin (&f, n_rows, n_columns, least, most, v->logarithmic ? NULL : matrix->unit);
  for (uint32_t i = 0; i < n_rows; i++)
    for (uint32_t k = 0; k < n_columns; k++) {
      double x = chart_matrix_value (matrix, i, k, t.per_row, t.per_column), y = terrain_measure (v, x);
      SceneThing thing = { .tag = { DRAWING_NO_DATES, .what = chart_matrix_owner (matrix, false, i, t.per_row),
                                    .other = chart_matrix_owner (matrix, true, k, t.per_column) },
                           .value = y,
                           .unit = matrix->unit };
      if (isnan (x) && matrix->means) /* nothing is known of it */
        continue;
      if (!isfinite (y))
        thing.value = 0;
      thing.chosen = trace_refs_n (scene->selection) > 0 && view_selects_tag (scene, &thing.tag);
      if (!thing.chosen && trace_refs_has_type (scene->selection, TRACE_REF_TASK))
        thing.chosen = chart_matrix_is_chosen (scene, matrix, false, i, t.per_row)
                       || chart_matrix_is_chosen (scene, matrix, true, k, t.per_column);
      add_cell (&f, m, i, k, &thing,
                chart_shade (scene, fmax (most, -least) > 0 ? fabs (thing.value) / fmax (most, -least) : 0));
      g_array_index (m->things, SceneThing, m->things->len - 1).value = x;
    }
  add_surroundings (scene, &f, m, v->logarithmic ? "log(1 + x)" : NULL);
  terrain_add_names (&f, m, false, row_name, &t);
  terrain_add_names (&f, m, true, terrain_column_name, &t);
  g_autofree char *shown = t.per_row > 1 || t.per_column > 1
                               ? g_strdup_printf (_ ("; %u rows and %u columns in one"), t.per_row, t.per_column)
                               : g_strdup ("");
  m->note = g_strdup_printf (_ ("%s; %u rows, %u columns%s"), matrix->title != NULL ? matrix->title : _ ("matrix"),
                             matrix->n_rows, matrix->n_columns, shown);
  return true;
}

/* ---- tasks over time ---------------------------------------------------------------------------------------------------------- */

typedef struct Rows {
  SceneView *v;
  const ViewScene *scene;
} Rows;

static char *
task_name (void *arg, uint32_t i)
{
  const Rows *r = arg;

  return scene_row_name (r->v, r->scene, i);
}

static bool
build_times (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  Field f;

  if (!scene_open_states (v, scene, error))
    return false;
  const SceneShares *s = scene_shares (v, scene, ROWS_MOST, (uint32_t) v->slices);
  v->grid = (SceneGrid){ .cut = s->cut };
  terrain_begin (&f, s->n_rows, s->n_bins, 0, 100, "%");
  for (uint32_t row = 0; row < s->n_rows; row++) {
    bool chosen = scene_row_is_chosen (v, scene, row);
    TraceRef who = scene_row_owner (v, scene, row);
    for (uint32_t b = 0; b < s->n_bins; b++) {
      gsize at = (gsize) row * s->n_bins + b;
      if (isnan (s->share[at]))
        continue;
      SceneThing t = { .tag = { .what = who,
                                .from = s->from + (int64_t) (b * s->width),
                                .to = s->from + (int64_t) ((b + 1) * s->width),
                                .attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE)),
                                .value = g_intern_string (
                                    paint_slot_name (scene->graph, STATE_NODE, &v->slots, s->slot[at])) },
                       .value = 100 * (double) s->share[at],
                       .unit = "%",
                       .chosen = chosen };
      m->met |= 1u << s->slot[at];
      add_cell (&f, m, row, b, &t, paint_slot (scene, STATE_NODE, &v->slots, s->slot[at]));
    }
  }
  if (m->things->len == 0)
    m->empty = g_strdup (_ ("No task lives in this time"));
  add_surroundings (scene, &f, m, NULL);
  terrain_add_names (&f, m, false, task_name, &(Rows){ v, scene });
  double right = f.x + f.width * f.n_columns, front = f.y - 0.35;
  scene_time_scale (scene, m, s->from, s->to, (const double[]){ f.x, front, 0 }, (const double[]){ right, front, 0 },
                    (const double[]){ 0, -0.5, 0 });
  if (scene->at >= s->from && scene->at <= s->to) { /* the cursor: a wall across */
    double x = f.x + (right - f.x) * ((double) scene->at - (double) s->from) / ((double) s->to - (double) s->from),
           back = f.y + f.depth * f.n_rows;
    const double wall[2][3][3] = { { { x, front, 0 }, { x, back, 0 }, { x, back, HIGH } },
                                   { { x, front, 0 }, { x, back, HIGH }, { x, front, HIGH } } };
    scene_triangle (m, wall[0], NULL, DRAWING_ACCENT, 0.3, 0);
    scene_triangle (m, wall[1], NULL, DRAWING_ACCENT, 0.3, 0);
  }
  g_autofree char *slice = axis_duration (&scene->source->clock, s->width);
  m->note = g_strdup_printf (_ ("height: share of %s in %s, colour: what lasts longest; %u tasks%s"), scene_counted (v),
                             slice, s->n_tasks, scene_shares_together (s));
  return true;
}

static bool
terrain_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  if (v->held.thing != NULL)
    return build_matrix (v, scene, chart_matrix_shown (&v->held, scene), m);
  if (eve_in_connected (v->held.base.in[SCENE_IN_MATRIX])) {
    m->empty = g_strdup (_ ("No matrix has come yet"));
    return true;
  }
  return build_times (v, scene, m, error);
}

static void
terrain_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  Cell cell;

  if (v->grid.of_matrix) {
    if (!terrain_cell_of (v, scene, t, &cell))
      return;
    g_autofree char *row = chart_matrix_name_of (scene, cell.m, false, cell.row, v->grid.per_row),
                    *column = chart_matrix_name_of (scene, cell.m, true, cell.column, v->grid.per_column),
                    *number = chart_number (t->value, cell.m->unit);
    g_string_append_printf (name, "%s, %s: %s", row, column, number);
    return;
  }
  const TraceClock *clock = &scene->source->clock;
  g_autofree char *who = scene_row_name (v, scene, scene_row_at (&v->shares, t->tag.index)),
                  *from = axis_date (clock, t->tag.from, -1), *to = axis_date (clock, t->tag.to, -1),
                  *number = chart_number (t->value, "%");
  g_string_append_printf (name, _ ("%s: %s in %s from %s to %s, mostly %s"), who, number, scene_counted (v), from, to,
                          t->tag.value);
}

static void
terrain_owners (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to)
{
  Cell cell;

  if (!v->grid.of_matrix) {
    scene_add_row_owners (v, scene, scene_row_at (&v->shares, t->tag.index), to);
    return;
  }
  if ((t->tag.what.type == TRACE_REF_TASK && t->tag.other.type == TRACE_REF_TASK) /* a link */
      || !terrain_cell_of (v, scene, t, &cell))
    return;
  chart_matrix_add_owners (cell.m, false, cell.row, v->grid.per_row, to);
  chart_matrix_add_owners (cell.m, true, cell.column, v->grid.per_column, to);
}

static char *
terrain_end_name (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second)
{
  Cell cell;

  if (!v->grid.of_matrix)
    return second ? NULL : scene_row_name (v, scene, scene_row_at (&v->shares, t->tag.index));
  if (!terrain_cell_of (v, scene, t, &cell))
    return NULL;
  return second ? chart_matrix_name_of (scene, cell.m, true, cell.column, v->grid.per_column)
                : chart_matrix_name_of (scene, cell.m, false, cell.row, v->grid.per_row);
}

const SceneBuilder scene_terrain = { .name = "terrain",
                                     .spans = VIEW_OF_INSTANT | VIEW_OF_EXECUTION,
                                     .depends = VIEW_ON_INSTANT | VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED,
                                     .build = terrain_build,
                                     .say = terrain_say,
                                     .end_name = terrain_end_name,
                                     .owners = terrain_owners };
