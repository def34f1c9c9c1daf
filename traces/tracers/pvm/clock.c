/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the local clock and the name of what it is shared by. */
#include "clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t skew_offset;
static double skew_drift;
static bool skewed;

static int64_t
monotonic (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t
tape_now (void)
{
  int64_t t = monotonic ();

  if (__builtin_expect (skewed, 0))
    t += skew_offset + (int64_t) ((double) t * skew_drift);
  return t;
}

void
tape_clock_init (void)
{
  const char *p = getenv (TAPE_ENV_SKEW);
  char host[256] = "";

  skewed = false;
  gethostname (host, sizeof host - 1);
  for (; p && *p; p = strchr (p, ',') ? strchr (p, ',') + 1 : NULL) {
    char name[256];
    long long offset, drift;

    if (sscanf (p, "%255[^:,]:%lld:%lld", name, &offset, &drift) == 3 && strcmp (name, host) == 0) {
      skewed = true;
      skew_offset = offset;
      skew_drift = (double) drift * 1e-6;
    }
  }
}

void
tape_clock_domain (char *out, size_t size)
{
  char boot[64] = "?", space[32] = "?", host[256] = "";
  int fd = open ("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t n;

  if (fd >= 0) {
    if ((n = read (fd, boot, sizeof boot - 1)) > 0)
      boot[n - (boot[n - 1] == '\n')] = '\0';
    close (fd);
  } else {
    gethostname (boot, sizeof boot - 1);
  }
  /* Since Linux 5.6 processes of one machine may live in time namespaces, each with its own offset. */
  if ((n = readlink ("/proc/self/ns/time", space, sizeof space - 1)) > 0)
    space[n] = '\0';
  if (skewed)
    gethostname (host, sizeof host - 1);
  snprintf (out, size, "%.40s/%.24s/%.24s", boot, space, host);
}
