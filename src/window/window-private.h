/* SPDX-License-Identifier: Apache-2.0 */
/* window-private.h - what window.c shares with the other files of the window. */
#pragma once
#include "window/window.h"

/* What was asked for while the document was busy; freed by wanted_free(). */
typedef struct Wanted {
  char *trace; /* NULL: that which is open then */
  char **more;
  char *format, *program;
} Wanted;

struct _ScopeWindow {
  GtkApplicationWindow parent;
  ScopeDocument *doc;
  GtkWidget *header, *stack, *time_bar, *messages, *busy, *palette;
  GtkWidget *library, *canvas, *panes, *side; /* the places */
  GtkWidget *strip;                           /* in the place of the canvas, while that is folded */
  GtkWidget *across, *rest, *middle;          /* library | (middle | side); program over views */
  Layout layout;
  int sides;                        /* for how many of library and inspector there is room */
  bool narrow_library, narrow_side; /* which of them is seen while there is not for both */
  Recovery *recovery;
  Wanted *wanted; /* opened as soon as nothing is under way; NULL: nothing */
  guint opening;
  guint reshaping;
  guint placing;    /* the dividers will be placed */
  bool placed;      /* they were, with the room known */
  bool by_keyboard; /* the focus was moved by a key */
  bool fullscreen;
  bool has_range; /* one is selected */
  char *paced;    /* the trace that the speed was chosen for */
};

/* ways.c: from one program or trace to another, and back. */
bool ways_may_leave (ScopeWindow *w); /* false: the person wants to stay */
/* Another trace is opened, with no program said: what was changed and is not saved comes along if the format is the
 * same, and can where reader and simulator can be exchanged. */
typedef enum WaysAlong {
  WAYS_WENT,  /* it came along, and the trace is open; or could not be opened, which is told */
  WAYS_LEAVE, /* nothing is in the way of opening the trace as ever */
  WAYS_STAY   /* the person wants to stay */
} WaysAlong;
WaysAlong ways_go_along (ScopeWindow *w, const char *trace, const char *format);
/* As scope_document_open(); what goes wrong is said.  False: nothing was opened. */
bool ways_open (ScopeWindow *w, const char *trace, const char *const *more, const char *format, const char *program,
                const char *text);
/* The person's own program that is open, and in *text how it is now; g_free both.  NULL: it is none. */
char *ways_leave (ScopeWindow *w, char **text);
/* A message offers the program, as `text` has it if there is one, for the trace that is open, which is of another
 * format: with other readers and simulators. */
void ways_offer (ScopeWindow *w, const char *program, const char *text);
/* Another program for the trace that is open, found among other things: told, with the way back. */
void ways_use (GSimpleAction *action, GVariant *program, gpointer window);
void ways_exchange (GSimpleAction *action, GVariant *none, gpointer window); /* what was offered is done */
void ways_go_back (GSimpleAction *action, GVariant *none, gpointer window);  /* to what it was done in the place of */

/* shape.c: which places of the window are seen, and how large.  Of library and inspector only so many are seen as there
 * is room for: in a narrow window one of them, in a very narrow one none until it is asked for. */
void shape_show (ScopeWindow *w); /* what is to be seen; sizes are left as they are */
void shape_place_soon (ScopeWindow *w);
void shape_read (ScopeWindow *w);
/* "library", "side", "program-only", "views-only", "program-folded" */
void shape_toggle (ScopeWindow *w, const char *place);
bool shape_has_canvas (const ScopeWindow *w);
void shape_unfold (ScopeWindow *w); /* the program is to be worked at */
bool shape_has_side (const ScopeWindow *w);
void shape_on_range (ScopeWindow *w);
void shape_on_room (GtkWidget *middle, GdkRectangle *room, ScopeWindow *w);
#define SIDE_PX 250 /* the right side at least, at the usual size of text */
GtkWidget *side_new (ScopeWindow *w);
/* strip.c: the program in one line */
GtkWidget *strip_new (ScopeWindow *w);
GtkWidget *strip_canvas (GtkWidget *canvas); /* with a button in its corner that folds it */
void strip_watch (ScopeWindow *w);           /* after all actions are there: those of the canvas unfold it */
void shape_on_size (GtkWidget *window, GdkRectangle *room, ScopeWindow *w);
void shape_least_width (GtkWidget *window, int *least, int *natural); /* its get_preferred_width */
gboolean shape_on_configure (GtkWidget *window, GdkEventConfigure *event);
