/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.c - events in order of date.
 *
 * Half a million of them wait together; when there is no room for more they are sorted and the earlier half is written.
 * As long as what is written goes on where it ended, that is all: one run.  Else another run begins, and in the end all
 * runs are merged.  What waits lies in blocks of the size that is written, so most events are copied once. */
#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "readers/sorter.h"

#define MOST_BLOCKS 128 /* that wait together: 32 MiB */
#define MOST_WAITING (MOST_BLOCKS * BLOCK_EVENTS)
#define MOST_QUEUED 64 /* blocks that are not packed yet */
#define MOST_PACKERS 4
#define MOST_MERGED 128 /* runs at once: each has a block in memory */
#define DIGIT_BITS 11
#define FEW_STRETCHES 8 /* that are in order: merged sooner than sorted */
#define FETCHED_AHEAD 8
#define LEAST_FREE (256 * DISK_MIB) /* is left to others on the disk */

typedef struct Run {
  GArray *blocks; /* of Block: the packing thread's */
  int64_t last;   /* date, */
  uint64_t order; /* and number, of its last event */
} Run;

typedef struct Job {
  Run *run;
  TraceEvent *events;
  uint32_t n;
  uint64_t turn; /* jobs are written in the order in which they came */
} Job;

/* The threads that pack blocks and write them. */
typedef struct Packer {
  pthread_t threads[MOST_PACKERS];
  int n_threads; /* 0: what they do is done at once */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GQueue jobs;                 /* of Job */
  uint64_t n_given, n_written; /* jobs */
  bool stops;
  int failed; /* errno */
  int fd;     /* what is written to, and where; changed only while there is nothing to do */
  uint64_t at;
  int numbers_fd; /* the same of the numbers of events, which only those who merge want; -1: nobody does */
  uint64_t numbers_at;
  GPtrArray *spare; /* blocks of events that are free again */
} Packer;

/* What one that packs works in. */
typedef struct Bench {
  uint8_t *columns, *packed, *numbers;
  ZSTD_CCtx *zstd;
} Bench;

typedef struct Key {
  int64_t date;
  uint64_t order;
  uint32_t place;
} Key;

struct Sorter {
  char *folder;
  TraceEvent *waiting[MOST_BLOCKS];
  uint32_t n_waiting;
  bool in_order;     /* those that wait are, */
  uint32_t n_sorted; /* or if not, as many of the first of them */
  int64_t last;      /* date, and number, of the one that came last */
  uint64_t order;
  Key *keys;       /* room for sorting, twice as many as can wait; NULL: not wanted yet */
  uint32_t *ends;  /* of stretches that are in order: a place more than there are blocks, then a block's */
  GPtrArray *runs; /* of Run */
  Packer packer;
};

static void
free_run (void *p)
{
  Run *r = p;

  g_array_unref (r->blocks);
  g_free (r);
}

static Run *
new_run (void)
{
  Run *run = g_new0 (Run, 1);

  run->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  run->last = INT64_MIN;
  return run;
}

/* ---- packing ------------------------------------------------------------------------------------------------------------ */

static Bench
bench_new (void)
{
  Bench b = { g_malloc (COLUMNS_BYTES), g_malloc (ZSTD_compressBound (COLUMNS_BYTES)), g_malloc (NUMBERS_BYTES),
              ZSTD_createCCtx () };

  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_hashLog, 12); /* its table stays in the nearest cache: a quarter less time */
  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_minMatch, 7);
  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_checksumFlag, 1);
  return b;
}

static void
bench_free (Bench *b)
{
  ZSTD_freeCCtx (b->zstd);
  g_free (b->columns);
  g_free (b->packed);
  g_free (b->numbers);
}

/* Into b->packed and b->numbers; how many bytes these are, and what else there is to say, into `block`.  False: zstd
 * refuses. */
static bool
pack (const Bench *b, const Job *j, bool numbers, Block *block)
{
  size_t plain = converted_put_columns (j->events, j->n, b->columns),
         bytes = ZSTD_compress2 (b->zstd, b->packed, ZSTD_compressBound (COLUMNS_BYTES), b->columns, plain);

  *block = (Block){
    .bytes = (uint32_t) bytes, .n = j->n, .first = j->events[0].date, .last = j->events[j->n - 1].date
  };
  if (numbers)
    block->numbers_bytes = (uint32_t) converted_put_numbers (j->events, j->n, b->numbers);
  return !ZSTD_isError (bytes);
}

/* Gives 0, or what went wrong. */
static int
write_packed (Packer *p, const Bench *b, const Job *j, Block *block)
{
  block->at = p->at;
  block->numbers_at = p->numbers_at;
  if (!disk_pwrite (p->fd, b->packed, block->bytes, p->at)
      || (block->numbers_bytes > 0 && !disk_pwrite (p->numbers_fd, b->numbers, block->numbers_bytes, p->numbers_at)))
    return errno ? errno : EIO;
  g_array_append_vals (j->run->blocks, block, 1);
  p->at += block->bytes;
  p->numbers_at += block->numbers_bytes;
  return 0;
}

/* With the lock held; it is given up while there is something to do. */
static void
do_job (Packer *p, const Bench *b, Job *j)
{
  bool wanted = p->failed == 0, numbers = p->numbers_fd >= 0;
  Block block;
  pthread_mutex_unlock (&p->lock);
  bool packed = wanted && pack (b, j, numbers, &block);
  pthread_mutex_lock (&p->lock);
  while (p->n_written != j->turn)
    pthread_cond_wait (&p->changed, &p->lock);
  if (wanted && p->failed == 0) {
    pthread_mutex_unlock (&p->lock); /* nobody else's turn comes before this one's is over */
    int failed = packed ? write_packed (p, b, j, &block) : ENOMEM;
    pthread_mutex_lock (&p->lock);
    p->failed = p->failed ? p->failed : failed;
  }
  p->n_written++;
  g_ptr_array_add (p->spare, j->events);
  g_free (j);
  pthread_cond_broadcast (&p->changed);
}

static void *
pack_all (void *arg)
{
  Packer *p = arg;
  Bench b = bench_new ();

  pthread_mutex_lock (&p->lock);
  for (;;) {
    Job *j = g_queue_pop_head (&p->jobs);
    if (!j && p->stops)
      break;
    if (j)
      do_job (p, &b, j);
    else
      pthread_cond_wait (&p->changed, &p->lock);
  }
  pthread_mutex_unlock (&p->lock);
  bench_free (&b);
  return NULL;
}

/* One thread less than there are processors, for the one that reads. */
static void
start_packer (Packer *p)
{
  int most = (int) CLAMP (g_get_num_processors () - 1, 1, MOST_PACKERS);

  pthread_mutex_init (&p->lock, NULL);
  pthread_cond_init (&p->changed, NULL);
  g_queue_init (&p->jobs);
  p->spare = g_ptr_array_new_with_free_func (g_free);
  while (p->n_threads < most && pthread_create (&p->threads[p->n_threads], NULL, pack_all, p) == 0)
    p->n_threads++;
}

static void
stop_packer (Packer *p)
{
  pthread_mutex_lock (&p->lock);
  p->stops = true;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
  for (int i = 0; i < p->n_threads; i++)
    pthread_join (p->threads[i], NULL);
  pthread_mutex_destroy (&p->lock);
  pthread_cond_destroy (&p->changed);
  g_ptr_array_unref (p->spare);
}

/* Room for BLOCK_EVENTS events. */
static TraceEvent *
take_block (Packer *p)
{
  TraceEvent *events = NULL;

  pthread_mutex_lock (&p->lock);
  if (p->spare->len > 0)
    events = g_ptr_array_steal_index_fast (p->spare, p->spare->len - 1);
  pthread_mutex_unlock (&p->lock);
  return events ? events : g_new (TraceEvent, BLOCK_EVENTS);
}

/* The block goes on to the disk, and back among those to be taken. */
static bool
give_block (Packer *p, Run *run, TraceEvent *events, uint32_t n)
{
  Job *j = g_new (Job, 1);

  *j = (Job){ run, events, n, 0 };
  run->last = events[n - 1].date;
  run->order = events[n - 1].number;
  pthread_mutex_lock (&p->lock);
  j->turn = p->n_given++;
  while (p->n_threads > 0 && p->jobs.length >= MOST_QUEUED)
    pthread_cond_wait (&p->changed, &p->lock);
  if (p->n_threads > 0) {
    g_queue_push_tail (&p->jobs, j);
    pthread_cond_broadcast (&p->changed);
  } else {
    Bench b = bench_new ();
    do_job (p, &b, j);
    bench_free (&b);
  }
  int failed = p->failed;
  pthread_mutex_unlock (&p->lock);
  errno = failed ? failed : errno;
  return failed == 0;
}

/* Waits until all that was given is on the disk. */
static bool
drain (Packer *p)
{
  pthread_mutex_lock (&p->lock);
  while (p->n_written < p->n_given)
    pthread_cond_wait (&p->changed, &p->lock);
  int failed = p->failed;
  pthread_mutex_unlock (&p->lock);
  errno = failed ? failed : errno;
  return failed == 0;
}

/* The disk is looked at now and then: what others need of it is left. */
static bool
has_room (const Packer *p)
{
  struct statvfs fs;

  if (fstatvfs (p->fd, &fs) == 0 && (uint64_t) fs.f_bavail * fs.f_frsize < LEAST_FREE) {
    errno = ENOSPC;
    return false;
  }
  return true;
}

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
  TraceEvent *to = take_block (&s->packer);
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
    s->keys = g_new (Key, 2 * MOST_WAITING);
    s->ends = g_new (uint32_t, MOST_BLOCKS + 1 + BLOCK_EVENTS);
  }
  uint32_t from = sort_keys (s), first = from / BLOCK_EVENTS, n_blocks = (n + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
  for (uint32_t b = first; b < n_blocks; b++)
    sorted[b] = sorted_block (s, b, from);
  pthread_mutex_lock (&s->packer.lock);
  for (uint32_t b = first; b < n_blocks; b++)
    if (sorted[b]) {
      g_ptr_array_add (s->packer.spare, s->waiting[b]);
      s->waiting[b] = sorted[b];
    }
  pthread_mutex_unlock (&s->packer.lock);
  const TraceEvent *last = waiting (s, n - 1);
  s->last = last->date;
  s->order = last->number;
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
    run = new_run ();
    g_ptr_array_add (s->runs, run);
  }
  for (uint32_t b = 0; b < n; b++) {
    uint32_t events = MIN (BLOCK_EVENTS, s->n_waiting);
    ok = give_block (&s->packer, run, s->waiting[b], events) && ok;
    s->n_waiting -= events;
  }
  memmove (s->waiting, s->waiting + n, (MOST_BLOCKS - n) * sizeof *s->waiting);
  memset (s->waiting + MOST_BLOCKS - n, 0, n * sizeof *s->waiting);
  return ok && has_room (&s->packer);
}

TraceEvent *
sorter_room (Sorter *s)
{
  uint32_t block = s->n_waiting / BLOCK_EVENTS;

  if (G_UNLIKELY (!s->waiting[block]))
    s->waiting[block] = take_block (&s->packer);
  return &s->waiting[block][s->n_waiting % BLOCK_EVENTS];
}

bool
sorter_put (Sorter *s)
{
  const TraceEvent *e = waiting (s, s->n_waiting);

  if (s->in_order && s->n_waiting > 0 && (e->date < s->last || (e->date == s->last && e->number < s->order))) {
    s->in_order = false;
    s->n_sorted = s->n_waiting;
  }
  s->n_waiting++;
  s->last = e->date;
  s->order = e->number;
  return s->n_waiting < MOST_WAITING || write_waiting (s, MOST_BLOCKS / 2);
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
  size_t bytes = disk_pread (m->from, m->packed, b->bytes, b->at) == (ssize_t) b->bytes
                     ? ZSTD_decompressDCtx (m->zstd, m->columns, COLUMNS_BYTES - 8, m->packed, b->bytes)
                     : 0;
  if (ZSTD_isError (bytes) || !converted_get_columns (m->columns, bytes, b->n, h->events, 0, 0)
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
  TraceEvent *block = take_block (&s->packer);
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
      ok = give_block (&s->packer, run, block, filled);
      block = take_block (&s->packer);
      filled = 0;
    }
    if (++h->at == h->n)
      ok = ok && next_block (m, h);
    if (h->at == h->n)
      heap[0] = heap[--n];
    sink (heap, n, 0);
    if ((++count & 0xfffff) == 0 && ok) {
      ok = has_room (&s->packer);
      if (ok && goes_on && !goes_on (arg)) {
        errno = ECANCELED;
        ok = false;
      }
    }
  }
  if (ok && filled > 0)
    return give_block (&s->packer, run, block, filled);
  g_free (block);
  return ok;
}

/* Merges runs into fewer ones, in another file, which is the sorter's file then. */
static bool
merge_once (Sorter *s, Merge *m, const char *name, bool (*goes_on) (void *arg), void *arg)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (free_run);
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
    Run *run = new_run ();
    g_ptr_array_add (runs, run);
    ok = merge (s, m, n, run, goes_on, arg);
  }
  int why = errno;
  bool written = drain (p);
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
  m->packed = g_malloc (ZSTD_compressBound (COLUMNS_BYTES));
  for (guint i = 0; i < MIN (MOST_MERGED, s->runs->len); i++)
    m->heads[i].events = take_block (&s->packer);
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
    g_free (m->heads[i].events);
  g_free (m->columns);
  g_free (m->packed);
  ZSTD_freeDCtx (m->zstd);
  errno = why;
  return ok;
}

bool
sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg)
{
  bool ok = write_waiting (s, (s->n_waiting + BLOCK_EVENTS - 1) / BLOCK_EVENTS);
  int why = errno;

  if (!drain (&s->packer))
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
  s->in_order = true;
  s->runs = g_ptr_array_new_with_free_func (free_run);
  s->packer.fd = disk_open_write (events, NULL);
  s->packer.numbers_fd = open_numbers (folder);
  if (s->packer.fd < 0 || s->packer.numbers_fd < 0)
    s->packer.failed = errno ? errno : EIO;
  start_packer (&s->packer);
  return s;
}

void
sorter_free (Sorter *s)
{
  if (!s)
    return;
  stop_packer (&s->packer);
  if (s->packer.fd >= 0)
    close (s->packer.fd);
  if (s->packer.numbers_fd >= 0)
    close (s->packer.numbers_fd);
  for (guint i = 0; i < MOST_BLOCKS; i++)
    g_free (s->waiting[i]);
  g_ptr_array_unref (s->runs);
  g_free (s->keys);
  g_free (s->ends);
  g_free (s->folder);
  g_free (s);
}
