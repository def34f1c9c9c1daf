/* SPDX-License-Identifier: Apache-2.0 */
/* columns-test.c - blocks of events become columns and come back as they were, whatever is in them; and columns that
 * somebody has changed give other events, or none.  What they are in a file, packed or plain, notices any change. */
#include <glib.h>
#include <string.h>

#include "readers/converted-private.h"
#include "readers/vectors.h"

#define ROUNDS 400

/* One of the numbers that a column may have: by `shape` one value, few, small ones, or any. */
static uint64_t
drawn (GRand *r, int shape, uint64_t none)
{
  uint64_t any = (uint64_t) g_rand_int (r) << 32 | g_rand_int (r);

  switch (shape) {
  case 0:
    return none;
  case 1:
    return g_rand_int_range (r, 0, 8) ? none : (uint64_t) g_rand_int_range (r, 0, 300);
  case 2:
    return (uint64_t) g_rand_int_range (r, -5, 70000);
  case 3:
    return any >> g_rand_int_range (r, 0, 64);
  case 4:
    return 12345;
  default:
    return g_rand_boolean (r) ? none : any;
  }
}

static uint32_t
make (GRand *r, TraceEvent *e)
{
  static const uint32_t sizes[] = { 1, 2, 63, 64, 65, 255, 256, 257, 1000, BLOCK_EVENTS - 1, BLOCK_EVENTS };
  uint32_t n = sizes[g_rand_int_range (r, 0, G_N_ELEMENTS (sizes))];
  int64_t date = g_rand_int_range (r, -1000, 1000);
  int shapes[11], order = g_rand_int_range (r, 0, 4);

  for (int k = 0; k < 11; k++)
    shapes[k] = g_rand_int_range (r, 0, 6);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t record = drawn (r, shapes[0], i) % NO_VALUES;
    date += order == 0 ? 7 : (int64_t) (drawn (r, shapes[1], 0) >> 20 & 0xffffffff);
    e[i] = (TraceEvent){
      .date = date,
      .duration = (int64_t) drawn (r, shapes[2], 0),
      .number = order == 1   ? i
                : order == 2 ? drawn (r, 3, 0)
                             : (uint64_t) i * 3 + 5,
      .record = TRACE_RECORD (shapes[0] == 4 || (shapes[0] > 2 && g_rand_boolean (r)) ? NO_VALUES | record : record),
      .size = (int64_t) drawn (r, shapes[3], 0),
      .task = (uint32_t) drawn (r, shapes[4], 3),
      .peer = (uint32_t) drawn (r, shapes[5], TRACE_NONE),
      .object = (uint32_t) drawn (r, shapes[6], TRACE_NONE),
      .tag = (int32_t) drawn (r, shapes[7], UINT64_MAX),
      .result = (int32_t) drawn (r, shapes[8], 0),
      .kind = (uint16_t) drawn (r, shapes[9], 0),
      .flags = (uint8_t) drawn (r, shapes[10], 2),
    };
  }
  return n;
}

/* As they are in a file: packed where that pays, or plain. */
static void
check_block (GRand *r, const uint8_t *columns, size_t n, uint32_t n_events, bool tries, unsigned *packed)
{
  g_autofree uint8_t *plain = g_malloc (BLOCK_PLAIN_HEAD + COLUMNS_BYTES), *room = g_malloc (BLOCK_PACKED_BYTES),
                     *back = g_malloc (COLUMNS_BYTES);
  ZSTD_CCtx *to = converted_packing ();
  ZSTD_DCtx *from = ZSTD_createDCtx ();
  bool pays = tries;
  size_t bytes, m;

  memcpy (plain + BLOCK_PLAIN_HEAD, columns, n);
  const uint8_t *block = converted_pack (to, plain, n, n_events, room, &pays, &bytes);
  g_assert_true (tries || !pays);
  g_assert_true (block == (pays ? room : plain));
  g_assert_cmpuint (bytes, <=, pays ? n : n + BLOCK_PLAIN_HEAD);
  *packed += pays;
  g_autofree uint8_t *file = g_malloc (bytes + 8);
  memcpy (file, block, bytes);
  const uint8_t *again = converted_unpack (from, file, bytes, back, &m);
  g_assert_nonnull (again);
  g_assert_cmpmem (again, m, columns, n);
  for (int change = 0; change < 40; change++) {
    size_t at = (size_t) g_rand_int_range (r, 0, (gint32) bytes);
    uint8_t was = file[at];
    file[at] ^= (uint8_t) g_rand_int_range (r, 1, 256);
    again = converted_unpack (from, file, bytes, back, &m);
    g_assert_true (!again || (m == n && memcmp (again, columns, n) == 0)); /* a byte of zstd's that says nothing */
    file[at] = was;
  }
  g_assert_null (converted_unpack (from, file, bytes - 1, back, &m));
  g_assert_null (converted_unpack (from, file, BLOCK_PLAIN_HEAD - 1, back, &m));
  ZSTD_freeCCtx (to);
  ZSTD_freeDCtx (from);
}

/* Which events are of odd kinds. */
static void
check_kinds (const EventWords *words, const TraceEvent *e, uint32_t n)
{
  static uint8_t odd[UINT16_MAX + 1];
  uint16_t which[BLOCK_EVENTS];
  uint32_t at = 0;

  for (uint32_t kind = 1; kind <= UINT16_MAX; kind += 2)
    odd[kind] = 1;
  uint32_t n_which = converted_which_kinds (words, n, odd, which);
  for (uint32_t i = 0; i < n; i++)
    if (e[i].kind % 2 == 1) {
      g_assert_cmpuint (at, <, n_which);
      g_assert_cmpuint (which[at], ==, i);
      at++;
    }
  g_assert_cmpuint (at, ==, n_which);
}

int
main (void)
{
  GRand *r = g_rand_new_with_seed (7);
  TraceEvent *e = g_new0 (TraceEvent, BLOCK_EVENTS), *back = g_new0 (TraceEvent, BLOCK_EVENTS);
  uint8_t *columns = g_malloc (COLUMNS_BYTES), *plain = g_malloc (COLUMNS_BYTES), *numbers = g_malloc (NUMBERS_BYTES);
  EventWords *words = g_new (EventWords, 1);
  const TraceEvent **where = g_new (const TraceEvent *, BLOCK_EVENTS);
  unsigned refused = 0, packed = 0;

  for (int round = 0; round < ROUNDS; round++) {
    uint32_t n = make (r, e);
    converted_take_words (words, e, NULL, n, has_vectors ());
    size_t bytes = converted_put_columns (words, n, columns, has_vectors ()),
           more = converted_put_numbers (words, n, numbers, has_vectors ());
    g_assert_cmpuint (bytes, <=, COLUMNS_BYTES - 8);
    g_assert_cmpuint (more, <=, NUMBERS_BYTES - 8);
    for (uint32_t i = 0; i < n; i++)
      where[i] = &e[i];
    for (int way = 0; way < 3; way++) { /* with vectors and without, side by side or not */
      bool wide = way == 0 && has_vectors ();
      converted_take_words (words, way == 2 ? e : NULL, where, n, wide);
      g_assert_cmpmem (plain, converted_put_columns (words, n, plain, wide), columns, bytes);
    }
    check_kinds (words, e, n);
    g_assert_true (converted_get_columns (columns, bytes, n, back, 77, 3));
    for (uint32_t i = 0; i < n; i++) {
      g_assert_cmpuint (back[i].number, ==, 77 + i);
      g_assert_cmpuint (back[i].source, ==, 3);
      back[i].source = 0;
    }
    g_assert_true (converted_get_numbers (numbers, more, n, back));
    g_assert_cmpmem (back, n * sizeof *back, e, n * sizeof *e);
    g_assert_false (converted_get_columns (columns, bytes - 1, n, back, 0, 0));
    g_assert_false (converted_get_columns (columns, bytes, 0, back, 0, 0));
    check_block (r, columns, bytes, n, round % 2, &packed);
    for (int change = 0; change < 20; change++) { /* nothing outside is read or written: the sanitizers see it */
      size_t at = (size_t) g_rand_int_range (r, 0, (gint32) bytes), end = g_rand_boolean (r) ? bytes : at;
      uint8_t *alone = g_malloc (end + 8), was = columns[at];
      columns[at] = (uint8_t) g_rand_int (r);
      memcpy (alone, columns, end);
      refused += !converted_get_columns (alone, end, n, back, 0, 0);
      columns[at] = was;
      g_free (alone);
    }
  }
  g_assert_cmpuint (refused, >, ROUNDS);
  g_assert_cmpuint (packed, >, ROUNDS / 20);
  g_assert_cmpuint (packed, <, ROUNDS / 2);
  g_free (e);
  g_free (back);
  g_free (columns);
  g_free (plain);
  g_free (numbers);
  g_free (words);
  g_free (where);
  g_rand_free (r);
  return 0;
}
