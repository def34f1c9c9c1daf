/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - the PVM simulator as a component. */
#include <stddef.h>

#include "simulators/pvm/pvm.h"

typedef struct Simulator {
  EveBase base;
  bool keep_the_dead, ignore_packing;
  Pvm *model;
} Simulator;
#define MODEL Pvm
#define MODEL_CALL(verb) pvm_##verb
#define MODEL_STATE NODE_STATE
#define SIMULATOR_FIRES
#define MODEL_STEPS
#include "simulators/component.h"

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of a PVM program, in order of date." },
};
static const EveField settings[] = {
  { "ignore packing", EVE_F_BOOL, offsetof (Simulator, ignore_packing),
    .doc = "Time spent packing and unpacking counts as computing, not as Overhead." },
  { "keep the dead", EVE_F_BOOL, offsetof (Simulator, keep_the_dead), .def = 1,
    .doc = "Tasks that have died stay in the graph, with their links and figures." },
};
static const char *const provides[] = { "simulator:PVM", NULL };

static bool
pvm_component_simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->model = pvm_new (&self->keep_the_dead, &self->ignore_packing);
  return true;
}

static const EveClass pvm_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.pvm-simulator",
  .label = "PVM simulator",
  .doc = "Rebuilds the state of the tasks and links of a PVM program from its events.",
  .help = "Each task is *Busy*, in *Overhead* (inside a PVM call), *Idle* (blocked), *Talking* (receiving what it "
          "waited for) or *Dead*; each link *Unused*, in *Overhead* (carries messages that nobody has received yet), "
          "*Idle* (somebody waits for it), *Talking* or *Dead*.  Views and `scope state` ask it for its graph; the "
          "output `changes` tells every attribute that takes another value.\n\n"
          "What the model does not allow, such as a message received that nobody sent, is counted and told; the "
          "simulation goes on.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .init = pvm_component_simulator_init,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&pvm_simulator);
