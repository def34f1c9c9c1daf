/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - pairs of tasks as keys of a GHashTable: from << 32 | to, compared by g_int64_equal().  Of g_int64_hash(),
 * the exclusive or of both halves, all pairs of n neighbours would share 2 n values, and a look-up cost n. */
#pragma once
#include <glib.h>
#include <stdint.h>

/* Fibonacci hashing: Knuth, "The Art of Computer Programming", volume 3, section 6.4. */
static inline guint
stats_hash_pair (gconstpointer key)
{
  return (guint) (*(const uint64_t *) key * UINT64_C (0x9e3779b97f4a7c15) >> 32);
}
