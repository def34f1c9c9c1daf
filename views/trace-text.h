/* SPDX-License-Identifier: Apache-2.0 */
/* trace-text.h - inside of the trace text: its pages, what they leave out, and searching. */
#pragma once
#include "readers/reader.h"
#include "views/layer.h"
#include "views/view.h"

#define LINE 20.0 /* px */
#define TOP 34.0

typedef struct Page {
  GArray *events;            /* of TraceEvent; NULL: none was turned to */
  bool around;               /* the present event; else it stays when that changes */
  const TraceSource *source; /* of a scene with these: */
  int64_t from, to, at;
  uint64_t number;
  double height_px;
  guint n_came; /* of its input, as far as that was known */
  bool cut;     /* more was looked at than a picture may take, and less found than it has room for */
} Page;

typedef struct TraceText {
  EveBase base;
  bool only_begins, of_program; /* settings */
  char *kinds, *tasks;          /* "": all */
  char *places;                 /* draw side: the layer that is open; NULL: none */
  HistoryIn in;
  bool open;
  GArray *ways, *came; /* of guint: which entries are places of the reader, and which say what came to the input */
  guint n_looked;      /* at entries, for these */
  guint at;            /* in `came`: what was asked for last */
  Page page;           /* of the last scene */
  GByteArray *kind;    /* by kind, by task: 1: shown; NULL: to be made */
  GByteArray *task;
  char **kind_names, **task_names; /* of the settings */
  GHashTable *told;                /* names that nobody has, as was told; NULL: none */
} TraceText;

typedef struct Wanted {
  bool by_number;
  uint64_t number;
  int64_t date; /* else: the first event that is later (`after`), or not earlier */
  bool after;
  uint64_t most; /* events looked at at most from there on; 0: no bound */
} Wanted;
/* Up to `before` events before what is wanted, and `n` in all.  *at: index of the wanted one.  *next, if not NULL: the
 * number of the first event that was not looked at.  The source is left where it was. */
GArray *trace_text_fetch (TraceText *t, const ViewScene *scene, const Wanted *w, guint before, guint n, guint *at,
                          uint64_t *next, GError **error);
bool trace_text_turn_page (TraceText *t, const ViewScene *scene, GError **error);
#define TRACE_TEXT_MOST 100000 /* events looked at for a picture, */
#define TRACE_TEXT_BACK 4096   /* and of those before it, where others can be passed over */

/* Whether the event came to the input: a filter may lie between it and the reader. */
bool trace_text_came (TraceText *t, uint64_t number);
/* trace-text-find.c */
uint64_t trace_text_kinds (TraceText *t, const TraceSource *s);
bool trace_text_shows (TraceText *t, const TraceSource *s, const TraceEvent *e);
void trace_text_forget_filter (TraceText *t);
/* Tells of names in `kinds` that no kind has, and if the whole trace was read of those in `tasks` that no task has. */
void trace_text_tell_unknown (TraceText *t, const TraceSource *s, bool whole);
bool trace_text_filters (const TraceText *t);
bool trace_text_scroll (EveComponent *c, const ViewScene *scene, int lines, uint64_t *event);
ViewFound trace_text_find (EveComponent *c, const ViewScene *scene, ViewSearch *search, int64_t budget_ns,
                           GError **error);
