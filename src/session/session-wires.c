/* SPDX-License-Identifier: Apache-2.0 */
/* session-wires.c - which simulator and which trace a component is about: those that its wires lead to. */
#include <string.h>
#include "readers/more.h"
#include "session/session.h"
#include "eve/words.h"
#include "session/cut.h"

#define MOST_NAMED 4 /* traces, in the title of a picture */

TraceSource *
session_source_of (EveComponent *reader)
{
  return ((const TraceReader *) eve_query (reader, "trace-reader/1"))->source (reader);
}

/* The component itself or the nearest above it that speaks an interface. */
static EveComponent *
session_wires_nearest (EveComponent *c, const char *interface_name)
{
  g_autoptr (GPtrArray) above = NULL;

  if (!eve_is_ghost (c) && eve_query (c, interface_name))
    return c;
  above = eve_find_above (c, interface_name);
  return above->len ? above->pdata[0] : NULL;
}

EveComponent *
session_simulator_above (EveComponent *c)
{
  return session_wires_nearest (c, "state-graph/1");
}

EveComponent *
session_reader_above (EveComponent *c)
{
  return session_wires_nearest (c, "trace-reader/1");
}

GPtrArray *
session_simulators (const Session *s)
{
  GPtrArray *all = g_ptr_array_new ();

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (!eve_is_ghost (c) && eve_query (c, "state-graph/1"))
      g_ptr_array_add (all, c);
  }
  return all;
}

/* Who feeds a component, by name, and whether readers are among them. */
static char *
fed_by (const Session *s, const EveComponent *c, bool *reader)
{
  GString *names = g_string_new (NULL);

  *reader = false;
  for (uint32_t i = 0; i < eve_n_flows (s->program); ++i) {
    EveWire w = eve_flow (s->program, i);
    if (w.to != c || w.broken)
      continue;
    *reader |= !eve_is_ghost (w.from) && eve_query (w.from, "trace-reader/1");
    g_string_append_printf (names, "%s%s", names->len ? ", " : "", eve_name (w.from));
  }
  return g_string_free (names, FALSE);
}

/* The best of those that a reader feeds, which may be NULL: one that gets all events of the trace goes before one
 * behind a filter.  `any`: and that before one of another trace. */
static EveComponent *
best_simulator (const Session *s, EveComponent *reader, bool any)
{
  g_autoptr (GPtrArray) all = session_simulators (s);
  EveComponent *best = NULL;
  int most = any ? -1 : 0;

  for (guint i = 0; i < all->len; ++i) {
    bool straight = false;
    bool mine = reader && session_reader_above (all->pdata[i]) == reader;
    g_autofree char *names = fed_by (s, all->pdata[i], &straight);
    int rank = mine ? 1 + straight : 0;
    if (rank > most) {
      most = rank;
      best = all->pdata[i];
    }
  }
  return best;
}

EveComponent *
session_leading_simulator (const Session *s)
{
  return best_simulator (s, s->reader, true);
}

EveComponent *
session_simulator_of (const Session *s, EveComponent *reader)
{
  return best_simulator (s, reader, false);
}

static void
execution_clear (gpointer execution)
{
  g_free (((SessionExecution *) execution)->name);
}

static void
add_execution (const Session *s, EveComponent *reader, GArray *to)
{
  SessionExecution e = { .reader = reader, .source = session_source_of (reader) };
  guint named = 1;

  if (!e.source)
    return;
  e.simulator = session_simulator_of (s, reader);
  for (guint i = 0; i < to->len; ++i) {
    SessionExecution *other = &g_array_index (to, SessionExecution, i);
    named += g_str_equal (other->source->name, e.source->name);
    if (!g_str_equal (other->source->path, e.source->path) || other->source->clock.offset != e.source->clock.offset
        || other->source->clocks.by != e.source->clocks.by
        || g_strcmp0 (other->source->reference, e.source->reference) != 0)
      continue;
    if (!other->simulator) { /* the same execution by another reader */
      other->reader = e.reader;
      other->simulator = e.simulator;
      other->source = e.source;
    }
    return;
  }
  e.name = named > 1 ? g_strdup_printf ("%s (%u)", e.source->name, named) : g_strdup (e.source->name);
  g_array_append_val (to, e);
}

GArray *
session_executions (const Session *s)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (SessionExecution));

  g_array_set_clear_func (all, execution_clear);
  if (s->reader)
    add_execution (s, s->reader, all);
  for (guint i = 0; i < s->readers->len; ++i)
    if (s->readers->pdata[i] != s->reader)
      add_execution (s, s->readers->pdata[i], all);
  return all;
}

void
session_declare_colours (const Session *s, ViewColours *colours)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new ();

  if (s->source)
    g_ptr_array_add (sources, s->source);
  for (guint i = 0; i < s->readers->len; ++i)
    if (session_source_of (s->readers->pdata[i]) && session_source_of (s->readers->pdata[i]) != s->source)
      g_ptr_array_add (sources, session_source_of (s->readers->pdata[i]));
  view_colours_declare (colours, (TraceSource *const *) sources->pdata, sources->len);
}

char *
session_simulator_told (const Session *s)
{
  g_autoptr (GPtrArray) all = session_simulators (s);
  bool straight = false;

  if (!s->simulator)
    return NULL;
  g_autofree char *names = fed_by (s, s->simulator, &straight);
  if (straight && all->len == 1)
    return NULL;
  GString *told = g_string_new (eve_name (s->simulator));
  if (!straight)
    g_string_append_printf (told, _ (", fed by %s"), *names ? names : _ ("nobody"));
  for (guint i = 0, n = 0; i < all->len; ++i)
    if (all->pdata[i] != s->simulator)
      g_string_append_printf (told, "%s%s", n++ ? ", " : _ ("; the program also has "), eve_name (all->pdata[i]));
  return g_string_free (told, FALSE);
}

bool
session_choose_simulator (Session *s, const char *name, GError **error)
{
  g_autoptr (GPtrArray) all = session_simulators (s);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < all->len; ++i) {
    if (g_str_equal (eve_name (all->pdata[i]), name)) {
      s->simulator = all->pdata[i];
      s->graph = eve_query (s->simulator, "state-graph/1");
      return true;
    }
    g_string_append_printf (names, "%s%s", i ? ", " : "", eve_name (all->pdata[i]));
  }
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
               _ ("%s: the program has no simulator called “%s”; it has %s"), s->program_path, name,
               all->len ? names->str : "none");
  return false;
}

char *
session_tasks_folder (const Session *s, EveComponent *reader, const char *film)
{
  const TraceSource *source = reader ? session_source_of (reader) : NULL;

  if (!film || !source || source == s->source || g_str_equal (source->path, s->source->path))
    return g_strdup (film);
  return view_file_name (reader, film, ".tasks");
}

/* ---- the scene of a view -------------------------------------------------------------------------------------------- */

/* The name of a box that is off and has a wire to the view; NULL: there is none. */
static const char *
fed_by_off (EveProgram *p, const EveComponent *view)
{
  for (uint32_t i = 0; i < eve_n_wires (p); ++i) {
    EveWire w = eve_wire (p, i);
    if (w.to == view && eve_use (w.from) == EVE_OFF)
      return eve_name (w.from);
  }
  return NULL;
}

static bool
session_wires_is_wired (EveComponent *view)
{
  const EveClass *k = eve_class (view);

  for (uint32_t i = 0; i < k->n_ins; ++i)
    if (eve_in_connected (eve_base (view)->in[i]))
      return true;
  return k->n_ins == 0;
}

/* Whether it shows tasks, by their numbers, and not values that may come from anywhere. */
static bool
is_about_tasks (EveComponent *view)
{
  for (uint32_t i = 0; i < eve_class (view)->n_ins; ++i) {
    const EveIn *in = eve_base (view)->in[i];
    const EveType *type = eve_in_connected (in) ? eve_in_type (in) : NULL;
    if (type == &trace_type_event || type == &state_type_message || (type && state_is_change (type)))
      return true;
  }
  return false;
}

/* Whether both read the same events, with the same dates. */
static bool
read_alike (const TraceSource *a, const TraceSource *b)
{
  return g_str_equal (a->path, b->path) && a->format == b->format && a->clock.offset == b->clock.offset
         && a->clocks.by == b->clocks.by && g_strcmp0 (a->reference, b->reference) == 0;
}

/* Two traces give the same numbers to different tasks. */
static bool
is_of_one_trace (EveComponent *view, GError **error)
{
  g_autoptr (GPtrArray) readers = eve_find_above (view, "trace-reader/1");
  const TraceSource *one = NULL;

  for (guint i = 0; i < readers->len && is_about_tasks (view); ++i) {
    const TraceSource *s = session_source_of (readers->pdata[i]);
    if (!s || (one && read_alike (one, s)))
      continue;
    if (one && g_str_equal (one->path, s->path)) {
      g_set_error (
          error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
          _ ("The wires of %s lead to %s twice, read with other dates, which it cannot tell apart; give each a "
             "view of its own"),
          eve_name (view), one->name);
      return false;
    }
    if (one) {
      g_set_error (
          error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
          _ ("The wires of %s lead to two executions, %s and %s, whose tasks it cannot tell apart; give each a "
             "view of its own"),
          eve_name (view), one->name, s->name);
      return false;
    }
    one = s;
  }
  return true;
}

/* Executions that are shown side by side have one axis of time, as far as their dates can be compared: all that
 * overlap, or are joined by others, which is the same for each of them. */
static void
span_all (const Session *s, ViewScene *scene)
{
  int64_t from = scene->source->first, to = scene->source->last;

  for (bool more = true; more;) {
    more = false;
    for (guint i = 0; i < s->readers->len; i++) {
      const TraceSource *other = session_source_of (s->readers->pdata[i]);
      if (!other || !other->n_events || other->first > to || other->last < from
          || (other->first >= from && other->last <= to))
        continue;
      from = MIN (from, other->first);
      to = MAX (to, other->last);
      more = true;
    }
  }
  scene->from = from;
  scene->to = to;
}

/* What a picture says of which trace it is, where the program has several: the names of all that its wires lead to;
 * NULL: to none. */
static const char *
name_traces (EveComponent *view)
{
  g_autoptr (GPtrArray) readers = eve_find_above (view, "trace-reader/1");
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GHashTable) paths = g_hash_table_new (g_str_hash, g_str_equal);

  if (!eve_is_ghost (view) && eve_query (view, "trace-reader/1"))
    g_ptr_array_add (readers, view);
  for (guint i = 0; i < readers->len; i++) {
    const TraceSource *s = session_source_of (readers->pdata[i]);
    if (s && g_hash_table_add (paths, s->path) && g_hash_table_size (paths) <= MOST_NAMED)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", s->name);
  }
  if (g_hash_table_size (paths) > MOST_NAMED)
    g_string_append_printf (names, _ (" and %u more"), g_hash_table_size (paths) - MOST_NAMED);
  return names->len ? g_intern_string (names->str) : NULL; /* as many as there are sets of traces in one picture */
}

const TraceAll *
session_more (Session *s)
{
  if (!s->adding) {
    s->adding = g_array_new (FALSE, FALSE, sizeof (TraceAdding));
    s->all = g_new0 (TraceAll, 1);
  }
  g_array_set_size (s->adding, 0);
  for (uint32_t i = 0; i < eve_n_components (s->program); i++) {
    EveComponent *c = eve_component (s->program, i);
    const TraceAdding one = { c, eve_is_ghost (c) ? NULL : eve_query (c, TRACE_MORE) };
    if (one.more)
      g_array_append_val (s->adding, one);
  }
  *s->all = (TraceAll){ s->adding->len, (const TraceAdding *) s->adding->data };
  return s->all;
}

bool
session_scene (Session *s, EveComponent *view, ViewScene *scene, GError **error)
{
  EveComponent *reader = session_reader_above (view), *simulator = session_simulator_above (view);
  TraceSource *source = reader ? session_source_of (reader) : NULL;
  g_autofree char *folder = NULL;

  scene->source = source ? source : s->source;
  scene->graph = simulator ? eve_query (simulator, "state-graph/1") : NULL;
  scene->bundle = scene->source->path;
  scene->trace = s->readers->len > 1 ? name_traces (view) : NULL;
  const View *shown = session_view (view);
  if (s->readers->len > 1 && scene->from > scene->to && scene->source->n_events && shown && shown->plot)
    span_all (s, scene);
  folder = session_tasks_folder (s, reader, scene->film);
  scene->tasks = folder ? g_intern_string (folder) : NULL; /* as many as there are films and readers */
  scene->groups = session_groups (s, scene);
  scene->more = session_more (s);
  if (reader && !source) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("%s, to which the wires of %s lead, has no trace that it "
                    "can read"),
                 eve_name (reader), eve_name (view));
    return false;
  }
  const char *off = session_wires_is_wired (view) ? NULL : fed_by_off (s->program, view);
  if (off) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM, _ ("Nothing comes to %s, as %s is switched off"),
                 eve_name (view), off);
    return false;
  }
  if (!session_wires_is_wired (view)) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("Nothing is connected to %s: draw a wire to it from what it shall show"), eve_name (view));
    return false;
  }
  return is_of_one_trace (view, error);
}
