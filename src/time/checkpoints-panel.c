/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoints-panel.c - the states that were saved: by the film, by hand, in memory; what each costs and how often it
 * served (thesis, 3.3.2).  Those of other programs are grey, with a sentence below that says how they serve again. */
#include <string.h>
#include "time/time.h"
#include "document/active-row.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/paint.h"

enum {
  COL_DATE,
  COL_NAME,
  COL_SIZE,
  COL_COST,
  COL_USES,
  COL_TICKS,
  COL_BYTES,
  COL_COST_NS,
  COL_USES_N,
  COL_EVENT,
  COL_ENDED,
  COL_SERVES,
  COL_WHY_NOT, /* NULL: it serves */
  COL_N
};

typedef struct Panel {
  ScopeDocument *d;
  GtkWidget *root, *expander, *view, *others;
  GtkListStore *store;
  bool stale;
} Panel;

static const char *
checkpoints_panel_kind_name (const Checkpoint *c)
{
  static const char *const names[CHECKPOINT_KINDS] = { N_ ("automatic"), N_ ("by hand"), N_ ("mark"), N_ ("travel") };

  return c->kind < CHECKPOINT_KINDS ? in_words (names[c->kind]) : "?";
}

/* `of`: which program it is of, where that is another: grey alone is not heard. */
static void
checkpoints_panel_add_row (Panel *p, const Checkpoint *c, const char *of, const char *why_not)
{
  int64_t date = c->date == INT64_MIN ? scope_document_first (p->d) : c->date;
  uint64_t bytes = c->stored_bytes ? c->stored_bytes : c->raw_bytes;
  g_autofree char *at = time_text (p->d, date), *size = bytes ? paint_bytes ((double) bytes) : g_strdup ("–");
  g_autofree char *cost = c->cost_ns ? number_local (g_strdup_printf ("%.1f\u2009ms", (double) c->cost_ns / 1e6))
                                     : g_strdup ("–");
  g_autofree char *uses = g_strdup_printf ("%" G_GUINT64_FORMAT, c->uses);
  const char *name = *c->name ? c->name : checkpoints_panel_kind_name (c);
  g_autofree char *whole = of ? g_strdup_printf ("%s (%s)", name, of) : g_strdup (name);

  gtk_list_store_insert_with_values (p->store, NULL, -1, COL_DATE, at, COL_NAME, whole, COL_SIZE, size, COL_COST, cost,
                                     COL_USES, uses, COL_TICKS, date, COL_BYTES, (gint64) bytes, COL_COST_NS,
                                     c->cost_ns, COL_USES_N, (gint64) c->uses, COL_EVENT, c->event, COL_ENDED,
                                     (gboolean) c->ended, COL_SERVES, why_not == NULL, COL_WHY_NOT, why_not, -1);
}

/* One sentence for all of them, in the plural of travel_other_says(). */
static void
tell_others (Panel *p, const GArray *others)
{
  guint here = 0;

  for (guint i = 0; i < others->len; ++i)
    here += g_array_index (others, TravelOther, i).was_here;
  gtk_label_set_text (
      GTK_LABEL (p->others),
      here == others->len ? _ ("Grey: of the program as it was before an edit; undo or redo to use them")
      : here ? _ ("Grey: of the program as it was before an edit (undo or redo to use them), or of another")
             : _ ("Grey: of another program on this trace; open that one to use them"));
  gtk_widget_set_visible (p->others, others->len > 0);
}

static void
checkpoints_panel_refill (Panel *p)
{
  Travel *t = scope_document_travel (p->d);

  if (!gtk_expander_get_expanded (GTK_EXPANDER (p->expander))) {
    p->stale = true;
    return;
  }
  p->stale = false;
  gtk_list_store_clear (p->store);
  g_autoptr (GArray) all = t ? travel_checkpoints (t) : g_array_new (FALSE, FALSE, sizeof (Checkpoint));
  for (guint i = 0; i < all->len; ++i)
    checkpoints_panel_add_row (p, &g_array_index (all, Checkpoint, i), NULL, NULL);
  const GArray *others = t ? travel_others (t) : NULL;
  for (guint i = 0; others && i < others->len; ++i) {
    const TravelOther *o = &g_array_index (others, TravelOther, i);
    checkpoints_panel_add_row (p, &o->what, o->was_here ? _ ("before an edit") : _ ("another program"),
                               travel_other_says (o));
  }
  if (others)
    tell_others (p, others);
  else
    gtk_widget_hide (p->others);
}

static void
checkpoints_panel_on_expanded (Panel *p)
{
  if (p->stale)
    checkpoints_panel_refill (p);
}

/* What a row tells, for what is done with it later: rows are made anew meanwhile. */
typedef struct Meant {
  char *at, *why_not;
  gint64 date;
  guint64 event;
  gboolean ended;
} Meant;

static void
checkpoints_panel_meant_free (gpointer data)
{
  Meant *m = data;

  g_free (m->at);
  g_free (m->why_not);
  g_free (m);
}

static Meant *
checkpoints_panel_meant_at (Panel *p, GtkTreePath *path)
{
  GtkTreeIter i;

  if (!path || !gtk_tree_model_get_iter (GTK_TREE_MODEL (p->store), &i, path))
    return NULL;
  Meant *m = g_new0 (Meant, 1);
  gtk_tree_model_get (GTK_TREE_MODEL (p->store), &i, COL_DATE, &m->at, COL_TICKS, &m->date, COL_EVENT, &m->event,
                      COL_ENDED, &m->ended, COL_WHY_NOT, &m->why_not, -1);
  return m;
}

static void
checkpoints_panel_go (Panel *p, const Meant *m)
{
  if (m->why_not)
    scope_document_say (p->d, SCOPE_SAY_NOTE, _ ("This saved state cannot be used now: %s"), m->why_not);
  else if (m->ended)
    scope_document_go_last (p->d);
  else
    scope_document_go_event (p->d, m->event);
}

static void
checkpoints_panel_on_activated (GtkTreeView *view, GtkTreePath *path, GtkTreeViewColumn *column, Panel *p)
{
  Meant *m = checkpoints_panel_meant_at (p, path);

  if (m) {
    checkpoints_panel_go (p, m);
    checkpoints_panel_meant_free (m);
  }
}

/* ---- its menu ---------------------------------------------------------------------------------------------------------------- */

static void
checkpoints_panel_menu_go (GtkWidget *item, Panel *p)
{
  checkpoints_panel_go (p, g_object_get_data (G_OBJECT (gtk_widget_get_parent (item)), "meant"));
}

static void
checkpoints_panel_menu_mark (GtkWidget *item, Panel *p)
{
  const Meant *m = g_object_get_data (G_OBJECT (gtk_widget_get_parent (item)), "meant");

  g_free (mark_make (p->d, NULL, m->date));
}

static gboolean
checkpoints_panel_menu (Panel *p)
{
  GtkTreePath *path;

  gtk_tree_view_get_cursor (GTK_TREE_VIEW (p->view), &path, NULL);
  Meant *m = checkpoints_panel_meant_at (p, path);
  gtk_tree_path_free (path);
  if (!m)
    return FALSE;
  g_autofree char *told = g_strdup_printf (_ ("Go to %s"), m->at);
  GtkWidget *menu = gtk_menu_new (), *go = gtk_menu_item_new_with_label (told),
            *mark = gtk_menu_item_new_with_label (_ ("Mark this instant")),
            *save = gtk_menu_item_new_with_label (_ ("Save the state now"));
  g_object_set_data_full (G_OBJECT (menu), "meant", m, checkpoints_panel_meant_free);
  g_signal_connect (go, "activate", G_CALLBACK (checkpoints_panel_menu_go), p);
  g_signal_connect (mark, "activate", G_CALLBACK (checkpoints_panel_menu_mark), p);
  gtk_widget_set_sensitive (mark, scope_document_marks (p->d) != NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (save), "win.save-state");
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), go);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), mark);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), gtk_separator_menu_item_new ());
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), save);
  menu_show (menu, p->view, p->view);
  return TRUE;
}

/* The row below the pointer is meant, which is then the chosen one. */
static gboolean
checkpoints_panel_on_press (GtkTreeView *view, GdkEventButton *e, Panel *p)
{
  GtkTreePath *path = NULL;
  bool asked = e->window == gtk_tree_view_get_bin_window (view) && gdk_event_triggers_context_menu ((GdkEvent *) e)
               && gtk_tree_view_get_path_at_pos (view, (int) e->x, (int) e->y, &path, NULL, NULL, NULL);

  if (asked) {
    gtk_widget_grab_focus (GTK_WIDGET (view));
    gtk_tree_view_set_cursor (view, path, NULL, FALSE);
    checkpoints_panel_menu (p);
  }
  gtk_tree_path_free (path);
  return asked;
}

static void
checkpoints_panel_add_column (Panel *p, const char *title, int text, int sort, bool number, bool expand)
{
  GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
  GtkTreeViewColumn *column = gtk_tree_view_column_new_with_attributes (title, cell, "text", text, "sensitive",
                                                                        COL_SERVES, NULL);

  g_object_set (cell, "xalign", number ? 1.0f : 0.0f, "ellipsize", expand ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE,
                NULL);
  gtk_tree_view_column_set_alignment (column, number ? 1.0f : 0.0f);
  gtk_tree_view_column_set_sort_column_id (column, sort);
  gtk_tree_view_column_set_expand (column, expand);
  gtk_tree_view_append_column (GTK_TREE_VIEW (p->view), column);
}

static void
checkpoints_panel_on_destroy (GtkWidget *root, Panel *p)
{
  g_signal_handlers_disconnect_by_data (p->d, p);
  g_clear_object (&p->store);
}

GtkWidget *
checkpoints_panel_new (ScopeDocument *d)
{
  Panel *p = g_new0 (Panel, 1);
  GtkWidget *scroll = gtk_scrolled_window_new (NULL, NULL), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *save = gtk_button_new_with_label (_ ("Save the state now"));

  p->d = d;
  p->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "panel");
  atk_object_set_name (gtk_widget_get_accessible (p->root), _ ("Saved states"));
  g_object_set_data_full (G_OBJECT (p->root), "panel", p, g_free);
  p->store = gtk_list_store_new (COL_N, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                 G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64, G_TYPE_UINT64, G_TYPE_BOOLEAN,
                                 G_TYPE_BOOLEAN, G_TYPE_STRING);
  p->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (p->store));
  atk_object_set_name (gtk_widget_get_accessible (p->view), _ ("List of saved states"));
  gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (p->view), COL_WHY_NOT);
  checkpoints_panel_add_column (p, _ ("Date"), COL_DATE, COL_TICKS, true, false);
  checkpoints_panel_add_column (p, _ ("Saved"), COL_NAME, COL_NAME, false, true);
  checkpoints_panel_add_column (p, _ ("Size"), COL_SIZE, COL_BYTES, true, false);
  checkpoints_panel_add_column (p, _ ("Cost"), COL_COST, COL_COST_NS, true, false);
  checkpoints_panel_add_column (p, _ ("Uses"), COL_USES, COL_USES_N, true, false);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scroll), 140);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scroll), p->view);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (save), "win.save-state");
  gtk_widget_set_halign (save, GTK_ALIGN_START);
  p->others = gtk_label_new (NULL);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->others), "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->others), TRUE);
  gtk_label_set_xalign (GTK_LABEL (p->others), 0);
  gtk_widget_set_no_show_all (p->others, TRUE);
  gtk_container_add (GTK_CONTAINER (box), scroll);
  gtk_container_add (GTK_CONTAINER (box), p->others);
  gtk_container_add (GTK_CONTAINER (box), save);
  p->expander = gtk_expander_new (_ ("Saved states"));
  gtk_style_context_add_class (
      gtk_widget_get_style_context (gtk_expander_get_label_widget (GTK_EXPANDER (p->expander))), "panel-title");
  gtk_container_add (GTK_CONTAINER (p->expander), box);
  gtk_container_add (GTK_CONTAINER (p->root), p->expander);
  gtk_widget_show_all (p->root);
  p->stale = true;
  g_signal_connect (p->view, "row-activated", G_CALLBACK (checkpoints_panel_on_activated), p);
  g_signal_connect_swapped (p->view, "popup-menu", G_CALLBACK (checkpoints_panel_menu), p);
  g_signal_connect (p->view, "button-press-event", G_CALLBACK (checkpoints_panel_on_press), p);
  g_signal_connect_swapped (p->expander, "notify::expanded", G_CALLBACK (checkpoints_panel_on_expanded), p);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (checkpoints_panel_refill), p);
  g_signal_connect_swapped (d, "film", G_CALLBACK (checkpoints_panel_refill), p);
  g_signal_connect_swapped (d, "marks", G_CALLBACK (checkpoints_panel_refill), p);
  g_signal_connect (p->root, "destroy", G_CALLBACK (checkpoints_panel_on_destroy), p);
  return p->root;
}
