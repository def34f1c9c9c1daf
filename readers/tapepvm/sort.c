/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c - external merge sort of a file that is not in the order of its dates.
 *
 * Stable: lines of one date keep their order, so the key is (date, number of the line).  A line without a
 * date that can be read stays behind the one above it, to be reported there.  Runs lie one behind the other
 * in a temporary file without a name; passes merge as many as memory allows, the last one writes lines again,
 * each with its number before it. */
#include "readers/tapepvm/scan.h"
#include "eve/words.h"
#include "eve/disk.h"
#include <fcntl.h>
#include <glib/gstdio.h>

typedef struct Item { /* in a run: before the bytes of the line, without line feed */
  int64_t date;
  uint64_t number; /* of the line */
  uint32_t n;
  uint32_t cut; /* the last line, without line feed */
} Item;

typedef struct Entry { /* in memory */
  Item item;
  size_t at;
} Entry;

typedef struct Run {
  uint64_t from, to; /* bytes of the file */
} Run;

typedef struct Out {
  int fd;
  uint64_t size;
  uint8_t *buffer;
  size_t n, room;
  GError **error;
} Out;

typedef struct In {
  int fd;
  Run left; /* not yet in the buffer */
  uint8_t *buffer;
  size_t at, n, room;
  Item item; /* the next, its line at buffer + at */
} In;

int
tp_temporary (const char *folder, GError **error)
{
  g_autofree char *cache = folder ? g_strdup (folder) : g_build_filename (g_get_user_cache_dir (), "scope", NULL);
  g_autofree char *name = g_build_filename (cache, "sort-XXXXXX", NULL);
  int fd = g_mkdir_with_parents (cache, 0700) == 0 ? g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0600) : -1;
  if (fd < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("no temporary file can be made in %s, which sorting needs: %s"),
                 cache, g_strerror (errno));
    return -1;
  }
  g_unlink (name); /* it goes when it is closed, whatever happens */
  return fd;
}

static bool
sort_flush (Out *o)
{
  if (!disk_write (o->fd, o->buffer, o->n)) {
    g_set_error (o->error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("sorting cannot go on, a temporary file cannot be written: %s"), g_strerror (errno));
    return false;
  }
  o->n = 0;
  return true;
}

static bool
sort_put_bytes (Out *o, const void *bytes, size_t n)
{
  o->size += n;
  for (const uint8_t *p = bytes; n;) {
    size_t part = MIN (n, o->room - o->n);
    memcpy (o->buffer + o->n, p, part);
    o->n += part;
    p += part;
    n -= part;
    if (o->n == o->room && !sort_flush (o))
      return false;
  }
  return true;
}

/* An item of a run, or a line of the result. */
static bool
put_item (Out *o, const Item *item, const uint8_t *line, bool result)
{
  char number[32];
  if (!result)
    return sort_put_bytes (o, item, sizeof *item) && sort_put_bytes (o, line, item->n);
  int n = g_snprintf (number, sizeof number, "%" G_GUINT64_FORMAT "%c", item->number, item->cut ? '!' : ' ');
  return sort_put_bytes (o, number, (size_t) n) && sort_put_bytes (o, line, item->n) && sort_put_bytes (o, "\n", 1);
}

static int
sort_by_key (const void *a, const void *b)
{
  const Item *x = &((const Entry *) a)->item, *y = &((const Entry *) b)->item;
  if (x->date != y->date)
    return x->date < y->date ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* The next item into in->item; false: none, or *error is set. */
static bool
next_item (In *in, GError **error)
{
  in->at += in->item.n;
  for (;;) {
    size_t have = in->n - in->at;
    if (have >= sizeof (Item)) {
      memcpy (&in->item, in->buffer + in->at, sizeof (Item));
      if (have - sizeof (Item) >= in->item.n) {
        in->at += sizeof (Item);
        return true;
      }
    }
    uint64_t left = in->left.to - in->left.from;
    if (!left)
      return false;
    memmove (in->buffer, in->buffer + in->at, have);
    in->at = 0;
    in->n = have;
    size_t need = have >= sizeof (Item) ? sizeof (Item) + in->item.n : 0;
    if (need > in->room) { /* a long line */
      in->room = need;
      in->buffer = g_realloc (in->buffer, in->room);
    }
    size_t want = (size_t) MIN (left, in->room - have);
    ssize_t got = disk_pread (in->fd, in->buffer + have, want, in->left.from);
    if (got < 0 || (size_t) got < want) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("sorting cannot go on, a temporary file cannot be read: %s"),
                   got < 0 ? g_strerror (errno) : _ ("it is too short"));
      return false;
    }
    in->left.from += want;
    in->n += want;
  }
}

static bool
before (const In *a, const In *b)
{
  return a->item.date != b->item.date ? a->item.date < b->item.date : a->item.number < b->item.number;
}

static void
sort_sink (In **heap, unsigned n, unsigned i)
{
  for (unsigned down; (down = 2 * i + 1) < n; i = down) {
    if (down + 1 < n && before (heap[down + 1], heap[down]))
      down++;
    if (!before (heap[down], heap[i]))
      return;
    In *t = heap[i];
    heap[i] = heap[down];
    heap[down] = t;
  }
}

static bool
sort_merge (int fd, const Run *runs, unsigned n_runs, size_t room, Out *out, bool result, GError **error)
{
  GError *failed = NULL;
  In *ins = g_new0 (In, n_runs), **heap = g_new (In *, n_runs);
  unsigned n = 0;
  for (unsigned i = 0; i < n_runs && !failed; i++) {
    ins[i] = (In){ .fd = fd, .left = runs[i], .room = room, .buffer = g_malloc (room) };
    if (next_item (&ins[i], &failed))
      heap[n++] = &ins[i];
  }
  for (unsigned i = n / 2; i-- > 0;)
    sort_sink (heap, n, i);
  bool fine = !failed;
  while (fine && n) {
    In *in = heap[0];
    fine = put_item (out, &in->item, in->buffer + in->at, result);
    if (fine && !next_item (in, &failed)) {
      heap[0] = heap[--n];
      fine = !failed;
    }
    sort_sink (heap, n, 0);
  }
  for (unsigned i = 0; i < n_runs; i++)
    g_free (ins[i].buffer);
  g_free (ins);
  g_free (heap);
  if (failed)
    g_propagate_error (error, failed);
  return fine;
}

static bool
write_run (GArray *entries, const GByteArray *text, Out *out, GArray *runs)
{
  Run run = { .from = out->size };
  qsort (entries->data, entries->len, sizeof (Entry), sort_by_key);
  for (guint i = 0; i < entries->len; i++) {
    const Entry *e = &g_array_index (entries, Entry, i);
    if (!put_item (out, &e->item, text->data + e->at, false))
      return false;
  }
  run.to = out->size;
  g_array_append_val (runs, run);
  return true;
}

/* A line without one leaves *date as it is. */
static void
sort_date_of (const TpTable *t, const uint8_t *line, size_t n, TpRecord *r, int64_t *date)
{
  TpFault fault;
  int64_t later;
  size_t record;
  if (t->later && tp_is_later (line, n))
    *date = tp_scan_later (t, line, n, r, &later, &record, &fault) ? later : *date;
  else if (tp_scan_plain (t, line, r) || tp_scan (t, line, n, r, &fault))
    *date = r->date;
}

/* Cuts the file into sorted runs of about `memory` bytes. */
static bool
make_runs (const TpTable *t, int fd, uint64_t size, size_t memory, const TraceProgress *progress, Out *out,
           GArray *runs, GError **error)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  GByteArray *text = g_byte_array_new ();
  TpLines lines;
  TpLinesState state;
  TpRecord r;
  int64_t date = 0;
  uint64_t number = 0;
  bool fine = true;
  unsigned blocks = 0;
  tp_record_init (&r);
  tp_lines_init (&lines, fd, 0, size);
  while (fine && (state = tp_lines_fill (&lines, error)) != TP_LINES_END) {
    fine = state != TP_LINES_ERROR
           && (++blocks % 8
               || tp_report (progress, _ ("sorting the events"), (double) lines.at / (double) size / 2, error));
    while (fine && lines.cursor < lines.full) {
      const uint8_t *line = lines.text + lines.cursor;
      const uint8_t *end = state == TP_LINES_MORE ? memchr (line, '\n', lines.full - lines.cursor) : NULL;
      size_t n = end ? (size_t) (end - line) : lines.full - lines.cursor;
      lines.cursor += n + (end != NULL);
      number++;
      if (tp_is_blank (line, n))
        continue;
      if (state == TP_LINES_MORE)
        sort_date_of (t, line, n, &r, &date);
      Entry e = { .item = { .date = date, .number = number, .n = (uint32_t) n, .cut = state == TP_LINES_CUT },
                  .at = text->len };
      if (entries->len && (entries->len + 1) * sizeof e + text->len + n > memory) {
        fine = write_run (entries, text, out, runs);
        g_array_set_size (entries, 0);
        g_byte_array_set_size (text, 0);
        e.at = 0;
      }
      g_array_append_val (entries, e);
      g_byte_array_append (text, line, (guint) n);
    }
  }
  if (fine)
    fine = write_run (entries, text, out, runs);
  tp_lines_clear (&lines);
  g_array_unref (entries);
  g_byte_array_unref (text);
  return fine;
}

int
tp_sort (const TpTable *t, int fd, uint64_t size, const TraceOptions *options, uint64_t *sorted_size, GError **error)
{
  enum { buffer = 128 << 10, small = 4 << 10 };
  size_t memory = options->memory_bytes ? options->memory_bytes : 32 << 20;
  /* The byte array grows by doubling and may hold twice what lies in it. */
  size_t run_bytes = MAX (memory / 2, 4096), room = CLAMP (memory / 16, small, buffer);
  unsigned fan = (unsigned) CLAMP (memory / room, 2, 256);
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));
  Out out = {
    .fd = tp_temporary (options->work_folder, error), .buffer = g_malloc (buffer), .room = buffer, .error = error
  };
  bool fine = out.fd >= 0 && make_runs (t, fd, size, run_bytes, options->progress, &out, runs, error)
              && sort_flush (&out);
  bool result = false;
  while (fine && !result) {
    GArray *merged = g_array_new (FALSE, FALSE, sizeof (Run));
    int from = out.fd;
    uint64_t total = out.size;
    result = runs->len <= fan;
    out.fd = tp_temporary (options->work_folder, error);
    out.size = 0;
    fine = out.fd >= 0;
    for (guint i = 0; fine && i < runs->len; i += fan) {
      Run run = { .from = out.size };
      fine = sort_merge (from, &g_array_index (runs, Run, i), MIN (fan, runs->len - i), room, &out, result, error);
      run.to = out.size;
      g_array_append_val (merged, run);
      fine = fine
             && tp_report (options->progress, _ ("sorting the events"),
                           0.5 + 0.5 * (double) out.size / (double) (total + 1), error);
    }
    fine = fine && sort_flush (&out);
    close (from);
    g_array_unref (runs);
    runs = merged;
  }
  g_array_unref (runs);
  g_free (out.buffer);
  if (!fine && out.fd >= 0)
    close (out.fd);
  *sorted_size = out.size;
  return fine ? out.fd : -1;
}
