/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c - a component must leave the file descriptors of others alone, and close its own. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/conformance/private.h"

#define MOST 1024 /* looked at */

static bool
descriptors_is_open (int fd)
{
  return fcntl (fd, F_GETFD) >= 0;
}

uint32_t
check_open_descriptors (void)
{
  uint32_t n = 0;

  for (int fd = 0; fd < MOST; fd++)
    n += descriptors_is_open (fd);
  return n;
}

/* Whether it is still what open() gave: a closed one may be in use again. */
static bool
is_null_device (int fd)
{
  struct stat null, st;

  return stat ("/dev/null", &null) == 0 && fstat (fd, &st) == 0 && S_ISCHR (st.st_mode) && st.st_rdev == null.st_rdev;
}

void
check_descriptors (Check *k)
{
  if (k->sentinel >= 0 && !is_null_device (k->sentinel))
    check_problem (k, "It closed a file descriptor that is not its own.");
  else if (k->sentinel >= 0)
    close (k->sentinel);
  k->sentinel = open ("/dev/null", O_RDONLY | O_CLOEXEC);
}
