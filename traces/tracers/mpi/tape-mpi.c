/* SPDX-License-Identifier: Apache-2.0 */
/* tape-mpi.c - the command: runs an MPI program, not recompiled, and leaves an OTF2 archive of it. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../command.h"
#include "../pvm/clock.h"
#include "convert.h"
#include "eve/words.h"

static const char help[] = N_ (
    "Usage: tape-mpi -o NAME [OPTION...] -- mpirun [ARGUMENT...] PROGRAM [ARGUMENT...]\n"
    "       tape-mpi -o NAME --from FOLDER\n"
    "Runs an MPI program as it is, and writes what its ranks asked of MPI as an OTF2 archive: a folder with "
    "traces.otf2.\n"
    "\n"
    "  -o, --output NAME      the archive (a folder) to write\n"
    "  -f, --force            write over an archive that is there\n"
    "  -t, --timeout SECONDS  stop the program after that time; the archive is written all the same\n"
    "  -a, --anonymous        call the hosts host1, host2, ... in the archive\n"
    "      --no-lines         do not look for the source lines of calls\n"
    "      --from FOLDER      make the archive of what the ranks of an earlier run have left there\n"
    "  -q, --quiet            say nothing at the end\n"
    "  -h, --help             this text\n"
    "\n"
    "The program is dynamically linked with the MPI that tape-mpi was built with.  Several hosts need a file system "
    "that\n"
    "all of them see, where NAME lies.\n"
    "Exit status: that of the program; 128 + N when signal N ended it; 124 after a timeout; 125 when tracing failed.\n"
    "\n"
    "Example:  tape-mpi -o heat.otf2 -- mpirun -n 4 ./heat\n");

enum { FAILED = TAPE_FAILED, MOST_TOLD = 10 };
const char tape_name[] = "tape-mpi";

/* ---- folders ------------------------------------------------------------------------------------------------------------ */

/* Only an archive is written over: nothing else goes by mistake. */
static bool
may_write (const char *output, bool force)
{
  g_autofree char *anchor = g_build_filename (output, "traces.otf2", NULL);
  struct stat st;

  if (lstat (output, &st) != 0)
    return true;
  if (!force) {
    tape_say (_ ("%s is there already (--force writes over it)"), output);
    return false;
  }
  if (!S_ISDIR (st.st_mode) || !g_file_test (anchor, G_FILE_TEST_IS_REGULAR)) {
    tape_say (_ ("%s is no archive: take it away yourself"), output);
    return false;
  }
  return true;
}

/* ---- the program ----------------------------------------------------------------------------------------------------------- */

/* Open MPI's mpirun hands variables on to other hosts only if it is told to; other starters hand on all. */
static bool
hands_on_by_x (const char *starter)
{
  g_autofree char *path = g_find_program_in_path (starter);
  g_autofree char *real = path ? realpath (path, NULL) : NULL;
  g_autofree char *name = real ? g_path_get_basename (real) : g_strdup ("");

  return strcmp (name, "orterun") == 0 || strcmp (name, "prterun") == 0;
}

static pid_t
tape_mpi_begin (char **argv, const char *library, const char *folder)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  bool by_x = hands_on_by_x (argv[0]);

  g_ptr_array_add (args, argv[0]);
  if (by_x)
    for (const char *const *word = (const char *const[]){ "-x", "LD_PRELOAD", "-x", RAW_ENV_FOLDER, NULL }; *word;
         word++)
      g_ptr_array_add (args, (void *) (uintptr_t) *word);
  if (by_x && tape_is_preloaded_by_name (library)) {
    g_ptr_array_add (args, (void *) (uintptr_t) "-x");
    g_ptr_array_add (args, (void *) (uintptr_t) "LD_LIBRARY_PATH");
  }
  for (char **word = argv + 1; *word; word++)
    g_ptr_array_add (args, *word);
  g_ptr_array_add (args, NULL);
  pid_t pid = fork ();
  if (pid == 0) {
    setenv (RAW_ENV_FOLDER, folder, 1);
    tape_preload (library);
    execvp (argv[0], (char **) args->pdata);
    tape_say ("%s: %s", argv[0], strerror (errno));
    _exit (127);
  }
  return pid;
}

/* ---- what is said at the end -------------------------------------------------------------------------------------------------- */

static void
say_open (const Run *run, const Lane *l)
{
  const Region *in = l->open == RAW_NONE ? NULL : run->regions->pdata[l->open];
  g_autoptr (GString) where = g_string_new ("");

  if (l->open_at != RAW_NONE && in) {
    const Site *s = &g_array_index (run->sites, Site, l->open_at);
    g_autofree char *file = g_path_get_basename (s->file);
    g_string_printf (where, _ (" called at %s:%d"), file, s->line);
  }
  g_autofree char *since = tape_number ("%.6f", (double) (in && !l->aborted ? l->open_since : l->last) * 1e-9);
  if (l->aborted)
    tape_say (_ ("rank %u called MPI_Abort with %d%s"), l->h->rank, l->code, where->str);
  else if (in)
    tape_say (_ ("rank %u did not come to the end of MPI_Finalize: it is inside of %s%s since %s s"), l->h->rank,
              in->name, where->str, since);
  else
    tape_say (_ ("rank %u did not come to the end of MPI_Finalize: its last record is of %s s"), l->h->rank, since);
}

/* Those that did not end in good order, and those of which nothing is there: always said. */
static void
say_rests (const Run *run)
{
  guint told = 0, more = 0;

  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    if (l->lost) {
      g_autofree char *last = tape_number ("%.6f", (double) l->last * 1e-9);
      tape_say (_ ("rank %u: the disk was full: nothing of it is there after %s s"), l->h->rank, last);
    }
    if (l->h->thread != 0 || l->finalized)
      continue;
    if (told++ < MOST_TOLD)
      say_open (run, l);
    else
      more++;
  }
  for (uint32_t i = 0; i < run->n_ranks; i++)
    if (!run->ranks[i].there && told++ < MOST_TOLD)
      tape_say (_ ("rank %u has left nothing: its host does not see %s, or it could not write there"), i, run->folder);
    else if (!run->ranks[i].there)
      more++;
  if (more)
    tape_say (_ ("and %u ranks more"), more);
}

static void
tape_mpi_say_summary (const Run *run)
{
  uint64_t events = 0, calls = 0, cost = 0;

  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    events += l->n_events;
    calls += l->n_calls;
    cost = MAX (cost, l->cost_ps);
  }
  double seconds = (double) (run->last - run->origin) * 1e-9;
  g_autofree char *lasted = tape_number ("%.3f", seconds);
  tape_say (P_ ("%s: %" PRIu64 " events, %" PRIu64 " calls of MPI, %u ranks on %u host in %s s",
                "%s: %" PRIu64 " events, %" PRIu64 " calls of MPI, %u ranks on %u hosts in %s s", run->hosts->len),
            run->output, events, calls, run->n_ranks, run->hosts->len, lasted);
  if (cost) {
    g_autofree char *percent = tape_number ("%.3f", 100e-12 * (double) cost * (double) calls
                                                        / MAX (seconds * run->n_ranks, 1e-9));
    tape_say (_ ("recording cost about %.0f ns a call, %s %% of the time of the ranks"), (double) cost * 1e-3, percent);
  }
  for (guint i = 0; i < run->clocks->len; i++) {
    const Clock *c = &g_array_index (run->clocks, Clock, i);
    if (c->n == 0)
      continue;
    g_autofree char *offset = tape_number ("%+.6f", (double) c->offset[0] * 1e-6);
    g_autofree char *error = tape_number ("%.6f", (double) c->error[0] * 1e-6);
    tape_say (c->n > 1 ? _ ("clock %u: %s ms +- %s ms from that of rank 0, drift measured")
                       : _ ("clock %u: %s ms +- %s ms from that of rank 0; no second measure: its drift is not known"),
              i, offset, error);
  }
}

/* Made beside where it is to be, and moved when it is whole. */
static bool
make_archive (Run *run)
{
  const char *output = run->output;
  g_autofree char *making = g_strconcat (output, ".making-XXXXXX", NULL);
  bool ok = raw_open (run);

  if (!ok) {
    tape_say (_ ("no rank has left anything: is it an MPI program, dynamically linked with the MPI of %s?"),
              "libtape-mpi.so");
    raw_close (run);
    return false;
  }
  if (!g_mkdtemp_full (making, 0777)) {
    tape_say ("%s: %s", making, strerror (errno));
    return false;
  }
  run->output = making;
  ok = convert (run);
  run->output = output;
  if (ok && run->force && may_write (output, true))
    tape_remove_folder (output, 1);
  if (ok && g_rename (making, output) != 0) {
    tape_say ("%s: %s", output, strerror (errno));
    ok = false;
  }
  if (!ok)
    tape_remove_folder (making, 1);
  if (ok && !run->quiet)
    tape_mpi_say_summary (run);
  if (ok)
    say_rests (run);
  return ok;
}

/* ---- options ----------------------------------------------------------------------------------------------------------------------- */
typedef struct Asked {
  Run run;
  double timeout_s;
  const char *from;
  char **argv;
} Asked;

/* -1: go on; else the exit status. */
static int
tape_mpi_read_options (int argc, char **argv, Asked *a)
{
  static const struct option options[] = {
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, 'f' },
    { "timeout", required_argument, NULL, 't' },
    { "anonymous", no_argument, NULL, 'a' },
    { "no-lines", no_argument, NULL, 'n' },
    { "from", required_argument, NULL, 'r' },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },
    { 0 },
  };
  char *end;
  int c;

  while ((c = getopt_long (argc, argv, "+o:ft:aqh", options, NULL)) != -1)
    switch (c) {
    case 'o':
      a->run.output = optarg;
      break;
    case 'f':
      a->run.force = true;
      break;
    case 't':
      a->timeout_s = g_ascii_strtod (optarg, &end);
      if (end == optarg || *end || !(a->timeout_s > 0)) {
        tape_say (_ ("--timeout %s: not a number of seconds"), optarg);
        return FAILED;
      }
      break;
    case 'a':
      a->run.anonymous = true;
      break;
    case 'n':
      a->run.no_lines = true;
      break;
    case 'r':
      a->from = optarg;
      break;
    case 'q':
      a->run.quiet = true;
      break;
    case 'h':
      fputs (in_words (help), stdout);
      return 0;
    default:
      fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
      return FAILED;
    }
  a->argv = argv + optind;
  if (!a->run.output || !*a->run.output || (!*a->argv && !a->from)) {
    tape_say ("%s", a->run.output ? _ ("no program: what shall be run goes behind --")
                                  : _ ("no archive: give its name with -o"));
    fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
    return FAILED;
  }
  return -1;
}

static int
tape_mpi_run_program (Asked *a, char *folder)
{
  g_autofree char *library = tape_find_library ("libtape-mpi.so", TAPE_MPI_RELDIR, TAPE_MPI_LIBDIR);

  if (!library)
    return FAILED;
  tape_catch_signals ();
  pid_t pid = tape_mpi_begin (a->argv, library, folder);
  if (pid < 0) {
    tape_say (_ ("fork: %s"), strerror (errno));
    return FAILED;
  }
  int status = tape_wait_for (pid, a->timeout_s, NULL, NULL);
  a->run.stopped = tape_now ();
  tape_clock_domain (a->run.domain, sizeof a->run.domain);
  return status;
}

int
main (int argc, char **argv)
{
  Asked a = { .timeout_s = 0 };
  tape_command_begin ();
  int status = tape_mpi_read_options (argc, argv, &a);
  g_autofree char *output = g_strdup (a.run.output);
  char *folder = NULL;

  if (status >= 0)
    return status;
  for (size_t n = strlen (output); n > 1 && output[n - 1] == '/'; n--)
    output[n - 1] = '\0';
  a.run.output = output;
  if (!may_write (output, a.run.force))
    return FAILED;
  status = 0;
  if (a.from) {
    a.run.folder = a.from;
  } else {
    g_autofree char *whole = g_canonicalize_filename (output, NULL);
    folder = g_strconcat (whole, ".ranks-XXXXXX", NULL);
    if (!g_mkdtemp_full (folder, 0700)) {
      tape_say ("%s: %s", folder, strerror (errno));
      return FAILED;
    }
    a.run.folder = folder;
    status = tape_mpi_run_program (&a, folder);
  }
  bool ok = status != FAILED && make_archive (&a.run);
  if (ok)
    raw_close (&a.run);
  if (ok && folder) {
    tape_remove_folder (folder, 0);
  } else if (!ok && folder && g_rmdir (folder) != 0) {
    tape_say (_ ("what the ranks have written is in %s; try: tape-mpi -o NAME --from %s"), folder, folder);
  }
  g_free (folder);
  return ok ? status : FAILED;
}
