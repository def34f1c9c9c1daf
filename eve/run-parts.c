/* SPDX-License-Identifier: Apache-2.0 */
/* run-parts.c - a run state from parts of several: what was saved of a component serves every program in which the same
 * decides what it holds, if nothing was under way when it was saved. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

bool
eve_component_is_settled (EveComponent *c)
{
  Node *n = node_of (c);
  if (n->program->dirty)
    plan_make (n->program);
  if (run_state_readiness (n))
    return false;
  for (uint32_t k = 0; k < n->n_ins; k++)
    for (uint32_t e = 0; e < n->ins[k].n_edges; e++)
      if (n->ins[k].edges[e]->read != n->ins[k].edges[e]->out->head)
        return false;
  for (uint32_t k = 0; k < n->n_outs; k++) {
    EveOut *out = &n->outs[k];
    if (!out->size)
      continue;
    ring_low_water (out);
    if (out->low != out->head || out->capacity > ring_begins_with (out))
      return false;
    for (uint32_t e = 0; e < out->n_edges; e++)
      if (out->edges[e]->wire->born) /* somebody was connected on the way */
        return false;
  }
  return true;
}

/* A component in a run state: its own bytes, and its outputs behind them. */
typedef struct Part {
  const uint8_t *bytes;
  size_t n_bytes;
  EveBlobView outs;
} Part;

/* Its components by name; NULL: it is no run state. */
static GHashTable *
run_parts_of (const EveRunState *state)
{
  EveBlobView v = { state->data, (const uint8_t *) state->data + state->n_bytes, false };
  if (strcmp (eve_get_text (&v), RUN_STATE_MAGIC) || eve_get_int (&v) != RUN_STATE_VERSION)
    return NULL;
  GHashTable *parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  eve_get_int (&v);
  for (int64_t n = eve_get_int (&v); n > 0 && eve_get_ok (&v); n--) {
    Part part = { 0 };
    char *name = g_strdup (eve_get_text (&v));
    size_t n_out = 1;
    eve_get_text (&v);
    eve_get_int (&v);
    eve_get_int (&v);
    part.bytes = eve_get_bytes (&v, &part.n_bytes);
    part.outs = v;
    while (eve_get_ok (&v) && n_out)
      eve_get_bytes (&v, &n_out);
    g_hash_table_replace (parts, name, g_memdup2 (&part, sizeof part));
  }
  if (eve_get_ok (&v))
    return parts;
  g_hash_table_unref (parts);
  return NULL;
}

/* How many data an output had sent; -1: that is not known. */
static int64_t
sent_by (const Part *part, const EveOut *out)
{
  EveBlobView v = part->outs;
  for (;;) {
    size_t n;
    const uint8_t *bytes = eve_get_bytes (&v, &n);
    if (!eve_get_ok (&v) || !n)
      return -1;
    EveBlobView o = { bytes, bytes + n, false };
    bool is = !strcmp (eve_get_text (&o), out->spec->name) && !strcmp (eve_get_text (&o), out->type->name);
    int64_t head = eve_get_int (&o);
    eve_get_int (&o);
    int64_t waiting = eve_get_int (&o);
    if (is)
      return eve_get_ok (&o) && !waiting ? head : -1;
  }
}

/* NULL: it is as it was there; else why not. */
static const char *
load_part (Node *n, const Part *part)
{
  EveBlobView own = { part->bytes, part->bytes + part->n_bytes, false };
  if (!run_state_load (n, &own))
    return _ ("it does not understand its saved state");
  for (uint32_t k = 0; k < n->n_outs; k++) {
    EveOut *out = &n->outs[k];
    int64_t head = out->size ? sent_by (part, out) : 0;
    if (!out->size)
      continue;
    if (head < 0)
      return _ ("how much it had sent is not known");
    out->head = out->low = out->freed = (uint64_t) head;
    for (uint32_t e = 0; e < out->n_edges; e++)
      out->edges[e]->read = out->edges[e]->next = out->head; /* and all has passed the wire */
  }
  return NULL;
}

static const char *
run_parts_load (EveProgram *p, GHashTable *const *parts, uint32_t n_states, const int *of, Node **who)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    *who = p->nodes->pdata[i];
    if (of[i] < 0 && eve_component_keeps_nothing ((*who)->self))
      continue;
    const Part *part = of[i] >= 0 && (uint32_t) of[i] < n_states ? g_hash_table_lookup (parts[of[i]], (*who)->name)
                                                                 : NULL;
    const char *why = part ? load_part (*who, part) : _ ("it is not there");
    if (why)
      return why;
  }
  return NULL;
}

bool
eve_program_load_parts (EveProgram *p, const EveRunState *states, uint32_t n_states, const int *of, GError **error)
{
  g_return_val_if_fail (!p->calls, false);
  g_autofree GHashTable **parts = g_new0 (GHashTable *, n_states + 1);
  const char *why = NULL;
  Node *who = NULL;
  eve_reset (p);
  for (uint32_t i = 0; i < n_states && !why; i++)
    if (!(parts[i] = run_parts_of (&states[i])))
      why = _ ("the saved run state is damaged, or of another version of Scope");
  if (!why)
    why = run_parts_load (p, parts, n_states, of, &who);
  for (uint32_t i = 0; i < n_states; i++)
    g_clear_pointer (&parts[i], g_hash_table_unref);
  if (why) {
    eve_reset (p);
    g_set_error (error, EVE_ERROR, EVE_ERROR_BLOB, "%s%s%s", who ? who->name : "", who ? ": " : "", why);
    return false;
  }
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_ins; k++)
      in_kept_from_the_first (&n->ins[k]);
  }
  plan_make (p);
  for (uint32_t i = 0; i < p->n_sources; i++)
    if (p->sources[i]->burst == 1)
      p->turn = i;
  p->mode = EVE_PAUSED;
  return true;
}
