/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/counted.h"
#include <glib.h>

const void *
trace_counted_anew (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { .anew = true };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

const void *
trace_counted_by_settings (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { .by_settings = true };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}
