/* SPDX-License-Identifier: Apache-2.0 */
/* local.h - the file that each task writes while it runs, and the merge reads: a header, then records.
 *
 * Native numbers, 8-byte alignment.  A record is published by its size, stored last: a file cut anywhere (the
 * task was killed) reads well up to the first size of zero.  The record of a call is complete as soon as the
 * call begins, with duration -1 and what was asked; the end of the call writes the duration and the results.
 */
#ifndef TAPE_LOCAL_H
#define TAPE_LOCAL_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

#define TAPE_LOCAL_MAGIC "TAPEPVM"
#define TAPE_LOCAL_VERSION 1

/* Environment, handed from task to task with PVM_EXPORT. */
#define TAPE_ENV_DIR "TAPE_PVM_DIR"       /* folder of the local files */
#define TAPE_ENV_EVENTS "TAPE_PVM_EVENTS" /* list of kinds and categories */
#define TAPE_ENV_HOME "TAPE_PVM_TID"      /* task of tape-pvm, told of each enrolment */
#define TAPE_ENV_BIAS "TAPE_PVM_BIAS_NS"  /* for tests: spoils each estimate of a clock by so much */
#define TAPE_ENV_LIBRARY "TAPE_PVM_LIBRARY"

/* Messages to tape-pvm: tags far from what programs use. */
enum {
  TAPE_TAG_HELLO = 0x7a9e0001, /* int tid, pid */
  TAPE_TAG_EXIT,               /* pvm_notify */
  TAPE_TAG_HOST,               /* pvm_notify */
  TAPE_TAG_AGENT,              /* between tape-pvm and its agents */
};

typedef struct TapeHeader {
  char magic[8];
  uint32_t version, header_size;
  int32_t pid, tid, parent, exited; /* tid 0: never enrolled; exited: the Exit record is written */
  int64_t enroll_ns;                /* local clock */
  char domain[96];                  /* tasks with the same words here share one clock */
  char host[72], program[128];
} TapeHeader;

typedef struct TapeRecord {
  uint32_t size;    /* of the whole record, a multiple of 8; 0: not there */
  uint16_t kind;    /* number in kinds.def, or TAPE_MODULES */
  uint16_t n;       /* fields */
  int64_t begin;    /* local clock, ns */
  int64_t duration; /* ns, -1: has not ended */
  uint64_t site;    /* return address of the call, 0: none */
  int64_t field[];  /* in the order of kinds.def: a number, the bytes of a word, or the length of a list;
                       then the words, each padded to 8 bytes, then the list, as int32_t */
} TapeRecord;

#define TAPE_MODULES 0 /* one word: the executable mappings, one a line: "BEGIN END OFFSET PATH" in hexadecimal */
#define TAPE_PAD(n) (((n) + 7) & ~(size_t) 7)

/* clock.c */
#include "clock.h"

/* kinds.c */
enum {
#define KIND(number, name, category, fields) TAPE_##name = number,
#include "kinds.def"
#undef KIND
  TAPE_KIND_MAX = 256
};

typedef struct TapeKind {
  uint16_t number;
  const char *name, *category, *fields;
} TapeKind;

extern const TapeKind tape_kinds[];
extern const unsigned tape_n_kinds;

/* Kind of a number, NULL if there is none. */
const TapeKind *tape_kind (unsigned number);
/* Reads a list of kinds and categories ("point,global,Spawn", "all", "-pack") into a table; an empty or NULL
 * list is "all".  Enroll and Exit are always on.  On an unknown word returns false and copies it to bad. */
bool tape_events_parse (const char *list, bool mask[TAPE_KIND_MAX], char *bad, size_t bad_size);

#endif
