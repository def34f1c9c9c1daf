/* SPDX-License-Identifier: Apache-2.0 */
/* inspector-private.h - what inspector*.c share. */
#pragma once
#include "document/edits.h"
#include "editor/editor.h"
#include "readers/box-inspector.h"

typedef struct Inspector {
  ScopeDocument *d;
  GtkWidget *content, *name, *status, *problem; /* the last three: NULL when not one box alone is shown */
  GtkWidget *first;               /* gets the keys when one asks for the inspector; NULL: nothing can be edited */
  GtkWidget *passed, *last, *pin; /* of a wire; NULL: none is shown */
  GtkWidget *comment, *colour;    /* of a frame; the same */
  char *part;                     /* which wire or frame is shown alone; NULL: none */
  GPtrArray *rows;                /* of InspectorRow * */
  const BoxInspector *own;        /* that the component brings; NULL: none */
  GPtrArray *own_rows;
  const EveClass *shown_class;
  guint shown;
  char *key;        /* which boxes are shown */
  const char *only; /* interned: a panel shows this box, whatever is selected; NULL: it is the inspector */
  bool filling;     /* widgets are set by the program: no edits */
  bool leaving;     /* the keys are on their way from one field to another */
  guint later;      /* shows what is selected once they are there; 0: it is shown */
} Inspector;

void inspector_focus (ScopeDocument *d, GtkWidget *from);
void inspector_focus_setting (ScopeDocument *d, const char *setting);
typedef struct InspectorRow InspectorRow;
GtkWidget *inspector_label (const char *text, const char *css_class, bool wrap);
void inspector_pack (Inspector *in, GtkWidget *w);
void inspector_tell (Inspector *in);              /* what it says of itself now */
GPtrArray *inspector_boxes (const Inspector *in); /* of EveComponent *, transfer container */
/* Two lines of the grid from `line`: the setting, and what is wrong with what was typed.  g_free, after the widgets.
 * `label`, `doc` NULL: those of the field; INSPECTOR_OFFERS: values may be offered for a text; INSPECTOR_SLIDES: it has
 * a slider, with the ends that inspector_row_bounds() says. */
typedef enum { INSPECTOR_TYPES, INSPECTOR_OFFERS, INSPECTOR_SLIDES } InspectorHow;
InspectorRow *inspector_row_new (Inspector *in, const EveField *f, const char *label, const char *doc, InspectorHow how,
                                 GtkGrid *grid, int line);
/* Its field gets the keys, at once or when it is there; false: it is of another setting. */
bool inspector_row_focus (InspectorRow *row, const char *setting);
const char *
inspector_row_focused (const InspectorRow *row); /* name of its setting, if its field has the keys; NULL: it has not */
/* The row is of this box alone, whatever is selected. */
void inspector_row_of (InspectorRow *row, const char *box);
/* Shows the values as they are now, unless one is being typed. */
void inspector_row_show (InspectorRow *row);
void inspector_row_enable (InspectorRow *row, bool visible, bool sensitive);
void inspector_row_bounds (InspectorRow *row, double from, double to, double step);
void inspector_row_offer (InspectorRow *row, const char *lines); /* values to choose from, a line each */

/* ---- inspector-part.c: wires and frames ------------------------------------------------------------------------------------- */
GPtrArray *inspector_parts (const Inspector *in); /* that are selected and there: of const char *, transfer container */
void inspector_add_part (Inspector *in, const char *part);
void inspector_add_parts (Inspector *in, const GPtrArray *parts);
void inspector_tell_part (Inspector *in); /* what passed, and what an edit has changed */

/* ---- inspector-own.c: of a component that brings its own ---------------------------------------------------------------------- */
void inspector_add_own (Inspector *in, const BoxInspector *own);
void inspector_add_settings (Inspector *in, const EveClass *k); /* of one that does not */
void inspector_tell_own (Inspector *in);                        /* live values, what can be used now */
