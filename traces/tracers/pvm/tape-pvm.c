/* SPDX-License-Identifier: Apache-2.0 */
/* tape-pvm.c - the command: runs a PVM program, unmodified, and leaves a trace of it. */
#include "tape-pvm.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/words.h"

static const char help[] = N_ (
    "Usage: tape-pvm -o NAME.trace [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "       tape-pvm --live NAME.trace PROGRAM [ARGUMENT...]\n"
    "       tape-pvm --replay NAME.trace [-o NEW.trace] -- PROGRAM [ARGUMENT...]\n"
    "Runs a PVM program as it is, and writes what all its tasks asked of PVM into a Scope trace.\n"
    "\n"
    "  -o, --output NAME.trace  the trace (a folder) to write\n"
    "  -f, --force              write over a trace that is there\n"
    "  -l, --live               write the trace while the program runs: `scope --follow NAME.trace` goes along\n"
    "  -r, --replay NAME.trace  run under the order of messages of a trace: receives of \"any\" get what they got\n"
    "                           there.  Nothing is written without -o\n"
    "  -s, --sample[=HZ]        ask the system so often a second (20) what the processes of the tasks do, too\n"
    "  -e, --events LIST        what to record: kinds and categories between commas, `all`, or what to "
    "leave out\n"
    "                           behind a minus.  Categories: task pack group barrier point global "
    "collective\n"
    "                           function user system.  Default: all\n"
    "  -t, --timeout SECONDS    stop the program after that time; the trace is written all the same\n"
    "  -a, --anonymous          call the hosts host1, host2, ... in the trace\n"
    "  -q, --quiet              say nothing at the end\n"
    "  -h, --help               this text\n"
    "\n"
    "A pvmd is started when none runs, and stopped at the end.  For several hosts start PVM with them "
    "first.\n"
    "Exit status: that of the program; 128 + N when signal N ended it; 124 after a timeout; 125 when "
    "tracing failed;\n"
    "123 when the program ended well but --replay could not keep the order, which is said.\n"
    "\n"
    "Example:  tape-pvm -o fft.trace --events=-pack -- ./fft2d 256 4 32\n");

const char tape_name[] = "tape-pvm";

enum { FAILED = TAPE_FAILED, TIMED_OUT = TAPE_TIMED_OUT, ANOTHER_WAY = 123 };

/* The bundle and the name of its inner folder. */
static bool
tape_pvm_make_bundle (TapeRun *run, bool force)
{
  size_t length = strlen (run->bundle);
  const char *slash;
  char *path = strdup (run->bundle);

  while (length > 1 && path[length - 1] == '/')
    path[--length] = '\0';
  run->bundle = path;
  slash = strrchr (path, '/');
  snprintf (run->name, sizeof run->name, "%s", slash ? slash + 1 : path);
  length = strlen (run->name);
  if (length <= 6 || strcmp (run->name + length - 6, ".trace") != 0) {
    tape_say (_ ("%s: the name of a trace ends with .trace"), path);
    return false;
  }
  run->name[length - 6] = '\0';
  if (mkdir (path, 0777) != 0 && (errno != EEXIST || !force)) {
    int why = errno;
    if (why == EEXIST)
      tape_say (_ ("%s is there already (--force writes over it)"), path);
    else
      tape_say ("%s: %s", path, strerror (why));
    return false;
  }
  return true;
}

static bool
make_local (TapeRun *run)
{
  const char *tmp = getenv ("TMPDIR");
  char path[400];
  FILE *f;

  snprintf (run->dir, sizeof run->dir, "%.200s/tape-pvm.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  if (!mkdtemp (run->dir)) {
    tape_say ("%s: %s", run->dir, strerror (errno));
    return false;
  }
  /* A host that sees this file shares our file system: nothing need be sent from there. */
  snprintf (run->marker, sizeof run->marker, "here.%d.%lld", (int) getpid (), (long long) tape_now ());
  snprintf (path, sizeof path, "%s/%s", run->dir, run->marker);
  if ((f = fopen (path, "we")) == NULL) {
    tape_say ("%s: %s", path, strerror (errno));
    return false;
  }
  fclose (f);
  return true;
}

static void
remove_local (const TapeRun *run)
{
  DIR *dir = opendir (run->dir);
  struct dirent *entry;

  while (dir && (entry = readdir (dir)) != NULL)
    if (entry->d_name[0] != '.')
      unlinkat (dirfd (dir), entry->d_name, 0);
  if (dir)
    closedir (dir);
  rmdir (run->dir);
}

static void
summary (const TapeRun *run)
{
  double cost = (double) run->cost_ps * 1e-3 * (double) run->n_calls, lived = (double) run->lived_ns;
  g_autofree char *seconds = tape_number ("%.3f", (double) (run->ended - run->began) * 1e-9);

  tape_say (P_ ("%s: %lld events of %d tasks on %d host in %s s, %lld calls without an end",
                "%s: %lld events of %d tasks on %d hosts in %s s, %lld calls without an end", run->n_hosts),
            run->bundle, run->n_events, run->n_tasks, run->n_hosts, seconds, run->n_unfinished);
  if (run->cost_ps >= 0) {
    g_autofree char *all = tape_number ("%.3f", cost * 1e-6);
    g_autofree char *percent = tape_number ("%.3f", lived > 0 ? 100 * cost / lived : 0.0);
    tape_say (_ ("tracing cost about %.0f ns an event, %s ms in all, %s %% of the life of the tasks"),
              (double) run->cost_ps * 1e-3, all, percent);
  }
  for (int i = 0; i < run->n_hosts; i++) {
    const TapeClock *c = run->host[i].clock >= 0 ? &run->clock[run->host[i].clock] : NULL;

    if (c && !c->own && c->n > 0)
      tape_say (c->n > 1 ? _ ("%s: clock offset %lld ns +- %lld ns, drift measured")
                         : _ ("%s: clock offset %lld ns +- %lld ns; no second measure"),
                run->host[i].name, (long long) c->offset[0], (long long) c->error[0]);
  }
  if (run->n_moved)
    tape_say (_ ("%lld messages would have come before they were sent; tasks moved by up to %lld ns"), run->n_moved,
              (long long) run->most_moved);
  if (run->sample_hz > 0) {
    g_autofree char *hz = tape_number ("%g", run->sample_hz);
    tape_say (_ ("%lld samples of their processes, %s a second of each"), run->n_samples, hz);
  }
  if (run->timed_out)
    tape_say_stopped (run->timeout_s);
}

/* From the files of the tasks to the bundle. */
static bool
tape_pvm_write_all (TapeRun *run)
{
  bool ok = local_open (run);

  if (!ok)
    return false;
  causal_repair (run);
  ok = merge_write (run) && sites_write (run) && notes_write (run);
  if (ok && !run->quiet)
    summary (run);
  local_close (run);
  return ok;
}

static bool
tape_pvm_finish (TapeRun *run)
{
  bool ok = true;

  if (!run->live)
    return tape_pvm_write_all (run);
  if (live_end (run) && run->n_tasks > 0) {
    ok = notes_write (run);
    if (ok && !run->quiet)
      summary (run);
    live_close (run);
  } else {
    live_close (run);
    ok = tape_pvm_write_all (run);
  }
  if (ok)
    live_say_ended ();
  return ok;
}

int
main (int argc, char **argv)
{
  static const struct option options[] = {
    { "live", no_argument, NULL, 'l' },
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, 'f' },
    { "replay", required_argument, NULL, 'r' },
    { "sample", optional_argument, NULL, 's' },
    { "events", required_argument, NULL, 'e' },
    { "timeout", required_argument, NULL, 't' },
    { "anonymous", no_argument, NULL, 'a' },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },
    { 0 },
  };
  TapeRun run = { .cost_ps = -1 };
  bool force = false, ok, kept = true;
  char bad[64], *end;
  int c;

  tape_command_begin ();
  if (argc > 1 && strcmp (argv[1], "--agent") == 0)
    return agent_main (argc, argv);
  while ((c = getopt_long (argc, argv, "+o:flr:s::e:t:aqh", options, NULL)) != -1)
    switch (c) {
    case 'o':
      run.bundle = optarg;
      break;
    case 'l':
      run.live = true;
      break;
    case 'r':
      run.replay = optarg;
      break;
    case 's':
      run.sample_hz = optarg ? strtod (optarg, &end) : 20;
      if (!(run.sample_hz >= 0.01 && run.sample_hz <= 1000) || (optarg && (end == optarg || *end))) {
        tape_say (_ ("--sample=%s: how often a second is a number from 0.01 to 1000"), optarg);
        return FAILED;
      }
      break;
    case 'f':
      force = true;
      break;
    case 'e':
      run.events = optarg;
      break;
    case 't':
      run.timeout_s = strtod (optarg, &end);
      if (end == optarg || *end || !(run.timeout_s > 0)) {
        tape_say (_ ("--timeout %s: not a number of seconds"), optarg);
        return FAILED;
      }
      break;
    case 'a':
      run.anonymous = true;
      break;
    case 'q':
      run.quiet = true;
      break;
    case 'h':
      fputs (in_words (help), stdout);
      return 0;
    default:
      fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
      return FAILED;
    }
  if (run.live && !run.bundle && optind < argc)
    run.bundle = argv[optind++];
  run.argv = argv + optind;
  if ((!run.bundle && !run.replay) || !*run.argv) {
    tape_say ("%s", run.bundle || run.replay ? _ ("no program: what shall be run goes behind --")
                                             : _ ("no trace: give its name with -o"));
    fprintf (stderr, _ ("Try %s --help.\n"), tape_name);
    return FAILED;
  }
  if (!tape_events_parse (run.events, run.mask, bad, sizeof bad)) {
    tape_say (_ ("--events: %s: neither a kind of event nor a category"), bad);
    return FAILED;
  }
  tape_clock_init ();
  if (!make_local (&run))
    return FAILED;
  /* Read before anything is written over: it may be the same trace. */
  ok = (!run.replay || order_read (&run)) && sample_open (&run) && (!run.bundle || tape_pvm_make_bundle (&run, force));
  if (!ok) {
    remove_local (&run);
    return FAILED;
  }
  if (!run.bundle)
    run.events = "task"; /* nobody will read more */
  ok = machine_open (&run) && (!run.live || live_begin (&run));
  if (ok) {
    ok = machine_run (&run);
    if (ok)
      estimate_collect (&run);
  }
  machine_close (&run);
  ok = ok && (!run.bundle || tape_pvm_finish (&run));
  if (ok && run.replay)
    kept = order_tell (&run);
  sample_close ();
  remove_local (&run);
  if (!ok && !run.bundle)
    return FAILED;
  if (!ok) {
    if (run.live)
      live_discard (&run);
    rmdir (run.bundle); /* only if nothing is in it */
    return FAILED;
  }
  return run.timed_out ? TIMED_OUT : run.status ? run.status : kept ? 0 : ANOTHER_WAY;
}
