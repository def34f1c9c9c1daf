/* SPDX-License-Identifier: Apache-2.0 */
/* out.c - sections of a file, written front to back without malloc or stdio. */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "inside.h"

#define SLACK 4096 /* bytes that may be put after a look at how full it is */

void *
out_pages (size_t bytes)
{
  void *at = mmap (NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0);

  return at == MAP_FAILED ? NULL : at;
}

static void
write_all (Out *o, const void *bytes, size_t n)
{
  for (const char *at = bytes; n > 0 && !o->failed;) {
    ssize_t put = write (o->fd, at, n);
    if (put < 0 && errno == EINTR)
      continue;
    o->failed = put <= 0;
    if (put > 0) {
      at += put;
      n -= (size_t) put;
      o->written += (uint64_t) put;
    }
  }
}

bool
out_begin (Out *o, int fd)
{
  *o = (Out){ .fd = fd, .bytes = out_pages (OUT_BYTES + SLACK) };
  if (!o->bytes)
    return false;
  write_all (o, HEAP_MAGIC, HEAP_MAGIC_BYTES);
  return !o->failed;
}

void
out_section (Out *o, uint32_t kind, uint32_t flags, uint64_t first, uint32_t count)
{
  HeapSection head = {
    .kind = kind, .flags = flags, .bytes = o->n, .first = first, .count = count, .check = heap_check (o->bytes, o->n)
  };

  write_all (o, &head, sizeof head);
  write_all (o, o->bytes, o->n);
  o->n = 0;
}

static void
put_text (Out *o, const char *text)
{
  /* a name of the program may be long; a line ends where a line ends */
  for (unsigned n = 0; *text && n < 1024; text++, n++)
    out_byte (o, (uint8_t) (*text == '\n' ? ' ' : *text));
}

static void
put_digits (Out *o, unsigned long v, unsigned base)
{
  char digits[24];
  unsigned n = 0;

  do
    digits[n++] = "0123456789abcdef"[v % base];
  while ((v /= base) > 0);
  while (n > 0)
    out_byte (o, (uint8_t) digits[--n]);
}

void
out_format (Out *o, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  for (; *fmt; fmt++) {
    if (*fmt != '%') {
      out_byte (o, (uint8_t) *fmt);
      continue;
    }
    switch (*++fmt) {
    case 's':
      put_text (o, va_arg (args, const char *));
      break;
    case 'u':
      put_digits (o, va_arg (args, unsigned), 10);
      break;
    default: /* lu, lx */
      fmt++;
      put_digits (o, va_arg (args, unsigned long), *fmt == 'x' ? 16 : 10);
    }
  }
  va_end (args);
}
