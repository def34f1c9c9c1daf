/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - receives that are dated before their send: early.h says which these are. */
#include "readers/early.h"
#include "readers/pair.h"
#include "readers/reader.h"

#define MOST_QUEUES (1u << 20)
#define MOST_FOUND (1u << 21)
#define NOT_SENT INT64_MIN

/* Whether events of a kind have a tag, or a key. */
static bool
has_tags (const TraceKind *k)
{
  bool has = false;

  for (uint32_t f = 0; f < k->n_fields; f++)
    has |= k->fields[f].role == TRACE_ROLE_TAG || k->fields[f].role == TRACE_ROLE_KEY;
  return has;
}

/* Of the kinds that send or receive so far: whether all tell a group, and whether any does. */
typedef struct Groups {
  bool some_not, any;
} Groups;

static void
look_for_group (Groups *g, const TraceKind *k)
{
  bool has = false;

  for (uint32_t f = 0; f < k->n_fields; f++)
    has |= k->fields[f].role == TRACE_ROLE_OBJECT;
  if (trace_acts (k) & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE)) {
    g->some_not |= !has;
    g->any |= has;
  }
}

void
trace_queues_bind (TraceQueues *q, const TraceSource *s)
{
  Groups groups = { .any = false };

  *q = (TraceQueues){ .n_kinds = s->n_kinds, .tags = g_new0 (uint8_t, MAX (s->n_kinds, 1)) };
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    q->tags[i] = has_tags (&s->kinds[i]);
    look_for_group (&groups, &s->kinds[i]);
  }
  q->by_group = groups.any && !groups.some_not;
}

void
trace_queues_clear (TraceQueues *q)
{
  g_clear_pointer (&q->tags, g_free);
}

/* ---- asking ------------------------------------------------------------------------------------------------------------- */

const TraceEarly *
trace_early_find (const GArray *early, uint64_t number)
{
  guint low = 0, high = early->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    const TraceEarly *e = &g_array_index (early, TraceEarly, middle);
    if (e->number == number)
      return e;
    *(e->number < number ? &low : &high) = e->number < number ? middle + 1 : middle;
  }
  return NULL;
}

bool
trace_is_early (const TraceSource *s, const TraceEvent *receive, int64_t *sent)
{
  if (G_LIKELY (s->early == NULL || s->early->len == 0))
    return false;
  const TraceEarly *e = trace_early_find (s->early, receive->number);
  if (e && sent)
    *sent = trace_date (s, e->sent);
  return e != NULL;
}

/* ---- finding ------------------------------------------------------------------------------------------------------------ */

typedef struct Queue {
  TraceQueue of;
  uint64_t sent;  /* sends that wait, when the n-th receive is of the n-th send, */
  uint32_t first; /* or receives that wait for theirs: the first and the last of `found`; 0: none do */
  uint32_t last;
  uint64_t left;  /* sends that wait when each receive takes the first that was sent before it, */
  uint64_t alone; /* and receives that found none */
  /* when the n-th receive is of the n-th send: */
  int64_t
      head; /* when the first that waits was sent, where that is known: of one that waited for nobody; or NOT_SENT */
  int64_t least; /* the shortest way that is known, ticks; below 0: of one that is received early */
  uint64_t pairs, early;
} Queue;

typedef struct Found {
  TraceEarly early;
  int64_t received;
  uint32_t next, queue; /* of its queue, the next that waits */
} Found;

/* What events of a kind do, as far as it matters here. */
enum { SENDS = 1, SENDS_TO_MANY = 2, RECEIVES = 4 };

struct TraceEarlyFinder {
  TraceQueues how;
  uint8_t *acts; /* by kind */
  Groups groups; /* of one whose kinds are added: of those so far; of the thread that adds them, */
  int by_group;  /* and what that makes, for the other */
  bool grows, began, to_many;
  GArray *queues; /* of Queue */
  GArray *spare;  /* of uint32_t: places in it */
  uint32_t *at;   /* a table of places in it, + 1; 0: free */
  uint32_t mask, n_queues;
  GArray *found; /* of Found; the first is nobody */
};

#define FIRST_TABLE 256u
#define MANY_QUEUES (1u << 16) /* from then on those of which nothing is to be known are let go */

static uint8_t
acts_of (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);

  return (uint8_t) ((acts & TRACE_ACT_SEND ? SENDS : 0) | (acts & TRACE_ACT_MULTICAST ? SENDS_TO_MANY : 0)
                    | (acts & TRACE_ACT_RECEIVE ? RECEIVES : 0));
}

static TraceEarlyFinder *
new_finder (uint32_t n_kinds)
{
  TraceEarlyFinder *f = g_new0 (TraceEarlyFinder, 1);

  f->acts = g_new0 (uint8_t, MAX (n_kinds, 1));
  f->queues = g_array_new (FALSE, FALSE, sizeof (Queue));
  f->spare = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  f->at = g_new0 (uint32_t, FIRST_TABLE);
  f->mask = FIRST_TABLE - 1;
  f->found = g_array_new (FALSE, TRUE, sizeof (Found));
  g_array_set_size (f->found, 1);
  return f;
}

TraceEarlyFinder *
trace_early_finder_new (const TraceSource *s)
{
  TraceEarlyFinder *f = new_finder (s->n_kinds);

  trace_queues_bind (&f->how, s);
  for (uint32_t i = 0; i < s->n_kinds; i++)
    f->acts[i] = acts_of (&s->kinds[i]);
  return f;
}

TraceEarlyFinder *
trace_early_finder_growing (void)
{
  TraceEarlyFinder *f = new_finder (UINT16_MAX + 1);

  f->how = (TraceQueues){ .n_kinds = UINT16_MAX + 1, .tags = g_new0 (uint8_t, UINT16_MAX + 1) };
  f->grows = true;
  return f;
}

void
trace_early_finder_kind (TraceEarlyFinder *f, uint32_t i, const TraceKind *k)
{
  f->how.tags[i] = has_tags (k);
  look_for_group (&f->groups, k);
  __atomic_store_n (&f->by_group, f->groups.any && !f->groups.some_not, __ATOMIC_RELAXED);
  f->acts[i] = acts_of (k);
}

const uint8_t *
trace_early_finder_wants (const TraceEarlyFinder *f)
{
  return f->acts;
}

bool
trace_early_finder_holds (const TraceEarlyFinder *f, const TraceSource *s)
{
  TraceQueues all;

  if (f->to_many || s->n_kinds > f->how.n_kinds)
    return false;
  trace_queues_bind (&all, s);
  bool same = !f->began || all.by_group == f->how.by_group;
  for (uint32_t i = 0; i < s->n_kinds && same; i++)
    same = f->acts[i] == acts_of (&s->kinds[i]) && f->how.tags[i] == all.tags[i];
  trace_queues_clear (&all);
  return same;
}

static inline Queue *
queue_at (const TraceEarlyFinder *f, uint32_t i)
{
  return &g_array_index (f->queues, Queue, i);
}

static inline Found *
found_at (const TraceEarlyFinder *f, uint32_t i)
{
  return &g_array_index (f->found, Found, i);
}

static inline uint32_t
home_of (const TraceEarlyFinder *f, const TraceQueue *q)
{
  uint64_t pair = (uint64_t) q->from << 32 | q->to, rest = (uint64_t) q->object << 32 | (uint32_t) q->tag;

  return pair_hash_of (pair + rest * UINT64_C (0xff51afd7ed558ccd)) & f->mask;
}

static inline bool
is_same (const TraceQueue *a, const TraceQueue *b)
{
  return a->from == b->from && a->to == b->to && a->object == b->object && a->tag == b->tag;
}

static void
grow (TraceEarlyFinder *f)
{
  uint32_t *old = f->at, n = f->mask + 1;

  f->mask = 2 * n - 1;
  f->at = g_new0 (uint32_t, 2 * (gsize) n);
  for (uint32_t i = 0; i < n; i++) {
    if (old[i] == 0)
      continue;
    uint32_t to = home_of (f, &queue_at (f, old[i] - 1)->of);
    while (f->at[to] != 0)
      to = (to + 1) & f->mask;
    f->at[to] = old[i];
  }
  g_free (old);
}

/* Its place in the table, of the first that is free if it has none yet. */
static inline uint32_t
look_for (const TraceEarlyFinder *f, const TraceQueue *q)
{
  uint32_t i = home_of (f, q);

  while (f->at[i] != 0 && !is_same (&queue_at (f, f->at[i] - 1)->of, q))
    i = (i + 1) & f->mask;
  return i;
}

/* The queue, a new one if need be; TRACE_NONE: there are too many. */
static uint32_t
queue_of (TraceEarlyFinder *f, const TraceQueue *q)
{
  uint32_t i = look_for (f, q), place;

  if (G_LIKELY (f->at[i] != 0))
    return f->at[i] - 1;
  if (f->n_queues >= MOST_QUEUES)
    return TRACE_NONE;
  if (2 * (f->n_queues + 1) > f->mask) {
    grow (f);
    i = look_for (f, q);
  }
  const Queue new = { .of = *q, .head = NOT_SENT, .least = INT64_MAX };
  if (f->spare->len > 0) {
    place = g_array_index (f->spare, uint32_t, f->spare->len - 1);
    g_array_set_size (f->spare, f->spare->len - 1);
    *queue_at (f, place) = new;
  } else {
    place = f->queues->len;
    g_array_append_val (f->queues, new);
  }
  f->n_queues++;
  f->at[i] = place + 1;
  return place;
}

/* One that is as if it had never been.  Those that had to go past its place move up. */
static void
let_go (TraceEarlyFinder *f, uint32_t queue)
{
  uint32_t hole = look_for (f, &queue_at (f, queue)->of);

  for (uint32_t i = (hole + 1) & f->mask; f->at[i] != 0; i = (i + 1) & f->mask) {
    uint32_t home = home_of (f, &queue_at (f, f->at[i] - 1)->of);
    if (((i - home) & f->mask) >= ((i - hole) & f->mask)) {
      f->at[hole] = f->at[i];
      hole = i;
    }
  }
  f->at[hole] = 0;
  f->n_queues--;
  g_array_append_val (f->spare, queue);
}

/* Ticks; of strangers' dates. */
static inline int64_t
way (int64_t sent, int64_t received)
{
  int64_t ticks;

  if (__builtin_sub_overflow (received, sent, &ticks))
    return received < sent ? INT64_MIN / 4 : INT64_MAX / 4;
  return CLAMP (ticks, INT64_MIN / 4, INT64_MAX / 4);
}

static void
note_send (TraceEarlyFinder *f, const TraceQueue *of, int64_t date)
{
  uint32_t i = queue_of (f, of);

  if (i == TRACE_NONE)
    return;
  Queue *q = queue_at (f, i);
  q->left++;
  if (G_LIKELY (q->first == 0)) {
    q->head = q->sent == 0 ? date : q->head;
    q->sent++;
    return;
  }
  Found *r = found_at (f, q->first);
  r->early.sent = date;
  q->pairs++;
  q->early++;
  q->least = MIN (q->least, way (date, r->received));
  q->first = r->next;
}

static void
note_receive (TraceEarlyFinder *f, const TraceQueue *of, uint64_t number, int64_t date)
{
  uint32_t i = queue_of (f, of);

  if (i == TRACE_NONE)
    return;
  Queue *q = queue_at (f, i);
  if (q->left > 0)
    q->left--;
  else
    q->alone++;
  if (q->sent > 0) {
    q->sent--;
    q->pairs++;
    if (q->head != NOT_SENT)
      q->least = MIN (q->least, way (q->head, date));
    q->head = NOT_SENT;
    if (f->n_queues > MANY_QUEUES && q->sent == 0 && q->left == 0 && q->alone == 0)
      let_go (f, i);
  } else if (f->found->len <= MOST_FOUND) {
    const Found new = { .early = { number, NOT_SENT }, .received = date, .queue = i };
    *(q->first ? &found_at (f, q->last)->next : &q->first) = f->found->len;
    q->last = f->found->len;
    g_array_append_val (f->found, new);
  }
}

void
trace_early_finder_event (TraceEarlyFinder *f, const TraceEvent *e, uint64_t number)
{
  uint8_t acts = f->acts[e->kind];

  if (acts == 0)
    return;
  if (G_UNLIKELY (f->grows)) {
    f->to_many |= (acts & SENDS_TO_MANY) != 0;
    if (f->to_many)
      return;
    if (!f->began)
      f->how.by_group = __atomic_load_n (&f->by_group, __ATOMIC_RELAXED);
    f->began = true;
  }
  if (acts & SENDS && !(e->flags & TRACE_END)) {
    bool multicast = acts & SENDS_TO_MANY;
    uint32_t n;
    const uint32_t *to = trace_sent_to (e, multicast, &n);
    for (uint32_t i = 0; i < n; i++) {
      const TraceQueue q = trace_queue (&f->how, e, e->task, to[i]);
      if (trace_reaches (e, multicast, to[i]))
        note_send (f, &q, e->date);
    }
  }
  if (acts & RECEIVES && e->flags & (TRACE_END | TRACE_INSTANT) && trace_received (e)) {
    const TraceQueue q = trace_queue (&f->how, e, e->peer, e->task);
    note_receive (f, &q, number, e->date);
  }
}

/* ---- judging ------------------------------------------------------------------------------------------------------------ */

/* By sender and receiver: the shortest way that is known of the messages of all its queues; NULL: nothing is early. */
static GHashTable *
shortest_ways (const TraceEarlyFinder *f)
{
  if (f->found->len == 1)
    return NULL;
  GHashTable *ways = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (uint32_t i = 0; i <= f->mask; i++) {
    const Queue *q = f->at[i] ? queue_at (f, f->at[i] - 1) : NULL;
    if (!q || q->least == INT64_MAX || trace_sends_lost (q->left, q->alone))
      continue;
    int64_t key = (int64_t) ((uint64_t) q->of.from << 32 | q->of.to), *its = g_hash_table_lookup (ways, &key);
    if (its) {
      its[1] = MIN (its[1], q->least);
      continue;
    }
    its = g_new (int64_t, 2);
    its[0] = key;
    its[1] = q->least;
    g_hash_table_insert (ways, its, its);
  }
  return ways;
}

/* Whether its receives are early, and not of messages that were sent before recording began. */
static bool
is_skewed (const Queue *q, GHashTable *ways)
{
  int64_t back = (int64_t) ((uint64_t) q->of.to << 32 | q->of.from), *its;

  if (trace_sends_lost (q->left, q->alone))
    return false;
  if (q->pairs <= MIN (q->left, q->alone) || q->early < (q->pairs + 3) / 4
      || (its = g_hash_table_lookup (ways, &back)) == NULL)
    return true;
  return q->least >= -its[1];
}

GArray *
trace_early_finder_free (TraceEarlyFinder *f)
{
  GArray *early = g_array_new (FALSE, FALSE, sizeof (TraceEarly));
  GHashTable *ways = shortest_ways (f);

  for (uint32_t i = 1; i < f->found->len; i++) {
    const Found *r = found_at (f, i);
    const Queue *q = queue_at (f, r->queue);
    if (r->early.sent != NOT_SENT && is_skewed (q, ways))
      g_array_append_val (early, r->early);
  }
  g_clear_pointer (&ways, g_hash_table_unref);
  trace_queues_clear (&f->how);
  g_array_unref (f->queues);
  g_array_unref (f->spare);
  g_array_unref (f->found);
  g_free (f->acts);
  g_free (f->at);
  g_free (f);
  return early;
}
