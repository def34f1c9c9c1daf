/* SPDX-License-Identifier: Apache-2.0 */
/* ocamlviz.h - the protocol of Ocamlviz: README.md.  One thread at a time. */
#pragma once
#include "readers/values.h"

#define OVZ_MOST_MESSAGE (INT64_C (64) << 20) /* bytes; what says that it is longer is no message */

/* Kinds of tags, types of values, as they are sent. */
enum {
  OVZ_POINT,
  OVZ_TIME,
  OVZ_VALUE_INT,
  OVZ_VALUE_FLOAT,
  OVZ_VALUE_BOOL,
  OVZ_VALUE_STRING,
  OVZ_TAG_COUNT,
  OVZ_TAG_SIZE,
  OVZ_SPECIAL,
  OVZ_TREE,
  OVZ_HASH,
  OVZ_LOG,
  OVZ_N_KINDS
};
enum {
  OVZ_IS_INT31,
  OVZ_IS_INT,
  OVZ_IS_FLOAT,
  OVZ_IS_STRING,
  OVZ_IS_BOOL,
  OVZ_IS_INT64,
  OVZ_IS_COLLECTED,
  OVZ_IS_KILLED,
  OVZ_IS_TREE,
  OVZ_IS_HASH,
  OVZ_IS_LOG,
  OVZ_N_TYPES
};

/* A value as it was sent. */
typedef struct OvzValue {
  uint8_t type;
  int64_t i[4]; /* INT31, INT, INT64, BOOL; HASH: array, elements, empty, longest */
  double real;
  const uint8_t *bytes; /* STRING; TREE, LOG: what is behind the type */
  size_t n;
} OvzValue;

typedef struct Ovz Ovz;
/* Takes in a stream.  With `cpu_dates` a batch is dated by the processor time that it tells, and what comes before that
 * waits for it; else by values_date(). */
Ovz *ovz_new (ValuesRecorder *to, uint32_t program, bool cpu_dates);
void ovz_free (Ovz *o);
/* Any piece of it.  False and a sentence: what comes is no such stream, or no more; all before it is taken in. */
bool ovz_feed (Ovz *o, const uint8_t *bytes, size_t n, GError **error);
/* How far a stream that is over before its next message was whole, in words; g_free.  NULL: it ended behind one. */
char *ovz_cut (const Ovz *o);
/* The stream is over, perhaps in the middle of a message; ovz_feed() then begins a new one of the same program.  False
 * and a sentence: nothing in it was a message of Ocamlviz. */
bool ovz_end (Ovz *o, GError **error);
/* It has said that it listens to orders. */
bool ovz_listens (const Ovz *o);
/* The next tag from `from` on that is part of the same thing as `tag`, or `tag` itself if it is of none; -1: there is
 * none more. */
int ovz_tag_beside (const Ovz *o, uint32_t tag, uint32_t from);
/* The program was told not to send a tag, or to send it again: noted of the thing. */
void ovz_stopped (Ovz *o, uint32_t tag, bool stopped);
/* The tag of what has this name; -1: there is none, -2: several. */
int ovz_tag_named (const Ovz *o, const char *name);
/* What the text client of Ocamlviz prints each second; only after ovz_keep_values(). */
void ovz_keep_values (Ovz *o);
void ovz_print (const Ovz *o, GString *to);
/* For ovz_print(): all that was declared, in the order of tags; the lines of the log (char *, the newest first); the
 * most bytes of the heap. */
typedef struct OvzItem {
  uint16_t tag;
  uint8_t kind;
  const char *name; /* [n_name] */
  uint32_t n_name;
  bool killed, collected;
  double date;           /* processor time of the batch in which it became what it is */
  const OvzValue *value; /* NULL: none yet */
} OvzItem;
typedef void (*OvzEach) (void *arg, const OvzItem *item);
void ovz_each (const Ovz *o, OvzEach each, void *arg);
const GQueue *ovz_lines (const Ovz *o);
int64_t ovz_heap_most (const Ovz *o);
#define OVZ_LOG_SIZE 200
