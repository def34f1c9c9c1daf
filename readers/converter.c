/* SPDX-License-Identifier: Apache-2.0 */
/* converter.c - events of a converted format on their way to the cache: put in order of date, packed, written.
 *
 * Events are collected and sorted, some hundred thousand at a time; the earlier half of them is written.  As long as
 * what is written goes on where it ended, that is all: one run.  Else another run begins, and in the end all runs are
 * merged.  Events of one date stay in the order in which they were given, which until then is their number. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "readers/converted-private.h"

#define MOST_WAITING (1u << 19) /* events that are sorted together: 32 MiB */
#define MOST_MERGED 128         /* runs at once: each has a block in memory */
#define WRITE_BYTES (1u << 20)
#define LEAST_FREE (256 * DISK_MIB) /* is left to others on the disk */

typedef struct Run {
  GArray *blocks; /* of Block */
  int64_t last;   /* date, */
  uint64_t order; /* and number, of its last event */
} Run;

/* A file that events are written to. */
typedef struct Events {
  int fd;
  uint64_t at;
  TraceEvent *block; /* not yet written */
  uint32_t n;
} Events;

struct Converter {
  TraceSource *source;
  const TraceOptions *options;
  char *folder;
  GError *error; /* the first thing that went wrong */
  GArray *kinds; /* of TraceKind */
  TraceEvent *waiting;
  uint32_t n_waiting;
  bool in_order; /* those that wait are */
  Events out;
  GPtrArray *runs; /* of Run */
  int values;      /* file of values behind events */
  uint64_t values_at;
  GByteArray *behind; /* of the next event, then what is not written yet */
  size_t n_behind;    /* bytes of it that belong to events that were given */
  uint64_t n_actions; /* numbers for events that have no values */
  uint64_t n_given;   /* events, and places that were taken */
  uint8_t *columns, *packed;
  ZSTD_CCtx *zstd;
  gint64 asked_us; /* whether the person goes on waiting */
};

static void
free_run (void *p)
{
  Run *r = p;

  g_array_unref (r->blocks);
  g_free (r);
}

static bool
refuse (Converter *c, const char *what)
{
  if (!c->error)
    g_set_error (&c->error, TRACE_ERROR, TRACE_ERROR_IO,
                 "%s: %s cannot be written to the cache, %s: %s (XDG_CACHE_HOME says where the cache is)",
                 c->source->path, what, c->folder, g_strerror (errno));
  return false;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

void
converted_put_columns (const TraceEvent *e, uint32_t n, uint8_t *to)
{
  uint64_t date = 0, record = 0, number = 0;

  for (uint32_t i = 0; i < n; i++, to += 8) {
    bytes_put64 (to, (uint64_t) e[i].date - date);
    date = (uint64_t) e[i].date;
  }
  for (uint32_t i = 0; i < n; i++, to += 8) {
    bytes_put64 (to, e[i].number - number);
    number = e[i].number;
  }
  for (uint32_t i = 0; i < n; i++, to += 8) {
    bytes_put64 (to, e[i].record - record);
    record = e[i].record;
  }
  for (uint32_t i = 0; i < n; i++, to += 8)
    bytes_put64 (to, (uint64_t) e[i].duration);
  for (uint32_t i = 0; i < n; i++, to += 8)
    bytes_put64 (to, (uint64_t) e[i].size);
  for (uint32_t i = 0; i < n; i++, to += 4)
    bytes_put32 (to, e[i].task);
  for (uint32_t i = 0; i < n; i++, to += 4)
    bytes_put32 (to, e[i].peer);
  for (uint32_t i = 0; i < n; i++, to += 4)
    bytes_put32 (to, e[i].object);
  for (uint32_t i = 0; i < n; i++, to += 4)
    bytes_put32 (to, (uint32_t) e[i].tag);
  for (uint32_t i = 0; i < n; i++, to += 4)
    bytes_put32 (to, (uint32_t) e[i].result);
  for (uint32_t i = 0; i < n; i++) {
    *to++ = (uint8_t) e[i].kind;
    *to++ = (uint8_t) (e[i].kind >> 8);
  }
  for (uint32_t i = 0; i < n; i++)
    *to++ = e[i].flags;
}

/* Writes the block at hand into a run. */
static bool
write_block (Converter *c, Events *to, Run *run)
{
  uint32_t n = to->n;

  if (n == 0 || c->error)
    return !c->error;
  converted_put_columns (to->block, n, c->columns);
  size_t bytes = ZSTD_compress2 (c->zstd, c->packed, ZSTD_compressBound (BLOCK_BYTES), c->columns,
                                 (size_t) n * EVENT_BYTES);
  Block b = {
    .at = to->at, .bytes = (uint32_t) bytes, .n = n, .first = to->block[0].date, .last = to->block[n - 1].date
  };
  if (ZSTD_isError (bytes) || !disk_pwrite (to->fd, c->packed, bytes, to->at))
    return refuse (c, "an event");
  g_array_append_val (run->blocks, b);
  run->last = b.last;
  run->order = to->block[n - 1].number;
  to->at += bytes;
  to->n = 0;
  return true;
}

static bool
write_event (Converter *c, Events *to, Run *run, const TraceEvent *e)
{
  to->block[to->n++] = *e;
  return to->n < BLOCK_EVENTS || write_block (c, to, run);
}

static Run *
new_run (void)
{
  Run *run = g_new0 (Run, 1);

  run->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  run->last = INT64_MIN;
  return run;
}

/* The disk is looked at now and then: what others need of it is left. */
static bool
has_room (Converter *c)
{
  struct statvfs fs;

  if (fstatvfs (c->out.fd, &fs) == 0 && (uint64_t) fs.f_bavail * fs.f_frsize < LEAST_FREE) {
    errno = ENOSPC;
    return refuse (c, "more");
  }
  return true;
}

/* ---- sorting ------------------------------------------------------------------------------------------------------------ */

/* Of one date, the one that was given first. */
static inline bool
is_before (const TraceEvent *a, const TraceEvent *b)
{
  return a->date < b->date || (a->date == b->date && a->number < b->number);
}

typedef struct Key {
  int64_t date;
  uint64_t order;
  uint32_t place;
} Key;

static inline bool
comes_first (const Key *a, const Key *b)
{
  return a->date < b->date || (a->date == b->date && a->order < b->order);
}

/* Merges what is in order already, stretch by stretch: nearly nothing is to be done when nearly all is. */
static Key *
sort_keys (Key *keys, uint32_t n)
{
  g_autofree uint32_t *ends = g_new (uint32_t, (gsize) n + 1);
  Key *other = g_new (Key, n);
  uint32_t n_ends = 0;

  for (uint32_t i = 1; i <= n; i++)
    if (i == n || comes_first (&keys[i], &keys[i - 1]))
      ends[n_ends++] = i;
  while (n_ends > 1) {
    uint32_t begin = 0, kept = 0;
    for (uint32_t k = 0; k < n_ends; k += 2) {
      uint32_t middle = ends[k], end = k + 1 < n_ends ? ends[k + 1] : middle, i = begin, j = middle;
      for (uint32_t at = begin; at < end; at++)
        other[at] = j >= end || (i < middle && comes_first (&keys[i], &keys[j])) ? keys[i++] : keys[j++];
      ends[kept++] = begin = end;
    }
    Key *swap = keys;
    keys = other;
    other = swap;
    n_ends = kept;
  }
  g_free (other);
  return keys;
}

static void
sort_waiting (Converter *c)
{
  uint32_t n = c->n_waiting;

  if (c->in_order)
    return;
  Key *keys = g_new (Key, n);
  for (uint32_t i = 0; i < n; i++)
    keys[i] = (Key){ c->waiting[i].date, c->waiting[i].number, i };
  keys = sort_keys (keys, n);
  TraceEvent *sorted = g_new (TraceEvent, MOST_WAITING);
  for (uint32_t i = 0; i < n; i++)
    sorted[i] = c->waiting[keys[i].place];
  g_free (keys);
  g_free (c->waiting);
  c->waiting = sorted;
  c->in_order = true;
}

/* Writes the first n of those that wait. */
static bool
write_waiting (Converter *c, uint32_t n)
{
  sort_waiting (c);
  Run *run = c->runs->len ? c->runs->pdata[c->runs->len - 1] : NULL;
  const TraceEvent written = { .date = run ? run->last : 0, .number = run ? run->order : 0 };
  const TraceEvent *last = c->out.n > 0 ? &c->out.block[c->out.n - 1] : &written;
  if (!run || (n > 0 && is_before (&c->waiting[0], last))) {
    if (run && !write_block (c, &c->out, run))
      return false;
    run = new_run ();
    g_ptr_array_add (c->runs, run);
  }
  for (uint32_t i = 0; i < n; i++)
    if (!write_event (c, &c->out, run, &c->waiting[i]))
      return false;
  memmove (c->waiting, c->waiting + n, (c->n_waiting - n) * sizeof *c->waiting);
  c->n_waiting -= n;
  return has_room (c);
}

/* ---- merging ------------------------------------------------------------------------------------------------------------ */

typedef struct Head { /* of a run that is merged */
  const Run *run;
  guint next; /* block */
  TraceEvent *events;
  uint32_t at, n;
} Head;

static bool
next_block (Converter *c, int fd, Head *h, ZSTD_DCtx *zstd)
{
  h->at = h->n = 0;
  if (h->next >= h->run->blocks->len)
    return true;
  const Block *b = &g_array_index (h->run->blocks, Block, h->next++);
  if (disk_pread (fd, c->packed, b->bytes, b->at) != (ssize_t) b->bytes
      || ZSTD_decompressDCtx (zstd, c->columns, BLOCK_BYTES, c->packed, b->bytes) != (size_t) b->n * EVENT_BYTES) {
    errno = EIO;
    return refuse (c, "what is sorted");
  }
  converted_get_columns (c->columns, b->n, h->events);
  h->n = b->n;
  return true;
}

static inline bool
comes_before (const Head *a, const Head *b)
{
  return is_before (&a->events[a->at], &b->events[b->at]);
}

/* Heads are an array whose first is the earliest, and each earlier than those at 2i + 1 and 2i + 2. */
static void
sink (Head **heap, guint n, guint i)
{
  for (;;) {
    guint least = i;
    for (guint k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
      if (comes_before (heap[k], heap[least]))
        least = k;
    if (least == i)
      return;
    Head *h = heap[i];
    heap[i] = heap[least];
    heap[least] = h;
    i = least;
  }
}

static bool
merge (Converter *c, int from, Head *heads, guint n_heads, Events *to, Run *run)
{
  ZSTD_DCtx *zstd = ZSTD_createDCtx ();
  Head *heap[MOST_MERGED];
  guint n = 0;
  uint64_t count = 0;
  bool ok = true;

  for (guint i = 0; i < n_heads && ok; i++) {
    ok = next_block (c, from, &heads[i], zstd);
    if (heads[i].n > 0)
      heap[n++] = &heads[i];
  }
  for (guint i = n / 2 + 1; i-- > 0 && ok;)
    sink (heap, n, i);
  while (n > 0 && ok) {
    Head *h = heap[0];
    ok = write_event (c, to, run, &h->events[h->at]);
    if (++h->at == h->n)
      ok = ok && next_block (c, from, h, zstd);
    if (h->at == h->n)
      heap[0] = heap[--n];
    sink (heap, n, 0);
    if ((++count & 0xfffff) == 0)
      ok = ok && has_room (c) && converter_progress (c, -1, NULL);
  }
  ZSTD_freeDCtx (zstd);
  return ok && write_block (c, to, run);
}

/* Until one run is left. */
static bool
merge_all (Converter *c)
{
  g_autofree Head *heads = g_new0 (Head, MOST_MERGED);
  bool ok = true;

  for (guint i = 0; i < MOST_MERGED; i++)
    heads[i].events = g_new (TraceEvent, BLOCK_EVENTS);
  for (int pass = 0; c->runs->len > 1 && ok; pass++) {
    g_autofree char *name = g_strdup_printf ("%s/events%d", c->folder, pass % 2), *old = NULL;
    old = pass == 0 ? g_build_filename (c->folder, "events", NULL)
                    : g_strdup_printf ("%s/events%d", c->folder, (pass + 1) % 2);
    Events to = { .fd = disk_open_write (name, NULL), .block = c->out.block };
    g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (free_run);
    if (to.fd < 0) {
      ok = refuse (c, "an event");
      break;
    }
    for (guint i = 0; i < c->runs->len && ok; i += MOST_MERGED) {
      guint n = MIN (MOST_MERGED, c->runs->len - i);
      for (guint k = 0; k < n; k++) {
        heads[k].run = c->runs->pdata[i + k];
        heads[k].next = 0;
      }
      Run *run = new_run ();
      g_ptr_array_add (runs, run);
      ok = merge (c, c->out.fd, heads, n, &to, run);
    }
    close (c->out.fd);
    g_unlink (old);
    c->out.fd = to.fd;
    GPtrArray *swap = c->runs;
    c->runs = runs;
    runs = swap;
    if (c->runs->len <= 1 && ok) {
      g_autofree char *whole = g_build_filename (c->folder, "events", NULL);
      ok = g_rename (name, whole) == 0 || refuse (c, "an event");
    }
  }
  for (guint i = 0; i < MOST_MERGED; i++)
    g_free (heads[i].events);
  return ok;
}

/* ---- what `convert` gives --------------------------------------------------------------------------------------------------- */

TraceSource *
converter_source (Converter *c)
{
  return c->source;
}

uint32_t
converter_kind (Converter *c, const TraceKind *k)
{
  TraceKind copy;

  if (c->kinds->len >= UINT16_MAX)
    return UINT32_MAX;
  copy = converted_copy_kind (k);
  g_array_append_val (c->kinds, copy);
  c->source->kinds = (const TraceKind *) (const void *) c->kinds->data;
  c->source->n_kinds = c->kinds->len;
  return c->kinds->len - 1;
}

bool
converter_progress (Converter *c, double share, GError **error)
{
  const TraceProgress *p = c->options->progress;
  gint64 now = c->error || !p || !p->report ? 0 : g_get_monotonic_time ();

  if (now - c->asked_us >= 50000) {
    g_autofree char *doing = g_strconcat (share < 0 ? "Sorting " : "Reading ", c->source->name, NULL);
    c->asked_us = now;
    if (!p->report (p->arg, doing, share < 0 ? 1 : share))
      g_set_error (&c->error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "reading %s was cancelled", c->source->path);
  }
  if (c->error && error && !*error)
    *error = g_error_copy (c->error);
  return !c->error;
}

static void
put_varint (Converter *c, char type, uint64_t v)
{
  uint8_t bytes[12] = { (uint8_t) type };
  guint n = 1;

  for (; v >= 0x80; v >>= 7)
    bytes[n++] = (uint8_t) (v | 0x80);
  bytes[n++] = (uint8_t) v;
  g_byte_array_append (c->behind, bytes + (type ? 0 : 1), n - (type ? 0 : 1));
}

void
converter_int (Converter *c, int64_t v)
{
  put_varint (c, 'i', (uint64_t) v << 1 ^ (uint64_t) (v >> 63));
}

void
converter_real (Converter *c, double v)
{
  uint8_t bytes[9] = { 'r' };
  uint64_t bits;

  memcpy (&bits, &v, sizeof bits);
  bytes_put64 (bytes + 1, bits);
  g_byte_array_append (c->behind, bytes, sizeof bytes);
}

void
converter_text (Converter *c, const char *v, size_t n)
{
  n = MIN (n, MOST_TEXT);
  put_varint (c, 't', n);
  g_byte_array_append (c->behind, (const guint8 *) v, (guint) n);
}

void
converter_list (Converter *c, const uint32_t *v, uint32_t n)
{
  n = MIN (n, MOST_TEXT);
  put_varint (c, 'l', n);
  for (uint32_t i = 0; i < n; i++)
    put_varint (c, 0, v[i]);
}

void
converter_none (Converter *c)
{
  g_byte_array_append (c->behind, (const guint8 *) "-", 1);
}

static bool
flush_values (Converter *c)
{
  if (c->n_behind == 0 || c->error)
    return !c->error;
  if (!disk_pwrite (c->values, c->behind->data, c->n_behind, c->values_at))
    return refuse (c, "a value");
  c->values_at += c->n_behind;
  g_byte_array_remove_range (c->behind, 0, (guint) c->n_behind);
  c->n_behind = 0;
  return true;
}

/* Where the values of the next event are, or a number that is like no other. */
static uint64_t
take_record (Converter *c)
{
  if (c->behind->len == c->n_behind)
    return NO_VALUES | c->n_actions++;
  uint64_t record = c->values_at + c->n_behind;
  c->n_behind = c->behind->len;
  if (c->n_behind >= WRITE_BYTES)
    flush_values (c);
  return record;
}

static bool
put_event (Converter *c, const TraceEvent *e, uint64_t record, uint64_t order)
{
  TraceEvent *to = &c->waiting[c->n_waiting];

  *to = *e;
  to->record = record;
  to->number = order;
  to->source = 0;
  if (c->n_waiting > 0 && is_before (to, &to[-1]))
    c->in_order = false;
  c->n_waiting++;
  c->source->n_events++;
  c->source->n_records += !(e->flags & TRACE_END);
  return c->n_waiting < MOST_WAITING || write_waiting (c, MOST_WAITING / 2);
}

bool
converter_event (Converter *c, const TraceEvent *e)
{
  return converter_event_at (c, e, c->n_given++);
}

uint64_t
converter_place (Converter *c)
{
  return c->n_given++;
}

bool
converter_event_at (Converter *c, const TraceEvent *e, uint64_t place)
{
  return !c->error && put_event (c, e, take_record (c), place);
}

uint64_t
converter_begin (Converter *c, const TraceEvent *e)
{
  uint64_t record = take_record (c);
  TraceEvent begin = *e;

  begin.duration = 0;
  begin.flags |= TRACE_OPEN;
  if (!c->error)
    put_event (c, &begin, record, c->n_given++);
  return record;
}

bool
converter_end (Converter *c, const TraceEvent *e, uint64_t begun, int64_t begin, int64_t end)
{
  TraceEvent last = *e;

  last.date = end;
  last.duration = end >= begin ? end - begin : 0;
  last.flags |= TRACE_END;
  return !c->error && put_event (c, &last, begun, c->n_given++);
}

bool
converter_action (Converter *c, const TraceEvent *e, int64_t end)
{
  uint64_t record = take_record (c);
  TraceEvent begin = *e;

  end = MAX (end, e->date);
  begin.duration = end - e->date;
  return !c->error && put_event (c, &begin, record, c->n_given++) && converter_end (c, e, record, e->date, end);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool
write_small (Converter *c, const char *name, const void *bytes, size_t n)
{
  g_autofree char *path = g_build_filename (c->folder, name, NULL);
  uint8_t sum[8];
  int fd = disk_open_write (path, NULL);

  bytes_put64 (sum, bytes_fnv (bytes, n));
  bool ok = fd >= 0 && disk_pwrite (fd, sum, sizeof sum, 0) && disk_pwrite (fd, bytes, n, sizeof sum);
  if (fd >= 0)
    close (fd);
  return ok || refuse (c, name);
}

static bool
write_index (Converter *c)
{
  Run *run = c->runs->len ? c->runs->pdata[0] : NULL;
  guint n = run ? run->blocks->len : 0;
  g_autofree uint8_t *bytes = g_malloc ((gsize) n * INDEX_BYTES + 1);

  for (guint i = 0; i < n; i++) {
    const Block *b = &g_array_index (run->blocks, Block, i);
    uint8_t *at = bytes + (gsize) i * INDEX_BYTES;
    bytes_put64 (at, b->at);
    bytes_put32 (at + 8, b->bytes);
    bytes_put32 (at + 12, b->n);
    bytes_put64 (at + 16, (uint64_t) b->first);
    bytes_put64 (at + 24, (uint64_t) b->last);
  }
  if (n > 0) {
    c->source->first = g_array_index (run->blocks, Block, 0).first;
    c->source->last = run->last;
  }
  return write_small (c, "index", bytes, (gsize) n * INDEX_BYTES);
}

static bool
write_tables (Converter *c)
{
  EveBlob *blob = eve_blob_new ();
  size_t n;

  converted_put_tables (c->source, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  bool ok = write_small (c, "tables", bytes, n);
  eve_blob_free (blob);
  return ok;
}

static bool
begin (Converter *c)
{
  g_autofree char *events = g_build_filename (c->folder, "events", NULL);
  g_autofree char *values = g_build_filename (c->folder, "values", NULL);

  c->out.fd = disk_open_write (events, NULL);
  c->values = disk_open_write (values, NULL);
  c->zstd = ZSTD_createCCtx ();
  ZSTD_CCtx_setParameter (c->zstd, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter (c->zstd, ZSTD_c_checksumFlag, 1);
  return (c->out.fd >= 0 && c->values >= 0) || refuse (c, "anything");
}

bool
converted_make (const ConvertedFormat *f, TraceSource *s, const char *path, const char *folder,
                const TraceOptions *options, GError **error)
{
  Converter c = { .source = s, .options = options, .out.fd = -1, .values = -1, .in_order = true };
  g_autoptr (GError) why = NULL;

  c.folder = g_strdup_printf ("%s.new-%ld", folder, (long) getpid ());
  converted_remove (c.folder);
  if (g_mkdir_with_parents (c.folder, 0700) != 0)
    refuse (&c, "a folder");
  c.kinds = g_array_new (FALSE, FALSE, sizeof (TraceKind));
  c.waiting = g_new (TraceEvent, MOST_WAITING);
  c.out.block = g_new (TraceEvent, BLOCK_EVENTS);
  c.runs = g_ptr_array_new_with_free_func (free_run);
  c.behind = g_byte_array_new ();
  c.columns = g_malloc (BLOCK_BYTES);
  c.packed = g_malloc (ZSTD_compressBound (BLOCK_BYTES));
  bool ok = !c.error && begin (&c) && f->convert (&c, path, &why) && !c.error;
  if (ok) {
    ok = write_waiting (&c, c.n_waiting)
         && (c.runs->len == 0 || write_block (&c, &c.out, c.runs->pdata[c.runs->len - 1])) && merge_all (&c)
         && flush_values (&c) && write_index (&c) && write_tables (&c);
    if (ok && g_rename (c.folder, folder) != 0 && errno != ENOTEMPTY && errno != EEXIST)
      ok = refuse (&c, "a folder"); /* else another process was quicker, and what it has is the same */
  }
  if (!ok)
    g_propagate_error (error, c.error ? g_steal_pointer (&c.error) : g_steal_pointer (&why));
  converted_remove (c.folder);
  /* the kinds are the source's from now on */
  s->n_kinds = c.kinds->len;
  s->kinds = (TraceKind *) (void *) g_array_free (c.kinds, FALSE);
  if (c.out.fd >= 0)
    close (c.out.fd);
  if (c.values >= 0)
    close (c.values);
  ZSTD_freeCCtx (c.zstd);
  g_clear_error (&c.error);
  g_ptr_array_unref (c.runs);
  g_byte_array_unref (c.behind);
  g_free (c.waiting);
  g_free (c.out.block);
  g_free (c.columns);
  g_free (c.packed);
  g_free (c.folder);
  return ok;
}
