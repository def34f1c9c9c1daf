/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - where the events of one location have come to: the regions that it is inside of, and what has begun and not
 * ended.  A record that cannot be is told once for each location and reason, with how often. */
#include <inttypes.h>
#include <string.h>

#include "readers/otf2/otf2.h"
#include "eve/words.h"

#define MOST_LOOKED_UP 4096 /* regions that are looked at for the one that is left */

/* ---- requests ------------------------------------------------------------------------------------------------------------------ */

static guint
request_hash (gconstpointer p)
{
  const Request *r = p;
  uint64_t h = (r->id ^ (uint64_t) r->of << 40 ^ (uint64_t) r->space << 61) * UINT64_C (0x9e3779b97f4a7c15);

  return (guint) (h >> 32);
}

static gboolean
request_equal (gconstpointer a, gconstpointer b)
{
  const Request *x = a, *y = b;

  return x->id == y->id && x->of == y->of && x->space == y->space;
}

static void
request_forget (Lane *l, Request *r)
{
  g_hash_table_remove (l->requests, r);
  r->next = l->spare;
  l->spare = r;
}

void
otf2_request_begin (Lane *l, uint32_t space, uint32_t of, uint64_t id, const TraceEvent *e, uint64_t begun)
{
  const Request key = { .id = id, .of = of, .space = space };
  Request *r = g_hash_table_lookup (l->requests, &key);

  if (r) /* its end was not told, and the number is used again */
    g_hash_table_remove (l->requests, r);
  else if ((r = l->spare))
    l->spare = r->next;
  else
    r = g_new (Request, 1);
  *r = key;
  r->event = *e;
  r->begun = begun;
  g_hash_table_add (l->requests, r);
}

bool
otf2_request_end (Lane *l, uint32_t space, uint32_t of, uint64_t id, Request *r)
{
  const Request key = { .id = id, .of = of, .space = space };
  Request *found = g_hash_table_lookup (l->requests, &key);

  if (!found)
    return false;
  *r = *found;
  request_forget (l, found);
  return true;
}

/* ---- dates --------------------------------------------------------------------------------------------------------------------- */

bool
otf2_date (const Otf2 *o, uint64_t ticks, int64_t *date)
{
  *date = (int64_t) (ticks - o->offset);
  return *date<(int64_t) o->most_ticks && * date> - (int64_t) o->most_ticks;
}

static void
end_flush (Lane *l, int64_t date)
{
  l->flushing = false;
  otf2_leave (l, otf2_state (l->o, "Buffer flush", "Tracing"), MIN (l->flushed, date));
}

bool
otf2_at (Lane *l, uint64_t ticks, int64_t *date)
{
  if (G_UNLIKELY (!otf2_date (l->o, ticks, date))) {
    l->n_out++;
    return false;
  }
  if (G_UNLIKELY (*date < l->last)) {
    l->n_back++;
    *date = l->last;
  }
  if (G_UNLIKELY (l->flushing))
    end_flush (l, *date);
  l->last = *date;
  l->o->first = MIN (l->o->first, *date);
  return true;
}

/* ---- giving ---------------------------------------------------------------------------------------------------------------------- */

static inline OTF2_CallbackCode
otf2_lane_give (Lane *l, const TraceEvent *e)
{
  if (G_LIKELY (converter_event (l->to, e)))
    return OTF2_CALLBACK_SUCCESS;
  l->failed = true;
  return OTF2_CALLBACK_INTERRUPT;
}

OTF2_CallbackCode
otf2_give (Lane *l, Kind k, TraceEvent e)
{
  e.kind = otf2_kind_of (l->o, k);
  e.flags |= TRACE_INSTANT;
  return otf2_lane_give (l, &e);
}

OTF2_CallbackCode
otf2_give_object (Lane *l, Kind k, int64_t date, uint32_t object)
{
  const uint16_t kind = otf2_kind_of (l->o, k);
  TraceEvent *e = converter_room (l->to); /* where it stays: most events are these */

  *e = OTF2_EVENT (date);
  e->object = object;
  e->kind = kind;
  e->flags = TRACE_INSTANT;
  return otf2_lane_give (l, e);
}

void
otf2_lane_grow (Lane *l)
{
  l->room = MAX (2 * l->room, 64);
  l->stack = g_renew (uint32_t, l->stack, l->room);
}

void
otf2_enter (Lane *l, uint32_t object, int64_t date)
{
  otf2_push (l, object);
  otf2_give_object (l, KIND_ENTER, date, object);
}

static void
leave_innermost (Lane *l, int64_t date)
{
  otf2_give_object (l, KIND_LEAVE, date, l->stack[--l->depth]);
}

/* Regions inside of the one that is left end with it.  What it is not inside of is but noted. */
void
otf2_leave (Lane *l, uint32_t object, int64_t date)
{
  guint n = l->depth, least = n > MOST_LOOKED_UP ? n - MOST_LOOKED_UP : 0;

  while (n > least && l->stack[n - 1] != object)
    n--;
  if (n == least) {
    l->n_left++;
    otf2_give_object (l, KIND_LEFT, date, object);
    return;
  }
  while (l->depth >= n) {
    uint32_t innermost = l->stack[l->depth - 1];
    leave_innermost (l, date);
    if (l->waits_in > 0)
      otf2_device_leave (l, innermost, date);
  }
}

void
otf2_lane_cut (Lane *l)
{
  if (l->flushing)
    end_flush (l, l->flushed);
  while (l->depth > 0)
    leave_innermost (l, l->last);
}

/* ---- locations -------------------------------------------------------------------------------------------------------------------- */

Lane *
otf2_lane_new (Otf2 *o)
{
  Lane *l = g_new0 (Lane, 1);

  l->o = o;
  l->to = o->to;
  l->requests = g_hash_table_new (request_hash, request_equal);
  return l;
}

void
otf2_lane_begin (Lane *l, const Location *at, const char *file)
{
  l->at = at;
  l->file = file;
  l->task = at->task;
  l->last = INT64_MIN;
  l->flushing = l->in_collective = false;
  l->n_back = l->n_left = l->n_out = 0;
  l->depth = l->waits_in = 0;
  l->n_sends = 0;
  l->device = otf2_device_role (l->o, at, &l->process);
  l->asked_tag = -1;
}

void
otf2_lane_end (Lane *l)
{
  GHashTableIter each;
  gpointer r;

  if (l->flushing)
    end_flush (l, l->flushed);
  g_hash_table_iter_init (&each, l->requests);
  while (g_hash_table_iter_next (&each, &r, NULL)) {
    g_hash_table_iter_remove (&each);
    ((Request *) r)->next = l->spare;
    l->spare = r;
  }
  if (l->n_out > 0)
    otf2_damaged (l->o, l->file,
                  P_ ("%" PRIu64 " record has a date that cannot be; it is left out",
                      "%" PRIu64 " records have a date that cannot be; they are left out", (gulong) l->n_out),
                  l->n_out);
  if (l->n_back > 0)
    otf2_damaged (
        l->o, l->file,
        P_ ("%" PRIu64 " record is dated before the one that stands before it; it is taken at the date of that one",
            "%" PRIu64 " records are dated before the one that stands before them; they are taken at the date of that "
            "one",
            (gulong) l->n_back),
        l->n_back);
  if (l->n_left > 0)
    otf2_damaged (l->o, l->file,
                  P_ ("%" PRIu64 " record leaves a region that the location is not inside of; nothing changes then",
                      "%" PRIu64 " records leave regions that the location is not inside of; nothing changes then",
                      (gulong) l->n_left),
                  l->n_left);
}

void
otf2_lane_free (Lane *l)
{
  while (l->spare) {
    Request *r = l->spare;
    l->spare = r->next;
    g_free (r);
  }
  g_hash_table_unref (l->requests);
  g_free (l->stack);
  g_free (l);
}
