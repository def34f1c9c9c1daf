/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - the bundle grows while the program runs (tape-pvm --live).
 *
 * Ten times a second what the tasks have written is merged up to a date a little behind the present, and appended in
 * one write: lines in the order of their dates, each whole.  A call that is not over by then is written as one that has
 * begun, and its end when it ends (version 2 of the format).  Files of tasks are read, not mapped: they may become
 * shorter any time.  A record is read a second time once it is seen to be there, or to have ended, since only then all
 * of it is.
 *
 * Other hosts: dates are those of the first measure of their clocks, and files that do not lie here are seen at the end
 * alone.  Then the whole is written again, as without --live. */
#include "merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/words.h"

#define HOLD_NS 150000000   /* a record may be begun so long before it is seen */
#define STEP_NS 90000000    /* between two merges, at least */
#define CHUNK (64u << 10)   /* of a file, read at once */
#define TEXT_MOST (1 << 20) /* bytes, written at once */

typedef struct Open { /* a call that was written when it began */
  uint64_t at;        /* its record, in the file of the task */
  int64_t begun;      /* as it was written */
} Open;

typedef struct Local { /* the file of a task */
  char name[160];
  int fd;   /* -1: it is not read any more */
  int task; /* -1: it is none yet */
  TapeHeader header;
  uint64_t at, base; /* read up to here; bytes[0] */
  uint8_t *bytes;    /* of records, from `head` on not written yet */
  size_t head, n, room;
  Open *open;
  int n_open, room_open;
} Local;

typedef struct End { /* of a call in `open`, to be written when its date has come */
  int64_t date;
  int64_t begun;
  int local;
  TapeRecord *r;
} End;

static Merge m;
static Local *locals;
static int n_locals;
static End *ends;
static int n_ends, room_ends, next_end;
static int events_fd = -1, live_fd = -1;
static char *text;
static size_t text_size;
static uint8_t *chunk;
static size_t chunk_room;
static int64_t stepped, reached; /* our clock; date of the last line */
static bool failed, strange;     /* cannot be written; not all of it was seen in time */

/* -- writing -- */

static bool
pvm_live_fail (const char *what)
{
  if (!failed)
    tape_say (_ ("%s: %s: %s; the trace is written at the end"), m.run->bundle, what, strerror (errno));
  failed = true;
  return false;
}

/* What was printed, in one write, so that a line that is there is whole. */
static bool
pvm_live_write_out (void)
{
  size_t done = 0;

  fflush (m.out);
  while (!failed && done < text_size) {
    ssize_t n = write (events_fd, text + done, text_size - done);
    if (n < 0 && errno != EINTR)
      return pvm_live_fail ("events");
    done += n > 0 ? (size_t) n : 0;
  }
  rewind (m.out);
  return !failed;
}

static int
pvm_live_create (const char *name, int flags)
{
  char path[4096];

  snprintf (path, sizeof path, "%s/%s.tapepvm/%s", m.run->bundle, m.run->name, name);
  unlink (path);
  return open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0666);
}

bool
live_begin (TapeRun *run)
{
  static const char head[] = "#TAPE/PVM 2\n";
  char path[4096], host[65] = "";
  FILE *none;

  memset (&m, 0, sizeof m);
  m.run = run;
  m.out = open_memstream (&text, &text_size);
  none = bundle_create (run, (snprintf (path, sizeof path, "%s.tapepvm", run->name), path), "sites");
  if (!none || fclose (none) != 0)
    return false;
  events_fd = pvm_live_create ("events", O_APPEND);
  live_fd = pvm_live_create ("live", O_APPEND);
  gethostname (host, sizeof host - 1);
  if (events_fd < 0 || live_fd < 0 || flock (live_fd, LOCK_EX) != 0 || write (events_fd, head, sizeof head - 1) < 0
      || dprintf (live_fd, "tape-pvm %d on %s\nbegan %lld\n", (int) getpid (), run->anonymous ? "a host" : host,
                  (long long) tape_now ())
             < 0) {
    tape_say ("%s: %s", run->bundle, strerror (errno));
    return false;
  }
  return true;
}

/* -- the files of the tasks -- */

static bool
read_at (const Local *l, void *to, size_t n, uint64_t at)
{
  return pread (l->fd, to, n, (off_t) at) == (ssize_t) n;
}

static void
find_files (void)
{
  DIR *dir = opendir (m.run->dir);
  struct dirent *entry;

  while (dir && (entry = readdir (dir)) != NULL) {
    size_t length = strlen (entry->d_name);
    bool known = length < 5 || length >= sizeof locals->name || strcmp (entry->d_name + length - 5, ".tape") != 0;

    for (int i = n_locals; !known && i-- > 0;)
      known = strcmp (locals[i].name, entry->d_name) == 0;
    if (known)
      continue;
    locals = realloc (locals, (size_t) (n_locals + 1) * sizeof *locals);
    memset (&locals[n_locals], 0, sizeof *locals);
    snprintf (locals[n_locals].name, sizeof locals->name, "%s", entry->d_name);
    locals[n_locals].fd = openat (dirfd (dir), entry->d_name, O_RDONLY | O_CLOEXEC);
    locals[n_locals++].task = -1;
  }
  if (dir)
    closedir (dir);
}

/* It says which task it is of as soon as that is one. */
static void
take_task (Local *l)
{
  TapeRun *run = m.run;
  TapeTask *task;
  TapeHeader *h;

  if (l->fd < 0 || !read_at (l, &l->header, sizeof l->header, 0))
    return;
  if (l->task >= 0) {
    memcpy ((void *) run->task[l->task].h, &l->header, sizeof l->header);
    return;
  }
  if (memcmp (l->header.magic, TAPE_LOCAL_MAGIC, sizeof l->header.magic) != 0 || l->header.version != TAPE_LOCAL_VERSION
      || l->header.header_size != sizeof (TapeHeader) || l->header.tid <= 0 || local_find (run, l->header.tid) >= 0)
    return;
  h = malloc (sizeof *h);
  *h = l->header;
  run->task = realloc (run->task, (size_t) (run->n_tasks + 1) * sizeof *run->task);
  m.cursor = realloc (m.cursor, (size_t) (run->n_tasks + 1) * sizeof *m.cursor);
  memset (&m.cursor[run->n_tasks], 0, sizeof *m.cursor);
  task = &run->task[l->task = run->n_tasks++];
  *task = (TapeTask){ .h = h, .clock = tape_clock_number (run, h->domain) };
  l->at = l->base = h->header_size;
  if (!run->clock[task->clock].known) {
    TapeClock *clock = &run->clock[task->clock];
    clock->known = true;
    clock->at[0] = run->began;
    clock->offset[0] = h->enroll_ns - run->began;
    clock->error[0] = -1;
  }
  strange |= !run->clock[task->clock].own;
}

static void
pvm_live_append (Local *l, size_t n)
{
  if (l->head == l->n) {
    l->base += l->n;
    l->head = l->n = 0;
  }
  if (l->n + n > l->room) {
    l->room = (l->n + n) * 2;
    l->bytes = realloc (l->bytes, l->room);
  }
  memcpy (l->bytes + l->n, chunk, n);
  l->n += n;
  l->at += n;
}

/* What has been published since.  A record that nobody can have written ends the file. */
static void
read_records (Local *l)
{
  for (size_t want = CHUNK;;) {
    size_t used = 0;
    ssize_t n;

    if (chunk_room < want)
      chunk = realloc (chunk, chunk_room = want);
    n = pread (l->fd, chunk, want, (off_t) l->at);
    while (n > 0 && used + sizeof (TapeRecord) <= (size_t) n) {
      const TapeRecord *r = (const TapeRecord *) (chunk + used);

      if (!r->size || r->size < sizeof *r + r->n * 8u || r->size % 8)
        break;
      if (used + r->size > (size_t) n) {
        want = r->size > want ? r->size : want;
        break;
      }
      used += r->size;
    }
    if (used) {
      if (pread (l->fd, chunk, used, (off_t) l->at) != (ssize_t) used)
        return;
      pvm_live_append (l, used);
    } else if (n < (ssize_t) want || want == chunk_room) {
      return;
    }
  }
}

/* -- calls that were written when they began -- */

static void
pvm_live_note_open (Local *l, uint64_t at, int64_t begun)
{
  if (l->n_open == l->room_open) {
    l->room_open = l->room_open ? 2 * l->room_open : 8;
    l->open = realloc (l->open, (size_t) l->room_open * sizeof *l->open);
  }
  l->open[l->n_open++] = (Open){ at, begun };
}

static void
look_for_ends (int index)
{
  Local *l = &locals[index];

  for (int k = 0; k < l->n_open; k++) {
    TapeRecord head, *r;
    int64_t duration;

    if (!read_at (l, &head, sizeof head, l->open[k].at) || head.duration < 0)
      continue;
    r = malloc (head.size);
    if (!read_at (l, r, head.size, l->open[k].at)) {
      free (r);
      continue;
    }
    if (n_ends == room_ends) {
      room_ends = room_ends ? 2 * room_ends : 64;
      ends = realloc (ends, (size_t) room_ends * sizeof *ends);
    }
    duration = merge_duration (&m, l->task, r, l->open[k].begun);
    ends[n_ends++] = (End){ l->open[k].begun + duration, l->open[k].begun, index, r };
    l->open[k--] = l->open[--l->n_open];
  }
}

static int
pvm_live_by_date (const void *a, const void *b)
{
  const End *x = a, *y = b;

  return (x->date > y->date) - (x->date < y->date);
}

static void
pvm_live_put_end (const End *e)
{
  Local *l = &locals[e->local];
  Cursor *c = &m.cursor[l->task], before = *c;
  int64_t date = e->date > reached ? e->date : reached;
  TapeRecord *r = e->r;

  /* The end that is written: of a task that was moved, or seen late, it is not before the line above. */
  fprintf (m.out, "0 %lld ", (long long) date);
  c->date = e->begun;
  c->r = r;
  m.run->n_calls--;
  m.run->n_unfinished--;
  merge_put_record (&m, l->task, date - e->begun);
  merge_note_join (&m, l->task, r);
  *c = before;
  if (date > c->last_end)
    c->last_end = date;
  reached = date;
  free (r);
}

/* -- the merge -- */

static const TapeRecord *
next_record (Local *l)
{
  while (l->head < l->n) {
    TapeRecord *r = (TapeRecord *) (l->bytes + l->head);

    if (r->kind != TAPE_MODULES)
      return r;
    local_modules (&m.run->task[l->task], r);
    l->head += r->size;
  }
  return NULL;
}

/* The date of what comes next of a task; INT64_MAX: nothing does by now. */
static int64_t
pvm_live_next_date (Local *l, bool last)
{
  Cursor *c = &m.cursor[l->task];
  TapeTask *task = &m.run->task[l->task];
  const TapeRecord *r = NULL;
  int64_t date = INT64_MAX, died;

  if (c->stage == ENROLL) {
    date = local_date (m.run, task, task->h->enroll_ns);
  } else if (c->stage == RECORDS && (r = next_record (l))) {
    date = local_date (m.run, task, r->begin);
  } else if (c->stage == RECORDS && task->h->exited) {
    c->stage = GONE;
  } else if (c->stage == RECORDS) {
    for (int i = 0; i < m.run->n_known; i++)
      if (m.run->known[i].tid == task->h->tid)
        task->died = m.run->known[i].at;
    died = task->died ? task->died : last ? m.run->ended : INT64_MAX;
    if (died < INT64_MAX) {
      c->stage = DEATH;
      died -= m.run->origin;
      date = died > c->last_end ? died : c->last_end;
    }
  } else if (c->stage == DEATH) {
    date = c->date;
  }
  if (date < INT64_MAX) {
    date = date > c->last ? date : c->last;
    c->date = date > reached ? date : reached;
  }
  c->r = r;
  return date < INT64_MAX ? c->date : INT64_MAX;
}

/* As it is now: what was under way when it was read may have ended since. */
static void
refresh (Local *l, TapeRecord *r)
{
  TapeRecord head;
  uint64_t at = l->base + l->head;

  if (r->duration < 0 && read_at (l, &head, sizeof head, at) && head.duration >= 0)
    read_at (l, r, r->size, at);
}

static void
put_next (int index)
{
  Local *l = &locals[index];
  Cursor *c = &m.cursor[l->task];

  c->last = reached = c->date;
  if (c->stage == ENROLL) {
    merge_put_enroll (&m, l->task);
    c->stage = RECORDS;
  } else if (c->stage == DEATH) {
    merge_put_exit (&m, l->task);
    m.run->lived_ns += c->date - local_date (m.run, &m.run->task[l->task], m.run->task[l->task].h->enroll_ns);
    c->stage = GONE;
  } else {
    TapeRecord *r = (TapeRecord *) (l->bytes + l->head);
    uint64_t at = l->base + l->head;

    refresh (l, r);
    c->r = r;
    merge_put_record (&m, l->task, merge_duration (&m, l->task, r, c->date));
    merge_note_join (&m, l->task, r);
    if (r->duration < 0 && tape_kind (r->kind) && m.run->mask[r->kind])
      pvm_live_note_open (l, at, c->date);
    else if (r->kind == TAPE_Exit)
      m.run->lived_ns += c->date - local_date (m.run, &m.run->task[l->task], m.run->task[l->task].h->enroll_ns);
    l->head += r->size;
  }
}

static void
put_samples (int64_t until)
{
  m.sampled = m.sampled > reached ? m.sampled : reached;
  sample_put (&m, until);
  reached = m.sampled > reached ? m.sampled : reached;
}

/* Everything dated by then: our clock. */
static void
merge_until (int64_t horizon, bool last)
{
  int64_t until = horizon == INT64_MAX ? INT64_MAX - 1 : horizon - m.run->origin;

  m.heap.n = 0;
  for (int i = 0; i < n_locals; i++) {
    int64_t date = locals[i].task >= 0 ? pvm_live_next_date (&locals[i], last) : INT64_MAX;
    if (date < INT64_MAX)
      heap_push (&m.heap, date, i);
  }
  for (next_end = 0; !failed;) {
    int64_t date = m.heap.n ? m.heap.item[0].date : INT64_MAX;

    if (next_end < n_ends && ends[next_end].date <= until && ends[next_end].date <= date) {
      put_samples (ends[next_end].date - 1);
      pvm_live_put_end (&ends[next_end++]);
    } else if (date <= until) {
      int i = heap_pop (&m.heap);

      put_samples (date - 1);
      put_next (i);
      if (pvm_live_next_date (&locals[i], last) < INT64_MAX)
        heap_push (&m.heap, m.cursor[locals[i].task].date, i);
    } else {
      break;
    }
    if (ftell (m.out) > TEXT_MOST)
      pvm_live_write_out ();
  }
  put_samples (until);
  if (next_end)
    memmove (ends, ends + next_end, (size_t) (n_ends - next_end) * sizeof *ends);
  n_ends -= next_end;
}

void
live_step (TapeRun *run, bool last)
{
  int64_t now = tape_now (), horizon = last ? INT64_MAX : now - HOLD_NS;
  int known = run->n_tasks;

  if (failed || (!last && now - stepped < STEP_NS))
    return;
  stepped = now;
  run->origin = run->began;
  find_files ();
  for (int i = 0; i < n_locals; i++)
    take_task (&locals[i]);
  if (last && strange && run->n_tasks > known) /* of hosts whose files are here only now: too late for these lines */
    return;
  for (int i = 0; i < n_locals; i++) {
    if (locals[i].task < 0 || locals[i].fd < 0)
      continue;
    read_records (&locals[i]);
    look_for_ends (i);
  }
  if (n_ends)
    qsort (ends, (size_t) n_ends, sizeof *ends, pvm_live_by_date);
  merge_until (horizon, last);
  if (!last && horizon - run->origin > reached) {
    reached = horizon - run->origin;
    fprintf (m.out, "0 %lld\n", (long long) reached);
  }
  pvm_live_write_out ();
  sites_write_more (run);
  for (int i = 0; i < n_locals; i++)
    if (locals[i].fd >= 0 && locals[i].task >= 0 && m.cursor[locals[i].task].stage == GONE && !locals[i].n_open) {
      close (locals[i].fd);
      locals[i].fd = -1;
    }
}

bool
live_end (TapeRun *run)
{
  if (failed)
    return false;
  live_step (run, true);
  return !failed && !strange;
}

void
live_close (TapeRun *run)
{
  for (int i = 0; i < n_locals; i++) {
    if (locals[i].fd >= 0)
      close (locals[i].fd);
    free (locals[i].bytes);
    free (locals[i].open);
  }
  for (int i = 0; i < run->n_tasks; i++) {
    free ((void *) run->task[i].h);
    free (run->task[i].module);
  }
  free (run->task);
  run->task = NULL;
  run->n_tasks = 0;
  run->n_events = run->n_calls = run->n_unfinished = run->lived_ns = 0;
  free (locals);
  for (int i = 0; i < n_ends; i++)
    free (ends[i].r);
  free (ends);
  free (chunk);
  if (m.out)
    fclose (m.out);
  free (text);
  if (events_fd >= 0)
    close (events_fd);
  merge_clear (&m);
}

void
live_discard (TapeRun *run)
{
  static const char *const names[] = { "events", "live", "sites", "" };
  char path[4096];

  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf (path, sizeof path, "%s/%s.tapepvm/%s", run->bundle, run->name, names[i]);
    remove (path);
  }
}

/* All of the bundle is there. */
void
live_say_ended (void)
{
  if (live_fd >= 0 && write (live_fd, "ended\n", 6) == 6)
    close (live_fd);
}
