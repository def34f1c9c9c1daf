/* SPDX-License-Identifier: Apache-2.0 */
/* edits.h - what the canvas does to a program: deleting that heals, inserting into a wire, grouping.  Every function
 * changes the program at once; the caller stands inside an edit of the history.  No GTK; engine thread. */
#pragma once
#include "session/notes.h"
#include "session/replace.h"

/* Removes boxes.  A wire that came into one and one of the same type that left it become one wire (`heal`). */
void edits_delete (EveProgram *p, EveComponent *const *boxes, guint n, bool heal);
/* Puts a box into a wire: its first input that takes what the wire carries, its first output that feeds the other end.
 * False: it does not fit, nothing was changed and `error` says why. */
bool edits_insert (EveProgram *p, EveComponent *box, EveComponent *from, const char *out, EveComponent *to,
                   const char *in, GError **error);
/* True: such a class may fit into the wire, as far as types tell. */
bool edits_class_fits_wire (const EveClass *k, EveComponent *from, const char *out, EveComponent *to, const char *in);
/* First port of a class that an output feeds or an input takes (`other` NULL: of any type); NULL: there is none. */
const char *edits_class_port (const EveClass *k, const EveType *other, bool output);
/* Connects the first ports that fit: `port` of `from` to any input of `to`, or the other way round when `backward`. */
bool edits_connect_first (EveProgram *p, EveComponent *from, const char *port, EveComponent *to, bool backward,
                          GError **error);
/* Renames and lets the notes follow. */
bool edits_rename (EveComponent *c, const char *name, GError **error);

/* Makes a folded group of boxes; groups all of whose boxes are among them go into it.  Gives its name, g_free; NULL: no
 * boxes. */
char *edits_group (EveProgram *p, EveComponent *const *boxes, guint n, const char *wanted);
/* The innermost group that holds all of them and more than them; g_free; NULL: none. */
char *edits_outer_group (EveProgram *p, EveComponent *const *boxes, guint n);
/* Boxes, and the groups that are wholly among them, go into a group; "": out of all. */
void edits_into (EveProgram *p, EveComponent *const *boxes, guint n, const char *group);
void edits_ungroup (EveProgram *p, const char *group);
void edits_fold (EveProgram *p, const char *group, bool open);
bool edits_rename_group (EveProgram *p, const char *group, const char *name, GError **error);

/* Pins the value of a wire, or takes its pin away. */
void edits_pin (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in, bool pin);
/* Comment and colour of a frame by its number; NULL, -1: as they are. */
void edits_set_frame (EveProgram *p, guint number, const char *text, int colour);

/* ---- places: rectangles of things that are aligned, px; x and y are changed ---------------------------------- */
typedef struct Place {
  EveComponent *c;
  double x, y, width, height;
} Place;
/* "left", "right", "top", "bottom"; "row", "column": also spread evenly.  False: there is no such way. */
bool edits_align (Place *places, guint n, const char *how);
