/* SPDX-License-Identifier: Apache-2.0 */
/* inspector-private.h - what inspector*.c share. */
#pragma once
#include "editor/edits.h"
#include "editor/editor.h"

typedef struct Inspector {
  ScopeDocument *d;
  GtkWidget *content, *name, *status, *problem; /* the last three: NULL when not one box alone is shown */
  GPtrArray *rows;              /* of InspectorRow * */
  const EveClass *shown_class;
  guint shown;
  char *key;                    /* which boxes are shown */
  bool filling;                 /* widgets are set by the program: no edits */
} Inspector;

void inspector_focus (ScopeDocument *d, GtkWidget *from);
typedef struct InspectorRow InspectorRow;
GPtrArray *inspector_boxes (const Inspector *in);       /* of EveComponent *, transfer container */
/* Two lines of the grid from `line`: the setting, and what is wrong with what was typed.  g_free, after the widgets. */
InspectorRow *inspector_row_new (Inspector *in, const EveField *f, GtkGrid *grid, int line);
/* Shows the values as they are now, unless one is being typed. */
void inspector_row_show (InspectorRow *row);
