/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-access.c - boxes, ports, wires, frames and open sub-programs as accessible objects: names, descriptions,
 * places, actions, selection.  An object knows its thing by name, so it outlives the sketch. */
#include <gtk/gtk-a11y.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "editor/canvas-private.h"
#include "eve/words.h"

/* ---- one item ------------------------------------------------------------------------------------------------------- */
typedef enum { ITEM_BOX, ITEM_PORT, ITEM_WIRE, ITEM_FRAME, ITEM_GROUP } ItemKind;

typedef struct CanvasItem {
  AtkObject parent;
  EditorCanvas *w; /* NULL: the canvas is gone */
  ItemKind kind;
  bool out;
  char *a, *b, *c, *d; /* box; component, port; from, out, to, in; comment, number; sub-program */
  char *key, *name, *description;
  GPtrArray *ports; /* of a box */
} CanvasItem;
typedef AtkObjectClass CanvasItemClass;

static void canvas_access_item_component (AtkComponentIface *iface);
static void canvas_access_item_action (AtkActionIface *iface);
GType canvas_item_get_type (void);
G_DEFINE_TYPE_WITH_CODE (CanvasItem, canvas_item, ATK_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (ATK_TYPE_COMPONENT, canvas_access_item_component)
                             G_IMPLEMENT_INTERFACE (ATK_TYPE_ACTION, canvas_access_item_action))
#define CANVAS_ITEM(o) ((CanvasItem *) (void *) (o))

static SketchBox *
canvas_access_box_of (const CanvasItem *i)
{
  return i->w && i->kind == ITEM_BOX ? sketch_box (i->w->sketch, i->a) : NULL;
}

static SketchPort *
canvas_access_port_of (const CanvasItem *i)
{
  EveComponent *c = i->w && i->kind == ITEM_PORT && i->w->sketch->p ? eve_find (i->w->sketch->p, i->a) : NULL;
  return c ? sketch_port (i->w->sketch, c, i->b, i->out) : NULL;
}

static SketchWire *
canvas_access_wire_of (const CanvasItem *i)
{
  for (guint k = 0; i->w && i->kind == ITEM_WIRE && k < i->w->sketch->wires->len; k++) {
    SketchWire *w = i->w->sketch->wires->pdata[k];
    if (!strcmp (eve_name (w->from), i->a) && !strcmp (w->out, i->b) && !strcmp (eve_name (w->to), i->c)
        && !strcmp (w->in, i->d))
      return w;
  }
  return NULL;
}

static Frame *
canvas_access_frame_of (const CanvasItem *i)
{
  const Notes *n = i->w && i->kind == ITEM_FRAME ? i->w->sketch->notes : NULL;
  guint at = n ? (guint) atoi (i->b) : 0;
  return n && at < n->frames->len ? n->frames->pdata[at] : NULL;
}

static SketchGroup *
canvas_access_group_of (const CanvasItem *i)
{
  for (guint k = 0; i->w && i->kind == ITEM_GROUP && k < i->w->sketch->groups->len; k++) {
    SketchGroup *g = i->w->sketch->groups->pdata[k];
    if (!strcmp (g->name, i->a))
      return g;
  }
  return NULL;
}

static CanvasHit
canvas_access_thing_of (const CanvasItem *i)
{
  CanvasHit hit = { .box = canvas_access_box_of (i),
                    .port = canvas_access_port_of (i),
                    .wire = canvas_access_wire_of (i),
                    .group = canvas_access_group_of (i),
                    .frame = canvas_access_frame_of (i) };
  hit.part = hit.frame ? FRAME_TITLE : FRAME_NOWHERE;
  return hit;
}

static bool
can_be_selected (const CanvasItem *i)
{
  return i->kind == ITEM_BOX || i->kind == ITEM_WIRE || i->kind == ITEM_FRAME;
}

static void
canvas_access_item_finalize (GObject *object)
{
  CanvasItem *i = CANVAS_ITEM (object);
  g_free (i->a);
  g_free (i->b);
  g_free (i->c);
  g_free (i->d);
  g_free (i->key);
  g_free (i->name);
  g_free (i->description);
  g_clear_pointer (&i->ports, g_ptr_array_unref);
  G_OBJECT_CLASS (canvas_item_parent_class)->finalize (object);
}

static const char *
item_name (AtkObject *o)
{
  return CANVAS_ITEM (o)->name;
}

static const char *
item_description (AtkObject *o)
{
  CanvasItem *i = CANVAS_ITEM (o);
  static const char *const runs[] = { "", N_ (" Running."), N_ (" Waiting."), N_ (" Warning: "), N_ (" Failed: ") };
  const SketchBox *b = canvas_access_box_of (i);
  const SketchPort *p = canvas_access_port_of (i);
  const SketchWire *w = canvas_access_wire_of (i);
  const SketchGroup *g = canvas_access_group_of (i);
  g_free (i->description);
  i->description = NULL;
  if (b)
    i->description = g_strdup_printf (
        "%s. %s%s%s.%s%s%s%s", b->kind, b->status, *b->status && *b->counter ? ", " : "", b->counter,
        in_words (runs[b->run]), b->run >= BOX_WARNS && b->problem ? b->problem : "",
        b->changed ? _ (" Not what was saved.") : "", b->ghost ? _ (" A ghost: its class was not found.") : "");
  else if (p)
    i->description = g_strdup_printf (
        "%s%s%s%s%s%s%s%s", p->control ? _ ("control, ") : "", p->type ? in_words (p->type->name) : _ ("any type"),
        p->unit ? _ (", in ") : "", p->unit ? p->unit : "", p->connected ? _ (", connected") : "",
        p->needed ? _ (", needed") : "", p->doc ? ". " : "", p->doc ? in_words (p->doc) : "");
  else if (w) {
    g_autofree char *last = scope_wire_last (w->from, w->out);
    i->description = g_strdup_printf ("%s%s%s%s%s", w->type ? in_words (w->type->name) : _ ("no type yet"),
                                      w->broken  ? _ (", broken")
                                      : w->rests ? _ (", carries nothing")
                                                 : "",
                                      w->pinned ? _ (", pinned") : "", last ? _ (", last: ") : "", last ? last : "");
  } else if (g)
    i->description = g_strdup_printf (
        P_ ("Open sub-program of %u component", "Open sub-program of %u components", g->members->len), g->members->len);
  else if (canvas_access_frame_of (i))
    i->description = g_strdup (_ ("Frame"));
  return i->description ? i->description : "";
}

static AtkRole
item_role (AtkObject *o)
{
  static const AtkRole roles[] = { [ITEM_BOX] = ATK_ROLE_PANEL,
                                   [ITEM_PORT] = ATK_ROLE_ICON,
                                   [ITEM_WIRE] = ATK_ROLE_ARROW,
                                   [ITEM_FRAME] = ATK_ROLE_COMMENT,
                                   [ITEM_GROUP] = ATK_ROLE_GROUPING };
  return roles[CANVAS_ITEM (o)->kind];
}

static AtkStateSet *
canvas_access_item_states (AtkObject *o)
{
  CanvasItem *i = CANVAS_ITEM (o);
  AtkStateSet *set = atk_state_set_new ();
  CanvasHit thing = canvas_access_thing_of (i);
  if (!thing.box && !thing.port && !thing.wire && !thing.frame && !thing.group) {
    atk_state_set_add_state (set, ATK_STATE_DEFUNCT);
    return set;
  }
  atk_state_set_add_state (set, ATK_STATE_ENABLED);
  atk_state_set_add_state (set, ATK_STATE_SENSITIVE);
  atk_state_set_add_state (set, ATK_STATE_VISIBLE);
  if (gtk_widget_get_mapped (GTK_WIDGET (i->w)))
    atk_state_set_add_state (set, ATK_STATE_SHOWING);
  if (can_be_selected (i)) {
    atk_state_set_add_state (set, ATK_STATE_SELECTABLE);
    if (canvas_is_selected (&thing))
      atk_state_set_add_state (set, ATK_STATE_SELECTED);
  }
  return set;
}

static int
item_n_children (AtkObject *o)
{
  CanvasItem *i = CANVAS_ITEM (o);
  return i->ports ? (int) i->ports->len : 0;
}

static AtkObject *
item_child (AtkObject *o, int k)
{
  CanvasItem *i = CANVAS_ITEM (o);
  return i->ports && k >= 0 && (guint) k < i->ports->len ? g_object_ref (i->ports->pdata[k]) : NULL;
}

static int
canvas_access_item_index (AtkObject *o)
{
  CanvasItem *i = CANVAS_ITEM (o);
  AtkObject *parent = atk_object_get_parent (o);
  GPtrArray *among = i->kind == ITEM_PORT ? CANVAS_ITEM (parent)->ports : i->w ? i->w->items : NULL;
  guint at;
  return among && g_ptr_array_find (among, o, &at) ? (int) at : -1;
}

static void
canvas_item_class_init (CanvasItemClass *class)
{
  G_OBJECT_CLASS (class)->finalize = canvas_access_item_finalize;
  class->get_name = item_name;
  class->get_description = item_description;
  class->get_role = item_role;
  class->ref_state_set = canvas_access_item_states;
  class->get_n_children = item_n_children;
  class->ref_child = item_child;
  class->get_index_in_parent = canvas_access_item_index;
}

static void
canvas_item_init (CanvasItem *i)
{
}

static void
canvas_access_item_extents (AtkComponent *o, int *x, int *y, int *width, int *height, AtkCoordType type)
{
  CanvasItem *i = CANVAS_ITEM (o);
  const SketchBox *b = canvas_access_box_of (i);
  const SketchPort *p = canvas_access_port_of (i);
  const SketchWire *w = canvas_access_wire_of (i);
  const Frame *f = canvas_access_frame_of (i);
  const SketchGroup *g = canvas_access_group_of (i);
  cairo_rectangle_t r = { 0, 0, 0, 0 };
  *x = *y = *width = *height = 0;
  if (b)
    r = (cairo_rectangle_t){ b->x, b->y, b->width, b->height };
  else if (p)
    r = (cairo_rectangle_t){ p->x - 6, p->y - 6, 12, 12 };
  else if (f)
    r = (cairo_rectangle_t){ f->x, f->y, f->width, f->height };
  else if (g)
    r = (cairo_rectangle_t){ g->x, g->y, g->width, g->height };
  else if (w) { /* its middle, where it can be pointed at */
    double mx, my;
    sketch_wire_point (w, 0.5, &mx, &my);
    r = (cairo_rectangle_t){ mx - 4, my - 4, 8, 8 };
  } else
    return;
  double wx, wy;
  int ox = 0, oy = 0;
  paint_to_window (&i->w->view, r.x, r.y, &wx, &wy);
  if (i->w->window) {
    gdk_window_get_origin (i->w->window, &ox, &oy);
    if (type == ATK_XY_WINDOW) {
      int tx, ty;
      gdk_window_get_origin (gtk_widget_get_window (gtk_widget_get_toplevel (GTK_WIDGET (i->w))), &tx, &ty);
      ox -= tx;
      oy -= ty;
    }
  }
  *x = (int) lround (wx) + ox;
  *y = (int) lround (wy) + oy;
  *width = (int) lround (r.width * i->w->view.zoom);
  *height = (int) lround (r.height * i->w->view.zoom);
}

static gboolean
canvas_access_item_grab_focus (AtkComponent *o)
{
  CanvasItem *i = CANVAS_ITEM (o);
  CanvasHit thing = canvas_access_thing_of (i);
  if (!i->w || !can_be_selected (i))
    return FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (i->w));
  canvas_select (i->w, thing, false, false);
  return TRUE;
}

static void
canvas_access_item_component (AtkComponentIface *iface)
{
  iface->get_extents = canvas_access_item_extents;
  iface->grab_focus = canvas_access_item_grab_focus;
}

/* ---- actions of items: what a click, and what a menu does ------------------------------------------------------------- */
static const char *const *
actions_of (const CanvasItem *i)
{
  static const char *const box[] = { "select", "open", "menu", NULL }, *const thing[] = { "select", "menu", NULL },
                           *const port[] = { "menu", NULL };
  return i->kind == ITEM_BOX ? box : i->kind == ITEM_PORT ? port : thing;
}

static int
canvas_access_item_n_actions (AtkAction *o)
{
  return (int) g_strv_length ((char **) actions_of (CANVAS_ITEM (o)));
}

static const char *
canvas_access_item_action_name (AtkAction *o, int k)
{
  return k >= 0 && k < canvas_access_item_n_actions (o) ? actions_of (CANVAS_ITEM (o))[k] : NULL;
}

static gboolean
item_do (AtkAction *o, int k)
{
  CanvasItem *i = CANVAS_ITEM (o);
  CanvasHit hit = canvas_access_thing_of (i);
  const char *what = canvas_access_item_action_name (o, k);
  if (!what || (!hit.box && !hit.port && !hit.wire && !hit.frame && !hit.group))
    return FALSE;
  if (!hit.port)
    canvas_select (i->w, hit, false, false);
  hit = canvas_access_thing_of (i); /* the sketch may be another now */
  if (!strcmp (what, "menu"))
    canvas_menu (i->w, hit, NULL);
  else if (!strcmp (what, "open") && hit.box)
    canvas_open (i->w, hit.box);
  return TRUE;
}

static void
canvas_access_item_action (AtkActionIface *iface)
{
  iface->get_n_actions = canvas_access_item_n_actions;
  iface->get_name = canvas_access_item_action_name;
  iface->do_action = item_do;
}

/* ---- the canvas --------------------------------------------------------------------------------------------------------- */
typedef GtkWidgetAccessible CanvasAccessible;
typedef GtkWidgetAccessibleClass CanvasAccessibleClass;
static void canvas_selection_iface (AtkSelectionIface *iface);
G_DEFINE_TYPE_WITH_CODE (CanvasAccessible, canvas_accessible, GTK_TYPE_WIDGET_ACCESSIBLE,
                         G_IMPLEMENT_INTERFACE (ATK_TYPE_SELECTION, canvas_selection_iface))

static EditorCanvas *
canvas_of (void *accessible)
{
  return (EditorCanvas *) gtk_accessible_get_widget (GTK_ACCESSIBLE (accessible));
}

static CanvasItem *
make_item (EditorCanvas *w, AtkObject *parent, ItemKind kind, const char *a, const char *b, const char *c,
           const char *d, bool out)
{
  CanvasItem *i = g_object_new (canvas_item_get_type (), NULL);
  i->w = w;
  i->kind = kind;
  i->out = out;
  i->a = g_strdup (a);
  i->b = g_strdup (b);
  i->c = g_strdup (c);
  i->d = g_strdup (d);
  i->key = g_strdup_printf ("%d\t%s\t%s\t%s\t%s", kind * 2 + out, a, b ? b : "", c ? c : "", d ? d : "");
  i->name = kind == ITEM_PORT   ? g_strdup_printf ("%s.%s %s", in_words (a), b, out ? _ ("output") : _ ("input"))
              : kind == ITEM_WIRE ? g_strdup_printf ("%s.%s → %s.%s", in_words (a), b, in_words (c), d)
                                : g_strdup (in_words (a));
  atk_object_set_parent (ATK_OBJECT (i), parent);
  return i;
}

static void
item_gone (void *item)
{
  CanvasItem *i = item;
  for (guint k = 0; i->ports && k < i->ports->len; k++)
    CANVAS_ITEM (i->ports->pdata[k])->w = NULL;
  i->w = NULL;
  atk_object_notify_state_change (ATK_OBJECT (i), ATK_STATE_DEFUNCT, TRUE);
  g_object_unref (i);
}

static CanvasItem *
item_for (EditorCanvas *w, GHashTable *old, AtkObject *parent, ItemKind kind, const char *a, const char *b,
          const char *c, const char *d)
{
  g_autofree char *key = g_strdup_printf ("%d\t%s\t%s\t%s\t%s", kind * 2, a, b ? b : "", c ? c : "", d ? d : "");
  CanvasItem *i = g_hash_table_lookup (old, key);
  if (i) {
    g_hash_table_remove (old, key);
    return g_object_ref (i);
  }
  return make_item (w, parent, kind, a, b, c, d, false);
}

static void
update_ports (EditorCanvas *w, CanvasItem *i, const SketchBox *b)
{
  GPtrArray *ports = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint k = 0; k < b->ports->len; k++) {
    const SketchPort *p = b->ports->pdata[k];
    CanvasItem *same = NULL;
    for (guint n = 0; i->ports && n < i->ports->len && !same; n++) {
      CanvasItem *q = i->ports->pdata[n];
      if (q->out == p->out && !strcmp (q->b, p->name) && !strcmp (q->a, eve_name (p->c)))
        same = q;
    }
    g_ptr_array_add (ports,
                     same ? g_object_ref (same)
                          : make_item (w, ATK_OBJECT (i), ITEM_PORT, eve_name (p->c), p->name, NULL, NULL, p->out));
  }
  g_clear_pointer (&i->ports, g_ptr_array_unref);
  i->ports = ports;
}

static void
build_items (EditorCanvas *w, AtkObject *canvas)
{
  GPtrArray *before = w->items;
  g_autoptr (GHashTable) old = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; before && i < before->len; i++)
    g_hash_table_insert (old, CANVAS_ITEM (before->pdata[i])->key, before->pdata[i]);
  w->items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    CanvasItem *item = item_for (w, old, canvas, ITEM_BOX, b->name, NULL, NULL, NULL);
    update_ports (w, item, b);
    g_ptr_array_add (w->items, item);
  }
  for (guint i = 0; i < w->sketch->wires->len; i++) {
    const SketchWire *k = w->sketch->wires->pdata[i];
    g_ptr_array_add (w->items,
                     item_for (w, old, canvas, ITEM_WIRE, eve_name (k->from), k->out, eve_name (k->to), k->in));
  }
  for (guint i = 0; i < w->sketch->frames->len; i++) {
    Frame *f = w->sketch->frames->pdata[i];
    g_autofree char *number = g_strdup_printf ("%u", canvas_frame_number (w, f));
    g_ptr_array_add (w->items, item_for (w, old, canvas, ITEM_FRAME, f->text, number, NULL, NULL));
  }
  for (guint i = 0; i < w->sketch->groups->len; i++) {
    const SketchGroup *g = w->sketch->groups->pdata[i];
    g_ptr_array_add (w->items, item_for (w, old, canvas, ITEM_GROUP, g->name, NULL, NULL, NULL));
  }
  if (!before)
    return;
  for (guint i = before->len; i-- > 0;) { /* told from the end, so that numbers stay right */
    CanvasItem *item = before->pdata[i];
    if (g_hash_table_lookup (old, item->key) == item) {
      g_signal_emit_by_name (canvas, "children-changed::remove", i, item, NULL);
      item_gone (g_object_ref (item));
    }
  }
  for (guint i = 0; i < w->items->len; i++)
    if (!g_ptr_array_find (before, w->items->pdata[i], NULL))
      g_signal_emit_by_name (canvas, "children-changed::add", i, w->items->pdata[i], NULL);
  g_ptr_array_unref (before);
}

void
canvas_access_update (EditorCanvas *w)
{
  if (w->items) /* somebody asked for them once */
    build_items (w, gtk_widget_get_accessible (GTK_WIDGET (w)));
}

void
canvas_access_selection (EditorCanvas *w)
{
  if (w->items)
    g_signal_emit_by_name (gtk_widget_get_accessible (GTK_WIDGET (w)), "selection-changed");
}

static GPtrArray *
canvas_access_items (EditorCanvas *w)
{
  if (w && !w->items)
    build_items (w, gtk_widget_get_accessible (GTK_WIDGET (w)));
  return w ? w->items : NULL;
}

static int
accessible_n_children (AtkObject *o)
{
  GPtrArray *all = canvas_access_items (canvas_of (o));
  return all ? (int) all->len : 0;
}

static AtkObject *
accessible_child (AtkObject *o, int k)
{
  GPtrArray *all = canvas_access_items (canvas_of (o));
  return all && k >= 0 && (guint) k < all->len ? g_object_ref (all->pdata[k]) : NULL;
}

static void
accessible_initialize (AtkObject *o, gpointer data)
{
  ATK_OBJECT_CLASS (canvas_accessible_parent_class)->initialize (o, data);
  o->role = ATK_ROLE_CANVAS;
  atk_object_set_name (o, _ ("Program"));
}

/* The canvas goes before those who still hold items. */
static void
accessible_widget_unset (GtkAccessible *o)
{
  EditorCanvas *w = canvas_of (o);
  for (guint i = 0; w && w->items && i < w->items->len; i++)
    item_gone (g_object_ref (w->items->pdata[i]));
  GTK_ACCESSIBLE_CLASS (canvas_accessible_parent_class)->widget_unset (o);
}

static void
canvas_accessible_class_init (CanvasAccessibleClass *class)
{
  ATK_OBJECT_CLASS (class)->initialize = accessible_initialize;
  ATK_OBJECT_CLASS (class)->get_n_children = accessible_n_children;
  ATK_OBJECT_CLASS (class)->ref_child = accessible_child;
  GTK_ACCESSIBLE_CLASS (class)->widget_unset = accessible_widget_unset;
}

static void
canvas_accessible_init (CanvasAccessible *a)
{
}

/* ---- selection ------------------------------------------------------------------------------------------------------------- */
/* What cannot be selected (NULL: there is no such child) gives an empty hit. */
static CanvasHit
nth_thing (AtkSelection *o, int k)
{
  GPtrArray *all = canvas_access_items (canvas_of (o));
  CanvasItem *i = all && k >= 0 && (guint) k < all->len ? all->pdata[k] : NULL;
  return i && can_be_selected (i) ? canvas_access_thing_of (i) : (CanvasHit){ 0 };
}

static gboolean
selection_has (AtkSelection *o, int k)
{
  CanvasHit thing = nth_thing (o, k);
  return canvas_is_selected (&thing);
}

static gboolean
selection_add (AtkSelection *o, int k)
{
  CanvasHit thing = nth_thing (o, k);
  if (!thing.box && !thing.wire && !thing.frame)
    return FALSE;
  canvas_select (canvas_of (o), thing, true, false);
  return TRUE;
}

static gboolean
selection_clear (AtkSelection *o)
{
  if (canvas_of (o))
    canvas_select (canvas_of (o), (CanvasHit){ 0 }, false, false);
  return TRUE;
}

/* The number of the i-th selected child, or -1; with i < 0 how many there are, less one. */
static int
nth_selected (AtkSelection *o, int i)
{
  int n = accessible_n_children (ATK_OBJECT (o)), found = -1;
  for (int k = 0; k < n; k++)
    if (selection_has (o, k) && ++found == i)
      return k;
  return i < 0 ? found : -1;
}

static int
selection_count (AtkSelection *o)
{
  return nth_selected (o, -1) + 1;
}

static AtkObject *
selection_ref (AtkSelection *o, int i)
{
  return i < 0 ? NULL : accessible_child (ATK_OBJECT (o), nth_selected (o, i));
}

static gboolean
selection_remove (AtkSelection *o, int i)
{
  int k = i < 0 ? -1 : nth_selected (o, i);
  if (k < 0)
    return FALSE;
  canvas_select (canvas_of (o), nth_thing (o, k), true, true);
  return TRUE;
}

static void
canvas_selection_iface (AtkSelectionIface *iface)
{
  iface->add_selection = selection_add;
  iface->clear_selection = selection_clear;
  iface->get_selection_count = selection_count;
  iface->ref_selection = selection_ref;
  iface->is_child_selected = selection_has;
  iface->remove_selection = selection_remove;
}
