/* SPDX-License-Identifier: Apache-2.0 */
/* session-test.c - a session whose program is edited, the program as it is saved, the commands of a film as they are
 * read, folders that are removed. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "config.h"
#include "session/film-drive.h"
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"

static Session *
open_session (void)
{
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL);
  g_autoptr (GError) error = NULL;
  Session *s = session_open (&(SessionOptions){ .trace = trace }, &error);

  g_assert_no_error (error);
  return s;
}

/* Reader and simulator are taken out and come back as other boxes: what is known stays known, and travel is exact
 * again. */
static void
test_edit (void)
{
  g_autoptr (GError) error = NULL;
  Session *s = open_session (), *reference = open_session ();
  Travel *t = travel_new (s, &(TravelOptions){ .trace = 1, .plan = film_plan_identity (s) });
  uint64_t n = s->source->n_events;

  g_assert_true (travel_to_event (t, 300, &error));
  eve_remove (s->program, eve_find (s->program, "Reader"));
  eve_remove (s->program, eve_find (s->program, "Simulator"));
  eve_remove (s->program, eve_find (s->program, "Session"));
  session_refresh (s);
  travel_use_film (t, NULL, 1, film_plan_identity (s));
  g_assert_nonnull (s->source);
  g_assert_cmpuint (s->source->n_events, ==, n);
  g_assert_null (s->graph);
  g_assert_null (s->controller);
  g_assert_cmpuint (travel_event (t), ==, 0);
  g_assert_true (travel_to_end (t, &error)); /* nothing to do, and no fault */
  g_assert_cmpuint (travel_event (t), ==, 0);

  EveComponent *reader = eve_add (s->program, eve_registry_find ("scope.tapepvm-reader"), "Another", &error);
  EveComponent *simulator = eve_add (s->program, eve_registry_find ("scope.pvm-simulator"), "Too", &error);
  g_assert_true (eve_connect (s->program, reader, "events", simulator, "events", &error));
  session_refresh (s);
  travel_use_film (t, NULL, 1, film_plan_identity (s));
  g_assert_nonnull (s->graph);
  g_autofree char *own = eve_get (reader, "trace");
  g_assert_cmpstr (own, ==, "");
  g_assert_true (g_str_has_suffix (session_source_of (reader)->path, "ring.trace"));
  g_assert_null (s->spare);
  g_assert_true (travel_to_event (t, 400, &error));
  g_assert_true (session_go_events (reference, 400, &error));
  g_assert_cmphex (state_hash (s->graph, travel_date (t)), ==, state_hash (reference->graph, travel_date (t)));
  g_assert_no_error (error);
  travel_free (t);
  session_free (s);
  session_free (reference);
}

/* Which trace a program is open with is not part of it; a trace that a reader was given is. */
static void
test_text (void)
{
  Session *s = open_session ();
  g_autoptr (GError) error = NULL;
  EveComponent *other = eve_add (s->program, eve_registry_find ("scope.tapepvm-reader"), "Other", &error);
  g_autofree char *beside = g_canonicalize_filename ("../fft2d-s64.trace", s->source->path);

  g_assert_true (eve_set (other, "trace", beside, &error));
  session_refresh (s);
  g_assert_cmpuint (s->readers->len, ==, 2);
  g_assert_cmpstr (session_source_of (other)->name, ==, "fft2d-s64");
  g_assert_cmpstr (s->source->name, ==, "ring");
  g_assert_cmpint (s->last, ==, MAX (s->source->last, session_source_of (other)->last));
  g_autofree char *text = eve_program_text (s->program);
  g_assert_null (strstr (text, "ring.trace"));
  g_assert_nonnull (strstr (text, "fft2d-s64.trace"));
  EveProgram *p = eve_program_parse (text, -1, "text", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (eve_n_components (p), ==, eve_n_components (s->program));
  g_assert_cmpuint (eve_n_wires (p), ==, eve_n_wires (s->program));
  eve_program_free (p);
  session_free (s);
}

/* What is written is read again, whatever words an order has; a line that is still being written is left for later. */
static void
test_commands (void)
{
  static const TraceClock clock = { 1000000, "s" };
  g_autofree char *folder = g_dir_make_tmp ("scope-session-XXXXXX", NULL),
                  *path = g_build_filename (folder, "commands", NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  char order[] = "mark \"odd\" \\ name\nby Wätch\nbecause x > 1\t{\"event\": 9}";
  DriveHeard rows[] = {
    { .event = 10, .date = 1250000, .command = { .verb = TRACE_PAUSE } },
    { .event = 20, .date = INT64_MIN, .command = { .verb = TRACE_MARK, .name = "slow" } },
    { .event = 30, .date = -500000, .command = { .verb = TRACE_OTHER, .name = "mark" }, .order = order },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); ++i)
    film_command_write (&rows[i], &clock, text);
  g_string_append (text, "{\"event\": 40, \"t\": 2.0");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_autoptr (GPtrArray) all = film_commands_read (folder, &clock, 100);
  g_assert_cmpuint (all->len, ==, 3);
  for (guint i = 0; i < 3; ++i) {
    const FilmCommand *c = all->pdata[i];
    g_assert_cmpuint (c->event, ==, rows[i].event);
    g_assert_cmpint (c->date, ==, rows[i].date);
    g_assert_cmpstr (c->order, ==, rows[i].order);
  }
  g_assert_cmpstr (((FilmCommand *) all->pdata[0])->verb, ==, "pause");
  g_assert_cmpstr (((FilmCommand *) all->pdata[1])->name, ==, "slow");
  g_autoptr (GPtrArray) first = film_commands_read (folder, &clock, 1);
  g_assert_cmpuint (first->len, ==, 1);
  g_assert_true (g_file_set_contents (path, "nonsense\n{}\n{\"event\": \"x\", \"verb\": \"unfinished\n\\\n", -1, NULL));
  g_autoptr (GPtrArray) none = film_commands_read (folder, &clock, 100);
  g_assert_cmpuint (none->len, ==, 0);
  g_unlink (path);
  g_rmdir (folder);
}

/* Folders in folders go, what a link leads to stays, what cannot go is named. */
static void
test_remove (void)
{
  static const char fixed[] = "/proc/self/status";
  g_autofree char *folder = g_dir_make_tmp ("scope-session-XXXXXX", NULL);
  g_autofree char *top = g_build_filename (folder, "top", NULL), *inner = g_build_filename (top, "inner", NULL);
  g_autofree char *file = g_build_filename (inner, "file", NULL), *kept = g_build_filename (folder, "kept", NULL);
  g_autofree char *link = g_build_filename (top, "link", NULL), *upward = g_build_filename (inner, "upward", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  g_assert_true (g_file_set_contents (kept, "", 0, NULL));
  g_assert_cmpint (symlink (kept, link), ==, 0);
  g_assert_cmpint (symlink (folder, upward), ==, 0);
  g_assert_true (places_remove (top, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (top, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  g_assert_true (places_remove (top, &error));
  g_assert_no_error (error);
  g_assert_false (places_remove (fixed, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, fixed));
  g_assert_true (places_remove (folder, NULL));
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/session/edit", test_edit);
  g_test_add_func ("/session/text", test_text);
  g_test_add_func ("/film/commands", test_commands);
  g_test_add_func ("/places/remove", test_remove);
  return g_test_run ();
}
