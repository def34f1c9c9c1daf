/* SPDX-License-Identifier: Apache-2.0 */
/* stretches.h - stretches of the time of tasks (statistics/stretch.h) out of a film, and how timelines show them: waits
 * as hatched marks, and the path that is followed backward from one wait to whom it was for.
 *
 * Their history is one of messages, from the cause to the owner, sent when the stretch began and received when all of
 * it was known, as large as it is long; so it is exact, has sums, and is read by instants.  The tag tells the kind,
 * whose names stand in a file beside it.  Engine thread only. */
#pragma once
#include "views/drawing.h"
#include "views/history.h"

#define STRETCH_NAMES_HEAD "kinds 1\n"
#define STRETCH_TAG(kind, leads) ((int32_t) ((kind) << 1 | ((leads) != 0)))

typedef struct Stretch {
  int64_t from, to;      /* ticks */
  uint32_t owner, cause; /* tasks; cause TRACE_NONE: nobody */
  const char *kind;      /* interned */
  bool leads;
  int64_t known; /* when all of it was */
} Stretch;

/* A part of the path: it is on `task` until the next part begins. */
typedef struct PathLeg {
  int64_t from;
  uint32_t task;
} PathLeg;

typedef struct Stretches Stretches;
/* NULL and a sentence if there is no history, or it is of another version. */
TRACE_API Stretches *stretches_open (const char *base, GError **error);
TRACE_API void stretches_free (Stretches *s); /* NULL: nothing */
/* Looks for what was written since; call before each picture. */
TRACE_API void stretches_refresh (Stretches *s);
/* Damage met so far, as a sentence, or NULL; good until the next call.  *lost (may be NULL): something is missing. */
TRACE_API const char *stretches_problem (const Stretches *s, bool *lost);
/* About how many there are in [from, to), from the index alone. */
TRACE_API uint64_t stretches_count (Stretches *s, int64_t from, int64_t to);
/* Those that touch [from, to), in the order in which they were known, until `each` gives false.  What tells the end of
 * the path is none of them. */
TRACE_API void stretches_each (Stretches *s, int64_t from, int64_t to, bool (*each) (void *arg, const Stretch *one),
                               void *arg);
/* The same of those that were known in [from, to). */
TRACE_API void stretches_each_known (Stretches *s, int64_t from, int64_t to,
                                     bool (*each) (void *arg, const Stretch *one), void *arg);
/* How long they are together, of each owner and cause: about, where there are very many; those of nobody's doing are
 * left out. */
TRACE_API void stretches_sums (Stretches *s, int64_t from, int64_t to,
                               void (*each) (void *arg, uint32_t owner, uint64_t ticks), void *arg);
/* The path of the whole execution, from its first part on; *end: when it ends.  Found once, with one pass over the
 * history backward, and kept.  NULL: it is not known, as the film does not reach the end. */
TRACE_API const PathLeg *stretches_path (Stretches *s, guint *n, int64_t *end);
/* Somebody looked for it who does not know who waits for whom: in parts of it, or at all if there is no path. */
TRACE_API bool stretches_path_is_doubtful (Stretches *s);

/* The path in [from, to), part by part; the cause is the task that it goes on to, TRACE_NONE at its end. */
TRACE_API void stretches_path_each (Stretches *s, int64_t from, int64_t to,
                                    bool (*each) (void *arg, const Stretch *part), void *arg);

/* What a view that has an input for them keeps.  They are no part of the picture while the film has none. */
typedef struct StretchLayer {
  char *base;      /* NULL: nothing is wired to it */
  Stretches *read; /* NULL: the film has none */
  char *lost;      /* why they, which are there, could not be opened */
} StretchLayer;
/* For each picture. */
TRACE_API void stretches_layer_begin (StretchLayer *l, EveIn *in, const char *film);
/* As View.damage. */
TRACE_API const char *stretches_layer_damage (const StretchLayer *l, bool *lost);
TRACE_API void stretches_layer_close (StretchLayer *l);

/* For its own files: the history. */
MessagesReader *stretches_messages (Stretches *s);

#define STRETCHES_TOP 62.0 /* px above rows with stretches: two lines of keys, and the flag of the cursor */
/* ---- in timelines ------------------------------------------------------------------------------------------------------ */
typedef struct StretchRow {
  double y, height; /* px */
  uint32_t tasks;   /* that stand in it */
} StretchRow;

typedef struct StretchRows {
  const StretchRow *rows;
  guint n;
  const uint32_t *row_of; /* by task; TRACE_NONE: none */
  uint32_t n_tasks;
  const Axis *axis;
  double top, bottom; /* px, of the plot */
  uint32_t part;      /* of the tags: what the view calls a mark of a stretch */
  bool quiet;         /* there is text below, which stays to be read */
  bool path;          /* the path is drawn, and what is not on it faded */
} StretchRows;
/* Draws them over the rows.  More than can be told apart become columns, as dense as they are; so what is drawn is
 * bounded by the picture, and so are the marks. */
TRACE_API void stretches_draw (Stretches *s, Drawing *d, Paint *p, const ViewScene *scene, const StretchRows *rows);
/* The key to what stretches_draw() draws in such rows: kinds that are in the picture, and the path.  From x on, behind
 * the legend of the states; on a line of its own below, where the room is short.  Gives where it ends, on the first
 * line. */
TRACE_API double stretches_legend (Stretches *s, Paint *p, const StretchRows *rows, double x, double y);
/* The names of all kinds that the film has met, interned; not that of the path. */
GPtrArray *stretches_kinds (Stretches *s);
/* The place of one of these in the row of colours, from 0: no two that stand beside each other look alike. */
uint8_t stretches_place (const Stretches *s, const char *kind);
/* What is known of a task at a date, as facts "Name\tvalue\n" with names out of `names`. */
TRACE_API void stretches_facts (Stretches *s, const Names *names, const ViewScene *scene, uint32_t task, int64_t date,
                                GString *facts);
/* Tells of a mark that stretches_draw() made, as View.say does. */
TRACE_API void stretches_say (Stretches *s, const Names *names, const ViewScene *scene, const DrawingTag *tag,
                              GString *name, GString *facts);
