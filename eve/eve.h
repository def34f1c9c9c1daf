/* SPDX-License-Identifier: Apache-2.0 */
/* eve.h - what a component needs of Eve, the visual dataflow language of Scope.
 *
 * A component is a static EveClass and a C struct that begins with EveBase.  The engine calls the functions of
 * the class; the component reads its inputs and writes its outputs with the functions below.  All of it happens
 * on one thread, the engine's, except what is marked [any thread].  docs/writing-a-component.md is the guide,
 * components/flow/threshold.c the smallest example.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define EVE_ABI                                                                                                        \
  16u /* changes when a struct below, or of readers, simulators or views, changes: a component built for another is    \
         refused */
#define EVE_MAX_PORTS 16 /* inputs, and outputs, of one component */

typedef struct EveComponent EveComponent; /* one box on the canvas; its memory begins with EveBase */
typedef struct EveProgram EveProgram;     /* the boxes and wires */
typedef struct EveIn EveIn;               /* an input port: read cursors over the rings upstream */
typedef struct EveOut EveOut;             /* an output port: owns one broadcast ring */
typedef struct EveBlob EveBlob;           /* a growing stream of typed values: run state is written to it ... */
typedef struct EveBlobView EveBlobView;   /* ... and read back from it */
typedef struct EveRenames EveRenames;     /* the settings of an old program, on their way through `upgrade` */

/* ---- types of data ---------------------------------------------------------------------------------------
 * Compared by address: one definition a type, in a shared library or the component that everybody loads.
 * Data lie inline in ring slots.  A large thing is a counted reference: then the slot holds a pointer and the
 * type has retain and release.  Everything else is plain bytes. */
typedef struct EveType {
  const char *name;            /* "number", "trace event": shown to people            */
  uint32_t size, align;        /* of a slot, in bytes; size is a multiple of align    */
  uint32_t colour;             /* of wires and ports, 0xRRGGBB                        */
  void (*retain) (void *slot); /* both NULL: plain bytes                              */
  void (*release) (void *slot);
  void (*print) (const void *slot, char *buf, size_t n);      /* a short text for a person; NUL-terminated */
  int64_t (*date) (const void *slot);                         /* NULL: has no date; else ticks, for merging by date  */
  void (*sample) (void *slot, uint64_t n);                    /* the n-th specimen, for tests; NULL: zero bytes      */
  void (*save) (EveProgram *, const void *slot, EveBlob *to); /* NULL: plain bytes, see below            */
  bool (*load) (EveProgram *, void *slot, EveBlobView *from); /* false: the blob holds no such datum     */
} EveType;

/* The types every program knows.  int64 and bool are converted on the wire where a double is wanted, bool
 * where an int64 is; any datum is a pulse where a pulse is wanted. */
extern const EveType eve_type_double; /* double                                              */
extern const EveType eve_type_int64;  /* int64_t                                             */
extern const EveType eve_type_bool;   /* bool                                                */
extern const EveType eve_type_pulse;  /* uint8_t without meaning: that it comes is the news  */
extern const EveType eve_type_text;   /* char *, a GRefString                                */

/* ---- descriptions: static const tables, readable without running anything ------------------------------ */
typedef enum { EVE_SYNC, EVE_ASYNC } EveArrival;
typedef enum { EVE_DATA, EVE_CONTROL } EveRole; /* CONTROL: drawn on another side, meant for commands  */
typedef void (*EveAsync) (EveComponent *self, EveIn *in, const void *datum);
typedef void (*EveAsyncSpan) (EveComponent *self, EveIn *in, const void *data, uint32_t n);

typedef struct EveInSpec {
  const char *name;    /* unique among the inputs; what a saved program names */
  const EveType *type; /* NULL: any; all NULL ports of a component share one type */
  EveArrival arrival;
  EveRole role;
  EveAsync on_datum;    /* ASYNC only: called at once with each datum          */
  bool required;        /* the component does not fire while it is unconnected */
  bool quiet;           /* ASYNC: on_datum never emits, so it may be called when outputs
                           are full                                            */
  bool commutes;        /* what it does with a datum does not depend on the order relative to
                           other inputs (SYNC: to its other wires), so data may come in bursts */
  EveAsyncSpan on_span; /* ASYNC and quiet, in the place of on_datum: gets data as arrays,
                           soon instead of at once                             */
  bool present;         /* takes what at_rest tells too: it stands in the place of
                           the datum before, as the present value, and is no further
                           datum of a sequence                                 */
  bool kept;            /* ASYNC, and without a handler: the component does not take the
                           data; who shoots a film keeps them, once for all inputs
                           that are fed by the same, and there they are read    */
  const char *unit, *doc;
} EveInSpec;

typedef struct EveOutSpec {
  const char *name;
  const EveType *type; /* NULL: the shared type of the NULL ports             */
  EveRole role;
  uint32_t capacity; /* data the ring may hold, at least; 0: 256.  Made a power of 2 */
  uint32_t per_fire; /* most data one firing or one handler emits; 0: 1     */
  bool fixed;        /* never grown to resolve an artificial deadlock       */
  const char *unit, *doc;
} EveOutSpec;

/* A value that a person sets, or a piece of run state: a name for some bytes of the instance. */
typedef enum {
  EVE_F_DOUBLE, /* double                                              */
  EVE_F_INT64,  /* int64_t                                             */
  EVE_F_BOOL,   /* bool                                                */
  EVE_F_STRING, /* char *, owned by the engine, never NULL             */
  EVE_F_CHOICE, /* int32_t, index into `choices`; saved by name        */
} EveFieldKind;

typedef struct EveField {
  const char *name;
  EveFieldKind kind;
  size_t offset;              /* offsetof in the instance                            */
  double min, max, def;       /* numbers; min = max = 0: no bounds                   */
  const char *def_text;       /* strings; NULL: empty                                */
  const char *const *choices; /* NULL-terminated names                               */
  const char *unit, *doc;
  bool path;   /* a STRING that names a file or folder to read, for eve_path() ... */
  bool output; /* ... and with it: one to write, for eve_open_output() or eve_write_output() */
  bool look;   /* changes how things are shown, never what becomes of data: what was
                  recorded before stays right when it changes         */
} EveField;
/* Bounds of a field of the run state that counts: a run state with another number is refused, and no sum overflows. */
#define EVE_COUNT .min = 0, .max = 1e18

/* What `produce` says. */
typedef enum {
  EVE_MORE, /* emitted something, has more                         */
  EVE_WAIT, /* nothing now; eve_wake() or an input brings it back  */
  EVE_END,  /* nothing any more, until reset or load               */
} EveSupply;

typedef struct EveClass {
  uint32_t abi; /* EVE_CLASS_HEAD fills these two, which the loader checks */
  uint32_t size;
  const char *id, *label, *category, *doc; /* id ("scope.gate") is what a saved program names     */
  const char *help;                        /* longer text, Markdown; NULL: doc is enough          */
  const char *const *provides;             /* NULL-terminated, e.g. "reader:tapepvm"; NULL: nothing */
  uint16_t version;                        /* of the settings, from 1; given back to `upgrade`    */
  const EveInSpec *ins;
  const EveOutSpec *outs;
  const EveField *settings;
  const EveField *state; /* run state that is simple fields: reset, saved and loaded by
                            the engine, before the functions below are called   */
  uint32_t n_ins, n_outs, n_settings, n_state;
  size_t instance_size; /* zeroed bytes, begins with EveBase                   */

  bool (*init) (EveComponent *self);                      /* once, settings at their defaults; false after eve_fail() */
  void (*finish) (EveComponent *self);                    /* once; also after a failed init                      */
  void (*start) (EveComponent *self);                     /* the program begins or goes on                       */
  void (*pause) (EveComponent *self);                     /* the program stops for now: flush files              */
  void (*reset) (EveComponent *self);                     /* back to the state after init; settings stay         */
  bool (*changed) (EveComponent *self, uint32_t setting); /* a setting changed; false after eve_fail()   */

  EveComponent *(*can_fire) (EveComponent *self);     /* who fires: self, one of the same ports, or NULL: not now */
  void (*fire) (EveComponent *self);                  /* all connected sync inputs hold a datum, outputs have room */
  void (*fire_span) (EveComponent *self, uint32_t n); /* optional: must equal `fire` n times         */
  EveSupply (*produce) (EveComponent *self, uint32_t max); /* sources: emit at most max data, on each output */
  bool (*at_end) (EveComponent *self);                     /* all that is upstream has ended: emit what is left (at most
                                                              per_fire each call); true: done, false: call again  */
  bool (*at_rest) (EveComponent *self, int64_t now); /* time stands still at `now` (ticks, as EveType.date; INT64_MIN:
                                                        before anything): emit what was not told yet, as it is now, at
                                                        most per_fire each call; true: done, false: call again.  It goes
                                                        to inputs that are `present`.  Changes no run state  */
  const char *(*refuse) (EveComponent *self, const EveInSpec *in, const EveOutSpec *out, const EveType *other);
  /* one of in, out is NULL.  A sentence, or NULL to accept */
  bool (*upgrade) (EveComponent *self, uint16_t from,
                   EveRenames *settings);               /* of a program saved with an older class */
  void (*save) (EveComponent *self, EveBlob *to);       /* run state beyond `state`                            */
  bool (*load) (EveComponent *self, EveBlobView *from); /* after reset; false: this is not mine        */
  const void *(*query) (EveComponent *self, const char *interface_name); /* "state-graph/1": a contract between
                                                     components and the application; NULL: not spoken    */
} EveClass;

/* An instance begins with this.  The engine fills the ports in the order of the tables; every one is non-NULL,
 * connected or not. */
typedef struct EveBase {
  void *engine_private;
  EveIn *in[EVE_MAX_PORTS];
  EveOut *out[EVE_MAX_PORTS];
} EveBase;

/* ---- data: inside fire, fire_span, produce, at_end and on_datum ------------------------------------------ */
/* The next datum of a sync input, consumed when the firing ends; NULL if the input is unconnected or empty.
 * The pointer is good until the firing returns.  Taking less than what is there is allowed. */
const void *eve_take (EveIn *in);
/* The same without consuming it.  In fire_span the others of its n data lie behind it, if the wire converts nothing. */
const void *eve_peek (EveIn *in);
/* fire_span only: the next n data as one array, n being at most what fire_span was given; consumed when it returns.
 * NULL if the input is unconnected. */
const void *eve_take_span (EveIn *in, uint32_t n);
/* How many data wait at the input. */
uint64_t eve_waiting (const EveIn *in);

/* Copies a datum to everybody connected (counted references are retained).  False: no room, the caller keeps
 * the datum; this cannot happen for the first per_fire data of a firing or handler.  A firing that emits more
 * without asking eve_room() first, and finds no room, fails.  Nobody connected: true. */
bool eve_emit (EveOut *out, const void *datum);
/* The same, but a counted reference changes hands: the caller's is used up, also when false comes back. */
bool eve_emit_steal (EveOut *out, void *datum);
/* Room for at most *n data as one array, to be filled and published by eve_commit; *n becomes what there is.
 * NULL: no room, or nobody is connected (*n is then 0).  Not for counted references. */
void *eve_reserve (EveOut *out, uint32_t *n);
void eve_commit (EveOut *out, uint32_t n);
/* Emits n data that lie as one array and stay there until it returns.  Where all who are connected take arrays
 * (on_span), in any order (commutes), and nothing waits for them, they get this one at once, and nothing is copied.
 * False: there is no room for all of them, and none is emitted.  Not for counted references. */
bool eve_give (EveOut *out, const void *data, uint32_t n);
/* For data that are too many to be emitted one by one.  True: nobody takes them but who keeps them (EveInSpec.kept), so
 * they need not be emitted.  They go to *keeper, a thing that their type tells of (as StateTrack of
 * simulators/state.h), which is good until the firing returns; NULL: nowhere, as nothing is kept now.  Before the
 * firing returns eve_passed() tells how many there were and what the last of them would have been: the wire counts and
 * shows them as any others. */
bool eve_out_kept (EveOut *out, void **keeper);
void eve_passed (EveOut *out, uint32_t n, const void *last);
/* Data that can still be emitted now; UINT32_MAX if nobody is connected. */
uint32_t eve_room (const EveOut *out);

bool eve_in_connected (const EveIn *in);
bool eve_out_connected (const EveOut *out);
/* The type bound to a port: its own, or for a NULL type the one its wires gave it; NULL while there is none. */
const EveType *eve_in_type (const EveIn *in);
/* Identity of all that decides what comes to an input: the outputs that are wired to it, their components and all that
 * is upstream of these, with names, classes, versions, settings except those of looks, and wires.  0: nothing is wired
 * to it.  What is kept of an execution is found again by it. */
uint64_t eve_in_identity (EveIn *in);
const EveType *eve_out_type (const EveOut *out);
/* The unit of what comes to an input, as the outputs say that are wired to it (EveOutSpec.unit); an output that passes
 * on data of any type has the unit of what comes to its component.  NULL: none says one, or they differ.  Walks the
 * program: not for each datum. */
const char *eve_in_unit (const EveIn *in);

/* ---- standing in ------------------------------------------------------------------------------------------
 * A component whose can_fire names others says which these can be, by its query. */
#define EVE_PEERS "peers/1"
typedef struct EvePeers {
  const char *setting;                                  /* that names them, a list */
  const char *(*name) (EveComponent *self, uint32_t i); /* of the i-th; NULL: no more.  Good until a setting changes */
  bool forgives; /* one that fails does not end the program: it is told as a warning, and what it should have worked on
                    waits for the next one that can_fire names */
} EvePeers;
/* In can_fire: the i-th, if it can fire now in the place of self: on all ports if they are the same, or on the first
 * input and output, where it has more and can do without data at them.  NULL: not now (*why NULL), or never while the
 * program is as it is, with a sentence. */
EveComponent *eve_peer (EveComponent *self, uint32_t i, const char **why);
/* In can_fire: how long the firing took of who stood in, ns; -1: it has failed; INT64_MIN: nobody has since this was
 * asked. */
int64_t eve_stood_in (EveComponent *self);

/* ---- the component and its program ----------------------------------------------------------------------- */
static inline EveBase *
eve_base (EveComponent *c)
{
  return (EveBase *) c;
}
const char *eve_name (const EveComponent *c); /* as on the canvas, e.g. "Gate 2"; owned by the program */
EveProgram *eve_program (const EveComponent *c);
const EveClass *eve_class (const EveComponent *c);
/* A file or folder to read that a setting names, made absolute: relative names are relative to the folder of the
 * program file.  NULL after eve_fail(): it lies elsewhere, and the person has not allowed it.  Free with free(). */
char *eve_path (EveComponent *c, const char *name);
/* Opens the file that a setting names, below the output folder, for reading and writing; it is made if need be.
 * The caller closes it.  -1 after eve_fail(): it cannot be written, or leads out of the folder.
 * EVE_NOWHERE: nothing is written now, as in a film's pass or during travel; the component goes on as if it were, so
 * that its run state is the same. */
#define EVE_NOWHERE (-2)
int eve_open_output (EveComponent *c, const char *name);
/* Puts a whole file there, which is never seen half written: 0, -1 after eve_fail(), or EVE_NOWHERE. */
int eve_write_output (EveComponent *c, const char *name, const void *bytes, size_t n);
/* Writes to standard output; on a terminal, what it would obey is made visible.  False with errno; true also where
 * nothing is printed now. */
bool eve_print (const EveComponent *c, const char *text, size_t n);
/* Calls fn on the engine thread, between two firings [any thread].  Dropped if the component is gone by then;
 * `drop`, if not NULL, then frees arg. */
void eve_post (EveComponent *c, void (*fn) (EveComponent *, void *), void *arg, void (*drop) (void *));
/* A source that said EVE_WAIT may have data now [any thread]. */
void eve_wake (EveComponent *c);
/* What comes now was told at rest: the present value of something, and no further datum of a sequence.  True also in
 * the reset and load by which it is taken back. */
bool eve_at_rest (const EveComponent *c);
/* The component cannot go on: a sentence for a person, without its name.  Pauses the program and marks the box.
 * Called more than once, the sentences are a chain: the first is the cause, each later one says what it meant. */
void eve_fail (EveComponent *c, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* Something to tell that does not stop anything (counted, listed in reports): a sentence. */
void eve_warn (EveComponent *c, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* The same, of something that a setting asks for by name and that is not there: all is done, but is not what was asked
 * for.  Commands then end with status 1. */
void eve_warn_missing (EveComponent *c, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
/* A sign of life, for work inside one call that may take longer than a moment, as writing all that a film holds: who
 * gives none for some time is taken for one that does not come back.  Costs a few cycles; any thread. */
void eve_alive (void);
/* The same, and how far such work is, 0..1; `doing` in a few words, "what keeps what alive", good for ever.  False: a
 * person cancels it; it then gives up, as if it had not begun, and tells so by eve_warn().  Engine thread; every tenth
 * of a second is often enough. */
bool eve_progress (EveComponent *c, const char *doing, double share);
/* What the component does now, in a few words for its box (95 bytes at most); copied.  Cheap enough for each frame, not
 * each event. */
void eve_status (EveComponent *c, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));

/* ---- run state as typed values: independent of byte order and word size ---------------------------------- */
void eve_put_int (EveBlob *b, int64_t v);
void eve_put_double (EveBlob *b, double v);
void eve_put_text (EveBlob *b, const char *v);            /* NULL is written as empty           */
void eve_put_bytes (EveBlob *b, const void *v, size_t n); /* only for what has no inner layout  */
void eve_put_ints (EveBlob *b, const int64_t *v, size_t n);
/* Reading back.  A wrong or missing value makes the view bad, gives 0 and sticks: check once at the end. */
int64_t eve_get_int (EveBlobView *b);
double eve_get_double (EveBlobView *b);
const char *eve_get_text (EveBlobView *b); /* good while the view's bytes are; never NULL */
const void *eve_get_bytes (EveBlobView *b, size_t *n);
size_t eve_get_ints (EveBlobView *b, int64_t *v, size_t n); /* at most n are stored; gives how many there were */
bool eve_get_ok (const EveBlobView *b);

/* ---- an old program's settings, inside upgrade ------------------------------------------------------------ */
const char *eve_renames_get (EveRenames *s, const char *name); /* text as saved, or NULL              */
void eve_renames_move (EveRenames *s, const char *from, const char *to);
void eve_renames_set (EveRenames *s, const char *name, const char *value);

/* ---- debugging: SCOPE_DEBUG=sched:5,reader.*:3 -------------------------------------------------------------- */
bool eve_log_on (const char *category, int level);
void eve_log (const char *category, int level, const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

#define EVE_N(a) (uint32_t) (sizeof (a) / sizeof ((a)[0]))
#define EVE_EXPORT __attribute__ ((visibility ("default")))
#define EVE_CLASS_HEAD .abi = EVE_ABI, .size = sizeof (EveClass)
/* The table by which a shared object offers its classes. */
#define EVE_PLUGIN(...)                                                                                                \
  extern EVE_EXPORT const EveClass *const eve_plugin[];                                                                \
  EVE_EXPORT const EveClass *const eve_plugin[] = { __VA_ARGS__, NULL }

#pragma GCC visibility pop
