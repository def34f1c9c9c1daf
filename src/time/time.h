/* SPDX-License-Identifier: Apache-2.0 */
/* time.h - time in the window: the bar with its ruler over the whole execution, marks, checkpoints.  Main thread.
 *
 * Actions that time_add_actions() puts into the window ("win.NAME"), with their keys:
 *   play-pause space       step-event period      back-event comma      step-date greater      back-date less
 *   go-first Home          go-last End            go-to g               stop                   back-task
 *   mark m: where there is one, it is edited    mark-at (sx): what it is of, when; it is edited
 *                          next-mark Ctrl+Right   previous-mark Ctrl+Left                      go-mark (s)
 *   save-state Ctrl+Alt+s    reshoot            speed (s): "full", "events 1000", "time 0.01"
 *   speed-own: asks for one                     executions: asks how they lie over each other
 *   record (s): a strategy of saving, "none", "default", ... */
#pragma once
#include "document/document.h"

GtkWidget *time_bar_new (ScopeDocument *d);
GtkWidget *time_ruler_new (ScopeDocument *d); /* part of the bar */
void time_ruler_set_low (GtkWidget *ruler, bool low);
void time_bar_add (GtkWidget *bar, GtkWidget *button);         /* right of what is said of the present */
void time_bar_set_room (GtkWidget *bar, bool low, bool tight); /* there is little height, or width */
GMenuModel *time_bar_menu (GtkWidget *bar); /* all that the bar does, also what it has no room for; the bar's own */
/* Where the flag of a date is, as far as it is in sight: else the end that it lies behind. */
void time_ruler_flag (GtkWidget *ruler, int64_t date, GdkRectangle *at);
/* mark-editor.c: name, date and notes of a mark, beside what is at that place of a widget, with its name selected. */
void mark_editor_open (ScopeDocument *d, GtkWidget *over, const GdkRectangle *at, GtkPositionType where,
                       const char *mark);
/* A mark that is called after what it is of ("fft 0: Busy"; NULL: "Mark 2"), with a number behind where there is one.
 * Its name, g_free; NULL: it was refused, which is said. */
char *mark_make (ScopeDocument *d, const char *what, int64_t date);
GtkWidget *marks_panel_new (ScopeDocument *d);
GtkWidget *checkpoints_panel_new (ScopeDocument *d);
GtkWidget *triggered_panel_new (ScopeDocument *d);
void time_add_actions (GActionMap *window, GtkWidget *time_bar);

/* "0.255 62 s", for lists and sentences: digits enough to tell events apart on the whole; g_free. */
char *time_text (ScopeDocument *d, int64_t date);
/* "0.255 624 81", all its digits and no unit, for fields: what is typed back is the same date; g_free. */
char *time_digits (ScopeDocument *d, int64_t date);
/* A date as a person types it: digits in groups, a comma or a point, a unit behind; whether it was one. */
bool time_typed (ScopeDocument *d, const char *text, int64_t *date);
/* Seconds, "@mark" or "#event", as typed.  False after a sentence in *why (g_free). */
bool time_go_to (ScopeDocument *d, const char *text, char **why);
/* Below an entry or a text view: marks whose names begin with what is typed there behind an @.  Both are in one window
 * and end together. */
GtkWidget *mark_offers_new (ScopeDocument *d, GtkWidget *field);
/* speed.c: the menu of speeds; asks for one's own over the button that has it; "1/50 real"; "time 0.02" (both g_free).
 */
GMenu *speed_menu (ScopeDocument *d);
void speed_ask (GtkWidget *button, GtkWidget *over); /* asks for one of one's own, beside `over` */
char *speed_label (ScopeDocument *d);
char *speed_target (ScopeDocument *d);
/* executions.c: the dialog that shifts the executions of a program against each other; a sentence where there is one
 * only.
 */
void executions_ask (ScopeDocument *d, GtkWindow *parent);
/* A label of its own kind, left or right aligned, ellipsized. */
GtkWidget *time_label (const char *class, float align);
