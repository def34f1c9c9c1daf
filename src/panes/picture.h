/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h - the widget in which a view paints: one scene, kept as an image that is made anew when what it hangs on
 * has changed, the cursor over it, and what pointer and keys do to it.
 *
 * A view is one of three sorts, told by its functions alone.  One that has a plot() shows dates from left to right,
 * which are zoomed and scrolled; one that can scroll() is a text, which is turned over by events; any other is a
 * drawing, which is magnified. */
#pragma once
#include "panes/panes.h"
#include "views/drawing.h"
#include "views/view-camera.h"

typedef enum { PICTURE_DRAWING, PICTURE_TIME, PICTURE_TEXT } PictureSort;
typedef enum { PICTURE_INSPECT, PICTURE_MOVE, PICTURE_DRAW, PICTURE_ARROW, PICTURE_RECTANGLE } PictureTool;

/* What part of the whole is shown: kept with the program. */
typedef struct PictureShown {
  int64_t from, to;           /* ticks; from > to: the whole execution */
  uint32_t first_row, n_rows; /* 0 rows: all */
  uint64_t event;             /* UINT64_MAX: around the present */
  double zoom, left, top;     /* of a drawing; px of the magnified one */
  bool follow;                /* what is shown goes with the present */
} PictureShown;

#define SCOPE_TYPE_PICTURE (scope_picture_get_type ())
G_DECLARE_FINAL_TYPE (ScopePicture, scope_picture, SCOPE, PICTURE, GtkDrawingArea)
/* Signals: "shown" (the part shown, the tool or the name changed), "menu" (GdkEvent *: a menu is wanted, NULL: by the
 * keyboard). */

GtkWidget *picture_new (ScopeDocument *d, EveComponent *c);
/* The component may be another object of the same name after an undo; its settings may have changed. */
void picture_set_component (ScopePicture *p, EveComponent *c);
EveComponent *picture_component (ScopePicture *p);
ScopeDocument *picture_document (ScopePicture *p);
const View *picture_view (ScopePicture *p);
PictureSort picture_sort (ScopePicture *p);

const PictureShown *picture_shown (ScopePicture *p);
/* Dates and rows are brought into what there is. */
void picture_show (ScopePicture *p, PictureShown shown);
void picture_restore (ScopePicture *p, PictureShown shown); /* what was kept: looked at once the picture has its size */
/* All px of a picture are those of its scene, which is painted larger where the desktop wants larger text: the widget
 * is so many of them wide and high, each as many px of the widget as picture_text() says. */
double picture_text (void);
double picture_width (ScopePicture *p);
double picture_height (ScopePicture *p);
/* The scene of the whole widget as it shall be seen now; for a drawing, of the magnified one. */
void picture_scene (ScopePicture *p, ViewScene *scene);
/* The component that is drawn and asked of what is seen: of a chart that follows a range that of the session which
 * counts it (ScopeCounted), else that of the picture.  Its scene is picture_scene(); between these two, names of tasks
 * are those that it knows. */
EveComponent *picture_enter (ScopePicture *p, bool *entered);
void picture_leave (ScopePicture *p, bool entered);
/* Whether it would follow a range, and how it does now. */
bool picture_counts (ScopePicture *p);
ScopeCounted picture_counted (ScopePicture *p);
/* What of a scene the wires of what is drawn tell: session_scene(). */
bool picture_wired (ScopePicture *p, ViewScene *scene, GError **error);
void picture_on_range (ScopePicture *p); /* it is another, or was counted */
/* A sentence over the picture: of the range, *told to be freed, else `outdated`; NULL: nothing. */
const char *picture_counted_told (ScopePicture *p, const char *outdated, char **told);
/* "0.000 – 0.412 s"; of an instant "0.2556 s", `exact` "0.255 62 s"; g_free. */
char *picture_caption (ScopePicture *p, bool exact);

/* Where the part in which time runs would begin if the picture stood alone, px; 0: it has none, or is not made yet.
 * "aligned" says that it is another. */
double picture_own_left (ScopePicture *p);
/* Where it begins at least. */
void picture_align (ScopePicture *p, double left_px);

PictureTool picture_tool (ScopePicture *p);
void picture_set_tool (ScopePicture *p, PictureTool tool);
void picture_fit (ScopePicture *p);
/* Points out the item of an event, once the picture that is to come has it. */
void picture_point_out (ScopePicture *p, uint64_t event);
/* > 1: nearer.  x, y: the point that stays, px; NAN: the cursor if it is in the picture, else the middle. */
void picture_zoom (ScopePicture *p, double factor, double x, double y);
void picture_zoom_rows (ScopePicture *p, double factor, double y);
/* Moves the camera of a view that has one, see view-camera.h; false: it has none. */
bool picture_move_camera (ScopePicture *p, ViewCameraMove how, double dx, double dy, double x, double y);
/* All of it from the `side`th side (0: the first that the view offers), of a view that has a camera; false: it has
 * none. */
bool picture_look_from (ScopePicture *p, int side);
/* What was shown before: the range, rows and magnification, or the place of its camera; false: there is nothing. */
bool picture_step_back (ScopePicture *p);
/* A place of its camera, as text: of the setting of the view, or of the one with which it shares its camera. */
void picture_place_camera (ScopePicture *p, const char *place);
/* Any setting of who keeps its camera, told as "WHAT of VIEW". */
void picture_set_kept (ScopePicture *p, const char *what, const char *setting, const char *value);
/* Sets a setting of its view, as an edit that is told as "WHAT of VIEW". */
void picture_set (ScopePicture *p, const char *what, const char *setting, const char *value);
/* The gesture is over: what it did can be undone. */
void picture_settle_camera (ScopePicture *p);
/* By px; a text by lines of 20 px. */
void picture_pan (ScopePicture *p, double dx, double dy);
void picture_set_follow (ScopePicture *p, bool follow);

/* The date at x, or of the item at x, y; INT64_MIN: none. */
int64_t picture_date_at (ScopePicture *p, double x, double y);
/* Where a menu or a key means: the pointer if it is in the picture, else the focused item. */
int64_t picture_date_meant (ScopePicture *p);
/* Whose colour is at a point of the widget: the value of an attribute, interned; false: nobody can choose it. */
bool picture_colour_at (ScopePicture *p, double x, double y, const char **attribute, const char **value);
/* What is under a point; item->name is to be freed. */
bool picture_item_at (ScopePicture *p, double x, double y, ViewItem *item, GString *facts);
/* All items, as of what is shown; owned by the picture, good until it changes. */
const GArray *picture_items (ScopePicture *p);
/* Selects whom an item is of, for all; NULL: nothing.  `add`: with what is selected, or no longer if it was. */
void picture_select (ScopePicture *p, const ViewItem *item, bool add);
bool picture_is_selected (ScopePicture *p, const ViewItem *item);
/* Tells all what the pointer is at; NULL: nothing. */
void picture_point_at (ScopePicture *p, const ViewItem *item);
#define PICTURE_MARKS 4000                            /* parts that can be pointed at, at most */
void picture_focus_item (ScopePicture *p, int index); /* -1: none */
int picture_focused_item (ScopePicture *p);

/* ---- inside ------------------------------------------------------------------------------------------------------------- */
typedef struct PictureKey { /* what a picture was made from */
  double width, height, scale, left_px;
  bool dark, keyed;
  int64_t from, to, at;
  uint32_t first_row, n_rows;
  uint64_t event;
  double zoom, left, top;
  uint64_t looks, film, present, selection; /* counted changes */
  uint64_t cut;                             /* of groups; 0: there are none */
  uint64_t counted;                         /* of the range that was counted; 0: none */
} PictureKey;

typedef enum {
  DRAG_NONE,
  DRAG_PRESSED,
  DRAG_RANGE,
  DRAG_PAN,
  DRAG_TIME,
  DRAG_ITEM,
  DRAG_NUMBER,
  DRAG_CAMERA,
  DRAG_STROKE
} PictureDrag;

struct _ScopePicture {
  GtkDrawingArea parent;
  ScopeDocument *d;
  EveComponent *c;
  const View *view;
  char *settings; /* as text, to see whether they changed */
  PictureShown shown;
  GArray *steps;       /* of PictureShown: what was shown before, the last one last; NULL: nothing */
  uint32_t step_sort;  /* picture-shown.c: of the last step, */
  int64_t step_us;     /* and when it was */
  bool goes_by_itself; /* what is shown now is no step */
  PictureTool tool;
  int64_t cursor_date; /* where the cursor was when the range last went along */

  cairo_surface_t *image; /* of `made`; NULL: none yet */
  Drawing *drawing;       /* that the image was made with: its marks; NULL: none */
  Drawing *marks;         /* all marks, where the drawing has left some for later; NULL: not asked for */
  PictureKey made, wanted;
  cairo_rectangle_t made_plot;
  int64_t made_from, made_to;
  uint32_t made_rows;
  char *sentence;           /* why there is no picture */
  int64_t made_at, made_us; /* when it was ready, µs; how long that took */
  guint finishing;          /* the same: a picture that is shown in its place is to become whole */
  guint making;             /* source, 0: nothing is to be made */
  uint64_t looks, film, present;
  guint film_timer;
  double left_px, own_left_px; /* where the plot begins at least; where it would if the picture stood alone */
  cairo_rectangle_t cursor;    /* where it was painted; width 0: nowhere */

  uint64_t point_out; /* number of an item, 0: none */
  GArray *items;      /* of ViewItem, NULL: to be asked for */
  int focused;        /* index of it */
  /* picture-input.c */
  GtkGesture *pinch;
  double pinch_from;
  PictureDrag drag;
  int64_t range_from, range_to;            /* that was selected before a drag; from > to: none */
  double press_x, press_y, last_x, last_y; /* px */
  double clicked_x, clicked_y;             /* where the last click was; far away at first */
  bool inside;                             /* the pointer is */
  ViewCameraMove camera_move;              /* what DRAG_CAMERA does */
  bool adds;                               /* Ctrl was held when the button went down */
  int64_t meant;                           /* date at which a menu was opened; INT64_MIN: at none */
  ViewItem dragged;
  bool opened; /* the last click did what a double click would: one that follows it is not meant twice */
  /* picture-keys.c */
  double turned; /* rows that the wheel was turned by, less those that were scrolled */
  /* strokes.c */
  GArray *stroke; /* of MarkPoint, px: that is being drawn; NULL: none */
  struct MarkDrawing *strokes;
  bool strokes_known; /* `strokes` is what there is, or is not, at this instant */
  int64_t strokes_at;
  bool of_film;         /* the picture was made from a film */
  guint film_wait;      /* source, until that is waited for no longer */
  int64_t film_lost_us; /* the film that it was drawn from was left for another, which is not there yet; 0: no */
  /* hover.c */
  guint hover_timer;
  ViewItem hovered;        /* name NULL: nothing */
  GPtrArray *card;         /* of char *: lines "name\tvalue"; the first is the title; NULL: not shown */
  double hover_x, hover_y; /* the point that it is about, px */
  cairo_rectangle_t card_at;
};

uint32_t picture_depends (ScopePicture *p, const ViewScene *scene); /* bits of ViewOn */
uint32_t picture_rows (ScopePicture *p, const ViewScene *scene);
/* Brings a range that follows to where the cursor is; true: it moved. */
bool picture_go_along (ScopePicture *p);
bool picture_is_alive (ScopePicture *p);
bool picture_plot (ScopePicture *p, cairo_rectangle_t *plot, int64_t *from, int64_t *to);
/* The marks of what is seen, for pointing; NULL: there is nothing. */
const Drawing *picture_marks (ScopePicture *p);
/* Outlines of what is pointed at anywhere, and of what is selected where the view itself does not show it. */
void picture_draw_frames (ScopePicture *p, cairo_t *cr, const ViewScene *scene, uint32_t on);
void picture_changed (ScopePicture *p); /* what is shown: items, card and title are others */
void picture_queue (ScopePicture *p, const cairo_rectangle_t *r, double margin); /* a part is painted again */
void picture_input_init (ScopePicture *p);
void picture_input_cancel (ScopePicture *p);
void picture_keys_init (ScopePicture *p);
/* It stands in rows that are lines of text, as a table: no dates from left to right. */
bool picture_in_rows (ScopePicture *p);
bool picture_scroll_rows (ScopePicture *p, double turns);
/* What opens under a double click, or by a key: a number as a curve; all else by a setting.  Both can be undone,
 * but not what only scrolls: how a thing is looked at is no change of the program. */
bool picture_open_item (ScopePicture *p, const ViewItem *item);
/* Does so if that scrolls to later (`by` 1) or earlier (-1) ones; false: it does not. */
bool picture_scroll_by_item (ScopePicture *p, const ViewItem *item, int by);
/* Selects it; of a table, what is of nobody is opened (true). */
bool picture_click_item (ScopePicture *p, const ViewItem *item, bool add);
/* What a drag under way looks like. */
void picture_input_draw (ScopePicture *p, cairo_t *cr, const ViewScene *scene);
/* What is drawn by hand over the picture: begins where the button went down; is kept when it ends. */
void strokes_begin (ScopePicture *p);
void strokes_to (ScopePicture *p, double x, double y);
void strokes_end (ScopePicture *p);
void strokes_take_back (ScopePicture *p); /* the last of this instant */
guint strokes_count (ScopePicture *p);    /* at this instant */
void strokes_forget (ScopePicture *p);    /* marks are others: they are read again */
void strokes_draw (ScopePicture *p, cairo_t *cr);
void hover_forget (ScopePicture *p);
void hover_later (ScopePicture *p);                                          /* the pointer moved */
void hover_item (ScopePicture *p, double x, double y, const ViewItem *item); /* at once: by the keyboard */
void hover_refresh (ScopePicture *p);                                        /* values may be others */
void hover_draw (ScopePicture *p, cairo_t *cr, const ViewScene *scene);
GType picture_accessible_get_type (void);
void picture_accessible_changed (ScopePicture *p);
void picture_accessible_focused (ScopePicture *p);
/* Measures, when SCOPE_DEBUG holds "frames"; `frame`: it is on the screen, not only kept. */
void frames_painted (bool frame);
