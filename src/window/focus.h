/* SPDX-License-Identifier: Apache-2.0 */
/* focus.h - where keys go. */
#ifndef FOCUS_H
#define FOCUS_H
#include <gtk/gtk.h>

/* For a window's set_focus: whether `focus` was refused, as it was never shown, such as the program while views are
 * alone. There keys are no use: each of them would only be complained of.  The widget that has the focus keeps it then.
 * `parent`: the class whose set_focus gives the focus. */
gboolean focus_refused (GtkWindow *window, GtkWidget *focus, GtkWindowClass *parent);

#endif
