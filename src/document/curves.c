/* SPDX-License-Identifier: Apache-2.0 */
/* curves.c - from a number in a picture to its history: a presenter that tells the attribute of the one whom it is of,
 * wired to what draws it. */
#include "document/curves.h"
#include "eve/words.h"
#include <string.h>
#include "document/edits.h"
#include "session/session.h"
#include "statistics/types.h"

#define PRESENTER "scope.state-presenter"
#define CHANGES "changes"
#define DATED "dated"
#define BELOW_PX 90
#define BESIDE_PX 210

/* What a number is of. */
typedef struct Number {
  EveComponent *simulator;
  const StateGraph *graph;
  const StateAttribute *attribute;
  char *object; /* as the presenter calls it; g_free */
  const char *scope;
} Number;

static bool
find_number (EveComponent *view, const DrawingTag *tag, Number *n)
{
  *n = (Number){ .simulator = session_simulator_above (view) };
  const StateGraph *g = n->simulator ? eve_query (n->simulator, "state-graph/1") : NULL;
  bool link = tag->what.type == TRACE_REF_LINK;
  StateScope scope = link ? STATE_EDGE : STATE_NODE;
  int i = g && tag->attribute && !tag->value ? state_attribute (g->model, scope, tag->attribute) : -1;

  if (i < 0 || (!link && tag->what.type != TRACE_REF_TASK && tag->what.type != TRACE_REF_NODE))
    return false;
  n->graph = g;
  n->attribute = &g->model->attributes[i];
  n->scope = link ? "link" : "node";
  StateKind kind = n->attribute->kind;
  return kind == STATE_INT || kind == STATE_REAL || kind == STATE_PERCENT;
}

static void
name_number (const DrawingTag *tag, Number *n)
{
  g_autoptr (GString) id = g_string_new (NULL);

  trace_ref_name (tag->what, true, id);
  n->object = g_string_free (g_steal_pointer (&id), FALSE);
}

bool
curves_can (ScopeDocument *d, EveComponent *view, const DrawingTag *tag)
{
  Number n;

  return scope_document_is_open (d) && view && find_number (view, tag, &n);
}

const char *
curves_input (EveComponent *chart)
{
  return !eve_is_ghost (chart) && view_get (chart) ? edits_class_port (eve_class (chart), &stats_type_datum, false)
                                                   : NULL;
}

GPtrArray *
curves_charts (ScopeDocument *d)
{
  GPtrArray *to = g_ptr_array_new ();
  EveProgram *p = scope_document_program (d);

  for (uint32_t i = 0; p && i < eve_n_components (p); i++)
    if (curves_input (eve_component (p, i)))
      g_ptr_array_add (to, eve_component (p, i));
  return to;
}

/* ---- what is there already ------------------------------------------------------------------------------------------- */

static bool
curves_has_setting (EveComponent *c, const char *name, const char *value)
{
  g_autofree char *its = eve_get (c, name);

  return g_strcmp0 (its, value) == 0;
}

static bool
curves_is_wired (EveProgram *p, EveComponent *from, const char *out, EveComponent *to)
{
  for (uint32_t i = 0; i < eve_n_flows (p); i++) {
    EveWire w = eve_flow (p, i);
    if (w.from == from && w.to == to && g_str_equal (w.out, out) && !w.broken)
      return true;
  }
  return false;
}

static EveComponent *
find_presenter (EveProgram *p, const Number *n)
{
  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    if (g_str_equal (eve_class_id (c), PRESENTER) && curves_has_setting (c, "of", n->scope)
        && curves_has_setting (c, "attribute", n->attribute->name) && curves_has_setting (c, "object", n->object)
        && curves_is_wired (p, n->simulator, CHANGES, c))
      return c;
  }
  return NULL;
}

/* A chart of the class that shows this already. */
static EveComponent *
find_chart (EveProgram *p, EveComponent *presenter, const char *id)
{
  for (uint32_t i = 0; presenter && i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    if (g_str_equal (eve_class_id (c), id) && curves_is_wired (p, presenter, DATED, c))
      return c;
  }
  return NULL;
}

/* Why a chart cannot show it, a sentence to g_free; NULL: it can.  A curve has one scale, so another unit is none of
 * it. */
static char *
curves_why_not (EveProgram *p, EveComponent *chart, const Number *n)
{
  bool curve = g_str_equal (eve_class_id (chart), "scope.curve");

  for (uint32_t i = 0; i < eve_n_flows (p); i++) {
    EveWire w = eve_flow (p, i);
    if (w.to != chart || w.broken || !g_str_equal (eve_class_id (w.from), PRESENTER))
      continue;
    g_autofree char *name = eve_get (w.from, "attribute"), *of = eve_get (w.from, "of");
    StateScope scope = g_str_equal (of, "link") ? STATE_EDGE : g_str_equal (of, "node") ? STATE_NODE : STATE_GRAPH;
    int k = state_attribute (n->graph->model, scope, name);
    const char *unit = k >= 0 ? n->graph->model->attributes[k].unit : NULL;
    if (curve && k >= 0 && g_strcmp0 (unit, n->attribute->unit) != 0)
      return g_strdup_printf (_ ("%s shows %s in %s, and %s is in %s: a curve has one scale"), eve_name (chart), name,
                              unit ? unit : _ ("plain numbers"), n->attribute->name,
                              n->attribute->unit ? n->attribute->unit : _ ("plain numbers"));
  }
  return NULL;
}

/* ---- the edit ---------------------------------------------------------------------------------------------------------- */

/* A name that is taken gets what it is behind it; one that cannot be had is made up. */
static EveComponent *
curves_add (EveProgram *p, const char *id, const char *name, GError **error)
{
  const EveClass *k = eve_registry_find (id);

  if (!k) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("There is no component “%s”"), id);
    return NULL;
  }
  g_autofree char *longer = g_strdup_printf (_ ("%s: %s"), name, k->label);
  EveComponent *c = eve_add (p, k, name, NULL);
  if (!c)
    c = eve_add (p, k, longer, NULL);
  return c ? c : eve_add (p, k, NULL, error);
}

/* Below everything, so that nothing is covered. */
static void
lowest (EveProgram *p, double *y)
{
  *y = 0;
  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    double its_x, its_y;
    eve_position (eve_component (p, i), &its_x, &its_y);
    *y = MAX (*y, its_y);
  }
}

static EveComponent *
add_presenter (EveProgram *p, const Number *n, const char *name, GError **error)
{
  g_autofree char *own = g_strconcat (name, _ (", dated"), NULL);
  double x, y, below;
  EveComponent *c = curves_add (p, PRESENTER, own, error);

  if (!c || !eve_set (c, "of", n->scope, error) || !eve_set (c, "attribute", n->attribute->name, error)
      || !eve_set (c, "object", n->object, error)
      || !eve_connect (p, n->simulator, CHANGES, c, eve_class (c)->ins[0].name, error))
    return NULL;
  eve_position (n->simulator, &x, &y);
  eve_set_position (c, 0, 0);
  lowest (p, &below);
  eve_set_position (c, x + BESIDE_PX, below + BELOW_PX);
  return c;
}

/* Gives the chart, or NULL. */
static EveComponent *
wire (EveProgram *p, const Number *n, const char *name, EveComponent *chart, const char *id, GError **error)
{
  EveComponent *presenter = find_presenter (p, n), *shown = chart ? chart : find_chart (p, presenter, id);

  if (shown && presenter && curves_is_wired (p, presenter, DATED, shown))
    return shown;
  if (!presenter)
    presenter = add_presenter (p, n, name, error);
  if (presenter && !shown) {
    double x, y;
    shown = curves_add (p, id, name, error);
    eve_position (presenter, &x, &y);
    if (shown)
      eve_set_position (shown, x + BESIDE_PX, y);
  }
  const char *in = shown ? curves_input (shown) : NULL;
  return presenter && in && eve_connect (p, presenter, DATED, shown, in, error) ? shown : NULL;
}

bool
curves_show (ScopeDocument *d, EveComponent *view, const DrawingTag *tag, EveComponent *chart, const char *id)
{
  EveProgram *p = scope_document_program (d);
  g_autoptr (GError) error = NULL;
  Number n;

  if (!find_number (view, tag, &n)) {
    scope_document_say (d, SCOPE_SAY_NOTE, _ ("That is no number which could be shown over time"));
    return false;
  }
  name_number (tag, &n);
  g_autofree char *object = n.object, *name = g_strdup_printf (_ ("%s of %s"), n.attribute->name, object),
                  *why = chart ? curves_why_not (p, chart, &n) : NULL;
  if (why) {
    scope_document_say (d, SCOPE_SAY_NOTE, "%s", why);
    return false;
  }
  g_autofree char *what = g_strdup_printf (_ ("Show %s"), name);
  scope_document_begin_edit (d, what);
  EveComponent *shown = wire (p, &n, name, chart, id, &error);
  g_autofree char *front = shown ? g_strdup (eve_name (shown)) : NULL;
  scope_document_end_edit (d);
  if (!shown)
    scope_document_say (d, SCOPE_SAY_ERROR, _ ("%s cannot be shown: %s"), name, error ? error->message : "?");
  else
    g_signal_emit_by_name (d, "front", front);
  return shown != NULL;
}
