/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - which states one picture keeps apart.  A program may have thousands of regions; a picture has at most
 * SLOTS_MOST slots, and says what it calls "others".  Engine thread only. */
#pragma once
#include "views/history.h"
#include "views/view.h"

#define SLOTS_MOST 32 /* as many as bits of a mask */
#define SLOTS_OTHERS UINT32_MAX

typedef struct StateSlots {
  uint32_t n;                 /* slots in use; shares have `stride` places a column */
  uint32_t stride;            /* 8, 16, 24 or 32 */
  uint32_t state[SLOTS_MOST]; /* of each slot; SLOTS_OTHERS: all that have none of their own */
  uint32_t n_others;          /* how many these are */
  StatesPalette palette;      /* the slot of each state, for states_reader_shares() */
} StateSlots;

/* Those of owners in [from, to): all, where there are few; else those that last longest.  slots_clear() frees. */
TRACE_API void slots_choose (StateSlots *s, StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from,
                             int64_t to);
TRACE_API void slots_clear (StateSlots *s);
