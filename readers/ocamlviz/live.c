/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - connects to a program that is watched with Ocamlviz or libscopeviz, or reads what comes through a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "readers/live-source.h"
#include "eve/words.h"
#include "readers/ocamlviz/decode.h"

#define PIECE 65536
#define PIECES 16       /* at once */
#define CONNECT_MS 2000 /* for one address */

typedef struct Live {
  char *where;
  Ovz *stream;
  int fd;
  bool socket;  /* else a file or a pipe */
  bool regular; /* a file: nobody knows when it arrived */
  bool hold, greeted;
} Live;

/* "HOST:PORT": behind the last colon is a number. */
static const char *
port_in (const char *where)
{
  const char *colon = strrchr (where, ':');

  return colon && colon > where && colon[1] && strspn (colon + 1, "0123456789") == strlen (colon + 1) ? colon + 1
                                                                                                      : NULL;
}

static int
ocamlviz_claims (const char *where)
{
  struct stat st;

  if (g_str_has_prefix (where, "unix:"))
    return where[5] ? 60 : 0;
  if (stat (where, &st) == 0)
    return S_ISREG (st.st_mode) || S_ISFIFO (st.st_mode) ? 50 : S_ISSOCK (st.st_mode) ? 40 : 0;
  return port_in (where) && !strstr (where, "://") ? 50 : 0;
}

/* ---- connecting ------------------------------------------------------------------------------------------------------------------- */

/* Waits until it is connected; false with errno. */
static bool
connect_within (int fd, const struct sockaddr *to, socklen_t n)
{
  int failed = 0;
  socklen_t size = sizeof failed;

  if (connect (fd, to, n) == 0)
    return true;
  if (errno != EINPROGRESS)
    return false;
  int ready = poll (&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, CONNECT_MS);
  if (ready > 0 && getsockopt (fd, SOL_SOCKET, SO_ERROR, &failed, &size) == 0 && failed == 0)
    return true;
  errno = ready == 0 ? ETIMEDOUT : failed ? failed : errno;
  return false;
}

static int
connect_unix (const char *path)
{
  struct sockaddr_un to = { .sun_family = AF_UNIX };

  if (strlen (path) >= sizeof to.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy (to.sun_path, path, strlen (path) + 1);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect_within (fd, (const struct sockaddr *) &to, sizeof to))
    return fd;
  int why = errno;
  if (fd >= 0)
    close (fd);
  errno = why;
  return -1;
}

static int
connect_port (const char *where, const char *port, GError **error)
{
  g_autofree char *host = g_strndup (where, (gsize) (port - 1 - where));
  size_t n = strlen (host);
  const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
  struct addrinfo *all = NULL;
  int fd = -1, why = 0;

  if (n > 2 && host[0] == '[' && host[n - 1] == ']') { /* of IPv6 */
    memmove (host, host + 1, n - 2);
    host[n - 2] = '\0';
  }
  int found = getaddrinfo (host, port, &hints, &all);
  if (found != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("could not connect to the server %s: %s"), where,
                 gai_strerror (found));
    return -1;
  }
  for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
    fd = socket (a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (fd >= 0 && connect_within (fd, a->ai_addr, a->ai_addrlen))
      break;
    why = errno;
    if (fd >= 0)
      close (fd);
    fd = -1;
  }
  freeaddrinfo (all);
  errno = why;
  return fd;
}

/* A pipe or a file: the person has named it. */
static int
open_path (const char *path, bool *regular, GError **error)
{
  struct stat st;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

  if (fd >= 0 && fstat (fd, &st) == 0 && (S_ISREG (st.st_mode) || S_ISFIFO (st.st_mode))) {
    *regular = S_ISREG (st.st_mode);
    return fd;
  }
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("cannot be read: %s"),
               fd < 0 ? g_strerror (errno) : _ ("it is neither a file nor a pipe"));
  if (fd >= 0)
    close (fd);
  return -1;
}

static bool
ocamlviz_live_reach (Live *l, GError **error)
{
  const char *port = port_in (l->where);
  g_autoptr (GError) why = NULL;
  struct stat st;
  bool there = stat (l->where, &st) == 0;

  l->regular = false;
  l->socket = true;
  if (g_str_has_prefix (l->where, "unix:"))
    l->fd = connect_unix (l->where + 5);
  else if (there && S_ISSOCK (st.st_mode))
    l->fd = connect_unix (l->where);
  else if (there || !port) {
    l->socket = false;
    l->fd = open_path (l->where, &l->regular, &why);
  } else
    l->fd = connect_port (l->where, port, &why);
  if (l->fd >= 0)
    return true;
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("could not connect to the server %s: %s"), l->where,
                 g_strerror (errno));
  return false;
}

static void *
ocamlviz_live_ocamlviz_open (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program,
                             GError **error)
{
  Live *l = g_new0 (Live, 1);

  l->where = g_strdup (where);
  if (!ocamlviz_live_reach (l, error)) {
    g_free (l->where);
    g_free (l);
    return NULL;
  }
  l->stream = ovz_new (to, program, options->cpu_dates || l->regular);
  l->hold = options->hold;
  if (options->keep)
    ovz_keep_values (l->stream);
  return l;
}

static void
ocamlviz_live_leave (Live *l)
{
  if (l->fd >= 0)
    close (l->fd);
  l->fd = -1;
}

static bool
ocamlviz_again (void *self, GError **error)
{
  Live *l = self;

  if (l->fd >= 0) {
    ovz_end (l->stream, NULL);
    ocamlviz_live_leave (l);
  }
  l->greeted = false;
  return ocamlviz_live_reach (l, error);
}

static void
ocamlviz_close (void *self)
{
  Live *l = self;

  ocamlviz_live_leave (l);
  ovz_free (l->stream);
  g_free (l->where);
  g_free (l);
}

/* ---- receiving -------------------------------------------------------------------------------------------------------------------- */

static int
ocamlviz_wait (void *self, struct pollfd *fds, int *timeout_ms)
{
  fds[0] = (struct pollfd){ .fd = ((Live *) self)->fd, .events = POLLIN };
  return 1;
}

/* ---- orders: docs/scopeviz-protocol.md ------------------------------------------------------------------------------------- */

#define HELLO_VERSION 1
#define HELLO_LETS_GO_ON 1
enum { HELLO = 128, STOP = 129, RESUME = 130, PERIOD = 131, PERIOD_OF_ALL = 132, CONTINUE = 133, SEND_NOW = 134 };

/* A whole message, or none. */
static bool
send_message (Live *l, const uint8_t *body, uint32_t n, GError **error)
{
  uint8_t bytes[4 + 16];

  bytes_put32 (bytes, n);
  memcpy (bytes + 4, body, n);
  ssize_t sent = send (l->fd, bytes, 4 + n, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == (ssize_t) (4 + n))
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("the program does not take the order: %s"),
               sent < 0 ? g_strerror (errno) : _ ("it is busy"));
  return false;
}

/* Says, once, that break points may hold the program: somebody looks on who lets it go on.  Only to one that listens.
 */
static void
greet (Live *l)
{
  const uint8_t body[] = { HELLO, HELLO_VERSION, HELLO_LETS_GO_ON };

  if (l->hold && !l->greeted && l->socket && ovz_listens (l->stream))
    l->greeted = send_message (l, body, sizeof body, NULL);
}

/* "NAME", or "#TAG". */
static bool
find_tag (const Live *l, const char *name, uint32_t *tag, GError **error)
{
  uint64_t number = 0;

  if (name[0] == '#' && g_ascii_string_to_unsigned (name + 1, 10, 0, 65535, &number, NULL)) {
    *tag = (uint32_t) number;
    return true;
  }
  int found = ovz_tag_named (l->stream, name);
  if (found < 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 found == -1 ? _ ("the program has declared nothing that is called %s")
                             : _ ("several things of the program are called %s; say #TAG"),
                 name);
  *tag = (uint32_t) MAX (found, 0);
  return found >= 0;
}

static void
ocamlviz_live_put_16 (uint8_t *to, uint32_t v)
{
  to[0] = (uint8_t) v;
  to[1] = (uint8_t) (v >> 8);
}

/* Of a thing that is several items of the program: to all of them. */
static bool
order_of_thing (Live *l, uint8_t type, const char *name, uint32_t ms, GError **error)
{
  uint8_t body[7] = { type };
  uint32_t tag, n = type == PERIOD ? 7 : 3;

  if (!find_tag (l, name, &tag, error))
    return false;
  for (int i = ovz_tag_beside (l->stream, tag, 0); i >= 0; i = ovz_tag_beside (l->stream, tag, (uint32_t) i + 1)) {
    ocamlviz_live_put_16 (body + 1, (uint32_t) i);
    bytes_put32 (body + 3, ms);
    if (!send_message (l, body, n, error))
      return false;
  }
  if (type != PERIOD)
    ovz_stopped (l->stream, tag, type == STOP);
  return true;
}

/* "MS", of all; "MS NAME", of one thing. */
static bool
order_period (Live *l, const char *words, GError **error)
{
  char *end;
  uint64_t ms = g_ascii_strtoull (words, &end, 10);
  uint8_t body[5] = { PERIOD_OF_ALL };

  if (end == words || (*end && *end != ' ') || ms > 3600000) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("a period is a number of milliseconds, at most an hour"));
    return false;
  }
  if (!*end) {
    bytes_put32 (body + 1, (uint32_t) ms);
    return send_message (l, body, sizeof body, error);
  }
  return order_of_thing (l, PERIOD, end + 1, (uint32_t) ms, error);
}

/* Nothing is ever sent to a program that has not said that it listens. */
static bool
ocamlviz_tell (void *self, const char *order, GError **error)
{
  Live *l = self;
  uint8_t body[9] = { 0 };

  if (!l->socket || !ovz_listens (l->stream)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("the program takes no orders: it is not watched by libscopeviz, or not over this machine alone"));
    return false;
  }
  if (g_str_has_prefix (order, "stop "))
    return order_of_thing (l, STOP, order + 5, 0, error);
  if (g_str_has_prefix (order, "resume "))
    return order_of_thing (l, RESUME, order + 7, 0, error);
  if (g_str_has_prefix (order, "period "))
    return order_period (l, order + 7, error);
  body[0] = g_str_equal (order, "continue") ? CONTINUE : SEND_NOW;
  if (g_str_equal (order, "continue"))
    return send_message (l, body, 9, error);
  if (g_str_equal (order, "send now"))
    return send_message (l, body, 1, error);
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
               _ ("no order; there are: stop NAME, resume NAME, period MS, period MS NAME, continue, send now"));
  return false;
}

/* `refused`: *error tells why.  A program that is killed breaks its connection: that is an end as good as another. */
static LiveState
over (Live *l, bool refused, int broken, GError **error)
{
  g_autofree char *cut = ovz_cut (l->stream);
  g_autoptr (GError) nothing = NULL;
  bool good = ovz_end (l->stream, &nothing);

  ocamlviz_live_leave (l);
  if (refused)
    return LIVE_FAILED;
  if (broken)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("the connection is broken: %s"), g_strerror (broken));
  else if (!good)
    g_propagate_error (error, g_steal_pointer (&nothing));
  else if (cut)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s %s",
                 l->socket ? _ ("the program has closed the connection") : _ ("it ends"), cut);
  return good || broken ? LIVE_ENDED : LIVE_FAILED;
}

static LiveState
ocamlviz_receive (void *self, bool *some, GError **error)
{
  Live *l = self;
  g_autofree uint8_t *bytes = g_malloc (PIECE);

  for (int i = 0; i < PIECES; i++) {
    ssize_t n = read (l->fd, bytes, PIECE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return LIVE_GOES_ON;
    if (n > 0 && ovz_feed (l->stream, bytes, (size_t) n, error)) {
      *some = true;
      greet (l);
      continue;
    }
    return over (l, n > 0, n < 0 ? errno : 0, error);
  }
  return LIVE_GOES_ON;
}

static bool
ocamlviz_own_dates (void *self)
{
  return ((const Live *) self)->regular;
}

static void
ocamlviz_text (void *self, GString *to)
{
  ovz_print (((Live *) self)->stream, to);
}

extern const LiveSource ocamlviz_live;
const LiveSource ocamlviz_live = {
  .name = "ocamlviz",
  .places = "HOST:PORT, unix:PATH, or a file or pipe of recorded bytes",
  .claims = ocamlviz_claims,
  .open = ocamlviz_live_ocamlviz_open,
  .again = ocamlviz_again,
  .close = ocamlviz_close,
  .wait = ocamlviz_wait,
  .receive = ocamlviz_receive,
  .tell = ocamlviz_tell,
  .own_dates = ocamlviz_own_dates,
  .text = ocamlviz_text,
};
