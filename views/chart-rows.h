/* SPDX-License-Identifier: Apache-2.0 */
/* chart-rows.h - numbers of owners as charts show them: one a task, or one a group of tasks that is closed, with the
 * least and the most of its members (docs/groups.md). */
#pragma once
#include "views/chart.h"
#include "views/groups.h"

typedef struct ChartRow {
  double x;       /* of the group: the mean, or what chart_rows_of() says */
  char *name;     /* NULL: nobody asked for it, see chart_row_name() */
  uint32_t place; /* in order of appearance */
  const StatsDatum *last;
  uint32_t part; /* of the scene's groups: of a closed one; else TRACE_NONE */
  uint32_t next; /* the next of that part, of another attribute or unit: its index + 1; 0: there is none */
  uint32_t n;    /* how many values it is made of, the least and the most of which are, */
  double least, most;
  uint32_t who_least, who_most; /* of the values */
  double min, max;              /* the least and the most that any of them has been */
} ChartRow;

/* `part` of the tags of a group; the index is the place of its row. */
#define CHART_IN_GROUP 2

/* Of ChartRow, in order of appearance, g_array_unref.  `sums`: of groups the sum, where it tells something. */
TRACE_API GArray *chart_rows_of (const ChartView *v, const ViewScene *scene, bool sums);
TRACE_API void chart_row_clear (void *row); /* for arrays of them */
/* The closed group that an owner is in; TRACE_NONE: it is no task, or is shown alone. */
TRACE_API uint32_t chart_part_of (const ViewScene *scene, const StatsDatum *d);
/* Whether the sum over several owners tells something: not of shares, rates, and numbers of which nothing is known. */
TRACE_API bool chart_adds_up (const StatsDatum *d);
/* `differ`: chart_differ_in().  Names are made of what is seen alone. */
TRACE_API const char *chart_row_name (const ViewScene *scene, ChartRow *r, unsigned differ);
TRACE_API DrawingTag chart_row_tag (const ViewScene *scene, const ChartRow *r);
TRACE_API bool chart_row_is_chosen (const ViewScene *scene, const ChartRow *r); /* of a group: one of its tasks */
/* Whether some row is a group. */
TRACE_API bool chart_rows_have_groups (const GArray *rows);
/* "node2 (4): 34.2 %, 12.0 % (t40009) to 71.5 % (t4000b)", appended, of the row that a mark of a group is of; `sums` as
 * before. */
TRACE_API void chart_row_say (const ChartView *v, const ViewScene *scene, const DrawingMark *m, bool sums,
                              GString *name);
/* The tasks of a part, and those that a mark of a group is of. */
TRACE_API void chart_add_part (const ViewScene *scene, uint32_t part, TraceRefs *to);
TRACE_API void chart_row_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to);

/* ---- points ------------------------------------------------------------------------------------------------------------ */

typedef struct ChartSpot {
  int64_t date;
  double x, y;
} ChartSpot;

/* The points of the tasks of a closed group, of one attribute. */
typedef struct ChartSwarm {
  guint first;   /* value, which stands for all of them */
  uint32_t part; /* of the scene's groups */
  guint n, n_amounts;
  double x, y, amount; /* means; amount NaN: none of them has one */
  double x_least, x_most, y_least, y_most, amount_least, amount_most;
} ChartSwarm;

/* Of the spots of values, x NaN where there is none, the first one of each closed group becomes the mean of all of it,
 * the others none.  `amount` tells a third number of a value.  Of ChartSwarm, by `first`, g_array_unref; NULL: no group
 * is closed. */
TRACE_API GArray *chart_swarms_new (const ChartValues *of, const ViewScene *scene, ChartSpot *spots,
                                    double (*amount) (const void *arg, guint i), const void *arg);
/* The one that a value stands for; NULL: it is alone. */
TRACE_API const ChartSwarm *chart_swarm_of (const GArray *swarms, guint i);
/* What an x is called that may be of one of several attributes of its owner, or of a group, appended. */
TRACE_API void chart_swarm_name (const ChartValues *of, const ViewScene *scene, guint i, const ChartSwarm *swarm,
                                 GString *to);
/* A cross through (x, y), px, from the least to the most. */
TRACE_API void chart_swarm_draw (Drawing *d, double x, double y, double x0, double x1, double y0, double y1,
                                 uint32_t rgb);
/* Of a group: one of its tasks; `swarm` NULL: that of the tag. */
TRACE_API bool chart_swarm_stands_out (const ViewScene *scene, const ChartSwarm *swarm, const DrawingTag *tag);
