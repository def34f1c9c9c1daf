/* SPDX-License-Identifier: Apache-2.0 */
/* run-state.h - a simulator's state saved and restored, and its bytes damaged; whatever the model.  Included once by a
 * test, which defines before MODEL, the type of the state, and MODEL_CALL(verb), its functions, as
 * simulators/component.h tells. */
#pragma once
#include "eve/eve-host.h"
#include "simulators/simulator.h"

/* Two texts of the same graph, after an event. */
static void
expect_same_lines (const char *got, const char *want, uint32_t seed, const TraceEvent *e)
{
  g_auto (GStrv) a = g_strsplit (got, "\n", -1), b = g_strsplit (want, "\n", -1);

  if (strcmp (got, want) == 0)
    return;
  for (guint i = 0; a[i] != NULL || b[i] != NULL; i++)
    if (a[i] == NULL || b[i] == NULL || strcmp (a[i], b[i]) != 0)
      g_error ("seed %u, event %" G_GUINT64_FORMAT " (%s of task %u, tag %d, at %" G_GINT64_FORMAT
               "):\n  got  %s\n  want %s",
               seed, e->number, trace_event_name (e), e->task, e->tag, e->date, a[i], b[i]);
}

static void
expect_impossible (const StateGraph *g, uint64_t want, uint32_t seed)
{
  if (g->n_impossible != want)
    g_error ("seed %u: %" G_GUINT64_FORMAT " events impossible, %" G_GUINT64_FORMAT " for the reference; last: %s",
             seed, g->n_impossible, want,
             g->impossible->len > 0 ? (char *) g->impossible->pdata[g->impossible->len - 1] : "");
}

static EveBlob *
saved (const MODEL *p)
{
  EveBlob *b = eve_blob_new ();

  MODEL_CALL (save) (p, b);
  return b;
}

static bool
restore (MODEL *p, const void *bytes, size_t n)
{
  EveBlobView *view = eve_blob_view_new (bytes, n);

  MODEL_CALL (reset) (p);
  bool ok = MODEL_CALL (load) (p, view);
  eve_blob_view_free (view);
  if (!ok)
    MODEL_CALL (reset) (p);
  return ok;
}

/* Saves p, restores it into q and sees that nothing was lost. */
static void
copy (const MODEL *p, MODEL *q)
{
  EveBlob *one = saved (p), *two;
  size_t n, n2;
  const uint8_t *bytes = eve_blob_data (one, &n), *bytes2;

  g_assert_true (restore (q, bytes, n));
  two = saved (q);
  bytes2 = eve_blob_data (two, &n2);
  g_assert_cmpmem (bytes, n, bytes2, n2);
  g_assert_cmpuint (p->store.graph.n_events, ==, q->store.graph.n_events);
  if (p->store.graph.n_events > 0) { /* before, a graph is what its trace says */
    g_assert_cmpuint (state_hash (&p->store.graph, INT64_MIN), ==, state_hash (&q->store.graph, INT64_MIN));
    g_assert_cmpuint (p->store.graph.n_updates, ==, q->store.graph.n_updates);
    g_assert_cmpuint (p->store.graph.impossible->len, ==, q->store.graph.impossible->len);
  }
  eve_blob_free (one);
  eve_blob_free (two);
}

/* p is saved before every event; the restored one, q, goes on the same way. */
static void
expect_same_from_everywhere (MODEL *p, MODEL *q, const TraceEvent *events, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    copy (p, q);
    MODEL_CALL (step) (p, &events[i]);
    MODEL_CALL (step) (q, &events[i]);
    g_assert_cmpuint (state_hash (&p->store.graph, events[i].date + 5), ==,
                      state_hash (&q->store.graph, events[i].date + 5));
    g_assert_cmpuint (p->store.graph.n_updates, ==, q->store.graph.n_updates);
  }
  copy (p, q);
}

/* Bytes of p that were changed are refused, or give q some state that can be looked at and played on. */
static void
expect_survives_damage (const MODEL *p, MODEL *q, const TraceEvent *events, size_t n_events)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  int tries = g_test_quick () ? 6000 : 200000, taken = 0;
  EveBlob *b = saved (p);
  size_t n;
  const uint8_t *bytes = eve_blob_data (b, &n);

  for (int k = 0; k < tries; k++) {
    g_autofree uint8_t *bad = g_memdup2 (bytes, n);
    size_t length = k % 7 == 0 ? (size_t) g_rand_int_range (rand, 0, (int) n) : n;
    for (int i = 0; i < 1 + k % 3; i++)
      bad[g_rand_int_range (rand, 0, (int) n)] = k % 2 ? (uint8_t) g_rand_int (rand) : (uint8_t) (255 * (k % 4 / 2));
    if (!restore (q, bad, length))
      continue;
    taken++;
    for (size_t i = 0; i < n_events; i++)
      MODEL_CALL (step) (q, &events[i]);
    g_autoptr (GString) json = g_string_new (NULL);
    state_json (&q->store.graph, INT64_MIN, json);
    g_assert_cmpuint (json->len, >, 0);
  }
  g_assert_cmpint (taken, >, 0);
  g_assert_cmpint (taken, <, tries);
  eve_blob_free (b);
}
