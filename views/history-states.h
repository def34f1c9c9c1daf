/* SPDX-License-Identifier: Apache-2.0 */
/* history-states.h - what the writer and the reader of states agree on. */
#pragma once
#include "views/history.h"

#define KIND_STATES 1
#define BLOCK 1024 /* words a block of sums */
#define BUCKETS 256
#define FAN 4
#define LEVELS 24
#define OWNERS_MOST (1u << 22) /* tasks of an execution; an index that says more is not believed */
#define ESCAPE 15u             /* in the place of a state: the next word goes on */
#define PART_BITS 28
#define PART_MASK ((UINT64_C (1) << PART_BITS) - 1)

typedef struct Span {
  int64_t from, to;
  int shift;
  uint32_t n; /* buckets */
} Span;

/* Buckets of a span that begins at `from`. */
static inline uint32_t
buckets_of (int64_t from, int64_t to, int shift)
{
  return (uint32_t) (((to - 1) >> shift) - (from >> shift) + 1);
}

static inline int64_t
bucket_from (const Span *s, uint32_t i)
{
  return i == 0 ? s->from : ((s->from >> s->shift) + i) << s->shift;
}

static inline int64_t
bucket_to (const Span *s, uint32_t i)
{
  return i == s->n - 1 ? s->to : ((s->from >> s->shift) + i + 1) << s->shift;
}
