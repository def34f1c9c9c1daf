/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - locks, conditions, semaphores, barriers: who has them, who waits, and whom for.
 *
 * Who lets another go on is known when that one goes on, which comes later: its place among the events of its date is
 * kept for it.  README.md says what is taken for the cause of each wait. */
#include <errno.h>
#include <string.h>

#include "readers/threads/parts.h"
#include "eve/words.h"

static const char *const whats[] = {
  [OBJECT_MUTEX] = "mutex",         [OBJECT_RWLOCK] = "read-write lock", [OBJECT_SPIN] = "spin lock",
  [OBJECT_CONDITION] = "condition", [OBJECT_SEMAPHORE] = "semaphore",    [OBJECT_BARRIER] = "barrier"
};
static const ThingKind kinds[] = {
  [OBJECT_MUTEX] = THING_LOCK,          [OBJECT_RWLOCK] = THING_LOCK,         [OBJECT_SPIN] = THING_LOCK,
  [OBJECT_CONDITION] = THING_CONDITION, [OBJECT_SEMAPHORE] = THING_SEMAPHORE, [OBJECT_BARRIER] = THING_BARRIER
};
static const unsigned of_waits[] = {
  [WAIT_MUTEX] = OBJECT_MUTEX,    [WAIT_READ] = OBJECT_RWLOCK,         [WAIT_WRITE] = OBJECT_RWLOCK,
  [WAIT_SPIN] = OBJECT_SPIN,      [WAIT_CONDITION] = OBJECT_CONDITION, [WAIT_SEMAPHORE] = OBJECT_SEMAPHORE,
  [WAIT_BARRIER] = OBJECT_BARRIER
};

/* ---- things -------------------------------------------------------------------------------------------------------- */

static void
thing_free (void *thing)
{
  Thing *x = thing;

  g_free (x->name);
  g_array_unref (x->holders);
  g_ptr_array_unref (x->waiters);
  g_array_unref (x->tokens);
  g_free (x);
}

static Thing *
thing_new (Threads *t, Process *p, uint64_t address, unsigned object, uint64_t site)
{
  Thing *x = g_new0 (Thing, 1);

  x->kind = kinds[object];
  x->process = p;
  x->address = address;
  x->holders = g_array_new (FALSE, FALSE, sizeof (Holder));
  x->waiters = g_ptr_array_new ();
  x->tokens = g_array_new (FALSE, FALSE, sizeof (Wake));
  x->last.by = TRACE_NONE;
  g_ptr_array_add (t->things, x);
  g_hash_table_replace (p->things, g_memdup2 (&address, sizeof address), x);
  told_thing (t, x, whats[object], site);
  return x;
}

static Thing *
thing_at (Threads *t, Process *p, uint64_t address, unsigned object, uint64_t site)
{
  Thing *x = g_hash_table_lookup (p->things, &address);

  return x && x->kind == kinds[object] ? x : thing_new (t, p, address, object, site);
}

static Holder *
holder_of (const Thing *x, const Lane *l, guint *at)
{
  for (guint i = 0; i < x->holders->len; i++) {
    Holder *h = &g_array_index (x->holders, Holder, i);
    if (h->lane == l) {
      if (at)
        *at = i;
      return h;
    }
  }
  return NULL;
}

/* ---- locks --------------------------------------------------------------------------------------------------------- */

static void
threads_model_take (Threads *t, Lane *l, Thing *x, bool shared, int64_t date, uint64_t site)
{
  Holder *h = holder_of (x, l, NULL);

  told_variable (t, x, VARIABLE_TAKES, date, (double) ++x->n_takes);
  if (h) {
    h->depth++;
    return;
  }
  const Holder one = { l, 1, date, site };
  g_array_append_val (x->holders, one);
  x->shared = shared;
  told_holder (t, x, date);
}

static void
threads_model_let_go (Threads *t, Lane *l, Thing *x, int64_t date)
{
  guint at;
  Holder *h = holder_of (x, l, &at);

  if (!h || --h->depth > 0)
    return;
  const Holder had = *h;
  g_array_remove_index (x->holders, at);
  x->last = (Wake){ l->task, date, converter_place (t->to) };
  told_hold (t, l, x, had.since, date, had.site);
  told_holder (t, x, date);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

static void
threads_model_ask (Threads *t, Lane *l, const Item *i)
{
  l->asked = i->date;
  l->asked_at = i->site;
  l->asked_with = i->with;
  l->asks = i->a;
  l->limited = i->b;
  l->woken_by = TRACE_NONE;
  if (i->a == WAIT_JOIN) {
    l->joins = lanes_find (l->process, i->with, i->date);
    return;
  }
  Thing *x = l->thing = thing_at (t, l->process, i->object, of_waits[i->a], i->site);
  g_ptr_array_add (x->waiters, l);
  told_variable (t, x, VARIABLE_WAITING, i->date, x->waiters->len);
  if (i->a == WAIT_CONDITION && i->with)
    threads_model_let_go (t, l, thing_at (t, l->process, i->with, OBJECT_MUTEX, i->site), i->date);
  if (i->a == WAIT_BARRIER)
    x->last = (Wake){ l->task, i->date, converter_place (t->to) };
}

static void
threads_model_wake (Lane *l, const Wake *w)
{
  l->woken_by = w->by;
  l->woken_at = w->at;
  l->woken_place = w->place;
}

/* One that waits for a condition goes on although a signal was taken to be another's: they change places. */
static void
take_signal_of_another (Lane *l)
{
  for (guint i = 0; i < l->thing->waiters->len; i++) {
    Lane *other = l->thing->waiters->pdata[i];
    if (other != l && other->woken_by != TRACE_NONE) {
      threads_model_wake (l, &(Wake){ other->woken_by, other->woken_at, other->woken_place });
      other->woken_by = TRACE_NONE;
      return;
    }
  }
}

/* When the first one goes on, all who wait at a barrier do. */
static void
open_barrier (const Thing *x)
{
  for (guint i = 0; i < x->waiters->len; i++) {
    Lane *l = x->waiters->pdata[i];
    if (l->woken_by == TRACE_NONE)
      threads_model_wake (l, &x->last);
  }
}

static void
take_token (Threads *t, Thing *x, int64_t date, Wake *from)
{
  *from = (Wake){ .by = TRACE_NONE };
  if (x->first_token < x->tokens->len)
    *from = g_array_index (x->tokens, Wake, x->first_token++);
  if (x->first_token > 1024 && x->first_token > x->tokens->len / 2) {
    g_array_remove_range (x->tokens, 0, x->first_token);
    x->first_token = 0;
  }
  told_variable (t, x, VARIABLE_TAKES, date, (double) ++x->n_takes);
  if (x->counts)
    told_variable (t, x, VARIABLE_VALUE, date, x->tokens->len - x->first_token);
}

/* Why it goes on; the kind of what has let it. */
static unsigned
find_cause (Threads *t, Lane *l, int64_t date)
{
  Thing *x = l->thing;
  Wake w;

  switch (l->asks) {
  case WAIT_CONDITION: {
    if (l->woken_by == TRACE_NONE)
      take_signal_of_another (l);
    const Thing *mutex = g_hash_table_lookup (l->process->things, &l->asked_with);
    if (l->woken_by != TRACE_NONE && mutex && mutex->kind == THING_LOCK && mutex->last.at > l->woken_at
        && mutex->last.by != l->woken_by && mutex->last.by != TRACE_NONE && mutex->last.by != l->task) {
      threads_model_wake (l, &mutex->last); /* another still had the lock, for longer */
      return KIND_UNLOCK;
    }
    return KIND_SIGNAL;
  }
  case WAIT_SEMAPHORE:
    take_token (t, x, date, &w);
    threads_model_wake (l, &w);
    return KIND_POST;
  case WAIT_BARRIER:
    if (l->woken_by == TRACE_NONE)
      open_barrier (x);
    return KIND_ARRIVE;
  default:
    threads_model_wake (l, &x->last);
    return KIND_UNLOCK;
  }
}

static void
count_wait (Threads *t, Thing *x, int64_t date, int64_t ticks)
{
  x->n_waits++;
  x->waited = trace_sum (x->waited, ticks);
  told_variable (t, x, VARIABLE_WAITS, date, (double) x->n_waits);
  told_variable (t, x, VARIABLE_WAITED, date, (double) x->waited * 1e-9);
  if (ticks > x->longest || x->n_waits == 1) {
    x->longest = ticks;
    told_variable (t, x, VARIABLE_LONGEST, date, (double) ticks * 1e-9);
  }
}

static void
tell_wake (Threads *t, const Lane *l, unsigned kind, int64_t date, uint32_t object)
{
  if (l->woken_by != TRACE_NONE && l->woken_by != l->task && l->woken_at >= l->asked)
    told_wake (t, kind, l->woken_by, l->woken_at, l->woken_place, l->task, date, object);
}

static void
go_on_from_join (Threads *t, Lane *l, int result, int64_t date)
{
  Lane *of = l->joins;

  if (of && result == 0 && of->dead) {
    threads_model_wake (l, &(Wake){ of->task, of->exited, of->exit_place });
    tell_wake (t, l, KIND_EXIT, date, TRACE_NONE);
    of->was_joined = true;
  }
  told_wait (t, l, told_joins (t, of ? of : l), l->asked, date, l->asked_at);
  l->joins = NULL;
}

/* What it waited for has come, or not: `result` as of the call. */
static void
threads_model_go_on (Threads *t, Lane *l, int result, int64_t date)
{
  Thing *x = l->thing;
  bool got = result == 0 || result == EOWNERDEAD;

  if (l->joins)
    go_on_from_join (t, l, result, date);
  if (!x)
    return;
  if (got)
    tell_wake (t, l, find_cause (t, l, date), date, x->object);
  g_ptr_array_remove (x->waiters, l);
  told_wait (t, l, x->waits, l->asked, date, l->asked_at);
  l->thing = NULL;
  told_variable (t, x, VARIABLE_WAITING, date, x->waiters->len);
  count_wait (t, x, date, date - l->asked);
  if (x->kind == THING_LOCK && got)
    threads_model_take (t, l, x, l->asks == WAIT_READ, date, l->asked_at);
  if (l->asks == WAIT_CONDITION && l->asked_with) /* it has the lock again, in time or not */
    threads_model_take (t, l, thing_at (t, l->process, l->asked_with, OBJECT_MUTEX, l->asked_at), false, date,
                        l->asked_at);
}

/* ---- signals --------------------------------------------------------------------------------------------------------- */

static void
signal_condition (Threads *t, Lane *l, Thing *x, const Item *i)
{
  const Wake w = { l->task, i->date, converter_place (t->to) };

  for (guint k = 0; k < x->waiters->len; k++) {
    Lane *other = x->waiters->pdata[k];
    if (other->woken_by != TRACE_NONE)
      continue;
    threads_model_wake (other, &w);
    if (i->a == SIGNAL_ONE)
      return;
  }
}

static void
give_token (Threads *t, Thing *x, uint32_t by, int64_t date)
{
  const Wake w = { by, date, by == TRACE_NONE ? 0 : converter_place (t->to) };

  g_array_append_val (x->tokens, w);
}

static void
signalled (Threads *t, Lane *l, const Item *i)
{
  bool semaphore = i->a == SIGNAL_POST || i->a == SIGNAL_TAKEN;
  Thing *x = thing_at (t, l->process, i->object, semaphore ? OBJECT_SEMAPHORE : OBJECT_CONDITION, i->site);
  Wake from;

  if (i->a == SIGNAL_POST) {
    give_token (t, x, l->task, i->date);
    if (x->counts)
      told_variable (t, x, VARIABLE_VALUE, i->date, x->tokens->len - x->first_token);
  } else if (i->a == SIGNAL_TAKEN) {
    take_token (t, x, i->date, &from);
  } else {
    signal_condition (t, l, x, i);
  }
}

static void
threads_model_made (Threads *t, Lane *l, const Item *i)
{
  Thing *x = thing_new (t, l->process, i->object, i->a, i->site);

  if (x->kind == THING_LOCK)
    told_holder (t, x, i->date);
  if (x->kind != THING_SEMAPHORE)
    return;
  x->counts = true;
  for (uint64_t k = 0; k < MIN (i->with, MOST_TOKENS); k++)
    give_token (t, x, TRACE_NONE, i->date);
  told_variable (t, x, VARIABLE_VALUE, i->date, x->tokens->len);
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

static void
threads_model_die (Threads *t, Lane *l, int64_t date)
{
  threads_model_go_on (t, l, ECANCELED, date);
  l->dead = true;
  l->exited = date;
  l->exit_place = converter_place (t->to);
  told_death (t, l, date);
}

static void
threads_model_create (Threads *t, Lane *l, const Item *i)
{
  const Lane *child = i->a == 0 ? lanes_numbered (t, l->process, (uint32_t) i->object) : NULL;

  if (child && child != l)
    told_wake (t, KIND_CREATE, l->task, i->date, converter_place (t->to), child->task, child->born, TRACE_NONE);
}

static void
threads_model_follow (Threads *t, Lane *l, const Item *i)
{
  bool waits = l->thing || l->joins;

  /* A signal handler may post while its thread waits; all else tells that the wait is over: the thread was cancelled
   * in it, and does what it must before it ends. */
  if (waits && i->type != THREADS_GOT && !(i->type == THREADS_SIGNAL && i->a == SIGNAL_POST) && i->type != THREADS_CLOCK
      && i->type != THREADS_MISSED && i->type != THREADS_LOST)
    threads_model_go_on (t, l, ECANCELED, i->date);
  switch (i->type) {
  case THREADS_HOLD: {
    Thing *x = g_hash_table_lookup (l->process->things, &i->object);
    if (!x || x->kind != THING_LOCK)
      x = thing_new (t, l->process, i->object, MIN (i->a >> 1, OBJECT_SPIN), i->site);
    threads_model_take (t, l, x, i->a & HOLD_SHARED, i->date, i->site);
    break;
  }
  case THREADS_RELEASE: {
    Thing *x = g_hash_table_lookup (l->process->things, &i->object);
    if (x && x->kind == THING_LOCK && i->a == 0) /* else it was not the thread's to let go of */
      threads_model_let_go (t, l, x, i->date);
    break;
  }
  case THREADS_ASK:
    if (i->a < N_WAITS)
      threads_model_ask (t, l, i);
    break;
  case THREADS_GOT:
    threads_model_go_on (t, l, (int) i->a, i->date);
    break;
  case THREADS_SIGNAL:
    signalled (t, l, i);
    break;
  case THREADS_INIT:
    if (i->a < G_N_ELEMENTS (kinds))
      threads_model_made (t, l, i);
    break;
  case THREADS_DESTROY:
    g_hash_table_remove (l->process->things, &i->object);
    break;
  case THREADS_CREATE:
    threads_model_create (t, l, i);
    break;
  case THREADS_EXIT:
    threads_model_die (t, l, i->date);
    break;
  case THREADS_LOST:
    trace_source_remark (t->source, l->name, 0, 0, _ ("the disk was full: what thread %s did later is missing"),
                         trace_task_id (t->source, l->task));
    break;
  case THREADS_MISSED:
    trace_source_remark (t->source, l->name, 0, 0,
                         _ ("%" PRIu64 " calls of signal handlers are missing: they came in the midst of others"),
                         i->object);
    break;
  case THREADS_DONE:
    l->process->done = true;
    l->process->ended = i->date;
    break;
  default:
    break;
  }
}

/* ---- the end --------------------------------------------------------------------------------------------------------- */

/* Whom it waits for, for ever; NULL: nobody in particular. */
static Lane *
waits_on (const Lane *l)
{
  if (l->joins)
    return l->limited || l->joins->dead ? NULL : l->joins;
  if (!l->thing || l->limited || l->thing->kind != THING_LOCK || l->thing->holders->len == 0)
    return NULL;
  return g_array_index (l->thing->holders, Holder, 0).lane;
}

/* Threads that wait for each other in a circle; each circle is told once. */
static void
tell_deadlock (Threads *t, Lane *first, GHashTable *told)
{
  g_autoptr (GString) circle = g_string_new (NULL);
  int64_t date = 0;
  Lane *l = first;

  do {
    g_string_append_printf (circle, "%s%s ", circle->len > 0 ? ", " : "", trace_task_id (t->source, l->task));
    g_string_append_printf (circle, "%s",
                            trace_object_id (t->source, l->joins ? told_joins (t, l->joins) : l->thing->waits));
    const char *site = lanes_site (l->process, l->asked_at);
    if (site) {
      g_autofree char *base = g_path_get_basename (site);
      g_string_append_printf (circle, " (%s)", base);
    }
    if (l->thing)
      g_string_append_printf (circle, _ (", which %s holds"), trace_task_id (t->source, waits_on (l)->task));
    date = MAX (date, l->asked);
    g_hash_table_add (told, l);
    l = waits_on (l);
  } while (l != first);
  told_deadlock (t, first, date, circle->str);
  trace_source_remark (t->source, first->name, 0, 0, _ ("deadlock from %.6f\u2009s on: %s"), (double) date * 1e-9,
                       circle->str);
}

static void
find_deadlocks (Threads *t)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL), met = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    /* each thread is walked over once: `met` says in which walk */
    while (l && !g_hash_table_contains (met, l)) {
      g_hash_table_insert (met, l, GUINT_TO_POINTER (i + 1));
      l = waits_on (l);
    }
    if (l && GPOINTER_TO_UINT (g_hash_table_lookup (met, l)) == i + 1 && !g_hash_table_contains (told, l))
      tell_deadlock (t, l, told);
  }
}

/* Of a wait that lasts at the end it is told whom for. */
static void
tell_left (Threads *t, Lane *l)
{
  const Lane *on = waits_on (l);

  told_left (t, l, l->thing ? l->thing->waits : told_joins (t, l->joins), l->asked, l->asked_at,
             on ? on->task : TRACE_NONE);
}

/* What lasts at the end has none.  Who waits for something that has a holder waits inside of what it holds itself,
 * which began before and is told first. */
static void
end_all (Threads *t)
{
  find_deadlocks (t);
  for (guint i = 0; i < t->things->len; i++) {
    const Thing *x = t->things->pdata[i];
    for (guint k = 0; k < x->holders->len; k++) {
      const Holder *h = &g_array_index (x->holders, Holder, k);
      if (!h->lane->dead)
        told_hold (t, h->lane, x, h->since, INT64_MAX, h->site);
      else
        trace_source_remark (t->source, h->lane->name, 0, 0, _ ("%s ended, and never let go of %s"),
                             trace_task_id (t->source, h->lane->task), x->name);
    }
  }
  for (guint i = 0; i < t->lanes->len; i++) {
    Lane *l = t->lanes->pdata[i];
    if (l->thing || l->joins)
      tell_left (t, l);
    if (!l->dead && l->process->done)
      told_death (t, l, MAX (l->last, l->process->ended));
    else if (!l->dead)
      t->n_cut++;
  }
  if (t->n_cut > 0)
    trace_source_remark (t->source, "names", 0, 0,
                         _ ("%u threads did not come to an end: their process was killed, or still runs"), t->n_cut);
}

bool
model_read (Threads *t, GError **error)
{
  Item i;
  Lane *l;
  bool ok = true;

  t->things = g_ptr_array_new_with_free_func (thing_free);
  told_begin (t);
  told_tasks (t);
  for (guint k = 0; k < t->lanes->len; k++) {
    l = t->lanes->pdata[k];
    told_birth (t, l, l->born);
  }
  for (uint64_t n = 1; ok && (l = lanes_next (t, &i)); n++) {
    if (!l->dead)
      threads_model_follow (t, l, &i);
    if (n % 4096 == 0)
      ok = converter_progress (t->to, lanes_share (t), error);
  }
  if (ok)
    end_all (t);
  told_end (t);
  g_ptr_array_unref (t->things);
  return ok;
}
