/* SPDX-License-Identifier: Apache-2.0 */
/* follow-test.c - a file that grows, by chunks cut anywhere, gives the events that the whole file gives afterwards. */
#include "tests/readers/traces.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#ifdef __has_feature /* clang */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if !defined(IS_SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define IS_SANITIZED 1
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* ---- a writer ---- */

typedef struct Writer {
  char *bundle, *folder;
  int events, live; /* live: -1, there is no such file */
} Writer;

static Writer
begin (const char *text, gssize n, bool lock)
{
  Writer w = { .bundle = traces_make (text, n, NULL, NULL), .live = -1 };
  g_autofree char *events = NULL, *live = NULL;

  w.folder = traces_folder (w.bundle);
  events = g_build_filename (w.folder, "events", NULL);
  live = g_build_filename (w.folder, TRACE_LIVE_FILE, NULL);
  w.events = open (events, O_WRONLY | O_APPEND | O_CLOEXEC);
  g_assert_cmpint (w.events, >=, 0);
  if (lock) {
    w.live = open (live, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    g_assert_cmpint (flock (w.live, LOCK_EX), ==, 0);
    g_assert_cmpint (write (w.live, "a test\n", 7), ==, 7);
  }
  return w;
}

static void
put (Writer *w, const char *bytes, size_t n)
{
  g_assert_cmpint (write (w->events, bytes, n), ==, (ssize_t) n);
}

static void
end (Writer *w, bool says)
{
  if (says)
    g_assert_cmpint (write (w->live, "ended\n", 6), ==, 6);
  close (w->live);
  close (w->events);
  w->live = w->events = -1;
}

static void
clear (Writer *w)
{
  g_free (w->bundle);
  g_free (w->folder);
}

/* Of version 2: calls of all lengths, some written when they begin and again when they end, in the order of the dates
 * of the lines; some end never, and there is damage. */
static GString *
make_text (guint32 seed, unsigned n)
{
  typedef struct Open {
    int64_t begin, end;
    unsigned task;
  } Open;
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  GString *text = g_string_new ("#TAPE/PVM 2\n");
  int64_t date = 0;

  for (unsigned i = 0; i < n; i++) {
    unsigned task = 262144 + (unsigned) g_rand_int_range (random, 0, 30) + i / 500;
    int64_t duration = g_rand_int_range (random, 0, 40);

    date += g_rand_int_range (random, 0, 4);
    for (guint k = 0; k < open->len; k++) {
      const Open *o = &g_array_index (open, Open, k);
      if (o->end > date)
        continue;
      g_string_append_printf (
          text, "0 %" G_GINT64_FORMAT " 62 %" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT " 0 -1 -1 %u 7 %u 0\n", date,
          o->begin, o->task, date - o->begin, o->task + 1, i);
      g_array_remove_index (open, k--);
    }
    switch (g_rand_int_range (random, 0, 9)) {
    case 0:
      g_string_append_printf (text, "1 %" G_GINT64_FORMAT " %u 0 0 host%u LINUX64 %u -1 prog%u\n", date, task, task % 5,
                              i, task % 3);
      break;
    case 1:
      g_string_append_printf (text, "52 %" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT " 0 group%u 4 0\n", date, task,
                              duration, task % 20);
      break;
    case 2:
      g_string_append_printf (text, "0 %" G_GINT64_FORMAT "\n", date);
      break;
    case 3:
    case 4:
      g_string_append_printf (text, "62 %" G_GINT64_FORMAT " %u -1 0 -1 -1 -1 -1 0 0\n", date, task);
      if (g_rand_int_range (random, 0, 20)) {
        Open o = { date, date + g_rand_int_range (random, 1, 2000), task };
        g_array_append_val (open, o);
      }
      break;
    case 5:
      g_string_append_printf (text, "# a remark\n%s", i % 7 ? "" : "60 damaged\n");
      break;
    default:
      g_string_append_printf (text, "60 %" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT " 0 %u 5 %u 0\n", date, task,
                              g_rand_int_range (random, 0, 9) ? duration : 3000 + duration, task + 1, i);
    }
  }
  return text;
}

/* ---- a reader that goes along ---- */

typedef struct Reader {
  TraceSource *s;
  guint given;
} Reader;

static void
same_event (const Reader *r, const TraceEvent *e, const GArray *all, guint at)
{
  g_assert_cmpuint (at, <, all->len);
  TraceEvent expected = g_array_index (all, TraceEvent, at);
  expected.source = r->s->number;
  g_assert_cmpmem (e, sizeof *e, &expected, sizeof expected);
}

/* Everything that there is by now, in pieces; sometimes looked at before. */
static void
read_on (Reader *r, const GArray *all, GRand *random)
{
  TraceEvent some[600];
  size_t n;

  do {
    g_autoptr (GError) error = NULL;
    const TraceEvent *ahead = NULL;
    size_t seen = g_rand_int_range (random, 0, 2) ? r->s->format->peek (r->s, &ahead, &error) : 0;
    for (size_t i = 0; i < seen; i++)
      same_event (r, &ahead[i], all, r->given + (guint) i);
    n = r->s->format->next (r->s, some, 1 + (size_t) g_rand_int_range (random, 0, 600), &error);
    g_assert_no_error (error);
    g_assert_cmpuint (n, >=, MIN (seen, 1));
    for (size_t i = 0; i < n; i++)
      same_event (r, &some[i], all, r->given++);
  } while (n);
  /* what is certain has been given: nothing that comes is dated before it */
  if (r->given < all->len && trace_may_grow (r->s))
    g_assert_cmpint (g_array_index (all, TraceEvent, r->given).date, >=, r->s->last);
}

/* A place saved here is one of another source of the same file, whenever that was opened. */
static void
try_place (Reader *r, const Writer *w, bool follow)
{
  TraceSource *other = traces_open (w->bundle, &(TraceOptions){ .follow = follow });
  EveBlob *saved = traces_save (r->s);

  g_assert_true (traces_load (other, saved));
  EveBlob *again = traces_save (other);
  g_assert_cmpuint (eve_blob_hash (saved), ==, eve_blob_hash (again));
  eve_blob_free (saved);
  eve_blob_free (again);
  trace_close (other);
}

static void
try_growing (guint32 seed, unsigned lines, size_t most)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GString) text = make_text (seed, lines);
  size_t at = (size_t) g_rand_int_range (random, 0, 300);
  TraceSource *whole = traces_of (text->str);
  g_autoptr (GArray) all = traces_read (whole);
  Writer w = begin (text->str, (gssize) at, true);
  Reader r = { traces_open (w.bundle, &(TraceOptions){ .follow = true }), 0 };

  g_assert_true (whole->abilities & TRACE_SORTED);
  g_assert_cmpuint (all->len, ==, whole->n_events);
  g_assert_true (trace_may_grow (r.s));
  while (at < text->len) {
    size_t chunk = (size_t) g_rand_int_range (random, 1, (gint32) most), n = MIN (text->len - at, chunk);
    put (&w, text->str + at, n);
    at += n;
    if (g_rand_int_range (random, 0, 3))
      trace_look (r.s);
    if (g_rand_int_range (random, 0, 3))
      read_on (&r, all, random);
    if (!g_rand_int_range (random, 0, 40))
      try_place (&r, &w, g_rand_int_range (random, 0, 2));
    if (!g_rand_int_range (random, 0, 60)) { /* back, and along again */
      EveBlob *saved = traces_save (r.s);
      guint given = r.given;
      r.s->format->rewind (r.s);
      r.given = 0;
      read_on (&r, all, random);
      g_assert_cmpuint (r.given, >=, given);
      g_assert_true (traces_load (r.s, saved));
      r.given = given;
      eve_blob_free (saved);
    }
  }
  end (&w, true);
  while (trace_look (r.s))
    read_on (&r, all, random);
  g_assert_true (r.s->ended);
  g_assert_null (r.s->left);
  g_assert_cmpuint (r.given, ==, all->len);
  g_assert_cmpuint (r.s->n_events, ==, whole->n_events);
  g_assert_cmpuint (r.s->n_records, ==, whole->n_records);
  g_assert_cmpint (r.s->first, ==, whole->first);
  g_assert_cmpint (r.s->last, ==, whole->last);
  g_assert_cmpuint (r.s->n_damaged, ==, whole->n_damaged);
  for (guint i = 0; i < whole->tasks->len; i++)
    g_assert_cmpstr (trace_task_id (r.s, i), ==, trace_task_id (whole, i));
  try_place (&r, &w, false);
  trace_close (r.s);
  trace_close (whole);
  clear (&w);
}

static void
test_growing (void)
{
  for (guint32 seed = 1; seed <= 12; seed++)
    try_growing (seed, 400, 60);
  try_growing (20, 20000, 3000);
  try_growing (21, 60000, 200000);
}

/* ---- how it may end, and go wrong ---- */

#define LINE(date) "60 " #date " 262146 5 0 262147 1 8 0\n"

static guint
read_all (TraceSource *s)
{
  g_autoptr (GArray) all = traces_read (s);

  return all->len;
}

/* A call that was open when the file said so, with all that its end tells. */
static void
test_late_end (void)
{
  TraceSource *s = traces_of ("#TAPE/PVM 2\n62 10 5 -1 0 -1 -1 -1 -1 0 0\n0 15\n60 20 6 4 0 5 7 64 0\n"
                              "0 24 62 10 5 14 0 -1 -1 6 7 64 0\n0 30 62 11 5 19 0 -1 -1 6 7 64 0\n");
  g_autoptr (GArray) all = traces_read (s);
  const TraceEvent *e = (const TraceEvent *) (void *) all->data;

  g_assert_cmpuint (all->len, ==, 5);
  g_assert_cmpint (e[0].flags, ==, TRACE_OPEN);
  g_assert_cmpuint (e[0].peer, ==, TRACE_NONE);
  g_assert_cmpint (e[2].date, ==, 24);
  g_assert_cmpint (e[2].flags, ==, TRACE_END);
  g_assert_cmpint (e[3].date, ==, 24);
  g_assert_cmpint (e[3].flags, ==, TRACE_END | TRACE_LATE);
  g_assert_cmpint (e[3].duration, ==, 14);
  g_assert_cmpint (e[3].size, ==, 64);
  g_assert_cmpint (e[3].tag, ==, 7);
  g_assert_cmpstr (trace_task_id (s, e[3].peer), ==, "t6");
  g_assert_cmpuint (e[3].record, ==, e[0].record);
  g_assert_cmpint (e[4].flags, ==, TRACE_END | TRACE_LATE); /* of a call that nobody has begun */
  g_assert_cmpuint (e[4].record, !=, e[0].record);
  g_assert_cmpint (s->last, ==, 30);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  trace_close (s);
}

/* What the record of an end tells beside the event is found again in a long file. */
static void
test_found_again (void)
{
  g_autoptr (GString) text = g_string_new ("#TAPE/PVM 2\n");
  guint n = 0;

  for (int i = 0; i < 6000; i++) { /* Spawn: whom it has started is known at its end */
    g_string_append_printf (text, "3 %d %d -1 0 prog%d 0 - 2 0 0\n", 10 * i, 10 + i % 7, i);
    if (i % 5 == 0)
      g_string_append (text, "# a remark\n\n3 damaged\n");
    if (i >= 100)
      g_string_append_printf (text, "0 %d 3 %d %d %d %d prog%d 0 - 2 2 %d %d 2\n", 10 * i + (i & 3), 10 * (i - 100),
                              10 + (i - 100) % 7, 1000 + (i & 3), i, i - 100, 1000 + i, 20000 + i);
  }
  g_autofree char *bundle = traces_make (text->str, -1, NULL, NULL);
  TraceSource *s = traces_open (bundle, NULL);
  g_assert_true (trace_use_nanoseconds (s, 1000000, NULL)); /* dates that are shown are others */
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  for (TraceEvent e; trace_next (s, &e, 1, NULL);)
    g_array_append_val (all, e);
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, (i * 7919) % all->len);
    TraceValue v = trace_value (e, 4);
    g_assert_cmpuint (v.n_tasks, ==, e->flags & TRACE_LATE ? 2 : 0);
    if (!v.n_tasks)
      continue;
    n++;
    g_autofree char *id = g_strdup_printf ("t%x", 20000 + (unsigned) ((e->date - 1000000) / 10));
    g_assert_cmpstr (trace_task_id (s, v.tasks[1]), ==, id);
  }
  g_assert_cmpuint (n, ==, 5900);
  g_array_unref (all);
  trace_close (s);
}

static void
test_damaged_ends (void)
{
  static const struct {
    const char *line, *reason;
  } wrong[] = {
    { "0 x\n", "the date should be a number" },
    { "0 -1\n", "the date should be 0 to" },
    { "0 24 62 10 5 13 0 -1 -1 6 7 64 0\n", "the beginning and the duration together" },
    { "0 24 62 10 5 -1 0 -1 -1 6 7 64 0\n", "has no end" },
    { "0 10 200 10 5 0 0 a 1\n", "has no end" },
    { "0 24 62 10 5 14 0 -1 -1\n", "the line ends where" },
    { "0 5\n", "before that of the line above" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *text = g_strconcat ("#TAPE/PVM 2\n62 10 5 -1 0 -1 -1 -1 -1 0 0\n", wrong[i].line, LINE (40), NULL);
    Writer w = begin (text, -1, true);
    TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });
    end (&w, true);
    trace_look (s);
    g_assert_cmpuint (read_all (s), ==, 3);
    g_assert_cmpuint (s->n_damaged, ==, 1);
    const TraceDamage *d = s->damage->pdata[0];
    g_assert_cmpuint (d->line, ==, 3);
    g_assert_nonnull (strstr (d->reason, wrong[i].reason));
    trace_close (s);
    clear (&w);
  }
  TraceSource *s = traces_of ("#TAPE/PVM 1\n0 24\n" LINE (40)); /* not of this version */
  g_assert_cmpuint (read_all (s), ==, 2);
  g_assert_cmpuint (s->n_damaged, ==, 1);
  trace_close (s);
}

/* The end of a call is certain when a line says that its date is reached, not before. */
static void
test_certain (void)
{
  Writer w = begin ("#TAPE/PVM 2\n" LINE (10), -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  g_assert_cmpint (s->last, ==, 10);
  g_assert_cmpuint (read_all (s), ==, 1);
  g_assert_false (trace_look (s));
  put (&w, "0 14\n", 5);
  g_assert_true (trace_look (s));
  g_assert_cmpuint (read_all (s), ==, 0);
  put (&w, "0 15\n", 5);
  g_assert_true (trace_look (s));
  g_assert_cmpint (s->last, ==, 15);
  g_assert_cmpuint (read_all (s), ==, 1);
  end (&w, true);
  trace_close (s);
  clear (&w);
}

/* Killed in the middle of a line: what is whole is given, and how it ended is told. */
static void
test_killed (void)
{
  Writer w = begin ("#TAPE/PVM 2\n" LINE (10), -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  put (&w, LINE (20) "60 30 2621", strlen (LINE (20)) + 10);
  g_assert_true (trace_look (s));
  g_assert_cmpuint (read_all (s), ==, 3); /* the last call may last longer than is known */
  g_assert_cmpuint (s->n_damaged, ==, 0);
  end (&w, false);
  g_assert_true (trace_look (s));
  g_assert_true (s->ended);
  g_assert_nonnull (strstr (s->left, "is gone without having ended it; what it wrote is all read: 2 records"));
  g_assert_cmpuint (read_all (s), ==, 1);
  g_assert_cmpuint (s->n_damaged, ==, 1);
  g_assert_nonnull (strstr (((TraceDamage *) s->damage->pdata[0])->reason, "ends inside this line"));
  g_assert_false (trace_look (s));
  trace_close (s);
  s = traces_open (w.bundle, &(TraceOptions){ .follow = true }); /* later it is like any other */
  g_assert_false (trace_may_grow (s));
  g_assert_nonnull (strstr (s->left, "is gone"));
  g_assert_cmpuint (read_all (s), ==, 4);
  trace_close (s);
  clear (&w);
}

static void
test_taken_away (void)
{
  Writer w = begin ("#TAPE/PVM 2\n" LINE (10), -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });
  g_autofree char *live = g_build_filename (w.folder, TRACE_LIVE_FILE, NULL);

  g_assert_cmpint (unlink (live), ==, 0);
  g_assert_true (trace_look (s));
  g_assert_true (s->ended);
  g_assert_nonnull (s->left);
  trace_close (s);
  end (&w, false);
  clear (&w);
}

static void
test_shorter (void)
{
  Writer w = begin ("#TAPE/PVM 2\n" LINE (10) LINE (20), -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  g_assert_cmpuint (read_all (s), ==, 3);
  g_assert_cmpint (ftruncate (w.events, 20), ==, 0);
  g_assert_true (trace_look (s));
  g_assert_true (s->ended);
  g_assert_nonnull (strstr (s->left, "became shorter while it was followed"));
  g_assert_cmpuint (read_all (s), ==, 1); /* the end that was waited for */
  trace_close (s);
  end (&w, true);
  clear (&w);
}

/* Nobody knows the writer of a bundle without the file `live`: it is waited for. */
static void
test_unknown_writer (void)
{
  Writer w = begin ("", 0, false);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  g_assert_true (trace_may_grow (s));
  g_assert_cmpuint (read_all (s), ==, 0);
  g_assert_cmpint (s->first, >, s->last);
  put (&w, LINE (10), 7); /* not whole */
  g_assert_false (trace_look (s));
  put (&w, LINE (10) + 7, strlen (LINE (10)) - 7);
  g_assert_true (trace_look (s));
  put (&w, LINE (30), strlen (LINE (30)));
  g_assert_true (trace_look (s));
  g_assert_cmpuint (read_all (s), ==, 3);
  g_assert_true (trace_may_grow (s));
  g_assert_cmpuint (s->n_records, ==, 2);
  trace_close (s);
  end (&w, false);
  clear (&w);
}

static void
test_unknown_version (void)
{
  Writer w = begin ("", 0, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  put (&w, "#TAPE/PVM 9\n" LINE (10), 12 + strlen (LINE (10)));
  g_assert_true (trace_look (s));
  g_assert_true (s->ended);
  g_assert_nonnull (strstr (s->left, "a version that this reader does not know"));
  g_assert_cmpuint (read_all (s), ==, 0);
  trace_close (s);
  end (&w, true);
  clear (&w);
}

/* A line of version 2 that stands too late is told with its place; all others are given. */
static void
test_backward (void)
{
  Writer w = begin ("#TAPE/PVM 2\n" LINE (100), -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });

  g_assert_cmpuint (read_all (s), ==, 1);
  put (&w, LINE (50) LINE (200), strlen (LINE (50) LINE (200)));
  g_assert_true (trace_look (s));
  g_assert_cmpuint (read_all (s), ==, 2);
  g_assert_cmpuint (s->n_damaged, ==, 1);
  const TraceDamage *d = s->damage->pdata[0];
  g_assert_cmpuint (d->line, ==, 3);
  g_assert_nonnull (strstr (d->reason, "what comes later has been given already"));
  end (&w, true);
  trace_look (s);
  g_assert_cmpuint (read_all (s), ==, 1);
  trace_close (s);
  s = traces_open (w.bundle, NULL); /* afterwards it is sorted */
  g_assert_cmpuint (read_all (s), ==, 6);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  trace_close (s);
  clear (&w);
}

static size_t
resident_kib (void)
{
  g_autofree char *status = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  return (size_t) g_ascii_strtoull (strstr (status, "VmRSS:") + 6, NULL, 10);
}

/* More than is looked through at once, and a line that does not end. */
static void
test_flood (void)
{
  Writer w = begin ("#TAPE/PVM 2\n", -1, true);
  TraceSource *s = traces_open (w.bundle, &(TraceOptions){ .follow = true });
  g_autofree TraceEvent *events = g_new (TraceEvent, 4096);
  g_autoptr (GString) text = g_string_new (NULL);
  uint64_t n = 0, given = 0, damaged;
  size_t before = resident_kib ();

  for (int round = 0; round < 10; round++) {
    g_string_truncate (text, 0);
    for (int i = 0; i < 250000; i++, n++)
      g_string_append_printf (text, "60 %" G_GUINT64_FORMAT " 262146 5 0 262147 1 8 0\n", n * 3);
    put (&w, text->str, text->len);
    if (round == 4) {
      g_string_truncate (text, 0);
      g_string_append_printf (text, "60 %0*d", 5 << 20, 7);
      put (&w, text->str, text->len);
      trace_look (s);
      put (&w, "\n", 1);
    }
  }
  do {
    g_assert_true (trace_look (s));
    for (size_t k; (k = s->format->next (s, events, 4096, NULL));)
      given += k;
  } while (s->n_records < n);
  g_assert_cmpuint (given, ==, 2 * n - 2);
  damaged = s->n_damaged;
  g_assert_cmpuint (damaged, ==, 1);
  if (!IS_SANITIZED) /* a sanitizer keeps what was freed */
    g_assert_cmpuint (resident_kib () - before, <, 64 << 10);
  end (&w, true);
  trace_close (s);
  clear (&w);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follow/late-end", test_late_end);
  g_test_add_func ("/follow/found-again", test_found_again);
  g_test_add_func ("/follow/damaged-ends", test_damaged_ends);
  g_test_add_func ("/follow/growing", test_growing);
  g_test_add_func ("/follow/certain", test_certain);
  g_test_add_func ("/follow/killed", test_killed);
  g_test_add_func ("/follow/taken-away", test_taken_away);
  g_test_add_func ("/follow/shorter", test_shorter);
  g_test_add_func ("/follow/unknown-writer", test_unknown_writer);
  g_test_add_func ("/follow/unknown-version", test_unknown_version);
  g_test_add_func ("/follow/backward", test_backward);
  g_test_add_func ("/follow/flood", test_flood);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
