/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h - the keys of a GHashTable whose keys are numbers of 64 bits, in an order that is the same each time. */
#pragma once
#include <glib.h>

static inline int
keys_compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Of gint64, the least first; g_array_unref. */
static inline GArray *
keys_sorted (GHashTable *of)
{
  GArray *keys = g_array_sized_new (FALSE, FALSE, sizeof (gint64), g_hash_table_size (of));
  GHashTableIter each;
  gpointer key;

  g_hash_table_iter_init (&each, of);
  while (g_hash_table_iter_next (&each, &key, NULL))
    g_array_append_vals (keys, key, 1);
  g_array_sort (keys, keys_compare);
  return keys;
}
