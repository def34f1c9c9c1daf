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
#define MOST_MERGED 128             /* runs at once: each has a block in memory */
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
  GPtrArray *spare; /* blocks of events that are free again */
} Packer;

/* What one that packs works in. */
typedef struct Bench {
  uint8_t *columns, *packed;
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
  bool in_order; /* those that wait are */
  int64_t last;  /* date, and number, of the one that came last */
  uint64_t order;
  Key *keys; /* room for sorting, twice as many as can wait; NULL: not wanted yet */
  uint32_t *ends;
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
  Bench b = { g_malloc (COLUMNS_BYTES), g_malloc (ZSTD_compressBound (COLUMNS_BYTES)), ZSTD_createCCtx () };

  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter (b.zstd, ZSTD_c_checksumFlag, 1);
  return b;
}

static void
bench_free (Bench *b)
{
  ZSTD_freeCCtx (b->zstd);
  g_free (b->columns);
  g_free (b->packed);
}

/* Bytes in b->packed, or an error of zstd. */
static size_t
pack (const Bench *b, const Job *j)
{
  size_t plain = converted_put_columns (j->events, j->n, b->columns);

  return ZSTD_compress2 (b->zstd, b->packed, ZSTD_compressBound (COLUMNS_BYTES), b->columns, plain);
}

/* Gives 0, or what went wrong. */
static int
write_packed (Packer *p, const Bench *b, const Job *j, size_t bytes)
{
  Block block = {
    .at = p->at, .bytes = (uint32_t) bytes, .n = j->n, .first = j->events[0].date, .last = j->events[j->n - 1].date
  };

  if (ZSTD_isError (bytes))
    return ENOMEM;
  if (!disk_pwrite (p->fd, b->packed, bytes, p->at))
    return errno ? errno : EIO;
  g_array_append_val (j->run->blocks, block);
  p->at += bytes;
  return 0;
}

/* With the lock held; it is given up while there is something to do. */
static void
do_job (Packer *p, const Bench *b, Job *j)
{
  bool wanted = p->failed == 0;
  pthread_mutex_unlock (&p->lock);
  size_t bytes = wanted ? pack (b, j) : 0;
  pthread_mutex_lock (&p->lock);
  while (p->n_written != j->turn)
    pthread_cond_wait (&p->changed, &p->lock);
  if (wanted && p->failed == 0) {
    pthread_mutex_unlock (&p->lock); /* nobody else's turn comes before this one's is over */
    int failed = write_packed (p, b, j, bytes);
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

/* ---- sorting ------------------------------------------------------------------------------------------------------------ */

/* Of one date, the one that was given first. */
static inline bool
is_before (const TraceEvent *a, const TraceEvent *b)
{
  return a->date < b->date || (a->date == b->date && a->number < b->number);
}

static inline bool
comes_first (const Key *a, const Key *b)
{
  return a->date < b->date || (a->date == b->date && a->order < b->order);
}

/* Merges what is in order already, stretch by stretch: nearly nothing is to be done when nearly all is.  `other` and
 * `ends` are as large as `keys`; gives one of the two. */
static Key *
sort_keys (Key *keys, Key *other, uint32_t *ends, uint32_t n)
{
  uint32_t n_ends = 0;

  for (uint32_t i = 1; i <= n; i++)
    if (i == n || comes_first (&keys[i], &keys[i - 1]))
      ends[n_ends++] = i;
  while (n_ends > 1) {
    uint32_t begin = 0, kept = 0;
    for (uint32_t k = 0; k < n_ends; k += 2) {
      uint32_t middle = ends[k], end = k + 1 < n_ends ? ends[k + 1] : middle, i = begin, j = middle;
      for (uint32_t at = begin; at < end; at++)
        other[at] = j >= end || (i < middle && comes_first (&keys[i], &keys[j])) ? keys[i++] : keys[j++];
      ends[kept++] = begin = end;
    }
    Key *swap = keys;
    keys = other;
    other = swap;
    n_ends = kept;
  }
  return keys;
}

static inline TraceEvent *
waiting (Sorter *s, uint32_t i)
{
  return &s->waiting[i / BLOCK_EVENTS][i % BLOCK_EVENTS];
}

static void
sort_waiting (Sorter *s)
{
  uint32_t n = s->n_waiting, n_blocks = (n + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
  TraceEvent *sorted[MOST_BLOCKS];

  if (s->in_order)
    return;
  if (!s->keys) {
    s->keys = g_new (Key, 2 * MOST_WAITING);
    s->ends = g_new (uint32_t, MOST_WAITING + 1);
  }
  Key *keys = s->keys;
  for (uint32_t i = 0; i < n; i++) {
    const TraceEvent *e = waiting (s, i);
    keys[i] = (Key){ e->date, e->number, i };
  }
  keys = sort_keys (keys, keys + MOST_WAITING, s->ends, n);
  for (uint32_t b = 0; b < n_blocks; b++)
    sorted[b] = take_block (&s->packer);
  for (uint32_t i = 0; i < n; i++)
    sorted[i / BLOCK_EVENTS][i % BLOCK_EVENTS] = *waiting (s, keys[i].place);
  pthread_mutex_lock (&s->packer.lock);
  for (uint32_t b = 0; b < n_blocks; b++) {
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

bool
sorter_put_as (Sorter *s, const TraceEvent *e, uint64_t record, uint64_t number)
{
  uint32_t block = s->n_waiting / BLOCK_EVENTS, at = s->n_waiting % BLOCK_EVENTS;

  if (!s->waiting[block])
    s->waiting[block] = take_block (&s->packer);
  TraceEvent *to = &s->waiting[block][at];
  *to = *e;
  to->record = TRACE_RECORD (record);
  to->number = number;
  if (s->n_waiting++ > 0 && (e->date < s->last || (e->date == s->last && number < s->order)))
    s->in_order = false;
  s->last = e->date;
  s->order = number;
  return s->n_waiting < MOST_WAITING || write_waiting (s, MOST_BLOCKS / 2);
}

bool
sorter_put (Sorter *s, const TraceEvent *e)
{
  return sorter_put_as (s, e, e->record, e->number);
}

/* ---- merging ------------------------------------------------------------------------------------------------------------ */

typedef struct Head { /* of a run that is merged */
  const Run *run;
  guint next; /* block */
  TraceEvent *events;
  uint32_t at, n;
} Head;

typedef struct Merge {
  int from;
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
                     ? ZSTD_decompressDCtx (m->zstd, m->columns, COLUMNS_BYTES, m->packed, b->bytes)
                     : 0;
  if (ZSTD_isError (bytes) || !converted_get_columns (m->columns, bytes, b->n, h->events)) {
    errno = EIO;
    return false;
  }
  h->n = b->n;
  return true;
}

static inline bool
comes_before (const Head *a, const Head *b)
{
  return is_before (&a->events[a->at], &b->events[b->at]);
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
  int fd = disk_open_write (name, NULL);
  bool ok = fd >= 0;

  if (!ok)
    return false;
  m->from = p->fd;
  p->fd = fd;
  p->at = 0;
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
  if (s->packer.fd < 0)
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
  for (guint i = 0; i < MOST_BLOCKS; i++)
    g_free (s->waiting[i]);
  g_ptr_array_unref (s->runs);
  g_free (s->keys);
  g_free (s->ends);
  g_free (s->folder);
  g_free (s);
}
