/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - what a program shows while time stands still.
 *
 * Components that tell a sum of many data now and then (at_rest) tell it as of this instant, and what they tell goes
 * down to inputs that are `present`: views, files that hold one thing, arithmetic.  It goes through rings of its own,
 * apart from those of the run, and what it did to the run state of those who took it is taken back before the program
 * goes on.  So the run is the same whether, where and how often somebody stopped to look. */
#include "eve/private.h"
#include <string.h>

#define REST_ROOM 16u         /* data a ring holds meanwhile, at least */
#define MOST_CALLS (1u << 22) /* of at_rest, and turns of the sweep: against cycles that feed themselves */

typedef struct EdgePlace {
  Edge *edge;
  uint64_t read, next;
} EdgePlace;

/* The engine's side of everybody who takes part, as it was. */
typedef struct Aside {
  GPtrArray *nodes; /* of Node *, in rank order */
  Node *node;       /* copies, one for each of `nodes` */
  GArray *outs;     /* of EveOut, of all of them in turn */
  GArray *ins;      /* of EveIn */
  GArray *edges;    /* of EdgePlace */
  uint64_t *ready;
  uint32_t sweep, turn, burst_left;
  EveMode mode;
} Aside;

static bool
is_fed (const Node *n, const bool *takes_part)
{
  for (uint32_t i = 0; i < n->n_ins; i++)
    for (uint32_t k = 0; n->ins[i].spec->present && k < n->ins[i].n_edges; k++)
      if (takes_part[n->ins[i].edges[k]->out->node->index])
        return true;
  return false;
}

/* Those who tell, and whom it reaches; wires that close a cycle may reach back. */
static GPtrArray *
who_takes_part (EveProgram *p, bool *takes_part)
{
  GPtrArray *nodes = g_ptr_array_new ();
  for (bool more = true; more;) {
    more = false;
    for (uint32_t r = 0; r < p->n_order; r++) {
      Node *n = p->order[r];
      if (!takes_part[n->index] && !n->ghost_id && n->use == EVE_WORKS && (n->klass->at_rest || is_fed (n, takes_part)))
        more = takes_part[n->index] = true;
    }
  }
  for (uint32_t r = 0; r < p->n_order; r++)
    if (takes_part[p->order[r]->index])
      g_ptr_array_add (nodes, p->order[r]);
  return nodes;
}

static void
put_edge_aside (Aside *a, Edge *e, uint64_t now)
{
  EdgePlace place = { e, e->read, e->next };
  g_array_append_val (a->edges, place);
  e->read = e->next = now;
}

static void
put_aside (EveProgram *p, Aside *a, const bool *takes_part)
{
  size_t words = p->n_order / 64 + 1;
  *a = (Aside){ a->nodes,
                g_new (Node, a->nodes->len + 1),
                g_array_new (FALSE, FALSE, sizeof (EveOut)),
                g_array_new (FALSE, FALSE, sizeof (EveIn)),
                g_array_new (FALSE, FALSE, sizeof (EdgePlace)),
                g_memdup2 (p->ready, words * sizeof *p->ready),
                p->sweep,
                p->turn,
                p->burst_left,
                p->mode };
  for (guint i = 0; i < a->nodes->len; i++) {
    Node *n = a->nodes->pdata[i];
    a->node[i] = *n;
    if (n->n_outs)
      g_array_append_vals (a->outs, n->outs, n->n_outs);
    if (n->n_ins)
      g_array_append_vals (a->ins, n->ins, n->n_ins);
  }
  for (guint i = 0; i < a->nodes->len; i++) {
    Node *n = a->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_outs; k++) {
      EveOut *out = &n->outs[k];
      if (!out->size)
        continue;
      ring_alloc (out, REST_ROOM);
      out->head = out->low = out->freed = out->unseen = 0;
      for (uint32_t e = 0; e < out->n_edges; e++)
        put_edge_aside (a, out->edges[e], 0);
    }
    for (uint32_t k = 0; k < n->n_ins; k++) { /* what waits is of the run, and not seen now */
      EveIn *in = &n->ins[k];
      for (uint32_t e = 0; e < in->n_edges; e++)
        if (!takes_part[in->edges[e]->out->node->index])
          put_edge_aside (a, in->edges[e], in->edges[e]->out->head);
      in->arrivals = NULL;
      in->a_capacity = 0;
      in_clear (in);
    }
  }
  memset (p->ready, 0, words * sizeof *p->ready);
  for (guint i = 0; i < a->nodes->len; i++)
    plan_count_missing (a->nodes->pdata[i]);
  p->mode = EVE_RUNNING;
}

/* What was told last stays on the wire, to be looked at. */
static void
rest_keep_shown (EveOut *told, EveOut *out)
{
  if (!told->size || !told->head)
    return;
  rest_forget_shown (out);
  out->shown = g_memdup2 (ring_slot (told, told->head - 1), told->size);
  if (told->type->retain)
    told->type->retain (out->shown);
}

static void
rest_put_back (EveProgram *p, Aside *a)
{
  guint n_out = 0, n_in = 0;
  for (guint i = 0; i < a->nodes->len; i++) {
    Node *n = a->nodes->pdata[i], was = a->node[i];
    for (uint32_t k = 0; k < n->n_outs; k++) {
      EveOut told = n->outs[k];
      n->outs[k] = g_array_index (a->outs, EveOut, n_out++);
      rest_keep_shown (&told, &n->outs[k]);
      told.shown = NULL;
      ring_free (&told);
    }
    for (uint32_t k = 0; k < n->n_ins; k++) {
      g_free (n->ins[k].arrivals);
      n->ins[k] = g_array_index (a->ins, EveIn, n_in++);
    }
    n->missing = was.missing;
    n->has_pending = was.has_pending;
    n->starved = was.starved;
    n->declined = was.declined;
    n->progressed = was.progressed;
    n->firings = was.firings;
    n->supply = was.supply;
    n->slow = was.slow;
  }
  for (guint i = 0; i < a->edges->len; i++) {
    const EdgePlace *place = &g_array_index (a->edges, EdgePlace, i);
    place->edge->read = place->read;
    place->edge->next = place->next;
  }
  memcpy (p->ready, a->ready, (p->n_order / 64 + 1) * sizeof *p->ready);
  p->sweep = a->sweep;
  p->turn = a->turn;
  p->burst_left = a->burst_left;
  if (!p->failed)
    p->mode = a->mode;
  g_free (a->node);
  g_free (a->ready);
  g_array_unref (a->outs);
  g_array_unref (a->ins);
  g_array_unref (a->edges);
}

static void
rest_tell (EveProgram *p, const GPtrArray *nodes, int64_t now)
{
  uint32_t calls = 0;
  p->sweep = p->burst_left = 0;
  for (guint i = 0; i < nodes->len && !p->failed; i++) {
    Node *n = nodes->pdata[i];
    for (bool done = !n->klass->at_rest; !done && !p->failed && ring_room_for_firing (n) && calls++ < MOST_CALLS;) {
      done = sched_at_rest (n, now);
      while (!p->failed && calls++ < MOST_CALLS && sched_sweep (p))
        ;
    }
  }
  LOG ("rest", 3, "at rest: %u boxes take part, %u calls", nodes->len, calls);
}

void
eve_rest (EveProgram *p, int64_t now)
{
  g_return_if_fail (!p->calls);
  rest_end (p);
  if (p->failed)
    return;
  if (p->dirty)
    plan_make (p);
  g_autofree bool *takes_part = g_new0 (bool, p->nodes->len + 1);
  Aside a = { .nodes = who_takes_part (p, takes_part) };
  p->resting = true;
  if (a.nodes->len) {
    for (guint i = 0; i < a.nodes->len; i++) {
      Node *n = a.nodes->pdata[i];
      if (is_fed (n, takes_part)) {
        EveBlob *before = eve_blob_new ();
        eve_component_save_run (n->self, before);
        n->before_rest = before;
      }
    }
    put_aside (p, &a, takes_part);
    p->telling = true;
    rest_tell (p, a.nodes, now);
    p->telling = false;
    rest_put_back (p, &a);
  }
  g_ptr_array_unref (a.nodes);
}

bool
eve_at_rest (const EveComponent *c)
{
  return node_of (c)->program->telling;
}

void
rest_forget_shown (EveOut *out)
{
  if (out->shown && out->type && out->type->release)
    out->type->release (out->shown);
  g_clear_pointer (&out->shown, g_free);
}

void
rest_forget (Node *n)
{
  g_clear_pointer (&n->before_rest, eve_blob_free);
  for (uint32_t i = 0; i < n->n_outs; i++)
    rest_forget_shown (&n->outs[i]);
}

void
rest_end (EveProgram *p)
{
  if (G_LIKELY (!p->resting))
    return;
  p->resting = false;
  p->telling = true; /* eve_at_rest(), for their reset and load */
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (n->before_rest) {
      sched_pause_node (n); /* and started when it goes on: files are opened where they were */
      run_state_put_back (n, n->before_rest);
    }
    rest_forget (n);
  }
  p->telling = false;
}
