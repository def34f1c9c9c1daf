/* SPDX-License-Identifier: Apache-2.0 */
/* legend.c - the colours, shapes and lines of states: one for all views, in which colours are changed. */
#include <math.h>
#include <string.h>
#include "panes/facts.h"
#include "eve/words.h"
#include "panes/panes.h"
#include "panes/rgba.h"
#include "panes/tie.h"
#include "views/associations.h"
#include "views/paint.h"

#define COUNT_MS 150 /* between two counts while time moves */
#define MOST 60      /* values of an attribute that are listed */

typedef struct Row {
  const StateModel *model; /* NULL: of none */
  char *attribute, *value;
  StateScope scope;
  uint32_t state;
  StateSense sense;
  uint8_t place; /* in the row of colours */
  bool unborn;
  bool chosen; /* of no model: it is here as a person gave it a colour */
  GtkWidget *colour, *sample, *count;
} Row;

typedef struct Legend {
  ScopeDocument *d;
  GtkWidget *root, *live, *list; /* live: how many of all tasks the rows are of */
  GPtrArray *rows;               /* of Row * */
  GPtrArray *models;             /* of const StateModel *: whose states are listed */
  guint n_values;                /* that they have: a model may learn more */
  guint n_chosen;                /* colours of what is in no model, as they were counted last */
  guint timer;
  bool filling;
} Legend;

static void
legend_row_free (gpointer data)
{
  Row *r = data;

  g_free (r->attribute);
  g_free (r->value);
  g_free (r);
}

/* ---- counts -------------------------------------------------------------------------------------------- */

static bool
legend_has_states (const TraceSource *source)
{
  return source == NULL || source->tasks->len == 0
         || trace_n_things (source) < source->tasks->len; /* things are in no state */
}

/* Of the view that is at work; then those of the other executions whose models are others.  Of const StateGraph *,
 * unref it; `names`: of the executions, may be NULL. */
static GPtrArray *
graphs_of (Legend *l, GPtrArray *names)
{
  GPtrArray *graphs = g_ptr_array_new ();
  const StateGraph *first = scope_document_graph (l->d);
  Session *s = scope_document_session (l->d);
  g_autoptr (GArray) all = s != NULL ? session_executions (s) : NULL;

  for (guint i = 0; i <= (all != NULL ? all->len : 0); i++) {
    const SessionExecution *one = i > 0 ? &g_array_index (all, SessionExecution, i - 1) : NULL;
    const StateGraph *g = one == NULL              ? first
                          : one->simulator != NULL ? eve_query (one->simulator, "state-graph/1")
                                                   : NULL;
    bool known = g == NULL || !legend_has_states (one != NULL ? one->source : scope_document_view_source (l->d))
                 || (one != NULL && (first == NULL || all->len < 2 || trace_source (first->source) == one->source));
    for (guint k = 0; k < graphs->len && !known; k++)
      known = ((const StateGraph *) graphs->pdata[k])->model == g->model;
    if (known)
      continue;
    g_ptr_array_add (graphs, (gpointer) g);
    if (names != NULL)
      g_ptr_array_add (names, g_strdup (one != NULL ? one->name : NULL));
  }
  return graphs;
}

static const StateGraph *
graph_with (const GPtrArray *graphs, const StateModel *model)
{
  for (guint i = 0; i < graphs->len; i++)
    if (((const StateGraph *) graphs->pdata[i])->model == model)
      return graphs->pdata[i];
  return NULL;
}

/* By its name: each execution may have learned names in another order. */
static guint
legend_count_in (const StateGraph *g, const Row *r)
{
  int attribute = state_attribute (g->model, r->scope, r->attribute);
  const StateAttribute *a = attribute >= 0 ? &g->model->attributes[attribute] : NULL;
  uint32_t all = r->scope == STATE_NODE ? g->n_nodes : g->n_edges, value, wanted = r->state;
  guint n = 0;

  if (a == NULL)
    return 0;
  if (wanted >= a->n_values || strcmp (a->values[wanted].name, r->value) != 0)
    for (wanted = 0; wanted < a->n_values && strcmp (a->values[wanted].name, r->value) != 0;)
      wanted++;
  for (uint32_t i = 0; wanted < a->n_values && i < all; i++)
    n += state_value_of (g, attribute, i, &value) && value == wanted && state_present (g, r->scope, i);
  return n;
}

/* Whether another simulator tells of the same tasks before: g, or one that comes earlier in the program. */
static bool
legend_is_counted (EveProgram *p, uint32_t before, const StateGraph *g, const StateGraph *one)
{
  if (one == g)
    return false;
  bool counted = g->n_nodes > 0 && g->source == one->source;
  for (uint32_t i = 0; i < before && !counted; i++) {
    EveComponent *c = eve_component (p, i);
    const StateGraph *other = eve_is_ghost (c) ? NULL : eve_query (c, "state-graph/1");
    counted = other != NULL && other->n_nodes > 0 && other->source == one->source;
  }
  return counted;
}

/* The execution is over at the instant that is shown: its tasks do nothing any more. */
static bool
legend_is_over (Legend *l, const StateGraph *g)
{
  const TraceSource *s = trace_source (g->source);

  return s != NULL && s->ended && s->first <= s->last && scope_document_at (l->d) > s->last;
}

/* In all executions that the program shows: they have one legend.  Tasks of which several simulators tell are counted
 * once, by the one whose legend it is. */
static guint
legend_count (Legend *l, const StateGraph *g, const Row *r)
{
  EveProgram *p = scope_document_program (l->d);
  bool met = false;
  guint n = 0;

  for (uint32_t i = 0; p != NULL && i < eve_n_components (p); i++) {
    const StateGraph *one = eve_is_ghost (eve_component (p, i)) ? NULL
                                                                : eve_query (eve_component (p, i), "state-graph/1");
    met |= one == g;
    if (one != NULL && one->n_nodes > 0 && !legend_is_counted (p, i, g, one) && !legend_is_over (l, one))
      n += legend_count_in (one, r);
  }
  return met || legend_is_over (l, g) ? n : legend_count_in (g, r);
}

static void legend_fill (Legend *l);

static guint
legend_values_of (const StateModel *m)
{
  guint n = 0;

  for (uint32_t a = 0; m != NULL && a < m->n_attributes; a++)
    n += m->attributes[a].n_values;
  return n;
}

static bool
is_filled_of (const Legend *l, const GPtrArray *graphs)
{
  guint n = 0;

  for (guint i = 0; i < graphs->len; i++) {
    const StateModel *m = ((const StateGraph *) graphs->pdata[i])->model;
    if (i >= l->models->len || l->models->pdata[i] != m)
      return false;
    n += legend_values_of (m);
  }
  return graphs->len == l->models->len && n == l->n_values;
}

/* Who is in no state is not there yet, or was never told of: rows count the others, which the heading does not. */
static void
legend_tell_live (Legend *l)
{
  const StateGraph *first = scope_document_graph (l->d);
  EveProgram *p = first != NULL ? scope_document_program (l->d) : NULL;
  guint live = 0, nodes = 0, tasks = scope_document_n_tasks (l->d);

  for (uint32_t c = 0; p != NULL && c < eve_n_components (p); c++) {
    const StateGraph *g = eve_is_ghost (eve_component (p, c)) ? NULL
                                                              : eve_query (eve_component (p, c), "state-graph/1");
    if (g == NULL || g->n_nodes == 0 || legend_is_counted (p, c, first, g))
      continue;
    const TraceSource *source = trace_source (g->source);
    for (uint32_t i = 0; i < g->n_nodes && !legend_is_over (l, g); i++) {
      uint32_t task = g->model->task != NULL ? g->model->task (g, i) : TRACE_NONE;
      live += state_present (g, STATE_NODE, i) && (source == NULL || !trace_is_thing (source, task));
    }
    nodes += g->n_nodes;
  }
  g_autofree char *some = scope_number (live), *of = scope_number (tasks),
                  *text = tasks == 1
                              ? g_strdup (_ ("The task is not there now"))
                              : g_strdup_printf (
                                  P_ ("%s of %s tasks is there now", "%s of %s tasks are there now", live), some, of);
  bool told = nodes > 0 && live < tasks;
  if (told)
    scope_label_say (l->live, text);
  gtk_widget_set_visible (l->live, told);
}

static gboolean
legend_count_all (gpointer data)
{
  Legend *l = data;
  g_autoptr (GPtrArray) graphs = graphs_of (l, NULL);

  l->timer = 0;
  if (!is_filled_of (l, graphs)) {
    legend_fill (l); /* which counts again */
    return G_SOURCE_REMOVE;
  }
  for (guint i = 0; i < l->rows->len; i++) {
    Row *r = l->rows->pdata[i];
    const StateGraph *g = r->chosen ? NULL : graph_with (graphs, r->model);
    if (g == NULL)
      continue;
    const TraceSource *source = trace_source (g->source);
    guint tasks = source != NULL ? source->tasks->len : 0; /* the others are threads and the like */
    guint n = legend_count (l, g, r);
    g_autofree char *number = g_strdup_printf ("%u", n), *digits = paint_in_threes (number, false),
                    *text = g_strdup_printf (r->scope == STATE_EDGE ? P_ ("%s link", "%s links", n)
                                             : g->n_nodes > tasks   ? P_ ("%s node", "%s nodes", n)
                                                                    : P_ ("%s task", "%s tasks", n),
                                             digits);
    gtk_label_set_text (GTK_LABEL (r->count), n > 0 ? text : "");
  }
  legend_tell_live (l);
  return G_SOURCE_REMOVE;
}

static void
count_soon (Legend *l)
{
  if (l->timer == 0 && gtk_widget_get_mapped (l->root))
    l->timer = g_timeout_add (COUNT_MS, legend_count_all, l);
}

/* ---- colours ------------------------------------------------------------------------------------------- */

static void
show_colours (Legend *l)
{
  l->filling = true;
  for (guint i = 0; i < l->rows->len; i++) {
    Row *r = l->rows->pdata[i];
    const StateValue value = { .name = r->value, .sense = r->sense, .colour = r->place, .unborn = r->unborn };
    uint32_t rgb = 0;
    if (!r->chosen)
      rgb = view_state_colour (scope_document_colours (l->d), r->scope, r->attribute, &value,
                               scope_document_dark (l->d));
    else
      view_chosen_colour (scope_document_colours (l->d), r->attribute, r->value, scope_document_dark (l->d), &rgb);
    GdkRGBA c = rgba_of (rgb);
    gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (r->colour), &c);
    gtk_widget_queue_draw (r->sample);
  }
  l->filling = false;
}

static Row *
legend_row_of (GtkWidget *w)
{
  return g_object_get_data (G_OBJECT (w), "row");
}

static void
legend_on_colour (GtkColorButton *b, Legend *l)
{
  Row *r = legend_row_of (GTK_WIDGET (b));
  GdkRGBA c;

  if (l->filling)
    return;
  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (b), &c);
  view_colours_set (scope_document_colours (l->d), r->attribute, r->value, rgb_of (&c));
  scope_document_look_changed (l->d);
}

static void
on_reset (GtkMenuItem *item, Legend *l)
{
  Row *r = legend_row_of (GTK_WIDGET (item));

  view_colours_reset (scope_document_colours (l->d), r->attribute, r->value);
  scope_document_look_changed (l->d);
}

static gboolean
legend_popup (GtkWidget *w, GdkEvent *e, Legend *l)
{
  GtkWidget *menu = gtk_menu_new (), *item = gtk_menu_item_new_with_label (_ ("Colour as It Came"));

  g_object_set_data (G_OBJECT (item), "row", legend_row_of (w));
  g_signal_connect (item, "activate", G_CALLBACK (on_reset), l);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
  gtk_widget_show (item);
  gtk_menu_attach_to_widget (GTK_MENU (menu), w, NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  if (e != NULL)
    gtk_menu_popup_at_pointer (GTK_MENU (menu), e);
  else
    gtk_menu_popup_at_widget (GTK_MENU (menu), w, GDK_GRAVITY_SOUTH_WEST, GDK_GRAVITY_NORTH_WEST, NULL);
  return TRUE;
}

static gboolean
legend_on_press (GtkWidget *w, GdkEvent *e, Legend *l)
{
  return gdk_event_triggers_context_menu (e) && legend_popup (w, e, l);
}

static gboolean
on_menu_key (GtkWidget *w, Legend *l)
{
  return legend_popup (w, NULL, l);
}

/* ---- shapes and lines ---------------------------------------------------------------------------------- */

static gboolean
draw_sample (GtkWidget *w, cairo_t *cr, Legend *l)
{
  Row *r = legend_row_of (w);
  double height = gtk_widget_get_allocated_height (w);
  GdkRGBA background;
  ViewScene scene = { 0 };
  Paint p;

  if (!scope_document_is_open (l->d) || r->chosen)
    return FALSE;
  scope_document_scene (l->d, &scene);
  g_autoptr (GPtrArray) graphs = graphs_of (l, NULL);
  const StateGraph *g = graph_with (graphs, r->model);
  if (g == NULL)
    return FALSE;
  scene.graph = g;
  paint_over (&p, &scene, cr);
  /* A ring has the panel in it, not paper. */
  if (gtk_style_context_lookup_color (gtk_widget_get_style_context (w), "theme_bg_color", &background))
    p.paper = rgb_of (&background);
  if (r->scope == STATE_NODE) {
    LookValue ruled;
    if (associations_look (view_associations (scene.colours), LOOK_TASK, r->attribute, LOOK_SHAPE, NULL, r->value, NAN,
                           &ruled))
      paint_shape_of (&p, 8, height / 2, 6, (PaintShape) ruled.number, paint_state (&scene, STATE_NODE, r->state));
    else
      paint_shape (&p, 8, height / 2, 6, r->state);
  } else {
    paint_source (cr, paint_state (&scene, STATE_EDGE, r->state), 1);
    cairo_set_line_width (cr, 2.5);
    if (paint_state_sense (scene.graph, STATE_EDGE, r->state) == STATE_SENSE_GONE)
      cairo_set_dash (cr, (const double[]){ 4, 4 }, 2, 0);
    cairo_move_to (cr, 0, height / 2);
    cairo_line_to (cr, 16, height / 2);
    cairo_stroke (cr);
  }
  paint_end (&p);
  return FALSE;
}

/* ---- what is dropped ------------------------------------------------------------------------------------ */

static void
legend_on_drop (GtkWidget *line, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time,
                Legend *l)
{
  const Row *r = legend_row_of (line);

  gtk_drag_finish (context, TRUE, FALSE, time);
  tie_drop (l->d, data, &(TieOnto){ r->attribute, r->value, NULL }, line, x, y);
}

/* ---- the list ------------------------------------------------------------------------------------------ */

static void
legend_add_value (Legend *l, const StateModel *model, const char *attribute, const StateAttribute *a, uint32_t state,
                  const char *value)
{
  const char *word = a != NULL ? state_value_word (&a->values[state]) : value;
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *name = gtk_label_new (word);
  g_autofree char *title = g_strdup_printf (_ ("Colour of %s"), word);
  Row *r = g_new0 (Row, 1);

  r->model = model;
  r->attribute = g_strdup (attribute);
  r->value = g_strdup (value);
  r->chosen = a == NULL;
  if (a != NULL) {
    r->scope = a->scope;
    r->state = state;
    r->sense = a->values[state].sense;
    r->place = a->values[state].colour;
    r->unborn = a->values[state].unborn;
  }
  g_ptr_array_add (l->rows, r);
  r->colour = gtk_color_button_new ();
  gtk_color_button_set_title (GTK_COLOR_BUTTON (r->colour), title);
  gtk_widget_set_tooltip_text (r->colour, title);
  atk_object_set_name (gtk_widget_get_accessible (r->colour), title);
  g_object_set_data (G_OBJECT (r->colour), "row", r);
  g_signal_connect (r->colour, "color-set", G_CALLBACK (legend_on_colour), l);
  g_signal_connect (r->colour, "button-press-event", G_CALLBACK (legend_on_press), l);
  g_signal_connect (r->colour, "popup-menu", G_CALLBACK (on_menu_key), l);
  r->sample = gtk_drawing_area_new ();
  gtk_widget_set_size_request (r->sample, 16, 16);
  g_object_set_data (G_OBJECT (r->sample), "row", r);
  g_signal_connect (r->sample, "draw", G_CALLBACK (draw_sample), l);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  r->count = gtk_label_new ("");
  gtk_style_context_add_class (gtk_widget_get_style_context (r->count), "dim-label");
  g_object_set_data (G_OBJECT (line), "row", r);
  gtk_drag_dest_set (line, GTK_DEST_DEFAULT_ALL, &tie_target, 1, GDK_ACTION_COPY);
  g_signal_connect (line, "drag-data-received", G_CALLBACK (legend_on_drop), l);
  gtk_box_pack_start (GTK_BOX (line), r->colour, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (line), r->sample, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (line), name, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (line), r->count, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (l->list), line);
}

/* A model that comes after another one: a state of the same name is the same state, in the same colour. */
static bool
legend_is_listed (const Legend *l, const StateAttribute *a, const char *value)
{
  for (guint i = 0; i < l->rows->len; i++) {
    const Row *r = l->rows->pdata[i];
    if (r->scope == a->scope && strcmp (r->attribute, a->name) == 0 && strcmp (r->value, value) == 0)
      return true;
  }
  return false;
}

static void
legend_add_text (Legend *l, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), "dim-label");
  gtk_container_add (GTK_CONTAINER (l->list), label);
}

/* `of`: the execution; NULL: that of the view at work, or there is only one. */
static void
add_attribute (Legend *l, const StateModel *model, const StateAttribute *a, const char *of)
{
  const char *whose = a->scope == STATE_NODE ? _ ("tasks") : _ ("links");
  g_autofree char *text = g_strdup_printf (_ ("%s of %s"), state_attribute_word (a), whose),
                  *named = of != NULL ? g_strdup_printf (_ ("%s, also in %s"), text, of) : NULL;
  guint n = 0;

  for (uint32_t i = 0; i < a->n_values; i++) {
    if (of != NULL && legend_is_listed (l, a, a->values[i].name))
      continue;
    if (n == 0)
      legend_add_text (l, named != NULL ? named : text);
    if (n++ < MOST)
      legend_add_value (l, model, a->name, a, i, a->values[i].name);
  }
  if (n > MOST) {
    g_autofree char *more = g_strdup_printf (_ ("and %u more"), n - MOST);
    legend_add_text (l, more);
  }
}

/* What is in no model, and has a legend here as soon as somebody gave it a colour. */
static const struct {
  const char *attribute, *title;
} others[] = { { LOOKS_OF_SERIES, N_ ("Series") }, { LOOKS_OF_GROUP, N_ ("Groups of tasks") } };

typedef struct Chosen {
  Legend *l;
  const char *attribute, *title; /* title NULL: they are only counted */
  guint n;
} Chosen;

static void
meet_chosen (void *chosen, const char *value)
{
  Chosen *c = chosen;

  if (c->n++ == 0 && c->title != NULL)
    legend_add_text (c->l, in_words (c->title));
  if (c->title != NULL && c->n <= MOST)
    legend_add_value (c->l, NULL, c->attribute, NULL, 0, value);
}

static guint
each_chosen (Legend *l, bool add)
{
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++) {
    Chosen c = { l, others[i].attribute, add ? others[i].title : NULL, 0 };
    view_colours_each_chosen (scope_document_colours (l->d), c.attribute, meet_chosen, &c);
    n += c.n;
  }
  return n;
}

static void
legend_fill (Legend *l)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), graphs = graphs_of (l, names);
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (l->list));

  if (is_filled_of (l, graphs) && each_chosen (l, false) == l->n_chosen) {
    count_soon (l);
    return;
  }
  g_ptr_array_set_size (l->models, 0);
  l->n_values = 0;
  for (GList *i = old; i != NULL; i = i->next)
    gtk_widget_destroy (i->data);
  g_ptr_array_set_size (l->rows, 0);
  for (guint i = 0; i < graphs->len; i++) {
    const StateModel *model = ((const StateGraph *) graphs->pdata[i])->model;
    g_ptr_array_add (l->models, (gpointer) model);
    l->n_values += legend_values_of (model);
    for (uint32_t a = 0; a < model->n_attributes; a++)
      if (model->attributes[a].n_values > 0 && model->attributes[a].scope != STATE_GRAPH)
        add_attribute (l, model, &model->attributes[a], names->pdata[i]);
  }
  l->n_chosen = each_chosen (l, true);
  show_colours (l);
  gtk_widget_show_all (l->list);
  count_soon (l);
}

static void
legend_on_look (Legend *l)
{
  show_colours (l);
  if (each_chosen (l, false) != l->n_chosen)
    legend_fill (l);
}

/* Pictures beside it have legends of their own while it is not seen. */
static void
legend_on_shown (Legend *l)
{
  g_signal_emit_by_name (l->d, "look");
}

bool
legend_tells (ScopeDocument *d, GtkWidget *beside, const StateGraph *g)
{
  const Legend *l = g_object_get_data (G_OBJECT (d), "legend");

  return l != NULL && g != NULL && g_ptr_array_find (l->models, g->model, NULL) && gtk_widget_get_mapped (l->root)
         && gtk_widget_get_toplevel (l->root) == gtk_widget_get_toplevel (beside);
}

static void
legend_on_destroy (GtkWidget *root, Legend *l)
{
  g_object_set_data (G_OBJECT (l->d), "legend", NULL);
  g_signal_handlers_disconnect_by_data (l->d, l);
  if (l->timer != 0)
    g_source_remove (l->timer);
  l->timer = 0;
  g_clear_object (&l->d);
}

static void
legend_free (gpointer data)
{
  Legend *l = data;

  g_ptr_array_unref (l->rows);
  g_ptr_array_unref (l->models);
  g_free (l);
}

GtkWidget *
legend_new (ScopeDocument *d)
{
  Legend *l = g_new0 (Legend, 1);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *title = gtk_label_new (_ ("Legend")),
            *reset = gtk_button_new_from_icon_name ("edit-undo-symbolic", GTK_ICON_SIZE_MENU),
            *graph = gtk_button_new_from_icon_name ("network-workgroup-symbolic", GTK_ICON_SIZE_MENU);

  l->d = g_object_ref (d);
  l->rows = g_ptr_array_new_with_free_func (legend_row_free);
  l->models = g_ptr_array_new ();
  l->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  l->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_style_context_add_class (gtk_widget_get_style_context (l->root), "panel");
  gtk_style_context_add_class (gtk_widget_get_style_context (l->root), "legend");
  atk_object_set_name (gtk_widget_get_accessible (l->root), _ ("Legend"));
  g_object_set_data_full (G_OBJECT (l->root), "legend", l, legend_free);
  gtk_style_context_add_class (gtk_widget_get_style_context (title), "panel-title");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_button_set_relief (GTK_BUTTON (reset), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (reset, _ ("All colours as they came"));
  atk_object_set_name (gtk_widget_get_accessible (reset), _ ("All colours as they came"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (reset), "win.legend-reset");
  gtk_box_pack_start (GTK_BOX (head), title, TRUE, TRUE, 0);
  gtk_button_set_relief (GTK_BUTTON (graph), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (graph, _ ("Inspect the state graph itself (Shift+P)"));
  atk_object_set_name (gtk_widget_get_accessible (graph), _ ("Inspect the state graph"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (graph), "win.inspect-graph");
  gtk_box_pack_start (GTK_BOX (head), graph, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (head), reset, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (l->root), head);
  l->live = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (l->live), 0);
  gtk_label_set_ellipsize (GTK_LABEL (l->live), PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class (gtk_widget_get_style_context (l->live), "dim-label");
  gtk_widget_set_no_show_all (l->live, TRUE);
  gtk_container_add (GTK_CONTAINER (l->root), l->live);
  gtk_container_add (GTK_CONTAINER (l->root), l->list);
  gtk_container_add (GTK_CONTAINER (l->root), associations_panel_new (d));
  gtk_widget_show_all (l->root);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (legend_fill), l);
  g_signal_connect_swapped (d, "program", G_CALLBACK (legend_fill), l);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (legend_fill), l); /* perhaps in a view of another simulator */
  g_signal_connect_swapped (d, "time", G_CALLBACK (count_soon), l);
  g_signal_connect_swapped (d, "film", G_CALLBACK (count_soon),
                            l); /* which names states that the session has not met */
  g_signal_connect_swapped (d, "look", G_CALLBACK (legend_on_look), l);
  g_signal_connect_swapped (l->root, "map", G_CALLBACK (count_soon), l);
  g_signal_connect_swapped (l->root, "map", G_CALLBACK (legend_on_shown), l);
  g_signal_connect_swapped (l->root, "unmap", G_CALLBACK (legend_on_shown), l);
  g_object_set_data (G_OBJECT (d), "legend", l);
  g_signal_connect (l->root, "destroy", G_CALLBACK (legend_on_destroy), l);
  legend_fill (l);
  return l->root;
}
