/* SPDX-License-Identifier: Apache-2.0 */
/* scope state: the state graph at an instant. */
#include "cli/cli.h"
#include "eve/words.h"
#include <string.h>
#include "cli/text.h"
#include "session/extend.h"
#include "simulators/mirror.h"

/* One table: the id, then each attribute of a scope. */
static void
write_scope (const StateGraph *g, StateScope scope, int64_t at, GString *to)
{
  const StateModel *m = g->model;
  uint32_t n = state_count (g, scope);
  g_autofree uint32_t *order = state_sorted (g, scope);
  g_autoptr (GString) columns = g_string_new ("l");

  for (uint32_t a = 0; a < m->n_attributes; ++a)
    if (m->attributes[a].scope == scope)
      g_string_append_c (columns, m->attributes[a].n_values > 0 || m->attributes[a].kind == STATE_TEXT ? 'l' : 'r');
  Table *t = table_new (columns->str);
  table_cell (t, "%s", scope == STATE_NODE ? _ ("node") : _ ("edge"));
  for (uint32_t a = 0; a < m->n_attributes; ++a)
    if (m->attributes[a].scope == scope)
      table_cell (t, "%s", state_attribute_word (&m->attributes[a]));
  for (uint32_t i = 0; i < n; ++i) {
    g_autoptr (GString) cell = g_string_new (NULL);
    if (scope == STATE_NODE)
      g_string_append (cell, g->node_id (g, order[i]));
    else
      state_edge_id (g, order[i], cell);
    table_cell (t, "%s", cell->str);
    for (uint32_t a = 0; a < m->n_attributes; ++a)
      if (m->attributes[a].scope == scope) {
        g_string_truncate (cell, 0);
        state_text (g, a, order[i], at, cell);
        table_cell (t, "%s", m->attributes[a].n_values > 0 ? state_word (m, (int) a, cell->str) : cell->str);
      }
  }
  table_print (t, 2, to);
}

static void
cli_state_write_text (const StateGraph *g, const TraceSource *of, const char *name, int64_t at, GString *to)
{
  g_autofree char *date = text_date (&of->clock, at);

  uint32_t n_tasks = state_count (g, STATE_NODE), n_links = state_count (g, STATE_EDGE);
  g_autofree char *tasks = g_strdup_printf (P_ ("%u task", "%u tasks", n_tasks), n_tasks),
                  *links = g_strdup_printf (P_ ("%u link", "%u links", n_links), n_links);
  g_string_append_printf (to, _ ("%s at %s: %s, %s\n"), name, date, tasks, links);
  if (state_count (g, STATE_NODE)) {
    g_string_append (to, _ ("\nTasks\n"));
    write_scope (g, STATE_NODE, at, to);
  }
  if (state_count (g, STATE_EDGE)) {
    g_string_append (to, _ ("\nLinks\n"));
    write_scope (g, STATE_EDGE, at, to);
  }
}

typedef enum { FORM_TEXT, FORM_JSON, FORM_DOT } Form;

/* The graph that was chosen, or the only one: as it always was, also for a program that reads one trace. */
static void
write_one (const Session *s, int64_t at, Form form, GString *to)
{
  const TraceSource *of = trace_source (s->graph->source);

  if (form == FORM_JSON)
    state_json (s->graph, at, to);
  else if (form == FORM_DOT)
    state_dot (s->graph, at, to);
  else
    cli_state_write_text (s->graph, of ? of : s->source, of ? of->name : s->source->name, at, to);
}

/* A program that reads several traces: the graph of each execution, by name. */
static void
write_each (const GArray *executions, int64_t now, Form form, GString *to)
{
  Json j = { to, false };

  if (form == FORM_JSON)
    json_open (&j, NULL, '[');
  for (guint i = 0, n = 0; i < executions->len; ++i) {
    const SessionExecution *e = &g_array_index (executions, SessionExecution, i);
    const StateGraph *g = e->simulator ? eve_query (e->simulator, "state-graph/1") : NULL;
    if (!g)
      continue;
    int64_t at = MIN (now, MAX (e->source->first, e->source->last)); /* one that is over stays as it ended */
    if (form == FORM_JSON) {
      json_open (&j, NULL, '{');
      json_text (&j, "trace", e->name);
      json_text (&j, "simulator", eve_name (e->simulator));
      json_key (&j, "state");
      state_json (g, at, to);
      json_close (&j, '}');
      continue;
    }
    if (n++)
      g_string_append_c (to, '\n');
    if (form == FORM_DOT)
      state_dot (g, at, to);
    else
      cli_state_write_text (g, e->source, e->name, at, to);
  }
  if (form == FORM_JSON)
    json_close (&j, ']');
}

static void
cli_state_on_warn (void *arg, const char *component, const char *sentence)
{
}

/* Which of several simulators it is. */
static void
tell_choice (const Session *s)
{
  g_autofree char *told = session_simulator_told (s);

  if (told)
    cli_note (s->program_path, _ ("this is the state graph of %s%s"), told,
              strchr (told, ';') ? _ (" (--simulator asks for another)") : "");
}

static int
state_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *at_text = NULL, *format = NULL, *program = NULL, *simulator = NULL;
  gboolean json = FALSE, dot = FALSE;
  const GOptionEntry entries[] = {
    { "at", 0, 0, G_OPTION_ARG_STRING, &at_text, _ ("The instant: just after the last event dated at most T"), "T" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, _ ("One JSON object"), NULL },
    { "dot", 0, 0, G_OPTION_ARG_NONE, &dot, _ ("The graph in Graphviz's language"), NULL },
    { "program", 0, 0, G_OPTION_ARG_FILENAME, &program, _ ("The program that rebuilds the state"), "FILE" },
    { "simulator", 0, 0, G_OPTION_ARG_STRING, &simulator,
      _ ("Whose graph, of a program with several simulators: its name; otherwise the first that gets the whole trace"),
      "NAME" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  GError *error = NULL;
  int64_t at = 0;

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    return CLI_USAGE;
  if (!at_text)
    return cli_usage (self->name, _ ("say which instant with --at T"));
  if (json && dot)
    return cli_usage (self->name, _ ("--json and --dot exclude each other"));
  cli_load_components ();
  SessionOptions options = { .trace = argv[1],
                             .more = cli_more (argc, argv),
                             .format = format,
                             .program = program,
                             .warn = cli_state_on_warn,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };
  Session *s = session_open (&options, &error);
  if (!s)
    return cli_fail_error (argv[1], error);
  cli_note_program (s);
  g_autoptr (GString) text = g_string_new (NULL);
  int status = cli_time (s->source, "--at", at_text, &at);
  if (!status && !extend_go (s, at, cli_tell_part, NULL, NULL, &error))
    status = cli_fail_error (argv[1], error);
  if (!status && !s->graph)
    status = cli_fail (s->program_path, _ ("the program has no simulator, so there is no state graph"));
  if (!status && simulator && !session_choose_simulator (s, simulator, &error))
    status = cli_fail_error (argv[1], error);
  g_autoptr (GArray) executions = session_executions (s);
  if (!status && !simulator && executions->len < 2)
    tell_choice (s);
  if (!status) {
    if (at < s->first && !json && !dot) {
      g_autofree char *first = text_date (&s->source->clock, s->first);
      cli_note ("--at", _ ("nothing has happened yet: the first event is at %s%s"), first,
                s->source->clock.zero ? _ ("; +1.5 is 1.5 s from the beginning") : "");
    }
    at = session_instant (s, at);
    Form form = json ? FORM_JSON : dot ? FORM_DOT : FORM_TEXT;
    if (executions->len > 1 && !simulator)
      write_each (executions, at, form, text);
    else
      write_one (s, at, form, text);
    if (text->len && text->str[text->len - 1] != '\n')
      g_string_append_c (text, '\n');
    cli_out (text);
    cli_note_faults (s, argv[1]);
    status = cli_missing (s->program, s->problems);
  }
  session_free (s);
  return status;
}

const CliCommand cli_state = {
  "state",
  "TRACE [TRACE...]",
  N_ ("Prints the state graph at an instant, of several traces that of each: every task, link and attribute."),
  "  scope state traces/ring.trace --at 0.5\n  scope state traces/ring.trace --at 0.5 --dot | dot -Tsvg > "
  "state.svg\n",
  state_command,
};
