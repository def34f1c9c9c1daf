/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - what an application asks of two generic components: the session controller, which drives readers
 * (thesis, sections 1.6.2 and 5.2.1), and the probe.  Engine thread only. */
#pragma once
#include <string.h>
#include "readers/event.h"

/* What the query "session/1" gives.  A program has one session controller; its output drives every reader. */
typedef struct TraceSession {
  /* Sends a command for readers: TRACE_GO_EVENTS, TRACE_GO_UNTIL, TRACE_PAUSE or TRACE_STOP; at any time between
   * two calls of eve_run().  False: another verb, or no room because readers have not heard the last ones. */
  bool (*command) (EveComponent *self, const TraceCommand *command);
  /* `heard` is told, inside a firing, of each command that comes in at the control port.  Marks, checkpoints and
   * travel are the application's to act on: it notes them, and acts after eve_run().  What `heard` gives says
   * whether a command for readers is passed on (true) or only recorded, as in a film (false).  NULL: nobody. */
  void (*listen) (EveComponent *self, bool (*heard) (void *arg, const TraceCommand *command), void *arg);
  /* The last command sent since the beginning; false: none was. */
  bool (*last) (EveComponent *self, TraceCommand *command);
  /* Until the next reset it does not play by itself, whatever its setting "at start" says: as if TRACE_PAUSE had been
   * sent, but nothing is. */
  void (*hold) (EveComponent *self);
  /* Inside `heard`: the whole text of the order that is heard, a command and lines that tell who gives it and why
   * (statistics/order.h); NULL if the command came without words. */
  const char *(*order) (EveComponent *self);
  /* Inside `heard`: what became of the command, for the list that the session keeps: "added", "refused: ..."; copied.
   * Otherwise it says that the application was left to act. */
  void (*became) (EveComponent *self, const char *what);
} TraceSession;

static inline bool
trace_session_send (const TraceSession *s, EveComponent *c, TraceVerb verb, int64_t date, uint64_t number)
{
  TraceCommand command;

  memset (&command, 0, sizeof command);
  command.verb = verb;
  command.date = date;
  command.number = number;
  return s->command (c, &command);
}
/* To the end of the trace, or until told otherwise. */
static inline bool
trace_session_play (const TraceSession *s, EveComponent *c)
{
  return trace_session_send (s, c, TRACE_GO_EVENTS, 0, UINT64_MAX);
}
/* n more events.  A step by date is one event, then everything until the clock of the reader. */
static inline bool
trace_session_step (const TraceSession *s, EveComponent *c, uint64_t n)
{
  return trace_session_send (s, c, TRACE_GO_EVENTS, 0, n);
}
/* All events dated <= date, in ticks. */
static inline bool
trace_session_until (const TraceSession *s, EveComponent *c, int64_t date)
{
  return trace_session_send (s, c, TRACE_GO_UNTIL, date, 0);
}
static inline bool
trace_session_pause (const TraceSession *s, EveComponent *c)
{
  return trace_session_send (s, c, TRACE_PAUSE, 0, 0);
}
/* Readers go back to the beginning; the rest of the program does with eve_reset(). */
static inline bool
trace_session_stop (const TraceSession *s, EveComponent *c)
{
  return trace_session_send (s, c, TRACE_STOP, 0, 0);
}

/* What the query "probe/1" gives: the last data that came. */
typedef struct TraceProbe {
  uint64_t (*seen) (EveComponent *self);                      /* data since the beginning */
  uint32_t (*kept) (EveComponent *self);                      /* how many are kept now */
  void (*text) (EveComponent *self, uint32_t i, GString *to); /* the i-th kept, 0 the oldest, appended */
} TraceProbe;
