/* SPDX-License-Identifier: Apache-2.0 */
/* space-time.c - the space-time diagram (thesis, 4.1.1): a line a task, coloured by its state, and the
 * messages between them. */
#include "views/associations.h"
#include "eve/words.h"
#include "views/space-time.h"
#include <stddef.h>
#include <string.h>
#include "statistics/stretch.h"
#include "statistics/types.h"
#include "views/idle.h"
#include "views/layer.h"
#include "views/view-class.h"
#include "views/painter.h"
#include "views/shows.h"

enum { IN_STATES, IN_MESSAGES, IN_WAITS };
static const EveInSpec ins[] = {
  { "states", &state_type_state, EVE_ASYNC, .kept = true,
    .doc = "State of each task, from a simulator's output of that name." },
  { "messages", &state_type_message, EVE_ASYNC, .kept = true,
    .doc = "Messages received, from a simulator; without them only states are drawn." },
  { "waits", &stats_type_stretch, EVE_ASYNC, .kept = true,
    .doc = "Stretches of the time of tasks to be marked over their states, such as waits, with whom they are for." },
};
static const char *const groups[] = { "none", "host", "program", "group", NULL };
static const EveField settings[] = {
  { "order", EVE_F_STRING, offsetof (SpaceTime, order), .look = true,
    .doc = "Tasks that come first, by id or nickname, with commas between; the others follow as they appear "
           "in the trace." },
  { "hidden", EVE_F_STRING, offsetof (SpaceTime, hidden), .look = true,
    .doc = "Tasks that are not shown, by id or nickname, with commas between." },
  { "pinned", EVE_F_STRING, offsetof (SpaceTime, pinned), .look = true,
    .doc =
        "Tasks that stand above all others, each in a row of its own, whichever rows are looked at; by id or nickname, "
        "with commas between." },
  { "group by", EVE_F_CHOICE, offsetof (SpaceTime, group_by), .choices = groups, .look = true,
    .doc =
        "Tasks of one host, of one program, or of the group that they joined first, stand together under its name." },
  { "hide messages", EVE_F_BOOL, offsetof (SpaceTime, no_messages), .look = true, .doc = "Draws the states alone." },
  { "critical path", EVE_F_BOOL, offsetof (SpaceTime, path), .look = true,
    .doc = "Draws the critical path, where waits lead from one task to the next, and fades what is not on it." },
  { "hide resting", EVE_F_BOOL, offsetof (SpaceTime, hide_resting), .look = true,
    .doc = "Leaves out tasks that never do anything: in no state at all, such as machines that hold processes." },
};

static void
space_time_forget_rows (SpaceTime *st)
{
  if (st->rows_made)
    rows_end (&st->rows);
  st->rows_made = false;
}

static bool
space_time_changed (EveComponent *c, uint32_t setting)
{
  space_time_forget_rows ((SpaceTime *) c);
  return true;
}

static void
space_time_finish (EveComponent *c)
{
  SpaceTime *st = (SpaceTime *) c;

  space_time_forget_rows (st);
  g_clear_pointer (&st->read_states, states_reader_free);
  g_clear_pointer (&st->read_messages, messages_reader_free);
  stretches_layer_close (&st->waits);
  g_clear_pointer (&st->names, names_free);
  g_clear_pointer (&st->image, cairo_surface_destroy);
  g_clear_pointer (&st->sums.sums, g_free);
  slots_clear (&st->slots);
  g_clear_pointer (&st->told, g_hash_table_unref);
  g_free (st->states);
  g_free (st->messages);
  g_free (st->lost_messages);
  g_free (st->note);
}

/* ---- draw side ----------------------------------------------------------------------------------------- */

/* Who shoots begins one file after the other: those of messages may not be there yet where those of states are. */
static void
open_messages (SpaceTime *st)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&st->lost_messages, g_free);
  if (st->messages == NULL)
    return;
  st->read_messages = messages_reader_open (st->messages, &error);
  if (st->read_messages != NULL)
    space_time_forget_rows (st); /* which rows are hidden hangs on them */
  if (error != NULL && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    st->lost_messages = g_strdup (error->message);
}

static bool
space_time_open_film (SpaceTime *st, const ViewScene *scene, GError **error)
{
  EveComponent *c = (EveComponent *) st;

  if (scene->film == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("the whole execution is drawn from its film, which is not there yet"));
    return false;
  }
  g_autofree char *states = layer_of_input (eve_base (c)->in[IN_STATES], scene->film),
                  *messages = layer_of_input (eve_base (c)->in[IN_MESSAGES], scene->film);
  if (states == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing is wired to its states"));
    return false;
  }
  if (g_strcmp0 (st->states, states) != 0 || g_strcmp0 (st->messages, messages) != 0 || st->read_states == NULL) {
    g_clear_pointer (&st->read_states, states_reader_free);
    g_clear_pointer (&st->read_messages, messages_reader_free);
    g_clear_pointer (&st->names, names_free);
    space_time_forget_rows (st);
    g_free (st->states);
    g_free (st->messages);
    st->states = g_steal_pointer (&states);
    st->messages = g_steal_pointer (&messages);
    st->read_states = states_reader_open (st->states, error);
    if (st->read_states == NULL)
      return false;
    open_messages (st);
  } else {
    states_reader_refresh (st->read_states);
    if (st->read_messages != NULL)
      messages_reader_refresh (st->read_messages);
    else
      open_messages (st);
  }
  stretches_layer_begin (&st->waits, eve_base (c)->in[IN_WAITS], scene->film);
  if (st->names == NULL || names_problem (st->names) != NULL
      || names_count (st->names, scene->source) < states_reader_owners (st->read_states)) {
    space_time_forget_rows (st);
    g_clear_pointer (&st->names, names_free);
    st->names = names_read (view_tasks (scene));
  }
  if (st->group_by == GROUP_GROUP && names_read_groups (st->names, view_tasks (scene)))
    space_time_forget_rows (st);
  states_reader_set_end (st->read_states, scene->source->last);
  return true;
}

static uint32_t
count_tasks (const SpaceTime *st, const ViewScene *scene)
{
  return MAX (names_count (st->names, scene->source), states_reader_owners (st->read_states));
}

/* Where the tasks stand in a scene; kept, as a person looks at one size for long. */
static const Rows *
space_time_rows_of (SpaceTime *st, const ViewScene *scene)
{
  uint32_t n = count_tasks (st, scene);
  int64_t reach = states_reader_reach (st->read_states);

  if (st->rows_made && st->rows.n_tasks == n && (st->rows.top == STRETCHES_TOP) == (st->waits.read != NULL)
      && st->rows_width_px == scene->width_px && (!st->hide_resting || st->rows_reach == reach)
      && st->rows_height_px == scene->height_px
      && st->rows_rules == associations_serial (view_associations (scene->colours))
      && st->rows_cut == (scene->groups != NULL ? scene->groups->serial : 0) && st->rows_first == scene->first_row
      && st->rows_n == scene->n_rows)
    return &st->rows;
  space_time_forget_rows (st);
  rows_begin (&st->rows, st, scene, n);
  st->rows_made = true;
  st->rows_width_px = scene->width_px;
  st->rows_height_px = scene->height_px;
  st->rows_reach = reach;
  st->rows_rules = associations_serial (view_associations (scene->colours));
  st->rows_cut = scene->groups != NULL ? scene->groups->serial : 0;
  st->rows_first = scene->first_row;
  st->rows_n = scene->n_rows;
  return &st->rows;
}

const Rows *
space_time_begin (SpaceTime *st, const ViewScene *scene, bool anew, Axis *a, GError **error)
{
  bool all = scene->from > scene->to;
  const Rows *r;

  if ((anew || !st->rows_made) && !space_time_open_film (st, scene, error))
    return NULL;
  r = space_time_rows_of (st, scene);
  rows_align (&st->rows, scene);
  axis_begin (a, scene, all ? scene->source->first : scene->from, all ? scene->source->last : scene->to, r->left,
              r->width);
  if (anew || st->slots.n == 0)
    slots_choose (&st->slots, st->read_states, r->shown, r->n_shown, a->from, a->to);
  return r;
}

/* What the film does not know yet, or has lost. */
static void
space_time_draw_unknown (SpaceTime *st, Paint *p, const Rows *r, const Axis *a)
{
  int64_t reach = states_reader_reach (st->read_states);
  double x = axis_x (a, MAX (reach, a->from));

  if (reach >= MIN (a->to, p->scene->source->last))
    return;
  cairo_save (p->cr);
  cairo_rectangle (p->cr, x, r->top, r->left + r->width - x, r->bottom - r->top);
  cairo_clip (p->cr);
  paint_source (p->cr, p->unknown, 1);
  cairo_set_line_width (p->cr, 1);
  for (double at = r->left - (r->bottom - r->top); at < r->left + r->width; at += 8) {
    cairo_move_to (p->cr, at, r->bottom);
    cairo_line_to (p->cr, at + r->bottom - r->top, r->top);
  }
  cairo_stroke (p->cr);
  cairo_restore (p->cr);
  if (r->left + r->width - x > 130)
    paint_text (p, (x + r->left + r->width) / 2, (r->top + r->bottom) / 2, 0.5, PAINT_TEXT, p->muted, 0,
                _ ("not filmed yet"));
}

typedef struct Losses {
  Paint *p;
  const Rows *r;
  const Axis *a;
} Losses;

/* Where a damaged film has lost something: of one task, or of all. */
static void
space_time_draw_loss (void *arg, const HistoryLost *lost)
{
  const Losses *d = arg;
  double x0 = MAX (axis_x (d->a, lost->from), d->r->left), x1 = MIN (axis_x (d->a, lost->to), d->r->left + d->r->width);

  for (guint i = 0; i < d->r->rows->len; i++) {
    const Row *row = &g_array_index (d->r->rows, Row, i);
    if (lost->owner == TRACE_NONE || (lost->owner < d->r->n_tasks && d->r->row_of[lost->owner] == i))
      paint_lost (d->p, x0, row->y, x1 - x0, row->height);
  }
}

static void
draw_losses (SpaceTime *st, Paint *p, const Rows *r, const Axis *a)
{
  Losses d = { p, r, a };
  int64_t end = MIN (a->to, p->scene->source->last);

  /* what is only not known yet looks otherwise */
  if (states_reader_lost (st->read_states, 0, 0, NULL, NULL))
    states_reader_lost (st->read_states, a->from, end, space_time_draw_loss, &d);
  if (st->read_messages != NULL && !st->no_messages && messages_reader_lost (st->read_messages, 0, 0, NULL, NULL))
    messages_reader_lost (st->read_messages, a->from, end, space_time_draw_loss, &d);
  if (st->lost_messages != NULL && !st->no_messages)
    space_time_draw_loss (&d, &(HistoryLost){ .owner = TRACE_NONE, .from = a->from, .to = end });
}

static const char *
space_time_damage (EveComponent *c, bool *lost)
{
  SpaceTime *st = (SpaceTime *) c;
  const char *states = st->read_states != NULL ? states_reader_problem (st->read_states) : NULL;
  const char *messages = st->read_messages != NULL ? messages_reader_problem (st->read_messages) : NULL;

  bool waits_lost;
  const char *waits = stretches_layer_damage (&st->waits, &waits_lost);
  const char *unread = st->lost_messages != NULL ? st->lost_messages : names_problem (st->names);

  if (lost != NULL)
    *lost = unread != NULL || waits_lost || (states != NULL && states_reader_lost (st->read_states, 0, 0, NULL, NULL))
            || (messages != NULL && messages_reader_lost (st->read_messages, 0, 0, NULL, NULL));
  return states != NULL ? states : messages != NULL ? messages : unread != NULL ? unread : waits;
}

/* ---- marks --------------------------------------------------------------------------------------------- */

typedef struct MarkIntervals {
  const ViewScene *scene;
  Drawing *d;
  const Rows *r;
  const Axis *a;
  guint row;
} MarkIntervals;

static bool
mark_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  const MarkIntervals *g = arg;
  DrawingMark m = space_time_interval_mark (g->scene, g->r, g->a, g->row, from, to, state);

  drawing_area (g->d, m.left, m.top, m.width, m.height, &m.tag);
  return drawing_room (g->d) > 0;
}

#define LEGEND_Y 15.0
#define FLAG_PX 4 /* from the rows to the cursor's flag */

/* Of so few that each can be told, the intervals, which are read again for that. */
static void
mark_intervals (SpaceTime *st, const ViewScene *scene, Drawing *d, const Rows *r, const Axis *a)
{
  uint64_t n = 0, room = drawing_room (d);

  if (drawing_later (d))
    return;
  for (guint i = 0; i < r->rows->len && n <= room; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    n += row->n == 1 ? states_reader_count (st->read_states, r->shown[row->first], a->from, a->to) : room;
  }
  for (guint i = 0; i < r->rows->len && n <= room; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    MarkIntervals m = { scene, d, r, a, i };
    states_reader_each (st->read_states, r->shown[row->first], a->from, a->to, mark_interval, &m);
  }
}

static void
mark_rows (const ViewScene *scene, Drawing *d, const Rows *r, const Axis *a)
{
  for (guint i = 0; i < r->rows->len && drawing_room (d) > 0; i++) {
    DrawingMark m = space_time_row_mark (scene, r, a, i);
    drawing_area (d, m.left, m.top, m.width, m.height, &m.tag);
  }
}

/* Gives where the key to them ends that begins at x, which is behind the legend. */
static double
space_time_draw_waits (SpaceTime *st, const ViewScene *scene, Drawing *d, Paint *p, const Rows *r, const Axis *a,
                       double x)
{
  g_autofree StretchRow *rows = g_new (StretchRow, MAX (r->rows->len, 1));

  if (st->waits.read == NULL)
    return x;
  for (guint i = 0; i < r->rows->len; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    rows[i] = (StretchRow){ row->y, row->height, row->n };
  }
  const StretchRows in = { .rows = rows,
                           .n = r->rows->len,
                           .row_of = r->row_of,
                           .n_tasks = r->n_tasks,
                           .axis = a,
                           .top = r->top,
                           .bottom = r->bottom,
                           .part = SPACE_TIME_IN_WAIT,
                           .path = st->path };
  stretches_draw (st->waits.read, d, p, scene, &in);
  return stretches_legend (st->waits.read, p, &in, x, LEGEND_Y);
}

/* Rows that are left out, and rows that are not in the picture, are said with what else is.  Of tasks it is told how
 * many there are; things, which are counted nowhere, are said where there is nothing else. */
static char *
tell_hidden (const Rows *r, const TraceSource *s, char *note)
{
  g_autofree char *old = note;
  const char *before = old != NULL ? old : "", *between = old != NULL ? _ ("; ") : "";
  uint32_t n_shown_things = 0;

  if (r->n_hidden == 0)
    return g_steal_pointer (&old);
  for (uint32_t i = 0; i < r->n_all; i++)
    n_shown_things += trace_is_thing (s, r->all[i]);
  uint32_t n_things = trace_n_things (s), n_shown = r->n_all - n_shown_things;
  uint32_t n_tasks = r->n_tasks - n_things, n = n_tasks > n_shown ? n_tasks - n_shown : n_things - n_shown_things;
  g_autofree char *digits = g_strdup_printf ("%u", n), *some = paint_in_threes (digits, false),
                  *all = g_strdup_printf ("%u", n_tasks), *of = paint_in_threes (all, false);
  if (n_tasks > n_shown && n_tasks == 1)
    return g_strdup_printf (_ ("%s%sthe only task hidden"), before, between);
  /* how many are hidden decides how languages say it: English looks at how many there are, which are several here */
  return n_tasks > n_shown
             ? g_strdup_printf (P_ ("%s%s%s of %s tasks hidden", "%s%s%s of %s tasks hidden", n), before, between, some,
                                of)
             : g_strdup_printf (P_ ("%s%s%s thing hidden", "%s%s%s things hidden", n), before, between, some);
}

static bool
space_time_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  SpaceTime *st = (SpaceTime *) c;
  double totals[SLOTS_MOST] = { 0 }, x;
  g_autofree char *note = NULL;
  const char *problem;
  uint32_t met = 0;
  const Rows *r;
  Raster raster;
  Paint *p;
  Axis a;

  r = space_time_begin (st, scene, true, &a, error);
  if (r == NULL)
    return false;
  p = drawing_begin (d);
  mark_rows (scene, d, r, &a);
  axis_draw (p, &a, r->top, r->bottom);
  space_time_draw_unknown (st, p, r, &a);
  SpaceTimeMessages *messages = messages_begin (st, p, r, &a);
  raster = states_draw (st, p, r, &a, totals, &met, messages_find, messages);
  note = messages_draw (messages, &raster);
  note = tell_hidden (r, scene->source, note);
  raster_end (&raster, p, r);
  x = paint_legend (p, r->left, LEGEND_Y, STATE_NODE, &st->slots, met, totals);
  x = space_time_draw_waits (st, scene, d, p, r, &a, x);
  draw_losses (st, p, r, &a);
  rows_draw_labels (r, st->names, p);
  if (met != 0 || note != NULL)
    drawing_area (d, r->left, 0, r->width, MIN (SPACE_TIME_HEAD, r->top),
                  &(DrawingTag){ DRAWING_NO_DATES, .part = SPACE_TIME_IN_HEAD });
  problem = space_time_damage (c, NULL);
  st->told_met = met;
  memcpy (st->told_shares, totals, sizeof st->told_shares);
  if (problem != NULL)
    paint_text (p, scene->width_px - 16, 15, 1, PAINT_TEXT, p->cursor, MAX (scene->width_px - 32 - x, 60), problem);
  else
    paint_note (p, x, 15, note);
  if (r->n_shown == 0)
    paint_sentence (p, N_ ("No task to show"));
  else if (scene->source != NULL && scene->source->first >= scene->source->last)
    paint_sentence (p, N_ ("All of it happened at one instant: no time has passed that could be shown"));
  else if (axis_outside (&a, scene->source) != NULL)
    paint_sentence (p, axis_outside (&a, scene->source));
  mark_intervals (st, scene, d, r, &a);
  axis_cursor (p, &a, scene->at, r->top - FLAG_PX, r->bottom);
  g_free (st->note);
  st->note = g_steal_pointer (&note);
  return true;
}

static uint32_t
space_time_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

static void
space_time_draw_cursor (EveComponent *c, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where)
{
  SpaceTime *st = (SpaceTime *) c;
  const Rows *r;
  Axis a;

  if (where != NULL)
    *where = (cairo_rectangle_t){ 0 };
  r = space_time_begin (st, scene, false, &a, NULL);
  if (r == NULL)
    return;
  axis_draw_cursor (&a, scene, cr, where, r->top - FLAG_PX, r->bottom);
}

/* ---- data ---------------------------------------------------------------------------------------------- */

typedef struct Gather {
  const ViewScene *scene;
  const Rows *rows;
  GString *csv;
  uint32_t task;
  const Names *names;
} Gather;

static void
space_time_put_date (GString *to, const TraceClock *clock, int64_t date)
{
  char text[64];

  trace_clock_print (clock, date, text, sizeof text);
  g_string_append_printf (to, ",%s", text);
}

static bool
state_line (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Gather *g = arg;
  const TraceSource *s = g->scene->source;

  g_string_append (g->csv, "state,");
  stats_csv_text (g->csv, names_id (g->names, s, g->task));
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, names_name (g->names, s, g->task));
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, paint_state_name (g->scene->graph, STATE_NODE, state));
  space_time_put_date (g->csv, &s->clock, from);
  space_time_put_date (g->csv, &s->clock, to);
  g_string_append (g->csv, ",,,\r\n");
  return true;
}

static bool
message_line (void *arg, const StateMessage *m)
{
  Gather *g = arg;
  const TraceSource *s = g->scene->source;

  if (m->from >= g->rows->n_tasks || m->to >= g->rows->n_tasks || g->rows->row_of[m->from] == TRACE_NONE
      || g->rows->row_of[m->to] == TRACE_NONE)
    return true;
  g_string_append (g->csv, "message,");
  stats_csv_text (g->csv, names_id (g->names, s, m->from));
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, names_name (g->names, s, m->from));
  g_string_append_c (g->csv, ',');
  if (m->sent == INT64_MIN) /* nobody knows */
    g_string_append_c (g->csv, ',');
  else
    space_time_put_date (g->csv, &s->clock, m->sent);
  space_time_put_date (g->csv, &s->clock, m->received);
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, names_id (g->names, s, m->to));
  g_string_append_printf (g->csv, ",%" G_GINT64_FORMAT ",%d\r\n", m->size, m->tag);
  return true;
}

/* Of whom: the line of a stretch, or of a part of the path. */
static void
space_time_put_stretch (Gather *g, const char *kind, uint32_t task, const char *state, int64_t from, int64_t to,
                        uint32_t cause)
{
  const TraceSource *s = g->scene->source;

  if (task >= g->rows->n_tasks || g->rows->row_of[task] == TRACE_NONE)
    return;
  g_string_append_printf (g->csv, "%s,", kind);
  stats_csv_text (g->csv, names_id (g->names, s, task));
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, names_name (g->names, s, task));
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, state);
  space_time_put_date (g->csv, &s->clock, from);
  space_time_put_date (g->csv, &s->clock, to);
  g_string_append_c (g->csv, ',');
  if (cause != TRACE_NONE)
    stats_csv_text (g->csv, names_id (g->names, s, cause));
  g_string_append (g->csv, ",,\r\n");
}

static bool
space_time_wait_line (void *arg, const Stretch *one)
{
  space_time_put_stretch (arg, "wait", one->owner, one->kind, one->from, one->to, one->cause);
  return true;
}

static bool
space_time_path_line (void *arg, const Stretch *part)
{
  space_time_put_stretch (arg, "path", part->owner, part->kind, part->from, part->to, part->cause);
  return true;
}

static void
lost_line (Gather *g, const HistoryLost *lost, const char *what)
{
  const TraceSource *s = g->scene->source;
  bool one = lost->owner != TRACE_NONE;

  g_string_append (g->csv, "missing,");
  stats_csv_text (g->csv, one ? names_id (g->names, s, lost->owner) : "");
  g_string_append_c (g->csv, ',');
  stats_csv_text (g->csv, one ? names_name (g->names, s, lost->owner) : "");
  g_string_append_printf (g->csv, ",%s", what);
  space_time_put_date (g->csv, &s->clock, lost->from);
  space_time_put_date (g->csv, &s->clock, lost->to);
  g_string_append (g->csv, ",,,\r\n");
}

static void
lost_states (void *arg, const HistoryLost *lost)
{
  Gather *g = arg;

  if (lost->owner == TRACE_NONE || (lost->owner < g->rows->n_tasks && g->rows->row_of[lost->owner] != TRACE_NONE))
    lost_line (g, lost, "states");
}

static void
lost_messages (void *arg, const HistoryLost *lost)
{
  lost_line (arg, &(HistoryLost){ TRACE_NONE, lost->from, lost->to }, "messages");
}

static bool
space_time_csv (EveComponent *c, const ViewScene *scene, GString *to_csv, GError **error)
{
  SpaceTime *st = (SpaceTime *) c;
  const Rows *r;
  Axis a;

  r = space_time_begin (st, scene, true, &a, error);
  if (r == NULL)
    return false;
  g_string_append (to_csv, "kind,task,name,state,from [s],to [s],to task,size [B],tag\r\n");
  for (uint32_t i = 0; i < r->n_shown; i++) {
    Gather g = { .scene = scene, .rows = r, .names = st->names, .csv = to_csv, .task = r->shown[i] };
    states_reader_each (st->read_states, g.task, a.from, a.to, state_line, &g);
  }
  Gather g = { .scene = scene, .rows = r, .names = st->names, .csv = to_csv };
  if (st->read_messages != NULL && !st->no_messages)
    messages_reader_each (st->read_messages, a.from, a.to, message_line, &g);
  if (st->waits.read != NULL) {
    stretches_each (st->waits.read, a.from, a.to, space_time_wait_line, &g);
    if (st->path)
      stretches_path_each (st->waits.read, a.from, a.to, space_time_path_line, &g);
  }
  int64_t end = MIN (a.to, scene->source->last);
  states_reader_lost (st->read_states, a.from, end, lost_states, &g);
  if (st->read_messages != NULL && !st->no_messages)
    messages_reader_lost (st->read_messages, a.from, end, lost_messages, &g);
  if (st->lost_messages != NULL && !st->no_messages)
    lost_messages (&g, &(HistoryLost){ .owner = TRACE_NONE, .from = a.from, .to = end });
  return true;
}

static const View view = {
  .title = "Space-time",
  .spans = VIEW_OF_EXECUTION,
  .build = space_time_build,
  .say = space_time_say,
  .point = space_time_point,
  .owners = space_time_owners,
  .depends = space_time_depends,
  .draw_cursor = space_time_draw_cursor,
  .drag = space_time_drag,
  .open = space_time_open,
  .plot = space_time_plot,
  .rows = space_time_n_rows,
  .csv = space_time_csv,
  .damage = space_time_damage,
};

static const ViewIdle path_idle = { "critical path", IN_WAITS };
static const ViewShows shows = {
  ROW_LOOKS, N_ ("the colours of its rows are states over time; State graph and Status grid show it so"), true
};

static const void *
space_time_query (EveComponent *c, const char *interface)
{
  return strcmp (interface, VIEW_IDLE) == 0        ? (const void *) &path_idle
         : strcmp (interface, VIEW_SHOWS) == 0     ? (const void *) &shows
         : strcmp (interface, VIEW_INTERFACE) == 0 ? (const void *) &view
                                                   : NULL;
}

static const EveClass space_time = {
  VIEW_CLASS (SpaceTime),
  .id = "scope.space-time",
  .label = "Space-time",
  .doc = "A line a task over time, coloured by its state, and the messages between tasks.",
  .help = "Each task has a line; its colour is the state it is in.  Where several states share a pixel they "
          "stand on one "
          "another, each as high as its share of the time.  A message is a slanted line from its sender to "
          "its receiver, as wide "
          "as it is large; too many of them become bundles as wide as their volume.\n\n"
          "Tasks that would be thinner than two pixels are put together.\n\n"
          "What is wired to `waits` is hatched, with an edge in the colour of its kind; pointed at, it tells the kind "
          "and whom it is for.  With the setting `critical path` a line follows it from task to task, and the rest is "
          "faded.",
  .finish = space_time_finish,
  .changed = space_time_changed,
  .query = space_time_query,
};
EVE_PLUGIN (&space_time);
