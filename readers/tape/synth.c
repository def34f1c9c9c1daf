/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - a program that never ran: tasks on a ring with chords exchange messages by rendezvous, some with time
 * limits or after an alternative, sleep, take semaphores.  The same seed gives the same bytes. */
#include <errno.h>
#include <stdio.h>
#include "readers/tape/tape.h"

#define TICKS INT64_C (1000000000)
#define LINKS_OUT 6        /* of a task, at most */
#define REPORT_EVERY 65536 /* events */

typedef struct Writer {
  FILE *file;
  uint64_t at; /* where the next block goes */
  uint32_t capacity;
  uint8_t *blocks; /* one a task */
  GArray *index;
  int error;
} Writer;

typedef struct Maker {
  const TraceSynth *what;
  Writer w;
  uint64_t state;            /* of the random numbers */
  uint64_t left;             /* events */
  int64_t *clock;            /* by task: where it stands */
  uint32_t (*to)[LINKS_OUT]; /* tasks that links lead to */
  uint32_t *n_out;           /* by task */
  uint32_t *first_link;
  uint64_t *meetings; /* by link */
} Maker;

/* SplitMix64. */
static uint64_t
tape_synth_draw (Maker *m)
{
  uint64_t z = m->state += UINT64_C (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
  return z ^ z >> 31;
}

static int64_t
upto (Maker *m, uint32_t n)
{
  return (int64_t) (tape_synth_draw (m) % n);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static TapeBlock *
tape_synth_block_of (const Writer *w, uint32_t task)
{
  return (TapeBlock *) (void *) (w->blocks + (size_t) task * w->capacity);
}

static void
write_bytes (Writer *w, const void *bytes, size_t n)
{
  if (w->error == 0 && fwrite (bytes, 1, n, w->file) != n)
    w->error = errno != 0 ? errno : EIO;
}

static void
tape_synth_write_block (Writer *w, uint32_t task)
{
  TapeBlock *b = tape_synth_block_of (w, task);
  TapeIndexEntry e = { .at = w->at,
                       .length = b->length,
                       .task = task,
                       .count = b->count,
                       .tail = b->tail,
                       .first = b->first,
                       .last = b->last,
                       .before = b->before };

  if (b->count == 0)
    return;
  memset ((uint8_t *) b + b->length, 0, w->capacity - b->length);
  write_bytes (w, b, w->capacity);
  g_array_append_val (w->index, e);
  b->before += b->count;
  b->previous = w->at;
  b->length = sizeof *b;
  b->count = b->tail = 0;
  w->at += w->capacity;
}

static void
tape_synth_put (Maker *m, uint32_t task, uint16_t thread, TapeType type, TapeType begin, int64_t date, int64_t duration,
                const int64_t *fields, uint32_t n_fields)
{
  Writer *w = &m->w;
  uint32_t length = (uint32_t) sizeof (TapeEvent) + 8 * n_fields;
  TapeBlock *b = tape_synth_block_of (w, task);

  if (m->left == 0)
    return;
  if (b->length + length > w->capacity)
    tape_synth_write_block (w, task);
  TapeEvent *e = (TapeEvent *) (void *) ((uint8_t *) b + b->length);
  uint16_t previous = b->count > 0 ? ((TapeEvent *) (void *) ((uint8_t *) b + b->tail))->length : 0;
  *e = (TapeEvent){ .length = (uint16_t) length,
                    .previous = previous,
                    .type = (uint8_t) type,
                    .begin = (uint8_t) begin,
                    .physical = (uint16_t) (task % 64),
                    .date = date,
                    .duration = duration,
                    .task = task,
                    .thread = thread,
                    .virtual_processor = (uint16_t) (task % TAPE_MAX_PROCESSORS) };
  if (n_fields > 0)
    memcpy (e->field, fields, 8 * n_fields);
  if (b->count++ == 0)
    b->first = date;
  b->last = date;
  b->tail = b->length;
  b->length += length;
  m->left--;
}
#define PUT(task, thread, type, begin, date, duration, ...)                                                            \
  tape_synth_put (m, task, thread, TAPE_##type, (TapeType) (begin), date, duration, (const int64_t[]){ __VA_ARGS__ },  \
                  sizeof ((const int64_t[]){ __VA_ARGS__ }) / 8)
#define PUT0(task, thread, type, begin, date, duration)                                                                \
  tape_synth_put (m, task, thread, TAPE_##type, (TapeType) (begin), date, duration, NULL, 0)

/* A word of up to 8 bytes behind its length. */
static int64_t
letters (const char *text)
{
  char bytes[8] = "";
  int64_t v;

  memcpy (bytes, text, MIN (strlen (text), sizeof bytes));
  memcpy (&v, bytes, sizeof v);
  return v;
}

/* ---- what tasks do ----------------------------------------------------------------------------------------------- */

/* Numbers of the links that lead to a task, from the tasks that a chord back leads to. */
static uint32_t
links_to (const Maker *m, uint32_t task, int64_t *links)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < m->n_out[task]; i++) {
    uint32_t from = m->to[task][i];
    for (uint32_t k = 0; k < m->n_out[from]; k++)
      if (m->to[from][k] == task)
        links[n++] = m->first_link[from] + k;
  }
  return n;
}

/* The receiver first looks who is there. */
static int64_t
tape_synth_alternative (Maker *m, uint32_t task, uint32_t link, int64_t begin, int64_t ready)
{
  int64_t fields[1 + LINKS_OUT];
  uint32_t n = links_to (m, task, fields + 1);
  int64_t end = MAX (begin, ready) + 200 + upto (m, 800), found = 0;

  fields[0] = n;
  while (found + 1 < n && fields[1 + found] != link)
    found++;
  tape_synth_put (m, task, 0, TAPE_Alt, (TapeType) 0, begin, end - begin, fields, 1 + n);
  PUT (task, 0, EndAlt, TAPE_Alt, end, end - begin, link, found);
  return end;
}

static void
tape_synth_message (Maker *m, uint32_t from, uint32_t which, bool limited, bool chosen)
{
  uint32_t to = m->to[from][which], link = m->first_link[from] + which;
  int64_t bytes = INT64_C (64) << upto (m, 11), limit = 500000000;
  int64_t sends = m->clock[from] + 500 + upto (m, 20000), receives = m->clock[to] + 500 + upto (m, 20000);

  if (chosen)
    receives = tape_synth_alternative (m, to, link, receives, sends) + 100;
  int64_t over = MAX (sends, receives) + 1000 + bytes / 2;
  int64_t sent = over + upto (m, 2000), received = over + upto (m, 2000);
  int64_t meeting = (int64_t) ++m->meetings[link];
  if (limited) {
    PUT (from, 0, TSend, 0, sends, sent - sends, link, bytes, limit);
    PUT (to, 0, TReceive, 0, receives, received - receives, link, bytes, limit);
  } else {
    PUT (from, 0, Send, 0, sends, sent - sends, link, bytes);
    PUT (to, 0, Receive, 0, receives, received - receives, link, bytes);
  }
  PUT (from, 0, EndSend, limited ? TAPE_TSend : TAPE_Send, sent, sent - sends, link, bytes, meeting, 0);
  PUT (to, 0, EndReceive, limited ? TAPE_TReceive : TAPE_Receive, received, received - receives, link, bytes, meeting,
       0);
  m->clock[from] = sent;
  m->clock[to] = received;
}

static void
timeout (Maker *m, uint32_t from, uint32_t which)
{
  uint32_t link = m->first_link[from] + which;
  int64_t begin = m->clock[from] + upto (m, 20000), limit = 2000 + upto (m, 5000), end = begin + limit + upto (m, 500);

  PUT (from, 0, TSend, 0, begin, end - begin, link, 256, limit);
  PUT (from, 0, Timeout, TAPE_TSend, end, end - begin, link);
  m->clock[from] = end;
}

static void
alone (Maker *m, uint32_t task)
{
  int64_t begin = m->clock[task] + upto (m, 10000), end = begin + 500 + upto (m, 10000), links[1 + LINKS_OUT];
  int what = (int) upto (m, 8);

  switch (what) {
  case 0:
    PUT (task, 0, Wait, 0, begin, end - begin, end - begin);
    PUT0 (task, 0, EndWait, TAPE_Wait, end, end - begin);
    break;
  case 1:
    links[0] = links_to (m, task, links + 1);
    tape_synth_put (m, task, 0, TAPE_NAlt, (TapeType) 0, begin, end - begin, links, 1 + (uint32_t) links[0]);
    PUT (task, 0, EndAlt, TAPE_NAlt, end, end - begin, -1, -1);
    break;
  case 2:
    PUT (task, 0, User, 0, begin, 0, upto (m, 1000), 4, letters ("step"));
    break;
  case 3:
    PUT (task, 0, Phase, 0, begin, end - begin, 1, 5, letters ("phase"));
    PUT (task, 0, EndPhase, TAPE_Phase, end, end - begin, 1, 5, letters ("phase"));
    break;
  default:
    PUT (task, 1, SemP, 0, begin, 300, 0);
    PUT (task, 1, SemG, TAPE_SemP, begin + 300, 300, 0, 0);
    PUT (task, 1, SemV, 0, end, 0, 0, 1);
  }
  m->clock[task] = end;
}

static void
tape_synth_act (Maker *m, uint32_t task)
{
  int64_t which = m->n_out[task] > 0 ? upto (m, m->n_out[task]) : -1;
  int64_t dice = upto (m, 100);

  if (which < 0 || dice < 18)
    alone (m, task);
  else if (dice < 21)
    timeout (m, task, (uint32_t) which);
  else
    tape_synth_message (m, task, (uint32_t) which, dice < 29, dice >= 93);
}

static void
tape_synth_birth (Maker *m, uint32_t task)
{
  int64_t date = upto (m, 1000000);

  m->clock[task] = date + 5000;
  PUT (task, 0, TskBth, 0, date, 0, 1000 + task);
}

/* A second thread, stopped until the first lets it run, and their semaphore. */
static void
thread (Maker *m, uint32_t task)
{
  int64_t date = m->clock[task];

  PUT (task, 0, SemInit, 0, date, 0, 0, 1, 5, letters ("mutex"));
  PUT (task, 1, ThdBth, 0, date + 1000, 0, 0, 6, letters ("helper"));
  PUT (task, 0, Run, 0, date + 2000, 0, 1);
  m->clock[task] = date + 3000;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Chords to both sides, over 1, 2 and 4 tasks. */
static void
tape_synth_make_links (Maker *m)
{
  uint32_t n = m->what->tasks, link = 0;

  for (uint32_t task = 0; task < n; task++) {
    m->first_link[task] = link;
    for (uint32_t far = 1; far <= 4; far *= 2)
      for (int side = 0; side < 2; side++) {
        uint32_t to = (task + (side == 0 ? far : n - far % n)) % n;
        bool there = to == task;
        for (uint32_t i = 0; i < m->n_out[task] && !there; i++)
          there = m->to[task][i] == to;
        if (!there)
          m->to[task][m->n_out[task]++] = to;
      }
    link += m->n_out[task];
  }
  m->meetings = g_new0 (uint64_t, MAX (link, 1));
}

static bool
tape_synth_write_topology (const Maker *m, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "topology", NULL);
  g_autoptr (GString) text = g_string_new ("#TAPE 1\nmachine synthetic\n");
  uint32_t n = m->what->tasks, n_virtual = MIN (n, TAPE_MAX_PROCESSORS);

  for (uint32_t i = 0; i < MIN (n, 64); i++)
    g_string_append_printf (text, "processor %u p%u\n", i, i);
  for (uint32_t i = 0; i < n_virtual; i++)
    g_string_append_printf (text, "virtual %u %u\n", i, i % 64);
  for (uint32_t i = 0; i < n; i++)
    g_string_append_printf (text, "task %u %u t%u exchange\n", i, i % n_virtual, i);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < m->n_out[i]; k++)
      g_string_append_printf (text, "link %u %u %u l%u-%u\n", m->first_link[i] + k, i, m->to[i][k], i, m->to[i][k]);
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

static int
tape_synth_by_task (gconstpointer a, gconstpointer b)
{
  const TapeIndexEntry *x = a, *y = b;

  return x->task != y->task ? (x->task > y->task) - (x->task < y->task) : (x->at > y->at) - (x->at < y->at);
}

static bool
tape_synth_write_index (const Maker *m, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "index", NULL);
  TapeIndexHeader h = { .order = TAPE_ORDER,
                        .version = TAPE_VERSION,
                        .run = m->what->seed,
                        .complete = 1,
                        .entry_size = sizeof (TapeIndexEntry) };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  memcpy (h.magic, TAPE_INDEX_MAGIC, sizeof h.magic);
  g_array_sort (m->w.index, tape_synth_by_task);
  g_byte_array_append (bytes, (const guint8 *) &h, sizeof h);
  g_byte_array_append (bytes, (const guint8 *) m->w.index->data, m->w.index->len * (guint) sizeof (TapeIndexEntry));
  return g_file_set_contents (path, (const char *) bytes->data, bytes->len, error);
}

static bool
tape_synth_go_on (Maker *m, uint64_t *reported, GError **error)
{
  const TraceProgress *p = m->what->progress;
  uint64_t done = m->what->records - m->left;

  if (m->w.error != 0)
    return false;
  if (done - *reported < REPORT_EVERY || p == NULL || p->report == NULL)
    return true;
  *reported = done;
  if (p->report (p->arg, "writing", (double) done / (double) m->what->records))
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
  return false;
}

static bool
tape_synth_write_events (Maker *m, GError **error)
{
  uint32_t n = m->what->tasks;
  uint64_t deaths = m->what->records >= 2 * (uint64_t) n ? n : 0, reported = 0;
  TapeEventsHeader h = { .order = TAPE_ORDER,
                         .version = TAPE_VERSION,
                         .run = m->what->seed,
                         .ticks_per_second = TICKS,
                         .first_block = sizeof h };
  int64_t last = 0;

  memcpy (h.magic, TAPE_EVENTS_MAGIC, sizeof h.magic);
  write_bytes (&m->w, &h, sizeof h);
  m->w.at = sizeof h;
  m->left = m->what->records - deaths;
  for (uint32_t i = 0; i < n; i++)
    tape_synth_birth (m, i);
  for (uint32_t i = 0; i < n && m->left >= 3 && m->what->records >= 8 * (uint64_t) n; i++)
    thread (m, i);
  bool threads = m->what->records >= 8 * (uint64_t) n;
  for (uint32_t task = 0; m->left >= 6 && threads; task = (task + 1) % n)
    if (tape_synth_act (m, task), !tape_synth_go_on (m, &reported, error))
      return m->w.error != 0;
  while (m->left > 0)
    PUT (0, 0, User, 0, m->clock[0] += 1000, 0, 0, 4, letters ("last"));
  m->left = deaths;
  for (uint32_t i = 0; i < n; i++)
    last = MAX (last, m->clock[i]);
  for (uint32_t i = 0; i < n && m->left > 0; i++)
    PUT (i, 0, TskDth, 0, last + 1000 + i, 0, 0);
  for (uint32_t i = 0; i < n; i++)
    tape_synth_write_block (&m->w, i);
  return true;
}

bool
tape_synth (const char *folder, const TraceSynth *what, GError **error)
{
  uint32_t n = what->tasks;
  g_autofree char *path = g_build_filename (folder, "events", NULL);
  Maker m = { .what = what, .state = what->seed };
  bool ok = false;

  if (n < 1 || n > TAPE_MAX_TASKS) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "a TAPE trace has 1 to %u tasks, not %u", TAPE_MAX_TASKS, n);
    return false;
  }
  m.w.file = fopen (path, "w");
  if (m.w.file == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
    return false;
  }
  /* 4 to 64 kB: about as much as a task writes, and little memory for many tasks */
  uint64_t wanted = what->records / n * 56 + 512;
  m.w.capacity = (uint32_t) (CLAMP (wanted, 4096, n > 256 ? 16384 : 65536) + 7) & ~7u;
  m.w.blocks = g_malloc0 ((size_t) n * m.w.capacity);
  m.w.index = g_array_new (FALSE, FALSE, sizeof (TapeIndexEntry));
  m.clock = g_new0 (int64_t, n);
  m.to = g_malloc0_n (n, sizeof *m.to);
  m.n_out = g_new0 (uint32_t, n);
  m.first_link = g_new0 (uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    *tape_synth_block_of (&m.w, i) = (TapeBlock){
      .magic = TAPE_BLOCK_MAGIC, .task = i, .capacity = m.w.capacity, .length = sizeof (TapeBlock)
    };
  tape_synth_make_links (&m);
  ok = tape_synth_write_events (&m, error);
  if (fclose (m.w.file) != 0 && m.w.error == 0)
    m.w.error = errno;
  if (ok && m.w.error != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (m.w.error));
    ok = false;
  }
  ok = ok && tape_synth_write_topology (&m, folder, error) && tape_synth_write_index (&m, folder, error);
  g_free (m.w.blocks);
  g_array_unref (m.w.index);
  g_free (m.clock);
  g_free (m.to);
  g_free (m.n_out);
  g_free (m.first_link);
  g_free (m.meetings);
  return ok;
}
