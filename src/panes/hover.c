/* SPDX-License-Identifier: Apache-2.0 */
/* hover.c - the card that tells what is under the pointer (thesis, figure 4.8): the item, what its view knows of it,
 * and its attributes at the present, live. */
#include <math.h>
#include <string.h>
#include "document/curves.h"
#include "eve/words.h"
#include "panes/facts.h"
#include "panes/picture.h"
#include "views/paint.h"

#define FIRST_MS 250 /* until the card comes */
#define NEXT_MS 30   /* until it follows the pointer to another item */
#define LINE 19.0
#define LINES_MAX 14
#define WIDEST 380.0

static void
queue_card (ScopePicture *p)
{
  picture_queue (p, &p->card_at, 6);
}

/* ---- what it says -------------------------------------------------------------------------------------- */

/* Adds a line that the card does not have yet: the view may have told the same of its own. */
static void
hover_add_line (ScopePicture *p, char *line)
{
  for (guint i = 0; i < p->card->len; i++)
    if (strcmp (p->card->pdata[i], line) == 0) {
      g_free (line);
      return;
    }
  g_ptr_array_add (p->card, line);
}

static void
hover_add_attributes (ScopePicture *p, StateScope scope, uint32_t object, const StateGraph *g)
{
  int64_t at = scope_document_at (p->d);
  g_autofree char *date = axis_date (&scope_document_source (p->d)->clock, at, -1);

  g_ptr_array_add (p->card, g_strdup_printf ("\t%s", date));
  for (uint32_t a = 0; a < g->model->n_attributes && p->card->len < LINES_MAX; a++) {
    const StateAttribute *attribute = &g->model->attributes[a];
    if (attribute->scope != scope || attribute->kind == STATE_DATE || strstr (attribute->name, "ame") != NULL)
      continue;
    g_autofree char *value = facts_value (g, a, object, at), *label = facts_label (attribute);
    const char *unit = attribute->unit;
    if (*value == '\0')
      continue;
    hover_add_line (
        p, g_strdup_printf ("%s\t%s%s%s", label, value, unit != NULL ? "\u2009" : "", unit != NULL ? unit : ""));
  }
}

static void
hover_tell (ScopePicture *p, const ViewItem *item, const char *facts)
{
  EveComponent *simulator = session_simulator_above (p->c), *reader = session_reader_above (p->c);
  const StateGraph *g = simulator != NULL ? eve_query (simulator, "state-graph/1") : NULL;
  const TraceSource *own = reader != NULL ? session_source_of (reader) : NULL,
                    *s = own != NULL ? own : scope_document_source (p->d);
  g_auto (GStrv) lines = g_strsplit (facts, "\n", -1);

  if (p->card != NULL)
    g_ptr_array_unref (p->card);
  p->card = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (p->card, g_strdup (item->name));
  for (char **line = lines; *line != NULL; line++)
    if (**line != '\0')
      g_ptr_array_add (p->card, g_strdup (*line));
  if (curves_can (p->d, p->c, &item->mark.tag)) {
    g_ptr_array_add (p->card, g_strdup (_ ("As a curve\tdouble click, or Enter")));
    g_ptr_array_add (p->card, g_strdup (_ ("In another chart\tdrag it there")));
  }
  const DrawingTag *tag = &item->mark.tag;
  uint32_t task = tag->what.id, peer = tag->other.type == TRACE_REF_TASK ? tag->other.id : TRACE_NONE;
  if (g == NULL || (tag->what.type != TRACE_REF_TASK && !trace_ref_ends (tag->what, &task, &peer)))
    return;
  if (peer != TRACE_NONE && peer != task) {
    uint32_t edge = facts_edge (g, s, task, peer, TRACE_NONE);
    if (edge != TRACE_NONE)
      hover_add_attributes (p, STATE_EDGE, edge, g);
  } else {
    uint32_t node = facts_node (g, s, task, task);
    if (node != TRACE_NONE && state_present (g, STATE_NODE, node))
      hover_add_attributes (p, STATE_NODE, node, g);
  }
}

static void
hover_describe (ScopePicture *p)
{
  AtkObject *a = gtk_widget_get_accessible (GTK_WIDGET (p));
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; p->card != NULL && i < p->card->len; i++)
    g_string_append_printf (all, "%s\n", (char *) p->card->pdata[i]);
  atk_object_set_description (a, all->str);
}

/* ---- when ---------------------------------------------------------------------------------------------- */

void
hover_forget (ScopePicture *p)
{
  if (p->hover_timer != 0)
    g_source_remove (p->hover_timer);
  p->hover_timer = 0;
  if (p->hovered.name != NULL && p->d != NULL)
    picture_point_at (p, NULL);
  g_clear_pointer (&p->hovered.name, g_free);
  if (p->card == NULL)
    return;
  queue_card (p);
  g_clear_pointer (&p->card, g_ptr_array_unref);
  p->card_at.width = 0;
}

static cairo_rectangle_t hover_measure (ScopePicture *p);

static void
hover_put (ScopePicture *p, const ViewItem *item, const char *facts)
{
  queue_card (p);
  hover_tell (p, item, facts);
  p->card_at = hover_measure (p);
  hover_describe (p);
  queue_card (p);
}

static gboolean
hover_look (gpointer data)
{
  ScopePicture *p = data;
  g_autoptr (GString) facts = g_string_new (NULL);
  ViewItem item;

  p->hover_timer = 0;
  if (!p->inside || p->drag != DRAG_NONE || !picture_item_at (p, p->last_x, p->last_y, &item, facts)) {
    hover_forget (p);
    return G_SOURCE_REMOVE;
  }
  p->hover_x = p->last_x;
  p->hover_y = p->last_y;
  hover_put (p, &item, facts->str);
  picture_point_at (p, &item);
  g_free (p->hovered.name);
  p->hovered = item;
  return G_SOURCE_REMOVE;
}

void
hover_later (ScopePicture *p)
{
  if (p->tool != PICTURE_INSPECT) {
    hover_forget (p);
    return;
  }
  if (p->hover_timer != 0 && p->card == NULL) {
    g_source_remove (p->hover_timer);
    p->hover_timer = 0;
  }
  if (p->hover_timer == 0)
    p->hover_timer = g_timeout_add (p->card != NULL ? NEXT_MS : FIRST_MS, hover_look, p);
}

void
hover_item (ScopePicture *p, double x, double y, const ViewItem *item)
{
  hover_forget (p);
  p->hovered = *item;
  p->hovered.name = g_strdup (item->name);
  p->hover_x = x;
  p->hover_y = y;
  hover_put (p, &p->hovered, "");
  picture_point_at (p, &p->hovered);
}

void
hover_refresh (ScopePicture *p)
{
  if (p->card == NULL)
    return;
  if (p->inside && p->hover_timer == 0 && p->focused < 0)
    p->hover_timer = g_timeout_add (NEXT_MS, hover_look, p);
  else if (p->focused >= 0 && p->hovered.name != NULL) {
    hover_put (p, &p->hovered, "");
  }
}

/* ---- what it looks like -------------------------------------------------------------------------------- */

static void
halves (const char *line, char **name, const char **value)
{
  const char *tab = strchr (line, '\t');

  *name = tab != NULL ? g_strndup (line, (gsize) (tab - line)) : g_strdup (line);
  *value = tab != NULL ? tab + 1 : "";
}

/* Beside the point, inside the picture. */
static cairo_rectangle_t
hover_measure (ScopePicture *p)
{
  double room_x = picture_width (p), room_y = picture_height (p), width = 150, x = p->hover_x, y = p->hover_y;
  cairo_rectangle_t r = { 0, 0, 0, 12 + LINE * p->card->len };
  ViewScene scene;
  Paint paint;

  picture_scene (p, &scene);
  paint_measure (&paint, &scene);
  for (guint i = 0; i < p->card->len; i++) {
    g_autofree char *name = NULL;
    const char *value;
    halves (p->card->pdata[i], &name, &value);
    width = MAX (width, paint_text_width (&paint, i == 0 ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, name)
                            + (*value != '\0' ? 28 + paint_text_width (&paint, PAINT_TEXT, value) : 0));
  }
  paint_end (&paint);
  r.width = ceil (MIN (MIN (width, WIDEST) + 24, MAX (room_x - 8, 40)));
  r.x = x + 14 + r.width <= room_x - 4 ? x + 14 : MAX (x - 14 - r.width, 4);
  r.y = y + 16 + r.height <= room_y - 4 ? y + 16 : MAX (y - 10 - r.height, 4);
  r.x = floor (MAX (MIN (r.x, room_x - r.width - 4), 4));
  r.y = floor (MAX (MIN (r.y, room_y - r.height - 4), 4));
  return r;
}

static void
round_rectangle (cairo_t *cr, const cairo_rectangle_t *r, double grow, double radius)
{
  double x = r->x - grow, y = r->y - grow, w = r->width + 2 * grow, h = r->height + 2 * grow;

  cairo_new_path (cr);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 1.5 * G_PI);
  cairo_arc (cr, x + w - radius, y + radius, radius, 1.5 * G_PI, 2 * G_PI);
  cairo_arc (cr, x + w - radius, y + h - radius, radius, 0, 0.5 * G_PI);
  cairo_arc (cr, x + radius, y + h - radius, radius, 0.5 * G_PI, G_PI);
  cairo_close_path (cr);
}

void
hover_draw (ScopePicture *p, cairo_t *cr, const ViewScene *scene)
{
  const cairo_rectangle_t *r = &p->card_at;
  cairo_rectangle_t shade = { r->x, r->y + 2, r->width, r->height };
  Paint paint;

  if (p->card == NULL || r->width <= 0)
    return;
  paint_over (&paint, scene, cr);
  paint_source (cr, 0x000000, scene->dark ? 0.4 : 0.12);
  round_rectangle (cr, &shade, 1, 6);
  cairo_fill (cr);
  paint_source (cr, scene->dark ? 0x2c2d31 : 0xffffff, 1);
  round_rectangle (cr, r, 0, 6);
  cairo_fill_preserve (cr);
  paint_source (cr, paint.faint, 1);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  for (guint i = 0; i < p->card->len; i++) {
    double y = r->y + 6 + LINE * (i + 0.5), taken = 0;
    g_autofree char *name = NULL;
    const char *value;
    halves (p->card->pdata[i], &name, &value);
    if (*name == '\0') { /* a line that begins a part */
      paint_source (cr, paint.grid, 1);
      cairo_rectangle (cr, r->x + 12, floor (r->y + 6 + LINE * i) + 1, r->width - 24, 1);
      cairo_fill (cr);
      name = (g_free (name), g_strdup (_ ("Now, at")));
    }
    if (*value != '\0')
      taken = paint_text (&paint, r->x + r->width - 12, y, 1, PAINT_TEXT, paint.ink, (r->width - 24) * 0.7, value) + 12;
    paint_text (&paint, r->x + 12, y, 0, i == 0 ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT,
                i == 0 ? paint.ink : paint.muted, MAX (r->width - 24 - taken, 20), name);
  }
  paint_end (&paint);
}
