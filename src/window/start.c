/* SPDX-License-Identifier: Apache-2.0 */
/* What is seen while nothing is open: open something, go on with something, try a sample. */
#include <string.h>
#include "session/places.h"
#include "eve/words.h"
#include "window/app.h"
#include "document/active-row.h"
#include "window/window.h"
#include "eve/disk.h"

#define RECENT 6

typedef struct Start {
  ScopeWindow *window;
  GtkWidget *recent, *samples; /* lists, below their titles */
} Start;

static GtkWidget *
start_label (const char *text, const char *style)
{
  GtkWidget *l = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (l), 0);
  gtk_label_set_ellipsize (GTK_LABEL (l), PANGO_ELLIPSIZE_MIDDLE);
  if (style)
    gtk_style_context_add_class (gtk_widget_get_style_context (l), style);
  return l;
}

/* Where a bundle lies, for a person. */
static char *
start_folder_of (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  const char *home = g_get_home_dir ();

  return g_str_has_prefix (folder, home) && folder[strlen (home)] == '/'
             ? g_strconcat ("~", folder + strlen (home), NULL)
             : g_steal_pointer (&folder);
}

/* The first paragraph of its documentation, below the title, which in traces of other programs lies beside their files;
 * NULL: there is none. */
static char *
story_of (const char *path)
{
  g_autofree char *file = g_build_filename (path, "doc", "README.md", NULL),
                  *beside = g_build_filename (path, "README.md", NULL), *text = NULL;

  if (!(text = disk_read (file, path, DISK_MIB, NULL, NULL)))
    text = disk_read (beside, path, DISK_MIB, NULL, NULL);
  if (!text || !g_utf8_validate (text, -1, NULL))
    return NULL;
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n\n", 3);
  char **p = paragraphs;
  while (*p && **p == '#')
    ++p;
  if (!*p || !**p)
    return NULL;
  g_auto (GStrv) plain = g_strsplit (in_words (g_strdelimit (g_strstrip (*p), "\n", ' ')), "`", -1);
  return g_strjoinv ("", plain);
}

static void
start_add_row (GtkWidget *list, const char *path, bool sample)
{
  GtkWidget *row = active_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *name = g_path_get_basename (path), *story = sample ? story_of (path) : NULL;
  g_autofree char *hint = story ? g_strdup (story) : start_folder_of (path);
  GtkWidget *first = start_label (name, "scope-name"), *second = start_label (hint, "dim-label");

  gtk_label_set_width_chars (GTK_LABEL (first), 24);
  gtk_label_set_max_width_chars (GTK_LABEL (second), 120); /* what there is room for in a large window */
  gtk_label_set_ellipsize (GTK_LABEL (second), story ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_START);
  gtk_box_pack_start (GTK_BOX (box), first, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), second, TRUE, TRUE, 0);
  g_object_set (box, "margin", 7, NULL);
  gtk_container_add (GTK_CONTAINER (row), box);
  gtk_widget_set_tooltip_text (row, story ? story : path);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (path), g_free);
  atk_object_set_name (gtk_widget_get_accessible (row), name);
  gtk_container_add (GTK_CONTAINER (list), row);
  gtk_widget_show_all (row);
}

static void
show_section (GtkWidget *list)
{
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (list));

  gtk_widget_set_visible (gtk_widget_get_parent (list), rows != NULL);
}

static void
start_fill (GtkWidget *page, Start *s)
{
  GList *recent = recent_list (RECENT_TRACES);
  int n = 0;

  clear_children (s->recent);
  clear_children (s->samples);
  for (GList *l = recent; l && n < RECENT; l = l->next, ++n) {
    g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);
    if (path)
      start_add_row (s->recent, path, false);
  }
  g_list_free_full (recent, (GDestroyNotify) gtk_recent_info_unref);

  g_auto (GStrv) samples = places_samples ();
  for (char **path = samples; *path; ++path)
    start_add_row (s->samples, *path, true);
  show_section (s->recent);
  show_section (s->samples);
}

static void
start_on_row (GtkListBox *list, GtkListBoxRow *row, Start *s)
{
  g_autofree char *path = g_strdup (g_object_get_data (G_OBJECT (row), "path"));

  scope_window_open (s->window, path, NULL, NULL);
}

/* A title over a list of rows; gives the list. */
static GtkWidget *
start_section (GtkWidget *column, const char *title, Start *s)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_style_context_add_class (gtk_widget_get_style_context (list), "scope-rows");
  atk_object_set_name (gtk_widget_get_accessible (list), title);
  g_signal_connect (list, "row-activated", G_CALLBACK (start_on_row), s);
  gtk_container_add (GTK_CONTAINER (box), start_label (title, "scope-heading"));
  gtk_container_add (GTK_CONTAINER (box), list);
  gtk_container_add (GTK_CONTAINER (column), box);
  return list;
}

GtkWidget *
start_page_new (ScopeWindow *w)
{
  Start *s = g_new0 (Start, 1);
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL), *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 22);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18), *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *icon = gtk_image_new_from_icon_name (SCOPE_APP_ID, GTK_ICON_SIZE_DIALOG);
  GtkWidget *open = gtk_button_new_with_mnemonic (_ ("_Open a trace…"));

  s->window = w;
  gtk_image_set_pixel_size (GTK_IMAGE (icon), 72);
  gtk_widget_set_valign (words, GTK_ALIGN_CENTER);
  gtk_container_add (GTK_CONTAINER (words), start_label ("Scope", "scope-title"));
  gtk_container_add (GTK_CONTAINER (words), start_label (_ ("Why is my parallel program slow?"), "dim-label"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (open), "win.open");
  gtk_style_context_add_class (gtk_widget_get_style_context (open), "suggested-action");
  gtk_widget_set_valign (open, GTK_ALIGN_CENTER);
  gtk_box_pack_start (GTK_BOX (head), icon, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (head), words, TRUE, TRUE, 0);
  gtk_box_pack_end (GTK_BOX (head), open, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (column), head);
  gtk_container_add (GTK_CONTAINER (column), tour_offer_new (scrolled));
  s->recent = start_section (column, _ ("Recent"), s);
  s->samples = start_section (column, _ ("Samples"), s);
  gtk_container_add (
      GTK_CONTAINER (column),
      start_label (_ ("A trace can also be dropped here, or given to the command: scope NAME.trace"), "dim-label"));
  gtk_widget_set_size_request (column, 620, -1);
  gtk_widget_set_halign (column, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (column, GTK_ALIGN_CENTER);
  g_object_set (column, "margin", 24, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scrolled), column);
  atk_object_set_name (gtk_widget_get_accessible (scrolled), _ ("Start"));
  gtk_widget_show_all (scrolled);
  g_object_set_data_full (G_OBJECT (scrolled), "start", s, g_free);
  g_signal_connect (scrolled, "map", G_CALLBACK (start_fill), s);
  return scrolled;
}
