/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.h - which of very many tasks do much the same, found by a thread of its own, so that a window goes on
 * meanwhile.  All but the search itself is of the engine's thread. */
#pragma once
#include "views/groups.h"

typedef struct SessionClusters SessionClusters;

/* From `least` tasks on; `found` is called whenever more is known, by the main loop. */
SessionClusters *session_clusters_new (uint32_t least, void (*found) (void *arg), void *arg);
/* A search that still goes on ends by itself, and nobody is told. */
void session_clusters_free (SessionClusters *c); /* NULL: nothing */

/* What is asked for: of a history, as far as it reaches, of so many tasks, from one date to another. */
typedef struct ClustersAsked {
  const char *states; /* its files */
  int64_t reach, first, last;
  uint32_t n_tasks;
} ClustersAsked;
/* What is known by now, good until `found` is called again.  *whole: of all of it.  Else a search has begun, or will
 * after a rest that is as long as the last one took, four times, and a tenth of a second at least; and this
 * is what was found of less of the film, or NULL: nothing.  Not at all where it is to be found at once (few tasks, or a
 * history that cannot be read by a thread): *whole and NULL.  `c` may be NULL, as where nobody waits. */
const GroupsClusters *session_clusters_ask (SessionClusters *c, const ClustersAsked *asked, bool *whole);
