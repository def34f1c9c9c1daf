/* SPDX-License-Identifier: Apache-2.0 */
/* inspected.h - what is known of a thing at the present, or of the state graph itself, as rows that can be laid beside
 * those of another thing.  Main thread. */
#pragma once
#include "document/document.h"

typedef struct InspectedFact {
  char *name, *value; /* "PercentBusy", "71.2"; value "": it has none now */
  const char *unit;   /* interned; NULL: none */
  const char *doc;    /* interned; for a person, already in words; NULL: goes without saying */
  double number;      /* NaN: no difference can be told */
  int decimals;       /* of a difference; -1: as many as are needed */
} InspectedFact;

/* Of a task, link or message; of no type: of the state graph of the view at work.  An array of InspectedFact *, freed
 * with it; without any, *sentence (g_free) says why.  `guess`: the number in the graph that was found the last time. */
GPtrArray *inspected_facts (ScopeDocument *d, TraceRef what, uint32_t *guess, char **sentence);
/* "t40002 fft 0"; g_free. */
char *inspected_title (ScopeDocument *d, TraceRef what);
/* The same where there is little room: "fft 0"; g_free. */
char *inspected_brief (ScopeDocument *d, TraceRef what);
/* What two facts differ by, from the first to the second: "+3.1"; NULL: they are no numbers, or are the same; g_free.
 */
char *inspected_difference (const InspectedFact *from, const InspectedFact *to);
