/* SPDX-License-Identifier: Apache-2.0 */
/* tape-reader-fuzz.c - any bytes as a TAPE trace: all three files at once, then the simulator on what comes out.
 *
 * As a libFuzzer target:  clang -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -I.
 *   tests/fuzz/tape-reader-fuzz.c readers/[a-z]*.c readers/tape/[a-z]*.c simulators/{state,simulator}.c
 *   simulators/ouf/{step,extras,graph,model,save}.c eve/[a-z]*.c $(pkg-config --cflags --libs glib-2.0 libxml-2.0) -lm
 * -ldl
 *
 * The first byte chooses options, the next four are the lengths of `topology` and `index`, which follow (16 bits each,
 * least byte first); the rest is `events`.  Beside not crashing, the reader must keep its promises: dates in order,
 * backward the reverse of forward, the same events after save and load, the right place after a seek. */
#include "readers/tape/tape.h"
#include "simulators/ouf/ouf.h"
#include "tests/fuzz/reader-fuzz.h"

#define MOST 20000 /* events looked at one by one */

static bool
same (const TraceEvent *a, const TraceEvent *b)
{
  return a->date == b->date && a->duration == b->duration && a->number == b->number && a->record == b->record
         && a->size == b->size && a->task == b->task && a->peer == b->peer && a->object == b->object && a->tag == b->tag
         && a->result == b->result && a->kind == b->kind && a->flags == b->flags;
}

/* Up to MOST events from here on, forward. */
static GArray *
read_on (TraceSource *s, size_t batch)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  g_autofree TraceEvent *some = g_new (TraceEvent, batch);
  const TraceEvent *ahead;
  size_t n;

  while (all->len < MOST) {
    TraceEvent first = { 0 };
    bool looked = batch % 3 == 0;
    if (looked && s->format->peek (s, &ahead, NULL) > 0)
      first = *ahead;
    n = s->format->next (s, some, batch, NULL);
    CHECK (n == 0 || !looked || same (&first, some));
    if (n == 0)
      break;
    g_array_append_vals (all, some, (guint) n);
  }
  return all;
}

static void
check_order (const TraceSource *s, const GArray *all)
{
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, i), *before = i > 0 ? e - 1 : NULL;
    check_event (s, e);
    CHECK (e->date >= 0 && e->date <= TAPE_MAX_DATE);
    CHECK (before == NULL || before->date < e->date
           || (before->date == e->date
               && (before->task < e->task || (before->task == e->task && before->record != e->record))));
    CHECK (before == NULL || e->number == before->number + 1);
    if (i < 200)
      show (e);
  }
}

static void
check_backward (TraceSource *s, const GArray *all, size_t batch)
{
  g_autofree TraceEvent *some = g_new (TraceEvent, batch);
  guint left = all->len;
  size_t n;

  while ((n = s->format->previous (s, some, batch, NULL)) > 0)
    for (size_t i = 0; i < n; i++) {
      CHECK (left > 0);
      CHECK (same (&some[i], &g_array_index (all, TraceEvent, --left)));
    }
  CHECK (left == 0);
}

/* To any event and back to it by its saved place. */
static void
check_places (TraceSource *s, const GArray *all, unsigned choice)
{
  guint at = (choice * 2654435761u) % all->len;
  TraceEvent e;

  s->format->rewind (s);
  for (guint i = 0; i < at; i++)
    CHECK (s->format->next (s, &e, 1, NULL) == 1);
  g_autoptr (GBytes) place = trace_place (s);
  gsize n;
  const uint8_t *data = g_bytes_get_data (place, &n);
  CHECK (s->format->seek (s, 0, NULL));
  CHECK (trace_go_to_place (s, data, n));
  CHECK (s->format->next (s, &e, 1, NULL) == 1 && same (&e, &g_array_index (all, TraceEvent, at)));
  g_autofree uint8_t *bent = g_memdup2 (data, (guint) n);
  for (unsigned i = 0; i < 3; i++)
    bent[(choice * 31 + i * 77) % n] ^= (uint8_t) (1u << ((choice + i) % 8));
  if (trace_go_to_place (s, bent, n))
    s->format->next (s, &e, 1, NULL);
}

/* After a seek comes the first event of that date or later. */
static void
check_seek (TraceSource *s, const GArray *all, unsigned choice)
{
  int64_t date = g_array_index (all, TraceEvent, (choice * 40503u) % all->len).date;
  guint first = 0;
  TraceEvent e;

  while (g_array_index (all, TraceEvent, first).date < date)
    first++;
  CHECK (s->format->seek (s, date, NULL));
  CHECK (s->format->next (s, &e, 1, NULL) == 1);
  const TraceEvent *want = &g_array_index (all, TraceEvent, first);
  CHECK (e.record == want->record && e.date == want->date);
}

static void
simulate (const GArray *all, unsigned choice)
{
  bool keep = choice & 1, threads = choice & 2, semaphores = choice & 4, processors = choice & 8;
  Ouf *p = ouf_new (&keep, &threads, &semaphores, &processors);
  g_autoptr (GString) json = g_string_new (NULL);

  for (guint i = 0; i < all->len; i++)
    ouf_step (p, &g_array_index (all, TraceEvent, i));
  if (p->store.graph.n_nodes < 1000 && p->store.graph.n_edges < 1000)
    state_json (&p->store.graph, INT64_MIN, json);
  EveBlob *b = eve_blob_new ();
  ouf_save (p, b);
  size_t n;
  const uint8_t *data = eve_blob_data (b, &n);
  EveBlobView *view = eve_blob_view_new (data, n);
  ouf_reset (p);
  CHECK (ouf_load (p, view));
  eve_blob_view_free (view);
  eve_blob_free (b);
  ouf_free (p);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n)
{
  if (n < 5)
    return 0;
  make_bundle (&tape_format);
  unsigned choice = data[0];
  size_t n_topology = (size_t) (data[1] | data[2] << 8), n_index = (size_t) (data[3] | data[4] << 8);
  data += 5;
  n -= 5;
  n_topology = MIN (n_topology, n);
  n_index = MIN (n_index, n - n_topology);
  write_file ("topology", data, n_topology);
  write_file ("index", choice & 64 || n_index > 0 ? data + n_topology : NULL, n_index);
  write_file ("events", data + n_topology + n_index, n - n_topology - n_index);

  const TraceOptions options = { .strict = (choice & 0x30) == 0x30 };
  TraceSource *s = open_bundle (&tape_format, &options);
  if (!s)
    return 0;
  for (guint i = 0; i < s->damage->len; i++)
    CHECK (g_utf8_validate (((TraceDamage *) s->damage->pdata[i])->reason, -1, NULL));
  g_autoptr (GArray) all = read_on (s, 1 + choice % 64);
  check_order (s, all);
  if (all->len > 0 && all->len < MOST && !options.strict) {
    check_backward (s, all, 1 + choice % 17);
    g_autoptr (GArray) again = read_on (s, 7);
    CHECK (again->len == all->len);
    check_places (s, all, choice);
    check_seek (s, all, choice);
  }
  simulate (all, choice);
  s->format->close (s);
  return 0;
}
