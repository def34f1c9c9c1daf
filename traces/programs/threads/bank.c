/* SPDX-License-Identifier: Apache-2.0 */
/* bank.c - tellers move money between accounts: a lock for each account, a queue of orders with a condition, a barrier
 * at the end of each day, a semaphore for the two printers, a read-write lock around the rates.
 *
 *   bank [TELLERS [DAYS [ORDERS]]]
 *
 * One lock, that of the audit, is held much too long: the trace shows who waits for whom.  The sum of all accounts is
 * checked at the end. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tape-threads.h"

enum { ACCOUNTS = 6, MOST_TELLERS = 64, ROOM = 8, PRINTERS = 2 };

typedef struct Account {
  pthread_mutex_t lock;
  long money;
} Account;

static Account accounts[ACCOUNTS];
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, audit_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rates = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t end_of_day;
static sem_t printers;
static int queue[ROOM], n_queue, tellers = 4, days = 3, orders = 24;
static long fee = 1, audited;

/* Computes for about so long, whatever the machine. */
static void
work (int microseconds)
{
  struct timespec begin, now;
  volatile unsigned sink = 0;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (int i = 0; i < 200; i++)
      sink += (unsigned) i;
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}

static int
next_order (void)
{
  pthread_mutex_lock (&queue_lock);
  while (n_queue == 0)
    pthread_cond_wait (&not_empty, &queue_lock);
  int order = queue[--n_queue];
  pthread_cond_signal (&not_full);
  pthread_mutex_unlock (&queue_lock);
  return order;
}

static void
give_order (int order)
{
  pthread_mutex_lock (&queue_lock);
  while (n_queue == ROOM)
    pthread_cond_wait (&not_full, &queue_lock);
  queue[n_queue++] = order;
  pthread_cond_signal (&not_empty);
  pthread_mutex_unlock (&queue_lock);
}

/* Locks in the order of the accounts, so that nobody waits in a circle. */
static void
transfer (int order)
{
  int from = order % ACCOUNTS, to = order / ACCOUNTS % ACCOUNTS;

  if (from == to)
    to = (to + 1) % ACCOUNTS;
  Account *first = &accounts[from < to ? from : to], *second = &accounts[from < to ? to : from];
  pthread_rwlock_rdlock (&rates);
  long amount = 10 + fee;
  pthread_rwlock_unlock (&rates);
  pthread_mutex_lock (&first->lock);
  pthread_mutex_lock (&second->lock);
  work (150);
  accounts[from].money -= amount;
  accounts[to].money += amount;
  pthread_mutex_unlock (&second->lock);
  pthread_mutex_unlock (&first->lock);
  pthread_mutex_lock (&audit_lock);
  work (400); /* much too long */
  audited++;
  pthread_mutex_unlock (&audit_lock);
}

static void
print_statement (void)
{
  sem_wait (&printers);
  work (300);
  sem_post (&printers);
}

static void *
teller (void *number)
{
  char name[16];

  snprintf (name, sizeof name, "teller %d", (int) (size_t) number);
  pthread_setname_np (pthread_self (), name);
  for (int day = 0; day < days; day++) {
    for (int i = 0; i < orders; i++) {
      transfer (next_order ());
      work (100);
    }
    print_statement ();
    pthread_barrier_wait (&end_of_day);
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t threads[MOST_TELLERS];
  unsigned random = 12345;
  long sum = 0;

  tellers = argc > 1 ? atoi (argv[1]) : tellers;
  days = argc > 2 ? atoi (argv[2]) : days;
  orders = argc > 3 ? atoi (argv[3]) : orders;
  if (tellers < 1 || tellers > MOST_TELLERS || days < 1 || orders < 1) {
    fprintf (stderr, "usage: bank [TELLERS (1-%d) [DAYS [ORDERS]]]\n", MOST_TELLERS);
    return 2;
  }
  for (int i = 0; i < ACCOUNTS; i++) {
    char name[32];
    pthread_mutex_init (&accounts[i].lock, NULL);
    snprintf (name, sizeof name, "account %d", i);
    tape_threads_name (&accounts[i].lock, name);
    accounts[i].money = 1000;
  }
  sem_init (&printers, 0, PRINTERS);
  pthread_barrier_init (&end_of_day, NULL, (unsigned) tellers + 1);
  for (int i = 0; i < tellers; i++)
    pthread_create (&threads[i], NULL, teller, (void *) (size_t) (i + 1));
  for (int day = 0; day < days; day++) {
    for (int i = 0; i < tellers * orders; i++) {
      random = random * 1103515245u + 12345u;
      give_order ((int) (random >> 16 & 0x7fff));
    }
    pthread_barrier_wait (&end_of_day);
    pthread_rwlock_wrlock (&rates);
    work (200);
    fee++;
    pthread_rwlock_unlock (&rates);
  }
  for (int i = 0; i < tellers; i++)
    pthread_join (threads[i], NULL);
  for (int i = 0; i < ACCOUNTS; i++)
    sum += accounts[i].money;
  if (sum != ACCOUNTS * 1000 || audited != (long) tellers * days * orders) {
    fprintf (stderr, "bank: the sum of all accounts is %ld, not %d\n", sum, ACCOUNTS * 1000);
    return 1;
  }
  return 0;
}
