/* SPDX-License-Identifier: Apache-2.0 */
/* header.c - the first line of a Paraver trace: its end, its nodes, applications, tasks and threads. */
#include <string.h>

#include "readers/paraver/paraver.h"
#include "eve/words.h"

/* ---- what runs ----------------------------------------------------------------------------------------------------------- */

static uint32_t
paraver_header_add_task (Paraver *p, const char *name, const char *usual, int64_t raw, uint32_t type, uint32_t parent)
{
  g_autofree char *id = unlike_others (p->ids, name ? name : usual, " (", ")");

  return trace_source_add_task_in (p->source, id, raw, type, parent);
}

/* The task whose calls are those of a thread: beside its states, since both are of the same time. */
static uint32_t
add_calls (Paraver *p, uint32_t thread)
{
  g_autofree char *name = g_strdup_printf ("%s · calls", trace_task_id (p->source, thread));
  uint32_t calls = paraver_header_add_task (p, NULL, name, 0, p->type_calls, thread);

  trace_task (p->source, calls)->host = trace_task (p->source, thread)->host;
  return calls;
}

static Thread *
add_thread (Paraver *p, const char *name, int64_t application, int64_t task, int64_t number, uint32_t parent)
{
  g_autofree char *usual = g_strdup_printf ("THREAD %" PRId64 ".%" PRId64 ".%" PRId64, application, task, number);
  Thread t = { .task = paraver_header_add_task (p, name, usual, number, p->type_thread, parent) };

  trace_task (p->source, t.task)->host = parent == TRACE_NONE ? TRACE_NONE : trace_task (p->source, parent)->host;
  t.calls = p->calls_apart ? add_calls (p, t.task) : t.task;
  g_array_append_val (p->threads, t);
  return &g_array_index (p->threads, Thread, p->threads->len - 1);
}

Thread *
paraver_other_thread (Paraver *p, int64_t application, int64_t task, int64_t thread)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, application,
                                           task, thread);
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->others, name));
  uint32_t parent = TRACE_NONE;

  if (known > 0)
    return &g_array_index (p->threads, Thread, known - 1);
  if (p->source->tasks->len >= MOST_TASKS)
    return NULL;
  if (application <= p->n_applications) {
    uint32_t first = p->first_task[application - 1], n = p->first_task[application] - first;
    parent = task <= n ? p->task_of_task[first + task - 1] : p->task_of_application[application - 1];
  }
  if (g_hash_table_size (p->others) == 0 && p->n_applications > 0) {
    trace_source_remark (p->source, p->file, paraver_line (p), 1,
                         _ ("the header has no thread %s, nor perhaps others that are here; they are added"), name);
  }
  Thread *t = add_thread (p, NULL, application, task, thread, parent);
  g_hash_table_insert (p->others, g_steal_pointer (&name), GUINT_TO_POINTER (p->threads->len));
  return t;
}

/* ---- the line ---------------------------------------------------------------------------------------------------------------- */

static bool
paraver_header_take (const char **at, char c)
{
  if (**at != c)
    return false;
  ++*at;
  return true;
}

/* "NNODES(cpus,cpus...)" or "0". */
static bool
paraver_header_read_nodes (Paraver *p, const char **at)
{
  int64_t n, cpus;

  if (!paraver_number (at, &n) || n < 0)
    return false;
  if (!paraver_header_take (at, '('))
    return true;
  for (int64_t i = 0; **at != ')'; i++) {
    if ((i > 0 && !paraver_header_take (at, ',')) || !paraver_number (at, &cpus) || i >= MOST_TASKS)
      return false;
    g_autofree char *usual = g_strdup_printf ("node %" PRId64, i + 1);
    const char *name = paraver_row (p->names, ROW_NODE, (uint64_t) i);
    trace_source_add_host (p->source, name ? name : usual, "", 0);
  }
  ++*at;
  return true;
}

typedef struct Growing {
  GArray *first_task, *first_thread, *of_task, *of_application; /* of uint32_t */
} Growing;

static bool
read_task (Paraver *p, Growing *g, const char **at, int64_t application, int64_t number)
{
  uint32_t parent = g_array_index (g->of_application, uint32_t, g->of_application->len - 1);
  g_autofree char *usual = g_strdup_printf ("Task %" PRId64 ".%" PRId64, application, number);
  int64_t n, node = 0;

  if (!paraver_number (at, &n) || n < 0 || n > MOST_TASKS || p->source->tasks->len + n >= MOST_TASKS)
    return false;
  if (paraver_header_take (at, ':') && !paraver_number (at, &node))
    return false;
  uint32_t task = paraver_header_add_task (p, paraver_row (p->names, ROW_TASK, g->of_task->len), usual, number,
                                           p->type_task, parent);
  if (node > 0 && node <= p->source->hosts->len)
    trace_task (p->source, task)->host = (uint32_t) node - 1;
  g_array_append_val (g->of_task, task);
  for (int64_t i = 1; i <= n; i++)
    add_thread (p, paraver_row (p->names, ROW_THREAD, p->threads->len), application, number, i, task);
  g_array_append_val (g->first_thread, p->threads->len);
  return true;
}

/* "NTASKS(threads:node,threads:node...)" */
static bool
read_application (Paraver *p, Growing *g, const char **at, int64_t number)
{
  g_autofree char *usual = g_strdup_printf ("Application %" PRId64, number);
  int64_t n, i = 0;

  if (!paraver_number (at, &n) || n < 0)
    return false;
  paraver_header_take (at, ':'); /* "1:(1:1)" is found too */
  if (!paraver_header_take (at, '(') || p->source->tasks->len >= MOST_TASKS)
    return false;
  uint32_t task = paraver_header_add_task (p, paraver_row (p->names, ROW_APPLICATION, (uint64_t) number - 1), usual,
                                           number, p->type_application, TRACE_NONE);
  g_array_append_val (g->of_application, task);
  bool good = true;
  while (good && **at != ')')
    good = (i == 0 || paraver_header_take (at, ',')) && read_task (p, g, at, number, ++i);
  g_array_append_val (g->first_task, g->of_task->len);
  if (!good)
    return false;
  ++*at;
  if (i != n)
    paraver_damaged (
        p, _ ("application %" PRId64 " is said to have %" PRId64 " tasks, but %" PRId64 " are told; these count"),
        number, n, i);
  return true;
}

/* Applications are parted by ":", or by ","; a number at the end is that of the communicators. */
static bool
read_applications (Paraver *p, Growing *g, const char *at)
{
  int64_t n, number = 0;
  bool good = paraver_number (&at, &n) && n >= 0 && *at == ':';

  while (good && (*at == ':' || *at == ',') && at[1] != '\0') {
    const char *after = at + 1 + strspn (at + 1, "0123456789");
    if (*after != '(' && strncmp (after, ":(", 2) != 0)
      break;
    at++;
    good = read_application (p, g, &at, ++number);
  }
  if (good && number != n)
    paraver_damaged (p, _ ("%" PRId64 " applications are announced, but %" PRId64 " are told; these count"), n, number);
  return good;
}

static bool
paraver_header_read_end (Paraver *p, const char **at)
{
  static const struct {
    const char *suffix;
    int64_t nanoseconds;
  } units[] = { { "_ns", 1 },         { "_us", 1000 },        { "_ms", 1000000 },
                { "_s", 1000000000 }, { "_sec", 1000000000 }, { "", 1000 } };
  const char *digits = *at + strspn (*at, "0"), *behind = *at + strspn (*at, "0123456789");
  int64_t end = 0;
  size_t i = 0;

  if (behind == *at || (behind > digits && !paraver_number (&digits, &end)))
    return false;
  if (*behind == '.') /* some write a fraction, though dates are whole */
    behind += 1 + strspn (behind + 1, "0123456789");
  size_t n = strcspn (behind, ":");
  while (i < G_N_ELEMENTS (units) && (n != strlen (units[i].suffix) || memcmp (behind, units[i].suffix, n) != 0))
    i++;
  if (i == G_N_ELEMENTS (units))
    paraver_damaged (p,
                     _ ("the header gives dates in “%.*s”, which is no unit that is known; they are taken for "
                        "microseconds"),
                     (int) MIN (n, 40), behind);
  *at = behind + n;
  p->unit = i < G_N_ELEMENTS (units) ? units[i].nanoseconds : 1000;
  p->source->clock = (TraceClock){ 1000000000 / p->unit, "s" };
  if (end > 0 && end <= MOST_DATE / p->unit) /* 0: whoever wrote it did not know yet */
    p->end = end;
  return true;
}

static uint32_t *
paraver_header_keep (GArray *a, uint32_t *n)
{
  if (n)
    *n = a->len;
  return (uint32_t *) (void *) g_array_free (a, FALSE);
}

/* What stands behind the date, without blanks; g_free.  NULL: there is no date. */
static char *
behind_date (const char *line)
{
  const char *at = strchr (line, ')');
  GString *rest = at && at[1] == ':' ? g_string_new (NULL) : NULL;

  for (at = rest ? at + 2 : ""; *at; at++)
    if (*at != ' ' && *at != '\t' && *at != '\r')
      g_string_append_c (rest, *at);
  return rest ? g_string_free (rest, FALSE) : NULL;
}

void
paraver_header (Paraver *p, const char *line)
{
  g_autofree char *rest = behind_date (line);
  const char *at = rest;
  const uint32_t none = 0;
  Growing g = { g_array_new (FALSE, FALSE, 4), g_array_new (FALSE, FALSE, 4), g_array_new (FALSE, FALSE, 4),
                g_array_new (FALSE, FALSE, 4) };

  g_array_append_val (g.first_task, none);
  g_array_append_val (g.first_thread, none);
  if (!at || !paraver_header_read_end (p, &at)) {
    paraver_damaged (p, _ ("the header does not tell the end of the trace; its dates are taken for microseconds"));
  } else if (!paraver_header_take (&at, ':') || !paraver_header_read_nodes (p, &at)
             || !paraver_header_take (&at, ':')) {
    paraver_damaged (p, _ ("the header does not tell the nodes, near “%.40s”; threads are taken from the records"), at);
  } else if (!read_applications (p, &g, at)) {
    paraver_damaged (p,
                     _ ("the header does not tell all applications, tasks and threads (at most %u); those that it "
                        "leaves out are taken from the records"),
                     MOST_TASKS);
  }
  p->task_of_task = paraver_header_keep (g.of_task, NULL);
  p->first_thread = paraver_header_keep (g.first_thread, NULL);
  p->first_task = paraver_header_keep (g.first_task, NULL);
  p->task_of_application = paraver_header_keep (g.of_application, &p->n_applications);
}
