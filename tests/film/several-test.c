/* SPDX-License-Identifier: Apache-2.0 */
/* several-test.c - travel in a program that reads two traces: what numbers of events say for one says nothing for
 * several, so the present is an instant of all of them.  Beside a model that holds the dates of all events.  The second
 * trace may be shifted, and have another clock. */
#include "help.h"
#include <glib/gstdio.h>

#define OTHER_TICKS INT64_C (700000000) /* does not divide a nanosecond */

typedef struct Model { /* of one trace */
  GArray *dates;       /* int64_t, by event */
  GArray *tasks;       /* uint32_t */
} Model;

/* `offset`: what is added to the dates, nanoseconds. */
static Model
model_of (const TraceSource *of, int64_t offset)
{
  g_autoptr (GError) error = NULL;
  Model m = { g_array_new (FALSE, FALSE, sizeof (int64_t)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  TraceSource *own = trace_open (of->path, NULL, NULL, &error);
  TraceEvent e;

  g_assert_no_error (error);
  while (own->format->next (own, &e, 1, &error) == 1) {
    int64_t date = (int64_t) ((__int128) e.date * 1000000000 / own->own_ticks) + offset; /* as the format gives it */
    g_array_append_val (m.dates, date);
    g_array_append_val (m.tasks, e.task);
  }
  g_assert_no_error (error);
  trace_close (own);
  return m;
}

static void
model_free (Model *m)
{
  g_array_unref (m->dates);
  g_array_unref (m->tasks);
}

static uint64_t
count_by (const Model *m, int64_t date)
{
  uint64_t n = 0;

  for (guint i = 0; i < m->dates->len; ++i)
    n += g_array_index (m->dates, int64_t, i) <= date;
  return n;
}

/* Of a task, or of all for TRACE_NONE: the last date before that one; INT64_MIN: there is none. */
static int64_t
date_before (const Model *m, uint32_t task, int64_t date)
{
  int64_t last = INT64_MIN;

  for (guint i = 0; i < m->dates->len; ++i) {
    int64_t d = g_array_index (m->dates, int64_t, i);
    if (d < date && (task == TRACE_NONE || g_array_index (m->tasks, uint32_t, i) == task))
      last = MAX (last, d);
  }
  return last;
}

static int64_t
date_after (const Model *m, int64_t date)
{
  int64_t first = INT64_MAX;

  for (guint i = 0; i < m->dates->len; ++i) {
    int64_t d = g_array_index (m->dates, int64_t, i);
    if (d > date)
      first = MIN (first, d);
  }
  return first;
}

typedef struct Two {
  Session *s, *played; /* the second is never travelled in */
  Travel *t;
  Model m[2];
  int left; /* reports of progress until a travel is cancelled; negative: never */
  TraceProgress progress;
} Two;

static bool
on_progress (void *arg, const char *doing, double share)
{
  Two *two = arg;

  return two->left < 0 || two->left-- > 0;
}

/* Each trace has given what is dated by then, and the state is that of playing there from the beginning. */
static void
assert_at (const Two *two, int64_t date)
{
  for (guint i = 0; i < 2; ++i)
    g_assert_cmpuint (drive_given_by (two->s->readers->pdata[i]), ==, count_by (&two->m[i], date));
}

/* The same trace with a clock of other ticks: a copy with a table of its own, which says so. */
static char *
other_clock (const char *bundle)
{
  g_autofree char *def = g_build_filename (SCOPE_SOURCE_DIR, "readers", "tapepvm", "kinds.def", NULL);
  g_autofree char *stem = g_path_get_basename (bundle), *copy = NULL, *text = NULL, *events = NULL, *kinds = NULL;
  g_autoptr (GRegex) comments = g_regex_new ("/\\*.*?\\*/", G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GRegex) kind = g_regex_new ("KIND \\((\\d+), (\\w+), (\"[^\"]*\"),\\s*(\"[^\"]*\")\\)", 0, 0, NULL);
  gsize n;

  *strrchr (stem, '.') = '\0';
  g_autofree char *data = g_strdup_printf ("%s.tapepvm", stem), *from = g_build_filename (bundle, data, "events", NULL);
  char *to = g_strdup_printf ("%s/%s-clock.trace", folder, stem);
  g_autofree char *into = g_strdup_printf ("%s/%s-clock.tapepvm", to, stem);
  g_assert_true (g_file_get_contents (def, &text, NULL, NULL) && g_file_get_contents (from, &events, &n, NULL));
  g_autofree char *bare = g_regex_replace_literal (comments, text, -1, 0, "", 0, NULL);
  kinds = g_regex_replace (kind, bare, -1, 0, "kind \\1 \\2 \\3 \\4", 0, NULL);
  g_autofree char *table = g_strdup_printf ("clock %" G_GINT64_FORMAT "\n%s", OTHER_TICKS, kinds);
  g_mkdir_with_parents (into, 0777);
  g_autofree char *events_to = g_build_filename (into, "events", NULL),
                  *kinds_to = g_build_filename (into, "kinds", NULL);
  g_assert_true (g_file_set_contents (events_to, events, (gssize) n, NULL));
  g_assert_true (g_file_set_contents (kinds_to, table, -1, NULL));
  return to;
}

/* What is done to the second trace. */
typedef struct Change {
  bool other_clock;
  int64_t offset; /* nanoseconds */
} Change;

static Two *
two_new (const char *first, const char *second, const char *film, Change change)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *a = g_build_filename (SCOPE_SOURCE_DIR, "traces", first, NULL),
                  *plain = g_build_filename (SCOPE_SOURCE_DIR, "traces", second, NULL),
                  *b = change.other_clock ? other_clock (plain) : g_strdup (plain),
                  *compare = g_build_filename (SCOPE_SOURCE_DIR, "schemas", "activity", "compare.eve", NULL);
  g_autofree char *offset = g_strdup_printf ("2=%s%" G_GINT64_FORMAT ".%09d", change.offset < 0 ? "-" : "",
                                             ABS (change.offset) / 1000000000,
                                             (int) (ABS (change.offset) % 1000000000));
  const char *more[] = { b, NULL }, *offsets[] = { offset, NULL };
  SessionOptions o = { .trace = a, .program = compare, .more = more, .offsets = change.offset ? offsets : NULL };
  Two *two = g_new0 (Two, 1);

  if (film) {
    Session *s = session_open (&o, &error);
    FilmOptions f = { .folder = film, .until = INT64_MAX };
    FilmStats stats;
    g_assert_no_error (error);
    g_assert_true (strategy_parse ("events=300", &f.strategy));
    film_shoot (s, &f, &stats, &error);
    g_assert_no_error (error);
    g_free (stats.folder);
    session_free (s);
  }
  two->s = session_open (&o, &error);
  g_assert_no_error (error);
  two->played = session_open (&o, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (two->s->readers->len, ==, 2);
  for (guint i = 0; i < 2; ++i) {
    const TraceSource *source = session_source_of (two->s->readers->pdata[i]);
    bool changed = g_str_equal (source->path, b);
    two->m[i] = model_of (source, changed ? change.offset : 0);
    g_assert_cmpint (source->own_ticks, ==, changed && change.other_clock ? OTHER_TICKS : TRACE_TICKS);
    g_assert_cmpint (source->first, ==, g_array_index (two->m[i].dates, int64_t, 0));
    g_assert_cmpint (source->last, ==, g_array_index (two->m[i].dates, int64_t, two->m[i].dates->len - 1));
  }
  two->left = -1;
  two->progress = (TraceProgress){ .report = on_progress, .arg = two };
  TravelOptions t = { .nearest = film != NULL, .film = film, .progress = &two->progress };
  g_autofree char *home = film_folder (two->s, &t.trace, &t.plan, NULL);
  two->t = travel_new (two->s, &t);
  return two;
}

static void
two_free (Two *two)
{
  model_free (&two->m[0]);
  model_free (&two->m[1]);
  travel_free (two->t);
  session_free (two->s);
  session_free (two->played);
  g_free (two);
}

/* At a random instant: whatever leads away from it and back ends there; whatever goes back goes back. */
static void
visit (Two *two, int64_t date)
{
  g_autoptr (GError) error = NULL;
  Session *s = two->s;
  guint leading = session_source_of (s->readers->pdata[0]) == s->source ? 0 : 1;
  uint32_t task = (uint32_t) g_test_rand_int_range (0, MAX ((gint32) s->source->tasks->len, 1));

  travel_to_date (two->t, date, &error);
  g_assert_no_error (error);
  assert_at (two, date);
  Hashes there = hashes (s);
  assert_same (there, played_date (two->played, date));
  int64_t present = travel_date (two->t);

  g_assert_cmpint (travel_next_date (two->t), ==, MIN (date_after (&two->m[0], date), date_after (&two->m[1], date)));
  assert_same (there, hashes (s)); /* to look ahead moves nothing */
  g_assert_true (travel_prepare (two->t, &error));
  assert_same (there, hashes (s));
  g_assert_cmpint (travel_date (two->t), ==, present);
  g_assert_false (travel_back_task (two->t, s->source->tasks->len + 5, NULL));
  assert_same (there, hashes (s));
  two->left = 0; /* cancelled at once */
  travel_to_end (two->t, NULL);
  two->left = -1;
  if (!drive_all_ended (s)) /* else it was there before anybody asked */
    assert_same (there, hashes (s));

  travel_to_date (two->t, date, &error);
  int64_t before = date_before (&two->m[leading], task, present);
  g_assert_cmpint (travel_back_task (two->t, task, NULL), ==, before > INT64_MIN);
  if (before > INT64_MIN)
    assert_at (two, before);
  else
    assert_same (there, hashes (s));

  travel_to_date (two->t, date, &error);
  before = MAX (date_before (&two->m[0], TRACE_NONE, present), date_before (&two->m[1], TRACE_NONE, present));
  if (present > INT64_MIN) {
    g_assert_true (travel_back_event (two->t, &error));
    assert_at (two, before);
  }
  travel_to_date (two->t, date, &error);
  assert_same (there, hashes (s));
  /* the event of a number is one of the leading trace; the others are where they are by then */
  const GArray *dates = two->m[leading].dates;
  if (dates->len > 0) {
    guint number = 1 + (guint) g_test_rand_int_range (0, (gint32) dates->len);
    g_assert_true (travel_to_event (two->t, number, &error));
    assert_at (two, g_array_index (dates, int64_t, number - 1));
    Hashes at_event = hashes (s);
    g_assert_false (travel_to_event (two->t, dates->len + 1, NULL));
    travel_to_date (two->t, date, &error);
    assert_same (there, hashes (s));
    travel_begin_event (two->t, number, g_test_rand_int_range (0, 2) == 1); /* the same in slices */
    while (travel_go_on (two->t, 0, &error) > 0)
      ;
    assert_at (two, g_array_index (dates, int64_t, number - 1));
    assert_same (at_event, hashes (s));
    travel_begin_date (two->t, date, false);
    while (travel_go_on (two->t, 0, &error) > 0)
      ;
    assert_same (there, hashes (s));
  }
  if (travel_back_state (two->t, s->graph, task % MAX (s->graph->n_nodes, 1), NULL)) {
    g_assert_cmpint (travel_date (two->t), <=, present);
    assert_at (two, travel_date (two->t));
  }
  g_assert_no_error (error);
}

static void
check (const char *first, const char *second, const char *film, Change change)
{
  g_autofree char *where = film ? in_folder (film) : NULL;
  Two *two = two_new (first, second, where, change);

  visit (two, two->s->first - 1);
  visit (two, two->s->last);
  for (int i = 0; i < 12; ++i) {
    double share = g_test_rand_double ();
    visit (two, two->s->first + (int64_t) (share * (double) (two->s->last - two->s->first)));
  }
  two_free (two);
}

/* Each trace of two is at any instant what it is alone, but for the clock and the shift: states of all tasks, shares of
 * time, traffic. */
static void
test_as_alone (void)
{
  static const Change changes[] = { { false, 0 }, { false, 123456789 }, { true, 0 }, { true, -2500000001 } };
  static const char *const names[] = { "fft2d-s4.trace", "fft2d-s16.trace" };

  for (guint k = 0; k < G_N_ELEMENTS (changes); ++k) {
    Two *two = two_new (names[0], names[1], NULL, changes[k]);
    for (guint i = 0; i < 2; ++i) {
      g_autoptr (GError) error = NULL;
      const TraceSource *source = session_source_of (two->s->readers->pdata[i]);
      EveComponent *simulator = NULL;
      g_autoptr (GPtrArray) all = session_simulators (two->s);
      for (guint j = 0; j < all->len; ++j)
        if (session_reader_above (all->pdata[j]) == two->s->readers->pdata[i])
          simulator = all->pdata[j];
      g_assert_nonnull (simulator);
      SessionOptions alone = { .trace = source->path };
      Session *own = session_open (&alone, &error);
      g_assert_no_error (error);
      int64_t offset = source->clock.offset;
      g_assert_cmpint (own->source->first, ==, source->first - offset);
      for (int n = 0; n < 8; ++n) {
        int64_t at = n == 0
                         ? two->s->last
                         : two->s->first + (int64_t) (g_test_rand_double () * (double) (two->s->last - two->s->first));
        g_assert_true (travel_to_date (two->t, at, &error));
        session_stop (own);
        g_assert_true (session_go_until (own, at - offset, &error));
        g_assert_no_error (error);
        const StateGraph *here = eve_query (simulator, "state-graph/1"), *there = own->graph;
        g_assert_cmpuint (here->n_events, ==, there->n_events);
        g_assert_cmpuint (here->n_updates, ==, there->n_updates);
        g_assert_cmpuint (here->n_impossible, ==, there->n_impossible);
        g_assert_cmpuint (here->n_nodes, ==, there->n_nodes);
        g_assert_cmpuint (here->n_edges, ==, there->n_edges);
        for (uint32_t a = 0; a < here->model->n_attributes; ++a) {
          const StateAttribute *attribute = &here->model->attributes[a];
          uint32_t n_objects = attribute->scope == STATE_NODE   ? here->n_nodes
                               : attribute->scope == STATE_EDGE ? here->n_edges
                                                                : 1;
          for (uint32_t o = 0; attribute->kind != STATE_DATE && o < n_objects; ++o) {
            g_autoptr (GString) x = g_string_new (NULL), y = g_string_new (NULL);
            state_text (here, a, o, at, x);
            state_text (there, a, o, at - offset, y);
            g_assert_cmpstr (x->str, ==, y->str);
          }
        }
      }
      session_free (own);
    }
    two_free (two);
  }
}

/* How long the tasks of an execution were in states that a percentage is about, by its simulator at the end. */
static int64_t
spent_in (const StateGraph *g, int64_t at)
{
  const StateModel *m = g->model;
  int64_t all = 0, total;

  for (uint32_t a = 0; a < m->n_attributes; ++a)
    for (uint32_t node = 0;
         m->attributes[a].kind == STATE_PERCENT && m->attributes[a].scope == STATE_NODE && node < g->n_nodes; ++node) {
      int64_t spent = 0;
      m->spent (g, STATE_NODE, node, m->attributes[a].of, at, &spent, &total);
      all += spent;
    }
  return all;
}

/* The overview is of the time of all traces, and of each execution by itself: where one has not begun, or is over, it
 * shows nothing of it, and in all what its tasks have done. */
static void
test_overview (void)
{
  g_autofree char *where = in_folder ("overview.film");
  g_autoptr (GError) error = NULL;
  Two *two = two_new ("fft2d-s4.trace", "fft2d-s16.trace", where, (Change){ false, -1000000000 });
  const Session *s = two->s;
  FilmOverview *o = film_overview_read (where, &error);
  int64_t all[2] = { 0, 0 };

  g_assert_no_error (error);
  g_assert_cmpint (o->first, ==, s->first);
  g_assert_cmpint (o->last, ==, s->last);
  g_assert_cmpuint (o->n, ==, FILM_BUCKETS);
  g_assert_cmpuint (o->n_executions, ==, 2);
  g_autoptr (GArray) executions = session_executions (s);
  for (guint k = 0; k < o->n; ++k)
    for (guint i = 0; i < o->n_states; ++i) {
      int64_t spent = o->spent[k * o->n_states + i];
      const TraceSource *source = g_array_index (executions, SessionExecution, o->of[i]).source;
      g_assert_null (strchr (o->states[i], '\t'));
      if (film_bucket (o->first, o->last, k + 1) <= source->first || film_bucket (o->first, o->last, k) >= source->last)
        g_assert_cmpint (spent, ==, 0);
      all[o->of[i]] += spent;
    }
  g_assert_true (travel_to_end (two->t, &error));
  for (guint i = 0; i < 2; ++i) {
    const SessionExecution *one = &g_array_index (executions, SessionExecution, i);
    int64_t want = spent_in (eve_query (one->simulator, "state-graph/1"), MIN (s->last, one->source->last));
    g_assert_cmpint (want, >, 0);
    g_assert_cmpint (all[i], >=, want); /* states that do not count, as Dead, are in it too */
  }
  g_assert_cmpint (all[0], !=, all[1]);
  film_overview_free (o);
  two_free (two);
}

static void
test_without (void)
{
  check ("fft2d-s64.trace", "fft2d-s4.trace", NULL, (Change){ false, 0 });
  check ("ring.trace", "farm.trace", NULL, (Change){ false, 0 });
}

static void
test_with_film (void)
{
  check ("fft2d-s64.trace", "fft2d-s4.trace", "one.film", (Change){ false, 0 });
  check ("farm.trace", "ring.trace", "other.film", (Change){ false, 0 });
}

static void
test_shifted (void)
{
  check ("fft2d-s64.trace", "fft2d-s4.trace", NULL, (Change){ false, -3000000000 }); /* before zero */
  check ("fft2d-s4.trace", "fft2d-s16.trace", "shifted.film", (Change){ false, 250000003 });
}

static void
test_other_clock (void)
{
  check ("fft2d-s4.trace", "fft2d-s16.trace", NULL, (Change){ true, 0 });
  check ("ring.trace", "farm.trace", "clocks.film", (Change){ true, 5000000 });
}

/* A task that is in a state of its own each second. */
static char *
with_states (const char *name, guint n)
{
  g_autoptr (GString) text = g_string_new (
      "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
      "% Name string\n%EndEventDef\n"
      "%EventDef PajeDestroyContainer 3\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
      "0 P 0 Process\n1 S P State\n2 0 p P 0 alone\n");
  g_autofree char *file = g_strconcat (name, ".paje", NULL);
  char *path = in_folder (file);

  for (guint i = 0; i < n; ++i)
    g_string_append_printf (text, "4 %u S p %s-%u\n", i, name, i);
  g_string_append_printf (text, "3 %u P p\n", n);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  return path;
}

/* The sums of all seconds; `stop`: the second after which they are closed, and gone on with (0: never). */
static void
write_sums (const SessionOptions *of, const char *where, guint n, guint stop)
{
  g_autoptr (GError) error = NULL;
  Session *s = session_open (of, &error);
  int64_t second = s->source->clock.ticks_per_second;
  FilmSums *sums = film_sums_new (where, s, 0, &error);

  for (guint i = 0; i <= n; ++i) {
    int64_t at = s->first + i * second;
    g_assert_true (session_go_until (s, at, &error) && film_sums_add (sums, s, at, &error));
    if (i == stop && stop > 0) {
      uint64_t bytes = film_sums_bytes (sums);
      film_sums_free (sums);
      sums = film_sums_new (where, s, bytes, &error);
      g_assert_no_error (error);
    }
  }
  film_sums_free (sums);
  session_free (s);
}

/* Of two executions with more states than are kept apart, each keeps a place for its others, also where the sums are
 * gone on with: what is written is the same, and no time is lost. */
static void
test_many_states (void)
{
  enum { SECONDS = 100 };
  g_autofree char *first = with_states ("first", SECONDS), *second = with_states ("second", SECONDS),
                  *compare = g_build_filename (SCOPE_SOURCE_DIR, "schemas", "activity", "compare.eve", NULL);
  const char *more[] = { second, NULL };
  const SessionOptions of = { .trace = first, .program = compare, .more = more };
  static const guint stops[] = { 0, 1, 30, 31, 32, 40 };
  g_autofree char *whole = NULL;
  gsize n_whole = 0;

  for (guint k = 0; k < G_N_ELEMENTS (stops); ++k) {
    g_autoptr (GError) error = NULL;
    g_autofree char *name = g_strdup_printf ("sums-%u", stops[k]), *where = in_folder (name), *bytes = NULL,
                    *file = g_build_filename (where, "overview", NULL);
    int64_t sums[2] = { 0, 0 };
    gsize n;
    g_assert_cmpint (g_mkdir (where, 0777), ==, 0);
    write_sums (&of, where, SECONDS, stops[k]);
    g_assert_true (g_file_get_contents (file, &bytes, &n, NULL));
    if (k == 0) {
      whole = g_steal_pointer (&bytes);
      n_whole = n;
    } else
      g_assert_cmpmem (bytes, n, whole, n_whole);
    FilmOverview *o = film_overview_read (where, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (o->n_states, ==, 64);
    g_assert_cmpuint (o->n_executions, ==, 2);
    g_assert_cmpuint (o->n, ==, SECONDS);
    guint others = 0;
    for (guint i = 0; i < o->n_states; ++i) {
      others += g_str_equal (o->states[i], FILM_OTHERS);
      for (guint bucket = 0; bucket < o->n; ++bucket)
        sums[o->of[i]] += o->spent[bucket * o->n_states + i];
    }
    g_assert_cmpuint (others, ==, 2);
    g_assert_cmpint (sums[0], ==, INT64_C (1000000000) * SECONDS);
    g_assert_cmpint (sums[1], ==, sums[0]);
    film_overview_free (o);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-several-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/several/without a film", test_without);
  g_test_add_func ("/several/with a film", test_with_film);
  g_test_add_func ("/several/shifted", test_shifted);
  g_test_add_func ("/several/other clock", test_other_clock);
  g_test_add_func ("/several/as alone", test_as_alone);
  g_test_add_func ("/several/overview", test_overview);
  g_test_add_func ("/several/many states", test_many_states);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
