/* SPDX-License-Identifier: Apache-2.0 */
/* scope heap types: puts what the compiler noted of a program beside the snapshots of it. */
#include <string.h>
#include "cli/heap.h"
#include "eve/words.h"
#include "eve/disk.h"

bool
heap_put_types (const char *bundle, const char *file)
{
  g_autofree char *folder = heap_folder (bundle), *text = NULL;
  g_autoptr (GError) error = NULL;
  size_t n = 0;

  if (!folder) {
    cli_fail (bundle, _ ("is no bundle of heap snapshots: `scope heap run -o NAME.trace -- PROGRAM` makes one"));
    return false;
  }
  text = disk_read (file, NULL, 64 * DISK_MIB, &n, &error);
  if (text && !g_str_has_prefix (text, "scope-types 1\n")) {
    cli_fail (
        file,
        _ ("is no file of types: `scope-cmt FOLDER > NAME.types` makes one of what `ocamlopt -bin-annot` leaves"));
    return false;
  }
  if (!text || !disk_write_below (folder, HEAP_TYPES, text, n, &error)) {
    cli_fail_error (file, error);
    return false;
  }
  return true;
}

static int
types_command (const CliCommand *self, int argc, char **argv)
{
  const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };

  if (!cli_parse (self, entries, &argc, &argv, 2, 2))
    return CLI_USAGE;
  return heap_put_types (argv[1], argv[2]) ? CLI_OK : CLI_FAILED;
}

const CliCommand cli_heap_types = {
  "heap types",
  "TRACE FILE",
  N_ ("Tells of which types the blocks of an OCaml program are: puts a file of scope-cmt into the bundle of its "
      "snapshots."),
  "  scope-cmt _build/default/src > program.types\n"
  "  scope heap types run.trace program.types\n"
  "  scope heap show run.trace\n",
  types_command,
};
