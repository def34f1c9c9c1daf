/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - a view to a file, to the clipboard, to paper.
 *
 * A picture costs a frame or so and is made here.  A table may be of millions of lines: `scope draw` makes it, in a process of its own
 * that can be given up, from the same film. */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "panes/pane.h"
#include "views/paint.h"

typedef struct Export {
  ScopeDocument *d;
  char *path, *program; /* a copy of the program as it is now, to be removed */
  GSubprocess *child;
  GtkWidget *dialog, *bar;
  guint pulse;
} Export;

static void
scene_of (ScopePicture *p, ViewScene *scene)
{
  picture_scene (p, scene);
  scene->at = scope_document_cursor (picture_document (p));
}

/* ---- a table ------------------------------------------------------------------------------------------- */

static void
export_free (Export *e)
{
  if (e->pulse != 0)
    g_source_remove (e->pulse);
  if (e->dialog != NULL)
    gtk_widget_destroy (e->dialog);
  if (e->program != NULL)
    unlink (e->program);
  g_clear_object (&e->child);
  g_object_unref (e->d);
  g_free (e->path);
  g_free (e->program);
  g_free (e);
}

static void
on_written (GObject *child, GAsyncResult *result, gpointer data)
{
  Export *e = data;
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;
  bool told = g_subprocess_communicate_utf8_finish (G_SUBPROCESS (child), result, NULL, &said, &error);

  if (told && g_subprocess_get_if_exited (e->child) && g_subprocess_get_exit_status (e->child) == 0)
    scope_document_say (e->d, SCOPE_SAY_NOTE, "Written: %s", e->path);
  else if (told && g_subprocess_get_if_signaled (e->child))
    scope_document_say (e->d, SCOPE_SAY_NOTE, "%s was not written: given up", e->path);
  else
    scope_document_say (e->d, SCOPE_SAY_ERROR, "%s cannot be written: %s", e->path,
                        error != NULL ? error->message : g_strstrip (said != NULL ? said : (said = g_strdup ("no reason was given"))));
  export_free (e);
}

static gboolean
show_progress (gpointer data)
{
  Export *e = data;

  if (e->dialog == NULL) /* its window was closed */
    return e->pulse = 0, G_SOURCE_REMOVE;
  if (!gtk_widget_get_visible (e->dialog))
    gtk_widget_show_all (e->dialog);
  gtk_progress_bar_pulse (GTK_PROGRESS_BAR (e->bar));
  return G_SOURCE_CONTINUE;
}

static void
on_give_up (GtkDialog *dialog, int answer, Export *e)
{
  g_subprocess_force_exit (e->child);
}

static void
make_dialog (Export *e, GtkWidget *over)
{
  GtkWidget *box;
  g_autofree char *name = g_path_get_basename (e->path), *title = g_strdup_printf ("Writing %s", name);

  e->dialog = gtk_dialog_new_with_buttons (title, GTK_WINDOW (gtk_widget_get_toplevel (over)), GTK_DIALOG_DESTROY_WITH_PARENT,
                                           "_Give Up", GTK_RESPONSE_CANCEL, NULL);
  g_signal_connect (e->dialog, "destroy", G_CALLBACK (gtk_widget_destroyed), &e->dialog);
  e->bar = gtk_progress_bar_new ();
  box = gtk_dialog_get_content_area (GTK_DIALOG (e->dialog));
  gtk_container_set_border_width (GTK_CONTAINER (box), 12);
  gtk_box_set_spacing (GTK_BOX (box), 8);
  gtk_container_add (GTK_CONTAINER (box), gtk_label_new (title));
  gtk_container_add (GTK_CONTAINER (box), e->bar);
  g_signal_connect (e->dialog, "response", G_CALLBACK (on_give_up), e);
}

static char *
scope_command (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL), *folder = g_path_get_dirname (self != NULL ? self : ".");
  char *beside = g_build_filename (folder, "scope", NULL);

  if (g_file_test (beside, G_FILE_TEST_IS_EXECUTABLE))
    return beside;
  g_free (beside);
  return g_strdup ("scope");
}

static char *
seconds (const TraceSource *s, int64_t date)
{
  char text[64];

  trace_clock_print (&s->clock, date, text, sizeof text);
  return g_strdup (text);
}

static void
write_table (ScopePicture *p, const char *path)
{
  ScopeDocument *d = picture_document (p);
  const TraceSource *s = scope_document_source (d);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = eve_program_text (scope_document_program (d));
  g_autoptr (GError) error = NULL;
  Export *e = g_new0 (Export, 1);
  ViewScene scene;
  int fd = g_file_open_tmp ("scope-XXXXXX.eve", &e->program, &error);

  e->d = g_object_ref (d);
  e->path = g_strdup (path);
  scene_of (p, &scene);
  if (fd >= 0)
    close (fd);
  if (fd < 0 || !g_file_set_contents (e->program, text, -1, &error)) {
    scope_document_say (d, SCOPE_SAY_ERROR, "%s cannot be written: %s", path, error->message);
    export_free (e);
    return;
  }
#define WORD(w) g_ptr_array_add (words, w)
  WORD (scope_command ());
  WORD (g_strdup ("draw"));
  WORD (g_strdup (scope_document_trace (d)));
  WORD (g_strdup ("--format"));
  WORD (g_strdup (s->format->name));
  WORD (g_strdup ("--program"));
  WORD (g_strdup (e->program));
  WORD (g_strdup ("--view"));
  WORD (g_strdup (eve_name (picture_component (p))));
  WORD (g_strdup ("--at"));
  WORD (seconds (s, scene.at));
  if (picture_sort (p) == PICTURE_TEXT || scene.from <= scene.to) {
    bool all = scene.from > scene.to;
    WORD (g_strdup ("--from"));
    WORD (seconds (s, all ? s->first : scene.from));
    WORD (g_strdup ("--to"));
    WORD (seconds (s, all ? s->last : scene.to));
  }
  WORD (g_strdup ("--csv"));
  WORD (g_strdup ("-o"));
  WORD (g_strdup (path));
  g_ptr_array_add (words, NULL);
#undef WORD
  e->child = g_subprocess_newv ((const char *const *)words->pdata, G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  if (e->child == NULL) {
    scope_document_say (d, SCOPE_SAY_ERROR, "%s cannot be written: %s", path, error->message);
    export_free (e);
    return;
  }
  make_dialog (e, GTK_WIDGET (p));
  e->pulse = g_timeout_add (400, show_progress, e);
  g_subprocess_communicate_utf8_async (e->child, NULL, NULL, on_written, e);
}

/* ---- a picture ----------------------------------------------------------------------------------------- */

static void
write_picture (ScopePicture *p, const char *path)
{
  ScopeDocument *d = picture_document (p);
  g_autoptr (GError) error = NULL;
  ViewScene scene;

  scene_of (p, &scene);
  scene.dark = false; /* for paper and reports */
  scene.scale = g_str_has_suffix (path, ".png") ? 2 : 1;
  if (view_to_file (picture_component (p), &scene, path, &error))
    scope_document_say (d, SCOPE_SAY_NOTE, "Written: %s", path);
  else
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
}

static char *
ask_path (ScopePicture *p)
{
  static const struct {
    const char *name, *ending;
  } kinds[] = { { "Picture (PNG)", ".png" }, { "Drawing (SVG)", ".svg" }, { "Page (PDF)", ".pdf" }, { "Table (CSV)", ".csv" } };
  GtkWidget *dialog = gtk_file_chooser_dialog_new ("Export", GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (p))),
                                                   GTK_FILE_CHOOSER_ACTION_SAVE, "_Cancel", GTK_RESPONSE_CANCEL, "_Export",
                                                   GTK_RESPONSE_ACCEPT, NULL);
  GtkWidget *combo = gtk_combo_box_text_new (), *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *name = g_strdup_printf ("%s.png", eve_name (picture_component (p)));
  char *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), kinds[i].ending, kinds[i].name);
  gtk_combo_box_set_active (GTK_COMBO_BOX (combo), 0);
  gtk_container_add (GTK_CONTAINER (row), gtk_label_new ("As, if the name does not say:"));
  gtk_container_add (GTK_CONTAINER (row), combo);
  gtk_widget_show_all (row);
  gtk_file_chooser_set_extra_widget (GTK_FILE_CHOOSER (dialog), row);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT) {
    bool known = false;
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
      known = known || g_str_has_suffix (path, kinds[i].ending);
    if (!known) {
      char *whole = g_strconcat (path, gtk_combo_box_get_active_id (GTK_COMBO_BOX (combo)), NULL);
      g_free (path);
      path = whole;
    }
  }
  gtk_widget_destroy (dialog);
  return path;
}

void
export_ask (ScopePicture *p)
{
  G_GNUC_UNUSED g_autoptr (ScopePicture) keep = g_object_ref (p);
  g_autofree char *path = ask_path (p);

  if (path == NULL || picture_component (p) == NULL)
    return;
  if (g_str_has_suffix (path, ".csv"))
    write_table (p, path);
  else
    write_picture (p, path);
}

void
export_copy (ScopePicture *p)
{
  cairo_surface_t *image;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  ViewScene scene;
  cairo_t *cr;

  scene_of (p, &scene);
  scene.dark = false;
  scene.scale = 2;
  image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int)(scene.width_px * 2), (int)(scene.height_px * 2));
  cr = cairo_create (image);
  cairo_scale (cr, 2, 2);
  if (!picture_view (p)->draw (picture_component (p), &scene, cr, &error)) {
    scope_document_say (picture_document (p), SCOPE_SAY_ERROR, "%s", error->message);
  } else {
    pixbuf = gdk_pixbuf_get_from_surface (image, 0, 0, cairo_image_surface_get_width (image), cairo_image_surface_get_height (image));
    gtk_clipboard_set_image (gtk_widget_get_clipboard (GTK_WIDGET (p), GDK_SELECTION_CLIPBOARD), pixbuf);
    scope_document_say (picture_document (p), SCOPE_SAY_NOTE, "The picture of %s is in the clipboard", eve_name (picture_component (p)));
  }
  cairo_destroy (cr);
  cairo_surface_destroy (image);
}

/* ---- paper --------------------------------------------------------------------------------------------- */

/* As large as the page lets it be, with what it is of above. */
static void
draw_page (GtkPrintOperation *op, GtkPrintContext *context, int page, ScopePicture *p)
{
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  double width = gtk_print_context_get_width (context), height = gtk_print_context_get_height (context), head, fit;
  g_autoptr (PangoLayout) layout = gtk_print_context_create_pango_layout (context);
  g_autoptr (PangoFontDescription) font = pango_font_description_from_string ("sans 10");
  g_autofree char *caption = picture_caption (p), *title = NULL;
  g_autoptr (GError) error = NULL;
  ViewScene scene;
  int lines;

  title = g_strdup_printf ("%s \u2013 %s, %s", scope_document_title (picture_document (p)), eve_name (picture_component (p)), caption);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, title, -1);
  pango_layout_get_size (layout, NULL, &lines);
  pango_cairo_show_layout (cr, layout);
  head = (double)lines / PANGO_SCALE * 1.6;
  scene_of (p, &scene);
  scene.dark = false;
  scene.scale = 1;
  fit = MIN (width / scene.width_px, (height - head) / scene.height_px);
  cairo_translate (cr, 0, head);
  cairo_scale (cr, fit, fit);
  if (!picture_view (p)->draw (picture_component (p), &scene, cr, &error))
    scope_document_say (picture_document (p), SCOPE_SAY_ERROR, "%s", error->message);
}

void
export_print (ScopePicture *p)
{
  g_autoptr (GtkPrintOperation) op = gtk_print_operation_new ();
  g_autoptr (GtkPageSetup) setup = gtk_page_setup_new ();
  g_autoptr (GError) error = NULL;

  gtk_page_setup_set_orientation (setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
  gtk_print_operation_set_default_page_setup (op, setup);
  gtk_print_operation_set_n_pages (op, 1);
  gtk_print_operation_set_job_name (op, eve_name (picture_component (p)));
  g_signal_connect_object (op, "draw-page", G_CALLBACK (draw_page), p, 0);
  if (gtk_print_operation_run (op, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG,
                               GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (p))), &error)
      == GTK_PRINT_OPERATION_RESULT_ERROR)
    scope_document_say (picture_document (p), SCOPE_SAY_ERROR, "It cannot be printed: %s", error->message);
}
