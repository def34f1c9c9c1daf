/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline-groups.c - a closed group is one block: at each depth a row in which, in each column of pixels, what
 * its tasks were inside of stands on one another, each as high as its share of their time. */
#include <math.h>
#include <string.h>
#include "views/at-once.h"
#include "views/call-timeline.h"
#include "views/odd.h"
#include "views/painter.h"
#include "views/palettes.h"
#include "eve/words.h"

#define PIXELS_MOST 64e6 /* of a picture on paper */
#define ROWS_LEAST 4     /* for each thread */
#define NAMED 0.9f       /* of a column: what fills so much of several beside each other has its name there */

/* Columns that one state fills nearly, as far as there is room for its name. */
typedef struct Run {
  uint32_t from, to, slot;
} Run;

/* A row of a group at one depth. */
typedef struct GroupRow {
  const Block *block;
  uint32_t depth;              /* of the block's rows */
  uint32_t colour[SLOTS_MOST]; /* VIEW_PLAIN */
  float opacity[SLOTS_MOST];   /* 0: not drawn */
  uint32_t met;
  GArray *runs; /* of Run; NULL: none */
} GroupRow;

/* What the threads share that draw them; each writes what is of its own rows. */
typedef struct GroupRows {
  const Boxes *b;
  GroupRow *rows;
  cairo_surface_t *image;
  uint32_t *pixels;
  uint32_t stride, width, height; /* pixels */
  double scale;                   /* of them a px */
  uint32_t n_tasks;               /* in all of them */
} GroupRows;

char *
call_timeline_name (const CallTimeline *v, const ViewScene *scene, const Block *b)
{
  const Groups *g = scene->groups;

  if (b->n_tasks == 1)
    return g_strdup (names_name (v->names, scene->source, b->tasks[0]));
  if (g == NULL || g->serial != v->cut || b->part >= g->n_parts) /* it is being opened */
    return paint_told (P_ ("%u task", "%u tasks", b->n_tasks), b->n_tasks);
  const Group *group = &g->all[g->parts[b->part].group];
  return groups_name_of (group->name, b->n_tasks, group->n);
}

bool
call_timeline_is_chosen (const ViewScene *scene, const Block *b)
{
  for (uint32_t k = 0; trace_refs_n (scene->selection) > 0 && k < b->n_tasks; k++)
    if (view_stands_out (scene, trace_ref_task (scene->source->number, b->tasks[k])))
      return true;
  return false;
}

DrawingTag
call_timeline_group_tag (const CallTimeline *v, const Layout *l, const Block *b, uint32_t depth)
{
  uint32_t nth = (uint32_t) (b - &g_array_index (v->blocks, Block, 0));

  return (DrawingTag){
    .from = l->axis.from, .to = l->axis.to, .index = nth * FRAME_DEPTHS + depth, .part = CALL_TIMELINE_IN_GROUP
  };
}

/* NULL: there is no such block any more. */
static const Block *
block_of_tag (const CallTimeline *v, const DrawingTag *t, uint32_t *depth)
{
  uint32_t nth = t->index / FRAME_DEPTHS;
  const Block *b = v->blocks != NULL && nth < v->blocks->len ? &g_array_index (v->blocks, Block, nth) : NULL;

  *depth = t->index % FRAME_DEPTHS;
  return b != NULL && *depth < b->n_rows ? b : NULL;
}

static OddRow
odd_of (const CallTimeline *v, const Layout *l, const Block *b, uint32_t depth, double scale, uint32_t left_out)
{
  OddRow odd = { .read = v->read,
                 .slots = &v->slots,
                 .n_members = b->n_tasks,
                 .axis = &l->axis,
                 .scale = scale,
                 .height = l->row,
                 .left_out = left_out,
                 .many = v->frames.first->len > ODD_MANY };

  odd.owners = call_timeline_rows_at (b, depth, &odd.n_owners);
  return odd;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------------------- */

/* From the lower line up; time in nothing is left over. */
static void
call_timeline_fill_column (const GroupRows *g, const GroupRow *row, uint32_t *at, uint32_t height, const float *share)
{
  uint32_t n = g->b->v->slots.n, k = 0;
  double left = 0;

  for (uint32_t y = 0; y < height; y++, at -= g->stride) {
    double room = 1, red = 0, green = 0, blue = 0, alpha = 0;
    while (k <= n && room > 0.001) {
      double part = MIN (left, room);
      if (part > 0) {
        double solid = part * (double) row->opacity[k - 1];
        uint32_t rgb = row->colour[k - 1];
        red += solid * (rgb >> 16 & 255);
        green += solid * (rgb >> 8 & 255);
        blue += solid * (rgb & 255);
        alpha += solid;
        left -= part;
        room -= part;
      }
      if (left > 0.0005)
        continue;
      if (k < n) /* the next one */
        left = row->opacity[k] > 0 ? (double) share[k] * height : 0;
      k++;
    }
    *at = (uint32_t) (MIN (alpha, 1) * 255 + 0.5) << 24 | (uint32_t) MIN (red + 0.5, 255) << 16
          | (uint32_t) MIN (green + 0.5, 255) << 8 | (uint32_t) MIN (blue + 0.5, 255);
    if (k > n)
      return;
  }
}

static void
note_runs (const GroupRows *g, GroupRow *row, const float *share)
{
  const StateSlots *slots = &g->b->v->slots;
  Run run = { 0, 0, SLOTS_MOST };

  for (uint32_t x = 0; x <= g->width; x++) {
    uint32_t slot = SLOTS_MOST;
    for (uint32_t k = 0; x < g->width && k < slots->n; k++)
      if (share[(gsize) x * slots->stride + k] >= NAMED && row->opacity[k] > 0)
        slot = k;
    if (slot == run.slot && x < g->width)
      continue;
    run.to = x;
    if (run.slot < SLOTS_MOST && (run.to - run.from) / g->scale >= CALL_TIMELINE_TEXT_PX) {
      if (row->runs == NULL)
        row->runs = g_array_new (FALSE, FALSE, sizeof (Run));
      g_array_append_val (row->runs, run);
    }
    run = (Run){ x, x, slot };
  }
}

static void
call_timeline_draw_group_row (void *arg, uint32_t i)
{
  GroupRows *g = arg;
  GroupRow *row = &g->rows[i];
  CallTimeline *v = g->b->v;
  const Layout *l = g->b->l;
  const StateSlots *slots = &v->slots;
  g_autofree float *share = g_new0 (float, (gsize) g->width * slots->stride);
  uint32_t n, solid[SLOTS_MOST], left_out = 0;
  const uint32_t *owners = call_timeline_rows_at (row->block, row->depth, &n);
  double high = l->row > 4 ? l->row - 1 : l->row, top = row->block->y + row->depth * l->row - l->top;
  int64_t y0 = (int64_t) round (top * g->scale),
          y1 = MIN (MAX ((int64_t) round ((top + high) * g->scale), y0 + 1), (int64_t) g->height);

  states_reader_shares_of (v->read, owners, n, l->axis.from, l->axis.per_px / g->scale, g->width,
                           1.0f / (float) row->block->n_tasks, &slots->palette, share, slots->stride, &row->met);
  if (y0 < 0 || y1 <= y0 || row->met == 0)
    return;
  for (uint32_t x = 0; x < g->width; x++)
    call_timeline_fill_column (g, row, g->pixels + (gsize) (y1 - 1) * g->stride + x, (uint32_t) (y1 - y0),
                               share + (gsize) x * slots->stride);
  if (l->row >= CALL_TIMELINE_ROW_TEXT)
    note_runs (g, row, share);
  if (l->row < 3)
    return;
  for (uint32_t k = 0; k < slots->n; k++) {
    solid[k] = 255u << 24 | row->colour[k];
    left_out |= (uint32_t) (row->opacity[k] <= 0) << k;
  }
  const OddRow odd = odd_of (v, l, row->block, row->depth, g->scale, left_out);
  odd_draw (&odd, g->width, share, solid, g->pixels + (gsize) y0 * g->stride, g->stride, y1 - y0);
}

static bool
call_timeline_groups_nothing (const ViewScene *scene, const StateSlots *slots, uint32_t slot)
{
  return slots->state[slot] != SLOTS_OTHERS && call_timeline_is_nothing (scene, slots->state[slot]);
}

/* How each slot looks in a row: how long each took nobody knows here. */
static void
look_up_row (Boxes *b, GroupRow *row)
{
  const StateSlots *slots = &b->v->slots;

  b->block = row->block;
  b->depth = row->depth;
  for (uint32_t k = 0; k < slots->n; k++) {
    Look look = { .opacity = 1 };
    row->colour[k] = VIEW_PLAIN (call_timeline_slot (b, k, &look));
    row->opacity[k] = look.hidden || call_timeline_groups_nothing (b->scene, slots, k) ? 0 : (float) look.opacity;
    b->hides |= look.hidden;
  }
}

static void
find_group_rows (GroupRows *g, Boxes *b, GArray *rows)
{
  const Layout *l = b->l;

  for (uint32_t i = 0; i < l->n; i++) {
    const Block *block = &g_array_index (b->v->blocks, Block, l->first + i);
    for (uint32_t depth = 0; block->n_tasks > 1 && depth < MIN (block->n_rows, l->deepest); depth++) {
      GroupRow row = { .block = block, .depth = depth };
      look_up_row (b, &row);
      g_array_append_val (rows, row);
    }
    g->n_tasks += block->n_tasks > 1 ? block->n_tasks : 0;
  }
  g->rows = (GroupRow *) (void *) rows->data;
}

static void
name_runs (const GroupRows *g, const Boxes *b, const GroupRow *row)
{
  const Layout *l = b->l;
  double y = row->block->y + row->depth * l->row;

  for (guint i = 0; row->runs != NULL && i < row->runs->len; i++) {
    const Run *run = &g_array_index (row->runs, Run, i);
    paint_text (b->p, l->left + run->from / g->scale + 4, y + (l->row - 1) / 2, 0, PAINT_SMALL,
                row->opacity[run->slot] < 0.5f ? b->p->ink : paint_ink_on (row->colour[run->slot]),
                (run->to - run->from) / g->scale - 8,
                paint_slot_word (b->scene->graph, STATE_NODE, &b->v->slots, run->slot));
  }
}

void
call_timeline_draw_groups (Boxes *b)
{
  const Layout *l = b->l;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (GroupRow));
  GroupRows g = { .b = b };
  bool paper = cairo_surface_get_type (cairo_get_group_target (b->p->cr)) != CAIRO_SURFACE_TYPE_IMAGE;

  find_group_rows (&g, b, rows);
  if (rows->len == 0)
    return;
  g.scale = paper ? CLAMP (sqrt (PIXELS_MOST / MAX (l->width * (l->bottom - l->top), 1)), 1, 2)
                  : MAX (b->scene->scale, 1);
  g.width = (uint32_t) (l->width * g.scale);
  g.height = (uint32_t) ceil ((l->bottom - l->top + 2) * g.scale);
  g.image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) g.width, (int) g.height);
  if (cairo_surface_status (g.image) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy (g.image);
    return;
  }
  cairo_surface_flush (g.image);
  g.pixels = (uint32_t *) (void *) cairo_image_surface_get_data (g.image);
  g.stride = (uint32_t) cairo_image_surface_get_stride (g.image) / 4;
  if (g.n_tasks >= STATES_TOGETHER)
    states_reader_together (b->v->read);
  states_reader_keep_sums (b->v->read);
  at_once (rows->len, ROWS_LEAST, call_timeline_draw_group_row, &g);
  cairo_surface_mark_dirty (g.image);
  drawing_image (b->d, l->left, l->top, g.width / g.scale, g.height / g.scale, g.image, NULL, NULL, 0);
  cairo_surface_destroy (g.image);
  for (guint i = 0; i < rows->len; i++) {
    const GroupRow *row = &g.rows[i];
    DrawingTag tag = call_timeline_group_tag (b->v, l, row->block, row->depth);
    drawing_area (b->d, l->left, row->block->y + row->depth * l->row, l->width, l->row, &tag);
    b->met |= row->met;
    if (drawing_is_painted (b->d))
      name_runs (&g, b, row);
    if (row->runs != NULL)
      g_array_unref (row->runs);
  }
}

/* ---- what is told ------------------------------------------------------------------------------------------------------------ */

typedef struct Members {
  const CallTimeline *v;
  const TraceSource *source;
  const uint32_t *rows;
} Members;

static const char *
call_timeline_who (void *arg, uint32_t i)
{
  const Members *m = arg;

  return names_name (m->v->names, m->source, g_array_index (m->v->frames.rows, FrameRow, m->rows[i]).task);
}

void
call_timeline_say_group (const CallTimeline *v, const ViewScene *scene, const Layout *l, const DrawingMark *m,
                         GString *name, GString *facts)
{
  uint32_t depth;
  const Block *b = block_of_tag (v, &m->tag, &depth);

  if (b == NULL)
    return;
  g_autofree char *own = call_timeline_name (v, scene, b);
  g_string_append_printf (name, _ ("%s, depth %u"), own, b->first_depth + depth);
  if (facts == NULL || m->x <= l->left)
    return;
  uint32_t left_out = 0;
  for (uint32_t k = 0; k < v->slots.n; k++)
    left_out |= (uint32_t) call_timeline_groups_nothing (scene, &v->slots, k) << k;
  const OddRow odd = odd_of (v, l, b, depth, 1, left_out);
  odd_tell (&odd, scene->graph, m->x, call_timeline_who, &(Members){ v, scene->source, odd.owners }, facts);
}

void
call_timeline_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  const CallTimeline *v = (const CallTimeline *) c;
  uint32_t depth;
  const Block *b = m->tag.part == CALL_TIMELINE_IN_GROUP ? block_of_tag (v, &m->tag, &depth) : NULL;

  for (uint32_t k = 0; b != NULL && k < b->n_tasks; k++)
    trace_refs_add (to, trace_ref_task (scene->source->number, b->tasks[k]));
}
