/* SPDX-License-Identifier: Apache-2.0 */
/* services.c - client and server: clients call services of a few servers, and wait for each reply.
 *
 *   services [SERVERS [CLIENTS [CALLS]]]      default 2 5 12
 *
 * A server offers three services, each known by the tag of its requests: the sum of two numbers, how many primes there
 * are below a number, and the n-th number of Fibonacci, which the server finds by calling itself the sum of the next
 * server: so a server is a client, too.  The tag of a reply is that of its request and 100. */
#include "check.h"
#include "tape.h"

enum { ADD = 1, PRIMES = 2, FIBONACCI = 3, STOP = 9, HELLO = 10, REPLY = 100 };

static unsigned long seed;

static unsigned
any (unsigned n)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned) (seed >> 33) % n;
}

static void
send_two (int to, int tag, long a, long b)
{
  long both[2] = { a, b };

  pvm_initsend (PvmDataDefault);
  pvm_pklong (both, 2, 1);
  pvm_send (to, tag);
}

/* Asks, and waits for the reply. */
static long
call (int server, int tag, long a, long b)
{
  long both[2];

  send_two (server, tag, a, b);
  pvm_recv (server, tag + REPLY);
  pvm_upklong (both, 2, 1);
  return both[0];
}

static long
primes (long below)
{
  long n = 0;

  for (long x = 2; x < below; x++) {
    long d = 2;
    while (d * d <= x && x % d != 0)
      d++;
    n += d * d > x;
  }
  return n;
}

static long
fibonacci (long n, int next)
{
  long a = 0, b = 1;

  for (; n > 0; n--) {
    long sum = next >= 0 ? call (next, ADD, a, b) : a + b;
    a = b;
    b = sum;
  }
  return a;
}

/* `next`: whom it asks for sums; the last server asks nobody, so that none waits for itself. */
static void
serve (int next)
{
  for (;;) {
    long both[2], result = 0;
    int tag, from, id = pvm_recv (-1, -1);

    pvm_bufinfo (id, NULL, &tag, &from);
    if (tag == STOP)
      return;
    pvm_upklong (both, 2, 1);
    tape_begin ("serve", tag);
    if (tag == ADD)
      result = both[0] + both[1];
    else if (tag == PRIMES)
      result = primes (both[0]);
    else if (tag == FIBONACCI)
      result = fibonacci (both[0], next);
    tape_end ("serve");
    send_two (from, tag + REPLY, result, 0);
  }
}

static int
ask (int me, const int *servers, int n_servers, int calls)
{
  int wrong = 0;

  seed = 77ul + (unsigned long) me;
  for (int i = 0; i < calls; i++) {
    int server = servers[any ((unsigned) n_servers)], what = (int) any (5);
    long x = 3000 + (long) any (9000);

    if (what < 2)
      wrong += call (server, ADD, x, i) != x + i;
    else if (what < 4)
      wrong += call (server, PRIMES, x, 0) != primes (x);
    else
      wrong += call (server, FIBONACCI, 3 + x % 5, 0) != fibonacci (3 + x % 5, -1);
  }
  return wrong;
}

int
main (int argc, char **argv)
{
  int n_servers = number (argc, argv, 1, 2), n_clients = number (argc, argv, 2, 5), calls = number (argc, argv, 3, 12);
  int tids[64], all[68], wrong = 0;

  if (pvm_mytid () < 0)
    return 1;
  if (pvm_parent () != PvmNoParent) {
    int what[4 + 64];
    pvm_recv (pvm_parent (), HELLO);
    pvm_upkint (what, 4 + 64, 1);
    if (what[0] < what[1]) {
      serve (what[0] + 1 < what[1] ? what[4 + what[0] + 1] : -1);
    } else {
      wrong = ask (what[0], what + 4, what[1], what[3]);
      pvm_initsend (PvmDataDefault);
      pvm_pkint (&wrong, 1, 1);
      pvm_send (pvm_parent (), HELLO);
    }
    pvm_exit ();
    return 0;
  }
  if (n_servers < 1 || n_clients < 1 || n_servers + n_clients > 64)
    fail ("services", "needs a server and a client, and 64 of both at most");
  spawn ("services", NULL, n_servers + n_clients, tids);
  for (int i = 0; i < n_servers + n_clients; i++) {
    all[0] = i, all[1] = n_servers, all[2] = n_clients, all[3] = calls;
    for (int k = 0; k < 64; k++)
      all[4 + k] = k < n_servers + n_clients ? tids[k] : 0;
    pvm_initsend (PvmDataDefault);
    pvm_pkint (all, 4 + 64, 1);
    pvm_send (tids[i], HELLO);
  }
  for (int i = 0; i < n_clients; i++) {
    int one;
    pvm_recv (-1, HELLO);
    pvm_upkint (&one, 1, 1);
    wrong += one;
  }
  for (int i = 0; i < n_servers; i++) {
    pvm_initsend (PvmDataDefault);
    pvm_send (tids[i], STOP);
  }
  printf ("services: %d calls: %s\n", n_clients * calls, wrong == 0 ? "OK" : "WRONG");
  pvm_exit ();
  return wrong != 0;
}
