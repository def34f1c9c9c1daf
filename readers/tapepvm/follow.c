/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - a file that grows while it is read: what has come is looked through, and given to the parsing thread up to
 * the last whole line.  A look costs a few system calls; nobody waits here. */
#include "readers/tapepvm/tapepvm.h"
#include "eve/words.h"
#include "eve/disk.h"
#include <sys/stat.h>

#define MOST_BYTES (64 * DISK_MIB) /* looked through at once: a flood is taken in pieces */

/* Behind the last line feed in [from, to); 0: there is none. */
static uint64_t
whole_lines (int fd, uint64_t from, uint64_t to)
{
  uint8_t bytes[16384];

  while (to > from) {
    uint64_t at = to - MIN ((uint64_t) sizeof bytes, to - from);
    ssize_t n = disk_pread (fd, bytes, (size_t) (to - at), at);
    const uint8_t *end = n > 0 ? memrchr (bytes, '\n', (size_t) n) : NULL;
    if (end)
      return at + (uint64_t) (end - bytes) + 1;
    to = at;
  }
  return 0;
}

/* Takes in what lies before `now`, up to a whole line; of a file that is `done` all of it. */
static bool
follow_take_in (TpReader *r, uint64_t now, bool done, GError **error)
{
  uint64_t from = MAX (r->size, r->looked), most = MIN (now, from + MOST_BYTES), to;

  if (done && most == now)
    to = now;
  else
    to = whole_lines (r->fd, from, most);
  r->looked = most;
  if (to <= r->size)
    return true;
  if (!r->version && !tp_check_version (r, error))
    return false;
  if (!tp_check_more (r->table, r->fd, r->size, to, &r->check, error))
    return false;
  r->size = to;
  return true;
}

static void
follow_end (TpReader *r, char *how)
{
  r->base.ended = true;
  r->base.left = how;
}

static char *
follow_gone (const TpReader *r)
{
  return g_strdup_printf (
      _ ("the program that wrote %s.trace is gone without having ended it; what it wrote is all read: "
         "%" PRIu64 " records"),
      r->base.name, r->check.n_records);
}

bool
tp_follow (TpReader *r, const TraceOptions *options, GError **error)
{
  TraceSource *s = &r->base;

  r->writer = trace_writer (r->folder, NULL);
  if (r->writer == TRACE_WRITER_ENDED || r->writer == TRACE_WRITER_GONE) {
    struct stat st;
    if (fstat (r->fd, &st) == 0) /* it may have grown to its end since it was opened */
      r->size = r->original_size = (uint64_t) st.st_size;
    r->follows = false;
    if (!tp_open_whole (r, options, error))
      return false;
    s->abilities |= TRACE_LIVE; /* places of it were saved while it grew */
    if (r->writer == TRACE_WRITER_GONE)
      follow_end (r, follow_gone (r));
    return true;
  }
  r->check = TP_CHECK_NOTHING;
  r->looked = r->size;
  r->size = whole_lines (r->fd, 0, r->size);
  if (r->size
      && (!tp_check_version (r, error) || !tp_check (r->table, r->fd, r->size, options->progress, &r->check, error)))
    return false;
  s->abilities = TRACE_LENDS | TRACE_LIVE | TRACE_SORTED;
  s->ended = false;
  tp_note_check (r);
  return true;
}

bool
tp_look (TraceSource *s)
{
  TpReader *r = (TpReader *) s;
  TraceWriter writer = trace_writer (r->folder, NULL); /* before the size, which then is the last */
  g_autoptr (GError) error = NULL;
  uint64_t before = r->size;
  struct stat st = { 0 };

  if (writer == TRACE_WRITER_NONE && r->writer != TRACE_WRITER_NONE) /* the whole bundle was taken away */
    writer = TRACE_WRITER_GONE;
  r->writer = writer;
  bool done = writer == TRACE_WRITER_ENDED || writer == TRACE_WRITER_GONE;
  fstat (r->fd, &st);
  uint64_t now = (uint64_t) st.st_size;
  if (now < r->size)
    follow_end (r, g_strdup_printf (_ ("%s/events became shorter while it was followed, from %" PRIu64
                                       " bytes to %" PRIu64 "; nothing more of it is read"),
                                    r->folder, r->size, now));
  else if (!follow_take_in (r, now, done, &error))
    follow_end (r, g_strdup (error->message));
  else if (done && r->size == now)
    follow_end (r, writer == TRACE_WRITER_GONE ? follow_gone (r) : NULL);
  if (r->size == before && !s->ended)
    return false;
  tp_note_check (r);
  if (r->parser)
    tp_parser_grow (r->parser, r->size, s->ended);
  return true;
}
