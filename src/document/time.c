/* SPDX-License-Identifier: Apache-2.0 */
/* time.c - playing and travelling, a few milliseconds at a time below the drawing of frames. */
#include <string.h>
#include "session/extend.h"
#include "eve/words.h"
#include "document/private.h"

#define SLICE_NS (2 * 1000000) /* a frame waits for one at most; the main loop between two takes some microseconds */
#define TELL_US 16000
#define TELL_ACTIVITY_US 50000   /* of the program's boxes and wires: values nobody reads at the rate of frames */
#define PATIENCE_US (250 * 1000) /* a travel this young is not given up for the next one of a drag */
#define TICK_MS 10
#define CATCH_UP_US 250000 /* between two pictures of what has come, while there is more of it */
#define REST_SHARE 10      /* while playing slowly, at most the tenth part of the time is spent on showing sums */
#define WORK_PRIORITY 150  /* below redrawing (GDK_PRIORITY_REDRAW is 120): a frame waits for one slice at most */

static gboolean on_work (gpointer data);

static void
time_wake (ScopeDocument *d)
{
  if (d->worker)
    g_source_remove (d->worker);
  d->worker = g_idle_add_full (WORK_PRIORITY, on_work, d, NULL);
}

static void
document_time_tell (ScopeDocument *d, bool now)
{
  int64_t us = g_get_monotonic_time ();

  if (!now && us - d->told_us < TELL_US)
    return;
  d->told_us = us;
  if (now || us - d->told_activity_us >= TELL_ACTIVITY_US) {
    d->told_activity_us = us;
    document_tell (d, DOC_ACTIVITY);
  }
  document_tell (d, DOC_TIME);
}

/* ---- where time stands ---------------------------------------------------------------------------------------------- */

int64_t
scope_document_first (ScopeDocument *d)
{
  return d->session ? d->session->first : 0;
}

int64_t
scope_document_last (ScopeDocument *d)
{
  return d->session ? d->session->last : 0;
}

/* Of the event given last. */
static int64_t
last_given (ScopeDocument *d)
{
  int64_t date = d->travel ? travel_date (d->travel) : INT64_MIN;

  return date == INT64_MIN ? scope_document_first (d) : date;
}

static bool
is_between_events (ScopeDocument *d)
{
  return d->rest_date > last_given (d) && d->rest_event == scope_document_event (d);
}

int64_t
scope_document_at (ScopeDocument *d)
{
  return is_between_events (d) ? d->rest_date : last_given (d);
}

uint64_t
scope_document_event (ScopeDocument *d)
{
  return d->travel ? travel_event (d->travel) : 0;
}

int64_t
scope_document_cursor (ScopeDocument *d)
{
  return d->cursor_leads ? d->cursor : scope_document_at (d);
}

bool
scope_document_at_end (ScopeDocument *d)
{
  return d->session && !scope_document_is_live (d) && scope_document_event (d) >= d->session->n_events
         && (!drive_several (d->session) || scope_document_at (d) >= d->session->last);
}

/* The reader that gave the event of the latest date; of several of that date the leading one, if it is among them. */
static EveComponent *
latest_reader (Session *s)
{
  EveComponent *latest = s->reader;

  for (guint i = 0; i < s->readers->len; ++i)
    if (drive_date_of (s, s->readers->pdata[i]) > drive_date_of (s, latest))
      latest = s->readers->pdata[i];
  return latest;
}

char *
scope_document_sentence (ScopeDocument *d)
{
  if (!d->session)
    return g_strdup ("");
  if (!d->session->reader)
    return g_strdup (_ ("The program has no reader"));
  EveComponent *reader = latest_reader (d->session);
  const TraceReader *face = eve_query (reader, "trace-reader/1");
  const TraceEvent *e = face ? face->last (reader) : NULL;
  if (!e)
    return g_strdup (_ ("Before the first event"));
  if (!drive_several (d->session)) /* else tasks of two traces may be called alike */
    return trace_sentence (e);
  const TraceSource *source = session_source_of (reader);
  g_autofree char *name = g_path_get_basename (source->path), *sentence = trace_sentence (e);
  return g_strdup_printf (_ ("%s: %s"), name, sentence);
}

char *
scope_document_events (ScopeDocument *d)
{
  g_autoptr (GString) given = g_string_new (NULL), all = g_string_new (NULL);

  if (!d->session)
    return g_strdup ("");
  for (guint i = 0; i < d->session->readers->len; ++i) {
    EveComponent *reader = d->session->readers->pdata[i];
    const TraceSource *source = session_source_of (reader);
    g_autofree char *n = scope_number (drive_given_by (reader)), *of = scope_number (source ? source->n_events : 0);
    g_string_append_printf (given, "%s%s", i ? " + " : "", n);
    g_string_append_printf (all, "%s%s", i ? " + " : "", of);
  }
  return g_strdup_printf (d->session->readers->len > 1 ? _ ("events %s of %s") : _ ("event %s of %s"),
                          *given->str ? given->str : "0",
                          *all->str ? all->str : "0"); /* a program may have no reader */
}

ScopeMode
scope_document_mode (ScopeDocument *d)
{
  return d->mode;
}

void
document_time_rest (ScopeDocument *d)
{
  if (!d->travel || eve_program_failure (d->session->program, NULL))
    return;
  d->rest_begun_us = g_get_monotonic_time ();
  d->catching_up = false;
  document_work_begins (d);
  session_watch (d->session, &d->progress);
  session_select (d->session, d->selection); /* a component that was added knows of none yet */
  session_rest (d->session, scope_document_at (d));
  session_watch (d->session, NULL);
  document_work_ends (d);
  d->rest_cost_us = g_get_monotonic_time () - d->rest_begun_us;
}

const char *
scope_document_outdated (ScopeDocument *d)
{
  if (!d->outdated)
    return NULL;
  return d->mode == SCOPE_MODE_TRAVELLING ? _ ("Of the program before the change; being worked out again")
                                          : _ ("Of the program before the change; play or travel to work it out again");
}

/* ---- goals ----------------------------------------------------------------------------------------------------------- */

static void
time_aim (ScopeDocument *d, Goal w)
{
  if (!d->travel)
    return;
  d->follows = false;
  d->n_asked++;
  d->goal = w;
  time_wake (d);
}

void
document_time_follow (ScopeDocument *d)
{
  if (d->mode != SCOPE_MODE_PLAYING) {
    Goal there = document_newest (d);
    there.then_play = true;
    time_aim (d, there);
  }
  d->follows = true;
  document_time_go_along (d);
}

void
document_time_go_along (ScopeDocument *d)
{
  d->told_to_go = false;
  if (d->mode == SCOPE_MODE_PLAYING)
    time_wake (d);
}

void
scope_document_go_date (ScopeDocument *d, int64_t date)
{
  if (!d->travel)
    return;
  d->cursor = CLAMP (date, scope_document_first (d), MAX (scope_document_first (d), scope_document_last (d)));
  d->cursor_leads = true;
  time_aim (d, (Goal){ .kind = GOAL_DATE, .date = d->cursor, .stays = true });
  document_time_tell (d, false);
}

void
scope_document_go_event (ScopeDocument *d, uint64_t number)
{
  if (d->travel)
    time_aim (d, (Goal){ .kind = GOAL_EVENT, .event = MIN (number, d->session->n_events) });
}

void
scope_document_go_first (ScopeDocument *d)
{
  scope_document_go_event (d, 0);
}

void
scope_document_go_last (ScopeDocument *d)
{
  time_aim (d, scope_document_is_live (d) ? document_newest (d) : (Goal){ .kind = GOAL_END });
}

/* Pressed again before the last step was done, steps add up. */
static uint64_t
goal_event (ScopeDocument *d)
{
  return d->goal.kind == GOAL_EVENT ? d->goal.event : scope_document_event (d);
}

void
scope_document_step_event (ScopeDocument *d, int n)
{
  uint64_t at = goal_event (d);

  if (!d->travel || (n < 0 && at == 0))
    return;
  if (drive_several (d->session)) { /* numbers are of each trace alone: one step is one date that has an event */
    scope_document_step_date (d, n);
    return;
  }
  at = n < 0 ? at - MIN (at, (uint64_t) -n) : MIN (at + (uint64_t) n, d->session->n_events);
  time_aim (d, (Goal){ .kind = GOAL_EVENT, .event = at, .prepare = n < 0 });
}

void
scope_document_step_date (ScopeDocument *d, int n)
{
  if (!d->travel)
    return;
  uint64_t after = MIN (scope_document_event (d) + 1, d->session->n_events);
  if (n > 0 && drive_several (d->session)) {
    int64_t next = d->mode == SCOPE_MODE_TRAVELLING ? INT64_MAX : travel_next_date (d->travel);
    if (next < INT64_MAX)
      time_aim (d, (Goal){ .kind = GOAL_DATE, .date = next });
  } else if (n > 0) /* the next event tells the date, then come all the others of it */
    time_aim (d, (Goal){ .kind = GOAL_EVENT, .event = after, .whole_date = true });
  else if (scope_document_event (d))
    time_aim (d, (Goal){ .kind = GOAL_DATE, .date = last_given (d) - 1, .prepare = true });
}

/* Time stands still here. */
static void
arrived (ScopeDocument *d)
{
  d->outdated = travel_is_mixed (d->travel);
  document_time_rest (d);
}

void
scope_document_back_task (ScopeDocument *d, uint32_t task)
{
  g_autoptr (GError) error = NULL;

  if (!d->travel || task == TRACE_NONE)
    return;
  document_time_halt (d);
  document_work_begins (d);
  if (!travel_back_task (d->travel, task, &error))
    scope_document_say (d, SCOPE_SAY_NOTE, "%s", error->message);
  document_work_ends (d);
  document_since_arrived (d);
  arrived (d);
  document_time_tell (d, true);
}

void
scope_document_back_state (ScopeDocument *d, uint32_t node)
{
  const StateGraph *graph = scope_document_graph (d);
  g_autoptr (GError) error = NULL;

  if (!d->travel)
    return;
  document_time_halt (d);
  document_work_begins (d);
  if (!travel_back_state (d->travel, graph, node, &error))
    scope_document_say (d, SCOPE_SAY_NOTE, "%s", error->message);
  document_work_ends (d);
  document_since_arrived (d);
  arrived (d);
  document_time_tell (d, true);
}

/* The present, with what has been given by now worked off.  Of several traces each has numbers of its own: all go to
 * the date of the latest. */
static Goal
here (ScopeDocument *d, bool prepare)
{
  bool several = drive_several (d->session);

  if (scope_document_at_end (d))
    return (Goal){ .kind = GOAL_END };
  if (is_between_events (d))
    return (Goal){ .kind = GOAL_DATE, .date = d->rest_date, .prepare = prepare, .stays = true };
  if (several && scope_document_event (d))
    return (Goal){ .kind = GOAL_DATE, .date = scope_document_at (d), .prepare = prepare };
  return (Goal){ .kind = GOAL_EVENT, .event = scope_document_event (d), .prepare = prepare };
}

/* ---- playing --------------------------------------------------------------------------------------------------------- */

/* What playing at a certain speed is measured from. */
static void
mark_begin (ScopeDocument *d)
{
  d->play_begun_us = g_get_monotonic_time ();
  d->play_from_date = scope_document_at (d);
  d->play_from_event = scope_document_event (d);
  d->play_from_read = session_events_read (d->session);
}

void
scope_document_play (ScopeDocument *d)
{
  if (!d->travel || d->mode == SCOPE_MODE_PLAYING)
    return;
  eve_program_clear_failure (d->session->program);
  extend_ask_again (d->session);
  d->goal.kind = GOAL_NONE;
  d->n_asked++;
  d->cursor_leads = false;
  if (scope_document_at_end (d)) { /* again from the beginning, as every player does */
    scope_document_go_first (d);
    d->goal.then_play = true;
    return;
  }
  if (d->mode == SCOPE_MODE_TRAVELLING) {
    d->play_after = true;
    return;
  }
  mark_begin (d);
  document_set_mode (d, SCOPE_MODE_PLAYING);
  time_wake (d);
}

void
document_time_halt (ScopeDocument *d)
{
  if (d->worker)
    g_source_remove (d->worker);
  d->worker = 0;
  d->n_asked++;
  d->goal = (Goal){ 0 };
  d->play_after = d->cursor_leads = d->follows = false;
  if (d->mode == SCOPE_MODE_PLAYING || d->mode == SCOPE_MODE_TRAVELLING)
    document_set_mode (d, SCOPE_MODE_PAUSED);
}

void
scope_document_pause (ScopeDocument *d)
{
  if (!d->travel)
    return;
  if (d->mode == SCOPE_MODE_PLAYING) /* what has been given by now is worked off, so that all stands at one instant */
    time_aim (d, here (d, true));
  else if (d->mode == SCOPE_MODE_TRAVELLING)
    d->play_after = false;
}

void
scope_document_stop (ScopeDocument *d)
{
  scope_document_go_first (d);
}

void
scope_document_set_speed (ScopeDocument *d, ScopeSpeed kind, double value)
{
  d->speed = kind;
  d->speed_value = MAX (value, 1e-12);
  d->told_to_go = false; /* how far readers may go is told again */
  if (d->mode == SCOPE_MODE_PLAYING) {
    mark_begin (d);
    time_wake (d);
  }
  document_tell (d, DOC_MODE);
}

ScopeSpeed
scope_document_speed (ScopeDocument *d, double *value)
{
  if (value)
    *value = d->speed_value;
  return d->speed;
}

/* Several traces keep to one date: it goes to that of the next event while a few are due, however far away that is, and
 * on by what they take on the average where more are. */
static void
command_events (ScopeDocument *d, double due)
{
  Session *s = d->session;
  double owed = due - (double) (session_events_read (s) - d->play_from_read);
  double all = (double) MAX (s->n_events, 1) * s->readers->len;
  int64_t next = drive_next_date (s), date = MAX (drive_date (s), s->first);

  if (owed < 1)
    return;
  if (owed >= all)
    next = INT64_MAX;
  else if (next < INT64_MAX && owed >= 4)
    next = MAX (next, date + (int64_t) (owed / 2 / all * (double) (s->last - s->first)));
  drive_until (s, MIN (next, INT64_MAX - 1));
}

/* Tells readers how far playing may go by now. */
static void
command_play (ScopeDocument *d)
{
  double s = (double) (g_get_monotonic_time () - d->play_begun_us) / G_USEC_PER_SEC;
  Session *session = d->session;

  double ticks = s * d->speed_value * (double) session->source->clock.ticks_per_second;
  switch (d->follows ? SCOPE_SPEED_FULL : d->speed) {
  case SCOPE_SPEED_FULL:
    drive_end (session);
    break;
  case SCOPE_SPEED_EVENTS:
    if (drive_several (session))
      command_events (d, s * d->speed_value);
    else
      drive_events (session, d->play_from_event + (uint64_t) MIN (s * d->speed_value, 1e18));
    break;
  case SCOPE_SPEED_TIME: {
    int64_t left = session->last - d->play_from_date;
    d->follows = ticks >= (double) left && scope_document_is_live (d); /* it has caught up */
    drive_until (session, ticks >= (double) left ? INT64_MAX - 1 : d->play_from_date + (int64_t) ticks);
  }
  }
}

static bool
time_on_heard (void *arg, const DriveHeard *heard)
{
  ScopeDocument *d = arg;

  if (!d->extended || heard->event <= d->extended_at)
    document_order (d, heard);
  return true;
}

void
document_time_extended (ScopeDocument *d, uint64_t event, int64_t date)
{
  if (d->extended && event > d->extended_at)
    return;
  d->extended = true;
  d->extended_at = event;
  GoalKind kind = drive_several (d->session) && event ? GOAL_DATE : GOAL_EVENT;
  time_aim (d, (Goal){ .kind = kind, .event = event, .date = date, .then_play = !d->halted });
}

void
document_time_halted (ScopeDocument *d)
{
  d->halted = true;
  if (d->extended)
    d->goal.then_play = false;
}

static void
time_failed (ScopeDocument *d, GError *error)
{
  d->goal = (Goal){ 0 };
  d->play_after = d->cursor_leads = false;
  document_set_mode (d, SCOPE_MODE_FAILED);
  if (error)
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  document_time_tell (d, true);
}

/* A travel to where it is. */
static void
work_out_again (ScopeDocument *d)
{
  time_aim (d, here (d, false));
}

/* Whatever has come of a trace that grows is played: until there is more, the present is the newest instant. */
static bool
waits_for_more (ScopeDocument *d, uint64_t before)
{
  if (!scope_document_is_live (d) || !(d->follows || d->speed == SCOPE_SPEED_FULL))
    return false;
  if (scope_document_event (d) != before) /* there may be more at the next round */
    return false;
  if (!d->follows) {
    d->follows = true;
    document_tell (d, DOC_MODE);
  }
  d->rest_date = scope_document_last (d);
  d->rest_event = scope_document_event (d);
  document_time_rest (d);
  document_time_tell (d, true);
  return true;
}

/* True: call again at once. */
static bool
time_play (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;
  uint64_t before = scope_document_event (d);

  if (!d->told_to_go || d->speed != SCOPE_SPEED_FULL)
    command_play (d);
  d->told_to_go = true;
  int more = travel_play_slice (d->travel, true, SLICE_NS, &error);
  if (more < 0) {
    time_failed (d, error);
    return false;
  }
  bool halts = false, heard = travel_heard (d->travel, &halts);
  d->extended = d->halted = false;
  if (heard && !travel_obey (d->travel, time_on_heard, d, &error)) {
    time_failed (d, error);
    return false;
  }
  bool ended = eve_program_ended (d->session->program) || scope_document_at_end (d);
  if (!more && !d->goal.kind && !halts && waits_for_more (d, before))
    return false;
  if (!more && d->speed != SCOPE_SPEED_FULL && !d->follows
      && g_get_monotonic_time () - d->rest_begun_us >= REST_SHARE * d->rest_cost_us)
    document_time_rest (d);
  if (!d->follows) {
    document_time_tell (d, false);
  } else if (scope_document_event (d) != before) {
    d->catching_up = true;
    if (g_get_monotonic_time () - d->rest_begun_us >= MAX (CATCH_UP_US, REST_SHARE * d->rest_cost_us)) {
      document_time_rest (d);
      document_time_tell (d, true);
    }
  }
  if (more || d->goal.kind)
    return true;
  bool full = d->speed == SCOPE_SPEED_FULL || d->follows;
  if (ended || (full && scope_document_event (d) == before) || halts) {
    d->told_to_go = d->follows = false;
    arrived (d);
    document_set_mode (d, SCOPE_MODE_PAUSED);
    document_time_tell (d, true);
    if (d->outdated)
      work_out_again (d);
    g_debug ("played: %" G_GUINT64_FORMAT " events in %.3f s", scope_document_event (d) - d->play_from_event,
             (double) (g_get_monotonic_time () - d->play_begun_us) / G_USEC_PER_SEC);
    return false;
  }
  if (full) /* a component has paused it, or there is more at the next round */
    return true;
  d->worker = g_timeout_add_full (WORK_PRIORITY, TICK_MS, on_work, d, NULL);
  return false;
}

/* ---- travelling ------------------------------------------------------------------------------------------------------ */

static void
time_set_out (ScopeDocument *d)
{
  Goal w = d->goal;

  d->heading = w;
  d->goal = (Goal){ 0 };
  d->told_to_go = false;
  d->heading_begun_us = g_get_monotonic_time ();
  eve_program_clear_failure (d->session->program);
  switch (w.kind) {
  case GOAL_DATE:
    travel_begin_date (d->travel, w.date, w.prepare);
    break;
  case GOAL_EVENT:
    travel_begin_event (d->travel, w.event, w.prepare);
    break;
  default:
    travel_begin_end (d->travel);
  }
  document_set_mode (d, SCOPE_MODE_TRAVELLING);
}

static bool
time_go_on (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;
  int more = travel_go_on (d->travel, SLICE_NS, &error);

  if (more < 0) {
    time_failed (d, error);
    return false;
  }
  if (more) {
    if (g_get_monotonic_time () - d->told_activity_us > TELL_ACTIVITY_US) {
      d->told_activity_us = g_get_monotonic_time ();
      document_tell (d, DOC_ACTIVITY);
    }
    return true;
  }
  d->heading_begun_us = 0; /* it is there: whatever is asked for next can begin */
  if (d->goal.kind) {
    arrived (d);
    document_time_tell (d, false); /* what is dragged to is seen on the way too */
    return true;
  }
  if (d->heading.whole_date && scope_document_event (d) > 0) {
    d->goal = (Goal){ .kind = GOAL_DATE, .date = drive_date_of (d->session, d->session->reader) };
    return true;
  }
  if (document_part_ordered (d)) {
    d->goal = d->heading;
    return true;
  }
  d->rest_date = d->heading.stays ? d->heading.date : INT64_MIN;
  d->rest_event = scope_document_event (d);
  bool play_now = d->heading.then_play || d->play_after;
  if (!play_now && document_since_arrived (d))
    return true; /* there again, with another program */
  d->play_after = d->heading.then_play = d->cursor_leads = false;
  arrived (d);
  document_set_mode (d, SCOPE_MODE_PAUSED);
  document_time_tell (d, true);
  if (play_now)
    scope_document_play (d);
  return false;
}

static gboolean
on_work (gpointer data)
{
  ScopeDocument *d = data;
  guint self = d->worker;
  bool again = false;

  Trust trust = document_trust (d);
  if (trust == TRUST_ASK) {
    document_trust_hold (d);
    return G_SOURCE_REMOVE;
  }
  if (trust == TRUST_WAIT) {
    d->worker = g_timeout_add_full (WORK_PRIORITY, document_trust_wait (d), on_work, d, NULL);
    return G_SOURCE_REMOVE;
  }
  if (d->goal.kind && (d->mode != SCOPE_MODE_TRAVELLING || g_get_monotonic_time () - d->heading_begun_us > PATIENCE_US))
    time_set_out (d);
  if (d->mode == SCOPE_MODE_TRAVELLING)
    again = time_go_on (d);
  else if (d->mode == SCOPE_MODE_PLAYING)
    again = time_play (d);
  if (d->worker != self) /* another took this one's place meanwhile */
    return G_SOURCE_REMOVE;
  if (!again) {
    d->worker = 0;
    return G_SOURCE_REMOVE;
  }
  if (g_main_current_source () && g_source_get_ready_time (g_main_current_source ()) >= 0) {
    time_wake (d); /* it was a timeout */
    return G_SOURCE_REMOVE;
  }
  return G_SOURCE_CONTINUE;
}

void
document_time_go_on (ScopeDocument *d)
{
  Goal held = d->held;
  bool play_on = d->held_play;

  d->held = (Goal){ 0 };
  d->held_play = false;
  if (held.kind)
    time_aim (d, held);
  if (play_on)
    scope_document_play (d);
}

/* ---- checkpoints, marks ----------------------------------------------------------------------------------------------- */

Travel *
scope_document_travel (ScopeDocument *d)
{
  return d->travel;
}

bool
scope_document_set_strategy (ScopeDocument *d, const char *words)
{
  Strategy s = strategy_default ();

  if (!strategy_parse (words, &s)) {
    scope_document_say (
        d, SCOPE_SAY_WARNING,
        _ ("“%s” is no strategy of saving: expected none, default, or words as events=100000, share=10, "
           "replay=100, bytes=1000000, joined by +"),
        words);
    return false;
  }
  d->strategy = s;
  g_free (d->strategy_words);
  d->strategy_words = g_strdup (words);
  if (d->travel)
    travel_set_strategy (d->travel, &s);
  document_tell (d, DOC_MODE);
  return true;
}

const char *
scope_document_strategy (ScopeDocument *d)
{
  return d->strategy_words;
}

bool
scope_document_save_checkpoint (ScopeDocument *d, const char *name)
{
  g_autoptr (GError) error = NULL;

  if (!d->travel)
    return false;
  bool ok = travel_save (d->travel, name, CHECKPOINT_BY_HAND, &error);
  if (!ok)
    scope_document_say (d, SCOPE_SAY_ERROR, _ ("The state is not saved on the disk: %s"), error ? error->message : "?");
  else if (!d->film)
    scope_document_say (
        d, SCOPE_SAY_WARNING,
        _ ("The state is kept until Scope is closed, no longer: there is no folder of films to save it in"));
  document_tell (d, DOC_MARKS);
  return ok;
}

/* ---- sessions come and go ----------------------------------------------------------------------------------------------- */

static void
time_on_say (void *arg, TravelOf of, const char *sentence)
{
  if (of == TRAVEL_OF_FILM)
    scope_document_film_damaged (arg, sentence);
  else
    scope_document_say (arg, SCOPE_SAY_WARNING,
                        _ ("Of the states that you saved some are damaged; the others still serve. %s"), sentence);
}

void
document_time_begin (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;
  TravelOptions o = { .strategy = d->strategy, .progress = &d->progress, .say = time_on_say, .arg = d };

  d->plan_identity = film_plan_identity (d->session);
  d->plan_hash = eve_program_plan_hash (d->session->program);
  d->trace_identity = film_traces_identity (d->session, &error);
  o.trace = d->trace_identity;
  o.plan = d->plan_identity;
  d->travel = travel_new (d->session, &o);
  document_marks_begin (d);
  document_since_look (d, true);
  d->goal = d->heading = (Goal){ 0 };
  d->told_to_go = false;
  d->rest_date = INT64_MIN;
  d->outdated = false;
  drive_reset (d->session);
  document_set_mode (d, SCOPE_MODE_PAUSED);
}

void
document_time_end (ScopeDocument *d)
{
  document_counted_end (d);
  document_time_halt (d);
  g_clear_pointer (&d->parts_added, g_hash_table_unref);
  g_clear_pointer (&d->travel, travel_free);
  document_marks_end (d);
  document_since_end (d);
}

void
document_time_selected (ScopeDocument *d)
{
  if (d->session && session_select (d->session, d->selection) && d->mode == SCOPE_MODE_PAUSED
      && d->goal.kind == GOAL_NONE)
    document_time_rest (d);
}

void
document_time_edited (ScopeDocument *d)
{
  document_counted_edited (d);
  d->told_to_go = false;
  if (d->mode == SCOPE_MODE_TRAVELLING && d->goal.kind == GOAL_NONE) /* there with the new program */
    d->goal = d->heading;
  if (d->mode == SCOPE_MODE_FAILED && !eve_program_failure (d->session->program, NULL))
    document_set_mode (d, SCOPE_MODE_PAUSED);
  if (d->goal.kind || d->mode == SCOPE_MODE_PLAYING)
    time_wake (d);
  else if (d->mode == SCOPE_MODE_PAUSED)
    document_time_rest (d);
}

void
document_time_outdated (ScopeDocument *d)
{
  d->outdated |= travel_is_mixed (d->travel);
  if (d->outdated && d->mode == SCOPE_MODE_PAUSED && d->goal.kind == GOAL_NONE)
    work_out_again (d);
  if (d->outdated && d->mode == SCOPE_MODE_PLAYING && scope_document_follows (d)) { /* it never ends by itself */
    Goal there = document_newest (d);
    there.then_play = true;
    time_aim (d, there);
    d->follows = true;
  }
}
