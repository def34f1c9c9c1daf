/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RESERVE (UINT64_C (1) << 36)
#define CHUNK (UINT64_C (1) << 18) /* the file grows by this much */
#define FIRST_BLOCK 2048u

/* -- the file -- */

bool
writer_open (Writer *w, const char *path, uint64_t run, int64_t began)
{
  TapeEventsHeader h = { .order = TAPE_ORDER,
                         .version = TAPE_VERSION,
                         .run = run,
                         .ticks_per_second = 1000000000,
                         .began = began,
                         .first_block = sizeof h };
  pthread_mutexattr_t attributes;

  *w = (Writer){ .fd = -1, .pipe = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
  memcpy (h.magic, TAPE_EVENTS_MAGIC, sizeof h.magic);
  w->space = mmap (NULL, sizeof *w->space, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  w->fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (w->space == MAP_FAILED || w->fd < 0)
    return false;
  /* Blocks of the disk are really taken: in a sparse file a full disk would be a SIGBUS in the middle of the
   * program. */
  errno = posix_fallocate (w->fd, 0, (off_t) CHUNK);
  if (errno || pwrite (w->fd, &h, sizeof h, 0) != (ssize_t) sizeof h)
    return false;
  w->space->end = sizeof h;
  w->space->size = CHUNK;
  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust (&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init (&w->space->mutex, &attributes);
  pthread_mutexattr_destroy (&attributes);
  for (w->reserved = RESERVE; w->reserved >= CHUNK; w->reserved /= 2) {
    w->base = mmap (NULL, w->reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, w->fd, 0);
    if (w->base != MAP_FAILED)
      return true;
  }
  return false;
}

void
writer_close (Writer *w)
{
  if (ftruncate (w->fd, (off_t) w->space->end) != 0)
    perror ("ouf: events");
  munmap (w->base, w->reserved);
  munmap (w->space, sizeof *w->space);
  close (w->fd);
}

void
writer_task (Writer *w, uint32_t task, uint16_t physical, uint16_t virtual_processor)
{
  w->task = task;
  w->physical = physical;
  w->virtual_processor = virtual_processor;
  w->block = NULL;
  w->last = NULL;
  w->at = w->limit = NULL;
  w->count = 0;
  w->before = 0;
  w->capacity = FIRST_BLOCK;
  w->date = 0;
}

uint64_t
writer_block (const Writer *w)
{
  return w->block ? (uint64_t) ((uint8_t *) w->block - w->base) : 0;
}

/* -- blocks -- */

static void
lock_space (WriterSpace *s)
{
  if (pthread_mutex_lock (&s->mutex) == EOWNERDEAD)
    pthread_mutex_consistent (&s->mutex);
}

/* The head is written before the block counts as one, so that a walk through the file never meets a gap. */
static bool
new_block (Writer *w, uint32_t need)
{
  WriterSpace *s = w->space;
  uint32_t capacity = w->capacity;
  TapeBlock *b = NULL;
  int saved = errno;

  while (capacity < need + sizeof (TapeBlock))
    capacity *= 2;
  lock_space (s);
  if (s->end + capacity > s->size && s->size + CHUNK <= w->reserved
      && (errno = posix_fallocate (w->fd, (off_t) s->size, (off_t) CHUNK)) == 0)
    s->size += CHUNK;
  if (s->end + capacity <= s->size) {
    b = (TapeBlock *) (w->base + s->end);
    *b = (TapeBlock){ .magic = TAPE_BLOCK_MAGIC,
                      .task = w->task,
                      .capacity = capacity,
                      .before = w->before,
                      .previous = writer_block (w) };
    atomic_store (&ouf.tasks[w->task].next, s->end);
    s->end += capacity;
  } else {
    fprintf (stderr, "ouf: events: cannot grow beyond %llu bytes: %s; task %u is recorded up to here\n",
             (unsigned long long) s->size, strerror (errno), w->task);
    w->off = true;
  }
  pthread_mutex_unlock (&s->mutex);
  errno = saved;
  if (!b)
    return false;
  w->block = b;
  atomic_store (&ouf.tasks[w->task].block, writer_block (w));
  w->last = NULL;
  w->count = 0;
  w->at = (uint8_t *) (b + 1);
  w->limit = (uint8_t *) b + capacity;
#ifdef MADV_POPULATE_WRITE
  /* All pages at once cost less than one by one in the middle of events; where that cannot be, they come
   * anyway. */
  madvise ((void *) ((uintptr_t) b & ~(uintptr_t) 4095), capacity, MADV_POPULATE_WRITE);
#endif
  if (w->capacity < WRITER_MAX_BLOCK)
    w->capacity *= 2;
  return true;
}

void
writer_close_block (Writer *w)
{
  TapeBlock *b = w->block;
  uint64_t offset = writer_block (w);

  if (!b || b->length)
    return;
  if (w->last) {
    b->count = w->count;
    b->tail = (uint32_t) ((uint8_t *) w->last - (uint8_t *) b);
    b->first = ((TapeEvent *) (b + 1))->date;
    b->last = w->last->date;
  }
  w->before += w->count;
  __atomic_store_n (&b->length, (uint32_t) (w->at - (uint8_t *) b), __ATOMIC_RELEASE);
  w->limit = w->at;
  if (w->pipe >= 0 && w->last)
    while (write (w->pipe, &offset, sizeof offset) < 0 && errno == EINTR)
      continue;
}

/* It may have been killed when a new block was its own and it did not know yet, or when it was about to be.
 */
uint64_t
writer_last (Writer *w, uint32_t task)
{
  uint64_t block = atomic_load (&ouf.tasks[task].block), next = atomic_load (&ouf.tasks[task].next);
  const TapeBlock *b = (const TapeBlock *) (w->base + next);

  lock_space (w->space);
  if (next && next < w->space->end && b->task == task)
    block = next;
  pthread_mutex_unlock (&w->space->mutex);
  return block;
}

/* What a dead task left: the events up to one whose length was not written yet. */
void
writer_adopt (Writer *w, uint64_t block)
{
  TapeBlock *b = (TapeBlock *) (w->base + block);
  TapeEvent *e = (TapeEvent *) (b + 1);

  if (!block)
    return;
  w->block = b;
  w->before = b->before;
  w->limit = (uint8_t *) b + b->capacity;
  w->capacity = b->capacity;
  while ((uint8_t *) e + sizeof *e <= w->limit && e->length) {
    w->last = e;
    w->date = e->date;
    w->count++;
    e = (TapeEvent *) ((uint8_t *) e + e->length);
  }
  w->at = (uint8_t *) e;
  if (b->length) { /* closed, and no other one begun */
    w->limit = w->at;
    w->before += w->count;
  } else if ((uint8_t *) e < w->limit) {
    /* It may hold a part of an event. */
    memset (e, 0, (size_t) (w->limit - (uint8_t *) e));
  }
}

/* -- events -- */

TapeEvent *
writer_put (Writer *w, uint8_t type, uint8_t begin, uint16_t thread, int64_t began, unsigned n, const int64_t *field,
            const char *word, int64_t *date)
{
  size_t bytes = word ? strnlen (word, TAPE_MAX_NAME) : 0;
  uint32_t length = (uint32_t) (sizeof (TapeEvent) + n * 8 + (word ? 8 : 0) + (bytes + 7) / 8 * 8);
  TapeEvent *e = NULL;
  int64_t now;

  pthread_mutex_lock (&w->lock);
  now = ouf_clock () - ouf.origin;
  if (now < w->date)
    now = w->date;
  if (date)
    *date = now;
  if (w->off)
    goto out;
  if ((size_t) (w->limit - w->at) < length) {
    if (w->block)
      writer_close_block (w);
    if (!new_block (w, length))
      goto out;
  }
  e = (TapeEvent *) w->at;
  e->previous = w->last ? w->last->length : 0;
  e->type = type;
  e->begin = begin;
  e->physical = w->physical;
  e->date = now;
  e->duration = began == WRITER_INSTANT ? 0 : began == WRITER_UNFINISHED ? -1 : now - began;
  e->task = w->task;
  e->thread = thread;
  e->virtual_processor = w->virtual_processor;
  for (unsigned i = 0; i < n; i++)
    e->field[i] = field[i];
  if (word) {
    e->field[n] = (int64_t) bytes;
    if (bytes) {
      e->field[n + (bytes + 7) / 8] = 0;
      memcpy (&e->field[n + 1], word, bytes);
    }
  }
  w->date = now;
  w->last = e;
  w->at += length;
  w->count++;
  /* From here the event is in the file. */
  __atomic_store_n (&e->length, (uint16_t) length, __ATOMIC_RELEASE);
out:
  pthread_mutex_unlock (&w->lock);
  return e;
}

/* -- cost -- */

#define BATCHES 5
#define BATCH 4000

static int64_t
ouf_writer_spent (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
ouf_writer_by_value (const void *a, const void *b)
{
  int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

int64_t
writer_calibrate (const char *path)
{
  int64_t cost[BATCHES], field[4] = { 0 };
  Writer w;

  if (!writer_open (&w, path, 0, 0))
    return -1;
  writer_task (&w, 0, 0, 0);
  for (int b = 0; b < BATCHES; b++) {
    int64_t begin = ouf_writer_spent (), date;

    /* As a message: a beginning and its end. */
    for (int i = 0; i < BATCH; i += 2) {
      TapeEvent *e = writer_put (&w, TAPE_Send, 0, 0, WRITER_UNFINISHED, 2, field, NULL, &date);
      TapeEvent *end = writer_put (&w, TAPE_EndSend, TAPE_Send, 0, date, 4, field, NULL, NULL);

      if (e && end)
        e->duration = end->duration;
    }
    cost[b] = (ouf_writer_spent () - begin) * 1000 / BATCH;
  }
  writer_close (&w);
  unlink (path);
  atomic_store (&ouf.tasks[0].block, 0);
  atomic_store (&ouf.tasks[0].next, 0);
  qsort (cost, BATCHES, sizeof *cost, ouf_writer_by_value);
  return w.off ? -1 : cost[BATCHES / 2];
}
