/* SPDX-License-Identifier: Apache-2.0 */
/* stall.c - when nothing moves any more: is it a deadlock that a larger ring resolves, and if not, who waits for whom?
 *
 * A join whose inputs come at different rates can fill a ring while the other input needs more of the same data:
 * an artificial deadlock, an effect of the bounds alone.  The rule of Parks (1995) resolves it: the smallest full
 * ring of the cycle grows. */
#include "eve/private.h"
#include "eve/words.h"

typedef struct Walk {
  EveProgram *p;
  GString *text;
  GHashTable *seen; /* nodes on the way */
  EveOut *smallest; /* full ring that may grow */
  bool cycle;       /* came back to a node of the way */
  Node *met;        /* that node */
} Walk;

static EveOut *
full_output (const Node *n)
{
  for (uint32_t i = 0; i < n->n_outs; i++) {
    EveOut *out = &n->outs[i];
    if (!out->size)
      continue;
    ring_low_water (out);
    if (out->capacity - (out->head - out->low) < out->per_fire)
      return out;
  }
  return NULL;
}

/* The node whose cursor holds the ring: the first of the slowest. */
static EveIn *
slowest_consumer (const EveOut *out)
{
  Edge *slowest = out->edges[0];
  for (uint32_t i = 1; i < out->n_edges; i++)
    if (out->edges[i]->read < slowest->read)
      slowest = out->edges[i];
  return slowest->in;
}

static bool
may_grow (const EveOut *out)
{
  return !out->spec->fixed && out->capacity * 2 * out->size <= EVE_RING_MAX_BYTES;
}

/* Follows the chain of waits from node n, which cannot go on. */
static void
stall_follow (Walk *w, Node *n)
{
  while (n) {
    if (!g_hash_table_add (w->seen, n)) {
      w->cycle = true;
      w->met = n;
      return;
    }
    EveOut *out = full_output (n);
    if (out) {
      if (may_grow (out) && (!w->smallest || out->capacity < w->smallest->capacity))
        w->smallest = out;
      EveIn *in = slowest_consumer (out);
      g_string_append_printf (w->text, _ ("%s.%s is full (%" PRIu64 " data) -> "), n->name, out->spec->name,
                              out->head - out->low);
      n = in->node;
      EveIn *waits = NULL;
      for (uint32_t i = 0; i < n->n_ins && !waits; i++) {
        EveIn *other = &n->ins[i];
        if (other->n_edges && other->spec->arrival == EVE_SYNC && !in_available (other))
          waits = other;
        else if (!other->n_edges && other->spec->required && other->spec->arrival == EVE_SYNC) {
          g_string_append_printf (w->text, _ ("%s needs %s.%s, which is not connected"), n->name, n->name,
                                  other->spec->name);
          return;
        }
      }
      if (waits) {
        g_string_append_printf (w->text, _ ("%s.%s waits for %s.%s -> "), n->name, in->spec->name, n->name,
                                waits->spec->name);
        if (!g_hash_table_add (w->seen, n)) {
          w->cycle = true;
          w->met = n;
          return;
        }
        n = waits->edges[0]->out->node;
        continue;
      }
      if (full_output (n))
        continue;
      g_string_append_printf (w->text, _ ("%s does not take from %s.%s"), n->name, n->name, in->spec->name);
      return;
    }
    if (n->klass->produce) {
      g_string_append_printf (w->text, n->supply == NODE_ENDED ? _ ("%s has ended") : _ ("%s has nothing to give now"),
                              n->name);
      return;
    }
    EveIn *waits = NULL;
    for (uint32_t i = 0; i < n->n_ins && !waits; i++)
      if (n->ins[i].n_edges && n->ins[i].spec->arrival == EVE_SYNC && !in_available (&n->ins[i]))
        waits = &n->ins[i];
    if (!waits) {
      g_string_append_printf (w->text, _ ("%s gives nothing"), n->name);
      return;
    }
    g_string_append_printf (w->text, _ ("%s waits for %s.%s -> "), n->name, n->name, waits->spec->name);
    n = waits->edges[0]->out->node;
  }
}

/* A node that would work if an output had room; NULL: nothing is stuck. */
static Node *
stuck_node (EveProgram *p, guint *from)
{
  for (; *from < p->n_order; (*from)++) {
    Node *n = p->order[*from];
    if (!full_output (n))
      continue;
    if (n->klass->produce ? n->supply == NODE_SUPPLYING : n->n_sync || n->starved) {
      (*from)++;
      return n;
    }
  }
  return NULL;
}

static void
walk_init (Walk *w, EveProgram *p)
{
  *w = (Walk){ .p = p, .text = g_string_new (NULL), .seen = g_hash_table_new (NULL, NULL) };
}

static void
walk_clear (Walk *w)
{
  g_string_free (w->text, TRUE);
  g_hash_table_unref (w->seen);
}

bool
stall_resolve (EveProgram *p)
{
  guint from = 0;
  for (Node *n; (n = stuck_node (p, &from));) {
    Walk w;
    walk_init (&w, p);
    stall_follow (&w, n);
    EveOut *out = w.cycle ? w.smallest : NULL;
    walk_clear (&w);
    if (!out)
      continue;
    ring_grow (out, out->capacity * 2);
    LOG ("sched", 2, "%s.%s grown to %" G_GUINT64_FORMAT " data", out->node->name, out->spec->name, out->capacity);
    sched_out_freed (out);
    return true;
  }
  return false;
}

char *
stall_sentence (EveProgram *p)
{
  for (uint32_t i = 0; i < p->n_sources; i++)
    if (p->sources[i]->supply == NODE_WAITING)
      return NULL; /* may come back by itself */
  guint from = 0;
  Node *n = stuck_node (p, &from);
  if (!n)
    return NULL;
  Walk w;
  walk_init (&w, p);
  stall_follow (&w, n);
  if (w.met)
    g_string_append_printf (w.text, "%s again", w.met->name);
  char *sentence = g_strdup (w.text->str);
  walk_clear (&w);
  return sentence;
}

static void
note_peer (void *set, Node *peer)
{
  g_hash_table_add (set, peer);
}

void
eve_program_tell_unfed (const EveProgram *p, void (*tell) (void *arg, const char *sentence), void *arg)
{
  g_autoptr (GHashTable) stand_in = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < p->nodes->len; i++)
    stand_in_each (p->nodes->pdata[i], note_peer, stand_in);
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_ins; k++) {
      const EveIn *in = &n->ins[k];
      if (in->n_edges || in->n_kept || !in->spec->required || n->use != EVE_WORKS
          || (k == 0 && g_hash_table_contains (stand_in, n)))
        continue;
      g_autofree char *sentence = g_strdup_printf (
          _ ("%s does nothing: its input %s has no wire that brings something"), n->name, in->spec->name);
      tell (arg, sentence);
    }
  }
}
