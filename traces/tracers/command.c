/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - what the commands share that run a program with a tracer's library preloaded. */
#include "command.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "eve/language.h"
#include "eve/number.h"
#include "eve/words.h"

/* The folder of the command itself; g_free. */
static char *
tracers_command_own_folder (void)
{
  char here[4096];
  ssize_t n = readlink ("/proc/self/exe", here, sizeof here - 1);

  here[n > 0 ? n : 0] = '\0';
  return g_path_get_dirname (here);
}

void
tape_command_begin (void)
{
  g_autofree char *folder = tracers_command_own_folder (),
                  *beside = g_build_filename (folder, "..", TAPE_LOCALE_REL, NULL);

  language_begin (g_str_has_prefix (folder, TAPE_BUILD "/") ? TAPE_BUILD "/po"
                  : access (beside, F_OK) == 0              ? beside
                                                            : TAPE_LOCALE);
}

void
tape_say (const char *fmt, ...)
{
  va_list ap;

  fprintf (stderr, "%s: ", tape_name);
  va_start (ap, fmt);
  vfprintf (stderr, fmt, ap);
  va_end (ap);
  fputc ('\n', stderr);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
char *
tape_number (const char *fmt, double value)
{
  return number_local (g_strdup_printf (fmt, value));
}
#pragma GCC diagnostic pop

void
tape_say_stopped (double after)
{
  g_autofree char *limit = tape_number ("%g", after);

  tape_say (_ ("stopped after %s s"), limit);
}

/* Takes away what a tracer itself has made: files, and folders up to `folders` levels below. */
void
tape_remove_folder (const char *path, int folders)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *one = g_build_filename (path, name, NULL);
    if (folders > 0 && g_file_test (one, G_FILE_TEST_IS_DIR) && !g_file_test (one, G_FILE_TEST_IS_SYMLINK))
      tape_remove_folder (one, folders - 1);
    else
      g_unlink (one);
  }
  g_rmdir (path);
}

static volatile sig_atomic_t interrupted;

static void
tracers_command_on_signal (int number)
{
  interrupted = number;
}

void
tape_catch_signals (void)
{
  struct sigaction act = { .sa_handler = tracers_command_on_signal };

  sigaction (SIGINT, &act, NULL);
  sigaction (SIGTERM, &act, NULL);
  sigaction (SIGHUP, &act, NULL);
}

/* In front of what a variable has. */
static void
put_before (const char *variable, const char *text)
{
  const char *before = getenv (variable);
  g_autofree char *all = before && *before ? g_strconcat (text, ":", before, NULL) : g_strdup (text);

  setenv (variable, all, 1);
}

void
tape_preload (const char *library)
{
  if (tape_is_preloaded_by_name (library)) {
    g_autofree char *folder = g_path_get_dirname (library), *name = g_path_get_basename (library);
    put_before ("LD_LIBRARY_PATH", folder);
    put_before ("LD_PRELOAD", name);
  } else {
    put_before ("LD_PRELOAD", library);
  }
}

bool
tape_is_preloaded_by_name (const char *library)
{
  return strchr (library, ' ') != NULL;
}

char *
tape_find_library (const char *name, const char *from_here, const char *installed)
{
  g_autofree char *folder = tracers_command_own_folder ();
  char *places[] = { g_build_filename (folder, name, NULL), g_build_filename (folder, "..", from_here, name, NULL),
                     g_build_filename (installed, name, NULL) };
  char *found = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS (places); i++) {
    if (!found && access (places[i], R_OK) == 0)
      found = g_strdup (places[i]);
    g_free (places[i]);
  }
  if (!found)
    tape_say (_ ("%s is not where it was installed: %s"), name, installed);
  if (found && strpbrk (found, ":;")) {
    tape_say (_ ("%s: a program cannot be told to load a library from a folder with “:” or “;” in its name; move it"),
              found);
    g_clear_pointer (&found, g_free);
  }
  return found;
}

int
tape_wait_for (pid_t pid, double timeout_s, void (*meanwhile) (void *), void *arg)
{
  gint64 until = timeout_s > 0 ? g_get_monotonic_time () + (gint64) (timeout_s * 1e6) : G_MAXINT64,
         kill_at = G_MAXINT64;
  bool timed_out = false;
  int status = 0;

  for (;;) {
    pid_t ended = waitpid (pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR))
      break;
    gint64 now = g_get_monotonic_time ();
    if ((now >= until || interrupted) && kill_at == G_MAXINT64) {
      timed_out = now >= until;
      kill (pid, interrupted ? interrupted : SIGTERM);
      kill_at = now + 5 * G_USEC_PER_SEC;
    } else if (now >= kill_at) {
      kill (pid, SIGKILL);
      kill_at = G_MAXINT64 - 1;
    }
    if (meanwhile)
      meanwhile (arg);
    g_usleep (10000);
  }
  if (timed_out) /* a program may have that exit status by itself */
    tape_say_stopped (timeout_s);
  return timed_out ? TAPE_TIMED_OUT : WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
}
