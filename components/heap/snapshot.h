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
  GHashTable *tasks;                       /* name of a class -> its task + 1; made when somebody asks */
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
/* Each table to the output of its number, if there is one and somebody listens; the component keeps its own. */
void snapshot_give (EveBase *base, StatsTable *const tables[], size_t n);
/* Calls of `progress` for what a component does itself. */
typedef struct SnapshotWatch {
  EveComponent *c;
  int64_t told;
  TraceProgress progress;
} SnapshotWatch;
void snapshot_watch (SnapshotWatch *w, EveComponent *c);

/* The class of a block, or, of a class that the trace does not count as a task of its own, its name. */
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
/* True: it is another one now. */
bool snapshot_choose (SnapshotChoice *choice, const TraceRefs *selection);
void snapshot_choice_clear (SnapshotChoice *choice);
