/* SPDX-License-Identifier: Apache-2.0 */
/* told.c - what is told of threads and locks: kinds, types, tasks, events.  All of it is what any trace may have:
 * states of tasks, variables, messages. */
#include <string.h>

#include "readers/threads/parts.h"
#include "eve/words.h"

static const TraceField of_life[] = { { "result", TRACE_ROLE_RESULT, NULL } },
                        of_state[] = { { "state", TRACE_ROLE_OBJECT, NULL } },
                        of_call[] = { { "state", TRACE_ROLE_REGION, NULL }, { "called_at", TRACE_ROLE_WORD, NULL } },
                        of_left[] = { { "state", TRACE_ROLE_REGION, NULL },
                                      { "from", TRACE_ROLE_PEER, NULL },
                                      { "called_at", TRACE_ROLE_WORD, NULL } },
                        of_wake[] = { { "to", TRACE_ROLE_PEER, NULL }, { "of", TRACE_ROLE_OBJECT, NULL } },
                        of_create[] = { { "created", TRACE_ROLE_PEER, NULL }, { "of", TRACE_ROLE_OBJECT, NULL } },
                        of_got[] = { { "from", TRACE_ROLE_PEER, NULL }, { "of", TRACE_ROLE_OBJECT, NULL } },
                        of_is[] = { { "value", TRACE_ROLE_VALUE, NULL }, { "variable", TRACE_ROLE_OBJECT, NULL } },
                        of_circle[] = { { "circle", TRACE_ROLE_WORD, NULL } };

/* What lets another go on is a call of its own, without a length: its date is what the other has waited for. */
#define WAKES (TRACE_ACT_CALL | TRACE_ACT_SEND)
static const struct {
  const char *name, *category;
  const TraceField *fields;
  uint32_t n_fields;
  bool instant;
  uint16_t acts;
} kinds[] = {
  [KIND_BORN] = { "Begin", "task", NULL, 0, true, TRACE_ACT_BIRTH },
  [KIND_DIED] = { "End", "task", of_life, 1, true, TRACE_ACT_DEATH },
  [KIND_RUNS] = { "State", "state", of_state, 1, true, TRACE_ACT_SET },
  [KIND_HOLD] = { "Hold", "lock", of_call, 2, false, TRACE_ACT_CALL },
  [KIND_WAIT] = { "Wait", "wait", of_call, 2, false, TRACE_ACT_CALL },
  [KIND_LEFT] = { "WaitForEver", "wait", of_left, 3, false, TRACE_ACT_CALL | TRACE_ACT_RECEIVE },
  [KIND_UNLOCK] = { "Unlock", "wake", of_wake, 2, true, WAKES },
  [KIND_SIGNAL] = { "Signal", "wake", of_wake, 2, true, WAKES },
  [KIND_POST] = { "Post", "wake", of_wake, 2, true, WAKES },
  [KIND_ARRIVE] = { "Arrive", "wake", of_wake, 2, true, WAKES },
  [KIND_EXIT] = { "Exit", "wake", of_wake, 2, true, WAKES },
  [KIND_CREATE] = { "Create", "wake", of_create, 2, true, WAKES },
  [KIND_GOT] = { "GoOn", "woken", of_got, 2, true, TRACE_ACT_RECEIVE },
  [KIND_IS] = { "Is", "variable", of_is, 2, true, TRACE_ACT_SET },
  [KIND_DEADLOCK] = { "Deadlock", "found", of_circle, 1, true, TRACE_ACT_MARK },
};
_Static_assert(G_N_ELEMENTS (kinds) == N_KINDS, "one for each");

static uint32_t
object_of_type (const Threads *t, uint32_t type)
{
  return ((const TraceType *) t->source->types->pdata[type])->object;
}

static void
set_does (const Threads *t, unsigned type, TraceDoes does)
{
  ((TraceType *) t->source->types->pdata[t->types[type]])->does = does;
}

void
told_begin (Threads *t)
{
  TraceSource *s = t->source;

  for (guint i = 0; i < N_KINDS; i++)
    t->kinds[i] = converter_kind (t->to, &(TraceKind){ .name = kinds[i].name,
                                                       .category = kinds[i].category,
                                                       .fields = kinds[i].fields,
                                                       .n_fields = kinds[i].n_fields,
                                                       .instant = kinds[i].instant,
                                                       .acts = kinds[i].acts });
  uint32_t process = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Process"), NULL, TRACE_NONE),
           thread = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Thread"), NULL, process);
  t->types[TYPE_PROCESS] = process;
  t->types[TYPE_THREAD] = thread;
  t->types[TYPE_LOCK] = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Lock"), NULL, process);
  t->types[TYPE_CONDITION] = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Condition"), NULL, process);
  t->types[TYPE_SEMAPHORE] = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Semaphore"), NULL, process);
  t->types[TYPE_BARRIER] = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Barrier"), NULL, process);
  t->types[TYPE_LIFE] = trace_source_add_type (s, TRACE_STATES, "Life", NULL, thread);
  t->types[TYPE_WAIT] = trace_source_add_type (s, TRACE_STATES, "Synchronisation", NULL, thread);
  t->types[TYPE_SECTION] = trace_source_add_type (s, TRACE_STATES, "Critical section", NULL, thread);
  t->types[TYPE_HOLDER] = trace_source_add_type (s, TRACE_STATES, "Holder", NULL, t->types[TYPE_LOCK]);
  for (unsigned i = TYPE_LOCK; i <= TYPE_BARRIER; i++)
    set_does (t, i, TRACE_RESTS);
  set_does (t, TYPE_LIFE, TRACE_WORKS);
  set_does (t, TYPE_WAIT, TRACE_WAITS);
  set_does (t, TYPE_HOLDER, TRACE_WAITS); /* no work is done by a lock */
  static const struct {
    const char *name, *unit;
  } variables[] = { [VARIABLE_WAITING] = { "Waiting", NULL }, [VARIABLE_TAKES] = { "Takes", NULL },
                    [VARIABLE_WAITS] = { "Waits", NULL },     [VARIABLE_WAITED] = { "Waited", "s" },
                    [VARIABLE_LONGEST] = { "Longest", "s" },  [VARIABLE_VALUE] = { "Value", NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    t->variables[i] = object_of_type (
        t, trace_source_add_type (s, TRACE_VARIABLE, variables[i].name, variables[i].unit, t->types[TYPE_LOCK]));
  t->read_by_several = TRACE_NONE;
  t->free = trace_source_add_value (
      s, t->types[TYPE_FREE] = trace_source_add_type (s, TRACE_STATES, "Free", NULL, t->types[TYPE_LOCK]), "free");
  set_does (t, TYPE_FREE, TRACE_RESTS);
  t->runs = trace_source_add_value (s, t->types[TYPE_LIFE], "runs");
  t->ids = unlike_new ();
}

void
told_end (Threads *t)
{
  unlike_free (t->ids);
}

/* ---- who there is -------------------------------------------------------------------------------------------------- */

/* Its own name, unless that is only the program's; else that of its function. */
static char *
name_of_thread (Threads *t, const Lane *l)
{
  const char *routine = g_hash_table_lookup (l->process->routines, &l->h->routine);
  g_autofree char *plain = NULL;

  if (l->given && *l->given && !g_str_has_prefix (l->process->program, l->given))
    return unlike_others (t->ids, l->given, " (", ")");
  if (l->h->thread == 0)
    plain = g_strdup (t->processes->len > 1 ? l->process->program : "main");
  else
    plain = routine ? g_strdup_printf ("%s %u", routine, l->h->thread) : g_strdup_printf ("thread %u", l->h->thread);
  return unlike_others (t->ids, plain, " (", ")");
}

void
told_tasks (Threads *t)
{
  uint32_t host = TRACE_NONE;

  for (guint i = 0; i < t->processes->len; i++) {
    Process *p = t->processes->pdata[i];
    g_autofree char *id = g_strdup_printf (p->image > 0 ? "%s %d.%u" : "%s %d", p->program, p->pid, p->image),
                    *own = unlike_others (t->ids, id, " (", ")");
    p->task = trace_source_add_task_in (t->source, own, p->pid, t->types[TYPE_PROCESS], TRACE_NONE);
  }
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    g_autofree char *id = name_of_thread (t, l);
    if (host == TRACE_NONE && *l->h->host)
      host = trace_source_add_host (t->source, l->h->host, NULL, 0);
    l->task = trace_source_add_task_in (t->source, id, l->h->thread, t->types[TYPE_THREAD], l->process->task);
    trace_task (t->source, l->task)->host = host;
  }
}

static uint32_t
threads_told_state_named (Threads *t, unsigned type, const char *what, const char *name)
{
  g_autofree char *id = g_strconcat (what, " ", name, NULL);

  return trace_source_add_value (t->source, t->types[type], id);
}

void
told_thing (Threads *t, Thing *thing, const char *what, uint64_t site)
{
  static const char *const waits[] = { [THING_LOCK] = "waits for",
                                       [THING_CONDITION] = "waits for condition",
                                       [THING_SEMAPHORE] = "waits for semaphore",
                                       [THING_BARRIER] = "at barrier" };
  static const unsigned types[] = { [THING_LOCK] = TYPE_LOCK,
                                    [THING_CONDITION] = TYPE_CONDITION,
                                    [THING_SEMAPHORE] = TYPE_SEMAPHORE,
                                    [THING_BARRIER] = TYPE_BARRIER };
  const char *known = lanes_object (thing->process, thing->address), *at = lanes_site (thing->process, site);
  g_autofree char *base = at ? g_path_get_basename (at) : NULL,
                  *plain = known  ? g_strdup (known)
                           : base ? g_strdup_printf ("%s of %s", what, base)
                                  : g_strdup_printf ("%s %u", what, ++t->n_unnamed);

  thing->name = unlike_others (t->ids, plain, " (", ")");
  thing->waits = threads_told_state_named (t, TYPE_WAIT, waits[thing->kind], thing->name);
  if (thing->kind == THING_LOCK)
    thing->holds = threads_told_state_named (t, TYPE_SECTION, "holds", thing->name);
  thing->object = trace_source_add_object (t->source, thing->name);
  thing->task = t->n_rows < MOST_ROWS ? trace_source_add_task_in (t->source, thing->name, (int64_t) thing->address,
                                                                  t->types[types[thing->kind]], thing->process->task)
                                      : TRACE_NONE;
  t->n_rows += thing->task != TRACE_NONE;
}

/* ---- events --------------------------------------------------------------------------------------------------------- */

static TraceEvent
threads_told_event (const Threads *t, unsigned kind, uint32_t task, int64_t date)
{
  return (TraceEvent){ .date = date,
                       .task = task,
                       .peer = TRACE_NONE,
                       .object = TRACE_NONE,
                       .tag = -1,
                       .kind = (uint16_t) t->kinds[kind],
                       .flags = kinds[kind].instant ? TRACE_INSTANT : 0 };
}

void
told_birth (Threads *t, const Lane *l, int64_t date)
{
  TraceEvent born = threads_told_event (t, KIND_BORN, l->task, date),
             runs = threads_told_event (t, KIND_RUNS, l->task, date);

  converter_event (t->to, &born);
  runs.object = t->runs;
  converter_event (t->to, &runs);
}

void
told_death (Threads *t, const Lane *l, int64_t date)
{
  TraceEvent e = threads_told_event (t, KIND_DIED, l->task, date);

  converter_event (t->to, &e);
}

static void
threads_told_call (Threads *t, TraceEvent *e, const Process *p, uint64_t site, int64_t until)
{
  const char *at = lanes_site (p, site);

  if (at)
    converter_text (t->to, at, strlen (at));
  else
    converter_none (t->to);
  if (until == INT64_MAX) {
    e->flags |= TRACE_UNFINISHED;
    converter_event (t->to, e);
  } else {
    converter_action (t->to, e, until);
  }
}

void
told_hold (Threads *t, const Lane *l, const Thing *thing, int64_t since, int64_t until, uint64_t site)
{
  TraceEvent e = threads_told_event (t, KIND_HOLD, l->task, since);

  e.object = thing->holds;
  threads_told_call (t, &e, l->process, site, until);
}

void
told_wait (Threads *t, const Lane *l, uint32_t state, int64_t since, int64_t until, uint64_t site)
{
  TraceEvent e = threads_told_event (t, KIND_WAIT, l->task, since);

  e.object = state;
  threads_told_call (t, &e, l->process, site, until);
}

void
told_left (Threads *t, const Lane *l, uint32_t state, int64_t since, uint64_t site, uint32_t on)
{
  TraceEvent e = threads_told_event (t, on == TRACE_NONE ? KIND_WAIT : KIND_LEFT, l->task, since);

  e.object = state;
  e.peer = on;
  threads_told_call (t, &e, l->process, site, INT64_MAX);
}

void
told_wake (Threads *t, unsigned kind, uint32_t by, int64_t sent, uint64_t place, uint32_t to, int64_t got,
           uint32_t object)
{
  TraceEvent wakes = threads_told_event (t, kind, by, sent), goes_on = threads_told_event (t, KIND_GOT, to, got);

  wakes.peer = to;
  goes_on.peer = by;
  wakes.object = goes_on.object = object;
  converter_event_at (t->to, &wakes, place);
  converter_event (t->to, &goes_on);
}

void
told_holder (Threads *t, const Thing *thing, int64_t date)
{
  guint n = thing->holders->len;

  if (thing->task == TRACE_NONE)
    return;
  TraceEvent e = threads_told_event (t, KIND_RUNS, thing->task, date);
  e.object = t->free;
  if (n == 1) {
    Lane *l = g_array_index (thing->holders, Holder, 0).lane;
    uint32_t *state = thing->shared ? &l->read_by : &l->held_by;
    if (*state == TRACE_NONE)
      *state = threads_told_state_named (t, TYPE_HOLDER, thing->shared ? "read by" : "held by",
                                         trace_task_id (t->source, l->task));
    e.object = *state;
  } else if (n > 1) {
    if (t->read_by_several == TRACE_NONE)
      t->read_by_several = trace_source_add_value (t->source, t->types[TYPE_HOLDER], "read by several");
    e.object = t->read_by_several;
  }
  converter_event (t->to, &e);
}

uint32_t
told_joins (Threads *t, Lane *of)
{
  if (of->joined == TRACE_NONE)
    of->joined = threads_told_state_named (t, TYPE_WAIT, "joins", trace_task_id (t->source, of->task));
  return of->joined;
}

void
told_variable (Threads *t, const Thing *thing, unsigned variable, int64_t date, double value)
{
  TraceEvent e = threads_told_event (t, KIND_IS, thing->task, date);

  if (thing->task == TRACE_NONE)
    return;
  e.object = t->variables[variable];
  e.flags |= TRACE_REAL;
  e.real = value;
  converter_event (t->to, &e);
}

void
told_deadlock (Threads *t, const Lane *l, int64_t date, const char *circle)
{
  TraceEvent e = threads_told_event (t, KIND_DEADLOCK, l->task, date);

  converter_text (t->to, circle, strlen (circle));
  converter_event (t->to, &e);
}
