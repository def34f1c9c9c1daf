/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - the bytes of a message: all of it is looked at before anything of it counts. */
#include "readers/ocamlviz/decode.h"

bool
ovz_take (OvzBytes *b, void *to, size_t n)
{
  if ((size_t) (b->end - b->at) < n)
    return false;
  memcpy (to, b->at, n);
  b->at += n;
  return true;
}

bool
ovz_get_16 (OvzBytes *b, uint32_t *v)
{
  uint8_t bytes[2];

  if (!ovz_take (b, bytes, 2))
    return false;
  *v = bytes[0] | (uint32_t) bytes[1] << 8;
  return true;
}

static bool
get_64 (OvzBytes *b, int64_t *v)
{
  uint8_t bytes[8];

  if (!ovz_take (b, bytes, 8))
    return false;
  *v = (int64_t) bytes_get64 (bytes);
  return true;
}

bool
ovz_get_real (OvzBytes *b, double *v)
{
  int64_t bits;

  if (!get_64 (b, &bits))
    return false;
  memcpy (v, &bits, 8);
  return true;
}

bool
ovz_get_string (OvzBytes *b, const uint8_t **text, size_t *n)
{
  uint8_t length[4];

  if (!ovz_take (b, length, 4) || bytes_get32 (length) > (size_t) (b->end - b->at))
    return false;
  *text = b->at;
  *n = bytes_get32 (length);
  b->at += *n;
  return true;
}

static bool
get_int (OvzBytes *b, uint8_t type, int64_t *v)
{
  uint8_t bytes[4];

  switch (type) {
  case OVZ_IS_INT31:
    if (!ovz_take (b, bytes, 4))
      return false;
    *v = (int32_t) bytes_get32 (bytes);
    return true;
  case OVZ_IS_INT:
  case OVZ_IS_INT64:
    return get_64 (b, v);
  case OVZ_IS_BOOL:
    if (!ovz_take (b, bytes, 1))
      return false;
    *v = bytes[0] != 0;
    return true;
  default:
    return false;
  }
}

/* Four whole values: length of the array, elements, empty buckets, longest bucket. */
static bool
get_hash (OvzBytes *b, int64_t to[4])
{
  for (int i = 0; i < 4; i++) {
    uint8_t type;
    if (!ovz_take (b, &type, 1) || type == OVZ_IS_BOOL || !get_int (b, type, &to[i]))
      return false;
  }
  return true;
}

static bool
skip_log (OvzBytes *b)
{
  uint32_t n;
  const uint8_t *text;
  size_t length;
  double seconds;

  if (!ovz_get_16 (b, &n))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!ovz_get_real (b, &seconds) || !ovz_get_string (b, &text, &length))
      return false;
  return true;
}

bool
ovz_get_value (OvzBytes *b, OvzValue *v)
{
  *v = (OvzValue){ .type = 0 };
  if (!ovz_take (b, &v->type, 1))
    return false;
  v->bytes = b->at;
  v->n = (size_t) (b->end - b->at);
  switch (v->type) {
  case OVZ_IS_FLOAT:
    return ovz_get_real (b, &v->real) && b->at == b->end;
  case OVZ_IS_STRING:
    return ovz_get_string (b, &v->bytes, &v->n) && b->at == b->end;
  case OVZ_IS_COLLECTED:
  case OVZ_IS_KILLED:
    return b->at == b->end;
  case OVZ_IS_TREE:
    return value_tree_check (v->bytes, v->n);
  case OVZ_IS_HASH:
    return get_hash (b, v->i) && b->at == b->end;
  case OVZ_IS_LOG:
    return skip_log (b) && b->at == b->end;
  default:
    return get_int (b, v->type, &v->i[0]) && b->at == b->end;
  }
}
