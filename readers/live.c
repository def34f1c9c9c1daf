/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/live.h"
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "eve/disk.h"
#include "readers/reader.h"

#define MOST_BYTES 4096

/* Of the text of the file: where its last line begins if that is `ended`, else NULL. */
static const char *
ended_line (const char *text)
{
  const char *at = g_str_has_prefix (text, "ended") ? text : strstr (text, "\nended");

  if (at && *at == '\n')
    at++;
  return at && (at[5] == '\n' || !at[5]) ? at : NULL;
}

TraceWriter
trace_writer (const char *folder, char **who)
{
  g_autofree char *path = g_build_filename (folder, TRACE_LIVE_FILE, NULL);
  char text[MOST_BYTES + 1];
  int fd = disk_open (path, folder, MOST_BYTES, NULL, NULL);
  TraceWriter is = TRACE_WRITER_NONE;

  text[0] = 0;
  if (fd >= 0) {
    bool free = flock (fd, LOCK_SH | LOCK_NB) == 0; /* before the text is read: what it holds then is the last */
    ssize_t n = disk_pread (fd, text, MOST_BYTES, 0);
    text[MAX (n, 0)] = 0;
    close (fd);
    is = ended_line (text) ? TRACE_WRITER_ENDED : free ? TRACE_WRITER_GONE : TRACE_WRITER_WORKS;
  }
  if (who) {
    const char *ended = ended_line (text);
    g_autofree char *said = g_strndup (text, ended ? (gsize) (ended - text) : strlen (text));
    *who = g_utf8_make_valid (said, -1);
  }
  return is;
}

bool
trace_look (TraceSource *s)
{
  return trace_may_grow (s) && s->format->look && trace_look_with (s, s->format->look);
}
