/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - events into the file `events`, through a mapping that all tasks share.
 *
 * The local buffer of a task is a block of the file itself: recording is storing into memory, nothing is
 * copied or sent, and what is recorded is in the file however the task ends.  A full block is told to the
 * collecting task through a pipe. */
#ifndef OUF_WRITER_H
#define OUF_WRITER_H

#include "format.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define WRITER_MAX_BLOCK 65536u

/* Shared by the writers of all tasks. */
typedef struct WriterSpace {
  pthread_mutex_t mutex; /* robust: a task may be killed inside */
  uint64_t end;          /* of the last block */
  uint64_t size;         /* of the file */
} WriterSpace;

typedef struct Writer {
  WriterSpace *space;
  uint8_t *base; /* the file, with all the addresses it may ever need, so that events never move */
  uint64_t reserved;
  int fd;
  int pipe; /* offsets of full blocks; -1: nobody wants them */

  pthread_mutex_t lock; /* of all below: threads of the task */
  uint32_t task;
  uint16_t physical, virtual_processor;
  TapeBlock *block; /* NULL: none yet */
  TapeEvent *last;  /* NULL: none yet in this block */
  uint8_t *at, *limit;
  uint32_t count, capacity;
  uint64_t before;
  int64_t date; /* of the last event */
  bool off;     /* the file cannot grow */
} Writer;

/* Makes the file; false: errno tells why. */
bool writer_open (Writer *w, const char *path, uint64_t run, int64_t began);
/* Begins a task's part. */
void writer_task (Writer *w, uint32_t task, uint16_t physical, uint16_t virtual_processor);
/* Where a dead task wrote last, 0: nowhere. */
uint64_t writer_last (Writer *w, uint32_t task);
/* Goes on where a dead task was; `block` as its writer left it, 0: it had none. */
void writer_adopt (Writer *w, uint64_t block);
uint64_t writer_block (const Writer *w);
/* One event, dated now (or as the last one, should that be later); any thread.  began: date of the beginning
 * of what it ends, or one of these two.  NULL: not recorded.  `date` may be NULL. */
enum { WRITER_INSTANT = -1, WRITER_UNFINISHED = -2 };
TapeEvent *writer_put (Writer *w, uint8_t type, uint8_t begin, uint16_t thread, int64_t began, unsigned n,
                       const int64_t *field, const char *word, int64_t *date);
/* The block becomes a whole one. */
void writer_close_block (Writer *w);
/* The file ends with the last block. */
void writer_close (Writer *w);
/* What an event costs, in picoseconds of processor time, measured with a file of its own at `path`; -1:
 * unknown. */
int64_t writer_calibrate (const char *path);

#endif
