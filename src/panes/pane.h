/* SPDX-License-Identifier: Apache-2.0 */
/* pane.h - a view in the window: its title with the tools, its picture, and a bar to search its text. */
#pragma once
#include "panes/picture.h"

#define SCOPE_TYPE_PANE (scope_pane_get_type ())
G_DECLARE_FINAL_TYPE (ScopePane, scope_pane, SCOPE, PANE, GtkBox)
/* Signals: "active" (the person turned to it), "detach", "menu" (GdkEvent *, or NULL), "changed" (what is kept with the
 * program), "title-drag" (int phase: 0 moved, 1 dropped, 2 given up; double x, y: px of the pane). */

GtkWidget *pane_new (ScopeDocument *d, EveComponent *c);
ScopePicture *pane_picture (ScopePane *p);
const char *pane_name (ScopePane *p);
/* Another object of the same name, or another name. */
void pane_set_component (ScopePane *p, EveComponent *c);
void pane_set_active (ScopePane *p, bool active);
void pane_set_detached (ScopePane *p, bool detached);
void pane_front (ScopePane *p); /* takes the focus, and shows that it is meant */
/* What of it is kept with the program. */
void pane_save (ScopePane *p, GKeyFile *to, const char *group, const char *prefix);
void pane_load (ScopePane *p, GKeyFile *from, const char *group, const char *prefix);

/* find.c: NULL for a view whose text cannot be searched. */
GtkWidget *find_bar_new (ScopePicture *picture);
void find_bar_open (GtkWidget *bar);
void find_bar_go (GtkWidget *bar, bool backward);
GtkWidget *pane_find_bar (ScopePane *p);

/* camera.c: the button that opens the panel of the camera of its view, which has one. */
GtkWidget *camera_button_new (ScopePane *p);

/* hand-over.c: what is dragged into other programs, and as the kinds that these take: "image/png", "image/svg+xml",
 * "text/csv", "text/plain"; g_free, NULL with an error. */
GtkWidget *picture_hand_over_new (ScopePicture *p);
char *panes_give (gpointer panes, const char *view, const char *kind, gsize *n, GError **error);
char *picture_give (gpointer picture, const char *kind, gsize *n, GError **error);

/* export.c: asks for a file and writes it; the clipboard; the printer. */
void export_ask (ScopePicture *p);
void export_copy (ScopePicture *p);
void export_print (ScopePicture *p);
