/* SPDX-License-Identifier: Apache-2.0 */
/* clog.h - what the readers of CLOG and of CLOG-2 share. */
#pragma once
#include "readers/mpe.h"

typedef struct Clog {
  Mpe mpe;
  MpeBytes in;
  bool events;         /* the second time: what happens; the first time: what is defined */
  GHashTable *sources; /* CLOG: number of a place in the program -> words */
  GHashTable *ranks;   /* CLOG-2: communicator and rank in it -> rank in the world + 1 */
  GHashTable *groups;  /* CLOG-2: communicator -> its object + 1, from the first event on */
  uint32_t block;      /* CLOG-2: bytes */
  bool is_old;         /* CLOG-2: of a version before 02.30 */
  bool swaps;          /* CLOG-2: its numbers begin with their lowest byte */
  uint64_t n_records;
} Clog;

/* Reads all records, once for what is defined and once for what happens.  False: cancelled, or *error. */
bool clog_read (Clog *c, const char *path, bool (*record) (Clog *c), GError **error);
/* The log ends here without saying so. */
bool clog_ends_early (Clog *c);
/* One record; false: it was the last. */
bool clog_record (Clog *c);
bool clog2_record (Clog *c);
/* The head of CLOG-2, before its records; false and an error: it cannot be read. */
bool clog2_head (Clog *c, const char *path, GError **error);
