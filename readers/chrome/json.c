/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - JSON as it comes. */
#include "readers/chrome/json.h"

#include <math.h>
#include <string.h>

#define FIRST_ROOM ((size_t) 1024 * 1024)

void
json_open (Json *j, Input *in)
{
  *j = (Json){ .in = in, .room = FIRST_ROOM, .buffer = g_malloc (FIRST_ROOM + 1) };
  j->buffer[0] = '\0';
}

void
json_close (Json *j)
{
  g_free (j->buffer);
  g_clear_error (&j->why);
}

bool
json_more (Json *j)
{
  if (j->ended || j->end - j->begin >= JSON_MOST)
    return false;
  if (j->begin > 0) {
    memmove (j->buffer, j->buffer + j->begin, j->end - j->begin);
    j->base += j->begin;
    j->end -= j->begin;
    j->begin = 0;
  }
  if (j->end > j->room / 2) {
    j->room *= 2;
    j->buffer = g_realloc (j->buffer, j->room + 1);
  }
  size_t before = j->end, wanted = j->room / 2; /* a large piece at once, as what is there is looked at again */
  while (j->end < wanted || j->end == before) {
    size_t got = input_read (j->in, j->buffer + j->end, j->room - j->end, &j->why);
    j->end += got;
    if (got == 0) {
      j->ended = true;
      break;
    }
  }
  j->buffer[j->end] = '\0';
  return j->end > before;
}

char
json_peek (Json *j)
{
  for (;;) {
    const char *p = json_blanks (j->buffer + j->begin);
    j->begin = (size_t) (p - j->buffer);
    if (j->begin < j->end)
      return *p;
    if (!json_more (j))
      return '\0';
  }
}

bool
json_skip (Json *j, bool lines)
{
  uint64_t depth = 0;
  bool inside = false, escape = false, word = false;

  json_peek (j);
  for (;; j->begin++) {
    if (j->begin == j->end && !json_more (j))
      return word && depth == 0 && !j->why;
    char c = j->buffer[j->begin];
    if (inside) {
      if (escape)
        escape = false;
      else if (c == '\\')
        escape = true;
      else if (c == '"' || (lines && c == '\n'))
        inside = false;
      else
        continue;
      if (inside || depth > 0)
        continue;
      j->begin++;
      return true;
    }
    if (word && (strchr (" \t\r\n,:]}", c)))
      return true;
    if (c == '"')
      inside = true;
    else if (c == '{' || c == '[')
      depth++;
    else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
      j->begin++;
      return true;
    } else if (depth == 0)
      word = true;
  }
}

char *
json_word (Json *j)
{
  JsonValue v;
  const char *bad, *behind;

  if (json_peek (j) != '"')
    return NULL;
  while (!(behind = json_value (j->buffer + j->begin, j->buffer + j->end, &v, &bad)))
    if (bad != j->buffer + j->end || !json_more (j))
      return NULL;
  char *word = g_malloc (v.n + 1);
  word[json_unescape (&v, word)] = '\0';
  j->begin = (size_t) (behind - j->buffer);
  return word;
}

/* Behind the string whose first byte is at p; NULL as for json_value(). */
static inline const char *
string_end (const char *p, const char *end, bool *escaped, const char **bad)
{
  for (;; p++) {
    if (*p == '"')
      return p;
    if (*p == '\\') {
      *escaped = true;
      if (++p >= end)
        break;
    } else if ((unsigned char) *p < 0x20 && *p != '\t') {
      *bad = p;
      return NULL;
    }
  }
  *bad = end;
  return NULL;
}

/* Behind all that is inside of the bracket at p. */
static const char *
inside_end (const char *p, const char *end, const char **bad)
{
  size_t depth = 0;
  bool escaped;

  for (;; p++)
    switch (*p) {
    case '"':
      p = string_end (p + 1, end, &escaped, bad);
      if (!p)
        return NULL;
      break;
    case '{':
    case '[':
      depth++;
      break;
    case '}':
    case ']':
      if (--depth == 0)
        return p + 1;
      break;
    case '\0':
      *bad = p;
      return NULL;
    default:
      break;
    }
}

static inline bool
is_of_word (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '+' || c == '.' || c == '_';
}

const char *
json_value (const char *p, const char *end, JsonValue *v, const char **bad)
{
  const char *begin = p;

  v->escaped = false;
  if (*p == '"') {
    p = string_end (p + 1, end, &v->escaped, bad);
    if (!p)
      return NULL;
    *v = (JsonValue){ begin + 1, (size_t) (p - begin) - 1, '"', v->escaped };
    return p + 1;
  }
  if (*p == '{' || *p == '[') {
    p = inside_end (p, end, bad);
    if (p)
      *v = (JsonValue){ begin, (size_t) (p - begin), *begin, false };
    return p;
  }
  while (is_of_word (*p))
    p++;
  if (p == begin || p == end) {
    *bad = p;
    return NULL;
  }
  *v = (JsonValue){ begin, (size_t) (p - begin), 'w', false };
  if (g_ascii_isdigit (begin[0]) || (begin[0] == '-' && g_ascii_isdigit (begin[1])))
    v->type = '0';
  return p;
}

static int
hex4 (const char *p, const char *end)
{
  int n = 0;

  for (int i = 0; i < 4; i++) {
    if (p + i >= end || !g_ascii_isxdigit (p[i]))
      return -1;
    n = n << 4 | g_ascii_xdigit_value (p[i]);
  }
  return n;
}

/* The character of \uXXXX at *p, which goes behind it; two of them may be one. */
static gunichar
unescape_unicode (const char **p, const char *end)
{
  int c = hex4 (*p, end);

  if (c < 0)
    return 0xfffd;
  *p += 4;
  if (c >= 0xd800 && c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
    int low = hex4 (*p + 2, end);
    if (low >= 0xdc00 && low < 0xe000) {
      *p += 6;
      return (gunichar) (0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
    }
  }
  return c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : (gunichar) c;
}

size_t
json_unescape (const JsonValue *v, char *to)
{
  const char *p = v->at, *end = v->at + v->n;
  size_t n = 0;

  if (!v->escaped) {
    memcpy (to, v->at, v->n);
    return v->n;
  }
  while (p < end) {
    if (*p != '\\' || p + 1 == end) {
      to[n++] = *p++;
      continue;
    }
    char c = p[1];
    p += 2;
    switch (c) {
    case 'n':
      to[n++] = '\n';
      break;
    case 't':
      to[n++] = '\t';
      break;
    case 'r':
      to[n++] = '\r';
      break;
    case 'b':
    case 'f':
      to[n++] = ' ';
      break;
    case 'u': /* at most 4 bytes for 6 */
      n += (size_t) g_unichar_to_utf8 (unescape_unicode (&p, end), to + n);
      break;
    default:
      to[n++] = c;
    }
  }
  return n;
}

void
json_plain (JsonValue *v, GStringChunk *keep)
{
  if (!v->escaped)
    return;
  g_autofree char *to = g_malloc (v->n);
  size_t n = json_unescape (v, to);
  *v = (JsonValue){ g_string_chunk_insert_len (keep, to, (gssize) n), n, v->type, false };
}

#define MOST_NUMBER (INT64_C (1) << 61)

bool
json_decimal (const char *at, size_t n, int64_t scale, int64_t *number)
{
  const char *p = at, *end = at + n;
  bool negative = p < end && *p == '-';
  int64_t whole = 0, part = 0, left = scale;

  p += negative;
  const char *digits = p;
  while (p < end && g_ascii_isdigit (*p) && whole < MOST_NUMBER / 10)
    whole = whole * 10 + (*p++ - '0');
  if (p < end && *p == '.' && p > digits) {
    for (p++; p < end && g_ascii_isdigit (*p) && left >= 10; left /= 10)
      part = part * 10 + (*p++ - '0');
    part *= left;
    if (p < end && g_ascii_isdigit (*p)) {
      part += *p >= '5';
      while (p < end && g_ascii_isdigit (*p))
        p++;
    }
  }
  if (p == end && p > digits && whole < MOST_NUMBER / scale) {
    *number = whole * scale + part;
    *number = negative ? -*number : *number;
    return true;
  }
  /* an exponent, or too large */
  char text[64], *rest;
  if (n == 0 || n >= sizeof text)
    return false;
  memcpy (text, at, n);
  text[n] = '\0';
  double x = g_ascii_strtod (text, &rest) * (double) scale;
  if (rest == text || *rest != '\0' || !(fabs (x) < (double) MOST_NUMBER))
    return false;
  *number = llround (x);
  return true;
}
