/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.c - the protocol's numbers and texts, little-endian. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

void
bytes_put (Bytes *to, const void *data, size_t size)
{
  if (to->size + size > to->room) {
    size_t room = to->room ? to->room : 16;
    while (room < to->size + size)
      room *= 2;
    uint8_t *more = realloc (to->data, room);
    if (!more) {
      to->failed = true;
      return;
    }
    to->data = more;
    to->room = room;
  }
  if (size)
    memcpy (to->data + to->size, data, size);
  to->size += size;
}

static void
viz_bytes_put_number (Bytes *to, uint64_t value, unsigned size)
{
  uint8_t bytes[8];
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t) (value >> (8 * i));
  bytes_put (to, bytes, size);
}

void
bytes_u8 (Bytes *to, unsigned value)
{
  viz_bytes_put_number (to, value, 1);
}

void
bytes_u16 (Bytes *to, unsigned value)
{
  viz_bytes_put_number (to, value, 2);
}

void
bytes_u32 (Bytes *to, uint32_t value)
{
  viz_bytes_put_number (to, value, 4);
}

void
bytes_i64 (Bytes *to, int64_t value)
{
  viz_bytes_put_number (to, (uint64_t) value, 8);
}

void
bytes_f64 (Bytes *to, double value)
{
  uint64_t bits;
  memcpy (&bits, &value, sizeof bits);
  viz_bytes_put_number (to, bits, 8);
}

void
bytes_text (Bytes *to, const void *text, size_t length)
{
  if (length > SCOPEVIZ_TEXT_MAX)
    length = SCOPEVIZ_TEXT_MAX;
  bytes_u32 (to, (uint32_t) length);
  bytes_put (to, text, length);
}

void
bytes_int (Bytes *to, unsigned type, int64_t value)
{
  bytes_u8 (to, type);
  bytes_i64 (to, value);
}

void
bytes_float (Bytes *to, double value)
{
  bytes_u8 (to, VALUE_FLOAT);
  bytes_f64 (to, value);
}

void
bytes_clear (Bytes *bytes)
{
  bytes->size = 0;
  bytes->failed = false;
}

void
bytes_free (Bytes *bytes)
{
  free (bytes->data);
  *bytes = (Bytes){ 0 };
}

size_t
bytes_begin (Bytes *to)
{
  size_t begun = to->size;
  bytes_u32 (to, 0);
  return begun;
}

void
bytes_end (Bytes *to, size_t begun)
{
  if (to->failed) {
    to->size = begun; /* no half of a message */
    return;
  }
  uint32_t size = (uint32_t) (to->size - begun - 4);
  for (unsigned i = 0; i < 4; i++)
    to->data[begun + i] = (uint8_t) (size >> (8 * i));
}
