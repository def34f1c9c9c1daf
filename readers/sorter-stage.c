/* SPDX-License-Identifier: Apache-2.0 */
/* sorter-stage.c - the last events of a block, on their way to it (sorter.h). */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "readers/sorter.h"

/* Whole lines, all of them aligned. */
static void
put_past_caches (void *to, const void *from, size_t bytes)
{
#ifdef __SSE2__
  const __m128i *f = from;
  for (__m128i *t = to, *end = t + bytes / sizeof *t; t < end; t += 4, f += 4) {
    const __m128i line[4] = { _mm_load_si128 (f), _mm_load_si128 (f + 1), _mm_load_si128 (f + 2),
                              _mm_load_si128 (f + 3) };
    for (int i = 0; i < 4; i++)
      _mm_stream_si128 (t + i, line[i]);
  }
#else
  memcpy (to, from, bytes);
#endif
}

/* Events from..to of the block, which is no more than a half of what is staged; `from` is where one begins. */
static void
put_into_block (SorterFilling *f, uint32_t from, uint32_t to)
{
  const uint32_t n = to - from, whole = (n + 3) / 4 * 4; /* four stamps are a line */

  put_past_caches (&f->block->events[from], &f->staged[from % STAGED], n * sizeof (TraceEvent));
  put_past_caches (&f->block->stamps[from], &f->stamps[from % STAGED], whole * sizeof (Stamp));
}

/* The half where the next ones will be.  Not the one that has just been written, in parts: who copies that has to wait
 * until it is done. */
void
sorter_unstage (SorterFilling *f)
{
  if (f->n >= STAGED)
    put_into_block (f, f->n - STAGED, f->n - STAGED / 2);
}

void
sorter_unstage_all (SorterFilling *f)
{
  uint32_t last_half = f->n / (STAGED / 2) * (STAGED / 2);

  for (uint32_t i = last_half - MIN (last_half, STAGED / 2); i < f->n; i += STAGED / 2)
    put_into_block (f, i, MIN (i + STAGED / 2, f->n));
#ifdef __SSE2__
  _mm_sfence (); /* before anybody else looks */
#endif
}
