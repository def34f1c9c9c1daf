/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - JSON as it comes, piece after piece and in bounded memory; what is nearly JSON is read too: README.md.
 *
 * A record is looked at where it lies in the buffer, so nothing is copied and no tree is built. */
#pragma once
#include "readers/converted.h"

#define JSON_MOST (16 * 1024 * 1024) /* of one record, bytes */

typedef struct Json {
  Input *in;
  char *buffer; /* buffer[begin..end) is not read yet; buffer[end] is 0 */
  size_t room, begin, end;
  uint64_t base; /* where buffer[0] lies in the file, unpacked */
  bool ended;
  GError *why; /* it could not be read on */
} Json;

/* What stands behind a key.  The bytes lie in the buffer: good until it is read on. */
typedef struct JsonValue {
  const char *at; /* of a string: behind its quote */
  size_t n;
  char type;    /* '"' a string, '0' a number, 'w' a bare word, '{' or '[' with all that is inside; 0: none */
  bool escaped; /* the string has backslashes */
} JsonValue;

void json_open (Json *j, Input *in);
void json_close (Json *j);
/* Reads on; what is not read yet is kept, and moves.  False: the end, or the record is larger than JSON_MOST. */
bool json_more (Json *j);
/* The next byte that is no blank, which stays the next one; 0: the end. */
char json_peek (Json *j);
/* Goes behind the value that begins here, however large it is.  `lines`: in a damaged record, where a string does not
 * go beyond its line.  False: the file ends inside of it. */
bool json_skip (Json *j, bool lines);
/* The string that begins here, and goes behind it; g_free.  NULL: none does. */
char *json_word (Json *j);
static inline uint64_t
json_offset (const Json *j)
{
  return j->base + j->begin;
}

/* The value at p, which must be no blank; gives what is behind it.  NULL: it is none, at *bad; that is `end` if more
 * must be read to know. */
const char *json_value (const char *p, const char *end, JsonValue *v, const char **bad);
static inline const char *
json_blanks (const char *p)
{
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
    p++;
  return p;
}
/* Without escapes: `to` has room for v->n bytes; gives how many it is. */
size_t json_unescape (const JsonValue *v, char *to);
/* The same, kept in `keep`, in the place of what it was. */
void json_plain (JsonValue *v, GStringChunk *keep);
/* A decimal number in units of 1/scale, to the nearest.  False: none, or beyond +-2^61. */
bool json_decimal (const char *at, size_t n, int64_t scale, int64_t *number);
