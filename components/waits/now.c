/* SPDX-License-Identifier: Apache-2.0 */
/* now.c - waits that are under way at an instant, or when the trace ends: each counts up to then, as far as it is
 * known.
 *
 * What is known is counted as if the call ended now; an operation that not all have come to is waited for until now;
 * of what else a call waits for it is told that it is under way, or, at the end of the trace, that nobody answered.
 * Before that the tables that it is counted in are put aside, and they are put back before anything else comes. */
#include <string.h>

#include "components/waits/stuck.h"

#define LASTS INT64_MAX
#define MOST_FRAMES 4096 /* of a task that are looked at */

struct WaitsNow {
  Table tasks, frames, cells, pairs, shares, messages;
  int64_t parts[WAIT_PARTS][N_WAITS + 1];
};

typedef struct Arrived { /* of the members of a scan */
  int64_t task, date;
  int64_t last, last_task; /* of those up to this one: who came last, and when */
} Arrived;

typedef struct Operation { /* what has to be looked for once */
  uint32_t alone;          /* the only one that has not come; TRACE_NONE: several have not, or nobody tells */
  int64_t lowest;          /* of those that have not come; INT64_MAX: all have */
  GArray *arrived;         /* of Arrived, by task */
} Operation;

typedef struct Begun { /* an operation that its task waits for in the call that it was begun in */
  int64_t task, arrived, member;
} Begun;

typedef struct Left { /* a member that has left its operation */
  int64_t date, task, group, number, member;
} Left;

typedef struct Now {
  Waits *w;
  int64_t date;
  bool over;
  GArray *begun;          /* of Begun, in order */
  GHashTable *operations; /* instance + 1 -> Operation */
} Now;

static gpointer
now_key_of (int64_t i)
{
  return GSIZE_TO_POINTER ((gsize) i + 1);
}

/* ---- operations of groups ------------------------------------------------------------------------------------------------ */

static void
free_operation (gpointer operation)
{
  g_array_unref (((Operation *) operation)->arrived);
  g_free (operation);
}

static int
now_by_task (const void *a, const void *b)
{
  const Arrived *x = a, *y = b;

  return (x->task > y->task) - (x->task < y->task);
}

static GArray *
arrived_of (const Waits *w, const WaitInstance *n)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Arrived));
  int64_t k = 0;

  for (int64_t i = n->members; waits_members_use (w, i) && k++ <= w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    const Arrived one = { m->task, m->arrived, m->arrived, m->task };
    g_array_append_val (all, one);
    i = m->next;
  }
  g_array_sort (all, now_by_task);
  for (guint i = 1; i < all->len; i++) {
    const Arrived *before = &g_array_index (all, Arrived, i - 1);
    Arrived *one = &g_array_index (all, Arrived, i);
    if (before->last >= one->date) {
      one->last = before->last;
      one->last_task = before->last_task;
    }
  }
  return all;
}

/* Where a task is in it, or would be. */
static guint
now_place_in (const GArray *arrived, int64_t task)
{
  guint from = 0, to = arrived->len;

  while (from < to) {
    guint middle = from + (to - from) / 2;
    if (g_array_index (arrived, Arrived, middle).task < task)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

static const Operation *
operation_of (Now *f, int64_t instance)
{
  const Waits *w = f->w;
  const WaitInstance *n = waits_instances_at (w, instance);
  Operation *o = g_hash_table_lookup (f->operations, now_key_of (instance));

  if (o)
    return o;
  o = g_new (Operation, 1);
  *o = (Operation){ TRACE_NONE, INT64_MAX, arrived_of (w, n) };
  g_hash_table_insert (f->operations, now_key_of (instance), o);
  int64_t g = table_find (&w->groups, &n->group), k = 0;
  for (int64_t i = g >= 0 ? waits_groups_at (w, g)->members : -1; waits_belongs_use (w, i) && k++ <= w->belongs.n;) {
    const WaitBelongs *b = waits_belongs_at (w, i);
    guint at = now_place_in (o->arrived, b->task);
    i = b->next;
    if (b->left || (at < o->arrived->len && g_array_index (o->arrived, Arrived, at).task == b->task))
      continue;
    o->lowest = MIN (o->lowest, b->task);
    if (n->size - n->n_arrived == 1)
      o->alone = (uint32_t) b->task;
  }
  return o;
}

/* Up to when a member waits, and for whom; `done`: that is known, else it is until now, or later.  False: it waits for
 * nobody. */
static bool
waits_until (Now *f, const WaitMember *m, WaitKind *kind, int64_t *until, uint32_t *whom, bool *done)
{
  const WaitInstance *n = table_at (&f->w->instances, m->instance);
  TraceCollective class;

  if (!waits_in_operation (f->w, n, m->task, kind, &class))
    return false;
  *done = class == TRACE_COLLECTIVE_FROM_ROOT || class == TRACE_COLLECTIVE_TO_ROOT ? n->decisive >= 0
                                                                                   : n->n_arrived >= n->size;
  *until = *done ? n->decided_at : f->date;
  *whom = *done ? (uint32_t) n->decisive : TRACE_NONE;
  if (class == TRACE_COLLECTIVE_FROM_ROOT && !*done) {
    *whom = n->root;
    if (n->root == TRACE_NONE)
      *kind = WAIT_UNDER_WAY;
    return n->root != TRACE_NONE || n->n_arrived < n->size;
  }
  if (class == TRACE_COLLECTIVE_SCAN) {
    const Operation *o = operation_of (f, m->instance);
    guint at = now_place_in (o->arrived, m->task);
    *done = o->lowest > m->task;
    if (*done && at == 0)
      return false;
    *until = *done ? g_array_index (o->arrived, Arrived, at - 1).last : f->date;
    *whom = *done ? (uint32_t) g_array_index (o->arrived, Arrived, at - 1).last_task : o->alone;
  } else if (!*done)
    *whom = operation_of (f, m->instance)->alone;
  return true;
}

/* In a call that is under way, or, `frame` NULL, is over. */
static void
count_member (Now *f, WaitFrame *frame, int64_t member, int64_t enter, int64_t region)
{
  const WaitMember m = *(const WaitMember *) table_at (&f->w->members, member);
  int64_t until, owned = frame ? frame->owned : m.known ? m.owned : waits_owned (f->w, m.share, enter);
  WaitKind kind;
  uint32_t whom;
  bool done;

  if (!table_uses (&f->w->instances, m.instance) || !waits_until (f, &m, &kind, &until, &whom, &done)
      || (f->over && !done))
    return;
  until = MIN (until, MIN (m.leave, f->date));
  if (until <= enter)
    return;
  const Wait one = { .kind = kind,
                     .task = (uint32_t) m.task,
                     .cause = whom,
                     .region = region,
                     .from = enter,
                     .ticks = waits_between (enter, until) };
  waits_add (f->w, &one, &owned);
  if (frame)
    frame->owned = owned;
  else if (!m.known)
    waits_own (f->w, m.share, owned);
}

static int
left_first (const void *a, const void *b)
{
  const Left *x = a, *y = b;

  return x->date != y->date     ? (x->date > y->date) - (x->date < y->date)
         : x->task != y->task   ? (x->task > y->task) - (x->task < y->task)
         : x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->number > y->number) - (x->number < y->number);
}

/* Those that have left an operation that others are still in, as they left it: where their rows lie says nothing. */
static void
count_who_left (Now *f)
{
  const Waits *w = f->w;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Left));

  for (int64_t i = 0; i < w->members.n; i++) {
    const WaitMember *m = waits_members_at (w, i);
    if (!waits_members_use (w, i) || m->leave == LASTS || !waits_instances_use (w, m->instance))
      continue;
    const WaitInstance *n = waits_instances_at (w, m->instance);
    const Left one = { m->leave, m->task, n->group, n->number, i };
    g_array_append_val (all, one);
  }
  g_array_sort (all, left_first);
  for (guint i = 0; i < all->len; i++) {
    int64_t member = g_array_index (all, Left, i).member;
    const WaitMember *m = waits_members_at (w, member);
    count_member (f, NULL, member, m->enter, m->region);
  }
}

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

static int
begun_by_task (const void *a, const void *b)
{
  const Begun *x = a, *y = b;

  return x->task != y->task         ? (x->task > y->task) - (x->task < y->task)
         : x->arrived != y->arrived ? (x->arrived > y->arrived) - (x->arrived < y->arrived)
                                    : (x->member > y->member) - (x->member < y->member);
}

static void
index_begun_now (Now *f)
{
  const Waits *w = f->w;

  for (int64_t i = 0; i < w->begun.n; i++) {
    const WaitBegun *b = waits_begun_at (w, i);
    const WaitMember *m = waits_begun_use (w, i) && waits_members_use (w, b->member) ? waits_members_at (w, b->member)
                                                                                     : NULL;
    const WaitInstance *n = m && waits_instances_use (w, m->instance) ? waits_instances_at (w, m->instance) : NULL;
    if (!n || m->leave != LASTS || m->frame >= 0 || n->kind < 0 || n->kind >= w->n_kinds || !w->kinds[n->kind].blocks)
      continue;
    const Begun one = { m->task, m->arrived, b->member };
    g_array_append_val (f->begun, one);
  }
  g_array_sort (f->begun, begun_by_task);
}

/* Those that were begun in this call, which is of communication. */
static void
count_begun (Now *f, WaitFrame *frame)
{
  guint from = 0, to = f->begun->len;

  while (from < to) {
    guint middle = from + (to - from) / 2;
    const Begun *b = &g_array_index (f->begun, Begun, middle);
    if (b->task < frame->task || (b->task == frame->task && b->arrived < frame->enter))
      from = middle + 1;
    else
      to = middle;
  }
  for (; from < f->begun->len; from++) {
    const Begun *b = &g_array_index (f->begun, Begun, from);
    if (b->task != frame->task || b->arrived != frame->enter)
      break;
    count_member (f, frame, b->member, frame->enter, frame->region);
  }
}

/* The inner ones first, as they would end: what these own is none of those around them. */
static void
now_count_calls (Now *f, int64_t top)
{
  Waits *w = f->w;
  int64_t n = 0;

  for (int64_t i = top; waits_frames_use (w, i) && n++ < MOST_FRAMES;) {
    WaitFrame *frame = waits_frames_at (w, i);
    waits_count_open (w, frame);
    int64_t k = 0;
    for (int64_t m = frame->members; waits_members_use (w, m) && k++ <= w->members.n;) {
      int64_t next = waits_members_at (w, m)->in_frame;
      count_member (f, frame, m, waits_members_at (w, m)->enter, frame->region);
      m = next;
    }
    if (frame->communicates)
      count_begun (f, frame);
    if (waits_region_is (w, frame->region) & REGION_SETS_UP)
      waits_task (w, (uint32_t) frame->task)->setting_up += waits_counted (w, frame->enter, f->date);
    int64_t around = frame->owned > frame->enter ? waits_around (w, frame) : -1;
    if (around >= 0) {
      WaitFrame *outer = waits_frames_at (w, around);
      outer->owned = MAX (outer->owned, frame->owned);
    }
    i = frame->outer;
  }
}

/* What they wait for is still to come, or never does. */
static void
count_the_rest (Now *f)
{
  Waits *w = f->w;
  int64_t n_circles;
  g_autoptr (GArray) all = waits_stuck (w, &n_circles);
  bool untold = !f->over && waits_told_by_nothing (w); /* then it is told of nothing that is over either */

  for (guint i = 0; i < all->len && !untold; i++) {
    const WaitStuck *s = &g_array_index (all, WaitStuck, i);
    int64_t owned = s->from;
    const Wait one = { .kind = f->over ? WAIT_NEVER : s->kind,
                       .task = s->task,
                       .cause = f->over || s->n_on == 1 ? s->on : TRACE_NONE,
                       .region = s->region,
                       .from = s->from,
                       .ticks = waits_between (s->from, s->to) };
    if (s->first && (f->over || !s->together) && one.ticks > 0)
      waits_add (w, &one, &owned);
  }
}

/* ---- settling ------------------------------------------------------------------------------------------------------------- */

static void
now_put_aside (Waits *w)
{
  struct WaitsNow *aside = g_new (struct WaitsNow, 1);

  table_copy (&aside->tasks, &w->tasks);
  table_copy (&aside->frames, &w->frames);
  table_copy (&aside->cells, &w->cells);
  table_copy (&aside->pairs, &w->pairs);
  table_copy (&aside->shares, &w->shares);
  table_copy (&aside->messages, &w->messages);
  memcpy (aside->parts, w->parts, sizeof w->parts);
  w->settled = aside;
}

static void
table_put_back (Table *to, Table *aside)
{
  table_clear (to);
  *to = *aside;
}

void
waits_unsettle (Waits *w)
{
  struct WaitsNow *aside = w->settled;

  if (!aside)
    return;
  for (uint32_t i = 0; i < w->n_task_rows; i++)
    if (w->task_rows[i] > aside->tasks.n)
      w->task_rows[i] = 0;
  table_put_back (&w->tasks, &aside->tasks);
  table_put_back (&w->frames, &aside->frames);
  table_put_back (&w->cells, &aside->cells);
  table_put_back (&w->pairs, &aside->pairs);
  table_put_back (&w->shares, &aside->shares);
  table_put_back (&w->messages, &aside->messages);
  memcpy (w->parts, aside->parts, sizeof w->parts);
  g_free (aside);
  w->settled = NULL;
}

void
waits_settle (Waits *w)
{
  if (w->settled || w->count[WAITS_EVENTS] == 0)
    return;
  Now f = { .w = w,
            .date = waits_instant (w),
            .over = waits_over (w),
            .begun = g_array_new (FALSE, FALSE, sizeof (Begun)),
            .operations = g_hash_table_new_full (NULL, NULL, NULL, free_operation) };

  now_put_aside (w);
  index_begun_now (&f);
  for (int64_t i = 0; i < w->tasks.n; i++)
    now_count_calls (&f, waits_tasks_at (w, i)->top);
  count_who_left (&f);
  count_the_rest (&f);
  g_array_unref (f.begun);
  g_hash_table_unref (f.operations);
}
