/* SPDX-License-Identifier: Apache-2.0 */
/* present.c - the event presenter (thesis, 2.1.4): fields as named, typed attributes, sentences, JSON. */
#include "readers/reader.h"
#include "eve/number.h"
#include "readers/words.h"
#include "eve/words.h"
#include "eve/visible.h"
#include <string.h>

static const TraceSource *
source_and_kind (const TraceEvent *e, const TraceKind **kind)
{
  const TraceSource *s = trace_source (e->source);
  *kind = s && e->kind < s->n_kinds ? &s->kinds[e->kind] : NULL;
  return *kind ? s : NULL;
}

TraceValue
trace_value (const TraceEvent *e, uint32_t field)
{
  const TraceKind *kind;
  TraceSource *s = (TraceSource *) source_and_kind (e, &kind);
  return s && field < kind->n_fields ? s->format->value (s, e, field) : (TraceValue){ .kind = TRACE_VALUE_NONE };
}

static const uint32_t *
present_list_of (const TraceEvent *e, TraceRole role, uint32_t *n)
{
  const TraceKind *kind;
  *n = 0;
  if (!source_and_kind (e, &kind))
    return NULL;
  for (uint32_t i = 0; i < kind->n_fields; i++)
    if (kind->fields[i].role == role) {
      TraceValue v = trace_value (e, i);
      *n = v.n_tasks;
      return v.n_tasks ? v.tasks : NULL;
    }
  return NULL;
}

const uint32_t *
trace_list (const TraceEvent *e, uint32_t *n)
{
  return present_list_of (e, TRACE_ROLE_PEERS, n);
}

const uint32_t *
trace_objects (const TraceEvent *e, uint32_t *n)
{
  return present_list_of (e, TRACE_ROLE_OBJECTS, n);
}

bool
trace_site (const TraceEvent *e, const char **file, uint32_t *line, const char **function)
{
  TraceSource *s = trace_source (e->source);
  return s && s->format->site && s->format->site (s, e, file, line, function);
}

const char *
trace_event_name (const TraceEvent *e)
{
  const TraceKind *kind;
  if (!source_and_kind (e, &kind))
    return "?";
  return e->flags & TRACE_END ? kind->end_name : kind->name;
}

void
trace_json_text (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (const char *p = text ? text : ""; *p;) {
    gunichar c = g_utf8_get_char_validated (p, -1);
    if (c == (gunichar) -1 || c == (gunichar) -2) {
      g_string_append (to, "\xef\xbf\xbd");
      p++;
    } else if (c < 0x20 || visible_is_obeyed (c)) {
      g_string_append_printf (to, "\\u%04x", c);
      p = g_utf8_next_char (p);
    } else {
      if (c == '"' || c == '\\')
        g_string_append_c (to, '\\');
      const char *next = g_utf8_next_char (p);
      g_string_append_len (to, p, next - p);
      p = next;
    }
  }
  g_string_append_c (to, '"');
}

void
trace_json_real (GString *to, double real)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (real - real == 0)
    g_string_append (to, g_ascii_dtostr (text, sizeof text, real));
  else
    g_string_append (to, real > 0 ? "\"inf\"" : real < 0 ? "\"-inf\"" : "\"nan\"");
}

/* A number of seconds without needless zeros. */
static void
json_date (const TraceSource *s, int64_t date, GString *to)
{
  char text[64];
  trace_clock_print (&s->clock, date, text, sizeof text);
  size_t n = strlen (text);
  while (n > 1 && text[n - 1] == '0')
    n--;
  if (text[n - 1] == '.')
    n--;
  g_string_append_len (to, text, (gssize) n);
}

static void
json_list (const TraceSource *s, const char *(*id) (const TraceSource *, uint32_t), const uint32_t *list, uint32_t n,
           GString *to)
{
  g_string_append_c (to, '[');
  for (uint32_t i = 0; i < n; i++) {
    if (i)
      g_string_append (to, ", ");
    trace_json_text (to, id (s, list[i]));
  }
  g_string_append_c (to, ']');
}

/* "to" is a list for one and for many, so that a script need not tell a send from a multicast. */
static bool
is_list (const TraceField *field)
{
  return field->role == TRACE_ROLE_PEERS || field->role == TRACE_ROLE_TASKS || field->role == TRACE_ROLE_OBJECTS
         || (field->role == TRACE_ROLE_PEER && g_str_equal (field->name, "to"));
}

void
trace_json (const TraceEvent *e, GString *to)
{
  const TraceKind *kind;
  const TraceSource *s = source_and_kind (e, &kind);
  if (!s) {
    g_string_append (to, "{\"kind\": null}");
    return;
  }
  g_string_append (to, "{\"t\": ");
  json_date (s, e->date, to);
  g_string_append (to, ", \"kind\": ");
  trace_json_text (to, kind->name);
  if (e->flags & TRACE_END)
    g_string_append (to, ", \"end\": true");
  if (e->flags & TRACE_UNFINISHED)
    g_string_append (to, ", \"unfinished\": true");
  g_string_append (to, ", \"task\": ");
  trace_json_text (to, trace_task_id (s, e->task));
  if (TRACE_HAS_DURATION (e)) {
    g_string_append (to, ", \"duration\": ");
    json_date (s, e->duration, to);
  }
  for (uint32_t i = 0; i < kind->n_fields; i++) {
    TraceValue v = trace_value (e, i);
    g_string_append (to, ", ");
    trace_json_text (to, kind->fields[i].name);
    g_string_append (to, ": ");
    uint32_t one = (uint32_t) v.i;
    switch (v.kind) {
    case TRACE_VALUE_NONE:
      g_string_append (to, is_list (&kind->fields[i]) ? "[]" : "null");
      break;
    case TRACE_VALUE_INT:
      g_string_append_printf (to, "%" G_GINT64_FORMAT, v.i);
      break;
    case TRACE_VALUE_REAL:
      trace_json_real (to, v.real);
      break;
    case TRACE_VALUE_TEXT:
      trace_json_text (to, v.text);
      break;
    case TRACE_VALUE_TASK:
      if (is_list (&kind->fields[i]))
        json_list (s, trace_task_id, &one, 1, to);
      else
        trace_json_text (to, trace_task_id (s, one));
      break;
    case TRACE_VALUE_TASKS:
      json_list (s, trace_task_id, v.tasks, v.n_tasks, to);
      break;
    case TRACE_VALUE_OBJECTS:
      json_list (s, trace_object_id, v.tasks, v.n_tasks, to);
      break;
    }
  }
  const char *file, *function;
  uint32_t line;
  if (trace_site (e, &file, &line, &function)) {
    g_string_append (to, ", \"file\": ");
    trace_json_text (to, file);
    g_string_append_printf (to, ", \"line\": %u", line);
    if (function && *function) {
      g_string_append (to, ", \"function\": ");
      trace_json_text (to, function);
    }
  }
  g_string_append_c (to, '}');
}

/* "rank 2 enters relax", "rank 2 has received from rank 0 (EndMpiIrecv": what is done in words, where it is known, and
 * else by the name of the kind.  What comes next stands behind the answer; `told`: the field that is told already. */
static const char *
tell_act (const TraceSource *s, const TraceKind *kind, const TraceEvent *e, GString *to, uint32_t *told)
{
  const char *task = trace_task_name (s, e->task), *name = e->flags & TRACE_END ? kind->end_name : kind->name;
  uint16_t inside = kind->acts & (TRACE_ACT_ENTER | TRACE_ACT_LEAVE),
           talks = kind->acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE);
  bool ended = e->flags & TRACE_END, sends = talks == TRACE_ACT_SEND;

  for (uint32_t i = 0; i < kind->n_fields; i++) {
    TraceValue v = trace_value (e, i);
    if (inside && v.kind == TRACE_VALUE_TEXT && e->object != TRACE_NONE
        && strcmp (v.text, trace_object_id (s, e->object)) == 0) {
      g_string_append_printf (to, inside == TRACE_ACT_ENTER ? _ ("%s enters %s") : _ ("%s leaves %s"), task, v.text);
      *told = i;
      return " (";
    }
    if ((sends || talks == TRACE_ACT_RECEIVE) && v.kind == TRACE_VALUE_TASK
        && kind->fields[i].role == TRACE_ROLE_PEER) {
      g_string_append_printf (to,
                              sends   ? ended ? _ ("%s has sent to %s (%s") : _ ("%s sends to %s (%s")
                                : ended ? _ ("%s has received from %s (%s")
                                      : _ ("%s receives from %s (%s"),
                              task, trace_task_name (s, (uint32_t) v.i), name);
      *told = i;
      return ", ";
    }
  }
  g_string_append_printf (to, _ ("%s: %s"), task, name);
  return " (";
}

/* The general sentence, for formats that have none of their own: every field by its name. */
static char *
general_sentence (const TraceSource *s, const TraceKind *kind, const TraceEvent *e)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  GString *to = g_string_new (NULL);
  uint32_t told = UINT32_MAX;
  const char *before = tell_act (s, kind, e, to, &told);
  for (uint32_t i = 0; i < kind->n_fields; i++) {
    const TraceField *field = &kind->fields[i];
    TraceValue v = trace_value (e, i);
    if (v.kind == TRACE_VALUE_NONE || i == told)
      continue;
    g_string_append_printf (to, "%s%s ", before, field->name);
    before = ", ";
    if (v.kind == TRACE_VALUE_INT)
      g_string_append_printf (to, "%" G_GINT64_FORMAT, v.i);
    else if (v.kind == TRACE_VALUE_REAL)
      g_string_append (to, number_local (g_ascii_formatd (number, sizeof number, "%g", v.real)));
    else if (v.kind == TRACE_VALUE_TEXT)
      g_string_append_printf (to, _ ("“%s”"), v.text);
    else if (v.kind == TRACE_VALUE_TASK)
      g_string_append (to, trace_task_name (s, (uint32_t) v.i));
    else
      for (uint32_t k = 0; k < v.n_tasks; k++)
        g_string_append_printf (to, "%s%s", k ? " " : "",
                                v.kind == TRACE_VALUE_TASKS ? trace_task_name (s, v.tasks[k])
                                                            : trace_object_id (s, v.tasks[k]));
    if (field->unit)
      g_string_append_printf (to, "\u2009%s", in_words (field->unit));
  }
  if (*before == ',')
    g_string_append_c (to, ')');
  if (e->flags & TRACE_UNFINISHED)
    g_string_append (to, _ (", which never ends"));
  else if (TRACE_HAS_DURATION (e)) {
    g_autoptr (GString) lasts = g_string_new (NULL);
    json_date (s, e->duration, lasts);
    g_string_append_printf (to, _ (" takes %s\u2009%s"), number_local (lasts->str), s->clock.units);
  }
  return g_string_free (to, FALSE);
}

char *
trace_sentence (const TraceEvent *e)
{
  const TraceKind *kind;
  TraceSource *s = (TraceSource *) source_and_kind (e, &kind);
  if (!s)
    return g_strdup_printf (_ ("an event of a trace that is closed"));
  return s->format->sentence ? s->format->sentence (s, e) : general_sentence (s, kind, e);
}

/* ---- what kinds do ------------------------------------------------------------------------------------------------ */
static bool
present_has_field (const TraceKind *k, const char *name, TraceRole role)
{
  for (uint32_t i = 0; i < k->n_fields; i++)
    if (k->fields[i].role == role && (!name || strcmp (k->fields[i].name, name) == 0))
      return true;
  return false;
}

uint16_t
trace_acts (const TraceKind *k)
{
  uint16_t acts = k->acts;

  if (acts != 0)
    return acts;
  if (!k->instant)
    acts |= strcmp (k->category, "user") == 0 ? TRACE_ACT_CALL | TRACE_ACT_PHASE : TRACE_ACT_CALL;
  else if (strcmp (k->category, "task") == 0)
    acts |= present_has_field (k, NULL, TRACE_ROLE_RESULT) ? TRACE_ACT_DEATH : TRACE_ACT_BIRTH;
  if (present_has_field (k, "to", TRACE_ROLE_PEERS))
    acts |= TRACE_ACT_SEND | TRACE_ACT_MULTICAST;
  if (present_has_field (k, "to", TRACE_ROLE_PEER))
    acts |= TRACE_ACT_SEND;
  if (present_has_field (k, "from", TRACE_ROLE_PEER) || present_has_field (k, "from", TRACE_ROLE_PEERS))
    acts |= TRACE_ACT_RECEIVE;
  return acts;
}

uint16_t *
trace_categories (const TraceSource *s)
{
  uint16_t *categories = g_new (uint16_t, MAX (s->n_kinds, 1));
  GHashTable *first = g_hash_table_new (g_str_hash, g_str_equal);

  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const char *category = s->kinds[i].category ? s->kinds[i].category : "";
    gpointer known;
    if (!g_hash_table_lookup_extended (first, category, NULL, &known))
      g_hash_table_insert (first, (gpointer) category, known = GUINT_TO_POINTER (i));
    categories[i] = (uint16_t) GPOINTER_TO_UINT (known);
  }
  g_hash_table_unref (first);
  return categories;
}

/* ---- operations of groups -------------------------------------------------------------------------------------------------------- */

bool
trace_is_one_of (const char *name, const char *const *names)
{
  for (; *names; names++)
    if (g_ascii_strcasecmp (name, *names) == 0)
      return true;
  return false;
}

static TraceCollective
collective_of (const char *name)
{
  static const char *const barriers[] = { "Barrier", "WinFence", "Win_fence", NULL };
  static const char *const all[] = {
    "Allreduce", "Allgather",     "Allgatherv",     "Alltoall",           "Alltoallv",
    "Alltoallw", "ReduceScatter", "Reduce_scatter", "ReduceScatterBlock", "Reduce_scatter_block",
    NULL
  };
  static const char *const from_root[] = { "Bcast", "Broadcast", "Scatter", "Scatterv", NULL };
  static const char *const to_root[] = { "Reduce", "Gather", "Gatherv", NULL };
  static const char *const scans[] = { "Scan", "Exscan", NULL };

  return trace_is_one_of (name, barriers)    ? TRACE_COLLECTIVE_BARRIER
         : trace_is_one_of (name, all)       ? TRACE_COLLECTIVE_ALL
         : trace_is_one_of (name, from_root) ? TRACE_COLLECTIVE_FROM_ROOT
         : trace_is_one_of (name, to_root)   ? TRACE_COLLECTIVE_TO_ROOT
         : trace_is_one_of (name, scans)     ? TRACE_COLLECTIVE_SCAN
                                             : TRACE_COLLECTIVE_OTHER;
}

TraceCollective
trace_collective (const TraceKind *k, bool *blocks)
{
  const char *name = k->name;

  if (g_ascii_strncasecmp (name, "PMPI_", 5) == 0 || g_ascii_strncasecmp (name, "MPI_", 4) == 0)
    name = strchr (name, '_') + 1;
  TraceCollective class = collective_of (name);
  if (blocks)
    *blocks = true;
  if (class == TRACE_COLLECTIVE_OTHER && *name == 'I' && (class = collective_of (name + 1)) != TRACE_COLLECTIVE_OTHER
      && blocks)
    *blocks = false;
  return class;
}

/* ---- clocks -------------------------------------------------------------------------------------------------------------------------- */

const char *const trace_clocks_names[N_TRACE_CLOCKS + 1] = { "offsets", "none", "linear", "logical", NULL };

static void
tell_span (const TraceSource *s, int64_t own, GString *to)
{
  words_add_duration (to, (double) own / (double) MAX (s->own_ticks > 0 ? s->own_ticks : s->clock.ticks_per_second, 1));
}

static void
tell_early (const TraceSource *s, uint64_t n, int64_t worst, GString *to)
{
  if (n == 0) {
    g_string_append (to, _ ("nothing comes"));
    return;
  }
  g_autoptr (GString) by = g_string_new (NULL);
  tell_span (s, worst, by);
  g_string_append_printf (to, P_ ("%" PRIu64 " comes (by %s)", "%" PRIu64 " come (by at most %s)", n), n, by->str);
}

char *
trace_clocks_tell (const TraceSource *s)
{
  const TraceClocks *c = &s->clocks;
  GString *to = g_string_new (NULL);

  if (c->by == TRACE_CLOCKS_NONE) {
    g_string_append (to, _ ("Clocks are not corrected: dates are as they were recorded."));
  } else if (c->by == TRACE_CLOCKS_OFFSETS) {
    if (c->n_offsets > 0)
      g_string_append_printf (to, _ ("Clocks are corrected as the trace tells: of %" PRIu64 " tasks."), c->n_offsets);
    else
      g_string_append (to, _ ("Clocks are not corrected."));
  } else {
    g_autoptr (GString) moved = g_string_new (NULL), before = g_string_new (NULL), after = g_string_new (NULL);
    tell_span (s, c->moved, moved);
    tell_early (s, c->n_before, c->worst_before, before);
    tell_early (s, c->n_after, c->worst_after, after);
    g_autofree char *lines = c->n_tasks == 0
                                 ? g_strdup ("")
                                 : g_strdup_printf (P_ ("dates of %u task follow another line, ",
                                                        "dates of %u tasks follow another line, ", c->n_tasks),
                                                    c->n_tasks);
    g_string_append_printf (
        to,
        _ ("Clocks are corrected (%s): %sdates are moved by %s at "
           "most. Of %" PRIu64 " receives and ends of operations %s before their cause as recorded; "
           "now %s before it."),
        in_words (trace_clocks_names[c->by]), lines, moved->str, c->n_checked, before->str, after->str);
  }
  return g_string_free (to, FALSE);
}
