/* SPDX-License-Identifier: Apache-2.0 */
/* ends.c - the calls under way in a binary heap (the "échéancier" of the thesis, 2.4.2), and the table of
 * task identifiers. */
#include "readers/tapepvm/tapepvm.h"

void
tp_ends_clear (TpEnds *q)
{
  g_free (q->heap);
  g_free (q->events);
  g_free (q->free);
  *q = (TpEnds){ 0 };
}

/* Twice the room; slots in use keep their numbers. */
void
tp_ends_grow (TpEnds *q)
{
  uint32_t room = q->room ? 2 * q->room : 256;
  q->heap = g_realloc_n (q->heap, room, sizeof *q->heap);
  q->events = g_realloc_n (q->events, room, sizeof *q->events);
  q->free = g_realloc_n (q->free, room, sizeof *q->free);
  for (uint32_t i = q->room; i < room; i++) /* free[n ...] are the free slots */
    q->free[i] = i;
  q->room = room;
}

static void
ends_place (TpIntern *t, uint64_t slot)
{
  uint32_t raw = (uint32_t) (slot >> 32) - 1, i = (uint32_t) ((raw * UINT64_C (0x9e3779b97f4a7c15)) >> 32) & t->mask;
  while (t->slots[i])
    i = (i + 1) & t->mask;
  t->slots[i] = slot;
}

void
tp_intern_init (TpIntern *t)
{
  *t = (TpIntern){ .slots = g_new0 (uint64_t, 256), .mask = 255 };
}

void
tp_intern_clear (TpIntern *t)
{
  g_clear_pointer (&t->slots, g_free);
}

void
tp_intern_add (TpIntern *t, uint32_t raw)
{
  if (2 * (t->n + 1) > t->mask) {
    TpIntern old = *t;
    t->mask = 2 * t->mask + 1;
    t->slots = g_new0 (uint64_t, (gsize) t->mask + 1);
    for (uint32_t i = 0; i <= old.mask; i++)
      if (old.slots[i])
        ends_place (t, old.slots[i]);
    g_free (old.slots);
  }
  ends_place (t, ((uint64_t) raw + 1) << 32 | t->n++);
}
