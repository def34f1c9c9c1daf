/* SPDX-License-Identifier: Apache-2.0 */
/* report.json: the figures of the report, all of them (docs/cli.md). */
#include "cli/report.h"
#include <math.h>
#include "cli/text.h"

static const char *
report_json_id_of (const Report *r, uint32_t node)
{
  return r->graph->node_id (r->graph, node);
}

static void
report_json_put_state (const Report *r, const ReportState *s, Json *j)
{
  const TraceClock *clock = &r->source->clock;

  json_open (j, NULL, '{');
  json_text (j, "state", report_state (r, s->value));
  json_date (j, "spent", clock, s->spent);
  json_date (j, "inclusive", clock, s->inclusive);
  if (s->visits >= 0) {
    json_int (j, "visits", s->visits);
    json_count (j, "tasks", s->n_tasks);
  }
  json_date (j, "least", clock, s->least);
  json_text (j, "least_task", report_json_id_of (r, s->least_node));
  json_date (j, "most", clock, s->most);
  json_text (j, "most_task", report_json_id_of (r, s->most_node));
  json_close (j, '}');
}

static void
put_types (const Report *r, Json *j)
{
  const TraceClock *clock = &r->source->clock;

  json_open (j, "types", '[');
  for (guint i = 0; i < r->types->len; ++i) {
    const ReportType *type = r->types->pdata[i];
    json_open (j, NULL, '{');
    json_text (j, "name", type->name);
    json_count (j, "tasks", type->nodes->len);
    if (type->again)
      json_bool (j, "once_more", true);
    json_date (j, "lived", clock, type->lived);
    json_date (j, "shortest_life", clock, type->shortest);
    json_date (j, "longest_life", clock, type->longest);
    json_open (j, "states", '[');
    for (guint k = 0; k < type->states->len; ++k)
      report_json_put_state (r, &g_array_index (type->states, ReportState, k), j);
    json_close (j, ']');
    json_close (j, '}');
  }
  json_close (j, ']');
}

static void
put_unlike (const Report *r, Json *j)
{
  json_open (j, "unlike", '[');
  for (guint i = 0; i < r->unlike->len; ++i) {
    const ReportUnlike *u = &g_array_index (r->unlike, ReportUnlike, i);
    json_open (j, NULL, '{');
    json_text (j, "task", report_json_id_of (r, u->node));
    json_text (j, "type", u->type->name);
    json_text (j, "state", report_state (r, u->value));
    json_real (j, "share", u->share);
    json_real (j, "usual", u->usual);
    if (u->dated) {
      json_date (j, "from", &r->source->clock, u->from);
      json_date (j, "to", &r->source->clock, u->to);
    }
    json_close (j, '}');
  }
  json_close (j, ']');
}

static void
report_json_put_variables (const Report *r, Json *j)
{
  const TraceSource *s = r->source;

  json_open (j, "variables", '[');
  for (guint i = 0; r->variables.all && i < r->variables.all->len; ++i) {
    const ReportVariable *x = &g_array_index (r->variables.all, ReportVariable, i);
    const TraceType *type = s->types->pdata[x->type];
    json_open (j, NULL, '{');
    json_text (j, "variable", type->name);
    json_text (j, "unit", type->unit);
    json_text (j, "task", trace_task_id (s, x->task));
    json_real (j, "least", x->least);
    json_date (j, "least_at", &s->clock, x->least_at);
    json_real (j, "most", x->most);
    json_date (j, "most_at", &s->clock, x->most_at);
    json_real (j, "mean", x->lasted > 0 ? x->sum / x->lasted : NAN);
    json_real (j, "last", x->last);
    json_count (j, "changes", x->changes);
    json_close (j, '}');
  }
  json_close (j, ']');
}

static void
put_messages (const Report *r, Json *j)
{
  StateTotals t = state_totals (r->graph);

  json_open (j, "messages", '{');
  json_int (j, "sent", t.sent);
  json_int (j, "sent_bytes", t.sent_bytes);
  json_int (j, "received", t.received);
  json_int (j, "received_bytes", t.received_bytes);
  json_close (j, '}');
  json_open (j, "links", '[');
  for (guint i = 0; i < r->links->len; ++i) {
    const ReportLink *l = &g_array_index (r->links, ReportLink, i);
    uint32_t a, b;
    r->graph->edge_ends (r->graph, l->edge, &a, &b);
    json_open (j, NULL, '{');
    json_text (j, "from", report_json_id_of (r, a));
    json_text (j, "to", report_json_id_of (r, b));
    json_real (j, "bytes", l->bytes);
    json_close (j, '}');
  }
  json_close (j, ']');
}

void
report_json (const Report *r, GString *to)
{
  const TraceSource *s = r->source;
  Json j = { to, false };

  json_open (&j, NULL, '{');
  json_text (&j, "trace", s->name);
  json_text (&j, "format", s->format->name);
  json_text (&j, "model", r->graph->model->name);
  json_date (&j, "first", &s->clock, s->first);
  json_date (&j, "last", &s->clock, s->last);
  json_count (&j, "events", s->n_events);
  json_count (&j, "damaged", s->n_damaged);
  json_clocks (&j, s);
  json_count (&j, "impossible", r->graph->n_impossible);
  json_count (&j, "sends_to_nobody", r->n_sends);
  json_count (&j, "receives_from_nobody", r->n_receives);
  put_messages (r, &j);
  put_types (r, &j);
  put_unlike (r, &j);
  report_json_put_variables (r, &j);
  report_told_circles_json (r, &j);
  report_told_json (r, &j);
  json_close (&j, '}');
  g_string_append_c (to, '\n');
}
