/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.c - run states that are well formed and have right checksums, but hold numbers that no run can give. */
#include <math.h>
#include <string.h>
#include "src/conformance/private.h"

#define TRIED 400
#define AT 40     /* tried where it stands; then it runs on */
#define ROUNDS 60 /* at most, of what goes on from one that is accepted */

/* The values of a run state, as eve/blob.c writes them: a tag, and its content. */
typedef struct Reader {
  const uint8_t *at, *end;
} Reader;

static uint64_t
varint (Reader *r)
{
  uint64_t v = 0;

  for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    v |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      break;
  }
  return v;
}

static int64_t
hostile_number (Reader *r)
{
  uint64_t v = varint (r);

  return (int64_t) (v >> 1) ^ -(int64_t) (v & 1);
}

/* What may pass for what was there, or be taken for a size, an index, a date, a sum. */
static int64_t
other_number (GRand *rand, int64_t was)
{
  static const int64_t edges[] = { 0,         1,         -1,        2,         255,       256,
                                   65535,     65536,     1000000,   INT32_MAX, INT32_MIN, UINT32_MAX,
                                   INT64_MAX, INT64_MIN, 1LL << 32, 1LL << 53, 1LL << 61 };

  switch (g_rand_int_range (rand, 0, 4)) {
  case 0:
    return was < INT64_MAX ? was + 1 : was - 1;
  case 1:
    return was > INT64_MIN ? was - 1 : was + 1;
  case 2:
    return was ^ (int64_t) (UINT64_C (1) << g_rand_int_range (rand, 0, 64));
  default:
    return edges[g_rand_int_range (rand, 0, G_N_ELEMENTS (edges))];
  }
}

static double
other_double (GRand *rand)
{
  const double edges[] = { 0, -0.0, -1, 1e308, -1e308, 1e-308, NAN, INFINITY, -INFINITY, 0x1p63 };

  return edges[g_rand_int_range (rand, 0, G_N_ELEMENTS (edges))];
}

/* Copies a run state; those of its numbers that are `chosen` (counted from 0) become others.  Gives how many it has. */
static uint32_t
hostile_copy (EveBlob *to, const EveBlob *from, GRand *rand, const uint32_t *chosen, uint32_t n_chosen)
{
  uint32_t n = 0;
  size_t size;
  Reader r = { .at = eve_blob_data (from, &size) };
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (int64_t));

#define IS_CHOSEN (n++, (n_chosen > 0 && chosen[0] == n - 1) || (n_chosen > 1 && chosen[1] == n - 1))
  for (r.end = r.at + size; r.at < r.end;)
    switch (*r.at++) {
    case 'i': {
      int64_t v = hostile_number (&r);
      eve_put_int (to, IS_CHOSEN ? other_number (rand, v) : v);
      break;
    }
    case 'd': {
      EveBlobView *view = eve_blob_view_new (r.at - 1, 9);
      double v = eve_get_double (view);
      eve_blob_view_free (view);
      eve_put_double (to, IS_CHOSEN ? other_double (rand) : v);
      r.at += 8;
      break;
    }
    case 'v':
      g_array_set_size (list, 0);
      for (uint64_t left = varint (&r); left > 0; left--) {
        int64_t v = hostile_number (&r);
        if (IS_CHOSEN)
          v = other_number (rand, v);
        g_array_append_val (list, v);
      }
      eve_put_ints (to, (const int64_t *) (void *) list->data, list->len);
      break;
    case 's': {
      uint64_t bytes = varint (&r);
      eve_put_text (to, (const char *) r.at);
      r.at += bytes;
      break;
    }
    case 'b': {
      uint64_t bytes = varint (&r);
      eve_put_bytes (to, r.at, bytes);
      r.at += bytes;
      break;
    }
    default:
      g_assert_not_reached ();
    }
#undef IS_CHOSEN
  return n;
}

/* What accepts one runs to its end, and tells what it holds, without harm; nothing is asked of the results. */
static void
try_one (Check *k, Harness *h, const EveBlob *whole, const EveBlob *one, GRand *rand, uint32_t n_numbers)
{
  EveBlob *blob = eve_blob_new ();
  uint32_t chosen[] = { (uint32_t) g_rand_int_range (rand, 0, (gint32) n_numbers),
                        (uint32_t) g_rand_int_range (rand, 0, (gint32) n_numbers) };
  size_t n;
  const uint8_t *bytes = eve_blob_data (whole, &n);
  g_autoptr (GError) error = NULL;

  if (!eve_program_load_run (harness_program (h), bytes, n, NULL, &error))
    check_problem (k, "Its own run state is refused: %s", error->message);
  hostile_copy (blob, one, rand, chosen, g_rand_int_range (rand, 1, 3));
  bytes = eve_blob_data (blob, &n);
  EveBlobView *view = eve_blob_view_new (bytes, n);
  if (eve_component_load_run (harness_component (h), view)) {
    if (g_rand_boolean (rand))
      eve_rest (harness_program (h), g_rand_boolean (rand) ? INT64_MAX : g_rand_int (rand));
    for (int rounds = 0; rounds < ROUNDS && eve_run (harness_program (h), 0) == EVE_BUDGET; rounds++) {
    }
    eve_rest (harness_program (h), INT64_MAX);
    eve_blob_clear (blob);
    eve_component_save_run (harness_component (h), blob);
  }
  eve_program_clear_failure (harness_program (h));
  eve_blob_view_free (view);
  eve_blob_free (blob);
}

void
check_hostile_state (Check *k)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed + 17);
  Harness *h = check_rig (k, k->klass, &check_all);
  EveBlob *one = eve_blob_new (), *whole = eve_blob_new (), *same = eve_blob_new ();

  check_begin (k, "hostile run state");
  for (int i = 0; h && i < TRIED; i += AT) {
    if (i) {
      size_t n;
      const uint8_t *bytes = eve_blob_data (whole, &n);
      eve_program_load_run (harness_program (h), bytes, n, NULL, NULL);
    }
    for (int rounds = g_rand_int_range (rand, 1, 4); rounds > 0; rounds--)
      eve_run (harness_program (h), 0);
    eve_blob_clear (one);
    eve_blob_clear (whole);
    eve_blob_clear (same);
    eve_component_save_run (harness_component (h), one);
    eve_program_save_run (harness_program (h), whole);
    uint32_t n_numbers = hostile_copy (same, one, rand, NULL, 0);
    if (eve_blob_hash (same) != eve_blob_hash (one))
      check_problem (k, "Its run state does not read as it was written.");
    for (int j = 0; n_numbers > 0 && j < AT; j++)
      try_one (k, h, whole, one, rand, n_numbers);
  }
  eve_blob_free (same);
  eve_blob_free (one);
  eve_blob_free (whole);
  harness_free (h);
}
