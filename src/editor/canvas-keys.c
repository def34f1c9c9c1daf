/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-keys.c - keys and actions of the canvas. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

/* ---- walking by keys ---------------------------------------------------------------------------------------------- */
static SketchBox *
first_selected (const EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    if (b->selected)
      return b;
  }
  return NULL;
}

static void
canvas_keys_go_to (EditorCanvas *w, SketchBox *b)
{
  if (!b)
    return;
  canvas_select (w, (CanvasHit){ .box = b }, false, false);
  canvas_show_place (w, b->x, b->y, b->width, b->height);
}

/* The nearest box in a direction: what lies aside counts twice. */
static void
canvas_keys_walk (EditorCanvas *w, int dx, int dy)
{
  SketchBox *from = first_selected (w), *best = NULL;
  double nearest = INFINITY;
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    if (!from) {
      double d = b->x + b->y;
      if (d < nearest) {
        nearest = d;
        best = b;
      }
      continue;
    }
    double x = b->x + b->width / 2 - from->x - from->width / 2, y = b->y + b->height / 2 - from->y - from->height / 2;
    double along = dx * x + dy * y, aside = fabs (dx * y) + fabs (dy * x);
    if (b == from || along <= 0 || along + 2 * aside >= nearest)
      continue;
    nearest = along + 2 * aside;
    best = b;
  }
  canvas_keys_go_to (w, best);
}

static void
walk_order (EditorCanvas *w, int step)
{
  GPtrArray *boxes = w->sketch->boxes;
  guint at = 0;
  SketchBox *from = first_selected (w);
  if (!boxes->len)
    return;
  if (from && g_ptr_array_find (boxes, from, &at))
    at = (at + boxes->len + (guint) (step + (int) boxes->len)) % boxes->len;
  else
    at = step > 0 ? 0 : boxes->len - 1;
  canvas_keys_go_to (w, boxes->pdata[at]);
}

static SketchWire *
first_wire (const EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->wires->len; i++)
    if (((SketchWire *) w->sketch->wires->pdata[i])->selected)
      return w->sketch->wires->pdata[i];
  return NULL;
}

static Frame *
first_frame (const EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->frames->len; i++)
    if (((Frame *) w->sketch->frames->pdata[i])->selected)
      return w->sketch->frames->pdata[i];
  return NULL;
}

/* From wire to wire in their order; from a box to a wire of its own. */
static void
walk_wires (EditorCanvas *w, int step)
{
  GPtrArray *wires = w->sketch->wires;
  const SketchBox *b = first_selected (w);
  SketchWire *from = first_wire (w);
  guint at = 0;
  if (!wires->len)
    return;
  if (from && g_ptr_array_find (wires, from, &at))
    at = (at + wires->len + (guint) (step + (int) wires->len)) % wires->len;
  for (guint i = 0; !from && b && i < wires->len; i++) {
    const SketchWire *k = wires->pdata[i];
    if (k->start->box == b || k->end->box == b) {
      at = i;
      break;
    }
  }
  SketchWire *k = wires->pdata[at];
  double x, y;
  sketch_wire_point (k, 0.5, &x, &y);
  canvas_show_place (w, x - 40, y - 40, 80, 80);
  canvas_select (w, (CanvasHit){ .wire = k }, false, false);
}

void
canvas_window_action (EditorCanvas *w, const char *name)
{
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (w));
  GActionGroup *win = G_IS_ACTION_GROUP (top) ? G_ACTION_GROUP (top) : gtk_widget_get_action_group (top, "win");
  if (win && g_action_group_has_action (win, name))
    g_action_group_activate_action (win, name, NULL);
}

void
canvas_table (EditorCanvas *w, const char *box, const char *out)
{
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (w));
  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "table", g_variant_new ("(ss)", box, out));
}

/* Of the selected wire, or of the first output of the selected box. */
static void
table_of_selection (EditorCanvas *w)
{
  const SketchWire *k = first_wire (w);
  const SketchBox *b = k ? NULL : first_selected (w);
  for (guint i = 0; b && b->c && i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    if (p->out && !p->missing) {
      canvas_table (w, b->name, p->name);
      return;
    }
  }
  if (k)
    canvas_table (w, eve_name (k->from), k->out);
  else
    scope_document_say (w->d, SCOPE_SAY_NOTE,
                        _ ("Select a wire, or a box that gives something: its data become a table"));
}

static void
replace_selected (EditorCanvas *w)
{
  const SketchBox *b = first_selected (w);
  if (b && b->c)
    canvas_search_instead (w, b->c);
  else
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("Select the box in whose place another shall stand"));
}

void
canvas_inspect (EditorCanvas *w)
{
  canvas_window_action (w, "inspect");
  inspector_focus (w->d, GTK_WIDGET (w));
}

static void
canvas_keys_escape (EditorCanvas *w)
{
  if (w->tool != TOOL_NONE)
    canvas_cancel (w);
  else if (w->refusal)
    canvas_refuse (w, NULL);
  else
    scope_document_select_boxes (w->d, NULL, 0);
}

static void
arrow (EditorCanvas *w, guint state, int dx, int dy)
{
  if (state & GDK_MOD1_MASK || (!first_selected (w) && !first_frame (w)))
    canvas_keys_walk (w, dx, dy);
  else
    canvas_nudge (w, dx * SKETCH_GRID * (state & GDK_SHIFT_MASK ? 8 : 1),
                  dy * SKETCH_GRID * (state & GDK_SHIFT_MASK ? 8 : 1));
}

static void
search_here (EditorCanvas *w)
{
  bool here = w->inside;
  canvas_search (w, here ? w->px : w->view.width / 2, here ? w->py : w->view.height / 3, NULL, NULL, false, NULL);
}

bool
canvas_has_view (const SketchBox *b)
{
  return b->c && session_view (b->c);
}

void
canvas_open (EditorCanvas *w, const SketchBox *b)
{
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (w));
  if (!b->c)
    canvas_fold (w, b->name, true);
  else if (canvas_has_view (b) && G_IS_ACTION_GROUP (top)) {
    g_autofree char *name = g_strdup (b->name);
    g_autoptr (GVariant) alone = g_action_group_get_action_state (G_ACTION_GROUP (top), "program-only");
    if (alone && g_variant_get_boolean (alone))
      canvas_window_action (w, "program-only");
    g_action_group_activate_action (G_ACTION_GROUP (top), "show-view", g_variant_new_string (name));
  } else
    canvas_inspect (w);
}

static void
open_or_inspect (EditorCanvas *w)
{
  SketchBox *b = first_selected (w);
  if (b)
    canvas_open (w, b);
  else if (first_wire (w) || first_frame (w))
    canvas_inspect (w);
}

static void
menu_by_key (EditorCanvas *w, GdkEventKey *e)
{
  CanvasHit what = { .box = first_selected (w) };
  what.wire = what.box ? NULL : first_wire (w);
  what.frame = what.box || what.wire ? NULL : first_frame (w);
  canvas_menu (w, what, (GdkEvent *) e);
}

static bool
control_key (EditorCanvas *w, guint key)
{
  switch (key) {
  case GDK_KEY_x:
    canvas_copy (w, true);
    return true;
  case GDK_KEY_c:
    canvas_copy (w, false);
    return true;
  case GDK_KEY_v:
    canvas_paste (w);
    return true;
  case GDK_KEY_a:
    canvas_select_all (w);
    return true;
  default:
    return false;
  }
}

static bool
plain_key (EditorCanvas *w, GdkEventKey *e)
{
  switch (e->keyval) {
  case GDK_KEY_Tab: /* over the canvas it adds; else the focus goes on, as everywhere */
    if (!w->inside || e->state & GDK_CONTROL_MASK)
      return false;
    search_here (w);
    return true;
  case GDK_KEY_Insert:
    search_here (w);
    return true;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    open_or_inspect (w);
    return true;
  case GDK_KEY_Escape:
    canvas_keys_escape (w);
    return true;
  case GDK_KEY_Delete:
  case GDK_KEY_BackSpace:
    canvas_delete (w);
    return true;
  case GDK_KEY_F2:
    canvas_rename (w, (CanvasHit){ 0 });
    return true;
  case GDK_KEY_Menu:
    menu_by_key (w, e);
    return true;
  case GDK_KEY_F10:
    if (!(e->state & GDK_SHIFT_MASK))
      return false;
    menu_by_key (w, e);
    return true;
  case GDK_KEY_f:
    canvas_fit (w, true);
    return true;
  case GDK_KEY_bracketright:
    walk_order (w, 1);
    return true;
  case GDK_KEY_bracketleft:
    walk_order (w, -1);
    return true;
  case GDK_KEY_braceright:
    walk_wires (w, 1);
    return true;
  case GDK_KEY_braceleft:
    walk_wires (w, -1);
    return true;
  default:
    return false;
  }
}

gboolean
canvas_key_press (GtkWidget *widget, GdkEventKey *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  guint state = e->state & gtk_accelerator_get_default_mod_mask ();
  static const struct {
    guint key, keypad;
    int dx, dy;
  } arrows[] = { { GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0 },
                 { GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0 },
                 { GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1 },
                 { GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
    if ((e->keyval == arrows[i].key || e->keyval == arrows[i].keypad) && !(state & GDK_CONTROL_MASK)) {
      arrow (w, state, arrows[i].dx, arrows[i].dy);
      return TRUE;
    }
  if (e->keyval == GDK_KEY_space && !(state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))) {
    if (!w->space)
      w->space_used = false;
    w->space = true; /* held it pans; struck alone it plays, when it goes up */
    return TRUE;
  }
  if ((state & ~GDK_SHIFT_MASK) == GDK_CONTROL_MASK && !(state & GDK_SHIFT_MASK)
      && control_key (w, gdk_keyval_to_lower (e->keyval)))
    return TRUE;
  if (!(state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) && plain_key (w, e))
    return TRUE;
  return GTK_WIDGET_CLASS (g_type_class_peek_parent (g_type_class_peek (EDITOR_TYPE_CANVAS)))
      ->key_press_event (widget, e);
}

gboolean
canvas_key_release (GtkWidget *widget, GdkEventKey *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (e->keyval != GDK_KEY_space || !w->space)
    return FALSE;
  w->space = false;
  if (!w->space_used)
    canvas_window_action (w, "play-pause");
  return TRUE;
}

/* ---- actions ---------------------------------------------------------------------------------------------------------- */

static bool
canvas_keys_is_free (Sketch *s, double x, double y)
{
  for (int i = -1; i <= 1; i++)
    for (int k = -1; k <= 1; k++)
      if (sketch_box_at (s, x + i * 84, y + k * 48))
        return false;
  return true;
}

/* Who gives best what one of the class takes, of several the last, as programs are read from left to right; *port: by
 * which output.  NULL: nobody does. */
static EveComponent *
who_feeds (EditorCanvas *w, const EveClass *k, const char **port)
{
  const EveProgram *p = canvas_program (w);
  const SketchBox *best = NULL;
  EveComponent *feeds = NULL;
  guint most = 0;

  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    guint rank;
    const char *out = canvas_fit_out (eve_component (p, i), k, &rank);
    const SketchBox *box = out ? sketch_box_of (w->sketch, eve_component (p, i)) : NULL;
    if (!box || (best && (rank < most || (rank == most && box->x + box->width <= best->x + best->width))))
      continue;
    best = box;
    feeds = eve_component (p, i);
    most = rank;
    *port = out;
  }
  return feeds;
}

/* The nearest place around a point, in sight and not left of `least`, where a box lies on no other.  False: there is
 * none, it is below the others. */
static bool
find_room (EditorCanvas *w, double *x, double *y, double least)
{
  const double step = 12;
  double left, top, right, bottom;

  canvas_to_sketch (w, 0, 0, &left, &top);
  canvas_to_sketch (w, w->view.width, w->view.height, &right, &bottom);
  for (int r = 0; r < 100; r++)
    for (int i = -r; i <= r; i++)
      for (int k = -r; k <= r; k += i == -r || i == r ? 1 : MAX (2 * r, 1)) { /* the border of a square */
        double to_x = *x + i * step, to_y = *y + k * step;
        if (to_x - 84 >= fmax (left, least) && to_x + 84 <= right && to_y - 44 >= top && to_y + 44 <= bottom
            && canvas_keys_is_free (w->sketch, to_x, to_y)) {
          *x = to_x;
          *y = to_y;
          return true;
        }
      }
  while (!canvas_keys_is_free (w->sketch, *x, *y))
    *y += step;
  return false;
}

/* The box that alone is selected, if it gives what the class takes; else NULL. */
static EveComponent *
selected_feeds (EditorCanvas *w, const EveClass *k, const char **port)
{
  g_autoptr (GPtrArray) selected = canvas_selection (w);
  EveComponent *own = selected->len == 1 ? selected->pdata[0] : NULL;
  guint rank;

  *port = own && k ? canvas_fit_out (own, k, &rank) : NULL;
  return *port ? own : NULL;
}

EveComponent *
canvas_feeder (EditorCanvas *w, const EveClass *k, const char **port)
{
  EveComponent *own = selected_feeds (w, k, port);

  return own ? own : who_feeds (w, k, port);
}

/* Where one box alone is selected that gives what the new one takes, they are wired. */
static bool
add_behind (EditorCanvas *w, const EveClass *k)
{
  const char *port;
  EveComponent *own = selected_feeds (w, k, &port);
  SketchBox *box = own ? sketch_box_of (w->sketch, own) : NULL;

  if (!box)
    return false;
  canvas_add_class (w, k, box->x + box->width + 64, box->y + box->height / 2, own, port, true, NULL);
  return true;
}

static void
show_box (EditorCanvas *w, const char *name)
{
  SketchBox *b = sketch_box (w->sketch, name);
  EveComponent *c = eve_find (canvas_program (w), name);

  if (b && c) {
    canvas_select_components (w, &c, 1);
    canvas_show_place (w, b->x, b->y, b->width, b->height);
  }
}

static void
shelve_program (EditorCanvas *w)
{
  const char *path = scope_document_program_path (w->d);
  if (!path || scope_document_modified (w->d))
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("Save the program first: the shelf holds its file"));
  else if (shelf_put (GTK_WIDGET (w), w->d, path))
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("The program is on the shelf"));
}

static void
canvas_keys_act (GSimpleAction *action, GVariant *parameter, void *canvas)
{
  EditorCanvas *w = canvas;
  const char *name = g_action_get_name (G_ACTION (action)) + strlen ("canvas-");
  const char *text = parameter && g_variant_is_of_type (parameter, G_VARIANT_TYPE_STRING)
                         ? g_variant_get_string (parameter, NULL)
                         : NULL;
  double x = w->view.width / 2, y = w->view.height / 2;
  if (!strcmp (name, "cut") || !strcmp (name, "copy"))
    canvas_copy (w, name[1] == 'u');
  else if (!strcmp (name, "paste"))
    canvas_paste (w);
  else if (!strcmp (name, "duplicate"))
    canvas_duplicate (w);
  else if (!strcmp (name, "save-part"))
    canvas_save_part (w);
  else if (!strcmp (name, "shelve") && canvas_program (w))
    canvas_shelve (w);
  else if (!strcmp (name, "shelve-this"))
    shelf_put (GTK_WIDGET (w), w->d, text);
  else if (!strcmp (name, "shelve-program"))
    shelve_program (w);
  else if (!strcmp (name, "shelf"))
    shelf_focus (GTK_WIDGET (w));
  else if (!strcmp (name, "delete"))
    canvas_delete (w);
  else if (!strcmp (name, "select-all"))
    canvas_select_all (w);
  else if (!strcmp (name, "rename"))
    canvas_rename (w, (CanvasHit){ 0 });
  else if (!strcmp (name, "off"))
    canvas_set_use (w, EVE_OFF);
  else if (!strcmp (name, "bypass"))
    canvas_set_use (w, EVE_BYPASSED);
  else if (!strcmp (name, "replace"))
    replace_selected (w);
  else if (!strcmp (name, "table"))
    table_of_selection (w);
  else if (!strcmp (name, "bookmark"))
    canvas_bookmark (w);
  else if (!strcmp (name, "go-bookmark"))
    canvas_go_bookmark (w, text);
  else if (!strcmp (name, "add-part") && canvas_program (w))
    canvas_add_part (w, text, x, y);
  else if (!strcmp (name, "add"))
    search_here (w);
  else if (!strcmp (name, "group"))
    canvas_group (w);
  else if (!strcmp (name, "ungroup"))
    canvas_ungroup (w);
  else if (!strcmp (name, "take-out"))
    canvas_take_out (w);
  else if (!strcmp (name, "fold"))
    canvas_fold (w, NULL, false);
  else if (!strcmp (name, "frame"))
    canvas_frame (w);
  else if (!strcmp (name, "fit"))
    canvas_fit (w, true);
  else if (!strcmp (name, "layout"))
    canvas_layout (w);
  else if (!strcmp (name, "zoom-in"))
    canvas_zoom_at (w, w->view.zoom * 1.25, x, y);
  else if (!strcmp (name, "zoom-out"))
    canvas_zoom_at (w, w->view.zoom / 1.25, x, y);
  else if (!strcmp (name, "zoom-normal"))
    canvas_zoom_at (w, w->view.text, x, y);
  else if (!strcmp (name, "align"))
    canvas_align (w, text);
  else if (!strcmp (name, "focus"))
    gtk_widget_grab_focus (GTK_WIDGET (w));
  else if (!strcmp (name, "show-box") && canvas_program (w))
    show_box (w, text);
  else if (!strcmp (name, "show-setting") && canvas_program (w)) {
    const char *box, *setting;
    g_variant_get (parameter, "(&s&s)", &box, &setting);
    show_box (w, box);
    canvas_window_action (w, "inspect");
    inspector_focus_setting (w->d, setting);
  } else if (!strcmp (name, "add-behind") && canvas_program (w) && add_behind (w, eve_registry_find (text))) {
    ;
  } else if ((!strcmp (name, "add-class") || !strcmp (name, "add-behind")) && canvas_program (w)) {
    const EveClass *k = eve_registry_find (text);
    double least = -INFINITY;
    const char *port = NULL;
    EveComponent *feeds = k ? who_feeds (w, k, &port) : NULL;
    const SketchBox *box = feeds ? sketch_box_of (w->sketch, feeds) : NULL;
    canvas_to_sketch (w, w->inside ? w->px : x, w->inside ? w->py : y, &x, &y);
    if (box && !w->inside) { /* nobody pointed at a place: right of it */
      x = box->x + box->width + 64 + 84;
      y = box->y + box->height / 2;
      least = x - 84 - 32;
    }
    bool in_sight = find_room (w, &x, &y, least);
    if (k) /* beside the port it hangs on, else its middle */
      canvas_add_class (w, k, feeds ? x - 72 : x, y, feeds, port, true, NULL);
    if (k && !in_sight)
      canvas_fit (w, true);
  }
}

static void
act_minimap (GSimpleAction *action, GVariant *state, void *canvas)
{
  EditorCanvas *w = canvas;
  w->minimap = g_variant_get_boolean (state);
  g_simple_action_set_state (action, state);
  canvas_redraw (w);
}

void
editor_add_actions (GActionMap *window, GtkWidget *canvas)
{
  static const GActionEntry entries[] = { { "canvas-cut", canvas_keys_act },
                                          { "canvas-copy", canvas_keys_act },
                                          { "canvas-paste", canvas_keys_act },
                                          { "canvas-duplicate", canvas_keys_act },
                                          { "canvas-save-part", canvas_keys_act },
                                          { "canvas-shelve", canvas_keys_act },
                                          { "canvas-shelve-this", canvas_keys_act, "s" },
                                          { "canvas-shelve-program", canvas_keys_act },
                                          { "canvas-shelf", canvas_keys_act },
                                          { "canvas-delete", canvas_keys_act },
                                          { "canvas-off", canvas_keys_act },
                                          { "canvas-bypass", canvas_keys_act },
                                          { "canvas-replace", canvas_keys_act },
                                          { "canvas-table", canvas_keys_act },
                                          { "canvas-bookmark", canvas_keys_act },
                                          { "canvas-go-bookmark", canvas_keys_act, "s" },
                                          { "canvas-add-part", canvas_keys_act, "s" },
                                          { "canvas-select-all", canvas_keys_act },
                                          { "canvas-rename", canvas_keys_act },
                                          { "canvas-add", canvas_keys_act },
                                          { "canvas-group", canvas_keys_act },
                                          { "canvas-ungroup", canvas_keys_act },
                                          { "canvas-fold", canvas_keys_act },
                                          { "canvas-take-out", canvas_keys_act },
                                          { "canvas-frame", canvas_keys_act },
                                          { "canvas-fit", canvas_keys_act },
                                          { "canvas-layout", canvas_keys_act },
                                          { "canvas-zoom-in", canvas_keys_act },
                                          { "canvas-zoom-out", canvas_keys_act },
                                          { "canvas-zoom-normal", canvas_keys_act },
                                          { "canvas-focus", canvas_keys_act },
                                          { "canvas-align", canvas_keys_act, "s" },
                                          { "canvas-add-class", canvas_keys_act, "s" },
                                          { "canvas-add-behind", canvas_keys_act, "s" },
                                          { "canvas-show-box", canvas_keys_act, "s" },
                                          { "canvas-show-setting", canvas_keys_act, "(ss)" },
                                          { "canvas-minimap", NULL, NULL, "true", act_minimap } };
  g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), canvas);
}

void
editor_canvas_set_keys (GtkWidget *canvas, bool (*key_of) (const char *action, guint *key, GdkModifierType *mods))
{
  EDITOR_CANVAS (canvas)->key_of = key_of;
}
