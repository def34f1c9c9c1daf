/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - the clocks of other hosts: offset and drift, by an agent on each.
 *
 * tape-pvm asks the agent for its date many times.  A question at t1, answered with date b and back at t2
 * bounds the offset: b - t2 <= offset <= b - t1.  The tightest of all bounds are kept (Cristian's smallest
 * round trip, taken for each way by itself); their middle is the estimate, half their distance its error.
 * Done before and after the run this gives the line of Maillet & Tron (1995): offset and drift.  The agent is
 * tape-pvm itself, spawned through PVM; at the end it also sends the local files of its host. */
#include "tape-pvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pvm3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/words.h"

enum { ASK_CLOCK, ASK_WHO, ASK_FILES, ASK_QUIT };

#define ROUNDS 300
#define LONGEST_NS 400000000 /* of one measure: drift must not matter within it */
#define PIECE 65536

int
tape_clock_number (TapeRun *run, const char *domain)
{
  for (int i = 0; i < run->n_clocks; i++)
    if (strcmp (run->clock[i].domain, domain) == 0)
      return i;
  run->clock = realloc (run->clock, (size_t) (run->n_clocks + 1) * sizeof *run->clock);
  memset (&run->clock[run->n_clocks], 0, sizeof *run->clock);
  snprintf (run->clock[run->n_clocks].domain, sizeof run->clock->domain, "%s", domain);
  return run->n_clocks++;
}

int64_t
tape_to_ours (const TapeClock *clock, int64_t theirs)
{
  double drift = 0;
  int64_t since;

  if (clock->own)
    return theirs;
  if (clock->n > 1 && clock->at[1] > clock->at[0])
    drift = (double) (clock->offset[1] - clock->offset[0]) / (double) (clock->at[1] - clock->at[0]);
  since = theirs - clock->offset[0] - clock->at[0]; /* their time since the first measure */
  return clock->at[0] + since - (int64_t) ((double) since * drift / (1 + drift));
}

/* -- tape-pvm's side -- */

static void
estimate_ask (int agent, int what)
{
  pvm_initsend (PvmDataDefault);
  pvm_pkint (&what, 1, 1);
  pvm_send (agent, TAPE_TAG_AGENT);
}

static bool
answer (int agent, double seconds)
{
  struct timeval wait = { (time_t) seconds, 0 };

  return pvm_trecv (agent, TAPE_TAG_AGENT, &wait) > 0;
}

static int64_t
unpack_date (void)
{
  unsigned int part[2] = { 0, 0 };

  pvm_upkuint (part, 2, 1);
  return (int64_t) ((uint64_t) part[0] << 32 | part[1]);
}

static void
estimate_measure (TapeRun *run, TapeHost *host)
{
  TapeClock *clock = &run->clock[host->clock];
  int64_t low = INT64_MIN, high = INT64_MAX, start = tape_now (), t2 = start;
  int slot = clock->n ? 1 : 0, i;

  if (clock->own)
    return;
  for (i = 0; i < ROUNDS && t2 - start < LONGEST_NS; i++) {
    int64_t t1 = tape_now (), b;

    estimate_ask (host->agent, ASK_CLOCK);
    if (!answer (host->agent, 5)) {
      tape_say (_ ("%s: the agent does not answer; its clock is not measured"), host->name);
      return;
    }
    t2 = tape_now ();
    b = unpack_date ();
    low = b - t2 > low ? b - t2 : low;
    high = b - t1 < high ? b - t1 : high;
  }
  clock->at[slot] = start + (t2 - start) / 2;
  clock->offset[slot] = low + (high - low) / 2 + (getenv (TAPE_ENV_BIAS) ? atoll (getenv (TAPE_ENV_BIAS)) : 0);
  clock->error[slot] = (high - low) / 2 > 0 ? (high - low) / 2 : 0;
  clock->n = slot + 1;
  clock->known = true;
}

void
estimate_host (TapeRun *run, TapeHost *host)
{
  char self[4096] = "", domain[96] = "";
  char *arguments[4] = { (char *) "--agent", run->dir, run->marker, NULL };
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);
  int shares = 0;

  if (!host->asked) {
    host->asked = true;
    if (n <= 0 || pvm_spawn (self, arguments, PvmTaskHost, host->name, 1, &host->agent) != 1) {
      /* Not at the same place on that host: let its pvmd look for it. */
      if (pvm_spawn ((char *) "tape-pvm", arguments, PvmTaskHost, host->name, 1, &host->agent) != 1) {
        host->agent = 0;
        tape_say (_ ("%s: no agent could be started there (tape-pvm is neither at the same path nor in the path of "
                     "its pvmd); its clock and its files are out of reach"),
                  host->name);
        return;
      }
    }
    estimate_ask (host->agent, ASK_WHO);
    if (!answer (host->agent, 10)) {
      tape_say (_ ("%s: the agent does not answer; its clock and its files are out of reach"), host->name);
      host->agent = 0;
      return;
    }
    pvm_upkstr (domain);
    pvm_upkint (&shares, 1, 1);
    host->shares_files = shares;
    host->clock = tape_clock_number (run, domain);
  }
  if (host->agent)
    estimate_measure (run, host);
}

static void
fetch_files (TapeRun *run, TapeHost *host)
{
  char name[256], path[600], *piece = malloc (PIECE);

  estimate_ask (host->agent, ASK_FILES);
  /* Each message: name, length, bytes; an empty name ends. */
  while (answer (host->agent, 30)) {
    int length = 0, fd;

    pvm_upkstr (name);
    if (!*name)
      break;
    pvm_upkint (&length, 1, 1);
    if (length < 0 || length > PIECE || strchr (name, '/'))
      break;
    pvm_upkbyte (piece, length, 1);
    snprintf (path, sizeof path, "%s/%s", run->dir, name);
    fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write (fd, piece, (size_t) length) != length)
      tape_say ("%s: %s: %s", host->name, name, strerror (errno));
    if (fd >= 0)
      close (fd);
  }
  free (piece);
}

void
estimate_collect (TapeRun *run)
{
  for (int i = 0; i < run->n_hosts; i++) {
    TapeHost *host = &run->host[i];

    if (!host->agent)
      continue;
    estimate_measure (run, host);
    if (!host->shares_files)
      fetch_files (run, host);
    estimate_ask (host->agent, ASK_QUIT);
    host->agent = 0;
  }
}

/* -- the agent -- */

static void
pack_date (int64_t date)
{
  unsigned int part[2] = { (unsigned int) ((uint64_t) date >> 32), (unsigned int) date };

  pvm_pkuint (part, 2, 1);
}

static bool
marked (const char *dir, const char *marker)
{
  char path[700];

  snprintf (path, sizeof path, "%s/%s", dir, marker);
  return access (path, F_OK) == 0;
}

static void
send_file (int home, const char *dir, char *name)
{
  char path[1024], *piece = malloc (PIECE);
  FILE *file;

  snprintf (path, sizeof path, "%s/%s", dir, name);
  if ((file = fopen (path, "re")) != NULL) {
    int length;

    while ((length = (int) fread (piece, 1, PIECE, file)) > 0) {
      pvm_initsend (PvmDataRaw);
      pvm_pkstr (name);
      pvm_pkint (&length, 1, 1);
      pvm_pkbyte (piece, length, 1);
      pvm_send (home, TAPE_TAG_AGENT);
    }
    fclose (file);
  }
  unlink (path);
  free (piece);
}

static void
send_files (int home, const char *dir)
{
  DIR *d = opendir (dir);
  struct dirent *entry;

  while (d && (entry = readdir (d)) != NULL)
    if (strstr (entry->d_name, ".tape"))
      send_file (home, dir, entry->d_name);
  if (d)
    closedir (d);
  rmdir (dir);
  pvm_initsend (PvmDataDefault);
  pvm_pkstr ((char *) "");
  pvm_send (home, TAPE_TAG_AGENT);
}

int
agent_main (int argc, char **argv)
{
  int home = pvm_parent (), what = ASK_QUIT, yes;
  char domain[96];

  if (home <= 0 || argc < 4) {
    tape_say (_ ("--agent: is for tape-pvm itself, which spawns it on other hosts"));
    return 2;
  }
  tape_clock_init ();
  pvm_setopt (PvmRoute, PvmRouteDirect);
  while (pvm_recv (home, TAPE_TAG_AGENT) > 0) {
    int64_t now = tape_now ();

    pvm_upkint (&what, 1, 1);
    if (what == ASK_FILES) {
      send_files (home, argv[2]);
      continue;
    }
    if (what == ASK_QUIT)
      break;
    pvm_initsend (PvmDataDefault);
    if (what == ASK_CLOCK) {
      pack_date (now);
    } else {
      tape_clock_domain (domain, sizeof domain);
      yes = marked (argv[2], argv[3]);
      pvm_pkstr (domain);
      pvm_pkint (&yes, 1, 1);
    }
    pvm_send (home, TAPE_TAG_AGENT);
  }
  pvm_exit ();
  return 0;
}
