/* SPDX-License-Identifier: Apache-2.0 */
/* window.c - memory of others: windows, what is put and got, and what makes it complete. */
#include <stdlib.h>
#include <string.h>

#include "record.h"

static void
mpi_window_ended (Call *c, unsigned operation, uint32_t window)
{
  TAPE_PUT (c->lane, RAW_ENDED, operation, 1, c->date, tape_pair (window, RAW_NONE), 0, 0);
}

#define MAKES(name, op, params, args)                                                                                  \
  WRAP (name, params)                                                                                                  \
  {                                                                                                                    \
    CALL (name, args);                                                                                                 \
    tape_put2 (c.lane, RAW_BEGIN, 0, 1, c.date);                                                                       \
    int result = real_##name args;                                                                                     \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS)                                                                                         \
      tape_window_made (&c, *win, comm);                                                                               \
    mpi_window_ended (&c, op, result == MPI_SUCCESS ? tape_window (*win) : RAW_NONE);                                  \
    LEAVE (result);                                                                                                    \
  }
MAKES (Win_create, RAW_OP_CREATE, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, unit, info, comm, win))
MAKES (Win_allocate, RAW_OP_CREATE_AND_ALLOCATE,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
MAKES (Win_allocate_shared, RAW_OP_CREATE_AND_ALLOCATE,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
MAKES (Win_create_dynamic, RAW_OP_CREATE, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))

WRAP (Win_free, (MPI_Win * win))
{
  CALL (Win_free, (win));
  MPI_Win gone = *win;
  uint32_t window = tape_window (gone);
  tape_put2 (c.lane, RAW_BEGIN, 0, 1, c.date);
  int result = real_Win_free (win);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    tape_window_gone (&c, gone);
  mpi_window_ended (&c, RAW_OP_DESTROY, window);
  LEAVE (result);
}

WRAP (Win_fence, (int assert, MPI_Win win))
{
  CALL (Win_fence, (assert, win));
  uint32_t window = tape_window (win);
  tape_put2 (c.lane, RAW_BEGIN, 0, 1, c.date);
  int result = real_Win_fence (assert, win);
  tape_done (&c);
  tape_window_complete (&c, window, RAW_NONE);
  mpi_window_ended (&c, RAW_OP_BARRIER, window);
  LEAVE (result);
}

/* ---- groups -------------------------------------------------------------------------------------------------------- */

static void
note_group (Call *c, uint32_t window, MPI_Group group)
{
  int n = 0;
  uint32_t *members = group == MPI_GROUP_NULL ? NULL : tape_members (group, &n);
  size_t words = 3 + ((size_t) n + 1) / 2;
  uint64_t *r = words < RAW_MOST_WORDS && !c->lane->off ? tape_room (c->lane, (unsigned) words) : NULL;

  if (r) {
    memset (r + 1, 0, (words - 1) * sizeof *r);
    r[1] = c->date;
    r[2] = tape_pair (window, (uint32_t) n);
    for (int i = 0; i < n; i++)
      r[3 + i / 2] |= (uint64_t) members[i] << (i % 2 * 32);
    tape_publish (c->lane, r, RAW_GROUP_SYNC, (unsigned) words, 0, 0);
  }
  free (members);
}

#define EXPOSES(name)                                                                                                  \
  WRAP (name, (MPI_Group group, int assert, MPI_Win win))                                                              \
  {                                                                                                                    \
    CALL (name, (group, assert, win));                                                                                 \
    int result = real_##name (group, assert, win);                                                                     \
    tape_done (&c);                                                                                                    \
    note_group (&c, tape_window (win), group);                                                                         \
    LEAVE (result);                                                                                                    \
  }
EXPOSES (Win_post)
EXPOSES (Win_start)

WRAP (Win_complete, (MPI_Win win))
{
  CALL (Win_complete, (win));
  int result = real_Win_complete (win);
  tape_done (&c);
  tape_window_complete (&c, tape_window (win), RAW_NONE);
  note_group (&c, tape_window (win), MPI_GROUP_NULL);
  LEAVE (result);
}

WRAP (Win_wait, (MPI_Win win))
{
  CALL (Win_wait, (win));
  int result = real_Win_wait (win);
  tape_done (&c);
  note_group (&c, tape_window (win), MPI_GROUP_NULL);
  LEAVE (result);
}

WRAP (Win_test, (MPI_Win win, int *flag))
{
  CALL (Win_test, (win, flag));
  int result = real_Win_test (win, flag);
  tape_done (&c);
  if (result == MPI_SUCCESS && *flag)
    note_group (&c, tape_window (win), MPI_GROUP_NULL);
  LEAVE (result);
}

/* ---- locks ------------------------------------------------------------------------------------------------------------ */

static void
note_lock (Call *c, unsigned type, MPI_Win win, uint32_t target, bool exclusive)
{
  tape_put3 (c->lane, type, exclusive, 0, c->date, tape_pair (tape_window (win), target));
}

WRAP (Win_lock, (int type, int rank, int assert, MPI_Win win))
{
  CALL (Win_lock, (type, rank, assert, win));
  note_lock (&c, RAW_LOCK_ASKED, win, (uint32_t) rank, type == MPI_LOCK_EXCLUSIVE);
  int result = real_Win_lock (type, rank, assert, win);
  tape_done (&c);
  note_lock (&c, RAW_LOCKED, win, (uint32_t) rank, type == MPI_LOCK_EXCLUSIVE);
  LEAVE (result);
}

WRAP (Win_lock_all, (int assert, MPI_Win win))
{
  CALL (Win_lock_all, (assert, win));
  note_lock (&c, RAW_LOCK_ASKED, win, RAW_NONE, false);
  int result = real_Win_lock_all (assert, win);
  tape_done (&c);
  note_lock (&c, RAW_LOCKED, win, RAW_NONE, false);
  LEAVE (result);
}

WRAP (Win_unlock, (int rank, MPI_Win win))
{
  CALL (Win_unlock, (rank, win));
  int result = real_Win_unlock (rank, win);
  tape_done (&c);
  tape_window_complete (&c, tape_window (win), (uint32_t) rank);
  note_lock (&c, RAW_UNLOCKED, win, (uint32_t) rank, false);
  LEAVE (result);
}

WRAP (Win_unlock_all, (MPI_Win win))
{
  CALL (Win_unlock_all, (win));
  int result = real_Win_unlock_all (win);
  tape_done (&c);
  tape_window_complete (&c, tape_window (win), RAW_NONE);
  note_lock (&c, RAW_UNLOCKED, win, RAW_NONE, false);
  LEAVE (result);
}

#define FLUSHES(name, params, args, target, completes)                                                                 \
  WRAP (name, params)                                                                                                  \
  {                                                                                                                    \
    CALL (name, args);                                                                                                 \
    int result = real_##name args;                                                                                     \
    tape_done (&c);                                                                                                    \
    if (completes)                                                                                                     \
      tape_window_complete (&c, tape_window (win), target);                                                            \
    tape_put3 (c.lane, RAW_RMA_SYNC, 0, 0, c.date, tape_pair (tape_window (win), target));                             \
    LEAVE (result);                                                                                                    \
  }
FLUSHES (Win_flush, (int rank, MPI_Win win), (rank, win), (uint32_t) rank, true)
FLUSHES (Win_flush_all, (MPI_Win win), (win), RAW_NONE, true)
FLUSHES (Win_flush_local, (int rank, MPI_Win win), (rank, win), (uint32_t) rank, true)
FLUSHES (Win_flush_local_all, (MPI_Win win), (win), RAW_NONE, true)
FLUSHES (Win_sync, (MPI_Win win), (win), RAW_NONE, false)

/* ---- accesses ----------------------------------------------------------------------------------------------------------- */

/* As OTF2 numbers them. */
enum { ATOMIC_ACCUMULATE, ATOMIC_COMPARE_AND_SWAP = 3, ATOMIC_SWAP, ATOMIC_FETCH_AND_ACCUMULATE = 7 };

static uint64_t
note_access (Call *c, unsigned type, MPI_Win win, int target, uint64_t bytes)
{
  uint32_t window = tape_window (win);
  uint64_t id = tape_window_operation (window, (uint32_t) target);

  TAPE_PUT (c->lane, type, 0, 0, c->date, tape_pair (window, (uint32_t) target), bytes, id);
  return id;
}

static uint64_t
note_atomic (Call *c, unsigned what, MPI_Win win, int target, uint64_t bytes, uint64_t back)
{
  uint32_t window = tape_window (win);
  uint64_t id = tape_window_operation (window, (uint32_t) target);

  TAPE_PUT (c->lane, RAW_ATOMIC, what, 0, c->date, tape_pair (window, (uint32_t) target), bytes, id, back);
  return id;
}

/* One that is complete when a later call makes it so, and one with a request of its own. */
#define ACCESSES(name, rname, params, args, note)                                                                      \
  WRAP (name, (params, MPI_Win win))                                                                                   \
  {                                                                                                                    \
    CALL (name, (args, win));                                                                                          \
    if (target != MPI_PROC_NULL)                                                                                       \
      note;                                                                                                            \
    int result = real_##name (args, win);                                                                              \
    tape_done (&c);                                                                                                    \
    LEAVE (result);                                                                                                    \
  }                                                                                                                    \
  WRAP (rname, (params, MPI_Win win, MPI_Request * request))                                                           \
  {                                                                                                                    \
    CALL (rname, (args, win, request));                                                                                \
    Request r = { REQUEST_RMA, .active = true, .window = tape_window (win) };                                          \
    if (target != MPI_PROC_NULL)                                                                                       \
      r.id = note;                                                                                                     \
    int result = real_##rname (args, win, request);                                                                    \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS && target != MPI_PROC_NULL)                                                              \
      tape_request_add (KEY (*request), &r);                                                                           \
    LEAVE (result);                                                                                                    \
  }
#define PARAMS(...) __VA_ARGS__
ACCESSES (Put, Rput,
          PARAMS (const void *from, int n, MPI_Datatype type, int target, MPI_Aint at, int n_there, MPI_Datatype there),
          PARAMS (from, n, type, target, at, n_there, there),
          note_access (&c, RAW_PUT, win, target, tape_bytes (n, type)))
ACCESSES (Get, Rget,
          PARAMS (void *to, int n, MPI_Datatype type, int target, MPI_Aint at, int n_there, MPI_Datatype there),
          PARAMS (to, n, type, target, at, n_there, there),
          note_access (&c, RAW_GET, win, target, tape_bytes (n, type)))
ACCESSES (Accumulate, Raccumulate,
          PARAMS (const void *from, int n, MPI_Datatype type, int target, MPI_Aint at, int n_there, MPI_Datatype there,
                  MPI_Op op),
          PARAMS (from, n, type, target, at, n_there, there, op),
          note_atomic (&c, ATOMIC_ACCUMULATE, win, target, tape_bytes (n, type), 0))
ACCESSES (Get_accumulate, Rget_accumulate,
          PARAMS (const void *from, int n, MPI_Datatype type, void *to, int n_to, MPI_Datatype to_type, int target,
                  MPI_Aint at, int n_there, MPI_Datatype there, MPI_Op op),
          PARAMS (from, n, type, to, n_to, to_type, target, at, n_there, there, op),
          note_atomic (&c, ATOMIC_FETCH_AND_ACCUMULATE, win, target, op == MPI_NO_OP ? 0 : tape_bytes (n, type),
                       tape_bytes (n_to, to_type)))

WRAP (Fetch_and_op, (const void *from, void *to, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win win))
{
  CALL (Fetch_and_op, (from, to, type, target, at, op, win));
  if (target != MPI_PROC_NULL)
    note_atomic (&c, op == MPI_REPLACE ? ATOMIC_SWAP : ATOMIC_FETCH_AND_ACCUMULATE, win, target, tape_bytes (1, type),
                 tape_bytes (1, type));
  int result = real_Fetch_and_op (from, to, type, target, at, op, win);
  tape_done (&c);
  LEAVE (result);
}

WRAP (Compare_and_swap,
      (const void *from, const void *as, void *to, MPI_Datatype type, int target, MPI_Aint at, MPI_Win win))
{
  CALL (Compare_and_swap, (from, as, to, type, target, at, win));
  if (target != MPI_PROC_NULL)
    note_atomic (&c, ATOMIC_COMPARE_AND_SWAP, win, target, 2 * tape_bytes (1, type), tape_bytes (1, type));
  int result = real_Compare_and_swap (from, as, to, type, target, at, win);
  tape_done (&c);
  LEAVE (result);
}
