/* SPDX-License-Identifier: Apache-2.0 */
/* five.h - how the runtime of OCaml 5.3 lays out what it does not export: five.c tries whether it is so. */
#pragma once
#include "inside.h"

/* Places in the state of a domain, in words. */
enum {
  FIVE_YOUNG_LIMIT = 0,
  FIVE_YOUNG_POINTER = 1,
  FIVE_YOUNG_BEGIN = 2,
  FIVE_YOUNG_END = 3,
  FIVE_STACK = 5,
  FIVE_REGISTERS = 11,
  FIVE_LOCAL_ROOTS = 20,
  FIVE_EPHEMERONS = 21,
  FIVE_MINOR_WANTED = 31,
  FIVE_HEAP = 35,
  FIVE_MINOR_WORDS = 48,
  FIVE_PROMOTED_WORDS,
  FIVE_MAJOR_WORDS
};

#define FIVE_ROOM 256 /* words */
#define FIVE_POOL_WORDS 4096
#define FIVE_POOL_HEAD 4
#define FIVE_CLASSES 32

typedef struct FivePool {
  struct FivePool *next;
  void *free, *owner;
  unsigned class;
} FivePool;

typedef struct FiveLarge { /* in front of a block that is too large for a pool */
  void *owner;
  struct FiveLarge *next;
} FiveLarge;

/* Words. */
typedef struct FiveStats {
  intptr_t pool, most_pool, pool_live, pool_blocks, pool_lost, large, most_large, large_blocks;
} FiveStats;

typedef struct FiveHeap {
  FivePool *pools[4][FIVE_CLASSES]; /* with room, full; and the same before they are swept */
  FiveLarge *large[2];
  unsigned next_to_sweep;
  void *owner;
  FiveStats stats;
} FiveHeap;
_Static_assert(sizeof (FivePool) == FIVE_POOL_HEAD * HEAP_WORD, "as pools begin");

typedef struct FiveEphemerons {
  Value todo, live;
} FiveEphemerons;

extern const unsigned char five_class_words[FIVE_CLASSES],
    five_class_lost[FIVE_CLASSES]; /* of a slot; before the first */
