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

/* What another process wrote in the meantime is taken; what was held of the file goes. */
static bool
document_marks_take_over (ScopeDocument *d)
{
  if (!d->session || !d->session->source || (d->marks && !marks_changed (d->marks)))
    return false;
  Marks *fresh = marks_load (d->session->trace, &d->session->source->clock, NULL);
  if (!fresh) /* half written, or damaged: saving says so */
    return false;
  g_clear_pointer (&d->marks, marks_free);
  d->marks = fresh;
  return true;
}

/* ---- what is done to one ---------------------------------------------------------------------------------------------- */
#define TRIES 3 /* of saving, where others write at the same time */

typedef struct Change {
  bool (*make) (ScopeDocument *d, struct Change *c, Mark *m, GError **error);
  char *mark;              /* its name; NULL: it is a new one */
  char *name, *notes;      /* NULL: as it is; of a new one: its own, made up */
  bool dated, holds, made; /* `made`: the name is made up */
  int64_t date;
  MarkDrawing *drawing; /* of another's; after the marks are told of it may be gone */
} Change;

/* On what the file holds now, and again if another process has changed it meanwhile: nothing of either is lost. */
static bool
document_marks_change (ScopeDocument *d, Change *c)
{
  bool ok = false, again = true;

  for (int n = 0; again && n < TRIES; ++n) {
    g_autoptr (GError) why = NULL;
    document_marks_take_over (d);
    Mark *m = c->mark ? marks_find (d->marks, c->mark) : NULL;
    if (c->mark && !m)
      g_set_error (&why, MARKS_ERROR, MARKS_ERROR_NAME, _ ("The mark %s was removed by another program"), c->mark);
    ok = !why && c->make (d, c, m, &why) && marks_save (d->marks, &why);
    again = g_error_matches (why, MARKS_ERROR, MARKS_ERROR_CHANGED) && n + 1 < TRIES;
    if (ok || again)
      continue;
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", why ? why->message : _ ("the marks cannot be saved"));
    Marks *fresh = marks_load (d->session->trace, &d->session->source->clock, NULL);
    if (fresh) {
      marks_free (d->marks);
      d->marks = fresh;
    }
  }
  if (ok && !c->mark && c->date == scope_document_at (d) && d->mode != SCOPE_MODE_TRAVELLING)
    travel_mark_placed (d->travel, c->name);
  document_marks_watch (d); /* the first may lie beside the bundle */
  document_tell (d, DOC_MARKS);
  g_free (c->mark);
  g_free (c->name);
  g_free (c->notes);
  return ok;
}

static bool
document_marks_add (ScopeDocument *d, Change *c, Mark *none, GError **error)
{
  c->made |= !c->name;
  for (guint n = d->marks->list->len + 1; c->made; ++n) {
    g_free (c->name);
    c->name = g_strdup_printf (_ ("Mark %u"), n);
    if (!marks_find (d->marks, c->name))
      break;
  }
  return marks_add (d->marks, c->name, c->date, c->notes, error) != NULL;
}

bool
scope_document_add_mark (ScopeDocument *d, const char *name, int64_t date, const char *notes)
{
  Change c = { document_marks_add, .name = g_strdup (name), .notes = g_strdup (notes ? notes : ""), .date = date };

  document_marks_take_over (d);
  if (d->marks)
    return document_marks_change (d, &c);
  scope_document_say (d, SCOPE_SAY_ERROR, _ ("The marks of this trace cannot be understood, so none can be added"));
  g_free (c.name);
  g_free (c.notes);
  return false;
}

static bool
document_marks_edit (ScopeDocument *d, Change *c, Mark *m, GError **error)
{
  return marks_edit (d->marks, m, c->name, c->dated ? &c->date : NULL, c->notes, error);
}

bool
scope_document_edit_mark (ScopeDocument *d, Mark *m, const char *name, const int64_t *date, const char *notes)
{
  Change c = { document_marks_edit, g_strdup (m->name), g_strdup (name),
               g_strdup (notes),    .dated = date,      .date = date ? *date : 0 };

  return document_marks_change (d, &c);
}

static bool
document_marks_draw (ScopeDocument *d, Change *c, Mark *m, GError **error)
{
  return mark_drawing_save (d->marks, m, c->drawing, error);
}

bool
scope_document_draw_mark (ScopeDocument *d, Mark *m, MarkDrawing *drawing)
{
  g_autofree char *gone = drawing->strokes->len ? NULL : g_strdup (drawing->file);
  Change c = { document_marks_draw, g_strdup (m->name), .drawing = drawing };
  bool ok = document_marks_change (d, &c);

  if (ok && gone)
    mark_drawing_drop (d->marks, gone);
  return ok;
}

static bool
document_marks_take_away (ScopeDocument *d, Change *c, Mark *m, GError **error)
{
  marks_remove (d->marks, m);
  return true;
}

bool
scope_document_remove_mark (ScopeDocument *d, Mark *m)
{
  Change c = { document_marks_take_away, .mark = g_strdup (m->name) };

  return document_marks_change (d, &c);
}

/* Who keeps a camera of its own; NULL: it has none, or has not been seen. */
static const ViewCamera *
document_marks_camera_of (EveComponent *c)
{
  const ViewCamera *camera = view_camera (c);

  return camera && camera->keeper (c) == c ? camera : NULL;
}

bool
scope_document_has_cameras (ScopeDocument *d)
{
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; p && i < eve_n_components (p); ++i)
    if (document_marks_camera_of (eve_component (p, i)))
      return true;
  return false;
}

static bool
document_marks_place (ScopeDocument *d, Change *c, Mark *m, GError **error)
{
  EveProgram *p = scope_document_program (d);
  bool ok = true;

  marks_unplace (d->marks, m);
  for (uint32_t i = 0; c->holds && p && ok && i < eve_n_components (p); ++i) {
    EveComponent *view = eve_component (p, i);
    const ViewCamera *camera = document_marks_camera_of (view);
    g_autofree char *from = camera ? camera->place (view) : NULL;
    ok = !from || marks_place (d->marks, m, eve_name (view), from, error);
  }
  return ok;
}

bool
scope_document_place_mark (ScopeDocument *d, Mark *m, bool holds)
{
  Change c = { document_marks_place, .mark = g_strdup (m->name), .holds = holds };

  return document_marks_change (d, &c);
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
document_marks_others_of (const Session *s)
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
  d->others = document_marks_others_of (s);
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
  g_autofree char *others = document_marks_others_of (d->session);
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

/* ---- files that somebody else changes ------------------------------------------------------------------------------- */
#define SETTLE_MS 150 /* after the last sign that one is written */

static gboolean
document_marks_on_settled (gpointer document)
{
  ScopeDocument *d = document;

  d->settling_marks = 0;
  if (document_marks_take_over (d)) {
    document_marks_watch (d);
    document_tell (d, DOC_MARKS);
  }
  return G_SOURCE_REMOVE;
}

static void
document_marks_on_written (ScopeDocument *d)
{
  g_clear_handle_id (&d->settling_marks, g_source_remove);
  d->settling_marks = g_timeout_add (SETTLE_MS, document_marks_on_settled, d);
}

static void
document_marks_unwatch (gpointer monitor)
{
  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

/* The file, also where there is none yet; for a bundle that is not written to it comes beside that. */
void
document_marks_watch (ScopeDocument *d)
{
  g_autofree char *own = d->marks && d->marks->beside ? marks_beside (d->marks) : NULL,
                  *in = g_build_filename (d->session->trace, "marks.xml", NULL);
  const char *paths[] = { d->marks ? d->marks->path : in, own };
  g_autofree char *watched = g_strdup_printf ("%s\n%s", paths[0], own ? own : "");

  if (g_strcmp0 (watched, d->watched_marks) == 0)
    return;
  g_free (d->watched_marks);
  d->watched_marks = g_steal_pointer (&watched);
  g_clear_pointer (&d->mark_files, g_ptr_array_unref);
  d->mark_files = g_ptr_array_new_with_free_func (document_marks_unwatch);
  for (guint i = 0; i < G_N_ELEMENTS (paths); ++i) {
    g_autoptr (GFile) file = paths[i] ? g_file_new_for_path (paths[i]) : NULL;
    GFileMonitor *m = file ? g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL) : NULL;
    if (!m || (i > 0 && g_strcmp0 (paths[i], paths[0]) == 0)) { /* read when it is saved, or opened again */
      g_clear_object (&m);
      continue;
    }
    g_signal_connect_swapped (m, "changed", G_CALLBACK (document_marks_on_written), d);
    g_ptr_array_add (d->mark_files, m);
  }
}

void
document_marks_begin (ScopeDocument *d)
{
  g_autoptr (GError) error = NULL;

  d->marks = marks_load (d->session->trace, &d->session->source->clock, &error);
  if (!d->marks && error)
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  load_other_marks (d);
  document_marks_watch (d);
}

void
document_marks_end (ScopeDocument *d)
{
  g_clear_handle_id (&d->settling_marks, g_source_remove);
  g_clear_pointer (&d->mark_files, g_ptr_array_unref);
  g_clear_pointer (&d->watched_marks, g_free);
  g_clear_pointer (&d->marks, marks_free);
  g_clear_pointer (&d->other_marks, g_ptr_array_unref);
  g_clear_pointer (&d->others, g_free);
}
