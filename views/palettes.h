/* SPDX-License-Identifier: Apache-2.0 */
/* palettes.h - the tables of colours that a person may choose between: of states by what they mean, of names, of
 * charts. Each holds on light and on dark paper.  Which one holds, the table of colours knows (view.h). */
#pragma once
#include "views/view.h"

/* The names that there are, the standard one first, and how a person reads them (untranslated; `title` may be NULL);
 * NULL: there are no more.  All of this in the engine's thread, but for patterns: any. */
TRACE_API const char *view_palette_name (unsigned i, const char **title);
/* The number of the one that holds. */
TRACE_API unsigned view_colours_palette (const ViewColours *c);
/* False: there is none of that name.  What a person or a rule chose stays.  view_colours_save() keeps it too. */
TRACE_API bool view_colours_set_palette (ViewColours *c, const char *name);

/* Palettes for print lay a pattern over colours: its number stands above the 24 bits of the colour, and paint_source()
 * and drawings know it.  What a colour is mixed of, or compared with, takes VIEW_PLAIN of it. */
#define VIEW_PATTERN_BIT 24
#define VIEW_PATTERN(rgb) ((rgb) >> VIEW_PATTERN_BIT & 15)
#define VIEW_PLAIN(rgb) ((rgb) &0xffffff)
/* The pattern of a colour: whether it has a dot there, in px; in what ink; and as a source that fills. */
TRACE_API bool paint_pattern_at (uint32_t rgb, uint32_t x, uint32_t y);
TRACE_API uint32_t paint_pattern_ink (uint32_t rgb);
TRACE_API void paint_pattern_source (cairo_t *cr, uint32_t rgb);

enum { PALETTE_SERIES = 8, PALETTE_STOPS = 5, PALETTE_MARKS = 8 };

/* All are 0xRRGGBB, perhaps with a pattern (VIEW_PATTERN); first on light, then on dark paper. */
typedef struct ViewPalette {
  const char *name;  /* as --palette takes it, and as it is kept */
  const char *title; /* as a person reads it; to be translated */
  bool declared;     /* states have the colours that the trace declares */
  bool grey;         /* nothing has a hue but what a person or a rule gave one */
  uint32_t sense[2][STATE_SENSE_GONE + 1];
  uint32_t unborn[2];                   /* of what is not there yet: between what rests and what is over */
  const uint32_t (*row)[STATE_COLOURS]; /* of names; NULL: state_row_colour() */
  uint32_t marks[2][PALETTE_MARKS];     /* laid over states, such as waits: no state has one of these */
  uint32_t gauge[3][2], bars[2];        /* the least, the present and the largest of a gauge; bars of histograms */
  uint32_t one[2], series[2][PALETTE_SERIES]; /* of charts: of a single one, of a few */
  uint32_t shades[2][PALETTE_STOPS];          /* from nothing to all */
} ViewPalette;

/* The colour of a mark over states, by its place; what a person or a rule chose holds. */
TRACE_API uint32_t view_colour_mark (const ViewColours *c, const char *attribute, const char *value, bool dark,
                                     uint32_t place);
TRACE_API extern const ViewPalette view_palettes[];
/* The one that holds; `c` NULL: the standard one. */
TRACE_API const ViewPalette *view_palette_of (const ViewColours *c);
