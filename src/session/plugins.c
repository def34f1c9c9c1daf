/* SPDX-License-Identifier: Apache-2.0 */
#include "session/plugins.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "config.h"
#include "session/guard.h"
#include "session/places.h"
#include "eve/disk.h"

#define GROUP "component"
#define PATIENCE_S 8 /* that a function of an object that is tried may take */

/* ---- what is known of an object ------------------------------------------------------------------------------------ */

/* Of its bytes, and its date; NULL: it cannot be read. */
static char *
checksum (const char *path, gint64 *date)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guchar bytes[64 * 1024];
  struct stat st;
  ssize_t n = -1;
  int fd = disk_open (path, NULL, DISK_DATA, NULL, NULL);

  if (fd >= 0 && fstat (fd, &st) == 0)
    while ((n = read (fd, bytes, sizeof bytes)) > 0)
      g_checksum_update (sum, bytes, n);
  if (fd >= 0)
    close (fd);
  if (n < 0)
    return NULL;
  if (date)
    *date = (gint64) st.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + st.st_mtim.tv_nsec;
  return g_strdup (g_checksum_get_string (sum));
}

static char *
plugins_place_of (const char *sum)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", "components", sum, NULL);
}

static GKeyFile *
plugins_known (const char *sum)
{
  g_autofree char *path = plugins_place_of (sum);
  GKeyFile *file = g_key_file_new ();

  disk_read_keys (file, path, G_KEY_FILE_NONE); /* damaged or not there: nothing is known */
  return file;
}

/* What cannot be kept is found out again. */
static void
plugins_keep (const char *sum, GKeyFile *file)
{
  g_autofree char *path = plugins_place_of (sum), *folder = g_path_get_dirname (path);

  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, path, NULL);
}

bool
plugins_from_elsewhere (const char *object)
{
  g_autofree char *ours = places_components (), *folder = object ? g_path_get_dirname (object) : NULL;
  g_autofree char *real = ours ? g_canonicalize_filename (ours, NULL) : NULL;

  return folder && g_strcmp0 (folder, real) != 0;
}

void
plugins_note_fault (const char *object, const char *sentence)
{
  g_autofree char *sum = plugins_from_elsewhere (object) ? checksum (object, NULL) : NULL;

  if (!sum)
    return;
  g_autoptr (GKeyFile) file = plugins_known (sum);
  g_key_file_set_string (file, GROUP, "fault", sentence);
  plugins_keep (sum, file);
}

char *
plugins_fault (const char *object)
{
  g_autofree char *sum = plugins_from_elsewhere (object) ? checksum (object, NULL) : NULL;

  if (!sum)
    return NULL;
  g_autoptr (GKeyFile) file = plugins_known (sum);
  return g_key_file_get_string (file, GROUP, "fault", NULL);
}

/* ---- trying -------------------------------------------------------------------------------------------------------- */

/* Its last line of standard error, without who says it. */
static char *
plugins_last_line (char *said, const char *path)
{
  g_strchomp (said);
  const char *line = strrchr (said, '\n');
  g_autofree char *head = g_strdup_printf ("scope: %s: ", path);

  line = line ? line + 1 : said;
  return g_strdup (g_str_has_prefix (line, head) ? line + strlen (head) : line);
}

/* In the child: a group of its own, so that whatever an object starts can be ended with it. */
static void
lead_a_group (gpointer unused)
{
  setpgid (0, 0);
}

/* Runs a command to its end and gives its wait status; -1: it cannot be started.  What it starts and leaves behind is
 * ended, and not waited for: its standard error goes to a file, for a pipe is open as long as anybody has it. */
static int
run_alone (const char *const *argv, char *const *env, char **said)
{
  int file = memfd_create ("scope-trial", MFD_CLOEXEC), status = -1;
  GPid child;

  if (file < 0
      || !g_spawn_async_with_fds (NULL, (char **) argv, (char **) env,
                                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, lead_a_group, NULL, &child,
                                  -1, -1, file, NULL)) {
    if (file >= 0)
      close (file);
    return -1;
  }
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  kill (-child, SIGKILL);
  char bytes[4096];
  struct stat st;
  uint64_t size = fstat (file, &st) == 0 ? (uint64_t) st.st_size : 0,
           from = size > sizeof bytes ? size - sizeof bytes : 0;
  ssize_t n = disk_pread (file, bytes, sizeof bytes, from);
  *said = g_strndup (bytes, n > 0 ? (gsize) n : 0);
  close (file);
  return status;
}

/* NULL: it lives.  Else what it did. */
static char *
plugins_try (const char *path)
{
  g_autofree char *scope = places_scope (), *said = NULL;
  const char *argv[] = { scope, "check", "--brief", path, NULL };
  g_autofree char *patience = g_strdup_printf ("%d", MIN (guard_patience_s (), PATIENCE_S));
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "SCOPE_PATIENCE", patience, TRUE);

  env = g_environ_unsetenv (g_environ_unsetenv (env, "SCOPE_PLUGIN_PATH"), "SCOPE_NO_GUARD");
  int status = scope ? run_alone (argv, env, &said) : -1;
  if (status == -1 || g_spawn_check_wait_status (status, NULL))
    return NULL; /* it lives; or it could not be tried, and is loaded as it is */
  g_autofree char *last = plugins_last_line (said, path);
  return *last ? g_steal_pointer (&last) : g_strdup (_ ("it ended the process without a word"));
}

static bool
may_load (const char *path, GError **error)
{
  gint64 date = 0;
  g_autofree char *sum = plugins_from_elsewhere (path) ? checksum (path, &date) : NULL;

  if (!sum)
    return true;
  g_autoptr (GKeyFile) file = plugins_known (sum);
  g_autofree char *tried = g_key_file_get_string (file, GROUP, "tried", NULL);
  g_autofree char *refused = g_key_file_get_string (file, GROUP, "refused", NULL);
  bool same_scope = g_strcmp0 (tried, SCOPE_VERSION) == 0;
  if (!same_scope || (refused && g_key_file_get_int64 (file, GROUP, "date", NULL) != date)) {
    g_clear_pointer (&refused, g_free);
    refused = plugins_try (path);
    g_key_file_set_string (file, GROUP, "tried", SCOPE_VERSION);
    g_key_file_set_int64 (file, GROUP, "date", date);
    if (refused)
      g_key_file_set_string (file, GROUP, "refused", refused);
    else
      g_key_file_remove_key (file, GROUP, "refused", NULL);
    plugins_keep (sum, file);
  }
  if (refused)
    g_set_error (error, EVE_ERROR, EVE_ERROR_PLUGIN,
                 _ ("%s is not loaded: when it was tried, %s; `scope check` on it tells more"), path, refused);
  return !refused;
}

void
plugins_guard (void)
{
  eve_registry_set_gate (may_load);
}

/* ---- programs ------------------------------------------------------------------------------------------------------ */

static const char *
plugins_object_of (EveComponent *c)
{
  return eve_is_ghost (c) ? NULL : eve_class_object (eve_class (c));
}

uint64_t
plugins_identity (const EveProgram *p)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  uint64_t identity = 0;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    const char *object = plugins_object_of (eve_component (p, i));
    if (!object || !g_hash_table_add (seen, (gpointer) object) || !plugins_from_elsewhere (object))
      continue;
    g_autofree char *sum = checksum (object, NULL), *first = sum ? g_strndup (sum, 16) : NULL;
    identity ^= first ? g_ascii_strtoull (first, NULL, 16) : 1; /* in whatever order the boxes are */
  }
  return identity;
}

char *
plugins_boxes (const EveProgram *p)
{
  GString *all = g_string_new (NULL);

  for (uint32_t i = 0; i < eve_n_components (p) && all->len < 200; ++i) {
    EveComponent *c = eve_component (p, i);
    if (plugins_from_elsewhere (plugins_object_of (c)))
      g_string_append_printf (all, "%s%s", all->len ? ", " : "", eve_name (c));
  }
  return g_string_free (all, FALSE);
}

EveComponent *
plugins_bad_box (const EveProgram *p, char **sentence)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal); /* objects that are good */

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const char *object = plugins_object_of (c);
    if (!object || !g_hash_table_add (seen, (gpointer) object))
      continue;
    char *fault = plugins_fault (object);
    if (fault) {
      if (sentence)
        *sentence = fault;
      else
        g_free (fault);
      return c;
    }
  }
  return NULL;
}
