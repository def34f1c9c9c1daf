/* SPDX-License-Identifier: Apache-2.0 */
/* tapepvm-reader-fuzz.c - any bytes as a TAPE/PVM trace.
 *
 * As a libFuzzer target:  clang -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -I.
 *   tests/fuzz/tapepvm-reader-fuzz.c readers/[a-z]*.c readers/tapepvm/[a-z]*.c eve/[a-z]*.c
 *   $(pkg-config --cflags --libs glib-2.0 libxml-2.0) -lm -ldl
 *
 * The first byte chooses options, the rest is `events`, and behind the line "=kinds=" the
 * table of the bundle.  Beside not crashing, the reader must keep its promises: dates in order, events as counted at
 * opening, the same events and damage after save and load, both scanners of one mind. */
#include <fcntl.h>
#include <sys/file.h>
#include "readers/tapepvm/scan.h"
#include "tests/fuzz/reader-fuzz.h"

typedef struct Sum {
  uint64_t hash, n;
  int64_t date;
} Sum;

static void
add_to_sum (Sum *sum, const TraceSource *s, const TraceEvent *e)
{
  CHECK (e->date >= sum->date);
  CHECK (e->number == sum->n);
  check_event (s, e);
  sum->date = e->date;
  sum->n++;
  TraceEvent same = *e;
  uint64_t words[sizeof *e / 8];
  same.source = 0;
  memcpy (words, &same, sizeof words);
  for (unsigned i = 0; i < sizeof *e / 8; i++)
    sum->hash = (sum->hash ^ words[i]) * UINT64_C (0x100000001b3) + 1;
}

static uint64_t
blob_hash (TraceSource *s)
{
  EveBlob *b = eve_blob_new ();
  s->format->save (s, b);
  uint64_t hash = eve_blob_hash (b);
  eve_blob_free (b);
  return hash;
}

/* Reads on to the end, or `stop` events. */
static bool
read_on (TraceSource *s, Sum *sum, uint64_t stop, unsigned batch, unsigned shown)
{
  TraceEvent events[64];
  const TraceEvent *ahead;
  g_autoptr (GError) error = NULL;
  while (sum->n < stop) {
    size_t there = s->format->peek (s, &ahead, NULL);
    TraceEvent first = { 0 };
    if (there)
      first = *ahead;
    size_t n = s->format->next (s, events, MIN ((uint64_t) batch, stop - sum->n), &error);
    CHECK ((there > 0) == (n > 0));
    CHECK (!n || memcmp (&first, events, sizeof first) == 0);
    if (!n)
      return false;
    CHECK (!error);
    for (size_t i = 0; i < n; i++) {
      add_to_sum (sum, s, &events[i]);
      if (sum->n < shown)
        show (&events[i]);
    }
  }
  return true;
}

static void
compare_scanners (const TpTable *t, const uint8_t *data, size_t n)
{
  g_autofree uint8_t *copy = g_malloc0 (n + 2 * TP_SLACK);
  memcpy (copy + TP_SLACK, data, n);
  copy[TP_SLACK + n] = '\n';
  for (const uint8_t *at = copy + TP_SLACK, *stop = at + n; at < stop;) {
    TpRecord a, b;
    TpFault fault;
    size_t length = (size_t) ((const uint8_t *) memchr (at, '\n', (size_t) (stop + 1 - at)) - at);
    tp_record_init (&a);
    tp_record_init (&b);
    size_t fast = tp_scan_fast (t, at, &a);
    bool slow = tp_scan (t, at, length, &b, &fault);
    CHECK (!fast || (slow && fast == length + 1));
    if (fast) {
      CHECK (a.kind == b.kind && a.date == b.date && a.duration == b.duration);
      for (unsigned i = 0; i < t->details[a.kind].n_words; i++)
        if (t->details[a.kind].text >> i & 1)
          CHECK (a.at[i] == b.at[i] && a.len[i] == b.len[i]);
        else
          CHECK (a.v[i] == b.v[i]);
    } else if (!slow) {
      CHECK (g_utf8_validate (fault.reason, -1, NULL));
    }
    at += length + 1;
  }

  /* Many at once: whatever is taken is what tp_scan() says. */
  g_autofree TraceEvent *events = g_new (TraceEvent, n + 1);
  const uint8_t *end = memrchr (copy + TP_SLACK, '\n', n);
  TpRecord scratch;
  tp_record_init (&scratch);
  for (const uint8_t *at = copy + TP_SLACK; end && at < end;) {
    size_t used;
    uint32_t k = tp_scan_lines (t, at, (size_t) (end + 1 - at), 0, &scratch, events, (uint32_t) n + 1, &used);
    CHECK (used <= (size_t) (end + 1 - at) && (k > 0) == (used > 0));
    for (uint32_t i = 0; i < k; i++) {
      TpRecord b;
      TpFault fault;
      const uint8_t *line = at + events[i].record;
      tp_record_init (&b);
      CHECK (tp_scan (t, line, (size_t) ((const uint8_t *) memchr (line, '\n', (size_t) (end + 1 - line)) - line), &b,
                      &fault));
      const TpKind *d = &t->details[b.kind];
      CHECK (events[i].kind == b.kind && events[i].date == b.date && events[i].duration == MAX (b.duration, 0));
      CHECK (events[i].size == b.v[d->size_at] && events[i].tag == b.v[d->tag_at]
             && events[i].result == b.v[d->result_at]);
      CHECK (events[i].task == b.v[t->at[TP_TASK]]);
    }
    at += used;
    at = (const uint8_t *) memchr (at, '\n', (size_t) (copy + TP_SLACK + n + 1 - at)) + 1;
  }
}

/* The file grows by pieces cut anywhere: if it is in order, the same comes of it. */
static void
grow (const uint8_t *data, size_t n, unsigned choice, const Sum *all, uint64_t damaged, bool sorted)
{
  static const TraceOptions options = { .follow = true };
  g_autofree char *events = g_build_filename (folder, "events", NULL), *live = g_build_filename (folder, "live", NULL);
  Sum sum = { 0 };
  size_t at = n ? choice * 7919u % n : 0;
  write_file ("events", data, at);
  int lock = open (live, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK (lock >= 0 && flock (lock, LOCK_EX | LOCK_NB) == 0);
  int out = open (events, O_WRONLY | O_APPEND | O_CLOEXEC);
  TraceSource *s = open_bundle (&tapepvm_format, &options);
  for (unsigned i = 0; s && (at < n || trace_may_grow (s)); i++) {
    size_t piece = MIN (n - at, 1 + (choice + i) * 2654435761u % (n / 8 + 2));
    CHECK (write (out, data + at, piece) == (ssize_t) piece);
    at += piece;
    if (at == n && lock >= 0) {
      close (lock);
      lock = -1;
    }
    trace_look (s);
    while (read_on (s, &sum, sum.n + 1000, 1 + i % 64, 0))
      ;
  }
  if (s) {
    CHECK (s->ended);
    read_on (s, &sum, UINT64_MAX, 64, 0);
    CHECK (!sorted || (sum.hash == all->hash && sum.n == all->n && s->n_damaged == damaged));
    CHECK (sum.n <= all->n);
    s->format->close (s);
  }
  if (lock >= 0)
    close (lock);
  close (out);
  g_unlink (live);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n)
{
  static const char mark[] = "\n=kinds=\n";
  if (!n)
    return 0;
  make_bundle (&tapepvm_format);
  unsigned choice = *data++;
  n--;
  const uint8_t *kinds = memmem (data, n, mark, sizeof mark - 1);
  size_t n_events = kinds ? (size_t) (kinds - data) + 1 : n;
  if (kinds)
    kinds += sizeof mark - 1;
  write_file ("events", data, n_events);
  write_file ("kinds", kinds, kinds ? (size_t) (data + n - kinds) : 0);
  const TraceOptions options = { .strict = (choice & 3) == 3, .memory_bytes = 64 << 10, .work_folder = folder };
  TraceSource *s = open_bundle (&tapepvm_format, &options);
  if (!s)
    return 0;
  compare_scanners (((TpReader *) s)->table, data, n_events);

  /* Straight on. */
  Sum all = { 0 };
  read_on (s, &all, UINT64_MAX, 1 + choice % 64, 200);
  CHECK (options.strict || all.n == s->n_events);
  bool heard = ((TpReader *) s)->version == 2; /* time may go on behind the last event */
  CHECK (!all.n || options.strict || (heard ? all.date <= s->last : all.date == s->last));
  uint64_t damaged = s->n_damaged, end = blob_hash (s);
  CHECK (s->damage->len == MIN (damaged, TP_DAMAGE_KEPT));

  /* Half way, away and back. */
  uint64_t place = all.n ? (choice * UINT64_C (2654435761)) % all.n : 0;
  Sum half = { 0 };
  EveBlob *b = eve_blob_new ();
  s->format->rewind (s);
  CHECK (s->n_damaged == 0);
  read_on (s, &half, place, 7, 0);
  uint64_t damaged_half = s->n_damaged;
  s->format->save (s, b);
  Sum away = half;
  read_on (s, &away, UINT64_MAX, 64, 0);
  size_t bytes;
  const uint8_t *saved = eve_blob_data (b, &bytes);
  EveBlobView *view = eve_blob_view_new (saved, bytes);
  CHECK (s->format->load (s, view));
  CHECK (s->n_damaged == damaged_half && s->damage->len == MIN (damaged_half, TP_DAMAGE_KEPT));
  CHECK (blob_hash (s) == eve_blob_hash (b));
  read_on (s, &half, UINT64_MAX, 3, 0);
  CHECK (half.hash == all.hash && half.n == all.n && s->n_damaged == damaged && blob_hash (s) == end);
  eve_blob_view_free (view);

  /* A damaged run state is refused, or is one. */
  g_autofree uint8_t *bent = g_memdup2 (saved, bytes);
  for (unsigned i = 0; i < 3 && bytes; i++)
    bent[(choice * 31 + i * 77) % bytes] ^= (uint8_t) (1u << ((choice + i) % 8));
  view = eve_blob_view_new (bent, bytes);
  if (s->format->load (s, view)) {
    TraceEvent events[64];
    for (unsigned i = 0; i < 1000 && s->format->next (s, events, 64, NULL); i++)
      show (&events[0]);
  }
  eve_blob_view_free (view);
  eve_blob_free (b);
  bool sorted = s->abilities & TRACE_SORTED;
  s->format->close (s);
  if (!options.strict)
    grow (data, n_events, choice, &all, damaged, sorted);
  return 0;
}
