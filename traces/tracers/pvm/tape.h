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
 * Names: up to 255 bytes, copied.  Any thread may call.  tape_end closes the newest open phase of that name
 * in the calling thread; without one it does nothing.  Up to 64 phases may be open at once in a thread. */
#ifndef TAPE_H
#define TAPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the tracer defines, if it is there.  noplt: in a program that is not position-independent the linker
 * would else decide for ever that they are not. */
#if defined __has_attribute
#if __has_attribute(noplt)
#define TAPE_WEAK __attribute__ ((weak, noplt))
#endif
#endif
#ifndef TAPE_WEAK
#define TAPE_WEAK __attribute__ ((weak))
#endif
extern void tape_user_event (const char *name, long long value) TAPE_WEAK;
extern void tape_begin_phase (const char *name, long long value) TAPE_WEAK;
extern void tape_end_phase (const char *name) TAPE_WEAK;

/* Macros, so that the place of the call in the trace is yours and not a line of this header.  The arguments
 * are evaluated only when the program is traced.  The empty statement behind keeps the compiler from making
 * the call a jump, whose place would be that of the function's own caller. */
#define TAPE_CALL(function, ...)                                                                                       \
  do {                                                                                                                 \
    if (function) {                                                                                                    \
      function (__VA_ARGS__);                                                                                          \
      __asm__ volatile("");                                                                                            \
    }                                                                                                                  \
  } while (0)
#define tape_user(name, value) TAPE_CALL (tape_user_event, name, value)
#define tape_begin(name, value) TAPE_CALL (tape_begin_phase, name, value)
#define tape_end(name) TAPE_CALL (tape_end_phase, name)

#ifdef __cplusplus
}
#endif
#endif
