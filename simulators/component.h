/* SPDX-License-Identifier: Apache-2.0 */
/* component.h - the frame of a simulator's component: included once, by its component.c, which defines before
 *
 *   MODEL                 the type of its state, which begins with a Store `store` (store.h)
 *   MODEL_CALL(verb)      its functions, pvm_##verb: reset, step, free, save, load; and, if MODEL_STEPS is defined,
 *                         steps: of n events those up to the first that has something told; gives how many
 *   MODEL_STATE           its attribute State of nodes
 *   struct Simulator      the instance: EveBase base, settings, MODEL *model
 *
 * and behind it gives its own init, and the class, of which SIMULATOR_CLASS is a part; SIMULATOR_FIRES is defined
 * before, unless it has its own simulator_fire_span; SIMULATOR_NESTS too, if its states nest.
 *
 * One event may tell more changes than any ring promises room for.  So it stays unread at the input, already simulated,
 * until all its changes have gone out, a few each firing: nothing is lost or held back, and a stop between two firings
 * finds the rest in the run state. */
#pragma once
#include "readers/counted.h"
#include "simulators/store.h"

#define PER_FIRE 16 /* changes; an ordinary event makes fewer */

static const EveOutSpec simulator_outs[] = {
  { "changes", &state_type_change, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each attribute that takes another value, in the order it happens." },
  { "states", &state_type_state, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each task that takes another State, by its number in the trace: what most views want." },
  { "messages", &state_type_message, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "Each message, when its receive ends: who sent it, and when." },
#ifdef SIMULATOR_NESTS
  { "calls", &state_type_frame, .capacity = 4096, .per_fire = PER_FIRE,
    .doc = "What each task is inside of at each depth: states inside of states, for nested timelines." },
#endif
};

static void
simulator_finish (EveComponent *c)
{
  MODEL_CALL (free) (((Simulator *) c)->model);
}

static void
simulator_reset (EveComponent *c)
{
  MODEL_CALL (reset) (((Simulator *) c)->model);
}

static void
simulator_save (EveComponent *c, EveBlob *to)
{
  trace_put_source (eve_program (c), ((Simulator *) c)->model->store.graph.source, to);
  MODEL_CALL (save) (((Simulator *) c)->model, to);
}

static bool
simulator_load (EveComponent *c, EveBlobView *from)
{
  uint16_t source = trace_get_source (eve_program (c), from);

  simulator_reset (c);
  ((Simulator *) c)->model->store.likely = source; /* of several traces of one name, that of the same reader */
  if (MODEL_CALL (load) (((Simulator *) c)->model, from))
    return true;
  simulator_reset (c);
  return false;
}

static void
simulator_count_from (EveComponent *c, int64_t date)
{
  store_count_from (&((Simulator *) c)->model->store, date);
}

static const void *
simulator_query (EveComponent *c, const char *interface_name)
{
  static const TraceCounted counted = { simulator_count_from, .simulates = true };

  if (strcmp (interface_name, TRACE_COUNTED) == 0)
    return &counted;
  return c != NULL && strcmp (interface_name, "state-graph/1") == 0 ? &((Simulator *) c)->model->store.graph : NULL;
}

/* True: at least one output is connected. */
static bool
see_outputs (Simulator *self)
{
  Store *s = &self->model->store;
  void *keeper = NULL;

  s->telling = eve_out_connected (self->base.out[0]);
  s->telling_states = eve_out_connected (self->base.out[1]);
  s->telling_messages = eve_out_connected (self->base.out[2]);
#ifdef SIMULATOR_NESTS
  s->telling_frames = eve_out_connected (self->base.out[3]);
#endif
  s->outbox.keeper = NULL;
  if (!s->outbox.halfway && eve_out_kept (self->base.out[1], &keeper)) {
    s->outbox.nothing.put = outbox_keep_nothing;
    s->outbox.keeper = keeper != NULL ? keeper : &s->outbox.nothing;
  }
  return s->telling || s->telling_states || s->telling_messages || s->telling_frames;
}

/* At the end of a firing that began with see_outputs(). */
static void
tell_kept (Simulator *self)
{
  Store *s = &self->model->store;
  StateOutbox *t = &s->outbox;
  StateChange last = { .date = t->date,
                       .old_value = t->old,
                       .new_value = t->state,
                       .object = t->task,
                       .attribute = MODEL_STATE,
                       .source = s->graph.source,
                       .scope = STATE_NODE };

  if (t->n_kept > 0)
    t->keeper->latest = MAX (t->keeper->latest, t->date);
  eve_passed (self->base.out[1], t->n_kept, &last);
  t->n_kept = 0;
  t->keeper = NULL;
}

/* Emits at most PER_FIRE of those that have not gone out; true: all have. */
static bool
give (EveOut *out, StateList *l, size_t size)
{
  for (uint32_t n = 0; n < PER_FIRE && l->out < l->n; n++, l->out++)
    if (!eve_emit (out, (const char *) l->data + size * l->out))
      break;
  return l->out == l->n;
}

static void
fire_one (Simulator *self)
{
  Store *s = &self->model->store;
  EveIn *in = self->base.in[0];

  if (!s->outbox.halfway)
    MODEL_CALL (step) (self->model, eve_peek (in));
  bool changes = give (self->base.out[0], &s->outbox.changes, sizeof (StateChange));
  bool states = give (self->base.out[1], &s->outbox.states, sizeof (StateChange));
  bool messages = give (self->base.out[2], &s->outbox.messages, sizeof (StateMessage));
#ifdef SIMULATOR_NESTS
  bool frames = give (self->base.out[3], &s->outbox.frames, sizeof (StateChange));
#else
  const bool frames = true;
#endif
  s->outbox.halfway = !changes || !states || !messages || !frames;
  if (s->outbox.halfway)
    return;
  outbox_clear (&s->outbox);
  eve_take (in);
}

/* A span comes only with room for all. */
static void
give_all (EveOut *out, StateList *l, size_t size, uint32_t n)
{
  if (n > l->out)
    eve_give (out, (const char *) l->data + size * l->out, n - l->out);
  l->out = n;
}

/* A firing of n events, after see_outputs(): their changes go out together; an event with more than a firing may emit
 * ends that. */
static void
fire_many (Simulator *self, uint32_t n)
{
  StateOutbox *t = &self->model->store.outbox;
  const TraceEvent *e = eve_peek (self->base.in[0]);
  uint32_t taken = 1, done = 0, all = 0, changes = 0, states = 0, messages = 0, frames = 0;

  for (; done < n && !t->halfway; done += taken) {
#ifdef MODEL_STEPS
    taken = MODEL_CALL (steps) (self->model, &e[done], n - done);
#else
    __builtin_prefetch (&e[MIN (done + 8, n - 1)]); /* it lies with the processor that read it */
    MODEL_CALL (step) (self->model, &e[done]);
#endif
    if (all == outbox_n (t))
      continue; /* most often nobody wants to hear of anything */
    if (G_UNLIKELY (t->changes.n - changes > PER_FIRE || t->states.n - states > PER_FIRE
                    || t->messages.n - messages > PER_FIRE || t->frames.n - frames > PER_FIRE)) {
      t->halfway = true;
      done += taken - 1;
      break;
    }
    changes = t->changes.n;
    states = t->states.n;
    messages = t->messages.n;
    frames = t->frames.n;
    all = changes + states + messages + frames;
  }
  if (done > 0) {
    eve_take_span (self->base.in[0], done);
    give_all (self->base.out[0], &t->changes, sizeof (StateChange), changes);
    give_all (self->base.out[1], &t->states, sizeof (StateChange), states);
    give_all (self->base.out[2], &t->messages, sizeof (StateMessage), messages);
#ifdef SIMULATOR_NESTS
    give_all (self->base.out[3], &t->frames, sizeof (StateChange), frames);
#endif
  }
  if (!t->halfway)
    outbox_clear (t);
  for (; done < n; done++)
    fire_one (self);
  tell_kept (self);
}

static void
simulator_fire (EveComponent *c)
{
  see_outputs ((Simulator *) c);
  fire_one ((Simulator *) c);
  tell_kept ((Simulator *) c);
}

#ifdef SIMULATOR_FIRES
static void
simulator_fire_span (EveComponent *c, uint32_t n)
{
  see_outputs ((Simulator *) c);
  fire_many ((Simulator *) c, n);
}
#endif

#define SIMULATOR_CLASS                                                                                                \
  .category = "Simulators", .version = 1, .outs = simulator_outs, .n_outs = EVE_N (simulator_outs),                    \
  .instance_size = sizeof (Simulator), .finish = simulator_finish, .reset = simulator_reset, .save = simulator_save,   \
  .load = simulator_load, .query = simulator_query
