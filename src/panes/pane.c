/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/pane.h"
#include "eve/words.h"
#include "document/fold-box.h"
#include "views/panel.h"
#include <string.h>

struct _ScopePane {
  GtkBox parent;
  GtkWidget *title, *tools, *caption, *inspect, *move, *draw, *follow, *fit, *detach, *more;
  GtkWidget *picture, *find;
  GtkWidget *over, *panel; /* the picture with what lies over it: a Panel's controls; NULL: nothing */
  char *name;
  bool active, showing, detached;
  guint flash;
};
G_DEFINE_TYPE (ScopePane, scope_pane, GTK_TYPE_BOX)

ScopePicture *
pane_picture (ScopePane *p)
{
  return SCOPE_PICTURE (p->picture);
}

const char *
pane_name (ScopePane *p)
{
  return p->name;
}

GtkWidget *
pane_find_bar (ScopePane *p)
{
  return p->find;
}

/* ---- the title ----------------------------------------------------------------------------------------- */

/* Painted, not a label: a date that changes at the rate of frames must not make the window lay itself out again. */
static gboolean
draw_caption (GtkWidget *w, cairo_t *cr, ScopePane *p)
{
  GtkStyleContext *style = gtk_widget_get_style_context (w);
  g_autofree char *caption = scope_document_is_open (picture_document (pane_picture (p)))
                                 ? picture_caption (pane_picture (p), false)
                                 : NULL;
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (w, NULL);
  g_autofree char *text = *(caption != NULL ? caption : "") != '\0'
                              ? g_markup_printf_escaped ("<b>%s</b>  <span alpha=\"70%%\">%s</span>",
                                                         in_words (p->name), caption)
                              : g_markup_printf_escaped ("<b>%s</b>", in_words (p->name));
  int width = gtk_widget_get_allocated_width (w), wide, height;

  pango_layout_set_markup (layout, text, -1);
  pango_layout_get_pixel_size (layout, &wide, &height);
  if (wide > width && caption != NULL) { /* half a date is none */
    g_free (text);
    text = g_markup_printf_escaped ("<b>%s</b>", in_words (p->name));
    pango_layout_set_markup (layout, text, -1);
  }
  pango_layout_set_width (layout, width * PANGO_SCALE);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  gtk_render_layout (style, cr, 0, (gtk_widget_get_allocated_height (w) - height) / 2, layout);
  return FALSE;
}

/* Tools go before the name is cut: the menu has them. */
static void
wish_for_name (GtkWidget *events, ScopePane *p)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (p->caption, NULL);
  g_autofree char *text = g_markup_printf_escaped ("<b>%s</b>", p->name ? in_words (p->name) : "");
  int wide;

  pango_layout_set_markup (layout, text, -1);
  pango_layout_get_pixel_size (layout, &wide, NULL);
  fold_box_wish (events, wide + 1);
}

/* While time runs nobody is told at the rate of frames. */
static void
pane_describe (ScopePane *p)
{
  ScopeDocument *d = picture_document (pane_picture (p));
  g_autofree char *caption = NULL;

  if (!scope_document_is_open (d) || scope_document_mode (d) == SCOPE_MODE_PLAYING)
    return;
  caption = picture_caption (pane_picture (p), true);
  atk_object_set_description (gtk_widget_get_accessible (GTK_WIDGET (p)), caption);
}

/* The state of the picture, on the buttons. */
static void
pane_show_state (ScopePane *p)
{
  ScopePicture *picture = pane_picture (p);
  PictureSort sort = picture_sort (picture);

  p->showing = true;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (p->inspect), picture_tool (picture) == PICTURE_INSPECT);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (p->move), picture_tool (picture) == PICTURE_MOVE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (p->draw), picture_tool (picture) >= PICTURE_DRAW);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (p->follow), picture_shown (picture)->follow);
  p->showing = false;
  gtk_widget_set_visible (p->draw, picture_tool (picture) >= PICTURE_DRAW); /* the menu turns it on */
  bool counts = sort == PICTURE_DRAWING && picture_counts (picture);
  gtk_widget_set_visible (p->follow, sort != PICTURE_DRAWING || counts);
  const char *follows = counts ? _ ("Follow the range: count what is selected of the time alone")
                               : _ ("Follow the present");
  gtk_widget_set_tooltip_text (p->follow, follows);
  atk_object_set_name (gtk_widget_get_accessible (p->follow), follows);
  gtk_widget_set_visible (p->fit, sort != PICTURE_TEXT);
  gtk_widget_queue_draw (p->caption);
  pane_describe (p);
}

static void
pane_on_shown (ScopePicture *picture, ScopePane *p)
{
  pane_show_state (p);
  g_signal_emit_by_name (p, "changed");
}

static void
activate (ScopePane *p)
{
  g_signal_emit_by_name (p, "active");
}

static gboolean
on_tool_press (GtkWidget *w, GdkEventButton *e, ScopePane *p)
{
  activate (p);
  return FALSE;
}

static void
on_tool (GtkToggleButton *b, ScopePane *p)
{
  if (p->showing)
    return;
  picture_set_tool (pane_picture (p), GTK_WIDGET (b) == p->move ? PICTURE_MOVE : PICTURE_INSPECT);
  pane_show_state (p);
}

static void
on_follow (GtkToggleButton *b, ScopePane *p)
{
  if (!p->showing)
    picture_set_follow (pane_picture (p), gtk_toggle_button_get_active (b));
}

static void
pane_on_fit (GtkButton *b, ScopePane *p)
{
  picture_fit (pane_picture (p));
}

static void
pane_on_detach (GtkButton *b, ScopePane *p)
{
  g_signal_emit_by_name (p, "detach");
}

static void
on_more (GtkButton *b, ScopePane *p)
{
  g_signal_emit_by_name (p, "menu", NULL);
}

static GtkWidget *
pane_tool (ScopePane *p, GType type, const char *icon, const char *name, GCallback pressed)
{
  GtkWidget *b = g_object_new (type, NULL);

  gtk_container_add (GTK_CONTAINER (b), gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_MENU));
  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (b, name);
  atk_object_set_name (gtk_widget_get_accessible (b), name);
  gtk_widget_set_focus_on_click (b, FALSE);
  g_signal_connect (b, "button-press-event", G_CALLBACK (on_tool_press), p);
  g_signal_connect (b, type == GTK_TYPE_TOGGLE_BUTTON ? "toggled" : "clicked", pressed, p);
  gtk_box_pack_start (GTK_BOX (p->tools), b, FALSE, FALSE, 0);
  return b;
}

static gboolean
on_title_press (GtkWidget *w, GdkEventButton *e, ScopePane *p)
{
  activate (p);
  gtk_widget_grab_focus (p->picture);
  if (!gdk_event_triggers_context_menu ((GdkEvent *) e))
    return FALSE;
  g_signal_emit_by_name (p, "menu", e);
  return TRUE;
}

static void
title_drag (GtkGestureDrag *g, ScopePane *p, int phase)
{
  double x = 0, y = 0, dx = 0, dy = 0;
  int px, py;

  gtk_gesture_drag_get_start_point (g, &x, &y);
  gtk_gesture_drag_get_offset (g, &dx, &dy);
  if (p->detached || (phase != 2 && dx * dx + dy * dy < 64))
    return;
  gtk_widget_translate_coordinates (p->caption, GTK_WIDGET (p), (int) (x + dx), (int) (y + dy), &px, &py);
  g_signal_emit_by_name (p, "title-drag", phase, (double) px, (double) py);
}

static void
on_title_moved (GtkGestureDrag *g, double dx, double dy, ScopePane *p)
{
  title_drag (g, p, 0);
}

static void
on_title_dropped (GtkGestureDrag *g, double dx, double dy, ScopePane *p)
{
  title_drag (g, p, 1);
}

static void
on_title_cancelled (GtkGesture *g, GdkEventSequence *s, ScopePane *p)
{
  title_drag (GTK_GESTURE_DRAG (g), p, 2);
}

static void
make_title (ScopePane *p)
{
  GtkWidget *events = gtk_event_box_new ();
  GtkGesture *g;

  p->title = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  p->tools = fold_box_new (0);
  gtk_box_pack_start (GTK_BOX (p->title), p->tools, TRUE, TRUE, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->title), "pane-title");
  p->caption = gtk_drawing_area_new ();
  gtk_widget_set_size_request (p->caption, 90, 24);
  g_signal_connect (p->caption, "draw", G_CALLBACK (draw_caption), p);
  gtk_container_add (GTK_CONTAINER (events), p->caption);
  gtk_event_box_set_above_child (GTK_EVENT_BOX (events), TRUE);
  gtk_widget_set_tooltip_text (events, _ ("Drag it to an edge of another view"));
  g_signal_connect (events, "button-press-event", G_CALLBACK (on_title_press), p);
  g_signal_connect (events, "style-updated", G_CALLBACK (wish_for_name), p);
  g = gtk_gesture_drag_new (events);
  g_signal_connect (g, "drag-update", G_CALLBACK (on_title_moved), p);
  g_signal_connect (g, "drag-end", G_CALLBACK (on_title_dropped), p);
  g_signal_connect (g, "cancel", G_CALLBACK (on_title_cancelled), p);
  g_object_set_data_full (G_OBJECT (events), "drag", g, g_object_unref);
  gtk_box_pack_start (GTK_BOX (p->tools), events, TRUE, TRUE, 0);
  p->inspect = pane_tool (p, GTK_TYPE_TOGGLE_BUTTON, "find-location-symbolic", _ ("Inspect: a drag selects a range"),
                          G_CALLBACK (on_tool));
  p->move = pane_tool (p, GTK_TYPE_TOGGLE_BUTTON, "view-app-grid-symbolic", _ ("Move: a drag moves what is shown"),
                       G_CALLBACK (on_tool));
  p->draw = pane_tool (p, GTK_TYPE_TOGGLE_BUTTON, "document-edit-symbolic", _ ("Drawing over it: press to stop"),
                       G_CALLBACK (on_tool));
  p->follow = pane_tool (p, GTK_TYPE_TOGGLE_BUTTON, "media-playback-start-symbolic", _ ("Follow the present"),
                         G_CALLBACK (on_follow));
  p->fit = pane_tool (p, GTK_TYPE_BUTTON, "zoom-fit-best-symbolic", _ ("Fit (F)"), G_CALLBACK (pane_on_fit));
  if (view_camera (picture_component (pane_picture (p))) != NULL) {
    GtkWidget *camera = camera_button_new (p);
    g_signal_connect (camera, "button-press-event", G_CALLBACK (on_tool_press), p);
    gtk_box_pack_start (GTK_BOX (p->tools), camera, FALSE, FALSE, 0);
  }
  GtkWidget *over = picture_hand_over_new (pane_picture (p));
  g_signal_connect (over, "button-press-event", G_CALLBACK (on_tool_press), p);
  gtk_box_pack_start (GTK_BOX (p->tools), over, FALSE, FALSE, 0);
  p->detach = pane_tool (p, GTK_TYPE_BUTTON, "window-new-symbolic", _ ("Detach into a window"),
                         G_CALLBACK (pane_on_detach));
  p->more = pane_tool (p, GTK_TYPE_BUTTON, "view-more-horizontal-symbolic", _ ("More"), G_CALLBACK (on_more));
  /* Where there is little room, the menu has them all. */
  GtkWidget *const go[] = { over, p->detach, p->move, p->inspect, p->follow, p->fit, p->draw };
  for (guint i = 0; i < G_N_ELEMENTS (go); i++)
    fold_box_order (go[i], (int) i + 1);
}

/* ---- state --------------------------------------------------------------------------------------------- */

static GtkWidget *(*make_panel) (ScopeDocument *d, const char *name);

void
panes_set_panel_maker (GtkWidget *(*make) (ScopeDocument *d, const char *name))
{
  make_panel = make;
}

/* A Panel's picture is for files; in the window its controls lie over it. */
static void
show_panel (ScopePane *p, EveComponent *c)
{
  if (p->panel)
    gtk_widget_destroy (p->panel);
  p->panel = make_panel && eve_query (c, PANEL_INTERFACE)
                 ? make_panel (picture_document (pane_picture (p)), eve_name (c))
                 : NULL;
  if (p->panel)
    gtk_overlay_add_overlay (GTK_OVERLAY (p->over), p->panel);
}

void
pane_set_component (ScopePane *p, EveComponent *c)
{
  AtkObject *a = gtk_widget_get_accessible (GTK_WIDGET (p));

  picture_set_component (pane_picture (p), c);
  if (g_strcmp0 (p->name, eve_name (c)) == 0)
    return;
  g_free (p->name);
  p->name = g_strdup (eve_name (c));
  atk_object_set_role (a, ATK_ROLE_PANEL);
  atk_object_set_name (a, in_words (p->name));
  g_autofree char *picture = g_strdup_printf (_ ("Picture of %s"), in_words (p->name));
  atk_object_set_name (gtk_widget_get_accessible (p->picture), picture);
  wish_for_name (gtk_widget_get_parent (p->caption), p);
  gtk_widget_queue_draw (p->caption);
  show_panel (p, c);
}

void
scope_set_style (GtkWidget *w, const char *name, bool on)
{
  GtkStyleContext *style = gtk_widget_get_style_context (w);

  if (on)
    gtk_style_context_add_class (style, name);
  else
    gtk_style_context_remove_class (style, name);
}

void
pane_set_active (ScopePane *p, bool active)
{
  p->active = active;
  scope_set_style (p->title, "active", active);
}

void
pane_set_detached (ScopePane *p, bool detached)
{
  const char *name = detached ? _ ("Back into the main window") : _ ("Detach into a window");

  p->detached = detached;
  gtk_image_set_from_icon_name (GTK_IMAGE (gtk_bin_get_child (GTK_BIN (p->detach))),
                                detached ? "view-restore-symbolic" : "window-new-symbolic", GTK_ICON_SIZE_MENU);
  gtk_widget_set_tooltip_text (p->detach, name);
  atk_object_set_name (gtk_widget_get_accessible (p->detach), name);
}

static gboolean
end_flash (gpointer data)
{
  ScopePane *p = data;

  p->flash = 0;
  scope_set_style (p->title, "flash", false);
  return G_SOURCE_REMOVE;
}

void
pane_front (ScopePane *p)
{
  GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (p));

  gtk_widget_grab_focus (p->picture);
  if (p->detached && GTK_IS_WINDOW (window))
    gtk_window_present (GTK_WINDOW (window));
  scope_set_style (p->title, "flash", true);
  if (p->flash == 0)
    p->flash = g_timeout_add (900, end_flash, p);
}

/* ---- kept with the program ----------------------------------------------------------------------------- */

static const char *
pane_key (char *to, gsize n, const char *prefix, const char *name)
{
  g_snprintf (to, (gulong) n, "%s.%s", prefix, name);
  return to;
}

void
pane_save (ScopePane *p, GKeyFile *to, const char *group, const char *prefix)
{
  const PictureShown *s = picture_shown (pane_picture (p));
  char k[64];

  if (s->from <= s->to) {
    g_key_file_set_int64 (to, group, pane_key (k, sizeof k, prefix, "from"), s->from);
    g_key_file_set_int64 (to, group, pane_key (k, sizeof k, prefix, "to"), s->to);
  }
  if (s->n_rows > 0) {
    g_key_file_set_integer (to, group, pane_key (k, sizeof k, prefix, "first row"), (gint) s->first_row);
    g_key_file_set_integer (to, group, pane_key (k, sizeof k, prefix, "rows"), (gint) s->n_rows);
  }
  if (s->event != UINT64_MAX)
    g_key_file_set_uint64 (to, group, pane_key (k, sizeof k, prefix, "event"), s->event);
  if (s->zoom > 1) {
    gdouble zoom[] = { s->zoom, s->left, s->top };
    g_key_file_set_double_list (to, group, pane_key (k, sizeof k, prefix, "zoom"), zoom, 3);
  }
  if (!s->follow)
    g_key_file_set_boolean (to, group, pane_key (k, sizeof k, prefix, "follow"), FALSE);
  if (picture_tool (pane_picture (p)) == PICTURE_MOVE)
    g_key_file_set_string (to, group, pane_key (k, sizeof k, prefix, "tool"), "move");
}

void
pane_load (ScopePane *p, GKeyFile *from, const char *group, const char *prefix)
{
  PictureShown s = { .from = 1, .to = 0, .event = UINT64_MAX, .zoom = 1, .follow = true };
  g_autofree char *tool_name = NULL;
  gdouble *zoom;
  gsize n = 0;
  char k[64];

  if (g_key_file_has_key (from, group, pane_key (k, sizeof k, prefix, "from"), NULL)) {
    s.from = g_key_file_get_int64 (from, group, k, NULL);
    s.to = g_key_file_get_int64 (from, group, pane_key (k, sizeof k, prefix, "to"), NULL);
  }
  s.first_row = (uint32_t) MAX (g_key_file_get_integer (from, group, pane_key (k, sizeof k, prefix, "first row"), NULL),
                                0);
  s.n_rows = (uint32_t) MAX (g_key_file_get_integer (from, group, pane_key (k, sizeof k, prefix, "rows"), NULL), 0);
  if (g_key_file_has_key (from, group, pane_key (k, sizeof k, prefix, "event"), NULL))
    s.event = g_key_file_get_uint64 (from, group, k, NULL);
  if (g_key_file_has_key (from, group, pane_key (k, sizeof k, prefix, "follow"), NULL))
    s.follow = g_key_file_get_boolean (from, group, k, NULL);
  zoom = g_key_file_get_double_list (from, group, pane_key (k, sizeof k, prefix, "zoom"), &n, NULL);
  if (zoom != NULL && n == 3 && zoom[0] > 1 && zoom[1] >= 0 && zoom[2] >= 0) {
    s.zoom = zoom[0];
    s.left = zoom[1];
    s.top = zoom[2];
  }
  g_free (zoom);
  tool_name = g_key_file_get_string (from, group, pane_key (k, sizeof k, prefix, "tool"), NULL);
  picture_set_tool (pane_picture (p), g_strcmp0 (tool_name, "move") == 0 ? PICTURE_MOVE : PICTURE_INSPECT);
  picture_restore (pane_picture (p), s);
}

/* ---- the widget ---------------------------------------------------------------------------------------- */

static gboolean
pane_on_focus (GtkWidget *w, GdkEventFocus *e, ScopePane *p)
{
  activate (p);
  return FALSE;
}

static void
pane_on_menu (ScopePicture *picture, gpointer event, ScopePane *p)
{
  g_signal_emit_by_name (p, "menu", event);
}

static void
pane_finalize (GObject *o)
{
  ScopePane *p = SCOPE_PANE (o);

  if (p->flash != 0)
    g_source_remove (p->flash);
  g_free (p->name);
  G_OBJECT_CLASS (scope_pane_parent_class)->finalize (o);
}

static void
scope_pane_class_init (ScopePaneClass *klass)
{
  static const char *const plain[] = { "active", "detach", "changed" };

  G_OBJECT_CLASS (klass)->finalize = pane_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    g_signal_new (plain[i], SCOPE_TYPE_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new ("menu", SCOPE_TYPE_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  g_signal_new ("title-drag", SCOPE_TYPE_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, G_TYPE_INT,
                G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "pane");
}

static void
scope_pane_init (ScopePane *p)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (p), GTK_ORIENTATION_VERTICAL);
}

GtkWidget *
pane_new (ScopeDocument *d, EveComponent *c)
{
  ScopePane *p = g_object_new (SCOPE_TYPE_PANE, NULL);

  p->picture = picture_new (d, c);
  make_title (p);
  gtk_box_pack_start (GTK_BOX (p), p->title, FALSE, FALSE, 0);
  p->find = find_bar_new (pane_picture (p));
  if (p->find != NULL)
    gtk_box_pack_start (GTK_BOX (p), p->find, FALSE, FALSE, 0);
  p->over = gtk_overlay_new ();
  gtk_container_add (GTK_CONTAINER (p->over), p->picture);
  gtk_box_pack_start (GTK_BOX (p), p->over, TRUE, TRUE, 0);
  g_signal_connect (p->picture, "shown", G_CALLBACK (pane_on_shown), p);
  g_signal_connect (p->picture, "menu", G_CALLBACK (pane_on_menu), p);
  g_signal_connect (p->picture, "focus-in-event", G_CALLBACK (pane_on_focus), p);
  pane_set_component (p, c);
  gtk_widget_show_all (GTK_WIDGET (p));
  pane_show_state (p);
  return GTK_WIDGET (p);
}
