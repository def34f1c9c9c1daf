/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-flat.c - see history-states-flat.h. */
#include "views/history-states-flat.h"

static GPtrArray *all; /* those that are there; NULL: none was made yet */

StatesFlat *
states_flat_find (const char *base, uint64_t generation, guint n_entries)
{
  for (guint i = 0; all != NULL && i < all->len; i++) {
    StatesFlat *f = all->pdata[i];
    if (f->generation == generation && f->n_entries == n_entries && g_strcmp0 (f->base, base) == 0) {
      f->refs++;
      return f;
    }
  }
  return NULL;
}

StatesFlat *
states_flat_new (const char *base, uint64_t generation, guint n_entries, uint32_t n_owners, uint64_t most)
{
  StatesFlat *f = g_new0 (StatesFlat, 1);

  *f = (StatesFlat){ .base = g_strdup (base),
                     .generation = generation,
                     .n_entries = n_entries,
                     .n_owners = n_owners,
                     .first = g_new (uint32_t, n_owners + 1),
                     .at = g_new (int64_t, most + 1),
                     .state = g_new (uint16_t, most + 1),
                     .refs = 1 };
  if (all == NULL)
    all = g_ptr_array_new ();
  g_ptr_array_add (all, f);
  return f;
}

void
states_flat_unref (StatesFlat *f)
{
  if (f == NULL || --f->refs > 0)
    return;
  g_ptr_array_remove_fast (all, f);
  if (all->len == 0)
    g_clear_pointer (&all, g_ptr_array_unref);
  g_free (f->base);
  g_free (f->first);
  g_free (f->at);
  g_free (f->state);
  g_free (f);
}
