/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - to the next or previous event that is like the one here: of its kind, its task, with its tag, between the
 * same two tasks; or to where a task is in the same state again. */
#pragma once
#include "document/document.h"

typedef enum {
  SCOPE_NEAR_KIND,
  SCOPE_NEAR_TASK,
  SCOPE_NEAR_STATE,
  SCOPE_NEAR_TAG,
  SCOPE_NEAR_PARTNER,
  SCOPE_NEAR_OBJECT
} ScopeNear;

/* What is pointed at. */
typedef struct ScopeHere {
  uint64_t event; /* its number, from 1 on; 0: it is none */
  bool dated;
  int64_t date;        /* ticks */
  uint32_t task, peer; /* TRACE_NONE: not told */
  uint32_t kind;       /* of events, and an object of the trace that they are about; TRACE_NONE: not told */
  uint32_t object;
  const char *state; /* of tasks, not of this instant; NULL: not told */
  bool around;       /* where there is none any more, the first of the execution */
} ScopeHere;
#define SCOPE_HERE_NOTHING                                                                                             \
  (ScopeHere)                                                                                                          \
  {                                                                                                                    \
    .task = TRACE_NONE, .peer = TRACE_NONE, .kind = TRACE_NONE, .object = TRACE_NONE                                   \
  }

/* `at` NULL: from the present event on, of the task or link that is selected, if there is one.  The session travels
 * there, as by scope_document_go_event(); where there is nothing such, a sentence is said.  Shows progress and can be
 * cancelled. */
/* The same of a kind of events, by its number in the source of what is looked at (scope_document_view_source()). */
void scope_document_go_kind (ScopeDocument *d, uint32_t kind, bool back);
void scope_document_go_near (ScopeDocument *d, ScopeNear by, bool back, const ScopeHere *at);
