/* SPDX-License-Identifier: Apache-2.0 */
#include "views/slots.h"
#include <string.h>

typedef struct Amount {
  uint32_t state;
  double time;
} Amount;

static int
slots_longest_first (gconstpointer a, gconstpointer b)
{
  const Amount *x = a, *y = b;

  return x->time != y->time ? (x->time < y->time ? 1 : -1) : (x->state > y->state) - (x->state < y->state);
}

void
slots_clear (StateSlots *s)
{
  g_free ((void *) s->palette.slot);
  *s = (StateSlots){ 0 };
}

/* States that last longest first; what is left shares the last slot. */
static void
choose_longest (StateSlots *s, StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, int64_t to)
{
  uint32_t n_states = MIN (states_reader_highest (r) + 1, HISTORY_STATES_MOST), n = 0;
  g_autofree double *time = g_new0 (double, HISTORY_STATES_MOST + 1);
  g_autofree Amount *amount = g_new (Amount, n_states);

  for (uint32_t i = 0; i < n_owners; i++)
    states_reader_amounts (r, owners[i], from, to, time);
  for (uint32_t k = 0; k < n_states; k++)
    if (time[k] > 0)
      amount[n++] = (Amount){ k, time[k] };
  qsort (amount, n, sizeof *amount, slots_longest_first);
  s->n = MIN (n, SLOTS_MOST - 1);
  s->n_others = n - s->n;
  uint8_t *slot = g_malloc (n_states);
  memset (slot, (int) s->n, n_states);
  for (uint32_t i = 0; i < s->n; i++) {
    s->state[i] = amount[i].state;
    slot[amount[i].state] = (uint8_t) i;
  }
  s->palette = (StatesPalette){ slot, n_states, s->n };
  s->state[s->n++] = SLOTS_OTHERS;
}

void
slots_choose (StateSlots *s, StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, int64_t to)
{
  uint32_t highest = states_reader_highest (r);

  slots_clear (s);
  if (highest < SLOTS_MOST) {
    s->n = highest + 1;
    for (uint32_t k = 0; k < s->n; k++)
      s->state[k] = k;
    s->palette.rest = highest;
  } else {
    choose_longest (s, r, owners, n_owners, from, to);
  }
  s->stride = (s->n + 7) / 8 * 8;
}
