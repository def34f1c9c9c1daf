/* SPDX-License-Identifier: Apache-2.0 */
/* panes-actions.c - what can be done to views by keys and menus: actions of the window that act on the active pane. */
#include <math.h>
#include <string.h>
#include "document/active-row.h"
#include "eve/words.h"
#include "document/curves.h"
#include "document/near.h"
#include "panes/groups.h"
#include "panes/inspectors.h"
#include "panes/panes-private.h"
#include "panes/rgba.h"
#include "readers/live.h"
#include "views/groups.h"
#include "views/paint.h"

#define NEARER 1.25

enum {
  NEEDS_PANE = 1,
  NEEDS_TIME = 2, /* dates from left to right */
  NEEDS_ZOOM = 4, /* is no text */
  NEEDS_ROWS = 8,
  NEEDS_FIND = 16,
  NEEDS_TILED = 32,
  NEEDS_TURN = 64,   /* shows dates or events, or counts, so that it can follow */
  NEEDS_TASKS = 128, /* some are selected */
};

typedef struct PaneAction {
  const char *name;
  void (*act) (ScopePanes *panes, ScopePane *p, GVariant *parameter);
  uint32_t needs;
  const GVariantType *parameter;
  GVariant *(*state) (ScopePanes *panes, ScopePane *p); /* NULL: has none */
} PaneAction;

#define ACTION(name_) static void name_ (ScopePanes *panes, ScopePane *p, GVariant *v)

ACTION (fit)
{
  picture_fit (pane_picture (p));
}

ACTION (zoom_in)
{
  picture_zoom (pane_picture (p), NEARER, NAN, NAN);
}

ACTION (zoom_out)
{
  picture_zoom (pane_picture (p), 1 / NEARER, NAN, NAN);
}

ACTION (rows_in)
{
  picture_zoom_rows (pane_picture (p), NEARER, NAN);
}

ACTION (rows_out)
{
  picture_zoom_rows (pane_picture (p), 1 / NEARER, NAN);
}

ACTION (panes_actions_follow)
{
  picture_set_follow (pane_picture (p), !picture_shown (pane_picture (p))->follow);
}

static const char *const tool_names[] = { "inspect", "move", "draw", "arrow", "rectangle", NULL }; /* PictureTool */

ACTION (stroke_back)
{
  strokes_take_back (pane_picture (p));
}

ACTION (panes_actions_tool)
{
  const char *name = g_variant_get_string (v, NULL);

  for (int i = 0; tool_names[i] != NULL; i++)
    if (g_str_equal (name, tool_names[i]))
      picture_set_tool (pane_picture (p), (PictureTool) i);
}

ACTION (maximise)
{
  panes_maximise (panes, panes->maximised != NULL ? NULL : p);
}

ACTION (detach)
{
  panes_detach (panes, p, !panes_is_detached (panes, p));
}

ACTION (close_pane)
{
  panes_close (panes, p);
}

ACTION (panes_actions_next)
{
  panes_turn (panes, 1);
}

ACTION (previous)
{
  panes_turn (panes, -1);
}

ACTION (panes_actions_move)
{
  static const char *const sides[] = { "left", "right", "up", "down" };
  const char *name = g_variant_get_string (v, NULL);

  for (int i = 0; i < 4; i++)
    if (g_str_equal (name, sides[i]))
      panes_move (panes, p, (GtkPositionType) i); /* left, right, top, bottom */
}

/* In a text its lines; else what the window finds: tasks, events, marks and all else. */
ACTION (panes_actions_find)
{
  GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (panes));

  if (p && pane_find_bar (p))
    find_bar_open (pane_find_bar (p));
  else if (G_IS_ACTION_GROUP (window))
    g_action_group_activate_action (G_ACTION_GROUP (window), "search", NULL);
}

ACTION (find_next)
{
  find_bar_go (pane_find_bar (p), false);
}

ACTION (find_previous)
{
  find_bar_go (pane_find_bar (p), true);
}

ACTION (export_file)
{
  export_ask (pane_picture (p));
}

ACTION (panes_actions_print)
{
  export_print (pane_picture (p));
}

ACTION (panes_actions_copy)
{
  export_copy (pane_picture (p));
}

static int64_t
date_meant (ScopePanes *panes, ScopePane *p)
{
  int64_t date = picture_date_meant (pane_picture (p));

  return date != INT64_MIN ? date : scope_document_cursor (panes->d);
}

ACTION (panes_actions_mark)
{
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (panes));

  if (G_IS_ACTION_GROUP (top)) /* it is named where its flag is */
    g_action_group_activate_action (
        G_ACTION_GROUP (top), "mark-at",
        g_variant_new ("(sx)", panes->here_name ? panes->here_name : "", date_meant (panes, p)));
  g_clear_pointer (&panes->here_name, g_free);
}

ACTION (panes_actions_go)
{
  scope_document_go_date (panes->d, date_meant (panes, p));
}

ACTION (menu)
{
  panes_popup (panes, p, NULL);
}

/* Of the number at which the menu was opened. */
static void
show_number (ScopePanes *panes, ScopePane *p, const char *chart, const char *id)
{
  EveComponent *c = chart != NULL ? eve_find (scope_document_program (panes->d), chart) : NULL;

  if (p != NULL && (chart == NULL || c != NULL) && picture_component (pane_picture (p)) != NULL)
    curves_show (panes->d, picture_component (pane_picture (p)), &panes->number, c, id);
}

ACTION (panes_actions_curve)
{
  show_number (panes, p, NULL, "scope.curve");
}

ACTION (panes_actions_list)
{
  show_number (panes, p, NULL, "scope.value-panel");
}

ACTION (into)
{
  show_number (panes, p, g_variant_get_string (v, NULL), NULL);
}

/* To the program of the thing at which the menu was opened. */
ACTION (order)
{
  scope_document_order (panes->d, panes->number.what, g_variant_get_string (v, NULL));
}

ACTION (panes_actions_pin)
{
  pane_pin (pane_picture (p), panes->number.what);
}

static void
panes_actions_go_near (ScopePanes *panes, ScopePane *p, const char *by, bool back, const ScopeHere *at)
{
  static const char *const ways[] = {
    "kind", "task", "state", "tag", "partner", "object"
  }; /* as ScopeNear counts them */

  if (p != NULL && picture_component (pane_picture (p)) != NULL)
    scope_document_set_view (panes->d, eve_name (picture_component (pane_picture (p))));
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_str_equal (by, ways[i]))
      scope_document_go_near (panes->d, (ScopeNear) i, back, at);
}

ACTION (near_next)
{
  panes_actions_go_near (panes, p, g_variant_get_string (v, NULL), false, NULL);
}

ACTION (near_previous)
{
  panes_actions_go_near (panes, p, g_variant_get_string (v, NULL), true, NULL);
}

/* From what the menu was opened at. */
ACTION (near_here_next)
{
  panes_actions_go_near (panes, p, g_variant_get_string (v, NULL), false, &panes->here);
}

ACTION (near_here_previous)
{
  panes_actions_go_near (panes, p, g_variant_get_string (v, NULL), true, &panes->here);
}

ACTION (show_view)
{
  panes_front (panes, g_variant_get_string (v, NULL));
}

ACTION (range_shown)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  if (picture_plot (pane_picture (p), &plot, &from, &to)) {
    scope_document_set_view (panes->d, eve_name (picture_component (pane_picture (p))));
    scope_document_set_range (panes->d, from, to);
  }
}

ACTION (range_zoom)
{
  int64_t from, to;

  for (guint i = 0; scope_document_range (panes->d, &from, &to) && i < panes->panes->len; i++) {
    ScopePicture *picture = pane_picture (panes->panes->pdata[i]);
    PictureShown shown = *picture_shown (picture);
    shown.from = from;
    shown.to = to;
    if (picture_sort (picture) == PICTURE_TIME)
      picture_show (picture, shown);
  }
}

#define SEEN_SHARE 20 /* of what is seen: what is smaller is hardly told from what is beside it */
#define AROUND 2      /* so many times as much is shown before it, and behind */

/* One that shows it at a size at which it can be seen stays as it is; else it goes there, with some of what is around.
 */
static void
panes_actions_show_dates (ScopePicture *p, int64_t from, int64_t to)
{
  PictureShown shown = *picture_shown (p);
  bool all = shown.from > shown.to;
  int64_t first = all ? scope_document_first (p->d) : shown.from, last = all ? scope_document_last (p->d) : shown.to;
  double width = (double) to - (double) from, sight = (double) last - (double) first;

  if (picture_sort (p) != PICTURE_TIME)
    return;
  if (from < first || to > last || width < sight / SEEN_SHARE) {
    shown.from = from - (int64_t) (width * AROUND);
    shown.to = to + (int64_t) (width * AROUND);
  }
  shown.first_row = shown.n_rows = 0;
  picture_show (p, shown);
}

void
panes_show_dates (ScopePanes *panes, int64_t from, int64_t to)
{
  for (guint i = 0; i < panes->panes->len; i++)
    panes_actions_show_dates (pane_picture (panes->panes->pdata[i]), from, to);
}

ACTION (range_none)
{
  scope_document_set_range (panes->d, 1, 0);
}

ACTION (groups_by)
{
  pane_groups_by (pane_picture (p), g_variant_get_string (v, NULL));
}

/* Of the item that has the focus. */
static void
panes_actions_turn_group (ScopePane *p, bool open)
{
  ScopePicture *picture = pane_picture (p);
  const GArray *items = picture_items (picture);
  int i = picture_focused_item (picture);
  const ViewItem *item = items != NULL && i >= 0 && i < (int) items->len ? &g_array_index (items, ViewItem, i) : NULL;

  pane_groups_open (picture, item, open);
}

ACTION (group_open)
{
  panes_actions_turn_group (p, true);
}

ACTION (group_close)
{
  panes_actions_turn_group (p, false);
}

/* The one that the menu names. */
ACTION (group_open_path)
{
  pane_groups_open_path (pane_picture (p), g_variant_get_string (v, NULL), true);
}

ACTION (group_close_path)
{
  pane_groups_open_path (pane_picture (p), g_variant_get_string (v, NULL), false);
}

ACTION (groups_deeper)
{
  pane_groups_evenly (pane_picture (p), true);
}

ACTION (groups_shallower)
{
  pane_groups_evenly (pane_picture (p), false);
}

ACTION (best_groups)
{
  pane_groups_best (pane_picture (p));
}

ACTION (group_make)
{
  pane_groups_make (pane_picture (p));
}

static void
panes_actions_on_colour_chosen (GtkDialog *dialog, int answer, ScopeDocument *d)
{
  const char *attribute = g_object_get_data (G_OBJECT (dialog), "attribute"),
             *value = g_object_get_data (G_OBJECT (dialog), "value");
  GdkRGBA c;

  if (answer == GTK_RESPONSE_OK) {
    gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (dialog), &c);
    view_colours_set (scope_document_colours (d), attribute, value, rgb_of (&c));
    scope_document_look_changed (d);
  }
  gtk_widget_destroy (GTK_WIDGET (dialog));
}

/* What the menu was opened at. */
ACTION (panes_actions_colour)
{
  const char *attribute = panes->coloured[0], *value = panes->coloured[1];
  ViewScene scene;

  if (attribute == NULL || !scope_document_is_open (panes->d))
    return;
  scope_document_scene (panes->d, &scene);
  bool state = g_str_equal (attribute, paint_state_attribute (scene.graph, STATE_NODE));
  uint32_t rgb = 0xffffff
                 & (state ? paint_state_named (&scene, STATE_NODE, value)
                          : view_colour (scene.colours, attribute, value, scene.dark));
  g_autofree char *title = g_strdup_printf (_ ("Colour of %s"),
                                            state ? paint_word (scene.graph, STATE_NODE, value) : value);
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (panes)),
            *dialog = gtk_color_chooser_dialog_new (title, GTK_WINDOW (top));
  GdkRGBA c = rgba_of (rgb);

  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (dialog), FALSE);
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (dialog), &c);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "attribute", (gpointer) attribute); /* interned */
  g_object_set_data (G_OBJECT (dialog), "value", (gpointer) value);
  g_signal_connect_object (dialog, "response", G_CALLBACK (panes_actions_on_colour_chosen), panes->d, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

ACTION (legend_reset)
{
  view_colours_reset (scope_document_colours (panes->d), NULL, NULL);
  scope_document_look_changed (panes->d);
}

ACTION (inspect_pin)
{
  inspectors_pin_selected (panes->d);
}

ACTION (inspect_here)
{
  inspectors_pin (panes->d, panes->meant);
}

ACTION (inspect_graph)
{
  inspectors_pin (panes->d, (TraceRef){ 0 });
}

static GVariant *
groups_state (ScopePanes *panes, ScopePane *p)
{
  return g_variant_new_string (p != NULL ? pane_groups_hierarchy (pane_picture (p)) : "");
}

static GVariant *
follow_state (ScopePanes *panes, ScopePane *p)
{
  return g_variant_new_boolean (p != NULL && picture_shown (pane_picture (p))->follow);
}

static GVariant *
tool_state (ScopePanes *panes, ScopePane *p)
{
  return g_variant_new_string (tool_names[p != NULL ? picture_tool (pane_picture (p)) : PICTURE_INSPECT]);
}

static GVariant *
maximise_state (ScopePanes *panes, ScopePane *p)
{
  return g_variant_new_boolean (panes->maximised != NULL);
}

static GVariant *
detach_state (ScopePanes *panes, ScopePane *p)
{
  return g_variant_new_boolean (p != NULL && panes_is_detached (panes, p));
}

#define STRING ((const GVariantType *) "s")

static const PaneAction actions[] = {
  { "view-fit", fit, NEEDS_PANE | NEEDS_ZOOM, NULL, NULL },
  { "view-zoom-in", zoom_in, NEEDS_PANE | NEEDS_ZOOM, NULL, NULL },
  { "view-zoom-out", zoom_out, NEEDS_PANE | NEEDS_ZOOM, NULL, NULL },
  { "view-rows-in", rows_in, NEEDS_PANE | NEEDS_ROWS, NULL, NULL },
  { "view-rows-out", rows_out, NEEDS_PANE | NEEDS_ROWS, NULL, NULL },
  { "view-follow", panes_actions_follow, NEEDS_PANE | NEEDS_TURN, NULL, follow_state },
  { "view-tool", panes_actions_tool, NEEDS_PANE, STRING, tool_state },
  { "view-stroke-back", stroke_back, NEEDS_PANE, NULL, NULL },
  { "view-maximise", maximise, NEEDS_PANE, NULL, maximise_state },
  { "view-detach", detach, NEEDS_PANE, NULL, detach_state },
  { "view-close", close_pane, NEEDS_PANE, NULL, NULL },
  { "view-next", panes_actions_next, NEEDS_PANE, NULL, NULL },
  { "view-previous", previous, NEEDS_PANE, NULL, NULL },
  { "view-move", panes_actions_move, NEEDS_PANE | NEEDS_TILED, STRING, NULL },
  { "view-find", panes_actions_find, 0, NULL, NULL },
  { "view-find-next", find_next, NEEDS_PANE | NEEDS_FIND, NULL, NULL },
  { "view-find-previous", find_previous, NEEDS_PANE | NEEDS_FIND, NULL, NULL },
  { "view-export", export_file, NEEDS_PANE, NULL, NULL },
  { "view-print", panes_actions_print, NEEDS_PANE, NULL, NULL },
  { "view-copy", panes_actions_copy, NEEDS_PANE, NULL, NULL },
  { "view-mark", panes_actions_mark, NEEDS_PANE, NULL, NULL },
  { "view-go", panes_actions_go, NEEDS_PANE, NULL, NULL },
  { "view-menu", menu, NEEDS_PANE, NULL, NULL },
  { "view-curve", panes_actions_curve, NEEDS_PANE, NULL, NULL },
  { "view-list", panes_actions_list, NEEDS_PANE, NULL, NULL },
  { "view-into", into, NEEDS_PANE, STRING, NULL },
  { "view-order", order, NEEDS_PANE, STRING, NULL },
  { "view-pin", panes_actions_pin, NEEDS_PANE, NULL, NULL },
  { "view-colour", panes_actions_colour, NEEDS_PANE, NULL, NULL },
  { "near-next", near_next, 0, STRING, NULL },
  { "near-previous", near_previous, 0, STRING, NULL },
  { "near-here-next", near_here_next, NEEDS_PANE, STRING, NULL },
  { "near-here-previous", near_here_previous, NEEDS_PANE, STRING, NULL },
  { "show-view", show_view, 0, STRING, NULL },
  { "range-shown", range_shown, NEEDS_PANE | NEEDS_TIME, NULL, NULL },
  { "range-zoom", range_zoom, 0, NULL, NULL },
  { "range-none", range_none, 0, NULL, NULL },
  { "legend-reset", legend_reset, 0, NULL, NULL },
  { "inspect-pin", inspect_pin, 0, NULL, NULL },
  { "inspect-here", inspect_here, NEEDS_PANE, NULL, NULL },
  { "inspect-graph", inspect_graph, 0, NULL, NULL },
  { "groups-by", groups_by, NEEDS_PANE, STRING, groups_state },
  { "group-open", group_open, NEEDS_PANE, NULL, NULL },
  { "group-close", group_close, NEEDS_PANE, NULL, NULL },
  { "group-open-path", group_open_path, NEEDS_PANE, STRING, NULL },
  { "group-close-path", group_close_path, NEEDS_PANE, STRING, NULL },
  { "groups-open", groups_deeper, NEEDS_PANE, NULL, NULL },
  { "groups-close", groups_shallower, NEEDS_PANE, NULL, NULL },
  { "groups-best", best_groups, NEEDS_PANE, NULL, NULL },
  { "group-make", group_make, NEEDS_PANE | NEEDS_TASKS, NULL, NULL },
};

static void
panes_actions_on_action (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ScopePanes *panes = data;
  const char *name = g_action_get_name (G_ACTION (action));

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
    if (!g_str_equal (actions[i].name, name) || (actions[i].needs & NEEDS_PANE && panes->active == NULL))
      continue;
    actions[i].act (panes, panes->active, parameter);
    panes_actions_update (panes);
    return;
  }
}

static bool
panes_actions_is_possible (ScopePanes *panes, ScopePane *p, uint32_t needs)
{
  const View *view = p != NULL ? picture_view (pane_picture (p)) : NULL;
  PictureSort sort = p != NULL ? picture_sort (pane_picture (p)) : PICTURE_DRAWING;

  return (!(needs & NEEDS_PANE) || p != NULL) && (!(needs & NEEDS_TIME) || sort == PICTURE_TIME)
         && (!(needs & NEEDS_ZOOM) || sort != PICTURE_TEXT)
         && (!(needs & NEEDS_TURN) || sort != PICTURE_DRAWING || picture_counts (pane_picture (p)))
         && (!(needs & NEEDS_ROWS) || (view != NULL && view->rows != NULL))
         && (!(needs & NEEDS_TASKS) || (p != NULL && pane_groups_can_make (pane_picture (p))))
         && (!(needs & NEEDS_FIND) || (p != NULL && pane_find_bar (p) != NULL))
         && (!(needs & NEEDS_TILED)
             || (!panes_is_detached (panes, p) && panes->maximised == NULL && panes->panes->len > 1));
}

void
panes_actions_update (ScopePanes *panes)
{
  for (guint i = 0; i < panes->actions->len; i++) {
    GSimpleAction *a = panes->actions->pdata[i];
    g_simple_action_set_enabled (a, panes_actions_is_possible (panes, panes->active, actions[i].needs));
    if (actions[i].state != NULL)
      g_simple_action_set_state (a, actions[i].state (panes, panes->active));
  }
}

void
panes_actions_init (ScopePanes *panes)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
    GSimpleAction *a = actions[i].state != NULL ? g_simple_action_new_stateful (actions[i].name, actions[i].parameter,
                                                                                actions[i].state (panes, NULL))
                                                : g_simple_action_new (actions[i].name, actions[i].parameter);
    g_signal_connect (a, "activate", G_CALLBACK (panes_actions_on_action), panes);
    g_ptr_array_add (panes->actions, a);
  }
}

void
panes_add_actions (GActionMap *window, GtkWidget *widget)
{
  ScopePanes *panes = SCOPE_PANES (widget);

  for (guint i = 0; i < panes->actions->len; i++)
    g_action_map_add_action (window, panes->actions->pdata[i]);
}
