/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - what makes two programs, or two outputs, the same: classes, versions, settings and wires. */
#include "eve/private.h"
#include <string.h>
#include "eve/bytes.h"

static int
identity_by_name (const void *a, const void *b)
{
  return strcmp ((*(Node *const *) a)->name, (*(Node *const *) b)->name);
}

static int
identity_by_value (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

static int
by_line (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

bool
identity_idle (const EveClass *k)
{
  if (k->n_outs || !k->n_ins || k->n_state || k->save || k->load || k->produce || k->at_end)
    return false;
  for (uint32_t i = 0; i < k->n_ins; i++)
    if (!k->ins[i].kept)
      return false;
  return true;
}

Node **
identity_nodes (const EveProgram *p, uint32_t *n)
{
  Node **nodes = g_new (Node *, p->nodes->len + 1);
  *n = 0;
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *node = p->nodes->pdata[i];
    if (node->ghost_id || !identity_idle (node->klass))
      nodes[(*n)++] = node;
  }
  qsort (nodes, *n, sizeof (Node *), identity_by_name);
  return nodes;
}

static void
put_nodes (EveBlob *b, Node *const *nodes, uint32_t n_nodes)
{
  for (uint32_t i = 0; i < n_nodes; i++) {
    Node *n = nodes[i];
    eve_put_text (b, n->name);
    eve_put_text (b, eve_class_id (n->self));
    eve_put_int (b, n->klass->version);
    if (n->use != EVE_WORKS)
      eve_put_text (b, eve_use_name (n->use));
    for (uint32_t k = 0; k < n->klass->n_settings; k++) {
      const EveField *f = &n->klass->settings[k];
      if (f->look)
        continue;
      g_autofree char *text = eve_field_text (f, (char *) n->self + f->offset);
      eve_put_text (b, f->name);
      eve_put_text (b, text);
    }
  }
}

/* The wires that lead to these, in the order of their names. */
static void
put_wires (EveBlob *b, Node *const *nodes, uint32_t n_nodes)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  for (uint32_t i = 0; i < n_nodes; i++)
    for (uint32_t k = 0; k < nodes[i]->n_ins; k++) {
      const EveIn *in = &nodes[i]->ins[k];
      for (uint32_t e = 0; e < in->n_edges + in->n_kept; e++) {
        const Wire *w = in_edge (in, e)->wire;
        g_ptr_array_add (lines, g_strdup_printf ("%s\n%s\n%s\n%s", w->from->name, w->out, w->to->name, w->in));
      }
    }
  g_ptr_array_sort (lines, by_line);
  for (guint i = 0; i < lines->len; i++)
    eve_put_text (b, lines->pdata[i]);
}

static uint64_t
identity_hash_of (Node *const *nodes, uint32_t n_nodes, const char *output)
{
  EveBlob *b = eve_blob_new ();
  put_nodes (b, nodes, n_nodes);
  put_wires (b, nodes, n_nodes);
  if (output)
    eve_put_text (b, output);
  uint64_t hash = eve_blob_hash (b);
  eve_blob_free (b);
  return hash;
}

uint64_t
eve_program_plan_hash (const EveProgram *p)
{
  uint32_t n;
  g_autofree Node **nodes = identity_nodes (p, &n);
  return identity_hash_of (nodes, n, NULL);
}

typedef struct Above {
  GPtrArray *list;
  GHashTable *seen;
} Above;

static void
identity_add_above (void *above, Node *n)
{
  if (g_hash_table_add (((Above *) above)->seen, n))
    g_ptr_array_add (((Above *) above)->list, n);
}

/* A node and all that is upstream of it, or may fire in its place. */
static GPtrArray *
identity_cone_of (Node *n)
{
  GPtrArray *above = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (above, n);
  g_hash_table_add (seen, n);
  for (guint i = 0; i < above->len; i++) {
    Node *down = above->pdata[i];
    stand_in_each (down, identity_add_above, &(Above){ above, seen });
    for (uint32_t k = 0; k < down->n_ins; k++)
      for (uint32_t e = 0; e < down->ins[k].n_edges; e++) {
        Node *up = down->ins[k].edges[e]->out->node;
        if (g_hash_table_add (seen, up))
          g_ptr_array_add (above, up);
      }
  }
  return above;
}

static uint64_t
hash_of_cone (Node *n, const char *output)
{
  g_autoptr (GPtrArray) above = identity_cone_of (n);
  qsort (above->pdata, above->len, sizeof (Node *), identity_by_name);
  return MAX (identity_hash_of ((Node *const *) above->pdata, above->len, output), 1);
}

uint64_t
eve_out_identity (EveComponent *c, uint32_t output)
{
  Node *n = node_of (c);
  g_return_val_if_fail (output < n->n_outs, 0);
  return hash_of_cone (n, n->outs[output].spec->name);
}

/* Sees more than the sequences that come to its inputs.  That a source hears commands is none of it: who compares two
 * runs gives both the same. */
static bool
sees_order (const Node *n)
{
  uint32_t n_edges = 0, n_async = 0;
  bool control = true;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    const EveIn *in = &n->ins[i];
    if (in_mixes (in))
      return true;
    n_edges += in->n_edges;
    n_async += in->n_edges && in->spec->arrival == EVE_ASYNC && !in->spec->commutes;
    control &= !in->n_edges || in->spec->role == EVE_CONTROL;
  }
  return n_async && (n_edges > 1 || (n->klass->produce && !control));
}

/* One may fire in the place of another, or whose turn it is among sources decides what comes first. */
static bool
hangs_together (EveProgram *p)
{
  uint32_t turns = 0;
  if (p->dirty)
    plan_make (p);
  for (guint i = 0; i < p->nodes->len; i++) {
    const Node *n = p->nodes->pdata[i];
    if ((n->klass->can_fire && n->use == EVE_WORKS) || n->ghost_id)
      return true;
    turns += n->klass->produce && n->use == EVE_WORKS && n->burst == 1;
  }
  return turns > 1;
}

/* What some nodes are, those of one cycle or a single one, and what comes to them from elsewhere. */
static uint64_t
hash_of_group (EveProgram *p, Node *const *nodes, uint32_t n_nodes, const uint64_t *above, bool *alone)
{
  EveBlob *b = eve_blob_new ();
  g_autofree Node **named = g_memdup2 (nodes, n_nodes * sizeof (Node *));
  qsort (named, n_nodes, sizeof (Node *), identity_by_name);
  put_nodes (b, named, n_nodes);
  put_wires (b, named, n_nodes);
  for (uint32_t i = 0; i < n_nodes; i++) {
    *alone &= !sees_order (named[i]);
    for (uint32_t k = 0; k < named[i]->n_ins; k++) {
      const EveIn *in = &named[i]->ins[k];
      g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (uint64_t));
      for (uint32_t e = 0; e < in->n_edges; e++) {
        const Node *up = in->edges[e]->out->node;
        if (up->component != named[i]->component)
          g_array_append_val (ids, above[up->index]);
      }
      g_array_sort (ids, identity_by_value);
      for (guint e = 0; e < ids->len; e++)
        eve_put_int (b, (int64_t) g_array_index (ids, uint64_t, e));
    }
  }
  uint64_t hash = eve_blob_hash (b);
  eve_blob_free (b);
  return hash;
}

static bool
all_above_alone (Node *const *nodes, uint32_t n_nodes, const bool *alone)
{
  for (uint32_t i = 0; i < n_nodes; i++)
    for (uint32_t k = 0; k < nodes[i]->n_ins; k++)
      for (uint32_t e = 0; e < nodes[i]->ins[k].n_edges; e++) {
        const Node *up = nodes[i]->ins[k].edges[e]->out->node;
        if (up->component != nodes[i]->component && !alone[up->index])
          return false;
      }
  return true;
}

void
eve_program_identities (EveProgram *p, uint64_t *identity, bool *alone)
{
  bool together = hangs_together (p);
  for (uint32_t from = 0, to; from < p->n_order; from = to) { /* upstream comes first, cycles stand together */
    for (to = from + 1; to < p->n_order && p->order[to]->component == p->order[from]->component; to++)
      ;
    bool is_alone = !together && all_above_alone (&p->order[from], to - from, alone);
    uint64_t group = hash_of_group (p, &p->order[from], to - from, identity, &is_alone);
    for (uint32_t r = from; r < to; r++) {
      const Node *n = p->order[r];
      uint64_t both[] = { group, bytes_fnv (n->name, strlen (n->name)) };
      identity[n->index] = MAX (bytes_fnv (both, sizeof both), 1);
      alone[n->index] = is_alone;
    }
  }
}

bool
eve_component_keeps_nothing (EveComponent *c)
{
  Node *n = node_of (c);
  const EveClass *k = n->klass;
  uint32_t n_edges = 0;
  bool required = false;
  if (identity_idle (k) || n->use != EVE_WORKS)
    return true;
  if (n->ghost_id || k->produce || k->can_fire)
    return false;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    n_edges += n->ins[i].n_edges;
    required |= !n->ins[i].n_edges && k->ins[i].required;
  }
  for (uint32_t i = 0; i < n->n_outs; i++)
    if (n->outs[i].size)
      return false;
  if (!n_edges) /* nothing ever comes */
    return true;
  bool holds = k->n_state || k->save || k->load;
  return n_edges == 1 && !required && !k->at_end && (!holds || eve_query (c, "keeps-nothing/1"));
}

uint64_t
eve_in_identity (EveIn *in)
{
  uint32_t n_edges = in->n_edges + in->n_kept;
  const EveProgram *p = in->node->program;
  if (!n_edges)
    return 0;
  if (in->identity && in->identity_serial == p->serial)
    return in->identity;
  g_autofree uint64_t *outs = g_new (uint64_t, n_edges);
  for (uint32_t e = 0; e < n_edges; e++) {
    const EveOut *out = in_edge (in, e)->out;
    outs[e] = eve_out_identity (out->node->self, (uint32_t) (out - out->node->outs));
  }
  qsort (outs, n_edges, sizeof *outs, identity_by_value);
  in->identity = MAX (n_edges > 1 ? bytes_fnv (outs, n_edges * sizeof *outs) : outs[0], 1);
  in->identity_serial = p->serial;
  return in->identity;
}

#define ASKED_MOST 4096 /* outputs: wires may go round, and meet again */

/* False: outputs differ, or there are too many; *unit NULL: none has said one so far. */
static bool
identity_find_unit (const EveIn *in, uint32_t *left, const char **unit)
{
  for (uint32_t e = 0; e < in->n_edges + in->n_kept; e++) {
    const EveOut *out = in_edge (in, e)->out;
    const Node *n = out->node;
    const EveOutSpec *spec = &n->klass->outs[out - n->outs];
    const char *says = spec->unit && *spec->unit ? spec->unit : NULL;
    if ((says && *unit && strcmp (says, *unit) != 0) || *left == 0)
      return false;
    --*left;
    *unit = says ? says : *unit;
    for (uint32_t i = 0; !says && !spec->type && !n->ghost_id && i < n->n_ins; i++)
      if (!n->klass->ins[i].type && n->klass->ins[i].role == EVE_DATA && !identity_find_unit (&n->ins[i], left, unit))
        return false;
  }
  return true;
}

const char *
eve_in_unit (const EveIn *in)
{
  const char *unit = NULL;
  uint32_t left = ASKED_MOST;

  return identity_find_unit (in, &left, &unit) ? unit : NULL;
}

uint32_t
eve_in_fed_by (EveComponent *c, uint32_t input, EveComponent **from, uint32_t *output, uint32_t most)
{
  const Node *n = node_of (c);
  g_return_val_if_fail (input < n->n_ins, 0);
  const EveIn *in = &n->ins[input];
  uint32_t n_edges = in->n_edges + in->n_kept;
  for (uint32_t e = 0; e < MIN (n_edges, most); e++) {
    const EveOut *out = in_edge (in, e)->out;
    from[e] = out->node->self;
    output[e] = (uint32_t) (out - out->node->outs);
  }
  return n_edges;
}
