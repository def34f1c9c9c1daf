/* SPDX-License-Identifier: Apache-2.0 */
/* painter.c - loads the libraries that paint. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include "eve/words.h"
#define PAINTER_ITSELF
#include "views/painter.h"

#define OBJECT "libscope-painter.so" /* beside this library */

const Painter *painter_loaded;

const Painter *
painter_load (void)
{
  void *object = dlopen (OBJECT, RTLD_NOW | RTLD_LOCAL); /* never closed; of several threads all get the same */
  const Painter *p = object != NULL ? dlsym (object, G_STRINGIFY (PAINTER_TABLE)) : NULL;

  if (p == NULL) {
    fprintf (stderr, "scope: ");
    fprintf (stderr, _ ("pictures cannot be painted: %s; install Scope again"), dlerror ());
    fputc ('\n', stderr);
    _exit (127); /* as the loader of programs does */
  }
  __atomic_store_n (&painter_loaded, p, __ATOMIC_RELEASE);
  return p;
}
