/* SPDX-License-Identifier: Apache-2.0 */
/* packer.c - blocks of events, packed by threads of their own and written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include "eve/disk.h"
#include "readers/packer.h"
#include "readers/vectors.h"

#define MOST_QUEUED 16        /* blocks that are not packed yet */
#define TRIED_EVERY 16        /* blocks: whether packing pays by now */
#define LARGE_PAGE (2u << 20) /* asking for small ones one by one is a tenth of all time */
#define SLAB_BYTES LARGE_PAGE
#define LEAST_FREE (256 * DISK_MIB) /* is left to others on the disk */

/* Two results are kept: the one that a job asks for must not be written over before it has asked. */
_Static_assert(TRIED_EVERY >= 2 * MOST_PACKERS, "the result of a trial lasts until the last job that asks for it");

typedef struct Job {
  Run *run;
  uint64_t turn; /* jobs are written in the order in which they came */
  uint32_t n;
  const TraceEvent *whole; /* they lie side by side; else NULL */
  const TraceEvent **events;
  Take *takes;
  guint n_takes;
  Block written; /* n 0: it is not */
  uint8_t *bytes, *numbers;
} Job;

/* What one that packs works in. */
typedef struct Bench {
  uint8_t *columns, *packed, *numbers;
  EventWords *words;
  bool wide;
  uint16_t *which; /* events of the job at hand are watched */
  uint32_t n_which;
  ZSTD_CCtx *zstd;
} Bench;

void
packer_run_free (void *p)
{
  Run *r = p;

  g_array_unref (r->blocks);
  g_free (r);
}

Run *
packer_run_new (void)
{
  Run *run = g_new0 (Run, 1);

  run->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  run->last = INT64_MIN;
  return run;
}

static void
packer_job_free (Job *j)
{
  g_free (j->events);
  g_free (j->takes);
  g_free (j->bytes);
  g_free (j->numbers);
  g_free (j);
}

static Bench
bench_new (void)
{
  return (Bench){ .columns = g_malloc (BLOCK_PLAIN_HEAD + COLUMNS_BYTES),
                  .packed = g_malloc (BLOCK_PACKED_BYTES),
                  .numbers = g_malloc (NUMBERS_BYTES),
                  .words = g_new (EventWords, 1),
                  .wide = has_vectors (),
                  .which = g_new (uint16_t, BLOCK_EVENTS),
                  .zstd = converted_packing () };
}

static void
bench_free (Bench *b)
{
  ZSTD_freeCCtx (b->zstd);
  g_free (b->columns);
  g_free (b->packed);
  g_free (b->numbers);
  g_free (b->words);
  g_free (b->which);
}

static inline const TraceEvent *
packer_event_of (const Job *j, uint32_t i)
{
  return j->whole ? j->whole + i : j->events[i];
}

/* Whether packing pays is tried now and then, and so it is for those that come MOST_PACKERS later and more: jobs are
 * done in the order in which they came, each of those that pack holds one until all before it are written, so by then
 * the trial is over.  So the same events become the same bytes, whoever is quicker.
 *
 * Gives what is to be written; how many bytes these are, and what else there is to say, is put into `block`. */
static const uint8_t *
pack (Packer *p, Bench *b, const Job *j, bool numbers, Block *block)
{
  b->n_which = 0;
  if (j->written.n > 0) {
    *block = j->written;
    block->numbers_bytes = numbers ? block->numbers_bytes : 0;
    return j->bytes;
  }
  converted_take_words (b->words, j->whole, j->events, j->n, b->wide);
  const uint64_t behind = j->turn - MOST_PACKERS; /* what was tried by then is known, however many pack */
  bool tried = j->turn % TRIED_EVERY == 0 || j->turn < MOST_PACKERS;
  bool pays = tried || __atomic_load_n (&p->pays[behind / TRIED_EVERY % 2], __ATOMIC_RELAXED);
  size_t bytes, plain = converted_put_columns (b->words, j->n, b->columns + BLOCK_PLAIN_HEAD, b->wide);
  const uint8_t *packed = converted_pack (b->zstd, b->columns, plain, j->n, b->packed, &pays, &bytes);

  if (j->turn % TRIED_EVERY == 0)
    __atomic_store_n (&p->pays[j->turn / TRIED_EVERY % 2], pays, __ATOMIC_RELAXED);
  if (p->watch.see)
    b->n_which = converted_which_kinds (b->words, j->n, p->watch.kinds, b->which);
  *block = (Block){ .bytes = (uint32_t) bytes,
                    .n = j->n,
                    .first = packer_event_of (j, 0)->date,
                    .last = packer_event_of (j, j->n - 1)->date };
  if (numbers)
    block->numbers_bytes = (uint32_t) converted_put_numbers (b->words, j->n, b->numbers, b->wide);
  return packed;
}

/* Gives 0, or what went wrong. */
static int
write_packed (Packer *p, const Bench *b, const Job *j, const uint8_t *packed, Block *block)
{
  const uint8_t *numbers = j->written.n > 0 ? j->numbers : b->numbers;

  block->at = p->at;
  block->numbers_at = p->numbers_at;
  if (!disk_pwrite (p->fd, packed, block->bytes, p->at)
      || (block->numbers_bytes > 0 && !disk_pwrite (p->numbers_fd, numbers, block->numbers_bytes, p->numbers_at)))
    return errno ? errno : EIO;
  g_array_append_vals (j->run->blocks, block, 1);
  p->at += block->bytes;
  p->numbers_at += block->numbers_bytes;
  return 0;
}

/* With the lock held. */
static void
packer_release_locked (Packer *p, const Take *takes, guint n)
{
  for (guint i = 0; i < n; i++) {
    EventBlock *from = takes[i].from;
    from->left -= takes[i].n;
    if (from->left == 0)
      g_ptr_array_add (p->spare, from);
  }
}

/* It is this job's turn: whoever watches sees its events. */
static void
packer_watch (Packer *p, const Bench *b, const Job *j, uint32_t n)
{
  if (!p->watched)
    p->watched = j->run;
  p->watch_fails |= p->watched != j->run;
  for (uint32_t i = 0; i < b->n_which && !p->watch_fails; i++)
    p->watch.see (p->watch.arg, packer_event_of (j, b->which[i]), p->n_watched + b->which[i]);
  p->n_watched += n;
}

/* With the lock held; it is given up while there is something to do. */
static void
do_job (Packer *p, Bench *b, Job *j)
{
  bool wanted = p->failed == 0, numbers = p->numbers_fd >= 0;
  Block block;
  pthread_mutex_unlock (&p->lock);
  const uint8_t *packed = wanted ? pack (p, b, j, numbers, &block) : NULL;
  bool waits = wanted && b->n_which > 0; /* what is watched lies in blocks that are taken */
  pthread_mutex_lock (&p->lock);
  if (!waits)
    packer_release_locked (p, j->takes, j->n_takes);
  while (p->n_written != j->turn)
    pthread_cond_wait (&p->changed, &p->lock);
  if (wanted && p->failed == 0) {
    pthread_mutex_unlock (&p->lock); /* nobody else's turn comes before this one's is over */
    int failed = write_packed (p, b, j, packed, &block);
    if (p->watch.see)
      packer_watch (p, b, j, block.n);
    pthread_mutex_lock (&p->lock);
    p->failed = p->failed ? p->failed : failed;
  }
  if (waits)
    packer_release_locked (p, j->takes, j->n_takes);
  p->n_written++;
  packer_job_free (j);
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

void
packer_start (Packer *p, int most)
{
  pthread_mutex_init (&p->lock, NULL);
  pthread_cond_init (&p->changed, NULL);
  g_queue_init (&p->jobs);
  p->spare = g_ptr_array_new ();
  p->slabs = g_ptr_array_new_with_free_func (free);
  while (p->n_threads < most && pthread_create (&p->threads[p->n_threads], NULL, pack_all, p) == 0)
    p->n_threads++;
}

void
packer_stop (Packer *p)
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
  g_ptr_array_unref (p->slabs);
}

static void *
large_pages (size_t bytes)
{
  void *pages = NULL;

  if (posix_memalign (&pages, LARGE_PAGE, bytes) != 0)
    g_error ("there is no memory for %zu bytes", bytes);
#ifdef MADV_HUGEPAGE
  madvise (pages, bytes, MADV_HUGEPAGE);
#endif
  return pages;
}

/* Some blocks more.  With the lock held. */
static void
add_slab (Packer *p)
{
  char *slab = large_pages (SLAB_BYTES);

  g_ptr_array_add (p->slabs, slab);
  for (size_t at = 0; at + sizeof (EventBlock) <= SLAB_BYTES; at += sizeof (EventBlock))
    g_ptr_array_add (p->spare, slab + at);
}

EventBlock *
packer_take (Packer *p)
{
  pthread_mutex_lock (&p->lock);
  if (p->spare->len == 0)
    add_slab (p);
  EventBlock *block = g_ptr_array_steal_index (p->spare, 0);
  pthread_mutex_unlock (&p->lock);
  return block;
}

void
packer_release (Packer *p, const Take *takes, guint n)
{
  pthread_mutex_lock (&p->lock);
  packer_release_locked (p, takes, n);
  pthread_mutex_unlock (&p->lock);
}

static bool
put_job (Packer *p, Job *j)
{
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

bool
packer_put (Packer *p, Run *run, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n,
            const Take *takes, guint n_takes)
{
  Job *j = g_new (Job, 1);
  const TraceEvent *last = whole ? whole + n - 1 : events[n - 1];

  *j = (Job){ .run = run,
              .n = n,
              .whole = whole,
              .events = whole ? NULL : g_memdup2 (events, n * sizeof (const TraceEvent *)),
              .takes = g_memdup2 (takes, n_takes * sizeof *takes),
              .n_takes = n_takes };
  run->last = last->date;
  run->order = last->number;
  return put_job (p, j);
}

bool
packer_put_written (Packer *p, Run *run, const Block *block, const void *bytes, const void *numbers, Stamp last)
{
  Job *j = g_new (Job, 1);

  *j = (Job){ .run = run,
              .written = *block,
              .bytes = g_memdup2 (bytes, block->bytes),
              .numbers = g_memdup2 (numbers, block->numbers_bytes) };
  run->last = last.date;
  run->order = last.order;
  return put_job (p, j);
}

bool
packer_drain (Packer *p)
{
  pthread_mutex_lock (&p->lock);
  while (p->n_written < p->n_given)
    pthread_cond_wait (&p->changed, &p->lock);
  int failed = p->failed;
  pthread_mutex_unlock (&p->lock);
  errno = failed ? failed : errno;
  return failed == 0;
}

bool
packer_has_room (const Packer *p)
{
  struct statvfs fs;

  if (fstatvfs (p->fd, &fs) == 0 && (uint64_t) fs.f_bavail * fs.f_frsize < LEAST_FREE) {
    errno = ENOSPC;
    return false;
  }
  return true;
}
