/* SPDX-License-Identifier: Apache-2.0 */
/* history-fuzz.c - any bytes as the three files of a history, with right checksums or as they are.
 *
 * The first byte chooses the kind of history, whether checksums are made right, and what is asked; the next four are
 * the lengths of .index and .records (16 bits each, least byte first); the rest is .sums.  What comes out must be in
 * order and in bounds, and a writer that goes on from a place says so or refuses. */
#include <math.h>
#include <string.h>
#include "eve/bytes.h"
#include "eve/eve-host.h"
#include "tests/fuzz/folder.h"
#include "views/history-values.h"

#define ENTRY 64
#define MOST 5000 /* things looked at one by one */

static unsigned left;

/* What an enemy would do: every checksum is right, only the contents are not. */
static void
seal (uint8_t *index, size_t n, const uint8_t *const data[2], const size_t lengths[2])
{
  if (n >= ENTRY) { /* of this version */
    bytes_put32 (index + 8, 4);
    bytes_put32 (index + 60, history_check (index, 60));
  }
  for (size_t at = ENTRY; at + ENTRY <= n; at += ENTRY) {
    uint8_t *e = index + at;
    const int which = bytes_get32 (e + 24) == 0 ? 0 : 1;
    uint64_t offset = bytes_get64 (e + 16), bytes = bytes_get32 (e + 32); /* as stored */
    if (offset <= lengths[which] && bytes <= lengths[which] - offset)
      bytes_put32 (e + 52, history_check (data[which] + offset, bytes));
    bytes_put32 (e + 60, history_check (e, 60));
  }
}

static bool
each_state (void *arg, int64_t from, int64_t to, uint32_t state)
{
  /* in order too, unless somebody made dates that go back and sealed them */
  CHECK (from < to && state <= HISTORY_STATES_MOST);
  return --left > 0;
}

static void
ask_states (const char *base, int64_t from, int64_t to)
{
  StatesReader *r = states_reader_open (base, NULL);
  if (!r)
    return;
  states_reader_refresh (r);
  uint32_t owners = MIN (states_reader_owners (r), 16), met = 0;
  const StatesPalette palette = { .rest = 15 };
  g_autofree double *time = g_new0 (double, HISTORY_STATES_MOST + 1);
  for (uint32_t owner = 0; owner <= owners; owner++) {
    float shares[8 * 16] = { 0 };
    left = MOST;
    states_reader_each (r, owner, from, to, each_state, NULL);
    states_reader_count (r, owner, from, to);
    states_reader_shares (r, owner, from, ((double) to - (double) from) / 8 + 1, 8, 1, &palette, shares, 16, &met);
    states_reader_amounts (r, owner, from, to, time);
    for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
      CHECK (isfinite (shares[i]) && shares[i] >= 0);
  }
  states_reader_set_end (r, to);
  states_reader_reach (r);
  fuzz_text (states_reader_problem (r));
  states_reader_free (r);
}

static bool
each_message (void *arg, const StateMessage *m)
{
  return --left > 0;
}

static void
each_bundle (void *arg, const MessageBundle *b)
{
  CHECK (!isnan (b->sent) && !isnan (b->received));
}

static void
ask_messages (const char *base, int64_t from, int64_t to)
{
  MessagesReader *r = messages_reader_open (base, NULL);
  if (!r)
    return;
  messages_reader_refresh (r);
  left = MOST;
  messages_reader_each (r, from, to, each_message, NULL);
  messages_reader_count (r, from, to);
  messages_reader_bundles (r, from, to, (to / 4 - from / 4) / 4 + 1, each_bundle, NULL);
  fuzz_text (messages_reader_problem (r));
  messages_reader_free (r);
}

static bool
each_value (void *arg, const ValueSample *s)
{
  CHECK (s->series < VALUES_SERIES);
  return --left > 0;
}

static void
ask_values (const char *base, int64_t from, int64_t to)
{
  ValuesReader *r = values_reader_open (base, NULL);
  if (!r)
    return;
  ValueColumn columns[VALUES_SERIES * 8];
  double before[VALUES_SERIES];
  values_reader_refresh (r);
  left = MOST;
  values_reader_each (r, from, to, each_value, NULL);
  values_reader_columns (r, from, ((double) to - (double) from) / 8 + 1, 8, VALUES_SERIES, columns, before);
  values_reader_reach (r);
  fuzz_text (values_reader_problem (r));
  values_reader_free (r);
}

/* A film that goes on from a checkpoint: the place comes from a file as well. */
static void
go_on (const char *base, unsigned kind, const uint8_t *from, size_t n)
{
  HistoryPlace place = { { 0 } };
  for (size_t i = 0; i < 4 && i < n; i++)
    place.n[i] = from[i];
  if (kind == 0) {
    StatesWriter *w = states_writer_restore (base, &place, NULL);
    if (w) {
      states_writer_push (w, 1, INT64_MAX / 2, 1);
      states_writer_flush (w, INT64_MAX, NULL);
      states_writer_free (w);
    }
  } else if (kind == 1) {
    MessagesWriter *w = messages_writer_restore (base, &place, NULL);
    if (w) {
      messages_writer_flush (w, INT64_MAX, NULL);
      messages_writer_free (w);
    }
  } else {
    CurveWriter *w = curve_writer_new (base, &place, NULL);
    if (w) {
      curve_writer_push (w, &(ValueSample){ INT64_MAX / 2, 1, 0 });
      curve_writer_flush (w, INT64_MAX, NULL);
      curve_writer_free (w);
    }
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const int64_t dates[][2] = { { 0, 1000 },      { INT64_MIN / 2, INT64_MAX / 2 },
                                      { 100, 100 },     { 5, 5000000 },
                                      { -1000, 0 },     { INT64_MAX / 4, INT64_MAX / 2 },
                                      { 0, INT64_MAX }, { 1000, 1000000000 } };
  static void (*const ask[]) (const char *, int64_t, int64_t) = { ask_states, ask_messages, ask_values };
  if (size < 5)
    return 0;
  unsigned choice = data[0], kind = choice % 3;
  size_t rest = size - 5, n_index = MIN ((size_t) (data[1] | data[2] << 8), rest),
         n_records = MIN ((size_t) (data[3] | data[4] << 8), rest - n_index);
  const uint8_t *records = data + 5 + n_index, *sums = records + n_records;
  const size_t n_sums = rest - n_index - n_records;
  g_autofree uint8_t *index = g_malloc (n_index + 1);
  memcpy (index, data + 5, n_index);
  if (choice & 64)
    seal (index, n_index, (const uint8_t *const[]){ records, sums }, (const size_t[]){ n_records, n_sums });
  fuzz_write ("h.index", index, n_index);
  fuzz_write ("h.records", records, n_records);
  fuzz_write ("h.sums", sums, n_sums);
  g_autofree char *base = fuzz_path ("h");
  const int64_t *date = dates[(choice >> 3) % G_N_ELEMENTS (dates)];
  ask[kind](base, date[0], date[1]);
  if (choice & 128)
    go_on (base, kind, sums, n_sums);
  return 0;
}
