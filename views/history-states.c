/* SPDX-License-Identifier: Apache-2.0 */
/* history-states.c - state intervals of each owner, exact, and a pyramid of time spent in each state over
 * them.
 *
 * Records of an owner are 32-bit words, ticks since the word before << 4 | state: an interval lasts until the
 * next word.  Where a state does not fit, the words of the block have 8 or 16 bits for it.  1024 words make a block of
 * sums: its span in at most 256 buckets of 2^k ticks, in each a byte a state for its share of the time, 255 being all
 * of it; 14 states at most are kept apart in a block.  Four blocks make one of the next level.  Records
 * are written when a block is full or when somebody flushes, sums only when their blocks are full, so that
 * flushing often costs little. */
#include "views/history-states.h"
#include "eve/words.h"
#include <string.h>
#include "readers/reader.h"
#include "views/history-queue.h"

typedef struct PyramidLevel { /* of an owner: blocks that wait for their parents */
  HistoryEntry child[FAN];
  uint32_t n;
} PyramidLevel;

typedef struct Pyramid { /* of an owner, by level; the queue's worker has them */
  PyramidLevel *level;
  uint32_t n;
} Pyramid;

/* The words of an owner's open block.  Nobody but us appends the first of a block, or the first behind those that are
 * in the files. */
typedef StateTrack Owner;
_Static_assert(STATE_TICKS_MOST == (UINT32_C (1) << (32 - NARROW)) - 1 && STATES_KEPT == (1 << NARROW) - 1,
               "the form of the file");

typedef struct Open { /* what is known of an open block beside it */
  int64_t start;
  int64_t base, fresh; /* the first word not written counts from base and begins at fresh */
  uint32_t bits;       /* of a state in its words: grows when a state comes that needs more */
} Open;

typedef struct Block { /* a full one, on its way to the worker, with its words */
  Owner was;
  Open open;
  int64_t end;
  uint32_t owner;
} Block;
#define UNDER_WAY 256 /* blocks */

struct StatesWriter {
  StateKeeper keeper; /* first; owners are its tracks */
  Open *open;         /* of each */
  uint32_t room;
  HistoryQueue queue; /* of Block; what follows belongs to its worker */
  HistoryOut out;
  Pyramid *pyramids; /* of each owner */
  uint32_t n_pyramids;
  GArray *weights;  /* of Weight: of the block at hand */
  uint16_t *slot;   /* of a wide block, by state; 0 between two blocks; NULL: there was none yet */
  uint32_t highest; /* state */
  uint32_t unit;    /* where the interval at hand begins */
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

static int
shift_for (int64_t from, int64_t to)
{
  int shift = 0;

  while (buckets_of (from, to, shift) > BUCKETS)
    shift++;
  return shift;
}

/* Time within a block of sums, counted so that every bucket has as much of it; a block has 2^31 at most. */
#define UNIT_BITS 23
#define UNIT (UINT32_C (1) << UNIT_BITS)

typedef struct Sums {
  Span span;
  int64_t zero;  /* where the first bucket would begin if it were whole */
  int up, down;  /* ticks << up >> down: units */
  uint32_t mask; /* a bit for each state; WIDE_SUMS and their number, then `state` says which */
  uint32_t state[SLOTS];
  uint32_t share[BUCKETS + 2][SLOTS + 1]; /* units, by slot; nothing is added behind the last bucket */
} Sums;

static inline uint32_t
units (const Sums *s, int64_t date)
{
  return (uint32_t) (((uint64_t) date - (uint64_t) s->zero) << s->up >> s->down);
}

static void
sums_begin (Sums *s, int64_t from, int64_t to)
{
  int shift = shift_for (from, to);

  s->span = (Span){ from, to, shift, (uint32_t) buckets_of (from, to, shift) };
  s->zero = (int64_t) ((uint64_t) (from >> shift) << shift);
  s->up = MAX (UNIT_BITS - shift, 0);
  s->down = MAX (shift - UNIT_BITS, 0);
  s->mask = 0;
  memset (s->share, 0, (s->span.n + 2) * sizeof s->share[0]);
}

/* Most intervals are shorter than a bucket, and nobody can foretell which of them reach into the next: so nothing
 * branches on it. */
static inline void
sums_add (Sums *s, uint32_t from, uint32_t to, uint32_t slot)
{
  uint32_t a = from >> UNIT_BITS, inside = MIN (to, (a + 1) * UNIT) - from, rest = to - from - inside;

  s->share[a][slot] += inside;
  for (; G_UNLIKELY (rest > UNIT); rest -= UNIT)
    s->share[++a][slot] += UNIT;
  s->share[a + 1][slot] += rest;
}

#define SUMS_BYTES (SLOTS * 4 + BUCKETS * SLOTS) /* at most, encoded */
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
  int32_t left[SLOTS] = { 0 };
  uint32_t n_states = 0, last = s->span.n - 1, state[SLOTS], from = units (s, s->span.from),
           end = units (s, s->span.to);
  uint8_t *to = bytes;

  for (uint32_t rest = s->mask & WIDE_SUMS ? 0 : s->mask; rest != 0; rest &= rest - 1)
    state[n_states++] = (uint32_t) __builtin_ctz (rest);
  for (uint32_t n = s->mask & WIDE_SUMS ? s->mask & ~WIDE_SUMS : 0; n_states < n; n_states++, to += 4) {
    uint32_t id = GUINT32_TO_LE (s->state[n_states]);
    memcpy (to, &id, 4);
    state[n_states] = n_states;
  }
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

/* Time that a state has in a block, to choose those that are kept. */
typedef struct Weight {
  uint32_t state;
  uint64_t time;
} Weight;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Weight *x = a, *y = b;

  return x->time != y->time ? (x->time < y->time ? 1 : -1) : (x->state > y->state) - (x->state < y->state);
}

static int
by_state (gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

/* Chooses the states that a block of sums keeps apart, of those of different numbers that are in it; puts the weights
 * in order of time.  OTHERS stays OTHERS. */
static void
sums_choose (Sums *s, GArray *weights)
{
  uint32_t n = 0, kept;
  bool others = false, wide = false;

  g_array_sort (weights, by_time);
  for (guint i = 0; i < weights->len; i++) {
    uint32_t state = g_array_index (weights, Weight, i).state;
    others |= state == OTHERS;
    wide |= state >= SLOTS;
  }
  if (!wide) {
    for (guint i = 0; i < weights->len; i++)
      s->mask |= 1u << g_array_index (weights, Weight, i).state;
    return;
  }
  others |= weights->len > SLOTS;
  kept = others ? SLOTS - 1 : SLOTS;
  for (guint i = 0; i < weights->len && n < kept; i++)
    if (g_array_index (weights, Weight, i).state != OTHERS)
      s->state[n++] = g_array_index (weights, Weight, i).state;
  qsort (s->state, n, sizeof *s->state, by_state);
  if (others)
    s->state[n++] = OTHERS;
  s->mask = WIDE_SUMS | n;
}

/* Where the shares of a state are added. */
static uint32_t
slot_of (const Sums *s, uint32_t state)
{
  uint32_t n = s->mask & ~WIDE_SUMS, k = 0;

  if (!(s->mask & WIDE_SUMS))
    return state;
  while (k < n - 1 && s->state[k] != state)
    k++;
  return k; /* the last is that of the others, or it is this one */
}

static void
sums_merge (Sums *s, const HistoryEntry *c, const uint8_t *bytes)
{
  Span of = { c->from, c->to, (int) c->aux, c->count };
  uint32_t at = units (s, c->from), n_states = sums_slots (c), slot[SLOTS];

  bytes = sums_states (c, bytes, slot);
  for (uint32_t k = 0; k < n_states; k++)
    slot[k] = slot_of (s, slot[k]);
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t end = units (s, bucket_to (&of, i)), *share = s->share[at >> UNIT_BITS], width = end - at;
    for (uint32_t k = 0; k < n_states; k++)
      share[slot[k]] += *bytes++ * width / 255;
    at = end;
  }
}

static void
add_weight (GArray *weights, uint32_t state, uint64_t time)
{
  for (guint i = 0; i < weights->len; i++)
    if (g_array_index (weights, Weight, i).state == state) {
      g_array_index (weights, Weight, i).time += time;
      return;
    }
  g_array_append_val (weights, ((Weight){ state, time }));
}

/* The same for a child of a block: what its shares say, as long as its buckets are. */
static void
weigh_sums (GArray *weights, const HistoryEntry *c, const uint8_t *bytes)
{
  Span of = { c->from, c->to, (int) c->aux, c->count };
  uint32_t n_states = sums_slots (c), state[SLOTS];
  double time[SLOTS] = { 0 };

  bytes = sums_states (c, bytes, state);
  for (uint32_t i = 0; i < c->count; i++) {
    double width = (double) (bucket_to (&of, i) - bucket_from (&of, i)) / 255;
    for (uint32_t k = 0; k < n_states; k++)
      time[k] += *bytes++ * width;
  }
  for (uint32_t k = 0; k < n_states; k++)
    add_weight (weights, state[k], (uint64_t) time[k]);
}

/* ---- writing: the worker's part ------------------------------------------------------------------------ */

static void
write_records (StatesWriter *w, uint32_t owner, const Owner *o, const Open *open)
{
  HistoryEntry e = {
    .from = open->fresh, .to = o->last, .owner = owner, .count = o->n - o->written, .aux = open->base
  };

  uint32_t escape = escape_of (open->bits);

  e.more = open->bits == NARROW ? 0 : open->bits;
  uint32_t any = 0; /* of the bits of all states: none of them is higher */
  for (uint32_t i = o->written; i < o->n; i++)
    any |= o->words[i];
  for (uint32_t i = o->written; i < o->n && (GUINT32_FROM_LE (any) & escape) > w->highest; i++) {
    uint32_t state = GUINT32_FROM_LE (o->words[i]) & escape;
    w->highest = state != escape ? MAX (w->highest, state) : w->highest;
  }
  if (o->n > o->written)
    history_out_add (&w->out, &e, o->words + o->written, (o->n - o->written) * 4);
}

static Pyramid *
pyramid_of (StatesWriter *w, uint32_t owner)
{
  if (owner >= w->n_pyramids) {
    uint32_t n = MAX (owner + 1, w->n_pyramids * 2);
    w->pyramids = g_renew (Pyramid, w->pyramids, n);
    memset (w->pyramids + w->n_pyramids, 0, (n - w->n_pyramids) * sizeof *w->pyramids);
    w->n_pyramids = n;
  }
  return &w->pyramids[owner];
}

static PyramidLevel *
add_child (Pyramid *of, const HistoryEntry *e)
{
  PyramidLevel *t;

  if (e->level > of->n) {
    of->level = g_renew (PyramidLevel, of->level, e->level);
    of->level[e->level - 1].n = 0;
    of->n = e->level;
  }
  t = &of->level[e->level - 1];
  t->child[t->n++] = *e;
  return t;
}

static void
add_sums (StatesWriter *w, uint32_t owner, uint32_t level, const Sums *s)
{
  uint8_t bytes[FAN * SUMS_BYTES];
  bool read[FAN], wide = false;
  HistoryEntry e = { .from = s->span.from,
                     .to = s->span.to,
                     .owner = owner,
                     .level = level,
                     .count = s->span.n,
                     .aux = s->span.shift,
                     .more = s->mask };
  Sums *parent;
  PyramidLevel *t;

  if (!history_out_add (&w->out, &e, bytes, sums_encode (s, bytes)))
    return;
  t = add_child (pyramid_of (w, owner), &e);
  if (t->n < FAN)
    return;
  t->n = 0;
  if (level == LEVELS)
    return;
  parent = g_new (Sums, 1);
  sums_begin (parent, t->child[0].from, t->child[FAN - 1].to);
  g_array_set_size (w->weights, 0);
  for (uint32_t i = 0; i < FAN; i++)
    if ((read[i] = history_out_read (&w->out, &t->child[i], bytes + i * SUMS_BYTES)))
      wide |= (t->child[i].more & WIDE_SUMS) != 0;
  for (uint32_t i = 0; i < FAN; i++)
    if (read[i] && wide)
      weigh_sums (w->weights, &t->child[i], bytes + i * SUMS_BYTES);
    else if (read[i])
      parent->mask |= t->child[i].more;
  if (wide)
    sums_choose (parent, w->weights);
  for (uint32_t i = 0; i < FAN; i++)
    if (read[i])
      sums_merge (parent, &t->child[i], bytes + i * SUMS_BYTES);
  add_sums (w, owner, level + 1, parent);
  g_free (parent);
}

/* The intervals of a block in order, until its end. */
typedef void (*EachInterval) (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state);

static inline __attribute__ ((always_inline)) void
each_interval (StatesWriter *w, const Block *b, uint32_t bits, Sums *s, EachInterval each)
{
  int64_t at = b->open.start;
  uint64_t so_far = 0, ticks;
  uint32_t state = 0, coming;
  bool first = true;

  for (uint32_t i = 0; i < b->was.n; i++) {
    if (!word_take (GUINT32_FROM_LE (b->was.words[i]), bits, &so_far, &ticks, &coming))
      continue;
    if (!first) { /* words that were read back may say anything */
      int64_t next = at + (int64_t) MIN (ticks, (uint64_t) b->end - (uint64_t) at);
      each (w, s, at, next, state);
      at = next;
    }
    first = false;
    state = coming;
  }
  each (w, s, at, b->end, state);
}

/* States of a narrow block are their own slots, and which there are is seen in passing. */
static inline void
add_narrow (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state)
{
  uint32_t begin = w->unit, end = units (s, to);

  s->mask |= 1u << state;
  sums_add (s, begin, end, state);
  w->unit = end;
}

static void
weigh (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state)
{
  if (w->slot[state] == 0) {
    g_array_append_val (w->weights, ((Weight){ state, 0 }));
    w->slot[state] = (uint16_t) w->weights->len;
  }
  g_array_index (w->weights, Weight, w->slot[state] - 1).time += (uint64_t) to - (uint64_t) from;
}

static void
add_wide (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state)
{
  uint32_t begin = w->unit, end = units (s, to);

  sums_add (s, begin, end, w->slot[state]);
  w->unit = end;
}

static void
work (void *arg, void *item)
{
  StatesWriter *w = arg;
  const Block *b = item;
  uint32_t bits = b->open.bits;
  Sums s;

  write_records (w, b->owner, &b->was, &b->open);
  sums_begin (&s, b->open.start, b->end);
  w->unit = units (&s, b->open.start);
  if (bits == NARROW) {
    each_interval (w, b, NARROW, &s, add_narrow);
  } else {
    if (w->slot == NULL)
      w->slot = g_new0 (uint16_t, 1u << WIDE);
    g_array_set_size (w->weights, 0);
    each_interval (w, b, bits, &s, weigh);
    sums_choose (&s, w->weights);
    for (guint i = 0; i < w->weights->len; i++) {
      uint32_t state = g_array_index (w->weights, Weight, i).state;
      w->slot[state] = (uint16_t) slot_of (&s, state);
    }
    each_interval (w, b, bits, &s, add_wide);
    for (guint i = 0; i < w->weights->len; i++)
      w->slot[g_array_index (w->weights, Weight, i).state] = 0;
  }
  add_sums (w, b->owner, 1, &s);
}

/* ---- writing: the engine's part ------------------------------------------------------------------------ */

static void put (StateKeeper *keeper, uint32_t task, int64_t date, uint32_t state);

static StatesWriter *
writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  StatesWriter *w = g_new0 (StatesWriter, 1);

  w->keeper.latest = INT64_MIN;
  w->keeper.put = put;
  if (!history_out_open (&w->out, base, KIND_STATES, 1, place, error)) {
    g_free (w);
    return NULL;
  }
  w->weights = g_array_new (FALSE, FALSE, sizeof (Weight));
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
  for (uint32_t i = 0; i < w->keeper.n; i++)
    g_free (w->keeper.tracks[i].words);
  for (uint32_t i = 0; i < w->n_pyramids; i++)
    g_free (w->pyramids[i].level);
  g_free (w->keeper.tracks);
  g_free (w->open);
  g_free (w->pyramids);
  g_free (w->slot);
  g_array_unref (w->weights);
  history_out_close (&w->out);
  g_free (w);
}

/* The open block is full and ends at `date`: it goes to the worker, and words that are done with come back. */
static void
close_block (StatesWriter *w, uint32_t owner, int64_t date)
{
  Block *b = history_queue_next (&w->queue);
  Owner *o = &w->keeper.tracks[owner], spare = b->was;

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
    w->keeper.tracks = g_renew (Owner, w->keeper.tracks, w->room);
    w->open = g_renew (Open, w->open, w->room);
  }
  memset (w->open + w->keeper.n, 0, (owner + 1 - w->keeper.n) * sizeof *w->open);
  for (uint32_t i = w->keeper.n; i <= owner; i++)
    w->keeper.tracks[i] = (Owner){ .last = INT64_MIN };
  w->keeper.n = owner + 1;
  return &w->keeper.tracks[owner];
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
  Owner *o = &w->keeper.tracks[owner];
  Open *open = &w->open[owner];

  if (o->n == 0) {
    open->start = o->last = date;
    open->bits = NARROW;
  }
  open->base = o->last;
  open->fresh = date;
}

/* Appends `ticks` and `state` in the form of that many bits. */
static void
add_words (Owner *o, uint32_t bits, uint64_t ticks, uint32_t state)
{
  uint32_t part = 32 - bits, escape = escape_of (bits), more = part;

  while (more < 64 && ticks >> more != 0)
    more += part;
  for (more -= part; more > 0; more -= part)
    add_word (o, (uint32_t) (ticks >> more) << bits | escape);
  add_word (o, (uint32_t) ticks << bits | state);
}

/* Appends n words, in the file's byte order, whose states have `was` bits, in the form of `bits`.  False: the last of
 * them does not end. */
static bool
recode (Owner *o, uint32_t bits, const uint32_t *words, uint32_t n, uint32_t was)
{
  uint64_t so_far = 0, ticks;
  uint32_t state;
  bool ends = true;

  for (uint32_t i = 0; i < n; i++)
    if ((ends = word_take (GUINT32_FROM_LE (words[i]), was, &so_far, &ticks, &state)))
      add_words (o, bits, ticks, state);
  return ends;
}

/* The words of the open block get so many bits for a state; what is in the file stays as it is. */
static void
widen (Owner *o, Open *open, uint32_t bits)
{
  Owner old = *o;

  o->words = NULL;
  o->n = o->room = 0;
  recode (o, bits, old.words, old.written, open->bits);
  o->written = o->n;
  if (old.n > old.written)
    recode (o, bits, old.words + old.written, old.n - old.written, open->bits);
  open->bits = bits;
  o->end = 0; /* states of a wide block come to add() one by one */
  g_free (old.words);
}

static uint32_t
bits_for (uint32_t state)
{
  return state < escape_of (NARROW) ? NARROW : state < escape_of (8) ? 8 : WIDE;
}

static void
add (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  Owner *o = owner < w->keeper.n ? &w->keeper.tracks[owner] : grow_owners (w, owner);
  Open *open = &w->open[owner];

  date = MAX (date, o->last);
  if (date == o->last && o->n > o->written) { /* no time has passed: the last interval was none */
    if (bits_for (state) > open->bits)
      widen (o, open, bits_for (state));
    uint32_t escape = escape_of (open->bits);
    o->words[o->n - 1] = GUINT32_TO_LE ((GUINT32_FROM_LE (o->words[o->n - 1]) & ~escape) | state);
    return;
  }
  if (o->n >= BLOCK && date > open->start)
    close_block (w, owner, date);
  if (o->n == o->written)
    begin_words (w, owner, date);
  if (bits_for (state) > open->bits)
    widen (o, open, bits_for (state));
  add_words (o, open->bits, (uint64_t) date - (uint64_t) o->last, state);
  o->last = date;
  o->end = open->bits == NARROW ? MIN (o->room, BLOCK) : 0;
}

static void
put (StateKeeper *keeper, uint32_t task, int64_t date, uint32_t state)
{
  add ((StatesWriter *) keeper, task, date, MIN (state, HISTORY_STATES_MOST));
}

StateKeeper *
states_writer_keeper (StatesWriter *w)
{
  return &w->keeper;
}

/* The state that an owner is in already is nothing new. */
void
states_writer_push_changes (StatesWriter *w, const StateChange *c, uint32_t n)
{
  int64_t latest = w->keeper.latest;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t owner = c[i].object, state = (uint32_t) MIN ((uint64_t) c[i].new_value, HISTORY_STATES_MOST);
    const Owner *o = owner < w->keeper.n ? &w->keeper.tracks[owner] : NULL;
    if (o == NULL || o->n == 0 || (GUINT32_FROM_LE (o->words[o->n - 1]) & escape_of (w->open[owner].bits)) != state)
      state_keeper_put (&w->keeper, owner, c[i].date, state);
    latest = MAX (latest, c[i].date);
  }
  w->keeper.latest = latest;
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
  e.to = MAX (reach, w->keeper.latest);

  for (uint32_t i = 0; i < w->keeper.n; i++) {
    write_records (w, i, &w->keeper.tracks[i], &w->open[i]);
    w->keeper.tracks[i].written = w->keeper.tracks[i].n;
    w->keeper.tracks[i].end = 0;
  }
  e.more = w->highest;
  history_out_add (&w->out, &e, NULL, 0);
  return history_out_flush (&w->out, error);
}

HistoryPlace
states_writer_place (const StatesWriter *w)
{
  return history_out_place (&w->out, w->keeper.latest);
}

/* Entries of one block may have different bits: a state came that needed more.  In memory all have the most. */
static bool
replay_records (StatesWriter *w, const HistoryEntry *e, Owner *o)
{
  Open *open = &w->open[e->owner];
  uint32_t bits = bits_of (e);
  g_autofree uint32_t *words = NULL;

  if (!states_entry_fits (e, o->last) || o->n > WORDS_MOST) /* no block grows for ever */
    return false;
  if (o->n == 0) {
    open->start = e->from;
    open->bits = NARROW;
  }
  if (bits > open->bits)
    widen (o, open, bits);
  words = g_new (uint32_t, e->count);
  if (!history_out_read (&w->out, e, words))
    return false;
  if (!recode (o, open->bits, words, e->count, bits))
    return false;
  o->written = o->n;
  o->last = e->to;
  return true;
}

/* The children of a block of sums are done with.  False: it cannot be theirs. */
static bool
replay_children (PyramidLevel *t, const HistoryEntry *e)
{
  bool ok = t->n == FAN && e->from == t->child[0].from && e->to == t->child[FAN - 1].to;

  t->n = 0;
  return ok;
}

/* The same for the records below a block of level 1. */
static bool
replay_block (Owner *o, const Open *open, const HistoryEntry *e)
{
  bool ok = o->n > 0 && e->from == open->start && e->to >= o->last;

  o->n = o->written = 0;
  o->last = e->to;
  return ok;
}

/* Takes up an entry of the index: what the writer had in memory after it. */
static bool
replay (StatesWriter *w, const HistoryEntry *e)
{
  Owner *o;
  Pyramid *pyramid;

  if (e->level == HISTORY_REACH)
    return true;
  if (e->owner >= OWNERS_MOST || e->level > LEVELS)
    return false;
  o = e->owner < w->keeper.n ? &w->keeper.tracks[e->owner] : grow_owners (w, e->owner);
  if (e->level == 0)
    return replay_records (w, e, o);
  if (!states_entry_fits (e, INT64_MIN)) /* where it begins, those below it say */
    return false;
  pyramid = pyramid_of (w, e->owner);
  if (e->level == 1 ? !replay_block (o, &w->open[e->owner], e)
                    : e->level - 1 > pyramid->n || !replay_children (&pyramid->level[e->level - 2], e))
    return false;
  if (e->level <= pyramid->n && pyramid->level[e->level - 1].n == FAN)
    return false;
  add_child (pyramid, e);
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
  w->keeper.latest = place->n[3];
  if (!history_in_open (&in, base, KIND_STATES, error)) {
    states_writer_free (w);
    return NULL;
  }
  for (guint i = 0; ok && i < in.entries->len; i++)
    ok = replay (w, &g_array_index (in.entries, HistoryEntry, i));
  w->highest = in.highest;
  ok = ok && in.entries->len == (uint64_t) place->n[0];
  history_in_close (&in);
  if (ok)
    return w;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s.index is damaged; shoot the film again"), base);
  states_writer_free (w);
  return NULL;
}
