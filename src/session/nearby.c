/* SPDX-License-Identifier: Apache-2.0 */
#include "session/nearby.h"
#include "eve/words.h"
#include "session/session.h"

#define BLOCK 1024
#define STRIDE 16384 /* events between two places, at least */

typedef struct Place {
  uint64_t number; /* of the event that comes next there */
  int64_t date;    /* of the one before it; INT64_MIN: the beginning */
  GBytes *bytes;
} Place;

struct Nearby {
  TraceSource *source;
  char *path;
  int64_t offset;
  uint64_t n_events; /* of the source that it is like, when it was opened */
  const TraceProgress *progress;
  GArray *places; /* of Place, by number; the first is the beginning */
  uint64_t at;    /* number of the event that comes next */
  int64_t date;   /* of the one before */
  TraceEvent *events;
};

static void
nearby_place_clear (void *place)
{
  g_bytes_unref (((Place *) place)->bytes);
}

static const Place *
nearby_place (const Nearby *n, guint i)
{
  return &g_array_index (n->places, Place, i);
}

static void
nearby_note_place (Nearby *n)
{
  Place p = { n->at, n->date, trace_place (n->source) };

  g_array_append_val (n->places, p);
}

Nearby *
nearby_new (const TraceSource *like, const TraceProgress *progress, GError **error)
{
  TraceOptions options = {
    .offset = like->clock.offset, .progress = progress, .clocks = like->clocks.by, .reference = like->reference
  };
  TraceSource *source = trace_open (like->path, like->format->name, &options, error);

  if (!source)
    return NULL;
  Nearby *n = g_new0 (Nearby, 1);
  n->source = source;
  n->path = g_strdup (like->path);
  n->offset = like->clock.offset;
  n->n_events = like->n_events;
  n->progress = progress;
  n->places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_array_set_clear_func (n->places, nearby_place_clear);
  n->date = INT64_MIN;
  n->events = g_new (TraceEvent, BLOCK);
  nearby_note_place (n);
  return n;
}

void
nearby_free (Nearby *n)
{
  if (!n)
    return;
  trace_close (n->source);
  g_array_unref (n->places);
  g_free (n->events);
  g_free (n->path);
  g_free (n);
}

bool
nearby_is_of (const Nearby *n, const TraceSource *source)
{
  return n && g_str_equal (n->path, source->path) && n->offset == source->clock.offset
         && n->n_events == source->n_events;
}

/* To a place; false: the trace is another than it was. */
static bool
nearby_go_to (Nearby *n, guint i, GError **error)
{
  gsize size;
  const void *bytes = g_bytes_get_data (nearby_place (n, i)->bytes, &size);

  n->at = nearby_place (n, i)->number;
  n->date = nearby_place (n, i)->date;
  if (trace_go_to_place (n->source, bytes, size))
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read any more"), n->path);
  return false;
}

/* Number of the last place that is not behind an event. */
static guint
place_before (const Nearby *n, uint64_t number)
{
  guint low = 0, high = n->places->len;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    *(nearby_place (n, middle)->number <= number ? &low : &high) = middle;
  }
  return low;
}

typedef bool (*Wanted) (const TraceEvent *e, const void *what);

/* Looks at the events from number `from` to before `to`; stores the first that is wanted, or the last.  `stop` ends it
 * before an event, NULL: nothing does. */
static NearbyResult
nearby_look (Nearby *n, uint64_t from, uint64_t to, bool last, Wanted wanted, Wanted stop, const void *what,
             TraceEvent *found, GError **error)
{
  NearbyResult result = NEARBY_NONE;
  GError *why = NULL;

  while (n->at < to) {
    size_t got = trace_next (n->source, n->events, (size_t) MIN (BLOCK, to - n->at), &why);
    if (got == 0)
      break;
    for (size_t i = 0; i < got; ++i) {
      const TraceEvent *e = &n->events[i];
      if (n->at + i < from || !wanted (e, what))
        continue;
      if (stop && stop (e, what))
        break;
      *found = *e;
      found->number = n->at + i; /* as they are given */
      result = NEARBY_FOUND;
      if (!last)
        break;
    }
    bool ends = stop && stop (&n->events[got - 1], what);
    n->at += got;
    n->date = n->events[got - 1].date;
    if (n->at >= nearby_place (n, n->places->len - 1)->number + STRIDE)
      nearby_note_place (n);
    if ((result == NEARBY_FOUND && !last) || ends)
      break;
    if (n->progress && n->progress->report
        && !n->progress->report (n->progress->arg, "searching", (double) n->at / (double) MAX (n->n_events, n->at))) {
      g_set_error (&why, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
      break;
    }
  }
  if (!why)
    return result;
  g_propagate_error (error, why);
  return NEARBY_FAILED;
}

/* To where an event comes next, or a little before it. */
static bool
nearby_set_out (Nearby *n, uint64_t number, GError **error)
{
  guint i = place_before (n, number);

  return (n->at <= number && n->at >= nearby_place (n, i)->number) || nearby_go_to (n, i, error);
}

/* The last that is wanted before an event: back from place to place. */
static NearbyResult
nearby_look_back (Nearby *n, uint64_t before, Wanted wanted, const void *what, TraceEvent *found, GError **error)
{
  /* So that there are places up to there. */
  if (before > nearby_place (n, n->places->len - 1)->number) {
    TraceEvent none;
    if (!nearby_go_to (n, n->places->len - 1, error))
      return NEARBY_FAILED;
    NearbyResult reached = nearby_look (n, UINT64_MAX, before, false, wanted, NULL, what, &none, error);
    if (reached == NEARBY_FAILED)
      return reached;
    before = MIN (before, n->at);
  }
  while (before > 0) {
    guint i = place_before (n, before - 1);
    if (!nearby_go_to (n, i, error))
      return NEARBY_FAILED;
    uint64_t from = n->at;
    NearbyResult result = nearby_look (n, from, before, true, wanted, NULL, what, found, error);
    if (result != NEARBY_NONE)
      return result;
    before = from;
  }
  return NEARBY_NONE;
}

/* ---- what is wanted ------------------------------------------------------------------------------------------------ */

static bool
nearby_is_sought (const TraceEvent *e, const void *what)
{
  const NearbySought *s = what;

  return (s->kind < 0 || (e->kind == s->kind && ((e->flags & TRACE_END) != 0) == s->ends))
         && (s->tag < 0 || e->tag == s->tag) && (s->object == TRACE_NONE || e->object == s->object)
         && (s->task == TRACE_NONE
             || (s->peer == TRACE_NONE ? e->task == s->task
                                       : trace_goes_to (e, s->task, s->peer) || trace_goes_to (e, s->peer, s->task)));
}

static bool
is_any (const TraceEvent *e, const void *what)
{
  return true;
}

typedef struct Dated {
  uint32_t task;
  int64_t date;
} Dated;

static bool
is_of_task (const TraceEvent *e, const void *what)
{
  const Dated *d = what;

  return d->task == TRACE_NONE || e->task == d->task;
}

static bool
is_later (const TraceEvent *e, const void *what)
{
  return e->date > ((const Dated *) what)->date;
}

NearbyResult
nearby_event (Nearby *n, uint64_t number, TraceEvent *found, GError **error)
{
  return nearby_set_out (n, number, error)
             ? nearby_look (n, number, number + 1, false, is_any, NULL, NULL, found, error)
             : NEARBY_FAILED;
}

NearbyResult
nearby_last (Nearby *n, uint32_t task, int64_t date, TraceEvent *found, GError **error)
{
  Dated what = { task, date };
  guint i = 0;

  while (i + 1 < n->places->len && nearby_place (n, i + 1)->date <= date)
    ++i;
  if (!nearby_go_to (n, i, error))
    return NEARBY_FAILED;
  uint64_t from = n->at;
  NearbyResult result = nearby_look (n, from, UINT64_MAX, true, is_of_task, is_later, &what, found, error);
  return result == NEARBY_NONE ? nearby_look_back (n, from, is_of_task, &what, found, error) : result;
}

NearbyResult
nearby_find (Nearby *n, uint64_t from, bool back, const NearbySought *sought, TraceEvent *found, GError **error)
{
  if (back)
    return nearby_look_back (n, from, nearby_is_sought, sought, found, error);
  uint64_t next = from == UINT64_MAX ? 0 : from + 1;
  return nearby_set_out (n, next, error)
             ? nearby_look (n, next, UINT64_MAX, false, nearby_is_sought, NULL, sought, found, error)
             : NEARBY_FAILED;
}
