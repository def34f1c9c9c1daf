/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/live.h"
#include "eve/words.h"
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

static int
readers_live_open_control (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, TRACE_CONTROL_FILE, NULL);

  return disk_open_pipe (path);
}

bool
trace_writer_takes_orders (const char *folder)
{
  int fd = trace_writer (folder, NULL) == TRACE_WRITER_WORKS ? readers_live_open_control (folder) : -1;

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

bool
trace_writer_tell (const char *folder, const char *line, GError **error)
{
  bool works = trace_writer (folder, NULL) == TRACE_WRITER_WORKS;
  int fd = works ? readers_live_open_control (folder) : -1;
  g_autofree char *whole = g_strdup_printf ("%s\n", line);
  size_t n = strlen (whole);
  bool ok = fd >= 0 && !strchr (line, '\n') && n < MOST_BYTES && write (fd, whole, n) == (ssize_t) n;

  if (fd >= 0)
    close (fd);
  if (!ok)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s",
                 works ? _ ("who records it takes no orders") : _ ("nobody records it now"));
  return ok;
}

static void
free_order (gpointer data)
{
  g_free (((TraceOrder *) data)->line);
  g_free (data);
}

GPtrArray *
trace_orders (TraceSource *s, uint32_t task)
{
  if (trace_may_grow (s) && s->format->orders && task < s->tasks->len)
    return s->format->orders (s, task);
  return g_ptr_array_new ();
}

void
trace_orders_add (GPtrArray *to, const char *label, const char *under, const char *fmt, ...)
{
  TraceOrder *o = g_new0 (TraceOrder, 1);
  va_list args;

  va_start (args, fmt);
  *o = (TraceOrder){ label, under, g_strdup_vprintf (fmt, args) };
  va_end (args);
  g_ptr_array_set_free_func (to, free_order);
  g_ptr_array_add (to, o);
}

bool
trace_look (TraceSource *s)
{
  return trace_may_grow (s) && s->format->look && trace_look_with (s, s->format->look);
}
