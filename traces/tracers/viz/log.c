/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - the log: a ring of lines, each with a number.  A line is kept while it is among the newest, or while a client
 * waits for it and there is room. */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 200u         /* for a client that comes late */
#define MOST_LINES 65536u /* for one that is behind */
#define MOST_BYTES ((size_t) 16 << 20)
#define LINES_OF_MESSAGE 1000u

typedef struct Line {
  double date;
  char *text;
  size_t length;
} Line;

static struct {
  pthread_mutex_t lock;
  Line *ring;
  size_t room;          /* a power of two */
  uint64_t first, next; /* numbers of the oldest line that is kept, and of the next one */
  uint64_t needed;      /* by clients */
  size_t bytes;
} lines = { .lock = PTHREAD_MUTEX_INITIALIZER, .needed = UINT64_MAX };

static Line *
viz_log_line_at (uint64_t number)
{
  return &lines.ring[number & (lines.room - 1)];
}

static void
viz_log_drop_first (void)
{
  Line *line = viz_log_line_at (lines.first++);
  lines.bytes -= line->length;
  free (line->text);
  line->text = NULL;
}

static void
trim (void)
{
  while (lines.next - lines.first > KEPT
         && (lines.first < lines.needed || lines.next - lines.first > MOST_LINES || lines.bytes > MOST_BYTES))
    viz_log_drop_first ();
  while (lines.bytes > MOST_BYTES)
    viz_log_drop_first ();
}

static bool
viz_log_make_room (void)
{
  if (lines.next - lines.first < lines.room)
    return true;
  size_t room = lines.room ? 2 * lines.room : 256;
  Line *ring = calloc (room, sizeof *ring);
  if (!ring)
    return false;
  for (uint64_t i = lines.first; i < lines.next; i++)
    ring[i & (room - 1)] = *viz_log_line_at (i);
  free (lines.ring);
  lines.ring = ring;
  lines.room = room;
  return true;
}

void
scopeviz_log_n (const void *text, size_t length)
{
  server_begin ();
  if (length > SCOPEVIZ_TEXT_MAX)
    length = SCOPEVIZ_TEXT_MAX;
  char *copy = malloc (length + 1);
  if (!copy)
    return;
  memcpy (copy, text, length);
  double date = scopeviz_elapsed ();
  pthread_mutex_lock (&lines.lock);
  if (viz_log_make_room ()) {
    *viz_log_line_at (lines.next++) = (Line){ date, copy, length };
    lines.bytes += length;
    trim ();
    copy = NULL;
  }
  pthread_mutex_unlock (&lines.lock);
  free (copy);
}

void
scopeviz_vlog (const char *format, va_list arguments)
{
  char room[512];
  va_list again;
  va_copy (again, arguments);
  int length = vsnprintf (room, sizeof room, format, arguments);
  if (length >= (int) sizeof room) {
    char *text = malloc ((size_t) length + 1);
    if (text) {
      vsnprintf (text, (size_t) length + 1, format, again);
      scopeviz_log_n (text, (size_t) length);
      free (text);
    }
  } else if (length >= 0)
    scopeviz_log_n (room, (size_t) length);
  va_end (again);
}

void
scopeviz_log (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  scopeviz_vlog (format, arguments);
  va_end (arguments);
}

uint64_t
log_begin (void)
{
  pthread_mutex_lock (&lines.lock);
  uint64_t kept = lines.next - lines.first;
  uint64_t begin = lines.next - (kept < KEPT ? kept : KEPT);
  if (begin < lines.needed)
    lines.needed = begin;
  pthread_mutex_unlock (&lines.lock);
  return begin;
}

/* One message: the lines from `from` to before `to`, newest first, and one more that tells what was lost before. */
static void
viz_log_put_message (Bytes *out, uint64_t from, uint64_t to, uint64_t lost)
{
  size_t begun = bytes_begin (out);
  bytes_u8 (out, 1);
  bytes_u16 (out, TAG_LOG);
  bytes_u8 (out, VALUE_LOG);
  bytes_u16 (out, (unsigned) (to - from) + (lost != 0));
  for (uint64_t i = to; i-- > from;) {
    bytes_f64 (out, viz_log_line_at (i)->date);
    bytes_text (out, viz_log_line_at (i)->text, viz_log_line_at (i)->length);
  }
  if (lost) {
    char said[96];
    int length = snprintf (said, sizeof said, "(%llu lines of the log are lost: they were not read in time)",
                           (unsigned long long) lost);
    bytes_f64 (out, from < to ? viz_log_line_at (from)->date : 0);
    bytes_text (out, said, (size_t) length);
  }
  bytes_end (out, begun);
}

void
log_put (Bytes *out, uint64_t *seen, bool even_empty)
{
  pthread_mutex_lock (&lines.lock);
  uint64_t lost = lines.first > *seen ? lines.first - *seen : 0;
  *seen += lost;
  if (*seen == lines.next && even_empty)
    viz_log_put_message (out, *seen, *seen, lost);
  while (*seen < lines.next) {
    uint64_t to = lines.next - *seen > LINES_OF_MESSAGE ? *seen + LINES_OF_MESSAGE : lines.next;
    viz_log_put_message (out, *seen, to, lost);
    *seen = to;
    lost = 0;
  }
  pthread_mutex_unlock (&lines.lock);
}

void
log_put_none (Bytes *out)
{
  viz_log_put_message (out, 0, 0, 0);
}

void
log_needed (uint64_t seen)
{
  pthread_mutex_lock (&lines.lock);
  lines.needed = seen;
  trim ();
  pthread_mutex_unlock (&lines.lock);
}

void
log_after_fork (void)
{
  pthread_mutex_init (&lines.lock, NULL);
  lines.needed = UINT64_MAX;
}
