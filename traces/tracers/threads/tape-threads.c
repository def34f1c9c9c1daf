/* SPDX-License-Identifier: Apache-2.0 */
/* tape-threads.c - the command: runs a program, not recompiled, and leaves a trace of its threads. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../command.h"
#include "names.h"
#include "record.h"
#include "eve/words.h"

static const char help[] = N_ (
    "Usage: tape-threads -o NAME.trace [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "       tape-threads --names NAME.trace\n"
    "Runs a program as it is, and writes what its threads did with locks, conditions, semaphores, barriers and each "
    "other\n"
    "as a trace: a folder NAME.trace, for scope.\n"
    "\n"
    "  -o, --output NAME.trace  the trace (a folder) to write\n"
    "  -f, --force              write over a trace of threads that is there\n"
    "  -t, --timeout SECONDS    stop the program after that time; what was recorded stays\n"
    "  -a, --anonymous          call the host host1 in the trace\n"
    "      --no-lines           do not look for the source lines of calls and the names of locks\n"
    "      --names              look for them now, in a trace whose tape-threads was killed\n"
    "  -q, --quiet              say nothing at the end\n"
    "  -h, --help               this text\n"
    "\n"
    "Programs that it starts are recorded too.  A program is dynamically linked, and runs without more rights than its "
    "user has.\n"
    "Exit status: that of the program; 128 + N when signal N ended it; 124 after a timeout; 125 when tracing failed.\n"
    "\n"
    "Example:  tape-threads -o bank.trace -- ./bank 8\n"
    "          scope bank.trace\n");

const char tape_name[] = "tape-threads";

typedef struct Asked {
  const char *output;
  char *folder; /* for the files of the threads */
  double timeout_s;
  bool force, anonymous, no_lines, names, quiet, ticks;
  int clock; /* file of pairs of dates */
  int64_t told_ns;
  char **argv;
} Asked;

/* ---- the trace ---------------------------------------------------------------------------------------------------- */

/* NAME.trace/NAME.threads; g_free. */
static char *
tape_threads_folder_of (const char *output)
{
  g_autofree char *base = g_path_get_basename (output);

  if (g_str_has_suffix (base, ".trace"))
    base[strlen (base) - strlen (".trace")] = '\0';
  g_autofree char *data = g_strconcat (base, ".threads", NULL);
  return g_build_filename (output, data, NULL);
}

/* Only a trace of threads is written over: nothing else goes by mistake. */
static bool
tape_threads_make_folder (Asked *a)
{
  struct stat st;

  if (!g_str_has_suffix (a->output, ".trace")) {
    tape_say (_ ("%s: a trace is called NAME.trace"), a->output);
    return false;
  }
  if (lstat (a->output, &st) == 0) {
    if (!a->force) {
      tape_say (_ ("%s is there already (--force writes over it)"), a->output);
      return false;
    }
    if (!g_file_test (a->folder, G_FILE_TEST_IS_DIR)) {
      tape_say (_ ("%s is no trace of threads: take it away yourself"), a->output);
      return false;
    }
    tape_remove_folder (a->folder, 0);
  }
  if (g_mkdir_with_parents (a->folder, 0777) != 0) {
    tape_say ("%s: %s", a->folder, strerror (errno));
    return false;
  }
  return true;
}

/* ---- the clock ---------------------------------------------------------------------------------------------------- */

/* Linux tells whether the processor's own counter is good as a clock: whether it uses it itself. */
static bool
has_ticks (void)
{
#if defined __x86_64__
  g_autofree char *source = NULL;

  return g_file_get_contents ("/sys/devices/system/clocksource/clocksource0/current_clocksource", &source, NULL, NULL)
         && g_str_equal (g_strchomp (source), "tsc");
#else
  return false;
#endif
}

bool tape_recording, tape_ticks;

static int64_t
tape_threads_now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A line of ticks and nanoseconds; so the reader knows the clock even if nobody comes to an end. */
static void
put_clock (Asked *a)
{
  char line[80];
  int64_t ns = tape_threads_now_ns ();
  uint64_t ticks = tape_date ();
  int n = snprintf (line, sizeof line, "%llu %lld\n", (unsigned long long) ticks, (long long) ns);

  a->told_ns = ns;
  if (a->clock >= 0 && write (a->clock, line, (size_t) n) != n) {
    close (a->clock);
    a->clock = -1;
  }
}

static void
meanwhile (void *asked)
{
  Asked *a = asked;

  if (tape_threads_now_ns () - a->told_ns > INT64_C (10000000000))
    put_clock (a);
}

/* ---- the program ---------------------------------------------------------------------------------------------------- */

/* Why a program may leave nothing; NULL: it is not known. */
static const char *
tape_threads_why_not (const char *program)
{
  g_autofree char *path = g_find_program_in_path (program);
  int fd = path ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  Elf64_Ehdr h;
  Elf64_Phdr part;
  struct stat st;
  const char *why = NULL;
  bool interpreted = false;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID))
    why = _ (
        "it has the rights of another user (set-user-ID or set-group-ID), and the system preloads nothing for such");
  else if (pread (fd, &h, sizeof h, 0) == (ssize_t) sizeof h && memcmp (h.e_ident, ELFMAG, SELFMAG) == 0
           && h.e_ident[EI_CLASS] == ELFCLASS64) {
    for (unsigned i = 0; i < h.e_phnum; i++)
      interpreted |= pread (fd, &part, sizeof part, (off_t) (h.e_phoff + i * sizeof part)) == (ssize_t) sizeof part
                     && part.p_type == PT_INTERP;
    if (!interpreted)
      why = _ ("it is statically linked, and nothing can be preloaded: link it dynamically");
  }
  close (fd);
  return why;
}

static int
tape_threads_run_program (Asked *a)
{
  g_autofree char *library = tape_find_library ("libtape-threads.so", TAPE_THREADS_RELDIR, TAPE_THREADS_LIBDIR);
  g_autofree char *whole = g_canonicalize_filename (a->folder, NULL), *clock = g_build_filename (whole, "clock", NULL);

  if (!library)
    return TAPE_FAILED;
  a->clock = open (clock, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  tape_ticks = has_ticks ();
  put_clock (a);
  tape_catch_signals ();
  pid_t pid = fork ();
  if (pid == 0) {
    setenv (THREADS_ENV_FOLDER, whole, 1);
    setenv (THREADS_ENV_TICKS, tape_ticks ? "1" : "0", 1);
    tape_preload (library);
    execvp (a->argv[0], a->argv);
    tape_say ("%s: %s", a->argv[0], strerror (errno));
    _exit (127);
  }
  if (pid < 0) {
    tape_say (_ ("fork: %s"), strerror (errno));
    return TAPE_FAILED;
  }
  int status = tape_wait_for (pid, a->timeout_s, meanwhile, a);
  put_clock (a);
  return status;
}

/* ---- what is said at the end ------------------------------------------------------------------------------------------ */

static void
tape_threads_say_summary (const Asked *a, const RunTold *t)
{
  if (!a->quiet) {
    g_autofree char *threads = g_strdup_printf (P_ ("%u thread", "%u threads", t->n_threads), t->n_threads);
    g_autofree char *processes = g_strdup_printf (P_ ("%u process", "%u processes", t->n_processes), t->n_processes);
    g_autofree char *seconds = tape_number ("%.3f", t->seconds);
    tape_say (_ ("%s: %" PRIu64 " locks taken at once, %" PRIu64 " times waited, by %s of %s in %s s"), a->output,
              t->n_takes, t->n_waits, threads, processes, seconds);
  }
  if (t->n_lost)
    tape_say (P_ ("the disk was full: %u thread is recorded in part",
                  "the disk was full: %u threads are recorded in part", t->n_lost),
              t->n_lost);
  if (t->n_missed)
    tape_say (_ ("%" PRIu64 " calls of signal handlers came while another was being recorded, and are missing"),
              t->n_missed);
  if (t->n_not_done)
    tape_say (P_ ("%u process did not come to an end of its own; what was recorded until then is there",
                  "%u processes did not come to an end of their own; what was recorded until then is there",
                  t->n_not_done),
              t->n_not_done);
}

/* ---- options ------------------------------------------------------------------------------------------------------------ */

/* -1: go on; else the exit status. */
static int
tape_threads_read_options (int argc, char **argv, Asked *a)
{
  static const struct option options[] = {
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, 'f' },
    { "timeout", required_argument, NULL, 't' },
    { "anonymous", no_argument, NULL, 'a' },
    { "no-lines", no_argument, NULL, 'n' },
    { "names", required_argument, NULL, 'r' },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },
    { 0 },
  };
  char *end;
  int c;

  while ((c = getopt_long (argc, argv, "+o:ft:aqh", options, NULL)) != -1)
    switch (c) {
    case 'o':
      a->output = optarg;
      break;
    case 'f':
      a->force = true;
      break;
    case 't':
      a->timeout_s = g_ascii_strtod (optarg, &end);
      if (end == optarg || *end || !(a->timeout_s > 0)) {
        tape_say (_ ("--timeout %s: not a number of seconds"), optarg);
        return TAPE_FAILED;
      }
      break;
    case 'a':
      a->anonymous = true;
      break;
    case 'n':
      a->no_lines = true;
      break;
    case 'r':
      a->output = optarg;
      a->names = true;
      break;
    case 'q':
      a->quiet = true;
      break;
    case 'h':
      fputs (in_words (help), stdout);
      return 0;
    default:
      fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
      return TAPE_FAILED;
    }
  a->argv = argv + optind;
  if (!a->output || !*a->output || (!*a->argv && !a->names)) {
    tape_say ("%s",
              a->output ? _ ("no program: what shall be run goes behind --") : _ ("no trace: give its name with -o"));
    fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
    return TAPE_FAILED;
  }
  return -1;
}

int
main (int argc, char **argv)
{
  Asked a = { .clock = -1 };
  RunTold told;

  tape_command_begin ();
  int status = tape_threads_read_options (argc, argv, &a);

  if (status >= 0)
    return status;
  g_autofree char *output = g_strdup (a.output);
  for (size_t n = strlen (output); n > 1 && output[n - 1] == '/'; n--)
    output[n - 1] = '\0';
  a.output = output;
  g_autofree char *folder = a.folder = tape_threads_folder_of (output);
  status = 0;
  if (!a.names) {
    status = tape_threads_make_folder (&a) ? tape_threads_run_program (&a) : TAPE_FAILED;
    if (status == TAPE_FAILED && a.clock < 0)
      return status;
  }
  if (!names_write (folder, !a.no_lines, a.anonymous, &told)) {
    const char *why = a.names || told.n_threads > 0 ? NULL : tape_threads_why_not (a.argv[0]);
    if (why)
      tape_say (_ ("%s has left nothing: %s"), a.argv[0], why);
    else if (told.n_threads == 0 && status != 127)
      tape_say (_ ("nothing was left in %s: is the program dynamically linked?"), folder);
    if (!a.names && told.n_threads == 0) {
      tape_remove_folder (folder, 0);
      g_rmdir (output);
    }
    return status == 127 ? status : TAPE_FAILED;
  }
  tape_threads_say_summary (&a, &told);
  return status;
}
