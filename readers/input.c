/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - a file from its beginning to its end, plain or packed. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "config.h"
#ifdef SCOPE_HAS_LZMA
#include <lzma.h>
#endif

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/converted.h"

#define CHUNK (256 * 1024)
#define MOST_LINE (1024 * 1024)
#define ROOM (MOST_LINE + CHUNK) /* of lines */
#define ASIDE 32                 /* bytes more, where what follows a line that was cut is put */
#define UNKNOWN SIZE_MAX
#define BEHIND 64     /* bytes that may be read behind the last line: digits.h */
#define GZIP_ALONE 16 /* added to the size of zlib's window: gzip's header, and no other */
#define LZMA_MOST_MEMORY (256 * DISK_MIB)

#define PIECES 4               /* of a chunk, that are read ahead */
#define AHEAD_FROM (4 * CHUNK) /* bytes that are read, before a thread reads ahead: small files want none */
#define SPARE_FOR_PLAIN 3      /* processors that have other things to do: what is not packed is copied once more so */

typedef enum { PLAIN, GZIP, XZ, ZSTD } Packing;

/* A thread of its own reads and unpacks, where there is a processor for it.  From then on it alone touches what it
 * reads from; pieces that are filled are the other's, until they are used up. */
typedef struct Ahead {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint8_t *bytes;      /* the pieces */
  size_t n[PIECES];    /* so many of each are filled, */
  uint64_t at[PIECES]; /* and the file has been read up to there for it */
  uint32_t first, n_filled;
  bool stops, ended; /* nobody wants more; there is no more, or `why` */
  GError *why;
  size_t used;       /* of the first piece: of the one who takes, as is */
  uint64_t taken_at; /* up to where the file was read for what was taken */
} Ahead;

struct Input {
  char *path;
  int fd;
  uint64_t size, at; /* of the file on the disk; read so far */
  Packing packing;
  z_stream gzip;
  ZSTD_DStream *zstd;
#ifdef SCOPE_HAS_LZMA
  lzma_stream xz;
#endif
  Ahead *ahead;     /* or NULL */
  uint64_t n_given; /* bytes, before that */
  uint8_t *packed;  /* of it, packed[from..to) is not used yet */
  size_t from, to;
  bool ended, member_ended; /* the file; the packed stream at hand, behind which another may begin */
  char *lines;              /* for input_line(): lines[begin..end) is not used yet */
  size_t begin, end;
  size_t whole; /* behind the last end of a line among these, or UNKNOWN: looked for once each time more is read */
  uint64_t line;
  bool line_ended;
};

static Packing
packing_of (const uint8_t *b, size_t n)
{
  static const uint8_t gzip[] = { 0x1f, 0x8b }, xz[] = { 0xfd, '7', 'z', 'X', 'Z', 0 },
                       zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

  return n >= sizeof gzip && memcmp (b, gzip, sizeof gzip) == 0   ? GZIP
         : n >= sizeof xz && memcmp (b, xz, sizeof xz) == 0       ? XZ
         : n >= sizeof zstd && memcmp (b, zstd, sizeof zstd) == 0 ? ZSTD
                                                                  : PLAIN;
}

/* More of the file, if none is left of what was read. */
static bool
input_fill (Input *in, GError **error)
{
  if (in->from < in->to || in->ended)
    return true;
  ssize_t got = disk_pread (in->fd, in->packed, CHUNK, in->at);
  if (got < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read: %s"), in->path, g_strerror (errno));
    return false;
  }
  in->from = 0;
  in->to = (size_t) got;
  in->at += (uint64_t) got;
  in->ended = got == 0;
  return true;
}

static bool
begin_unpacking (Input *in, GError **error)
{
  if (in->packing == GZIP) {
    inflateEnd (&in->gzip);
    in->gzip = (z_stream){ 0 };
    if (inflateInit2 (&in->gzip, MAX_WBITS + GZIP_ALONE) != Z_OK) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s: there is no memory to unpack it"), in->path);
      return false;
    }
  } else if (in->packing == ZSTD && !in->zstd) {
    in->zstd = ZSTD_createDStream ();
  } else if (in->packing == XZ) {
#ifdef SCOPE_HAS_LZMA
    in->xz = (lzma_stream) LZMA_STREAM_INIT;
    if (lzma_stream_decoder (&in->xz, LZMA_MOST_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s: there is no memory to unpack it"), in->path);
      return false;
    }
#else
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_FORMAT,
        _ ("%s is packed by xz, which this build cannot unpack: it wants the package liblzma-dev; or unpack it "
           "first (unxz -k)"),
        in->path);
    return false;
#endif
  }
  return true;
}

static void end_ahead (Ahead *a);

Input *
input_open (const char *path, GError **error)
{
  g_autoptr (GError) why = NULL;
  uint64_t size;
  int fd = disk_open (path, NULL, DISK_DATA, &size, &why);

  if (fd < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s", why->message);
    return NULL;
  }
  Input *in = g_new0 (Input, 1);
  in->path = g_strdup (path);
  in->fd = fd;
  in->size = size;
  in->packed = g_malloc (CHUNK);
  if (!input_fill (in, error)) {
    input_close (in);
    return NULL;
  }
  in->packing = packing_of (in->packed, in->to);
  if (!begin_unpacking (in, error)) {
    input_close (in);
    return NULL;
  }
  return in;
}

void
input_close (Input *in)
{
  if (!in)
    return;
  if (in->ahead)
    end_ahead (in->ahead);
  if (in->packing == GZIP)
    inflateEnd (&in->gzip);
  ZSTD_freeDStream (in->zstd);
#ifdef SCOPE_HAS_LZMA
  if (in->packing == XZ)
    lzma_end (&in->xz);
#endif
  close (in->fd);
  g_free (in->packed);
  g_free (in->lines);
  g_free (in->path);
  g_free (in);
}

static size_t
input_damaged (Input *in, const char *what, GError **error)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
               _ ("%s: what is packed in it is damaged near byte %" PRIu64 ": %s"), in->path,
               in->at - (in->to - in->from), what);
  return 0;
}

static size_t
unpack_gzip (Input *in, void *to, size_t n, GError **error)
{
  for (;;) {
    if (!input_fill (in, error))
      return 0;
    if (in->member_ended) { /* files may be several that were joined */
      if (in->ended || packing_of (in->packed + in->from, in->to - in->from) != GZIP)
        return 0;
      in->member_ended = false;
      if (!begin_unpacking (in, error))
        return 0;
    }
    in->gzip.next_in = in->packed + in->from;
    in->gzip.avail_in = (uInt) (in->to - in->from);
    in->gzip.next_out = to;
    in->gzip.avail_out = (uInt) MIN (n, UINT_MAX);
    uInt room = in->gzip.avail_out;
    int r = inflate (&in->gzip, Z_NO_FLUSH);
    in->from = in->to - in->gzip.avail_in;
    in->member_ended = r == Z_STREAM_END;
    if (room > in->gzip.avail_out)
      return room - in->gzip.avail_out;
    if (r != Z_OK && r != Z_STREAM_END && (r != Z_BUF_ERROR || in->ended)) /* Z_BUF_ERROR: it wants more */
      return input_damaged (in,
                            in->ended              ? _ ("it ends too early")
                            : in->gzip.msg != NULL ? in->gzip.msg
                                                   : zError (r),
                            error);
  }
}

static size_t
unpack_zstd (Input *in, void *to, size_t n, GError **error)
{
  ZSTD_outBuffer out = { to, n, 0 };

  while (out.pos == 0) {
    if (!input_fill (in, error))
      return 0;
    if (in->ended)
      return in->member_ended ? 0 : input_damaged (in, _ ("it ends too early"), error);
    ZSTD_inBuffer from = { in->packed, in->to, in->from };
    size_t r = ZSTD_decompressStream (in->zstd, &out, &from);
    in->from = from.pos;
    if (ZSTD_isError (r))
      return input_damaged (in, ZSTD_getErrorName (r), error);
    in->member_ended = r == 0;
  }
  return out.pos;
}

#ifdef SCOPE_HAS_LZMA
static size_t
unpack_xz (Input *in, void *to, size_t n, GError **error)
{
  in->xz.next_out = to;
  in->xz.avail_out = n;
  while (in->xz.avail_out == n && !in->member_ended) {
    if (!input_fill (in, error))
      return 0;
    in->xz.next_in = in->packed + in->from;
    in->xz.avail_in = in->to - in->from;
    lzma_ret r = lzma_code (&in->xz, in->ended ? LZMA_FINISH : LZMA_RUN);
    in->from = in->to - in->xz.avail_in;
    in->member_ended = r == LZMA_STREAM_END;
    if (r != LZMA_OK && r != LZMA_STREAM_END)
      return input_damaged (in,
                            r == LZMA_MEMLIMIT_ERROR ? _ ("unpacking it wants more than 256 MiB of memory")
                            : in->ended              ? _ ("it ends too early")
                                                     : _ ("its bytes make no sense"),
                            error);
  }
  return n - in->xz.avail_out;
}
#endif

/* At once, by who calls. */
static size_t
read_now (Input *in, void *to, size_t n, GError **error)
{
  switch (in->packing) {
  case GZIP:
    return unpack_gzip (in, to, n, error);
  case ZSTD:
    return unpack_zstd (in, to, n, error);
  case XZ:
#ifdef SCOPE_HAS_LZMA
    return unpack_xz (in, to, n, error);
#endif
  case PLAIN:
    break;
  }
  if (in->from == in->to && n >= CHUNK && !in->ended) { /* to where it is wanted, at once */
    uint8_t *own = in->packed;
    in->packed = to;
    bool ok = input_fill (in, error);
    in->packed = own;
    n = ok ? in->to : 0;
    in->from = in->to = 0;
    return n;
  }
  if (!input_fill (in, error))
    return 0;
  n = MIN (n, in->to - in->from);
  memcpy (to, in->packed + in->from, n);
  in->from += n;
  return n;
}

/* ---- reading ahead ---- */

/* As much as goes into a piece; 0: the end, or an error, before or behind that. */
static bool
fill_piece (Input *in, uint8_t *piece, size_t *n, GError **why)
{
  size_t got = 1;

  for (*n = 0; *n < CHUNK && got > 0; *n += got)
    got = read_now (in, piece + *n, CHUNK - *n, why);
  return got > 0;
}

static void *
read_ahead (void *arg)
{
  Input *in = arg;
  Ahead *a = in->ahead;

  pthread_setname_np (pthread_self (), "read ahead");
  pthread_mutex_lock (&a->lock);
  while (!a->ended) {
    while (a->n_filled == PIECES && !a->stops)
      pthread_cond_wait (&a->changed, &a->lock);
    if (a->stops)
      break;
    uint32_t k = (a->first + a->n_filled) % PIECES;
    pthread_mutex_unlock (&a->lock);
    GError *why = NULL;
    size_t n;
    bool goes_on = fill_piece (in, a->bytes + (size_t) k * CHUNK, &n, &why);
    pthread_mutex_lock (&a->lock);
    a->n[k] = n;
    a->at[k] = in->at;
    a->n_filled += n > 0;
    a->ended = !goes_on;
    a->why = why;
    pthread_cond_signal (&a->changed);
  }
  pthread_mutex_unlock (&a->lock);
  return NULL;
}

static void
free_ahead (Ahead *a)
{
  pthread_mutex_destroy (&a->lock);
  pthread_cond_destroy (&a->changed);
  g_clear_error (&a->why);
  g_free (a->bytes);
  g_free (a);
}

static void
begin_ahead (Input *in)
{
  Ahead *a = g_new0 (Ahead, 1);

  a->bytes = g_malloc ((size_t) PIECES * CHUNK);
  a->taken_at = in->at;
  pthread_mutex_init (&a->lock, NULL);
  pthread_cond_init (&a->changed, NULL);
  in->ahead = a;
  if (pthread_create (&a->thread, NULL, read_ahead, in) == 0)
    return;
  in->ahead = NULL;
  in->n_given = 0; /* not at once again */
  free_ahead (a);
}

static void
end_ahead (Ahead *a)
{
  pthread_mutex_lock (&a->lock);
  a->stops = true;
  pthread_cond_signal (&a->changed);
  pthread_mutex_unlock (&a->lock);
  pthread_join (a->thread, NULL);
  free_ahead (a);
}

static size_t
take_ahead (Ahead *a, void *to, size_t n, GError **error)
{
  pthread_mutex_lock (&a->lock);
  while (a->n_filled == 0 && !a->ended)
    pthread_cond_wait (&a->changed, &a->lock);
  bool any = a->n_filled > 0;
  if (!any && a->why && error)
    *error = g_error_copy (a->why);
  uint32_t k = a->first;
  pthread_mutex_unlock (&a->lock);
  if (!any)
    return 0;
  n = MIN (n, a->n[k] - a->used);
  memcpy (to, a->bytes + (size_t) k * CHUNK + a->used, n);
  a->used += n;
  a->taken_at = a->at[k];
  if (a->used < a->n[k])
    return n;
  a->used = 0;
  pthread_mutex_lock (&a->lock);
  a->first = (a->first + 1) % PIECES;
  a->n_filled--;
  pthread_cond_signal (&a->changed);
  pthread_mutex_unlock (&a->lock);
  return n;
}

size_t
input_read (Input *in, void *to, size_t n, GError **error)
{
  if (n == 0)
    return 0;
  if (in->ahead)
    return take_ahead (in->ahead, to, n, error);
  size_t got = read_now (in, to, n, error);
  in->n_given += got;
  if (G_UNLIKELY (in->n_given >= AHEAD_FROM && got > 0)
      && g_get_num_processors () > (in->packing == PLAIN ? SPARE_FOR_PLAIN : 1))
    begin_ahead (in);
  return got;
}

/* Looks at the rest of a line that is too long, and throws it away. */
static bool
input_skip_line (Input *in, GError **error)
{
  g_autoptr (GError) why = NULL;

  for (;;) {
    char *at = memchr (in->lines + in->begin, '\n', in->end - in->begin);
    if (at) {
      in->begin = (size_t) (at - in->lines) + 1;
      return true;
    }
    in->begin = 0;
    in->whole = UNKNOWN;
    in->end = input_read (in, in->lines, CHUNK, &why);
    if (in->end == 0) {
      if (why)
        g_propagate_error (error, g_steal_pointer (&why));
      return error == NULL || *error == NULL;
    }
  }
}

char *
input_line (Input *in, size_t *n, bool *cut, GError **error)
{
  g_autoptr (GError) why = NULL;
  size_t looked = 0;

  *cut = false;
  if (!in->lines)
    in->lines = g_malloc0 (ROOM + ASIDE + BEHIND);
  for (;;) {
    char *line = in->lines + in->begin;
    char *at = memchr (line + looked, '\n', in->end - in->begin - looked);
    looked = in->end - in->begin;
    if (!at && looked < MOST_LINE) {
      if (in->begin > 0) /* at most once a line, also where little is read at a time */
        memmove (in->lines, line, looked);
      in->begin = 0;
      in->end = looked;
      in->whole = UNKNOWN;
      size_t got = input_read (in, in->lines + in->end, ROOM - in->end, &why);
      in->end += got;
      if (got > 0)
        continue;
      if (why) {
        g_propagate_error (error, g_steal_pointer (&why));
        return NULL;
      }
      if (in->end == 0)
        return NULL;
      line = in->lines;
      at = in->lines + in->end; /* the last line has no end */
      in->begin = in->end;
    } else if (!at) {
      *cut = true;
      *n = MOST_LINE - 1;
      in->line++;
      g_autofree char *kept = g_strndup (line, *n);
      if (!input_skip_line (in, error))
        return NULL;
      /* the line is put where nothing that is still wanted lies */
      size_t left = in->end - in->begin;
      memmove (in->lines + ROOM + ASIDE - left, in->lines + in->begin, left);
      in->begin = ROOM + ASIDE - left;
      in->end = ROOM + ASIDE;
      in->whole = UNKNOWN;
      memcpy (in->lines, kept, *n + 1);
      return in->lines;
    } else {
      in->begin = (size_t) (at - in->lines) + 1;
    }
    in->line++;
    in->line_ended = at < in->lines + in->end;
    *n = (size_t) (at - line);
    if (*n > 0 && line[*n - 1] == '\r')
      --*n;
    line[*n] = '\0';
    return line;
  }
}

char *
input_ahead (Input *in, char **end)
{
  char *from = in->lines ? in->lines + in->begin : NULL;

  if (from && in->whole == UNKNOWN) {
    const char *last = memrchr (from, '\n', in->end - in->begin);
    in->whole = last ? (size_t) (last - in->lines) + 1 : in->begin;
  }
  *end = from ? in->lines + MAX (in->whole, in->begin) : NULL;
  return from;
}

void
input_skip (Input *in, const char *to, uint64_t lines)
{
  in->begin = lines > 0 ? (size_t) (to - in->lines) : in->begin;
  in->line += lines;
  in->line_ended = in->line_ended || lines > 0;
}

bool
input_line_ended (const Input *in)
{
  return in->line_ended;
}

uint64_t
input_line_number (const Input *in)
{
  return in->line;
}

double
input_share (const Input *in)
{
  uint64_t at = in->ahead ? in->ahead->taken_at : in->at;

  return in->size > 0 ? CLAMP ((double) at / (double) in->size, 0, 1) : 1;
}

size_t
input_head (const char *path, void *to, size_t n)
{
  Input *in = input_open (path, NULL);
  size_t had = 0;

  if (!in)
    return 0;
  for (size_t got; had < n && (got = input_read (in, (char *) to + had, n - had, NULL)) > 0;)
    had += got;
  input_close (in);
  return had;
}
