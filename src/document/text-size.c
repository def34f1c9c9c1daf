/* SPDX-License-Identifier: Apache-2.0 */
/* text-size.c - how large the desktop wants text: what is painted (views, canvas, ruler) follows it as the frame does.
 */
#include "document/document.h"

#define USUAL_PX (10 * 96 / 72.0) /* a font of 10 points on a display of 96 dots an inch */

static double scale; /* 0: to be asked for */

static void
text_size_forget (void)
{
  scale = 0;
}

/* Whoever is told that it is another must not find the old one. */
static void
text_size_listen (void)
{
  static bool listening;

  if (listening)
    return;
  listening = true;
  g_signal_connect (gtk_settings_get_default (), "notify::gtk-font-name", G_CALLBACK (text_size_forget), NULL);
  g_signal_connect (gtk_settings_get_default (), "notify::gtk-xft-dpi", G_CALLBACK (text_size_forget), NULL);
  g_signal_connect (gdk_screen_get_default (), "notify::resolution", G_CALLBACK (text_size_forget), NULL);
}

double
scope_text_scale (void)
{
  g_autofree char *name = NULL;

  if (scale > 0)
    return scale;
  text_size_listen ();
  double dpi = gdk_screen_get_resolution (gdk_screen_get_default ()); /* with GDK_DPI_SCALE and gtk-xft-dpi in it */
  g_object_get (gtk_settings_get_default (), "gtk-font-name", &name, NULL);
  PangoFontDescription *font = pango_font_description_from_string (name ? name : "Sans 10");
  double size = pango_font_description_get_size (font) / (double) PANGO_SCALE;
  bool absolute = pango_font_description_get_size_is_absolute (font);
  pango_font_description_free (font);
  double points = size > 0 ? size : 10;
  scale = CLAMP ((absolute ? points : points * (dpi > 0 ? dpi : 96) / 72) / USUAL_PX, 0.5, 4);
  return scale;
}
