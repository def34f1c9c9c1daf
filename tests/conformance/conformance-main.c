/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the components of one shared object: conformance [--seed N] [--trace BUNDLE] [--reader y.so] [--report] x.so
 */
#include "src/conformance/conformance.h"
#include "tests/harness/harness.h"

/* Inputs that take events get those of the bundle; what reads it is kept, as its source is. */
static Harness *
feed_events (const char *reader, const char *bundle)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  size_t n;

  if (!eve_registry_load_file (reader, &classes, &error))
    g_error ("%s", error->message);
  Harness *h = harness_new (classes[0]);
  harness_set (h, "trace", bundle);
  harness_collect (h, "events");
  harness_run (h);
  const void *events = harness_collected (h, "events", &n);
  conformance_set_data (harness_collected_type (h, "events"), events, n);
  g_assert_cmpuint (n, >, 0);
  return h;
}

int
main (int argc, char **argv)
{
  harness_patience = 60; /* sanitized, and beside other tests */
  gint seed = 1;
  gboolean report = FALSE;
  g_autofree char *trace = NULL, *reader = NULL;
  Harness *events = NULL;
  const GOptionEntry entries[] = {
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Data and places follow from it", "N" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &trace, "Bundle for components that read one", "BUNDLE" },
    { "reader", 0, 0, G_OPTION_ARG_FILENAME, &reader, "Reader of the bundle: inputs for events get its events",
      "Y.SO" },
    { "report", 0, 0, G_OPTION_ARG_NONE, &report, "Tell each check", NULL },
    { 0 },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("x.so");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2) {
    fprintf (stderr, "conformance: %s\n", error ? error->message : "one shared object is wanted");
    return 2;
  }
  conformance_set_seed ((uint32_t) seed);
  conformance_set_trace (trace);
  if (reader)
    events = feed_events (reader, trace);
  if (harness_allocations_counted ())
    conformance_set_allocations (harness_allocations);
  conformance_check_file (argv[1], report ? stdout : NULL, problems);
  for (guint i = 0; i < problems->len; i++)
    fprintf (stderr, "%s\n", (char *) problems->pdata[i]);
  conformance_set_trace (NULL);
  conformance_set_data (NULL, NULL, 0);
  harness_free (events);
  return problems->len ? 1 : 0;
}
