/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - the page of the bundle that tells what was run and how far its dates can be trusted. */
#include "tape-pvm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

FILE *
bundle_create (TapeRun *run, const char *folder, const char *file)
{
  char path[4096];
  FILE *f;

  snprintf (path, sizeof path, "%s/%s", run->bundle, folder);
  if (mkdir (path, 0777) != 0 && errno != EEXIST) {
    tape_say ("%s: %s", path, strerror (errno));
    return NULL;
  }
  snprintf (path, sizeof path, "%s/%s/%s", run->bundle, folder, file);
  f = fopen (path, "we");
  if (f && !run->live) { /* what was there may have been a live trace */
    snprintf (path, sizeof path, "%s/%s/live", run->bundle, folder);
    unlink (path);
    snprintf (path, sizeof path, "%s/%s/%s", run->bundle, folder, file);
  }
  if (!f)
    tape_say ("%s: %s", path, strerror (errno));
  return f;
}

static const char *
pvm_notes_base (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash ? slash + 1 : path;
}

static void
put_clocks (TapeRun *run, FILE *out)
{
  for (int i = 0; i < run->n_hosts; i++) {
    const TapeHost *host = &run->host[i];
    const TapeClock *c = host->clock >= 0 ? &run->clock[host->clock] : NULL;
    char name[80];

    snprintf (name, sizeof name, "host%d", i + 1);
    fprintf (out, "- %s (%s, speed %d): ", run->anonymous ? name : host->name, host->arch, host->speed);
    if (!c || c->own) {
      fprintf (out, host->agent || c || i == 0 ? "the clock of reference.\n" : "clock not measured.\n");
      continue;
    }
    fprintf (out, "offset %" PRId64 " ns (error at most %" PRId64 " ns) before the run", c->offset[0], c->error[0]);
    if (c->n > 1)
      fprintf (out, ", %" PRId64 " ns (error at most %" PRId64 " ns) after it, drift %.3f ppm", c->offset[1],
               c->error[1],
               1e6 * (double) (c->offset[1] - c->offset[0]) / (double) (c->at[1] > c->at[0] ? c->at[1] - c->at[0] : 1));
    fputs (".\n", out);
  }
}

bool
notes_write (TapeRun *run)
{
  FILE *out = bundle_create (run, "doc", "run.md");
  time_t now = time (NULL);
  char date[64];
  double lived = (double) run->lived_ns, cost = (double) run->cost_ps * 1e-3 * (double) run->n_calls;

  if (!out)
    return false;
  strftime (date, sizeof date, "%Y-%m-%d", gmtime (&now));
  fprintf (out, "# %s: how this trace was taken\n\nCommand: `%s", run->name, pvm_notes_base (run->argv[0]));
  for (char **a = run->argv + 1; *a; a++)
    fprintf (out, " %s", run->anonymous ? pvm_notes_base (*a) : *a);
  fprintf (out, "`, traced by tape-pvm on %s", date);
  fprintf (out, ".\nEvents asked for: %s.\n", run->events && *run->events ? run->events : "all");
  if (run->sample_hz > 0)
    fprintf (
        out,
        "The system was asked %g times a second what the processes of the tasks of the first host do: %lld samples.\n",
        run->sample_hz, run->n_samples);
  if (run->replay)
    fprintf (out, "Receives got what they had got in %s, as `--replay` asks.\n", pvm_notes_base (run->replay));
  fprintf (out, "\nThe run took %.3f s", (double) (run->ended - run->began) * 1e-9);
  if (run->timed_out)
    fprintf (out, " and was stopped after the %g s it was allowed", run->timeout_s);
  else if (run->interrupted)
    fprintf (out, " and was interrupted");
  fprintf (out, "; %d tasks, %lld events, %lld calls without an end.\n", run->n_tasks, run->n_events,
           run->n_unfinished);
  fputs ("\n## Clocks\n\n", out);
  put_clocks (run, out);
  if (run->n_moved)
    fprintf (out,
             "\n%lld times a message would have come before it was sent: the receiving task was moved forward, "
             "by %" PRId64 " ns at most.\n",
             run->n_moved, run->most_moved);
  else
    fputs ("\nNo message had to be moved to come after its sending.\n", out);
  fputs ("\n## Cost of tracing\n\n", out);
  if (run->cost_ps >= 0)
    fprintf (out,
             "About %.0f ns an event (calibrated before the run), %.3f ms in all, %.3f %% of the life of the "
             "tasks.\n",
             (double) run->cost_ps * 1e-3, cost * 1e-6, lived > 0 ? 100 * cost / lived : 0.0);
  else
    fputs ("Not measured.\n", out);
  if (fclose (out) != 0) {
    tape_say ("%s: %s", run->bundle, strerror (errno));
    return false;
  }
  return true;
}
