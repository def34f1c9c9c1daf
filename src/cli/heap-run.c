/* SPDX-License-Identifier: Apache-2.0 */
/* scope heap run and scope heap dump: a program with the library that takes snapshots, and a request for one. */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/heap.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "readers/live.h"
#include "session/places.h"

#define DUMP_SECONDS 30 /* until a snapshot that was asked for is given up */

/* ---- run ------------------------------------------------------------------------------------------------------------------- */

/* NAME.trace/NAME.heap, for this person alone, as it holds data of the program. */
static char *
heap_run_make_folder (const char *bundle)
{
  g_autofree char *name = g_path_get_basename (bundle);

  if (!g_str_has_suffix (name, ".trace") || strlen (name) == strlen (".trace")) {
    cli_usage (bundle, _ ("a bundle is named NAME.trace"));
    return NULL;
  }
  name[strlen (name) - strlen (".trace")] = '\0';
  g_autofree char *leaf = g_strconcat (name, ".heap", NULL), *path = g_canonicalize_filename (bundle, NULL);
  char *folder = g_build_filename (path, leaf, NULL);
  if (g_mkdir (path, 0777) == 0 && g_mkdir (folder, 0700) == 0)
    return folder;
  if (errno == EEXIST)
    cli_fail (bundle, _ ("is there already; remove it or choose another name"));
  else
    cli_fail (bundle, _ ("the folder cannot be made: %s"), g_strerror (errno));
  g_free (folder);
  return NULL;
}

/* Says in the folder that somebody writes (readers/live.h), and makes the pipe by which snapshots are asked for. */
static int
begin_live (const char *folder)
{
  g_autofree char *live = g_build_filename (folder, TRACE_LIVE_FILE, NULL),
                  *control = g_build_filename (folder, TRACE_CONTROL_FILE, NULL);
  int fd = disk_open_write (live, NULL);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) == 0 && disk_write (fd, "scope heap run\n", 15)
      && mkfifo (control, 0600) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

static void
end_live (const char *folder, int fd)
{
  g_autofree char *control = g_build_filename (folder, TRACE_CONTROL_FILE, NULL);

  if (disk_write (fd, "ended\n", 6))
    g_unlink (control);
  close (fd);
}

static void
preload (const char *library)
{
  const char *before = g_getenv ("LD_PRELOAD");
  g_autofree char *both = before && *before ? g_strconcat (library, ":", before, NULL) : g_strdup (library);

  g_setenv ("LD_PRELOAD", both, TRUE);
}

typedef struct RunOptions {
  char *out;
  int every, children, strings, patience;
  double rate;
  char *rated; /* as it was typed */
  gboolean no_end, no_fork;
} RunOptions;

static void
become (const RunOptions *o, const char *folder, const char *library, char **argv)
{
  g_autofree char *every = g_strdup_printf ("%d", o->every),
                  *options = g_strdup_printf ("strings=%d,children=%d,patience=%d,sample=%.0f%s%s", o->strings,
                                              o->children, o->patience, o->rate > 0 ? 1 / o->rate : 0.0,
                                              o->no_end ? ",no-end" : "", o->no_fork ? ",no-fork" : "");

  preload (library);
  g_setenv ("SCOPE_HEAP", folder, TRUE);
  g_setenv ("SCOPE_HEAP_EVERY", every, TRUE);
  g_setenv ("SCOPE_HEAP_OPTIONS", options, TRUE);
  cli_signals_back ();
  execvp (argv[0], argv);
  cli_fail (argv[0], _ ("cannot be run: %s"), g_strerror (errno));
  _exit (127);
}

static volatile pid_t running; /* the program; 0: not yet, or no more */

static void
heap_run_pass_on (int sig)
{
  if (running > 0)
    kill (running, sig);
}

/* The program's exit status.  What asks this process to end is for the program, which may want to go on. */
static int
heap_run_wait_for (pid_t program)
{
  static const int passed[] = { SIGTERM, SIGHUP };
  struct sigaction pass = { .sa_handler = heap_run_pass_on, .sa_flags = SA_RESTART }, before[G_N_ELEMENTS (passed)];
  int status = 0;

  running = program;
  for (gsize i = 0; i < G_N_ELEMENTS (passed); i++)
    sigaction (passed[i], cli_signal_was_ignored (passed[i]) ? &(struct sigaction){ .sa_handler = SIG_IGN } : &pass,
               &before[i]);
  /* it is waited for before it is gone: its number is not passed on to another one meanwhile */
  siginfo_t is;
  while (waitid (P_PID, (id_t) program, &is, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    ;
  running = 0;
  while (waitpid (program, &status, 0) < 0 && errno == EINTR)
    ;
  for (gsize i = 0; i < G_N_ELEMENTS (passed); i++)
    sigaction (passed[i], &before[i], NULL);
  return WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
}

/* Whether a snapshot has its end; one that is still being written, which its lock tells, is waited for. */
static bool
is_whole_at_last (const char *path)
{
  int fd = heap_is_whole (path) ? -1 : disk_open (path, NULL, DISK_DATA, NULL, NULL);

  if (fd >= 0) {
    flock (fd, LOCK_SH);
    close (fd);
  }
  return heap_is_whole (path);
}

static guint64
heap_run_count_in (const char *text, const char *name)
{
  const char *found = text ? strstr (text, name) : NULL;

  return found ? g_ascii_strtoull (found + strlen (name), NULL, 10) : 0;
}

/* What was due, and is not there or not whole.  `cut`: files without an end; `counts`: what the library has told when
 * the program ended, or NULL. */
static void
tell_missing (const char *bundle, const char *counts, guint64 cut)
{
  guint64 skipped = heap_run_count_in (counts, "skipped "), failed = heap_run_count_in (counts, "failed "),
          full = heap_run_count_in (counts, "no_room "), other = MAX (cut, failed) - full,
          hindered = MIN (heap_run_count_in (counts, "hindered "), skipped);

  skipped -= hindered;
  if (hindered > 0)
    cli_note (bundle,
              P_ ("%" PRIu64 " snapshot that was due was left out, as the program ran several domains or blocks were "
                  "left of one that had ended: heaps of one domain are read",
                  "%" PRIu64 " snapshots that were due were left out, as the program ran several domains or blocks "
                  "were left of one that had ended: heaps of one domain are read",
                  hindered),
              hindered);
  if (skipped > 0)
    cli_note (bundle,
              P_ ("%" PRIu64 " snapshot that was due was left out, as the one before was still being written: "
                  "--children N lets more be written at once",
                  "%" PRIu64 " snapshots that were due were left out, as the one before was still being written: "
                  "--children N lets more be written at once",
                  skipped),
              skipped);
  if (full > 0)
    cli_note (
        bundle,
        P_ ("%" PRIu64
            " snapshot is cut or missing: the disk has no room left, or files may not become so large (ulimit -f)",
            "%" PRIu64
            " snapshots are cut or missing: the disk has no room left, or files may not become so large (ulimit -f)",
            full),
        full);
  if (MAX (cut, failed) > full)
    cli_note (bundle,
              P_ ("%" PRIu64 " snapshot is cut or missing: who wrote was stopped, or has taken no step for so long "
                  "that it was given up (--patience), or there was no memory",
                  "%" PRIu64 " snapshots are cut or missing: who wrote was stopped, or has taken no step for so long "
                  "that it was given up (--patience), or there was no memory",
                  other),
              other);
}

static void
tell_run (const char *bundle, const char *folder)
{
  g_autofree char *refused = g_build_filename (folder, "refused", NULL),
                  *why = disk_read (refused, folder, 4096, NULL, NULL),
                  *program = g_build_filename (folder, "program", NULL),
                  *told = g_build_filename (folder, "counts", NULL),
                  *counts = disk_read (told, folder, 4096, NULL, NULL);
  guint n = 0, cut = 0;
  g_autoptr (GPtrArray) names = heap_list (folder, NULL);

  for (guint i = 0; names && i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    n++;
    cut += !is_whole_at_last (path);
  }
  if (why)
    cli_note (bundle, "%s", g_strchomp (why));
  else if (n == 0 && !g_file_test (program, G_FILE_TEST_EXISTS))
    cli_note (bundle, _ ("no program of OCaml was run: there are no snapshots"));
  else if (n == 0)
    cli_note (bundle, _ ("the program ended without a snapshot"));
  else
    cli_note (bundle, P_ ("%u snapshot", "%u snapshots", n), n);
  if (n > 0 && counts)
    cli_note (bundle, _ ("the program stood still for one of them for %" PRIu64 " ms at most"),
              (heap_run_count_in (counts, "pause_ns ") + 999999) / 1000000);
  tell_missing (bundle, counts, cut);
}

static int
heap_run_program (const RunOptions *o, char **argv)
{
  g_autofree char *library = places_heap_library (), *folder = NULL;
  int live;

  if (!g_file_test (library, G_FILE_TEST_EXISTS))
    return cli_fail (library, _ ("is not where it was installed"));
  if (!(folder = heap_run_make_folder (o->out)))
    return CLI_FAILED;
  live = begin_live (folder);
  if (live < 0)
    return cli_fail (folder, _ ("cannot be written: %s"), g_strerror (errno));
  void (*before) (int) = signal (SIGINT, SIG_IGN); /* it is for the program */
  pid_t child = fork ();
  if (child == 0)
    become (o, folder, library, argv); /* gives every signal back, this one too */
  int status = child > 0 ? heap_run_wait_for (child) : cli_fail (argv[0], _ ("cannot be run: %s"), g_strerror (errno));
  signal (SIGINT, before);
  end_live (folder, live);
  tell_run (o->out, folder);
  return status;
}

static int
heap_run_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *out = NULL, *types = NULL;
  RunOptions o = { .every = 1, .children = 1, .strings = 24, .patience = 60, .rate = 1e-4 };
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("The bundle to make, NAME.trace; it must not be there"),
      "NAME.trace" },
    { "every", 0, 0, G_OPTION_ARG_INT, &o.every,
      _ ("A snapshot at the end of each Nth major collection; 0: of none; 1 if not given"), "N" },
    { "no-exit", 0, 0, G_OPTION_ARG_NONE, &o.no_end, _ ("No snapshot when the program ends"), NULL },
    { "strings", 0, 0, G_OPTION_ARG_INT, &o.strings,
      _ ("Keep so many bytes of each string (24); 0: nothing of what strings hold"), "BYTES" },
    { "children", 0, 0, G_OPTION_ARG_INT, &o.children,
      _ ("So many snapshots may be written at once (1, at most 8); those due meanwhile are left out, and counted"),
      "N" },
    { "patience", 0, 0, G_OPTION_ARG_INT, &o.patience,
      _ ("Who writes a snapshot and takes no step for so long, as the disk does not answer, is given up (60)"),
      "SECONDS" },
    { "rate", 0, 0, G_OPTION_ARG_STRING, &o.rated,
      _ ("Where blocks are allocated is told by samples of so many of all words (0.0001); 0: not"), "SHARE" },
    { "types", 0, 0, G_OPTION_ARG_FILENAME, &types, _ ("What scope-cmt has written of the program's types"), "FILE" },
    { "no-fork", 0, 0, G_OPTION_ARG_NONE, &o.no_fork, _ ("The program itself writes, and waits for it"), NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, 100000))
    return CLI_USAGE;
  o.out = out;
  int typed = cli_number ("--rate", o.rated, &o.rate);
  g_free (o.rated);
  if (typed)
    return typed;
  if (o.every < 0 || o.strings < 0 || o.strings > 1024 || o.children < 1 || o.children > 8 || o.patience < 1
      || o.patience > 86400 || !(o.rate == 0 || (o.rate >= 1e-8 && o.rate <= 0.1)))
    return cli_usage (self->name, _ ("--every is 0 or more, --strings 0 to 1024, --children 1 to 8, --patience 1 to "
                                     "86400 seconds, --rate 0 or 1e-8 to 0.1"));
  if (!o.out)
    return cli_usage ("-o", _ ("say which bundle is to be made"));
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (int i = 1; i < argc; i++)
    g_ptr_array_add (words, argv[i]);
  g_ptr_array_add (words, NULL);
  int status = heap_run_program (&o, (char **) words->pdata);
  if (types)
    heap_put_types (o.out, types); /* told if it fails; the exit status is the program's */
  return status;
}

const CliCommand cli_heap_run = {
  "heap run",
  "-- PROGRAM [ARGUMENT...]",
  N_ ("Runs a native OCaml program, and takes snapshots of its heap; gives the program's own exit status."),
  "  scope heap run --every 10 -o run.trace -- ./program input.txt\n",
  heap_run_command,
};

/* ---- dump ------------------------------------------------------------------------------------------------------------------- */

/* Of a process that `scope heap run` has begun: its folder, g_free.  NULL: it has none. */
static char *
folder_of_process (const char *pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%s/environ", pid), *text = NULL;
  gsize n = 0;

  if (strspn (pid, "0123456789") != strlen (pid) || !g_file_get_contents (path, &text, &n, NULL))
    return NULL;
  for (char *at = text; at < text + n; at += strlen (at) + 1)
    if (g_str_has_prefix (at, "SCOPE_HEAP="))
      return g_strdup (at + strlen ("SCOPE_HEAP="));
  return NULL;
}

/* A whole snapshot that was asked for, other than those that were there. */
static char *
find_new (const char *folder, GHashTable *before)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    if (g_str_has_suffix (name, ".heap") && strstr (name, ".request")
        && (!before || !g_hash_table_contains (before, name)) && heap_is_whole (path))
      return g_steal_pointer (&path);
  }
  return NULL;
}

static int
dump_command (const CliCommand *self, int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };
  g_autoptr (GHashTable) before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GError *error = NULL;

  if (!cli_parse (self, entries, &argc, &argv, 1, 2))
    return CLI_USAGE;
  g_autofree char *folder = g_file_test (argv[1], G_FILE_TEST_IS_DIR) ? heap_folder (argv[1])
                                                                      : folder_of_process (argv[1]);
  if (!folder)
    return cli_fail (
        argv[1],
        _ ("is neither a bundle that `scope heap run` is making nor the number of a process that it has begun"));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    g_hash_table_add (before, g_strdup (name));
  g_autofree char *line = g_strconcat ("dump ", argc > 2 ? argv[2] : "", NULL);
  if (!trace_writer_tell (folder, line, &error))
    return cli_fail_error (argv[1], error);
  for (int64_t until = g_get_monotonic_time () + DUMP_SECONDS * G_USEC_PER_SEC; g_get_monotonic_time () < until;) {
    g_autofree char *path = find_new (folder, before);
    if (path) {
      g_autoptr (GString) text = g_string_new (path);
      g_string_append_c (text, '\n');
      cli_out (text);
      return CLI_OK;
    }
    if (cli_interrupted ())
      return cli_fail (argv[1], "interrupted");
    g_usleep (10000);
  }
  return cli_fail (
      argv[1],
      _ ("no snapshot has come after %d seconds: the program computes without allocating, or the disk is full; it will "
         "come when the program allocates"),
      DUMP_SECONDS);
}

const CliCommand cli_heap_dump = {
  "heap dump",
  "NAME.trace|PID [LABEL]",
  N_ ("Asks a program that `scope heap run` has begun for a snapshot, without disturbing it."),
  "  scope heap dump run.trace before-load\n",
  dump_command,
};
