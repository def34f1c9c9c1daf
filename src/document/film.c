/* SPDX-License-Identifier: Apache-2.0 */
/* film.c - has films shot by another process, and reads them while they grow. */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "document/story.h"
#include "eve/words.h"
#include "session/cut.h"
#include "session/places.h"
#include "views/history.h"
#include "document/private.h"

#define POLL_MS 200
#define HOME_MOST_BYTES (UINT64_C (4) << 30)
#define HOME_MOST_AGE_S (60 * 24 * 3600)
#define FILM_NICE 5
#define MOST_AGAIN 3       /* times that a film is shot again by itself */
#define FILM_PATIENCE "20" /* seconds */
#define DUE_MS 600         /* after the last edit: not one film for each turn of a knob */

/* ---- what there is of it ------------------------------------------------------------------------------------------------ */

static void
read_overview (ScopeDocument *d)
{
  FilmOverview *o = d->film ? film_overview_read (d->film, NULL) : NULL;

  if (o) {
    g_clear_pointer (&d->overview, film_overview_free);
    d->overview = o;
  }
}

/* How many tasks of a reader's trace are known, and of which file of the film. */
typedef struct KnownTasks {
  guint n;
  ino_t file;
  off_t bytes;
  struct timespec written;
} KnownTasks;

/* True, and noted: it is another file than that which was read last. */
static bool
document_film_is_another (KnownTasks *known, const char *folder)
{
  g_autofree char *path = folder ? g_build_filename (folder, "tasks", NULL) : NULL;
  struct stat st;

  if (!path || stat (path, &st) < 0
      || (st.st_ino == known->file && st.st_size == known->bytes && st.st_mtim.tv_sec == known->written.tv_sec
          && st.st_mtim.tv_nsec == known->written.tv_nsec))
    return false;
  known->file = st.st_ino;
  known->bytes = st.st_size;
  known->written = st.st_mtim;
  return true;
}

/* False: the film knows of no more tasks of this reader's trace.  NULL: the leading reader. */
static bool
note_tasks (ScopeDocument *d, EveComponent *reader)
{
  const TraceSource *source = reader ? session_source_of (reader) : d->session->source;
  g_autofree char *folder = session_tasks_folder (d->session, reader, d->film);
  KnownTasks *known = g_hash_table_lookup (d->film_tasks, source);

  if (!source)
    return false;
  if (!known)
    g_hash_table_insert (d->film_tasks, (gpointer) source, known = g_new0 (KnownTasks, 1));
  Names *names = document_film_is_another (known, folder) ? names_read (folder) : NULL;
  guint n = MAX (known->n, names_count (names, source));
  bool more = n > known->n;
  known->n = n;
  names_free (names);
  return more;
}

/* The film names all tasks and states; the session itself gets to know them while it plays.  True: there are more
 * tasks. */
static bool
document_film_read_names (ScopeDocument *d)
{
  const GPtrArray *readers = d->session->readers;
  bool more;

  if (!d->film_tasks)
    d->film_tasks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_free (film_schema_read (d->film, d->session)); /* who shoots looks at the file, and tells */
  more = note_tasks (d, NULL);
  for (guint i = 0; i < readers->len; ++i)
    if (session_source_of (readers->pdata[i]) != d->session->source)
      more |= note_tasks (d, readers->pdata[i]);
  return more;
}

guint
document_tasks_of (ScopeDocument *d, const TraceSource *source)
{
  const KnownTasks *known = d->film_tasks ? g_hash_table_lookup (d->film_tasks, source) : NULL;

  return MAX (source->tasks->len, known ? known->n : 0);
}

guint
document_counted_tasks_of (ScopeDocument *d, const TraceSource *source)
{
  guint n = document_tasks_of (d, source), things = trace_n_things (source);

  return n - MIN (n, things);
}

guint
scope_document_n_tasks (ScopeDocument *d)
{
  g_autoptr (GArray) all = d->session ? session_executions (d->session) : NULL;
  guint n = 0;

  for (guint i = 0; all && i < all->len; ++i)
    n += document_counted_tasks_of (d, g_array_index (all, SessionExecution, i).source);
  return all && all->len == 0 && d->session->source ? document_counted_tasks_of (d, d->session->source) : n;
}

/* Damage among events is told, as a number, once the film has met it.  Where no event is left, that
 * is all there is to say: it is said at once, and where it begins; so the source is read to its end, which meets
 * everything, and sent back. */
void
document_say_nothing_is_whole (ScopeDocument *d)
{
  TraceSource *s = d->session->source;
  TraceEvent none;
  g_autoptr (GError) error = NULL;

  if (s->n_events)
    return;
  trace_next (s, &none, 1, &error);
  if (s->damage->len) {
    const TraceDamage *first = s->damage->pdata[0];
    g_autofree char *line = first->line ? g_strdup_printf (_ ("line %" PRIu64 ", column"), first->line)
                                        : g_strdup (_ ("offset"));
    g_autofree char *reason = g_utf8_make_valid (first->reason, -1);
    d->damage_told = true;
    scope_document_say (
        d, SCOPE_SAY_WARNING,
        P_ ("%s: no event is left to be shown, as %" PRIu64 " damaged record was left out, "
            "first in the file “%s”, %s %" PRIu64 ": %s. “scope check” lists them; copy or record the trace again",
            "%s: no event is left to be shown, as %" PRIu64 " damaged records were left out, "
            "first in the file “%s”, %s %" PRIu64 ": %s. “scope check” lists them; copy or record the trace again",
            s->n_damaged),
        s->name, s->n_damaged, first->file, line, first->column, reason);
  }
  s->format->rewind (s);
}

/* Damage among events is met when they are read, first by the film, so that is known when all of it was shot. */
static void
tell_damage (ScopeDocument *d)
{
  FilmManifest m = { 0 };

  if (!d->damage_told && d->film_state == FILM_COMPLETE && film_manifest_read (d->film, &m, NULL) && m.damaged) {
    d->damage_told = true;
    scope_document_say (d, SCOPE_SAY_WARNING,
                        P_ ("%s: %" PRIu64 " damaged record was left out or mended; “scope check” lists it",
                            "%s: %" PRIu64 " damaged records were left out or mended; “scope check” lists them",
                            m.damaged),
                        d->session->source->name, m.damaged);
  }
  film_manifest_clear (&m);
}

static void stop_shooting (ScopeDocument *d);

/* Whether the process that shoots is of another Scope than this window, as after one of them was built or installed
 * alone: what it writes cannot be read here.  What lay there before was not written by it. */
static bool
is_of_another_build (const ScopeDocument *d, const FilmManifest *m)
{
  g_autofree char *path = d->shooting && m->other_build ? g_build_filename (d->film, "manifest", NULL) : NULL;
  struct stat st;

  return path && stat (path, &st) == 0
         && st.st_mtim.tv_sec * INT64_C (1000000) + st.st_mtim.tv_nsec / 1000 > d->shooting_since;
}

/* Rather than to wait for a film that never comes. */
static void
tell_of_another_build (ScopeDocument *d)
{
  g_autofree char *scope = places_scope ();

  stop_shooting (d);
  g_free (d->film_problem);
  d->film_problem = g_strdup_printf (
      _ ("%s is of another build of Scope than this window, which cannot read its films; "
         "build or install both anew, and open the trace again"),
      scope ? scope : "scope");
  d->film_state = FILM_FAILED;
  scope_document_say_about (d, "film", SCOPE_SAY_WARNING,
                            _ ("No film is shot, so views of the whole execution stay empty: %s"), d->film_problem);
  document_tell (d, DOC_FILM);
}

static void
document_film_look (ScopeDocument *d)
{
  FilmManifest m = { 0 };
  FilmState state = FILM_NONE;
  double share = 0;
  bool grown = false;

  if (d->film && film_manifest_read (d->film, &m, NULL)) {
    state = m.state;
    share = m.n_events ? (double) m.events / (double) m.n_events : 1;
    grown = m.events != d->film_events || m.date != d->film_date;
    d->film_events = m.events;
    d->film_date = m.date;
    if (state == FILM_SHOOTING && !d->shooting)
      state = FILM_STOPPED; /* killed, or of another process */
  }
  bool other = is_of_another_build (d, &m);
  film_manifest_clear (&m);
  if (other) {
    tell_of_another_build (d);
    return;
  }
  if (d->shooting && state != FILM_SHOOTING && state != FILM_COMPLETE)
    state = FILM_SHOOTING; /* it has not begun to write yet */
  bool changed = state != d->film_state || share != d->film_share || grown;
  d->film_state = state;
  d->film_share = state == FILM_COMPLETE ? 1 : share;
  if (!changed && scope_document_is_live (d)) /* time goes on where nothing happens */
    read_overview (d);
  if (changed) {
    tell_damage (d);
    read_overview (d);
    if (document_film_read_names (d))
      document_tell (d, DOC_SAVED); /* the subtitle tells how many there are */
    document_tell (d, DOC_FILM);
  }
}

static gboolean
on_poll (gpointer data)
{
  document_film_look (data);
  return G_SOURCE_CONTINUE;
}

static void document_film_start (ScopeDocument *d);

static gboolean
on_mend (gpointer data)
{
  ScopeDocument *d = data;

  d->film_mend = 0;
  if (d->film && !d->shooting)
    document_film_start (d);
  return G_SOURCE_REMOVE;
}

void
scope_document_film_damaged (ScopeDocument *d, const char *sentence)
{
  if (d->shooting || d->film_mend || !d->film || d->film_mends > MOST_AGAIN)
    return; /* who shoots looks through all of it */
  if (d->film_mends++ == MOST_AGAIN) {
    scope_document_say_about (d, "film", SCOPE_SAY_WARNING, _ ("%s; what is missing stays so"), sentence);
    return;
  }
  scope_document_say_about (d, "film", SCOPE_SAY_WARNING, _ ("%s; the film is shot again"), sentence);
  d->film_mend = g_idle_add (on_mend, d); /* not while somebody paints */
}

/* What can quickly be seen of damage to a film that is there; the rest is met when it is read. */
static void
document_film_look_for_damage (ScopeDocument *d)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  FilmManifest m = { 0 };

  if (film_manifest_read (d->film, &m, NULL))
    film_check (d->film, &m, &(FilmCheck){ 0 }, problems);
  film_manifest_clear (&m);
  if (problems->len)
    scope_document_film_damaged (d, problems->pdata[0]);
}

/* ---- the process that shoots --------------------------------------------------------------------------------------------- */

static void
stop_shooting (ScopeDocument *d)
{
  if (d->shooting) {
    g_cancellable_cancel (d->shooting_cancel);
    g_subprocess_send_signal (d->shooting, SIGTERM);
  }
  g_clear_object (&d->shooting);
  g_clear_object (&d->shooting_cancel);
  if (d->film_poll)
    g_source_remove (d->film_poll);
  d->film_poll = 0;
}

/* The film is there to its end, whatever was told while it was shot: what of the program has no meaning, which the
 * window tells by itself. */
static bool
document_film_is_whole (const ScopeDocument *d)
{
  FilmManifest m = { .state = FILM_NONE };
  bool whole = d->film && film_manifest_read (d->film, &m, NULL) && m.state == FILM_COMPLETE;

  film_manifest_clear (&m);
  return whole;
}

static void
on_shot (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;
  GSubprocess *process = G_SUBPROCESS (object);
  bool done = g_subprocess_communicate_utf8_finish (process, result, NULL, &said, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the document may be gone */
  ScopeDocument *d = data;
  if (process != d->shooting)
    return;
  int status = done && g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
  if (status == 0)
    d->shooting_since = 0; /* what lies there is what it made, or was content with */
  document_film_look (d);
  if (!d->shooting) /* of another build */
    return;
  bool ok = status == 0 || (status == 1 && document_film_is_whole (d));
  bool killed = done
                && (g_subprocess_get_if_signaled (process) /* or the one that it watches over was */
                    || g_subprocess_get_exit_status (process) == 128 + SIGKILL);
  stop_shooting (d);
  g_clear_pointer (&d->film_problem, g_free);
  if (killed && d->film_restarts++ < MOST_AGAIN) { /* not by us: it goes on where it was */
    scope_document_say (d, SCOPE_SAY_NOTE, _ ("The process that shot the film was killed; it is started again"));
    document_film_start (d);
    return;
  }
  if (!ok) {
    g_strstrip (said ? said : (said = g_strdup ("")));
    const char *last = strrchr (said, '\n');
    const char *sentence = last ? last + 1 : said;
    d->film_problem = g_strdup (*sentence ? sentence : error ? error->message : _ ("the film could not be shot"));
    if (g_str_has_prefix (d->film_problem, "scope: "))
      memmove (d->film_problem, d->film_problem + 7, strlen (d->film_problem) - 6);
  }
  bool asked = scope_document_asks_trust (d);
  document_trust_look (d);
  if (scope_document_asks_trust (d) && !asked)
    document_trust_tell (d);
  else if (!ok)
    scope_document_say_about (d, "film", SCOPE_SAY_WARNING, _ ("The film is not complete: %s"), d->film_problem);
  else
    scope_document_unsay (d, "film");
  d->film_state = FILM_NONE; /* so that the last of it is told */
  document_film_look (d);
  travel_use_film (d->travel, d->film, d->trace_identity, d->plan_identity);
  document_tell (d, DOC_FILM); /* that it failed before it began is no change of the film */
  document_tell (d, DOC_MARKS);
}

/* The program as it is now, in a file for the other process. */
static char *
program_file (ScopeDocument *d, GError **error)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "scope", "programs", NULL);
  g_autofree char *name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x.eve", d->plan_identity);
  g_autofree char *text = eve_program_text (d->session->program);
  char *path = g_build_filename (folder, name, NULL);

  if (g_mkdir_with_parents (folder, 0700) == 0 && g_file_set_contents (path, text, -1, error))
    return path;
  if (error && !*error)
    g_set_error (error, FILM_ERROR, FILM_ERROR_IO, _ ("%s cannot be made"), folder);
  g_free (path);
  return NULL;
}

static void
document_film_start (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *scope = places_scope (), *edited = scope ? program_file (d, &error) : NULL;

  stop_shooting (d);
  g_clear_pointer (&d->film_problem, g_free);
  if (edited) {
    const char *const words[] = { scope,
                                  "film",
                                  d->session->trace,
                                  "--format",
                                  d->session->format,
                                  "--program",
                                  d->session->program_path,
                                  "--edited",
                                  edited,
                                  "--quiet",
                                  "-o",
                                  d->film };
    guint n_allowed;
    const char *const *allowed = eve_program_allowed (d->session->program, &n_allowed);
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    for (guint i = 0; i < G_N_ELEMENTS (words); ++i)
      g_ptr_array_add (argv, (void *) words[i]);
    if (d->session->source->abilities & TRACE_LIVE)
      g_ptr_array_add (argv, (void *) "--follow");
    for (guint i = 0; i < n_allowed; ++i) {
      g_ptr_array_add (argv, (void *) "--allow");
      g_ptr_array_add (argv, (void *) allowed[i]);
    }
    g_ptr_array_add (argv, NULL);
    g_autoptr (GSubprocessLauncher)
        launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
    g_subprocess_launcher_setenv (launcher, "SCOPE_PATIENCE", FILM_PATIENCE, FALSE); /* somebody waits */
    d->shooting_since = g_get_real_time ();
    d->shooting = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error);
  }
  if (!d->shooting) {
    d->film_problem = g_strdup (error ? error->message : _ ("the program “scope” was not found"));
    scope_document_say_about (d, "film", SCOPE_SAY_WARNING,
                              _ ("No film is shot, so views of the whole execution stay empty: %s"), d->film_problem);
    d->film_state = FILM_FAILED;
    document_tell (d, DOC_FILM);
    return;
  }
  const char *pid = g_subprocess_get_identifier (d->shooting);
  if (pid) /* who plays meanwhile goes first */
    setpriority (PRIO_PROCESS, (id_t) g_ascii_strtoull (pid, NULL, 10), FILM_NICE);
  d->shooting_cancel = g_cancellable_new ();
  g_subprocess_communicate_utf8_async (d->shooting, NULL, d->shooting_cancel, on_shot, d);
  d->film_poll = g_timeout_add (POLL_MS, on_poll, d);
  document_film_look (d);
}

/* ---- which film ------------------------------------------------------------------------------------------------------------ */

/* A manifest that can no longer be understood is not taken for one by those who shoot, who would not touch the folder.
 * In the cache it can be nothing else: it becomes one of a film to be shot anew. */
static void
mend_manifest (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "manifest", NULL);
  FilmManifest m = { 0 };

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR) && !film_manifest_read (folder, &m, NULL))
    film_manifest_write (folder, &(FilmManifest){ .state = FILM_NONE }, NULL);
  film_manifest_clear (&m);
}

static void
document_film_choose (ScopeDocument *d, bool now)
{
  uint64_t trace, plan;
  g_autoptr (GError) error = NULL;

  stop_shooting (d);
  g_clear_pointer (&d->film, g_free);
  g_clear_pointer (&d->overview, film_overview_free);
  d->film = film_folder (d->session, &trace, &plan, &error);
  d->plan_identity = d->film ? plan : film_plan_identity (d->session);
  d->plan_hash = eve_program_plan_hash (d->session->program);
  d->film_state = FILM_NONE;
  d->film_share = 0;
  d->film_mends = d->film_restarts = 0;
  if (d->film)
    d->trace_identity = trace;
  if (d->film && g_mkdir_with_parents (d->film, 0700) != 0) {
    g_autofree char *home = film_home ();
    g_set_error (&error, FILM_ERROR, FILM_ERROR_IO, _ ("a folder in %s cannot be made: %s"), home, g_strerror (errno));
    g_clear_pointer (&d->film, g_free);
  }
  if (!d->film) {
    scope_document_say_about (d, "film", SCOPE_SAY_WARNING, _ ("No film can be shot: %s"), error->message);
    travel_use_film (d->travel, NULL, d->trace_identity, d->plan_identity);
    document_tell (d, DOC_FILM);
    return;
  }
  mend_manifest (d->film);
  travel_use_film (d->travel, d->film, trace, plan);
  document_film_look (d);
  document_tell (d, DOC_FILM);
  if (now && d->film_state != FILM_COMPLETE)
    document_film_start (d);
  else if (d->film_state == FILM_COMPLETE) {
    scope_document_unsay (d, "film"); /* what was said was of another program */
    document_film_look_for_damage (d);
  }
}

static gboolean
document_film_on_due (gpointer data)
{
  ScopeDocument *d = data;

  d->film_due = 0;
  if (d->film && d->film_state != FILM_COMPLETE && !d->shooting)
    document_film_start (d);
  return G_SOURCE_REMOVE;
}

#define MANY_TASKS 20000 /* to find which of them do much the same takes a tenth of a second, or more */

static void
on_groups (void *document)
{
  document_tell (document, DOC_LOOK);
}

void
document_film_begin (ScopeDocument *d)
{
  g_autofree char *home = film_home ();

  session_cut_in_background (d->session, MANY_TASKS, on_groups, d);
  document_film_choose (d, true);
  document_trust_look (d);
  film_evict (home, d->film, HOME_MOST_BYTES, HOME_MOST_AGE_S);
}

void
document_film_end (ScopeDocument *d)
{
  g_clear_pointer (&d->story_film, story_film_free);
  g_clear_pointer (&d->film_tasks, g_hash_table_unref);
  stop_shooting (d);
  if (d->film_due)
    g_source_remove (d->film_due);
  if (d->film_mend)
    g_source_remove (d->film_mend);
  d->film_due = d->film_mend = 0;
  g_clear_pointer (&d->film, g_free);
  g_clear_pointer (&d->film_problem, g_free);
  g_clear_pointer (&d->overview, film_overview_free);
  d->film_state = FILM_NONE;
  d->film_share = 0;
}

void
document_film_edited (ScopeDocument *d)
{
  if (eve_program_plan_hash (d->session->program) == d->plan_hash)
    return; /* boxes were moved, notes written */
  document_film_choose (d, false);
  document_trust_look (d);
  document_time_outdated (d);
  if (d->film_due)
    g_source_remove (d->film_due);
  d->film_due = g_timeout_add (DUE_MS, document_film_on_due, d);
}

void
scope_document_reshoot (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;

  if (!d->film)
    return;
  stop_shooting (d);
  if (!film_wipe (d->film, &error))
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", error->message);
  g_clear_pointer (&d->overview, film_overview_free);
  document_film_start (d);
}

const char *
scope_document_film (ScopeDocument *d)
{
  return d->film_state == FILM_NONE ? NULL : d->film;
}

FilmState
scope_document_film_state (ScopeDocument *d, double *share)
{
  if (share)
    *share = d->film_share;
  return d->film_state;
}

const char *
scope_document_film_problem (ScopeDocument *d)
{
  return d->film_problem;
}

const FilmOverview *
scope_document_overview (ScopeDocument *d)
{
  return d->overview;
}
