/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - what is rare is read again from the record when somebody asks: words, lists, plain numbers,
 * sites. */
#include "readers/tapepvm/scan.h"
#include "eve/words.h"
#include "eve/disk.h"
#include <fcntl.h>

#define WINDOW (64u << 10)
#define MAX_SITES (1u << 20)
#define SITES_DAMAGE_KEPT 10
#define SITES_MOST_BYTES (256 * DISK_MIB)

typedef struct Site {
  uint32_t line;
  char *function; /* "" when not given */
  char file[];
} Site;

void
tp_record_clear (TpReader *r)
{
  g_clear_pointer (&r->window_buffer, g_free);
  r->window_room = r->window_n = 0;
  if (r->text)
    g_string_free (r->text, TRUE);
  if (r->list)
    g_array_unref (r->list);
  g_clear_pointer (&r->sites, g_hash_table_unref);
  r->text = NULL;
  r->list = NULL;
}

const uint8_t *
tp_record_line (TpReader *r, uint64_t record, size_t *n)
{
  for (size_t want = WINDOW;; want = TP_MAX_LINE + WINDOW) {
    if (record >= r->window_at && record < r->window_at + r->window_n) {
      const uint8_t *line = r->window + (record - r->window_at);
      const uint8_t *end = memchr (line, '\n', r->window_n - (size_t) (record - r->window_at));
      if (end) {
        *n = (size_t) (end - line);
        return line;
      }
    }
    if (want > WINDOW && r->window_n > WINDOW)
      return NULL; /* no line feed far and wide: not a record */
    /* A little before too: an end asks for the record of its beginning. */
    r->window_at = want > WINDOW ? record : record - MIN (record, WINDOW / 4);
    if (r->window_room < want) {
      g_free (r->window_buffer);
      r->window_buffer = g_malloc0 (want + 2 * TP_SLACK);
      r->window = r->window_buffer + TP_SLACK;
      r->window_room = want;
    }
    ssize_t got = r->window_at < r->size
                      ? disk_pread (r->fd, r->window, MIN (want, r->size - r->window_at), r->window_at)
                      : 0;
    r->window_n = got > 0 ? (size_t) got : 0;
    if (want > WINDOW) {
      const uint8_t *end = memchr (r->window, '\n', r->window_n);
      *n = end ? (size_t) (end - r->window) : 0;
      return end ? r->window : NULL;
    }
  }
}

/* Where it lies.  What a late end tells stands in a line of its own. */
static uint64_t
tapepvm_record_place_of (TpReader *r, const TraceEvent *e)
{
  if (!(e->flags & TRACE_LATE))
    return e->record;
  if (r->late_of != e->number) {
    r->late_of = e->number;
    r->late_at = tp_later_find (r, e);
  }
  return r->late_at == UINT64_MAX ? e->record : r->late_at;
}

/* The record of an event; NULL: it cannot be read. */
static const TpRecord *
tapepvm_record_of (TpReader *r, const TraceEvent *e, const uint8_t **line)
{
  size_t n;
  TpFault fault;
  uint64_t at = tapepvm_record_place_of (r, e);
  if (r->record_at == at && !line)
    return &r->record;
  const uint8_t *text = tp_record_line (r, at, &n);
  r->record_at = UINT64_MAX;
  if (!text || (!tp_scan_fast (r->table, text, &r->record) && !tp_scan (r->table, text, n, &r->record, &fault))
      || r->record.kind != e->kind)
    return NULL;
  r->record_at = at;
  if (line)
    *line = text;
  return &r->record;
}

static TraceValue
task_value (uint32_t task)
{
  return (TraceValue){ .kind = task == TRACE_NONE ? TRACE_VALUE_NONE : TRACE_VALUE_TASK, .i = task };
}

TraceValue
tp_value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  TpReader *r = (TpReader *) s;
  const TpRecord *record;
  const uint8_t *line;
  unsigned k = r->table->n_header + field;
  switch (s->kinds[e->kind].fields[field].role) {
  case TRACE_ROLE_PEER:
    return task_value (e->peer);
  case TRACE_ROLE_TAG:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->tag };
  case TRACE_ROLE_SIZE:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->size };
  case TRACE_ROLE_RESULT:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->result };
  case TRACE_ROLE_OBJECT:
    if (e->object == TRACE_NONE)
      break;
    return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = trace_object_id (s, e->object) };
  case TRACE_ROLE_INT:
    record = tapepvm_record_of (r, e, NULL);
    if (record)
      return (TraceValue){ .kind = TRACE_VALUE_INT, .i = record->v[k] };
    break;
  case TRACE_ROLE_TASK:
    record = tapepvm_record_of (r, e, NULL);
    if (record && record->v[k] >= 0 && record->v[k] <= TP_MAX_ID)
      return task_value (tp_intern_find (&r->known, (uint32_t) record->v[k]));
    break;
  case TRACE_ROLE_WORD:
    record = tapepvm_record_of (r, e, &line);
    if (!record)
      break;
    if (!r->text)
      r->text = g_string_new (NULL);
    g_string_set_size (r->text, record->len[k]);
    g_string_set_size (r->text, tp_unescape (line + record->at[k], record->len[k], r->text->str));
    return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = r->text->str };
  case TRACE_ROLE_PEERS:
  case TRACE_ROLE_TASKS:
    record = tapepvm_record_of (r, e, &line);
    if (!record)
      break;
    if (!r->list)
      r->list = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    g_array_set_size (r->list, 0);
    uint32_t at = record->at[k];
    for (int64_t left = record->v[k]; left > 0; left--) {
      uint32_t task = tp_intern_find (&r->known, (uint32_t) tp_list_next (line, &at));
      g_array_append_val (r->list, task);
    }
    return (TraceValue){ .kind = TRACE_VALUE_TASKS,
                         .tasks = (const uint32_t *) (void *) r->list->data,
                         .n_tasks = r->list->len };
  case TRACE_ROLE_OBJECTS: /* not in this format, as those behind */
  case TRACE_ROLE_REGION:
  case TRACE_ROLE_VALUE:
  case TRACE_ROLE_KEY:
    break;
  }
  return (TraceValue){ .kind = TRACE_VALUE_NONE };
}

/* ---- sites: NUMBER LINE FILE [FUNCTION] ---- */

static void
free_site (void *p)
{
  g_free (((Site *) p)->function);
  g_free (p);
}

static bool
read_site (TpReader *r, const uint8_t *line, size_t n, TpFault *f)
{
  TpText text = { line, n, 0 };
  int64_t number, where;
  uint32_t at, len, at2 = 0, len2 = 0;
  if (text.n && line[text.n - 1] == '\r')
    text.n--;
  if (!tp_read_number (&text, "the number of the site", &number, f))
    return false;
  if (number < 1 || number > TP_MAX_ID)
    return tp_fault (f, 0, _ ("the number of a site should be 1 to 2^31 - 1"));
  size_t column = text.at + 1;
  if (!tp_read_number (&text, "the line in the source", &where, f))
    return false;
  if (where < 0 || where > TP_MAX_ID)
    return tp_fault (f, column, _ ("the line in the source should be 0 to 2^31 - 1"));
  if (!tp_read_word (&text, "the file", TP_MAX_NAME * 4, &at, &len, f))
    return false;
  tp_skip_blanks (&text);
  if (text.at < text.n && !tp_read_word (&text, "the function", TP_MAX_NAME * 4, &at2, &len2, f))
    return false;
  tp_skip_blanks (&text);
  if (text.at < text.n)
    return tp_fault (f, text.at, _ ("more follows after the function"));
  if (g_hash_table_contains (r->sites, GINT_TO_POINTER ((int) number)))
    return tp_fault (f, 0, _ ("site %d was given before; the first holds"), (int) number);
  if (g_hash_table_size (r->sites) == MAX_SITES)
    return tp_fault (f, 0, _ ("more than %u sites"), MAX_SITES);
  Site *site = g_malloc (sizeof *site + len + 1);
  site->line = (uint32_t) where;
  tp_unescape (line + at, len, site->file);
  site->function = g_malloc (len2 + 1);
  tp_unescape (line + at2, len2, site->function);
  g_hash_table_insert (r->sites, GINT_TO_POINTER ((int) number), site);
  return true;
}

static void
site_damage (TpReader *r, unsigned *bad, uint64_t line, const TpFault *f)
{
  if ((*bad)++ < SITES_DAMAGE_KEPT)
    trace_source_damage (&r->base, "sites", line, f->column, "%s", f->reason);
  else
    r->base.n_damaged++;
}

/* What has not been read of them; while the trace grows up to the last whole line. */
static void
read_sites (TpReader *r)
{
  g_autofree char *path = g_build_filename (r->folder, "sites", NULL);
  if (!g_file_test (r->folder, G_FILE_TEST_IS_DIR)) /* a raw file has none */
    return;
  g_autoptr (GError) error = NULL;
  TpFault fault;
  unsigned bad = 0;
  uint64_t size;
  int fd = disk_open (path, r->base.path, SITES_MOST_BYTES, &size, &error);
  if (fd < 0) {
    if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
      tp_fault (&fault, 0, "%s", error->message);
      site_damage (r, &bad, 0, &fault);
    }
    return;
  }
  TpLines lines;
  TpLinesState state;
  tp_lines_init (&lines, fd, r->sites_read, MAX (size, r->sites_read));
  while ((state = tp_lines_fill (&lines, &error)) != TP_LINES_END && state != TP_LINES_ERROR) {
    if (state == TP_LINES_CUT && trace_may_grow (&r->base))
      break;
    while (lines.cursor < lines.full) {
      const uint8_t *line = lines.text + lines.cursor;
      const uint8_t *end = state == TP_LINES_MORE ? memchr (line, '\n', lines.full - lines.cursor) : NULL;
      size_t n = end ? (size_t) (end - line) : lines.full - lines.cursor;
      lines.cursor += n + (end != NULL);
      r->sites_lines++;
      if (state == TP_LINES_LONG)
        tp_fault (&fault, TP_MAX_LINE, _ ("the line is longer than 1 MiB"));
      else if (tp_is_blank (line, n) || read_site (r, line, n, &fault))
        continue;
      site_damage (r, &bad, r->sites_lines, &fault);
    }
    r->sites_read = lines.base + lines.cursor;
  }
  if (state == TP_LINES_ERROR) {
    tp_fault (&fault, 0, "%s", error->message);
    site_damage (r, &bad, r->sites_lines + 1, &fault);
  }
  tp_lines_clear (&lines);
  close (fd);
}

bool
tp_site (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line, const char **function)
{
  TpReader *r = (TpReader *) s;
  const TpRecord *record = tapepvm_record_of (r, e, NULL);
  int64_t number = record ? record->v[r->table->at[TP_SITE]] : 0;
  if (number <= 0)
    return false;
  bool first = !r->sites;
  if (first)
    r->sites = g_hash_table_new_full (NULL, NULL, NULL, free_site);
  const Site *site = first ? NULL : g_hash_table_lookup (r->sites, GINT_TO_POINTER ((int) number));
  if (!site && (first || r->follows)) {
    read_sites (r);
    site = g_hash_table_lookup (r->sites, GINT_TO_POINTER ((int) number));
  }
  if (!site)
    return false;
  *file = site->file;
  *line = site->line;
  *function = site->function;
  return true;
}
