/* SPDX-License-Identifier: Apache-2.0 */
/* film-test.c - travel against playing from the beginning, components that misbehave or command, saves by hand. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "help.h"
#include "session/generic.h"
#include "session/travel-private.h"

#define EVERY "events=40" /* so that short samples have many checkpoints */

/* ---- travel ------------------------------------------------------------------------------------------------------- */

/* What another session has after as many events.  Of several readers each counts its own events: those of the leading
 * one tell a date, and at that date all of them stand; before the first there is none, and all were told to give none.
 */
static Hashes
played_until (Session *reference, const Session *s, uint64_t event)
{
  if (event && drive_several (s))
    return played_date (reference, drive_date_of (s, s->reader));
  return played_events (reference, event);
}

/* How many travels began at a state that was kept: of few it may be that none is worth it. */
static guint
travel_everywhere (const char *trace, const char *program, const char *film, guint32 seed, int times)
{
  g_autoptr (GError) error = NULL;
  Session *s = open_session (trace, program), *reference = open_session (trace, program);
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  Travel *t = travel_with (s, film, said);
  GRand *r = g_rand_new_with_seed (seed);
  DriveListener deaf = { 0 }; /* what watches command is not obeyed, as when one travels */
  drive_listen (reference, &deaf);
  uint64_t n = s->source->n_events;
  int64_t first = s->source->first, last = s->source->last;
  guint restored = 0;

  for (int i = 0; i < few (times); ++i) {
    double x = g_rand_double (r);
    if (i % 5 == 4) { /* in slices, from somewhere on the way to elsewhere */
      uint64_t event = (uint64_t) (x * (double) (n + 1));
      travel_begin_date (t, first + (int64_t) (g_rand_double (r) * (double) (last - first)), i % 2);
      for (int slices = 0; slices < 3 && travel_go_on (t, 0, &error) > 0; ++slices)
        ;
      travel_begin_event (t, event, i % 2);
      while (travel_go_on (t, 0, &error) > 0)
        g_assert_cmpfloat (travel_share (t), <=, 1);
      g_assert_no_error (error);
      if (!drive_several (s))
        g_assert_cmpuint (travel_event (t), ==, event);
      assert_same (hashes (s), played_until (reference, s, event));
    } else if (i % 3 == 2) {
      uint64_t before = travel_event (t);
      int64_t date = travel_date (t);
      if (!before)
        continue;
      g_assert_true (travel_back_event (t, &error));
      if (drive_several (s)) { /* each has numbers of its own: back by date */
        assert_same (hashes (s), played_date (reference, date - 1));
        continue;
      }
      g_assert_cmpuint (travel_event (t), ==, before - 1);
      assert_same (hashes (s), played_events (reference, before - 1));
    } else if (i % 3) {
      uint64_t event = (uint64_t) (x * (double) (n + 1));
      g_assert_true (travel_to_event (t, event, &error));
      assert_same (hashes (s), played_until (reference, s, event));
    } else {
      int64_t date = first + (int64_t) (x * (double) (last - first));
      g_assert_true (travel_to_date (t, date, &error));
      assert_same (hashes (s), played_date (reference, date));
      /* the session plays in its own way, to the same state */
      session_stop (reference);
      g_assert_true (session_go_until (reference, date, &error));
      g_assert_cmpuint (drive_given (reference), ==, travel_event (t)); /* the most, of several readers */
      if (s->graph) /* without one, the hash is of all components, and the way leaves traces there */
        g_assert_cmphex (session_hash (reference, date), ==, session_hash (s, date));
    }
    restored += travel_report (t)->restored;
  }
  g_assert_true (travel_to_end (t, &error));
  Hashes end = hashes (s);
  drive_reset (reference);
  drive_end (reference);
  g_assert_true (drive_run (reference, NULL, NULL, NULL, NULL, &error));
  assert_same (end, hashes (reference));
  g_assert_true (travel_to_event (t, 0, &error));
  g_assert_cmpuint (travel_event (t), ==, 0);
  assert_same (hashes (s), played_until (reference, s, 0));
  g_assert_false (travel_to_event (t, n + 1, &error));
  g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
  for (guint i = 0; i < said->len; ++i)
    g_test_message ("said: %s", (char *) said->pdata[i]);
  g_assert_cmpuint (said->len, ==, 0);
  g_rand_free (r);
  travel_free (t);
  session_free (s);
  session_free (reference);
  return restored;
}

static void
test_samples (void)
{
  g_autoptr (GPtrArray) list = samples ();
  guint32 seed = 1;
  guint restored = 0;

  g_assert_cmpuint (list->len, >, 0);
  for (guint i = 0; i < list->len; ++i) {
    g_autoptr (GError) error = NULL;
    TraceBundle *b = trace_bundle_open (list->pdata[i], &error);
    g_assert_no_error (error);
    g_autoptr (GPtrArray) programs = places_programs (b->formats->pdata[0]);
    trace_bundle_free (b);
    g_assert_cmpuint (programs->len, >, 0);
    /* each program with some traces, each trace with some programs: all of them together would take minutes,
     * and with a sanitizer these too: a third of them there */
    guint step = programs->len > 3 ? (g_getenv ("SCOPE_SANITIZED") ? 9 : 3) : 1;
    for (guint p = i % MIN (step, programs->len); p < programs->len; p += step) {
      g_autofree char *film = in_folder ("sample.film");
      const char *program = ((PlacesProgram *) programs->pdata[p])->path;
      g_test_message ("%s with %s", (char *) list->pdata[i], program);
      shoot (list->pdata[i], program, film, EVERY);
      restored += travel_everywhere (list->pdata[i], program, film, seed++, 20);
      travel_everywhere (list->pdata[i], program, NULL, seed++, 7);
      g_assert_true (places_remove (film, NULL));
    }
  }
  g_assert_cmpuint (restored, >, 0);
}

/* A program of two readers that is opened with one trace: both read it. */
static void
test_two_readers (void)
{
  g_autoptr (GPtrArray) list = samples ();
  guint32 seed = 1000;

  for (guint i = 0; i < list->len; i += 2) {
    g_autoptr (GError) error = NULL;
    TraceBundle *b = trace_bundle_open (list->pdata[i], &error);
    g_assert_no_error (error);
    const char *const formats[] = { b->formats->pdata[0], b->formats->pdata[0], NULL };
    g_autofree char *compare = generic_comparing (formats), *film = in_folder ("two.film");
    trace_bundle_free (b);
    g_test_message ("%s with %s", (char *) list->pdata[i], compare);
    shoot (list->pdata[i], compare, film, EVERY);
    travel_everywhere (list->pdata[i], compare, film, seed++, 15);
    travel_everywhere (list->pdata[i], compare, NULL, seed++, 5);
    g_assert_true (places_remove (film, NULL));
  }
}

/* A trace long enough for checkpoints in the midst of a slice, where data wait in rings. */
static const char *
long_trace (void)
{
  static char *path;

  return path ? path : (path = synthetic ("long", 150000));
}

static void
test_long (void)
{
  g_autofree char *film = in_folder ("long.film");

  FilmStats stats = shoot (long_trace (), NULL, film, "events=20000");
  g_assert_cmpuint (stats.checkpoints, >, 3);
  travel_everywhere (long_trace (), NULL, film, 77, 12);
}

/* Searches backwards, against playing event by event. */
static void
test_back (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *film = in_folder ("back.film"),
                  *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL);
  const uint64_t present = 700;

  shoot (trace, NULL, film, EVERY);
  Session *s = open_session (trace, NULL);
  Travel *t = travel_with (s, film, NULL);
  g_assert_true (travel_to_end (t, &error)); /* every task is known */
  guint n_tasks = s->source->tasks->len;
  g_autofree uint64_t *last = g_new0 (uint64_t, n_tasks), *born = g_new0 (uint64_t, n_tasks);
  g_autofree int *state = g_new (int, n_tasks);
  TraceEvent e;

  memset (state, -1, n_tasks * sizeof *state);
  TraceSource *events = trace_open (trace, NULL, NULL, &error);
  Session *reference = open_session (trace, NULL);
  int attribute = state_attribute (reference->graph->model, STATE_NODE, "State");
  drive_reset (reference);
  for (uint64_t i = 1; i <= present; ++i) {
    g_assert_cmpuint (events->format->next (events, &e, 1, &error), ==, 1);
    if (i < present)
      last[e.task] = i;
    drive_events (reference, i);
    g_assert_true (drive_run (reference, NULL, NULL, NULL, NULL, &error));
    const StateGraph *g = reference->graph;
    size_t stride;
    const uint8_t *column = g->model->column (g, (uint32_t) attribute, &stride);
    for (uint32_t node = 0; node < g->n_nodes; ++node)
      if (state[node] != column[node * stride]) {
        state[node] = column[node * stride];
        born[node] = i;
      }
  }
  for (uint32_t i = 0; i < n_tasks; ++i) {
    g_assert_true (travel_to_event (t, present, &error));
    if (last[i]) {
      g_assert_true (travel_back_task (t, i, &error));
      g_assert_cmpuint (travel_event (t), ==, last[i]);
      assert_same (hashes (s), played_events (reference, last[i]));
    } else {
      g_assert_false (travel_back_task (t, i, &error));
      g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
      g_clear_error (&error);
      assert_same (hashes (s), played_events (reference, present));
    }
    g_assert_true (travel_to_event (t, present, &error));
    if (state[i] >= 0) {
      g_assert_true (travel_back_state (t, s->graph, i, &error));
      g_assert_cmpuint (travel_event (t), ==, born[i]);
    }
  }
  g_assert_true (travel_to_event (t, present, &error));
  int64_t date = travel_date (t);
  g_assert_true (travel_back_date (t, &error));
  g_assert_cmpint (travel_date (t), <, date);
  g_assert_true (travel_to_event (t, present, &error));
  g_assert_true (travel_back_link (t, 1, 2, &error));
  g_assert_cmpuint (travel_event (t), <, present);
  trace_close (events);
  travel_free (t);
  session_free (s);
  session_free (reference);
}

/* A travel that is cancelled leaves the session bit for bit where it was, however that was reached. */
static bool
refuse (void *arg, const char *doing, double share)
{
  return ++*(int *) arg < 1;
}

static void
test_cancel (void)
{
  g_autoptr (GError) error = NULL;
  int calls = 0;
  TraceProgress progress = { refuse, &calls };
  g_autofree char *path = synthetic ("longer", 700000); /* more than one slice, however fast the machine */
  Session *s = open_session (path, NULL);
  uint64_t trace, plan;
  g_autofree char *home = film_folder (s, &trace, &plan, NULL);
  TravelOptions o = { .trace = trace, .plan = plan, .progress = &progress };
  Travel *t = travel_new (s, &o);

  g_assert_true (session_go_events (s, 5000, &error));
  Hashes before = hashes (s);
  g_assert_false (travel_to_end (t, &error));
  g_assert_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED);
  g_clear_error (&error);
  assert_same (hashes (s), before);
  calls = -1000000;
  g_assert_true (travel_to_event (t, 20000, &error));
  before = hashes (s);
  calls = 0;
  g_assert_false (travel_to_end (t, &error));
  g_assert_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED);
  g_clear_error (&error);
  assert_same (hashes (s), before);
  g_assert_true (travel_is_exact (t));
  /* a step back over a long way: what was played when it was cancelled is not kept as a state near its end */
  calls = -1000000;
  g_assert_true (travel_to_event (t, 600000, &error));
  before = hashes (s);
  calls = 0;
  g_assert_false (travel_back_event (t, &error));
  g_assert_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED);
  assert_same (hashes (s), before);
  g_autoptr (GArray) kept = travel_checkpoints (t);
  for (guint i = 0; i < kept->len; ++i) /* but on the way back to the present */
    g_assert_cmpuint (g_array_index (kept, Checkpoint, i).event, >, 300000);
  travel_free (t);
  session_free (s);
}

/* ---- components that misbehave, and one that commands ---------------------------------------------------------------- */

typedef struct Counter {
  EveBase base;
  int64_t seen, every, verb;
} Counter;

static bool fickle_fails;

static void
counter_fire (EveComponent *c)
{
  Counter *self = (Counter *) c;

  if (!eve_take (self->base.in[0]))
    return;
  ++self->seen;
  if (self->base.out[0] && self->every && self->seen % self->every == 0) {
    TraceCommand command = { .verb = (uint32_t) self->verb };
    g_snprintf (command.name, sizeof command.name, "watch %d", (int) self->seen);
    eve_emit (self->base.out[0], &command);
  }
}

static void
counter_save (EveComponent *c, EveBlob *to)
{
  eve_put_int (to, 7);
}

static bool
fickle_load (EveComponent *c, EveBlobView *from)
{
  return eve_get_int (from) == 7 && !fickle_fails;
}

static const EveInSpec counter_ins[] = { { "in", &trace_type_event, EVE_SYNC, .doc = "Events." } };
static const EveOutSpec watch_outs[] = { { "commands", &trace_type_command, .doc = "Commands." } };
static const EveField counter_state[] = { { "seen", EVE_F_INT64, offsetof (Counter, seen) } };
static const EveField watch_settings[] = {
  { "every", EVE_F_INT64, offsetof (Counter, every), .def = 100, .doc = "How often." },
  { "verb", EVE_F_INT64, offsetof (Counter, verb), .def = TRACE_PAUSE, .doc = "What." },
};
static const EveClass fickle = {
  EVE_CLASS_HEAD,
  .id = "test.fickle",
  .label = "Fickle",
  .category = "Test",
  .doc = "Loses its state.",
  .version = 1,
  .ins = counter_ins,
  .n_ins = 1,
  .state = counter_state,
  .n_state = 1,
  .instance_size = sizeof (Counter),
  .fire = counter_fire,
  .save = counter_save,
  .load = fickle_load,
};
static const EveClass watch = {
  EVE_CLASS_HEAD,
  .id = "test.watch",
  .label = "Watch",
  .category = "Test",
  .doc = "Commands now and then.",
  .version = 1,
  .ins = counter_ins,
  .n_ins = 1,
  .outs = watch_outs,
  .n_outs = 1,
  .settings = watch_settings,
  .n_settings = 2,
  .state = counter_state,
  .n_state = 1,
  .instance_size = sizeof (Counter),
  .fire = counter_fire,
};

static char *
program_with (const char *name, const char *more)
{
  char *path = in_folder (name);
  g_autofree char *text = g_strdup_printf (
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<eve version=\"1\">\n"
      "<component name=\"Session\" class=\"scope.session\" version=\"1\" x=\"0\" y=\"0\"/>\n"
      "<component name=\"Reader\" class=\"scope.tapepvm-reader\" version=\"1\" x=\"0\" y=\"0\"/>\n"
      "<component name=\"Simulator\" class=\"scope.pvm-simulator\" version=\"1\" x=\"0\" y=\"0\"/>\n%s"
      "<wire from=\"Session\" out=\"commands\" to=\"Reader\" in=\"commands\"/>\n"
      "<wire from=\"Reader\" out=\"events\" to=\"Simulator\" in=\"events\"/>\n</eve>\n",
      more);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
test_fickle (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL),
                  *film = in_folder ("fickle.film");
  g_autofree char *program = program_with (
      "fickle.eve", "<component name=\"Fickle\" class=\"test.fickle\" version=\"1\" x=\"0\" y=\"0\"/>\n"
                    "<wire from=\"Reader\" out=\"events\" to=\"Fickle\" in=\"in\"/>\n");
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);

  shoot (trace, program, film, EVERY);
  Session *s = open_session (trace, program), *reference = open_session (trace, program);
  Travel *t = travel_with (s, film, said);
  fickle_fails = true;
  g_assert_true (travel_to_event (t, 600, &error));
  fickle_fails = false;
  assert_same (hashes (s), played_events (reference, 600));
  g_assert_cmpuint (said->len, >, 0); /* it was told */
  g_assert_false (travel_report (t)->restored);
  travel_free (t);
  session_free (s);
  session_free (reference);
}

static void
test_watch (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL),
                  *film = in_folder ("watch.film");
  const char *more = "<component name=\"Watch\" class=\"test.watch\" version=\"1\" x=\"0\" y=\"0\"/>\n"
                     "<wire from=\"Reader\" out=\"events\" to=\"Watch\" in=\"in\"/>\n"
                     "<wire from=\"Watch\" out=\"commands\" to=\"Session\" in=\"control\"/>\n";
  g_autofree char *program = program_with ("watch.eve", more), *commands = g_build_filename (film, "commands", NULL),
                  *text = NULL;

  FilmStats stats = shoot (trace, program, film, EVERY);
  g_assert_cmpuint (stats.events, ==, 996); /* it was not paused */
  g_assert_true (g_file_get_contents (commands, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 996 / 100 + 1);
  g_assert_true (g_str_has_prefix (lines[0], "{\"event\": 100, \"t\": "));
  g_assert_nonnull (strstr (lines[0], "\"verb\": \"pause\""));

  Session *s = open_session (trace, program), *reference = open_session (trace, program);
  Travel *t = travel_with (s, film, NULL);
  g_assert_true (travel_to_event (t, 650, &error));
  g_assert_cmpuint (travel_event (t), ==, 650);
  DriveListener listener = { 0 };
  drive_listen (reference, &listener);
  assert_same (hashes (s), played_events (reference, 650));
  /* somebody who watches wants to be stopped */
  g_assert_true (travel_play_until (t, INT64_MAX, true, &error));
  g_assert_cmpuint (travel_event (t), ==, 700);
  /* what was obeyed is no part of what a travel leaves: one does not go on from there */
  g_assert_true (travel_to_event (t, 701, &error));
  g_assert_cmpuint (travel_report (t)->from_event, <, 700);
  assert_same (hashes (s), played_events (reference, 701));
  g_assert_true (travel_to_event (t, 650, &error));
  assert_same (hashes (s), played_events (reference, 650));
  drive_listen (reference, NULL);
  travel_free (t);
  session_free (s);
  session_free (reference);
}

static bool
note_heard (void *arg, const DriveHeard *what)
{
  g_array_append_val ((GArray *) arg, *what);
  return true;
}

static bool
refuse_heard (void *arg, const DriveHeard *what)
{
  ++*(int *) arg;
  return false;
}

/* What components ask for while somebody watches: saves are made, each under its name; marks are handed over with the
 * event at which they were asked for, in order, and what is refused ends it. */
static void
test_obey (void)
{
  static const char asks[] = "<component name=\"Watch\" class=\"test.watch\" version=\"1\" x=\"0\" y=\"0\">"
                             "<setting name=\"verb\">%d</setting></component>\n"
                             "<wire from=\"Reader\" out=\"events\" to=\"Watch\" in=\"in\"/>\n"
                             "<wire from=\"Watch\" out=\"commands\" to=\"Session\" in=\"control\"/>\n";
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL);

  for (int saves = 0; saves < 2; ++saves) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) handed = g_array_new (FALSE, FALSE, sizeof (DriveHeard));
    g_autofree char *more = g_strdup_printf (asks, saves ? TRACE_SAVE : TRACE_MARK),
                    *program = program_with ("obey.eve", more);
    g_autofree char *film = in_folder (saves ? "saves.film" : "marks.film");
    shoot (trace, program, film, "none");
    Session *s = open_session (trace, program);
    Travel *t = travel_with (s, film, NULL);
    g_assert_false (travel_heard (t, NULL));
    g_assert_true (travel_to_event (t, 150, &error));
    g_assert_false (travel_heard (t, NULL)); /* who travels does not hear what is passed on the way */
    /* Each time something is heard it is obeyed, as between two frames: a save is one of the present. */
    drive_events (s, 550);
    for (int more_to_do = 1; more_to_do > 0;) {
      more_to_do = travel_play_slice (t, true, 1, &error);
      g_assert_no_error (error);
      if (travel_heard (t, NULL))
        g_assert_true (travel_obey (t, note_heard, handed, &error));
      g_assert_false (travel_heard (t, NULL));
    }
    g_assert_cmpuint (travel_event (t), ==, 550);
    g_assert_true (travel_to_event (t, 551, &error));
    g_assert_cmpuint (travel_report (t)->from_event, !=, 550); /* not from where something was obeyed */
    if (saves) {
      g_assert_cmpuint (handed->len, ==, 0);
      g_assert_true (travel_to_checkpoint (t, "watch 300", &error));
      g_assert_cmpuint (travel_event (t), ==, 300);
    } else {
      g_assert_cmpuint (handed->len, ==, 4);
      for (guint i = 0; i < handed->len; ++i) {
        const DriveHeard *h = &g_array_index (handed, DriveHeard, i);
        g_autofree char *name = g_strdup_printf ("watch %u", 200 + 100 * i);
        g_assert_cmpint (h->command.verb, ==, TRACE_MARK);
        g_assert_cmpstr (h->command.name, ==, name);
        g_assert_cmpuint (h->event, >=, 200 + 100 * i);
      }
      int refused = 0;
      drive_events (s, 996);
      while (travel_play_slice (t, true, -1, &error) > 0)
        ;
      g_assert_false (travel_obey (t, refuse_heard, &refused, &error));
      g_assert_cmpint (refused, ==, 1);
      g_assert_false (travel_heard (t, NULL));
    }
    travel_free (t);
    session_free (s);
  }
}

/* Playing leaves what a travel would leave unless something was heard and obeyed; one does not go on from there then.
 * Who travels is not disturbed by commands, also of a controller that has come since. */
static void
test_heard (void)
{
  static const char more[] = "<component name=\"Watch\" class=\"test.watch\" version=\"1\" x=\"0\" y=\"0\">"
                             "<setting name=\"verb\">%d</setting></component>\n"
                             "<wire from=\"Reader\" out=\"events\" to=\"Watch\" in=\"in\"/>\n"
                             "<wire from=\"Watch\" out=\"commands\" to=\"Session\" in=\"control\"/>\n";
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL);
  g_autoptr (GError) error = NULL;

  for (int slices = 0; slices < 2; ++slices)
    for (int obey = 0; obey < 2; ++obey)
      for (int heard = 0; heard < 2; ++heard) {
        g_autofree char *watch_too = g_strdup_printf (more, TRACE_MARK),
                        *program = program_with ("heard.eve", watch_too);
        Session *s = open_session (trace, program);
        Travel *t = travel_with (s, NULL, NULL);
        g_assert_true (travel_to_event (t, 210, &error));
        int64_t far = travel_date (t), goal;
        g_assert_true (travel_to_event (t, heard ? 330 : 270, &error)); /* 300 is heard of, or nothing */
        goal = travel_date (t);
        uint64_t goal_event = travel_event (t);
        g_assert_true (travel_to_date (t, far, &error));
        g_assert_true (travel_is_exact (t));
        if (slices) {
          drive_events (s, goal_event);
          while (travel_play_slice (t, obey, 0, &error) > 0)
            ;
        } else
          g_assert_true (travel_play_until (t, goal, obey, &error));
        g_assert_no_error (error);
        g_assert_cmpuint (travel_event (t), >=, goal_event);
        g_assert_true (travel_heard (t, NULL) == (bool) heard);
        g_assert_true (travel_is_exact (t) == !(obey && heard));
        travel_free (t);
        session_free (s);
      }

  g_autofree char *pauses = g_strdup_printf (more, TRACE_PAUSE), *program = program_with ("another.eve", pauses);
  Session *s = open_session (trace, program);
  Travel *t = travel_with (s, NULL, NULL);
  g_assert_true (travel_to_event (t, 150, &error));
  eve_remove (s->program, eve_find (s->program, "Session"));
  EveComponent *c = eve_add (s->program, eve_registry_find ("scope.session"), "Another", &error);
  g_assert_true (eve_connect (s->program, c, "commands", eve_find (s->program, "Reader"), "commands", &error));
  g_assert_true (eve_connect (s->program, eve_find (s->program, "Watch"), "commands", c, "control", &error));
  session_refresh (s);
  travel_use_film (t, NULL, 1, film_plan_identity (s));
  g_assert_true (travel_to_event (t, 650, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (travel_event (t), ==, 650);
  travel_free (t);
  session_free (s);
}

/* A program that plays by itself neither runs past the goal nor is it any different there. */
static void
test_plays (void)
{
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL),
                  *film = in_folder ("plays.film");
  g_autofree char *waiting = program_with ("plays.eve", ""), *text = NULL;

  g_assert_true (g_file_get_contents (waiting, &text, NULL, NULL));
  g_auto (GStrv) halves = g_strsplit (text, "class=\"scope.session\" version=\"1\" x=\"0\" y=\"0\"/>", 2);
  g_autofree char *playing = g_strconcat (halves[0],
                                          "class=\"scope.session\" version=\"1\" x=\"0\" y=\"0\">"
                                          "<setting name=\"at start\">play</setting></component>",
                                          halves[1], NULL);
  g_assert_true (g_file_set_contents (waiting, playing, -1, NULL));
  shoot (trace, waiting, film, EVERY);
  travel_everywhere (trace, waiting, film, 3, 12);
}

static void
test_by_hand (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL),
                  *film = in_folder ("hand.film");

  shoot (trace, NULL, film, "none");
  Session *s = open_session (trace, NULL);
  Travel *t = travel_with (s, film, NULL);
  g_assert_true (travel_to_event (t, 500, &error));
  Hashes there = hashes (s);
  g_assert_true (travel_save (t, "half way", CHECKPOINT_BY_HAND, &error));
  travel_free (t);
  session_free (s);
  s = open_session (trace, NULL); /* it outlives the session */
  t = travel_with (s, film, NULL);
  g_assert_true (travel_to_checkpoint (t, "half way", &error));
  assert_same (hashes (s), there);
  g_assert_false (travel_to_checkpoint (t, "nowhere", &error));
  g_assert_error (error, FILM_ERROR, FILM_ERROR_TARGET);
  travel_free (t);
  session_free (s);
}

/* ---- overview ------------------------------------------------------------------------------------------------------------ */

static void
test_overview (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *film = in_folder ("overview.film"),
                  *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "ring.trace", NULL);

  shoot (trace, NULL, film, "none");
  FilmOverview *o = film_overview_read (film, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (o->n, ==, FILM_BUCKETS);
  g_assert_cmpuint (o->n_states, ==, 4);
  g_assert_cmpstr (o->states[0], ==, "Busy");
  Session *s = open_session (trace, NULL);
  g_assert_true (session_go_end (s, &error));
  uint64_t events = 0;
  for (guint k = 0; k < o->n; ++k)
    events += o->events[k];
  g_assert_cmpuint (events, ==, s->source->n_events);
  for (guint i = 0; i < o->n_states; ++i) { /* what the buckets sum up to is what the end says */
    int64_t sum = 0, end = 0;
    for (guint k = 0; k < o->n; ++k)
      sum += o->spent[k * o->n_states + i];
    for (uint32_t a = 0; a < s->graph->model->n_attributes; ++a) {
      const StateAttribute *at = &s->graph->model->attributes[a];
      g_autofree char *name = g_strconcat ("Percent", o->states[i], NULL);
      for (uint32_t node = 0; at->scope == STATE_NODE && g_str_equal (at->name, name) && node < s->graph->n_nodes;
           ++node) {
        int64_t spent, total;
        s->graph->model->spent (s->graph, STATE_NODE, node, at->of, s->source->last, &spent, &total);
        end += spent;
      }
    }
    g_assert_cmpint (sum, ==, end);
  }
  film_overview_free (o);
  session_free (s);
}

/* Of a model that learns its states all that tasks were in is there, at each boundary as playing to it gives it. */
static void
test_overview_of_learned_states (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *film = in_folder ("learned.film"),
                  *trace = g_build_filename (SCOPE_SOURCE_DIR, "tests", "fuzz", "corpus", "paje", "made0", NULL);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));

  shoot (trace, NULL, film, "none");
  FilmOverview *o = film_overview_read (film, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (o->n, ==, FILM_BUCKETS);
  g_assert_cmpuint (o->n_states, >, 1);
  Session *s = open_session (trace, NULL);
  g_autofree int64_t *before = g_new0 (int64_t, o->n_states);
  for (guint k = 0; k < o->n; ++k) {
    int64_t to = film_bucket (o->first, o->last, k + 1);
    g_autofree int64_t *now = g_new0 (int64_t, o->n_states);
    g_assert_true (k + 1 == o->n ? session_go_end (s, &error) : session_go_until (s, to, &error));
    const StateModel *m = s->graph->model;
    int attribute = state_with_role (m, STATE_NODE, STATE_ROLE_STATE);
    g_array_set_size (times, 0);
    for (uint32_t node = 0; node < s->graph->n_nodes; ++node)
      state_times (s->graph, node, MAX (s->graph->clock, to), times);
    for (guint i = 0; i < times->len; ++i) {
      const StateTime *t = &g_array_index (times, StateTime, i);
      for (guint j = 0; j < o->n_states; ++j)
        if (g_str_equal (o->states[j], state_time_name (m, attribute, t->value)))
          now[j] += t->spent;
    }
    for (guint j = 0; j < o->n_states; ++j) {
      if (k > 0) /* the first boundary lies behind the events of the first date */
        g_assert_cmpint (o->spent[k * o->n_states + j], ==, now[j] - before[j]);
      before[j] = now[j];
    }
  }
  film_overview_free (o);
  session_free (s);
}

/* One task that is in each of so many states for a second, one after the other. */
static char *
with_states (guint n)
{
  g_autoptr (GString) text = g_string_new (
      "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
      "% Name string\n%EndEventDef\n"
      "%EventDef PajeDestroyContainer 3\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
      "0 P 0 Process\n1 S P State\n2 0 p P 0 alone\n");
  char *path = in_folder ("many-states.paje");

  for (guint i = 0; i < n; ++i)
    g_string_append_printf (text, "4 %u S p state-%u\n", i, i);
  g_string_append_printf (text, "3 %u P p\n", n);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  return path;
}

/* States beyond those that are kept apart are summed up, however many there are and whenever they come. */
static void
test_overview_of_many_states (void)
{
  static const guint numbers[] = { 62, 63, 64, 65, 66, 400 };

  for (guint turn = 0; turn < G_N_ELEMENTS (numbers); ++turn) {
    g_autoptr (GError) error = NULL;
    g_autofree char *film = in_folder ("many.film"), *trace = with_states (numbers[turn]);
    shoot (trace, NULL, film, "none");
    FilmOverview *o = film_overview_read (film, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (o->n_states, ==, MIN (numbers[turn], 64));
    Session *s = open_session (trace, NULL);
    int64_t second = s->source->clock.ticks_per_second;
    for (guint i = 0; i < o->n_states; ++i) {
      bool others = i == 63;
      int64_t sum = 0;
      g_autofree char *name = others ? g_strdup (FILM_OTHERS) : g_strdup_printf ("state-%u", i);
      g_assert_cmpstr (o->states[i], ==, name);
      for (guint k = 0; k < o->n; ++k)
        sum += o->spent[k * o->n_states + i];
      g_assert_cmpint (sum, ==, second * (others ? numbers[turn] - 63 : 1));
    }
    film_overview_free (o);
    session_free (s);
    g_assert_true (places_remove (film, NULL));
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-film-XXXXXX", NULL);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_assert_true (eve_registry_add (&fickle, NULL));
  g_assert_true (eve_registry_add (&watch, NULL));
  g_test_add_func ("/film/overview", test_overview);
  g_test_add_func ("/film/overview-of-learned-states", test_overview_of_learned_states);
  g_test_add_func ("/film/overview-of-many-states", test_overview_of_many_states);
  g_test_add_func ("/film/watch", test_watch);
  g_test_add_func ("/travel/samples", test_samples);
  g_test_add_func ("/travel/two readers", test_two_readers);
  g_test_add_func ("/travel/long", test_long);
  g_test_add_func ("/travel/back", test_back);
  g_test_add_func ("/travel/cancel", test_cancel);
  g_test_add_func ("/travel/fickle", test_fickle);
  g_test_add_func ("/travel/obey", test_obey);
  g_test_add_func ("/travel/heard", test_heard);
  g_test_add_func ("/travel/plays", test_plays);
  g_test_add_func ("/travel/by-hand", test_by_hand);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
