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
#define ROW_TEXT 11.0 /* from here on boxes have names */
#define BOX_TEXT 28.0 /* px wide */
#define FLAG_PX 4.0

enum { IN_ROW, IN_BOX, IN_WAIT }; /* parts of tags */
enum { CALLS, WAITS };            /* inputs */

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
says_something (CallTimeline *v, const ViewScene *scene, uint32_t row)
{
  Something s = { scene->graph, false };

  states_reader_each (v->read, row, scene->source->first, scene->source->last, is_something, &s);
  return s.found;
}

static void
call_timeline_add_block (CallTimeline *v, const ViewScene *scene, uint32_t task)
{
  uint32_t first = g_array_index (v->frames.first, uint32_t, task), n = 0;

  if (first == FRAME_NO_ROW)
    return;
  for (uint32_t row = first; row != FRAME_NO_ROW; row = g_array_index (v->frames.rows, FrameRow, row).deeper)
    if (row != first || says_something (v, scene, row)) {
      g_array_append_val (v->numbers, row);
      n++;
    }
  Block b = { .task = task, .n_rows = n };
  if (n > 0)
    g_array_append_val (v->blocks, b);
}

static void
call_timeline_find_blocks (CallTimeline *v, const ViewScene *scene)
{
  const uint32_t *row;

  if (v->blocks == NULL) {
    v->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
    v->numbers = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  }
  g_array_set_size (v->blocks, 0);
  g_array_set_size (v->numbers, 0);
  for (uint32_t task = 0; task < v->frames.first->len; task++)
    if (!stats_list_has (v->hidden, names_id (v->names, scene->source, task))
        && !stats_list_has (v->hidden, names_name (v->names, scene->source, task)))
      call_timeline_add_block (v, scene, task);
  row = (const uint32_t *) (const void *) v->numbers->data;
  for (guint i = 0; i < v->blocks->len; i++) {
    Block *b = &g_array_index (v->blocks, Block, i);
    b->rows = row;
    row += b->n_rows;
  }
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
  if (v->blocks != NULL && !v->stale && v->lost_rows == NULL && v->reach == states_reader_reach (v->read))
    return true; /* nothing has come since */
  v->reach = states_reader_reach (v->read);
  g_autofree char *file = layer_names_file (base);
  frame_rows_clear (&v->frames);
  frame_rows_init (&v->frames);
  g_clear_pointer (&v->lost_rows, g_free);
  frame_rows_read (&v->frames, file, &v->lost_rows);
  g_clear_pointer (&v->names, names_free);
  v->names = names_read (view_tasks (scene));
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

  l->n = MIN (l->n, (uint32_t) (room / (ROW_LEAST + 1)) + 1);
  room -= l->n * (room > l->n * 3 * GAP ? GAP : 1);
  l->deepest = v->deepest > 0 ? (uint32_t) v->deepest : FRAME_DEPTHS;
  while (l->deepest > 1 && rows_at_most (v, l, l->deepest) * ROW_LEAST > room)
    l->deepest--;
  l->row = CLAMP (floor (room / MAX (rows_at_most (v, l, l->deepest), 1)), ROW_LEAST - 1, ROW_MOST);
}

static double
call_timeline_widest_name (CallTimeline *v, const ViewScene *scene, const Layout *l)
{
  double widest = 0;
  Paint p;

  paint_measure (&p, scene);
  for (uint32_t i = 0; i < l->n; i += MAX (1, l->n / 40)) {
    uint32_t task = g_array_index (v->blocks, Block, l->first + i).task;
    widest = MAX (widest, paint_text_width (&p, PAINT_TEXT | PAINT_BOLD, names_name (v->names, scene->source, task)));
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
  return (DrawingTag){ .what = trace_ref_task (scene->source->number, b->task),
                       .attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE)),
                       .value = g_intern_string (paint_state_name (scene->graph, STATE_NODE, state)),
                       .from = from,
                       .to = to,
                       .index = b->rows[depth],
                       .part = IN_BOX };
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
  if (l->row >= ROW_TEXT && width >= BOX_TEXT)
    paint_text (b->p, x0 + 4, y + (l->row - 1) / 2, 0, PAINT_SMALL, look.opacity < 0.5 ? b->p->ink : paint_ink_on (rgb),
                width - 8, LOOK_HAS (&look, LOOK_LABEL) && *look.label != '\0' ? look.label : tag.value);
  return true;
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
    bool several = slots->state[k] == SLOTS_OTHERS;
    const Look look = several ? (Look){ .opacity = 1 } : call_timeline_look (b, 0, -1, slots->state[k]);
    colour[k] = several ? paint_slot (b->scene, STATE_NODE, slots, k)
                        : call_timeline_colour (b, &look, slots->state[k]);
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
  bool chosen = view_selects (b->scene, trace_ref_task (b->scene->source->number, b->block->task));
  DrawingTag tag = { .what = trace_ref_task (b->scene->source->number, b->block->task),
                     .from = l->axis.from,
                     .to = l->axis.to,
                     .index = b->block->rows[0],
                     .part = IN_ROW };

  drawing_area (b->d, l->left, b->block->y, l->width, n * l->row, &tag);
  if (chosen)
    drawing_rect (b->d, l->left - 6, b->block->y, 3, n * l->row, DRAWING_ACCENT, 1, NULL);
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
    double y = b->y + MIN (MIN (b->n_rows, l->deepest) * l->row, ROW_MOST) / 2;
    bool chosen = view_selects (p->scene, trace_ref_task (p->scene->source->number, b->task));
    if (y - last < 14)
      continue;
    last = y;
    paint_text (p, l->left - 10, y, 1, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, p->ink, l->left - 22,
                names_name (v->names, p->scene->source, b->task));
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
} Losses;

static void
call_timeline_draw_loss (void *arg, const HistoryLost *lost)
{
  const Losses *d = arg;
  const Layout *l = d->l;
  double x0 = MAX (axis_x (&l->axis, lost->from), l->left), x1 = MIN (axis_x (&l->axis, lost->to), l->left + l->width);

  for (uint32_t i = 0; i < l->n; i++) {
    const Block *b = &g_array_index (d->v->blocks, Block, l->first + i);
    for (uint32_t k = 0; k < MIN (b->n_rows, l->deepest); k++)
      if (lost->owner == TRACE_NONE || lost->owner == b->rows[k])
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
  uint32_t deepest = 0, all = v->blocks->len;
  GString *note = g_string_new (NULL);

  for (uint32_t i = 0; i < l->n; i++)
    deepest = MAX (deepest, g_array_index (v->blocks, Block, l->first + i).n_rows);
  if (l->n < all)
    paint_tell (note, P_ ("%u of %u task; ", "%u of %u tasks; ", all), l->n, all);
  if (deepest > l->deepest)
    paint_tell (note, _ ("%u of %u depths; "), l->deepest, deepest);
  if (v->frames.beyond > 0)
    g_string_append (note, _ ("some calls are too deep to be shown; "));
  if (b->hides)
    g_string_append (note, _ ("a rule hides calls; "));
  else if (b->n_hidden > 0)
    paint_tell (note, P_ ("%u box hidden; ", "%u boxes hidden; ", b->n_hidden), b->n_hidden);
  if (paint_alone (scene) != NULL)
    g_string_append_printf (note, "%s; ", paint_alone (scene));
  if (note->len > 0)
    g_string_truncate (note, note->len - 2);
  return g_string_free (note, note->len == 0);
}

/* Gives where the key to them ends that begins at x, which is behind the legend. */
static double
call_timeline_draw_waits (CallTimeline *v, const ViewScene *scene, Drawing *d, Paint *p, const Layout *l, double x)
{
  uint32_t n_tasks = v->frames.first->len;
  g_autofree StretchRow *rows = g_new (StretchRow, MAX (l->n, 1));
  g_autofree uint32_t *row_of = g_new (uint32_t, MAX (n_tasks, 1));

  if (v->waits.read == NULL)
    return x;
  for (uint32_t task = 0; task < n_tasks; task++)
    row_of[task] = TRACE_NONE;
  for (uint32_t i = 0; i < l->n; i++) {
    const Block *b = &g_array_index (v->blocks, Block, l->first + i);
    rows[i] = (StretchRow){ b->y, MIN (b->n_rows, l->deepest) * l->row, 1 };
    row_of[b->task] = i;
  }
  const StretchRows in = { .rows = rows,
                           .n = l->n,
                           .row_of = row_of,
                           .n_tasks = n_tasks,
                           .axis = &l->axis,
                           .top = l->top,
                           .bottom = l->bottom,
                           .part = IN_WAIT,
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
  if (states_reader_lost (v->read, 0, 0, NULL, NULL))
    states_reader_lost (v->read, l.axis.from, MIN (l.axis.to, scene->source->last), call_timeline_draw_loss,
                        &(Losses){ v, p, &l });
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

  if (t->part == IN_WAIT && v->waits.read != NULL) {
    stretches_say (v->waits.read, v->names, scene, t, name, facts);
    return;
  }
  if (t->part != IN_BOX) {
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
  Layout l;
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
      "What is wired to `waits` is hatched over it, with an edge in the colour of its kind.",
  .finish = call_timeline_finish,
  .changed = call_timeline_changed,
  .query = call_timeline_query,
};
EVE_PLUGIN (&call_timeline);
