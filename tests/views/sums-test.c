/* SPDX-License-Identifier: Apache-2.0 */
/* sums-test.c - shares of the time of a block: the same bytes with vectors and without, each bucket whole, and nothing
 * of a state lost over the block. */
#include "views/history-sums.h"
#include <glib.h>
#include <string.h>

static void
test_shares (void)
{
  g_autofree Sums *s = g_new (Sums, 1);
  uint8_t bytes[SUMS_ROOM], plain[SUMS_ROOM];
  g_autoptr (GRand) r = g_rand_new_with_seed (11);

  for (uint32_t turn = 0; turn < 400; turn++) {
    uint32_t n_states = (uint32_t) g_rand_int_range (r, 1, SLOTS + 1),
             first = (uint32_t) g_rand_int_range (r, 0, SLOTS);
    int64_t from = g_rand_int_range (r, 0, 1000), to = from + g_rand_int_range (r, 1, 1 << g_rand_int_range (r, 1, 31));
    double spent[SLOTS] = { 0 };
    sums_begin (s, from, to);
    for (int64_t at = from; at < to;) {
      uint32_t state = (first + (uint32_t) g_rand_int_range (r, 0, (int32_t) n_states)) % SLOTS;
      int64_t next = at + g_rand_int_range (r, 1, 2 + (int32_t) ((to - from) / g_rand_int_range (r, 1, 500)));
      next = MIN (next, to);
      sums_add (s, units (s, at), units (s, next), state);
      s->mask |= 1u << state;
      spent[state] += (double) (next - at);
      at = next;
    }
    uint32_t n = sums_encode (s, bytes), again = sums_encode_plain (s, plain);
    g_assert_cmpmem (bytes, n, plain, again);
    n_states = (uint32_t) __builtin_popcount (s->mask);
    g_assert_cmpuint (n, ==, n_states * s->span.n);
    double told[SLOTS] = { 0 };
    for (uint32_t i = 0; i < s->span.n; i++) {
      uint32_t sum = 0, k = i * n_states;
      double length = (double) (bucket_to (&s->span, i) - bucket_from (&s->span, i));
      for (uint32_t state = 0; state < SLOTS; state++)
        if (s->mask >> state & 1) {
          sum += bytes[k];
          told[state] += bytes[k++] * length / 255;
        }
      g_assert_cmpuint (sum, ==, 255);
    }
    double bucket = (double) (UINT64_C (1) << s->span.shift);
    for (uint32_t state = 0; state < SLOTS;
         state++) /* what rounding leaves goes on: a share or two of a bucket are left */
      g_assert_cmpfloat (ABS (told[state] - spent[state]), <=, bucket * 0.02 + (double) (to - from) * 1e-6);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sums/shares", test_shares);
  return g_test_run ();
}
