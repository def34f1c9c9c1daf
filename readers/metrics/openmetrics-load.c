/* SPDX-License-Identifier: Apache-2.0 */
/* openmetrics-load.c - OpenMetrics' source is in a shared object of its own, which is loaded when an address is asked
 * for: libcurl needs some forty libraries, that no other command is to wait for.  Where libcurl was not there when
 * Scope was built there is no such object. */
#include <dlfcn.h>
#include "readers/live-source.h"

#define OBJECT "libscope-openmetrics.so"

static const LiveSource *theirs; /* once it was loaded */

static bool
load (const char *where, GError **error)
{
  void *object = theirs ? NULL : dlopen (OBJECT, RTLD_NOW | RTLD_LOCAL);
  const char *why = theirs || object ? NULL : dlerror ();

  if (object)
    theirs = dlsym (object, "openmetrics_source");
  if (!theirs)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 "%s: what asks for pages cannot be loaded: %s; where Scope was built without libcurl, install "
                 "libcurl4-openssl-dev and build it again",
                 where, why ? why : OBJECT " is another one");
  return theirs != NULL;
}

static int
openmetrics_claims (const char *where)
{
  return g_str_has_prefix (where, "http://") || g_str_has_prefix (where, "https://") ? 100 : 0;
}

static void *
openmetrics_open (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program, GError **error)
{
  return load (where, error) ? theirs->open (where, options, to, program, error) : NULL;
}

static bool
openmetrics_again (void *self, GError **error)
{
  return theirs->again (self, error);
}

static void
openmetrics_close (void *self)
{
  theirs->close (self);
}

static int
openmetrics_wait (void *self, struct pollfd *fds, int *timeout_ms)
{
  return theirs->wait (self, fds, timeout_ms);
}

static LiveState
openmetrics_receive (void *self, bool *some, GError **error)
{
  return theirs->receive (self, some, error);
}

extern const LiveSource openmetrics_live;
const LiveSource openmetrics_live = {
  .name = "openmetrics",
  .places = "http://HOST:PORT/metrics, with #SECONDS between two pages at its end (1)",
  .claims = openmetrics_claims,
  .open = openmetrics_open,
  .again = openmetrics_again,
  .close = openmetrics_close,
  .wait = openmetrics_wait,
  .receive = openmetrics_receive,
};
