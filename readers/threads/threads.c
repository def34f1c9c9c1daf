/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - the format: traces of POSIX threads that tape-threads records. */
#include "eve/words.h"
#include <string.h>

#include "readers/threads/parts.h"

static bool
threads_convert (Converter *to, const char *path, GError **error)
{
  Threads t = { .to = to, .source = converter_source (to), .folder = g_strdup (path) };

  t.source->clock = (TraceClock){ TRACE_TICKS, "s" };
  bool ok = lanes_open (&t, error) && model_read (&t, error);
  if (ok)
    lanes_tell (&t);
  lanes_close (&t);
  g_free (t.folder);
  return ok;
}

static const ConvertedFormat threads;
CONVERTED_OPEN (threads_open, &threads)
static const ConvertedFormat threads = {
  .format = { .name = "threads",
              .label = N_ ("POSIX threads"),
              .model = "threads",
              .open = threads_open,
              .site = converted_site,
              CONVERTED_FUNCTIONS },
  .folder = true,
  .convert = threads_convert,
};

TRACE_READER_PLUGIN (threads.format, "scope.threads-reader", "Threads reader", "reader:threads",
                     "Reads what tape-threads records of POSIX threads, locks, conditions, semaphores and barriers.");
