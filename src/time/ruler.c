/* SPDX-License-Identifier: Apache-2.0 */
/* ruler.c - the execution as shares of states over time, as far as the film has been shot, with marks as flags,
 * checkpoints as ticks and the cursor: all of it, or the part that was zoomed to.  For assistive technology it is a
 * slider over seconds.  Px are those of a scene, painted larger where the desktop wants larger text. */
#include "time/ruler.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include "views/paint.h"

#define TOP 16.0    /* room for flags and their names */
#define BOTTOM 27.0 /* for dates */
#define FLAG_HIT 7.0
#define HEIGHT 93.0
#define LOW 70.0
#define NEARER 1.25
#define NEAREST 256 /* times: what a bucket of the overview has in it is no finer */

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

G_DEFINE_FINAL_TYPE (ScopeRuler, scope_ruler, GTK_TYPE_DRAWING_AREA)

double
ruler_inner_width (ScopeRuler *r)
{
  return MAX (gtk_widget_get_allocated_width (GTK_WIDGET (r)) / scope_text_scale () - 2 * RULER_SIDE, 1);
}

static bool
is_zoomed (const ScopeRuler *r)
{
  return r->from <= r->to;
}

static int64_t
shown_from (ScopeRuler *r)
{
  return is_zoomed (r) ? r->from : scope_document_first (r->d);
}

static int64_t
shown_to (ScopeRuler *r)
{
  return is_zoomed (r) ? r->to : scope_document_last (r->d);
}

double
ruler_x_of (ScopeRuler *r, int64_t date)
{
  double first = (double) shown_from (r), last = (double) shown_to (r);

  return RULER_SIDE + (last > first ? ((double) date - first) / (last - first) * ruler_inner_width (r) : 0);
}

static int64_t
ruler_date_of (ScopeRuler *r, double x)
{
  int64_t first = shown_from (r), last = shown_to (r);
  double share = CLAMP ((x - RULER_SIDE) / ruler_inner_width (r), 0, 1);

  return share >= 1 ? last : first + (int64_t) (share * (double) (last - first));
}

/* A program without states: how many events there are over time; heights as square roots, that few are seen beside
 * many. */
static void
draw_events (ScopeRuler *r, Paint *p, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  uint64_t most = 0;
  bool still = ruler_is_still (scope_document_source (r->d));

  for (guint k = 0; o && k < o->n; ++k) {
    most = MAX (most, o->events[k]);
    for (guint i = 0; i < o->n_states && !still; ++i)
      if (o->spent[(gsize) k * o->n_states + i] > 0)
        return;
  }
  paint_source (p->cr, p->muted, 0.7);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE);
  for (guint k = 0; most && k < o->n; ++k) {
    double x0 = ruler_x_of (r, film_bucket (o->first, o->last, k)),
           x1 = ruler_x_of (r, film_bucket (o->first, o->last, k + 1));
    if (!ruler_trim (r, &x0, &x1))
      continue;
    double h = sqrt ((double) o->events[k] / (double) most) * (y1 - y0);
    cairo_rectangle (p->cr, x0, y1 - h, MAX (x1 - x0, 1), h);
  }
  cairo_fill (p->cr);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
}

/* Not shot yet: stripes, so that it is not taken for idle time. */
static void
ruler_draw_unknown (ScopeRuler *r, Paint *p, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  cairo_t *cr = p->cr;
  double known = RULER_SIDE;

  for (guint k = 0; o && k < o->n; ++k)
    known = MAX (known, ruler_x_of (r, film_bucket (o->first, o->last, k + 1)));
  double end = RULER_SIDE + ruler_inner_width (r);
  if (known < end - 0.5) {
    cairo_save (cr);
    cairo_rectangle (cr, known, y0, end - known, y1 - y0);
    cairo_clip (cr);
    paint_source (cr, p->unknown, 0.45);
    cairo_paint (cr);
    paint_source (cr, p->paper, 0.6);
    cairo_set_line_width (cr, 2);
    for (double x = known - (y1 - y0); x < end; x += 8) {
      cairo_move_to (cr, x, y1);
      cairo_line_to (cr, x + (y1 - y0), y0);
    }
    cairo_stroke (cr);
    cairo_restore (cr);
  }
}

/* Its name stands beside it as far as the next one leaves room. */
static void
ruler_draw_flag (Paint *p, double x, double y, uint32_t rgb, double foot, const char *name, double room)
{
  cairo_t *cr = p->cr;

  if (room > 30)
    paint_text (p, x + 13, y + 5, 0, PAINT_SMALL, rgb, room - 18, name);
  paint_source (cr, rgb, 1);
  cairo_set_line_width (cr, 1.2);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x, foot);
  cairo_stroke (cr);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x + 10, y);
  cairo_line_to (cr, x + 7.5, y + 4.2);
  cairo_line_to (cr, x + 10, y + 8.4);
  cairo_line_to (cr, x, y + 8.4);
  cairo_close_path (cr);
  cairo_fill (cr);
}

typedef struct Flag {
  double x;
  const char *name;
  uint32_t rgb;
} Flag;

static int
ruler_by_place (const void *a, const void *b)
{
  double d = ((const Flag *) a)->x - ((const Flag *) b)->x;

  return d < 0 ? -1 : d > 0;
}

static void
take_flags (ScopeRuler *r, const Marks *marks, uint32_t rgb, GArray *to)
{
  for (guint i = 0; marks && i < marks->list->len; ++i) {
    const Mark *m = marks->list->pdata[i];
    if (m->date >= shown_from (r) && m->date <= shown_to (r))
      g_array_append_vals (to, &(Flag){ .x = ruler_x_of (r, m->date), .name = m->name, .rgb = rgb }, 1);
  }
}

static void
draw_flags (ScopeRuler *r, Paint *p, double foot)
{
  g_autoptr (GArray) flags = g_array_new (FALSE, FALSE, sizeof (Flag));
  const GPtrArray *others = scope_document_other_marks (r->d);

  for (guint k = 0; others && k < others->len; ++k)
    take_flags (r, others->pdata[k], p->muted, flags);
  take_flags (r, scope_document_marks (r->d), p->cursor, flags);
  g_array_sort (flags, ruler_by_place);
  for (guint i = 0; i < flags->len; ++i) {
    const Flag *f = &g_array_index (flags, Flag, i);
    double next = i + 1 < flags->len ? f[1].x : RULER_SIDE + ruler_inner_width (r) + RULER_SIDE;
    ruler_draw_flag (p, f->x, 1.5, f->rgb, foot, f->name, next - f->x);
  }
}

static void
draw_picture (ScopeRuler *r, cairo_t *cr)
{
  GtkWidget *w = GTK_WIDGET (r);
  double text = scope_text_scale ();
  ViewScene scene = { .width_px = gtk_widget_get_allocated_width (w) / text,
                      .height_px = gtk_widget_get_allocated_height (w) / text,
                      .scale = gtk_widget_get_scale_factor (w) * text };
  double y0 = TOP, y1 = scene.height_px - BOTTOM;
  Paint p;
  Axis a;

  scope_document_scene (r->d, &scene);
  if (!scene.source)
    return;
  scene.graph = scope_document_session (r->d)->graph; /* of the overview, whatever view is at work */
  cairo_scale (cr, text, text);
  ruler_draw_lanes (r, cr, &scene, y0, y1);
  paint_over (&p, &scene, cr);
  int64_t first = shown_from (r), last = shown_to (r), begin = scope_document_first (r->d);
  axis_begin (&a, &scene, first, MAX (last, first + 1), RULER_SIDE, ruler_inner_width (r));
  axis_draw (&p, &a, y1 + 3, y1 + 5);
  ruler_draw_unknown (r, &p, y0, y1);
  draw_events (r, &p, y0, y1);
  g_autoptr (GArray) saved = travel_checkpoints (scope_document_travel (r->d));
  double before = -100;
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < saved->len; ++i) {
    const Checkpoint *c = &g_array_index (saved, Checkpoint, i);
    double x = round (ruler_x_of (r, c->date == INT64_MIN ? begin : c->date)) + 0.5;
    if (x < RULER_SIDE || x > RULER_SIDE + ruler_inner_width (r) + 1
        || (x - before < 3 && c->kind != CHECKPOINT_BY_HAND))
      continue;
    before = x;
    paint_source (cr, scene.dark ? 0x6ea8fe : 0x2456a6, 0.9);
    cairo_move_to (cr, x, y1 + 1);
    cairo_line_to (cr, x, y1 + (c->kind == CHECKPOINT_BY_HAND ? 7 : 4.5));
    cairo_stroke (cr);
  }
  draw_flags (r, &p, y1);
  if (is_zoomed (r)) { /* where in the whole this is */
    double all = (double) scope_document_last (r->d) - (double) begin, width = ruler_inner_width (r);
    paint_source (cr, p.grid, 1);
    cairo_rectangle (cr, RULER_SIDE, TOP - 3, width, 2);
    cairo_fill (cr);
    paint_source (cr, 0x3584e4, 1);
    cairo_rectangle (cr, RULER_SIDE + ((double) first - (double) begin) / all * width, TOP - 3,
                     MAX (((double) last - (double) first) / all * width, 6), 2);
    cairo_fill (cr);
  }
  paint_end (&p);
}

static void
forget_picture (ScopeRuler *r)
{
  g_clear_pointer (&r->picture, cairo_surface_destroy);
  gtk_widget_queue_draw (GTK_WIDGET (r));
}

static void
draw_cursor (cairo_t *cr, double x, double y1, bool dark)
{
  paint_source (cr, dark ? 0x1e1e1e : 0xffffff, 0.9);
  cairo_rectangle (cr, x - 2, TOP - 5, 5, y1 - TOP + 9);
  cairo_fill (cr);
  paint_source (cr, dark ? 0xffffff : 0x111111, 1);
  cairo_rectangle (cr, x - 0.5, TOP - 5, 2, y1 - TOP + 9);
  cairo_fill (cr);
  cairo_move_to (cr, x - 4.5, TOP - 7);
  cairo_line_to (cr, x + 5.5, TOP - 7);
  cairo_line_to (cr, x + 0.5, TOP - 1);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static gboolean
ruler_draw (GtkWidget *w, cairo_t *cr)
{
  ScopeRuler *r = SCOPE_RULER (w);
  double text = scope_text_scale (), width = gtk_widget_get_allocated_width (w) / text,
         height = gtk_widget_get_allocated_height (w) / text;
  bool dark = scope_document_dark (r->d);

  if (!scope_document_is_open (r->d))
    return FALSE;
  if (!r->picture) {
    r->picture = gdk_window_create_similar_surface (gtk_widget_get_window (w), CAIRO_CONTENT_COLOR_ALPHA,
                                                    gtk_widget_get_allocated_width (w),
                                                    gtk_widget_get_allocated_height (w));
    cairo_t *on = cairo_create (r->picture);
    draw_picture (r, on);
    cairo_destroy (on);
  }
  cairo_set_source_surface (cr, r->picture, 0, 0);
  cairo_paint (cr);
  cairo_save (cr);
  cairo_scale (cr, text, text);
  double y1 = height - BOTTOM;
  if (r->pointer_x >= 0 && !r->dragging) { /* where a click would go */
    paint_source (cr, dark ? 0xffffff : 0x000000, 0.35);
    cairo_set_line_width (cr, 1);
    double x = round (CLAMP (r->pointer_x, RULER_SIDE, width - RULER_SIDE)) + 0.5;
    cairo_move_to (cr, x, TOP - 2);
    cairo_line_to (cr, x, y1 + 2);
    cairo_stroke (cr);
  }
  int64_t cursor = scope_document_cursor (r->d);
  if (cursor >= shown_from (r) && cursor <= shown_to (r))
    draw_cursor (cr, round (ruler_x_of (r, cursor)), y1, dark);
  cairo_restore (cr);
  if (gtk_widget_has_visible_focus (w))
    gtk_render_focus (gtk_widget_get_style_context (w), cr, 2, 0, gtk_widget_get_allocated_width (w) - 4,
                      gtk_widget_get_allocated_height (w));
  return FALSE;
}

/* ---- pointing --------------------------------------------------------------------------------------------------------- */

static const Mark *
ruler_flag_of (ScopeRuler *r, const Marks *marks, double x)
{
  for (guint i = marks ? marks->list->len : 0; i-- > 0;) {
    const Mark *m = marks->list->pdata[i];
    double at = ruler_x_of (r, m->date);
    if (x >= at - 3 && x <= at + FLAG_HIT + 4)
      return m;
  }
  return NULL;
}

void
time_ruler_flag (GtkWidget *ruler, int64_t date, GdkRectangle *at)
{
  ScopeRuler *r = SCOPE_RULER (ruler);
  double scale = scope_text_scale (), x = CLAMP (ruler_x_of (r, date), RULER_SIDE, RULER_SIDE + ruler_inner_width (r));

  *at = (GdkRectangle){ (int) (x * scale), 0, (int) (FLAG_HIT * scale), (int) (TOP * scale) };
}

/* *other (may be NULL) becomes the marks of the trace that it is of, if that does not lead. */
static const Mark *
flag_at (ScopeRuler *r, double x, double y, const Marks **other)
{
  const GPtrArray *others = scope_document_other_marks (r->d);
  const Mark *m = y <= TOP ? ruler_flag_of (r, scope_document_marks (r->d), x) : NULL;

  for (guint k = 0; y <= TOP && !m && others && k < others->len; ++k) {
    m = ruler_flag_of (r, others->pdata[k], x);
    if (m && other)
      *other = others->pdata[k];
  }
  return m;
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------ */

static void
ruler_show (ScopeRuler *r, double from, double to)
{
  int64_t first = scope_document_first (r->d), last = scope_document_last (r->d);
  double all = (double) last - (double) first, width = CLAMP (to - from, MAX (all / NEAREST, 16), all);

  if (width >= all) {
    r->from = 1;
    r->to = 0;
  } else {
    from = CLAMP (from, (double) first, (double) last - width);
    r->from = CLAMP ((int64_t) from, first, last);
    r->to = MIN (r->from + (int64_t) width, last);
  }
  forget_picture (r);
}

/* `x` stays where it is; < 0: the cursor does. */
static void
zoom (ScopeRuler *r, double factor, double x)
{
  double from = (double) shown_from (r), width = (double) shown_to (r) - from;
  double share = CLAMP (
      ((x < 0 ? ruler_x_of (r, scope_document_cursor (r->d)) : x) - RULER_SIDE) / ruler_inner_width (r), 0, 1);
  double about = from + share * width;

  ruler_show (r, about - share * width / factor, about + (1 - share) * width / factor);
}

static void
pan (ScopeRuler *r, double share)
{
  double width = (double) shown_to (r) - (double) shown_from (r), by = width * share;

  if (is_zoomed (r))
    ruler_show (r, (double) r->from + by, (double) r->to + by);
}

static gboolean
ruler_scroll (GtkWidget *w, GdkEventScroll *e)
{
  ScopeRuler *r = SCOPE_RULER (w);
  double dx = 0, dy = 0;

  if (!scope_document_is_open (r->d))
    return FALSE;
  if (!gdk_event_get_scroll_deltas ((GdkEvent *) e, &dx, &dy)) {
    dy = e->direction == GDK_SCROLL_UP ? -1 : e->direction == GDK_SCROLL_DOWN ? 1 : 0;
    dx = e->direction == GDK_SCROLL_LEFT ? -1 : e->direction == GDK_SCROLL_RIGHT ? 1 : 0;
  }
  if (e->state & GDK_SHIFT_MASK) {
    dx += dy;
    dy = 0;
  }
  if (dy != 0)
    zoom (r, pow (NEARER, -dy), e->x / scope_text_scale ());
  if (dx != 0)
    pan (r, dx / 10);
  return TRUE;
}

/* ---- its menu ------------------------------------------------------------------------------------------------------------ */

static void
menu_go (ScopeRuler *r)
{
  scope_document_pause (r->d);
  scope_document_go_date (r->d, r->meant);
}

static void
edit_flag (ScopeRuler *r, const char *mark, int64_t date)
{
  GdkRectangle at;

  time_ruler_flag (GTK_WIDGET (r), date, &at);
  mark_editor_open (r->d, GTK_WIDGET (r), &at, GTK_POS_TOP, mark);
}

static void
menu_mark (ScopeRuler *r)
{
  g_autofree char *mark = mark_make (r->d, NULL, r->meant);

  if (mark)
    edit_flag (r, mark, r->meant);
}

static void
menu_edit (GtkWidget *item, ScopeRuler *r)
{
  edit_flag (r, g_object_get_data (G_OBJECT (item), "mark"), r->meant);
}

static void
menu_nearer (ScopeRuler *r)
{
  zoom (r, 4, ruler_x_of (r, r->meant));
}

static void
menu_farther (ScopeRuler *r)
{
  zoom (r, 1 / 4.0, ruler_x_of (r, r->meant));
}

static void
menu_all (ScopeRuler *r)
{
  ruler_show (r, (double) scope_document_first (r->d), (double) scope_document_last (r->d));
}

static void
menu_remove (GtkWidget *item, ScopeRuler *r)
{
  Marks *marks = scope_document_marks (r->d);
  Mark *m = marks ? marks_find (marks, g_object_get_data (G_OBJECT (item), "mark")) : NULL;

  if (m)
    scope_document_remove_mark (r->d, m);
}

static GtkWidget *
menu_item (ScopeRuler *r, GtkWidget *menu, const char *label, GCallback act, bool possible)
{
  GtkWidget *item = gtk_menu_item_new_with_label (label);

  gtk_widget_set_sensitive (item, possible);
  if (act)
    g_signal_connect_swapped (item, "activate", act, r);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
  return item;
}

static void
ruler_popup (ScopeRuler *r, GdkEvent *e, int64_t date, const Mark *m, bool ours)
{
  GtkWidget *menu = gtk_menu_new ();
  g_autofree char *at = time_text (r->d, date);
  g_autofree char *go = m ? g_strdup_printf (_ ("Go to “%s”"), m->name) : g_strdup_printf (_ ("Go to %s"), at);

  r->meant = date;
  menu_item (r, menu, go, G_CALLBACK (menu_go), true);
  if (m && ours) {
    g_autofree char *label = g_strdup_printf (_ ("Remove the mark “%s”"), m->name),
                    *named = g_strdup_printf (_ ("Name and notes of “%s”…"), m->name);
    GtkWidget *edit = menu_item (r, menu, named, NULL, true), *item = menu_item (r, menu, label, NULL, true);
    g_object_set_data_full (G_OBJECT (edit), "mark", g_strdup (m->name), g_free);
    g_signal_connect (edit, "activate", G_CALLBACK (menu_edit), r);
    g_object_set_data_full (G_OBJECT (item), "mark", g_strdup (m->name), g_free);
    g_signal_connect (item, "activate", G_CALLBACK (menu_remove), r);
  } else
    menu_item (r, menu, _ ("Mark this instant"), G_CALLBACK (menu_mark), scope_document_marks (r->d) != NULL);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), gtk_separator_menu_item_new ());
  menu_item (r, menu, _ ("Closer (+)"), G_CALLBACK (menu_nearer), true);
  menu_item (r, menu, _ ("Farther (-)"), G_CALLBACK (menu_farther), is_zoomed (r));
  menu_item (r, menu, _ ("The whole execution (F)"), G_CALLBACK (menu_all), is_zoomed (r));
  gtk_menu_attach_to_widget (GTK_MENU (menu), GTK_WIDGET (r), NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  gtk_widget_show_all (menu);
  if (e)
    gtk_menu_popup_at_pointer (GTK_MENU (menu), e);
  else
    gtk_menu_popup_at_widget (GTK_MENU (menu), GTK_WIDGET (r), GDK_GRAVITY_NORTH, GDK_GRAVITY_SOUTH, NULL);
}

static gboolean
ruler_press (GtkWidget *w, GdkEventButton *e)
{
  ScopeRuler *r = SCOPE_RULER (w);
  double x = e->x / scope_text_scale (), y = e->y / scope_text_scale ();
  const Marks *other = NULL;
  const Mark *m = scope_document_is_open (r->d) ? flag_at (r, x, y, &other) : NULL;

  if (scope_document_is_open (r->d) && gdk_event_triggers_context_menu ((GdkEvent *) e)) {
    gtk_widget_grab_focus (w);
    ruler_popup (r, (GdkEvent *) e, m ? m->date : ruler_date_of (r, x), m, !other);
    return TRUE;
  }
  if (e->button == 1 && e->type == GDK_2BUTTON_PRESS && m && !other) {
    r->dragging = false;
    edit_flag (r, m->name, m->date);
    return TRUE;
  }
  if (e->button != 1 || e->type != GDK_BUTTON_PRESS || !scope_document_is_open (r->d))
    return FALSE;
  gtk_widget_grab_focus (w);
  r->dragging = true;
  scope_document_pause (r->d);
  if (m)
    scope_document_go_mark (r->d, m);
  else
    scope_document_go_date (r->d, ruler_date_of (r, x));
  return TRUE;
}

static gboolean
ruler_release (GtkWidget *w, GdkEventButton *e)
{
  ScopeRuler *r = SCOPE_RULER (w);

  if (e->button != 1)
    return FALSE;
  r->dragging = false;
  return TRUE;
}

static gboolean
ruler_motion (GtkWidget *w, GdkEventMotion *e)
{
  ScopeRuler *r = SCOPE_RULER (w);

  r->pointer_x = e->x / scope_text_scale ();
  if (r->dragging)
    scope_document_go_date (r->d, ruler_date_of (r, r->pointer_x));
  gtk_widget_queue_draw (w);
  gtk_widget_trigger_tooltip_query (w);
  return TRUE;
}

static gboolean
ruler_leave (GtkWidget *w, GdkEventCrossing *e)
{
  SCOPE_RULER (w)->pointer_x = -1;
  gtk_widget_queue_draw (w);
  return FALSE;
}

static gboolean
ruler_tooltip (GtkWidget *w, int widget_x, int widget_y, gboolean keyboard, GtkTooltip *tip)
{
  ScopeRuler *r = SCOPE_RULER (w);
  const FilmOverview *o = scope_document_overview (r->d);
  g_autoptr (GString) text = g_string_new (NULL);

  if (!scope_document_is_open (r->d) || keyboard || r->dragging)
    return FALSE;
  double x = widget_x / scope_text_scale (), y = widget_y / scope_text_scale ();
  const Marks *other = NULL;
  const Mark *m = flag_at (r, x, y, &other);
  int64_t date = m ? m->date : ruler_date_of (r, x);
  g_autofree char *at = time_text (r->d, date);
  g_string_append (text, at);
  if (m) {
    g_autofree char *notes = marks_notes_told (m->notes);
    g_string_append_printf (text, _ ("  mark “%s”%s%s"), m->name, *notes ? "\n" : "", notes);
  }
  if (other) {
    g_autofree char *of = g_path_get_basename (other->bundle);
    g_string_append_printf (text, _ (" of %s"), of);
  }
  for (guint k = 0; o && k < o->n; ++k)
    if (date <= film_bucket (o->first, o->last, k + 1)) {
      ruler_tell_bucket (r, k, text);
      break;
    }
  gtk_tooltip_set_text (tip, text->str);
  return TRUE;
}

/* The present is the date of an event: where nothing happens for long, a key forward leaves it where it was, and the
 * next one goes on from where the first would have gone. */
static void
ruler_forward (ScopeRuler *r, int64_t by)
{
  int64_t present = scope_document_at (r->d);
  int64_t from = present == r->key_from ? MAX (r->key_to, present) : scope_document_cursor (r->d);

  r->key_from = present;
  r->key_to = MIN (from + by, scope_document_last (r->d));
  scope_document_go_date (r->d, r->key_to);
}

static void
ruler_backward (ScopeRuler *r, int64_t by)
{
  r->key_from = INT64_MIN;
  scope_document_go_date (r->d, scope_document_cursor (r->d) - by);
}

static gboolean
ruler_key (GtkWidget *w, GdkEventKey *e)
{
  ScopeRuler *r = SCOPE_RULER (w);
  int64_t by = MAX ((shown_to (r) - shown_from (r)) / 100, 1);

  if (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))
    return FALSE;
  switch (e->keyval) {
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
  case GDK_KEY_w:
    zoom (r, NEARER, -1);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
  case GDK_KEY_s:
    zoom (r, 1 / NEARER, -1);
    return TRUE;
  case GDK_KEY_f:
    menu_all (r);
    return TRUE;
  case GDK_KEY_Menu:
    ruler_popup (r, NULL, scope_document_cursor (r->d), NULL, false);
    return TRUE;
  case GDK_KEY_F10:
    if (!(e->state & GDK_SHIFT_MASK))
      return FALSE;
    ruler_popup (r, NULL, scope_document_cursor (r->d), NULL, false);
    return TRUE;
  case GDK_KEY_Left:
    ruler_backward (r, by);
    return TRUE;
  case GDK_KEY_Right:
    ruler_forward (r, by);
    return TRUE;
  case GDK_KEY_Page_Up:
    ruler_backward (r, 10 * by);
    return TRUE;
  case GDK_KEY_Page_Down:
    ruler_forward (r, 10 * by);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- the widget -------------------------------------------------------------------------------------------------------- */

static void
ruler_on_time (ScopeRuler *r)
{
  int64_t at = scope_document_is_open (r->d) ? scope_document_cursor (r->d) : 0;
  if (is_zoomed (r) && !r->dragging && at != r->at && (at < r->from || at > r->to)) { /* goes along */
    double width = (double) r->to - (double) r->from;
    ruler_show (r, (double) at - width / 5, (double) at + width * 4 / 5);
  }
  r->at = at;
  gtk_widget_queue_draw (GTK_WIDGET (r));
  AtkObject *a = gtk_widget_get_accessible (GTK_WIDGET (r));
  double value;
  ruler_accessible_value (ATK_VALUE (a), &value, NULL);
  g_signal_emit_by_name (a, "value-changed", value, NULL);
  g_object_notify (G_OBJECT (a), "accessible-value"); /* what the bridge to screen readers listens to */
}

static void
ruler_on_opened (ScopeRuler *r)
{
  r->from = 1;
  r->to = 0;
}

static void
ruler_on_look (ScopeRuler *r)
{
  gtk_widget_set_size_request (GTK_WIDGET (r), -1, (int) lround ((r->low ? LOW : HEIGHT) * scope_text_scale ()));
  forget_picture (r);
}

void
time_ruler_set_low (GtkWidget *w, bool low)
{
  ScopeRuler *r = SCOPE_RULER (w);

  if (r->low == low)
    return;
  r->low = low;
  ruler_on_look (r);
}

/* The shares are those of one simulator, whatever view is at work. */
static void
ruler_describe (ScopeRuler *r)
{
  const Session *s = scope_document_session (r->d);
  const FilmOverview *o = scope_document_overview (r->d);
  g_autofree char *simulator = s ? session_simulator_told (s) : NULL;
  g_autofree char *text = NULL;

  if (s && o && o->n_executions > 1) {
    g_autoptr (GArray) all = session_executions (s);
    g_autoptr (GString) names = g_string_new (NULL);
    for (guint i = 0; i < MIN (all->len, o->n_executions); ++i)
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", g_array_index (all, SessionExecution, i).name);
    text = g_strdup_printf (_ ("The executions, in seconds; states of %s"), names->str);
  } else {
    text = simulator && !ruler_is_still (s->source)
               ? g_strdup_printf (_ ("The whole execution, in seconds; states of %s"), simulator)
               : g_strdup (_ ("The whole execution, in seconds"));
  }
  atk_object_set_description (gtk_widget_get_accessible (GTK_WIDGET (r)), text);
}

static void
ruler_finalize (GObject *object)
{
  g_clear_pointer (&SCOPE_RULER (object)->picture, cairo_surface_destroy);
  G_OBJECT_CLASS (scope_ruler_parent_class)->finalize (object);
}

static void
ruler_size_allocate (GtkWidget *w, GtkAllocation *a)
{
  GTK_WIDGET_CLASS (scope_ruler_parent_class)->size_allocate (w, a);
  forget_picture (SCOPE_RULER (w));
}

static void
scope_ruler_class_init (ScopeRulerClass *class)
{
  GtkWidgetClass *w = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = ruler_finalize;
  w->draw = ruler_draw;
  w->size_allocate = ruler_size_allocate;
  w->button_press_event = ruler_press;
  w->button_release_event = ruler_release;
  w->motion_notify_event = ruler_motion;
  w->leave_notify_event = ruler_leave;
  w->scroll_event = ruler_scroll;
  w->key_press_event = ruler_key;
  w->query_tooltip = ruler_tooltip;
  gtk_widget_class_set_accessible_type (w, ruler_accessible_get_type ());
}

static void
scope_ruler_init (ScopeRuler *r)
{
  r->pointer_x = -1;
  r->key_from = INT64_MIN;
  r->from = 1;
}

GtkWidget *
time_ruler_new (ScopeDocument *d)
{
  ScopeRuler *r = g_object_new (SCOPE_TYPE_RULER, "can-focus", TRUE, "has-tooltip", TRUE, "hexpand", TRUE, NULL);
  GtkWidget *w = GTK_WIDGET (r);
  static const char *const redraw[] = { "opened", "film", "marks" };

  r->d = d;
  gtk_widget_add_events (w, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK
                                | GDK_LEAVE_NOTIFY_MASK | GDK_KEY_PRESS_MASK | GDK_SCROLL_MASK
                                | GDK_SMOOTH_SCROLL_MASK);
  atk_object_set_name (gtk_widget_get_accessible (w), _ ("Time"));
  ruler_describe (r);
  ruler_on_look (r);
  g_signal_connect_object (d, "look", G_CALLBACK (ruler_on_look), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "opened", G_CALLBACK (ruler_on_opened), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "opened", G_CALLBACK (ruler_describe), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "film", G_CALLBACK (ruler_describe), r, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS (redraw); ++i)
    g_signal_connect_object (d, redraw[i], G_CALLBACK (forget_picture), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "time", G_CALLBACK (ruler_on_time), r, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (w, "notify::scale-factor", G_CALLBACK (forget_picture), r);
  g_signal_connect_swapped (w, "style-updated", G_CALLBACK (forget_picture), r);
  return w;
}
