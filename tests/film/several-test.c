/* SPDX-License-Identifier: Apache-2.0 */
/* several-test.c - travel in a program that reads two traces: what numbers of events say for one says nothing for
 * several, so the present is an instant of all of them.  Beside a model that holds the dates of all events. */
#include "help.h"

typedef struct Model { /* of one trace */
  GArray *dates;       /* int64_t, by event */
  GArray *tasks;       /* uint32_t */
} Model;

static Model
model_of (const TraceSource *of, const Session *s)
{
  g_autoptr (GError) error = NULL;
  Model m = { g_array_new (FALSE, FALSE, sizeof (int64_t)), g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
  TraceSource *own = trace_open (of->path, NULL, NULL, &error);
  TraceEvent e;

  g_assert_no_error (error);
  while (own->format->next (own, &e, 1, &error) == 1) {
    int64_t date = session_date_in (s->source, own, e.date);
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
  Session *s;
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

static Two *
two_new (const char *first, const char *second, const char *film)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *a = g_build_filename (SCOPE_SOURCE_DIR, "traces", first, NULL),
                  *b = g_build_filename (SCOPE_SOURCE_DIR, "traces", second, NULL),
                  *compare = g_build_filename (SCOPE_SOURCE_DIR, "schemas", "tapepvm", "compare.eve", NULL);
  const char *more[] = { b, NULL };
  SessionOptions o = { .trace = a, .program = compare, .more = more };
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
  g_assert_cmpuint (two->s->readers->len, ==, 2);
  for (guint i = 0; i < 2; ++i)
    two->m[i] = model_of (session_source_of (two->s->readers->pdata[i]), two->s);
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
    g_assert_false (travel_to_event (two->t, dates->len + 1, NULL));
    travel_to_date (two->t, date, &error);
    assert_same (there, hashes (s));
  }
  if (travel_back_state (two->t, s->graph, task % MAX (s->graph->n_nodes, 1), NULL)) {
    g_assert_cmpint (travel_date (two->t), <=, present);
    assert_at (two, travel_date (two->t));
  }
  g_assert_no_error (error);
}

static void
check (const char *first, const char *second, const char *film)
{
  g_autofree char *where = film ? in_folder (film) : NULL;
  Two *two = two_new (first, second, where);

  visit (two, two->s->first - 1);
  visit (two, two->s->last);
  for (int i = 0; i < 12; ++i) {
    double share = g_test_rand_double ();
    visit (two, two->s->first + (int64_t) (share * (double) (two->s->last - two->s->first)));
  }
  two_free (two);
}

static void
test_without (void)
{
  check ("fft2d-s64.trace", "fft2d-s4.trace", NULL);
  check ("ring.trace", "farm.trace", NULL);
}

static void
test_with_film (void)
{
  check ("fft2d-s64.trace", "fft2d-s4.trace", "one.film");
  check ("farm.trace", "ring.trace", "other.film");
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
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
