/* SPDX-License-Identifier: Apache-2.0 */
#include "session/checkpoints.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "config.h"
#include "eve/bytes.h"
#include "eve/disk.h"
#include "session/chunks.h"
#include "session/film.h"

#define MAGIC "SCOPECP\n"
#define VERSION 2u
#define OLD_VERSION 1u  /* without keys: what was saved by hand stays */
#define LIST_VERSION 3u /* what others before it have not (chunks.h) */
#define HEADER 192
#define LEVEL 1 /* of compression: the fastest also packs these well */
#define MOST_KEYS (1u << 24)
#define MOST_RAW CHUNKS_MOST /* a run state is never larger; a header that says so is damaged */

struct Checkpoints {
  char *path;
  int fd;
  bool write;
  uint64_t plan, trace;
  const Parts *parts;           /* may be NULL */
  GArray *list;                 /* of Checkpoint, by event */
  guint n_others;               /* passed over so far */
  uint64_t end;                 /* scanned so far: whole checkpoints end here */
  uint64_t last_at, last_check; /* the last one that was scanned; `end` 0: there is none */
  ZSTD_CCtx *pack;
  ZSTD_DCtx *unpack;
  Chunks *chunks; /* of those that this has written; NULL: none */
};

/* ---- header: fixed places, least significant byte first ----------------------------------------------------------- */

/* Of keys as they stand in the file, or will. */
static uint32_t
checkpoints_sum_of (const void *keys, uint32_t n)
{
  return (uint32_t) bytes_fnv (keys, (size_t) n * 8);
}

/* The keys stand behind it already. */
static void
pack_header (const Checkpoints *c, const Checkpoint *p, uint8_t *h)
{
  memset (h, 0, HEADER);
  memcpy (h, MAGIC, 8);
  bytes_put64 (h + 8, (p->is_list ? LIST_VERSION : VERSION) | (uint64_t) HEADER << 32);
  bytes_put64 (h + 16, c->plan);
  bytes_put64 (h + 24, c->trace);
  bytes_put64 (h + 32, p->event);
  bytes_put64 (h + 40, (uint64_t) p->date);
  bytes_put64 (h + 48, (uint64_t) p->when_us);
  bytes_put64 (h + 56, (uint64_t) p->cost_ns);
  bytes_put64 (h + 64, (uint64_t) p->replay_ns);
  bytes_put64 (h + 72, p->raw_bytes);
  bytes_put64 (h + 80, p->stored_bytes);
  bytes_put64 (h + 88, (uint64_t) p->kind | (uint64_t) p->ended << 32 | (uint64_t) p->travel_only << 33);
  bytes_put64 (h + 96, p->overview_bytes);
  bytes_put64 (h + 104, p->commands_bytes);
  g_strlcpy ((char *) h + 112, SCOPE_VERSION, 16);
  g_strlcpy ((char *) h + 128, p->name, CHECKPOINT_NAME_BYTES);
  bytes_put64 (h + 168, p->run_bytes);
  bytes_put32 (h + 176, p->n_keys);
  bytes_put32 (h + 180, checkpoints_sum_of (h + HEADER, p->n_keys));
  bytes_put64 (h + HEADER - 8, bytes_fnv (h, HEADER - 8));
}

static uint32_t
n_keys (const uint8_t *h)
{
  return bytes_get32 (h + 8) == OLD_VERSION ? 0 : bytes_get32 (h + 176);
}

/* What lies between the header of one and that of the next. */
static uint64_t
body_bytes (const Checkpoint *p)
{
  return (uint64_t) p->n_keys * 8 + p->stored_bytes;
}

static void
unpack_header (const uint8_t *h, Checkpoint *p)
{
  uint64_t kind = bytes_get64 (h + 88);

  memset (p, 0, sizeof *p);
  p->event = bytes_get64 (h + 32);
  p->date = (int64_t) bytes_get64 (h + 40);
  p->when_us = (int64_t) bytes_get64 (h + 48);
  p->cost_ns = (int64_t) bytes_get64 (h + 56);
  p->replay_ns = (int64_t) bytes_get64 (h + 64);
  p->raw_bytes = bytes_get64 (h + 72);
  p->stored_bytes = bytes_get64 (h + 80);
  p->kind = (uint32_t) kind < CHECKPOINT_KINDS ? (CheckpointKind) (uint32_t) kind : CHECKPOINT_AUTOMATIC;
  p->ended = kind >> 32 & 1;
  p->travel_only = kind >> 33 & 1;
  p->overview_bytes = bytes_get64 (h + 96);
  p->commands_bytes = bytes_get64 (h + 104);
  p->run_bytes = bytes_get64 (h + 168);
  p->n_keys = n_keys (h);
  p->is_list = bytes_get32 (h + 8) == LIST_VERSION;
  p->check = bytes_get64 (h + HEADER - 8);
  memcpy (p->name, h + 128, CHECKPOINT_NAME_BYTES - 1);
}

/* ---- scanning ------------------------------------------------------------------------------------------------------- */

static bool
checkpoints_read_all (int fd, void *to, size_t n, uint64_t at)
{
  return disk_pread (fd, to, n, at) == (ssize_t) n;
}

#define PIECE (1 << 16)

/* What a scan has read of damaged bytes: one that meets the magic again and again reads nothing twice. */
typedef struct Piece {
  uint8_t *bytes;
  uint64_t at;
  size_t n;
} Piece;

/* NULL: a header's bytes at that place are not all in the piece. */
static const uint8_t *
in_piece (const Piece *p, uint64_t at)
{
  return at >= p->at && at + HEADER <= p->at + p->n ? p->bytes + (at - p->at) : NULL;
}

/* Where the next magic stands from `at` on, or `size`. */
static uint64_t
next_magic (Piece *p, int fd, uint64_t at, uint64_t size)
{
  while (at + HEADER <= size) {
    const uint8_t *from = in_piece (p, at);
    if (!from) {
      size_t n = (size_t) MIN ((uint64_t) PIECE, size - at);
      if (!p->bytes)
        p->bytes = g_malloc (PIECE);
      *p = (Piece){ .bytes = p->bytes, .at = at, .n = checkpoints_read_all (fd, p->bytes, n, at) ? n : 0 };
      if (!p->n)
        break;
      from = p->bytes;
    }
    size_t left = (size_t) (p->at + p->n - at);
    const uint8_t *found = memmem (from, left, MAGIC, 8);
    if (found)
      return p->at + (uint64_t) (found - p->bytes);
    at += left - 7; /* one that straddles the pieces */
  }
  return size;
}

static void G_GNUC_PRINTF (2, 3) checkpoints_problem (GPtrArray *problems, const char *fmt, ...)
{
  va_list args;

  if (!problems)
    return;
  va_start (args, fmt);
  g_ptr_array_add (problems, g_strdup_vprintf (fmt, args));
  va_end (args);
}

/* By event; of one event, by place in the file. */
static int
checkpoints_by_event (gconstpointer a, gconstpointer b)
{
  const Checkpoint *x = a, *y = b;

  return x->event != y->event ? (x->event > y->event) - (x->event < y->event)
                              : (x->offset > y->offset) - (x->offset < y->offset);
}

/* One; a scan, which may find many, sorts them at its end. */
static void
insert (Checkpoints *c, const Checkpoint *p)
{
  guint i = c->list->len;

  while (i && g_array_index (c->list, Checkpoint, i - 1).event > p->event)
    --i;
  g_array_insert_val (c->list, i, *p);
}

static uint64_t
file_size (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 ? (uint64_t) st.st_size : 0;
}

/* Whether the header with that checksum is still there; a film that was killed is cut and written over. */
static bool
header_stays (const Checkpoints *c, uint64_t at, uint64_t check)
{
  uint8_t h[8];

  return checkpoints_read_all (c->fd, h, sizeof h, at + HEADER - 8) && bytes_get64 (h) == check;
}

/* Whether one of another program holds all that is wanted; its header was read. */
static bool
holds_parts (const Checkpoints *c, const uint8_t *h, uint64_t at)
{
  uint32_t n = n_keys (h);
  g_autofree uint64_t *keys = c->parts && n ? g_try_new (uint64_t, n) : NULL;

  if (!keys || !checkpoints_read_all (c->fd, keys, (size_t) n * 8, at + HEADER)
      || checkpoints_sum_of (keys, n) != bytes_get32 (h + 180))
    return false;
  for (uint32_t i = 0; i < n; ++i)
    keys[i] = bytes_get64 ((const uint8_t *) &keys[i]);
  return parts_are_among (c->parts, keys, n);
}

bool
checkpoints_of_film (const char *path)
{
  uint8_t h[HEADER];
  int fd = disk_open (path, NULL, DISK_DATA, NULL, NULL);
  bool is = fd >= 0 && checkpoints_read_all (fd, h, HEADER, 0) && memcmp (h, MAGIC, 8) == 0
            && bytes_get64 (h + HEADER - 8) == bytes_fnv (h, HEADER - 8)
            && (uint32_t) bytes_get64 (h + 88) != CHECKPOINT_BY_HAND;

  if (fd >= 0)
    close (fd);
  return is;
}

bool
checkpoints_refresh (Checkpoints *c, GPtrArray *problems)
{
  uint64_t size = file_size (c->fd), at = c->end, skipped = 0;
  guint before = c->list->len, others = 0, versions = 0;
  uint8_t header[HEADER];
  Piece piece = { 0 };
  bool sorted = true;

  if (size < c->end
      || (c->end && !header_stays (c, c->last_at, c->last_check))) { /* cut by its owner: what was known is gone */
    g_array_set_size (c->list, 0);
    if (c->chunks)
      chunks_forget (c->chunks);
    at = c->end = 0;
    c->n_others = 0;
    before = G_MAXUINT;
  }
  while (at + HEADER <= size) {
    const uint8_t *h = in_piece (&piece, at);
    if (!h && !checkpoints_read_all (c->fd, header, HEADER, at))
      break;
    h = h ? h : header;
    uint64_t stored = bytes_get64 (h + 80), body = stored + (uint64_t) n_keys (h) * 8;
    if (memcmp (h, MAGIC, 8) != 0 || bytes_get64 (h + 72) > MOST_RAW || stored > MOST_RAW || n_keys (h) > MOST_KEYS
        || bytes_get64 (h + HEADER - 8) != bytes_fnv (h, HEADER - 8)) { /* last, as it takes the longest */
      uint64_t next = next_magic (&piece, c->fd, at + 1, size);
      if (next >= size)
        break; /* perhaps being written */
      skipped += next - at;
      at = next;
      continue;
    }
    if (at + HEADER + body > size)
      break;
    uint32_t version = bytes_get32 (h + 8);
    bool of_another = bytes_get64 (h + 16) != c->plan;
    if (version < OLD_VERSION || version > LIST_VERSION)
      ++versions;
    else if (bytes_get64 (h + 24) != c->trace || (of_another && !holds_parts (c, h, at)))
      ++others;
    else {
      Checkpoint p;
      unpack_header (h, &p);
      p.offset = at;
      p.of_another = of_another;
      sorted &= !c->list->len || g_array_index (c->list, Checkpoint, c->list->len - 1).event <= p.event;
      g_array_append_val (c->list, p);
    }
    c->last_at = at;
    c->last_check = bytes_get64 (h + HEADER - 8);
    at += HEADER + body;
    c->end = at;
  }
  g_free (piece.bytes);
  c->n_others += others;
  if (!sorted)
    g_array_sort (c->list, checkpoints_by_event);
  if (skipped)
    checkpoints_problem (problems, _ ("%s: %" PRIu64 " damaged bytes between checkpoints were passed over"), c->path,
                         skipped);
  if (versions)
    checkpoints_problem (problems,
                         P_ ("%s: %u checkpoint of another version of Scope was passed over",
                             "%s: %u checkpoints of another version of Scope were passed over", versions),
                         c->path, versions);
  g_autofree char *name = g_path_get_basename (c->path);
  if (others && !g_str_equal (name, FILM_BY_HAND)) /* what was saved by hand with several programs may lie together */
    checkpoints_problem (problems,
                         P_ ("%s: %u checkpoint of another trace or program was passed over",
                             "%s: %u checkpoints of another trace or program were passed over", others),
                         c->path, others);
  return c->list->len != before;
}

static Checkpoints *
checkpoints_open_file (const char *path, uint64_t plan, uint64_t trace, const Parts *parts, bool write,
                       GPtrArray *problems, GError **error)
{
  g_autoptr (GError) why = NULL;
  int fd = write ? disk_open_write (path, &why) : disk_open (path, NULL, DISK_DATA, NULL, &why);

  if (fd < 0) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_IO, "%s", why->message);
    return NULL;
  }
  Checkpoints *c = g_new0 (Checkpoints, 1);
  c->path = g_strdup (path);
  c->fd = fd;
  c->write = write;
  c->plan = plan;
  c->trace = trace;
  c->parts = parts;
  c->list = g_array_new (FALSE, TRUE, sizeof (Checkpoint));
  checkpoints_refresh (c, problems);
  if (c->end < file_size (fd))
    checkpoints_problem (problems, _ ("%s: the last %" PRIu64 " bytes are no whole checkpoint and were left out"), path,
                         file_size (fd) - c->end);
  return c;
}

Checkpoints *
checkpoints_open (const char *path, uint64_t plan, uint64_t trace, bool write, GPtrArray *problems, GError **error)
{
  return checkpoints_open_file (path, plan, trace, NULL, write, problems, error);
}

Checkpoints *
checkpoints_open_parts (const char *path, uint64_t plan, uint64_t trace, const Parts *parts, GPtrArray *problems,
                        GError **error)
{
  return checkpoints_open_file (path, plan, trace, parts, false, problems, error);
}

void
checkpoints_free (Checkpoints *c)
{
  if (!c)
    return;
  close (c->fd);
  ZSTD_freeCCtx (c->pack);
  ZSTD_freeDCtx (c->unpack);
  chunks_free (c->chunks);
  g_array_unref (c->list);
  g_free (c->path);
  g_free (c);
}

guint
checkpoints_n (const Checkpoints *c)
{
  return c->list->len;
}

guint
checkpoints_n_others (const Checkpoints *c)
{
  return c->n_others;
}

Checkpoint *
checkpoints_nth (const Checkpoints *c, guint i)
{
  return &g_array_index (c->list, Checkpoint, i);
}

uint64_t
checkpoints_bytes (const Checkpoints *c)
{
  struct stat st;

  return fstat (c->fd, &st) == 0 ? MIN ((uint64_t) st.st_size, (uint64_t) st.st_blocks * 512) : 0;
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

/* The bytes of a checkpoint to come: its header, its keys and what is packed; *stored of these.  g_free; NULL: not. */
static uint8_t *
pack_frame (Checkpoints *c, Checkpoint *what, const void *run_state, size_t n_bytes, GError **error)
{
  size_t n = n_bytes, head = HEADER + (size_t) what->n_keys * 8;
  /* What a person saved stands by itself, whatever becomes of what is around it. */
  bool alone = what->kind == CHECKPOINT_BY_HAND || what->kind == CHECKPOINT_MARK;

  if (!c->pack) {
    c->pack = ZSTD_createCCtx ();
    ZSTD_CCtx_setParameter (c->pack, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter (c->pack, ZSTD_c_checksumFlag, 1);
  }
  if (!c->chunks)
    c->chunks = chunks_new ();
  g_autofree uint8_t *list = alone ? NULL : chunks_changed (c->chunks, run_state, n_bytes, &n);
  size_t room = ZSTD_compressBound (n);
  g_autofree uint8_t *bytes = g_malloc (head + room);
  size_t stored = ZSTD_compress2 (c->pack, bytes + head, room, list ? list : run_state, n);
  if (ZSTD_isError (stored) || n_bytes > MOST_RAW) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_IO, _ ("%s: the run state cannot be packed: %s"), c->path,
                 n_bytes > MOST_RAW ? _ ("it is larger than 2 GiB") : ZSTD_getErrorName (stored));
    return NULL;
  }
  what->is_list = list != NULL;
  what->raw_bytes = n_bytes;
  what->stored_bytes = stored;
  for (uint32_t i = 0; i < what->n_keys; ++i)
    bytes_put64 (bytes + HEADER + (size_t) i * 8, what->keys[i]);
  pack_header (c, what, bytes);
  if (alone)
    chunks_forget (c->chunks);
  return g_steal_pointer (&bytes);
}

bool
checkpoints_append (Checkpoints *c, Checkpoint *what, const void *run_state, size_t n_bytes, GError **error)
{
  flock (c->fd, LOCK_EX); /* two processes may save by hand into one file */
  checkpoints_refresh (c, NULL);
  g_autofree uint8_t *bytes = pack_frame (c, what, run_state, n_bytes, error);
  if (!bytes) {
    flock (c->fd, LOCK_UN);
    return false;
  }
  size_t length = HEADER + (size_t) body_bytes (what);
  uint64_t at = c->end;
  bool ok = disk_pwrite (c->fd, bytes, length, at);
  int why = errno;
  /* What a killed process left behind the last whole one must not be taken for the next, nor half of this one stay. */
  uint64_t end = ok ? at + length : at;
  if (file_size (c->fd) > end && ftruncate (c->fd, (off_t) end) != 0 && ok) {
    ok = false;
    why = errno;
  }
  flock (c->fd, LOCK_UN);
  if (!ok) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_IO,
                 _ ("%s: a checkpoint cannot be written: %s; the ones before it stay"), c->path, g_strerror (why));
    return false;
  }
  what->offset = c->last_at = at;
  what->check = c->last_check = bytes_get64 (bytes + HEADER - 8);
  c->end = end;
  what->keys = NULL; /* the caller's */
  insert (c, what);
  if (what->kind != CHECKPOINT_BY_HAND && what->kind != CHECKPOINT_MARK)
    chunks_written (c->chunks, run_state, n_bytes, at, what->check);
  return true;
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

/* What is packed of one whose header lies there, unpacked, of *n bytes: of a list as many as it says, else
 * p->raw_bytes. g_free; NULL: *why not, NULL for no memory. */
static uint8_t *
unpack_frame (Checkpoints *c, const Checkpoint *p, size_t *n, const char **why)
{
  g_autofree uint8_t *stored = g_try_malloc (p->stored_bytes + 1);
  uint64_t raw_bytes = p->raw_bytes;

  if (!c->unpack)
    c->unpack = ZSTD_createDCtx ();
  *why = _ ("there is no memory for it");
  if (!stored || !c->unpack)
    return NULL;
  if (!header_stays (c, p->offset, p->check)) {
    *why = _ ("another one has been written over it");
    return NULL;
  }
  if (!checkpoints_read_all (c->fd, stored, p->stored_bytes, p->offset + HEADER + (uint64_t) p->n_keys * 8)) {
    *why = _ ("it cannot be read whole");
    return NULL;
  }
  if (p->is_list) {
    raw_bytes = ZSTD_getFrameContentSize (stored, p->stored_bytes);
    if (raw_bytes > MOST_RAW) { /* the numbers that mean not known too */
      *why = _ ("it does not say how long it is");
      return NULL;
    }
  }
  g_autofree uint8_t *raw = g_try_malloc (raw_bytes + 1);
  if (!raw)
    return NULL;
  size_t got = ZSTD_decompressDCtx (c->unpack, raw, raw_bytes, stored, p->stored_bytes);
  if (ZSTD_isError (got) || got != raw_bytes) {
    *why = ZSTD_isError (got) ? ZSTD_getErrorName (got) : _ ("it is shorter than it says");
    return NULL;
  }
  *n = (size_t) raw_bytes;
  return g_steal_pointer (&raw);
}

/* One that another refers to, which stands behind it. */
static bool
find_source (Checkpoints *c, const Checkpoint *of, const ChunksSource *source, Checkpoint *to)
{
  uint8_t h[HEADER];

  if (source->offset >= of->offset || !checkpoints_read_all (c->fd, h, HEADER, source->offset)
      || memcmp (h, MAGIC, 8) != 0 || bytes_get64 (h + HEADER - 8) != source->check
      || bytes_fnv (h, HEADER - 8) != source->check || bytes_get64 (h + 72) > MOST_RAW
      || bytes_get64 (h + 80) > MOST_RAW || n_keys (h) > MOST_KEYS)
    return false;
  unpack_header (h, to);
  to->offset = source->offset;
  return to->offset + HEADER + body_bytes (to) <= of->offset;
}

/* The run state of a list, from all that it refers to; without `bytes` only whether these are there. */
static bool
checkpoints_read_list (Checkpoints *c, const Checkpoint *p, const uint8_t *list, size_t n_list, GBytes **bytes,
                       const char **why)
{
  ChunksSource sources[CHUNKS_SOURCES];
  uint32_t n = 0;
  g_autofree uint8_t *state = bytes ? g_try_malloc0 (p->raw_bytes + 1) : NULL;

  *why = _ ("what it says of those before it is not so");
  if (!chunks_sources (list, n_list, sources, &n) || (bytes && !state))
    return false;
  for (uint32_t i = 0; i < n; ++i) {
    Checkpoint source;
    size_t n_from;
    const char *not = NULL;
    if (!find_source (c, p, &sources[i], &source)) {
      *why = _ ("one before it that it needs is not there any more");
      return false;
    }
    if (!bytes)
      continue;
    g_autofree uint8_t *from = unpack_frame (c, &source, &n_from, &not );
    if (!from) {
      *why = _ ("one before it that it needs is damaged");
      return false;
    }
    if (!chunks_copy (list, n_list, i + 1, from, n_from, source.is_list, state, p->raw_bytes))
      return false;
  }
  if (!bytes)
    return true;
  if (!chunks_copy (list, n_list, 0, list, n_list, true, state, p->raw_bytes)
      || !chunks_whole (list, n_list, state, p->raw_bytes))
    return false;
  *bytes = g_bytes_new_take (g_steal_pointer (&state), p->raw_bytes);
  return true;
}

/* The run state, into *bytes unless that is NULL; false: why not, g_free. */
static bool
read_frame (Checkpoints *c, const Checkpoint *p, GBytes **bytes, char **said)
{
  const char *why = NULL;
  size_t n = 0;
  g_autofree uint8_t *raw = unpack_frame (c, p, &n, &why);
  bool ok = raw && (!p->is_list || checkpoints_read_list (c, p, raw, n, bytes, &why));

  if (!ok)
    *said = g_strdup (why);
  else if (bytes && !p->is_list)
    *bytes = g_bytes_new_take (g_steal_pointer (&raw), p->raw_bytes);
  return ok;
}

static bool
keys_are_sound (const Checkpoints *c, const Checkpoint *p, char **said)
{
  g_autofree uint8_t *keys = g_try_malloc ((gsize) p->n_keys * 8 + 1);
  uint8_t sum[4];

  if (p->n_keys == 0
      || (keys && checkpoints_read_all (c->fd, keys, (size_t) p->n_keys * 8, p->offset + HEADER)
          && checkpoints_read_all (c->fd, sum, 4, p->offset + 180)
          && checkpoints_sum_of (keys, p->n_keys) == bytes_get32 (sum)))
    return true;
  *said = g_strdup (_ ("it does not say what it holds"));
  return false;
}

uint64_t *
checkpoints_keys (const Checkpoints *c, guint i, guint *n)
{
  const Checkpoint *p = checkpoints_nth (c, i);
  g_autofree char *why = NULL;
  g_autofree uint64_t *keys = g_try_new (uint64_t, p->n_keys);

  *n = p->n_keys;
  if (!keys || !keys_are_sound (c, p, &why) || !checkpoints_read_all (c->fd, keys, (size_t) *n * 8, p->offset + HEADER))
    return NULL;
  for (guint k = 0; k < *n; ++k)
    keys[k] = GUINT64_FROM_LE (keys[k]);
  return g_steal_pointer (&keys);
}

GBytes *
checkpoints_read (Checkpoints *c, guint i, GError **error)
{
  const Checkpoint *p = checkpoints_nth (c, i);
  g_autofree char *why = NULL;
  GBytes *bytes = NULL;

  if (read_frame (c, p, &bytes, &why))
    return bytes;
  g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("%s: the checkpoint of event %" PRIu64 " is damaged: %s"),
               c->path, p->event, why);
  g_array_remove_index (c->list, i);
  return NULL;
}

void
checkpoints_forget (Checkpoints *c, guint i)
{
  g_array_remove_index (c->list, i);
}

/* By place in the file: the list is by event, and the same event may have been saved twice. */
static int
by_offset (gconstpointer a, gconstpointer b)
{
  const Checkpoint *x = a, *y = b;

  return (x->offset > y->offset) - (x->offset < y->offset);
}

uint64_t
checkpoints_sound (Checkpoints *c, bool data, const TraceProgress *progress, GPtrArray *problems, bool *stopped)
{
  uint64_t size = file_size (c->fd), at = 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Checkpoint));

  *stopped = false;
  if (c->list->len)
    g_array_append_vals (all, c->list->data, c->list->len);
  g_array_sort (all, by_offset);
  for (guint i = 0; i < all->len; ++i) {
    const Checkpoint *p = &g_array_index (all, Checkpoint, i);
    g_autofree char *why = NULL;
    if (p->offset != at)
      break;
    if ((data && !read_frame (c, p, NULL, &why)) || !keys_are_sound (c, p, &why)) {
      checkpoints_problem (problems, _ ("%s: the checkpoint of event %" PRIu64 " is damaged: %s"), c->path, p->event,
                           why);
      return at;
    }
    at += HEADER + body_bytes (p);
    if (progress && progress->report
        && !progress->report (progress->arg, _ ("looking through the film"), (double) at / (double) MAX (size, 1))) {
      *stopped = true;
      return at;
    }
  }
  if (at >= size)
    return UINT64_MAX;
  checkpoints_problem (problems, _ ("%s is damaged at byte %" PRIu64 ": checkpoints from there on are not used"),
                       c->path, at);
  return at;
}

bool
checkpoints_cut (Checkpoints *c, int i, GError **error)
{
  uint64_t end = 0;

  if (i >= 0) {
    const Checkpoint *p = checkpoints_nth (c, (guint) i);
    end = p->offset + HEADER + body_bytes (p);
    c->last_at = p->offset;
    c->last_check = p->check;
  }
  if (ftruncate (c->fd, (off_t) end) != 0) {
    g_set_error (error, FILM_ERROR, FILM_ERROR_IO, _ ("%s cannot be cut: %s"), c->path, g_strerror (errno));
    return false;
  }
  g_array_set_size (c->list, (guint) (i + 1));
  c->end = end;
  if (c->chunks)
    chunks_forget (c->chunks);
  return true;
}
