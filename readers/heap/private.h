/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files that read heap snapshots share. */
#pragma once
#include "readers/heap.h"
#include "readers/heap/format.h"

bool heap_is_cancelled (const TraceProgress *progress, const char *doing, double share, GError **error);
void heap_damaged (HeapGraph *h, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* Room for n of them; g_free. False and a sentence: there is no memory. */
bool heap_room (void *to, uint64_t n, size_t each, GError **error);
/* "camlStdlib__Hashtbl" is Stdlib.Hashtbl; g_free. */
char *heap_module_name (const char *symbol);
/* Classes are numbered as they are met: what is special of a block besides its tag is a size or a name. */
typedef struct HeapClasses HeapClasses;
HeapClasses *heap_classes_new (void);
uint32_t heap_class_for (HeapClasses *c, HeapGraph *h, unsigned tag, uint64_t special);
void heap_classes_free (HeapClasses *c);
uint32_t heap_class_add (HeapGraph *h, char *name, HeapSure sure); /* takes the name */
/* Types of blocks from a file of scope-cmt; `field`: by reference, which field of its block it is.  What is wrong with
 * the file is told as damage of the graph.  False and a sentence: it was cancelled. */
bool heap_types_apply (HeapGraph *h, const char *path, const uint16_t *field, const TraceProgress *progress,
                       GError **error);
/* When all is read: names, and what follows from references. */
void heap_classes_end (HeapGraph *h, GHashTable *strings, GHashTable *customs);
