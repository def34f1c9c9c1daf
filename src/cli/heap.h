/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - what the commands about heap snapshots share. */
#pragma once
#include "cli/cli.h"
#include "cli/text.h"
#include "readers/heap.h"

extern const CliCommand cli_heap_run, cli_heap_dump, cli_heap_show, cli_heap_diff, cli_heap_check, cli_heap_export,
    cli_heap_leaks, cli_heap_types;

/* The snapshots that a person means: a bundle, with all of it; a file; of char *, in order.  NULL: there are none,
 * which was told. */
GPtrArray *heap_files (const char *path);
/* A snapshot, with what is reached in it, and with `retained` what keeps what alive; heap_free().  Progress and damage
 * are told.  NULL: it cannot be, or was cancelled, which was told, and *status is how the command is to end. */
HeapGraph *heap_snapshot (const char *path, bool retained, int *status);
/* "13 104", as the window writes it; g_free. */
char *heap_threes (uint64_t n);
/* Puts a file of scope-cmt beside the snapshots of a bundle.  False: it cannot be, which was told. */
bool heap_put_types (const char *bundle, const char *file);
/* Where what lives was allocated, as far as it was sampled: as an array "sites", as a table of `top` rows, by
 * place, function or module, and as stacks a line for flame graphs. */
void heap_json_sites (Json *j, const HeapGraph *h, HeapBy by, int top);
void heap_print_sites (GString *to, const HeapGraph *h, uint64_t live_words, HeapBy by, int top);
void heap_fold_sites (GString *to, const HeapGraph *h);
/* One block with what it refers to and what refers to it; strings that are there more than once; the pieces of the
 * heap: `top` rows each, as members of an object where `j` is, else as text.  False: it cannot be, which was told. */
bool heap_tell_block (Json *j, GString *to, const HeapGraph *h, const char *which, int top);
bool heap_tell_strings (Json *j, GString *to, const HeapGraph *h, const char *path, int top);
bool heap_tell_pieces (Json *j, GString *to, const char *path, int top);
/* How full arrays are, such as the buckets of hash tables: by class, those with most fields that refer to nothing
 * first. */
void heap_tell_arrays (Json *j, GString *to, const HeapGraph *h, int top);
