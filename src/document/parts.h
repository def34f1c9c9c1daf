/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - names for what is selected besides boxes: wires and frames.  A part is a line of text, fields between tabs,
 * so that it outlives the sketch and goes through undo; what it names may be gone.  No GTK; engine thread. */
#pragma once
#include "session/notes.h"

char *part_of_wire (EveComponent *from, const char *out, EveComponent *to, const char *in); /* g_free */
/* By its number: frames have no names. */
char *part_of_frame (guint number); /* g_free */
/* False: it names no wire, no frame that is there. */
bool part_wire (EveProgram *p, const char *part, EveWire *wire);
bool part_frame (const Notes *n, const char *part, guint *number);
