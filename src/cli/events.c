/* SPDX-License-Identifier: Apache-2.0 */
/* scope events: the events of a trace in date order. */
#include "cli/cli.h"
#include "cli/open-calls.h"
#include "eve/words.h"
#include <stdio.h>
#include <string.h>
#include "cli/text.h"
#include "eve/nearest.h"
#include "readers/live.h"

#define BLOCK 1024
#define PIECE (64 * 1024) /* bytes gathered before they are written */

typedef struct Filter {
  int64_t from, to;
  bool *kinds;       /* wanted, by index; NULL: all */
  char **ids;        /* tasks wanted; NULL: all */
  bool *found;       /* by id: there is such a task */
  GArray *tasks;     /* of bool, by index: wanted; as long as the tasks known */
  TraceEvent beside; /* that others are compared with */
  bool is_beside;
  OpenCalls *open; /* only calls that never ended; NULL: whatever there is */
  GArray *never;   /* of TraceEvent: those that the trace itself says so of */
} Filter;

/* Names of kinds without regard to case, with or without "End", which then means the end alone. */
static bool
same_kind (const TraceKind *k, const char *name)
{
  return !g_ascii_strcasecmp (k->name, name) || (k->end_name && !g_ascii_strcasecmp (k->end_name, name));
}

static void
cli_events_offer_kinds (void *source, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = source;

  for (uint32_t i = 0; i < s->n_kinds; ++i) {
    add (to, s->kinds[i].name);
    if (s->kinds[i].end_name)
      add (to, s->kinds[i].end_name);
  }
}

static void
cli_events_offer_tasks (void *source, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = source;

  for (uint32_t i = 0; i < s->tasks->len; ++i) {
    add (to, trace_task_id (s, i));
    add (to, trace_task_name (s, i));
  }
}

static int
choose_kinds (const TraceSource *s, char **names, Filter *f)
{
  if (!names)
    return CLI_OK;
  f->kinds = g_new0 (bool, 2 * (gsize) s->n_kinds); /* beginnings, then ends */
  for (char **name = names; *name; ++name) {
    bool found = false;
    for (uint32_t i = 0; i < s->n_kinds; ++i)
      if (same_kind (&s->kinds[i], *name)) {
        bool end_only = g_ascii_strcasecmp (s->kinds[i].name, *name) != 0;
        f->kinds[i] |= !end_only;
        f->kinds[s->n_kinds + i] = found = true;
      }
    if (found)
      continue;
    g_autofree char *nearest = eve_nearest_told (*name, cli_events_offer_kinds, (void *) s);
    return cli_fail (
        "--kind",
        _ ("\"%s\": traces in the format %s have no events of this kind%s; `scope info` lists those of a trace"), *name,
        s->format->name, nearest);
  }
  return CLI_OK;
}

/* Tasks are known when their first event is read, so names are looked up then. */
static bool
wanted_task (Filter *f, const TraceSource *s, uint32_t task)
{
  if (task == TRACE_NONE)
    return false;
  while (f->tasks->len <= task) {
    bool named = false;
    for (int i = 0; f->ids[i]; ++i)
      if (g_str_equal (trace_task_id (s, f->tasks->len), f->ids[i])
          || g_str_equal (trace_task_name (s, f->tasks->len), f->ids[i]))
        named = f->found[i] = true;
    g_array_append_val (f->tasks, named);
  }
  return g_array_index (f->tasks, bool, task);
}

static bool
cli_events_wanted (Filter *f, const TraceSource *s, const TraceEvent *e)
{
  if (e->date < f->from)
    return false;
  if (f->ids && !wanted_task (f, s, e->task))
    return false;
  return !f->kinds || f->kinds[e->kind + (e->flags & TRACE_END ? s->n_kinds : 0)];
}

static const char *const came_words[] = { N_ ("before"), N_ ("same"), N_ ("after"), N_ ("beside") };

/* Finds the event that the others are compared with, and begins again. */
static int
find_beside (TraceSource *s, int64_t number, Filter *f)
{
  GError *error = NULL;

  if (number < 1 || (uint64_t) number > s->n_events)
    return cli_usage ("--beside", _ ("events are numbered from 1 to %" PRIu64), s->n_events);
  while (trace_next (s, &f->beside, 1, &error) && f->beside.number + 1 < (uint64_t) number)
    ;
  if (error)
    return cli_fail_error (s->name, error);
  f->is_beside = true;
  s->format->rewind (s);
  return CLI_OK;
}

/* Dates stand with their points below each other: `whole` characters before it, `digits` at most behind. */
static void
write_line (const TraceSource *s, const TraceEvent *e, int whole, int digits, GString *to)
{
  g_autofree char *sentence = text_clean (trace_sentence (e));
  char date[64];

  trace_clock_print (&s->clock, e->date, date, sizeof date);
  int before = (int) strcspn (date, ".");
  g_string_append_printf (to, "%*s%-*s  %s\n", MAX (0, whole - before), "", before + 1 + digits, date, sentence);
}

/* Of a trace that grows, with what was found so far written out; false: nothing more that is wanted will come. */
static bool
wait_for_more (TraceSource *s, const Filter *f, GString *text)
{
  bool listens = !trace_may_grow (s) || (cli_out (text) && fflush (stdout) == 0);

  if (trace_may_grow (s))
    g_string_truncate (text, 0);
  while (trace_may_grow (s) && s->last <= f->to && listens && cli_wait ())
    if (trace_look (s))
      return true;
  return false;
}

static void
take_open (const TraceSource *s, Filter *f, const TraceEvent *e)
{
  TraceEvent whole;

  if (e->flags & TRACE_UNFINISHED)
    g_array_append_vals (f->never, e, 1);
  else if (e->flags & TRACE_OPEN && !(e->flags & TRACE_END))
    open_calls_begin (f->open, e);
  else if (e->flags & TRACE_END)
    open_calls_end (f->open, e, &whole);
}

static int
cli_events_by_number (const void *a, const void *b)
{
  const TraceEvent *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

static void
cli_events_write (const TraceSource *s, const Filter *f, const TraceEvent *e, bool json, int whole, int digits,
                  GString *text)
{
  if (json) {
    trace_json (e, text);
    if (f->is_beside) { /* one member more */
      g_string_truncate (text, text->len - 1);
      g_string_append_printf (text, ", \"beside\": \"%s\"}", came_words[trace_compare (e, &f->beside)]);
    }
    g_string_append_c (text, '\n');
    return;
  }
  if (f->is_beside)
    g_string_append_printf (text, "%-6s  ", in_words (came_words[trace_compare (e, &f->beside)]));
  write_line (s, e, whole, digits, text);
}

static void
write_open (const TraceSource *s, Filter *f, bool json, int whole, int digits, GString *text)
{
  g_autoptr (GArray) left = open_calls_left (f->open);

  g_array_append_vals (f->never, left->data, left->len);
  g_array_sort (f->never, cli_events_by_number);
  for (guint i = 0; i < f->never->len; ++i) {
    const TraceEvent *e = &g_array_index (f->never, TraceEvent, i);
    if (e->date <= f->to && open_calls_may_wait (s, e) && cli_events_wanted (f, s, e))
      cli_events_write (s, f, e, json, whole, digits, text);
  }
}

/* Streams what the filter wants. */
static bool
cli_events_print (TraceSource *s, Filter *f, bool json, GError **error)
{
  g_autofree TraceEvent *events = g_new (TraceEvent, BLOCK);
  g_autoptr (GString) text = g_string_sized_new (PIECE + 4096);
  const TraceProgress *progress = cli_progress ();
  GError *failed = NULL;
  uint64_t read = 0;
  size_t n;
  char last[64];

  trace_clock_print (&s->clock, MAX (s->first, s->last), last, sizeof last);
  int whole = (int) strcspn (last, "."), digits = 0;
  for (int64_t t = s->clock.ticks_per_second; t > 1; t /= 10)
    ++digits;
  for (;;) {
    n = trace_next (s, events, BLOCK, &failed);
    if (!n && (failed || !wait_for_more (s, f, text)))
      break;
    for (size_t i = 0; i < n; ++i) {
      if (f->open) {
        cli_events_wanted (f, s, &events[i]); /* so that all tasks are known */
        take_open (s, f, &events[i]);
        continue;
      }
      if (events[i].date > f->to)
        return cli_out (text), true;
      if (!cli_events_wanted (f, s, &events[i]))
        continue;
      cli_events_write (s, f, &events[i], json, whole, digits, text);
      if (text->len >= PIECE) {
        if (!cli_out (text))
          return true; /* nobody listens: cli_end() tells */
        g_string_truncate (text, 0);
      }
    }
    read += n;
    if (n && !trace_may_grow (s)
        && !progress->report (progress->arg, "reading", (double) read / (double) MAX (s->n_events, 1))) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
      break;
    }
  }
  if (f->open && !failed)
    write_open (s, f, json, whole, digits, text);
  cli_out (text);
  if (failed)
    g_propagate_error (error, failed);
  return !failed && !cli_interrupted ();
}

static int
events_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *from = NULL, *to = NULL, *format = NULL;
  g_auto (GStrv) tasks = NULL, kinds = NULL;
  gboolean json = FALSE, follow = FALSE, unended = FALSE;
  int64_t beside = 0;
  const GOptionEntry entries[] = {
    { "from", 0, 0, G_OPTION_ARG_STRING, &from, _ ("Events dated at least T"), "T" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, _ ("Events dated at most T"), "T" },
    { "task", 0, 0, G_OPTION_ARG_STRING_ARRAY, &tasks, _ ("Events of this task; may be repeated"), "ID" },
    { "kind", 0, 0, G_OPTION_ARG_STRING_ARRAY, &kinds,
      _ ("Events of this kind: Send with its ends, EndSend the ends alone; may be repeated"), "K" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, _ ("One JSON object a line, with every field"), NULL },
    { "follow", 0, 0, G_OPTION_ARG_NONE, &follow, _ ("Go on as the trace grows, until its writer ends or Ctrl-C"),
      NULL },
    { "beside", 0, 0, G_OPTION_ARG_INT64, &beside,
      _ ("Tells of each whether it came before, after or beside event N, from 1: neither could know of the other"),
      "N" },
    { "unended", 0, 0, G_OPTION_ARG_NONE, &unended,
      _ ("Only the beginnings of calls that wait for others, or could, and never ended"), NULL },
    CLI_CLOCKS,
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  GError *error = NULL;
  TraceOptions options = { .progress = cli_progress () };
  Filter f = { .from = INT64_MIN, .to = INT64_MAX };

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  if (!cli_clocks_by (&options))
    return CLI_USAGE;
  cli_load_components ();
  options.follow = follow;
  if (unended && follow)
    return cli_usage ("--unended", _ ("which calls never end is known when nothing more comes; leave out --follow"));
  TraceSource *s = trace_open (argv[1], format, &options, &error);
  if (!s)
    return cli_fail_error (argv[1], error);
  int status = from ? cli_time (s, "--from", from, &f.from) : CLI_OK;
  if (!status && to)
    status = cli_time (s, "--to", to, &f.to);
  if (!status && from && to && f.from > f.to)
    status = cli_usage ("--to", _ ("%s lies before --from %s"), to, from);
  if (tasks) {
    f.ids = tasks;
    f.found = g_new0 (bool, g_strv_length (tasks));
    f.tasks = g_array_new (FALSE, TRUE, sizeof (bool));
  }
  if (!status)
    status = choose_kinds (s, kinds, &f);
  if (!status && beside != 0)
    status = find_beside (s, beside, &f);
  if (unended) {
    f.open = open_calls_new (s);
    f.never = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  }
  if (!status && from && !unended && s->format->seek && !trace_seek (s, f.from, &error))
    status = cli_fail_error (argv[1], error);
  if (!status && !cli_events_print (s, &f, json, &error))
    status = cli_fail_error (argv[1], error);
  /* Only who has read everything knows that a task is not there. */
  for (int i = 0; !status && tasks && !from && !to && tasks[i]; ++i)
    if (!f.found[i]) {
      g_autofree char *nearest = eve_nearest_told (tasks[i], cli_events_offer_tasks, s);
      status = cli_fail ("--task", _ ("the trace has no task %s%s; `scope info` lists its tasks"), tasks[i], nearest);
    }
  if (!status)
    cli_note_damaged (argv[1], s);
  g_clear_pointer (&f.open, open_calls_free);
  g_clear_pointer (&f.never, g_array_unref);
  g_free (f.kinds);
  g_free (f.found);
  if (f.tasks)
    g_array_unref (f.tasks);
  trace_close (s);
  return status;
}

const CliCommand cli_events = {
  "events",
  "TRACE",
  N_ ("Prints the events of a trace in date order, a sentence each."),
  "  scope events traces/ring.trace --from 0.5 --to 0.6 --kind send\n"
  "  scope events traces/ring.trace --json | jq 'select(.bytes > 1000)'\n",
  events_command,
};
