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
#include "views/history-sums.h"

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

/* ---- writing: the worker's part ------------------------------------------------------------------------ */

/* What bits the words have, and in *goes_on whether one of a narrow block goes on in the next. */
static uint32_t
look_over (const uint32_t *words, uint32_t n, bool *goes_on)
{
  typedef uint32_t Four __attribute__ ((vector_size (16)));
  Four any = { 0 }, whole = { 0 }, four;
  uint32_t all = 0, escape = GUINT32_TO_LE (escape_of (NARROW)), escapes = 0, i = 0;

  for (; i + 4 <= n; i += 4) {
    memcpy (&four, words + i, sizeof four);
    any |= four;
    whole |= (Four) ((four & escape) == escape);
  }
  for (; i < n; i++) {
    all |= words[i];
    escapes |= (words[i] & escape) == escape;
  }
  for (uint32_t k = 0; k < 4; k++) {
    all |= any[k];
    escapes |= whole[k];
  }
  *goes_on = escapes != 0;
  return GUINT32_FROM_LE (all);
}

static void
history_states_write_records (StatesWriter *w, uint32_t owner, const Owner *o, const Open *open)
{
  HistoryEntry e = {
    .from = open->fresh, .to = o->last, .owner = owner, .count = o->n - o->written, .aux = open->base
  };
  uint32_t escape = escape_of (open->bits);
  bool goes_on;

  if (o->n <= o->written)
    return;
  e.more = open->bits == NARROW ? 0 : open->bits;
  /* no state is higher than the bits of all of them together */
  uint32_t any = look_over (o->words + o->written, o->n - o->written, &goes_on) & escape;
  for (uint32_t i = o->written; i < o->n && any > w->highest; i++) {
    uint32_t state = GUINT32_FROM_LE (o->words[i]) & escape;
    w->highest = state != escape ? MAX (w->highest, state) : w->highest;
  }
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
history_states_add_sums (StatesWriter *w, uint32_t owner, uint32_t level, const Sums *s)
{
  uint8_t bytes[FAN * SUMS_ROOM];
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
    if ((read[i] = history_out_read (&w->out, &t->child[i], bytes + i * SUMS_ROOM)))
      wide |= (t->child[i].more & WIDE_SUMS) != 0;
  for (uint32_t i = 0; i < FAN; i++)
    if (read[i] && wide)
      sums_weigh (w->weights, &t->child[i], bytes + i * SUMS_ROOM);
    else if (read[i])
      parent->mask |= t->child[i].more;
  if (wide)
    sums_choose (parent, w->weights);
  for (uint32_t i = 0; i < FAN; i++)
    if (read[i])
      sums_merge (parent, &t->child[i], bytes + i * SUMS_ROOM);
  history_states_add_sums (w, owner, level + 1, parent);
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

/* Most blocks are narrow, and no word of them is part of another: states are their own slots.  A bucket is all of the
 * state that it begins in; a change gives what is left of its bucket from one state to the other.  `finer`: a tick is a
 * unit or more, as it is of most blocks. */
static inline __attribute__ ((always_inline)) void
add_narrow (const Block *b, Sums *s, bool finer)
{
  uint64_t left = (uint64_t) b->end - (uint64_t) b->open.start, so_far = (uint64_t) b->open.start - (uint64_t) s->zero;
  uint32_t at = units (s, b->open.start), state = GUINT32_FROM_LE (b->was.words[0]) & escape_of (NARROW);
  uint32_t mask = 1u << state, bucket, before;
  uint8_t behind[BUCKETS + 2]; /* the state that a bucket ends in, of those with a change */
  const uint32_t *words = b->was.words, n = b->was.n;
  const int up = s->up, down = s->down;

  memset (behind, STATES_KEPT, s->span.n + 2);
  s->share[0][state] -= at; /* where it begins */
  behind[0] = (uint8_t) state;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t word = GUINT32_FROM_LE (words[i]), coming = word & escape_of (NARROW);
    uint64_t ticks = MIN ((uint64_t) (word >> NARROW), left); /* words that were read back may say anything */
    left -= ticks;
    so_far += ticks;
    at = (uint32_t) (finer ? so_far << up : so_far >> down);
    bucket = at >> UNIT_BITS;
    before = at & (UNIT - 1);
    s->share[bucket][state] += before;
    s->share[bucket][coming] -= before;
    behind[bucket] = (uint8_t) coming;
    mask |= 1u << coming;
    state = coming;
  }
  at = units (s, b->end);
  s->share[at >> UNIT_BITS][state] += at & (UNIT - 1);
  state = behind[0];
  for (uint32_t i = 0; i < at >> UNIT_BITS; i++) {
    state = behind[i] != STATES_KEPT ? behind[i] : state;
    s->share[i][state] += UNIT;
  }
  s->mask |= mask;
}

static void
add_narrow_long (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state)
{
  uint32_t begin = w->unit, end = units (s, to);

  s->mask |= 1u << state;
  sums_add (s, begin, end, state);
  w->unit = end;
}

static void
history_states_weigh (StatesWriter *w, Sums *s, int64_t from, int64_t to, uint32_t state)
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
history_states_work (void *arg, void *item)
{
  StatesWriter *w = arg;
  const Block *b = item;
  uint32_t bits = b->open.bits;
  bool goes_on = false;
  Sums s;

  history_states_write_records (w, b->owner, &b->was, &b->open);
  sums_begin (&s, b->open.start, b->end);
  w->unit = units (&s, b->open.start);
  if (bits == NARROW)
    look_over (b->was.words, b->was.n, &goes_on);
  if (bits == NARROW && goes_on) {
    each_interval (w, b, NARROW, &s, add_narrow_long);
  } else if (bits == NARROW && s.down == 0) {
    add_narrow (b, &s, true);
  } else if (bits == NARROW) {
    add_narrow (b, &s, false);
  } else {
    if (w->slot == NULL)
      w->slot = g_new0 (uint16_t, 1u << WIDE);
    g_array_set_size (w->weights, 0);
    each_interval (w, b, bits, &s, history_states_weigh);
    sums_choose (&s, w->weights);
    for (guint i = 0; i < w->weights->len; i++) {
      uint32_t state = g_array_index (w->weights, Weight, i).state;
      w->slot[state] = (uint16_t) sums_slot (&s, state);
    }
    each_interval (w, b, bits, &s, add_wide);
    for (guint i = 0; i < w->weights->len; i++)
      w->slot[g_array_index (w->weights, Weight, i).state] = 0;
  }
  history_states_add_sums (w, b->owner, 1, &s);
}

/* ---- writing: the engine's part ------------------------------------------------------------------------ */

static void history_states_put (StateKeeper *keeper, uint32_t task, int64_t date, uint32_t state);

static StatesWriter *
history_states_writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  StatesWriter *w = g_new0 (StatesWriter, 1);

  w->keeper.latest = INT64_MIN;
  w->keeper.put = history_states_put;
  if (!history_out_open (&w->out, base, KIND_STATES, 1, place, error)) {
    g_free (w);
    return NULL;
  }
  w->weights = g_array_new (FALSE, FALSE, sizeof (Weight));
  history_queue_begin (&w->queue, sizeof (Block), UNDER_WAY, history_states_work, w);
  return w;
}

StatesWriter *
states_writer_new (const char *base, GError **error)
{
  return history_states_writer_new (base, NULL, error);
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
history_states_close_block (StatesWriter *w, uint32_t owner, int64_t date)
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
history_states_widen (Owner *o, Open *open, uint32_t bits)
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
history_states_add (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  Owner *o = owner < w->keeper.n ? &w->keeper.tracks[owner] : grow_owners (w, owner);
  Open *open = &w->open[owner];

  date = MAX (date, o->last);
  if (date == o->last && o->n > o->written) { /* no time has passed: the last interval was none */
    if (bits_for (state) > open->bits)
      history_states_widen (o, open, bits_for (state));
    uint32_t escape = escape_of (open->bits);
    o->words[o->n - 1] = GUINT32_TO_LE ((GUINT32_FROM_LE (o->words[o->n - 1]) & ~escape) | state);
    return;
  }
  if (o->n >= BLOCK && date > open->start)
    history_states_close_block (w, owner, date);
  if (o->n == o->written)
    begin_words (w, owner, date);
  if (bits_for (state) > open->bits)
    history_states_widen (o, open, bits_for (state));
  add_words (o, open->bits, (uint64_t) date - (uint64_t) o->last, state);
  o->last = date;
  o->end = open->bits == NARROW ? MIN (o->room, BLOCK) : 0;
}

static void
history_states_put (StateKeeper *keeper, uint32_t task, int64_t date, uint32_t state)
{
  history_states_add ((StatesWriter *) keeper, task, date, MIN (state, HISTORY_STATES_MOST));
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
    history_states_write_records (w, i, &w->keeper.tracks[i], &w->open[i]);
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
    history_states_widen (o, open, bits);
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
history_states_replay (StatesWriter *w, const HistoryEntry *e)
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
  StatesWriter *w = history_states_writer_new (base, place, error);

  if (w == NULL)
    return NULL;
  w->keeper.latest = place->n[3];
  if (!history_in_open (&in, base, KIND_STATES, error)) {
    states_writer_free (w);
    return NULL;
  }
  for (guint i = 0; ok && i < in.entries->len; i++)
    ok = history_states_replay (w, &g_array_index (in.entries, HistoryEntry, i));
  w->highest = in.highest;
  ok = ok && in.entries->len == (uint64_t) place->n[0];
  history_in_close (&in);
  if (ok)
    return w;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s.index is damaged; shoot the film again"), base);
  states_writer_free (w);
  return NULL;
}
