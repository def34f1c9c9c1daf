/* SPDX-License-Identifier: Apache-2.0 */
/* sketch.h - a program as it is laid out on the canvas: boxes with ports, wires, frames and sub-programs, each with its
 * place. Made anew after every edit; lengths are px of the canvas at zoom 1.  No GTK; main thread. */
#pragma once
#include <cairo.h>
#include "session/notes.h"

#define SKETCH_GRID 8.0
#define SKETCH_HEADER 24.0
#define SKETCH_ROW 18.0
#define SKETCH_GROUP_PAD 20.0 /* between the border of an open sub-program and its boxes */

typedef enum { SIDE_LEFT, SIDE_RIGHT, SIDE_TOP } SketchSide;
typedef enum { BOX_RESTS, BOX_RUNS, BOX_WAITS, BOX_WARNS, BOX_FAILS } SketchRun;
typedef enum { PORT_PLAIN, PORT_LIT, PORT_DIM } SketchLight; /* while a wire is drawn: fits, or does not */

typedef struct SketchBox SketchBox;

typedef struct SketchPort {
  SketchBox *box;
  EveComponent *c;  /* of a folded sub-program: the component inside */
  const char *name; /* interned */
  char *label;
  bool out, control;
  bool missing; /* a wire names it, but the class has none such */
  bool needed;  /* nothing works until it is connected */
  bool connected;
  const EveType *type;    /* bound; NULL: none yet */
  const char *unit, *doc; /* of the class; may be NULL */
  SketchSide side;
  double x, y; /* middle */
  SketchLight light;
} SketchPort;

struct SketchBox {
  EveComponent *c;  /* NULL: a folded sub-program */
  char *name;       /* of the component, or of the sub-program */
  const char *kind; /* label of the class, interned; "Sub-program" */
  double x, y, width, height;
  GPtrArray *ports;     /* of SketchPort * */
  GPtrArray *members;   /* of EveComponent *: c alone, or all of the sub-program */
  GPtrArray *frames;    /* of Frame *: not seen, since they are in this folded sub-program */
  const EveType *gives; /* what its colour comes from; NULL: nothing */
  bool ghost;
  EveUse use; /* of a component */
  /* told by the owner (sketch_tell), seen in the picture */
  bool selected, changed;
  SketchRun run;
  char status[128];
  char *problem; /* sentence, or NULL */
  double share;  /* gauge 0..1; < 0: none */
  char counter[32];
  uint64_t firings;
  uint64_t given, taken; /* data on its busiest output and input */
  const EveType *given_type;
  /* of paint.c */
  cairo_surface_t *picture;
  double picture_scale;
  guint picture_of;
};

/* Bézier */
typedef struct SketchCurve {
  double x[4], y[4];
} SketchCurve;

typedef struct SketchWire {
  EveComponent *from, *to;
  const char *out, *in; /* interned */
  SketchPort *start, *end;
  GArray *curves;   /* of SketchCurve, from its output to its input: one more than it has bends */
  GPtrArray *bends; /* of Bend *, of the notes */
  bool broken, pinned;
  bool rests;    /* it carries nothing because an end is off or bypassed */
  bool selected; /* told by the owner */
  const EveType *type;
  uint32_t index; /* of eve_wire() */
} SketchWire;

/* An open sub-program. */
typedef struct SketchGroup {
  char *name;
  double x, y, width, height; /* with its title */
  int depth;
  GPtrArray *members;
  GPtrArray *frames; /* of Frame *: that belong to it */
} SketchGroup;

typedef struct Sketch {
  EveProgram *p; /* NULL: nothing is open */
  Notes *notes;  /* NULL with p */
  GPtrArray *boxes, *wires, *groups;
  GPtrArray *frames;  /* of Frame *: those of the notes that are seen */
  GHashTable *widths; /* text -> width, measured once */
  char *font;         /* family */
  /* The datum that last passed an output, as words; g_free, or NULL. */
  char *(*last) (EveComponent *from, const char *out);
} Sketch;

Sketch *sketch_new (const char *font_family);
void sketch_free (Sketch *s);
/* Lays the program out; pictures of boxes that are called the same are kept. */
void sketch_build (Sketch *s, EveProgram *p);
/* Boxes were moved by hand: ports, wires and borders follow. */
void sketch_place (Sketch *s);
bool sketch_shares (const SketchBox *b, const SketchGroup *g); /* some of it is in the open sub-program */
bool sketch_lies_on (const SketchBox *b, const Frame *f);
void sketch_move_box (SketchBox *b, double dx, double dy);
SketchBox *sketch_box (const Sketch *s, const char *name); /* of a component: also its folded sub-program; or NULL */
SketchBox *sketch_box_of (const Sketch *s, EveComponent *c);
SketchPort *sketch_port (const Sketch *s, EveComponent *c, const char *name, bool out);
/* Rectangle of everything; false: there is nothing. */
bool sketch_bounds (const Sketch *s, cairo_rectangle_t *r);

/* What is under a point; `reach` px around it count.  NULL: nothing. */
SketchPort *sketch_port_at (const Sketch *s, double x, double y, double reach);
SketchBox *sketch_box_at (const Sketch *s, double x, double y);
SketchWire *sketch_wire_at (const Sketch *s, double x, double y, double reach);
SketchGroup *sketch_group_at (const Sketch *s, double x, double y);     /* its title */
SketchGroup *sketch_group_around (const Sketch *s, double x, double y); /* the innermost */
typedef enum { FRAME_NOWHERE, FRAME_TITLE, FRAME_CORNER } FramePart;
Frame *sketch_frame_at (const Sketch *s, double x, double y, FramePart *part);
/* Curve of a wire between two points that leave and enter on these sides. */
void sketch_curve (double x0, double y0, SketchSide s0, double x1, double y1, SketchSide s1, double x[4], double y[4]);
/* A point of a wire, `t` from 0 at its output to 1 at its input. */
void sketch_wire_point (const SketchWire *w, double t, double *x, double *y);
void sketch_wire_bounds (const SketchWire *w, cairo_rectangle_t *r);
/* Which of its bends is within reach of a point, from 1; 0: none.  And before which a new one there would come, from 0.
 */
guint sketch_bend_at (const SketchWire *w, double x, double y, double reach);
guint sketch_bend_before (const SketchWire *w, double x, double y);
/* "Reader.events" */
char *sketch_port_name (const SketchPort *p);
