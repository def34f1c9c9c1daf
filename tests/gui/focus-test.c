/* SPDX-License-Identifier: Apache-2.0 */
/* focus-test.c - a window that refuses the focus to what was never shown does not point at what is gone.
 *
 * Two fields that are shown, and one whose part of the window is not.  Prints a line for each of what is asked; ends
 * with 1 if one is not so. */
#include <stdio.h>
#include <string.h>
#include "window/focus.h"

typedef struct TestWindow {
  GtkWindow parent;
} TestWindow;
typedef struct TestWindowClass {
  GtkWindowClass parent;
} TestWindowClass;

GType test_window_get_type (void);
G_DEFINE_TYPE (TestWindow, test_window, GTK_TYPE_WINDOW)

static void
test_set_focus (GtkWindow *window, GtkWidget *focus)
{
  GtkWindowClass *parent = GTK_WINDOW_CLASS (test_window_parent_class);

  if (!focus_refused (window, focus, parent))
    parent->set_focus (window, focus);
}

static void
test_window_class_init (TestWindowClass *class)
{
  GTK_WINDOW_CLASS (class)->set_focus = test_set_focus;
}

static void
test_window_init (TestWindow *window)
{
}

static int failed;

static void
is_so (const char *what, gboolean so)
{
  printf ("%s %s\n", so ? "ok" : "not ok", what);
  failed += !so;
}

int
main (int argc, char **argv)
{
  gtk_init (&argc, &argv);
  GtkWindow *window = g_object_new (test_window_get_type (), NULL);
  GtkWidget *all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *shown = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *hidden = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *aside = gtk_entry_new ();
  GtkWidget *field = gtk_entry_new (), *other = gtk_entry_new ();

  gtk_container_add (GTK_CONTAINER (window), all);
  gtk_container_add (GTK_CONTAINER (all), shown);
  gtk_container_add (GTK_CONTAINER (all), hidden);
  gtk_container_add (GTK_CONTAINER (shown), field);
  gtk_container_add (GTK_CONTAINER (shown), other);
  gtk_container_add (GTK_CONTAINER (hidden), aside);
  gtk_widget_show (aside);
  gtk_widget_show_all (shown);
  gtk_widget_show (all);
  gtk_widget_show (GTK_WIDGET (window));
  while (gtk_events_pending ())
    gtk_main_iteration ();

  gtk_widget_grab_focus (other);
  is_so ("what is shown has the focus", gtk_window_get_focus (window) == other);
  gtk_widget_grab_focus (aside);
  is_so ("what was never shown does not get it", gtk_window_get_focus (window) == other);
  is_so ("what is around it knows of it", gtk_container_get_focus_child (GTK_CONTAINER (shown)) == other);
  gtk_widget_destroy (other);
  GtkWidget *now = gtk_window_get_focus (window);
  is_so ("when it is gone nothing points at it", now == NULL || now == field);
  gtk_widget_grab_focus (field);
  is_so ("another one takes the focus", gtk_window_get_focus (window) == field);
  gtk_widget_destroy (GTK_WIDGET (window));
  return failed > 0;
}
