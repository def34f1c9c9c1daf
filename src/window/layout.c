/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the window is kept with the program (in its note "window", group "shell"; other parts of the window
 * have other groups there), and as it was left last in XDG_STATE_HOME/scope/window, for programs that have none. */
#include <math.h>
#include "window/window.h"
#include "eve/disk.h"

#define GROUP "shell"
#define USUAL_TOP (3 / 8.)

static char *
state_file (void)
{
  return g_build_filename (g_get_user_state_dir (), "scope", "window", NULL);
}

static void
take_int (GKeyFile *f, const char *key, int least, int most, int *to)
{
  g_autoptr (GError) error = NULL;
  int n = g_key_file_get_integer (f, GROUP, key, &error);

  if (!error && n >= least && n <= most)
    *to = n;
}

static void
take_share (GKeyFile *f, const char *key, double *to)
{
  double share = g_key_file_get_double (f, GROUP, key, NULL);

  if (share >= 0.05 && share <= 0.95)
    *to = share;
}

static void
take_bool (GKeyFile *f, const char *key, bool *to)
{
  g_autoptr (GError) error = NULL;
  bool b = g_key_file_get_boolean (f, GROUP, key, &error);

  if (!error)
    *to = b;
}

/* `size`: the window's own size too, which a program does not choose. */
static void
window_layout_take (Layout *l, GKeyFile *f, bool size)
{
  if (size) {
    take_int (f, "width", 400, 16000, &l->width);
    take_int (f, "height", 300, 16000, &l->height);
    take_bool (f, "maximised", &l->maximised);
  }
  take_int (f, "left", 0, 4000, &l->left);
  take_int (f, "right", 0, 4000, &l->right);
  take_share (f, "program-share", &l->top);
  take_bool (f, "library", &l->library);
  take_bool (f, "side", &l->side);
  take_bool (f, "program-only", &l->program_only);
  take_bool (f, "views-only", &l->views_only);
  take_bool (f, "program-folded", &l->folded);
  if (l->program_only && l->views_only) { /* one of them is of the window before; who says both says neither */
    l->program_only = g_key_file_get_boolean (f, GROUP, "program-only", NULL);
    l->views_only = g_key_file_get_boolean (f, GROUP, "views-only", NULL);
    if (l->program_only && l->views_only)
      l->program_only = l->views_only = false;
  }
}

static void
window_layout_put (const Layout *l, GKeyFile *f, bool size)
{
  if (size) {
    g_key_file_set_integer (f, GROUP, "width", l->width);
    g_key_file_set_integer (f, GROUP, "height", l->height);
    g_key_file_set_boolean (f, GROUP, "maximised", l->maximised);
  }
  g_key_file_set_integer (f, GROUP, "left", l->left);
  g_key_file_set_integer (f, GROUP, "right", l->right);
  g_key_file_set_double (f, GROUP, "program-share", round (l->top * 1000) / 1000);
  g_key_file_set_boolean (f, GROUP, "library", l->library);
  g_key_file_set_boolean (f, GROUP, "side", l->side);
  g_key_file_set_boolean (f, GROUP, "program-only", l->program_only);
  g_key_file_set_boolean (f, GROUP, "views-only", l->views_only);
  g_key_file_set_boolean (f, GROUP, "program-folded", l->folded);
}

void
layout_load (Layout *l, const char *note)
{
  g_autofree char *path = state_file ();
  g_autoptr (GKeyFile) last = g_key_file_new (), own = g_key_file_new ();

  if (!note) {
    *l = (Layout){ .width = 1440,
                   .height = 900,
                   .left = 200,
                   .right = 270,
                   .top = USUAL_TOP,
                   .library = true,
                   .side = true,
                   .folded = true };
    if (disk_read_keys (last, path, G_KEY_FILE_NONE))
      window_layout_take (l, last, true);
  } else if (g_key_file_load_from_data (own, note, (gsize) -1, G_KEY_FILE_NONE, NULL))
    window_layout_take (l, own, false);
}

void
layout_keep (const Layout *l)
{
  g_autofree char *path = state_file (), *folder = g_path_get_dirname (path);
  g_autoptr (GKeyFile) f = g_key_file_new ();

  window_layout_put (l, f, true);
  g_mkdir_with_parents (folder, 0700);
  g_key_file_save_to_file (f, path, NULL); /* a window of another size is no harm */
}

char *
layout_note (const Layout *l, const char *note)
{
  g_autoptr (GKeyFile) f = g_key_file_new ();

  g_key_file_load_from_data (f, note, (gsize) -1, G_KEY_FILE_KEEP_COMMENTS, NULL);
  window_layout_put (l, f, false);
  return g_key_file_to_data (f, NULL, NULL);
}
