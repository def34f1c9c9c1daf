/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - the links between tasks, found by their ends, and the messages that lie on them, found by link and
 * tag.  Both tables are open addressing with linear probing, at most half full. */
#include "simulators/pvm/pvm.h"

#define TABLE_FIRST 64u

/* Finaliser of MurmurHash3: every bit of the key reaches every bit of the hash. */
static inline uint64_t
mix (uint64_t k)
{
  k ^= k >> 33;
  k *= UINT64_C (0xff51afd7ed558ccd);
  k ^= k >> 33;
  k *= UINT64_C (0xc4ceb9fe1a85ec53);
  return k ^ k >> 33;
}

/* ---- links --------------------------------------------------------------------------------------------------- */

static inline uint64_t
link_hash (uint32_t from, uint32_t to)
{
  return mix ((uint64_t) from << 32 | to);
}

uint32_t
pvm_link_find (const Pvm *p, uint32_t from, uint32_t to)
{
  uint64_t hash = link_hash (from, to), tag = hash >> 32;

  if (p->link_index == NULL)
    return NONE;
  for (uint32_t i = (uint32_t) hash & p->link_mask;; i = (i + 1) & p->link_mask) {
    uint64_t entry = p->link_index[i];
    if (entry == 0)
      return NONE;
    if (entry >> 32 == tag) {
      uint32_t link = (uint32_t) entry - 1;
      if (p->links[link].from == from && p->links[link].to == to)
        return link;
    }
  }
}

static void
index_link (Pvm *p, uint32_t link)
{
  uint64_t hash = link_hash (p->links[link].from, p->links[link].to);
  uint32_t i = (uint32_t) hash & p->link_mask;

  while (p->link_index[i] != 0)
    i = (i + 1) & p->link_mask;
  p->link_index[i] = (hash >> 32) << 32 | (link + 1);
}

uint32_t
pvm_link_get (Pvm *p, uint32_t from, uint32_t to)
{
  uint32_t link = pvm_link_find (p, from, to);
  Link *l;

  if (G_LIKELY (link != NONE))
    return link;
  link = p->graph.n_edges++;
  p->links = state_room (p->links, link, &p->links_room, sizeof *p->links);
  l = &p->links[link];
  *l = (Link){ .from = from,
               .to = to,
               .clock = p->now,
               .since = p->now,
               .next_out = p->tasks[from].first_out,
               .state = p->tasks[from].born && p->tasks[from].state == TASK_DEAD ? LINK_DEAD : LINK_UNUSED };
  p->tasks[from].first_out = link;
  if (p->link_index == NULL || p->graph.n_edges * 2 > p->link_mask) {
    p->link_mask = p->link_index == NULL ? TABLE_FIRST - 1 : p->link_mask * 2 + 1;
    g_free (p->link_index);
    p->link_index = g_new0 (uint64_t, (gsize) p->link_mask + 1);
    for (uint32_t i = 0; i <= link; i++)
      index_link (p, i);
  } else {
    index_link (p, link);
  }
  pvm_changed (p, STATE_EDGE, link, EDGE_STATE, -1, l->state);
  return link;
}

void
pvm_link_state (Pvm *p, uint32_t link, uint8_t state)
{
  Link *l = &p->links[link];
  uint8_t old = l->state;

  if (old == state)
    return;
  if (old < N_LIVE)
    l->spent[old] = plus (l->spent[old], minus (p->now, l->since));
  l->since = l->clock = p->now;
  l->state = state;
  pvm_changed (p, STATE_EDGE, link, EDGE_STATE, old, state);
}

void
pvm_link_set (Pvm *p, uint32_t link, uint32_t attribute, int64_t *value, int64_t new)
{
  int64_t old = *value;

  if (old == new)
    return;
  *value = new;
  p->links[link].clock = p->now;
  pvm_changed (p, STATE_EDGE, link, attribute, old, new);
}

void
pvm_link_settle (Pvm *p, uint32_t link)
{
  Link *l = &p->links[link];
  const Task *from = &p->tasks[l->from];

  pvm_link_state (p, link,
                  from->born && from->state == TASK_DEAD ? LINK_DEAD
                  : l->n_on_link > 0                     ? LINK_OVERHEAD
                                                         : LINK_UNUSED);
  pvm_link_set (p, link, EDGE_TRAFFIC, &l->traffic, l->volume);
}

/* ---- messages ------------------------------------------------------------------------------------------------ */

static inline uint32_t
queue_home (const Pvm *p, uint32_t link, int32_t tag)
{
  return (uint32_t) mix ((uint64_t) link << 32 | (uint32_t) tag) & p->queue_mask;
}

Queue *
pvm_queue_find (const Pvm *p, uint32_t link, int32_t tag)
{
  if (p->queues == NULL)
    return NULL;
  for (uint32_t i = queue_home (p, link, tag);; i = (i + 1) & p->queue_mask) {
    Queue *q = &p->queues[i];
    if (q->link == link && q->tag == tag)
      return q;
    if (q->link == NONE)
      return NULL;
  }
}

static void
grow_queues (Pvm *p)
{
  Queue *old = p->queues;
  int64_t *old_sent = p->queue_sent;
  uint32_t n = old != NULL ? p->queue_mask + 1 : 0;

  p->queue_mask = n == 0 ? TABLE_FIRST - 1 : n * 2 - 1;
  p->queues = g_new (Queue, (gsize) p->queue_mask + 1);
  if (p->dating)
    p->queue_sent = g_new0 (int64_t, (gsize) p->queue_mask + 1);
  for (uint32_t i = 0; i <= p->queue_mask; i++)
    p->queues[i].link = NONE;
  for (uint32_t i = 0; i < n; i++)
    if (old[i].link != NONE) {
      uint32_t at = queue_home (p, old[i].link, old[i].tag);
      while (p->queues[at].link != NONE)
        at = (at + 1) & p->queue_mask;
      p->queues[at] = old[i];
      if (p->dating)
        p->queue_sent[at] = old_sent[i];
    }
  g_free (old);
  g_free (old_sent);
}

Queue *
pvm_queue_get (Pvm *p, uint32_t link, int32_t tag)
{
  Queue *q = pvm_queue_find (p, link, tag);
  uint32_t i;

  if (q != NULL)
    return q;
  if (p->queues == NULL || (p->n_queues + 1) * 2 > p->queue_mask)
    grow_queues (p);
  i = queue_home (p, link, tag);
  while (p->queues[i].link != NONE)
    i = (i + 1) & p->queue_mask;
  p->queues[i] = (Queue){ .link = link, .tag = tag, .first = NONE, .last = NONE };
  p->n_queues++;
  p->n_mixed += tag == TAG_MIXED;
  return &p->queues[i];
}

/* Takes an empty queue out; those that had to go past its place move up, so that no marks are left behind. */
static void
remove_queue (Pvm *p, Queue *q)
{
  uint32_t hole = (uint32_t) (q - p->queues);

  p->n_queues--;
  p->n_mixed -= q->tag == TAG_MIXED;
  for (uint32_t i = (hole + 1) & p->queue_mask; p->queues[i].link != NONE; i = (i + 1) & p->queue_mask) {
    uint32_t home = queue_home (p, p->queues[i].link, p->queues[i].tag);
    if (((i - home) & p->queue_mask) >= ((i - hole) & p->queue_mask)) {
      p->queues[hole] = p->queues[i];
      if (p->dating)
        p->queue_sent[hole] = p->queue_sent[i];
      hole = i;
    }
  }
  p->queues[hole].link = NONE;
}

void
pvm_queue_add_row (Pvm *p, Queue *q, int64_t bytes, uint32_t count, int64_t sent)
{
  uint32_t row = p->free_row;

  p->rows_used++;
  if (q->count == 0) {
    q->bytes = bytes;
    q->count = count;
    if (p->dating)
      p->queue_sent[q - p->queues] = sent;
    return;
  }
  if (row != NONE) {
    p->free_row = p->rows[row].next;
  } else {
    uint32_t room = p->rows_room;
    row = p->n_rows++;
    p->rows = state_room (p->rows, row, &p->rows_room, sizeof *p->rows);
    if (p->dating && p->rows_room != room)
      p->row_sent = g_renew (int64_t, p->row_sent, p->rows_room);
  }
  p->rows[row] = (Row){ .bytes = bytes, .count = count, .next = NONE };
  if (p->dating)
    p->row_sent[row] = sent;
  if (q->last != NONE)
    p->rows[q->last].next = row;
  else
    q->first = row;
  q->last = row;
}

/* One more of the same size joins a row; with `any`, one of another size too: then only their sum is kept. */
static bool
join_row (int64_t *bytes, uint32_t *count, int64_t size, bool any)
{
  if (*count == 0 || *count >= 1u << 20)
    return false;
  if (!any && (*count == 1 ? *bytes : *bytes % *count == 0 ? *bytes / *count : -1) != size)
    return false;
  *bytes += size;
  ++*count;
  return true;
}

void
pvm_queue_push (Pvm *p, uint32_t link, int32_t tag, int64_t size, int64_t sent)
{
  bool full = p->rows_used >= ROWS_MAX;
  Queue *q = full ? pvm_queue_find (p, link, tag) : pvm_queue_get (p, link, tag);

  if (G_UNLIKELY (q == NULL))
    q = pvm_queue_get (p, link, TAG_MIXED);
  if (p->dating && !full)
    ; /* each has its own date, and so its own row */
  else if (q->last != NONE ? join_row (&p->rows[q->last].bytes, &p->rows[q->last].count, size, full)
                           : join_row (&q->bytes, &q->count, size, full))
    return;
  pvm_queue_add_row (p, q, size, 1, sent);
}

void
pvm_queue_date (Pvm *p)
{
  if (p->dating)
    return;
  p->dating = true;
  p->queue_sent = p->queues != NULL ? g_new (int64_t, (gsize) p->queue_mask + 1) : NULL;
  for (uint32_t i = 0; p->queues != NULL && i <= p->queue_mask; i++)
    p->queue_sent[i] = INT64_MIN;
  p->row_sent = g_new (int64_t, p->rows_room);
  for (uint32_t i = 0; i < p->rows_room; i++)
    p->row_sent[i] = INT64_MIN;
  for (uint32_t i = 0; i < p->graph.n_edges; i++)
    p->links[i].taking_sent = INT64_MIN;
}

bool
pvm_queue_pop (Pvm *p, uint32_t link, int32_t tag, int64_t *size, int64_t *sent)
{
  Queue *q = pvm_queue_find (p, link, tag);

  if ((q == NULL || q->count == 0) && p->n_mixed > 0)
    q = pvm_queue_find (p, link, TAG_MIXED);
  if (q == NULL || q->count == 0)
    return false;
  *size = q->count == 1 ? q->bytes : q->bytes / q->count;
  *sent = p->dating ? p->queue_sent[q - p->queues] : INT64_MIN;
  q->bytes -= *size;
  if (--q->count > 0)
    return true;
  p->rows_used--;
  if (q->first != NONE) {
    uint32_t row = q->first;
    q->bytes = p->rows[row].bytes;
    q->count = p->rows[row].count;
    q->first = p->rows[row].next;
    if (p->dating)
      p->queue_sent[q - p->queues] = p->row_sent[row];
    if (q->first == NONE)
      q->last = NONE;
    p->rows[row].next = p->free_row;
    p->free_row = row;
  } else if (q->owed == 0) {
    remove_queue (p, q);
  }
  return true;
}

bool
pvm_queue_holds (const Pvm *p, uint32_t link, int32_t tag)
{
  const Queue *q = pvm_queue_find (p, link, tag);

  if ((q == NULL || q->count == 0) && p->n_mixed > 0)
    q = pvm_queue_find (p, link, TAG_MIXED);
  return q != NULL && q->count > 0;
}

void
pvm_queue_owe (Pvm *p, uint32_t link, int32_t tag)
{
  pvm_queue_get (p, link, tag)->owed++;
  p->n_owed++;
}

bool
pvm_queue_pay (Pvm *p, uint32_t link, int32_t tag)
{
  Queue *q = pvm_queue_find (p, link, tag);

  if (q == NULL || q->owed == 0)
    return false;
  p->n_owed--;
  if (--q->owed == 0 && q->count == 0)
    remove_queue (p, q);
  return true;
}
