/* SPDX-License-Identifier: Apache-2.0 */
/* displays.h - displays by the names that people know them by: what docs/gallery.md shows, for the search. */
#pragma once
#include "window/window.h"

typedef struct Display {
  char *name, *tells; /* "Gantt"; what it tells, and from where people know it */
  char *program;      /* "views": a program on offer, without its ending */
  char *view;         /* the box in it */
  GStrv settings;     /* "Space-time.hide messages=true" */
  char *cut;          /* note of groups; NULL: as the program has them */
} Display;

/* All of the gallery, in its order; of Display *, owned by the list. */
GPtrArray *displays_read (void);
/* Its program is opened if another one is, its view gets the settings as an edit, and is shown. `path`: of the program.
 */
void displays_show (ScopeWindow *w, const Display *display, const char *path);
