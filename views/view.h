/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the contract of views: what is shown of an execution, as a drawing.
 *
 * A view is a component like any other; it answers the query "view/4" with a View.  What it needs of the whole
 * execution comes to inputs that are `kept`: a pass that shoots a film writes it down once for all views, and the view
 * reads it there (layer.h).  What an instant needs comes to its other inputs.  A view gets a scene (what to show, of
 * which size, in which colours) and makes a drawing of it (drawing.h): from the film's files, from the state graph at
 * the cursor, from the trace.  What is drawn is tagged with what it is of; so what is under the pointer, what can be
 * stepped to and read aloud, what a dropped colour changes and what is framed all come from the one layout.  A view
 * needs no display, gives the same picture for the same scene, and sums up what is denser than a pixel.  Engine thread
 * only. */
#pragma once
#include <cairo.h>
#include "readers/ref.h"
#include "simulators/state.h"

/* ---- colours by association: one table for all views (design: the window) ------------------------------------- */
typedef struct ViewColours ViewColours;
/* The built-in table, with what the person saved over it (XDG config, scope/colours); never NULL. */
TRACE_API ViewColours *view_colours_load (void);
TRACE_API ViewColours *view_colours_copy (const ViewColours *c);
TRACE_API void view_colours_free (ViewColours *c);
TRACE_API bool view_colours_save (const ViewColours *c, GError **error);
/* Colour of a value ("Busy") of an attribute ("State"), 0xRRGGBB; values that are in no table get one of their own that
 * stays. */
TRACE_API uint32_t view_colour (const ViewColours *c, const char *attribute, const char *value, bool dark);
/* The same for a state: one that has no colour of its own in the table gets that of its sense. */
TRACE_API uint32_t view_state_colour (const ViewColours *c, StateScope scope, const char *attribute,
                                      const StateValue *value, bool dark);
/* The same, and where nobody says which: that of a place, from 0, in the row of colours that names of states have. */
TRACE_API uint32_t view_colour_placed (const ViewColours *c, const char *attribute, const char *value, bool dark,
                                       uint32_t place);
/* The traces that are open, whose colours of states hold where no person and no rule says any, in palettes that take
 * them; of several the first one that declares one.  NULL: none. */
TRACE_API void view_colours_declare (ViewColours *c, TraceSource *const *sources, uint32_t n);
TRACE_API void view_colours_set (ViewColours *c, const char *attribute, const char *value, uint32_t rgb);
/* As it came; `value` NULL: all of them. */
TRACE_API void view_colours_reset (ViewColours *c, const char *attribute, const char *value);
/* The values of an attribute whose colours were chosen, in the order in which they were. */
TRACE_API void view_colours_each_chosen (const ViewColours *c, const char *attribute,
                                         void (*each) (void *arg, const char *value), void *arg);

/* What a legend had no room for. */
typedef struct ViewUnnamed {
  uint32_t rgb;
  char *name;
} ViewUnnamed;

/* ---- scene -------------------------------------------------------------------------------------------------------- */
typedef struct ViewScene {
  double width_px, height_px; /* logical px; the caller scales the cairo context for HiDPI */
  double scale;               /* device px a logical px, for what is painted as an image */
  bool dark;
  int64_t from, to;        /* dates shown, in ticks; from > to: the whole execution */
  int64_t at;              /* the cursor: the present instant; INT64_MIN: none */
  TraceSource *source;     /* names, clock, events; the view may move its place */
  const StateGraph *graph; /* state at `at`; NULL: not known */
  const char *film;        /* folder of the film; NULL: there is none */
  const char *tasks;       /* folder of what the film knows of the tasks of `source`; NULL: that of the film */
  const ViewColours *colours;
  const char *bundle;         /* folder of the bundle, for positions and the like; may be read-only */
  const TraceRefs *selection; /* what stands out; NULL: nothing */
  uint64_t event;             /* a text begins with the event of this number; UINT64_MAX: at `from` */
  uint32_t first_row, n_rows; /* of what stands in rows, those alone; n_rows 0: all */
  const char *trace;          /* what the picture must say which trace it is of; NULL: the program has one alone */
  double left_px; /* of views with plot(): it begins at least so far from the left, so that one instant is at one x in
                     pictures that stand above each other; 0: where the labels end */
  const struct Groups *groups; /* of the tasks of `source`, with what of them is shown as one (groups.h); NULL: none */
  /* > 0: the picture may be made in slices of about so many ms.  As long as the drawing says that it is unfinished
   * (drawing.h), it is asked for once more with `again`: nothing but that has changed. */
  double budget_ms;
  bool again;
  const char *titled;          /* a title that stands above the picture already, as that of a pane; NULL: none */
  const struct TraceAll *more; /* attributes that components of the program add (readers/more.h); NULL: none */
  /* What a chart of an instant shows was counted between these dates alone, both counted, which it says; ticks; 0 and
   * 0: until `at`. */
  int64_t counted_from, counted_to;
  bool keyed; /* the states of `graph` have a legend beside the picture: one in it is of use only where it tells
        more */
  /* A picture in a file that stands alone (view_to_file()): lines that stand above it, the first in bold; and what its
   * legend has no room for is named below it. */
  const char *heading;
  GArray *unnamed; /* of ViewUnnamed: gets that; NULL: nobody asks */
} ViewScene;

/* Whether what is shown was counted in a range. */
static inline bool
view_is_counted (const ViewScene *scene)
{
  return scene->counted_from != 0 || scene->counted_to != 0;
}

/* The folder of tasks, their groups and traffic; NULL: nothing is known of them. */
static inline const char *
view_tasks (const ViewScene *scene)
{
  return scene->tasks != NULL ? scene->tasks : scene->film;
}

/* What a part of a drawing is of. */
typedef struct DrawingTag {
  TraceRef what, other; /* whom it shows; of a link or a message the one that it goes to too */
  /* Good for ever (g_intern_string).  Both: what a colour dropped there changes.  An attribute alone: the number that
   * it is of `what`, which can be shown over time.  NULL: neither. */
  const char *attribute, *value;
  int64_t from, to;     /* dates, ticks; from > to: none */
  uint64_t event;       /* number of an event, from 1 on; 0: none */
  uint32_t index, part; /* the view's own: which of what.  Marks that follow each other with one tag are one thing */
} DrawingTag;
#define DRAWING_NO_DATES .from = 1, .to = 0

typedef enum {
  DRAWING_RECT,
  DRAWING_DISC,   /* at x, y with the radius a */
  DRAWING_SECTOR, /* of a ring around x, y: radii a to b, angles c to d as cairo_arc() has them */
  DRAWING_LINE,   /* through `n` points from `first` on, a px to each side */
  DRAWING_PIXELS, /* those of the image `first` that have the id `n` */
} DrawingShape;

/* A part of a drawing that has a tag. */
typedef struct DrawingMark {
  DrawingTag tag;
  double left, top, width, height; /* what it lies in, logical px */
  double x, y, a, b, c, d;         /* see DrawingShape */
  uint32_t first, n;
  uint8_t shape;
  bool colour_only; /* for dropped colours: part of something that has a mark of its own */
} DrawingMark;

typedef struct Drawing Drawing; /* drawing.h */

/* What can be pointed at, told; also what accessibility and tests see. */
typedef struct ViewItem {
  double x, y, width, height; /* logical px */
  char *name;                 /* "t40003 fft 1: Idle from 0.2510 s to 0.2556 s"; g_free */
  DrawingMark mark;
} ViewItem;

typedef enum { VIEW_OF_INSTANT = 1, VIEW_OF_EXECUTION = 2 } ViewSpan;

/* What of a scene a picture hangs on, besides size, scale, dark and colours, which all pictures do.  While these fields
 * are the same, and no setting of the view was changed, the picture is the same and need not be drawn again. */
typedef enum {
  VIEW_ON_RANGE = 1,   /* from, to, first_row, n_rows */
  VIEW_ON_INSTANT = 2, /* at, and the state that the graph holds then */
  VIEW_ON_FILM = 4,    /* what the film holds by now: again when it has grown */
  VIEW_ON_SELECTED = 8,
  VIEW_ON_EVENT = 16,
} ViewOn;

/* What to look for in a text: what find() is given, and where it stands between two calls. */
typedef struct ViewSearch {
  const char *text; /* letters of either case are the same; "" finds every line */
  bool backward;
  uint64_t event; /* first event looked at; then the one to go on with, or the one found */
  int64_t date;   /* of the one found */
} ViewSearch;
typedef enum { VIEW_FOUND, VIEW_SEARCHING, VIEW_NOT_FOUND } ViewFound;

typedef struct View {
  const char *title; /* "Space-time" */
  uint32_t spans;    /* which of from..to and at the picture depends on */
  /* Makes the drawing of a scene.  False and a sentence: nothing to show, damaged film. */
  bool (*build) (EveComponent *self, const ViewScene *scene, Drawing *to, GError **error);
  /* Tells of a mark that the view made: its name, appended, and, if `facts` is not NULL, what more is known, as lines
   * "Name\tvalue\n".  Without `facts` the name has to tell it alone.  Asked only when it is pointed at, stepped to or
   * listed.  NULL: it is told by what it is of. */
  void (*say) (EveComponent *self, const ViewScene *scene, const DrawingMark *mark, GString *name, GString *facts);
  /* For what is too dense for marks: the one under a point.  Smaller marks of the drawing go before it.  False, or NULL
   * function: there is none. */
  bool (*point) (EveComponent *self, const ViewScene *scene, double x, double y, DrawingMark *mark);
  /* Whom a mark of several stands for; they are selected with a click.  NULL: `what` and `other` of its tag. */
  void (*owners) (EveComponent *self, const ViewScene *scene, const DrawingMark *mark, TraceRefs *to);
  /* Bits of ViewOn for such a scene; NULL: all of them. */
  uint32_t (*depends) (EveComponent *self, const ViewScene *scene);
  /* A cursor that moves at the rate of frames: where depends() has no VIEW_ON_INSTANT, draw the scene once with at =
   * INT64_MIN and keep that picture; then for each `at` copy it back and call this, which paints what is missing: pixel
   * by pixel the two make what build() draws.  `cr` NULL: paints nothing.  `where`, if not NULL, becomes the rectangle
   * in logical px outside of which nothing is painted (width 0: nothing at all), so that only this and the one before
   * must be copied back. A fraction of a millisecond after build() or draw_cursor() with a scene that differs in `at`
   * alone.  NULL: has no cursor. */
  void (*draw_cursor) (EveComponent *self, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where);
  /* The person dragged a mark of the picture to x, y (logical px: where its middle shall be).  Gives the name of the
   * setting that does it and sets *value to its new text, g_free; the caller sets it, so that it can be undone.  NULL:
   * it cannot be moved there.  NULL function: nothing can. */
  const char *(*drag) (EveComponent *self, const ViewScene *scene, const DrawingMark *mark, double x, double y,
                       char **value);
  /* The person opened a mark (a double click, or Enter on what is selected): as drag(), the setting that does it and
   * its new text.  NULL: it cannot be opened.  NULL function: nothing can. */
  const char *(*open) (EveComponent *self, const ViewScene *scene, const DrawingMark *mark, char **value);
  /* The part of the picture in which time runs from left to right, and its first and last date; logical px: asked
   * before there is a drawing, while what was drawn is stretched.  False, or NULL function: in no part. */
  bool (*plot) (EveComponent *self, const ViewScene *scene, cairo_rectangle_t *plot, int64_t *from, int64_t *to);
  /* How many rows there are, of which a scene can show some; NULL: the picture has no rows. */
  uint32_t (*rows) (EveComponent *self, const ViewScene *scene);
  /* The number of the event with which a text begins that is scrolled by so many lines (< 0: back).  False: there is no
   * further. */
  bool (*scroll) (EveComponent *self, const ViewScene *scene, int lines, uint64_t *event);
  /* Goes on searching for at most budget_ns; s->event and s->date tell what was found. */
  ViewFound (*find) (EveComponent *self, const ViewScene *scene, ViewSearch *s, int64_t budget_ns, GError **error);
  /* All that the picture sums up, as RFC 4180 CSV with a header line.  What a damaged film has lost of it is a line too
   * (docs/views.md).  NULL: its marks are the lines. */
  bool (*csv) (EveComponent *self, const ViewScene *scene, GString *to, GError **error);
  /* What is damaged in the film, as far as anything met it since the film was opened or begun again: which file, and
   * what is missing; NULL: nothing.  *lost (may be NULL): something that was to be shown is missing, so a picture has a
   * mark there; else it is right, and only took longer.  Good until the next call.  NULL function: keeps nothing in a
   * film, or nothing that can be lost. */
  const char *(*damage) (EveComponent *self, bool *lost);
} View;

/* For a `query`: what answers "view/4". */
#define VIEW_INTERFACE "view/4"
#define VIEW_INTERFACE_BEFORE "view/3"
/* The view of a component; of one that was built for an older Scope one that says so; NULL: it is none. */
TRACE_API const View *view_get (EveComponent *c);

/* ---- what the marks of a drawing answer, written once; `v` is the view of `c`, `d` a drawing of the scene ----------- */
/* What is under a point: the smallest, at least nearly.  item->name is g_free'd by the caller. */
TRACE_API bool view_item_at (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, double x,
                             double y, ViewItem *item, GString *facts);
/* The first `max` things that can be pointed at, the most important first, appended to an array of ViewItem. */
TRACE_API void view_items (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, GArray *to,
                           guint max);
/* Whom a mark stands for, added: a link for two tasks of a link, the tasks of a band, a state for its name in a legend.
 */
TRACE_API void view_owners (EveComponent *c, const View *v, const ViewScene *scene, const DrawingMark *mark,
                            TraceRefs *to);
/* What a colour dropped at a point changes: the value of an attribute in the table of colours. */
TRACE_API bool view_colour_at (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, double x,
                               double y, const char **attribute, const char **value);
/* View.csv, or the marks. */
TRACE_API bool view_csv (EveComponent *c, const View *v, const ViewScene *scene, GString *to, GError **error);
/* View.build, with the colours that rules give for this view. */
TRACE_API bool view_build (EveComponent *c, const View *v, const ViewScene *scene, Drawing *d, GError **error);
/* A drawing of which only marks are wanted, at most so many; NULL and a sentence: there is nothing to show. */
TRACE_API Drawing *view_marks (EveComponent *c, const View *v, const ViewScene *scene, guint most, GError **error);
/* Draws on `cr`; no marks are kept. */
TRACE_API bool view_draw (EveComponent *c, const View *v, const ViewScene *scene, cairo_t *cr, GError **error);

/* "Space-time 2" -> "Space-time_2" + suffix, in folder; g_free. */
TRACE_API char *view_file_name (const EveComponent *self, const char *folder, const char *suffix);

/* ---- picture.h part: a scene to a file ------------------------------------------------------------------------------ */
/* Paints a view into a .png, .svg or .pdf file (by its ending), atomically. */
TRACE_API bool view_to_file (EveComponent *view, const ViewScene *scene, const char *path, GError **error);
