/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - a state graph that a simulator fills: nodes are tasks of the trace, edges join them, both have the
 * attributes that the simulator names.  The store keeps their values, counts the time spent in states, nests states,
 * keeps messages that are on their way, tells every change, and saves and loads all of it.
 *
 * What the values of an attribute of the kind VALUE are is learned as the simulator runs: names of calls, of regions. A
 * name keeps its number for ever.  Engine thread only. */
#pragma once
#include "simulators/simulator.h"

#define STORE_MOST_VALUES 60000 /* of an attribute; all names beyond are one value, called "others" */
#define STORE_MOST_DEPTH 4096   /* states inside states */

typedef struct StoreColumn {
  void *cells;          /* int64_t for INT, DATE and PERCENT (ticks spent), uint32_t for VALUE; NULL: TEXT */
  GHashTable *ids;      /* VALUE: name -> number + 1 */
  StateValue *values;   /* VALUE: all that are known */
  uint32_t n_met;       /* of them the trace has shown so many; the others are known from a film of what comes later */
  uint32_t n_own, room; /* given by the simulator; room in `values` */
} StoreColumn;

/* Nodes, or edges. */
typedef struct StoreSide {
  int64_t *since, *lived; /* the state it is in began; ticks in states that count, until then */
  uint32_t room;
  int state, clock; /* attributes, or -1 */
} StoreSide;

typedef struct StoreFrame {
  uint64_t key;
  uint32_t group, value, outer; /* value of the state; the frame around it, or NONE */
} StoreFrame;

typedef struct StoreMessage {
  int64_t sent, size;
  int32_t tag;
  uint32_t next;
} StoreMessage;

typedef struct Store {
  StateGraph graph; /* first */
  StateTold told;
  bool telling, telling_states, telling_messages;
  int64_t now;
  StateModel model;
  StateAttribute *attributes;
  StoreColumn *columns; /* one an attribute */
  StoreSide nodes, edges;
  uint32_t *task, *top, *depth,
      *base;                    /* by node: its task, innermost frame or NONE, frames, state outside of all frames */
  uint32_t *node_of, n_node_of; /* by task; NONE: has no node yet */
  uint32_t *from, *to, *first, *last; /* by edge: ends, oldest and newest message on it */
  GHashTable *edge_of;                /* from << 32 | to -> edge + 1 */
  StoreFrame *frames;
  uint32_t n_frames, frames_room, free_frame;
  StoreMessage *messages;
  uint32_t n_messages, messages_room, free_message;
  bool bound;        /* graph.source is the source */
  char *source_name; /* after a load, until it is found */
  GStringChunk *texts;
} Store;

/* Attributes are copied; their names must outlive the store.  Attributes of the role STATE and of nodes or edges are
 * VALUEs, a PERCENT is of one of the first values of its scope's state, TEXT is one of the roles NAME, LABEL and PLACE.
 * A DATE is that of the last change of its object, or, of the graph, that of the last event. */
TRACE_API void store_init (Store *s, const char *model, const StateAttribute *attributes, uint32_t n);
TRACE_API void store_clear (Store *s); /* frees what it holds */
TRACE_API void store_reset (Store *s); /* back to no objects; what it knows of later values stays */

/* An event comes: counted, and the clock set.  False, and told as impossible: it is of another trace. */
TRACE_API bool store_event (Store *s, const TraceEvent *e);

/* The number of a value, by its name; a new name becomes the next number. */
TRACE_API uint32_t store_value (Store *s, uint32_t attribute, const char *name, StateSense sense);

/* The node of a task, made in state `state` if there is none. */
TRACE_API uint32_t store_node (Store *s, uint32_t task, uint32_t state);
static inline uint32_t
store_find_node (const Store *s, uint32_t task)
{
  return task < s->n_node_of ? s->node_of[task] : NONE;
}
/* The edge between two nodes, made if there is none. */
TRACE_API uint32_t store_edge (Store *s, uint32_t from, uint32_t to);

/* INT and VALUE: numbers that may be told as changed.  A state of a node is what it is outside of all that was pushed.
 */
TRACE_API void store_set (Store *s, uint32_t attribute, uint32_t object, int64_t value);
TRACE_API int64_t store_get (const Store *s, uint32_t attribute, uint32_t object);
static inline void
store_add (Store *s, uint32_t attribute, uint32_t object, int64_t more)
{
  store_set (s, attribute, object, plus (store_get (s, attribute, object), more));
}

/* States inside states: the innermost is the state of the node.  False: too deep, left out. */
TRACE_API bool store_push (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value);
/* The one with this key ends, or, if none has it, the innermost of this group; false: there is none. */
TRACE_API bool store_pop (Store *s, uint32_t node, uint64_t key, uint32_t group);
TRACE_API void store_pop_all (Store *s, uint32_t node); /* for who sets a state next: tells nothing */
/* The state of a node outside of all frames. */
static inline uint32_t
store_outside (const Store *s, uint32_t node)
{
  return s->base[node];
}
static inline uint32_t
store_depth (const Store *s, uint32_t node)
{
  return s->depth[node];
}

/* A message is on its way.  Received is the oldest with this tag, in *got as it was sent; false: there is none.  Either
 * way it is told to who wants messages, with the `size` that was received. */
TRACE_API void store_send (Store *s, uint32_t edge, int64_t size, int32_t tag);
TRACE_API bool store_receive (Store *s, uint32_t edge, int32_t tag, int64_t size, StoreMessage *got);

TRACE_API void store_save (const Store *s, EveBlob *to);
/* False: this is no such store; it must be reset then. */
TRACE_API bool store_load (Store *s, EveBlobView *from);
