/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.c - events in order of date.
 *
 * Some of them wait together; when there is no room for more, keys of them are sorted, and the earlier half is written:
 * those who pack are told where each lies, so nobody else looks at an event again.  As long as what is written goes on
 * where it ended, that is all: one run.  Else another run begins, and in the end all runs are merged.
 *
 * How many wait is found out: four times as many as are ever passed by one that comes late, and a quarter of a million
 * when one has come too late.  If they are few they stay in the caches of the processor.
 *
 * Who gives events only fills blocks: a thread beside it takes their keys, sorts them, and tells those that pack. */
#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "readers/sorter.h"

#define MOST_BLOCKS 64 /* that wait together: 20 MiB */
#define LEAST_BLOCKS 8
#define MOST_WAITING (MOST_BLOCKS * BLOCK_EVENTS)
#define MOST_PINNED (2 * MOST_BLOCKS) /* blocks that hold them, though most of their events are written */
#define FIRST_BLOCKS 16
#define MOST_HANDED 8   /* blocks that are full and not taken yet */
#define MOST_MERGED 128 /* runs at once: each has a block in memory */
#define DIGIT_BITS 11
#define FEW_STRETCHES 8                 /* that are in order: merged sooner than sorted */
#define ASKED_EACH (256 * BLOCK_EVENTS) /* events that are merged: whether to go on */
#define SAFELY 4                        /* times as many wait as were ever passed by one that came late */
_Static_assert(MOST_PINNED + 1 <= MOST_SLOTS, "the last one is taken before it is seen that there are too many");

typedef struct Key {
  int64_t date;
  uint64_t order;
  uint32_t place; /* slot of its block, and which event of it */
} Key;

/* A block of events that is handed over. */
typedef struct Handed {
  EventBlock *block;
  uint32_t n;
  bool in_order;
} Handed;

struct Sorter {
  SorterFilling filling; /* the first; of the thread that gives events */
  char *folder;
  /* between both; `lock` */
  pthread_t thread;
  bool has_thread; /* else its work is done at once */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Handed handed[MOST_HANDED];
  uint32_t first_handed, n_handed;
  bool stops;
  int failed; /* errno: no more is taken then */
  /* of the thread that sorts, and when it is no more, of the other */
  EventBlock *slots[MOST_SLOTS]; /* blocks with events that wait; NULL: free */
  bool is_sorted[MOST_SLOTS];    /* they came in order */
  uint32_t left[MOST_SLOTS];     /* how many of each do */
  uint32_t n_pinned;             /* blocks */
  uint32_t window;               /* blocks: when as many events wait, half of them are written */
  Key *keys;                     /* of those that wait, behind them room for as many; NULL: not wanted yet */
  uint32_t n_waiting, n_sorted;  /* those that came behind the sorted ones are sorted block by block */
  uint32_t passed;               /* the most that one that came late came before */
  const TraceEvent **places;     /* room for a block */
  uint64_t *words;               /* room for two */
  uint32_t *ends;  /* of stretches that are in order: a place more than there are blocks, then a block's */
  GPtrArray *runs; /* of Run */
  Packer packer;
};

/* A file that goes when it is closed, or -1. */
static int
open_numbers (const char *folder)
{
  g_autofree char *name = g_build_filename (folder, "numbers", NULL);
  int fd = disk_open_write (name, NULL);

  if (fd >= 0)
    g_unlink (name);
  return fd;
}

/* ---- sorting ------------------------------------------------------------------------------------------------------------ */

/* Of one date, the one that was given first. */
static inline bool
sorter_is_before (const TraceEvent *a, const TraceEvent *b)
{
  return a->date < b->date || (a->date == b->date && a->number < b->number);
}

/* Without a branch, which nobody could foretell. */
static inline bool
comes_first (const Key *a, const Key *b)
{
  return (a->date < b->date) | ((a->date == b->date) & (a->order < b->order));
}

/* The first of keys[from..to), which are in order, that comes behind `key`; `or_it`: or is not before it. */
static uint32_t
first_behind (const Key *keys, uint32_t from, uint32_t to, const Key *key, bool or_it)
{
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (or_it ? comes_first (&keys[middle], key) : !comes_first (key, &keys[middle]))
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* Merges keys[begin..middle) and keys[middle..end), each in order.  What is at its place already is not touched: nearly
 * all is, where nearly all is in order.  `other` is as large as the first of the two.  Gives how many of the first come
 * behind one of the others. */
static uint32_t
merge_keys (Key *keys, Key *other, uint32_t begin, uint32_t middle, uint32_t end)
{
  if (middle >= end || !comes_first (&keys[middle], &keys[middle - 1]))
    return 0;
  begin = first_behind (keys, begin, middle, &keys[middle], false);
  end = first_behind (keys, middle, end, &keys[middle - 1], true);
  uint32_t n = middle - begin, i = 0, j = middle, at = begin;
  memcpy (other, keys + begin, n * sizeof *keys);
  while (i < n && j < end) {
    bool second = comes_first (&keys[j], &other[i]);
    const Key *next = second ? &keys[j] : &other[i];
    keys[at++] = *next;
    j += second;
    i += !second;
  }
  memcpy (keys + at, other + i, (n - i) * sizeof *keys);
  return n;
}

/* Merges stretches that are in order, n_ends of them, which end at `ends`, until all are one.  Gives the most of what
 * merge_keys() does. */
static uint32_t
merge_stretches (Key *keys, Key *other, uint32_t *ends, uint32_t n_ends)
{
  uint32_t most = 0;

  while (n_ends > 1) {
    uint32_t from = 0, kept = 0;
    for (uint32_t k = 0; k < n_ends; k += 2) {
      uint32_t middle = ends[k], end = k + 1 < n_ends ? ends[k + 1] : middle;
      uint32_t passed = merge_keys (keys, other, from, middle, end);
      most = MAX (most, passed);
      ends[kept++] = from = end;
    }
    n_ends = kept;
  }
  return most;
}

#define EVENT_BITS 12
_Static_assert(1 << EVENT_BITS == BLOCK_EVENTS, "which event of a block, in as many bits");

/* Which comes when, by date alone: words of a difference of dates, of so many bits, and of which event it is, digit by
 * digit.  Gives where they are then, which is one of both. */
static const uint64_t *
sort_by_digits (uint64_t *words, uint64_t *other, uint32_t n, unsigned bits)
{
  unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS, digit = passes > 0 ? (bits + passes - 1) / passes : 0;
  uint32_t counts[2][1 << DIGIT_BITS], mask = (1u << digit) - 1;

  for (unsigned pass = 0, shift = EVENT_BITS; pass < passes; pass++, shift += digit) {
    uint32_t *now = counts[pass % 2], *next = counts[1 - pass % 2];
    if (pass % 2 == 0) { /* for two passes at once: the order does not matter for it */
      memset (now, 0, (mask + 1) * sizeof *now);
      memset (next, 0, (mask + 1) * sizeof *next);
      for (uint32_t i = 0; i < n; i++) {
        now[words[i] >> shift & mask]++;
        next[words[i] >> shift >> digit & mask]++;
      }
    }
    for (uint32_t d = 0, at = 0; d <= mask; d++) {
      uint32_t many = now[d];
      now[d] = at;
      at += many;
    }
    for (uint32_t i = 0; i < n; i++)
      other[now[words[i] >> shift & mask]++] = words[i];
    uint64_t *swap = words;
    words = other;
    other = swap;
  }
  return words;
}

static inline Key
sorter_key_of (const EventBlock *block, uint32_t i, uint32_t place)
{
  return (Key){ block->stamps[i].date, block->stamps[i].order, place + i };
}

/* Where stretches of keys end that are in order. */
static uint32_t
find_stretches (const Key *keys, uint32_t n, uint32_t *ends)
{
  uint32_t n_ends = 0;

  for (uint32_t i = 1; i <= n; i++)
    if (i == n || comes_first (&keys[i], &keys[i - 1]))
      ends[n_ends++] = i;
  return n_ends;
}

/* How events of a block came. */
typedef struct Habits {
  int64_t least, most;  /* dates */
  uint32_t n_stretches; /* that are in order of date, at most: so many go back */
  bool as_numbered;     /* those of one date are in order */
} Habits;

static Habits
look_at_stamps (const Stamp *stamps, uint32_t n)
{
  Habits h = { stamps[0].date, stamps[0].date, 1, true };
  uint32_t back = 0, against = 0;
  Stamp before = stamps[0];

  for (uint32_t i = 1; i < n; i++) {
    const Stamp now = stamps[i];
    h.least = MIN (h.least, now.date);
    h.most = MAX (h.most, now.date);
    back += now.date < before.date;
    against += now.order < before.order;
    before = now;
  }
  h.n_stretches += back;
  h.as_numbered = against == 0;
  return h;
}

/* Keys of a block's events, in order. */
static void
sort_block (Sorter *s, const EventBlock *block, uint32_t n, uint32_t place, Key *keys)
{
  uint32_t *ends = s->ends + MOST_BLOCKS + 1;
  const Habits h = look_at_stamps (block->stamps, n);
  uint64_t range = (uint64_t) h.most - (uint64_t) h.least;
  bool by_digits = h.n_stretches > FEW_STRETCHES && range >> (64 - EVENT_BITS) == 0;

  if (by_digits) {
    for (uint32_t i = 0; i < n; i++)
      s->words[i] = ((uint64_t) block->stamps[i].date - (uint64_t) h.least) << EVENT_BITS | i;
    const uint64_t *sorted = sort_by_digits (s->words, s->words + BLOCK_EVENTS, n,
                                             64 - (unsigned) __builtin_clzll (range | 1));
    for (uint32_t i = 0; i < n; i++)
      keys[i] = sorter_key_of (block, sorted[i] % BLOCK_EVENTS, place);
  } else {
    for (uint32_t i = 0; i < n; i++)
      keys[i] = sorter_key_of (block, i, place);
  }
  if (by_digits && h.as_numbered) /* of one date they are as they came */
    return;
  merge_stretches (keys, s->keys + MOST_WAITING, ends, find_stretches (keys, n, ends));
}

/* ---- those that wait ----------------------------------------------------------------------------------------------------- */

/* Puts them in order. */
static void
sort_waiting (Sorter *s)
{
  uint32_t n = s->n_waiting, n_ends = 0;

  if (s->n_sorted > 0)
    s->ends[n_ends++] = s->n_sorted;
  for (uint32_t end = s->n_sorted; end < n;)
    s->ends[n_ends++] = end = MIN (end + BLOCK_EVENTS, n);
  uint32_t passed = merge_stretches (s->keys, s->keys + MOST_WAITING, s->ends, n_ends);
  s->passed = MAX (s->passed, passed);
  s->n_sorted = n;
}

/* If keys[0..n) are of all events of a block, which came in order, the first of these; else NULL. */
static const TraceEvent *
whole_block (const Sorter *s, const Key *keys, uint32_t n)
{
  uint32_t first = keys[0].place, slot = first / BLOCK_EVENTS;

  return first % BLOCK_EVENTS == 0 && keys[n - 1].place == first + n - 1 && s->is_sorted[slot] ? s->slots[slot]->events
                                                                                               : NULL;
}

/* So many events of a block wait no more. */
static Take
sorter_take (Sorter *s, uint32_t slot, uint32_t n)
{
  Take t = { s->slots[slot], n };

  s->left[slot] -= n;
  if (s->left[slot] == 0) {
    s->slots[slot] = NULL;
    s->n_pinned--;
  }
  return t;
}

/* Where the events of keys[0..n) lie, n <= BLOCK_EVENTS, which wait no more; and what is taken of which blocks for
 * that, as many as it gives. */
static guint
take_places (Sorter *s, const Key *keys, uint32_t n, Take *takes)
{
  uint32_t of[MOST_SLOTS] = { 0 };
  guint n_takes = 0;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = keys[i].place / BLOCK_EVENTS;
    s->places[i] = &s->slots[slot]->events[keys[i].place % BLOCK_EVENTS];
    of[slot]++;
  }
  for (uint32_t slot = 0; slot < MOST_SLOTS; slot++)
    if (of[slot] > 0)
      takes[n_takes++] = sorter_take (s, slot, of[slot]);
  return n_takes;
}

/* Writes the first n of those that wait. */
static bool
write_waiting (Sorter *s, uint32_t n)
{
  Run *run = s->runs->len ? s->runs->pdata[s->runs->len - 1] : NULL;
  Take takes[MOST_SLOTS];
  bool ok = true;

  sort_waiting (s);
  if (n > 0 && (!run || comes_first (s->keys, &(Key){ .date = run->last, .order = run->order }))) {
    s->passed = run ? MOST_WAITING : s->passed; /* more than was thought: that nobody knows what comes is known now */
    run = packer_run_new ();
    g_ptr_array_add (s->runs, run);
  }
  for (uint32_t at = 0; at < n; at += BLOCK_EVENTS) {
    uint32_t many = MIN (BLOCK_EVENTS, n - at);
    const TraceEvent *whole = whole_block (s, s->keys + at, many);
    guint n_takes = 1;
    if (whole)
      takes[0] = sorter_take (s, s->keys[at].place / BLOCK_EVENTS, many);
    else
      n_takes = take_places (s, s->keys + at, many, takes);
    ok = packer_put (&s->packer, run, whole, s->places, many, takes, n_takes) && ok;
  }
  s->n_waiting = s->n_sorted -= n;
  memmove (s->keys, s->keys + n, s->n_waiting * sizeof *s->keys);
  return ok && packer_has_room (&s->packer);
}

/* The slot of a block more, n of whose events wait. */
static uint32_t
sorter_add_block (Sorter *s, EventBlock *block, uint32_t n, bool is_sorted)
{
  uint32_t slot = 0;

  while (s->slots[slot])
    slot++;
  block->left = s->left[slot] = n;
  s->slots[slot] = block;
  s->is_sorted[slot] = is_sorted;
  s->n_pinned++;
  return slot;
}

/* Those that wait, which are sorted, into blocks of their own: few of many blocks would keep all of these. */
static void
move_together (Sorter *s)
{
  EventBlock *to[MOST_BLOCKS + 1];
  Take takes[MOST_SLOTS];
  uint32_t n_to = 0;

  for (uint32_t at = 0; at < s->n_waiting; at += BLOCK_EVENTS) {
    uint32_t many = MIN (BLOCK_EVENTS, s->n_waiting - at);
    guint n_takes = take_places (s, s->keys + at, many, takes);
    to[n_to] = packer_take (&s->packer);
    for (uint32_t i = 0; i < many; i++)
      to[n_to]->events[i] = *s->places[i];
    n_to++;
    packer_release (&s->packer, takes, n_takes);
  }
  for (uint32_t k = 0; k < n_to; k++) {
    uint32_t at = k * BLOCK_EVENTS, many = MIN (BLOCK_EVENTS, s->n_waiting - at),
             slot = sorter_add_block (s, to[k], many, true);
    for (uint32_t i = 0; i < many; i++)
      s->keys[at + i].place = slot * BLOCK_EVENTS + i;
  }
}

/* As many as were ever passed, some times, rounded up to blocks; twice, as half of them are written. */
static uint32_t
sorter_window_of (uint32_t passed)
{
  uint64_t blocks = 2 * ((uint64_t) SAFELY * passed / BLOCK_EVENTS + 2);

  return (uint32_t) CLAMP (blocks, LEAST_BLOCKS, MOST_BLOCKS);
}

static bool
sorter_take_in (Sorter *s, const Handed *h)
{
  if (!s->keys) {
    s->keys = g_new (Key, 2 * (size_t) MOST_WAITING); /* of which most see few */
    s->ends = g_new (uint32_t, MOST_BLOCKS + 1 + BLOCK_EVENTS);
    s->places = g_new (const TraceEvent *, BLOCK_EVENTS);
    s->words = g_new (uint64_t, 2 * BLOCK_EVENTS);
  }
  Key *keys = s->keys + s->n_waiting;
  uint32_t place = sorter_add_block (s, h->block, h->n, h->in_order) * BLOCK_EVENTS;
  for (uint32_t i = 0; i < h->n && h->in_order; i++)
    keys[i] = sorter_key_of (h->block, i, place);
  if (!h->in_order)
    sort_block (s, h->block, h->n, place, keys);
  s->n_waiting += h->n;
  if (s->n_waiting < s->window * BLOCK_EVENTS)
    return true;
  bool ok = write_waiting (s, s->window / 2 * BLOCK_EVENTS);
  if (s->n_pinned >= MOST_PINNED - MOST_BLOCKS / 2)
    move_together (s);
  s->window = sorter_window_of (s->passed);
  if (ok && s->n_waiting >= s->window * BLOCK_EVENTS)
    ok = write_waiting (s, s->n_waiting - s->window / 2 * BLOCK_EVENTS);
  return ok;
}

/* ---- the thread that sorts ------------------------------------------------------------------------------------------------ */

/* Nobody wants what is in it. */
static void
sorter_give_back (Sorter *s, EventBlock *block)
{
  block->left = 1;
  packer_release (&s->packer, &(Take){ block, 1 }, 1);
}

static void *
sort_all (void *arg)
{
  Sorter *s = arg;

  pthread_mutex_lock (&s->lock);
  for (;;) {
    while (s->n_handed == 0 && !s->stops)
      pthread_cond_wait (&s->changed, &s->lock);
    if (s->n_handed == 0)
      break;
    Handed h = s->handed[s->first_handed];
    s->first_handed = (s->first_handed + 1) % MOST_HANDED;
    s->n_handed--;
    bool wanted = s->failed == 0;
    pthread_cond_broadcast (&s->changed);
    pthread_mutex_unlock (&s->lock);
    int failed = 0;
    if (!wanted)
      sorter_give_back (s, h.block);
    else if (!sorter_take_in (s, &h))
      failed = errno ? errno : EIO;
    pthread_mutex_lock (&s->lock);
    s->failed = s->failed ? s->failed : failed;
  }
  pthread_mutex_unlock (&s->lock);
  return NULL;
}

/* The block that was filled goes on, and another one will be. */
bool
sorter_hand_over (Sorter *s)
{
  Handed h = { s->filling.block, s->filling.n, s->filling.in_order };

  sorter_unstage_all (&s->filling);
  s->filling.block = NULL;
  s->filling.n = 0;
  s->filling.in_order = true;
  if (!s->has_thread) {
    if (s->failed == 0 && !sorter_take_in (s, &h))
      s->failed = errno ? errno : EIO;
    errno = s->failed ? s->failed : errno;
    return s->failed == 0;
  }
  pthread_mutex_lock (&s->lock);
  while (s->n_handed == MOST_HANDED)
    pthread_cond_wait (&s->changed, &s->lock);
  s->handed[(s->first_handed + s->n_handed++) % MOST_HANDED] = h;
  pthread_cond_broadcast (&s->changed);
  int failed = s->failed;
  pthread_mutex_unlock (&s->lock);
  errno = failed ? failed : errno;
  return failed == 0;
}

/* All that was handed over waits then, or is written. */
static void
end_thread (Sorter *s)
{
  if (!s->has_thread)
    return;
  pthread_mutex_lock (&s->lock);
  s->stops = true;
  pthread_cond_broadcast (&s->changed);
  pthread_mutex_unlock (&s->lock);
  pthread_join (s->thread, NULL);
  s->has_thread = false;
}

TraceEvent *
sorter_begin_block (Sorter *s)
{
  s->filling.block = packer_take (&s->packer);
  return s->filling.staged;
}

/* ---- merging ------------------------------------------------------------------------------------------------------------ */

typedef struct Head { /* of a run that is merged */
  const Run *run;
  guint next; /* block */
  EventBlock *block;
  uint32_t at, n;
} Head;

typedef struct Merge {
  int from, numbers_from;
  ZSTD_DCtx *zstd;
  uint8_t *columns, *packed;
  Head heads[MOST_MERGED];
} Merge;

static bool
sorter_next_block (Merge *m, Head *h)
{
  h->at = h->n = 0;
  if (h->next >= h->run->blocks->len)
    return true;
  const Block *b = &g_array_index (h->run->blocks, Block, h->next++);
  size_t bytes;
  const uint8_t *columns = disk_pread (m->from, m->packed, b->bytes, b->at) == (ssize_t) b->bytes
                               ? converted_unpack (m->zstd, m->packed, b->bytes, m->columns, &bytes)
                               : NULL;
  if (!columns || !converted_get_columns (columns, bytes, b->n, h->block->events, 0, 0)
      || disk_pread (m->numbers_from, m->columns, b->numbers_bytes, b->numbers_at) != (ssize_t) b->numbers_bytes
      || !converted_get_numbers (m->columns, b->numbers_bytes, b->n, h->block->events)) {
    errno = EIO;
    return false;
  }
  h->n = b->n;
  return true;
}

/* Of two that are alike, that of the run that was written first. */
static inline bool
sorter_comes_before (const Head *a, const Head *b)
{
  const TraceEvent *x = &a->block->events[a->at], *y = &b->block->events[b->at];

  return sorter_is_before (x, y) || (a < b && x->date == y->date && x->number == y->number);
}

/* Heads are an array whose first is the earliest, and each earlier than those at 2i + 1 and 2i + 2. */
static void
sorter_sink (Head **heap, guint n, guint i)
{
  for (;;) {
    guint least = i;
    for (guint k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
      if (sorter_comes_before (heap[k], heap[least]))
        least = k;
    if (least == i)
      return;
    Head *h = heap[i];
    heap[i] = heap[least];
    heap[least] = h;
    i = least;
  }
}

/* What is filled of a block, in order, and the run that it goes to. */
typedef struct Merged {
  Sorter *s;
  Run *run;
  EventBlock *block;
  uint32_t n;
  bool (*goes_on) (void *arg); /* or NULL */
  void *arg;
  uint64_t n_done; /* events, filled or taken over with their blocks */
} Merged;

/* So many events more are done: now and then it is asked whether there is room, and whether anybody still waits. */
static bool
sorter_may_go_on (Merged *to, uint32_t n)
{
  uint64_t before = to->n_done;

  to->n_done += n;
  if (G_LIKELY (before / ASKED_EACH == to->n_done / ASKED_EACH))
    return true;
  if (!packer_has_room (&to->s->packer))
    return false;
  if (to->goes_on && !to->goes_on (to->arg)) {
    errno = ECANCELED;
    return false;
  }
  return true;
}

static bool
put_merged (Merged *to)
{
  const Take all = { to->block, to->n };

  if (to->n == 0)
    return true;
  to->block->left = to->n;
  to->block = packer_take (&to->s->packer);
  to->n = 0;
  return packer_put (&to->s->packer, to->run, all.from->events, NULL, all.n, &all, 1);
}

/* The next blocks of the first head, as many as end before all others go on: as they are. */
static bool
put_untouched (Merge *m, Merged *to, Head *const *heap, guint n)
{
  Head *h = heap[0];

  for (; h->next < h->run->blocks->len; h->next++) {
    const Block *b = &g_array_index (h->run->blocks, Block, h->next);
    for (guint k = 1; k < MIN (n, 3); k++)
      if (heap[k]->block->events[heap[k]->at].date <= b->last)
        return true;
    if (disk_pread (m->from, m->packed, b->bytes, b->at) != (ssize_t) b->bytes
        || disk_pread (m->numbers_from, m->columns, b->numbers_bytes, b->numbers_at) != (ssize_t) b->numbers_bytes) {
      errno = EIO;
      return false;
    }
    if (!put_merged (to)
        || !packer_put_written (&to->s->packer, to->run, b, m->packed, m->columns, (Stamp){ b->last, 0 })
        || !sorter_may_go_on (to, b->n))
      return false;
  }
  return true;
}

static bool
sorter_merge (Sorter *s, Merge *m, guint n_heads, Run *run, bool (*goes_on) (void *arg), void *arg)
{
  Head *heap[MOST_MERGED];
  Merged to = { .s = s, .run = run, .block = packer_take (&s->packer), .goes_on = goes_on, .arg = arg };
  guint n = 0;
  bool ok = true;

  for (guint i = 0; i < n_heads && ok; i++) {
    ok = sorter_next_block (m, &m->heads[i]);
    if (m->heads[i].n > 0)
      heap[n++] = &m->heads[i];
  }
  for (guint i = n / 2 + 1; i-- > 0 && ok;)
    sorter_sink (heap, n, i);
  while (n > 0 && ok) {
    Head *h = heap[0];
    to.block->events[to.n++] = h->block->events[h->at];
    if (to.n == BLOCK_EVENTS)
      ok = put_merged (&to);
    if (++h->at == h->n)
      ok = ok && put_untouched (m, &to, heap, n) && sorter_next_block (m, h);
    if (h->at == h->n)
      heap[0] = heap[--n];
    sorter_sink (heap, n, 0);
    ok = ok && sorter_may_go_on (&to, 1);
  }
  ok = ok && put_merged (&to);
  int why = errno;
  sorter_give_back (s, to.block);
  errno = why;
  return ok;
}

/* Merges runs into fewer ones, in another file, which is the sorter's file then. */
static bool
merge_once (Sorter *s, Merge *m, const char *name, bool (*goes_on) (void *arg), void *arg)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (packer_run_free);
  Packer *p = &s->packer;
  int fd = disk_open_write (name, NULL), numbers = s->runs->len > MOST_MERGED ? open_numbers (s->folder) : -1;
  bool ok = fd >= 0 && (numbers >= 0 || s->runs->len <= MOST_MERGED);

  m->from = p->fd;
  m->numbers_from = p->numbers_fd;
  p->fd = fd;
  p->numbers_fd = numbers;
  p->at = p->numbers_at = 0;
  for (guint i = 0; i < s->runs->len && ok; i += MOST_MERGED) {
    guint n = MIN (MOST_MERGED, s->runs->len - i);
    for (guint k = 0; k < n; k++) {
      m->heads[k].run = s->runs->pdata[i + k];
      m->heads[k].next = 0;
    }
    Run *run = packer_run_new ();
    g_ptr_array_add (runs, run);
    ok = sorter_merge (s, m, n, run, goes_on, arg);
  }
  int why = errno;
  bool written = packer_drain (p);
  close (m->from);
  close (m->numbers_from);
  GPtrArray *swap = s->runs;
  s->runs = runs;
  runs = swap;
  if (!ok)
    errno = why;
  return ok && written;
}

/* Until one run is left. */
static bool
merge_all (Sorter *s, bool (*goes_on) (void *arg), void *arg)
{
  g_autofree char *whole = g_build_filename (s->folder, "events", NULL), *old = g_strdup (whole);
  g_autofree Merge *m = g_new0 (Merge, 1);
  bool ok = true;

  m->zstd = ZSTD_createDCtx ();
  m->columns = g_malloc (COLUMNS_BYTES);
  m->packed = g_malloc (BLOCK_PACKED_BYTES);
  for (guint i = 0; i < MIN (MOST_MERGED, s->runs->len); i++)
    m->heads[i].block = packer_take (&s->packer);
  for (int pass = 0; s->runs->len > 1 && ok; pass++) {
    char *name = g_strdup_printf ("%s/events%d", s->folder, pass % 2);
    ok = merge_once (s, m, name, goes_on, arg);
    g_unlink (old);
    g_free (old);
    old = name;
  }
  if (ok)
    ok = strcmp (old, whole) == 0 || g_rename (old, whole) == 0;
  int why = errno;
  for (guint i = 0; i < MOST_MERGED; i++)
    if (m->heads[i].block)
      sorter_give_back (s, m->heads[i].block);
  g_free (m->columns);
  g_free (m->packed);
  ZSTD_freeDCtx (m->zstd);
  errno = why;
  return ok;
}

bool
sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg)
{
  if (s->filling.n > 0)
    sorter_hand_over (s);
  end_thread (s);
  bool ok = s->failed == 0 && (s->n_waiting == 0 || write_waiting (s, s->n_waiting));
  int why = s->failed ? s->failed : errno;

  if (!packer_drain (&s->packer))
    return false;
  errno = ok ? errno : why; /* of the first that went wrong */
  return ok && (s->runs->len <= 1 || merge_all (s, goes_on, arg));
}

const GArray *
sorter_blocks (const Sorter *s)
{
  return s->runs->len ? ((const Run *) s->runs->pdata[0])->blocks : NULL;
}

Sorter *
sorter_new (const char *folder)
{
  Sorter *s = aligned_alloc (_Alignof(Sorter), sizeof *s);

  if (!s)
    g_error ("there is no memory for %zu bytes", sizeof *s);
  memset (s, 0, sizeof *s);
  g_autofree char *events = g_build_filename (folder, "events", NULL);

  s->folder = g_strdup (folder);
  s->filling.in_order = true;
  s->window = FIRST_BLOCKS;
  s->runs = g_ptr_array_new_with_free_func (packer_run_free);
  s->packer.fd = disk_open_write (events, NULL);
  s->packer.numbers_fd = open_numbers (folder);
  if (s->packer.fd < 0 || s->packer.numbers_fd < 0)
    s->packer.failed = errno ? errno : EIO;
  /* one thread less than there are processors, for the one that reads */
  packer_start (&s->packer, (int) CLAMP (g_get_num_processors () - 1, 1, MOST_PACKERS));
  pthread_mutex_init (&s->lock, NULL);
  pthread_cond_init (&s->changed, NULL);
  s->has_thread = pthread_create (&s->thread, NULL, sort_all, s) == 0;
  return s;
}

void
sorter_watch (Sorter *s, Watch watch)
{
  s->packer.watch = watch;
}

bool
sorter_watched (const Sorter *s)
{
  return s->packer.watch.see && !s->packer.watch_fails && s->packer.failed == 0;
}

void
sorter_free (Sorter *s)
{
  if (!s)
    return;
  end_thread (s);
  packer_stop (&s->packer);
  pthread_mutex_destroy (&s->lock);
  pthread_cond_destroy (&s->changed);
  if (s->packer.fd >= 0)
    close (s->packer.fd);
  if (s->packer.numbers_fd >= 0)
    close (s->packer.numbers_fd);
  g_ptr_array_unref (s->runs);
  g_free (s->keys);
  g_free (s->ends);
  g_free (s->places);
  g_free (s->words);
  g_free (s->folder);
  free (s);
}
