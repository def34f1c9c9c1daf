/* SPDX-License-Identifier: Apache-2.0 */
/* ocamlviz-fuzz.c - any bytes as a stream of Ocamlviz.  Whole, byte by byte and cut in two anywhere it gives the same
 * records; every record speaks of what is there.  Where it is cut off, all whole messages before the cut are kept, and
 * that it ends in the middle of one is told. */
#include "readers/ocamlviz/decode.c"
#include "readers/ocamlviz/stream.c"
#include "readers/ocamlviz/ascii.c"
#include "tests/fuzz/fuzz.h"

typedef struct Seen {
  ValuesRecorder *to;
  uint64_t hash, n;
  int64_t date;
} Seen;

static void
on_record (void *arg, const ValueRecord *r, const void *bytes, size_t n)
{
  Seen *s = arg;

  CHECK (r->entity < values_n_entities (s->to) && r->type < N_VALUE_RECORDS && r->variable < N_VALUE_VARIABLES);
  CHECK (r->date >= s->date && r->date < INT64_C (1) << 61);
  CHECK (r->type != VALUE_TREE_IS || value_tree_check (bytes, n));
  s->date = r->date;
  s->hash = (s->hash ^ bytes_fnv (r, sizeof *r) ^ bytes_fnv (bytes, n)) * UINT64_C (1099511628211);
  s->n++;
}

/* The whole messages among the first n bytes; *bad: one behind them has no length that a message can have. */
static size_t
whole_of (const uint8_t *data, size_t n, bool *bad)
{
  size_t at = 0;

  *bad = false;
  while (n - at >= 4) {
    int64_t length = (int32_t) bytes_get32 (data + at);
    *bad = length < 0 || length > OVZ_MOST_MESSAGE;
    if (*bad || (uint64_t) length > n - at - 4)
      break;
    at += 4 + (size_t) length;
  }
  return at;
}

/* The first `end` bytes, in pieces: up to `cut`, then of `piece` bytes each. */
static uint64_t
hash_of (const uint8_t *data, size_t end, size_t cut, size_t piece, bool cpu_dates, bool prints)
{
  bool bad;
  size_t n_whole = whole_of (data, end, &bad);
  Seen s = { values_recorder_new (NULL, "", NULL), 0, 0, 0 };
  bool good = true;

  values_recorder_tap (s.to, on_record, &s);
  Ovz *o = ovz_new (s.to, values_program (s.to, "fuzz"), cpu_dates);
  if (prints)
    ovz_keep_values (o);
  for (size_t at = 0, some; at < end && good; at += some) {
    some = at < cut ? cut - at : MIN (piece, end - at);
    good = ovz_feed (o, data + at, some, NULL);
  }
  g_autofree char *cut_off = ovz_cut (o);
  g_autoptr (GError) nothing = NULL;
  CHECK (good == !bad && (cut_off != NULL) == (!bad && n_whole < end));
  CHECK (ovz_end (o, &nothing) == !nothing);
  if (prints) {
    g_autoptr (GString) text = g_string_new (NULL);
    ovz_print (o, text);
  }
  ovz_free (o);
  CHECK (values_flush (s.to, NULL));
  uint64_t hash = s.hash ^ s.n ^ values_n_damaged (s.to) << 32;
  values_recorder_free (s.to, true);
  return hash;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  bool cpu_dates = size % 2 == 1;
  uint64_t whole = hash_of (data, size, 0, size, cpu_dates, true);

  CHECK (hash_of (data, size, 0, 1, cpu_dates, false) == whole);
#ifdef REPLAY
  size_t step = 1; /* everywhere */
#else
  size_t step = size / 16 + 1; /* at some places, which differ with the size */
#endif
  for (size_t cut = 1 + size % step; cut < size; cut += step) {
    if (cut % 4 == 1)
      CHECK (hash_of (data, size, cut, size, cpu_dates, false) == whole);
    bool bad;
    size_t whole_part = whole_of (data, cut, &bad);
    CHECK (hash_of (data, cut, 0, cut, cpu_dates, false)
           == hash_of (data, whole_part, 0, whole_part, cpu_dates, false));
  }
  return 0;
}
