/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what `scope report` gathers from one pass of the default program and one over the events, and
 * the ways to write it.  Everything is read from the tables of the format and of the model: nothing here
 * knows PVM. */
#pragma once
#include "cli/cli.h"

enum {
  REPORT_SLICES = 240, /* of the execution, for the timeline; a multiple of 4 */
  REPORT_ROWS = 64,    /* tasks in the timeline and the tables */
  REPORT_STATES = 8,
  REPORT_TOP = 10,     /* longest calls, busiest links */
  REPORT_INSTANTS = 3, /* pictures, at equal distances inside the execution */
};

typedef struct ReportCalls { /* of one kind */
  uint64_t calls, unfinished;
  double total_s, bytes;
  int64_t longest;
} ReportCalls;

typedef struct ReportCall {
  int64_t date, duration;
  char *sentence;
} ReportCall;

typedef struct ReportLink {
  uint32_t edge;
  double bytes;
} ReportLink;

typedef struct Report {
  Session *session;
  TraceSource *source;     /* the execution that it is about, */
  const StateGraph *graph; /* and what was rebuilt of it */
  const char *out;         /* folder */
  char *doc;               /* the bundle's documentation, or NULL */
  const char *chosen;      /* the simulator that was asked for, or NULL */
  guint n;                 /* of several executions, which: its place, as in session_executions() */
  bool several;
  char *simulator; /* whose states, if the program has several, or NULL */
  /* states that the model gives shares of, in its order */
  const char *states[REPORT_STATES];
  StateSense senses[REPORT_STATES];
  const char *docs[REPORT_STATES]; /* what a task does in it, or NULL */
  uint8_t state_of[REPORT_STATES];
  int n_states;
  /* [row][slice][state]: seconds spent; rows are nodes in id order at the end */
  float (*spent)[REPORT_SLICES][REPORT_STATES];
  uint32_t *rows; /* node of a row */
  uint32_t n_rows;
  /* from the events */
  ReportCalls *kinds;
  uint64_t n_unfinished;
  GHashTable *open;   /* while they are read: record -> begin of a call that has not ended */
  GArray *longest;    /* of ReportCall, longest first */
  GArray *unfinished; /* of ReportCall, the first REPORT_TOP */
  GArray *links;      /* of ReportLink, busiest first */
  int64_t instants[REPORT_INSTANTS];
} Report;

/* Of pages; part of a format. */
#define REPORT_STYLE                                                                                                   \
  "<style>\n"                                                                                                          \
  "body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #33363d; max-width: 1180px; margin: 2em "                \
  "auto; padding: 0 1em }\n"                                                                                           \
  "pre { font: 12px/1.35 \"DejaVu Sans Mono\", monospace; background: #f6f7f9; padding: 1em; overflow-x: "             \
  "auto; border-radius: 6px }\n"                                                                                       \
  "svg { max-width: 100%%; height: auto }\n"                                                                           \
  ".states { display: flex; flex-wrap: wrap; gap: 1em } figure { margin: 0; flex: 1 1 320px }\n"                       \
  "figure img { width: 100%%; height: auto } figcaption { text-align: center }\n"                                      \
  "</style>"

/* ---- several executions (report-several.c) ---- */
typedef struct ReportRow {
  char *name, *folder; /* of its report, below that of all */
  char *timeline;      /* as report_timeline() */
  TraceClock clock;
  int64_t first, last;
  uint32_t n_tasks;
  uint64_t n_events;
  StateTotals messages;
  int n_states;
  const char *states[REPORT_STATES];
  double shares[REPORT_STATES]; /* of the lives of all its tasks, 0 to 1 */
} ReportRow;
/* What the report of one execution says of it; once that is made. */
ReportRow *report_row (const Report *r, const char *name, const char *folder);
void report_row_free (gpointer row);
/* The executions side by side, as text; of ReportRow *. */
void report_several_text (const GPtrArray *rows, GString *to);
/* The same as a page, with their timelines. */
void report_several_html (const GPtrArray *rows, GString *to);

void report_text (const Report *r, GString *to);
void report_html (const Report *r, GString *to);
/* The timeline of tasks as an SVG picture. */
/* From the first date to the last, ticks: dates are larger than a double tells apart, their difference is not. */
static inline double
report_span (const TraceSource *s)
{
  return s->last > s->first ? (double) ((uint64_t) s->last - (uint64_t) s->first) : 0;
}
void report_timeline (const Report *r, GString *to);
/* What a task is called: nickname or program, and its id. */
char *report_task (const Report *r, uint32_t node);
/* Task of a node, or NULL. */
const TraceTask *report_trace_task (const Report *r, uint32_t node);
/* Share of a state in a task's life so far, 0 to 1. */
double report_share (const Report *r, uint32_t node, int state);
