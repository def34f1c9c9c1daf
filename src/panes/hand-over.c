/* SPDX-License-Identifier: Apache-2.0 */
/* hand-over.c - what a pane gives other programs: its picture as it is seen, and its table. */
#include "document/hand-over.h"
#include <string.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "panes/panes-private.h"
#include "session/places.h"

#define SCALE 2 /* px of a picture for each on the screen */

static void
scene_of (ScopePicture *p, ViewScene *scene)
{
  picture_scene (p, scene);
  if (!view_is_counted (scene))
    scene->at = scope_document_at (picture_document (p));
  scene->keyed = false; /* no legend stands beside it there */
  scene->scale = SCALE;
}

/* As the file that `scope draw` would write, of what is seen now. */
static char *
picture_as (ScopePicture *p, const char *ending, gsize *n, GError **error)
{
  char *made = places_scratch (NULL, "scope-picture"), *bytes = NULL;
  ViewScene scene;

  if (!made) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, _ ("there is no room for it in %s"), g_get_tmp_dir ());
    return NULL;
  }
  g_autofree char *name = g_strconcat ("picture", ending, NULL), *path = g_build_filename (made, name, NULL);
  scene_of (p, &scene);
  bool entered;
  EveComponent *drawn = picture_enter (p, &entered);
  bool made_it = view_to_file (drawn, &scene, path, error);
  picture_leave (p, entered);
  if (made_it)
    bytes = disk_read (path, NULL, HAND_OVER_MOST, n, error);
  places_scratch_end (made);
  return bytes;
}

char *
picture_give (gpointer picture, const char *kind, gsize *n, GError **error)
{
  ScopePicture *p = picture;
  ViewScene scene;

  if (!picture_is_alive (p)) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, _ ("there is no picture"));
    return NULL;
  }
  if (g_str_equal (kind, "image/png"))
    return picture_as (p, ".png", n, error);
  if (g_str_equal (kind, "image/svg+xml"))
    return picture_as (p, ".svg", n, error);
  GString *text = g_string_new (NULL);
  scene_of (p, &scene);
  if (scene.from > scene.to && picture_sort (p) == PICTURE_TEXT) {
    scene.from = scope_document_source (picture_document (p))->first;
    scene.to = scope_document_source (picture_document (p))->last;
  }
  bool entered;
  EveComponent *drawn = picture_enter (p, &entered);
  bool told = view_csv (drawn, picture_view (p), &scene, text, error);
  picture_leave (p, entered);
  if (!told) {
    g_string_free (text, TRUE);
    return NULL;
  }
  *n = text->len;
  return g_string_free (text, FALSE);
}

static char *
panes_hand_over_name_of (gpointer picture)
{
  return g_strdup (in_words (eve_name (picture_component (picture))));
}

GtkWidget *
picture_hand_over_new (ScopePicture *p)
{
  static const char *const kinds[] = { "image/png", "image/svg+xml", "text/csv", "text/plain", NULL };

  return hand_over_new (picture_document (p), &(HandOver){ kinds, picture_give, panes_hand_over_name_of, p },
                        _ ("Hand over: drag it into another program; a click copies picture and table"));
}

char *
panes_give (gpointer all, const char *view, const char *kind, gsize *n, GError **error)
{
  ScopePane *p = panes_find (all, view);

  if (p)
    return picture_give (pane_picture (p), kind, n, error);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, _ ("there is no view %s, or it is closed"), view);
  return NULL;
}
