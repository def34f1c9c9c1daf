/* SPDX-License-Identifier: Apache-2.0 */
/* tape-mpi.h - parts of your own in a trace of an MPI program.
 *
 * Include this header and use the two calls; link nothing.  When the program runs under tape-mpi the parts are in the
 * trace; otherwise each call is one test of a pointer and does nothing.
 *
 *   tape_mpi_enter ("solve");   a part of the program begins ...
 *   tape_mpi_leave ("solve");   ... and ends; parts may be inside of each other
 *
 * Between MPI_Init and MPI_Finalize, in any thread; up to 4095 names, copied.  MPI_Pcontrol (0) switches recording off
 * in the thread that calls it, MPI_Pcontrol (1) on again. */
#ifndef TAPE_MPI_H
#define TAPE_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* noplt: in a program that is not position-independent the linker would else decide for ever that they are not. */
#if defined __has_attribute
#if __has_attribute(noplt)
#define TAPE_MPI_WEAK __attribute__ ((weak, noplt))
#endif
#endif
#ifndef TAPE_MPI_WEAK
#define TAPE_MPI_WEAK __attribute__ ((weak))
#endif
extern void tape_mpi_enter_region (const char *name) TAPE_MPI_WEAK;
extern void tape_mpi_leave_region (const char *name) TAPE_MPI_WEAK;

/* The empty statement keeps the compiler from making the call a jump, whose place would be that of the caller. */
#define TAPE_MPI_CALL(function, name)                                                                                  \
  do {                                                                                                                 \
    if (function) {                                                                                                    \
      function (name);                                                                                                 \
      __asm__ volatile("");                                                                                            \
    }                                                                                                                  \
  } while (0)
#define tape_mpi_enter(name) TAPE_MPI_CALL (tape_mpi_enter_region, name)
#define tape_mpi_leave(name) TAPE_MPI_CALL (tape_mpi_leave_region, name)

#ifdef __cplusplus
}
#endif
#endif
