/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - receives of "any" get what they got in a recorded run (order.h).
 *
 * PVM keeps the messages of one task to another in order.  So a receive that asks for exactly the task and the tag
 * that came then gets that very message now, whatever else has come meanwhile; by induction over the calls, each gets
 * what it got.  One that got nothing gets nothing.  A program that goes another way is let go, and it is told. */
#include "record.h"

#include "order.h"
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

bool tape_replays;

static TapeOrder *order;
static TapeOrderTask *self; /* NULL: not known */
static int self_tid;        /* of whom self was found */

#define LOAD(x) __atomic_load_n (&(x), __ATOMIC_ACQUIRE)
#define STORE(x, value) __atomic_store_n (&(x), (value), __ATOMIC_RELEASE)

static bool
replay_is_whole (size_t size)
{
  size_t tasks;

  if (size < sizeof *order || memcmp (order->magic, TAPE_ORDER_MAGIC, sizeof order->magic) != 0)
    return false;
  tasks = (size - sizeof *order) / sizeof (TapeOrderTask);
  if (order->n_tasks > tasks)
    return false;
  size -= sizeof *order + order->n_tasks * sizeof (TapeOrderTask);
  return order->n_calls <= size / sizeof (TapeOrderCall);
}

void
replay_open (void)
{
  const char *path = getenv (TAPE_ENV_ORDER);
  int saved = errno, fd;
  struct stat st;

  if (!path || !*path)
    return;
  fd = open (path, O_RDWR | O_CLOEXEC);
  order = fd >= 0 && fstat (fd, &st) == 0 ? mmap (NULL, (size_t) st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                                          : MAP_FAILED;
  if (order == MAP_FAILED)
    fprintf (stderr, "libtape-pvm: %s: %s; this task runs freely\n", path, strerror (errno));
  else
    tape_replays = replay_is_whole ((size_t) st.st_size);
  if (fd >= 0)
    close (fd);
  errno = saved;
}

/* -- who is who -- */

static TapeOrderTask *
replay_task_of (int tid)
{
  for (unsigned i = 0; tid > 0 && i < order->n_tasks; i++)
    if (LOAD (order_tasks (order)[i].tid) == tid)
      return &order_tasks (order)[i];
  return NULL;
}

static bool
is_gone (int tid)
{
  return tape_real.pvm_pstat (tid) == PvmNoTask;
}

/* A program that the user started is the next of those that were. */
static TapeOrderTask *
next_root (int tid)
{
  for (;;) {
    TapeOrderTask *best = NULL;
    int32_t free = 0;

    for (unsigned i = 0; i < order->n_tasks; i++) {
      TapeOrderTask *task = &order_tasks (order)[i];

      if (task->parent < 0 && task->born > 0 && LOAD (task->tid) == 0 && (!best || task->born < best->born))
        best = task;
    }
    if (!best || __atomic_compare_exchange_n (&best->tid, &free, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return best;
  }
}

/* A child may be here before pvm_spawn has told its parent whom it bore. */
static TapeOrderTask *
wait_for_parent (int tid, int parent_tid)
{
  for (int i = 0;; i++) {
    TapeOrderTask *parent = replay_task_of (parent_tid);
    bool over = !parent || !LOAD (parent->spawning), gone = !over && i % 1000 == 999 && is_gone (parent_tid);
    TapeOrderTask *me = replay_task_of (tid);

    if (me || over || gone)
      return me;
    usleep (1000);
  }
}

/* This task in the recorded run, if it is to be followed. */
static TapeOrderTask *
replay_follow (void)
{
  int tid, parent;

  if (tape.state != TAPE_ON || tape_depth != 1)
    return NULL;
  tid = tape_real.pvm_mytid ();
  if (tid != self_tid && tid > 0) {
    self_tid = tid;
    parent = tape_real.pvm_parent ();
    self = parent > 0 ? wait_for_parent (tid, parent) : NULL;
    if (!self && (parent <= 0 || !replay_task_of (parent)))
      self = next_root (tid);
    if (self)
      STORE (self->state, ORDER_FOLLOWS);
    else
      __atomic_fetch_add (&order->extra, 1, __ATOMIC_RELAXED);
  }
  return self && self->state == ORDER_FOLLOWS ? self : NULL;
}

static void
replay_let_go (TapeOrderTask *task, int why)
{
  if (task->why == ORDER_NOT_FREED)
    task->why = why;
  STORE (task->state, ORDER_FREE);
}

void
replay_before_spawn (void)
{
  if (tape.state == TAPE_ON && tape_depth == 1 && (replay_follow () || self))
    __atomic_fetch_add (&self->spawning, 1, __ATOMIC_ACQ_REL);
}

void
replay_after_spawn (const int *tids, int n)
{
  int me;

  if (tape.state != TAPE_ON || tape_depth != 1 || !self)
    return;
  me = (int) (self - order_tasks (order));
  for (int i = 0; i < n; i++) {
    bool known = false;

    if (tids[i] <= 0)
      continue;
    for (unsigned k = 0; k < order->n_tasks && !known; k++) {
      TapeOrderTask *task = &order_tasks (order)[k];

      if (task->parent == me && task->born == self->children) {
        STORE (task->tid, tids[i]);
        known = true;
      }
    }
    self->children++;
  }
  __atomic_fetch_sub (&self->spawning, 1, __ATOMIC_ACQ_REL);
}

/* -- calls -- */

/* The next call of the recorded run, if this is it. */
static const TapeOrderCall *
next_call (TapeOrderTask *task, unsigned kind, int tid, int tag)
{
  const TapeOrderCall *call;
  bool asks = kind != TAPE_Probe && kind != TAPE_JoinGroup;

  if (task->at >= task->n) {
    /* Where the record ends in the midst of a call nobody knows what came after. */
    if (!task->n || order_calls (order)[task->first + task->n - 1].came != ORDER_UNKNOWN)
      replay_let_go (task, ORDER_MORE);
    return NULL;
  }
  call = &order_calls (order)[task->first + task->at++];
  if (call->kind != kind || (asks && call->asked_tag != tag)
      || (asks && (call->asked_from == ORDER_NONE) != (tid == -1))
      || (asks && call->asked_from >= 0 && LOAD (order_tasks (order)[call->asked_from].tid) != tid)) {
    replay_let_go (task, ORDER_OTHER_CALL);
    return NULL;
  }
  if (call->came == ORDER_UNKNOWN)
    return NULL;
  return call;
}

/* Whom to ask now for what came from a task then: -1 for those that are no tasks.  Waits until it is there; false: it
 * will never be. */
static bool
sender (int number, int *tid)
{
  const TapeOrderTask *task;

  *tid = -1;
  if (number < 0)
    return true;
  for (task = &order_tasks (order)[number];; usleep (1000)) {
    const TapeOrderTask *up = task;
    unsigned steps = 0; /* a trace may say of tasks that they bore each other */

    if ((*tid = LOAD (task->tid)) > 0)
      return true;
    /* The nearest of its ancestors that was there must still live, to bear what leads to it. */
    while (LOAD (up->tid) == 0 && up->parent >= 0 && steps++ < order->n_tasks)
      up = &order_tasks (order)[up->parent];
    if (LOAD (up->tid) > 0 && up->tid != self_tid && !is_gone (up->tid))
      continue;
    if (LOAD (task->tid) > 0)
      continue;
    return false;
  }
}

/* Waits for a message of that task and tag, and takes it; 0: it will not come. */
static int
wait_and_take (int tid, int tag)
{
  for (;;) {
    struct timeval second = { 1, 0 };
    bool gone;
    int id = tape_real.pvm_trecv (tid, tag, &second);

    if (id != 0)
      return id;
    gone = tid > 0 && tid != self_tid && is_gone (tid);
    if (gone) /* what it sent last may have come meanwhile */
      return tape_real.pvm_nrecv (tid, tag);
  }
}

/* Waits until such a message is there, without taking it. */
static int
replay_wait_for (int tid, int tag)
{
  for (int i = 0;; i++) {
    bool gone = tid > 0 && i % 1024 == 1023 && is_gone (tid);
    int id = tape_real.pvm_probe (tid, tag);

    if (id != 0 || gone)
      return id;
    usleep (i < 100 ? 100 : 1000);
  }
}

static int
real_receive (unsigned kind, int tid, int tag, struct timeval *wait)
{
  return kind == TAPE_Recv    ? tape_real.pvm_recv (tid, tag)
         : kind == TAPE_NRecv ? tape_real.pvm_nrecv (tid, tag)
                              : tape_real.pvm_trecv (tid, tag, wait);
}

int
replay_receive (unsigned kind, int tid, int tag, struct timeval *wait)
{
  TapeOrderTask *task = replay_follow ();
  const TapeOrderCall *call = task ? next_call (task, kind, tid, tag) : NULL;
  int from, id;

  if (!call || call->came == ORDER_FAILED)
    return real_receive (kind, tid, tag, wait);
  if (call->came == ORDER_NOTHING) {
    task->directed++;
    return 0;
  }
  if (kind == TAPE_Recv && tid != -1 && tag != -1)
    return tape_real.pvm_recv (tid, tag);
  task->directed++;
  id = sender (call->from, &from) ? wait_and_take (from, call->tag) : 0;
  if (id != 0)
    return id;
  replay_let_go (task, ORDER_GONE);
  return real_receive (kind, tid, tag, wait);
}

int
replay_precv (int tid, int tag, void *data, int count, int type, int *from, int *what, int *length)
{
  TapeOrderTask *task = replay_follow ();
  const TapeOrderCall *call = task ? next_call (task, TAPE_PRecv, tid, tag) : NULL;
  int peer;

  if (call && call->came == ORDER_CAME && (tid == -1 || tag == -1)) {
    task->directed++;
    if (sender (call->from, &peer) && replay_wait_for (peer, call->tag) > 0) {
      tid = peer;
      tag = call->tag;
    } else {
      replay_let_go (task, ORDER_GONE);
    }
  }
  return tape_real.pvm_precv (tid, tag, data, count, type, from, what, length);
}

/* A probe does not tell what it found; a program that then takes it tells by its next receive. */
int
replay_probe (int tid, int tag)
{
  TapeOrderTask *task = order->knows_probes ? replay_follow () : NULL;
  const TapeOrderCall *call = task ? next_call (task, TAPE_Probe, tid, tag) : NULL;
  int from;

  if (!call || call->came == ORDER_FAILED)
    return tape_real.pvm_probe (tid, tag);
  task->directed++;
  if (call->came == ORDER_NOTHING)
    return 0;
  for (unsigned i = task->at; i < task->n; i++) {
    const TapeOrderCall *next = &order_calls (order)[task->first + i];

    if (next->kind == TAPE_Probe || next->kind == TAPE_JoinGroup || next->came != ORDER_CAME)
      continue;
    if ((tag == -1 || next->tag == tag) && sender (next->from, &from) && (tid == -1 || from == tid))
      return replay_wait_for (from, next->tag);
  }
  return replay_wait_for (tid, tag);
}

int
replay_join (char *group)
{
  TapeOrderTask *task = order->knows_joins ? replay_follow () : NULL;
  const TapeOrderCall *call = task ? next_call (task, TAPE_JoinGroup, 0, 0) : NULL;
  int r;

  /* Instances are given in the order of joining: whoever comes too early waits for those before. */
  if (call && call->came != ORDER_FAILED && call->tag >= 0 && tape_real.pvm_gsize)
    for (int i = 0, before = -1, size; i < 5000; i++, usleep (1000)) {
      size = tape_real.pvm_gsize (group);
      if (size >= call->tag || (call->tag == 0 && size < 0))
        break;
      if (size != before)
        i = 0; /* five seconds without anybody joining are enough */
      before = size;
    }
  r = tape_real.pvm_joingroup (group);
  if (call && call->came != ORDER_FAILED && r != call->tag && task->why == ORDER_NOT_FREED)
    task->why = ORDER_INSTANCE;
  return r;
}

void
replay_matcher (void)
{
  TapeOrderTask *task = replay_follow ();

  if (task)
    replay_let_go (task, ORDER_MATCHER);
}
