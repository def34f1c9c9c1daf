/* SPDX-License-Identifier: Apache-2.0 */
/* scope info: what a bundle holds. */
#include "cli/cli.h"
#include "eve/words.h"
#include <string.h>
#include "cli/text.h"
#include "readers/counts.h"
#include "readers/live.h"
#include "session/places.h"

#define BLOCK 1024       /* events read at once */
#define TASKS_LISTED 40u /* unless all are asked for */

typedef struct Info {
  TraceSource *s;
  uint64_t *kinds, *ends; /* by kind: beginnings and instants; ends */
  GArray *tasks;          /* of uint64_t: events by task, and what they are (readers/counts.h) */
  char *doc;              /* folder, or NULL */
  GPtrArray *programs;
  const char *reader;
  TraceWriter writer;
  bool all; /* tasks are listed */
} Info;

static const char *
writer_words (const Info *info)
{
  return info->writer == TRACE_WRITER_WORKS ? _ ("still being written; “--follow” goes along")
         : info->writer == TRACE_WRITER_GONE
             ? _ ("its writer is gone without having ended it; this is all that it wrote")
             : NULL;
}

/* One pass over the trace: only that finds every damaged record; where it was made before, what it found is known. */
static bool
info_count (Info *info, GError **error)
{
  g_autofree TraceEvent *events = g_new (TraceEvent, BLOCK);
  const TraceProgress *progress = cli_progress ();
  TraceSource *s = info->s;
  uint64_t read = 0;
  const TraceEvent *given;
  size_t n;
  GError *failed = NULL;

  g_array_set_size (info->tasks, s->tasks->len);
  if (trace_counts (s, info->kinds, info->ends, (uint64_t *) (void *) info->tasks->data))
    return true;
  while ((n = trace_take (s, &given, BLOCK, &failed)) > 0
         || (!failed && (given = events, n = trace_next (s, events, BLOCK, &failed)) > 0)) {
    for (size_t i = 0; i < n; ++i) {
      const TraceEvent *e = &given[i];
      ++(e->flags & TRACE_END ? info->ends : info->kinds)[e->kind];
      if (e->task != TRACE_NONE && e->task >= info->tasks->len)
        g_array_set_size (info->tasks, e->task + 1);
      if (e->task != TRACE_NONE) {
        uint64_t *of_task = &g_array_index (info->tasks, uint64_t, e->task);
        *of_task = (*of_task + 1) | trace_count_of_kind (&s->kinds[e->kind]);
      }
    }
    read += n;
    if (!progress->report (progress->arg, "reading", (double) read / (double) MAX (s->n_events, 1))) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
      return false;
    }
  }
  if (failed)
    g_propagate_error (error, failed);
  return !failed;
}

static uint64_t
info_events_of (const Info *info, guint task)
{
  return task < info->tasks->len ? g_array_index (info->tasks, uint64_t, task) & TRACE_COUNT_EVENTS : 0;
}

static int
info_by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Files of the documentation, sorted. */
static GPtrArray *
documents (const char *folder)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = folder ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_ptr_array_add (files, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (files, info_by_name);
  return files;
}

static void
info_write_json (const Info *info, GString *to)
{
  const TraceSource *s = info->s;
  g_autoptr (GPtrArray) docs = documents (info->doc);
  Json j = { to, false };

  json_open (&j, NULL, '{');
  json_text (&j, "trace", s->name);
  json_text (&j, "path", s->path);
  json_text (&j, "format", s->format->name);
  json_text (&j, "reader", info->reader);
  json_text (&j, "model", s->format->model);
  json_int (&j, "ticks_per_second", s->own_ticks);
  if (s->n_events) {
    json_date (&j, "first", &s->clock, s->first);
    json_date (&j, "last", &s->clock, s->last);
  } else {
    json_text (&j, "first", NULL);
    json_text (&j, "last", NULL);
  }
  json_text (&j, "writer",
             info->writer == TRACE_WRITER_WORKS   ? "at work"
             : info->writer == TRACE_WRITER_ENDED ? "ended"
             : info->writer == TRACE_WRITER_GONE  ? "gone"
                                                  : NULL);
  json_count (&j, "records", s->n_records);
  json_count (&j, "events", s->n_events);
  json_open (&j, "hosts", '[');
  for (guint i = 0; i < s->hosts->len; ++i) {
    const TraceHost *h = s->hosts->pdata[i];
    json_open (&j, NULL, '{');
    json_text (&j, "name", h->name);
    json_text (&j, "arch", h->arch ? h->arch : "");
    json_int (&j, "speed", h->speed);
    json_close (&j, '}');
  }
  json_close (&j, ']');
  json_open (&j, "tasks", '[');
  for (guint i = 0; i < s->tasks->len; ++i) {
    const TraceTask *t = s->tasks->pdata[i];
    json_open (&j, NULL, '{');
    json_text (&j, "id", t->id);
    json_text (&j, "nickname", t->nickname);
    json_text (&j, "host", t->host < s->hosts->len ? ((TraceHost *) s->hosts->pdata[t->host])->name : NULL);
    json_text (&j, "program", t->program);
    json_text (&j, "type", t->type < s->types->len ? ((TraceType *) s->types->pdata[t->type])->name : NULL);
    json_text (&j, "inside", t->parent < s->tasks->len ? trace_task_id (s, t->parent) : NULL);
    json_count (&j, "events", info_events_of (info, i));
    json_close (&j, '}');
  }
  json_close (&j, ']');
  json_open (&j, "objects", '[');
  for (guint i = 0; i < s->objects->len; ++i)
    json_text (&j, NULL, ((TraceObject *) s->objects->pdata[i])->id);
  json_close (&j, ']');
  json_open (&j, "kinds", '[');
  for (uint32_t i = 0; i < s->n_kinds; ++i)
    if (info->kinds[i] || info->ends[i]) {
      json_open (&j, NULL, '{');
      json_text (&j, "name", s->kinds[i].name);
      json_text (&j, "category", s->kinds[i].category);
      json_count (&j, "begun", info->kinds[i]);
      json_count (&j, "ended", info->ends[i]);
      json_close (&j, '}');
    }
  json_close (&j, ']');
  const CliHolds holds = cli_holds (s, info->kinds, info->tasks);
  json_open (&j, "holds", '{');
  json_count (&j, "tasks", holds.tasks);
  json_count (&j, "around", holds.around);
  json_count (&j, "besides", holds.besides);
  json_count (&j, "things", holds.things);
  json_count (&j, "calls", holds.calls);
  json_count (&j, "sent", holds.sent);
  json_count (&j, "received", holds.received);
  json_count (&j, "together", holds.together);
  json_count (&j, "values", holds.values);
  json_count (&j, "memory", holds.memory);
  json_count (&j, "others", holds.others);
  json_close (&j, '}');
  json_open (&j, "parts", '[');
  for (guint i = 0; i < s->parts->len; i++) {
    const TracePart *part = &g_array_index (s->parts, TracePart, i);
    json_open (&j, NULL, '{');
    json_text (&j, "name", part->name);
    json_count (&j, "count", part->n);
    json_count (&j, "whole", part->whole);
    json_close (&j, '}');
  }
  json_close (&j, ']');
  json_count (&j, "damaged", s->n_damaged);
  json_open (&j, "damage", '[');
  for (guint i = 0; i < s->damage->len; ++i) {
    const TraceDamage *d = s->damage->pdata[i];
    json_open (&j, NULL, '{');
    json_text (&j, "file", d->file);
    json_count (&j, d->line ? "line" : "offset", d->line ? d->line : d->column);
    if (d->line)
      json_count (&j, "column", d->column);
    json_text (&j, "reason", d->reason);
    json_close (&j, '}');
  }
  json_close (&j, ']');
  json_clocks (&j, s);
  json_open (&j, "documentation", '[');
  for (guint i = 0; i < docs->len; ++i)
    json_text (&j, NULL, docs->pdata[i]);
  json_close (&j, ']');
  json_open (&j, "programs", '[');
  for (guint i = 0; i < info->programs->len; ++i) {
    const PlacesProgram *p = info->programs->pdata[i];
    json_open (&j, NULL, '{');
    json_text (&j, "file", p->path);
    json_text (&j, "title", p->title);
    json_text (&j, "doc", p->doc);
    json_close (&j, '}');
  }
  json_close (&j, ']');
  json_close (&j, '}');
  g_string_append_c (to, '\n');
}

static const char *const task_heads[] = { N_ ("task"), N_ ("nickname"), N_ ("program"), N_ ("host"), N_ ("arch") };

/* What the column tells of a task; "": nothing. */
static const char *
task_fact (const TraceSource *s, guint i, size_t column)
{
  const TraceTask *task = s->tasks->pdata[i];
  const TraceHost *h = task->host < s->hosts->len ? s->hosts->pdata[task->host] : NULL;
  const char *const facts[G_N_ELEMENTS (task_heads)] = { task->id, task->nickname, task->program, h ? h->name : NULL,
                                                         h ? h->arch : NULL };

  return facts[column] ? facts[column] : "";
}

/* Columns that tell nothing of any task are left out. */
static void
write_tasks (const Info *info, GString *to)
{
  const TraceSource *s = info->s;
  bool told[G_N_ELEMENTS (task_heads)] = { true };
  g_autoptr (GString) form = g_string_new (NULL);

  for (guint i = 0; i < s->tasks->len; ++i)
    for (size_t column = 1; column < G_N_ELEMENTS (task_heads); ++column)
      told[column] |= *task_fact (s, i, column) != 0;
  for (size_t column = 0; column < G_N_ELEMENTS (task_heads); ++column)
    if (told[column])
      g_string_append_c (form, 'l');
  g_string_append_c (form, 'r');
  Table *t = table_new (form->str);
  guint n_things = trace_n_things (s); /* which do nothing, and are counted apart */
  if (n_things > 0 && n_things < s->tasks->len)
    g_string_append_printf (to, _ ("\nTasks (%u) and things that they use (%u)\n"), s->tasks->len - n_things, n_things);
  else
    g_string_append_printf (to, _ ("\nTasks (%u)\n"), s->tasks->len);
  for (size_t column = 0; column < G_N_ELEMENTS (task_heads); ++column)
    if (told[column])
      table_cell (t, "%s", _ (task_heads[column]));
  table_cell (t, "%s", _ ("events"));
  guint n = info->all || s->tasks->len <= TASKS_LISTED + 1 ? s->tasks->len : TASKS_LISTED;
  for (guint i = 0; i < n; ++i) {
    for (size_t column = 0; column < G_N_ELEMENTS (task_heads); ++column)
      if (told[column])
        table_cell (t, "%s", task_fact (s, i, column));
    table_cell (t, "%" G_GUINT64_FORMAT, info_events_of (info, i));
  }
  table_print (t, 2, to);
  if (n < s->tasks->len)
    g_string_append_printf (to, _ ("  and %u more: --all lists them\n"), s->tasks->len - n);
}

/* Kinds that differ in their fields alone are one row. */
static void
write_kinds (const Info *info, Table *t)
{
  const TraceSource *s = info->s;
  g_autoptr (GHashTable) first = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree uint64_t *begun = g_memdup2 (info->kinds, s->n_kinds * sizeof *begun),
                      *ended = g_memdup2 (info->ends, s->n_kinds * sizeof *ended);
  gpointer of;

  for (uint32_t i = 0; i < s->n_kinds; ++i) {
    char *name = g_strconcat (s->kinds[i].name, "\n", s->kinds[i].instant ? "" : "+", s->kinds[i].category, NULL);
    if (!g_hash_table_lookup_extended (first, name, NULL, &of)) {
      g_hash_table_insert (first, name, GUINT_TO_POINTER (i));
      continue;
    }
    begun[GPOINTER_TO_UINT (of)] += begun[i];
    ended[GPOINTER_TO_UINT (of)] += ended[i];
    begun[i] = ended[i] = 0;
    g_free (name);
  }
  for (uint32_t i = 0; i < s->n_kinds; ++i)
    if (begun[i] || ended[i]) {
      table_cell (t, "%s", s->kinds[i].name);
      table_cell (t, "%" G_GUINT64_FORMAT, begun[i]);
      table_cell (t, s->kinds[i].instant ? "-" : "%" G_GUINT64_FORMAT, ended[i]);
      table_cell (t, "%s", s->kinds[i].category);
    }
}

/* What to type next, with a program that is on offer. */
static void
tell_how (const Info *info, GString *to)
{
  g_autofree char *file = NULL;

  for (guint i = 0; i < info->programs->len && g_strcmp0 (file, "waits.eve") != 0; ++i) {
    g_free (file);
    file = g_path_get_basename (((const PlacesProgram *) info->programs->pdata[i])->path);
  }
  g_string_append_printf (to, _ ("  One of them without a window: scope run TRACE --program %.*s --out DIR\n"),
                          (int) strcspn (file, "."), file);
}

/* "streams: 2, packets: 7 (6 whole)": what its files are made of. */
static void
write_parts (const TraceSource *s, GString *to)
{
  g_autoptr (GString) told = g_string_new (NULL);

  for (guint i = 0; i < s->parts->len; i++) {
    const TracePart *part = &g_array_index (s->parts, TracePart, i);
    if (part->n == 0)
      continue;
    g_string_append_printf (told, "%s%s: %" PRIu64, told->len ? ", " : "", in_words (part->name), part->n);
    if (part->whole < part->n)
      g_string_append_printf (told, _ (" (%" PRIu64 " whole)"), part->whole);
  }
  if (told->len)
    text_line (to, N_ ("parts"), "%s", told->str);
}

static void
info_write_text (const Info *info, GString *to)
{
  const TraceSource *s = info->s;
  g_autoptr (GPtrArray) docs = documents (info->doc);
  Table *t;

  g_autofree char *name = text_clean (g_strdup (s->name));
  g_string_append_printf (to, _ ("%s: an execution, as %s %s trace tells it\n"), name, text_article (s->format->label),
                          in_words (s->format->label));
  text_line (to, N_ ("bundle"), "%s", s->path);
  const CliHolds holds = cli_holds (s, info->kinds, info->tasks);
  g_autofree char *told = cli_holds_told (s, &holds, info->tasks);
  text_line (to, N_ ("holds"), "%s", told);
  text_line (to, N_ ("format"), _ ("%s (%s), read by %s"), s->format->name, in_words (s->format->label), info->reader);
  if (s->n_events) {
    g_autofree char *first = text_date (&s->clock, s->first), *last = text_date (&s->clock, s->last);
    double lasts = trace_clock_seconds (&s->clock, s->last - s->first);
    g_autofree char *span = s->clock.dates ? g_strdup_printf ("%.0f %s", lasts, s->clock.units) : text_seconds (lasts);
    text_began (to, s);
    text_line (to, N_ ("time"), _ ("%s to %s (%s)"), first, last, span);
  }
  if (trace_is_foreign (s->path)) {
    g_autofree char *clocks = trace_clocks_tell (s);
    text_line (to, N_ ("clocks"), "%s", clocks);
  }
  text_line (to, N_ ("events"),
             P_ ("%" PRIu64 ", of %" PRIu64 " record", "%" PRIu64 ", of %" PRIu64 " records", s->n_records),
             s->n_events, s->n_records);
  write_parts (s, to);
  if (writer_words (info))
    text_line (to, N_ ("writer"), "%s", writer_words (info));
  if (s->n_damaged)
    text_line (to, N_ ("damaged"), P_ ("%" PRIu64 " record", "%" PRIu64 " records", s->n_damaged), s->n_damaged);
  else
    text_line (to, N_ ("damaged"), "%s", _ ("none"));
  write_tasks (info, to);

  t = table_new ("lrrl");
  g_string_append (to, _ ("\nEvents by kind\n"));
  table_heads (t, N_ ("kind"), N_ ("begun"), N_ ("ended"), N_ ("category"));
  write_kinds (info, t);
  table_print (t, 2, to);

  if (s->damage->len) {
    g_string_append (to, s->n_damaged ? _ ("\nDamaged records\n") : "\nRemarks\n");
    cli_damage_text (s, to);
  }
  if (docs->len)
    g_string_append (to, "\nDocumentation\n");
  for (guint i = 0; i < docs->len; ++i)
    g_string_append_printf (to, "  %s\n", (char *) docs->pdata[i]);

  t = table_new ("ll");
  g_string_append (to, info->programs->len ? _ ("\nPrograms on offer\n")
                                           : _ ("\nNo program is on offer for this format.\n"));
  for (guint i = 0; i < info->programs->len; ++i) {
    const PlacesProgram *p = info->programs->pdata[i];
    g_autofree char *file = g_path_get_basename (p->path);
    table_row (t, file, in_words (p->title));
  }
  table_print (t, 2, to);
  if (info->programs->len)
    tell_how (info, to);
}

char *
cli_damage_line (const TraceDamage *d)
{
  g_autofree char *reason = text_clean (g_strdup (d->reason));

  return d->line
             ? g_strdup_printf (_ ("%s, line %" PRIu64 ", column %" PRIu64 ": %s"), d->file, d->line, d->column, reason)
             : g_strdup_printf (_ ("%s, offset %" PRIu64 ": %s"), d->file, d->column, reason);
}

void
cli_damage_text (const TraceSource *s, GString *to)
{
  for (guint i = 0; i < s->damage->len; ++i) {
    g_autofree char *line = cli_damage_line (s->damage->pdata[i]);
    g_string_append_printf (to, "  %s\n", line);
  }
  if (s->n_damaged > s->damage->len)
    g_string_append_printf (to, _ ("  and %" PRIu64 " more\n"), s->n_damaged - s->damage->len);
}

int
cli_info_text (const char *trace, const char *format, bool json, bool all, GString *to)
{
  GError *error = NULL;
  TraceOptions options = { .progress = cli_progress () };
  TraceBundle *bundle;
  Info info = { .all = all };
  int status = CLI_OK;

  cli_load_components ();
  if (!cli_clocks_by (&options))
    return CLI_USAGE;
  if (!(info.s = trace_open (trace, format, &options, &error)))
    return cli_fail_error (trace, error);
  g_autofree char *provides = g_strconcat ("reader:", info.s->format->name, NULL);
  const EveClass *reader = eve_registry_find_provider (provides);
  info.reader = reader ? reader->id : "?";
  info.kinds = g_new0 (uint64_t, info.s->n_kinds);
  info.ends = g_new0 (uint64_t, info.s->n_kinds);
  info.tasks = g_array_new (FALSE, TRUE, sizeof (uint64_t));
  info.programs = places_programs (info.s->format->name);
  if ((bundle = trace_bundle_open (trace, NULL))) {
    g_autofree char *folder = trace_bundle_data (bundle, info.s->format->name);
    info.writer = trace_writer (folder, NULL);
    info.doc = g_strdup (bundle->doc);
    trace_bundle_free (bundle);
  }
  if (!info_count (&info, &error))
    status = cli_fail_error (trace, error);
  else if (json)
    info_write_json (&info, to);
  else
    info_write_text (&info, to);
  g_free (info.kinds);
  g_free (info.ends);
  g_array_unref (info.tasks);
  g_ptr_array_unref (info.programs);
  g_free (info.doc);
  trace_close (info.s);
  return status;
}

static int
info_command (const CliCommand *self, int argc, char **argv)
{
  gboolean json = FALSE, all = FALSE;
  g_autofree char *format = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, _ ("One JSON object"), NULL },
    { "all", 0, 0, G_OPTION_ARG_NONE, &all, _ ("List all tasks, however many there are"), NULL },
    CLI_CLOCKS,
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  g_autoptr (GString) text = g_string_new (NULL);
  int status = cli_info_text (argv[1], format, json, all, text);
  if (status == CLI_OK)
    cli_out (text);
  return status;
}

const CliCommand cli_info = {
  "info",
  "TRACE",
  N_ ("Tells what a trace holds: tasks, dates, events by kind, damaged records, programs on offer."),
  "  scope info traces/ring.trace\n  scope info traces/ring.trace --json | jq .events\n",
  info_command,
};
