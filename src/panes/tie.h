/* SPDX-License-Identifier: Apache-2.0 */
/* tie.h - shapes and attributes that are dragged onto what is to look so: onto an object in a picture, for the view, or
 * onto a line of the legend, for all views.  What comes of it is a rule of the program, which can be undone.  Main
 * thread. */
#pragma once
#include "document/document.h"
#include "views/associations.h"

#define TIE_INFO 2 /* of the target, among those of a widget */
extern const GtkTargetEntry tie_target;

/* A row of shapes to be dragged. */
GtkWidget *tie_shapes_new (ScopeDocument *d);
/* A widget that an attribute is dragged from. */
void tie_make_source (GtkWidget *w, LookKind kind, const char *attribute);
/* What lay under the pointer: a value of an attribute (NULL: none), in the view of that name (NULL: in the legend). */
typedef struct TieOnto {
  const char *attribute, *value, *view;
} TieOnto;
/* A shape becomes that of the value; of an attribute it is asked, at x, y (px of the widget), what shows it. */
void tie_drop (ScopeDocument *d, GtkSelectionData *data, const TieOnto *onto, GtkWidget *over, int x, int y);
