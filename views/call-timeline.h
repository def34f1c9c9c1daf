/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline.h - what the files of the call timeline share.  Engine thread only. */
#pragma once
#include "views/associations.h"
#include "views/drawing.h"
#include "views/frame-rows.h"
#include "views/layer.h"
#include "views/slots.h"
#include "views/stretches.h"

#define CALL_TIMELINE_KEY_PX 18.0 /* of rules for regions, below that of states */

/* A task in the picture. */
typedef struct Block {
  uint32_t task, n_rows;
  const uint32_t *rows; /* of the history, from the outermost */
  double y;
} Block;

typedef struct CallTimeline {
  EveBase base;
  char *hidden; /* settings */
  int64_t deepest;
  bool path;
  char *calls; /* draw side: the layer that is open; NULL: none */
  StatesReader *read;
  StretchLayer waits;
  FrameRows frames;
  char *lost_rows; /* why the file of the rows could not be read; NULL: it was */
  Names *names;
  GArray *numbers; /* uint32_t: rows of the history, block after block */
  GArray *blocks;  /* of Block: all tasks that are inside of something */
  int64_t reach;   /* how far the history was known when these were found */
  bool stale;      /* they are to be found again */
  StateSlots slots;
  Looks rules; /* of regions, of the last picture, */
  bool ruled;  /* if there are any */
} CallTimeline;

typedef struct Layout {
  double left, width, top, bottom, row; /* px; row: the height of one */
  uint32_t first, n, deepest;           /* blocks that are shown, rows of each at most */
  Axis axis;
} Layout;

/* Being drawn. */
typedef struct Boxes {
  CallTimeline *v;
  const ViewScene *scene;
  Drawing *d;
  Paint *p;
  const Layout *l;
  const Block *block;
  uint32_t depth;
  uint32_t met;
  uint32_t n_hidden; /* boxes, by a rule, */
  bool hides;        /* or what lies in columns */
} Boxes;

/* The film, the rows that are shown, and the states that are kept apart.  False and a sentence: it cannot be read. */
bool call_timeline_begin (CallTimeline *v, const ViewScene *scene, Layout *l, GError **error);
/* A state in which nothing goes on, which has no box. */
bool call_timeline_is_nothing (const ViewScene *scene, uint32_t state);

/* call-timeline-looks.c: what rules say of regions. */
bool call_timeline_is_ruled (const CallTimeline *v, const ViewScene *scene, Looks *rules);
/* Of the box of b->block at b->depth from one date to another; to < from: of all of that state in the row. */
Look call_timeline_look (const Boxes *b, int64_t from, int64_t to, uint32_t state);
uint32_t call_timeline_colour (const Boxes *b, const Look *look, uint32_t state);
/* The key of states holds where these alone say which colour a box has. */
bool call_timeline_coloured_otherwise (const CallTimeline *v);

/* call-timeline-csv.c: of View */
bool call_timeline_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error);
