/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - what the commands about heap snapshots share. */
#pragma once
#include "cli/cli.h"
#include "readers/heap.h"

extern const CliCommand cli_heap_run, cli_heap_dump, cli_heap_show, cli_heap_diff, cli_heap_check, cli_heap_export;

/* The snapshots that a person means: a bundle, with all of it; a file; of char *, in order.  NULL: there are none,
 * which was told. */
GPtrArray *heap_files (const char *path);
/* The data folder NAME.heap of a bundle; g_free. */
char *heap_folder (const char *bundle);
