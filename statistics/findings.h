/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what an analysis has to say to a person, in sentences: a component answers the query "findings/1" with
 * this.  Reports begin with it, below the heading that it answers to "heading/1" (a text; without one, "What limits
 * it"). Engine thread only. */
#pragma once
#include "eve/eve.h"
#include "statistics/types.h"

typedef struct StatsFindings {
  /* Calls `add` with each sentence, the most important first, as things stand now; with none, if it has nothing to say.
   * Sentences are plain text with a full stop, of any length, and good until `add` returns. */
  void (*tell) (EveComponent *self, void (*add) (void *to, const char *sentence), void *to);
} StatsFindings;

/* A component that can answer what a person asks first answers "answer/1" with this.  Engine thread only. */
typedef struct StatsAnswer {
  /* A sentence or two, as things stand now, about what the note "answer" of a program names, such as "waits"; g_free.
   * NULL: it knows nothing of that. */
  char *(*tell) (EveComponent *self, const char *about);
} StatsAnswer;

/* Something of a trace that is worth a look. */
typedef struct StatsLead {
  int64_t from, to;    /* ticks */
  TraceRef who, other; /* whose time that is, and whom it was for: nothing, where nobody knows */
  char *name;          /* for a person, without a full stop; g_free */
} StatsLead;
/* A component that can lead to what it tells of answers "leads/1" with this, as things stand now.  Engine thread only.
 */
typedef struct StatsLeads {
  const char *what; /* to go to the first, as a command for a person: "Go to the longest wait" */
  const char *also; /* more words by which a person may look for it; NULL: none */
  const char *none; /* the sentence that says that there is none */
  /* What one would look at first; false: there is nothing. */
  bool (*first) (EveComponent *self, StatsLead *lead);
  /* What begins at that date in the time of `who`; false: it tells of nothing such. */
  bool (*at) (EveComponent *self, TraceRef who, int64_t date, StatsLead *lead);
} StatsLeads;

/* A component that knows which tasks wait for each other in a circle, so that none of them can ever go on, answers
 * "circles/1" with this.  Engine thread only. */
typedef struct StatsCircles {
  /* Calls `add` with each circle, as things stand now: tasks of which each waits for the next, and the last for the
   * first; since when all of them do, ticks of the trace. */
  void (*tell) (EveComponent *self, void (*add) (void *to, const uint32_t *tasks, uint32_t n, int64_t since), void *to);
} StatsCircles;

/* A component that also has figures to tell answers "figures/1" with this. */
typedef struct StatsFigures {
  /* The n-th table (from 0), as things stand now, a reference for the caller; NULL: there are no more. */
  StatsTable *(*table) (EveComponent *self, uint32_t n);
} StatsFigures;
