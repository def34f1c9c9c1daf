/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - from a recorded run to the order of its messages, and, after a run under that order, what came of it.
 *
 * Of the events those are taken that tell who bore whom, what each receive asked for and what it got, and as which
 * instance a task joined its group.  The format is that of readers/tapepvm/README.md, with its own table of kinds. */
#include "order.h"
#include "tape-pvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "eve/words.h"

enum { MOST_TASKS = 1 << 20, MOST_WORDS = 1 << 16, MOST_ROOTS = 4096 };

typedef struct Call {
  TapeOrderCall call;
  int64_t date;
  int task;
  long line;
  bool open; /* has not ended as far as was read */
} Call;

typedef struct Birth {
  int64_t date;
  int order;         /* in which they were told; the list of one Spawn has one date */
  int parent, child; /* numbers of tasks */
} Birth;

typedef struct Reading {
  const char *file;
  long line;
  TapeOrderTask *task;
  int64_t *enrolled; /* date of each, INT64_MAX: never */
  int *told_parent;  /* by its own Enroll, -1: none */
  size_t *inside;    /* the call that it is in, as far as was read, + 1; 0: none */
  int n_tasks, room_tasks;
  TapeMap numbers; /* of tasks, from those of PVM */
  Call *call;
  size_t n_calls, room_calls;
  Birth *birth;
  int n_births, room_births;
  TapeOrder head;
  bool lacks; /* memory */
} Reading;

/* Makes room for n of an array; false: there is no memory, and what it holds stays. */
static bool
pvm_order_grow (Reading *in, void **array, size_t n, size_t size)
{
  void *more = realloc (*array, n * size);

  if (more)
    *array = more;
  else
    in->lacks = true;
  return more != NULL;
}
#define GROW(in, array, n) pvm_order_grow (in, (void **) &(in)->array, (size_t) (n), sizeof *(in)->array)

static int
pvm_order_number_of (Reading *in, int64_t tid)
{
  int *known;

  if (tid == -1)
    return ORDER_NONE;
  if (tid <= 0 || tid > INT32_MAX)
    return ORDER_STRANGER;
  known = map_at (&in->numbers, (uint64_t) tid);
  if (*known < 0) {
    if (in->n_tasks >= MOST_TASKS)
      return ORDER_STRANGER;
    if (in->n_tasks == in->room_tasks) {
      int room = in->room_tasks ? in->room_tasks * 2 : 64;
      if (!GROW (in, task, room) || !GROW (in, enrolled, room) || !GROW (in, told_parent, room)
          || !GROW (in, inside, room))
        return ORDER_STRANGER;
      in->room_tasks = room;
    }
    in->task[in->n_tasks] = (TapeOrderTask){ .then = (int32_t) tid, .parent = -1 };
    in->enrolled[in->n_tasks] = INT64_MAX;
    in->told_parent[in->n_tasks] = -1;
    in->inside[in->n_tasks] = 0;
    *known = in->n_tasks++;
  }
  return *known;
}

/* The next word as a number. */
static bool
pvm_order_take (char **p, int64_t *out)
{
  char *end;

  errno = 0;
  *out = strtoll (*p, &end, 10);
  if (end == *p || errno || (*end && *end != ' ' && *end != '\t'))
    return false;
  *p = end;
  return true;
}

static void
skip_word (char **p)
{
  *p += strspn (*p, " \t");
  *p += strcspn (*p, " \t");
}

static void
note_birth (Reading *in, int64_t date, int parent, int child)
{
  if (parent < 0 || child < 0)
    return;
  if (in->n_births == in->room_births) {
    int room = in->room_births ? in->room_births * 2 : 64;
    if (!GROW (in, birth, room))
      return;
    in->room_births = room;
  }
  in->birth[in->n_births] = (Birth){ date, in->n_births, parent, child };
  in->n_births++;
}

/* A call that stands above as one that has not ended, or a new one; NULL: there is no memory for it. */
static Call *
call_for (Reading *in, const Call *c, bool ends)
{
  size_t *inside = &in->inside[c->task];
  Call *there = ends && *inside > 0 ? &in->call[*inside - 1] : NULL;

  if (there && there->date == c->date && there->call.kind == c->call.kind) {
    *inside = c->open ? *inside : 0;
    return there;
  }
  if (in->n_calls == in->room_calls) {
    size_t calls = in->room_calls ? in->room_calls * 2 : 1024;
    if (!GROW (in, call, calls))
      return NULL;
    in->room_calls = calls;
  }
  if (c->open)
    *inside = in->n_calls + 1;
  return &in->call[in->n_calls++];
}

static bool
read_call (Reading *in, Call *c, int64_t duration, char *p, bool ends)
{
  int64_t field[8] = { 0 };
  int n = c->call.kind == TAPE_PRecv ? 8 : c->call.kind == TAPE_TRecv ? 7 : c->call.kind == TAPE_Probe ? 1 : 6;

  if (c->call.kind == TAPE_JoinGroup) {
    skip_word (&p);
    n = 1;
  }
  for (int i = 0; i < n; i++)
    if (!pvm_order_take (&p, &field[i]))
      return false;
  if (n > 1) {
    c->call.asked_from = pvm_order_number_of (in, field[0]);
    c->call.asked_tag = (int32_t) field[1];
    c->call.from = field[n - 4] == -1 ? ORDER_NONE : pvm_order_number_of (in, field[n - 4]);
    c->call.tag = (int32_t) field[n - 3];
    c->call.came = field[n - 1] < 0 ? ORDER_FAILED : c->call.from != ORDER_NONE ? ORDER_CAME : ORDER_NOTHING;
  } else {
    c->call.tag = (int32_t) field[0];
    c->call.came = field[0] < 0 ? ORDER_FAILED : field[0] > 0 ? ORDER_CAME : ORDER_NOTHING;
    in->head.knows_probes |= c->call.kind == TAPE_Probe;
    in->head.knows_joins |= c->call.kind == TAPE_JoinGroup;
  }
  if (duration < 0)
    c->call.came = ORDER_UNKNOWN;
  c->open = duration < 0;
  c->line = in->line;
  Call *call = call_for (in, c, ends);
  if (call)
    *call = *c;
  return call != NULL;
}

static bool
pvm_order_read_line (Reading *in, char *p)
{
  int64_t kind, date, end, tid, duration, site, n, x;
  bool ends = false;
  int me;

  if (!*p || *p == '#')
    return true;
  if (!pvm_order_take (&p, &kind))
    return false;
  if (kind == 0) { /* version 2: time has come to a date, or the end of a call whose line stands above */
    if (!pvm_order_take (&p, &end))
      return false;
    p += strspn (p, " \t");
    if (!*p)
      return true;
    ends = true;
    if (!pvm_order_take (&p, &kind))
      return false;
  }
  if (!pvm_order_take (&p, &date) || !pvm_order_take (&p, &tid) || !pvm_order_take (&p, &duration)
      || !pvm_order_take (&p, &site))
    return false;
  me = pvm_order_number_of (in, tid);
  if (me < 0)
    return false;
  switch (kind) {
  case TAPE_Enroll:
    skip_word (&p);
    skip_word (&p);
    if (!pvm_order_take (&p, &x) || !pvm_order_take (&p, &tid))
      return false;
    if (in->enrolled[me] == INT64_MAX)
      in->enrolled[me] = date;
    /* A parent that is no task of this trace is nobody who could be found again. */
    in->told_parent[me] = tid > 0 && tid <= INT32_MAX ? (int) tid : -1;
    return true;
  case TAPE_Spawn:
    skip_word (&p);
    if (!pvm_order_take (&p, &x))
      return false;
    skip_word (&p);
    if (!pvm_order_take (&p, &x) || !pvm_order_take (&p, &n) || n < 0 || n > MOST_WORDS)
      return false;
    for (int64_t i = 0; i < n; i++) {
      if (!pvm_order_take (&p, &x))
        return false;
      note_birth (in, date, me, pvm_order_number_of (in, x));
    }
    return true;
  case TAPE_JoinGroup:
  case TAPE_Recv:
  case TAPE_PRecv:
  case TAPE_TRecv:
  case TAPE_NRecv:
  case TAPE_Probe:
    return read_call (in, &(Call){ .call.kind = (uint16_t) kind, .date = date, .task = me }, duration, p, ends);
  default:
    return true;
  }
}

static int
pvm_order_by_task_and_date (const void *a, const void *b)
{
  const Call *x = a, *y = b;

  if (x->task != y->task)
    return x->task < y->task ? -1 : 1;
  if (x->date != y->date)
    return x->date < y->date ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static int
pvm_order_by_birth (const void *a, const void *b)
{
  const Birth *x = a, *y = b;

  return x->date != y->date ? (x->date < y->date ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* Who is whose child, and which: as Spawn tells, in its order; where Spawn was not recorded, as the children tell, in
 * the order of their numbers. */
static void
find_parents (Reading *in)
{
  int *born = calloc ((size_t) in->n_tasks + 1, sizeof *born);
  bool any = in->n_births > 0;

  if (!born) {
    in->lacks = true;
    return;
  }
  for (int i = 0; i < in->n_tasks && !any; i++) {
    int *parent = in->told_parent[i] > 0 ? map_at (&in->numbers, (uint64_t) in->told_parent[i]) : NULL;

    if (parent && *parent >= 0 && *parent != i)
      note_birth (in, in->task[i].then, *parent, i);
  }
  if (in->n_births)
    qsort (in->birth, (size_t) in->n_births, sizeof *in->birth, pvm_order_by_birth);
  for (int i = 0; i < in->n_births; i++) {
    TapeOrderTask *child = &in->task[in->birth[i].child];

    if (child->parent >= 0 || in->birth[i].child == in->birth[i].parent)
      continue;
    child->parent = in->birth[i].parent;
    child->born = born[child->parent]++;
  }
  free (born);
}

typedef struct Root {
  int64_t enrolled;
  int task;
} Root;

static int
by_enrolling (const void *a, const void *b)
{
  const Root *x = a, *y = b;

  return x->enrolled != y->enrolled ? (x->enrolled > y->enrolled) - (x->enrolled < y->enrolled)
                                    : (x->task > y->task) - (x->task < y->task);
}

/* The programs that the user started, in the order in which they enrolled. */
static void
find_roots (Reading *in)
{
  Root *root = calloc ((size_t) in->n_tasks + 1, sizeof *root);
  size_t n = 0;

  if (!root) {
    in->lacks = true;
    return;
  }
  for (int i = 0; i < in->n_tasks; i++)
    if (in->task[i].parent < 0 && in->task[i].born == 0 && in->enrolled[i] != INT64_MAX)
      root[n++] = (Root){ in->enrolled[i], i };
  qsort (root, n, sizeof *root, by_enrolling);
  for (size_t k = 0; k < n && k <= MOST_ROOTS; k++)
    in->task[root[k].task].born = (uint32_t) k + 1; /* from 1: 0 is one that is not placed yet */
  free (root);
}

static void
tell_lack (const Reading *in)
{
  tape_say (
      _ ("%s: not enough memory for the order of its messages; replay a shorter run, or end other programs first"),
      in->file);
}

static bool
pvm_order_write (TapeRun *run, Reading *in)
{
  char path[400];
  size_t size;
  int fd;

  if (in->n_calls)
    qsort (in->call, in->n_calls, sizeof *in->call, pvm_order_by_task_and_date);
  for (size_t i = in->n_calls; i-- > 0;) {
    in->task[in->call[i].task].first = (uint32_t) i;
    in->task[in->call[i].task].n++;
  }
  find_parents (in);
  find_roots (in);
  if (in->lacks) {
    tell_lack (in);
    return false;
  }
  memcpy (in->head.magic, TAPE_ORDER_MAGIC, sizeof in->head.magic);
  in->head.n_tasks = (uint32_t) in->n_tasks;
  in->head.n_calls = (uint32_t) in->n_calls;
  size = sizeof in->head + (size_t) in->n_tasks * sizeof *in->task + in->n_calls * sizeof (TapeOrderCall);
  snprintf (path, sizeof path, "%s/order", run->dir);
  fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && posix_fallocate (fd, 0, (off_t) size) == 0)
    run->order = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close (fd);
  if (!run->order || run->order == MAP_FAILED) {
    tape_say ("%s: %s", path, strerror (errno));
    run->order = NULL;
    return false;
  }
  *run->order = in->head;
  memcpy (order_tasks (run->order), in->task, (size_t) in->n_tasks * sizeof *in->task);
  for (size_t i = 0; i < in->n_calls; i++)
    *(TapeOrderCall *) (order_calls (run->order) + i) = in->call[i].call;
  return true;
}

/* The folder of the format in the bundle. */
static bool
find_events (const char *bundle, char out[static 4096])
{
  DIR *dir = opendir (bundle);
  struct dirent *entry;
  int found = 0;

  if (!dir) {
    tape_say (_ ("--replay %s: %s"), bundle, strerror (errno));
    return false;
  }
  while ((entry = readdir (dir)) != NULL) {
    size_t length = strlen (entry->d_name);

    if (length > 8 && strcmp (entry->d_name + length - 8, ".tapepvm") == 0) {
      snprintf (out, 4096, "%s/%s/kinds", bundle, entry->d_name);
      if (access (out, F_OK) == 0) {
        tape_say (_ ("%s: a table of kinds of its own; only what tape-pvm has recorded can be run again"), out);
        closedir (dir);
        return false;
      }
      snprintf (out, 4096, "%s/%s/events", bundle, entry->d_name);
      found++;
    }
  }
  closedir (dir);
  if (found != 1)
    tape_say (_ ("--replay %s: %s"), bundle,
              found ? _ ("several traces in one bundle; give a bundle of one") : _ ("no trace of a PVM program in it"));
  return found == 1;
}

bool
order_read (TapeRun *run)
{
  Reading in = { 0 };
  char path[4096], *line = NULL;
  size_t room = 0;
  ssize_t length;
  bool ok, receives = false;
  FILE *f;

  if (!find_events (run->replay, path))
    return false;
  in.file = path;
  if ((f = fopen (path, "re")) == NULL) {
    tape_say ("%s: %s", path, strerror (errno));
    return false;
  }
  for (ok = true; ok && !in.lacks && (length = getline (&line, &room, f)) >= 0;) {
    in.line++;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = '\0';
    ok = pvm_order_read_line (&in, line);
  }
  if (in.lacks)
    tell_lack (&in);
  else if (!ok)
    tape_say (_ ("%s:%ld: not a line of a TAPE/PVM trace; `scope check` tells more"), path, in.line);
  else if (ferror (f))
    tape_say ("%s: %s", path, strerror (errno));
  ok = ok && !in.lacks && !ferror (f);
  fclose (f);
  free (line);
  for (size_t i = 0; i < in.n_calls; i++)
    receives |= in.call[i].call.kind != TAPE_JoinGroup && in.call[i].call.kind != TAPE_Probe;
  if (ok && !receives) {
    tape_say (_ ("--replay %s: no receive is recorded there, so there is no order to keep"), run->replay);
    ok = false;
  }
  ok = ok && pvm_order_write (run, &in);
  free (in.task);
  free (in.enrolled);
  free (in.told_parent);
  free (in.inside);
  free (in.call);
  free (in.birth);
  map_clear (&in.numbers);
  return ok;
}

/* -- after the run -- */

static void
say_freed (const TapeRun *run, const TapeOrderTask *task)
{
  const TapeOrderCall *call = task->at && task->at <= task->n ? &order_calls (run->order)[task->first + task->at - 1]
                                                              : NULL;
  const TapeKind *kind = call ? tape_kind (call->kind) : NULL;
  char who[64];

  snprintf (who, sizeof who, _ ("t%x (t%x when it was recorded)"), (unsigned) task->tid, (unsigned) task->then);
  switch (task->why) {
  case ORDER_MORE:
    tape_say (_ ("%s: receives more than the %u times of the recorded run; from there on it ran freely"), who, task->n);
    break;
  case ORDER_GONE:
    tape_say (
        _ ("%s: call %u, %s: who sent the message then has ended without sending it now; from there on it ran freely"),
        who, task->at, kind ? kind->name : _ ("receive"));
    break;
  case ORDER_MATCHER:
    tape_say (_ ("%s: chooses its messages by a function of its own (pvm_recvf); it ran freely"), who);
    break;
  case ORDER_INSTANCE:
    tape_say (_ ("%s: call %u: joined a group as another instance than then"), who, task->at);
    break;
  default:
    tape_say (
        _ ("%s: call %u is not the %s of the recorded run: the program goes another way; from there on it ran freely"),
        who, task->at, kind ? kind->name : _ ("receive"));
  }
}

bool
order_tell (TapeRun *run)
{
  unsigned long long done = 0, directed = 0;
  unsigned seen = 0, missing = 0, freed = 0;
  const TapeOrderTask *first_missing = NULL;

  for (unsigned i = 0; i < run->order->n_tasks; i++) {
    const TapeOrderTask *task = &order_tasks (run->order)[i];

    done += task->at < task->n ? task->at : task->n;
    directed += task->directed;
    seen += task->state != ORDER_UNSEEN;
    if (task->n && task->state == ORDER_UNSEEN && !missing++)
      first_missing = task;
    if (task->why != ORDER_NOT_FREED && freed++ < 8)
      say_freed (run, task);
  }
  if (missing)
    tape_say (
        P_ ("t%x of the recorded run did not come to receive anything in this one (on another host, the folder of "
            "temporary files must be the same)",
            "t%x of the recorded run and others did not come to receive anything in this one (on another host, the "
            "folder of temporary files must be the same)",
            missing),
        (unsigned) first_missing->then);
  if (run->order->extra)
    tape_say (_ ("%u tasks were born that the recorded run does not have; they ran freely"), run->order->extra);
  if (!run->quiet)
    tape_say (_ ("%s: %llu calls of %u tasks in the recorded order; %llu of them might have got something else"),
              run->replay, done, seen, directed);
  return !freed && !missing && !run->order->extra;
}
