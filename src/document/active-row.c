/* SPDX-License-Identifier: Apache-2.0 */
#include "document/active-row.h"
#include <gtk/gtk-a11y.h>

typedef GtkListBoxRow ActiveRow;
typedef GtkListBoxRowClass ActiveRowClass;
typedef GtkListBoxRowAccessible ActiveRowAccessible;
typedef GtkListBoxRowAccessibleClass ActiveRowAccessibleClass;

static void action_iface (AtkActionIface *iface);
GType active_row_get_type (void);
GType active_row_accessible_get_type (void);
G_DEFINE_TYPE (ActiveRow, active_row, GTK_TYPE_LIST_BOX_ROW)
G_DEFINE_TYPE_WITH_CODE (ActiveRowAccessible, active_row_accessible, GTK_TYPE_LIST_BOX_ROW_ACCESSIBLE,
                         G_IMPLEMENT_INTERFACE (ATK_TYPE_ACTION, action_iface))

static int
n_actions (AtkAction *a)
{
  return 1;
}

static const char *
action_name (AtkAction *a, int i)
{
  return i == 0 ? "activate" : NULL;
}

/* Later: what it does may ask the person, and whoever tells it to waits for the answer here. */
static gboolean
active_row_activate (gpointer row)
{
  if (gtk_widget_get_mapped (row))
    gtk_widget_activate (row);
  return G_SOURCE_REMOVE;
}

static gboolean
do_action (AtkAction *a, int i)
{
  GtkWidget *row = gtk_accessible_get_widget (GTK_ACCESSIBLE (a));

  if (i != 0 || row == NULL || !gtk_widget_is_sensitive (row) || !gtk_widget_get_visible (row))
    return FALSE;
  g_idle_add_full (G_PRIORITY_DEFAULT, active_row_activate, g_object_ref (row), g_object_unref);
  return TRUE;
}

static void
action_iface (AtkActionIface *iface)
{
  iface->get_n_actions = n_actions;
  iface->get_name = action_name;
  iface->do_action = do_action;
}

static void
active_row_accessible_class_init (ActiveRowAccessibleClass *class)
{
}

static void
active_row_accessible_init (ActiveRowAccessible *a)
{
}

static void
active_row_class_init (ActiveRowClass *class)
{
  gtk_widget_class_set_accessible_type (GTK_WIDGET_CLASS (class), active_row_accessible_get_type ());
}

static void
active_row_init (ActiveRow *row)
{
}

GtkWidget *
active_row_new (void)
{
  return g_object_new (active_row_get_type (), NULL);
}

GdkEvent *
menu_event (GtkWidget *widget)
{
  GdkEvent *e = gtk_get_current_event ();
  GdkSeat *seat = gdk_display_get_default_seat (gtk_widget_get_display (widget));

  if (e != NULL && gdk_event_get_window (e) != NULL)
    return e;
  g_clear_pointer (&e, gdk_event_free);
  e = gdk_event_new (GDK_KEY_PRESS);
  e->key.window = g_object_ref (gtk_widget_get_window (gtk_widget_get_toplevel (widget)));
  e->key.time = GDK_CURRENT_TIME;
  e->key.keyval = GDK_KEY_Menu;
  GdkDevice *keyboard = seat != NULL ? gdk_seat_get_keyboard (seat) : NULL; /* a compositor may have none */
  if (keyboard != NULL)
    gdk_event_set_device (e, keyboard);
  return e;
}

void
menu_show (GtkWidget *menu, GtkWidget *owner, GtkWidget *at)
{
  GdkEvent *e = menu_event (at);

  gtk_menu_attach_to_widget (GTK_MENU (menu), owner, NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  gtk_widget_show_all (menu);
  if (e->type == GDK_BUTTON_PRESS)
    gtk_menu_popup_at_pointer (GTK_MENU (menu), e);
  else
    gtk_menu_popup_at_widget (GTK_MENU (menu), at, GDK_GRAVITY_SOUTH_WEST, GDK_GRAVITY_NORTH_WEST, e);
  gdk_event_free (e);
}
