/* SPDX-License-Identifier: Apache-2.0 */
/* travel-search.c - back to an event of a task or link, or to where a state began. */
#include "session/travel-private.h"
#include "eve/words.h"

/* ---- searching backwards ------------------------------------------------------------------------------------------------------ */

/* The saved state that is last before `event`, wherever; the beginning if there is none. */
static Start
last_before (Travel *t, uint64_t event)
{
  Start best = { .kind = START_BEGINNING };

  for (guint i = 0; i < t->memory->len; ++i) {
    const Checkpoint *c = &g_array_index (t->memory, Kept, i).what;
    if (c->event < event && c->event > best.event)
      best = (Start){ START_MEMORY, i, c->event, 0 };
  }
  for (guint i = 0; t->film && i < checkpoints_n (t->film); ++i) {
    const Checkpoint *c = checkpoints_nth (t->film, i);
    if (c->event < event && c->event > best.event && !c->ended)
      best = (Start){ START_FILM, i, c->event, 0 };
  }
  return best;
}

/* After which event what is sought was the case, by the reader that is looked at. */
typedef struct Found {
  uint64_t number; /* of events since the beginning; 0: nowhere */
  int64_t date;    /* of the last of them, in the session's clock */
} Found;

/* What is sought, and among what. */
typedef struct Sought {
  EveComponent *reader; /* whose events */
  int64_t before;       /* of several readers: only what is dated before this */
  const void *what;
} Sought;

/* Looks at one stretch between two saved states, from its beginning to `end` events of the reader; stores the last. */
typedef bool (*Search) (Travel *t, uint64_t end, const Sought *sought, Found *found, GError **error);

/* Goes back stretch by stretch until one holds what is sought, then travels there. */
static bool
search_back (Travel *t, Search search, EveComponent *reader, const void *what, bool earlier, const char *none,
             GError **error)
{
  /* `earlier`: the event that led to the present is not the one sought; of several readers none of its date */
  bool several = drive_several (t->s);
  uint64_t present = drive_given (t->s), own = drive_given_by (reader);
  uint64_t end = own - (earlier && !several && own), last = several ? present + 1 : end;
  Target back = travel_here (t);
  bool was_exact = travel_is_exact (t), ok = true;
  GBytes *kept = travel_hold (t);
  Sought sought = { reader, several && earlier ? drive_date (t->s) : INT64_MAX, what };
  Found found = { 0 };
  GError *why = NULL;

  t->listener.obey = false;
  while (ok && !found.number && end && last) {
    Start start = last_before (t, last);
    if (!travel_begin_at (t, &start))
      continue;
    travel_note_present (t, true);
    uint64_t from = drive_given_by (reader);
    ok = from >= end || search (t, end, &sought, &found, &why);
    end = MIN (end, from);
    last = start.event;
    ok = ok
         && (found.number
             || drive_report (t->o.progress, "searching", 1 - (double) end / (double) MAX (present, 1), &why));
  }
  g_array_set_size (t->listener.heard, 0);
  if (ok && !found.number)
    g_set_error (&why, FILM_ERROR, FILM_ERROR_TARGET, "%s", none);
  travel_note_present (t, false); /* somewhere in between */
  Target there = several ? (Target){ .kind = TO_DATE, .date = found.date }
                         : (Target){ .kind = TO_EVENT, .event = found.number };
  if (!why && travel_way_there (t, &there, &why)) {
    travel_thin (t, drive_given (t->s));
    g_clear_pointer (&kept, g_bytes_unref);
    return true;
  }
  g_autofree char *lost = NULL;
  if (kept ? !travel_load (t, kept, &lost) : !travel_way_there (t, &back, NULL))
    drive_reset (t->s);
  travel_note_present (t, was_exact);
  g_clear_pointer (&kept, g_bytes_unref);
  g_propagate_error (error, why);
  return false;
}

typedef struct Pair {
  uint32_t a, b; /* b TRACE_NONE: events of a alone */
} Pair;

static bool
is_sought (const TraceEvent *e, const Pair *p)
{
  return p->b == TRACE_NONE ? e->task == p->a : trace_goes_to (e, p->a, p->b) || trace_goes_to (e, p->b, p->a);
}

/* A source that reads backward is asked for what lies before the present, which stays as it is: no saved state is
 * needed, and no more is read than lies between.  Stores the number of events after which what is sought was the case;
 * 0: nowhere. */
static bool
read_back (Travel *t, const Pair *p, uint64_t *found, GError **error)
{
  enum { block = 1024 };
  TraceSource *s = t->s->source;
  g_autoptr (GBytes) place = trace_place (s);
  g_autofree TraceEvent *events = g_new (TraceEvent, block);
  uint64_t present = drive_given (t->s), left = present;
  GError *why = NULL;
  gsize n_bytes;
  size_t n;

  while (!*found && !why && (n = trace_previous (s, events, block, &why)) > 0) {
    for (size_t i = left == present ? 1 : 0; i < n && !*found;
         ++i) /* the event that led to the present is not sought */
      if (is_sought (&events[i], p))
        *found = left - i;
    left -= n;
    drive_report (t->o.progress, "searching", 1 - (double) left / (double) present, &why);
  }
  const void *bytes = g_bytes_get_data (place, &n_bytes);
  if (!trace_go_to_place (s, bytes, n_bytes) && !why)
    g_set_error (&why, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read any more"), s->path);
  if (why)
    g_propagate_error (error, why);
  return !why;
}

/* Events can be looked at without playing them: the reader's source stands where the state was saved. */
static bool
search_event (Travel *t, uint64_t end, const Sought *sought, Found *found, GError **error)
{
  enum { block = 1024 };
  const Pair *p = sought->what;
  TraceSource *s = t->s->source;
  g_autofree TraceEvent *events = g_new (TraceEvent, block);
  uint64_t at = drive_given_by (sought->reader);
  GError *why = NULL;

  if (at == 0)
    s->format->rewind (s);
  while (at < end && !why) {
    size_t n = trace_next (s, events, (size_t) MIN (block, end - at), &why);
    if (!n)
      break;
    for (size_t i = 0; i < n; ++i)
      if (is_sought (&events[i], p) && events[i].date < sought->before)
        *found = (Found){ events[i].number + 1, events[i].date };
    at += n;
  }
  if (why)
    g_propagate_error (error, why);
  return !why;
}

static bool
back_to_event (Travel *t, const Pair *p, const char *none, GError **error)
{
  uint64_t found = 0;

  /* several readers may stand at different places */
  if (t->s->source->format->previous == NULL || t->s->readers->len != 1 || drive_given (t->s) == 0)
    return search_back (t, search_event, drive_reader_of (t->s, t->s->source), p, true, none, error);
  if (!read_back (t, p, &found, error))
    return false;
  if (found)
    return travel_to_event (t, found, error);
  g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, "%s", none);
  return false;
}

bool
travel_back_task (Travel *t, uint32_t task, GError **error)
{
  return back_to_event (t, &(Pair){ task, TRACE_NONE }, _ ("this task has no earlier event"), error);
}

bool
travel_back_link (Travel *t, uint32_t from, uint32_t to, GError **error)
{
  return back_to_event (t, &(Pair){ from, to }, _ ("these tasks have no earlier event with each other"), error);
}

/* The state of a node; -1: there is none yet. */
static int64_t
travel_search_state_of (const StateGraph *g, uint32_t node)
{
  uint32_t state;
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);

  return node < g->n_nodes && state_value_of (g, attribute, node, &state) ? (int64_t) state : -1;
}

typedef struct Stay {
  const StateGraph *graph;
  uint32_t node;
} Stay;

/* Events are played one by one: another task's event may change the state of this one. */
static bool
search_state (Travel *t, uint64_t end, const Sought *sought, Found *found, GError **error)
{
  const Stay *stay = sought->what;

  drive_events (t->s, 0); /* what waited in the saved state goes through */
  if (!drive_run (t->s, NULL, NULL, NULL, NULL, error))
    return false;
  int64_t before = travel_search_state_of (stay->graph, stay->node);
  for (uint64_t at = drive_given_by (sought->reader) + 1; at <= end; ++at) {
    drive_one (sought->reader);
    if (!drive_run (t->s, NULL, NULL, NULL, NULL, error))
      return false;
    int64_t now = travel_search_state_of (stay->graph, stay->node);
    if (now != before)
      *found = (Found){ at, drive_date_of (t->s, sought->reader) };
    before = now;
    if (at % 4096 == 0 && !drive_report (t->o.progress, "searching", 0.5, error))
      return false;
  }
  return true;
}

bool
travel_back_state (Travel *t, const StateGraph *graph, uint32_t node, GError **error)
{
  if (!graph || travel_search_state_of (graph, node) < 0) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_TARGET, _ ("there is no such task here, or it has no state"));
    return false;
  }
  EveComponent *reader = drive_reader_of (t->s, trace_source (graph->source));
  return search_back (t, search_state, reader, &(Stay){ graph, node }, false, _ ("this state is that of the beginning"),
                      error);
}
