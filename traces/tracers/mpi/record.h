/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - inside the library that is preloaded: each thread of a rank writes a file of its own (raw.h) through a
 * shared mapping, without a lock or a system call.  What is written survives the process, however it ends. */
#ifndef TAPE_RECORD_H
#define TAPE_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../lane.h"
#include "../pvm/clock.h"
#include "raw.h"

extern __thread Lane *tape_lane __attribute__ ((tls_model ("initial-exec")));
extern bool tape_threads;   /* several threads may call: shared tables are locked */
extern bool tape_recording; /* between MPI_Init and MPI_Finalize of a rank that has a file */

/* The file of this thread; NULL: nothing is recorded. */
Lane *tape_lane_new (void);
/* At MPI_Init and at MPI_Finalize.  `born`: when the process began. */
void tape_start (void);
void tape_compare_clocks (void);
void tape_finish (int64_t date);
static inline Lane *
tape_lane_here (void)
{
  Lane *l = tape_lane;

  return __builtin_expect (l != NULL, 1) ? l : tape_lane_new ();
}

/* ---- the call that is recorded ------------------------------------------------------------------------------------ */
typedef struct Call {
  Lane *lane; /* NULL: not recorded, as it is inside of another, or nothing is */
  uint64_t date;
  unsigned region;
} Call;

static inline Call
tape_enter (unsigned region, void *from)
{
  Lane *l = tape_recording ? tape_lane_here () : NULL;

  if (__builtin_expect (l == NULL || l->depth > 0, 0))
    return (Call){ NULL };
  l->depth = 1;
  Call c = { l, (uint64_t) tape_now (), region };
  tape_put3 (l, RAW_ENTER, region, 0, c.date, (uint64_t) (uintptr_t) from);
  return c;
}

/* The date of what the call has done, which is that of its end. */
static inline void
tape_done (Call *c)
{
  c->date = (uint64_t) tape_now ();
}

static inline void
tape_leave (Call *c)
{
  tape_put2 (c->lane, RAW_LEAVE, c->region, 0, c->date);
  c->lane->depth = 0;
}

/* ---- numbers of communicators, windows, requests: numbers.c ---------------------------------------------------------- */
typedef enum {
  REQUEST_NONE,
  REQUEST_SEND,
  REQUEST_RECEIVE,
  REQUEST_COLLECTIVE,
  REQUEST_DUP,
  REQUEST_RMA,
  REQUEST_MESSAGE
} RequestKind;
typedef struct Request {
  RequestKind kind;
  bool persistent, active, cancelled;
  uint32_t comm, peer, tag, ordinal;
  uint64_t bytes, id;
  MPI_Comm *made;    /* of a communicator that is on its way */
  uint64_t ended[4]; /* of a collective operation: what is told when it is complete */
  unsigned operation;
  uint32_t window;
  struct Request *next; /* of the same handle: MPI may give one handle for all that are complete at once */
} Request;

#define KEY(handle) ((uint64_t) (uintptr_t) (handle))
void tape_numbers_start (void);
uint64_t tape_new_id (void);
/* Keeps what is known of a request by its handle, behind others that have the same. */
void tape_request_add (uint64_t handle, const Request *r);
/* The first of a handle; false: there is none. */
bool tape_request_find (uint64_t handle, Request *r);
/* Instead of the first. */
void tape_request_change (uint64_t handle, const Request *r);
/* The first of a handle, which is complete: it is forgotten, or, if it can be started again, no more active.  False:
 * there is none, or it was not active. */
bool tape_request_complete (uint64_t handle, Request *r);
void tape_request_remove (uint64_t handle);

/* The number of a communicator; it is told if it is new. */
uint32_t tape_comm (MPI_Comm comm);
/* How many were made of it before. */
uint32_t tape_comm_ordinal (MPI_Comm parent);
/* A new one, made from `parent` (MPI_COMM_NULL: from a group). */
void tape_comm_made (Call *c, MPI_Comm comm, MPI_Comm parent, uint32_t ordinal);
void tape_comm_gone (Call *c, uint64_t handle, uint32_t number);
/* Ranks in MPI_COMM_WORLD, of the members of a group: in `to`, *n of them; NULL: there is no memory.  free () it. */
uint32_t *tape_members (MPI_Group group, int *n);

uint32_t tape_window (MPI_Win win);
void tape_window_made (Call *c, MPI_Win win, MPI_Comm comm);
/* An operation on a window that a later call completes; gives its number. */
uint64_t tape_window_operation (uint32_t window, uint32_t target);
/* Those of a target (RAW_NONE: of all) are complete. */
void tape_window_complete (Call *c, uint32_t window, uint32_t target);
void tape_window_gone (Call *c, MPI_Win win);
/* One that has a request of its own is. */
void tape_window_one (Call *c, uint32_t window, uint64_t id);

/* ---- the true functions ------------------------------------------------------------------------------------------------ */
typedef struct Real {
  const char *name;
  void **at;
} Real;
void tape_find_real (void);

/* Both names of a function stand for one of ours, as Fortran's are made of calls of the second. */
#define WRAP(name_, params_)                                                                                           \
  static int (*real_##name_) params_;                                                                                  \
  static const Real tape_real_##name_                                                                                  \
      __attribute__ ((used, section ("tape_reals"))) = { "PMPI_" #name_, (void **) (void *) &real_##name_ };           \
  __attribute__ ((visibility ("default"), alias ("PMPI_" #name_))) int MPI_##name_ params_;                            \
  __attribute__ ((visibility ("default"))) int PMPI_##name_ params_

/* Passes the call on unrecorded where it is inside of another. */
#define CALL(name_, args_)                                                                                             \
  Call c = tape_enter (RAW_REGION_##name_, __builtin_return_address (0));                                              \
  if (!c.lane)                                                                                                         \
  return real_##name_ args_
#define LEAVE(result)                                                                                                  \
  do {                                                                                                                 \
    tape_leave (&c);                                                                                                   \
    return result;                                                                                                     \
  } while (0)

static inline uint64_t
tape_bytes (int count, MPI_Datatype type)
{
  int size = 0;

  if (count <= 0 || PMPI_Type_size (type, &size) != MPI_SUCCESS || size < 0)
    return 0;
  return (uint64_t) count * (uint64_t) size;
}

/* An operation of all of a communicator begins: which, nobody would know if it never ended. */
#define TAPE_BEGIN(c, comm) TAPE_PUT ((c).lane, RAW_BEGIN, 0, 0, (c).date, tape_comm (comm))

static inline uint64_t
tape_pair (uint32_t high, uint32_t low)
{
  return (uint64_t) high << 32 | low;
}

#endif
