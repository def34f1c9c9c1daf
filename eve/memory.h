/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - a bound on what a process allocates from here on. */
#pragma once
#include <glib.h>
#include <string.h>
#include <sys/resource.h>

/* Bytes that the process has allocated; 0: that is not known.  Sanitizers have reserved terabytes by themselves, which
 * count. */
static inline guint64
memory_allocated (void)
{
  g_autofree char *text = NULL;
  const char *at = g_file_get_contents ("/proc/self/status", &text, NULL, NULL) ? strstr (text, "VmData:") : NULL;

  return at ? g_ascii_strtoull (at + strlen ("VmData:"), NULL, 10) * 1024 : 0;
}

/* At most `bytes` more than it has; not more than it may have already.  What the bound was before is put back by
 * setrlimit (RLIMIT_DATA, ...). */
static inline void
memory_bound (guint64 bytes, struct rlimit *was)
{
  guint64 now = memory_allocated ();

  if (getrlimit (RLIMIT_DATA, was) != 0 || now == 0 || was->rlim_cur < now + bytes)
    return;
  setrlimit (RLIMIT_DATA, &(struct rlimit){ now + bytes, was->rlim_max });
}
