/* SPDX-License-Identifier: Apache-2.0 */
/* history-states.c - state intervals of each owner, exact, and a pyramid of time spent in each state over
 * them.
 *
 * Records of an owner are 32-bit words, ticks since the word before << 4 | state: an interval lasts until the
 * next word. 1024 of them make a block of sums: its span in at most 256 buckets of 2^k ticks, in each a byte
 * a state for its share of the time, 255 being all of it.  Four blocks make one of the next level.  Records
 * are written when a block is full or when somebody flushes, sums only when their blocks are full, so that
 * flushing often costs little. */
#include "views/history-states.h"
#include <string.h>
#include "readers/reader.h"
#include "views/history-queue.h"

typedef struct Tower { /* of an owner: blocks that wait for their parents */
  HistoryEntry child[FAN];
  uint32_t n;
} Tower;

typedef struct Owner {       /* what a change needs, in half a cache line */
  uint32_t *words;           /* of the open block, little endian */
  int64_t last;              /* date of the last change */
  uint32_t n, room, written; /* words; of them in the files */
  uint8_t state;
  bool any;
} Owner;
_Static_assert(sizeof (Owner) <= 32, "half a cache line");

typedef struct Rest {  /* of what is known of an owner */
  int64_t start;       /* of the open block */
  int64_t base, fresh; /* the first word not written counts from base and begins at fresh */
  Tower *towers;       /* by level */
  uint32_t n_levels;
} Rest;

/* A change on its way to the thread: eight bytes, as memory is what handing over costs.  With ESCAPE in the place of a state, the
 * next is a date, from which those behind it count. */
typedef union Pushed {
  struct {
    uint32_t after;    /* ticks since the one before */
    uint32_t of_state; /* owner << 4 | state */
  };
  int64_t date;
} Pushed;
_Static_assert(sizeof (Pushed) == 8, "eight bytes");

struct StatesWriter {
  int64_t pushed;     /* date of the last */
  HistoryQueue queue; /* of Pushed; all below belongs to its worker */
  int64_t taken;      /* date of the last */
  bool escaped;       /* the next is a date */
  HistoryOut out;
  Owner *owners;
  Rest *rest; /* of each */
  uint32_t n_owners, room;
  int64_t latest;
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

static int
shift_for (int64_t from, int64_t to)
{
  int shift = 0;

  while (((to - 1) >> shift) - (from >> shift) >= BUCKETS)
    shift++;
  return shift;
}

typedef struct Sums {
  Span span;
  uint32_t mask;
  float share[BUCKETS][HISTORY_STATES_MAX + 1]; /* of the bucket's part of the span */
} Sums;

static void
sums_begin (Sums *s, int64_t from, int64_t to)
{
  s->span.from = from;
  s->span.to = to;
  s->span.shift = shift_for (from, to);
  s->span.n = buckets_of (from, to, s->span.shift);
  s->mask = 0;
  memset (s->share, 0, s->span.n * sizeof s->share[0]);
}

static inline void
sums_add (Sums *s, int64_t from, int64_t to, uint32_t state)
{
  int64_t first = s->span.from >> s->span.shift;
  uint32_t a = (uint32_t)((from >> s->span.shift) - first),
           b = (uint32_t)(((to - 1) >> s->span.shift) - first);

  s->mask |= 1u << state;
  if (a == b) {
    s->share[a][state] += (float)(to - from);
    return;
  }
  s->share[a][state] += (float)(((first + a + 1) << s->span.shift) - from);
  for (uint32_t i = a + 1; i < b; i++)
    s->share[i][state] += (float)(INT64_C (1) << s->span.shift);
  s->share[b][state] += (float)(to - ((first + b) << s->span.shift));
}

/* Ticks to bytes whose sum is 255.  What rounding leaves goes on to the next state and to the next bucket, so
 * that over time nothing is lost, however small its share. */
static uint32_t
sums_encode (const Sums *s, uint8_t *to)
{
  float left[HISTORY_STATES_MAX] = { 0 };
  uint32_t n = 0;

  for (uint32_t i = 0; i < s->span.n; i++) {
    float scale = 255.0f / (float)(bucket_to (&s->span, i) - bucket_from (&s->span, i)), sum = 0.5f;
    int before = 0;
    for (uint32_t states = s->mask; states != 0; states &= states - 1) {
      uint32_t state = (uint32_t)__builtin_ctz (states);
      float share = s->share[i][state] * scale + left[state];
      sum += share;
      int now = CLAMP ((int)sum, before, 255);
      if (states == (states & -states))
        now = 255;
      to[n++] = (uint8_t)(now - before);
      left[state] = share - (float)(now - before);
      before = now;
    }
  }
  return n;
}

static void
sums_merge (Sums *s, const HistoryEntry *c, const uint8_t *bytes)
{
  int64_t first = s->span.from >> s->span.shift;
  Span of = { c->from, c->to, (int)c->aux, c->count };

  s->mask |= c->more;
  for (uint32_t i = 0; i < c->count; i++) {
    int64_t from = bucket_from (&of, i);
    float scale = (float)(bucket_to (&of, i) - from) / 255.0f;
    float *share = s->share[(from >> s->span.shift) - first];
    for (uint32_t left = c->more; left != 0; left &= left - 1)
      share[__builtin_ctz (left)] += (float)*bytes++ * scale;
  }
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void work (void *w, const void *data, uint32_t n);

static StatesWriter *
writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  StatesWriter *w = g_new0 (StatesWriter, 1);

  w->latest = INT64_MIN;
  if (!history_out_open (&w->out, base, KIND_STATES, place, error)) {
    g_free (w);
    return NULL;
  }
  history_queue_begin (&w->queue, sizeof (Pushed), work, w);
  return w;
}

StatesWriter *
states_writer_new (const char *base, GError **error)
{
  return writer_new (base, NULL, error);
}

void
states_writer_free (StatesWriter *w)
{
  if (w == NULL)
    return;
  history_queue_end (&w->queue);
  for (uint32_t i = 0; i < w->n_owners; i++) {
    g_free (w->owners[i].words);
    g_free (w->rest[i].towers);
  }
  g_free (w->owners);
  g_free (w->rest);
  history_out_close (&w->out);
  g_free (w);
}

static void
write_records (StatesWriter *w, uint32_t owner)
{
  Owner *o = &w->owners[owner];
  const Rest *rest = &w->rest[owner];
  HistoryEntry e
      = { .from = rest->fresh, .to = o->last, .owner = owner, .count = o->n - o->written, .aux = rest->base };

  if (o->n == o->written)
    return;
  history_out_add (&w->out, &e, o->words + o->written, (o->n - o->written) * 4);
  o->written = o->n;
}

static Tower *
add_child (Rest *o, const HistoryEntry *e)
{
  Tower *t;

  if (e->level > o->n_levels) {
    o->towers = g_renew (Tower, o->towers, e->level);
    o->towers[e->level - 1].n = 0;
    o->n_levels = e->level;
  }
  t = &o->towers[e->level - 1];
  t->child[t->n++] = *e;
  return t;
}

static void
add_sums (StatesWriter *w, uint32_t owner, uint32_t level, const Sums *s)
{
  uint8_t bytes[BUCKETS * HISTORY_STATES_MAX];
  HistoryEntry e = { .from = s->span.from,
                     .to = s->span.to,
                     .owner = owner,
                     .level = level,
                     .count = s->span.n,
                     .aux = s->span.shift,
                     .more = s->mask };
  Sums *parent;
  Tower *t;

  if (!history_out_add (&w->out, &e, bytes, sums_encode (s, bytes)))
    return;
  t = add_child (&w->rest[owner], &e);
  if (t->n < FAN)
    return;
  t->n = 0;
  if (level == LEVELS)
    return;
  parent = g_new (Sums, 1);
  sums_begin (parent, t->child[0].from, t->child[FAN - 1].to);
  for (uint32_t i = 0; i < FAN; i++)
    if (history_out_read (&w->out, HISTORY_SUMS, t->child[i].offset, bytes, t->child[i].bytes))
      sums_merge (parent, &t->child[i], bytes);
  add_sums (w, owner, level + 1, parent);
  g_free (parent);
}

/* The open block is full and ends at `date`. */
static void
close_block (StatesWriter *w, uint32_t owner, int64_t date)
{
  Owner *o = &w->owners[owner];
  Sums s;
  int64_t at = w->rest[owner].start, delta = 0;
  uint32_t state = 0;
  bool first = true;

  write_records (w, owner);
  sums_begin (&s, at, date);
  for (uint32_t i = 0; i < o->n; i++) {
    uint32_t word = GUINT32_FROM_LE (o->words[i]);
    delta = delta << PART_BITS | word >> 4;
    if ((word & 15u) == ESCAPE)
      continue;
    if (!first && delta > 0)
      sums_add (&s, at, at + delta, state);
    at += first ? 0 : delta;
    first = false;
    state = word & 15u;
    delta = 0;
  }
  if (date > at)
    sums_add (&s, at, date, state);
  add_sums (w, owner, 1, &s);
  o->n = o->written = 0;
}

static Owner *
grow_owners (StatesWriter *w, uint32_t owner)
{
  if (owner >= w->room) {
    w->room = MAX (owner + 1, w->room * 2);
    w->owners = g_renew (Owner, w->owners, w->room);
    w->rest = g_renew (Rest, w->rest, w->room);
  }
  memset (w->owners + w->n_owners, 0, (owner + 1 - w->n_owners) * sizeof *w->owners);
  memset (w->rest + w->n_owners, 0, (owner + 1 - w->n_owners) * sizeof *w->rest);
  w->n_owners = owner + 1;
  return &w->owners[owner];
}

static void
grow_words (Owner *o)
{
  o->room = o->room == 0 ? 32 : o->room * 2;
  o->words = g_renew (uint32_t, o->words, o->room);
}

static inline void
add_word (Owner *o, uint32_t word)
{
  if (G_UNLIKELY (o->n == o->room))
    grow_words (o);
  o->words[o->n++] = GUINT32_TO_LE (word);
}

/* The word to come is the first of its block, or the first since all was written. */
static void
begin_words (StatesWriter *w, uint32_t owner, int64_t date)
{
  Owner *o = &w->owners[owner];
  Rest *rest = &w->rest[owner];

  if (o->n == 0)
    rest->start = o->last = date;
  rest->base = o->last;
  rest->fresh = date;
}

static inline void
add (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  Owner *o = G_LIKELY (owner < w->n_owners) ? &w->owners[owner] : grow_owners (w, owner);
  uint64_t delta;

  w->latest = MAX (w->latest, date);
  if (G_UNLIKELY (!o->any))
    o->last = date;
  else if (state == o->state)
    return;
  o->state = (uint8_t)state;
  date = MAX (date, o->last);
  if (G_UNLIKELY (date == o->last
                  && o->n > o->written)) { /* no time has passed: the last interval was none */
    o->words[o->n - 1] = GUINT32_TO_LE ((GUINT32_FROM_LE (o->words[o->n - 1]) & ~15u) | state);
    return;
  }
  if (G_UNLIKELY (o->n >= BLOCK) && date > w->rest[owner].start)
    close_block (w, owner, date);
  if (G_UNLIKELY (o->n == o->written))
    begin_words (w, owner, date);
  delta = (uint64_t)date - (uint64_t)o->last;
  if (G_UNLIKELY (delta >> PART_BITS)) {
    if (delta >> 2 * PART_BITS)
      add_word (o, (uint32_t)(delta >> 2 * PART_BITS) << 4 | ESCAPE);
    add_word (o, (uint32_t)(delta >> PART_BITS & PART_MASK) << 4 | ESCAPE);
  }
  add_word (o, (uint32_t)(delta & PART_MASK) << 4 | state);
  o->any = true;
  o->last = date;
}

static void
work (void *arg, const void *data, uint32_t n)
{
  StatesWriter *w = arg;

  for (const Pushed *p = data, *end = p + n; p < end; p++) {
    if (G_UNLIKELY (w->escaped)) {
      w->taken = p->date;
      w->escaped = false;
    } else if (G_UNLIKELY ((p->of_state & 15u) == ESCAPE)) {
      w->escaped = true;
    } else {
      w->taken += p->after;
      add (w, p->of_state >> 4, w->taken, p->of_state & 15u);
    }
  }
}

void
states_writer_push (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  uint64_t after = (uint64_t)date - (uint64_t)w->pushed;
  Pushed *p = history_queue_put (&w->queue);

  if (G_UNLIKELY (after > UINT32_MAX)) { /* or it lies before */
    *p = (Pushed){ .of_state = ESCAPE };
    p = history_queue_put (&w->queue);
    *p = (Pushed){ .date = date };
    p = history_queue_put (&w->queue);
    after = 0;
  }
  *p = (Pushed){ .after = (uint32_t)after, .of_state = owner << 4 | MIN (state, HISTORY_STATES_MAX - 1) };
  w->pushed = date;
}

void
states_writer_push_changes (StatesWriter *w, const StateChange *c, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    states_writer_push (w, c[i].object, c[i].date, (uint32_t)c[i].new_value);
}

bool
states_writer_flush (StatesWriter *w, int64_t reach, GError **error)
{
  HistoryEntry e = { .level = HISTORY_REACH };

  history_queue_wait (&w->queue);
  e.to = MAX (reach, w->latest);

  for (uint32_t i = 0; i < w->n_owners; i++)
    write_records (w, i);
  history_out_add (&w->out, &e, NULL, 0);
  return history_out_flush (&w->out, error);
}

HistoryPlace
states_writer_place (const StatesWriter *w)
{
  return history_out_place (&w->out, w->latest);
}

/* Takes up an entry of the index: what the writer had in memory after it. */
static bool
replay (StatesWriter *w, const HistoryEntry *e)
{
  Owner *o;
  Rest *rest;

  if (e->level == HISTORY_REACH)
    return true;
  if (e->owner > 1u << 26 || e->level > LEVELS)
    return false;
  o = e->owner < w->n_owners ? &w->owners[e->owner] : grow_owners (w, e->owner);
  rest = &w->rest[e->owner];
  if (e->level == 0) {
    if (e->bytes != e->count * 4 || e->count == 0 || o->n + e->count > BLOCK + 8)
      return false;
    if (o->n == 0)
      rest->start = e->from;
    while (o->room < o->n + e->count)
      grow_words (o);
    if (!history_out_read (&w->out, HISTORY_RECORDS, e->offset, o->words + o->n, e->bytes))
      return false;
    o->n += e->count;
    o->written = o->n;
    o->last = e->to;
    o->state = GUINT32_FROM_LE (o->words[o->n - 1]) & 15u;
    o->any = true;
    return o->state < HISTORY_STATES_MAX;
  }
  if (e->count == 0 || e->count > BUCKETS || e->bytes > BUCKETS * HISTORY_STATES_MAX)
    return false;
  if (e->level == 1)
    o->n = o->written = 0;
  else if (e->level - 1 > rest->n_levels || rest->towers[e->level - 2].n != FAN)
    return false;
  else
    rest->towers[e->level - 2].n = 0;
  if (e->level <= rest->n_levels && rest->towers[e->level - 1].n == FAN)
    return false;
  add_child (rest, e);
  return true;
}

StatesWriter *
states_writer_restore (const char *base, const HistoryPlace *place, GError **error)
{
  HistoryIn in;
  bool ok = true;
  StatesWriter *w = writer_new (base, place, error);

  if (w == NULL)
    return NULL;
  w->latest = place->n[3];
  if (!history_in_open (&in, base, KIND_STATES, error)) {
    states_writer_free (w);
    return NULL;
  }
  for (guint i = 0; ok && i < in.entries->len; i++)
    ok = replay (w, &g_array_index (in.entries, HistoryEntry, i));
  ok = ok && in.entries->len == (uint64_t)place->n[0];
  history_in_close (&in);
  if (ok)
    return w;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s.index is damaged; shoot the film again", base);
  states_writer_free (w);
  return NULL;
}
