/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-point.c - what is under a point, however dense the picture is there, and moving rows. */
#include <math.h>
#include <string.h>
#include "statistics/list.h"
#include "views/space-time.h"

#define NEAR 5.0  /* px from a message's line */
#define HEAD 24.0 /* px: the legend, and the note */

static int64_t
date_at (const Axis *a, double x)
{
  return a->from + (int64_t) llround (CLAMP (x - a->x, 0, a->width) * a->per_px);
}

/* The row whose bar, or whose room in `whole`, holds y. */
static const Row *
row_at (const Rows *r, double y, bool whole)
{
  for (guint i = 0; i < r->rows->len; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    double more = whole ? MAX ((r->pitch - row->height) / 2, 0) : MIN (2, MAX ((r->pitch - row->height) / 2, 0));
    if (y >= row->y - more && y < row->y + row->height + more)
      return row;
  }
  return NULL;
}

static ViewItem
row_item (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, const Row *row)
{
  return (ViewItem){ .x = r->left,
                     .y = row->y,
                     .width = r->width,
                     .height = row->height,
                     .name = rows_label (r, st->names, scene->source, row),
                     .task = row->n == 1 ? r->shown[row->first] : TRACE_NONE,
                     .peer = TRACE_NONE,
                     .from = a->from,
                     .to = a->to };
}

/* ---- states -------------------------------------------------------------------------------------------- */

typedef struct Interval {
  int64_t date, from, to;
  uint32_t state;
  bool found;
} Interval;

static bool
keep_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Interval *i = arg;

  if (from > i->date)
    return false;
  i->from = from;
  i->to = to;
  i->state = state;
  i->found = true;
  return to <= i->date;
}

static void
put_fact (GString *facts, const char *name, char *value)
{
  g_string_append_printf (facts, "%s\t%s\n", name, value);
  g_free (value);
}

/* Where a pixel holds more than one state: the shares that it shows. */
static void
put_shares (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, const Row *row, double x,
            GString *facts)
{
  float share[SLOTS_MOST] = { 0 };
  uint32_t met = 0;

  for (uint32_t k = 0; k < row->n; k++)
    states_reader_shares (st->read_states, r->shown[row->first + k], date_at (a, floor (x)), a->per_px, 1,
                          1.0f / (float) row->n, &st->slots.palette, share, st->slots.stride, &met);
  for (uint32_t k = 0; k < st->slots.n; k++)
    if (share[k] > 0.005f && share[k] < 0.995f)
      put_fact (facts, paint_slot_name (scene->graph, STATE_NODE, &st->slots, k),
                g_strdup_printf ("%.0f\u2009%% of this pixel", 100 * (double) share[k]));
}

static bool
inspect_bar (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, const Row *row, double x,
             ViewItem *item, GString *facts)
{
  const TraceSource *s = scene->source;
  uint32_t task = r->shown[row->first];
  Interval i = { .date = date_at (a, x) };

  *item = row_item (st, scene, r, a, row);
  if (row->n == 1)
    states_reader_each (st->read_states, task, i.date, MIN (i.date, INT64_MAX - 1) + 1, keep_interval, &i);
  if (i.found) {
    const char *state = paint_state_name (scene->graph, STATE_NODE, i.state);
    char *since = axis_date (&s->clock, i.from, -1);
    double x0 = MAX (axis_x (a, i.from), a->x), x1 = MIN (axis_x (a, i.to), a->x + a->width);
    g_free (item->name);
    item->name = g_strdup_printf ("%s \u00b7 %s since %s", names_name (st->names, s, task), state, since);
    g_free (since);
    item->x = x0;
    item->width = MAX (x1 - x0, 1);
    item->from = i.from;
    item->to = i.to;
    if (facts != NULL) {
      put_fact (facts, "Until", axis_date (&s->clock, i.to, -1));
      put_fact (facts, "For", axis_duration (&s->clock, (double) i.to - (double) i.from));
    }
  }
  if (facts != NULL && (row->n > 1 || (i.found && (double) (i.to - i.from) < a->per_px)))
    put_shares (st, scene, r, a, row, x, facts);
  return true;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

typedef struct Nearest {
  const Rows *r;
  const Axis *a;
  double x, y, distance;
  StateMessage message;
} Nearest;

static bool
nearer (void *arg, const StateMessage *m)
{
  Nearest *n = arg;
  const Rows *r = n->r;

  if (m->from >= r->n_tasks || m->to >= r->n_tasks || r->row_of[m->from] == TRACE_NONE || r->row_of[m->to] == TRACE_NONE
      || m->from == m->to)
    return true;
  const Row *from = &g_array_index (r->rows, Row, r->row_of[m->from]),
            *to = &g_array_index (r->rows, Row, r->row_of[m->to]);
  bool down = to->y > from->y;
  double x0 = axis_x (n->a, m->sent == INT64_MIN ? m->received : m->sent), y0 = down ? from->y + from->height : from->y,
         x1 = axis_x (n->a, m->received), y1 = down ? to->y : to->y + to->height, dx = x1 - x0, dy = y1 - y0;
  double t = CLAMP (((n->x - x0) * dx + (n->y - y0) * dy) / MAX (dx * dx + dy * dy, 1e-9), 0, 1);
  double distance = hypot (n->x - x0 - t * dx, n->y - y0 - t * dy);
  if (distance < n->distance) {
    n->distance = distance;
    n->message = *m;
  }
  return true;
}

static char *
task_text (SpaceTime *st, const TraceSource *s, uint32_t task)
{
  const char *id = names_id (st->names, s, task), *nickname = names_nickname (st->names, s, task);

  return nickname != NULL ? g_strdup_printf ("%s %s", id, nickname) : g_strdup (id);
}

static bool
inspect_message (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, double x, double y,
                 ViewItem *item, GString *facts)
{
  const TraceSource *s = scene->source;
  Nearest n = { .r = r, .a = a, .x = x, .y = y, .distance = NEAR };
  const StateMessage *m = &n.message;

  if (st->read_messages == NULL || st->no_messages || r->per_row > 1
      || messages_reader_count (st->read_messages, a->from, a->to) > MESSAGES_EXACT)
    return false;
  messages_reader_each (st->read_messages, a->from, a->to, nearer, &n);
  if (n.distance >= NEAR)
    return false;
  bool known = m->sent != INT64_MIN;
  double x0 = axis_x (a, known ? m->sent : m->received), x1 = axis_x (a, m->received),
         y0 = g_array_index (r->rows, Row, r->row_of[m->from]).y, y1 = g_array_index (r->rows, Row, r->row_of[m->to]).y;
  g_autofree char *from = task_text (st, s, m->from), *to = task_text (st, s, m->to),
                  *bytes = paint_bytes ((double) m->size);
  *item = (ViewItem){ .x = MIN (x0, x1),
                      .y = MIN (y0, y1),
                      .width = MAX (fabs (x1 - x0), 1),
                      .height = fabs (y1 - y0),
                      .name = g_strdup_printf ("Message of %s", bytes),
                      .task = m->from,
                      .peer = m->to,
                      .from = known ? m->sent : m->received,
                      .to = m->received };
  if (facts == NULL)
    return true;
  put_fact (facts, "From", g_steal_pointer (&from));
  put_fact (facts, "To", g_steal_pointer (&to));
  put_fact (facts, "Tag", g_strdup_printf ("%d", m->tag));
  put_fact (facts, "Size", g_strdup_printf ("%" G_GINT64_FORMAT "\u2009B", m->size));
  if (known)
    put_fact (facts, "Sent", axis_date (&s->clock, m->sent, -1));
  put_fact (facts, "Received", axis_date (&s->clock, m->received, -1));
  if (known)
    put_fact (facts, "Under way", axis_duration (&s->clock, (double) m->received - (double) m->sent));
  return true;
}

/* ---- the first line ------------------------------------------------------------------------------------ */

/* What was drawn above the rows, in full also where there was no room for it. */
static bool
inspect_head (SpaceTime *st, const ViewScene *scene, const Rows *r, ViewItem *item, GString *facts)
{
  if (st->told_met == 0 && st->note == NULL)
    return false;
  *item = (ViewItem){ .x = r->left,
                      .width = r->width,
                      .height = HEAD,
                      .name = g_strdup (st->note != NULL ? st->note : "Share of the time that tasks live"),
                      .task = TRACE_NONE,
                      .peer = TRACE_NONE,
                      .from = 1,
                      .to = 0 };
  for (uint32_t k = 0; facts != NULL && k < st->slots.n; k++)
    if (st->told_met >> k & 1 && !isnan (st->told_shares[k]))
      put_fact (facts, paint_slot_name (scene->graph, STATE_NODE, &st->slots, k),
                g_strdup_printf ("%.1f\u2009%% of the time shown", 100 * st->told_shares[k]));
  return true;
}

/* ---- for the view -------------------------------------------------------------------------------------- */

bool
space_time_inspect (EveComponent *c, const ViewScene *scene, double x, double y, ViewItem *item, GString *facts)
{
  SpaceTime *st = (SpaceTime *) c;
  const Row *row;
  const Rows *r;
  Axis a;

  r = space_time_begin (st, scene, true, &a, NULL);
  if (r == NULL)
    return false;
  row = row_at (r, y, x < r->left);
  if (x < 0 || x >= r->left + r->width + 1)
    return false;
  if (y >= 0 && y < MIN (HEAD, r->top) && x >= r->left)
    return inspect_head (st, scene, r, item, facts);
  if (x >= r->left)
    return row != NULL ? inspect_bar (st, scene, r, &a, row, x, item, facts)
                       : y > r->top && y < r->bottom && inspect_message (st, scene, r, &a, x, y, item, facts);
  if (row == NULL)
    return false;
  *item = row_item (st, scene, r, &a, row);
  if (facts != NULL && row->n == 1) {
    put_fact (facts, "Host", g_strdup (names_host (st->names, scene->source, item->task)));
    put_fact (facts, "Program", g_strdup (names_program (st->names, scene->source, item->task)));
  }
  return true;
}

bool
space_time_colour_at (EveComponent *c, const ViewScene *scene, double x, double y, const char **attribute, char **value)
{
  SpaceTime *st = (SpaceTime *) c;
  const Row *row;
  const Rows *r;
  Axis a;

  r = space_time_begin (st, scene, true, &a, NULL);
  if (r == NULL)
    return false;
  row = row_at (r, y, false);
  if (row == NULL || row->n > 1 || x < r->left || x > r->left + r->width)
    return false;
  Interval i = { .date = date_at (&a, x) };
  states_reader_each (st->read_states, r->shown[row->first], i.date, MIN (i.date, INT64_MAX - 1) + 1, keep_interval,
                      &i);
  if (!i.found)
    return false;
  *attribute = paint_state_attribute (scene->graph, STATE_NODE);
  *value = g_strdup (paint_state_name (scene->graph, STATE_NODE, i.state));
  return true;
}

bool
space_time_plot (EveComponent *c, const ViewScene *scene, cairo_rectangle_t *plot, int64_t *from, int64_t *to)
{
  SpaceTime *st = (SpaceTime *) c;
  const Rows *r;
  Axis a;

  r = scene->source->first <= scene->source->last ? space_time_begin (st, scene, false, &a, NULL) : NULL;
  if (r == NULL)
    return false;
  *plot = (cairo_rectangle_t){ r->left, r->top, r->width, r->bottom - r->top };
  *from = a.from;
  *to = a.to;
  return true;
}

uint32_t
space_time_n_rows (EveComponent *c, const ViewScene *scene)
{
  Axis a;
  const Rows *r = space_time_begin ((SpaceTime *) c, scene, false, &a, NULL);

  return r != NULL ? r->n_all : 0;
}

/* The order with one task at another place, as the setting says it: what follows in the order of the trace need not be
 * told. */
static char *
order_with (SpaceTime *st, const TraceSource *s, const Rows *r, uint32_t old, uint32_t place)
{
  g_autofree uint32_t *order = g_memdup2 (r->all, r->n_all * sizeof *order);
  uint32_t task = order[old], told = r->n_all;
  GString *text = g_string_new (NULL);

  if (place > old)
    memmove (order + old, order + old + 1, (place - old) * sizeof *order);
  else
    memmove (order + place + 1, order + place, (old - place) * sizeof *order);
  order[place] = task;
  while (told > 1 && order[told - 2] < order[told - 1])
    told--;
  told -= MIN (told, 1);
  for (uint32_t i = 0; i < told; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", names_id (st->names, s, order[i]));
  return g_string_free (text, FALSE);
}

const char *
space_time_drag (EveComponent *c, const ViewScene *scene, const ViewItem *item, double x, double y, char **value)
{
  SpaceTime *st = (SpaceTime *) c;
  uint32_t old = 0, place;
  const Rows *r;
  const Row *row;
  Axis a;

  r = item->task != TRACE_NONE && item->peer == TRACE_NONE ? space_time_begin (st, scene, true, &a, NULL) : NULL;
  if (r == NULL)
    return NULL;
  while (old < r->n_all && r->all[old] != item->task)
    old++;
  if (old == r->n_all || r->per_row > 1)
    return NULL;
  if (x < 0 || y < 0 || x >= scene->width_px || y >= scene->height_px) {
    GString *hidden = g_string_new (st->hidden);
    stats_list_add (hidden, names_id (st->names, scene->source, item->task));
    *value = g_string_free (hidden, FALSE);
    return "hidden";
  }
  row = row_at (r, CLAMP (y, r->top + 1, r->bottom - 1), true);
  if (row == NULL)
    return NULL;
  place = (uint32_t) (r->shown - r->all) + row->first;
  *value = order_with (st, scene->source, r, old, place);
  return "order";
}
