/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - the model side of a view that keeps histories: when their files begin, where they go on after a
 * restore, and what the run state says of them.  Such a view begins with a Recording; the functions below are those of
 * its View and EveClass. Engine thread only. */
#pragma once
#include "views/history.h"

#define RECORDING_MOST 2

/* A view's histories, all of them together. */
typedef struct RecordingHistories {
  uint32_t n; /* RECORDING_MOST at most */
  /* Opens them in a folder: at their places, or, places NULL, anew.  False and a sentence, with none of them open. */
  bool (*open) (EveComponent *self, const char *folder, const HistoryPlace *places, GError **error);
  void (*close) (EveComponent *self);
  bool (*flush) (EveComponent *self, int64_t reach, GError **error);
  void (*places) (EveComponent *self, HistoryPlace *to); /* n of them; they were flushed */
} RecordingHistories;

typedef struct Recording {
  EveBase base;
  const RecordingHistories *histories; /* set in init */
  char *folder;                        /* recorded there, or NULL */
  bool on;                             /* the histories are open */
  bool flushed;                        /* they are, and nothing was pushed since their last flush */
  bool anew;   /* a reset came: files begin again with the next datum, unless a place comes first */
  bool placed; /* by a restored run state, until recording begins: */
  HistoryPlace place[RECORDING_MOST];
} Recording;

/* Anew, or from the place of the run state that was restored; false after eve_fail(). */
TRACE_API bool recording_begin (Recording *r);
/* Whether data are to be pushed. */
static inline bool
recording_on (Recording *r)
{
  r->flushed = false;
  return r->on || (G_UNLIKELY (r->anew) && recording_begin (r));
}

TRACE_API bool recording_record (EveComponent *c, const char *folder);
TRACE_API bool recording_flush (EveComponent *c);
TRACE_API bool recording_at_end (EveComponent *c); /* nothing will come: known for ever */
TRACE_API void recording_reset (EveComponent *c);
/* Says where the histories stand if they were flushed.  If not, recording cannot go on from that run state. */
TRACE_API void recording_save (EveComponent *c, EveBlob *to);
TRACE_API bool recording_load (EveComponent *c, EveBlobView *from);
/* The two halves of it, for a view that saves more behind the places. */
TRACE_API bool recording_load_places (Recording *r, EveBlobView *from);
TRACE_API bool recording_go_on (Recording *r);
TRACE_API void recording_finish (EveComponent *c);
