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

/* Bytes of a section that are read one after the other. */
typedef struct Bytes {
  const uint8_t *at, *end;
  bool over;
} Bytes;

/* A number of 7 bits a byte; 0, and `over`, where it has no end. */
static inline uint64_t
heap_get_number (Bytes *b)
{
  uint64_t v = 0;

  for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
    uint8_t c = *b->at++;
    v |= (uint64_t) (c & 127) << shift;
    if (c < 128)
      return v;
  }
  b->over = true;
  return 0;
}

/* Tells where bytes of a section are left when all is read that it says it has. */
void heap_behind (HeapGraph *h, const Bytes *b, const char *what);
/* What a computation of dominators has found, kept in the user's cache: of each place its node and its dominator.  Read
 * into arrays that have room for `n` places; what is kept is believed in nothing but that.  False: there is none, or it
 * is not used, and then h->not_used says why. */
bool heap_kept_read (HeapGraph *h, uint32_t n, uint32_t *node, uint32_t *place, uint32_t *dominator);
void heap_kept_write (const HeapGraph *h);
/* FRAMES, STACKS or SITES, when the number of blocks is known. */
void heap_sites_section (HeapGraph *h, uint32_t kind, Bytes b, uint32_t count);
void heap_sites_free (HeapSites *s); /* NULL: nothing */

/* All sections of a kind that are whole, in their order.  False and a sentence: the file cannot be read. */
typedef void (*HeapSectionRead) (void *arg, Bytes b, uint32_t count);
bool heap_each_section (const char *path, uint32_t kind, HeapSectionRead read, void *arg, GError **error);
