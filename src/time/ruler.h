/* SPDX-License-Identifier: Apache-2.0 */
/* ruler.h - what ruler.c, the widget, shares with ruler-lanes.c, which draws what the executions did, and with
 * ruler-access.c, what assistive technology is told of it. */
#pragma once
#include <gtk/gtk-a11y.h>
#include "time/time.h"
#include "session/film.h"
#include "views/paint.h"

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

#define RULER_SIDE 18.0 /* px, left and right of what has dates */
double ruler_inner_width (ScopeRuler *r);
double ruler_x_of (ScopeRuler *r, int64_t date);
/* To what is in sight; false: nothing of it is. */
bool ruler_trim (ScopeRuler *r, double *x0, double *x1);

/* All that the trace tells of are things, which are in no state, whatever a simulator says. */
bool ruler_is_still (const TraceSource *source);
/* The executions of the overview from the top down, between y0 and y1; of one nothing more is said, of several their
 * names. */
void ruler_draw_lanes (ScopeRuler *r, cairo_t *cr, const ViewScene *scene, double y0, double y1);
/* What was in a bucket of the overview: states, or events where there are none. */
void ruler_tell_bucket (ScopeRuler *r, guint bucket, GString *text);

GType ruler_accessible_get_type (void);
void ruler_accessible_value (AtkValue *v, gdouble *seconds, gchar **text);
