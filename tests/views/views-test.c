/* SPDX-License-Identifier: Apache-2.0 */
/* views-test.c - the three views on traces made by hand: what is in the pictures, tables and items is what
 * happened. */
#include <glib/gstdio.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "simulators/store.h"
#include "views/history.h"
#include "session/layers.h"
#include "views/associations.h"
#include "views/drawing.h"
#include "views/layer.h"

static const char program_text[] =
    "<?xml version='1.0'?><eve version='1'><component name='Reader' class='scope.tapepvm-reader'/>"
    "<component name='Simulator' class='scope.pvm-simulator'/><component name='Space-time' "
    "class='scope.space-time'/>"
    "<component name='State graph' class='scope.state-graph'/><component name='Trace text' "
    "class='scope.trace-text'/>"
    "<wire from='Reader' out='events' to='Simulator' in='events'/><wire from='Reader' out='events' "
    "to='Trace text' in='events'/>"
    "<wire from='Simulator' out='states' to='Space-time' in='states'/>"
    "<wire from='Simulator' out='messages' to='Space-time' in='messages'/>"
    "<wire from='Simulator' out='messages' to='State graph' in='messages'/></eve>";

static char *folder;

typedef struct Stage {
  char *bundle, *film;
  EveProgram *program;
  TraceSource *source;
  ViewColours *colours;
  ViewScene scene;
} Stage;

static EveComponent *
part (Stage *s, const char *name)
{
  EveComponent *c = eve_find (s->program, name);

  g_assert_nonnull (c);
  g_assert_false (eve_is_ghost (c));
  return c;
}

static const View *
view_of (Stage *s, const char *name)
{
  const View *v = view_get (part (s, name));

  g_assert_nonnull (v);
  return v;
}

static Layers *
keep (Stage *s, const void *places, size_t n_places)
{
  g_autoptr (GError) error = NULL;
  Layers *l = layers_new (s->program, &(LayersOptions){ s->film, false, places, n_places }, &error);

  g_assert_no_error (error);
  return l;
}

static void
keep_end (Layers *l)
{
  g_assert_true (layers_flush (l, INT64_MAX, NULL));
  layers_free (l);
}

static void
open_program (Stage *s)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  s->program = eve_program_parse (program_text, -1, "test", problems, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_true (eve_set (part (s, "Reader"), "trace", s->bundle, &error));
  const TraceReader *reader = eve_query (part (s, "Reader"), "trace-reader/1");
  s->source = reader->source (part (s, "Reader"));
  g_assert_nonnull (s->source);
}

static void
play (Stage *s)
{
  EveRun run = eve_run (s->program, -1);

  g_assert_cmpstr (eve_program_failure (s->program, NULL), ==, NULL);
  g_assert_cmpint (run, ==, EVE_IDLE);
}

static Stage *
stage_new (const char *name, const char *events)
{
  Stage *s = g_new0 (Stage, 1);
  g_autofree char *data = g_strdup_printf ("%s/%s.trace/%s.tapepvm", folder, name, name);
  g_autofree char *file = g_build_filename (data, "events", NULL);

  s->bundle = g_strdup_printf ("%s/%s.trace", folder, name);
  s->film = g_strdup_printf ("%s/%s.film", folder, name);
  g_assert_cmpint (g_mkdir_with_parents (data, 0777), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (s->film, 0777), ==, 0);
  g_assert_true (g_file_set_contents (file, events, -1, NULL));
  open_program (s);
  Layers *layers = keep (s, NULL, 0);
  play (s);
  keep_end (layers);
  g_assert_true (names_write (s->film, s->source, NULL));
  s->colours = view_colours_load ();
  s->scene = (ViewScene){ .width_px = 900,
                          .height_px = 400,
                          .scale = 1,
                          .from = 1,
                          .to = 0,
                          .at = INT64_MIN,
                          .source = s->source,
                          .graph = eve_query (part (s, "Simulator"), "state-graph/1"),
                          .film = s->film,
                          .colours = s->colours,
                          .bundle = s->bundle,
                          .event = UINT64_MAX };
  return s;
}

static void
stage_free (Stage *s)
{
  view_colours_free (s->colours);
  eve_program_free (s->program);
  g_free (s->bundle);
  g_free (s->film);
  g_free (s);
}

/* Three tasks: the first sends to the second, which waits; the third calls something. */
static const char three[] = "#TAPE/PVM 1\n"
                            "1 0 262145 0 0 hostA LINUX 100 -1 prog\n1 0 262146 0 0 hostA LINUX 100 -1 "
                            "prog\n1 0 262147 0 0 hostB LINUX 100 -1 prog\n"
                            "62 50000000 262146 110000000 0 262145 7 262145 7 4096 5\n"
                            "60 100000000 262145 50000000 0 262146 7 4096 0\n"
                            "124 200000000 262147 100000000 0 0\n"
                            "2 400000000 262145 0 0 0\n2 400000000 262146 0 0 0\n2 400000000 262147 0 0 0\n";

static cairo_surface_t *
picture (Stage *s, const char *view)
{
  g_autoptr (GError) error = NULL;
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (s->scene.width_px * s->scene.scale),
                                                       (int) (s->scene.height_px * s->scene.scale));
  cairo_t *cr = cairo_create (image);

  cairo_scale (cr, s->scene.scale, s->scene.scale);
  g_assert_true (view_draw (part (s, view), view_of (s, view), &s->scene, cr, &error));
  g_assert_no_error (error);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  return image;
}

static uint32_t
pixel (cairo_surface_t *image, int x, int y)
{
  const uint8_t *data = cairo_image_surface_get_data (image);
  uint32_t rgb;

  g_assert_cmpint (x, >=, 0);
  g_assert_cmpint (x, <, cairo_image_surface_get_width (image));
  g_assert_cmpint (y, <, cairo_image_surface_get_height (image));
  memcpy (&rgb, data + y * cairo_image_surface_get_stride (image) + 4 * x, 4);
  return rgb & 0xffffff;
}

static void
clear_item (gpointer p)
{
  g_free (((ViewItem *) p)->name);
}

static GArray *
items (Stage *s, const char *view, guint max)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (ViewItem));

  g_array_set_clear_func (found, clear_item);
  g_autoptr (Drawing) d = view_marks (part (s, view), view_of (s, view), &s->scene, max, NULL);
  view_items (part (s, view), view_of (s, view), &s->scene, d, found, max);
  g_assert_cmpuint (found->len, <=, max);
  return found;
}

static char *
table (Stage *s, const char *view)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (view_csv (part (s, view), view_of (s, view), &s->scene, text, &error));
  g_assert_no_error (error);
  return g_string_free (text, FALSE);
}

/* Every interval that the items tell has its state's colour in the picture, light and dark, at every scale.
 */
static void
test_states (void)
{
  static const StateValue words[] = { { "Busy", STATE_SENSE_WORKS },
                                      { "Overhead", STATE_SENSE_COSTS },
                                      { "Idle", STATE_SENSE_WAITS },
                                      { "Talking", STATE_SENSE_TALKS } };
  Stage *s = stage_new ("three", three);

  eve_set (part (s, "Space-time"), "hide messages", "true", NULL);
  for (int round = 0; round < 4; round++) {
    guint seen[4] = { 0 };
    s->scene.dark = round % 2;
    s->scene.scale = 1 + round / 2;
    cairo_surface_t *image = picture (s, "Space-time");
    g_autoptr (GArray) all = items (s, "Space-time", 1000);
    for (guint i = 0; i < all->len; i++) {
      const ViewItem *item = &g_array_index (all, ViewItem, i);
      for (int w = 0; w < 4; w++) {
        g_autofree char *said = g_strdup_printf (": %s from", words[w].name);
        if (strstr (item->name, said) == NULL || item->width < 3)
          continue;
        seen[w]++;
        g_assert_cmphex (pixel (image, (int) ((item->x + item->width / 2) * s->scene.scale),
                                (int) ((item->y + item->height / 2) * s->scene.scale)),
                         ==, view_state_colour (s->colours, STATE_NODE, "State", &words[w], s->scene.dark));
      }
    }
    /* t40001: Busy, Overhead, Busy; t40002: Busy, Idle, Talking, Busy; t40003: Busy, Overhead, Busy */
    g_assert_cmpuint (seen[0], ==, 6);
    g_assert_cmpuint (seen[1], ==, 2);
    g_assert_cmpuint (seen[2], ==, 1);
    g_assert_cmpuint (seen[3], ==, 1);
    cairo_surface_destroy (image);
  }
  stage_free (s);
}

static void
test_tables (void)
{
  Stage *s = stage_new ("three", three);
  g_autofree char *all = table (s, "Space-time");

  g_assert_true (g_str_has_prefix (all, "kind,task,name,state,from [s],to [s],to task,size [B],tag\r\n"));
  g_assert_nonnull (strstr (all, "state,t40001,t40001,Overhead,0.100000,0.150000,,,\r\n"));
  g_assert_nonnull (strstr (all, "state,t40002,t40002,Idle,0.050000,0.150000,,,\r\n"));
  g_assert_nonnull (strstr (all, "state,t40002,t40002,Talking,0.150000,0.160000,,,\r\n"));
  g_assert_nonnull (strstr (all, "message,t40001,t40001,,0.100000,0.160000,t40002,4096,7\r\n"));
  s->scene.from = 210000000;
  s->scene.to = 290000000;
  g_autofree char *some = table (s, "Space-time");
  g_assert_null (strstr (some, "message,"));
  g_assert_nonnull (strstr (some, "state,t40003,t40003,Overhead,0.200000,0.300000,,,\r\n"));
  eve_set (part (s, "Space-time"), "hidden", "t40003", NULL);
  g_autofree char *less = table (s, "Space-time");
  g_assert_null (strstr (less, "t40003"));
  s->scene.event = 3;
  s->scene.from = 1;
  s->scene.to = 0;
  g_autofree char *text = table (s, "Trace text");
  g_assert_true (
      g_str_has_prefix (text, "event,date [s],task,name,kind,sentence\r\n4,0.050000,\"t40002\",\"t40002\",Recv,\""));
  stage_free (s);
}

/* A quarter of the time in calls too short to be seen: a quarter of each column is theirs. */
static void
test_slivers (void)
{
  g_autoptr (GString) events = g_string_new ("#TAPE/PVM 1\n1 0 262145 0 0 hostA LINUX 100 -1 prog\n");
  uint32_t overhead, busy;
  double sum = 0;
  int columns = 0;

  for (int i = 0; i < 40000; i++)
    g_string_append_printf (events, "124 %d 262145 250 0 0\n", 1000 + i * 1000);
  g_string_append (events, "2 40001000 262145 0 0 0\n");
  Stage *s = stage_new ("sliver", events->str);
  cairo_surface_t *image = picture (s, "Space-time");
  g_autoptr (GArray) rows = items (s, "Space-time", 1);
  const ViewItem *row = &g_array_index (rows, ViewItem, 0);
  overhead = view_state_colour (s->colours, STATE_NODE, "State", &(StateValue){ "Overhead", STATE_SENSE_COSTS }, false);
  busy = view_state_colour (s->colours, STATE_NODE, "State", &(StateValue){ "Busy", STATE_SENSE_WORKS }, false);
  for (int x = (int) row->x + 4; x < (int) (row->x + row->width) - 4; x++, columns++) {
    double share = 0;
    for (int y = (int) round (row->y); y < (int) round (row->y + row->height); y++) {
      uint32_t rgb = pixel (image, x, y);
      /* between the two colours, by red */
      share += ((double) (rgb >> 16) - (double) (busy >> 16)) / ((double) (overhead >> 16) - (double) (busy >> 16));
    }
    share /= round (row->y + row->height) - round (row->y);
    g_assert_cmpfloat (fabs (share - 0.25), <, 0.04);
    sum += share;
  }
  g_assert_cmpfloat (fabs (sum / columns - 0.25), <, 0.01);
  cairo_surface_destroy (image);
  stage_free (s);
}

static void
test_same (void)
{
  static const char *const views[] = { "Space-time", "State graph", "Trace text" };
  Stage *s = stage_new ("three", three);

  s->scene.at = 155000000;
  for (size_t i = 0; i < G_N_ELEMENTS (views); i++) {
    cairo_surface_t *a = picture (s, views[i]), *b = picture (s, views[i]), *dark;
    gsize n = (gsize) cairo_image_surface_get_stride (a) * (gsize) cairo_image_surface_get_height (a);
    g_assert_cmpmem (cairo_image_surface_get_data (a), n, cairo_image_surface_get_data (b), n);
    s->scene.dark = true;
    dark = picture (s, views[i]);
    g_assert_cmpint (memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (dark), n), !=, 0);
    g_assert_cmphex (pixel (a, 2, 396), ==, 0xffffff);
    g_assert_cmphex (pixel (dark, 2, 396), ==, 0x1e1f22);
    s->scene.dark = false;
    cairo_surface_destroy (a);
    cairo_surface_destroy (b);
    cairo_surface_destroy (dark);
    /* Drawing again and again keeps nothing. */
    size_t before = mallinfo2 ().uordblks;
    for (int k = 0; k < 60; k++)
      cairo_surface_destroy (picture (s, views[i]));
    g_assert_cmpuint (mallinfo2 ().uordblks, <, before + 200000);
  }
  stage_free (s);
}

/* A picture without cursor, and the cursor over it, are the picture with the cursor: nothing outside of the rectangle
 * that is told changes. */
static void
test_cursor (void)
{
  static const char *const views[] = { "Space-time", "Trace text" };
  Stage *s = stage_new ("three", three);

  s->scene.from = 40000000;
  s->scene.to = 380000000;
  const double width = s->scene.width_px, height = s->scene.height_px;
  for (int round = 0; round < 40; round++) {
    const View *v = view_of (s, views[round % 2]);
    EveComponent *c = part (s, views[round % 2]);
    cairo_rectangle_t where, again;
    bool small = round >= 8; /* as when a pane is opened, or made narrow */
    s->scene.width_px = small ? g_test_rand_int_range (1, 300) : width;
    s->scene.height_px = small ? g_test_rand_int_range (1, 120) : height;
    s->scene.scale = 1 + round / 4 % 2;
    s->scene.dark = round & 2;
    s->scene.at = INT64_MIN;
    g_assert_false (v->depends (c, &s->scene) & VIEW_ON_INSTANT);
    cairo_surface_t *still = picture (s, views[round % 2]), *bare = picture (s, views[round % 2]);
    v->draw_cursor (c, &s->scene, NULL, &where);
    g_assert_cmpfloat (where.width, ==, 0);
    s->scene.at = INT64_C (50000000) + round % 8 * INT64_C (40000000);
    cairo_surface_t *whole = picture (s, views[round % 2]);
    cairo_t *cr = cairo_create (still);
    cairo_scale (cr, s->scene.scale, s->scene.scale);
    v->draw_cursor (c, &s->scene, cr, &where);
    cairo_destroy (cr);
    cairo_surface_flush (still);
    v->draw_cursor (c, &s->scene, NULL, &again);
    g_assert_cmpfloat (where.width, >=, small ? 0 : 1);
    g_assert_cmpfloat (where.height, >=, 0);
    g_assert_cmpfloat (where.x, ==, again.x);
    g_assert_cmpfloat (where.height, ==, again.height);
    gsize n = (gsize) cairo_image_surface_get_stride (still) * (gsize) cairo_image_surface_get_height (still);
    g_assert_cmpmem (cairo_image_surface_get_data (still), n, cairo_image_surface_get_data (whole), n);
    guint changed = 0;
    for (int y = 0; y < cairo_image_surface_get_height (still); y++)
      for (int x = 0; x < cairo_image_surface_get_width (still); x++)
        if (pixel (still, x, y) != pixel (bare, x, y)) {
          changed++;
          g_assert_cmpfloat (x + 1, >, where.x * s->scene.scale);
          g_assert_cmpfloat (x, <, (where.x + where.width) * s->scene.scale);
          g_assert_cmpfloat (y + 1, >, where.y * s->scene.scale);
          g_assert_cmpfloat (y, <, (where.y + where.height) * s->scene.scale);
        }
    g_assert_cmpuint (changed, >=, small ? 0 : 100);
    cairo_surface_destroy (still);
    cairo_surface_destroy (bare);
    cairo_surface_destroy (whole);
  }
  /* of a curve too, of which nothing is known yet */
  EveComponent *curve = eve_add (s->program, eve_registry_find ("scope.curve"), NULL, NULL);
  const View *v = view_get (curve);
  for (int round = 0; round < 100; round++) {
    cairo_rectangle_t where, plot;
    int64_t from, to;
    s->scene.width_px = g_test_rand_int_range (1, 300);
    s->scene.height_px = g_test_rand_int_range (1, 120);
    s->scene.at = INT64_C (200000000);
    g_assert_true (v->plot (curve, &s->scene, &plot, &from, &to));
    g_assert_cmpfloat (plot.height, >=, 0);
    v->draw_cursor (curve, &s->scene, NULL, &where);
    g_assert_cmpfloat (where.width, >, 0);
    g_assert_cmpfloat (where.height, >, 0);
  }
  s->scene.width_px = width;
  s->scene.height_px = height;
  s->scene.from = 1;
  s->scene.to = 0;
  g_assert_true (view_of (s, "Trace text")->depends (part (s, "Trace text"), &s->scene) & VIEW_ON_INSTANT);
  g_assert_true (view_of (s, "State graph")->depends (part (s, "State graph"), &s->scene) & VIEW_ON_INSTANT);
  stage_free (s);
}

/* A task of the state graph is dragged: it stands where it was put, the others stay, and the film stays the one it was.
 */
static void
test_drag (void)
{
  Stage *s = stage_new ("three", three);
  EveComponent *c = part (s, "State graph");
  uint64_t plan = eve_program_plan_hash (s->program);
  g_autofree char *value = NULL;

  g_autoptr (GArray) before = items (s, "State graph", 3);
  const ViewItem *first = &g_array_index (before, ViewItem, 0), *second = &g_array_index (before, ViewItem, 1);
  double x = second->x + second->width / 2 - 30, y = first->y + first->height / 2 + 25;
  const char *setting = view_of (s, "State graph")->drag (c, &s->scene, &first->mark, x, y, &value);
  g_assert_cmpstr (setting, ==, "positions");
  g_assert_true (g_str_has_prefix (value, "t40001 "));
  g_assert_true (eve_set (c, setting, value, NULL));
  g_autoptr (GArray) after = items (s, "State graph", 3);
  const ViewItem *moved = &g_array_index (after, ViewItem, 0), *other = &g_array_index (after, ViewItem, 1);
  g_assert_cmpfloat (fabs (moved->x + moved->width / 2 - x), <, 1);
  g_assert_cmpfloat (fabs (moved->y + moved->height / 2 - y), <, 1);
  g_assert_cmpfloat (fabs (other->x - second->x), <, 0.01);
  g_assert_cmphex (eve_program_plan_hash (s->program), ==, plan);
  stage_free (s);
}

static void
test_files (void)
{
  Stage *s = stage_new ("three", three);
  g_autoptr (GError) error = NULL;
  g_autofree char *svg = g_build_filename (folder, "a.svg", NULL), *png = g_build_filename (folder, "a.png", NULL);
  g_autofree char *pdf = g_build_filename (folder, "a.pdf", NULL), *odd = g_build_filename (folder, "a.gif", NULL);
  g_autofree char *text = NULL, *data = NULL;
  gsize n;

  s->scene.scale = 2;
  g_assert_true (view_to_file (part (s, "Space-time"), &s->scene, svg, &error));
  g_assert_true (g_file_get_contents (svg, &text, &n, NULL));
  GMarkupParser nothing = { 0 };
  GMarkupParseContext *parser = g_markup_parse_context_new (&nothing, 0, NULL, NULL);
  g_assert_true (g_markup_parse_context_parse (parser, text, (gssize) n, &error));
  g_assert_true (g_markup_parse_context_end_parse (parser, &error));
  g_markup_parse_context_free (parser);
  g_assert_nonnull (strstr (text, "glyph")); /* it has text, */
  g_assert_nonnull (strstr (text, "16.47")); /* and Busy as a vector: 0x2a is 16.47 % */
  g_assert_null (strstr (text, "<image"));
  g_assert_true (view_to_file (part (s, "Space-time"), &s->scene, png, &error));
  cairo_surface_t *image = cairo_image_surface_create_from_png (png);
  g_assert_cmpint (cairo_image_surface_get_width (image), ==, 1800);
  cairo_surface_destroy (image);
  g_assert_true (view_to_file (part (s, "State graph"), &s->scene, pdf, &error));
  g_assert_true (g_file_get_contents (pdf, &data, &n, NULL));
  g_assert_true (g_str_has_prefix (data, "%PDF"));
  g_assert_false (view_to_file (part (s, "Space-time"), &s->scene, odd, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (view_to_file (part (s, "Space-time"), &s->scene, "/nowhere/at/all.png", &error));
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all.png"));
  g_clear_error (&error);
  s->scene.film = NULL;
  g_assert_false (view_to_file (part (s, "Space-time"), &s->scene, png, &error));
  g_assert_nonnull (strstr (error->message, "film, which is not there yet"));
  stage_free (s);
}

/* Two thousand tasks are lines of ranges; four have one each. */
static void
test_many (void)
{
  g_autoptr (GString) events = g_string_new ("#TAPE/PVM 1\n");

  for (int i = 0; i < 2000; i++)
    g_string_append_printf (events, "1 %d %d 0 0 host%d LINUX 100 -1 prog\n", i, 262145 + i, i % 16);
  for (int i = 0; i < 2000; i++)
    g_string_append_printf (events, "124 %d %d 5000 0 0\n", 10000 + i * 3, 262145 + i);
  g_string_append (events, "2 20000 262145 0 0 0\n");
  Stage *s = stage_new ("many", events->str);
  g_autoptr (GArray) rows = items (s, "Space-time", 5000);
  double bottom = 0;
  g_assert_cmpuint (rows->len, >, 20);
  g_assert_cmpuint (rows->len, <, 200);
  for (guint i = 0; i < rows->len; i++) {
    const ViewItem *row = &g_array_index (rows, ViewItem, i);
    if (row->mark.tag.part != 0) /* of the legend */
      continue;
    g_assert_nonnull (strstr (row->name, "\u2013"));
    g_assert_cmpfloat (row->height, >=, 2);
    g_assert_cmpfloat (row->y, >=, bottom - 0.01);
    bottom = row->y + row->height;
  }
  g_assert_cmpfloat (bottom, <, s->scene.height_px - 20);
  cairo_surface_destroy (picture (s, "Space-time"));
  cairo_surface_destroy (picture (s, "State graph"));
  eve_set (part (s, "Space-time"), "group by", "host", NULL);
  cairo_surface_destroy (picture (s, "Space-time"));
  stage_free (s);
}

/* Killed half way and taken up from the run state: the same history. */
static void
test_restore (void)
{
  Stage *s = stage_new ("three", three);
  g_autofree char *whole = table (s, "Space-time");
  EveBlob *blob = eve_blob_new ();
  g_autoptr (GError) error = NULL;
  size_t n;

  eve_reset (s->program);
  Layers *layers = keep (s, NULL, 0);
  const TraceReader *reader = eve_query (part (s, "Reader"), "trace-reader/1");
  reader->command (part (s, "Reader"), &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 6 });
  play (s);
  g_assert_true (layers_flush (layers, INT64_MIN, NULL));
  eve_program_save_run (s->program, blob);
  eve_blob_data (blob, &n);
  size_t run = n;
  layers_save (layers, blob);
  reader->command (part (s, "Reader"), &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 3 });
  play (s);
  const uint8_t *data = eve_blob_data (blob, &n);
  g_assert_true (eve_program_load_run (s->program, data, run, NULL, &error));
  g_assert_no_error (error);
  layers_free (layers);
  layers = keep (s, data + run, n - run);
  reader->command (part (s, "Reader"), &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = UINT64_MAX });
  play (s);
  keep_end (layers);
  g_autofree char *again = table (s, "Space-time");
  g_assert_cmpstr (again, ==, whole);
  eve_blob_free (blob);
  stage_free (s);
}

/* A film that has begun: the files of states are there before those of messages, which are found in a later picture. */
static void
test_begun (void)
{
  static const char *const endings[] = { ".index", ".records", ".sums" };
  Stage *s = stage_new ("three", three);
  g_autofree char *whole = table (s, "Space-time"), *other = g_strconcat (s->film, ".later", NULL),
                  *messages = layer_of_input (eve_base (part (s, "Space-time"))->in[1], s->film);

  g_assert_nonnull (strstr (whole, "message"));
  for (guint back = 0; back < 2; back++) { /* out of the film and back */
    for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
      g_autofree char *in = g_strconcat (messages, endings[i], NULL), *out = g_strconcat (other, endings[i], NULL);
      g_assert_cmpint (g_rename (back ? out : in, back ? in : out), ==, 0);
    }
    if (back == 0) { /* the program opened anew, as its view has the files of messages open */
      eve_program_free (s->program);
      open_program (s);
      s->scene.source = s->source;
      s->scene.graph = eve_query (part (s, "Simulator"), "state-graph/1");
    }
    cairo_surface_destroy (picture (s, "Space-time"));
    g_autofree char *now = table (s, "Space-time");
    g_assert_cmpint (strstr (now, "message") != NULL, ==, back);
    if (back)
      g_assert_cmpstr (now, ==, whole);
  }
  stage_free (s);
}

static void
test_colours (void)
{
  static const StateValue busy = { "Busy", STATE_SENSE_WORKS }, solve = { "solve", STATE_SENSE_NONE };
  ViewColours *c = view_colours_load (), *copy;
  g_autoptr (GError) error = NULL;

  g_assert_cmphex (view_state_colour (c, STATE_NODE, "State", &busy, false), ==, 0x2a9d6f);
  g_assert_cmphex (view_state_colour (c, STATE_NODE, "State", &solve, false), ==,
                   view_colour (c, "State", "solve", false));
  g_assert_cmphex (view_colour (c, "Task", "t40001", false), ==, view_colour (c, "Task", "t40001", false));
  g_assert_cmphex (view_colour (c, "Task", "t40001", false), !=, view_colour (c, "Task", "t40002", false));
  view_colours_set (c, "State", "Busy = [odd] name", 0x123456);
  view_colours_set (c, "State", "Busy", 0x0000ff);
  copy = view_colours_copy (c);
  g_assert_cmphex (view_state_colour (copy, STATE_NODE, "State", &busy, false), ==, 0x0000ff);
  g_assert_true (view_colours_save (c, &error));
  view_colours_free (c);
  c = view_colours_load ();
  g_assert_cmphex (view_colour (c, "State", "Busy", false), ==, 0x0000ff);
  g_assert_cmphex (view_colour (c, "State", "Busy = [odd] name", false), ==, 0x123456);
  g_assert_cmphex (view_colour (c, "State", "Busy", true), !=, 0x0000ff); /* too dark on dark paper */
  view_colours_free (c);
  view_colours_free (copy);
}

/* What is written of rules says the same when it is read again, whatever a box is called. */
static void
test_rules_as_text (void)
{
  static const char text[] = "associations 1\nin \"a \\\"b\\\" \\\\c\"\ntask State colour\n  Busy = #112233\n"
                             "in \"all\"\ntask Host label\nin all\ntask Host label\n";
  g_autoptr (GError) error = NULL;
  Associations *a = associations_new ();

  g_assert_true (associations_read (a, LOOK_OF_PROGRAM, text, "rules", &error));
  g_assert_no_error (error);
  g_assert_cmpstr (associations_attribute (a, LOOK_TASK, LOOK_COLOUR, "a \"b\" \\c"), ==, "State");
  g_autofree char *again = associations_text (a, LOOK_OF_PROGRAM, -1, NULL);
  g_assert_cmpstr (again, ==, text);
  associations_free (a);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-views-XXXXXX", NULL);
  g_autofree char *config = g_build_filename (folder, "config", NULL);
  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  g_setenv ("XDG_DATA_HOME", config, TRUE);
  g_setenv ("XDG_CACHE_HOME", config, TRUE);
  eve_registry_add_folder (g_getenv ("SCOPE_TEST_COMPONENTS"));
  eve_registry_load_all (NULL);
  g_test_add_func ("/views/states", test_states);
  g_test_add_func ("/views/tables", test_tables);
  g_test_add_func ("/views/slivers", test_slivers);
  g_test_add_func ("/views/same", test_same);
  g_test_add_func ("/views/cursor", test_cursor);
  g_test_add_func ("/views/drag", test_drag);
  g_test_add_func ("/views/files", test_files);
  g_test_add_func ("/views/many", test_many);
  g_test_add_func ("/views/restore", test_restore);
  g_test_add_func ("/views/begun", test_begun);
  g_test_add_func ("/views/colours", test_colours);
  g_test_add_func ("/views/rules-as-text", test_rules_as_text);
  int status = g_test_run ();
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", folder);
  return system (remove) == 0 ? status : 1;
}
