/* SPDX-License-Identifier: Apache-2.0 */
/* ruler.h - what ruler.c, the widget, shares with ruler-access.c, what assistive technology is told of it. */
#pragma once
#include <gtk/gtk-a11y.h>
#include "time/time.h"

#define SCOPE_TYPE_RULER (scope_ruler_get_type ())
G_DECLARE_FINAL_TYPE (ScopeRuler, scope_ruler, SCOPE, RULER, GtkDrawingArea)
struct _ScopeRuler {
  GtkDrawingArea parent;
  ScopeDocument *d;
  cairo_surface_t *picture; /* all but the cursor */
  bool dragging, low;
  double pointer_x;         /* < 0: not over it */
  int64_t from, to;         /* what is shown; from > to: all of it */
  int64_t meant;            /* the date at which a menu was opened */
  int64_t at;               /* the cursor, as it was told last */
  int64_t key_from, key_to; /* the present when a key took the cursor forward, and where to */
};

GType ruler_accessible_get_type (void);
void ruler_accessible_value (AtkValue *v, gdouble *seconds, gchar **text);
