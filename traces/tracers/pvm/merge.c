/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - all local files become one file of events, in order of date.
 *
 * Records of a task are in order already, so this is a merge: memory grows with the tasks, not with the
 * events. A task brings its Enroll from the header of its file, and an Exit of result -1 if it wrote none. */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- the words of the format -- */

void
tape_put_word (FILE *out, const char *s, size_t length)
{
  fputc (' ', out);
  if (length == 0)
    fputc ('-', out);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char) s[i];

    if (c <= ' ' || c == 0x7f || c == '%' || (c == '-' && i == 0))
      fprintf (out, "%%%02x", c);
    else
      fputc (c, out);
  }
}

/* A task as PVM numbers it: daemons have the top bit, which makes an int negative; -1 stays "none". */
static long long
task_number (int64_t tid)
{
  return tid < -1 ? (long long) (uint32_t) tid : (long long) tid;
}

/* -- call sites and roots -- */

static int
pvm_merge_site_of (Merge *m, int i, uint64_t address)
{
  const TapeTask *task = &m->run->task[i];

  for (int k = 0; address && k < task->n_modules; k++) {
    const TapeModule *mod = &task->module[k];

    if (address >= mod->begin && address < mod->end) {
      uint64_t offset = address - mod->begin + mod->offset;
      int *known;

      if (mod->file < 0)
        return 0;
      known = map_at (&m->sites, ((uint64_t) mod->file << 48) ^ offset);
      if (*known < 0)
        *known = site_number (mod->file, offset);
      return *known;
    }
  }
  return 0;
}

void
merge_note_join (Merge *m, int i, const TapeRecord *r)
{
  const TapeTask *task = &m->run->task[i];

  if (r->kind != TAPE_JoinGroup || r->duration < 0 || r->field[1] < 0)
    return;
  m->join = realloc (m->join, (size_t) (m->n_joins + 1) * sizeof *m->join);
  m->join[m->n_joins++] = (Join){ local_date (m->run, task, r->begin), task->h->tid, (int) r->field[1],
                                  strndup ((const char *) &r->field[2], (size_t) r->field[0]) };
}

static void
find_joins (Merge *m)
{
  for (int i = 0; i < m->run->n_tasks; i++) {
    const TapeRecord *r;
    size_t at = 0;

    while ((r = local_next (&m->run->task[i], &at)) != NULL)
      merge_note_join (m, i, r);
  }
}

/* Who was that instance of the group: the last to have joined as it; an instance may have several in turn. */
static int
root_task (Merge *m, const char *group, size_t length, int instance, int64_t date)
{
  const Join *best = NULL;

  for (int i = 0; i < m->n_joins; i++) {
    const Join *j = &m->join[i];

    if (j->instance == instance && strlen (j->group) == length && memcmp (j->group, group, length) == 0
        && (!best || (j->date <= date && (best->date > date || j->date > best->date))
            || (best->date > date && j->date < best->date)))
      best = j;
  }
  return best ? best->tid : -1;
}

/* -- records -- */

static void
pvm_merge_put_list (Merge *m, const TapeRecord *r, int me, const int32_t *list, int64_t n)
{
  int64_t kept = 0;
  const int32_t *end = (const int32_t *) ((const char *) r + r->size);
  TapeMap seen = { 0 };

  if (n < 0 || list > end || n > end - list)
    n = 0;
  /* pvm_mcast sends once to each task, and not to the caller. */
  for (int pass = 0; pass < 2; pass++) {
    if (pass)
      fprintf (m->out, " %lld", (long long) kept);
    map_clear (&seen);
    for (int64_t i = 0; i < n; i++) {
      int *known = map_at (&seen, (uint32_t) list[i]);

      if (r->kind == TAPE_Mcast && (*known >= 0 || list[i] == me))
        continue;
      *known = 1;
      kept += !pass;
      if (pass)
        fprintf (m->out, " %lld", task_number (list[i]));
    }
  }
  map_clear (&seen);
}

static void
pvm_merge_put_fields (Merge *m, int i, const TapeKind *kind, const TapeRecord *r)
{
  const char *tail = (const char *) &r->field[r->n], *end = (const char *) r + r->size, *group = "";
  size_t group_length = 0;
  const char *p = kind->fields;

  for (int f = 0; f < r->n && *p; f++) {
    const char *role = strchr (p, '=') + 1;
    size_t length = strcspn (role, " ");
    int64_t value = r->field[f];
#define IS(word) (length == strlen (word) && memcmp (role, word, length) == 0)

    if (IS ("word") || IS ("group")) {
      size_t bytes = value >= 0 && value <= end - tail ? (size_t) value : 0;

      tape_put_word (m->out, tail, bytes);
      group = tail;
      group_length = bytes;
      tail += TAPE_PAD (bytes);
    } else if (IS ("peers")) {
      pvm_merge_put_list (m, r, m->run->task[i].h->tid, (const int32_t *) tail, value);
    } else if (r->kind >= TAPE_Scatter && r->kind <= TAPE_Reduce && f == 1) {
      fprintf (m->out, " %d", root_task (m, group, group_length, (int) value, m->cursor[i].date));
    } else if (IS ("peer") || IS ("task")) {
      fprintf (m->out, " %lld", task_number (value));
    } else {
      fprintf (m->out, " %lld", (long long) value);
    }
    p = role + length;
    p += strspn (p, " ");
  }
}

static void
pvm_merge_put_head (Merge *m, int kind, int64_t date, int i, int64_t duration, int site)
{
  fprintf (m->out, "%d %lld %d %lld %d", kind, (long long) date, m->run->task[i].h->tid, (long long) duration, site);
  m->run->n_events++;
}

void
merge_put_enroll (Merge *m, int i)
{
  const TapeHeader *h = m->run->task[i].h;
  const TapeHost *host = machine_host_of (m->run, h->tid);
  char name[80];

  if (host && m->run->anonymous)
    snprintf (name, sizeof name, "host%d", (int) (host - m->run->host) + 1);
  else
    snprintf (name, sizeof name, "%s", host ? host->name : m->run->anonymous ? "host" : h->host);
  pvm_merge_put_head (m, TAPE_Enroll, m->cursor[i].date, i, 0, 0);
  tape_put_word (m->out, name, strlen (name));
  tape_put_word (m->out, host ? host->arch : "", host ? strlen (host->arch) : 0);
  fprintf (m->out, " %d %d", host ? host->speed : 0, h->parent > 0 ? h->parent : -1);
  tape_put_word (m->out, h->program, strnlen (h->program, sizeof h->program));
  fputc ('\n', m->out);
}

void
merge_put_exit (Merge *m, int i)
{
  pvm_merge_put_head (m, TAPE_Exit, m->cursor[i].date, i, 0, 0);
  fputs (" -1\n", m->out);
}

int64_t
merge_duration (const Merge *m, int i, const TapeRecord *r, int64_t begin)
{
  int64_t duration;

  if (r->duration < 0)
    return -1;
  duration = local_date (m->run, &m->run->task[i], r->begin + r->duration) - begin;
  return duration > 0 ? duration : 0;
}

void
merge_put_record (Merge *m, int i, int64_t duration)
{
  Cursor *c = &m->cursor[i];
  const TapeRecord *r = c->r;
  const TapeKind *kind = tape_kind (r->kind);
  int64_t end = c->date + (duration > 0 ? duration : 0);
  if (end > c->last_end)
    c->last_end = end;
  if (!kind || !m->run->mask[r->kind])
    return;
  if (strstr (kind->category, "instant"))
    duration = 0;
  pvm_merge_put_head (m, r->kind, c->date, i, duration, pvm_merge_site_of (m, i, r->site));
  pvm_merge_put_fields (m, i, kind, r);
  fputc ('\n', m->out);
  m->run->n_calls++;
  m->run->n_unfinished += duration < 0;
}

/* -- the merge -- */

void
merge_clear (Merge *m)
{
  for (int i = 0; i < m->n_joins; i++)
    free (m->join[i].group);
  free (m->join);
  free (m->cursor);
  free (m->heap.item);
  map_clear (&m->sites);
  memset (m, 0, sizeof *m);
}

static void
pvm_merge_schedule (Merge *m, int i, int64_t date)
{
  Cursor *c = &m->cursor[i];

  /* Events of several threads of one task may lie a few nanoseconds out of order in its file. */
  c->date = date > c->last ? date : c->last;
  c->last = c->date;
  heap_push (&m->heap, c->date, i);
}

static void
pvm_merge_advance (Merge *m, int i)
{
  Cursor *c = &m->cursor[i];
  const TapeTask *task = &m->run->task[i];

  c->stage = RECORDS;
  do
    c->r = local_next (task, &c->at);
  while (c->r && c->r->kind == TAPE_MODULES);
  if (c->r) {
    pvm_merge_schedule (m, i, local_date (m->run, task, c->r->begin));
  } else if (!task->h->exited) {
    int64_t died = (task->died ? task->died : m->run->ended) - m->run->origin;

    c->stage = DEATH;
    pvm_merge_schedule (m, i, died > c->last_end ? died : c->last_end);
  } else {
    c->stage = GONE;
  }
  if (c->stage == GONE)
    m->run->lived_ns += c->last - local_date (m->run, task, task->h->enroll_ns);
}

bool
merge_write (TapeRun *run)
{
  char folder[300];
  Merge m = { .run = run };
  bool ok;

  snprintf (folder, sizeof folder, "%s.tapepvm", run->name);
  m.out = bundle_create (run, folder, run->live ? "events.new" : "events");
  if (!m.out)
    return false;
  m.cursor = calloc ((size_t) run->n_tasks, sizeof *m.cursor);
  find_joins (&m);
  sample_rewind ();
  fputs ("#TAPE/PVM 1\n", m.out);
  for (int i = 0; i < run->n_tasks; i++)
    pvm_merge_schedule (&m, i, local_date (run, &run->task[i], run->task[i].h->enroll_ns));
  while (m.heap.n) {
    int64_t date = m.heap.item[0].date;
    int i = heap_pop (&m.heap);
    Cursor *c = &m.cursor[i];

    sample_put (&m, date - 1);
    if (c->stage == DEATH) {
      merge_put_exit (&m, i);
      run->lived_ns += c->date - local_date (run, &run->task[i], run->task[i].h->enroll_ns);
      c->stage = GONE;
      continue;
    }
    if (c->stage == ENROLL)
      merge_put_enroll (&m, i);
    else
      merge_put_record (&m, i, merge_duration (&m, i, c->r, c->date));
    pvm_merge_advance (&m, i);
  }
  ok = !ferror (m.out);
  ok = fclose (m.out) == 0 && ok;
  if (run->live) { /* what grew is there until this is whole */
    char from[4096], to[4096];

    snprintf (from, sizeof from, "%s/%s/events.new", run->bundle, folder);
    snprintf (to, sizeof to, "%s/%s/events", run->bundle, folder);
    ok = ok && rename (from, to) == 0;
  }
  if (!ok)
    tape_say ("%s: %s", run->bundle, strerror (errno));
  merge_clear (&m);
  return ok;
}
