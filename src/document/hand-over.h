/* SPDX-License-Identifier: Apache-2.0 */
/* hand-over.h - data for other programs, by drag and drop or through the clipboard: a button that is dragged out of the
 * window, or pressed.  What is given is made when it is asked for.  Main thread. */
#pragma once
#include "document/document.h"

#define HAND_OVER_MOST (64 << 20) /* bytes of a datum */

/* The datum as one of the kinds that were offered ("image/png"); g_free.  NULL with an error: it cannot be had. */
typedef char *(*HandOverGive) (gpointer of, const char *kind, gsize *n, GError **error);

typedef struct HandOver {
  const char *const *kinds; /* MIME types, the best first, NULL at the end; static */
  HandOverGive give;
  /* The name of a file of it without its ending, g_free; a program that takes files gets one of the first kind. */
  char *(*name) (gpointer of);
  gpointer of; /* lives as long as the button */
} HandOver;

/* A small button; floating.  `tip` says what is given. */
GtkWidget *hand_over_new (ScopeDocument *d, const HandOver *h, const char *tip);
void hand_over_end (void); /* the process ends: the files that were given go */

/* What is selected: a line of CSV each, "kind,name,label", the name as files have it. */
char *selected_csv (ScopeDocument *d, gsize *n);
/* The same as names for a person, a line each. */
char *selected_text (ScopeDocument *d, gsize *n);
