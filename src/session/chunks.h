/* SPDX-License-Identifier: Apache-2.0 */
/* chunks.h - a run state as what it has that checkpoints before it in the same file have not.
 *
 * A state is cut where its bytes say so, into chunks of some two kilobytes: so chunks that stayed are found again
 * wherever they stand now.  What a checkpoint holds is then a list of pieces and the bytes of those that are new.  Each
 * piece lies in the checkpoint that it came with, never in one that refers to another: a state is put together from
 * at most CHUNKS_SOURCES others.  docs/film-format.md tells every byte.  One thread at a time. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNKS_SOURCES 8                 /* the next one is whole again */
#define CHUNKS_LEAST (16 * 1024)         /* bytes: smaller states are always whole */
#define CHUNKS_MOST (UINT64_C (1) << 31) /* bytes of a state, and of what a frame unpacks to */

/* ---- writing -------------------------------------------------------------------------------------------------------- */
typedef struct Chunks Chunks; /* what the checkpoints since the last whole one hold; keeps a copy of the last state */
Chunks *chunks_new (void);
void chunks_free (Chunks *c);
/* The next one is whole: what there was is gone. */
void chunks_forget (Chunks *c);
/* What is to be written instead of a state, of *n_bytes; g_free.  NULL: that would not be much less, it is written
 * whole. */
uint8_t *chunks_changed (Chunks *c, const void *state, size_t n, size_t *n_bytes);
/* The state that chunks_changed() was last asked of has been written, as it said, by the checkpoint at that place in
 * the file with that checksum. */
void chunks_written (Chunks *c, const void *state, size_t n, uint64_t offset, uint64_t check);

/* ---- reading: of strangers ------------------------------------------------------------------------------------------ */
typedef struct ChunksSource {
  uint64_t offset, check; /* of a checkpoint, as in the file */
} ChunksSource;

/* Whether that is such a list with what it refers to of its own; *n sources of it, to `sources`. */
bool chunks_sources (const uint8_t *bytes, size_t n_bytes, ChunksSource sources[CHUNKS_SOURCES], uint32_t *n);
/* Copies the pieces that lie in one source into the state: 0 is the list's own bytes, k the k-th source, in whose
 * frame, unpacked, `from` lies; `is_list`: that is a list as well.  False: they do not lie there. */
bool chunks_copy (const uint8_t *bytes, size_t n_bytes, uint32_t source, const uint8_t *from, size_t n_from,
                  bool is_list, uint8_t *state, size_t n_state);
/* When all are copied: whether the pieces fill the state, and it is the one that was written. */
bool chunks_whole (const uint8_t *bytes, size_t n_bytes, const uint8_t *state, size_t n_state);
