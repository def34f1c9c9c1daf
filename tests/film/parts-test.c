/* SPDX-License-Identifier: Apache-2.0 */
/* parts-test.c - run states in parts: a film serves programs that have a box less, or one more that keeps nothing, and
 * whatever was added, removed, rewired or set in between, an instant is what playing to it gives. */
#include <glib/gstdio.h>
#include "help.h"
#include "session/parts.h"

static char *
program (const char *name)
{
  return g_build_filename (SCOPE_SOURCE_DIR, "schemas", name, NULL);
}

static EveComponent *
add (Session *s, const char *id, const char *name)
{
  g_autoptr (GError) error = NULL;
  EveComponent *c = eve_add (s->program, eve_registry_find (id), name, &error);

  g_assert_no_error (error);
  return c;
}

static void
wire (Session *s, const char *from, const char *out, const char *to, const char *in)
{
  g_autoptr (GError) error = NULL;
  EveProgram *p = s->program;

  eve_connect (p, eve_find (p, from), out, eve_find (p, to), in, &error);
  g_assert_no_error (error);
}

static void
set (Session *s, const char *name, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;

  eve_set (eve_find (s->program, name), setting, value, &error);
  g_assert_no_error (error);
}

/* ---- edits ------------------------------------------------------------------------------------------------------------- */

/* What a person may do to a program that has a reader and a simulator; each can be done to one where it was done. */
typedef enum { COUNTER, DURATIONS, STATISTICS, CURVE, GRAPH, SPACE_TIME, TEXT, LONELY, EDITS } Edit;

static const char *const names[EDITS] = { "A counter", "Some durations", "Some statistics", "A curve",
                                          "A graph",   "A diagram",      "A text",          "Alone" };

static void
toggle (Session *s, Edit edit)
{
  EveComponent *there = eve_find (s->program, names[edit]);
  const char *reader = eve_name (s->reader), *simulator = eve_name (s->simulator);

  if (there)
    eve_remove (s->program, there);
  else
    switch (edit) {
    case COUNTER:
      add (s, "scope.counter", names[edit]);
      wire (s, reader, "events", names[edit], "in");
      break;
    case STATISTICS:
      add (s, "scope.statistics", names[edit]);
      if (eve_find (s->program, names[DURATIONS]))
        wire (s, names[DURATIONS], "value", names[edit], "value");
      break;
    case DURATIONS:
      add (s, "scope.state-durations", names[edit]);
      wire (s, simulator, "states", names[edit], "states");
      break;
    case CURVE: /* the history that it shows is of durations, if these are there */
      add (s, "scope.curve", names[edit]);
      if (eve_find (s->program, names[DURATIONS]))
        wire (s, names[DURATIONS], "dated", names[edit], "value");
      break;
    case GRAPH:
      add (s, "scope.state-graph", names[edit]);
      wire (s, simulator, "messages", names[edit], "messages");
      break;
    case SPACE_TIME:
      add (s, "scope.space-time", names[edit]);
      wire (s, simulator, "states", names[edit], "states");
      break;
    case TEXT:
      add (s, "scope.trace-text", names[edit]);
      wire (s, reader, "events", names[edit], "events");
      break;
    default:
      add (s, "scope.counter", names[edit]);
    }
  session_refresh (s);
}

/* Boxes that are there only for their looks, or that nothing comes to. */
static bool
keeps_nothing (Edit edit)
{
  return edit == GRAPH || edit == SPACE_TIME || edit == TEXT || edit == LONELY;
}

/* ---- a film serves ------------------------------------------------------------------------------------------------------ */

static FilmStats
shoot_session (Session *s, const char *strategy)
{
  g_autoptr (GError) error = NULL;
  FilmOptions o = { .until = INT64_MAX };
  FilmStats stats;

  g_assert_true (strategy_parse (strategy, &o.strategy));
  film_shoot (s, &o, &stats, &error);
  g_assert_no_error (error);
  return stats;
}

/* Its program as it is now, in a session that has not begun. */
static Session *
the_same (const Session *s)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = eve_program_text (s->program);
  SessionOptions o = { .trace = s->trace, .program = s->program_path, .text = text };
  Session *same = session_open (&o, &error);

  g_assert_no_error (error);
  return same;
}

static bool
now_served (const Session *s)
{
  Session *same = the_same (s);
  FilmStats stats = shoot_session (same, "events=40");
  bool served = stats.was_complete;

  g_assert_true (stats.was_complete == (stats.events_shot == 0));
  g_free (stats.folder);
  session_free (same);
  return served;
}

static void
forget_films (void)
{
  g_autofree char *home = film_home ();

  places_remove (home, NULL);
}

/* A view more or a box less: nothing is shot.  One that holds something is. */
static void
test_serves (void)
{
  g_autofree char *trace = sample ("ring"), *with = program ("tapepvm/views.eve");
  Session *s = open_session (trace, with), *first = the_same (s);
  FilmStats stats = shoot_session (first, "events=40");

  g_assert_cmpuint (stats.events_shot, ==, s->n_events);
  g_free (stats.folder);
  for (Edit e = 0; e < EDITS; ++e) {
    toggle (s, e);
    g_test_message ("%s", names[e]);
    g_assert_true (now_served (s) == keeps_nothing (e));
    g_assert_true (now_served (s)); /* there is a film of it now */
  }
  for (Edit e = 0; e < EDITS; ++e) /* all of it was there: less of it needs no other film */
    if (e != STATISTICS && e != CURVE) {
      g_test_message ("without %s", names[e]);
      toggle (s, e);
      g_assert_true (now_served (s));
      toggle (s, e);
    }
  session_free (s);
  session_free (first);
  forget_films ();
}

/* ---- what a film lacks is played alone ------------------------------------------------------------------------------------ */

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Sums of all files of a film that do not tell how it was made, by name; of histories the names alone. */
static char *
contents_of (const char *film)
{
  g_autoptr (GDir) dir = g_dir_open (film, 0, NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (film, name, NULL), *bytes = NULL, *sum = NULL;
    gsize n;
    if (g_str_equal (name, "checkpoints") || g_str_equal (name, "manifest") || g_str_equal (name, "lock"))
      continue;
    g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
    /* where blocks of a history end hangs on when it was written out */
    bool blocks = g_str_has_suffix (name, ".index") || g_str_has_suffix (name, ".records")
                  || g_str_has_suffix (name, ".sums");
    sum = blocks ? g_strdup ("") : g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) bytes, n);
    g_ptr_array_add (all, g_strdup_printf ("%s %s", name, sum));
  }
  g_ptr_array_sort (all, by_text);
  g_ptr_array_add (all, NULL);
  return g_strjoinv ("\n", (char **) all->pdata);
}

/* All checkpoints of a film, each travelled to, and the instants between, are what playing gives. */
static void
assert_travels (const Session *s, const char *film)
{
  g_autoptr (GError) error = NULL;
  Session *there = the_same (s), *reference = the_same (s);
  DriveListener deaf = { 0 };
  TravelOptions o = { .nearest = true };
  uint64_t trace, plan;
  g_autofree char *found = film_folder (there, &trace, &plan, &error);

  g_assert_cmpstr (found, ==, film);
  drive_listen (reference, &deaf);
  Travel *t = travel_new (there, &o);
  travel_use_film (t, film, trace, plan);
  guint restored = 0;
  for (uint64_t event = 0; event <= s->n_events; event += MAX (s->n_events / 40, 1)) {
    g_assert_true (travel_to_event (t, event, &error));
    assert_same (hashes (there), played_events (reference, event));
    restored += travel_report (t)->from_film;
  }
  g_assert_true (travel_to_end (t, &error));
  drive_reset (reference);
  drive_end (reference);
  assert_same (hashes (there), played (reference));
  g_assert_cmpuint (restored, >, 10);
  travel_free (t);
  session_free (there);
  session_free (reference);
}

/* Whatever is added: the film is the one that playing all of it gives, byte for byte, and histories are taken over. */
static void
test_cone (void)
{
  static const Edit added[] = { COUNTER, DURATIONS, STATISTICS, CURVE };
  g_autofree char *trace = synthetic ("cone", 3000), *with = program ("tapepvm/views.eve");
  Session *s = open_session (trace, with), *first = the_same (s);

  g_free (shoot_session (first, "events=40").folder);
  session_free (first);
  for (guint i = 0; i < G_N_ELEMENTS (added); ++i) {
    toggle (s, added[i]);
    g_test_message ("%s", names[added[i]]);
    Session *same = the_same (s);
    FilmStats stats = shoot_session (same, "events=40");
    g_assert_true (stats.of_cone);
    g_assert_cmpuint (stats.histories_taken, ==, stats.histories - (added[i] == CURVE));
    g_assert_cmpuint (stats.events_shot, ==, s->n_events);
    g_autofree char *cone = contents_of (stats.folder);
    guint checkpoints = stats.checkpoints;
    assert_travels (s, stats.folder);
    g_free (stats.folder);
    session_free (same);

    g_autofree char *home = film_home (), *aside = g_strconcat (home, ".aside", NULL);
    g_assert_cmpint (g_rename (home, aside), ==, 0);
    same = the_same (s);
    stats = shoot_session (same, "events=40");
    g_assert_false (stats.of_cone);
    g_autofree char *whole = contents_of (stats.folder);
    g_assert_cmpstr (cone, ==, whole);
    g_assert_cmpuint (checkpoints, >, 10);
    g_free (stats.folder);
    session_free (same);
    places_remove (home, NULL);
    g_assert_cmpint (g_rename (aside, home), ==, 0);
  }
  session_free (s);
  forget_films ();
}

/* Stopped on the way, it is begun again from the other film, and not from nothing. */
static bool
stop_there (void *arg, const char *doing, double share)
{
  return !(share > 0.5 && g_str_has_prefix (doing, "playing"));
}

static void
test_cone_stopped (void)
{
  g_autofree char *trace = synthetic ("stopped", 60000), *with = program ("tapepvm/views.eve");
  Session *s = open_session (trace, with), *first = the_same (s), *same;
  g_autoptr (GError) error = NULL;
  TraceProgress progress = { .report = stop_there };
  FilmOptions o = { .until = INT64_MAX, .progress = &progress };
  FilmStats stats;

  g_free (shoot_session (first, "events=400").folder);
  session_free (first);
  toggle (s, COUNTER);
  same = the_same (s);
  g_assert_true (strategy_parse ("events=400", &o.strategy));
  g_assert_false (film_shoot (same, &o, &stats, &error));
  g_assert_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED);
  g_free (stats.folder);
  session_free (same);
  same = the_same (s);
  stats = shoot_session (same, "events=400");
  g_assert_true (stats.of_cone);
  g_free (stats.folder);
  session_free (same);
  session_free (s);
  forget_films ();
}

/* What has passed each wire, which the hash of the run does not tell of those to views. */
static char *
passed (const Session *s)
{
  GString *all = g_string_new (NULL);

  for (uint32_t i = 0; i < eve_n_wires (s->program); ++i) {
    EveWire w = eve_wire (s->program, i);
    g_string_append_printf (all, "%s.%s %s %" G_GUINT64_FORMAT "\n", eve_name (w.from), w.out, eve_name (w.to),
                            w.passed);
  }
  return g_string_free (all, FALSE);
}

/* ---- travels between edits -------------------------------------------------------------------------------------------------- */

static guint n_of_cones; /* films made so, in all walks */

typedef struct Walk {
  Session *s, *reference;
  Travel *t;
  GRand *rand;
  guint restored, of_others, of_cones;
} Walk;

static void
use_film (Walk *w)
{
  g_autoptr (GError) error = NULL;
  uint64_t trace, plan;
  g_autofree char *film = film_folder (w->s, &trace, &plan, &error);
  FilmManifest m = { 0 };

  g_assert_no_error (error);
  bool there = film_manifest_read (film, &m, NULL);
  w->of_others += there && m.plan != plan;
  film_manifest_clear (&m);
  travel_use_film (w->t, there ? film : NULL, trace, plan);
}

static void
edit (Walk *w)
{
  Edit e = (Edit) g_rand_int_range (w->rand, 0, EDITS);
  Session *both[] = { w->s, w->reference };
  int what = g_rand_int_range (w->rand, 0, 4);
  static const char *const values[] = { "1", "2", "5" };
  const char *value = values[g_rand_int_range (w->rand, 0, 3)];

  g_test_message ("%s: %d", names[e], what);
  for (guint i = 0; i < 2; ++i) {
    EveProgram *p = both[i]->program;
    EveComponent *counter = eve_find (p, names[COUNTER]);
    if (what == 0 && counter) { /* set anew */
      set (both[i], names[COUNTER], "step", value);
    } else if (what == 1 && counter) { /* rewired */
      const char *simulator = eve_name (both[i]->simulator), *reader = eve_name (both[i]->reader);
      bool to_states = eve_disconnect (p, both[i]->reader, "events", counter, "in");
      if (!to_states)
        eve_disconnect (p, both[i]->simulator, "states", counter, "in");
      wire (both[i], to_states ? simulator : reader, to_states ? "states" : "events", names[COUNTER], "in");
    } else
      toggle (both[i], e);
    session_refresh (both[i]);
  }
  if (g_rand_int_range (w->rand, 0, 3) < 2) {
    Session *same = the_same (w->s);
    FilmStats stats = shoot_session (same, "events=40");
    w->of_cones += stats.of_cone;
    g_free (stats.folder);
    session_free (same);
  }
  use_film (w);
}

static void
walk (const char *trace, const char *with, guint32 seed, guint steps)
{
  g_autoptr (GError) error = NULL;
  Walk w = { .s = open_session (trace, with), .reference = open_session (trace, with) };
  DriveListener deaf = { 0 };
  TravelOptions o = { .nearest = true };

  w.rand = g_rand_new_with_seed (seed);
  drive_listen (w.reference, &deaf);
  Session *same = the_same (w.s);
  FilmStats stats = shoot_session (same, "events=40");
  g_free (stats.folder);
  session_free (same);
  w.t = travel_new (w.s, &o);
  use_film (&w);
  for (guint i = 0; i < steps; ++i) {
    uint64_t goal = (uint64_t) (g_rand_double (w.rand) * (double) (w.s->n_events + 1));
    if (i % 3 == 2)
      edit (&w);
    if (g_rand_int_range (w.rand, 0, 8) == 0) {
      g_assert_true (travel_to_end (w.t, &error));
      drive_reset (w.reference);
      drive_end (w.reference);
      assert_same (hashes (w.s), played (w.reference));
    } else if (g_rand_boolean (w.rand)) {
      int64_t date = w.s->first + (int64_t) (g_rand_double (w.rand) * (double) (w.s->last - w.s->first));
      g_assert_true (travel_to_date (w.t, date, &error));
      assert_same (hashes (w.s), played_date (w.reference, date));
    } else {
      g_assert_true (travel_to_event (w.t, goal, &error));
      assert_same (hashes (w.s), played_events (w.reference, goal));
    }
    g_assert_no_error (error);
    g_autofree char *a = passed (w.s), *b = passed (w.reference);
    g_assert_cmpstr (a, ==, b);
    w.restored += travel_report (w.t)->restored;
  }
  g_test_message ("%s: %u travels, %u from saved states, %u films of others, %u of cones", trace, steps, w.restored,
                  w.of_others, w.of_cones);
  n_of_cones += w.of_cones;
  g_assert_cmpuint (w.restored, >, 0);
  travel_free (w.t);
  session_free (w.s);
  session_free (w.reference);
  g_rand_free (w.rand);
  forget_films ();
}

/* SCOPE_TRAVELS: how many in each execution, 20 by default; SCOPE_TRAVEL_SEED: to begin with. */
static void
test_walks (void)
{
  g_autoptr (GPtrArray) all = samples ();
  const char *travels = g_getenv ("SCOPE_TRAVELS"), *seed = g_getenv ("SCOPE_TRAVEL_SEED");
  guint steps = travels ? (guint) atoi (travels) : 20;
  guint32 first = seed ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 1;

  g_ptr_array_add (all, synthetic ("parts", 6000));
  for (guint i = 0; i < all->len; ++i)
    walk (all->pdata[i], NULL, first + i, steps);
  g_assert_cmpuint (n_of_cones, >, all->len / 4);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *components = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-parts-XXXXXX", &error);
  g_assert_no_error (error);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  components = places_components ();
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  g_test_add_func ("/parts/serves", test_serves);
  g_test_add_func ("/parts/cone", test_cone);
  g_test_add_func ("/parts/cone/stopped", test_cone_stopped);
  g_test_add_func ("/parts/walks", test_walks);
  int status = g_test_run ();
  places_remove (folder, NULL);
  g_free (folder);
  return status;
}
