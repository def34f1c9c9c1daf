/* SPDX-License-Identifier: Apache-2.0 */
/* extras.c - what the thesis leaves out: threads, semaphores, processors; each kind is followed only if the settings
 * make it nodes of the graph. */
#include "simulators/ouf/ouf.h"
#include "eve/words.h"

#include "readers/reader.h"

#define THREADS_MAX 65536 /* in one task */
#define SEMAPHORES_MAX (1 << 20)

uint32_t
ouf_find (const Ouf *p, uint32_t task, bool semaphore, uint32_t number)
{
  gint64 key = ouf_key (task, semaphore, number);

  return GPOINTER_TO_UINT (g_hash_table_lookup (p->by_number, &key)) - 1;
}

void
ouf_number_node (Ouf *p, uint32_t node)
{
  const Node *n = node_at (p, node);
  gint64 key = ouf_key (n->inside, n->kind == KIND_SEMAPHORE, n->number);

  g_hash_table_insert (p->by_number, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (node + 1));
  uint32_t *last = &node_at (p, n->inside)->chain, *next = *last == NONE ? NULL : &node_at (p, *last)->chain;
  node_at (p, node)->chain = next ? *next : node;
  if (next)
    *next = node;
  *last = node;
}

static uint32_t
extras_add (Ouf *p, uint32_t task, bool semaphore, uint32_t number)
{
  uint32_t node = ouf_node_add (p, semaphore ? KIND_SEMAPHORE : KIND_THREAD, task, number);

  ouf_number_node (p, node);
  return node;
}

/* The number that a field tells; -1: none, or too large. */
static int64_t
number_in (const TraceEvent *e, int8_t field, int64_t most)
{
  TraceValue v = { .kind = TRACE_VALUE_NONE };

  if (field >= 0)
    v = trace_value (e, (uint32_t) field);
  return v.kind == TRACE_VALUE_INT && v.i >= 0 && v.i < most ? v.i : -1;
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

uint32_t
ouf_thread (Ouf *p, uint32_t task, int32_t thread)
{
  uint32_t node;

  if (thread < 0 || thread >= THREADS_MAX)
    return NONE;
  node = ouf_find (p, task, false, (uint32_t) thread);
  if (node != NONE)
    return node;
  node = extras_add (p, task, false, (uint32_t) thread);
  ouf_node_state (p, node, NODE_BUSY);
  node_at (p, task)->n_running += thread > 0; /* thread 0 is counted with the birth of its task */
  return node;
}

/* The thread is inside a call that puts it into this state. */
void
ouf_thread_call (Ouf *p, uint32_t task, int32_t thread, uint8_t state)
{
  uint32_t node = ouf_find (p, task, false, (uint32_t) thread);

  if (node != NONE && node_at (p, node)->state != NODE_DEAD)
    ouf_node_state (p, node, state);
}

static void
extras_stop (Ouf *p, uint32_t task, uint32_t node, uint8_t state)
{
  Node *n = node_at (p, node);

  if (!n->stopped && n->state != NODE_DEAD)
    node_at (p, task)->n_running--;
  n->stopped = true;
  ouf_node_state (p, node, state);
}

static void
node_runs (Ouf *p, uint32_t task, uint32_t node)
{
  Node *n = node_at (p, node);

  if (n->state == NODE_DEAD)
    return;
  if (!n->stopped) {
    n->passes = true;
    return;
  }
  n->stopped = false;
  node_at (p, task)->n_running++;
  ouf_node_state (p, node, NODE_BUSY);
}

void
ouf_thread_event (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule)
{
  if (!p->threads)
    return;
  int64_t number = rule->act == ACT_RUN ? number_in (e, rule->thread, THREADS_MAX) : e->tag;
  uint32_t node = ouf_thread (p, task, (int32_t) number);

  if (node == NONE) {
    state_impossible (&p->store.graph, e, _ ("names no thread"));
    return;
  }
  switch (rule->act) {
  case ACT_THREAD_BIRTH:
    extras_stop (p, task, node, NODE_UNUSED);
    break;
  case ACT_THREAD_DEATH:
    extras_stop (p, task, node, NODE_DEAD);
    break;
  case ACT_RUN:
    node_runs (p, task, node);
    break;
  default:
    if (node_at (p, node)->passes)
      node_at (p, node)->passes = false;
    else
      extras_stop (p, task, node, NODE_IDLE);
  }
  ouf_refresh (p, task);
}

/* The same for its semaphores: nobody can take them any more. */
void
ouf_threads_die (Ouf *p, uint32_t task)
{
  const uint32_t last = node_at (p, task)->chain;

  if (last == NONE)
    return;
  uint32_t i = last;
  do {
    i = node_at (p, i)->chain;
    ouf_node_state (p, i, NODE_DEAD);
  } while (i != last);
}

/* ---- semaphores: Busy while somebody holds it, else Idle --------------------------------------------------------- */

static void
set_count (Ouf *p, uint32_t node, uint32_t attribute, uint32_t *count, uint32_t new)
{
  uint32_t old = *count;

  if (old == new)
    return;
  *count = new;
  node_at (p, node)->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, attribute, old, new);
}

/* Events tell the value that they leave behind. */
static void
set_value (Ouf *p, uint32_t node, const TraceEvent *e, const Rule *rule)
{
  Node *n = node_at (p, node);
  int64_t old = n->value, value = number_in (e, rule->value, INT64_MAX);

  if (value < 0 || old == value)
    return;
  n->value = value;
  n->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, AT_VALUE, old, value);
}

uint32_t
ouf_semaphore (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule)
{
  int64_t number = p->semaphores ? number_in (e, rule->semaphore, SEMAPHORES_MAX) : -1;
  uint32_t node = number >= 0 ? ouf_find (p, task, true, (uint32_t) number) : NONE;

  if (number < 0 || node != NONE)
    return node;
  node = extras_add (p, task, true, (uint32_t) number);
  ouf_node_state (p, node, NODE_IDLE);
  return node;
}

void
ouf_semaphore_wait (Ouf *p, uint32_t semaphore, bool waits)
{
  Node *n = node_at (p, semaphore);

  set_count (p, semaphore, AT_WAITERS, &n->n_waiting, n->n_waiting + (waits ? 1 : -1u));
}

void
ouf_hold (Ouf *p, uint32_t semaphore, int32_t thread)
{
  Node *n = node_at (p, semaphore);
  uint32_t new = p->free_hold;

  if (new != NONE) {
    p->free_hold = p->holds[new].next;
  } else {
    new = p->n_holds++;
    p->holds = state_room (p->holds, new, &p->holds_room, sizeof *p->holds);
  }
  p->holds[new] = (Hold){ thread, NONE };
  *(n->last_hold == NONE ? &n->first_hold : &p->holds[n->last_hold].next) = new;
  n->last_hold = new;
}

void
ouf_semaphore_taken (Ouf *p, uint32_t semaphore, const TraceEvent *e, const Rule *rule)
{
  Node *n = node_at (p, semaphore);

  set_value (p, semaphore, e, rule);
  for (uint32_t i = n->first_hold; i != NONE; i = p->holds[i].next)
    if (p->holds[i].thread == e->tag)
      return; /* it counts things instead of keeping others out */
  ouf_hold (p, semaphore, e->tag);
  set_count (p, semaphore, AT_HOLDERS, &n->n_holding, n->n_holding + 1);
  ouf_node_state (p, semaphore, NODE_BUSY);
}

/* The thread gives it back, or somebody else does for the one that has it longest. */
static void
extras_let_go (Ouf *p, uint32_t semaphore, int32_t thread)
{
  Node *n = node_at (p, semaphore);
  uint32_t gone = n->first_hold, before = NONE;

  while (gone != NONE && p->holds[gone].thread != thread) {
    before = gone;
    gone = p->holds[gone].next;
  }
  if (gone == NONE) {
    gone = n->first_hold;
    before = NONE;
  }
  if (gone == NONE)
    return;
  *(before == NONE ? &n->first_hold : &p->holds[before].next) = p->holds[gone].next;
  if (gone == n->last_hold)
    n->last_hold = before;
  p->holds[gone].next = p->free_hold;
  p->free_hold = gone;
  set_count (p, semaphore, AT_HOLDERS, &n->n_holding, n->n_holding - 1);
  if (n->n_holding == 0)
    ouf_node_state (p, semaphore, NODE_IDLE);
}

void
ouf_semaphore_event (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule)
{
  uint32_t node = ouf_semaphore (p, task, e, rule);

  if (node == NONE)
    return;
  if (rule->act == ACT_SEM_TRY && e->result > 0) {
    ouf_semaphore_taken (p, node, e, rule);
    return;
  }
  set_value (p, node, e, rule);
  if (rule->act == ACT_SEM_V)
    extras_let_go (p, node, e->tag);
}

/* ---- processors: what their tasks do, the liveliest first ---------------------------------------------------------- */

void
ouf_processor_task (Ouf *p, uint32_t processor, uint8_t old, uint8_t state)
{
  static const uint8_t order[] = { NODE_BUSY, NODE_TALKING, NODE_IDLE, NODE_UNUSED, NODE_DEAD };
  Node *n = node_at (p, processor);
  guint i = 0;

  n->n_in[old]--;
  n->n_in[state]++;
  while (n->n_in[order[i]] == 0)
    i++;
  ouf_node_state (p, processor, order[i]);
}
