/* SPDX-License-Identifier: Apache-2.0 */
/* orders.c - threads take orders from a queue: points, times, values, a tag, the log.
 *
 *   viz-orders [ROUNDS [CLIENTS]]    a round takes 10 ms; waits for so many clients first (one) */
#include "scopeviz.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

typedef struct Order {
  struct Order *next;
  int number, lines;
  char text[];
} Order;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static Order *first, **last = &first;
static int waiting;
static bool closed;
static ScopevizItem *stock, *taken, *waited, *price, *busy, *state;

static void
put_order (int number)
{
  int lines = 1 + number % 7;
  size_t size = sizeof (Order) + 100 * (size_t) lines;
  Order *order = malloc (size);
  if (!order)
    return;
  scopeviz_tag_add (stock, size);
  *order = (Order){ .number = number, .lines = lines };
  pthread_mutex_lock (&lock);
  *last = order;
  last = &order->next;
  waiting++;
  pthread_cond_signal (&more);
  pthread_mutex_unlock (&lock);
}

static Order *
take_order (void)
{
  SCOPEVIZ_FUNCTION_WALL ();
  pthread_mutex_lock (&lock);
  while (!first && !closed)
    pthread_cond_wait (&more, &lock);
  Order *order = first;
  if (order) {
    first = order->next;
    if (!first)
      last = &first;
    waiting--;
  }
  pthread_mutex_unlock (&lock);
  return order;
}

static double
work_on (const Order *order)
{
  SCOPEVIZ_FUNCTION ();
  double sum = 0;
  for (int i = 1; i < order->lines * 20000; i++)
    sum += sqrt (i) / order->lines;
  return sum;
}

static void *
serve (void *none)
{
  for (Order *order; (order = take_order ());) {
    scopeviz_point (taken);
    scopeviz_float_set (price, work_on (order));
    if (order->lines == 7)
      SCOPEVIZ_POINT ("large orders");
    scopeviz_tag_remove (stock, sizeof (Order) + 100 * (size_t) order->lines);
    free (order);
  }
  return none;
}

static int64_t
count_waiting (void *none)
{
  pthread_mutex_lock (&lock);
  int64_t n = waiting;
  pthread_mutex_unlock (&lock);
  return n;
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 500;
  unsigned clients = argc > 2 ? (unsigned) atoi (argv[2]) : 1;
  taken = scopeviz_point_new ("orders taken");
  stock = scopeviz_tag_new ("orders in memory", SCOPEVIZ_COUNT | SCOPEVIZ_SIZE);
  waited = scopeviz_int_call ("orders waiting", count_waiting, NULL);
  price = scopeviz_float_new ("last price");
  busy = scopeviz_bool_new ("a rush");
  state = scopeviz_string_new ("phase");
  fprintf (stderr, "watch it: scope live %s\n", scopeviz_where ());
  scopeviz_wait_for_clients (clients, -1);

  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&thread[i], NULL, serve, NULL))
      return 1;
  int number = 0;
  for (int round = 0; round < rounds; round++) {
    bool rush = round / 50 % 2;
    scopeviz_bool_set (busy, rush);
    scopeviz_string_set (state, rush ? "rush" : "calm");
    if (round % 50 == 0)
      scopeviz_log ("round %d: it is %s", round, rush ? "a rush" : "calm");
    for (int i = 0; i < (rush ? 6 : 1); i++)
      put_order (number++);
    usleep (10000);
  }
  pthread_mutex_lock (&lock);
  closed = true;
  pthread_cond_broadcast (&more);
  pthread_mutex_unlock (&lock);
  for (int i = 0; i < THREADS; i++)
    pthread_join (thread[i], NULL);
  scopeviz_kill (waited);
  scopeviz_log ("%d orders were served", number);
  return 0;
}
