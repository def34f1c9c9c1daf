/* SPDX-License-Identifier: Apache-2.0 */
/* pinch.c - a module for GTK (GTK_MODULES) that a test loads into the window: at SIGUSR1 two fingers part on a touchpad
 * where the pointer is, at SIGUSR2 they close.  No display without hardware can make such events; from GDK on they go
 * the way of real ones. */
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <signal.h>

G_MODULE_EXPORT void gtk_module_init (gint *argc, gchar ***argv);

static void
send (GdkWindow *window, GdkDevice *pointer, double x, double y, GdkTouchpadGesturePhase phase, double scale)
{
  GdkEvent *e = gdk_event_new (GDK_TOUCHPAD_PINCH);

  e->touchpad_pinch.window = g_object_ref (window);
  e->touchpad_pinch.phase = (gint8) phase;
  e->touchpad_pinch.n_fingers = 2;
  e->touchpad_pinch.time = (guint32) (g_get_monotonic_time () / 1000);
  e->touchpad_pinch.x = x;
  e->touchpad_pinch.y = y;
  e->touchpad_pinch.scale = scale;
  gdk_event_set_device (e, pointer);
  gdk_event_set_source_device (e, pointer);
  gtk_main_do_event (e);
  gdk_event_free (e);
}

static gboolean
on_signal (gpointer to)
{
  GdkDevice *pointer = gdk_seat_get_pointer (gdk_display_get_default_seat (gdk_display_get_default ()));
  double x, y, scale = *(const double *) to;
  GdkWindow *window = gdk_device_get_window_at_position_double (pointer, &x, &y);

  if (window == NULL)
    return G_SOURCE_CONTINUE;
  send (window, pointer, x, y, GDK_TOUCHPAD_GESTURE_PHASE_BEGIN, 1);
  for (int i = 1; i <= 4; i++)
    send (window, pointer, x, y, GDK_TOUCHPAD_GESTURE_PHASE_UPDATE, 1 + (scale - 1) * i / 4);
  send (window, pointer, x, y, GDK_TOUCHPAD_GESTURE_PHASE_END, scale);
  return G_SOURCE_CONTINUE;
}

void
gtk_module_init (gint *argc, gchar ***argv)
{
  static const double part = 2, close = 0.5;

  g_unix_signal_add (SIGUSR1, on_signal, (gpointer) &part);
  g_unix_signal_add (SIGUSR2, on_signal, (gpointer) &close);
}
