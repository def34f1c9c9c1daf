/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - processes, their threads, and lanes of what is asynchronous.  What they are called may be told after all
 * that they did, so it is put in at the end. */
#include <string.h>

#include "readers/chrome/chrome.h"
#include "readers/writing.h"
#include "eve/words.h"
#include "readers/another.h"

#define MOST_PLACE (INT64_C (1) << 40) /* of what a file says; lanes stand behind it */

static uint32_t
chrome_tasks_add (Chrome *c, uint32_t type, uint32_t inside)
{
  return trace_source_add_task_in (c->source, "", 0, type, inside);
}

/* False, and told once: there are too many. */
static bool
tasks_has_room (Chrome *c)
{
  if (c->source->tasks->len < MOST_TASKS)
    return true;
  if (!c->crowded)
    trace_source_remark (c->source, c->file, 0, json_offset (&c->json),
                         _ ("more than %d processes and threads; what the others do from here on is shown in the first "
                            "thread, or the first process"),
                         MOST_TASKS);
  c->crowded = true;
  return false;
}

static size_t
bounded (const JsonValue *v)
{
  return v->type ? MIN (v->n, MOST_NAME) : 0;
}

static char *
tasks_id_of (const JsonValue *v)
{
  if (!v->type || v->n == 0) /* PyTorch has "" for what is of no process */
    return g_strdup ("?");
  g_autofree char *raw = g_strndup (v->at, bounded (v));
  return g_utf8_make_valid (raw, -1);
}

/* Some writers write all but ASCII with backslashes: the same process, argument or variable as without. */
void
chrome_plain (Chrome *c, Record *r)
{
  g_string_chunk_clear (c->plain);
  json_plain (&r->pid, c->plain);
  json_plain (&r->tid, c->plain);
  for (uint32_t i = 0; i < r->n_fields; i++)
    if (r->fields[i].escaped) {
      JsonValue key = { r->fields[i].key, r->fields[i].n, '"', true };
      json_plain (&key, c->plain);
      r->fields[i].key = key.at;
      r->fields[i].n = key.n;
    }
}

/* What is said of a process, which need not do anything: then it is no task. */
static uint32_t
note_process (Chrome *c, const JsonValue *pid)
{
  size_t n = bounded (pid);
  uint32_t process = name_table_find (c->names[OF_PROCESSES], n > 0 ? pid->at : "", n);

  if (G_LIKELY (process != NAME_TABLE_NONE))
    return process;
  if (c->processes->len > 0 && (!tasks_has_room (c) || c->processes->len >= MOST_TASKS))
    return 0;
  process = c->processes->len;
  name_table_set (c->names[OF_PROCESSES], n > 0 ? pid->at : "", n, process);
  Process p = { .id = tasks_id_of (pid), .task = TRACE_NONE };
  g_array_append_val (c->processes, p);
  return process;
}

uint32_t
chrome_process (Chrome *c, const JsonValue *pid)
{
  uint32_t process = note_process (c, pid);
  Process *p = &g_array_index (c->processes, Process, process);

  if (G_UNLIKELY (p->task == TRACE_NONE && process > 0 && c->source->tasks->len > 0 && !tasks_has_room (c)))
    p = &g_array_index (c->processes, Process, process = 0);
  if (G_UNLIKELY (p->task == TRACE_NONE)) {
    p->task = chrome_tasks_add (c, c->process_type, TRACE_NONE);
    ((TraceTask *) c->source->tasks->pdata[p->task])->raw = g_ascii_strtoll (p->id, NULL, 10);
  }
  return process;
}

/* Numbers of threads are those of their process; gives how many bytes. */
static inline size_t
key_of_thread (uint32_t process, const JsonValue *tid, char key[sizeof (uint32_t) + MOST_NAME])
{
  size_t n = bounded (tid);

  memcpy (key, &process, sizeof process);
  if (n > 0)
    memcpy (key + sizeof process, tid->at, n);
  return sizeof process + n;
}

/* NAME_TABLE_NONE: no record has told of it yet. */
static uint32_t
known_thread (Chrome *c, const JsonValue *pid, const JsonValue *tid)
{
  uint32_t process = name_table_find (c->names[OF_PROCESSES], bounded (pid) > 0 ? pid->at : "", bounded (pid));
  char key[sizeof process + MOST_NAME];

  if (process == NAME_TABLE_NONE)
    return NAME_TABLE_NONE;
  return name_table_find (c->names[OF_THREADS], key, key_of_thread (process, tid, key));
}

static uint32_t
thread_at (Chrome *c, const JsonValue *pid, const JsonValue *tid)
{
  uint32_t process = chrome_process (c, pid);
  char key[sizeof process + MOST_NAME];
  size_t n = key_of_thread (process, tid, key);
  uint32_t thread = name_table_find (c->names[OF_THREADS], key, n);
  if (G_LIKELY (thread != NAME_TABLE_NONE))
    return thread;
  if (c->threads->len > 0 && !tasks_has_room (c))
    return 0;
  thread = c->threads->len;
  name_table_set (c->names[OF_THREADS], key, n, thread);
  Thread t = { .process = process, .id = tasks_id_of (tid) };
  t.task = chrome_tasks_add (c, c->thread_type, g_array_index (c->processes, Process, process).task);
  ((TraceTask *) c->source->tasks->pdata[t.task])->raw = g_ascii_strtoll (t.id, NULL, 10);
  g_array_append_val (c->threads, t);
  return thread;
}

/* What LLVM's -ftime-trace tells at the end, each on a thread of its own: how long it did something in all. */
static bool
tasks_is_total (const Record *r)
{
  bool counts = false, means = false;

  if (r->phase != 'X' || r->name.n < 7 || memcmp (r->name.at, "Total ", 6) != 0)
    return false;
  for (uint32_t i = 0; i < r->n_fields; i++) {
    counts |= r->fields[i].n == 5 && memcmp (r->fields[i].key, "count", 5) == 0;
    means |= r->fields[i].n == 6 && memcmp (r->fields[i].key, "avg ms", 6) == 0;
  }
  return counts && means;
}

/* It is one if all that is of it are sums of one name, in whatever order they come: of equal dates that may be any. */
static void
take_total (Chrome *c, const Record *r, Thread *t)
{
  size_t n = 0;
  const char *name = tasks_is_total (r) ? chrome_text (c, &r->name, &n) : NULL;

  n = MIN (n, MOST_NAME);
  if (!name || (t->total && (strlen (t->total) != n || memcmp (t->total, name, n) != 0)))
    t->is_thread = true;
  else if (!t->total)
    t->total = g_strndup (name, n);
}

/* What PyTorch's profiler tells of itself, on threads that are none: how long it ran, what it held up. */
static bool
tasks_is_profiler (const Record *r)
{
  const JsonValue *category = &r->category;

  return r->phase == 'X' && category->type
         && ((category->n == 5 && memcmp (category->at, "Trace", 5) == 0 && r->pid.n == 5
              && memcmp (r->pid.at, "Spans", 5) == 0)
             || (category->n == 8 && memcmp (category->at, "overhead", 8) == 0 && r->pid.n > 0 && *r->pid.at == '-'));
}

uint32_t
chrome_thread (Chrome *c, const Record *r)
{
  uint32_t thread = thread_at (c, &r->pid, &r->tid); /* which may move them */
  Thread *t = &g_array_index (c->threads, Thread, thread);

  if (G_LIKELY (t->is_thread))
    return t->task;
  if (!t->total && tasks_is_profiler (r))
    t->profiler = true;
  else if (t->profiler)
    t->is_thread = true;
  else
    take_total (c, r, t);
  return t->task;
}

/* ---- lanes ---------------------------------------------------------------------------------------------------------------- */

uint32_t
chrome_lane (Chrome *c, const Record *r, int64_t date)
{
  uint32_t process = chrome_process (c, &r->pid);
  size_t n;

  g_string_printf (c->key, "%u", process);
  g_string_append_c (c->key, '\0');
  g_string_append_len (c->key, r->category.at, (gssize) bounded (&r->category));
  const char *name = chrome_text (c, r->name.type && c->groups->len < MOST_LANE_GROUPS ? &r->name : &r->category, &n);
  g_string_append_c (c->key, '\0');
  g_string_append_len (c->key, name, (gssize) MIN (n, MOST_NAME));
  uint32_t group = name_table_find (c->names[OF_LANES], c->key->str, c->key->len);
  if (group == NAME_TABLE_NONE) {
    group = c->groups->len;
    name_table_set (c->names[OF_LANES], c->key->str, c->key->len, group);
    g_ptr_array_add (c->groups, g_array_new (FALSE, FALSE, sizeof (uint32_t)));
  }
  GArray *of = c->groups->pdata[group];
  for (guint i = 0; i < of->len; i++) {
    Lane *lane = &g_array_index (c->lanes, Lane, g_array_index (of, uint32_t, i));
    if ((!lane->busy && lane->from <= date) || i + 1 == MOST_LANES)
      return g_array_index (of, uint32_t, i);
  }
  if (of->len > 0 && !tasks_has_room (c))
    return g_array_index (of, uint32_t, of->len - 1);
  Lane lane = { .process = process, .group = group, .from = INT64_MIN };
  uint32_t at = c->lanes->len;
  lane.task = chrome_tasks_add (c, c->async_type, g_array_index (c->processes, Process, process).task);
  g_autofree char *raw = n > 0 ? g_strndup (name, MIN (n, MOST_NAME)) : g_strdup ("asynchronous");
  g_autofree char *valid = g_utf8_make_valid (raw, -1);
  TraceTask *t = c->source->tasks->pdata[lane.task];
  g_free (t->id);
  t->id = of->len == 0 ? g_strdup (valid) : g_strdup_printf ("%s · %u", valid, of->len + 1);
  g_array_append_val (c->lanes, lane);
  g_array_append_val (of, at);
  return at;
}

/* ---- what they are called -------------------------------------------------------------------------------------------------- */

const JsonValue *
chrome_argument (const Record *r, const char *key)
{
  for (uint32_t i = 0; i < r->n_fields; i++)
    if (r->fields[i].argument && r->fields[i].n == strlen (key) && memcmp (r->fields[i].key, key, r->fields[i].n) == 0)
      return &r->fields[i].value;
  return NULL;
}

static bool
tasks_is_called (const JsonValue *v, const char *name)
{
  return v->type == '"' && v->n == strlen (name) && memcmp (v->at, name, v->n) == 0;
}

static void
tasks_take_name (Chrome *c, char **name, const JsonValue *v)
{
  if (v && v->n > 0) {
    g_free (*name);
    *name = g_strstrip (chrome_word (c, v));
    if (**name == '\0')
      g_clear_pointer (name, g_free);
  }
}

/* A thread may be another one once more, which came before it: that is how exports write it.  One that no record has
 * told of is none. */
static void
take_other (Chrome *c, const Record *r, uint32_t thread)
{
  const JsonValue *of = chrome_argument (r, "of"), *pid = chrome_argument (r, "of_pid");
  uint32_t other = of && pid && of->n > 0 && pid->n > 0 ? known_thread (c, pid, of) : NAME_TABLE_NONE;

  if (other < thread && g_array_index (c->threads, Thread, other).of == 0)
    g_array_index (c->threads, Thread, thread).of = other + 1;
}

/* Where a process, or a thread in its process, is to stand. */
static void
take_place (Chrome *c, const Record *r, bool of_thread)
{
  const JsonValue *v = chrome_argument (r, "sort_index");
  uint32_t at = of_thread ? thread_at (c, &r->pid, &r->tid) : note_process (c, &r->pid);
  int64_t place;

  if (v && json_decimal (v->at, v->n, 1, &place))
    *(of_thread ? &g_array_index (c->threads, Thread, at).place
                : &g_array_index (c->processes, Process, at).place) = CLAMP (place, -MOST_PLACE, MOST_PLACE);
}

/* What tasks do in slices of a name, as we write it. */
static void
take_does (Chrome *c, const Record *r)
{
  const JsonValue *name = chrome_argument (r, "name"), *does = chrome_argument (r, "does");
  TraceDoes its = name && does && does->type == '"' ? trace_does_called (does->at, does->n) : TRACE_DOES_ANYTHING;

  if (its) {
    uint32_t object = chrome_named (c, BEGIN, name); /* before the table is looked at: it may move it */
    ((TraceObject *) c->source->objects->pdata[object])->does = its;
  }
}

void
chrome_metadata (Chrome *c, const Record *r)
{
  if (tasks_is_called (&r->name, CHROME_STATE_DOES)) {
    take_does (c, r);
    return;
  }
  if (tasks_is_called (&r->name, "process_sort_index") || tasks_is_called (&r->name, "thread_sort_index")) {
    take_place (c, r, tasks_is_called (&r->name, "thread_sort_index"));
    return;
  }
  bool of_thread = tasks_is_called (&r->name, "thread_name"),
       names = of_thread || tasks_is_called (&r->name, "process_name");

  if (!names && !tasks_is_called (&r->name, "process_labels"))
    return;
  uint32_t at = of_thread ? thread_at (c, &r->pid, &r->tid) : note_process (c, &r->pid);
  Process *p = of_thread ? NULL : &g_array_index (c->processes, Process, at);
  tasks_take_name (c,
                   of_thread ? &g_array_index (c->threads, Thread, at).name
                   : names   ? &p->name
                             : &p->labels,
                   chrome_argument (r, names ? "name" : "labels"));
  if (of_thread)
    take_other (c, r, at);
}

uint32_t
chrome_process_task (Chrome *c, const Record *r)
{
  uint32_t process = chrome_process (c, &r->pid);

  return g_array_index (c->processes, Process, process).task;
}

/* Threads stand below their process, those that the file says nothing of as they came; and below them lanes, those of
 * one name together.  What a lane has is under way: threads of the process do the work in it. */
void
chrome_order_tasks (Chrome *c)
{
  g_autofree int64_t *wanted = g_new0 (int64_t, (gsize) c->source->tasks->len + 1);

  for (guint i = 0; i < c->processes->len; i++) { /* of one place, as the file tells them */
    const Process *p = &g_array_index (c->processes, Process, i);
    if (p->task != TRACE_NONE)
      wanted[p->task] = p->place * MOST_TASKS + i;
  }
  for (guint i = 0; i < c->threads->len; i++)
    wanted[g_array_index (c->threads, Thread, i).task] = g_array_index (c->threads, Thread, i).place;
  for (guint i = 0; i < c->lanes->len; i++)
    wanted[g_array_index (c->lanes, Lane, i).task] = MOST_PLACE + 1 + g_array_index (c->lanes, Lane, i).group;
  ((TraceType *) c->source->types->pdata[c->async_type])->does = TRACE_WAITS;
  converter_order_tasks (c->to, wanted);
}

/* Gives a task the first of two names that no other has, or the second with a number. */
static void
tasks_call (Chrome *c, Unlike *taken, uint32_t task, const char *first, const char *second)
{
  TraceTask *t = c->source->tasks->pdata[task];
  char *id = unlike_others (taken, unlike_is_free (taken, first) ? first : second, " (", ")");

  g_free (t->id);
  t->id = id;
  g_free (t->nickname);
  t->nickname = g_strdup (g_hash_table_lookup (c->source->nicknames, t->id));
}

static bool
has_word (const char *name, const char *word)
{
  size_t n = strlen (word);

  for (const char *at = strstr (name, word); at; at = strstr (at + 1, word))
    if ((at == name || !g_ascii_isalnum (at[-1])) && !g_ascii_isalnum (at[n]))
      return true;
  return false;
}

/* Things: they compute nothing for the program, and count as no thread. */
static void
tasks_is_thing (Chrome *c, const Thread *t, uint32_t *type, const char *name)
{
  if (*type == 0) { /* which is that of processes */
    *type = trace_source_add_own_type (c->source, TRACE_ENTITY, name, NULL, c->process_type);
    ((TraceType *) c->source->types->pdata[*type])->does = TRACE_RESTS;
  }
  ((TraceTask *) c->source->tasks->pdata[t->task])->type = *type;
}

static void
tasks_name_threads (Chrome *c, Unlike *taken)
{
  for (guint i = 0; i < c->threads->len; i++) {
    const Thread *t = &g_array_index (c->threads, Thread, i);
    bool total = !t->is_thread && t->total;
    if (total)
      tasks_is_thing (c, t, &c->total_type, N_ ("Total"));
    else if (!t->is_thread && t->profiler)
      tasks_is_thing (c, t, &c->profiler_type, N_ ("Profiler"));
    bool number = g_ascii_isdigit (t->id[0]) || t->id[0] == '?';
    bool has_number = t->name && has_word (t->name, t->id); /* "WorkerPool/11775", "thread 11775 (python)" */
    g_autofree char *name = has_number          ? g_strdup (t->name)
                            : total && !t->name ? g_strdup (t->total)
                            : t->name           ? g_strdup_printf ("%s %s", t->name, t->id)
                            : number            ? g_strdup_printf ("thread %s", t->id)
                                                : g_strdup (t->id);
    if (t->of > 0) {
      const char *more = t->name ? strstr (t->name, TRACE_ONCE_MORE) : NULL;
      uint32_t other = g_array_index (c->threads, Thread, t->of - 1).task;
      g_free (name);
      name = g_strconcat (trace_task_id (c->source, other), more ? more : TRACE_ONCE_MORE "more", NULL);
      ((TraceTask *) c->source->tasks->pdata[t->task])->parent = other;
    }
    const char *process = trace_task_id (c->source, g_array_index (c->processes, Process, t->process).task);
    bool alike = strcmp (name, process) == 0; /* a program of one thread */
    g_autofree char *more = alike ? g_strdup_printf ("thread %s", t->id) : g_strdup_printf ("%s of %s", name, process);
    tasks_call (c, taken, t->task, name, more);
  }
}

void
chrome_name_tasks (Chrome *c)
{
  Unlike *taken = unlike_new ();

  for (guint i = 0; i < c->processes->len; i++) {
    const Process *p = &g_array_index (c->processes, Process, i);
    if (p->task == TRACE_NONE)
      continue;
    bool number = g_ascii_isdigit (p->id[0]) || p->id[0] == '?';
    g_autofree char *name = p->name  ? g_strdup_printf ("%s %s", p->name, p->id)
                            : number ? g_strdup_printf ("process %s", p->id)
                                     : g_strdup (p->id);
    g_autofree char *labelled = p->labels ? g_strdup_printf ("%s (%s)", name, p->labels) : g_strdup (name);
    tasks_call (c, taken, p->task, labelled, labelled);
  }
  tasks_name_threads (c, taken);
  for (guint i = 0; i < c->lanes->len; i++) {
    const Lane *l = &g_array_index (c->lanes, Lane, i);
    g_autofree char *name = g_strdup (trace_task_id (c->source, l->task));
    g_autofree char *more = g_strdup_printf (
        "%s of %s", name, trace_task_id (c->source, g_array_index (c->processes, Process, l->process).task));
    tasks_call (c, taken, l->task, name, more);
  }
  unlike_free (taken);
}

void
chrome_free_tasks (Chrome *c)
{
  for (guint i = 0; i < c->processes->len; i++) {
    Process *p = &g_array_index (c->processes, Process, i);
    g_free (p->name);
    g_free (p->labels);
    g_free (p->id);
  }
  for (guint i = 0; i < c->threads->len; i++) {
    g_free (g_array_index (c->threads, Thread, i).name);
    g_free (g_array_index (c->threads, Thread, i).total);
    g_free (g_array_index (c->threads, Thread, i).id);
  }
  g_array_unref (c->processes);
  g_array_unref (c->threads);
  g_array_unref (c->lanes);
  g_ptr_array_unref (c->groups);
}
