/* SPDX-License-Identifier: Apache-2.0 */
/* speed.c - the menu of speeds: those on offer, the one that is chosen where it is none of these, and one's own. */
#include <math.h>
#include <string.h>
#include "time/time.h"
#include "eve/number.h"
#include "eve/words.h"

static const struct {
  const char *label, *target;
} offered[] = {
  { N_ ("As fast as possible"), "full" },
  { N_ ("1 event a second"), "events 1" },
  { N_ ("10 events a second"), "events 10" },
  { N_ ("100 events a second"), "events 100" },
  { N_ ("1,000 events a second"), "events 1000" },
  { N_ ("100,000 events a second"), "events 100000" },
  { N_ ("Real time"), "time 1" },
  { N_ ("1/10 of real time"), "time 0.1" },
  { N_ ("1/100 of real time"), "time 0.01" },
  { N_ ("1/1000 of real time"), "time 0.001" },
  { N_ ("10 times real time"), "time 10" },
};

typedef struct Speed {
  ScopeDocument *d;
  GMenu *own; /* the section of one's own */
  char *now;  /* what it was filled for */
  GtkWidget *entry, *why;
} Speed;

static char *
speed_number_text (double v)
{
  return v >= 1000 && v < 1e15 ? scope_number ((uint64_t) v) : number_local (g_strdup_printf ("%g", v));
}

char *
speed_label (ScopeDocument *d)
{
  double value;
  ScopeSpeed kind = scope_document_speed (d, &value);
  bool below = kind == SCOPE_SPEED_TIME && value < 1;
  g_autofree char *n = speed_number_text (below ? 1 / value : value);

  return kind == SCOPE_SPEED_FULL     ? g_strdup (_ ("full"))
         : kind == SCOPE_SPEED_EVENTS ? g_strdup_printf (_ ("%s events/s"), n)
         : below                      ? g_strdup_printf (_ ("1/%s of real time"), n)
                                      : g_strdup_printf (_ ("%s times real time"), n);
}

char *
speed_target (ScopeDocument *d)
{
  double value;
  ScopeSpeed kind = scope_document_speed (d, &value);
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  return kind == SCOPE_SPEED_FULL ? g_strdup ("full")
                                  : g_strconcat (kind == SCOPE_SPEED_EVENTS ? "events " : "time ",
                                                 g_ascii_formatd (digits, sizeof digits, "%g", value), NULL);
}

static void
speed_add (GMenu *menu, const char *label, const char *target)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.speed", "s", target);
  g_menu_append_item (menu, item);
}

/* What is chosen is ticked, also where it is none of those on offer. */
static void
fill_own (Speed *s)
{
  g_autofree char *target = speed_target (s->d), *label = speed_label (s->d);
  bool known = false;

  if (g_strcmp0 (s->now, target) == 0)
    return;
  g_free (s->now);
  s->now = g_strdup (target);
  for (guint i = 0; i < G_N_ELEMENTS (offered); ++i)
    known = known || g_str_equal (offered[i].target, target);
  g_menu_remove_all (s->own);
  if (!known)
    speed_add (s->own, label, target);
  g_menu_append (s->own, _ ("Another…"), "win.speed-own");
}

/* "250 events", "1/50", "0.02": the words of the action "speed"; g_free, NULL: it is no speed. */
static char *
understood (const char *text)
{
  g_autofree char *words = g_strdup (text);
  char *end, digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_strdelimit (g_strstrip (words), ",", '.');
  double value = g_ascii_strtod (words, &end);
  if (end == words)
    return NULL;
  if (*end == '/') {
    char *below = end + 1;
    value /= g_ascii_strtod (below, &end);
  }
  end = g_strchug (end);
  bool events = g_str_has_prefix (end, "ev");
  if (!isfinite (value) || value < 1e-12 || value > 1e12 || (*end && !events && *end != 'r' && strcmp (end, "×")))
    return NULL;
  return g_strconcat (events ? "events " : "time ", g_ascii_formatd (digits, sizeof digits, "%g", value), NULL);
}

static void
on_own (GtkEntry *entry, Speed *s)
{
  g_autofree char *target = understood (gtk_entry_get_text (entry));
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (entry));

  gtk_widget_set_visible (s->why, target == NULL);
  if (!target)
    return;
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (GTK_WIDGET (entry), GTK_TYPE_POPOVER)));
  g_action_group_activate_action (G_ACTION_GROUP (top), "speed", g_variant_new_string (target));
}

void
speed_ask (GtkWidget *button, GtkWidget *over)
{
  Speed *s = g_object_get_data (G_OBJECT (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (button))), "speed");
  GtkWidget *popover = gtk_popover_new (over), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *hint = gtk_label_new (_ ("250 events (a second), or times real time: 1/50, 20"));

  s->entry = gtk_entry_new ();
  s->why = gtk_label_new (_ ("That is no speed"));
  gtk_style_context_add_class (gtk_widget_get_style_context (hint), "dim-label");
  gtk_style_context_add_class (gtk_widget_get_style_context (s->why), "error");
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_label_set_xalign (GTK_LABEL (s->why), 0);
  g_object_set (box, "margin", 10, NULL);
  gtk_container_add (GTK_CONTAINER (box), s->entry);
  gtk_container_add (GTK_CONTAINER (box), hint);
  gtk_container_add (GTK_CONTAINER (box), s->why);
  gtk_container_add (GTK_CONTAINER (popover), box);
  gtk_widget_show_all (box);
  gtk_widget_hide (s->why);
  atk_object_set_name (gtk_widget_get_accessible (s->entry), _ ("Speed of one's own"));
  g_signal_connect (s->entry, "activate", G_CALLBACK (on_own), s);
  g_signal_connect_after (popover, "closed", G_CALLBACK (gtk_widget_destroy), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
  gtk_widget_grab_focus (s->entry);
}

static void
speed_free (gpointer speed)
{
  Speed *s = speed;

  g_signal_handlers_disconnect_by_data (s->d, s);
  g_object_unref (s->d);
  g_object_unref (s->own);
  g_free (s->now);
  g_free (s);
}

GMenu *
speed_menu (ScopeDocument *d)
{
  Speed *s = g_new0 (Speed, 1);
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) events = g_menu_new (), real = g_menu_new ();

  s->d = g_object_ref (d);
  s->own = g_menu_new ();
  for (guint i = 0; i < G_N_ELEMENTS (offered); ++i)
    speed_add (*offered[i].target == 'f'   ? menu
               : *offered[i].target == 'e' ? events
                                           : real,
               in_words (offered[i].label), offered[i].target);
  g_menu_append_section (menu, _ ("Events"), G_MENU_MODEL (events));
  g_menu_append_section (menu, _ ("Time"), G_MENU_MODEL (real));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (s->own));
  fill_own (s);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (fill_own), s);
  g_object_set_data_full (G_OBJECT (menu), "speed", s, speed_free);
  return menu;
}
