/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - what words mean: a table that is asked for each event, so that nothing is copied or allocated there. */
#include <string.h>

#include "readers/chrome/chrome.h"

void
words_init (Words *w)
{
  *w = (Words){ .n_slots = 1024, .bytes = g_byte_array_new () };
  w->slots = g_new0 (Word, w->n_slots);
  w->seed = (uint64_t) g_random_int () << 32 | g_random_int ();
}

void
words_clear (Words *w)
{
  g_free (w->slots);
  g_byte_array_unref (w->bytes);
}

static inline uint64_t
mix (uint64_t h, uint64_t x)
{
  h = (h ^ x) * UINT64_C (0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

uint64_t
words_hash (const Words *w, uint32_t scope, const char *at, size_t n)
{
  uint64_t h = mix (w->seed, scope + ((uint64_t) n << 32)), x;

  for (; n >= 8; n -= 8, at += 8) {
    memcpy (&x, at, 8);
    h = mix (h, x);
  }
  x = 0;
  memcpy (&x, at, n);
  return mix (mix (h, x), w->seed);
}

static void
grow (Words *w)
{
  size_t n = w->n_slots * 2;
  Word *slots = g_new0 (Word, n);

  for (size_t i = 0; i < w->n_slots; i++)
    if (w->slots[i].used) {
      size_t at = w->slots[i].hash & (n - 1);
      while (slots[at].used)
        at = (at + 1) & (n - 1);
      slots[at] = w->slots[i];
    }
  g_free (w->slots);
  w->slots = slots;
  w->n_slots = n;
}

uint32_t *
words_meaning (Words *w, uint32_t scope, const char *at, size_t n, uint32_t fresh, bool *is_new)
{
  uint64_t hash = words_hash (w, scope, at, n);

  if (w->n * 2 >= w->n_slots)
    grow (w);
  for (size_t i = hash & (w->n_slots - 1);; i = (i + 1) & (w->n_slots - 1)) {
    Word *s = &w->slots[i];
    if (s->used && s->hash == hash && s->scope == scope && s->n == n && memcmp (w->bytes->data + s->at, at, n) == 0) {
      *is_new = false;
      return &s->value;
    }
    if (s->used)
      continue;
    *s = (Word){ hash, w->bytes->len, (uint32_t) n, scope, fresh, true };
    g_byte_array_append (w->bytes, (const guint8 *) at, (guint) n);
    w->n++;
    *is_new = true;
    return &s->value;
  }
}
