/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - the correction itself: decisions/clocks.md tells the rules.
 *
 * The events are read twice.  First: which send is of which receive, which members take part in which operation, from
 * which the straight line of each clock follows.  Then all events go through the correction: an event that has a cause
 * in another task waits until that has been given its date, and all behind it in its task with it. */
#include "readers/clocks-private.h"
#include "readers/pair.h"

#define MOST_WAITING (1u << 22) /* events; beyond that the earliest goes on without its cause */
#define SLOWER 100              /* after a jump a task's clock runs by one part of so many slower, until it is right */
/* ---- reading --------------------------------------------------------------------------------------------------------------------- */

static bool
clocks_read_all (Clocks *c, bool (*take) (Clocks *c, const TraceEvent *e), GError **error)
{
  g_autofree TraceEvent *events = g_new (TraceEvent, BLOCK_EVENTS);
  GError *why = NULL;
  size_t n;

  converted_rewind (c->s);
  while ((n = converted_next (c->s, events, BLOCK_EVENTS, &why)) > 0) {
    for (size_t i = 0; i < n; i++)
      if (!take (c, &events[i]))
        return false;
    if (!c->goes_on (c->to))
      return false;
  }
  if (why)
    g_propagate_error (error, why);
  return !why;
}

static bool
clocks_look_at (Clocks *c, const TraceEvent *e)
{
  if (e->task >= c->n_lanes)
    return true;
  Lane *l = &c->lanes[e->task];
  if (!l->begun)
    l->first = e->date;
  l->begun = true;
  if (c->does[e->kind])
    clocks_note (c, e);
  return true;
}

/* ---- lines -------------------------------------------------------------------------------------------------------------------- */

static int64_t
clocks_on_line (const Lane *l, int64_t date)
{
  double more = l->rate * (double) (date - l->zero);

  return date + l->shift + (int64_t) (more < 0 ? more - 0.5 : more + 0.5);
}

static bool
synchronises (const Instance *n)
{
  return n->class == TRACE_COLLECTIVE_BARRIER || n->class == TRACE_COLLECTIVE_ALL;
}

/* The first and the last operation of the largest group that all leave together. */
static bool
find_world (const Clocks *c, const Instance **first, const Instance **last)
{
  uint32_t group = TRACE_NONE;

  *first = *last = NULL;
  for (guint i = 0; i < c->instances->len; i++) {
    const Instance *n = &g_array_index (c->instances, Instance, i);
    uint32_t its = g_array_index (c->parts, Part, n->first).group;
    if (!synchronises (n) || n->n < 2)
      continue;
    bool whole = true;
    for (uint32_t k = 0; k < n->n; k++)
      whole &= g_array_index (c->parts, Part, n->first + k).end != NEVER;
    if (!whole)
      continue;
    if (!*first || n->n > (*first)->n) {
      *first = *last = n;
      group = its;
    } else if (its == group) {
      *last = n;
    }
  }
  return *first != NULL;
}

/* Tasks of no such operation have the clock of whom they are inside of, or who is inside of that: threads of a process.
 */
static void
inherit (Clocks *c, const uint8_t *member)
{
  g_autofree uint32_t *model = g_new (uint32_t, MAX (c->n_lanes, 1)); /* the first of the members inside of it */

  for (uint32_t i = 0; i < c->n_lanes; i++)
    model[i] = member[i] ? i : TRACE_NONE;
  for (uint32_t i = c->n_lanes; i-- > 0;) {
    uint32_t parent = trace_task (c->s, i)->parent;
    if (parent < c->n_lanes && model[i] != TRACE_NONE)
      model[parent] = model[i];
  }
  for (uint32_t i = 0; i < c->n_lanes; i++) {
    uint32_t parent = trace_task (c->s, i)->parent;
    if (model[i] == TRACE_NONE && parent < c->n_lanes)
      model[i] = model[parent];
    if (!member[i] && model[i] != TRACE_NONE) {
      c->lanes[i].zero = c->lanes[model[i]].zero;
      c->lanes[i].shift = c->lanes[model[i]].shift;
      c->lanes[i].rate = c->lanes[model[i]].rate;
    }
  }
}

static void
find_lines (Clocks *c)
{
  const Instance *first, *last;
  g_autofree uint8_t *member = g_new0 (uint8_t, MAX (c->n_lanes, 1));

  if (c->by < TRACE_CLOCKS_LINEAR || !find_world (c, &first, &last))
    return;
  const Part *a = &g_array_index (c->parts, Part, first->first), *b = &g_array_index (c->parts, Part, last->first);
  int64_t zero = a->ended, lasts = b->ended - a->ended; /* by the clock of the first member */
  for (uint32_t i = 0; i < first->n; i++) {
    Lane *l = &c->lanes[a[i].task];
    int64_t own = b[i].ended - a[i].ended;
    double rate = own > 0 && lasts > 0 ? (double) lasts / (double) own : 1;
    l->zero = a[i].ended;
    l->shift = zero - a[i].ended;
    l->rate = rate > 0.5 && rate < 2 ? rate - 1 : 0;
    member[a[i].task] = 1;
  }
  inherit (c, member);
}

static void
find_earliest (Clocks *c)
{
  c->earliest = INT64_MAX;
  for (uint32_t i = 0; i < c->n_lanes; i++) {
    Lane *l = &c->lanes[i];
    c->earliest = l->begun ? MIN (c->earliest, clocks_on_line (l, l->first)) : c->earliest;
    c->s->clocks.n_tasks += l->begun && (l->shift != 0 || l->rate != 0);
    l->begun = false;
  }
}

/* ---- what comes before its cause ----------------------------------------------------------------------------------------------- */

/* The earliest that the end of a part may be, once all that it waits for has begun; INT64_MIN: it waits for nobody. */
static int64_t
earliest_end (const Instance *n, const Part *p)
{
  switch (n->class) {
  case TRACE_COLLECTIVE_BARRIER:
  case TRACE_COLLECTIVE_ALL:
    return MAX (n->latest, n->root_began);
  case TRACE_COLLECTIVE_FROM_ROOT:
    return p->task == p->root ? INT64_MIN : n->root_began;
  case TRACE_COLLECTIVE_TO_ROOT:
    return p->task == p->root ? n->latest : INT64_MIN;
  default:
    return INT64_MIN;
  }
}

static void
part_begins (Clocks *c, const Part *p, int64_t date)
{
  Instance *n = &g_array_index (c->instances, Instance, p->instance);

  n->n_begun++;
  if (p->task == p->root) {
    n->root_began = date;
    n->root_has = true;
  } else {
    n->latest = MAX (n->latest, date);
  }
}

static void
clocks_judge (int64_t cause, int64_t date, uint64_t *n, int64_t *worst)
{
  if (date < cause) {
    ++*n;
    *worst = MAX (*worst, cause - date);
  }
}

static void
forget_begun (Clocks *c)
{
  for (guint i = 0; i < c->instances->len; i++) {
    Instance *n = &g_array_index (c->instances, Instance, i);
    n->n_begun = 0;
    n->latest = n->root_began = INT64_MIN;
    n->root_has = false;
  }
}

/* How many things are dated before their cause, as dates are now. */
static void
count_early (Clocks *c, uint64_t *n, int64_t *worst)
{
  c->s->clocks.n_checked = c->effects->len;
  for (guint i = 0; i < c->effects->len; i++) {
    const Effect *e = &g_array_index (c->effects, Effect, i);
    clocks_judge (g_array_index (c->causes, Cause, e->cause).date, e->date, n, worst);
  }
  forget_begun (c);
  for (guint i = 0; i < c->parts->len; i++)
    part_begins (c, &g_array_index (c->parts, Part, i), g_array_index (c->parts, Part, i).began);
  for (guint i = 0; i < c->parts->len; i++) {
    const Part *p = &g_array_index (c->parts, Part, i);
    int64_t cause = earliest_end (&g_array_index (c->instances, Instance, p->instance), p);
    if (p->end == NEVER || cause == INT64_MIN)
      continue;
    c->s->clocks.n_checked++;
    clocks_judge (cause, p->ended, n, worst);
  }
}

/* ---- actions under way, whose duration is another once their end has come -------------------------------------------------------- */

static bool
clocks_give (Clocks *c, const TraceEvent *e)
{
  c->failed |= !c->put (c->to, e);
  return !c->failed;
}

static void
clocks_hold (Clocks *c, const TraceEvent *e)
{
  guint at = c->held->len;

  if (c->free->len > 0) {
    at = g_array_index (c->free, guint, c->free->len - 1);
    g_array_set_size (c->free, c->free->len - 1);
    g_array_index (c->held, TraceEvent, at) = *e;
  } else {
    g_array_append_val (c->held, *e);
  }
  g_hash_table_insert (c->held_at, GSIZE_TO_POINTER (e->record), GUINT_TO_POINTER (at + 1));
}

/* The event has its date now. */
static void
pass_on (Clocks *c, const TraceEvent *e)
{
  TraceEvent its = *e;

  if (e->flags & (TRACE_INSTANT | TRACE_UNFINISHED)) {
    clocks_give (c, e);
    return;
  }
  if (begins (e)) {
    clocks_hold (c, e);
    if (e->flags & TRACE_OPEN)
      clocks_give (c, e);
    return;
  }
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (c->held_at, GSIZE_TO_POINTER (e->record)));
  if (at > 0) {
    TraceEvent begin = g_array_index (c->held, TraceEvent, at - 1);
    its.duration = MAX (e->date - begin.date, 0);
    begin.duration = its.duration;
    if (!(begin.flags & TRACE_OPEN))
      clocks_give (c, &begin);
    g_hash_table_remove (c->held_at, GSIZE_TO_POINTER (e->record));
    g_array_append_val (c->free, ((guint){ at - 1 }));
  }
  clocks_give (c, &its);
}

/* What began and never ended. */
static void
clocks_let_go (Clocks *c)
{
  GHashTableIter each;
  gpointer at;

  g_hash_table_iter_init (&each, c->held_at);
  while (g_hash_table_iter_next (&each, NULL, &at)) {
    const TraceEvent *e = &g_array_index (c->held, TraceEvent, GPOINTER_TO_UINT (at) - 1);
    if (!(e->flags & TRACE_OPEN))
      clocks_give (c, e);
  }
}

/* ---- second reading: the clocks' logic --------------------------------------------------------------------------------------------- */

static void
clocks_wake (Clocks *c, uint32_t task)
{
  if (task < c->n_lanes && c->lanes[task].blocked) {
    c->lanes[task].blocked = false;
    g_array_append_val (c->ready, task);
  }
}

/* Whether all that the end of a part waits for has begun. */
static bool
may_end (const Instance *n, bool is_root)
{
  switch (n->class) {
  case TRACE_COLLECTIVE_FROM_ROOT:
    return is_root || n->root_has;
  case TRACE_COLLECTIVE_TO_ROOT:
    return !is_root || n->n_begun - n->root_has >= n->n - 1;
  case TRACE_COLLECTIVE_BARRIER:
  case TRACE_COLLECTIVE_ALL:
    return n->n_begun >= n->n;
  default:
    return true;
  }
}

static void
wake_instance (Clocks *c, uint32_t instance)
{
  Instance *n = &g_array_index (c->instances, Instance, instance);

  if (n->n_waiting == 0 || !may_end (n, false) || !may_end (n, true))
    return;
  for (uint32_t i = 0; i < n->n && n->n_waiting > 0; i++) {
    uint32_t task = g_array_index (c->parts, Part, n->first + i).task;
    if (c->lanes[task].blocked && c->lanes[task].instance == instance) {
      c->lanes[task].instance = TRACE_NONE;
      n->n_waiting--;
      clocks_wake (c, task);
    }
  }
}

/* The date of what an event waits for; INT64_MIN: of nothing.  False: that is not known yet. */
static bool
cause_of (Clocks *c, const TraceEvent *e, bool must, int64_t *date)
{
  uint8_t what = c->does[e->kind];
  Lane *l = &c->lanes[e->task];

  *date = INT64_MIN;
  if (what & DOES_RECEIVE && ends (e)) {
    guint at = clocks_find_number (c->effects, e->number);
    if (at < c->effects->len) {
      Cause *cause = &g_array_index (c->causes, Cause, g_array_index (c->effects, Effect, at).cause);
      if (!cause->known && !must) {
        cause->waiting = e->task;
        return false;
      }
      *date = cause->known ? cause->date : INT64_MIN;
    }
  }
  const Part *p = what & DOES_TOGETHER && ends (e) ? clocks_part_of (c, c->ends, e->number, true) : NULL;
  if (p) {
    Instance *n = &g_array_index (c->instances, Instance, p->instance);
    if (!may_end (n, p->task == p->root) && !must) {
      n->n_waiting += l->instance != p->instance;
      l->instance = p->instance;
      return false;
    }
    *date = MAX (*date, earliest_end (n, p));
  }
  return true;
}

/* The event has happened at its date: others may wait for it. */
static void
has_happened (Clocks *c, const TraceEvent *e)
{
  uint8_t what = c->does[e->kind];

  if (what & DOES_SEND && begins (e)) {
    guint at = clocks_find_number (c->causes, e->number);
    if (at < c->causes->len) {
      Cause *cause = &g_array_index (c->causes, Cause, at);
      cause->date = e->date;
      cause->known = true;
      clocks_wake (c, cause->waiting);
    }
  }
  if (what & DOES_RECEIVE && ends (e)) {
    guint at = clocks_find_number (c->effects, e->number);
    if (at < c->effects->len)
      g_array_index (c->effects, Effect, at).date = e->date;
  }
  Part *p = what & DOES_TOGETHER && ends (e) ? clocks_part_of (c, c->ends, e->number, true) : NULL;
  if (p)
    p->ended = e->date;
  p = what & DOES_TOGETHER && begins (e) ? clocks_part_of (c, c->begins, e->number, false) : NULL;
  if (p) {
    p->began = e->date;
    part_begins (c, p, e->date);
    wake_instance (c, p->instance);
  }
}

/* False: it must wait.  `must`: it may not. */
static bool
clocks_happen (Clocks *c, const TraceEvent *e, bool must)
{
  TraceClocks *t = &c->s->clocks;
  Lane *l = &c->lanes[e->task];
  TraceEvent its = *e;
  int64_t cause;

  if (c->does[e->kind] && !cause_of (c, e, must, &cause))
    return false;
  if (!c->does[e->kind])
    cause = INT64_MIN;
  int64_t own = c->does[e->kind] & DOES_TELL ? c->earliest : clocks_on_line (l, e->date);
  its.date = own;
  if (c->by == TRACE_CLOCKS_LOGICAL && !(c->does[e->kind] & DOES_TELL)) {
    if (l->begun) { /* it is ahead: time goes on a little slower until the clock is right again */
      int64_t passed = MAX (own - l->own, 0);
      its.date = MAX (own, l->given + passed - (passed > 0 ? (passed + SLOWER - 1) / SLOWER : 0));
    }
    if (cause > INT64_MIN && its.date <= cause)
      its.date = cause + 1;
  }
  if (!(c->does[e->kind] & DOES_TELL)) {
    l->own = own;
    l->given = its.date;
    l->begun = true;
  }
  t->moved = MAX (t->moved, its.date > e->date ? its.date - e->date : e->date - its.date);
  pass_on (c, &its);
  if (c->does[e->kind])
    has_happened (c, &its);
  return true;
}

/* Those that may go on now do. */
static void
clocks_go_on (Clocks *c)
{
  while (c->ready->len > 0 && !c->failed) {
    uint32_t task = g_array_index (c->ready, uint32_t, c->ready->len - 1);
    Lane *l = &c->lanes[task];
    g_array_set_size (c->ready, c->ready->len - 1);
    while (l->waiting && l->at < l->waiting->len && !c->failed) {
      const TraceEvent e = g_array_index (l->waiting, TraceEvent, l->at);
      if (!clocks_happen (c, &e, false)) {
        l->blocked = true;
        break;
      }
      l->at++;
      c->n_waiting--;
    }
    if (l->waiting && l->at == l->waiting->len) {
      g_array_set_size (l->waiting, 0);
      l->at = 0;
    }
  }
}

/* Nobody can go on, or too many wait: the earliest does not wait for its cause any more. */
static void
force_one (Clocks *c)
{
  uint32_t task = TRACE_NONE;
  uint64_t least = NEVER;

  for (uint32_t i = 0; i < c->n_lanes; i++) {
    const Lane *l = &c->lanes[i];
    if (l->blocked && g_array_index (l->waiting, TraceEvent, l->at).number < least) {
      least = g_array_index (l->waiting, TraceEvent, l->at).number;
      task = i;
    }
  }
  if (task == TRACE_NONE)
    return;
  Lane *l = &c->lanes[task];
  const TraceEvent e = g_array_index (l->waiting, TraceEvent, l->at);
  if (l->instance != TRACE_NONE) {
    g_array_index (c->instances, Instance, l->instance).n_waiting--;
    l->instance = TRACE_NONE;
  }
  l->at++;
  c->n_waiting--;
  l->blocked = false;
  clocks_happen (c, &e, true);
  g_array_append_val (c->ready, task);
  clocks_go_on (c);
}

static bool
clocks_come (Clocks *c, const TraceEvent *e)
{
  if (e->task >= c->n_lanes)
    return clocks_give (c, e);
  Lane *l = &c->lanes[e->task];
  if (!l->blocked && clocks_happen (c, e, c->by != TRACE_CLOCKS_LOGICAL)) {
    clocks_go_on (c);
    return !c->failed;
  }
  l->blocked = true;
  if (!l->waiting)
    l->waiting = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  g_array_append_val (l->waiting, *e);
  if (++c->n_waiting > MOST_WAITING)
    force_one (c);
  return !c->failed;
}

static bool
correct (Clocks *c, GError **error)
{
  TraceClocks *t = &c->s->clocks;

  if (!clocks_read_all (c, clocks_look_at, error))
    return false;
  clocks_match (c);
  count_early (c, &t->n_before, &t->worst_before);
  forget_begun (c);
  find_lines (c);
  find_earliest (c);
  if (!clocks_read_all (c, clocks_come, error))
    return false;
  while (c->n_waiting > 0 && !c->failed)
    force_one (c);
  clocks_let_go (c);
  count_early (c, &t->n_after, &t->worst_after);
  return !c->failed;
}

bool
clocks_correct (TraceSource *s, TraceClocksBy by, bool (*put) (void *to, const TraceEvent *e),
                bool (*goes_on) (void *to), void *to, GError **error)
{
  Clocks c = { .s = s, .by = by, .put = put, .goes_on = goes_on, .to = to, .n_lanes = s->tasks->len };
  GArray **const arrays[] = { &c.sends,  &c.receives, &c.causes, &c.effects, &c.parts, &c.instances,
                              &c.begins, &c.ends,     &c.held,   &c.free,    &c.ready };
  static const guint sizes[] = { sizeof (Half),       sizeof (Half),     sizeof (Cause),    sizeof (Effect),
                                 sizeof (Part),       sizeof (Instance), sizeof (uint32_t), sizeof (uint32_t),
                                 sizeof (TraceEvent), sizeof (guint),    sizeof (uint32_t) };

  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    *arrays[i] = g_array_new (FALSE, FALSE, sizes[i]);
  c.counts = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  c.open = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  c.sizes = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  c.held_at = g_hash_table_new (NULL, NULL);
  trace_queues_bind (&c.queues, s);
  c.does = g_new0 (uint8_t, MAX (s->n_kinds, 1));
  c.classes = g_new0 (TraceCollective, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    c.does[i] = clocks_does (&s->kinds[i]);
    c.classes[i] = trace_collective (&s->kinds[i], NULL);
  }
  c.lanes = g_new0 (Lane, MAX (c.n_lanes, 1));
  for (uint32_t i = 0; i < c.n_lanes; i++)
    c.lanes[i].instance = TRACE_NONE;
  s->clocks = (TraceClocks){ .by = by, .n_offsets = s->clocks.n_offsets };
  bool ok = correct (&c, error);
  for (uint32_t i = 0; i < c.n_lanes; i++)
    if (c.lanes[i].waiting)
      g_array_unref (c.lanes[i].waiting);
  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (*arrays[i]);
  g_hash_table_unref (c.counts);
  g_hash_table_unref (c.open);
  g_hash_table_unref (c.sizes);
  g_hash_table_unref (c.held_at);
  trace_queues_clear (&c.queues);
  g_free (c.does);
  g_free (c.classes);
  g_free (c.lanes);
  return ok;
}
