/* SPDX-License-Identifier: Apache-2.0 */
/* ring.c - data between components: an output is one broadcast ring, a wire is one read cursor over it.
 *
 * A datum is written once, whatever the number of consumers.  A slot is free when the slowest cursor has passed
 * it; that low-water mark is computed again only when the ring looks full.  Inside a firing cursors move `next`;
 * `read` follows when the firing ends, so that a slot somebody still looks at is never written over. */
#include "eve/private.h"
#include "eve/words.h"
#include <string.h>

/* ---- rings ------------------------------------------------------------------------------------------------- */
static uint64_t
pow2_at_least (uint64_t n)
{
  uint64_t c = 1;
  while (c < n)
    c <<= 1;
  return c;
}

static uint64_t
capacity_for (const EveOut *out, uint64_t room)
{
  return pow2_at_least (MAX (room, out->per_fire));
}

uint64_t
ring_begins_with (const EveOut *out)
{
  return capacity_for (out, out->spec->capacity ? out->spec->capacity : EVE_RING_DEFAULT);
}

void
ring_alloc (EveOut *out, uint64_t room)
{
  out->capacity = capacity_for (out, room);
  out->slots = g_malloc0_n (out->capacity, out->size);
}

bool
ring_setup (EveOut *out, const EveType *type)
{
  if (out->size && out->type == type)
    return false;
  ring_free (out);
  out->type = type;
  out->size = type->size;
  ring_alloc (out, ring_begins_with (out));
  out->low = out->freed = out->head;
  return true;
}

static void
release_up_to (EveOut *out, uint64_t end)
{
  if (out->type && out->type->release)
    for (; out->freed < end; out->freed++)
      out->type->release (ring_slot (out, out->freed));
  out->freed = MAX (out->freed, end);
}

void
ring_clear (EveOut *out)
{
  if (out->size)
    release_up_to (out, out->head);
  for (uint32_t i = 0; i < out->n_edges; i++)
    out->edges[i]->read = out->edges[i]->next = out->head;
  out->low = out->head;
}

void
ring_free (EveOut *out)
{
  if (out->size)
    release_up_to (out, out->head);
  rest_forget_shown (out);
  g_clear_pointer (&out->slots, g_free);
  out->size = 0;
  out->capacity = 0;
}

void
ring_grow (EveOut *out, uint64_t capacity)
{
  capacity = pow2_at_least (capacity);
  if (capacity <= out->capacity)
    return;
  uint8_t *slots = g_malloc0_n (capacity, out->size);
  /* the datum before the head stays readable for those who look at the wire */
  uint64_t first = MIN (MIN (out->low, out->freed), out->head ? out->head - 1 : 0);
  if (out->head - first > out->capacity)
    first = out->head - out->capacity;
  for (uint64_t n = first; n < out->head; n++)
    memcpy (slots + (n & (capacity - 1)) * out->size, ring_slot (out, n), out->size);
  g_free (out->slots);
  out->slots = slots;
  out->capacity = capacity;
}

void
ring_low_water (EveOut *out)
{
  uint64_t low = out->head;
  for (uint32_t i = 0; i < out->n_edges; i++)
    low = MIN (low, out->edges[i]->read);
  out->low = low;
  if (out->type->release && low > out->freed)
    release_up_to (out, MIN (low, out->head - 1));
}

static inline uint64_t
ring_room (EveOut *out, uint64_t wanted)
{
  uint64_t room = out->capacity - (out->head - out->low);
  if (room < wanted) {
    ring_low_water (out);
    room = out->capacity - (out->head - out->low);
  }
  return room;
}

bool
ring_room_for_firing (Node *n)
{
  bool room = true;
  for (uint32_t i = 0; i < n->n_outs; i++) {
    EveOut *out = &n->outs[i];
    if (out->size && ring_room (out, out->per_fire) < out->per_fire) {
      room = false;
      if (!out->blocked) {
        out->blocked = true;
        n->missing++;
      }
    }
  }
  return room;
}

/* ---- inputs --------------------------------------------------------------------------------------------------- */
void
in_push_arrivals (EveIn *in, uint32_t edge, uint64_t n)
{
  if (in->a_head - in->a_read + n > in->a_capacity) {
    uint64_t capacity = pow2_at_least (MAX (in->a_head - in->a_read + n, 2 * in->a_capacity));
    capacity = MAX (capacity, 256);
    uint32_t *arrivals = g_new (uint32_t, capacity);
    for (uint64_t i = in->a_read; i < in->a_head; i++)
      arrivals[i & (capacity - 1)] = in->arrivals[i & (in->a_capacity - 1)];
    g_free (in->arrivals);
    in->arrivals = arrivals;
    in->a_capacity = capacity;
  }
  for (; n; n--)
    in->arrivals[in->a_head++ & (in->a_capacity - 1)] = edge;
}

void
in_clear (EveIn *in)
{
  in->a_head = in->a_read = in->a_next = 0;
  in->pending = false;
}

void
in_kept_from_the_first (EveIn *in)
{
  for (uint32_t i = 0; i < in->n_kept; i++)
    in->kept[i]->wire->born = 0;
}

/* Room for a power of two. */
static void
ring_add_edge (Edge ***edges, uint32_t *n, Edge *e)
{
  if (!(*n & (*n - 1)))
    *edges = g_renew (Edge *, *edges, *n ? 2 * *n : 1);
  (*edges)[(*n)++] = e;
}

void
ring_attach (EveOut *out, EveIn *in, Edge *e)
{
  e->out = out;
  e->in = in;
  e->read = e->next = out->head;
  if (in->spec->kept) {
    e->index = in->n_kept;
    ring_add_edge (&in->kept, &in->n_kept, e);
    out->n_kept++;
    return;
  }
  e->index = in->n_edges;
  ring_add_edge (&out->edges, &out->n_edges, e);
  ring_add_edge (&in->edges, &in->n_edges, e);
  if (in->n_edges == 2) /* what waits at the first edge came before anything of the second */
    in_push_arrivals (in, 0, in->edges[0]->out->head - in->edges[0]->read);
  in->single = in->n_edges == 1 ? e : NULL;
}

static void
purge_arrivals (EveIn *in, uint32_t edge)
{
  uint64_t kept = in->a_read;
  for (uint64_t a = in->a_read; a < in->a_head; a++) {
    uint32_t index = in->arrivals[a & (in->a_capacity - 1)];
    if (index != edge)
      in->arrivals[kept++ & (in->a_capacity - 1)] = index;
  }
  in->a_head = kept;
  in->a_next = in->a_read;
}

void
ring_drop (EveOut *out)
{
  for (uint32_t i = 0; i < out->n_edges; i++) {
    Edge *e = out->edges[i];
    if (!e->in->single)
      purge_arrivals (e->in, e->index);
    e->read = e->next = out->head;
  }
  ring_free (out);
}

static void
detach_kept (Edge *e)
{
  EveIn *in = e->in;
  memmove (&in->kept[e->index], &in->kept[e->index + 1], (in->n_kept - e->index - 1) * sizeof (Edge *));
  in->n_kept--;
  for (uint32_t i = e->index; i < in->n_kept; i++)
    in->kept[i]->index = i;
  e->out->n_kept--;
  if (!ring_wanted (e->out))
    ring_free (e->out);
  g_free (e->scratch);
  g_free (e);
}

void
ring_detach (Edge *e)
{
  EveOut *out = e->out;
  EveIn *in = e->in;
  if (in->spec->kept) {
    detach_kept (e);
    return;
  }
  uint32_t i = out->n_edges;
  while (out->edges[--i] != e) /* it is most often the last */
    ;
  memmove (&out->edges[i], &out->edges[i + 1], (out->n_edges - i - 1) * sizeof (Edge *));
  out->n_edges--;
  if (!ring_wanted (out))
    ring_free (out);

  uint32_t gone = e->index;
  memmove (&in->edges[gone], &in->edges[gone + 1], (in->n_edges - gone - 1) * sizeof (Edge *));
  in->n_edges--;
  for (i = gone; i < in->n_edges; i++)
    in->edges[i]->index = i;
  if (!in->node->going) { /* else nobody will ask what came first */
    purge_arrivals (in, gone);
    for (uint64_t a = in->a_read; a < in->a_head; a++) {
      uint32_t *index = &in->arrivals[a & (in->a_capacity - 1)];
      *index -= *index > gone;
    }
  }
  in->single = in->n_edges == 1 ? in->edges[0] : NULL;
  if (in->n_edges <= 1)
    in_clear (in);
  g_free (e->scratch);
  g_free (e);
}

/* Where a datum is read that may lie with the source. */
static inline const uint8_t *
datum_slot (const EveOut *out, uint64_t n)
{
  return G_UNLIKELY (out->lent != NULL) ? out->lent + (n + out->n_lent - out->head) * out->size : ring_slot (out, n);
}

static inline const void *
datum_at (Edge *e, uint64_t n, uint32_t scratch)
{
  const uint8_t *slot = datum_slot (e->out, n);
  if (G_LIKELY (!e->convert))
    return slot;
  void *to = e->scratch + (size_t) scratch * e->in->type->size;
  e->convert (slot, to);
  return to;
}

const void *
eve_peek (EveIn *in)
{
  Edge *e = in->single;
  if (e)
    return e->next == e->out->head ? NULL : datum_at (e, e->next, (uint32_t) (e->next % EVE_SPAN));
  if (in->a_next == in->a_head)
    return NULL;
  e = in->edges[in->arrivals[in->a_next & (in->a_capacity - 1)]];
  return datum_at (e, e->next, (uint32_t) (e->next % EVE_SPAN));
}

const void *
eve_take (EveIn *in)
{
  Edge *e = in->single;
  if (G_LIKELY (e)) {
    if (e->next == e->out->head)
      return NULL;
  } else {
    if (in->a_next == in->a_head)
      return NULL;
    e = in->edges[in->arrivals[in->a_next++ & (in->a_capacity - 1)]];
  }
  uint64_t n = e->next++;
  return datum_at (e, n, (uint32_t) (n % EVE_SPAN));
}

const void *
eve_take_span (EveIn *in, uint32_t n)
{
  if (!in->n_edges)
    return NULL;
  Edge *e = in->single;
  if (!e) {
    e = in->edges[in->arrivals[in->a_next & (in->a_capacity - 1)]];
    in->a_next += n;
  }
  uint64_t first = e->next;
  e->next += n;
  if (!e->convert)
    return datum_slot (e->out, first);
  for (uint32_t i = 0; i < n; i++)
    datum_at (e, first + i, i);
  return e->scratch;
}

uint32_t
in_run (const EveIn *in, uint32_t most)
{
  uint64_t n = MIN (in_available (in), most);
  const Edge *e = in->single;
  if (!e) {
    uint64_t a = in->a_next, mask = in->a_capacity - 1, run = 1;
    while (run < n && in->arrivals[(a + run) & mask] == in->arrivals[a & mask])
      run++;
    n = run;
    e = in->edges[in->arrivals[a & mask]];
  }
  return (uint32_t) MIN (n, e->out->capacity - (e->next & (e->out->capacity - 1)));
}

uint64_t
eve_waiting (const EveIn *in)
{
  return in->n_edges ? in_available (in) : 0;
}

/* After a firing: the cursors others see follow, and the component waits if an input is empty now. */
void
in_commit (EveIn *in)
{
  Edge *e = in->single;
  if (e) {
    if (e->next != e->read) {
      e->read = e->next;
      in->node->progressed = true;
      if (G_UNLIKELY (e->out->blocked))
        sched_out_freed (e->out);
    }
    if (e->read == e->out->head && in->spec->arrival == EVE_SYNC && !in->empty) {
      in->empty = true;
      in->node->missing++;
      e->out->armed = true;
    }
    return;
  }
  if (!in->n_edges)
    return;
  if (in->a_next != in->a_read)
    in->node->progressed = true;
  for (; in->a_read < in->a_next; in->a_read++) {
    e = in->edges[in->arrivals[in->a_read & (in->a_capacity - 1)]];
    e->read++;
    if (G_UNLIKELY (e->out->blocked))
      sched_out_freed (e->out);
  }
  if (in->a_read == in->a_head && in->spec->arrival == EVE_SYNC && !in->empty) {
    in->empty = true;
    in->node->missing++;
  }
}

void
in_rollback (EveIn *in)
{
  for (uint32_t i = 0; i < in->n_edges; i++)
    in->edges[i]->next = in->edges[i]->read;
  in->a_next = in->a_read;
}

/* ---- arrival: consumers hear of new data ---------------------------------------------------------------------- */
void
ring_arrive (EveOut *out, uint32_t n)
{
  bool armed = out->keeper.keep != NULL, async = false, telling = out->node->program->telling;
  if (armed && !telling)
    out->keeper.keep (out->keeper.arg, ring_slot (out, out->head - n), n);
  for (uint32_t i = 0; i < out->n_edges; i++) {
    Edge *e = out->edges[i];
    EveIn *in = e->in;
    if (G_UNLIKELY (telling && !in->spec->present)) { /* passes by */
      e->read = e->next = out->head;
      armed = true;
      continue;
    }
    if (!in->single) {
      armed = true;
      in_push_arrivals (in, e->index, n);
    }
    Node *to = in->node;
    if (in->spec->on_span) {
      if (!in->pending) {
        in->pending = to->has_pending = true;
        sched_ready (to);
      }
      continue;
    }
    if (in->spec->arrival == EVE_ASYNC) {
      armed = async = true;
      continue;
    }
    if (in->empty) {
      in->empty = false;
      to->missing--;
      to->declined = false;
      sched_ready (to);
    } else if (to->declined) {
      to->declined = false;
      sched_ready (to);
    }
  }
  out->armed = armed;
  if (!async)
    return;
  for (uint32_t i = 0; i < out->n_edges; i++)
    if (out->edges[i]->in->spec->arrival == EVE_ASYNC && !out->edges[i]->in->spec->on_span
        && (!telling || out->edges[i]->in->spec->present))
      ring_deliver (out->edges[i]->in);
}

static void
call_handler (EveIn *in, const void *data, uint32_t n)
{
  Node *to = in->node;
  EveProgram *p = to->program;
  Outer outer = call_enter (to, CALL_HANDLER);
  p->depth++;
  p->calls++;
  to->firings += n;
  if (in->spec->on_span)
    in->spec->on_span (to->self, in, data, n);
  else
    in->spec->on_datum (to->self, in, data);
  p->calls--;
  p->depth--;
  call_leave (to, outer);
}

/* After a handler's data are consumed. */
static void
handled (Node *n)
{
  if (n->klass->produce)
    sched_source_news (n);
  if (n->declined) { /* what it heard may have changed its mind */
    n->declined = false;
    sched_ready (n);
  }
}

/* Hands what waits to the handler, at once if that is possible; otherwise the sweep does it.  When it is not
 * depends on data and topology alone, so it is the same however the work is cut into slices. */
void
ring_deliver (EveIn *in)
{
  Node *n = in->node;
  EveProgram *p = n->program;
  for (uint32_t k = 0; in_available (in); k++) {
    if (n->in_call || p->depth >= EVE_DEPTH || k == EVE_BURST || p->mode != EVE_RUNNING || p->failed) {
      in->pending = n->has_pending = true;
      sched_ready (n);
      return;
    }
    if (!in->spec->quiet && !ring_room_for_firing (n)) {
      in->pending = n->starved = true;
      return;
    }
    uint32_t run = in->spec->on_span ? in_run (in, EVE_SPAN) : 1;
    const void *data = in->spec->on_span ? eve_take_span (in, run) : eve_take (in);
    call_handler (in, data, run);
    if (p->failed == n) {
      for (uint32_t i = 0; i < n->n_ins; i++)
        in_rollback (&n->ins[i]);
      in->pending = n->has_pending = true;
      return;
    }
    for (uint32_t i = 0; i < n->n_ins; i++)
      in_commit (&n->ins[i]);
    handled (n);
  }
  in->pending = false;
  if (in->spec->on_span)
    for (uint32_t i = 0; i < in->n_edges; i++)
      in->edges[i]->out->armed = true;
}

/* ---- emission --------------------------------------------------------------------------------------------------- */
static bool
no_room (EveOut *out)
{
  Node *n = out->node;
  if (n->in_call == CALL_FIRE || n->in_call == CALL_HANDLER)
    eve_fail (n->self,
              _ ("emitted more than the %u data that one firing declares for its output %s, and there is no room: it "
                 "must ask eve_room() or declare more"),
              out->per_fire, out->spec->name);
  return false;
}

static inline bool
emit (EveOut *out, const void *datum, bool retain)
{
  if (G_UNLIKELY (out->head - out->low == out->capacity)) {
    ring_low_water (out);
    if (out->head - out->low == out->capacity)
      return no_room (out);
  }
  /* the datum before the head is kept for those who look at the wire; its slot may be the next one */
  if (G_UNLIKELY (out->type->release != NULL) && out->head - out->freed >= out->capacity)
    release_up_to (out, out->head - out->capacity + 1);
  uint8_t *slot = ring_slot (out, out->head);
  switch (out->size) { /* constant sizes are moved without a call */
  case 8:
    memcpy (slot, datum, 8);
    break;
  case 32:
    memcpy (slot, datum, 32);
    break;
  case 64:
    memcpy (slot, datum, 64);
    break;
  default:
    memcpy (slot, datum, out->size);
  }
  if (G_UNLIKELY (retain && out->type->retain != NULL))
    out->type->retain (slot);
  out->head++;
  out->node->progressed = true;
  if (out->armed)
    ring_arrive (out, 1);
  return true;
}

void
ring_take_back (EveOut *out, uint64_t head)
{
  if (!out->size)
    return;
  if (out->type->release)
    for (uint64_t n = MAX (out->head, out->freed); n < head; n++)
      out->type->release (ring_slot (out, n));
  out->freed = MIN (out->freed, out->head);
  out->low = MIN (out->low, out->head);
}

bool
eve_emit (EveOut *out, const void *datum)
{
  return out->size ? emit (out, datum, true) : true;
}

bool
eve_emit_steal (EveOut *out, void *datum)
{
  if (out->size && emit (out, datum, false))
    return true;
  const EveType *type = out->type ? out->type : out->spec->type;
  if (type && type->release)
    type->release (datum);
  return !out->size;
}

void *
eve_reserve (EveOut *out, uint32_t *n)
{
  if (!out->size) {
    *n = 0;
    return NULL;
  }
  uint64_t room = ring_room (out, *n);
  uint64_t contiguous = out->capacity - (out->head & (out->capacity - 1));
  *n = (uint32_t) MIN (MIN (room, contiguous), *n);
  return *n ? ring_slot (out, out->head) : NULL;
}

void
eve_commit (EveOut *out, uint32_t n)
{
  if (!out->size || !n)
    return;
  out->head += n;
  out->node->progressed = true;
  if (out->armed)
    ring_arrive (out, n);
}

/* Whether all who listen can have an array where it lies. */
static bool
takes_in_place (const EveOut *out)
{
  const EveProgram *p = out->node->program;
  if (p->mode != EVE_RUNNING || p->failed || p->depth >= EVE_DEPTH || out->type->release || p->telling || p->forgiving)
    return false;
  for (uint32_t i = 0; i < out->n_edges; i++) {
    const Edge *e = out->edges[i];
    const EveIn *in = e->in;
    if (!in->spec->on_span || !in->spec->commutes || !in->single || in->pending || e->convert || in->node->in_call
        || e->next != out->head)
      return false;
  }
  return true;
}

/* To everybody in turn.  Who fails, and those behind it, find the data in the ring. */
static void
give_in_place (EveOut *out, const void *data, uint32_t n)
{
  uint32_t done = 0; /* edges */
  if (out->keeper.keep)
    out->keeper.keep (out->keeper.arg, data, n);
  for (bool failed = false; done < out->n_edges && !failed; done += !failed) {
    Node *to = out->edges[done]->in->node;
    call_handler (out->edges[done]->in, data, n);
    failed = to->program->failed == to;
    if (!failed) {
      to->progressed = true;
      handled (to);
    }
  }
  /* the datum before the head is kept for those who look at the wire */
  for (uint32_t i = done < out->n_edges ? 0 : n - 1; i < n; i++)
    memcpy (ring_slot (out, out->head + i), (const uint8_t *) data + (size_t) i * out->size, out->size);
  out->head += n;
  for (uint32_t i = 0; i < out->n_edges; i++) {
    Edge *e = out->edges[i];
    if (i < done) {
      e->read = e->next = out->head;
    } else {
      e->in->pending = e->in->node->has_pending = true;
      sched_ready (e->in->node);
    }
  }
  if (done == out->n_edges)
    out->low = out->head;
}

/* Whether the only one who listens can fire on an array of a source where it lies: the source runs, so all is drained
 * and nobody's turn comes before. */
static bool
fires_in_place (const EveOut *out)
{
  const EveProgram *p = out->node->program;
  if (out->n_edges != 1 || out->node->in_call != CALL_PRODUCE || p->mode != EVE_RUNNING || p->failed || p->depth > 0
      || out->type->release || p->telling)
    return false;
  const Edge *e = out->edges[0];
  const EveIn *in = e->in;
  const Node *to = in->node;
  return in->single && in->empty && !e->convert && to->klass->fire_span && !to->klass->can_fire && to->burst > 1
         && to->missing == 1 && to->n_sync == 1 && !to->has_pending && !to->declined && !to->in_call;
}

/* The consumer fires on them; what it leaves comes into the ring, as if it had not fired on it yet. */
static void
give_to_firing (EveOut *out, const uint8_t *data, uint32_t n)
{
  Edge *e = out->edges[0];
  if (out->keeper.keep)
    out->keeper.keep (out->keeper.arg, data, n);
  out->head += n;
  out->lent = data;
  out->n_lent = n;
  sched_fire_in_place (e->in);
  out->lent = NULL;
  uint32_t left = (uint32_t) (out->head - e->read);
  /* the datum before the head is kept for those who look at the wire */
  for (uint32_t i = left ? n - left : n - 1; i < n; i++)
    memcpy (ring_slot (out, out->head - n + i), data + (size_t) i * out->size, out->size);
  out->low = e->read;
  if (left) {
    e->in->empty = false;
    e->in->node->missing--;
    sched_ready (e->in->node);
  }
}

bool
eve_give (EveOut *out, const void *data, uint32_t n)
{
  if (!out->size || !n)
    return true;
  if (ring_room (out, n) < n)
    return no_room (out);
  out->node->progressed = true;
  for (uint32_t k; n; n -= k, data = (const uint8_t *) data + (size_t) k * out->size) {
    k = MIN (n, EVE_SPAN);
    if (takes_in_place (out)) {
      give_in_place (out, data, k);
    } else if (fires_in_place (out)) {
      give_to_firing (out, data, k);
    } else {
      void *to = eve_reserve (out, &k); /* the ring may wrap round on the way */
      memcpy (to, data, (size_t) k * out->size);
      eve_commit (out, k);
    }
  }
  return true;
}

bool
eve_out_kept (EveOut *out, void **keeper)
{
  if (out->n_edges || !out->size || !takes_in_place (out))
    return false;
  *keeper = out->keeper.directly ? out->keeper.directly (out->keeper.arg) : NULL;
  return *keeper || !out->keeper.keep;
}

void
eve_passed (EveOut *out, uint32_t n, const void *last)
{
  if (!n)
    return;
  memcpy (ring_slot (out, out->head + n - 1), last, out->size);
  out->head += n;
  out->low = out->head;
  out->node->progressed = true;
}

void
eve_out_keep (EveComponent *c, uint32_t output, const EveKeeper *keeper)
{
  EveOut *out = &node_of (c)->outs[output];
  out->keeper = keeper ? *keeper : (EveKeeper){ 0 };
  out->armed = true;
  if (keeper && out->type)
    ring_setup (out, out->type);
  else if (!ring_wanted (out))
    ring_free (out);
}

uint32_t
eve_room (const EveOut *out)
{
  if (!out->size)
    return UINT32_MAX;
  uint64_t room = ring_room ((EveOut *) out, out->capacity);
  return (uint32_t) MIN (room, UINT32_MAX - 1);
}

bool
eve_in_connected (const EveIn *in)
{
  return in->n_edges + in->n_kept > 0;
}

bool
eve_out_connected (const EveOut *out)
{
  return ring_wanted (out);
}

const EveType *
eve_in_type (const EveIn *in)
{
  return in->type;
}

const EveType *
eve_out_type (const EveOut *out)
{
  return out->type;
}
