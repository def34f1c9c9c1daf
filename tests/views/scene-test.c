/* SPDX-License-Identifier: Apache-2.0 */
/* scene-test.c - a scene as the window has it: a picture that takes long comes in slices and is the same as the one
 * that is made at once, a movement ends that, pictures are given back.
 *
 *     scene-test            as a test
 *     scene-test FRAMES     draws so many, of two scenes by turns, and looks whether memory grows: by hand */
#include <dlfcn.h>
#include <glib/gstdio.h>
#include <link.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "session/places.h"
#include "session/session.h"
#include "views/drawing.h"
#include "views/scene/model.h"
#include "views/view-camera.h"

#define SURFACELESS 0x31dd /* EGL_PLATFORM_SURFACELESS_MESA: the display that scenes are drawn with */
#define TASKS 6000
#define WIDTH 320
#define HEIGHT 240
#define MARKS 4000
#define SLICES_MOST 100000

static char *folder;

typedef struct Stage {
  Session *s;
  EveComponent *c;
  const View *view;
  const ViewCamera *camera;
  ViewColours *colours;
  ViewScene scene;
} Stage;

static void
begin_with (Stage *stage, uint32_t tasks, uint64_t records)
{
  g_autofree char *trace = g_strdup_printf ("%s/t%u.trace", folder, tasks),
                  *data = g_strdup_printf ("%s/t%u.tapepvm", trace, tasks),
                  *program = places_offered ("tapepvm", "scene.eve");
  TraceSynth what = { .tasks = tasks, .records = records, .seed = 1 };
  GError *error = NULL;

  g_mkdir_with_parents (trace, 0777);
  g_assert_true (trace_format_find ("tapepvm", &error)->synth (data, &what, &error));
  stage->s = session_open (&(SessionOptions){ .trace = trace, .program = program }, &error);
  g_assert_no_error (error);
  g_assert_true (session_go_until (stage->s, stage->s->first + (stage->s->last - stage->s->first) / 2, &error));
  stage->c = eve_find (stage->s->program, "Scene");
  stage->view = view_get (stage->c);
  stage->camera = view_camera (stage->c);
  stage->colours = view_colours_load ();
  stage->scene = (ViewScene){ .width_px = WIDTH,
                              .height_px = HEIGHT,
                              .scale = 1,
                              .from = 1,
                              .to = 0,
                              .at = stage->s->first + (stage->s->last - stage->s->first) / 2,
                              .source = stage->s->source,
                              .colours = stage->colours,
                              .event = UINT64_MAX };
  g_assert_true (session_scene (stage->s, stage->c, &stage->scene, &error));
}

static void
begin (Stage *stage, uint32_t tasks)
{
  begin_with (stage, tasks, 6 * (uint64_t) tasks);
}

static void
end (Stage *stage)
{
  view_colours_free (stage->colours);
  session_free (stage->s);
}

/* The picture as the window asks for it; *unfinished: it stands in for another. */
static cairo_surface_t *
draw (Stage *stage, double budget_ms, bool again, bool *unfinished)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  GError *error = NULL;

  stage->scene.budget_ms = budget_ms;
  stage->scene.again = again;
  Drawing *d = drawing_new (&stage->scene, cr, MARKS);
  g_assert_true (view_build (stage->c, stage->view, &stage->scene, d, &error));
  g_assert_no_error (error);
  drawing_end (d);
  *unfinished = drawing_is_unfinished (d);
  drawing_free (d);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  return image;
}

static cairo_surface_t *
finish (Stage *stage, uint32_t *slices)
{
  bool unfinished = true;
  cairo_surface_t *image = NULL;

  for (*slices = 0; unfinished; ++*slices) {
    g_assert_cmpuint (*slices, <, SLICES_MOST);
    g_clear_pointer (&image, cairo_surface_destroy);
    image = draw (stage, 0.01, true, &unfinished);
  }
  return image;
}

static bool
same (cairo_surface_t *a, cairo_surface_t *b)
{
  return memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (b), 4 * WIDTH * HEIGHT) == 0;
}

static void
test_slices (void)
{
  static const char *const renderings[] = { "smooth", "hidden lines", "boxes", "wire" };
  bool unfinished;
  uint32_t slices;
  Stage stage;

  begin (&stage, TASKS);
  for (size_t i = 0; i < G_N_ELEMENTS (renderings); i++) {
    g_assert_true (eve_set (stage.c, "rendering", renderings[i], NULL));
    cairo_surface_t *whole = draw (&stage, 0, false, &unfinished);
    g_assert_false (unfinished);
    cairo_surface_t *less = draw (&stage, 0.01, false, &unfinished);
    g_assert_true (unfinished);
    g_assert_false (same (less, whole));
    cairo_surface_t *last = finish (&stage, &slices);
    g_assert_cmpuint (slices, >, 2); /* of 2048 objects each, or fewer */
    g_assert_true (same (last, whole));
    cairo_surface_destroy (whole);
    cairo_surface_destroy (less);
    cairo_surface_destroy (last);
  }
  end (&stage);
}

static void
test_a_movement_ends_them (void)
{
  bool unfinished;
  uint32_t slices;
  Stage stage;

  begin (&stage, TASKS);
  cairo_surface_t *whole = draw (&stage, 0, false, &unfinished), *image = draw (&stage, 0.01, false, &unfinished);
  cairo_surface_destroy (image);
  image = draw (&stage, 0.01, true, &unfinished);
  g_assert_true (unfinished);
  cairo_surface_destroy (image);
  stage.camera->move (stage.c, &stage.scene, VIEW_CAMERA_ORBIT, 60, 10, NAN, NAN);
  image = draw (&stage, 0.01, false, &unfinished); /* what moves is never waited for */
  g_assert_false (unfinished);
  cairo_surface_destroy (image);
  g_autofree char *value = NULL;
  EveComponent *of = NULL;
  g_assert_cmpstr (stage.camera->settle (stage.c, &of, &value), ==, "camera");
  g_assert_true (of == stage.c && eve_set (of, "camera", value, NULL));
  image = draw (&stage, 0.01, false, &unfinished);
  g_assert_true (unfinished);
  cairo_surface_destroy (image);
  image = finish (&stage, &slices);
  cairo_surface_t *there = draw (&stage, 0, false, &unfinished);
  g_assert_true (same (image, there));
  g_assert_false (same (image, whole));
  cairo_surface_destroy (image);
  /* another picture in between: it is begun again, and ends well */
  image = draw (&stage, 0.01, false, &unfinished);
  cairo_surface_destroy (image);
  image = draw (&stage, 0, false, &unfinished);
  cairo_surface_destroy (image);
  image = draw (&stage, 0.01, true, &unfinished);
  g_assert_true (unfinished);
  cairo_surface_destroy (image);
  image = finish (&stage, &slices);
  g_assert_true (same (image, there));
  cairo_surface_destroy (image);
  cairo_surface_destroy (there);
  cairo_surface_destroy (whole);
  end (&stage);
}

/* From one pixel on; what is too large for one part is made of several. */
static void
test_sizes (void)
{
  static const double sizes[][2] = { { 1, 1 }, { 2, 500 }, { 500, 2 }, { 4500, 40 } };
  GError *error = NULL;
  Stage stage;

  begin (&stage, 50);
  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int dark = 0; dark <= 1; dark++) {
      cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) sizes[i][0], (int) sizes[i][1]);
      cairo_t *cr = cairo_create (image);
      stage.scene.width_px = sizes[i][0], stage.scene.height_px = sizes[i][1];
      stage.scene.dark = dark;
      g_assert_true (view_draw (stage.c, stage.view, &stage.scene, cr, &error));
      g_assert_no_error (error);
      g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
      cairo_destroy (cr);
      cairo_surface_destroy (image);
    }
  end (&stage);
}

/* Drivers stay loaded when EGL ends: else what they keep for the life of the process looks like a leak. */
static int
keep_loaded (struct dl_phdr_info *info, size_t size, void *unused)
{
  if (strstr (info->dlpi_name, "_dri.so") != NULL || strstr (info->dlpi_name, "gallium") != NULL)
    dlopen (info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  return 0;
}

/* Everything on the card is gone, as after a reset of it: the next picture is made anew, and is the same. */
static void
test_the_context_is_lost (void)
{
  bool unfinished;
  Stage stage;

  begin (&stage, 50);
  cairo_surface_t *before = draw (&stage, 0, false, &unfinished);
  void *egl = dlopen ("libEGL.so.1", RTLD_LAZY);
  void *(*get_display) (unsigned, void *, const intptr_t *) = (void *(*) (unsigned, void *, const intptr_t *) ) dlsym (
      egl, "eglGetPlatformDisplay");
  unsigned (*terminate) (void *) = (unsigned (*) (void *)) dlsym (egl, "eglTerminate");
  g_assert_true (get_display != NULL && terminate != NULL);
  dl_iterate_phdr (keep_loaded, NULL);
  g_assert_true (terminate (get_display (SURFACELESS, NULL, NULL)));
  cairo_surface_t *after = draw (&stage, 0, false, &unfinished);
  g_assert_true (same (before, after));
  cairo_surface_destroy (before);
  cairo_surface_destroy (after);
  end (&stage);
}

/* Two that are drawn by turns: neither is in the other's way. */
static void
test_two (void)
{
  Stage stages[2];
  cairo_surface_t *at_once[2], *by_turns[2] = { NULL, NULL };
  uint32_t alone[2], slices[2] = { 0, 0 };
  bool unfinished[2] = { true, true }, whole;

  for (int i = 0; i < 2; i++) {
    GError *error = NULL;
    begin (&stages[i], TASKS);
    g_assert_true (eve_set (stages[i].c, "layout", i == 0 ? "ball" : "mesh", &error));
    at_once[i] = draw (&stages[i], 0, false, &whole);
    g_assert_false (whole);
    cairo_surface_destroy (draw (&stages[i], 0.01, false, &whole));
    g_assert_true (whole);
    cairo_surface_t *image = finish (&stages[i], &alone[i]);
    g_assert_true (same (image, at_once[i]));
    cairo_surface_destroy (image);
  }
  for (int i = 0; i < 2; i++)
    cairo_surface_destroy (draw (&stages[i], 0.01, false, &whole));
  while (unfinished[0] || unfinished[1])
    for (int i = 0; i < 2; i++)
      if (unfinished[i]) {
        g_clear_pointer (&by_turns[i], cairo_surface_destroy);
        by_turns[i] = draw (&stages[i], 0.01, true, &unfinished[i]);
        g_assert_cmpuint (++slices[i], <=, alone[i]); /* none was drawn twice */
      }
  for (int i = 0; i < 2; i++) {
    g_assert_true (same (by_turns[i], at_once[i]));
    cairo_surface_destroy (by_turns[i]);
    cairo_surface_destroy (at_once[i]);
    end (&stages[i]);
  }
}

/* Where a person looks on, tasks glide to their new places, and what they come to is what is drawn at once elsewhere;
 * where the next change comes soon, as in what is played, they are there at once. */
static void
test_glide (void)
{
  Stage stage;
  GError *error = NULL;
  bool unfinished;
  uint32_t pictures = 0;

  begin (&stage, 40);
  cairo_surface_t *before = draw (&stage, 25, false, &unfinished), *now = NULL;
  g_assert_false (unfinished);
  g_assert_true (eve_set (stage.c, "layout", "ring", &error));
  cairo_surface_t *first = draw (&stage, 25, false, &unfinished);
  g_assert_true (unfinished);
  for (gint64 began = g_get_monotonic_time (); unfinished; pictures++) {
    g_assert_cmpint (g_get_monotonic_time () - began, <, 60 * G_USEC_PER_SEC);
    g_clear_pointer (&now, cairo_surface_destroy);
    now = draw (&stage, 25, true, &unfinished);
  }
  g_assert_cmpuint (pictures, >, 0);
  cairo_surface_t *at_once = draw (&stage, 0, false, &unfinished);
  g_assert_true (same (now, at_once));
  g_assert_false (same (now, before));
  g_assert_false (same (first, at_once));
  /* a file in between has made it forget where they were */
  now = (cairo_surface_destroy (now), draw (&stage, 25, false, &unfinished));
  g_assert_true (eve_set (stage.c, "layout", "ball", &error));
  cairo_surface_destroy (draw (&stage, 25, false, &unfinished));
  g_assert_true (eve_set (stage.c, "layout", "cube", &error));
  cairo_surface_t *hurried = draw (&stage, 25, false, &unfinished), *cube = NULL;
  if (!unfinished) { /* else this machine was so busy that it was no hurry */
    cube = draw (&stage, 0, false, &unfinished);
    g_assert_true (same (hurried, cube));
  }
  cairo_surface_destroy (before);
  cairo_surface_destroy (first);
  cairo_surface_destroy (now);
  cairo_surface_destroy (at_once);
  cairo_surface_destroy (hurried);
  g_clear_pointer (&cube, cairo_surface_destroy);
  end (&stage);
}

typedef struct Spot {
  double at[3];
  bool linked;
} Spot;

static double
distance (const Spot *a, const Spot *b)
{
  return hypot (hypot (a->at[0] - b->at[0], a->at[1] - b->at[1]), a->at[2] - b->at[2]);
}

/* Without a film, as on the way to the first one: all links that there are now say who stands near whom. */
static void
test_graphviz_without_a_film (void)
{
  g_autoptr (GString) table = g_string_new (NULL);
  g_autoptr (GHashTable) spots = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  double near = 0, any = 0;
  guint links = 0, pairs = 0;
  Stage stage;
  GError *error = NULL;

  begin_with (&stage, 40, 4000);
  g_assert_null (stage.scene.film);
  g_assert_true (eve_set (stage.c, "layout", "graphviz", &error));
  g_assert_true (stage.view->csv (stage.c, &stage.scene, table, &error));
  g_auto (GStrv) lines = g_strsplit (table->str, "\r\n", -1);
  for (int pass = 0; pass < 2; pass++)
    for (char **line = lines + 1; *line != NULL; line++) { /* kind, what, other, four more, x, y, z */
      g_auto (GStrv) cells = g_strsplit (*line, ",", 11);
      if (pass == 0 && g_strcmp0 (cells[0], "task") == 0) {
        Spot *spot = g_new0 (Spot, 1);
        for (int k = 0; k < 3; k++)
          spot->at[k] = g_ascii_strtod (cells[7 + k], NULL);
        g_hash_table_insert (spots, g_strdup (cells[1]), spot);
      }
      Spot *a = pass == 1 && g_strcmp0 (cells[0], "link") == 0 ? g_hash_table_lookup (spots, cells[1]) : NULL,
           *b = a != NULL ? g_hash_table_lookup (spots, cells[2]) : NULL;
      if (b != NULL && a != b) {
        a->linked = b->linked = true;
        near += distance (a, b);
        links++;
      }
    }
  g_autoptr (GList) all = g_hash_table_get_values (spots);
  for (GList *i = all; i != NULL; i = i->next)
    for (GList *k = all; k != i; k = k->next)
      if (((Spot *) i->data)->linked && ((Spot *) k->data)->linked) {
        any += distance (i->data, k->data);
        pairs++;
      }
  g_assert_cmpuint (links, >, 10);
  g_assert_cmpuint (pairs, >, links);
  g_test_message ("%g between linked ones, %g between any", near / links, any / pairs);
  g_assert_cmpfloat (near / links, <, 0.8 * any / pairs);
  end (&stage);
}

/* What stands nowhere is left out, and counted. */
static void
test_no_numbers (void)
{
  static const double wrong[] = { NAN, INFINITY, -INFINITY, 1e30 }, size[] = { 1, 1, 1 };
  SceneModel m;
  uint32_t n = 0;

  scene_model_begin (&m);
  for (size_t i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (int k = 0; k < 3; k++) {
      double at[3] = { 0, 0, 0 };
      at[k] = wrong[i];
      g_assert_false (scene_shape (&m, SCENE_SPHERE, at, size, 0, 1, 0));
      g_assert_false (scene_arrow (&m, SCENE_CONE, (const double[]){ 0, 0, 0 }, at, 0.1, 0, 0));
      n += 2;
    }
  g_assert_cmpuint (m.n_nowhere, ==, n);
  g_assert_cmpuint (m.of[SCENE_SPHERE]->len + m.of[SCENE_CONE]->len, ==, 0);
  g_assert_true (scene_shape (&m, SCENE_SPHERE, (const double[]){ 0, 0, 0 }, size, 0, 1, 0));
  scene_model_end (&m);
}

/* More tasks than anybody sees: a picture comes all the same, moving or not, and something is under a point. */
static void
test_million (void)
{
  bool unfinished;
  Stage stage;
  DrawingMark mark;

  begin_with (&stage, 1000000, 1100000);
  cairo_surface_t *whole = draw (&stage, 0, false, &unfinished);
  g_assert_false (unfinished);
  cairo_surface_t *moving = draw (&stage, 40, false, &unfinished);
  bool any = false;
  for (int y = 20; y < HEIGHT && !any; y += 5)
    for (int x = 5; x < WIDTH && !any; x += 5)
      any = stage.view->point (stage.c, &stage.scene, x, y, &mark);
  g_assert_true (any);
  cairo_surface_destroy (whole);
  cairo_surface_destroy (moving);
  end (&stage);
}

/* What was drawn is given back: frames by the thousand need no more than the first ones. */
static void
play (int frames)
{
  Stage stages[2];
  bool unfinished;
  size_t first = 0;

  begin (&stages[0], 50);
  begin (&stages[1], TASKS);
  for (int i = 0; i < frames; i++) {
    Stage *s = &stages[i % 50 == 0];
    DrawingMark mark;
    if (i % 3 != 0)
      s->camera->move (s->c, &s->scene, (ViewCameraMove) (i % 3), 5, 2, NAN, NAN);
    cairo_surface_destroy (draw (s, 5, false, &unfinished));
    if (i % 3 == 0)
      s->view->point (s->c, &s->scene, i % WIDTH, 40 + i % (HEIGHT - 40), &mark);
    if (i % 3 == 2)
      s->camera->cancel (s->c);
    if (i == frames / 2)
      first = mallinfo2 ().uordblks;
  }
  printf ("%d frames; in use after half of them %zu KiB, after all %zu KiB\n", frames, first / 1024,
          mallinfo2 ().uordblks / 1024);
  end (&stages[0]);
  end (&stages[1]);
}

int
main (int argc, char **argv)
{
  g_autofree char *components = places_components (), *remove = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-scene-XXXXXX", NULL);
  eve_registry_add_folder (components);
  int status = 0;
  if (argc > 1) {
    play (atoi (argv[1]));
  } else {
    g_test_add_func ("/scene/slices", test_slices);
    g_test_add_func ("/scene/movement", test_a_movement_ends_them);
    g_test_add_func ("/scene/sizes", test_sizes);
    g_test_add_func ("/scene/lost", test_the_context_is_lost);
    g_test_add_func ("/scene/nowhere", test_no_numbers);
    g_test_add_func ("/scene/glide", test_glide);
    g_test_add_func ("/scene/graphviz", test_graphviz_without_a_film);
    g_test_add_func ("/scene/two", test_two);
    if (g_getenv ("SCOPE_ALL"))
      g_test_add_func ("/scene/million", test_million);
    status = g_test_run ();
  }
  remove = g_strdup_printf ("rm -rf '%s'", folder);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? status : 1;
}
