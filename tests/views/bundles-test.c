/* SPDX-License-Identifier: Apache-2.0 */
/* bundles-test.c - messages put together, against a sum over every single one: each field by sender, receiver and time,
 * of few tasks and many. */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include "eve/eve-host.h"
#include "views/history.h"

static char *folder;

/* What a pair of tasks sent in a window: told by bundles, and found by looking at every message. */
typedef struct PairSum {
  uint64_t count, bytes;
  double sent, received; /* sums of dates */
} PairSum;

typedef struct Sums {
  uint32_t tasks;
  PairSum *pair; /* by from * tasks + to; the last one: the rest */
  bool rest;
} Sums;

static void
sums_begin (Sums *s, uint32_t tasks)
{
  *s = (Sums){ .tasks = tasks, .pair = g_new0 (PairSum, (gsize) tasks * tasks + 1) };
}

static void
sum_up (PairSum *p, uint64_t count, uint64_t bytes, double sent, double received)
{
  p->count += count;
  p->bytes += bytes;
  p->sent += sent * (double) count;
  p->received += received * (double) count;
}

static void
sum_bundle (void *arg, const MessageBundle *b)
{
  Sums *s = arg;

  g_assert_cmpuint (b->count, >, 0);
  if (b->from == TRACE_NONE) {
    g_assert_cmpuint (b->to, ==, TRACE_NONE);
    s->rest = true;
    sum_up (&s->pair[s->tasks * s->tasks], b->count, b->bytes, b->sent, b->received);
    return;
  }
  g_assert_cmpuint (b->from, <, s->tasks);
  g_assert_cmpuint (b->to, <, s->tasks);
  sum_up (&s->pair[b->from * s->tasks + b->to], b->count, b->bytes, b->sent, b->received);
}

static void
sum_truth (Sums *s, const GArray *all, int64_t from, int64_t to)
{
  for (guint i = 0; i < all->len; i++) {
    const StateMessage *m = &g_array_index (all, StateMessage, i);
    if (m->received >= from && m->received < to)
      sum_up (&s->pair[m->from * s->tasks + m->to], 1, (uint64_t) m->size,
              (double) (m->sent == INT64_MIN ? m->received : m->sent), (double) m->received);
  }
}

/* Dates are rounded down to a tick in each block of sums that a bundle went through. */
#define ROUNDED 12

/* Each field of each pair is right, or where some messages are told as the rest, smaller, and the rest is what is
 * missing. */
static void
compare_sums (const Sums *got, const Sums *want)
{
  PairSum missing = { 0 }, rest = got->pair[got->tasks * got->tasks];
  double slack = 0;

  for (uint32_t i = 0; i < got->tasks * got->tasks; i++) {
    const PairSum *g = &got->pair[i], *w = &want->pair[i];
    double off = ROUNDED * (double) w->count;
    slack += off;
    if (!got->rest) {
      g_assert_cmpuint (g->count, ==, w->count);
      g_assert_cmpuint (g->bytes, ==, w->bytes);
      g_assert_cmpfloat (fabs (g->sent - w->sent), <=, off);
      g_assert_cmpfloat (fabs (g->received - w->received), <=, off);
    }
    g_assert_cmpuint (g->count, <=, w->count);
    g_assert_cmpuint (g->bytes, <=, w->bytes);
    missing.count += w->count - g->count;
    missing.bytes += w->bytes - g->bytes;
    missing.sent += w->sent - g->sent;
    missing.received += w->received - g->received;
  }
  g_assert_cmpuint (rest.count, ==, missing.count);
  g_assert_cmpuint (rest.bytes, ==, missing.bytes);
  g_assert_cmpfloat (fabs (rest.sent - missing.sent), <=, slack);
  g_assert_cmpfloat (fabs (rest.received - missing.received), <=, slack);
}

static int
by_bytes (const void *a, const void *b)
{
  uint64_t x = ((const PairSum *) a)->bytes, y = ((const PairSum *) b)->bytes;

  return (x < y) - (x > y);
}

/* A block of sums of the lowest level: 2048 messages of which no two have one date.  Kept are the heaviest pairs,
 * whole. */
static void
check_block (MessagesReader *r, const GArray *all, uint32_t tasks, guint block)
{
  int64_t from = g_array_index (all, StateMessage, block * 2048).received,
          to = g_array_index (all, StateMessage, block * 2048 + 2047).received + 1;
  Sums got, want;
  uint64_t lightest = UINT64_MAX;
  guint n = 0;

  sums_begin (&got, tasks);
  sums_begin (&want, tasks);
  messages_reader_bundles (r, from, to, INT64_MAX, sum_bundle, &got);
  sum_truth (&want, all, from, to);
  compare_sums (&got, &want);
  for (uint32_t i = 0; i < tasks * tasks; i++)
    if (got.pair[i].count > 0) {
      g_assert_cmpuint (got.pair[i].count, ==, want.pair[i].count);
      g_assert_cmpuint (got.pair[i].bytes, ==, want.pair[i].bytes);
      lightest = MIN (lightest, got.pair[i].bytes);
      n++;
    }
  qsort (want.pair, tasks * tasks, sizeof *want.pair, by_bytes);
  if (got.rest)
    g_assert_cmpuint (lightest, ==, want.pair[n - 1].bytes); /* nobody who is left out is heavier */
  g_free (got.pair);
  g_free (want.pair);
}

static StateMessage
random_message (GRand *rand, uint32_t tasks, int64_t date)
{
  StateMessage m = { .from = (uint32_t) g_rand_int_range (rand, 0, (gint32) tasks), .received = date };

  /* half of the traffic goes to neighbours */
  m.to = g_rand_boolean (rand) ? (m.from + 1) % tasks : (uint32_t) g_rand_int_range (rand, 0, (gint32) tasks);
  m.tag = g_rand_int_range (rand, 0, 3) ? g_rand_int_range (rand, -1, 99) : INT32_MIN;
  m.size = g_rand_int_range (rand, 0, 10) ? g_rand_int_range (rand, 0, 70000)
                                          : INT64_C (1) << g_rand_int_range (rand, 0, 40);
  m.sent = g_rand_int_range (rand, 0, 20) ? date - (INT64_C (1) << g_rand_int_range (rand, 0, 30)) : INT64_MIN;
  return m;
}

static void
test_bundles (gconstpointer data)
{
  uint32_t tasks = GPOINTER_TO_UINT (data);
  g_autofree char *base = g_strdup_printf ("%s/%u.messages", folder, tasks);
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (tasks);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (StateMessage));
  MessagesWriter *w = messages_writer_new (base, &error);
  int64_t date = 1000;
  int rests = 0;

  for (int i = 0; i < 60000; i++) {
    date += i < 30000 ? g_rand_int_range (rand, 1, 90) : g_rand_int_range (rand, 0, 3) * (i % 5000 == 0 ? 100000 : 1);
    StateMessage m = random_message (rand, tasks, date);
    g_array_append_val (all, m);
    messages_writer_push (w, &m);
  }
  g_assert_true (messages_writer_flush (w, 0, &error));
  messages_writer_free (w);
  MessagesReader *r = messages_reader_open (base, &error);
  g_assert_no_error (error);
  for (guint block = 0; block < (tasks > 1000 ? 2 : 14); block++)
    check_block (r, all, tasks, block);
  for (int round = 0; round < (tasks > 1000 ? 3 : tasks > 100 ? 30 : 120); round++) {
    int64_t length = (int64_t) pow (2, g_rand_double_range (rand, 1, log2 ((double) date)));
    int64_t from = round == 0 ? 0 : (int64_t) g_rand_double_range (rand, 0, (double) date);
    int64_t to = round == 0 ? date + 1 : from + length;
    Sums got, want;
    sums_begin (&got, tasks);
    sums_begin (&want, tasks);
    messages_reader_bundles (r, from, to, MAX ((to - from) / g_rand_int_range (rand, 1, 80), 1), sum_bundle, &got);
    sum_truth (&want, all, from, to);
    compare_sums (&got, &want);
    rests += got.rest;
    g_free (got.pair);
    g_free (want.pair);
  }
  g_assert_true (tasks * tasks <= 384 ? rests == 0 : rests > 0);
  g_assert_null (messages_reader_problem (r));
  messages_reader_free (r);
}

int
main (int argc, char **argv)
{
  static const uint32_t tasks[] = { 4, 19, 256, 2000 };

  folder = g_dir_make_tmp ("scope-bundles-XXXXXX", NULL);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tasks); i++) {
    g_autofree char *name = g_strdup_printf ("/bundles/%u", tasks[i]);
    g_test_add_data_func (name, GUINT_TO_POINTER (tasks[i]), test_bundles);
  }
  int status = g_test_run ();
  g_autofree char *clean = g_strdup_printf ("rm -rf '%s'", folder);
  g_assert_true (g_spawn_command_line_sync (clean, NULL, NULL, NULL, NULL));
  g_free (folder);
  return status;
}
