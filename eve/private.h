/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of libeve share.  sched.c is the file to read first. */
#pragma once
#include <time.h>
#include "eve/eve-host.h"

typedef struct Node Node;
typedef struct Edge Edge;
typedef struct Wire Wire;
typedef struct Bindings Bindings;
typedef struct Peers Peers;

#define PROGRAM_FORMAT 1               /* version of program files */
#define EVE_RING_DEFAULT 256u          /* data, when a class does not say */
#define EVE_RING_MAX_BYTES (16u << 20) /* a ring is never grown beyond this to resolve a deadlock */
#define EVE_BURST 64u                  /* firings in a row */
#define EVE_SPAN 256u                  /* data one fire_span or produce gets at most */
#define EVE_DEPTH 16                   /* handlers nested inside emissions, before they are put off */

/* An edge is one read cursor over the ring of an output.  Cursors and heads count data from the beginning and
 * never wrap; a slot is the counter modulo the capacity. */
struct Edge {
  EveOut *out;
  EveIn *in;
  Wire *wire;
  uint64_t read;                                /* first datum not yet consumed */
  uint64_t next;                                /* during a firing: first datum not yet taken */
  void (*convert) (const void *from, void *to); /* NULL: types are the same */
  uint8_t *scratch;                             /* converted data of one firing, EVE_SPAN of them */
  uint32_t index;                               /* among the edges of the input */
};

struct EveOut {
  Node *node;
  const EveOutSpec *spec;
  const EveType *type; /* bound, or NULL */
  uint8_t *slots;
  uint32_t size;      /* bytes a slot; 0: no ring */
  uint64_t capacity;  /* power of 2 */
  uint64_t head, low; /* next to be written; all before `low` were consumed by everybody */
  uint64_t freed;     /* counted references before this were released */
  uint64_t unseen;    /* data before this never lay in the ring: they passed before a run state was saved */
  Edge **edges;       /* those of inputs that take the data */
  uint32_t n_edges, per_fire;
  uint32_t n_kept;     /* further ones, of inputs that are `kept`: nobody waits for them */
  EveKeeper keeper;    /* keep NULL: nobody keeps the data */
  bool armed;          /* some consumer must be told of the next datum */
  bool blocked;        /* no room for a firing: counted in node->missing */
  const uint8_t *lent; /* data of a source from head - n_lent on, while its only consumer fires on them; NULL: none */
  uint32_t n_lent;
  void *shown; /* a datum that at_rest told, seen in the place of the last that passed; NULL: none */
};

struct EveIn {
  Node *node;
  const EveInSpec *spec;
  const EveType *type;
  Edge **edges;
  Edge *single; /* the edge if it is the only one */
  uint32_t n_edges;
  Edge **kept; /* if spec->kept all are here, and none is in `edges` */
  uint32_t n_kept;
  bool empty;         /* sync and connected, but holds nothing: counted in node->missing */
  bool pending;       /* async: data wait that could not be handed over at once */
  uint32_t *arrivals; /* several edges: their indices in order of arrival */
  uint64_t a_capacity, a_head, a_read, a_next;
  uint64_t identity, identity_serial; /* of what feeds it, when the program had this serial; 0: not known */
};

/* Which function of a component runs.  From CALL_OTHER on, who called hears of a failure himself. */
typedef enum {
  CALL_NONE,
  CALL_FIRE,
  CALL_HANDLER,
  CALL_PRODUCE,
  CALL_END,
  CALL_REST,
  CALL_OTHER,
  CALL_INIT = CALL_OTHER,
  CALL_FINISH,
  CALL_START,
  CALL_PAUSE,
  CALL_RESET,
  CALL_CHANGED,
  CALL_CAN_FIRE,
  CALL_REFUSE,
  CALL_UPGRADE,
  CALL_SAVE,
  CALL_LOAD,
  CALL_QUERY,
} Call;
typedef enum { NODE_SUPPLYING, NODE_WAITING, NODE_ENDED } NodeSupply;

/* What a component has printed: bytes, and two sums (Fletcher 1982) to know them again.  Printing is a hot path. */
typedef struct Printed {
  uint64_t n, sum, sums;
} Printed;

/* The engine's side of a component. */
struct Node {
  EveProgram *program;
  EveComponent *self; /* instance_size bytes */
  const EveClass *klass;
  EveIn *ins;
  EveOut *outs;
  uint32_t n_ins, n_outs;
  uint64_t id; /* never used again in this process */
  char *name;
  uint32_t index, rank, component; /* in nodes; in the sweep; strongly connected component */
  int32_t missing;                 /* empty sync inputs + outputs without room + what is required and absent */
  uint32_t n_sync;                 /* connected sync inputs */
  uint32_t burst;                  /* firings in a row, from the topology */
  bool has_pending;                /* some async input is pending and the sweep can hand its data over */
  bool starved;                    /* the same, but outputs must have room first */
  bool declined;                   /* fired without taking or emitting: waits for news */
  bool progressed;                 /* took or emitted in this firing */
  bool going;                      /* edit_sweep takes it away */
  EveUse use;                      /* what is not EVE_WORKS has no edges: bypass.c */
  Call in_call;                    /* which of its functions is running */
  bool inited, started, end_done, upstream_done, source_above;
  bool slow; /* its firings are long: the clock is looked at after each */
  NodeSupply supply;
  int wake; /* atomic */
  uint64_t firings;
  int64_t stood_in;     /* of who fired in its place last: ns; -1: it failed; INT64_MIN: nobody since it was asked */
  Peers *peers;         /* who may fire in its place: stand-in.c; NULL: not looked up yet */
  EveBlob *before_rest; /* its run state, while it shows what at_rest told; NULL: it does not */
  GString *failure;     /* its sentences, or NULL */
  Printed printed;      /* in this run */
  Printed before;       /* in the run before, which is not printed again */
  char status[96];      /* in place: said often, it must not allocate */
  double x, y;
  char *ghost_id;         /* class id of a ghost; klass is then the ghost class */
  uint16_t saved_version; /* of a ghost */
  GPtrArray *kept;        /* name, value, name, value ...: settings nobody knows */
};

/* What a person connected; carries an edge unless it is broken. */
struct Wire {
  Node *from, *to;
  char *out, *in;
  Edge *edge;
  uint64_t born;       /* head of the output when the edge was made */
  bool going;          /* edit_sweep takes it away */
  uint32_t place, tie; /* bypass.c: consumers are told by these */
};

typedef struct Post {
  uint64_t id;
  void (*fn) (EveComponent *, void *);
  void *arg;
  void (*drop) (void *);
} Post;

struct EveProgram {
  GPtrArray *nodes;              /* of Node *, in the order added */
  GPtrArray *wires;              /* of Wire * */
  GPtrArray *through;            /* of Wire *, neither seen nor saved: what goes past bypassed nodes */
  Node *forgiving;               /* that fires in the place of another, who forgives that it fails */
  uint32_t n_unused;             /* nodes that are off or bypassed */
  bool use_changed;              /* of some node, since `through` was made */
  GHashTable *by_name;           /* name -> Node */
  GHashTable *by_id;             /* &node->id -> Node */
  GHashTable *by_ends;           /* set of Wire: same ends, same wire */
  GHashTable *numbers;           /* stem of a name -> first number that may be free; NULL: none given yet */
  Bindings *bindings;            /* NULL: to be found out again; bind.c */
  int held;                      /* many edits go on: ports get their types after the last */
  Node **order;                  /* by rank */
  uint64_t *ready;               /* bits by rank */
  uint32_t n_order, sweep, turn; /* sweep: rank to look at next; turn: source to ask next */
  uint32_t burst_left;           /* of the burst at `sweep` that a slice cut off; 0: none */
  Node **sources;
  uint32_t n_sources;
  bool freeing;
  bool sees_order;  /* some component sees the order of arrival: plan.c */
  bool resting;     /* some show what at_rest told: rest_end() takes it back */
  bool telling;     /* that is being told */
  bool dirty;       /* the plan is out of date */
  bool all_started; /* `start` was called on every node */
  bool end_settled; /* no at_end is due until a source says something again */
  EveMode mode;
  int depth; /* nested handlers */
  int calls; /* functions of components that are running */
  uint64_t serial;
  Node *failed;
  GString *failure;
  char *stall;
  char *output_folder, *folder; /* for files written, NULL: none are; of the program file */
  char *content;                /* SHA-256 of its text */
  GPtrArray *allowed;           /* of char *: what may be read elsewhere; NULL: nothing */
  bool prints, terminal;        /* to standard output; it is a terminal */
  char *title, *doc;            /* of the program file */
  GTree *notes;                 /* name -> text: of the application; NULL: none yet */
  GPtrArray *outer;      /* of char *: wires of a part to components that are not here, edit_outer_ends(); NULL: none */
  GHashTable *outer_set; /* the same strings */
  void (*warn) (void *, EveComponent *, const char *);
  void *warn_arg;
  bool (*progress) (void *arg, const char *doing, double share); /* eve_program_set_progress(), or NULL */
  void *progress_arg;
  GPtrArray *missing; /* of char *: eve_program_missing() */
  GPtrArray *unheard; /* of char *, box and sentence in turn: warnings while nobody listened; NULL: none */
  GMutex lock;        /* guards the posts and the waker */
  GQueue posts;       /* of Post * */
  int news;           /* atomic: posts or wakes */
  void (*waker) (void *);
  void *waker_arg;
};

static inline Node *
node_of (const EveComponent *c)
{
  return ((const EveBase *) c)->engine_private;
}

static inline int64_t
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ring.c */
static inline uint8_t *
ring_slot (const EveOut *out, uint64_t n) /* of the n-th datum */
{
  return out->slots + (n & (out->capacity - 1)) * out->size;
}
void ring_alloc (EveOut *out, uint64_t room); /* empty slots for that many data, or one firing if it gives more */
bool ring_setup (EveOut *out, const EveType *type);
uint64_t ring_begins_with (const EveOut *out); /* data that it has room for before it grows */
void ring_free (EveOut *out);
void ring_clear (EveOut *out);
void ring_drop (EveOut *out); /* frees it; what consumers had not read is lost */
void ring_grow (EveOut *out, uint64_t capacity);
void ring_low_water (EveOut *out);
void ring_attach (EveOut *out, EveIn *in, Edge *e); /* the edge begins at the head */
void ring_detach (Edge *e);                         /* what it had not read is dropped */
void ring_deliver (EveIn *in);                      /* hands waiting data to the handler of an async input */
bool ring_room_for_firing (Node *n); /* all connected outputs have room for per_fire; marks those that have not */
void in_clear (EveIn *in);
void in_push_arrivals (EveIn *in, uint32_t edge, uint64_t n);
void ring_arrive (EveOut *out, uint32_t n);       /* tells the consumers of n new data */
void ring_take_back (EveOut *out, uint64_t head); /* what was given up to `head`, and nobody was told of, is dropped */
uint32_t in_run (const EveIn *in, uint32_t most); /* data that lie in one piece; there must be one */
void in_commit (EveIn *in);                       /* what was taken is consumed */
/* stand-in.c: who fires in the place of n, which its can_fire has named. */
void stand_in_fire (Node *n, EveComponent *who);
/* NULL: it names nobody. */
const EvePeers *stand_in_peers (Node *n);
void stand_in_each (Node *n, void (*each) (void *arg, Node *peer), void *arg); /* those that are there */
void in_rollback (EveIn *in);
static inline uint64_t
in_available (const EveIn *in)
{
  if (in->single)
    return in->single->out->head - in->single->next;
  return in->a_head - in->a_next;
}

/* The i-th of all its edges. */
static inline Edge *
in_edge (const EveIn *in, uint32_t i)
{
  return in->spec->kept ? in->kept[i] : in->edges[i];
}
/* Several wires lead there, and what comes of their data hangs on the order in which they arrive. */
static inline bool
in_mixes (const EveIn *in)
{
  return in->n_edges > 1 && !(in->spec->arrival == EVE_SYNC && in->spec->commutes);
}
/* Everything that its outputs have sent has passed its wires, as of one that was there from the first. */
void in_kept_from_the_first (EveIn *in);
/* Whether somebody wants its data. */
static inline bool
ring_wanted (const EveOut *out)
{
  return out->n_edges || out->n_kept || out->keeper.keep;
}

/* identity.c */
/* A component of this class takes, gives and keeps nothing: runs are the same with it and without. */
bool identity_idle (const EveClass *k);
/* The others of a program, by name; g_free. */
Node **identity_nodes (const EveProgram *p, uint32_t *n);

/* sched.c */
void sched_ready (Node *n);         /* sets its bit if it can do something */
void sched_out_freed (EveOut *out); /* a consumer went on: room may have come */
void sched_fail (Node *n);
void sched_source_news (Node *n);     /* a source that waited or ended may supply again */
void sched_fire_in_place (EveIn *in); /* its node, on all that waits there; a source runs, and it could fire at once */
bool sched_sweep (EveProgram *p);     /* lets the next ready node work; false: none is */
bool sched_at_rest (Node *n, int64_t now);
void sched_pause_node (Node *n); /* if it was started: it is started again when the program goes on */

/* plan.c */
void plan_make (EveProgram *p);
void plan_count_missing (Node *n); /* counts anew what a node waits for */

/* bypass.c */
/* What a program file says of the use of a node; NULL: that it works.  What cannot be is told by a sentence to g_free.
 */
EveUse bypass_parse (const Node *n, const char *text, char **sentence);
void bypass_set (Node *n, EveUse use); /* its wires follow; bypass_update() and bind_ports() are due after it */
void bypass_update (EveProgram *p);    /* after each edit of wires and uses: what goes through is what they say */
void bypass_forget (EveProgram *p);    /* before nodes go: what went past them from or to those who go */
/* All that may carry an edge: wires, then what goes through. */
static inline uint32_t
program_n_flows (const EveProgram *p)
{
  return p->wires->len + p->through->len;
}
static inline Wire *
program_flow (const EveProgram *p, uint32_t i)
{
  return i < p->wires->len ? p->wires->pdata[i] : p->through->pdata[i - p->wires->len];
}

/* bind.c */
/* Why the types of a wire that is not there would not fit: a sentence to g_free, or NULL if they would. */
char *bind_why_not (EveProgram *p, const EveOut *out, const EveIn *in);
/* The type of a port of the node, whose own one is `own` (NULL: it takes any); NULL: none yet. */
const EveType *bind_type (EveProgram *p, const EveType *own, const Node *n);
void bind_wire (EveProgram *p, Edge *e); /* a new wire that fits: its ports get types, rings and conversions */
void bind_edge (Edge *e);                /* ring and conversion of a wire between bound ports */
void bind_ports (EveProgram *p);         /* all ports get the types that the wires say, unless edits are held */
void bind_forget (EveProgram *p);        /* nodes or wires were taken away, or stand in another order */

typedef void (*Convert) (const void *from, void *to);
bool type_converts (const EveType *from, const EveType *to, Convert *convert);

/* stall.c */
bool stall_resolve (EveProgram *p);   /* grows a ring if that ends an artificial deadlock */
char *stall_sentence (EveProgram *p); /* NULL: nothing is stuck; g_free */

/* registry.c */
uint32_t registry_object (const EveClass *klass); /* 1 + number of its shared object; 0: none */

/* watch.c */
#define WATCH_BOXES 4096u /* of more, some are not known by name */
#define WATCH_OBJECTS 512u

typedef struct WatchBox {
  uint64_t id;     /* of the node; 0: nobody */
  uint32_t object; /* registry_object() */
  char name[96], class_id[96];
} WatchBox;

typedef struct WatchObject {
  const void *base; /* where it was loaded */
  char path[512];
} WatchObject;

/* Plain memory: another process may look at it, also when this one has died. */
struct EveWatch {
  _Atomic uint64_t running; /* id of the node << 8 | Call; 0: no component is at work */
  _Atomic uint64_t calls;   /* begun so far */
  _Atomic uint64_t signs;   /* of life, inside them */
  _Atomic uint32_t blamed;  /* 1 + number of the object that the stack led to; 0: not asked */
  uint32_t n_objects;
  char loading[512]; /* the object that is being loaded; "" */
  WatchObject objects[WATCH_OBJECTS];
  WatchBox boxes[WATCH_BOXES]; /* at id % WATCH_BOXES */
};
extern EveWatch *watch; /* never NULL */

void watch_loading (const char *path); /* NULL: it is loaded */
void watch_object (uint32_t index, const char *path, const void *inside);
void watch_box (const Node *n, bool there); /* made or renamed, or about to go */

/* Around each call of a component's function.  Gives what was running outside of it. */
static inline uint64_t
watch_enter (const Node *n, Call call)
{
  uint64_t outer = __atomic_load_n ((uint64_t *) &watch->running, __ATOMIC_RELAXED);
  __atomic_store_n ((uint64_t *) &watch->running, n->id << 8 | call, __ATOMIC_RELAXED);
  __atomic_store_n ((uint64_t *) &watch->calls, __atomic_load_n ((uint64_t *) &watch->calls, __ATOMIC_RELAXED) + 1,
                    __ATOMIC_RELAXED);
  return outer;
}
static inline void
watch_leave (uint64_t outer)
{
  __atomic_store_n ((uint64_t *) &watch->running, outer, __ATOMIC_RELAXED);
}

/* The same, for those during which the engine must know of the call. */
typedef struct Outer {
  Call call;
  uint64_t running;
} Outer;
static inline Outer
call_enter (Node *n, Call call)
{
  Outer outer = { n->in_call, watch_enter (n, call) };
  n->in_call = call;
  return outer;
}
static inline void
call_leave (Node *n, Outer outer)
{
  n->in_call = outer.call;
  watch_leave (outer.running);
}

/* output.c */
void program_set_content (EveProgram *p, const char *text, gssize len); /* -1: up to its 0 */

/* program.c */
/* eve_set() for what a file says: nothing is allowed by it. */
bool node_set (Node *n, const char *setting, const char *value, GError **error);
/* A sentence: that it has none of this name, and which it has; g_free. */
char *node_no_setting (const Node *n, const char *setting, bool list);

/* rest.c */
void rest_end (EveProgram *p); /* those who show something are what they were; before anything goes on */
void rest_forget (Node *n);    /* what it shows counts: it is reset or freed */
void rest_forget_shown (EveOut *out);

/* run-state.c */
void run_state_put_back (Node *n, const EveBlob *state); /* of this very program, some moments ago */

/* edit.c */
Node *edit_add (EveProgram *p, const EveClass *klass, const char *ghost_id, const char *name, GError **error);
Wire *edit_wire (EveProgram *p, Node *from, const char *out, Node *to, const char *in); /* also a broken one */
Wire *edit_new_wire (Node *from, const char *out, Node *to, const char *in);            /* known to nobody yet */
void edit_free_wire (Wire *w);
Wire *edit_find_wire (EveProgram *p, Node *from, const char *out, Node *to, const char *in); /* NULL: there is none */
/* For tables of Wire: same ends, same wire. */
guint edit_ends_hash (gconstpointer wire);
gboolean edit_same_ends (gconstpointer a, gconstpointer b);
/* Many edits at once: between the two nothing of the program runs. */
void edit_hold (EveProgram *p);
void edit_release (EveProgram *p);
void edit_sweep (EveProgram *p); /* takes away what is `going`, with its wires, in one go */
/* Makes its edge; a sentence to g_free if that is refused.  `list`: with all the ports that there are. */
char *edit_attach (EveProgram *p, Wire *w, bool list);
char *edit_free_name (EveProgram *p, const char *wanted);
void edit_changed (EveProgram *p);
/* Wires of a part, from, out, to, in, of which one end is not in the program: kept for writing, once each. */
void edit_keep_outer (EveProgram *p, const char *const end[4]);
void edit_forget_outer (EveProgram *p);
char **edit_outer_ends (const char *outer); /* g_strfreev */

/* field.c */
void field_default (const EveField *f, void *at);
bool field_holds (const EveField *f, double v); /* a number is within its bounds, if it has any */
/* A value for a sentence: one line of valid text, at most 60 bytes of it; g_free. */
char *field_shown (const char *text);
bool field_is_default (const EveField *f, const void *at);
void fields_reset (const EveField *fields, uint32_t n, void *instance);
void fields_free (const EveField *fields, uint32_t n, void *instance);

/* run-state.c */
#define RUN_STATE_MAGIC "eve-run-state"
#define RUN_STATE_VERSION 2
bool run_state_load (Node *n, EveBlobView *from); /* the component's own; false: it is reset */
int64_t run_state_readiness (const Node *n); /* what the sweep knows of it; 0: it can do nothing, and nothing waits */

/* blob.c */
struct EveBlob {
  uint8_t *data;
  size_t n, room;
};
/* What is put between the two reads back as one eve_get_bytes(). */
size_t blob_open (EveBlob *b);
void blob_close (EveBlob *b, size_t opened);
void blob_append (EveBlob *b, const EveBlob *what); /* its values, as if they were put here */
struct EveBlobView {
  const uint8_t *at, *end;
  bool bad;
};

/* dot.c */
void dot_dump (EveProgram *p, const char *why);

#define LOG(category, level, ...)                                                                                      \
  do {                                                                                                                 \
    if (G_UNLIKELY (eve_log_on (category, level)))                                                                     \
      eve_log (category, level, __VA_ARGS__);                                                                          \
  } while (0)
