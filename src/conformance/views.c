/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - what a view draws: at any size, the same twice, and marks that tell what they are. */
#include <math.h>
#include <string.h>
#include "src/conformance/private.h"
#include "views/drawing.h"
#include "views/painter.h"

#define MARKS 1000
#define ITEMS 40 /* of which names are asked */

/* Both sides of a drawing at once, as the window makes it. */
typedef struct Made {
  cairo_surface_t *surface;
  Drawing *marks;
  bool ok;
} Made;

static Made
views_make (Check *k, EveComponent *c, const View *v, const ViewScene *scene)
{
  Made m = { cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) scene->width_px, (int) scene->height_px) };
  g_autoptr (GError) error = NULL;
  cairo_t *cr = cairo_create (m.surface);

  m.marks = drawing_new (scene, cr, MARKS);
  m.ok = v->build (c, scene, m.marks, &error);
  drawing_end (m.marks);
  if (cairo_status (cr) != CAIRO_STATUS_SUCCESS)
    check_problem (k, "Drawn %g px wide and %g px high, cairo failed: %s.", scene->width_px, scene->height_px,
                   cairo_status_to_string (cairo_status (cr)));
  if (!m.ok && (error == NULL || *error->message == '\0'))
    check_problem (k, "It draws nothing, and says no sentence why.");
  cairo_destroy (cr);
  cairo_surface_flush (m.surface);
  return m;
}

static void
views_made_clear (Made *m)
{
  cairo_surface_destroy (m->surface);
  drawing_free (m->marks);
}

static bool
same_pixels (cairo_surface_t *a, cairo_surface_t *b)
{
  size_t n = (size_t) cairo_image_surface_get_stride (a) * (size_t) cairo_image_surface_get_height (a);

  return memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (b), n) == 0;
}

static void
check_marks (Check *k, EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d)
{
  for (guint i = 0; i < drawing_n_marks (d); i++) {
    const DrawingMark *m = drawing_mark (d, i);
    ViewItem item;
    if (!isfinite (m->left) || !isfinite (m->top) || !(m->width >= 0) || !(m->height >= 0)) {
      check_problem (k, "A mark lies nowhere: at %g, %g, %g wide, %g high.", m->left, m->top, m->width, m->height);
      return;
    }
    if (i >= ITEMS || m->colour_only || m->width <= 0 || m->height <= 0)
      continue;
    g_autoptr (GString) facts = g_string_new (NULL);
    bool found = view_item_at (c, v, scene, d, m->left + m->width / 2, m->top + m->height / 2, &item, facts);
    if (found && (*item.name == '\0' || !g_utf8_validate (item.name, -1, NULL)))
      check_problem (k, "A mark has no name, or one that is no text.");
    if (found)
      g_free (item.name);
  }
}

static void
check_size (Check *k, EveComponent *c, const View *v, ViewScene scene, double width, double height)
{
  scene.width_px = width;
  scene.height_px = height;
  Made a = views_make (k, c, v, &scene), b = views_make (k, c, v, &scene);
  if (a.ok != b.ok || !same_pixels (a.surface, b.surface))
    check_problem (k, "The same scene gives two pictures, %g px wide and %g px high.", width, height);
  if (a.ok && b.ok && drawing_n_marks (a.marks) != drawing_n_marks (b.marks))
    check_problem (k, "The same scene gives %u marks, then %u.", drawing_n_marks (a.marks), drawing_n_marks (b.marks));
  if (a.ok)
    check_marks (k, c, v, &scene, a.marks);
  views_made_clear (&a);
  views_made_clear (&b);
}

/* What shows the whole execution does so from a film, and is drawn with one by other tests. */
static bool
needs_film (const EveClass *klass)
{
  bool kept = false;

  for (uint32_t i = 0; i < klass->n_ins; i++)
    kept |= klass->ins[i].kept;
  return kept;
}

void
check_view (Check *k, Harness *h)
{
  static const double sizes[][2] = { { 1, 1 }, { 90, 300 }, { 640, 360 } };
  EveComponent *c = harness_component (h);
  const EveClass *klass = k->klass;

  if (klass->query == NULL)
    return;
  const View *v = klass->query (c, VIEW_INTERFACE);
  check_begin (k, "view");
  if (v == NULL && klass->query (c, VIEW_INTERFACE_BEFORE) != NULL)
    check_problem (k, "It answers %s, for which an older Scope asked: build it again, so that it answers %s.",
                   VIEW_INTERFACE_BEFORE, VIEW_INTERFACE);
  if (v == NULL)
    return;
  if (v->build == NULL || v->title == NULL)
    return check_problem (k, "A view has a title, and a function build.");
  if (needs_film (klass))
    return;
  ViewColours *colours = view_colours_load ();
  ViewScene scene = { .scale = 1, .from = 1, .to = 0, .at = INT64_MIN, .colours = colours, .event = UINT64_MAX };
  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++) {
    scene.dark = i % 2;
    check_size (k, c, v, scene, sizes[i][0], sizes[i][1]);
  }
  view_colours_free (colours);
}
