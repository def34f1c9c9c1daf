/* SPDX-License-Identifier: Apache-2.0 */
/* stuck.h - calls that are not over, and whom they wait for. */
#pragma once
#include "components/waits/waits.h"

typedef struct WaitStuck {
  uint32_t task, on; /* whom it waits for; TRACE_NONE: nobody tells */
  int64_t thread;    /* of the task; -1: it has none */
  int64_t region, from, to;
  uint32_t n_on;    /* it waits for so many; each of the first of them has a row, one behind another, */
  bool first;       /* of which this is the first */
  bool under_way;   /* what it waits for was sent, and it has not got it yet */
  bool alone;       /* its task has no other thread */
  bool set_up;      /* in a call that begins or ends communication itself */
  bool together;    /* in an operation of a group whose members are told */
  WaitKind kind;    /* what such a wait is; WAIT_UNDER_WAY: that is not known yet */
  int64_t circle;   /* of waits that it is in, from 0; -1: in none */
  int64_t group;    /* all of which have to come, -1: none; */
  uint32_t n_there; /* so many have */
} WaitStuck;

/* All calls that are not over, by task, of WaitStuck; *n_circles: of circles of waits, which are looked for at the end
 * alone. g_array_unref. */
GArray *waits_stuck (const Waits *w, int64_t *n_circles);
/* A sentence, as trace_waits_untold() says it, if nothing tells who waits for whom; NULL: something does. */
const char *waits_told_by_nothing (const Waits *w);
