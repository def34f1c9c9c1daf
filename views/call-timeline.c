/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline.c - what each task is inside of over time, at each depth a row: calls inside of calls, as wide as they
 * take long.  Where boxes are too narrow to be told apart, a column has the mean of their colours. */
#include "views/call-timeline.h"
#include <math.h>
#include <stddef.h>
#include "statistics/list.h"
#include "eve/words.h"
#include "statistics/stretch.h"
#include "statistics/types.h"
#include "views/idle.h"
#include "views/view-class.h"

#define TOP 52.0
#define BOTTOM 28.0
#define LEGEND_Y 15.0
#define GAP 5.0       /* px between two tasks */
#define ROW_LEAST 2.0 /* px; */
#define ROW_MOST 18.0
#define ROW_OF_GROUP_MOST 36.0 /* where shares stand on one another */
#define FLAG_PX 4.0

enum { CALLS, WAITS }; /* inputs */

static const EveInSpec ins[] = {
  { "calls", &state_type_frame, EVE_ASYNC, .kept = true, .required = true,
    .doc = "What tasks are inside of, from a simulator's output of that name." },
  { "waits", &stats_type_stretch, EVE_ASYNC, .kept = true,
    .doc = "Stretches of the time of tasks to be marked over it, such as waits, with whom they are for." },
};
static const EveField settings[] = {
  { "hidden", EVE_F_STRING, offsetof (CallTimeline, hidden), .look = true,
    .doc = "Tasks that are not shown, by id or nickname, with commas between." },
  { "deepest", EVE_F_INT64, offsetof (CallTimeline, deepest), .max = FRAME_DEPTHS, .look = true,
    .doc = "So many rows a task at most; 0: as many as there are, and as there is room for." },
  { "critical path", EVE_F_BOOL, offsetof (CallTimeline, path), .look = true,
    .doc = "Draws the critical path, where waits lead from one task to the next, and fades what is not on it." },
};

static void
call_timeline_finish (EveComponent *c)
{
  CallTimeline *v = (CallTimeline *) c;

  g_clear_pointer (&v->read, states_reader_free);
  stretches_layer_close (&v->waits);
  g_clear_pointer (&v->names, names_free);
  g_clear_pointer (&v->numbers, g_array_unref);
  g_clear_pointer (&v->starts, g_array_unref);
  g_clear_pointer (&v->members, g_array_unref);
  g_clear_pointer (&v->says, g_array_unref);
  g_clear_pointer (&v->blocks, g_array_unref);
  frame_rows_clear (&v->frames);
  slots_clear (&v->slots);
  g_free (v->lost_rows);
  g_free (v->calls);
}

static bool
call_timeline_changed (EveComponent *c, uint32_t setting)
{
  ((CallTimeline *) c)->stale = true;
  return true;
}

/* ---- the film --------------------------------------------------------------------------------------------------------- */

typedef struct Something {
  const StateGraph *graph;
  bool found;
} Something;

/* A state that the trace has a name for. */
static bool
is_something (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Something *s = arg;

  s->found = paint_state_is_given (s->graph, STATE_NODE, state);
  return !s->found;
}

/* What a task is in outside of all calls is shown only where the trace says what that is. */
static bool
says_something (CallTimeline *v, const ViewScene *scene, uint32_t task, uint32_t row)
{
  const uint8_t unknown = 2;

  while (v->says->len <= task)
    g_array_append_val (v->says, unknown);
  uint8_t *says = &g_array_index (v->says, uint8_t, task);
  if (*says == unknown) {
    Something s = { scene->graph, false };
    states_reader_each (v->read, row, scene->source->first, scene->source->last, is_something, &s);
    *says = s.found;
  }
  return *says;
}

/* Which tasks have rows and are not hidden: their first row, by task, or FRAME_NO_ROW. */
static uint32_t *
first_rows (const CallTimeline *v, const ViewScene *scene)
{
  uint32_t *first = g_new (uint32_t, v->frames.first->len + 1);

  for (uint32_t task = 0; task < v->frames.first->len; task++)
    first[task] = g_array_index (v->frames.first, uint32_t, task);
  for (uint32_t task = 0; *v->hidden && task < v->frames.first->len; task++)
    if (stats_list_has (v->hidden, names_id (v->names, scene->source, task))
        || stats_list_has (v->hidden, names_name (v->names, scene->source, task)))
      first[task] = FRAME_NO_ROW;
  return first;
}

/* One block of those of some tasks that have rows; none, if none has. */
static void
call_timeline_add_block (CallTimeline *v, const ViewScene *scene, const uint32_t *first, const uint32_t *tasks,
                         uint32_t n, uint32_t part)
{
  g_autofree uint32_t *at = g_new (uint32_t, n + 1); /* the row of each at the depth that is looked at */
  uint32_t n_tasks = 0, depth = 0;
  bool any = false;
  Block b = { .part = part, .first_depth = 1 };

  for (uint32_t i = 0; i < n; i++) {
    if (tasks[i] >= v->frames.first->len || first[tasks[i]] == FRAME_NO_ROW)
      continue;
    at[n_tasks++] = first[tasks[i]];
    g_array_append_val (v->members, tasks[i]);
    if (says_something (v, scene, tasks[i], first[tasks[i]]))
      b.first_depth = 0;
  }
  b.n_tasks = n_tasks;
  for (any = n_tasks > 0; any; depth++) {
    bool shown = depth >= b.first_depth;
    uint32_t start = v->numbers->len;
    any = false;
    for (uint32_t i = 0; i < n_tasks; i++) {
      if (at[i] == FRAME_NO_ROW)
        continue;
      const FrameRow *row = &g_array_index (v->frames.rows, FrameRow, at[i]);
      if (shown && (depth > 0 || says_something (v, scene, row->task, at[i])))
        g_array_append_val (v->numbers, at[i]);
      at[i] = row->deeper;
      any |= at[i] != FRAME_NO_ROW;
    }
    if (shown && n_tasks > 1)
      g_array_append_val (v->starts, start);
    b.n_rows += shown;
  }
  if (b.n_rows > 0 && n_tasks > 1) {
    uint32_t end = v->numbers->len;
    g_array_append_val (v->starts, end);
  }
  if (b.n_rows > 0)
    g_array_append_val (v->blocks, b);
  else
    g_array_set_size (v->members, v->members->len - n_tasks);
}

/* Arrays that grew have moved: what blocks have of them. */
static void
call_timeline_settle_blocks (CallTimeline *v)
{
  const uint32_t *row = (const uint32_t *) (const void *) v->numbers->data,
                 *task = (const uint32_t *) (const void *) v->members->data;
  uint32_t *start = (uint32_t *) (void *) v->starts->data;

  for (guint i = 0; i < v->blocks->len; i++) {
    Block *b = &g_array_index (v->blocks, Block, i);
    uint32_t n = b->n_rows;
    b->rows = row;
    b->tasks = task;
    if (b->n_tasks > 1) {
      uint32_t before = start[0];
      for (uint32_t k = 0; k <= b->n_rows; k++)
        start[k] -= before;
      b->start = start;
      n = start[b->n_rows];
      start += b->n_rows + 1;
    }
    row += n;
    task += b->n_tasks;
  }
}

static void
call_timeline_find_blocks (CallTimeline *v, const ViewScene *scene)
{
  const Groups *g = scene->groups;
  g_autofree uint32_t *first = first_rows (v, scene);
  uint32_t n = v->frames.first->len;

  if (v->blocks == NULL) {
    v->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
    v->numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    v->starts = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    v->members = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  }
  g_array_set_size (v->blocks, 0);
  g_array_set_size (v->numbers, 0);
  g_array_set_size (v->starts, 0);
  g_array_set_size (v->members, 0);
  for (uint32_t k = 0; g != NULL && k < g->n_parts; k++)
    call_timeline_add_block (v, scene, first, g->order + g->parts[k].first, g->parts[k].n, k);
  for (uint32_t task = g != NULL ? g->n_tasks : 0; task < n; task++) /* those that are newer than the groups: alone */
    call_timeline_add_block (v, scene, first, &task, 1, TRACE_NONE);
  call_timeline_settle_blocks (v);
  v->cut = g != NULL ? g->serial : 0;
}

static bool
call_timeline_open_film (CallTimeline *v, const ViewScene *scene, GError **error)
{
  if (scene->film == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("the whole execution is drawn from its film, which is not there yet"));
    return false;
  }
  g_autofree char *base = layer_of_input (v->base.in[CALLS], scene->film);
  if (base == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing is wired to it"));
    return false;
  }
  if (g_strcmp0 (v->calls, base) != 0) {
    g_clear_pointer (&v->read, states_reader_free);
    g_free (v->calls);
    v->calls = g_strdup (base);
    v->stale = true;
  }
  if (v->read == NULL)
    v->read = states_reader_open (base, error);
  else
    states_reader_refresh (v->read);
  if (v->read == NULL)
    return false;
  stretches_layer_begin (&v->waits, v->base.in[WAITS], scene->film);
  states_reader_set_end (v->read, scene->source->last);
  if (v->blocks != NULL && !v->stale && v->lost_rows == NULL && v->reach == states_reader_reach (v->read)) {
    if (v->cut != (scene->groups != NULL ? scene->groups->serial : 0)) /* nothing else is new */
      call_timeline_find_blocks (v, scene);
    return true;
  }
  v->reach = states_reader_reach (v->read);
  g_autofree char *file = layer_names_file (base);
  frame_rows_clear (&v->frames);
  frame_rows_init (&v->frames);
  g_clear_pointer (&v->lost_rows, g_free);
  frame_rows_read (&v->frames, file, &v->lost_rows);
  g_clear_pointer (&v->names, names_free);
  v->names = names_read (view_tasks (scene));
  g_clear_pointer (&v->says, g_array_unref);
  v->says = g_array_new (FALSE, FALSE, sizeof (uint8_t));
  call_timeline_find_blocks (v, scene);
  v->stale = false;
  return true;
}

/* ---- where things are ------------------------------------------------------------------------------------------------- */

static uint32_t
rows_at_most (const CallTimeline *v, const Layout *l, uint32_t deepest)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < l->n; i++)
    n += MIN (g_array_index (v->blocks, Block, l->first + i).n_rows, deepest);
  return n;
}

/* Rows get thinner, then the deepest ones are left out, then tasks. */
static void
fit_rows (const CallTimeline *v, Layout *l)
{
  double room = MAX (l->bottom - l->top, ROW_LEAST);

  l->n = MIN (l->n, MAX ((uint32_t) (room / (ROW_LEAST + 1)), 1));
  room -= l->n * (room > l->n * 3 * GAP ? GAP : 1);
  l->deepest = v->deepest > 0 ? (uint32_t) v->deepest : FRAME_DEPTHS;
  while (l->deepest > 1 && rows_at_most (v, l, l->deepest) * ROW_LEAST > room)
    l->deepest--;
  bool groups = false;
  for (uint32_t i = 0; i < l->n; i++)
    groups |= g_array_index (v->blocks, Block, l->first + i).n_tasks > 1;
  l->row = CLAMP (floor (room / MAX (rows_at_most (v, l, l->deepest), 1)), ROW_LEAST - 1,
                  groups ? ROW_OF_GROUP_MOST : ROW_MOST);
}

static double
call_timeline_widest_name (CallTimeline *v, const ViewScene *scene, const Layout *l)
{
  double widest = 0;
  Paint p;

  paint_measure (&p, scene);
  for (uint32_t i = 0; i < l->n; i += MAX (1, l->n / 40)) {
    g_autofree char *name = call_timeline_name (v, scene, &g_array_index (v->blocks, Block, l->first + i));
    widest = MAX (widest, paint_text_width (&p, PAINT_TEXT | PAINT_BOLD, name));
  }
  paint_end (&p);
  return widest;
}

static void
call_timeline_lay_out (CallTimeline *v, const ViewScene *scene, Layout *l)
{
  bool all = scene->from > scene->to;
  uint32_t n = v->blocks->len;

  Looks rules;
  bool ruled = call_timeline_is_ruled (v, scene, &rules);
  *l = (Layout){ .top = (v->waits.read != NULL ? STRETCHES_TOP : TOP) + (ruled ? CALL_TIMELINE_KEY_PX : 0) };
  l->bottom = MAX (scene->height_px - BOTTOM, l->top + 8);
  l->first = scene->n_rows > 0 ? MIN (scene->first_row, n) : 0;
  l->n = scene->n_rows > 0 ? MIN (scene->n_rows, n - l->first) : n;
  fit_rows (v, l);
  l->left = axis_left (
      scene, ceil (12 + MIN (ceil (call_timeline_widest_name (v, scene, l)) + 2, scene->width_px * 0.25) + 10));
  l->width = MAX (floor (scene->width_px - l->left - AXIS_RIGHT), 20);
  double y = l->top, gap = l->bottom - l->top > l->n * 3 * GAP ? GAP : 1;
  for (uint32_t i = 0; i < l->n; i++) {
    Block *b = &g_array_index (v->blocks, Block, l->first + i);
    b->y = y;
    y += MIN (b->n_rows, l->deepest) * l->row + gap;
  }
  axis_begin (&l->axis, scene, all ? scene->source->first : scene->from, all ? scene->source->last : scene->to, l->left,
              l->width);
}

bool
call_timeline_begin (CallTimeline *v, const ViewScene *scene, Layout *l, GError **error)
{
  if (!call_timeline_open_film (v, scene, error))
    return false;
  call_timeline_lay_out (v, scene, l);
  slots_choose (&v->slots, v->read, (const uint32_t *) (const void *) v->numbers->data, v->numbers->len, l->axis.from,
                l->axis.to);
  return true;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------------ */

static DrawingTag
tag_of_box (const ViewScene *scene, const Block *b, uint32_t depth, int64_t from, int64_t to, uint32_t state)
{
  return (DrawingTag){ .what = trace_ref_task (scene->source->number, b->tasks[0]),
                       .attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE)),
                       .value = g_intern_string (paint_state_name (scene->graph, STATE_NODE, state)),
                       .from = from,
                       .to = to,
                       .index = b->rows[depth],
                       .part = CALL_TIMELINE_IN_BOX };
}

static double
row_y (const Layout *l, const Block *b, uint32_t depth)
{
  return b->y + depth * l->row;
}

static bool
call_timeline_draw_box (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Boxes *b = arg;
  const Layout *l = b->l;
  double x0 = MAX (axis_x (&l->axis, from), l->left), x1 = MIN (axis_x (&l->axis, to), l->left + l->width),
         y = row_y (l, b->block, b->depth), width = MAX (x1 - x0, 0.7);

  if (call_timeline_is_nothing (b->scene, state) || x1 < l->left || x0 > l->left + l->width)
    return true;
  const Look look = call_timeline_look (b, from, to, state);
  if (look.hidden) {
    b->n_hidden++;
    return true;
  }
  uint32_t rgb = call_timeline_colour (b, &look, state);
  DrawingTag tag = tag_of_box (b->scene, b->block, b->depth, from, to, state);
  b->met |= UINT32_C (1) << states_slot (&b->v->slots.palette, state);
  /* a pixel between two boxes tells them apart */
  double wide = width > 4 ? width - 1 : width, high = l->row > 4 ? l->row - 1 : l->row;
  drawing_rect (b->d, x0, y, wide, high, rgb, look.opacity, &tag);
  if (drawing_is_painted (b->d))
    looks_over_box (b->p, &look, x0, y, wide, high, paint_ink_on (rgb));
  if (view_selects (b->scene, trace_ref_value (tag.attribute, tag.value)))
    drawing_rect (b->d, x0, y + l->row - 2, width, 2, DRAWING_ACCENT, 1, NULL);
  if (l->row >= CALL_TIMELINE_ROW_TEXT && width >= CALL_TIMELINE_TEXT_PX)
    paint_text (b->p, x0 + 4, y + (l->row - 1) / 2, 0, PAINT_SMALL, look.opacity < 0.5 ? b->p->ink : paint_ink_on (rgb),
                width - 8, LOOK_HAS (&look, LOOK_LABEL) && *look.label != '\0' ? look.label : tag.value);
  return true;
}

uint32_t
call_timeline_slot (const Boxes *b, uint32_t slot, Look *look)
{
  const StateSlots *slots = &b->v->slots;
  bool several = slots->state[slot] == SLOTS_OTHERS;

  *look = several ? (Look){ .opacity = 1 } : call_timeline_look (b, 0, -1, slots->state[slot]);
  return several ? paint_slot (b->scene, STATE_NODE, slots, slot) : call_timeline_colour (b, look, slots->state[slot]);
}

/* Columns of a row that has more boxes than can be told apart: the mean of their colours, as dense as they are. */
static void
call_timeline_draw_columns (Boxes *b, uint32_t row)
{
  const Layout *l = b->l;
  const StateSlots *slots = &b->v->slots;
  uint32_t n = (uint32_t) l->width;
  g_autofree float *share = g_new0 (float, (gsize) n * slots->stride);
  double y = row_y (l, b->block, b->depth), opacity[SLOTS_MOST];
  uint32_t colour[SLOTS_MOST];

  for (uint32_t k = 0; k < slots->n; k++) { /* how long each took nobody knows here */
    Look look;
    colour[k] = call_timeline_slot (b, k, &look);
    opacity[k] = look.hidden ? 0 : look.opacity;
    b->hides |= look.hidden;
  }
  states_reader_shares (b->v->read, row, l->axis.from, l->axis.per_px, n, 1, &slots->palette, share, slots->stride,
                        &b->met);
  for (uint32_t x = 0; x < n; x++) {
    double red = 0, green = 0, blue = 0, all = 0;
    for (uint32_t k = 0; k < slots->n; k++) {
      double part = (double) share[x * slots->stride + k] * opacity[k];
      if (part <= 0 || (slots->state[k] != SLOTS_OTHERS && call_timeline_is_nothing (b->scene, slots->state[k])))
        continue;
      uint32_t rgb = colour[k];
      red += part * (rgb >> 16 & 255);
      green += part * (rgb >> 8 & 255);
      blue += part * (rgb & 255);
      all += part;
    }
    if (all > 0.004)
      drawing_rect (b->d, l->left + x, y, 1, l->row > 4 ? l->row - 1 : l->row,
                    (uint32_t) (red / all) << 16 | (uint32_t) (green / all) << 8 | (uint32_t) (blue / all),
                    MIN (0.15 + 0.85 * all, 1), NULL);
  }
}

static void
draw_block (Boxes *b)
{
  const Layout *l = b->l;
  uint32_t n = MIN (b->block->n_rows, l->deepest);
  bool chosen = call_timeline_is_chosen (b->scene, b->block);
  DrawingTag tag = { .what = trace_ref_task (b->scene->source->number, b->block->tasks[0]),
                     .from = l->axis.from,
                     .to = l->axis.to,
                     .index = b->block->rows[0],
                     .part = CALL_TIMELINE_IN_ROW };

  if (b->block->n_tasks == 1)
    drawing_area (b->d, l->left, b->block->y, l->width, n * l->row, &tag);
  if (chosen)
    drawing_rect (b->d, l->left - 6, b->block->y, 3, n * l->row, DRAWING_ACCENT, 1, NULL);
  if (b->block->n_tasks > 1) /* that has been drawn */
    return;
  for (b->depth = 0; b->depth < n; b->depth++) {
    uint32_t row = b->block->rows[b->depth];
    if (states_reader_count (b->v->read, row, l->axis.from, l->axis.to) <= (uint64_t) l->width)
      states_reader_each (b->v->read, row, l->axis.from, l->axis.to, call_timeline_draw_box, b);
    else
      call_timeline_draw_columns (b, row);
  }
}

static void
call_timeline_draw_names (const CallTimeline *v, Paint *p, const Layout *l)
{
  double last = -1e9;

  for (uint32_t i = 0; i < l->n; i++) {
    const Block *b = &g_array_index (v->blocks, Block, l->first + i);
    double y = b->y + MIN (MIN (b->n_rows, l->deepest) * l->row, MAX (l->row, ROW_MOST)) / 2;
    bool chosen = call_timeline_is_chosen (p->scene, b);
    if (y - last < 14)
      continue;
    last = y;
    g_autofree char *name = call_timeline_name (v, p->scene, b);
    paint_text (p, l->left - 10, y, 1, (chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT) | PAINT_NAME, p->ink,
                l->left - 22, name);
  }
}

/* ---- the picture ------------------------------------------------------------------------------------------------------ */

static const char *
call_timeline_damage (EveComponent *c, bool *lost)
{
  const CallTimeline *v = (const CallTimeline *) c;
  const char *problem = v->read != NULL ? states_reader_problem (v->read) : NULL;

  bool waits_lost;
  const char *waits = stretches_layer_damage (&v->waits, &waits_lost);

  if (lost != NULL)
    *lost = v->lost_rows != NULL || waits_lost || (problem != NULL && states_reader_lost (v->read, 0, 0, NULL, NULL));
  return problem != NULL ? problem : v->lost_rows != NULL ? v->lost_rows : waits;
}

typedef struct Losses {
  CallTimeline *v;
  Paint *p;
  const Layout *l;
  const uint32_t *block_of; /* by task, of those that are shown; n of the layout: of none */
  uint32_t n_tasks;
} Losses;

static void
call_timeline_draw_loss (void *arg, const HistoryLost *lost)
{
  const Losses *d = arg;
  const Layout *l = d->l;
  double x0 = MAX (axis_x (&l->axis, lost->from), l->left), x1 = MIN (axis_x (&l->axis, lost->to), l->left + l->width);

  const GArray *rows = d->v->frames.rows;
  const FrameRow *row = lost->owner < rows->len ? &g_array_index (rows, FrameRow, lost->owner) : NULL;
  uint32_t only = row == NULL ? TRACE_NONE : row->task < d->n_tasks ? d->block_of[row->task] : l->n;
  if (only == TRACE_NONE ? lost->owner != TRACE_NONE : only >= l->n)
    return;
  for (uint32_t i = only == TRACE_NONE ? 0 : only; i < (only == TRACE_NONE ? l->n : only + 1); i++) {
    const Block *b = &g_array_index (d->v->blocks, Block, l->first + i);
    for (uint32_t k = 0; k < MIN (b->n_rows, l->deepest); k++)
      if (row == NULL || row->depth == b->first_depth + k)
        paint_lost (d->p, x0, row_y (l, b, k), x1 - x0, l->row);
  }
}

static void
call_timeline_draw_unknown (CallTimeline *v, Paint *p, const Layout *l)
{
  int64_t reach = states_reader_reach (v->read);
  double x = axis_x (&l->axis, MAX (reach, l->axis.from));

  if (reach < MIN (l->axis.to, p->scene->source->last) && l->left + l->width - x > 130)
    paint_text (p, (x + l->left + l->width) / 2, (l->top + l->bottom) / 2, 0.5, PAINT_TEXT, p->muted, 0,
                _ ("not filmed yet"));
}

static char *
call_timeline_note_of (const CallTimeline *v, const ViewScene *scene, const Layout *l, const Boxes *b)
{
  uint32_t deepest = 0, all = 0, shown = 0;
  bool groups = false;
  GString *note = g_string_new (NULL);

  for (uint32_t i = 0; i < v->blocks->len; i++) {
    const Block *one = &g_array_index (v->blocks, Block, i);
    bool seen = i >= l->first && i < l->first + l->n;
    all += one->n_tasks;
    shown += seen ? one->n_tasks : 0;
    groups |= seen && one->n_tasks > 1;
    deepest = seen ? MAX (deepest, one->n_rows) : deepest;
  }
  if (shown < all)
    paint_tell (note, P_ ("%u of %u tasks; ", "%u of %u tasks; ", shown), shown, all);
  if (deepest > l->deepest)
    paint_tell (note, _ ("%u of %u depths; "), l->deepest, deepest);
  if (v->frames.beyond > 0)
    g_string_append (note, _ ("some calls are too deep to be shown; "));
  if (b->hides)
    g_string_append (note, _ ("a rule hides calls; "));
  else if (b->n_hidden > 0)
    paint_tell (note, P_ ("%u box hidden; ", "%u boxes hidden; ", b->n_hidden), b->n_hidden);
  if (groups)
    g_string_append (note, _ ("groups: shares of the time of their tasks; "));
  paint_end_note (note);
  return g_string_free (note, note->len == 0);
}

/* The block of each task, of those that are shown; `none`: it is in none of them.  g_free. */
static uint32_t *
blocks_of_tasks (const CallTimeline *v, const Layout *l, uint32_t none)
{
  uint32_t n_tasks = v->frames.first->len, *block_of = g_new (uint32_t, n_tasks + 1);

  for (uint32_t task = 0; task < n_tasks; task++)
    block_of[task] = none;
  for (uint32_t i = 0; i < l->n; i++) {
    const Block *b = &g_array_index (v->blocks, Block, l->first + i);
    for (uint32_t k = 0; k < b->n_tasks; k++)
      block_of[b->tasks[k]] = i;
  }
  return block_of;
}

/* Gives where the key to them ends that begins at x, which is behind the legend. */
static double
call_timeline_draw_waits (CallTimeline *v, const ViewScene *scene, Drawing *d, Paint *p, const Layout *l, double x)
{
  uint32_t n_tasks = v->frames.first->len;
  g_autofree StretchRow *rows = g_new (StretchRow, MAX (l->n, 1));

  if (v->waits.read == NULL)
    return x;
  g_autofree uint32_t *row_of = blocks_of_tasks (v, l, TRACE_NONE);
  for (uint32_t i = 0; i < l->n; i++) {
    const Block *b = &g_array_index (v->blocks, Block, l->first + i);
    rows[i] = (StretchRow){ b->y, MIN (b->n_rows, l->deepest) * l->row, b->n_tasks };
  }
  const StretchRows in = { .rows = rows,
                           .n = l->n,
                           .row_of = row_of,
                           .n_tasks = n_tasks,
                           .axis = &l->axis,
                           .top = l->top,
                           .bottom = l->bottom,
                           .part = CALL_TIMELINE_IN_WAIT,
                           .quiet = true,
                           .path = v->path };
  stretches_draw (v->waits.read, d, p, scene, &in);
  return stretches_legend (v->waits.read, p, &in, x, LEGEND_Y);
}

static bool
call_timeline_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  CallTimeline *v = (CallTimeline *) c;
  Layout l;

  if (!call_timeline_begin (v, scene, &l, error))
    return false;
  Paint *p = drawing_begin (d);
  Boxes b = { .v = v, .scene = scene, .d = d, .p = p, .l = &l };
  v->ruled = call_timeline_is_ruled (v, scene, &v->rules);
  axis_draw (p, &l.axis, l.top, l.bottom);
  call_timeline_draw_unknown (v, p, &l);
  call_timeline_draw_groups (&b);
  for (uint32_t i = 0; i < l.n; i++) {
    b.block = &g_array_index (v->blocks, Block, l.first + i);
    draw_block (&b);
  }
  uint32_t shown = 0; /* what is nothing is not named */
  for (uint32_t k = 0; k < v->slots.n; k++)
    if (b.met >> k & 1 && (v->slots.state[k] == SLOTS_OTHERS || !call_timeline_is_nothing (scene, v->slots.state[k])))
      shown |= UINT32_C (1) << k;
  double x = call_timeline_coloured_otherwise (v)
                 ? l.left
                 : paint_legend (p, l.left, LEGEND_Y, STATE_NODE, &v->slots, shown, NULL);
  if (v->ruled)
    looks_legend (&v->rules, p, l.left, l.top - (TOP - LEGEND_Y) - CALL_TIMELINE_KEY_PX / 2 + 13, ~0u);
  x = call_timeline_draw_waits (v, scene, d, p, &l, x);
  if (states_reader_lost (v->read, 0, 0, NULL, NULL)) {
    g_autofree uint32_t *block_of = blocks_of_tasks (v, &l, l.n);
    states_reader_lost (v->read, l.axis.from, MIN (l.axis.to, scene->source->last), call_timeline_draw_loss,
                        &(Losses){ v, p, &l, block_of, v->frames.first->len });
  }
  call_timeline_draw_names (v, p, &l);
  const char *problem = call_timeline_damage (c, NULL);
  g_autofree char *note = call_timeline_note_of (v, scene, &l, &b);
  if (problem != NULL)
    paint_text (p, scene->width_px - 16, 15, 1, PAINT_TEXT, p->cursor, MAX (scene->width_px - 32 - x, 60), problem);
  else
    paint_note (p, x, 15, note);
  if (v->blocks->len == 0)
    paint_sentence (p, "No task is inside of anything");
  else if (axis_outside (&l.axis, scene->source) != NULL)
    paint_sentence (p, axis_outside (&l.axis, scene->source));
  axis_cursor (p, &l.axis, scene->at, l.top - FLAG_PX, l.bottom);
  return true;
}

static uint32_t
call_timeline_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

static void
call_timeline_cursor (EveComponent *c, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where)
{
  CallTimeline *v = (CallTimeline *) c;
  Layout l;

  if (where != NULL)
    *where = (cairo_rectangle_t){ 0 };
  if (v->read == NULL || v->blocks == NULL)
    return;
  call_timeline_lay_out (v, scene, &l);
  axis_draw_cursor (&l.axis, scene, cr, where, l.top - FLAG_PX, l.bottom);
}

static bool
call_timeline_plot (EveComponent *c, const ViewScene *scene, cairo_rectangle_t *plot, int64_t *from, int64_t *to)
{
  CallTimeline *v = (CallTimeline *) c;
  Layout l;

  if (v->read == NULL || v->blocks == NULL)
    return false;
  call_timeline_lay_out (v, scene, &l);
  *plot = (cairo_rectangle_t){ l.left, l.top, l.width, l.bottom - l.top };
  *from = l.axis.from;
  *to = l.axis.to;
  return true;
}

static uint32_t
call_timeline_rows (EveComponent *c, const ViewScene *scene)
{
  const CallTimeline *v = (const CallTimeline *) c;

  return v->blocks != NULL ? v->blocks->len : 0;
}

/* ---- what is told ------------------------------------------------------------------------------------------------------ */

typedef struct Wanted {
  int64_t date, from, to;
  uint32_t state;
  bool found;
} Wanted;

static bool
keep_wanted (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Wanted *w = arg;

  if (from > w->date)
    return false;
  *w = (Wanted){ w->date, from, to, state, true };
  return to <= w->date;
}

/* The box under a point, however narrow. */
static bool
call_timeline_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  CallTimeline *v = (CallTimeline *) c;
  Layout l;

  if (v->read == NULL || v->blocks == NULL)
    return false;
  call_timeline_lay_out (v, scene, &l);
  for (uint32_t i = 0; i < l.n; i++) {
    const Block *b = &g_array_index (v->blocks, Block, l.first + i);
    double depth = floor ((y - b->y) / l.row);
    Wanted w = { .date = axis_date_at (&l.axis, x) };
    if (depth < 0 || depth >= MIN (b->n_rows, l.deepest) || x < l.left || x > l.left + l.width)
      continue;
    if (b->n_tasks > 1) {
      DrawingTag group = call_timeline_group_tag (v, &l, b, (uint32_t) depth);
      *mark = drawing_mark_of (l.left, row_y (&l, b, (uint32_t) depth), l.width, l.row, &group);
      mark->x = x;
      return true;
    }
    states_reader_each (v->read, b->rows[(uint32_t) depth], w.date, MIN (w.date, INT64_MAX - 1) + 1, keep_wanted, &w);
    if (!w.found || call_timeline_is_nothing (scene, w.state))
      return false;
    DrawingTag tag = tag_of_box (scene, b, (uint32_t) depth, w.from, w.to, w.state);
    double x0 = MAX (axis_x (&l.axis, w.from), l.left), x1 = MIN (axis_x (&l.axis, w.to), l.left + l.width);
    *mark = drawing_mark_of (x0, row_y (&l, b, (uint32_t) depth), MAX (x1 - x0, 1), l.row, &tag);
    mark->x = x;
    return true;
  }
  return false;
}

static void
call_timeline_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const CallTimeline *v = (const CallTimeline *) c;
  const TraceSource *s = scene->source;
  const DrawingTag *t = &m->tag;
  const char *task = names_name (v->names, s, t->what.id);
  Layout l;

  if (t->part == CALL_TIMELINE_IN_GROUP) {
    call_timeline_lay_out ((CallTimeline *) c, scene, &l);
    call_timeline_say_group (v, scene, &l, m, name, facts);
    return;
  }
  if (t->part == CALL_TIMELINE_IN_WAIT && v->waits.read != NULL) {
    stretches_say (v->waits.read, v->names, scene, t, name, facts);
    return;
  }
  if (t->part != CALL_TIMELINE_IN_BOX) {
    g_string_append (name, task);
    return;
  }
  g_autofree char *from = axis_date (&s->clock, t->from, -1), *to = axis_date (&s->clock, t->to, -1);
  if (facts == NULL) {
    g_string_append_printf (name, _ ("%s: %s from %s to %s"), task, t->value, from, to);
    return;
  }
  g_autofree char *lasts = axis_duration (&s->clock, (double) t->to - (double) t->from);
  g_string_append_printf (name, _ ("%s \u00b7 %s since %s"), task, t->value, from);
  g_string_append_printf (facts, "Until\t%s\nFor\t%s\n", to, lasts);
  if (t->index < v->frames.rows->len)
    g_string_append_printf (facts, "Depth\t%u\n", g_array_index (v->frames.rows, FrameRow, t->index).depth);
  call_timeline_lay_out ((CallTimeline *) c, scene, &l);
  if (v->waits.read != NULL && m->x > l.left) /* the pixel that was pointed at */
    stretches_facts (v->waits.read, v->names, scene, t->what.id, axis_date_at (&l.axis, m->x), facts);
}

static const View view = {
  .title = "Call timeline",
  .spans = VIEW_OF_EXECUTION,
  .build = call_timeline_build,
  .say = call_timeline_say,
  .point = call_timeline_point,
  .owners = call_timeline_owners,
  .depends = call_timeline_depends,
  .draw_cursor = call_timeline_cursor,
  .plot = call_timeline_plot,
  .rows = call_timeline_rows,
  .csv = call_timeline_csv,
  .damage = call_timeline_damage,
};

static const ViewIdle path_idle = { "critical path", WAITS };

static const void *
call_timeline_query (EveComponent *c, const char *interface)
{
  return strcmp (interface, VIEW_IDLE) == 0        ? (const void *) &path_idle
         : strcmp (interface, VIEW_INTERFACE) == 0 ? (const void *) &view
                                                   : NULL;
}

static const EveClass call_timeline = {
  VIEW_CLASS (CallTimeline),
  .id = "scope.call-timeline",
  .label = "Call timeline",
  .doc = "Calls and states inside of each other, over time: a row for each depth of each task.",
  .help =
      "A box is a call, a phase or a state that a task was inside of, as wide as it took long; what happened inside "
      "of it lies below it.  Boxes that are too narrow to be told apart become columns with the mean of their "
      "colours.  Where there is little room, rows get thin, then the deepest ones are left out; the note at the top "
      "says how many.\n\n"
      "A closed group is one block: at each depth stands what its tasks were inside of, each as high as its share of "
      "their time; a notch at the top is something that one of them is in and that is too little of the mean to be "
      "seen.  Pointing tells the least, the mean and the most of each.\n\n"
      "What is wired to `waits` is hatched over it, with an edge in the colour of its kind.",
  .finish = call_timeline_finish,
  .changed = call_timeline_changed,
  .query = call_timeline_query,
};
EVE_PLUGIN (&call_timeline);
