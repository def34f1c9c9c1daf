/* SPDX-License-Identifier: Apache-2.0 */
/* forged-test.c - histories whose checksums are right and whose entries are not: refused when a film goes on from them,
 * told when they are read, and never more work than honest ones. */
#include <string.h>
#include "tests/harness/folder.h"
#include "views/history.h"

#define STATES 1 /* kinds of histories */
#define MESSAGES 2
#define LEVELS 24
#define BLOCK 1024 /* states of a block of sums; four blocks make one of the next level */
#define STEP 1000  /* ticks between two of them */
static const StatesPalette all_states = { .rest = 14 };
static char *folder;

typedef struct Data {
  const void *at;
  uint32_t bytes;
} Data;
typedef struct Forgery {
  const char *what;
  uint32_t level;
  guint which; /* of that level, from 0; MANY: each of them */
  void (*forge) (HistoryEntry *e, Data *data);
  bool read; /* who reads it sees it too */
} Forgery;
#define MANY G_MAXUINT

/* Writes `copy` with the entries of `base`, some of them forged, and with the checksums that belong to them. */
static HistoryPlace
forge (const char *base, const char *copy, uint32_t kind, const Forgery *f)
{
  g_autoptr (GError) error = NULL;
  HistoryIn in;
  HistoryOut out;
  HistoryPlace place;
  int64_t latest = 0;
  guint met = 0;

  g_assert_true (history_in_open (&in, base, kind, &error));
  g_assert_true (history_out_open (&out, copy, kind, in.columns, NULL, &error));
  for (guint i = 0; i < in.entries->len; i++) {
    HistoryEntry e = g_array_index (in.entries, HistoryEntry, i);
    Data data = { e.level == HISTORY_REACH ? NULL : history_in_data (&in, &e), e.bytes };
    latest = MAX (latest, e.to);
    if (f != NULL && e.level == f->level && (f->which == MANY || met++ == f->which))
      f->forge (&e, &data);
    g_assert_true (history_out_add (&out, &e, data.at, data.bytes));
  }
  g_assert_true (history_out_flush (&out, &error));
  place = history_out_place (&out, latest);
  history_out_close (&out);
  history_in_close (&in);
  return place;
}

static char *
base_name (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static void
moved (HistoryEntry *e, Data *data)
{
  e->from += INT64_C (12345678901234);
  e->to += INT64_C (12345678901234);
}

static void
earlier (HistoryEntry *e, Data *data)
{
  e->from = 0;
}

static void
longer (HistoryEntry *e, Data *data)
{
  e->to += INT64_C (1) << 60;
}

static void
all_of_time (HistoryEntry *e, Data *data)
{
  e->from = INT64_MIN;
  e->to = INT64_MAX;
}

static void
no_time (HistoryEntry *e, Data *data)
{
  e->to = e->from;
}

static void
other_shift (HistoryEntry *e, Data *data)
{
  e->aux++;
}

static void
no_shift (HistoryEntry *e, Data *data)
{
  e->aux = 63;
}

/* So many buckets of a tick are as many as it says, less 2^32. */
static void
too_many_buckets (HistoryEntry *e, Data *data)
{
  e->aux = 0;
  e->to = e->from + (INT64_C (1) << 32) + e->count;
}

static const Forgery of_states[] = {
  { "a block of sums elsewhere", 1, 5, moved, true },
  { "the first of those that wait elsewhere", 1, 4, moved, true },
  { "the last of all elsewhere", 1, 6, moved, false },
  { "a block of sums that begins with the first", 1, 5, earlier, true },
  { "a block of sums that reaches into the next", 1, 5, longer, true },
  { "a block of sums of all of time", 1, 5, all_of_time, true },
  { "a block of sums of no time", 1, 5, no_time, true },
  { "buckets of another length", 1, 5, other_shift, true },
  { "buckets of no length", 1, 5, no_shift, true },
  { "more buckets than can be counted", 1, 6, too_many_buckets, true },
  { "a parent that ends behind its children", 2, 0, longer, false },
  { "records elsewhere", 0, 3, moved, true },
  { "records of all of time", 0, 3, all_of_time, true },
};

static void
test_states (void)
{
  g_autofree char *base = base_name ("a.states"), *copy = base_name ("b.states");
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);
  HistoryPlace place;

  for (int64_t i = 1; i <= 7 * BLOCK + 100; i++)
    states_writer_push (w, 0, i * STEP, (uint32_t) i % 4);
  g_assert_true (states_writer_flush (w, 0, &error));
  states_writer_free (w);
  place = forge (base, copy, STATES, NULL); /* nothing is wrong with a copy */
  w = states_writer_restore (copy, &place, &error);
  g_assert_no_error (error);
  states_writer_free (w);
  for (guint i = 0; i < G_N_ELEMENTS (of_states); i++) {
    g_test_message ("%s", of_states[i].what);
    place = forge (base, copy, STATES, &of_states[i]);
    StatesReader *r = states_reader_open (copy, &error);
    g_assert_no_error (error);
    g_assert_true (!of_states[i].read || states_reader_problem (r) != NULL);
    float shares[64 * 15] = { 0 };
    uint32_t slots = 0;
    states_reader_shares (r, 0, 0, 7.0 * BLOCK * STEP / 64, 64, 1, &all_states, shares, 15, &slots);
    states_reader_free (r);
    w = states_writer_restore (copy, &place, &error);
    g_assert_null (w);
    g_assert_nonnull (strstr (error->message, "is damaged"));
    g_clear_error (&error);
  }
}

/* Blocks that begin again at every level: one that is asked for goes down through all that overlap.  Each level would
 * multiply the work. */
static void
test_overlapping (void)
{
  enum { N = 9, RECORDS = 1000, COLUMNS = 50 };
  g_autofree char *base = base_name ("c.states");
  g_autoptr (GError) error = NULL;
  uint8_t share = 255;
  uint32_t words[RECORDS], slots = 0;
  float shares[COLUMNS * 15] = { 0 };
  int64_t end = RECORDS * STEP;
  HistoryOut out;

  for (uint32_t i = 0; i < RECORDS; i++)
    words[i] = GUINT32_TO_LE ((i > 0 ? STEP : 0) << 4 | i % 2);
  g_assert_true (history_out_open (&out, base, STATES, 1, NULL, &error));
  history_out_add (&out, &(HistoryEntry){ .to = end - STEP, .count = RECORDS }, words, sizeof words);
  for (uint32_t level = 1; level <= LEVELS; level++)
    for (int i = 0; i < N; i++) {
      int64_t to = i % 2 == 0 ? end - 1000 * (LEVELS + 1 - (int64_t) level) : 1;
      history_out_add (&out, &(HistoryEntry){ .to = to, .level = level, .count = 1, .aux = 62, .more = 1 }, &share, 1);
    }
  history_out_add (&out, &(HistoryEntry){ .to = end, .level = HISTORY_REACH, .more = 1 }, NULL, 0);
  g_assert_true (history_out_flush (&out, &error));
  history_out_close (&out);
  StatesReader *r = states_reader_open (base, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (states_reader_problem (r), "says what cannot be"));
  states_reader_shares (r, 0, 0, (double) end / COLUMNS, COLUMNS, 1, &all_states, shares, 15, &slots);
  for (guint i = 0; i < COLUMNS; i++) /* the records say it all */
    for (guint state = 0; state < 2; state++)
      g_assert_cmpfloat_with_epsilon (shares[i * 15 + state], 0.5, 1e-4);
  states_reader_free (r);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* More different pairs than a block can have. */
static void
many_pairs (HistoryEntry *e, Data *data)
{
  static uint8_t pairs[127 * 127 * 6];
  uint8_t *at = pairs;

  for (uint8_t from = 1; from < 128; from++)
    for (uint8_t to = 1; to < 128; to++, at += 6)
      memcpy (at, (const uint8_t[]){ from, to, 1, 0, 0, 0 }, 6);
  *data = (Data){ pairs, sizeof pairs };
  e->more = UINT32_MAX;
}

static void
many_messages (HistoryEntry *e, Data *data)
{
  e->count = UINT32_MAX;
}

static const Forgery of_messages[] = {
  { "pairs without end in every block", 1, MANY, many_pairs, true },
  { "pairs without end in the last block", 1, 6, many_pairs, true },
  { "the last block of sums reaches far", 1, 6, longer, false },
  { "messages without end", 0, 6, many_messages, true },
  { "a block of sums elsewhere", 1, 5, moved, true },
  { "a block of sums that begins with the first", 1, 5, earlier, true },
  { "records elsewhere", 0, 3, moved, true },
};

static void
count_bundle (void *arg, const MessageBundle *b)
{
  *(uint64_t *) arg += b->count;
}

static void
test_messages (void)
{
  enum { N = 7 * 2048 + 100 };
  g_autofree char *base = base_name ("a.messages"), *copy = base_name ("b.messages");
  g_autoptr (GError) error = NULL;
  MessagesWriter *w = messages_writer_new (base, &error);
  HistoryPlace place;

  for (int64_t i = 1; i <= N; i++)
    messages_writer_push (
        w,
        &(StateMessage){ .from = (uint32_t) i % 7, .to = 8, .size = i, .sent = i * STEP - 10, .received = i * STEP });
  g_assert_true (messages_writer_flush (w, 0, &error));
  messages_writer_free (w);
  place = forge (base, copy, MESSAGES, NULL);
  w = messages_writer_restore (copy, &place, &error);
  g_assert_no_error (error);
  messages_writer_free (w);
  for (guint i = 0; i < G_N_ELEMENTS (of_messages); i++) {
    const Forgery *f = &of_messages[i];
    uint64_t n = 0;
    g_test_message ("%s", f->what);
    place = forge (base, copy, MESSAGES, f);
    MessagesReader *r = messages_reader_open (copy, &error);
    g_assert_no_error (error);
    g_assert_true (!f->read || messages_reader_problem (r) != NULL);
    messages_reader_bundles (r, INT64_MIN, INT64_MAX, INT64_MAX, count_bundle, &n);
    if (f->forge == many_pairs) /* what is refused is read out of the records */
      g_assert_cmpuint (n, ==, N);
    messages_reader_free (r);
    w = messages_writer_restore (copy, &place, &error);
    g_assert_null (w);
    g_assert_nonnull (strstr (error->message, "is damaged"));
    g_clear_error (&error);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-forged-XXXXXX", NULL);
  g_test_add_func ("/forged/states", test_states);
  g_test_add_func ("/forged/overlapping", test_overlapping);
  g_test_add_func ("/forged/messages", test_messages);
  int status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  return status;
}
