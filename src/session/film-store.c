/* SPDX-License-Identifier: Apache-2.0 */
/* film-store.c - which film belongs to what, where films lie, and which have to go. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "config.h"
#include "film-code.h"
#include "eve/bytes.h"
#include "eve/words.h"
#include "session/contents.h"
#include "session/film.h"
#include "session/layers.h"
#include "session/places.h"
#include "session/plugins.h"
#include "eve/disk.h"
#include "readers/live.h"

#define FILM_VERSION 25
#define MANIFEST_MOST_BYTES DISK_MIB
#define MOST_FILES 100000 /* of a trace, */
#define MOST_LEVELS 8     /* in folders of folders */

/* ---- identities --------------------------------------------------------------------------------------------------- */

/* Of a name and a size alone if the bytes cannot be read: then nothing can be shown of it either. */
static void
hash_file (GChecksum *sum, const char *folder, const char *name, const struct stat *st)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *contents = contents_sum (path);
  g_autofree char *line = g_strdup_printf ("%s\n%" G_GINT64_FORMAT "\n%s\n", name, (gint64) st->st_size,
                                           contents ? contents : "");

  g_checksum_update (sum, (const guchar *) line, -1);
}

static int
film_store_by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static uint64_t
first_64_bits (GChecksum *sum)
{
  g_autofree char *first = g_strndup (g_checksum_get_string (sum), 16);

  return MAX (g_ascii_strtoull (first, NULL, 16), 1);
}

/* Names of files, below folders too: some formats have a folder of them. */
static bool
film_store_add_names (GPtrArray *to, const char *top, const char *below, int level, GError **error)
{
  g_autofree char *folder = g_build_filename (top, below, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);

  if (!dir)
    return false;
  for (const char *name; (name = g_dir_read_name (dir)) && to->len < MOST_FILES;) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat st;
    if (level < MOST_LEVELS && lstat (path, &st) == 0 && S_ISDIR (st.st_mode)) {
      g_autofree char *inner = g_build_filename (below, name, NULL);
      film_store_add_names (to, top, inner, level + 1, NULL);
    } else {
      g_ptr_array_add (to, g_build_filename (below, name, NULL));
    }
  }
  return true;
}

uint64_t
film_trace_identity (const char *bundle, const char *format, GError **error)
{
  TraceBundle *b = trace_bundle_open (bundle, error);

  if (!b)
    return 0;
  g_autofree char *data = trace_bundle_data (b, format), *folder = NULL;
  bool is_file = b->raw && g_file_test (data, G_FILE_TEST_IS_REGULAR);
  folder = is_file ? g_path_get_dirname (data) : g_strdup (data);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  trace_bundle_free (b);
  if (is_file)
    g_ptr_array_add (names, g_path_get_basename (data));
  else if (!film_store_add_names (names, folder, "", 0, error))
    return 0;
  g_ptr_array_sort (names, film_store_by_text);
  g_checksum_update (sum, (const guchar *) format, (gssize) strlen (format) + 1);
  for (guint i = 0; i < names->len; ++i) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    struct stat st;
    if (stat (path, &st) == 0 && S_ISREG (st.st_mode))
      hash_file (sum, folder, names->pdata[i], &st);
  }
  return first_64_bits (sum);
}

/* Of one that is followed, whose data are not what they will be: the folder, and who writes it since when. */
static uint64_t
growing_identity (const TraceSource *source, GError **error)
{
  TraceBundle *b = trace_bundle_open (source->path, error);
  struct stat st = { 0 };

  if (!b)
    return 0;
  g_autofree char *folder = trace_bundle_data (b, source->format->name), *who = NULL;
  trace_bundle_free (b);
  trace_writer (folder, &who);
  if (stat (folder, &st) != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s: %s", folder, g_strerror (errno));
    return 0;
  }
  uint64_t parts[] = { st.st_dev, st.st_ino, bytes_fnv (who, strlen (who)) };
  return MAX (bytes_fnv (parts, sizeof parts), 1);
}

static uint64_t
source_identity (const TraceSource *source, GError **error)
{
  return source->abilities & TRACE_LIVE ? growing_identity (source, error)
                                        : film_trace_identity (source->path, source->format->name, error);
}

uint64_t
film_traces_identity (Session *s, GError **error)
{
  bool follows = s->source && s->source->abilities & TRACE_LIVE && g_str_equal (s->source->path, s->trace);
  uint64_t identity = follows ? source_identity (s->source, error) : film_trace_identity (s->trace, s->format, error);

  for (guint i = 0; identity && i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    if (!source || g_str_equal (source->path, s->source->path))
      continue;
    uint64_t both[] = { identity, source_identity (source, error) };
    identity = both[1] ? MAX (bytes_fnv (both, sizeof both), 1) : 0;
  }
  return identity;
}

uint64_t
film_plan_identity (Session *s)
{
  uint64_t parts[] = { eve_program_plan_hash (s->program), plugins_identity (s->program),
                       layers_identity (s->program, true) };

  return MAX (bytes_fnv (parts, sizeof parts), 1);
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

char *
film_home (void)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", "films", NULL);
}

char *
film_own_folder (Session *s, uint64_t *trace, uint64_t *plan, GError **error)
{
  g_autofree char *home = film_home ();

  *trace = film_traces_identity (s, error);
  if (!*trace)
    return NULL;
  *plan = film_plan_identity (s);
  g_autofree char *name = g_strdup_printf ("%.60s-%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                                           s->source->name, *trace, *plan);
  return g_build_filename (home, name, NULL);
}

#define IDENTITIES 32 /* digits of trace and plan at the end of a folder's name */

void
film_each_beside (const char *folder, FilmEach each, void *arg)
{
  g_autofree char *home = g_path_get_dirname (folder), *own = g_path_get_basename (folder);
  size_t n = strlen (own);
  g_autoptr (GDir) dir = n > IDENTITIES ? g_dir_open (home, 0, NULL) : NULL;

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    const char *digits = name + n - IDENTITIES / 2;
    if (strlen (name) != n || memcmp (name, own, n - IDENTITIES / 2) != 0 || g_str_equal (name, own)
        || strspn (digits, "0123456789abcdef") != IDENTITIES / 2)
      continue;
    g_autofree char *path = g_build_filename (home, name, NULL);
    each (arg, path, g_ascii_strtoull (digits, NULL, 16));
  }
}

char *
film_folder_of (const char *folder, uint64_t plan)
{
  size_t n = strlen (folder), n_plan = IDENTITIES / 2;
  const char *name = strrchr (folder, G_DIR_SEPARATOR);

  name = name ? name + 1 : folder;
  if (strlen (name) <= IDENTITIES || strspn (folder + n - IDENTITIES, "0123456789abcdef") != IDENTITIES)
    return g_strdup (folder);
  return g_strdup_printf ("%.*s%016" G_GINT64_MODIFIER "x", (int) (n - n_plan), folder, plan);
}

/* ---- manifest ----------------------------------------------------------------------------------------------------- */

static const char *const states[] = { "none", "shooting", "complete", "stopped", "failed" };

void
film_manifest_clear (FilmManifest *m)
{
  g_free (m->bundle);
  g_free (m->format);
  g_free (m->program);
  g_free (m->said);
  g_free (m->fault);
  g_strfreev (m->files);
  memset (m, 0, sizeof *m);
}

static uint64_t
film_store_get_hex (GKeyFile *file, const char *key)
{
  g_autofree char *text = g_key_file_get_string (file, "film", key, NULL);

  return text ? g_ascii_strtoull (text, NULL, 16) : 0;
}

#define BEGINS "[film]\nversion="

/* The last line is the sum of those before it. */
#define SUM "sum=%016" G_GINT64_MODIFIER "x\n"
#define SUM_BYTES 21

static bool
film_store_is_sound (const char *text, gsize n)
{
  g_autofree char *sum = n > SUM_BYTES ? g_strdup_printf (SUM, bytes_fnv (text, n - SUM_BYTES)) : NULL;

  return sum && memcmp (text + n - SUM_BYTES, sum, SUM_BYTES) == 0;
}

bool
film_is_film (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "checkpoints", NULL);

  return checkpoints_of_film (path);
}

bool
film_has_manifest (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "manifest", NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
}

bool
film_manifest_read (const char *folder, FilmManifest *m, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "manifest", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  memset (m, 0, sizeof *m);
  m->date = INT64_MIN;
  g_autofree char *text = NULL;
  gsize n;
  if (!(text = disk_read (path, NULL, MANIFEST_MOST_BYTES, &n, error)))
    return false;
  if (!g_str_has_prefix (text, BEGINS)) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_FOREIGN, _ ("%s is not the manifest of a film"), path);
    return false;
  }
  bool sound = film_store_is_sound (text, n);
  /* one without a sum is of another version; of one with a wrong sum nothing is believed */
  m->torn = !sound
            && (strstr (text, "\nsum=") || !strstr (text, "\nsaid=")
                || !g_key_file_load_from_data (file, text, n, G_KEY_FILE_NONE, NULL)
                || g_key_file_get_integer (file, "film", "version", NULL) == FILM_VERSION);
  if (m->torn || !g_key_file_load_from_data (file, text, n, G_KEY_FILE_NONE, NULL))
    return true;
  g_autofree char *state = g_key_file_get_string (file, "film", "state", NULL);
  for (guint i = 0; state && i < G_N_ELEMENTS (states); ++i)
    if (g_str_equal (state, states[i]))
      m->state = (FilmState) i;
  /* of other readers or simulators: what is in it may be another now */
  m->other_build = g_key_file_get_integer (file, "film", "version", NULL) != FILM_VERSION
                   || film_store_get_hex (file, "code") != FILM_CODE;
  if (m->other_build)
    m->state = FILM_NONE;
  m->trace = film_store_get_hex (file, "trace");
  m->plan = film_store_get_hex (file, "plan");
  m->plugins = film_store_get_hex (file, "plugins");
  m->side = film_store_get_hex (file, "side");
  m->events = g_key_file_get_uint64 (file, "film", "events", NULL);
  m->n_events = g_key_file_get_uint64 (file, "film", "of", NULL);
  m->damaged = g_key_file_get_uint64 (file, "film", "damaged", NULL);
  m->date = g_key_file_get_int64 (file, "film", "date", NULL);
  m->bundle = g_key_file_get_string (file, "film", "bundle", NULL);
  m->format = g_key_file_get_string (file, "film", "format", NULL);
  m->program = g_key_file_get_string (file, "film", "program", NULL);
  m->said = g_key_file_get_string (file, "film", "said", NULL);
  m->fault = g_key_file_get_string (file, "film", "fault", NULL);
  m->files = g_key_file_get_string_list (file, "film", "files", NULL, NULL);
  return true;
}

bool
film_cannot (GError **error, const char *sentence, const char *path)
{
  g_set_error (error, FILM_ERROR, FILM_ERROR_IO, sentence, path, g_strerror (errno));
  return false;
}

bool
film_manifest_write (const char *folder, const FilmManifest *m, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "manifest", NULL);
  g_autofree char *code = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", FILM_CODE);
  g_autofree char *trace = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", m->trace);
  g_autofree char *plan = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", m->plan);
  g_autofree char *plugins = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", m->plugins);
  g_autofree char *side = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", m->side);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  gsize n;

  g_key_file_set_integer (file, "film", "version", FILM_VERSION);
  g_key_file_set_string (file, "film", "code", code);
  g_key_file_set_string (file, "film", "scope", SCOPE_VERSION);
  g_key_file_set_string (file, "film", "state", states[m->state]);
  g_key_file_set_string (file, "film", "trace", trace);
  g_key_file_set_string (file, "film", "plan", plan);
  g_key_file_set_string (file, "film", "plugins", plugins);
  g_key_file_set_string (file, "film", "side", side);
  g_key_file_set_string (file, "film", "bundle", m->bundle ? m->bundle : "");
  g_key_file_set_string (file, "film", "format", m->format ? m->format : "");
  g_key_file_set_string (file, "film", "program", m->program ? m->program : "");
  g_key_file_set_uint64 (file, "film", "events", m->events);
  g_key_file_set_uint64 (file, "film", "of", m->n_events);
  g_key_file_set_uint64 (file, "film", "damaged", m->damaged);
  g_key_file_set_int64 (file, "film", "date", m->date);
  g_key_file_set_string (file, "film", "said", m->said ? m->said : "");
  if (m->fault && *m->fault)
    g_key_file_set_string (file, "film", "fault", m->fault);
  if (m->state == FILM_COMPLETE || m->state == FILM_STOPPED) {
    g_auto (GStrv) files = film_list_files (folder);
    g_key_file_set_string_list (file, "film", "files", (const char *const *) files, g_strv_length (files));
  }
  g_autofree char *lines = g_key_file_to_data (file, &n, NULL);
  g_autofree char *text = g_strdup_printf ("%s" SUM, lines, bytes_fnv (lines, n));
  n = strlen (text);
  /* Whole or not at all; that it survives the power going off is not worth waiting for the disk: it can be shot again.
   */
  g_autofree char *making = g_build_filename (folder, FILM_MANIFEST_NEW, NULL);
  g_remove (making); /* of who was killed; a file that is there is not cut */
  if (!g_file_set_contents_full (making, text, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0666, error))
    return false;
  if (g_rename (making, path) == 0)
    return true;
  return film_cannot (error, _ ("%s cannot be written: %s"), path);
}

bool
film_write_program (const char *folder, EveProgram *p, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "program.eve", NULL), *text = eve_program_text (p);

  return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);
}

void
film_manifest_fail (const char *folder, const char *fault, const char *sentence)
{
  FilmManifest m = { 0 };

  if (film_manifest_read (folder, &m, NULL)) {
    m.state = FILM_FAILED;
    g_free (m.said);
    g_free (m.fault);
    m.said = g_strdup (sentence);
    m.fault = g_strdup (fault);
    film_manifest_write (folder, &m, NULL);
  }
  film_manifest_clear (&m);
}

void
film_remove_leftovers (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_equal (name, FILM_MANIFEST_NEW)
        || (g_str_has_prefix (name, "program.eve.") && strlen (name) == strlen ("program.eve.") + 6)) {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_remove (path);
    }
  if (dir)
    g_dir_close (dir);
}

char *
film_missing (const EveProgram *p)
{
  const GPtrArray *missing = eve_program_missing (p);
  GString *all = g_string_new (NULL);

  for (guint i = 0; missing && i < missing->len; ++i)
    g_string_append_printf (all, "%s%s", i ? " " : "", (char *) missing->pdata[i]);
  return g_string_free (all, FALSE);
}

bool
film_file_has (const char *folder, const char *name, uint64_t bytes)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  struct stat st;

  return stat (path, &st) == 0 && (uint64_t) st.st_size >= bytes;
}

/* ---- lock --------------------------------------------------------------------------------------------------------- */

int
film_lock (const char *folder, bool *busy, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);
  int fd;
  struct stat at_path, held;

  *busy = false;
  for (;;) {
    fd = disk_open_write (path, error);
    if (fd < 0)
      return -1;
    if (flock (fd, LOCK_EX | LOCK_NB) != 0)
      break;
    if (stat (path, &at_path) == 0 && fstat (fd, &held) == 0 && at_path.st_ino == held.st_ino)
      return fd;
    close (fd); /* the film was removed meanwhile, and perhaps begun anew */
  }
  *busy = errno == EWOULDBLOCK;
  g_set_error (error, FILM_ERROR, *busy ? FILM_ERROR_BUSY : FILM_ERROR_IO, "%s: %s", path,
               *busy ? _ ("another Scope is shooting this film") : g_strerror (errno));
  close (fd);
  return -1;
}

void
film_unlock (int lock)
{
  if (lock >= 0)
    close (lock); /* the file stays: removing it would let two in */
}

/* ---- room --------------------------------------------------------------------------------------------------------- */

uint64_t
film_bytes (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  uint64_t bytes = 0;
  struct stat one;

  if (!dir)
    return lstat (folder, &one) == 0 && S_ISREG (one.st_mode) ? (uint64_t) one.st_size : 0;
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat st;
    if (lstat (path, &st) == 0)
      bytes += S_ISDIR (st.st_mode) ? film_bytes (path) : MIN ((uint64_t) st.st_size, (uint64_t) st.st_blocks * 512);
  }
  g_dir_close (dir);
  return bytes;
}

uint64_t
film_trace_bytes (const TraceSource *source)
{
  TraceBundle *b = trace_bundle_open (source->path, NULL);
  g_autofree char *data = b ? trace_bundle_data (b, source->format->name) : NULL;

  if (b)
    trace_bundle_free (b);
  return data ? film_bytes (data) : 0;
}

void
film_touch (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);

  if (utimensat (AT_FDCWD, path, NULL, 0) != 0) {
  } /* a film that cannot be touched is the first to go */
}

static bool
is_spared (const char *name)
{
  return g_str_equal (name, "lock") || g_str_equal (name, FILM_BY_HAND);
}

bool
film_is_empty (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (!is_spared (name))
      return false;
  return true;
}

bool
film_is_at_home (const char *folder)
{
  g_autofree char *home = film_home (), *above = g_path_get_dirname (folder), *name = g_path_get_basename (folder);
  size_t n = strlen (name);
  struct stat st;

  return g_str_equal (above, home) && n > IDENTITIES && name[n - IDENTITIES - 1] == '-'
         && strspn (name + n - IDENTITIES, "0123456789abcdef") == IDENTITIES && lstat (folder, &st) == 0
         && S_ISDIR (st.st_mode);
}

/* What a film has written in it, or at home all that is in it.  The lock stays, for it may be held. */
static bool
wipe (const char *folder, const char *below, bool all, GError **error)
{
  g_autofree char *here = g_build_filename (folder, below, NULL);
  g_autoptr (GDir) dir = g_dir_open (here, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *file = *below ? g_strconcat (below, "/", name, NULL) : g_strdup (name),
                    *path = g_build_filename (folder, file, NULL);
    struct stat st;
    if ((!*below && (is_spared (name) || g_str_equal (name, "manifest"))) || lstat (path, &st) != 0)
      continue;
    if (all) {
      if (!places_remove (path, error))
        return false;
    } else if (film_has_folder (file) && S_ISDIR (st.st_mode)) {
      if (!wipe (folder, file, false, error))
        return false;
      g_rmdir (path); /* what somebody put there stays */
    } else if (film_has_file (file) && g_remove (path) != 0 && errno != ENOENT) {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), _ ("%s cannot be removed: %s"), path,
                   g_strerror (errno));
      return false;
    }
  }
  return true;
}

bool
film_may_begin (const char *folder, GError **error)
{
  g_autofree char *lock = g_build_filename (folder, "lock", NULL);

  if (g_file_test (lock, G_FILE_TEST_EXISTS) || film_has_manifest (folder) || film_is_film (folder)
      || film_is_empty (folder) || film_is_at_home (folder))
    return true;
  g_set_error (error, FILM_ERROR, FILM_ERROR_FOREIGN, _ ("%s holds other files and no film; choose an empty folder"),
               folder);
  return false;
}

bool
film_wipe (const char *folder, GError **error)
{
  FilmManifest m;
  bool is_film = film_manifest_read (folder, &m, NULL), at_home = film_is_at_home (folder);

  film_manifest_clear (&m);
  if (!at_home && !is_film && !film_is_film (folder) && !film_is_empty (folder)) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_FOREIGN, _ ("%s holds no film, so nothing is removed from it"), folder);
    return false;
  }
  /* The manifest goes last: a wipe that is cut off is still known as a film. */
  if (!wipe (folder, "", at_home, error))
    return false;
  g_autofree char *manifest = g_build_filename (folder, "manifest", NULL);
  g_remove (manifest);
  return true;
}

typedef struct Aged {
  char *folder;
  uint64_t bytes;
  int64_t used;
} Aged;

static int
film_store_by_use (gconstpointer a, gconstpointer b)
{
  const Aged *x = a, *y = b;

  return (x->used > y->used) - (x->used < y->used);
}

guint
film_evict (const char *home, const char *keep, uint64_t most_bytes, int64_t most_age_s)
{
  g_autoptr (GArray) films = g_array_new (FALSE, FALSE, sizeof (Aged));
  GDir *dir = g_dir_open (home, 0, NULL);
  uint64_t bytes = 0;
  guint removed = 0;
  int64_t now = g_get_real_time () / G_USEC_PER_SEC;

  if (!dir)
    return 0;
  for (const char *name; (name = g_dir_read_name (dir));) {
    Aged f = { .folder = g_build_filename (home, name, NULL) };
    g_autofree char *lock = g_build_filename (f.folder, "lock", NULL);
    struct stat st;
    /* a link is no film of this home: where it leads, nothing is removed */
    if (lstat (f.folder, &st) != 0 || !S_ISDIR (st.st_mode) || lstat (lock, &st) != 0 || !S_ISREG (st.st_mode)) {
      g_free (f.folder);
      continue;
    }
    f.used = MIN ((int64_t) st.st_mtim.tv_sec, now); /* a clock that was wrong makes no film live for ever */
    f.bytes = film_bytes (f.folder);
    bytes += f.bytes;
    g_array_append_val (films, f);
  }
  g_dir_close (dir);
  g_array_sort (films, film_store_by_use);
  for (guint i = 0; i < films->len; ++i) {
    Aged *f = &g_array_index (films, Aged, i);
    bool busy;
    int lock;
    if ((bytes > most_bytes || now - f->used > most_age_s) && g_strcmp0 (f->folder, keep) != 0
        && (lock = film_lock (f->folder, &busy, NULL)) >= 0) {
      if (film_wipe (f->folder, NULL)) {
        g_autofree char *path = g_build_filename (f->folder, "lock", NULL);
        g_remove (path);
        if (g_rmdir (f->folder) != 0) /* what a person saved is in it */
          bytes += film_bytes (f->folder);
        bytes -= f->bytes;
        ++removed;
      }
      film_unlock (lock);
    }
    g_free (f->folder);
  }
  return removed;
}
