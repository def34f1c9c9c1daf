/* SPDX-License-Identifier: Apache-2.0 */
/* picture-access.c - the items of a picture as accessible objects.
 *
 * They are made when somebody asks, and are gone with the picture they were in: what moves at the rate of frames is not
 * told to anybody who did not ask (the state MANAGES_DESCENDANTS says so). */
#include <gtk/gtk-a11y.h>
#include <math.h>
#include "panes/picture.h"
#include "eve/words.h"

#define TOLD_MAX 300 /* items: the most important come first */

/* ---- an item ------------------------------------------------------------------------------------------- */

typedef struct PictureItem {
  AtkObject parent;
  ScopePicture *picture; /* NULL: the picture is another by now */
  guint index;
} PictureItem;
typedef AtkObjectClass PictureItemClass;

static void picture_access_item_component (AtkComponentIface *iface);
static void picture_access_item_action (AtkActionIface *iface);
static GType picture_item_get_type (void);
G_DEFINE_TYPE_WITH_CODE (PictureItem, picture_item, ATK_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (ATK_TYPE_COMPONENT, picture_access_item_component)
                             G_IMPLEMENT_INTERFACE (ATK_TYPE_ACTION, picture_access_item_action))

static void
picture_access_let_go (PictureItem *i)
{
  if (i->picture != NULL)
    g_object_remove_weak_pointer (G_OBJECT (i->picture), (gpointer *) &i->picture);
  i->picture = NULL;
}

static void
picture_access_item_finalize (GObject *o)
{
  picture_access_let_go ((PictureItem *) o);
  G_OBJECT_CLASS (picture_item_parent_class)->finalize (o);
}

static const ViewItem *
item_of (PictureItem *i)
{
  const GArray *items = i->picture != NULL ? picture_items (i->picture) : NULL;

  return items != NULL && i->index < items->len ? &g_array_index (items, ViewItem, i->index) : NULL;
}

static int
picture_access_item_index (AtkObject *o)
{
  return (int) ((PictureItem *) o)->index;
}

static AtkStateSet *
picture_access_item_states (AtkObject *o)
{
  PictureItem *i = (PictureItem *) o;
  AtkStateSet *set = ATK_OBJECT_CLASS (picture_item_parent_class)->ref_state_set (o);
  const ViewItem *item = item_of (i);

  atk_state_set_add_state (set, ATK_STATE_TRANSIENT);
  if (item == NULL) {
    atk_state_set_add_state (set, ATK_STATE_DEFUNCT);
    return set;
  }
  atk_state_set_add_states (set,
                            (AtkStateType[]){ ATK_STATE_ENABLED, ATK_STATE_SENSITIVE, ATK_STATE_VISIBLE,
                                              ATK_STATE_SHOWING, ATK_STATE_SELECTABLE, ATK_STATE_FOCUSABLE },
                            6);
  if (picture_is_selected (i->picture, item))
    atk_state_set_add_state (set, ATK_STATE_SELECTED);
  if ((int) i->index == picture_focused_item (i->picture))
    atk_state_set_add_state (set, ATK_STATE_FOCUSED);
  return set;
}

static void
picture_access_item_extents (AtkComponent *c, int *x, int *y, int *width, int *height, AtkCoordType coords)
{
  PictureItem *i = (PictureItem *) c;
  const ViewItem *item = item_of (i);
  double k = picture_text ();
  int left = 0, top = 0, w, h;

  *x = *y = *width = *height = -1;
  if (item == NULL)
    return;
  atk_component_get_extents (ATK_COMPONENT (gtk_widget_get_accessible (GTK_WIDGET (i->picture))), &left, &top, &w, &h,
                             coords);
  *x = left + (int) round ((item->x - i->picture->made.left) * k);
  *y = top + (int) round ((item->y - i->picture->made.top) * k);
  *width = MAX ((int) round (item->width * k), 1);
  *height = MAX ((int) round (item->height * k), 1);
}

static gboolean
picture_access_item_grab_focus (AtkComponent *c)
{
  PictureItem *i = (PictureItem *) c;

  if (item_of (i) == NULL)
    return FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (i->picture));
  picture_focus_item (i->picture, (int) i->index);
  return TRUE;
}

static void
picture_access_item_component (AtkComponentIface *iface)
{
  iface->get_extents = picture_access_item_extents;
  iface->grab_focus = picture_access_item_grab_focus;
}

static int
picture_access_item_n_actions (AtkAction *a)
{
  const ViewItem *item = item_of ((PictureItem *) a);

  return item == NULL ? 0 : item->mark.tag.from <= item->mark.tag.to ? 2 : 1;
}

static const char *
picture_access_item_action_name (AtkAction *a, int n)
{
  return n == 0 ? "click" : n == 1 ? "go" : NULL;
}

static const char *
item_action_description (AtkAction *a, int n)
{
  return n == 0 ? _ ("Selects it") : n == 1 ? _ ("Goes to the instant where it begins") : NULL;
}

static gboolean
item_act (AtkAction *a, int n)
{
  PictureItem *i = (PictureItem *) a;
  const ViewItem *item = item_of (i);

  if (item == NULL || n < 0 || n >= picture_access_item_n_actions (a))
    return FALSE;
  if (n == 0)
    picture_select (i->picture, item, false);
  else
    scope_document_go_date (picture_document (i->picture), item->mark.tag.from);
  return TRUE;
}

static void
picture_access_item_action (AtkActionIface *iface)
{
  iface->get_n_actions = picture_access_item_n_actions;
  iface->get_name = picture_access_item_action_name;
  iface->get_description = item_action_description;
  iface->do_action = item_act;
}

static void
picture_item_class_init (PictureItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = picture_access_item_finalize;
  klass->get_index_in_parent = picture_access_item_index;
  klass->ref_state_set = picture_access_item_states;
}

static void
picture_item_init (PictureItem *i)
{
  ((AtkObject *) i)->role = ATK_ROLE_LIST_ITEM;
}

/* ---- the picture --------------------------------------------------------------------------------------- */

typedef struct PictureAccessible {
  GtkWidgetAccessible parent;
  GPtrArray *children; /* of PictureItem *, by index; NULL: not asked for */
} PictureAccessible;
typedef GtkWidgetAccessibleClass PictureAccessibleClass;

G_DEFINE_TYPE (PictureAccessible, picture_accessible, GTK_TYPE_WIDGET_ACCESSIBLE)

static ScopePicture *
picture_access_of (AtkObject *o)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (o));

  return w != NULL ? SCOPE_PICTURE (w) : NULL;
}

static int
n_children (AtkObject *o)
{
  ScopePicture *p = picture_access_of (o);

  return p != NULL && p->c != NULL ? (int) MIN (picture_items (p)->len, TOLD_MAX) : 0;
}

static AtkObject *
ref_child (AtkObject *o, int index)
{
  PictureAccessible *a = (PictureAccessible *) o;
  PictureItem *item;

  if (index < 0 || index >= n_children (o))
    return NULL;
  if (a->children == NULL)
    a->children = g_ptr_array_new_with_free_func (g_object_unref);
  while (a->children->len <= (guint) index)
    g_ptr_array_add (a->children, NULL);
  item = a->children->pdata[index];
  if (item == NULL) {
    item = g_object_new (picture_item_get_type (), NULL);
    item->picture = picture_access_of (o);
    g_object_add_weak_pointer (G_OBJECT (item->picture), (gpointer *) &item->picture);
    item->index = (guint) index;
    atk_object_set_parent (ATK_OBJECT (item), o);
    atk_object_set_name (ATK_OBJECT (item), item_of (item)->name);
    a->children->pdata[index] = item;
  }
  return g_object_ref (ATK_OBJECT (item));
}

static void
picture_access_forget (PictureAccessible *a)
{
  GPtrArray *children = g_steal_pointer (&a->children);

  for (guint i = 0; children != NULL && i < children->len; i++) {
    PictureItem *item = children->pdata[i];
    if (item == NULL)
      continue;
    picture_access_let_go (item);
    atk_object_notify_state_change (ATK_OBJECT (item), ATK_STATE_DEFUNCT, TRUE);
    g_object_unref (item);
  }
  if (children != NULL) {
    g_ptr_array_set_free_func (children, NULL);
    g_ptr_array_unref (children);
  }
}

void
picture_accessible_changed (ScopePicture *p)
{
  PictureAccessible *a = (PictureAccessible *) gtk_widget_get_accessible (GTK_WIDGET (p));

  if (a->children == NULL)
    return;
  picture_access_forget (a);
  g_signal_emit_by_name (a, "visible-data-changed");
}

/* A reader of the screen follows what is stepped to. */
void
picture_accessible_focused (ScopePicture *p)
{
  AtkObject *o = gtk_widget_get_accessible (GTK_WIDGET (p));
  g_autoptr (AtkObject) item = p->focused >= 0 ? ref_child (o, p->focused) : NULL;

  if (item != NULL)
    g_signal_emit_by_name (o, "active-descendant-changed", item);
}

static AtkStateSet *
ref_states (AtkObject *o)
{
  AtkStateSet *set = ATK_OBJECT_CLASS (picture_accessible_parent_class)->ref_state_set (o);

  atk_state_set_add_state (set, ATK_STATE_MANAGES_DESCENDANTS);
  return set;
}

static void
picture_access_finalize (GObject *o)
{
  picture_access_forget ((PictureAccessible *) o);
  G_OBJECT_CLASS (picture_accessible_parent_class)->finalize (o);
}

static void
initialize (AtkObject *o, gpointer widget)
{
  ATK_OBJECT_CLASS (picture_accessible_parent_class)->initialize (o, widget);
  o->role = ATK_ROLE_DRAWING_AREA;
}

static void
picture_accessible_class_init (PictureAccessibleClass *klass)
{
  AtkObjectClass *a = ATK_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = picture_access_finalize;
  a->initialize = initialize;
  a->get_n_children = n_children;
  a->ref_child = ref_child;
  a->ref_state_set = ref_states;
}

static void
picture_accessible_init (PictureAccessible *a)
{
}
