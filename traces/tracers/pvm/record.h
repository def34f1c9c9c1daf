/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - inside the preloaded library: what the wrappers of wrap.c need of record.c. */
#ifndef TAPE_RECORD_H
#define TAPE_RECORD_H

#include "local.h"

#include "wrapped.h"

#define TAPE_EXPORT __attribute__ ((visibility ("default")))
#define TAPE_LIKELY(x) __builtin_expect (!!(x), 1)

enum { TAPE_IDLE, TAPE_ON, TAPE_OFF }; /* no file yet, recording, never in this process */

typedef struct Tape {
  int state;
  int tid;       /* 0: not enrolled yet */
  uint8_t *base; /* the file: all the address space it may ever need, so that records never move */
  uint64_t cursor, allocated, reserved;
  bool mask[TAPE_KIND_MAX];
} Tape;

extern Tape tape;

/* Depth of wrapped calls in this thread, and the frame of the outermost: a call that is left by longjmp never
 * comes back to lower the depth, but the next call then begins at its frame or above. */
extern _Thread_local int tape_depth __attribute__ ((tls_model ("initial-exec")));
extern _Thread_local char *tape_frame __attribute__ ((tls_model ("initial-exec")));

/* The call of this thread that has ended, and how long it took.  It is over for those who read the file meanwhile
 * (live.c) once all that came of it is written. */
extern _Thread_local TapeRecord *tape_ended __attribute__ ((tls_model ("initial-exec")));
extern _Thread_local int64_t tape_took __attribute__ ((tls_model ("initial-exec")));

bool tape_start (unsigned kind); /* opens the file of this task; false: record nothing */
void tape_enroll (void);         /* after a call, while tid is 0: are we a task now? */
void tape_finish (void);         /* after Exit: nothing more comes in this file */
bool tape_grow (uint64_t end);
void tape_exit_record (int result, void *site);
TAPE_EXPORT long long tape_calibrate (const char *dir, int n);

static inline TapeRecord *
tape_reserve (unsigned kind, unsigned n, size_t tail, void *site)
{
  uint64_t size = sizeof (TapeRecord) + n * 8 + tail;
  uint64_t at = __atomic_fetch_add (&tape.cursor, size, __ATOMIC_RELAXED);
  TapeRecord *r = (TapeRecord *) (tape.base + at);

  if (!TAPE_LIKELY (at + size <= tape.allocated) && !tape_grow (at + size))
    return NULL;
  r->kind = (uint16_t) kind;
  r->n = (uint16_t) n;
  r->duration = -1;
  r->site = (uint64_t) (uintptr_t) site;
  return r;
}

/* From here the record is in the file.  Size follows from where the next one begins. */
static inline void
tape_publish (TapeRecord *r, size_t tail)
{
  __atomic_store_n (&r->size, (uint32_t) (sizeof (TapeRecord) + r->n * 8u + tail), __ATOMIC_RELEASE);
}

static inline TapeRecord *
tape_enter (unsigned kind, unsigned n, size_t tail, void *site)
{
  char *frame = __builtin_frame_address (0);

  if (tape_depth && frame >= tape_frame)
    tape_depth = 0;
  if (tape_depth++)
    return NULL;
  tape_frame = frame;
  if (!TAPE_LIKELY (tape.state == TAPE_ON) && !tape_start (kind))
    return NULL;
  return tape.mask[kind] ? tape_reserve (kind, n, tail, site) : NULL;
}

static inline void
tape_go (TapeRecord *r, size_t tail)
{
  if (r) {
    r->begin = tape_now ();
    tape_publish (r, tail);
  }
}

static inline void
tape_stop (TapeRecord *r)
{
  if (r) {
    tape_ended = r;
    tape_took = tape_now () - r->begin;
  }
}

static inline void
tape_leave (void)
{
  if (tape_depth == 1 && tape_ended) {
    __atomic_store_n (&tape_ended->duration, tape_took, __ATOMIC_RELEASE);
    tape_ended = NULL;
  }
  if (tape_depth == 1 && !TAPE_LIKELY (tape.tid) && tape.state == TAPE_ON)
    tape_enroll ();
  tape_depth--;
}

/* The functions of PVM behind ours (wrap.c). */
typedef struct TapeReal {
#define WRAPPED(name) __typeof__ (&name) name;
#include "wrapped.def"
#undef WRAPPED
  int *pvmmytid;
} TapeReal;

extern TapeReal tape_real;
void tape_real_init (void);

#endif
