/* SPDX-License-Identifier: Apache-2.0 */
/* value-parts.c - values behind events are read, and what was changed of them is noticed. */
#include <glib.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "readers/converted-private.h"
#include "readers/value-parts.h"

bool
value_parts_open (ValueParts *v, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "values", NULL);
  size_t n;

  v->fd = disk_open (path, folder, DISK_DATA, &v->bytes, NULL);
  v->sums = v->fd >= 0 ? converted_read_small (folder, "sums", &n) : NULL;
  uint64_t n_parts = v->bytes / VALUE_PART + (v->bytes % VALUE_PART > 0);
  if (!v->sums || n % 8 != 0 || n / 8 != n_parts)
    return false;
  v->sound = g_new0 (bool, n_parts + 1);
  v->room = g_malloc (VALUE_PART);
  return true;
}

static bool
is_sound (ValueParts *v, uint64_t part)
{
  size_t n = (size_t) MIN (v->bytes - part * VALUE_PART, VALUE_PART);

  if (G_UNLIKELY (!v->sound[part]))
    v->sound[part] = disk_pread (v->fd, v->room, n, part * VALUE_PART) == (ssize_t) n
                     && converted_sum (v->room, n) == bytes_get64 (v->sums + 8 + 8 * part);
  return v->sound[part];
}

ssize_t
value_parts_read (ValueParts *v, void *to, size_t n, uint64_t at)
{
  if (at >= v->bytes)
    return 0;
  n = (size_t) MIN (n, v->bytes - at);
  for (uint64_t part = at / VALUE_PART; part * VALUE_PART < at + n; part++)
    if (!is_sound (v, part))
      return -1;
  return disk_pread (v->fd, to, n, at);
}

bool
value_parts_are_sound (ValueParts *v)
{
  for (uint64_t part = 0; part * VALUE_PART < v->bytes; part++)
    if (!is_sound (v, part))
      return false;
  return true;
}

void
value_parts_close (ValueParts *v)
{
  if (v->fd >= 0)
    close (v->fd);
  g_free (v->sums);
  g_free (v->room);
  g_free (v->sound);
}
