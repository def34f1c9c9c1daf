/* SPDX-License-Identifier: Apache-2.0 */
/* panes.c - which views are open, and where: a pane for each view of the program, tiled or in a window of its own. */
#include "document/asks.h"
#include "panes/panes-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define NOTE "window" /* of the program; other groups of it belong to others */
#define GROUP "views"
#define SAVE_MS 400

G_DEFINE_TYPE (ScopePanes, scope_panes, GTK_TYPE_OVERLAY)

ScopePane *
panes_find (ScopePanes *panes, const char *name)
{
  for (guint i = 0; i < panes->panes->len; i++)
    if (g_str_equal (pane_name (panes->panes->pdata[i]), name))
      return panes->panes->pdata[i];
  return NULL;
}

bool
panes_is_detached (ScopePanes *panes, ScopePane *p)
{
  return tile_find (panes->root, p) == NULL;
}

/* ---- laying out ---------------------------------------------------------------------------------------- */

static void
panes_take_out (GtkWidget *w)
{
  GtkWidget *parent = gtk_widget_get_parent (w);

  if (parent != NULL)
    gtk_container_remove (GTK_CONTAINER (parent), w);
}

static void
on_divider (GtkPaned *paned, GParamSpec *spec, ScopePanes *panes)
{
  Tile *tile = g_object_get_data (G_OBJECT (paned), "tile");
  GtkAllocation room;

  gtk_widget_get_allocation (GTK_WIDGET (paned), &room);
  double all = tile->orientation == GTK_ORIENTATION_HORIZONTAL ? room.width : room.height;
  if (g_object_get_data (G_OBJECT (paned), "placed") == NULL || all <= 1)
    return;
  tile->share = CLAMP (gtk_paned_get_position (paned) / all, 0.02, 0.98);
  panes_save_later (panes);
}

/* A share means px only once the room is known; a position that is set while room is given would not be seen. */
static gboolean
place_divider (gpointer data)
{
  GtkPaned *paned = data;
  Tile *tile = g_object_get_data (G_OBJECT (paned), "tile");
  GtkAllocation room;

  gtk_widget_get_allocation (GTK_WIDGET (paned), &room);
  if (gtk_widget_get_parent (GTK_WIDGET (paned)) == NULL)
    return G_SOURCE_REMOVE;
  gtk_paned_set_position (
      paned, (int) lround (tile->share * (tile->orientation == GTK_ORIENTATION_HORIZONTAL ? room.width : room.height)));
  g_object_set_data (G_OBJECT (paned), "placed", paned);
  return G_SOURCE_REMOVE;
}

static void
on_room (GtkPaned *paned, GdkRectangle *room, ScopePanes *panes)
{
  if (room->width <= 1 || room->height <= 1 || g_object_get_data (G_OBJECT (paned), "roomy") != NULL)
    return;
  g_object_set_data (G_OBJECT (paned), "roomy", paned);
  g_idle_add_full (GTK_PRIORITY_RESIZE, place_divider, g_object_ref (paned), g_object_unref);
}

/* In so much room, as far as that is known by now. */
static GtkWidget *
panes_build (ScopePanes *panes, Tile *t, int width, int height)
{
  bool across = t->orientation == GTK_ORIENTATION_HORIZONTAL;
  int first = (int) lround (t->share * (across ? width : height));
  GtkWidget *paned;

  if (t->child[0] == NULL)
    return t->leaf;
  paned = gtk_paned_new (t->orientation);
  g_object_set_data (G_OBJECT (paned), "tile", t);
  gtk_paned_pack1 (GTK_PANED (paned), panes_build (panes, t->child[0], across ? first : width, across ? height : first),
                   TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (paned),
                   panes_build (panes, t->child[1], across ? width - first : width, across ? height : height - first),
                   TRUE, FALSE);
  if (width > 1 && height > 1)
    gtk_paned_set_position (GTK_PANED (paned), first);
  g_signal_connect (paned, "notify::position", G_CALLBACK (on_divider), panes);
  g_signal_connect (paned, "size-allocate", G_CALLBACK (on_room), panes);
  gtk_widget_show (paned);
  return paned;
}

/* Where the panes are is the tree's business alone: widgets are built anew from it. */
static void
panes_rebuild (ScopePanes *panes)
{
  GtkWidget *focus = panes->active != NULL ? GTK_WIDGET (pane_picture (panes->active)) : NULL, *old;
  bool had_focus = focus != NULL && gtk_widget_has_focus (focus);

  for (guint i = 0; i < panes->panes->len; i++)
    if (!panes_is_detached (panes, panes->panes->pdata[i]))
      panes_take_out (panes->panes->pdata[i]);
  old = gtk_bin_get_child (GTK_BIN (panes->stage));
  if (GTK_IS_PANED (old))
    gtk_widget_destroy (old); /* whoever may still hold it */
  else if (old != NULL)
    gtk_container_remove (GTK_CONTAINER (panes->stage), old);
  if (panes->maximised != NULL && panes_is_detached (panes, panes->maximised))
    panes->maximised = NULL;
  if (panes->maximised != NULL)
    gtk_container_add (GTK_CONTAINER (panes->stage), GTK_WIDGET (panes->maximised));
  else if (panes->root != NULL)
    gtk_container_add (GTK_CONTAINER (panes->stage),
                       panes_build (panes, panes->root, gtk_widget_get_allocated_width (panes->stage),
                                    gtk_widget_get_allocated_height (panes->stage)));
  else
    gtk_container_add (GTK_CONTAINER (panes->stage), panes->empty);
  if (had_focus)
    gtk_widget_grab_focus (focus);
  panes_actions_update (panes);
  panes_save_later (panes);
}

static void
set_active (ScopePanes *panes, ScopePane *p)
{
  if (panes->active == p)
    return;
  if (panes->active != NULL)
    pane_set_active (panes->active, false);
  panes->active = p;
  if (p != NULL)
    pane_set_active (p, true);
  panes_actions_update (panes);
  panes_bring (panes);
}

/* ---- windows of their own ------------------------------------------------------------------------------ */

static gboolean
panes_on_window_closed (GtkWidget *window, GdkEvent *e, ScopePanes *panes)
{
  ScopePane *p = g_object_get_data (G_OBJECT (window), "pane");

  panes_detach (panes, p, false);
  return TRUE;
}

void
panes_open_window (ScopePanes *panes, ScopePane *p, int width, int height)
{
  GtkWidget *window = gtk_window_new (GTK_WINDOW_TOPLEVEL), *top = gtk_widget_get_toplevel (GTK_WIDGET (panes));
  g_autofree char *title = g_strdup_printf ("%s \u2013 %s", pane_name (p), scope_document_title (panes->d));

  gtk_window_set_title (GTK_WINDOW (window), title);
  gtk_window_set_default_size (GTK_WINDOW (window), MAX (width, 240), MAX (height, 160));
  gtk_style_context_add_class (gtk_widget_get_style_context (window), "detached-pane");
  /* Keys and menus mean the same as in the main window. */
  if (GTK_IS_WINDOW (top) && gtk_window_get_application (GTK_WINDOW (top)) != NULL)
    gtk_window_set_application (GTK_WINDOW (window), gtk_window_get_application (GTK_WINDOW (top)));
  if (G_IS_ACTION_GROUP (top))
    gtk_widget_insert_action_group (window, "win", G_ACTION_GROUP (top));
  g_object_set_data (G_OBJECT (window), "pane", p);
  g_signal_connect (window, "delete-event", G_CALLBACK (panes_on_window_closed), panes);
  g_signal_connect_object (window, "size-allocate", G_CALLBACK (panes_save_later), panes, G_CONNECT_SWAPPED);
  gtk_container_add (GTK_CONTAINER (window), GTK_WIDGET (p));
  pane_set_detached (p, true);
  gtk_widget_show (window);
}

static void
close_window (ScopePane *p)
{
  GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (p));

  if (g_object_get_data (G_OBJECT (window), "pane") != p)
    return;
  panes_take_out (GTK_WIDGET (p));
  pane_set_detached (p, false);
  gtk_widget_destroy (window);
}

void
panes_detach (ScopePanes *panes, ScopePane *p, bool detached)
{
  int width = gtk_widget_get_allocated_width (GTK_WIDGET (p)),
      height = gtk_widget_get_allocated_height (GTK_WIDGET (p));

  if (detached == panes_is_detached (panes, p))
    return;
  if (detached) {
    place_keep (panes, p);
    panes->root = tile_remove (panes->root, p);
    panes_take_out (GTK_WIDGET (p));
    panes_rebuild (panes);
    panes_open_window (panes, p, width, height);
  } else {
    close_window (p);
    place_tile (panes, p);
    panes_rebuild (panes);
  }
  gtk_widget_grab_focus (GTK_WIDGET (pane_picture (p)));
  set_active (panes, p);
  panes_actions_update (panes);
}

/* ---- panes --------------------------------------------------------------------------------------------- */

static void
on_active (ScopePane *p, ScopePanes *panes)
{
  set_active (panes, p);
}

static void
panes_on_detach (ScopePane *p, ScopePanes *panes)
{
  panes_detach (panes, p, !panes_is_detached (panes, p));
}

static void
panes_on_menu (ScopePane *p, gpointer event, ScopePanes *panes)
{
  set_active (panes, p);
  panes_popup (panes, p, event);
}

static void
panes_on_changed (ScopePane *p, ScopePanes *panes)
{
  if (p == panes->active)
    panes_actions_update (panes);
  panes_save_later (panes);
}

static void on_title_drag (ScopePane *p, int phase, double x, double y, ScopePanes *panes);

static ScopePane *
add_pane (ScopePanes *panes, EveComponent *c)
{
  GtkWidget *p = pane_new (panes->d, c);

  g_ptr_array_add (panes->panes, g_object_ref_sink (p));
  g_signal_connect (p, "active", G_CALLBACK (on_active), panes);
  g_signal_connect (p, "detach", G_CALLBACK (panes_on_detach), panes);
  g_signal_connect (p, "menu", G_CALLBACK (panes_on_menu), panes);
  g_signal_connect (p, "changed", G_CALLBACK (panes_on_changed), panes);
  g_signal_connect (p, "title-drag", G_CALLBACK (on_title_drag), panes);
  align_follow (panes, pane_picture (SCOPE_PANE (p)));
  return SCOPE_PANE (p);
}

static void
remove_pane (ScopePanes *panes, ScopePane *p)
{
  bool detached = panes_is_detached (panes, p);

  if (!panes->loading)
    place_keep (panes, p);
  if (panes->active == p)
    set_active (panes, NULL);
  if (panes->maximised == p)
    panes->maximised = NULL;
  if (panes->drop_on == p)
    panes->drop_on = NULL;
  panes->root = tile_remove (panes->root, p);
  /* Its component may be gone already. */
  picture_set_component (pane_picture (p), NULL);
  if (detached)
    close_window (p);
  panes_take_out (GTK_WIDGET (p));
  gtk_widget_destroy (GTK_WIDGET (p));
  g_ptr_array_remove (panes->panes, p);
}

void
panes_close (ScopePanes *panes, ScopePane *p)
{
  g_hash_table_add (panes->closed, g_strdup (pane_name (p)));
  remove_pane (panes, p);
  panes_rebuild (panes);
  if (panes->panes->len > 0)
    panes_turn (panes, 0);
}

void
panes_maximise (ScopePanes *panes, ScopePane *p)
{
  if (p != NULL && panes_is_detached (panes, p)) {
    GtkWindow *window = GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (p)));
    if (gtk_window_is_maximized (window))
      gtk_window_unmaximize (window);
    else
      gtk_window_maximize (window);
    return;
  }
  panes->maximised = p;
  panes_rebuild (panes);
}

void
panes_move (ScopePanes *panes, ScopePane *p, GtkPositionType side)
{
  ScopePane *other = tile_towards (panes->root, p, side);

  if (other == NULL || panes->maximised != NULL)
    return;
  panes->root = tile_remove (panes->root, p);
  panes->root = tile_insert (panes->root, tile_find (panes->root, other), side, 0.5, p);
  panes_rebuild (panes);
}

void
panes_turn (ScopePanes *panes, int by)
{
  ScopePane *p = panes->maximised != NULL ? panes->maximised : tile_next (panes->root, panes->active, by);

  if (p != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (pane_picture (p)));
}

void
panes_front (ScopePanes *panes, const char *name)
{
  EveProgram *program = scope_document_program (panes->d);
  EveComponent *c = program != NULL ? eve_find (program, name) : NULL;
  ScopePane *p = panes_find (panes, name);

  if (c == NULL || session_view (c) == NULL)
    return;
  if (p == NULL) {
    g_hash_table_remove (panes->closed, name);
    p = add_pane (panes, c);
    place_again (panes, p);
    panes_rebuild (panes);
  } else if (panes->maximised != NULL && panes->maximised != p && !panes_is_detached (panes, p)) {
    panes_maximise (panes, NULL);
  }
  pane_front (p);
}

/* ---- dragging a title ---------------------------------------------------------------------------------- */

static gboolean
draw_target (GtkWidget *w, cairo_t *cr, gpointer data)
{
  int width = gtk_widget_get_allocated_width (w), height = gtk_widget_get_allocated_height (w);

  cairo_set_source_rgba (cr, 0.208, 0.518, 0.894, 0.22);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 0.208, 0.518, 0.894, 1);
  cairo_set_line_width (cr, 4);
  cairo_stroke (cr);
  return FALSE;
}

static gboolean
place_target (GtkOverlay *overlay, GtkWidget *w, GdkRectangle *at, ScopePanes *panes)
{
  int width, height, x, y;

  if (w != panes->target || panes->drop_on == NULL)
    return FALSE;
  width = gtk_widget_get_allocated_width (GTK_WIDGET (panes->drop_on));
  height = gtk_widget_get_allocated_height (GTK_WIDGET (panes->drop_on));
  gtk_widget_translate_coordinates (GTK_WIDGET (panes->drop_on), GTK_WIDGET (overlay), 0, 0, &x, &y);
  *at = (GdkRectangle){ x, y, width, height };
  if (panes->drop_side == GTK_POS_LEFT || panes->drop_side == GTK_POS_RIGHT)
    at->width /= 2;
  if (panes->drop_side == GTK_POS_TOP || panes->drop_side == GTK_POS_BOTTOM)
    at->height /= 2;
  if (panes->drop_side == GTK_POS_RIGHT)
    at->x += width - at->width;
  if (panes->drop_side == GTK_POS_BOTTOM)
    at->y += height - at->height;
  return TRUE;
}

/* Onto whom, on which side: the nearest edge, or the middle. */
static void
find_target (ScopePanes *panes, ScopePane *dragged, int x, int y)
{
  int width = gtk_widget_get_allocated_width (GTK_WIDGET (panes)),
      height = gtk_widget_get_allocated_height (GTK_WIDGET (panes));

  panes->drop_on = NULL;
  panes->drop_outside = x < -40 || y < -40 || x > width + 40 || y > height + 40;
  for (guint i = 0; i < panes->panes->len; i++) {
    ScopePane *p = panes->panes->pdata[i];
    double w = gtk_widget_get_allocated_width (GTK_WIDGET (p)), h = gtk_widget_get_allocated_height (GTK_WIDGET (p));
    int px, py;
    if (p == dragged || panes_is_detached (panes, p) || !gtk_widget_get_mapped (GTK_WIDGET (p))
        || !gtk_widget_translate_coordinates (GTK_WIDGET (panes), GTK_WIDGET (p), x, y, &px, &py) || px < 0 || py < 0
        || px >= w || py >= h)
      continue;
    double edge[4] = { px / w, 1 - px / w, py / h, 1 - py / h }, nearest = 0.3;
    panes->drop_on = p;
    panes->drop_side = -1;
    for (int side = GTK_POS_LEFT; side <= GTK_POS_BOTTOM; side++)
      if (edge[side] < nearest) {
        nearest = edge[side];
        panes->drop_side = side;
      }
  }
}

static void
panes_drop (ScopePanes *panes, ScopePane *p)
{
  ScopePane *on = panes->drop_on;

  if (on != NULL && panes->drop_side < 0) {
    Tile *a = tile_find (panes->root, p), *b = tile_find (panes->root, on);
    a->leaf = on;
    b->leaf = p;
  } else if (on != NULL) {
    panes->root = tile_remove (panes->root, p);
    panes->root = tile_insert (panes->root, tile_find (panes->root, on), (GtkPositionType) panes->drop_side, 0.5, p);
  } else if (panes->drop_outside) {
    panes_detach (panes, p, true);
    return;
  } else {
    return;
  }
  panes_rebuild (panes);
}

static void
on_title_drag (ScopePane *p, int phase, double x, double y, ScopePanes *panes)
{
  int px, py;

  if (panes_is_detached (panes, p))
    return;
  gtk_widget_translate_coordinates (GTK_WIDGET (p), GTK_WIDGET (panes), (int) x, (int) y, &px, &py);
  if (phase != 2)
    find_target (panes, p, px, py);
  if (phase == 1)
    panes_drop (panes, p);
  if (phase != 0)
    panes->drop_on = NULL;
  gtk_widget_set_visible (panes->target, panes->drop_on != NULL);
  gtk_widget_queue_resize (panes->target);
}

/* ---- kept with the program ----------------------------------------------------------------------------- */

static GKeyFile *
panes_read_note (ScopePanes *panes)
{
  GKeyFile *file = g_key_file_new ();
  const char *note = scope_document_note (panes->d, NOTE);

  g_key_file_load_from_data (file, note, strlen (note), G_KEY_FILE_NONE, NULL);
  return file;
}

static int
panes_number_of (gpointer pane, gpointer data)
{
  guint i = 0;

  g_ptr_array_find (((ScopePanes *) data)->panes, pane, &i);
  return (int) i;
}

static void
panes_save (ScopePanes *panes)
{
  g_autoptr (GKeyFile) file = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *tiling = NULL, *text = NULL;
  g_autofree const char **closed = NULL;
  guint n;

  if (!scope_document_is_open (panes->d))
    return;
  file = panes_read_note (panes);
  g_key_file_remove_group (file, GROUP, NULL);
  for (guint i = 0; i < panes->panes->len; i++)
    g_ptr_array_add (names, (gpointer) pane_name (panes->panes->pdata[i]));
  g_key_file_set_string_list (file, GROUP, "views", (const char *const *) names->pdata, names->len);
  tiling = tile_text (panes->root, panes_number_of, panes);
  g_key_file_set_string (file, GROUP, "tiling", tiling);
  closed = (const char **) g_hash_table_get_keys_as_array (panes->closed, &n);
  if (n > 0)
    g_key_file_set_string_list (file, GROUP, "closed", closed, n);
  if (panes->maximised != NULL)
    g_key_file_set_integer (file, GROUP, "maximised", panes_number_of (panes->maximised, panes));
  for (guint i = 0; i < panes->panes->len; i++) {
    ScopePane *p = panes->panes->pdata[i];
    g_autofree char *prefix = g_strdup_printf ("%u", i);
    pane_save (p, file, GROUP, prefix);
    if (panes_is_detached (panes, p)) {
      GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (p));
      g_autofree char *key = g_strdup_printf ("%u.window", i);
      gint size[2] = { 480, 320 };
      if (GTK_IS_WINDOW (window))
        gtk_window_get_size (GTK_WINDOW (window), &size[0], &size[1]);
      g_key_file_set_integer_list (file, GROUP, key, size, 2);
    }
  }
  text = g_key_file_to_data (file, NULL, NULL);
  /* Not an edit: how something was looked at is nothing to undo. */
  if (strcmp (text, scope_document_note (panes->d, NOTE)) != 0)
    scope_document_set_note (panes->d, NOTE, text);
}

static gboolean
save_now (gpointer data)
{
  ScopePanes *panes = data;

  panes->save_timer = 0;
  panes_save (panes);
  return G_SOURCE_REMOVE;
}

void
panes_save_later (ScopePanes *panes)
{
  if (panes->save_timer == 0 && !panes->loading)
    panes->save_timer = g_timeout_add (SAVE_MS, save_now, panes);
}

static gpointer
pane_of_number (int number, gpointer data)
{
  GPtrArray *by_number = data;

  return number < (int) by_number->len ? by_number->pdata[number] : NULL;
}

static void
panes_load (ScopePanes *panes)
{
  EveProgram *program = scope_document_program (panes->d);
  g_autoptr (GKeyFile) file = panes_read_note (panes);
  g_autoptr (GPtrArray) by_number = g_ptr_array_new ();
  g_auto (GStrv) names = g_key_file_get_string_list (file, GROUP, "views", NULL, NULL);
  g_auto (GStrv) closed = g_key_file_get_string_list (file, GROUP, "closed", NULL, NULL);
  g_autofree char *tiling = g_key_file_get_string (file, GROUP, "tiling", NULL);
  int maximised = g_key_file_has_key (file, GROUP, "maximised", NULL)
                      ? g_key_file_get_integer (file, GROUP, "maximised", NULL)
                      : -1;

  for (char **name = closed; name != NULL && *name != NULL; name++)
    g_hash_table_add (panes->closed, g_strdup (*name));
  for (char **name = names; name != NULL && *name != NULL; name++) {
    EveComponent *c = eve_find (program, *name);
    g_ptr_array_add (by_number, c != NULL && session_view (c) != NULL && panes_find (panes, *name) == NULL
                                    ? add_pane (panes, c)
                                    : NULL);
  }
  if (tiling != NULL)
    panes->root = tile_parse (tiling, pane_of_number, by_number);
  for (guint i = 0; i < by_number->len; i++) {
    ScopePane *p = by_number->pdata[i];
    g_autofree char *prefix = g_strdup_printf ("%u", i), *key = g_strdup_printf ("%u.window", i);
    gsize n = 0;
    g_autofree gint *size = g_key_file_get_integer_list (file, GROUP, key, &n, NULL);
    if (p == NULL)
      continue;
    pane_load (p, file, GROUP, prefix);
    if (size != NULL && n == 2 && panes_is_detached (panes, p))
      panes_open_window (panes, p, CLAMP (size[0], 240, 8000), CLAMP (size[1], 160, 8000));
    else if (panes_is_detached (panes, p))
      panes->root = tile_add (panes->root, 1.9, p);
  }
  if (maximised >= 0 && maximised < (int) by_number->len)
    panes->maximised = by_number->pdata[maximised];
}

/* ---- what the document tells --------------------------------------------------------------------------- */

/* Of the views that have no pane and shall have one, the next: what went last comes back first, then what is new. */
static EveComponent *
next_without (ScopePanes *panes)
{
  EveProgram *program = scope_document_program (panes->d);
  EveComponent *next = NULL;
  guint order, highest = 0;

  for (uint32_t i = 0; program != NULL && i < eve_n_components (program); i++) {
    EveComponent *c = eve_component (program, i);
    if (session_view (c) == NULL || g_hash_table_contains (panes->closed, eve_name (c))
        || panes_find (panes, eve_name (c)) != NULL)
      continue;
    order = place_order (panes, eve_name (c), &order) ? order + 1 : 0;
    if (next == NULL || order > highest) {
      next = c;
      highest = order;
    }
  }
  return next;
}

/* A pane for each view that has none and was not closed; those without a view go. */
static bool
panes_match (ScopePanes *panes)
{
  EveProgram *program = scope_document_program (panes->d);
  EveComponent *next;
  bool changed = false;

  for (guint i = panes->panes->len; i-- > 0;) {
    ScopePane *p = panes->panes->pdata[i];
    EveComponent *was = picture_component (pane_picture (p)), *c = NULL;
    /* The object tells of a renamed one; `was` is compared only, it may be gone. */
    for (uint32_t k = 0; program != NULL && k < eve_n_components (program) && c == NULL; k++)
      if (eve_component (program, k) == was && !eve_is_ghost (was)
          && scope_document_view (panes->d, was) == picture_view (pane_picture (p)))
        c = was;
    if (c == NULL && program != NULL)
      c = eve_find (program, pane_name (p));
    if (c != NULL && session_view (c) != NULL) {
      pane_set_component (p, c);
    } else {
      remove_pane (panes, p);
      changed = true;
    }
  }
  while ((next = next_without (panes)) != NULL) {
    place_again (panes, add_pane (panes, next));
    changed = true;
  }
  return changed;
}

/* What part of time is looked at; a program without a picture of time leaves it as it was. */
static PictureShown
range_in_sight (ScopePanes *panes)
{
  PictureShown range = panes->range;
  bool any = false;

  for (guint i = 0; i < panes->panes->len; i++) {
    ScopePicture *p = pane_picture (panes->panes->pdata[i]);
    const PictureShown *s = picture_shown (p);
    if (picture_sort (p) != PICTURE_TIME)
      continue;
    if (!any || (s->from <= s->to && panes->panes->pdata[i] == panes->active) || range.from > range.to)
      range = *s;
    any = true;
  }
  return range;
}

/* Another program on the same trace goes on with the same part of time. */
static void
keep_range (ScopePanes *panes, const PictureShown *range)
{
  for (guint i = 0; range->from <= range->to && i < panes->panes->len; i++) {
    ScopePicture *p = pane_picture (panes->panes->pdata[i]);
    PictureShown s = *picture_shown (p);
    if (picture_sort (p) != PICTURE_TIME)
      continue;
    s.from = range->from;
    s.to = range->to;
    s.follow = range->follow;
    picture_restore (p, s);
  }
}

void
panes_sight (GtkWidget *widget, int64_t *from, int64_t *to)
{
  PictureShown range = range_in_sight (SCOPE_PANES (widget));

  *from = range.from;
  *to = range.to;
}

void
panes_set_sight (GtkWidget *widget, int64_t from, int64_t to)
{
  PictureShown range = range_in_sight (SCOPE_PANES (widget));

  range.from = from;
  range.to = to;
  keep_range (SCOPE_PANES (widget), &range);
}

static void
panes_on_opened (ScopeDocument *d, ScopePanes *panes)
{
  PictureShown range = range_in_sight (panes);

  if (g_strcmp0 (panes->trace, scope_document_trace (d)) != 0)
    range = (PictureShown){ .from = 1, .to = 0 };
  panes->range = range;
  g_free (panes->trace);
  panes->trace = g_strdup (scope_document_trace (d));
  panes->loading = true;
  while (panes->panes->len > 0)
    remove_pane (panes, panes->panes->pdata[panes->panes->len - 1]);
  g_hash_table_remove_all (panes->closed);
  g_ptr_array_set_size (panes->places, 0);
  if (scope_document_is_open (d)) {
    panes_load (panes);
    panes_match (panes);
    keep_range (panes, &range);
  }
  panes_rebuild (panes);
  set_active (panes, tile_next (panes->root, NULL, 0));
  panes->loading = false;
}

static void
panes_on_program (ScopeDocument *d, ScopePanes *panes)
{
  if (panes_match (panes))
    panes_rebuild (panes);
  panes_actions_update (panes);
  panes_bring (panes);
  panes_save_later (panes); /* an undo brings back an older note */
}

static void
on_front (ScopeDocument *d, const char *name, ScopePanes *panes)
{
  panes_front (panes, name);
}

static void
panes_on_show (ScopeDocument *d, gint64 from, gint64 to, ScopePanes *panes)
{
  panes_show_dates (panes, from, to);
}

/* ---- the widget ---------------------------------------------------------------------------------------- */

static void
panes_dispose (GObject *o)
{
  ScopePanes *panes = SCOPE_PANES (o);

  if (panes->save_timer != 0)
    g_source_remove (panes->save_timer);
  panes->save_timer = 0;
  if (panes->d != NULL) {
    g_signal_handlers_disconnect_by_data (panes->d, panes);
    asks_set_giver (panes->d, NULL, NULL);
  }
  panes->loading = true;
  while (panes->panes != NULL && panes->panes->len > 0)
    remove_pane (panes, panes->panes->pdata[panes->panes->len - 1]);
  g_clear_pointer (&panes->panes, g_ptr_array_unref);
  g_clear_handle_id (&panes->align_idle, g_source_remove);
  g_clear_pointer (&panes->menu, gtk_widget_destroy);
  g_clear_object (&panes->empty);
  g_clear_object (&panes->brought);
  g_clear_object (&panes->view_actions);
  g_clear_object (&panes->d);
  G_OBJECT_CLASS (scope_panes_parent_class)->dispose (o);
}

static void
panes_finalize (GObject *o)
{
  ScopePanes *panes = SCOPE_PANES (o);

  tile_free (panes->root);
  g_free (panes->trace);
  g_free (panes->here_name);
  g_hash_table_unref (panes->closed);
  g_ptr_array_unref (panes->places);
  g_ptr_array_unref (panes->actions);
  G_OBJECT_CLASS (scope_panes_parent_class)->finalize (o);
}

static void
scope_panes_class_init (ScopePanesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = panes_dispose;
  G_OBJECT_CLASS (klass)->finalize = panes_finalize;
  g_signal_new ("brought", SCOPE_TYPE_PANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
scope_panes_init (ScopePanes *panes)
{
  panes->panes = g_ptr_array_new_with_free_func (g_object_unref);
  panes->closed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  panes->places = g_ptr_array_new_with_free_func ((GDestroyNotify) place_free);
  panes->actions = g_ptr_array_new_with_free_func (g_object_unref);
  panes->brought = g_menu_new ();
  panes->view_actions = g_simple_action_group_new ();
  panes->range = (PictureShown){ .from = 1, .to = 0 };
  panes->stage = gtk_viewport_new (NULL, NULL);
  gtk_viewport_set_shadow_type (GTK_VIEWPORT (panes->stage), GTK_SHADOW_NONE);
  panes->empty = g_object_ref_sink (gtk_label_new (_ ("No view is open. Drag one from the library onto the program.")));
  gtk_label_set_line_wrap (GTK_LABEL (panes->empty), TRUE);
  gtk_style_context_add_class (gtk_widget_get_style_context (panes->empty), "dim-label");
  panes->target = gtk_drawing_area_new ();
  g_signal_connect (panes->target, "draw", G_CALLBACK (draw_target), NULL);
  /* Where views have less room than they need at least, all of them are reached by scrolling. */
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE); /* that there is more is seen */
  gtk_container_add (GTK_CONTAINER (scrolled), panes->stage);
  gtk_container_set_focus_vadjustment (GTK_CONTAINER (panes->stage),
                                       gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled)));
  gtk_container_add (GTK_CONTAINER (panes), scrolled);
  gtk_overlay_add_overlay (GTK_OVERLAY (panes), panes->target);
  gtk_overlay_set_overlay_pass_through (GTK_OVERLAY (panes), panes->target, TRUE);
  g_signal_connect (panes, "get-child-position", G_CALLBACK (place_target), panes);
  gtk_widget_show (panes->empty);
  gtk_widget_show (panes->stage);
  gtk_widget_show (scrolled);
  gtk_widget_set_no_show_all (panes->target, TRUE);
  gtk_style_context_add_class (gtk_widget_get_style_context (GTK_WIDGET (panes)), "panes");
}

GtkWidget *
panes_new (ScopeDocument *d)
{
  ScopePanes *panes = g_object_new (SCOPE_TYPE_PANES, NULL);

  panes->d = g_object_ref (d);
  panes_actions_init (panes);
  asks_set_giver (d, panes_give, panes);
  g_signal_connect (d, "opened", G_CALLBACK (panes_on_opened), panes);
  g_signal_connect (d, "program", G_CALLBACK (panes_on_program), panes);
  g_signal_connect (d, "front", G_CALLBACK (on_front), panes);
  g_signal_connect (d, "show", G_CALLBACK (panes_on_show), panes);
  atk_object_set_name (gtk_widget_get_accessible (GTK_WIDGET (panes)), _ ("Views"));
  panes_on_opened (d, panes);
  return GTK_WIDGET (panes);
}
