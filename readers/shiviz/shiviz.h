/* SPDX-License-Identifier: Apache-2.0 */
/* shiviz.h - what the parts of the reader share: lines (shiviz.c), the order that vectors allow (order.c), dates as
 * they are read and compared (dates.c).  README.md tells the format. */
#pragma once
#include "readers/converted.h"

#define SHIVIZ_MOST_HOSTS 1024u
#define SHIVIZ_MOST_ENTRIES (INT64_C (1) << 26)
#define SHIVIZ_MOST_NAME 200u                    /* bytes */
#define SHIVIZ_MOST_BYTES (UINT64_C (256) << 20) /* of all entries, which are in order only when all are known */

/* So many entries of a host are known. */
typedef struct ShivizKnown {
  uint32_t host;
  int64_t n;
} ShivizKnown;

typedef struct ShivizEntry {
  uint32_t host, n_known;
  int64_t number; /* among those of its host, from 1 */
  ShivizKnown *known;
  char *text;
  uint64_t line;
  /* order.c */
  int64_t date; /* steps */
  int64_t of_reference, sum;
  uint32_t first_came, n_came;
} ShivizEntry;

typedef struct Shiviz {
  Converter *to;
  TraceSource *source;
  const char *file;
  GHashTable *hosts;  /* name -> number + 1 */
  GArray *entries;    /* of ShivizEntry */
  GStringChunk *text; /* of entries */
  bool crowded;
  uint64_t n_bytes; /* of entries */
  bool full;
} Shiviz;

/* {"NAME": NUMBER, ...}: *at goes behind it.  `each` gives false: it is refused.  False: it is none. */
bool shiviz_vector (const char **at, bool (*each) (void *arg, const char *name, int64_t n), void *arg);
/* Gives all entries, with what was sent and received; cancelled: false. */
bool shiviz_order (Shiviz *s, GError **error);

extern const TraceDates shiviz_dates;
