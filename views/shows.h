/* SPDX-License-Identifier: Apache-2.0 */
/* shows.h - a view whose picture has room for few of the ways in which tasks may look tells which, so that what it
 * would not show is refused with a word. */
#pragma once
#include "eve/eve.h"

#define VIEW_SHOWS "view-shows/1"

/* Answer to the query VIEW_SHOWS; static. */
typedef struct ViewShows {
  uint32_t tasks;  /* a bit for each LookChannel that an attribute of tasks may be shown by */
  const char *why; /* N_(): what its picture has in place of the others */
  bool lasting;    /* attributes that change as the execution goes on are not shown at all */
} ViewShows;
