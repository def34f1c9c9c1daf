/* SPDX-License-Identifier: Apache-2.0 */
/* editor.h - the program as boxes and wires (docs/canvas.md): canvas, library, inspector.  Each looks at the document
 * and changes the program through its edits alone.
 *
 * Actions of the canvas ("win.NAME"), with the keys that are proposed for them.  Keys in brackets are seen to by the
 * canvas while it has the focus, since they mean something else elsewhere: canvas-cut (<Control>x)        canvas-copy
 * (<Control>c)       canvas-paste (<Control>v)     canvas-duplicate <Control>d canvas-save-part canvas-delete (Delete)
 * canvas-select-all
 * (<Control>a) canvas-rename (F2)            canvas-add (Tab) canvas-group <Control>g        canvas-ungroup
 * <Control><Shift>g                             canvas-fold <Control>e canvas-take-out               out of the
 * sub-program that it is in canvas-frame <Control><Alt>f   canvas-fit (f)                 canvas-layout <Control>l
 * canvas-minimap canvas-zoom-in <Control>plus   canvas-zoom-out <Control>minus canvas-zoom-normal <Control>0
 *   canvas-align(s)                'left', 'right', 'top', 'bottom', 'row', 'column' ('row' and 'column' spread evenly
 * too) canvas-add-class(s)            adds a component by its id, where the pointer was last
 *   canvas-add-behind(s)            adds it to the box that alone is selected and gives what it takes, else as before
 *   canvas-show-box(s) selects
 * a box by its name and brings it into sight canvas-focus                   gives the canvas the focus and what the
 * canvas asks of the window, by actions that others add: inspect (Enter on a box: shows the inspector and gives it the
 * focus), help-class(s), play-pause (the space bar goes up without having panned). Alt with arrows, or [ and ], walk
 * from box to box, { and } from wire to wire; arrows alone move what is selected. */
#pragma once
#include "document/document.h"

GtkWidget *editor_canvas_new (ScopeDocument *d);
GtkWidget *editor_library_new (ScopeDocument *d);
GtkWidget *editor_shelf_new (ScopeDocument *d); /* below the library: what is wanted at hand */
GtkWidget *editor_inspector_new (ScopeDocument *d);
/* The controls and values of the boxes on a Panel, by its name (views/panel.h). */
GtkWidget *editor_panel_new (ScopeDocument *d, const char *name);
/* By which menus tell the key of an action ("win.canvas-off"); false: it has none. */
void editor_canvas_set_keys (GtkWidget *canvas, bool (*key_of) (const char *action, guint *key, GdkModifierType *mods));
/* `canvas` is what editor_canvas_new gave; the actions live as long as it does. */
void editor_add_actions (GActionMap *window, GtkWidget *canvas);
