/* SPDX-License-Identifier: Apache-2.0 */
/* focus.c - a widget that was never shown gets no focus. */
#include "focus.h"

/* Before it asks, GTK has told all that is around the old widget that it has the focus no longer.  Were nothing given
 * then, nothing would tell the window when the old widget is gone, and the next key would go to what is freed.  So the
 * focus is taken away, and given back the usual way. */
gboolean
focus_refused (GtkWindow *window, GtkWidget *focus, GtkWindowClass *parent)
{
  if (!focus || !gtk_widget_get_mapped (GTK_WIDGET (window)) || gtk_widget_get_realized (focus))
    return FALSE;
  GtkWidget *old = gtk_window_get_focus (window);
  g_autoptr (GtkWidget) held = old ? g_object_ref (old) : NULL;

  parent->set_focus (window, NULL);
  if (held && gtk_widget_get_realized (held))
    gtk_widget_grab_focus (held);
  return TRUE;
}
