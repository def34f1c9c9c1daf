/* SPDX-License-Identifier: Apache-2.0 */
/* selected.h - components that tell more of what is selected: they answer the query "selected/1" with this.
 *
 * What is selected is how somebody looks at an execution: no setting, no part of a run state, and never asked for while
 * time goes on.  It changes only what a component tells where time stands still (at_rest).  Engine thread only. */
#pragma once
#include "readers/ref.h"

#define TRACE_SELECTED "selected/1"

typedef struct TraceSelected {
  /* The selection is this now; good until it returns.  True: what the component would tell is another for it, and
   * whoever shows it lets the program rest anew (eve_rest). */
  bool (*selected) (EveComponent *self, const TraceRefs *selection);
  /* Whether the component knows what such a thing is, although nothing that is shown has it. */
  bool (*knows) (EveComponent *self, TraceRef what);
} TraceSelected;
