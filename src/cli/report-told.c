/* SPDX-License-Identifier: Apache-2.0 */
/* What the analyses of the program have to say, before all else; of a window of time alone, if one is asked for. */
#include "cli/report.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "cli/text.h"
#include "eve/eve-host.h"
#include "readers/untold.h"
#include "statistics/findings.h"

/* Analyses of any trace whose events do what they are of: who waits for whom, who allocates, and, where events tell
 * what receives asked for, which of them could have got something else. */
typedef struct Analysis {
  const char *id;
  uint16_t acts;
  const char *field; /* that some kind must have too; NULL: none */
  bool beside;       /* told beside other analyses; else in the place of one that the program lacks */
} Analysis;

static const Analysis analyses[] = {
  { "scope.wait-states", TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_MULTICAST | TRACE_ACT_COLLECTIVE, NULL, false },
  { "scope.allocations", TRACE_ACT_ALLOC, NULL, false },
  { "scope.vector-clocks", TRACE_ACT_RECEIVE, "asked_from", true },
};

/* ---- an analysis that the program lacks ---------------------------------------------------------------------------------- */

static bool
report_told_has_field (const TraceKind *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_fields; ++i)
    if (strcmp (k->fields[i].name, name) == 0)
      return true;
  return false;
}

static bool
does_some (const TraceSource *s, const Analysis *a)
{
  for (uint32_t i = 0; s && i < s->n_kinds; ++i)
    if (trace_acts (&s->kinds[i]) & a->acts && (!a->field || report_told_has_field (&s->kinds[i], a->field)))
      return true;
  return false;
}

/* Whether an analysis already tells of the trace of this reader: this one, or, unless it is told beside others, any. */
static bool
is_told_of (EveProgram *p, const EveComponent *reader, const Analysis *a)
{
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    bool itself = strcmp (eve_class (c)->id, a->id) == 0, beside = false;
    for (size_t k = 0; k < G_N_ELEMENTS (analyses); ++k)
      beside |= analyses[k].beside && strcmp (eve_class (c)->id, analyses[k].id) == 0;
    if (!eve_is_ghost (c) && (itself || (!a->beside && !beside)) && eve_query (c, "findings/1")
        && session_reader_above (c) == reader)
      return true;
  }
  return false;
}

static bool
add_analysis (Session *s, EveComponent *reader, const EveClass *analysis)
{
  const EveClass *k = eve_class (reader);
  uint32_t out = 0;

  while (out < k->n_outs && k->outs[out].type != &trace_type_event)
    ++out;
  if (out == k->n_outs)
    return false;
  EveComponent *c = eve_add (s->program, analysis, NULL, NULL);
  if (c && !eve_connect (s->program, reader, k->outs[out].name, c, analysis->ins[0].name, NULL))
    eve_remove (s->program, c);
  return true;
}

void
report_analyse (Session *s)
{
  bool grown = false;

  for (size_t k = 0; k < G_N_ELEMENTS (analyses); ++k) {
    const EveClass *analysis = eve_registry_find (analyses[k].id);
    for (guint i = 0; analysis && i < s->readers->len; ++i) {
      EveComponent *reader = s->readers->pdata[i];
      if (does_some (session_source_of (reader), &analyses[k]) && !is_told_of (s->program, reader, &analyses[k]))
        grown = add_analysis (s, reader, analysis) || grown;
    }
  }
  if (grown)
    session_refresh (s);
}

/* ---- what analyses say --------------------------------------------------------------------------------------------------- */

/* Of several executions each report tells of its own. */
static bool
is_about (const Report *r, EveComponent *c)
{
  EveComponent *reader = r->several ? session_reader_above (c) : NULL;

  return !reader || session_source_of (reader) == r->source;
}

/* Of tasks that call something, of whom no analysis could tell anything: why not; NULL: there is no such question. */
static const char *
untold (const Report *r)
{
  EveProgram *p = r->session->program;
  const TraceSource *s = r->source;
  bool calls = false;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    if (!eve_is_ghost (c) && eve_query (c, "findings/1") && is_about (r, c))
      return NULL;
  }
  for (uint32_t i = 0; i < s->n_kinds; ++i)
    calls |= (trace_acts (&s->kinds[i]) & (TRACE_ACT_CALL | TRACE_ACT_PHASE | TRACE_ACT_ENTER)) != 0;
  return calls && s->tasks->len > 1 ? trace_waits_untold (s) : NULL;
}

static void
report_told_put (void *to, const char *sentence)
{
  report_sentence (to, g_strdup (sentence));
}

void
report_told (const Report *r, GString *to)
{
  EveProgram *p = r->session->program;
  const char *last = NULL;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsFindings *f = eve_query (c, "findings/1");
    const char *heading = f ? eve_query (c, "heading/1") : NULL;
    g_autoptr (GString) told = g_string_new (NULL);
    if (!f || !is_about (r, c))
      continue;
    f->tell (c, report_told_put, told);
    heading = heading ? heading : _ ("What limits it");
    if (told->len > 0 && g_strcmp0 (heading, last) != 0)
      report_heading (to, last = heading);
    g_string_append_len (to, told->str, (gssize) told->len);
  }
  if (untold (r)) {
    report_heading (to, _ ("What limits it"));
    report_told_put (to, untold (r));
  }
}

StatsComputed
report_computed (const Report *r)
{
  EveProgram *p = r->session->program;
  StatsComputed computed;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsScaling *of = eve_is_ghost (c) ? NULL : eve_query (c, "scaling/1");
    if (of && is_about (r, c) && of->tell (c, &computed))
      return computed;
  }
  return (StatsComputed){ NAN, NAN };
}

/* ---- the same for other programs ----------------------------------------------------------------------------------------- */

static void
put_sentence (void *to, const char *sentence)
{
  g_autofree char *plain = g_strdup (sentence);

  for (char *at; (at = strstr (plain, "\u00a0")) != NULL;) { /* blanks that keep a number and its unit together */
    *at = ' ';
    memmove (at + 1, at + 2, strlen (at + 2) + 1);
  }
  json_text (to, NULL, plain);
}

static void
put_cell (Json *j, const TraceClock *clock, const StatsTable *t, uint32_t row, uint32_t column)
{
  const StatsCell *c = stats_cell (t, row, column);

  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    json_text (j, NULL, c->text ? c->text : "");
    break;
  case STATS_CELL_REAL:
    json_real (j, NULL, c->real);
    break;
  case STATS_CELL_WHOLE:
    json_int (j, NULL, c->whole);
    break;
  case STATS_CELL_DATE:
    json_date (j, NULL, clock, c->whole);
    break;
  }
}

static void
put_table (Json *j, const TraceClock *clock, const StatsTable *t)
{
  json_open (j, NULL, '{');
  json_text (j, "title", t->title);
  json_open (j, "columns", '[');
  for (uint32_t i = 0; i < t->n_columns; ++i) {
    const StatsColumn *c = &t->columns[i];
    g_autofree char *both = c->unit ? g_strdup_printf ("%s [%s]", c->name, c->unit) : NULL;
    json_text (j, NULL, both ? both : c->name);
  }
  json_close (j, ']');
  json_open (j, "rows", '[');
  for (uint32_t row = 0; row < t->n_rows; ++row) {
    json_open (j, NULL, '[');
    for (uint32_t i = 0; i < t->n_columns; ++i)
      put_cell (j, clock, t, row, i);
    json_close (j, ']');
  }
  json_close (j, ']');
  json_close (j, '}');
}

typedef struct Circles { /* where they are put */
  const Report *r;
  Json *j;
} Circles;

static void
report_told_put_circle (void *to, const uint32_t *tasks, uint32_t n, int64_t since)
{
  const Circles *c = to;

  json_open (c->j, NULL, '{');
  json_date (c->j, "since", &c->r->source->clock, since);
  json_open (c->j, "tasks", '[');
  for (uint32_t i = 0; i < n; ++i)
    json_text (c->j, NULL, trace_task_id (c->r->source, tasks[i]));
  json_close (c->j, ']');
  json_close (c->j, '}');
}

void
report_told_circles_json (const Report *r, Json *j)
{
  EveProgram *p = r->session->program;
  Circles to = { r, j };
  bool told = false; /* of two that know all of it one tells */

  json_open (j, "circles", '[');
  for (uint32_t i = 0; i < eve_n_components (p) && !told; ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsCircles *of = eve_is_ghost (c) ? NULL : eve_query (c, "circles/1");
    told = of && is_about (r, c);
    if (told)
      of->tell (c, report_told_put_circle, &to);
  }
  json_close (j, ']');
}

void
report_told_json (const Report *r, Json *j)
{
  EveProgram *p = r->session->program;

  json_open (j, "told", '[');
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsFindings *f = eve_query (c, "findings/1");
    if (f && is_about (r, c))
      f->tell (c, put_sentence, j);
  }
  if (untold (r))
    put_sentence (j, untold (r));
  json_close (j, ']');
  json_open (j, "figures", '[');
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsFigures *f = eve_query (c, "figures/1");
    StatsTable *t;
    for (uint32_t n = 0; f && is_about (r, c) && (t = f->table (c, n)); ++n) {
      put_table (j, &r->source->clock, t);
      stats_unref (&stats_type_table, t);
    }
  }
  json_close (j, ']');
}

/* ---- a window of time ---------------------------------------------------------------------------------------------------- */

static bool
report_told_has_setting (EveComponent *c, const char *name)
{
  const EveClass *k = eve_is_ghost (c) ? NULL : eve_class (c);

  for (uint32_t i = 0; k && i < k->n_settings; ++i)
    if (g_str_equal (k->settings[i].name, name) && k->settings[i].kind == EVE_F_STRING)
      return true;
  return false;
}

bool
report_window (Session *s, const char *from, const char *to, GError **error)
{
  const char *const told[][2] = { { "from", from }, { "to", to } };
  int64_t date;
  bool any = false;

  for (size_t k = 0; k < G_N_ELEMENTS (told); ++k) {
    if (told[k][1] && !trace_clock_parse (&s->source->clock, told[k][1], &date)) {
      g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM, _ ("“%s” is no date: --%s takes seconds, as 0.25"),
                   told[k][1], told[k][0]);
      return false;
    }
    for (uint32_t i = 0; told[k][1] && i < eve_n_components (s->program); ++i) {
      EveComponent *c = eve_component (s->program, i);
      if (!report_told_has_setting (c, told[k][0]) || !eve_query (c, "findings/1"))
        continue;
      any = true;
      if (!eve_set (c, told[k][0], told[k][1], error))
        return false;
    }
  }
  if ((from || to) && !any)
    g_set_error (
        error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
        _ ("nothing in this program tells of a window of time: --from and --to are for executions of programs that "
           "exchange messages"));
  return any || (!from && !to);
}
