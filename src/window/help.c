/* SPDX-License-Identifier: Apache-2.0 */
/* Help: the page of a component is its own text and what its tables say, the same that `scope components ID` prints;
 * the documentation of a bundle is the folder `doc` in it. */
#include <string.h>
#include "window/app.h"
#include "window/markdown.h"
#include "eve/number.h"
#include "eve/words.h"
#include "window/window.h"
#include "eve/disk.h"

static GtkWidget *shown; /* one help window for all */

/* ---- pages ----------------------------------------------------------------------------------------------------------------------- */

static const char *
help_type_name (const EveType *t)
{
  return t ? in_words (t->name) : _ ("any type");
}

static void
port_line (GString *to, const char *name, const EveType *type, EveRole role, const char *unit, const char *doc,
           bool required)
{
  g_string_append_printf (to, "- **%s** (%s%s%s%s%s)%s%s\n", name, help_type_name (type), unit ? ", " : "",
                          unit ? unit : "", role == EVE_CONTROL ? _ (", control") : "",
                          required ? _ (", required") : "", doc ? ": " : "", doc ? in_words (doc) : "");
}

static void
setting_line (GString *to, const EveField *f)
{
  g_string_append_printf (to, "- **%s**", f->name);
  if (f->unit)
    g_string_append_printf (to, " (%s)", f->unit);
  if (f->doc)
    g_string_append_printf (to, ": %s", in_words (f->doc));
  if (f->kind == EVE_F_CHOICE && f->choices) {
    g_autofree char *choices = g_strjoinv (", ", (char **) f->choices);
    g_string_append_printf (to, _ (" One of: %s."), choices);
  }
  if ((f->kind == EVE_F_DOUBLE || f->kind == EVE_F_INT64) && (f->min != 0 || f->max != 0)) {
    g_autofree char *least = number_local (g_strdup_printf ("%g", f->min)),
                    *most = number_local (g_strdup_printf ("%g", f->max));
    g_string_append_printf (to, _ (" From %s to %s."), least, most);
  }
  g_string_append_c (to, '\n');
}

static char *
class_page (const EveClass *k)
{
  GString *to = g_string_new (NULL);

  g_string_append_printf (to, "# %s\n\n%s\n\n", in_words (k->label), k->doc ? in_words (k->doc) : "");
  if (k->help)
    g_string_append_printf (to, "%s\n\n", in_words (k->help));
  if (k->n_ins)
    g_string_append (to, _ ("## Inputs\n\n"));
  for (uint32_t i = 0; i < k->n_ins; ++i)
    port_line (to, k->ins[i].name, k->ins[i].type, k->ins[i].role, k->ins[i].unit, k->ins[i].doc, k->ins[i].required);
  if (k->n_outs)
    g_string_append (to, _ ("\n## Outputs\n\n"));
  for (uint32_t i = 0; i < k->n_outs; ++i)
    port_line (to, k->outs[i].name, k->outs[i].type, k->outs[i].role, k->outs[i].unit, k->outs[i].doc, false);
  if (k->n_settings)
    g_string_append (to, _ ("\n## Settings\n\n"));
  for (uint32_t i = 0; i < k->n_settings; ++i)
    setting_line (to, &k->settings[i]);
  g_string_append_printf (to, _ ("\n## Name\n\nIn program files it is `%s`.\n\n[All components](components)\n"), k->id);
  return g_string_free (to, FALSE);
}

static int
help_by_category (gconstpointer a, gconstpointer b)
{
  const EveClass *x = *(const EveClass *const *) a, *y = *(const EveClass *const *) b;
  int d = g_strcmp0 (x->category, y->category);

  return d ? d : g_utf8_collate (x->label, y->label);
}

static char *
index_page (void)
{
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  GString *to = g_string_new (
      _ ("# Components\n\nSelect a box and press F1 for its page.  Ctrl+K finds everything, Ctrl+? lists "
         "the keys.\n\n"));
  const char *category = NULL;

  g_ptr_array_sort (classes, help_by_category);
  for (guint i = 0; i < classes->len; ++i) {
    const EveClass *k = g_ptr_array_index (classes, i);
    if (g_strcmp0 (category, k->category))
      g_string_append_printf (to, "\n## %s\n\n", k->category ? in_words (k->category) : _ ("Others"));
    category = k->category;
    g_string_append_printf (to, _ ("- [%s](%s): %s\n"), in_words (k->label), k->id, k->doc ? in_words (k->doc) : "");
  }
  return g_string_free (to, FALSE);
}

/* ---- the window ------------------------------------------------------------------------------------------------------------------ */

static void show_page (const char *class_id);

static void
help_follow (void *arg, const char *target)
{
  if (strstr (target, "://"))
    gtk_show_uri_on_window (GTK_WINDOW (shown), target, GDK_CURRENT_TIME, NULL);
  else
    show_page (g_str_equal (target, "components") ? NULL : target);
}

/* The view of the window, which is made when there is none. */
static GtkWidget *
help_view (GtkWindow *parent, const char *title)
{
  if (!shown) {
    GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);
    g_set_weak_pointer (&shown, gtk_window_new (GTK_WINDOW_TOPLEVEL));
    gtk_window_set_default_size (GTK_WINDOW (shown), 620, 640);
    gtk_container_add (GTK_CONTAINER (scrolled), markdown_view_new (help_follow, NULL));
    gtk_container_add (GTK_CONTAINER (shown), scrolled);
    gtk_widget_show_all (scrolled);
    window_closes_by_escape (shown);
  }
  if (parent)
    gtk_window_set_transient_for (GTK_WINDOW (shown), parent);
  gtk_window_set_title (GTK_WINDOW (shown), title);
  GtkWidget *view = gtk_bin_get_child (GTK_BIN (gtk_bin_get_child (GTK_BIN (shown))));
  atk_object_set_name (gtk_widget_get_accessible (view), title);
  markdown_clear (view);
  return view;
}

static void
present (GtkWidget *view)
{
  GtkTextIter begin;

  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), &begin);
  gtk_text_view_scroll_to_iter (GTK_TEXT_VIEW (view), &begin, 0, FALSE, 0, 0);
  gtk_window_present (GTK_WINDOW (shown));
}

static void
show_page (const char *class_id)
{
  const EveClass *k = class_id ? eve_registry_find (class_id) : NULL;
  g_autofree char *text = k          ? class_page (k)
                          : class_id ? g_strdup_printf (
                                _ ("# %s\n\nThis component is not installed here: its settings and wires "
                                   "are kept, but it does nothing.\n\n[All components](components)\n"),
                                class_id)
                                     : index_page ();
  g_autofree char *title = g_strdup_printf (_ ("Help: %s"), k          ? in_words (k->label)
                                                            : class_id ? class_id
                                                                       : _ ("components"));
  GtkWidget *view = help_view (NULL, title);

  markdown_append (view, text, NULL);
  present (view);
}

void
help_show_class (GtkWindow *parent, const char *class_id)
{
  help_view (parent, _ ("Help"));
  show_page (class_id);
}

/* ---- documentation of a bundle ---------------------------------------------------------------------------------------------------- */

#define TEXT_BYTES (1 << 20) /* of a file, at most */

static int
readme_first (gconstpointer a, gconstpointer b)
{
  const char *x = *(char *const *) a, *y = *(char *const *) b;
  int d = g_str_has_prefix (y, "README") - g_str_has_prefix (x, "README");

  return d ? d : strcmp (x, y);
}

static void
append_file (GtkWidget *view, const char *bundle, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL,
                  *head = g_strdup_printf ("## %s\n", name);
  g_autofree char *picture = g_strdup_printf ("![%s](%s)\n", name, name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info = g_file_query_info (file, "standard::*", G_FILE_QUERY_INFO_NONE, NULL, NULL);
  const char *type = info ? g_file_info_get_content_type (info) : NULL;
  size_t n = 0;

  if (!type || g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    return;
  markdown_append (view, head, NULL);
  if (g_content_type_is_a (type, "image/*"))
    markdown_append (view, picture, folder);
  else if (!(text = disk_read (path, bundle, TEXT_BYTES, &n, NULL)) || memchr (text, 0, n)) {
    g_autofree char *uri = g_file_get_uri (file),
                    *link = g_strdup_printf (_ ("[Open with another program](%s)\n"), uri);
    markdown_append (view, link, NULL);
  } else if (g_str_has_suffix (name, ".md"))
    markdown_append (view, text, folder);
  else
    markdown_append_plain (view, text);
  markdown_append (view, "\n", NULL);
}

void
help_show_documentation (GtkWindow *parent, ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;
  TraceBundle *b = trace_bundle_open (scope_document_trace (d), &error);

  if (!b || !b->doc) {
    scope_document_say (d, error ? SCOPE_SAY_ERROR : SCOPE_SAY_NOTE, "%s",
                        error ? error->message
                              : _ ("This trace has no documentation: there is no folder “doc” in it."));
    g_clear_pointer (&b, trace_bundle_free);
    return;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (b->doc, 0, NULL);
  g_autofree char *title = g_strdup_printf (_ ("Documentation: %s"), b->name),
                  *head = g_strdup_printf ("# %s\n\n", b->name);
  GtkWidget *view = help_view (parent, title);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, readme_first);
  markdown_append (view, head, NULL);
  for (guint i = 0; i < names->len; ++i)
    append_file (view, b->path, b->doc, g_ptr_array_index (names, i));
  present (view);
  trace_bundle_free (b);
}
