/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - a line of text becomes numbers.
 *
 * Two ways that must agree (a fuzz target compares them): tp_scan_fast() reads lines of plain numbers parted
 * by single blanks, nearly all lines there are, without a branch for each digit; tp_scan() reads every line
 * and says what is wrong with it and where. */
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/tapepvm/scan.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* ---- any line ---- */

bool
tp_fault (TpFault *f, size_t column, const char *fmt, ...)
{
  f->column = (uint32_t) column + 1;
  va_list args;
  va_start (args, fmt);
  vsnprintf (f->reason, sizeof f->reason, fmt, args);
  va_end (args);
  const char *end;
  if (!g_utf8_validate (f->reason, -1, &end)) /* cut inside a character */
    f->reason[end - f->reason] = 0;
  return false;
}

bool
tp_is_blank (const uint8_t *line, size_t n)
{
  if (n && *line == '#')
    return true;
  for (size_t i = 0; i < n; i++)
    if (line[i] != ' ' && line[i] != '\t' && !(line[i] == '\r' && i + 1 == n))
      return false;
  return true;
}

/* What stands at `at`, for a sentence. */
static const char *
seen (const TpText *t, size_t at, char buf[static 32])
{
  if (at >= t->n)
    return _ ("the end of the line");
  if (t->line[at] > ' ' && t->line[at] < 0x7f)
    snprintf (buf, 32, "“%c”", t->line[at]);
  else
    snprintf (buf, 32, "the byte 0x%02x", t->line[at]);
  return buf;
}

bool
tp_read_number (TpText *t, const char *what, int64_t *value, TpFault *f)
{
  char buf[32];
  tp_skip_blanks (t);
  size_t start = t->at;
  if (start == t->n)
    return tp_fault (f, start, _ ("the line ends where %s should stand"), what);
  bool negative = t->line[t->at] == '-';
  t->at += negative;
  size_t digits = t->at;
  uint64_t limit = (uint64_t) INT64_MAX + negative, v = 0;
  bool huge = false;
  for (; t->at < t->n && (uint8_t) (t->line[t->at] - '0') < 10; t->at++) {
    unsigned digit = (unsigned) (t->line[t->at] - '0');
    if (v > (limit - digit) / 10)
      huge = true;
    else
      v = v * 10 + digit;
  }
  if (t->at == digits || (t->at < t->n && t->line[t->at] != ' ' && t->line[t->at] != '\t'))
    return tp_fault (f, t->at, _ ("%s should be a number, but there is %s"), what, seen (t, t->at, buf));
  if (huge)
    return tp_fault (f, start, _ ("%s does not fit into 64 bits"), what);
  *value = negative ? (int64_t) (0 - v) : (int64_t) v;
  return true;
}

static int
hex (uint8_t c)
{
  return g_ascii_xdigit_value ((char) c);
}

size_t
tp_unescape (const uint8_t *word, size_t n, char *to)
{
  size_t k = 0;
  if (n == 1 && *word == '-')
    n = 0;
  for (size_t i = 0; i < n; i++)
    if (word[i] == '%' && i + 2 < n && hex (word[i + 1]) >= 0 && hex (word[i + 2]) >= 0) {
      to[k++] = (char) (hex (word[i + 1]) << 4 | hex (word[i + 2]));
      i += 2;
    } else {
      to[k++] = (char) word[i];
    }
  to[k] = 0;
  return k;
}

bool
tp_read_word (TpText *t, const char *what, size_t most, uint32_t *at, uint32_t *len, TpFault *f)
{
  char buf[32];
  tp_skip_blanks (t);
  size_t start = t->at;
  bool escaped = false, plain = true;
  if (start == t->n)
    return tp_fault (f, start, _ ("the line ends where %s should stand"), what);
  for (; t->at < t->n && t->line[t->at] != ' ' && t->line[t->at] != '\t'; t->at++) {
    uint8_t c = t->line[t->at];
    if (c < ' ' || c == 0x7f)
      return tp_fault (f, t->at, _ ("%s holds %s, which should be written %%%02X"), what, seen (t, t->at, buf), c);
    if (c == '%') {
      int high = t->at + 1 < t->n ? hex (t->line[t->at + 1]) : -1,
          low = t->at + 2 < t->n ? hex (t->line[t->at + 2]) : -1;
      if (high < 0 || low < 0)
        return tp_fault (f, t->at, _ ("in %s, %% is not followed by two hexadecimal digits"), what);
      if (high == 0 && low == 0)
        return tp_fault (f, t->at, _ ("%s holds a byte 0"), what);
      escaped = true;
    }
    plain &= c < 0x80;
  }
  size_t n = t->at - start;
  if (n > most)
    return tp_fault (f, start, _ ("%s is longer than %zu bytes"), what, most);
  const char *bad = NULL;
  if (escaped) {
    g_autofree char *text = g_malloc (n + 1);
    size_t k = tp_unescape (t->line + start, n, text);
    if (!g_utf8_validate (text, (gssize) k, NULL))
      bad = (const char *) t->line + start;
  } else if (!plain) {
    g_utf8_validate ((const char *) t->line + start, (gssize) n, &bad);
    if (bad == (const char *) t->line + t->at)
      bad = NULL;
  }
  if (bad)
    return tp_fault (f, (size_t) (bad - (const char *) t->line), _ ("%s is not UTF-8"), what);
  *at = (uint32_t) start;
  *len = (uint32_t) n;
  return true;
}

static bool
tapepvm_scan_read_list (TpText *t, const char *what, int64_t *count, uint32_t *at, TpFault *f)
{
  tp_skip_blanks (t);
  size_t start = t->at;
  if (!tp_read_number (t, what, count, f))
    return false;
  if (*count < 0 || *count > TP_MAX_LINE)
    return tp_fault (f, start, _ ("%s has %" PRId64 " members"), what, *count);
  *at = (uint32_t) t->at;
  for (int64_t i = 0; i < *count; i++) {
    int64_t task;
    tp_skip_blanks (t);
    size_t place = t->at;
    if (place == t->n)
      return tp_fault (f, place, _ ("%s should have %" PRId64 " members, but the line ends after %" PRId64), what,
                       *count, i);
    if (!tp_read_number (t, what, &task, f))
      return false;
    if (task < 0 || task > TP_MAX_ID)
      return tp_fault (f, place, _ ("in %s, %" PRId64 " is no task identifier"), what, task);
  }
  return true;
}

int64_t
tp_list_next (const uint8_t *line, uint32_t *at)
{
  uint32_t i = *at;
  int64_t v = 0;
  while (line[i] == ' ' || line[i] == '\t')
    i++;
  for (; (uint8_t) (line[i] - '0') < 10; i++)
    v = v * 10 + (line[i] - '0');
  *at = i;
  return v;
}

static const char *const common_names[] = { "the type", "the date",    "the task",         "the duration",
                                            "the site", "the seconds", "the microseconds", "a number" };

static bool
read_common (const TpTable *t, TpText *text, TpRecord *r, uint32_t columns[], TpFault *f)
{
  for (uint32_t i = 0; i < t->n_header; i++) {
    tp_skip_blanks (text);
    columns[i] = (uint32_t) text->at;
    if (!tp_read_number (text, common_names[t->header[i]], &r->v[i], f))
      return false;
  }
#define COLUMN(c) (t->at[c] < t->n_header ? columns[t->at[c]] : 0)
  int64_t type = r->v[t->at[TP_TYPE]];
  if (type < 1 || type > 65535 || !t->by_number[type])
    return tp_fault (f, COLUMN (TP_TYPE), _ ("there is no kind %" PRId64), type);
  r->kind = t->by_number[type] - 1u;
  if (t->split_date) {
    int64_t s = r->v[t->at[TP_DATE_S]], us = r->v[t->at[TP_DATE_US]];
    if (us < 0 || us > 999999)
      return tp_fault (f, COLUMN (TP_DATE_US), _ ("the microseconds should be 0 to 999999"));
    if (s < 0 || s > TP_MAX_DATE / t->ticks_per_second)
      return tp_fault (f, COLUMN (TP_DATE_S), _ ("the seconds should be 0 to %" PRId64),
                       TP_MAX_DATE / t->ticks_per_second);
  }
  r->date = tp_date (t, r);
  if (r->date < 0 || r->date > TP_MAX_DATE)
    return tp_fault (f, COLUMN (t->split_date ? TP_DATE_S : TP_DATE), _ ("the date should be 0 to 2^62 - 1"));
  int64_t task = r->v[t->at[TP_TASK]], site = r->v[t->at[TP_SITE]];
  if (task < 0 || task > TP_MAX_ID)
    return tp_fault (f, COLUMN (TP_TASK), _ ("%" PRId64 " is no task identifier: 0 to 2^31 - 1"), task);
  r->duration = r->v[t->at[TP_DURATION]];
  if (r->duration < -1)
    return tp_fault (f, COLUMN (TP_DURATION),
                     _ ("the duration is negative; -1 alone has a meaning, a call that never ended"));
  if (r->duration > TP_MAX_DATE - r->date)
    return tp_fault (f, COLUMN (TP_DURATION), _ ("the end, date plus duration, should be at most 2^62 - 1"));
  if (site < 0 || site > TP_MAX_ID)
    return tp_fault (f, COLUMN (TP_SITE), _ ("the site should be 0 to 2^31 - 1"));
#undef COLUMN
  return true;
}

bool
tp_scan (const TpTable *t, const uint8_t *line, size_t n, TpRecord *r, TpFault *f)
{
  TpText text = { line, n, 0 };
  uint32_t columns[TP_MAX_HEADER];
  if (text.n && line[text.n - 1] == '\r')
    text.n--;
  if (n > TP_MAX_LINE)
    return tp_fault (f, TP_MAX_LINE, _ ("the line is longer than 1 MiB"));
  if (!read_common (t, &text, r, columns, f))
    return false;
  const TraceKind *kind = &t->kinds[r->kind];
  for (uint32_t i = 0; i < kind->n_fields; i++) {
    const char *name = kind->fields[i].name;
    uint32_t k = t->n_header + i;
    tp_skip_blanks (&text);
    size_t start = text.at;
    int64_t *v = &r->v[k];
    switch (kind->fields[i].role) {
    case TRACE_ROLE_WORD:
    case TRACE_ROLE_OBJECT: {
      size_t most = kind->fields[i].role == TRACE_ROLE_OBJECT ? TP_MAX_GROUP
                    : t->details[r->kind].enroll              ? TP_MAX_NAME
                                                              : TP_MAX_LINE;
      if (!tp_read_word (&text, name, most, &r->at[k], &r->len[k], f))
        return false;
      continue;
    }
    case TRACE_ROLE_PEERS:
    case TRACE_ROLE_TASKS:
      if (!tapepvm_scan_read_list (&text, name, v, &r->at[k], f))
        return false;
      continue;
    default:
      break;
    }
    if (!tp_read_number (&text, name, v, f))
      return false;
    switch (kind->fields[i].role) {
    case TRACE_ROLE_PEER:
    case TRACE_ROLE_TASK:
      if (*v > TP_MAX_PEER)
        return tp_fault (f, start, _ ("%s: %" PRId64 " is no task identifier: at most 2^32 - 1"), name, *v);
      break;
    case TRACE_ROLE_TAG:
    case TRACE_ROLE_RESULT:
      if (*v != (int32_t) *v)
        return tp_fault (f, start, _ ("%s: %" PRId64 " does not fit into 32 bits"), name, *v);
      break;
    case TRACE_ROLE_SIZE:
      if (*v < 0)
        return tp_fault (f, start, _ ("%s is negative"), name);
      break;
    default:
      break;
    }
  }
  tp_skip_blanks (&text);
  if (text.at < text.n)
    return tp_fault (f, text.at, _ ("%s has %u fields, but more follows"), kind->name, kind->n_fields);
  return true;
}

void
tp_record_init (TpRecord *r)
{
  memset (r, 0, sizeof *r);
  r->v[TP_V_NONE] = -1;
}

size_t
tp_scan_fast (const TpTable *t, const uint8_t *p, TpRecord *r)
{
  return tp_scan_plain (t, p, r);
}

/* ---- lines of a file ---- */

enum { block = 256 << 10, largest = TP_MAX_LINE + 2 * block };

void
tp_lines_init (TpLines *l, int fd, uint64_t from, uint64_t size)
{
  *l = (TpLines){ .fd = fd,
                  .at = from,
                  .base = from,
                  .size = size,
                  .room = (size_t) MIN ((uint64_t) 2 * block, size - MIN (from, size) + 1) };
  l->buffer = g_malloc0 (l->room + 2 * TP_SLACK);
  l->text = l->buffer + TP_SLACK;
}

void
tp_lines_clear (TpLines *l)
{
  g_clear_pointer (&l->buffer, g_free);
}

/* In a line that is too long: where a file has a hole there is no line feed, however large the hole is. */
static void
pass_hole (TpLines *l)
{
  off_t data = lseek (l->fd, (off_t) l->at, SEEK_DATA);

  if (data < 0 && errno == ENXIO)
    data = (off_t) l->size;
  if (data > 0 && (uint64_t) data > l->at)
    l->base = l->at = MIN ((uint64_t) data, l->size);
}

TpLinesState
tp_lines_fill (TpLines *l, GError **error)
{
  size_t rest = l->skip ? 0 : l->n - l->full; /* the beginning of a line, unless the line is too long */
  memmove (l->text, l->text + (l->n - rest), rest);
  l->n = rest;
  l->base = l->at - rest;
  l->cursor = l->full = 0;
  for (;;) {
    if (l->skip && l->n == 0)
      pass_hole (l);
    size_t want = (size_t) MIN ((uint64_t) block, l->size - l->at);
    if (l->room - l->n <= want && l->room < largest) { /* a long line: more room */
      size_t room = MIN (2 * l->room, (size_t) largest);
      uint8_t *larger = g_malloc0 (room + 2 * TP_SLACK);
      memcpy (larger + TP_SLACK, l->text, l->n);
      g_free (l->buffer);
      l->buffer = larger;
      l->text = larger + TP_SLACK;
      l->room = room;
    }
    if (!want) {
      if (l->skip || !l->n)
        return TP_LINES_END;
      l->full = l->n;
      l->text[l->n] = '\n';
      return l->n > TP_MAX_LINE ? (l->skip = true, TP_LINES_LONG) : TP_LINES_CUT;
    }
    ssize_t got = disk_pread (l->fd, l->text + l->n, want, l->at);
    if (got < 0 || (size_t) got < want) {
      if (got < 0)
        g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("the events cannot be read: %s"), g_strerror (errno));
      else
        g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("the file of events became shorter while it was read"));
      return TP_LINES_ERROR;
    }
    l->at += want;
    const uint8_t *fresh = l->text + l->n;
    l->n += want;
    if (l->skip) { /* drop what is left of the long line */
      const uint8_t *end = memchr (l->text, '\n', l->n);
      size_t drop = end ? (size_t) (end + 1 - l->text) : l->n;
      l->n -= drop;
      l->base += drop;
      memmove (l->text, l->text + drop, l->n);
      fresh = l->text;
      if (!end)
        continue;
      l->skip = false;
      if (!l->n)
        continue;
    }
    const uint8_t *end = memrchr (fresh, '\n', (size_t) (l->text + l->n - fresh));
    if (end) {
      l->full = (size_t) (end + 1 - l->text);
      return TP_LINES_MORE;
    }
    if (l->n > TP_MAX_LINE) {
      l->full = l->n;
      l->skip = true;
      return TP_LINES_LONG;
    }
  }
}
