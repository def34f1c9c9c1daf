/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where Scope finds its parts: in the build tree when it runs from there, else where it was
 * installed. All give a path to g_free.  And how it removes the folders that it made. */
#pragma once
#include <glib.h>
#include <stdbool.h>

char *places_components (void); /* folder of shared objects */
/* A folder of programs: of a format, or shared by formats; it need not be there. */
char *places_schemas (const char *folder);
char *places_preferences (void); /* the file of what the person prefers; it need not be there */
char *places_gallery (void);     /* folder of the pictures of displays, docs/gallery */
char *places_words (void);       /* folder of the catalogues of texts in other languages */
char *places_templates (void);   /* folder of the skeletons of `scope new-component` */
/* Folder of the package scope-eve of a Scope that is not installed; NULL: pkg-config finds the one that is. */
char *places_packages (void);
char *places_heap_library (void); /* what `scope heap run` preloads */
char *places_parts (void);        /* folder of the person's own parts of programs; it need not be there */
char **places_samples (void);     /* bundles to try things on, by name; may be empty; g_strfreev */

char *places_scope (void); /* the program `scope`, for work in other processes; NULL: not found */

/* A program on offer, as its file says it. */
typedef struct PlacesProgram PlacesProgram;
struct PlacesProgram {
  char *path, *title, *doc; /* title: the file's name if it has none; doc may be "" */
  char *question;           /* that it answers, its note of that name; "" */
  bool first;               /* its note "asked" says that this is asked first */
  char *lead;               /* where it leads, its note of that name, as "Go to the longest wait"; "" */
  bool whole;               /* it has a session, so that it can be opened; else it is a part of programs */
};
void places_program_free (PlacesProgram *p);
/* What a file says of itself, whatever it is. */
PlacesProgram *places_program_peek (const char *path);
/* The programs on offer for a format, the views first, the default one, which has none, last, others by file name; of
 * PlacesProgram *.  They are those in its own folder, and those in the folders that its file "shares" names: "calls"
 * and "messages" for who has these, "activity" for who tells busy, overhead and idle, or one program as
 * FOLDER/NAME.eve; and those of "any".  A format without a folder has them all.  Of two with the same name the format's
 * own is on offer, and else the one of the folder that is named first.  Such folders may lie in `schemas` beside
 * plug-ins (SCOPE_PLUGIN_PATH) and in scope/schemas of the person's data folder too: those add to Scope's own, and
 * never stand in the place of one. */
GPtrArray *places_programs (const char *format);
/* The one of that file name; NULL: none; g_free. */
char *places_offered (const char *format, const char *name);

/* Whether two names have the same letters and digits, at least one, whatever their case and what is between them:
 * "Space-time" and "space time".  Any thread. */
bool places_same_letters (const char *a, const char *b);
/* The program that a person means: a file; else one on offer for this format, or for any, by its name, with or without
 * ".eve"; else what was said, of which there is nothing; g_free. */
char *places_program (const char *format, const char *said);
/* Of a program that is on offer for another format alone: a sentence that says so, and which ones this format has;
 * NULL: it is on offer for none; g_free. */
char *places_program_elsewhere (const char *format, const char *said);
/* The file name, or title, of the program on offer whose name is nearest; NULL: none is near; g_free. */
char *places_program_nearest (const char *format, const char *said);
/* Of a file or folder that is not there: what lies at its place under the name that is nearest, of those with the
 * same ending if one is near, as the person would write it; NULL: nothing is near; g_free. */
char *places_nearest (const char *missing);
/* Whether files of components may be written into a folder (it need not be there): not where a trace or a film has its
 * own, which could have the same names, nor anywhere inside.  False with an error. */
bool places_may_hold_files (const char *folder, GError **error);
/* For disk_set_keeper(): the same of a folder; a file may not be a trace, as those of other programs are. */
bool places_may_change (const char *path, GError **error);
/* Whether a file may take the place of what is at a path, which a person named: not of a trace.  False with an error.
 */
bool places_may_replace (const char *path, GError **error);
/* The same of a picture, a table or a page, which may not lie among the files of a trace or a film either.  What is a
 * trace is known once components are loaded. */
bool places_may_write (const char *path, GError **error);
/* Writes it there, as g_file_set_contents(), if it may. */
bool places_write (const char *path, const char *bytes, gssize n, GError **error);

/* Removes a file, or a folder with all that is in it; of a symbolic link the link, never what it leads to.  What can be
 * removed is, even when something else cannot.  True if nothing is left, also when there was nothing; else an error
 * that names the first that stayed. */
bool places_remove (const char *path, GError **error);

/* A folder of one's own for a while: PARENT/PREFIX-XXXXXX, below the temporary place if `parent` is NULL; g_free.  NULL
 * with errno if it cannot be made.  First removes those of the same person, parent and prefix that processes left
 * behind which were killed.  Main thread. */
char *places_scratch (const char *parent, const char *prefix);
/* Removes it with all that is in it, and frees the path; NULL: nothing. */
void places_scratch_end (char *folder);
