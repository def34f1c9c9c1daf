/* SPDX-License-Identifier: Apache-2.0 */
/* box-display.h - what a component may show on its own box: a gauge, a counter. */
#pragma once
#include "eve/eve.h"

/* Answer to the query "box-display/1". */
typedef struct BoxDisplay {
  /* What to show now, asked at most once a frame: `share` 0..1 of a gauge, or less than 0 for none; a few words or a
   * number in `text`, n bytes.  False: nothing now. */
  bool (*look) (EveComponent *self, double *share, char *text, size_t n);
} BoxDisplay;
