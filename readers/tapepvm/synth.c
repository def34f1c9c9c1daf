/* SPDX-License-Identifier: Apache-2.0 */
/* synth.c - valid, reproducible traces of any size.
 *
 * An iterative program of N tasks in groups of eight.  After Enroll and JoinGroup every task goes through the
 * same rounds: a message to one neighbour and one from another (ring and hypercube distances 1, 2, 4, 8), a
 * multicast, a barrier, a broadcast, a gather or reduction in its group, or computation with some calls.  A
 * round lies in a span of time of its own, and when anything in it happens follows from a hash of (seed,
 * task, round): so the end of a receive is known without simulating its sender, and the lines come out in the
 * order of their dates through a heap of tasks.  Each round gives every task the same number of lines; what
 * is missing to the number asked for are calls without a partner. */
#include "readers/tapepvm/scan.h"
#include "eve/disk.h"
#include <fcntl.h>

#define GROUP 8u /* tasks in a group */
#define FIRST_TID 0x40001u
#define LATENCY_NS 12000
#define SITES 12

typedef enum {
  ROUND_POINT,
  ROUND_POINT_PACKED,
  ROUND_POINT_TIMED,
  ROUND_MCAST,
  ROUND_BARRIER,
  ROUND_BCAST,
  ROUND_GATHER,
  ROUND_REDUCE,
  ROUND_COMPUTE,
  ROUND_FILL
} RoundType;
static const uint8_t round_lines[] = { 5, 2, 4, 2, 1, 2, 2, 2, 3, 1 };
/* Of 64 rounds. */
static const uint8_t round_mix[] = { 30, 4, 6, 4, 4, 4, 4, 3, 5, 0 };

typedef struct Round {
  RoundType type;
  int64_t start, length;
  int64_t bytes;
  uint32_t tag, distance; /* to the task I send to */
} Round;

typedef struct Task { /* a task's place in its program */
  int64_t date;       /* of its next line */
  uint64_t round;     /* 0: enrolls and joins */
  uint32_t index;
  uint8_t step;
} Task;

typedef struct Synth {
  uint32_t n_tasks;
  uint64_t seed;
  uint64_t n_rounds;
  uint64_t filled;         /* rounds of ROUND_FILL at the end, of one line each ... */
  uint32_t rest;           /* ... and tasks that have one line more */
  uint8_t trailer, header; /* lines of a task before and behind the rounds */
  GArray *rounds;          /* of Round: those that some task is in */
  uint64_t first_round;    /* of them */
  Task *heap;
  uint8_t *buffer;
  size_t n;
  int fd;
} Synth;

static uint64_t
tapepvm_synth_hash (uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  uint64_t x = a * UINT64_C (0x9e3779b97f4a7c15) + b * UINT64_C (0xbf58476d1ce4e5b9) + c * UINT64_C (0x94d049bb133111eb)
               + d;
  x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* 0 <= value < below */
static int64_t
pick (const Synth *s, uint64_t task, uint64_t round, uint64_t what, int64_t below)
{
  return (int64_t) (((unsigned __int128) tapepvm_synth_hash (s->seed, task + 1, round, what) * (uint64_t) below) >> 64);
}

static Round
make_round (const Synth *s, uint64_t r, int64_t start)
{
  Round round = { .start = start, .type = ROUND_FILL, .length = 200000 };
  if (r + s->filled < s->n_rounds) {
    int64_t at = pick (s, 0, r, 1, 64);
    for (unsigned t = 0; t < G_N_ELEMENTS (round_mix); t++) {
      if (at < round_mix[t]) {
        round.type = (RoundType) t;
        break;
      }
      at -= round_mix[t];
    }
  }
  uint32_t distance = 1u << pick (s, 0, r, 2, 4);
  if (pick (s, 0, r, 3, 2))
    distance = s->n_tasks - distance % s->n_tasks;
  round.distance = distance % s->n_tasks;
  round.bytes = (int64_t) 8 << pick (s, 0, r, 4, 14); /* 8 bytes to 64 KiB */
  round.tag = (uint32_t) (10 + r % 40);
  if (round.type != ROUND_FILL)
    round.length = 500000 + 12 * round.bytes;
  return round;
}

static const Round *
round_at (const Synth *s, uint64_t r)
{
  return &g_array_index (s->rounds, Round, r - s->first_round);
}

/* When a task begins the first call of a round. */
static int64_t
arrival (const Synth *s, const Round *round, uint64_t r, uint32_t task)
{
  return round->start + pick (s, task, r, 10, round->length * 3 / 10);
}

static int64_t
send_duration (const Synth *s, const Round *round, uint64_t r, uint32_t task)
{
  return 4000 + round->bytes / 2 + pick (s, task, r, 11, 6000);
}

static int64_t
pack_duration (const Synth *s, const Round *round, uint64_t r, uint32_t task)
{
  return 500 + round->bytes / 8 + pick (s, task, r, 12, 2000);
}

/* ---- lines ---- */

static void
tapepvm_synth_add (Synth *s, int64_t v)
{
  uint8_t digits[20];
  unsigned n = 0;
  uint64_t x = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;
  do
    digits[n++] = (uint8_t) ('0' + x % 10);
  while (x /= 10);
  if (v < 0)
    s->buffer[s->n++] = '-';
  while (n)
    s->buffer[s->n++] = digits[--n];
  s->buffer[s->n++] = ' ';
}

static void
tapepvm_synth_add_text (Synth *s, const char *format, unsigned number)
{
  s->n += (size_t) g_snprintf ((char *) s->buffer + s->n, 64, format, number);
}

static int64_t
tid (uint32_t task)
{
  return (int64_t) FIRST_TID + task;
}

static void
begin_line (Synth *s, int type, const Task *t, int64_t duration)
{
  tapepvm_synth_add (s, type);
  tapepvm_synth_add (s, t->date);
  tapepvm_synth_add (s, tid (t->index));
  tapepvm_synth_add (s, duration);
  tapepvm_synth_add (s, 1 + type % SITES);
}

static void
tapepvm_synth_end_line (Synth *s)
{
  s->buffer[s->n - 1] = '\n';
}

/* A call without a partner. */
static int64_t
line_of_own (Synth *s, const Task *t, uint64_t what)
{
  static const uint8_t calls[] = { 131, 137, 124, 103, 142, 116, 128, 155, 165, 132 };
  int64_t duration = 300 + pick (s, t->index, t->round, what, 4000);
  int64_t which = pick (s, t->index, t->round, what + 1, 16);
  if (which < (int64_t) sizeof calls) {
    begin_line (s, calls[which], t, duration);
    tapepvm_synth_add (s, 0);
  } else if (which < 13) {
    begin_line (s, 201, t, duration * 8);
    tapepvm_synth_add_text (s, "compute ", 0);
    tapepvm_synth_add (s, (int64_t) t->round);
    duration *= 8;
  } else if (which < 15) {
    begin_line (s, 200, t, 0);
    tapepvm_synth_add_text (s, "iteration ", 0);
    tapepvm_synth_add (s, (int64_t) t->round);
    duration = 0;
  } else {
    begin_line (s, 15, t, duration);
    tapepvm_synth_add (s, 16);
    tapepvm_synth_add (s, 1);
    tapepvm_synth_add (s, 64);
    tapepvm_synth_add (s, 0);
  }
  tapepvm_synth_end_line (s);
  return duration;
}

static int64_t
line_send (Synth *s, const Task *t, const Round *round, uint64_t r)
{
  int64_t duration = send_duration (s, round, r, t->index);
  bool packed = round->type == ROUND_POINT_PACKED;
  begin_line (s, packed ? 61 : 60, t, duration);
  tapepvm_synth_add (s, tid ((uint32_t) (((uint64_t) t->index + round->distance) % s->n_tasks)));
  tapepvm_synth_add (s, round->tag);
  if (packed) {
    tapepvm_synth_add (s, 4);
    tapepvm_synth_add (s, round->bytes / 8);
  }
  tapepvm_synth_add (s, round->bytes);
  tapepvm_synth_add (s, 0);
  tapepvm_synth_end_line (s);
  return duration;
}

/* A receive of what was sent until `sent`. */
static int64_t
line_receive (Synth *s, const Task *t, const Round *round, int type, uint32_t from, int64_t sent)
{
  int64_t ready = sent + LATENCY_NS + round->bytes / 4;
  int64_t duration = MAX (0, ready - t->date) + 1500 + round->bytes / 16;
  bool any = pick (s, t->index, t->round, 20, 8) == 0;
  begin_line (s, type, t, duration);
  tapepvm_synth_add (s, any ? -1 : tid (from));
  tapepvm_synth_add (s, any && pick (s, t->index, t->round, 21, 2) ? -1 : (int64_t) round->tag);
  if (type == 63) {
    tapepvm_synth_add (s, 4);
    tapepvm_synth_add (s, round->bytes / 8);
  } else if (type == 64) {
    tapepvm_synth_add (s, 10000000);
  }
  tapepvm_synth_add (s, tid (from));
  tapepvm_synth_add (s, round->tag);
  tapepvm_synth_add (s, round->bytes);
  tapepvm_synth_add (s, type == 63 ? 0 : 2 + (int64_t) (t->round % 6)); /* the buffer; 0 would say that nothing came */
  tapepvm_synth_end_line (s);
  return duration;
}

static int64_t
line_pack (Synth *s, const Task *t, const Round *round, uint64_t r, int type)
{
  int64_t duration = pack_duration (s, round, r, t->index);
  begin_line (s, type, t, duration);
  tapepvm_synth_add (s, round->bytes / 8);
  tapepvm_synth_add (s, 1);
  tapepvm_synth_add (s, round->bytes);
  tapepvm_synth_add (s, 0);
  tapepvm_synth_end_line (s);
  return duration;
}

static int64_t
line_init_send (Synth *s, const Task *t, uint64_t r)
{
  int64_t duration = 400 + pick (s, t->index, r, 13, 800);
  begin_line (s, 131, t, duration);
  tapepvm_synth_add (s, 1);
  tapepvm_synth_end_line (s);
  return duration;
}

/* Writes the task's next line of a round; gives how long the call takes. */
static int64_t
line_of_round (Synth *s, const Task *t, const Round *round, uint64_t r)
{
  uint32_t first = t->index / GROUP * GROUP, size = MIN (GROUP, s->n_tasks - first);
  uint32_t root = first + (uint32_t) (r % size);
  uint32_t from = (uint32_t) (((uint64_t) t->index + s->n_tasks - round->distance) % s->n_tasks);
  int64_t begun = arrival (s, round, r, from), sent;
  switch (round->type) {
  case ROUND_POINT: /* initsend, pack, send, receive, unpack */
    if (t->step == 0)
      return line_init_send (s, t, r);
    if (t->step == 1)
      return line_pack (s, t, round, r, 13);
    if (t->step == 2)
      return line_send (s, t, round, r);
    if (t->step == 4)
      return line_pack (s, t, round, r, 33);
    sent = begun + 400 + pick (s, from, r, 13, 800) + pack_duration (s, round, r, from)
           + send_duration (s, round, r, from) + 2 * 250;
    return line_receive (s, t, round, 62, from, sent);
  case ROUND_POINT_PACKED:
    if (t->step == 0)
      return line_send (s, t, round, r);
    return line_receive (s, t, round, 63, from, begun + send_duration (s, round, r, from));
  case ROUND_POINT_TIMED:
    if (t->step == 0)
      return line_pack (s, t, round, r, 10);
    if (t->step == 1)
      return line_send (s, t, round, r);
    if (t->step == 3)
      return line_pack (s, t, round, r, 30);
    sent = begun + pack_duration (s, round, r, from) + send_duration (s, round, r, from) + 250;
    return line_receive (s, t, round, 64, from, sent);
  case ROUND_MCAST:
  case ROUND_BCAST:
    if (t->step == 1 || size == 1)
      return line_of_own (s, t, 30 + 2 * t->step);
    if (t->index != root) {
      sent = arrival (s, round, r, root) + send_duration (s, round, r, root);
      return line_receive (s, t, round, 62, root, sent);
    }
    sent = send_duration (s, round, r, root);
    begin_line (s, round->type == ROUND_MCAST ? 70 : 80, t, sent);
    if (round->type == ROUND_MCAST) {
      tapepvm_synth_add (s, size - 1);
      for (uint32_t i = first; i < first + size; i++)
        if (i != root)
          tapepvm_synth_add (s, tid (i));
    } else {
      tapepvm_synth_add_text (s, "row%u ", t->index / GROUP);
    }
    tapepvm_synth_add (s, round->tag);
    tapepvm_synth_add (s, round->bytes);
    tapepvm_synth_add (s, 0);
    tapepvm_synth_end_line (s);
    return sent;
  case ROUND_BARRIER:
    sent = 0; /* the last to come */
    for (uint32_t i = first; i < first + size; i++)
      sent = MAX (sent, arrival (s, round, r, i));
    sent += 9000 + pick (s, t->index, r, 14, 3000) - t->date;
    begin_line (s, 52, t, sent);
    tapepvm_synth_add_text (s, "row%u ", t->index / GROUP);
    tapepvm_synth_add (s, size);
    tapepvm_synth_add (s, 0);
    tapepvm_synth_end_line (s);
    return sent;
  case ROUND_GATHER:
  case ROUND_REDUCE:
    if (t->step == 0)
      return line_of_own (s, t, 40);
    sent = send_duration (s, round, r, t->index);
    if (t->index == root) { /* has to wait for the parts of the others */
      int64_t last = t->date;
      for (uint32_t i = first; i < first + size; i++)
        last = MAX (last, arrival (s, round, r, i) + 40000 + send_duration (s, round, r, i));
      sent = last + LATENCY_NS + round->bytes / 4 - t->date;
    }
    begin_line (s, round->type == ROUND_GATHER ? 82 : 83, t, sent);
    tapepvm_synth_add_text (s, "row%u ", t->index / GROUP);
    tapepvm_synth_add (s, tid (root));
    tapepvm_synth_add (s, round->tag);
    tapepvm_synth_add (s, 4);
    tapepvm_synth_add (s, round->bytes / 8);
    tapepvm_synth_add (s, round->bytes);
    tapepvm_synth_add (s, 0);
    tapepvm_synth_end_line (s);
    return sent;
  case ROUND_COMPUTE:
  case ROUND_FILL:
    break;
  }
  return line_of_own (s, t, 50 + 2 * t->step);
}

/* Lines of a task in round r; round 0 is the header, the one after the last the trailer. */
static unsigned
tapepvm_synth_lines_of (const Synth *s, uint64_t r, uint32_t task)
{
  if (r == 0)
    return s->header;
  if (r <= s->n_rounds)
    return round_lines[round_at (s, r)->type];
  return (task < s->rest) + s->trailer;
}

/* The line where the task stands; moves it to its next one.  False: it has none any more. */
static bool
tapepvm_synth_one_line (Synth *s, Task *t)
{
  int64_t took;
  unsigned group = t->index / GROUP;
  if (t->round == 0 && t->step == 0) {
    begin_line (s, 1, t, 0);
    tapepvm_synth_add_text (s, "node%u LINUX64 ", (t->index / 4) % 64);
    tapepvm_synth_add (s, 1000);
    tapepvm_synth_add (s, t->index ? tid (0) : -1);
    tapepvm_synth_add_text (s, "synth ", 0);
    tapepvm_synth_end_line (s);
    took = 2000;
  } else if (t->round == 0) {
    took = 20000 + pick (s, t->index, 0, 15, 20000);
    begin_line (s, 50, t, took);
    tapepvm_synth_add_text (s, "row%u ", group);
    tapepvm_synth_add (s, t->index % GROUP);
    tapepvm_synth_end_line (s);
  } else if (t->round <= s->n_rounds) {
    took = line_of_round (s, t, round_at (s, t->round), t->round);
  } else if (t->step == 0 && t->index < s->rest) {
    took = line_of_own (s, t, 60);
  } else {
    begin_line (s, 2, t, 0);
    tapepvm_synth_add (s, 0);
    tapepvm_synth_end_line (s);
    took = 0;
  }
  t->date += took + 250;
  if (++t->step < tapepvm_synth_lines_of (s, t->round, t->index))
    return true;
  do {
    t->step = 0;
    t->round++;
    if (t->round > s->n_rounds + 1)
      return false;
    while (t->round <= s->n_rounds && t->round >= s->first_round + s->rounds->len) {
      const Round *last = s->rounds->len ? &g_array_index (s->rounds, Round, s->rounds->len - 1) : NULL;
      /* The first round begins when the last task has joined. */
      Round next = make_round (s, t->round - 1,
                               last ? last->start + last->length : 1000000 + 2000 * (int64_t) s->n_tasks);
      g_array_append_val (s->rounds, next);
    }
    if (t->round <= s->n_rounds)
      t->date = MAX (t->date, arrival (s, round_at (s, t->round), t->round, t->index));
  } while (tapepvm_synth_lines_of (s, t->round, t->index) == 0);
  return true;
}

static bool
earlier (const Task *a, const Task *b)
{
  return a->date != b->date ? a->date < b->date : a->index < b->index;
}

static void
tapepvm_synth_sink (Task *heap, uint32_t n, uint32_t i)
{
  Task t = heap[i];
  for (uint32_t down; (down = 2 * i + 1) < n; i = down) {
    if (down + 1 < n && earlier (&heap[down + 1], &heap[down]))
      down++;
    if (!earlier (&heap[down], &t))
      break;
    heap[i] = heap[down];
  }
  heap[i] = t;
}

static bool
tapepvm_synth_flush (Synth *s, GError **error)
{
  if (!disk_write (s->fd, s->buffer, s->n)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "the events cannot be written: %s", g_strerror (errno));
    return false;
  }
  s->n = 0;
  return true;
}

/* How many rounds, and what fills the rest up to exactly `records` lines. */
static void
plan (Synth *s, uint64_t records)
{
  s->header = records >= 3 * (uint64_t) s->n_tasks ? 2 : 1;
  s->trailer = records >= 2 * (uint64_t) s->n_tasks;
  uint64_t each = records / s->n_tasks - s->header - s->trailer; /* lines of each task in the rounds */
  s->rest = (uint32_t) (records % s->n_tasks);
  s->filled = 0;
  s->n_rounds = UINT64_MAX; /* to see the types of all */
  uint64_t n = 0;
  for (unsigned more; each && (more = round_lines[make_round (s, n, 0).type]) <= each; n++)
    each -= more;
  s->filled = each;
  s->n_rounds = n + each;
}

bool
tp_synth (const char *folder, const TraceSynth *what, GError **error)
{
  enum { room = 1 << 20, longest = 1024 };
  if (what->tasks < 1 || what->tasks > 1000000 || what->records < what->tasks) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 "a synthetic trace has 1 to 1000000 tasks and at least one record for each of them");
    return false;
  }
  g_autofree char *path = g_build_filename (folder, "events", NULL),
                  *sites_path = g_build_filename (folder, "sites", NULL);
  g_autoptr (GString) sites = g_string_new (NULL);
  for (unsigned i = 1; i <= SITES; i++)
    g_string_append_printf (sites, "%u %u synth.c step%u\n", i, 10 * i, i % 4);
  Synth s = { .n_tasks = what->tasks, .seed = what->seed, .fd = -1 };
  if (g_mkdir_with_parents (folder, 0777) == 0)
    s.fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (s.fd < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be made: %s", path, g_strerror (errno));
    return false;
  }
  plan (&s, what->records);
  s.rounds = g_array_new (FALSE, FALSE, sizeof (Round));
  s.first_round = 1;
  s.buffer = g_malloc (room + longest);
  s.heap = g_new0 (Task, s.n_tasks);
  for (uint32_t i = 0; i < s.n_tasks; i++)
    s.heap[i] = (Task){ .date = 100000 + 1000 * (int64_t) i + pick (&s, i, 0, 16, 900), .index = i };
  bool fine = true;
  uint64_t written = 0;
  for (uint32_t n = s.n_tasks; n && fine; written++) {
    if (!tapepvm_synth_one_line (&s, &s.heap[0]))
      s.heap[0] = s.heap[--n];
    if (n)
      tapepvm_synth_sink (s.heap, n, 0);
    if (s.n >= room)
      fine = tapepvm_synth_flush (&s, error)
             && tp_report (what->progress, "writing events", (double) written / (double) what->records, error);
    /* Rounds that everybody has left.  The task that is last is at the top; those behind it may be a round
     * back. */
    if (n && s.rounds->len > 4096 && s.heap[0].round > s.first_round + 2048) {
      uint64_t least = s.heap[0].round;
      for (uint32_t i = 0; i < n; i++)
        least = MIN (least, s.heap[i].round);
      if (least > s.first_round) {
        g_array_remove_range (s.rounds, 0, (guint) MIN (least - s.first_round, s.rounds->len - 1));
        s.first_round = least;
      }
    }
  }
  fine = fine && tapepvm_synth_flush (&s, error);
  if (close (s.fd) < 0 && fine) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
    fine = false;
  }
  g_free (s.heap);
  g_free (s.buffer);
  g_array_unref (s.rounds);
  return fine && g_file_set_contents (sites_path, sites->str, (gssize) sites->len, error);
}
