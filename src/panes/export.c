/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - a view to a file, to the clipboard, to paper. */
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "panes/export-job.h"
#include "eve/words.h"
#include "panes/pane.h"
#include "eve/disk.h"
#include "session/places.h"

#define PICTURE_MOST_BYTES (UINT64_C (1) << 30)
#define COPIED_SCALE 2 /* px of the clipboard for each on the screen */

/* ---- to a file ----------------------------------------------------------------------------------------- */

static const struct Kind {
  const char *name, *ending; /* "": a folder of pictures */
  ExportMoves moves;
} kinds[] = { { N_ ("Picture (PNG)"), ".png", EXPORT_STILL },
              { N_ ("Drawing (SVG)"), ".svg", EXPORT_STILL },
              { N_ ("Page (PDF)"), ".pdf", EXPORT_STILL },
              { N_ ("Table (CSV)"), ".csv", EXPORT_STILL },
              { N_ ("Time goes on (GIF)"), ".gif", EXPORT_PLAYED },
              { N_ ("Time goes on (WebM)"), ".webm", EXPORT_PLAYED },
              { N_ ("Time goes on (folder of PNG)"), "", EXPORT_PLAYED },
              { N_ ("Seen all round (GIF)"), ".gif", EXPORT_TURNED },
              { N_ ("Seen all round (WebM)"), ".webm", EXPORT_TURNED },
              { N_ ("Seen all round (folder of PNG)"), "", EXPORT_TURNED } };

static bool
panes_export_is_known (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (*kinds[i].ending != '\0' && g_str_has_suffix (path, kinds[i].ending))
      return true;
  return false;
}

/* Only what can be made is offered. */
static bool
panes_export_is_offered (ScopePicture *p, const struct Kind *k)
{
  g_autofree char *ffmpeg = g_str_equal (k->ending, ".webm") ? g_find_program_in_path ("ffmpeg") : NULL;

#ifndef HAVE_GIF
  if (g_str_equal (k->ending, ".gif"))
    return false;
#endif
  return (ffmpeg != NULL || !g_str_equal (k->ending, ".webm"))
         && (k->moves != EXPORT_TURNED || view_camera (picture_component (p)) != NULL);
}

static const struct Kind *
chosen_kind (GtkComboBox *combo)
{
  const char *id = gtk_combo_box_get_active_id (combo);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i].name, id) == 0)
      return &kinds[i];
  return &kinds[0];
}

/* The name goes along with the kind that is chosen; only pictures have pixels to count. */
static void
panes_export_on_kind (GtkComboBox *combo, GtkFileChooser *chooser)
{
  g_autofree char *name = gtk_file_chooser_get_current_name (chooser), *other = NULL;
  const char *ending = chosen_kind (combo)->ending;
  GtkWidget *scale = g_object_get_data (G_OBJECT (combo), "scale");

  if (panes_export_is_known (name))
    *strrchr (name, '.') = '\0';
  other = g_strconcat (name, ending, NULL);
  gtk_file_chooser_set_current_name (chooser, other);
  gtk_widget_set_sensitive (scale, g_str_equal (ending, ".png") || *ending == '\0');
}

static GtkWidget *
panes_export_add_choice (GtkWidget *row, const char *label, const char *name)
{
  GtkWidget *combo = gtk_combo_box_text_new (), *text = gtk_label_new_with_mnemonic (label);

  gtk_label_set_mnemonic_widget (GTK_LABEL (text), combo);
  atk_object_set_name (gtk_widget_get_accessible (combo), name);
  gtk_container_add (GTK_CONTAINER (row), text);
  gtk_container_add (GTK_CONTAINER (row), combo);
  return combo;
}

/* What moves in a file of that name, if such a kind was chosen. */
static ExportMoves
moves_of (const char *path, const struct Kind *chosen)
{
  if (g_str_has_suffix (path, chosen->ending))
    return chosen->moves;
  return g_str_has_suffix (path, ".gif") || g_str_has_suffix (path, ".webm") ? EXPORT_PLAYED : EXPORT_STILL;
}

/* Where to, how many px of a .png for each on the screen, and of what kind; NULL: given up. */
static char *
ask_path (ScopePicture *p, double *scale, struct Kind *of)
{
  static const char *const scales[] = { "1", "2", "4", "8" };
  GtkWidget *dialog = gtk_file_chooser_dialog_new (_ ("Export"), GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (p))),
                                                   GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Cancel"), GTK_RESPONSE_CANCEL,
                                                   _ ("_Export"), GTK_RESPONSE_ACCEPT, NULL);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *kind = panes_export_add_choice (row, _ ("_As:"), _ ("Kind of file")),
            *size = panes_export_add_choice (row, _ ("_Scale:"), _ ("Scale"));
  g_autofree char *name = g_strdup_printf ("%s.png", in_words (eve_name (picture_component (p))));
  char *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (panes_export_is_offered (p, &kinds[i]))
      gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (kind), kinds[i].name, in_words (kinds[i].name));
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
    g_autofree char *text = g_strdup_printf ("%s\303\227", scales[i]);
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (size), scales[i], text);
  }
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (kind), kinds[0].name);
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (size), "2");
  g_object_set_data (G_OBJECT (kind), "scale", size);
  g_signal_connect (kind, "changed", G_CALLBACK (panes_export_on_kind), dialog);
  gtk_widget_show_all (row);
  gtk_file_chooser_set_extra_widget (GTK_FILE_CHOOSER (dialog), row);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  bool accepted = gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT;
  /* There is none where what is listed is no folder, as what was used last, and nothing is chosen of it. */
  if (accepted && !(path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog))) && picture_is_alive (p))
    scope_document_say (picture_document (p), SCOPE_SAY_ERROR, _ ("Nothing is written: no file was named"));
  if (path != NULL) {
    *of = *chosen_kind (GTK_COMBO_BOX (kind));
    if (!panes_export_is_known (path)) {
      char *whole = g_strconcat (path, of->ending, NULL);
      g_free (path);
      path = whole;
    } else if (*of->ending == '\0') { /* a folder, though it was typed as a picture */
      *strrchr (path, '.') = '\0';
    }
    of->moves = moves_of (path, of);
    of->ending = *of->ending == '\0' ? "" : strrchr (path, '.');
    *scale = *of->ending == '\0' || g_str_equal (of->ending, ".png")
                 ? g_ascii_strtod (gtk_combo_box_get_active_id (GTK_COMBO_BOX (size)), NULL)
                 : 1;
  }
  gtk_widget_destroy (dialog);
  return path;
}

static bool
put_in_place (ScopeDocument *d, const char *made, const char *path, GError **error)
{
  if (!places_may_write (path, error))
    return false;
  if (g_rename (made, path) != 0) {
    int why = errno;
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (why), "%s",
                 why == ENOTEMPTY || why == EEXIST ? _ ("there is such a folder already") : g_strerror (why));
    return false;
  }
  scope_document_say (d, SCOPE_SAY_NOTE, _ ("Written: %s"), path);
  return true;
}

void
export_ask (ScopePicture *p)
{
  G_GNUC_UNUSED g_autoptr (ScopePicture) keep = g_object_ref (p);
  double scale = 1;
  struct Kind of = { 0 };
  g_autofree char *path = ask_path (p, &scale, &of), *folder = path != NULL ? g_path_get_dirname (path) : NULL;

  if (path != NULL && picture_is_alive (p))
    export_job (p, path, of.ending, folder, scale, of.moves, put_in_place);
}

/* ---- to the clipboard ---------------------------------------------------------------------------------- */

/* The file as it is: who pastes gets it at once, and nobody turns it into pixels and back. */
static void
panes_export_on_pasted (GtkClipboard *clipboard, GtkSelectionData *to, guint info, gpointer data)
{
  gsize n;
  const guchar *bytes = g_bytes_get_data (data, &n);

  gtk_selection_data_set (to, gdk_atom_intern_static_string ("image/png"), 8, bytes, (gint) n);
}

static void
panes_export_on_other_copied (GtkClipboard *clipboard, gpointer data)
{
  g_bytes_unref (data);
}

static bool
put_in_clipboard (ScopeDocument *d, const char *made, const char *what, GError **error)
{
  GtkClipboard *clipboard = gtk_clipboard_get (GDK_SELECTION_CLIPBOARD);
  char *bytes;
  gsize n;

  if (!(bytes = disk_read (made, NULL, PICTURE_MOST_BYTES, &n, error)))
    return false;
  gtk_clipboard_set_with_data (clipboard, &(GtkTargetEntry){ (char *) "image/png", 0, 0 }, 1, panes_export_on_pasted,
                               panes_export_on_other_copied, g_bytes_new_take (bytes, n));
  gtk_clipboard_set_can_store (clipboard, NULL, 0); /* so that it outlives the window */
  scope_document_say (d, SCOPE_SAY_NOTE, _ ("%s is in the clipboard"), what);
  return true;
}

void
export_copy (ScopePicture *p)
{
  g_autofree char *what = g_strdup_printf (_ ("Picture of %s"), in_words (eve_name (picture_component (p))));

  if (picture_is_alive (p))
    export_job (p, what, ".png", g_get_tmp_dir (), COPIED_SCALE, EXPORT_STILL, put_in_clipboard);
}

/* ---- paper --------------------------------------------------------------------------------------------- */

#define MARGIN_MM 12
#define PT_PX 0.75 /* a px of a picture on paper, pt: 96 to the inch, so that text of 12 px is of 9 pt */

/* In the room of a line at y; gives its height, pt. */
static double
print_line (GtkPrintContext *context, double y, double width, PangoAlignment side, const char *font, const char *text)
{
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  g_autoptr (PangoLayout) layout = gtk_print_context_create_pango_layout (context);
  g_autoptr (PangoFontDescription) description = pango_font_description_from_string (font);
  int height;

  pango_layout_set_font_description (layout, description);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_alignment (layout, side);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, NULL, &height);
  cairo_move_to (cr, side == PANGO_ALIGN_RIGHT ? gtk_print_context_get_width (context) - width : 0, y);
  pango_cairo_show_layout (cr, layout);
  return (double) height / PANGO_SCALE;
}

/* What is shown, in the shape of the page.  It is vectors, and made while a dialog is open anyway: no work for another
 * process. */
static void
draw_page (GtkPrintOperation *op, GtkPrintContext *context, int page, ScopePicture *p)
{
  ScopeDocument *d = picture_document (p);
  cairo_t *cr = gtk_print_context_get_cairo_context (context);
  double width = gtk_print_context_get_width (context), height = gtk_print_context_get_height (context), head;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *caption = NULL, *title = NULL, *date = g_date_time_format (now, "%e %B %Y");
  g_autoptr (GError) error = NULL;
  ViewScene scene;

  if (!picture_is_alive (p))
    return;
  caption = picture_caption (p, true);
  title = g_strdup_printf ("%s \302\267 %s", scope_document_title (d), in_words (eve_name (picture_component (p))));
  print_line (context, 0, width * 0.3, PANGO_ALIGN_RIGHT, "sans 9", g_strchug (date));
  head = print_line (context, 0, width * 0.68, PANGO_ALIGN_LEFT, "sans bold 11", title);
  head += print_line (context, head, width, PANGO_ALIGN_LEFT, "sans 9", caption) + 10;
  picture_scene (p, &scene);
  if (!view_is_counted (&scene))
    scene.at = scope_document_cursor (d);
  scene.dark = scene.keyed = false;
  scene.titled = NULL;
  scene.width_px = MAX (width / PT_PX, 50);
  scene.height_px = MAX ((height - head) / PT_PX, 50);
  scene.scale = 4; /* what is painted as an image: 300 to the inch */
  cairo_translate (cr, 0, head);
  cairo_scale (cr, PT_PX, PT_PX);
  cairo_rectangle (cr, 0, 0, scene.width_px, scene.height_px);
  cairo_clip (cr);
  bool entered;
  EveComponent *drawn = picture_enter (p, &entered);
  bool drew = view_draw (drawn, picture_view (p), &scene, cr, &error);
  picture_leave (p, entered);
  if (!drew)
    scope_document_say (d, SCOPE_SAY_ERROR, _ ("It cannot be printed: %s"), error->message);
}

static GtkPageSetup *
landscape (void)
{
  GtkPageSetup *setup = gtk_page_setup_new ();

  gtk_page_setup_set_orientation (setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
  gtk_page_setup_set_top_margin (setup, MARGIN_MM, GTK_UNIT_MM);
  gtk_page_setup_set_bottom_margin (setup, MARGIN_MM, GTK_UNIT_MM);
  gtk_page_setup_set_left_margin (setup, MARGIN_MM, GTK_UNIT_MM);
  gtk_page_setup_set_right_margin (setup, MARGIN_MM, GTK_UNIT_MM);
  return setup;
}

void
export_print (ScopePicture *p)
{
  static GtkPrintSettings *chosen; /* the last time */
  g_autoptr (GtkPrintOperation) op = gtk_print_operation_new ();
  g_autoptr (GtkPageSetup) setup = landscape ();
  g_autoptr (GError) error = NULL;
  g_autofree char *job = g_strdup_printf ("%s %s", scope_document_title (picture_document (p)),
                                          eve_name (picture_component (p)));
  GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (p));
  GtkPrintOperationResult result;

  if (chosen == NULL)
    chosen = gtk_print_settings_new ();
  gtk_print_settings_set (chosen, GTK_PRINT_SETTINGS_OUTPUT_BASENAME, job);
  gtk_print_settings_unset (chosen, GTK_PRINT_SETTINGS_OUTPUT_URI);
  gtk_print_operation_set_print_settings (op, chosen);
  gtk_print_operation_set_default_page_setup (op, setup);
  gtk_print_operation_set_embed_page_setup (op, TRUE);
  gtk_print_operation_set_unit (op, GTK_UNIT_POINTS);
  gtk_print_operation_set_n_pages (op, 1);
  gtk_print_operation_set_job_name (op, job);
  g_signal_connect_object (op, "draw-page", G_CALLBACK (draw_page), p, 0);
  result = gtk_print_operation_run (op, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, GTK_WINDOW (window), &error);
  if (result == GTK_PRINT_OPERATION_RESULT_APPLY)
    g_set_object (&chosen, gtk_print_operation_get_print_settings (op));
  else if (result == GTK_PRINT_OPERATION_RESULT_ERROR)
    scope_document_say (picture_document (p), SCOPE_SAY_ERROR, _ ("It cannot be printed: %s"), error->message);
}
