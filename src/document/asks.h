/* SPDX-License-Identifier: Apache-2.0 */
/* asks.h - an outside tool gets data of an execution and answers with data (docs/programs.md#tools).  Main thread. */
#pragma once
#include "document/document.h"

/* What is asked, in the words of the order `ask` behind this word:
 *   [selection | table VIEW | picture VIEW] [into BOX] | COMMAND */
typedef struct Asked {
  enum { ASKED_NOTHING, ASKED_SELECTION, ASKED_TABLE, ASKED_PICTURE } what;
  char *view; /* NULL: none is needed */
  char *into; /* name of an Answer box; NULL: the first that there is, or a new one */
  char *command;
} Asked;
/* False with a sentence: it is none. */
bool asked_parse (const char *words, Asked *a, GError **error);
void asked_clear (Asked *a);

/* Starts the tool; nobody is asked any more.  What it answers comes later: names of tasks and links are selected, all
 * else is put into an Answer box as an edit.  One tool works at a time; what goes wrong is said. */
void asks_start (ScopeDocument *d, const char *words);
bool asks_works (ScopeDocument *d); /* a tool is at work */
/* How long a tool may work, in seconds: SCOPE_TOOL_SECONDS, else `usual`. */
guint asks_seconds (guint usual);
/* Of a launcher: what it starts is a process group of its own, so that what that starts can be ended with it. */
void asks_in_group (GSubprocessLauncher *launcher);

/* What of a view is given as "image/png" or "text/csv": by those who show views.  g_free; NULL with an error. */
typedef char *(*AsksGive) (gpointer of, const char *view, const char *kind, gsize *n, GError **error);
void asks_set_giver (ScopeDocument *d, AsksGive give, gpointer of);
