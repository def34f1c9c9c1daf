/* SPDX-License-Identifier: Apache-2.0 */
/* history-states.c - state intervals of each owner, exact, and a pyramid of time spent in each state over
 * them.
 *
 * Records of an owner are 32-bit words, ticks since the word before << 4 | state: an interval lasts until the
 * next word. 1024 of them make a block of sums: its span in at most 256 buckets of 2^k ticks, in each a byte
 * a state for its share of the time, 255 being all of it.  Four blocks make one of the next level.  Records
 * are written when a block is full or when somebody flushes, sums only when their blocks are full, so that
 * flushing often costs little. */
#include "views/history.h"
#include <string.h>
#include "readers/reader.h"

#define KIND_STATES 1
#define BLOCK 1024 /* words a block of sums */
#define BUCKETS 256
#define FAN 4
#define LEVELS 24
#define ESCAPE 15u /* in the place of a state: the next word goes on */
#define PART_BITS 28
#define PART_MASK ((UINT64_C (1) << PART_BITS) - 1)

typedef struct Tower { /* of an owner: blocks that wait for their parents */
  HistoryEntry child[FAN];
  uint32_t n;
} Tower;

typedef struct Owner {
  uint32_t *words;           /* of the open block, little endian */
  uint32_t n, room, written; /* so many, of them in the files */
  uint32_t n_levels;
  uint8_t state;
  bool any;
  int64_t start, last; /* of the open block; of the last change */
  int64_t base, fresh; /* the first word not written counts from base and begins at fresh */
  Tower *towers;       /* by level */
} Owner;

struct StatesWriter {
  HistoryOut out;
  Owner *owners;
  uint32_t n_owners, room;
  int64_t latest;
};

/* ---- sums
 * ------------------------------------------------------------------------------------------------------- */

/* Buckets of a span that begins at `from`. */
static uint32_t
buckets_of (int64_t from, int64_t to, int shift)
{
  return (uint32_t)(((to - 1) >> shift) - (from >> shift) + 1);
}

static int
shift_for (int64_t from, int64_t to)
{
  int shift = 0;

  while (((to - 1) >> shift) - (from >> shift) >= BUCKETS)
    shift++;
  return shift;
}

typedef struct Span {
  int64_t from, to;
  int shift;
  uint32_t n; /* buckets */
} Span;

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

static inline int64_t
bucket_from (const Span *s, uint32_t i)
{
  return i == 0 ? s->from : ((s->from >> s->shift) + i) << s->shift;
}

static inline int64_t
bucket_to (const Span *s, uint32_t i)
{
  return i == s->n - 1 ? s->to : ((s->from >> s->shift) + i + 1) << s->shift;
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

/* ---- writing
 * ---------------------------------------------------------------------------------------------------- */

static StatesWriter *
writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  StatesWriter *w = g_new0 (StatesWriter, 1);

  w->latest = INT64_MIN;
  if (history_out_open (&w->out, base, KIND_STATES, place, error))
    return w;
  g_free (w);
  return NULL;
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
  for (uint32_t i = 0; i < w->n_owners; i++) {
    g_free (w->owners[i].words);
    g_free (w->owners[i].towers);
  }
  g_free (w->owners);
  history_out_close (&w->out);
  g_free (w);
}

static void
write_records (StatesWriter *w, uint32_t owner)
{
  Owner *o = &w->owners[owner];
  HistoryEntry e
      = { .from = o->fresh, .to = o->last, .owner = owner, .count = o->n - o->written, .aux = o->base };

  if (o->n == o->written)
    return;
  history_out_add (&w->out, &e, o->words + o->written, (o->n - o->written) * 4);
  o->written = o->n;
}

static Tower *
add_child (Owner *o, const HistoryEntry *e)
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
  Owner *o = &w->owners[owner];
  Sums *parent;
  Tower *t;

  if (!history_out_add (&w->out, &e, bytes, sums_encode (s, bytes)))
    return;
  t = add_child (o, &e);
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
  int64_t at = o->start, delta = 0;
  uint32_t state = 0;
  bool first = true;

  write_records (w, owner);
  sums_begin (&s, o->start, date);
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
  }
  memset (w->owners + w->n_owners, 0, (owner + 1 - w->n_owners) * sizeof *w->owners);
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

void
states_writer_push (StatesWriter *w, uint32_t owner, int64_t date, uint32_t state)
{
  Owner *o = G_LIKELY (owner < w->n_owners) ? &w->owners[owner] : grow_owners (w, owner);
  uint64_t delta;

  state = MIN (state, HISTORY_STATES_MAX - 1);
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
  if (G_UNLIKELY (o->n >= BLOCK) && date > o->start)
    close_block (w, owner, date);
  if (o->n == 0)
    o->start = o->last = date;
  if (o->n == o->written) {
    o->base = o->last;
    o->fresh = date;
  }
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

bool
states_writer_flush (StatesWriter *w, int64_t reach, GError **error)
{
  HistoryEntry e = { .level = HISTORY_REACH, .to = MAX (reach, w->latest) };

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

  if (e->level == HISTORY_REACH)
    return true;
  if (e->owner > 1u << 26 || e->level > LEVELS)
    return false;
  o = e->owner < w->n_owners ? &w->owners[e->owner] : grow_owners (w, e->owner);
  if (e->level == 0) {
    if (e->bytes != e->count * 4 || e->count == 0 || o->n + e->count > BLOCK + 8)
      return false;
    if (o->n == 0)
      o->start = e->from;
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
  else if (e->level - 1 > o->n_levels || o->towers[e->level - 2].n != FAN)
    return false;
  else
    o->towers[e->level - 2].n = 0;
  if (e->level <= o->n_levels && o->towers[e->level - 1].n == FAN)
    return false;
  add_child (o, e);
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

/* ---- reading
 * ---------------------------------------------------------------------------------------------------- */

typedef struct Line { /* blocks of an owner, by level; indices into the entries */
  GArray *level[LEVELS + 1];
  uint32_t n_levels;
} Line;

struct StatesReader {
  HistoryIn in;
  GPtrArray *lines; /* of Line *, or NULL */
  uint64_t sorted;  /* entries that are in lines */
  int64_t end;      /* of the execution */
};

static void
line_free (gpointer p)
{
  Line *l = p;

  for (int i = 0; l != NULL && i <= LEVELS; i++)
    if (l->level[i] != NULL)
      g_array_unref (l->level[i]);
  g_free (l);
}

StatesReader *
states_reader_open (const char *base, GError **error)
{
  StatesReader *r = g_new0 (StatesReader, 1);

  if (!history_in_open (&r->in, base, KIND_STATES, error)) {
    g_free (r);
    return NULL;
  }
  r->lines = g_ptr_array_new_with_free_func (line_free);
  r->end = INT64_MAX;
  states_reader_refresh (r);
  return r;
}

void
states_reader_free (StatesReader *r)
{
  if (r == NULL)
    return;
  history_in_close (&r->in);
  g_ptr_array_unref (r->lines);
  g_free (r);
}

static inline HistoryEntry *
entry (const StatesReader *r, uint32_t i)
{
  return &g_array_index (r->in.entries, HistoryEntry, i);
}

void
states_reader_refresh (StatesReader *r)
{
  if (!history_in_refresh (&r->in)) {
    g_ptr_array_set_size (r->lines, 0);
    r->sorted = 0;
  }
  for (; r->sorted < r->in.entries->len; r->sorted++) {
    uint32_t i = (uint32_t)r->sorted;
    const HistoryEntry *e = entry (r, i);
    Line *l;
    if (e->level > LEVELS || e->owner > 1u << 26 || e->to < e->from)
      continue;
    if (e->level > 0
        && (e->aux < 0 || e->aux > 62 || e->count > BUCKETS || e->to == e->from || e->count == 0
            || buckets_of (e->from, e->to, (int)e->aux) != e->count || e->more >> HISTORY_STATES_MAX
            || e->bytes != e->count * (uint32_t)__builtin_popcount (e->more)))
      continue;
    if (e->owner >= r->lines->len)
      g_ptr_array_set_size (r->lines, (int)e->owner + 1);
    l = r->lines->pdata[e->owner];
    if (l == NULL)
      l = r->lines->pdata[e->owner] = g_new0 (Line, 1);
    if (l->level[e->level] == NULL)
      l->level[e->level] = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    g_array_append_val (l->level[e->level], i);
    l->n_levels = MAX (l->n_levels, e->level);
  }
}

uint32_t
states_reader_owners (const StatesReader *r)
{
  return r->lines->len;
}

int64_t
states_reader_reach (const StatesReader *r)
{
  return r->in.reach;
}

void
states_reader_set_end (StatesReader *r, int64_t end)
{
  r->end = end;
}

const char *
states_reader_problem (const StatesReader *r)
{
  return history_in_problem (&r->in);
}

/* The first block that does not end before `date` and may hold it: for records the last that begins at or
 * before it. */
static guint
find_block (const StatesReader *r, const GArray *blocks, int64_t date, bool records)
{
  guint low = 0, high = blocks->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    const HistoryEntry *e = entry (r, g_array_index (blocks, uint32_t, mid));
    if (records ? e->from <= date : e->to <= date)
      low = mid + 1;
    else
      high = mid;
  }
  return records && low > 0 ? low - 1 : low;
}

typedef bool (*Each) (void *arg, int64_t from, int64_t to, uint32_t state);

/* Exact intervals that touch [from, to). */
static bool
each_record (StatesReader *r, const Line *l, int64_t from, int64_t to, Each each, void *arg)
{
  const GArray *blocks = l->level[0];

  if (blocks == NULL)
    return true;
  for (guint i = find_block (r, blocks, from, true); i < blocks->len; i++) {
    HistoryEntry *e = entry (r, g_array_index (blocks, uint32_t, i));
    const uint8_t *data;
    int64_t end = i + 1 < blocks->len ? entry (r, g_array_index (blocks, uint32_t, i + 1))->from
                                      : MIN (r->in.reach, r->end);
    int64_t at = e->aux, next;
    uint64_t delta = 0;
    uint32_t state = ESCAPE;
    if (e->from >= to)
      break;
    data = history_in_data (&r->in, e);
    for (uint32_t k = 0; data != NULL && k < e->count; k++, data += 4) {
      uint32_t word;
      memcpy (&word, data, 4);
      word = GUINT32_FROM_LE (word);
      delta = delta << PART_BITS | word >> 4;
      if (G_UNLIKELY ((word & 15u) == ESCAPE))
        continue;
      next = (int64_t)((uint64_t)at + delta);
      delta = 0;
      if (state != ESCAPE && next > from && next > at && !each (arg, at, next, state))
        return false;
      at = next;
      state = word & 15u;
      if (at >= to)
        return true;
    }
    if (data != NULL && state != ESCAPE && end > at && end > from && !each (arg, at, end, state))
      return false;
  }
  return true;
}

void
states_reader_each (StatesReader *r, uint32_t owner, int64_t from, int64_t to, Each each, void *arg)
{
  if (owner < r->lines->len && r->lines->pdata[owner] != NULL)
    each_record (r, r->lines->pdata[owner], from, to, each, arg);
}

uint64_t
states_reader_count (StatesReader *r, uint32_t owner, int64_t from, int64_t to)
{
  const Line *l = owner < r->lines->len ? r->lines->pdata[owner] : NULL;
  const GArray *blocks = l != NULL ? l->level[0] : NULL;
  double n = 0;

  for (guint i = blocks != NULL ? find_block (r, blocks, from, true) : 0; blocks != NULL && i < blocks->len;
       i++) {
    const HistoryEntry *e = entry (r, g_array_index (blocks, uint32_t, i));
    if (e->from >= to)
      break;
    double length = (double)e->to - (double)e->from,
           seen = (double)MIN (to, e->to) - (double)MAX (from, e->from);
    n += length <= 0 ? 1 : 1 + e->count * CLAMP (seen / length, 0, 1);
  }
  return (uint64_t)n;
}

/* ---- shares
 * ----------------------------------------------------------------------------------------------------- */

typedef struct Shares {
  StatesReader *r;
  const Line *line;
  int64_t from;
  double width;
  float weight; /* a column's share for each column of length */
  float *shares;
  uint32_t n, stride, states;
  int64_t finest; /* buckets may be so long */
} Shares;

static inline void
put (Shares *d, double a, double b, uint32_t state)
{
  int64_t i, last;

  state = MIN (state, d->stride - 1);
  a = MAX (a, 0);
  b = MIN (b, (double)d->n);
  if (a >= b)
    return;
  i = (int64_t)a;
  last = MIN ((int64_t)b, (int64_t)d->n - 1);
  float *at = d->shares + i * d->stride + state;
  if (i == last) {
    *at += (float)(b - a) * d->weight;
    return;
  }
  *at += (float)((double)(i + 1) - a) * d->weight;
  for (i++, at += d->stride; i < last; i++, at += d->stride)
    *at += d->weight;
  *at += (float)(b - (double)last) * d->weight;
}

typedef struct Part {
  Shares *d;
  int64_t from, to;
} Part;

static bool
put_record (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Part *p = arg;
  Shares *d = p->d;

  from = MAX (from, p->from);
  to = MIN (to, p->to);
  d->states |= 1u << state;
  put (d, ((double)from - (double)d->from) / d->width, ((double)to - (double)d->from) / d->width, state);
  return true;
}

/* Adds n_states bytes, times their weight, to a column. */
static inline void
put_bytes (const Shares *d, int64_t column, const uint8_t *bytes, const uint8_t *state, uint32_t n_states,
           double length)
{
  float *at = d->shares + column * d->stride, weight = (float)length * d->weight / 255.0f;

  if (column >= 0 && column < d->n)
    for (uint32_t k = 0; k < n_states; k++)
      at[state[k]] += (float)bytes[k] * weight;
}

/* The same for n buckets at once, eight bytes a step: four sums of 16 bits in each of two words. */
static inline void
put_run (const Shares *d, int64_t column, const uint8_t *bytes, const uint8_t *state, uint32_t n_states,
         uint32_t n, double length)
{
  const uint64_t mask = UINT64_C (0x00ff00ff00ff00ff);
  uint64_t even = 0, odd = 0, word;
  float *at = d->shares + column * d->stride, weight = (float)length * d->weight / 255.0f;

  if (column < 0 || column >= d->n)
    return;
  for (uint32_t i = 0; i < n; i++, bytes += n_states) {
    memcpy (&word, bytes, 8);
    word = GUINT64_FROM_LE (word);
    even += word & mask;
    odd += word >> 8 & mask;
  }
  for (uint32_t k = 0; k < n_states; k++)
    at[state[k]] += (float)((k & 1 ? odd : even) >> 16 * (k / 2) & 0xffff) * weight;
}

static void
put_sums (Shares *d, const HistoryEntry *e, const uint8_t *all, int64_t from, int64_t to)
{
  Span s = { e->from, e->to, (int)e->aux, e->count };
  uint32_t n_states = 0, a, b, safe;
  uint8_t state[HISTORY_STATES_MAX];
  double inverse = 1 / d->width, step, zero;

  for (uint32_t left = e->more; left != 0; left &= left - 1)
    state[n_states++] = (uint8_t)MIN ((uint32_t)__builtin_ctz (left), d->stride - 1);
  d->states |= e->more;
  a = (uint32_t)((from >> s.shift) - (s.from >> s.shift));
  b = (uint32_t)(((to - 1) >> s.shift) - (s.from >> s.shift));
  /* Bucket i begins at column zero + i * step. */
  step = (double)(INT64_C (1) << s.shift) * inverse;
  zero = ((double)((s.from >> s.shift) << s.shift) - (double)d->from) * inverse;
  safe = n_states <= 8 && e->bytes >= 8 ? (e->bytes - 8) / n_states
                                        : 0; /* last bucket with eight bytes to read */
  for (uint32_t i = a; i <= b;) {
    const uint8_t *bytes = all + i * n_states;
    bool edge = i == a || i == b;
    double x0
        = edge ? ((double)MAX (bucket_from (&s, i), from) - (double)d->from) * inverse : zero + i * step;
    double x1
        = edge ? ((double)MIN (bucket_to (&s, i), to) - (double)d->from) * inverse : zero + (i + 1) * step;
    int64_t column = (int64_t)x0;
    double border = (double)(column + 1);
    if (x1 > border) {
      put_bytes (d, column, bytes, state, n_states, border - x0);
      put_bytes (d, column + 1, bytes, state, n_states, MIN (x1, border + 1) - border);
      i++;
    } else if (edge) {
      put_bytes (d, column, bytes, state, n_states, x1 - x0);
      i++;
    } else {
      uint32_t end = MIN ((uint32_t)((border - zero) / step), b);
      uint32_t n = end > i ? end - i : 1;
      if (end > safe)
        put_bytes (d, column, bytes, state, n_states, x1 - x0), n = 1;
      else
        put_run (d, column, bytes, state, n_states, n, step);
      i += n;
    }
  }
}

static void
cover (Shares *d, uint32_t level, int64_t from, int64_t to)
{
  const GArray *blocks = d->line->level[level];
  StatesReader *r = d->r;

  if (level == 0) {
    Part p = { d, from, to };
    each_record (r, d->line, from, to, put_record, &p);
    return;
  }
  for (guint i = blocks != NULL ? find_block (r, blocks, from, false) : 0;
       blocks != NULL && i < blocks->len && from < to; i++) {
    HistoryEntry *e = entry (r, g_array_index (blocks, uint32_t, i));
    const uint8_t *bytes = NULL;
    int64_t end = MIN (e->to, to);
    if (e->from >= to)
      break;
    if (e->from > from)
      cover (d, level - 1, from, e->from);
    from = MAX (from, e->from);
    if (INT64_C (1) << e->aux <= d->finest)
      bytes = history_in_data (&r->in, e);
    if (bytes != NULL)
      put_sums (d, e, bytes, from, end);
    else
      cover (d, level - 1, from, end);
    from = end;
  }
  if (from < to)
    cover (d, level - 1, from, to);
}

void
states_reader_shares (StatesReader *r, uint32_t owner, int64_t from, double width, uint32_t n_columns,
                      float weight, float *shares, uint32_t stride, uint32_t *states)
{
  double end = (double)from + width * n_columns;
  Shares d = { .r = r,
               .line = owner < r->lines->len ? r->lines->pdata[owner] : NULL,
               .from = from,
               .width = width,
               .weight = weight,
               .shares = shares,
               .n = n_columns,
               .stride = stride,
               .finest = (int64_t)MIN (width / 2, 4e18) };

  if (d.line == NULL || n_columns == 0 || !(width > 0))
    return;
  cover (&d, d.line->n_levels, from, end < 9e18 ? (int64_t)end + 1 : INT64_MAX);
  *states |= d.states;
}
