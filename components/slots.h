/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - a queue of data of whatever type, for components that keep some.  Counted references are held while
 * they are in it.  Memory is taken by slots_setup() only. */
#pragma once
#include <stdlib.h>
#include <string.h>
#include "eve/eve.h"
#include "eve/words.h"

typedef struct Slots {
  const EveType *type; /* NULL: not set up */
  char *data;
  uint64_t capacity, first, n; /* in data */
} Slots;

static inline char *
slots_at (const Slots *s, uint64_t i)
{
  uint64_t k = s->first + i;

  return s->data + (k < s->capacity ? k : k - s->capacity) * s->type->size;
}

/* The oldest datum goes. */
static inline void
slots_drop (Slots *s)
{
  if (s->type->release)
    s->type->release (slots_at (s, 0));
  s->first = s->first + 1 < s->capacity ? s->first + 1 : 0;
  s->n--;
}

static inline void
slots_clear (Slots *s)
{
  while (s->n)
    slots_drop (s);
  s->first = 0;
}

static inline void
slots_free (Slots *s)
{
  slots_clear (s);
  free (s->data);
  *s = (Slots){ 0 };
}

/* Makes room for at least `capacity` data of a type; what is there stays, unless it is of another type.  False,
 * after eve_fail(), without memory. */
static inline bool
slots_setup (Slots *s, EveComponent *c, const EveType *type, uint64_t capacity)
{
  if (s->type == type && s->capacity >= capacity)
    return true;
  if (s->type != type)
    slots_free (s);

  Slots bigger = { type, calloc (capacity, type->size), capacity, 0, s->n };
  if (!bigger.data) {
    eve_fail (c, _ ("There is no memory to keep %llu data; lower the number."), (unsigned long long) capacity);
    return false;
  }
  for (uint64_t i = 0; i < s->n; i++)
    memcpy (bigger.data + i * type->size, slots_at (s, i), type->size);
  free (s->data);
  *s = bigger;
  return true;
}

/* Keeps a copy as the newest; the caller knows that there is room. */
static inline void
slots_push (Slots *s, const void *datum)
{
  char *slot = slots_at (s, s->n++);

  memcpy (slot, datum, s->type->size);
  if (s->type->retain)
    s->type->retain (slot);
}

/* Emits the oldest, whose reference changes hands. */
static inline void
slots_emit (Slots *s, EveOut *out)
{
  eve_emit_steal (out, slots_at (s, 0));
  s->first = s->first + 1 < s->capacity ? s->first + 1 : 0;
  s->n--;
}

static inline void
slots_save (const Slots *s, EveComponent *c, EveBlob *to)
{
  eve_put_int (to, (int64_t) s->n);
  if (s->n)
    eve_put_text (to, s->type->name);
  for (uint64_t i = 0; i < s->n; i++)
    if (s->type->save)
      s->type->save (eve_program (c), slots_at (s, i), to);
    else
      eve_put_bytes (to, slots_at (s, i), s->type->size);
}

/* Into an empty queue; `type` is that of the port now, `most` what the component would keep. */
static inline bool
slots_load (Slots *s, EveComponent *c, const EveType *type, uint64_t most, EveBlobView *from)
{
  uint64_t n = (uint64_t) eve_get_int (from);

  slots_clear (s);
  if (!n)
    return eve_get_ok (from);
  if (n > most || !type || strcmp (eve_get_text (from), type->name) != 0 || !slots_setup (s, c, type, n))
    return false;
  for (uint64_t i = 0; i < n; i++) {
    char *slot = slots_at (s, s->n);
    size_t size = 0;

    if (type->load) {
      if (!type->load (eve_program (c), slot, from))
        return false;
    } else {
      const void *bytes = eve_get_bytes (from, &size);
      if (!bytes || size != type->size)
        return false;
      memcpy (slot, bytes, size);
    }
    s->n++;
  }
  return eve_get_ok (from);
}
