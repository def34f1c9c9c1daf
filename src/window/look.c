/* SPDX-License-Identifier: Apache-2.0 */
/* Light or dark.  GTK 3 does not follow the colour scheme of the desktop, which is asked for here and listened to: of
 * the portal (org.freedesktop.appearance) where there is one, else of the setting that GNOME has.  A desktop that has
 * no preference leaves it to GTK, that is to the theme's name and to settings.ini. */
#include <gtk/gtk.h>
#include <string.h>
#include "window/app.h"

#define PORTAL "org.freedesktop.portal.Desktop"
#define NAMESPACE "org.freedesktop.appearance"
#define KEY "color-scheme"

typedef enum { SCHEME_NONE, SCHEME_DARK, SCHEME_LIGHT } Scheme; /* the numbers of the portal */

static Look chosen;
static GSettings *desktop; /* NULL: it is not GNOME's */
static bool portal_answers;
static Scheme portal_scheme;

static Scheme
preferred_scheme (void)
{
  if (chosen != LOOK_SYSTEM)
    return chosen == LOOK_DARK ? SCHEME_DARK : SCHEME_LIGHT;
  if (portal_answers)
    return portal_scheme;
  g_autofree char *scheme = desktop ? g_settings_get_string (desktop, KEY) : NULL;
  return !g_strcmp0 (scheme, "prefer-dark")    ? SCHEME_DARK
         : !g_strcmp0 (scheme, "prefer-light") ? SCHEME_LIGHT
                                               : SCHEME_NONE;
}

/* A dark theme is mostly light without the end of its name; what the desktop says of its theme meanwhile is heard again
 * afterwards. */
static void
choose_theme (GtkSettings *settings, bool light)
{
  static const char *const dark[] = { "-dark", "-Dark", "Inverse" };
  static char *own; /* the theme's name, while another stands in its place */
  g_auto (GValue) told = G_VALUE_INIT;
  g_autofree char *theme = NULL;

  g_object_get (settings, "gtk-theme-name", &theme, NULL);
  for (guint i = 0; light && theme && i < G_N_ELEMENTS (dark); ++i)
    if (g_str_has_suffix (theme, dark[i])) {
      g_free (own);
      own = g_strdup (theme);
      theme[strlen (theme) - strlen (dark[i])] = 0;
      g_object_set (settings, "gtk-theme-name", theme, NULL);
      return;
    }
  if (light || !own)
    return;
  g_value_init (&told, G_TYPE_STRING);
  if (gdk_screen_get_setting (gdk_screen_get_default (), "gtk-theme-name", &told))
    gtk_settings_reset_property (settings, "gtk-theme-name");
  else
    g_object_set (settings, "gtk-theme-name", own, NULL);
  g_clear_pointer (&own, g_free);
}

static void
look_apply (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  static int own = -1; /* of settings.ini */
  Scheme w = preferred_scheme ();
  gboolean dark;

  g_object_get (settings, "gtk-application-prefer-dark-theme", &dark, NULL);
  if (own < 0)
    own = dark;
  choose_theme (settings, w == SCHEME_LIGHT);
  bool be_dark = w == SCHEME_NONE ? own : w == SCHEME_DARK;
  if (be_dark != dark)
    g_object_set (settings, "gtk-application-prefer-dark-theme", be_dark, NULL);
}

/* ---- the portal ------------------------------------------------------------------------------------------------------------ */

static void
look_take (GVariant *value)
{
  g_autoptr (GVariant) inner = g_variant_ref (value);

  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT)) { /* Read() wraps twice */
    GVariant *next = g_variant_get_variant (inner);
    g_variant_unref (inner);
    inner = next;
  }
  portal_answers = g_variant_is_of_type (inner, G_VARIANT_TYPE_UINT32);
  guint32 n = portal_answers ? g_variant_get_uint32 (inner) : 0;
  portal_scheme = n == SCHEME_DARK || n == SCHEME_LIGHT ? (Scheme) n : SCHEME_NONE;
  look_apply ();
}

static void
look_on_read (GObject *bus, GAsyncResult *result, gpointer none)
{
  g_autoptr (GVariant) answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, NULL);
  g_autoptr (GVariant) value = answer ? g_variant_get_child_value (answer, 0) : NULL;

  if (value) /* else a portal that knows nothing of colours */
    look_take (value);
}

static void
look_on_changed (GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
                 GVariant *parameters, gpointer none)
{
  const char *namespace, *key;
  g_autoptr (GVariant) value = NULL;

  g_variant_get (parameters, "(&s&sv)", &namespace, &key, &value);
  if (g_str_equal (key, KEY))
    look_take (value);
}

static void
on_portal (GDBusConnection *bus, const char *name, const char *owner, gpointer none)
{
  g_dbus_connection_call (bus, PORTAL, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "Read",
                          g_variant_new ("(ss)", NAMESPACE, KEY), G_VARIANT_TYPE ("(v)"), G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, look_on_read, NULL);
}

static void
on_no_portal (GDBusConnection *bus, const char *name, gpointer none)
{
  if (!portal_answers)
    return;
  portal_answers = false;
  look_apply ();
}

/* ---- following ------------------------------------------------------------------------------------------------------------- */

static void
look_follow (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema)
      schema = source ? g_settings_schema_source_lookup (source, "org.gnome.desktop.interface", TRUE) : NULL;
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);

  if (schema && g_settings_schema_has_key (schema, KEY)) {
    desktop = g_settings_new ("org.gnome.desktop.interface");
    g_signal_connect_swapped (desktop, "changed::" KEY, G_CALLBACK (look_apply), NULL);
  }
  if (!bus)
    return;
  g_dbus_connection_signal_subscribe (bus, PORTAL, "org.freedesktop.portal.Settings", "SettingChanged", NULL, NAMESPACE,
                                      G_DBUS_SIGNAL_FLAGS_NONE, look_on_changed, NULL, NULL);
  g_bus_watch_name_on_connection (bus, PORTAL, G_BUS_NAME_WATCHER_FLAGS_AUTO_START, on_portal, on_no_portal, NULL,
                                  NULL);
}

void
look_choose (Look look)
{
  static bool following;

  chosen = look;
  if (!following)
    look_follow ();
  following = true;
  look_apply ();
}

/* By the font of all widgets, which what is painted follows too (text-size.c): so the desktop's own size counts as
 * well. */
void
look_choose_type (TypeSize size)
{
  static const double factors[] = { [TYPE_SMALL] = 0.87, [TYPE_USUAL] = 1, [TYPE_LARGE] = 1.25 };
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *name = NULL;

  gtk_settings_reset_property (settings, "gtk-font-name"); /* what the desktop asks for */
  if (size == TYPE_USUAL)
    return;
  g_object_get (settings, "gtk-font-name", &name, NULL);
  PangoFontDescription *font = pango_font_description_from_string (name ? name : "Sans 10");
  int wanted = pango_font_description_get_size (font);
  double scaled = (wanted > 0 ? wanted : 10 * PANGO_SCALE) * factors[size];
  if (pango_font_description_get_size_is_absolute (font))
    pango_font_description_set_absolute_size (font, scaled);
  else
    pango_font_description_set_size (font, (int) (scaled + 0.5));
  g_autofree char *other = pango_font_description_to_string (font);
  pango_font_description_free (font);
  g_object_set (settings, "gtk-font-name", other, NULL);
}
