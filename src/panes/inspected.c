/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/inspected.h"
#include <math.h>
#include <string.h>
#include "document/story.h"
#include "eve/number.h"
#include "eve/words.h"
#include "panes/facts.h"
#include "readers/more.h"
#include "session/cut.h"
#include "views/paint.h"

static void
fact_free (gpointer at)
{
  InspectedFact *f = at;

  g_free (f->name);
  g_free (f->value);
  g_free (f);
}

static InspectedFact *
inspected_add (GPtrArray *facts, char *name, char *value, double number, int decimals)
{
  InspectedFact *f = g_new0 (InspectedFact, 1);

  f->name = name;
  f->value = value;
  f->number = number;
  f->decimals = decimals;
  g_ptr_array_add (facts, f);
  return f;
}

static InspectedFact *
add_count (GPtrArray *facts, char *name, double n)
{
  g_autofree char *digits = g_strdup_printf ("%.0f", n);

  return inspected_add (facts, name, paint_in_threes (digits, false), n, 0);
}

/* What the model says of an object, attribute by attribute. */
static void
inspected_add_attributes (GPtrArray *facts, ScopeDocument *d, const StateGraph *g, StateScope scope, uint32_t object)
{
  int64_t at = scope_document_at (d);

  for (uint32_t i = 0; i < g->model->n_attributes; i++) {
    const StateAttribute *a = &g->model->attributes[i];
    bool counts = a->kind == STATE_INT || a->kind == STATE_REAL || a->kind == STATE_PERCENT || a->kind == STATE_DATE;
    if (a->scope != scope)
      continue;
    char *value = facts_value (g, i, object, at);
    double number = counts && *value != '\0' ? state_number (g, i, object, MAX (at, g->clock)) : NAN;
    InspectedFact *f = inspected_add (facts, facts_label (a), value, number,
                                      a->kind == STATE_INT       ? 0
                                      : a->kind == STATE_PERCENT ? 1
                                                                 : -1);
    /* Columns that are held outlive the model, which goes with an edit of the program. */
    f->unit = a->unit != NULL && *a->unit != '\0' ? g_intern_string (a->unit) : NULL;
    f->doc = g_intern_string (in_words (a->doc));
  }
}

static void
add_told (void *facts, const TraceTold *one)
{
  char *end;
  const char *value = one->value;
  double number = g_ascii_strtod (value, &end);

  inspected_add (facts, g_strdup (trace_told_name (one)), g_strdup (trace_told_value (one)),
                 end != value && *end == '\0' ? number : NAN, -1);
}

/* What components of the program add to it; not while time moves, which is not what they are asked of. */
static void
inspected_add_more (GPtrArray *facts, ScopeDocument *d, TraceRef what)
{
  Session *session = scope_document_session (d);
  const TraceAll *all = session != NULL && scope_document_mode (d) != SCOPE_MODE_PLAYING ? session_more (session)
                                                                                         : NULL;

  for (uint32_t i = 0; all != NULL && i < all->n; i++)
    all->of[i].more->tell (all->of[i].component, what, NULL, add_told, facts);
  facts_waits (d, what, add_told, facts);
}

/* ---- the graph itself ------------------------------------------------------------------------------------------------ */

#define STATES_MOST 12 /* of a trace that names its states there may be as many as it has tasks */

static int
by_count (const void *a, const void *b, void *data)
{
  const uint32_t *count = data, x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  if (count[x] != count[y])
    return count[x] > count[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static int
inspected_by_number (const void *a, const void *b, void *data)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return x < y ? -1 : x > y;
}

/* Which states have rows, in the order of the model: all if they are few, else those that most are in. */
static uint32_t *
states_shown (const uint32_t *count, uint32_t n_values, uint32_t *n)
{
  uint32_t *shown = g_new (uint32_t, n_values + 1);

  *n = 0;
  for (uint32_t k = 0; k < n_values; k++)
    if (count[k] > 0 || n_values <= STATES_MOST)
      shown[(*n)++] = k;
  if (*n <= STATES_MOST)
    return shown;
  g_qsort_with_data (shown, (int) *n, sizeof *shown, by_count, (void *) count);
  *n = STATES_MOST;
  g_qsort_with_data (shown, (int) *n, sizeof *shown, inspected_by_number, NULL);
  return shown;
}

/* "Tasks", and how many of them are in each state. */
static void
inspected_add_states (GPtrArray *facts, const StateGraph *g, StateScope scope)
{
  int state = state_with_role (g->model, scope, STATE_ROLE_STATE);
  uint32_t n = scope == STATE_NODE ? g->n_nodes : g->n_edges, value;
  const char *all = scope == STATE_NODE ? _ ("Tasks") : _ ("Links");
  const StateAttribute *a = state >= 0 ? &g->model->attributes[state] : NULL;
  g_autofree uint32_t *count = g_new0 (uint32_t, (a != NULL ? a->n_values : 0) + 1);

  add_count (facts, g_strdup (all), state_count (g, scope));
  if (a == NULL)
    return;
  for (uint32_t i = 0; i < n; i++)
    if (state_present (g, scope, i) && state_value_of (g, state, i, &value))
      count[MIN (value, a->n_values)]++;
  uint32_t n_shown, others = 0;
  g_autofree uint32_t *shown = states_shown (count, a->n_values, &n_shown);
  for (uint32_t k = 0; k < a->n_values; k++)
    others += count[k];
  for (uint32_t i = 0; i < n_shown; i++) {
    uint32_t k = shown[i];
    others -= count[k];
    InspectedFact *f = add_count (facts, g_strdup_printf (_ ("%s: %s"), all, state_value_word (&a->values[k])),
                                  count[k]);
    f->doc = g_intern_string (in_words (a->values[k].doc));
  }
  if (others > 0)
    add_count (facts, g_strdup_printf (_ ("%s: other states"), all), others)->doc = _ (
        "In states that fewer are in, each of which has no row of its own");
}

/* How many links tasks have, to and from others. */
static void
add_degrees (GPtrArray *facts, const StateGraph *g)
{
  g_autofree uint32_t *degree = g_new0 (uint32_t, g->n_nodes + 1);
  uint32_t least = UINT32_MAX, most = 0, from, to, n = 0;
  double sum = 0;

  for (uint32_t i = 0; i < g->n_edges; i++) {
    if (!state_present (g, STATE_EDGE, i))
      continue;
    g->edge_ends (g, i, &from, &to);
    degree[from]++;
    if (to != from)
      degree[to]++;
  }
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (!state_present (g, STATE_NODE, i))
      continue;
    n++;
    sum += degree[i];
    least = MIN (least, degree[i]);
    most = MAX (most, degree[i]);
  }
  if (n == 0)
    return;
  add_count (facts, g_strdup (_ ("Links of a task, least")), least);
  inspected_add (facts, g_strdup (_ ("Links of a task, mean")), number_local (g_strdup_printf ("%.2f", sum / n)),
                 sum / n, 2);
  add_count (facts, g_strdup (_ ("Links of a task, most")), most);
}

static void
inspected_add_messages (GPtrArray *facts, const StateGraph *g)
{
  if (g->model->messages == NULL)
    return;
  StateTotals t = state_totals (g);
  double bytes = (double) (t.sent_bytes - t.received_bytes);

  add_count (facts, g_strdup (_ ("Messages sent")), (double) t.sent);
  add_count (facts, g_strdup (_ ("Messages received")), (double) t.received);
  add_count (facts, g_strdup (_ ("Messages under way")), (double) (t.sent - t.received))->doc = _ (
      "Sent, and not received yet");
  add_count (facts, g_strdup (_ ("Bytes under way")), bytes)->unit = "B";
}

/* Which groups tasks are shown in. */
static void
add_hierarchy (GPtrArray *facts, ScopeDocument *d)
{
  Session *session = scope_document_session (d);
  ViewScene scene = { 0 };

  scope_document_scene (d, &scene);
  scene.source = scope_document_view_source (d);
  const Groups *groups = session != NULL && scene.source != NULL ? session_groups (session, &scene) : NULL;
  inspected_add (facts, g_strdup (_ ("Groups by")),
                 g_strdup (groups != NULL ? in_words (groups->hierarchy) : _ ("nothing")), NAN, -1);
  if (groups == NULL)
    return;
  add_count (facts, g_strdup (_ ("Groups")), groups->n);
  add_count (facts, g_strdup (_ ("Parts that are shown")), groups->n_parts);
}

static void
add_graph (GPtrArray *facts, ScopeDocument *d, const StateGraph *g)
{
  inspected_add_attributes (facts, d, g, STATE_GRAPH, 0);
  inspected_add_states (facts, g, STATE_NODE);
  inspected_add_states (facts, g, STATE_EDGE);
  add_degrees (facts, g);
  inspected_add_messages (facts, g);
  add_hierarchy (facts, d);
  add_count (facts, g_strdup (_ ("Events simulated")), (double) g->n_events);
  add_count (facts, g_strdup (_ ("Events that cannot be")), (double) g->n_impossible);
}

/* ---- a message -------------------------------------------------------------------------------------------------------- */

static bool
inspected_add_message (GPtrArray *facts, ScopeDocument *d, TraceSource *s, TraceRef message)
{
  const Names *names;
  MessagesReader *reader = NULL;
  const TraceSource *of = NULL;
  StateMessage m = { 0 };
  uint32_t from, to;
  int64_t sent, received;

  if (!trace_ref_dates (message, &sent, &received) || !trace_ref_ends (message, &from, &to))
    return false;
  inspected_add (facts, g_strdup (_ ("From")), facts_task (s, from), NAN, -1);
  inspected_add (facts, g_strdup (_ ("To")), facts_task (s, to), NAN, -1);
  if (story_readers (d, &names, &reader, &of) && reader != NULL
      && messages_reader_find (reader, from, to, sent, received, &m)) {
    add_count (facts, g_strdup (_ ("Tag")), m.tag);
    add_count (facts, g_strdup (_ ("Size")), (double) m.size)->unit = "B";
  }
  if (sent != INT64_MIN)
    inspected_add (facts, g_strdup (_ ("Sent")), axis_date (&s->clock, sent, -1), trace_clock_seconds (&s->clock, sent),
                   -1);
  inspected_add (facts, g_strdup (_ ("Received")), axis_date (&s->clock, received, -1),
                 trace_clock_seconds (&s->clock, received), -1);
  if (sent != INT64_MIN) {
    double ticks = (double) received - (double) sent;
    inspected_add (facts, g_strdup (_ ("Under way")), axis_duration (&s->clock, ticks),
                   trace_clock_seconds (&s->clock, received) - trace_clock_seconds (&s->clock, sent), -1);
  }
  return true;
}

/* ---- any ---------------------------------------------------------------------------------------------------------------- */

GPtrArray *
inspected_facts (ScopeDocument *d, TraceRef what, uint32_t *guess, char **sentence)
{
  GPtrArray *facts = g_ptr_array_new_with_free_func (fact_free);
  const StateGraph *g = scope_document_graph (d);
  TraceSource *s = scope_document_view_source (d);
  uint32_t from, to;

  *sentence = NULL;
  if (what.type == TRACE_REF_MESSAGE && s != NULL && what.source == s->number
      && inspected_add_message (facts, d, s, what)) {
    inspected_add_more (facts, d, what);
    return facts;
  }
  if (s == NULL || (what.type != TRACE_REF_NONE && what.source != s->number)) {
    *sentence = g_strdup (_ ("It is of another trace than the view at work."));
    return facts;
  }
  if (g == NULL) {
    *sentence = g_strdup (_ ("The program has no simulator whose state could be shown."));
    return facts;
  }
  if (what.type == TRACE_REF_NONE) {
    add_graph (facts, d, g);
    return facts;
  }
  bool link = what.type == TRACE_REF_LINK && trace_ref_ends (what, &from, &to);
  *guess = link                          ? facts_edge (g, s, from, to, *guess)
           : what.type == TRACE_REF_TASK ? facts_node (g, s, what.id, *guess)
                                         : TRACE_NONE;
  if (*guess == TRACE_NONE || !state_present (g, link ? STATE_EDGE : STATE_NODE, *guess)) {
    *sentence = facts_absent (d, s, link);
    return facts;
  }
  inspected_add_attributes (facts, d, g, link ? STATE_EDGE : STATE_NODE, *guess);
  inspected_add_more (facts, d, what);
  return facts;
}

char *
inspected_title (ScopeDocument *d, TraceRef what)
{
  TraceSource *s = scope_document_view_source (d);
  uint32_t from, to;

  if (what.type == TRACE_REF_NONE)
    return g_strdup (_ ("State graph"));
  if (s != NULL && s->number == what.source && what.type == TRACE_REF_TASK)
    return facts_task (s, what.id);
  if (s != NULL && s->number == what.source && trace_ref_ends (what, &from, &to)) {
    g_autofree char *a = facts_task (s, from), *b = facts_task (s, to);
    return g_strdup_printf (what.type == TRACE_REF_MESSAGE ? _ ("Message %s \u2192 %s") : "%s \u2192 %s", a, b);
  }
  GString *name = g_string_new (NULL);
  trace_ref_name (what, false, name);
  return g_string_free (name, FALSE);
}

char *
inspected_brief (ScopeDocument *d, TraceRef what)
{
  GString *name = g_string_new (NULL);

  if (what.type == TRACE_REF_NONE)
    g_string_append (name, _ ("State graph"));
  else
    trace_ref_name (what, false, name);
  return g_string_free (name, FALSE);
}

char *
inspected_difference (const InspectedFact *from, const InspectedFact *to)
{
  double by = to->number - from->number;

  if (!isfinite (by) || by == 0)
    return NULL;
  g_autofree char *digits = to->decimals < 0 ? g_strdup_printf ("%.6g", fabs (by))
                                             : g_strdup_printf ("%.*f", to->decimals, fabs (by));
  g_autofree char *grouped = to->decimals == 0 ? paint_in_threes (digits, false) : number_local (g_strdup (digits));
  return g_strconcat (by < 0 ? "\u2212" : "+", grouped, NULL);
}
