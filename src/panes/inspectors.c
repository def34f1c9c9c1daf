/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/inspectors.h"
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "panes/inspected.h"
#include "panes/pace.h"
#include "panes/panes.h"
#include "views/paint.h"

#define PINNED_MOST 8
/* Where they share the side; in a window of their own all is written out. */
#define NAME_CHARS 12
#define VALUE_CHARS 5
#define TITLE_LINES 3
#define WIDE_CHARS 24
#define ALONE_CHARS 16 /* of a value that stands beside no other */

/* A thing, and what is known of it. */
typedef struct Column {
  guint serial;  /* no other ever has it: the next may lie at the same address */
  TraceRef what; /* of no type: the state graph */
  bool pinned;   /* else it is what is selected */
  bool held;     /* its values are those of an instant that has passed: of `at` */
  int64_t at;
  uint32_t guess;
  GPtrArray *facts;                /* of InspectedFact * */
  GHashTable *by_name;             /* set of the same, by name and unit */
  char *sentence;                  /* why there are none */
  GPtrArray *values, *differences; /* of GtkLabel *, by row; not owned */
  GtkWidget *when, *hold;
} Column;

typedef struct Row {
  char *name;
  const char *unit;
  GtkWidget *label, *unit_label;
} Row;

typedef struct Inspectors {
  ScopeDocument *d;
  GtkWidget *root, *body, *grid, *found, *only, *window;
  GPtrArray *columns; /* of Column *: those that are pinned, then what is selected */
  GPtrArray *rows;    /* of Row * */
  char *made_for;     /* what the grid was made for */
  Pace pace;
  bool filling;
} Inspectors;

static void
column_free (gpointer at)
{
  Column *c = at;

  g_hash_table_unref (c->by_name);
  g_clear_pointer (&c->facts, g_ptr_array_unref);
  g_free (c->sentence);
  g_ptr_array_unref (c->values);
  g_ptr_array_unref (c->differences);
  g_free (c);
}

static void
inspectors_row_free (gpointer at)
{
  Row *r = at;

  g_free (r->name);
  g_free (r);
}

static guint
fact_hash (gconstpointer at)
{
  const InspectedFact *f = at;

  return g_str_hash (f->name) * 31 + (f->unit != NULL ? g_str_hash (f->unit) : 0);
}

static gboolean
fact_same (gconstpointer a, gconstpointer b)
{
  const InspectedFact *f = a, *g = b;

  return strcmp (f->name, g->name) == 0 && g_strcmp0 (f->unit, g->unit) == 0;
}

static Column *
inspectors_column_new (TraceRef what, bool pinned)
{
  static guint last;
  Column *c = g_new0 (Column, 1);

  c->serial = ++last;
  c->what = what;
  c->pinned = pinned;
  c->guess = TRACE_NONE;
  c->values = g_ptr_array_new ();
  c->differences = g_ptr_array_new ();
  c->by_name = g_hash_table_new (fact_hash, fact_same);
  return c;
}

static guint
n_pinned (const Inspectors *a)
{
  guint n = 0;

  for (guint i = 0; i < a->columns->len; i++)
    n += ((Column *) a->columns->pdata[i])->pinned ? 1 : 0;
  return n;
}

static Column *
pinned (const Inspectors *a, TraceRef what)
{
  for (guint i = 0; i < a->columns->len; i++) {
    Column *c = a->columns->pdata[i];
    if (c->pinned && !c->held && trace_ref_same (c->what, what))
      return c;
  }
  return NULL;
}

/* ---- the table --------------------------------------------------------------------------------------------------------- */

static const InspectedFact *
fact_of (const Column *c, const Row *row)
{
  const InspectedFact sought = { .name = row->name, .unit = row->unit };

  return g_hash_table_lookup (c->by_name, &sought);
}

static void
inspectors_ask (Inspectors *a, Column *c)
{
  if (c->held)
    return;
  g_hash_table_remove_all (c->by_name);
  g_clear_pointer (&c->facts, g_ptr_array_unref);
  g_clear_pointer (&c->sentence, g_free);
  c->at = scope_document_at (a->d);
  c->facts = inspected_facts (a->d, c->what, &c->guess, &c->sentence);
  for (guint i = 0; i < c->facts->len; i++)
    if (!g_hash_table_contains (c->by_name, c->facts->pdata[i])) /* the first of a name */
      g_hash_table_add (c->by_name, c->facts->pdata[i]);
}

/* The rows that any of them has, in the order of the first. */
static GPtrArray *
inspectors_rows_of (Inspectors *a)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (inspectors_row_free);
  g_autoptr (GHashTable) known = g_hash_table_new (fact_hash, fact_same);

  for (guint k = 0; k < a->columns->len; k++) {
    const Column *c = a->columns->pdata[k];
    for (guint i = 0; i < c->facts->len; i++) {
      const InspectedFact *f = c->facts->pdata[i];
      if (g_hash_table_contains (known, f))
        continue;
      g_hash_table_add (known, (gpointer) f);
      Row *row = g_new0 (Row, 1);
      row->name = g_strdup (f->name);
      row->unit = f->unit;
      g_ptr_array_add (rows, row);
    }
  }
  return rows;
}

/* What the grid depends on: who stands in it, and which rows there are. */
static char *
made_for (Inspectors *a, const GPtrArray *rows)
{
  GString *text = g_string_new (a->window != NULL ? "wide\n" : "");

  for (guint k = 0; k < a->columns->len; k++) {
    const Column *c = a->columns->pdata[k];
    g_string_append_printf (text, "%u %u %u %u %d\n", c->serial, c->what.source, c->what.type, c->what.id, c->pinned);
  }
  for (guint r = 0; r < rows->len; r++) {
    const Row *row = rows->pdata[r];
    g_string_append_printf (text, "%s\t%s\n", row->name, row->unit != NULL ? row->unit : "");
  }
  return g_string_free (text, FALSE);
}

static void inspectors_show_soon (Inspectors *a);
static void inspectors_show_now (Inspectors *a);

static void
on_hold (GtkToggleButton *b, Inspectors *a)
{
  Column *c = g_object_get_data (G_OBJECT (b), "column");

  if (a->filling)
    return;
  c->held = gtk_toggle_button_get_active (b);
  inspectors_show_now (a);
}

static void
on_close (GtkButton *b, Inspectors *a)
{
  g_ptr_array_remove (a->columns, g_object_get_data (G_OBJECT (b), "column"));
  inspectors_show_now (a);
}

static void
on_pin (GtkButton *b, Inspectors *a)
{
  const Column *c = g_object_get_data (G_OBJECT (b), "column");

  inspectors_pin (a->d, c->what);
}

static GtkWidget *
inspectors_small_button (GtkWidget *b, const char *icon, char *tip, Column *c)
{
  gtk_button_set_image (GTK_BUTTON (b), gtk_image_new_from_icon_name (icon, GTK_ICON_SIZE_MENU));
  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (b, tip);
  atk_object_set_name (gtk_widget_get_accessible (b), tip);
  g_object_set_data (G_OBJECT (b), "column", c);
  g_free (tip);
  return b;
}

static GtkWidget *
inspectors_head_of (Inspectors *a, Column *c)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autofree char *title = inspected_title (a->d, c->what);
  g_autofree char *brief = inspected_brief (a->d, c->what);
  GtkWidget *label = gtk_label_new (a->window != NULL ? title : brief);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), VALUE_CHARS);
  if (a->window != NULL) { /* rather more lines than half a name */
    scope_label_wrap_names (label);
    gtk_label_set_lines (GTK_LABEL (label), TITLE_LINES);
    gtk_widget_set_valign (head, GTK_ALIGN_END);
  }
  gtk_label_set_max_width_chars (GTK_LABEL (label), a->window != NULL ? WIDE_CHARS : 2 * VALUE_CHARS);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_set_tooltip_text (label, title);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), "inspector-name");
  gtk_box_set_homogeneous (GTK_BOX (line), FALSE);
  if (c->pinned) {
    GtkWidget *close = inspectors_small_button (gtk_button_new (), "window-close-symbolic",
                                                g_strdup_printf (_ ("Close the inspector of %s"), title), c);
    c->hold = inspectors_small_button (gtk_toggle_button_new (), "media-playback-pause-symbolic",
                                       g_strdup_printf (_ ("Hold the values that %s has now"), title), c);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (c->hold), c->held);
    g_signal_connect (c->hold, "toggled", G_CALLBACK (on_hold), a);
    g_signal_connect (close, "clicked", G_CALLBACK (on_close), a);
    gtk_box_pack_end (GTK_BOX (line), close, FALSE, FALSE, 0);
    gtk_box_pack_end (GTK_BOX (line), c->hold, FALSE, FALSE, 0);
  } else {
    GtkWidget *pin = inspectors_small_button (gtk_button_new (), "view-pin-symbolic",
                                              g_strdup_printf (_ ("Pin %s"), title), c);
    g_signal_connect (pin, "clicked", G_CALLBACK (on_pin), a);
    gtk_box_pack_end (GTK_BOX (line), pin, FALSE, FALSE, 0);
  }
  c->when = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (c->when), 1);
  gtk_style_context_add_class (gtk_widget_get_style_context (c->when), "dim-label");
  gtk_box_pack_start (GTK_BOX (head), label, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (head), line, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (head), c->when, FALSE, FALSE, 0);
  return head;
}

static GtkWidget *
inspectors_cell (const char *style, double align)
{
  GtkWidget *label = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (label), (float) align);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), style);
  return label;
}

static void
inspectors_make_grid (Inspectors *a)
{
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (a->grid));

  for (GList *i = old; i != NULL; i = i->next)
    gtk_widget_destroy (i->data);
  a->filling = true;
  for (guint k = 0; k < a->columns->len; k++) {
    Column *c = a->columns->pdata[k];
    gtk_grid_attach (GTK_GRID (a->grid), inspectors_head_of (a, c), 1 + 2 * (int) k, 0, 1, 1);
    g_ptr_array_set_size (c->values, 0);
    g_ptr_array_set_size (c->differences, 0);
  }
  a->filling = false;
  for (guint r = 0; r < a->rows->len; r++) {
    Row *row = a->rows->pdata[r];
    row->label = inspectors_cell ("dim-label", 0);
    row->unit_label = inspectors_cell ("dim-label", 0);
    gtk_label_set_text (GTK_LABEL (row->label), row->name);
    gtk_widget_set_tooltip_text (row->label, row->name);
    if (a->window == NULL) { /* names give way, values never */
      gtk_label_set_ellipsize (GTK_LABEL (row->label), PANGO_ELLIPSIZE_END);
      gtk_label_set_width_chars (GTK_LABEL (row->label), NAME_CHARS);
      gtk_label_set_max_width_chars (GTK_LABEL (row->label), 2 * NAME_CHARS);
    }
    gtk_label_set_text (GTK_LABEL (row->unit_label), row->unit != NULL ? row->unit : "");
    gtk_grid_attach (GTK_GRID (a->grid), row->label, 0, 1 + (int) r, 1, 1);
    gtk_grid_attach (GTK_GRID (a->grid), row->unit_label, 1 + 2 * (int) a->columns->len, 1 + (int) r, 1, 1);
    for (guint k = 0; k < a->columns->len; k++) {
      Column *c = a->columns->pdata[k];
      GtkWidget *value = inspectors_cell ("number", 1), *difference = inspectors_cell ("difference", 1);
      gtk_label_set_selectable (GTK_LABEL (value), TRUE);
      gtk_widget_set_can_focus (value, FALSE);
      gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
      gtk_label_set_width_chars (GTK_LABEL (value), a->window != NULL ? 2 * VALUE_CHARS : VALUE_CHARS);
      gtk_label_set_max_width_chars (GTK_LABEL (value), a->window != NULL ? WIDE_CHARS : 2 * VALUE_CHARS);
      gtk_widget_set_hexpand (value, TRUE);
      gtk_grid_attach (GTK_GRID (a->grid), value, 1 + 2 * (int) k, 1 + (int) r, 1, 1);
      gtk_grid_attach (GTK_GRID (a->grid), difference, 2 + 2 * (int) k, 1 + (int) r, 1, 1);
      g_ptr_array_add (c->values, value);
      g_ptr_array_add (c->differences, difference);
    }
  }
  gtk_widget_show_all (a->grid);
}

/* Of a row; whether its values differ, of those that have it: a link has none of what a task has. */
static bool
inspectors_fill_row (Inspectors *a, guint r)
{
  const Row *row = a->rows->pdata[r];
  const InspectedFact *base = NULL;
  bool differs = false;

  for (guint k = 0; k < a->columns->len; k++) {
    const Column *c = a->columns->pdata[k];
    const InspectedFact *f = fact_of (c, row);
    const char *text = f != NULL && *f->value != '\0' ? f->value : "\u2013";
    differs |= f != NULL && base != NULL && strcmp (f->value, base->value) != 0;
    base = base != NULL ? base : f;
    int n = (int) g_utf8_strlen (text, -1);
    scope_label_say (c->values->pdata[r], text);
    gtk_widget_set_tooltip_text (c->values->pdata[r], n > VALUE_CHARS ? text : NULL);
    if (a->window == NULL && a->columns->len == 1) {
      gtk_label_set_width_chars (c->values->pdata[r], CLAMP (n, VALUE_CHARS, ALONE_CHARS));
      gtk_label_set_max_width_chars (c->values->pdata[r], ALONE_CHARS);
    }
    if (f != NULL && f->doc != NULL)
      gtk_widget_set_tooltip_text (row->label, f->doc);
  }
  for (guint k = 0; k < a->columns->len; k++) {
    const Column *c = a->columns->pdata[k];
    const InspectedFact *f = fact_of (c, row);
    g_autofree char *by = base != NULL && f != NULL && f != base ? inspected_difference (base, f) : NULL;
    g_autofree char *title = inspected_title (a->d, c->what),
                    *name = g_strdup_printf (_ ("%s of %s"), row->name, title);
    const char *text = gtk_label_get_text (c->values->pdata[r]);
    bool other = differs && f != NULL;
    g_autofree char *all = by != NULL ? g_strdup_printf (_ ("%s, differs by %s"), text, by)
                           : other    ? g_strdup_printf (_ ("%s, differs"), text)
                                      : g_strdup (text);
    AtkObject *told = gtk_widget_get_accessible (c->values->pdata[r]);
    scope_label_say (c->differences->pdata[r], by != NULL ? by : "");
    gtk_widget_set_visible (c->differences->pdata[r], by != NULL && a->window != NULL);
    if (by != NULL)
      gtk_widget_set_tooltip_text (c->values->pdata[r], all);
    scope_set_style (c->values->pdata[r], "differs", other);
    atk_object_set_name (told, name);
    atk_object_set_description (told, all);
  }
  scope_set_style (row->label, "differs", differs);
  return differs;
}

static void
inspectors_fill (Inspectors *a)
{
  TraceSource *s = scope_document_view_source (a->d);
  bool only = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (a->only)) && a->columns->len > 1;
  guint n_differ = 0;

  for (guint r = 0; r < a->rows->len; r++) {
    Row *row = a->rows->pdata[r];
    bool differs = inspectors_fill_row (a, r), seen = differs || !only;
    n_differ += differs ? 1 : 0;
    gtk_widget_set_visible (row->label, seen);
    gtk_widget_set_visible (row->unit_label, seen);
    for (guint k = 0; k < a->columns->len; k++) {
      const Column *c = a->columns->pdata[k];
      gtk_widget_set_visible (c->values->pdata[r], seen);
      if (!seen)
        gtk_widget_hide (c->differences->pdata[r]);
    }
  }
  for (guint k = 0; k < a->columns->len; k++) {
    const Column *c = a->columns->pdata[k];
    g_autofree char *date = s != NULL && c->held ? axis_date (&s->clock, c->at, -1) : NULL;
    scope_label_say (c->when, c->sentence != NULL ? _ ("not there") : date != NULL ? date : _ ("now"));
    gtk_widget_set_tooltip_text (c->when, c->sentence);
    scope_set_style (c->when, "held", c->held);
    atk_object_set_description (gtk_widget_get_accessible (c->when), c->sentence != NULL ? c->sentence : "");
  }
  gtk_widget_set_visible (a->only, a->columns->len > 1);
  gtk_widget_set_visible (a->found, a->columns->len > 1);
  g_autofree char *found = n_differ > 0 ? g_strdup_printf (
                               P_ ("%u of %u attributes differs", "%u of %u attributes differ", n_differ), n_differ,
                               a->rows->len)
                                        : g_strdup (_ ("No attribute differs"));
  scope_label_say (a->found, found);
}

static TraceRef
inspectors_last_selected (ScopeDocument *d)
{
  const TraceRefs *refs = scope_document_selection (d);
  uint32_t n = trace_refs_n (refs);
  TraceRef last = n > 0 ? trace_refs_at (refs, n - 1) : (TraceRef){ 0 };

  return last.type == TRACE_REF_TASK || last.type == TRACE_REF_LINK || last.type == TRACE_REF_MESSAGE ? last
                                                                                                      : (TraceRef){ 0 };
}

/* The last column is what is selected, unless that is pinned. */
static void
follow_selection (Inspectors *a)
{
  Column *last = a->columns->len > 0 ? a->columns->pdata[a->columns->len - 1] : NULL;
  TraceRef now = inspectors_last_selected (a->d);
  bool wanted = now.type != TRACE_REF_NONE && pinned (a, now) == NULL;

  if (last != NULL && !last->pinned && !(wanted && trace_ref_same (last->what, now)))
    g_ptr_array_remove_index (a->columns, a->columns->len - 1);
  else if (last != NULL && !last->pinned)
    wanted = false;
  if (wanted && n_pinned (a) > 0)
    g_ptr_array_add (a->columns, inspectors_column_new (now, false));
}

static gboolean inspectors_on_window_closed (GtkWidget *window, GdkEvent *e, Inspectors *a);

static void
inspectors_put_back (Inspectors *a)
{
  GtkWidget *window = a->window;

  if (window == NULL)
    return;
  a->window = NULL;
  g_object_ref (a->body);
  gtk_container_remove (GTK_CONTAINER (window), a->body);
  gtk_container_add (GTK_CONTAINER (a->root), a->body);
  g_object_unref (a->body);
  gtk_widget_destroy (window);
}

static gboolean
inspectors_show (gpointer data)
{
  Inspectors *a = data;
  gint64 begin = g_get_monotonic_time ();

  a->pace.timer = 0;
  follow_selection (a);
  if (n_pinned (a) == 0) {
    g_ptr_array_set_size (a->columns, 0);
    inspectors_put_back (a);
  }
  gtk_widget_set_visible (a->root, a->columns->len > 0 && a->window == NULL);
  if (a->columns->len == 0) {
    g_clear_pointer (&a->made_for, g_free);
    return G_SOURCE_REMOVE;
  }
  for (guint k = 0; k < a->columns->len; k++)
    inspectors_ask (a, a->columns->pdata[k]);
  g_autoptr (GPtrArray) rows = inspectors_rows_of (a);
  g_autofree char *now = made_for (a, rows);
  if (g_strcmp0 (now, a->made_for) != 0) {
    g_free (a->made_for);
    a->made_for = g_steal_pointer (&now);
    g_ptr_array_unref (a->rows);
    a->rows = g_steal_pointer (&rows);
    inspectors_make_grid (a);
  }
  inspectors_fill (a);
  a->pace.took = g_get_monotonic_time () - begin;
  return G_SOURCE_REMOVE;
}

static void
inspectors_show_soon (Inspectors *a)
{
  if (a->columns->len > 0)
    pace_soon (&a->pace, inspectors_show, a);
}

static void
inspectors_show_now (Inspectors *a)
{
  pace_now (&a->pace, inspectors_show, a);
}

/* What was pinned is of the trace that was open before. */
static void
inspectors_on_opened (Inspectors *a)
{
  g_ptr_array_set_size (a->columns, 0);
  g_clear_pointer (&a->made_for, g_free);
  inspectors_show_now (a);
}

/* ---- what is done to them ------------------------------------------------------------------------------------------------ */

static Inspectors *
inspectors_of (ScopeDocument *d)
{
  return g_object_get_data (G_OBJECT (d), "inspectors");
}

/* Before what is selected, which is the last. */
static bool
add_pinned (Inspectors *a, TraceRef what)
{
  guint n = n_pinned (a);

  if (n >= PINNED_MOST) {
    scope_document_say (a->d, SCOPE_SAY_NOTE,
                        _ ("%d inspectors are open, the most that there may be; close one first."), PINNED_MOST);
    return false;
  }
  g_ptr_array_insert (a->columns, (gint) n, inspectors_column_new (what, true));
  return true;
}

void
inspectors_pin (ScopeDocument *d, TraceRef what)
{
  Inspectors *a = inspectors_of (d);
  Column *c = a != NULL ? pinned (a, what) : NULL;

  if (a == NULL || !scope_document_is_open (d))
    return;
  if (c != NULL)
    g_ptr_array_remove (a->columns, c);
  else
    add_pinned (a, what);
  inspectors_show_now (a);
}

void
inspectors_pin_selected (ScopeDocument *d)
{
  Inspectors *a = inspectors_of (d);
  const TraceRefs *refs = scope_document_selection (d);
  bool all = true, any = false;

  if (a == NULL)
    return;
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < trace_refs_n (refs); i++) {
      TraceRef what = trace_refs_at (refs, i);
      if (what.type != TRACE_REF_TASK && what.type != TRACE_REF_LINK && what.type != TRACE_REF_MESSAGE)
        continue;
      Column *c = pinned (a, what);
      any = true;
      if (pass == 0)
        all &= c != NULL;
      else if (all)
        g_ptr_array_remove (a->columns, c);
      else if (c == NULL && !add_pinned (a, what))
        break;
    }
  if (!any)
    scope_document_say (d, SCOPE_SAY_NOTE,
                        _ ("Select a task, link or message first: it gets an inspector that stays."));
  inspectors_show_now (a);
}

static gboolean
inspectors_on_window_closed (GtkWidget *window, GdkEvent *e, Inspectors *a)
{
  inspectors_put_back (a);
  inspectors_show_now (a);
  return TRUE;
}

static gboolean
on_window_key (GtkWidget *window, GdkEventKey *e, Inspectors *a)
{
  if (e->keyval != GDK_KEY_Escape)
    return FALSE;
  return inspectors_on_window_closed (window, NULL, a);
}

/* Into a window of its own, where there is room for many, and back. */
static void
inspectors_on_detach (GtkButton *b, Inspectors *a)
{
  GtkWidget *top = gtk_widget_get_toplevel (a->root);

  if (a->window != NULL) {
    inspectors_on_window_closed (a->window, NULL, a);
    return;
  }
  a->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
  gtk_window_set_title (GTK_WINDOW (a->window), _ ("Inspectors"));
  gtk_window_set_default_size (GTK_WINDOW (a->window), (int) ((240 + 130 * a->columns->len) * scope_text_scale ()),
                               (int) (520 * scope_text_scale ()));
  gtk_style_context_add_class (gtk_widget_get_style_context (a->window), "inspectors-window");
  /* Keys mean the same as in the main window. */
  if (GTK_IS_WINDOW (top) && gtk_window_get_application (GTK_WINDOW (top)) != NULL)
    gtk_window_set_application (GTK_WINDOW (a->window), gtk_window_get_application (GTK_WINDOW (top)));
  if (G_IS_ACTION_GROUP (top))
    gtk_widget_insert_action_group (a->window, "win", G_ACTION_GROUP (top));
  g_signal_connect (a->window, "delete-event", G_CALLBACK (inspectors_on_window_closed), a);
  g_signal_connect (a->window, "key-press-event", G_CALLBACK (on_window_key), a);
  g_object_ref (a->body);
  gtk_container_remove (GTK_CONTAINER (a->root), a->body);
  gtk_container_add (GTK_CONTAINER (a->window), a->body);
  g_object_unref (a->body);
  gtk_widget_show (a->window);
  inspectors_show_now (a);
}

static void
inspectors_on_clear (GtkButton *b, Inspectors *a)
{
  g_ptr_array_set_size (a->columns, 0);
  inspectors_show_now (a);
}

static void
inspectors_on_destroy (GtkWidget *root, Inspectors *a)
{
  g_object_set_data (G_OBJECT (a->d), "inspectors", NULL);
  g_signal_handlers_disconnect_by_data (a->d, a);
  pace_stop (&a->pace);
  if (a->window != NULL)
    gtk_widget_destroy (a->window);
  a->window = NULL;
  g_clear_object (&a->d);
}

static void
inspectors_free (gpointer data)
{
  Inspectors *a = data;

  g_ptr_array_unref (a->columns);
  g_ptr_array_unref (a->rows);
  g_free (a->made_for);
  g_free (a);
}

static GtkWidget *
head_button (const char *icon, const char *tip, GCallback clicked, Inspectors *a)
{
  GtkWidget *b = inspectors_small_button (gtk_button_new (), icon, g_strdup (tip), NULL);

  g_signal_connect (b, "clicked", clicked, a);
  return b;
}

GtkWidget *
inspectors_new (ScopeDocument *d)
{
  Inspectors *a = g_new0 (Inspectors, 1);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *title = gtk_label_new (_ ("Inspectors")),
            *wide = gtk_scrolled_window_new (NULL, NULL);

  a->d = g_object_ref (d);
  a->columns = g_ptr_array_new_with_free_func (column_free);
  a->rows = g_ptr_array_new_with_free_func (inspectors_row_free);
  a->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  a->body = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (a->body), "panel");
  gtk_style_context_add_class (gtk_widget_get_style_context (a->body), "inspectors");
  atk_object_set_name (gtk_widget_get_accessible (a->body), _ ("Inspectors"));
  g_object_set_data_full (G_OBJECT (a->root), "inspectors", a, inspectors_free);
  gtk_style_context_add_class (gtk_widget_get_style_context (title), "panel-title");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_box_pack_start (GTK_BOX (head), title, TRUE, TRUE, 0);
  gtk_box_pack_end (
      GTK_BOX (head),
      head_button ("edit-clear-all-symbolic", _ ("Close all inspectors"), G_CALLBACK (inspectors_on_clear), a), FALSE,
      FALSE, 0);
  gtk_box_pack_end (GTK_BOX (head),
                    head_button ("window-new-symbolic", _ ("Inspectors in a window of their own, and back"),
                                 G_CALLBACK (inspectors_on_detach), a),
                    FALSE, FALSE, 0);
  a->found = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (a->found), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (a->found), "dim-label");
  a->only = gtk_check_button_new_with_label (_ ("Only what differs"));
  g_signal_connect_swapped (a->only, "toggled", G_CALLBACK (inspectors_show_now), a);
  a->grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (a->grid), 6);
  gtk_grid_set_row_spacing (GTK_GRID (a->grid), 1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (wide), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_container_add (GTK_CONTAINER (wide), a->grid);
  gtk_box_pack_start (GTK_BOX (a->body), head, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (a->body), a->found, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (a->body), a->only, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (a->body), wide, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (a->root), a->body);
  gtk_widget_show_all (a->root);
  gtk_widget_set_no_show_all (a->root, TRUE);
  gtk_widget_hide (a->root);
  g_object_set_data (G_OBJECT (d), "inspectors", a);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (inspectors_on_opened), a);
  g_signal_connect_swapped (d, "program", G_CALLBACK (inspectors_show_soon), a);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (inspectors_show_now), a);
  g_signal_connect_swapped (d, "time", G_CALLBACK (inspectors_show_soon), a);
  g_signal_connect (a->root, "destroy", G_CALLBACK (inspectors_on_destroy), a);
  return a->root;
}
