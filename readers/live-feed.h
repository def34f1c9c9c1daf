/* SPDX-License-Identifier: Apache-2.0 */
/* live-feed.h - drives sources of running programs (live-source.h): several at once, into one recording.  One thread.
 */
#pragma once
#include "readers/live-source.h"

typedef struct LiveFeed LiveFeed;
typedef struct LiveFeedOptions {
  LiveOptions source;
  bool again; /* connect again, every second, when one has ended */
  bool wait;  /* try, every second, where nobody listens yet, instead of refusing the place */
  /* What a person is told: "no data for 3 s". */
  void (*say) (void *arg, const char *where, const char *sentence);
  void *arg;
} LiveFeedOptions;

TRACE_API LiveFeed *live_feed_new (ValuesRecorder *to, const LiveFeedOptions *options);
TRACE_API void live_feed_free (LiveFeed *f);
/* One place more, as a person writes it: HOST:PORT, unix:PATH, a file ...  False and a sentence: no source takes it, or
 * nobody is there and `wait` was not asked for. */
TRACE_API bool live_feed_add (LiveFeed *f, const char *where, GError **error);
/* Waits at most timeout_ms for something to come, takes in what is there, writes it.  False: all have ended; or, with
 * *error, the recording cannot be written. */
TRACE_API bool live_feed_go (LiveFeed *f, int timeout_ms, GError **error);
/* Whether any place was ever connected; and whether one was left because what came there made no sense, or could not be
 * received, which was told. */
TRACE_API bool live_feed_begun (const LiveFeed *f);
TRACE_API bool live_feed_failed (const LiveFeed *f);
/* Tells a program something; `program`: its place, NULL: the only one. */
TRACE_API bool live_feed_tell (LiveFeed *f, const char *program, const char *order, GError **error);
/* What the own text client of each protocol prints, appended. */
TRACE_API void live_feed_text (LiveFeed *f, GString *to);
/* The places that there are, a line each, appended, for --help. */
TRACE_API void live_feed_places (GString *to);
