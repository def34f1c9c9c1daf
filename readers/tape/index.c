/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - which blocks of events there are: by the index if it is complete and can be believed, else by walking from
 * block to block through the events.  Of each only the head is read here; what it holds is checked when it is loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "readers/file.h"
#include "eve/words.h"
#include "readers/tape/tape.h"

#define ENTRIES_AT_ONCE 1024
#define LEAST_BLOCK (sizeof (TapeBlock) + sizeof (TapeEvent))

/* ---- the head of `events` ---------------------------------------------------------------------------------------- */

static bool
index_read_header (TapeReader *r, const char *path, TapeEventsHeader *h, GError **error)
{
  ssize_t n = disk_pread (r->fd, h, sizeof *h, 0);

  if (n < 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read: %s"), path, g_strerror (errno));
  else if (n < (ssize_t) sizeof *h)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s ends at offset %zd, inside its head of %zu bytes; it holds no events"), path, n, sizeof *h);
  else if (memcmp (h->magic, TAPE_EVENTS_MAGIC, sizeof h->magic) != 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s: offset 0: expected “%s”: this is no file of TAPE events"), path, TAPE_EVENTS_MAGIC);
  else if (h->order != TAPE_ORDER && tape_32 (h->order, true) != TAPE_ORDER)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s: offset %zu: 0x%08x tells no byte order"), path,
                 offsetof (TapeEventsHeader, order), h->order);
  else {
    r->swap = h->order != TAPE_ORDER;
    h->version = tape_32 (h->version, r->swap);
    h->ticks_per_second = tape_64 (h->ticks_per_second, r->swap);
    h->first_block = (uint64_t) tape_64 ((int64_t) h->first_block, r->swap);
    if (h->version != TAPE_VERSION)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                   _ ("%s: offset %zu: version %u is not known, this reader knows %u"), path,
                   offsetof (TapeEventsHeader, version), h->version, TAPE_VERSION);
    else if (h->ticks_per_second < 1 || h->ticks_per_second > 1000000000)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                   _ ("%s: offset %zu: %" PRId64 " ticks a second; expected 1 to 1000000000"), path,
                   offsetof (TapeEventsHeader, ticks_per_second), h->ticks_per_second);
    else if (h->first_block < sizeof *h || h->first_block % 8 != 0)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: offset %zu: no block begins at offset %" PRIu64), path,
                   offsetof (TapeEventsHeader, first_block), h->first_block);
    else
      return true;
  }
  return false;
}

/* ---- by the index ------------------------------------------------------------------------------------------------ */

/* Tells the first thing that makes the index worth nothing. */
static bool __attribute__ ((format (printf, 3, 4))) worthless (TapeReader *r, uint64_t at, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *reason = g_strdup_vprintf (fmt, args);
  va_end (args);
  trace_source_damage (&r->base, "index", 0, at, _ ("%s; blocks are looked for in the events themselves"), reason);
  return false;
}

static TapeBlockRef
index_ref_of (const TapeIndexEntry *e, bool swap)
{
  return (TapeBlockRef){ .at = (uint64_t) tape_64 ((int64_t) e->at, swap),
                         .first = tape_64 (e->first, swap),
                         .last = tape_64 (e->last, swap),
                         .length = tape_32 (e->length, swap),
                         .count = tape_32 (e->count, swap),
                         .task = tape_32 (e->task, swap) };
}

/* The most events that fit into so many bytes. */
static bool
count_fits (uint32_t count, uint32_t length)
{
  return count >= 1 && count <= (length - sizeof (TapeBlock)) / sizeof (TapeEvent);
}

static bool
index_take_entry (TapeReader *r, const TapeIndexEntry *entry, uint64_t at, uint64_t first_block)
{
  TapeBlockRef ref = index_ref_of (entry, r->swap), *last;

  if (ref.at < first_block || ref.at % 8 != 0 || ref.at > r->size || ref.length < LEAST_BLOCK
      || ref.length > TAPE_MAX_BLOCK || ref.length > r->size - ref.at)
    return worthless (r, at, _ ("the entry points at %u bytes from offset %" PRIu64 " on, where events has no block"),
                      ref.length, ref.at);
  if (ref.task >= r->n_tasks)
    return worthless (r, at, _ ("the entry is of task %u, which the topology does not name"), ref.task);
  if (!count_fits (ref.count, ref.length))
    return worthless (r, at, _ ("the entry tells %u events in %u bytes"), ref.count, ref.length);
  if (ref.first < 0 || ref.last < ref.first || ref.last > TAPE_MAX_DATE)
    return worthless (r, at, _ ("the entry tells dates from %" PRId64 " to %" PRId64), ref.first, ref.last);
  last = r->blocks->len > 0 ? &g_array_index (r->blocks, TapeBlockRef, r->blocks->len - 1) : NULL;
  if (last != NULL && (ref.task < last->task || (ref.task == last->task && ref.first < last->last)))
    return worthless (r, at, _ ("the entry comes before the one above it, by task and date"));
  if (last != NULL && ref.task == last->task)
    ref.before = last->before + last->count;
  g_array_append_val (r->blocks, ref);
  return true;
}

static bool
read_entries (TapeReader *r, int fd, uint64_t size, uint64_t first_block)
{
  g_autofree TapeIndexEntry *entries = g_new (TapeIndexEntry, ENTRIES_AT_ONCE);

  if ((size - sizeof (TapeIndexHeader)) % sizeof *entries != 0)
    return worthless (r, size, _ ("the file ends inside an entry"));
  for (uint64_t at = sizeof (TapeIndexHeader); at < size;) {
    size_t n = (size_t) MIN (ENTRIES_AT_ONCE, (size - at) / sizeof *entries);
    if (disk_pread (fd, entries, n * sizeof *entries, at) != (ssize_t) (n * sizeof *entries))
      return worthless (r, at, _ ("the file cannot be read from here on"));
    for (size_t i = 0; i < n; i++, at += sizeof *entries)
      if (!index_take_entry (r, &entries[i], at, first_block))
        return false;
  }
  return true;
}

/* False: it cannot be used, which is no damage while the program ran. */
static bool
by_index (TapeReader *r, const char *folder, const TapeEventsHeader *events)
{
  g_autofree char *path = g_build_filename (folder, "index", NULL);
  g_autoptr (GError) error = NULL;
  TapeIndexHeader h;
  uint64_t size;
  bool ok = false;
  int fd;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return false;
  if ((fd = trace_source_open (&r->base, path, DISK_DATA, &size, &error)) < 0)
    return worthless (r, 0, "%s", error->message);
  if (disk_pread (fd, &h, sizeof h, 0) != sizeof h)
    worthless (r, size, _ ("the file ends inside its head"));
  else if (memcmp (h.magic, TAPE_INDEX_MAGIC, sizeof h.magic) != 0)
    worthless (r, 0, _ ("expected “%s”: this is no index"), TAPE_INDEX_MAGIC);
  else if (tape_32 (h.order, r->swap) != TAPE_ORDER)
    worthless (r, offsetof (TapeIndexHeader, order), _ ("its byte order is not that of the events"));
  else if (tape_32 (h.version, r->swap) != TAPE_VERSION)
    worthless (r, offsetof (TapeIndexHeader, version), _ ("version %u is not known"), tape_32 (h.version, r->swap));
  else if (h.run != events->run)
    worthless (r, offsetof (TapeIndexHeader, run), _ ("it belongs to another run than the events"));
  else if (tape_32 (h.entry_size, r->swap) != sizeof (TapeIndexEntry))
    worthless (r, offsetof (TapeIndexHeader, entry_size), _ ("entries have %u bytes instead of %zu"),
               tape_32 (h.entry_size, r->swap), sizeof (TapeIndexEntry));
  else if (tape_32 (h.complete, r->swap) == 1)
    ok = read_entries (r, fd, size, events->first_block);
  close (fd);
  if (!ok)
    g_array_set_size (r->blocks, 0);
  return ok;
}

/* ---- by walking -------------------------------------------------------------------------------------------------- */

/* A block that does not know what it holds: that is found by reading it. */
static bool
index_measure (TapeReader *r, TapeBlockRef *ref, GError **error)
{
  TraceEvent *events = NULL;
  uint32_t room = 0;
  size_t n;

  ref->open = true;
  ref->first = 0;
  ref->last = TAPE_MAX_DATE;
  n = tape_block_load (r, ref, &events, &room, error);
  if (n != (size_t) -1) {
    ref->count = (uint32_t) n;
    ref->first = n > 0 ? events[0].date : 0;
    ref->last = n > 0 ? events[n - 1].date : 0;
  }
  g_free (events);
  return n != (size_t) -1;
}

/* Makes a block of the head at `at`; adds it if there is something in it. */
static bool
walk_block (TapeReader *r, uint64_t at, const TapeBlock *b, GError **error)
{
  TapeBlockRef ref = { .at = at,
                       .first = tape_64 (b->first, r->swap),
                       .last = tape_64 (b->last, r->swap),
                       .length = tape_32 (b->length, r->swap),
                       .count = tape_32 (b->count, r->swap),
                       .task = tape_32 (b->task, r->swap) };
  uint32_t capacity = tape_32 (b->capacity, r->swap), there = (uint32_t) MIN (capacity, r->size - at);

  if (ref.task >= r->n_tasks) {
    trace_source_damage (&r->base, "events", 0, at, _ ("the block is of task %u, which the topology does not name"),
                         ref.task);
    return true;
  }
  if (ref.length == 0 || ref.length > there) {
    if (ref.length > capacity)
      trace_source_damage (&r->base, "events", 0, at, _ ("the block has %u bytes but room for %u only"), ref.length,
                           capacity);
    else if (ref.length > there)
      trace_source_damage (&r->base, "events", 0, r->size, _ ("the file ends inside the block of offset %" PRIu64), at);
    ref.length = there;
    if (!index_measure (r, &ref, error))
      return false;
  } else if (ref.length < LEAST_BLOCK || !count_fits (ref.count, ref.length) || ref.first < 0 || ref.last < ref.first
             || ref.last > TAPE_MAX_DATE) {
    if (ref.count == 0 && ref.length == sizeof *b)
      return true; /* just begun when the program was killed */
    trace_source_damage (&r->base, "events", 0, at,
                         _ ("the block tells %u events in %u bytes, dated %" PRId64 " to %" PRId64), ref.count,
                         ref.length, ref.first, ref.last);
    if (ref.length < LEAST_BLOCK)
      ref.length = there;
    if (!index_measure (r, &ref, error))
      return false;
  }
  if (ref.count > 0)
    g_array_append_val (r->blocks, ref);
  return true;
}

static bool
is_zero (const void *bytes, size_t n)
{
  const char *b = bytes;

  return n == 0 || (*b == 0 && memcmp (b, b + 1, n - 1) == 0);
}

static bool
by_walking (TapeReader *r, uint64_t at, GError **error)
{
  uint32_t stride = 0; /* of the blocks so far: a damaged head may be passed over */

  while (at < r->size) {
    TapeBlock b;
    ssize_t n = disk_pread (r->fd, &b, sizeof b, at);
    if (n < 0) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("events cannot be read at offset %" PRIu64 ": %s"), at,
                   g_strerror (errno));
      return false;
    }
    if (is_zero (&b, (size_t) n))
      return true;
    if (n < (ssize_t) sizeof b) {
      trace_source_damage (&r->base, "events", 0, at, _ ("the file ends inside the head of a block"));
      return true;
    }
    uint32_t capacity = tape_32 (b.capacity, r->swap);
    bool fits = tape_32 (b.magic, r->swap) == TAPE_BLOCK_MAGIC && capacity >= LEAST_BLOCK && capacity <= TAPE_MAX_BLOCK
                && capacity % 8 == 0;
    if (fits) {
      stride = capacity;
      if (!walk_block (r, at, &b, error))
        return false;
    } else {
      trace_source_damage (&r->base, "events", 0, at, _ ("no block begins here, where one should"));
      if (stride == 0)
        return true;
    }
    at += stride;
  }
  return true;
}

static int
index_by_task_and_date (gconstpointer a, gconstpointer b)
{
  const TapeBlockRef *x = a, *y = b;

  if (x->task != y->task)
    return x->task < y->task ? -1 : 1;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* In order, and none that goes back in time. */
static void
arrange (TapeReader *r)
{
  guint kept = 0;

  g_array_sort (r->blocks, index_by_task_and_date);
  for (guint i = 0; i < r->blocks->len; i++) {
    TapeBlockRef *ref = &g_array_index (r->blocks, TapeBlockRef, i);
    const TapeBlockRef *last = kept > 0 ? &g_array_index (r->blocks, TapeBlockRef, kept - 1) : NULL;
    ref->before = 0;
    if (last != NULL && last->task == ref->task) {
      if (ref->first < last->last) {
        trace_source_damage (&r->base, "events", 0, ref->at,
                             _ ("the block begins before the one of offset %" PRIu64 " ends, which has the same task"),
                             last->at);
        continue;
      }
      ref->before = last->before + last->count;
    }
    g_array_index (r->blocks, TapeBlockRef, kept++) = *ref;
  }
  g_array_set_size (r->blocks, kept);
}

bool
tape_index_read (TapeReader *r, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "events", NULL);
  TapeEventsHeader h;

  r->fd = trace_source_open (&r->base, path, DISK_DATA, &r->size, error);
  if (r->fd < 0 || !index_read_header (r, path, &h, error))
    return false;
  r->base.clock = (TraceClock){ .ticks_per_second = h.ticks_per_second, .units = "s" };
  r->run = h.run;
  r->blocks = g_array_new (FALSE, FALSE, sizeof (TapeBlockRef));
  if (!by_index (r, folder, &h)) {
    if (!by_walking (r, h.first_block, error))
      return false;
    arrange (r);
  }
  return true;
}
