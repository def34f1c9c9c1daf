/* SPDX-License-Identifier: Apache-2.0 */
/* statsd.c - is the server that programs send lines of StatsD to, over UDP, on 127.0.0.1 unless told otherwise. */
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "readers/live-source.h"
#include "eve/words.h"
#include "readers/metrics/statsd-lines.h"

#define DATAGRAM 65536
#define BUFFER (4 << 20)  /* bytes that the system keeps for us */
#define DATAGRAMS 4096    /* at once */
#define AT_ONCE (1 << 20) /* bytes */

typedef struct Statsd {
  char *where;
  ValuesRecorder *to;
  SeriesTable *series;
  int fd;
  char bytes[DATAGRAM];
} Statsd;

static int
statsd_claims (const char *where)
{
  return g_str_has_prefix (where, "statsd:") ? 100 : 0;
}

/* statsd:PORT or statsd:HOST:PORT. */
static bool
bind_at (Statsd *d, GError **error)
{
  const char *place = d->where + strlen ("statsd:"), *colon = strrchr (place, ':');
  g_autofree char *host = colon ? g_strndup (place, (gsize) (colon - place)) : g_strdup ("127.0.0.1");
  const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
  struct addrinfo *found = NULL;
  size_t n = strlen (host);
  int size = BUFFER;

  if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
    memmove (host, host + 1, n - 2);
    host[n - 2] = '\0';
  }
  uint64_t port;
  int code = EAI_SERVICE;
  if (g_ascii_string_to_unsigned (colon ? colon + 1 : place, 10, 1, 65535, &port, NULL))
    code = getaddrinfo (host, colon ? colon + 1 : place, &hints, &found);
  if (code) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s is no place to receive at, like statsd:8125: %s"), d->where,
                 gai_strerror (code));
    return false;
  }
  d->fd = socket (found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool works = d->fd >= 0 && bind (d->fd, found->ai_addr, found->ai_addrlen) == 0;
  if (!works)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("cannot receive at %s: %s"), d->where,
                 errno == EADDRINUSE ? _ ("another program receives there") : g_strerror (errno));
  if (works)
    setsockopt (d->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  else if (d->fd >= 0)
    close (d->fd);
  freeaddrinfo (found);
  return works;
}

static void *
statsd_open (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program, GError **error)
{
  Statsd *d = g_new0 (Statsd, 1);

  d->where = g_strdup (where);
  d->to = to;
  if (!bind_at (d, error)) {
    g_free (d->where);
    g_free (d);
    return NULL;
  }
  d->series = series_new (to, program);
  return d;
}

static void
statsd_close (void *self)
{
  Statsd *d = self;

  close (d->fd);
  series_free (d->series);
  g_free (d->where);
  g_free (d);
}

static int
statsd_wait (void *self, struct pollfd *fds, int *timeout_ms)
{
  fds[0] = (struct pollfd){ .fd = ((Statsd *) self)->fd, .events = POLLIN };
  return 1;
}

static LiveState
statsd_receive (void *self, bool *some, GError **error)
{
  Statsd *d = self;
  size_t taken = 0;

  for (int i = 0; i < DATAGRAMS && taken < AT_ONCE; i++) {
    ssize_t n = recv (d->fd, d->bytes, sizeof d->bytes, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      break; /* nothing more; a refusal of something that was sent is not ours */
    *some = true;
    taken += (size_t) n;
    statsd_take (d->series, d->to, d->bytes, (size_t) n);
  }
  series_tell (d->series);
  return LIVE_GOES_ON;
}

static void
statsd_text (void *self, GString *to)
{
  series_text (((Statsd *) self)->series, to);
}

extern const LiveSource statsd_live;
const LiveSource statsd_live = {
  .name = "statsd",
  .places = "statsd:PORT or statsd:HOST:PORT, to be the server of StatsD there",
  .claims = statsd_claims,
  .open = statsd_open,
  .close = statsd_close,
  .wait = statsd_wait,
  .receive = statsd_receive,
  .text = statsd_text,
};
