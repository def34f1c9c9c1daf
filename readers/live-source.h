/* SPDX-License-Identifier: Apache-2.0 */
/* live-source.h - where data of a running program come from: a table of functions, one a protocol (`scope live`).
 *
 * A source connects, reads what has come without ever waiting, and puts it into a ValuesRecorder (values.h); all else
 * is done by who drives it (readers/live-feed.h): waiting, dates, recording, telling of silence, reconnecting.  A
 * source is a line in readers/live-feed.c.  One thread, which is the same for all sources. */
#pragma once
#include <poll.h>

#include "readers/values.h"

#define LIVE_MOST_FDS 8

typedef enum {
  LIVE_GOES_ON,
  LIVE_ENDED,  /* closed by the other side, or broken off: a normal end; *error may tell how */
  LIVE_FAILED, /* *error is set */
} LiveState;

typedef struct LiveOptions {
  bool cpu_dates; /* as far as the protocol tells processor time, that is what dates are */
  bool keep;      /* `text` will be asked for */
  bool hold;      /* somebody looks on, and lets break points go on: the program is told so */
} LiveOptions;

typedef struct LiveSource {
  const char *name;   /* "ocamlviz" */
  const char *places; /* what it takes, for --help: "HOST:PORT, unix:PATH" */
  /* Where it is in a shared object of its own: loads that, and gives what does the work, of which all below but
   * claims() is asked; NULL and a sentence: it is not there.  Itself NULL: it is here. */
  const struct LiveSource *(*load) (const char *where, GError **error);
  /* How sure it is that `where`, as a person writes it, is for it: 0 to 100.  It may look whether there is such a file,
   * and opens nothing. */
  int (*claims) (const char *where);
  /* Begins to connect, to listen or to ask, for the program `program` of `to` (values_program() was called, and tells
   * what it is called: `where`).  It may wait up to two seconds.  NULL and a sentence: "couldn't connect to ...". */
  void *(*open) (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program, GError **error);
  /* The same anew, after it has ended, or instead of a connection that says nothing more, for the same program, whose
   * things are known. */
  bool (*again) (void *self, GError **error);
  void (*close) (void *self);
  /* What is waited for: descriptors with `events` in fds[LIVE_MOST_FDS]; gives how many.  *timeout_ms, which is -1, may
   * become the most that receive() is to be put off. */
  int (*wait) (void *self, struct pollfd *fds, int *timeout_ms);
  /* One of them is ready, or the time is over: takes in what is there, at most about 1 MiB, and returns.  *some:
   * something came.  Values are dated by values_date(), which was called before with the time of now; with `cpu_dates`
   * it is not. */
  LiveState (*receive) (void *self, bool *some, GError **error);
  /* Tells the program something (docs/scopeviz-protocol.md), or is NULL.  False and a sentence: it does not listen to
   * that. */
  bool (*tell) (void *self, const char *order, GError **error);
  /* Dates are its own, for it reads what was recorded before: it calls values_date() itself.  NULL: never. */
  bool (*own_dates) (void *self);
  /* The state in words, as the own text client of the protocol prints it where there is one, appended; or NULL. */
  void (*text) (void *self, GString *to);
} LiveSource;
