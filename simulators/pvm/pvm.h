/* SPDX-License-Identifier: Apache-2.0 */
/* pvm.h - the state of a PVM application and how an event changes it; README.md tells the rules.
 *
 * It stands on a store, which keeps tasks, links and the messages that lie on them.  step.c has the transitions and is
 * the file to read first; calls.h what calls make of a task; rules.c says what each kind of event means; groups.c who
 * is in which group; model.c what others see of the state, and how it changes; save.c the bytes that the store does not
 * write; component.c is the box on the canvas.  Engine thread only. */
#pragma once
#include "simulators/store.h"

/* Thesis, tables 2.11 and 2.12, in their order. */
enum { TASK_BUSY, TASK_OVERHEAD, TASK_IDLE, TASK_TALKING, TASK_DEAD };
enum { LINK_UNUSED, LINK_OVERHEAD, LINK_IDLE, LINK_TALKING, LINK_DEAD };
#define N_LIVE 4       /* states that time is counted for: all but Dead */
#define STATE_KEPT 255 /* of a call that leaves the state of its task alone */

/* What a kind of event does; found once for each kind of a source, by category and name. */
typedef enum {
  ACT_NONE, /* nothing: User */
  ACT_ENROLL,
  ACT_EXIT,
  ACT_PACK,
  ACT_JOIN,
  ACT_LEAVE,
  ACT_BARRIER,
  ACT_SEND,
  ACT_MCAST,
  ACT_BCAST,
  ACT_SCATTER,
  ACT_GATHER,
  ACT_RECEIVE,
  ACT_FUNCTION,
  ACT_PHASE,
  N_ACTS,
} Act;

typedef struct Rule {
  uint8_t act;
  bool blocking;     /* RECEIVE: waits for what is not there */
  bool zero_is_none; /* RECEIVE: the result 0 says that nothing came (PRecv: that all is well) */
  int8_t asked;      /* RECEIVE: the field with the source asked for, or -1 */
  int8_t word;       /* PHASE: the field with its name, or -1 */
} Rule;

/* How a call takes messages from a link. */
enum {
  CALL_TAKER = 1,    /* is the one that link->taking is about */
  CALL_GETS = 2,     /* a message comes before its end; else it gets none */
  CALL_ROOT = 4,     /* of a Scatter or Gather */
  CALL_USES = 8,     /* counted in the Usage of the link */
  CALL_DROPPED = 16, /* its task died: its end does nothing */
};

/* A call that has begun and not ended. */
typedef struct Call {
  uint64_t record;
  uint32_t link;  /* RECEIVE: taken from, or NONE */
  uint32_t peer;  /* node it communicates with, or NONE */
  uint32_t group; /* object, or NONE */
  uint32_t parts; /* BCAST; SCATTER, GATHER at the root: chain of Parts, or NONE */
  uint32_t outer; /* call around it: index into outer calls, or NONE */
  int32_t tag;
  uint16_t kind;
  uint8_t act, state, flags;
} Call;

/* A call in a group, at its root, is as many sends or receives at once as the group has other members when it begins
 * (thesis, 2.4.2 and A.2). */
typedef struct Part {
  uint32_t who; /* BCAST, SCATTER: node it sends to; GATHER: link it receives from */
  uint32_t next;
  uint8_t flags; /* GATHER */
} Part;

/* Around the innermost call of a task: more cannot be of a program, and each end would look through all of them. */
#define CALLS_MAX 500

typedef struct Task {
  StoreNode node;
  int64_t spent[N_LIVE];
  Call call;           /* the innermost; ACT_NONE: there is none */
  uint32_t last_group; /* chain of its Members, the newest first */
  uint32_t n_groups;
  int32_t protagonist; /* node + 1; 0: nobody, -1: several, those of the call: */
  uint8_t state;
  bool born;         /* false: only spoken of, by somebody who sends to it */
  uint16_t depth;    /* calls around the innermost */
  uint16_t n_phases; /* of them and the innermost */
  uint64_t several;
} Task;
_Static_assert(sizeof (Task) <= 128, "a task is two cache lines");

/* What the receive in progress on a link has. */
enum { TAKING_NONE, TAKING_WAITS, TAKING_HAS };

typedef struct Link {
  StoreEdge edge;
  int64_t spent[N_LIVE];
  int64_t traffic;                        /* as shown; see README.md, "Traffic" */
  int64_t total_traffic, usage, messages; /* messages: received, so far */
  int64_t taking_size, taking_sent;       /* HAS: of the message */
  int32_t taking_tag;
  uint8_t state, taking;
} Link;
_Static_assert(sizeof (Link) <= 128, "a link is two cache lines");

/* A task in a group. */
typedef struct Member {
  uint32_t node, group;   /* group: object of the source */
  uint32_t before, after; /* in the group, in order of joining */
  uint32_t newer, older;  /* of the task */
} Member;

typedef struct Group {
  uint32_t first, last; /* Members, or NONE */
  uint32_t n;
} Group;

typedef struct Pvm {
  Store store;                                /* first */
  const bool *keep_the_dead, *ignore_packing; /* settings */

  Rule *rules; /* by kind; NULL: of no trace yet */
  uint32_t n_rules;

  Call *outer; /* calls around calls */
  uint32_t n_outer, outer_room, free_outer;
  Part *parts;
  uint32_t n_parts, parts_room, free_part;

  GArray *groups; /* of Group, by object */
  Member *members;
  uint32_t n_members, members_room, free_member;
  GHashTable *membership; /* its Member, by node and group */
} Pvm;

static inline __attribute__ ((always_inline)) Task *
task_at (const Pvm *p, uint32_t node)
{
  return (Task *) (void *) p->store.nodes.rows + node;
}
static inline __attribute__ ((always_inline)) Link *
link_at (const Pvm *p, uint32_t link)
{
  return (Link *) (void *) p->store.edges.rows + link;
}

/* Attributes, in the order of the tables 2.13 to 2.15. */
enum {
  GRAPH_CLOCK,
  GRAPH_CLOCK_UNITS,
  NODE_CLOCK,
  NODE_STATE,
  NODE_NAME,
  NODE_NICKNAME,
  NODE_GROUPS,
  NODE_PROTAGONISTS,
  NODE_PERCENT_BUSY,
  NODE_PERCENT_OVERHEAD,
  NODE_PERCENT_IDLE,
  NODE_PERCENT_TALKING,
  NODE_PHASE,
  NODE_HOST,
  NODE_PROGRAM,
  EDGE_CLOCK,
  EDGE_STATE,
  EDGE_NAME,
  EDGE_ORIGIN,
  EDGE_DESTINATION,
  EDGE_USAGE,
  EDGE_TRAFFIC,
  EDGE_TOTAL_TRAFFIC,
  EDGE_PERCENT_UNUSED,
  EDGE_PERCENT_OVERHEAD,
  EDGE_PERCENT_IDLE,
  EDGE_PERCENT_TALKING,
  EDGE_MESSAGES,
  N_ATTRIBUTES,
};

/* model.c */
Pvm *pvm_new (const bool *keep_the_dead, const bool *ignore_packing);
void pvm_free (Pvm *p);
void pvm_reset (Pvm *p);                                /* to the empty graph; the Pvm stays where it is */
uint32_t pvm_node_add (Pvm *p, uint32_t task);          /* a node for the task, not yet born */
uint32_t pvm_link (Pvm *p, uint32_t from, uint32_t to); /* made if need be */
/* Nobody takes from it now: Dead, Overhead or Unused, and Traffic what is on it. */
void pvm_link_settle (Pvm *p, uint32_t link);

static inline __attribute__ ((always_inline)) void
pvm_link_state (Pvm *p, uint32_t link, uint8_t state)
{
  Link *l = link_at (p, link);

  store_put_state (&p->store, STATE_EDGE, link, EDGE_STATE, &l->edge.life, &l->state, l->spent, N_LIVE, state);
}

static inline __attribute__ ((always_inline)) void
pvm_link_set (Pvm *p, uint32_t link, uint32_t attribute, int64_t *value, int64_t new)
{
  store_put_int (&p->store, STATE_EDGE, link, attribute, &link_at (p, link)->edge.life, value, new);
}

/* step.c */
void pvm_step (Pvm *p, const TraceEvent *e);
/* Of n events those up to the first that has something told; gives how many.  A call for each costs a tenth of all. */
uint32_t pvm_steps (Pvm *p, const TraceEvent *e, uint32_t n);

/* calls.c; for step.c there is more in calls.h */
uint32_t pvm_call_push (Pvm *p, Task *t); /* moves the innermost call outwards */
/* The tasks of the PEERS field of a call in progress; see trace_list(). */
const uint32_t *pvm_call_list (const Pvm *p, const Task *t, const Call *c, uint32_t *n);
uint32_t pvm_part_add (Pvm *p, Call *c, uint32_t last, uint32_t who,
                       uint8_t flags);                       /* behind `last`, which may be NONE */
const Call *pvm_deciding_call (const Pvm *p, const Task *t); /* which its state is that of; NULL: none */

/* groups.c */
GHashTable *pvm_membership_new (void);
Group *pvm_group (Pvm *p, uint32_t object);      /* made if need be; NULL: the source knows none */
Group *pvm_group_make (Pvm *p, uint32_t object); /* the same for any object */
bool pvm_group_join (Pvm *p, Group *group, uint32_t object, uint32_t node);  /* false: is in it */
bool pvm_group_leave (Pvm *p, Group *group, uint32_t object, uint32_t node); /* false: is not in it */

/* rules.c */
bool pvm_bind (Store *s, const TraceSource *source); /* what its kinds of event mean */

/* save.c */
void pvm_save (const Pvm *p, EveBlob *to);
bool pvm_load (Pvm *p, EveBlobView *from); /* into a Pvm that was reset; false: reset it again */
