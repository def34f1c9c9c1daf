/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c - opened and closed by a control port; data pass while it is open. */
#include "eve/eve.h"

typedef struct Gate {
  EveBase base;
  bool starts_open, open, commanded; /* until a command comes the setting decides */
  int32_t when_closed;
} Gate;

enum { CLOSED_DROP, CLOSED_HOLD };
static const char *const closed_names[] = { "drop", "hold", NULL };

static bool
gate_is_open (const Gate *self)
{
  return self->commanded ? self->open : self->starts_open;
}

static void
gate_command (EveComponent *c, EveIn *in, const void *datum)
{
  Gate *self = (Gate *) c;

  self->open = *(const bool *) datum;
  self->commanded = true;
}

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .present = true, .doc = "Data of any type." },
  { "open", &eve_type_bool, EVE_ASYNC, EVE_CONTROL, gate_command, .quiet = true,
    .doc = "True opens, false closes, at once." },
};
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "The data that pass." },
};
static const EveField settings[] = {
  { "starts open", EVE_F_BOOL, offsetof (Gate, starts_open), .def = true, .doc = "Open until the first command." },
  { "when closed", EVE_F_CHOICE, offsetof (Gate, when_closed), .def = CLOSED_DROP, .choices = closed_names,
    .doc = "Drop: data at a closed gate are lost; hold: they wait, and so does who sends them." },
};
static const EveField state[] = {
  { "open", EVE_F_BOOL, offsetof (Gate, open) },
  { "commanded", EVE_F_BOOL, offsetof (Gate, commanded) },
};

static EveComponent *
gate_can_fire (EveComponent *c)
{
  Gate *self = (Gate *) c;

  return self->when_closed == CLOSED_HOLD && !gate_is_open (self) ? NULL : c;
}

static void
gate_fire (EveComponent *c)
{
  Gate *self = (Gate *) c;
  const void *datum = eve_take (self->base.in[0]);

  if (gate_is_open (self))
    eve_emit (self->base.out[0], datum);
}

static const EveClass gate = {
  EVE_CLASS_HEAD,
  .id = "scope.gate",
  .label = "Gate",
  .category = "Flow",
  .version = 1,
  .doc = "Lets data pass while it is open; a control port opens and closes it.",
  .help = "A true at the control port `open` opens the gate, a false closes it; both act at once, between two data. "
          "At a closed gate data are dropped, or held if *when closed* says so; then whatever feeds the gate waits "
          "in its turn.\n\n"
          "Example: closed at first, opened after the second datum, it lets 3 4 of the data 1 2 3 4 pass "
          "(`drop`), or 1 2 3 4 (`hold`).",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Gate),
  .can_fire = gate_can_fire,
  .fire = gate_fire,
};
EVE_PLUGIN (&gate);
