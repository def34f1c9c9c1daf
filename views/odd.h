/* SPDX-License-Identifier: Apache-2.0 */
/* odd.h - a row of several tasks shows their mean, in which one that is idle among thousands is less than a pixel: what
 * such a mean hides is looked for, and marked.  Any thread, as the reader of states. */
#pragma once
#include "views/paint.h"
#include "views/slots.h"

typedef struct OddRow {
  StatesReader *read;
  const StateSlots *slots;
  const uint32_t *owners; /* of the history, of its members */
  uint32_t n_owners;
  uint32_t n_members; /* of whom the row is the mean: more than owners, where some have none */
  const Axis *axis;
  double scale, height; /* columns of pixels a px; of the row, px */
  uint32_t left_out;    /* bits of slots that are not drawn: neither marked nor told */
  bool many;            /* there are so many tasks in the picture that wider columns suffice */
} OddRow;
#define ODD_MANY 20000 /* tasks */

/* In a row of `width` columns of pixels whose means are `share`: a notch at its top in the colour of a slot that one
 * member is in for most of some pixels, and that is too little of the mean to be seen.  `pixels`: the uppermost of its
 * `lines`; `solid`: by slot. */
TRACE_API void odd_draw (const OddRow *o, uint32_t width, const float *share, const uint32_t *solid, uint32_t *pixels,
                         uint32_t stride, int64_t lines);
/* Of the time that the px at x shows, for each slot that some member is in: least, mean and most, and who has most, by
 * the place of the owner; as facts. */
TRACE_API void odd_tell (const OddRow *o, const StateGraph *graph, double x, const char *(*who) (void *arg, uint32_t i),
                         void *arg, GString *facts);
