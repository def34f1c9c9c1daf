/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-kept.c - see history-states-kept.h. */
#include "views/history-states-kept.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of all that is in it but sums */
static GPtrArray *all;                                   /* those that somebody has; NULL: nobody has any */

static guint
hash_of_owners (gconstpointer p)
{
  const StatesSum *s = p;
  guint hash = s->n_owners;

  for (uint32_t i = 0; i < s->n_owners; i++)
    hash = (hash ^ s->owners[i]) * 16777619u;
  return hash;
}

static gboolean
same_owners (gconstpointer a, gconstpointer b)
{
  const StatesSum *x = a, *y = b;

  return x->n_owners == y->n_owners && memcmp (x->owners, y->owners, x->n_owners * sizeof *x->owners) == 0;
}

void
states_sum_unref (StatesSum *s)
{
  if (s == NULL || !g_atomic_ref_count_dec (&s->refs))
    return;
  g_free (s->owners);
  g_free (s->so_far);
  g_free (s);
}

static uint64_t
steps_bytes (const StatesSum *s)
{
  return ((uint64_t) s->n + 1) * s->slots * sizeof *s->so_far;
}

static uint64_t
history_states_kept_bytes_of (const StatesSum *s)
{
  return sizeof *s + s->n_owners * sizeof *s->owners + (s->room ? steps_bytes (s) : 0);
}

StatesKept *
states_kept_find (const char *base, uint64_t generation, guint n_entries, int64_t from, int64_t to)
{
  StatesKept *found = NULL;

  pthread_mutex_lock (&lock);
  if (all == NULL)
    all = g_ptr_array_new ();
  for (guint i = 0; i < all->len && found == NULL; i++) {
    StatesKept *k = all->pdata[i];
    if (k->generation == generation && k->n_entries == n_entries && k->from == from && k->to == to
        && strcmp (k->base, base) == 0)
      found = k;
  }
  if (found == NULL) {
    found = g_new0 (StatesKept, 1);
    *found = (StatesKept){
      .base = g_strdup (base), .generation = generation, .n_entries = n_entries, .from = from, .to = to
    };
    found->sums = g_hash_table_new_full (hash_of_owners, same_owners, NULL, (GDestroyNotify) states_sum_unref);
    g_ptr_array_add (all, found);
  }
  found->refs++;
  pthread_mutex_unlock (&lock);
  return found;
}

void
states_kept_picture (StatesKept *k)
{
  pthread_mutex_lock (&lock);
  k->at++;
  pthread_mutex_unlock (&lock);
}

void
states_kept_unref (StatesKept *k)
{
  if (k == NULL)
    return;
  pthread_mutex_lock (&lock);
  bool last = --k->refs == 0;
  if (last && g_ptr_array_remove_fast (all, k) && all->len == 0)
    g_clear_pointer (&all, g_ptr_array_unref);
  pthread_mutex_unlock (&lock);
  if (!last)
    return;
  g_hash_table_unref (k->sums);
  g_free (k->base);
  g_free (k);
}

static void
note_use (StatesKept *k, StatesSum *s)
{
  if (s->used == k->at)
    return;
  s->used = k->at;
  s->before += s->now;
  s->now = 0;
}

StatesSum *
states_kept_get (StatesKept *k, const uint32_t *owners, uint32_t n_owners)
{
  StatesSum like = { .n_owners = n_owners, .owners = (uint32_t *) owners };

  pthread_mutex_lock (&lock);
  StatesSum *s = g_hash_table_lookup (k->sums, &like);
  if (s != NULL) {
    g_atomic_ref_count_inc (&s->refs);
    note_use (k, s);
  }
  pthread_mutex_unlock (&lock);
  return s;
}

/* Sums that no picture has asked for in a while go; true: there is room for another. */
static bool
history_states_kept_make_room (StatesKept *k, uint64_t bytes)
{
  GHashTableIter at;
  StatesSum *s;

  if (k->bytes + bytes <= KEPT_SUM_BYTES)
    return true;
  if (k->cleared > k->at) /* nothing becomes older within a picture */
    return false;
  k->cleared = k->at + 1;
  g_hash_table_iter_init (&at, k->sums);
  while (g_hash_table_iter_next (&at, (gpointer *) &s, NULL))
    if (s->used + KEPT_PICTURES < k->at) {
      k->bytes -= history_states_kept_bytes_of (s);
      s->gone = true;
      g_hash_table_iter_remove (&at);
    }
  return k->bytes + bytes <= KEPT_SUM_BYTES;
}

StatesSum *
states_kept_add (StatesKept *k, const uint32_t *owners, uint32_t n_owners, uint32_t n, uint32_t slots)
{
  StatesSum *s = g_new0 (StatesSum, 1), *first;

  *s = (StatesSum){
    .n_owners = n_owners, .owners = g_memdup2 (owners, n_owners * sizeof *owners), .n = n, .slots = slots, .gone = true
  };
  g_atomic_ref_count_init (&s->refs); /* of who asks */
  pthread_mutex_lock (&lock);
  s->used = k->at;
  first = g_hash_table_lookup (k->sums, s);
  if (first != NULL) {
    g_atomic_ref_count_inc (&first->refs);
    note_use (k, first);
  } else if (history_states_kept_make_room (k, history_states_kept_bytes_of (s))) {
    g_atomic_ref_count_inc (&s->refs);
    g_hash_table_add (k->sums, s);
    k->bytes += history_states_kept_bytes_of (s);
    s->gone = false;
  }
  pthread_mutex_unlock (&lock);
  if (first == NULL)
    return s;
  states_sum_unref (s);
  return first;
}

KeptWant
states_kept_want (StatesKept *k, StatesSum *s, double part)
{
  KeptWant want = KEPT_NONE;

  pthread_mutex_lock (&lock);
  s->now = MAX (s->now, part);
  if (s->so_far != NULL)
    want = KEPT_MADE;
  else if (s->room)
    want = KEPT_MAKE;
  else if (s->n > 0 && s->before + s->now >= KEPT_WORTH && history_states_kept_make_room (k, steps_bytes (s))
           && !s->gone) {
    k->bytes += steps_bytes (s);
    s->room = true;
    want = KEPT_MAKE;
  }
  pthread_mutex_unlock (&lock);
  return want;
}

void
states_kept_put (StatesKept *k, StatesSum *s, uint32_t *so_far)
{
  pthread_mutex_lock (&lock);
  k->made++;
  if (s->so_far == NULL)
    s->so_far = g_steal_pointer (&so_far);
  pthread_mutex_unlock (&lock);
  g_free (so_far);
}
