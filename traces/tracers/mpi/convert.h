/* SPDX-License-Identifier: Apache-2.0 */
/* convert.h - inside tape-mpi: from the files of the ranks to an archive. */
#ifndef TAPE_CONVERT_H
#define TAPE_CONVERT_H

#include <glib.h>
#include <otf2/otf2.h>
#include <stdbool.h>

#include "../command.h"
#include "../modules.h"
#include "raw.h"

typedef struct Rank { /* a process: what its numbers stand for */
  bool there;
  GArray *comms, *windows; /* of uint32_t: the numbers in the archive */
  char **regions;          /* names of regions of its own, by their number; or NULL */
  GArray *modules;
  GHashTable *sites; /* address -> number of a site + 1 */
} Rank;

typedef struct Clock { /* of one host, against that of rank 0 */
  char domain[96];
  int n; /* measures; at most two are kept, the first and the last */
  int64_t at[2], offset[2], error[2];
} Clock;

typedef struct Lane { /* a file */
  const uint64_t *at, *end;
  const RawHeader *h;
  void *map;
  size_t size;
  uint64_t location;
  int clock;
  int64_t last; /* date of its last record, its own clock; of the archive when it is written */
  bool finalized, aborted, lost;
  int32_t code;           /* of MPI_Abort */
  uint32_t open, open_at; /* the function of MPI that it is inside of at the end, and the site; or RAW_NONE */
  int64_t open_since;
  GArray *asked; /* of const uint64_t *: RAW_ASKED of that call; or NULL */
  uint64_t n_calls, n_events, cost_ps;
} Lane;

typedef struct Site {
  char *file, *function;
  int line;
} Site;

typedef struct Comm {
  uint32_t *members, n, m; /* of both groups */
  uint32_t parent;
  bool self, world;
  char *name;
} Comm;

typedef struct Window {
  uint32_t comm;
} Window;

typedef struct Region {
  char *name;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
  uint32_t site; /* or RAW_NONE */
} Region;

typedef struct Run {
  /* what was asked */
  const char *output, *folder; /* of the archive; of the files */
  bool anonymous, no_lines, quiet, force;
  /* what there is */
  GPtrArray *lanes; /* of Lane *, by rank and thread */
  Rank *ranks;
  uint32_t n_ranks;
  GArray *clocks;
  int64_t origin, last; /* dates, of rank 0's clock */
  int64_t real;         /* since 1970, ns, at the origin */
  GArray *sites;
  GHashTable *site_of; /* "FILE:LINE" -> number + 1 */
  GPtrArray *comms, *windows, *regions;
  GHashTable *comm_of, *window_of, *region_of; /* key -> number + 1 */
  GPtrArray *groups;                           /* of GBytes: members of groups that were named alone */
  GHashTable *group_of;
  GPtrArray *hosts;
  bool asked; /* calls that never end tell whom they wait for: parameters 0, a tag, 1, a rank, and 2, a communicator */
  int64_t stopped; /* when the program was over, by the clock of `domain`; 0: not known */
  char domain[96];
} Run;

/* raw.c: what the files hold.  False after having said why. */
bool raw_open (Run *run);
void raw_close (Run *run);
/* The next record of a file from `at`; NULL: no more. */
const uint64_t *raw_next (const Lane *l, const uint64_t *at);
/* Its date in the archive, without what the clock offsets of the archive tell. */
uint64_t raw_date (const Run *run, const Lane *l, uint64_t local);
/* A number of the process in the archive. */
uint32_t raw_comm (const Run *run, const Lane *l, uint32_t number);
uint32_t raw_window (const Run *run, const Lane *l, uint32_t number);

/* define.c: what records refer to. */
uint32_t define_region (Run *run, const Lane *l, unsigned number, bool own);
uint32_t define_function (Run *run, const Lane *l, uint64_t address);
uint32_t define_main (Run *run);
/* RAW_NONE: the line of the call is not known. */
uint32_t define_site (Run *run, const Lane *l, uint64_t address);
uint32_t define_group (Run *run, const uint64_t *words, uint32_t n);
/* All definitions of the archive. */
bool define_write (Run *run, OTF2_Archive *archive);

/* convert.c */
bool convert (Run *run);

#endif
