/* SPDX-License-Identifier: Apache-2.0 */
/* travel-test.c - what travel keeps and gives up: states saved by hand under edits, with a film and without; instants
 * that are visited most; which present is exact. */
#include <glib/gstdio.h>
#include <unistd.h>
#include "help.h"

static char *
sample (const char *name)
{
  g_autofree char *bundle = g_strconcat (name, ".trace", NULL);

  return g_build_filename (SCOPE_SOURCE_DIR, "traces", bundle, NULL);
}

static char *
program (const char *name)
{
  return g_build_filename (SCOPE_SOURCE_DIR, "schemas", "tapepvm", name, NULL);
}

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
  g_autofree char *trace = sample ("farm"), *with = program ("waiting-times.eve");
  Session *s = open_session (trace, with), *reference = open_session (trace, with);
  DriveEar deaf = { 0 };

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
  g_test_add_func ("/hand/unwritten", test_hand_unwritten);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
