/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the critical path: what, from the end back, the run time is made of, when everybody who waited is followed
 * to whom it waited for.
 *
 * It is not searched backward, which would need all of the trace, but kept forward: each task has the path that would
 * be critical if the run ended with it now.  Who has waited goes on from the path of who was waited for, as that was
 * when it came.  Paths are stretches, each behind another; stretches that only one other goes on from become one with
 * it, so that what is kept is as much as there are tasks, and messages under way. */
#include <string.h>

#include "components/waits/waits.h"
#include "readers/another.h"
#include "readers/untold.h"

static WaitNode *
path_node_at (const Waits *w, int64_t i)
{
  return waits_nodes_use (w, i) ? waits_nodes_at (w, i) : NULL;
}

/* ---- time by task and region ---------------------------------------------------------------------------------------------------------- */

#define LEAST_SETTLED 32u

static int
path_by_task_and_region (const void *a, const void *b)
{
  const PathPart *x = a, *y = b;

  return x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                            : (x->region > y->region) - (x->region < y->region);
}

/* Those that are alike become one. */
static void
settle_times (PathTimes *s)
{
  uint32_t n = 0;

  qsort (s->all, s->n, sizeof *s->all, path_by_task_and_region);
  for (uint32_t i = 0; i < s->n; i++) {
    if (n > 0 && path_by_task_and_region (&s->all[n - 1], &s->all[i]) == 0)
      s->all[n - 1].ticks += s->all[i].ticks;
    else
      s->all[n++] = s->all[i];
  }
  s->n = n;
  s->settle_at = MAX (LEAST_SETTLED, 2 * n);
}

void
path_times_add (PathTimes *s, int64_t task, int64_t region, int64_t ticks)
{
  for (uint32_t i = s->n - MIN (s->n, PARTS_BACK); i < s->n; i++) {
    PathPart *p = &s->all[i];
    if (p->region == region && p->task == task) {
      p->ticks += ticks;
      return;
    }
  }
  if (s->n == MAX (s->settle_at, LEAST_SETTLED))
    settle_times (s);
  if (s->n == s->room)
    s->all = g_renew (PathPart, s->all, s->room = MAX (4, 2 * s->room));
  s->all[s->n++] = (PathPart){ task, region, ticks };
}

/* All of it goes to another. */
static void
path_add_times (PathTimes *to, const PathTimes *from)
{
  for (uint32_t i = 0; i < from->n; i++)
    path_times_add (to, from->all[i].task, from->all[i].region, from->all[i].ticks);
}

static void
empty_times (PathTimes *s)
{
  if (s->room > 64) {
    g_free (s->all);
    s->all = NULL;
    s->room = 0;
  }
  s->n = s->settle_at = 0;
}

/* The smaller one goes into the other, and is empty then. */
static inline void
join_times (PathTimes *from, PathTimes *to)
{
  if (from->n > to->n) {
    PathTimes less = *to;
    *to = *from;
    *from = less;
  }
  path_add_times (to, from);
  empty_times (from);
}

/* Takes time away again; false: there was less. */
static bool
take_times (PathTimes *s, int64_t task, int64_t region, int64_t ticks)
{
  int64_t had = 0;

  for (uint32_t i = 0; i < s->n && had < ticks; i++)
    had += s->all[i].task == task && s->all[i].region == region ? s->all[i].ticks : 0;
  if (had < ticks)
    return false;
  for (uint32_t i = 0; ticks > 0; i++)
    if (s->all[i].task == task && s->all[i].region == region) {
      int64_t part = MIN (ticks, s->all[i].ticks);
      s->all[i].ticks -= part;
      ticks -= part;
    }
  return true;
}

void
path_times_save (const PathTimes *s, EveBlob *to)
{
  eve_put_int (to, s->n);
  eve_put_int (to, s->settle_at);
  for (uint32_t i = 0; i < s->n; i++)
    eve_put_ints (to, &s->all[i].task, sizeof *s->all / sizeof (int64_t));
}

bool
path_times_load (PathTimes *s, EveBlobView *from)
{
  int64_t n = eve_get_int (from), settle_at = eve_get_int (from);
  const size_t width = sizeof *s->all / sizeof (int64_t);

  *s = (PathTimes){ .settle_at = 0 };
  if (!eve_get_ok (from) || n < 0 || n > INT32_MAX || (settle_at != 0 && settle_at < LEAST_SETTLED)
      || n > MAX (settle_at, LEAST_SETTLED) || settle_at > MAX (2 * n, LEAST_SETTLED))
    return false;
  s->settle_at = (uint32_t) settle_at;
  for (; s->n < n; s->n++) {
    if (s->n == s->room)
      s->all = g_renew (PathPart, s->all, s->room = MAX (4, 2 * s->room));
    if (eve_get_ints (from, &s->all[s->n].task, width) != width || !eve_get_ok (from) || s->all[s->n].ticks < 0)
      return false;
  }
  return true;
}

/* ---- stretches ------------------------------------------------------------------------------------------------------------------------- */

static void
more_times (Waits *w)
{
  int64_t n = w->nodes.room;

  w->times = g_renew (PathTimes, w->times, n);
  memset (w->times + w->n_times, 0, (size_t) (n - w->n_times) * sizeof *w->times);
  w->n_times = n;
}

static int64_t
new_node (Waits *w, int64_t parent, int64_t task, int64_t date)
{
  int64_t i = waits_nodes_take (w);
  WaitNode *above = path_node_at (w, parent);

  if (G_UNLIKELY (i >= w->n_times))
    more_times (w);

  *waits_nodes_at (w, i) = (WaitNode){ .parent = above ? parent : -1,
                                       .first_task = task,
                                       .last_task = task,
                                       .from = date,
                                       .to = date,
                                       .stretches = 1,
                                       .is_head = 1,
                                       .own_child = -1 };
  if (above) {
    above->children++;
    above->child ^= i;
  }
  return i;
}

/* The only one that goes on from it takes it over. */
static void
become_one (Waits *w, int64_t i)
{
  const WaitNode n = *waits_nodes_at (w, i);
  WaitNode *child = path_node_at (w, n.child), *above = path_node_at (w, n.parent);

  if (!child || child->parent != i)
    return;
  child->parent = above ? n.parent : -1;
  child->from = n.from;
  child->stretches += n.stretches - (n.last_task == child->first_task);
  child->first_task = n.first_task;
  if (above) {
    above->child ^= i ^ n.child;
    above->own_child = above->own_child == i ? n.child : above->own_child;
  }
  join_times (&w->times[i], &w->times[n.child]);
  waits_nodes_drop (w, i);
}

/* After somebody let go of it. */
static void
path_settle (Waits *w, int64_t i)
{
  for (WaitNode *n; (n = path_node_at (w, i)) && !n->is_head && n->holders <= 0;) {
    if (n->children > 0) {
      if (n->children == 1)
        become_one (w, i);
      return;
    }
    int64_t parent = n->parent;
    WaitNode *above = path_node_at (w, parent);
    empty_times (&w->times[i]);
    waits_nodes_drop (w, i);
    if (above) {
      above->children--;
      above->child ^= i;
      above->own_child = above->own_child == i ? -1 : above->own_child;
    }
    i = parent;
  }
}

void
path_hold (Waits *w, int64_t node)
{
  WaitNode *n = path_node_at (w, node);

  if (n)
    n->holders++;
}

void
path_release (Waits *w, int64_t node)
{
  WaitNode *n = path_node_at (w, node);

  if (n)
    n->holders--;
  path_settle (w, node);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------------------ */

static WaitTask *
find_goer (Waits *w, WaitTask *t, WaitLog *l)
{
  if (!trace_task_is_another (w->source, (uint32_t) t->task)) {
    l->goes_with = 1;
    return t;
  }
  if (l->looked_among == w->tasks.n_used)
    return t;
  int64_t key = trace_task (w->source, (uint32_t) t->task)->parent, i = table_find (&w->tasks, &key);
  WaitTask *around = i >= 0 ? waits_tasks_at (w, i) : NULL;
  if (!around)
    l->looked_among = w->tasks.n_used;
  if (!around || (t->told && !around->told) || around->first > around->last)
    return t; /* not yet */
  l->goes_with = i + 2;
  return around;
}

/* The task whose path is of the time of this one. */
static inline WaitTask *
goer (const Waits *w, const WaitTask *t)
{
  Waits *own = (Waits *) w;
  WaitLog *l = causes_log (own, t);

  if (G_LIKELY (l->goes_with == 1))
    return (WaitTask *) t;
  return l->goes_with > 1 ? waits_tasks_at (w, l->goes_with - 2) : find_goer (own, (WaitTask *) t, l);
}

uint32_t
path_find_task (const Waits *w, uint32_t task)
{
  int64_t key = task, i = table_find (&w->tasks, &key);

  /* logs stay where they are: this is asked while one is at hand */
  return i >= 0 && i < w->n_logs ? (uint32_t) goer (w, waits_tasks_at (w, i))->task : task;
}

/* Its path at the begin of its innermost call is kept for those that it starts. */
void
path_spawn (Waits *w, const TraceEvent *e)
{
  WaitTask *t = waits_task (w, e->task);
  int64_t before = t->spawn_node;

  path_reach (w, t, causes_log (w, t), e->date);
  t->spawn_node = t->node;
  t->spawn_at = e->date;
  path_hold (w, t->spawn_node);
  path_release (w, before);
}

static void
set_born (Waits *w, uint32_t task, uint32_t parent)
{
  const WaitTask *p = waits_task (w, parent);
  int64_t node = p->spawn_node, at = p->spawn_at;
  WaitTask *t = waits_task (w, task);

  if (task == parent || t->born_node >= 0 || t->first <= t->last || node < 0)
    return;
  t->born_node = node;
  t->born_at = at;
  path_hold (w, node);
}

void
path_spawned (Waits *w, const TraceEvent *e)
{
  uint32_t n = 0;
  const uint32_t *tasks = trace_list (e, &n);
  g_autofree uint32_t *own = tasks ? g_memdup2 (tasks, n * sizeof *tasks) : NULL;

  for (uint32_t i = 0; own && i < n; i++)
    if (own[i] != TRACE_NONE)
      set_born (w, own[i], e->task);
}

void
path_born (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  TraceValue v = trace_value (e, (uint32_t) k->parent);

  if (v.kind == TRACE_VALUE_TASK && v.i >= 0 && v.i < w->source->tasks->len)
    set_born (w, e->task, (uint32_t) v.i);
}

void
path_begin (Waits *w, WaitTask *t, WaitLog *l, int64_t date)
{
  int64_t row = waits_spent_row (w, REGION_BEFORE), node = t->born_node;
  const WaitNode *born = path_node_at (w, node);

  if (l->since == INT64_MIN)
    l->since = w->count[WAITS_FIRST];
  causes_spend (l, row, date);
  t->born_node = -1;
  if (born && born->to == t->born_at && t->born_at <= date && t->node < 0) {
    const Wait one = {
      .task = (uint32_t) t->task, .cause = (uint32_t) born->last_task, .from = t->born_at, .leads = true
    };
    int64_t ticks = waits_counted (w, t->born_at, date);
    t->node = new_node (w, node, t->task, t->born_at);
    if (ticks > 0) {
      path_times_add (&l->pending, t->task, REGION_BEFORE, ticks);
      waits_regions_spent_at (w, row)->ticks += ticks;
    }
    if (w->tell)
      w->tell (w->to_whom, &one);
  }
  path_release (w, node);
}

void
path_spend_more (Waits *w, WaitTask *t, WaitLog *l, int64_t row, int64_t ticks)
{
  PathTimes *s = &l->pending;
  int64_t region = waits_regions_spent_at (w, row)->region;

  if (l->goes_with != 1 && goer (w, t) != t)
    return;
  path_times_add (s, t->task, region, ticks);
  l->recent[row % RECENT_ROWS].pending = (uint16_t) (s->n - 1);
}

/* A call of communication begins: all before it is put in the path, so that others may go on from here. */
void
path_reach (Waits *w, WaitTask *t, WaitLog *l, int64_t date)
{
  causes_cut (l);
  if (G_UNLIKELY (l->goes_with != 1)) {
    WaitTask *of = goer (w, t);
    if (of != t) {
      WaitLog *its = causes_log (w, of);
      path_spend (w, of, its, waits_region_of (w, of), date);
      path_reach (w, of, its, date);
      return;
    }
  }
  const WaitNode *n = path_node_at (w, t->node);
  if (!n) {
    t->node = new_node (w, -1, t->task, t->first);
  } else if (n->holders > 0 || n->children > 0) {
    int64_t before = t->node;
    t->node = new_node (w, before, t->task, n->to);
    waits_nodes_at (w, before)->is_head = 0;
    waits_nodes_at (w, before)->own_child = t->node;
    path_settle (w, before);
  }
  waits_nodes_at (w, t->node)->to = date;
  join_times (&l->pending, &w->times[t->node]);
}

/* The path of a task as it was when it began its call; -1: it is not known. */
int64_t
path_at (const Waits *w, const WaitTask *t, int64_t enter)
{
  int64_t node = goer (w, t)->node;
  const WaitNode *n = path_node_at (w, node);

  return n && n->to == enter && n->is_head ? node : -1;
}

/* The path of a task before it has done anything; it is held. */
int64_t
path_begins (Waits *w, const WaitTask *t)
{
  int64_t i = new_node (w, -1, t->task, t->first);

  waits_nodes_at (w, i)->is_head = 0;
  path_hold (w, i);
  return i;
}

/* Time that was waited after all. */
static void
unspend (Waits *w, int64_t region, int64_t ticks)
{
  int64_t i = table_find (&w->regions_spent, &region);

  if (i >= 0)
    waits_regions_spent_at (w, i)->ticks -= ticks;
}

/* All that its path has come to since it reached its end so far was waited, up to a date; what it did from then on is
 * what its log tells. */
static void
spend_again (Waits *w, WaitTask *t, int64_t date)
{
  WaitLog *l = causes_log (w, t);
  int64_t rest = date < t->path_since ? waits_counted (w, date, t->path_since) : 0;

  for (uint32_t i = 0; i < l->pending.n; i++)
    unspend (w, l->pending.all[i].region, l->pending.all[i].ticks);
  empty_times (&l->pending);
  for (uint32_t i = l->n; i-- > 0 && rest > 0;) {
    const LogEntry *e = &l->all[i];
    if (e->what != LOG_SPENT || e->to <= date)
      continue;
    WaitRegion *r = waits_regions_spent_at (w, e->a);
    int64_t ticks = MIN (rest, MIN (e->b, waits_counted (w, MAX (e->from, date), e->to)));
    path_times_add (&l->pending, t->task, r->region, ticks);
    r->ticks += ticks;
    rest -= ticks;
  }
  if (rest > 0)
    path_times_add (&l->pending, t->task, waits_region_of (w, t), rest);
}

/* It has waited, and goes on from there; all of its call since then is of the call. */
bool
path_jump (Waits *w, WaitTask *t, int64_t cause, int64_t date)
{
  WaitTask *calls = t;
  t = goer (w, calls);
  const WaitNode *c = path_node_at (w, cause), *own = path_node_at (w, t->node);
  int64_t before = t->node;

  if (!c || c->to != date || cause == before || (own && own->to >= date))
    return false;
  if (t != calls) {
    path_spend (w, t, causes_log (w, t), waits_region_of (w, t), w->count[WAITS_LAST]);
    spend_again (w, t, date);
  } else {
    empty_times (&causes_log (w, t)->pending);
    t->path_since = date;
  }
  t->node = new_node (w, cause, t->task, date);
  WaitNode *old = path_node_at (w, before);
  if (old) {
    old->is_head = 0;
    path_settle (w, before);
  }
  return true;
}

/* Whether a path leads through a stretch, which then must not go on from it.  Stretches end the earlier the further
 * back they are. */
static bool
leads_through (const Waits *w, int64_t path, int64_t through)
{
  int64_t n = 0, to = path_node_at (w, through)->to;

  for (const WaitNode *node = path_node_at (w, path); node && node->to >= to; node = path_node_at (w, path)) {
    if (path == through || n++ > w->nodes.n)
      return true;
    path = node->parent;
  }
  return false;
}

int64_t
path_jumped (const Waits *w, const WaitTask *t, int64_t enter)
{
  int64_t node = goer (w, t)->node;
  const WaitNode *n = path_node_at (w, node);

  return n && n->is_head && n->from == n->to && n->to > enter ? node : -1;
}

/* Between a stretch that goes on from somebody else now, and the end of the cause. */
static int64_t
put_between (Waits *w, int64_t cause, int64_t next, int64_t date)
{
  int64_t task = waits_nodes_at (w, next)->first_task, i = new_node (w, cause, task, date);
  WaitNode *between = waits_nodes_at (w, i), *n = waits_nodes_at (w, next);

  between->is_head = 0;
  between->children = 1;
  between->child = between->own_child = next;
  n->parent = i;
  n->from = date;
  return i;
}

int64_t
path_jump_late (Waits *w, WaitTask *t, int64_t node, int64_t region, int64_t cause, int64_t date)
{
  WaitNode *before = path_node_at (w, node), *c = path_node_at (w, cause);
  int64_t waited = before ? waits_counted (w, before->to, date) : 0;

  if (!before || !c || c->to != date || before->to >= date)
    return -1;
  if (goer (w, t) != t) {
    if (goer (w, t)->node != node || !path_jump (w, t, cause, date))
      return -1;
    path_hold (w, goer (w, t)->node);
    return goer (w, t)->node;
  }
  if (t->node == node) { /* nothing has begun since; its time is not in the path yet */
    if (!take_times (&causes_log (w, t)->pending, t->task, region, waited))
      return -1;
    unspend (w, region, waited);
    t->node = new_node (w, cause, t->task, date);
    path_hold (w, t->node);
    waits_nodes_at (w, node)->is_head = 0;
    path_settle (w, node);
    return t->node;
  }
  int64_t next = before->own_child;
  WaitNode *n = path_node_at (w, next);
  if (!n || n->parent != node || n->first_task != t->task || leads_through (w, cause, next))
    return -1;
  if (!take_times (&w->times[next], t->task, region, waited))
    return -1;
  unspend (w, region, waited);
  before->children--;
  before->child ^= next;
  before->own_child = -1;
  int64_t between = put_between (w, cause, next, date);
  path_hold (w, between);
  path_settle (w, node);
  return between;
}

/* ---- the result ----------------------------------------------------------------------------------------------------------------------- */

static void
path_sum (GHashTable *to, int64_t task, int64_t region, int64_t ticks)
{
  PathPart key = { task, region, 0 }, *part = g_hash_table_lookup (to, &key);

  if (!part) {
    part = g_memdup2 (&key, sizeof key);
    g_hash_table_add (to, part);
  }
  part->ticks += ticks;
}

static void
sum_times (GHashTable *to, const PathTimes *times)
{
  for (uint32_t i = 0; times && i < times->n; i++)
    path_sum (to, times->all[i].task, times->all[i].region, times->all[i].ticks);
}

static guint
part_hash (gconstpointer p)
{
  const PathPart *x = p;

  return (guint) ((uint64_t) x->task * UINT64_C (0x9e3779b97f4a7c15) >> 32)
         ^ (guint) ((uint64_t) x->region * 2654435761u);
}

static gboolean
part_equal (gconstpointer a, gconstpointer b)
{
  const PathPart *x = a, *y = b;

  return x->task == y->task && x->region == y->region;
}

bool
path_untold (const Waits *w)
{
  bool tells = false;

  for (uint32_t i = 0; i < w->n_kinds; i++) {
    const WaitsKind *k = &w->kinds[i];
    tells |= k->spawns || k->parent >= 0 || k->asks || k->tells || k->window || k->notes != NOTE_NOTHING;
  }
  return !tells && w->cells.n == 0 && w->count[WAITS_MESSAGES] + w->count[WAITS_INSTANCES] == 0 && w->source
         && trace_waits_untold (w->source);
}

bool
path_is_doubtful (const Waits *w)
{
  int64_t length, stretches, doubtful = 0;
  g_autoptr (GArray) parts = path_by_region (w, &length, &stretches);

  for (guint i = 0; i < parts->len; i++) {
    const PathPart *p = &g_array_index (parts, PathPart, i);
    int64_t k = table_find (&w->regions_spent, &p->region);
    const WaitRegion *r = k >= 0 ? waits_regions_spent_at (w, k) : NULL;
    if (r && (r->rootless > 0 || (r->grouped == 0 && waits_region_is (w, p->region) & REGION_TOGETHER)))
      doubtful += p->ticks;
  }
  return doubtful > 0 && doubtful >= length / 100;
}

/* Of those that end last the one with the lowest number; NULL: no path can be known. */
static const WaitTask *
last_task (const Waits *w)
{
  const WaitTask *last = NULL;

  if (path_untold (w))
    return NULL;
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i);
    if (t->first <= t->last && goer (w, t) == t
        && (!last || t->last > last->last || (t->last == last->last && t->task < last->task)))
      last = t;
  }
  return last;
}

/* With its last call or state, or with what it sent behind that, in none. */
static int64_t
path_stops (const Waits *w, const WaitTask *t)
{
  const WaitNode *n = path_node_at (w, t->node);

  return n ? MAX (n->to, t->last) : t->last;
}

static GArray *
path_parts_of (const Waits *w, int64_t *length, int64_t *stretches)
{
  const WaitTask *t = last_task (w);
  g_autoptr (GHashTable) parts = g_hash_table_new_full (part_hash, part_equal, g_free, NULL);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (PathPart));
  int64_t from = t ? t->first : 0, next_task = t ? t->task : -1, n = 0;
  GHashTableIter each;
  gpointer part;

  *stretches = t != NULL;
  sum_times (parts, t ? &causes_log ((Waits *) w, t)->pending : NULL);
  for (const WaitNode *node = t ? path_node_at (w, t->node) : NULL; node && n++ <= w->nodes.n;
       node = path_node_at (w, node->parent)) {
    sum_times (parts, &w->times[node - (const WaitNode *) w->nodes.rows]);
    *stretches += node->stretches - (node->last_task == next_task);
    next_task = node->first_task;
    from = node->from;
  }
  g_hash_table_iter_init (&each, parts);
  while (g_hash_table_iter_next (&each, &part, NULL))
    g_array_append_vals (all, part, 1);
  *length = t ? waits_counted (w, from, path_stops (w, t)) : 0;
  return all;
}

int64_t
path_end (const Waits *w, int64_t *from, int64_t *to, int64_t *first)
{
  const WaitTask *t = last_task (w);
  int64_t n = 0;

  if (!t)
    return -1;
  *from = t->first;
  *to = path_stops (w, t);
  *first = t->task;
  for (const WaitNode *node = path_node_at (w, t->node); node && n++ <= w->nodes.n;
       node = path_node_at (w, node->parent)) {
    *from = node->from;
    *first = node->first_task;
  }
  return t->task;
}

static int
by_region (const void *a, const void *b)
{
  int64_t x = ((const PathPart *) a)->region, y = ((const PathPart *) b)->region;

  return (x > y) - (x < y);
}

static int
by_task (const void *a, const void *b)
{
  int64_t x = ((const PathPart *) a)->task, y = ((const PathPart *) b)->task;

  return (x > y) - (x < y);
}

static int
path_longest_first (const void *a, const void *b)
{
  const PathPart *x = a, *y = b;

  return x->ticks != y->ticks ? (x->ticks < y->ticks) - (x->ticks > y->ticks) : by_region (a, b);
}

/* Those that are alike become one. */
static GArray *
path_put_together (GArray *parts, int (*compare) (const void *, const void *))
{
  guint n = 0;

  g_array_sort (parts, compare);
  for (guint i = 0; i < parts->len; i++) {
    const PathPart p = g_array_index (parts, PathPart, i);
    if (n > 0 && compare (&g_array_index (parts, PathPart, n - 1), &p) == 0)
      g_array_index (parts, PathPart, n - 1).ticks += p.ticks;
    else
      g_array_index (parts, PathPart, n++) = p;
  }
  g_array_set_size (parts, n);
  return parts;
}

GArray *
path_by_region (const Waits *w, int64_t *length, int64_t *stretches)
{
  GArray *parts = path_put_together (path_parts_of (w, length, stretches), by_region);

  g_array_sort (parts, path_longest_first);
  return parts;
}

GArray *
path_by_task (const Waits *w)
{
  int64_t length, stretches;

  return path_put_together (path_parts_of (w, &length, &stretches), by_task);
}

/* ---- run state -------------------------------------------------------------------------------------------------------------------- */

void
path_clear (Waits *w)
{
  for (int64_t i = 0; i < w->n_times; i++)
    g_free (w->times[i].all);
  g_clear_pointer (&w->times, g_free);
  w->n_times = 0;
}

void
path_save (const Waits *w, EveBlob *to)
{
  for (int64_t i = 0; i < w->nodes.n; i++)
    if (waits_nodes_use (w, i))
      path_times_save (&w->times[i], to);
}

bool
path_load (Waits *w, EveBlobView *from)
{
  path_clear (w);
  if (w->nodes.n > 0)
    more_times (w);
  for (int64_t i = 0; i < w->nodes.n; i++)
    if (waits_nodes_use (w, i) && !path_times_load (&w->times[i], from))
      return false;
  return true;
}
