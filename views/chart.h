/* SPDX-License-Identifier: Apache-2.0 */
/* chart.h - what the charts share: numbers as text, scales, colours of series, and the last value of each owner. Engine
 * thread only. */
#pragma once
#include "statistics/graph.h"
#include "statistics/numbers.h"
#include "views/drawing.h"
#include "views/view-class.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */
/* "19.4 %", "4.58 ms", "65.5 kB", "3 104": a sensible number of digits; NaN: "–"; g_free. */
TRACE_API char *chart_number (double x, const char *unit);

/* The same of a number that is round, as a bound: "5 ms", "200 µs"; g_free. */
TRACE_API char *chart_round (double x, const char *unit);

/* A scale with round steps over lo..hi (and a little beyond, so that both ends are labelled). */
typedef struct ChartScale {
  double lo, hi, step;
  const char *unit; /* of the labels: "ms" for seconds that are small */
  double factor;    /* labels are in x * factor */
  int decimals;
} ChartScale;
/* `most` labels at the most, at least 2.  Values that are not finite, or of no extent, give a scale around them. */
TRACE_API void chart_scale (ChartScale *s, double lo, double hi, const char *unit, int most);
/* The same of what is counted: steps are whole numbers. */
TRACE_API void chart_scale_whole (ChartScale *s, double lo, double hi, const char *unit, int most);
TRACE_API char *chart_label (const ChartScale *s, double x); /* g_free */
/* Lines across from x0 to x1 at y (lo at y1, hi at y0), labels left of x0 - 6, in thousands or millions where they are
 * wider than that; the unit above. */
TRACE_API void chart_scale_y (Paint *p, const ChartScale *s, double x0, double x1, double y0, double y1);
/* Lines up and down from y0 to y1, labels below y1. */
TRACE_API void chart_scale_x (Paint *p, const ChartScale *s, double x0, double x1, double y0, double y1);
TRACE_API double chart_scale_width (Paint *p, const ChartScale *s); /* of the widest label */

/* Colour of the i-th of several series, told apart with the common colour blindnesses (Okabe and Ito 2008); of one
 * only, the accent. */
TRACE_API uint32_t chart_colour (const ViewScene *scene, const char *name, uint32_t i, uint32_t n);
/* The same of a series of somebody: a task has the same colour in all charts, of however many, by its place among the
 * tasks; what is no task has that of its place `i`.  `of` of the type TRACE_REF_NONE: several series are of one. */
TRACE_API uint32_t chart_colour_of (const ViewScene *scene, TraceRef of, const char *name, uint32_t i, uint32_t n);
/* A shade for 0 .. 1, from paper to deep, of one colour: read in the same way with any colour vision, and in print. */
TRACE_API uint32_t chart_shade (const ViewScene *scene, double share);
/* Of a sentence for instants that are followed by others, and one for the end of the execution, the one that holds. */
TRACE_API const char *chart_when (const ViewScene *scene, const char *before, const char *at_the_end);
/* The name of a column of a table, or of an attribute, in the language of the person. */
TRACE_API const char *chart_head (const StatsColumn *column);
/* A text of such a column, by whose word it is; `g` knows those of states and may be NULL. */
TRACE_API const char *chart_word (const StatsColumn *column, const StateGraph *g, const char *text);
/* Whether a title stands above the picture already. */
TRACE_API bool chart_is_titled (const ViewScene *scene, const char *title);
/* A title at the left of the first line, something quieter at the right, or in its place where the title is told. */
TRACE_API void chart_title (Paint *p, const char *title, const char *quiet);
/* "in 1.2 s to 3.4 s": of what a scene shows that was counted in a range of dates; g_free. */
TRACE_API char *chart_range_told (const ViewScene *scene);
/* Names that stand in a picture, of few: none lies over another.  g_array_unref. */
TRACE_API GArray *chart_names_new (void);
/* Whether one so wide (px) has room from x on, about y; then it has it. */
TRACE_API bool chart_names_room (GArray *names, double x, double y, double wide);
#define CHART_TOP 34.0
/* A View's depends, for one of an instant. */
TRACE_API uint32_t chart_depends (EveComponent *c, const ViewScene *scene);

/* ---- data --------------------------------------------------------------------------------------------------------------- */
/* The tag of the number of an owner, the `index`th of the chart. */
TRACE_API DrawingTag chart_tag (const ViewScene *scene, const StatsDatum *of, uint32_t index);

typedef struct ChartValue {
  StatsDatum last;
  double min, max; /* of the finite ones; NaN: there was none */
  uint64_t count;
} ChartValue;

#define CHART_MOST_OWNERS (1u << 17)
#define CHART_ATTRIBUTES 16 /* those that are looked for under another one, see chart_values_find() */
/* The last value of each series: of an owner, or of one of its attributes. */
typedef struct ChartValues {
  GArray *values;  /* of ChartValue, in order of first appearance */
  uint32_t *place; /* by hash of the owner: index + 1, and of the hash what finds it */
  uint32_t n_places;
  uint64_t n_beyond;                                   /* data of owners beyond the most that are kept apart */
  uint32_t n_attributes, attributes[CHART_ATTRIBUTES]; /* the first of those that the values are of */
} ChartValues;
TRACE_API void chart_values_init (ChartValues *v);
TRACE_API void chart_values_finish (ChartValues *v);
TRACE_API void chart_values_reset (ChartValues *v);
/* What the first of them is measured in; NULL: nothing, or there is none. */
TRACE_API const char *chart_values_unit (const ChartValues *v);
/* Numbers of a type that number_is(); `present`: eve_at_rest(). */
TRACE_API void chart_values_take (ChartValues *v, const EveType *type, bool present, const void *data, uint32_t n);
/* The value of the same owner, whichever attribute of it these values are of; where they are of several, the one of the
 * same attribute.  NULL: there is none, or, and then *several, there are some, of other attributes.  `several` may be
 * NULL. */
TRACE_API const ChartValue *chart_values_find (const ChartValues *v, const StatsDatum *of, bool *several);
/* The same, fast where these values stand in the same order as those that `of` is the `i`th of. */
TRACE_API const ChartValue *chart_values_find_beside (const ChartValues *v, const StatsDatum *of, uint32_t i,
                                                      bool *several);
TRACE_API void chart_values_save (const ChartValues *v, EveProgram *program, EveBlob *to);
TRACE_API bool chart_values_load (ChartValues *v, EveProgram *program, EveBlobView *from); /* after a reset */

/* An instance of a chart of values begins with this; the functions below are its class's, as CHART_VIEW_CLASS. */
typedef struct ChartView {
  EveBase base;
  ChartValues of;
} ChartView;
TRACE_API bool chart_view_init (EveComponent *c);
TRACE_API void chart_view_finish (EveComponent *c);
TRACE_API void chart_view_reset (EveComponent *c);
TRACE_API void chart_view_save (EveComponent *c, EveBlob *to);
TRACE_API bool chart_view_load (EveComponent *c, EveBlobView *from);
TRACE_API void chart_view_data (EveComponent *c, EveIn *in, const void *data, uint32_t n);
#define CHART_VIEW_CLASS                                                                                               \
  .init = chart_view_init, .finish = chart_view_finish, .reset = chart_view_reset, .save = chart_view_save,            \
  .load = chart_view_load, .refuse = number_refuse
/* The value that a mark is of, by the index of its tag; NULL: it is of none. */
TRACE_API const ChartValue *chart_view_value (EveComponent *c, const DrawingMark *m);
/* What its values differ in beside their owners, for stats_owner_name_among(). */
TRACE_API unsigned chart_differ_in (const ChartView *v);
/* The values as a table. */
TRACE_API bool chart_view_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error);

#define CHART_IN                                                                                                       \
  {                                                                                                                    \
    "value", NULL, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_view_data, .required = true,           \
                              .present = true,                                                                         \
                              .doc = "Numbers: real, whole, truth values or dated, of one owner or of many."           \
  }

/* ---- things: histograms, tables, matrices ---------------------------------------------------------------------------------- */
/* An instance of a chart of one such thing, the last that came, begins with this; its class has CHART_THING_CLASS and a
 * single input of its type. */
typedef struct ChartThing {
  EveBase base;
  const EveType *type;       /* of the input */
  void *thing;               /* a reference; NULL: none has come */
  uint64_t serial;           /* another one each time that another thing is held */
  struct ChartMatrix *shown; /* chart-matrix.h, of a matrix; NULL: nobody asked */
} ChartThing;
TRACE_API bool chart_thing_init (EveComponent *c);
TRACE_API void chart_thing_finish (EveComponent *c);
TRACE_API void chart_thing_reset (EveComponent *c);
TRACE_API void chart_thing_save (EveComponent *c, EveBlob *to);
TRACE_API bool chart_thing_load (EveComponent *c, EveBlobView *from);
TRACE_API void chart_thing_data (EveComponent *c, EveIn *in, const void *data, uint32_t n);
#define CHART_THING_CLASS                                                                                              \
  .init = chart_thing_init, .finish = chart_thing_finish, .reset = chart_thing_reset, .save = chart_thing_save,        \
  .load = chart_thing_load
TRACE_API bool chart_thing_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error);
/* "Title · 0.255 62 s" of what is shown: the setting, else the thing's own, else the box's name. */
TRACE_API void chart_thing_title (Paint *p, EveComponent *c, const char *setting, const char *own, int64_t date,
                                  const char *more);
