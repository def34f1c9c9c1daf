/* SPDX-License-Identifier: Apache-2.0 */
/* curve.h - what the files of the curve share: its state, what one picture shows, and its areas.  Engine thread only.
 */
#pragma once
#include "readers/reader.h"
#include "views/history-values.h"
#include "views/associations.h"
#include "views/stretches.h"
#include "views/time-plot.h"

enum { JOIN_STEPS, JOIN_LINES, JOIN_POINTS, JOIN_STACKED };
enum { ORDER_ALL, ORDER_INSTANT };
enum { IN_SERIES, IN_POINT, IN_LEGEND, IN_MARK, IN_STRETCH };
#define POINT_PX 2.0       /* the radius of one */
#define REST VALUES_SERIES /* in the place of a series: those together that have no area of their own */

typedef struct Curve {
  EveBase base;
  int32_t join, order; /* settings */
  int64_t most;
  double low, high;
  char *title, *also, *empty, *mark;
  char *values; /* draw side: the layer that is open; NULL: none */
  ValuesReader *read;
  char *lost_names;             /* why the names of the film's series could not be read; NULL: they were */
  GPtrArray *names, *owners;    /* of the film's series, and whose they are; of char * */
  uint64_t beyond;              /* data of further owners: they are not kept */
  TraceRef refs[VALUES_SERIES]; /* of the last picture: whom the series are of */
  bool shares_owner;            /* several series are of one task */
  char *refs_of;                /* by which names and tasks they were found */
  bool any_chosen;              /* one of them is selected */
  char *unit;
  bool named[VALUES_SERIES]; /* `also` names them */
  char *marks;               /* layer of what is marked; NULL: none */
  ValuesReader *read_marks;
  StretchLayer stretches;
  Names *tasks;                   /* of the trace; NULL: not asked for yet */
  Looks rules;                    /* of the last picture, */
  Look *looks;                    /* by series; NULL: no rule is asked */
  uint32_t sorted[VALUES_SERIES]; /* series, in the order that is wished for */
} Curve;

typedef struct Plot {
  TimePlot t;
  uint32_t n; /* series */
  ValueColumn *columns;
  double before[VALUES_SERIES];
  /* stacked: areas from the ground up, the largest first, perhaps REST last; and where each begins and ends:
   * edge[area * n_columns + column], of one more than there are */
  uint32_t n_areas, area[VALUES_SERIES + 1], n_rest;
  double *edge;
} Plot;

/* Names of series in lines above the plot; those that have no room are counted in the last place. */
typedef struct Legend {
  uint32_t lines, a_line, shown; /* shown: how many names */
} Legend;
Legend curve_legend (const Curve *v, const ViewScene *scene);
void curve_draw_legend (Curve *v, Paint *p, const Plot *plot);
/* Where the plot begins: below the title, and the legend where there is one. */
double curve_top (const Curve *v, const ViewScene *scene);
/* What rules say of each series, once the columns of the plot are known. */
void curve_look_up (Curve *v, const ViewScene *scene, const Plot *plot);
/* What is hidden is in no scale, no sum, no legend and no mark. */
static inline bool
curve_hides (const Curve *v, uint32_t s)
{
  return v->looks != NULL && s < VALUES_SERIES && v->looks[s].hidden;
}
/* How a series is called. */
const char *curve_name (const Curve *v, uint32_t s);
double curve_opacity (const Curve *v, uint32_t s);
/* px that the key of rules takes above the plot */
double curve_key_px (const Curve *v, const ViewScene *scene);
void curve_draw_key (const Curve *v, Paint *p);
uint32_t curve_colour (const Curve *v, const ViewScene *scene, uint32_t s, uint32_t n);

/* Areas one upon the other; gives the height of all. */
double curve_stack (const Curve *v, const ViewScene *scene, Plot *plot);
void curve_draw_area (Curve *v, Paint *p, const Plot *plot, uint32_t a);
/* "12 others": of the areas that have none of their own; g_free. */
char *curve_rest_name (const Plot *plot);
/* How far the film knows of it. */
double curve_end (const Curve *v, const Paint *p, const Plot *plot);

/* Lines at the instants that come to `marks`, and what one that is pointed at says. */
enum { CURVE_VALUE, CURVE_MARKS, CURVE_STRETCHES };
void curve_draw_marks (Curve *v, Drawing *d, Paint *p, const Plot *plot);
void curve_say_mark (Curve *v, const ViewScene *scene, const DrawingMark *m, const Plot *plot, GString *name);
void curve_close_marks (Curve *v);

/* How a series is drawn; false: not at all. */
bool curve_pen (const Curve *v, const Paint *p, const Plot *plot, uint32_t s, uint32_t *rgb, double *width);

/* Stretches that the numbers are the lengths of: whether the film has them; */
bool curve_knows_stretches (const Curve *v);
/* whether they are drawn from begin to end in place of points: few enough are in sight. */
bool curve_has_spans (Curve *v, const Plot *plot);
/* Widens a scale to hold all that are in sight. */
void curve_span_bounds (Curve *v, const ViewScene *scene, const Plot *plot, double *low, double *high);
void curve_draw_spans (Curve *v, Drawing *d, Paint *p, const Plot *plot);
/* The one nearest to a point, by its span or its point, whichever is drawn. */
bool curve_point_stretch (Curve *v, const ViewScene *scene, const Plot *plot, double x, double y, DrawingMark *mark);
void curve_say_stretch (Curve *v, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts);
/* Those known in [from, to), in that order: tables name whom each number waited for.  Of Stretch; g_array_unref. */
GArray *curve_stretches_known (Curve *v, const ViewScene *scene, int64_t from, int64_t to);
/* The one that a number is the length of, from the *next on; NULL: none is. */
const Stretch *curve_stretch_of (const Curve *v, const ViewScene *scene, GArray *known, guint *next,
                                 const ValueSample *s);
