/* SPDX-License-Identifier: Apache-2.0 */
/* associations-rules.h - what the files of associations share: rules as they were read.  Engine thread only. */
#pragma once
#include "views/associations.h"

#define HEAD "associations 1" /* the first line of a file of them */

typedef enum { SCALE_VALUE, SCALE_STEP, SCALE_RAMP, SCALE_OTHER, SCALE_ITSELF } Scale;
typedef enum { CURVE_LINEAR, CURVE_ROOT, CURVE_LOG, CURVES } Curve;

typedef struct Entry {
  Scale scale;
  Curve curve;
  char *value; /* VALUE */
  double from, to, middle;
  LookValue low, high, centre;
  bool has_centre;
} Entry;

typedef struct Rule {
  LookKind kind;
  LookChannel channel;
  char *attribute, *view; /* view NULL: all */
  bool falls;
  GArray *entries;     /* of Entry */
  GHashTable *by_name; /* value -> index + 1 */
  int other;           /* entry, or -1 */
  bool itself;         /* a value that is a colour is that colour */
  GString *scale;      /* its lines, as they were written */
} Rule;

struct Associations {
  GPtrArray *rules[LOOK_LEVELS]; /* of Rule * */
  uint64_t serial;
  uint32_t *asked; /* by kind: a bit for each channel that a view asked for */
};

/* Nearest first: those for the view, then those for all; in each, from what was given to what the format brings; in
 * one level the last.  NULL: there is none; `level` may be NULL. */
const Rule *associations_nearest (const Associations *a, LookKind kind, LookChannel channel, const char *view,
                                  LookLevel *level);
