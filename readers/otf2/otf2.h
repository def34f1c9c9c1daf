/* SPDX-License-Identifier: Apache-2.0 */
/* otf2.h - what the files of the OTF2 reader share. */
#pragma once
#include <otf2/otf2.h>

#include "readers/together.h"
#include "readers/unlike.h"

/* ---- things by the numbers that the archive gives them ------------------------------------------------------------------- */
/* Small numbers are places in an array, others are looked up. */
typedef struct Map {
  void **dense;
  uint32_t n_dense;
  GHashTable *others; /* or NULL */
  GDestroyNotify free;
} Map;

/* What had the number before is freed. */
void map_put (Map *m, uint64_t id, void *thing);
void *map_look_up (const Map *m, uint64_t id);
void map_clear (Map *m);
static inline void *
map_get (const Map *m, uint64_t id)
{
  return G_LIKELY (id < m->n_dense) ? m->dense[id] : map_look_up (m, id);
}

/* ---- definitions ------------------------------------------------------------------------------------------------------------ */
typedef struct SystemNode {
  uint64_t id;
  uint32_t name, class_name, parent;
  uint32_t task; /* TRACE_NONE: none yet */
  uint32_t host;
  bool met; /* on the way up from another */
} SystemNode;

typedef struct LocationGroup {
  uint64_t id;
  uint32_t name, parent, creator;
  OTF2_LocationGroupType type;
  uint32_t task, host, around;
  uint32_t n_threads; /* locations of it that are no metrics */
} LocationGroup;

typedef struct Location {
  uint64_t id, n_events;
  uint32_t name, group;
  OTF2_LocationType type;
  uint32_t task;
  struct OwnDefinitions *own; /* what it defines for itself, or NULL */
  GArray *cancelled;          /* which of its sends are given up, in order; NULL: none */
} Location;

/* How the description of a region begins that we write: what tasks do in it, a word of trace_does_word(), is behind. */
#define OTF2_SCOPE_DOES "Scope: "

typedef struct Region {
  uint32_t name, object;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
  uint32_t description;
} Region;

typedef struct Group {
  uint32_t name;
  OTF2_GroupType type;
  OTF2_Paradigm paradigm;
  uint32_t n;
  uint64_t *members;
  uint32_t *tasks; /* of the members, in their order; NULL: not asked for yet */
} Group;

typedef struct Comm {
  uint32_t name, group, other; /* `other`: of an inter-communicator, else undefined */
  uint32_t object;
  uint32_t asked; /* the task that was asked for last, and whether it is in the first group */
  bool in_first;
  uint64_t place; /* of what tells its members */
} Comm;

typedef struct Window {
  uint32_t name, comm, object;
} Window;

typedef struct Named { /* parameters, handles, files, markers: what is known by its name alone */
  uint32_t name, object, file;
} Named;

typedef struct MetricMember {
  uint32_t name, unit;
  OTF2_MetricMode mode;
  OTF2_Base base;
  int64_t exponent;
  double scale;
  uint32_t object;
} MetricMember;

typedef struct Metric { /* a class, or an instance of one */
  bool is_class, has_scope;
  uint8_t n;
  uint32_t *members;
  uint32_t of;
  OTF2_MetricScope scope;
  uint64_t scope_of;
} Metric;

typedef struct TaskFacts TaskFacts; /* told.c */

typedef struct Otf2 {
  Converter *to;
  TraceSource *source;
  char *folder, *name; /* of the anchor, and the archive's name */
  OTF2_Reader *reader; /* of the definitions, and of locations */
  struct Crew *crew;   /* who decode */
  uint64_t resolution, offset, most_ticks;
  Map strings, nodes, location_groups, locations, regions, groups, comms, windows, parameters, handles, files, contexts,
      members, metrics, markers, lines;
  GPtrArray *all_locations; /* in the order of their definition */
  GPtrArray *all_location_groups;
  GPtrArray *all_nodes;
  Group *world[256]; /* by paradigm: whose members the numbers of ranks are of */
  Unlike *ids;       /* of tasks, to be unlike each other */
  GHashTable *states, *state_types, *entity_types, *objects; /* name -> number + 1 */
  GHashTable *selves;                                        /* task << 32 | communicator of it alone -> object + 1 */
  uint32_t kinds[256];                                       /* number of a kind + 1; 0: not yet met */
  GPtrArray *all_comms, *all_windows;
  TaskFacts *told; /* of tasks beside their names */
  struct Devices *devices;
  bool cancels; /* the program calls what cancels requests */
  uint64_t n_duplicates;
  int64_t first; /* date of the earliest event so far */
} Otf2;

/* Text of the archive; "" where there is none. */
const char *otf2_text (const Otf2 *o, uint32_t string);
void otf2_damaged (Otf2 *o, const char *file, const char *fmt, ...) G_GNUC_PRINTF (3, 4);

/* ---- definitions.c ---------------------------------------------------------------------------------------------------------- */
void otf2_start_definitions (Otf2 *o);
void otf2_set_definition_callbacks (OTF2_GlobalDefReaderCallbacks *c);
void otf2_free_definitions (Otf2 *o);

/* ---- told.c: what definitions tell of tasks beside their names --------------------------------------------------------------- */
void otf2_start_told (Otf2 *o);
void otf2_set_told_callbacks (OTF2_GlobalDefReaderCallbacks *c);
/* All tasks are there, and so is the first date. */
void otf2_give_told (Otf2 *o);
void otf2_free_told (Otf2 *o);

/* ---- tables.c: what of the definitions becomes the tables of the source --------------------------------------------------- */
void otf2_make_tasks (Otf2 *o);
uint32_t otf2_state (Otf2 *o, const char *name, const char *type);
uint32_t otf2_region_object (Otf2 *o, uint32_t region);
uint32_t otf2_comm_object (Otf2 *o, uint32_t comm);
uint32_t otf2_window_object (Otf2 *o, uint32_t window);
/* A communicator that each task has for itself alone is one for each: that of a task. */
uint32_t otf2_self_object (Otf2 *o, uint32_t comm, uint32_t task, bool *is_new);
bool otf2_is_self (Otf2 *o, uint32_t comm);
uint32_t otf2_named_object (Otf2 *o, const Map *map, uint32_t id, const char *what);
uint32_t otf2_member_object (Otf2 *o, MetricMember *m);
/* The task with a rank in a communicator, seen by `me`; TRACE_NONE: there is none. */
uint32_t otf2_rank (Otf2 *o, uint32_t comm, uint32_t rank, uint32_t me);
/* A rank of all; TRACE_NONE: there is none. */
uint32_t otf2_rank_task (const Otf2 *o, uint64_t rank);
/* Members of a group, TRACE_NONE where there is no such task; NULL: none are known. */
const uint32_t *otf2_group_tasks (Otf2 *o, uint32_t group, uint32_t *n);
/* Members of a communicator; NULL: it has none that are known. */
const uint32_t *otf2_members (Otf2 *o, uint32_t comm, bool second, uint32_t *n);
/* Whose variables an instance has; `own` is the location that wrote it. */
uint32_t otf2_scope_task (Otf2 *o, OTF2_MetricScope scope, uint64_t of, uint32_t own);

/* ---- kinds.c ------------------------------------------------------------------------------------------------------------------ */
typedef enum {
  KIND_ENTER,
  KIND_ENTER_AT, /* the record tells from where in the program's source */
  KIND_LEAVE,
  KIND_LEFT,
  KIND_SET,
  KIND_ADD,
  KIND_SEND,
  KIND_ISEND,
  KIND_RECV,
  KIND_IRECV,
  KIND_ISEND_COMPLETE,
  KIND_REQUEST_TEST,
  KIND_ASKED,
  KIND_REQUEST_CANCELLED,
  KIND_GROUP, /* made by together.h */
  KIND_COMM_CREATE,
  KIND_COMM_DESTROY,
  KIND_PARAMETER,
  KIND_PARAMETER_TEXT,
  KIND_PROGRAM_BEGIN,
  KIND_PROGRAM_END,
  KIND_SAMPLE,
  KIND_FORK,
  KIND_JOIN,
  KIND_TEAM_BEGIN,
  KIND_TEAM_END,
  KIND_ACQUIRE_LOCK,
  KIND_RELEASE_LOCK,
  KIND_TASK_CREATE,
  KIND_TASK_SWITCH,
  KIND_TASK_COMPLETE,
  KIND_THREAD_CREATE,
  KIND_THREAD_BEGIN,
  KIND_THREAD_WAIT,
  KIND_THREAD_END,
  KIND_WIN_CREATE,
  KIND_WIN_DESTROY,
  KIND_PUT,
  KIND_GET,
  KIND_ATOMIC,
  KIND_RMA_COMPLETE,
  KIND_RMA_COMPLETE_REMOTE,
  KIND_RMA_TEST,
  KIND_RMA_GROUP_SYNC,
  KIND_RMA_SYNC,
  KIND_RMA_WAIT_CHANGE,
  KIND_RMA_REQUEST_LOCK,
  KIND_RMA_ACQUIRE_LOCK,
  KIND_RMA_TRY_LOCK,
  KIND_RMA_RELEASE_LOCK,
  KIND_IO_READ,
  KIND_IO_WRITE,
  KIND_IO_FLUSH,
  KIND_IO_CREATE,
  KIND_IO_DESTROY,
  KIND_IO_DUPLICATE,
  KIND_IO_SEEK,
  KIND_IO_FLAGS,
  KIND_IO_DELETE,
  KIND_IO_TEST,
  KIND_IO_ISSUED,
  KIND_IO_CANCELLED,
  KIND_IO_ACQUIRE_LOCK,
  KIND_IO_RELEASE_LOCK,
  KIND_IO_TRY_LOCK,
  KIND_MARKER,
  KIND_COORDINATE,
  KIND_PROPERTY,
  KIND_PROPERTY_TEXT,
  KIND_UNKNOWN,
  KIND_DONE, /* what a stream of an accelerator does; somebody waits for it */
  KIND_AWAITED,
  KIND_COLLECTIVE, /* one for each operation, then the same of those that do not block, then of windows */
  N_OPERATIONS = 24,
  N_KINDS = KIND_COLLECTIVE + 3 * N_OPERATIONS
} Kind;
_Static_assert(N_KINDS <= 256, "kinds of the archive");
/* What a kind of this number is called without what stands before it ("I", "Rma"); operations only. */
extern const char *const otf2_operations[N_OPERATIONS];
/* Its number in the source. */
uint16_t otf2_add_kind (Otf2 *o, Kind k);
static inline uint16_t
otf2_kind_of (Otf2 *o, Kind k)
{
  return (uint16_t) (G_LIKELY (o->kinds[k]) ? o->kinds[k] - 1 : otf2_add_kind (o, k));
}

typedef enum { DEVICE_NONE, DEVICE_HOST, DEVICE_STREAM } DeviceRole;
/* ---- cancelled.c ----------------------------------------------------------------------------------------------- */
/* Before events are read: sends of locations that have a file (`sizes`).  False: the person cancelled. */
bool otf2_find_cancelled (Otf2 *o, const char *anchor, const GArray *sizes, GError **error);
/* Whether the send of this number, of those of a location that do not block, is given up. */
bool otf2_is_cancelled (const Location *at, uint64_t send);

/* ---- lane.c: where a location has come to ------------------------------------------------------------------- */
typedef struct Request { /* an action that began, and is ended by a record of its own */
  uint64_t id;
  uint32_t of; /* window, handle; 0 */
  uint32_t space;
  uint64_t begun;
  TraceEvent event;
  struct Request *next;
} Request;

typedef struct Lane {
  Otf2 *o;
  Converter *to;
  const Location *at;
  const char *file;
  uint32_t task;
  int64_t last;    /* date of the last event */
  uint32_t *stack; /* objects of the states that it is inside of */
  guint depth, room;
  bool flushing;   /* until */
  int64_t flushed; /* this date */
  bool in_collective;
  int32_t asked_tag;  /* of the message that a call waits for that never ended */
  int64_t collective; /* since this date */
  GHashTable *requests;
  Request *spare;
  uint64_t n_sends;  /* that do not block, so far */
  DeviceRole device; /* devices.c: whether its process has streams of accelerators, or it is one; that process; */
  uint64_t process;
  int64_t waits_since;            /* the date at which it began to wait for one; by how many regions it is inside of */
  guint waits_in;                 /* from then on; 0: it does not wait */
  uint64_t n_back, n_left, n_out; /* dates that went back; regions that were not entered; dates that cannot be */
  bool failed;
} Lane;

/* devices.c */
DeviceRole otf2_device_role (Otf2 *o, const Location *at, uint64_t *process);
/* Of a lane with a role: a region is entered, is left. */
void otf2_device_enter (Lane *l, uint32_t object, int64_t date);
void otf2_device_leave (Lane *l, uint32_t object, int64_t date);
void otf2_end_devices (Otf2 *o); /* when all events are given */
void otf2_free_devices (Otf2 *o);

Lane *otf2_lane_new (Otf2 *o);
void otf2_lane_free (Lane *l);
void otf2_lane_grow (Lane *l);
/* It is inside of one more. */
static inline void
otf2_push (Lane *l, uint32_t object)
{
  if (G_UNLIKELY (l->depth == l->room))
    otf2_lane_grow (l);
  l->stack[l->depth++] = object;
}
/* Events of this location come now, from a file; then no more of it. */
void otf2_lane_begin (Lane *l, const Location *at, const char *file);
/* Its events end too early: it leaves all that it is inside of, at its last date. */
void otf2_lane_cut (Lane *l);
void otf2_lane_end (Lane *l);
/* Date of an instant of the archive; false: it is none that can be. */
bool otf2_date (const Otf2 *o, uint64_t ticks, int64_t *date);
/* Where the lane stands at the date of a record; false: the record is left out. */
bool otf2_at (Lane *l, uint64_t ticks, int64_t *date);
OTF2_CallbackCode otf2_give (Lane *l, Kind k, TraceEvent e);
/* The same of one that tells no more than its date and an object. */
OTF2_CallbackCode otf2_give_object (Lane *l, Kind k, int64_t date, uint32_t object);
void otf2_enter (Lane *l, uint32_t object, int64_t date);
void otf2_leave (Lane *l, uint32_t object, int64_t date);
#define OTF2_EVENT(date_)                                                                                              \
  (TraceEvent)                                                                                                         \
  {                                                                                                                    \
    .date = (date_), .task = l->task, .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1                              \
  }
enum { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_RMA, REQUEST_IO };
void otf2_request_begin (Lane *l, uint32_t space, uint32_t of, uint64_t id, const TraceEvent *e, uint64_t begun);
/* What began with this number, which is forgotten; false: nothing. */
bool otf2_request_end (Lane *l, uint32_t space, uint32_t of, uint64_t id, Request *r);

/* ---- ahead.c: records are decoded by other threads, some at once, where there are processors for it --------------------- */
/* A record that waits: what will be done with it, and behind it what it is given. */
typedef struct Later {
  void (*now) (Lane *l, uint64_t time, const void *given);
  uint64_t time;
  size_t bytes; /* of all of it */
} Later;

/* Some records of a location, one after the other. */
typedef struct Batch {
  uint8_t *bytes;
  size_t n, room;
  uint64_t n_events; /* as the library counts them */
  OTF2_ErrorCode code;
  bool is_last; /* of its location */
} Batch;

typedef struct Ahead { /* what has been decoded of a location, and waits */
  Otf2 *o;
  OTF2_Reader *of;
  const Location *at;
  OTF2_EvtReaderCallbacks *callbacks;
  struct Quick *quick;     /* who decodes; NULL: the library, by */
  OTF2_EvtReader *reader;  /* this */
  uint64_t n_quick;        /* records that `quick` has given */
  uint64_t n_given;        /* and all that were */
  uint64_t n_pass;         /* that the library is to pass over, for they were given */
  struct Decoder *decoder; /* NULL: no thread does it */
  Batch *filled;           /* now */
  GQueue ready, spare;     /* of Batch */
  bool is_done;            /* the last batch has been decoded */
} Ahead;

/* Room for a record more, and for what it is given; for the callbacks that the library calls. */
void *otf2_later_more (Batch *b, size_t bytes);
static inline void *
otf2_later (Ahead *a, void (*now) (Lane *l, uint64_t time, const void *given), uint64_t time, size_t bytes)
{
  Batch *b = a->filled;
  size_t all = sizeof (Later) + (bytes + 7) / 8 * 8;
  Later *l = (Later *) (void *) (b->bytes + b->n);

  if (G_UNLIKELY (b->room - b->n < all))
    l = otf2_later_more (b, all);
  if (G_UNLIKELY (a->n_pass > 0)) {
    a->n_pass--; /* what is written there is written over by the next one */
    return l + 1;
  }
  b->n += all;
  *l = (Later){ now, time, all };
  return l + 1;
}

/* As many threads as are worth it for files of so many bytes, none at all for few; each has a reader of its own, the
 * first one that of the definitions. */
typedef struct Crew Crew;
void otf2_crew_new (Otf2 *o, const char *anchor, uint64_t bytes);
void otf2_crew_free (Otf2 *o);
guint otf2_crew_n_readers (const Otf2 *o);
/* The one of the i-th location.  It is nobody else's before the first location is started, and while all rest. */
OTF2_Reader *otf2_crew_reader (const Otf2 *o, guint i);
/* Nothing more is decoded, for good. */
void otf2_crew_rest (Otf2 *o);
/* The i-th location; NULL: it cannot be read. */
typedef struct QuickCalls QuickCalls;
Ahead *otf2_ahead_new (Otf2 *o, guint i, const Location *at, OTF2_EvtReaderCallbacks *callbacks,
                       const QuickCalls *calls);
/* Its records are decoded from now on; when all are made that will be. */
void otf2_ahead_start (Ahead *a);
/* The next ones, not behind the last, to be given back.  Waits for them. */
Batch *otf2_ahead_take (Ahead *a);
void otf2_ahead_back (Ahead *a, Batch *b);
void otf2_ahead_free (Ahead *a); /* while all rest */

/* ---- quick.c: most records, decoded without the library ------------------------------------------------------------ */
struct QuickCalls { /* what the library would call */
#define QUICK(kind, name, layout, ...) OTF2_EvtReaderCallback_##name name;
#include "readers/otf2/records.def"
#undef QUICK
  OTF2_EvtReaderCallback_Leave Leave;
  OTF2_EvtReaderCallback_Metric Metric;
  OTF2_EvtReaderCallback_ProgramBegin ProgramBegin;
};
typedef struct OwnDefinitions OwnDefinitions;
OwnDefinitions *otf2_own_new (void);
void otf2_own_free (OwnDefinitions *d); /* may be NULL */
/* Something is wrong with them: the library is to judge. */
void otf2_own_refuse (OwnDefinitions *d);
void otf2_own_map (OwnDefinitions *d, OTF2_MappingType type, const OTF2_IdMap *map);
void otf2_own_offset (OwnDefinitions *d, uint64_t time, int64_t offset);

/* How files are laid out: each piece of one has a head, then records, and what ends it. */
enum { PIECE_HEAD = 18, BIG_ENDIAN_BYTE = 0x23, LITTLE_ENDIAN_BYTE = 0x42 };
enum { END_OF_PIECE = 0, END_OF_FILE = 2, PIECE = 3, TIME = 5, ATTRIBUTES = 6 };
typedef struct Quick Quick;
/* NULL: the library is to read this location. */
Quick *otf2_quick_new (const Otf2 *o, const Location *at, const QuickCalls *calls);
void otf2_quick_free (Quick *q); /* may be NULL */
typedef enum { QUICK_MORE, QUICK_END, QUICK_GIVES_UP } QuickEnd;
/* At most so many records; *n: how many they were, also where it gives up. */
QuickEnd otf2_quick_read (Quick *q, Ahead *a, uint64_t most, uint64_t *n);

/* ---- markers.c ---- */
void otf2_read_markers (Otf2 *o);

/* ---- events.c, messages.c: a callback for each kind of record -------------------------------------------------------------- */
void otf2_set_event_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick);
void otf2_set_message_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick);
/* A region is entered; `line`: where in the program's source it was called, or NULL. */
void otf2_enter_later (Ahead *a, uint64_t time, uint32_t region, const char *line);

/* write-groups.c: communicators and what they do together, of an archive that is written. */
typedef struct Otf2Groups Otf2Groups;
Otf2Groups *otf2_groups_new (void);
void otf2_groups_free (Otf2Groups *g);
void otf2_groups_add (Otf2Groups *g, uint32_t object, const uint32_t *members, uint32_t n);
/* The communicator in which both are, and the rank of `task` there: that of the group, else the one of all. */
uint32_t otf2_groups_comm (const Otf2Groups *g, uint32_t object, uint32_t me, uint32_t task, uint32_t *rank);
/* False: it has no word for this; else what libotf2 says. */
bool otf2_groups_operation (Otf2Groups *g, OTF2_EvtWriter *to, uint64_t time, const TraceEvent *e, bool ends,
                            OTF2_ErrorCode *code);
/* Definitions, from this number of a group on.  `string` defines a text. */
void otf2_groups_write (const Otf2Groups *g, OTF2_GlobalDefWriter *to, const TraceSource *s, uint32_t first_group,
                        uint32_t (*string) (void *user, const char *text),
                        void (*check) (void *user, OTF2_ErrorCode code), void *user);

/* write.c: as `write` of TraceFormat. */
bool otf2_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error);
