/* SPDX-License-Identifier: Apache-2.0 */
/* scope-window - the window of Scope; `scope TRACE` starts it. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "eve/language.h"
#include "eve/words.h"
#include "session/contents.h"
#include "session/places.h"
#include "window/app.h"

/* GTK 3 asks for the keyboard of the seat wherever it looks at keys, and complains each time where a Wayland compositor
 * has no seat, as on a machine that has neither keyboard nor pointer.  It goes on as it should: only that is not told.
 */
static void
on_gdk_complaint (const char *domain, GLogLevelFlags level, const char *text, gpointer nothing)
{
  GdkDisplay *display = gdk_display_get_default ();

  if (display != NULL && gdk_display_get_default_seat (display) == NULL
      && (strstr (text, "GDK_IS_SEAT (seat)") != NULL || strstr (text, "GDK_IS_DEVICE (device)") != NULL))
    return;
  g_log_default_handler (domain, level, text, nothing);
}

int
main (int argc, char **argv)
{
  signal (SIGPIPE, SIG_IGN); /* who listened may be gone: a failed write, too */
  signal (SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, of which a sentence is said */
  setlocale (LC_ALL, "");
  gtk_disable_setlocale ();
  g_autofree char *words = places_words ();
  language_begin (words);
  g_set_prgname ("scope-window");
  if (argc > 1 && argv[argc - 1][0] != '-') /* another processor is at leisure while GTK begins */
    contents_sum_early (argv[argc - 1]);
  g_set_application_name ("Scope");
  g_log_set_handler ("Gdk", G_LOG_LEVEL_CRITICAL, on_gdk_complaint, NULL);
  /* Scenes are rendered off screen, without GTK.  GTK would load the drivers of OpenGL for nothing: a seventh of the
   * time that the window takes to start.  Programs that the window starts are not meant.
   */
  bool ours = g_getenv ("GDK_GL") == NULL;
  if (ours)
    g_setenv ("GDK_GL", "disable", TRUE);
  bool begun = gtk_init_check (&argc, &argv);
  if (ours)
    g_unsetenv ("GDK_GL");
  if (!begun) {
    const char *display = g_getenv ("DISPLAY");
    fprintf (stderr, _ ("scope: window: display \"%s\" cannot be opened\n"), display ? display : "");
    contents_sum_early_end ();
    return 1;
  }
  g_autoptr (ScopeApp) app = scope_app_new ();
  int status = g_application_run (G_APPLICATION (app), argc, argv);
  contents_sum_early_end (); /* as where another process has the window */
  return status;
}
