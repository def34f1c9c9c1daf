/* SPDX-License-Identifier: Apache-2.0 */
/* marks.h - named instants of an execution with notes (thesis, 3.3.3).  They lie in the bundle, as marks.xml, or for a
 * bundle that cannot be written in the user's data folder; docs/marks-format.md and schemas/marks.rng describe the
 * file.  Engine thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "readers/event.h"

#define MARKS_ERROR (g_quark_from_static_string ("scope-marks-error"))
enum { MARKS_ERROR_FILE, MARKS_ERROR_NAME, MARKS_ERROR_CHANGED };
#define MARK_NAME_BYTES 40 /* with the NUL: it fits a TraceCommand */

/* From where a view that has a camera is seen. */
typedef struct MarkPlace {
  char *view, *place; /* name of its box; text of its setting `camera` */
} MarkPlace;

typedef struct Mark {
  char *name;        /* unique in the trace */
  int64_t date;      /* ticks, shifted as the trace is; the file has those of the trace itself */
  char *notes;       /* with simple formatting; "" */
  GPtrArray *places; /* of MarkPlace *, a view once; who goes to the mark sees it from there.  NULL: it holds none */
} Mark;

typedef struct Marks {
  GPtrArray *list; /* of Mark *, by date, then by name */
  char *path;      /* of the file they came from, or will be saved to */
  bool beside;     /* that is not in the bundle */
  /* private */
  char *bundle, *read; /* checksum of what was read; NULL: there was no file */
  TraceClock clock;
} Marks;

/* The marks of a bundle; none if there is no file.  NULL and an error (file, line, what to do) if it cannot be
 * understood. */
Marks *marks_load (const char *bundle, const TraceClock *clock, GError **error);
void marks_free (Marks *m);
Mark *marks_find (const Marks *m, const char *name); /* NULL: there is none */
/* Why it is no name, in the language of the person; NULL: it is one, taken or not. */
const char *marks_wrong_name (const char *name);
/* NULL and an error: a name that is taken, or that is none. */
Mark *marks_add (Marks *m, const char *name, int64_t date, const char *notes, GError **error);
/* The mark that is called `at` begins with, of n bytes: the longest name that fits; NULL: none. */
const Mark *marks_named_at (const Marks *m, const char *at, gsize n);
/* Changes what is not NULL.  Where notes lead to it by @name, they do under its new name. */
bool marks_edit (Marks *m, Mark *mark, const char *name, const int64_t *date, const char *notes, GError **error);
/* It holds from where a view is seen, in the place of what it held of that view. */
bool marks_place (Marks *m, Mark *mark, const char *view, const char *place, GError **error);
void marks_unplace (Marks *m, Mark *mark); /* it holds none any more */
void marks_remove (Marks *m, Mark *mark);
/* Atomically.  False and an error when it cannot be written, or another process has changed the file meanwhile: load
 * again. */
bool marks_save (Marks *m, GError **error);
/* Notes for a person to glance at: what is drawn is told as that, not by its file; g_free. */
char *marks_notes_told (const char *notes);
/* Whether another process has changed the file since it was read or saved. */
bool marks_changed (const Marks *m);
char *marks_beside (const Marks *m); /* where they lie, or will, if the bundle cannot be written to; g_free */
char *marks_text (const Marks *m);   /* the file's text; g_free */

/* ---- report (marks-html.c) ----------------------------------------------------------------------------------------- */
typedef struct MarksReport {
  const char *title;
  /* Appends the pictures of the views at a mark, as HTML; NULL: no pictures. */
  void (*pictures) (void *arg, const Mark *mark, GString *to);
  void *arg;
} MarksReport;
/* One HTML page that needs no other file, appended. */
void marks_html (const Marks *m, const MarksReport *report, GString *to);
/* Notes as HTML: paragraphs, *emphasis*, `code`, lists, @marks, [links](file) and ![pictures](file) of the bundle. */
void marks_notes_html (const Marks *m, const char *notes, GString *to);
/* A file as a data: URI, appended; false: not there, too large, or no picture. */
bool marks_data_uri (const char *path, GString *to);
