/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - keeps, while a program plays, what views want to read of the whole execution: each layer (views/layer.h)
 * once, however many ask for it.  Engine thread only. */
#pragma once
#include "eve/eve-host.h"

typedef struct Layers Layers;

typedef struct LayersOptions {
  const char *folder;
  /* Not only what inputs of this program ask for, but the states and messages of every simulator and the places of
   * every reader: so a view that is added later finds them. */
  bool all;
  /* What layers_save() wrote into the run state that the program has now, to go on from; NULL: the program is at its
   * beginning. */
  const void *places;
  size_t n_places;
  bool counts; /* nothing is kept: what passes is counted alone, as films say it */
  /* Hears all events that readers give; NULL: nobody does. */
  void (*hear) (void *arg, EveComponent *reader, const void *events, uint32_t n);
  void *arg;
} LayersOptions;

/* Copies what another film of the same trace has whole of the layers of a program and is not in `folder` yet: it need
 * not be kept again.  Gives how many that were. */
guint layers_borrow (EveProgram *p, bool all, const char *folder, const char *from);
/* Begins.  What is whole in the folder is not kept again.  The program must not be edited until layers_free().  NULL
 * and a sentence: files cannot be made, or cannot be gone on with. */
Layers *layers_new (EveProgram *p, const LayersOptions *options, GError **error);
/* Shows readers all that has come, known until `reach`, as layer_flush(). */
bool layers_flush (Layers *l, int64_t reach, GError **error);
/* Where the files stand, right after a flush. */
void layers_save (const Layers *l, EveBlob *to);
void layers_free (Layers *l);             /* may be NULL */
guint layers_n (EveProgram *p, bool all); /* how many a program has */
/* Whether who shoots keeps what an output sends whether anybody asks for it or not. */
bool layers_keep (EveComponent *c, uint32_t output);
/* Whether all that is wanted of a program is whole in a folder, as far as can quickly be seen. */
bool layers_are_whole (EveProgram *p, bool all, const char *folder);
/* Whether an input of a component asks for something that is not whole in a folder. */
bool layers_lack (EveComponent *c, const char *folder);
/* Identity of the layers that a program has: of their names; 0: it has none. */
uint64_t layers_identity (EveProgram *p, bool all);
