/* SPDX-License-Identifier: Apache-2.0 */
/* stand-in.c - Broker and Fallback: other boxes do their work (thesis, section 1.3.2, substitution).  They have no work
 * of their own; what can_fire names does it on their ports. */
#include <glib.h>
#include <string.h>
#include "eve/words.h"
#include "statistics/list.h"

#define MOST_PEERS 62 /* bits of a whole number */

typedef struct StandIn {
  EveBase base;
  char *list, **names; /* setting, and its names */
  uint32_t n_names;
  double most_ms;
  int64_t given_up; /* run state of a fallback: a bit for each that failed or was too slow */
  int64_t told;     /* a bit for each that cannot stand in, and was told of */
  int32_t fired;    /* who fires now; -1: nobody has */
} StandIn;

static const EveInSpec ins[] = { { "in", NULL, .required = true, .doc = "Data of the type that the boxes take." } };
static const EveOutSpec outs[] = { { "out", NULL, .per_fire = 16, .doc = "What the box gives that worked on it." } };
static const EveField broker_settings[] = {
  { "boxes", EVE_F_STRING, offsetof (StandIn, list),
    .doc = "Names of boxes that can do the work, with commas between, the best first." },
};
static const EveField fallback_settings[] = {
  { "boxes", EVE_F_STRING, offsetof (StandIn, list),
    .doc = "Names of boxes that can do the work, with commas between: each takes over from the one before." },
  { "at most", EVE_F_DOUBLE, offsetof (StandIn, most_ms), .min = 0, .max = 1e6, .def = 0, .unit = "ms",
    .doc = "One that works longer on a datum is too slow; 0: none is.  Depends on the machine." },
};
static const EveField state[] = {
  { "given up", EVE_F_INT64, offsetof (StandIn, given_up), EVE_COUNT },
};

static const char *
peer_name (EveComponent *c, uint32_t i)
{
  const StandIn *self = (const StandIn *) c;
  return i < self->n_names ? self->names[i] : NULL;
}

enum { BOXES }; /* number of the setting */

/* What is known of boxes is known of them by their places in the list: of another list nothing is. */
static bool
stand_in_changed (EveComponent *c, uint32_t setting)
{
  StandIn *self = (StandIn *) c;
  if (setting != BOXES)
    return true;
  g_strfreev (self->names);
  self->names = stats_list_split (self->list);
  self->n_names = g_strv_length (self->names);
  self->told = self->given_up = 0;
  self->fired = -1;
  if (self->n_names > MOST_PEERS)
    eve_fail (c, _ ("there are %u boxes, and %d at most can stand in"), self->n_names, MOST_PEERS);
  return self->n_names <= MOST_PEERS;
}

static bool
stand_in_init (EveComponent *c)
{
  return stand_in_changed (c, BOXES);
}

static void
stand_in_finish (EveComponent *c)
{
  g_clear_pointer (&((StandIn *) c)->names, g_strfreev);
}

static void
stand_in_reset (EveComponent *c)
{
  StandIn *self = (StandIn *) c;
  self->told = 0;
  self->fired = -1;
  eve_stood_in (c);
}

/* NULL: not now, or never, with a sentence that is told once. */
static EveComponent *
flow_stand_in_ask (StandIn *self, uint32_t i, const char **why)
{
  EveComponent *peer = eve_peer ((EveComponent *) self, i, why);
  if (*why && !(self->told >> i & 1)) {
    self->told |= (int64_t) 1 << i;
    eve_warn_missing ((EveComponent *) self, _ ("“%s” cannot stand in: %s"), self->names[i], *why);
  }
  return peer;
}

static EveComponent *
broker_can_fire (EveComponent *c)
{
  StandIn *self = (StandIn *) c;
  EveComponent *peer = NULL;
  bool waits = false;
  for (uint32_t i = 0; !peer && peer_name (c, i); i++) {
    const char *why;
    peer = flow_stand_in_ask (self, i, &why);
    waits |= !peer && !why;
  }
  if (peer)
    eve_status (c, "%s", eve_name (peer));
  return peer || waits ? peer : c; /* itself: fails, and says so */
}

/* Whether somebody has not been given up, besides one. */
static bool
others_left (const StandIn *self, int32_t but)
{
  for (uint32_t i = 0; peer_name ((EveComponent *) self, i); i++)
    if ((int32_t) i != but && !(self->given_up >> i & 1))
      return true;
  return false;
}

/* The one whose turn it was is given up if it has failed, or was too slow while there is another. */
static void
flow_stand_in_judge (StandIn *self)
{
  int64_t took = eve_stood_in ((EveComponent *) self);
  bool slow = self->most_ms > 0 && took > (int64_t) (self->most_ms * 1e6) && others_left (self, self->fired);
  if (took == INT64_MIN || self->fired < 0 || (took >= 0 && !slow))
    return;
  self->given_up |= (int64_t) 1 << self->fired;
  if (slow)
    eve_warn ((EveComponent *) self,
              _ ("%s was too slow, and another stands in for it from here on: %.3g\u2009ms for a datum"),
              self->names[self->fired], (double) took / 1e6);
}

static EveComponent *
fallback_can_fire (EveComponent *c)
{
  StandIn *self = (StandIn *) c;
  flow_stand_in_judge (self);
  self->fired = -1;
  for (uint32_t i = 0; peer_name (c, i); i++) {
    const char *why;
    EveComponent *peer = self->given_up >> i & 1 ? NULL : flow_stand_in_ask (self, i, &why);
    if (peer) {
      self->fired = (int32_t) i;
      eve_status (c, i == 0 ? "%s" : _ ("%s, in the place of another"), eve_name (peer));
      return peer;
    }
    if (!(self->given_up >> i & 1) && !why) /* it waits for something: nobody overtakes it */
      return NULL;
  }
  return c; /* fails, and says so */
}

/* Nobody is named: what comes passes.  Nobody is left: it fails. */
static void
stand_in_fire (EveComponent *c)
{
  StandIn *self = (StandIn *) c;
  if (peer_name (c, 0))
    eve_fail (c, _ ("has no box left that can do its work"));
  else
    eve_emit (self->base.out[0], eve_take (self->base.in[0]));
}

static const EvePeers broker_peers = { "boxes", peer_name, false };
static const EvePeers fallback_peers = { "boxes", peer_name, true };

static const void *
broker_query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, EVE_PEERS) == 0 ? &broker_peers : NULL;
}

static const void *
fallback_query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, EVE_PEERS) == 0 ? &fallback_peers : NULL;
}

#define STAND_IN_CLASS                                                                                                 \
  EVE_CLASS_HEAD, .category = "Flow", .version = 1, .ins = ins, .n_ins = EVE_N (ins), .outs = outs,                    \
                  .n_outs = EVE_N (outs), .instance_size = sizeof (StandIn), .init = stand_in_init,                    \
                  .finish = stand_in_finish, .changed = stand_in_changed, .reset = stand_in_reset,                     \
                  .fire = stand_in_fire

static const EveClass broker = {
  STAND_IN_CLASS,
  .id = "scope.broker",
  .label = "Broker",
  .doc = "The first of several boxes that can do it works on each datum.",
  .help = "The boxes stand in the program without a wire to their first input: for each datum the broker asks them in "
          "turn, and the first that can work does so, with its own settings and state, on the ports of the broker. One "
          "that holds its data, as a closed Gate with *when closed* `hold`, cannot. A box stands in if its ports are "
          "like the broker's: one input and one output of the type that is wired; further ones stay its own. While no "
          "box is "
          "named, data pass.\n\n"
          "Example: *boxes* `Open, Absolute`, a Gate and a Unary: while the gate is closed, absolute values leave.",
  .settings = broker_settings,
  .n_settings = EVE_N (broker_settings),
  .can_fire = broker_can_fire,
  .query = broker_query,
};
static const EveClass fallback = {
  STAND_IN_CLASS,
  .id = "scope.fallback",
  .label = "Fallback",
  .doc = "When the box that does the work fails or is too slow, the next one takes over.",
  .help = "The boxes stand in the program without a wire to their first input; the first one works on what comes, on "
          "the ports of the fallback. When it fails the program goes on: what it said is told as a warning, and the "
          "next one works on the same datum, and on all that follow. With *at most*, one that took longer for a datum "
          "is given up as well. From the beginning on the first one is asked again. When all have failed, so does the "
          "program.\n\n"
          "Example: *boxes* `Of mine, Usual`, where *Of mine* is a component that is still being written.",
  .settings = fallback_settings,
  .n_settings = EVE_N (fallback_settings),
  .state = state,
  .n_state = EVE_N (state),
  .can_fire = fallback_can_fire,
  .query = fallback_query,
};
EVE_PLUGIN (&broker, &fallback);
