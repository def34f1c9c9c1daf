/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - threads of tasks and teams of them, and windows on the memory of others: what is noted of them, and who
 * waits then. */
#include <string.h>

#include "components/waits/hybrid.h"
#include "components/waits/waits.h"
#include "readers/pair.h"

/* ---- teams -------------------------------------------------------------------------------------------------------------------- */

static void
team_begins (Waits *w, WaitTask *t, const TraceEvent *e)
{
  int64_t team = e->object, i = table_find (&w->groups, &team);

  if (e->object == TRACE_NONE)
    return;
  if (t->team >= 0) { /* a parallel region inside of another */
    int64_t around = waits_teams_take (w);
    *waits_teams_at (w, around) = (WaitTeam){ t->team, t->teams, 0 };
    t->teams = around;
  }
  t->team = team;
  t->widest = MAX (t->widest, i >= 0 ? waits_groups_at (w, i)->size : 0);
}

static void
team_ends (Waits *w, WaitTask *t)
{
  int64_t around = t->teams;

  t->team = -1;
  if (!waits_teams_use (w, around))
    return;
  const WaitTeam *team = waits_teams_at (w, around);
  t->team = team->team;
  t->teams = team->next;
  waits_teams_drop (w, around);
}

int64_t
waits_idle (const WaitTask *t)
{
  if (t->widest < 2 || t->first > t->last || (t->forked == 0 && t->forked_at == INT64_MIN))
    return 0;
  int64_t forked = t->forked + (t->forked_at != INT64_MIN ? waits_between (t->forked_at, t->last) : 0);
  return MAX (waits_between (t->first, t->last) - forked, 0) * MIN (t->widest - 1, 1 << 20);
}

/* By task, in one pass: a process may have very many threads. */
static void
threads_find_first (Waits *w)
{
  const TraceSource *s = w->source;
  g_autoptr (GHashTable) met = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);

  g_free (w->not_first);
  w->n_not_first = s->tasks->len;
  w->not_first = g_new0 (uint8_t, w->n_not_first);
  for (uint32_t i = 0; i < w->n_not_first; i++) {
    const TraceTask *t = trace_task (s, i);
    const uint64_t key = (uint64_t) t->parent << 32 | t->type;
    w->not_first[i] = t->parent != TRACE_NONE && !g_hash_table_add (met, g_memdup2 (&key, sizeof key));
  }
}

/* As its trace groups it, else as its name tells. */
static bool
threads_is_parallel (const Waits *w, int64_t region)
{
  const TraceSource *s = w->source;
  const TraceObject *o = region >= 0 && region < s->objects->len ? s->objects->pdata[region] : NULL;
  const TraceType *type = o && o->type < s->types->len ? s->types->pdata[o->type] : NULL;
  const char *named = trace_group_of (waits_region (w, region)),
             *group = type && type->kind == TRACE_STATES ? type->name : named;

  return g_strcmp0 (group, TRACE_GROUP_PARALLEL) == 0 || g_strcmp0 (group, TRACE_GROUP_TEAM) == 0
         || g_strcmp0 (named, TRACE_GROUP_PARALLEL) == 0;
}

/* The first thread of a process computes outside of parallel regions too, whether or not a region is told around it;
 * the others wait there for the next one. */
int64_t
waits_helps (Waits *w, const WaitTask *t, int64_t region)
{
  if (w->source == NULL || !threads_is_parallel (w, region))
    return HELPS_NOBODY;
  if (w->n_not_first < w->source->tasks->len)
    threads_find_first (w);
  return t->task < w->n_not_first && w->not_first[t->task] ? HELPS_NOW : HELPS_NOBODY;
}

/* ---- threads that a task has, itself the first of them ------------------------------------------------------------------- */

/* Before and behind what changes of a thread. */
static void
threads_count (WaitTask *t, const WaitThread *one, int by)
{
  t->n_live += one->dead ? 0 : by;
  t->n_busy += one->dead || one->stopped || one->communicates > 0 ? 0 : by;
}

/* One that was not told of runs. */
static WaitThread *
thread_of (Waits *w, WaitTask *t, int64_t thread)
{
  const int64_t key[] = { t->task, thread };
  bool is_new;

  if (!t->has_threads) {
    t->has_threads = 1;
    if (thread != 0)
      thread_of (w, t, 0);
  }
  WaitThread *one = table_at (&w->threads, table_find_or_add (&w->threads, key, &is_new));
  if (is_new)
    threads_count (t, one, 1);
  return one;
}

/* What its task did until something changes. */
static void
threads_account (Waits *w, WaitTask *t, int64_t date)
{
  if (t->first > t->last)
    return;
  waits_account (w, t, date);
  t->last = date;
}

void
waits_thread_calls (Waits *w, WaitTask *t, int64_t thread, int64_t more, int64_t date)
{
  threads_account (w, t, date);
  WaitThread *one = thread_of (w, t, thread);
  threads_count (t, one, -1);
  one->communicates = MAX (one->communicates + more, 0);
  threads_count (t, one, 1);
}

static void
thread_changes (Waits *w, WaitTask *t, const TraceEvent *e, WaitNote what)
{
  const WaitsKind *k = &w->kinds[e->kind];
  TraceValue v = k->lets_run >= 0 ? trace_value (e, (uint32_t) k->lets_run) : (TraceValue){ .kind = TRACE_VALUE_NONE };

  if (what == NOTE_THREAD_RUN && (v.kind != TRACE_VALUE_INT || v.i < 0))
    return;
  threads_account (w, t, e->date);
  WaitThread *one = thread_of (w, t, what == NOTE_THREAD_RUN ? v.i : e->tag);
  threads_count (t, one, -1);
  switch (what) {
  case NOTE_THREAD_BORN: /* until its first Run */
    one->stopped = 1;
    one->dead = 0;
    break;
  case NOTE_THREAD_DEAD:
    one->dead = 1;
    break;
  case NOTE_THREAD_RUN:
    one->runs_on = !one->stopped;
    one->stopped = 0;
    break;
  default:
    one->stopped = !one->runs_on;
    one->runs_on = 0;
  }
  threads_count (t, one, 1);
}

/* ---- windows ------------------------------------------------------------------------------------------------------------------ */

enum { POSTED, COMPLETED, DEVICE_DONE };

/* What the call is that a window is opened or closed in. */
static bool
waits_threads_is_in (const Waits *w, const WaitTask *t, const char *name)
{
  const WaitFrame *f = waits_frames_use (w, t->top) ? waits_frames_at (w, t->top) : NULL;
  const char *its = f ? waits_region (w, f->region) : "";

  return g_str_has_suffix (its, name);
}

/* Who posts lets others begin; who completes lets others end. */
static void
group_sync (Waits *w, const WaitTask *t, const TraceEvent *e)
{
  bool post = waits_threads_is_in (w, t, "Win_post"), start = waits_threads_is_in (w, t, "Win_start"),
       complete = waits_threads_is_in (w, t, "Win_complete"), wait = waits_threads_is_in (w, t, "Win_wait");
  uint32_t n = 0;
  const uint32_t *with = post || start || complete || wait ? trace_list (e, &n) : NULL;
  g_autofree uint32_t *others = n > 0 ? g_memdup2 (with, n * sizeof *with) : NULL;

  for (uint32_t i = 0; others && i < n; i++) {
    if (others[i] == e->task)
      continue;
    if (post || complete)
      waits_tell (w, e, others[i], post ? POSTED : COMPLETED);
    else
      waits_hear (w, e, others[i], start ? POSTED : COMPLETED, start ? WAIT_LATE_POST : WAIT_EARLY_WAIT);
  }
}

static WaitLock *
lock_of (Waits *w, const TraceEvent *e)
{
  const int64_t key[] = { e->object, e->peer };

  return table_at (&w->locks, table_find_or_add (&w->locks, key, NULL));
}

static void
lock_asked (Waits *w, const TraceEvent *e)
{
  const int64_t key[] = { e->object, e->peer, e->task };
  int64_t holders = lock_of (w, e)->holders;
  WaitAsked *a = table_at (&w->asked, table_find_or_add (&w->asked, key, NULL));
  a->date = e->date;
  a->contended = holders > 0;
}

/* It waited if somebody held the lock when it asked, and nobody does now: until that one let go of it. */
static void
locked (Waits *w, const WaitTask *t, const TraceEvent *e)
{
  const int64_t key[] = { e->object, e->peer, e->task };
  int64_t i = table_find (&w->asked, key);
  WaitLock *l = lock_of (w, e);

  if (i >= 0) {
    const WaitAsked a = *(const WaitAsked *) table_at (&w->asked, i);
    WaitFrame *f = waits_frames_use (w, t->top) ? waits_frames_at (w, t->top) : NULL;
    int64_t owned = f ? f->owned : a.date;
    table_drop (&w->asked, i);
    if (a.contended && l->holders == 0 && l->released > a.date) {
      const Wait one = { .kind = WAIT_LOCK,
                         .task = e->task,
                         .cause = (uint32_t) l->last,
                         .region = f ? f->region : -1,
                         .from = a.date,
                         .ticks = waits_between (a.date, MIN (l->released, e->date)) };
      waits_add (w, &one, &owned);
      if (f)
        f->owned = owned;
      l = lock_of (w, e);
    }
  }
  l->holders++;
}

static void
unlocked (Waits *w, const TraceEvent *e)
{
  WaitLock *l = lock_of (w, e);

  l->holders = MAX (l->holders - 1, 0);
  l->last = e->task;
  l->released = e->date;
}

void
waits_note (Waits *w, const TraceEvent *e, WaitNote what)
{
  WaitTask *t = waits_task (w, e->task);

  switch (what) {
  case NOTE_TEAM_BEGINS:
    team_begins (w, t, e);
    break;
  case NOTE_JOINS:
  case NOTE_LEAVES:
    if (e->flags & (TRACE_END | TRACE_INSTANT) && e->result >= 0 && e->object != TRACE_NONE)
      waits_belongs (w, e->object, e->task, what == NOTE_LEAVES);
    break;
  case NOTE_TEAM_ENDS:
    team_ends (w, t);
    break;
  case NOTE_FORK:
    t->forks++;
    if (t->forked_at == INT64_MIN)
      hybrid_forks (w, t, e->date);
    break;
  case NOTE_JOIN:
    t->forks = MAX (t->forks - 1, 0);
    if (t->forks > 0)
      break;
    if (t->forked_at != INT64_MIN)
      hybrid_joins (w, t, e->date);
    break;
  case NOTE_GROUP:
    group_sync (w, t, e);
    break;
  case NOTE_DONE:
    if (e->peer != TRACE_NONE)
      waits_tell (w, e, e->peer, DEVICE_DONE);
    break;
  case NOTE_AWAITED:
    if (e->peer == TRACE_NONE)
      break;
    waits_hear (w, e, e->peer, DEVICE_DONE, WAIT_DEVICE);
    causes_met (w, e->task, e->peer, e->date);
    break;
  case NOTE_LOCK_ASKED:
    lock_asked (w, e);
    break;
  case NOTE_LOCKED:
    locked (w, t, e);
    break;
  case NOTE_UNLOCKED:
    unlocked (w, e);
    break;
  case NOTE_THREAD_BORN:
  case NOTE_THREAD_DEAD:
  case NOTE_THREAD_RUN:
  case NOTE_THREAD_STOPS:
    thread_changes (w, t, e, what);
    break;
  case NOTE_NOTHING:
    break;
  }
}
