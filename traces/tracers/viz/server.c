/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the thread that serves clients: it sleeps until somebody comes, and once a period while somebody is here.
 */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LAST_WAIT (VIZ_SECOND / 2) /* for clients to take the last batch */
#define SOON                                                                                                           \
  (20 * VIZ_MILLISECOND)        /* a batch that clients ask for, by coming or by a message, after the one before       \
                                 */
#define LISTEN_PAUSE VIZ_SECOND /* after accept() failed for want of descriptors */
#define NOW_PATIENCE 1000       /* ms that scopeviz_send_now() waits for functions of items */
#define IN_BUDGET 65536u        /* bytes a client may send between two batches */

static Client *clients;      /* the server's thread; n of them is viz.n_clients */
static __thread bool serves; /* this is the server's thread */
static bool had_client;
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

void
viz_say (const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  fprintf (stderr, "scopeviz: %s\n", text);
}

bool
server_is_this_thread (void)
{
  return serves;
}

static int
state (void)
{
  return __atomic_load_n (&viz.server, __ATOMIC_RELAXED);
}

static void
server_set_state (int server)
{
  __atomic_store_n (&viz.server, server, __ATOMIC_RELAXED);
}

void
server_wake (void)
{
  /* A pipe that is full wakes it too. */
  ssize_t written = viz.wake[1] >= 0 ? write (viz.wake[1], "", 1) : 0;
  (void) written;
}

/* -- clients
 * ------------------------------------------------------------------------------------------------------------ */
static void
drop_client (unsigned i)
{
  close (clients[i].fd);
  bytes_free (&clients[i].out);
  pthread_mutex_lock (&viz.lock);
  commands_forget (&clients[i]);
  clients[i] = clients[--viz.n_clients];
  if (!viz.n_clients) {
    viz.period = viz.own_period; /* what they asked for was for them */
    __atomic_store_n (&viz.due, false, __ATOMIC_RELAXED);
  }
  pthread_cond_broadcast (&viz.changed);
  pthread_mutex_unlock (&viz.lock);
}

/* Is the other end on this machine? */
static bool
server_is_near (int fd)
{
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getpeername (fd, (struct sockaddr *) &address, &length))
    return false;
  if (address.ss_family == AF_INET)
    return ntohl (((struct sockaddr_in *) &address)->sin_addr.s_addr) >> 24 == 127;
  if (address.ss_family == AF_INET6) {
    const struct in6_addr *in6 = &((struct sockaddr_in6 *) &address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK (in6) || (IN6_IS_ADDR_V4MAPPED (in6) && in6->s6_addr[12] == 127);
  }
  return address.ss_family == AF_UNIX;
}

static void
add_client (int fd)
{
  static bool said;
  Client *more = viz.n_clients < VIZ_CLIENTS ? realloc (clients, (viz.n_clients + 1) * sizeof *clients) : NULL;
  if (!more) {
    if (!said)
      viz_say ("%u clients are connected; more are refused", viz.n_clients);
    said = true;
    close (fd);
    return;
  }
  int yes = 1;
  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  clients = more;
  clients[viz.n_clients] = (Client){ .fd = fd,
                                     .near = server_is_near (fd),
                                     .fresh = true,
                                     .first = !had_client,
                                     .in_budget = IN_BUDGET,
                                     .declared = VIZ_FIRST_TAG,
                                     .log = log_begin () };
  had_client = true;
  pthread_mutex_lock (&viz.lock);
  viz.n_clients++;
  pthread_cond_broadcast (&viz.changed);
  pthread_mutex_unlock (&viz.lock);
}

/* False: there are no descriptors left. */
static bool
accept_all (int listener)
{
  int fd;
  while ((fd = accept4 (listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
    add_client (fd);
  return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
}

/* Sends what can be sent now; false: the client has left. */
static bool
send_some (Client *client)
{
  while (client->out_at < client->out.size) {
    ssize_t sent = send (client->fd, client->out.data + client->out_at, client->out.size - client->out_at,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    client->out_at += (size_t) sent;
  }
  return true;
}

static bool
receive_some (Client *client)
{
  uint8_t room[4096];
  for (;;) {
    ssize_t got = recv (client->fd, room, sizeof room < client->in_budget ? sizeof room : client->in_budget,
                        MSG_DONTWAIT);
    if (got == 0)
      return client->in_budget == 0;
    if (got < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    client->in_budget -= (unsigned) got;
    commands_read (client, room, (size_t) got);
    if (!client->in_budget)
      return true; /* heard again with the next batch */
  }
}

static bool
is_idle (const Client *client)
{
  return client->out_at == client->out.size;
}

/* -- batches
 * -------------------------------------------------------------------------------------------------------------- */
static void
server_serve (bool calls)
{
  uint64_t needed = UINT64_MAX;
  pthread_mutex_lock (&viz.lock);
  uint64_t asked = viz.asked;
  bool everything = viz.everything || !calls;
  viz.everything = false;
  pthread_mutex_unlock (&viz.lock);
  batch_look (calls, everything);
  for (unsigned i = 0; i < viz.n_clients;) {
    clients[i].in_budget = IN_BUDGET;
    if (is_idle (&clients[i]))
      batch_put (&clients[i]);
    if (!send_some (&clients[i])) {
      drop_client (i);
      continue;
    }
    if (clients[i].log < needed)
      needed = clients[i].log;
    i++;
  }
  log_needed (needed);
  pthread_mutex_lock (&viz.lock);
  viz.served = asked;
  pthread_cond_broadcast (&viz.changed);
  pthread_mutex_unlock (&viz.lock);
}

/* A period is over.  A program that gives its values itself is asked for them, and answers with scopeviz_done(); one
 * that did not answer the last time is busy: what there is goes out. */
static bool
ask_program (void)
{
  pthread_mutex_lock (&viz.lock);
  bool waits = viz.answers && viz.answered;
  for (unsigned i = 0; i < viz.n_clients; i++)
    waits = waits && !clients[i].fresh;
  viz.answered = false;
  __atomic_store_n (&viz.due, true, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&viz.lock);
  return waits;
}

typedef struct Loop {
  int64_t last, next;   /* batch; INT64_MAX: nobody is here */
  int64_t listen_again; /* 0: listens */
  struct pollfd *polled;
  unsigned room;
} Loop;

static unsigned
fill_polled (Loop *loop, int64_t now)
{
  unsigned n = 1 + VIZ_LISTENERS + viz.n_clients;
  if (n > loop->room) {
    struct pollfd *more = realloc (loop->polled, (n + 16) * sizeof *more);
    if (!more)
      return 0;
    loop->polled = more;
    loop->room = n + 16;
  }
  if (now >= loop->listen_again)
    loop->listen_again = 0;
  loop->polled[0] = (struct pollfd){ .fd = viz.wake[0], .events = POLLIN };
  for (unsigned i = 0; i < VIZ_LISTENERS; i++)
    loop->polled[1 + i] = (struct pollfd){ .fd = i < viz.n_listeners && !loop->listen_again ? viz.listener[i] : -1,
                                           .events = POLLIN };
  for (unsigned i = 0; i < viz.n_clients; i++)
    loop->polled[1 + VIZ_LISTENERS + i] = (struct pollfd){
      .fd = clients[i].fd,
      .events = (short) ((clients[i].in_budget ? POLLIN : 0) | (is_idle (&clients[i]) ? 0 : POLLOUT))
    };
  return n;
}

static int
milliseconds_until (int64_t date, int64_t now)
{
  int64_t left = date > now ? (date - now + VIZ_MILLISECOND - 1) / VIZ_MILLISECOND : 0;
  return left > 3600000 ? 3600000 : (int) left;
}

/* What the sockets say.  From the last client to the first: one that is dropped is replaced by the last. */
static void
attend (Loop *loop, int64_t now)
{
  char bytes[256];
  if (loop->polled[0].revents)
    while (read (viz.wake[0], bytes, sizeof bytes) > 0)
      ;
  for (unsigned i = viz.n_clients; i-- > 0;) {
    short events = loop->polled[1 + VIZ_LISTENERS + i].revents;
    bool stays = true;
    if (events & (POLLIN | POLLHUP | POLLERR))
      stays = receive_some (&clients[i]);
    if (stays && (events & POLLOUT))
      stays = send_some (&clients[i]);
    if (!stays || (events & (POLLERR | POLLNVAL)))
      drop_client (i);
  }
  unsigned before = viz.n_clients;
  for (unsigned i = 0; i < viz.n_listeners; i++)
    if (loop->polled[1 + i].revents && !accept_all (viz.listener[i]))
      loop->listen_again = now + LISTEN_PAUSE;
  if (viz.n_clients > before) {
    int64_t soon = before ? now + SOON : now;
    if (soon < loop->next)
      loop->next = soon;
  }
}

/* The program ends: all that is known goes out, if clients take it in time. */
static void
say_goodbye (Loop *loop)
{
  int64_t now = viz_now (CLOCK_MONOTONIC), until = now + LAST_WAIT;
  server_serve (false);
  for (; now < until; now = viz_now (CLOCK_MONOTONIC)) {
    bool all = true;
    for (unsigned i = 0; i < viz.n_clients; i++) {
      if (is_idle (&clients[i]) && clients[i].batch < viz.batch)
        batch_put (&clients[i]);
      all = all && is_idle (&clients[i]);
    }
    if (all || !fill_polled (loop, now))
      break;
    poll (loop->polled + 1 + VIZ_LISTENERS, viz.n_clients, milliseconds_until (until, now));
    for (unsigned i = viz.n_clients; i-- > 0;)
      if (!send_some (&clients[i]))
        drop_client (i);
  }
  while (viz.n_clients) {
    Client *client = &clients[viz.n_clients - 1];
    shutdown (client->fd, SHUT_WR);
    client->in_budget = IN_BUDGET;
    receive_some (client); /* closed with something unread, the other end would lose what it has not read either */
    drop_client (viz.n_clients - 1);
  }
}

static void *
server_run (void *none)
{
  serves = true;
  Loop loop = { .next = INT64_MAX };
  for (;;) {
    int64_t now = viz_now (CLOCK_MONOTONIC);
    pthread_mutex_lock (&viz.lock);
    bool stopping = viz.stopping, asked = viz.asked != viz.served, hurry = viz.hurry;
    int64_t period = viz.period;
    viz.hurry = false;
    pthread_mutex_unlock (&viz.lock);
    if (stopping)
      break;
    if (!viz.n_clients)
      loop.next = INT64_MAX;
    else if (hurry && loop.next > loop.last + SOON) /* no flood of them */
      loop.next = loop.last + SOON;
    if (asked || now >= loop.next) {
      if (asked || !ask_program ())
        server_serve (true);
      loop.last = now;
      loop.next = now + period;
      now = viz_now (CLOCK_MONOTONIC);
      if (loop.next < now + period / 2) /* the functions of items take long: the program has some rest from them */
        loop.next = now + period / 2;
    }
    if (loop.next > now + period && viz.n_clients) /* it was made shorter */
      loop.next = now + period;
    unsigned n = fill_polled (&loop, now);
    int64_t until = loop.listen_again && loop.listen_again < loop.next ? loop.listen_again : loop.next;
    if (poll (loop.polled, n, until == INT64_MAX ? -1 : milliseconds_until (until, now)) > 0)
      attend (&loop, viz_now (CLOCK_MONOTONIC));
  }
  say_goodbye (&loop);
  free (loop.polled);
  free (clients);
  clients = NULL;
  return none;
}

/* -- beginning and end
 * --------------------------------------------------------------------------------------------------- */
static void
close_wake (void)
{
  for (unsigned i = 0; i < 2; i++)
    if (viz.wake[i] >= 0)
      close (viz.wake[i]);
  viz.wake[0] = viz.wake[1] = -1;
}

static void
server_before_fork (void)
{
  pthread_mutex_lock (&beginning);
  pthread_mutex_lock (&viz.lock);
}

static void
in_parent (void)
{
  pthread_mutex_unlock (&viz.lock);
  pthread_mutex_unlock (&beginning);
}

/* The child has no server: its counts are its own and nobody sees them, unless it starts one. */
static void
server_in_child (void)
{
  for (unsigned i = 0; i < viz.n_clients; i++)
    close (clients[i].fd);
  viz.n_clients = viz.n_honouring = 0;
  clients = NULL;
  listen_close (false);
  close_wake ();
  server_set_state (SERVER_NONE);
  viz.where[0] = '\0';
  had_client = false;
  pthread_mutex_init (&beginning, NULL);
  items_after_fork ();
  sites_after_fork ();
  log_after_fork ();
}

/* The thread blocks every signal: they are the program's. */
static bool
start_thread (void)
{
  sigset_t all, before;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  int error = pthread_create (&viz.thread, NULL, server_run, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return !error;
}

/* Seconds of the environment, as ns; not a number above 0: the one that is meant otherwise. */
static int64_t
period_of (const char *name, int64_t otherwise)
{
  const char *text = getenv (name);
  char *end;
  double seconds = text ? strtod (text, &end) : 0;
  if (!text || end == text || *end || !(seconds > 0) || seconds > 1e6) {
    if (text && *text)
      viz_say ("%s must be seconds, more than 0: %s; %g s is taken", name, text,
               (double) otherwise / (double) VIZ_SECOND);
    return otherwise;
  }
  return seconds < 0.001 ? VIZ_MILLISECOND : (int64_t) (seconds * (double) VIZ_SECOND);
}

static const char *
place_of_environment (const char *where)
{
  const char *listen = getenv ("SCOPEVIZ_LISTEN"), *port = getenv ("OCAMLVIZ_PORT");
  if (listen && *listen)
    return listen;
  if (where)
    return where;
  return port && *port ? port : "51000";
}

/* Holds `beginning`.  False: nobody can listen; the program runs unobserved. */
static bool
server_begin_at (const char *where)
{
  static bool once;
  char why[400];
  server_set_state (SERVER_NONE);
  where = place_of_environment (where);
  if (!strcmp (where, "off"))
    return false;
  viz.period = viz.own_period = period_of ("OCAMLVIZ_PERIOD", VIZ_SECOND / 10);
  viz.heap_period = period_of (getenv ("OCAMLVIZ_HEAP_PERIOD") ? "OCAMLVIZ_HEAP_PERIOD" : "OCAMLVIZ_GC_PERIOD",
                               VIZ_SECOND);
  if (!once) {
    pthread_atfork (server_before_fork, in_parent, server_in_child);
    atexit (scopeviz_stop);
    once = true;
  }
  viz.stopping = false;
  if (!listen_open (where, why, sizeof why)) {
    viz_say ("%s.  This program runs unobserved", why);
    return false;
  }
  pthread_mutex_lock (&viz.lock);
  bool works = pipe2 (viz.wake, O_CLOEXEC | O_NONBLOCK) == 0;
  pthread_mutex_unlock (&viz.lock);
  if (works) {
    server_set_state (SERVER_RUNS);
    works = start_thread ();
  }
  if (!works) {
    viz_say ("no thread can be started: %s.  This program runs unobserved", strerror (errno));
    server_set_state (SERVER_NONE);
    close_wake ();
    listen_close (true);
    viz.where[0] = '\0';
  }
  return works;
}

void
server_begin (void)
{
  if (state () != SERVER_NEW)
    return;
  pthread_mutex_lock (&beginning);
  if (state () == SERVER_NEW)
    server_begin_at (NULL);
  pthread_mutex_unlock (&beginning);
}

bool
scopeviz_start (const char *where)
{
  pthread_mutex_lock (&beginning);
  bool works = state () != SERVER_RUNS && server_begin_at (where);
  pthread_mutex_unlock (&beginning);
  return works;
}

void
scopeviz_stop (void)
{
  pthread_mutex_lock (&beginning);
  if (state () == SERVER_RUNS && !serves) {
    pthread_mutex_lock (&viz.lock);
    viz.stopping = true;
    server_wake ();
    pthread_mutex_unlock (&viz.lock);
    pthread_join (viz.thread, NULL);
    pthread_mutex_lock (&viz.lock);
    server_set_state (SERVER_NONE);
    viz.where[0] = '\0';
    close_wake ();
    pthread_cond_broadcast (&viz.changed);
    pthread_mutex_unlock (&viz.lock);
    listen_close (true);
  }
  pthread_mutex_unlock (&beginning);
}

const char *
scopeviz_where (void)
{
  server_begin ();
  return viz.where;
}

/* -- waiting
 * ---------------------------------------------------------------------------------------------------------------- */
static struct timespec
date_in (int milliseconds)
{
  struct timespec date;
  clock_gettime (CLOCK_REALTIME, &date);
  date.tv_sec += milliseconds / 1000;
  date.tv_nsec += milliseconds % 1000 * 1000000L;
  if (date.tv_nsec >= 1000000000L) {
    date.tv_sec++;
    date.tv_nsec -= 1000000000L;
  }
  return date;
}

/* Waits for a change, with viz.lock; false: the date is over.  Milliseconds below 0: no date. */
static bool
wait_change (int milliseconds, const struct timespec *date)
{
  if (milliseconds < 0)
    return pthread_cond_wait (&viz.changed, &viz.lock) == 0;
  return pthread_cond_timedwait (&viz.changed, &viz.lock, date) != ETIMEDOUT;
}

unsigned
scopeviz_clients (void)
{
  pthread_mutex_lock (&viz.lock);
  unsigned n = viz.n_clients;
  pthread_mutex_unlock (&viz.lock);
  return n;
}

static bool
server_wait_until (unsigned least, unsigned most, int milliseconds)
{
  server_begin ();
  struct timespec date = date_in (milliseconds);
  pthread_mutex_lock (&viz.lock);
  bool there = false;
  while (state () == SERVER_RUNS && !(there = viz.n_clients >= least && viz.n_clients <= most))
    if (!wait_change (milliseconds, &date)) {
      there = viz.n_clients >= least && viz.n_clients <= most;
      break;
    }
  pthread_mutex_unlock (&viz.lock);
  return there;
}

bool
scopeviz_wait_for_clients (unsigned n, int milliseconds)
{
  return server_wait_until (n, VIZ_CLIENTS, milliseconds);
}

bool
scopeviz_wait_for_no_clients (int milliseconds)
{
  return server_wait_until (0, 0, milliseconds);
}

void
scopeviz_send_now (void)
{
  server_begin ();
  if (serves)
    return;
  struct timespec date = date_in (NOW_PATIENCE);
  pthread_mutex_lock (&viz.lock);
  if (state () == SERVER_RUNS && viz.n_clients) {
    uint64_t mine = ++viz.asked;
    viz.everything = true;
    server_wake ();
    while (state () == SERVER_RUNS && viz.n_clients && viz.served < mine && wait_change (NOW_PATIENCE, &date))
      ;
  }
  pthread_mutex_unlock (&viz.lock);
}

bool
scopeviz_due (void)
{
  return __atomic_load_n (&viz.due, __ATOMIC_RELAXED);
}

void
scopeviz_done (void)
{
  pthread_mutex_lock (&viz.lock);
  viz.answers = viz.answered = true;
  __atomic_store_n (&viz.due, false, __ATOMIC_RELAXED);
  viz.asked++;
  server_wake ();
  pthread_mutex_unlock (&viz.lock);
}

bool
scopeviz_break (const char *why, int milliseconds)
{
  static ScopevizItem *here;
  ScopevizItem *point = __atomic_load_n (&here, __ATOMIC_ACQUIRE);
  if (!point)
    point = scopeviz_site_point (&here, "scope:break");
  int64_t number = __atomic_add_fetch (&point->number, 1, __ATOMIC_RELAXED);
  if (why)
    scopeviz_log ("%s", why);
  scopeviz_send_now ();
  struct timespec date = date_in (milliseconds);
  pthread_mutex_lock (&viz.lock);
  viz.breaks = (Item *) point;
  while (state () == SERVER_RUNS && viz.n_honouring && viz.released < number && !serves
         && wait_change (milliseconds, &date))
    ;
  bool released = viz.released >= number;
  pthread_mutex_unlock (&viz.lock);
  return released;
}

void
scopeviz_heap_set (int64_t total, int64_t alive)
{
  pthread_mutex_lock (&viz.lock);
  viz.heap_set = true;
  viz.heap[0] = total;
  viz.heap[1] = alive;
  pthread_mutex_unlock (&viz.lock);
}
