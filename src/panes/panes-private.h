/* SPDX-License-Identifier: Apache-2.0 */
/* panes-private.h - what panes.c (which views are open, and where) shares with panes-actions.c (what can be done to
 * them). */
#pragma once
#include "document/near.h"
#include "panes/pane.h"
#include "panes/tiling.h"

#define SCOPE_TYPE_PANES (scope_panes_get_type ())
G_DECLARE_FINAL_TYPE (ScopePanes, scope_panes, SCOPE, PANES, GtkOverlay)

typedef struct PanePlace PanePlace;

struct _ScopePanes {
  GtkOverlay parent;
  ScopeDocument *d;
  GtkWidget *stage, *empty, *target; /* tiles; what is said without views; where a dragged pane would come */
  GPtrArray *panes;                  /* of ScopePane *, owned, tiled or detached */
  Tile *root;
  ScopePane *active, *maximised; /* NULL: none */
  GHashTable *closed;            /* names of views whose pane was closed */
  GPtrArray *places;             /* of PanePlace *: of those that went, the last one last */
  GPtrArray *actions;            /* of GSimpleAction * */
  GtkWidget *menu;
  GMenu *brought;                   /* into the application's menu by the view with the focus; empty: there is none */
  GSimpleActionGroup *view_actions; /* its settings and commands */
  DrawingTag number;                /* at which it was opened */
  const char *coloured[2];          /* the attribute and its value whose colour is there; NULL: nobody's */
  ScopeHere here;                   /* what is there */
  char *here_name;                  /* what a mark there would be called; NULL: after nothing */
  TraceRef meant;                   /* likewise */
  guint save_timer, align_idle;
  bool loading;
  char *trace;        /* of which the views are, */
  PictureShown range; /* and what part of its time was looked at last; all of it: from > to */
  /* a drag of a title: onto whom, on which side (-1: change places) */
  ScopePane *drop_on;
  int drop_side;
  bool drop_outside;
};

ScopePane *panes_find (ScopePanes *panes, const char *name);
/* Opens the pane of a view, if it was closed, and gives it the focus. */
void panes_front (ScopePanes *panes, const char *name);
void panes_detach (ScopePanes *panes, ScopePane *p, bool detached);
bool panes_is_detached (ScopePanes *panes, ScopePane *p);
void panes_close (ScopePanes *panes, ScopePane *p);
void panes_maximise (ScopePanes *panes, ScopePane *p); /* NULL: all are seen again */
void panes_move (ScopePanes *panes, ScopePane *p, GtkPositionType side);
void panes_turn (ScopePanes *panes, int by); /* the focus to the next one */
void panes_save_later (ScopePanes *panes);
void panes_open_window (ScopePanes *panes, ScopePane *p, int width, int height);
/* places.c: a pane is about to go; one that was detached becomes a tile where it was one; a new one comes, where one of
 * its name was. */
void place_keep (ScopePanes *panes, ScopePane *p);
void place_tile (ScopePanes *panes, ScopePane *p);
void place_again (ScopePanes *panes, ScopePane *p);
/* False: no view of this name was there.  The ones of the highest order come back first. */
bool place_order (ScopePanes *panes, const char *name, guint *order);
void place_free (PanePlace *at);
/* align.c: keeps the plots of pictures that stand above each other, and are as wide, at one left. */
void align_follow (ScopePanes *panes, ScopePicture *picture);
/* panes-actions.c */
void panes_actions_init (ScopePanes *panes);
void panes_actions_update (ScopePanes *panes);                       /* states and what is possible */
void panes_show_dates (ScopePanes *panes, int64_t from, int64_t to); /* views with dates show that */
/* panes-menu.c */
void panes_popup (ScopePanes *panes, ScopePane *p, GdkEvent *e);
void panes_bring (ScopePanes *panes); /* another view has the focus, or it is another */
