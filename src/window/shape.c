/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include "time/time.h"
#include "window/window-private.h"

#define BOTH_PX 1000 /* as wide as a window must be for both sides, at the usual size of text */
#define ONE_PX 720
#define TIGHT_PX 560 /* the time bar says less: more than it takes at least otherwise, or no window would get there */
#define LOW_PX 700   /* below it the ruler is low too */

static void
shape_set_state (ScopeWindow *w, const char *action, bool on)
{
  GAction *a = g_action_map_lookup_action (G_ACTION_MAP (w), action);

  g_simple_action_set_state (G_SIMPLE_ACTION (a), g_variant_new_boolean (on));
}

/* A library beside a program that is folded away would be of no use. */
static bool
has_library (const ScopeWindow *w)
{
  const Layout *l = &w->layout;

  return (w->sides > 1 ? l->library : w->narrow_library) && !(l->folded && !l->program_only && !l->views_only);
}

bool
shape_has_side (const ScopeWindow *w)
{
  return w->sides > 1 ? w->layout.side : w->narrow_side;
}

bool
shape_has_canvas (const ScopeWindow *w)
{
  const Layout *l = &w->layout;

  return l->program_only || (!l->views_only && !l->folded);
}

void
shape_show (ScopeWindow *w)
{
  const Layout *l = &w->layout;

  gtk_widget_set_visible (w->library, has_library (w));
  gtk_widget_set_visible (w->side, shape_has_side (w));
  gtk_widget_set_visible (gtk_paned_get_child1 (GTK_PANED (w->middle)), shape_has_canvas (w));
  gtk_widget_set_visible (w->strip, !l->views_only && !shape_has_canvas (w));
  gtk_widget_set_visible (gtk_paned_get_child2 (GTK_PANED (w->middle)), !l->program_only);
  shape_set_state (w, "library", has_library (w));
  shape_set_state (w, "side", shape_has_side (w));
  shape_set_state (w, "program-only", l->program_only);
  shape_set_state (w, "views-only", l->views_only);
  shape_set_state (w, "program-folded", l->folded);
}

/* A pane's position counts from its left or upper edge, and has a meaning only once the pane has its size. */
static gboolean
place_dividers (gpointer window)
{
  ScopeWindow *w = window;
  const Layout *l = &w->layout;

  w->placing = 0;
  /* A pane that has just got its second part would move its divider by all that it has grown or shrunk since it had
   * one. */
  gtk_container_check_resize (GTK_CONTAINER (w));
  int width = gtk_widget_get_allocated_width (w->rest), height = gtk_widget_get_allocated_height (w->middle);
  w->placed = width > 1 && height > 1;
  gtk_paned_set_position (GTK_PANED (w->across), l->left);
  if (width > 1)
    gtk_paned_set_position (GTK_PANED (w->rest), MAX (width - l->right, width / 3));
  if (height > 1)
    gtk_paned_set_position (GTK_PANED (w->middle), (int) (height * CLAMP (l->top, 0.1, 0.9) + 0.5));
  return G_SOURCE_REMOVE;
}

void
shape_place_soon (ScopeWindow *w)
{
  if (!w->placing)
    w->placing = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, place_dividers, w, NULL); /* after sizes were given */
}

/* Until it was placed, a divider goes to where the contents are best shared, and would jump with each view that comes
 * or goes. */
void
shape_on_room (GtkWidget *middle, GdkRectangle *room, ScopeWindow *w)
{
  if (!w->placed && room->width > 1 && room->height > 1)
    shape_place_soon (w);
}

void
shape_read (ScopeWindow *w)
{
  Layout *l = &w->layout;
  int width = gtk_widget_get_allocated_width (w->rest), height = gtk_widget_get_allocated_height (w->middle);

  if (!gtk_window_is_maximized (GTK_WINDOW (w)) && !w->fullscreen)
    gtk_window_get_size (GTK_WINDOW (w), &l->width, &l->height);
  l->maximised = gtk_window_is_maximized (GTK_WINDOW (w));
  if (!scope_document_is_open (w->doc) || !w->placed || w->placing)
    return;
  if (has_library (w))
    l->left = gtk_paned_get_position (GTK_PANED (w->across));
  if (shape_has_side (w) && width > 1)
    l->right = width - gtk_paned_get_position (GTK_PANED (w->rest));
  if (!l->program_only && shape_has_canvas (w) && height > 1)
    l->top = (double) gtk_paned_get_position (GTK_PANED (w->middle)) / height;
}

void
shape_toggle (ScopeWindow *w, const char *place)
{
  Layout *l = &w->layout;

  shape_read (w);
  if (g_str_equal (place, "library") && l->folded && !l->program_only && !l->views_only) {
    l->folded = false;
    *(w->sides > 1 ? &l->library : &w->narrow_library) = true;
  } else if (g_str_equal (place, "library") && w->sides < 2) {
    w->narrow_library = !w->narrow_library;
    w->narrow_side = false;
  } else if (g_str_equal (place, "side") && w->sides < 2) {
    w->narrow_side = !w->narrow_side;
    w->narrow_library = false;
  } else if (g_str_equal (place, "library")) {
    l->library = !l->library;
  } else if (g_str_equal (place, "side")) {
    l->side = !l->side;
  } else if (g_str_equal (place, "program-only")) {
    l->program_only = !l->program_only;
    l->views_only = false;
  } else if (g_str_equal (place, "program-folded")) {
    l->folded = shape_has_canvas (w);
    l->program_only = l->views_only = false;
  } else {
    l->views_only = !l->views_only;
    l->program_only = false;
  }
  shape_show (w);
  shape_place_soon (w);
}

void
shape_unfold (ScopeWindow *w)
{
  if (!shape_has_canvas (w))
    shape_toggle (w, "program-folded");
}

/* The story of a range stands in the side: it must be seen when one is selected.  A side that is not there comes when
 * the pointer lets go, as it takes room of the view that is dragged in. */
void
shape_on_range (ScopeWindow *w)
{
  int64_t from, to;
  bool has = scope_document_range (w->doc, &from, &to);

  if (has && !shape_has_side (w) && scope_document_drags_range (w->doc))
    return;
  if (has && !w->has_range && !shape_has_side (w))
    shape_toggle (w, "side");
  if (has && !w->has_range)
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (w->side)), 0);
  w->has_range = has;
}

/* A narrower window has no sides: with them it would be too wide for half of a screen, which it is put into at once. */
void
shape_least_width (GtkWidget *window, int *least, int *natural)
{
  ScopeWindow *w = SCOPE_WINDOW (window);
  GtkWidget *const sides[] = { w->library, w->side };

  GTK_WIDGET_CLASS (g_type_class_peek (GTK_TYPE_APPLICATION_WINDOW))->get_preferred_width (window, least, natural);
  for (guint i = 0; i < G_N_ELEMENTS (sides); ++i)
    if (sides[i] && gtk_widget_get_visible (sides[i])) {
      int own;
      gtk_widget_get_preferred_width (sides[i], &own, NULL);
      *least = MAX (*least - own, 1);
    }
}

/* Later: sizes are being given. */
static gboolean
reshape (gpointer window)
{
  ScopeWindow *w = window;

  w->reshaping = 0;
  shape_show (w);
  shape_place_soon (w);
  return G_SOURCE_REMOVE;
}

void
shape_on_size (GtkWidget *window, GdkRectangle *room, ScopeWindow *w)
{
  double width = room->width / scope_text_scale (), height = room->height / scope_text_scale ();
  int sides = width >= BOTH_PX ? 2 : width >= ONE_PX ? 1 : 0;

  time_bar_set_room (w->time_bar, height < LOW_PX, width < TIGHT_PX);
  header_set_room (w->header, sides, width < TIGHT_PX);
  if (sides == w->sides || room->width <= 1)
    return;
  if (w->sides > 1 && scope_document_is_open (w->doc))
    shape_read (w);
  w->sides = sides;
  w->narrow_library = false;
  w->narrow_side = sides == 1 && w->layout.side;
  if (!w->reshaping)
    w->reshaping = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, reshape, w, NULL);
}

/* Before sizes are given, so that nothing gets less than it needs. */
gboolean
shape_on_configure (GtkWidget *window, GdkEventConfigure *event)
{
  ScopeWindow *w = SCOPE_WINDOW (window);

  if (w->side && event->width < gtk_widget_get_allocated_width (window)) {
    shape_on_size (window, &(GdkRectangle){ .width = event->width, .height = event->height }, w);
    if (w->reshaping) {
      g_clear_handle_id (&w->reshaping, g_source_remove);
      reshape (w);
    }
  }
  return GTK_WIDGET_CLASS (g_type_class_peek (GTK_TYPE_APPLICATION_WINDOW))->configure_event (window, event);
}
