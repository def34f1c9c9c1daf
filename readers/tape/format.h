/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - the binary files of a TAPE trace: what the tracer writes and the reader reads.  README.md explains them.
 *
 * Numbers are in the byte order of the machine that wrote the trace; `order` in the header of each file tells which.
 * Everything begins at a multiple of 8 bytes, so a mapped file can be read in place. */
#ifndef TAPE_FORMAT_H
#define TAPE_FORMAT_H

#include <stdint.h>

#define TAPE_VERSION 1
#define TAPE_ORDER UINT32_C (0x01020304) /* read as 0x04030201: written in the other byte order */
#define TAPE_EVENTS_MAGIC "TAPE evt"     /* 8 bytes, without the final 0 */
#define TAPE_INDEX_MAGIC "TAPE idx"
#define TAPE_BLOCK_MAGIC UINT32_C (0x4b4c4254) /* "TBLK" where the least byte comes first */

#define TAPE_MAX_DATE ((INT64_C (1) << 62) - 1)
#define TAPE_MAX_EVENT 65528u     /* bytes of an event */
#define TAPE_MAX_BLOCK (1u << 24) /* bytes of a block */
#define TAPE_MAX_TASKS (1u << 20)
#define TAPE_MAX_LINKS (1u << 22)
#define TAPE_MAX_PROCESSORS 65536u     /* physical, and virtual */
#define TAPE_MAX_THREADS 65536u        /* in one task, dead ones counted */
#define TAPE_MAX_SEMAPHORES (1u << 20) /* in one task */
#define TAPE_MAX_NAME 255u             /* bytes of a name */

/* What EndSend, EndReceive and EndAlt have in `result` when it is not as it should be. */
#define TAPE_RESULT_DEAD -1 /* the task at the other end is dead */
#define TAPE_RESULT_LONG -2 /* the message was longer than the room; the rest of it is lost */

/* Head of the file `events`. */
typedef struct TapeEventsHeader {
  char magic[8];
  uint32_t order;
  uint32_t version;
  uint64_t run;             /* any number; the same in the index that belongs to this file */
  int64_t ticks_per_second; /* of dates and durations: 1 to 1000000000 */
  int64_t began;            /* date 0, nanoseconds since 1970 UTC; 0: unknown */
  uint64_t first_block;     /* offset of the first block */
  uint64_t reserved[2];     /* 0 */
} TapeEventsHeader;

/* Head of a block.  Blocks follow each other at distances of `capacity` until the file ends or a magic is 0. */
typedef struct TapeBlock {
  uint32_t magic;
  uint32_t task;
  uint32_t capacity;   /* bytes from here to the next block */
  uint32_t length;     /* bytes used, this head counted; 0: was never closed, see README */
  uint32_t count;      /* events */
  uint32_t tail;       /* offset of the last event from here; 0: no event */
  int64_t first, last; /* dates of the first and last event */
  uint64_t before;     /* events of this task in earlier blocks */
  uint64_t previous;   /* offset of the block of this task before this one; 0: none */
  uint64_t reserved;   /* 0 */
} TapeBlock;

/* An event; the first follows its TapeBlock. */
typedef struct TapeEvent {
  uint16_t length;   /* bytes to the next event, a multiple of 8; 0: there is none */
  uint16_t previous; /* length of the event before, in this block; 0: this is the first */
  uint8_t type;      /* kinds.def */
  uint8_t begin;     /* of an `end`: the type of what it ends; else 0 */
  uint16_t physical; /* processor */
  int64_t date;      /* ticks since the beginning of the trace */
  int64_t duration;  /* of the action, the same in begin and end; -1: never ended; instant: 0 */
  uint32_t task;     /* of the block */
  uint16_t thread;   /* of the task */
  uint16_t virtual_processor;
  int64_t field[]; /* in the order of kinds.def; then items of a list, or bytes of a word */
} TapeEvent;

/* Head of the file `index`; the entries follow. */
typedef struct TapeIndexHeader {
  char magic[8];
  uint32_t order;
  uint32_t version;
  uint64_t run;
  uint32_t complete;   /* 1: all blocks are here, by task and in each task by date */
  uint32_t entry_size; /* sizeof (TapeIndexEntry) */
} TapeIndexHeader;

/* One block with at least one event; copies what its head says. */
typedef struct TapeIndexEntry {
  uint64_t at; /* offset of the TapeBlock in `events` */
  uint32_t length, task, count, tail;
  int64_t first, last;
  uint64_t before;
} TapeIndexEntry;

_Static_assert(sizeof (TapeEventsHeader) == 64, "head of events");
_Static_assert(sizeof (TapeBlock) == 64, "head of a block");
_Static_assert(sizeof (TapeEvent) == 32, "head of an event");
_Static_assert(sizeof (TapeIndexHeader) == 32, "head of the index");
_Static_assert(sizeof (TapeIndexEntry) == 48, "entry of the index");

/* Types of events: TAPE_Send and so on. */
typedef enum TapeType {
#define KIND(number, name, category, fields) TAPE_##name = number,
#include "kinds.def"
#undef KIND
} TapeType;

#endif
