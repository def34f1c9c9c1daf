/* SPDX-License-Identifier: Apache-2.0 */
/* app.h - the application: one process for all windows of a person, its settings, its windows.  Main thread. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

#define SCOPE_APP_ID "org.scope_trace.Scope"
#define SCOPE_TYPE_APP (scope_app_get_type ())
G_DECLARE_FINAL_TYPE (ScopeApp, scope_app, SCOPE, APP, GtkApplication)

ScopeApp *scope_app_new (void);

/* ---- preferences (XDG_CONFIG_HOME/scope/preferences) ------------------------------------------------------------- */
typedef enum { LOOK_SYSTEM, LOOK_LIGHT, LOOK_DARK } Look;
#define SPEED_WHOLE 3 /* the whole execution in some seconds, if it is not too large for that */
/* How large text is beside what the desktop asks for; rows, boxes and pictures follow it. */
typedef enum { TYPE_SMALL, TYPE_USUAL, TYPE_LARGE } TypeSize;
typedef struct Preferences {
  Look look;
  TypeSize type;
  int speed;             /* at the start: a ScopeSpeed or SPEED_WHOLE */
  double speed_value;    /* events a second, or seconds of the trace a second */
  char *strategy;        /* words of session/strategy.h */
  uint64_t memory_bytes; /* for states kept in memory */
  int unit;              /* of dates and durations: an AxisUnit */
  bool added_go;         /* on travel back boxes that were added since go; else they stay */
  bool toured;           /* the tour was taken or declined: it is not offered again */
} Preferences;

/* Of the process; never NULL. */
const Preferences *preferences (void);
void preferences_load (void);
void preferences_set_toured (void); /* and keeps it */
/* Shows the dialog over `parent`; what is chosen holds at once and is kept. */
void preferences_show (GtkWindow *parent);

/* ---- windows beside the main ones ------------------------------------------------------------------------------------- */
void window_closes_by_escape (GtkWidget *window); /* the key destroys it */

/* ---- dress.c: style sheets, sizes of icons ---------------------------------------------------------------------------- */
void dress_windows (void);

/* ---- look.c ---------------------------------------------------------------------------------------------------------- */
/* The look of all windows from now on; LOOK_SYSTEM follows the desktop. */
void look_choose (Look look);
void look_choose_type (TypeSize size);
