/* SPDX-License-Identifier: Apache-2.0 */
/* colours.c - colours by association: an attribute's value -> a colour, one table for all views
 * (thesis, 4.2.1).
 *
 * Built in are palettes, of which one holds (palettes.h); on dark paper a chosen colour is lightened
 * until it stands out against it by 3 to 1 (WCAG 2.1, 1.4.11).  What a person chose is kept in one file: a
 * group an attribute, a line a value; and the palette. */
#include "views/associations.h"
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "readers/reader.h"
#include "simulators/row.h"
#include "views/paint.h"
#include "views/palettes.h"
#include "eve/disk.h"

struct ViewColours {
  GKeyFile *chosen;
  const ViewPalette *palette;
  Associations *associations; /* NULL: none */
  GHashTable *declared;       /* name of a state -> 0xRRGGBB + 1; copies share it, and it does not change; NULL: none */
  char *view;                 /* that is drawn now; NULL: any */
};

/* In the file of what was chosen: a group that is no attribute. */
#define OWN_GROUP "scope"
#define OWN_PALETTE "palette"

static char *
file_name (void)
{
  return g_build_filename (g_get_user_config_dir (), "scope", "colours", NULL);
}

const ViewPalette *
view_palette_of (const ViewColours *c)
{
  return c != NULL ? c->palette : &view_palettes[0];
}

/* The one that the file names; the standard one where it names none that there is. */
static void
read_palette (ViewColours *c)
{
  g_autofree char *name = g_key_file_get_string (c->chosen, OWN_GROUP, OWN_PALETTE, NULL);

  c->palette = &view_palettes[0];
  for (const ViewPalette *p = view_palettes; name != NULL && p->name != NULL; p++)
    if (strcmp (p->name, name) == 0)
      c->palette = p;
}

unsigned
view_colours_palette (const ViewColours *c)
{
  return (unsigned) (view_palette_of (c) - view_palettes);
}

bool
view_colours_set_palette (ViewColours *c, const char *name)
{
  for (const ViewPalette *p = view_palettes; p->name != NULL; p++)
    if (strcmp (p->name, name) == 0) {
      g_key_file_set_string (c->chosen, OWN_GROUP, OWN_PALETTE, name);
      c->palette = p;
      return true;
    }
  return false;
}

ViewColours *
view_colours_load (void)
{
  ViewColours *c = g_new0 (ViewColours, 1);
  g_autofree char *path = file_name ();

  c->chosen = g_key_file_new ();
  disk_read_keys (c->chosen, path, G_KEY_FILE_KEEP_COMMENTS);
  read_palette (c);
  return c;
}

ViewColours *
view_colours_copy (const ViewColours *c)
{
  ViewColours *copy = g_new0 (ViewColours, 1);
  g_autofree char *data = g_key_file_to_data (c->chosen, NULL, NULL);

  copy->chosen = g_key_file_new ();
  g_key_file_load_from_data (copy->chosen, data, (gsize) -1, G_KEY_FILE_KEEP_COMMENTS, NULL);
  copy->palette = c->palette;
  if (c->associations != NULL)
    copy->associations = associations_copy (c->associations);
  if (c->declared != NULL)
    copy->declared = g_hash_table_ref (c->declared);
  return copy;
}

void
view_colours_free (ViewColours *c)
{
  if (c == NULL)
    return;
  g_key_file_unref (c->chosen);
  associations_free (c->associations);
  g_clear_pointer (&c->declared, g_hash_table_unref);
  g_free (c->view);
  g_free (c);
}

Associations *
view_colours_associations (ViewColours *c)
{
  if (c->associations == NULL)
    c->associations = associations_new ();
  return c->associations;
}

const Associations *
view_associations (const ViewColours *c)
{
  return c != NULL ? c->associations : NULL;
}

void
view_colours_of_view (const ViewColours *c, const char *view)
{
  if (c == NULL || c->associations == NULL)
    return;
  ViewColours *own = (ViewColours *) c; /* what it holds stays as it is */
  g_free (own->view);
  own->view = g_strdup (view);
}

bool
view_colours_save (const ViewColours *c, GError **error)
{
  g_autofree char *path = file_name (), *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0777);
  return g_key_file_save_to_file (c->chosen, path, error);
}

/* Keys of a key file hold no '=', brackets or blanks at their ends; values of a trace may. */
static char *
safe_key (const char *value)
{
  char *key = g_uri_escape_string (value, " ", TRUE);

  return key;
}

static uint32_t
of_row (const ViewPalette *p, uint8_t place, bool dark)
{
  return p->row != NULL ? state_row_of (p->row[dark], place) : state_row_colour (place, dark);
}

/* Any value has a colour of its own that stays: hue from its name, apart by the golden ratio; of a palette with a row
 * of its own one of these, as hues alone are not told apart by all eyes. */
static uint32_t
own_colour (const ViewColours *c, const char *attribute, const char *value, bool dark)
{
  uint32_t h = g_str_hash (value) * 2654435761u ^ g_str_hash (attribute) * 40503u, rgb = 0;
  const ViewPalette *p = view_palette_of (c);

  if (p->row != NULL)
    return of_row (p, (uint8_t) ((h >> 8) % STATE_PLACES + 1), dark);
  double hue = fmod ((h >> 8) * 0.618033988749895, 1), low = dark ? 0.50 : 0.36, high = dark ? 0.86 : 0.78;

  for (int i = 0; i < 3; i++) {
    double t = fmod (hue + (2 - i) / 3.0 + 1, 1);
    double ramp = t < 1 / 6.0 ? t * 6 : t < 0.5 ? 1 : t < 2 / 3.0 ? (2 / 3.0 - t) * 6 : 0;
    rgb |= (uint32_t) (255 * (low + (high - low) * ramp)) << 8 * i;
  }
  return rgb;
}

static uint32_t
lighten (uint32_t rgb)
{
  for (double share = 0; share < 1 && paint_lightness (rgb) < 0.50; share += 0.05)
    rgb = paint_mix (rgb, 0xffffff, 0.08);
  return rgb;
}

uint32_t
view_colour_on (uint32_t rgb, bool dark)
{
  return dark ? lighten (rgb) : rgb;
}

/* Lighter on dark paper, darker on light paper, until it stands out against it by 3 to 1: nobody has chosen it for this
 * paper.  Its hue stays. */
static uint32_t
colours_on_paper (uint32_t rgb, bool dark)
{
  for (int i = 0; i < 64 && !dark && paint_lightness (rgb) > 0.60; i++)
    rgb = paint_mix (rgb, 0x000000, 0.05);
  return view_colour_on (rgb, dark);
}

void
view_colours_declare (ViewColours *c, TraceSource *const *sources, uint32_t n)
{
  g_clear_pointer (&c->declared, g_hash_table_unref);
  for (uint32_t i = 0; i < n; i++) {
    GHashTableIter iter;
    gpointer name, rgb;
    if (sources[i]->colours == NULL)
      continue;
    if (c->declared == NULL)
      c->declared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_iter_init (&iter, sources[i]->colours);
    while (g_hash_table_iter_next (&iter, &name, &rgb))
      if (!g_hash_table_contains (c->declared, name))
        g_hash_table_insert (c->declared, g_strdup (name), rgb);
  }
}

static bool
declared_colour (const ViewColours *c, const char *value, bool dark, uint32_t *rgb)
{
  gpointer found = c != NULL && c->declared != NULL && c->palette->declared ? g_hash_table_lookup (c->declared, value)
                                                                            : NULL;

  if (found != NULL)
    *rgb = colours_on_paper (GPOINTER_TO_UINT (found) - 1, dark);
  return found != NULL;
}

/* A rule for values of that attribute. */
static bool
associated_colour (const ViewColours *c, LookKind kind, const char *attribute, const char *value, bool dark,
                   uint32_t *rgb)
{
  LookValue look;

  if (c == NULL || c->associations == NULL
      || !associations_look (c->associations, kind, attribute, LOOK_COLOUR, c->view, value, NAN, &look))
    return false;
  *rgb = view_colour_on (look.rgb, dark);
  return true;
}

bool
view_chosen_colour (const ViewColours *c, const char *attribute, const char *value, bool dark, uint32_t *rgb)
{
  g_autofree char *text = NULL, *key = NULL;
  unsigned chosen;

  if (c == NULL || !g_key_file_has_group (c->chosen, attribute))
    return false;
  key = safe_key (value);
  text = g_key_file_get_string (c->chosen, attribute, key, NULL);
  if (text == NULL || sscanf (text, "#%6x", &chosen) != 1)
    return false;
  *rgb = view_colour_on (chosen & 0xffffff, dark);
  return true;
}

uint32_t
view_state_colour (const ViewColours *c, StateScope scope, const char *attribute, const StateValue *value, bool dark)
{
  uint32_t rgb;

  if (view_chosen_colour (c, attribute, value->name, dark, &rgb)
      || associated_colour (c, scope == STATE_EDGE ? LOOK_LINK : LOOK_TASK, attribute, value->name, dark, &rgb)
      || (scope == STATE_NODE
          && (associated_colour (c, LOOK_REGION, "name", value->name, dark, &rgb)
              || declared_colour (c, value->name, dark, &rgb))))
    return rgb;
  const ViewPalette *p = view_palette_of (c);
  if (value->colour > 0)
    return of_row (p, value->colour, dark);
  if (value->sense == STATE_SENSE_NONE || value->sense >= G_N_ELEMENTS (p->sense[0]))
    return own_colour (c, attribute, value->name, dark);
  return value->unborn ? p->unborn[dark] : p->sense[dark][value->sense];
}

/* A person's choice, or a rule for whatever kind of object. */
static bool
told_colour (const ViewColours *c, const char *attribute, const char *value, bool dark, uint32_t *rgb)
{
  bool told = view_chosen_colour (c, attribute, value, dark, rgb);

  for (int kind = 0; !told && kind < LOOK_KINDS; kind++)
    told = associated_colour (c, (LookKind) kind, attribute, value, dark, rgb);
  return told
         || (strcmp (attribute, LOOKS_OF_SERIES) == 0 && associated_colour (c, LOOK_SERIES, "name", value, dark, rgb));
}

uint32_t
view_colour_placed (const ViewColours *c, const char *attribute, const char *value, bool dark, uint32_t place)
{
  uint32_t rgb;

  return told_colour (c, attribute, value, dark, &rgb)
             ? rgb
             : of_row (view_palette_of (c), (uint8_t) (place % STATE_PLACES + 1), dark);
}

uint32_t
view_colour_mark (const ViewColours *c, const char *attribute, const char *value, bool dark, uint32_t place)
{
  uint32_t rgb;

  return told_colour (c, attribute, value, dark, &rgb) ? rgb : view_palette_of (c)->marks[dark][place % PALETTE_MARKS];
}

uint32_t
view_colour (const ViewColours *c, const char *attribute, const char *value, bool dark)
{
  static const char *const sections[] = { "Minimum", "Current", "Maximum" };
  uint32_t rgb;

  if (told_colour (c, attribute, value, dark, &rgb))
    return rgb;
  if (strcmp (attribute, "Gauge") == 0)
    for (size_t i = 0; i < G_N_ELEMENTS (sections); i++)
      if (strcmp (sections[i], value) == 0)
        return view_palette_of (c)->gauge[i][dark];
  if (strcmp (attribute, "Histogram") == 0 && strcmp (value, "Bars") == 0)
    return view_palette_of (c)->bars[dark];
  return own_colour (c, attribute, value, dark);
}

void
view_colours_set (ViewColours *c, const char *attribute, const char *value, uint32_t rgb)
{
  g_autofree char *text = g_strdup_printf ("#%06x", rgb & 0xffffff), *key = safe_key (value);

  g_key_file_set_string (c->chosen, attribute, key, text);
}

void
view_colours_reset (ViewColours *c, const char *attribute, const char *value)
{
  g_autofree char *key = value != NULL ? safe_key (value) : NULL;
  gsize n = 0;

  if (key != NULL) {
    g_key_file_remove_key (c->chosen, attribute, key, NULL);
    return;
  }
  g_auto (GStrv) groups = g_key_file_get_groups (c->chosen, &n);
  for (gsize i = 0; i < n; i++)
    if (strcmp (groups[i], OWN_GROUP) != 0 && (attribute == NULL || strcmp (attribute, groups[i]) == 0))
      g_key_file_remove_group (c->chosen, groups[i], NULL);
}

void
view_colours_each_chosen (const ViewColours *c, const char *attribute, void (*each) (void *arg, const char *value),
                          void *arg)
{
  gsize n = 0;
  g_auto (GStrv) keys = g_key_file_get_keys (c->chosen, attribute, &n, NULL);

  for (gsize i = 0; keys != NULL && i < n; i++) {
    g_autofree char *value = g_uri_unescape_string (keys[i], NULL);
    if (value != NULL)
      each (arg, value);
  }
}
