/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - receives that are dated before their send: early.h says which these are. */
#include <string.h>

#include "readers/early-private.h"
#include "readers/pair.h"
#include "readers/reader.h"

#define MOST_QUEUES (1u << 20)
#define MOST_FOUND (1u << 21)
#define MOST_SAMPLED (1u << 20) /* halves of messages, of all samples */
#define NOT_SENT TRACE_NEVER_SENT

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
  bool has = false, keyed = false; /* a key tells messages apart by itself: what else is told is no group */

  for (uint32_t f = 0; f < k->n_fields; f++) {
    has |= k->fields[f].role == TRACE_ROLE_OBJECT;
    keyed |= k->fields[f].role == TRACE_ROLE_KEY;
  }
  has = has && !keyed;
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
  if (!e || e->sent == TRACE_NEVER_SENT)
    return false;
  if (sent)
    *sent = trace_date (s, e->sent);
  return true;
}

bool
trace_has_no_send (const TraceSource *s, const TraceEvent *receive)
{
  if (G_LIKELY (!s || s->early == NULL || s->early->len == 0))
    return false;
  const TraceEarly *e = trace_early_find (s->early, receive->number);
  return e && e->sent == TRACE_NEVER_SENT;
}

/* ---- finding ------------------------------------------------------------------------------------------------------------ */

typedef EarlyQueue Queue;

typedef struct Found {
  TraceEarly early;
  int64_t received;
  uint32_t next, queue; /* of its queue, the next that waits */
  bool again;           /* found the second time */
} Found;

/* What events of a kind do, as far as it matters here. */
enum { SENDS = 1, SENDS_TO_MANY = 2, RECEIVES = 4, BORN = 8, DIES = 16, DOES = 32 };

typedef struct Life { /* dates of what a task does first and last */
  int64_t first, last;
  bool any;
} Life;

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
  uint32_t n_sampled;
  GArray *lives; /* of Life, by task */
  bool again;
  TraceMatched matched;
  GByteArray *dead; /* by task; empty: none is */
};

#define FIRST_TABLE 256u
#define MANY_QUEUES (1u << 16) /* from then on those of which nothing is to be known are let go */

static uint8_t
early_acts_of (const TraceKind *k, bool all)
{
  uint16_t acts = trace_acts (k);
  bool does = all && acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_CALL | TRACE_ACT_ENTER | TRACE_ACT_LEAVE);

  return (uint8_t) ((acts & TRACE_ACT_SEND ? SENDS : 0) | (acts & TRACE_ACT_MULTICAST ? SENDS_TO_MANY : 0)
                    | (acts & TRACE_ACT_RECEIVE ? RECEIVES : 0) | (acts & TRACE_ACT_BIRTH ? BORN : 0)
                    | (acts & TRACE_ACT_DEATH ? DIES : 0) | (does ? DOES : 0));
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
  f->dead = g_byte_array_new ();
  f->lives = g_array_new (FALSE, TRUE, sizeof (Life));
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
    f->acts[i] = early_acts_of (&s->kinds[i], true);
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
  f->acts[i] = early_acts_of (k, false);
}

const uint8_t *
trace_early_finder_wants (const TraceEarlyFinder *f)
{
  return f->acts;
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
early_home_of (const TraceEarlyFinder *f, const TraceQueue *q)
{
  uint64_t pair = (uint64_t) q->from << 32 | q->to, rest = (uint64_t) q->object << 32 | (uint32_t) q->tag;

  return pair_hash_of (pair + rest * UINT64_C (0xff51afd7ed558ccd)) & f->mask;
}

static void
early_grow (TraceEarlyFinder *f)
{
  uint32_t *old = f->at, n = f->mask + 1;

  f->mask = 2 * n - 1;
  f->at = g_new0 (uint32_t, 2 * (gsize) n);
  for (uint32_t i = 0; i < n; i++) {
    if (old[i] == 0)
      continue;
    uint32_t to = early_home_of (f, &queue_at (f, old[i] - 1)->of);
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
  uint32_t i = early_home_of (f, q);

  while (f->at[i] != 0 && !trace_queue_is (&queue_at (f, f->at[i] - 1)->of, q))
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
    early_grow (f);
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

static void
free_sample (Queue *q)
{
  if (!q->sample)
    return;
  g_array_unref (q->sample->sends);
  g_array_unref (q->sample->receives);
  g_clear_pointer (&q->sample, g_free);
}

/* One that is as if it had never been.  Those that had to go past its place move up. */
static void
early_let_go (TraceEarlyFinder *f, uint32_t queue)
{
  uint32_t hole = look_for (f, &queue_at (f, queue)->of);

  for (uint32_t i = (hole + 1) & f->mask; f->at[i] != 0; i = (i + 1) & f->mask) {
    uint32_t home = early_home_of (f, &queue_at (f, f->at[i] - 1)->of);
    if (((i - home) & f->mask) >= ((i - hole) & f->mask)) {
      f->at[hole] = f->at[i];
      hole = i;
    }
  }
  f->at[hole] = 0;
  f->n_queues--;
  free_sample (queue_at (f, queue));
  g_array_append_val (f->spare, queue);
}

static inline void
early_take_sample (TraceEarlyFinder *f, Queue *q, bool receive, int64_t date, uint64_t size)
{
  if (G_UNLIKELY (!q->sample)) {
    if (f->n_sampled >= MOST_SAMPLED || q->pairs + q->sent + q->alone > 0)
      return;
    q->sample = g_new (EarlySample, 1);
    q->sample->sends = g_array_new (FALSE, FALSE, sizeof (EarlyHalf));
    q->sample->receives = g_array_new (FALSE, FALSE, sizeof (EarlyHalf));
  }
  GArray *to = receive ? q->sample->receives : q->sample->sends;
  if (to->len < EARLY_SAMPLE) {
    const EarlyHalf h = { date, size };
    g_array_append_val (to, h);
    f->n_sampled++;
  }
}

static void
early_note_send (TraceEarlyFinder *f, const TraceQueue *of, int64_t date, uint64_t size)
{
  uint32_t i = queue_of (f, of);

  if (i == TRACE_NONE)
    return;
  Queue *q = queue_at (f, i);
  early_take_sample (f, q, false, date, size);
  q->any_sent = true;
  q->left++;
  q->last_sent = date;
  if (G_LIKELY (q->first == 0)) {
    q->head = q->sent == 0 ? date : q->head;
    q->sent++;
    return;
  }
  Found *r = found_at (f, q->first);
  r->early.sent = date;
  q->pairs++;
  q->early++;
  q->least = MIN (q->least, early_way (date, r->received));
  q->first = r->next;
}

static void
note_found (TraceEarlyFinder *f, uint32_t queue, uint64_t number, int64_t date, bool wait)
{
  Queue *q = queue_at (f, queue);

  if (f->found->len > MOST_FOUND)
    return;
  const Found new = { .early = { number, NOT_SENT }, .received = date, .queue = queue, .again = f->again };
  if (wait) {
    *(q->first ? &found_at (f, q->last)->next : &q->first) = f->found->len;
    q->last = f->found->len;
  }
  g_array_append_val (f->found, new);
}

static void
note_receive (TraceEarlyFinder *f, const TraceQueue *of, const TraceEvent *e, uint64_t number)
{
  uint32_t i = queue_of (f, of);

  if (i == TRACE_NONE)
    return;
  Queue *q = queue_at (f, i);
  early_take_sample (f, q, true, e->date, TRACE_SIZE (e));
  if (q->left > 0)
    q->left--;
  else
    q->alone++;
  if (!q->any_sent)
    q->leading++;
  if (q->sent > 0) {
    q->sent--;
    q->pairs++;
    if (q->head != NOT_SENT)
      q->least = MIN (q->least, early_way (q->head, e->date));
    q->head = NOT_SENT;
    if (f->n_queues > MANY_QUEUES && q->sent == 0 && q->left == 0 && q->alone == 0)
      early_let_go (f, i);
  } else
    note_found (f, i, number, e->date, true);
}

/* The second time, only those that are shifted. */
static void
send_again (TraceEarlyFinder *f, const TraceQueue *of, int64_t date)
{
  uint32_t at = f->at[look_for (f, of)];
  Queue *q = at ? queue_at (f, at - 1) : NULL;

  if (!q || q->reading != EARLY_SHIFTED)
    return;
  if (q->first == 0) {
    q->sent++;
    return;
  }
  Found *r = found_at (f, q->first);
  r->early.sent = date;
  q->first = r->next;
}

static void
receive_again (TraceEarlyFinder *f, const TraceQueue *of, uint64_t number, int64_t date)
{
  uint32_t at = f->at[look_for (f, of)];
  Queue *q = at ? queue_at (f, at - 1) : NULL;

  if (!q || q->reading != EARLY_SHIFTED)
    return;
  if (q->skip > 0) {
    q->skip--;
    note_found (f, at - 1, number, date, false);
  } else if (q->sent > 0)
    q->sent--;
  else
    note_found (f, at - 1, number, date, true);
}

/* What a task does that is dead nobody looks at, until it is born again. */
static inline bool
is_of_dead (TraceEarlyFinder *f, const TraceEvent *e, uint8_t acts)
{
  bool dead = G_UNLIKELY (e->task < f->dead->len) && f->dead->data[e->task] != 0;

  if (dead && acts & BORN) {
    f->dead->data[e->task] = 0;
    dead = false;
  }
  if (G_UNLIKELY (acts & DIES) && !dead) {
    *trace_byte_of (f->dead, e->task) = true;
  }
  return dead;
}

static inline void
note_life (TraceEarlyFinder *f, const TraceEvent *e)
{
  if (G_UNLIKELY (e->task >= f->lives->len))
    g_array_set_size (f->lives, e->task + 1);
  Life *l = &g_array_index (f->lives, Life, e->task);
  l->first = l->any ? l->first : e->date;
  l->last = e->date;
  l->any = true;
}

void
trace_early_finder_event (TraceEarlyFinder *f, const TraceEvent *e, uint64_t number)
{
  uint8_t acts = f->acts[e->kind];

  if (acts == 0 || is_of_dead (f, e, acts) || !(acts & (DOES | SENDS | RECEIVES)))
    return;
  if (G_UNLIKELY (f->grows)) {
    f->to_many |= (acts & SENDS_TO_MANY) != 0;
    if (f->to_many)
      return;
    if (!f->began)
      f->how.by_group = __atomic_load_n (&f->by_group, __ATOMIC_RELAXED);
    f->began = true;
  }
  if (!f->grows && !f->again)
    note_life (f, e);
  if (acts & SENDS && !(e->flags & TRACE_END)) {
    bool multicast = acts & SENDS_TO_MANY;
    uint32_t n;
    const uint32_t *to = trace_sent_to (e, multicast, &n);
    for (uint32_t i = 0; i < n; i++) {
      const TraceQueue q = trace_queue (&f->how, e, e->task, to[i]);
      if (trace_reaches (e, multicast, to[i]))
        f->again ? send_again (f, &q, e->date) : early_note_send (f, &q, e->date, TRACE_SIZE (e));
    }
  }
  if (acts & RECEIVES && e->flags & (TRACE_END | TRACE_INSTANT) && trace_received (e)) {
    const TraceQueue q = trace_queue (&f->how, e, e->peer, e->task);
    f->again ? receive_again (f, &q, number, e->date) : note_receive (f, &q, e, number);
  }
}

/* ---- judging ------------------------------------------------------------------------------------------------------------ */

bool
trace_early_finder_again (TraceEarlyFinder *f)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  bool shifted = false;

  for (uint32_t i = 0; i <= f->mask; i++) {
    Queue *q = f->at[i] ? queue_at (f, f->at[i] - 1) : NULL;
    if (!q)
      continue;
    q->anywhere = f->grows;
    q->began = q->of.to < f->lives->len ? g_array_index (f->lives, Life, q->of.to).first : 0;
    q->ended = q->of.from < f->lives->len ? g_array_index (f->lives, Life, q->of.from).last : 0;
    g_ptr_array_add (all, q);
  }
  early_judge ((EarlyQueue **) all->pdata, all->len, &f->matched);
  for (guint i = 0; i < all->len; i++) {
    Queue *q = all->pdata[i];
    if (q->reading != EARLY_SHIFTED)
      continue;
    shifted = true;
    q->sent = 0;
    q->first = q->last = 0;
  }
  f->again = true;
  g_byte_array_set_size (f->dead, 0);
  return shifted;
}

bool
trace_early_finder_holds (TraceEarlyFinder *f, const TraceSource *s)
{
  TraceQueues all;

  if (f->to_many || s->n_kinds > f->how.n_kinds || f->found->len > 1)
    return false;
  trace_queues_bind (&all, s);
  bool same = !f->began || all.by_group == f->how.by_group;
  for (uint32_t i = 0; i < s->n_kinds && same; i++)
    same = f->acts[i] == early_acts_of (&s->kinds[i], false) && f->how.tags[i] == all.tags[i];
  trace_queues_clear (&all);
  return same && !trace_early_finder_again (f) && f->matched.cut + f->matched.untold == 0;
}

static int
early_by_number (const void *a, const void *b)
{
  const TraceEarly *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

GArray *
trace_early_finder_free (TraceEarlyFinder *f, TraceMatched *matched)
{
  GArray *early = g_array_new (FALSE, FALSE, sizeof (TraceEarly));
  bool twice = false;

  for (uint32_t i = 1; i < f->found->len; i++) {
    const Found *r = found_at (f, i);
    const Queue *q = queue_at (f, r->queue);
    if (q->reading == EARLY_BY_NUMBER ? r->early.sent != NOT_SENT : q->reading == EARLY_SHIFTED && r->again) {
      g_array_append_val (early, r->early);
      twice |= r->again;
    }
  }
  if (twice)
    g_array_sort (early, early_by_number);
  if (matched)
    *matched = f->matched;
  for (guint i = 0; i < f->queues->len; i++)
    free_sample (queue_at (f, i));
  trace_queues_clear (&f->how);
  g_array_unref (f->queues);
  g_array_unref (f->spare);
  g_array_unref (f->found);
  g_byte_array_unref (f->dead);
  g_array_unref (f->lives);
  g_free (f->acts);
  g_free (f->at);
  g_free (f);
  return early;
}
