/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - two numbers of 32 bits as one key, first << 32 | second, of a GHashTable: pairs of tasks, of a node and a
 * group.  Of g_int64_hash(), the exclusive or of both halves, all pairs of n neighbours would share 2 n values, and a
 * look-up cost n. */
#pragma once
#include <glib.h>
#include <stdint.h>

/* Fibonacci hashing, both halves reach the upper bits: Knuth, "The Art of Computer Programming", volume 3, section
 * 6.4. */
static inline guint
pair_hash_of (uint64_t key)
{
  return (guint) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32);
}

/* Of a key that a pointer points to, with g_int64_equal(). */
static inline guint
pair_hash (gconstpointer key)
{
  return pair_hash_of (*(const uint64_t *) key);
}

/* Of a key that is the pointer, with g_direct_equal(). */
static inline guint
pair_hash_direct (gconstpointer key)
{
  return pair_hash_of (GPOINTER_TO_SIZE (key));
}
