/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - a state graph that a simulator fills.
 *
 * Nodes are tasks of the trace, or whatever else the simulator makes of them; edges join them.  A simulator keeps of
 * each a struct of its own, which begins with a StoreNode or a StoreEdge; its StoreLayout says where in it the values
 * of the attributes are.  So all that an event touches of an object lies together, and the store can still count the
 * time spent in states, nest states, tell every change, show all of it, and save and load it.
 *
 * What the values of an attribute of the kind VALUE are is learned as the simulator runs: names of calls, of regions. A
 * name keeps its number for ever.  Engine thread only. */
#pragma once
#include <stddef.h>

#include "simulators/simulator.h"
#include "eve/words.h"

#define STORE_MOST_VALUES 60000 /* of an attribute; all names beyond are one value, called "others" */
#define STORE_MOST_DEPTH 4096   /* states inside states */
#define STORE_MOST_TIMES                                                                                               \
  (UINT32_C (1) << 22) /* nodes in states that time is kept of; beyond, a node has one for the rest */
#define STORE_MOST_BYTES (INT64_C (1) << 40) /* a message is not larger: then sums of 2^20 fit */
/* Rows of messages that wait, in all; beyond, one queue an edge takes what does not fit, of any tag and size. */
#define STORE_MOST_ROWS (1u << 18)

/* ---- what an object begins with ------------------------------------------------------------------------------------- */
typedef struct StoreLife {
  int64_t clock, since; /* ticks: of the last change; of the last change of state */
} StoreLife;

typedef struct StoreNode {
  StoreLife life;
  uint32_t task;      /* of the trace; NONE: it is none */
  uint32_t first_out; /* chain of the edges from it, the newest first; or NONE */
} StoreNode;

typedef struct StoreEdge {
  StoreLife life;
  int64_t volume;      /* bytes of the messages on it */
  uint32_t from, to;   /* nodes */
  uint32_t next_out;   /* of the edges from the same node */
  uint32_t n_messages; /* on it: sent, and not yet received */
} StoreEdge;

/* States inside states, and the time in each of them (StoreTime, by their numbers). */
typedef struct StoreStack {
  uint32_t top, depth;      /* innermost frame or NONE; frames */
  uint32_t base, base_time; /* the state outside of all frames */
  uint32_t time;            /* of the state of the node */
  uint32_t first_time;      /* of all that it was in, the newest first; or NONE */
} StoreStack;

/* ---- what a simulator says of its objects ---------------------------------------------------------------------------- */
/* Nodes, or edges. */
typedef struct StoreKind {
  uint32_t size;    /* of its struct */
  uint32_t spent;   /* where in it: int64_t spent[n_spent], ticks in each of the first states, up to `since` */
  uint32_t n_spent; /* PERCENTs are of these states, which are those that count */
  /* Of nodes, instead of these two: where its StoreStack is.  Then its State is a VALUE, time is kept of every value of
   * it, and all count but those that are GONE.  0: it has none. */
  uint32_t stack;
} StoreKind;

#define STORE_AT(type, member) .at = offsetof (type, member) /* of a StateAttribute */

typedef struct Store Store;

typedef struct StoreLayout {
  const char *model;
  /* `at` of each is where its cell is: uint8_t for ENUM, uint32_t for VALUE, int64_t for INT and DATE, double for REAL.
   * PERCENT and TEXT have none.  Names must outlive the store. */
  const StateAttribute *attributes;
  uint32_t n_attributes;
  StoreKind node, edge;
  bool grows;    /* `bind` adds attributes: what is loaded is bound before its objects are read */
  bool no_pairs; /* several edges may join the same nodes: store_edge() and store_find_edge() are not used */
  /* A trace will be followed: that of the first event, or, before one, what is guessed to be it.  False: what was
   * loaded is not of it.  NULL: that is all the same. */
  bool (*bind) (Store *s, const TraceSource *source);
  /* Instead of what the store itself answers; NULL: that. */
  bool (*has) (const StateGraph *g, uint32_t attribute, uint32_t object);
  void (*text) (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);
  const char *(*node_id) (const StateGraph *g, uint32_t node);
  bool (*present) (const StateGraph *g, uint32_t node);
} StoreLayout;

/* ---- the store -------------------------------------------------------------------------------------------------------- */
/* Of a VALUE attribute. */
typedef struct StoreNames {
  GHashTable *ids;    /* name -> number + 1 */
  StateValue *values; /* all that are known */
  uint32_t n_met;     /* of them the trace has shown so many; the others are known from a film of what comes later */
  uint32_t n_own, room;
} StoreNames;

typedef struct StoreSide {
  char *rows;
  uint32_t room;
  int state; /* attribute, or -1 */
} StoreSide;

typedef struct StoreFrame {
  uint64_t key;
  uint32_t group, value, outer; /* value of the state; the frame around it, or NONE */
  uint32_t time;                /* of the node in this value */
} StoreFrame;

/* A node in one value of its state. */
typedef struct StoreTime {
  int64_t spent;     /* ticks that it was the innermost, up to `since` */
  int64_t inclusive; /* ticks that it was any on the stack; while it is, less the date since when */
  int64_t visits;    /* how often it was entered */
  uint32_t node, value;
  uint32_t open; /* times that it is on the stack */
  uint32_t next; /* of the same node */
} StoreTime;

/* All nodes in one value of their state. */
typedef struct StoreSum {
  int64_t past;  /* ticks of stays that have ended, */
  int64_t since; /* and of those that have not the sum of when they began */
  uint32_t n;    /* of these */
} StoreSum;

typedef struct StoreTimes {
  StoreTime *rows;
  uint32_t n, n_others, room; /* n_others: of them of all values of a node that have no row */
  uint32_t *index;            /* by node and value: its number + 1; 0: free */
  uint32_t bits;              /* of the index, of 2^bits */
  StoreSum *sums;             /* by value + 1, first of STATE_OTHERS; NULL: nobody has asked since all was read anew */
  uint32_t n_sums;
} StoreTimes;

struct StoreQueue;
struct StoreRow;
typedef struct StoreMessages {
  struct StoreQueue *queues; /* table of those that are not empty, by edge and tag */
  uint32_t mask, n_queues;
  struct StoreRow *rows; /* further rows of queues */
  uint32_t n_rows, rows_room, free_row, rows_used;
  uint32_t n_mixed, n_early; /* queues of mixed tags; messages that were received before they were sent */
} StoreMessages;

struct Store {
  StateGraph graph; /* first */
  StateOutbox outbox;
  /* Somebody wants changes, states of tasks, messages received, what nests. */
  bool telling, telling_states, telling_messages, telling_frames;
  bool bound, sure; /* graph.source is a trace; an event has said so */
  int64_t now;
  StateModel model;
  const StoreLayout *layout;
  StateAttribute *attributes;
  StoreNames *names; /* by attribute */
  bool reals;        /* some attribute is REAL */
  bool filled;       /* values that come now are those that a trace brings */
  StoreSide nodes, edges;
  int64_t *visits; /* of nodes without a stack: how often each entered each of its first states, n_spent of a node */
  uint32_t visits_room;
  uint32_t *node_of, n_node_of; /* by task; NONE: has no node yet */
  uint64_t *edge_index;         /* hash << 32 | edge + 1; 0: free */
  uint32_t edge_mask;
  StoreFrame *frames;
  uint32_t n_frames, frames_room, free_frame;
  StoreTimes times;
  StoreMessages messages;
  uint16_t likely;   /* number of the trace that store_find_source() looks at first */
  char *source_name; /* after a load, until an event tells which trace of that name it is of */
  GStringChunk *texts;
};

TRACE_API void store_init (Store *s, const StoreLayout *layout); /* the layout must outlive it */
TRACE_API void store_clear (Store *s);                           /* frees what it holds */
/* Time in states counts from this date on, no earlier than all that has come, and so does how often they were entered:
 * once for each that lasts at the date, and when they are entered from then on. */
TRACE_API void store_count_from (Store *s, int64_t date);
TRACE_API void store_reset (Store *s); /* back to no objects; what it knows of later values stays */

/* For the layout's `bind`, while there are no objects: an attribute more, which the trace has brought, not of the kind
 * VALUE; its `at` must lie inside of the size that the layout has by now.  Gives its number.  store_forget_added()
 * takes all those back. */
TRACE_API uint32_t store_add_attribute (Store *s, const StateAttribute *a);
TRACE_API void store_forget_added (Store *s);

/* Whether the store follows the trace of this number; the first that an event is of, after a load that of the same
 * name.
 */
TRACE_API bool store_follow (Store *s, uint16_t source);
/* Before any event: the trace will probably be this one. */
TRACE_API bool store_guess (Store *s, const TraceSource *source);
/* That of the only reader upstream of a simulator, opened if need be; NULL: there is none, or several. */
TRACE_API const TraceSource *store_source_above (EveComponent *c);
/* After a load, when all is there: a trace of the name that was saved. */
TRACE_API void store_find_source (Store *s);

/* An event comes: it is counted.  False, and told as impossible: it is of another trace. */
static inline __attribute__ ((always_inline)) bool
store_event (Store *s, const TraceEvent *e)
{
  bool ours = G_LIKELY (s->sure && e->source == s->graph.source) || store_follow (s, e->source);

  s->graph.n_events++;
  if (G_UNLIKELY (!ours))
    state_impossible (&s->graph, e, _ ("is not of the trace that is being simulated; left out"));
  return ours;
}
/* The clock is set to its date. */
static inline __attribute__ ((always_inline)) void
store_clock (Store *s, const TraceEvent *e)
{
  if (G_UNLIKELY (e->date < s->graph.clock))
    state_impossible (&s->graph, e, _ ("is dated before the event that came before it; taken at the date of that one"));
  s->now = s->graph.clock = MAX (e->date, s->graph.clock);
}

/* ---- telling ------------------------------------------------------------------------------------------------------------ */
TRACE_API void store_tell_change (Store *s, StateScope scope, uint32_t object, uint32_t attribute, int64_t old,
                                  int64_t new);
/* To who wants messages, if anybody does: one was received.  INT64_MIN: nobody knows when it was sent. */
TRACE_API void store_tell_message (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent);

/* A value took another: counted, and told if somebody listens. */
static inline __attribute__ ((always_inline)) void
store_changed (Store *s, StateScope scope, uint32_t object, uint32_t attribute, int64_t old, int64_t new)
{
  s->graph.n_updates++;
  if (s->telling)
    store_tell_change (s, scope, object, attribute, old, new);
}

/* The state of a task, for those who want states only. */
static inline __attribute__ ((always_inline)) void
store_tell_state (Store *s, uint32_t task, int64_t old, int64_t new)
{
  if (s->telling_states)
    outbox_state (&s->outbox, &(StateChange){ .date = s->now,
                                              .old_value = old,
                                              .new_value = new,
                                              .object = task,
                                              .attribute = (uint16_t) s->nodes.state,
                                              .source = s->graph.source,
                                              .scope = STATE_NODE });
}

/* What a node is inside of at a depth, for those who want that. */
static inline __attribute__ ((always_inline)) void
store_tell_frame (Store *s, uint32_t task, uint32_t depth, uint32_t value)
{
  if (s->telling_frames && task != NONE)
    *(StateChange *) outbox_add (&s->outbox.frames, sizeof (StateChange)) = (StateChange){
      .date = s->now,
      .old_value = -1,
      .new_value = value,
      .object = task,
      .attribute = (uint16_t) depth,
      .source = s->graph.source,
      .scope = STATE_NODE,
    };
}

/* ---- for simulators that count every instruction: they say where things are ------------------------------------------- */
/* An ENUM of the role STATE takes a value: time is counted, and the change told; false: it has it already. */
static inline __attribute__ ((always_inline)) bool
store_put_state (Store *s, StateScope scope, uint32_t object, uint32_t attribute, StoreLife *life, uint8_t *cell,
                 int64_t *spent, uint32_t n_spent, uint8_t state)
{
  uint8_t old = *cell;

  if (old == state)
    return false;
  if (old < n_spent)
    spent[old] = plus (spent[old], minus (s->now, life->since));
  life->since = life->clock = s->now;
  *cell = state;
  store_changed (s, scope, object, attribute, old, state);
  return true;
}

/* Of a node that has been put into a state: it was entered once more. */
static inline __attribute__ ((always_inline)) void
store_visit (Store *s, uint32_t node, uint32_t n_spent, uint32_t state)
{
  if (state < n_spent)
    s->visits[(size_t) n_spent * node + state]++;
}

static inline __attribute__ ((always_inline)) void
store_put_int (Store *s, StateScope scope, uint32_t object, uint32_t attribute, StoreLife *life, int64_t *cell,
               int64_t new)
{
  int64_t old = *cell;

  if (old == new)
    return;
  *cell = new;
  life->clock = s->now;
  store_changed (s, scope, object, attribute, old, new);
}

/* ---- for all others: by attribute ------------------------------------------------------------------------------------- */
/* INT, ENUM, VALUE and, as its bits, REAL.  A state of a node with a stack is what it is outside of all that was
 * pushed. */
TRACE_API void store_set (Store *s, uint32_t attribute, uint32_t object, int64_t value);
TRACE_API int64_t store_get (const Store *s, uint32_t attribute, uint32_t object);
static inline void
store_add (Store *s, uint32_t attribute, uint32_t object, int64_t more)
{
  store_set (s, attribute, object, plus (store_get (s, attribute, object), more));
}

/* A REAL attribute. */
static inline void
store_set_real (Store *s, uint32_t attribute, uint32_t object, double value)
{
  store_set (s, attribute, object, state_real_bits (value));
}

/* The number of a value, by its name; a new name becomes the next number. */
TRACE_API uint32_t store_value (Store *s, uint32_t attribute, const char *name, StateSense sense);
/* For its own files, and tests: a value of that name of an attribute is in use, or no more (name-colours.c).  The first
 * gives its place in the row of colours, which it keeps while it is in use. */
TRACE_API uint8_t store_name_come (const char *attribute, const char *name);
/* Places for names that stand together, by the same rule, whatever else is open; from 1.  Any thread. */
TRACE_API void store_name_places (const char *const *names, uint32_t n, uint8_t *places);
TRACE_API void store_name_gone (const char *attribute, const char *name);
/* All names in use with their places, a line each; and for another process, before it opens a trace: the line that is
 * wrong, or 0. */
TRACE_API char *store_names_tell (void);
TRACE_API uint32_t store_names_give (const char *text);

/* ---- objects ------------------------------------------------------------------------------------------------------------ */
static inline __attribute__ ((always_inline)) void *
store_node_at (const Store *s, uint32_t node)
{
  return s->nodes.rows + (size_t) s->layout->node.size * node;
}
static inline __attribute__ ((always_inline)) StoreEdge *
store_edge_at (const Store *s, uint32_t edge)
{
  return (StoreEdge *) (void *) (s->edges.rows + (size_t) s->layout->edge.size * edge);
}

/* What a sentence calls it. */
static inline const char *
store_id_of (const Store *s, uint32_t node)
{
  return s->graph.node_id (&s->graph, node);
}

/* Of the message of an event. */
static inline int64_t
store_bytes_of (const TraceEvent *e)
{
  return CLAMP (e->size, 0, STORE_MOST_BYTES);
}

static inline uint32_t
store_find_node (const Store *s, uint32_t task)
{
  return task < s->n_node_of ? s->node_of[task] : NONE;
}
/* The node of a task, made in state `state` if there is none, and told then. */
TRACE_API uint32_t store_node (Store *s, uint32_t task, uint32_t state);
/* One more, of a task that has none or of NONE; all zero but what its StoreNode says, and nothing told: the state that
 * it is put into is a visit, store_visit(). */
TRACE_API uint32_t store_add_node (Store *s, uint32_t task);

/* Of two nodes; NONE: there is none. */
TRACE_API uint32_t store_find_edge (const Store *s, uint32_t from, uint32_t to);
/* The edge between two nodes, made in state 0 if there is none, and told then. */
TRACE_API uint32_t store_edge (Store *s, uint32_t from, uint32_t to);
/* One more, as store_add_node(). */
TRACE_API uint32_t store_add_edge (Store *s, uint32_t from, uint32_t to);

/* ---- states inside states: the innermost is the state of the node ------------------------------------------------------- */
/* False: too deep, left out. */
TRACE_API bool store_push (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value);
/* The one with this key ends, or, if none has it, the innermost of this group; false: there is none. */
TRACE_API bool store_pop (Store *s, uint32_t node, uint64_t key, uint32_t group);
TRACE_API bool store_pop_key (Store *s, uint32_t node, uint64_t key); /* only the one with this key */
TRACE_API void store_pop_all (Store *s, uint32_t node);               /* for who sets a state next: tells nothing */
TRACE_API const StoreStack *store_stack (const Store *s, uint32_t node);

/* ---- messages (store-messages.c) ------------------------------------------------------------------------------------------ */
/* A message is on its way; counted in its StoreEdge. */
TRACE_API void store_send (Store *s, uint32_t edge, int32_t tag, int64_t size);
/* The oldest with this tag is received, and no more on its way; *sent_size is its size when it was sent.  False: there
 * is none.  Either way it is told, with the `size` that was received. */
TRACE_API bool store_receive (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t *sent_size);
/* The same, where messages are told apart by more than their tag: `key` stands for all of it. */
TRACE_API bool store_receive_as (Store *s, uint32_t edge, int32_t key, int32_t tag, int64_t size, int64_t *sent_size);

/* For simulators that count for themselves what is on an edge: only what waits there for a receive, in order, by tag.
 */
TRACE_API void store_queue_push (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent);
TRACE_API bool store_queue_pop (Store *s, uint32_t edge, int32_t tag, int64_t *size, int64_t *sent); /* false: none */
/* One that was taken is not received after all: it is the oldest again. */
TRACE_API void store_queue_give_back (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent);
TRACE_API bool store_queue_holds (const Store *s, uint32_t edge, int32_t tag);
/* A message was received that nobody has sent yet: what is sent next with this tag is that one. */
TRACE_API void store_queue_add_early (Store *s, uint32_t edge, int32_t tag);
TRACE_API bool store_queue_settle_early (Store *s, uint32_t edge, int32_t tag); /* false: there is none */
TRACE_API uint32_t store_queue_early (const Store *s, uint32_t edge, int32_t tag);

/* ---- what the store answers, for who answers part of it ------------------------------------------------------------------- */
TRACE_API void store_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);
TRACE_API void store_spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at,
                            int64_t *spent, int64_t *total);

TRACE_API void store_save (const Store *s, EveBlob *to);
/* False: this is no such store; it must be reset then.  The simulator goes on with what it saved itself, and ends with
 * store_find_source(). */
TRACE_API bool store_load (Store *s, EveBlobView *from);
