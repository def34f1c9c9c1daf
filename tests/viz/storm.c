/* SPDX-License-Identifier: Apache-2.0 */
/* storm.c - threads use the whole of the library at once while clients come, ask, read and go: for the thread
 * sanitizer, and for counts that must be right at the end. */
#include "scopeviz.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 1500

static ScopevizItem *point, *tag, *text, *number, *shared_time, *hash, *tree;
static bool over; /* atomic */

static int64_t
call_number (void *data)
{
  return scopeviz_point_new ("made inside a function") != NULL;
}

static void
build (void *data, ScopevizTree *to)
{
  int leaf = scopeviz_tree_node (to, "leaf", 0, NULL);
  scopeviz_tree_node (to, "root", 1, &leaf);
}

static void
in_function (int depth)
{
  SCOPEVIZ_FUNCTION ();
  SCOPEVIZ_POINT ("inside");
  if (depth)
    in_function (depth - 1);
}

static void *
work (void *data)
{
  for (int i = 0; i < ROUNDS; i++) {
    scopeviz_point (point);
    scopeviz_tag_add (tag, 10);
    scopeviz_string_set (text, i % 2 ? "odd" : "even");
    scopeviz_float_set (number, i);
    if (scopeviz_time_start (shared_time))
      scopeviz_time_stop (shared_time);
    in_function (i % 3);
    if (i % 10 == 0) {
      ScopevizItem *called = scopeviz_int_call ("called", call_number, NULL);
      scopeviz_log ("round %d", i);
      scopeviz_hash_set (hash, &(ScopevizHash){ i, i, i, i });
      scopeviz_tree_set (tree, build, NULL);
      scopeviz_period (called, 5);
      scopeviz_kill (called);
    }
    if (i % 100 == 0)
      scopeviz_send_now ();
    if (scopeviz_due ())
      scopeviz_done ();
  }
  return NULL;
}

/* Comes, asks for something, reads a little, goes. */
static void *
watch (void *data)
{
  static const unsigned char ask[] = { 3, 0, 0, 0, 129, 5, 0, 3, 0, 0, 0, 130, 5, 0,
                                       5, 0, 0, 0, 132, 1, 0, 0, 0, 1, 0, 0,   0, 134 };
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t) atoi (strchr (scopeviz_where (), ':') + 1)) };
  inet_pton (AF_INET, "127.0.0.1", &address.sin_addr);
  while (!__atomic_load_n (&over, __ATOMIC_RELAXED)) {
    int fd = socket (AF_INET, SOCK_STREAM, 0);
    char room[4096];
    if (fd >= 0 && connect (fd, (struct sockaddr *) &address, sizeof address) == 0
        && send (fd, ask, sizeof ask, MSG_NOSIGNAL) > 0)
      for (int i = 0; i < 5 && recv (fd, room, sizeof room, 0) > 0; i++)
        ;
    if (fd >= 0)
      close (fd);
  }
  return NULL;
}

int
main (void)
{
  pthread_t thread[THREADS], client[2];
  if (!scopeviz_start ("127.0.0.1:0"))
    return 2;
  point = scopeviz_point_new ("point");
  tag = scopeviz_tag_new ("tag", SCOPEVIZ_COUNT | SCOPEVIZ_SIZE);
  text = scopeviz_string_new ("text");
  number = scopeviz_float_new ("number");
  shared_time = scopeviz_time_new ("time");
  hash = scopeviz_hash_new ("hash");
  tree = scopeviz_tree_new ("tree");
  for (int i = 0; i < 2; i++)
    pthread_create (&client[i], NULL, watch, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_create (&thread[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join (thread[i], NULL);
  __atomic_store_n (&over, true, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++)
    pthread_join (client[i], NULL);
  printf ("%lld passes\n", (long long) __atomic_load_n (&point->number, __ATOMIC_RELAXED));
  return __atomic_load_n (&point->number, __ATOMIC_RELAXED) != THREADS * ROUNDS;
}
