/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the trace: least, most, and the mean by time, of each task that has one. */
#include "cli/report.h"
#include <math.h>
#include "readers/pair.h"

static ReportVariable *
report_variables_find (ReportVariables *v, uint32_t task, uint32_t type)
{
  uint64_t key = (uint64_t) task << 32 | type;

  if (!v->all) {
    v->all = g_array_new (FALSE, TRUE, sizeof (ReportVariable));
    v->places = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
    v->of_task = g_hash_table_new (NULL, NULL);
  }
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (v->places, &key));
  if (!place) {
    guint before = GPOINTER_TO_UINT (g_hash_table_lookup (v->of_task, GUINT_TO_POINTER (task)));
    ReportVariable x = { .task = task, .type = type, .next = before - 1 };
    g_array_append_val (v->all, x);
    place = v->all->len;
    g_hash_table_insert (v->places, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (place));
    g_hash_table_insert (v->of_task, GUINT_TO_POINTER (task), GUINT_TO_POINTER (place));
  }
  return &g_array_index (v->all, ReportVariable, place - 1);
}

/* What it has is had until then. */
static void
last_until (ReportVariable *x, const TraceSource *s, int64_t date)
{
  double seconds = date > x->since ? trace_clock_seconds (&s->clock, date - x->since) : 0;

  if (x->changes == 0)
    return;
  x->sum += x->last * seconds;
  x->lasted += seconds;
  x->since = MAX (date, x->since);
}

static void
end_all_of (ReportVariables *v, const TraceSource *s, uint32_t task, int64_t date)
{
  guint place = v->of_task ? GPOINTER_TO_UINT (g_hash_table_lookup (v->of_task, GUINT_TO_POINTER (task))) : 0;

  for (uint32_t i = place - 1; place != 0 && i != UINT32_MAX; i = g_array_index (v->all, ReportVariable, i).next) {
    ReportVariable *x = &g_array_index (v->all, ReportVariable, i);
    last_until (x, s, date);
    x->since = INT64_MAX; /* nothing is had after death */
  }
}

void
report_variable (Report *r, const TraceSource *s, const TraceEvent *e)
{
  uint16_t acts = r->acts[e->kind];

  if (acts & TRACE_ACT_DEATH && !(e->flags & TRACE_END))
    end_all_of (&r->variables, s, e->task, e->date);
  if (!(acts & (TRACE_ACT_SET | TRACE_ACT_ADD)) || e->object >= s->objects->len)
    return;
  const TraceObject *o = s->objects->pdata[e->object];
  if (o->type >= s->types->len || ((const TraceType *) s->types->pdata[o->type])->kind != TRACE_VARIABLE)
    return;
  ReportVariable *x = report_variables_find (&r->variables, e->task, o->type);
  if (x->since == INT64_MAX)
    return;
  double value = e->flags & TRACE_REAL ? e->real : (double) e->size;
  value += acts & TRACE_ACT_ADD ? x->last : 0; /* nothing before: of 0 */
  last_until (x, s, e->date);
  if (x->changes == 0 || value < x->least) {
    x->least = value;
    x->least_at = e->date;
  }
  if (x->changes == 0 || value > x->most) {
    x->most = value;
    x->most_at = e->date;
  }
  x->since = x->changes == 0 ? e->date : x->since;
  x->last = value;
  ++x->changes;
}

static int
report_variables_by_name (gconstpointer a, gconstpointer b, gpointer source)
{
  const ReportVariable *p = a, *q = b;
  const TraceSource *s = source;
  int order = strcmp (((const TraceType *) s->types->pdata[p->type])->name,
                      ((const TraceType *) s->types->pdata[q->type])->name);

  return order                ? order
         : p->type != q->type ? (p->type > q->type) - (p->type < q->type)
                              : (p->task > q->task) - (p->task < q->task);
}

void
report_variables_end (Report *r, const TraceSource *s)
{
  ReportVariables *v = &r->variables;

  if (!v->all)
    return;
  for (guint i = 0; i < v->all->len; ++i) {
    ReportVariable *x = &g_array_index (v->all, ReportVariable, i);
    if (x->since != INT64_MAX)
      last_until (x, s, s->last);
  }
  g_hash_table_remove_all (v->places);
  g_hash_table_remove_all (v->of_task);
  g_array_sort_with_data (v->all, report_variables_by_name, (gpointer) s);
}

void
report_variables_clear (Report *r)
{
  g_clear_pointer (&r->variables.all, g_array_unref);
  g_clear_pointer (&r->variables.places, g_hash_table_unref);
  g_clear_pointer (&r->variables.of_task, g_hash_table_unref);
}
