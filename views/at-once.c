/* SPDX-License-Identifier: Apache-2.0 */
#include "views/at-once.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

typedef struct Parts {
  atomic_uint next; /* that nobody has begun */
  uint32_t n;
  void (*work) (void *arg, uint32_t part);
  void *arg;
} Parts;

static void *
work_on (void *p)
{
  Parts *parts = p;

  for (uint32_t i; (i = atomic_fetch_add (&parts->next, 1)) < parts->n;)
    parts->work (parts->arg, i);
  return NULL;
}

/* Signals that are sent to the process are for the thread that expects them; faults stay with who makes them. */
static void
block_signals (sigset_t *before)
{
  static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
  sigset_t all;

  sigfillset (&all);
  for (size_t i = 0; i < G_N_ELEMENTS (faults); i++)
    sigdelset (&all, faults[i]);
  pthread_sigmask (SIG_SETMASK, &all, before);
}

void
at_once (uint32_t n, uint32_t least, void (*work) (void *arg, uint32_t part), void *arg)
{
  uint32_t most = MIN (n / MAX (least, 1), MIN (g_get_num_processors (), AT_ONCE_MOST)), helpers = 0;
  Parts parts = { .n = n, .work = work, .arg = arg };
  pthread_t helper[AT_ONCE_MOST];
  sigset_t before;

  /* Threads of a picture end with it: some 20 us each, and nothing is left that a fork or an unloaded library could
   * trip over. */
  if (most > 1) {
    block_signals (&before);
    while (helpers + 1 < most && pthread_create (&helper[helpers], NULL, work_on, &parts) == 0)
      helpers++;
    pthread_sigmask (SIG_SETMASK, &before, NULL);
  }
  work_on (&parts);
  while (helpers > 0)
    pthread_join (helper[--helpers], NULL);
}
