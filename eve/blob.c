/* SPDX-License-Identifier: Apache-2.0 */
/* blob.c - a stream of typed values, independent of byte order and word size.
 *
 * Each value is a tag byte and its content: 'i' a zigzag varint, 'd' 8 bytes of an IEEE double, least significant
 * first, 's' and 'b' a varint length and bytes (text with its NUL), 'v' a varint count and that many zigzag varints. */
#include "eve/private.h"
#include <string.h>
#include "eve/bytes.h"

#define VARINT_MAX 10 /* bytes */

EveBlob *
eve_blob_new (void)
{
  return g_new0 (EveBlob, 1);
}

void
eve_blob_free (EveBlob *b)
{
  if (!b)
    return;
  g_free (b->data);
  g_free (b);
}

void
eve_blob_clear (EveBlob *b)
{
  b->n = 0;
}

const uint8_t *
eve_blob_data (const EveBlob *b, size_t *n_bytes)
{
  *n_bytes = b->n;
  return b->data;
}

uint64_t
eve_blob_hash (const EveBlob *b)
{
  return bytes_fnv (b->data, b->n);
}

static void
blob_grow (EveBlob *b, size_t n)
{
  b->room = MAX (MAX (b->room * 2, b->n + n), 256);
  b->data = g_realloc (b->data, b->room);
}

/* Where the next bytes go; at least n fit. */
static inline uint8_t *
room_for (EveBlob *b, size_t n)
{
  if (G_UNLIKELY (b->room - b->n < n))
    blob_grow (b, n);
  return b->data + b->n;
}

EveBlobView *
eve_blob_view_new (const void *data, size_t n_bytes)
{
  EveBlobView *v = g_new0 (EveBlobView, 1);
  v->at = data;
  v->end = v->at + n_bytes;
  return v;
}

void
eve_blob_view_free (EveBlobView *v)
{
  g_free (v);
}

static inline uint8_t *
blob_encode (uint8_t *at, uint64_t v)
{
  for (; v >= 0x80; v >>= 7)
    *at++ = (uint8_t) (v | 0x80);
  *at++ = (uint8_t) v;
  return at;
}

static uint64_t
blob_zigzag (int64_t v)
{
  return ((uint64_t) v << 1) ^ (uint64_t) (v < 0 ? -1 : 0);
}

static int64_t
blob_unzigzag (uint64_t v)
{
  return (int64_t) (v >> 1) ^ -(int64_t) (v & 1);
}

/* A tag, a number, and n bytes. */
static void
blob_put (EveBlob *b, char tag, uint64_t v, const void *bytes, size_t n)
{
  uint8_t *at = room_for (b, 1 + VARINT_MAX + n);
  *at++ = (uint8_t) tag;
  at = blob_encode (at, v);
  if (n)
    memcpy (at, bytes, n);
  b->n = (size_t) (at + n - b->data);
}

void
eve_put_int (EveBlob *b, int64_t v)
{
  blob_put (b, 'i', blob_zigzag (v), NULL, 0);
}

void
eve_put_double (EveBlob *b, double v)
{
  uint8_t *at = room_for (b, 9);
  uint64_t bits;
  memcpy (&bits, &v, sizeof bits);
  *at = 'd';
  bytes_put64 (at + 1, bits);
  b->n += 9;
}

void
eve_put_text (EveBlob *b, const char *v)
{
  size_t n = strlen (v ? v : "") + 1;
  blob_put (b, 's', n, v ? v : "", n);
}

void
eve_put_bytes (EveBlob *b, const void *v, size_t n)
{
  blob_put (b, 'b', n, v, n);
}

void
eve_put_ints (EveBlob *b, const int64_t *v, size_t n)
{
  blob_put (b, 'v', n, NULL, 0);
  uint8_t *at = room_for (b, n * VARINT_MAX);
  for (size_t i = 0; i < n; i++)
    at = blob_encode (at, blob_zigzag (v[i]));
  b->n = (size_t) (at - b->data);
}

size_t
blob_open (EveBlob *b)
{
  room_for (b, 1 + VARINT_MAX);
  b->n += 1 + VARINT_MAX;
  return b->n;
}

void
blob_append (EveBlob *b, const EveBlob *what)
{
  if (what->n)
    memcpy (room_for (b, what->n), what->data, what->n);
  b->n += what->n;
}

void
blob_close (EveBlob *b, size_t from)
{
  size_t n = b->n - from;
  uint8_t *head = b->data + from - 1 - VARINT_MAX, *at = head;
  *at++ = 'b';
  at = blob_encode (at, n);
  memmove (at, b->data + from, n);
  b->n = (size_t) (at + n - b->data);
}

static bool
get_tag (EveBlobView *b, char tag)
{
  if (b->bad || b->at >= b->end || *b->at != (uint8_t) tag) {
    b->bad = true;
    return false;
  }
  b->at++;
  return true;
}

static uint64_t
blob_get_varint (EveBlobView *b)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (b->bad || b->at >= b->end)
      break;
    uint8_t byte = *b->at++;
    v |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return v;
  }
  b->bad = true;
  return 0;
}

int64_t
eve_get_int (EveBlobView *b)
{
  if (!get_tag (b, 'i'))
    return 0;
  uint64_t v = blob_get_varint (b);
  return b->bad ? 0 : blob_unzigzag (v);
}

double
eve_get_double (EveBlobView *b)
{
  uint64_t bits;
  if (!get_tag (b, 'd'))
    return 0;
  if (b->end - b->at < (ptrdiff_t) sizeof bits) {
    b->bad = true;
    return 0;
  }
  bits = bytes_get64 (b->at);
  b->at += sizeof bits;
  double v;
  memcpy (&v, &bits, sizeof v);
  return v;
}

static const void *
get_run (EveBlobView *b, char tag, size_t *n)
{
  *n = 0;
  if (!get_tag (b, tag))
    return NULL;
  uint64_t len = blob_get_varint (b);
  if (b->bad || len > (uint64_t) (b->end - b->at)) {
    b->bad = true;
    return NULL;
  }
  const void *at = b->at;
  b->at += len;
  *n = (size_t) len;
  return at;
}

const char *
eve_get_text (EveBlobView *b)
{
  size_t n;
  const char *s = get_run (b, 's', &n);
  if (!s || n == 0 || memchr (s, 0, n) != s + n - 1) {
    b->bad = true;
    return "";
  }
  return s;
}

const void *
eve_get_bytes (EveBlobView *b, size_t *n)
{
  return get_run (b, 'b', n);
}

size_t
eve_get_ints (EveBlobView *b, int64_t *v, size_t n)
{
  if (!get_tag (b, 'v'))
    return 0;
  uint64_t count = blob_get_varint (b);
  if (b->bad || count > (uint64_t) (b->end - b->at)) { /* a number takes a byte at least */
    b->bad = true;
    return 0;
  }
  for (uint64_t i = 0; i < count; i++) {
    uint64_t one = blob_get_varint (b);
    if (b->bad)
      return 0;
    if (i < n)
      v[i] = blob_unzigzag (one);
  }
  return (size_t) count;
}

bool
eve_get_ok (const EveBlobView *b)
{
  return !b->bad;
}
