/* SPDX-License-Identifier: Apache-2.0 */
/* scope check: is a bundle, a program or a component as it should be? */
#include "cli/cli.h"
#include "eve/words.h"
#include "eve/memory.h"
#include <stdio.h>
#include <string.h>
#include "cli/text.h"
#include "session/generic.h"
#include "session/extend.h"
#include "session/guard.h"
#include "src/conformance/conformance.h"
#include "eve/visible.h"

#define MOST_FILES 1000
#define TRY_BYTES ((guint64) 4 << 30) /* beside what this program has */

static void
cli_check_on_warn (void *arg, const char *component, const char *sentence)
{
  g_string_append_printf (arg, "  %s: %s\n", component, sentence);
}

/* A full pass of the default program: only that meets every damage and every event the model does not allow.
 */
static void
print_problem (const char *sentence)
{
  g_autofree char *shown = visible_text (sentence, strlen (sentence));

  printf ("problem: %s\n", shown ? shown : sentence);
}

/* `by_name`: there are several simulators, and what one finds impossible another may not. */
static void
cli_check_tell_impossible (EveComponent *simulator, bool by_name, GString *text)
{
  const StateGraph *g = eve_query (simulator, "state-graph/1");

  for (guint i = 0; i < g->impossible->len; ++i) {
    g_autofree char *line = text_clean (g_strdup (g->impossible->pdata[i]));
    g_string_append_printf (text, "  impossible%s%s: %s\n", by_name ? " for " : "", by_name ? eve_name (simulator) : "",
                            line);
  }
  if (g->n_impossible > g->impossible->len)
    g_string_append_printf (text, _ ("  and %" PRIu64 " more\n"), g->n_impossible - g->impossible->len);
}

static int
check_bundle (const char *path, const char *format)
{
  g_autoptr (GString) text = g_string_new (NULL), warnings = g_string_new (NULL);
  SessionOptions options = {
    .trace = path, .format = format, .warn = cli_check_on_warn, .arg = warnings, .progress = cli_progress ()
  };
  GError *error = NULL;
  Session *s = session_open (&options, &error);

  if (!s)
    return cli_fail_error (path, error);
  if (!extend_go (s, INT64_MAX, cli_tell_part, NULL, NULL, &error)) {
    session_free (s);
    return cli_fail_error (path, error);
  }
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  uint64_t damaged = s->source->n_damaged, impossible = 0;
  for (guint i = 0; i < simulators->len; ++i)
    impossible += ((const StateGraph *) eve_query (simulators->pdata[i], "state-graph/1"))->n_impossible;
  g_string_append_printf (text,
                          _ ("%s: %" PRIu64 " events, %" PRIu64 " damaged records, %" PRIu64 " impossible events\n"),
                          s->source->name, s->source->n_events, damaged, impossible);
  cli_damage_text (s->source, text);
  for (guint i = 0; i < simulators->len; ++i)
    cli_check_tell_impossible (simulators->pdata[i], simulators->len > 1, text);
  if (!damaged && !impossible)
    g_string_append (text, warnings->str);
  session_free (s);
  cli_out (text);
  return damaged || impossible ? CLI_FAILED : CLI_OK;
}

static bool
cli_check_on_reading (void *unused, double share)
{
  const TraceProgress *told = cli_progress ();

  return told->report (told->arg, _ ("Reading the program"), share);
}

static bool
has_reader (EveProgram *p)
{
  const void *face;

  return eve_find_query (p, "trace-reader/1", &face) != NULL;
}

static void
add_problem (void *problems, const char *sentence)
{
  g_ptr_array_add (problems, g_strdup (sentence));
}

static int
check_program (const char *path)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  GError *error = NULL;
  const char *format = NULL;
  g_autofree char *read = generic_read (path), *shared = read ? generic_example (read, path, &format, &error) : NULL;
  EveProgram *p = error    ? NULL
                  : shared ? eve_program_parse_asking (shared, -1, path, problems, cli_check_on_reading, NULL, &error)
                           : eve_program_load_asking (path, problems, cli_check_on_reading, NULL, &error);

  if (!p)
    return cli_fail_error (path, error);
  /* A program without a reader is a part: it is to have open ends. */
  uint32_t open = has_reader (p) ? 0 : eve_n_open_ends (p), n_problems = problems->len - MIN (open, problems->len);
  if (!open && !eve_find_query (p, "session/1", NULL)) { /* a part has its wires where it is added */
    eve_program_tell_unfed (p, add_problem, problems);
    n_problems = problems->len;
  }
  g_autofree char *as = format ? g_strdup_printf (_ (", as it is for traces of the format %s"), format) : g_strdup ("");
  g_autofree char *ends = open ? g_strdup_printf (P_ (", a part with %u open end", ", a part with %u open ends", open),
                                                  open)
                               : g_strdup ("");
  g_string_append_printf (text, "%s: ", path);
  g_string_append_printf (text, P_ ("%u component", "%u components", eve_n_components (p)), eve_n_components (p));
  g_string_append (text, ", ");
  g_string_append_printf (text, P_ ("%u wire", "%u wires", eve_n_wires (p)), eve_n_wires (p));
  g_string_append_printf (text, "%s, ", ends);
  g_string_append_printf (text, P_ ("%u problem", "%u problems", n_problems), n_problems);
  g_string_append_printf (text, "%s\n", as);
  for (guint i = 0; i < problems->len; ++i)
    g_string_append_printf (text, "  %s\n", (char *) problems->pdata[i]);
  eve_program_free (p);
  cli_out (text);
  return n_problems ? CLI_FAILED : CLI_OK;
}

static void
cli_check_on_check (const char *check)
{
  guard_beat ();
  guard_doing (_ (", in the check \"%s\""), check);
}

/* What is tried may loop, fill the disk or the memory: not for long, and not much. */
static int
try_component (const char *path)
{
  setrlimit (RLIMIT_CPU, &(struct rlimit){ 20, 20 });
  setrlimit (RLIMIT_FSIZE, &(struct rlimit){ 1 << 20, 1 << 20 });
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  struct rlimit memory;
  if (getrlimit (RLIMIT_DATA, &memory) == 0) { /* also where nobody tells what the program has already */
    rlim_t most = MIN (memory_allocated () + TRY_BYTES, memory.rlim_cur);
    setrlimit (RLIMIT_DATA, &(struct rlimit){ most, most }); /* nor may it take more itself */
  }
  conformance_try_file (path);
  return CLI_OK;
}

static int
check_component (const char *path)
{
  conformance_set_told (cli_check_on_check);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  bool good = conformance_check_file (path, stdout, problems);

  for (guint i = 0; i < problems->len; ++i)
    print_problem (problems->pdata[i]);
  return good ? CLI_OK : CLI_FAILED;
}

static int
check_file (const char *path, const char *format, bool brief)
{
  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_str_has_suffix (path, ".trace"))
    return cli_fail (path, _ ("no such file or folder"));
  if (g_str_has_suffix (path, ".so") && brief)
    return try_component (path);
  if (g_str_has_suffix (path, ".so"))
    return check_component (path);
  cli_load_all_components ();
  if (g_str_has_suffix (path, ".trace") || g_file_test (path, G_FILE_TEST_IS_DIR))
    return check_bundle (path, format);
  if (g_str_has_suffix (path, ".eve"))
    return check_program (path);
  if (trace_is_foreign (path))
    return check_bundle (path, format);
  return cli_usage (path, _ ("what it is does not show; it is no trace of a format that is known; a bundle ends in "
                             ".trace, a program in .eve, a component in .so"));
}

static int
cli_check_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *format = NULL;
  gboolean brief = FALSE;
  const GOptionEntry entries[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    { "brief", 0, 0, G_OPTION_ARG_NONE, &brief,
      _ ("Of a component only whether it can be loaded and made, as is tried of one from elsewhere before it is used"),
      NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, MOST_FILES))
    return CLI_USAGE;
  int status = CLI_OK;
  for (int i = 1; i < argc && !cli_interrupted (); ++i) {
    guard_about (argv[i]);
    int its = check_file (argv[i], format, brief);
    status = MAX (status, its);
  }
  return status;
}

const CliCommand cli_check = {
  "check",
  "FILE...",
  N_ ("Checks bundles, programs (.eve) and components (.so), each by itself; exit status 1 if anything is wrong with "
      "one."),
  "  scope check traces/ring.trace\n  scope check schemas/tapepvm/default.eve\n  scope check "
  "build/components/gate.so\n",
  cli_check_command,
};
