/* SPDX-License-Identifier: Apache-2.0 */
/* tie.c - what is dragged is told as text, "shape NAME" or "KIND ATTRIBUTE"; a rule is made of it where it is dropped.
 */
#include <string.h>
#include "eve/words.h"
#include "panes/associations-edit.h"
#include "panes/rgba.h"
#include "panes/tie.h"
#include "views/paint.h"
#include "views/shows.h"

#define SHAPE "shape"
#define SIDE_PX 22 /* of a shape */

const GtkTargetEntry tie_target = { (char *) "application/x-scope-tie", GTK_TARGET_SAME_APP, TIE_INFO };

static void
tie_on_get (GtkWidget *w, GdkDragContext *context, GtkSelectionData *data, guint info, guint time, gpointer unused)
{
  const char *text = g_object_get_data (G_OBJECT (w), "tie");

  gtk_selection_data_set (data, gtk_selection_data_get_target (data), 8, (const guchar *) text, (int) strlen (text));
}

static void
make_source (GtkWidget *w, char *text)
{
  g_object_set_data_full (G_OBJECT (w), "tie", text, g_free);
  gtk_drag_source_set (w, GDK_BUTTON1_MASK, &tie_target, 1, GDK_ACTION_COPY);
  g_signal_connect (w, "drag-data-get", G_CALLBACK (tie_on_get), NULL);
}

void
tie_make_source (GtkWidget *w, LookKind kind, const char *attribute)
{
  make_source (w, g_strdup_printf ("%s %s", look_kinds[kind], attribute));
}

/* ---- shapes --------------------------------------------------------------------------------------------------------- */

static gboolean
tie_draw_shape (GtkWidget *w, cairo_t *cr, ScopeDocument *d)
{
  ViewScene scene = { 0 };
  GdkRGBA ink, background;
  Paint p;

  if (!scope_document_is_open (d))
    return FALSE;
  scope_document_scene (d, &scene);
  GtkStyleContext *style = gtk_widget_get_style_context (w);
  gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
  paint_over (&p, &scene, cr);
  if (gtk_style_context_lookup_color (style, "theme_bg_color", &background)) /* a ring has the panel in it, not paper */
    p.paper = rgb_of (&background);
  paint_shape_of (&p, SIDE_PX / 2.0, gtk_widget_get_allocated_height (w) / 2.0, 7,
                  (PaintShape) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (w), "shape")), rgb_of (&ink));
  paint_end (&p);
  return FALSE;
}

GtkWidget *
tie_shapes_new (ScopeDocument *d)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  for (int i = 0; i < PAINT_SHAPES; i++) {
    GtkWidget *box = gtk_event_box_new (), *shape = gtk_drawing_area_new ();
    g_autofree char *name = g_strdup_printf (_ ("Shape %s"), in_words (paint_shapes[i])),
                    *told = g_strdup_printf (_ ("%s: drag it onto a task or a line of the legend"), name);
    gtk_widget_set_size_request (shape, SIDE_PX, SIDE_PX);
    g_object_set_data (G_OBJECT (shape), "shape", GINT_TO_POINTER (i));
    g_signal_connect (shape, "draw", G_CALLBACK (tie_draw_shape), d);
    gtk_container_add (GTK_CONTAINER (box), shape);
    gtk_widget_set_tooltip_text (box, told);
    atk_object_set_name (gtk_widget_get_accessible (box), name);
    make_source (box, g_strdup_printf (SHAPE " %s", paint_shapes[i]));
    gtk_box_pack_start (GTK_BOX (row), box, FALSE, FALSE, 0);
  }
  return row;
}

/* ---- a shape is dropped ----------------------------------------------------------------------------------------------- */

/* Whether tasks have that value: calls, series and groups have no shape, and links have none. */
static bool
is_of_tasks (ScopeDocument *d, const char *attribute, const char *value)
{
  const StateGraph *g = scope_document_graph (d);
  int i = g != NULL ? state_attribute (g->model, STATE_NODE, attribute) : -1;
  const StateAttribute *a = i >= 0 ? &g->model->attributes[i] : NULL;

  for (uint32_t k = 0; a != NULL && k < a->n_values; k++)
    if (strcmp (a->values[k].name, value) == 0)
      return true;
  return a != NULL && a->n_values == 0;
}

/* The nearest rule that is of the same, and counts. */
typedef struct Wanted {
  LookKind kind;
  LookChannel channel;
  const char *attribute, *view; /* attribute NULL: any, of the program alone */
  bool found;
  int number;  /* in the program; -1: of another level */
  char *scale; /* g_free */
} Wanted;

static void
meet_rule (void *arg, const AssociationsRule *rule)
{
  Wanted *w = arg;
  bool own = rule->level == LOOK_OF_PROGRAM;

  if (w->found || rule->kind != w->kind || rule->channel != w->channel || !rule->counts
      || g_strcmp0 (rule->view, w->view) != 0
      || (w->attribute != NULL ? strcmp (rule->attribute, w->attribute) != 0 : !own))
    return;
  w->found = true;
  w->number = own ? (int) rule->number : -1;
  w->scale = g_strdup (rule->scale);
}

static Wanted
rule_of (ScopeDocument *d, LookKind kind, LookChannel channel, const char *attribute, const char *view)
{
  Wanted w = { kind, channel, attribute, view, false, -1, NULL };

  associations_each_rule (view_associations (scope_document_colours (d)), meet_rule, &w);
  return w;
}

/* The scale with that look for the value; its other lines stay. */
static char *
with_line (const char *scale, const char *value, const char *look)
{
  g_auto (GStrv) lines = g_strsplit (scale != NULL ? scale : "", "\n", -1);
  g_autofree char *quoted = associations_quoted (value);
  GString *to = g_string_new (NULL);
  bool met = false;

  for (char **line = lines; *line != NULL; line++) {
    char *equals = strrchr (*line, '=');
    g_autofree char *of = equals != NULL ? g_strstrip (g_strndup (*line, (gsize) (equals - *line))) : NULL;
    bool same = of != NULL && (strcmp (of, value) == 0 || strcmp (of, quoted) == 0);
    if (same && !met)
      g_string_append_printf (to, "  %s = %s\n", quoted, look);
    else if (!same && *g_strchug (*line) != '\0')
      g_string_append_printf (to, "  %s\n", *line);
    met |= same;
  }
  if (!met)
    g_string_append_printf (to, "  %s = %s\n", quoted, look);
  return g_string_free (to, FALSE);
}

static void
set_rule (ScopeDocument *d, const char *what, int number, const AssociationsRule *rule)
{
  g_autoptr (GError) error = NULL;

  if (!associations_change (d, what, number, rule, &error))
    scope_document_say (d, SCOPE_SAY_ERROR, _ ("The rule cannot be made: %s"), error->message);
}

static void
drop_shape (ScopeDocument *d, const char *shape, const TieOnto *onto)
{
  if (onto->attribute == NULL || !is_of_tasks (d, onto->attribute, onto->value)) {
    scope_document_say (d, SCOPE_SAY_WARNING, "%s",
                        _ ("Only tasks have shapes: drop it onto a task, or onto a state of tasks in the legend"));
    return;
  }
  Wanted w = rule_of (d, LOOK_TASK, LOOK_SHAPE, onto->attribute, onto->view);
  g_autofree char *scale = with_line (w.scale, onto->value, shape);
  const AssociationsRule rule = {
    .kind = LOOK_TASK, .channel = LOOK_SHAPE, .attribute = onto->attribute, .view = onto->view, .scale = scale
  };
  set_rule (d, _ ("Change a Shape"), w.number, &rule);
  g_free (w.scale);
}

/* ---- an attribute is dropped ------------------------------------------------------------------------------------------- */

typedef struct Asked {
  ScopeDocument *d;
  LookKind kind;
  char *attribute, *view; /* g_free */
} Asked;

static void
tie_asked_free (gpointer data)
{
  Asked *a = data;

  g_object_unref (a->d);
  g_free (a->attribute);
  g_free (a->view);
  g_free (a);
}

/* Why nothing would be seen of it in that view, g_free; NULL: it is shown. */
static char *
why_unseen (const Asked *a, LookChannel channel)
{
  EveComponent *view = a->view != NULL ? eve_find (scope_document_program (a->d), a->view) : NULL;
  const ViewShows *shows = view != NULL && a->kind == LOOK_TASK ? eve_query (view, VIEW_SHOWS) : NULL;
  const StateGraph *g = scope_document_graph (a->d);
  int i = g != NULL ? state_attribute (g->model, STATE_NODE, a->attribute) : -1;
  StateRole role = i >= 0 ? g->model->attributes[i].role : STATE_ROLE_NONE;

  if (shows == NULL || (channel == LOOK_COLOUR && role == STATE_ROLE_STATE)) /* states have colours in all views */
    return NULL;
  if ((shows->tasks >> channel & 1) == 0)
    return g_strdup_printf (_ ("%s does not show %s as %s: %s"), a->view, in_words (a->attribute),
                            in_words (look_channels[channel]), in_words (shows->why));
  if (shows->lasting && i >= 0 && (role == STATE_ROLE_NONE || role == STATE_ROLE_STATE))
    return g_strdup_printf (_ ("%s does not show %s: it changes with time, and a row is of the whole execution; State "
                               "graph and Status grid show it at each instant"),
                            a->view, in_words (a->attribute));
  return NULL;
}

static void
tie_on_channel (GtkMenuItem *item, Asked *a)
{
  LookChannel channel = (LookChannel) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (item), "channel"));
  g_autofree char *why = why_unseen (a, channel);
  if (why != NULL) {
    scope_document_say (a->d, SCOPE_SAY_WARNING, "%s", why);
    return;
  }
  Wanted w = rule_of (a->d, a->kind, channel, NULL, a->view); /* a channel shows one attribute */
  g_autofree char *scale = associations_proposed (a->d, a->kind, a->attribute, channel);
  const AssociationsRule rule = {
    .kind = a->kind, .channel = channel, .attribute = a->attribute, .view = a->view, .scale = scale
  };

  set_rule (a->d, _ ("Add an Association"), w.number, &rule);
  g_free (w.scale);
}

static void
ask_channel (ScopeDocument *d, LookKind kind, const char *attribute, const TieOnto *onto, GtkWidget *over, int x, int y)
{
  static const LookChannel of_tasks[] = { LOOK_COLOUR, LOOK_PATTERN, LOOK_SHAPE, LOOK_SIZE, LOOK_LABEL,
                                          LOOK_FILL,   LOOK_OPACITY, LOOK_ORDER, LOOK_X,    LOOK_Y },
                           of_links[] = { LOOK_COLOUR, LOOK_WIDTH, LOOK_DASH, LOOK_OPACITY };
  const LookChannel *all = kind == LOOK_LINK ? of_links : of_tasks;
  guint n = kind == LOOK_LINK ? G_N_ELEMENTS (of_links) : G_N_ELEMENTS (of_tasks);
  Asked *a = g_new0 (Asked, 1);
  GtkWidget *menu = gtk_menu_new ();
  g_autofree char *title = onto->view != NULL
                               ? g_strdup_printf (_ ("%s in %s, as its"), in_words (attribute), onto->view)
                               : g_strdup_printf (_ ("%s in all views, as its"), in_words (attribute));
  GtkWidget *head = gtk_menu_item_new_with_label (title);

  *a = (Asked){ g_object_ref (d), kind, g_strdup (attribute), g_strdup (onto->view) };
  g_object_set_data_full (G_OBJECT (menu), "asked", a, tie_asked_free);
  gtk_widget_set_sensitive (head, FALSE);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), head);
  for (guint i = 0; i < n; i++) {
    GtkWidget *item = gtk_menu_item_new_with_label (in_words (look_channels[all[i]]));
    g_object_set_data (G_OBJECT (item), "channel", GINT_TO_POINTER ((int) all[i]));
    g_signal_connect (item, "activate", G_CALLBACK (tie_on_channel), a);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
  }
  gtk_widget_show_all (menu);
  gtk_menu_attach_to_widget (GTK_MENU (menu), over, NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  GdkRectangle at = { x, y, 1, 1 };
  if (!gtk_widget_get_has_window (over)) { /* px of the widget become those of the window that it is drawn into */
    GtkAllocation room;
    gtk_widget_get_allocation (over, &room);
    at.x += room.x;
    at.y += room.y;
  }
  gtk_menu_popup_at_rect (GTK_MENU (menu), gtk_widget_get_window (over), &at, GDK_GRAVITY_SOUTH_EAST,
                          GDK_GRAVITY_NORTH_WEST, NULL);
}

void
tie_drop (ScopeDocument *d, GtkSelectionData *data, const TieOnto *onto, GtkWidget *over, int x, int y)
{
  int length = gtk_selection_data_get_length (data);
  g_autofree char *text = length > 0 ? g_strndup ((const char *) gtk_selection_data_get_data (data), (gsize) length)
                                     : NULL;
  char *rest = text != NULL ? strchr (text, ' ') : NULL;

  if (rest == NULL || !scope_document_is_open (d))
    return;
  *rest++ = '\0';
  if (strcmp (text, SHAPE) == 0)
    drop_shape (d, rest, onto);
  for (int kind = 0; kind < LOOK_KINDS; kind++)
    if (strcmp (text, look_kinds[kind]) == 0)
      ask_channel (d, (LookKind) kind, rest, onto, over, x, y);
}
