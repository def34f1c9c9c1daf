/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what `scope report` gathers from one pass of the default program and one over the events, and
 * the ways to write it.  Everything is read from the tables of the format and of the model: nothing here
 * knows PVM. */
#pragma once
#include "cli/cli.h"
#include "cli/text.h"
#include "statistics/scaling.h"

enum {
  REPORT_SLICES = 240, /* of the execution, for the timeline; a multiple of 4 */
  REPORT_ROWS = 64,    /* tasks in the timeline and the tables */
  REPORT_STATES = 8,
  REPORT_TOP = 10,      /* longest calls, busiest links, tasks that are unlike others */
  REPORT_MISSING = 2,   /* told before the figures, of what is damaged or was lost */
  REPORT_COMPARED = 32, /* states of tasks of one type that are told one by one, those of most time */
  REPORT_INSTANTS = 3,  /* pictures, at equal distances inside the execution */
};

typedef struct ReportCalls { /* of one kind */
  uint64_t calls, unfinished;
  double total_s, bytes;
  int64_t longest;
} ReportCalls;

typedef struct ReportCall {
  int64_t date, duration;
  uint32_t task;    /* that of which it is told, even if by another one */
  bool names_other; /* with whom, or of which group */
  bool told_beside; /* it is a state or an operation of a group, as which a call may be told besides */
  char *sentence;
} ReportCall;

typedef struct ReportLink {
  uint32_t edge;
  double bytes;
} ReportLink;

/* Tasks of one type, or that run one program, in one state; ticks, of all of them together. */
typedef struct ReportState {
  uint32_t value;                   /* or STATE_OTHERS */
  uint32_t n_tasks;                 /* that were in it */
  int64_t spent, inclusive, visits; /* as StateTime */
  int64_t least, most;              /* spent by the one that spent so, */
  uint32_t least_node, most_node;   /* and who that is */
} ReportState;

typedef struct ReportType {
  const char *name;                 /* as the trace calls them, or NULL */
  const char *word;                 /* the same for a person: what Scope calls them, in the person's language */
  guint place;                      /* in the order in which they were found, from 1 */
  bool busy;                        /* one of them was in a state that is not rest */
  bool again;                       /* they are tasks of another type told once more, as calls beside states */
  GArray *nodes;                    /* of uint32_t, in order of id */
  GArray *states;                   /* of ReportState: those that are part of a life, the longest first */
  int64_t lived, shortest, longest; /* all together; the shortest and the longest life */
} ReportType;

/* A task that spends another part of its life in a state than the others of its type. */
typedef struct ReportUnlike {
  const ReportType *type;
  uint32_t node, value;
  double share, usual; /* of its life; the median of its type */
  uint32_t n_unlike;   /* that are far from it, with this one */
  bool dated;          /* it was looked at over time: */
  int64_t from, to;    /* it was mostly then, to a slice */
} ReportUnlike;

/* A variable of one task (report-variables.c). */
typedef struct ReportVariable {
  uint32_t task, type; /* of the trace */
  uint32_t next;       /* of the same task, or UINT32_MAX */
  uint64_t changes;
  double least, most, last;
  int64_t least_at, most_at;
  double sum,
      lasted;    /* of value times seconds; seconds: from the first value to the end of the task, or of the trace */
  int64_t since; /* the last value */
} ReportVariable;

typedef struct ReportVariables {
  GArray *all;         /* of ReportVariable */
  GHashTable *places;  /* by task and type: in it, + 1 */
  GHashTable *of_task; /* the last of a task, + 1 */
} ReportVariables;

typedef struct ReportWatch ReportWatch;

typedef struct Report {
  Session *session;
  TraceSource *source;     /* the execution that it is about, */
  const StateGraph *graph; /* and what was rebuilt of it */
  const char *out;         /* folder; NULL: the text alone */
  char *doc;               /* the bundle's documentation, or NULL */
  const char *chosen;      /* the simulator that was asked for, or NULL */
  guint n;                 /* of several executions, which: its place, as in session_executions() */
  bool several;
  int64_t ruler_first, ruler_last; /* dates that the timeline reaches from and to; the same: those of the execution */
  char *simulator;                 /* whose states, if the program has several, or NULL */
  /* states that have a column: those that the model gives shares of, in its order, or of one that learns its states
   * those that took most time, and the others as one */
  const char *states[REPORT_STATES];
  StateSense senses[REPORT_STATES];
  const char *docs[REPORT_STATES];  /* what a task does in it, or NULL */
  uint32_t state_of[REPORT_STATES]; /* or STATE_OTHERS */
  int n_states;
  /* [row][slice][state]: seconds spent; rows are nodes in id order at the end */
  float (*spent)[REPORT_SLICES][REPORT_STATES];
  uint32_t *rows;          /* node of a row */
  uint32_t n_watched;      /* nodes that are looked at in each slice, the first to appear */
  uint32_t n_rows, n_busy; /* n_busy: tasks that could have one */
  /* from the tables of time (report-states.c) */
  GHashTable *tasks;   /* id -> number + 1 */
  GHashTable *watches; /* node << 32 | value -> ReportWatch */
  GPtrArray *types;    /* of ReportType *, the busiest first */
  GArray *unlike;      /* of ReportUnlike, the most unlike first */
  bool nested;         /* there are states inside of states */
  /* from the events */
  ReportCalls *kinds;
  uint64_t n_sends, n_receives;  /* that do not tell of or for whom they are: no message of two tasks */
  uint64_t n_unfinished, n_open; /* calls that wait for others; others that were merely open at the end */
  struct OpenCalls *open;        /* while they are read */
  uint16_t *acts;                /* of each kind */
  bool *calls_ask;               /* of each kind that has no regions: who is in such a call waits for others */
  GByteArray *asks;              /* of each object: 0 not asked, 1 or 2: who is in it waits for others */
  ReportVariables variables;
  GArray *longest;    /* of ReportCall, longest first */
  GArray *unfinished; /* of ReportCall, the first REPORT_TOP */
  GArray *links;      /* of ReportLink, busiest first */
  int64_t instants[REPORT_INSTANTS];
} Report;

/* Of pages; part of a format. */
#define LANGUAGE_OF_PAGE C_ ("the code of this language", "en")
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
  char *name, *folder; /* of its report, below that of all; NULL: it has none */
  char *timeline;      /* as report_timeline() */
  TraceClock clock;
  int64_t first, last;
  uint32_t n_tasks;
  uint64_t n_events;
  StateTotals messages;
  int n_states;
  const char *states[REPORT_STATES], *words[REPORT_STATES]; /* words: as people read them, good for ever */
  StateSense senses[REPORT_STATES];
  double shares[REPORT_STATES]; /* of the lives of all its tasks, 0 to 1 */
  char colours[REPORT_STATES][8];
  StatsComputed computed; /* not a number: nobody tells */
} ReportRow;
/* What the report of one execution says of it; once that is made. */
double report_lasted (const ReportRow *row); /* seconds */
ReportRow *report_row (const Report *r, const char *name, const char *folder);
void report_row_free (gpointer row);
/* The executions side by side, as text; of ReportRow *. */
void report_several_text (const GPtrArray *rows, GString *to);
/* The same as a page, with their timelines. */
void report_several_html (const GPtrArray *rows, GString *to);
/* The same as one picture with a row for each, executions.svg (report-runs.c). */
void report_runs (const GPtrArray *rows, GString *to);

/* Whether the trace tells how many bytes its messages have. */
bool report_tells_sizes (const Report *r);

/* ---- what tasks did (report-states.c) ---- */
/* Before the program plays; after each slice, at its end; at the end of all. */
void report_watch_begin (Report *r);
void report_watch (Report *r, int slice, int64_t at);
void report_watch_end (Report *r);
void report_watch_clear (Report *r);
const char *report_state (const Report *r, uint32_t value);
const char *report_word (const Report *r, uint32_t value); /* as people read it */
StateSense report_sense (const Report *r, uint32_t value);
/* Of the lives of all tasks together, the part in the states of a column, 0 to 1. */
double report_share_of_all (const Report *r, int state);

/* ---- variables (report-variables.c) ---- */
void report_variable (Report *r, const TraceSource *s, const TraceEvent *e);
void report_variables_end (Report *r, const TraceSource *s);
void report_variables_clear (Report *r);

/* ---- what stands out, and tables of all this (report-findings.c); report.json (report-json.c) ---- */
void report_heading (GString *to, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* A sentence in lines; the second and further ones are indented.  Takes it. */
void report_sentence (GString *to, char *taken);
/* Adds the analysis that tells who waits for whom, where the tasks of a trace exchange something and the program has
 * none that tells of it; before it plays. */
void report_analyse (Session *s);
/* What the analyses of the program have to say. */
void report_told (const Report *r, GString *to);
void report_told_json (const Report *r, Json *j);
/* How much it computed; not a number: no analysis tells. */
StatsComputed report_computed (const Report *r);
void report_told_circles_json (const Report *r, Json *j);
/* What analyses tell is of [from, to] alone; NULL: of no bound.  False and a sentence: none of them can, or no date. */
bool report_window (Session *s, const char *from, const char *to, GError **error);
void report_findings (const Report *r, GString *to);
void report_tables (const Report *r, GString *to);
/* "8 Rank, 2 Host": what the trace declares, or NULL if that is nothing; g_free. */
char *report_holds (const Report *r);
/* "#2a9d6f": of a column; g_free. */
char *report_colour (const Report *r, int state);
void report_json (const Report *r, GString *to);

void report_text (const Report *r, GString *to);
void report_html (const Report *r, GString *to);
/* From the first date to the last, ticks: dates are larger than a double tells apart, their difference is not. */
static inline double
report_span (int64_t first, int64_t last)
{
  return last > first ? (double) ((uint64_t) last - (uint64_t) first) : 0;
}
/* The timeline of tasks as an SVG picture. */
void report_timeline (const Report *r, GString *to);
/* A date with as many decimals as dates `step` ticks apart need, without zeros at the end, and without its unit;
 * g_free. */
char *report_date (const TraceClock *clock, int64_t date, int64_t step);
/* What a task is called: nickname or program, and its id. */
char *report_task (const Report *r, uint32_t node);
/* Number of the task of a node: of none if the trace has no such task. */
uint32_t report_task_number (const Report *r, uint32_t node);
/* Task of a node, or NULL. */
const TraceTask *report_trace_task (const Report *r, uint32_t node);
/* Share of the states of a column in a task's life so far, 0 to 1. */
double report_share (const Report *r, uint32_t node, int state);
