/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the components of one shared object: conformance [--seed N] [--trace BUNDLE] [--report] x.so */
#include "src/conformance.h"
#include "tests/harness/harness.h"

int
main (int argc, char **argv)
{
  gint seed = 1;
  gboolean report = FALSE;
  g_autofree char *trace = NULL;
  const GOptionEntry entries[] = {
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Data and places follow from it", "N" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &trace, "Bundle for components that read one", "BUNDLE" },
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
  if (harness_allocations_counted ())
    conformance_set_allocations (harness_allocations);
  conformance_check_file (argv[1], report ? stdout : NULL, problems);
  for (guint i = 0; i < problems->len; i++)
    fprintf (stderr, "%s\n", (char *) problems->pdata[i]);
  conformance_set_trace (NULL);
  return problems->len ? 1 : 0;
}
