/* SPDX-License-Identifier: Apache-2.0 */
/* under-way.h - what is under way at an instant, and how much has been done so far: messages, requests, operations of
 * groups, memory and files of others, and how long tasks were in regions of each group.
 *
 * It knows acts of events (readers/event.h), not formats.  What is kept is what is under way, and a count for each
 * task, group and object.  Engine thread only. */
#pragma once
#include "components/waits/table.h"
#include "readers/early.h"

/* Dates and durations are ticks, amounts bytes.  The first numbers are the key. */
typedef struct UwTask {
  int64_t task;
  int64_t depth, since;  /* what it is inside of, and since when the innermost is that */
  int64_t top, n_frames; /* the innermost, if it is inside of any; how many there were */
  int64_t sent, received, bytes_sent, bytes_received;
  int64_t on_way;                                   /* messages of it that nobody has received */
  int64_t open_sends, open_receives, open_accesses; /* requests: asked for, not complete */
  int64_t inside;                                   /* operations of groups that it takes part in now */
  int64_t used;
} UwTask;

typedef struct UwFrame { /* a region or call that it is inside of */
  int64_t task, number;
  int64_t region, key, enter;
  int64_t outer, inner, same; /* numbers of those around and in it, and of the next one outwards with its key; or -1 */
  int64_t used;
} UwFrame;

typedef struct UwKey { /* by which the end of one is found */
  int64_t task, key;
  int64_t number; /* of the innermost */
  int64_t used;
} UwKey;

typedef struct UwTime { /* of a task in the regions of a group, as the innermost */
  int64_t task, group;
  int64_t ticks, visits;
  int64_t used;
} UwTime;

typedef struct UwQueue { /* messages from one to another; below 0: receives that nobody sent */
  int64_t from, to, group, tag;
  int64_t n, bytes, since;
  int64_t used;
} UwQueue;

typedef struct UwBetween { /* all messages so far from one to another, of a group and a tag */
  int64_t from, to, group, tag;
  int64_t sent, received, bytes_sent, bytes_received;
  int64_t used;
} UwBetween;
#define UW_MOST_BETWEEN (1 << 18) /* that are told apart; of others only from whom they are, and to whom: */
#define UW_OTHERS INT64_C (-2)    /* their group and tag */

typedef struct UwGroup { /* a communicator, or a window */
  int64_t group;
  int64_t size; /* -1: nobody told its members */
  int64_t begun, done, inside, mixed, given, got;
  int64_t used;
} UwGroup;

typedef struct UwCount { /* operations that a member has begun */
  int64_t group, task;
  int64_t n;
  int64_t used;
} UwCount;

typedef struct UwInstance { /* an operation that not all members have ended */
  int64_t group, number;
  int64_t kind, n_begun, n_ended, since, mixed;
  int64_t used;
} UwInstance;

typedef struct UwOpen { /* what was asked for, and is not complete */
  int64_t record;
  int64_t task, kind, object, peer, tag, bytes, since, number;
  int64_t used;
} UwOpen;

typedef struct UwObject { /* what was done with a window, a file, ... in one way */
  int64_t object, kind;
  int64_t n, open, bytes, ticks;
  int64_t used;
} UwObject;

enum {
  UW_TASKS,
  UW_FRAMES,
  UW_TIMES,
  UW_QUEUES,
  UW_GROUPS,
  UW_COUNTS,
  UW_INSTANCES,
  UW_OPEN,
  UW_OBJECTS,
  UW_KEYS,
  UW_BETWEEN,
  UW_N
};

typedef struct UnderWay {
  const TraceSource *source;
  struct UwKind *kinds;
  TraceQueues queues;
  uint32_t n_kinds;
  int64_t *region_groups; /* by object, + 1; 0: not asked */
  uint32_t n_regions;
  char **prefixes; /* pairs: how names begin, and the group that they are of */
  uint32_t n_prefixes;
  char *otherwise; /* the group of regions of none */
  Table tables[UW_N];
  int64_t last, n_events;
} UnderWay;

void uw_init (UnderWay *u);
void uw_clear (UnderWay *u);
void uw_reset (UnderWay *u);
/* "MPI_ = MPI; cuda = CUDA": how names begin, and their group. */
void uw_groups (UnderWay *u, const char *text, const char *otherwise);
void uw_bind (UnderWay *u, const TraceSource *s);
void uw_event (UnderWay *u, const TraceEvent *e);
const char *uw_region_name (const UnderWay *u, int64_t region);
int64_t uw_group_of (UnderWay *u, int64_t region);
const char *uw_group_name (const UnderWay *u, int64_t group);
const char *uw_kind_name (const UnderWay *u, int64_t kind);
/* What a task is inside of; NULL: of nothing. */
const UwFrame *uw_innermost (const UnderWay *u, const UwTask *t);
/* Ticks of a task in a group, up to now. */
int64_t uw_ticks (UnderWay *u, const UwTime *t);
void uw_save (const UnderWay *u, EveBlob *to);
bool uw_load (UnderWay *u, EveBlobView *from);
