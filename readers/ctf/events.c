/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - what becomes of events: kinds, tasks, states, who runs on a processor. */
#include <string.h>

#include "readers/ctf/ctf.h"
#include "eve/visible.h"
#include "eve/words.h"

enum { CPU, PROCESS, THREAD, STREAM, LOCATION, SCHEDULING };

/* ---- tasks --------------------------------------------------------------------------------------------------------------- */

/* A name as the source keeps it, on one line: so names that are taken are those that are kept. */
char *
ctf_one_line (const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  char *line = visible_line (valid, strlen (valid));

  return line ? line : g_steal_pointer (&valid);
}

char *
ctf_id_like (Ctf *c, const char *name)
{
  g_autofree char *line = ctf_one_line (name);

  return unlike_others (c->ids, line, " (", ")");
}

static uint32_t
ctf_events_known_task (const Ctf *c, Who who)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (c->tasks, &who));
}

uint32_t
ctf_task (Ctf *c, Who who, const char *name, uint32_t type, uint32_t parent, uint32_t host)
{
  uint32_t known = ctf_events_known_task (c, who);

  if (known > 0)
    return known - 1;
  if (c->source->tasks->len >= MOST_TASKS && c->source->tasks->len > 0)
    return 0; /* told by nobody: no trace has so many */
  g_autofree char *id = ctf_id_like (c, name);
  uint32_t task = trace_source_add_task_in (c->source, id, who.id, type, parent);
  trace_task (c->source, task)->host = host;
  g_hash_table_insert (c->tasks, g_memdup2 (&who, sizeof who), GUINT_TO_POINTER (task + 1));
  return task;
}

/* Tasks of one host are one, whoever traced them: the kernel or they themselves. */
static uint32_t
ctf_events_place_of (const Stream *s)
{
  return s->host != NONE ? s->host : (uint32_t) (1u << 31 | s->trace);
}

static uint32_t
cpu_task (Ctf *c, Stream *s)
{
  if (s->cpu_task == NONE) {
    g_autofree char *name = g_strdup_printf ("CPU %" PRId64, s->cpu);
    s->cpu_task = ctf_task (c, (Who){ ctf_events_place_of (s), CPU, s->cpu }, name, c->type_cpu, NONE, s->host);
  }
  return s->cpu_task;
}

static uint32_t
process_task (Ctf *c, const Stream *s, int64_t pid, const char *program)
{
  const Who who = { ctf_events_place_of (s), PROCESS, pid };
  uint32_t known = ctf_events_known_task (c, who);

  if (known > 0)
    return known - 1;
  g_autofree char *name = g_strdup_printf ("%s %" G_GINT64_FORMAT, program && *program ? program : "process", pid);
  return ctf_task (c, who, name, c->type_process, NONE, s->host);
}

static void
rename_task (Ctf *c, uint32_t task, const char *name)
{
  TraceTask *t = trace_task (c->source, task);
  g_autofree char *line = ctf_one_line (name);

  if (!g_str_has_prefix (t->id, line)) {
    unlike_release (c->ids, t->id);
    g_free (t->id);
    t->id = ctf_id_like (c, line);
  }
}

/* A process is called as its first thread is, whose events may come after those of others. */
static void
call_process (Ctf *c, const Stream *s, const char *program, int64_t pid)
{
  uint32_t known = ctf_events_known_task (c, (Who){ ctf_events_place_of (s), PROCESS, pid });
  g_autofree char *name = g_strdup_printf ("%s %" G_GINT64_FORMAT, program, pid);

  if (known > 0)
    rename_task (c, known - 1, name);
}

static uint32_t
thread_task (Ctf *c, const Stream *s, int64_t tid, int64_t pid, const char *program)
{
  const Who who = { ctf_events_place_of (s), THREAD, tid };
  uint32_t known = ctf_events_known_task (c, who);

  if (G_LIKELY (known > 0))
    return known - 1;
  uint32_t process = pid >= 0 ? process_task (c, s, pid, program) : NONE;
  bool named = program && *program;
  g_autofree char *name = process == NONE ? g_strdup_printf ("%s %" G_GINT64_FORMAT, named ? program : "thread", tid)
                          : named ? g_strdup_printf ("%s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, program, pid, tid)
                                  : g_strdup_printf ("%s/%" G_GINT64_FORMAT, trace_task_id (c->source, process), tid);
  if (process != NONE && named && tid == pid)
    call_process (c, s, program, pid);
  return ctf_task (c, who, name, c->type_thread, process, s->host);
}

static uint32_t
stream_task (Ctf *c, Stream *s)
{
  if (s->task == NONE) {
    const char *at = strrchr (s->name, '|');
    g_autofree char *file = g_path_get_basename (at ? at + 1 + (at[1] == ' ') : s->name);
    s->task = ctf_task (c, (Who){ (uint32_t) s->trace, STREAM, (int64_t) g_str_hash (s->name) }, file, c->type_stream,
                        NONE, s->host);
  }
  return s->task;
}

/* A task that events tell by a number. */
uint32_t
ctf_location (Ctf *c, const Stream *s, const char *table, int64_t id)
{
  const Who who = { s->trace, LOCATION, id };
  uint32_t known = ctf_events_known_task (c, who);

  if (G_LIKELY (known > 0))
    return known - 1;
  g_autofree char *name = g_strdup_printf ("%s %" G_GINT64_FORMAT, table ? table : "task", id);
  uint32_t task = ctf_task (c, who, name, c->type_location, NONE, s->host);
  if (table)
    ctf_name_later (c, true, task, table, id);
  return task;
}

/* Who runs on the processor of a stream at the date of its event, + 1; 0: nobody knows. */
static inline uint32_t
running_thread (const Stream *s)
{
  return s->processor && s->date <= s->processor->until ? s->processor->thread : 0;
}

/* Who an event is of. */
static uint32_t
ctf_events_task_of (Ctf *c, Stream *s, const Class *k, const Cell *const *scopes)
{
  int64_t id, pid = -1;

  if (ctf_int (ctf_field (scopes, k->task), &id))
    return ctf_location (c, s, k->task_table, id);
  if (!ctf_int (ctf_field (scopes, k->process), &pid))
    pid = s->process;
  if (ctf_int (ctf_field (scopes, k->thread), &id)) {
    if (id <= 0 && s->is_kernel && s->cpu >= 0) /* no thread: a processor that idles */
      return cpu_task (c, s);
    uint32_t known = ctf_events_known_task (c, (Who){ ctf_events_place_of (s), THREAD, id });
    if (G_LIKELY (known > 0))
      return known - 1;
    const Cell *name = ctf_field (scopes, k->name);
    return thread_task (c, s, id, pid, name ? ctf_text (c, name) : s->process_name);
  }
  if (pid >= 0) {
    const Cell *name = ctf_field (scopes, k->name);
    return process_task (c, s, pid, name ? ctf_text (c, name) : s->process_name);
  }
  uint32_t thread = k->of_running ? running_thread (s) : 0;
  if (thread > 0)
    return thread - 1;
  return s->cpu >= 0 ? cpu_task (c, s) : stream_task (c, s);
}

/* perf tells what a thread is called, and once more when it runs another program. */
static void
call_thread (Ctf *c, const Stream *s, const Class *k, const Cell *const *scopes)
{
  int64_t pid, tid;

  if (!ctf_int (ctf_field (scopes, k->process), &pid) || !ctf_int (ctf_field (scopes, k->thread), &tid) || pid <= 0)
    return;
  g_autofree char *program = g_strdup (ctf_text (c, ctf_field (scopes, k->name)));
  thread_task (c, s, tid, pid, program);
  uint32_t known = ctf_events_known_task (c, (Who){ ctf_events_place_of (s), THREAD, tid });
  g_autofree char *name = g_strdup_printf ("%s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, program, pid, tid);
  if (known == 0) /* there are too many */
    return;
  rename_task (c, known - 1, name);
  process_task (c, s, pid, program);
  uint32_t process = ctf_events_known_task (c, (Who){ ctf_events_place_of (s), PROCESS, pid });
  if (process > 0)
    trace_task (c->source, known - 1)->parent = process - 1; /* who lets threads run does not tell it */
  if (tid == pid)
    call_process (c, s, program, pid);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------------------ */

void
ctf_free_class (void *p)
{
  Class *k = p;

  g_free (k->task_table);
  g_free (k->state_table);
  g_free (k->prefix);
  g_free (k->parts);
  for (Scope s = 0; s < N_SCOPES; s++)
    g_free (k->plans[s]);
  g_strfreev (k->tables);
  g_free (k);
}

/* A member of a structure, also where a tracer has put a _ before its name; NOWHERE: there is none. */
static Ref
find_in (const bt_event_class *class, Scope scope, const char *name)
{
  const bt_field_class *top = ctf_scope_class (class, scope);
  uint64_t n = top && bt_field_class_get_type (top) == BT_FIELD_CLASS_TYPE_STRUCTURE
                   ? bt_field_class_structure_get_member_count (top)
                   : 0;

  for (uint64_t i = 0; i < n; i++) {
    const char *has = bt_field_class_structure_member_get_name (
        bt_field_class_structure_borrow_member_by_index_const (top, i));
    if (strcmp (has + (*has == '_' && *name != '_'), name) == 0)
      return (Ref){ scope, (uint32_t) i };
  }
  return (Ref){ NOWHERE, 0 };
}

static Ref
find_context (const bt_event_class *class, const char *a, const char *b)
{
  Ref r = { NOWHERE, 0 };

  for (Scope s = IN_COMMON; s <= IN_SPECIFIC && r.scope == NOWHERE; s++) {
    r = find_in (class, s, a);
    if (r.scope == NOWHERE && b)
      r = find_in (class, s, b);
  }
  return r;
}

/* "FIELD" or "FIELD:TABLE", of any of the structures. */
static Ref
find_field (const bt_event_class *class, const char *what, char **table)
{
  Ref r = { NOWHERE, 0 };

  if (!what)
    return r;
  const char *colon = strchr (what, ':');
  g_autofree char *name = colon ? g_strndup (what, (gsize) (colon - what)) : g_strdup (what);
  if (table && colon)
    *table = g_strdup (colon + 1);
  for (int s = IN_PAYLOAD; s >= 0 && r.scope == NOWHERE; s--)
    r = find_in (class, (Scope) s, name);
  return r;
}

static void
apply_naming (Class *k, const bt_event_class *class)
{
  g_auto (GStrv) parts = g_strsplit (k->rule->text ? k->rule->text : "", " ", 8);
  g_auto (GStrv) keys = g_strsplit (k->rule->key ? k->rule->key : "", ",", 2);

  k->key[0] = find_field (class, keys[0], NULL);
  k->key[1] = find_field (class, keys[0] ? keys[1] : NULL, NULL);
  k->n_parts = g_strv_length (parts);
  k->parts = g_new0 (Ref, k->n_parts + 1);
  k->tables = g_new0 (char *, k->n_parts + 1);
  for (uint32_t i = 0; i < k->n_parts; i++) {
    char *table = NULL;
    k->parts[i] = find_field (class, parts[i], &table);
    k->tables[i] = table ? table : g_strdup ("");
  }
}

static void
apply_rule (Ctf *c, Class *k, const bt_event_class *class)
{
  const Rule *r = k->rule;

  k->does = r->does;
  if (r->task) {
    g_clear_pointer (&k->task_table, g_free);
    k->task = find_field (class, r->task, &k->task_table);
  }
  k->state = find_field (class, r->state, &k->state_table);
  if (r->state && k->state.scope == NOWHERE && r->does == DOES_ENTER)
    k->state_object = ctf_state (c, r->state); /* it is the name itself */
  g_auto (GStrv) peer = g_strsplit (r->peer ? r->peer : "", "@", 2);
  k->peer = find_field (class, peer[0], NULL);
  k->comm = find_field (class, peer[0] ? peer[1] : NULL, NULL);
  k->size = find_field (class, r->size, NULL);
  k->tag = find_field (class, r->tag, NULL);
  k->received = find_field (class, r->received, NULL);
  if (r->does == DOES_NAME)
    apply_naming (k, class);
}

/* As LTTng tells it, or perf: there a thread's number is called as a process's. */
static bool
apply_switch (Class *k, const bt_event_class *class)
{
  bool perf = find_in (class, IN_PAYLOAD, "prev_pid").scope != NOWHERE;

  k->prev_tid = find_in (class, IN_PAYLOAD, perf ? "prev_pid" : "prev_tid");
  k->prev_comm = find_in (class, IN_PAYLOAD, "prev_comm");
  k->prev_state = find_in (class, IN_PAYLOAD, "prev_state");
  k->next_tid = find_in (class, IN_PAYLOAD, perf ? "next_pid" : "next_tid");
  k->next_comm = find_in (class, IN_PAYLOAD, "next_comm");
  return k->prev_tid.scope != NOWHERE && k->next_tid.scope != NOWHERE && k->next_comm.scope != NOWHERE;
}

static uint16_t
ctf_events_acts_of (const Class *k)
{
  return k->does == DOES_ENTER || k->does == DOES_LEAVE ? TRACE_ACT_CALL
         : k->does == DOES_SEND                         ? TRACE_ACT_SEND
         : k->does == DOES_RECEIVE                      ? TRACE_ACT_RECEIVE
                                                        : TRACE_ACT_MARK;
}

/* The kind; classes of other traces, or of another graph, that are the same have the same one. */
static uint32_t
ctf_events_kind_of (Ctf *c, const Class *k, const bt_event_class *class, const char *name)
{
  g_autoptr (GPtrArray) keep = g_ptr_array_new_with_free_func (g_free);
  TraceField fields[MOST_FIELDS + 4];
  uint32_t n = ctf_list_fields (class, fields, MOST_FIELDS, keep);
  bool calls = k->does == DOES_ENTER || k->does == DOES_LEAVE;
  bool messages = k->does == DOES_SEND || k->does == DOES_RECEIVE;

  if (k->does == DOES_ENTER)
    fields[n++] = (TraceField){ "inside of", TRACE_ROLE_REGION, NULL };
  if (messages) {
    fields[n++] = (TraceField){ k->does == DOES_SEND ? "to" : "from", TRACE_ROLE_PEER, NULL };
    fields[n++] = (TraceField){ "tag", TRACE_ROLE_TAG, NULL };
    fields[n++] = (TraceField){ "bytes", TRACE_ROLE_SIZE, "B" };
  }
  g_autoptr (GString) same = g_string_new (name);
  for (uint32_t i = 0; i < n; i++)
    g_string_append_printf (same, "\n%d %s", (int) fields[i].role, fields[i].name);
  g_string_append_printf (same, "\n%d %s", (int) k->does, k->prefix ? k->prefix : "");
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (c->kinds, same->str));
  if (known > 0)
    return known - 1;
  uint32_t kind = converter_kind (c->to, &(TraceKind){ .name = name,
                                                       .end_name = name,
                                                       .category = calls      ? k->prefix
                                                                   : messages ? "message"
                                                                              : "event",
                                                       .fields = fields,
                                                       .n_fields = n,
                                                       .instant = !calls,
                                                       .acts = ctf_events_acts_of (k) });
  if (kind != UINT32_MAX)
    g_hash_table_insert (c->kinds, g_strdup (same->str), GUINT_TO_POINTER (kind + 1));
  return kind;
}

static GHashTable *
names_in (Ctf *c, const bt_stream_class *stream)
{
  const bt_trace_class *trace = bt_stream_class_borrow_trace_class_const (stream);
  GHashTable *names = g_hash_table_lookup (c->names, trace);

  if (names)
    return names;
  names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  uint64_t n = bt_trace_class_get_stream_class_count (trace);
  for (uint64_t i = 0; i < n; i++) {
    const bt_stream_class *s = bt_trace_class_borrow_stream_class_by_index_const (trace, i);
    uint64_t n_events = bt_stream_class_get_event_class_count (s);
    for (uint64_t k = 0; k < n_events; k++) {
      const char *name = bt_event_class_get_name (bt_stream_class_borrow_event_class_by_index_const (s, k));
      if (name)
        g_hash_table_add (names, g_strdup (name));
    }
  }
  g_hash_table_insert (c->names, (gpointer) trace, names);
  return names;
}

/* Whether threads have calls in a trace of a kernel. */
static bool
has_calls (Ctf *c, GHashTable *names)
{
  GHashTableIter i;
  gpointer name;

  g_hash_table_iter_init (&i, names);
  while (g_hash_table_iter_next (&i, &name, NULL))
    if (ctf_is_for_thread (c, name, names))
      return true;
  return false;
}

/* Whether the streams that have events of a class tell themselves who runs. */
static bool
has_switches (const bt_event_class *class)
{
  const bt_stream_class *s = bt_event_class_borrow_stream_class_const (class);
  uint64_t n = bt_stream_class_get_event_class_count (s);

  for (uint64_t i = 0; i < n; i++)
    if (ctf_is_switch (bt_event_class_get_name (bt_stream_class_borrow_event_class_by_index_const (s, i))))
      return true;
  return false;
}

static Class *
make_class (Ctf *c, const bt_event_class *class)
{
  Class *k = g_new0 (Class, 1);
  const char *has = bt_event_class_get_name (class);
  g_autofree char *name = has && *has ? g_utf8_make_valid (has, -1)
                                      : g_strdup_printf (_ ("event %" PRIu64), bt_event_class_get_id (class));
  const Ref nowhere = { NOWHERE, 0 };

  k->task = k->state = k->peer = k->comm = k->size = k->tag = k->key[0] = k->key[1] = nowhere;
  k->state_object = NONE;
  k->process = find_context (class, "vpid", "pid");
  k->thread = find_context (class, "vtid", "tid");
  k->name = find_context (class, "procname", "comm");
  if (k->thread.scope == NOWHERE && k->process.scope == NOWHERE) { /* perf has them among the fields of an event */
    k->process = find_in (class, IN_PAYLOAD, "perf_pid");
    k->thread = find_in (class, IN_PAYLOAD, "perf_tid");
    if (strcmp (name, "lttng_python:event") == 0) { /* as logs of Python tell their threads */
      k->thread = find_in (class, IN_PAYLOAD, "thread");
      k->name = find_in (class, IN_PAYLOAD, "threadName");
    }
    k->of_perf = k->thread.scope == NOWHERE && g_str_has_prefix (name, "perf_");
  }
  if (k->of_perf) {
    k->process = find_in (class, IN_PAYLOAD, "pid");
    k->thread = find_in (class, IN_PAYLOAD, "tid");
    k->names_thread = strcmp (name, "perf_comm") == 0;
    k->name = find_in (class, IN_PAYLOAD, "comm");
  }
  k->task = find_field (class, c->task, &k->task_table);
  GHashTable *names = names_in (c, bt_event_class_borrow_stream_class_const (class));
  k->rule = ctf_rule (c, name, names);
  if (k->rule) {
    k->prefix = g_strdup (k->rule->table ? k->rule->table : "call");
    apply_rule (c, k, class);
    k->of_running = k->task.scope == NOWHERE && k->thread.scope == NOWHERE && k->process.scope == NOWHERE
                    && ctf_is_for_thread (c, name, names);
    c->exact = c->exact || (k->of_running && !has_switches (class));
  } else if (apply_switch (k, class)) {
    k->does = DOES_SWITCH;
    c->has_threads = c->has_threads || has_calls (c, names);
  }
  static const char *const naming[] = { "name", "function", "func", "func_name", "method", "label", "op" };
  static const char *const addresses[] = { "addr", "ip", "fn" };
  bool automatic = k->does == DOES_ENTER && !k->rule->state;
  for (size_t i = 0; automatic && i < G_N_ELEMENTS (naming) && k->state.scope == NOWHERE; i++) {
    k->state = find_in (class, IN_PAYLOAD, naming[i]);
    k->own_state = true;
  }
  for (size_t i = 0; automatic && i < G_N_ELEMENTS (addresses) && k->state.scope == NOWHERE; i++)
    k->state = find_in (class, IN_PAYLOAD, addresses[i]);
  if (automatic && k->state.scope == NOWHERE)
    k->state_object = ctf_state (c, k->prefix);
  k->kind = ctf_events_kind_of (c, k, class, name);
  for (Scope s = 0; s < N_SCOPES; s++)
    k->plans[s] = ctf_plan (class, s);
  g_hash_table_insert (c->classes, (gpointer) class, k);
  return k;
}

/* ---- states ------------------------------------------------------------------------------------------------------------------ */

uint32_t
ctf_state (Ctf *c, const char *text)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (c->states, text));

  if (known > 0)
    return known - 1;
  if (c->n_named >= MOST_NAMED && strcmp (text, "others") != 0)
    return ctf_state (c, "others");
  c->n_named++;
  uint32_t object = trace_source_add_state (c->source, c->type_state, text);
  g_hash_table_insert (c->states, g_strdup (text), GUINT_TO_POINTER (object + 1));
  return object;
}

/* What is entered: named by a text, an address or a number that a table knows; else all of these events enter one. */
static uint32_t
ctf_events_state_of (Ctf *c, const Class *k, const Cell *const *scopes)
{
  const Cell *f = ctf_field (scopes, k->state);
  int64_t number;

  if (!f)
    return k->state_object;
  if (k->state_table && ctf_int (f, &number)) {
    g_autofree char *key = g_strdup_printf ("%s %" G_GINT64_FORMAT, k->state_table, number);
    bool is_new = !g_hash_table_contains (c->states, key);
    uint32_t object = ctf_state (c, key);
    if (is_new)
      ctf_name_later (c, false, object, k->state_table, number);
    return object;
  }
  const char *text = ctf_text (c, f);
  const char *symbol = c->symbols && ctf_int (f, &number) ? g_hash_table_lookup (c->symbols, &number) : NULL;
  if (symbol || !k->own_state || strchr (k->prefix, ' ') || g_str_has_suffix (k->prefix, ":"))
    return ctf_state (c, symbol ? symbol : text);
  return ctf_state (c, text);
}

/* ---- who runs on a processor -------------------------------------------------------------------------------------------------- */

static void
stop_running (Ctf *c, Stream *s, int64_t date)
{
  if (s->running == 0)
    return;
  const TraceEvent e = { .date = date,
                         .task = cpu_task (c, s),
                         .peer = NONE,
                         .object = s->running - 1,
                         .tag = -1,
                         .kind = (uint16_t) c->on_cpu_kind };
  converter_end (c->to, &e, s->run_begun, s->run_begin, date);
  s->running = 0;
}

/* A thread's calls are told by itself, where programs were traced too; its scheduling is beside them then. */
static void
ctf_events_schedule (Ctf *c, const Stream *s, int64_t tid, const char *program, const char *state, int64_t date)
{
  uint32_t thread = thread_task (c, s, tid, -1, program);
  const Who who = { ctf_events_place_of (s), SCHEDULING, tid };
  uint32_t lane = ctf_events_known_task (c, who);

  if (lane == 0 && !c->has_threads) {
    lane = thread + 1;
  } else if (lane == 0) {
    g_autofree char *name = g_strdup_printf ("%s · scheduling", trace_task_id (c->source, thread));
    lane = ctf_task (c, who, name, c->type_scheduling, thread, s->host) + 1;
  }
  uint32_t object = ctf_state (c, state);
  if (strcmp (state, "Ready") == 0) /* for a processor */
    ((TraceObject *) c->source->objects->pdata[object])->does = TRACE_WAITS;
  converter_event (c->to, &(TraceEvent){ .date = date,
                                         .task = lane - 1,
                                         .peer = NONE,
                                         .object = object,
                                         .tag = -1,
                                         .kind = (uint16_t) c->scheduled_kind,
                                         .flags = TRACE_INSTANT });
}

/* A thread that goes on wanting to run is ready; else it waits for something. */
static void
switch_threads (Ctf *c, Stream *s, const Class *k, const Cell *const *scopes, int64_t date)
{
  int64_t prev, next, why = 0;

  if (!s->processor || !ctf_int (ctf_field (scopes, k->prev_tid), &prev)
      || !ctf_int (ctf_field (scopes, k->next_tid), &next))
    return;
  ctf_int (ctf_field (scopes, k->prev_state), &why);
  stop_running (c, s, date);
  if (prev != 0)
    ctf_events_schedule (c, s, prev, ctf_text (c, ctf_field (scopes, k->prev_comm)), why == 0 ? "Ready" : "Waiting",
                         date);
  const char *program = ctf_text (c, ctf_field (scopes, k->next_comm));
  s->switches = true;
  *s->processor = (Processor){ 1 + (next != 0 ? thread_task (c, s, next, -1, program) : cpu_task (c, s)), INT64_MAX };
  s->running = (next == 0 ? ctf_state (c, "Idle") : ctf_state (c, program)) + 1;
  if (next != 0)
    ctf_events_schedule (c, s, next, program, "Running", date);
  TraceEvent e = { .date = date,
                   .task = cpu_task (c, s),
                   .peer = NONE,
                   .object = s->running - 1,
                   .tag = -1,
                   .kind = (uint16_t) c->on_cpu_kind };
  s->run_begin = date;
  s->run_begun = converter_begin (c->to, &e);
}

/* ---- events -------------------------------------------------------------------------------------------------------------------- */

/* A rank in a communicator is a location, if the trace has told which; without a communicator it is the location, or,
 * where contexts tell the thread, that of a thread, of this process if none has been seen yet. */
uint32_t
ctf_peer (Ctf *c, const Stream *s, const Class *k, const Cell *const *scopes)
{
  int64_t rank, comm, group, location, pid, own;

  if (!ctf_int (ctf_field (scopes, k->peer), &rank))
    return NONE;
  location = rank;
  if (ctf_int (ctf_field (scopes, k->comm), &comm)) {
    if (!ctf_number_in (c, "comm", comm, &group) || !ctf_number_in (c, "member", group << 32 | rank, &location))
      return NONE;
  } else if (k->task.scope == NOWHERE && ctf_int (ctf_field (scopes, k->thread), &own)) {
    if (!ctf_int (ctf_field (scopes, k->process), &pid))
      pid = s->process;
    return thread_task (c, s, rank, pid, s->process_name);
  }
  return ctf_location (c, s, k->task_table, location);
}

const Class *
ctf_class (Ctf *c, const bt_event_class *class)
{
  Near *near = &c->near[((uintptr_t) class >> 4 ^ (uintptr_t) class >> 12) % N_NEAR];

  if (G_LIKELY (near->class == class))
    return near->is;
  near->is = g_hash_table_lookup (c->classes, class);
  if (!near->is)
    near->is = make_class (c, class);
  near->class = class;
  return near->is;
}

void
ctf_event (Ctf *c, Stream *s, const Class *k, const Cell *const *scopes)
{
  if (G_UNLIKELY (k->kind == UINT32_MAX))
    return;
  if (G_UNLIKELY (k->names_thread))
    call_thread (c, s, k, scopes);
  if (G_UNLIKELY (k->of_perf && s->date == 0)) { /* what was there before, which has no date */
    c->n_before++;
    return;
  }
  const uint32_t task = ctf_events_task_of (c, s, k, scopes);
  c->first = MIN (c->first, s->date);
  TraceEvent *e = converter_room (c->to);
  *e = (TraceEvent){ .date = s->date,
                     .task = task,
                     .peer = NONE,
                     .object = NONE,
                     .tag = -1,
                     .kind = (uint16_t) k->kind,
                     .flags = TRACE_INSTANT };
  int64_t number;
  switch (k->does) {
  case DOES_ENTER:
    e->object = ctf_events_state_of (c, k, scopes);
    e->flags = k->of_running && running_thread (s) == 0 ? TRACE_INSTANT : TRACE_OPEN;
    break;
  case DOES_LEAVE:
    e->flags = k->of_running && running_thread (s) == 0 ? TRACE_INSTANT : TRACE_OPEN | TRACE_END;
    break;
  case DOES_SEND:
  case DOES_RECEIVE:
    e->peer = ctf_peer (c, s, k, scopes);
    e->size = ctf_int (ctf_field (scopes, k->size), &number) && number >= 0 ? number : 0;
    e->tag = ctf_int (ctf_field (scopes, k->tag), &number) ? (int32_t) number : -1;
    break;
  case DOES_MEET:
    ctf_meets (c, task, s->date);
    break;
  case DOES_NAME:
    ctf_keep_name (c, k, scopes);
    /* tasks stand in the order in which the trace defines them */
    if (c->task && ctf_int (ctf_field (scopes, k->key[0]), &number)) {
      const char *table = strchr (c->task, ':');
      if (table && strcmp (table + 1, k->rule->table) == 0)
        ctf_location (c, s, table + 1, number);
    }
    break;
  default:
    break;
  }
  ctf_give_fields (c, k, scopes);
  converter_event (c->to, e);
  if (G_UNLIKELY (k->does == DOES_TOGETHER))
    ctf_together (c, s, k, scopes, task);
  if (k->does == DOES_SWITCH)
    switch_threads (c, s, k, scopes, s->date);
}

void
ctf_lost (Ctf *c, Stream *s, int64_t date, bool packets, uint64_t n)
{
  s->n_told++;
  *(packets ? &c->n_lost_packets : &c->n_lost) += n;
  if (s->switches && s->processor) { /* others may have come to run */
    s->processor->until = MIN (s->processor->until, date);
    stop_running (c, s, MAX (date, s->run_begin));
  }
  converter_int (c->to, (int64_t) MIN (n, INT64_MAX));
  converter_event (c->to, &(TraceEvent){ .date = date,
                                         .task = s->cpu >= 0 ? cpu_task (c, s) : stream_task (c, s),
                                         .peer = NONE,
                                         .object = NONE,
                                         .tag = -1,
                                         .kind = (uint16_t) (packets ? c->lost_packets_kind : c->lost_kind),
                                         .flags = TRACE_INSTANT });
}

/* ---- streams -------------------------------------------------------------------------------------------------------------------- */

static const char *
environment (const bt_trace *trace, const char *name)
{
  const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const (trace, name);

  return v && bt_value_is_string (v) ? bt_value_string_get (v) : NULL;
}

void
ctf_stream_begins (Ctf *c, Stream *s, const bt_stream *stream)
{
  const bt_trace *trace = bt_stream_borrow_trace_const (stream);
  const char *domain = environment (trace, "domain"), *host = environment (trace, "hostname"),
             *program = environment (trace, "procname");
  const bt_value *pid = bt_trace_borrow_environment_entry_value_by_name_const (trace, "vpid");

  s->packet = NULL;
  s->stream = stream;
  if (s->began)
    return;
  s->began = true;
  s->trace = c->n_traces;
  s->is_kernel = domain && strcmp (domain, "kernel") == 0;
  s->process_name = g_strdup (program);
  if (pid && bt_value_is_signed_integer (pid))
    s->process = bt_value_integer_signed_get (pid);
  if (host && *host) {
    guint known = GPOINTER_TO_UINT (g_hash_table_lookup (c->hosts, host));
    if (known == 0) {
      g_autofree char *valid = g_utf8_make_valid (host, -1);
      known = trace_source_add_host (c->source, valid, "", 0) + 1;
      g_hash_table_insert (c->hosts, g_strdup (host), GUINT_TO_POINTER (known));
    }
    s->host = known - 1;
  }
}

static Processor *
processor_of (Ctf *c, const Stream *s)
{
  const Who who = { ctf_events_place_of (s), CPU, s->cpu };
  Processor *p = g_hash_table_lookup (c->processors, &who);

  if (!p) {
    p = g_new0 (Processor, 1);
    g_hash_table_insert (c->processors, g_memdup2 (&who, sizeof who), p);
  }
  return p;
}

void
ctf_packet_begins (Ctf *c, Stream *s, const Cell *cpu)
{
  int64_t number;

  if (ctf_int (cpu, &number) && number >= 0 && number != s->cpu) {
    s->cpu = number;
    s->cpu_task = NONE;
    s->processor = processor_of (c, s);
    if (s->is_kernel) /* processors come before the threads that run on them */
      cpu_task (c, s);
  }
}

void
ctf_stream_ends (Ctf *c, Stream *s)
{
  if (s->date != INT64_MIN)
    stop_running (c, s, s->date);
  s->packet = NULL;
}

/* ---- what every trace has ----------------------------------------------------------------------------------------------------------- */

void
ctf_declare (Ctf *c)
{
  static const TraceField region[] = { { "state", TRACE_ROLE_REGION, NULL } };
  static const TraceField count[] = { { "lost", TRACE_ROLE_INT, NULL } };
  TraceSource *s = c->source;

  c->type_cpu = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Processor"), NULL, NONE);
  c->type_process = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Process"), NULL, NONE);
  c->type_thread = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Thread"), NULL, c->type_process);
  c->type_scheduling = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Scheduling"), NULL, c->type_thread);
  c->type_location = trace_source_add_type (s, TRACE_ENTITY, "Location", NULL, NONE);
  c->type_stream = trace_source_add_type (s, TRACE_ENTITY, "Stream", NULL, NONE);
  c->type_state = trace_source_add_type (s, TRACE_STATES, "State", NULL, NONE);
  c->on_cpu_kind = converter_kind (c->to, &(TraceKind){ .name = "Runs",
                                                        .end_name = "EndRuns",
                                                        .category = "processor",
                                                        .fields = region,
                                                        .n_fields = 1,
                                                        .acts = TRACE_ACT_CALL });
  c->scheduled_kind = converter_kind (c->to, &(TraceKind){ .name = "Scheduled",
                                                           .category = "scheduling",
                                                           .fields = region,
                                                           .n_fields = 1,
                                                           .instant = true,
                                                           .acts = TRACE_ACT_SET });
  c->lost_kind = converter_kind (c->to, &(TraceKind){ .name = "DiscardedEvents",
                                                      .category = "lost",
                                                      .fields = count,
                                                      .n_fields = 1,
                                                      .instant = true,
                                                      .acts = TRACE_ACT_MARK });
  c->lost_packets_kind = converter_kind (c->to, &(TraceKind){ .name = "LostPackets",
                                                              .category = "lost",
                                                              .fields = count,
                                                              .n_fields = 1,
                                                              .instant = true,
                                                              .acts = TRACE_ACT_MARK });
}
