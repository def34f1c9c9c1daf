/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the pass that opening makes over a file: is it in order, when does it begin and end, how much is
 * it. Each half of a large file is read by a thread of its own. */
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/tapepvm/scan.h"

enum { DATES = 512 }; /* looked at in one go */

typedef struct Half {
  const TpTable *table;
  int fd;
  uint64_t from, to;
  const TraceProgress *progress; /* of the caller's thread only */
  atomic_bool *cancelled;
  TpCheck result;
  int64_t first_date, last_date; /* of the first and last record in the order of the file */
  GError *error;
} Half;

bool
tp_report (const TraceProgress *progress, const char *doing, double share, GError **error)
{
  if (!progress || !progress->report || progress->report (progress->arg, doing, share))
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, _ ("stopped at the user's wish while %s"), doing);
  return false;
}

static void
count_record (Half *h, int64_t begin, int64_t end)
{
  TpCheck *c = &h->result;
  c->n_records++;
  c->n_events += 1u + (end >= 0);
  c->ordered &= begin >= h->last_date;
  c->first = MIN (c->first, begin);
  c->last = MAX (c->last, MAX (begin, end));
  h->last_date = begin;
  if (h->first_date == INT64_MAX)
    h->first_date = begin;
}

/* A line of version 2. */
static void
count_later (Half *h, const uint8_t *line, size_t n, TpRecord *r)
{
  TpCheck *c = &h->result;
  TpFault fault;
  int64_t date;
  size_t record;
  if (!tp_scan_later (h->table, line, n, r, &date, &record, &fault))
    return;
  c->n_events += record > 0;
  c->ordered &= date >= h->last_date;
  c->last = MAX (c->last, date);
  h->last_date = date;
  if (h->first_date == INT64_MAX)
    h->first_date = date;
}

static void
check_lines (Half *h, TpLines *lines, TpRecord *r, TpDates *dates)
{
  TpFault fault;
  while (lines->cursor < lines->full) {
    size_t used, left = lines->full - lines->cursor;
    uint32_t n = tp_scan_dates (h->table, lines->text + lines->cursor, left, r, dates, DATES, &used);
    for (uint32_t i = 0; i < n; i++)
      count_record (h, dates[i].begin, dates[i].end);
    lines->cursor += used;
    if (n == DATES || used == left)
      continue;
    const uint8_t *line = lines->text + lines->cursor;
    size_t length = (size_t) ((const uint8_t *) memchr (line, '\n', left - used) - line) + 1;
    lines->cursor += length;
    if (h->table->later && tp_is_later (line, length - 1)) {
      count_later (h, line, length - 1, r);
    } else if (!tp_is_blank (line, length - 1) && tp_scan (h->table, line, length - 1, r, &fault)) {
      bool ends = r->duration >= 0 && !h->table->details[r->kind].instant;
      count_record (h, r->date, ends ? r->date + r->duration : -1);
    }
  }
}

static void *
check_half (void *arg)
{
  Half *h = arg;
  TpDates dates[DATES];
  TpLines lines;
  TpRecord r;
  TpLinesState state;
  unsigned blocks = 0;
  h->result = (TpCheck){ .ordered = true, .first = INT64_MAX, .last = -1 };
  h->first_date = INT64_MAX;
  h->last_date = -1;
  tp_record_init (&r);
  tp_lines_init (&lines, h->fd, h->from, h->to);
  while ((state = tp_lines_fill (&lines, &h->error)) != TP_LINES_END && state != TP_LINES_ERROR) {
    if (state == TP_LINES_MORE)
      check_lines (h, &lines, &r, dates);
    if (++blocks % 8 == 0) {
      if (h->progress
          && !tp_report (h->progress, _ ("checking the events"),
                         (double) (lines.at - h->from) / (double) (h->to - h->from), &h->error))
        atomic_store (h->cancelled, true);
      if (atomic_load (h->cancelled))
        break;
    }
  }
  tp_lines_clear (&lines);
  return NULL;
}

/* Offset behind the first line feed at or after `at`; size if there is none near enough to be worth looking for. */
static uint64_t
tapepvm_check_next_line (int fd, uint64_t at, uint64_t size)
{
  uint8_t buf[4096];
  uint64_t end_of_looking = MIN (size, at + 2 * TP_MAX_LINE);
  while (at < end_of_looking) {
    ssize_t n = disk_pread (fd, buf, MIN (sizeof buf, size - at), at);
    if (n <= 0)
      break;
    const uint8_t *end = memchr (buf, '\n', (size_t) n);
    if (end)
      return at + (uint64_t) (end - buf) + 1;
    at += (uint64_t) n;
  }
  return size;
}

bool
tp_check (const TpTable *t, int fd, uint64_t size, const TraceProgress *progress, TpCheck *c, GError **error)
{
  atomic_bool cancelled = false;
  bool two = size > 4 << 20;
  uint64_t middle = two ? tapepvm_check_next_line (fd, size / 2, size) : size;
  Half halves[2] = { { .table = t, .fd = fd, .from = 0, .to = middle, .progress = progress, .cancelled = &cancelled },
                     { .table = t, .fd = fd, .from = middle, .to = size, .cancelled = &cancelled } };
  pthread_t other;
  two = two && pthread_create (&other, NULL, check_half, &halves[1]) == 0;
  check_half (&halves[0]);
  if (two)
    pthread_join (other, NULL);
  else
    check_half (&halves[1]);
  GError *first = halves[0].error ? halves[0].error : halves[1].error;
  if (first) {
    if (halves[0].error && halves[1].error)
      g_error_free (halves[1].error);
    g_propagate_error (error, first);
    return false;
  }
  const TpCheck *a = &halves[0].result, *b = &halves[1].result;
  *c = (TpCheck){ .ordered = a->ordered && b->ordered && halves[0].last_date <= halves[1].first_date,
                  .n_records = a->n_records + b->n_records,
                  .n_events = a->n_events + b->n_events,
                  .first = MIN (a->first, b->first),
                  .last = MAX (a->last, b->last),
                  .reached = MAX (halves[0].last_date, halves[1].last_date) };
  return tp_report (progress, _ ("checking the events"), 1, error);
}

bool
tp_check_more (const TpTable *t, int fd, uint64_t from, uint64_t to, TpCheck *c, GError **error)
{
  atomic_bool cancelled = false;
  Half h = { .table = t, .fd = fd, .from = from, .to = to, .cancelled = &cancelled };
  check_half (&h);
  if (h.error) {
    g_propagate_error (error, h.error);
    return false;
  }
  const TpCheck *more = &h.result;
  c->ordered &= more->ordered && c->reached <= h.first_date;
  c->n_records += more->n_records;
  c->n_events += more->n_events;
  c->first = MIN (c->first, more->first);
  c->last = MAX (c->last, more->last);
  c->reached = MAX (c->reached, h.last_date);
  return true;
}
