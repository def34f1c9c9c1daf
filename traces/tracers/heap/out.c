/* SPDX-License-Identifier: Apache-2.0 */
/* out.c - sections of a file, written front to back without malloc or stdio. */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "inside.h"

#define SLACK 4096 /* bytes that may be put after a look at how full it is */

/* In front of what out_pages() gives. */
typedef struct Pages {
  struct Pages *before;
  size_t bytes;
  char room[48]; /* what is behind it begins a line of the cache */
} Pages;
_Static_assert(sizeof (Pages) == 64, "a line of the cache");
static Pages *pages; /* the last of those that out_pages_free() gives back */

void *
out_pages (size_t bytes)
{
  Pages *p = mmap (NULL, bytes + sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    return NULL;
  *p = (Pages){ .before = pages, .bytes = bytes + sizeof *p };
  pages = p;
  return p + 1;
}

void
out_pages_keep (void)
{
  pages = NULL;
}

void
out_pages_free (void)
{
  while (pages) {
    Pages *p = pages;
    pages = p->before;
    munmap (p, p->bytes);
  }
}

void
out_alive (Out *o)
{
  if (o->beat)
    ++*o->beat;
  if (o->patience > 0)
    alarm (o->patience); /* also where nobody is left who watches */
}

int
out_bytes (int fd, const void *bytes, size_t n)
{
  for (const char *at = bytes; n > 0;) {
    ssize_t put = write (fd, at, n);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return put < 0 ? errno : ENOSPC;
    at += put;
    n -= (size_t) put;
  }
  return 0;
}

static void
out_write_all (Out *o, const void *bytes, size_t n)
{
  if (o->failed)
    return;
  o->why = out_bytes (o->fd, bytes, n);
  o->failed = o->why != 0;
  out_alive (o);
}

bool
out_begin (Out *o, int fd, volatile uint64_t *beat, unsigned patience)
{
  *o = (Out){ .fd = fd, .bytes = out_pages (OUT_BYTES + SLACK), .beat = beat, .patience = patience };
  if (!o->bytes) {
    o->why = ENOMEM;
    return false;
  }
  out_alive (o);
  out_write_all (o, HEAP_MAGIC, HEAP_MAGIC_BYTES);
  return !o->failed;
}

void
out_section (Out *o, uint32_t kind, uint32_t flags, uint64_t first, uint32_t count)
{
  HeapSection head = {
    .kind = kind, .flags = flags, .bytes = o->n, .first = first, .count = count, .check = heap_check (o->bytes, o->n)
  };

  out_write_all (o, &head, sizeof head);
  out_write_all (o, o->bytes, o->n);
  o->n = 0;
}

static void
out_put_text (Out *o, const char *text)
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
      out_put_text (o, va_arg (args, const char *));
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
