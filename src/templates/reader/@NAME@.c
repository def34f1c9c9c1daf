/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - the trace format @NAME@: TRACE.trace/TRACE.@NAME@/events holds a line an event, DATE TASK NAME.
 *
 * A format is a table of functions, TraceFormat; the component around it is made by TRACE_READER_PLUGIN.  The file
 * is read twice: once from beginning to end when it is opened, to check it and to learn its tasks and kinds, then
 * as far as events are asked for.  Neither needs memory that grows with the number of events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "readers/file.h"

typedef struct Reader {
  TraceSource base; /* must be first */
  FILE *file;
  char *line; /* the last one read; getline() makes it longer when need be */
  size_t line_bytes;
  int64_t last_date;
  uint64_t next_number;  /* of the event that `next` gives next */
  GHashTable *task_of;   /* name -> index + 1 */
  GHashTable *kind_of;   /* likewise */
  GArray *kinds;         /* of TraceKind */
  TraceEvent ahead[64];  /* read, but not given yet */
  uint32_t n_ahead, at;
  int64_t ahead_from;    /* where in the file `ahead` begins, with the number and date of what was before it */
  uint64_t number_from;
  int64_t date_from;
} Reader;

static const TraceFormat format;

/* ---- one line ---------------------------------------------------------------------------------------------- */
/* 1: an event; 0: nothing on it; -1: damaged, then *reason and *column say how.  Bytes of a file are never trusted. */
static int
parse (Reader *r, TraceEvent *e, const char **reason, uint64_t *column)
{
  char *word[3], *at = r->line, *end;
  gpointer task, kind;

  at[strcspn (at, "\r\n")] = '\0';
  if (*at == '#' || !at[strspn (at, " \t")])
    return 0;
  for (int i = 0; i < 3; i++) {
    at += strspn (at, " \t");
    *column = (uint64_t) (at - r->line) + 1;
    if (!*at) {
      *reason = "a line is DATE TASK NAME, and this one is shorter";
      return -1;
    }
    word[i] = at;
    end = at + strcspn (at, " \t");
    at = *end ? end + 1 : end;
    *end = '\0';
    if (!g_utf8_validate (word[i], -1, NULL)) {
      *reason = "the word is not UTF-8";
      return -1;
    }
  }
  memset (e, 0, sizeof *e);
  *column = (uint64_t) (word[0] - r->line) + 1;
  if (!trace_clock_parse (&r->base.clock, word[0], &e->date)) {
    *reason = "the date is not a number of seconds";
    return -1;
  }
  if (e->date < r->last_date) {
    *reason = "the date is before that of the line above; sort the file";
    return -1;
  }
  if (!(task = g_hash_table_lookup (r->task_of, word[1]))) {
    task = GUINT_TO_POINTER (trace_source_add_task (&r->base, word[1], 0) + 1);
    g_hash_table_insert (r->task_of, g_strdup (word[1]), task);
  }
  if (!(kind = g_hash_table_lookup (r->kind_of, word[2]))) {
    TraceKind k = { .name = g_strdup (word[2]), .category = "user", .instant = true };

    if (r->kinds->len == UINT16_MAX) {
      *column = (uint64_t) (word[2] - r->line) + 1;
      *reason = "there are more than 65535 names of events";
      g_free ((char *) k.name);
      return -1;
    }
    k.end_name = k.name;
    g_array_append_val (r->kinds, k);
    kind = GUINT_TO_POINTER (r->kinds->len);
    g_hash_table_insert (r->kind_of, g_strdup (word[2]), kind);
  }
  e->task = GPOINTER_TO_UINT (task) - 1;
  e->kind = (uint16_t) (GPOINTER_TO_UINT (kind) - 1);
  e->peer = e->object = TRACE_NONE;
  e->tag = -1;
  e->flags = TRACE_INSTANT;
  e->source = r->base.number;
  r->last_date = e->date;
  return 1;
}

/* ---- opening ----------------------------------------------------------------------------------------------- */
static void
close_trace (TraceSource *s)
{
  Reader *r = (Reader *) s;

  if (r->file)
    fclose (r->file);
  free (r->line);
  for (guint i = 0; i < r->kinds->len; i++)
    g_free ((char *) g_array_index (r->kinds, TraceKind, i).name);
  g_array_unref (r->kinds);
  g_hash_table_unref (r->task_of);
  g_hash_table_unref (r->kind_of);
  trace_source_clear (s);
  g_free (s);
}

static void
rewind_trace (TraceSource *s)
{
  Reader *r = (Reader *) s;

  rewind (r->file);
  r->last_date = INT64_MIN;
  r->next_number = r->number_from = 0;
  r->ahead_from = 0;
  r->date_from = INT64_MIN;
  r->n_ahead = r->at = 0;
}

/* The first pass: counts, checks, learns. */
static bool
check_all (Reader *r, const char *path, const TraceOptions *options, GError **error)
{
  const char *reason = NULL;
  uint64_t line = 0, column = 0;
  TraceEvent e;

  while (errno = 0, getline (&r->line, &r->line_bytes, r->file) > 0) {
    int what = parse (r, &e, &reason, &column);

    line++;
    if (what < 0) {
      trace_source_damage (&r->base, "events", line, column, "%s", reason);
      if (options->strict) {
        g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s, line %" G_GUINT64_FORMAT ", column %" G_GUINT64_FORMAT
                     ": %s", path, line, column, reason);
        return false;
      }
    }
    if (what > 0 && r->base.n_events++ == 0)
      r->base.first = e.date;
  }
  if (ferror (r->file)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be read: %s", path, g_strerror (errno));
    return false;
  }
  r->base.n_records = r->base.n_events;
  r->base.last = r->base.n_events ? r->last_date : r->base.first - 1;
  r->base.kinds = (const TraceKind *) r->kinds->data;
  r->base.n_kinds = r->kinds->len;
  return true;
}

static TraceSource *
open_trace (const char *bundle, const char *folder, const TraceOptions *options, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "events", NULL);
  Reader *r = g_new0 (Reader, 1);
  g_autoptr (GError) problem = NULL;

  r->task_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r->kind_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r->kinds = g_array_new (FALSE, TRUE, sizeof (TraceKind));
  r->last_date = INT64_MIN;
  trace_source_setup (&r->base, &format, bundle, &problem);
  r->base.clock = (TraceClock) { 1000000000, "s" };
  r->base.abilities = TRACE_SORTED;
  /* a plain file inside the bundle, not something else that a stranger put there */
  int fd = problem ? -1 : trace_source_open (&r->base, path, DISK_DATA, NULL, &problem);
  if (fd >= 0)
    r->file = fdopen (fd, "r");
  if (!problem)
    check_all (r, path, options, &problem);
  if (problem) {
    g_propagate_error (error, g_steal_pointer (&problem));
    close_trace (&r->base);
    return NULL;
  }
  rewind_trace (&r->base);
  return &r->base;
}

/* ---- reading ----------------------------------------------------------------------------------------------- */
/* The events not given yet, at least one unless the file has ended. */
static size_t
peek_events (TraceSource *s, const TraceEvent **events, GError **error)
{
  Reader *r = (Reader *) s;
  const char *reason;
  uint64_t column;

  if (r->at == r->n_ahead) {
    r->ahead_from = ftello (r->file);
    r->number_from = r->next_number;
    r->date_from = r->last_date;
    r->n_ahead = r->at = 0;
    while (r->n_ahead < G_N_ELEMENTS (r->ahead) && (errno = 0, getline (&r->line, &r->line_bytes, r->file) > 0)) {
      TraceEvent *e = &r->ahead[r->n_ahead];

      if (parse (r, e, &reason, &column) > 0) { /* what is damaged was told of when the trace was opened */
        e->number = e->record = r->next_number + r->n_ahead;
        r->n_ahead++;
      }
    }
    if (ferror (r->file))
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s: its events cannot be read any more: %s", s->path,
                   g_strerror (errno));
  }
  *events = r->ahead + r->at;
  return r->n_ahead - r->at;
}

static size_t
next_events (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  Reader *r = (Reader *) s;
  const TraceEvent *ahead;
  size_t n = MIN (peek_events (s, &ahead, error), max);

  memcpy (events, ahead, n * sizeof *events);
  r->at += (uint32_t) n;
  r->next_number += n;
  return n;
}

/* The place is written as the beginning of what was read ahead, and how much of that was given. */
static void
save_place (TraceSource *s, EveBlob *to)
{
  const Reader *r = (const Reader *) s;

  eve_put_int (to, r->ahead_from);
  eve_put_int (to, (int64_t) r->number_from);
  eve_put_int (to, r->date_from);
  eve_put_int (to, r->at);
}

static bool
load_place (TraceSource *s, EveBlobView *from)
{
  Reader *r = (Reader *) s;
  const TraceEvent *ahead;
  int64_t place = eve_get_int (from);
  uint64_t number = (uint64_t) eve_get_int (from);
  int64_t date = eve_get_int (from), given = eve_get_int (from);

  rewind_trace (s);
  if (!eve_get_ok (from) || place < 0 || number > s->n_events || fseeko (r->file, place, SEEK_SET) != 0)
    return false;
  r->next_number = number;
  r->last_date = date;
  if (given == 0)
    return true;
  if (given < 0 || (size_t) given > peek_events (s, &ahead, NULL)) {
    rewind_trace (s);
    return false;
  }
  r->at = (uint32_t) given;
  r->next_number += (uint64_t) given;
  return true;
}

/* The kinds of this format have no fields. */
static TraceValue
value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  return (TraceValue) { .kind = TRACE_VALUE_NONE };
}

static const TraceFormat format = {
  .name = "@NAME@", .label = "@LABEL@", .model = "@LABEL@",
  .open = open_trace, .close = close_trace, .next = next_events, .peek = peek_events, .rewind = rewind_trace,
  .save = save_place, .load = load_place, .value = value,
};

TRACE_READER_PLUGIN (format, "my.@NAME@", "@LABEL@ reader", "reader:@NAME@",
                     "Reads traces of the format @NAME@: a line an event, DATE TASK NAME.");
