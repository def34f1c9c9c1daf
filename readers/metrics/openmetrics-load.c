/* SPDX-License-Identifier: Apache-2.0 */
/* openmetrics-load.c - OpenMetrics' source is in a shared object of its own, which is loaded when an address is asked
 * for: libcurl needs some forty libraries, that no other command is to wait for.  Where libcurl was not there when
 * Scope was built there is no such object. */
#include <dlfcn.h>
#include "readers/live-source.h"
#include "eve/words.h"

#define OBJECT "libscope-openmetrics.so"

static int
openmetrics_claims (const char *where)
{
  return g_str_has_prefix (where, "http://") || g_str_has_prefix (where, "https://") ? 100 : 0;
}

static const LiveSource *
openmetrics_load (const char *where, GError **error)
{
  void *object = dlopen (OBJECT, RTLD_NOW | RTLD_LOCAL);
  const char *why = object ? OBJECT " is another one" : dlerror ();
  const LiveSource *source = object ? dlsym (object, "openmetrics_source") : NULL;

  if (!source)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s: what asks for pages cannot be loaded: %s; where Scope was built without libcurl, install "
                    "libcurl4-openssl-dev and build it again"),
                 where, why);
  return source;
}

extern const LiveSource openmetrics_live;
const LiveSource openmetrics_live = {
  .name = "openmetrics",
  .places = "http://HOST:PORT/metrics, with #SECONDS between two pages at its end (1)",
  .claims = openmetrics_claims,
  .load = openmetrics_load,
};
