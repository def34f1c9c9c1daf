/* SPDX-License-Identifier: Apache-2.0 */
#include "document/fold-box.h"

#define ORDER "fold-order"
#define WISH "fold-wish"

struct _ScopeFoldBox {
  GtkBox parent;
};
G_DEFINE_FINAL_TYPE (ScopeFoldBox, scope_fold_box, GTK_TYPE_BOX)

typedef struct Part {
  GtkWidget *child;
  int order;
  gboolean expands, at_end, goes;
} Part;

/* Those that are visible, from left to right. */
static GArray *
fold_box_parts_of (GtkWidget *w)
{
  GArray *parts = g_array_new (FALSE, TRUE, sizeof (Part)), *end = g_array_new (FALSE, TRUE, sizeof (Part));
  GList *children = gtk_container_get_children (GTK_CONTAINER (w));

  for (GList *l = children; l; l = l->next) {
    Part p = { .child = l->data, .order = GPOINTER_TO_INT (g_object_get_data (l->data, ORDER)) };
    GtkPackType pack;
    gtk_box_query_child_packing (GTK_BOX (w), p.child, &p.expands, NULL, NULL, &pack);
    p.at_end = pack == GTK_PACK_END;
    if (!gtk_widget_get_visible (p.child))
      continue;
    if (p.at_end)
      g_array_prepend_val (end, p);
    else
      g_array_append_val (parts, p);
  }
  g_array_append_vals (parts, end->data, end->len);
  g_array_unref (end);
  g_list_free (children);
  return parts;
}

static GtkSizeRequestMode
request_mode (GtkWidget *w)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
preferred_width (GtkWidget *w, int *minimum, int *natural)
{
  g_autoptr (GArray) parts = fold_box_parts_of (w);
  int spacing = gtk_box_get_spacing (GTK_BOX (w)), staying = 0;

  *minimum = *natural = 0;
  for (guint i = 0; i < parts->len; ++i) {
    const Part *p = &g_array_index (parts, Part, i);
    int least, best;
    gtk_widget_get_preferred_width (p->child, &least, &best);
    *natural += best + (i ? spacing : 0);
    if (!p->order)
      *minimum += least + (staying++ ? spacing : 0);
  }
}

/* Gives what the parts that stay need at least, those with a wish as much as that. */
static int
needed (GArray *parts, int spacing)
{
  int sum = 0, staying = 0, least;

  for (guint i = 0; i < parts->len; ++i) {
    const Part *p = &g_array_index (parts, Part, i);
    if (p->goes)
      continue;
    gtk_widget_get_preferred_width (p->child, &least, NULL);
    least = MAX (least, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (p->child), WISH)));
    sum += least + (staying++ ? spacing : 0);
  }
  return sum;
}

static void
fold_box_put_aside (GArray *parts, int spacing, int width)
{
  while (needed (parts, spacing) > width) {
    Part *first = NULL;
    for (guint i = 0; i < parts->len; ++i) {
      Part *p = &g_array_index (parts, Part, i);
      if (p->order && !p->goes && (!first || p->order < first->order))
        first = p;
    }
    if (!first)
      return;
    for (guint i = 0; i < parts->len; ++i) /* those of one order go together */
      g_array_index (parts, Part, i).goes |= g_array_index (parts, Part, i).order == first->order;
  }
}

static void
size_allocate (GtkWidget *w, GtkAllocation *room)
{
  g_autoptr (GArray) parts = fold_box_parts_of (w);
  int spacing = gtk_box_get_spacing (GTK_BOX (w)), n = 0, expanding = 0, x = room->x;
  g_autofree GtkRequestedSize *sizes = g_new0 (GtkRequestedSize, parts->len + 1);

  gtk_widget_set_allocation (w, room);
  fold_box_put_aside (parts, spacing, room->width);
  int left = room->width;
  for (guint i = 0; i < parts->len; ++i) {
    const Part *p = &g_array_index (parts, Part, i);
    gtk_widget_set_child_visible (p->child, !p->goes);
    if (p->goes)
      continue;
    gtk_widget_get_preferred_width (p->child, &sizes[n].minimum_size, &sizes[n].natural_size);
    left -= sizes[n].minimum_size + (n ? spacing : 0);
    expanding += p->expands;
    ++n;
  }
  left = gtk_distribute_natural_allocation (MAX (left, 0), (guint) n, sizes);
  bool mirrored = gtk_widget_get_direction (w) == GTK_TEXT_DIR_RTL, end = false;
  n = 0;
  for (guint i = 0; i < parts->len; ++i) {
    const Part *p = &g_array_index (parts, Part, i);
    GtkAllocation a = { x, room->y, 0, room->height };
    if (p->goes)
      continue;
    if (p->at_end && !end && !expanding) /* what is packed at the end stands there */
      a.x = x += left;
    end = p->at_end;
    a.width = sizes[n++].minimum_size;
    if (p->expands) {
      int more = left / expanding;
      a.width += more;
      left -= more;
      --expanding;
    }
    x += a.width + spacing;
    if (mirrored)
      a.x = 2 * room->x + room->width - a.x - a.width;
    gtk_widget_size_allocate (p->child, &a);
  }
}

static void
draw_child (GtkWidget *child, gpointer cr)
{
  gtk_container_propagate_draw (GTK_CONTAINER (gtk_widget_get_parent (child)), child, cr);
}

/* It has no look of its own: a box around it may have one. */
static gboolean
fold_box_draw (GtkWidget *w, cairo_t *cr)
{
  gtk_container_forall (GTK_CONTAINER (w), draw_child, cr);
  return FALSE;
}

static void
scope_fold_box_class_init (ScopeFoldBoxClass *klass)
{
  GtkWidgetClass *w = GTK_WIDGET_CLASS (klass);

  w->get_request_mode = request_mode;
  w->get_preferred_width = preferred_width;
  w->size_allocate = size_allocate;
  w->draw = fold_box_draw;
}

static void
scope_fold_box_init (ScopeFoldBox *b)
{
}

GtkWidget *
fold_box_new (int spacing)
{
  return g_object_new (SCOPE_TYPE_FOLD_BOX, "orientation", GTK_ORIENTATION_HORIZONTAL, "spacing", spacing, NULL);
}

void
fold_box_wish (GtkWidget *child, int px)
{
  g_object_set_data (G_OBJECT (child), WISH, GINT_TO_POINTER (px));
  gtk_widget_queue_resize (child);
}

void
fold_box_order (GtkWidget *child, int order)
{
  g_object_set_data (G_OBJECT (child), ORDER, GINT_TO_POINTER (order));
}
