/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-search.c - adding a component by its name, at the pointer; and the small entry for names and comments. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include "document/active-row.h"
#include "session/plugins.h"
#include <string.h>

/* ---- how well words fit ------------------------------------------------------------------------------------------- */
static bool
canvas_search_begins_word (const char *text, const char *part)
{
  for (const char *at = text; (at = strstr (at, part)); at++)
    if (at == text || !g_ascii_isalnum (at[-1]))
      return true;
  return false;
}

/* What people call a picture of numbers, whatever its name here. */
static bool
is_chart (const EveClass *k, const char *word)
{
  static const char *const charts[] = {
    "scope.bar",    "scope.pie",         "scope.curve",   "scope.histogram-view", "scope.stacked-bars",
    "scope.radial", "scope.matrix-view", "scope.scatter", "scope.scatter-matrix", NULL
  };
  return strlen (word) > 2
         && canvas_search_begins_word (_ ("chart charts plot plots graph graphs diagram diagrams"), word)
         && g_strv_contains (charts, k->id);
}

/* Every word must be found somewhere: at the beginning of the label is best, in the explanation last.  0: it does not
 * fit. */
static int
fit_of (const EveClass *k, char **words)
{
  g_autofree char *label = g_utf8_casefold (in_words (k->label), -1),
                  *category = g_utf8_casefold (in_words (k->category), -1);
  g_autofree char *doc = g_utf8_casefold (k->doc ? in_words (k->doc) : "", -1);
  int sum = 1;
  for (char **word = words; *word; word++) {
    if (!**word)
      continue;
    int fit = g_str_has_prefix (label, *word)               ? 100
              : canvas_search_begins_word (label, *word)    ? 60
              : strstr (label, *word)                       ? 40
              : canvas_search_begins_word (category, *word) ? 20
              : strstr (k->id, *word)                       ? 10
              : strstr (doc, *word)                         ? 5
              : is_chart (k, *word)                         ? 4
                                                            : 0;
    if (!fit)
      return 0;
    sum += fit;
  }
  return sum;
}

typedef struct Found {
  const EveClass *k;
  int fit;
  guint rank;
} Found;

/* Words that are typed come before what is wired so mostly. */
static int
by_fit (const void *a, const void *b)
{
  const Found *x = a, *y = b;
  return x->fit != y->fit     ? y->fit - x->fit
         : x->rank != y->rank ? (x->rank < y->rank) - (x->rank > y->rank)
                              : g_utf8_collate (in_words (x->k->label), in_words (y->k->label));
}

/* `fits`: of CanvasFit, by class; NULL: all are alike. */
static GPtrArray *
canvas_search_ranked (const char *text, GHashTable *fits)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  g_auto (GStrv) words = g_strsplit (folded, " ", -1);
  g_autoptr (GPtrArray) all = eve_registry_list ();
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  GPtrArray *classes = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++) {
    const CanvasFit *fit = fits ? g_hash_table_lookup (fits, all->pdata[i]) : NULL;
    Found f = { all->pdata[i], fit_of (all->pdata[i], words), fit ? fit->rank : 0 };
    if (f.fit)
      g_array_append_val (found, f);
  }
  g_array_sort (found, by_fit);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (classes, (void *) g_array_index (found, Found, i).k);
  return classes;
}

GPtrArray *
component_search (const char *text)
{
  return canvas_search_ranked (text, NULL);
}

/* ---- the popover ---------------------------------------------------------------------------------------------------- */
typedef struct Search {
  EditorCanvas *w;
  GtkWidget *popover, *entry, *list, *nothing;
  double x, y;       /* of the canvas: where the component comes to lie */
  char *from, *port; /* names: components may go while it is open */
  bool out;
  GHashTable *fits; /* of CanvasFit: what the wire can go to; NULL: there is no wire */
  char *into[4];    /* from, out, to, in */
  char *instead;    /* the box that goes away for it; NULL: none */
} Search;

static void
canvas_search_free (void *search)
{
  Search *s = search;
  if (s->w->popover == s->popover)
    s->w->popover = NULL;
  g_free (s->from);
  g_free (s->port);
  g_free (s->instead);
  g_clear_pointer (&s->fits, g_hash_table_unref);
  for (int i = 0; i < 4; i++)
    g_free (s->into[i]);
  g_object_unref (s->w);
  g_free (s);
}

static SketchWire *
wire_named (const Sketch *s, char *const names[4])
{
  for (guint i = 0; names[0] && i < s->wires->len; i++) {
    SketchWire *w = s->wires->pdata[i];
    if (!strcmp (eve_name (w->from), names[0]) && !strcmp (w->out, names[1]) && !strcmp (eve_name (w->to), names[2])
        && !strcmp (w->in, names[3]))
      return w;
  }
  return NULL;
}

static bool
canvas_search_fits (Search *s, const EveClass *k)
{
  SketchWire *into = wire_named (s->w->sketch, s->into);
  if (into)
    return edits_class_fits_wire (k, into->from, into->out, into->to, into->in);
  return !s->fits || g_hash_table_contains (s->fits, k);
}

static GtkWidget *
canvas_search_row_of (const EveClass *k, const CanvasFit *fit)
{
  g_autofree char *hint = fit ? g_strdup_printf ("%s · %s", in_words (k->category), fit->port)
                              : g_strdup (in_words (k->category));
  GtkWidget *row = active_row_new (), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (in_words (k->label)), *category = gtk_label_new (hint);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (category), "dim-label");
  gtk_box_pack_start (GTK_BOX (line), label, TRUE, TRUE, 0);
  gtk_box_pack_end (GTK_BOX (line), category, FALSE, FALSE, 0);
  gtk_container_set_border_width (GTK_CONTAINER (line), 4);
  gtk_container_add (GTK_CONTAINER (row), line);
  gtk_widget_set_tooltip_text (row, in_words (k->doc));
  g_object_set_data (G_OBJECT (row), "class", (void *) k);
  atk_object_set_name (gtk_widget_get_accessible (row), in_words (k->label));
  gtk_widget_show_all (row);
  return row;
}

static void
canvas_search_fill (GtkEntry *entry, Search *s)
{
  g_autoptr (GPtrArray) classes = canvas_search_ranked (gtk_entry_get_text (entry), s->fits);
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (s->list));
  g_list_foreach (rows, (GFunc) G_CALLBACK (gtk_widget_destroy), NULL);
  for (guint i = 0; i < classes->len; i++)
    if (canvas_search_fits (s, classes->pdata[i]))
      gtk_container_add (
          GTK_CONTAINER (s->list),
          canvas_search_row_of (classes->pdata[i], s->fits ? g_hash_table_lookup (s->fits, classes->pdata[i]) : NULL));
  GtkListBoxRow *first = gtk_list_box_get_row_at_index (GTK_LIST_BOX (s->list), 0);
  gtk_widget_set_visible (s->nothing, !first);
  if (first)
    gtk_list_box_select_row (GTK_LIST_BOX (s->list), first);
}

static void
canvas_search_chosen (GtkListBox *list, GtkListBoxRow *row, Search *s)
{
  const EveClass *k = row ? g_object_get_data (G_OBJECT (row), "class") : NULL;
  EditorCanvas *w = s->w;
  if (!k || !canvas_program (w))
    return;
  EveComponent *from = s->from ? eve_find (canvas_program (w), s->from) : NULL;
  SketchWire *into = wire_named (w->sketch, s->into);
  EveComponent *instead = s->instead ? eve_find (canvas_program (w), s->instead) : NULL;
  bool gone = s->instead && !instead;
  gtk_popover_popdown (GTK_POPOVER (s->popover));
  if (instead)
    canvas_replace (w, instead, k);
  else if (!gone && (s->from || into))
    canvas_add_class (w, k, s->x, s->y, from, s->port, s->out, into);
  else if (!gone) { /* its middle where it was asked for; it comes connected, as one that the window's search adds */
    const char *port = NULL;
    EveComponent *feeds = canvas_feeder (w, k, &port);
    canvas_add_class (w, k, feeds ? s->x - 72 : s->x, s->y, feeds, port, true, NULL);
  }
  gtk_widget_grab_focus (GTK_WIDGET (w));
}

static void
canvas_search_confirmed (GtkEntry *entry, Search *s)
{
  canvas_search_chosen (NULL, gtk_list_box_get_selected_row (GTK_LIST_BOX (s->list)), s);
}

/* Arrows walk through the list while the entry keeps the focus. */
static gboolean
canvas_search_key (GtkWidget *entry, GdkEventKey *e, Search *s)
{
  int step = e->keyval == GDK_KEY_Down        ? 1
             : e->keyval == GDK_KEY_Up        ? -1
             : e->keyval == GDK_KEY_Page_Down ? 8
             : e->keyval == GDK_KEY_Page_Up   ? -8
                                              : 0;
  if (!step)
    return FALSE;
  GtkListBoxRow *row = gtk_list_box_get_selected_row (GTK_LIST_BOX (s->list));
  int at = row ? gtk_list_box_row_get_index (row) : -1, to = at + step;
  GtkListBoxRow *next = NULL;
  for (; to != at && !next; to -= step > 0 ? 1 : -1)
    next = to >= 0 ? gtk_list_box_get_row_at_index (GTK_LIST_BOX (s->list), to) : NULL;
  if (next) {
    GtkAllocation a;
    gtk_list_box_select_row (GTK_LIST_BOX (s->list), next);
    gtk_widget_get_allocation (GTK_WIDGET (next), &a);
    GtkAdjustment *v = gtk_list_box_get_adjustment (GTK_LIST_BOX (s->list));
    gtk_adjustment_clamp_page (v, a.y, a.y + a.height);
  }
  return TRUE;
}

static gboolean
destroy_later (void *popover)
{
  gtk_widget_destroy (popover);
  return G_SOURCE_REMOVE;
}

static void
closed (GtkPopover *popover, EditorCanvas *w)
{
  if (w->popover == GTK_WIDGET (popover))
    w->popover = NULL;
  gtk_widget_grab_focus (GTK_WIDGET (w));
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, destroy_later, g_object_ref (popover), g_object_unref);
}

static GtkWidget *
popover_at (EditorCanvas *w, double wx, double wy, GtkWidget *content)
{
  GtkWidget *popover = gtk_popover_new (GTK_WIDGET (w));
  GdkRectangle at = { (int) wx, (int) wy, 1, 1 };
  if (w->popover)
    gtk_popover_popdown (GTK_POPOVER (w->popover));
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &at);
  gtk_popover_set_position (GTK_POPOVER (popover), wy > w->view.height * 0.6 ? GTK_POS_TOP : GTK_POS_BOTTOM);
  gtk_container_add (GTK_CONTAINER (popover), content);
  gtk_container_set_border_width (GTK_CONTAINER (popover), 6);
  g_signal_connect_object (popover, "closed", G_CALLBACK (closed), w, 0);
  w->popover = popover;
  gtk_widget_show_all (content);
  return popover;
}

static void
show_search (Search *s, double wx, double wy, const char *placeholder, const char *name)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scroll = gtk_scrolled_window_new (NULL, NULL);
  s->entry = gtk_search_entry_new ();
  s->list = gtk_list_box_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (s->entry), placeholder);
  atk_object_set_name (gtk_widget_get_accessible (s->entry), name);
  atk_object_set_name (gtk_widget_get_accessible (s->list), _ ("Components found"));
  s->nothing = gtk_label_new (s->fits || s->into[0] ? _ ("No component that fits has this name")
                                                    : _ ("No component of this name"));
  gtk_style_context_add_class (gtk_widget_get_style_context (s->nothing), "dim-label");
  gtk_widget_set_no_show_all (s->nothing, TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (scroll, 280, 220);
  gtk_container_add (GTK_CONTAINER (scroll), s->list);
  gtk_box_pack_start (GTK_BOX (box), s->entry, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), s->nothing, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), scroll, TRUE, TRUE, 0);
  s->popover = popover_at (s->w, wx, wy, box);
  g_object_set_data_full (G_OBJECT (s->popover), "search", s, canvas_search_free);
  g_signal_connect (s->entry, "changed", G_CALLBACK (canvas_search_fill), s);
  g_signal_connect (s->entry, "activate", G_CALLBACK (canvas_search_confirmed), s);
  g_signal_connect (s->entry, "key-press-event", G_CALLBACK (canvas_search_key), s);
  g_signal_connect_swapped (s->entry, "stop-search", G_CALLBACK (gtk_popover_popdown), s->popover);
  g_signal_connect (s->list, "row-activated", G_CALLBACK (canvas_search_chosen), s);
  canvas_search_fill (GTK_ENTRY (s->entry), s);
  gtk_popover_popup (GTK_POPOVER (s->popover));
  gtk_widget_grab_focus (s->entry);
}

void
canvas_search (EditorCanvas *w, double wx, double wy, EveComponent *from, const char *port, bool out,
               const SketchWire *into)
{
  if (!canvas_program (w))
    return;
  Search *s = g_new0 (Search, 1);
  s->w = g_object_ref (w);
  canvas_to_sketch (w, wx, wy, &s->x, &s->y);
  if (from) {
    const SketchPort *p = sketch_port (w->sketch, from, port, out);
    s->from = g_strdup (eve_name (from));
    s->port = g_strdup (port);
    s->out = out;
    s->fits = canvas_fits (from, port, p ? p->type : NULL, out);
  }
  if (into) {
    const char *names[] = { eve_name (into->from), into->out, eve_name (into->to), into->in };
    for (int i = 0; i < 4; i++)
      s->into[i] = g_strdup (names[i]);
  }
  show_search (s, wx, wy, from || into ? _ ("Components that fit") : _ ("Add a component"), _ ("Add a component"));
}

/* Components from elsewhere, and readers, are offered too: what they keep is known from their tables. */
static GHashTable *
fits_instead (EveComponent *c)
{
  GHashTable *fits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GPtrArray) all = eve_registry_list ();
  g_autofree char *text = eve_program_text (eve_program (c));
  EveProgram *copy = eve_program_parse (text, -1, "copy", NULL, NULL);
  EveComponent *twin = copy ? eve_find (copy, eve_name (c)) : NULL;
  for (guint i = 0; i < all->len; i++) {
    guint of, kept = edits_replace_fit (c, all->pdata[i], &of);
    if (kept && twin && !plugins_from_elsewhere (eve_class_object (all->pdata[i])))
      kept = edits_replace_try (twin, all->pdata[i]);
    if ((of && !kept) || all->pdata[i] == eve_class (c))
      continue;
    g_autofree char *hint = !of ? g_strdup (_ ("no wires to keep"))
                            : kept == of
                                ? g_strdup (of == 1 ? _ ("keeps its wire") : _ ("keeps all wires"))
                                : g_strdup_printf (P_ ("keeps %u of %u wires", "keeps %u of %u wires", kept), kept, of);
    CanvasFit *f = g_new (CanvasFit, 1);
    *f = (CanvasFit){ g_intern_string (hint),
                      2 * kept + g_str_equal (eve_class (c)->category, ((EveClass *) all->pdata[i])->category) };
    g_hash_table_insert (fits, all->pdata[i], f);
  }
  if (copy)
    eve_program_free (copy);
  return fits;
}

void
canvas_search_instead (EditorCanvas *w, EveComponent *c)
{
  const SketchBox *b = sketch_box_of (w->sketch, c);
  Search *s = g_new0 (Search, 1);
  double x = 0, y = 0;
  s->w = g_object_ref (w);
  s->instead = g_strdup (eve_name (c));
  s->fits = fits_instead (c);
  if (b)
    paint_to_window (&w->view, b->x + b->width / 2, b->y + SKETCH_HEADER, &x, &y);
  g_autofree char *what = g_strdup_printf (_ ("Instead of %s"), eve_name (c));
  show_search (s, x, y, what, _ ("Replace with"));
}

/* ---- a name, a comment ------------------------------------------------------------------------------------------------- */
typedef struct Question {
  EditorCanvas *w;
  GtkWidget *popover;
  void (*done) (EditorCanvas *, const char *, void *);
  void *arg;
  GDestroyNotify free_arg;
} Question;

static void
question_free (void *question)
{
  Question *q = question;
  if (q->free_arg)
    q->free_arg (q->arg);
  g_object_unref (q->w);
  g_free (q);
}

static void
answered (GtkEntry *entry, Question *q)
{
  g_autofree char *text = g_strdup (gtk_entry_get_text (entry));
  g_object_ref (q->popover);
  gtk_popover_popdown (GTK_POPOVER (q->popover));
  if (canvas_program (q->w))
    q->done (q->w, text, q->arg);
  g_object_unref (q->popover);
}

void
canvas_ask (EditorCanvas *w, double wx, double wy, const char *text,
            void (*done) (EditorCanvas *, const char *, void *), void *arg, GDestroyNotify free_arg)
{
  Question *q = g_new0 (Question, 1);
  GtkWidget *entry = gtk_entry_new ();
  *q = (Question){ .w = g_object_ref (w), .done = done, .arg = arg, .free_arg = free_arg };
  gtk_entry_set_text (GTK_ENTRY (entry), text);
  gtk_entry_set_width_chars (GTK_ENTRY (entry), 28);
  atk_object_set_name (gtk_widget_get_accessible (entry), _ ("Name"));
  q->popover = popover_at (w, wx, wy, entry);
  g_object_set_data_full (G_OBJECT (q->popover), "question", q, question_free);
  g_signal_connect (entry, "activate", G_CALLBACK (answered), q);
  gtk_popover_popup (GTK_POPOVER (q->popover));
  gtk_widget_grab_focus (entry);
}
