/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - passes the data that meet conditions: an expression, tasks, kinds, groups, a window of time. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "statistics/dates.h"
#include "eve/words.h"
#include "readers/more.h"
#include "statistics/expression.h"
#include "statistics/graph.h"
#include "statistics/list.h"
#include "statistics/numbers.h"

enum { WHERE, TASKS, KINDS, GROUPS, FROM, TO, N_PARTS };
static const char *const part_names[N_PARTS] = { "where", "tasks", "kinds", "groups", "from", "to" };

#define MOST_TASKS (1u << 20)

/* What came of a task of the first trace, and what passed: views behind the filter show the one, and this tells of the
 * other. */
typedef struct Counted {
  int64_t seen, passed;
} Counted;

typedef struct Filter {
  EveBase base;
  Counted *counted; /* by task */
  uint32_t n_counted, room;
  uint16_t source;
  char *text[N_PARTS];
  const EveType *type; /* what `part` was compiled for; NULL: not yet */
  StatsExpression *part[N_PARTS];
  uint8_t setting[N_PARTS]; /* which each of them was */
  uint32_t n_parts;
  uint64_t wires;   /* when the graph of state changes was looked up */
  GHashTable *told; /* names that the trace does not have */
  StatsPasses passes;
} Filter;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .present = true,
    .doc = "Trace events, state changes, messages, dated numbers, numbers or truth values." },
};
static const EveOutSpec outs[] = {
  { "passed", NULL, .doc = "What meets all conditions." },
  { "others", NULL, .doc = "What does not." },
};
static const EveField settings[] = {
  { "where", EVE_F_STRING, offsetof (Filter, text[WHERE]),
    .doc = "A condition, such as kind == Send and bytes > 4 KiB; empty: none." },
  { "tasks", EVE_F_STRING, offsetof (Filter, text[TASKS]),
    .doc = "Only of these tasks, with commas between; empty: of all." },
  { "kinds", EVE_F_STRING, offsetof (Filter, text[KINDS]), .doc = "Only events of these kinds; empty: of all." },
  { "groups", EVE_F_STRING, offsetof (Filter, text[GROUPS]),
    .doc = "Only events that concern these groups; empty: all." },
  { "from", EVE_F_STRING, offsetof (Filter, text[FROM]), .unit = "s",
    .doc = "Only from this date on; empty: from the beginning." },
  { "to", EVE_F_STRING, offsetof (Filter, text[TO]), .unit = "s",
    .doc = "Only until this date; empty: until the end." },
};

static void
filter_forget (Filter *self)
{
  for (uint32_t i = 0; i < self->n_parts; i++)
    stats_expression_free (self->part[i]);
  self->n_parts = 0;
  self->type = NULL;
  self->wires = 0;
}

/* a, b -> {"a","b"}; in quotes two quotes are one. */
static char *
filter_set_of (const char *list)
{
  g_auto (GStrv) names = stats_list_split (list);
  GString *s = g_string_new ("{");

  for (char **n = names; *n; n++) {
    g_autoptr (GString) name = g_string_new (*n);
    g_string_replace (name, "\"", "\"\"", 0);
    g_string_append_printf (s, "%s\"%s\"", s->len > 1 ? "," : "", name->str);
  }
  g_string_append_c (s, '}');
  return g_string_free (s, FALSE);
}

/* The condition that a setting means for data of a type; NULL: they have nothing of the kind.  g_free. */
static char *
condition (uint32_t part, const char *text, const EveType *type)
{
  bool event = type == &trace_type_event, message = type == &state_type_message, datum = type == &stats_type_datum;
  bool change = state_is_change (type);
  g_autofree char *set = part >= TASKS && part <= GROUPS ? filter_set_of (text) : NULL;

  switch (part) {
  case WHERE:
    return g_strdup (text);
  case TASKS:
    return message           ? g_strdup_printf ("from in %s or to in %s", set, set)
           : datum           ? g_strdup_printf ("owner in %s", set)
           : event || change ? g_strdup_printf ("task in %s", set)
                             : NULL;
  case KINDS:
    return event ? g_strdup_printf ("kind in %s", set) : NULL;
  case GROUPS:
    return event ? g_strdup_printf ("group in %s", set) : NULL;
  default:
    return event || change || message || datum ? g_strdup_printf ("date %s %s", part == FROM ? ">=" : "<=", text)
                                               : NULL;
  }
}

static bool
compile (Filter *self, const EveType *type)
{
  EveComponent *c = (EveComponent *) self;

  filter_forget (self);
  for (uint32_t i = 0; i < N_PARTS; i++) {
    g_autofree char *given = g_strstrip (g_strdup (self->text[i]));
    g_autofree char *text = *given ? condition (i, given, type) : NULL, *sentence = NULL;
    if (!*given)
      continue;
    if (!text) {
      eve_fail (c, _ ("The setting “%s” asks for what a %s does not have; leave it empty."), part_names[i], type->name);
      return false;
    }
    char *end = given;
    bool is_date = i != FROM && i != TO;
    if (!is_date)
      is_date = (g_ascii_strtod (given, &end), *end == 0);
    StatsExpression *e = is_date ? stats_expression_new (text, type, &sentence) : NULL;
    if (e && !stats_expression_is_condition (e)) {
      stats_expression_free (e);
      e = NULL;
      sentence = g_strdup (_ ("column 1: this is a number, not a condition; compare it with something"));
    }
    if (!e) {
      if (i == FROM || i == TO)
        eve_fail (c, _ ("“%s” is \"%s\", which is no date; write seconds, such as 1.25."), part_names[i], given);
      else
        eve_fail (c, "“%s”, %s.", part_names[i], sentence);
      return false;
    }
    self->setting[self->n_parts] = (uint8_t) i;
    self->part[self->n_parts++] = e;
  }
  self->type = type;
  return true;
}

/* After an edit the simulator may be gone, and another in its place. */
static void
find_graph (Filter *self)
{
  if (G_LIKELY (!stats_wires_changed (&self->wires, (EveComponent *) self)))
    return;
  const StateGraph *graph = state_is_change (self->type) ? stats_graph_above ((EveComponent *) self) : NULL;
  for (uint32_t i = 0; i < self->n_parts; i++)
    stats_expression_set_graph (self->part[i], graph);
}

/* A name that the trace cannot have.  The column is that in an expression, which a list is none of. */
static void
tell_problem (Filter *self, uint32_t part)
{
  const char *problem = stats_expression_problem (self->part[part]), *name = part_names[self->setting[part]];

  if (self->setting[part] == WHERE)
    eve_fail ((EveComponent *) self, _ ("A condition cannot be met: %s."), problem);
  else
    eve_fail ((EveComponent *) self, _ ("“%s” cannot be met: %s."), name, strstr (problem, ": ") + 2);
}

/* Which of n data pass; false after eve_fail(). */
static bool
filter_select (Filter *self, const void *data, uint32_t n, uint8_t *pass)
{
  const EveType *type = eve_in_type (self->base.in[0]);
  uint8_t more[256];

  if (self->type != type && !compile (self, type))
    return false;
  find_graph (self);
  if (self->n_parts == 0)
    memset (pass, 1, n);
  for (uint32_t i = 0; i < self->n_parts; i++) {
    uint32_t n_pass = stats_expression_select (self->part[i], data, n, i ? more : pass);
    for (uint32_t k = 0; i && n_pass < n && k < n; k++)
      pass[k] &= more[k];
    if (stats_expression_problem (self->part[i])) {
      tell_problem (self, i);
      return false;
    }
  }
  return true;
}

/* The data whose `pass` is `which`, copied as runs; a counted type never comes here. */
static void
filter_give (EveOut *out, const char *data, uint32_t size, uint32_t n, const uint8_t *pass, uint8_t which)
{
  uint32_t wanted = 0;

  if (!eve_out_connected (out))
    return;
  for (uint32_t i = 0; i < n; i++)
    wanted += pass[i] == which;
  for (uint32_t i = 0; wanted;) {
    uint32_t room = wanted;
    char *to = eve_reserve (out, &room);
    if (!to)
      return;
    for (uint32_t k = 0; k < room; i++)
      if (pass[i] == which)
        memcpy (to + (size_t) k++ * size, data + (size_t) i * size, size);
    eve_commit (out, room);
    wanted -= room;
  }
}

/* Of events, states and messages, by whose they are. */
static void
filter_count (Filter *self, const char *data, uint32_t size, uint32_t n, const uint8_t *pass)
{
  bool event = self->type == &trace_type_event, message = self->type == &state_type_message;

  if (!event && !message && self->type != &state_type_state)
    return;
  for (uint32_t i = 0; i < n; i++) {
    const void *one = data + (size_t) i * size;
    uint32_t task = event     ? ((const TraceEvent *) one)->task
                    : message ? ((const StateMessage *) one)->to
                              : ((const StateChange *) one)->object;
    uint16_t source = event     ? ((const TraceEvent *) one)->source
                      : message ? ((const StateMessage *) one)->source
                                : ((const StateChange *) one)->source;
    if (G_UNLIKELY (source != self->source) && trace_source (self->source)) /* tasks of another have the same numbers */
      continue;
    self->source = source;
    if (G_UNLIKELY (task >= self->n_counted)) {
      if (task >= MOST_TASKS)
        continue;
      if (task >= self->room) {
        self->room = MAX (task + 1, 2 * self->room);
        self->counted = g_renew (Counted, self->counted, self->room);
      }
      memset (self->counted + self->n_counted, 0, (task + 1 - self->n_counted) * sizeof *self->counted);
      self->n_counted = task + 1;
    }
    self->counted[task].seen++;
    self->counted[task].passed += pass[i];
  }
}

static void
filter_fire (EveComponent *c)
{
  Filter *self = (Filter *) c;
  const void *datum = eve_take (self->base.in[0]);
  uint8_t pass;

  if (!filter_select (self, datum, 1, &pass))
    return;
  filter_count (self, datum, eve_in_type (self->base.in[0])->size, 1, &pass);
  eve_emit (self->base.out[pass ? 0 : 1], datum);
}

static void
filter_fire_span (EveComponent *c, uint32_t n)
{
  Filter *self = (Filter *) c;
  const char *data = eve_take_span (self->base.in[0], n);
  uint32_t size = eve_in_type (self->base.in[0])->size;
  uint8_t pass[256];

  for (uint32_t m; n; n -= m, data += (size_t) m * size) {
    m = n < sizeof pass ? n : sizeof pass;
    if (!filter_select (self, data, m, pass))
      return;
    filter_count (self, data, size, m, pass);
    filter_give (self->base.out[0], data, size, m, pass, 1);
    filter_give (self->base.out[1], data, size, m, pass, 0);
  }
}

/* Names are looked up again: other settings, wires, or another trace at the same place in memory. */
static void
filter_reset (EveComponent *c)
{
  filter_forget ((Filter *) c);
  ((Filter *) c)->n_counted = 0;
  ((Filter *) c)->source = 0;
}

static void
filter_finish (EveComponent *c)
{
  filter_reset (c);
  g_clear_pointer (&((Filter *) c)->counted, g_free);
  ((Filter *) c)->room = 0;
  g_clear_pointer (&((Filter *) c)->told, g_hash_table_unref);
}

static bool
filter_changed (EveComponent *c, uint32_t setting)
{
  Filter *self = (Filter *) c;
  const EveType *type = eve_in_type (self->base.in[0]);

  filter_finish (c);
  if (type && !compile (self, type))
    return false;
  return (setting != FROM && setting != TO) || stats_dates_check (c, self->text[FROM], self->text[TO]);
}

/* The tasks of the whole trace are known. */
static bool
filter_at_end (EveComponent *c)
{
  Filter *self = (Filter *) c;

  if (self->type)
    find_graph (self);
  for (uint32_t i = 0; i < self->n_parts; i++)
    stats_expression_tell_unknown (self->part[i], c, &self->told);
  return true;
}

static void
filter_save (EveComponent *c, EveBlob *to)
{
  const Filter *self = (const Filter *) c;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->n_counted);
  for (uint32_t i = 0; i < self->n_counted; i++) {
    eve_put_int (to, self->counted[i].seen);
    eve_put_int (to, self->counted[i].passed);
  }
}

static bool
filter_load (EveComponent *c, EveBlobView *from)
{
  Filter *self = (Filter *) c;

  filter_reset (c);
  self->source = trace_get_source (eve_program (c), from);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    if (self->n_counted == self->room) {
      self->room = MAX (16, 2 * self->room);
      self->counted = g_renew (Counted, self->counted, self->room);
    }
    int64_t seen = eve_get_int (from), passed = eve_get_int (from);
    self->counted[self->n_counted++] = (Counted){ MAX (seen, 0), MAX (passed, 0) };
  }
  return eve_get_ok (from);
}

#define LEFT_OUT "Left out by %s" /* as files have it */

static void
filter_tell_more (EveComponent *c, TraceRef what, const char *only, void (*add) (void *to, const TraceTold *one),
                  void *to)
{
  const Filter *self = (const Filter *) c;

  if (what.type != TRACE_REF_TASK || what.source != self->source || what.id >= self->n_counted)
    return;
  const Counted *k = &self->counted[what.id];
  g_autofree char *name = g_strdup_printf (LEFT_OUT, eve_name (c));
  if (!trace_more_wants (only, name))
    return;
  g_autofree char *shown = g_strdup_printf (_ ("Left out by %s"), eve_name (c)),
                  *value = g_strdup_printf ("%" PRId64 " of %" PRId64, k->seen - k->passed, k->seen),
                  *said = g_strdup_printf (_ ("%" PRId64 " of %" PRId64), k->seen - k->passed, k->seen);
  add (to, &(TraceTold){ name, value, shown, said });
}

static void
filter_offer_more (EveComponent *c, TraceRefType type, void (*add) (void *to, const char *name), void *to)
{
  g_autofree char *name = type == TRACE_REF_TASK ? g_strdup_printf (LEFT_OUT, eve_name (c)) : NULL;

  if (name)
    add (to, name);
}

/* Who counts what lasts asks where it ends. */
static const void *
filter_query (EveComponent *c, const char *interface_name)
{
  static const TraceMore more = { filter_tell_more, filter_offer_more };
  Filter *self = (Filter *) c;

  if (c && strcmp (interface_name, TRACE_MORE) == 0)
    return &more;
  if (!c || strcmp (interface_name, "passes/1") != 0)
    return NULL;
  self->passes = (StatsPasses){ .output = 0, .to = self->text[TO] };
  return &self->passes;
}

static const char *
filter_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  static char sentence[200];

  if (out || !other || number_is (other) || other == &trace_type_event || state_is_change (other)
      || other == &state_type_message)
    return NULL;
  g_snprintf (sentence, sizeof sentence,
              "a %s has no fields to ask for; events, state changes, messages and numbers do", other->name);
  return sentence;
}

static const EveClass filter = {
  EVE_CLASS_HEAD,
  .id = "scope.filter",
  .label = "Filter",
  .category = "Analysis",
  .version = 2, /* 2: what it leaves out of each task is counted */
  .doc = "Passes data by task, kind, group, time or a condition on their fields.",
  .help =
      "What meets *all* the settings that are not empty leaves at `passed`, the rest at `others`. *tasks* are ids or "
      "nicknames; a message is of both its tasks, a change of a link of none. *where* is a condition in the expression "
      "language "
      "(docs/expressions.md): `kind in {Send, Mcast} and bytes > 4 KiB and not end`. It is compiled once; a mistake is "
      "told with its column. Lists have commas between names; a name with a comma or a quote in it stands in quotes. "
      "Names that the trace does not have are told, with the nearest one: those of tasks and groups when it is "
      "over.\n\n"
      "What a component behind it knows is what passed: Communication Overhead and State Durations have a *from* and a "
      "*to* of their own, which count what was going on at these dates. They and State Presenter ask for the *to* of "
      "the "
      "filters before them: what lasts then counts until there, and no longer.\n\n"
      "How much of each task was left out is an attribute of it, “Left out by” and the name of the box: the inspector "
      "shows "
      "it beside what a view behind the filter shows, and associations can tie it to looks.\n\n"
      "Example: *kinds* `Recv` and *where* `duration > 10 ms` pass the receives that took long.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Filter),
  .finish = filter_finish,
  .reset = filter_reset,
  .changed = filter_changed,
  .fire = filter_fire,
  .fire_span = filter_fire_span,
  .at_end = filter_at_end,
  .refuse = filter_refuse,
  .save = filter_save,
  .load = filter_load,
  .query = filter_query,
};
EVE_PLUGIN (&filter);
