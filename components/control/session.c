/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - the session controller: its output drives readers, its control port takes commands of components,
 * the application commands it through readers/session.h (thesis, sections 1.6.2 and 5.2.1). */
#include "readers/session.h"

typedef struct Session {
  EveBase base;
  int32_t at_start;
  bool commanded, warned;
  int64_t verb, date, number; /* the last command sent */
  bool (*heard) (void *arg, const TraceCommand *command);
  void *heard_arg;
} Session;

enum { START_WAIT, START_PLAY };
static const char *const starts[] = { "wait", "play", NULL };

static bool
session_command (EveComponent *c, const TraceCommand *command)
{
  Session *self = (Session *) c;

  if (command->verb > TRACE_STOP || !eve_emit (self->base.out[0], command))
    return false;
  self->commanded = true;
  self->verb = command->verb;
  self->date = command->date;
  self->number = (int64_t) command->number;
  switch (command->verb) {
  case TRACE_GO_EVENTS:
    if (command->number == UINT64_MAX)
      eve_status (c, "plays");
    else
      eve_status (c, "steps %" G_GUINT64_FORMAT, command->number);
    break;
  case TRACE_GO_UNTIL:
    eve_status (c, "plays until tick %" G_GINT64_FORMAT, command->date);
    break;
  case TRACE_PAUSE:
    eve_status (c, "pauses");
    break;
  default:
    eve_status (c, "stopped");
  }
  return true;
}

static void
session_control (EveComponent *c, EveIn *in, const void *datum)
{
  Session *self = (Session *) c;
  const TraceCommand *command = datum;
  bool pass = !self->heard || self->heard (self->heard_arg, command);

  if (command->verb <= TRACE_STOP) {
    if (pass)
      session_command (c, command);
  } else if (!self->heard && !self->warned) {
    self->warned = true;
    eve_warn (c, "A component asked for a mark, a checkpoint or a journey, but this program runs without an "
                 "application that keeps them; such commands are passed over.");
  }
}

static const EveInSpec ins[] = {
  { "control", &trace_type_command, EVE_ASYNC, EVE_CONTROL, session_control,
    .doc = "Commands of components, obeyed at once." },
};
static const EveOutSpec outs[] = {
  { "commands", &trace_type_command, .doc = "What readers shall do." },
};
static const EveField settings[] = {
  { "at start", EVE_F_CHOICE, offsetof (Session, at_start), .def = START_WAIT, .choices = starts,
    .doc = "What to command when the program begins: nothing, or to play." },
};
static const EveField state[] = {
  { "commanded", EVE_F_BOOL, offsetof (Session, commanded) },
  { "warned", EVE_F_BOOL, offsetof (Session, warned) },
  { "verb", EVE_F_INT64, offsetof (Session, verb) },
  { "date", EVE_F_INT64, offsetof (Session, date) },
  { "number", EVE_F_INT64, offsetof (Session, number) },
};

static void
session_start (EveComponent *c)
{
  Session *self = (Session *) c;
  const TraceCommand play = { .verb = TRACE_GO_EVENTS, .number = UINT64_MAX };

  if (self->at_start == START_PLAY && !self->commanded)
    session_command (c, &play);
}

static void
session_reset (EveComponent *c)
{
  eve_status (c, "%s", "");
}

static void
session_listen (EveComponent *c, bool (*heard) (void *arg, const TraceCommand *command), void *arg)
{
  Session *self = (Session *) c;

  self->heard = heard;
  self->heard_arg = arg;
}

static bool
session_last (EveComponent *c, TraceCommand *command)
{
  const Session *self = (const Session *) c;

  memset (command, 0, sizeof *command);
  command->verb = (uint32_t) self->verb;
  command->date = self->date;
  command->number = (uint64_t) self->number;
  return self->commanded;
}

static void
session_hold (EveComponent *c)
{
  Session *self = (Session *) c;

  if (self->at_start == START_PLAY) {
    self->commanded = true;
    self->verb = TRACE_PAUSE;
  }
}

static const void *
session_query (EveComponent *c, const char *name)
{
  static const TraceSession spoken = { session_command, session_listen, session_last, session_hold };

  return strcmp (name, "session/1") == 0 ? &spoken : NULL;
}

static const EveClass session = {
  EVE_CLASS_HEAD, .id = "scope.session", .label = "Session", .category = "Control", .version = 1,
  .doc = "Drives the readers of a program: play, pause, step, stop.",
  .help = "Connect `commands` to the port of that name of each reader. The buttons of the window act on this "
          "component. What comes in at the control port `control` acts like a button, at once, so that a program can "
          "stop itself where it found something. Commands for marks, checkpoints and travel go to the application; "
          "without one they are told of and passed over.\n\n"
          "Without a window nobody presses play: then set *at start* to `play`.\n\n"
          "Example: Session to Reader to Simulator, with *at start* `play`, replays a trace to its end.",
  .ins = ins, .n_ins = EVE_N (ins), .outs = outs, .n_outs = EVE_N (outs),
  .settings = settings, .n_settings = EVE_N (settings), .state = state, .n_state = EVE_N (state),
  .instance_size = sizeof (Session), .start = session_start, .reset = session_reset, .query = session_query,
};
EVE_PLUGIN (&session);
