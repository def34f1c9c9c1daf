/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-point.c - what is under a point, however dense the picture is there, and moving rows. */
#include <math.h>
#include <string.h>
#include "statistics/list.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/space-time.h"

#define NEAR 5.0 /* px from a message's line */

/* The row whose bar, or whose room in `whole`, holds y. */
static const Row *
space_time_point_row_at (const Rows *r, double y, bool whole)
{
  for (guint i = 0; i < r->rows->len; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    double more = whole ? MAX ((r->pitch - row->height) / 2, 0) : MIN (2, MAX ((r->pitch - row->height) / 2, 0));
    if (y >= row->y - more && y < row->y + row->height + more)
      return row;
  }
  return NULL;
}

DrawingMark
space_time_row_mark (const ViewScene *scene, const Rows *r, const Axis *a, guint i)
{
  const Row *row = &g_array_index (r->rows, Row, i);
  DrawingTag tag = { .from = a->from, .to = a->to, .index = i, .part = SPACE_TIME_IN_ROW };

  if (row->n == 1)
    tag.what = trace_ref_task (scene->source->number, r->shown[row->first]);
  return drawing_mark_of (r->left, row->y, r->width, row->height, &tag);
}

DrawingMark
space_time_interval_mark (const ViewScene *scene, const Rows *r, const Axis *a, guint i, int64_t from, int64_t to,
                          uint32_t state)
{
  const Row *row = &g_array_index (r->rows, Row, i);
  double x0 = MAX (axis_x (a, from), a->x), x1 = MIN (axis_x (a, to), a->x + a->width);
  DrawingTag tag = { .what = trace_ref_task (scene->source->number, r->shown[row->first]),
                     .attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE)),
                     .value = g_intern_string (paint_state_name (scene->graph, STATE_NODE, state)),
                     .from = from,
                     .to = to,
                     .index = i,
                     .part = SPACE_TIME_IN_INTERVAL };

  return drawing_mark_of (x0, row->y, x1 - x0, row->height, &tag);
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

typedef struct Members {
  const SpaceTime *st;
  const TraceSource *source;
  const uint32_t *tasks;
} Members;

static const char *
space_time_point_who (void *arg, uint32_t i)
{
  const Members *m = arg;

  return names_name (m->st->names, m->source, m->tasks[i]);
}

/* Where a pixel holds more than one state: the shares that it shows. */
static void
put_shares (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, const Row *row, double x,
            GString *facts)
{
  float share[SLOTS_MOST] = { 0 };
  uint32_t met = 0;

  if (row->n > 1) {
    const OddRow odd = space_time_odd (st, r, a, row, 1);
    odd_tell (&odd, scene->graph, x, space_time_point_who, &(Members){ st, scene->source, r->shown + row->first },
              facts);
    return;
  }
  states_reader_shares (st->read_states, r->shown[row->first], axis_date_at (a, floor (x)), a->per_px, 1, 1,
                        &st->slots.palette, share, st->slots.stride, &met);
  for (uint32_t k = 0; k < st->slots.n; k++)
    if (share[k] > 0.005f && share[k] < 0.995f) {
      g_autofree char *percent = number_percent (100 * (double) share[k], 0);
      put_fact (facts, paint_slot_word (scene->graph, STATE_NODE, &st->slots, k),
                g_strdup_printf (_ ("%s of this pixel"), percent));
    }
}

/* The interval of a task, or the row of several. */
static void
point_bar (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, guint row, double x, DrawingMark *m)
{
  const Row *of = &g_array_index (r->rows, Row, row);
  Interval i = { .date = axis_date_at (a, x) };

  *m = space_time_row_mark (scene, r, a, row);
  if (of->n == 1)
    states_reader_each (st->read_states, r->shown[of->first], i.date, MIN (i.date, INT64_MAX - 1) + 1, keep_interval,
                        &i);
  if (!i.found)
    return;
  *m = space_time_interval_mark (scene, r, a, row, i.from, i.to, i.state);
  m->width = MAX (m->width, 1);
}

/* "fft 0 \u00b7 Idle since 0.25 s" to who is told facts too, else "fft 0: Idle from 0.25 s to 0.26 s" */
static void
say_interval (SpaceTime *st, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const TraceSource *s = scene->source;
  const DrawingTag *t = &m->tag;
  g_autofree char *from = axis_date (&s->clock, t->from, -1), *to = axis_date (&s->clock, t->to, -1);
  const char *task = names_name (st->names, s, t->what.id);

  if (facts == NULL) {
    g_string_append_printf (name, _ ("%s: %s from %s to %s"), task, paint_word (scene->graph, STATE_NODE, t->value),
                            from, to);
    return;
  }
  g_string_append_printf (name, _ ("%s · %s since %s"), task, paint_word (scene->graph, STATE_NODE, t->value), from);
  put_fact (facts, _ ("Until"), g_steal_pointer (&to));
  put_fact (facts, _ ("For"), axis_duration (&s->clock, (double) t->to - (double) t->from));
}

static void
say_row (SpaceTime *st, const ViewScene *scene, const Rows *r, const DrawingMark *m, GString *name, GString *facts)
{
  const Row *row = &g_array_index (r->rows, Row, m->tag.index);
  g_autofree char *label = rows_label (r, st->names, scene->source, row);

  g_string_append (name, label);
  if (facts != NULL && row->n == 1) {
    put_fact (facts, _ ("Host"), g_strdup (names_host (st->names, scene->source, m->tag.what.id)));
    put_fact (facts, _ ("Program"), g_strdup (names_program (st->names, scene->source, m->tag.what.id)));
  }
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
space_time_point_task_text (SpaceTime *st, const TraceSource *s, uint32_t task)
{
  const char *id = names_id (st->names, s, task), *nickname = names_nickname (st->names, s, task);

  return nickname != NULL ? g_strdup_printf ("%s %s", id, nickname) : g_strdup (id);
}

static bool
point_message (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, double x, double y,
               DrawingMark *mark)
{
  Nearest n = { .r = r, .a = a, .x = x, .y = y, .distance = NEAR };
  const StateMessage *m = &n.message;
  uint16_t source = scene->source->number;

  if (st->read_messages == NULL || st->no_messages || r->per_row > 1
      || messages_reader_count (st->read_messages, a->from, a->to) > MESSAGES_EXACT)
    return false;
  messages_reader_each (st->read_messages, a->from, a->to, nearer, &n);
  if (n.distance >= NEAR)
    return false;
  int64_t sent = m->sent != INT64_MIN ? m->sent : m->received;
  double x0 = axis_x (a, sent), x1 = axis_x (a, m->received), y0 = g_array_index (r->rows, Row, r->row_of[m->from]).y,
         y1 = g_array_index (r->rows, Row, r->row_of[m->to]).y;
  DrawingTag tag = { .what = trace_ref_task (source, m->from),
                     .other = trace_ref_task (source, m->to),
                     .from = sent,
                     .to = m->received,
                     .part = SPACE_TIME_IN_MESSAGE };
  *mark = drawing_mark_of (MIN (x0, x1), MIN (y0, y1), MAX (fabs (x1 - x0), 1), fabs (y1 - y0), &tag);
  return true;
}

static bool
find_message (const SpaceTime *st, const DrawingTag *tag, StateMessage *m)
{
  return st->read_messages != NULL
         && messages_reader_find (st->read_messages, tag->what.id, tag->other.id, tag->from, tag->to, m);
}

static void
say_message (SpaceTime *st, const ViewScene *scene, const DrawingMark *mark, GString *name, GString *facts)
{
  const TraceSource *s = scene->source;
  StateMessage found;
  const StateMessage *m = &found;

  if (!find_message (st, &mark->tag, &found))
    return;
  g_autofree char *bytes = paint_bytes ((double) m->size);
  g_string_append_printf (name, _ ("Message of %s"), bytes);
  if (facts == NULL)
    return;
  put_fact (facts, _ ("From"), space_time_point_task_text (st, s, m->from));
  put_fact (facts, _ ("To"), space_time_point_task_text (st, s, m->to));
  put_fact (facts, _ ("Tag"), g_strdup_printf ("%d", m->tag));
  put_fact (facts, _ ("Size"), g_strdup_printf ("%" G_GINT64_FORMAT "\u2009B", m->size));
  if (m->sent != INT64_MIN)
    put_fact (facts, _ ("Sent"), axis_date (&s->clock, m->sent, -1));
  put_fact (facts, _ ("Received"), axis_date (&s->clock, m->received, -1));
  if (m->sent > m->received)
    put_fact (facts, _ ("Dated before its send by"),
              axis_duration (&s->clock, (double) m->sent - (double) m->received));
  else if (m->sent != INT64_MIN)
    put_fact (facts, _ ("Under way"), axis_duration (&s->clock, (double) m->received - (double) m->sent));
}

/* ---- the first line ------------------------------------------------------------------------------------ */

/* Who has no row, as many as one reads. */
static void
put_hidden (SpaceTime *st, const ViewScene *scene, const Rows *r, GString *facts)
{
  enum { MOST = 12 };
  g_autofree bool *shown = g_new0 (bool, r->n_tasks + 1);
  GString *names = g_string_new (NULL);
  uint32_t told = 0;

  for (uint32_t i = 0; i < r->n_all; i++)
    shown[r->all[i]] = true;
  for (uint32_t i = 0; i < r->n_tasks && told < MOST; i++)
    if (!shown[i])
      g_string_append_printf (names, "%s%s", told++ > 0 ? ", " : "", names_name (st->names, scene->source, i));
  if (r->n_hidden > told)
    g_string_append_printf (names, _ (" and %u more"), r->n_hidden - told);
  put_fact (facts, _ ("Hidden"), g_string_free (names, FALSE));
  if (st->hide_resting || *st->hidden)
    put_fact (facts, _ ("Double click"), g_strdup (_ ("shows them again")));
}

const char *
space_time_open (EveComponent *c, const ViewScene *scene, const DrawingMark *m, char **value)
{
  SpaceTime *st = (SpaceTime *) c;
  Axis a;
  const Rows *r = m->tag.part == SPACE_TIME_IN_HEAD ? space_time_begin (st, scene, false, &a, NULL) : NULL;

  if (r == NULL || r->n_hidden == 0 || !(st->hide_resting || *st->hidden))
    return NULL;
  *value = g_strdup (*st->hidden ? "" : "false");
  return *st->hidden ? "hidden" : "hide resting";
}

/* What was drawn above the rows, in full also where there was no room for it; a name of the legend alone in a list. */
static void
say_head (SpaceTime *st, const ViewScene *scene, const Rows *r, const DrawingMark *m, GString *name, GString *facts)
{
  uint32_t slot = m->tag.index;

  if (facts == NULL && m->tag.part == DRAWING_LEGEND && slot < st->slots.n) {
    g_string_append (name, paint_slot_word (scene->graph, STATE_NODE, &st->slots, slot));
    g_autofree char *percent = number_percent (100 * st->told_shares[slot], 1);
    if (!isnan (st->told_shares[slot]))
      g_string_append_printf (name, _ (": %s of the time shown"), percent);
    return;
  }
  g_string_append (name, st->note != NULL ? st->note : _ ("Share of the time that tasks live"));
  for (uint32_t k = 0; facts != NULL && k < st->slots.n; k++)
    if (st->told_met >> k & 1 && !isnan (st->told_shares[k])) {
      g_autofree char *percent = number_percent (100 * st->told_shares[k], 1);
      put_fact (facts, paint_slot_word (scene->graph, STATE_NODE, &st->slots, k),
                g_strdup_printf (_ ("%s of the time shown"), percent));
    }
  if (facts != NULL && r->n_hidden > 0)
    put_hidden (st, scene, r, facts);
}

/* ---- for the view -------------------------------------------------------------------------------------- */

void
space_time_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  SpaceTime *st = (SpaceTime *) c;
  Axis a;
  const Rows *r = space_time_begin (st, scene, false, &a, NULL);
  const Row *row;

  if (r == NULL)
    return;
  if (m->tag.part == SPACE_TIME_IN_HEAD || m->tag.part == DRAWING_LEGEND)
    say_head (st, scene, r, m, name, facts);
  else if (m->tag.part == SPACE_TIME_IN_MESSAGE)
    say_message (st, scene, m, name, facts);
  else if (m->tag.part == SPACE_TIME_IN_WAIT && st->waits.read != NULL)
    stretches_say (st->waits.read, st->names, scene, &m->tag, name, facts);
  else if (m->tag.part == SPACE_TIME_IN_HEADING && m->tag.index < r->headings->len) {
    const Heading *h = &g_array_index (r->headings, Heading, m->tag.index);
    g_string_append_printf (name, P_ ("%s, %u task", "%s, %u tasks", h->n), h->text, h->n);
  }
  if (m->tag.part > SPACE_TIME_IN_INTERVAL || m->tag.index >= r->rows->len)
    return;
  row = &g_array_index (r->rows, Row, m->tag.index);
  if (m->tag.part == SPACE_TIME_IN_INTERVAL)
    say_interval (st, scene, m, name, facts);
  else
    say_row (st, scene, r, m, name, facts);
  /* x is the pixel that was pointed at */
  if (facts != NULL && m->x > r->left
      && (row->n > 1 || (m->tag.part == SPACE_TIME_IN_INTERVAL && (double) (m->tag.to - m->tag.from) < a.per_px)))
    put_shares (st, scene, r, &a, row, m->x, facts);
  if (facts != NULL && m->x > r->left && row->n == 1 && st->waits.read != NULL)
    stretches_facts (st->waits.read, st->names, scene, m->tag.what.id, axis_date_at (&a, m->x), facts);
}

void
space_time_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  Axis a;
  bool heading = m->tag.part == SPACE_TIME_IN_HEADING;
  const Rows *r = m->tag.part == SPACE_TIME_IN_ROW || heading
                      ? space_time_begin ((SpaceTime *) c, scene, false, &a, NULL)
                      : NULL;

  if (m->tag.part == SPACE_TIME_IN_MESSAGE) {
    StateMessage found;
    if (find_message ((SpaceTime *) c, &m->tag, &found))
      trace_refs_add (to, trace_ref_message (scene->source->number, found.from, found.to, found.sent, found.received));
  }
  if (r == NULL || m->tag.index >= (heading ? r->headings->len : r->rows->len))
    return;
  if (heading) {
    const Heading *h = &g_array_index (r->headings, Heading, m->tag.index);
    for (uint32_t k = 0; k < h->n; k++)
      trace_refs_add (to, trace_ref_task (scene->source->number, r->all[h->first + k]));
    return;
  }
  const Row *row = &g_array_index (r->rows, Row, m->tag.index);
  for (uint32_t k = 0; k < row->n; k++)
    trace_refs_add (to, trace_ref_task (scene->source->number, r->shown[row->first + k]));
}

bool
space_time_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *m)
{
  SpaceTime *st = (SpaceTime *) c;
  const Row *row;
  const Rows *r;
  Axis a;

  r = space_time_begin (st, scene, true, &a, NULL);
  if (r == NULL || x < 0 || x >= r->left + r->width + 1)
    return false;
  if (x >= r->left && y < MIN (SPACE_TIME_HEAD, r->top)) /* it has marks */
    return false;
  row = space_time_point_row_at (r, y, x < r->left);
  if (row == NULL)
    return x >= r->left && y > r->top && y < r->bottom && point_message (st, scene, r, &a, x, y, m);
  guint i = (guint) (row - &g_array_index (r->rows, Row, 0));
  if (x >= r->left)
    point_bar (st, scene, r, &a, i, x, m);
  else
    *m = space_time_row_mark (scene, r, &a, i);
  m->x = x;
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

  return r != NULL ? r->units->len : 0;
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
space_time_drag (EveComponent *c, const ViewScene *scene, const DrawingMark *m, double x, double y, char **value)
{
  SpaceTime *st = (SpaceTime *) c;
  uint32_t old = 0, place;
  const Rows *r;
  const Row *row;
  Axis a;

  bool is_row = m->tag.what.type == TRACE_REF_TASK && m->tag.part <= SPACE_TIME_IN_INTERVAL;
  r = is_row ? space_time_begin (st, scene, true, &a, NULL) : NULL;
  if (r == NULL)
    return NULL;
  while (old < r->n_all && r->all[old] != m->tag.what.id)
    old++;
  if (old == r->n_all || r->several)
    return NULL;
  if (x < 0 || y < 0 || x >= scene->width_px || y >= scene->height_px) {
    GString *hidden = g_string_new (st->hidden);
    stats_list_add (hidden, names_id (st->names, scene->source, m->tag.what.id));
    *value = g_string_free (hidden, FALSE);
    return "hidden";
  }
  row = space_time_point_row_at (r, CLAMP (y, r->top + 1, r->bottom - 1), true);
  if (row == NULL)
    return NULL;
  place = (uint32_t) (r->shown - r->all) + row->first;
  *value = order_with (st, scene->source, r, old, place);
  return "order";
}
