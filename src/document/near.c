/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - to the next or previous event, or stay in a state, that is like the one here. */
#include "document/near.h"
#include "eve/words.h"
#include "document/private.h"
#include "document/story.h"
#include "session/nearby.h"

/* What "this" is. */
typedef struct Here {
  TraceSource *source;
  EveComponent *reader;
  Nearby *nearby;
  TraceEvent event; /* the last one here; number UINT64_MAX: there is none */
  uint64_t number;  /* of the event that is looked on from */
  int64_t date;
  uint32_t task, peer;
  bool around;
} Here;

static Nearby *
nearby_of (ScopeDocument *d, const TraceSource *source, GError **error)
{
  if (!nearby_is_of (d->nearby, source)) {
    g_clear_pointer (&d->nearby, nearby_free);
    d->nearby = nearby_new (source, &d->progress, error);
  }
  return d->nearby;
}

/* The present of the reader, or what is pointed at. */
static bool
find_here (ScopeDocument *d, const ScopeHere *at, Here *h, GError **error)
{
  uint64_t given = drive_given_by (h->reader);
  NearbyResult result = NEARBY_NONE;

  h->date = scope_document_at (d);
  h->event.number = UINT64_MAX;
  h->event.task = h->event.peer = TRACE_NONE;
  h->around = at && at->around;
  if (at && at->event > 0)
    result = nearby_event (h->nearby, at->event - 1, &h->event, error);
  else if (at && at->dated)
    result = nearby_last (h->nearby, at->task, at->date, &h->event, error);
  else if (given > 0)
    result = nearby_event (h->nearby, given - 1, &h->event, error);
  if (result == NEARBY_FAILED)
    return false;
  if (result == NEARBY_NONE)
    h->event.number = UINT64_MAX;
  h->number = at && (at->event || at->dated) ? h->event.number : given > 0 ? given - 1 : UINT64_MAX;
  if (at && at->dated)
    h->date = at->date;
  h->task = at && at->task != TRACE_NONE ? at->task : at ? h->event.task : scope_document_selected_task (d);
  h->peer = at && at->task != TRACE_NONE ? at->peer : at ? h->event.peer : scope_document_selected_peer (d);
  if (h->task == TRACE_NONE || !trace_task (h->source, h->task)) {
    h->task = h->event.task;
    h->peer = h->event.peer;
  }
  return true;
}

/* ---- stays ----------------------------------------------------------------------------------------------------------- */

typedef struct Stays {
  int64_t at;
  bool back, any; /* any: only what the state is at `at` */
  uint32_t state;
  int64_t begin; /* of the stay at `at` */
  int64_t found; /* INT64_MIN: none */
} Stays;

static bool
look_at_stay (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Stays *s = arg;

  if (s->any) {
    if (from <= s->at && s->at < to) {
      s->state = state;
      s->begin = from;
    }
    return to <= s->at;
  }
  if (state == s->state && (s->back ? from < s->at : from > s->at))
    s->found = from;
  return s->back ? to < s->at : s->found == INT64_MIN;
}

#define TASKS_A_LOOK                                                                                                   \
  16 /* after so many tasks it is asked whether the search was stopped, or somebody else wants the film */

/* Lets go on what goes on meanwhile; a film that is shot again then has another reader.  NULL: it is over. */
static StatesReader *
stays_go_on (ScopeDocument *d, StatesReader *r, double share)
{
  int64_t told = d->busy_told_us;
  const StateModel *model;
  int attribute;

  if (!d->progress.report (d->progress.arg, "searching", share))
    return NULL;
  return d->busy_told_us == told ? r : story_states (d, &model, &attribute, NULL);
}

/* Of `n` tasks from `task` on the nearest.  Windows that grow: the next stay is mostly near, and a task may have a
 * million of them; what one task has makes that of the others smaller.  False: it was interrupted. */
static bool
find_stay (ScopeDocument *d, StatesReader *r, uint32_t task, uint32_t n, const TraceSource *source, Stays *s)
{
  for (double width = (double) (source->last - source->first) / 4096 + 1;; width *= 8) {
    int64_t left = MAX (s->back ? s->at - source->first : source->last - s->at, 0);
    int64_t step = width < (double) left ? MIN ((int64_t) width, left) : left, from = s->back ? s->at - step : s->at,
            to = s->back ? s->at : s->at + step;
    for (uint32_t i = 0; i < n; i++) {
      Stays one = *s;
      one.found = INT64_MIN;
      if (i % TASKS_A_LOOK == TASKS_A_LOOK - 1 && !(r = stays_go_on (d, r, (double) i / n)))
        return false;
      states_reader_each (r, task + i, from, to + 1, look_at_stay, &one);
      if (one.found == INT64_MIN
          || (s->found != INT64_MIN && (s->back ? one.found <= s->found : one.found >= s->found)))
        continue;
      s->found = one.found;
      *(s->back ? &from : &to) = one.found;
    }
    if (s->found != INT64_MIN || step >= left)
      return true;
  }
}

/* The number of the state of that name; UINT32_MAX: there is none. */
static uint32_t
near_state_named (const StatesReader *r, const StateModel *model, int attribute, const char *name)
{
  uint32_t most = MIN (states_reader_highest (r), HISTORY_STATES_MOST - 1);

  for (uint32_t i = 0; i <= most; i++) {
    const StateValue *v = state_value (model, attribute, i);
    if (v && strcmp (v->name, name) == 0)
      return i;
  }
  return UINT32_MAX;
}

static void
say_no_stay (ScopeDocument *d, const char *name, const StateValue *value, bool back)
{
  const char *state = state_value_word (value);

  if (name)
    scope_document_say_about (d, "near", SCOPE_SAY_NOTE, back ? _ ("%s is not %s before") : _ ("%s is not %s again"),
                              name, state);
  else
    scope_document_say_about (d, "near", SCOPE_SAY_NOTE,
                              back ? _ ("No task comes to be %s before") : _ ("No task comes to be %s after this"),
                              state);
}

static void
go_stay (ScopeDocument *d, const Here *h, const ScopeHere *at, bool back)
{
  g_autoptr (GError) error = NULL;
  const StateModel *model;
  int attribute;
  StatesReader *r = story_states (d, &model, &attribute, &error);
  bool named = r && at && at->state && !at->dated, all = named && at->task == TRACE_NONE;
  Stays s = {
    .at = at && at->dated ? at->date : scope_document_at (d), .any = true, .state = UINT32_MAX, .found = INT64_MIN
  };

  if (!r || (h->task == TRACE_NONE && !all)) {
    scope_document_say_about (d, "near", SCOPE_SAY_NOTE, "%s",
                              error ? error->message : _ ("Select the task whose state is meant"));
    return;
  }
  if (named)
    s.state = near_state_named (r, model, attribute, at->state);
  else
    states_reader_each (r, h->task, s.at, s.at + 1, look_at_stay, &s);
  const StateValue *value = s.state != UINT32_MAX ? state_value (model, attribute, s.state) : NULL;
  const char *name = all ? NULL : trace_task_name (h->source, h->task);
  if (!value) {
    if (named)
      scope_document_say_about (d, "near", SCOPE_SAY_NOTE, _ ("No task is ever %s"), at->state);
    else
      scope_document_say_about (d, "near", SCOPE_SAY_NOTE, _ ("%s is in no state here"), name);
    return;
  }
  s.any = false;
  s.back = back;
  if (back && !named) /* before the stay that is here */
    s.at = MAX (s.begin, h->source->first);
  uint32_t first = all ? 0 : h->task, n = all ? h->source->tasks->len : 1;
  bool done = find_stay (d, r, first, n, h->source, &s);
  if (done && s.found == INT64_MIN && h->around && (r = story_states (d, &model, &attribute, NULL)) != NULL) {
    s.at = h->source->first - 1;
    done = find_stay (d, r, first, n, h->source, &s);
  }
  if (!done)
    return;
  if (s.found == INT64_MIN) {
    say_no_stay (d, name, value, back);
  } else {
    scope_document_unsay (d, "near");
    scope_document_go_date (d, s.found);
  }
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

/* What is sought; NULL: there is nothing such here, and *why says so. */
static char *
near_describe (const Here *h, ScopeNear by, const ScopeHere *at, NearbySought *sought, const char **why)
{
  const TraceEvent *e = &h->event;
  bool there = e->number != UINT64_MAX;

  *sought = NEARBY_ANY;
  *why = _ ("There is no event here");
  switch (by) {
  case SCOPE_NEAR_KIND:
    if (at && at->kind < h->source->n_kinds) { /* of this task, where one is told with it */
      sought->kind = (int32_t) at->kind;
      sought->task = at->task;
      return g_strdup (h->source->kinds[at->kind].name);
    }
    if (!there)
      return NULL;
    sought->kind = e->kind;
    sought->ends = (e->flags & TRACE_END) != 0;
    return g_strdup (trace_event_name (e));
  case SCOPE_NEAR_TAG:
    *why = _ ("The event here has no tag");
    if (!there || e->tag < 0)
      return NULL;
    sought->tag = e->tag;
    return g_strdup_printf (_ ("event with the tag %d"), e->tag);
  case SCOPE_NEAR_PARTNER:
    *why = _ ("The event here has no partner; select a link, or an event with one");
    if (h->task == TRACE_NONE || h->peer == TRACE_NONE)
      return NULL;
    sought->task = h->task;
    sought->peer = h->peer;
    return g_strdup_printf (_ ("event between %s and %s"), trace_task_name (h->source, h->task),
                            trace_task_name (h->source, h->peer));
  case SCOPE_NEAR_OBJECT:
    *why = _ ("What is here is nothing that events are about");
    if (!at || at->object >= h->source->objects->len)
      return NULL;
    sought->object = at->object;
    sought->task = at->task;
    return g_strdup_printf (_ ("event about %s"), ((const TraceObject *) h->source->objects->pdata[at->object])->id);
  default:
    if (h->task == TRACE_NONE)
      return NULL;
    sought->task = h->task;
    return g_strdup_printf (_ ("event of %s"), trace_task_name (h->source, h->task));
  }
}

/* `what` names it in a sentence. */
static void
go_sought (ScopeDocument *d, const Here *h, const NearbySought *sought, const char *what, bool back)
{
  g_autoptr (GError) error = NULL;
  TraceEvent found;
  uint64_t from = back && h->number == UINT64_MAX ? 0 : h->number;
  NearbyResult result = nearby_find (h->nearby, from, back, sought, &found, &error);

  if (result == NEARBY_NONE && h->around)
    result = nearby_find (h->nearby, UINT64_MAX, false, sought, &found, &error);
  switch (result) {
  case NEARBY_FOUND:
    scope_document_unsay (d, "near");
    if (drive_several (d->session)) /* numbers are of each trace alone */
      scope_document_go_date (d, found.date);
    else
      scope_document_go_event (d, found.number + 1);
    break;
  case NEARBY_NONE:
    scope_document_say_about (d, "near", SCOPE_SAY_NOTE,
                              back ? _ ("There is no earlier %s") : _ ("There is no later %s"), what);
    break;
  default:
    if (!g_error_matches (error, SESSION_ERROR, SESSION_ERROR_CANCELLED))
      scope_document_say_about (d, "near", SCOPE_SAY_ERROR, "%s", error->message);
  }
}

static void
go_event (ScopeDocument *d, const Here *h, ScopeNear by, const ScopeHere *at, bool back)
{
  NearbySought sought;
  const char *why;
  g_autofree char *what = near_describe (h, by, at, &sought, &why);

  if (what)
    go_sought (d, h, &sought, what, back);
  else
    scope_document_say_about (d, "near", SCOPE_SAY_NOTE, "%s", why);
}

static void
go_kind (ScopeDocument *d, const Here *h, uint32_t kind, bool back)
{
  NearbySought sought = NEARBY_ANY;

  sought.kind = (int32_t) kind;
  go_sought (d, h, &sought, h->source->kinds[kind].name, back);
}

/* `kind` negative: by what is here. */
static void
near_go (ScopeDocument *d, ScopeNear by, int64_t kind, bool back, const ScopeHere *at)
{
  g_autoptr (GError) error = NULL;
  Here h = { .source = scope_document_view_source (d) };

  if (!d->session || !d->travel || !h.source || d->near_under_way || kind >= (int64_t) h.source->n_kinds)
    return;
  h.reader = drive_reader_of (d->session, h.source);
  d->near_under_way = true; /* what is pressed while it goes on is drawn in there */
  document_work_begins (d);
  h.nearby = h.reader ? nearby_of (d, h.source, &error) : NULL;
  if (h.nearby && find_here (d, at, &h, &error)) {
    if (kind >= 0)
      go_kind (d, &h, (uint32_t) kind, back);
    else if (by == SCOPE_NEAR_STATE)
      go_stay (d, &h, at, back);
    else
      go_event (d, &h, by, at, back);
  } else if (error && !g_error_matches (error, SESSION_ERROR, SESSION_ERROR_CANCELLED)
             && !g_error_matches (error, TRACE_ERROR, TRACE_ERROR_CANCELLED)) {
    scope_document_say_about (d, "near", SCOPE_SAY_ERROR, "%s", error->message);
  }
  document_work_ends (d);
  d->near_under_way = false;
}

void
scope_document_go_near (ScopeDocument *d, ScopeNear by, bool back, const ScopeHere *at)
{
  near_go (d, by, -1, back, at);
}

void
scope_document_go_kind (ScopeDocument *d, uint32_t kind, bool back)
{
  near_go (d, SCOPE_NEAR_KIND, kind, back, NULL);
}
