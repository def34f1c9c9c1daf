/* SPDX-License-Identifier: Apache-2.0 */
/* digits-test.c - numbers in text, read many digits at once, with vectors and without, beside strtoull(). */
#include <stdlib.h>

#include "readers/digits.h"

#define ROOM 1024

/* A list of numbers with `between` between any two, some with more digits than are read, ended by anything; what is
 * behind it is anything too.  Gives how many of them are to be read, and where that stops. */
static unsigned
make_list (GRand *r, char *text, char between, unsigned most, int64_t *v, size_t *end)
{
  static const char ends[] = "\n\0-x: /";
  unsigned wanted = 0;
  bool good = true;
  size_t at = 0;

  for (size_t i = 0; i < ROOM; i++)
    text[i] = (char) g_rand_int_range (r, 0, 256);
  for (unsigned n = (unsigned) g_rand_int_range (r, 1, 30), i = 0; i < n; i++) {
    size_t from = at, length = (size_t) g_rand_int_range (r, 1, g_rand_int_range (r, 0, 20) == 0 ? 19 : 17);
    for (size_t k = 0; k < length; k++)
      text[at++] = (char) ('0' + g_rand_int_range (r, 0, 10));
    text[at] = i + 1 < n ? between : ends[g_rand_int_range (r, 0, sizeof ends)];
    if (text[at] == between && i + 1 == n)
      text[at] = '\n';
    if (good && length > 16) { /* it stops before it */
      good = false;
      *end = i > 0 ? from - 1 : from;
    } else if (good) {
      char last = text[at];
      text[at] = '\0';
      v[wanted++] = (int64_t) strtoull (text + from, NULL, 10);
      text[at] = last;
      good = wanted < most && last == between;
      *end = at;
    }
    at++;
  }
  return wanted;
}

static WIDE void
look_wide (const char *text, unsigned n, const int64_t *wanted, size_t wanted_end, unsigned most)
{
  int64_t v[64];
  const char *end;

  g_assert_cmpuint (digits_list (text, ':', v, most, &end, true), ==, n);
  g_assert_cmpint (end - text, ==, (int64_t) wanted_end);
  g_assert_cmpmem (v, n * sizeof *v, wanted, n * sizeof *v);
  for (size_t i = 0; i + 64 <= ROOM; i += 7)
    g_assert_cmphex (digits_wide_none (text + i), ==, digits_none (text + i));
}

int
main (void)
{
  const char *given = g_getenv ("SCOPE_SEED");
  guint32 seed = given ? (guint32) strtoul (given, NULL, 10) : 20261127;
  GRand *r = g_rand_new_with_seed (seed);

  g_print ("SCOPE_SEED=%u\n", seed);
  for (int round = 0; round < 20000; round++) {
    char text[ROOM];
    int64_t wanted[64], v[64];
    size_t wanted_end = 0;
    unsigned most = (unsigned) g_rand_int_range (r, 1, 40), n = make_list (r, text, ':', most, wanted, &wanted_end);
    const char *end;
    g_assert_cmpuint (digits_list (text, ':', v, most, &end, false), ==, n);
    g_assert_cmpint (end - text, ==, (int64_t) wanted_end);
    g_assert_cmpmem (v, n * sizeof *v, wanted, n * sizeof *v);
    uint64_t none = 0;
    for (int i = 0; i < 64; i++)
      none |= (uint64_t) !g_ascii_isdigit (text[i]) << i;
    g_assert_cmphex (digits_none (text), ==, none);
    if (has_vectors ())
      look_wide (text, n, wanted, wanted_end, most);
  }
  g_rand_free (r);
  return 0;
}
