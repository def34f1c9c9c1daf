/* SPDX-License-Identifier: Apache-2.0 */
/* bind.c - which type the ports have that take any: what the wires say.
 *
 * All ports of a box that take any have one type.  Boxes that are wired any to any have the same one: they form a set
 * (union-find, Tarjan 1975).  A typed output that feeds a set says its type.  If none does, typed inputs that are fed
 * by it say what they want, and the set gets the want that converts to all others.  A wire is looked at in a time that
 * does not grow with the program; only what is taken away has all of it looked at again. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

/* A typed input that a set feeds; only the first of each type is kept. */
typedef struct Want {
  const EveOut *out;
  const EveIn *in;
  struct Want *next;
} Want;

typedef struct Set {
  uint32_t parent, size;
  const EveType *type; /* as typed outputs say; NULL: none feeds it */
  Want *wants;         /* oldest first */
} Set;

struct Bindings {
  GArray *sets;    /* of Set, by index of the node */
  GPtrArray *room; /* the wants, to be freed */
};

static Set *
bind_set_of (const Bindings *b, const Node *n)
{
  Set *sets = (Set *) (void *) b->sets->data;
  uint32_t i = n->index;
  while (sets[i].parent != i)
    i = sets[i].parent = sets[sets[i].parent].parent;
  return &sets[i];
}

static char *
misfit (const EveOut *out, const EveType *gives, const EveIn *in, const EveType *wants)
{
  bool any_out = !out->spec->type, any_in = !in->spec->type;
  return g_strdup_printf (_ ("%s.%s gives data of type '%s'%s, but %s.%s takes '%s'%s"), out->node->name,
                          out->spec->name, gives->name, any_out ? _ (" (as its other wires say)") : "", in->node->name,
                          in->spec->name, wants->name, any_in ? _ (" (as its other wires say)") : "");
}

/* The first of the wants that a type does not convert to; NULL: there is none. */
static const Want *
unmet (const EveType *type, const Want *wants)
{
  Convert convert;
  while (wants && type_converts (type, wants->in->spec->type, &convert))
    wants = wants->next;
  return wants;
}

/* The type that two lists of wants and one more type (NULL: none) agree on; NULL: there is none. */
static const EveType *
agreed (const Want *one, const Want *two, const EveType *more)
{
  Convert convert;
  if (more && !unmet (more, one) && !unmet (more, two))
    return more;
  for (int list = 0; list < 2; list++)
    for (const Want *w = list ? two : one; w; w = w->next) {
      const EveType *type = w->in->spec->type;
      if (!unmet (type, one) && !unmet (type, two) && (!more || type_converts (type, more, &convert)))
        return type;
    }
  return NULL;
}

static const EveType *
bind_type_of (const Set *s)
{
  return s->type ? s->type : agreed (s->wants, NULL, NULL);
}

static char *
try_wire (const Bindings *b, const EveOut *out, const EveIn *in)
{
  const EveType *gives = out->spec->type, *wants = in->spec->type;
  const Set *from = bind_set_of (b, out->node), *to = bind_set_of (b, in->node);
  const Want *bad = NULL;
  Convert convert;
  if (gives && wants)
    return type_converts (gives, wants, &convert) ? NULL : misfit (out, gives, in, wants);
  if (gives) {
    if (to->type && to->type != gives)
      return misfit (out, gives, in, to->type);
    bad = unmet (gives, to->wants);
    return bad ? misfit (bad->out, gives, bad->in, bad->in->spec->type) : NULL;
  }
  if (wants) {
    if (from->type)
      return type_converts (from->type, wants, &convert) ? NULL : misfit (out, from->type, in, wants);
    return agreed (from->wants, NULL, wants) ? NULL : misfit (out, bind_type_of (from), in, wants);
  }
  if (from == to)
    return NULL;
  if (from->type && to->type && from->type != to->type)
    return misfit (out, from->type, in, to->type);
  const EveType *type = from->type ? from->type : to->type;
  if (type) {
    bad = unmet (type, from->wants);
    bad = bad ? bad : unmet (type, to->wants);
    return bad ? misfit (bad->out, type, bad->in, bad->in->spec->type) : NULL;
  }
  bool fits = (!from->wants && !to->wants) || agreed (from->wants, to->wants, NULL);
  return fits ? NULL : misfit (out, bind_type_of (from), in, bind_type_of (to));
}

static void
add_want (Bindings *b, Set *s, const EveOut *out, const EveIn *in)
{
  Want **end = &s->wants;
  for (; *end; end = &(*end)->next)
    if ((*end)->in->spec->type == in->spec->type)
      return;
  *end = g_new (Want, 1);
  **end = (Want){ out, in, NULL };
  g_ptr_array_add (b->room, *end);
}

static void
bind_join (Bindings *b, const EveOut *out, const EveIn *in)
{
  const EveType *gives = out->spec->type, *wants = in->spec->type;
  Set *from = bind_set_of (b, out->node), *to = bind_set_of (b, in->node);
  if (gives && wants)
    return;
  if (gives) {
    to->type = gives;
  } else if (wants) {
    add_want (b, from, out, in);
  } else if (from != to) {
    Set *large = from->size < to->size ? to : from, *small = large == to ? from : to;
    small->parent = large->parent;
    large->size += small->size;
    large->type = large->type ? large->type : small->type;
    for (const Want *w = small->wants; w; w = w->next)
      add_want (b, large, w->out, w->in);
    small->wants = NULL;
  }
}

/* Nodes that came since the last look are sets of their own. */
static void
bind_add_nodes (Bindings *b, const EveProgram *p)
{
  for (guint i = b->sets->len; i < p->nodes->len; i++) {
    const Set alone = { .parent = i, .size = 1 };
    ((Node *) p->nodes->pdata[i])->index = i;
    g_array_append_val (b->sets, alone);
  }
}

static Bindings *
bindings (EveProgram *p)
{
  Bindings *b = p->bindings;
  if (!b) {
    b = p->bindings = g_new (Bindings, 1);
    b->sets = g_array_new (FALSE, FALSE, sizeof (Set));
    b->room = g_ptr_array_new_with_free_func (g_free);
    bind_add_nodes (b, p);
    for (uint32_t i = 0; i < program_n_flows (p); i++) {
      const Wire *w = program_flow (p, i);
      if (w->edge)
        bind_join (b, w->edge->out, w->edge->in);
    }
  }
  bind_add_nodes (b, p);
  return b;
}

void
bind_forget (EveProgram *p)
{
  if (!p->bindings)
    return;
  g_array_unref (p->bindings->sets);
  g_ptr_array_unref (p->bindings->room);
  g_clear_pointer (&p->bindings, g_free);
}

char *
bind_why_not (EveProgram *p, const EveOut *out, const EveIn *in)
{
  return try_wire (bindings (p), out, in);
}

const EveType *
bind_type (EveProgram *p, const EveType *own, const Node *n)
{
  return own ? own : bind_type_of (bind_set_of (bindings (p), n));
}

void
bind_wire (EveProgram *p, Edge *e)
{
  bind_join (bindings (p), e->out, e->in);
  /* types are needed before the next connection is asked for, rings before the next emission */
  if (e->out->spec->type && e->in->spec->type)
    bind_edge (e);
  else
    bind_ports (p);
}

void
bind_edge (Edge *e)
{
  ring_setup (e->out, e->out->type);
  type_converts (e->out->type, e->in->type, &e->convert);
  g_clear_pointer (&e->scratch, g_free);
  if (e->convert)
    e->scratch = g_malloc (EVE_SPAN * (size_t) e->in->type->size);
}

void
bind_ports (EveProgram *p)
{
  if (p->held)
    return;
  const Bindings *b = bindings (p);
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    const EveType *any = bind_type_of (bind_set_of (b, n));
    for (uint32_t k = 0; k < n->n_ins; k++)
      n->ins[k].type = n->ins[k].spec->type ? n->ins[k].spec->type : any;
    for (uint32_t k = 0; k < n->n_outs; k++) {
      EveOut *out = &n->outs[k];
      const EveType *type = out->spec->type ? out->spec->type : any;
      if (out->size && out->type != type)
        ring_drop (out);
      if (type && ring_wanted (out))
        ring_setup (out, type);
      out->type = type;
    }
  }
  for (uint32_t i = 0; i < program_n_flows (p); i++) {
    Edge *e = program_flow (p, i)->edge;
    if (e && e->out->type && e->in->type)
      bind_edge (e);
  }
}
