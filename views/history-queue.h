/* SPDX-License-Identifier: Apache-2.0 */
/* history-queue.h - hands blocks of data over to another thread, which encodes and writes them while the engine goes
 * on.
 *
 * Items are worked on in the order they came, so that the files are the same as if there were no second thread.  Some
 * are under way: whoever is too fast waits.  One thread puts, the queue's own works; after history_queue_wait() what
 * the worker made may be looked at. */
#pragma once
#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct HistoryQueue {
  void (*work) (void *arg, void *item);
  void *arg;
  uint8_t *items;            /* a ring */
  uint32_t size, room;       /* of an item, bytes; items */
  uint64_t put, done, until; /* items; who puts waits for so many to be done */
  pthread_mutex_t lock;      /* those of GLib are not seen by the thread sanitizer */
  pthread_cond_t changed;
  pthread_t thread;
  bool threaded;             /* there was an item to work on */
  bool closing, idle, waits; /* the worker sleeps; who puts does: waking costs a system call */
} HistoryQueue;

void history_queue_begin (HistoryQueue *q, uint32_t size, uint32_t room, void (*work) (void *arg, void *item),
                          void *arg);
/* What is left is worked on first; then `clear` (or NULL) frees what each item has. */
void history_queue_end (HistoryQueue *q, void (*clear) (void *item));
/* The place of the next item, waits for one; there lies an item that was worked on, or zeros: what it has may be taken.
 */
void *history_queue_next (HistoryQueue *q);
/* It is filled. */
void history_queue_put (HistoryQueue *q);
/* Until all that was put is worked on. */
void history_queue_wait (HistoryQueue *q);
