/* SPDX-License-Identifier: Apache-2.0 */
/* paint.h - what the draw sides of views share: the quiet colours, text, the time axis, the legend.  12 px text, thin
 * lines. */
#pragma once
#include <math.h>
#include <pango/pangocairo.h>
#include "views/view.h"

typedef struct StateSlots StateSlots; /* slots.h */

typedef struct Paint {
  cairo_t *cr;
  const ViewScene *scene;
  uint32_t paper, ink, muted, faint, grid, cursor, unknown; /* 0xRRGGBB */
  PangoLayout *layout;
  int text_px;      /* size of the layout's font now, 0: none */
  bool measures;    /* `cr` is its own */
  Drawing *drawing; /* that it belongs to, which takes marks of legends; NULL: to none */
} Paint;

/* Fills the background. */
TRACE_API void paint_begin (Paint *p, const ViewScene *scene, cairo_t *cr);
/* Leaves what is there: for what comes over a picture. */
TRACE_API void paint_over (Paint *p, const ViewScene *scene, cairo_t *cr);
/* Paints nowhere: for finding where things stand, which must not hang on what is painted on. */
TRACE_API void paint_measure (Paint *p, const ViewScene *scene);
TRACE_API void paint_end (Paint *p);
TRACE_API void paint_source (cairo_t *cr, uint32_t rgb, double alpha);
/* a + (b - a) * share */
TRACE_API uint32_t paint_mix (uint32_t a, uint32_t b, double share);
/* 0 black .. 1 white, as the eye sees it. */
TRACE_API double paint_lightness (uint32_t rgb);
/* Ink that can be read on it. */
TRACE_API uint32_t paint_ink_on (uint32_t rgb);

enum { PAINT_SMALL = 11, PAINT_TEXT = 12, PAINT_TITLE = 13, PAINT_BOLD = 64, PAINT_NAME = 128 };
/* A line of text whose left end (align 0), middle (0.5) or right end (1) is at x, centred on y; `max_px` > 0: shortened
 * with an ellipsis: at its end, or, of names of which many begin alike (| PAINT_NAME), in its middle. `px`: a size,
 * perhaps | PAINT_BOLD.  Gives its width. */
TRACE_API double paint_text (Paint *p, double x, double y, double align, int px, uint32_t rgb, double max_px,
                             const char *text);
TRACE_API double paint_text_width (Paint *p, int px, const char *text);
/* Something in the picture that its legend has no room for: it is named where somebody asks (scene->unnamed). */
TRACE_API void paint_unnamed (Paint *p, uint32_t rgb, const char *name);
/* What a damaged film has lost of a picture: hatched, so that it is like no state; three pixels wide at least. */
TRACE_API void paint_lost (Paint *p, double x, double y, double width, double height);
/* A sentence in the middle, when there is nothing to draw. */
TRACE_API void paint_sentence (Paint *p, const char *text);

/* ---- time ------------------------------------------------------------------------------------------------------------- */
typedef struct Axis {
  int64_t from, to; /* ticks */
  int64_t zero;     /* labels count from there */
  double x, width;  /* px */
  double per_px;    /* ticks */
  int64_t step;     /* between labels */
  int decimals;
  double unit_s; /* 1, 1e-3 or 1e-6 */
  const char *unit;
  double ticks_per_second;
} Axis;
/* The date at x. */
static inline int64_t
axis_date_at (const Axis *a, double x)
{
  return a->from + (int64_t) llround (CLAMP (x - a->x, 0, a->width) * a->per_px);
}
TRACE_API void axis_begin (Axis *a, const ViewScene *scene, int64_t from, int64_t to, double x, double width);
/* What is said where nothing of an execution is on the axis, for paint_sentence(); NULL: something is. */
TRACE_API const char *axis_outside (const Axis *a, const TraceSource *source);
static inline double
axis_x (const Axis *a, int64_t date)
{
  return a->x + ((double) date - (double) a->from) / a->per_px;
}
#define AXIS_RIGHT 16.0 /* px that all plots leave at their right */
/* Where a plot begins whose labels need so much; at least a third of the picture is left to it. */
static inline double
axis_left (const ViewScene *scene, double own)
{
  double most = scene->width_px * 2 / 3;

  return own >= scene->left_px || own >= most ? own : scene->left_px < most ? scene->left_px : most;
}
/* Vertical lines from y0 to y1, labels below y1 (18 px). */
TRACE_API void axis_draw (Paint *p, const Axis *a, double y0, double y1);
/* Between labels: 1, 2 or 5 times a power of ten, not less than that; and how many decimals tell two labels apart. */
TRACE_API double axis_round_step (double least);
TRACE_API int axis_decimals (double step);
/* How many decimals of a second tell so many digits of a span. */
TRACE_API int axis_span_decimals (const TraceClock *clock, double ticks, int digits);
/* The cursor with its flag, which stands on y0. */
TRACE_API void axis_cursor (Paint *p, const Axis *a, int64_t at, double y0, double y1);
/* The whole of a View's draw_cursor, for one with a time axis: the same cursor at scene->at. */
TRACE_API void axis_draw_cursor (const Axis *a, const ViewScene *scene, cairo_t *cr, cairo_rectangle_t *where,
                                 double y0, double y1);
/* What dates and durations are shown in, wherever a person reads them: as fits, or one unit for all of them, which is a
 * matter of taste and of the process.  Files have seconds all the same.  Any thread. */
typedef enum { AXIS_UNIT_FITTING, AXIS_UNIT_S, AXIS_UNIT_MS, AXIS_UNIT_US, N_AXIS_UNITS } AxisUnit;
TRACE_API void axis_set_unit (AxisUnit unit);
/* The unit that was chosen for all, and by how many digits the point of seconds moves over in it; NULL: as fits. */
TRACE_API const char *axis_unit (int *digits);
/* "0.255 62 s", or, where dates are shown from a later zero on, "+0.255 62 s"; `decimals` < 0: all that the clock has;
 * g_free. */
TRACE_API char *axis_date (const TraceClock *clock, int64_t date, int decimals);
/* The same in the clock's own unit, whatever was chosen: for fields that seconds are typed into. */
TRACE_API char *axis_date_typed (const TraceClock *clock, int64_t date, int decimals);
/* "4.58 ms" */
TRACE_API char *axis_duration (const TraceClock *clock, double ticks);
/* The digits before the point in threes by the mark of the locale, "3,104,000", or those behind it, "0.263 085": four
 * are read at once; g_free.
 */
TRACE_API char *paint_in_threes (const char *number, bool behind);
/* As g_strdup_printf() and g_string_append_printf(), the digits of each whole number that they print in threes, as
 * "100,000 tasks in 64 groups"; those of names stay as they are. */
TRACE_API char *paint_told (const char *format, ...) G_GNUC_PRINTF (1, 2);
TRACE_API void paint_tell (GString *to, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Two things that are told of a picture, "200 of 1,000; means of groups"; NULL and "" are nothing.  NULL: neither is
 * anything; g_free. */
TRACE_API char *paint_joined (const char *one, const char *other);
/* Takes the joint at its end off it. */
TRACE_API void paint_end_note (GString *note);
/* "65.5 kB" */
TRACE_API char *paint_bytes (double bytes);

/* ---- states ----------------------------------------------------------------------------------------------------------- */
/* Name of a state of nodes, or of edges; "state 3" if the model is not known.  Good until the next call. */
/* The name of the attribute that says what objects do, for the table of colours; that of others, where nobody knows. */
TRACE_API const char *paint_state_attribute (const StateGraph *g, StateScope scope);
TRACE_API const char *paint_state_name (const StateGraph *g, StateScope scope, uint32_t state);
/* The same, and of a slot, as people read it: state_word(). */
TRACE_API const char *paint_state_word (const StateGraph *g, StateScope scope, uint32_t state);
TRACE_API const char *paint_slot_word (const StateGraph *g, StateScope scope, const StateSlots *slots, uint32_t slot);
/* Of the name of a state; `g` may be NULL: then nobody knows whose word it is. */
TRACE_API const char *paint_word (const StateGraph *g, StateScope scope, const char *name);
/* The colour of the state of that name. */
TRACE_API uint32_t paint_state_named (const ViewScene *scene, StateScope scope, const char *name);
/* The same for a slot of a picture: "others" where it stands for many. */
TRACE_API const char *paint_slot_name (const StateGraph *g, StateScope scope, const StateSlots *slots, uint32_t slot);
TRACE_API uint32_t paint_slot (const ViewScene *scene, StateScope scope, const StateSlots *slots, uint32_t slot);
TRACE_API StateSense paint_state_sense (const StateGraph *g, StateScope scope, uint32_t state);
/* The trace has a name for it; it is no word of the model. */
TRACE_API bool paint_state_is_given (const StateGraph *g, StateScope scope, uint32_t state);
TRACE_API uint32_t paint_state (const ViewScene *scene, StateScope scope, uint32_t state);
/* How many times thinner than others bars of that state are: of what is not there yet, or no more, as it should not
 * shout. From 6 px on; 1 for all others. */
TRACE_API uint32_t paint_thinness (const ViewScene *scene, const StateSlots *slots, uint32_t slot);
/* Squares with names, from x on, or further left where the room is short; gives where it ends.  `shares` NULL, or a
 * share for each slot; `met`: a bit for each slot to name; `slots` NULL: each state is its own.  What there is no room
 * for is counted. */
TRACE_API double paint_legend (Paint *p, double x, double y, StateScope scope, const StateSlots *slots, uint32_t met,
                               const double *shares);
/* What is said where groups of tasks are closed and a picture shows each task all the same; NULL: none is closed. */
TRACE_API const char *paint_alone (const ViewScene *scene);
/* At the right end of a line, as much of it as there is room for behind x: its parts stand between semicolons, the
 * first ones say most.  Before it comes the trace, if the scene names it; NULL: nothing else. */
TRACE_API void paint_note (Paint *p, double x, double y, const char *note);
typedef enum {
  PAINT_DISC,
  PAINT_HEXAGON,
  PAINT_RING,
  PAINT_SQUARE,
  PAINT_CROSSED,
  PAINT_DIAMOND,
  PAINT_TRIANGLE,
  PAINT_SHAPES, /* that rules can ask for; behind them: */
  PAINT_THIN_RING = PAINT_SHAPES,
  PAINT_DASHED_RING
} PaintShape;
extern TRACE_API const char *const paint_shapes[PAINT_SHAPES];
/* All of them look equally large, in about the area of a disc of that radius; gives the ink for a label inside. */
TRACE_API uint32_t paint_shape_of (Paint *p, double x, double y, double r, PaintShape shape, uint32_t rgb);
/* The shape that a state of nodes has in a graph; else the same. */
TRACE_API uint32_t paint_shape (Paint *p, double x, double y, double r, uint32_t state);
/* The same in another colour. */
TRACE_API uint32_t paint_shape_in (Paint *p, double x, double y, double r, uint32_t state, uint32_t rgb);
