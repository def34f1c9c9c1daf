/* SPDX-License-Identifier: Apache-2.0 */
/* lane.h - the file that each thread of a traced program writes through a shared mapping: records of 8-byte words
 * (readers/threads/lane-format.h), without a lock or a system call.  What is written survives the process, however it
 * ends. One thread a lane. */
#ifndef TAPE_LANE_H
#define TAPE_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lane-format.h"

typedef struct Lane {
  uint64_t *at, *end; /* the next record; where the file ends for now */
  int depth;          /* calls that it is inside of: what a recorded call does itself is not recorded */
  bool off;           /* the program has switched recording off, or the disk refuses: */
  bool lost;          /* the latter */
  uint64_t *base;
  uint64_t reserved; /* bytes of the mapping */
  char path[1024];
} Lane;

/* Makes the file `path`, which is not there yet, and leaves room for a header.  False, with errno: it cannot be. */
bool tape_lane_open (Lane *l, size_t header_bytes);
/* Makes the file longer, so that `words` more have room; false: the disk refuses. */
bool tape_lane_extend (Lane *l, unsigned words);
/* Of each tracer: the same, and says what must be said if the disk refuses.  False: nothing is recorded any more. */
bool tape_grow (Lane *l, unsigned words);
/* A record with a text; `number` before it if it is `numbered`. */
void tape_text (Lane *l, unsigned type, unsigned a, uint64_t number, bool numbered, const char *text, size_t n);
/* What the executable mappings are by now, as a text: from them file and line of calls are found. */
void tape_modules (Lane *l, unsigned type);

/* A record whose words are filled in, then published.  NULL: it is not to be written. */
static inline uint64_t *
tape_room (Lane *l, unsigned words)
{
  if (__builtin_expect (l->at + words >= l->end, 0) && !tape_grow (l, words))
    return NULL;
  return l->at;
}

static inline void
tape_publish (Lane *l, uint64_t *r, unsigned type, unsigned words, unsigned a, unsigned b)
{
  r[words] = 0;
  __atomic_store_n (r, RAW_WORD (type, words, a, b), __ATOMIC_RELEASE);
  l->at = r + words;
}

static inline void
tape_put2 (Lane *l, unsigned type, unsigned a, unsigned b, uint64_t date)
{
  uint64_t *r = l->off ? NULL : tape_room (l, 2);

  if (r) {
    r[1] = date;
    tape_publish (l, r, type, 2, a, b);
  }
}

static inline void
tape_put3 (Lane *l, unsigned type, unsigned a, unsigned b, uint64_t date, uint64_t value)
{
  uint64_t *r = l->off ? NULL : tape_room (l, 3);

  if (r) {
    r[1] = date;
    r[2] = value;
    tape_publish (l, r, type, 3, a, b);
  }
}

static inline void
tape_put (Lane *l, unsigned type, unsigned a, unsigned b, unsigned n, const uint64_t words[])
{
  uint64_t *r = l->off ? NULL : tape_room (l, n + 1);

  if (r) {
    for (unsigned i = 0; i < n; i++)
      r[i + 1] = words[i];
    tape_publish (l, r, type, n + 1, a, b);
  }
}
#define TAPE_PUT(lane, type, a, b, ...)                                                                                \
  tape_put (lane, type, a, b, sizeof ((const uint64_t[]){ __VA_ARGS__ }) / sizeof (uint64_t),                          \
            (const uint64_t[]){ __VA_ARGS__ })

#endif
