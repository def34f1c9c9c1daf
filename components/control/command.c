/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - gives an order to the session whenever anything comes (thesis, section 5.2.1). */
#include <glib.h>
#include "statistics/order.h"
#include "eve/words.h"
#include "statistics/types.h"

typedef struct Command {
  EveBase base;
  char *command;
  int64_t most, given;
  bool warned;
} Command;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type: each makes the command be given." },
};
static const EveOutSpec outs[] = {
  { "orders", &eve_type_text, EVE_CONTROL, .doc = "The command, for the port orders of a session." },
};
static const EveField settings[] = {
  { "command", EVE_F_STRING, offsetof (Command, command), .def_text = "pause",
    .doc = "One of pause, stop, run, step 5, go 1.25, go @mark, mark name, save name, or another." },
  { "at most", EVE_F_INT64, offsetof (Command, most), .min = 1, .max = 1e15, .def = 1000,
    .doc = "After so many it is given no more." },
};
static const EveField state[] = {
  { "given", EVE_F_INT64, offsetof (Command, given), EVE_COUNT },
  { "warned", EVE_F_BOOL, offsetof (Command, warned) },
};

static void
command_fire (EveComponent *c)
{
  Command *self = (Command *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *datum = eve_take (self->base.in[0]);
  const TraceSource *s = type == &trace_type_event   ? trace_source (((const TraceEvent *) datum)->source)
                         : type == &stats_type_datum ? trace_source (((const StatsDatum *) datum)->source)
                                                     : NULL;
  int64_t date = type->date ? type->date (datum) : INT64_MIN;
  char at[64] = "", what[200] = "";

  if (self->given >= self->most) {
    if (!self->warned)
      eve_warn (c, _ ("It has given its command %lld times and gives it no more."), (long long) self->given);
    self->warned = true;
    return;
  }
  self->given++;
  if (s && date != INT64_MIN)
    trace_clock_print (&s->clock, date, at, sizeof at);
  if (type->print)
    type->print (datum, what, sizeof what);
  g_autofree char *because = g_strdup_printf (_ ("a %s came%s%s"), type->name, *what ? ": " : "", what);
  char *order = stats_order_new (self->command, eve_name (c), *at ? at : NULL, because);
  eve_emit_steal (self->base.out[0], &order);
}

static bool
command_at_end (EveComponent *c)
{
  eve_status (c, _ ("given %lld times"), (long long) ((Command *) c)->given);
  return true;
}

static const EveClass command = {
  EVE_CLASS_HEAD,
  .id = "scope.command",
  .label = "Command",
  .category = "Control",
  .version = 1,
  .doc = "Gives a command to the session whenever a datum comes.",
  .help =
      "Connect `orders` to the port of that name of the session, and what shall trigger the command to `in`: the "
      "outputs of "
      "If-then, Threshold or Filter, for instance. The command is one that the session knows (`pause`, `stop`, `run`, "
      "`step` *n*, `go` *date*, `go` *@mark*, `mark` *name*, `save` *name*) or one for a component at its output "
      "`others` "
      "or for the application, such as `add` *part*, `front` *view* or `message` *text*.\n\n"
      "Example: *command* `mark big message` behind a Filter with *where* `bytes > 1 MB` marks each such instant.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Command),
  .fire = command_fire,
  .at_end = command_at_end,
};
EVE_PLUGIN (&command);
