/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.c - bytes of a file from its beginning, numbers with the most significant byte first, and values behind events.
 */
#include <math.h>
#include <string.h>

#include "readers/mpe.h"

#define ROOM (4 * MPE_MOST_TAKEN)

bool
mpe_bytes_open (MpeBytes *b, const char *path, GError **error)
{
  *b = (MpeBytes){ .in = input_open (path, error) };
  if (!b->in)
    return false;
  b->buffer = g_malloc (ROOM);
  return true;
}

void
mpe_bytes_close (MpeBytes *b)
{
  if (b->in)
    input_close (b->in);
  g_free (b->buffer);
  g_clear_error (&b->why);
}

const uint8_t *
mpe_look (MpeBytes *b, size_t n)
{
  if (G_LIKELY (b->end - b->begin >= n))
    return b->buffer + b->begin;
  memmove (b->buffer, b->buffer + b->begin, b->end - b->begin);
  b->base += b->begin;
  b->end -= b->begin;
  b->begin = 0;
  while (b->end < n && !b->why) {
    size_t got = input_read (b->in, b->buffer + b->end, ROOM - b->end, &b->why);
    if (got == 0)
      return NULL;
    b->end += got;
  }
  return b->end >= n ? b->buffer : NULL;
}

const uint8_t *
mpe_take (MpeBytes *b, size_t n)
{
  const uint8_t *at = mpe_look (b, n);

  if (at)
    b->begin += n;
  return at;
}

bool
mpe_go (MpeBytes *b, uint64_t at)
{
  while (at > mpe_at (b)) {
    if (b->begin == b->end && !mpe_look (b, 1))
      return false;
    b->begin += (size_t) MIN (at - mpe_at (b), (uint64_t) (b->end - b->begin));
  }
  return at == mpe_at (b);
}

int16_t
mpe_16 (const uint8_t *at)
{
  return (int16_t) (at[0] << 8 | at[1]);
}

int32_t
mpe_32 (const uint8_t *at)
{
  return (int32_t) ((uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3]);
}

int64_t
mpe_64 (const uint8_t *at)
{
  return (int64_t) ((uint64_t) (uint32_t) mpe_32 (at) << 32 | (uint32_t) mpe_32 (at + 4));
}

double
mpe_double (const uint8_t *at)
{
  int64_t bits = mpe_64 (at);
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

bool
mpe_date (double seconds, int64_t *date)
{
  if (!(fabs (seconds) < 4e9))
    return false;
  *date = llround (seconds * 1e9);
  return true;
}

char *
mpe_words (const uint8_t *at, size_t n)
{
  return g_utf8_make_valid ((const char *) at, (gssize) strnlen ((const char *) at, n));
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

void
mpe_form_add (MpeForm *f, const char *text, char type)
{
  const char *end = text + strlen (text);

  if (f->n == MPE_MOST_VALUES)
    return;
  while (text < end && !g_ascii_isalnum (*text))
    text++;
  while (end > text && !g_ascii_isalnum (end[-1]))
    end--;
  g_autofree char *own = g_strndup (text, (gsize) (end - text));
  g_autofree char *name = *own ? g_steal_pointer (&own) : g_strdup_printf ("value%u", f->n + 1);
  f->names[f->n] = converted_field_name (name, strlen (name));
  f->types[f->n++] = type;
}

/* "send=%d, recv=%d.": a value has the name that is before it. */
void
mpe_form_parse (MpeForm *f, const char *form)
{
  *f = (MpeForm){ 0 };
  for (const char *at = form ? form : "", *sign; (sign = strchr (at, '%'));) {
    g_autofree char *text = g_strndup (at, (gsize) (sign - at));
    at = sign + 1 + strspn (sign + 1, "0123456789.-+ #");
    if (*at == '\0')
      return;
    if (*at != '%')
      mpe_form_add (f, text, *at);
    at++;
  }
}

void
mpe_form_clear (MpeForm *f)
{
  for (uint32_t i = 0; i < f->n; i++)
    g_free (f->names[i]);
  f->n = 0;
}

uint32_t
mpe_form_fields (const MpeForm *f, TraceField *to)
{
  for (uint32_t i = 0; i < f->n; i++)
    to[i] = (TraceField){ f->names[i],
                          f->types[i] == 's' || f->types[i] == 'X' || f->types[i] == 'x' ? TRACE_ROLE_WORD
                                                                                         : TRACE_ROLE_INT,
                          NULL };
  return f->n;
}

/* How many bytes a value is, its length before it counted; 0: it is not all there, or of no type that is known. */
static size_t
value_bytes (char type, const uint8_t *at, size_t n)
{
  size_t bytes = 0;

  switch (type) {
  case 's':
  case 'x': /* bytes, shown in hexadecimal */
    bytes = n >= 2 && mpe_16 (at) >= 0 ? 2 + (size_t) mpe_16 (at) : 0;
    break;
  case 'h':
    bytes = 2;
    break;
  case 'd':
  case 'f':
    bytes = 4;
    break;
  case 'l':
  case 'X':
  case 'e':
  case 'E':
    bytes = 8;
    break;
  default:
    break;
  }
  return bytes <= n ? bytes : 0;
}

static void
mpe_bytes_give_value (char type, const uint8_t *at, size_t n, Converter *to)
{
  GString *text;
  float x;
  int32_t bits;

  switch (type) {
  case 's':
    converter_text (to, (const char *) at + 2, n - 2);
    break;
  case 'x':
  case 'X':
    text = g_string_new ("0x");
    for (size_t i = type == 'x' ? 2 : 0; i < n; i++)
      g_string_append_printf (text, "%02x", at[i]);
    converter_text (to, text->str, text->len);
    g_string_free (text, TRUE);
    break;
  case 'h':
    converter_int (to, mpe_16 (at));
    break;
  case 'd':
    converter_int (to, mpe_32 (at));
    break;
  case 'l':
    converter_int (to, mpe_64 (at));
    break;
  case 'f':
    bits = mpe_32 (at);
    memcpy (&x, &bits, sizeof x);
    converter_real (to, (double) x);
    break;
  default:
    converter_real (to, mpe_double (at));
  }
}

void
mpe_form_give (const MpeForm *f, const uint8_t *at, size_t n, Converter *to)
{
  for (uint32_t i = 0; i < f->n; i++) {
    size_t bytes = value_bytes (f->types[i], at, n);
    if (bytes > 0)
      mpe_bytes_give_value (f->types[i], at, bytes, to);
    else
      converter_none (to);
    at += bytes;
    n = bytes > 0 ? n - bytes : 0;
  }
}

bool
mpe_form_whole (const MpeForm *f, const uint8_t *at, size_t n, uint32_t i, int64_t *value)
{
  for (uint32_t k = 0; k < f->n; k++) {
    size_t bytes = value_bytes (f->types[k], at, n);
    if (bytes == 0)
      return false;
    if (k == i) {
      *value = bytes == 2 ? mpe_16 (at) : bytes == 4 ? mpe_32 (at) : mpe_64 (at);
      return strchr ("hdl", f->types[k]) != NULL;
    }
    at += bytes;
    n -= bytes;
  }
  return false;
}
