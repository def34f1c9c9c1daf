/* SPDX-License-Identifier: Apache-2.0 */
/* scope heap: which of its commands. */
#include <string.h>
#include "cli/heap.h"
#include "eve/disk.h"
#include "eve/words.h"

static const CliCommand *const commands[] = { &cli_heap_run,   &cli_heap_dump,  &cli_heap_show,   &cli_heap_diff,
                                              &cli_heap_leaks, &cli_heap_check, &cli_heap_export, &cli_heap_types };

GPtrArray *
heap_files (const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_ptr_array_add (files, g_strdup (path));
    return files;
  }
  g_autofree char *inner = heap_folder (path);
  const char *folder = inner && g_file_test (inner, G_FILE_TEST_IS_DIR) ? inner : path;
  g_autoptr (GPtrArray) names = heap_list (folder, &error);
  for (guint i = 0; names && i < names->len; i++) {
    char *file = g_build_filename (folder, names->pdata[i], NULL);
    if (disk_is_below (file, path)) {
      g_ptr_array_add (files, file);
      continue;
    }
    cli_note (file, _ ("it lies outside of its bundle, and is left out"));
    g_free (file);
  }
  if (files->len > 0)
    return files;
  g_ptr_array_unref (files);
  if (!names) {
    cli_fail_error (path, error);
    return NULL;
  }
  cli_fail (path, _ ("there are no heap snapshots in it: `scope heap run -o NAME.trace -- PROGRAM` makes some"));
  return NULL;
}

static int
heap_command (const CliCommand *self, int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };

  for (size_t i = 0; argc > 1 && i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (argv[1], commands[i]->name + strlen ("heap ")))
      return commands[i]->run (commands[i], argc - 1, argv + 1);
  if (argc > 1 && argv[1][0] != '-')
    return cli_usage (argv[1],
                      _ ("what is to be done with heaps is run, dump, show, diff, leaks, types, check or export"));
  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  return CLI_OK;
}

const CliCommand cli_heap = {
  "heap",
  "run|dump|show|diff|leaks|types|check|export ...",
  N_ ("Takes snapshots of the heap of OCaml programs, and tells what keeps memory alive."),
  "  scope heap run --every 1 -o run.trace -- ./program\n"
  "  scope heap show run.trace\n"
  "  scope heap diff run.trace\n",
  heap_command,
};
