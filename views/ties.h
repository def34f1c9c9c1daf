/* SPDX-License-Identifier: Apache-2.0 */
/* ties.h - what goes between the nodes of a view, as a layout takes it (graph-layout.h). */
#pragma once
#include "views/graph-layout.h"
#include "views/history.h"
#include "views/view.h"

/* Which node each task, and each node of the state graph, is part of; TRACE_NONE: of none. */
typedef struct TiesWhere {
  const uint32_t *of_task;
  uint32_t n_tasks; /* later ones are of none */
  const uint32_t *of_state_node;
} TiesWhere;

/* Of the whole execution, as the film knows it, so that nobody moves while time passes; without one (NULL), or where it
 * knows of nothing, of the links that there are now.  Both of its ends are different nodes.  g_free. */
TRACE_API LayoutTie *ties_gather (Names *names, const char *film, const ViewScene *scene, const TiesWhere *where,
                                  uint32_t *n);
