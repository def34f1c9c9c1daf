/* SPDX-License-Identifier: Apache-2.0 */
/* writing.h - for formats that can be written (`write` of TraceFormat): goes through the events of any source and tells
 * what happens in a few words that every format has, as the simulator of calls understands them.  One thread. */
#pragma once
#include "readers/reader.h"

typedef struct TraceWriting {
  TraceSource *source;
  GPtrArray *states; /* of char *: names of the states that tasks are inside of, as they come, */
  GArray *types;     /* and uint32_t: the type of each in the source, or TRACE_NONE: it has declared none */
  GArray *does;      /* and uint8_t: what tasks do in each, as the source tells, a TraceDoes */
  uint64_t n_left;   /* operations of groups that were left out: the writer counts what it has no word for */
  void *to;          /* the writer's own */
} TraceWriting;

/* "works", "waits", "rests", by TraceDoes; NULL: nobody knows. */
TRACE_API const char *trace_does_word (TraceDoes does);
/* What a word of these says. */
TRACE_API TraceDoes trace_does_called (const char *word, size_t n);

/* What a format does with it; dates are nanoseconds, tasks and types indices into the source's tables.  All but `enter`
 * and `leave` may be NULL. */
typedef struct TraceWriter {
  /* A task is there; who it is inside of was told before. */
  void (*task) (TraceWriting *w, int64_t date, uint32_t task);
  void (*death) (TraceWriting *w, int64_t date, uint32_t task);
  void (*enter) (TraceWriting *w, int64_t date, uint32_t task, uint32_t state);
  void (*leave) (TraceWriting *w, int64_t date, uint32_t task, uint32_t state);
  /* It is in this state alone; TRACE_NONE: in none.  NULL: told by `leave` and `enter`. */
  void (*set) (TraceWriting *w, int64_t date, uint32_t task, uint32_t state);
  void (*variable) (TraceWriting *w, int64_t date, uint32_t task, uint32_t type, double value);
  /* Both ends of a message have one number, which no other message has. */
  void (*send) (TraceWriting *w, const TraceEvent *e, uint32_t to, uint64_t number);
  void (*receive) (TraceWriting *w, const TraceEvent *e, uint64_t number);
  void (*mark) (TraceWriting *w, const TraceEvent *e, const char *text);
  /* Now and then: false and an error when what was told cannot be kept. */
  bool (*flush) (TraceWriting *w, GError **error);
  /* The group `object` has these members, in their order, behind those that were told before. */
  void (*group) (TraceWriting *w, const TraceEvent *e, const uint32_t *members, uint32_t n);
  /* A task begins, then ends, what its group does together; both events tell all of it.  NULL: it is left out. */
  void (*collective) (TraceWriting *w, const TraceEvent *e, bool ends);
  /* A send, or a receive, that its task goes on beside begins, then ends; both events have one record.  It is told in
   * the place of `send` and `receive`; one that ends without a message, too.  NULL: it is told as these, and counted.
   */
  void (*aside) (TraceWriting *w, const TraceEvent *e, bool sends, bool ends);
  /* A message of a task that is in no call of communication is read again as what leads to something else and nobody
   * waits for, as a launch.  Else such a one is told in a state of its own. */
  bool knows_flows;
} TraceWriter;

/* From where the source is to its end.  What was left out is told among the source's damages, as a remark.  False and
 * an error: it cannot be read or written, or was cancelled. `last` (if not NULL): the date of the last event. */
TRACE_API bool trace_write (TraceSource *from, const TraceWriter *writer, void *to, const TraceProgress *progress,
                            int64_t *last, GError **error);

/* ---- a file of text that is written from its beginning to its end -------------------------------------------------------- */
typedef struct TraceText {
  GString *text; /* append to it */
  char *path, *making;
  int fd;
} TraceText;
/* Whether something may be written there: false and a sentence if it is there already, or has no folder. */
TRACE_API bool trace_write_may (const char *path, GError **error);
/* False and a sentence: it cannot be made, or is there already. */
TRACE_API bool trace_text_open (TraceText *t, const char *path, GError **error);
/* Writes what has gathered, if it is much; all of it if `all`. */
TRACE_API bool trace_text_flush (TraceText *t, bool all, GError **error);
/* The file is `path` then; with ok false it is taken away.  Gives whether it is there. */
TRACE_API bool trace_text_close (TraceText *t, bool ok, GError **error);
/* Decimal seconds with nine digits, or microseconds with three. */
TRACE_API void trace_text_seconds (GString *to, int64_t ns);
TRACE_API void trace_text_microseconds (GString *to, int64_t ns);
