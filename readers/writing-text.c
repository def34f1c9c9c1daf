/* SPDX-License-Identifier: Apache-2.0 */
/* writing-text.c - the file of a format that is written as text: it is there when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/writing.h"

#define GATHERED (256 * 1024) /* bytes, before they are written */

bool
trace_write_may (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  bool there = g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK);

  if (there)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("%s is there already; give another name, or take it away first"), path);
  else if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: there is no folder %s"), path, folder);
  else
    return true;
  return false;
}

bool
trace_text_open (TraceText *t, const char *path, GError **error)
{
  *t = (TraceText){ .path = g_strdup (path), .making = g_strconcat (path, ".making-XXXXXX", NULL), .fd = -1 };
  t->text = g_string_sized_new (GATHERED + 4096);
  if (!trace_write_may (path, error))
    return false;
  t->fd = g_mkstemp_full (t->making, O_RDWR, 0666); /* a name that nobody has */
  if (t->fd < 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
  return t->fd >= 0;
}

bool
trace_text_flush (TraceText *t, bool all, GError **error)
{
  if (t->text->len < (all ? 1 : GATHERED))
    return true;
  if (!disk_write (t->fd, t->text->str, t->text->len)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), t->path, g_strerror (errno));
    return false;
  }
  g_string_truncate (t->text, 0);
  return true;
}

bool
trace_text_close (TraceText *t, bool ok, GError **error)
{
  ok = ok && trace_text_flush (t, true, error);
  if (t->fd >= 0)
    close (t->fd);
  /* a link instead of another name: what has come there meanwhile stays */
  if (ok && link (t->making, t->path) != 0) {
    ok = errno != EEXIST && g_rename (t->making, t->path) == 0; /* on disks without links */
    if (!ok)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), t->path,
                   errno == EEXIST ? _ ("somebody else has made it meanwhile") : g_strerror (errno));
  }
  if (t->fd >= 0)
    g_unlink (t->making);
  g_string_free (t->text, TRUE);
  g_free (t->path);
  g_free (t->making);
  return ok;
}

static void
put_parts (GString *to, int64_t value, uint64_t unit, int digits)
{
  char buf[24];
  int at = sizeof buf;
  uint64_t n = value < 0 ? -(uint64_t) value : (uint64_t) value, part = n % unit, whole = n / unit;

  for (int i = 0; i < digits; i++, part /= 10)
    buf[--at] = (char) ('0' + part % 10);
  buf[--at] = '.';
  do
    buf[--at] = (char) ('0' + whole % 10);
  while ((whole /= 10) > 0);
  if (value < 0)
    buf[--at] = '-';
  g_string_append_len (to, buf + at, (gssize) sizeof buf - at);
}

void
trace_text_seconds (GString *to, int64_t ns)
{
  put_parts (to, ns, 1000000000, 9);
}

void
trace_text_microseconds (GString *to, int64_t ns)
{
  put_parts (to, ns, 1000, 3);
}
