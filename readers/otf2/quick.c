/* SPDX-License-Identifier: Apache-2.0 */
/* quick.c - decodes the records that most archives consist of, without the library, which takes several times as long
 * and clears a piece of memory for each location first.
 *
 * What it gives is what the library would give: it calls the same functions, with the same arguments.  At the first
 * thing that it does not know, or that is not exactly as it should be, it gives up: then the library reads the location
 * from its beginning, passes over what was given, and judges the rest.
 *
 * A file of events is a row of pieces of one size, the last of which may be shorter.  A piece begins with the byte 3,
 * its byte order and two numbers; then come records: a byte that says of what kind, mostly the length of what follows,
 * and numbers.  Those are a byte that tells how many bytes follow, of which 0xff is the largest number that there is.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "readers/otf2/otf2.h"

#define BEYOND 256 /* bytes behind a piece that may be read */
/* Bytes that are read of a piece at once: of sixteen locations they stay in the second cache until they are decoded,
 * where whole pieces, of a megabyte as a rule, go to memory first and have to be made room for.  And how many are left
 * when more are read: longer records are the library's. */
#define AT_ONCE (64u << 10)
#define LONGEST (8u << 10)
#define MOST_NUMBERS 6
#define MOST_ATTRIBUTES 8
#define MOST_OF_ATTRIBUTE 15 /* bytes */
#define MOST_VALUES 255

struct OwnDefinitions {
  const OTF2_IdMap *maps[OTF2_MAPPING_MAX]; /* of the library, as long as it is open; NULL: none */
  GArray *spans;                            /* of Span */
  uint64_t time;                            /* of the clock offset before; */
  int64_t offset;
  bool has_offset, refused;
};

/* Between two clock offsets. */
typedef struct Span {
  uint64_t begin, end;
  int64_t offset;
  double slope;
} Span;

struct Quick {
  const QuickCalls *calls;
  const OwnDefinitions *own; /* or NULL */
  const Map *lines;
  uint64_t location;
  int fd;
  uint64_t size, next; /* of the file; where is read from it next */
  size_t piece, left;  /* of the piece at hand is still to be read */
  uint8_t *bytes;      /* of the piece at hand, AT_ONCE at most */
  const uint8_t *at, *end;
  const uint8_t *low; /* from here on more is to be read; the end, where there is no more */
  bool big;
  uint64_t time;
  guint span;
  bool corrects;
  const char *line; /* an attribute of the next record */
  bool has_attributes;
};

/* ---- what a location defines for itself ------------------------------------------------------------------------------------------ */

OwnDefinitions *
otf2_own_new (void)
{
  OwnDefinitions *d = g_new0 (OwnDefinitions, 1);

  d->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  return d;
}

void
otf2_own_free (OwnDefinitions *d)
{
  if (d)
    g_array_unref (d->spans);
  g_free (d);
}

void
otf2_own_refuse (OwnDefinitions *d)
{
  d->refused = true;
}

void
otf2_own_map (OwnDefinitions *d, OTF2_MappingType type, const OTF2_IdMap *map)
{
  if (type >= OTF2_MAPPING_MAX)
    return;
  d->refused |= d->maps[type] != NULL; /* the library takes that amiss */
  d->maps[type] = d->maps[type] ? d->maps[type] : map;
}

void
otf2_own_offset (OwnDefinitions *d, uint64_t time, int64_t offset)
{
  if (d->has_offset && d->time < time) {
    Span s = { d->time, time, d->offset,
               (double) (int64_t) ((uint64_t) offset - (uint64_t) d->offset) / (double) (time - d->time) };
    g_array_append_val (d->spans, s);
  }
  d->refused |= d->has_offset && d->time >= time;
  d->time = time;
  d->offset = offset;
  d->has_offset = true;
}

static inline uint64_t
mapped (const Quick *q, OTF2_MappingType type, uint64_t id)
{
  uint64_t global = id;

  if (q->own && q->own->maps[type])
    OTF2_IdMap_GetGlobalId (q->own->maps[type], id, &global);
  return global;
}

/* By the clock of all, as the library has it. */
static uint64_t
corrected (Quick *q, uint64_t time)
{
  const GArray *spans = q->own->spans;

  while (q->span + 1 < spans->len && time > g_array_index (spans, Span, q->span).end)
    q->span++;
  const Span *s = &g_array_index (spans, Span, q->span);
  const double since = time >= s->begin ? (double) (time - s->begin) : -(double) (s->begin - time);
  return time + (uint64_t) s->offset + (uint64_t) (int64_t) rint (s->slope * since);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------------------ */

/* More of the piece, behind what there is of it.  False: it cannot be read. */
static bool
more_of_piece (Quick *q)
{
  const size_t has = (size_t) (q->end - q->at), n = MIN (q->left, AT_ONCE - has);

  memmove (q->bytes, q->at, has);
  if (disk_pread (q->fd, q->bytes + has, n, q->next) != (ssize_t) n)
    return false;
  memset (q->bytes + has + n, 0, BEYOND);
  q->next += n;
  q->left -= n;
  q->at = q->bytes;
  q->end = q->bytes + has + n;
  q->low = q->left > 0 ? q->end - LONGEST : q->end;
  return true;
}

/* False: there is none, or it is none. */
static bool
next_piece (Quick *q)
{
  q->next += q->left; /* behind the end of what a piece holds it is padded */
  q->left = (size_t) MIN (q->piece, q->size - MIN (q->next, q->size));
  q->at = q->end = q->bytes;
  if (q->left < PIECE_HEAD || !more_of_piece (q) || q->bytes[0] != PIECE
      || (q->bytes[1] != LITTLE_ENDIAN_BYTE && q->bytes[1] != BIG_ENDIAN_BYTE))
    return false;
  q->big = q->bytes[1] == BIG_ENDIAN_BYTE;
  q->at = q->bytes + PIECE_HEAD;
  return true;
}

Quick *
otf2_quick_new (const Otf2 *o, const Location *at, const QuickCalls *calls)
{
  OTF2_Compression packed = OTF2_COMPRESSION_UNDEFINED;
  uint64_t piece = 0, unused;
  g_autofree char *path = g_strdup_printf ("%s/%s/%" G_GUINT64_FORMAT ".evt", o->folder, o->name, at->id);

  if (g_getenv ("SCOPE_OTF2_LIBRARY") || (at->own && at->own->refused)
      || OTF2_Reader_GetCompression (o->reader, &packed) != OTF2_SUCCESS || packed != OTF2_COMPRESSION_NONE
      || OTF2_Reader_GetChunkSize (o->reader, &piece, &unused) != OTF2_SUCCESS || piece < OTF2_CHUNK_SIZE_MIN
      || piece > OTF2_CHUNK_SIZE_MAX)
    return NULL;
  Quick *q = g_new0 (Quick, 1);
  q->fd = disk_open (path, o->folder, DISK_DATA, &q->size, NULL);
  q->calls = calls;
  q->own = at->own;
  q->lines = &o->lines;
  q->location = at->id;
  q->piece = (size_t) piece;
  q->corrects = at->own && at->own->spans->len > 0 && converter_uses_offsets (o->to);
  q->bytes = q->fd >= 0 ? g_malloc (AT_ONCE + BEYOND) : NULL;
  if (q->fd < 0 || !next_piece (q))
    g_clear_pointer (&q, otf2_quick_free);
  return q;
}

void
otf2_quick_free (Quick *q)
{
  if (!q)
    return;
  if (q->fd >= 0)
    close (q->fd);
  g_free (q->bytes);
  g_free (q);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------------------- */

static inline uint64_t
otf2_quick_whole (const Quick *q, const uint8_t *at)
{
  uint64_t v = bytes_get64 (at);

  return q->big ? GUINT64_SWAP_LE_BE (v) : v;
}

/* A number of at most so many bytes; *at goes behind it.  False: it is none. */
static inline bool
otf2_quick_number (const Quick *q, const uint8_t **at, unsigned most, uint64_t *v)
{
  const uint8_t *from = *at;
  const unsigned n = *from++;

  if (G_LIKELY (n == 1)) { /* which most are */
    *v = *from;
    *at = from + 1;
    return true;
  }
  if (n == 0xff || n == 0) {
    *v = n == 0 ? 0 : most == 4 ? UINT32_MAX : UINT64_MAX;
    *at = from;
    return true;
  }
  if (n > most)
    return false;
  *v = q->big ? otf2_quick_whole (q, from) >> (64 - 8 * n) : bytes_get64 (from) & (UINT64_MAX >> (64 - 8 * n));
  *at = from + n;
  return true;
}

/* Where a record ends that tells its length; NULL: beyond the piece. */
static inline const uint8_t *
end_of_record (const Quick *q, const uint8_t **at)
{
  uint64_t n = *(*at)++;

  if (n == 0xff) {
    n = otf2_quick_whole (q, *at);
    *at += 8;
  }
  return *at < q->end && n < (uint64_t) (q->end - *at) ? *at + n : NULL;
}

/* ---- records ----------------------------------------------------------------------------------------------------------------------- */

/* Kinds that are not in records.def. */
enum { ENTER = 12, LEAVE = 13, METRIC = 31, PROGRAM_BEGIN = 83, N_RECORDS = 89 };

#define QUICK(kind, name, layout, ...) [kind] = layout,
static const char *const layouts[N_RECORDS] = {
#include "readers/otf2/records.def"
};
#undef QUICK

static inline bool
one_number (Quick *q, char what, const uint8_t **at, uint64_t *v)
{
  static const OTF2_MappingType maps[128] = { ['C'] = OTF2_MAPPING_COMM,
                                              ['P'] = OTF2_MAPPING_PARAMETER,
                                              ['S'] = OTF2_MAPPING_STRING,
                                              ['X'] = OTF2_MAPPING_CALLING_CONTEXT,
                                              ['G'] = OTF2_MAPPING_GROUP,
                                              ['W'] = OTF2_MAPPING_RMA_WIN,
                                              ['H'] = OTF2_MAPPING_IO_HANDLE,
                                              ['F'] = OTF2_MAPPING_IO_FILE,
                                              ['I'] = OTF2_MAPPING_INTERRUPT_GENERATOR };

  switch (what) {
  case 'b':
    *v = *(*at)++;
    return true;
  case 'T':
    *v = otf2_quick_whole (q, *at);
    *v = q->corrects ? corrected (q, *v) : *v;
    *at += 8;
    return true;
  case 'u':
    return otf2_quick_number (q, at, 4, v);
  case 'U':
    return otf2_quick_number (q, at, 8, v);
  default:
    if (!otf2_quick_number (q, at, 4, v))
      return false;
    *v = (uint32_t) mapped (q, maps[(unsigned char) what], *v);
    return true;
  }
}

#define CALL(name, ...) q->calls->name (q->location, time, 0, a, NULL, ##__VA_ARGS__)
#define BYTE(i) ((uint8_t) v[i])
#define WORD(i) ((uint32_t) v[i])
#define QUICK(kind, name, layout, ...)                                                                                 \
  case kind:                                                                                                           \
    CALL (name, ##__VA_ARGS__);                                                                                        \
    break;

static void
otf2_quick_give (const Quick *q, Ahead *a, unsigned kind, uint64_t time, const uint64_t *v)
{
  switch (kind) {
#include "readers/otf2/records.def"
  default:
    break;
  }
}
#undef QUICK

/* Values of several variables, each with its type. */
static bool
metric (Quick *q, Ahead *a, uint64_t time)
{
  const uint8_t *at = q->at, *end = end_of_record (q, &at);
  OTF2_Type types[MOST_VALUES];
  OTF2_MetricValue values[MOST_VALUES];
  uint64_t which;

  if (!end || !otf2_quick_number (q, &at, 4, &which))
    return false;
  const uint8_t n = *at++;
  for (unsigned i = 0; i < n; i++) {
    if (at >= end)
      return false;
    types[i] = *at++;
    if (!otf2_quick_number (q, &at, 8, &values[i].unsigned_int))
      return false;
  }
  if (at > end)
    return false;
  q->at = end;
  CALL (Metric, (uint32_t) mapped (q, OTF2_MAPPING_METRIC, which), n, types, values);
  return true;
}

static bool
program_begin (Quick *q, Ahead *a, uint64_t time)
{
  const uint8_t *at = q->at, *end = end_of_record (q, &at);
  uint64_t name, n, argument;

  if (!end || !otf2_quick_number (q, &at, 4, &name) || !otf2_quick_number (q, &at, 4, &n))
    return false;
  for (uint64_t i = 0; i < n; i++) /* they are not kept */
    if (at >= end || !otf2_quick_number (q, &at, 4, &argument))
      return false;
  if (at > end)
    return false;
  q->at = end;
  CALL (ProgramBegin, (uint32_t) mapped (q, OTF2_MAPPING_STRING, name), 0, NULL);
  return true;
}

/* Attributes of the next record: one that tells a line of the program's source is kept. */
static bool
attributes (Quick *q)
{
  const uint8_t *at = q->at, *end = end_of_record (q, &at);
  uint64_t n, id, ids[MOST_ATTRIBUTES], v;

  if (q->has_attributes || !end || !otf2_quick_number (q, &at, 4, &n) || n > MOST_ATTRIBUTES)
    return false;
  if ((uint64_t) (end - at) > n * MOST_OF_ATTRIBUTE)
    return false;
  q->has_attributes = true;
  bool has_line = false;
  for (uint64_t i = 0; i < n; i++) {
    if (at >= end || !otf2_quick_number (q, &at, 4, &id))
      return false;
    ids[i] = (uint32_t) mapped (q, OTF2_MAPPING_ATTRIBUTE, id);
    for (uint64_t k = 0; k < i; k++)
      if (ids[k] == ids[i])
        return false;
    const OTF2_Type type = *at++;
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
      at++;
      break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
      at += 2;
      break;
    case OTF2_TYPE_FLOAT:
      at += 4;
      break;
    case OTF2_TYPE_DOUBLE:
      at += 8;
      break;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_LOCATION:
      if (!otf2_quick_number (q, &at, 8, &v))
        return false;
      break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_STRING:
    case OTF2_TYPE_ATTRIBUTE:
    case OTF2_TYPE_REGION:
    case OTF2_TYPE_GROUP:
    case OTF2_TYPE_METRIC:
    case OTF2_TYPE_COMM:
    case OTF2_TYPE_PARAMETER:
    case OTF2_TYPE_RMA_WIN:
    case OTF2_TYPE_SOURCE_CODE_LOCATION:
      if (!otf2_quick_number (q, &at, 4, &v))
        return false;
      if (type == OTF2_TYPE_SOURCE_CODE_LOCATION && !has_line) {
        q->line = map_get (q->lines, (uint32_t) mapped (q, OTF2_MAPPING_SOURCE_CODE_LOCATION, v));
        has_line = true;
      }
      break;
    default:
      return false;
    }
  }
  if (at > end)
    return false;
  q->at = end;
  return true;
}

/* Numbers of a record; q->at goes behind them.  False: they are not as they should be. */
static inline bool
numbers (Quick *q, const char *layout, uint64_t *v)
{
  const uint8_t *at = q->at, *end = NULL;

  if (*layout == '.') {
    if (!one_number (q, layout[1], &at, v) || at >= q->end)
      return false;
    q->at = at;
    return true;
  }
  end = end_of_record (q, &at);
  for (; end && *layout; layout++)
    if (!one_number (q, *layout, &at, v++))
      return false;
  if (!end || at > end)
    return false;
  q->at = end;
  return true;
}

/* A record behind its kind.  False: it is not known, or not as it should be. */
static bool
otf2_quick_record (Quick *q, Ahead *a, unsigned kind, uint64_t time)
{
  uint64_t v[MOST_NUMBERS] = { 0 };

  if (kind == METRIC)
    return metric (q, a, time);
  if (kind == PROGRAM_BEGIN)
    return program_begin (q, a, time);
  if (kind >= N_RECORDS || !layouts[kind] || !numbers (q, layouts[kind], v))
    return false;
  otf2_quick_give (q, a, kind, time, v);
  return true;
}

/* Two of three are of these. */
static inline bool
enter_or_leave (Quick *q, Ahead *a, unsigned kind, uint64_t time, const uint8_t **at)
{
  uint64_t region;

  if (!otf2_quick_number (q, at, 4, &region) || *at >= q->end)
    return false;
  region = mapped (q, OTF2_MAPPING_REGION, region);
  if (kind == ENTER)
    otf2_enter_later (a, time, (uint32_t) region, q->line);
  else
    CALL (Leave, (uint32_t) region);
  return true;
}

QuickEnd
otf2_quick_read (Quick *q, Ahead *a, uint64_t most, uint64_t *n)
{
  const uint8_t *at = q->at;
  uint64_t given = 0;
  QuickEnd end = QUICK_MORE;

  while (given < most && end == QUICK_MORE) {
    if (G_UNLIKELY (at >= q->low)) {
      q->at = at;
      if (q->left == 0 || at > q->end || !more_of_piece (q)) {
        end = QUICK_GIVES_UP;
        break;
      }
      at = q->at;
    }
    if (*at == TIME) {
      q->time = otf2_quick_whole (q, at + 1);
      at += 9;
      end = at >= q->end ? QUICK_GIVES_UP : end;
    }
    if (G_UNLIKELY (end != QUICK_MORE))
      break;
    const unsigned kind = *at++;
    q->at = at;
    if (G_UNLIKELY (kind <= ATTRIBUTES)) {
      if (kind == END_OF_FILE)
        end = QUICK_END;
      else if (kind == END_OF_PIECE ? !next_piece (q) : kind != ATTRIBUTES || !attributes (q))
        end = QUICK_GIVES_UP;
      at = q->at;
      continue;
    }
    const uint64_t time = q->corrects ? corrected (q, q->time) : q->time;
    if (kind == ENTER || kind == LEAVE) {
      end = enter_or_leave (q, a, kind, time, &at) ? QUICK_MORE : QUICK_GIVES_UP;
    } else {
      end = otf2_quick_record (q, a, kind, time) ? QUICK_MORE : QUICK_GIVES_UP;
      at = q->at;
    }
    q->line = NULL;
    q->has_attributes = false;
    given += end == QUICK_MORE;
  }
  q->at = at;
  *n = given;
  return end;
}
