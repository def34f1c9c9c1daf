/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - the state graph: what a simulator rebuilds and views show (thesis, section 2.2).
 *
 * Nodes are tasks (or threads, processors), edges are links; both, and the graph, carry named attributes.  Inside
 * they are columns by dense id, numbers at a fixed stride, and a stream of changes; text is made when asked for.
 * Engine thread only. */
#pragma once
#include <string.h>

#include "readers/event.h"

typedef enum { STATE_GRAPH, STATE_NODE, STATE_EDGE } StateScope;
typedef enum {
  STATE_INT,     /* int64_t in a column */
  STATE_ENUM,    /* uint8_t in a column, index into `values` */
  STATE_DATE,    /* int64_t ticks in a column */
  STATE_PERCENT, /* made at the instant asked for: share of time spent in state `of` */
  STATE_TEXT,    /* made by the simulator when asked for */
  STATE_VALUE,   /* uint32_t in a column, index into `values`, which may grow while the simulator runs */
  STATE_REAL,    /* double in a column; it has no value yet unless state_is_value() */
} StateKind;

/* What an attribute is for.  Who works with any model asks for a role, never for a name. */
typedef enum {
  STATE_ROLE_NONE,
  STATE_ROLE_STATE,    /* what the object does: ENUM or VALUE */
  STATE_ROLE_GROUP,    /* TEXT: names of the groups it is in, with ", " between them */
  STATE_ROLE_TRAFFIC,  /* INT: bytes that have passed the link so far */
  STATE_ROLE_MESSAGES, /* INT: messages that have passed the link so far */
  STATE_ROLE_PENDING,  /* INT: bytes that are on the link now */
  STATE_ROLE_PLACE,    /* TEXT: the machine it runs on */
  STATE_ROLE_NAME,     /* TEXT: its identifier */
  STATE_ROLE_LABEL,    /* TEXT: what people call it: its nickname, else its identifier */
  STATE_ROLE_PROGRAM,  /* TEXT: the program it runs */
  STATE_ROLE_FROM,     /* TEXT: label of the node that the link comes from, */
  STATE_ROLE_TO,       /* and of the one it goes to */
  STATE_ROLE_CLOCK,    /* TEXT, of the graph: unit of dates */
} StateRole;

/* What a value of the role STATE says of its object: colours, shapes and shares are chosen by it. */
typedef enum {
  STATE_SENSE_NONE,
  STATE_SENSE_WORKS, /* Busy */
  STATE_SENSE_COSTS, /* Overhead: inside a call that does not wait; on a link: loaded */
  STATE_SENSE_WAITS, /* Idle */
  STATE_SENSE_TALKS, /* data move */
  STATE_SENSE_REST,  /* Unused: nothing has come yet, or nothing goes on */
  STATE_SENSE_GONE,  /* Dead: it is no more; this is not part of its life */
} StateSense;

typedef struct StateValue {
  const char *name; /* "Busy" */
  StateSense sense;
  uint8_t colour; /* place, from 1, in the row of colours; 0: that of its sense, or, without one, made from the name */
  bool unborn;    /* of what is GONE: it is not there yet, rather than no more */
  bool given;     /* its name is that of the trace, not a word of the model: no language has another for it */
  const char
      *doc; /* "it computes": what something in this state does, for legends and reports; NULL: goes without saying */
} StateValue;
#define STATE_COLOURS 24                 /* in that row, */
#define STATE_PLACES (3 * STATE_COLOURS) /* and with the same ones duller, then paler or deeper, behind them: */
TRACE_API uint32_t state_row_colour (uint8_t place, bool dark); /* 0xRRGGBB; place from 1, on light or dark paper */

typedef struct StateAttribute {
  const char *name; /* of the thesis: "State", "PercentBusy", "TotalTraffic" */
  StateScope scope;
  StateKind kind;
  StateRole role;
  const StateValue *values; /* ENUM, VALUE */
  uint32_t n_values;
  uint32_t of; /* PERCENT: the state */
  const char *unit, *doc;
  uint32_t at; /* for simulators on a store (store.h): where in the object its value is, in bytes */
  bool given;  /* its name is that of the trace, as StateValue says */
} StateAttribute;
#define STATE_VALUES(a) .role = STATE_ROLE_STATE, .values = a, .n_values = G_N_ELEMENTS (a)

/* One attribute of one object took another value.  Told are all but DATE attributes (Clock), which are the date of the
 * change itself, and PERCENTs, which are made when asked for.  The first change of an object is its State from -1: it
 * came into being.  For a TEXT the model says what the two numbers are; for a REAL they are the bits of the numbers. */
typedef struct StateChange {
  int64_t date;
  int64_t old_value, new_value;
  uint32_t object;         /* dense id of node or edge; 0 for the graph */
  uint16_t source;         /* of the trace */
  uint16_t attribute : 14; /* index into the model's attributes */
  uint16_t scope : 2;      /* StateScope */
} StateChange;
_Static_assert(sizeof (StateChange) == 32, "a change is half a cache line");
extern TRACE_API const EveType state_type_change;

/* A real number in the room of a whole one, and back. */
static inline int64_t
state_real_bits (double real)
{
  int64_t bits;

  memcpy (&bits, &real, sizeof bits);
  return bits;
}
static inline double
state_real (int64_t bits)
{
  double real;

  memcpy (&real, &bits, sizeof real);
  return real;
}

/* NaN in a REAL is no value.  A program may tell a NaN as a value, too: such a one has a bit that no arithmetic sets.
 */
#define STATE_TOLD_NAN (INT64_C (1) << 50)
static inline bool
state_is_value (double real)
{
  return real == real || state_real_bits (real) & STATE_TOLD_NAN;
}

/* A task took another State: a StateChange too, but a type of its own, for `object` is the task of the trace and not a
 * node, so that what is kept of it can be read without the graph.  Wires carry one or the other, never both. */
extern TRACE_API const EveType state_type_state;
/* Of tasks whose states nest: what a task is inside of at a depth became another value of its State, or one of the
 * sense GONE: nothing.  Depth 0 is what it is in outside of all.  The same struct: `object` is the task of the trace,
 * `attribute` the depth; old_value is -1. */
extern TRACE_API const EveType state_type_frame;
/* Whether data of a type are StateChanges, of the first two kinds. */
static inline bool
state_is_change (const EveType *type)
{
  return type == &state_type_change || type == &state_type_state;
}

/* Where a simulator puts the states of tasks when nobody takes them but who keeps them (eve_out_kept): a track for each
 * task, to which states are appended in the form they are kept in, ticks since the state before << 4 | state, least
 * significant byte first. */
typedef struct StateTrack {
  uint32_t *words;
  int64_t last;           /* date of the last state */
  uint32_t n, end;        /* words there are; with n >= end, no ticks or more than STATE_TICKS_MOST it is for `put` */
  uint32_t room, written; /* for who keeps them */
} StateTrack;
_Static_assert(sizeof (StateTrack) <= 32, "a track is half a cache line");
#define STATE_TICKS_MOST ((UINT32_C (1) << 28) - 1)
#define STATES_KEPT 15 /* a state from here on is for `put` */

typedef struct StateKeeper {
  StateTrack *tracks; /* by task of the trace */
  uint32_t n;
  int64_t latest; /* date of the latest state of all, kept by who puts them */
  void (*put) (struct StateKeeper *self, uint32_t task, int64_t date, uint32_t state);
} StateKeeper;

/* A task takes another state. */
static inline __attribute__ ((always_inline)) void
state_keeper_put (StateKeeper *s, uint32_t task, int64_t date, uint32_t state)
{
  StateTrack *t = G_LIKELY (task < s->n) ? &s->tracks[task] : NULL;
  uint64_t ticks;

  if (t == NULL || G_UNLIKELY (state >= STATES_KEPT)
      || G_UNLIKELY ((ticks = (uint64_t) date - (uint64_t) t->last) - 1 >= STATE_TICKS_MOST)
      || G_UNLIKELY (t->n >= t->end)) {
    s->put (s, task, date, state);
    return;
  }
  t->words[t->n++] = GUINT32_TO_LE ((uint32_t) ticks << 4 | state);
  t->last = date;
  __builtin_prefetch ((const void *) ((uintptr_t) t->words + 4 * (t->n + 16)),
                      1); /* its next line is long out of the cache */
}

/* A message that was received, told when its receive ends. */
typedef struct StateMessage {
  int64_t sent;      /* date the send began, ticks; INT64_MIN: not known */
  int64_t received;  /* date the receive ended */
  int64_t size;      /* bytes */
  uint32_t from, to; /* tasks of the trace */
  int32_t tag;
  uint16_t source; /* of the trace */
  uint16_t reserved;
} StateMessage;
_Static_assert(sizeof (StateMessage) == 40, "a message is 40 bytes");
extern TRACE_API const EveType state_type_message;

typedef struct StateGraph StateGraph;

/* Messages and their bytes; one that was sent to several tasks counts for each of them. */
typedef struct StateTotals {
  int64_t sent, sent_bytes, received, received_bytes;
} StateTotals;

/* A node in one value of its state, ticks.  A state that others are inside of is the state of the node while it is in
 * none of them: so `spent` of all values are its life.  `inclusive` counts what is inside of it too; of a state that is
 * inside of itself only the outermost is counted. */
typedef struct StateTime {
  uint32_t value; /* STATE_OTHERS: all those that are not kept apart, as they are too many */
  int64_t spent, inclusive;
  int64_t visits; /* how often it was entered; -1: the model does not count that */
} StateTime;
#define STATE_OTHERS UINT32_MAX

/* What a model is: static tables and functions, one a simulator. */
typedef struct StateModel {
  const char *name;                 /* "PVM" */
  const StateAttribute *attributes; /* graph, node and edge attributes, in the order shown */
  uint32_t n_attributes;
  /* First value and stride in bytes of an attribute's column (all but PERCENT and TEXT); NULL if it has none. */
  const void *(*column) (const StateGraph *g, uint32_t attribute, size_t *stride);
  /* Ticks object spent in state `state` until `at` and the ticks that count for it: a percentage is their ratio. */
  void (*spent) (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *spent,
                 int64_t *total);
  /* Whether an object has this INT attribute at all: what was never counted is not 0.  NULL: all have. */
  bool (*has) (const StateGraph *g, uint32_t attribute, uint32_t object);
  /* A TEXT attribute, appended. */
  void (*text) (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);
  /* Whether a node belongs to the graph as shown, and with it the edges to others that do; ids are never used again, so
   * one that left it keeps its own.  NULL: all do. */
  bool (*present) (const StateGraph *g, uint32_t node);
  /* A film has met a value of a VALUE attribute that the model may not know yet, in the order of their numbers.  False:
   * the trace shows others.  NULL: the model knows all. */
  bool (*foresee) (StateGraph *g, uint32_t attribute, uint32_t value, const char *name, StateSense sense);
  /* Adds what has gone over an edge so far; NULL: the model has no messages. */
  void (*messages) (const StateGraph *g, uint32_t edge, StateTotals *to);
  /* How often a node has entered a state, one of those that count; NULL: the model does not count that. */
  int64_t (*visits) (const StateGraph *g, uint32_t node, uint32_t state);
  /* The same as state_times(); NULL: the model knows no more than `spent` and `visits`. */
  void (*times) (const StateGraph *g, uint32_t node, int64_t at, GArray *to);
  /* Sums of state_times() over all nodes, `spent` alone, in no order, appended: kept as states change from the first
   * question on.  Of a model without `times`: those of the states that count.  NULL: the model knows none. */
  void (*sums) (const StateGraph *g, int64_t at, GArray *to);
  /* The task of the trace that a node is; TRACE_NONE: it is none.  NULL: who asks looks for it by its id. */
  uint32_t (*task) (const StateGraph *g, uint32_t node);
} StateModel;

/* A simulator's graph; the simulator puts this first in its own.  It answers the query "state-graph/1". */
struct StateGraph {
  const StateModel *model;
  uint16_t source; /* of the trace; valid once n_nodes > 0 */
  uint32_t n_nodes, n_edges;
  int64_t clock;                                               /* date of the last event simulated; INT64_MIN: none */
  uint64_t n_events, n_updates;                                /* simulated; attribute values changed */
  uint64_t n_impossible;                                       /* events that the model does not allow */
  GPtrArray *impossible;                                       /* of char *: sentences about the first 100 */
  const char *(*node_id) (const StateGraph *g, uint32_t node); /* "t40002" */
  void (*edge_ends) (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to);
};

/* The value of an attribute at date `at` (>= the graph's clock), as text, appended: numbers with their digits,
 * percentages with one decimal, dates in seconds. */
TRACE_API void state_text (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at, GString *to);
/* The same as a number; NaN for text. */
TRACE_API double state_number (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at);
TRACE_API int state_attribute (const StateModel *m, StateScope scope, const char *name); /* index, or -1 */
TRACE_API int state_with_role (const StateModel *m, StateScope scope, StateRole role);   /* index of the first, or -1 */
/* What a value of an ENUM or VALUE attribute is; never NULL: one that the model does not know is called "state 17".
 * The name is good while the model is, or until eight other unknown ones were asked for. */
TRACE_API const StateValue *state_value (const StateModel *m, int attribute, uint32_t value);
/* The value of an ENUM or VALUE attribute; false: it is another kind, or the object has none. */
TRACE_API bool state_value_of (const StateGraph *g, int attribute, uint32_t object, uint32_t *value);
/* The same of one object after another: state_values_of() once, then state_value_in() for each. */
typedef struct StateValues {
  const char *first; /* NULL: no object has one */
  size_t stride;
  bool wide;
} StateValues;
TRACE_API StateValues state_values_of (const StateGraph *g, int attribute);
static inline bool
state_value_in (const StateValues *v, uint32_t object, uint32_t *value)
{
  const char *at = v->first != NULL ? v->first + v->stride * object : NULL;

  if (at != NULL)
    *value = v->wide ? *(const uint32_t *) (const void *) at : *(const uint8_t *) at;
  return at != NULL;
}
/* All values that the State of a node has had until `at` (>= the graph's clock), in the order of their numbers,
 * appended to `to`, of StateTime.  Of models that do not nest states: those that count, whether it was in them or not.
 */
TRACE_API void state_times (const StateGraph *g, uint32_t node, int64_t at, GArray *to);
/* What the value of a StateTime is called; `attribute` is the State of nodes.  Good as state_value() says. */
TRACE_API const char *state_time_name (const StateModel *m, int attribute, uint32_t value);
/* Names as people read them: words of the model and "others" in their language, those that the trace gave as they are.
 * Values: by the name that they are known by elsewhere; NULL: NULL.  A model has its own before those of the trace.  As
 * good as what they are given. */
TRACE_API const char *state_word (const StateModel *m, int attribute, const char *value);
TRACE_API const char *state_value_word (const StateValue *v);
TRACE_API const char *state_attribute_word (const StateAttribute *a);
/* Over all edges. */
TRACE_API StateTotals state_totals (const StateGraph *g);
/* Whether time spent in a state counts in the percentages: they are shares of a life, and nobody lives while Dead.  All
 * states do in a model without percentages. */
TRACE_API bool state_counts (const StateModel *m, StateScope scope, uint32_t state);
/* "t40002->t40003" */
TRACE_API void state_edge_id (const StateGraph *g, uint32_t edge, GString *to);
/* Several edges may join the same nodes: the name that the model gives to this one alone, "link3", appended; false: it
 * gives none. */
TRACE_API bool state_edge_name (const StateGraph *g, uint32_t edge, GString *to);
/* Whether an object has an INT attribute at all: StateModel.has. */
static inline bool
state_has (const StateGraph *g, uint32_t attribute, uint32_t object)
{
  return g->model->has == NULL || g->model->has (g, attribute, object);
}
/* Nodes or edges that are present, and how many there are. */
TRACE_API bool state_present (const StateGraph *g, StateScope scope, uint32_t object);
TRACE_API uint32_t state_count (const StateGraph *g, StateScope scope);
/* Nodes and edges in id order (edges: of their origin, then of their destination), as indices: the state_count()
 * that are present first, then the others; g_free. */
TRACE_API uint32_t *state_sorted (const StateGraph *g, StateScope scope);
/* The whole graph as JSON (docs/cli.md) and as a hash that is the same for equal states on any machine. */
TRACE_API void state_json (const StateGraph *g, int64_t at, GString *to);
TRACE_API uint64_t state_hash (const StateGraph *g, int64_t at);
/* Counts and keeps a sentence about an event the model does not allow. */
TRACE_API void state_impossible (StateGraph *g, const TraceEvent *e, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

/* mirror.h makes the libcgraph mirror (Agraph_t with string attributes), for layouts, dot and inspection, from these
 * when somebody asks. */
