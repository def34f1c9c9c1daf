/* SPDX-License-Identifier: Apache-2.0 */
/* side.c - the right side: what is selected, the legend, marks and saved states, one below the other. */
#include "editor/editor.h"
#include "eve/words.h"
#include "panes/inspectors.h"
#include "panes/panes.h"
#include "time/time.h"
#include "window/window-private.h"

GtkWidget *
side_new (ScopeWindow *w)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scrolled = gtk_scrolled_window_new (NULL, NULL);
  GtkWidget *(*const parts[]) (ScopeDocument *) = { range_panel_new,     editor_inspector_new, attributes_new,
                                                    inspectors_new,      legend_new,           marks_panel_new,
                                                    triggered_panel_new, checkpoints_panel_new };

  for (guint i = 0; i < G_N_ELEMENTS (parts); ++i)
    gtk_container_add (GTK_CONTAINER (column), parts[i](w->doc));
  /* What is wider scrolls: the side has the width that the person gave it, whatever is selected. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scrolled), column);
  gtk_widget_set_size_request (scrolled, (int) (SIDE_PX * scope_text_scale ()), -1);
  gtk_style_context_add_class (gtk_widget_get_style_context (scrolled), "scope-side");
  atk_object_set_name (gtk_widget_get_accessible (scrolled), _ ("Inspector, legend and marks"));
  gtk_widget_show_all (scrolled);
  return scrolled;
}
