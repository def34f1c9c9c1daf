/* SPDX-License-Identifier: Apache-2.0 */
/* rest-test.c - who stops to look, on samples: nothing of what comes later changes, wherever and however often; and
 * after the program was changed nothing of the one before stays. */
#include <glib/gstdio.h>
#include <string.h>
#include "config.h"
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"

static Session *
open_session (const char *sample, const char *program, const char *text, const char *out)
{
  g_autofree char *bundle = g_strconcat (sample, ".trace", NULL);
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", bundle, NULL);
  g_autoptr (GError) error = NULL;
  Session *s = session_open (&(SessionOptions){ .trace = trace, .program = program, .text = text, .out = out }, &error);

  g_assert_no_error (error);
  return s;
}

static void
check_rests (const char *sample, const char *program)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (GError) error = NULL;
  Session *rests = open_session (sample, program, NULL, NULL), *straight = open_session (sample, program, NULL, NULL);
  uint64_t n = rests->source->n_events, at = 0;

  while (at < n) {
    at = MIN (n, at + (uint64_t) g_rand_int_range (rand, 1, (gint32) (n / 8 + 2)));
    g_assert_true (session_go_events (rests, at - drive_given (rests), &error));
    g_assert_true (session_go_events (straight, at - drive_given (straight), &error));
    for (int again = g_rand_int_range (rand, 1, 3); again > 0; again--)
      session_rest (rests, drive_date (rests) + g_rand_int_range (rand, 0, 1000000));
    if (g_rand_boolean (rand))
      eve_pause (rests->program);
    g_assert_cmphex (eve_program_run_hash (rests->program), ==, eve_program_run_hash (straight->program));
  }
  g_assert_true (session_go_end (rests, &error));
  g_assert_true (session_go_end (straight, &error));
  session_rest (rests, INT64_MAX);
  g_assert_cmphex (eve_program_run_hash (rests->program), ==, eve_program_run_hash (straight->program));

  /* back to the middle, with rests on the way, and forth */
  Travel *t = travel_new (rests, &(TravelOptions){ .trace = 1, .plan = film_plan_identity (rests) });
  for (int i = 0; i < 8; i++) {
    at = (uint64_t) g_rand_int_range (rand, 0, (gint32) n);
    g_assert_true (travel_to_event (t, at, &error));
    uint64_t hash = eve_program_run_hash (rests->program);
    session_rest (rests, drive_date (rests));
    g_assert_cmphex (eve_program_run_hash (rests->program), ==, hash);
    g_assert_false (travel_is_mixed (t));
    session_stop (straight);
    g_assert_true (session_go_events (straight, at, &error));
    if (!straight->controller) /* it keeps what it was told */
      g_assert_cmphex (eve_program_run_hash (straight->program), ==, hash);
  }
  g_assert_no_error (error);
  travel_free (t);
  session_free (rests);
  session_free (straight);
}

static void
test_rests (void)
{
  static const char *const programs[] = { "waiting-times.eve", "load-balance.eve", "traffic.eve", "overview.eve",
                                          "communication-overhead.eve" };

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
    check_rests ("farm", programs[i]);
    check_rests ("groups", programs[i]);
  }
}

/* What the views of an instant show, as tables. */
static char *
shown (Session *s, int64_t at)
{
  GString *all = g_string_new (NULL);

  for (uint32_t i = 0; i < eve_n_components (s->program); i++) {
    EveComponent *c = eve_component (s->program, i);
    const View *view = session_view (c);
    ViewScene scene = { .width_px = 600, .height_px = 400, .scale = 1, .from = 1, .at = at, .event = UINT64_MAX };
    if (!view || !view->csv || view->spans != VIEW_OF_INSTANT || !session_scene (s, c, &scene, NULL))
      continue;
    g_string_append_printf (all, "%s\n", eve_name (c));
    view->csv (c, &scene, all, NULL);
  }
  return g_string_free (all, FALSE);
}

/* What has a window of time, and what names states: some of it is looked up when something comes. */
#define BOX(name, class, settings) "<component name=\"" name "\" class=\"scope." class "\">" settings "</component>"
#define SET(name, value) "<setting name=\"" name "\">" value "</setting>"
#define WIRE(a, out, b, in) "<wire from=\"" a "\" out=\"" out "\" to=\"" b "\" in=\"" in "\"/>"
static const char looked_up[] = "<eve version=\"1\">" BOX ("Reader", "tapepvm-reader", "")
    BOX ("S", "pvm-simulator", "") BOX ("D", "state-durations", SET ("states", "Busy, Idle") SET ("to", "0.2"))
        BOX ("By", "statistics-by-owner", SET ("every", "1000"))
            BOX ("O", "communication-overhead", SET ("from", "0.01") SET ("to", "0.15") SET ("sampling", "at the end"))
                BOX ("P", "state-presenter", SET ("attribute", "PercentBusy")) BOX ("T", "table-view", "")
                    BOX ("V", "table-view", "") BOX ("C", "value-panel", "") BOX ("N", "value-panel", "")
                        WIRE ("Reader", "events", "S", "events") WIRE ("S", "states", "D", "states")
                            WIRE ("D", "dated", "By", "value") WIRE ("By", "table", "V", "table")
                                WIRE ("D", "table", "T", "table") WIRE ("Reader", "events", "O", "events")
                                    WIRE ("O", "dated", "C", "value") WIRE ("S", "states", "P", "changes")
                                        WIRE ("P", "dated", "N", "value") "</eve>";

/* At rest at an instant the same is told, whether the program was played there or a run state was loaded; and a change
 * of a setting harms nobody. */
static void
check_loaded (const char *sample, const char *program, const char *text)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Session *played = open_session (sample, program, text, NULL);
  int64_t from = played->first, length = played->last - from;

  for (int i = 0; i < 6; i++) {
    int64_t at = from + (int64_t) (g_rand_double (rand) * (double) length),
            now = at + g_rand_int_range (rand, 0, 1000000);
    Session *loaded = open_session (sample, program, text, NULL);
    EveBlob *state = eve_blob_new ();
    size_t n;
    session_stop (played);
    g_assert_true (session_go_until (played, at, &error));
    eve_program_save_run (played->program, state);
    const uint8_t *bytes = eve_blob_data (state, &n);
    g_assert_true (eve_program_load_run (loaded->program, bytes, n, problems, &error));
    session_rest (played, now);
    session_rest (loaded, now);
    g_autofree char *want = shown (played, now), *got = shown (loaded, now);
    g_assert_cmpstr (want, ==, got);
    g_assert_cmphex (eve_program_run_hash (played->program), ==, eve_program_run_hash (loaded->program));
    for (uint32_t k = 0; k < eve_n_components (loaded->program); k++) {
      EveComponent *c = eve_component (loaded->program, k);
      for (uint32_t f = 0; f < eve_class (c)->n_settings; f++) {
        const EveField *field = &eve_class (c)->settings[f];
        g_autofree char *value = eve_get (c, field->name);
        if (!field->path && !g_str_equal (field->name, "trace")) {
          eve_set (c, field->name, value, NULL);
          session_rest (loaded, now);
        }
      }
    }
    g_assert_null (eve_program_failure (loaded->program, NULL));
    eve_blob_free (state);
    session_free (loaded);
  }
  g_assert_no_error (error);
  session_free (played);
}

static void
test_loaded (void)
{
  g_autoptr (GPtrArray) programs = places_programs ("tapepvm");

  check_loaded ("fft2d-s16", "default.eve", looked_up);
  check_loaded ("farm", "default.eve", looked_up);
  /* compare is of two traces */
  g_assert_cmpuint (programs->len, >, 15);
  for (guint i = 0; i < programs->len; i++) {
    const char *path = ((const PlacesProgram *) programs->pdata[i])->path;
    if (!g_str_has_suffix (path, "/compare.eve"))
      check_loaded ("farm", path, NULL);
  }
}

/* A component was changed in the middle: until a travel its results are of two programs, and no state of them is kept.
 */
static void
test_mixed (void)
{
  g_autoptr (GError) error = NULL;
  Session *s = open_session ("farm", "waiting-times.eve", NULL, NULL),
          *fresh = open_session ("farm", "waiting-times.eve", NULL, NULL);
  Strategy every = strategy_default ();
  g_assert_true (strategy_parse ("events=1", &every));
  Travel *t = travel_new (s, &(TravelOptions){ .trace = 1, .plan = film_plan_identity (s), .strategy = every }),
         *u = travel_new (fresh, &(TravelOptions){ .trace = 1, .plan = 2 });

  g_assert_true (travel_to_event (t, 100, &error));
  g_assert_false (travel_is_mixed (t));
  g_assert_true (eve_set (eve_find (s->program, "Histogram"), "bins", "7", &error));
  travel_use_film (t, NULL, 1, film_plan_identity (s));
  g_assert_true (travel_is_mixed (t));
  g_assert_true (travel_play_until (t, s->source->last - 1, false, &error));
  g_assert_true (travel_is_mixed (t));
  g_autoptr (GArray) kept = travel_checkpoints (t);
  g_assert_cmpuint (kept->len, ==, 0);
  uint64_t present = travel_event (t);
  g_assert_cmpuint (present, >, 100);
  g_assert_true (travel_to_event (t, present, &error));
  g_assert_false (travel_is_mixed (t));
  g_assert_true (eve_set (eve_find (fresh->program, "Histogram"), "bins", "7", &error));
  g_assert_true (travel_to_event (u, present, &error));
  g_assert_cmphex (eve_program_run_hash (s->program), ==, eve_program_run_hash (fresh->program));

  /* and one that is saved by hand is worked out before */
  g_assert_true (eve_set (eve_find (s->program, "Histogram"), "bins", "9", &error));
  g_assert_true (eve_set (eve_find (fresh->program, "Histogram"), "bins", "9", &error));
  travel_use_film (t, NULL, 1, film_plan_identity (s));
  travel_use_film (u, NULL, 1, 3);
  g_assert_true (travel_save (t, "by hand", CHECKPOINT_BY_HAND, &error));
  g_assert_false (travel_is_mixed (t));
  g_assert_cmpuint (travel_event (t), ==, present);
  g_assert_true (travel_to_event (u, present, &error));
  g_assert_cmphex (eve_program_run_hash (s->program), ==, eve_program_run_hash (fresh->program));
  g_assert_no_error (error);
  travel_free (t);
  travel_free (u);
  session_free (s);
  session_free (fresh);
}

/* Which objects are asked for may change on the way: every one is looked at again, the first too. */
static void
test_presenter_object (void)
{
  static const char text[] =
      "<eve version=\"1\"><component name=\"Reader\" class=\"scope.tapepvm-reader\"/>"
      "<component name=\"S\" class=\"scope.pvm-simulator\"/>"
      "<component name=\"P\" class=\"scope.state-presenter\"><setting name=\"attribute\">PercentBusy</setting>"
      "</component><component name=\"F\" class=\"scope.csv-sink\"><setting name=\"file\">p.csv</setting></component>"
      "<wire from=\"Reader\" out=\"events\" to=\"S\" in=\"events\"/><wire from=\"S\" out=\"states\" to=\"P\" "
      "in=\"changes\"/><wire from=\"P\" out=\"dated\" to=\"F\" in=\"in\"/></eve>";
  g_autoptr (GError) error = NULL;
  g_autofree char *out = g_dir_make_tmp ("scope-rest-XXXXXX", &error), *path = g_build_filename (out, "p.csv", NULL);
  Session *s = open_session ("ring", "default.eve", text, out);
  uint64_t n = s->source->n_events;
  gsize before = 0;

  for (guint i = 0; i < 3; i++) { /* of all, of the second task, of the first */
    g_autofree char *rows = NULL, *id = g_strdup (i ? trace_task_id (s->source, i == 1 ? 1 : 0) : "");
    g_assert_true (eve_set (eve_find (s->program, "P"), "object", id, &error));
    g_assert_true (session_go_events (s, n / 3, &error));
    eve_pause (s->program);
    g_assert_true (g_file_get_contents (path, &rows, NULL, &error));
    g_auto (GStrv) lines = g_strsplit (rows + before, "\n", -1);
    guint found = 0;
    before = strlen (rows);
    for (char **line = lines; *line && **line; line++) {
      g_auto (GStrv) fields = g_strsplit (*line, ",", -1);
      if (i == 0)
        continue;
      found++;
      g_assert_cmpstr (fields[1], ==, trace_task_name (s->source, i == 1 ? 1 : 0));
    }
    g_assert_true (i == 0 || found > 0);
  }
  g_assert_no_error (error);
  session_free (s);
  places_remove (out, NULL);
}

int
main (int argc, char **argv)
{
  g_autofree char *components = places_components ();

  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  g_test_add_func ("/rest/samples", test_rests);
  g_test_add_func ("/rest/loaded", test_loaded);
  g_test_add_func ("/rest/mixed", test_mixed);
  g_test_add_func ("/rest/presenter object", test_presenter_object);
  return g_test_run ();
}
