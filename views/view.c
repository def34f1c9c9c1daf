/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - what is asked of a view, answered from its drawing. */
#include <string.h>
#include "readers/reader.h"
#include "eve/words.h"
#include "statistics/types.h"
#include "views/view-camera.h"
#include "views/associations.h"
#include "views/drawing.h"

static bool
build_too_old (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
               _ ("%s was built for an older Scope, which asked views for %s; this one asks for %s: build it again"),
               eve_class (c)->id, VIEW_INTERFACE_BEFORE, VIEW_INTERFACE);
  return false;
}

const View *
view_get (EveComponent *c)
{
  static const View too_old = { .title = "Not drawn", .build = build_too_old };
  const EveClass *k = eve_class (c);
  const View *v = k->query != NULL ? k->query (c, VIEW_INTERFACE) : NULL;

  return v != NULL ? v : k->query != NULL && k->query (c, VIEW_INTERFACE_BEFORE) != NULL ? &too_old : NULL;
}

bool
view_build (EveComponent *c, const View *v, const ViewScene *scene, Drawing *d, GError **error)
{
  if (view_associations (scene->colours) != NULL) /* else nobody asks whose picture it is */
    view_colours_of_view (scene->colours, eve_name (c));
  bool ok = v->build (c, scene, d, error);
  view_colours_of_view (scene->colours, NULL);
  return ok;
}

bool
view_draw (EveComponent *c, const View *v, const ViewScene *scene, cairo_t *cr, GError **error)
{
  g_autoptr (Drawing) d = drawing_new (scene, cr, 0);

  return view_build (c, v, scene, d, error);
}

Drawing *
view_marks (EveComponent *c, const View *v, const ViewScene *scene, guint most, GError **error)
{
  g_autoptr (Drawing) d = drawing_new (scene, NULL, most);

  return view_build (c, v, scene, d, error) ? g_steal_pointer (&d) : NULL;
}

/* ---- telling -------------------------------------------------------------------------------------------------------------- */

/* "fft 0 → fft 1", "State: Idle" */
static void
say_of_what (const ViewScene *scene, const DrawingTag *tag, GString *name)
{
  trace_ref_name (tag->what, false, name);
  if (tag->other.type != TRACE_REF_NONE) {
    g_string_append (name, " \u2192 ");
    trace_ref_name (tag->other, false, name);
  }
  if (tag->attribute != NULL)
    g_string_append_printf (name, _ ("%s%s: %s"), name->len > 0 ? ", " : "", in_words (tag->attribute),
                            paint_word (scene->graph, STATE_NODE, tag->value));
}

static void
view_tell (EveComponent *c, const View *v, const ViewScene *scene, const DrawingMark *m, ViewItem *item, GString *facts)
{
  GString *name = g_string_new (NULL);

  if (v->say != NULL)
    v->say (c, scene, m, name, facts);
  if (name->len == 0)
    say_of_what (scene, &m->tag, name);
  *item = (ViewItem){ m->left, m->top, m->width, m->height, g_string_free (name, FALSE), *m };
}

bool
view_item_at (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, double x, double y,
              ViewItem *item, GString *facts)
{
  const DrawingMark *m = NULL;
  DrawingMark dense;

  if (v->point != NULL && v->point (c, scene, x, y, &dense))
    m = &dense;
  else if (d != NULL)
    m = drawing_at (d, x, y, false);
  if (m == NULL)
    return false;
  view_tell (c, v, scene, m, item, facts);
  return true;
}

bool
view_item_below (EveComponent *c, const View *v, const ViewScene *scene, double x, double y, ViewItem *item)
{
  const ViewCamera *camera = view_camera (c);
  DrawingMark m;

  if (camera == NULL || !camera->below (c, scene, x, y, &m))
    return false;
  view_tell (c, v, scene, &m, item, NULL);
  return true;
}

void
view_items (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, GArray *to, guint max)
{
  const DrawingMark *m = NULL;
  ViewItem item;

  for (guint i = 0; to->len < max && (m = drawing_next_thing (d, &i, m)) != NULL;) {
    view_tell (c, v, scene, m, &item, NULL);
    g_array_append_val (to, item);
  }
}

void
view_owners (EveComponent *c, const View *v, const ViewScene *scene, const DrawingMark *mark, TraceRefs *to)
{
  const DrawingTag *t = &mark->tag;
  uint32_t before = trace_refs_n (to);

  if (v->owners != NULL)
    v->owners (c, scene, mark, to);
  if (trace_refs_n (to) > before)
    return;
  if (t->event == 0 && t->what.type == TRACE_REF_TASK && t->other.type == TRACE_REF_TASK
      && t->what.source == t->other.source && t->what.id != t->other.id) {
    trace_refs_add (to, trace_ref_link (t->what.source, t->what.id, t->other.id));
    return;
  }
  trace_refs_add (to, t->what);
  if (t->event == 0)
    trace_refs_add (to, t->other);
  if (trace_refs_n (to) == before && t->attribute != NULL && t->value != NULL)
    trace_refs_add (to, trace_ref_value (t->attribute, t->value));
}

bool
view_colour_at (EveComponent *c, const View *v, const ViewScene *scene, const Drawing *d, double x, double y,
                const char **attribute, const char **value)
{
  const DrawingMark *m = NULL;
  DrawingMark dense;

  if (v->point != NULL && v->point (c, scene, x, y, &dense) && dense.tag.value != NULL)
    m = &dense;
  else if (d != NULL)
    m = drawing_at (d, x, y, true);
  if (m == NULL)
    return false;
  *attribute = m->tag.attribute;
  *value = m->tag.value;
  return true;
}

/* ---- the marks as a table --------------------------------------------------------------------------------------------- */

#define LINES_MOST 1000000

static void
view_put_date (const ViewScene *scene, int64_t date, GString *to)
{
  char text[64];

  if (scene->source != NULL)
    trace_clock_print (&scene->source->clock, date, text, sizeof text);
  else
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, date);
  g_string_append_printf (to, ",%s", text);
}

static void
put_ref (TraceRef r, GString *to)
{
  g_autoptr (GString) name = g_string_new (NULL);

  trace_ref_name (r, true, name);
  stats_csv_text (to, name->str);
}

bool
view_csv (EveComponent *c, const View *v, const ViewScene *scene, GString *to, GError **error)
{
  if (v->csv != NULL)
    return v->csv (c, scene, to, error);
  g_autoptr (Drawing) d = view_marks (c, v, scene, LINES_MOST, error);
  if (d == NULL)
    return false;
  g_string_append (to, "what,other,attribute,value,from [s],to [s],event,name\r\n");
  const DrawingMark *m = NULL;
  ViewItem item;
  for (guint i = 0; (m = drawing_next_thing (d, &i, m)) != NULL;) {
    put_ref (m->tag.what, to);
    g_string_append_c (to, ',');
    put_ref (m->tag.other, to);
    g_string_append_c (to, ',');
    stats_csv_text (to, m->tag.attribute);
    g_string_append_c (to, ',');
    stats_csv_text (to, m->tag.value);
    if (m->tag.from <= m->tag.to) {
      view_put_date (scene, m->tag.from, to);
      view_put_date (scene, m->tag.to, to);
    } else {
      g_string_append (to, ",,");
    }
    if (m->tag.event > 0)
      g_string_append_printf (to, ",%" G_GUINT64_FORMAT ",", m->tag.event - 1);
    else
      g_string_append (to, ",,");
    view_tell (c, v, scene, m, &item, NULL);
    stats_csv_text (to, item.name);
    g_free (item.name);
    g_string_append (to, "\r\n");
  }
  return true;
}
