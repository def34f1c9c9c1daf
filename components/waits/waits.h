/* SPDX-License-Identifier: Apache-2.0 */
/* waits.h - who waits for whom in a program that exchanges messages, found from the events alone, in one pass.
 *
 * It knows acts of events (readers/event.h), not formats: states or calls that tasks are inside of, messages with a
 * group and a tag, operations that a whole group does together.  README.md has the rules.  What is kept is what is
 * under way, and a count for each task and region.  Engine thread only. */
#pragma once
#include "components/waits/table.h"
#include "readers/early.h"

typedef enum {
  WAIT_LATE_SENDER,
  WAIT_LATE_RECEIVER,
  WAIT_BARRIER,
  WAIT_ALL, /* N x N */
  WAIT_LATE_ROOT,
  WAIT_EARLY_ROOT,
  WAIT_SCAN,
  WAIT_LATE_RECEIVER_DONE, /* of a send that does not block, in the call that completes it */
  WAIT_FENCE,
  WAIT_LATE_POST,
  WAIT_EARLY_WAIT,
  WAIT_LOCK,
  WAIT_NEVER, /* in a call that never ended */
  WAIT_TEAM,  /* at a barrier of threads */
  WAIT_HELD,  /* for who holds a lock, and those behind for who signals, posts, ends */
  WAIT_SIGNAL,
  WAIT_SEMAPHORE,
  WAIT_END,
  WAIT_NEVER_MET, /* at a rendezvous to which the other did not come */
  WAIT_DEVICE,    /* for an accelerator to be done */
  WAIT_UNDER_WAY, /* of an instant: in a call that is not over, of which only what comes later tells what it waits for
                   */
  N_WAITS
} WaitKind;
extern const char *const wait_names[N_WAITS];

/* References are places in tables, -1: to nothing; dates and durations are ticks. */

/* On an ideal network: of the whole run, and of what lies between the calls that begin and end communication. */
typedef struct WaitIdeal {
  int64_t whole, inner;
} WaitIdeal;

/* Of the first thread of a process: ticks in which it has teams of threads at work, what it computes meanwhile. */
typedef struct WaitTeams {
  int64_t ticks, useful;
} WaitTeams;

/* What a thread is for: not known before it does something; anything; parallel regions, and it is in one, or is not. */
enum { HELPS_UNKNOWN, HELPS_NOBODY, HELPS_NOW, HELPS_LATER };

typedef struct WaitTask {
  int64_t task;
  int64_t team, teams;                            /* of threads that it is in now, -1: none; those around it, a chain */
  int64_t forks;                                  /* that were not joined yet */
  int64_t forked_at, forked, widest, fork_useful; /* since when threads work; ticks; of a team; computed before */
  WaitTeams hybrid, open_hybrid, close_hybrid;    /* up to the last fork or join; to `open`, to `close` */
  int64_t late, n_late; /* late senders that may turn out to be of wrong order, a chain, and how many */
  int64_t top;          /* innermost frame */
  int64_t communicates; /* frames around it that are of communication */
  int64_t first, last;  /* dates of its first and last change of state; first > last: none */
  int64_t useful, since;
  int64_t thing;      /* it does nothing itself: others have it, or use it, or it tells sums */
  int64_t told, runs; /* its states tell when it runs: in none that says so it may do anything; those that do */
  int64_t helps;      /* HELPS_*: it is a thread that only works in parallel regions of another one */
  int64_t held;       /* ticks in calls and states in which no work is done */
  int64_t waited[N_WAITS], n_waited[N_WAITS];
  int64_t wrong[2], n_wrong[2];                   /* of the late senders: in wrong order; of one source, of several */
  WaitIdeal stalled;                              /* ticks that it waits on an ideal network (ideal.c) */
  int64_t open, close;                            /* dates when it could communicate; INT64_MIN, INT64_MAX: always */
  int64_t open_useful, close_useful, close_ideal; /* what it had computed, its ideal date, then */
  int64_t setting_up;                             /* ticks in calls that begin and end communication itself */
  int64_t owned, caused;                          /* ticks that it waited, each once; that others waited for it, */
  int64_t threads;                                /* the highest number of one that was in a call */
  int64_t has_threads, n_live, n_busy;            /* they are told; how many there are, and compute (threads.c) */
  int64_t died;                                   /* INT64_MAX: it has not */
  int64_t spawn_node, spawn_at;         /* its path when it last began to start others, and when that was; else -1 */
  int64_t born_node, born_at;           /* the same of who starts it, until it begins; else -1 */
  int64_t completed[2], n_completed[2]; /* ticks in barriers, in N x N, after the first of all had left */
  int64_t led_from, led_at, led_behind; /* a flow that came while it was in no call: when that began, when it came
                                           (INT64_MAX: none has), ticks that it was in calls meanwhile */
  int64_t node, path_since;             /* of its critical path; since when its time is neither in it nor in its log */
  int64_t sent, received;
  int64_t communicated;                      /* it has begun a call of communication */
  int64_t together, n_ordered, order_caused; /* by-order.c: such operations that it is in, has begun; ticks that others
                                                 waited for it there */
  int64_t used;
} WaitTask;

typedef struct WaitThread { /* of a task, where calls tell of which thread they are */
  int64_t task, thread;
  int64_t communicates;     /* calls of communication that it is inside of */
  int64_t stopped, runs_on; /* until it is let run; it was let run before, so it does not stop next time */
  int64_t dead;
  int64_t used;
} WaitThread;

typedef struct WaitFrame { /* a call or state that a task is inside of */
  int64_t task, region, enter, key, outer;
  int64_t communicates;
  int64_t halves, members; /* of messages and operations, in chains */
  int64_t owned;           /* up to this date its time belongs to a wait */
  int64_t thread;          /* of the task, -1: it has none */
  int64_t category; /* of its kind, where its end may be a record of its own; -1: the kind says nothing of it; of a
                       state STATE_* */
  int64_t ordered;  /* its number among the operations without a group, -1: it is none (by-order.c) */
  int64_t used;
} WaitFrame;

typedef struct WaitHalf { /* of a message: its send or its receive */
  int64_t task, peer, tag;
  int64_t is_receive;
  int64_t frame, region; /* the call that it is in, while that lasts */
  int64_t enter, leave;  /* of the call; leave: INT64_MAX: it lasts */
  int64_t posted, date;  /* when a receive was posted; of the record */
  int64_t other;         /* half that it was matched with */
  int64_t kind; /* of a receive, what it is to wait for its send (WaitKind), where that says no more; of a send:
                   whether it can wait for its receive */
  int64_t lets; /* of a send that lets another go on: what it was to wait for that; else WAIT_LATE_SENDER; -1: it is
                   told by the way, in what is no call of communication: its task did not wait */
  int64_t open; /* of a send: the call that completes it is not over */
  int64_t done_enter, done_leave, done_region, done_node; /* that call (its region -2: none yet), the path before it */
  WaitIdeal ideal;                                        /* date of its call on an ideal network */
  int64_t size;                                           /* bytes, of a receive */
  int64_t share, done;                                    /* of its call, and of the one that completes it, or -1 */
  int64_t meets;                                          /* of a rendezvous: 1 + the object over which; else 0 */
  int64_t asked;          /* only who waits for whom is told, and nothing comes of it: ASKED_*, 2 + a group; else 0 */
  int64_t numbered;       /* of a rendezvous: it waits for the other under the number of their meeting */
  int64_t next, in_frame; /* in its queue; in its frame */
  int64_t node;           /* of the critical path of its task, up to `enter`, or `posted` */
  int64_t used;
} WaitHalf;

typedef struct WaitShare { /* what the operations of one call share that is over, while some may still turn out to have
                              waited */
  int64_t owned;           /* up to this date its time belongs to a wait */
  int64_t done;            /* ticks that it waited for receivers of what was sent aside, taken by itself */
  int64_t holders;         /* how many refer to it */
  int64_t node;            /* where the critical path went on in the call, held; -1: it did not */
  int64_t used;
} WaitShare;

typedef struct WaitQueue { /* halves of one side that wait for the other */
  int64_t from, to, group, tag;
  int64_t is_receive, head, tail;
  int64_t used;
} WaitQueue;

typedef struct WaitMember { /* of an instance */
  int64_t task, instance, frame, region;
  int64_t arrived; /* entered the call that begins it */
  int64_t enter;   /* the call that waits for its end */
  int64_t leave;   /* INT64_MAX: not yet */
  int64_t led;     /* its critical path went on from whom it waited for */
  int64_t known;   /* its wait was known when its call ended, and is its own from `owned` on */
  int64_t owned;
  int64_t share; /* else, of its call, or -1 */
  int64_t next, in_frame;
  int64_t used;
} WaitMember;

typedef struct WaitInstance { /* of an operation that a group does together */
  int64_t group, number;
  int64_t kind, root, size;
  int64_t members, n_arrived, n_left;
  int64_t first_left; /* when; INT64_MAX: nobody has */
  int64_t bad;        /* its members do different things */
  WaitIdeal ideal, ideal_root,
      ideal_others;                   /* when the last, the root, the last of the others came on an ideal network */
  int64_t decisive, decided_at, node; /* whom the others wait for, so far: task, date, critical path */
  int64_t used;
} WaitInstance;

typedef struct WaitBegun { /* what the end of an action wants of its begin */
  int64_t record;
  int64_t enter, member;
  int64_t node; /* of a receive: the critical path of its task then */
  int64_t half; /* of a send */
  int64_t used;
} WaitBegun;

typedef struct WaitLate { /* a late sender: whether its receiver could have had another message meanwhile */
  int64_t source, from, until, sent, call; /* who was late, the wait, the date of the send, when its call ended */
  int64_t wrong, several;                  /* ticks of wrong order; from another source */
  int64_t next;
  int64_t used;
} WaitLate;

typedef struct WaitLock { /* of a window of a task */
  int64_t window, owner;
  int64_t holders, last, released; /* who let go of it last, and when */
  int64_t used;
} WaitLock;

typedef struct WaitAsked { /* a lock that a task waits for */
  int64_t window, owner, task;
  int64_t date, contended;
  int64_t used;
} WaitAsked;

typedef struct WaitCount { /* operations that a task has begun in a group */
  int64_t group, task;
  int64_t n;
  int64_t used;
} WaitCount;

typedef struct WaitGroup {
  int64_t group;
  int64_t size;
  int64_t members; /* a chain */
  int64_t used;
} WaitGroup;

typedef struct WaitBelongs { /* a member of a group */
  int64_t group, task;
  int64_t left; /* it is none any more */
  int64_t next;
  int64_t used;
} WaitBelongs;

typedef struct WaitCell { /* one kind of wait, of one task in one region */
  int64_t kind, region, task;
  int64_t n, ticks, longest, longest_at;
  int64_t alone;       /* ticks of this kind by itself, of which others may own a part: n may be 0 */
  int64_t longest_for; /* TRACE_NONE: nobody tells for whom */
  int64_t used;
} WaitCell;

typedef struct WaitOrdered { /* the n-th operation of each task, where no group is told (by-order.c) */
  int64_t number;
  int64_t region, class;
  int64_t n, n_left, first_left; /* tasks that have begun it, left it; when the first did */
  int64_t last, last_task;       /* who has come last, when; from a root, before the first left */
  int64_t first, first_task;     /* to a root: who has come first, when; */
  int64_t second, second_task;   /* who next; */
  int64_t first_stays;           /* until when the first stayed, who may be the root */
  int64_t ticks;                 /* waited so far */
  int64_t used;
} WaitOrdered;

typedef struct WaitPair {            /* such a wait, for one task */
  int64_t kind, region, task, cause; /* cause -1: for tasks that there was no room to tell apart */
  int64_t ticks;
  int64_t used;
} WaitPair;
#define MOST_PAIRS (1 << 18)

typedef struct WaitTeam { /* a team of threads that a task goes back to */
  int64_t team, next;
  int64_t used;
} WaitTeam;

typedef struct WaitFlow { /* flows that led to a region of a task */
  int64_t task, region;
  int64_t n, ticks, longest, longest_at, behind;
  int64_t used;
} WaitFlow;

typedef struct WaitMessage { /* one late sender, of those that were waited for longest */
  int64_t sender, receiver, tag, bytes, region, from, ticks;
  int64_t used;
} WaitMessage;

/* ---- the critical path (path.c) ---- */
typedef struct WaitNode { /* stretches of it; further ones may go on from its end */
  int64_t parent;
  int64_t first_task, last_task, from, to, stretches;
  int64_t is_head, holders, children;
  int64_t child;     /* the exclusive or of all: of one it is that one */
  int64_t own_child; /* in which its own task goes on, or -1 */
  int64_t used;
} WaitNode;

typedef struct WaitRegion { /* what all tasks have spent */
  int64_t region;
  int64_t ticks;
  int64_t grouped;  /* operations of groups in it, of which it is told which group's each is */
  int64_t rootless; /* ticks in those from or to a root of which nobody tells who that is */
  int64_t used;
} WaitRegion;

typedef struct PathPart {
  int64_t task, region, ticks;
} PathPart;

typedef struct PathTimes { /* time by task and region, in no order; now and then those that are alike become one */
  PathPart *all;
  uint32_t n, room;
  uint32_t settle_at; /* when there are so many */
} PathTimes;

/* ---- root causes (causes.c) ---- */
typedef struct WaitCause { /* what a task does in a region, and how long others wait for it */
  int64_t task, region;
  double direct, indirect; /* ticks */
  int64_t used;
} WaitCause;
_Static_assert(sizeof (double) == sizeof (int64_t), "rows are whole numbers");

typedef enum {
  LOG_SPENT, /* a: place in regions_spent; b: ticks */
  LOG_MET,   /* an operation with others: a: the group, or of a message -1 - peer; b: its number */
  LOG_WAIT,  /* a: place in regions_spent; b: so many roots lie before it */
  LOG_ROOT   /* of the wait behind it: a: place in `causes`; b: its part, as the bits of a double */
} LogWhat;
typedef struct LogEntry {
  int64_t what, from, to, a, b;
} LogEntry;
enum { RECENT_ROWS = 32, PARTS_BACK = 4 /* parts of PathTimes, for one that is alike */ };
typedef struct WaitRecent { /* where something was last told of a place in regions_spent: looked at first */
  uint16_t log, pending;
  uint32_t cause; /* row in `causes` */
} WaitRecent;
typedef struct WaitLog { /* what a task did of late */
  LogEntry *all;
  uint32_t n, room;
  uint32_t piece;        /* the entry with which what it does now begins */
  uint32_t met_all;      /* the entry behind the last operation of all tasks */
  int64_t since;         /* what it did from here on is not in it yet */
  int64_t lost;          /* before this date nothing is known any more; INT64_MIN: all is */
  PathTimes pending;     /* what is not yet in its critical path, since its last call of communication began */
  int64_t goes_with;     /* whose path that is: 1: its own, else 2 + the row of a task; 0: not known yet */
  uint32_t looked_among; /* that task was looked for among so many, and was not there */
  int64_t last_count;    /* the row of `counts` that was looked at last */
  int64_t last_cell;     /* the same of `cells` */
  WaitRecent recent[RECENT_ROWS];
} WaitLog;

/* One wait, when all of it is known. */
typedef struct Wait {
  WaitKind kind;
  uint32_t task, cause; /* who waits for whom */
  int64_t region, from, ticks;
  int64_t before; /* ticks of the same kind that were counted already in the same call */
  bool leads;     /* the critical path of the task goes on from whom it waited for */
  bool judged;    /* its causes are counted already */
} Wait;

enum { WAIT_PARTS = 50, PART_SINCE = N_WAITS }; /* parts of the trace, for which sums are kept; see there */
enum {
  WAITS_FIRST,
  WAITS_LAST, /* dates of all events */
  WAITS_EVENTS,
  WAITS_MESSAGES,
  WAITS_BYTES,
  WAITS_INSTANCES,
  WAITS_UNSENT,         /* receives of what was sent before recording began */
  WAITS_BACKWARD,       /* messages that were received before they were sent */
  WAITS_MISMATCHED,     /* instances in which tasks did different things */
  WAITS_UNKNOWN,        /* operations of groups whose members nobody told */
  WAITS_LEFT_EARLY,     /* members that left an operation before the last had come */
  WAITS_APART,          /* ticks by which clocks differ at least, as the worst of these and of BACKWARD tells, */
  WAITS_APART_EARLY,    /* of this task, */
  WAITS_APART_LATE,     /* which is before that one, */
  WAITS_APART_REGION,   /* in this region */
  WAITS_SERIAL,         /* messages that were matched, in or out of the window */
  WAITS_NUMBERED,       /* halves of a rendezvous that wait under its number */
  WAITS_ORDER_TASKS,    /* by-order.c: tasks that have begun to communicate, */
  WAITS_ORDER_DONE,     /* operations that all of these have done, */
  WAITS_ORDER_BARRIER,  /* ticks waited in barriers, */
  WAITS_ORDER_ALL,      /* where all have data of all, */
  WAITS_ORDER_LATE,     /* at most, for roots that come late, */
  WAITS_ORDER_EARLY,    /* and in roots that come early, */
  WAITS_ORDER_BAD,      /* 1: it is no such trace */
  WAITS_ROOTLESS_FROM,  /* operations from a root, and */
  WAITS_ROOTLESS_TO,    /* to a root, of which nobody tells who that is; */
  WAITS_ROOTLESS_LATE,  /* ticks that all wait at most for a late root in the former, */
  WAITS_ROOTLESS_EARLY, /* and that roots which came early wait in the latter */
  N_COUNTS
};

typedef struct Waits {
  const TraceSource *source;
  TraceQueues queued; /* how messages are told apart */
  struct WaitsKind *kinds;
  uint32_t n_kinds;
  uint32_t *task_rows; /* row + 1 of a task, which stays; 0: not asked */
  uint32_t n_task_rows;
  uint16_t *regions; /* by object: 0 not asked, else 1 and REGION_* */
  uint32_t n_regions;
  uint8_t *types_run; /* by type: what it says of when tasks run */
  uint32_t n_types_run;
  uint8_t *not_first; /* by task: whether another of its type, in the same one, comes before it; NULL: not asked */
  uint32_t n_not_first;
  uint32_t *spent_rows;               /* by object: row + 1 in regions_spent, which stays; 0: not asked */
  uint32_t n_spent_rows, outside_row; /* the latter of being in none, the same */
  GPtrArray *phases;                  /* of struct WaitPhase *: what tasks call their own phases, as they come, */
  GHashTable *phase_places;           /* and where those are in it, by name; both NULL: none has come */
  WaitLog *logs;                      /* by row of a task */
  uint32_t n_logs;
  double judged, unexplained; /* ticks of waits whose causes were looked for; that nothing explains */
  struct CauseScratch *scratch;
  PathTimes *times; /* by place of a node: the time in it */
  int64_t n_times;
  Table tasks, frames, halves, queues, members, instances, begun, counts, groups, cells, nodes, regions_spent, late,
      locks, asked, shares, messages, causes, belongs, pairs, ordered, flows, threads, teams;
  int64_t last_group;    /* the row of `groups` that was looked at last */
  bool tells_operations; /* of groups, itself */
  int64_t most_messages; /* late senders that are kept one by one */
  int64_t from, to;      /* what lies outside of these dates is not counted; INT64_MIN, INT64_MAX: all is */
  int64_t count[N_COUNTS];
  int64_t parts[WAIT_PARTS][N_WAITS + 1];      /* and from the begin of the first wait in a part to its end; 0: none */
  int64_t part_lasts;                          /* ticks a part; 0: not known yet */
  int64_t now;                                 /* the instant that is told of, if that is behind the last event */
  struct WaitsNow *settled;                    /* what was counted before what is under way was, too; NULL: it is not */
  bool tells_settled;                          /* such waits are told too */
  void (*tell) (void *to_whom, const Wait *w); /* each wait; may be NULL */
  void *to_whom;
  bool told; /* set by who is told: it has something to do before the next event */
} Waits;

/* Rows of a table, and whether one is used: as table_at() and table_uses(), but how wide they are is known. */
#define WAITS_ROWS(name, Type)                                                                                         \
  static inline Type *waits_##name##_at (const Waits *w, int64_t i)                                                    \
  {                                                                                                                    \
    return (Type *) w->name.rows + i;                                                                                  \
  }                                                                                                                    \
  static inline bool waits_##name##_use (const Waits *w, int64_t i)                                                    \
  {                                                                                                                    \
    return (uint64_t) i < (uint64_t) w->name.n && ((const Type *) w->name.rows)[i].used >= 0;                          \
  }
/* One more row of a table in which none is looked up: what is in it is for the caller to write, all of it; and one
 * less.
 */
#define WAITS_ROWS_WITHOUT_KEY(name, Type)                                                                             \
  WAITS_ROWS (name, Type)                                                                                              \
  static inline int64_t waits_##name##_take (Waits *w)                                                                 \
  {                                                                                                                    \
    return table_take_wide (&w->name, sizeof (Type) / sizeof (int64_t));                                               \
  }                                                                                                                    \
  static inline void waits_##name##_drop (Waits *w, int64_t i)                                                         \
  {                                                                                                                    \
    if (waits_##name##_use (w, i))                                                                                     \
      table_give_back_wide (&w->name, i, sizeof (Type) / sizeof (int64_t));                                            \
  }
WAITS_ROWS (tasks, WaitTask)
WAITS_ROWS_WITHOUT_KEY (teams, WaitTeam)
WAITS_ROWS_WITHOUT_KEY (frames, WaitFrame)
WAITS_ROWS_WITHOUT_KEY (halves, WaitHalf)
WAITS_ROWS (queues, WaitQueue)
WAITS_ROWS_WITHOUT_KEY (members, WaitMember)
WAITS_ROWS (instances, WaitInstance)
WAITS_ROWS (begun, WaitBegun)
WAITS_ROWS (counts, WaitCount)
WAITS_ROWS (groups, WaitGroup)
WAITS_ROWS (cells, WaitCell)
WAITS_ROWS_WITHOUT_KEY (nodes, WaitNode)
WAITS_ROWS (regions_spent, WaitRegion)
WAITS_ROWS_WITHOUT_KEY (late, WaitLate)
WAITS_ROWS_WITHOUT_KEY (shares, WaitShare)
WAITS_ROWS (causes, WaitCause)
WAITS_ROWS (pairs, WaitPair)
WAITS_ROWS (belongs, WaitBelongs)
#undef WAITS_ROWS_WITHOUT_KEY
#undef WAITS_ROWS

void waits_init (Waits *w);
void waits_clear (Waits *w);
void waits_reset (Waits *w);
/* The trace that all events are of; before the first of them. */
void waits_bind (Waits *w, const TraceSource *s);
/* Gives how many of these events were taken, in their order: up to the first of another trace, and to the first that
 * something was told of. */
uint32_t waits_events (Waits *w, const TraceEvent *events, uint32_t n);
void waits_save (const Waits *w, EveBlob *to);
bool waits_load (Waits *w, EveBlobView *from);
const char *waits_region (const Waits *w, int64_t region);
/* Between two dates, whatever they are. */
static inline int64_t
waits_between (int64_t from, int64_t to)
{
  return (int64_t) ((uint64_t) to - (uint64_t) from);
}
/* What is told is of this date. */
static inline int64_t
waits_instant (const Waits *w)
{
  return MAX (w->count[WAITS_LAST], w->now);
}
/* Ticks of a stretch that are counted. */
static inline int64_t
waits_counted (const Waits *w, int64_t from, int64_t to)
{
  from = MAX (from, w->from);
  to = MIN (to, w->to);
  return from < to ? waits_between (from, to) : 0;
}
/* Nothing in the trace tells who waits for whom, or who starts another: there is no critical path to be known. */
bool path_untold (const Waits *w);
/* A hundredth of it or more is in operations of groups in which nobody knows who waits for whom. */
bool path_is_doubtful (const Waits *w);
/* The critical path: how long it is in each region, the longest first, and in each task, in their order; of PathPart,
 * g_array_unref. */
GArray *path_by_region (const Waits *w, int64_t *length, int64_t *stretches);
GArray *path_by_task (const Waits *w);
/* On which task it ends, where it begins and ends, on which task it begins; -1: there is none. */
int64_t path_end (const Waits *w, int64_t *from, int64_t *to, int64_t *first);
/* Ticks that a task has computed, up to its last change of state; of its life of which nobody says what it did. */
int64_t waits_useful (const Waits *w, const WaitTask *t);
int64_t waits_untold (const Waits *w, const WaitTask *t);
/* From its first event until it is gone, or the trace ends. */
int64_t waits_life (const Waits *w, const WaitTask *t);
/* When it has done all that, on an ideal network, from the first event on; `inner`: from the end of the call that
 * begins communication to the begin of the one that ends it. */
int64_t waits_ideal_end (const Waits *w, const WaitTask *t, bool inner);

/* ---- for its own files ---------------------------------------------------------------------------------------------------------- */
typedef enum { ONLY_ENTERS, ONLY_LEAVES, ONLY_NOTHING, ONLY_MORE } KindOnly; /* all that events of a kind do */
typedef struct WaitsKind {
  uint16_t acts;
  uint8_t class;    /* TraceCollective, of a COLLECTIVE */
  bool blocks;      /* its task waits where it began */
  bool regions;     /* the object is what the task is inside of */
  bool talks;       /* a CALL of communication, whatever it is inside of */
  bool tells;       /* members of a group */
  bool window;      /* an operation of all that have a window on each other's memory */
  uint8_t notes;    /* WaitNote */
  uint8_t lets;     /* WaitKind: what who receives it has waited for */
  bool flows;       /* tells what led to what: its task waits in calls of communication alone */
  bool gathers;     /* a barrier of a group, by itself no operation of its members */
  bool meets;       /* a rendezvous, or waits for one who comes to it */
  bool threads;     /* the tag is a thread of the task, of which each has calls of its own */
  bool spawns;      /* a call that starts others */
  int16_t parent;   /* field of a birth that tells who starts it, or -1 */
  bool asks;        /* tells whom a call waits for that never ends */
  bool apart;       /* its ends are records of their own, which do not tell the one of the begin */
  bool plain;       /* nothing but what tasks are inside of, messages and operations: most events are so */
  uint8_t only;     /* KindOnly */
  int32_t category; /* the first kind of the same one; -1: it has none */
  int16_t word;     /* field with the name of a phase, or -1 */
  int16_t lets_run; /* the one with the number of a thread, or -1 */
  int16_t meeting;  /* the one with the number of a rendezvous, or -1 */
  /* of a kind that is itself what tasks are inside of: */
  uint16_t is;        /* 0: not asked, else 1 and REGION_* */
  uint32_t spent_row; /* row + 1 in regions_spent, which stays; 0: not asked */
} WaitsKind;
typedef struct WaitPhase { /* what a program names itself, and a task is inside of */
  char *name;
  uint16_t is;        /* as of a kind */
  uint32_t spent_row; /* the same */
} WaitPhase;
/* What some kinds note, known by their names. */
typedef enum {
  NOTE_NOTHING,
  NOTE_TEAM_BEGINS,
  NOTE_TEAM_ENDS,
  NOTE_FORK,
  NOTE_JOIN,
  NOTE_GROUP, /* tasks get or give up access to a window: the call tells which */
  NOTE_LOCK_ASKED,
  NOTE_LOCKED,
  NOTE_UNLOCKED,
  NOTE_DONE, /* by a stream of an accelerator, for which a task waits */
  NOTE_AWAITED,
  NOTE_JOINS,
  NOTE_LEAVES,
  NOTE_THREAD_BORN,
  NOTE_THREAD_DEAD,
  NOTE_THREAD_RUN,
  NOTE_THREAD_STOPS
} WaitNote;
enum { STATE_ENTERED = -2, STATE_SET = -3 }; /* a state that is left by itself; that is around all others */
enum {
  REGION_COMMUNICATES = 2, /* no work is done in it */
  REGION_SETS_UP = 4,
  REGION_TEAM_BARRIER = 8,
  REGION_OF_RUNS = 16,
  REGION_RUNS = 32,
  REGION_ENDS = 64,
  REGION_ASKS = 128,     /* whoever is in it waits for others */
  REGION_TOGETHER = 256, /* named as an operation of a group */
  REGION_SELDOM = REGION_TOGETHER | REGION_OF_RUNS | REGION_RUNS | REGION_ENDS | REGION_TEAM_BARRIER
};
#define REGION_BEFORE INT64_C (-2) /* a region: before the first call of a task */
#define KIND_TEAM INT64_C (-2)     /* of an instance: a barrier of threads */
void waits_bind_kind (WaitsKind *to, const TraceKind *k);
/* threads.c.  Whether a task, which enters this region as the first of all, is a thread that works in parallel regions
 * alone: HELPS_*. */
int64_t waits_helps (Waits *w, const WaitTask *t, int64_t region);
/* REGION_*, of what a task is inside of. */
unsigned waits_find_region (const Waits *w, int64_t region);
static inline unsigned
waits_region_is (const Waits *w, int64_t region)
{
  return G_LIKELY (region >= 0 && region < w->n_regions && w->regions[region] > 0) ? w->regions[region]
                                                                                   : waits_find_region (w, region);
}
WaitTask *waits_find_task (Waits *w, uint32_t task);
static inline WaitTask *
waits_task (Waits *w, uint32_t task)
{
  return G_LIKELY (task < w->n_task_rows && w->task_rows[task] > 0)
             ? (WaitTask *) w->tasks.rows + (w->task_rows[task] - 1)
             : waits_find_task (w, task);
}
/* Counts a wait: by itself as one of its kind, and of the time of its call what no other wait owns, which is told.
 * `owned`: the date up to which the time of the call belongs to a wait, which is moved on. */
void waits_add (Waits *w, const Wait *one, int64_t *owned);
/* Something that one task did, in a region, came so many ticks before what another must have done first. */
void waits_apart (Waits *w, int64_t ticks, int64_t early, int64_t late, int64_t region);
/* What a task is inside of during a call.  A phase has the name that the program gave it. */
int64_t waits_region_of_call (Waits *w, const TraceEvent *e, const WaitsKind *k);
/* calls.c.  A task is inside of a state from now on, in which an event sets it, or of a call. */
void waits_enter (Waits *w, const TraceEvent *e);
void waits_enter_set (Waits *w, const TraceEvent *e);
void waits_enter_call (Waits *w, const TraceEvent *e, int64_t region);
static inline bool
waits_computes (const WaitTask *t)
{
  return t->communicates == 0 && (!t->told || t->runs > 0) && t->helps != HELPS_LATER;
}
/* Of ticks in which nothing has changed how many it computed.  A task of several threads computes as these do, on
 * average. */
static inline int64_t
waits_computed (const WaitTask *t, int64_t ticks)
{
  if (G_LIKELY (!t->has_threads))
    return waits_computes (t) ? ticks : 0;
  return t->n_live > 0 ? ticks / t->n_live * t->n_busy + ticks % t->n_live * t->n_busy / t->n_live : 0;
}
/* What it did up to a date is counted. */
static inline void
waits_account (Waits *w, WaitTask *t, int64_t date)
{
  int64_t ticks = waits_counted (w, t->since, date);

  t->useful += waits_computed (t, ticks);
  t->held += t->communicates > 0 ? ticks : 0;
  t->since = date;
}
/* Its first and last change of state take in this date. */
static inline void
waits_change (WaitTask *t, int64_t date)
{
  if (G_UNLIKELY (t->first > t->last))
    t->first = t->since = date;
  t->last = date;
}
/* It leaves the innermost region that it is in, as an event says; or at a date.  In none, nothing happens. */
void waits_leave_state (Waits *w, const TraceEvent *e);
void waits_leave_innermost (Waits *w, WaitTask *t, int64_t date);
/* It leaves the call that an end is of; none is found: nothing happens. */
void waits_leave_call (Waits *w, const TraceEvent *e, const WaitsKind *k);
/* The call that an end is of: the one with its record, else, where ends are records of their own, the innermost of its
 * category and thread, of phases the one of its name if there is one.  -1: none.  Others may be inside of it
 * that go on. */
int64_t waits_call_of_end (Waits *w, const TraceEvent *e, const WaitsKind *k);
/* The frame around another one of the same thread, -1: there is none. */
int64_t waits_around (const Waits *w, const WaitFrame *f);
/* messages.c */
void waits_send (Waits *w, const TraceEvent *e);
/* `begun`: when it was asked for, and a critical path that is held; NULL: in its call. */
void waits_receive (Waits *w, const TraceEvent *e, const WaitBegun *begun);
/* Its action is over: the innermost call completes it. */
void waits_sent (Waits *w, const TraceEvent *e);
/* One task does something that another may wait for, as a message; what its end waits for counts as `kind`. */
void waits_tell (Waits *w, const TraceEvent *e, uint32_t to, int32_t what);
void waits_hear (Waits *w, const TraceEvent *e, uint32_t from, int32_t what, WaitKind kind);
/* What of messages meetings.c needs: the send or receive that an event is; the oldest half of the other side under a
 * key, -1: none, and `half` waits there now; both belong together. */
int64_t waits_half (Waits *w, const TraceEvent *e, bool is_receive);
int64_t waits_take_or_wait (Waits *w, const int64_t *key, bool is_receive, int64_t half);
void waits_match (Waits *w, int64_t send, int64_t receive, int64_t bytes);
/* meetings.c: a task comes to a rendezvous; its call, which this event ends, is over; so is one that waited for who
 * would come. */
void waits_meet (Waits *w, const TraceEvent *e);
void waits_met (Waits *w, const TraceEvent *e, WaitFrame *f);
void waits_listened (Waits *w, const TraceEvent *e, WaitFrame *f);
/* Of a half of a rendezvous whose call is over: what it waited for who never came. */
void waits_never_met (Waits *w, const WaitHalf *h, int64_t *owned);
void waits_collective (Waits *w, const TraceEvent *e);
/* The innermost call of a task is a barrier of its team. */
void waits_team_barrier (Waits *w, WaitTask *t);
void waits_members (Waits *w, const TraceEvent *e);
/* The innermost call of a task; NULL: it is in none. */
static inline WaitFrame *
waits_call (const Waits *w, const WaitTask *t)
{
  return waits_frames_use (w, t->top) ? waits_frames_at (w, t->top) : NULL;
}
/* Of what shares the time of a call that is over (-1: nothing else does): up to when it is owned, of a call that was
 * entered then; it is owned up to a date now; one operation less shares it. */
int64_t waits_owned (const Waits *w, int64_t share, int64_t enter);
void waits_own (Waits *w, int64_t share, int64_t owned);
void waits_share_release (Waits *w, int64_t share);
/* groups.c: a call ends in which a task took part in an operation (a place in `members`); then, when all that the call
 * waited for is known. */
void waits_leave_member (Waits *w, WaitFrame *f, int64_t i, int64_t date);
void waits_member_left (Waits *w, int64_t i, int64_t date);
/* A frame ends in which something was done with others. */
void waits_leave (Waits *w, int64_t frame, int64_t date);
/* now.c: what is known of the waits of calls that are not over at this instant, or at the end of the trace, is counted;
 * and not any more, as it goes on, or that is no part of what is saved. */
void waits_settle (Waits *w);
void waits_unsettle (Waits *w);
/* For it, of a call under way: what its messages are known to have waited (messages.c); the half that one of a
 * rendezvous meets, if both have come, -1: they have not (meetings.c); what a member waits in an operation, if that is
 * a wait (groups.c). */
void waits_count_open (Waits *w, WaitFrame *f);
int64_t waits_there (const Waits *w, const WaitHalf *h);
bool waits_in_operation (const Waits *w, const WaitInstance *n, int64_t task, WaitKind *kind, TraceCollective *class);
/* stuck.c: calls that are not over, and whom they wait for. */
#define ASKED_TASK 1  /* one task, or whoever sends */
#define ASKED_GROUP 2 /* + the group: all of its members */
/* Whether all events have come: what is not over then never is. */
bool waits_over (const Waits *w);
/* A call begins that never ends: whom it waits for; or its task is known to wait for somebody. */
void waits_ask (Waits *w, const TraceEvent *e, uint32_t on, int64_t tag, int64_t asked);
void waits_ask_of_call (Waits *w, const TraceEvent *e, const WaitsKind *k);
/* groups.c: a task belongs to a group from now on, or no more. */
void waits_belongs (Waits *w, int64_t group, int64_t task, bool left);
/* late.c: of all late senders those that were waited for longest are kept; */
void late_message (Waits *w, const WaitHalf *h, int64_t ticks);
/* and those that may turn out to be of wrong order, of a call that ends at `date`; this message was sent before them.
 */
void late_keep (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, int64_t date);
void late_order (Waits *w, const WaitHalf *send, const WaitHalf *receive);
/* flows.c: one has come, of this half; a task enters a region, to which one may have led. */
void flows_come (Waits *w, const TraceEvent *e, int64_t send);
void flows_enter (Waits *w, WaitTask *t, int64_t region, int64_t date);
/* by-order.c: a task begins its first call of communication; an operation of a group that nobody tells; leaves it. */
void order_communicates (Waits *w, WaitTask *t);
void order_enter (Waits *w, WaitTask *t, WaitFrame *f);
void order_leave (Waits *w, WaitTask *t, const WaitFrame *f, int64_t date);
/* All tasks do the same ones in the same order, and each was done by all: what was waited in them can be told. */
bool order_agrees (const Waits *w);
/* ideal.c: when a task comes there on an ideal network; it waits there for what comes at `date`. */
WaitIdeal ideal_now (const Waits *w, const WaitTask *t, int64_t date);
void ideal_stall (Waits *w, uint32_t task, int64_t now, WaitIdeal date);
void ideal_arrive (const Waits *w, WaitInstance *n, const WaitTask *t, int64_t date);
void ideal_leave (Waits *w, const WaitInstance *n, int class, uint32_t task, int64_t date);
/* threads.c: teams of threads, windows on the memory of others. */
void waits_note (Waits *w, const TraceEvent *e, WaitNote what);
/* Ticks that other threads were idle while the first of a process was alone. */
int64_t waits_idle (const WaitTask *t);
/* A thread of a task is in so many calls of communication more; what it did up to a date is counted. */
void waits_thread_calls (Waits *w, WaitTask *t, int64_t thread, int64_t more, int64_t date);
/* causes.c: what a task did of late; it has been in a region (a place in regions_spent) until now; a call of
 * communication begins; */
WaitLog *causes_more_logs (Waits *w, uint32_t row);
static inline WaitLog *
causes_log (Waits *w, const WaitTask *t)
{
  uint32_t row = (uint32_t) (t - (const WaitTask *) w->tasks.rows);

  return G_LIKELY (row < w->n_logs) ? &w->logs[row] : causes_more_logs (w, row);
}
void causes_spend_anew (WaitLog *l, int64_t row, int64_t date, int64_t ticks);
#define LOOK_BACK 8u /* entries, for one of the same region */
static inline void
causes_spend (WaitLog *l, int64_t row, int64_t date)
{
  int64_t ticks = l->since == INT64_MIN || date <= l->since ? 0 : waits_between (l->since, date);
  uint32_t i = l->recent[row % RECENT_ROWS].log;

  if (G_LIKELY (l->n - 1 - i < LOOK_BACK && i >= l->piece && ticks > 0 && l->all[i].what == LOG_SPENT
                && l->all[i].a == row)) {
    l->all[i].to = date;
    l->all[i].b = trace_sum (l->all[i].b, ticks);
  } else if (ticks > 0)
    causes_spend_anew (l, row, date, ticks);
  l->since = date;
}
void causes_cut (WaitLog *l);
/* two tasks have exchanged a message; a task has done an operation with a group of `size`; */
void causes_met (Waits *w, int64_t one, int64_t other, int64_t date);
void causes_met_group (Waits *w, int64_t task, int64_t group, int64_t number, int64_t size, int64_t date);
/* whose doing a wait is, which is its own from a date on. */
void causes_judge (Waits *w, const Wait *one, int64_t own_from);
void causes_clear (Waits *w);
void causes_save (const Waits *w, EveBlob *to);
bool causes_load (Waits *w, EveBlobView *from);
/* Times by task and region, saved and loaded as they are. */
void path_times_add (PathTimes *to, int64_t task, int64_t region, int64_t ticks);
void path_times_save (const PathTimes *times, EveBlob *to);
bool path_times_load (PathTimes *times, EveBlobView *from);
/* The place of a region in regions_spent, which stays. */
int64_t waits_find_spent_row (Waits *w, int64_t region);
static inline int64_t
waits_spent_row (Waits *w, int64_t region)
{
  return G_LIKELY (region >= 0 && region < w->n_spent_rows && w->spent_rows[region] > 0)
             ? w->spent_rows[region] - 1
             : waits_find_spent_row (w, region);
}
/* The region that a task is inside of; -1: none. */
static inline int64_t
waits_region_of (const Waits *w, const WaitTask *t)
{
  const WaitFrame *f = waits_call (w, t);

  return f ? f->region : -1;
}
/* path.c.  A task begins to start others, has started these; is born. */
void path_spawn (Waits *w, const TraceEvent *e);
void path_spawned (Waits *w, const TraceEvent *e);
void path_born (Waits *w, const TraceEvent *e, const WaitsKind *k);
/* Calls that are told of a task of their own, beside the states of another one that say when it runs, are of the time
 * of that one: they go on its path.  The task whose path it is. */
uint32_t path_find_task (const Waits *w, uint32_t task);
static inline uint32_t
path_task (const Waits *w, uint32_t task)
{
  uint32_t row = task < w->n_task_rows ? w->task_rows[task] : 0;

  return G_LIKELY (row > 0 && row <= w->n_logs && w->logs[row - 1].goes_with == 1) ? task : path_find_task (w, task);
}
void path_clear (Waits *w);
void path_save (const Waits *w, EveBlob *to);
bool path_load (Waits *w, EveBlobView *from);
int64_t path_begins (Waits *w, const WaitTask *t);
void path_hold (Waits *w, int64_t node);
void path_release (Waits *w, int64_t node);
/* The first call of a task: what was before belongs to none, and its path comes from who started it. */
void path_begin (Waits *w, WaitTask *t, WaitLog *l, int64_t date);
/* It has been in a region, which has this place in regions_spent, and was not a short while ago. */
void path_spend_more (Waits *w, WaitTask *t, WaitLog *l, int64_t row, int64_t ticks);
/* What it is inside of has lasted until now. */
static inline void
path_spend (Waits *w, WaitTask *t, WaitLog *l, int64_t region, int64_t date)
{
  int64_t row = waits_spent_row (w, region), ticks = 0;

  if (G_LIKELY (t->first <= t->last))
    ticks = waits_counted (w, t->path_since, date);
  else
    path_begin (w, t, l, date);
  t->path_since = date;
  causes_spend (l, row, date);
  if (ticks <= 0)
    return;
  waits_regions_spent_at (w, row)->ticks += ticks;
  uint32_t i = l->recent[row % RECENT_ROWS].pending;
  const PathTimes *s = &l->pending;
  if (G_LIKELY (l->goes_with == 1 && s->n - 1 - i < PARTS_BACK && s->all[i].region == region
                && s->all[i].task == t->task))
    s->all[i].ticks += ticks;
  else
    path_spend_more (w, t, l, row, ticks);
}
void path_reach (Waits *w, WaitTask *t, WaitLog *l, int64_t date);
int64_t path_at (const Waits *w, const WaitTask *t, int64_t enter);
/* Of several waits in one call the one that ends last counts.  Gives whether it did. */
bool path_jump (Waits *w, WaitTask *t, int64_t cause, int64_t date);
/* The same, of a call that began at the end of `node` and is over: of the time in `region` since then, what lies before
 * `date` was waited.  Gives where the path goes on, which is held; -1: it does not. */
int64_t path_jump_late (Waits *w, WaitTask *t, int64_t node, int64_t region, int64_t cause, int64_t date);
/* The path of a task if it went on from somebody else in the call that was entered then and is over now; else -1. */
int64_t path_jumped (const Waits *w, const WaitTask *t, int64_t enter);
