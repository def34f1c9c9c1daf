/* SPDX-License-Identifier: Apache-2.0 */
/* palettes-test.c - how far colours are apart that stand together, in each palette, on both papers and for all eyes;
 * and that a name keeps its place in the row of colours. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "readers/reader.h"
#include "simulators/store.h"
#include "views/palettes.h"

static ViewColours *
colours_of (const char *palette)
{
  ViewColours *c = view_colours_load ();

  g_assert_true (view_colours_set_palette (c, palette));
  return c;
}

/* OKLab (Ottosson 2020): equal distances look alike. */
static void
oklab (uint32_t rgb, const double sight[3][3], double lab[3])
{
  static const double to_cone[3][3] = { { 0.4122214708, 0.5363325363, 0.0514459929 },
                                        { 0.2119034982, 0.6806995451, 0.1073969566 },
                                        { 0.0883024619, 0.2817188376, 0.6299787005 } };
  static const double from_cone[3][3] = { { 0.2104542553, 0.7936177850, -0.0040720468 },
                                          { 1.9779984951, -2.4285922050, 0.4505937099 },
                                          { 0.0259040371, 0.7827717662, -0.8086757660 } };
  double seen[3], linear[3], cone[3];

  for (int i = 0; i < 3; i++) {
    double c = (rgb >> (16 - 8 * i) & 255) / 255.0;
    seen[i] = c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
  }
  for (int i = 0; i < 3; i++)
    linear[i] = CLAMP (sight[i][0] * seen[0] + sight[i][1] * seen[1] + sight[i][2] * seen[2], 0, 1);
  for (int i = 0; i < 3; i++)
    cone[i] = cbrt (to_cone[i][0] * linear[0] + to_cone[i][1] * linear[1] + to_cone[i][2] * linear[2]);
  for (int i = 0; i < 3; i++)
    lab[i] = from_cone[i][0] * cone[0] + from_cone[i][1] * cone[1] + from_cone[i][2] * cone[2];
}

/* What normal, protan, deutan and tritan eyes make of red, green and blue (Machado, Oliveira and Fernandes 2009). */
static const double sights[4][3][3] = {
  { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
  { { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
  { { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
  { { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.303900 } },
};

static double
distance (int sight, uint32_t a, uint32_t b)
{
  double p[3], q[3];

  oklab (a, sights[sight], p);
  oklab (b, sights[sight], q);
  return sqrt ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static double
oklab_lightness (uint32_t rgb)
{
  double lab[3];

  oklab (rgb, sights[0], lab);
  return lab[0];
}

static bool
is_grey (uint32_t rgb)
{
  return (rgb & 255) == (rgb >> 8 & 255) && (rgb & 255) == (rgb >> 16 & 255);
}

/* What has another pattern is another thing, whatever its grey. */
static double
apart_for (int sight, uint32_t a, uint32_t b)
{
  return VIEW_PATTERN (a) != VIEW_PATTERN (b) ? 1 : distance (sight, VIEW_PLAIN (a), VIEW_PLAIN (b));
}

/* How far apart things must be at least, in OKLab: senses of states from each other; of the row of names the first
 * eight, the first sixteen, all; names from what works and from what is over.  First for normal eyes, then for those
 * that lack a kind of cone. */
static const struct Bounds {
  const char *palette;
  double senses[2], eight[2], sixteen[2], all[2], from_senses[2], lightest, darkest, chroma;
} bounds[] = {
#define OF_STANDARD { 0.11, 0 }, { 0.15, 0.1 }, { 0.11, 0.06 }, { 0.089, 0.04 }, { 0.1, 0 }, 0.87, 0.45, 0.17
  { "standard", OF_STANDARD },
  { "scope", OF_STANDARD },
  { "colour-blind",
    { 0.12, 0.1 },
    { 0.14, 0.12 },
    { 0.115, 0.08 },
    { 0.085, 0.055 },
    { 0.1, 0.065 },
    0.96,
    0.32,
    0.21 },
  { "print", { 0.1, 0.1 }, { 0.1, 0.1 }, { 0.1, 0.1 }, { 0.1, 0.1 }, { 0.08, 0.08 }, 0.93, 0.38, 1e-3 },
};

/* What stands together in a legend can be told apart on both papers: the senses of states from each other, names from
 * names, from what works and from what is over. */
static void
test_apart (void)
{
  const char *name;
  unsigned n = 0;

  for (; (name = view_palette_name (n, NULL)) != NULL; n++) {
    const struct Bounds *b = &bounds[n];
    g_assert_cmpstr (b->palette, ==, name); /* each palette has bounds */
    ViewColours *c = colours_of (name);
    for (int dark = 0; dark < 2; dark++)
      for (int sight = 0; sight < 4; sight++) {
        int eyes = sight > 0;
        uint32_t sense[STATE_SENSE_GONE + 1], of_name[STATE_COLOURS];
        for (int k = STATE_SENSE_WORKS; k <= STATE_SENSE_GONE; k++)
          sense[k] = view_state_colour (c, STATE_NODE, "State", &(StateValue){ "x", (StateSense) k }, dark);
        for (uint8_t k = 0; k < STATE_COLOURS; k++)
          of_name[k] = view_state_colour (c, STATE_NODE, "State",
                                          &(StateValue){ "x", STATE_SENSE_NONE, (uint8_t) (k + 1) }, dark);
        for (int k = STATE_SENSE_WORKS; k <= STATE_SENSE_GONE; k++)
          for (int l = STATE_SENSE_WORKS; l < k; l++)
            g_assert_cmpfloat (apart_for (sight, sense[k], sense[l]), >, b->senses[eyes]);
        /* what is not there yet is neither what is over nor what rests */
        uint32_t unborn = view_state_colour (c, STATE_NODE, "State",
                                             &(StateValue){ "x", STATE_SENSE_GONE, .unborn = true }, dark);
        g_assert_cmpfloat (apart_for (0, unborn, sense[STATE_SENSE_GONE]), >, 0.1);
        g_assert_cmpfloat (apart_for (0, unborn, sense[STATE_SENSE_REST]), >, 0.07);
        for (int k = 0; k < STATE_COLOURS; k++) {
          const double *least = k < 8 ? b->eight : k < 16 ? b->sixteen : b->all;
          for (int l = 0; l < k; l++)
            g_assert_cmpfloat (apart_for (sight, of_name[k], of_name[l]), >, least[eyes]);
          g_assert_cmpfloat (apart_for (sight, of_name[k], sense[STATE_SENSE_WORKS]), >, b->from_senses[eyes]);
          g_assert_cmpfloat (apart_for (sight, of_name[k], sense[STATE_SENSE_GONE]), >, b->from_senses[eyes]);
        }
      }
    view_colours_free (c);
  }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (bounds));
}

/* None nearly black, none that shouts; the same ones paler and deeper are others; all stand out of the paper. */
static void
test_each (void)
{
  for (size_t n = 0; n < G_N_ELEMENTS (bounds); n++) {
    const struct Bounds *b = &bounds[n];
    ViewColours *c = colours_of (b->palette);
    for (int dark = 0; dark < 2; dark++)
      for (uint8_t k = 0; k < STATE_COLOURS; k++) {
        double lab[3];
        uint32_t rgb = view_colour_placed (c, "State", "x", dark, k), paper = dark ? 0x1e1f22 : 0xffffff;
        oklab (VIEW_PLAIN (rgb), sights[0], lab);
        g_assert_cmpfloat (lab[0], >, b->darkest);
        g_assert_cmpfloat (lab[0], <, b->lightest);
        g_assert_cmpfloat (hypot (lab[1], lab[2]), <, b->chroma);
        g_assert_cmpfloat (distance (0, VIEW_PLAIN (rgb), paper), >, 0.19);
        for (uint32_t turn = 1; turn < STATE_PLACES / STATE_COLOURS; turn++)
          g_assert_cmpfloat (apart_for (0, rgb, view_colour_placed (c, "State", "x", dark, k + turn * STATE_COLOURS)),
                             >, 0.02);
      }
    view_colours_free (c);
  }
}

/* A mark over states is none of them: for normal eyes further from each than they are from each other, and from each
 * other mark. */
static void
test_marks (void)
{
  static const double least[][2][2] = { { { 0.14, 0.14 }, { 0.018, 0.03 } },
                                        { { 0.14, 0.14 }, { 0.018, 0.03 } },
                                        { { 0.06, 0.1 }, { 0.05, 0.06 } },
                                        { { 0.07, 0.08 }, { 0.07, 0.08 } } };

  for (size_t n = 0; n < G_N_ELEMENTS (bounds); n++) {
    ViewColours *c = colours_of (bounds[n].palette);
    for (int dark = 0; dark < 2; dark++)
      for (int sight = 0; sight < 4; sight++)
        for (uint32_t k = 0; k < PALETTE_MARKS; k++) {
          const double *bound = least[n][sight > 0];
          uint32_t mark = view_colour_mark (c, "Wait", "x", dark, k);
          for (uint8_t l = 0; l < STATE_COLOURS; l++)
            g_assert_cmpfloat (apart_for (sight, mark, view_colour_placed (c, "State", "x", dark, l)), >, bound[0]);
          for (int l = STATE_SENSE_WORKS; l <= STATE_SENSE_GONE; l++)
            g_assert_cmpfloat (
                apart_for (sight, mark,
                           view_state_colour (c, STATE_NODE, "State", &(StateValue){ "x", (StateSense) l }, dark)),
                >, bound[0]);
          for (uint32_t l = 0; l < k; l++)
            g_assert_cmpfloat (apart_for (sight, mark, view_colour_mark (c, "Wait", "x", dark, l)), >, bound[1]);
          g_assert_cmpfloat (distance (0, VIEW_PLAIN (mark), dark ? 0x1e1f22 : 0xffffff), >, 0.19);
          g_assert_true (!view_palettes[n].grey || is_grey (mark));
        }
    view_colours_free (c);
  }
}

/* Those for print have no hue in anything, and a few series are told apart in each palette. */
static void
test_charts (void)
{
  for (const ViewPalette *p = view_palettes; p->name != NULL; p++)
    for (int dark = 0; dark < 2; dark++) {
      for (int k = 0; k < PALETTE_SERIES; k++)
        for (int l = 0; l < k; l++)
          for (int sight = 0; sight < 4; sight++)
            g_assert_cmpfloat (apart_for (sight, p->series[dark][k], p->series[dark][l]), >,
                               p->row == NULL ? 0.02 : 0.1);
      for (int k = 1; k < PALETTE_STOPS; k++) /* more is always darker on light paper, lighter on dark */
        g_assert_true ((oklab_lightness (p->shades[dark][k]) > oklab_lightness (p->shades[dark][k - 1]))
                       == (dark != 0));
      const uint32_t few[] = { p->gauge[0][dark], p->gauge[1][dark], p->gauge[2][dark] };
      for (int k = 0; k < 3; k++)
        g_assert_cmpfloat (distance (0, few[k], few[(k + 1) % 3]), >, 0.1);
      for (int k = 0; p->grey && k < 3; k++)
        g_assert_true (is_grey (few[k]));
      for (int k = 0; p->grey && k < PALETTE_SERIES; k++)
        g_assert_true (is_grey (p->series[dark][k]));
      g_assert_true (!p->grey || (is_grey (p->one[dark]) && is_grey (p->bars[dark])));
    }
}

static double
luminance (uint32_t rgb)
{
  static const double weight[] = { 0.0722, 0.7152, 0.2126 };
  double y = 0;

  for (int i = 0; i < 3; i++) {
    double c = (rgb >> 8 * i & 255) / 255.0;
    y += weight[i] * (c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4));
  }
  return y;
}

/* WCAG 2.1: from 1, for what is alike, to 21. */
static double
contrast (uint32_t a, uint32_t b)
{
  double x = luminance (a) + 0.05, y = luminance (b) + 0.05;

  return x > y ? x / y : y / x;
}

/* Colours that a trace declares stand out against either paper whatever they are, are themselves where they do, and
 * keep their hue where not; of two traces the first counts; a person's choice goes before; other palettes have none. */
static void
test_declared (void)
{
  static const uint32_t paper[] = { 0xffffff, 0x1e1f22 };
  TraceSource first = { .nicknames = NULL }, second = { .nicknames = NULL }, alike = { .nicknames = NULL };
  TraceSource *both[] = { &first, &second };
  ViewColours *c = colours_of ("standard");
  int kept = 0;

  for (uint32_t i = 0; i < 4096; i++) {
    g_autofree char *name = g_strdup_printf ("state %u", i);
    trace_source_set_colour (i % 3 ? &first : &second, name,
                             (i >> 8) * 0x110000 | (i >> 4 & 15) * 0x1100 | (i & 15) * 0x11);
    trace_source_set_colour (&second, name, 0x00ff00);
    trace_source_set_colour (&alike, name, 0x808080);
  }
  trace_source_judge_colours (&first);
  trace_source_judge_colours (&alike); /* all are one: nobody has declared any */
  g_assert_null (alike.colours);
  view_colours_declare (c, both, 2);
  ViewColours *copy = view_colours_copy (c);
  for (uint32_t i = 0; i < 4096; i++) {
    g_autofree char *name = g_strdup_printf ("state %u", i);
    uint32_t own = (i >> 8) * 0x110000 | (i >> 4 & 15) * 0x1100 | (i & 15) * 0x11;
    for (int dark = 0; dark < 2; dark++) {
      uint32_t got = view_state_colour (copy, STATE_NODE, "State", &(StateValue){ name, STATE_SENSE_WORKS, 3 }, dark);
      g_assert_cmpfloat (contrast (got, paper[dark]), >, 2.98);
      if (contrast (own, paper[dark]) > 3.7) {
        g_assert_cmphex (got, ==, own);
        kept++;
      }
      for (int a = 0; a < 24; a += 8) /* what is more of a part than of another stays so */
        for (int b = 0; b < 24; b += 8)
          g_assert_true ((own >> a & 255) <= (own >> b & 255) || (got >> a & 255) >= (got >> b & 255));
    }
  }
  g_assert_cmpint (kept, >, 2000);
  const StateValue one = { "state 15", STATE_SENSE_WORKS, 3 };
  view_colours_set (c, "State", "state 15", 0x123456);
  g_assert_cmphex (view_state_colour (c, STATE_NODE, "State", &one, false), ==, 0x123456);
  for (unsigned n = 1; view_palette_name (n, NULL) != NULL; n++) {
    ViewColours *none = colours_of (view_palette_name (n, NULL));
    g_assert_true (view_colours_set_palette (copy, view_palette_name (n, NULL)));
    g_assert_cmphex (view_state_colour (copy, STATE_NODE, "State", &one, true), ==,
                     view_state_colour (none, STATE_NODE, "State", &one, true));
    view_colours_free (none);
  }
  view_colours_free (copy);
  view_colours_free (c);
  g_clear_pointer (&first.colours, g_hash_table_unref);
  g_clear_pointer (&second.colours, g_hash_table_unref);
}

/* What holds is kept with what was chosen, and neither takes the other away. */
static void
test_kept (void)
{
  g_autoptr (GError) error = NULL;
  ViewColours *c = view_colours_load ();

  g_assert_cmpuint (view_colours_palette (c), ==, 0);
  g_assert_false (view_colours_set_palette (c, "pastel"));
  g_assert_true (view_colours_set_palette (c, "print"));
  view_colours_set (c, "State", "Busy", 0x123456);
  g_assert_true (view_colours_save (c, &error));
  view_colours_free (c);
  c = view_colours_load ();
  const StateValue busy = { "Busy", STATE_SENSE_WORKS };
  g_assert_cmpstr (view_palette_name (view_colours_palette (c), NULL), ==, "print");
  g_assert_cmphex (view_state_colour (c, STATE_NODE, "State", &busy, false), ==, 0x123456);
  view_colours_reset (c, NULL, NULL);
  g_assert_cmpstr (view_palette_name (view_colours_palette (c), NULL), ==, "print");
  g_assert_true (is_grey (view_state_colour (c, STATE_NODE, "State", &busy, false)));
  ViewColours *copy = view_colours_copy (c);
  g_assert_cmpuint (view_colours_palette (copy), ==, view_colours_palette (c));
  view_colours_free (copy);
  g_assert_true (view_colours_set_palette (c, "standard"));
  g_assert_true (view_colours_save (c, &error));
  view_colours_free (c);
}

/* A name keeps its colour whatever comes after it, and has the same in all traces that are open; names that come in the
 * same order have the same ones again; up to eight names are as far apart as the eight colours that are farthest, up to
 * sixteen as the next; names of another attribute do not count. */
static void
test_names (void)
{
  ViewColours *palette[] = { colours_of ("standard"), colours_of ("scope"), colours_of ("colour-blind"),
                             colours_of ("print") };
  GRand *r = g_rand_new_with_seed (5);
  int few = 0, same = 0;

  for (int round = 0; round < 60; round++) {
    int n = g_rand_int_range (r, 1, (const int[]){ 9, 101, 17 }[round % 3]);
    StateValue value[101];
    for (int k = 0; k < n; k++) {
      char *name = g_strdup_printf ("name%d", g_rand_int_range (r, 0, 1000000));
      value[k] = (StateValue){ name, STATE_SENSE_NONE, store_name_come ("State", name) };
    }
    for (int k = 0; k < n; k++)
      g_assert_cmpuint (store_name_come ("State", value[k].name), ==, value[k].colour); /* of another trace */
    for (int k = n - 1; k >= 0; k--) {
      bool as_well = store_name_come ("Phase", value[k].name) == value[k].colour;
      same += n <= 8 && as_well;
      few += n <= 8;
      for (int l = 0; l < k; l++)
        if (n <= STATE_PLACES && strcmp (value[k].name, value[l].name) != 0)
          g_assert_cmpuint (value[k].colour, !=, value[l].colour);
      for (int l = 0; n <= 16 && l < k; l++)
        for (size_t p = 0; p < G_N_ELEMENTS (palette); p++)
          for (int dark = 0; dark < 2; dark++)
            for (int sight = 0; sight < 4; sight++)
              g_assert_cmpfloat (apart_for (sight, view_state_colour (palette[p], STATE_NODE, "State", &value[k], dark),
                                            view_state_colour (palette[p], STATE_NODE, "State", &value[l], dark)),
                                 >, n <= 8 ? bounds[p].eight[sight > 0] : bounds[p].sixteen[sight > 0]);
    }
    for (int k = 0; k < n; k++) {
      store_name_gone ("State", value[k].name);
      store_name_gone ("State", value[k].name);
      store_name_gone ("Phase", value[k].name);
    }
    for (int k = 0; k < n; k++)
      g_assert_cmpuint (store_name_come ("State", value[k].name), ==, value[k].colour);
    for (int k = 0; k < n; k++) {
      store_name_gone ("State", value[k].name);
      g_free ((char *) value[k].name);
    }
  }
  g_assert_cmpint (3 * same, >, few); /* even the other way round many of few have what they have in this one */
  g_rand_free (r);
  for (size_t p = 0; p < G_N_ELEMENTS (palette); p++)
    view_colours_free (palette[p]);
}

/* Names have in another process the places that they have here, in whatever order they come there; others keep clear of
 * those.  Here that process is this one, once nobody uses the names any more. */
static void
test_names_given (void)
{
  const char *some[] = {
    "MPI_Send", "Running", "a\tb\nc", "\\", "main", "MPI_Bcast", "Idle", "work", "MPI_Recv", "I/O"
  };
  uint8_t place[G_N_ELEMENTS (some)], alone[G_N_ELEMENTS (some)];
  uint32_t others = 0;

  for (int k = 0; k < 20; k++) { /* what is open besides */
    g_autofree char *name = g_strdup_printf ("other%d", k);
    store_name_come ("Given", name);
  }
  for (size_t k = 0; k < G_N_ELEMENTS (some); k++)
    place[k] = store_name_come ("Given", some[k]);
  g_autofree char *told = store_names_tell ();
  for (size_t k = 0; k < G_N_ELEMENTS (some); k++)
    store_name_gone ("Given", some[k]);
  for (int k = 0; k < 20; k++) {
    g_autofree char *name = g_strdup_printf ("other%d", k);
    store_name_gone ("Given", name);
  }
  for (size_t k = 0; k < G_N_ELEMENTS (some); k++)
    alone[k] = store_name_come ("Given", some[k]);
  g_assert_cmpint (memcmp (place, alone, sizeof place), !=, 0);
  for (size_t k = 0; k < G_N_ELEMENTS (some); k++)
    store_name_gone ("Given", some[k]);

  g_assert_cmpuint (store_names_give (told), ==, 0);
  for (int k = 0; k < 20; k++) { /* who is met first, and was not there */
    g_autofree char *name = g_strdup_printf ("new%d", k);
    uint8_t own = store_name_come ("Given", name);
    for (size_t l = 0; l < G_N_ELEMENTS (some); l++)
      others += own == place[l];
  }
  g_assert_cmpuint (others, ==, 0);
  for (size_t k = G_N_ELEMENTS (some); k-- > 0;)
    g_assert_cmpuint (store_name_come ("Given", some[k]), ==, place[k]);
  g_assert_cmpuint (store_names_give (""), ==, 0);
  g_assert_cmpuint (store_names_give ("3\tA\tone\n73\tA\tother\n"), ==, 2);
  g_assert_cmpuint (store_names_give ("3\tA\tone\n4\tA\ttwo\nx\tA\tother"), ==, 3);
  g_assert_cmpuint (store_names_give ("3 A one"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("scope-palettes-XXXXXX", NULL); /* not the person's own choice */

  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/palettes/apart", test_apart);
  g_test_add_func ("/palettes/each", test_each);
  g_test_add_func ("/palettes/marks", test_marks);
  g_test_add_func ("/palettes/charts", test_charts);
  g_test_add_func ("/palettes/declared", test_declared);
  g_test_add_func ("/palettes/kept", test_kept);
  g_test_add_func ("/palettes/names", test_names);
  g_test_add_func ("/palettes/names-given", test_names_given);
  int status = g_test_run ();
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", home);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? status : 1;
}
