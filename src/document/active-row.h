/* SPDX-License-Identifier: Apache-2.0 */
/* active-row.h - what GTK lacks for those who use the window by a screen reader. */
#pragma once
#include <gtk/gtk.h>

/* A GtkListBoxRow that can be chosen: its own kind has no action to be told. */
GtkWidget *active_row_new (void);
/* For a menu that pops up over a widget: the event that is under way, else one as if a key had been pressed there,
 * since GTK complains of a menu that nobody has asked for.  gdk_event_free(). */
GdkEvent *menu_event (GtkWidget *widget);
/* Shows a menu, which it owns from now on: at the pointer where a button asked for it, else below `at`.  It belongs to
 * `owner`, which may be the same, and goes with it. */
void menu_show (GtkWidget *menu, GtkWidget *owner, GtkWidget *at);
