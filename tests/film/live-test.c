/* SPDX-License-Identifier: Apache-2.0 */
/* live-test.c - the film of a trace that is still being written: whoever travels with it meanwhile gets what playing
 * the whole trace gives afterwards; it survives its process, and is complete when the writer has ended. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/film/help.h"
#include "readers/live.h"

#define MS INT64_C (1000000)
#define TASKS 5

typedef struct Writer {
  char *bundle;
  int events, live;
  GRand *random;
  int64_t date;
  int64_t waits[TASKS]; /* since when it waits for a message; 0: it does not */
  guint sent;
} Writer;

static void put (Writer *w, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

static void
put (Writer *w, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_assert_cmpint (write (w->events, text, strlen (text)), ==, (ssize_t) strlen (text));
}

static Writer
writer_new (const char *name, guint32 seed)
{
  g_autofree char *base = g_strconcat (name, ".trace", NULL), *inner = g_strconcat (name, ".tapepvm", NULL);
  Writer w = { .bundle = in_folder (base), .random = g_rand_new_with_seed (seed), .date = 1 };
  g_autofree char *data = g_build_filename (w.bundle, inner, NULL);
  g_autofree char *events = g_build_filename (data, "events", NULL), *live = g_build_filename (data, "live", NULL);

  g_assert_cmpint (g_mkdir_with_parents (data, 0777), ==, 0);
  w.events = open (events, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  w.live = open (live, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  g_assert_cmpint (flock (w.live, LOCK_EX), ==, 0);
  g_assert_cmpint (write (w.live, "a test\n", 7), ==, 7);
  put (&w, "#TAPE/PVM 2\n");
  for (int i = 0; i < TASKS; i++)
    put (&w, "1 0 %d 0 0 h L 1 -1 p\n", 100 + i);
  return w;
}

/* A few messages from task to task; receivers wait for long, so that they are told of before they get something. */
static void
writer_go_on (Writer *w, guint n)
{
  for (guint i = 0; i < n; i++) {
    int from = g_rand_int_range (w->random, 0, TASKS), to = (from + g_rand_int_range (w->random, 1, TASKS)) % TASKS;

    w->date += g_rand_int_range (w->random, 0, 3) * MS;
    if (w->waits[from])
      continue;
    if (!w->waits[to] && g_rand_int_range (w->random, 0, 2)) {
      w->waits[to] = w->date;
      put (w, "62 %" G_GINT64_FORMAT " %d -1 0 -1 -1 -1 -1 0 0\n", w->date, 100 + to);
    }
    put (w, "60 %" G_GINT64_FORMAT " %d 1000 0 %d 1 %u 0\n", w->date, 100 + from, 100 + to, 10 + w->sent);
    w->date += MS;
    if (w->waits[to])
      put (w, "0 %" G_GINT64_FORMAT " 62 %" G_GINT64_FORMAT " %d %" G_GINT64_FORMAT " 0 -1 -1 %d 1 %u 1\n", w->date,
           w->waits[to], 100 + to, w->date - w->waits[to], 100 + from, 10 + w->sent);
    else
      put (w, "62 %" G_GINT64_FORMAT " %d 2000 0 -1 -1 %d 1 %u 1\n", w->date, 100 + to, 100 + from, 10 + w->sent);
    w->waits[to] = 0;
    w->sent++;
  }
  put (w, "0 %" G_GINT64_FORMAT "\n", w->date);
}

static void
writer_end (Writer *w)
{
  g_assert_cmpint (write (w->live, "ended\n", 6), ==, 6);
  close (w->live);
  close (w->events);
  g_rand_free (w->random);
}

static GPid
begin_film (const Writer *w, const char *film)
{
  g_autoptr (GError) error = NULL;
  const char *const words[] = { g_getenv ("SCOPE"), "film", "--follow", "--save", "events=300", "-o", film,
                                w->bundle,          NULL };
  GPid pid;

  g_spawn_async (NULL, (char **) words, NULL,
                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &pid,
                 &error);
  g_assert_no_error (error);
  return pid;
}

static bool
film_reaches (const char *film, uint64_t events)
{
  FilmManifest m = { 0 };
  bool reaches = film_manifest_read (film, &m, NULL) && m.events >= events;

  film_manifest_clear (&m);
  return reaches;
}

static void
wait_for_film (const char *film, uint64_t events)
{
  int64_t until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (!film_reaches (film, events)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (20000);
  }
}

typedef struct Seen {
  uint64_t event, hash;
  int64_t at;
} Seen;

static int
by_event (const void *a, const void *b)
{
  const Seen *x = a, *y = b;

  return (x->event > y->event) - (x->event < y->event);
}

/* Somewhere; what is there is kept, to be compared. */
static void
travel_somewhere (Travel *t, Session *s, GRand *random, GArray *seen)
{
  g_autoptr (GError) error = NULL;

  if (g_rand_int_range (random, 0, 2))
    travel_to_event (t, (uint64_t) g_rand_int_range (random, 0, (gint32) s->n_events), &error);
  else
    travel_to_date (t, (int64_t) (g_rand_double (random) * (double) (s->last - 1)), &error);
  g_assert_no_error (error);
  Seen here = { .event = travel_event (t), .at = travel_date (t) };
  if (!here.event)
    return;
  here.hash = state_hash (s->graph, here.at);
  g_array_append_val (seen, here);
}

static void
compare (const Writer *w, GArray *seen)
{
  g_autoptr (GError) error = NULL;
  Session *whole = open_session (w->bundle, NULL);
  uint64_t at = 0;

  g_array_sort (seen, by_event);
  for (guint i = 0; i < seen->len; i++) {
    const Seen *here = &g_array_index (seen, Seen, i);
    if (here->event > at)
      g_assert_true (session_go_events (whole, here->event - at, &error));
    at = here->event;
    g_assert_cmpint (drive_date (whole), ==, here->at);
    g_assert_cmphex (state_hash (whole->graph, here->at), ==, here->hash);
  }
  session_free (whole);
}

static int64_t
spent_by_all (const StateGraph *g, uint32_t state, int64_t at)
{
  int64_t sum = 0;

  for (uint32_t i = 0; i < g->n_nodes; i++) {
    int64_t spent = 0, total;
    g->model->spent (g, STATE_NODE, i, state, at, &spent, &total);
    sum += spent;
  }
  return sum;
}

/* The overview holds what playing the whole trace gives at each of its boundaries. */
static void
compare_overview (const Writer *w, const char *film)
{
  g_autoptr (GError) error = NULL;
  Session *whole = open_session (w->bundle, NULL);
  FilmOverview *o = film_overview_read (film, &error);
  const StateModel *model = whole->graph->model;
  int64_t before[16] = { 0 };

  g_assert_no_error (error);
  g_assert_cmpuint (o->n, >, FILM_BUCKETS / 4);
  g_assert_cmpint (o->first, ==, whole->first);
  g_assert_cmpint (o->last, >=, whole->last);
  g_assert_cmpint (film_bucket (o->first, o->last, o->n + 1), >, whole->last);
  for (guint k = 0; k < o->n; k++) {
    int64_t to = film_bucket (o->first, o->last, k + 1);
    g_assert_true (session_go_until (whole, to, &error));
    guint n = 0;
    for (uint32_t i = 0; i < model->n_attributes; i++) {
      if (model->attributes[i].scope != STATE_NODE || model->attributes[i].kind != STATE_PERCENT)
        continue;
      int64_t now = spent_by_all (whole->graph, model->attributes[i].of, to);
      g_assert_cmpint (o->spent[k * o->n_states + n], ==, now - before[n]);
      before[n++] = now;
    }
    g_assert_cmpuint (n, ==, o->n_states);
  }
  film_overview_free (o);
  session_free (whole);
}

static void
test_grows (void)
{
  Writer w = writer_new ("grows", 7);
  g_autofree char *film = in_folder ("grows.film");
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  writer_go_on (&w, 50);
  GPid shooting = begin_film (&w, film);
  int status;
  Session *s = session_open (&(SessionOptions){ .trace = w.bundle, .follow = true }, &error);
  g_assert_no_error (error);
  g_assert_true (session_may_grow (s));
  wait_for_film (film, 50);
  Travel *t = travel_with (s, film, NULL);
  for (int round = 0; round < 60; round++) {
    writer_go_on (&w, 40);
    session_look (s);
    if (round == 30) { /* killed, and begun again: it goes on */
      wait_for_film (film, s->n_events / 2);
      kill (shooting, SIGKILL);
      g_assert_cmpint (waitpid (shooting, &status, 0), ==, shooting);
      shooting = begin_film (&w, film);
    }
    travel_somewhere (t, s, random, seen);
    g_usleep (5000);
  }
  g_assert_cmpuint (s->n_events, >, 2000);
  wait_for_film (film, s->n_events * 9 / 10);
  for (int i = 0; i < 40; i++)
    travel_somewhere (t, s, random, seen);
  writer_end (&w);
  while (session_may_grow (s))
    session_look (s);
  g_assert_cmpint (waitpid (shooting, &status, 0), ==, shooting);
  g_assert_cmpint (status, ==, 0);
  for (int i = 0; i < 40; i++)
    travel_somewhere (t, s, random, seen);
  g_assert_true (travel_to_end (t, &error));
  g_assert_cmpuint (travel_event (t), ==, s->n_events);
  g_assert_true (drive_ended (s));

  FilmManifest m;
  g_assert_true (film_manifest_read (film, &m, NULL));
  g_assert_cmpint (m.state, ==, FILM_COMPLETE);
  g_assert_cmpuint (m.events, ==, s->n_events);
  film_manifest_clear (&m);
  travel_free (t);
  session_free (s);
  compare (&w, seen);
  compare_overview (&w, film);
  g_free (w.bundle);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-live-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/live/grows", test_grows);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
