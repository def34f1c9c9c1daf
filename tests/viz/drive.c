/* SPDX-License-Identifier: Apache-2.0 */
/* drive.c - a watched program that does what lines of its standard input say and answers each with a line.  Items are
 * numbered from 0 in the order in which they are made. */
#include "scopeviz.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 70000

static ScopevizItem *items[MOST];
static int n_items;
static _Atomic int64_t called[MOST]; /* what functions of items give */
static int64_t watched_int;
static int32_t watched_int32;
static double watched_float;
static bool watched_bool;
static char watched_text[32];
static volatile sig_atomic_t signals, elsewhere;

static int64_t
give_int (void *data)
{
  return *(_Atomic int64_t *) data;
}

static double
give_float (void *data)
{
  return (double) give_int (data) / 8;
}

static bool
give_bool (void *data)
{
  return give_int (data) & 1;
}

static size_t
give_string (void *data, char *room, size_t size)
{
  return (size_t) snprintf (room, size, "text %" PRId64, give_int (data));
}

static void
give_hash (void *data, ScopevizHash *figures)
{
  int64_t n = give_int (data);
  *figures = (ScopevizHash){ n, n + 1, n + 2, n + 3 };
}

static void
give_tree (void *data, ScopevizTree *tree)
{
  char label[32];
  snprintf (label, sizeof label, "root %" PRId64, give_int (data));
  int leaf = scopeviz_tree_node (tree, "leaf", 0, NULL), both[] = { leaf, leaf };
  scopeviz_tree_node (tree, label, 2, both);
}

/* "label:child,child;label:..." */
static void
tree_of_text (void *data, ScopevizTree *tree)
{
  char *rest = data, *one;
  while ((one = strsep (&rest, ";"))) {
    static int child[66000];
    size_t n = 0;
    char *children = strchr (one, ':');
    if (children)
      *children++ = '\0';
    for (char *number; children && (number = strsep (&children, ","));)
      child[n++] = atoi (number);
    scopeviz_tree_node (tree, one, n, child);
  }
}

/* A structure of pointers: a chain of nodes, each with the next one twice. */
typedef struct Node {
  struct Node *next;
  int number;
} Node;

static size_t
label_of (const void *node, char *room, size_t size)
{
  return (size_t) snprintf (room, size, "%d", ((const Node *) node)->number);
}

static const void *
child_of (const void *node, size_t i)
{
  return i < 2 ? ((const Node *) node)->next : NULL;
}

static void
walk_chain (void *data, ScopevizTree *tree)
{
  static Node chain[100000];
  int length = abs (*(int *) data);
  for (int i = 0; i < length; i++)
    chain[i] = (Node){ i + 1 < length ? &chain[i + 1] : *(int *) data < 0 ? &chain[length / 2] : NULL, i };
  scopeviz_tree_walk (tree, chain, label_of, child_of);
}

static ScopevizItem *
made_by_call (const char *kind, const char *name, void *data)
{
  if (!strcmp (kind, "int"))
    return scopeviz_int_call (name, give_int, data);
  if (!strcmp (kind, "float"))
    return scopeviz_float_call (name, give_float, data);
  if (!strcmp (kind, "bool"))
    return scopeviz_bool_call (name, give_bool, data);
  if (!strcmp (kind, "string"))
    return scopeviz_string_call (name, give_string, data);
  if (!strcmp (kind, "hash"))
    return scopeviz_hash_call (name, give_hash, data);
  return scopeviz_tree_call (name, give_tree, data);
}

static ScopevizItem *
made_by_watch (const char *kind, const char *name)
{
  if (!strcmp (kind, "int"))
    return scopeviz_int_watch (name, &watched_int);
  if (!strcmp (kind, "int32"))
    return scopeviz_int32_watch (name, &watched_int32);
  if (!strcmp (kind, "float"))
    return scopeviz_float_watch (name, &watched_float);
  if (!strcmp (kind, "bool"))
    return scopeviz_bool_watch (name, &watched_bool);
  return scopeviz_string_watch (name, watched_text, sizeof watched_text);
}

static ScopevizItem *
made (const char *kind, const char *name)
{
  if (!strcmp (kind, "point"))
    return scopeviz_point_new (name);
  if (!strcmp (kind, "time"))
    return scopeviz_time_new (name);
  if (!strcmp (kind, "wall"))
    return scopeviz_time_new_wall (name);
  if (!strcmp (kind, "int"))
    return scopeviz_int_new (name);
  if (!strcmp (kind, "float"))
    return scopeviz_float_new (name);
  if (!strcmp (kind, "bool"))
    return scopeviz_bool_new (name);
  if (!strcmp (kind, "string"))
    return scopeviz_string_new (name);
  if (!strcmp (kind, "tag"))
    return scopeviz_tag_new (name, SCOPEVIZ_COUNT | SCOPEVIZ_SIZE);
  if (!strcmp (kind, "count"))
    return scopeviz_tag_new (name, SCOPEVIZ_COUNT);
  if (!strcmp (kind, "size"))
    return scopeviz_tag_new (name, SCOPEVIZ_SIZE);
  if (!strcmp (kind, "hash"))
    return scopeviz_hash_new (name);
  return scopeviz_tree_new (name);
}

static void
on_signal (int number)
{
  signals++;
  if (syscall (SYS_gettid) != getpid ())
    elsewhere++;
}

/* Takes a while, by the CPU or by the wall; the work of SCOPEVIZ_FUNCTION. */
static void
burn (int milliseconds, int depth)
{
  SCOPEVIZ_FUNCTION ();
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  int64_t until = now.tv_sec * 1000000000LL + now.tv_nsec + milliseconds * 1000000LL;
  do
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  while (now.tv_sec * 1000000000LL + now.tv_nsec < until);
  if (depth)
    burn (milliseconds, depth - 1);
}

static void
doze (int milliseconds)
{
  SCOPEVIZ_FUNCTION_WALL ();
  usleep ((useconds_t) milliseconds * 1000);
}

/* What a pass costs, the best of several tries, ns. */
static double
cost_of_point (ScopevizItem *point)
{
  double best = 1e9;
  for (int try = 0; try < 20; try++) {
    struct timespec from, to;
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < 1000000; i++)
      scopeviz_point (point);
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &to);
    double ns = ((double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec)) / 1e6;
    best = ns < best ? ns : best;
  }
  return best;
}

static ScopevizItem *
item_at (const char *number)
{
  int i = atoi (number);
  return i >= 0 && i < n_items ? items[i] : NULL;
}

static bool
keep_item (ScopevizItem *item)
{
  if (n_items < MOST)
    items[n_items++] = item;
  return true;
}

/* Words 1, 2, ... of the line; "" where there are no more. */
static bool
make (char **word)
{
  if (!strcmp (word[0], "new"))
    return keep_item (made (word[1], word[2]));
  if (!strcmp (word[0], "call"))
    return keep_item (made_by_call (word[1], word[2], &called[n_items]));
  if (!strcmp (word[0], "watch"))
    return keep_item (made_by_watch (word[1], word[2]));
  if (!strcmp (word[0], "many"))
    for (int i = 0; i < atoi (word[2]); i++) {
      char name[32];
      snprintf (name, sizeof name, "%s %d", word[1], i);
      keep_item (made (word[1], name));
    }
  else
    return false;
  return true;
}

static bool
set (char **word)
{
  ScopevizItem *item = item_at (word[1]);
  ScopevizHash hash = { atoll (word[2]), atoll (word[3]), atoll (word[4]), atoll (word[5]) };
  int length = atoi (word[2]);
  if (!item)
    return false;
  if (!strcmp (word[0], "hit"))
    scopeviz_point_add (item, atoll (word[2]));
  else if (!strcmp (word[0], "int"))
    scopeviz_int_set (item, strtoll (word[2], NULL, 10));
  else if (!strcmp (word[0], "float"))
    scopeviz_float_set (item, strtod (word[2], NULL));
  else if (!strcmp (word[0], "bool"))
    scopeviz_bool_set (item, *word[2] == '1');
  else if (!strcmp (word[0], "string"))
    scopeviz_string_set (item, word[2]);
  else if (!strcmp (word[0], "add"))
    scopeviz_tag_add (item, (size_t) atoll (word[2]));
  else if (!strcmp (word[0], "remove"))
    scopeviz_tag_remove (item, (size_t) atoll (word[2]));
  else if (!strcmp (word[0], "hash"))
    scopeviz_hash_set (item, &hash);
  else if (!strcmp (word[0], "tree"))
    scopeviz_tree_set (item, tree_of_text, word[2]);
  else if (!strcmp (word[0], "chain"))
    scopeviz_tree_set (item, walk_chain, &length);
  else if (!strcmp (word[0], "called"))
    called[atoi (word[1])] = atoll (word[2]);
  else if (!strcmp (word[0], "period"))
    scopeviz_period (item, (unsigned) atoi (word[2]));
  else if (!strcmp (word[0], "kill"))
    scopeviz_kill (item);
  else if (!strcmp (word[0], "gone"))
    scopeviz_collected (item);
  else if (!strcmp (word[0], "bind")) {
    ScopevizItem *both[] = { item, item_at (word[2]) };
    scopeviz_bind (both, 2);
  } else
    return false;
  return true;
}

static void
watched (const char *text)
{
  watched_int = atoll (text);
  watched_int32 = (int32_t) watched_int;
  watched_float = (double) watched_int / 4;
  watched_bool = watched_int & 1;
  snprintf (watched_text, sizeof watched_text, "now %s", text);
}

static void
fork_child (void)
{
  fflush (stdout);
  if (fork () == 0) {
    scopeviz_log ("of the child, which nobody hears");
    scopeviz_send_now ();
    sleep (3);
    _exit (0);
  }
}

/* Passes every item, again and again. */
static void *
pass_all (void *ms)
{
  for (;;) {
    for (int i = 0; i < n_items; i++)
      scopeviz_point (items[i]);
    usleep (1000 * (useconds_t) (intptr_t) ms);
  }
  return NULL;
}

static void
load (int ms)
{
  pthread_t thread;
  if (pthread_create (&thread, NULL, pass_all, (void *) (intptr_t) ms) == 0)
    pthread_detach (thread);
}

/* Things that answer something; false: the word is unknown. */
static bool
other (char **word)
{
  struct sigaction action = { .sa_handler = on_signal };
  ScopevizItem *item = item_at (word[1]);
  if (!strcmp (word[0], "start"))
    printf ("%d", scopeviz_time_start (item));
  else if (!strcmp (word[0], "stop"))
    printf ("%d", scopeviz_time_stop (item));
  else if (!strcmp (word[0], "wait"))
    printf ("%d", scopeviz_wait_for_clients ((unsigned) atoi (word[1]), atoi (word[2])));
  else if (!strcmp (word[0], "nobody"))
    printf ("%d", scopeviz_wait_for_no_clients (atoi (word[1])));
  else if (!strcmp (word[0], "clients"))
    printf ("%u", scopeviz_clients ());
  else if (!strcmp (word[0], "where"))
    printf ("%s", scopeviz_where ());
  else if (!strcmp (word[0], "break"))
    printf ("%d", scopeviz_break (word[2], atoi (word[1])));
  else if (!strcmp (word[0], "listen"))
    printf ("%d", scopeviz_start (word[1]));
  else if (!strcmp (word[0], "cost"))
    printf ("%.2f", cost_of_point (item));
  else if (!strcmp (word[0], "log"))
    scopeviz_log ("%s", word[1]);
  else if (!strcmp (word[0], "lines"))
    for (int i = 0; i < atoi (word[1]); i++)
      scopeviz_log ("line %d", i);
  else if (!strcmp (word[0], "now"))
    scopeviz_send_now ();
  else if (!strcmp (word[0], "watched"))
    watched (word[1]);
  else if (!strcmp (word[0], "burn"))
    burn (atoi (word[1]), atoi (word[2]));
  else if (!strcmp (word[0], "doze"))
    doze (atoi (word[1]));
  else if (!strcmp (word[0], "load"))
    load (atoi (word[1]));
  else if (!strcmp (word[0], "fork"))
    fork_child ();
  else if (!strcmp (word[0], "halt"))
    scopeviz_stop ();
  else if (!strcmp (word[0], "signals")) {
    sigaction (SIGUSR1, &action, NULL);
    for (int i = 0; i < atoi (word[1]); i++)
      kill (getpid (), SIGUSR1);
    printf ("%d %d", (int) signals, (int) elsewhere);
  } else
    return false;
  return true;
}

int
main (void)
{
  char *line = NULL;
  size_t room = 0;
  while (getline (&line, &room, stdin) > 0) {
    static char none[1];
    char *word[8] = { none, none, none, none, none, none, none, none }, *rest = line, *one;
    line[strcspn (line, "\n")] = '\0';
    for (int i = 0; i < 8 && (one = strsep (&rest, "\t")); i++)
      word[i] = one;
    if (!strcmp (word[0], "exit"))
      exit (0);
    if (!make (word) && !other (word) && !set (word))
      printf ("what is %s?", word[0]);
    puts ("");
    fflush (stdout);
  }
  free (line);
  return 0;
}
