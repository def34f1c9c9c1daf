/* SPDX-License-Identifier: Apache-2.0 */
/* strip.c - the program in one line, while nobody edits it: its boxes from left to right, as on the canvas, so that the
 * views have the room.  A click selects a box, two show it on the canvas. */
#include <string.h>
#include "document/program-drawing.h"
#include "editor/paint.h"
#include "eve/words.h"
#include "panes/panes.h"
#include "window/window-private.h"

#define MOST 60       /* boxes that are listed */
#define NAME_CHARS 24 /* of a name that are seen */
#define MENU_MOST 14  /* rows of the list of those that the line has no room for, before it scrolls */
#define LOOK_MS 250   /* between two looks at how boxes are, while time moves */

typedef struct Strip {
  ScopeWindow *w;
  ScopeDocument *d;
  GtkWidget *root, *line, *more, *rest; /* what has no room in the line: a button with its number, and their list */
  char *shown;                          /* names, uses and colours of what is listed; NULL: nothing yet */
  guint n_boxes;                        /* of the program, also beyond MOST */
  guint timer;
} Strip;

/* As they are read on the canvas. */
static int
strip_by_place (gconstpointer a, gconstpointer b)
{
  EveComponent *const *x = a, *const *y = b;
  double left, top, right, bottom;

  eve_position (*x, &left, &top);
  eve_position (*y, &right, &bottom);
  return left != right ? (left > right) - (left < right) : (top > bottom) - (top < bottom);
}

static GPtrArray *
boxes (Strip *s)
{
  const EveProgram *p = scope_document_program (s->d);
  GPtrArray *all = g_ptr_array_new ();

  for (uint32_t i = 0; i < eve_n_components (p); ++i)
    g_ptr_array_add (all, eve_component (p, i));
  g_ptr_array_sort (all, strip_by_place);
  return all;
}

/* In the colour of what it gives, as in the library. */
static char *
strip_markup_of (Strip *s, EveComponent *c)
{
  uint32_t rgb = paint_type_colour (class_colour_type (eve_class (c)), scope_document_dark (s->d));

  return eve_use (c) == EVE_WORKS
             ? g_markup_printf_escaped ("<span foreground='#%06x'>●</span> %s", rgb, in_words (eve_name (c)))
             : g_markup_printf_escaped ("<span foreground='#%06x'>○</span> <s>%s</s>", rgb, in_words (eve_name (c)));
}

/* What is selected, and what is wrong with a box: for its chip and whoever points at it. */
static void
strip_look_at (Strip *s, GtkWidget *chip)
{
  const char *name = g_object_get_data (G_OBJECT (chip), "box");
  EveComponent *c = eve_find (scope_document_program (s->d), name);

  if (!c)
    return;
  const char *problem = scope_document_box_problem (s->d, c), *status = eve_component_status (c);
  if (!problem)
    problem = eve_component_failure (c);
  const char *told = problem ? problem : *status ? status : in_words (eve_class (c)->label);
  scope_set_style (chip, "selected", scope_document_box_is_selected (s->d, name));
  scope_set_style (chip, "problem", problem);
  if (g_strcmp0 (g_object_get_data (G_OBJECT (chip), "told"), told) == 0)
    return;
  g_object_set_data_full (G_OBJECT (chip), "told", g_strdup (told), g_free);
  gtk_widget_set_tooltip_text (chip, told);
}

static gboolean
strip_look (gpointer strip)
{
  Strip *s = strip;
  g_autoptr (GList) all = gtk_container_get_children (GTK_CONTAINER (s->line));

  s->timer = 0;
  for (GList *l = all; l && scope_document_is_open (s->d); l = l->next)
    if (GTK_IS_BUTTON (l->data))
      strip_look_at (s, l->data);
  return G_SOURCE_REMOVE;
}

static void
look_soon (Strip *s)
{
  if (!s->timer && gtk_widget_get_mapped (s->root))
    s->timer = g_timeout_add (LOOK_MS, strip_look, s);
}

static void
on_chip (GtkButton *chip, Strip *s)
{
  const char *name = g_object_get_data (G_OBJECT (chip), "box");

  scope_document_select_boxes (s->d, &name, 1);
}

static void
strip_on_row (GtkListBox *list, GtkListBoxRow *row, Strip *s)
{
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (row), "box"));
  const char *only = name;

  gtk_popover_popdown (gtk_menu_button_get_popover (GTK_MENU_BUTTON (s->more)));
  if (name)
    scope_document_select_boxes (s->d, &only, 1);
  else
    g_action_group_activate_action (G_ACTION_GROUP (s->w), "program-folded", NULL);
}

static gboolean
strip_on_press (GtkWidget *chip, GdkEventButton *event, Strip *s)
{
  if (event->type != GDK_2BUTTON_PRESS || event->button != GDK_BUTTON_PRIMARY)
    return GDK_EVENT_PROPAGATE;
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (chip), "box"));
  g_action_group_activate_action (G_ACTION_GROUP (s->w), "canvas-show-box", g_variant_new_string (name));
  return GDK_EVENT_STOP;
}

static GtkWidget *
name_label (Strip *s, EveComponent *c)
{
  g_autofree char *markup = strip_markup_of (s, c);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (g_utf8_strlen (in_words (eve_name (c)), -1) > NAME_CHARS) { /* else whole: letters alone name nothing */
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    gtk_label_set_width_chars (GTK_LABEL (label), NAME_CHARS);
    gtk_label_set_max_width_chars (GTK_LABEL (label), NAME_CHARS);
  }
  return label;
}

static void
add_chip (Strip *s, EveComponent *c)
{
  GtkWidget *chip = gtk_button_new (), *label = name_label (s, c);

  gtk_button_set_relief (GTK_BUTTON (chip), GTK_RELIEF_NONE);
  gtk_container_add (GTK_CONTAINER (chip), label);
  g_object_set_data_full (G_OBJECT (chip), "box", g_strdup (eve_name (c)), g_free);
  atk_object_set_name (gtk_widget_get_accessible (chip), in_words (eve_name (c)));
  g_signal_connect (chip, "clicked", G_CALLBACK (on_chip), s);
  g_signal_connect (chip, "button-press-event", G_CALLBACK (strip_on_press), s);
  gtk_box_pack_start (GTK_BOX (s->line), chip, FALSE, FALSE, 0);
  strip_look_at (s, chip);
}

/* ---- what has no room ---------------------------------------------------------------------------------------------- */

static void
list_rest (GtkWidget *popover, Strip *s)
{
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (s->rest)),
                    all = gtk_container_get_children (GTK_CONTAINER (s->line));
  guint listed = 0;

  for (GList *l = old; l; l = l->next)
    gtk_widget_destroy (l->data);
  for (GList *l = all; l; l = l->next, listed++) {
    EveComponent *c = eve_find (scope_document_program (s->d), g_object_get_data (G_OBJECT (l->data), "box"));
    if (!c || gtk_widget_get_child_visible (l->data))
      continue;
    GtkWidget *row = gtk_list_box_row_new ();
    gtk_container_add (GTK_CONTAINER (row), name_label (s, c));
    g_object_set_data_full (G_OBJECT (row), "box", g_strdup (eve_name (c)), g_free);
    atk_object_set_name (gtk_widget_get_accessible (row), in_words (eve_name (c)));
    gtk_container_add (GTK_CONTAINER (s->rest), row);
  }
  if (listed < s->n_boxes) {
    g_autofree char *text = g_strdup_printf (_ ("and %u more"), s->n_boxes - listed);
    GtkWidget *row = gtk_list_box_row_new ();
    gtk_container_add (GTK_CONTAINER (row), gtk_label_new (text));
    gtk_container_add (GTK_CONTAINER (s->rest), row);
  }
  gtk_widget_show_all (s->rest);
}

/* Boxes are seen by their whole names, as many as there is room for; the others are in the list at the end. */
static void
share_room (GtkWidget *line, GtkAllocation *room, Strip *s)
{
  g_autoptr (GList) all = gtk_container_get_children (GTK_CONTAINER (line));
  GtkWidget *unfold = g_object_get_data (G_OBJECT (s->root), "unfold");
  int own, width = gtk_widget_get_allocated_width (s->root), sum = 0, button;
  guint left = s->n_boxes;

  gtk_widget_get_preferred_width (unfold, NULL, &own);
  gtk_widget_get_preferred_width (line, NULL, &sum);
  width -= own + 12;
  if (sum > width || left > g_list_length (all)) {
    gtk_widget_get_preferred_width (gtk_bin_get_child (GTK_BIN (s->more)), NULL, &button);
    width -= button + 28;
  }
  sum = 0;
  for (GList *l = all; l; l = l->next) {
    int wide;
    gtk_widget_get_preferred_width (l->data, NULL, &wide);
    bool fits = (sum += wide) <= width;
    gtk_widget_set_child_visible (l->data, fits);
    left -= fits;
  }
  g_autofree char *text = g_strdup_printf ("+%u", left),
                  *told = g_strdup_printf (P_ ("%u more box of the program", "%u more boxes of the program", left),
                                           left);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (gtk_bin_get_child (GTK_BIN (s->more)))), text) != 0) {
    gtk_label_set_text (GTK_LABEL (gtk_bin_get_child (GTK_BIN (s->more))), text);
    gtk_widget_set_tooltip_text (s->more, told);
    atk_object_set_name (gtk_widget_get_accessible (s->more), told);
  }
  gtk_widget_set_opacity (s->more, left ? 1 : 0);
  gtk_widget_set_sensitive (s->more, left > 0);
}

static void
strip_add_more (Strip *s)
{
  GtkWidget *popover = gtk_popover_new (NULL), *scrolled = gtk_scrolled_window_new (NULL, NULL);

  s->more = gtk_menu_button_new ();
  s->rest = gtk_list_box_new ();
  gtk_container_add (GTK_CONTAINER (s->more), gtk_label_new (""));
  gtk_button_set_relief (GTK_BUTTON (s->more), GTK_RELIEF_NONE);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (s->rest), GTK_SELECTION_NONE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MENU_MOST * 24);
  gtk_container_add (GTK_CONTAINER (scrolled), s->rest);
  gtk_container_add (GTK_CONTAINER (popover), scrolled);
  gtk_widget_show_all (scrolled);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (s->more), popover);
  g_signal_connect (popover, "show", G_CALLBACK (list_rest), s);
  g_signal_connect (s->rest, "row-activated", G_CALLBACK (strip_on_row), s);
  g_signal_connect (s->line, "size-allocate", G_CALLBACK (share_room), s);
  gtk_box_pack_end (GTK_BOX (s->root), s->more, FALSE, FALSE, 0);
}

/* Anew only where something else is listed: the focus stays where it is. */
static void
strip_fill (Strip *s)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!scope_document_is_open (s->d))
    return;
  g_autoptr (GPtrArray) all = boxes (s);
  for (guint i = 0; i < MIN (all->len, MOST); ++i) {
    g_autofree char *markup = strip_markup_of (s, all->pdata[i]);
    g_string_append (text, markup);
  }
  g_string_append_printf (text, "%u", all->len);
  if (g_strcmp0 (text->str, s->shown) == 0) {
    look_soon (s);
    return;
  }
  g_free (s->shown);
  s->shown = g_string_free (g_steal_pointer (&text), FALSE);
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (s->line));
  for (GList *l = old; l; l = l->next)
    gtk_widget_destroy (l->data);
  s->n_boxes = all->len;
  for (guint i = 0; i < MIN (all->len, MOST); ++i)
    add_chip (s, all->pdata[i]);
  gtk_widget_show_all (s->line);
}

static void
strip_free (gpointer strip)
{
  Strip *s = strip;

  g_free (s->shown);
  g_free (s);
}

static void
strip_on_destroy (GtkWidget *root, Strip *s)
{
  g_signal_handlers_disconnect_by_data (s->d, s);
  g_clear_handle_id (&s->timer, g_source_remove);
}

GtkWidget *
strip_new (ScopeWindow *w)
{
  Strip *s = g_new0 (Strip, 1);
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL),
            *unfold = gtk_button_new_from_icon_name ("pan-down-symbolic", GTK_ICON_SIZE_MENU);

  s->w = w;
  s->d = w->doc;
  s->root = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  s->line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (s->root), "scope-strip");
  atk_object_set_name (gtk_widget_get_accessible (s->root), _ ("Program in one line"));
  gtk_button_set_relief (GTK_BUTTON (unfold), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (unfold, _ ("Show the program, to change it (F3)"));
  atk_object_set_name (gtk_widget_get_accessible (unfold), _ ("Show the program"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (unfold), "win.program-folded");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER);
  gtk_container_add (GTK_CONTAINER (scrolled), s->line);
  gtk_box_pack_start (GTK_BOX (s->root), unfold, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (s->root), scrolled, TRUE, TRUE, 0);
  g_object_set_data (G_OBJECT (s->root), "unfold", unfold);
  strip_add_more (s);
  g_object_set_data_full (G_OBJECT (s->root), "strip", s, strip_free);
  g_signal_connect_swapped (s->d, "opened", G_CALLBACK (strip_fill), s);
  g_signal_connect_swapped (s->d, "program", G_CALLBACK (strip_fill), s);
  g_signal_connect_swapped (s->d, "look", G_CALLBACK (strip_fill), s);
  g_signal_connect_swapped (s->d, "selection", G_CALLBACK (look_soon), s);
  g_signal_connect_swapped (s->d, "time", G_CALLBACK (look_soon), s);
  g_signal_connect_swapped (s->root, "map", G_CALLBACK (look_soon), s);
  g_signal_connect (s->root, "destroy", G_CALLBACK (strip_on_destroy), s);
  return s->root;
}

/* ---- the canvas, of which it takes the place -------------------------------------------------------------------- */

GtkWidget *
strip_canvas (GtkWidget *canvas)
{
  GtkWidget *over = gtk_overlay_new (), *fold = gtk_button_new_from_icon_name ("pan-up-symbolic", GTK_ICON_SIZE_MENU);

  gtk_button_set_relief (GTK_BUTTON (fold), GTK_RELIEF_NONE);
  gtk_widget_set_focus_on_click (fold, FALSE);
  gtk_widget_set_halign (fold, GTK_ALIGN_END);
  gtk_widget_set_valign (fold, GTK_ALIGN_START);
  gtk_style_context_add_class (gtk_widget_get_style_context (fold), "scope-fold");
  gtk_widget_set_tooltip_text (fold, _ ("Fold the program to a line, so that the views have the room (F3)"));
  atk_object_set_name (gtk_widget_get_accessible (fold), _ ("Fold the program"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (fold), "win.program-folded");
  gtk_container_add (GTK_CONTAINER (over), canvas);
  gtk_overlay_add_overlay (GTK_OVERLAY (over), fold);
  return over;
}

/* What the canvas is asked for is seen there; what wants the focus gets it now that it can. */
static void
on_canvas_action (GSimpleAction *action, GVariant *parameter, ScopeWindow *w)
{
  if (!scope_document_is_open (w->doc) || shape_has_canvas (w))
    return;
  shape_unfold (w);
  gtk_widget_child_focus (w->canvas, GTK_DIR_TAB_FORWARD);
}

void
strip_watch (ScopeWindow *w)
{
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (w));

  for (char **name = names; *name; ++name)
    if (g_str_has_prefix (*name, "canvas-"))
      g_signal_connect (g_action_map_lookup_action (G_ACTION_MAP (w), *name), "activate", G_CALLBACK (on_canvas_action),
                        w);
}
