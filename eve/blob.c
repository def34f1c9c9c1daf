/* SPDX-License-Identifier: Apache-2.0 */
/* blob.c - a stream of typed values, independent of byte order and word size.
 *
 * Each value is a tag byte and its content: 'i' a zigzag varint, 'd' 8 bytes of an IEEE double, least significant
 * first, 's' and 'b' a varint length and bytes (text with its NUL), 'v' a varint count and that many zigzag varints. */
#include "eve/private.h"
#include <string.h>

EveBlob *
eve_blob_new (void)
{
  EveBlob *b = g_new (EveBlob, 1);
  b->bytes = g_byte_array_new ();
  return b;
}

void
eve_blob_free (EveBlob *b)
{
  if (!b)
    return;
  g_byte_array_unref (b->bytes);
  g_free (b);
}

const uint8_t *
eve_blob_data (const EveBlob *b, size_t *n_bytes)
{
  *n_bytes = b->bytes->len;
  return b->bytes->data;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo), over the typed bytes: the same on every machine. */
uint64_t
eve_blob_hash (const EveBlob *b)
{
  uint64_t h = 14695981039346656037u;
  for (guint i = 0; i < b->bytes->len; i++)
    h = (h ^ b->bytes->data[i]) * 1099511628211u;
  return h;
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

static void
put_varint (EveBlob *b, uint64_t v)
{
  uint8_t buf[10];
  guint n = 0;
  while (v >= 0x80) {
    buf[n++] = (uint8_t) (v | 0x80);
    v >>= 7;
  }
  buf[n++] = (uint8_t) v;
  g_byte_array_append (b->bytes, buf, n);
}

static uint64_t
zigzag (int64_t v)
{
  return ((uint64_t) v << 1) ^ (uint64_t) (v < 0 ? -1 : 0);
}

static int64_t
unzigzag (uint64_t v)
{
  return (int64_t) (v >> 1) ^ -(int64_t) (v & 1);
}

static void
put_tag (EveBlob *b, char tag)
{
  g_byte_array_append (b->bytes, (const guint8 *) &tag, 1);
}

void
eve_put_int (EveBlob *b, int64_t v)
{
  /* in one piece: run states hold millions of these */
  uint8_t buf[11] = { 'i' };
  guint n = 1;
  uint64_t z = zigzag (v);
  for (; z >= 0x80; z >>= 7)
    buf[n++] = (uint8_t) (z | 0x80);
  buf[n++] = (uint8_t) z;
  g_byte_array_append (b->bytes, buf, n);
}

void
eve_put_double (EveBlob *b, double v)
{
  uint64_t bits;
  memcpy (&bits, &v, sizeof bits);
  bits = GUINT64_TO_LE (bits);
  put_tag (b, 'd');
  g_byte_array_append (b->bytes, (const guint8 *) &bits, sizeof bits);
}

void
eve_put_text (EveBlob *b, const char *v)
{
  size_t n = strlen (v ? v : "") + 1;
  put_tag (b, 's');
  put_varint (b, n);
  g_byte_array_append (b->bytes, (const guint8 *) (v ? v : ""), (guint) n);
}

void
eve_put_bytes (EveBlob *b, const void *v, size_t n)
{
  put_tag (b, 'b');
  put_varint (b, n);
  if (n)
    g_byte_array_append (b->bytes, v, (guint) n);
}

void
eve_put_ints (EveBlob *b, const int64_t *v, size_t n)
{
  put_tag (b, 'v');
  put_varint (b, n);
  for (size_t i = 0; i < n; i++)
    put_varint (b, zigzag (v[i]));
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
get_varint (EveBlobView *b)
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
  uint64_t v = get_varint (b);
  return b->bad ? 0 : unzigzag (v);
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
  memcpy (&bits, b->at, sizeof bits);
  b->at += sizeof bits;
  bits = GUINT64_FROM_LE (bits);
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
  uint64_t len = get_varint (b);
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
  uint64_t count = get_varint (b);
  if (b->bad || count > (uint64_t) (b->end - b->at)) {  /* a number takes a byte at least */
    b->bad = true;
    return 0;
  }
  for (uint64_t i = 0; i < count; i++) {
    uint64_t one = get_varint (b);
    if (b->bad)
      return 0;
    if (i < n)
      v[i] = unzigzag (one);
  }
  return (size_t) count;
}

bool
eve_get_ok (const EveBlobView *b)
{
  return !b->bad;
}
