/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - the session controller: its output drives readers, its control port takes commands of components,
 * the application commands it through readers/session.h (thesis, sections 1.6.2 and 5.2.1). */
#include <glib.h>
#include "components/output.h"
#include "eve/words.h"
#include "readers/session.h"
#include "statistics/order.h"
#include "statistics/types.h"

#define MOST_AT_ONCE 1000 /* commands without an event between them: more go in a circle */
#define MOST_ROWS 100000  /* of the list */

typedef struct Session {
  EveBase base;
  int32_t at_start;
  bool commanded, warned, circle_told;
  int64_t place, at_place; /* events given when the last command of a component came; commands since */
  int64_t rows;
  Output list;
  const char *order;          /* the text that is heard now */
  int64_t verb, date, number; /* the last command sent */
  bool (*heard) (void *arg, const TraceCommand *command);
  void *heard_arg;
  char *became;     /* of the command that is heard, as the application says; NULL: it does not */
  GPtrArray *added; /* orders that added something, in words: the same once more finds it there */
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
      eve_status (c, _ ("steps %" PRIu64), command->number);
    break;
  case TRACE_GO_UNTIL:
    eve_status (c, _ ("plays until tick %" PRId64), command->date);
    break;
  case TRACE_PAUSE:
    eve_status (c, "pauses");
    break;
  default:
    eve_status (c, "stopped");
  }
  return true;
}

/* A row of the list: where in the trace, what, by whom, why, and what became of it. */
static void
session_note (EveComponent *c, uint64_t event, int64_t date, const TraceSource *s, const char *command,
              const char *became)
{
  Session *self = (Session *) c;
  g_autoptr (GString) row = g_string_new (self->rows ? NULL : "event,date [s],command,by,because,became\n");
  g_autofree char *by = self->order ? stats_order_tells (self->order, "by") : NULL;
  g_autofree char *because = self->order ? stats_order_tells (self->order, "because") : NULL;
  char text[64] = "";

  if (!self->list.name[0] || self->rows >= MOST_ROWS)
    return;
  if (s && date != INT64_MIN)
    trace_clock_print (&s->clock, stats_order_date (self->order, &s->clock, date), text, sizeof text);
  g_string_append_printf (row, "%" G_GUINT64_FORMAT ",%s,", event, text);
  stats_csv_text (row, command);
  g_string_append_c (row, ',');
  stats_csv_text (row, by);
  g_string_append_c (row, ',');
  stats_csv_text (row, because);
  g_string_append_c (row, ',');
  stats_csv_text (row, became);
  g_string_append_c (row, '\n');
  self->rows++;
  output_bytes (&self->list, c, row->str, row->len);
}

/* More and more commands at one place of the trace: components command each other round and round. */
static bool
session_in_circle (EveComponent *c, uint64_t place)
{
  Session *self = (Session *) c;

  if (self->place != (int64_t) place) {
    self->place = (int64_t) place;
    self->at_place = 0;
  }
  if (self->at_place < MOST_AT_ONCE) {
    self->at_place++;
    return false;
  }
  if (!self->circle_told)
    eve_warn (
        c,
        _ ("More than %d commands came at one event: components command each other in a circle. Until the next event "
           "the rest is passed over."),
        MOST_AT_ONCE);
  self->circle_told = true;
  return true;
}

/* What the application says of an order is true of the first that says it. */
static const char *
session_answer (Session *self, const char *words)
{
  if (!words || strcmp (self->became, "added") != 0)
    return self->became;
  if (g_ptr_array_find_with_equal_func (self->added, words, g_str_equal, NULL))
    return "there already";
  g_ptr_array_add (self->added, g_strdup (words));
  return self->became;
}

/* One command of a component, in words or not. */
static void
session_hear (EveComponent *c, const TraceCommand *command, const char *words)
{
  static const char *const verbs[] = { "step", "go", "pause", "stop", "mark", "save", "go to mark", "other" };
  Session *self = (Session *) c;
  const TraceSource *s;
  int64_t date;
  uint64_t place = stats_session_place (c, &date, &s);
  const char *became = "obeyed";

  if (session_in_circle (c, place))
    return;
  g_clear_pointer (&self->became, g_free);
  bool pass = !self->heard || self->heard (self->heard_arg, command);
  if (command->verb <= TRACE_STOP) {
    if (!pass)
      became = "recorded";
    else if (!session_command (c, command))
      became = "not heard";
  } else if (self->heard) {
    became = self->became ? session_answer (self, words) : pass ? "left to the application" : "recorded";
  } else if (command->verb == TRACE_OTHER && eve_out_connected (self->base.out[1])) {
    became = "passed on";
  } else {
    became = "not obeyed";
    if (!self->warned)
      eve_warn (
          c,
          _ ("A component asked for “%s”, but this program runs without an application that could; such commands are "
             "passed over."),
          words ? words : verbs[MIN (command->verb, TRACE_OTHER)]);
    self->warned = true;
  }
  session_note (c, place, date, s, words ? words : verbs[MIN (command->verb, TRACE_OTHER)], became);
}

static void
session_control (EveComponent *c, EveIn *in, const void *datum)
{
  session_hear (c, datum, NULL);
}

static void
session_orders (EveComponent *c, EveIn *in, const void *datum)
{
  Session *self = (Session *) c;
  char *const *order = datum;
  const char *text = *order ? *order : "";
  g_autofree char *words = stats_order_command (text), *sentence = NULL;
  const TraceSource *s;
  int64_t date;
  TraceCommand command;

  stats_session_place (c, &date, &s);
  self->order = text;
  if (stats_order_parse (text, s ? &s->clock : NULL, &command, &sentence)) {
    session_hear (c, &command, words);
  } else if (sentence) {
    if (!self->warned)
      eve_warn (c, _ ("The order “%s” cannot be obeyed: %s."), words, sentence);
    self->warned = true;
  } else {
    memset (&command, 0, sizeof command);
    command.verb = TRACE_OTHER;
    const char *end;
    g_strlcpy (command.name, words, sizeof command.name);
    g_utf8_validate (command.name, -1, &end); /* not half a character */
    command.name[end - command.name] = 0;
    session_hear (c, &command, words);
    eve_emit (self->base.out[1], datum);
  }
  self->order = NULL;
}

static const char *
session_order (EveComponent *c)
{
  return ((Session *) c)->order;
}

static const EveInSpec ins[] = {
  { "control", &trace_type_command, EVE_ASYNC, EVE_CONTROL, session_control,
    .doc = "Commands of components, obeyed at once." },
  { "orders", &eve_type_text, EVE_ASYNC, EVE_CONTROL, session_orders,
    .doc = "The same in words: pause, stop, run, step 5, go 1.25, go @mark, mark name, save name, and others." },
};
static const EveOutSpec outs[] = {
  { "commands", &trace_type_command, .doc = "What readers shall do." },
  { "others", &eve_type_text, .doc = "Orders that begin with another word, for components that know it." },
};
static const EveField settings[] = {
  { "at start", EVE_F_CHOICE, offsetof (Session, at_start), .def = START_WAIT, .choices = starts,
    .doc = "What to command when the program begins: nothing, or to play." },
  { "list", EVE_F_STRING, offsetof (Session, list.name), .path = true, .output = true,
    .doc = "File for a list of what components commanded, where and why; empty: none." },
};
static const EveField state[] = {
  { "commanded", EVE_F_BOOL, offsetof (Session, commanded) },
  { "warned", EVE_F_BOOL, offsetof (Session, warned) },
  { "verb", EVE_F_INT64, offsetof (Session, verb) },
  { "date", EVE_F_INT64, offsetof (Session, date) },
  { "number", EVE_F_INT64, offsetof (Session, number) },
  { "place", EVE_F_INT64, offsetof (Session, place) },
  { "at place", EVE_F_INT64, offsetof (Session, at_place) },
  { "circle told", EVE_F_BOOL, offsetof (Session, circle_told) },
  { "rows", EVE_F_INT64, offsetof (Session, rows), EVE_COUNT },
  { "written", EVE_F_INT64, offsetof (Session, list.written), EVE_COUNT },
};

static void
session_start (EveComponent *c)
{
  Session *self = (Session *) c;
  const TraceCommand play = { .verb = TRACE_GO_EVENTS, .number = UINT64_MAX };

  if (self->at_start == START_PLAY && !self->commanded)
    session_command (c, &play);
}

static bool
session_init (EveComponent *c)
{
  ((Session *) c)->added = g_ptr_array_new_with_free_func (g_free);
  return true;
}

static void
session_save (EveComponent *c, EveBlob *to)
{
  const GPtrArray *added = ((const Session *) c)->added;

  eve_put_int (to, added->len);
  for (guint i = 0; i < added->len; i++)
    eve_put_text (to, added->pdata[i]);
}

static bool
session_load (EveComponent *c, EveBlobView *from)
{
  GPtrArray *added = ((Session *) c)->added;
  int64_t n = eve_get_int (from);

  g_ptr_array_set_size (added, 0);
  for (int64_t i = 0; i < n && eve_get_ok (from); i++)
    g_ptr_array_add (added, g_strdup (eve_get_text (from)));
  return eve_get_ok (from);
}

static void
session_reset (EveComponent *c)
{
  g_ptr_array_set_size (((Session *) c)->added, 0);
  output_reset (&((Session *) c)->list, c);
  eve_status (c, "%s", "");
}

static void
session_pause (EveComponent *c)
{
  if (((Session *) c)->list.file)
    output_flush (&((Session *) c)->list, c);
}

static void
session_finish (EveComponent *c)
{
  g_clear_pointer (&((Session *) c)->became, g_free);
  g_clear_pointer (&((Session *) c)->added, g_ptr_array_unref);
  output_close (&((Session *) c)->list);
}

static bool
session_changed (EveComponent *c, uint32_t setting)
{
  if (setting == 1) {
    output_renamed (&((Session *) c)->list);
    ((Session *) c)->rows = 0;
  }
  return true;
}

static void
session_listen (EveComponent *c, bool (*heard) (void *arg, const TraceCommand *command), void *arg)
{
  Session *self = (Session *) c;

  self->heard = heard;
  self->heard_arg = arg;
}

static void
session_became (EveComponent *c, const char *what)
{
  Session *self = (Session *) c;

  g_free (self->became);
  self->became = g_strdup (what);
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
  static const TraceSession spoken = { session_command, session_listen, session_last,
                                       session_hold,    session_order,  session_became };

  return strcmp (name, "session/1") == 0 ? &spoken : NULL;
}

static const EveClass session = {
  EVE_CLASS_HEAD,
  .id = "scope.session",
  .label = "Session",
  .category = "Control",
  .version = 1,
  .doc = "Drives the readers of a program: play, pause, step, stop.",
  .help =
      "Connect `commands` to the port of that name of each reader. The buttons of the window act on this "
      "component. What comes in at the control port `control` acts like a button, at once, so that a program can "
      "stop itself where it found something. Commands for marks, checkpoints and travel go to the application; "
      "without one they are told of and passed over.\n\n"
      "`orders` takes the same in words, one command a datum: `pause`, `stop`, `run`, `step` *n* events, `go` *date* "
      "or "
      "`go` *@mark*, `mark` *name*, `save` *name* (a checkpoint). An order that begins with any other word leaves at "
      "`others`, where components that know it may be connected, and the application hears it: `add` *part* adds a "
      "part to the program, as if it had been there from the beginning. More than 1000 commands "
      "at "
      "one event go in a circle and are passed over. *list* names a file with a row for each command: event, date, "
      "command, by whom, why, and what became of it.\n\n"
      "Without a window nobody presses play: then set *at start* to `play`.\n\n"
      "Example: Session to Reader to Simulator, with *at start* `play`, replays a trace to its end.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Session),
  .init = session_init,
  .start = session_start,
  .finish = session_finish,
  .pause = session_pause,
  .reset = session_reset,
  .changed = session_changed,
  .query = session_query,
  .save = session_save,
  .load = session_load,
};
EVE_PLUGIN (&session);
