/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - the PVM simulator as a component.
 *
 * One event may change the state of thousands of tasks, more than any ring promises room for.  So an event stays
 * unread at the input, already simulated, until all its changes have gone out, a few each firing: nothing is lost
 * or held back, and a stop between two firings finds the rest in the run state. */
#include <stddef.h>

#include "simulators/pvm/pvm.h"

#define PER_FIRE 16                           /* changes; an ordinary event makes at most 9 */

typedef struct Simulator {
  EveBase base;
  bool keep_the_dead, ignore_packing;
  Pvm *pvm;
} Simulator;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of a PVM program, in order of date." },
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
  { "ignore packing", EVE_F_BOOL, offsetof (Simulator, ignore_packing),
    .doc = "Time spent packing and unpacking counts as computing, not as Overhead." },
  { "keep the dead", EVE_F_BOOL, offsetof (Simulator, keep_the_dead), .def = 1,
    .doc = "Tasks that have died stay in the graph, with their links and figures." },
};
static const char *const provides[] = { "simulator:PVM", NULL };

static bool
simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->pvm = pvm_new (&self->keep_the_dead, &self->ignore_packing);
  return true;
}

static void
simulator_finish (EveComponent *c)
{
  pvm_free (((Simulator *) c)->pvm);
}

static void
simulator_reset (EveComponent *c)
{
  pvm_reset (((Simulator *) c)->pvm);
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

static void
see_outputs (Simulator *self)
{
  Pvm *p = self->pvm;

  p->telling = eve_out_connected (self->base.out[0]);
  p->telling_states = eve_out_connected (self->base.out[1]);
  p->telling_messages = eve_out_connected (self->base.out[2]);
  if (G_UNLIKELY (p->telling_messages && !p->dating))
    pvm_queue_date (p);
}

static void
fire_one (Simulator *self)
{
  Pvm *p = self->pvm;
  EveIn *in = self->base.in[0];

  if (!p->halfway)
    pvm_step (p, eve_peek (in));
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
give_all (EveOut *out, const void *told, size_t size, uint32_t n)
{
  while (n > 0) {
    uint32_t room = n;
    void *to = eve_reserve (out, &room);
    if (to == NULL)
      return;                   /* nobody is connected: a span comes only with room for all */
    memcpy (to, told, size * room);
    eve_commit (out, room);
    told = (const char *) told + size * room;
    n -= room;
  }
}

/* The changes of many events go out together; one with more than a firing may emit ends that. */
static void
simulator_fire_span (EveComponent *c, uint32_t n)
{
  Simulator *self = (Simulator *) c;
  Pvm *p = self->pvm;
  const TraceEvent *e = eve_peek (self->base.in[0]);
  uint32_t done = 0, told = 0, states = 0, messages = 0;

  see_outputs (self);
  for (; done < n && !p->halfway; done++) {
    pvm_step (p, &e[done]);
    if (G_UNLIKELY (p->n_told - told > PER_FIRE || p->n_states - states > PER_FIRE || p->n_messages - messages > PER_FIRE)) {
      p->halfway = true;
      break;
    }
    told = p->n_told;
    states = p->n_states;
    messages = p->n_messages;
  }
  if (done > 0) {
    eve_take_span (self->base.in[0], done);
    give_all (self->base.out[0], p->told, sizeof *p->told, p->told_out = told);
    give_all (self->base.out[1], p->states, sizeof *p->states, p->states_out = states);
    give_all (self->base.out[2], p->messages, sizeof *p->messages, p->messages_out = messages);
  }
  if (!p->halfway)
    p->n_told = p->told_out = p->n_states = p->states_out = p->n_messages = p->messages_out = 0;
  for (; done < n; done++)
    fire_one (self);
}

static void
simulator_save (EveComponent *c, EveBlob *to)
{
  pvm_save (((Simulator *) c)->pvm, to);
}

static bool
simulator_load (EveComponent *c, EveBlobView *from)
{
  Pvm *p = ((Simulator *) c)->pvm;

  pvm_reset (p);
  if (pvm_load (p, from))
    return true;
  pvm_reset (p);
  return false;
}

static const void *
simulator_query (EveComponent *c, const char *interface_name)
{
  return c != NULL && strcmp (interface_name, "state-graph/1") == 0 ? &((Simulator *) c)->pvm->graph : NULL;
}

static const EveClass pvm_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.pvm-simulator",
  .label = "PVM simulator",
  .category = "Simulators",
  .doc = "Rebuilds the state of the tasks and links of a PVM program from its events.",
  .help = "Each task is *Busy*, in *Overhead* (inside a PVM call), *Idle* (blocked), *Talking* (receiving what it "
          "waited for) or *Dead*; each link *Unused*, in *Overhead* (carries messages that nobody has received yet), "
          "*Idle* (somebody waits for it), *Talking* or *Dead*.  Views and `scope state` ask it for its graph; the "
          "output `changes` tells every attribute that takes another value.\n\n"
          "What the model does not allow, such as a message received that nobody sent, is counted and told; the "
          "simulation goes on.",
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
  .reset = simulator_reset,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  .save = simulator_save,
  .load = simulator_load,
  .query = simulator_query,
};
EVE_PLUGIN (&pvm_simulator);
