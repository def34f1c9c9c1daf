/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h - what components share that look at the last heap snapshot before an instant: which one it is, what of it
 * is selected, and how rows of tables say whom they are of.  Engine thread only. */
#pragma once
#include "readers/heap.h"
#include "readers/selected.h"
#include "statistics/types.h"

typedef struct Snapshot {
  char *file; /* in its bundle; NULL: none has come */
  int64_t date, number;
  uint16_t source; /* 0: nothing has come */
  /* of the source, looked up once */
  uint16_t looked_up;
  uint32_t kind, file_field, number_field; /* TRACE_NONE: it has none */
  GHashTable *tasks;                       /* "entity\tname" -> its task + 1; made when somebody asks */
} Snapshot;

/* Takes an event; true: it is a snapshot, which is the last now. */
bool snapshot_take (Snapshot *s, const TraceEvent *e);
/* None has come. */
void snapshot_clear (Snapshot *s);
/* For run states. */
void snapshot_save (EveComponent *c, const Snapshot *s, EveBlob *to);
bool snapshot_load (EveComponent *c, Snapshot *s, EveBlobView *from);
/* heap_share() of it, or of another file of its bundle, with progress, and what it says told as warnings of the
 * component; *cancelled: the person ended it.  NULL: there is none, or it was told why. */
HeapGraph *snapshot_graph (EveComponent *c, const Snapshot *s, const char *file, bool retained, bool *cancelled);
/* Calls of `progress` for what a component does itself. */
typedef struct SnapshotWatch {
  EveComponent *c;
  int64_t told;
  TraceProgress progress;
} SnapshotWatch;
void snapshot_watch (SnapshotWatch *w, EveComponent *c);

/* Entities of the trace that are called so ("Class", "Site" ...): their task, or, of one that the trace does not count
 * as a task of its own, its name. */
TraceRef snapshot_ref (Snapshot *s, const char *entity, const char *name);
/* The class of a block. */
TraceRef snapshot_class_ref (Snapshot *s, const char *name);
/* A block of this snapshot: "Block", "#17 of 3". */
TraceRef snapshot_block_ref (const Snapshot *s, uint32_t block);
/* Whom a row is of: the class of a block, and with `alone` the block itself.  A root: nobody. */
void snapshot_set_owner (StatsTable *t, uint32_t row, Snapshot *s, const HeapGraph *h, uint32_t node, bool alone);

/* What is selected of the heap: of what was selected last a class, and, with it or later, a block. */
typedef struct SnapshotChoice {
  char *class; /* name; NULL: none */
  int64_t number;
  uint32_t block; /* of the snapshot of this number; TRACE_NONE: none */
} SnapshotChoice;
/* What something that is selected is called, if it is of such an entity; NULL: it is not.  Good as long as the
 * selection. */
const char *snapshot_named (TraceRef r, const char *entity);
/* True: it is another one now. */
bool snapshot_choose (SnapshotChoice *choice, const TraceRefs *selection);
void snapshot_choice_clear (SnapshotChoice *choice);

/* ---- components whose outputs are made of one snapshot -------------------------------------------------------------------- */
#define SNAPSHOT_OUTS 5
typedef struct SnapshotMaker {
  const EveOutSpec *outs; /* tables and matrices */
  uint32_t n_outs;        /* SNAPSHOT_OUTS at most */
  bool retained;          /* it asks what keeps what alive */
  /* Fills `things`, which are NULL, by output; `h` is the snapshot, NULL where `wants` said so.  What is left NULL is
   * not given. */
  void (*make) (EveComponent *c, HeapGraph *h);
  bool (*wants) (EveComponent *c); /* false: it needs no snapshot now; NULL: it always does */
} SnapshotMaker;
/* What instances begin with. */
typedef struct SnapshotBase {
  EveBase base;
  const SnapshotMaker *maker;
  Snapshot last;
  char *shown; /* of which snapshot these are; NULL: none are made */
  void *things[SNAPSHOT_OUTS];
} SnapshotBase;
/* First in `init`, last in `finish`, and first in `reset`. */
void snapshot_begin (EveComponent *c, const SnapshotMaker *maker);
void snapshot_finish (EveComponent *c);
void snapshot_reset (EveComponent *c);
/* What was made is made anew when it is asked for. */
void snapshot_forget (SnapshotBase *self);
/* It is made, if there is a snapshot; and given. */
void snapshot_ready (SnapshotBase *self);
bool snapshot_at_end (EveComponent *c);
bool snapshot_at_rest (EveComponent *c, int64_t now);
void snapshot_fire (EveComponent *c);
void snapshot_fire_span (EveComponent *c, uint32_t n);
bool snapshot_changed (EveComponent *c, uint32_t setting);
void snapshot_save_base (EveComponent *c, EveBlob *to);
bool snapshot_load_base (EveComponent *c, EveBlobView *from);
/* A table of one row, which says why there are none. */
StatsTable *snapshot_sentence (const StatsColumn *columns, uint32_t n, const char *title, const char *why);
/* Fields of their classes; `reset`, `fire`, `save` and `load` may be others. */
#define SNAPSHOT_CLASS(instance_)                                                                                      \
  EVE_CLASS_HEAD, .category = "Analysis", .version = 1, .ins = ins, .n_ins = EVE_N (ins), .outs = outs,                \
                  .n_outs = EVE_N (outs), .settings = settings, .n_settings = EVE_N (settings),                        \
                  .instance_size = sizeof (instance_), .changed = snapshot_changed, .at_end = snapshot_at_end,         \
                  .at_rest = snapshot_at_rest
