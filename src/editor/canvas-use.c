/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-use.c - boxes that are off, bypassed or replaced, and the points that wires go through. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

/* ---- off and bypassed -------------------------------------------------------------------------------------------------- */
/* Who plays the trace cannot be left out: without it nothing is open. */
static char *
why_needed (EditorCanvas *w, EveComponent *c)
{
  if (c == scope_document_session (w->d)->controller)
    return g_strdup_printf (_ ("%s drives what is played: a program cannot do without it"), eve_name (c));
  if (eve_query (c, "trace-reader/1"))
    return g_strdup_printf (_ ("%s gives what is played: a program cannot do without it"), eve_name (c));
  return NULL;
}

void
canvas_set_use (EditorCanvas *w, EveUse use)
{
  g_autoptr (GPtrArray) chosen = canvas_selection (w);
  g_autoptr (GError) error = NULL;
  bool all = true;
  if (!chosen->len) {
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("Select the boxes that shall be %s"), eve_use_name (use));
    return;
  }
  for (guint i = 0; i < chosen->len; i++)
    all &= eve_use (chosen->pdata[i]) == use;
  EveUse wanted = all ? EVE_WORKS : use;
  for (guint i = 0; wanted != EVE_WORKS && i < chosen->len; i++) {
    g_autofree char *no = why_needed (w, chosen->pdata[i]);
    if (!no && wanted == EVE_BYPASSED)
      no = eve_why_no_bypass (chosen->pdata[i]);
    if (no) {
      scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", no);
      return;
    }
  }
  g_autofree char *what = chosen->len == 1 ? g_strdup (eve_name (chosen->pdata[0]))
                                           : g_strdup_printf (_ ("%u boxes"), chosen->len);
  canvas_begin (w,
                wanted == EVE_OFF        ? _ ("Switch %s off")
                : wanted == EVE_BYPASSED ? _ ("Bypass %s")
                                         : _ ("Let %s work again"),
                what);
  for (guint i = 0; i < chosen->len && !error; i++)
    eve_set_use (chosen->pdata[i], wanted, &error);
  canvas_end (w);
  if (error)
    scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", error->message);
}

/* ---- replaced ------------------------------------------------------------------------------------------------------------ */
bool
canvas_replace (EditorCanvas *w, EveComponent *c, const EveClass *k)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *name = g_strdup (eve_name (c)), *no = why_needed (w, c);
  if (no) {
    scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", no);
    return false;
  }
  canvas_begin (w, _ ("Replace %s with %s"), name, in_words (k->label));
  EveComponent *new = edits_replace (canvas_program (w), c, k, lost, &error);
  if (new)
    canvas_select_components (w, &new, 1);
  canvas_end (w);
  if (!new)
    scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", error->message);
  else if (lost->len) {
    g_ptr_array_add (lost, NULL);
    g_autofree char *all = g_strjoinv (", ", (char **) lost->pdata);
    scope_document_say (w->d, SCOPE_SAY_NOTE, _ ("%s has no port for %s of %s: %s"), in_words (k->label),
                        lost->len == 2 ? _ ("a wire") : _ ("some wires"), name, all);
  }
  return new != NULL;
}

/* ---- points of wires ------------------------------------------------------------------------------------------------------ */
void
canvas_move_bends (EditorCanvas *w, const GPtrArray *boxes, double dx, double dy)
{
  for (guint i = 0; i < w->sketch->notes->bends->len; i++) {
    Bend *b = w->sketch->notes->bends->pdata[i];
    const SketchBox *from = sketch_box (w->sketch, b->from), *to = sketch_box (w->sketch, b->to);
    if (from && to && g_ptr_array_find ((GPtrArray *) boxes, from, NULL)
        && g_ptr_array_find ((GPtrArray *) boxes, to, NULL)) {
      b->x += dx;
      b->y += dy;
    }
  }
}

void
canvas_keep_bends (EditorCanvas *w, const char *what)
{
  canvas_begin (w, "%s", what);
  notes_write (canvas_program (w), w->sketch->notes);
  canvas_end (w);
}

void
canvas_add_bend (EditorCanvas *w, SketchWire *wire, double x, double y)
{
  notes_add_bend (w->sketch->notes, eve_name (wire->from), wire->out, eve_name (wire->to), wire->in,
                  sketch_bend_before (wire, x, y), SKETCH_GRID * round (x / SKETCH_GRID),
                  SKETCH_GRID * round (y / SKETCH_GRID));
  canvas_keep_bends (w, _ ("Bend a wire"));
}

void
canvas_remove_bends (EditorCanvas *w, SketchWire *wire, guint bend)
{
  Notes *n = w->sketch->notes;
  g_autoptr (GPtrArray) gone = g_ptr_array_copy (wire->bends, NULL, NULL);
  const Bend *one = bend ? wire->bends->pdata[bend - 1] : NULL;
  g_ptr_array_set_size (wire->bends, 0);
  for (guint i = 0; i < gone->len; i++)
    if (!one || gone->pdata[i] == one)
      g_ptr_array_remove (n->bends, gone->pdata[i]);
  canvas_keep_bends (w, bend ? _ ("Take a point of a wire away") : _ ("Straighten a wire"));
}
