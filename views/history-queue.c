/* SPDX-License-Identifier: Apache-2.0 */
#include "views/history-queue.h"
#include <sys/resource.h>

/* The engine waits for nobody here as long as there is room: where cores are scarce they are its and the reader's.
 * Linux has a nice value for each thread. */
#define NICE 10

/* Waking a thread costs as much as encoding an item: it is done for several. */
static inline uint32_t
several (const HistoryQueue *q)
{
  return q->room / 4;
}

static inline void *
history_queue_item (const HistoryQueue *q, uint64_t i)
{
  return q->items + (gsize) q->size * (i % q->room);
}

static void *
encode_queued (void *p)
{
  HistoryQueue *q = p;

  setpriority (PRIO_PROCESS, 0, MAX (NICE, getpriority (PRIO_PROCESS, 0)));
  pthread_mutex_lock (&q->lock);
  for (;;) {
    if (q->done == q->put) {
      q->idle = true;
      while (q->put - q->done < several (q) && !q->closing)
        pthread_cond_wait (&q->changed, &q->lock);
      q->idle = false;
    }
    if (q->done == q->put)
      break;
    void *next = history_queue_item (q, q->done);
    pthread_mutex_unlock (&q->lock);
    q->work (q->arg, next);
    pthread_mutex_lock (&q->lock);
    q->done++;
    if (q->waits && q->done == q->until)
      pthread_cond_broadcast (&q->changed);
  }
  pthread_mutex_unlock (&q->lock);
  return NULL;
}

void
history_queue_begin (HistoryQueue *q, uint32_t size, uint32_t room, void (*work) (void *arg, void *item), void *arg)
{
  *q = (HistoryQueue){ .work = work, .arg = arg, .size = size, .room = room };
  pthread_mutex_init (&q->lock, NULL);
  pthread_cond_init (&q->changed, NULL);
  q->items = g_malloc0_n (room, size);
}

/* Until so many are done; with the lock held.  What a worker that sleeps has left is not worth waking it. */
static void
history_queue_wait_until (HistoryQueue *q, uint64_t done)
{
  for (; q->idle && q->done < done; q->done++)
    q->work (q->arg, history_queue_item (q, q->done));
  q->until = done;
  q->waits = true;
  while (q->done < done)
    pthread_cond_wait (&q->changed, &q->lock);
  q->waits = false;
}

void *
history_queue_next (HistoryQueue *q)
{
  if (q->threaded) {
    pthread_mutex_lock (&q->lock);
    if (q->put - q->done == q->room)
      history_queue_wait_until (q, q->put - several (q));
    pthread_mutex_unlock (&q->lock);
  }
  return history_queue_item (q, q->put);
}

void
history_queue_put (HistoryQueue *q)
{
  if (!q->threaded && pthread_create (&q->thread, NULL, encode_queued, q) != 0) {
    q->work (q->arg, history_queue_item (q, q->put)); /* there is no other: as before there was one */
    return;
  }
  q->threaded = true;
  pthread_mutex_lock (&q->lock);
  q->put++;
  if (q->idle && q->put - q->done == several (q))
    pthread_cond_broadcast (&q->changed);
  pthread_mutex_unlock (&q->lock);
}

void
history_queue_wait (HistoryQueue *q)
{
  pthread_mutex_lock (&q->lock);
  history_queue_wait_until (q, q->put);
  pthread_mutex_unlock (&q->lock);
}

void
history_queue_end (HistoryQueue *q, void (*clear) (void *item))
{
  history_queue_wait (q);
  if (q->threaded) {
    pthread_mutex_lock (&q->lock);
    q->closing = true;
    pthread_cond_broadcast (&q->changed);
    pthread_mutex_unlock (&q->lock);
    pthread_join (q->thread, NULL);
  }
  for (uint32_t i = 0; clear != NULL && i < q->room; i++)
    clear (history_queue_item (q, i));
  g_free (q->items);
  pthread_mutex_destroy (&q->lock);
  pthread_cond_destroy (&q->changed);
}
