/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c - counts the allocations of each thread by standing before the C library's own functions.  A
 * counter a thread, because a reader may work ahead on another one. */
#include <stdlib.h>
#include <stddef.h>
#include "tests/harness/harness.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

uint64_t
harness_allocations (void)
{
  return 0;
}

bool
harness_allocations_counted (void)
{
  return false;
}

#else

extern void *__libc_malloc (size_t n);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *p, size_t n);

static __thread uint64_t allocations;

EVE_EXPORT void *
malloc (size_t n)
{
  allocations++;
  return __libc_malloc (n);
}

EVE_EXPORT void *
calloc (size_t n, size_t size)
{
  allocations++;
  return __libc_calloc (n, size);
}

EVE_EXPORT void *
realloc (void *p, size_t n)
{
  allocations++;
  return __libc_realloc (p, n);
}

uint64_t
harness_allocations (void)
{
  return allocations;
}

bool
harness_allocations_counted (void)
{
  uint64_t before = allocations;
  void *volatile p = malloc (1); /* valgrind puts its own functions before these */

  free (p);
  return allocations != before;
}

#endif
