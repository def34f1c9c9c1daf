/* SPDX-License-Identifier: Apache-2.0 */
/* import.c - a data folder out of raw files: files of events one behind the other (the reader sorts), `kinds`
 * and `sites` as they are. */
#include "readers/tapepvm/scan.h"
#include "eve/disk.h"
#include <fcntl.h>
#include <glib/gstdio.h>

/* Appends a file.  A last line without line feed, when more follows, gets one, and a word that makes it a
 * damaged line: it may have lost a part of itself. */
static bool
import_append (int to, const char *path, bool more, GError **error)
{
  static const char cut_off[] = " <cut off>\n";
  char buffer[64 << 10];
  int fd = disk_open (path, NULL, DISK_DATA, NULL, error);
  ssize_t n = 0;
  uint64_t at = 0;
  char last = '\n';
  if (fd < 0)
    return false;
  while ((n = disk_pread (fd, buffer, sizeof buffer, at)) > 0) {
    if (!disk_write (to, buffer, (size_t) n)) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be copied: %s", path, g_strerror (errno));
      close (fd);
      return false;
    }
    at += (uint64_t) n;
    last = buffer[n - 1];
  }
  if (n < 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be read: %s", path, g_strerror (errno));
  close (fd);
  return n == 0 && (last == '\n' || !more || disk_write (to, cut_off, sizeof cut_off - 1));
}

bool
tp_import (const char *folder, const char *const *files, GError **error)
{
  static const char *const names[] = { "events", "kinds", "sites" };
  bool fine = true;
  if (g_mkdir_with_parents (folder, 0777) < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be made: %s", folder, g_strerror (errno));
    return false;
  }
  for (unsigned k = 0; k < G_N_ELEMENTS (names) && fine; k++) {
    g_autofree char *path = g_build_filename (folder, names[k], NULL);
    int fd = -1;
    for (unsigned i = 0; files[i] && fine; i++) {
      g_autofree char *base = g_path_get_basename (files[i]);
      bool mine = k ? g_str_equal (base, names[k]) : !g_str_equal (base, "kinds") && !g_str_equal (base, "sites");
      if (!mine)
        continue;
      if (fd < 0)
        fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0)
        g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be made: %s", path, g_strerror (errno));
      fine = fd >= 0 && import_append (fd, files[i], files[i + 1] != NULL, error);
    }
    if (fd >= 0 && close (fd) < 0 && fine) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
      fine = false;
    }
  }
  if (!fine)
    return false;
  g_autofree char *bundle = g_path_get_dirname (folder);
  TraceSource *s = tp_open (bundle, folder, NULL, error);
  if (!s)
    return false;
  fine = s->n_records > 0;
  if (!fine)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "there is no line among them that a TAPE/PVM event could be");
  trace_close (s);
  return fine;
}
