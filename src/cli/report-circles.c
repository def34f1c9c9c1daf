/* SPDX-License-Identifier: Apache-2.0 */
/* report-circles.c - tasks that wait for each other in a circle: each is in a receive that never ended, of what one
 * other was to send.
 *
 * A trace may end anywhere: when it is cut, most tasks are in a receive.  So a receive is no part of a circle while a
 * message that it would take is under way: sent, and received by nobody yet.
 *
 * For report.json: the sentence is that of the wait states, which know more ways to wait. */
#include "cli/report.h"
#include "eve/words.h"
#include "cli/text.h"
#include "readers/pair.h"

#define ANY (-1) /* of the tags of messages: all of them together */

/* The wait of a task that never ended. */
typedef struct Wait {
  uint32_t task, on;
  int32_t tag; /* that it asked for, or ANY */
  int64_t since;
  uint32_t seen; /* by which walk; 0: by none */
} Wait;

/* Messages from one task to another, or TRACE_NONE: to a group. */
typedef struct Way {
  uint32_t from, to;
  int32_t tag;
  int64_t n; /* sent less received */
} Way;

static guint
way_hash (gconstpointer key)
{
  const Way *w = key;

  return pair_hash_of ((uint64_t) w->from << 32 | w->to) * 31 + (guint) w->tag;
}

static gboolean
same_way (gconstpointer a, gconstpointer b)
{
  const Way *x = a, *y = b;

  return x->from == y->from && x->to == y->to && x->tag == y->tag;
}

static void
add_to_way (Report *r, uint32_t from, uint32_t to, int32_t tag, int n)
{
  const Way ends = { from, to, tag, 0 };
  Way *w = g_hash_table_lookup (r->ways, &ends);

  if (w == NULL)
    g_hash_table_add (r->ways, w = g_memdup2 (&ends, sizeof ends));
  w->n += n;
}

static void
count_message (Report *r, uint32_t from, uint32_t to, int32_t tag, int n)
{
  add_to_way (r, from, to, ANY, n);
  if (tag != ANY)
    add_to_way (r, from, to, tag, n);
}

/* More were sent than received; what was sent to a group is for whoever takes it. */
static bool
report_circles_is_under_way (const Report *r, uint32_t from, uint32_t to, int32_t tag)
{
  const Way direct = { from, to, tag, 0 }, group = { from, TRACE_NONE, tag, 0 };
  const Way *w = g_hash_table_lookup (r->ways, &direct), *all = g_hash_table_lookup (r->ways, &group);

  return (w ? w->n : 0) + (all ? all->n : 0) > 0;
}

/* Where a format does not tell the tags of receives, those of sends say nothing either. */
static bool
is_to_come (const Report *r, const Wait *w)
{
  return report_circles_is_under_way (r, w->on, w->task, ANY)
         && report_circles_is_under_way (r, w->on, w->task, w->tag);
}

void
report_circle_message (Report *r, const TraceSource *s, const TraceEvent *e)
{
  uint16_t acts = r->acts[e->kind];
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT), several;
  uint32_t n;

  if (begins && acts & TRACE_ACT_SEND) {
    several = acts & TRACE_ACT_MULTICAST;
    const uint32_t *to = trace_sent_to (e, several, &n);
    for (uint32_t i = 0; i < n; ++i)
      if (trace_reaches (e, several, to[i]))
        count_message (r, e->task, to[i], e->tag, 1);
  } else if (begins && acts & TRACE_ACT_COLLECTIVE && trace_kind_has (&s->kinds[e->kind], TRACE_ROLE_TAG)
             && e->result >= 0)
    count_message (r, e->task, TRACE_NONE, e->tag, 1);
  if (ends && acts & TRACE_ACT_RECEIVE && trace_received (e))
    count_message (r, e->peer, e->task, e->tag, -1);
}

void
report_circle_wait (Report *r, const TraceSource *s, const TraceEvent *e)
{
  int32_t tag = ANY;
  uint32_t on = r->acts[e->kind] & TRACE_ACT_RECEIVE ? trace_asked (&s->kinds[e->kind], e, &tag) : TRACE_NONE;
  const Wait wait = { e->task, on, on != TRACE_NONE ? tag : ANY, e->date, 0 };

  if (on != TRACE_NONE)
    g_hash_table_replace (r->waits, GUINT_TO_POINTER (e->task), g_memdup2 (&wait, sizeof wait));
}

void
report_circle_death (Report *r, const TraceEvent *e)
{
  const Wait death = { e->task, TRACE_NONE, ANY, e->date, 0 };

  if (r->acts[e->kind] & TRACE_ACT_DEATH && !(e->flags & TRACE_END))
    g_hash_table_replace (r->deaths, GUINT_TO_POINTER (e->task), g_memdup2 (&death, sizeof death));
}

static Wait *
wait_of (const Report *r, uint32_t task)
{
  return g_hash_table_lookup (r->waits, GUINT_TO_POINTER (task));
}

static int
report_circles_by_task (const void *a, const void *b)
{
  const Wait *x = *(const Wait *const *) a, *y = *(const Wait *const *) b;

  return (x->task > y->task) - (x->task < y->task);
}

/* Since when all of a circle wait; false: one was dead before another began to wait for it, or a message is under way
 * that ends it. */
static bool
report_circles_holds (const Report *r, const Wait *first, int64_t *since)
{
  const Wait *w = first;
  int64_t until = INT64_MAX;

  *since = INT64_MIN;
  do {
    const Wait *death = g_hash_table_lookup (r->deaths, GUINT_TO_POINTER (w->task));
    *since = MAX (*since, w->since);
    if (death != NULL)
      until = MIN (until, death->since);
    if (is_to_come (r, w))
      return false;
    w = wait_of (r, w->on);
  } while (w != first);
  return *since <= until;
}

void
report_circles_begin (Report *r)
{
  r->waits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->deaths = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->ways = g_hash_table_new_full (way_hash, same_way, g_free, NULL);
}

void
report_circles_end (Report *r)
{
  g_clear_pointer (&r->waits, g_hash_table_unref);
  g_clear_pointer (&r->deaths, g_hash_table_unref);
  g_clear_pointer (&r->ways, g_hash_table_unref);
}

/* Each task waits for one other, so that whoever follows them comes to an end, or into a circle. */
void
report_circles (Report *r)
{
  guint n;
  g_autofree Wait **all = (Wait **) g_hash_table_get_keys_as_array (r->waits, &n);

  for (guint i = 0; i < n; ++i)
    all[i] = wait_of (r, GPOINTER_TO_UINT ((gpointer) all[i]));
  qsort (all, n, sizeof *all, report_circles_by_task);
  for (guint i = 0; i < n; ++i) {
    Wait *w = all[i];
    while (w != NULL && w->seen == 0) {
      w->seen = i + 1;
      w = wait_of (r, w->on);
    }
    ReportCircle circle = { NULL, 0 };
    if (w == NULL || w->seen != i + 1 || !report_circles_holds (r, w, &circle.since))
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
