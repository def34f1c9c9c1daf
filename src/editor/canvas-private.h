/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-private.h - what canvas*.c share. */
#pragma once
#include <gtk/gtk.h>
#include "document/clip.h"
#include "document/edits.h"
#include "editor/editor.h"
#include "editor/paint.h"
#include "document/parts.h"
#include "document/shelf.h"

#define EDITOR_TYPE_CANVAS (editor_canvas_get_type ())
G_DECLARE_FINAL_TYPE (EditorCanvas, editor_canvas, EDITOR, CANVAS, GtkWidget)

typedef enum {
  TOOL_NONE,
  TOOL_PRESSED, /* a button is down, nothing moved yet */
  TOOL_PAN,
  TOOL_RUBBER,
  TOOL_MOVE, /* boxes, frames and what lies on them */
  TOOL_WIRE,
  TOOL_FRAME_SIZE,
  TOOL_BEND, /* a point of a wire */
  TOOL_MINIMAP,
} CanvasTool;

/* What is under the pointer: at most one is not NULL. */
typedef struct CanvasHit {
  SketchPort *port;
  SketchBox *box;
  SketchWire *wire;
  SketchGroup *group;
  Frame *frame;
  FramePart part;
  guint bend; /* of the wire, from 1; 0: none */
} CanvasHit;

struct _EditorCanvas {
  GtkWidget parent;
  GdkWindow *window; /* for input; drawn on */
  ScopeDocument *d;
  Sketch *sketch;
  uint64_t serial; /* of the program, when the sketch was made */
  PaintView view;  /* place, zoom, size, look; hot things */
  bool minimap, fit_wanted;
  PaintView fitted; /* as the view was when all was last brought in sight */

  /* pointer and tool */
  double px, py;                  /* logical px of the window */
  bool inside, space, space_used; /* the space bar is down; it panned */
  CanvasHit hot;
  const SketchBox *told; /* that the pointer has rested on; compared only */
  CanvasTool tool;
  CanvasHit pressed;
  guint button;
  bool clicked;            /* the last thing the button did was a click */
  double press_x, press_y; /* window px */
  double from_x, from_y;   /* canvas px where the drag began, or the view's place while panning */
  GPtrArray *moved;        /* of SketchBox * */
  GPtrArray *moved_frames; /* of Frame * */
  double moved_x, moved_y; /* canvas px, snapped */
  Bend *bend;              /* is dragged; of the notes of the sketch */
  bool bend_is_new;
  SketchWire *drop_wire; /* a box would go into it */
  /* the wire that is drawn: from this port */
  EveComponent *wire_from;
  const char *wire_port;
  bool wire_out;
  bool wire_lifted; /* it was taken off an input */
  EveWire lifted;
  SketchPort *wire_to; /* under the pointer and fitting */
  char *refusal;       /* sentence at the pointer, or NULL */
  guint refusal_timeout;
  GtkGesture *pinch;
  double pinch_zoom;

  /* keeping alive */
  GHashTable *saved;  /* name -> hash of what was saved, GUINT_TO_POINTER */
  guint look_timeout; /* rests are seen a moment after the last work */
  guint sharpen;      /* idle: pictures are left to be made sharp */
  guint tick;
  gint64 anim_start;
  GHashTable *anim;                /* EveComponent -> where it comes from: double[2] */
  double anim_view[3], anim_to[3]; /* x, y, zoom */
  bool anim_moves_view;
  GCancellable *layout; /* of dot, while it runs */

  GPtrArray *items;   /* accessible objects; canvas-access.c */
  GtkWidget *popover; /* search or entry under way; NULL */
  char *paste_text;
  bool (*key_of) (const char *action, guint *key, GdkModifierType *mods); /* NULL: not told */
  int pastes; /* of the same text: each is put a little further */
};

/* ---- canvas.c: place and look ------------------------------------------------------------------------------------- */
void canvas_to_sketch (const EditorCanvas *w, double wx, double wy, double *x, double *y);
void canvas_redraw (EditorCanvas *w);
void canvas_zoom_at (EditorCanvas *w, double zoom, double wx, double wy);
void canvas_fit (EditorCanvas *w, bool animate);
void canvas_show_place (EditorCanvas *w, double x, double y, double width, double height);
void canvas_rebuild (EditorCanvas *w);
/* Boxes that are where the program says now glide there from where they were shown. */
void canvas_glide (EditorCanvas *w);
void canvas_refuse (EditorCanvas *w, const char *sentence); /* NULL: take it away */
EveProgram *canvas_program (const EditorCanvas *w);         /* NULL: nothing is open */
void canvas_update_hot (EditorCanvas *w);

/* ---- canvas-select.c: what is selected ----------------------------------------------------------------------------------- */
GPtrArray *canvas_selection (const EditorCanvas *w); /* boxes: of EveComponent *, transfer container */
/* A box (of a sub-program: all of it), a wire, a frame; nothing. */
void canvas_select (EditorCanvas *w, CanvasHit what, bool add, bool toggle);
void canvas_select_components (EditorCanvas *w, EveComponent *const *c, guint n);      /* them alone */
void canvas_select_new (EditorCanvas *w, const GPtrArray *components, guint n_frames); /* them, and the last frames */
void canvas_select_all (EditorCanvas *w);
void canvas_select_area (EditorCanvas *w, double x0, double y0, double x1, double y1, bool add); /* canvas px */
bool canvas_is_selected (const CanvasHit *what);
void canvas_tell_selection (EditorCanvas *w); /* the sketch shows what the document has */
/* Frames have no names: they are known by their number, which no edit between changes. */
guint canvas_frame_number (const EditorCanvas *w, const Frame *f);
bool canvas_group_selected (const EditorCanvas *w, const SketchGroup *g); /* all of it */
/* What is moved and copied: SketchBox and Frame that are selected, or lie on a selected frame, and the frames of open
 * sub-programs that are selected.  The arrays are emptied first. */
void canvas_gather (const EditorCanvas *w, GPtrArray *boxes, GPtrArray *frames);

/* ---- canvas-tools.c: the pointer -------------------------------------------------------------------------------------- */
CanvasHit canvas_hit (const EditorCanvas *w, double wx, double wy);
gboolean canvas_button_press (GtkWidget *widget, GdkEventButton *e);
gboolean canvas_button_release (GtkWidget *widget, GdkEventButton *e);
gboolean canvas_motion (GtkWidget *widget, GdkEventMotion *e);
gboolean canvas_leave (GtkWidget *widget, GdkEventCrossing *e);
gboolean canvas_scroll (GtkWidget *widget, GdkEventScroll *e);
void canvas_cancel (EditorCanvas *w); /* what is being dragged goes back */
void canvas_paint_tool (EditorCanvas *w, cairo_t *cr);
void canvas_add_pinch (EditorCanvas *w);

/* ---- canvas-edit.c: changes of the program, each one an edit ------------------------------------------------------------ */
void canvas_begin (EditorCanvas *w, const char *what, ...) G_GNUC_PRINTF (2, 3);
void canvas_end (EditorCanvas *w);
/* Adds a component with its middle at a place; connected to a port (`from` may be NULL), or put into a wire. */
EveComponent *canvas_add_class (EditorCanvas *w, const EveClass *k, double x, double y, EveComponent *from,
                                const char *port, bool out, const SketchWire *into);
bool canvas_connect (EditorCanvas *w, EveComponent *from, const char *out, EveComponent *to, const char *in);
void canvas_disconnect (EditorCanvas *w, EveComponent *from, const char *out, EveComponent *to, const char *in);
/* Its components, and the frames in it; within an edit that writes the notes of the sketch afterwards. */
void canvas_move_members (SketchBox *b, double dx, double dy);
void canvas_drop_moved (EditorCanvas *w); /* what was dragged stays where it is */
void canvas_pin (EditorCanvas *w, const SketchWire *wire, bool pin);
/* Points of wires between boxes that are moved go with them, in the sketch alone. */
void canvas_move_bends (EditorCanvas *w, const GPtrArray *boxes, double dx, double dy);
/* Writes the points of wires as the sketch has them. */
void canvas_keep_bends (EditorCanvas *w, const char *what);
void canvas_add_bend (EditorCanvas *w, SketchWire *wire, double x, double y); /* canvas px */
void canvas_remove_bends (EditorCanvas *w, SketchWire *wire, guint bend);     /* from 1; 0: all */
/* What is selected is off, or bypassed, from now on; works again if all of it was so. */
void canvas_set_use (EditorCanvas *w, EveUse use);
bool canvas_replace (EditorCanvas *w, EveComponent *c, const EveClass *k);
void canvas_fold (EditorCanvas *w, const char *group, bool open);
void canvas_delete (EditorCanvas *w);
void canvas_copy (EditorCanvas *w, bool cut);
void canvas_paste (EditorCanvas *w);
void canvas_duplicate (EditorCanvas *w);
/* Components of what is selected, those in folded sub-programs too, and its frames; unref it. */
GPtrArray *canvas_gather_components (EditorCanvas *w, GPtrArray *frames);
void canvas_save_part (EditorCanvas *w); /* canvas-part.c: asks where to */
void canvas_shelve (EditorCanvas *w);    /* ... among the person's own, and onto the shelf */
/* A part from a file, as a folded sub-program, at a place of the window; its wires to other boxes are made by their
 * names. */
void canvas_add_part (EditorCanvas *w, const char *path, double wx, double wy);
void canvas_group (EditorCanvas *w);
void canvas_ungroup (EditorCanvas *w);
void canvas_take_out (EditorCanvas *w); /* what is selected, out of the sub-program that it is in */
void canvas_frame (EditorCanvas *w);
void canvas_delete_frame (EditorCanvas *w, Frame *f);
void canvas_align (EditorCanvas *w, const char *how);
void canvas_nudge (EditorCanvas *w, double dx, double dy);
void canvas_set_frame (EditorCanvas *w, Frame *f, const char *text, int colour); /* NULL, -1: as they are */
/* Text of the selection, or where the pointer is: a name, a comment. */
void canvas_rename (EditorCanvas *w, CanvasHit what);

/* ---- canvas-places.c: places to come back to ------------------------------------------------------------------------------ */
void canvas_bookmark (EditorCanvas *w); /* asks what the place in sight is called */
void canvas_go_bookmark (EditorCanvas *w, const char *name);
void canvas_remove_bookmark (EditorCanvas *w, const char *name);
void canvas_go_view (EditorCanvas *w, double middle_x, double middle_y, double zoom);

/* ---- shelf.c --------------------------------------------------------------------------------------------------------------- */
/* Puts something on the shelf (document/shelf.h), seen at once in the window that a widget is in; false: told why not.
 */
bool shelf_put (GtkWidget *inside, ScopeDocument *d, const char *what);
/* Whether a place of a widget is on the shelf of its window; `light`: which is shown, until it is asked without. */
bool shelf_under (GtkWidget *widget, double x, double y, bool light);
void shelf_focus (GtkWidget *inside);

/* ---- layout.c --------------------------------------------------------------------------------------------------------------- */
void canvas_layout (EditorCanvas *w);

/* ---- canvas-search.c: adding by name -------------------------------------------------------------------------------------- */
/* At a point of the window; only what fits to the port or into the wire, if one is given. */
/* canvas-room.c: inside an edit: boxes that are new, and the last frames, go to where they lie on nothing; one that was
 * put into the wire from one box to another (else NULL) goes between them. */
void canvas_make_room (EditorCanvas *w, EveComponent *const *added, guint n, guint n_frames, EveComponent *from,
                       EveComponent *to);
/* canvas-fits.c: the port of a class by which a loose wire goes to it best, and how good that is. */
typedef struct CanvasFit {
  const char *port;
  guint rank;
} CanvasFit;
/* The classes that a wire from (`out`) or to a port can go to; of const EveClass * -> CanvasFit *; unref it. */
GHashTable *canvas_fits (EveComponent *own, const char *port, const EveType *type, bool out);
/* The same of a box that is there; NULL: none. */
const char *canvas_fit_port (EveComponent *c, EveComponent *own, const char *port, bool out);
/* Who gives best what one of the class takes: the box that alone is selected, else of all; *port: by which output. */
EveComponent *canvas_feeder (EditorCanvas *w, const EveClass *k, const char **port);
/* The output of a box that one of a class is most likely meant to take, and how good that is; NULL: none. */
const char *canvas_fit_out (EveComponent *own, const EveClass *k, guint *rank);
/* A sentence: what a box needs that no other box of its program gives, and which components give that; g_free.  NULL:
 * it lacks nothing. */
char *canvas_fit_lack (EveComponent *c);
void canvas_search (EditorCanvas *w, double wx, double wy, EveComponent *from, const char *port, bool out,
                    const SketchWire *into);
/* What could stand in the place of a box, best first: what keeps most of its wires. */
void canvas_search_instead (EditorCanvas *w, EveComponent *c);
/* Components by how well their words fit, best first; "" gives all.  Of const EveClass *, transfer container.  For the
 * library too. */
GPtrArray *component_search (const char *words);
/* An entry over a place of the window; `done` gets the text when it is confirmed. */
void canvas_ask (EditorCanvas *w, double wx, double wy, const char *text,
                 void (*done) (EditorCanvas *, const char *, void *), void *arg, GDestroyNotify free_arg);

/* ---- canvas-menu.c ------------------------------------------------------------------------------------------------------------- */
void canvas_menu (EditorCanvas *w, CanvasHit what, const GdkEvent *event);
/* The pointer's tooltip, marked up; NULL: none. */
char *canvas_tip (EditorCanvas *w, CanvasHit what);

void canvas_window_action (EditorCanvas *w, const char *name);
void canvas_table (EditorCanvas *w, const char *box, const char *out); /* asks the window for it */
/* What a double click and Return do: a sub-program opens, a view comes to the front, of all else settings are shown. */
void canvas_open (EditorCanvas *w, const SketchBox *b);
bool canvas_has_view (const SketchBox *b);
void canvas_inspect (EditorCanvas *w); /* shows the settings of what is selected, ready to be typed */
void inspector_focus_setting (ScopeDocument *d, const char *setting); /* the field of a setting gets the keys */
/* inspector.c: the first setting of what is selected gets the keys, else its name */
void inspector_focus (ScopeDocument *d, GtkWidget *from);

/* ---- canvas-keys.c --------------------------------------------------------------------------------------------------------- */
gboolean canvas_key_press (GtkWidget *widget, GdkEventKey *e);
gboolean canvas_key_release (GtkWidget *widget, GdkEventKey *e);

/* ---- canvas-access.c ------------------------------------------------------------------------------------------------------- */
GType canvas_accessible_get_type (void);
void canvas_access_update (EditorCanvas *w); /* the sketch is another */
void canvas_access_selection (EditorCanvas *w);
