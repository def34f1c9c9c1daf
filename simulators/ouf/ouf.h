/* SPDX-License-Identifier: Apache-2.0 */
/* ouf.h - the state of an OUF application and how an event changes it; README.md tells the rules.
 *
 * It stands on a store, which keeps nodes and links.  step.c has the transitions and is the file to read first;
 * meetings.c who communicates with whom; extras.c threads, semaphores and processors; graph.c the graph of the topology
 * and how its values change; model.c what others see of the state; save.c the bytes that the store does not write;
 * component.c is the box on the canvas.  Engine thread only. */
#pragma once
#include "simulators/store.h"

/* Thesis, tables 2.5 and 2.6; those that percentages are made of come first. */
enum { NODE_BUSY, NODE_IDLE, NODE_TALKING, NODE_UNUSED, NODE_DEAD };
enum { LINK_UNUSED, LINK_IDLE, LINK_TALKING, LINK_DEAD };
#define N_LIVE 3 /* states that time is counted for */

/* What a kind of event does; found once for each kind of a source, by its name (thesis, table 2.4). */
typedef enum {
  ACT_NONE, /* nothing: User, Phase */
  ACT_BIRTH,
  ACT_DEATH,
  ACT_THREAD_BIRTH,
  ACT_THREAD_DEATH,
  ACT_RUN,
  ACT_STOP,
  ACT_SEND,
  ACT_RECEIVE,
  ACT_TIMEOUT,
  ACT_ALT,
  ACT_NALT,
  ACT_WAIT,
  ACT_SEM_INIT,
  ACT_SEM_P,
  ACT_SEM_TRY,
  ACT_SEM_V,
  N_ACTS,
} Act;

typedef struct Rule {
  uint8_t act;
  int8_t thread, semaphore, value, word, meeting; /* the fields that tell, or -1 */
} Rule;

/* A call that has begun and not ended; a thread is in one at most. */
typedef struct Call {
  int64_t size, sent; /* SEND: of its message; the date it began */
  uint32_t link;      /* SEND, RECEIVE; else NONE */
  uint32_t peer;      /* the other task, or NONE */
  uint32_t next;      /* the call of this task that began before it: index into calls, or NONE */
  uint32_t guards;    /* ALT: index into guards, or NONE */
  uint32_t semaphore; /* SEM_P: its node, or NONE */
  uint32_t meeting;   /* of a call that talks: index into meetings; else NONE */
  int32_t thread;
  uint8_t act, state; /* BUSY: does not block its thread */
} Call;

/* A send and a receive that have met, until both have ended. */
typedef struct Meeting {
  int64_t size, sent; /* of the message; the date its send began */
  int64_t number;     /* told by the first end; 0: not known */
  uint32_t link;
  uint32_t next; /* of the link, the oldest first; or NONE */
  uint8_t open;  /* sides that have not ended */
} Meeting;

/* A link that an alternative listens to. */
typedef struct Guard {
  uint32_t link, next;
} Guard;

typedef enum { KIND_TASK, KIND_THREAD, KIND_SEMAPHORE, KIND_PROCESSOR } NodeKind;

/* A task, a thread, a semaphore or a processor. */
typedef struct Node {
  StoreNode node;
  int64_t spent[N_LIVE];
  uint8_t state, kind;
  bool stopped, passes;           /* THREAD: does not run; its next Stop does nothing */
  int32_t protagonist;            /* task + 1; 0: nobody, -1: several */
  Call call;                      /* TASK: the last that has begun; ACT_NONE: there is none */
  uint32_t n_blocked, n_talking;  /* TASK: calls in Idle, in Talking */
  uint32_t n_running;             /* TASK: threads that are neither stopped nor dead, if they are followed */
  uint32_t inside;                /* TASK: its processor's node; THREAD, SEMAPHORE: its task; else NONE */
  uint32_t number;                /* THREAD, SEMAPHORE: in its task; PROCESSOR: of the source's hosts */
  uint32_t chain;                 /* of a task's threads and semaphores, as they came, a ring: TASK: the last, or NONE;
                                   * THREAD, SEMAPHORE: the next */
  uint32_t first_hold, last_hold; /* SEMAPHORE: who has it longest, and shortest; or NONE */
  int64_t value;                  /* SEMAPHORE: how often it can still be taken */
  uint32_t n_waiting, n_holding;  /* SEMAPHORE */
  uint32_t n_in[NODE_DEAD + 1];   /* PROCESSOR: tasks in each state */
} Node;

typedef struct Link {
  StoreEdge edge; /* between tasks */
  int64_t spent[N_LIVE];
  uint32_t object; /* of the source */
  int64_t traffic, total_traffic, usage, messages;
  uint32_t meetings; /* chain of those that are not over, or NONE */
  uint32_t last_meeting;
  uint32_t n_listening; /* alternatives */
  uint8_t state;
} Link;

/* A thread has taken a semaphore of its task and not given it back. */
typedef struct Hold {
  int32_t thread;
  uint32_t next; /* of the semaphore, the oldest first; or NONE */
} Hold;

typedef struct Ouf {
  Store store; /* first; nodes: the tasks of the source, processors, then what comes into being; edges: the
                  links of the source, in its order */
  const bool *keep_the_dead; /* settings; the next three as they were when the graph was made */
  const bool *wants_threads, *wants_semaphores, *wants_processors;
  bool threads, semaphores, processors;
  bool begun; /* an event was simulated, and the graph before it was told */

  Rule *rules; /* by kind */
  uint32_t n_rules;

  uint32_t n_tasks;
  uint32_t *link_of; /* by object of the source; NONE: it is no link */
  uint32_t n_objects;
  Call *calls; /* other than the last of a task */
  uint32_t n_calls, calls_room, free_call;
  Meeting *meetings;
  uint32_t n_meetings, meetings_room, free_meeting;
  Guard *guards;
  uint32_t n_guards, guards_room, free_guard;
  GStringChunk *ids;     /* of nodes that are not in the source */
  GHashTable *by_number; /* threads and semaphores: node + 1, by ouf_key() */
  Hold *holds;
  uint32_t n_holds, holds_room, free_hold;
} Ouf;

static inline __attribute__ ((always_inline)) Node *
node_at (const Ouf *p, uint32_t node)
{
  return (Node *) (void *) p->store.nodes.rows + node;
}
static inline __attribute__ ((always_inline)) Link *
link_at (const Ouf *p, uint32_t link)
{
  return (Link *) (void *) p->store.edges.rows + link;
}

/* Attributes, in the order of the tables 2.7 to 2.9; behind each some that the thesis has not. */
enum {
  GRAPH_CLOCK,
  GRAPH_CLOCK_UNITS,
  AT_CLOCK,
  AT_STATE,
  AT_NAME,
  AT_NICKNAME,
  AT_PROTAGONIST,
  AT_PERCENT_BUSY,
  AT_PERCENT_IDLE,
  AT_PERCENT_TALKING,
  AT_KIND,
  AT_INSIDE,
  AT_PROGRAM,
  AT_VALUE,
  AT_HOLDERS,
  AT_WAITERS,
  EDGE_CLOCK,
  EDGE_STATE,
  EDGE_NAME,
  EDGE_ORIGIN,
  EDGE_DESTINATION,
  EDGE_USAGE,
  EDGE_TRAFFIC,
  EDGE_TOTAL_TRAFFIC,
  EDGE_PERCENT_UNUSED,
  EDGE_PERCENT_IDLE,
  EDGE_PERCENT_TALKING,
  EDGE_MESSAGES,
  N_ATTRIBUTES,
};

/* model.c */
Ouf *ouf_new (const bool *keep_the_dead, const bool *threads, const bool *semaphores, const bool *processors);
void ouf_free (Ouf *p);
void ouf_reset (Ouf *p); /* to the empty graph; the Ouf stays where it is */
const char *ouf_node_id (const StateGraph *g, uint32_t node);

/* graph.c */
bool ouf_bind (Store *s, const TraceSource *source); /* makes its graph, unless there is one */
void ouf_tell_graph (Ouf *p);                        /* everything that is there before the first event */
void ouf_node_state (Ouf *p, uint32_t node, uint8_t state);
uint32_t ouf_node_add (Ouf *p, NodeKind kind, uint32_t inside, uint32_t number);
void ouf_number_node (Ouf *p, uint32_t node); /* a thread or semaphore: ouf_find() finds it */

/* step.c */
void ouf_step (Ouf *p, const TraceEvent *e);
void ouf_steps (Ouf *p, const TraceEvent *events, uint32_t n); /* the same n times, quicker when tasks are many */
void ouf_refresh (Ouf *p, uint32_t task);         /* its state and protagonist, as its calls and threads say */
uint32_t ouf_call_push (Ouf *p, Node *task);      /* moves the last call of a task outwards */
void ouf_listen (Ouf *p, Call *c, uint32_t link); /* one more link for an alternative */
static inline Call *
ouf_first_call (Node *t)
{
  return t->call.act != ACT_NONE ? &t->call : NULL;
}
static inline Call *
ouf_next_call (const Ouf *p, const Call *c)
{
  return c->next != NONE ? &p->calls[c->next] : NULL;
}

/* meetings.c */
void ouf_meeting_begin (Ouf *p, Call *send, Call *receive);
/* A call that talks ends; Traffic becomes TotalTraffic when the other side has ended too. */
void ouf_meeting_leave (Ouf *p, Call *c);
/* Two calls at one end of a link: each takes part in what the other did, which may be nothing. */
void ouf_meeting_exchange (Ouf *p, Call *a, Call *b);
/* The rendezvous of two calls did not take place.  False: `other` is NULL, its side has ended. */
bool ouf_meeting_part (Ouf *p, Call *c, Call *other);
void ouf_meeting_size (Ouf *p, const Call *c, int64_t size); /* what was transferred, told by the end of `c` */
/* The meeting whose end this is, perhaps that of another call of its side; NONE: there is none. */
uint32_t ouf_meeting_found (Ouf *p, const Call *c, const TraceEvent *e, const Rule *rule);
uint32_t ouf_meeting_add (Ouf *p, uint32_t link, const Meeting *m); /* for a load: a copy, behind the others */

/* extras.c */
static inline gint64
ouf_key (uint32_t task, bool semaphore, uint32_t number)
{
  return (gint64) task << 33 | (gint64) semaphore << 32 | number;
}
uint32_t ouf_find (const Ouf *p, uint32_t task, bool semaphore, uint32_t number); /* its node; NONE */
uint32_t ouf_thread (Ouf *p, uint32_t task, int32_t thread); /* made, running, if need be; NONE: not kept */
void ouf_thread_call (Ouf *p, uint32_t task, int32_t thread, uint8_t state);
void ouf_thread_event (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule);
void ouf_threads_die (Ouf *p, uint32_t task);
uint32_t ouf_semaphore (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule); /* NONE: not kept */
void ouf_semaphore_event (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule);
void ouf_semaphore_wait (Ouf *p, uint32_t semaphore, bool waits);
void ouf_hold (Ouf *p, uint32_t semaphore, int32_t thread); /* it has the semaphore, last of all; it is not counted */
void ouf_semaphore_taken (Ouf *p, uint32_t semaphore, const TraceEvent *e, const Rule *rule);
void ouf_processor_task (Ouf *p, uint32_t processor, uint8_t old, uint8_t state);

/* save.c */
void ouf_save (const Ouf *p, EveBlob *to);
bool ouf_load (Ouf *p, EveBlobView *from); /* into an Ouf that was reset; false: reset it again */

static inline __attribute__ ((always_inline)) void
ouf_link_state (Ouf *p, uint32_t link, uint8_t state)
{
  Link *l = link_at (p, link);

  store_put_state (&p->store, STATE_EDGE, link, EDGE_STATE, &l->edge.life, &l->state, l->spent, N_LIVE, state);
}

static inline __attribute__ ((always_inline)) void
ouf_link_set (Ouf *p, uint32_t link, uint32_t attribute, int64_t *value, int64_t new)
{
  store_put_int (&p->store, STATE_EDGE, link, attribute, &link_at (p, link)->edge.life, value, new);
}
