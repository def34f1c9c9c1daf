/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - groups of tasks in the window: which hierarchy all views share, opening and closing from any of them.  The
 * cut is a note of the program, so each step is an edit that can be undone. */
#pragma once
#include "panes/picture.h"

/* Of the trace of a picture; "" and NULL: there are none. */
const char *pane_groups_hierarchy (ScopePicture *p);
/* Whether the trace tells that of its tasks; of what is known only when the film is whole, true until then. */
bool pane_groups_told (ScopePicture *p, const char *hierarchy);
/* Shows tasks by a hierarchy of views/groups.h, all closed; "": each alone. */
void pane_groups_by (ScopePicture *p, const char *hierarchy);
/* What a double click does: opens the closed group that an item stands for, or closes the open one.  False: it stands
 * for none. */
bool pane_groups_turn (ScopePicture *p, const ViewItem *item);
/* Whether by a setting a view sorts its rows in groups that it alone has. */
bool pane_groups_is_own (const EveField *f);
/* The group that an item is of (NULL: the tasks that are selected), to be opened, or closed: of a task the one that it
 * is shown in.  "rack3 / node7", g_free; NULL: there is none. */
char *pane_groups_meant (ScopePicture *p, const ViewItem *item, bool open);
/* The group of that path; nothing if there is none. */
void pane_groups_open_path (ScopePicture *p, const char *path, bool open);
void pane_groups_open (ScopePicture *p, const ViewItem *item, bool open);
/* All that can be seen and are closed, or the innermost that are open. */
void pane_groups_evenly (ScopePicture *p, bool open);
/* As many parts as have room in the picture, opened where least is lost. */
void pane_groups_best (ScopePicture *p);
/* The selected tasks become a group made by hand, by which tasks are then shown. */
void pane_groups_make (ScopePicture *p);
bool pane_groups_can_make (ScopePicture *p);
/* Says what of the cut is not there, or takes that from sight. */
void pane_groups_tell (ScopePicture *p);
/* pin.c: whether a task can be pinned in the view, so that its row is always seen, and is (main thread); pins it, or no
 * longer: an edit. */
bool pane_pins (ScopePicture *p, TraceRef what, bool *pinned);
void pane_pin (ScopePicture *p, TraceRef what);
