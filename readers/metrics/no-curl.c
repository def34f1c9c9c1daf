/* SPDX-License-Identifier: Apache-2.0 */
/* no-curl.c - takes the place of openmetrics.c where libcurl was not there when Scope was built. */
#include "readers/live-source.h"

static int
openmetrics_claims (const char *where)
{
  return g_str_has_prefix (where, "http://") || g_str_has_prefix (where, "https://") ? 100 : 0;
}

static void *
openmetrics_open (const char *where, const LiveOptions *options, ValuesRecorder *to, uint32_t program, GError **error)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
               "%s: this Scope was built without libcurl; install libcurl4-openssl-dev and build it again", where);
  return NULL;
}

extern const LiveSource openmetrics_live;
const LiveSource openmetrics_live = {
  .name = "openmetrics",
  .places = "http://HOST:PORT/metrics (not in this build: it needs libcurl)",
  .claims = openmetrics_claims,
  .open = openmetrics_open,
};
