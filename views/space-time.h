/* SPDX-License-Identifier: Apache-2.0 */
/* space-time.h - inside of the space-time diagram: rows of tasks, shares of states, messages. */
#pragma once
#include "readers/reader.h"
#include "views/history.h"
#include "views/paint.h"

enum { GROUP_NONE, GROUP_HOST, GROUP_PROGRAM };

typedef struct SpaceTime {
  EveBase base;
  char *order, *hidden;                       /* settings */
  int32_t group_by;
  bool no_messages;

  char *folder;                               /* model side: recording there, or NULL */
  StatesWriter *states;
  MessagesWriter *messages;
  HistoryPlace place[2];                      /* of a restored run state, until recording begins */
  bool placed;

  char *film;                                 /* draw side: the films whose readers are open */
  StatesReader *read_states;
  MessagesReader *read_messages;
} SpaceTime;

/* A line of the diagram: one task, or several that would be thinner than two pixels. */
typedef struct Row {
  double y, height;                           /* px, of the bar */
  uint32_t first, n;                          /* in `shown` */
} Row;

typedef struct Heading {
  double y;
  const char *text;
} Heading;

typedef struct Rows {
  uint32_t *shown;                            /* tasks, top to bottom */
  uint32_t n_shown, per_row;
  GArray *rows;                               /* of Row */
  GArray *headings;                           /* of Heading */
  uint32_t *row_of;                           /* by task; TRACE_NONE: hidden */
  uint32_t n_tasks;
  double pitch, label_px;                     /* px between rows; width of the labels */
  double top, bottom, left, width;            /* px, of the plot */
} Rows;
/* space-time-rows.c */
void rows_begin (Rows *r, const SpaceTime *st, Paint *p, uint32_t n_tasks);
void rows_end (Rows *r);
char *rows_label (const Rows *r, const TraceSource *s, const Row *row);      /* g_free */
void rows_draw_labels (const Rows *r, Paint *p);

/* space-time-draw.c: totals[state] gets the share of the visible time. */
void states_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *states);

/* space-time-messages.c: gives a note about what is summed up, g_free, or NULL. */
char *messages_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a);
#define MESSAGES_EXACT 1500                   /* more than that are drawn as bundles */
