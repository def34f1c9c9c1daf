/* SPDX-License-Identifier: Apache-2.0 */
/* travel-test.c - everything generic on TAPE traces: a film, travel to any instant against playing from the beginning,
 * and searches backward, which read the trace backward. */
#include "config.h"
#include "hand.h"
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"

static Session *
open_session (const char *bundle, const char *program)
{
  g_autoptr (GError) error = NULL;
  SessionOptions o = { .trace = bundle, .program = program };
  Session *s = session_open (&o, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (s->problems->len, ==, 0);
  return s;
}

static uint64_t
played (Session *s, uint64_t events)
{
  g_autoptr (GError) error = NULL;

  drive_reset (s);
  drive_events (s, events);
  g_assert_true (drive_run (s, NULL, NULL, NULL, NULL, &error));
  return session_hash (s, MAX (drive_date (s), s->source->first));
}

static uint64_t
hash_now (Session *s)
{
  return session_hash (s, MAX (drive_date (s), s->source->first));
}

static Travel *
shoot (Session *s, Session *with, const char *film)
{
  g_autoptr (GError) error = NULL;
  FilmOptions o = { .folder = film, .until = INT64_MAX };
  FilmStats stats;
  uint64_t trace, plan;

  g_assert_true (strategy_parse ("events=500", &o.strategy));
  film_shoot (with, &o, &stats, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (stats.checkpoints, >, 5);
  g_clear_pointer (&stats.folder, g_free);
  g_autofree char *home = film_folder (s, &trace, &plan, NULL);
  (void) home;
  TravelOptions t = { .nearest = true, .film = film, .trace = trace, .plan = plan };
  return travel_new (s, &t);
}

static void
test_travel (gconstpointer program)
{
  g_autoptr (Hand) h = hand_new ();
  TraceSynth what = { .tasks = 6, .records = 6000, .seed = 4 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (GError) error = NULL;

  g_assert_true (tape_synth (h->folder, &what, NULL));
  Session *s = open_session (h->bundle, program), *reference = open_session (h->bundle, program);
  g_autofree char *film = g_build_filename (h->top, "film", NULL);
  Travel *t = shoot (s, reference, film);
  for (int i = 0; i < 25; i++) {
    uint64_t to = (uint64_t) g_rand_int_range (rand, 0, 6001);
    g_assert_true (travel_to_event (t, to, &error));
    g_assert_cmpuint (travel_event (t), ==, to);
    g_assert_cmpuint (hash_now (s), ==, played (reference, to));
    if (to > 0) {
      g_assert_true (travel_back_event (t, &error));
      g_assert_cmpuint (hash_now (s), ==, played (reference, to - 1));
    }
  }
  travel_free (t);
  session_free (s);
  session_free (reference);
  g_assert_true (places_remove (film, NULL));
}

/* The last event before the one that led to the present that has to do with a task, or with two; 0: none. */
static uint64_t
sought (const GArray *all, uint64_t present, uint32_t a, uint32_t b)
{
  for (uint64_t i = present - 1; i-- > 0;) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, i);
    uint32_t n;
    const uint32_t *list = trace_list (e, &n);
    bool listed = false;
    for (uint32_t k = 0; k < n; k++)
      listed = listed || (e->task == a && list[k] == b) || (e->task == b && list[k] == a);
    if (b == TRACE_NONE ? e->task == a : (e->task == a && e->peer == b) || (e->task == b && e->peer == a) || listed)
      return i + 1;
  }
  return 0;
}

static void
test_back (void)
{
  g_autoptr (Hand) h = hand_new ();
  TraceSynth what = { .tasks = 6, .records = 6000, .seed = 4 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (GError) error = NULL;

  g_assert_true (tape_synth (h->folder, &what, NULL));
  TraceSource *source = hand_open (h);
  g_autoptr (GArray) all = hand_read (source);
  Session *s = open_session (h->bundle, "default.eve"), *reference = open_session (h->bundle, "default.eve");
  g_autofree char *film = g_build_filename (h->top, "film", NULL);
  Travel *t = shoot (s, reference, film);
  for (int i = 0; i < 60; i++) {
    uint64_t present = (uint64_t) g_rand_int_range (rand, 1, i < 20 ? 40 : 6001);
    uint32_t a = (uint32_t) g_rand_int_range (rand, 0, 6), b = (a + 1) % 6;
    bool link = i % 2;
    uint64_t want = sought (all, present, a, link ? b : TRACE_NONE);
    g_assert_true (travel_to_event (t, present, &error));
    g_test_message ("%d: from %" G_GUINT64_FORMAT " back to %" G_GUINT64_FORMAT, i, present, want);
    bool ok = link ? travel_back_link (t, a, b, &error) : travel_back_task (t, a, &error);
    g_assert_true (ok == (want > 0));
    g_assert_cmpuint (travel_event (t), ==, ok ? want : present);
    g_assert_cmpuint (hash_now (s), ==, played (reference, ok ? want : present));
    if (!ok)
      g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
    g_clear_error (&error);
    /* the present goes on as if nobody had looked back */
    uint64_t now = travel_event (t);
    if (now < 6000) {
      g_assert_true (travel_to_event (t, now + 1, &error));
      g_assert_cmpuint (hash_now (s), ==, played (reference, now + 1));
    }
  }
  travel_free (t);
  session_free (s);
  session_free (reference);
  trace_close (source);
  g_assert_true (places_remove (film, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *components = places_components ();
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  g_test_add_data_func ("/tape/travel/default", "default.eve", test_travel);
  g_test_add_data_func ("/tape/travel/threads", "threads.eve", test_travel);
  g_test_add_func ("/tape/travel/back", test_back);
  return g_test_run ();
}
