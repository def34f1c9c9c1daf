/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/select.h"

#define FEW 24 /* are sorted at once */

static void
select_swap (uint32_t *a, uint32_t *b)
{
  uint32_t kept = *a;

  *a = *b;
  *b = kept;
}

/* The middle one of three. */
static uint32_t *
select_middle (uint32_t *a, uint32_t *b, uint32_t *c, GCompareDataFunc compare, void *data)
{
  if (compare (a, b, data) > 0) {
    uint32_t *kept = a;
    a = b;
    b = kept;
  }
  return compare (b, c, data) <= 0 ? b : compare (a, c, data) <= 0 ? c : a;
}

/* Those that come before one of them, it, those behind it; gives its place. */
static uint32_t
select_part (uint32_t *index, uint32_t n, GCompareDataFunc compare, void *data)
{
  uint32_t eighth = n / 8, half = n / 2, next = 0;
  uint32_t *pivot = select_middle (
      select_middle (index, index + eighth, index + 2 * eighth, compare, data),
      select_middle (index + half - eighth, index + half, index + half + eighth, compare, data),
      select_middle (index + n - 1 - 2 * eighth, index + n - 1 - eighth, index + n - 1, compare, data), compare, data);

  select_swap (pivot, index + n - 1);
  for (uint32_t i = 0; i + 1 < n; i++)
    if (compare (index + i, index + n - 1, data) < 0)
      select_swap (index + i, index + next++);
  select_swap (index + next, index + n - 1);
  return next;
}

/* `tries`: how often it may still be parted, whatever comes of it; then the rest is sorted. */
static void
sort_within (uint32_t *index, uint32_t n, uint32_t from, uint32_t to, uint32_t tries, GCompareDataFunc compare,
             void *data)
{
  while (from < to && n > FEW && tries-- > 0) {
    uint32_t at = select_part (index, n, compare, data);
    if (from < at)
      sort_within (index, at, from, MIN (to, at), tries, compare, data);
    if (to <= at + 1)
      return;
    index += at + 1;
    n -= at + 1;
    from = from > at + 1 ? from - at - 1 : 0;
    to -= at + 1;
  }
  if (from < to)
    g_qsort_with_data (index, (gint) n, sizeof *index, compare, data);
}

void
stats_sort_part (uint32_t *index, uint32_t n, uint32_t from, uint32_t to, GCompareDataFunc compare, void *data)
{
  uint32_t tries = 0;

  for (uint32_t size = n; size > 0; size >>= 1)
    tries += 3;
  sort_within (index, n, from, MIN (to, n), tries, compare, data);
}
