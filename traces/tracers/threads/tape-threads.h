/* SPDX-License-Identifier: Apache-2.0 */
/* tape-threads.h - names of your own for locks in a trace of threads.
 *
 * Include this header and use the call; link nothing.  When the program runs under tape-threads the name is in the
 * trace; otherwise the call is one test of a pointer and does nothing.
 *
 *   tape_threads_name (&account->lock, "account 7");
 *
 * For mutexes, read-write locks, spin locks, conditions, semaphores and barriers, once they have been initialised; the
 * first 200 bytes, copied.  Any thread. */
#ifndef TAPE_THREADS_H
#define TAPE_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

/* noplt: in a program that is not position-independent the linker would else decide for ever that it is not there. */
#if defined __has_attribute
#if __has_attribute(noplt)
#define TAPE_THREADS_WEAK __attribute__ ((weak, noplt))
#endif
#endif
#ifndef TAPE_THREADS_WEAK
#define TAPE_THREADS_WEAK __attribute__ ((weak))
#endif
extern void tape_threads_name_object (const void *object, const char *name) TAPE_THREADS_WEAK;

#define tape_threads_name(object, name)                                                                                \
  do {                                                                                                                 \
    if (tape_threads_name_object)                                                                                      \
      tape_threads_name_object (object, name);                                                                         \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
