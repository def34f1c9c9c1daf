/* SPDX-License-Identifier: Apache-2.0 */
/* note.c - what the runtime tells, in a task: which of it is recorded. */
#include "note.h"

#include "collect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PHASES 64

Writer note_writer;
static _Atomic bool wanted[256];

/* -- which events -- */

static const struct {
  uint8_t type;
  const char *name, *category;
} kinds[] = {
#define KIND(number, name, category, fields) { number, #name, category },
#include "kinds.def"
#undef KIND
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

static bool
note_same_word (const char *word, size_t n, const char *text)
{
  return strncmp (word, text, n) == 0 && (text[n] == 0 || text[n] == ' ');
}

bool
note_choose (const char *which)
{
  bool chosen[256] = { false };
  bool first = true;

  while (*which) {
    size_t n = strcspn (which, ",");
    bool less = *which == '-';
    const char *word = which + less;
    size_t length = n - less;
    bool known = length == 3 && memcmp (word, "all", 3) == 0;

    for (size_t i = 0; i < N_KINDS; i++) {
      bool it = known || note_same_word (word, length, kinds[i].name)
                || note_same_word (word, length, kinds[i].category);

      if (first)
        chosen[kinds[i].type] = less;
      if (it)
        chosen[kinds[i].type] = !less;
    }
    for (size_t i = 0; i < N_KINDS && !known; i++)
      known = note_same_word (word, length, kinds[i].name) || note_same_word (word, length, kinds[i].category);
    if (!known || !length)
      return false;
    first = false;
    which += n + (which[n] == ',');
  }
  if (first)
    return false;
  chosen[TAPE_TskBth] = chosen[TAPE_TskDth] = true;
  for (int i = 0; i < 256; i++)
    atomic_store_explicit (&wanted[i], chosen[i], memory_order_relaxed);
  return true;
}

static bool
note_is_wanted (uint8_t type)
{
  return note_writer.base && atomic_load_explicit (&wanted[type], memory_order_relaxed);
}

/* -- what the runtime tells -- */

static TapeEvent *
note_put (uint8_t type, int64_t began, unsigned n, const int64_t *field, const char *word, int64_t *date)
{
  return writer_put (&note_writer, type, 0, (uint16_t) ouf_thread_number, began, n, field, word, date);
}

OufMark
note_begin (uint8_t type, unsigned n, const int64_t *field)
{
  OufMark mark = { NULL, 0, type };

  if (note_is_wanted (type))
    mark.event = note_put (type, WRITER_UNFINISHED, n, field, NULL, &mark.date);
  else if (note_writer.base)
    mark.date = ouf_now (); /* its end may be recorded all the same */
  return mark;
}

OufMark
note_alternative (bool waits, int n, const int *links)
{
  int64_t field[1 + OUF_MAX_ALT];

  field[0] = n;
  for (int i = 0; i < n; i++)
    field[1 + i] = links[i];
  return note_begin (waits ? TAPE_Alt : TAPE_NAlt, 1 + (unsigned) n, field);
}

static void
note_end_named (OufMark *mark, uint8_t type, unsigned n, const int64_t *field, const char *word)
{
  TapeEvent *e = NULL;
  int64_t now = 0;

  if (note_is_wanted (type))
    e = writer_put (&note_writer, type, mark->type, (uint16_t) ouf_thread_number, mark->date, n, field, word, &now);
  else if (mark->event)
    now = ouf_now ();
  /* Aligned, so a reader of the file sees the one or the other. */
  if (mark->event)
    mark->event->duration = e ? e->duration : now - mark->date;
}

void
note_end (OufMark *mark, uint8_t type, unsigned n, const int64_t *field)
{
  note_end_named (mark, type, n, field, NULL);
}

void
note_instant (uint8_t type, unsigned n, const int64_t *field)
{
  if (note_is_wanted (type))
    note_put (type, WRITER_INSTANT, n, field, NULL, NULL);
}

void
note_named (uint8_t type, int thread, int64_t value, const char *name)
{
  if (note_is_wanted (type))
    writer_put (&note_writer, type, 0, (uint16_t) thread, WRITER_INSTANT, 1, &value, name, NULL);
}

void
note_semaphore (int semaphore, int64_t value, const char *name)
{
  if (note_is_wanted (TAPE_SemInit))
    note_put (TAPE_SemInit, WRITER_INSTANT, 2, (int64_t[]){ semaphore, value }, name, NULL);
}

/* -- the task's own first and last events -- */

void
note_task_begin (void)
{
  if (!note_writer.base)
    return;
  note_claim (ouf.self);
  note_instant (TAPE_TskBth, 1, (int64_t[]){ getpid () });
}

void
note_task_end (int status)
{
  if (!note_writer.base)
    return;
  note_instant (TAPE_TskDth, 1, (int64_t[]){ status });
  pthread_mutex_lock (&note_writer.lock);
  writer_close_block (&note_writer);
  note_writer.off = true;
  pthread_mutex_unlock (&note_writer.lock);
  atomic_store (&ouf.tasks[ouf.self].closed, 1);
}

/* -- the program's own events -- */

typedef struct Phases {
  struct {
    OufMark mark;
    int64_t value;
    char name[TAPE_MAX_NAME + 1];
  } open[MAX_PHASES];
  int n;
} Phases;

static pthread_key_t phases_key;
static pthread_once_t phases_once = PTHREAD_ONCE_INIT;

static void
make_key (void)
{
  pthread_key_create (&phases_key, free);
}

void
ouf_user (const char *name, int64_t value)
{
  if (ouf.self >= 0 && note_is_wanted (TAPE_User))
    note_put (TAPE_User, WRITER_INSTANT, 1, &value, name, NULL);
}

void
ouf_phase (const char *name, int64_t value)
{
  Phases *p;

  if (ouf.self < 0 || !note_writer.base)
    return;
  pthread_once (&phases_once, make_key);
  p = pthread_getspecific (phases_key);
  if (!p) {
    p = calloc (1, sizeof *p);
    if (!p)
      return;
    pthread_setspecific (phases_key, p);
  }
  if (p->n == MAX_PHASES)
    return;
  p->open[p->n].mark = (OufMark){ NULL, 0, TAPE_Phase };
  p->open[p->n].value = value;
  strncpy (p->open[p->n].name, name, TAPE_MAX_NAME);
  if (note_is_wanted (TAPE_Phase))
    p->open[p->n].mark.event = note_put (TAPE_Phase, WRITER_UNFINISHED, 1, &value, name, &p->open[p->n].mark.date);
  else
    p->open[p->n].mark.date = ouf_now ();
  p->n++;
}

void
ouf_phase_end (const char *name)
{
  Phases *p;

  if (ouf.self < 0 || !note_writer.base)
    return;
  pthread_once (&phases_once, make_key);
  p = pthread_getspecific (phases_key);
  for (int i = p ? p->n : 0; i-- > 0;)
    if (strncmp (p->open[i].name, name, TAPE_MAX_NAME) == 0) {
      note_end_named (&p->open[i].mark, TAPE_EndPhase, 1, &p->open[i].value, name);
      memmove (&p->open[i], &p->open[i + 1], (size_t) (p->n - i - 1) * sizeof p->open[0]);
      p->n--;
      return;
    }
}

bool
ouf_events (const char *which)
{
  return note_choose (which);
}
