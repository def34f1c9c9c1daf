/* SPDX-License-Identifier: Apache-2.0 */
/* store-test.c - what a film says of itself and of its execution: the manifest field by field, identities of traces,
 * folders beside each other, the groups and the traffic of tasks, the names of values. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "help.h"
#include "session/contents.h"
#include "session/film-drive.h"
#include "views/told.h"

/* ---- the manifest --------------------------------------------------------------------------------------------------- */

static void
assert_same_manifest (const FilmManifest *a, const FilmManifest *b)
{
  g_assert_cmpint (a->state, ==, b->state);
  g_assert_cmphex (a->trace, ==, b->trace);
  g_assert_cmphex (a->plan, ==, b->plan);
  g_assert_cmpuint (a->events, ==, b->events);
  g_assert_cmpuint (a->n_events, ==, b->n_events);
  g_assert_cmpuint (a->damaged, ==, b->damaged);
  g_assert_cmpint (a->date, ==, b->date);
  g_assert_cmpstr (a->bundle, ==, b->bundle);
  g_assert_cmpstr (a->format, ==, b->format);
  g_assert_cmpstr (a->program, ==, b->program);
  g_assert_cmpstr (a->said, ==, b->said);
  g_assert_cmpstr (a->fault ? a->fault : "", ==, b->fault ? b->fault : "");
}

static char *
manifest_text (const char *film)
{
  g_autofree char *path = g_build_filename (film, "manifest", NULL);
  char *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
put_text (const char *film, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (film, name, NULL);

  g_unlink (path); /* the disk is not waited for */
  g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
}

/* All that is written comes back; what was shot to the end, or stopped, has a list of its files. */
static void
test_manifest (void)
{
  g_autofree char *film = in_folder ("manifest.film");
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (film, 0777);
  put_text (film, "overview", "something");
  for (int i = 0; i < 60; ++i) {
    static const int64_t dates[] = { INT64_MIN, INT64_MAX, -1, 0 };
    static const char *const words[] = { "", "a word", "näme; with = [signs]", "two\nlines\tand\\more " };
    uint64_t bits = (uint64_t) g_rand_int (rand) << 32 | g_rand_int (rand);
    FilmManifest m = { .state = (FilmState) (i % (FILM_FAILED + 1)),
                       .trace = bits,
                       .plan = ~bits,
                       .events = bits >> 1,
                       .n_events = bits >> 2,
                       .damaged = bits % 5,
                       .date = i < 4 ? dates[i] : (int64_t) bits,
                       .bundle = (char *) words[g_rand_int_range (rand, 0, 4)],
                       .format = (char *) words[g_rand_int_range (rand, 0, 4)],
                       .program = (char *) words[g_rand_int_range (rand, 0, 4)],
                       .said = (char *) words[g_rand_int_range (rand, 0, 4)],
                       .fault = (char *) words[g_rand_int_range (rand, 0, 4)] };
    FilmManifest read;
    g_assert_true (film_manifest_write (film, &m, &error));
    g_assert_true (film_manifest_read (film, &read, &error));
    g_assert_false (read.torn);
    assert_same_manifest (&read, &m);
    bool listed = m.state == FILM_COMPLETE || m.state == FILM_STOPPED;
    g_assert_true ((read.files != NULL) == listed);
    if (listed) {
      g_auto (GStrv) files = film_list_files (film);
      g_assert_true (g_strv_equal ((const char *const *) files, (const char *const *) read.files));
      g_assert_cmpuint (g_strv_length (files), >, 0);
    }
    film_manifest_fail (film, "Some box", "it crashed");
    FilmManifest failed;
    g_assert_true (film_manifest_read (film, &failed, &error));
    g_assert_cmpstr (failed.fault, ==, "Some box");
    g_assert_cmpstr (failed.said, ==, "it crashed");
    g_assert_cmpint (failed.state, ==, FILM_FAILED);
    m.state = FILM_FAILED;
    m.fault = failed.fault;
    m.said = failed.said;
    assert_same_manifest (&failed, &m);
    film_manifest_clear (&read);
    film_manifest_clear (&failed);
  }
}

/* A manifest of which a byte was changed or the end cut says nothing, or what it said; one of another version says that
 * there is no film. */
static void
test_torn (void)
{
  g_autofree char *film = in_folder ("torn.film");
  FilmManifest m = { .state = FILM_STOPPED, .trace = 3, .plan = 5, .events = 100, .n_events = 120, .date = 9 }, read;
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (film, 0777);
  g_assert_true (film_manifest_write (film, &m, &error));
  g_autofree char *text = manifest_text (film);
  for (size_t at = strlen ("[film]\nversion="); at < strlen (text); ++at)
    for (int cut = 0; cut < 2; ++cut) {
      g_autofree char *other = g_strdup (text);
      other[at] = cut ? '\0' : (char) (other[at] ^ 1);
      put_text (film, "manifest", other);
      g_assert_true (film_manifest_read (film, &read, &error));
      if (strstr (other, "version=6\n") && (strstr (other, "\nsum=") || !strstr (other, "\nsaid=")))
        g_assert_true (read.torn);
      if (!read.torn) /* without a sum it is one of another version */
        g_assert_cmpint (read.state, ==, FILM_NONE);
      g_assert_true (read.torn || !strstr (other, "\nsum="));
      if (read.torn)
        g_assert_true (read.state == FILM_NONE && read.events == 0 && read.plan == 0 && !read.said && !read.files);
      film_manifest_clear (&read);
    }
  put_text (film, "manifest", "[film]\nversion=1\nstate=complete\nsaid=\nevents=7\n");
  g_assert_true (film_manifest_read (film, &read, &error));
  g_assert_true (!read.torn && read.state == FILM_NONE && read.events == 7);
  film_manifest_clear (&read);
  put_text (film, "manifest", "[files]\nversion=6\n");
  g_assert_false (film_manifest_read (film, &read, &error));
  g_assert_error (error, FILM_ERROR, FILM_ERROR_FOREIGN);
  film_manifest_clear (&read);
}

/* ---- identities ----------------------------------------------------------------------------------------------------- */

static void
write_dated (const char *path, const uint8_t *bytes, size_t n, int64_t seconds, long ns)
{
  struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

  g_unlink (path);
  g_assert_true (
      g_file_set_contents_full (path, (const char *) bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

/* Every byte of a file counts, and names of files do.  Where the bundle lies, and when its files were written, does
 * not.
 */
static void
test_identity (void)
{
  static const size_t sizes[] = { 1, 4095, 4096, 4097, 8192, 10001, 32 * 4096 - 1, 32 * 4096, 33 * 4096 + 5, 1000003 };
  g_autofree char *bundle = in_folder ("twin.trace"), *data = g_build_filename (bundle, "twin.tapepvm", NULL),
                  *path = g_build_filename (data, "events", NULL), *second = g_build_filename (data, "more", NULL),
                  *moved = in_folder ("other-folder");
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (data, 0777);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); ++i) {
    size_t n = sizes[i];
    g_autofree uint8_t *bytes = g_malloc (n);
    g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    for (size_t k = 0; k < n; ++k)
      bytes[k] = (uint8_t) g_rand_int (rand);
    write_dated (path, bytes, n, 1000, 5);
    uint64_t own = film_trace_identity (bundle, "tapepvm", &error);
    g_assert_no_error (error);
    g_assert_true (own != 0 && own == film_trace_identity (bundle, "tapepvm", &error));
    g_hash_table_add (seen, g_memdup2 (&own, sizeof own));
    for (int k = 0; k < 60; ++k) { /* all are others */
      size_t at = k == 0 ? 0 : k == 1 ? n - 1 : (size_t) g_rand_int_range (rand, 0, (gint32) n);
      bytes[at] ^= (uint8_t) (k + 1);
      write_dated (path, bytes, n, 1000, 5);
      uint64_t other = film_trace_identity (bundle, "tapepvm", &error);
      g_assert_true (other != own);
      bytes[at] ^= (uint8_t) (k + 1);
    }
    write_dated (path, bytes, n, 1001, 6); /* a copy of it is the same */
    g_assert_cmphex (film_trace_identity (bundle, "tapepvm", &error), ==, own);
    write_dated (second, bytes, 1, 1000, 5);
    write_dated (path, bytes, n, 1000, 5);
    g_assert_true (film_trace_identity (bundle, "tapepvm", &error) != own);
    g_unlink (second);
    g_mkdir (second, 0777); /* a folder is no data */
    g_assert_cmphex (film_trace_identity (bundle, "tapepvm", &error), ==, own);
    g_rmdir (second);
    g_mkdir (moved, 0777);
    g_autofree char *elsewhere = g_build_filename (moved, "twin.trace", NULL);
    g_assert_cmpint (g_rename (bundle, elsewhere), ==, 0);
    g_assert_cmphex (film_trace_identity (elsewhere, "tapepvm", &error), ==, own);
    g_assert_no_error (error);
    g_assert_cmpint (g_rename (elsewhere, bundle), ==, 0);
  }
  g_assert_cmphex (film_trace_identity (moved, "tapepvm", &error), ==, 0);
  g_assert_nonnull (error);
}

/* ---- folders -------------------------------------------------------------------------------------------------------- */

static void
note_beside (void *arg, const char *path, uint64_t plan)
{
  g_autofree char *name = g_path_get_basename (path);

  g_ptr_array_add (arg, g_strdup_printf ("%s %" G_GINT64_MODIFIER "x", name, plan));
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
test_beside (void)
{
  static const char *const names[] = {
    "ring-00000000000000aa00000000000000bb",  "ring-00000000000000aa00000000000000cc",
    "ring-00000000000000aaf0000000000000ff",  "ring-00000000000000ab00000000000000bb",
    "rings-00000000000000aa00000000000000b",  "ring-00000000000000aa00000000000000cg",
    "ring-00000000000000aa00000000000000ccc", "aing-00000000000000aa00000000000000cc"
  };
  g_autofree char *home = in_folder ("beside"), *own = g_build_filename (home, names[0], NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (names); ++i) {
    g_autofree char *path = g_build_filename (home, names[i], NULL);
    g_mkdir_with_parents (path, 0777);
  }
  film_each_beside (own, note_beside, found);
  g_ptr_array_sort (found, by_text);
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpstr (found->pdata[0], ==, "ring-00000000000000aa00000000000000cc cc");
  g_assert_cmpstr (found->pdata[1], ==, "ring-00000000000000aaf0000000000000ff f0000000000000ff");
  film_each_beside ("/a/short", note_beside, found);
  g_assert_cmpuint (found->len, ==, 2);
}

/* A header of a checkpoint of a film, as far as it tells whose it is; `kind`: Checkpoint.kind. */
static void
put_checkpoint (const char *film, CheckpointKind kind)
{
  g_autofree char *path = g_build_filename (film, "checkpoints", NULL);
  g_autoptr (GError) error = NULL;
  Checkpoint what = { .kind = kind };

  g_remove (path);
  Checkpoints *c = checkpoints_open (path, 1, 2, true, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (checkpoints_append (c, &what, "state", 5, &error));
  checkpoints_free (c);
}

/* What is on the disk, in folders too; a film that is wiped loses it, what is no film nothing. */
static void
test_room (void)
{
  g_autofree char *film = in_folder ("room.film"), *inside = g_build_filename (film, "Reader.tasks", NULL),
                  *deep = g_build_filename (inside, "deep", NULL), *bytes = g_strnfill (50000, 'b');
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (film_bytes (film), ==, 0);
  g_mkdir_with_parents (deep, 0777);
  put_text (film, "overview", bytes);
  put_text (inside, "groups", bytes);
  put_text (deep, "three", "abc");
  put_text (film, "0123456789abcdef.states.index", "abc");
  g_assert_cmpuint (film_bytes (film), ==, 100006);
  g_assert_cmpuint (film_bytes (deep), ==, 3);
  g_assert_false (film_is_empty (film));
  g_assert_false (film_is_film (film));
  g_assert_false (film_wipe (film, &error)); /* of somebody else */
  g_assert_error (error, FILM_ERROR, FILM_ERROR_FOREIGN);
  g_clear_error (&error);
  g_assert_cmpuint (film_bytes (film), ==, 100006);
  put_text (film, "checkpoints", "SCOPEC"); /* too short */
  g_assert_false (film_is_film (film));
  put_text (film, "checkpoints", "SCOPECP and more");
  g_assert_false (film_is_film (film));
  put_checkpoint (film, CHECKPOINT_BY_HAND); /* of a run */
  g_assert_false (film_is_film (film));
  put_checkpoint (film, CHECKPOINT_AUTOMATIC);
  put_text (film, "lock", "");
  put_text (film, FILM_BY_HAND, "mine");
  g_assert_true (film_is_film (film));
  g_assert_true (film_wipe (film, &error));
  g_assert_cmpuint (film_bytes (film), ==, 7); /* "mine", and what no film writes */
  g_assert_cmpuint (film_bytes (deep), ==, 3);
}

/* Of what is in a folder, what a film has written there. */
static void
test_names (void)
{
  static const char *const own[] = { "manifest",
                                     "manifest.new",
                                     "lock",
                                     "checkpoints",
                                     "by-hand",
                                     "program.eve",
                                     "schema",
                                     "Reader_2.tasks/groups",
                                     "0123456789abcdef.series",
                                     "0123456789abcdef.values.sums",
                                     "0123456789abcdef.places.records.making-aB3xYz" };
  static const char *const others[] = { "",
                                        "Checkpoints",
                                        "checkpoints.old",
                                        "tasks.backup",
                                        "0123456789abcde.series",
                                        "0123456789abcdeF.series",
                                        "0123456789abcdef.index",
                                        "0123456789abcdef.states.index.bak",
                                        "a0123456789abcdef.states.index",
                                        "more/overview",
                                        "Reader.tasks/notes",
                                        "Reader.tasks/deep/tasks" };

  for (guint i = 0; i < G_N_ELEMENTS (own); ++i)
    g_assert_true (film_has_file (own[i]));
  for (guint i = 0; i < G_N_ELEMENTS (others); ++i)
    g_assert_false (film_has_file (others[i]));
  g_assert_true (film_has_folder ("Reader.tasks"));
  g_assert_false (film_has_folder ("tasks"));
}

/* ---- tasks: groups and traffic ---------------------------------------------------------------------------------------- */

static void
note_traffic (void *arg, const char *from, const char *to, double bytes)
{
  g_string_append_printf (arg, "%s %s %.0f\n", from, to, bytes);
}

static char *
traffic_now (const StateGraph *g)
{
  GString *text = g_string_new (NULL);
  int attribute = state_attribute (g->model, STATE_EDGE, "TotalTraffic");

  g_assert_cmpint (attribute, >=, 0);
  for (uint32_t i = 0; i < g->n_edges; ++i) {
    g_autoptr (GString) bytes = g_string_new (NULL);
    uint32_t from, to;
    g->edge_ends (g, i, &from, &to);
    state_text (g, (uint32_t) attribute, i, g->clock, bytes);
    g_string_append_printf (text, "%s %s %.0f\n", g->node_id (g, from), g->node_id (g, to),
                            g_ascii_strtod (bytes->str, NULL));
  }
  return g_string_free (text, FALSE);
}

static char *
traffic_of (const char *film)
{
  GString *text = g_string_new (NULL);
  Names *names = names_read (film);

  names_read_traffic (names, film, note_traffic, text);
  g_assert_null (names_problem (names));
  names_free (names);
  return g_string_free (text, FALSE);
}

static void
test_tasks (void)
{
  g_autofree char *film = in_folder ("tasks.film"),
                  *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "groups.trace", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) first = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Session *s = open_session (trace, NULL);
  int attribute = state_with_role (s->graph->model, STATE_NODE, STATE_ROLE_GROUP);
  uint64_t n = s->n_events, due = 0;
  guint groups = 0;
  g_autofree char *said = g_strdup ("");

  g_mkdir_with_parents (film, 0777);
  FilmTasks *tasks = film_tasks_new (film, s);
  g_assert_cmpint (attribute, >=, 0);
  for (uint64_t i = 1; i <= n; i += 1 + i % 7) {
    drive_events (s, i);
    g_assert_true (drive_run (s, NULL, NULL, NULL, NULL, &error));
    for (uint32_t node = 0; node < s->graph->n_nodes; ++node) {
      g_autoptr (GString) text = g_string_new (NULL);
      const char *id = s->graph->node_id (s->graph, node);
      state_text (s->graph, (uint32_t) attribute, node, s->graph->clock, text);
      if (text->len && !g_hash_table_contains (first, id)) {
        g_auto (GStrv) all = g_strsplit (text->str, ",", -1);
        g_hash_table_insert (first, g_strdup (id), g_strdup (all[0]));
        ++groups;
      }
    }
    if (i % 3)
      film_tasks_look (tasks);
    else {
      g_assert_true (film_tasks_write (tasks, false, &error));
      /* traffic is written when there are twice as many events */
      if (s->graph->n_events >= due) {
        due = 2 * s->graph->n_events;
        g_free (said);
        said = traffic_now (s->graph);
      }
      g_autofree char *is = traffic_of (film);
      g_assert_cmpstr (is, ==, said);
      Names *names = names_read (film);
      g_assert_cmpuint (names_count (names, s->source), ==, s->source->tasks->len);
      bool some = names_read_groups (names, film);
      g_assert_true (some == (groups > 0));
      for (guint k = 0; k < s->source->tasks->len; ++k) {
        const char *group = g_hash_table_lookup (first, names_id (names, s->source, k));
        g_assert_cmpstr (names_group (names, s->source, k), ==, group ? group : "no group");
      }
      names_free (names);
    }
  }
  g_assert_cmpuint (groups, >, 2);
  g_assert_true (session_go_end (s, &error));
  g_assert_true (film_tasks_write (tasks, true, &error));
  g_autofree char *is = traffic_of (film), *now = traffic_now (s->graph);
  g_assert_cmpstr (is, ==, now);
  film_tasks_free (tasks);

  /* who goes on with the film knows what it knew: another group that a task is in later is not its first */
  drive_reset (s);
  g_autofree char *path = g_build_filename (film, "groups", NULL);
  g_autoptr (GString) other = g_string_new (NULL);
  g_string_append_printf (other, "%s\tmy own\n", s->source->tasks->len ? trace_task_id (s->source, 0) : "");
  g_assert_true (names_file_write (path, other, &error));
  tasks = film_tasks_new (film, s);
  g_assert_true (session_go_end (s, &error));
  g_assert_true (film_tasks_write (tasks, true, &error));
  g_autoptr (GHashTable) read = told_read (film, NULL);
  const TaskTold *known = g_hash_table_lookup (read, trace_task_id (s->source, 0));
  g_assert_nonnull (known);
  g_assert_cmpstr (known->group, ==, "my own");
  film_tasks_free (tasks);
  session_free (s);
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static char *
values_of (const Session *s)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    for (uint32_t k = 0; k < g->model->n_attributes; ++k) {
      const StateAttribute *a = &g->model->attributes[k];
      for (uint32_t v = 0; a->kind == STATE_VALUE && v < a->n_values; ++v)
        g_string_append_printf (text, "%s %s %u %s %d\n", eve_name (simulators->pdata[i]), a->name, v,
                                a->values[v].name, a->values[v].sense);
    }
  }
  return g_string_free (text, FALSE);
}

/* What a session met another one knows; what a hostile file says that nobody could mean changes nothing. */
static void
test_schema (void)
{
  g_autofree char *film = in_folder ("schema.film"),
                  *trace = g_build_filename (SCOPE_SOURCE_DIR, "traces", "heat2d.trace", NULL),
                  *with = g_build_filename (SCOPE_SOURCE_DIR, "schemas/activity/calls.eve", NULL),
                  *path = g_build_filename (film, "schema", NULL);
  g_autoptr (GError) error = NULL;
  Session *s = open_session (trace, with), *other = open_session (trace, with);
  uint64_t n = 0;

  g_mkdir_with_parents (film, 0777);
  g_autofree char *unread = film_schema_read (film, other); /* there is none */
  g_assert_null (unread);
  g_assert_null (film_schema_read (NULL, other));
  g_autofree char *at_first = values_of (other);
  g_assert_true (session_go_end (s, &error));
  g_assert_true (film_schema_write (film, s, &n, &error));
  g_autofree char *met = values_of (s);
  guint lines = 0;
  for (const char *c = met; *c; ++c)
    lines += *c == '\n';
  g_assert_cmpuint (n, ==, lines);
  g_assert_cmpuint (strlen (met), >, strlen (at_first));
  g_unlink (path);
  g_assert_true (film_schema_write (film, s, &n, &error)); /* nothing new: nothing is written */
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  n = 0;
  g_assert_true (film_schema_write (film, s, &n, &error));
  g_autofree char *text_of_all = names_file_read (path, NULL);
  for (const char *c = text_of_all; *c; ++c)
    lines -= *c == '\n';
  g_assert_cmpint ((int) lines, ==, -1); /* all of them, and the first */

  /* sealed, and hostile */
  g_autoptr (GPtrArray) simulators = session_simulators (other);
  const char *box = NULL, *attribute = NULL;
  uint32_t next = 0; /* the number that its next value has */
  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    for (uint32_t k = 0; k < g->model->n_attributes && !attribute; ++k)
      if (g->model->attributes[k].kind == STATE_VALUE) {
        box = eve_name (simulators->pdata[i]);
        attribute = g->model->attributes[k].name;
        next = g->model->attributes[k].n_values;
        g_assert_cmpint (g->model->attributes[k].scope, ==, STATE_NODE);
      }
  }
  g_assert_nonnull (attribute);
  for (int k = 0; k < 10; ++k) {
    g_autoptr (GString) text = g_string_new (k == 8 ? "schema 1\n" : "schema 2\n");
    switch (k) {
    case 0:
      g_string_append_printf (text, "4294967296\t1\t1\t%s\t%s\tx\n", box, attribute);
      break;
    case 1:
      g_string_append_printf (text, "%u\t%d\t1\t%s\t%s\tx\n", next, STATE_SENSE_GONE + 1, box, attribute);
      break;
    case 2:
      g_string_append_printf (text, "%u\t1\t1\tNobody\t%s\tx\n", next, attribute);
      break;
    case 3:
      g_string_append_printf (text, "%u\t1\t1\t%s\tNothing\tx\n", next, box);
      break;
    case 4:
      g_string_append_printf (text, "%u\t1\t1\t%s\t%s\n", next, box, attribute);
      break;
    case 5:
      g_string_append_printf (text, "%u\t1\t1\t%s\t%s\tx\tmore\n", next, box, attribute);
      break;
    case 6:
      g_string_append_printf (text, "%u\t1\t1\t%s\t%s\t\xff\xfe\n", next, box, attribute);
      break;
    case 9: /* a link has no such attribute */
      g_string_append_printf (text, "%u\t1\t0\t%s\t%s\tx\n", next, box, attribute);
      break;
    case 7:
      g_string_append (text, "\n\t\t\t\t\n\n");
      break;
    default:
      g_string_append_printf (text, "%u\t1\t1\t%s\t%s\tx\n", next, box, attribute);
    }
    g_autofree char *hostile = in_folder ("hostile.film"), *file = g_build_filename (hostile, "schema", NULL);
    g_mkdir_with_parents (hostile, 0777);
    g_assert_true (names_file_write (file, text, &error));
    g_autofree char *why = film_schema_read (hostile, other), *now = values_of (other);
    g_assert_null (why);
    g_assert_cmpstr (now, ==, at_first);
  }
  g_autofree char *read = film_schema_read (film, other), *known = values_of (other);
  g_assert_null (read);
  g_assert_cmpstr (known, ==, met);
  g_assert_true (session_go_end (other, &error));
  g_autofree char *then = values_of (other);
  g_assert_cmpstr (then, ==, met);
  g_assert_true (g_file_set_contents (path, "schema 2\nsum 0\n", -1, NULL));
  g_autofree char *damaged = film_schema_read (film, other);
  g_assert_nonnull (strstr (damaged, "damaged"));
  session_free (s);
  session_free (other);
}

/* By GLib: that of the whole, or that of the sums of its pieces. */
static char *
sum_by_glib (const guchar *bytes, gsize n)
{
  const gsize piece = 4 << 20;
  g_autoptr (GChecksum) all = g_checksum_new (G_CHECKSUM_SHA256);

  if (n <= piece)
    return g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, n);
  for (gsize at = 0; at < n; at += piece) {
    g_autoptr (GChecksum) one = g_checksum_new (G_CHECKSUM_SHA256);
    guint8 of_piece[32];
    gsize length = sizeof of_piece;
    g_checksum_update (one, bytes + at, (gssize) MIN (piece, n - at));
    g_checksum_get_digest (one, of_piece, &length);
    g_checksum_update (all, of_piece, sizeof of_piece);
  }
  return g_strdup (g_checksum_get_string (all));
}

/* Of files that end within, at and behind what is read at once, and a piece. */
static void
test_contents (void)
{
  static const gsize sizes[] = { 0, 1, 63, 1 << 20, (3 << 20) + 5, 4 << 20, (4 << 20) + 1, (22 << 20) - 1 };
  g_autofree char *place = g_dir_make_tmp ("scope-contents-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree char *bytes = g_malloc (sizes[i] + 1), *path = g_build_filename (place, "file", NULL);
    for (gsize k = 0; k < sizes[i]; k++)
      bytes[k] = (char) (k * 31 + i + (k >> 16));
    g_assert_true (g_file_set_contents (path, bytes, (gssize) sizes[i], NULL));
    contents_sum_early (place); /* the last one alone is large enough */
    g_autofree char *want = sum_by_glib ((const guchar *) bytes, sizes[i]), *sum = contents_sum (path);
    g_assert_cmpstr (sum, ==, want);
    g_autofree char *again = contents_sum (path); /* what is remembered */
    g_assert_cmpstr (again, ==, want);
    g_assert_cmpint (g_unlink (path), ==, 0);
  }
  contents_sum_early (place); /* there is nothing in it any more */
  contents_sum_early_end ();
  g_assert_cmpint (g_rmdir (place), ==, 0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *components = places_components ();

  folder = g_dir_make_tmp ("scope-store-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (problems);
  g_test_add_func ("/manifest/fields", test_manifest);
  g_test_add_func ("/manifest/torn", test_torn);
  g_test_add_func ("/film/identity", test_identity);
  g_test_add_func ("/film/contents", test_contents);
  g_test_add_func ("/film/beside", test_beside);
  g_test_add_func ("/film/room", test_room);
  g_test_add_func ("/film/names", test_names);
  g_test_add_func ("/film/tasks", test_tasks);
  g_test_add_func ("/film/schema", test_schema);
  int status = g_test_run ();
  g_assert_true (places_remove (folder, NULL));
  return status;
}
