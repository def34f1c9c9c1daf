/* SPDX-License-Identifier: Apache-2.0 */
#include "session/extend.h"
#include "eve/words.h"
#include "session/film-drive.h"
#include "statistics/order.h"

#define SLICE_NS (10 * 1000000)

static const TraceReader *
film_drive_face (EveComponent *reader)
{
  return eve_query (reader, "trace-reader/1");
}

static void
heard_clear (gpointer heard)
{
  g_free (((DriveHeard *) heard)->order);
}

GArray *
drive_heard_new (void)
{
  GArray *heard = g_array_new (FALSE, TRUE, sizeof (DriveHeard));

  g_array_set_clear_func (heard, heard_clear);
  return heard;
}

void
drive_place_heard (const Session *s, DriveStop *stop, TraceVerb verb, uint64_t *event, int64_t *date)
{
  *event = drive_given (s);
  *date = drive_date (s);
  if (*event > 0)
    stop->stopped = false;
  if (stop->stopped) {
    *event = stop->event;
    *date = stop->date;
  } else if (verb == TRACE_STOP) {
    *stop = (DriveStop){ true, *event, *date };
  }
}

static bool
film_drive_on_heard (void *arg, const TraceCommand *command)
{
  DriveListener *listener = arg;

  if (listener->heard) {
    const Session *s = listener->session;
    DriveHeard h = { .command = *command,
                     .order = g_strdup (s->controller_face->order ? s->controller_face->order (s->controller) : NULL) };
    drive_place_heard (s, &listener->stop, (TraceVerb) command->verb, &h.event, &h.date);
    h.date = stats_order_date (h.order, &s->source->clock, h.date);
    g_array_append_val (listener->heard, h);
    extend_answer (listener->session, h.order);
    if (listener->obey && command->verb == TRACE_SAVE) {
      eve_pause (s->program); /* what is saved is this very instant, not that of the end of a slice */
      listener->halted = true;
    }
  }
  return listener->obey;
}

void
drive_listen (Session *s, DriveListener *listener)
{
  if (!s->controller)
    return;
  if (listener) {
    listener->session = s;
    listener->stop.stopped = false;
  }
  s->controller_face->listen (s->controller, listener ? film_drive_on_heard : NULL, listener);
}

void
drive_reset (Session *s)
{
  eve_reset (s->program);
  /* One that plays by itself would overrule what is commanded here. */
  if (s->controller)
    s->controller_face->hold (s->controller);
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static void
command_all (Session *s, const TraceCommand *command)
{
  for (guint i = 0; i < s->readers->len; ++i)
    film_drive_face (s->readers->pdata[i])->command (s->readers->pdata[i], command);
}

void
drive_until (Session *s, int64_t date)
{
  command_all (s, &(TraceCommand){ .verb = TRACE_GO_UNTIL, .date = date });
}

void
drive_events (Session *s, uint64_t number)
{
  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    uint64_t given = film_drive_face (c)->given (c);
    film_drive_face (c)->command (
        c, &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = number > given ? number - given : 0 });
  }
}

void
drive_end (Session *s)
{
  command_all (s, &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = UINT64_MAX });
}

uint64_t
drive_given (const Session *s)
{
  uint64_t n = 0;

  for (guint i = 0; i < s->readers->len; ++i)
    n = MAX (n, film_drive_face (s->readers->pdata[i])->given (s->readers->pdata[i]));
  return n;
}

bool
drive_ended (const Session *s)
{
  uint64_t given = drive_given (s);

  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    if (eve_source_ended (c) && film_drive_face (c)->given (c) == given)
      return true;
  }
  return eve_program_ended (s->program);
}

bool
drive_all_ended (const Session *s)
{
  for (guint i = 0; i < s->readers->len; ++i)
    if (!eve_source_ended (s->readers->pdata[i]))
      return eve_program_ended (s->program);
  return s->readers->len > 0;
}

EveComponent *
drive_reader_of (const Session *s, const TraceSource *source)
{
  for (guint i = 0; i < s->readers->len; ++i)
    if (session_source_of (s->readers->pdata[i]) == source)
      return s->readers->pdata[i];
  return NULL;
}

uint64_t
drive_given_by (EveComponent *reader)
{
  return reader ? film_drive_face (reader)->given (reader) : 0;
}

int64_t
drive_date_of (const Session *s, EveComponent *reader)
{
  return film_drive_face (reader)->clock (reader);
}

void
drive_one (EveComponent *reader)
{
  film_drive_face (reader)->command (reader, &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 1 });
}

int64_t
drive_next_date (const Session *s)
{
  int64_t date = INT64_MAX;

  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    TraceSource *source = session_source_of (c);
    if (!source || eve_source_ended (c))
      continue;
    TraceEvent ahead;
    if (trace_peek (source, &ahead, NULL))
      date = MIN (date, ahead.date);
  }
  return date;
}

int64_t
drive_date (const Session *s)
{
  int64_t date = INT64_MIN;

  for (guint i = 0; i < s->readers->len; ++i)
    date = MAX (date, drive_date_of (s, s->readers->pdata[i]));
  return date;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

int
drive_slice (Session *s, int64_t budget_ns, GError **error)
{
  const char *why;

  switch (eve_run (s->program, budget_ns)) {
  case EVE_IDLE:
    return 0;
  case EVE_BUDGET:
    return 1;
  case EVE_STALLED:
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_STALLED, _ ("the program is stuck: %s"),
                 eve_program_stall (s->program));
    return -1;
  default:
    why = eve_program_failure (s->program, NULL);
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_COMPONENT, "%s", why ? why : _ ("a component failed"));
    return -1;
  }
}

bool
drive_report (const TraceProgress *progress, const char *doing, double share, GError **error)
{
  if (!progress || !progress->report || progress->report (progress->arg, doing, share))
    return true;
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
  return false;
}

bool
drive_run (Session *s, const TraceProgress *progress, const char *doing, double (*share) (void *arg), void *arg,
           GError **error)
{
  int more;

  session_watch (s, progress);
  do
    more = drive_slice (s, SLICE_NS, error);
  while (more > 0 && drive_report (progress, doing, share ? share (arg) : 0, error));
  session_watch (s, NULL);
  return more == 0;
}
