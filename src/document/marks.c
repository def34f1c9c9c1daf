/* SPDX-License-Identifier: Apache-2.0 */
/* marks.c - the marks of the trace that leads, which a person edits, and those of the others, which are shown. */
#include <string.h>
#include "document/private.h"
#include "eve/words.h"
#include "views/view-camera.h"

const GPtrArray *
scope_document_other_marks (ScopeDocument *d)
{
  return d->other_marks;
}

Marks *
scope_document_marks (ScopeDocument *d)
{
  return d->marks;
}

/* Another process may have changed the file meanwhile: then what it wrote is taken, and the person asked to try again.
 */
static bool
save_marks (ScopeDocument *d, GError *error)
{
  g_autoptr (GError) why = error;
  bool ok = !why && marks_save (d->marks, &why);

  if (!ok) {
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", why ? why->message : _ ("the marks cannot be saved"));
    Marks *fresh = marks_load (d->session->trace, &d->session->source->clock, NULL);
    if (fresh) {
      marks_free (d->marks);
      d->marks = fresh;
    }
  }
  document_tell (d, DOC_MARKS);
  return ok;
}

bool
scope_document_add_mark (ScopeDocument *d, const char *name, int64_t date, const char *notes)
{
  GError *error = NULL;
  g_autofree char *made = NULL;

  if (!d->marks) {
    scope_document_say (d, SCOPE_SAY_ERROR, _ ("The marks of this trace cannot be understood, so none can be added"));
    return false;
  }
  for (guint n = d->marks->list->len + 1; !name; ++n) {
    g_free (made);
    made = g_strdup_printf (_ ("Mark %u"), n);
    if (!marks_find (d->marks, made))
      name = made;
  }
  bool ok = marks_add (d->marks, name, date, notes ? notes : "", &error) != NULL;
  if (ok && date == scope_document_at (d) && d->mode != SCOPE_MODE_TRAVELLING)
    travel_mark_placed (d->travel, name);
  return save_marks (d, error) && ok;
}

bool
scope_document_edit_mark (ScopeDocument *d, Mark *m, const char *name, const int64_t *date, const char *notes)
{
  GError *error = NULL;

  marks_edit (d->marks, m, name, date, notes, &error);
  return save_marks (d, error);
}

bool
scope_document_remove_mark (ScopeDocument *d, Mark *m)
{
  marks_remove (d->marks, m);
  return save_marks (d, NULL);
}

/* Who keeps a camera of its own; NULL: it has none, or has not been seen. */
static const ViewCamera *
camera_of (EveComponent *c)
{
  const ViewCamera *camera = view_camera (c);

  return camera && camera->keeper (c) == c ? camera : NULL;
}

bool
scope_document_has_cameras (ScopeDocument *d)
{
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; p && i < eve_n_components (p); ++i)
    if (camera_of (eve_component (p, i)))
      return true;
  return false;
}

bool
scope_document_place_mark (ScopeDocument *d, Mark *m, bool holds)
{
  EveProgram *p = scope_document_program (d);
  GError *error = NULL;

  marks_unplace (d->marks, m);
  for (uint32_t i = 0; holds && p && !error && i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const ViewCamera *camera = camera_of (c);
    g_autofree char *place = camera ? camera->place (c) : NULL;
    if (place)
      marks_place (d->marks, m, eve_name (c), place, &error);
  }
  return save_marks (d, error);
}

void
scope_document_go_mark (ScopeDocument *d, const Mark *m)
{
  EveProgram *p = scope_document_program (d);
  g_autofree char *what = g_strdup_printf (_ ("Viewpoint of the mark %s"), m->name);
  int64_t date = m->date; /* what is told of the edit may load the marks anew */

  if (m->places) {
    scope_document_begin_edit (d, what);
    for (guint i = 0; i < m->places->len; ++i) {
      const MarkPlace *at = m->places->pdata[i];
      EveComponent *c = eve_find (p, at->view);
      g_autoptr (GError) error = NULL;
      if (c && view_camera (c) && !eve_set (view_camera (c)->keeper (c), "camera", at->place, &error))
        scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
    }
    scope_document_end_edit (d);
  }
  scope_document_go_date (d, date);
}

/* The traces that do not lead, by reader, as long as they lie where they lie; g_free. */
static char *
others_of (const Session *s)
{
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    if (source && source != s->source)
      g_string_append_printf (all, "%s %" G_GINT64_FORMAT "\n", source->path, source->clock.offset);
  }
  return g_string_free (all, FALSE);
}

/* A trace without marks, or whose marks cannot be understood, has none here. */
static void
load_other_marks (ScopeDocument *d)
{
  const Session *s = d->session;

  g_clear_pointer (&d->other_marks, g_ptr_array_unref);
  d->other_marks = g_ptr_array_new_with_free_func ((GDestroyNotify) marks_free);
  g_free (d->others);
  d->others = others_of (s);
  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    bool known = !source || source == s->source || g_str_equal (source->path, s->trace);
    Marks *m = known ? NULL : marks_load (source->path, &source->clock, NULL);
    if (m)
      g_ptr_array_add (d->other_marks, m);
  }
}

void
document_marks_edited (ScopeDocument *d)
{
  const TraceSource *source = d->session->source;
  g_autofree char *others = others_of (d->session);
  bool moved = source && d->marks && d->marks->clock.offset != source->clock.offset;
  Marks *fresh = moved ? marks_load (d->session->trace, &source->clock, NULL) : NULL;

  if (!fresh && g_strcmp0 (others, d->others) == 0)
    return;
  if (fresh) {
    marks_free (d->marks);
    d->marks = fresh;
  }
  load_other_marks (d);
  document_tell (d, DOC_MARKS);
}

void
document_marks_begin (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;

  d->marks = marks_load (d->session->trace, &d->session->source->clock, &error);
  if (!d->marks && error)
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  load_other_marks (d);
}

void
document_marks_end (ScopeDocument *d)
{
  g_clear_pointer (&d->marks, marks_free);
  g_clear_pointer (&d->other_marks, g_ptr_array_unref);
  g_clear_pointer (&d->others, g_free);
}
