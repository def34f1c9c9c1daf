/* SPDX-License-Identifier: Apache-2.0 */
/* tape.h - events of your own in a trace of a PVM program.
 *
 * Include this header and call the three functions; link nothing.  When the program runs under tape-pvm the
 * events are written in the trace; otherwise each call is one test of a pointer and does nothing.
 *
 *   tape_begin ("solve", step);     a phase with a duration and a number ...
 *   tape_end ("solve");             ... and its end; phases may be nested
 *   tape_user ("residual", value);  a moment with a number
 *
 * Names: up to 255 bytes, copied.  Any thread may call.  tape_end closes the newest open phase of that name in
 * the calling thread; without one it does nothing.  Up to 64 phases may be open at once in a thread. */
#ifndef TAPE_H
#define TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the tracer defines, if it is there. */
extern void tape_user_event (const char *name, long long value) __attribute__ ((weak));
extern void tape_begin_phase (const char *name, long long value) __attribute__ ((weak));
extern void tape_end_phase (const char *name) __attribute__ ((weak));

static inline void
tape_user (const char *name, long long value)
{
  if (tape_user_event)
    tape_user_event (name, value);
}

static inline void
tape_begin (const char *name, long long value)
{
  if (tape_begin_phase)
    tape_begin_phase (name, value);
}

static inline void
tape_end (const char *name)
{
  if (tape_end_phase)
    tape_end_phase (name);
}

#ifdef __cplusplus
}
#endif
#endif
