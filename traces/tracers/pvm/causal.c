/* SPDX-License-Identifier: Apache-2.0 */
/* causal.c - no message is received before it is sent.
 *
 * With several hosts the estimated clocks leave errors of some microseconds, more than a message may need.
 * This pass goes through the tasks in order of date, matches messages first in, first out on (source,
 * destination, tag), and where the end of a receive lies before the beginning of its send moves the receiving
 * task forward from there on: the controlled logical clock of Rabenseifner, without its backward part.  What
 * it leaves are points of correction; local_date applies them.
 *
 * A receive whose send has not come by parks its task until it comes.  When only parked tasks are left (the
 * sender was not traced) the earliest goes on without. */
#include "tape-pvm.h"

#include <stdlib.h>
#include <string.h>

typedef struct Channel {
  int64_t *sent;
  int head, n, room;
  int waiting; /* task, or -1 */
} Channel;

typedef struct Cursor {
  size_t at;
  const TapeRecord *r;
  enum { BIRTH, BEGIN, END, DONE } stage;
  bool parked;
  int channel;
  int64_t born_after; /* global; -1: no Spawn seen yet */
} Cursor;

typedef struct Member {
  char group[64];
  int tid;
} Member;

typedef struct Pass {
  TapeRun *run;
  TapeMap map;
  Channel *channel;
  int n_channels;
  Cursor *cursor;
  TapeHeap heap;
  Member *member; /* who ever joined */
  int n_members;
} Pass;

static int
causal_channel_of (Pass *pass, int from, int to, int tag)
{
  /* 18 bits name a task inside its host, 12 the host: 60 bits for two, tags are hashed over them. */
  uint64_t key = ((uint64_t) (uint32_t) from << 32 | (uint32_t) to) * 0x9e3779b97f4a7c15ULL + (uint32_t) tag;
  int *place = map_at (&pass->map, key);

  if (*place < 0) {
    pass->channel = realloc (pass->channel, (size_t) (pass->n_channels + 1) * sizeof *pass->channel);
    pass->channel[pass->n_channels] = (Channel){ .waiting = -1 };
    *place = pass->n_channels++;
  }
  return *place;
}

static int64_t
causal_date_of (Pass *pass, int task, int64_t local)
{
  return local_date (pass->run, &pass->run->task[task], local);
}

/* From local date `at` on, not before `to`. */
static void
move_task (Pass *pass, int i, int64_t at, int64_t to)
{
  TapeTask *task = &pass->run->task[i];
  int64_t by = to - causal_date_of (pass, i, at);

  if (by <= 0)
    return;
  if (task->n_points == task->room_points) {
    task->room_points = task->room_points ? task->room_points * 2 : 16;
    task->point = realloc (task->point, (size_t) task->room_points * sizeof *task->point);
  }
  if (task->n_points && task->point[task->n_points - 1].at >= at)
    task->point[task->n_points - 1].to += by;
  else
    task->point[task->n_points++] = (TapePoint){ at, to };
  pass->run->n_moved++;
  if (by > pass->run->most_moved)
    pass->run->most_moved = by;
}

static void
causal_schedule (Pass *pass, int i)
{
  Cursor *c = &pass->cursor[i];
  int64_t local;

  if (c->stage == DONE)
    return;
  local = c->stage == BIRTH ? pass->run->task[i].h->enroll_ns
                            : c->r->begin + (c->stage == END && c->r->duration > 0 ? c->r->duration : 0);
  c->parked = false;
  heap_push (&pass->heap, causal_date_of (pass, i, local), i);
}

static void
causal_wake (Pass *pass, int i)
{
  if (pass->cursor[i].parked)
    causal_schedule (pass, i);
}

static void
sent (Pass *pass, int from, int to, int tag, int64_t date)
{
  int number = causal_channel_of (pass, from, to, tag); /* may move the channels */
  Channel *c = &pass->channel[number];

  if (c->head + c->n == c->room) {
    if (c->head > c->n) {
      memmove (c->sent, c->sent + c->head, (size_t) c->n * sizeof *c->sent);
      c->head = 0;
    } else {
      c->room = c->room ? c->room * 2 : 4;
      c->sent = realloc (c->sent, (size_t) c->room * sizeof *c->sent);
    }
  }
  c->sent[c->head + c->n++] = date;
  if (c->waiting >= 0) {
    int i = c->waiting;

    c->waiting = -1;
    causal_wake (pass, i);
  }
}

static void
causal_begins (Pass *pass, int i)
{
  const TapeRecord *r = pass->cursor[i].r;
  int64_t date = causal_date_of (pass, i, r->begin);
  int me = pass->run->task[i].h->tid;
  const int32_t *list = (const int32_t *) &r->field[r->n];

  switch (r->kind) {
  case TAPE_Send:
  case TAPE_PSend:
    sent (pass, me, (int) r->field[0], (int) r->field[1], date);
    break;
  case TAPE_Mcast:
    for (int64_t k = 0; k < r->field[0]; k++)
      if (list[k] != me)
        sent (pass, me, list[k], (int) r->field[1], date);
    break;
  case TAPE_Bcast:
    /* To all who ever join: who was a member at that moment is not known exactly, and a send too many only
     * makes the check weaker. */
    for (int k = 0; k < pass->n_members; k++)
      if (pass->member[k].tid != me && strncmp (pass->member[k].group, (const char *) list, (size_t) r->field[0]) == 0
          && pass->member[k].group[r->field[0]] == '\0')
        sent (pass, me, pass->member[k].tid, (int) r->field[1], date);
    break;
  case TAPE_Spawn:
    list += (TAPE_PAD ((size_t) r->field[0]) + TAPE_PAD ((size_t) r->field[2])) / sizeof *list;
    for (int64_t k = 0; k < r->field[4]; k++) {
      int child = local_find (pass->run, list[k]);

      if (child >= 0) {
        pass->cursor[child].born_after = date;
        causal_wake (pass, child);
      }
    }
    break;
  }
}

/* What a receive got; -1: nothing, or nothing that a traced task sends. */
static int
channel_of_receive (Pass *pass, int i)
{
  const TapeRecord *r = pass->cursor[i].r;
  int from = r->kind == TAPE_Recv || r->kind == TAPE_NRecv ? 2 : r->kind == TAPE_TRecv ? 3 : 4;

  if (r->kind < TAPE_Recv || r->kind > TAPE_NRecv || r->n < from + 2 || r->duration < 0 || r->field[from] <= 0
      || local_find (pass->run, (int) r->field[from]) < 0)
    return -1;
  return causal_channel_of (pass, (int) r->field[from], pass->run->task[i].h->tid, (int) r->field[from + 1]);
}

static void
causal_advance (Pass *pass, int i)
{
  Cursor *c = &pass->cursor[i];

  do
    c->r = local_next (&pass->run->task[i], &c->at);
  while (c->r && (c->r->kind == TAPE_MODULES || c->r->kind >= TAPE_User));
  c->stage = c->r ? BEGIN : DONE;
  causal_schedule (pass, i);
}

static void
causal_step (Pass *pass, int i, bool whatever)
{
  Cursor *c = &pass->cursor[i];

  switch (c->stage) {
  case BIRTH:
    if (c->born_after < 0 && !whatever && pass->run->mask[TAPE_Spawn]
        && local_find (pass->run, pass->run->task[i].h->parent) >= 0) {
      c->parked = true;
      return;
    }
    move_task (pass, i, pass->run->task[i].h->enroll_ns, c->born_after);
    causal_advance (pass, i);
    break;
  case BEGIN:
    causal_begins (pass, i);
    c->stage = END;
    causal_schedule (pass, i);
    break;
  case END: {
    int n = channel_of_receive (pass, i);
    Channel *channel = n >= 0 ? &pass->channel[n] : NULL;

    if (channel && channel->n > 0) {
      move_task (pass, i, c->r->begin + c->r->duration, channel->sent[channel->head] + 1);
      channel->head++;
      channel->n--;
    } else if (channel && !whatever) {
      channel->waiting = i;
      c->channel = n;
      c->parked = true;
      return;
    }
    causal_advance (pass, i);
    break;
  }
  case DONE:
    break;
  }
}

static void
find_members (Pass *pass)
{
  for (int i = 0; i < pass->run->n_tasks; i++) {
    size_t at = 0;
    const TapeRecord *r;

    while ((r = local_next (&pass->run->task[i], &at)) != NULL)
      if (r->kind == TAPE_JoinGroup && r->field[0] < (int64_t) sizeof pass->member->group) {
        Member *m;

        pass->member = realloc (pass->member, (size_t) (pass->n_members + 1) * sizeof *m);
        m = &pass->member[pass->n_members++];
        memset (m, 0, sizeof *m);
        memcpy (m->group, &r->field[r->n], (size_t) r->field[0]);
        m->tid = pass->run->task[i].h->tid;
        for (int k = 0; k < pass->n_members - 1; k++)
          if (pass->member[k].tid == m->tid && strcmp (pass->member[k].group, m->group) == 0) {
            pass->n_members--;
            break;
          }
      }
  }
}

void
causal_repair (TapeRun *run)
{
  Pass pass = { .run = run };
  int clocks = 0;

  for (int i = 0; i < run->n_clocks; i++)
    for (int k = 0; k < run->n_tasks; k++)
      if (run->task[k].clock == i) {
        clocks++;
        break;
      }
  if (clocks < 2)
    return; /* one clock is causal */
  pass.cursor = calloc ((size_t) run->n_tasks, sizeof *pass.cursor);
  find_members (&pass);
  for (int i = 0; i < run->n_tasks; i++) {
    pass.cursor[i].born_after = -1;
    causal_schedule (&pass, i);
  }
  for (;;) {
    int first = -1;

    while (pass.heap.n)
      causal_step (&pass, heap_pop (&pass.heap), false);
    for (int i = 0; i < run->n_tasks; i++)
      if (pass.cursor[i].parked
          && (first < 0 || (pass.cursor[i].stage == BIRTH && pass.cursor[first].stage != BIRTH)
              || (pass.cursor[i].r && pass.cursor[first].r
                  && causal_date_of (&pass, i, pass.cursor[i].r->begin)
                         < causal_date_of (&pass, first, pass.cursor[first].r->begin))))
        first = i;
    if (first < 0)
      break;
    if (pass.cursor[first].stage == END)
      pass.channel[pass.cursor[first].channel].waiting = -1;
    pass.cursor[first].parked = false;
    causal_step (&pass, first, true);
  }
  for (int i = 0; i < pass.n_channels; i++)
    free (pass.channel[i].sent);
  free (pass.channel);
  free (pass.cursor);
  free (pass.member);
  free (pass.heap.item);
  map_clear (&pass.map);
}
