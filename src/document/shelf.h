/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h - what a person wants at hand, of all programs and traces: components, parts and programs.  It is one list,
 * kept in a file of the person's data (a line each: the id of a class, or the path of a file), which all windows share
 * and watch.  Main thread. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

typedef enum ShelfKind { SHELF_CLASS, SHELF_PART, SHELF_PROGRAM } ShelfKind;
typedef struct ShelfItem {
  ShelfKind kind;
  char *what;        /* id of a class, or an absolute path */
  char *label, *doc; /* in the language of the person */
  bool gone;         /* no such class, no such file */
} ShelfItem;

#define SHELF_MOST 200 /* things on it */

char *shelf_file (void); /* g_free; it need not be there */
/* What lies on it, as the file says now, in its order; of ShelfItem *, unref it. */
GPtrArray *shelf_items (void);
/* Behind the others.  What is there stays where it is.  False with an error: it is full, cannot be kept, or this is
 * neither a class nor a file of a program. */
bool shelf_add (const char *what, GError **error);
bool shelf_remove (const char *what, GError **error);
/* Before the one that stands at `place` among the others. */
bool shelf_move (const char *what, guint place, GError **error);

/* What is dragged from library, shelf and lists of programs is this target: the id of a class, or the path of a part or
 * program. */
#define SHELF_DRAG "application/x-scope-component"
/* As the handler of "drag-begin": a label at the pointer. */
void shelf_drag_icon (GdkDragContext *context, const char *label);
/* Makes a widget a source: SHELF_DRAG within Scope, and of files a URI for others. */
void shelf_drag_from (GtkWidget *widget, const char *what, const char *label);
