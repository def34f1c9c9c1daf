/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c - to be preloaded: makes the n-th call of a kind fail, as where memory is short, a disk full or a file gone.
 *
 * SCOPE_FAULT: "alloc", "write", "open", "read" or "room", where the disk says that nothing is left of it.
 * SCOPE_FAULT_N: which call fails, from 1 on; 0: none. SCOPE_FAULT_FILE: a file of 8 bytes, in which the calls of all
 * processes are counted together. */
#undef _FILE_OFFSET_BITS /* which would give both names of a call to one */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHOWN __attribute__ ((visibility ("default")))

/* Of the C library: asking for them by name would allocate. */
extern void *__libc_malloc (size_t n);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *at, size_t n);

typedef enum { NONE, ALLOC, WRITE, OPEN, READ, ROOM } Kind;
static Kind kind;
static uint64_t nth;
static _Atomic uint64_t *count;

static __attribute__ ((constructor)) void
begin (void)
{
  static const char *const names[] = { "", "alloc", "write", "open", "read", "room" };
  const char *what = getenv ("SCOPE_FAULT"), *n = getenv ("SCOPE_FAULT_N"), *file = getenv ("SCOPE_FAULT_FILE");
  int fd = what && n && file ? (int) syscall (SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC) : -1;
  void *at = fd >= 0 ? mmap (NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

  if (fd >= 0)
    close (fd);
  if (at == MAP_FAILED)
    return;
  count = at;
  nth = strtoull (n, NULL, 10);
  for (int i = 1; i < 6; i++)
    if (strcmp (what, names[i]) == 0)
      kind = (Kind) i;
}

static bool
fails (Kind which, int why)
{
  if (kind != which || atomic_fetch_add (count, 1) + 1 != nth)
    return false;
  errno = why;
  return true;
}

#define REAL(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

SHOWN void *
malloc (size_t n)
{
  return fails (ALLOC, ENOMEM) ? NULL : __libc_malloc (n);
}

SHOWN void *
calloc (size_t n, size_t size)
{
  return fails (ALLOC, ENOMEM) ? NULL : __libc_calloc (n, size);
}

SHOWN void *
realloc (void *at, size_t n)
{
  return fails (ALLOC, ENOMEM) ? NULL : __libc_realloc (at, n);
}

SHOWN ssize_t
write (int fd, const void *from, size_t n)
{
  return fd > 2 && fails (WRITE, ENOSPC) ? -1 : REAL (write) (fd, from, n);
}

SHOWN ssize_t
pwrite64 (int fd, const void *from, size_t n, off64_t at)
{
  return fails (WRITE, ENOSPC) ? -1 : REAL (pwrite64) (fd, from, n, at);
}

SHOWN int
fstatvfs64 (int fd, struct statvfs64 *to)
{
  int got = REAL (fstatvfs64) (fd, to);

  if (fails (ROOM, 0))
    to->f_bavail = 0;
  return got;
}

SHOWN size_t
fwrite (const void *from, size_t size, size_t n, FILE *file)
{
  return file != stdout && file != stderr && fails (WRITE, ENOSPC) ? 0 : REAL (fwrite) (from, size, n, file);
}

SHOWN int
ftruncate64 (int fd, off64_t n)
{
  return fails (WRITE, ENOSPC) ? -1 : REAL (ftruncate64) (fd, n);
}

SHOWN int
rename (const char *from, const char *to)
{
  return fails (WRITE, EACCES) ? -1 : REAL (rename) (from, to);
}

SHOWN int
open64 (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (args, mode_t) : 0;
  va_end (args);
  return fails (OPEN, EACCES) ? -1 : REAL (open64) (path, flags, mode);
}

SHOWN int
open (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (args, mode_t) : 0;
  va_end (args);
  return fails (OPEN, EACCES) ? -1 : REAL (open) (path, flags, mode);
}

SHOWN int
openat64 (int at, const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg (args, mode_t) : 0;
  va_end (args);
  return fails (OPEN, EACCES) ? -1 : REAL (openat64) (at, path, flags, mode);
}

SHOWN FILE *
fopen64 (const char *path, const char *mode)
{
  return fails (OPEN, EACCES) ? NULL : REAL (fopen64) (path, mode);
}

SHOWN ssize_t
read (int fd, void *to, size_t n)
{
  return fails (READ, EIO) ? -1 : REAL (read) (fd, to, n);
}

SHOWN ssize_t
pread64 (int fd, void *to, size_t n, off64_t at)
{
  return fails (READ, EIO) ? -1 : REAL (pread64) (fd, to, n, at);
}
