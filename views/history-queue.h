/* SPDX-License-Identifier: Apache-2.0 */
/* history-queue.h - hands data over to another thread, which encodes and writes them while the engine goes on.
 *
 * Data are worked on in the order they came, whole blocks at a time, so that the files are the same as if there were no
 * second thread.  Few blocks are under way: whoever is too fast waits.  One thread puts, the queue's own works; after
 * history_queue_wait() what the worker made may be looked at. */
#pragma once
#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define HISTORY_BLOCK 4096                    /* data */
#define HISTORY_BLOCKS 16

typedef struct HistoryQueue {
  void (*work) (void *arg, const void *data, uint32_t n);
  void *arg;
  uint32_t size;                              /* of a datum, bytes */
  uint8_t *open;                              /* the block that is being filled: so many data are in it */
  uint32_t n;
  uint8_t *block[HISTORY_BLOCKS];
  uint64_t put, done, until;                  /* blocks; who puts waits for so many to be done */
  pthread_mutex_t lock;                       /* those of GLib are not seen by the thread sanitizer */
  pthread_cond_t changed;
  pthread_t thread;
  bool threaded;                              /* there was a whole block to work on */
  bool closing, idle, waits;                  /* the worker sleeps; who puts does: waking costs a system call */
} HistoryQueue;

void history_queue_begin (HistoryQueue *q, uint32_t size, void (*work) (void *arg, const void *data, uint32_t n), void *arg);
void history_queue_end (HistoryQueue *q);     /* what is left is worked on first */
/* Until all that was put is worked on. */
void history_queue_wait (HistoryQueue *q);
void history_queue_hand_over (HistoryQueue *q);

/* Room for a datum, to be filled at once. */
static inline void *
history_queue_put (HistoryQueue *q)
{
  if (G_UNLIKELY (q->n == HISTORY_BLOCK))
    history_queue_hand_over (q);
  return q->open + (gsize) q->size * q->n++;
}
