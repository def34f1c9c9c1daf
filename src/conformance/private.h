/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of the conformance suite share. */
#pragma once
#include "src/conformance/conformance.h"
#include "src/conformance/harness.h"

#define DATA 700 /* data an input, more than two spans of the engine */

typedef struct Conformance {
  char *trace;
  const EveType *type; /* that there are data of; NULL: samples of all */
  const char *data;
  size_t n_data;
  uint32_t seed;
  uint64_t (*allocations) (void);
  void (*begins) (const char *check);
} Conformance;
extern Conformance conformance;

typedef struct Check {
  const EveClass *klass;
  FILE *report;
  GPtrArray *problems;
  const char *name;   /* of the check at work */
  char *folder;       /* for files that are written */
  const EveType *any; /* what ports of any type get */
  bool mixed;         /* results depend on when async data come */
  bool has_path;
  int sentinel; /* a descriptor that nobody may close; -1: none */
} Check;

typedef struct Rig {
  uint32_t feed; /* bits of the inputs that get data */
  uint32_t data; /* each */
  bool uneven;   /* not the same number for each */
  bool phased;   /* async inputs first, one after the other: independent of their timing */
  int64_t most;  /* data that sinks take at first; -1: all */
  bool collect, end;
  bool present; /* sinks take what is told at rest */
} Rig;

/* conformance.c */
void check_begin (Check *k, const char *name);
void check_remove (const char *folder); /* with all that is in it */
void check_problem (Check *k, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* A refusal is read by a person: a capital letter or the name of the thing first, more than three words,
 * nothing that escaped from a program. */
bool check_sentence (const char *s, const char *may_begin);
/* Texts to try on a setting, good or bad; the first good one is the default. */
GPtrArray *check_values (const EveField *f, bool good);

/* runs.c */
extern const Rig check_all; /* every input and output, and an end */
/* A harness ready to run; NULL after a problem. */
Harness *check_rig (Check *k, const EveClass *klass, const Rig *rig);
/* Whether a run came to rest; says so when it did not. */
bool check_at_rest (Check *k, Harness *h, EveRun run, bool may_fail);
void check_runs (Check *k);
/* Loads a run state that it has saved itself; says so when it is refused. */
bool check_load (Check *k, Harness *h, const uint8_t *bytes, size_t n);
/* Says so when two have come to different results, or run states. */
void check_same (Check *k, Harness *a, Harness *b, const char *how, bool whole);

/* rests.c */
void check_rests (Check *k, Harness *full);

/* views.c: of a component to which data have come; nothing if it is no view. */
void check_view (Check *k, Harness *h);

/* layouts.c: of a class that provides a layout of scenes; else nothing. */
void check_layout (Check *k);
/* The same for a moment, so that one that crashes does so before anybody sees it in a picture. */
void try_layout (const EveClass *klass);

/* warnings.c */
void check_warnings (Check *k);

/* hostile.c */
void check_hostile_state (Check *k);

/* descriptors.c */
void check_descriptors (Check *k); /* since it was called last */
uint32_t check_open_descriptors (void);
