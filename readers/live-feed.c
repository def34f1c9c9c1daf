/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/live-feed.h"
#include "eve/words.h"
#include "readers/live-trace.h"
#include <errno.h>
#include <string.h>

#define MOST_PLACES 64
#define AGAIN_NS TRACE_TICKS /* between two tries to connect again */

/* One line a source. */
#define SOURCES(X) X (ocamlviz_live) X (statsd_live) X (openmetrics_live)

#define DECLARE(name) extern const LiveSource name;
SOURCES (DECLARE)
#define POINTER(name) &name,
static const LiveSource *const sources[] = { SOURCES (POINTER) };

typedef struct Place {
  char *where;
  const LiveSource *source;
  void *self; /* NULL: nobody listens there yet */
  uint32_t program;
  bool ended, silent, good; /* good: a program has ended there as programs do */
  int64_t heard, next_try;  /* dates: something came last; when to connect again */
  int first_fd, n_fds;      /* among those that are waited for */
} Place;

struct LiveFeed {
  ValuesRecorder *to;
  LiveFeedOptions options;
  int64_t begun_us;
  GPtrArray *places; /* of Place * */
  bool begun, failed;
};

static void
free_place (gpointer data)
{
  Place *p = data;

  if (p->self)
    p->source->close (p->self);
  g_free (p->where);
  g_free (p);
}

LiveFeed *
live_feed_new (ValuesRecorder *to, const LiveFeedOptions *options)
{
  LiveFeed *f = g_new0 (LiveFeed, 1);

  f->to = to;
  f->options = *options;
  f->begun_us = g_get_monotonic_time ();
  f->places = g_ptr_array_new_with_free_func (free_place);
  return f;
}

void
live_feed_free (LiveFeed *f)
{
  if (!f)
    return;
  g_ptr_array_unref (f->places);
  g_free (f);
}

static int64_t
now_of (const LiveFeed *f)
{
  return (g_get_monotonic_time () - f->begun_us) * 1000;
}

/* The date of what comes next is that of now, unless the program itself tells dates. */
static void
live_feed_date (LiveFeed *f, const Place *p)
{
  bool own = p && p->self && p->source->own_dates && p->source->own_dates (p->self);

  if (!f->options.source.cpu_dates && !own)
    values_date (f->to, now_of (f));
}

static void live_feed_say (LiveFeed *f, const Place *p, const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));
static void
live_feed_say (LiveFeed *f, const Place *p, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  if (f->options.say)
    f->options.say (f->options.arg, p->where, text);
}

/* For the first time, or again. */
static bool
live_feed_reach (LiveFeed *f, Place *p, GError **error)
{
  if (p->self)
    return p->source->again (p->self, error);
  p->self = p->source->open (p->where, &f->options.source, f->to, p->program, error);
  return p->self != NULL;
}

static void
is_connected (LiveFeed *f, Place *p)
{
  p->ended = p->silent = false;
  p->heard = now_of (f);
  f->begun = true;
  values_note (f->to, p->program, VALUE_CONNECTED);
}

void
live_feed_places (GString *to)
{
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_string_append_printf (to, "  %-12s %s\n", sources[i]->name, sources[i]->places);
  g_string_append_printf (to, "  %-12s %s\n", "tracers", LIVE_TRACE_PLACES);
}

bool
live_feed_add (LiveFeed *f, const char *where, GError **error)
{
  const LiveSource *best = NULL;
  int sure = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    int its = sources[i]->claims (where);
    if (its > sure) {
      sure = its;
      best = sources[i];
    }
  }
  if (!best || f->places->len >= MOST_PLACES) {
    g_autoptr (GString) places = g_string_new (NULL);
    for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
      g_string_append_printf (places, "%s; ", sources[i]->places);
    g_string_append (places, LIVE_TRACE_PLACES);
    if (best)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("at most %d programs are watched at once"), MOST_PLACES);
    else
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("no place that data can come from: it must be %s"),
                   places->str);
    return false;
  }
  if (best->load && !(best = best->load (where, error)))
    return false;
  live_feed_date (f, NULL);
  Place *p = g_new0 (Place, 1);
  p->where = g_strdup (where);
  p->source = best;
  p->program = values_program (f->to, where);
  g_autoptr (GError) why = NULL;
  if (!live_feed_reach (f, p, &why) && !f->options.wait) {
    g_propagate_error (error, g_steal_pointer (&why));
    free_place (p);
    return false;
  }
  if (p->self) {
    is_connected (f, p);
  } else {
    live_feed_say (f, p, _ ("%s; it is tried every second until somebody listens there, or Ctrl+C is pressed"),
                   why->message);
    p->ended = true;
    p->next_try = now_of (f) + AGAIN_NS;
  }
  g_ptr_array_add (f->places, p);
  return true;
}

bool
live_feed_begun (const LiveFeed *f)
{
  return f->begun;
}

bool
live_feed_failed (const LiveFeed *f)
{
  return f->failed;
}

/* ---- receiving ------------------------------------------------------------------------------------------------------------------ */

static void
end_place (LiveFeed *f, Place *p, const char *why)
{
  if (p->ended)
    return;
  p->ended = true;
  p->silent = false;
  p->next_try = now_of (f) + AGAIN_NS;
  values_note (f->to, p->program, VALUE_ENDED);
  live_feed_say (f, p, "%s%s", why ? why : _ ("the program has closed the connection"),
                 f->options.again ? _ ("; it is connected again when it listens") : "");
}

static void
live_feed_receive (LiveFeed *f, Place *p)
{
  g_autoptr (GError) why = NULL;
  bool some = false;

  live_feed_date (f, p);
  LiveState state = p->source->receive (p->self, &some, &why);
  if (some) {
    p->heard = now_of (f);
    if (p->silent) {
      values_note (f->to, p->program, VALUE_CONNECTED);
      live_feed_say (f, p, _ ("data come again"));
    }
    p->silent = false;
  }
  f->failed |= state == LIVE_FAILED && !p->good;
  p->good |= state == LIVE_ENDED;
  if (state != LIVE_GOES_ON)
    end_place (f, p, why ? why->message : NULL);
}

static void
look_for_silence (LiveFeed *f, Place *p)
{
  int64_t now = now_of (f);

  if (p->ended || p->silent || now - p->heard < VALUES_SILENT_NS)
    return;
  p->silent = true;
  live_feed_date (f, p);
  values_note (f->to, p->program, VALUE_SILENT);
  live_feed_say (f, p, _ ("no data for %d\u2009s"), (int) (VALUES_SILENT_NS / TRACE_TICKS));
}

static void
connect_again (LiveFeed *f, Place *p)
{
  bool first = !p->self;

  if (!p->ended || !(f->options.again || first) || !(p->source->again || first) || now_of (f) < p->next_try)
    return;
  if (!live_feed_reach (f, p, NULL)) {
    p->next_try = now_of (f) + AGAIN_NS;
    return;
  }
  live_feed_date (f, p);
  is_connected (f, p);
  live_feed_say (f, p, first ? "connected" : _ ("connected again"));
}

static const Place *
live_feed_place_at (const LiveFeed *f, guint i)
{
  return f->places->pdata[i];
}

static bool
live_feed_goes_on (const LiveFeed *f)
{
  for (guint i = 0; i < f->places->len; i++)
    if (!live_feed_place_at (f, i)->ended || f->options.again || !live_feed_place_at (f, i)->self)
      return true;
  return false;
}

static bool
is_ready (const Place *p, const struct pollfd *fds)
{
  for (int i = 0; i < p->n_fds; i++)
    if (fds[p->first_fd + i].revents)
      return true;
  return false;
}

bool
live_feed_go (LiveFeed *f, int timeout_ms, GError **error)
{
  struct pollfd fds[MOST_PLACES * LIVE_MOST_FDS];
  int own[MOST_PLACES];
  int n = 0;

  for (guint i = 0; i < f->places->len; i++) {
    Place *p = f->places->pdata[i];
    own[i] = -1;
    p->first_fd = n;
    p->n_fds = p->ended ? 0 : p->source->wait (p->self, fds + n, &own[i]);
    n += p->n_fds;
    if (own[i] >= 0)
      timeout_ms = MIN (timeout_ms, own[i]);
  }
  int64_t before = g_get_monotonic_time ();
  if (poll (fds, (nfds_t) n, timeout_ms) < 0)
    n = 0; /* a signal */
  int64_t waited = (g_get_monotonic_time () - before) / 1000;
  for (guint i = 0; i < f->places->len; i++) {
    Place *p = f->places->pdata[i];
    if (!p->ended && ((n > 0 && is_ready (p, fds)) || (own[i] >= 0 && waited >= own[i])))
      live_feed_receive (f, p);
    look_for_silence (f, p);
    connect_again (f, p);
  }
  return values_flush (f->to, error) && live_feed_goes_on (f);
}

/* The connection is given up, and made anew at once, or as soon as somebody listens. */
static bool
connect_anew (LiveFeed *f, Place *p, GError **error)
{
  if (!p->source->again) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s cannot be connected again"), p->where);
    return false;
  }
  live_feed_date (f, p);
  if (!p->ended)
    values_note (f->to, p->program, VALUE_ENDED);
  if (!live_feed_reach (f, p, error)) {
    p->ended = true;
    p->silent = false;
    p->next_try = now_of (f) + AGAIN_NS;
    f->options.again = true; /* a person wants it: it is tried until somebody listens */
    return false;
  }
  live_feed_date (f, p);
  is_connected (f, p);
  live_feed_say (f, p, _ ("connected again"));
  return true;
}

/* ---- orders ---------------------------------------------------------------------------------------------------------------------- */

bool
live_feed_tell (LiveFeed *f, const char *program, const char *order, GError **error)
{
  bool connects = g_str_equal (order, "connect again"), good = true;

  for (guint i = 0; connects && !program && i < f->places->len; i++) { /* all those that say nothing */
    Place *p = f->places->pdata[i];
    if (p->ended || p->silent)
      good = connect_anew (f, p, good ? error : NULL) && good;
  }
  if (connects && !program)
    return good;
  if (!program && f->places->len > 1
      && g_str_equal (order, "continue")) { /* all that wait; who does not, hears nothing */
    bool told = false;
    for (guint i = 0; i < f->places->len; i++) {
      Place *p = f->places->pdata[i];
      told |= !p->ended && p->source->tell && p->source->tell (p->self, order, NULL);
    }
    if (!told)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("none of the programs takes orders"));
    return told;
  }
  for (guint i = 0; i < f->places->len; i++) {
    Place *p = f->places->pdata[i];
    if (program ? !g_str_equal (p->where, program) : f->places->len > 1)
      continue;
    if (connects)
      return connect_anew (f, p, error);
    if (p->ended)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s is not connected"), p->where);
    else if (!p->source->tell)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s takes no orders: its protocol goes one way only"),
                   p->where);
    else
      return p->source->tell (p->self, order, error);
    return false;
  }
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s",
               program ? _ ("there is no such program") : _ ("say which program"));
  return false;
}

void
live_feed_text (LiveFeed *f, GString *to)
{
  for (guint i = 0; i < f->places->len; i++) {
    Place *p = f->places->pdata[i];
    if (p->source->text && p->self)
      p->source->text (p->self, to);
  }
}
