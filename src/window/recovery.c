/* SPDX-License-Identifier: Apache-2.0 */
/* What is edited is kept beside the program, at most AUTOSAVE_S seconds old, in XDG_STATE_HOME/scope/recovery: a key
 * file for each window that has unsaved changes.  Its lock tells whether the window still lives: the kernel lets go of
 * it however the process ended. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "window/window.h"
#include "eve/words.h"
#include "eve/disk.h"

#define AUTOSAVE_S 3
#define GROUP "recovery"

struct Recovery {
  ScopeDocument *doc;
  char *file;
  int lock; /* -1: none */
  guint due;
  bool told; /* that it cannot be written */
};

static char *
recovery_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "scope", "recovery", NULL);
}

/* ---- keeping ------------------------------------------------------------------------------------------------------------------ */

/* The lock is a file of its own, since the other is replaced each time. */
static bool
recovery_take_name (Recovery *r)
{
  g_autofree char *in = recovery_folder ();

  if (r->file)
    return true;
  g_mkdir_with_parents (in, 0700);
  for (int i = 0; i < 1000; ++i) {
    g_autofree char *file = g_strdup_printf ("%s/%d-%d", in, (int) getpid (), i);
    g_autofree char *path = g_strconcat (file, ".lock", NULL);
    int lock = disk_open_write (path, NULL);
    if (lock < 0)
      return false;
    if (flock (lock, LOCK_EX | LOCK_NB) == 0 && !g_file_test (file, G_FILE_TEST_EXISTS)) {
      r->file = g_steal_pointer (&file);
      r->lock = lock;
      return true;
    }
    close (lock);
  }
  errno = EEXIST;
  return false;
}

static void
recovery_forget (Recovery *r)
{
  g_clear_handle_id (&r->due, g_source_remove);
  if (!r->file)
    return;
  g_autofree char *lock = g_strconcat (r->file, ".lock", NULL);
  g_unlink (r->file);
  g_unlink (lock);
  close (r->lock);
  r->lock = -1;
  g_clear_pointer (&r->file, g_free);
}

static void
set_path (GKeyFile *f, const char *key, const char *path)
{
  if (path)
    g_key_file_set_string (f, GROUP, key, path);
}

static gboolean
recovery_keep (gpointer recovery)
{
  Recovery *r = recovery;
  g_autoptr (GKeyFile) f = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  r->due = 0;
  if (!scope_document_is_open (r->doc) || !scope_document_modified (r->doc))
    return G_SOURCE_REMOVE;
  EveProgram *p = scope_document_program (r->doc);
  TraceSource *source = scope_document_source (r->doc);
  g_autofree char *text = eve_program_text (p);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%A %H:%M");
  g_autofree char *title = g_strdup_printf (_ ("%s of %s, %s"),
                                            *eve_program_title (p) ? eve_program_title (p) : _ ("A program"),
                                            scope_document_title (r->doc), time);

  set_path (f, "trace", scope_document_trace (r->doc));
  set_path (f, "format", source ? source->format->name : NULL);
  set_path (f, "program", scope_document_program_path (r->doc));
  guint n_allowed;
  const char *const *allowed = eve_program_allowed (p, &n_allowed);
  if (n_allowed)
    g_key_file_set_string_list (f, GROUP, "allowed", allowed, n_allowed);
  g_key_file_set_string (f, GROUP, "title", title);
  g_key_file_set_string (f, GROUP, "text", text);
  g_key_file_set_uint64 (f, GROUP, "event", scope_document_event (r->doc));
  gsize n = 0;
  g_autofree char *data = g_key_file_to_data (f, &n, NULL);
  if (!recovery_take_name (r))
    g_set_error (&error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s", g_strerror (errno));
  else
    g_file_set_contents_full (r->file, data, (gssize) n, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                              0600, &error);
  if (error && !r->told) {
    r->told = true;
    scope_document_say_about (r->doc, "always", SCOPE_SAY_WARNING,
                              _ ("What is edited cannot be kept against a crash: %s"), error->message);
  }
  return G_SOURCE_REMOVE;
}

void
recovery_now (Recovery *r)
{
  g_clear_handle_id (&r->due, g_source_remove);
  recovery_keep (r);
}

static void
recovery_on_program (Recovery *r)
{
  if (!r->due && scope_document_is_open (r->doc) && scope_document_modified (r->doc))
    r->due = g_timeout_add_seconds (AUTOSAVE_S, recovery_keep, r);
}

/* The instant is kept with what is edited, once time rests. */
static void
recovery_on_time (Recovery *r)
{
  if (scope_document_mode (r->doc) == SCOPE_MODE_PAUSED)
    recovery_on_program (r);
}

static void
recovery_on_saved (Recovery *r)
{
  if (!scope_document_is_open (r->doc) || !scope_document_modified (r->doc))
    recovery_forget (r);
  else
    recovery_on_program (r);
}

static void
recovery_on_opened (Recovery *r)
{
  recovery_forget (r); /* the person was asked about what was open before */
  recovery_on_program (r);
}

Recovery *
recovery_new (ScopeDocument *d)
{
  Recovery *r = g_new0 (Recovery, 1);

  r->doc = g_object_ref (d);
  r->lock = -1;
  g_signal_connect_swapped (d, "program", G_CALLBACK (recovery_on_program), r);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (recovery_on_time), r);
  g_signal_connect_swapped (d, "time", G_CALLBACK (recovery_on_time), r);
  g_signal_connect_swapped (d, "saved", G_CALLBACK (recovery_on_saved), r);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (recovery_on_opened), r);
  return r;
}

void
recovery_free (Recovery *r)
{
  if (!r)
    return;
  g_signal_handlers_disconnect_by_data (r->doc, r);
  recovery_forget (r);
  g_object_unref (r->doc);
  g_free (r);
}

void
recovery_leave (Recovery *r)
{
  recovery_now (r);
  g_signal_handlers_disconnect_by_data (r->doc, r);
  g_clear_object (&r->doc); /* its lock goes with the process */
}

/* ---- recovering ---------------------------------------------------------------------------------------------------------------- */

/* NULL: it belongs to a window that lives, or cannot be read. */
static Recovered *
recovery_read_one (const char *file)
{
  g_autofree char *path = g_strconcat (file, ".lock", NULL);
  g_autoptr (GKeyFile) f = g_key_file_new ();
  int lock = disk_open_write (path, NULL);

  if (lock < 0)
    return NULL;
  if (flock (lock, LOCK_EX | LOCK_NB) != 0 || !disk_read_keys (f, file, G_KEY_FILE_NONE)) {
    close (lock);
    return NULL;
  }
  Recovered *r = g_new0 (Recovered, 1);
  r->file = g_strdup (file);
  r->lock = lock;
  r->trace = g_key_file_get_string (f, GROUP, "trace", NULL);
  r->format = g_key_file_get_string (f, GROUP, "format", NULL);
  r->program = g_key_file_get_string (f, GROUP, "program", NULL);
  r->text = g_key_file_get_string (f, GROUP, "text", NULL);
  r->title = g_key_file_get_string (f, GROUP, "title", NULL);
  r->event = g_key_file_get_uint64 (f, GROUP, "event", NULL);
  r->allowed = g_key_file_get_string_list (f, GROUP, "allowed", NULL, NULL);
  if (r->trace && r->text && r->title)
    return r;
  recovered_discard (r);
  recovered_free (r);
  return NULL;
}

GPtrArray *
recovery_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) recovered_free);
  g_autofree char *in = recovery_folder ();
  g_autoptr (GDir) dir = g_dir_open (in, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *file = g_build_filename (in, name, NULL);
    Recovered *r = strchr (name, '.') ? NULL : recovery_read_one (file);
    if (r)
      g_ptr_array_add (list, r);
  }
  return list;
}

void
recovered_discard (Recovered *r)
{
  g_autofree char *lock = g_strconcat (r->file, ".lock", NULL);

  g_unlink (r->file);
  g_unlink (lock);
}

void
recovered_free (Recovered *r)
{
  close (r->lock);
  g_free (r->trace);
  g_free (r->format);
  g_free (r->program);
  g_free (r->text);
  g_free (r->title);
  g_strfreev (r->allowed);
  g_free (r->file);
  g_free (r);
}
