/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - what the files that walk a heap share: walk.c that of OCaml 4, and all that is the same; walk-five.c. */
#pragma once
#include "inside.h"

#define MOST_CUSTOM 256

typedef struct Chunk {
  const uintptr_t *begin, *end;
  uint64_t *starts; /* a bit a word */
  uint32_t *rank;   /* blocks before each 64 words */
  uint64_t free_words, free_blocks;
  uint64_t words; /* less than from begin to end where others' memory lies between */
} Chunk;

typedef struct Static {
  const char *begin, *end;
  uint32_t *number; /* by word: place in `reached` + 1 */
} Static;

typedef struct Far { /* static data of plug-ins: a hash table of addresses */
  uintptr_t at;
  uint32_t number;
} Far;

typedef struct Walk {
  const Snapshot *s;
  Out out;
  Chunk *chunks;
  Static *statics;
  uint32_t n_chunks, n_statics, last_chunk;
  uint32_t n_heap; /* blocks in the heap */
  Value *reached;  /* static blocks, in the order of their numbers */
  uint32_t n_reached, room;
  Far *far;
  uint32_t n_far, far_room;
  struct Mapped { /* of OCaml 5: memory of files, in which data of plug-ins may be */
    uintptr_t begin, end;
  } * mapped;
  Value *suspended; /* of OCaml 5: continuations, whose stacks hold values */
  uint32_t n_mapped, n_suspended, suspended_room;
  uint32_t n_roots; /* in the section at hand */
  uint64_t words, free_words, free_blocks, outside, atoms, dangling;
  const char *atom_table; /* or NULL */
  /* pairs (tag, size) of the piece at hand: a table by hash */
  struct Pair {
    uint64_t key;
    uint32_t code, piece;
  } * pairs;
  uint32_t n_pairs, piece;
  uint64_t first; /* block with which the piece began */
  uint32_t count, flags;
  struct Custom {
    const char *const *operations;
  } custom[MOST_CUSTOM];
  uint32_t n_custom, n_symbols;
  Symbol **used; /* [n_symbols] */
} Walk;

/* The number of the block that a value points to; UINT32_MAX: to none, and *nothing says to what else. */
uint32_t walk_number (Walk *w, Value v, unsigned *nothing);
/* Of static data that is outside of the program's own; UINT32_MAX: there is no memory. */
uint32_t walk_number_far (Walk *w, Value v);
void walk_root (Walk *w, unsigned category, uint32_t symbol, Value v);
typedef struct Ephemerons {
  uint32_t count, flags, all; /* of the section at hand; of all lists */
} Ephemerons;
/* A block that keeps a value as long as its keys live, into the section WEAK at hand. */
void walk_weak (Walk *w, Ephemerons *e, Value block, const Value *value_and_keys, size_t n);
/* Those of a list, linked through their first field. */
void walk_ephemerons (Walk *w, Ephemerons *e, Value list);
/* Whether an address is in static data of the program itself. */
bool walk_is_static (const Walk *w, uintptr_t at);

/* OCaml 5: the same as in walk.c of OCaml 4. */
bool five_blocks (Walk *w);
void five_roots (Walk *w);
void five_weak (Walk *w, Ephemerons *all);
void five_suspended (Walk *w, Value v); /* takes note of a continuation */
void five_info (Walk *w);
/* Data of a plug-in that the program has loaded. */
bool five_is_data (const Walk *w, uintptr_t at);
