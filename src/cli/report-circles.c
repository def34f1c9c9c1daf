/* SPDX-License-Identifier: Apache-2.0 */
/* report-circles.c - tasks that wait for each other in a circle: each is in a receive that never ended, of what one
 * other was to send. */
#include "cli/report.h"
#include "cli/text.h"

#define NAMED 8 /* tasks of a circle that a sentence names */

/* The wait of a task that never ended. */
typedef struct Wait {
  uint32_t task, on;
  int64_t since;
  uint32_t seen; /* by which walk; 0: by none */
} Wait;

/* What ends by itself when nothing comes is no wait without end: its kind tells a time. */
static bool
is_timed (const TraceKind *k)
{
  for (uint32_t i = 0; i < k->n_fields; ++i)
    if (k->fields[i].role == TRACE_ROLE_INT && g_str_has_suffix (k->fields[i].name, "_ns"))
      return true;
  return false;
}

/* The one task that was to send: who did, or who was asked. */
static uint32_t
waited_for (const TraceKind *k, const TraceEvent *e)
{
  for (uint32_t i = 0; e->peer == TRACE_NONE && i < k->n_fields; ++i)
    if (k->fields[i].role == TRACE_ROLE_TASK) {
      TraceValue v = trace_value (e, i);
      return v.kind == TRACE_VALUE_TASK ? (uint32_t) v.i : TRACE_NONE;
    }
  return e->peer;
}

void
report_circle_wait (Report *r, const TraceSource *s, const TraceEvent *e)
{
  const TraceKind *k = &s->kinds[e->kind];
  uint32_t on = r->acts[e->kind] & TRACE_ACT_RECEIVE && !is_timed (k) ? waited_for (k, e) : TRACE_NONE;
  const Wait wait = { e->task, on, e->date, 0 };

  if (on != TRACE_NONE)
    g_hash_table_replace (r->waits, GUINT_TO_POINTER (e->task), g_memdup2 (&wait, sizeof wait));
}

void
report_circle_death (Report *r, const TraceEvent *e)
{
  const Wait death = { e->task, TRACE_NONE, e->date, 0 };

  if (r->acts[e->kind] & TRACE_ACT_DEATH && !(e->flags & TRACE_END))
    g_hash_table_replace (r->deaths, GUINT_TO_POINTER (e->task), g_memdup2 (&death, sizeof death));
}

static Wait *
wait_of (const Report *r, uint32_t task)
{
  return g_hash_table_lookup (r->waits, GUINT_TO_POINTER (task));
}

static int
by_task (const void *a, const void *b)
{
  const Wait *x = *(const Wait *const *) a, *y = *(const Wait *const *) b;

  return (x->task > y->task) - (x->task < y->task);
}

/* Since when all of a circle wait; false: one was dead before another began to wait for it. */
static bool
holds (const Report *r, const Wait *first, int64_t *since)
{
  const Wait *w = first;
  int64_t until = INT64_MAX;

  *since = INT64_MIN;
  do {
    const Wait *death = g_hash_table_lookup (r->deaths, GUINT_TO_POINTER (w->task));
    *since = MAX (*since, w->since);
    if (death != NULL)
      until = MIN (until, death->since);
    w = wait_of (r, w->on);
  } while (w != first);
  return *since <= until;
}

/* Each task waits for one other, so that whoever follows them comes to an end, or into a circle. */
void
report_circles (Report *r)
{
  guint n;
  g_autofree Wait **all = (Wait **) g_hash_table_get_keys_as_array (r->waits, &n);

  for (guint i = 0; i < n; ++i)
    all[i] = wait_of (r, GPOINTER_TO_UINT ((gpointer) all[i]));
  qsort (all, n, sizeof *all, by_task);
  for (guint i = 0; i < n; ++i) {
    Wait *w = all[i];
    while (w != NULL && w->seen == 0) {
      w->seen = i + 1;
      w = wait_of (r, w->on);
    }
    ReportCircle circle = { NULL, 0 };
    if (w == NULL || w->seen != i + 1 || !holds (r, w, &circle.since))
      continue;
    circle.tasks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    const Wait *first = w;
    do {
      g_array_append_val (circle.tasks, w->task);
      w = wait_of (r, w->on);
    } while (w != first);
    g_array_append_val (r->circles, circle);
  }
}

void
report_circle_clear (gpointer circle)
{
  g_array_unref (((ReportCircle *) circle)->tasks);
}

void
report_tell_circles (const Report *r, GString *to)
{
  for (guint i = 0; i < r->circles->len; ++i) {
    const ReportCircle *c = &g_array_index (r->circles, ReportCircle, i);
    g_autoptr (GString) text = g_string_new ("Deadlock: ");
    g_autofree char *since = text_date (&r->source->clock, c->since);

    g_string_append_printf (text, "since %s ", since);
    for (guint k = 0; k <= MIN (c->tasks->len, NAMED); ++k) {
      uint32_t task = g_array_index (c->tasks, uint32_t, k % c->tasks->len);
      const char *name = trace_task_name (r->source, task);
      if (k == NAMED && c->tasks->len > NAMED)
        g_string_append_printf (text, ", and so on, %u tasks in a circle", c->tasks->len);
      else
        g_string_append_printf (text, "%s%s",
                                k == 0   ? ""
                                : k == 1 ? " waits for a message of "
                                         : ", that one for ",
                                name);
    }
    g_string_append (text, "; none of them ever gets it.");
    report_sentence (to, g_string_free (g_steal_pointer (&text), FALSE));
  }
}

void
report_circles_json (const Report *r, Json *j)
{
  json_open (j, "circles", '[');
  for (guint i = 0; i < r->circles->len; ++i) {
    const ReportCircle *c = &g_array_index (r->circles, ReportCircle, i);
    json_open (j, NULL, '{');
    json_date (j, "since", &r->source->clock, c->since);
    json_open (j, "tasks", '[');
    for (guint k = 0; k < c->tasks->len; ++k)
      json_text (j, NULL, trace_task_id (r->source, g_array_index (c->tasks, uint32_t, k)));
    json_close (j, ']');
    json_close (j, '}');
  }
  json_close (j, ']');
}
