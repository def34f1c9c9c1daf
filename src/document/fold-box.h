/* SPDX-License-Identifier: Apache-2.0 */
/* fold-box.h - a row of widgets of which the less needed ones go where there is no room for all.
 *
 * A horizontal GtkBox (pack with gtk_box_pack_start and _end as usual).  Its minimum is that of what never goes; what
 * may go is not drawn, has no focus and is not told by assistive technology while there is no room.  Main thread. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

#define SCOPE_TYPE_FOLD_BOX (scope_fold_box_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFoldBox, scope_fold_box, SCOPE, FOLD_BOX, GtkBox)

GtkWidget *fold_box_new (int spacing);
/* The child goes before those of a higher order, with those of the same; 0: it never does. */
void fold_box_order (GtkWidget *child, int order);
/* Others go for as long as the child has less than so much, although it can do with its minimum. */
void fold_box_wish (GtkWidget *child, int px);
