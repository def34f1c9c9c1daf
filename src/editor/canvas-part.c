/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-part.c - what is selected is saved as a part: a program file whose wires to other boxes are made again where
 * it is added (docs/program-format.md); and parts are added, as the sub-programs that they are. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "editor/canvas-private.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "session/places.h"

/* Names of the boxes outside that the part is wired to, "A, B"; g_free. */
static char *
wired_to (EveProgram *p, const GPtrArray *boxes)
{
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL), seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < boxes->len; i++)
    g_hash_table_add (inside, boxes->pdata[i]);
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    bool from = g_hash_table_contains (inside, w.from), to = g_hash_table_contains (inside, w.to);
    if (from != to && g_hash_table_add (seen, from ? w.to : w.from))
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", eve_name (from ? w.to : w.from));
  }
  return g_strdup (names->str);
}

/* In the folder of the person's own parts, where every program finds it, unless another is chosen. */
static char *
canvas_part_ask (EditorCanvas *w, const char *name)
{
  GtkWidget *dialog = gtk_file_chooser_dialog_new (
      _ ("Save as a part"), GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (w))), GTK_FILE_CHOOSER_ACTION_SAVE,
      _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Save"), GTK_RESPONSE_ACCEPT, NULL);
  g_autofree char *parts = places_parts (),
                  *file = g_strconcat (name, g_str_has_suffix (name, ".eve") ? "" : ".eve", NULL), *path = NULL;

  g_strdelimit (file, "/", '-');
  g_mkdir_with_parents (parts, 0700);
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), parts);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), file);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT)
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
  gtk_widget_destroy (dialog);
  return path && !g_str_has_suffix (path, ".eve") ? g_strconcat (path, ".eve", NULL) : g_steal_pointer (&path);
}

void
canvas_save_part (EditorCanvas *w)
{
  g_autoptr (GPtrArray) frames = g_ptr_array_new (), boxes = canvas_gather_components (w, frames);
  g_autoptr (GError) error = NULL;

  if (!boxes->len) {
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("A part is made of boxes: select those that it shall hold"));
    return;
  }
  EveProgram *p = canvas_program (w);
  g_autofree char *text = clip_part (p, (EveComponent *const *) boxes->pdata, boxes->len, frames);
  g_autofree char *outside = wired_to (p, boxes), *path = canvas_part_ask (w, eve_name (boxes->pdata[0]));
  if (!path)
    return;
  g_autofree char *base = g_filename_display_basename (path);
  if (!places_write (path, text, -1, &error)) {
    scope_document_say (w->d, SCOPE_SAY_ERROR, _ ("The part is not saved: %s"), error->message);
    return;
  }
  base[strlen (base) - strlen (".eve")] = 0;
  scope_document_say (
      w->d, SCOPE_SAY_NOTE,
      _ ("The part %s is saved. Where it is added it is wired to: %s. It stands in the library; a component adds "
         "it by the order “add %s”"),
      base, *outside ? outside : _ ("nothing"), base);
}

/* A name in the folder of the person's own parts that nothing has yet; g_free. */
static char *
free_path (const char *name)
{
  g_autofree char *parts = places_parts (), *clean = g_strdup (name);

  g_strdelimit (clean, "/\n", '-');
  if (*clean == '.')
    *clean = '_';
  g_mkdir_with_parents (parts, 0700);
  for (guint n = 1;; n++) {
    g_autofree char *file = n > 1 ? g_strdup_printf ("%s %u.eve", clean, n) : g_strconcat (clean, ".eve", NULL);
    char *path = g_build_filename (parts, file, NULL);
    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      return path;
    g_free (path);
  }
}

void
canvas_shelve (EditorCanvas *w)
{
  g_autoptr (GPtrArray) frames = g_ptr_array_new (), boxes = canvas_gather_components (w, frames);
  g_autoptr (GError) error = NULL;

  if (!boxes->len) {
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("Select boxes first: they go onto the shelf as a part"));
    return;
  }
  EveProgram *p = canvas_program (w);
  g_autofree char *text = clip_part (p, (EveComponent *const *) boxes->pdata, boxes->len, frames);
  g_autofree char *group = edits_outer_group (p, (EveComponent *const *) boxes->pdata, boxes->len);
  g_autofree char *path = free_path (boxes->len > 1 && group ? group : eve_name (boxes->pdata[0]));
  g_autofree char *base = g_filename_display_basename (path);
  if (!g_file_set_contents (path, text, -1, &error))
    scope_document_say (w->d, SCOPE_SAY_ERROR, _ ("The part is not saved: %s"), error->message);
  else if (shelf_put (GTK_WIDGET (w), w->d, path)) {
    base[strlen (base) - strlen (".eve")] = 0;
    scope_document_say (w->d, SCOPE_SAY_NOTE,
                        P_ ("%2$s is on the shelf: %1$u box with its settings, as a part of yours",
                            "%2$s is on the shelf: %1$u boxes with their settings and wires, as a part of yours",
                            boxes->len),
                        boxes->len, base);
  }
}

/* Boxes that came without a sub-program that holds them all become one, called as the file. */
static void
fold_part (EveProgram *p, const GPtrArray *added, const char *name)
{
  g_autofree char *outer = edits_outer_group (p, (EveComponent *const *) added->pdata, added->len);
  g_autoptr (Notes) n = notes_read (p);
  const Group *g = notes_group_of (n, eve_name (added->pdata[0]));
  for (; g && *g->parent && g_strcmp0 (g->parent, outer) != 0; g = notes_group (n, g->parent))
    ;
  g_autoptr (GPtrArray) all = g && g_strcmp0 (g->name, outer) != 0 ? notes_all_boxes (n, g) : NULL;
  if (all && all->len == added->len)
    edits_fold (p, g->name, false);
  else if (added->len > 1)
    g_free (edits_group (p, (EveComponent *const *) added->pdata, added->len, name));
}

void
canvas_add_part (EditorCanvas *w, const char *path, double wx, double wy)
{
  EveProgram *p = canvas_program (w);
  g_autoptr (GPtrArray) added = g_ptr_array_new (), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_filename_display_basename (path),
                  *text = disk_read (path, NULL, DISK_PROGRAM, NULL, &error);
  guint n_frames = 0;
  double x, y;

  if (g_str_has_suffix (name, ".eve"))
    name[strlen (name) - strlen (".eve")] = 0;
  if (!text) {
    scope_document_say (w->d, SCOPE_SAY_ERROR, _ ("The part %s"), error->message);
    return;
  }
  canvas_to_sketch (w, wx, wy, &x, &y);
  canvas_begin (w, _ ("Add %s"), name);
  ClipPlace place = { true, SKETCH_GRID * round (x / SKETCH_GRID), SKETCH_GRID * round (y / SKETCH_GRID), NULL };
  bool ok = clip_paste (p, text, name, &place, added, &n_frames, problems, &error);
  if (ok && added->len) {
    fold_part (p, added, name);
    canvas_make_room (w, (EveComponent *const *) added->pdata, added->len, n_frames, NULL, NULL);
    canvas_select_new (w, added, 0);
  }
  canvas_end (w);
  if (!ok)
    scope_document_say (w->d, SCOPE_SAY_ERROR, _ ("%s is no part of a program: %s"), name, error->message);
  else if (problems->len)
    scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", (char *) problems->pdata[0]);
  const SketchBox *b = ok && added->len ? sketch_box_of (w->sketch, added->pdata[0]) : NULL;
  if (b)
    canvas_show_place (w, b->x, b->y, b->width, b->height);
}
