/* SPDX-License-Identifier: Apache-2.0 */
/* status-grid.c - all tasks as cells side by side, each in the colour of what it does at the instant, or in a shade of
 * any other of its attributes (processor status): a hundred thousand at once.  Groups that are closed have one cell
 * each. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "readers/reader.h"
#include "eve/words.h"
#include "views/associations.h"
#include "views/chart.h"
#include "views/dense.h"
#include "views/groups.h"
#include "views/history.h"
#include "views/painter.h"

typedef struct StatusGrid {
  EveBase base;
  char *shows, *label, *title; /* settings */
  Names *names;                /* draw side, of `film` */
  char *film;
  uint32_t *task_of; /* by node: its task, or TRACE_NONE.  Of a graph, and what is known of it: */
  const StateGraph *graph;
  uint32_t known[3]; /* nodes, tasks, number of the source */
} StatusGrid;

static const EveInSpec ins[] = {
  { "states", &state_type_state, EVE_ASYNC, .kept = true, .required = true,
    .doc = "From a simulator: its tasks are shown." },
};
static const EveField settings[] = {
  { "shows", EVE_F_STRING, offsetof (StatusGrid, shows), .look = true,
    .doc = "The attribute of tasks that colours the cells, such as State or PercentBusy; empty: what they do." },
  { "label", EVE_F_STRING, offsetof (StatusGrid, label), .look = true,
    .doc = "The attribute that is written below the names, where there is room; empty: the one that is shown." },
  { "title", EVE_F_STRING, offsetof (StatusGrid, title), .look = true, .doc = "Empty: the name of the box." },
};

#define LEAST_PX 3.0 /* a cell; of smaller ones several are one */
#define KINDS 24     /* values that one picture keeps apart */

static void
status_grid_finish (EveComponent *c)
{
  StatusGrid *v = (StatusGrid *) c;

  g_clear_pointer (&v->names, names_free);
  g_free (v->task_of);
  g_free (v->film);
}

/* ---- what is shown --------------------------------------------------------------------------------------------------- */

typedef struct Cell {
  uint32_t task, node; /* node TRACE_NONE: it is not there now */
  double value;        /* a number, or the place of a value in `kinds` */
} Cell;

typedef struct Grid {
  int attribute, label; /* of nodes; -1: there is none */
  bool is_number, means;
  const char *unit;
  uint32_t n_hidden;                       /* by a rule; of the others: */
  uint32_t n_tasks, per, n, columns, rows; /* parts in a cell; cells */
  uint32_t n_parts, *part;                 /* where in `of` each begins, and the end: closed groups, and tasks alone */
  const Groups *groups;                    /* NULL: each task is alone */
  double x0, y0, width, height;            /* px of a cell */
  Cell *of;                                /* in the order in which they are shown */
  Looks rules;
  Look *looks;            /* of each, NULL: no rule is asked */
  GPtrArray *kinds;       /* of interned texts: the values that are met */
  uint32_t n_direct;      /* values whose number is their place in `kinds` */
  uint32_t colour[KINDS]; /* of each */
  double lo, hi;
  Dense *pixels; /* cells are put there, as they touch each other; NULL: by cairo */
  const Paint *paint;
} Grid;

static int
status_grid_attribute_of (const StateGraph *g, const char *name)
{
  return *name ? state_attribute (g->model, STATE_NODE, name)
               : state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
}

static bool
status_grid_is_number (const StateAttribute *a)
{
  return a->kind == STATE_INT || a->kind == STATE_DATE || a->kind == STATE_PERCENT || a->kind == STATE_REAL;
}

/* The place of a text among those met; the last is all others. */
static uint32_t
status_grid_kind_of (Grid *g, const char *text)
{
  for (guint i = 0; i < g->kinds->len; i++)
    if (strcmp (g->kinds->pdata[i], text) == 0)
      return i;
  if (g->kinds->len < KINDS)
    g_ptr_array_add (g->kinds, (gpointer) g_intern_string (g->kinds->len < KINDS - 1 ? text : "others"));
  return g->kinds->len - 1;
}

static double
status_grid_read_value (Grid *g, const StateGraph *graph, const StateValues *states, uint32_t node, int64_t at,
                        GString *text)
{
  uint32_t value;

  if (g->is_number)
    return state_number (graph, (uint32_t) g->attribute, node, at);
  if (state_value_in (states, node, &value))
    return value < g->n_direct ? value : status_grid_kind_of (g, state_value (graph->model, g->attribute, value)->name);
  g_string_truncate (text, 0);
  state_text (graph, (uint32_t) g->attribute, node, at, text);
  return text->len > 0 ? status_grid_kind_of (g, text->str) : NAN;
}

/* Who the nodes are: found once, as looking for a hundred thousand names takes longer than drawing them. */
static void
status_grid_find_tasks (StatusGrid *v, const ViewScene *scene)
{
  const uint32_t known[3] = { scene->graph->n_nodes, scene->source->tasks->len, scene->source->number };

  if (v->task_of != NULL && v->graph == scene->graph && memcmp (v->known, known, sizeof known) == 0)
    return;
  g_free (v->task_of);
  v->task_of = names_tasks_of_nodes (v->names, scene->source, scene->graph);
  v->graph = scene->graph;
  memcpy (v->known, known, sizeof known);
}

static void
read_tasks (StatusGrid *v, const ViewScene *scene, Grid *g)
{
  const StateGraph *graph = scene->graph;
  g_autoptr (GString) text = g_string_new (NULL);
  int64_t at = MAX (scene->at, graph->clock);
  StateValues states = state_values_of (graph, g->attribute);

  status_grid_find_tasks (v, scene);
  g->of = g_new (Cell, g->n_tasks + 1);
  for (uint32_t i = 0; i < g->n_tasks; i++)
    g->of[i] = (Cell){ i, TRACE_NONE, NAN };
  for (uint32_t node = 0; node < graph->n_nodes; node++) {
    uint32_t task = v->task_of[node];
    if (task >= g->n_tasks || !state_present (graph, STATE_NODE, node))
      continue;
    Cell *c = &g->of[task];
    *c = (Cell){ task, node, status_grid_read_value (g, graph, &states, node, at, text) };
    if (isfinite (c->value)) {
      g->lo = fmin (g->lo, c->value);
      g->hi = fmax (g->hi, c->value);
    }
  }
  g->lo = fmin (g->lo, 0);
  g->hi = fmax (g->hi, g->lo);
  if (g_strcmp0 (g->unit, "%") == 0 && g->hi <= 100)
    g->hi = 100;
}

#define LOOKS                                                                                                          \
  (1u << LOOK_COLOUR | 1u << LOOK_PATTERN | 1u << LOOK_OPACITY | 1u << LOOK_LABEL | 1u << LOOK_ORDER                   \
   | 1u << LOOK_HIDDEN)

typedef struct Ranked {
  Look look;
  Cell cell;
} Ranked;

static int
by_rule (gconstpointer a, gconstpointer b, gpointer rules)
{
  const Ranked *x = a, *y = b;
  int before = looks_compare (rules, &x->look, &y->look);

  return before != 0 ? before : (x->cell.task > y->cell.task) - (x->cell.task < y->cell.task);
}

/* Tasks that are hidden go, the others stand as a rule orders them. */
static void
status_grid_look_up (StatusGrid *v, const ViewScene *scene, Grid *g)
{
  if (!looks_begin (&g->rules, scene, eve_name ((EveComponent *) v), LOOK_TASK, LOOKS))
    return;
  g_autofree Ranked *all = g_new (Ranked, g->n_tasks + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_tasks; i++) {
    all[n].cell = g->of[i];
    looks_of_object (&g->rules, scene, all[n].cell.node, &all[n].look);
    n += !all[n].look.hidden;
  }
  if (g->rules.channels >> LOOK_ORDER & 1)
    g_qsort_with_data (all, (int) n, sizeof *all, by_rule, &g->rules);
  g->looks = g_new (Look, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    g->of[i] = all[i].cell;
    g->looks[i] = all[i].look;
  }
  g->n_hidden = g->n_tasks - n;
  g->n_tasks = n;
}

/* The tasks of a closed group stand together, where the first of them would; and the parts that this makes. */
static void
status_grid_put_together (const ViewScene *scene, Grid *g)
{
  const Groups *groups = scene->groups;
  uint32_t n = 0, last = 0;

  g->part = g_new (uint32_t, g->n_tasks + 1);
  if (groups == NULL || groups->n_parts >= groups->n_tasks) {
    for (uint32_t i = 0; i <= g->n_tasks; i++)
      g->part[i] = i;
    g->n_parts = g->n_tasks;
    return;
  }
  g->groups = groups;
  g_autofree uint32_t *shown = g_new0 (uint32_t, groups->n_parts + 1); /* how many tasks of each are */
  g_autofree uint32_t *next = g_new0 (uint32_t, groups->n_parts + 1);  /* + 1: where its next one goes; 0: not yet */
  for (uint32_t i = 0; i < g->n_tasks; i++)
    if (g->of[i].task < groups->n_tasks)
      shown[groups->part_of[g->of[i].task]]++;
  Cell *cells = g_new (Cell, g->n_tasks + 1);
  Look *looks = g->looks != NULL ? g_new (Look, g->n_tasks + 1) : NULL;
  for (uint32_t i = 0; i < g->n_tasks; i++) {
    uint32_t part = g->of[i].task < groups->n_tasks ? groups->part_of[g->of[i].task] : TRACE_NONE, to = last;
    if (part == TRACE_NONE || next[part] == 0) {
      g->part[n++] = last;
      last += part != TRACE_NONE ? shown[part] : 1;
    }
    if (part != TRACE_NONE) {
      to = next[part] > 0 ? next[part] - 1 : to;
      next[part] = to + 2;
    }
    cells[to] = g->of[i];
    if (looks != NULL)
      looks[to] = g->looks[i];
  }
  g->part[n] = last;
  g->n_parts = n;
  g_free (g->of);
  g_free (g->looks);
  g->of = cells;
  g->looks = looks;
}

/* As many columns as make cells about as wide as one and a half times their height: names lie. */
static void
place_cells (const ViewScene *scene, Grid *g)
{
  double width = fmax (scene->width_px - 24, 10), height = fmax (scene->height_px - g->y0 - 10, 10);
  uint32_t most = (uint32_t) fmax (floor (width / LEAST_PX) * floor (height / LEAST_PX), 1);

  g->per = (g->n_parts + most - 1) / most;
  g->n = g->per > 0 ? (g->n_parts + g->per - 1) / g->per : 0;
  double wanted = sqrt (g->n * width / height / 1.5);
  g->columns = (uint32_t) CLAMP (ceil (wanted), 1, MAX (g->n, 1));
  for (uint32_t c = (uint32_t) ceil (wanted * 0.7), least = UINT32_MAX; g->n <= 64 && c <= wanted * 1.5; c++)
    if (c > 0 && (c - g->n % c) % c < least) { /* few: rows that are full */
      least = (c - g->n % c) % c;
      g->columns = c;
    }
  if (g->columns > 16 && g->n > 64) /* a row of a power of two: places can be counted */
    for (uint32_t power = 16; power <= 4096; power *= 2)
      if (power <= 1.4 * wanted && 2 * power > 1.4 * wanted && height / ceil ((double) g->n / power) >= LEAST_PX)
        g->columns = power;
  g->rows = (g->n + g->columns - 1) / g->columns;
  g->x0 = 12;
  g->width = fmin (width / g->columns, 220);
  g->height = fmin (height / MAX (g->rows, 1), 90);
}

static void
clear_grid (Grid *g)
{
  g_free (g->of);
  g_free (g->looks);
  g_free (g->part);
  g_clear_pointer (&g->kinds, g_ptr_array_unref);
}

/* False and a sentence: no such attribute, no simulator. */
static bool
status_grid_gather (StatusGrid *v, const ViewScene *scene, Grid *g, GError **error)
{
  *g = (Grid){ .y0 = CHART_TOP + 22, .lo = INFINITY, .hi = -INFINITY };
  if (scene->graph == NULL || scene->source == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("no simulator is connected to it, whose state could be shown"));
    return false;
  }
  g->attribute = status_grid_attribute_of (scene->graph, v->shows);
  if (g->attribute < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("tasks have no attribute “%s” in the model %s"),
                 *v->shows ? v->shows : "State", scene->graph->model->name);
    return false;
  }
  g->label = *v->label ? status_grid_attribute_of (scene->graph, v->label) : g->attribute;
  const StateAttribute *a = &scene->graph->model->attributes[g->attribute];
  g->is_number = status_grid_is_number (a);
  g->unit = a->unit != NULL ? a->unit : a->kind == STATE_PERCENT ? "%" : NULL;
  g->kinds = g_ptr_array_new ();
  for (uint32_t i = 0; !g->is_number && a->n_values < KINDS && i < a->n_values; i++) /* in the order of the model */
    g_ptr_array_add (g->kinds, (gpointer) g_intern_string (a->values[i].name));
  g->n_direct = g->kinds->len;
  if (v->names == NULL || g_strcmp0 (v->film, view_tasks (scene)) != 0
      || names_count (v->names, scene->source) < scene->source->tasks->len) {
    g_clear_pointer (&v->names, names_free);
    g_free (v->film);
    v->film = g_strdup (view_tasks (scene));
    v->names = names_read (v->film);
    g_clear_pointer (&v->task_of, g_free);
  }
  g->n_tasks = names_count (v->names, scene->source);
  read_tasks (v, scene, g);
  for (guint k = 0; k < g->kinds->len; k++)
    g->colour[k] = a->role == STATE_ROLE_STATE ? paint_state_named (scene, STATE_NODE, g->kinds->pdata[k])
                                               : view_colour (scene->colours, a->name, g->kinds->pdata[k], scene->dark);
  status_grid_look_up (v, scene, g);
  status_grid_put_together (scene, g);
  place_cells (scene, g);
  return true;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

static uint32_t
status_grid_colour_of (const ViewScene *scene, const Paint *p, const Grid *g, double value)
{
  if (isnan (value))
    return p->grid;
  if (g->is_number)
    return chart_shade (scene, g->hi > g->lo ? (value - g->lo) / (g->hi - g->lo) : value != 0);
  return g->colour[(guint) value];
}

/* Of one task: what a rule says goes before what is shown. */
static uint32_t
colour_at (const ViewScene *scene, const Paint *p, const Grid *g, uint32_t i)
{
  const Look *look = g->looks != NULL ? &g->looks[i] : NULL;
  uint32_t rgb = look != NULL && LOOK_HAS (look, LOOK_COLOUR) ? look->rgb
                                                              : status_grid_colour_of (scene, p, g, g->of[i].value);

  return look != NULL && LOOK_HAS (look, LOOK_OPACITY) ? paint_mix (p->paper, rgb, look->opacity) : rgb;
}

static uint32_t
begin_of (const Grid *g, uint32_t i)
{
  return g->part[i * g->per];
}

static uint32_t
status_grid_end_of (const Grid *g, uint32_t i)
{
  return g->part[MIN ((i + 1) * g->per, g->n_parts)];
}

static bool
status_grid_is_alone (const Grid *g, uint32_t i)
{
  return status_grid_end_of (g, i) - begin_of (g, i) == 1;
}

static DrawingTag
status_grid_tag_of (const ViewScene *scene, const Grid *g, uint32_t i)
{
  DrawingTag tag = { DRAWING_NO_DATES, .index = i };
  const Cell *first = &g->of[begin_of (g, i)];

  if (status_grid_is_alone (g, i))
    tag.what = trace_ref_task (scene->source->number, first->task);
  if (status_grid_is_alone (g, i) && !g->is_number && !isnan (first->value)) {
    tag.attribute = scene->graph->model->attributes[g->attribute].name;
    tag.value = g->kinds->pdata[(guint) first->value];
  }
  return tag;
}

/* The name of a value, as people read it. */
static const char *
kind_word (const ViewScene *scene, const Grid *g, guint kind)
{
  return state_word (scene->graph->model, g->attribute, g->kinds->pdata[kind]);
}

/* "node12 (32)" of a closed group; NULL: the cell is none; g_free. */
static char *
status_grid_group_of (const Grid *g, uint32_t i)
{
  uint32_t task = g->of[begin_of (g, i)].task;

  return g->groups != NULL && g->per == 1 && task < g->groups->n_tasks
             ? groups_part_name (g->groups, g->groups->part_of[task])
             : NULL;
}

static bool
status_grid_is_chosen (const ViewScene *scene, const Grid *g, uint32_t i, const DrawingTag *tag)
{
  if (tag->value != NULL && view_selects (scene, trace_ref_value (tag->attribute, tag->value)))
    return true;
  for (uint32_t k = begin_of (g, i); trace_refs_n (scene->selection) > 0 && k < status_grid_end_of (g, i); k++)
    if (view_stands_out (scene, trace_ref_task (scene->source->number, g->of[k].task)))
      return true;
  return false;
}

/* What the tasks of a cell have: their mean and extremes, or how many have each value. */
typedef struct Together {
  uint32_t n, met[KINDS]; /* n: of them so many have a number, or a value */
  double mean, least, most;
  uint32_t who_least, who_most; /* places in `of` */
} Together;

static void
status_grid_add_up (const Grid *g, uint32_t i, Together *t)
{
  double sum = 0;

  *t = (Together){ .least = INFINITY, .most = -INFINITY };
  for (uint32_t k = begin_of (g, i); k < status_grid_end_of (g, i); k++) {
    double value = g->of[k].value;
    if (isnan (value))
      continue;
    t->n++;
    sum += value;
    if (!g->is_number)
      t->met[(guint) value]++;
    if (value < t->least) {
      t->least = value;
      t->who_least = k;
    }
    if (value > t->most) {
      t->most = value;
      t->who_most = k;
    }
  }
  t->mean = t->n > 0 ? sum / t->n : NAN;
}

static void
fill_rect (Paint *p, const Grid *g, uint32_t rgb, double x, double y, double w, double h)
{
  if (g->pixels != NULL) {
    dense_sharp_rect (g->pixels, x, y, w, h, rgb);
    return;
  }
  paint_source (p->cr, rgb, 1);
  cairo_rectangle (p->cr, x, y, w, h);
  cairo_fill (p->cr);
}

#define ODD_PX 3.0 /* what few tasks of a cell have is as high, if the cell is */

/* Of a cell of several: a part for each value, the rarest of a height that is seen. */
static void
fill_values (Paint *p, const Grid *g, const Together *t, uint32_t n, double x, double y, double w, double h)
{
  double least = fmin (ODD_PX, h / KINDS), taken = 0, at = y;
  uint32_t rest = n;

  for (guint kind = 0; kind < g->kinds->len; kind++)
    if (t->met[kind] > 0 && h * t->met[kind] / n < least) {
      taken += least;
      rest -= t->met[kind];
    }
  for (guint kind = 0; kind < g->kinds->len; kind++) {
    bool odd = h * t->met[kind] / n < least;
    double part = odd ? least : (h - taken) * t->met[kind] / MAX (rest, 1);
    if (t->met[kind] == 0)
      continue;
    fill_rect (p, g, status_grid_colour_of (p->scene, p, g, kind), x, at, w, part);
    at += part;
  }
}

/* Of a cell of several numbers: their mean, and below it the least and the most, where these are other than it. */
static void
fill_numbers (Paint *p, const Grid *g, const Together *t, double x, double y, double w, double h)
{
  double low = fmin (fmax (h / 5, 2), 8);

  fill_rect (p, g, status_grid_colour_of (p->scene, p, g, t->mean), x, y, w, h);
  if (h < 6 || w < 6 || !(t->most > t->least))
    return;
  fill_rect (p, g, p->paper, x, y + h - low - 1, w, 1);
  fill_rect (p, g, status_grid_colour_of (p->scene, p, g, t->least), x, y + h - low, w / 2, low);
  fill_rect (p, g, status_grid_colour_of (p->scene, p, g, t->most), x + w / 2, y + h - low, w - w / 2, low);
}

static void
status_grid_fill (Drawing *d, Paint *p, const Grid *g, uint32_t i, double x, double y, double w, double h)
{
  Together t;

  if (!status_grid_is_alone (g, i)) {
    status_grid_add_up (g, i, &t);
    if (t.n == 0)
      fill_rect (p, g, p->grid, x, y, w, h);
    else if (g->is_number)
      fill_numbers (p, g, &t, x, y, w, h);
    else
      fill_values (p, g, &t, status_grid_end_of (g, i) - begin_of (g, i), x, y, w, h);
    return;
  }
  uint32_t k = begin_of (g, i), rgb = colour_at (p->scene, p, g, k);
  fill_rect (p, g, rgb, x, y, w, h);
  cairo_rectangle (p->cr, x, y, w, h);
  if (g->looks != NULL && LOOK_HAS (&g->looks[k], LOOK_PATTERN))
    looks_fill_pattern (p->cr, g->looks[k].pattern, paint_ink_on (rgb));
  cairo_new_path (p->cr);
}

static uint32_t
colour_of_cell (const void *arg, uint32_t i)
{
  const Grid *g = arg;
  return colour_at (g->paint->scene, g->paint, g, begin_of (g, i));
}

/* Very many as the pixels of an image: to fill as many rectangles takes longer. */
static void
draw_dense (Drawing *d, Paint *p, const Grid *g)
{
  double scale = p->scene->scale > 0 ? p->scene->scale : 1;
  int width = (int) ceil (g->columns * g->width * scale), height = (int) ceil (g->rows * g->height * scale);
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create (image);
  int gap = g->width * scale >= 4 && g->height * scale >= 4 ? 1 : 0;
  Dense pixels;

  if (dense_begin (&pixels, cr)) {
    dense_sharp_rect (&pixels, 0, 0, width, height, p->paper);
    dense_cells (&pixels, &(DenseCells){ g->n, g->columns, g->width, g->height, scale, gap, colour_of_cell, g });
    dense_end (&pixels);
  }
  cairo_destroy (cr);
  drawing_image (d, g->x0, g->y0, width / scale, height / scale, image, NULL, NULL, 0);
  cairo_surface_destroy (image);
}

static void
write_in (StatusGrid *v, Paint *p, const Grid *g, uint32_t i, double x, double y, double w, double h)
{
  const ViewScene *scene = p->scene;
  uint32_t k = begin_of (g, i);
  const Cell *c = &g->of[k];
  uint32_t ink = isnan (c->value) ? p->muted : paint_ink_on (colour_at (scene, p, g, k));
  bool two = h >= 36 && c->node != TRACE_NONE && g->label >= 0;
  bool labelled = g->looks != NULL && LOOK_HAS (&g->looks[k], LOOK_LABEL) && *g->looks[k].label != '\0';
  const char *name = labelled ? g->looks[k].label : names_name (v->names, scene->source, c->task);

  if (w < 34 || h < 16 || (paint_text_width (p, PAINT_SMALL, name) > w - 4 && w < 60))
    return;
  paint_text (p, x + w / 2, y + h / 2 - (two ? 8 : 0), 0.5, PAINT_SMALL | PAINT_BOLD | PAINT_NAME, ink, w - 6, name);
  if (!two)
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  const StateAttribute *a = &scene->graph->model->attributes[g->label];
  int64_t at = MAX (scene->at, scene->graph->clock);
  if (status_grid_is_number (a)) {
    g_autofree char *number = chart_number (state_number (scene->graph, (uint32_t) g->label, c->node, at),
                                            a->unit != NULL            ? a->unit
                                            : a->kind == STATE_PERCENT ? "%"
                                                                       : NULL);
    g_string_append (text, number);
  } else {
    state_text (scene->graph, (uint32_t) g->label, c->node, at, text);
  }
  paint_text (p, x + w / 2, y + h / 2 + 8, 0.5, PAINT_SMALL, ink, w - 6,
              state_word (scene->graph->model, g->label, text->str));
}

/* The name of a group, and the mean of its tasks or what most of them do. */
static void
status_grid_write_group (Paint *p, const Grid *g, uint32_t i, double x, double y, double w, double h)
{
  g_autofree char *name = status_grid_group_of (g, i), *what = NULL;
  bool two = h >= 44;
  uint32_t most = 0;
  Together t;

  if (w < 34 || h < 22)
    return;
  status_grid_add_up (g, i, &t);
  for (guint kind = 1; kind < g->kinds->len; kind++)
    most = t.met[kind] > t.met[most] ? kind : most;
  if (g->is_number && t.n > 0)
    what = chart_number (t.mean, g->unit);
  else if (t.n > 0)
    what = paint_told ("%u %s", t.met[most], kind_word (p->scene, g, most));
  if (name == NULL)
    return;
  uint32_t rgb = t.n == 0 ? p->grid : status_grid_colour_of (p->scene, p, g, g->is_number ? t.mean : most);
  double wide = paint_text_width (p, PAINT_SMALL | PAINT_BOLD, name);
  if (two && what != NULL)
    wide = fmax (wide, paint_text_width (p, PAINT_SMALL, what));
  wide = fmin (wide + 8, w);
  fill_rect (p, g, rgb, x + (w - wide) / 2, y + h / 2 - (two ? 17 : 9), wide, two ? 33 : 18);
  paint_text (p, x + w / 2, y + h / 2 - (two ? 8 : 0), 0.5, PAINT_SMALL | PAINT_BOLD, paint_ink_on (rgb), w - 6, name);
  if (two && what != NULL)
    paint_text (p, x + w / 2, y + h / 2 + 8, 0.5, PAINT_SMALL, paint_ink_on (rgb), w - 6, what);
}

/* The values that are met, and how many tasks have each; or the scale of a number. */
static void
status_grid_draw_legend (Drawing *d, Paint *p, const Grid *g)
{
  double x = 12, y = CHART_TOP + 5;
  uint32_t met[KINDS] = { 0 };

  if (g->is_number) {
    g_autofree char *lo = chart_number (g->lo, g->unit), *hi = chart_number (g->hi, g->unit);
    x += paint_text (p, x, y, 0, PAINT_SMALL, p->muted, 0, lo) + 6;
    for (int i = 0; i < 60; i++)
      drawing_rect (d, x + 2 * i, y - 5, 2, 10, chart_shade (p->scene, i / 59.0), 1, NULL);
    paint_text (p, x + 126, y, 0, PAINT_SMALL, p->muted, 0, hi);
    return;
  }
  for (uint32_t i = 0; i < g->n_tasks; i++)
    if (!isnan (g->of[i].value))
      met[(guint) g->of[i].value]++;
  for (guint k = 0; k < g->kinds->len; k++) {
    g_autofree char *n = chart_number (met[k], NULL), *text = g_strdup_printf ("%s %s", kind_word (p->scene, g, k), n);
    double wide = 15 + paint_text_width (p, PAINT_TEXT, text) + 16;
    if (met[k] == 0)
      continue;
    if (x + wide > p->scene->width_px - 40) {
      g_autofree char *more = g_strdup_printf ("+%u", g->kinds->len - k);
      paint_text (p, x, y, 0, PAINT_TEXT, p->muted, 0, more);
      return;
    }
    DrawingTag tag = { DRAWING_NO_DATES, .attribute = p->scene->graph->model->attributes[g->attribute].name,
                       .value = g->kinds->pdata[k], .index = k, .part = DRAWING_LEGEND };
    drawing_rect (d, x, y - 5, 10, 10, status_grid_colour_of (p->scene, p, g, k), 1, NULL);
    paint_text (p, x + 15, y, 0, PAINT_TEXT, p->ink, 0, text);
    drawing_area (d, x, y - 9, wide - 12, 18, &tag);
    x += wide;
  }
}

static bool
status_grid_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  StatusGrid *v = (StatusGrid *) c;
  Grid g;

  if (!status_grid_gather (v, scene, &g, error))
    return false;
  Paint *p = drawing_begin (d);
  uint32_t present = 0;
  for (uint32_t i = 0; i < g.n_tasks; i++)
    present += g.of[i].node != TRACE_NONE;
  g_autofree char *date = scene->at != INT64_MIN ? axis_date (&scene->source->clock, scene->at, -1) : g_strdup ("");
  g_autofree char *each = g.per > 1 ? paint_told (_ (", %u a cell"), g.per) : g_strdup ("");
  const char *groups = g.groups == NULL ? ""
                       : g.is_number    ? _ ("means of groups, least and most below; ")
                                        : _ ("groups: a part for each value; ");
  g_autofree char *hidden = g.n_hidden > 0 ? paint_told (_ (", %u hidden"), g.n_hidden) : g_strdup ("");
  g_autofree char *quiet = paint_told (_ ("%u of %u tasks%s%s · %s"), present, g.n_tasks, hidden, each, date);
  g_autofree char *more = g_strconcat (groups, quiet, NULL);
  chart_title (p, *v->title ? v->title : eve_name (c), more);
  if (g.n_tasks == 0)
    paint_sentence (p, N_ ("No task is known yet"));
  if (g.looks != NULL && g.rules.channels >> LOOK_COLOUR & 1)
    looks_legend (&g.rules, p, 12, CHART_TOP + 5, ~0u);
  else
    status_grid_draw_legend (d, p, &g);
  double gap = g.width >= 8 && g.height >= 8 ? 2 : 0;
  bool dense = g.n > 4096 && drawing_later (d),
       raster = g.n > 4096 && g.per == 1 && g.groups == NULL && drawing_is_painted (d);
  Dense pixels;
  g.paint = p;
  if (raster)
    draw_dense (d, p, &g);
  else if (gap == 0 && drawing_is_painted (d) && dense_begin (&pixels, p->cr))
    g.pixels = &pixels;
  if (gap == 0) /* no seams between cells that touch */
    cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE);
  bool idle = raster && dense && trace_refs_n (scene->selection) == 0 && g.height < 16; /* nothing else to draw */
  for (uint32_t i = 0; i < g.n && !idle; i++) {
    double x = g.x0 + g.width * (i % g.columns), y = g.y0 + g.height * (i / g.columns);
    DrawingTag tag = status_grid_tag_of (scene, &g, i);
    if (drawing_is_painted (d) && !raster)
      status_grid_fill (d, p, &g, i, x, y, g.width - gap, g.height - gap);
    if (!dense && drawing_room (d) > 0)
      drawing_area (d, x, y, g.width - gap, g.height - gap, &tag);
    if (!status_grid_is_alone (&g, i))
      status_grid_write_group (p, &g, i, x, y, g.width - gap, g.height - gap);
    else
      write_in (v, p, &g, i, x, y, g.width - gap, g.height - gap);
    if (status_grid_is_chosen (scene, &g, i, &tag)) {
      paint_source (p->cr, DRAWING_ACCENT, 1);
      cairo_set_line_width (p->cr, gap > 0 ? 3 : 1.5);
      cairo_rectangle (p->cr, x, y, fmax (g.width - gap, 4), fmax (g.height - gap, 4));
      cairo_stroke (p->cr);
    }
  }
  if (g.pixels != NULL)
    dense_end (&pixels);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
  clear_grid (&g);
  return true;
}

/* ": 34.2 %, 12.0 % (t40009) to 71.5 % (t4000b)", or ": 28 Busy, 4 Idle". */
static void
say_together (const StatusGrid *v, const ViewScene *scene, const Grid *g, uint32_t i, GString *to)
{
  const char *before = ": ";
  Together t;

  status_grid_add_up (g, i, &t);
  if (g->is_number && t.n > 0) {
    g_autofree char *mean = chart_number (t.mean, g->unit), *least = chart_number (t.least, g->unit),
                    *most = chart_number (t.most, g->unit);
    g_string_append_printf (to, _ (": %s, %s (%s) to %s (%s)"), mean, least,
                            names_name (v->names, scene->source, g->of[t.who_least].task), most,
                            names_name (v->names, scene->source, g->of[t.who_most].task));
  }
  for (guint kind = 0; !g->is_number && kind < g->kinds->len; kind++)
    if (t.met[kind] > 0) {
      g_string_append_printf (to, "%s%u %s", before, t.met[kind], kind_word (scene, g, kind));
      before = ", ";
    }
  if (t.n == 0)
    g_string_append (to, _ (": none of them is there at this instant"));
}

static void
status_grid_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  StatusGrid *v = (StatusGrid *) c;
  g_autoptr (GString) text = g_string_new (NULL);
  Grid g;

  if (m->tag.part == DRAWING_LEGEND || !status_grid_gather (v, scene, &g, NULL))
    return;
  if (m->tag.index < g.n) {
    uint32_t at = begin_of (&g, m->tag.index), end = status_grid_end_of (&g, m->tag.index) - 1;
    g_autofree char *group = status_grid_group_of (&g, m->tag.index),
                    *who = stats_name_of_several (names_name (v->names, scene->source, g.of[at].task),
                                                  names_name (v->names, scene->source, g.of[end].task), at < end);
    g_string_append (name, group != NULL ? group : who);
    if (at == end && g.of[at].node != TRACE_NONE) {
      state_text (scene->graph, (uint32_t) g.attribute, g.of[at].node, MAX (scene->at, scene->graph->clock), text);
      g_string_append_printf (name, _ (": %s"), state_word (scene->graph->model, g.attribute, text->str));
    } else if (at == end) {
      g_string_append (name, _ (": not there at this instant"));
    } else {
      say_together (v, scene, &g, m->tag.index, name);
    }
  }
  clear_grid (&g);
}

/* All tasks of a cell. */
static void
status_grid_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  StatusGrid *v = (StatusGrid *) c;
  Grid g;

  if (m->tag.part == DRAWING_LEGEND || !status_grid_gather (v, scene, &g, NULL))
    return;
  if (m->tag.index < g.n)
    for (uint32_t k = begin_of (&g, m->tag.index); k < status_grid_end_of (&g, m->tag.index); k++)
      trace_refs_add (to, trace_ref_task (scene->source->number, g.of[k].task));
  clear_grid (&g);
}

/* Where there are too many for marks. */
static bool
status_grid_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  StatusGrid *v = (StatusGrid *) c;
  Grid g;

  if (!status_grid_gather (v, scene, &g, NULL))
    return false;
  double column = floor ((x - g.x0) / g.width), row = floor ((y - g.y0) / g.height);
  bool found = column >= 0 && column < g.columns && row >= 0 && row * g.columns + column < g.n;
  if (found) {
    uint32_t i = (uint32_t) (row * g.columns + column);
    DrawingTag tag = status_grid_tag_of (scene, &g, i);
    *mark = drawing_mark_of (g.x0 + g.width * column, g.y0 + g.height * row, g.width, g.height, &tag);
  }
  clear_grid (&g);
  return found;
}

/* A line for each task. */
static bool
status_grid_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  StatusGrid *v = (StatusGrid *) c;
  g_autoptr (GString) text = g_string_new (NULL);
  Grid g;

  if (!status_grid_gather (v, scene, &g, error))
    return false;
  g_string_append (to, "task,");
  stats_csv_text (to, scene->graph->model->attributes[g.attribute].name);
  g_string_append (to, "\r\n");
  for (uint32_t i = 0; i < g.n_tasks; i++) {
    stats_csv_text (to, names_name (v->names, scene->source, g.of[i].task));
    g_string_append_c (to, ',');
    g_string_truncate (text, 0);
    if (g.of[i].node != TRACE_NONE)
      state_text (scene->graph, (uint32_t) g.attribute, g.of[i].node, MAX (scene->at, scene->graph->clock), text);
    stats_csv_text (to, text->str);
    g_string_append (to, "\r\n");
  }
  clear_grid (&g);
  return true;
}

static uint32_t
status_grid_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

static const View view = { .title = "Status grid",
                           .spans = VIEW_OF_INSTANT,
                           .build = status_grid_build,
                           .say = status_grid_say,
                           .point = status_grid_point,
                           .owners = status_grid_owners,
                           .depends = status_grid_depends,
                           .csv = status_grid_csv };

VIEW_QUERY (status_grid_query, view)

static const EveClass status_grid = {
  VIEW_CLASS (StatusGrid),
  .id = "scope.status-grid",
  .label = "Status grid",
  .doc =
      "All tasks side by side, each in the colour of what it does at the instant, or in a shade of another attribute.",
  .help =
      "Where there are more than a cell of 3 pixels each, a cell has several tasks: the mean of a number, or a part "
      "for each value; so has a closed group of tasks.  A task that is not there yet, or no more, is pale.",
  .finish = status_grid_finish,
  .query = status_grid_query,
};
EVE_PLUGIN (&status_grid);
