/* SPDX-License-Identifier: Apache-2.0 */
/* memtrace.h - what the files of the reader of memtrace share: README.md. */
#pragma once
#include "readers/converted.h"

/* ---- bytes of a packet; what reads beyond its end gets zeros and sets `over` -------------------------------------------- */
typedef struct Bytes {
  const uint8_t *at, *end;
  bool over;
} Bytes;

uint64_t memtrace_fixed (Bytes *b, unsigned n); /* a whole number of n bytes, least byte first */
uint64_t memtrace_whole (Bytes *b);             /* of 1, 3, 5 or 9 bytes */
const char *memtrace_string (Bytes *b);         /* "" where it does not end */

/* ---- places in the program, and stacks of them (stacks.c) ------------------------------------------------------------------ */
typedef struct Stacks Stacks;

Stacks *memtrace_stacks_new (TraceSource *s);
void memtrace_stacks_free (Stacks *k);
/* An event that says what a code of a stack is.  False: it makes no sense. */
bool memtrace_location (Stacks *k, Bytes *b);
/* The stacks that follow are of this domain; each has its own cache.  False: there are too many. */
bool memtrace_domain (Stacks *k, unsigned domain);
/* Whether the cache holds what its writer had; ix 0xffff: that was not said. */
bool memtrace_verify (const Stacks *k, unsigned ix, unsigned predicted, uint64_t value);
/* The stack of an allocation: n codewords behind `common` places of the stack before.  False: it makes no sense.  The
 * objects of its places, the 512 innermost, from the outermost of these, are good until the next one. */
bool memtrace_stack (Stacks *k, Bytes *b, uint64_t common, unsigned n, const uint32_t **objects, uint32_t *n_objects);
