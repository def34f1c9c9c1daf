/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - communicators, which lines of their own tell, and operations of them: a call of MPI whose record names the
 * communicator too. */
#include "readers/paraver/paraver.h"
#include "eve/words.h"

#define MOST_COMMUNICATORS 100000

static gint64
paraver_groups_key_of (int64_t application, int64_t number)
{
  return (gint64) ((guint64) application << 32 | (guint64) (number & UINT32_MAX));
}

/* The task whose calls are those of the first thread of a task; TRACE_NONE: the header has none. */
static uint32_t
paraver_groups_calls_of (const Paraver *p, int64_t application, int64_t task)
{
  if (application < 1 || application > p->n_applications)
    return TRACE_NONE;
  uint32_t first = p->first_task[application - 1];
  if (task < 1 || task > p->first_task[application] - first)
    return TRACE_NONE;
  uint32_t thread = p->first_thread[first + task - 1];
  return thread < p->first_thread[first + task] ? g_array_index (p->threads, Thread, thread).calls : TRACE_NONE;
}

void
paraver_communicator (Paraver *p, const char *at)
{
  int64_t application, number, n, task;
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  if (!paraver_next (&at, &application) || !paraver_next (&at, &number) || !paraver_next (&at, &n) || number < 0
      || number > UINT32_MAX) {
    paraver_damaged (p, _ ("a communicator has an application, a number, and a count of its tasks"));
    return;
  }
  while (paraver_next (&at, &task)) {
    uint32_t calls = paraver_groups_calls_of (p, application, task);
    if (calls == TRACE_NONE) { /* as in traces that a tool has merged */
      if (p->n_strange++ == 0)
        p->first_strange = paraver_line (p);
      return;
    }
    g_array_append_val (members, calls);
  }
  gint64 key = paraver_groups_key_of (application, number);
  if (members->len != n || n < 1 || *at != '\0') {
    paraver_damaged (p, _ ("communicator %" PRId64 " is said to have %" PRId64 " tasks, but %u are told"), number, n,
                     members->len);
    return;
  }
  if (g_hash_table_contains (p->groups, &key) || g_hash_table_size (p->groups) >= MOST_COMMUNICATORS)
    return; /* the first one counts */
  g_autofree char *name = application == 1 ? g_strdup_printf ("communicator %" PRId64, number)
                                           : g_strdup_printf ("communicator %" PRId64 " of application %" PRId64,
                                                              number, application);
  uint32_t object = together_group (&p->together, name, (const uint32_t *) (const void *) members->data, members->len,
                                    0);
  g_hash_table_insert (p->groups, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (object + 1));
}

void
paraver_note_together (Paraver *p, int64_t type, int64_t value)
{
  switch (type) {
  case PARAVER_SENT:
    p->now.sent = value;
    break;
  case PARAVER_RECEIVED:
    p->now.received = value;
    break;
  case PARAVER_IS_ROOT:
    p->now.is_root = value == 1;
    break;
  case PARAVER_COMMUNICATOR:
    p->now.communicator = value;
    break;
  default:
    break;
  }
}

static TraceEvent
operation (const Thread *t, const Open *o, int64_t date)
{
  return (TraceEvent){ .date = date,
                       .task = t->calls,
                       .peer = o->root,
                       .object = o->group,
                       .size = o->sent,
                       .tag = -1,
                       .kind = (uint16_t) o->together };
}

void
paraver_begin_together (Paraver *p, Thread *t, int64_t application, int64_t date)
{
  Open *o = t->n_open > 0 ? &t->open[t->n_open - 1] : NULL;
  gint64 key = paraver_groups_key_of (application, p->now.communicator);
  uint32_t group = GPOINTER_TO_UINT (g_hash_table_lookup (p->groups, &key));

  if (!o || o->type->number != PARAVER_TOGETHER || group == 0)
    return;
  o->together = together_kind (&p->together, trace_object_id (p->source, o->object));
  if (o->together == TOGETHER_NONE)
    return;
  o->group = group - 1;
  o->root = p->now.is_root ? t->calls : TRACE_NONE; /* each tells of itself alone whether it is */
  o->sent = MAX (p->now.sent, 0);
  TraceEvent e = operation (t, o, date);
  converter_int (p->to, MAX (p->now.received, 0));
  o->together_begun = converter_begin (p->to, &e);
}

void
paraver_end_together (Paraver *p, const Thread *t, const Open *o, int64_t date)
{
  TraceEvent e = operation (t, o, date);

  converter_end (p->to, &e, o->together_begun, o->begin, date);
}
