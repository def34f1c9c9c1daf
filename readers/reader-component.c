/* SPDX-License-Identifier: Apache-2.0 */
/* reader-component.c - the reader as an Eve component, the same for every format: a source of events that does
 * what its control port says (thesis, 1.6.2 and 2.1). */
#include "readers/reader.h"
#include "eve/words.h"
#include "readers/live.h"
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  EveBase base;
  char *trace; /* settings */
  int32_t on_damage;
  char *offset;
  int32_t clocks;
  char *reference;
  char *opened; /* the trace for a reader whose setting names none; NULL: there is none */
  const TraceFormat *format;
  TraceSource *source;
  GPtrArray *left; /* sources before it that others may still read: their events are on the way; NULL: none */
  bool met;        /* some of its events, since a reset */
  const TraceProgress *watch; /* of opening; NULL: nobody */
  bool follow;
  bool failed;    /* to open: told once, tried again when a setting changes */
  uint64_t given; /* run state */
  int64_t clock;
  TraceEvent last;  /* when given > 0 */
  bool told;        /* a command has come: until then a connected reader waits */
  uint64_t allowed; /* events that may still be given; UINT64_MAX: no bound */
  int64_t until;    /* ... dated at most so */
} Reader;
_Static_assert(sizeof (Reader) <= TRACE_READER_INSTANCE_BYTES, "raise TRACE_READER_INSTANCE_BYTES");

static void reader_component_on_command (EveComponent *c, EveIn *in, const void *datum);

const EveInSpec trace_reader_ins[] = {
  { "commands", &trace_type_command, EVE_ASYNC, EVE_CONTROL, .on_datum = reader_component_on_command, .quiet = true,
    .doc = "What to give: so many events, all until a date, none; while nothing is connected, everything." },
};
const EveOutSpec trace_reader_outs[] = {
  { "events", &trace_type_event, .capacity = 1024, .doc = "The events in the order of their dates, ends included." },
};
static const char *const damage_choices[] = { "go on", "stop", NULL };
const EveField trace_reader_settings[] = {
  { "trace", EVE_F_STRING, offsetof (Reader, trace), .path = true,
    .doc = "The trace, a folder NAME.trace, of a reader that keeps its own; empty: the one that is opened." },
  { "on damage", EVE_F_CHOICE, offsetof (Reader, on_damage), .choices = damage_choices,
    .doc = "A damaged record is reported and left out, or stops the program." },
  { "offset", EVE_F_STRING, offsetof (Reader, offset), .unit = "s",
    .doc = "Seconds added to every date, such as -0.25: two executions can be laid one over the other; empty: none." },
  { "clocks", EVE_F_CHOICE, offsetof (Reader, clocks), .choices = trace_clocks_names,
    .doc =
        "Dates of tasks whose clocks differ: as the trace says that they do (offsets), as recorded (none), made equal "
        "at the first and last operation of all (linear), or also so that nothing is before its cause (logical)." },
  { "reference", EVE_F_STRING, offsetof (Reader, reference),
    .doc = "Of a trace whose dates are vectors: the task as whose order events come, by id; empty: the first one." },
};

static Reader *
reader_component_reader_of (EveComponent *c)
{
  return (Reader *) c;
}

static void
start_over (Reader *r)
{
  r->given = 0;
  r->clock = INT64_MIN;
  r->told = false;
  r->allowed = UINT64_MAX;
  r->until = INT64_MAX;
}

/* Who has met its events may keep tables of it until all are reset. */
static void
leave_source (Reader *r)
{
  if (r->source && r->met) {
    if (!r->left)
      r->left = g_ptr_array_new ();
    trace_source_hide (r->source);
    g_ptr_array_add (r->left, r->source);
    r->source = NULL;
  }
  r->met = false;
}

static void
close_left (Reader *r)
{
  for (guint i = 0; r->left && i < r->left->len; i++)
    trace_close (r->left->pdata[i]);
  g_clear_pointer (&r->left, g_ptr_array_unref);
  r->met = false;
}

static void
close_source (Reader *r)
{
  trace_close (r->source);
  r->source = NULL;
  r->failed = false;
}

static bool
reader_component_on_progress (void *arg, const char *doing, double share)
{
  const TraceProgress *watch = reader_component_reader_of (arg)->watch;
  eve_status (arg, "%s: %d\u2009%%", doing, (int) (share * 100));
  return !watch || !watch->report || watch->report (watch->arg, doing, share);
}

static TraceSource *
reader_component_open_source (EveComponent *c)
{
  Reader *r = reader_component_reader_of (c);
  if (r->source || r->failed)
    return r->source;
  g_autoptr (GError) error = NULL;
  if (!*r->trace && !r->opened) {
    eve_fail (c, _ ("no trace is chosen: give the setting “trace” a folder NAME.trace"));
    r->failed = true;
    return NULL;
  }
  char *path = *r->trace ? eve_path (c, r->trace) : strdup (r->opened);
  if (!path) {
    r->failed = true;
    return NULL;
  }
  TraceProgress progress = { reader_component_on_progress, c };
  TraceOptions options = { .strict = r->on_damage == 1,
                           .progress = &progress,
                           .follow = r->follow,
                           .clocks = (TraceClocksBy) r->clocks,
                           .reference = r->reference };
  trace_offset_parse (r->offset, &options.offset);
  r->source = trace_open (path, r->format->name, &options, &error);
  free (path);
  if (!r->source) {
    eve_fail (c, "%s", error->message);
    r->failed = true;
    return NULL;
  }
  bool corrected = r->source->clocks.by >= TRACE_CLOCKS_LINEAR;
  eve_status (c, _ ("%s: %" PRIu64 " events%s%s"), r->source->name, r->source->n_events,
              corrected ? _ (", clocks corrected: ") : "", corrected ? trace_clocks_names[r->source->clocks.by] : "");
  if (*r->reference && g_strcmp0 (r->reference, r->source->reference) != 0) {
    if (r->source->reference)
      eve_warn (c, _ ("No task is called “%s”; events are in the order of %s."), r->reference, r->source->reference);
    else
      eve_warn (c, _ ("Dates of this trace are no vectors: “reference” changes nothing."));
  }
  return r->source;
}

bool
trace_reader_init (EveComponent *c, const TraceFormat *format)
{
  reader_component_reader_of (c)->format = format;
  start_over (reader_component_reader_of (c));
  return true;
}

void
trace_reader_finish (EveComponent *c)
{
  close_source (reader_component_reader_of (c));
  close_left (reader_component_reader_of (c));
  g_free (reader_component_reader_of (c)->opened);
}

void
trace_reader_pause (EveComponent *c)
{
}

void
trace_reader_reset (EveComponent *c)
{
  Reader *r = reader_component_reader_of (c);
  if (r->source)
    r->format->rewind (r->source);
  r->failed = false;
  close_left (r);
  start_over (r);
}

bool
trace_reader_changed (EveComponent *c, uint32_t setting)
{
  int64_t offset;

  if (!trace_offset_parse (reader_component_reader_of (c)->offset, &offset)) {
    eve_fail (c, _ ("“offset” is no amount of time; write seconds, such as -0.25"));
    return false;
  }
  leave_source (reader_component_reader_of (c));
  close_source (reader_component_reader_of (c));
  reader_component_reader_of (c)->given = 0;
  reader_component_reader_of (c)->clock = INT64_MIN;
  return true;
}

static void
open_with (EveComponent *c, const char *path)
{
  Reader *r = reader_component_reader_of (c);

  if (g_strcmp0 (r->opened, path) == 0)
    return;
  g_free (r->opened);
  r->opened = g_strdup (path);
  if (!*r->trace)
    trace_reader_changed (c, 0);
}

static void
do_command (EveComponent *c, const TraceCommand *command)
{
  Reader *r = reader_component_reader_of (c);
  if (command->verb > TRACE_STOP) /* marks and checkpoints are for the session */
    return;
  r->told = true;
  switch ((TraceVerb) command->verb) {
  case TRACE_GO_EVENTS:
    r->allowed = command->number;
    r->until = INT64_MAX;
    break;
  case TRACE_GO_UNTIL:
    r->allowed = UINT64_MAX;
    r->until = command->date;
    break;
  case TRACE_PAUSE:
    r->allowed = 0;
    break;
  case TRACE_STOP:
    if (r->source)
      r->format->rewind (r->source);
    r->given = 0;
    r->clock = INT64_MIN;
    r->allowed = 0;
    break;
  default:
    break;
  }
  eve_wake (c);
}

static void
reader_component_on_command (EveComponent *c, EveIn *in, const void *datum)
{
  TraceCommand command;
  memcpy (&command, datum, sizeof command);
  do_command (c, &command);
}

EveSupply
trace_reader_produce (EveComponent *c, uint32_t max)
{
  Reader *r = reader_component_reader_of (c);
  TraceSource *s = reader_component_open_source (c);
  if (!s)
    return EVE_END;
  bool waits = !r->told && eve_in_connected (r->base.in[0]);
  size_t want = waits ? 0 : MIN (max, r->allowed);
  if (!want)
    return EVE_WAIT;

  g_autoptr (GError) error = NULL;
  TraceEvent unheard[64];
  const TraceEvent *given = NULL;
  TraceEvent *to = unheard;
  bool heard = eve_out_connected (r->base.out[0]), ended = false;
  uint32_t room = G_N_ELEMENTS (unheard);
  if (heard) {
    room = (uint32_t) want;
    to = eve_reserve (r->base.out[0], &room);
    if (!to)
      return EVE_WAIT;
  }
  want = MIN (want, room);
  size_t n = 0;
  if (r->until < INT64_MAX)
    want = trace_ahead_until (s, r->until, want, &ended, &error);
  if ((want || ended) && !error) { /* at the end too: damage behind the last event is met there */
    n = trace_take (s, &given, MAX (want, 1), &error);
    if (!n && !error) {
      given = NULL;
      n = trace_next (s, to, MAX (want, 1), &error);
    }
    ended = n == 0;
  }
  if (n) {
    const TraceEvent *last = given ? &given[n - 1] : &to[n - 1];
    r->clock = last->date;
    r->last = *last;
    r->given += n;
    r->met = true;
    if (r->allowed != UINT64_MAX)
      r->allowed -= n;
  }
  if (heard && given)
    eve_give (r->base.out[0], given, (uint32_t) n);
  else if (heard)
    eve_commit (r->base.out[0], (uint32_t) n);
  if (error) {
    eve_fail (c, "%s", error->message);
    return EVE_END;
  }
  return n ? EVE_MORE : ended && s->ended ? EVE_END : EVE_WAIT;
}

void
trace_reader_save (EveComponent *c, EveBlob *to)
{
  Reader *r = reader_component_reader_of (c);
  eve_put_int (to, (int64_t) r->given);
  eve_put_int (to, r->clock);
  eve_put_int (to, r->told);
  eve_put_int (to, (int64_t) r->allowed);
  eve_put_int (to, r->until);
  /* At the beginning there is nothing to say about the source, and it need not be open. */
  eve_put_int (to, r->given > 0);
  if (r->given > 0) {
    trace_type_event.save (eve_program (c), &r->last, to);
    r->format->save (r->source, to);
  }
}

bool
trace_reader_load (EveComponent *c, EveBlobView *from)
{
  Reader *r = reader_component_reader_of (c);
  uint64_t given = (uint64_t) eve_get_int (from);
  int64_t clock = eve_get_int (from);
  bool told = eve_get_int (from) != 0;
  uint64_t allowed = (uint64_t) eve_get_int (from);
  int64_t until = eve_get_int (from);
  bool begun = eve_get_int (from) != 0;
  TraceEvent last;
  if (!eve_get_ok (from) || begun != (given > 0))
    return false;
  if (begun) {
    TraceSource *s = reader_component_open_source (c);
    if (!s || !trace_type_event.load (eve_program (c), &last, from) || !r->format->load (s, from))
      return false;
    r->last = last;
    r->met = true;
  } else if (r->source) {
    r->format->rewind (r->source);
  }
  r->given = given;
  r->clock = clock;
  r->told = told;
  r->allowed = allowed;
  r->until = until;
  return true;
}

static uint64_t
get_given (EveComponent *c)
{
  return reader_component_reader_of (c)->given;
}

static int64_t
get_clock (EveComponent *c)
{
  return reader_component_reader_of (c)->clock;
}

static const TraceEvent *
get_last (EveComponent *c)
{
  return reader_component_reader_of (c)->given ? &reader_component_reader_of (c)->last : NULL;
}

static void
set_watch (EveComponent *c, const TraceProgress *progress)
{
  reader_component_reader_of (c)->watch = progress;
}

static void
set_follow (EveComponent *c, bool follow)
{
  reader_component_reader_of (c)->follow = follow;
}

static bool
reader_component_look (EveComponent *c)
{
  Reader *r = reader_component_reader_of (c);

  if (!r->source || !trace_look (r->source))
    return false;
  eve_wake (c);
  return true;
}

const void *
trace_reader_query (EveComponent *c, const char *name)
{
  static const TraceReader face = {
    reader_component_open_source, get_given, get_clock, do_command, get_last, set_watch, open_with, set_follow,
    reader_component_look
  };
  return g_str_equal (name, "trace-reader/1") ? &face : NULL;
}
