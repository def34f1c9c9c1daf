/* SPDX-License-Identifier: Apache-2.0 */
/* clip.h - part of a program as text, with what the canvas adds to it: sub-programs, frames, pinned values.  No GTK;
 * engine thread. */
#pragma once
#include "session/notes.h"

/* Some boxes with the wires between them, the sub-programs that are wholly among them, the pinned values of those
 * wires, and frames (of Frame *; NULL: none).  It is a program file too.  g_free. */
char *clip_copy (EveProgram *p, EveComponent *const *boxes, guint n, const GPtrArray *frames);

/* The same with their wires to other boxes: a part, which clip_paste() wires to the boxes of these names. */
char *clip_part (EveProgram *p, EveComponent *const *boxes, guint n, const GPtrArray *frames);

/* Where a copy goes, px. */
typedef struct ClipPlace {
  bool corner; /* x, y is where its upper left corner comes to lie; else it is moved by x, y */
  double x, y;
  const char *group; /* the sub-program that takes it; NULL: none */
} ClipPlace;
/* Inside an edit; everything comes under a free name.  `added` gets the components, `n_frames` how many of the last
 * frames are new. `name`: of the file that the text is from, for sentences; NULL: the clipboard. False: the text is no
 * part of a program, nothing was changed. */
bool clip_paste (EveProgram *p, const char *text, const char *name, const ClipPlace *place, GPtrArray *added,
                 guint *n_frames, GPtrArray *problems, GError **error);
