/* SPDX-License-Identifier: Apache-2.0 */
/* space-time.h - inside of the space-time diagram: rows of tasks, shares of states, messages. */
#pragma once
#include "readers/reader.h"
#include "views/drawing.h"
#include "views/groups.h"
#include "views/history.h"
#include "views/odd.h"
#include "views/slots.h"
#include "views/stretches.h"

enum { GROUP_NONE, GROUP_HOST, GROUP_PROGRAM, GROUP_GROUP };

/* What cannot be taken apart: a task, or a closed group of the scene's. */
typedef struct Unit {
  uint32_t first, n; /* in `all` */
  uint32_t part;     /* of the scene's groups; TRACE_NONE: a task */
  uint32_t of;       /* those beside each other with the same one stand under one heading; 0: under none */
  bool pinned;       /* a task that is seen whatever part of the rows is */
} Unit;

/* A line of the diagram: one unit, or several that would be thinner than two pixels. */
typedef struct Row {
  double y, height;  /* px, of the bar */
  uint32_t first, n; /* in `shown` */
  uint32_t nth;      /* of its group */
  uint32_t unit, n_units;
} Row;

typedef struct Heading {
  double y;
  char *text;
  uint32_t first, n; /* in `all`: whom it is above */
} Heading;

typedef struct Rows {
  uint32_t *all, n_all;         /* tasks, top to bottom */
  uint32_t *shown;              /* those of the scene's rows, in `all` */
  uint32_t n_shown, per_row;    /* per_row: units */
  GArray *units;                /* of Unit, top to bottom */
  uint32_t first_unit, n_units; /* those that are shown */
  uint32_t n_hidden;            /* tasks, by the person or a rule */
  bool several;                 /* a row has more than one task */
  const Groups *groups;         /* of the scene; NULL: none */
  GArray *rows;                 /* of Row */
  GArray *headings;             /* of Heading */
  bool beside;                  /* groups are too many for lines of their own: their names stand for their rows' */
  bool brief;                   /* a row of one task has its name alone: with its id it would not fit */
  char **labels;                /* by task, from a rule; NULL: none has */
  char **part_labels;           /* by part of the groups, the same; */
  uint32_t n_part_labels;       /* so many: the groups themselves may be gone */
  uint32_t *row_of;             /* by task; TRACE_NONE: hidden */
  uint32_t n_tasks;
  double pitch, label_px;          /* px between rows; width of the labels */
  double top, bottom, left, width; /* px, of the plot */
  double own_left;                 /* where it would begin if it stood alone */
} Rows;
/* Memory for the bundles of a picture; space-time-messages.c. */
typedef struct SpaceTimeSums {
  void *sums;
  uint32_t mask;
} SpaceTimeSums;
typedef struct SpaceTime {
  EveBase base;
  char *order, *hidden, *pinned; /* settings */
  int32_t group_by;
  bool no_messages, hide_resting, path;

  char *states, *messages; /* draw side: layers whose readers are open; NULL: none */
  StatesReader *read_states;
  MessagesReader *read_messages;
  StretchLayer waits;
  Names *names;
  StateSlots slots;    /* of the last picture */
  char *lost_messages; /* why the messages, which are there, could not be opened; NULL: they were, or there are none */
  char *note;          /* of the last picture: what its first line says of messages, or NULL */
  uint32_t told_met;   /* and the slots of its legend, with their shares */
  double told_shares[SLOTS_MOST];
  SpaceTimeSums sums;
  cairo_surface_t *image; /* of the last raster: fresh memory for each picture costs more than drawing */
  Rows rows;              /* of the last scene of such a size */
  bool rows_made;
  double rows_width_px, rows_height_px;
  uint32_t rows_first, rows_n;
  uint64_t rows_rules; /* associations then, */
  uint64_t rows_cut;   /* and the cut */
  int64_t rows_reach;  /* of the film then; matters where tasks that rest are hidden */
  GHashTable *told;    /* names of settings that no task has, as was told; NULL: none */
} SpaceTime;

/* By which attributes of tasks and of groups are shown. */
#define ROW_LOOKS (1u << LOOK_LABEL | 1u << LOOK_ORDER | 1u << LOOK_HIDDEN)

/* What all that is asked of a scene stands on: its rows and *a.  `anew`: looks for what the film has got since; else
 * only if nothing was drawn yet.  NULL and a sentence if the film cannot be read. */
const Rows *space_time_begin (SpaceTime *st, const ViewScene *scene, bool anew, Axis *a, GError **error);

/* space-time-rows.c */
void rows_begin (Rows *r, SpaceTime *st, const ViewScene *scene, uint32_t n_tasks);
void rows_align (Rows *r, const ViewScene *scene); /* left and width, of each scene */
void rows_end (Rows *r);
char *rows_label (const Rows *r, const Names *n, const TraceSource *s, const Row *row); /* g_free */
void rows_draw_labels (const Rows *r, const Names *n, Paint *p);

/* The plot as pixels, for what is too dense for vectors; drawn over the paper at the end. */
typedef struct Raster {
  cairo_surface_t *image;         /* NULL: there is none, draw vectors */
  uint32_t *pixels;               /* premultiplied ARGB */
  uint32_t stride, width, height; /* in pixels */
  uint32_t above, below;          /* lines of pixels: what is drawn into is in between, as others draw into the rest */
  double scale;                   /* pixels a px */
} Raster;
/* space-time-draw.c */
Raster raster_begin (SpaceTime *st, const Rows *r, double scale);
/* In px of the plot's own corner; blended over what is there. */
void raster_line (Raster *t, double x0, double y0, double x1, double y1, double width, uint32_t rgb, double alpha);
void raster_end (Raster *t, Paint *p, const Rows *r);
/* A row of several tasks, to be looked at for what its mean hides. */
OddRow space_time_odd (const SpaceTime *st, const Rows *r, const Axis *a, const Row *row, double scale);
/* What is done by another thread meanwhile: it draws nothing, and knows nothing of states. */
typedef void (*SpaceTimeBeside) (void *arg);
/* Draws states; totals[slot] gets the share of the visible time that tasks live, NaN for a state that is no life; *met
 * a bit for each slot met.  The raster it gives is not drawn yet.  `beside` is done in any case. */
Raster states_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *met,
                    SpaceTimeBeside beside, void *arg);

/* space-time-messages.c: what of them is in the picture is found (by any thread) before it is drawn. */
typedef struct SpaceTimeMessages SpaceTimeMessages;
SpaceTimeMessages *messages_begin (SpaceTime *st, Paint *p, const Rows *r, const Axis *a);
void messages_find (void *messages);
/* Frees them.  Gives a note about what is summed up, g_free, or NULL. */
char *messages_draw (SpaceTimeMessages *m, Raster *raster);
#define MESSAGES_EXACT 1500 /* more than that are drawn as bundles */

/* space-time-point.c: marks, with the row as `index` and one of these as `part`, */
enum {
  SPACE_TIME_IN_ROW,
  SPACE_TIME_IN_INTERVAL,
  SPACE_TIME_IN_MESSAGE,
  SPACE_TIME_IN_HEAD,
  SPACE_TIME_IN_WAIT,
  SPACE_TIME_IN_HEADING /* of an open group, or of tasks that stand together: `index` is that of the heading */
};
#define SPACE_TIME_HEAD 24.0 /* px: the legend, and the note */
DrawingMark space_time_row_mark (const ViewScene *scene, const Rows *r, const Axis *a, guint row);
DrawingMark space_time_interval_mark (const ViewScene *scene, const Rows *r, const Axis *a, guint row, int64_t from,
                                      int64_t to, uint32_t state);
/* and functions of View. */
void space_time_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts);
bool space_time_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark);
void space_time_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to);
bool space_time_plot (EveComponent *c, const ViewScene *scene, cairo_rectangle_t *plot, int64_t *from, int64_t *to);
uint32_t space_time_n_rows (EveComponent *c, const ViewScene *scene);
/* What is hidden is shown again: the list of the person first, then those that rest. */
const char *space_time_open (EveComponent *c, const ViewScene *scene, const DrawingMark *m, char **value);
const char *space_time_drag (EveComponent *c, const ViewScene *scene, const DrawingMark *m, double x, double y,
                             char **value);
