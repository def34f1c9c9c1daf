/* SPDX-License-Identifier: Apache-2.0 */
/* associations-colours.c - below a rule of the manager the values that it colours: a click on one opens the chooser of
 * colours, and what is chosen becomes a line of the rule. */
#include <math.h>
#include <string.h>
#include "document/occurring.h"
#include "eve/words.h"
#include "panes/associations-colours.h"
#include "panes/rgba.h"
#include "views/palettes.h"

#define ROWS_MOST 16 /* values of a rule that are listed */
#define RGB_LENGTH 7 /* "#2a9d6f" */

typedef struct Swatch {
  ScopeDocument *d;
  LookLevel level; /* of the rule, */
  guint number;
  int line;    /* of its scale; -1: it has none for this value yet */
  guint which; /* of the colours of the line */
  char *value;
  AssociationsRecoloured chosen;
  void *arg;
} Swatch;

/* Being listed. */
typedef struct Lines {
  GtkContainer *to;
  ScopeDocument *d;
  const AssociationsRule *rule;
  char **text; /* lines of its scale */
  AssociationsRecoloured chosen;
  void *arg;
  GHashTable *named; /* values that have a line */
  int n;
  guint n_more;
} Lines;

static void
swatch_free (gpointer data, GClosure *closure)
{
  Swatch *s = data;

  g_object_unref (s->d);
  g_free (s->value);
  g_free (s);
}

/* The colour of that number behind the last "=" of a line; NULL: there are fewer. */
static const char *
colour_in (const char *line, guint which)
{
  const char *at = strrchr (line, '=');

  for (at = at != NULL ? strchr (at, '#') : NULL; at != NULL && which > 0; which--)
    at = strchr (at + 1, '#');
  return at != NULL && strlen (at) >= RGB_LENGTH ? at : NULL;
}

typedef struct Found {
  const Swatch *s;
  char *scale; /* g_free */
} Found;

static void
find_scale (void *arg, const AssociationsRule *rule)
{
  Found *f = arg;

  if (rule->level == f->s->level && rule->number == f->s->number)
    f->scale = g_strdup (rule->scale);
}

static void
associations_colours_on_colour (GtkColorButton *b, Swatch *s)
{
  Found f = { s, NULL };
  g_autoptr (GString) scale = g_string_new (NULL);
  GdkRGBA c;

  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (b), &c);
  guint rgb = rgb_of (&c);
  associations_each_rule (view_associations (scope_document_colours (s->d)), find_scale, &f);
  if (f.scale == NULL) /* the rule has gone meanwhile */
    return;
  g_auto (GStrv) lines = g_strsplit (f.scale, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++) {
    const char *at = i == s->line ? colour_in (lines[i], s->which) : NULL;
    if (*lines[i] == '\0')
      continue;
    if (at != NULL)
      g_string_append_printf (scale, "%.*s#%06x%s\n", (int) (at - lines[i]), lines[i], rgb, at + RGB_LENGTH);
    else
      g_string_append_printf (scale, "%s\n", lines[i]);
  }
  if (s->line < 0) {
    g_autofree char *quoted = associations_quoted (s->value);
    g_string_append_printf (scale, "  %s = #%06x\n", quoted, rgb);
  }
  g_free (f.scale);
  s->chosen (s->arg, s->level, s->number, scale->str);
}

/* The attribute of the rule in the model, or -1. */
static int
associations_colours_attribute_of (const Lines *l, const StateGraph *g)
{
  return g == NULL ? -1
         : l->rule->kind == LOOK_REGION
             ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE)
             : state_attribute (g->model, l->rule->kind == LOOK_LINK ? STATE_EDGE : STATE_NODE, l->rule->attribute);
}

/* A value as people read it. */
static const char *
associations_colours_word_of (const Lines *l, const char *value)
{
  const StateGraph *g = scope_document_graph (l->d);

  return g != NULL ? state_word (g->model, associations_colours_attribute_of (l, g), value) : value;
}

static GtkWidget *
swatch (const Lines *l, int line, guint which, const char *value, uint32_t rgb)
{
  GtkWidget *b = gtk_color_button_new ();
  Swatch *s = g_new0 (Swatch, 1);
  g_autofree char *title = g_strdup_printf (_ ("Colour of %s, %s"), associations_colours_word_of (l, value),
                                            in_words (l->rule->attribute));
  GdkRGBA c = rgba_of (rgb);

  *s = (Swatch){
    g_object_ref (l->d), l->rule->level, l->rule->number, line, which, g_strdup (value), l->chosen, l->arg
  };
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (b), &c);
  gtk_color_button_set_title (GTK_COLOR_BUTTON (b), title);
  gtk_widget_set_tooltip_text (b, title);
  atk_object_set_name (gtk_widget_get_accessible (b), title);
  g_signal_connect_data (b, "color-set", G_CALLBACK (associations_colours_on_colour), s, swatch_free, 0);
  return b;
}

static GtkWidget *
associations_colours_row (const Lines *l, const char *value)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *name = gtk_label_new (associations_colours_word_of (l, value));

  gtk_widget_set_margin_start (line, 12);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_box_pack_end (GTK_BOX (line), name, TRUE, TRUE, 0);
  gtk_container_add (l->to, line);
  return line;
}

static bool
associations_colours_add_line (void *arg, const char *text, bool value, const LookValue *from, const LookValue *to)
{
  Lines *l = arg;
  int n = l->n++;
  guint rgb;

  if (value)
    g_hash_table_add (l->named, g_strdup (text));
  if (n >= ROWS_MOST || l->text[n] == NULL) {
    l->n_more++;
    return true;
  }
  GtkWidget *line = associations_colours_row (l, text);
  const char *at;
  for (guint i = 0; (at = colour_in (l->text[n], i)) != NULL && sscanf (at, "#%6x", &rgb) == 1; i++)
    gtk_box_pack_start (GTK_BOX (line), swatch (l, n, i, text, rgb), FALSE, FALSE, 0);
  return true;
}

/* What a value looks like without a line of its own: as another rule, or another line of this one, says; a state as in
 * all views. */
static uint32_t
usual (const Lines *l, const char *value)
{
  const StateGraph *g = scope_document_graph (l->d);
  int i = associations_colours_attribute_of (l, g);
  const StateAttribute *a = i >= 0 ? &g->model->attributes[i] : NULL;
  LookValue v;

  if (associations_look (view_associations (scope_document_colours (l->d)), l->rule->kind, l->rule->attribute,
                         LOOK_COLOUR, l->rule->view, value, NAN, &v))
    return v.rgb;
  for (uint32_t k = 0; a != NULL && k < a->n_values; k++)
    if (strcmp (a->values[k].name, value) == 0)
      return VIEW_PLAIN (view_state_colour (scope_document_colours (l->d), a->scope, a->name, &a->values[k], false));
  return 0xc0c0c0;
}

/* Of messages none: all of an execution would have to be read for each change of a rule. */
static void
add_occurring (Lines *l)
{
  g_auto (Occurring) has = { NULL };

  if (l->rule->kind == LOOK_MESSAGE)
    return;
  occurring_find (l->d, l->rule->kind, l->rule->attribute, 4 * ROWS_MOST, &has);
  for (guint i = 0; i < has.names->len; i++) {
    const char *value = has.names->pdata[i];
    if (g_hash_table_contains (l->named, value))
      continue;
    if (l->n++ < ROWS_MOST)
      gtk_box_pack_start (GTK_BOX (associations_colours_row (l, value)), swatch (l, -1, 0, value, usual (l, value)),
                          FALSE, FALSE, 0);
    else
      l->n_more++;
  }
}

void
associations_colours_add (GtkContainer *to, ScopeDocument *d, const AssociationsRule *rule,
                          AssociationsRecoloured chosen, void *arg)
{
  g_auto (GStrv) text = g_strsplit (rule->scale != NULL ? rule->scale : "", "\n", -1);
  g_autoptr (GHashTable) named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Lines l = { to, d, rule, text, chosen, arg, named, 0, 0 };

  associations_each_line (view_associations (scope_document_colours (d)), rule->level, rule->number,
                          associations_colours_add_line, &l);
  add_occurring (&l);
  if (l.n_more > 0) {
    g_autofree char *more = g_strdup_printf (_ ("and %u more"), l.n_more);
    GtkWidget *rest = gtk_label_new (more);
    gtk_label_set_xalign (GTK_LABEL (rest), 0);
    gtk_widget_set_margin_start (rest, 12);
    gtk_style_context_add_class (gtk_widget_get_style_context (rest), "dim-label");
    gtk_container_add (to, rest);
  }
}
