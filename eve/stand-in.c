/* SPDX-License-Identifier: Apache-2.0 */
/* stand-in.c - one component fires in the place of another: on its ports, with its own settings and state. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

const EvePeers *
stand_in_peers (Node *n)
{
  return n->klass->can_fire && n->klass->query && n->use == EVE_WORKS && !n->ghost_id
             ? n->klass->query (n->self, EVE_PEERS)
             : NULL;
}

void
stand_in_each (Node *n, void (*each) (void *arg, Node *peer), void *arg)
{
  const EvePeers *peers = stand_in_peers (n);
  const char *name;
  for (uint32_t i = 0; peers && (name = peers->name (n->self, i)); i++) {
    Node *peer = g_hash_table_lookup (n->program->by_name, name);
    if (peer && peer != n)
      each (arg, peer);
  }
}

/* ---- ports ---------------------------------------------------------------------------------------------------------- */
static bool
same_ports (const Node *a, const Node *b)
{
  if (a->n_ins != b->n_ins || a->n_outs != b->n_outs)
    return false;
  for (uint32_t i = 0; i < a->n_ins; i++)
    if (a->ins[i].spec->type != b->ins[i].spec->type)
      return false;
  for (uint32_t i = 0; i < a->n_outs; i++)
    if (a->outs[i].spec->type != b->outs[i].spec->type)
      return false;
  return true;
}

/* What `wants` a type can work on what is bound to `has`. */
static bool
eve_stand_in_fits (const EveType *wants, const EveType *has)
{
  return !wants || wants == has;
}

/* One that has more ports than n can work on the first input and output of n, if it can do without data at the others:
 * then its own stay in their place. */
static bool
first_ports (const Node *n, const Node *other)
{
  if (n->n_ins != 1 || n->n_outs != 1 || !other->n_ins || !other->n_outs || other->ins[0].spec->arrival != EVE_SYNC
      || n->ins[0].spec->arrival != EVE_SYNC || !eve_stand_in_fits (other->ins[0].spec->type, n->ins[0].type)
      || other->outs[0].per_fire > n->outs[0].per_fire)
    return false;
  /* one any, the other not: what leaves is of the type that n's output has */
  if (other->outs[0].spec->type && n->outs[0].type && other->outs[0].spec->type != n->outs[0].type)
    return false;
  for (uint32_t i = 1; i < other->n_ins; i++)
    if (other->ins[i].spec->arrival == EVE_SYNC && (other->ins[i].spec->required || other->ins[i].n_edges))
      return false;
  return !other->ins[0].n_edges;
}

static void
lend (Node *n, Node *other, EveBase *saved)
{
  EveBase *mine = eve_base (n->self), *theirs = eve_base (other->self);
  *saved = *theirs;
  bool all = same_ports (n, other);
  memcpy (theirs->in, mine->in, sizeof *theirs->in * (all ? EVE_MAX_PORTS : 1));
  memcpy (theirs->out, mine->out, sizeof *theirs->out * (all ? EVE_MAX_PORTS : 1));
}

static void
take_back (Node *other, const EveBase *saved)
{
  EveBase *theirs = eve_base (other->self);
  memcpy (theirs->in, saved->in, sizeof theirs->in);
  memcpy (theirs->out, saved->out, sizeof theirs->out);
}

/* ---- asked by can_fire ------------------------------------------------------------------------------------------------ */
typedef struct Peer {
  Node *node;      /* NULL: there is none of that name */
  const char *why; /* it never can, while the program is as it is; NULL: it may */
} Peer;

/* As the program is: names are looked up once, not for each datum. */
struct Peers {
  uint64_t serial;     /* of the program */
  const EvePeers *how; /* NULL: it names nobody */
  uint32_t n;
  Peer all[];
};

static const char *
why_never (const Node *n, Node *other)
{
  return !other || other->ghost_id ? _ ("there is no such box")
         : other == n              ? _ ("it cannot stand in for itself")
         : other->use != EVE_WORKS ? _ ("it is off")
         : !other->klass->fire || !(same_ports (n, other) || first_ports (n, other))
             ? _ ("its ports are not like those that it would work on")
         : stand_in_peers (other) ? _ ("it has others that stand in for it")
                                  : NULL;
}

static const Peers *
peers_of (Node *n)
{
  if (G_LIKELY (n->peers && n->peers->serial == n->program->serial))
    return n->peers;
  const EvePeers *how = stand_in_peers (n);
  uint32_t count = 0;
  while (how && how->name (n->self, count))
    count++;
  g_free (n->peers);
  n->peers = g_malloc (sizeof *n->peers + count * sizeof *n->peers->all);
  *n->peers = (Peers){ .serial = n->program->serial, .how = how, .n = count };
  for (uint32_t i = 0; i < count; i++) {
    Node *other = g_hash_table_lookup (n->program->by_name, how->name (n->self, i));
    n->peers->all[i] = (Peer){ other, why_never (n, other) };
  }
  return n->peers;
}

EveComponent *
eve_peer (EveComponent *c, uint32_t i, const char **why)
{
  Node *n = node_of (c);
  const Peers *peers = peers_of (n);
  Node *other = i < peers->n ? peers->all[i].node : NULL;
  *why = i < peers->n ? peers->all[i].why : _ ("there is no such box");
  if (*why)
    return NULL;
  if (other->klass->can_fire) {
    EveBase saved;
    lend (n, other, &saved);
    Outer outer = call_enter (other, CALL_CAN_FIRE);
    EveComponent *who = other->klass->can_fire (other->self);
    call_leave (other, outer);
    take_back (other, &saved);
    if (who != other->self)
      return NULL;
  }
  return other->self;
}

int64_t
eve_stood_in (EveComponent *c)
{
  Node *n = node_of (c);
  int64_t was = n->stood_in;
  n->stood_in = INT64_MIN;
  return was;
}

/* ---- firing ----------------------------------------------------------------------------------------------------------- */
/* Nobody hears of what n gives until it is known whether who fires in its place has failed. */
typedef struct Held {
  uint64_t head;
  bool armed;
} Held;

static void
hold_back (Node *n, Held *held)
{
  for (uint32_t i = 0; i < n->n_outs; i++) {
    held[i] = (Held){ n->outs[i].head, n->outs[i].armed };
    n->outs[i].armed = false;
  }
}

/* Gives what was held back, or takes it away: another will work on the same data. */
static void
eve_stand_in_let_go (Node *n, const Held *held, bool failed)
{
  for (uint32_t i = 0; i < n->n_outs; i++) {
    EveOut *out = &n->outs[i];
    uint64_t head = out->head;
    out->armed |= held[i].armed;
    out->head = held[i].head;
    if (failed) {
      ring_take_back (out, head);
      continue;
    }
    while (out->head < head) {
      out->head++;
      if (out->armed)
        ring_arrive (out, 1);
    }
  }
}

/* Its failure has not ended the program (sched_fail): it is told, and what it should have worked on stays. */
static void
forgive (Node *n, Node *other)
{
  g_autofree char *sentence = g_string_free (g_steal_pointer (&other->failure), FALSE);
  n->stood_in = -1;
  n->progressed = true; /* it is asked again at once */
  for (uint32_t i = 0; i < n->n_ins; i++)
    in_rollback (&n->ins[i]);
  eve_warn (n->self, _ ("%s has failed, and another stands in for it from here on: %s"), other->name, sentence);
}

void
stand_in_fire (Node *n, EveComponent *who)
{
  EveProgram *p = n->program;
  Node *other = node_of (who);
  const EvePeers *peers = peers_of (n)->how;
  bool ours = other->program == p;
  if (!ours || !other->klass->fire || !(same_ports (n, other) || (peers && first_ports (n, other)))) {
    eve_fail (n->self, _ ("wants %s to fire in its place, which does not have the same ports"),
              ours ? other->name : _ ("a component of another program"));
    return;
  }
  EveBase saved;
  lend (n, other, &saved);
  Outer outer = call_enter (other, CALL_FIRE);
  other->firings++;
  Node *before = p->forgiving;
  p->forgiving = peers && peers->forgives ? other : NULL;
  Held held[EVE_MAX_PORTS];
  if (p->forgiving)
    hold_back (n, held);
  int64_t began = peers ? now_ns () : 0;
  other->klass->fire (other->self);
  call_leave (other, outer);
  take_back (other, &saved);
  n->stood_in = peers ? now_ns () - began : INT64_MIN;
  if (p->forgiving)
    eve_stand_in_let_go (n, held, other->failure != NULL);
  p->forgiving = before;
  if (other->failure && peers && peers->forgives && p->failed != other)
    forgive (n, other);
  if (p->failed == other) /* what n holds stays there */
    for (uint32_t i = 0; i < n->n_ins; i++)
      in_rollback (&n->ins[i]);
}
