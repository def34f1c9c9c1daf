/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - the OUF simulator as a component.
 *
 * The first event tells the whole graph, more than any ring promises room for.  So an event stays unread at the input,
 * already simulated, until all its changes have gone out, a few each firing: nothing is lost or held back, and a stop
 * between two firings finds the rest in the run state. */
#include <stddef.h>

#include "readers/reader.h"
#include "simulators/ouf/ouf.h"

#define PER_FIRE 16                           /* changes; an ordinary event makes at most 14 */

typedef struct Simulator {
  EveBase base;
  bool keep_the_dead, threads, semaphores, processors;
  Ouf *ouf;
} Simulator;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of an OUF program, in order of date." },
};
static const EveOutSpec outs[] = {
  { "changes", &state_type_change, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each attribute that takes another value, in the order it happens." },
  { "states", &state_type_change, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each task that takes another State, by its number in the trace: what most views want." },
  { "messages", &state_type_message, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each message, when its receive ends: who sent it, and when." },
};
static const EveField settings[] = {
  { "keep the dead", EVE_F_BOOL, offsetof (Simulator, keep_the_dead), .def = 1,
    .doc = "Tasks that have died stay in the graph, with their links and figures." },
  { "threads", EVE_F_BOOL, offsetof (Simulator, threads),
    .doc = "Threads are nodes, and a task whose threads all wait or sleep is Idle, whatever for; from the next start." },
  { "semaphores", EVE_F_BOOL, offsetof (Simulator, semaphores),
    .doc = "Semaphores are nodes, with those who hold them and wait for them; from the next start." },
  { "processors", EVE_F_BOOL, offsetof (Simulator, processors),
    .doc = "Processors are nodes, that sum up their tasks; from the next start." },
};
static const char *const provides[] = { "simulator:OUF", NULL };

static bool
simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->ouf = ouf_new (&self->keep_the_dead, &self->threads, &self->semaphores, &self->processors);
  return true;
}

static void
simulator_finish (EveComponent *c)
{
  ouf_free (((Simulator *) c)->ouf);
}

/* The graph is there before the first event if only one trace can be meant. */
static void
simulator_start (EveComponent *c)
{
  Ouf *p = ((Simulator *) c)->ouf;
  const TraceSource *only = NULL;

  for (int i = 0; i <= UINT8_MAX; i++) {
    const TraceSource *s = trace_source ((uint8_t) i);
    if (s == NULL || s->format == NULL || strcmp (s->format->model, "OUF") != 0)
      continue;
    if (only != NULL)
      return;
    only = s;
  }
  if (only != NULL && !p->begun)
    ouf_follow (p, only->number);
}

static void
simulator_reset (EveComponent *c)
{
  ouf_reset (((Simulator *) c)->ouf);
}

/* Emits at most PER_FIRE of those that have not gone out; true: all have. */
static bool
give (EveOut *out, const void *told, size_t size, uint32_t n_told, uint32_t *gone)
{
  for (uint32_t n = 0; n < PER_FIRE && *gone < n_told; n++, ++*gone)
    if (!eve_emit (out, (const char *) told + size * *gone))
      break;
  return *gone == n_told;
}

/* True: at least one is connected. */
static bool
see_outputs (Simulator *self)
{
  Ouf *p = self->ouf;

  p->telling = eve_out_connected (self->base.out[0]);
  p->telling_states = eve_out_connected (self->base.out[1]);
  p->telling_messages = eve_out_connected (self->base.out[2]);
  return p->telling || p->telling_states || p->telling_messages;
}

static void
fire_one (Simulator *self)
{
  Ouf *p = self->ouf;
  EveIn *in = self->base.in[0];

  if (!p->halfway)
    ouf_step (p, eve_peek (in));
  bool changes = give (self->base.out[0], p->told, sizeof *p->told, p->n_told, &p->told_out);
  bool states = give (self->base.out[1], p->states, sizeof *p->states, p->n_states, &p->states_out);
  bool messages = give (self->base.out[2], p->messages, sizeof *p->messages, p->n_messages, &p->messages_out);
  p->halfway = !changes || !states || !messages;
  if (p->halfway)
    return;
  p->n_told = p->told_out = p->n_states = p->states_out = p->n_messages = p->messages_out = 0;
  eve_take (in);
}

static void
simulator_fire (EveComponent *c)
{
  see_outputs ((Simulator *) c);
  fire_one ((Simulator *) c);
}

static void
simulator_fire_span (EveComponent *c, uint32_t n)
{
  Simulator *self = (Simulator *) c;
  const TraceEvent *e;

  if (see_outputs (self) || self->ouf->halfway) {
    while (n-- > 0)
      fire_one (self);
    return;
  }
  e = eve_take_span (self->base.in[0], n);
  ouf_steps (self->ouf, e, n);
}

static void
simulator_save (EveComponent *c, EveBlob *to)
{
  ouf_save (((Simulator *) c)->ouf, to);
}

static bool
simulator_load (EveComponent *c, EveBlobView *from)
{
  Ouf *p = ((Simulator *) c)->ouf;

  ouf_reset (p);
  if (ouf_load (p, from))
    return true;
  ouf_reset (p);
  return false;
}

static const void *
simulator_query (EveComponent *c, const char *interface_name)
{
  return c != NULL && strcmp (interface_name, "state-graph/1") == 0 ? &((Simulator *) c)->ouf->graph : NULL;
}

static const EveClass ouf_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.ouf-simulator",
  .label = "OUF simulator",
  .category = "Simulators",
  .doc = "Rebuilds the state of the tasks and links of an OUF program from its events.",
  .help = "Each task is *Unused* (not yet born), *Busy*, *Idle* (waits for another task at a link), *Talking* (exchanges "
          "data with it) or *Dead*; each link *Unused*, *Idle* (somebody waits there), *Talking* or *Dead* (its sender "
          "is).  Threads, semaphores and processors are nodes too if the settings say so.  Views and `scope state` ask it "
          "for its graph; the output `changes` tells every attribute that takes another value.\n\n"
          "What the model does not allow, such as a message without a rendezvous, is counted and told; the simulation "
          "goes on.",
  .provides = provides,
  .version = 1,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Simulator),
  .init = simulator_init,
  .finish = simulator_finish,
  .start = simulator_start,
  .reset = simulator_reset,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  .save = simulator_save,
  .load = simulator_load,
  .query = simulator_query,
};
EVE_PLUGIN (&ouf_simulator);
