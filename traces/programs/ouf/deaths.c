/* SPDX-License-Identifier: Apache-2.0 */
/* deaths.c - tasks that die in the middle of a communication, in every way, and neighbours that notice.
 *
 *   deaths [BYTES]      default 262144: half of a message
 *
 * Four victims: one crashes in the middle of a message, whose second half it may not read itself; one is
 * killed while it waits to send; one ends without receiving what is offered to it; one ends inside an
 * alternative, as another of its threads leaves the program.  The witness must be told each time that the
 * other is dead, and ends well.  The status of the program is that of the first victim: 139. */
#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CRASHES, IS_KILLED, LEAVES, EXITS, VICTIMS };

static size_t bytes;
static int witness_task;

/* Links to the witness are 0 .. VICTIMS - 1, from it VICTIMS .. */
static int
from_witness (int victim)
{
  return VICTIMS + victim;
}

static void
exit_later (void *arg)
{
  (void) arg;
  ouf_wait (20000000);
  _exit (7);
}

static int
crashes (void *arg)
{
  char *data = mmap (NULL, 2 * bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  (void) arg;
  check (data != MAP_FAILED && mprotect (data + bytes, bytes, PROT_NONE) == 0, "out of memory");
  signal (SIGSEGV, SIG_DFL); /* a checker of memory would make a report of it */
  ouf_send (CRASHES, data, 2 * bytes);
  fail ("did not crash");
}

static int
is_killed (void *arg)
{
  int pid = (int) getpid ();

  (void) arg;
  ouf_send (IS_KILLED, &pid, sizeof pid);
  ouf_send (IS_KILLED, &pid, sizeof pid); /* nobody takes this one */
  fail ("was not killed");
}

static int
leaves (void *arg)
{
  (void) arg;
  ouf_wait (10000000);
  return 0;
}

static int
exits (void *arg)
{
  int link = from_witness (EXITS);

  (void) arg;
  ouf_run (ouf_thread ("quitter", exit_later, NULL));
  ouf_alt (1, &link);
  fail ("the alternative ended");
}

static int
witness (void *arg)
{
  char *data = malloc (2 * bytes);
  int pid, link[2] = { IS_KILLED, EXITS };

  (void) arg;
  check (data != NULL, "out of memory");
  check (ouf_receive (CRASHES, data, 2 * bytes) == OUF_DEAD, "the crash was not noticed");

  check (ouf_receive (IS_KILLED, &pid, sizeof pid) == sizeof pid, "no pid");
  check (ouf_alt (1, link) == 0, "it does not send");
  kill (pid, SIGKILL);
  while (ouf_nalt (1, link) == 0) /* still offered, as long as nobody has noticed */
    ouf_wait (1000000);
  check (ouf_receive (IS_KILLED, &pid, sizeof pid) == OUF_DEAD, "the kill was not noticed");

  check (ouf_send (from_witness (LEAVES), data, bytes) == OUF_DEAD, "the leaving was not noticed");
  check (ouf_alt (2, link) == OUF_DEAD, "the alternative does not notice that all are dead");
  check (ouf_tsend (from_witness (EXITS), data, bytes, 1000000) == OUF_DEAD, "a dead task is waited for");
  free (data);
  printf ("deaths: four noticed: OK\n");
  return 0;
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "crashes", "killed", "leaves", "exits" };
  static int (*const lives[]) (void *) = { crashes, is_killed, leaves, exits };
  int of[VICTIMS];
  char name[32];

  bytes = (size_t) number (argc, argv, 1, 262144, 4096, 1 << 28) / 4096 * 4096;
  for (int i = 0; i < VICTIMS; i++)
    of[i] = ouf_task (names[i], -1, lives[i], NULL);
  witness_task = ouf_task ("witness", -1, witness, NULL);
  for (int i = 0; i < VICTIMS; i++) {
    snprintf (name, sizeof name, "from-%s", names[i]);
    ouf_link (name, of[i], witness_task);
  }
  for (int i = 0; i < VICTIMS; i++) {
    snprintf (name, sizeof name, "to-%s", names[i]);
    ouf_link (name, witness_task, of[i]);
  }
  return ouf_execute (argc, argv);
}
