/* SPDX-License-Identifier: Apache-2.0 */
#include "views/history-queue.h"

/* Waking a thread costs as much as encoding a block: it is done for several. */
#define SEVERAL (HISTORY_BLOCKS / 2)

static void *
run (void *p)
{
  HistoryQueue *q = p;

  pthread_mutex_lock (&q->lock);
  for (;;) {
    if (q->done == q->put) {
      q->idle = true;
      while (q->put - q->done < SEVERAL && !q->closing && !(q->waits && q->done != q->put))
        pthread_cond_wait (&q->changed, &q->lock);
      q->idle = false;
    }
    if (q->done == q->put)
      break;
    const uint8_t *block = q->block[q->done % HISTORY_BLOCKS];
    pthread_mutex_unlock (&q->lock);
    q->work (q->arg, block, HISTORY_BLOCK);
    pthread_mutex_lock (&q->lock);
    q->done++;
    if (q->waits && q->done == q->until)
      pthread_cond_broadcast (&q->changed);
  }
  pthread_mutex_unlock (&q->lock);
  return NULL;
}

void
history_queue_begin (HistoryQueue *q, uint32_t size, void (*work) (void *arg, const void *data, uint32_t n),
                     void *arg)
{
  *q = (HistoryQueue){ .work = work, .arg = arg, .size = size };
  pthread_mutex_init (&q->lock, NULL);
  pthread_cond_init (&q->changed, NULL);
  q->open = q->block[0] = g_malloc ((gsize)size * HISTORY_BLOCK);
}

/* Until so many blocks are done; with the lock held. */
static void
wait_until (HistoryQueue *q, uint64_t done)
{
  if (q->done >= done)
    return;
  q->until = done;
  q->waits = true;
  if (q->idle)
    pthread_cond_broadcast (&q->changed);
  while (q->done < done)
    pthread_cond_wait (&q->changed, &q->lock);
  q->waits = false;
}

/* The open block is full. */
void
history_queue_hand_over (HistoryQueue *q)
{
  if (!q->threaded && pthread_create (&q->thread, NULL, run, q) != 0) {
    q->work (q->arg, q->open, q->n); /* there is no other: as before there was one */
    q->n = 0;
    return;
  }
  q->threaded = true;
  pthread_mutex_lock (&q->lock);
  q->put++;
  if (q->idle && q->put - q->done == SEVERAL)
    pthread_cond_broadcast (&q->changed);
  if (q->put - q->done == HISTORY_BLOCKS) /* no room for the next */
    wait_until (q, q->put - SEVERAL);
  pthread_mutex_unlock (&q->lock);
  uint8_t **next = &q->block[q->put % HISTORY_BLOCKS];
  if (*next == NULL)
    *next = g_malloc ((gsize)q->size * HISTORY_BLOCK);
  q->open = *next;
  q->n = 0;
}

void
history_queue_wait (HistoryQueue *q)
{
  pthread_mutex_lock (&q->lock);
  wait_until (q, q->put);
  pthread_mutex_unlock (&q->lock);
  /* The worker sleeps: what is left is not worth waking it. */
  if (q->n > 0)
    q->work (q->arg, q->open, q->n);
  q->n = 0;
}

void
history_queue_end (HistoryQueue *q)
{
  history_queue_wait (q);
  if (q->threaded) {
    pthread_mutex_lock (&q->lock);
    q->closing = true;
    pthread_cond_broadcast (&q->changed);
    pthread_mutex_unlock (&q->lock);
    pthread_join (q->thread, NULL);
  }
  for (int i = 0; i < HISTORY_BLOCKS; i++)
    g_free (q->block[i]);
  pthread_mutex_destroy (&q->lock);
  pthread_cond_destroy (&q->changed);
}
