/* SPDX-License-Identifier: Apache-2.0 */
/* openmetrics.c - asks a program for its numbers by HTTP, once a second, or as often as #SECONDS at the end of the
 * address says.  A page that takes too long, is too large, or is none ends the connection with a sentence. */
#include <curl/curl.h>
#include <string.h>
#include "readers/live-source.h"
#include "eve/words.h"
#include "readers/metrics/metrics-text.h"

#define MOST_PAGE (INT64_C (64) << 20) /* bytes */
#define PERIOD_S 1.0
#define MOST_S 10L /* for a page */
#define FIRST_S 2L /* for the first one */

typedef struct OpenMetrics {
  char *url;
  int64_t period_us, next_us; /* of the monotonic clock */
  CURLM *multi;
  CURL *one;
  bool asks;                        /* a page is on its way */
  struct pollfd fds[LIVE_MOST_FDS]; /* that it waits for */
  int n_fds;
  bool some;
  int64_t bytes; /* of it */
  char why[CURL_ERROR_SIZE];
  ValuesRecorder *to;
  SeriesTable *series;
  MetricsText *text;
} OpenMetrics;

static size_t
on_bytes (char *bytes, size_t one, size_t n, void *data)
{
  OpenMetrics *o = data;
  long status = 0;

  curl_easy_getinfo (o->one, CURLINFO_RESPONSE_CODE, &status);
  o->bytes += (int64_t) n;
  o->some = true;
  if (o->bytes > MOST_PAGE)
    return 0;
  if (status == 200)
    metrics_text_feed (o->text, bytes, n);
  return n;
}

/* libcurl tells which descriptors it waits for, whatever their numbers are. */
static int
on_socket (CURL *one, curl_socket_t fd, int what, void *data, void *none)
{
  OpenMetrics *o = data;
  int i = 0;

  while (i < o->n_fds && o->fds[i].fd != fd)
    i++;
  if (what == CURL_POLL_REMOVE) {
    if (i < o->n_fds)
      o->fds[i] = o->fds[--o->n_fds];
    return 0;
  }
  if (i == LIVE_MOST_FDS)
    return 0; /* looked after by the time that is over */
  o->n_fds = MAX (o->n_fds, i + 1);
  o->fds[i] = (struct pollfd){
    .fd = fd, .events = (short) ((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0))
  };
  return 0;
}

static void
openmetrics_ask (OpenMetrics *o)
{
  o->bytes = 0;
  o->why[0] = '\0';
  metrics_text_begin (o->text);
  o->asks = curl_multi_add_handle (o->multi, o->one) == CURLM_OK;
  o->next_us = g_get_monotonic_time () + o->period_us;
}

/* The page has come, or not; false and a sentence. */
static bool
openmetrics_finish (OpenMetrics *o, CURLcode code, GError **error)
{
  long status = 0;

  o->asks = false;
  curl_multi_remove_handle (o->multi, o->one);
  curl_easy_getinfo (o->one, CURLINFO_RESPONSE_CODE, &status);
  bool good = code == CURLE_OK && status == 200;
  metrics_text_end (o->text, good);
  if (o->bytes > MOST_PAGE)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s: a page of more than %d MiB is not read"), o->url,
                 (int) (MOST_PAGE >> 20));
  else if (code != CURLE_OK)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("could not connect to the server %s: %s"), o->url,
                 o->why[0] ? o->why : curl_easy_strerror (code));
  else if (!good)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s answers with status %ld instead of 200"), o->url, status);
  return good;
}

/* Goes on with what is on its way; false and a sentence: it has failed. */
static bool
openmetrics_go_on (OpenMetrics *o, GError **error)
{
  int running, left;
  const CURLMsg *message;

  struct pollfd fds[LIVE_MOST_FDS]; /* they may become others meanwhile */
  int n = o->n_fds;

  memcpy (fds, o->fds, sizeof fds);
  for (int i = 0; i < n; i++)
    curl_multi_socket_action (o->multi, fds[i].fd, 0, &running); /* 0: it looks itself what is ready */
  curl_multi_socket_action (o->multi, CURL_SOCKET_TIMEOUT, 0, &running);
  while ((message = curl_multi_info_read (o->multi, &left)))
    if (message->msg == CURLMSG_DONE && !openmetrics_finish (o, message->data.result, error))
      return false;
  return true;
}

/* Asks and waits for the answer. */
static bool
first_page (OpenMetrics *o, GError **error)
{
  bool good = true;

  curl_easy_setopt (o->one, CURLOPT_TIMEOUT, FIRST_S);
  openmetrics_ask (o);
  while (good && o->asks) {
    good = openmetrics_go_on (o, error);
    if (good && o->asks)
      curl_multi_poll (o->multi, NULL, 0, 100, NULL);
  }
  curl_easy_setopt (o->one, CURLOPT_TIMEOUT, MOST_S);
  return good;
}

static void
openmetrics_close (void *self)
{
  OpenMetrics *o = self;

  if (o->asks)
    curl_multi_remove_handle (o->multi, o->one);
  curl_easy_cleanup (o->one);
  curl_multi_cleanup (o->multi);
  metrics_text_free (o->text);
  series_free (o->series);
  g_free (o->url);
  g_free (o);
}

static void
set_up (OpenMetrics *o)
{
  curl_multi_setopt (o->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt (o->multi, CURLMOPT_SOCKETDATA, o);
  curl_easy_setopt (o->one, CURLOPT_URL, o->url);
  curl_easy_setopt (o->one, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt (o->one, CURLOPT_WRITEDATA, o);
  curl_easy_setopt (o->one, CURLOPT_ERRORBUFFER, o->why);
  curl_easy_setopt (o->one, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (o->one, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (o->one, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (o->one, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt (o->one, CURLOPT_MAXREDIRS, 3L);
  curl_easy_setopt (o->one, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
  curl_easy_setopt (o->one, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt (o->one, CURLOPT_USERAGENT, "scope");
}

static void *
openmetrics_open (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program, GError **error)
{
  const char *hash = strchr (where, '#');
  char *end = NULL;
  double seconds = hash ? g_ascii_strtod (hash + 1, &end) : PERIOD_S;

  if (hash && (end == hash + 1 || *end || !(seconds >= 0.01 && seconds <= 3600))) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s: behind # are the seconds between two pages, 0.01 to 3600"), where);
    return NULL;
  }
  curl_global_init (CURL_GLOBAL_DEFAULT);
  OpenMetrics *o = g_new0 (OpenMetrics, 1);
  o->url = hash ? g_strndup (where, (gsize) (hash - where)) : g_strdup (where);
  o->period_us = (int64_t) (seconds * 1e6);
  o->to = to;
  o->multi = curl_multi_init ();
  o->one = curl_easy_init ();
  o->series = series_new (to, program);
  o->text = metrics_text_new (o->series, to);
  if (o->one && o->multi)
    set_up (o);
  if (o->one && o->multi && first_page (o, error))
    return o;
  if (error && !*error)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be asked"), where);
  openmetrics_close (o);
  return NULL;
}

static bool
openmetrics_again (void *self, GError **error)
{
  OpenMetrics *o = self;

  if (o->asks)
    curl_multi_remove_handle (o->multi, o->one);
  o->asks = false;
  return first_page (o, error);
}

static int
openmetrics_wait (void *self, struct pollfd *fds, int *timeout_ms)
{
  OpenMetrics *o = self;
  int64_t left = (o->next_us - g_get_monotonic_time () + 999) / 1000;
  long own = -1;

  if (!o->asks) {
    *timeout_ms = (int) CLAMP (left, 0, 3600000);
    return 0;
  }
  memcpy (fds, o->fds, (size_t) o->n_fds * sizeof *fds);
  curl_multi_timeout (o->multi, &own);
  *timeout_ms = o->n_fds == 0 ? 20 : own < 0 || own > 1000 ? 1000 : (int) own;
  return o->n_fds;
}

static LiveState
openmetrics_receive (void *self, bool *some, GError **error)
{
  OpenMetrics *o = self;

  if (!o->asks && g_get_monotonic_time () >= o->next_us)
    openmetrics_ask (o);
  o->some = false;
  if (o->asks && !openmetrics_go_on (o, error))
    return LIVE_ENDED; /* it had answered before: its program is gone, or does not answer any more */
  *some = o->some;
  return LIVE_GOES_ON;
}

/* For openmetrics-load.c, which says the rest. */
static void
openmetrics_text (void *self, GString *to)
{
  series_text (((OpenMetrics *) self)->series, to);
}

extern const LiveSource openmetrics_source;
EVE_EXPORT const LiveSource openmetrics_source = {
  .name = "openmetrics",
  .open = openmetrics_open,
  .again = openmetrics_again,
  .close = openmetrics_close,
  .wait = openmetrics_wait,
  .receive = openmetrics_receive,
  .text = openmetrics_text,
};
