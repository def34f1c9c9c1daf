/* SPDX-License-Identifier: Apache-2.0 */
/* palettes.c - the tables themselves.  tests/views/palettes-test.c measures them: how far colours that stand together
 * are apart in OKLab, for all eyes, and that those for print are grey. */
#include "views/palettes.h"
#include "eve/words.h"

#define HATCH (UINT32_C (1) << VIEW_PATTERN_BIT)
#define BACK (UINT32_C (2) << VIEW_PATTERN_BIT)
#define CROSS (UINT32_C (3) << VIEW_PATTERN_BIT)
#define DOTS (UINT32_C (4) << VIEW_PATTERN_BIT)
#define LINES (UINT32_C (5) << VIEW_PATTERN_BIT)
#define GRID (UINT32_C (6) << VIEW_PATTERN_BIT)

/* Chosen as the standard row was (simulators/state.c), but for eyes that lack a kind of cone first: for protan, deutan
 * and tritan eyes the first eight are at least 0.12 apart, the first sixteen 0.08, all 0.056.  The price is a wider
 * range of lightness.  Places that are not alike in the standard row (simulators/name-colours.c) are not alike in this
 * one. */
static const uint32_t safe_row[2][STATE_COLOURS] = {
  { 0x07d3f4, 0xb64a02, 0x6b000a, 0x925aa4, 0xf0667c, 0x898cfb, 0xc9c424, 0x2a1c8b,
    0xaa860f, 0x4c6cd9, 0x921d60, 0x5c40a8, 0xfca0a0, 0xba94bb, 0x55125d, 0x6e421a,
    0xb1b9cd, 0x7ec369, 0x215582, 0x1d7a31, 0x8288a8, 0xcf71d4, 0x42323f, 0xea9000 },
  { 0x00ffea, 0x9b110d, 0xffe543, 0xf68026, 0x816b8f, 0x5dbcf1, 0x8081f7, 0x6132a2,
    0xbfe0a7, 0x1d5b78, 0xd95159, 0x5160d0, 0xcc80ab, 0xffb216, 0xa75413, 0xaba375,
    0x8945ac, 0x7dd768, 0x71dcff, 0xa4ff9f, 0xa86ad3, 0x9b2878, 0x6c4555, 0xba7600 },
};

/* Four greys that a copying machine keeps apart, with six patterns: 24 that are told apart without any hue.  Those that
 * come first differ in both. */
#define GREY_1 0x474747
#define GREY_2 0x6b6b6b
#define GREY_3 0x909090
#define GREY_4 0xb7b7b7
#define GREY_5 0xe2e2e2
#define PRINT_ROW(a, b, c, d)                                                                                          \
  a, c | HATCH, b | DOTS, d | CROSS, d, b | BACK, c | LINES, a | DOTS,      /* eight */                                \
      c, d | HATCH, a | LINES, b | CROSS, b, d | BACK, c | DOTS, a | HATCH, /* sixteen */                              \
      d | DOTS, b | LINES, a | BACK, c | CROSS, b | HATCH, d | LINES, a | CROSS, c | BACK
static const uint32_t print_row[2][STATE_COLOURS] = {
  { PRINT_ROW (GREY_1, GREY_2, GREY_3, GREY_4) },
  { PRINT_ROW (GREY_2, GREY_3, GREY_4, GREY_5) },
};

/* Of both palettes for who has no wish of their own. */
#define STANDARD_COLOURS                                                                                               \
  .sense = { { [STATE_SENSE_WORKS] = 0x2a9d6f,                                                                         \
               [STATE_SENSE_COSTS] = 0xd9730d,                                                                         \
               [STATE_SENSE_WAITS] = 0x8fb8de,                                                                         \
               [STATE_SENSE_TALKS] = 0xe3b505,                                                                         \
               [STATE_SENSE_REST] = 0xd0cfcc,                                                                          \
               [STATE_SENSE_GONE] = 0x7a7a7a },                                                                        \
             { [STATE_SENSE_WORKS] = 0x35b585,                                                                         \
               [STATE_SENSE_COSTS] = 0xe8862a,                                                                         \
               [STATE_SENSE_WAITS] = 0x6c9ae0,                                                                         \
               [STATE_SENSE_TALKS] = 0xe8c23a,                                                                         \
               [STATE_SENSE_REST] = 0x6b6d73,                                                                          \
               [STATE_SENSE_GONE] = 0x4b4d53 } },                                                                      \
  .unborn = { 0xa4a4a4, 0x8e9096 },                                                                                    \
  .marks = { { 0xf700f7, 0x0000a9, 0x680000, 0x5b0df7, 0x003400, 0x00f700, 0x4e0068, 0x0d000d },                       \
             { 0xf700f7, 0xf7f7d0, 0xc3f700, 0x9c34f7, 0x0000f7, 0x8f004e, 0xc300a9, 0x5b00b6 } },                     \
  .gauge = { { 0x0072b2, 0x4aa3df }, { 0x56a3d4, 0x2f74a8 }, { 0xe9b872, 0x8a6a3c } }, .bars = { 0xd9730d, 0xe8862a }, \
  .one = { 0x2b6cb0, 0x5aa0e6 },                                                                                       \
  .series = { { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xb58900, 0x56b4e9, 0x7f3c8d, 0x7a7a7a },                      \
              { 0x4aa3df, 0xf08040, 0x2fc79b, 0xe29bc4, 0xe6c229, 0x8fd0f5, 0xb98ad0, 0xa0a0a0 } },                    \
  .shades = { { 0xf3f6fa, 0xbfd7ea, 0x6aaed6, 0x2171b5, 0x08306b },                                                    \
              { 0x26282c, 0x1f3d5c, 0x2f6ea8, 0x6fb0e0, 0xe6f3ff } }

const ViewPalette view_palettes[] = {
  { .name = "standard", .title = N_ ("Standard, with the colours of the trace"), .declared = true, STANDARD_COLOURS },
  { .name = "scope", .title = N_ ("Standard, without those of the trace"), STANDARD_COLOURS },
  { .name = "colour-blind",
    .title = N_ ("Safe for colour-blind readers"),
    .sense = { { [STATE_SENSE_WORKS] = 0x00a276,
                 [STATE_SENSE_COSTS] = 0xd55e00,
                 [STATE_SENSE_WAITS] = 0x7bb7e9,
                 [STATE_SENSE_TALKS] = 0xfec000,
                 [STATE_SENSE_REST] = 0xd3d2cf,
                 [STATE_SENSE_GONE] = 0x6b6b6b },
               { [STATE_SENSE_WORKS] = 0x38957a,
                 [STATE_SENSE_COSTS] = 0xdf7019,
                 [STATE_SENSE_WAITS] = 0x61a7ec,
                 [STATE_SENSE_TALKS] = 0xf0e05a,
                 [STATE_SENSE_REST] = 0x616369,
                 [STATE_SENSE_GONE] = 0xbbbdc3 } },
    .unborn = { 0x9f9f9f, 0x93959b },
    .row = safe_row,
    .marks = { { 0x4e27f7, 0x00f78f, 0xd027c3, 0x4e0027, 0x2700c3, 0x270d00, 0x0d004e, 0x00001a },
               { 0xf775d0, 0x825bf7, 0xb60034, 0xddb69c, 0x5b00ea, 0x68824e, 0xd04eb6, 0x0000b6 } },
    .gauge = { { 0x0072b2, 0x4aa3df }, { 0x7bb7e9, 0x2f74a8 }, { 0xfec000, 0x9a7a2c } },
    .bars = { 0xd55e00, 0xdf7019 },
    .one = { 0x0072b2, 0x61a7ec },
    .series = { { 0x07d3f4, 0xb64a02, 0x6b000a, 0x925aa4, 0xf0667c, 0x898cfb, 0xc9c424, 0x2a1c8b },
                { 0x00ffea, 0x9b110d, 0xffe543, 0xf68026, 0x816b8f, 0x5dbcf1, 0x8081f7, 0x6132a2 } },
    .shades = { { 0xf3f6fa, 0xbfd7ea, 0x6aaed6, 0x2171b5, 0x08306b },
                { 0x26282c, 0x1f3d5c, 0x2f6ea8, 0x6fb0e0, 0xe6f3ff } } },
  { .name = "print",
    .title = N_ ("For print: greys and patterns"),
    .grey = true,
    .sense = { { [STATE_SENSE_WORKS] = 0x262626,
                 [STATE_SENSE_COSTS] = GREY_2 | HATCH,
                 [STATE_SENSE_WAITS] = 0xdedede | DOTS,
                 [STATE_SENSE_TALKS] = GREY_4 | BACK,
                 [STATE_SENSE_REST] = 0xd0d0d0,
                 [STATE_SENSE_GONE] = GREY_3 | GRID },
               { [STATE_SENSE_WORKS] = 0xffffff,
                 [STATE_SENSE_COSTS] = GREY_4 | HATCH,
                 [STATE_SENSE_WAITS] = 0x525252 | DOTS,
                 [STATE_SENSE_TALKS] = GREY_3 | BACK,
                 [STATE_SENSE_REST] = 0x606060,
                 [STATE_SENSE_GONE] = 0xa8a8a8 | GRID } },
    .unborn = { 0xb8b8b8, 0x7c7c7c },
    .row = print_row,
    .marks = { { 0x101010, 0x101010 | HATCH, 0x101010 | DOTS, 0x101010 | CROSS, 0x101010 | BACK, 0x101010 | LINES,
                 0x282828 | GRID, 0x101010 | GRID },
               { 0xffffff | HATCH, 0x000000, 0xffffff | DOTS, 0xffffff | CROSS, 0xffffff | BACK, 0xffffff | LINES,
                 0xc8c8c8 | GRID, 0xffffff | GRID } },
    .gauge = { { GREY_1, GREY_5 }, { GREY_3, GREY_3 }, { 0xdedede, 0x585858 } },
    .bars = { GREY_2, GREY_4 },
    .one = { GREY_1, GREY_5 },
    .series = { { GREY_1, GREY_3 | HATCH, GREY_2 | DOTS, GREY_4 | CROSS, GREY_4, GREY_2 | BACK, GREY_3 | LINES,
                  GREY_1 | DOTS },
                { GREY_5, GREY_3 | HATCH, GREY_4 | DOTS, GREY_2 | CROSS, GREY_2, GREY_4 | BACK, GREY_3 | LINES,
                  GREY_5 | DOTS } },
    .shades = { { 0xf6f6f6, 0xd4d4d4, 0xa2a2a2, 0x666666, 0x222222 },
                { 0x26282c, 0x444444, 0x747474, 0xa8a8a8, 0xf0f0f0 } } },
  { .name = NULL },
};

const char *
view_palette_name (unsigned i, const char **title)
{
  if (i >= G_N_ELEMENTS (view_palettes) - 1)
    return NULL;
  if (title != NULL)
    *title = view_palettes[i].title;
  return view_palettes[i].name;
}
