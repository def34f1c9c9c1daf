/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - what tests of films and of travel share: sessions, films, and what playing from the beginning gives. */
#pragma once
#include <glib.h>
#include <string.h>
#include "config.h"
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"

static char *folder; /* for what tests write */

/* Of n random places those that are gone to: a third where a sanitizer makes it slow (SCOPE_SANITIZED). */
static inline int
few (int n)
{
  return g_getenv ("SCOPE_SANITIZED") ? (n + 2) / 3 : n;
}

static inline char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static inline Session *
open_session (const char *trace, const char *program)
{
  GError *error = NULL;
  SessionOptions o = { .trace = trace, .program = program };
  Session *s = session_open (&o, &error);

  g_assert_no_error (error);
  return s;
}

static inline FilmStats
shoot (const char *trace, const char *program, const char *film, const char *strategy)
{
  g_autoptr (GError) error = NULL;
  Session *s = open_session (trace, program);
  FilmOptions o = { .folder = film, .until = INT64_MAX };
  FilmStats stats;

  g_assert_true (strategy_parse (strategy, &o.strategy));
  film_shoot (s, &o, &stats, &error);
  g_assert_no_error (error);
  g_clear_pointer (&stats.folder, g_free);
  session_free (s);
  return stats;
}

static inline void
keep_said (void *said, TravelOf of, const char *sentence)
{
  g_ptr_array_add (said, g_strconcat (of == TRAVEL_OF_FILM ? "film: " : "saved: ", sentence, NULL));
}

static inline Travel *
travel_with (Session *s, const char *film, GPtrArray *said)
{
  uint64_t trace, plan;
  g_autofree char *home = film_folder (s, &trace, &plan, NULL);
  TravelOptions o = {
    .nearest = true, .film = film, .trace = trace, .plan = plan, .say = said ? keep_said : NULL, .arg = said
  };

  (void) home;
  return travel_new (s, &o);
}

/* What playing from the beginning gives. */
typedef struct Hashes {
  uint64_t state, run, given;
  uint64_t part[64]; /* of each component, to say which one differs */
  const Session *session;
} Hashes;

static inline Hashes
hashes (Session *s)
{
  int64_t at = MAX (drive_date (s), s->source->first);

  Hashes h = { session_hash (s, at), eve_program_run_hash (s->program), drive_given (s), { 0 }, s };
  for (uint32_t i = 0; i < MIN (eve_n_components (s->program), G_N_ELEMENTS (h.part)); ++i) {
    EveBlob *blob = eve_blob_new ();
    eve_component_save_run (eve_component (s->program, i), blob);
    h.part[i] = eve_blob_hash (blob);
    eve_blob_free (blob);
  }
  return h;
}

/* From where it is, as far as readers were told. */
static inline Hashes
played (Session *s)
{
  g_autoptr (GError) error = NULL;

  drive_run (s, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  return hashes (s);
}

static inline Hashes
played_events (Session *s, uint64_t n)
{
  drive_reset (s);
  drive_events (s, n);
  return played (s);
}

static inline Hashes
played_date (Session *s, int64_t date)
{
  drive_reset (s);
  drive_until (s, date);
  return played (s);
}

static inline void
assert_same (Hashes a, Hashes b)
{
  for (uint32_t i = 0; i < MIN (eve_n_components (a.session->program), G_N_ELEMENTS (a.part)); ++i)
    if (a.part[i] != b.part[i])
      g_test_message ("at event %" G_GUINT64_FORMAT ": %s differs", a.given,
                      eve_name (eve_component (a.session->program, i)));
  g_assert_cmpuint (a.given, ==, b.given);
  g_assert_cmphex (a.state, ==, b.state);
  g_assert_cmphex (a.run, ==, b.run);
}

static inline GPtrArray *
samples (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *home = g_build_filename (SCOPE_SOURCE_DIR, "traces", NULL);
  GDir *dir = g_dir_open (home, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".trace"))
      g_ptr_array_add (list, g_build_filename (home, name, NULL));
  if (dir)
    g_dir_close (dir);
  return list;
}

static inline char *
synthetic (const char *name, uint64_t records)
{
  g_autoptr (GError) error = NULL;
  TraceSynth what = { .tasks = 12, .records = records, .seed = 5 };
  g_autofree char *bundle = g_strconcat (name, ".trace", NULL), *folder_name = g_strconcat (name, ".tapepvm", NULL);
  char *path = in_folder (bundle);
  g_autofree char *data = g_build_filename (path, folder_name, NULL);

  if (g_file_test (data, G_FILE_TEST_EXISTS))
    return path;
  g_mkdir_with_parents (data, 0777);
  const TraceFormat *format = trace_format_find ("tapepvm", &error);
  g_assert_no_error (error);
  format->synth (data, &what, &error);
  g_assert_no_error (error);
  return path;
}

static inline char *
sample (const char *name)
{
  g_autofree char *bundle = g_strconcat (name, ".trace", NULL);

  return g_build_filename (SCOPE_SOURCE_DIR, "traces", bundle, NULL);
}

/* ---- a program that is changed ---------------------------------------------------------------------------------------- */

/* A counter of events more, "Extra", at the reader. */
static inline void
add_counter (Session *s)
{
  g_autoptr (GError) error = NULL;
  EveComponent *c = eve_add (s->program, eve_registry_find ("scope.counter"), "Extra", &error);

  g_assert_no_error (error);
  g_assert_true (eve_connect (s->program, s->reader, "events", c, "in", &error));
  session_refresh (s);
}

/* ---- all events of a trace ------------------------------------------------------------------------------------------ */

typedef struct Linear {
  GArray *events; /* of TraceEvent */
  GArray *lists;  /* of GArray of uint32_t: the lists of tasks in them */
} Linear;

static inline Linear
read_linear (const char *trace)
{
  g_autoptr (GError) error = NULL;
  TraceSource *source = trace_open (trace, NULL, NULL, &error);
  Linear l = { g_array_new (FALSE, FALSE, sizeof (TraceEvent)), g_array_new (FALSE, FALSE, sizeof (GArray *)) };
  TraceEvent e;

  g_assert_no_error (error);
  while (trace_next (source, &e, 1, &error) == 1) {
    uint32_t n;
    const uint32_t *tasks = trace_list (&e, &n);
    GArray *list = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    if (n)
      g_array_append_vals (list, tasks, n);
    g_array_append_val (l.events, e);
    g_array_append_val (l.lists, list);
  }
  g_assert_no_error (error);
  trace_close (source);
  return l;
}

static inline void
linear_clear (Linear *l)
{
  for (guint i = 0; i < l->lists->len; ++i)
    g_array_unref (g_array_index (l->lists, GArray *, i));
  g_array_unref (l->lists);
  g_array_unref (l->events);
}

static inline const TraceEvent *
nth (const Linear *l, uint64_t i)
{
  return &g_array_index (l->events, TraceEvent, i);
}

static inline uint64_t
events_by (const Linear *l, int64_t date)
{
  uint64_t n = 0;

  while (n < l->events->len && nth (l, n)->date <= date)
    ++n;
  return n;
}
