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

typedef struct Towers { /* of an owner, by level; the queue's worker has them */
  Tower *tower;
  uint32_t n;
} Towers;

/* The words of an owner's open block.  Nobody but us appends the first of a block, or the first behind those that are
 * in the files. */
typedef StateTrack Owner;
_Static_assert(STATE_TICKS_MOST == PART_MASK && STATES_KEPT == HISTORY_STATES_MAX, "the form of the file");

typedef struct Open { /* what is known of an open block beside it */
  int64_t start;
  int64_t base, fresh; /* the first word not written counts from base and begins at fresh */
} Open;

typedef struct Block { /* a full one, on its way to the worker, with its words */
  Owner was;
  Open open;
  int64_t end;
  uint32_t owner;
} Block;
#define UNDER_WAY 256 /* blocks */

struct StatesWriter {
  StateTaker taker; /* first; owners are its tracks */
  Open *open;       /* of each */
  uint32_t room;
  HistoryQueue queue; /* of Block; what follows belongs to its worker */
  HistoryOut out;
  Towers *towers; /* of each owner */
  uint32_t n_towers;
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

/* Time within a block of sums, counted so that every bucket has as much of it; a block has 2^31 at most. */
#define UNIT_BITS 23
#define UNIT (UINT32_C (1) << UNIT_BITS)

typedef struct Sums {
  Span span;
  int64_t zero; /* where the first bucket would begin if it were whole */
  int up, down; /* ticks << up >> down: units */
  uint32_t mask;
  uint32_t share[BUCKETS + 2][HISTORY_STATES_MAX + 1]; /* units; nothing is added behind the last bucket */
} Sums;

static inline uint32_t
units (const Sums *s, int64_t date)
{
  return (uint32_t) ((uint64_t) (date - s->zero) << s->up >> s->down);
}

static void
sums_begin (Sums *s, int64_t from, int64_t to)
{
  int shift = shift_for (from, to);

  s->span = (Span){ from, to, shift, buckets_of (from, to, shift) };
  s->zero = from >> shift << shift;
  s->up = MAX (UNIT_BITS - shift, 0);
  s->down = MAX (shift - UNIT_BITS, 0);
  s->mask = 0;
  memset (s->share, 0, (s->span.n + 2) * sizeof s->share[0]);
}

/* Most intervals are shorter than a bucket, and nobody can foretell which of them reach into the next: so nothing
 * branches on it. */
static inline void
sums_add (Sums *s, uint32_t from, uint32_t to, uint32_t state)
{
  uint32_t a = from >> UNIT_BITS, inside = MIN (to, (a + 1) * UNIT) - from, rest = to - from - inside;

  s->share[a][state] += inside;
  for (; G_UNLIKELY (rest > UNIT); rest -= UNIT)
    s->share[++a][state] += UNIT;
  s->share[a + 1][state] += rest;
}

#define LEFT_MOST (255 * 65536) /* more is left only where units are missing, as of children that are damaged */

/* A bucket's units to bytes whose sum is 255.  What rounding leaves (in parts of 2^16) goes on to the next state and to
 * the next bucket, so that over time nothing is lost, however small its share. */
static inline uint8_t *
bucket_encode (const uint32_t *share, const uint32_t *state, uint32_t n_states, uint32_t width, int32_t *left,
               uint8_t *to)
{
  int32_t sum = 1 << 15, before = 0;

  for (uint32_t k = 0; k < n_states; k++) {
    uint32_t of = share[state[k]] * 255;
    int32_t part = left[k]
                   + (int32_t) (width == UNIT ? of >> (UNIT_BITS - 16) : ((uint64_t) of << 16) / MAX (width, 1)),
            now;
    sum += part;
    now = k == n_states - 1 ? 255 : CLAMP (sum >> 16, before, 255);
    *to++ = (uint8_t) (now - before);
    left[k] = CLAMP (part - (now - before) * 65536, -LEFT_MOST, LEFT_MOST);
    before = now;
  }
  return to;
}

static inline uint8_t *
whole_buckets_encode (const Sums *s, const uint32_t *state, uint32_t n_states, int32_t *left, uint8_t *to)
{
  for (uint32_t i = 1; i + 1 < s->span.n; i++)
    to = bucket_encode (s->share[i], state, n_states, UNIT, left, to);
  return to;
}

static uint32_t
sums_encode (const Sums *s, uint8_t *bytes)
{
  int32_t left[HISTORY_STATES_MAX] = { 0 };
  uint32_t n_states = 0, last = s->span.n - 1, state[HISTORY_STATES_MAX], from = units (s, s->span.from),
           end = units (s, s->span.to);
  uint8_t *to = bytes;

  for (uint32_t rest = s->mask; rest != 0; rest &= rest - 1)
    state[n_states++] = (uint32_t) __builtin_ctz (rest);
  to = bucket_encode (s->share[0], state, n_states, (last == 0 ? end : UNIT) - from, left, to);
  switch (n_states) { /* loops of so many steps are unrolled */
  case 3:
    to = whole_buckets_encode (s, state, 3, left, to);
    break;
  case 4:
    to = whole_buckets_encode (s, state, 4, left, to);
    break;
  case 5:
    to = whole_buckets_encode (s, state, 5, left, to);
    break;
  default:
    to = whole_buckets_encode (s, state, n_states, left, to);
  }
  if (last > 0)
    to = bucket_encode (s->share[last], state, n_states, end - last * UNIT, left, to);
  return (uint32_t) (to - bytes);
}

static void
sums_merge (Sums *s, const HistoryEntry *c, const uint8_t *bytes)
{
  Span of = { c->from, c->to, (int) c->aux, c->count };
  uint32_t at = units (s, c->from), n_states = 0, state[HISTORY_STATES_MAX];

  s->mask |= c->more;
  for (uint32_t rest = c->more; rest != 0; rest &= rest - 1)
    state[n_states++] = (uint32_t) __builtin_ctz (rest);
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t end = units (s, bucket_to (&of, i)), *share = s->share[at >> UNIT_BITS], width = end - at;
    for (uint32_t k = 0; k < n_states; k++)
      share[state[k]] += *bytes++ * width / 255;
    at = end;
  }
}

/* ---- writing: the worker's part ------------------------------------------------------------------------ */

static void
write_records (StatesWriter *w, uint32_t owner, const Owner *o, const Open *open)
{
  HistoryEntry e = {
    .from = open->fresh, .to = o->last, .owner = owner, .count = o->n - o->written, .aux = open->base
  };

  if (o->n > o->written)
    history_out_add (&w->out, &e, o->words + o->written, (o->n - o->written) * 4);
}

static Towers *
towers_of (StatesWriter *w, uint32_t owner)
{
  if (owner >= w->n_towers) {
    uint32_t n = MAX (owner + 1, w->n_towers * 2);
    w->towers = g_renew (Towers, w->towers, n);
    memset (w->towers + w->n_towers, 0, (n - w->n_towers) * sizeof *w->towers);
    w->n_towers = n;
  }
  return &w->towers[owner];
}

static Tower *
add_child (Towers *of, const HistoryEntry *e)
{
  Tower *t;

  if (e->level > of->n) {
    of->tower = g_renew (Tower, of->tower, e->level);
    of->tower[e->level - 1].n = 0;
    of->n = e->level;
  }
  t = &of->tower[e->level - 1];
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
  t = add_child (towers_of (w, owner), &e);
  if (t->n < FAN)
    return;
  t->n = 0;
  if (level == LEVELS)
    return;
  parent = g_new (Sums, 1);
  sums_begin (parent, t->child[0].from, t->child[FAN - 1].to);
  for (uint32_t i = 0; i < FAN; i++)
    if (history_out_read (&w->out, &t->child[i], bytes))
      sums_merge (parent, &t->child[i], bytes);
  add_sums (w, owner, level + 1, parent);
  g_free (parent);
}

static void
work (void *arg, void *item)
{
  StatesWriter *w = arg;
  const Block *b = item;
  Sums s;
  int64_t at = b->open.start, delta = 0;
  uint32_t state = 0, begin, end;
  bool first = true;

  write_records (w, b->owner, &b->was, &b->open);
  sums_begin (&s, at, b->end);
  begin = units (&s, at);
  for (uint32_t i = 0; i < b->was.n; i++) {
    uint32_t word = GUINT32_FROM_LE (b->was.words[i]);
    delta = delta << PART_BITS | word >> 4;
    if (G_UNLIKELY ((word & 15u) == ESCAPE))
      continue;
    if (!first) { /* words that were read back may say anything */
      at += (int64_t) MIN ((uint64_t) delta, (uint64_t) (b->end - at));
      end = units (&s, at);
      s.mask |= 1u << state;
      sums_add (&s, begin, end, state);
      begin = end;
    }
    first = false;
    state = word & 15u;
    delta = 0;
  }
  s.mask |= 1u << state;
  sums_add (&s, begin, units (&s, b->end), state);
  add_sums (w, b->owner, 1, &s);
}

/* ---- writing: the engine's part ------------------------------------------------------------------------ */

static void put (StateTaker *taker, uint32_t task, int64_t date, uint32_t state);

static StatesWriter *
writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  StatesWriter *w = g_new0 (StatesWriter, 1);

  w->taker.latest = INT64_MIN;
  w->taker.put = put;
  if (!history_out_open (&w->out, base, KIND_STATES, place, error)) {
    g_free (w);
    return NULL;
  }
  history_queue_begin (&w->queue, sizeof (Block), UNDER_WAY, work, w);
  return w;
}

StatesWriter *
states_writer_new (const char *base, GError **error)
{
  return writer_new (base, NULL, error);
}

static void
free_words (void *item)
{
  g_free (((Block *) item)->was.words);
}

void
states_writer_free (StatesWriter *w)
{
  if (w == NULL)
    return;
  history_queue_end (&w->queue, free_words);
  for (uint32_t i = 0; i < w->taker.n; i++)
    g_free (w->taker.tracks[i].words);
  for (uint32_t i = 0; i < w->n_towers; i++)
    g_free (w->towers[i].tower);
  g_free (w->taker.tracks);
  g_free (w->open);
  g_free (w->towers);
  history_out_close (&w->out);
  g_free (w);
}

/* The open block is full and ends at `date`: it goes to the worker, and words that are done with come back. */
static void
close_block (StatesWriter *w, uint32_t owner, int64_t date)
{
  Block *b = history_queue_next (&w->queue);
  Owner *o = &w->taker.tracks[owner], spare = b->was;

  *b = (Block){ .was = *o, .open = w->open[owner], .end = date, .owner = owner };
  history_queue_put (&w->queue);
  o->words = spare.words;
  o->room = spare.room;
  o->n = o->written = o->end = 0;
}

static Owner *
grow_owners (StatesWriter *w, uint32_t owner)
{
  if (owner >= w->room) {
    w->room = MAX (owner + 1, w->room * 2);
    w->taker.tracks = g_renew (Owner, w->taker.tracks, w->room);
    w->open = g_renew (Open, w->open, w->room);
  }
  memset (w->open + w->taker.n, 0, (owner + 1 - w->taker.n) * sizeof *w->open);
  for (uint32_t i = w->taker.n; i <= owner; i++)
    w->taker.tracks[i] = (Owner){ .last = INT64_MIN };
  w->taker.n = owner + 1;
  return &w->taker.tracks[owner];
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
  Owner *o = &w->taker.tracks[owner];
  Open *open = &w->open[owner];

  if (o->n == 0)
    open->start = o->last = date;
  open->base = o->last;
  open->fresh = date;
}

static void
add (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  Owner *o = owner < w->taker.n ? &w->taker.tracks[owner] : grow_owners (w, owner);
  uint64_t ticks;

  date = MAX (date, o->last);
  if (date == o->last && o->n > o->written) { /* no time has passed: the last interval was none */
    o->words[o->n - 1] = GUINT32_TO_LE ((GUINT32_FROM_LE (o->words[o->n - 1]) & ~15u) | state);
    return;
  }
  if (o->n >= BLOCK && date > w->open[owner].start)
    close_block (w, owner, date);
  if (o->n == o->written)
    begin_words (w, owner, date);
  ticks = (uint64_t) date - (uint64_t) o->last;
  if (ticks >> 2 * PART_BITS)
    add_word (o, (uint32_t) (ticks >> 2 * PART_BITS) << 4 | ESCAPE);
  if (ticks >> PART_BITS)
    add_word (o, (uint32_t) (ticks >> PART_BITS & PART_MASK) << 4 | ESCAPE);
  add_word (o, (uint32_t) (ticks & PART_MASK) << 4 | state);
  o->last = date;
  o->end = MIN (o->room, BLOCK);
}

static void
put (StateTaker *taker, uint32_t task, int64_t date, uint32_t state)
{
  add ((StatesWriter *) taker, task, date, MIN (state, HISTORY_STATES_MAX - 1));
}

StateTaker *
states_writer_taker (StatesWriter *w)
{
  return &w->taker;
}

/* The state that an owner is in already is nothing new. */
void
states_writer_push_changes (StatesWriter *w, const StateChange *c, uint32_t n)
{
  int64_t latest = w->taker.latest;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t owner = c[i].object, state = (uint32_t) MIN ((uint64_t) c[i].new_value, HISTORY_STATES_MAX - 1);
    const Owner *o = owner < w->taker.n ? &w->taker.tracks[owner] : NULL;
    if (o == NULL || o->n == 0 || (GUINT32_FROM_LE (o->words[o->n - 1]) & 15u) != state)
      state_taker_put (&w->taker, owner, c[i].date, state);
    latest = MAX (latest, c[i].date);
  }
  w->taker.latest = latest;
}

void
states_writer_push (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  states_writer_push_changes (w, &(StateChange){ .object = owner, .date = date, .new_value = state }, 1);
}

bool
states_writer_flush (StatesWriter *w, int64_t reach, GError **error)
{
  HistoryEntry e = { .level = HISTORY_REACH };

  history_queue_wait (&w->queue);
  e.to = MAX (reach, w->taker.latest);

  for (uint32_t i = 0; i < w->taker.n; i++) {
    write_records (w, i, &w->taker.tracks[i], &w->open[i]);
    w->taker.tracks[i].written = w->taker.tracks[i].n;
    w->taker.tracks[i].end = 0;
  }
  history_out_add (&w->out, &e, NULL, 0);
  return history_out_flush (&w->out, error);
}

HistoryPlace
states_writer_place (const StatesWriter *w)
{
  return history_out_place (&w->out, w->taker.latest);
}

/* Takes up an entry of the index: what the writer had in memory after it. */
static bool
replay (StatesWriter *w, const HistoryEntry *e)
{
  Owner *o;
  Towers *towers;

  if (e->level == HISTORY_REACH)
    return true;
  if (e->owner >= OWNERS_MOST || e->level > LEVELS)
    return false;
  o = e->owner < w->taker.n ? &w->taker.tracks[e->owner] : grow_owners (w, e->owner);
  if (e->level == 0) {
    if (e->bytes != e->count * 4 || e->count == 0 || o->n + e->count > BLOCK + 8)
      return false;
    if (o->n == 0)
      w->open[e->owner].start = e->from;
    while (o->room < o->n + e->count)
      grow_words (o);
    if (!history_out_read (&w->out, e, o->words + o->n))
      return false;
    o->n += e->count;
    o->written = o->n;
    o->last = e->to;
    return (GUINT32_FROM_LE (o->words[o->n - 1]) & 15u) < HISTORY_STATES_MAX;
  }
  if (e->count == 0 || e->count > BUCKETS || e->bytes > BUCKETS * HISTORY_STATES_MAX)
    return false;
  towers = towers_of (w, e->owner);
  if (e->level == 1)
    o->n = o->written = 0;
  else if (e->level - 1 > towers->n || towers->tower[e->level - 2].n != FAN)
    return false;
  else
    towers->tower[e->level - 2].n = 0;
  if (e->level <= towers->n && towers->tower[e->level - 1].n == FAN)
    return false;
  add_child (towers, e);
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
  w->taker.latest = place->n[3];
  if (!history_in_open (&in, base, KIND_STATES, error)) {
    states_writer_free (w);
    return NULL;
  }
  for (guint i = 0; ok && i < in.entries->len; i++)
    ok = replay (w, &g_array_index (in.entries, HistoryEntry, i));
  ok = ok && in.entries->len == (uint64_t) place->n[0];
  history_in_close (&in);
  if (ok)
    return w;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s.index is damaged; shoot the film again", base);
  states_writer_free (w);
  return NULL;
}
