/* SPDX-License-Identifier: Apache-2.0 */
/* history-file.c - the three files of a history: an index of entries of 64 bytes, and two files of blocks.
 *
 * A block is written before its entry, and an entry is taken only when it is whole, its checksum is right and
 * its block is there: so a reader may look at any moment, and a kill leaves at most bytes that nobody refers
 * to.  Files are cut back by cutting the index alone; blocks behind the place are then written over, under
 * another generation, so that a reader which has them mapped finds no hole. */
#include "views/history.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "readers/reader.h"
#include "eve/disk.h"
#include "views/history-columns.h"
#include "views/history-pack.h"

#define ENTRY 64
#define HEAD_CHECKED 60 /* bytes of the head that stand before their checksum */
#define WAITING 256     /* entries */
#define BEHIND 131072   /* bytes of data that are written together */
static const char magic[8] = "SCOPEHIS";
#define VERSION 5
static const char *const endings[] = { ".records", ".sums" };
enum { DAMAGED = 1, LOST };     /* of an entry: LOST if its span is among those that were told */
#define LOOK_REPORT (16u << 20) /* bytes */

static inline uint64_t
history_file_mix (uint64_t h, uint64_t v)
{
  h = (h ^ v) * UINT64_C (0xff51afd7ed558ccd);
  return h ^ h >> 29;
}

/* Four sums side by side, eight bytes a step each; finds what disks and cut files do, not what an enemy does. */
uint32_t
history_check (const void *data, size_t n)
{
  const uint8_t *at = data;
  uint64_t h[4] = { UINT64_C (0x9e3779b97f4a7c15) ^ n, 1, 2, 3 }, last = 0;

  for (; n >= 32; n -= 32, at += 32)
    for (int i = 0; i < 4; i++)
      h[i] = history_file_mix (h[i], bytes_get64 (at + 8 * i));
  for (; n >= 8; n -= 8, at += 8)
    h[0] = history_file_mix (h[0], bytes_get64 (at));
  for (size_t i = 0; i < n; i++)
    last |= (uint64_t) at[i] << 8 * i;
  h[0] = history_file_mix (history_file_mix (history_file_mix (history_file_mix (h[0], h[1]), h[2]), h[3]), last);
  return (uint32_t) (h[0] ^ h[0] >> 32);
}

static bool
history_file_read_all (int fd, void *to, size_t n, uint64_t at)
{
  return disk_pread (fd, to, n, at) == (ssize_t) n;
}

static uint64_t
history_file_size_of (int fd)
{
  struct stat st;

  return fd >= 0 && fstat (fd, &st) == 0 && st.st_size > 0 ? (uint64_t) st.st_size : 0;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void
history_file_failed (HistoryOut *o, const char *ending)
{
  if (o->failure == NULL)
    o->failure = g_strdup_printf (_ ("%s%s cannot be written: %s"), o->base, ending, g_strerror (errno));
}

/* Nothing is cut off a file of blocks: a reader may have it mapped, and would find no memory there. */
static bool
open_out (HistoryOut *o, int *fd, const char *ending)
{
  g_autofree char *path = g_strconcat (o->base, ending, NULL);

  *fd = disk_open_write (path, NULL);
  if (*fd < 0)
    history_file_failed (o, ending);
  return *fd >= 0;
}

static void
history_file_encode (const HistoryEntry *e, uint8_t *to)
{
  bytes_put64 (to, (uint64_t) e->from);
  bytes_put64 (to + 8, (uint64_t) e->to);
  bytes_put64 (to + 16, e->offset);
  bytes_put32 (to + 24, e->level);
  bytes_put32 (to + 28, e->owner);
  bytes_put32 (to + 32, e->stored);
  bytes_put32 (to + 36, e->count);
  bytes_put64 (to + 40, (uint64_t) e->aux);
  bytes_put32 (to + 48, e->more);
  bytes_put32 (to + 52, e->check);
  bytes_put32 (to + 56, e->stored < e->bytes ? e->bytes : 0);
  bytes_put32 (to + 60, history_check (to, 60));
}

static bool
history_file_decode (HistoryEntry *e, const uint8_t *from)
{
  *e = (HistoryEntry){ .from = (int64_t) bytes_get64 (from),
                       .to = (int64_t) bytes_get64 (from + 8),
                       .offset = bytes_get64 (from + 16),
                       .level = bytes_get32 (from + 24),
                       .owner = bytes_get32 (from + 28),
                       .stored = bytes_get32 (from + 32),
                       .count = bytes_get32 (from + 36),
                       .aux = (int64_t) bytes_get64 (from + 40),
                       .more = bytes_get32 (from + 48),
                       .check = bytes_get32 (from + 52) };
  uint32_t packed = bytes_get32 (from + 56); /* how long it was, or 0 */
  e->bytes = packed > 0 ? packed : e->stored;
  return bytes_get32 (from + 60) == history_check (from, 60)
         && (packed == 0 || (packed > e->stored && packed <= HISTORY_MOST_PACKED && e->level == 0));
}

bool
history_out_open (HistoryOut *o, const char *base, uint32_t kind, uint32_t columns, const HistoryPlace *place,
                  GError **error)
{
  uint8_t head[ENTRY] = { 0 };
  bool anew = place == NULL, ok;

  *o = (HistoryOut){ .base = g_strdup (base), .columns = columns, .index = -1, .data = { -1, -1 } };
  ok = open_out (o, &o->index, ".index") && open_out (o, &o->data[0], endings[0])
       && open_out (o, &o->data[1], endings[1]);
  if (ok && history_file_read_all (o->index, head, sizeof head, 0) && memcmp (head, magic, sizeof magic) == 0)
    o->generation = bytes_get64 (head + 16);
  if (ok && !anew) {
    o->n_entries = (uint64_t) place->n[0];
    for (int i = 0; i < HISTORY_N_DATA; i++)
      o->length[i] = (uint64_t) place->n[1 + i];
    if (o->n_entries > history_file_size_of (o->index) / ENTRY
        || history_file_size_of (o->index) < ENTRY * (o->n_entries + 1)
        || o->length[0] > history_file_size_of (o->data[0]) || o->length[1] > history_file_size_of (o->data[1])) {
      o->failure = g_strdup_printf (_ ("%s.index is shorter than the checkpoint says; shoot the film again"), base);
      ok = false;
    }
  }
  o->generation++;
  memcpy (head, magic, sizeof magic);
  bytes_put32 (head + 8, VERSION);
  bytes_put32 (head + 12, kind);
  bytes_put64 (head + 16, o->generation);
  bytes_put32 (head + 24, columns);
  bytes_put32 (head + HEAD_CHECKED, history_check (head, HEAD_CHECKED));
  /* First cut, then a new generation: a reader in between sees a short index of the old one. */
  if (ok
      && (ftruncate (o->index, (off_t) (ENTRY * (o->n_entries + 1))) != 0
          || !disk_pwrite (o->index, head, sizeof head, 0))) {
    history_file_failed (o, ".index");
    ok = false;
  }
  o->waiting = g_malloc (ENTRY * WAITING);
  for (int i = 0; i < HISTORY_N_DATA; i++)
    o->behind[i] = g_malloc (BEHIND);
  if (ok)
    return true;
  g_set_error_literal (error, TRACE_ERROR, TRACE_ERROR_IO, o->failure);
  history_out_close (o);
  return false;
}

void
history_out_close (HistoryOut *o)
{
  int *fds[] = { &o->index, &o->data[0], &o->data[1] };

  for (size_t i = 0; i < G_N_ELEMENTS (fds); i++)
    if (*fds[i] >= 0)
      close (*fds[i]);
  g_free (o->base);
  g_free (o->waiting);
  for (int i = 0; i < HISTORY_N_DATA; i++)
    g_free (o->behind[i]);
  g_free (o->failure);
  history_packer_free (o->packer);
  *o = (HistoryOut){ .index = -1, .data = { -1, -1 } };
}

static void
flush_data (HistoryOut *o, uint32_t which)
{
  uint64_t at = o->length[which] - o->n_behind[which];

  if (o->failure == NULL && o->n_behind[which] > 0
      && !disk_pwrite (o->data[which], o->behind[which], o->n_behind[which], at))
    history_file_failed (o, endings[which]);
  o->n_behind[which] = 0;
}

static void
flush_entries (HistoryOut *o)
{
  for (uint32_t i = 0; i < HISTORY_N_DATA; i++) /* blocks before those that tell of them */
    flush_data (o, i);
  if (o->failure == NULL && o->n_waiting > 0
      && !disk_pwrite (o->index, o->waiting, ENTRY * o->n_waiting, ENTRY * (o->n_entries + 1 - o->n_waiting)))
    history_file_failed (o, ".index");
  o->n_waiting = 0;
}

bool
history_out_add (HistoryOut *o, HistoryEntry *e, const void *data, uint32_t bytes)
{
  uint32_t which = e->level == 0 ? HISTORY_RECORDS : HISTORY_SUMS;

  if (o->failure != NULL)
    return false;
  e->offset = o->length[which];
  e->bytes = bytes;
  if (which == HISTORY_RECORDS)
    data = history_pack (&o->packer, o->columns, data, &bytes);
  e->stored = bytes;
  e->check = history_check (data, bytes);
  if (o->n_behind[which] + bytes > BEHIND)
    flush_data (o, which);
  if (bytes > BEHIND) {
    if (!disk_pwrite (o->data[which], data, bytes, e->offset))
      history_file_failed (o, endings[which]);
  } else if (bytes > 0) {
    memcpy (o->behind[which] + o->n_behind[which], data, bytes);
    o->n_behind[which] += bytes;
  }
  o->length[which] += bytes;
  if (o->n_waiting == WAITING)
    flush_entries (o);
  history_file_encode (e, o->waiting + ENTRY * o->n_waiting);
  o->n_waiting++;
  o->n_entries++;
  return o->failure == NULL;
}

bool
history_out_flush (HistoryOut *o, GError **error)
{
  flush_entries (o);
  if (o->failure != NULL)
    g_set_error_literal (error, TRACE_ERROR, TRACE_ERROR_IO, o->failure);
  return o->failure == NULL;
}

bool
history_out_read (HistoryOut *o, const HistoryEntry *e, void *to)
{
  uint32_t which = e->level == 0 ? HISTORY_RECORDS : HISTORY_SUMS;
  uint64_t written = o->length[which] - o->n_behind[which];
  g_autofree uint8_t *packed = e->stored < e->bytes ? g_malloc (e->stored) : NULL;
  uint8_t *stored = packed ? packed : to;
  bool there;

  if (o->failure != NULL)
    return false;
  errno = EIO;
  if (e->offset < written) { /* a block lies there whole, or not at all */
    there = history_file_read_all (o->data[which], stored, e->stored, e->offset);
  } else {
    there = e->offset - written <= o->n_behind[which] && e->stored <= o->n_behind[which] - (e->offset - written);
    if (there)
      memcpy (stored, o->behind[which] + (e->offset - written), e->stored);
  }
  if (!there)
    history_file_failed (o, endings[which]);
  else if (history_check (stored, e->stored) != e->check
           || (packed && !history_unpack (stored, e->stored, o->columns, to, e->bytes)))
    o->failure = g_strdup_printf (_ ("%s%s is damaged at byte %" PRIu64 "; shoot the film again"), o->base,
                                  endings[which], e->offset);
  return o->failure == NULL;
}

HistoryPlace
history_out_place (const HistoryOut *o, int64_t latest)
{
  return (HistoryPlace){ { (int64_t) o->n_entries, (int64_t) o->length[0], (int64_t) o->length[1], latest } };
}

void
history_place_save (const HistoryPlace *p, EveBlob *to)
{
  eve_put_ints (to, p->n, G_N_ELEMENTS (p->n));
}

bool
history_place_load (HistoryPlace *p, EveBlobView *from)
{
  return eve_get_ints (from, p->n, G_N_ELEMENTS (p->n)) == G_N_ELEMENTS (p->n) && p->n[0] >= 0 && p->n[1] >= 0
         && p->n[2] >= 0;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static void history_file_problem (HistoryIn *h, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

static void
history_file_problem (HistoryIn *h, const char *fmt, ...)
{
  va_list args;

  if (h->problem != NULL)
    return;
  va_start (args, fmt);
  h->problem = g_strdup_vprintf (fmt, args);
  h->problem_at = 0;
  va_end (args);
}

static void
unmap (HistoryIn *h)
{
  for (int i = 0; i < HISTORY_N_DATA; i++) {
    if (h->map[i] != NULL)
      munmap ((void *) h->map[i], h->mapped[i]);
    h->map[i] = NULL;
    h->mapped[i] = 0;
  }
}

void
history_in_close (HistoryIn *h)
{
  int *fds[] = { &h->index, &h->data[0], &h->data[1] };

  unmap (h);
  for (size_t i = 0; i < G_N_ELEMENTS (fds); i++)
    if (*fds[i] >= 0)
      close (*fds[i]);
  if (h->entries != NULL)
    g_array_unref (h->entries);
  if (h->lost != NULL)
    g_array_unref (h->lost);
  history_unpacked_free (h->unpacked);
  g_free (h->base);
  g_free (h->problem);
  g_free (h->torn);
  *h = (HistoryIn){ .index = -1, .data = { -1, -1 } };
}

const char *
history_in_problem (const HistoryIn *h)
{
  return h->problem != NULL ? h->problem : h->torn;
}

static int
history_file_open_in (const char *base, const char *ending, GError **error)
{
  g_autofree char *path = g_strconcat (base, ending, NULL);

  return disk_open (path, NULL, DISK_DATA, NULL, error);
}

/* 0 and a sentence if it is no history that we read. */
static uint64_t
read_head (HistoryIn *h, GError **error)
{
  uint8_t head[ENTRY];
  const char *why = NULL;

  if (!history_file_read_all (h->index, head, sizeof head, 0))
    why = _ ("is too short for a history");
  else if (memcmp (head, magic, sizeof magic) != 0)
    why = _ ("is no history");
  else if (bytes_get32 (head + 8) != VERSION)
    why = _ ("is of another version");
  else if (bytes_get32 (head + HEAD_CHECKED) != history_check (head, HEAD_CHECKED))
    why = _ ("is damaged in its first bytes");
  else if (h->kind != HISTORY_ANY && bytes_get32 (head + 12) != h->kind)
    why = _ ("holds something else");
  else if ((h->columns = bytes_get32 (head + 24)) > HISTORY_COLUMNS_MOST)
    why = _ ("has records of more columns than there are");
  if (why == NULL)
    return bytes_get64 (head + 16);
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s.index %s; shoot the film again"), h->base, why);
  return 0;
}

bool
history_in_open (HistoryIn *h, const char *base, uint32_t kind, GError **error)
{
  *h = (HistoryIn){ .base = g_strdup (base),
                    .kind = kind,
                    .index = -1,
                    .data = { -1, -1 },
                    .reach = INT64_MIN,
                    .lock = PTHREAD_MUTEX_INITIALIZER };
  h->entries = g_array_new (FALSE, FALSE, sizeof (HistoryEntry));
  h->lost = g_array_new (FALSE, FALSE, sizeof (HistoryLost));
  if ((h->index = history_file_open_in (base, ".index", error)) >= 0 && (h->generation = read_head (h, error)) != 0
      && (h->data[0] = history_file_open_in (base, endings[0], error)) >= 0
      && (h->data[1] = history_file_open_in (base, endings[1], error)) >= 0) {
    history_in_refresh (h);
    return true;
  }
  history_in_close (h);
  return false;
}

static void
map_again (HistoryIn *h)
{
  for (int i = 0; i < HISTORY_N_DATA; i++) {
    uint64_t size = history_file_size_of (h->data[i]);
    if (size == h->mapped[i])
      continue;
    if (h->map[i] != NULL)
      munmap ((void *) h->map[i], h->mapped[i]);
    void *at = size > 0 ? mmap (NULL, size, PROT_READ, MAP_SHARED, h->data[i], 0) : MAP_FAILED;
    h->map[i] = at != MAP_FAILED ? at : NULL;
    h->mapped[i] = at != MAP_FAILED ? size : 0;
  }
}

/* The next n entries; false: that was the last of them that can be read. */
static bool
history_file_read_some (HistoryIn *h, uint64_t n)
{
  uint8_t bytes[ENTRY * WAITING];
  uint64_t known = h->entries->len;

  if (!history_file_read_all (h->index, bytes, n * ENTRY, (known + 1) * ENTRY)) {
    history_file_problem (h, _ ("%s.index cannot be read: %s"), h->base, g_strerror (errno));
    return false;
  }
  map_again (h); /* after the entries: their blocks are there then */
  for (uint64_t i = 0; i < n; i++) {
    HistoryEntry e;
    uint32_t which;
    if (!history_file_decode (&e, bytes + i * ENTRY)) {
      /* What it told of is not known, so nothing behind it can be trusted to follow what is before it.  Looked at again
       * next time: who shoots the film may have mended it. */
      h->torn = g_strdup_printf (_ ("%s.index is damaged at entry %" PRIu64 "; it is read until there: shoot the "
                                    "film again"),
                                 h->base, known + i);
      return false;
    }
    which = e.level == 0 ? HISTORY_RECORDS : HISTORY_SUMS;
    if (e.level != HISTORY_REACH && (e.offset > h->mapped[which] || e.stored > h->mapped[which] - e.offset)) {
      history_file_problem (
          h, _ ("%s%s ends at byte %" PRIu64 " and should be longer; it is read until there: shoot the film again"),
          h->base, endings[which], h->mapped[which]);
      e.damaged = DAMAGED;
    }
    if (e.level == HISTORY_REACH) {
      h->reach = MAX (h->reach, e.to);
      h->highest = MAX (h->highest, e.more);
    }
    g_array_append_val (h->entries, e);
  }
  return true;
}

/* A film that was removed and shot again has other files of the same names. */
static void
history_file_follow (HistoryIn *h)
{
  int *fds[] = { &h->index, &h->data[0], &h->data[1] };
  const char *const names[] = { ".index", endings[0], endings[1] };
  struct stat st;
  int now[3];

  if (fstat (h->index, &st) != 0 || st.st_nlink > 0)
    return;
  for (int i = 0; i < 3; i++)
    now[i] = history_file_open_in (h->base, names[i], NULL);
  if (now[0] < 0 || now[1] < 0 || now[2] < 0) { /* not there yet: what was read stays */
    for (int i = 0; i < 3; i++)
      if (now[i] >= 0)
        close (now[i]);
    return;
  }
  unmap (h);
  h->generation = 0; /* of no history: all is read anew */
  for (int i = 0; i < 3; i++) {
    close (*fds[i]);
    *fds[i] = now[i];
  }
}

bool
history_in_refresh (HistoryIn *h)
{
  history_file_follow (h);
  uint64_t generation = read_head (h, NULL), n, known;
  bool same = generation == h->generation && generation != 0;

  if (generation == 0) {
    history_file_problem (h, _ ("%s.index cannot be read any more; shoot the film again"), h->base);
    return true;
  }
  n = history_file_size_of (h->index) / ENTRY;
  n -= n > 0;
  known = same ? h->entries->len : 0;
  if (!same || n < known) {
    same = false;
    known = 0;
    g_array_set_size (h->entries, 0);
    h->generation = generation;
    h->reach = INT64_MIN;
    h->highest = 0;
    g_clear_pointer (&h->problem, g_free);
    g_clear_pointer (&h->torn, g_free);
    g_array_set_size (h->lost, 0);
    unmap (h);
  }
  if (n >> 30)
    history_file_problem (h, _ ("%s.index is longer than any history; shoot the film again"), h->base);
  if (n <= known || n >> 30) {
    map_again (h);
    return same;
  }
  g_clear_pointer (&h->torn, g_free);
  g_array_set_size (h->entries, (guint) n); /* room for all, at once */
  g_array_set_size (h->entries, (guint) known);
  while (h->entries->len < n && history_file_read_some (h, MIN (n - h->entries->len, WAITING)))
    ;
  return same;
}

/* Under the lock.  Of several damaged blocks the first of the file is told, in whatever order they are met. */
static void
found_damaged (HistoryIn *h, HistoryEntry *e)
{
  guint i = (guint) (e - (HistoryEntry *) (void *) h->entries->data);
  uint32_t which = e->level == 0 ? HISTORY_RECORDS : HISTORY_SUMS;

  e->damaged = DAMAGED;
  if (h->problem != NULL && i < h->problem_at)
    g_clear_pointer (&h->problem, g_free);
  if (h->problem != NULL)
    return;
  history_file_problem (h, _ ("%s%s is damaged at byte %" PRIu64 "; that part is left out: shoot the film again"),
                        h->base, endings[which], e->offset);
  h->problem_at = i;
}

/* What must be checked or unpacked is without the lock: two threads may do so with one block, and the first wins. */
static const uint8_t *
history_file_take (HistoryIn *h, HistoryEntry *e, HistoryHold *hold)
{
  uint32_t which = e->level == 0 ? HISTORY_RECORDS : HISTORY_SUMS;
  bool packed = e->stored < e->bytes;
  HistoryKept *k = NULL;

  eve_alive (); /* whoever goes through a whole history comes by here */
  history_in_let_go (h, hold);
  pthread_mutex_lock (&h->lock);
  bool there = !e->damaged && h->map[which] != NULL, verified = e->verified;
  if (there && packed)
    k = history_unpacked_find (&h->unpacked, h->generation, e);
  if (k == NULL && there && (packed || !verified)) {
    const uint8_t *stored = h->map[which] + e->offset;
    pthread_mutex_unlock (&h->lock);
    bool right = verified || history_check (stored, e->stored) == e->check;
    if (right && packed)
      k = history_kept_new (h->columns, e, stored);
    pthread_mutex_lock (&h->lock);
    there = right && (k != NULL || !packed);
    if (!there)
      found_damaged (h, e);
    else
      e->verified = 1;
    if (k != NULL)
      k = history_unpacked_keep (h->unpacked, k);
  }
  if (k != NULL && hold != NULL) {
    k->holds++;
    hold->kept = k;
  }
  pthread_mutex_unlock (&h->lock);
  return k != NULL ? k->data : there ? h->map[which] + e->offset : NULL;
}

const uint8_t *
history_in_data (HistoryIn *h, HistoryEntry *e)
{
  return history_file_take (h, e, NULL);
}

const uint8_t *
history_in_hold (HistoryIn *h, HistoryEntry *e, HistoryHold *hold)
{
  return history_file_take (h, e, hold);
}

void
history_in_let_go (HistoryIn *h, HistoryHold *hold)
{
  if (hold == NULL || hold->kept == NULL)
    return;
  pthread_mutex_lock (&h->lock);
  hold->kept->holds--;
  pthread_mutex_unlock (&h->lock);
  hold->kept = NULL;
}

static bool
history_file_comes_before (const HistoryLost *a, const HistoryLost *b)
{
  return a->owner != b->owner ? a->owner < b->owner : a->from < b->from;
}

void
history_in_lose (HistoryIn *h, HistoryEntry *e, int64_t from, int64_t to)
{
  HistoryLost lost = { e->owner, from, to };
  guint i;

  pthread_mutex_lock (&h->lock);
  if (e->damaged != LOST) { /* in an order that does not hang on who met them first */
    e->damaged = LOST;
    for (i = h->lost->len; i > 0 && history_file_comes_before (&lost, &g_array_index (h->lost, HistoryLost, i - 1));
         i--)
      ;
    g_array_insert_val (h->lost, i, lost);
  }
  pthread_mutex_unlock (&h->lock);
}

void
history_in_refuse (HistoryIn *h, guint i)
{
  HistoryEntry *e = &g_array_index (h->entries, HistoryEntry, i);

  history_file_problem (h, _ ("%s.index says what cannot be at entry %u; that part is left out: shoot the film again"),
                        h->base, i);
  history_in_lose (h, e, e->from, e->to);
}

bool
history_in_lost (const HistoryIn *h, int64_t from, int64_t to, HistoryEachLost each, void *arg)
{
  for (guint i = 0; each != NULL && i < h->lost->len; i++) {
    HistoryLost l = g_array_index (h->lost, HistoryLost, i);
    if (l.from < to && l.to >= from)
      each (arg, &(HistoryLost){ l.owner, MAX (l.from, from), MIN (l.to, to) });
  }
  if (each != NULL && h->reach < to)
    each (arg, &(HistoryLost){ TRACE_NONE, MAX (h->reach, from), to });
  return (h->torn != NULL && h->reach < INT64_MAX) || h->lost->len > 0;
}

/* ---- looking through ----------------------------------------------------------------------------------- */

/* Entries before the first that is not sound; *bytes grows by what was looked at. */
static uint64_t
count_sound (HistoryIn *h, bool data, const TraceProgress *progress, bool *stopped)
{
  uint64_t looked = 0, all = MAX (h->mapped[0] + h->mapped[1], 1), told = 0;
  guint i = 0;

  for (; i < h->entries->len && !*stopped; i++) {
    HistoryEntry *e = &g_array_index (h->entries, HistoryEntry, i);
    if (e->level == HISTORY_REACH)
      continue;
    if (e->damaged || (data && history_in_data (h, e) == NULL))
      break;
    looked += e->stored;
    if (progress != NULL && progress->report != NULL && looked - told >= LOOK_REPORT) {
      *stopped = !progress->report (progress->arg, _ ("looking through the film"),
                                    MIN ((double) looked / (double) all, 1));
      told = looked;
    }
  }
  return i;
}

bool
history_look_through (const char *base, bool data, bool cut, const TraceProgress *progress, char **problem)
{
  g_autofree char *path = g_strconcat (base, ".index", NULL);
  g_autoptr (GError) error = NULL;
  bool stopped = false;
  off_t sound = 0;
  HistoryIn h;

  *problem = NULL;
  if (!history_in_open (&h, base, HISTORY_ANY, &error)) {
    *problem = g_strdup (error->message);
  } else {
    sound = (off_t) (ENTRY * (count_sound (&h, data, progress, &stopped) + 1));
    *problem = g_strdup (history_in_problem (&h));
    history_in_close (&h);
  }
  if (*problem != NULL && cut && !stopped && !disk_cut (path, (uint64_t) sound) && errno != ENOENT) {
    g_autofree char *why = g_steal_pointer (problem);
    *problem = g_strdup_printf (_ ("%s; and it cannot be cut: %s"), why, g_strerror (errno));
  }
  return !stopped;
}
