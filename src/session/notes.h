/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - what a person adds to the picture of a program, kept in the program's notes: sub-programs ("groups"),
 * frames with comments ("frames"), pinned values ("probes"), points that wires go through ("bends") and places to come
 * back to ("bookmarks").  The engine knows nothing of them.  No GTK; engine thread. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

/* A sub-program: some boxes that can be folded into one.  Groups nest: a box stands in the innermost. */
typedef struct Group {
  char *name, *parent; /* parent "": none */
  bool open;           /* its boxes are seen */
  GPtrArray *boxes;    /* of char *: names of its own boxes, without those of groups inside it */
  GPtrArray *faces;    /* of Face *: settings of boxes in it that are shown as its own */
} Group;

typedef struct Face {
  char *box, *setting;
} Face;

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

/* A point that a wire goes through.  Those of one wire stand in the order from its output to its input. */
typedef struct Bend {
  char *from, *out, *to, *in;
  double x, y; /* px of the canvas */
} Bend;

typedef struct Bookmark {
  char *name;
  double x, y, zoom; /* middle of what was seen, px of the canvas */
} Bookmark;

typedef struct Notes {
  GPtrArray *groups, *frames, *probes, *bends, *bookmarks;
} Notes;

/* What does not make sense in the text (a box twice, a group inside itself) is left out. */
Notes *notes_read (EveProgram *p);
/* Inside an edit.  Groups without boxes, and probes of wires that are gone, are left out. */
void notes_write (EveProgram *p, const Notes *n);
void notes_free (Notes *n);
/* The notes as text and back, one for each of notes_keys.  notes_text gives what notes_write would write, g_free each;
 * NULL parses as "". */
#define NOTES_KINDS 5
extern const char *const notes_keys[NOTES_KINDS];
void notes_text (EveProgram *p, const Notes *n, char *lines[NOTES_KINDS]);
Notes *notes_parse (const char *const lines[NOTES_KINDS]);
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
/* A setting of one of its boxes is shown on its face, or no longer. */
void notes_set_face (Group *g, const char *box, const char *setting, bool on);
bool notes_has_face (const Group *g, const char *box, const char *setting);
void notes_move_box (Notes *n, const char *box, Group *to); /* NULL: out of all groups */
void notes_move_frame (Frame *f, const Group *to);          /* likewise */
Frame *notes_add_frame (Notes *n, double x, double y, double width, double height, const char *text);
Probe *notes_probe (const Notes *n, const char *from, const char *out, const char *to, const char *in);
void notes_add_probe (Notes *n, const char *from, const char *out, const char *to, const char *in);
/* The points of a wire, from its output on: of Bend *, transfer container. */
GPtrArray *notes_bends (const Notes *n, const char *from, const char *out, const char *to, const char *in);
/* A further point of a wire, before its n-th one. */
Bend *notes_add_bend (Notes *n, const char *from, const char *out, const char *to, const char *in, guint before,
                      double x, double y);
Bookmark *notes_bookmark (const Notes *n, const char *name); /* NULL: none */
/* The one of that name lies there from now on, or is new. */
void notes_set_bookmark (Notes *n, const char *name, double x, double y, double zoom);
/* Inside an edit: the notes follow a box that is called otherwise now. */
void notes_rename (EveProgram *p, const char *from, const char *to);
/* Inside an edit: what names boxes and wires that are gone goes away. */
void notes_prune (EveProgram *p);
