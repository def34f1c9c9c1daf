/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - keeping the image of a view: when it is made anew, and what is seen until it is.
 *
 * A frame never waits for a view that takes long to paint.  The image that is there is stretched to where its parts are
 * now; the new one is made between two frames, and then the view rests for as long as that took, so that half of the
 * time stays for everything else. */
#include "panes/picture.h"
#include "eve/words.h"
#include <math.h>
#include "views/associations.h"
#include "panes/groups.h"
#include "views/groups.h"

#define OUTDATED_PX 24.0 /* the line that says so */
#define SLICE_MS 25      /* of a picture that takes long and can be made so */
#define LEAST_PX 76      /* high: room for the heads of a table and two of its rows */
#define QUICK_US 5000    /* a view that took less paints within the frame */
#define FILM_MS 400      /* between two pictures of a film that grows */
#define RESTS 1          /* times as long as painting took */
#define RESTS_PLAYING 3
/* At full speed nobody reads each of sixty states a second: the engine gets the time. */
#define RESTS_FULL_SPEED 7
#define REST_FULL_SPEED_US 50000 /* at least */
/* Above redrawing, which while something moves is always due. */
#define MAKE_PRIORITY (GDK_PRIORITY_REDRAW - 1)

G_DEFINE_TYPE (ScopePicture, scope_picture, GTK_TYPE_DRAWING_AREA)

/* ---- the scene ----------------------------------------------------------------------------------------- */

ScopeDocument *
picture_document (ScopePicture *p)
{
  return p->d;
}

EveComponent *
picture_component (ScopePicture *p)
{
  return p->c;
}

const View *
picture_view (ScopePicture *p)
{
  return p->view;
}

PictureSort
picture_sort (ScopePicture *p)
{
  return p->view->plot != NULL ? PICTURE_TIME : p->view->scroll != NULL ? PICTURE_TEXT : PICTURE_DRAWING;
}

const PictureShown *
picture_shown (ScopePicture *p)
{
  return &p->shown;
}

double
picture_text (void)
{
  return scope_text_scale ();
}

double
picture_width (ScopePicture *p)
{
  return gtk_widget_get_allocated_width (GTK_WIDGET (p)) / picture_text ();
}

double
picture_height (ScopePicture *p)
{
  return gtk_widget_get_allocated_height (GTK_WIDGET (p)) / picture_text ();
}

void
picture_scene (ScopePicture *p, ViewScene *scene)
{
  double zoom = picture_sort (p) == PICTURE_DRAWING ? p->shown.zoom : 1;

  *scene = (ViewScene){ 0 };
  scope_document_scene (p->d, scene);
  scene->width_px = MAX (picture_width (p), 1) * zoom;
  scene->height_px = MAX (picture_height (p), 1) * zoom;
  scene->scale = gtk_widget_get_scale_factor (GTK_WIDGET (p)) * picture_text ();
  scene->from = p->shown.from;
  scene->to = p->shown.to;
  scene->first_row = p->shown.first_row;
  scene->n_rows = p->shown.n_rows;
  scene->event = p->shown.event;
  scene->at = scope_document_at (p->d);
  scene->left_px = p->left_px;
  picture_wired (p, scene, NULL); /* make() says what is wrong */
  scene->titled = eve_name (p->c);
  scene->keyed = legend_tells (p->d, GTK_WIDGET (p), scene->graph);
}

uint32_t
picture_depends (ScopePicture *p, const ViewScene *scene)
{
  return p->view->depends != NULL ? p->view->depends (p->c, scene) : ~0u;
}

static bool
has_cursor (ScopePicture *p, uint32_t on)
{
  return p->view->draw_cursor != NULL && !(on & VIEW_ON_INSTANT);
}

static PictureKey
panes_picture_key_of (ScopePicture *p, const ViewScene *scene)
{
  bool drawing = picture_sort (p) == PICTURE_DRAWING;
  ScopeCounted counted = picture_counted (p);

  return (PictureKey){ .width = picture_width (p),
                       .height = picture_height (p),
                       .scale = scene->scale,
                       .left_px = scene->left_px,
                       .dark = scene->dark,
                       .keyed = scene->keyed,
                       .from = scene->from,
                       .to = scene->to,
                       .at = scene->at,
                       .first_row = scene->first_row,
                       .n_rows = scene->n_rows,
                       .selection = scope_document_selection_serial (p->d),
                       .cut = scene->groups != NULL ? scene->groups->serial : 0,
                       .event = scene->event,
                       .zoom = drawing ? p->shown.zoom : 1,
                       .left = drawing ? p->shown.left : 0,
                       .top = drawing ? p->shown.top : 0,
                       .looks = p->looks,
                       .film = p->film,
                       .present = p->present,
                       .counted = counted.waits ? p->made.counted : counted.serial };
}

static bool
panes_picture_is_same (const PictureKey *a, const PictureKey *b, uint32_t on)
{
  if (a->left_px != b->left_px || a->cut != b->cut || a->counted != b->counted)
    return false;
  if (a->width != b->width || a->height != b->height || a->scale != b->scale || a->dark != b->dark
      || a->keyed != b->keyed || a->zoom != b->zoom || a->left != b->left || a->top != b->top || a->looks != b->looks)
    return false;
  if (on & VIEW_ON_RANGE
      && (a->from != b->from || a->to != b->to || a->first_row != b->first_row || a->n_rows != b->n_rows))
    return false;
  if (on & VIEW_ON_INSTANT && a->counted == 0 && (a->at != b->at || a->present != b->present))
    return false;
  return !((on & VIEW_ON_EVENT && a->event != b->event) || (on & VIEW_ON_SELECTED && a->selection != b->selection)
           || (on & VIEW_ON_FILM && a->film != b->film));
}

/* Between the end of an edit and the news of it, the component may be gone. */
bool
picture_is_alive (ScopePicture *p)
{
  EveProgram *program = scope_document_program (p->d);

  for (uint32_t i = 0; p->c != NULL && program != NULL && i < eve_n_components (program); i++)
    if (eve_component (program, i) == p->c)
      return true;
  return false;
}

bool
picture_plot (ScopePicture *p, cairo_rectangle_t *plot, int64_t *from, int64_t *to)
{
  ViewScene scene;

  if (p->view->plot == NULL || !picture_is_alive (p))
    return false;
  picture_scene (p, &scene);
  return p->view->plot (p->c, &scene, plot, from, to) && *to > *from && plot->width > 0;
}

double
picture_own_left (ScopePicture *p)
{
  return p->own_left_px;
}

void
picture_align (ScopePicture *p, double left_px)
{
  if (left_px == p->left_px)
    return;
  p->left_px = left_px;
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

/* Pictures above and below this one may have to give way to its labels. */
static void
look_at_left (ScopePicture *p, const ViewScene *made)
{
  ViewScene alone = *made;
  cairo_rectangle_t plot;
  int64_t from, to;
  double left = 0;

  alone.left_px = 0;
  if (p->view->plot != NULL && p->view->plot (p->c, &alone, &plot, &from, &to))
    left = plot.x;
  if (left == p->own_left_px)
    return;
  p->own_left_px = left;
  g_signal_emit_by_name (p, "aligned");
}

uint32_t
picture_rows (ScopePicture *p, const ViewScene *scene)
{
  return p->view->rows != NULL ? p->view->rows (p->c, scene) : 0;
}

/* ---- making the image ---------------------------------------------------------------------------------- */

static cairo_surface_t *
surface_for (ScopePicture *p, const PictureKey *key)
{
  int width = (int) lround (key->width * key->scale), height = (int) lround (key->height * key->scale);

  if (p->image == NULL || cairo_image_surface_get_width (p->image) != width
      || cairo_image_surface_get_height (p->image) != height) {
    g_clear_pointer (&p->image, cairo_surface_destroy);
    p->image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, MAX (width, 1), MAX (height, 1));
  }
  cairo_surface_set_device_scale (p->image, key->scale, key->scale);
  return p->image;
}

static void
point_out (ScopePicture *p)
{
  const GArray *items = p->point_out != 0 ? picture_items (p) : NULL;

  for (guint i = 0; items != NULL && i < items->len; i++)
    if (g_array_index (items, ViewItem, i).mark.tag.event == p->point_out)
      p->focused = (int) i;
  p->point_out = 0;
}

static void
forget_drawing (ScopePicture *p)
{
  g_clear_pointer (&p->drawing, drawing_free);
  g_clear_pointer (&p->marks, drawing_free);
}

static gboolean finish_later (gpointer data);

static void
panes_picture_make (ScopePicture *p)
{
  gint64 began = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  ViewScene scene;
  PictureKey key;
  cairo_t *cr;
  bool ok;

  picture_scene (p, &scene);
  key = panes_picture_key_of (p, &scene);
  scene.budget_ms = SLICE_MS;
  scene.again = p->finishing != 0 && panes_picture_is_same (&key, &p->made, picture_depends (p, &scene));
  if (has_cursor (p, picture_depends (p, &scene)))
    scene.at = INT64_MIN;
  cr = cairo_create (surface_for (p, &key));
  cairo_translate (cr, -key.left, -key.top);
  forget_drawing (p);
  p->drawing = drawing_new (&scene, cr, PICTURE_MARKS);
  bool entered;
  EveComponent *drawn = picture_enter (p, &entered);
  ok = picture_wired (p, &scene, &error) && view_build (drawn, p->view, &scene, p->drawing, &error);
  picture_leave (p, entered);
  drawing_end (p->drawing);
  const char *damage = p->view->damage != NULL ? p->view->damage (p->c, NULL) : NULL;
  if (damage != NULL)
    scope_document_film_damaged (p->d, damage);
  if (p->finishing != 0)
    g_source_remove (p->finishing);
  p->finishing = ok && drawing_is_unfinished (p->drawing)
                     ? g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, finish_later, p, NULL)
                     : 0;
  if (!ok) {
    Paint nothing;
    forget_drawing (p);
    scene.width_px = scene.height_px = 1e5;
    paint_begin (&nothing, &scene, cr);
    paint_end (&nothing);
  }
  cairo_destroy (cr);
  g_free (p->sentence);
  p->of_film = ok && scene.film != NULL;
  p->sentence = ok ? NULL : g_strdup (error != NULL ? error->message : _ ("There is nothing to show"));
  bool told = p->made_at != 0 && p->made.cut == key.cut;
  p->made = key;
  if (!told)
    pane_groups_tell (p);
  look_at_left (p, &scene);
  p->made_plot = (cairo_rectangle_t){ 0 };
  picture_plot (p, &p->made_plot, &p->made_from, &p->made_to);
  p->made_rows = picture_rows (p, &scene);
  p->made_at = g_get_monotonic_time ();
  p->made_us = p->made_at - began;
  picture_changed (p);
  point_out (p);
}

/* The next slice, when nobody moves anything. */
static gboolean
finish_later (gpointer data)
{
  ScopePicture *p = data;

  if (!gtk_widget_get_mapped (GTK_WIDGET (p)) || !picture_is_alive (p) || scope_document_catches_up (p->d)) {
    p->finishing = 0;
    p->looks++; /* it is begun again when it is drawn */
    return G_SOURCE_REMOVE;
  }
  panes_picture_make (p);
  if (p->finishing == 0 || drawing_is_on_the_way (p->drawing))
    gtk_widget_queue_draw (GTK_WIDGET (p));
  return G_SOURCE_REMOVE;
}

static gboolean
make_now (gpointer data)
{
  ScopePicture *p = data;

  p->making = 0;
  if (p->image != NULL && scope_document_catches_up (p->d)) /* it is told when that is done */
    return G_SOURCE_REMOVE;
  if (gtk_widget_get_mapped (GTK_WIDGET (p)) && picture_is_alive (p)) {
    panes_picture_make (p);
    frames_painted (false);
    gtk_widget_queue_draw (GTK_WIDGET (p));
  }
  return G_SOURCE_REMOVE;
}

static bool
at_full_speed (ScopePicture *p)
{
  return scope_document_mode (p->d) == SCOPE_MODE_PLAYING && scope_document_speed (p->d, NULL) == SCOPE_SPEED_FULL
         && !scope_document_follows (p->d); /* what has just come is to be seen at once */
}

#define FILM_WAIT_US (10 * G_USEC_PER_SEC)

static gboolean
film_waited (gpointer data)
{
  ScopePicture *p = data;

  p->film_wait = 0;
  gtk_widget_queue_draw (GTK_WIDGET (p));
  return G_SOURCE_REMOVE;
}

static void
forget_film_wait (ScopePicture *p)
{
  if (p->film_wait != 0)
    g_source_remove (p->film_wait);
  p->film_wait = 0;
  p->film_lost_us = 0;
}

/* After an edit the film is another, which has not begun yet: the last picture stands for a moment rather than a
 * sentence that says so and is gone when it is read.  Where no film can begin it is drawn again when that is over. */
static bool
waits_for_film (ScopePicture *p, uint32_t on)
{
  if (!(on & VIEW_ON_FILM) || !p->of_film || p->sentence != NULL || scope_document_mode (p->d) == SCOPE_MODE_PLAYING
      || scope_document_film_state (p->d, NULL) != FILM_NONE) {
    forget_film_wait (p);
    return false;
  }
  if (p->film_lost_us == 0) {
    p->film_lost_us = g_get_monotonic_time ();
    p->film_wait = g_timeout_add ((guint) (FILM_WAIT_US / 1000 + 1), film_waited, p);
  }
  return g_get_monotonic_time () - p->film_lost_us < FILM_WAIT_US;
}

/* How long the view still rests, us; <= 0: no more. */
static gint64
panes_picture_rest (ScopePicture *p)
{
  gint64 rests;

  if (at_full_speed (p))
    rests = MAX (p->made_us * RESTS_FULL_SPEED, REST_FULL_SPEED_US);
  else
    rests = p->made_us * (scope_document_mode (p->d) == SCOPE_MODE_PLAYING ? RESTS_PLAYING : RESTS);
  return p->made_at + MIN (rests, G_USEC_PER_SEC) - g_get_monotonic_time ();
}

static void
make_soon (ScopePicture *p)
{
  gint64 wait = panes_picture_rest (p);

  if (p->making != 0) /* playing may have ended since, and the rest with it */
    g_source_remove (p->making);
  p->making = p->image == NULL || wait <= 0
                  ? g_idle_add_full (MAKE_PRIORITY, make_now, p, NULL)
                  : g_timeout_add_full (MAKE_PRIORITY, (guint) (wait / 1000 + 1), make_now, p, NULL);
}

/* ---- painting ------------------------------------------------------------------------------------------ */

/* The old image, its part from (x, y) on brought to (to_x, to_y) and stretched, inside a rectangle. */
static void
paint_part (ScopePicture *p, cairo_t *cr, const cairo_rectangle_t *inside, double x, double y, double to_x, double to_y,
            double stretch_x, double stretch_y)
{
  cairo_save (cr);
  cairo_rectangle (cr, inside->x, inside->y, inside->width, inside->height);
  cairo_clip (cr);
  cairo_translate (cr, to_x, to_y);
  cairo_scale (cr, stretch_x, stretch_y);
  cairo_set_source_surface (cr, p->image, -x, -y);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_FAST);
  cairo_paint (cr);
  cairo_restore (cr);
}

static void
paint_stale (ScopePicture *p, cairo_t *cr, const ViewScene *scene, const PictureKey *key)
{
  cairo_rectangle_t plot, all = { 0, 0, key->width, key->height };
  int64_t from, to;
  double stretch_x, stretch_y = 1, x, y = 0, rows;

  if (picture_sort (p) == PICTURE_DRAWING) {
    double z = p->made.zoom > 0 ? key->zoom / p->made.zoom : 1;
    paint_part (p, cr, &all, 0, 0, p->made.left * z - key->left, p->made.top * z - key->top,
                z * key->width / MAX (p->made.width, 1), z * key->height / MAX (p->made.height, 1));
    return;
  }
  if (p->made_plot.width <= 0 || p->made_to <= p->made_from || !picture_plot (p, &plot, &from, &to)) {
    paint_part (p, cr, &all, 0, 0, 0, 0, 1, 1);
    return;
  }
  paint_part (p, cr, &all, 0, 0, 0, 0, key->width / MAX (p->made.width, 1), key->height / MAX (p->made.height, 1));
  stretch_x = ((double) p->made_to - (double) p->made_from) / ((double) to - (double) from) * plot.width
              / p->made_plot.width;
  x = plot.x + ((double) p->made_from - (double) from) / ((double) to - (double) from) * plot.width;
  rows = key->n_rows != 0 ? key->n_rows : p->made_rows;
  if (rows > 0 && p->made_plot.height > 0) {
    double before = p->made.n_rows != 0 ? p->made.n_rows : p->made_rows;
    stretch_y = before / rows * plot.height / p->made_plot.height;
    y = ((double) p->made.first_row - (double) key->first_row) / rows * plot.height;
  }
  paint_part (p, cr, &plot, p->made_plot.x, p->made_plot.y, x, plot.y + y, stretch_x, stretch_y);
  /* The labels of the axis go along, so that no wrong ones are read. */
  cairo_rectangle_t under = { 0, plot.y + plot.height, key->width, key->height - plot.y - plot.height };
  if (stretch_x != 1 || x != p->made_plot.x)
    paint_part (p, cr, &under, p->made_plot.x, p->made_plot.y + p->made_plot.height, x, under.y, stretch_x, 1);
}

/* Where a sentence stands that is longer than a line. */
static void
paint_words (ScopePicture *p, cairo_t *cr, const Paint *paint)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (p), p->sentence);
  double width = gtk_widget_get_allocated_width (GTK_WIDGET (p)),
         height = gtk_widget_get_allocated_height (GTK_WIDGET (p)), larger = picture_text ();
  int text;

  cairo_save (cr); /* the font is the widget's own */
  cairo_scale (cr, 1 / larger, 1 / larger);
  pango_layout_set_width (layout, (int) MAX (width - 48, 40) * PANGO_SCALE);
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
  pango_layout_get_pixel_size (layout, NULL, &text);
  paint_source (cr, paint->muted, 1);
  cairo_move_to (cr, 24, MAX ((height - text) / 2, 8));
  pango_cairo_show_layout (cr, layout);
  cairo_restore (cr);
}

static void
paint_outline (ScopePicture *p, cairo_t *cr, const Paint *paint)
{
  const GArray *items = p->focused >= 0 ? picture_items (p) : NULL;
  const ViewItem *i = items != NULL && p->focused < (int) items->len ? &g_array_index (items, ViewItem, p->focused)
                                                                     : NULL;

  if (i == NULL)
    return;
  paint_source (cr, 0x3584e4, 1);
  cairo_set_line_width (cr, 2);
  cairo_rectangle (cr, i->x - p->made.left - 2, i->y - p->made.top - 2, i->width + 4, i->height + 4);
  cairo_stroke (cr);
}

static void
paint_cursor (ScopePicture *p, cairo_t *cr, ViewScene *scene, uint32_t on)
{
  p->cursor.width = 0;
  if (!has_cursor (p, on) || p->sentence != NULL)
    return;
  scene->at = scope_document_cursor (p->d);
  p->view->draw_cursor (p->c, scene, cr, &p->cursor);
}

/* Results of another program are told from those of this one. */
static void
paint_outdated (ScopePicture *p, cairo_t *cr, Paint *paint, uint32_t on)
{
  const char *outdated = on & VIEW_ON_INSTANT ? scope_document_outdated (p->d) : NULL;
  g_autofree char *counting = NULL;
  if (on & VIEW_ON_INSTANT)
    outdated = picture_counted_told (p, outdated, &counting);
  double width = picture_width (p), height = picture_height (p);

  if (outdated == NULL)
    return;
  paint_source (cr, 0xe5a50a, 0.9);
  cairo_rectangle (cr, 0, height - OUTDATED_PX, width, OUTDATED_PX);
  cairo_fill (cr);
  paint_text (paint, 8, height - OUTDATED_PX / 2, 0, PAINT_TEXT, 0x000000, MAX (width - 16, 20), outdated);
}

static gboolean
panes_picture_draw (GtkWidget *w, cairo_t *cr)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  PictureKey key;
  ViewScene scene;
  uint32_t on;
  Paint paint;

  if (!picture_is_alive (p))
    return FALSE;
  cairo_scale (cr, picture_text (), picture_text ());
  picture_scene (p, &scene);
  key = panes_picture_key_of (p, &scene);
  on = picture_depends (p, &scene);
  if (p->image == NULL
      || (!panes_picture_is_same (&key, &p->made, on) && !scope_document_catches_up (p->d)
          && !waits_for_film (p, on))) {
    if (p->image != NULL && p->made_us < QUICK_US && (!at_full_speed (p) || panes_picture_rest (p) <= 0))
      panes_picture_make (p);
    else
      make_soon (p);
  }
  paint_over (&paint, &scene, cr);
  if (p->image == NULL) {
    paint_source (cr, paint.paper, 1);
    cairo_paint (cr);
  } else if (panes_picture_is_same (&key, &p->made, on & VIEW_ON_RANGE)) {
    cairo_set_source_surface (cr, p->image, 0, 0);
    cairo_paint (cr);
  } else {
    paint_source (cr, paint.paper, 1);
    cairo_paint (cr);
    paint_stale (p, cr, &scene, &key);
  }
  if (p->sentence != NULL)
    paint_words (p, cr, &paint);
  if (panes_picture_is_same (&key, &p->made, on))
    picture_draw_frames (p, cr, &scene, on);
  paint_cursor (p, cr, &scene, on);
  paint_outdated (p, cr, &paint, on);
  paint_outline (p, cr, &paint);
  picture_input_draw (p, cr, &scene);
  hover_draw (p, cr, &scene);
  paint_end (&paint);
  frames_painted (true);
  return FALSE;
}

/* ---- what changes -------------------------------------------------------------------------------------- */

void
picture_changed (ScopePicture *p)
{
  g_clear_pointer (&p->items, g_array_unref);
  hover_refresh (p);
  picture_accessible_changed (p);
}

static void
redraw (ScopePicture *p)
{
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

void
picture_queue (ScopePicture *p, const cairo_rectangle_t *r, double margin)
{
  double k = picture_text ();

  if (r->width > 0 && r->height > 0)
    gtk_widget_queue_draw_area (GTK_WIDGET (p), (int) floor ((r->x - margin) * k), (int) floor ((r->y - margin) * k),
                                (int) ceil ((r->width + 2 * margin) * k) + 1,
                                (int) ceil ((r->height + 2 * margin) * k) + 1);
}

static void
panes_picture_on_time (ScopeDocument *d, ScopePicture *p)
{
  cairo_rectangle_t now = { 0 };
  ViewScene scene;
  uint32_t on;

  p->present++;
  if (!gtk_widget_get_mapped (GTK_WIDGET (p)) || !picture_is_alive (p))
    return;
  hover_refresh (p);
  if (picture_go_along (p))
    return;
  picture_scene (p, &scene);
  on = picture_depends (p, &scene);
  if (!has_cursor (p, on)) {
    if (on & VIEW_ON_INSTANT)
      redraw (p);
    g_signal_emit_by_name (p, "shown");
    return;
  }
  scene.at = scope_document_cursor (d);
  p->view->draw_cursor (p->c, &scene, NULL, &now);
  picture_queue (p, &p->cursor, 1);
  picture_queue (p, &now, 1);
}

static gboolean
film_grew (gpointer data)
{
  ScopePicture *p = data;

  p->film_timer = 0;
  p->film++;
  if (picture_is_alive (p))
    p->view = scope_document_view (p->d, p->c);
  if (scope_document_is_live (p->d)) /* all of it takes longer than it did */
    g_signal_emit_by_name (p, "shown");
  redraw (p);
  return G_SOURCE_REMOVE;
}

static void
panes_picture_on_film (ScopeDocument *d, ScopePicture *p)
{
  bool complete = scope_document_film_state (d, NULL) == FILM_COMPLETE; /* nothing more will come: at once */

  if (complete && p->film_timer != 0)
    g_source_remove (p->film_timer);
  if (complete || p->film_timer == 0)
    p->film_timer = complete ? g_idle_add (film_grew, p) : g_timeout_add (FILM_MS, film_grew, p);
}

static void
panes_picture_on_look (ScopeDocument *d, ScopePicture *p)
{
  p->looks++;
  redraw (p);
}

/* ---- the widget ---------------------------------------------------------------------------------------- */

static char *
settings_text (EveComponent *c)
{
  const EveClass *k = eve_class (c);
  GString *text = g_string_new (eve_name (c));

  for (uint32_t i = 0; i < k->n_settings; i++) {
    g_autofree char *value = eve_get (c, k->settings[i].name);
    g_string_append_printf (text, "\n%s", value);
  }
  EveComponent *keeper = view_camera (c) != NULL ? view_camera (c)->keeper (c) : c;
  if (keeper != c) {
    g_autofree char *camera = eve_get (keeper, "camera"), *side = eve_get (keeper, "side"),
                    *viewpoints = eve_get (keeper, "viewpoints");
    g_string_append_printf (text, "\n%s\n%s\n%s", camera, side, viewpoints);
  }
  return g_string_free (text, FALSE);
}

void
picture_set_component (ScopePicture *p, EveComponent *c)
{
  g_autofree char *settings = c != NULL ? settings_text (c) : NULL;
  bool same = c == p->c && g_strcmp0 (settings, p->settings) == 0;

  p->c = c;
  if (same)
    return;
  g_free (p->settings);
  p->settings = g_steal_pointer (&settings);
  if (c == NULL)
    return;
  p->view = scope_document_view (p->d, c);
  p->looks++;
  redraw (p);
  g_signal_emit_by_name (p, "shown");
}

static void
on_marks (ScopePicture *p)
{
  strokes_forget (p);
  redraw (p);
}

static void
panes_picture_dispose (GObject *o)
{
  ScopePicture *p = SCOPE_PICTURE (o);

  if (p->making != 0)
    g_source_remove (p->making);
  if (p->film_timer != 0)
    g_source_remove (p->film_timer);
  if (p->finishing != 0)
    g_source_remove (p->finishing);
  p->making = p->film_timer = p->finishing = 0;
  forget_film_wait (p);
  hover_forget (p);
  g_clear_object (&p->pinch);
  if (p->d != NULL) {
    g_signal_handlers_disconnect_by_data (p->d, p);
    if (p->drag == DRAG_RANGE)
      scope_document_set_drags_range (p->d, false);
  }
  g_clear_object (&p->d);
  g_clear_pointer (&p->items, g_array_unref);
  forget_drawing (p);
  strokes_forget (p);
  g_clear_pointer (&p->stroke, g_array_unref);
  g_clear_pointer (&p->image, cairo_surface_destroy);
  G_OBJECT_CLASS (scope_picture_parent_class)->dispose (o);
}

static void
panes_picture_finalize (GObject *o)
{
  ScopePicture *p = SCOPE_PICTURE (o);

  g_free (p->settings);
  g_free (p->sentence);
  g_free (p->dragged.name);
  g_clear_pointer (&p->steps, g_array_unref);
  G_OBJECT_CLASS (scope_picture_parent_class)->finalize (o);
}

static void
scope_picture_class_init (ScopePictureClass *klass)
{
  GtkWidgetClass *w = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = panes_picture_dispose;
  G_OBJECT_CLASS (klass)->finalize = panes_picture_finalize;
  w->draw = panes_picture_draw;
  gtk_widget_class_set_css_name (w, "picture");
  gtk_widget_class_set_accessible_type (w, picture_accessible_get_type ());
  g_signal_new ("aligned", SCOPE_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new ("shown", SCOPE_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new ("menu", SCOPE_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
scope_picture_init (ScopePicture *p)
{
  p->focused = -1;
  p->meant = INT64_MIN;
  p->shown = (PictureShown){ .from = 1, .to = 0, .event = UINT64_MAX, .zoom = 1, .follow = true };
  gtk_widget_set_can_focus (GTK_WIDGET (p), TRUE);
  gtk_widget_set_size_request (GTK_WIDGET (p), 120, (int) lround (LEAST_PX * picture_text ()));
}

GtkWidget *
picture_new (ScopeDocument *d, EveComponent *c)
{
  ScopePicture *p = g_object_new (SCOPE_TYPE_PICTURE, NULL);

  p->d = g_object_ref (d);
  p->cursor_date = scope_document_cursor (d);
  g_signal_connect (d, "time", G_CALLBACK (panes_picture_on_time), p);
  g_signal_connect (d, "film", G_CALLBACK (panes_picture_on_film), p);
  g_signal_connect (d, "look", G_CALLBACK (panes_picture_on_look), p);
  g_signal_connect_swapped (d, "marks", G_CALLBACK (on_marks), p);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (redraw), p);
  g_signal_connect_swapped (d, "program", G_CALLBACK (redraw), p);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (redraw), p);
  g_signal_connect_swapped (d, "range", G_CALLBACK (picture_on_range), p);
  g_signal_connect_swapped (d, "hover", G_CALLBACK (redraw), p);
  picture_set_component (p, c);
  picture_input_init (p);
  return GTK_WIDGET (p);
}
