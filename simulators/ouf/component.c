/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - the OUF simulator as a component. */
#include <stddef.h>

#include "readers/reader.h"
#include "simulators/ouf/ouf.h"

typedef struct Simulator {
  EveBase base;
  bool keep_the_dead, threads, semaphores, processors;
  Ouf *model;
} Simulator;
#define MODEL Ouf
#define MODEL_CALL(verb) ouf_##verb
#define MODEL_STATE AT_STATE
#include "simulators/component.h"

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of an OUF program, in order of date." },
};
static const EveField settings[] = {
  { "keep the dead", EVE_F_BOOL, offsetof (Simulator, keep_the_dead), .def = 1,
    .doc = "Tasks that have died stay in the graph, with their links and figures." },
  { "threads", EVE_F_BOOL, offsetof (Simulator, threads),
    .doc =
        "Threads are nodes, and a task whose threads all wait or sleep is Idle, whatever for; from the next start." },
  { "semaphores", EVE_F_BOOL, offsetof (Simulator, semaphores),
    .doc = "Semaphores are nodes, with those who hold them and wait for them; from the next start." },
  { "processors", EVE_F_BOOL, offsetof (Simulator, processors),
    .doc = "Processors are nodes, that sum up their tasks; from the next start." },
};
static const char *const provides[] = { "simulator:OUF", NULL };

static bool
ouf_component_simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->model = ouf_new (&self->keep_the_dead, &self->threads, &self->semaphores, &self->processors);
  return true;
}

/* The graph is there before the first event. */
static void
ouf_component_simulator_start (EveComponent *c)
{
  Ouf *p = ((Simulator *) c)->model;
  const TraceSource *source = store_source_above (c);

  if (source != NULL && source->format != NULL && strcmp (source->format->model, "OUF") == 0 && !p->begun)
    store_guess (&p->store, source);
}

static void
simulator_fire_span (EveComponent *c, uint32_t n)
{
  Simulator *self = (Simulator *) c;
  const TraceEvent *e;

  if (see_outputs (self) || self->model->store.outbox.halfway) {
    fire_many (self, n);
    return;
  }
  e = eve_take_span (self->base.in[0], n);
  ouf_steps (self->model, e, n);
}

static const EveClass ouf_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.ouf-simulator",
  .label = "OUF simulator",
  .doc = "Rebuilds the state of the tasks and links of an OUF program from its events.",
  .help =
      "Each task is *Unused* (not yet born), *Busy*, *Idle* (waits for another task at a link), *Talking* (exchanges "
      "data with it) or *Dead*; each link *Unused*, *Idle* (somebody waits there), *Talking* or *Dead* (its sender "
      "is).  Threads, semaphores and processors are nodes too if the settings say so.  Views and `scope state` ask it "
      "for its graph; the output `changes` tells every attribute that takes another value.\n\n"
      "What the model does not allow, such as a message without a rendezvous, is counted and told; the simulation "
      "goes on.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .init = ouf_component_simulator_init,
  .start = ouf_component_simulator_start,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&ouf_simulator);
