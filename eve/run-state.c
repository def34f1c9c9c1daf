/* SPDX-License-Identifier: Apache-2.0 */
/* run-state.c - everything that later results depend on, as typed bytes: the run state of every component, the
 * data that wait in rings and their order of arrival, the place of the sweep.
 *
 * Restored by name into a program that may have changed meanwhile: what is known gets its state, the rest is reset. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

/* ---- one component ------------------------------------------------------------------------------------------- */
static void
run_state_put_fields (EveBlob *b, const EveClass *k, const EveComponent *c)
{
  for (uint32_t i = 0; i < k->n_state; i++) {
    const EveField *f = &k->state[i];
    const void *at = (const char *) c + f->offset;
    eve_put_text (b, f->name);
    switch (f->kind) {
    case EVE_F_DOUBLE:
      eve_put_double (b, *(const double *) at);
      break;
    case EVE_F_INT64:
      eve_put_int (b, *(const int64_t *) at);
      break;
    case EVE_F_BOOL:
      eve_put_int (b, *(const bool *) at);
      break;
    case EVE_F_STRING:
      eve_put_text (b, *(char *const *) at);
      break;
    case EVE_F_CHOICE:
      eve_put_int (b, *(const int32_t *) at);
      break;
    }
  }
}

static bool
run_state_get_fields (EveBlobView *b, const EveClass *k, EveComponent *c)
{
  for (uint32_t i = 0; i < k->n_state && eve_get_ok (b); i++) {
    const EveField *f = &k->state[i];
    void *at = (char *) c + f->offset;
    if (strcmp (eve_get_text (b), f->name))
      return false;
    switch (f->kind) {
    case EVE_F_DOUBLE:
      *(double *) at = eve_get_double (b);
      break;
    case EVE_F_INT64:
      *(int64_t *) at = eve_get_int (b);
      if (!field_holds (f, (double) *(int64_t *) at))
        return false;
      break;
    case EVE_F_BOOL:
      *(bool *) at = eve_get_int (b) != 0;
      break;
    case EVE_F_STRING: {
      const char *text = eve_get_text (b);
      g_free (*(char **) at);
      *(char **) at = g_strdup (text);
      break;
    }
    case EVE_F_CHOICE: {
      int64_t v = eve_get_int (b);
      if (v < 0 || v >= g_strv_length ((char **) f->choices))
        return false;
      *(int32_t *) at = (int32_t) v;
      break;
    }
    }
  }
  return eve_get_ok (b);
}

void
eve_component_save_run (EveComponent *c, EveBlob *to)
{
  Node *n = node_of (c);
  if (n->before_rest) { /* what it shows now is not of the run */
    blob_append (to, n->before_rest);
    return;
  }
  eve_put_int (to, n->supply);
  eve_put_int (to, n->end_done);
  run_state_put_fields (to, n->klass, c);
  if (n->klass->save) {
    Outer outer = call_enter (n, CALL_SAVE);
    n->klass->save (c, to);
    call_leave (n, outer);
  }
}

static void
reset_component (Node *n)
{
  n->supply = NODE_SUPPLYING;
  n->end_done = false;
  n->firings = 0;
  fields_reset (n->klass->state, n->klass->n_state, n->self);
  if (n->klass->reset) {
    Outer outer = call_enter (n, CALL_RESET);
    n->klass->reset (n->self);
    call_leave (n, outer);
  }
}

void
eve_component_reset (EveComponent *c)
{
  rest_end (node_of (c)->program);
  reset_component (node_of (c));
}

bool
run_state_load (Node *n, EveBlobView *from)
{
  EveComponent *c = n->self;
  reset_component (n);
  int64_t supply = eve_get_int (from);
  n->end_done = eve_get_int (from) != 0;
  bool ok = supply >= NODE_SUPPLYING && supply <= NODE_ENDED && run_state_get_fields (from, n->klass, c);
  if (ok && n->klass->load) {
    Outer outer = call_enter (n, CALL_LOAD);
    ok = n->klass->load (c, from) && eve_get_ok (from);
    call_leave (n, outer);
  }
  if (ok) {
    n->supply = (NodeSupply) supply;
  } else {
    reset_component (n);
    if (n->failure)
      g_string_free (g_steal_pointer (&n->failure), TRUE);
  }
  return ok;
}

bool
eve_component_load_run (EveComponent *c, EveBlobView *from)
{
  rest_end (node_of (c)->program); /* else that would put back what this takes the place of */
  bool ok = run_state_load (node_of (c), from);
  node_of (c)->program->dirty = true;
  return ok;
}

void
run_state_put_back (Node *n, const EveBlob *state)
{
  EveBlobView v = { state->data, state->data + state->n, false };
  uint64_t firings = n->firings;
  g_autofree char *status = g_strdup (n->status);
  if (!run_state_load (n, &v))
    LOG ("rest", 1, "%s does not understand the run state it had before the rest", n->name);
  n->firings = firings;
  g_strlcpy (n->status, status, sizeof n->status);
}

/* ---- rings ------------------------------------------------------------------------------------------------------ */
static void
run_state_put_datum (EveProgram *p, const EveType *type, const void *slot, EveBlob *to)
{
  if (type->save)
    type->save (p, slot, to);
  else
    eve_put_bytes (to, slot, type->size);
}

static bool
get_datum (EveProgram *p, const EveType *type, void *slot, EveBlobView *from)
{
  memset (slot, 0, type->size);
  if (type->load)
    return type->load (p, slot, from);
  size_t n;
  const void *bytes = eve_get_bytes (from, &n);
  if (!bytes || n != type->size || type->retain)
    return false;
  memcpy (slot, bytes, n);
  return true;
}

/* An output: how much passed, its type, what somebody has not read yet; and of each wire how far behind it is. */
static void
run_state_put_out (EveProgram *p, EveOut *out, EveBlob *to)
{
  ring_low_water (out);
  eve_put_text (to, out->spec->name);
  eve_put_text (to, out->type->name);
  eve_put_int (to, (int64_t) out->head);
  /* where arrival is seen anywhere, bounds decide who waits, and so who comes first: they must be the same again */
  eve_put_int (to, p->sees_order ? (int64_t) out->capacity : 0);
  eve_put_int (to, (int64_t) (out->head - out->low));
  for (uint64_t n = out->low; n < out->head; n++)
    run_state_put_datum (p, out->type, ring_slot (out, n), to);
  eve_put_int (to, out->n_edges);
  for (uint32_t i = 0; i < out->n_edges; i++) {
    const Edge *e = out->edges[i];
    eve_put_text (to, e->in->node->name);
    eve_put_text (to, e->in->spec->name);
    eve_put_int (to, (int64_t) (out->head - e->read));
    eve_put_int (to, (int64_t) (out->head - e->wire->born));
  }
}

static Edge *
find_edge (EveOut *out, const char *name, const char *in)
{
  for (uint32_t i = 0; out && i < out->n_edges; i++)
    if (!strcmp (out->edges[i]->in->node->name, name) && !strcmp (out->edges[i]->in->spec->name, in))
      return out->edges[i];
  return NULL;
}

static bool
get_out (EveProgram *p, Node *n, EveBlobView *from)
{
  const char *name = eve_get_text (from);
  const char *type_name = eve_get_text (from);
  int64_t head = eve_get_int (from), capacity = eve_get_int (from), waiting = eve_get_int (from);
  int i = n ? eve_class_out (n->klass, name) : -1;
  EveOut *out = i >= 0 && n->outs[i].size && !strcmp (n->outs[i].type->name, type_name) ? &n->outs[i] : NULL;
  if (!eve_get_ok (from) || head < 0 || waiting < 0 || waiting > head || waiting > (int64_t) (EVE_RING_MAX_BYTES)
      || capacity < 0 || capacity > (int64_t) EVE_RING_MAX_BYTES)
    return false;
  if (!out) /* nobody can tell how long its data are: the caller skips the rest of the rings */
    return false;
  ring_clear (out);
  out->head = out->low = out->freed = out->unseen = (uint64_t) head - (uint64_t) waiting;
  if (MAX (waiting, capacity) > (int64_t) out->capacity) {
    if ((uint64_t) MAX (waiting, capacity) * out->size > 2ull * EVE_RING_MAX_BYTES)
      return false;
    ring_grow (out, (uint64_t) MAX (waiting, capacity));
  }
  for (int64_t k = 0; k < waiting; k++) {
    if (!get_datum (p, out->type, ring_slot (out, out->head), from))
      return false;
    out->head++;
  }
  for (uint32_t k = 0; k < out->n_edges; k++)
    out->edges[k]->read = out->edges[k]->next = out->edges[k]->wire->born = out->head;
  int64_t n_edges = eve_get_int (from);
  for (int64_t k = 0; k < n_edges && eve_get_ok (from); k++) {
    const char *to = eve_get_text (from), *in = eve_get_text (from);
    int64_t lag = eve_get_int (from), passed = eve_get_int (from);
    Edge *e = find_edge (out, to, in);
    if (lag < 0 || lag > waiting || passed < lag || passed > head)
      return false;
    if (!e)
      continue; /* the wire is gone, and what it had not read with it */
    e->read = e->next = out->head - (uint64_t) lag;
    e->wire->born = out->head - (uint64_t) passed;
  }
  ring_low_water (out);
  return eve_get_ok (from);
}

/* The order of arrival at an input with several wires, as runs: which wire, how many. */
static void
put_arrivals (EveIn *in, EveBlob *to)
{
  eve_put_text (to, in->spec->name);
  eve_put_int (to, in->n_edges);
  for (uint32_t i = 0; i < in->n_edges; i++) {
    eve_put_text (to, in->edges[i]->out->node->name);
    eve_put_text (to, in->edges[i]->out->spec->name);
  }
  for (uint64_t a = in->a_read; a < in->a_head;) {
    uint32_t edge = in->arrivals[a & (in->a_capacity - 1)];
    uint64_t run = 0;
    for (; a < in->a_head && in->arrivals[a & (in->a_capacity - 1)] == edge; a++)
      run++;
    eve_put_int (to, edge + 1);
    eve_put_int (to, (int64_t) run);
  }
  eve_put_int (to, 0);
}

static bool
get_arrivals (EveProgram *p, Node *n, EveBlobView *from)
{
  const char *name = eve_get_text (from);
  int64_t n_edges = eve_get_int (from);
  if (!eve_get_ok (from) || n_edges < 0 || n_edges > 1 << 20)
    return false;
  int i = n ? eve_class_in (n->klass, name) : -1;
  EveIn *in = i >= 0 ? &n->ins[i] : NULL;
  g_autofree Edge **edges = g_new0 (Edge *, n_edges + 1);
  for (int64_t k = 0; k < n_edges && eve_get_ok (from); k++) {
    Node *up = g_hash_table_lookup (p->by_name, eve_get_text (from));
    const char *out_name = eve_get_text (from);
    int o = up ? eve_class_out (up->klass, out_name) : -1;
    if (o >= 0 && n && in)
      edges[k] = find_edge (&up->outs[o], n->name, name);
  }
  if (in)
    in_clear (in);
  /* by wire: as many as it has unread, over all its runs, so that short bytes cannot make a large table */
  g_autofree uint64_t *come = g_new0 (uint64_t, (in ? in->n_edges : 0) + 1);
  for (;;) {
    int64_t edge = eve_get_int (from);
    if (!eve_get_ok (from) || edge < 0 || edge > n_edges)
      return false;
    if (!edge)
      break;
    int64_t run = eve_get_int (from);
    Edge *e = edges[edge - 1];
    if (e && (uint64_t) run > e->out->head - e->read - come[e->index]) {
      in_clear (in);
      return false;
    }
    if (e)
      come[e->index] += (uint64_t) run;
    if (e && !in->single)
      in_push_arrivals (in, e->index, (uint64_t) run);
  }
  return true;
}

/* Every wire of a multiple input must have as many arrivals as unread data, whatever the bytes said. */
static void
mend_arrivals (EveIn *in)
{
  g_autofree uint64_t *counted = g_new0 (uint64_t, in->n_edges + 1);
  for (uint64_t a = in->a_read; a < in->a_head; a++)
    counted[in->arrivals[a & (in->a_capacity - 1)]]++;
  bool fits = true;
  for (uint32_t i = 0; i < in->n_edges; i++)
    fits &= counted[i] == in->edges[i]->out->head - in->edges[i]->read;
  if (fits)
    return;
  in_clear (in);
  for (uint32_t i = 0; i < in->n_edges; i++)
    in_push_arrivals (in, i, in->edges[i]->out->head - in->edges[i]->read);
}

/* ---- the program -------------------------------------------------------------------------------------------------- */
/* What the sweep knows of a node: whether it is ready, and why not. */
enum { DECLINED = 1, READY = 2, STARVED = 4, PENDING = 8, BLOCKED_SHIFT = 8 };

int64_t
run_state_readiness (const Node *n)
{
  int64_t r = (n->declined ? DECLINED : 0) | (n->starved ? STARVED : 0) | (n->has_pending ? PENDING : 0);
  if (n->program->ready[n->rank >> 6] & (1ull << (n->rank & 63)))
    r |= READY;
  for (uint32_t i = 0; i < n->n_outs; i++)
    r |= (int64_t) n->outs[i].blocked << (BLOCKED_SHIFT + i);
  return r;
}

/* In the same program the sweep goes on exactly as it would have; in a changed one everybody is asked again. */
static void
restore_readiness (Node *n, int64_t r)
{
  uint64_t bit = 1ull << (n->rank & 63);
  n->declined = r & DECLINED;
  n->starved = r & STARVED;
  n->has_pending = r & PENDING;
  for (uint32_t i = 0; i < n->n_outs; i++)
    if ((r >> (BLOCKED_SHIFT + i) & 1) && n->outs[i].size) {
      n->outs[i].blocked = true;
      n->missing++;
    }
  n->program->ready[n->rank >> 6] &= ~bit;
  if (r & READY)
    n->program->ready[n->rank >> 6] |= bit;
}

/* `all`: also how much went through outputs that nobody takes data from, which are watched by views or kept. */
static void
save_run (EveProgram *p, bool all, EveBlob *to)
{
  if (p->dirty)
    plan_make (p);
  eve_put_text (to, RUN_STATE_MAGIC);
  eve_put_int (to, RUN_STATE_VERSION);
  uint32_t n_nodes;
  g_autofree Node **nodes = identity_nodes (p, &n_nodes);
  eve_put_int (to, (int64_t) eve_program_plan_hash (p));
  eve_put_int (to, n_nodes);
  for (uint32_t i = 0; i < n_nodes; i++) {
    Node *n = nodes[i];
    eve_put_text (to, n->name);
    eve_put_text (to, eve_class_id (n->self));
    eve_put_int (to, n->klass->version);
    eve_put_int (to, run_state_readiness (n));
    /* each component's part is bytes of its own, so that what nobody knows can be stepped over */
    size_t part = blob_open (to);
    eve_component_save_run (n->self, to);
    blob_close (to, part);
    for (uint32_t k = 0; k < n->n_outs; k++) {
      if (n->outs[k].size && (all || n->outs[k].n_edges)) {
        part = blob_open (to);
        run_state_put_out (p, &n->outs[k], to);
        blob_close (to, part);
      }
    }
    eve_put_bytes (to, NULL, 0);
  }
  for (uint32_t i = 0; i < n_nodes; i++)
    for (uint32_t k = 0; k < nodes[i]->n_ins; k++)
      if (nodes[i]->ins[k].n_edges > 1) {
        eve_put_text (to, nodes[i]->name);
        size_t part = blob_open (to);
        put_arrivals (&nodes[i]->ins[k], to);
        blob_close (to, part);
      }
  eve_put_text (to, "");

  /* when all is drained the place of the sweep means nothing, and may differ */
  bool busy = false;
  for (uint32_t w = 0; w < p->n_order / 64 + 1; w++)
    busy |= p->ready[w] != 0;
  eve_put_text (to, busy && p->sweep < p->n_order ? p->order[p->sweep]->name : "");
  eve_put_int (to, busy ? p->burst_left : 0);
  /* whose turn it is means something only among the sources whose data somebody sees arrive */
  const char *turn = "";
  for (uint32_t i = 0; i < p->n_sources && !*turn; i++) {
    const Node *n = p->sources[(p->turn + i) % p->n_sources];
    if (n->burst == 1)
      turn = n->name;
  }
  eve_put_text (to, turn);
}

void
eve_program_save_run (EveProgram *p, EveBlob *to)
{
  save_run (p, true, to);
}

static void G_GNUC_PRINTF (2, 3) run_state_problem (GPtrArray *problems, const char *fmt, ...)
{
  if (!problems)
    return;
  va_list args;
  va_start (args, fmt);
  g_ptr_array_add (problems, g_strdup_vprintf (fmt, args));
  va_end (args);
}

static bool
load_node (EveProgram *p, EveBlobView *v, GHashTable *loaded, GPtrArray *problems)
{
  const char *name = eve_get_text (v), *id = eve_get_text (v);
  eve_get_int (v);
  int64_t ready = eve_get_int (v);
  size_t n_bytes;
  const void *bytes = eve_get_bytes (v, &n_bytes);
  if (!eve_get_ok (v))
    return false;
  Node *n = g_hash_table_lookup (p->by_name, name);
  if (n && strcmp (eve_class_id (n->self), id)) {
    run_state_problem (problems, _ ("%s was a %s then and is a %s now: it begins anew"), name, id,
                       eve_class_id (n->self));
    n = NULL;
  } else if (!n) {
    run_state_problem (problems, _ ("%s is not in the program any more: its state is left aside"), name);
  } else {
    EveBlobView part = { bytes, (const uint8_t *) bytes + n_bytes, false };
    if (!eve_component_load_run (n->self, &part)) {
      run_state_problem (problems, _ ("%s does not understand its saved state: it begins anew"), name);
      n = NULL;
    } else {
      g_hash_table_insert (loaded, n, g_memdup2 (&ready, sizeof ready));
    }
  }
  for (;;) {
    bytes = eve_get_bytes (v, &n_bytes);
    if (!eve_get_ok (v))
      return false;
    if (!n_bytes)
      return true;
    EveBlobView part = { bytes, (const uint8_t *) bytes + n_bytes, false };
    if (n && !get_out (p, n, &part)) {
      EveBlobView again = { bytes, (const uint8_t *) bytes + n_bytes, false };
      int i = eve_class_out (n->klass, eve_get_text (&again));
      if (i >= 0 && n->outs[i].size)
        ring_clear (&n->outs[i]);
      if (i >= 0 && n->outs[i].n_edges)
        run_state_problem (problems, _ ("%s.%s: the data that waited there cannot be restored"), name,
                           n->outs[i].spec->name);
    }
  }
}

static bool
load_all (EveProgram *p, EveBlobView *v, GPtrArray *problems)
{
  if (strcmp (eve_get_text (v), RUN_STATE_MAGIC) || eve_get_int (v) != RUN_STATE_VERSION)
    return false;
  bool same = (uint64_t) eve_get_int (v) == eve_program_plan_hash (p);
  int64_t n_nodes = eve_get_int (v);
  g_autoptr (GHashTable) loaded = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (int64_t i = 0; i < n_nodes; i++)
    if (!load_node (p, v, loaded, problems))
      return false;
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (!g_hash_table_contains (loaded, n) && !n->ghost_id && !identity_idle (n->klass))
      run_state_problem (problems, _ ("%s was not there then: it begins anew"), n->name);
  }
  for (;;) {
    const char *name = eve_get_text (v);
    if (!eve_get_ok (v))
      return false;
    if (!*name)
      break;
    size_t n_bytes;
    const void *bytes = eve_get_bytes (v, &n_bytes);
    if (!bytes)
      return false;
    EveBlobView part = { bytes, (const uint8_t *) bytes + n_bytes, false };
    get_arrivals (p, g_hash_table_lookup (p->by_name, name), &part);
  }
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->n_ins; k++)
      if (n->ins[k].n_edges > 1)
        mend_arrivals (&n->ins[k]);
    for (uint32_t k = 0; k < n->n_ins; k++)
      in_kept_from_the_first (&n->ins[k]);
  }
  Node *sweep = g_hash_table_lookup (p->by_name, eve_get_text (v));
  int64_t left = eve_get_int (v);
  Node *turn = g_hash_table_lookup (p->by_name, eve_get_text (v));
  if (!eve_get_ok (v) || left < 0 || left > EVE_BURST)
    return false;
  plan_make (p);
  for (guint i = 0; same && i < p->nodes->len; i++) {
    const int64_t *ready = g_hash_table_lookup (loaded, p->nodes->pdata[i]);
    if (ready)
      restore_readiness (p->nodes->pdata[i], *ready);
  }
  p->sweep = sweep ? sweep->rank : 0;
  p->burst_left = sweep ? (uint32_t) left : 0;
  p->turn = 0;
  for (uint32_t i = 0; i < p->n_sources; i++)
    if (p->sources[i] == turn)
      p->turn = i;
  return true;
}

bool
eve_program_load_run (EveProgram *p, const void *data, size_t n_bytes, GPtrArray *problems, GError **error)
{
  g_return_val_if_fail (!p->calls, false);
  eve_reset (p); /* makes the rings too, which are filled now */
  EveBlobView v = { data, (const uint8_t *) data + n_bytes, false };
  if (!load_all (p, &v, problems)) {
    eve_reset (p);
    g_set_error (error, EVE_ERROR, EVE_ERROR_BLOB,
                 _ ("The saved run state is damaged, or of another version of Scope: the program begins anew"));
    return false;
  }
  p->mode = EVE_PAUSED;
  return true;
}

uint64_t
eve_program_run_hash (EveProgram *p)
{
  EveBlob *b = eve_blob_new ();
  save_run (p, false, b);
  uint64_t hash = eve_blob_hash (b);
  eve_blob_free (b);
  return hash;
}
