/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - where clients come to: TCP on 127.0.0.1 unless told otherwise, and Unix sockets. */
#include "inside.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void
listen_add_where (const char *text)
{
  size_t used = strlen (viz.where);
  snprintf (viz.where + used, sizeof viz.where - used, "%s%s", used ? "," : "", text);
}

/* A socket that a program has left behind when it was killed: nobody answers. */
static bool
is_left (const struct sockaddr_un *address)
{
  struct stat file;
  if (lstat (address->sun_path, &file) || !S_ISSOCK (file.st_mode))
    return false;
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool left = fd >= 0 && connect (fd, (const struct sockaddr *) address, sizeof *address) && errno == ECONNREFUSED;
  if (fd >= 0)
    close (fd);
  return left;
}

static bool
listen_keep (int fd, const char *path)
{
  viz.listener[viz.n_listeners] = fd;
  viz.path[viz.n_listeners] = path ? strdup (path) : NULL;
  viz.n_listeners++;
  return true;
}

static bool
open_unix (const char *path, char *why, size_t size)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  if (!*path || strlen (path) >= sizeof address.sun_path) {
    snprintf (why, size, "the path of a Unix socket has 1 to %zu bytes: %s", sizeof address.sun_path - 1, path);
    return false;
  }
  memcpy (address.sun_path, path, strlen (path) + 1);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && fchmod (fd, 0600) == 0) /* what the file will be: its owner's alone */
  {
    bool bound = bind (fd, (struct sockaddr *) &address, sizeof address) == 0;
    if (!bound && errno == EADDRINUSE && is_left (&address) && unlink (path) == 0)
      bound = bind (fd, (struct sockaddr *) &address, sizeof address) == 0;
    if (bound && listen (fd, 16) == 0) {
      char text[sizeof address.sun_path + 8];
      snprintf (text, sizeof text, "unix:%s", path);
      listen_add_where (text);
      return listen_keep (fd, path);
    }
  }
  snprintf (why, size, "cannot listen at unix:%s: %s", path, strerror (errno));
  if (fd >= 0)
    close (fd);
  return false;
}

static void
listen_add_port (int fd)
{
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  char host[64], port[16], text[128];
  if (getsockname (fd, (struct sockaddr *) &address, &length)
      || getnameinfo ((struct sockaddr *) &address, length, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV))
    return;
  snprintf (text, sizeof text, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
  listen_add_where (text);
}

static bool
open_port (const char *host, const char *port, char *why, size_t size)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *found = NULL;
  char *end;
  unsigned long number = strtoul (port, &end, 10);
  if (*end || end == port || number > 65535) {
    snprintf (why, size, "not a port, 0 to 65535: %s", port);
    return false;
  }
  int code = getaddrinfo (host, port, &hints, &found);
  if (code) {
    snprintf (why, size, "cannot listen at %s:%s: %s", host, port, gai_strerror (code));
    return false;
  }
  int fd = socket (found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  bool works = fd >= 0 && setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0
               && bind (fd, found->ai_addr, found->ai_addrlen) == 0 && listen (fd, 16) == 0;
  int error = errno;
  freeaddrinfo (found);
  if (works) {
    listen_add_port (fd);
    return listen_keep (fd, NULL);
  }
  if (error == EADDRINUSE)
    snprintf (why, size, "port %s of %s is taken by another program; SCOPEVIZ_LISTEN or OCAMLVIZ_PORT chooses another",
              port, host);
  else
    snprintf (why, size, "cannot listen at %s:%s: %s", host, port, strerror (error));
  if (fd >= 0)
    close (fd);
  return false;
}

/* One of the places; the text is changed. */
static bool
listen_open_one (char *where, char *why, size_t size)
{
  if (!strncmp (where, "unix:", 5))
    return open_unix (where + 5, why, size);
  char *colon = strrchr (where, ':');
  if (!colon)
    return open_port ("127.0.0.1", where, why, size);
  *colon = '\0';
  if (*where == '[' && colon > where + 1 && colon[-1] == ']') {
    colon[-1] = '\0';
    where++;
  }
  return open_port (*where ? where : "127.0.0.1", colon + 1, why, size);
}

bool
listen_open (const char *where, char *why, size_t size)
{
  char *copy = strdup (where), *rest = copy, *one;
  viz.where[0] = '\0';
  viz.n_listeners = 0;
  bool works = copy != NULL;
  if (!works)
    snprintf (why, size, "no memory");
  while (works && (one = strsep (&rest, ","))) {
    works = viz.n_listeners < VIZ_LISTENERS;
    if (!works)
      snprintf (why, size, "at most %d places to listen at: %s", VIZ_LISTENERS, where);
    works = works && listen_open_one (one, why, size);
  }
  free (copy);
  if (!works) {
    listen_close (true);
    viz.where[0] = '\0';
  }
  return works;
}

void
listen_close (bool remove)
{
  for (unsigned i = 0; i < viz.n_listeners; i++) {
    close (viz.listener[i]);
    if (remove && viz.path[i])
      unlink (viz.path[i]);
    free (viz.path[i]);
    viz.path[i] = NULL;
  }
  viz.n_listeners = 0;
}
