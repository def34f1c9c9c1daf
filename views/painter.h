/* SPDX-License-Identifier: Apache-2.0 */
/* painter.h - cairo, Pango and libpng, loaded when something is painted for the first time.
 *
 * They need some forty libraries, which cost a program more time to load than most commands take, and most commands
 * paint nothing.  Therefore nothing of Scope is linked to them but libscope-painter, which gives a table of their
 * functions.  A file that includes this header calls them as ever: each name in painter-calls.def stands for a call
 * through that table.  One that is missing there is found by the linker.
 *
 * Components from elsewhere, and the window, are linked to these libraries as anybody else is. */
#pragma once
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <pango/pangocairo.h>
#include <png.h>
#include "readers/event.h"

#define CALL(name) __typeof__ (name) *name;
typedef struct Painter {
#include "views/painter-calls.def"
} Painter;
#undef CALL

/* What libscope-painter gives, under this name. */
#define PAINTER_TABLE scope_painter

/* NULL before the first call. */
TRACE_API extern const Painter *painter_loaded;
/* Loads them; from any thread.  Where Scope is not installed whole, the program ends with a sentence, as it would if it
 * were linked to them. */
TRACE_API const Painter *painter_load (void);

static inline const Painter *
painter (void)
{
  const Painter *p = __atomic_load_n (&painter_loaded, __ATOMIC_ACQUIRE);

  return G_LIKELY (p != NULL) ? p : painter_load ();
}

#ifndef PAINTER_ITSELF
#include "views/painter-names.h" /* made by views/meson.build from painter-calls.def */
#endif
