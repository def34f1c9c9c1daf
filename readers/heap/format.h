/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - the numbers of a heap snapshot (docs/heap-format.md), shared by who writes and who reads it. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAP_MAGIC "SCPHEAP1" /* 8 bytes, the version is the last one */
#define HEAP_MAGIC_BYTES 8

/* Kinds of sections. */
enum {
  HEAP_INFO = 1, /* text: KEY VALUE, a line each */
  HEAP_BLOCKS,   /* blocks in the order of their numbers */
  HEAP_ROOTS,
  HEAP_SYMBOLS, /* names of code, of modules, of custom blocks */
  HEAP_STRINGS, /* beginnings of strings */
  HEAP_WEAK,    /* ephemerons */
  HEAP_CHUNKS,  /* text: pieces of the heap, and what is free in them */
  HEAP_END,     /* text as INFO: what is known at the end.  Without it the snapshot was cut */
  HEAP_FRAMES,  /* calls that blocks were allocated in */
  HEAP_STACKS,  /* of such calls */
  HEAP_SITES,   /* blocks of which it is known where they were allocated */
  HEAP_KINDS
};
/* Flag of BLOCKS and WEAK: its bytes go on where those of the section before end, inside of a block or an ephemeron. */
#define HEAP_CONTINUED 1u
#define HEAP_CUSTOM_NAMES 0x40000000u /* numbers of names of custom blocks begin here */

/* Each section: its head, then `bytes` bytes.  Least significant byte first. */
typedef struct HeapSection {
  uint32_t kind, flags;
  uint64_t bytes;
  uint64_t first; /* of BLOCKS: number of the first block that begins in it; else 0 */
  uint32_t count; /* of what is in it */
  uint32_t reserved;
  uint64_t check; /* heap_check() of the bytes */
} HeapSection;
_Static_assert(sizeof (HeapSection) == 40, "a section's head has 40 bytes");

/* Fields of a block, each token a number of 7 bits a byte: the low two bits tell what it is. */
enum {
  HEAP_IMMEDIATES, /* the rest: how many; 0: all that are left */
  HEAP_BLOCK,      /* the rest: number of the block less that of this one, zigzag */
  HEAP_NOTHING,    /* the rest: HEAP_OUTSIDE ... */
};
enum { HEAP_OUTSIDE, HEAP_ATOM, HEAP_DANGLING, N_HEAP_NOTHINGS };

/* Roots: what they are of. */
enum {
  HEAP_ROOT_GLOBAL, /* value of a module; symbol: the module */
  HEAP_ROOT_DYNAMIC,
  HEAP_ROOT_STACK,
  HEAP_ROOT_C,
  HEAP_ROOT_FINALISED,
  HEAP_ROOT_MEMPROF,
  HEAP_ROOT_HOOK, /* other threads */
  N_HEAP_ROOTS
};

/* Tags of OCaml that have a meaning. */
enum {
  HEAP_TAG_CONTINUATION = 245, /* since OCaml 5: a suspended stack; before it a tag as any */
  HEAP_TAG_LAZY = 246,
  HEAP_TAG_CLOSURE = 247,
  HEAP_TAG_OBJECT = 248,
  HEAP_TAG_INFIX = 249,
  HEAP_TAG_FORWARD = 250,
  HEAP_TAG_ABSTRACT = 251, /* from here on: no fields */
  HEAP_TAG_STRING = 252,
  HEAP_TAG_DOUBLE = 253,
  HEAP_TAG_DOUBLE_ARRAY = 254,
  HEAP_TAG_CUSTOM = 255,
};

#define HEAP_DICTIONARY 8192 /* pairs (tag, size) that a piece of blocks numbers, from 1 */

/* Fletcher's sum of 32 bit words; what is left of the last one is filled with zeros. */
static inline uint64_t
heap_check (const uint8_t *bytes, size_t n)
{
  uint32_t a = 1, b = 0, word;

  for (; n >= 4; bytes += 4, n -= 4) {
    memcpy (&word, bytes, 4);
    a += word;
    b += a;
  }
  if (n > 0) {
    word = 0;
    memcpy (&word, bytes, n);
    a += word;
    b += a;
  }
  return (uint64_t) b << 32 | a;
}
