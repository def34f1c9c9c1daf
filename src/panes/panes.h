/* SPDX-License-Identifier: Apache-2.0 */
/* panes.h - the views of the program in the window: panes that tile and detach, the legend, the attributes of what is
 * selected.  A pane knows a view by views/view.h alone.  Main thread.
 *
 * Actions that panes_add_actions() puts into the window ("win.NAME"); they act on the pane that had the focus last:
 *   view-fit                 F             all of it again
 *   view-zoom-in, -out       plus, minus   about the cursor, else about the middle
 *   view-rows-in, -out       Ctrl+plus, Ctrl+minus
 *   view-follow              (stateful)    the picture goes with the present; else it stays: browsing
 *   view-tool (s)            (stateful)    "inspect": a drag selects a range; "move": a drag moves what is shown
 *   view-maximise            Ctrl+M        (stateful) one pane takes the room of all
 *   view-detach              Ctrl+D        (stateful) into a window of its own, and back
 *   view-close               Ctrl+W
 *   view-next, view-previous F6, Shift+F6  the focus goes to another pane
 *   view-move (s)            "left", "right", "up", "down": beside the pane that is there
 *   view-find                Ctrl+F        searches the text, where a view has one
 *   view-find-next, -previous  Ctrl+G, Ctrl+Shift+G
 *   view-export              Ctrl+E        picture or table to a file;  view-print  Ctrl+P;  view-copy  Ctrl+Shift+C
 *   view-mark, view-go       a mark, or the present, at the pointer's instant
 *   view-menu                Shift+F10 in a pane
 *   show-view (s)            brings the view of this name to the front, opening its pane
 *   range-shown              R             selects the range of dates that the view shows
 *   range-zoom               Z             views show the selected range alone
 *   range-none                             selects no range
 *   legend-reset             colours as they came
 *   inspect-pin              P             an inspector that stays for what is selected, or no longer
 *   inspect-graph            Shift+P       the same for the state graph itself;  inspect-here: for what the menu is of
 */
#pragma once
#include "document/document.h"

GtkWidget *panes_new (ScopeDocument *d);
/* The part of time that views show, ticks; from > to: all of it. */
void panes_sight (GtkWidget *panes, int64_t *from, int64_t *to);
void panes_set_sight (GtkWidget *panes, int64_t from, int64_t to);
/* Who makes what a Panel (views/panel.h) of that name has in the window; its pane shows it over the picture. */
void panes_set_panel_maker (GtkWidget *(*make) (ScopeDocument *d, const char *name));
/* The menu that the view with the focus brings into the application's (thesis, 4.3.3): its settings that are choices or
 * are on or off, its commands, next and previous, groups, zoom, export.  It is filled anew when another view gets the
 * focus and when the program changes; then "brought" (const char *name of the view; NULL: there is none, and nothing in
 * it) is told.  Its items are actions "win.NAME", and of a group that whoever shows it inserts as "view". */
GMenuModel *panes_brought (GtkWidget *panes);
GActionGroup *panes_brought_actions (GtkWidget *panes);
/* A class of the style sheet that a widget has, or has not. */
void scope_set_style (GtkWidget *w, const char *name, bool on);
GtkWidget *legend_new (ScopeDocument *d);
/* Whether it is seen in the window of a widget, and lists the states of a graph (NULL: of none). */
bool legend_tells (ScopeDocument *d, GtkWidget *beside, const StateGraph *g);
GtkWidget *
associations_panel_new (ScopeDocument *d); /* which attributes are tied to what looks: a part of the legend */
GtkWidget *attributes_new (ScopeDocument *d);
GtkWidget *range_panel_new (ScopeDocument *d); /* the story of the range that is selected */
void panes_add_actions (GActionMap *window, GtkWidget *panes);
