/* SPDX-License-Identifier: Apache-2.0 */
/* associations.c - the manager of associations: all rules that count for what is open, where each comes from, and those
 * of the program, which are changed here.  A rule of another level is taken over into the program, where the nearer one
 * wins, and given back by removing it.  Each change is an edit of the program's note. */
#include <math.h>
#include <string.h>
#include "readers/more.h"
#include "session/session.h"
#include "panes/associations-colours.h"
#include "panes/associations-edit.h"
#include "panes/panes.h"
#include "panes/tie.h"
#include "eve/words.h"
#include "views/associations.h"
#include "views/palettes.h"

typedef struct Manager {
  ScopeDocument *d;
  GtkWidget *root, *list;
  uint64_t shown; /* associations_serial() of the list */
  const EveProgram *of;
  GtkWidget *add;        /* the button */
  bool wanted;           /* a rule is to be added as soon as this is seen */
  struct Editor *editor; /* NULL: not needed yet */
} Manager;

/* What is being written; over the panel, as the list is made anew whenever something changes.  Made once: GTK complains
 * of a combo box that goes while somebody looks at it. */
typedef struct Editor {
  Manager *m;
  int number; /* in the program's level; -1: a new one */
  GtkWidget *popover, *kind, *attribute, *channel, *view, *why, *text, *save;
  GtkTextBuffer *scale;
  bool own;     /* the person has written, and what is proposed must not take its place */
  bool filling; /* what is chosen now no person chose */
} Editor;

static const Associations *
rules (Manager *m)
{
  return view_associations (scope_document_colours (m->d));
}

/* ---- changing ---------------------------------------------------------------------------------------------------------- */

static void
panes_associations_on_remove (GtkButton *b, Manager *m)
{
  g_autoptr (GError) error = NULL;

  if (!associations_change (m->d, _ ("Remove an Association"),
                            GPOINTER_TO_INT (g_object_get_data (G_OBJECT (b), "number")), NULL, &error))
    scope_document_say (m->d, SCOPE_SAY_ERROR, _ ("The rule cannot be removed: %s"), error->message);
}

/* ---- the editor ---------------------------------------------------------------------------------------------------------- */

static LookKind
panes_associations_kind_of (Editor *e)
{
  return (LookKind) MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (e->kind)), 0);
}

static LookChannel
panes_associations_channel_of (Editor *e)
{
  return (LookChannel) MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (e->channel)), 0);
}

static char *
attribute_text (Editor *e)
{
  return gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (e->attribute));
}

/* Lines that can be begun with. */
static void
propose (Editor *e)
{
  g_autofree char *name = attribute_text (e);

  if (e->own || name == NULL)
    return;
  g_autofree char *text = associations_proposed (e->m->d, panes_associations_kind_of (e), name,
                                                 panes_associations_channel_of (e));
  gtk_text_buffer_set_text (e->scale, text, -1);
  e->own = false;
}

static void
append_attribute (void *to, const char *name)
{
  gtk_combo_box_text_append_text (to, name);
}

/* What objects of that kind have. */
static void
fill_attributes (Editor *e, const char *chosen)
{
  const StateGraph *g = scope_document_graph (e->m->d);
  GtkComboBoxText *to = GTK_COMBO_BOX_TEXT (e->attribute);
  int state = -1, n = 0; /* the place of the one that is asked for most */

  gtk_combo_box_text_remove_all (to);
  bool modelled = look_kind_is_modelled (panes_associations_kind_of (e)),
       together = panes_associations_kind_of (e) == LOOK_GROUP;
  for (const char *const *name = look_of_kind[panes_associations_kind_of (e)]; name != NULL && *name != NULL; name++)
    gtk_combo_box_text_append_text (to, *name);
  for (uint32_t i = 0; (modelled || together) && g != NULL && i < g->model->n_attributes; i++)
    if (g->model->attributes[i].scope == (panes_associations_kind_of (e) == LOOK_LINK ? STATE_EDGE : STATE_NODE)) {
      gtk_combo_box_text_append_text (to, g->model->attributes[i].name);
      state = modelled && g->model->attributes[i].role == STATE_ROLE_STATE ? n : state;
      n++;
    }
  if (panes_associations_kind_of (e) == LOOK_TASK)
    append_attribute (to, "Gray code");
  Session *session = scope_document_session (e->m->d);
  if (look_ref_types[panes_associations_kind_of (e)] != TRACE_REF_NONE)
    trace_more_offer (session != NULL ? session_more (session) : NULL, look_ref_types[panes_associations_kind_of (e)],
                      append_attribute, to);
  GtkWidget *entry = gtk_bin_get_child (GTK_BIN (e->attribute));
  if (chosen != NULL)
    gtk_entry_set_text (GTK_ENTRY (entry), chosen);
  else
    gtk_combo_box_set_active (GTK_COMBO_BOX (e->attribute), MAX (state, 0));
}

static void
panes_associations_on_kind (GtkWidget *w, Editor *e)
{
  if (e->filling)
    return;
  fill_attributes (e, NULL);
  propose (e);
}

static void
panes_associations_on_choice (GtkWidget *w, Editor *e)
{
  if (!e->filling)
    propose (e);
}

static void
panes_associations_on_written (GtkTextBuffer *b, Editor *e)
{
  e->own = true;
}

static void
on_save (GtkButton *b, Editor *e)
{
  GtkTextIter from, to;
  g_autoptr (GError) error = NULL;
  g_autofree char *attribute = attribute_text (e), *view = NULL;

  gtk_text_buffer_get_bounds (e->scale, &from, &to);
  g_autofree char *scale = gtk_text_buffer_get_text (e->scale, &from, &to, FALSE);
  if (gtk_combo_box_get_active (GTK_COMBO_BOX (e->view)) > 0)
    view = gtk_combo_box_text_get_active_text (GTK_COMBO_BOX_TEXT (e->view));
  const AssociationsRule rule = { .kind = panes_associations_kind_of (e),
                                  .channel = panes_associations_channel_of (e),
                                  .attribute = attribute != NULL ? attribute : "",
                                  .view = view,
                                  .scale = scale };
  const StateGraph *g = scope_document_graph (e->m->d);
  g_autofree char *no_chart = rule.channel == LOOK_CHART && g != NULL ? looks_no_chart (g->model, rule.attribute)
                                                                      : NULL;
  if (*rule.attribute != '\0' && no_chart == NULL
      && associations_change (e->m->d, e->number < 0 ? _ ("Add an Association") : _ ("Change an Association"),
                              e->number, &rule, &error)) {
    gtk_popover_popdown (GTK_POPOVER (e->popover));
    return;
  }
  gtk_label_set_text (GTK_LABEL (e->why), error != NULL      ? error->message
                                          : no_chart != NULL ? no_chart
                                                             : _ ("Say which attribute it is about"));
  gtk_widget_show (e->why);
}

static GtkWidget *
panes_associations_combo (GtkGrid *grid, int row, const char *title, const char *const *words, int n)
{
  GtkWidget *label = gtk_label_new (title),
            *box = words != NULL ? gtk_combo_box_text_new () : gtk_combo_box_text_new_with_entry ();

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), "dim-label");
  for (int i = 0; i < n; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (box), in_words (words[i]));
  gtk_widget_set_hexpand (box, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (box), title);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, box, 1, row, 1, 1);
  return box;
}

static void
fill_views (Editor *e, const char *chosen)
{
  EveProgram *p = scope_document_program (e->m->d);
  GtkComboBoxText *to = GTK_COMBO_BOX_TEXT (e->view);

  gtk_combo_box_text_remove_all (to);
  gtk_combo_box_text_append_text (to, _ ("all views"));
  gtk_combo_box_set_active (GTK_COMBO_BOX (to), 0);
  for (uint32_t i = 0, n = 0; p != NULL && i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    if (session_view (c) == NULL)
      continue;
    gtk_combo_box_text_append_text (to, eve_name (c));
    n++;
    if (g_strcmp0 (chosen, eve_name (c)) == 0)
      gtk_combo_box_set_active (GTK_COMBO_BOX (to), (int) n);
  }
}

static Editor *
editor_new (Manager *m)
{
  const char *const all[] = { _ ("all views") };
  Editor *e = g_new0 (Editor, 1);
  GtkWidget *grid = gtk_grid_new (), *scroll = gtk_scrolled_window_new (NULL, NULL);
  GtkWidget *hint = gtk_label_new (_ ("VALUE = LOOK, FROM .. TO = LOOK, ramp FROM .. TO = LOOK .. LOOK, other = LOOK"));

  e->m = m;
  e->popover = gtk_popover_new (m->root);
  e->text = gtk_text_view_new ();
  e->save = gtk_button_new_with_label (_ ("Add"));
  g_object_set (grid, "margin", 10, "row-spacing", 6, "column-spacing", 8, NULL);
  e->kind = panes_associations_combo (GTK_GRID (grid), 0, _ ("Kind"), look_kinds, LOOK_KINDS);
  e->attribute = panes_associations_combo (GTK_GRID (grid), 1, _ ("Attribute"), NULL, 0);
  e->channel = panes_associations_combo (GTK_GRID (grid), 2, _ ("Channel"), look_channels, LOOK_CHANNELS);
  e->view = panes_associations_combo (GTK_GRID (grid), 3, _ ("In"), all, 1);
  e->scale = gtk_text_view_get_buffer (GTK_TEXT_VIEW (e->text));
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (e->text), TRUE);
  atk_object_set_name (gtk_widget_get_accessible (e->text), _ ("Scale"));
  gtk_scrolled_window_set_shadow_type (GTK_SCROLLED_WINDOW (scroll), GTK_SHADOW_IN);
  gtk_widget_set_size_request (scroll, 340, 130);
  gtk_container_add (GTK_CONTAINER (scroll), e->text);
  gtk_grid_attach (GTK_GRID (grid), scroll, 0, 4, 2, 1);
  gtk_label_set_line_wrap (GTK_LABEL (hint), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (hint), 44);
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (hint), "dim-label");
  gtk_grid_attach (GTK_GRID (grid), hint, 0, 5, 2, 1);
  e->why = gtk_label_new ("");
  gtk_style_context_add_class (gtk_widget_get_style_context (e->why), "error");
  gtk_label_set_line_wrap (GTK_LABEL (e->why), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (e->why), 44);
  gtk_widget_set_no_show_all (e->why, TRUE);
  gtk_grid_attach (GTK_GRID (grid), e->why, 0, 6, 2, 1);
  gtk_style_context_add_class (gtk_widget_get_style_context (e->save), "suggested-action");
  gtk_widget_set_halign (e->save, GTK_ALIGN_END);
  gtk_grid_attach (GTK_GRID (grid), e->save, 0, 7, 2, 1);
  gtk_container_add (GTK_CONTAINER (e->popover), grid);
  gtk_popover_set_position (GTK_POPOVER (e->popover), GTK_POS_LEFT);
  gtk_widget_show_all (grid);
  g_signal_connect (e->kind, "changed", G_CALLBACK (panes_associations_on_kind), e);
  g_signal_connect (e->channel, "changed", G_CALLBACK (panes_associations_on_choice), e);
  g_signal_connect (e->attribute, "changed", G_CALLBACK (panes_associations_on_choice), e);
  g_signal_connect (e->scale, "changed", G_CALLBACK (panes_associations_on_written), e);
  g_signal_connect (e->save, "clicked", G_CALLBACK (on_save), e);
  return e;
}

/* `number` -1: a new rule, like `like`, if that is not NULL. */
static void
panes_associations_edit (Manager *m, GtkWidget *over, int number, const AssociationsRule *like)
{
  Editor *e = m->editor = m->editor != NULL ? m->editor : editor_new (m);

  e->number = number;
  e->filling = true;
  e->own = false;
  gtk_button_set_label (GTK_BUTTON (e->save), number < 0 ? _ ("Add") : _ ("Change"));
  gtk_combo_box_set_active (GTK_COMBO_BOX (e->kind), like != NULL ? (int) like->kind : 0);
  gtk_combo_box_set_active (GTK_COMBO_BOX (e->channel), like != NULL ? (int) like->channel : 0);
  fill_attributes (e, like != NULL ? like->attribute : NULL);
  fill_views (e, like != NULL ? like->view : NULL);
  e->filling = false;
  if (like != NULL)
    gtk_text_buffer_set_text (e->scale, like->scale, -1);
  else
    propose (e);
  e->own = like != NULL;
  gtk_widget_hide (e->why);
  GdkRectangle at = { 0, 0, gtk_widget_get_allocated_width (over), gtk_widget_get_allocated_height (over) };
  gtk_widget_translate_coordinates (over, m->root, 0, 0, &at.x, &at.y);
  gtk_popover_set_pointing_to (GTK_POPOVER (e->popover), &at);
  gtk_popover_popup (GTK_POPOVER (e->popover));
  gtk_widget_grab_focus (e->text);
}

/* ---- the list ---------------------------------------------------------------------------------------------------------- */

typedef struct Wanted {
  LookLevel level;
  guint number;
  Manager *m;
  GtkWidget *over;
} Wanted;

static void
edit_wanted (void *arg, const AssociationsRule *rule)
{
  const Wanted *w = arg;

  if (rule->level == w->level && rule->number == w->number)
    panes_associations_edit (w->m, w->over, rule->level == LOOK_OF_PROGRAM ? (int) rule->number : -1, rule);
}

static void
panes_associations_on_edit (GtkButton *b, Manager *m)
{
  Wanted w = { (LookLevel) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (b), "level")),
               GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (b), "number")), m, GTK_WIDGET (b) };

  associations_each_rule (rules (m), edit_wanted, &w);
}

static void
on_add (GtkButton *b, Manager *m)
{
  if (scope_document_is_open (m->d))
    panes_associations_edit (m, GTK_WIDGET (b), -1, NULL);
}

static GtkWidget *
panes_associations_icon_button (const char *icon, const char *told, const AssociationsRule *rule, GCallback clicked,
                                Manager *m)
{
  GtkWidget *b = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_MENU);

  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (b, told);
  atk_object_set_name (gtk_widget_get_accessible (b), told);
  if (rule != NULL) {
    g_object_set_data (G_OBJECT (b), "level", GINT_TO_POINTER ((int) rule->level));
    g_object_set_data (G_OBJECT (b), "number", GUINT_TO_POINTER (rule->number));
  }
  g_signal_connect (b, "clicked", clicked, m);
  return b;
}

typedef struct Recolour {
  LookLevel level;
  guint number;
  const char *scale;
  Manager *m;
  bool done;
} Recolour;

/* One of the program is changed, any other taken over into it. */
static void
recolour_wanted (void *arg, const AssociationsRule *rule)
{
  Recolour *r = arg;
  AssociationsRule own = *rule;
  g_autofree char *attribute = g_strdup (rule->attribute), *view = g_strdup (rule->view);
  g_autoptr (GError) error = NULL;

  if (r->done || rule->level != r->level || rule->number != r->number)
    return;
  r->done = true; /* the others are not good any more */
  own.attribute = attribute;
  own.view = view;
  own.scale = r->scale;
  if (!associations_change (r->m->d, _ ("Change a Colour"), own.level == LOOK_OF_PROGRAM ? (int) own.number : -1, &own,
                            &error))
    scope_document_say (r->m->d, SCOPE_SAY_ERROR, _ ("The colour cannot be changed: %s"), error->message);
}

static void
on_recoloured (void *arg, LookLevel level, guint number, const char *scale)
{
  Recolour r = { level, number, scale, arg, false };

  associations_each_rule (rules (r.m), recolour_wanted, &r);
}

static void
panes_associations_add_row (void *arg, const AssociationsRule *rule)
{
  static const char *const from[LOOK_LEVELS] = { N_ ("the format"), N_ ("you, for all programs"), N_ ("the bundle"),
                                                 N_ ("this program"), "--associations" };
  Manager *m = arg;
  g_autofree char *what = g_strdup_printf ("%s %s: %s", in_words (look_kinds[rule->kind]),
                                           in_words (look_channels[rule->channel]), rule->attribute),
                  *of = g_strdup_printf ("%s%s%s%s", in_words (from[rule->level]),
                                         rule->view != NULL ? _ (", in ") : "", rule->view != NULL ? rule->view : "",
                                         rule->counts ? "" : _ ("; a nearer one wins"));
  g_autofree char *edits = g_strdup_printf (rule->level == LOOK_OF_PROGRAM ? _ ("Change %s") : _ ("Take over %s"),
                                            what),
                  *removes = g_strdup_printf (_ ("Remove %s"), what);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2), *names = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *name = gtk_label_new (what), *where = gtk_label_new (of);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_xalign (GTK_LABEL (where), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_label_set_ellipsize (GTK_LABEL (where), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (name, rule->scale);
  gtk_style_context_add_class (gtk_widget_get_style_context (where), "dim-label");
  gtk_container_add (GTK_CONTAINER (names), name);
  gtk_container_add (GTK_CONTAINER (names), where);
  gtk_box_pack_start (GTK_BOX (line), names, TRUE, TRUE, 0);
  gtk_box_pack_start (
      GTK_BOX (line),
      panes_associations_icon_button (rule->level == LOOK_OF_PROGRAM ? "document-edit-symbolic" : "edit-copy-symbolic",
                                      edits, rule, G_CALLBACK (panes_associations_on_edit), m),
      FALSE, FALSE, 0);
  if (rule->level == LOOK_OF_PROGRAM)
    gtk_box_pack_start (GTK_BOX (line),
                        panes_associations_icon_button ("edit-delete-symbolic", removes, rule,
                                                        G_CALLBACK (panes_associations_on_remove), m),
                        FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (m->list), line);
  if (rule->channel == LOOK_COLOUR)
    associations_colours_add (GTK_CONTAINER (m->list), m->d, rule, on_recoloured, m);
}

static void
panes_associations_fill (Manager *m)
{
  uint64_t serial = associations_serial (rules (m));
  const EveProgram *of = scope_document_program (m->d);

  if (serial == m->shown && of == m->of)
    return;
  m->shown = serial;
  m->of = of;
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (m->list));
  for (GList *i = old; i != NULL; i = i->next)
    gtk_widget_destroy (i->data);
  associations_each_rule (rules (m), panes_associations_add_row, m);
  gtk_widget_show_all (m->list);
}

static void
panes_associations_on_destroy (GtkWidget *root, Manager *m)
{
  g_signal_handlers_disconnect_by_data (m->d, m);
  if (m->editor != NULL)
    m->editor->filling = true;
  g_clear_object (&m->d);
}

static void
manager_free (gpointer data)
{
  Manager *m = data;

  g_free (m->editor);
  g_free (m);
}

/* By a command: the side is shown if it is not. */
static gboolean
add_soon (gpointer root)
{
  Manager *m = g_object_get_data (G_OBJECT (root), "manager");

  if (m->d != NULL && gtk_widget_get_mapped (root) && scope_document_is_open (m->d))
    panes_associations_edit (m, m->add, -1, NULL);
  return G_SOURCE_REMOVE;
}

static void
panes_associations_on_map (GtkWidget *root, Manager *m)
{
  if (m->wanted)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, add_soon, g_object_ref (root), g_object_unref);
  m->wanted = false;
}

static void
act_associate (GSimpleAction *action, GVariant *none, GtkWidget *root)
{
  Manager *m = g_object_get_data (G_OBJECT (root), "manager");
  GtkWidget *top = gtk_widget_get_toplevel (m->root);

  m->wanted = !gtk_widget_get_mapped (m->root);
  if (m->wanted && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "side", NULL);
  if (gtk_widget_get_mapped (m->root))
    add_soon (m->root);
}

static void
on_hierarchy (GtkWidget *root, GtkWidget *before, Manager *m)
{
  GtkWidget *top = gtk_widget_get_toplevel (root);

  if (!G_IS_ACTION_MAP (top) || g_action_map_lookup_action (G_ACTION_MAP (top), "associate") != NULL)
    return;
  g_autoptr (GSimpleAction) action = g_simple_action_new ("associate", NULL);
  g_signal_connect_object (action, "activate", G_CALLBACK (act_associate), root, (GConnectFlags) 0);
  g_action_map_add_action (G_ACTION_MAP (top), G_ACTION (action));
}

GtkWidget *
associations_panel_new (ScopeDocument *d)
{
  Manager *m = g_new0 (Manager, 1);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *title = gtk_label_new (_ ("Associations"));

  m->d = g_object_ref (d);
  m->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  m->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  m->shown = UINT64_MAX;
  atk_object_set_name (gtk_widget_get_accessible (m->root), _ ("Associations"));
  g_object_set_data_full (G_OBJECT (m->root), "manager", m, manager_free);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (title), "dim-label");
  gtk_box_pack_start (GTK_BOX (head), title, TRUE, TRUE, 0);
  m->add = panes_associations_icon_button ("list-add-symbolic", _ ("Tie an attribute to how things look"), NULL,
                                           G_CALLBACK (on_add), m);
  gtk_box_pack_start (GTK_BOX (head), m->add, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (m->root), head);
  gtk_container_add (GTK_CONTAINER (m->root), tie_shapes_new (d));
  gtk_container_add (GTK_CONTAINER (m->root), m->list);
  gtk_widget_show_all (m->root);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (panes_associations_fill), m);
  g_signal_connect_swapped (d, "look", G_CALLBACK (panes_associations_fill), m);
  g_signal_connect (m->root, "destroy", G_CALLBACK (panes_associations_on_destroy), m);
  g_signal_connect_after (m->root, "map", G_CALLBACK (panes_associations_on_map), m);
  g_signal_connect (m->root, "hierarchy-changed", G_CALLBACK (on_hierarchy), m);
  panes_associations_fill (m);
  return m->root;
}
