/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - what the files of the library that takes snapshots of OCaml heaps share (README.md).
 *
 * A snapshot is taken in a child process, in which locks of the program may be held for ever: walk.c, out.c and what
 * they call use neither malloc nor stdio nor the loader, but mmap and write alone. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "format.h"

#define HEAP_WORD sizeof (uintptr_t)

static inline int64_t
now_ns (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

typedef intptr_t Value; /* of OCaml: a block's address, or a number whose lowest bit is set */

static inline bool
is_immediate (Value v)
{
  return v & 1;
}

static inline uintptr_t
header_of (Value v)
{
  return ((const uintptr_t *) v)[-1];
}

static inline unsigned
tag_in (uintptr_t header)
{
  return header & 255;
}

static inline size_t
words_in (uintptr_t header)
{
  return header >> 10;
}

/* ---- the runtime of the program (runtime.c) ------------------------------------------------------------------------------ */
typedef void (*Scan) (Value v, Value *at);
typedef void (*Scan5) (void *data, Value v, Value *at);

/* What OCaml 5 has else (five.c); places are in the state of a domain, in words. */
typedef struct Five {
  void (*scan_c) (Scan5 f, void *data); /* and globals */
  void (*local_roots) (Scan5 f, int flags, void *data, void *local, void *stack, Value *registers);
  void (*final_roots) (Scan5 f, int flags, void *data, void *domain, int values);
  void (*memprof_roots) (Scan5 f, int flags, void *data, void *domain, bool weak);
  void (**scan_hook) (Scan5 f, int flags, void *data, void *domain);
  void (**slice_hook) (void); /* a part of a major collection begins, and nothing of the heap is in motion */
  void (*scan_stack) (Scan5 f, int flags, void *data, void *stack, Value *registers);
  uintptr_t (*heap_size) (void *heap), (*top_heap_words) (void *heap), (*heap_blocks) (void *heap);
  void (*add_orphans) (void *stats);
  void (*be_domain) (int domain);
  Value (*atom) (unsigned char tag);
  const uintptr_t *n_domains, *cycles, *minors, *compactions;
  uintptr_t *domain; /* the state of the one domain; NULL: not known yet */
} Five;

typedef struct Runtime {
  char version[16]; /* "4.13.1", or "" */
  char **heap_start;
  Value **globals; /* each a list of modules' blocks, 0 behind */
  struct DataSegment {
    char *begin, *end;
  } * data; /* { 0, 0 } behind */
  uintptr_t **state;
  bool atoms_there;             /* `atoms` is the table itself */
  void *atoms, *ephemeron_none; /* variables of it, or NULL: runtime_atoms(), runtime_ephemeron_none() */
  Value *ephemerons;
  void (*do_roots) (Scan f, int globals);
  void (*scan_c) (Scan f);
  void (*final_roots) (Scan f);
  void (*memprof_roots) (Scan f);
  void (**scan_hook) (Scan f);
  void (*empty_minor_heap) (void);
  void (*request_minor_gc) (void);
  int (*page_lookup) (void *at);
  void (**major_hook) (void), (**minor_end_hook) (void), (**enter_hook) (void), (**leave_hook) (void);
  void (*threads_initialize) (void); /* of systhreads; NULL: not linked */
  int (*thread_register) (void), (*thread_unregister) (void);
  void (*leave_blocking) (void), (*enter_blocking) (void);
  bool is_five;
  Five five;         /* where it is; then much of the above is NULL: heap_start, ephemerons, *_roots, major_hook ... */
  size_t chunk_head; /* bytes in front of a piece of the heap; 0: not known yet */
  int stats;         /* place in the state of the number of words of the heap; -1: not known yet, -2: will not be */
} Runtime;

typedef enum { RUNTIME_NONE, RUNTIME_REFUSED, RUNTIME_FOUND } RuntimeIs;
/* Finds the runtime in this process.  REFUSED: *why is a sentence, static. */
RuntimeIs runtime_find (Runtime *r, const char **why);
/* Whether it has a heap by now. */
bool runtime_has_begun (const Runtime *r);
/* To be called by threads that run OCaml now: OCaml 5 tells them alone of its state. */
void runtime_learn (Runtime *r);
/* Asks for a minor collection soon; any thread. */
void runtime_ask_minor (const Runtime *r);
/* In a child that another thread than that of the program has forked: it becomes that one. */
void runtime_be_main (const Runtime *r);
/* How many major collections there have been, of OCaml 5; else 0. */
uint64_t runtime_cycles (const Runtime *r);
/* Why no snapshot can be taken now: a sentence, static, or NULL. */
const char *runtime_hinders (const Runtime *r);
/* The words of the heap. */
size_t runtime_heap_words (const Runtime *r);
/* How pieces of the heap are linked, which is known once there are some.  False: as none that is known. */
bool runtime_layout (Runtime *r);
/* Where the headers of the 256 blocks of no fields are; NULL: it has none, or not yet. */
const char *runtime_atoms (const Runtime *r);
/* What stands in an ephemeron in the place of what is not there; 0: not known. */
Value runtime_ephemeron_none (const Runtime *r);

/* The same of OCaml 5 (five.c). */
RuntimeIs five_find (Runtime *r, const char **why);
bool five_layout (Runtime *r);
const char *five_hinders (const Runtime *r);
void five_learn (Runtime *r);
void five_ask_minor (const Runtime *r);
void *five_heap (const Runtime *r);
/* Whether a few words may be allocated now: if so, that must happen at once, and set the limit of the minor heap. */
bool five_may_allocate (const Runtime *r);

static inline char *
chunk_next (const Runtime *r, const char *chunk)
{
  return *(char *const *) (chunk - r->chunk_head + 3 * HEAP_WORD);
}

static inline size_t
chunk_bytes (const Runtime *r, const char *chunk)
{
  return *(const size_t *) (chunk - r->chunk_head + 2 * HEAP_WORD);
}

/* Names of the program itself, as the loader sees them, with what stands at each address. */
typedef struct Symbol {
  uintptr_t at;
  const char *name;
  uint32_t used; /* number in the file + 1; 0: not used */
} Symbol;
typedef struct Symbols {
  Symbol *all;
  size_t n;
} Symbols;
/* Once, before the program runs. */
void symbols_find (Symbols *s);
/* The one that begins there, or NULL.  `inside`: the last that begins not behind it. */
Symbol *symbols_at (const Symbols *s, uintptr_t at, bool inside);

/* ---- a file that is written front to back (out.c) --------------------------------------------------------------------------- */
#define OUT_BYTES (1u << 20)

typedef struct Out {
  int fd;
  bool failed;
  int why;                 /* errno of what failed */
  volatile uint64_t *beat; /* grows with each step, for who watches over it; NULL: nobody does */
  unsigned patience;       /* seconds until a step that does not come ends this process; 0: never */
  uint8_t *bytes;          /* [OUT_BYTES + slack]: of the section at hand */
  size_t n;
} Out;

/* All of it; 0, or an errno. */
int out_bytes (int fd, const void *bytes, size_t n);

/* `beat`, `patience`: as in Out.  False: there is no memory, or the disk refuses; `why` tells. */
bool out_begin (Out *o, int fd, volatile uint64_t *beat, unsigned patience);
void out_alive (Out *o); /* a step is done */
void out_section (Out *o, uint32_t kind, uint32_t flags, uint64_t first, uint32_t count);
void out_format (Out *o, const char *fmt, ...) __attribute__ ((format (printf, 2, 3))); /* %s %u %lu %x of it alone */
void *out_pages (size_t bytes); /* zeros, until out_pages_free(); NULL: there is no memory */
void out_pages_keep (void);     /* what was given so far is given back no more */
void out_pages_free (void);     /* all that out_pages() has given */

static inline void
out_byte (Out *o, uint8_t b)
{
  o->bytes[o->n++] = b;
}

static inline void
out_number (Out *o, uint64_t v)
{
  for (; v >= 128; v >>= 7)
    o->bytes[o->n++] = (uint8_t) (v | 128);
  o->bytes[o->n++] = (uint8_t) v;
}

/* ---- a snapshot (walk.c) ------------------------------------------------------------------------------------------------------- */
typedef struct Snapshot {
  const Runtime *runtime;
  Symbols *symbols;
  const char *trigger, *label; /* label: may be "" */
  const char *program;
  unsigned number, pid;
  uint64_t cycles; /* major ones that were seen */
  uint64_t skipped, failed;
  int64_t started;         /* ns since 1970 */
  int64_t at;              /* the same instant by CLOCK_MONOTONIC, ns */
  int64_t begun;           /* when the program began, by CLOCK_MONOTONIC, ns */
  int64_t cpu;             /* ns of processor time of the program */
  volatile uint64_t *beat; /* as in Out */
  unsigned patience;
  uint32_t string_bytes; /* kept of each string; 0: none, and no hash */
  const char *stack_low, *stack_high;
} Snapshot;
/* Writes it; the heap stands still meanwhile.  0, or the errno of what refused (ENOMEM: memory; else the disk): what
 * was written stays. */
int snapshot_write (const Snapshot *s, int fd);

/* What a program finds by its name, when this library is loaded before it.  Any thread that holds the runtime's lock.
 * 0: no snapshot was begun. */
__attribute__ ((visibility ("default"))) int scope_heap_dump (const char *label);
