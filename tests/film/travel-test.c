/* SPDX-License-Identifier: Apache-2.0 */
/* travel-test.c - what travel keeps and gives up: states saved by hand under edits, with a film and without; instants
 * that are visited most; which present is exact. */
#include <glib/gstdio.h>
#include <unistd.h>
#include "help.h"
#include "session/travel-private.h"

#define EVERY "events=40" /* of films: short samples have many checkpoints then */

/* ---- states saved by hand ------------------------------------------------------------------------------------------ */

/* As the window does: the program has been edited, and what there is of it is told to travel. */
static void
edit (Session *s, Travel *t, const char *bins, bool films)
{
  g_autoptr (GError) error = NULL;
  uint64_t trace, plan;

  g_assert_true (eve_set (eve_find (s->program, "Histogram"), "bins", bins, &error));
  session_refresh (s);
  g_autofree char *film = film_folder (s, &trace, &plan, &error);
  g_assert_no_error (error);
  if (films)
    g_mkdir_with_parents (film, 0700);
  travel_use_film (t, films ? film : NULL, trace, plan);
}

/* The names of those that can be travelled to, or of those of other programs, joined. */
static char *
saved_here (Travel *t)
{
  g_autoptr (GArray) all = travel_checkpoints (t);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < all->len; ++i)
    if (*g_array_index (all, Checkpoint, i).name)
      g_string_append_printf (names, "%s ", g_array_index (all, Checkpoint, i).name);
  return g_strdup (names->str);
}

static char *
saved_elsewhere (Travel *t)
{
  const GArray *others = travel_others (t);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < others->len; ++i) {
    const TravelOther *o = &g_array_index (others, TravelOther, i);
    g_string_append_printf (names, "%s%s ", o->what.name, o->was_here ? "" : "*");
  }
  return g_strdup (names->str);
}

static void
assert_saved (Travel *t, const char *here, const char *elsewhere)
{
  g_autofree char *h = saved_here (t), *e = saved_elsewhere (t);

  g_assert_cmpstr (h, ==, here);
  g_assert_cmpstr (e, ==, elsewhere);
}

static void
test_hand_and_edits (gconstpointer with_films)
{
  bool films = with_films != NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("farm"), *with = g_strdup ("waiting-times");
  Session *s = open_session (trace, with), *reference = open_session (trace, with);
  DriveListener deaf = { 0 };

  drive_listen (reference, &deaf);
  Travel *t = travel_new (s, &(TravelOptions){ .trace = 1, .plan = 1, .nearest = true });
  edit (s, t, "7", films);
  g_assert_true (travel_to_event (t, 300, &error));
  g_assert_true (travel_save (t, "first", CHECKPOINT_BY_HAND, &error));
  g_assert_true (travel_to_event (t, 500, &error));
  g_assert_true (travel_save (t, "second", CHECKPOINT_BY_HAND, &error));
  g_assert_true (travel_save (t, "again", CHECKPOINT_MARK, &error)); /* the same instant under another name */
  g_assert_true (travel_save (t, "again", CHECKPOINT_MARK, &error)); /* twice: once */
  g_autofree char *both = saved_here (t);
  g_assert_cmpuint (strlen (both), ==, strlen ("first second again "));
  g_assert_nonnull (strstr (both, "second "));
  g_assert_nonnull (strstr (both, "again "));

  edit (s, t, "9", films);
  assert_saved (t, "", "first again second ");
  g_assert_false (travel_to_checkpoint (t, "first", &error));
  g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
  g_assert_nonnull (strstr (error->message, "undo"));
  g_clear_error (&error);
  g_assert_true (travel_to_event (t, 310, &error));
  g_assert_cmpuint (travel_report (t)->from_event, ==, 0); /* from none of them */
  g_assert_true (eve_set (eve_find (reference->program, "Histogram"), "bins", "9", &error));
  assert_same (hashes (s), played_events (reference, 310));
  g_assert_true (travel_save (t, "third", CHECKPOINT_BY_HAND, &error));
  assert_saved (t, "third ", "first again second ");

  edit (s, t, "11", films);
  assert_saved (t, "", "first third again second ");
  edit (s, t, "7", films); /* two turns back */
  g_autofree char *back = saved_here (t);
  g_assert_true (strcmp (back, "first second again ") == 0 || strcmp (back, "first again second ") == 0);
  assert_saved (t, back, "third ");
  g_assert_true (travel_to_checkpoint (t, "first", &error));
  g_assert_true (travel_report (t)->restored);
  g_assert_cmpuint (travel_report (t)->from_event, ==, 300);
  g_assert_cmpuint (travel_event (t), ==, 300);
  g_assert_true (eve_set (eve_find (reference->program, "Histogram"), "bins", "7", &error));
  assert_same (hashes (s), played_events (reference, 300));
  edit (s, t, "9", films);
  g_assert_true (travel_to_checkpoint (t, "third", &error));
  g_assert_true (travel_report (t)->restored);
  g_assert_cmpuint (travel_report (t)->from_event, ==, 310);

  /* in another session, with a program that never was the others here */
  travel_free (t);
  session_free (s);
  s = open_session (trace, with);
  t = travel_new (s, &(TravelOptions){ .trace = 1, .plan = 1 });
  edit (s, t, "11", films);
  assert_saved (t, "", films ? "first* third* again* second* " : "");
  g_assert_false (travel_to_checkpoint (t, "third", &error));
  g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
  if (films)
    g_assert_nonnull (strstr (error->message, "another program"));
  g_clear_error (&error);
  edit (s, t, "9", films);
  assert_saved (t, films ? "third " : "", films ? "first* again* second* " : "");
  travel_free (t);
  session_free (s);
  session_free (reference);
}

/* A film can be shot again, what a person saved cannot: it stays when the film is wiped or given up for room, and is no
 * reason to shoot none where it lies. */
static void
test_hand_stays (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("ring"), *home = in_folder ("hand-home"),
                  *film = g_build_filename (home, "film", NULL), *hand = g_build_filename (film, FILM_BY_HAND, NULL),
                  *data = g_build_filename (film, "checkpoints", NULL), *lock = g_build_filename (film, "lock", NULL),
                  *manifest = g_build_filename (film, "manifest", NULL);
  Session *s = open_session (trace, NULL);

  g_mkdir_with_parents (film, 0700);
  Travel *t = travel_with (s, film, NULL);
  g_assert_true (travel_to_event (t, 400, &error));
  Hashes there = hashes (s);
  g_assert_true (travel_save (t, "before the film", CHECKPOINT_BY_HAND, &error));
  shoot (trace, NULL, film, "events=40");
  g_assert_true (g_file_test (data, G_FILE_TEST_EXISTS));
  for (int i = 0; i < 3; ++i) {
    if (i < 2) { /* the second time there is nothing but the states */
      g_assert_true (film_wipe (film, &error));
      g_assert_true (g_file_test (lock, G_FILE_TEST_EXISTS));
    } else {
      shoot (trace, NULL, film, "events=40");
      g_assert_cmpuint (film_evict (home, NULL, 0, 100000), ==, 1);
      g_assert_false (g_file_test (lock, G_FILE_TEST_EXISTS));
      g_assert_cmpuint (film_evict (home, NULL, 0, 100000), ==, 0);
    }
    g_assert_no_error (error);
    g_assert_false (g_file_test (data, G_FILE_TEST_EXISTS));
    g_assert_false (g_file_test (manifest, G_FILE_TEST_EXISTS));
    g_assert_true (g_file_test (hand, G_FILE_TEST_EXISTS));
  }
  shoot (trace, NULL, film, "events=40");
  travel_free (t);
  t = travel_with (s, film, NULL);
  assert_saved (t, "before the film ", "");
  g_assert_true (travel_to_checkpoint (t, "before the film", &error));
  assert_same (hashes (s), there);
  g_unlink (hand); /* without it nothing is left of the folder */
  g_assert_cmpuint (film_evict (home, NULL, 0, 100000), ==, 1);
  g_assert_false (g_file_test (film, G_FILE_TEST_EXISTS));
  travel_free (t);
  session_free (s);
}

/* Damage to what was saved is told once, however often films come, and is not taken for damage to the film. */
static void
test_hand_damaged (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *trace = sample ("ring"), *film = in_folder ("hand-damaged"),
                  *hand = g_build_filename (film, FILM_BY_HAND, NULL), *bytes = NULL;
  uint64_t trace_id, plan;
  gsize n;

  shoot (trace, NULL, film, "none");
  Session *s = open_session (trace, NULL);
  g_autofree char *home = film_folder (s, &trace_id, &plan, &error);
  Travel *t = travel_with (s, film, NULL);
  gsize ends[4] = { 0 };
  for (uint64_t i = 1; i < G_N_ELEMENTS (ends); ++i) {
    g_autofree char *name = g_strdup_printf ("number %" G_GUINT64_FORMAT, i);
    GStatBuf st;
    g_assert_true (travel_to_event (t, 200 * i, &error));
    g_assert_true (travel_save (t, name, CHECKPOINT_BY_HAND, &error));
    g_assert_cmpint (g_stat (hand, &st), ==, 0);
    ends[i] = (gsize) st.st_size;
  }
  travel_free (t);
  g_assert_true (g_file_get_contents (hand, &bytes, &n, &error));
  g_assert_cmpuint (n, ==, ends[3]);
  bytes[ends[0] + 40] ^= 0x55; /* the header of the first */
  bytes[ends[2] - 2] ^= 0x55;  /* the data of the second */
  g_assert_true (g_file_set_contents (hand, bytes, (gssize) n, &error));

  t = travel_with (s, film, said);
  g_assert_cmpuint (said->len, ==, 1);
  g_assert_true (g_str_has_prefix (said->pdata[0], "saved: "));
  g_assert_nonnull (strstr (said->pdata[0], "damaged bytes between checkpoints"));
  for (int i = 0; i < 3; ++i) {
    travel_use_film (t, film, trace_id, plan); /* it was shot again */
    g_assert_true (travel_to_event (t, 410, &error));
    g_assert_cmpuint (travel_event (t), ==, 410);
  }
  g_assert_cmpuint (said->len, ==, 2);
  g_assert_true (g_str_has_prefix (said->pdata[1], "saved: "));
  g_assert_nonnull (strstr (said->pdata[1], "event 400 is damaged"));
  g_assert_true (travel_to_checkpoint (t, "number 3", &error));
  g_assert_cmpuint (travel_report (t)->from_event, ==, 600);
  g_assert_cmpuint (said->len, ==, 2);
  travel_free (t);
  session_free (s);
}

/* Where it cannot be written, what was saved is known until the end of the session, and that is said. */
static void
test_hand_unwritten (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("ring"), *film = in_folder ("no-such-folder");
  Session *s = open_session (trace, NULL);
  Travel *t = travel_with (s, film, NULL);

  g_assert_true (travel_to_event (t, 200, &error));
  g_assert_false (travel_save (t, "kept", CHECKPOINT_BY_HAND, &error));
  g_assert_nonnull (strstr (error->message, "until Scope is closed"));
  g_clear_error (&error);
  assert_saved (t, "kept ", "");
  g_assert_true (travel_to_event (t, 0, &error));
  g_assert_true (travel_to_checkpoint (t, "kept", &error));
  g_assert_true (travel_report (t)->restored);
  g_assert_cmpuint (travel_report (t)->from_event, ==, 200);
  travel_free (t);
  session_free (s);
}

/* ---- what is kept -------------------------------------------------------------------------------------------------- */

static const Checkpoint *
kept_at (GArray *all, uint64_t event)
{
  for (guint i = 0; i < all->len; ++i)
    if (g_array_index (all, Checkpoint, i).event == event)
      return &g_array_index (all, Checkpoint, i);
  return NULL;
}

static void
assert_kept (Travel *t, uint64_t event, bool kept)
{
  g_autoptr (GArray) all = travel_checkpoints (t);

  g_assert_true ((kept_at (all, event) != NULL) == kept);
}

/* An instant that is travelled to again gets a state of its own, from then on nothing is played to it; others do not,
 * however many there are in between. */
static void
test_visits (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("ring");
  Session *s = open_session (trace, NULL), *reference = open_session (trace, NULL);
  DriveListener deaf = { 0 };
  Travel *t = travel_with (s, NULL, NULL);

  drive_listen (reference, &deaf);
  g_assert_true (travel_to_event (t, 600, &error));
  assert_kept (t, 600, false);
  for (uint64_t other = 1; other <= 30; ++other) { /* with the first all that are remembered */
    g_assert_true (travel_to_event (t, 10 * other, &error));
    g_assert_true (travel_to_event (t, 0, &error));
  }
  assert_kept (t, 600, false);
  g_assert_true (travel_to_event (t, 600, &error));
  assert_kept (t, 600, true);
  g_assert_true (travel_to_event (t, 0, &error));
  g_assert_true (travel_to_event (t, 600, &error));
  g_assert_true (travel_report (t)->restored);
  g_assert_cmpuint (travel_report (t)->from_event, ==, 600);
  g_assert_cmpuint (travel_report (t)->played, ==, 0);
  assert_same (hashes (s), played_events (reference, 600));
  g_autoptr (GArray) all = travel_checkpoints (t);
  g_assert_cmpint (kept_at (all, 600)->kind, ==, CHECKPOINT_TRAVEL);
  for (uint64_t event = 701; event < 800; ++event) { /* far more than are remembered, each once */
    g_assert_true (travel_to_event (t, event, &error));
    assert_kept (t, event, false);
  }
  /* one that is visited often is not forgotten for those: with room for some states it takes the place of one that
   * serves less, and one by hand is never given up */
  g_assert_true (travel_to_event (t, 900, &error));
  g_assert_true (travel_save (t, "mine", CHECKPOINT_BY_HAND, &error));
  g_autoptr (GBytes) one = travel_run_state (s);
  travel_set_memory (t, 4 * g_bytes_get_size (one));
  for (uint64_t event = 100; event <= 500; event += 100)
    for (int again = 0; again < 4; ++again) {
      g_assert_true (travel_to_event (t, event, &error));
      g_assert_true (travel_to_event (t, 0, &error));
    }
  assert_kept (t, 900, true);
  assert_kept (t, 0, false); /* the beginning needs none, however often it is gone to */
  g_autoptr (GArray) few = travel_checkpoints (t);
  g_assert_cmpuint (few->len, >=, 2);
  g_assert_cmpuint (few->len, <=, 5);
  guint loved = 0;
  for (guint i = 0; i < few->len; ++i) {
    uint64_t event = g_array_index (few, Checkpoint, i).event;
    loved += event % 100 == 0 && event <= 500;
  }
  g_assert_cmpuint (loved, >, 0);
  g_assert_true (travel_to_event (t, 250, &error));
  assert_same (hashes (s), played_events (reference, 250));
  travel_free (t);
  session_free (s);
  session_free (reference);
}

/* A program is another for the trace as well as for the plan; told of the same again, everything stays. */
static void
test_identities (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = sample ("ring");
  Session *s = open_session (trace, NULL);
  uint64_t traces, plan;
  g_autofree char *home = film_folder (s, &traces, &plan, &error);
  struct {
    uint64_t trace, plan;
    bool same;
  } then[] = { { traces, plan, true }, { traces + 1, plan, false }, { traces, plan + 1, false } };

  for (guint i = 0; i < G_N_ELEMENTS (then); ++i) {
    Travel *t = travel_with (s, NULL, NULL);
    for (int again = 0; again < 2; ++again) {
      g_assert_true (travel_to_event (t, 0, &error));
      g_assert_true (travel_to_event (t, 400, &error));
    }
    assert_kept (t, 400, true);
    travel_use_film (t, NULL, then[i].trace, then[i].plan);
    assert_kept (t, 400, then[i].same);
    g_assert_true (travel_is_mixed (t) != then[i].same);
    g_assert_true (travel_to_event (t, 400, &error));
    g_assert_true (travel_report (t)->restored == then[i].same || travel_report (t)->from_event == 400);
    g_assert_false (travel_is_mixed (t));
    g_assert_true (travel_to_event (t, 0, &error));
    travel_use_film (t, NULL, traces + 7, plan + 7); /* nothing was given: there is nothing to be mixed */
    g_assert_false (travel_is_mixed (t));
    travel_free (t);
  }
  session_free (s);
}

/* ---- which present is exact ---------------------------------------------------------------------------------------- */

/* A little on from here: from the present, if that is what playing from the beginning gives; else from elsewhere.  It
 * is right either way. */
static void
assert_goes_on (Session *s, Travel *t, Session *reference, bool from_present)
{
  g_autoptr (GError) error = NULL;
  uint64_t present = travel_event (t);

  g_assert_cmpuint (present, >, 0);
  g_assert_true (travel_is_exact (t) == from_present);
  g_assert_true (travel_to_event (t, present + 3, &error));
  g_assert_no_error (error);
  g_assert_true ((!travel_report (t)->restored && travel_report (t)->from_event == present) == from_present);
  assert_same (hashes (s), played_events (reference, present + 3));
  g_assert_true (travel_is_exact (t));
}

static bool
stop_it (void *arg, const char *doing, double share)
{
  return !*(bool *) arg;
}

static const char *
synthetic_trace (void)
{
  static char *path;

  return path ? path : (path = synthetic ("some", 40000));
}

static void
go_in_slices (Travel *t)
{
  g_autoptr (GError) error = NULL;
  int more;

  while ((more = travel_go_on (t, 0, &error)) > 0)
    ;
  g_assert_no_error (error);
  g_assert_cmpint (more, ==, 0);
}

/* A box is wired while a travel in slices is under way, which goes on to its goal: what the box has not met is not what
 * is played on from, and no state of it is kept. */
static void
test_edited_on_the_way (void)
{
  Session *reference = open_session (synthetic_trace (), NULL);
  DriveListener deaf = { 0 };
  uint64_t n = reference->source->n_events;

  drive_listen (reference, &deaf);
  add_counter (reference);
  for (int prepare = 0; prepare < 2; ++prepare)
    for (int slices = 1; slices < 40; slices += 6) {
      g_autoptr (GError) error = NULL;
      Session *s = open_session (synthetic_trace (), NULL);
      Travel *t = travel_with (s, NULL, NULL);
      travel_begin_event (t, n - 1000, prepare != 0);
      for (int i = 0; i < slices && travel_go_on (t, 0, &error) > 0; ++i)
        ;
      g_assert_cmpuint (travel_event (t), >, 0);
      add_counter (s);
      travel_use_film (t, NULL, 1, film_plan_identity (s));
      go_in_slices (t);
      g_assert_false (travel_is_exact (t));
      travel_begin_event (t, n - 1000, prepare != 0);
      go_in_slices (t);
      g_assert_false (travel_is_mixed (t));
      assert_same (hashes (s), played_events (reference, n - 1000));
      travel_begin_event (t, n - 500, false);
      go_in_slices (t);
      assert_same (hashes (s), played_events (reference, n - 500));
      travel_free (t);
      session_free (s);
    }
  session_free (reference);
}

static void
test_exact (void)
{
  g_autoptr (GError) error = NULL;
  Session *s = open_session (synthetic_trace (), NULL), *reference = open_session (synthetic_trace (), NULL);
  DriveListener deaf = { 0 };
  bool stop = false;
  TraceProgress progress = { stop_it, &stop };
  TravelOptions o = { .nearest = true, .trace = 1, .plan = 1, .progress = &progress };
  Travel *t = travel_new (s, &o);
  uint64_t n = s->source->n_events;
  int64_t middle = s->first + (s->last - s->first) / 2;

  drive_listen (reference, &deaf);
  g_assert_false (travel_is_exact (t));
  g_assert_true (travel_play_until (t, middle, false, &error)); /* from the beginning, whatever was there */
  g_assert_true (travel_event (t) > 100 && travel_event (t) < n);
  assert_goes_on (s, t, reference, true);
  /* in slices, of which each ends somewhere on the way */
  drive_events (s, travel_event (t) + 500);
  int more;
  while ((more = travel_play_slice (t, false, 0, &error)) > 0)
    g_assert_true (travel_is_exact (t));
  g_assert_cmpint (more, ==, 0);
  assert_goes_on (s, t, reference, true);
  /* somebody else has moved the program */
  g_assert_true (session_go_events (s, 100, &error));
  assert_goes_on (s, t, reference, false);
  g_assert_true (session_go_events (s, 100, &error));
  g_assert_true (travel_play_until (t, travel_date (t) + (s->last - s->first) / 50, false, &error));
  assert_goes_on (s, t, reference, false); /* playing on makes nothing exact */
  /* cancelled in the midst of playing */
  g_assert_true (travel_to_event (t, 200, &error));
  stop = true;
  bool went = travel_play_until (t, s->last - 1, false, &error);
  stop = false;
  if (!went) { /* else the machine did it in one slice */
    g_assert_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED);
    g_clear_error (&error);
    assert_goes_on (s, t, reference, false);
  }
  /* the end is a present as any other, but nothing before it is gone to from there */
  g_assert_true (travel_play_until (t, INT64_MAX, false, &error));
  g_assert_true (eve_program_ended (s->program));
  g_assert_true (travel_is_exact (t));
  Hashes end = hashes (s);
  g_assert_true (travel_to_end (t, &error));
  g_assert_cmpuint (travel_report (t)->from_event, ==, n);
  g_assert_cmpuint (travel_report (t)->played, ==, 0);
  g_assert_false (travel_report (t)->restored);
  assert_same (hashes (s), end);
  drive_reset (reference);
  drive_end (reference);
  g_assert_true (drive_run (reference, NULL, NULL, NULL, NULL, &error));
  assert_same (end, hashes (reference));
  g_assert_true (travel_to_event (t, n, &error)); /* all events are given, and the end is not met */
  assert_same (hashes (s), played_events (reference, n));
  g_assert_true (travel_to_end (t, &error));
  g_assert_true (travel_to_event (t, n - 5, &error));
  assert_same (hashes (s), played_events (reference, n - 5));
  travel_free (t);
  session_free (s);
  session_free (reference);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-travel-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_data_func ("/hand/edits with films", "films", test_hand_and_edits);
  g_test_add_data_func ("/hand/edits without", NULL, test_hand_and_edits);
  g_test_add_func ("/hand/stays", test_hand_stays);
  g_test_add_func ("/hand/damaged", test_hand_damaged);
  g_test_add_func ("/hand/unwritten", test_hand_unwritten);
  g_test_add_func ("/kept/visits", test_visits);
  g_test_add_func ("/kept/identities", test_identities);
  g_test_add_func ("/kept/edited", test_edited_on_the_way);
  g_test_add_func ("/kept/exact", test_exact);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
