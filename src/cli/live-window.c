/* SPDX-License-Identifier: Apache-2.0 */
/* live-window.c - the window, which is a program of its own: where it is, and opened on a recording that grows. */
#include <errno.h>
#include <glib/gstdio.h>
#include <sys/wait.h>
#include "cli/live.h"

char *
cli_window_program (void)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL), *bin = exe ? g_path_get_dirname (exe) : NULL;
  g_autofree char *beside = bin ? g_build_filename (bin, "scope-window", NULL) : NULL;
  g_autofree char *moved = bin ? g_build_filename (bin, "..", "libexec", "scope", "scope-window", NULL) : NULL;
  const char *const places[] = { beside, moved, SCOPE_WINDOW_DIR "/scope-window" };

  for (guint i = 0; i < G_N_ELEMENTS (places); ++i)
    if (places[i] && g_file_test (places[i], G_FILE_TEST_IS_EXECUTABLE))
      return g_strdup (places[i]);
  return NULL;
}

bool
cli_has_display (void)
{
  const char *x11 = g_getenv ("DISPLAY"), *wayland = g_getenv ("WAYLAND_DISPLAY");

  return (x11 && *x11) || (wayland && *wayland);
}

/* A place for a recording that nobody has named: of its own, in the user's data; g_free. */
char *
live_window_bundle (const char *where)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d-%H%M%S"), *name = g_strdup (where);

  g_strcanon (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.", '-');
  g_autofree char *base = g_strdup_printf ("%.60s-%s.trace", name + strspn (name, "-."), date);
  return g_build_filename (g_get_user_data_dir (), "scope", "live", base, NULL);
}

GPid
live_window_open (const char *bundle, GError **error)
{
  g_autofree char *window = cli_window_program ();
  char *argv[] = { window, (char *) "--follow", (char *) bundle, NULL };
  GPid pid = 0;

  return g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, error) ? pid : 0;
}

bool
live_window_is_closed (GPid window)
{
  pid_t done = waitpid (window, NULL, WNOHANG);

  return done == window || (done < 0 && errno == ECHILD);
}
