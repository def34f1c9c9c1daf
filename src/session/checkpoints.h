/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoints.h - files of checkpoints: run states of a program, to travel to (thesis, 3.2 and 3.3.2), whole, or what
 * changed since others (chunks.h).
 *
 * A file only grows.  Each checkpoint in it is a header and compressed bytes, both with checksums; the index is made by
 * scanning, so that whatever happened to the file, what is whole in it is found and what is not is never used.
 * docs/film-format.md tells every byte.  Engine thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "readers/reader.h"
#include "session/parts.h"

#define FILM_ERROR (g_quark_from_static_string ("scope-film-error"))
enum { FILM_ERROR_IO, FILM_ERROR_DAMAGED, FILM_ERROR_FOREIGN, FILM_ERROR_BUSY, FILM_ERROR_TARGET };

typedef enum {
  CHECKPOINT_AUTOMATIC,
  CHECKPOINT_BY_HAND,
  CHECKPOINT_MARK,
  CHECKPOINT_TRAVEL,
  CHECKPOINT_KINDS
} CheckpointKind;

#define CHECKPOINT_NAME_BYTES 40 /* with the NUL, as in TraceCommand */

typedef struct Checkpoint {
  uint64_t event;   /* events given when it was made: the most, of several readers */
  int64_t date;     /* of the last of them, ticks; INT64_MIN: none */
  bool ended;       /* the readers have met the end of the trace */
  bool travel_only; /* it does not say where histories stand: no film goes on from it */
  bool is_list;     /* it needs others before it in the file; set by the file */
  CheckpointKind kind;
  int64_t when_us;   /* since 1970 */
  int64_t cost_ns;   /* of making it */
  int64_t replay_ns; /* of the events since the one before it, when they were played */
  uint64_t raw_bytes, stored_bytes;
  uint64_t run_bytes; /* of raw_bytes: the run state; what is behind it says where histories stand.  0: all are */
  uint64_t overview_bytes, commands_bytes; /* how long these files of a film were */
  char name[CHECKPOINT_NAME_BYTES];        /* given by the person or a mark; "" */
  const uint64_t *keys;                    /* to append: parts_held(); of one that was read NULL */
  uint32_t n_keys;
  /* set by the file */
  uint64_t offset, check; /* where it is in the file; checksum of its header */
  uint64_t uses;          /* travels that began here, in this process */
  bool of_another;        /* saved by another program, to be loaded by parts */
} Checkpoint;

typedef struct Checkpoints Checkpoints;

/* Opens a file of checkpoints of one plan and one trace; made if need be when `write`.  NULL and an error if it cannot
 * be opened.  What is passed over in it is told in `problems` (of char *; may be NULL). */
Checkpoints *checkpoints_open (const char *path, uint64_t plan, uint64_t trace, bool write, GPtrArray *problems,
                               GError **error);
/* The same for reading, with those of other programs that hold all the parts that this one needs, which the caller
 * keeps meanwhile; NULL: none. */
Checkpoints *checkpoints_open_parts (const char *path, uint64_t plan, uint64_t trace, const Parts *parts,
                                     GPtrArray *problems, GError **error);
void checkpoints_free (Checkpoints *c);
/* Whether a file begins with a whole checkpoint that a film has made, and nobody has saved by hand. */
bool checkpoints_of_film (const char *path);
/* Looks for what another process has added; true if there is something new. */
bool checkpoints_refresh (Checkpoints *c, GPtrArray *problems);

/* The byte before which everything is sound, with `data` what is compressed too; UINT64_MAX: all of the file is.  What
 * is not is told in `problems`.  *stopped: the progress said stop. */
uint64_t checkpoints_sound (Checkpoints *c, bool data, const TraceProgress *progress, GPtrArray *problems,
                            bool *stopped);

/* In order of events; the pointers are good until the next refresh, append or drop. */
guint checkpoints_n (const Checkpoints *c);
Checkpoint *checkpoints_nth (const Checkpoints *c, guint i);
guint checkpoints_n_others (const Checkpoints *c); /* passed over, as they are of another trace or program */
uint64_t checkpoints_bytes (const Checkpoints *c); /* of the file */

/* Adds one.  False with an error when it could not be written whole; the file is then as it was. */
bool checkpoints_append (Checkpoints *c, Checkpoint *what, const void *run_state, size_t n_bytes, GError **error);
/* The run state of one.  NULL and an error if it is damaged: it is then dropped from the index. */
GBytes *checkpoints_read (Checkpoints *c, guint i, GError **error);
/* The keys of the parts in one, sorted; g_free.  NULL: it has none, or they are damaged. */
uint64_t *checkpoints_keys (const Checkpoints *c, guint i, guint *n);
/* Takes it out of the index: it is whole, but does not serve. */
void checkpoints_forget (Checkpoints *c, guint i);
/* Cuts everything behind the i-th one off (all, for -1), for a film that goes on from there. */
bool checkpoints_cut (Checkpoints *c, int i, GError **error);
