/* SPDX-License-Identifier: Apache-2.0 */
/* scope - chooses the command. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "eve/words.h"
#include "config.h"
#include "session/film.h"
#include "session/guard.h"
#include "session/places.h"
#include "session/plugins.h"
#include "eve/disk.h"
#include "eve/language.h"
#include "eve/nearest.h"

static const CliCommand *const commands[] = {
  &cli_info,  &cli_events, &cli_state,  &cli_run,           &cli_report, &cli_components,
  &cli_check, &cli_import, &cli_synth,  &cli_new_component, &cli_film,   &cli_seek,
  &cli_draw,  &cli_marks,  &cli_export, &cli_live,          &cli_heap,
};

static void
help (void)
{
  puts (_ ("Usage:\n"
           "  scope [TRACE...] [PROGRAM.eve] opens the window; without a display, tells about the trace\n"
           "  scope --follow TRACE           opens the window on a trace that is still being written, and goes along\n"
           "  scope COMMAND ...\n\n"
           "Commands:"));
  for (size_t i = 0; i < G_N_ELEMENTS (commands); ++i)
    printf ("  %-14s %s\n", commands[i]->name, in_words (commands[i]->summary));
  puts (_ ("\n`scope COMMAND --help` tells what a command takes, with an example.\n"
           "Times are decimal seconds of trace time, as 1.25.  Exit status: 0 done, 1 failed, 2 wrong usage.\n\n"
           "Example:\n"
           "  scope synth --format tapepvm --tasks 8 --events 1000 -o try.trace && scope report try.trace -o out"));
}

/* ---- a command in a process of its own: a component that ends it must not take the sentence about it along ---- */

typedef struct Call {
  const CliCommand *command; /* NULL: tell() */
  int argc;
  char **argv;
  const char *why;
} Call;

static int src_main_tell (int argc, char **argv, const char *why);

static int
src_work (void *arg)
{
  const Call *c = arg;

  return cli_end (c->command ? c->command->run (c->command, c->argc, c->argv)
                             : src_main_tell (c->argc, c->argv, c->why));
}

static void
src_on_say (void *arg, const char *sentence)
{
  cli_note (arg, "%s", sentence);
}

static int
guarded (Call *c)
{
  const char *name = c->command ? c->command->name : "scope";
  const GuardOptions options = { cli_interrupted, src_on_say, (void *) name };
  GuardFault fault;
  int status = guard_over (src_work, c, &options, &fault);

  if (fault.sentence) {
    cli_fail (*fault.subject ? fault.subject : name, "%s", fault.sentence);
    if (fault.component)
      plugins_note_fault (fault.who.object, fault.sentence);
    if (*fault.film)
      film_manifest_fail (fault.film, fault.component ? fault.who.box : "", fault.sentence);
  }
  if (cli_interrupted () && status > CLI_USAGE)
    status = CLI_OK; /* how the other ended: cli_end() says by what this one was */
  guard_fault_clear (&fault);
  return cli_end (status);
}

/* ---- the window ---- */

/* What can be said without a window. */
static int
src_main_tell (int argc, char **argv, const char *why)
{
  if (argc == 1) {
    help ();
    return CLI_OK;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  int status = cli_info_text (argv[1], NULL, false, false, text);
  if (status)
    return status;
  g_string_append_printf (text, _ ("\nNo window: %s.  To go on:\n  scope report %s -o out\n"), why, argv[1]);
  if (argc > 2) {
    g_string_append (text, _ ("  scope run"));
    for (int i = 1; i < argc; ++i)
      g_string_append_printf (text, "%s %s", g_str_has_suffix (argv[i], ".eve") ? " --program" : "", argv[i]);
    g_string_append (text, " --stats\n");
  }
  cli_out (text);
  return CLI_OK;
}

static void
offer_commands (void *arg, void (*add) (void *to, const char *name), void *to)
{
  for (size_t i = 0; i < G_N_ELEMENTS (commands); ++i)
    add (to, commands[i]->name);
}

/* Neither a command nor a trace. */
static int
unknown (const char *word)
{
  g_autofree char *command = eve_nearest (word, offer_commands, NULL), *trace = places_nearest (word);
  g_autofree char *nearest = eve_nearest_words (command ? command : trace);

  return cli_usage (word, _ ("there is no such command or trace%s; `scope --help` lists the commands"), nearest);
}

/* The file of a program that is on offer for a trace, which was named instead; NULL: there is none of that name;
 * g_free. */
static char *
on_offer (const char *trace, const char *word)
{
  if (strchr (word, '/') || g_file_test (word, G_FILE_TEST_EXISTS))
    return NULL;
  cli_load_components ();
  TraceBundle *b = trace_bundle_open (trace, NULL);
  char *program = b && b->formats->len == 1 ? places_program (b->formats->pdata[0], word) : NULL;
  if (b)
    trace_bundle_free (b);
  if (program && !g_file_test (program, G_FILE_TEST_IS_REGULAR))
    g_clear_pointer (&program, g_free);
  return program;
}

/* Without a command: the window, which is a program of its own, so that commands need no toolkit. */
static int
src_main_open_window (int argc, char **argv)
{
  bool program_alone = argc == 2 && g_str_has_suffix (argv[1], ".eve");
  int n_programs = 0;

  bool follow = argc > 2 && g_str_equal (argv[1], "--follow");
  if (follow) { /* back in its place for the window */
    --argc;
    ++argv;
  }
  if (argc > 1 && argv[1][0] == '-')
    return cli_usage (argv[1], _ ("there is no such option; `scope --help` lists the commands"));
  if (argc > 1 && !strchr (argv[1], '/') && !g_str_has_suffix (argv[1], ".trace")
      && !g_file_test (argv[1], G_FILE_TEST_EXISTS))
    return unknown (argv[1]);
  for (int i = 1; i < argc; ++i) {
    char *offered = i > 1 ? on_offer (argv[1], argv[i]) : NULL;
    if (offered)
      argv[i] = offered; /* for as long as the process is */
    bool program = g_str_has_suffix (argv[i], ".eve");
    if (program && ++n_programs > 1)
      return cli_usage (argv[i], _ ("one program is all that can be opened at once"));
    if (program && !g_file_test (argv[i], G_FILE_TEST_IS_REGULAR))
      return cli_fail (argv[i], _ ("there is no such program file"));
    if (!program && i > 1 && !g_file_test (argv[i], G_FILE_TEST_EXISTS))
      return cli_fail (argv[i], _ ("there is no such trace, and a program is a file that ends in .eve"));
  }
  if (!cli_has_display ()) {
    if (program_alone)
      return cli_fail (argv[1], _ ("a program alone needs the window, and there is no display"));
    return guarded (&(Call){ .argc = argc, .argv = argv, .why = _ ("there is no display") });
  }
  g_autofree char *window = cli_window_program ();
  if (!window)
    return guarded (&(Call){ .argc = argc, .argv = argv, .why = _ ("scope-window is not installed") });
  argv -= follow;
  argv[0] = window;
  signal (SIGPIPE, SIG_DFL);
  execv (window, argv);
  return cli_fail (window, "%s", g_strerror (errno));
}

int
main (int argc, char **argv)
{
  g_autofree char *words = places_words ();
  language_begin (words);
  cli_begin ();
  disk_set_keeper (places_may_change);
  if (argc > 1 && (g_str_equal (argv[1], "--version") || g_str_equal (argv[1], "-V"))) {
    puts ("scope " SCOPE_VERSION);
    return cli_end (CLI_OK);
  }
  if (argc > 1 && (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h") || g_str_equal (argv[1], "help"))) {
    help ();
    return cli_end (CLI_OK);
  }
  for (size_t i = 0; argc > 1 && i < G_N_ELEMENTS (commands); ++i)
    if (g_str_equal (commands[i]->name, argv[1]))
      return guarded (&(Call){ commands[i], argc - 1, argv + 1, NULL });
  return cli_end (src_main_open_window (argc, argv));
}
