/* SPDX-License-Identifier: Apache-2.0 */
#include "views/history-queue.h"

static gpointer
run (gpointer p)
{
  HistoryQueue *q = p;

  g_mutex_lock (&q->lock);
  for (;;) {
    q->idle = true;
    while (q->done == q->put && !q->closing)
      g_cond_wait (&q->changed, &q->lock);
    q->idle = false;
    if (q->done == q->put)
      break;
    const uint8_t *block = q->block[q->done % HISTORY_BLOCKS];
    g_mutex_unlock (&q->lock);
    q->work (q->arg, block, HISTORY_BLOCK);
    g_mutex_lock (&q->lock);
    q->done++;
    if (q->waits)
      g_cond_broadcast (&q->changed);
  }
  g_mutex_unlock (&q->lock);
  return NULL;
}

void
history_queue_begin (HistoryQueue *q, uint32_t size, void (*work) (void *arg, const void *data, uint32_t n),
                     void *arg)
{
  *q = (HistoryQueue){ .work = work, .arg = arg, .size = size };
  g_mutex_init (&q->lock);
  g_cond_init (&q->changed);
  q->open = q->block[0] = g_malloc ((gsize)size * HISTORY_BLOCK);
}

/* With the lock held. */
static void
wait_until (HistoryQueue *q, uint64_t done)
{
  q->waits = true;
  while ((int64_t)(q->done - done) < 0)
    g_cond_wait (&q->changed, &q->lock);
  q->waits = false;
}

/* The open block is full. */
void
history_queue_hand_over (HistoryQueue *q)
{
  if (q->thread == NULL)
    q->thread = g_thread_new ("history", run, q);
  g_mutex_lock (&q->lock);
  q->put++;
  if (q->idle)
    g_cond_broadcast (&q->changed);
  wait_until (q, q->put - (HISTORY_BLOCKS - 1));
  g_mutex_unlock (&q->lock);
  uint8_t **next = &q->block[q->put % HISTORY_BLOCKS];
  if (*next == NULL)
    *next = g_malloc ((gsize)q->size * HISTORY_BLOCK);
  q->open = *next;
  q->n = 0;
}

void
history_queue_wait (HistoryQueue *q)
{
  g_mutex_lock (&q->lock);
  wait_until (q, q->put);
  g_mutex_unlock (&q->lock);
  /* The worker sleeps: what is left is not worth waking it. */
  if (q->n > 0)
    q->work (q->arg, q->open, q->n);
  q->n = 0;
}

void
history_queue_end (HistoryQueue *q)
{
  history_queue_wait (q);
  if (q->thread != NULL) {
    g_mutex_lock (&q->lock);
    q->closing = true;
    g_cond_broadcast (&q->changed);
    g_mutex_unlock (&q->lock);
    g_thread_join (q->thread);
  }
  for (int i = 0; i < HISTORY_BLOCKS; i++)
    g_free (q->block[i]);
  g_mutex_clear (&q->lock);
  g_cond_clear (&q->changed);
}
