/* SPDX-License-Identifier: Apache-2.0 */
/* displays.h - displays by the names that people know them by: what docs/gallery.md shows, for the search and for
 * adding a view. */
#pragma once
#include "readers/reader.h"
#include "session/places.h"
#include "window/window.h"

typedef struct Display {
  char *name, *tells; /* "Gantt"; what it tells, and from where people know it */
  char *program;      /* "views": a program on offer, without its ending */
  char *view;         /* the box in it */
  GStrv settings;     /* "Space-time.hide messages=true" */
  char *cut;          /* note of groups; NULL: as the program has them */
  char *picture;      /* name of a file in places_gallery(); NULL: none */
} Display;

/* All of the gallery, in its order; of Display *, owned by the list. */
GPtrArray *displays_read (void);
/* Which of the programs on offer has it; NULL: none. */
const PlacesProgram *displays_program (const Display *d, const GPtrArray *programs);
/* Of one that no program on offer for a format has: a sentence that tells what it would need, and whose traces tell
 * that; g_free. */
char *displays_why_not (const Display *d, const TraceFormat *format);
/* An edit: where the program at `path` is open its view gets the settings, else the view is added to the program that
 * is open, with what feeds it there; it is shown. */
void displays_show (ScopeWindow *w, const Display *display, const char *path);

/* gallery.c: shows them as cards with their pictures, and the one that is chosen. */
void gallery_ask (ScopeWindow *w);
