/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.c - events in order of date.
 *
 * A quarter of a million of them wait together; when there is no room for more they are sorted and the earlier half is
 * written. As long as what is written goes on where it ended, that is all: one run.  Else another run begins, and in
 * the end all runs are merged.  What waits lies in blocks of the size that is written, so most events are copied once.
 *
 * Who gives events only fills blocks: a thread beside it takes them, sorts them, and gives them to those that pack. */
#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "readers/packer.h"
#include "readers/sorter.h"

#define MOST_BLOCKS 64 /* that wait together: 16 MiB */
#define MOST_WAITING (MOST_BLOCKS * BLOCK_EVENTS)
#define MOST_HANDED 32  /* blocks that are full and not taken yet */
#define MOST_MERGED 128 /* runs at once: each has a block in memory */
#define DIGIT_BITS 11
#define FEW_STRETCHES 8 /* that are in order: merged sooner than sorted */
#define FETCHED_AHEAD 8

typedef struct Key {
  int64_t date;
  uint64_t order;
  uint32_t place;
} Key;

/* A block of events that is handed over. */
typedef struct Handed {
  TraceEvent *events;
  uint32_t n;
  bool in_order;
} Handed;

struct Sorter {
  SorterFilling block; /* the first; of the thread that gives events */
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
  TraceEvent *waiting[MOST_BLOCKS]; /* all full but the last */
  uint32_t n_waiting;
  bool in_order;        /* those that wait are, */
  uint32_t n_sorted;    /* or if not, as many of the first of them */
  int64_t last_waiting; /* date, and number, of the last of them */
  uint64_t order_waiting;
  Key *keys;       /* room for sorting, twice as many as can wait; NULL: not wanted yet */
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
is_before (const TraceEvent *a, const TraceEvent *b)
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
 * all is, where nearly all is in order.  `other` is as large as the first of the two. */
static void
merge_keys (Key *keys, Key *other, uint32_t begin, uint32_t middle, uint32_t end)
{
  if (middle >= end || !comes_first (&keys[middle], &keys[middle - 1]))
    return;
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
}

/* Merges stretches that are in order, n_ends of them, which end at `ends`, until all are one.  The first begins at
 * `begin`. */
static void
merge_stretches (Key *keys, Key *other, uint32_t begin, uint32_t *ends, uint32_t n_ends)
{
  while (n_ends > 1) {
    uint32_t from = begin, kept = 0;
    for (uint32_t k = 0; k < n_ends; k += 2) {
      uint32_t middle = ends[k], end = k + 1 < n_ends ? ends[k + 1] : middle;
      merge_keys (keys, other, from, middle, end);
      ends[kept++] = from = end;
    }
    n_ends = kept;
  }
}

/* By date, digit by digit; an even number of times, so that they end where they were. */
static void
sort_by_digits (Key *keys, Key *other, uint32_t n, uint64_t least, uint64_t range)
{
  unsigned bits = 64 - (unsigned) __builtin_clzll (range | 1),
           passes = (bits + 2 * DIGIT_BITS - 1) / (2 * DIGIT_BITS) * 2, digit = (bits + passes - 1) / passes;
  uint32_t counts[1 << DIGIT_BITS], mask = (1u << digit) - 1;

  for (unsigned pass = 0, shift = 0; pass < passes; pass++, shift += digit) {
    memset (counts, 0, (mask + 1) * sizeof *counts);
    for (uint32_t i = 0; i < n; i++)
      counts[((uint64_t) keys[i].date - least) >> shift & mask]++;
    for (uint32_t d = 0, at = 0; d <= mask; d++) {
      uint32_t many = counts[d];
      counts[d] = at;
      at += many;
    }
    for (uint32_t i = 0; i < n; i++)
      other[counts[((uint64_t) keys[i].date - least) >> shift & mask]++] = keys[i];
    Key *swap = keys;
    keys = other;
    other = swap;
  }
}

/* Keys as many as a block has events: both copies of them lie in the second nearest cache. */
static void
sort_few (Key *keys, Key *other, uint32_t *ends, uint32_t n)
{
  uint32_t n_ends = 0;
  int64_t least = keys[0].date, most = least;

  for (uint32_t i = 1; i <= n; i++) {
    if (i == n || comes_first (&keys[i], &keys[i - 1]))
      ends[n_ends++] = i;
    if (i < n) {
      least = MIN (least, keys[i].date);
      most = MAX (most, keys[i].date);
    }
  }
  if (n_ends > FEW_STRETCHES) {
    sort_by_digits (keys, other, n, (uint64_t) least, (uint64_t) most - (uint64_t) least);
    n_ends = 0;
    for (uint32_t i = 1; i <= n; i++) /* of one date they are as they came, which may not be their order */
      if (i == n || comes_first (&keys[i], &keys[i - 1]))
        ends[n_ends++] = i;
  }
  merge_stretches (keys, other, 0, ends, n_ends);
}

static inline TraceEvent *
waiting (Sorter *s, uint32_t i)
{
  return &s->waiting[i / BLOCK_EVENTS][i % BLOCK_EVENTS];
}

static inline Key
key_of (Sorter *s, uint32_t i)
{
  const TraceEvent *e = waiting (s, i);

  return (Key){ e->date, e->number, i };
}

/* Keys of those that wait, in order, from the first on that has another place now; gives which it is. */
static uint32_t
sort_keys (Sorter *s)
{
  uint32_t n = s->n_waiting, from = 0, to = s->n_sorted, n_ends = 0;
  Key *keys = s->keys, *other = s->keys + MOST_WAITING, first = key_of (s, to);

  for (uint32_t begin = to, end; begin < n; begin = end) {
    end = MIN (begin + BLOCK_EVENTS, n);
    for (uint32_t i = begin; i < end; i++)
      keys[i] = key_of (s, i);
    sort_few (keys + begin, other, s->ends + MOST_BLOCKS + 1, end - begin);
    first = comes_first (&keys[begin], &first) ? keys[begin] : first;
  }
  while (from < to) { /* those that are sorted and not after the first of the others stay */
    uint32_t middle = from + (to - from) / 2;
    Key key = key_of (s, middle);
    if (comes_first (&first, &key))
      to = middle;
    else
      from = middle + 1;
  }
  for (uint32_t i = from; i < s->n_sorted; i++)
    keys[i] = key_of (s, i);
  if (from < s->n_sorted)
    s->ends[n_ends++] = s->n_sorted;
  for (uint32_t end = s->n_sorted; end < n;)
    s->ends[n_ends++] = end = MIN (end + BLOCK_EVENTS, n);
  merge_stretches (keys, other, from, s->ends, n_ends);
  return from;
}

/* A block in order, if any of its events is another one than now.  Those before `from` stay. */
static TraceEvent *
sorted_block (Sorter *s, uint32_t block, uint32_t from)
{
  const Key *keys = s->keys;
  uint32_t begin = block * BLOCK_EVENTS, end = MIN (begin + BLOCK_EVENTS, s->n_waiting), i = MAX (begin, from);

  while (i < end && keys[i].place == i)
    i++;
  if (i == end)
    return NULL;
  TraceEvent *to = packer_take (&s->packer);
  memcpy (to, s->waiting[block], (i - begin) * sizeof *to);
  for (; i < end; i++) {
    if (i + FETCHED_AHEAD < end)
      __builtin_prefetch (waiting (s, keys[i + FETCHED_AHEAD].place));
    to[i - begin] = *waiting (s, keys[i].place);
  }
  return to;
}

static void
sort_waiting (Sorter *s)
{
  uint32_t n = s->n_waiting;
  TraceEvent *sorted[MOST_BLOCKS];

  if (s->in_order)
    return;
  if (!s->keys) {
    s->keys = packer_pages (2 * MOST_WAITING * sizeof *s->keys);
    s->ends = g_new (uint32_t, MOST_BLOCKS + 1 + BLOCK_EVENTS);
  }
  uint32_t from = sort_keys (s), first = from / BLOCK_EVENTS, n_blocks = (n + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
  for (uint32_t b = first; b < n_blocks; b++)
    sorted[b] = sorted_block (s, b, from);
  for (uint32_t b = first; b < n_blocks; b++)
    if (sorted[b]) {
      packer_give_back (&s->packer, &s->waiting[b], 1);
      s->waiting[b] = sorted[b];
    }
  const TraceEvent *last = waiting (s, n - 1);
  s->last_waiting = last->date;
  s->order_waiting = last->number;
  s->in_order = true;
}

/* Writes the first n blocks of those that wait. */
static bool
write_waiting (Sorter *s, uint32_t n)
{
  bool ok = true;

  sort_waiting (s);
  Run *run = s->runs->len ? s->runs->pdata[s->runs->len - 1] : NULL;
  if (n > 0 && (!run || is_before (waiting (s, 0), &(const TraceEvent){ .date = run->last, .number = run->order }))) {
    run = packer_run_new ();
    g_ptr_array_add (s->runs, run);
  }
  for (uint32_t b = 0; b < n; b++) {
    uint32_t events = MIN (BLOCK_EVENTS, s->n_waiting);
    ok = packer_put (&s->packer, run, s->waiting[b], events) && ok;
    s->n_waiting -= events;
  }
  memmove (s->waiting, s->waiting + n, (MOST_BLOCKS - n) * sizeof *s->waiting);
  memset (s->waiting + MOST_BLOCKS - n, 0, n * sizeof *s->waiting);
  return ok && packer_has_room (&s->packer);
}

/* A block more that waits. */
static bool
take_in (Sorter *s, const Handed *h)
{
  const TraceEvent *first = h->events, *last = h->events + h->n - 1;
  TraceEvent before = { .date = s->last_waiting, .number = s->order_waiting };

  if (s->in_order && (!h->in_order || (s->n_waiting > 0 && is_before (first, &before)))) {
    s->in_order = false;
    s->n_sorted = s->n_waiting;
  }
  s->waiting[s->n_waiting / BLOCK_EVENTS] = h->events;
  s->n_waiting += h->n;
  s->last_waiting = last->date;
  s->order_waiting = last->number;
  return s->n_waiting < MOST_WAITING || write_waiting (s, MOST_BLOCKS / 2);
}

/* ---- the thread that sorts ------------------------------------------------------------------------------------------------ */

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
      packer_give_back (&s->packer, &h.events, 1);
    else if (!take_in (s, &h))
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
  Handed h = { s->block.events, s->block.n, s->block.in_order };

  s->block = (SorterFilling){ .in_order = true };
  if (!s->has_thread) {
    if (s->failed == 0 && !take_in (s, &h))
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
  return s->block.events = packer_take (&s->packer);
}

/* ---- merging ------------------------------------------------------------------------------------------------------------ */

typedef struct Head { /* of a run that is merged */
  const Run *run;
  guint next; /* block */
  TraceEvent *events;
  uint32_t at, n;
} Head;

typedef struct Merge {
  int from, numbers_from;
  ZSTD_DCtx *zstd;
  uint8_t *columns, *packed;
  Head heads[MOST_MERGED];
} Merge;

static bool
next_block (Merge *m, Head *h)
{
  h->at = h->n = 0;
  if (h->next >= h->run->blocks->len)
    return true;
  const Block *b = &g_array_index (h->run->blocks, Block, h->next++);
  size_t bytes;
  const uint8_t *columns = disk_pread (m->from, m->packed, b->bytes, b->at) == (ssize_t) b->bytes
                               ? converted_unpack (m->zstd, m->packed, b->bytes, m->columns, &bytes)
                               : NULL;
  if (!columns || !converted_get_columns (columns, bytes, b->n, h->events, 0, 0)
      || disk_pread (m->numbers_from, m->columns, b->numbers_bytes, b->numbers_at) != (ssize_t) b->numbers_bytes
      || !converted_get_numbers (m->columns, b->numbers_bytes, b->n, h->events)) {
    errno = EIO;
    return false;
  }
  h->n = b->n;
  return true;
}

/* Of two that are alike, that of the run that was written first. */
static inline bool
comes_before (const Head *a, const Head *b)
{
  const TraceEvent *x = &a->events[a->at], *y = &b->events[b->at];

  return is_before (x, y) || (a < b && x->date == y->date && x->number == y->number);
}

/* Heads are an array whose first is the earliest, and each earlier than those at 2i + 1 and 2i + 2. */
static void
sink (Head **heap, guint n, guint i)
{
  for (;;) {
    guint least = i;
    for (guint k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
      if (comes_before (heap[k], heap[least]))
        least = k;
    if (least == i)
      return;
    Head *h = heap[i];
    heap[i] = heap[least];
    heap[least] = h;
    i = least;
  }
}

static bool
merge (Sorter *s, Merge *m, guint n_heads, Run *run, bool (*goes_on) (void *arg), void *arg)
{
  Head *heap[MOST_MERGED];
  TraceEvent *block = packer_take (&s->packer);
  guint n = 0;
  uint32_t filled = 0;
  uint64_t count = 0;
  bool ok = true;

  for (guint i = 0; i < n_heads && ok; i++) {
    ok = next_block (m, &m->heads[i]);
    if (m->heads[i].n > 0)
      heap[n++] = &m->heads[i];
  }
  for (guint i = n / 2 + 1; i-- > 0 && ok;)
    sink (heap, n, i);
  while (n > 0 && ok) {
    Head *h = heap[0];
    block[filled++] = h->events[h->at];
    if (filled == BLOCK_EVENTS) {
      ok = packer_put (&s->packer, run, block, filled);
      block = packer_take (&s->packer);
      filled = 0;
    }
    if (++h->at == h->n)
      ok = ok && next_block (m, h);
    if (h->at == h->n)
      heap[0] = heap[--n];
    sink (heap, n, 0);
    if ((++count & 0xfffff) == 0 && ok) {
      ok = packer_has_room (&s->packer);
      if (ok && goes_on && !goes_on (arg)) {
        errno = ECANCELED;
        ok = false;
      }
    }
  }
  if (ok && filled > 0)
    return packer_put (&s->packer, run, block, filled);
  packer_give_back (&s->packer, &block, 1);
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
    ok = merge (s, m, n, run, goes_on, arg);
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
    m->heads[i].events = packer_take (&s->packer);
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
    if (m->heads[i].events)
      packer_give_back (&s->packer, &m->heads[i].events, 1);
  g_free (m->columns);
  g_free (m->packed);
  ZSTD_freeDCtx (m->zstd);
  errno = why;
  return ok;
}

bool
sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg)
{
  if (s->block.n > 0)
    sorter_hand_over (s);
  end_thread (s);
  bool ok = s->failed == 0 && write_waiting (s, (s->n_waiting + BLOCK_EVENTS - 1) / BLOCK_EVENTS);
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
  Sorter *s = g_new0 (Sorter, 1);
  g_autofree char *events = g_build_filename (folder, "events", NULL);

  s->folder = g_strdup (folder);
  s->in_order = s->block.in_order = true;
  s->runs = g_ptr_array_new_with_free_func (packer_run_free);
  s->packer.fd = disk_open_write (events, NULL);
  s->packer.numbers_fd = open_numbers (folder);
  if (s->packer.fd < 0 || s->packer.numbers_fd < 0)
    s->packer.failed = errno ? errno : EIO;
  packer_start (&s->packer);
  pthread_mutex_init (&s->lock, NULL);
  pthread_cond_init (&s->changed, NULL);
  s->has_thread = pthread_create (&s->thread, NULL, sort_all, s) == 0;
  return s;
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
  free (s->keys);
  g_free (s->ends);
  g_free (s->folder);
  g_free (s);
}
