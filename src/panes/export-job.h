/* SPDX-License-Identifier: Apache-2.0 */
/* export-job.h - what a picture shows, drawn into a file by another process, while the window goes on. */
#pragma once
#include "panes/picture.h"

/* Is given the file that was made and what the job was called: moves it to its place, or reads it, and says so.  False
 * and an error: it could not. */
typedef bool (*ExportDone) (ScopeDocument *d, const char *made, const char *what, GError **error);

/* Runs the program as it is now over the whole trace, without the window, and puts what its components write, and a
 * picture of each view, into the folder that the person chose.  Returns at once; what became of it is told. */
void export_files (ScopeDocument *d, GtkWidget *over, const char *folder);

/* Runs another program than that which is open, given as text, over the whole trace, and gives `done` the folder with
 * what its components wrote, which is gone afterwards.  `what` names it in a sentence.  Returns at once. */
void export_run (ScopeDocument *d, GtkWidget *over, const char *what, const char *text, ExportDone done);

/* Writes the trace, the leading one of several, in another format that can be written, as a file or folder `path`.
 * Returns at once; what became of it is told. */
void export_execution (ScopeDocument *d, GtkWidget *over, const char *path, const char *format);

typedef enum {
  EXPORT_STILL,
  EXPORT_PLAYED, /* time goes on through the range that is selected, or else shown */
  EXPORT_TURNED, /* the camera goes once round */
} ExportMoves;

/* Makes a file of a kind (its `ending`: ".png", ".svg", ".pdf", ".csv"; ".gif" and ".webm" of what moves, or "": a
 * folder of pictures, one of each instant or side), `scale` px
 * of it for each on the screen, in a hidden folder of its own in `folder`, which is gone at the end.  Failures are told
 * to the person: `what` names it in a sentence.  Returns at once. */
void export_job (ScopePicture *p, const char *what, const char *ending, const char *folder, double scale,
                 ExportMoves moves, ExportDone done);
