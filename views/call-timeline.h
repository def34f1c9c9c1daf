/* SPDX-License-Identifier: Apache-2.0 */
/* call-timeline.h - what the files of the call timeline share.  Engine thread only. */
#pragma once
#include "views/associations.h"
#include "views/drawing.h"
#include "views/frame-rows.h"
#include "views/groups.h"
#include "views/layer.h"
#include "views/slots.h"
#include "views/stretches.h"

#define CALL_TIMELINE_KEY_PX 18.0 /* of rules for regions, below that of states */

#define CALL_TIMELINE_ROW_TEXT 11.0 /* px: rows that are so high have names, */
#define CALL_TIMELINE_TEXT_PX 28.0  /* in what is so wide */

enum { CALL_TIMELINE_IN_ROW, CALL_TIMELINE_IN_BOX, CALL_TIMELINE_IN_WAIT, CALL_TIMELINE_IN_GROUP }; /* parts of tags */

/* A task in the picture, or a group of tasks that is closed. */
typedef struct Block {
  const uint32_t *tasks;
  uint32_t n_tasks, part; /* part: of the groups that were cut last, where there are several tasks */
  uint32_t n_rows;        /* of the picture, from the outermost, */
  uint32_t first_depth;   /* which is of that depth */
  const uint32_t *rows;   /* of the history: of one task one each; */
  const uint32_t *start;  /* of several, where those of each depth begin, and the end */
  double y;
} Block;

/* The rows of the history that are one row of the picture. */
static inline const uint32_t *
call_timeline_rows_at (const Block *b, uint32_t depth, uint32_t *n)
{
  *n = b->start != NULL ? b->start[depth + 1] - b->start[depth] : 1;
  return b->rows + (b->start != NULL ? b->start[depth] : depth);
}

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
  GArray *numbers; /* uint32_t: rows of the history, block after block, */
  GArray *starts;  /* where those of each depth begin, of blocks of several tasks, */
  GArray *members; /* and tasks, block after block */
  GArray *blocks;  /* of Block: all tasks that are inside of something, those of closed groups together */
  GArray *says;    /* uint8_t, by task: whether what it is in outside of all calls is shown */
  uint64_t cut;    /* serial of the groups then; 0: none */
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

/* The colour of a slot in b->block at b->depth, and how it looks. */
uint32_t call_timeline_slot (const Boxes *b, uint32_t slot, Look *look);

/* call-timeline-groups.c: blocks of several tasks.  The name of any block; g_free. */
char *call_timeline_name (const CallTimeline *v, const ViewScene *scene, const Block *b);
bool call_timeline_is_chosen (const ViewScene *scene, const Block *b); /* one of its tasks is selected */
DrawingTag call_timeline_group_tag (const CallTimeline *v, const Layout *l, const Block *b, uint32_t depth);
void call_timeline_draw_groups (Boxes *b);
void call_timeline_say_group (const CallTimeline *v, const ViewScene *scene, const Layout *l, const DrawingMark *m,
                              GString *name, GString *facts);
void call_timeline_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to);

/* call-timeline-looks.c: what rules say of regions. */
bool call_timeline_is_ruled (const CallTimeline *v, const ViewScene *scene, Looks *rules);
/* Of the box of b->block at b->depth from one date to another; to < from: of all of that state in the row. */
Look call_timeline_look (const Boxes *b, int64_t from, int64_t to, uint32_t state);
uint32_t call_timeline_colour (const Boxes *b, const Look *look, uint32_t state);
/* The key of states holds where these alone say which colour a box has. */
bool call_timeline_coloured_otherwise (const CallTimeline *v);

/* call-timeline-csv.c: of View */
bool call_timeline_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error);
