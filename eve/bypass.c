/* SPDX-License-Identifier: Apache-2.0 */
/* bypass.c - components that are off, or bypassed: they stay in the program with their settings and wires, and do
 * nothing.
 *
 * Wires of such a component carry nothing.  What comes to a bypassed one goes on to whom its output feeds, as over
 * wires of its own (p->through), which are made anew after each edit and are neither seen nor saved.  So nobody who
 * plans, runs or saves a program needs to know of this: there are other edges, that is all. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

/* Where the data of an output come from when its component is bypassed: the k-th output of a type goes with the k-th
 * data input of that type, or else with the first; where none has it, with the first that converts to it.  -1: none. */
static int
bypass_passes (const EveClass *k, uint32_t output)
{
  const EveType *type = k->outs[output].type;
  int nth = 0, first = -1;
  Convert convert;
  for (uint32_t o = 0; o < output; o++)
    nth += k->outs[o].type == type;
  for (uint32_t i = 0; i < k->n_ins; i++) {
    if (k->ins[i].role == EVE_CONTROL || k->ins[i].type != type || k->ins[i].kept)
      continue;
    if (first < 0)
      first = (int) i;
    if (!nth--)
      return (int) i;
  }
  for (uint32_t i = 0; first < 0 && type && i < k->n_ins; i++)
    if (k->ins[i].role != EVE_CONTROL && k->ins[i].type && !k->ins[i].kept
        && type_converts (k->ins[i].type, type, &convert))
      first = (int) i;
  return first;
}

const char *
eve_use_name (EveUse use)
{
  static const char *const names[] = { "works", "off", "bypassed" };
  return names[use];
}

EveUse
eve_use (const EveComponent *c)
{
  return node_of (c)->use;
}

char *
eve_why_no_bypass (const EveComponent *c)
{
  const Node *n = node_of (c);
  if (n->ghost_id)
    return g_strdup_printf (_ ("%s is a ghost: nothing is known of what it would let pass"), n->name);
  for (uint32_t o = 0; o < n->n_outs; o++)
    if (bypass_passes (n->klass, o) >= 0)
      return NULL;
  return g_strdup_printf (_ ("%s has no input that could go on as its output: it can be off, but not bypassed"),
                          n->name);
}

const char *
eve_bypass_input (const EveComponent *c, const char *out)
{
  const EveClass *k = node_of (c)->klass;
  int output = eve_class_out (k, out), input = output < 0 ? -1 : bypass_passes (k, (uint32_t) output);
  return input < 0 ? NULL : k->ins[input].name;
}

EveUse
bypass_parse (const Node *n, const char *text, char **sentence)
{
  EveUse use = EVE_BYPASSED;
  if (!text)
    return EVE_WORKS;
  while (use != EVE_WORKS && strcmp (text, eve_use_name (use)) != 0)
    use--;
  if (strcmp (text, eve_use_name (use)) != 0)
    *sentence = g_strdup_printf (_ ("%s: its use is '%s', which is neither off nor bypassed: it works"), n->name, text);
  g_autofree char *no = use == EVE_BYPASSED ? eve_why_no_bypass (n->self) : NULL;
  if (no)
    *sentence = g_strdup_printf (_ ("%s: it is off"), no);
  return no ? EVE_OFF : use;
}

/* ---- what goes through ------------------------------------------------------------------------------------------------ */
typedef struct Found {
  Node *from;
  const char *out;
  uint32_t tie; /* of the wire that leaves it */
} Found;

/* An input of a bypassed node, and how many of the node's wires have been followed. */
typedef struct Entered {
  const GPtrArray *wires;
  const char *in;
  guint at;
} Entered;

/* The input that goes on as an output; each is entered once, as there may be more ways than anybody can walk. */
static void
bypass_enter (GHashTable *into, Node *n, const char *out, GHashTable *entered, GArray *way)
{
  const char *in = eve_bypass_input (n->self, out);
  const GPtrArray *wires = g_hash_table_lookup (into, n);
  Entered e = { wires, in, 0 };
  if (in && wires && g_hash_table_add (entered, &n->ins[eve_class_in (n->klass, in)]))
    g_array_append_val (way, e);
}

/* Who feeds an output of a bypassed node, also through others that are bypassed, of which any number may stand in a
 * row.  `into`: Node -> its wires; `entered`: inputs, emptied first. */
static void
find_sources (GHashTable *into, Node *n, const char *out, GHashTable *entered, GArray *found)
{
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (Entered));
  bypass_enter (into, n, out, entered, way);
  while (way->len > 0) {
    Entered *e = &g_array_index (way, Entered, way->len - 1);
    if (e->at == e->wires->len) {
      g_array_set_size (way, way->len - 1);
      continue;
    }
    const Wire *w = e->wires->pdata[e->at++];
    if (strcmp (w->in, e->in) != 0)
      continue;
    if (w->from->use == EVE_BYPASSED)
      bypass_enter (into, w->from, w->out, entered, way);
    else if (w->from->use == EVE_WORKS) {
      Found f = { w->from, w->out, w->place };
      g_array_append_val (found, f);
    }
  }
}

static void
drop_through (EveProgram *p, guint i)
{
  Wire *w = p->through->pdata[i];
  if (w->edge)
    ring_detach (w->edge);
  g_ptr_array_remove_index (p->through, i);
  edit_free_wire (w);
}

static Wire *
find_through (GHashTable *through, const Found *f, const Wire *last)
{
  const Wire ends = { .from = f->from, .to = last->to, .out = (char *) f->out, .in = last->in };
  return g_hash_table_lookup (through, &ends);
}

static int
bypass_by_place (const void *a, const void *b)
{
  const Wire *x = (*(Edge *const *) a)->wire, *y = (*(Edge *const *) b)->wire;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return (x->tie > y->tie) - (x->tie < y->tie);
}

/* Consumers are told in the order of wires, however they came to be. */
static void
sort_edges (EveProgram *p)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_outs; k++)
      if (n->outs[k].n_edges > 1)
        qsort (n->outs[k].edges, n->outs[k].n_edges, sizeof (Edge *), bypass_by_place);
  }
}

void
bypass_forget (EveProgram *p)
{
  for (guint i = p->through->len; i-- > 0;) {
    const Wire *w = p->through->pdata[i];
    if (w->from->going || w->to->going || p->freeing)
      drop_through (p, i);
  }
}

void
bypass_update (EveProgram *p)
{
  if (p->held || p->freeing || (!p->n_unused && !p->through->len && !p->use_changed))
    return;
  p->use_changed = false;

  g_autoptr (GHashTable) into = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GHashTable) entered = g_hash_table_new (NULL, NULL), stays = g_hash_table_new (NULL, NULL),
                         through = g_hash_table_new (edit_ends_hash, edit_same_ends);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  g_autoptr (GPtrArray) wanted = g_ptr_array_new (); /* of Wire *: the last, for each found */
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    w->place = i;
    if (w->to->use != EVE_BYPASSED)
      continue;
    GPtrArray *wires = g_hash_table_lookup (into, w->to);
    if (!wires)
      g_hash_table_insert (into, w->to, wires = g_ptr_array_new ());
    g_ptr_array_add (wires, w);
  }
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    if (w->from->use != EVE_BYPASSED || w->to->use != EVE_WORKS)
      continue;
    g_hash_table_remove_all (entered);
    find_sources (into, w->from, w->out, entered, found);
    while (wanted->len < found->len)
      g_ptr_array_add (wanted, w);
  }
  for (guint i = 0; i < p->through->len; i++)
    g_hash_table_add (through, p->through->pdata[i]);
  for (guint i = 0; i < found->len; i++) {
    Wire *w = find_through (through, &g_array_index (found, Found, i), wanted->pdata[i]);
    if (w && !edit_find_wire (p, w->from, w->out, w->to, w->in))
      g_hash_table_add (stays, w);
  }
  bool other = false;
  for (guint i = p->through->len; i-- > 0;)
    if (!g_hash_table_contains (stays, p->through->pdata[i])) {
      g_hash_table_remove (through, p->through->pdata[i]);
      drop_through (p, i);
      other = true;
    }
  if (other)
    bind_forget (p);
  for (guint i = 0; i < found->len; i++) {
    const Found *f = &g_array_index (found, Found, i);
    const Wire *last = wanted->pdata[i];
    Wire *w = find_through (through, f, last);
    if (!w && edit_find_wire (p, f->from, f->out, last->to, last->in))
      continue; /* it comes there anyway */
    if (!w) {
      w = edit_new_wire (f->from, f->out, last->to, last->in);
      g_autofree char *sentence = edit_attach (p, w, false);
      if (sentence) { /* what goes in is no use to whom it feeds */
        edit_free_wire (w);
        continue;
      }
      g_ptr_array_add (p->through, w);
      g_hash_table_add (through, w);
      other = true;
    }
    w->place = last->place;
    w->tie = f->tie;
  }
  sort_edges (p);
  if (other)
    edit_changed (p);
}

/* ---- changing ---------------------------------------------------------------------------------------------------------- */
static void
detach_wires (EveProgram *p, const Node *n)
{
  for (guint i = p->wires->len; i-- > 0;) {
    Wire *w = p->wires->pdata[i];
    if (w->edge && (w->from == n || w->to == n)) {
      ring_detach (w->edge);
      w->edge = NULL;
    }
  }
}

static void
attach_wires (EveProgram *p, const Node *n)
{
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    if (!w->edge && (w->from == n || w->to == n))
      g_free (edit_attach (p, w, false)); /* one that is broken stays so */
  }
}

void
bypass_set (Node *n, EveUse use)
{
  EveProgram *p = n->program;
  if (n->use == use)
    return;
  rest_end (p);
  bool wired = n->use == EVE_WORKS;
  p->n_unused += (use != EVE_WORKS) - (n->use != EVE_WORKS);
  p->use_changed = true;
  n->use = use;
  if (p->failed == n || n->failure)
    eve_program_clear_failure (p);
  if (wired) {
    sched_pause_node (n); /* files that it has open are whole while it does nothing */
    detach_wires (p, n);
  }
  bind_forget (p);
  if (use == EVE_WORKS)
    attach_wires (p, n);
  if (use == EVE_WORKS)
    p->all_started = false;
  edit_changed (p);
}

bool
eve_set_use (EveComponent *c, EveUse use, GError **error)
{
  Node *n = node_of (c);
  EveProgram *p = n->program;
  if (p->calls) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED,
                 _ ("The program cannot be edited inside a firing: use eve_post()"));
    return false;
  }
  g_autofree char *no = use == EVE_BYPASSED ? eve_why_no_bypass (c) : NULL;
  if (no) {
    g_set_error_literal (error, EVE_ERROR, EVE_ERROR_REFUSED, no);
    return false;
  }
  bypass_set (n, use);
  bypass_update (p);
  if (!p->held)
    bind_ports (p);
  return true;
}
