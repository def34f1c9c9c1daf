/* SPDX-License-Identifier: Apache-2.0 */
/* dress.c - style sheets, and icons as large as the text beside them. */
#include <math.h>
#include "document/document.h"
#include "window/app.h"

#define ICON_PX 16 /* of a button or a menu, at the usual size of text */
#define OURS "scope-icon"

static void
add_sheet (const char *name, guint priority, bool shown)
{
  static GHashTable *sheets; /* by name; for ever */
  GtkCssProvider *sheet = sheets ? g_hash_table_lookup (sheets, name) : NULL;
  g_autofree char *path = g_strconcat ("/org/scope_trace/Scope/", name, NULL);
  GdkScreen *screen = gdk_screen_get_default ();

  if (!sheet && !shown)
    return;
  if (!sheets)
    sheets = g_hash_table_new (g_str_hash, g_str_equal);
  if (!sheet) {
    sheet = gtk_css_provider_new ();
    gtk_css_provider_load_from_resource (sheet, path);
    g_hash_table_insert (sheets, (char *) name, sheet);
  }
  gtk_style_context_remove_provider_for_screen (screen, GTK_STYLE_PROVIDER (sheet));
  if (shown)
    gtk_style_context_add_provider_for_screen (screen, GTK_STYLE_PROVIDER (sheet), priority);
}

static void
on_theme (void)
{
  g_autofree char *theme = NULL;

  g_object_get (gtk_settings_get_default (), "gtk-theme-name", &theme, NULL);
  add_sheet ("flat.css", GTK_STYLE_PROVIDER_PRIORITY_APPLICATION - 1, theme && g_str_has_prefix (theme, "Adwaita"));
}

/* ---- icons --------------------------------------------------------------------------------------------------------------- */

/* GTK 3 has one size of icons for all sizes of text. */
static void
size_icon (GtkWidget *w)
{
  GtkImage *image = GTK_IMAGE (w);
  bool ours = g_object_get_data (G_OBJECT (w), OURS) != NULL;
  GtkIconSize size;
  int px = (int) lround (ICON_PX * scope_text_scale ()), now = gtk_image_get_pixel_size (image);

  g_object_get (w, "icon-size", &size, NULL);
  if ((!ours && now != -1)
      || (size != GTK_ICON_SIZE_MENU && size != GTK_ICON_SIZE_BUTTON && size != GTK_ICON_SIZE_SMALL_TOOLBAR))
    return;
  int wanted = px == ICON_PX ? -1 : px;
  if (wanted == now)
    return;
  g_object_set_data (G_OBJECT (w), OURS, image);
  gtk_image_set_pixel_size (image, wanted);
}

static void
size_below (GtkWidget *w, gpointer none)
{
  if (GTK_IS_IMAGE (w))
    size_icon (w);
  if (GTK_IS_CONTAINER (w))
    gtk_container_forall (GTK_CONTAINER (w), size_below, NULL);
}

static gboolean
on_parent (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer none)
{
  GtkWidget *w = g_value_get_object (values);

  if (GTK_IS_IMAGE (w) && gtk_widget_get_parent (w))
    size_icon (w);
  return TRUE;
}

/* Later: the font of all widgets is being changed. */
static gboolean
size_all (gpointer none)
{
  GList *windows = gtk_window_list_toplevels ();

  for (GList *l = windows; l; l = l->next)
    size_below (l->data, NULL);
  g_list_free (windows);
  return G_SOURCE_REMOVE;
}

static void
on_text (void)
{
  g_idle_add (size_all, NULL);
}

void
dress_windows (void)
{
  GtkSettings *settings = gtk_settings_get_default ();

  add_sheet ("style.css", GTK_STYLE_PROVIDER_PRIORITY_APPLICATION, true);
  on_theme ();
  g_signal_connect (settings, "notify::gtk-theme-name", on_theme, NULL);
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET)); /* its signals are known from then on */
  g_signal_add_emission_hook (g_signal_lookup ("parent-set", GTK_TYPE_WIDGET), 0, on_parent, NULL, NULL);
  g_signal_connect (settings, "notify::gtk-font-name", on_text, NULL);
  g_signal_connect (settings, "notify::gtk-xft-dpi", on_text, NULL);
  g_signal_connect (gdk_screen_get_default (), "notify::resolution", on_text, NULL);
}
