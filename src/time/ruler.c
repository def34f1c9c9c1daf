/* SPDX-License-Identifier: Apache-2.0 */
/* ruler.c - the whole execution as shares of states over time, as far as the film has been shot, with marks as flags,
 * checkpoints as ticks and the cursor.  For assistive technology it is a slider over seconds. */
#include <gtk/gtk-a11y.h>
#include <math.h>
#include "time/time.h"
#include "views/paint.h"

#define SIDE 18.0
#define TOP 13.0    /* room for flags */
#define BOTTOM 27.0 /* for dates */
#define FLAG_HIT 7.0

#define SCOPE_TYPE_RULER (scope_ruler_get_type ())
G_DECLARE_FINAL_TYPE (ScopeRuler, scope_ruler, SCOPE, RULER, GtkDrawingArea)
struct _ScopeRuler {
  GtkDrawingArea parent;
  ScopeDocument *d;
  cairo_surface_t *picture; /* all but the cursor */
  bool dragging;
  double pointer_x;         /* < 0: not over it */
  int64_t key_from, key_to; /* the present when a key took the cursor forward, and where to */
};

/* ---- accessible ------------------------------------------------------------------------------------------------------ */

typedef struct {
  GtkWidgetAccessible parent;
} RulerAccessible;
typedef struct {
  GtkWidgetAccessibleClass parent;
} RulerAccessibleClass;
static AtkObjectClass *ruler_accessible_parent;

static void
accessible_value (AtkValue *v, gdouble *value, gchar **text)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;
  int64_t at = s ? scope_document_cursor (d) : 0;

  *value = s ? trace_clock_seconds (&s->clock, at) : 0;
  if (text)
    *text = s ? time_text (d, at) : g_strdup ("");
}

static AtkRange *
accessible_range (AtkValue *v)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;

  return s ? atk_range_new (trace_clock_seconds (&s->clock, scope_document_first (d)),
                            trace_clock_seconds (&s->clock, scope_document_last (d)), NULL)
           : atk_range_new (0, 0, NULL);
}

static void
accessible_set (AtkValue *v, const gdouble value)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;

  if (s && isfinite (value))
    scope_document_go_date (d, (int64_t) CLAMP (value * (double) s->clock.ticks_per_second, -4e18, 4e18));
}

static void
accessible_iface (gpointer face, gpointer data)
{
  AtkValueIface *iface = face;

  iface->get_value_and_text = accessible_value;
  iface->get_range = accessible_range;
  iface->set_value = accessible_set;
}

static void
accessible_init (AtkObject *object, gpointer data)
{
  ruler_accessible_parent->initialize (object, data);
  object->role = ATK_ROLE_SLIDER;
}

static void
ruler_accessible_class_init (gpointer class, gpointer data)
{
  ruler_accessible_parent = g_type_class_peek_parent (class);
  ATK_OBJECT_CLASS (class)->initialize = accessible_init;
}

static GType
ruler_accessible_get_type (void)
{
  static GType type;

  if (!type) {
    GTypeInfo info = { .class_size = sizeof (RulerAccessibleClass),
                       .class_init = ruler_accessible_class_init,
                       .instance_size = sizeof (RulerAccessible) };
    GInterfaceInfo value = { .interface_init = accessible_iface };
    type = g_type_register_static (GTK_TYPE_WIDGET_ACCESSIBLE, "ScopeRulerAccessible", &info, 0);
    g_type_add_interface_static (type, ATK_TYPE_VALUE, &value);
  }
  return type;
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

G_DEFINE_FINAL_TYPE (ScopeRuler, scope_ruler, GTK_TYPE_DRAWING_AREA)

static double
inner_width (ScopeRuler *r)
{
  return MAX (gtk_widget_get_allocated_width (GTK_WIDGET (r)) - 2 * SIDE, 1);
}

static double
x_of (ScopeRuler *r, int64_t date)
{
  double first = (double) scope_document_first (r->d), last = (double) scope_document_last (r->d);

  return SIDE + (last > first ? ((double) date - first) / (last - first) * inner_width (r) : 0);
}

static int64_t
date_of (ScopeRuler *r, double x)
{
  int64_t first = scope_document_first (r->d), last = scope_document_last (r->d);
  double share = CLAMP ((x - SIDE) / inner_width (r), 0, 1);

  return share >= 1 ? last : first + (int64_t) (share * (double) (last - first));
}

/* A program without states: how many events there are over time; heights as square roots, that few are seen beside
 * many. */
static void
draw_events (ScopeRuler *r, Paint *p, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  uint64_t most = 0;

  for (guint k = 0; o && k < o->n; ++k) {
    most = MAX (most, o->events[k]);
    for (guint i = 0; i < o->n_states; ++i)
      if (o->spent[(gsize) k * o->n_states + i] > 0)
        return;
  }
  paint_source (p->cr, p->muted, 0.7);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE);
  for (guint k = 0; most && k < o->n; ++k) {
    double x0 = x_of (r, film_bucket (o->first, o->last, k)), x1 = x_of (r, film_bucket (o->first, o->last, k + 1));
    double h = sqrt ((double) o->events[k] / (double) most) * (y1 - y0);
    cairo_rectangle (p->cr, x0, y1 - h, MAX (x1 - x0, 1), h);
  }
  cairo_fill (p->cr);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
}

static void
draw_shares (ScopeRuler *r, Paint *p, double y0, double y1)
{
  const FilmOverview *o = scope_document_overview (r->d);
  cairo_t *cr = p->cr;
  double known = SIDE;

  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE); /* else paper shines through between two buckets */
  if (o && o->n) {
    for (guint k = 0; k < o->n; ++k) {
      double x0 = x_of (r, film_bucket (o->first, o->last, k)), x1 = x_of (r, film_bucket (o->first, o->last, k + 1));
      const int64_t *spent = o->spent + (gsize) k * o->n_states;
      double sum = 0, y = y1;
      for (guint i = 0; i < o->n_states; ++i)
        sum += (double) spent[i];
      known = MAX (known, x1);
      if (sum <= 0)
        continue;
      for (guint i = 0; i < o->n_states; ++i) {
        double h = (double) spent[i] / sum * (y1 - y0);
        if (h <= 0)
          continue;
        paint_source (cr, paint_state_named (p->scene, STATE_NODE, o->states[i]), 1);
        cairo_rectangle (cr, x0, y - h, x1 - x0, h);
        cairo_fill (cr);
        y -= h;
      }
    }
  }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  double end = SIDE + inner_width (r);
  if (known < end - 0.5) { /* not shot yet: stripes, so that it is not taken for idle time */
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

static void
draw_flag (cairo_t *cr, double x, double y, uint32_t rgb, double foot)
{
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

static void
draw_picture (ScopeRuler *r, cairo_t *cr)
{
  GtkWidget *w = GTK_WIDGET (r);
  ViewScene scene = { .width_px = gtk_widget_get_allocated_width (w),
                      .height_px = gtk_widget_get_allocated_height (w),
                      .scale = gtk_widget_get_scale_factor (w) };
  double y0 = TOP, y1 = scene.height_px - BOTTOM;
  Paint p;
  Axis a;

  scope_document_scene (r->d, &scene);
  if (!scene.source)
    return;
  scene.graph = scope_document_session (r->d)->graph; /* of the overview, whatever view is at work */
  paint_over (&p, &scene, cr);
  int64_t first = scope_document_first (r->d), last = scope_document_last (r->d);
  axis_begin (&a, &scene, first, MAX (last, first + 1), SIDE, inner_width (r));
  axis_draw (&p, &a, y1 + 3, y1 + 5);
  draw_shares (r, &p, y0, y1);
  draw_events (r, &p, y0, y1);
  g_autoptr (GArray) saved = travel_checkpoints (scope_document_travel (r->d));
  double before = -100;
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < saved->len; ++i) {
    const Checkpoint *c = &g_array_index (saved, Checkpoint, i);
    double x = round (x_of (r, c->date == INT64_MIN ? first : c->date)) + 0.5;
    if (x - before < 3 && c->kind != CHECKPOINT_BY_HAND)
      continue;
    before = x;
    paint_source (cr, scene.dark ? 0x6ea8fe : 0x2456a6, 0.9);
    cairo_move_to (cr, x, y1 + 1);
    cairo_line_to (cr, x, y1 + (c->kind == CHECKPOINT_BY_HAND ? 7 : 4.5));
    cairo_stroke (cr);
  }
  Marks *marks = scope_document_marks (r->d);
  for (guint i = 0; marks && i < marks->list->len; ++i) {
    const Mark *m = marks->list->pdata[i];
    draw_flag (cr, x_of (r, m->date), 1.5, p.cursor, y1);
  }
  const GPtrArray *others = scope_document_other_marks (r->d);
  for (guint k = 0; others && k < others->len; ++k)
    for (guint i = 0; i < ((const Marks *) others->pdata[k])->list->len; ++i)
      draw_flag (cr, x_of (r, ((const Mark *) ((const Marks *) others->pdata[k])->list->pdata[i])->date), 1.5, p.muted,
                 y1);
  paint_end (&p);
}

static void
forget_picture (ScopeRuler *r)
{
  g_clear_pointer (&r->picture, cairo_surface_destroy);
  gtk_widget_queue_draw (GTK_WIDGET (r));
}

static gboolean
ruler_draw (GtkWidget *w, cairo_t *cr)
{
  ScopeRuler *r = SCOPE_RULER (w);
  int width = gtk_widget_get_allocated_width (w), height = gtk_widget_get_allocated_height (w);
  bool dark = scope_document_dark (r->d);

  if (!scope_document_is_open (r->d))
    return FALSE;
  if (!r->picture) {
    r->picture = gdk_window_create_similar_surface (gtk_widget_get_window (w), CAIRO_CONTENT_COLOR_ALPHA, width,
                                                    height);
    cairo_t *on = cairo_create (r->picture);
    draw_picture (r, on);
    cairo_destroy (on);
  }
  cairo_set_source_surface (cr, r->picture, 0, 0);
  cairo_paint (cr);
  double y1 = height - BOTTOM;
  if (r->pointer_x >= 0 && !r->dragging) { /* where a click would go */
    paint_source (cr, dark ? 0xffffff : 0x000000, 0.35);
    cairo_set_line_width (cr, 1);
    double x = round (CLAMP (r->pointer_x, SIDE, width - SIDE)) + 0.5;
    cairo_move_to (cr, x, TOP - 2);
    cairo_line_to (cr, x, y1 + 2);
    cairo_stroke (cr);
  }
  double x = round (x_of (r, scope_document_cursor (r->d)));
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
  if (gtk_widget_has_visible_focus (w))
    gtk_render_focus (gtk_widget_get_style_context (w), cr, 2, 0, width - 4, height);
  return FALSE;
}

/* ---- pointing --------------------------------------------------------------------------------------------------------- */

static const Mark *
flag_of (ScopeRuler *r, const Marks *marks, double x)
{
  for (guint i = marks ? marks->list->len : 0; i-- > 0;) {
    const Mark *m = marks->list->pdata[i];
    double at = x_of (r, m->date);
    if (x >= at - 3 && x <= at + FLAG_HIT + 4)
      return m;
  }
  return NULL;
}

/* *other (may be NULL) becomes the marks of the trace that it is of, if that does not lead. */
static const Mark *
flag_at (ScopeRuler *r, double x, double y, const Marks **other)
{
  const GPtrArray *others = scope_document_other_marks (r->d);
  const Mark *m = y <= TOP ? flag_of (r, scope_document_marks (r->d), x) : NULL;

  for (guint k = 0; y <= TOP && !m && others && k < others->len; ++k) {
    m = flag_of (r, others->pdata[k], x);
    if (m && other)
      *other = others->pdata[k];
  }
  return m;
}

static gboolean
ruler_press (GtkWidget *w, GdkEventButton *e)
{
  ScopeRuler *r = SCOPE_RULER (w);
  const Mark *m = e->button == 1 ? flag_at (r, e->x, e->y, NULL) : NULL;

  if (e->button != 1 || e->type != GDK_BUTTON_PRESS || !scope_document_is_open (r->d))
    return FALSE;
  gtk_widget_grab_focus (w);
  r->dragging = true;
  scope_document_pause (r->d);
  scope_document_go_date (r->d, m ? m->date : date_of (r, e->x));
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

  r->pointer_x = e->x;
  if (r->dragging)
    scope_document_go_date (r->d, date_of (r, e->x));
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

#define MOST_TOLD 8 /* states */

/* Those that lasted longest in a bucket, or all of a model that has few. */
static void
tell_states (const FilmOverview *o, guint bucket, double sum, GString *text)
{
  const int64_t *spent = o->spent + (gsize) bucket * o->n_states;
  g_autofree bool *told = g_new0 (bool, o->n_states + 1);
  bool few = o->n_states <= MOST_TOLD;

  for (guint n = 0; sum > 0 && n < MIN (o->n_states, MOST_TOLD); ++n) {
    guint best = n;
    for (guint i = 0; !few && i < o->n_states; ++i)
      if (!told[i] && (told[best] || spent[i] > spent[best]))
        best = i;
    told[best] = true;
    if (spent[best] > 0)
      g_string_append_printf (text, "\n%s %.1f %%", o->states[best], 100 * (double) spent[best] / sum);
  }
}

static gboolean
ruler_tooltip (GtkWidget *w, int x, int y, gboolean keyboard, GtkTooltip *tip)
{
  ScopeRuler *r = SCOPE_RULER (w);
  const FilmOverview *o = scope_document_overview (r->d);
  g_autoptr (GString) text = g_string_new (NULL);

  if (!scope_document_is_open (r->d) || keyboard || r->dragging)
    return FALSE;
  const Marks *other = NULL;
  const Mark *m = flag_at (r, x, y, &other);
  int64_t date = m ? m->date : date_of (r, x);
  g_autofree char *at = time_text (r->d, date);
  g_string_append_printf (text, "%s s", at);
  if (m)
    g_string_append_printf (text, "  mark “%s”%s%s", m->name, *m->notes ? "\n" : "", m->notes);
  if (other) {
    g_autofree char *of = g_path_get_basename (other->bundle);
    g_string_append_printf (text, " of %s", of);
  }
  const Session *s = scope_document_session (r->d);
  g_autofree char *simulator = s ? session_simulator_told (s) : NULL;
  for (guint k = 0; o && k < o->n; ++k) {
    if (date > film_bucket (o->first, o->last, k + 1))
      continue;
    double sum = 0;
    for (guint i = 0; i < o->n_states; ++i)
      sum += (double) o->spent[k * o->n_states + i];
    if (sum > 0 && simulator)
      g_string_append_printf (text, "\nStates of %s", simulator);
    tell_states (o, k, sum, text);
    break;
  }
  gtk_tooltip_set_text (tip, text->str);
  return TRUE;
}

/* The present is the date of an event: where nothing happens for long, a key forward leaves it where it was, and the
 * next one goes on from where the first would have gone. */
static void
forward (ScopeRuler *r, int64_t by)
{
  int64_t present = scope_document_at (r->d);
  int64_t from = present == r->key_from ? MAX (r->key_to, present) : scope_document_cursor (r->d);

  r->key_from = present;
  r->key_to = MIN (from + by, scope_document_last (r->d));
  scope_document_go_date (r->d, r->key_to);
}

static void
backward (ScopeRuler *r, int64_t by)
{
  r->key_from = INT64_MIN;
  scope_document_go_date (r->d, scope_document_cursor (r->d) - by);
}

static gboolean
ruler_key (GtkWidget *w, GdkEventKey *e)
{
  ScopeRuler *r = SCOPE_RULER (w);
  int64_t by = MAX ((scope_document_last (r->d) - scope_document_first (r->d)) / 100, 1);

  if (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))
    return FALSE;
  switch (e->keyval) {
  case GDK_KEY_Left:
    backward (r, by);
    return TRUE;
  case GDK_KEY_Right:
    forward (r, by);
    return TRUE;
  case GDK_KEY_Page_Up:
    backward (r, 10 * by);
    return TRUE;
  case GDK_KEY_Page_Down:
    forward (r, 10 * by);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- the widget -------------------------------------------------------------------------------------------------------- */

static void
on_time (ScopeRuler *r)
{
  gtk_widget_queue_draw (GTK_WIDGET (r));
  AtkObject *a = gtk_widget_get_accessible (GTK_WIDGET (r));
  double value;
  accessible_value (ATK_VALUE (a), &value, NULL);
  g_signal_emit_by_name (a, "value-changed", value, NULL);
  g_object_notify (G_OBJECT (a), "accessible-value"); /* what the bridge to screen readers listens to */
}

/* The shares are those of one simulator, whatever view is at work. */
static void
describe (ScopeRuler *r)
{
  const Session *s = scope_document_session (r->d);
  g_autofree char *simulator = s ? session_simulator_told (s) : NULL;
  g_autofree char *text = simulator ? g_strdup_printf ("The whole execution, in seconds; states of %s", simulator)
                                    : g_strdup ("The whole execution, in seconds");

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
  w->key_press_event = ruler_key;
  w->query_tooltip = ruler_tooltip;
  gtk_widget_class_set_accessible_type (w, ruler_accessible_get_type ());
}

static void
scope_ruler_init (ScopeRuler *r)
{
  r->pointer_x = -1;
  r->key_from = INT64_MIN;
}

GtkWidget *
time_ruler_new (ScopeDocument *d)
{
  ScopeRuler *r = g_object_new (SCOPE_TYPE_RULER, "can-focus", TRUE, "has-tooltip", TRUE, "height-request", 90,
                                "hexpand", TRUE, NULL);
  GtkWidget *w = GTK_WIDGET (r);
  static const char *const redraw[] = { "opened", "film", "look", "marks" };

  r->d = d;
  gtk_widget_add_events (w, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK
                                | GDK_LEAVE_NOTIFY_MASK | GDK_KEY_PRESS_MASK);
  atk_object_set_name (gtk_widget_get_accessible (w), "Time");
  describe (r);
  g_signal_connect_object (d, "opened", G_CALLBACK (describe), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "film", G_CALLBACK (describe), r, G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS (redraw); ++i)
    g_signal_connect_object (d, redraw[i], G_CALLBACK (forget_picture), r, G_CONNECT_SWAPPED);
  g_signal_connect_object (d, "time", G_CALLBACK (on_time), r, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (w, "notify::scale-factor", G_CALLBACK (forget_picture), r);
  g_signal_connect_swapped (w, "style-updated", G_CALLBACK (forget_picture), r);
  return w;
}
