/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what a person adds to the picture of a program, kept in the program's notes: sub-programs ("groups"),
 * frames with comments ("frames"), pinned values ("probes").  The engine knows nothing of them.  No GTK; engine thread.
 */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

/* A sub-program: some boxes that can be folded into one.  Groups nest: a box stands in the innermost. */
typedef struct Group {
  char *name, *parent; /* parent "": none */
  bool open;           /* its boxes are seen */
  GPtrArray *boxes;    /* of char *: names of its own boxes, without those of groups inside it */
} Group;

typedef struct Frame {
  double x, y, width, height; /* px of the canvas */
  int colour;                 /* index, 0 to FRAME_COLOURS - 1 */
  char *text;
  char *group;   /* the sub-program that its boxes went into, and it with them; "": none */
  bool selected; /* told by the canvas, not kept */
} Frame;
#define FRAME_COLOURS 5
const char *notes_colour_name (int colour);

/* A wire whose last value stays in sight. */
typedef struct Probe {
  char *from, *out, *to, *in;
} Probe;

typedef struct Notes {
  GPtrArray *groups, *frames, *probes;
} Notes;

/* What does not make sense in the text (a box twice, a group inside itself) is left out. */
Notes *notes_read (EveProgram *p);
/* Inside an edit.  Groups without boxes, and probes of wires that are gone, are left out. */
void notes_write (EveProgram *p, const Notes *n);
void notes_free (Notes *n);
/* The notes as text and back: groups, frames, probes.  notes_text gives what notes_write would write, g_free each; NULL
 * parses as "". */
#define NOTES_KINDS 3
void notes_text (EveProgram *p, const Notes *n, char *lines[NOTES_KINDS]);
Notes *notes_parse (const char *groups, const char *frames, const char *probes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Notes, notes_free)

Group *notes_group (const Notes *n, const char *name);                     /* NULL: there is none, also for "" */
Group *notes_group_of (const Notes *n, const char *box);                   /* innermost; NULL: in none */
Group *notes_add_group (Notes *n, const char *wanted, const char *parent); /* under a free name */
void notes_remove_group (Notes *n, Group *g);                           /* frees it; what it held goes to its parent */
bool notes_inside (const Notes *n, const Group *g, const Group *outer); /* also if they are the same */
/* Every box of a group, those of the groups inside it too: of const char *, transfer container. */
GPtrArray *notes_all_boxes (const Notes *n, const Group *g);
/* Every box of a group is in a set of names. */
bool notes_all_chosen (const Notes *n, const Group *g, GHashTable *names);
Group *notes_folded (const Notes *n, Group *g); /* the outermost folded one that it is, or is in; NULL: none */
void notes_move_box (Notes *n, const char *box, Group *to); /* NULL: out of all groups */
void notes_move_frame (Frame *f, const Group *to);          /* likewise */
Frame *notes_add_frame (Notes *n, double x, double y, double width, double height, const char *text);
Probe *notes_probe (const Notes *n, const char *from, const char *out, const char *to, const char *in);
void notes_add_probe (Notes *n, const char *from, const char *out, const char *to, const char *in);
/* Inside an edit: the notes follow a box that is called otherwise now. */
void notes_rename (EveProgram *p, const char *from, const char *to);
/* Inside an edit: what names boxes and wires that are gone goes away. */
void notes_prune (EveProgram *p);
