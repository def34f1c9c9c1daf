/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the format `values`: what `scope live` has recorded. */
#include "eve/words.h"
#include "readers/values.h"

static const TraceFormat values_format;

static TraceSource *
values_open (const char *bundle, const char *folder, const TraceOptions *options, GError **error)
{
  return values_open_folder (&values_format, bundle, folder, false, options, error);
}

static const TraceFormat values_format = {
  .name = "values",
  .label = N_ ("Values of running programs"),
  .model = "Values",
  .open = values_open,
  VALUES_FUNCTIONS,
};

TRACE_READER_PLUGIN (
    values_format, "scope.values-reader", "Values reader", "reader:values",
    "Reads what “scope live” has received from running programs: things with names, and their values.");
