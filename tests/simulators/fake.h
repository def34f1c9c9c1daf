/* SPDX-License-Identifier: Apache-2.0 */
/* fake.h - a trace of PVM events that is made in memory, record by record, for tests of the simulator.
 *
 * Dates are nanoseconds.  Tasks are t0, t1, ... and groups g0, g1, ...; their numbers are indices of the source. */
#pragma once
#include "readers/reader.h"

typedef struct Fake Fake;

/* The fields of a record; what is left out is 0, but peer, group and asked are number + 1, so that 0 is nobody. */
typedef struct FakeFields {
  uint32_t peer, group, asked;
  int32_t tag, result;
  int64_t size;
  const uint32_t *list; /* of an Mcast; copied */
  uint32_t n_list;
  const char *word; /* of a Phase; a literal */
  bool late;        /* the call was told of when it began: what came of it is known at its end alone */
  bool none;        /* lets the rest of the macro be left out */
} FakeFields;
#define P(task) .peer = (task) + 1
#define G(object) .group = (object) + 1
#define ASKED(task) .asked = (task) + 1

#define FAKE_UNFINISHED (-1) /* as duration */

Fake *fake_new (uint32_t tasks, uint32_t groups);
void fake_free (Fake *f);
TraceSource *fake_source (Fake *f);
uint16_t fake_kind (const char *name);
/* A record: its begin, and its end if it has one. */
void fake_add (Fake *f, int64_t date, int64_t duration, const char *kind, uint32_t task, FakeFields fields);
#define fake(f, date, duration, kind, task, ...)                                                                       \
  fake_add (f, date, duration, kind, task, (FakeFields){ .none = false, __VA_ARGS__ })
/* All events in the order of the reader: by date, ends first, else as added.  Numbers are given anew. */
const TraceEvent *fake_events (Fake *f, size_t *n);
