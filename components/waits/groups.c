/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - what members of a group do together, and what each of them waited. */
#include "components/waits/waits.h"

#define LASTS INT64_MAX

/* ---- what groups do together -------------------------------------------------------------------------------------------------------- */

void
waits_members (Waits *w, const TraceEvent *e)
{
  bool is_new;
  int64_t key = e->object, i = table_find_or_add (&w->groups, &key, &is_new);
  uint32_t n = 0;
  const uint32_t *members = trace_list (e, &n);

  WaitGroup *g = waits_groups_at (w, i);
  if (is_new)
    g->members = -1;
  if (g->size < 0)
    g->size = 0;
  g->size += n; /* with those of whom nothing is recorded */
  for (uint32_t k = 0; members && k < n; k++)
    if (members[k] != TRACE_NONE)
      waits_belongs (w, key, members[k], false);
}

void
waits_belongs (Waits *w, int64_t group, int64_t task, bool left)
{
  const int64_t key[] = { group, task };
  bool is_new;
  int64_t i = table_find_or_add (&w->belongs, key, &is_new), g = table_find (&w->groups, &group);

  waits_belongs_at (w, i)->left = left;
  if (!is_new)
    return;
  if (g < 0) {
    g = table_add (&w->groups, &group);
    waits_groups_at (w, g)->size = waits_groups_at (w, g)->members = -1;
  }
  WaitGroup *of = waits_groups_at (w, g);
  waits_belongs_at (w, i)->next = of->members;
  of->members = i;
}

/* Its members are told: a size, not only who joins. */
static bool
waits_groups_is_told (Waits *w, int64_t group)
{
  int64_t g = w->last_group;

  if (!waits_groups_use (w, g) || waits_groups_at (w, g)->group != group)
    g = table_find (&w->groups, &group);
  w->last_group = g;
  return g >= 0 && waits_groups_at (w, g)->size >= 0;
}

static int64_t
next_number (Waits *w, const WaitTask *t, const TraceEvent *e)
{
  const int64_t key[] = { e->object, e->task };
  WaitLog *l = causes_log (w, t);
  WaitCount *n = waits_counts_use (w, l->last_count) ? waits_counts_at (w, l->last_count) : NULL;

  if (!n || n->group != key[0] || n->task != key[1])
    n = waits_counts_at (w, l->last_count = table_find_or_add (&w->counts, key, NULL));
  return n->n++;
}

static int64_t
instance_of (Waits *w, const TraceEvent *e, int64_t number, int64_t kind)
{
  int64_t group = e->object, key[] = { group, number };
  bool is_new;
  int64_t i = table_find_or_add (&w->instances, key, &is_new);

  if (!is_new)
    return i;
  bool is_told = waits_groups_is_told (w, group);
  WaitInstance *n = waits_instances_at (w, i);
  n->kind = kind;
  n->root = e->peer;
  n->members = n->decisive = n->node = -1;
  n->first_left = LASTS;
  n->size = is_told ? waits_groups_at (w, w->last_group)->size : -1;
  return i;
}

static TraceCollective
waits_groups_class_of (const Waits *w, const WaitInstance *n)
{
  return n->kind == KIND_TEAM                   ? TRACE_COLLECTIVE_BARRIER
         : n->kind >= 0 && n->kind < w->n_kinds ? (TraceCollective) w->kinds[n->kind].class
                                                : TRACE_COLLECTIVE_OTHER;
}

static WaitKind
waits_groups_kind_of (const Waits *w, const WaitInstance *n)
{
  static const WaitKind kinds[] = { [TRACE_COLLECTIVE_BARRIER] = WAIT_BARRIER,
                                    [TRACE_COLLECTIVE_ALL] = WAIT_ALL,
                                    [TRACE_COLLECTIVE_FROM_ROOT] = WAIT_LATE_ROOT,
                                    [TRACE_COLLECTIVE_TO_ROOT] = WAIT_EARLY_ROOT,
                                    [TRACE_COLLECTIVE_SCAN] = WAIT_SCAN };

  return n->kind == KIND_TEAM ? WAIT_TEAM : w->kinds[n->kind].window ? WAIT_FENCE : kinds[waits_groups_class_of (w, n)];
}

/* Whom the others wait for: the last to come, the root, or the first of all but the root. */
static void
waits_groups_decide (Waits *w, int64_t instance, const WaitTask *t, int64_t arrived)
{
  WaitInstance *n = waits_instances_at (w, instance);
  TraceCollective class = waits_groups_class_of (w, n);
  bool is_root = t->task == n->root, first = n->decisive < 0;
  bool better = arrived == n->decided_at            ? t->task < n->decisive
                : class == TRACE_COLLECTIVE_TO_ROOT ? arrived < n->decided_at
                                                    : arrived > n->decided_at;

  if (class == TRACE_COLLECTIVE_OTHER || class == TRACE_COLLECTIVE_SCAN
      || (class == TRACE_COLLECTIVE_FROM_ROOT && !is_root) || (class == TRACE_COLLECTIVE_TO_ROOT && is_root)
      || (!first && !better))
    return;
  int64_t before = n->node;
  n->decisive = t->task;
  n->decided_at = arrived;
  n->node = path_at (w, t, arrived);
  path_hold (w, n->node);
  path_release (w, before);
}

/* Whether those who take part wait for the decisive one: all, all but the root, or the root alone. */
static bool
may_wait (const WaitInstance *n, TraceCollective class, int64_t task)
{
  return class == TRACE_COLLECTIVE_FROM_ROOT ? task != n->root : class != TRACE_COLLECTIVE_TO_ROOT || task == n->root;
}

bool
waits_in_operation (const Waits *w, const WaitInstance *n, int64_t task, WaitKind *kind, TraceCollective *class)
{
  *class = waits_groups_class_of (w, n);
  if (n->bad || *class == TRACE_COLLECTIVE_OTHER || !may_wait (n, *class, task))
    return false;
  *kind = waits_groups_kind_of (w, n);
  return true;
}

/* A member leaves: whether it has waited, and for whom is known now. */
static bool
has_waited (const Waits *w, const WaitMember *m, const WaitInstance *n, int64_t date)
{
  TraceCollective class = waits_groups_class_of (w, n);
  bool known = class == TRACE_COLLECTIVE_FROM_ROOT || class == TRACE_COLLECTIVE_TO_ROOT ? n->decisive >= 0
                                                                                        : n->n_arrived >= n->size;

  return !n->bad && known && may_wait (n, class, m->task) && n->decisive >= 0 && m->enter < n->decided_at
         && n->decided_at <= date;
}

/* A member leaves what needs all: how long the first of them is gone by now. */
static void
completes (Waits *w, WaitInstance *n, int64_t task, int64_t date)
{
  WaitKind kind = waits_groups_kind_of (w, n);
  bool all = kind == WAIT_ALL;

  if (n->bad || n->n_arrived < n->size || (!all && kind != WAIT_BARRIER))
    return;
  int64_t first = n->first_left, ticks = first < date ? waits_counted (w, first, date) : 0;
  n->first_left = MIN (first, date);
  if (ticks > 0) {
    WaitTask *t = waits_task (w, (uint32_t) task);
    t->completed[all] += ticks;
    t->n_completed[all]++;
  }
}

/* Its critical path goes on from whom it waited for; of the time of its call it owns what nothing else does. */
void
waits_leave_member (Waits *w, WaitFrame *f, int64_t i, int64_t date)
{
  WaitMember *m = waits_members_at (w, i);

  m->leave = date;
  m->frame = -1;
  if (!waits_instances_use (w, m->instance))
    return;
  completes (w, waits_instances_at (w, m->instance), m->task, date);
  const WaitInstance n = *waits_instances_at (w, m->instance);
  if (!has_waited (w, m, &n, date))
    return;
  m->led = n.node >= 0 && path_jump (w, waits_task (w, (uint32_t) m->task), n.node, n.decided_at);
  m->known = 1;
  m->owned = MAX (f->owned, m->enter);
  const Wait one = { .kind = waits_groups_kind_of (w, &n),
                     .task = (uint32_t) m->task,
                     .cause = (uint32_t) n.decisive,
                     .region = m->region,
                     .from = m->enter,
                     .ticks = waits_between (m->enter, n.decided_at) };
  if (waits_region_is (w, m->region) & REGION_SETS_UP)
    return;
  if (f->owned < n.decided_at)
    causes_judge (w, &one, m->owned);
  f->owned = MAX (f->owned, n.decided_at);
}

/* A task begins the next operation of a group, in its innermost call or at `date`: a member of that. */
static int64_t
waits_groups_join (Waits *w, WaitTask *t, const TraceEvent *e, int64_t kind)
{
  const WaitFrame *f = waits_call (w, t);
  int64_t arrived = f ? f->enter : e->date, number = next_number (w, t, e);
  int64_t instance = instance_of (w, e, number, kind), i = waits_members_take (w);
  WaitInstance *n = waits_instances_at (w, instance);

  *waits_members_at (w, i) = (WaitMember){ .task = e->task,
                                           .instance = instance,
                                           .frame = -1,
                                           .region = -1,
                                           .arrived = arrived,
                                           .leave = LASTS,
                                           .share = -1,
                                           .next = n->members,
                                           .in_frame = -1 };
  n->members = i;
  n->n_arrived++;
  n->bad |= n->kind != kind;
  if (n->root == TRACE_NONE) /* some formats let the root alone tell that it is */
    n->root = e->peer;
  ideal_arrive (w, n, t, e->date);
  waits_groups_decide (w, instance, t, arrived);
  return i;
}

static void
waits_groups_begins (Waits *w, const TraceEvent *e)
{
  int64_t record = (int64_t) e->record;

  if (e->object == TRACE_NONE || !waits_groups_is_told (w, e->object)) {
    w->count[WAITS_UNKNOWN]++;
    return;
  }
  int64_t i = waits_groups_join (w, waits_task (w, e->task), e, e->kind),
          b = table_find_or_add (&w->begun, &record, NULL);
  WaitBegun *begun = waits_begun_at (w, b);
  begun->member = i;
  begun->node = begun->half = -1;
}

static void
wait_in_call (Waits *w, WaitTask *t, WaitFrame *f, int64_t i)
{
  WaitMember *m = waits_members_at (w, i);

  m->enter = f->enter;
  m->region = f->region;
  m->frame = t->top;
  m->in_frame = f->members;
  f->members = i;
  waits_regions_spent_at (w, waits_spent_row (w, f->region))->grouped++;
}

void
waits_team_barrier (Waits *w, WaitTask *t)
{
  WaitFrame *f = waits_call (w, t);
  const TraceEvent e = {
    .date = f->enter, .task = (uint32_t) t->task, .object = (uint32_t) t->team, .peer = TRACE_NONE
  };

  if (table_find (&w->groups, &t->team) >= 0)
    wait_in_call (w, t, f, waits_groups_join (w, t, &e, KIND_TEAM));
}

/* ---- the waits of an instance, when all have left it ---------------------------------------------------------------------------------- */

/* What is its own was decided when its call ended, or is what nothing else has counted since. */
static void
add_member (Waits *w, const WaitMember *m, const Wait *one)
{
  int64_t owned = m->known ? m->owned : waits_owned (w, m->share, m->enter);

  waits_add (w, one, &owned);
  if (!m->known)
    waits_own (w, m->share, owned);
}

static void
waits_of (Waits *w, const WaitInstance *n, TraceCollective class)
{
  const WaitKind kind = waits_groups_kind_of (w, n);
  int64_t k = 0;

  for (int64_t i = n->members; n->decisive >= 0 && waits_members_use (w, i) && k++ <= w->members.n;) {
    const WaitMember m = *waits_members_at (w, i);
    int64_t until = MIN (n->decided_at, m.leave);
    i = m.next;
    if (G_UNLIKELY (m.leave < n->decided_at && (class == TRACE_COLLECTIVE_BARRIER || class == TRACE_COLLECTIVE_ALL))) {
      w->count[WAITS_LEFT_EARLY]++;
      waits_apart (w, waits_between (m.leave, n->decided_at), m.task, n->decisive, m.region);
    }
    if (!may_wait (n, class, m.task) || m.enter >= until)
      continue;
    const Wait one = { .kind = kind,
                       .task = (uint32_t) m.task,
                       .cause = (uint32_t) n->decisive,
                       .region = m.region,
                       .from = m.enter,
                       .ticks = waits_between (m.enter, until),
                       .leads = m.led != 0,
                       .judged = m.known != 0 };
    add_member (w, &m, &one);
  }
}

static int
waits_groups_by_task (const void *a, const void *b)
{
  int64_t x = ((const WaitMember *) a)->task, y = ((const WaitMember *) b)->task;

  return (x > y) - (x < y);
}

/* Each waits for the last of those before it. */
static void
waits_of_scan (Waits *w, const WaitInstance *n)
{
  g_autofree WaitMember *all = g_new (WaitMember, MAX (n->n_arrived, 1));
  int64_t k = 0;

  for (int64_t i = n->members; waits_members_use (w, i) && k < n->n_arrived; k++) {
    all[k] = *waits_members_at (w, i);
    i = all[k].next;
  }
  qsort (all, (size_t) k, sizeof *all, waits_groups_by_task);
  for (int64_t i = 1, last = 0; i < k; i++) {
    int64_t until = MIN (all[last].arrived, all[i].leave);
    const Wait one = { .kind = WAIT_SCAN,
                       .task = (uint32_t) all[i].task,
                       .cause = (uint32_t) all[last].task,
                       .region = all[i].region,
                       .from = all[i].enter,
                       .ticks = waits_between (all[i].enter, until) };
    if (all[i].enter < until)
      add_member (w, &all[i], &one);
    last = all[i].arrived > all[last].arrived ? i : last;
  }
}

/* The last to come of those who can have been the root that all have got something from: whoever left before has got it
 * from another one. */
static int64_t
last_that_gives (const Waits *w, const WaitInstance *n)
{
  int64_t left = LASTS, came = INT64_MIN, k = 0;

  for (int64_t i = n->members; waits_members_use (w, i) && k++ < w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    left = MIN (left, m->leave);
    i = m->next;
  }
  k = 0;
  for (int64_t i = n->members; waits_members_use (w, i) && k++ < w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    came = m->arrived <= left ? MAX (came, m->arrived) : came;
    i = m->next;
  }
  return came;
}

/* What the first to come waits for the next one, if it can have been the root that has got something from all: it has
 * not left before the last has come. */
static int64_t
first_that_takes (const Waits *w, const WaitInstance *n)
{
  const WaitMember *first = NULL;
  int64_t second = LASTS, last = INT64_MIN, k = 0;

  for (int64_t i = n->members; waits_members_use (w, i) && k++ < w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    bool is_first = !first || m->arrived < first->arrived;
    if (first)
      second = MIN (second, is_first ? first->arrived : m->arrived);
    first = is_first ? m : first;
    last = MAX (last, m->arrived);
    i = m->next;
  }
  return first && second < LASTS && first->leave >= last && second > first->enter
             ? waits_counted (w, first->enter, second)
             : 0;
}

/* An operation from or to a root, of which nobody tells who that is: how long tasks are in it, and what they wait there
 * at most. */
static void
waits_without_root (Waits *w, const WaitInstance *n, TraceCollective class)
{
  bool gives = class == TRACE_COLLECTIVE_FROM_ROOT;
  int64_t came = gives ? last_that_gives (w, n) : INT64_MIN, k = 0;

  w->count[gives ? WAITS_ROOTLESS_FROM : WAITS_ROOTLESS_TO]++;
  if (!gives)
    w->count[WAITS_ROOTLESS_EARLY] += first_that_takes (w, n);
  for (int64_t i = n->members; waits_members_use (w, i) && k++ < w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    WaitRegion *r = waits_regions_spent_at (w, waits_spent_row (w, m->region));
    r->rootless += m->leave > m->enter ? waits_counted (w, m->enter, m->leave) : 0;
    w->count[WAITS_ROOTLESS_LATE] += m->enter < came ? waits_counted (w, m->enter, came) : 0;
    i = m->next;
  }
}

static void
waits_groups_finish (Waits *w, int64_t instance)
{
  const WaitInstance n = *waits_instances_at (w, instance);
  TraceCollective class = waits_groups_class_of (w, &n);
  int64_t next, k = 0, most = w->members.n; /* the table gets shorter as rows are dropped */

  w->count[WAITS_INSTANCES] += w->count[WAITS_LAST] >= w->from && w->count[WAITS_LAST] <= w->to;
  if (n.bad)
    w->count[WAITS_MISMATCHED]++;
  else if (class == TRACE_COLLECTIVE_SCAN)
    waits_of_scan (w, &n);
  else if (n.root == TRACE_NONE && (class == TRACE_COLLECTIVE_FROM_ROOT || class == TRACE_COLLECTIVE_TO_ROOT))
    waits_without_root (w, &n, class);
  else if (class != TRACE_COLLECTIVE_OTHER)
    waits_of (w, &n, class);
  for (int64_t i = n.members; waits_members_use (w, i) && k++ <= most; i = next) {
    next = waits_members_at (w, i)->next;
    waits_share_release (w, waits_members_at (w, i)->share);
    waits_members_drop (w, i);
  }
  path_release (w, n.node);
  table_drop (&w->instances, instance);
}

static void
waits_groups_leaves (Waits *w, int64_t instance)
{
  if (!waits_instances_use (w, instance))
    return;
  WaitInstance *n = waits_instances_at (w, instance);
  n->n_left++;
  if (n->n_left >= n->size)
    waits_groups_finish (w, instance);
}

static void
ends (Waits *w, const TraceEvent *e)
{
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = waits_call (w, t);
  int64_t record = (int64_t) e->record, b = table_find (&w->begun, &record);
  int64_t i = b >= 0 ? waits_begun_at (w, b)->member : -1;

  table_drop (&w->begun, b);
  if (!waits_members_use (w, i))
    return;
  WaitMember *m = waits_members_at (w, i);
  if (f) {
    wait_in_call (w, t, f, i);
    return;
  }
  m->enter = m->arrived;
  m->region = -1;
  m->leave = e->date;
  waits_groups_leaves (w, m->instance);
}

void
waits_collective (Waits *w, const TraceEvent *e)
{
  if (!(e->flags & TRACE_END))
    waits_groups_begins (w, e);
  if (e->flags & (TRACE_END | TRACE_INSTANT))
    ends (w, e);
}

/* The call in which it took part is over. */
void
waits_member_left (Waits *w, int64_t i, int64_t date)
{
  WaitMember *m = waits_members_at (w, i);
  int64_t instance = m->instance;
  uint32_t task = (uint32_t) m->task;
  m->in_frame = -1;
  if (waits_instances_use (w, instance)) {
    const WaitInstance n_now = *waits_instances_at (w, instance);
    ideal_leave (w, &n_now, waits_groups_class_of (w, &n_now), task, date);
    if (!n_now.bad)
      causes_met_group (w, task, n_now.group, n_now.number, n_now.size, date);
  }
  waits_groups_leaves (w, instance);
}
