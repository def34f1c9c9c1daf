/* SPDX-License-Identifier: Apache-2.0 */
/* tape.h - events of your own in a trace of a PVM program.
 *
 * Include this header and use the three calls; link nothing.  When the program runs under tape-pvm the
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

/* Macros, so that the place of the call in the trace is yours and not a line of this header.  The arguments are
 * evaluated only when the program is traced. */
#define tape_user(name, value) ((void)(tape_user_event ? tape_user_event (name, value) : (void)0))
#define tape_begin(name, value) ((void)(tape_begin_phase ? tape_begin_phase (name, value) : (void)0))
#define tape_end(name) ((void)(tape_end_phase ? tape_end_phase (name) : (void)0))

#ifdef __cplusplus
}
#endif
#endif
