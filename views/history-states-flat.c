/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-flat.c - see history-states-flat.h. */
#include "views/history-states-flat.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of their refs */
static GPtrArray *all;                                   /* those that are there, complete; NULL: there is none */

StatesFlat *
states_flat_find (const char *base, uint64_t generation, guint n_entries)
{
  StatesFlat *found = NULL;

  pthread_mutex_lock (&lock);
  for (guint i = 0; all != NULL && found == NULL && i < all->len; i++) {
    StatesFlat *f = all->pdata[i];
    if (f->generation == generation && f->n_entries == n_entries && g_strcmp0 (f->base, base) == 0)
      found = f;
  }
  if (found != NULL)
    found->refs++;
  pthread_mutex_unlock (&lock);
  return found;
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
  return f;
}

void
states_flat_share (StatesFlat *f)
{
  pthread_mutex_lock (&lock);
  if (all == NULL)
    all = g_ptr_array_new ();
  g_ptr_array_add (all, f);
  pthread_mutex_unlock (&lock);
}

void
states_flat_unref (StatesFlat *f)
{
  if (f == NULL)
    return;
  pthread_mutex_lock (&lock);
  bool last = --f->refs == 0;
  if (last && all != NULL && g_ptr_array_remove_fast (all, f) && all->len == 0)
    g_clear_pointer (&all, g_ptr_array_unref);
  pthread_mutex_unlock (&lock);
  if (!last)
    return;
  g_free (f->base);
  g_free (f->first);
  g_free (f->at);
  g_free (f->state);
  g_free (f);
}
