/* SPDX-License-Identifier: Apache-2.0 */
/* store-messages.c - the messages that lie on edges, found by edge and tag: open addressing with linear probing, at
 * most half full.
 *
 * First in, first out for each tag.  Each message has a row of its own, with its size and the date it was sent; when
 * there are too many of them (STORE_MOST_ROWS), further ones are put together and only their sum is kept. */
#include <stdlib.h>

#include "simulators/store-private.h"

#define FIRST_TABLE 64u
#define MOST_IN_ROW (1u << 20)
#define TAG_MIXED (INT64_C (1) << 32) /* the tag of that queue: none that a message can have */

/* The messages of one tag on one edge.  The first row is here, others in a chain. */
typedef struct StoreQueue {
  uint32_t edge;        /* NONE: the place is free */
  uint32_t early;       /* received before they were sent */
  int64_t tag;          /* of a message, or TAG_MIXED */
  int64_t bytes, sent;  /* of the first row */
  uint32_t count;       /* of the first row */
  uint32_t first, last; /* further rows, or NONE */
} StoreQueue;

typedef struct StoreRow {
  int64_t bytes, sent;
  uint32_t count, next;
} StoreRow;

void
store_messages_reset (StoreMessages *m)
{
  g_free (m->queues);
  g_free (m->rows);
  *m = (StoreMessages){ .free_row = NONE };
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

static inline uint32_t
store_messages_home_of (const StoreMessages *m, uint32_t edge, int64_t tag)
{
  return (uint32_t) store_mix ((uint64_t) edge << 32 | (uint32_t) tag) & m->mask;
}

static StoreQueue *
store_messages_find (const StoreMessages *m, uint32_t edge, int64_t tag)
{
  if (m->queues == NULL)
    return NULL;
  for (uint32_t i = store_messages_home_of (m, edge, tag);; i = (i + 1) & m->mask) {
    StoreQueue *q = &m->queues[i];
    if (q->edge == edge && q->tag == tag)
      return q;
    if (q->edge == NONE)
      return NULL;
  }
}

static void
store_messages_grow (StoreMessages *m)
{
  StoreQueue *old = m->queues;
  uint32_t n = old != NULL ? m->mask + 1 : 0;

  m->mask = n == 0 ? FIRST_TABLE - 1 : n * 2 - 1;
  m->queues = g_new (StoreQueue, (gsize) m->mask + 1);
  for (uint32_t i = 0; i <= m->mask; i++)
    m->queues[i].edge = NONE;
  for (uint32_t i = 0; i < n; i++)
    if (old[i].edge != NONE) {
      uint32_t at = store_messages_home_of (m, old[i].edge, old[i].tag);
      while (m->queues[at].edge != NONE)
        at = (at + 1) & m->mask;
      m->queues[at] = old[i];
    }
  g_free (old);
}

static StoreQueue *
store_messages_get (StoreMessages *m, uint32_t edge, int64_t tag)
{
  StoreQueue *q = store_messages_find (m, edge, tag);

  if (q != NULL)
    return q;
  if (m->queues == NULL || (m->n_queues + 1) * 2 > m->mask)
    store_messages_grow (m);
  uint32_t i = store_messages_home_of (m, edge, tag);
  while (m->queues[i].edge != NONE)
    i = (i + 1) & m->mask;
  m->queues[i] = (StoreQueue){ .edge = edge, .tag = tag, .first = NONE, .last = NONE };
  m->n_queues++;
  m->n_mixed += tag == TAG_MIXED;
  return &m->queues[i];
}

/* Takes an empty queue out; those that had to go past its place move up, so that no marks are left behind. */
static void
remove_queue (StoreMessages *m, StoreQueue *q)
{
  uint32_t hole = (uint32_t) (q - m->queues);

  m->n_queues--;
  m->n_mixed -= q->tag == TAG_MIXED;
  for (uint32_t i = (hole + 1) & m->mask; m->queues[i].edge != NONE; i = (i + 1) & m->mask) {
    uint32_t home = store_messages_home_of (m, m->queues[i].edge, m->queues[i].tag);
    if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
      m->queues[hole] = m->queues[i];
      hole = i;
    }
  }
  m->queues[hole].edge = NONE;
}

/* The queue that the next receive of this tag takes from, or NULL. */
static StoreQueue *
find_to_take (const StoreMessages *m, uint32_t edge, int32_t tag)
{
  StoreQueue *q = store_messages_find (m, edge, tag);

  if ((q == NULL || q->count == 0) && m->n_mixed > 0)
    q = store_messages_find (m, edge, TAG_MIXED);
  return q != NULL && q->count > 0 ? q : NULL;
}

/* ---- in and out ------------------------------------------------------------------------------------------------------ */

static uint32_t
new_row (StoreMessages *m, int64_t bytes, uint32_t count, uint32_t next, int64_t sent)
{
  uint32_t row = m->free_row;

  if (row != NONE) {
    m->free_row = m->rows[row].next;
  } else {
    row = m->n_rows++;
    m->rows = state_room (m->rows, row, &m->rows_room, sizeof *m->rows);
  }
  m->rows[row] = (StoreRow){ .bytes = bytes, .sent = sent, .count = count, .next = next };
  return row;
}

static void
set_first (StoreQueue *q, int64_t bytes, uint32_t count, int64_t sent)
{
  q->bytes = bytes;
  q->count = count;
  q->sent = sent;
}

static void
store_messages_add_row (StoreMessages *m, StoreQueue *q, int64_t bytes, uint32_t count, int64_t sent)
{
  m->rows_used++;
  if (q->count == 0) {
    set_first (q, bytes, count, sent);
    return;
  }
  uint32_t row = new_row (m, bytes, count, NONE, sent);
  if (q->last != NONE)
    m->rows[q->last].next = row;
  else
    q->first = row;
  q->last = row;
}

/* One more joins a row, of whose messages only the sum is kept. */
static bool
join_row (int64_t *bytes, uint32_t *count, int64_t size)
{
  if (*count == 0 || *count >= MOST_IN_ROW)
    return false;
  *bytes += size;
  ++*count;
  return true;
}

void
store_queue_push (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent)
{
  StoreMessages *m = &s->messages;
  bool full = m->rows_used >= STORE_MOST_ROWS;
  StoreQueue *q = full ? store_messages_find (m, edge, tag) : store_messages_get (m, edge, tag);

  if (G_UNLIKELY (q == NULL))
    q = store_messages_get (m, edge, TAG_MIXED);
  /* each has its own date, and so its own row, while there is room */
  if (full
      && (q->last != NONE ? join_row (&m->rows[q->last].bytes, &m->rows[q->last].count, size)
                          : join_row (&q->bytes, &q->count, size)))
    return;
  store_messages_add_row (m, q, size, 1, sent);
}

bool
store_queue_pop (Store *s, uint32_t edge, int32_t tag, int64_t *size, int64_t *sent)
{
  StoreMessages *m = &s->messages;
  StoreQueue *q = find_to_take (m, edge, tag);

  if (q == NULL)
    return false;
  *size = q->count == 1 ? q->bytes : q->bytes / q->count;
  *sent = q->sent;
  q->bytes -= *size;
  if (--q->count > 0)
    return true;
  m->rows_used--;
  if (q->first != NONE) {
    uint32_t row = q->first;
    q->bytes = m->rows[row].bytes;
    q->count = m->rows[row].count;
    q->first = m->rows[row].next;
    q->sent = m->rows[row].sent;
    if (q->first == NONE)
      q->last = NONE;
    m->rows[row].next = m->free_row;
    m->free_row = row;
  } else if (q->early == 0) {
    remove_queue (m, q);
  }
  return true;
}

void
store_queue_give_back (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent)
{
  StoreMessages *m = &s->messages;
  StoreQueue *q = store_messages_find (m, edge, tag);

  if (q == NULL || q->count == 0) {
    store_queue_push (s, edge, tag, size, sent); /* the only one */
    return;
  }
  m->rows_used++;
  q->first = new_row (m, q->bytes, q->count, q->first, q->sent);
  if (q->last == NONE)
    q->last = q->first;
  set_first (q, size, 1, sent);
}

bool
store_queue_holds (const Store *s, uint32_t edge, int32_t tag)
{
  return find_to_take (&s->messages, edge, tag) != NULL;
}

void
store_queue_add_early (Store *s, uint32_t edge, int32_t tag)
{
  store_messages_get (&s->messages, edge, tag)->early++;
  s->messages.n_early++;
}

bool
store_queue_settle_early (Store *s, uint32_t edge, int32_t tag)
{
  StoreMessages *m = &s->messages;
  StoreQueue *q = store_messages_find (m, edge, tag);

  if (q == NULL || q->early == 0)
    return false;
  m->n_early--;
  if (--q->early == 0 && q->count == 0)
    remove_queue (m, q);
  return true;
}

uint32_t
store_queue_early (const Store *s, uint32_t edge, int32_t tag)
{
  const StoreQueue *q = store_messages_find (&s->messages, edge, tag);

  return q != NULL ? q->early : 0;
}

void
store_send (Store *s, uint32_t edge, int32_t tag, int64_t size)
{
  StoreEdge *e = store_edge_at (s, edge);

  size = CLAMP (size, 0, STORE_MOST_BYTES);
  e->n_messages++;
  e->volume = plus (e->volume, size);
  store_queue_push (s, edge, tag, size, s->now);
}

bool
store_receive (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t *sent_size)
{
  return store_receive_as (s, edge, tag, tag, size, sent_size);
}

bool
store_receive_as (Store *s, uint32_t edge, int32_t key, int32_t tag, int64_t size, int64_t *sent_size)
{
  StoreEdge *e = store_edge_at (s, edge);
  int64_t sent = INT64_MIN;
  bool there = store_queue_pop (s, edge, key, sent_size, &sent);

  if (there) {
    e->n_messages--;
    e->volume = minus (e->volume, *sent_size);
  }
  store_tell_message (s, edge, tag, size, sent);
  return there;
}

/* ---- run state --------------------------------------------------------------------------------------------------------- */

static void
put_queue (const StoreMessages *m, const StoreQueue *q, EveBlob *to)
{
  uint32_t n = q->count > 0;

  eve_put_int (to, q->edge);
  eve_put_int (to, q->tag);
  eve_put_int (to, q->early);
  for (uint32_t row = q->first; row != NONE; row = m->rows[row].next)
    n++;
  eve_put_int (to, n);
  if (n == 0)
    return;
  eve_put_int (to, q->bytes);
  eve_put_int (to, q->count);
  eve_put_int (to, q->sent);
  for (uint32_t row = q->first; row != NONE; row = m->rows[row].next) {
    eve_put_int (to, m->rows[row].bytes);
    eve_put_int (to, m->rows[row].count);
    eve_put_int (to, m->rows[row].sent);
  }
}

/* A queue's place in the table, for sorting by tag. */
typedef struct Sorted {
  int64_t tag;
  uint32_t at;
} Sorted;

static int
by_tag (const void *a, const void *b)
{
  int64_t x = ((const Sorted *) a)->tag, y = ((const Sorted *) b)->tag;

  return (x > y) - (x < y);
}

/* By edge, then by tag: counted into edges first, which leaves little to compare.  What is written depends on what is
 * there alone, not on the history of table and pool. */
void
store_messages_save (const Store *s, EveBlob *to)
{
  const StoreMessages *m = &s->messages;
  g_autofree Sorted *sorted = g_new (Sorted, m->n_queues + 1);
  g_autofree uint32_t *end = g_new0 (uint32_t, s->graph.n_edges + 1);
  uint32_t n = 0;

  for (uint32_t i = 0; m->queues != NULL && i <= m->mask; i++)
    if (m->queues[i].edge != NONE)
      end[m->queues[i].edge]++;
  for (uint32_t edge = 0; edge < s->graph.n_edges; edge++) {
    uint32_t count = end[edge];
    end[edge] = n;
    n += count;
  }
  for (uint32_t i = 0; m->queues != NULL && i <= m->mask; i++)
    if (m->queues[i].edge != NONE)
      sorted[end[m->queues[i].edge]++] = (Sorted){ m->queues[i].tag, i };
  for (uint32_t edge = 0, from = 0; edge < s->graph.n_edges; from = end[edge++])
    qsort (sorted + from, end[edge] - from, sizeof *sorted, by_tag);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    /* places in memory are as good as random: those of the queues to come are fetched ahead */
    if (i + 48 < n)
      __builtin_prefetch (&m->queues[sorted[i + 48].at]);
    if (i + 20 < n) {
      uint32_t row = m->queues[sorted[i + 20].at].first;
      if (row != NONE)
        __builtin_prefetch (&m->rows[row]);
    }
    put_queue (m, &m->queues[sorted[i].at], to);
  }
}

static void
get_queue (Store *s, EveBlobView *b, bool *ok)
{
  StoreMessages *m = &s->messages;
  uint32_t edge = (uint32_t) state_get (b, 0, (int64_t) s->graph.n_edges - 1, ok);
  int64_t tag = state_get (b, INT32_MIN, TAG_MIXED, ok);
  uint32_t early = (uint32_t) state_get (b, 0, UINT32_MAX, ok);
  int64_t n = state_get (b, 0, UINT32_MAX - 1, ok);

  if (!*ok || s->graph.n_edges == 0 || (n == 0 && early == 0) || (tag > INT32_MAX && tag != TAG_MIXED)
      || store_messages_find (m, edge, tag) != NULL) {
    *ok = false;
    return;
  }
  StoreQueue *q = store_messages_get (m, edge, tag);
  q->early = early;
  m->n_early += early;
  for (; n > 0 && *ok; n--) {
    int64_t bytes = state_get (b, 0, STORE_MOST_BYTES << 20, ok);
    uint32_t count = (uint32_t) state_get (b, 1, MOST_IN_ROW, ok);
    int64_t sent = eve_get_int (b);
    if (*ok)
      store_messages_add_row (m, q, bytes, count, sent);
  }
}

void
store_messages_load (Store *s, EveBlobView *from, bool *ok)
{
  for (int64_t n = state_get (from, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--)
    get_queue (s, from, ok);
}
