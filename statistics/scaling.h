/* SPDX-License-Identifier: Apache-2.0 */
/* scaling.h - how much an execution computed, by which another one of the same program is compared with it: a component
 * that knows it answers the query "scaling/1" with this.  Engine thread only. */
#pragma once
#include <stdbool.h>

#include "eve/eve.h"

typedef struct StatsComputed {
  double useful;     /* seconds in which tasks computed, of all of them together */
  double efficiency; /* parallel efficiency, 0 to 1 */
} StatsComputed;

typedef struct StatsScaling {
  /* As things stand now; false: that cannot be told. */
  bool (*tell) (EveComponent *self, StatsComputed *to);
} StatsScaling;
