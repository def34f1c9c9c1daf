/* SPDX-License-Identifier: Apache-2.0 */
/* stuck.c - calls that are not over: those that are under way at an instant, and those that nobody answered until the
 * end of the trace, or of their task.  Who waits for whom is known of sends and rendezvous, of operations of groups
 * that not all have come to, and where an event tells whom a receive was to hear from.  If at the end those who are
 * waited for wait themselves, round and round, none of them can ever go on. */
#include <string.h>

#include "components/waits/stuck.h"
#include "readers/pair.h"
#include "readers/reader.h"
#include "readers/untold.h"

#define LASTS INT64_MAX
#define MOST_NAMED 8u       /* of those that one call waits for */
#define MOST_FRAMES 4096    /* of a task that are looked at */
#define MOST_LOOKED_AT 4096 /* halves of a call */

bool
waits_over (const Waits *w)
{
  return w->source && w->source->ended && w->count[WAITS_EVENTS] > 0 && w->count[WAITS_LAST] >= w->source->last;
}

const char *
waits_told_by_nothing (const Waits *w)
{
  for (uint32_t i = 0; i < w->n_kinds; i++)
    if (w->kinds[i].notes == NOTE_AWAITED) /* who waits for an accelerator, though no message is in the trace */
      return NULL;
  return trace_waits_untold (w->source);
}

void
waits_ask (Waits *w, const TraceEvent *e, uint32_t on, int64_t tag, int64_t asked)
{
  if (!waits_call (w, waits_task (w, e->task)))
    return;
  WaitHalf *h = waits_halves_at (w, waits_half (w, e, true));
  h->peer = on == TRACE_NONE ? -1 : (int64_t) on;
  h->tag = tag;
  h->asked = asked;
}

/* How many a barrier waits for, as its call says; -1: it does not. */
static int64_t
expected_at (const Waits *w, const TraceEvent *e)
{
  const TraceKind *k = &w->source->kinds[e->kind];

  for (uint32_t i = 0; i < k->n_fields; i++)
    if (k->fields[i].role == TRACE_ROLE_INT && strcmp (k->fields[i].name, "count") == 0) {
      TraceValue v = trace_value (e, i);
      return v.kind == TRACE_VALUE_INT && v.i > 0 && v.i <= UINT32_MAX ? v.i : -1;
    }
  return -1;
}

void
waits_ask_of_call (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  int32_t tag;

  if (k->meets)
    return;
  if ((k->acts & TRACE_ACT_COLLECTIVE || k->gathers) && e->object != TRACE_NONE)
    waits_ask (w, e, TRACE_NONE, k->gathers ? expected_at (w, e) : -1, ASKED_GROUP + (int64_t) e->object);
  else if (k->acts & TRACE_ACT_RECEIVE) {
    uint32_t on = trace_asked (&w->source->kinds[e->kind], e, &tag);
    waits_ask (w, e, on, tag, ASKED_TASK);
  }
}

/* ---- finding them ----------------------------------------------------------------------------------------------------------------------- */

typedef struct Finding {
  const Waits *w;
  bool over;
  GArray *all;            /* of WaitStuck */
  GHashTable *locks;      /* task + 1 -> row + 1 of a lock that it has asked for */
  GHashTable *begun;      /* task + 1 -> member + 1 of an operation that it has begun and not ended, in its call */
  GHashTable *missing;    /* instance + 1 -> GArray of those who have not come to it */
  GHashTable *in_group;   /* group + 1 -> tasks that are inside of an operation of it that never ends, */
  GHashTable *outside;    /* -> GArray of its other members */
  GHashTable *under_ways; /* (from, to) as one number -> GArray of tags of messages that nobody has received */
} Finding;

static gpointer
stuck_key_of (int64_t i)
{
  return GSIZE_TO_POINTER ((gsize) i + 1);
}

static void
unref_array (gpointer array)
{
  g_array_unref (array);
}

static void
unref_set (gpointer set)
{
  g_hash_table_unref (set);
}

static gint64
stuck_pair_of (int64_t from, int64_t to)
{
  return (gint64) ((uint64_t) from << 32 | (uint32_t) to);
}

/* What was sent and not received; only where somebody was asked does it matter. */
static void
index_messages (Finding *f)
{
  const Waits *w = f->w;

  for (int64_t i = 0; i < w->queues.n; i++) {
    const WaitQueue *q = waits_queues_at (w, i);
    if (!waits_queues_use (w, i) || q->is_receive || !waits_halves_use (w, q->head))
      continue;
    gint64 pair = stuck_pair_of (q->from, q->to);
    GArray *tags = g_hash_table_lookup (f->under_ways, &pair);
    if (!tags)
      g_hash_table_insert (f->under_ways, g_memdup2 (&pair, sizeof pair),
                           tags = g_array_new (FALSE, FALSE, sizeof (int64_t)));
    g_array_append_val (tags, q->tag);
  }
}

static bool
stuck_is_under_way (const Finding *f, int64_t from, int64_t to, int64_t tag)
{
  gint64 pair = stuck_pair_of (from, to);
  const GArray *tags = g_hash_table_lookup (f->under_ways, &pair);

  for (guint i = 0; tags && i < tags->len; i++)
    if (tag < 0 || g_array_index (tags, int64_t, i) == tag)
      return true;
  return false;
}

static void
index_locks (Finding *f)
{
  const Waits *w = f->w;

  for (int64_t i = 0; i < w->asked.n; i++) {
    const WaitAsked *a = table_at (&w->asked, i);
    if (table_uses (&w->asked, i) && a->contended)
      g_hash_table_insert (f->locks, stuck_key_of (a->task), stuck_key_of (i));
  }
}

/* Operations that tasks have begun in the call that they are in. */
static void
index_begun (Finding *f)
{
  const Waits *w = f->w;

  for (int64_t i = 0; i < w->begun.n; i++) {
    const WaitBegun *b = waits_begun_at (w, i);
    const WaitMember *m = waits_begun_use (w, i) && waits_members_use (w, b->member) ? waits_members_at (w, b->member)
                                                                                     : NULL;
    if (m && m->leave == LASTS)
      g_hash_table_insert (f->begun, stuck_key_of (m->task), stuck_key_of (b->member));
  }
}

/* Who is inside of an operation of a group that does not tell its members before. */
static void
index_groups (Finding *f)
{
  const Waits *w = f->w;

  for (int64_t i = 0; i < w->halves.n; i++) {
    const WaitHalf *h = waits_halves_at (w, i);
    if (!waits_halves_use (w, i) || h->asked < ASKED_GROUP || h->leave != LASTS)
      continue;
    gpointer key = stuck_key_of (h->asked - ASKED_GROUP);
    GHashTable *tasks = g_hash_table_lookup (f->in_group, key);
    if (!tasks)
      g_hash_table_insert (f->in_group, key, tasks = g_hash_table_new (NULL, NULL));
    g_hash_table_add (tasks, stuck_key_of (h->task));
  }
}

/* Members of a group that are not among those who are there: those first that are in a call themselves. */
static GArray *
stuck_others_of (const Waits *w, int64_t group, GHashTable *there)
{
  GArray *others = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  int64_t g = table_find (&w->groups, &group);

  for (int turn = 0; g >= 0 && turn < 2; turn++) {
    int64_t n = 0;
    for (int64_t i = waits_groups_at (w, g)->members; waits_belongs_use (w, i) && n++ <= w->belongs.n;) {
      const WaitBelongs *b = waits_belongs_at (w, i);
      int64_t t = table_find (&w->tasks, &b->task);
      bool in_call = t >= 0 && waits_tasks_at (w, t)->communicates > 0;
      uint32_t task = (uint32_t) b->task;
      i = b->next;
      if (!b->left && in_call == (turn == 0) && !g_hash_table_contains (there, stuck_key_of (task)))
        g_array_append_val (others, task);
    }
  }
  return others;
}

static uint32_t
there_of (const Finding *f, int64_t group)
{
  GHashTable *tasks = g_hash_table_lookup (f->in_group, stuck_key_of (group));

  return tasks ? g_hash_table_size (tasks) : 0;
}

static const GArray *
outside_of (Finding *f, int64_t group)
{
  GArray *others = g_hash_table_lookup (f->outside, stuck_key_of (group));

  if (!others)
    g_hash_table_insert (
        f->outside, stuck_key_of (group),
        others = stuck_others_of (f->w, group, g_hash_table_lookup (f->in_group, stuck_key_of (group))));
  return others;
}

static const GArray *
missing_of (Finding *f, int64_t instance)
{
  const Waits *w = f->w;
  GArray *missing = g_hash_table_lookup (f->missing, stuck_key_of (instance));

  if (missing)
    return missing;
  const WaitInstance *n = waits_instances_at (w, instance);
  g_autoptr (GHashTable) there = g_hash_table_new (NULL, NULL);
  int64_t k = 0;
  for (int64_t i = n->members; waits_members_use (w, i) && k++ <= w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    g_hash_table_add (there, stuck_key_of (m->task));
    i = m->next;
  }
  missing = stuck_others_of (w, n->group, there);
  g_hash_table_insert (f->missing, stuck_key_of (instance), missing);
  return missing;
}

/* A row for each of the first that it waits for; for nobody that is known one row.  It waits for `n`, who may be fewer
 * than all that it could be. */
static void
stuck_add (Finding *f, WaitStuck one, const GArray *on, uint32_t n)
{
  uint32_t n_known = on ? MIN (on->len, n) : 0;

  one.n_on = n;
  one.first = true;
  for (uint32_t i = 0; i < MAX (MIN (n_known, MOST_NAMED), 1); i++) {
    one.on = n_known > 0 ? g_array_index (on, uint32_t, i) : TRACE_NONE;
    g_array_append_val (f->all, one);
    one.first = false;
  }
}

/* Before the end of the trace: a lock of a window that somebody had when this call asked for it. */
static void
asked_for_lock (const Finding *f, WaitStuck *one)
{
  const Waits *w = f->w;
  int64_t i = f->over ? -1 : (int64_t) GPOINTER_TO_SIZE (g_hash_table_lookup (f->locks, stuck_key_of (one->task))) - 1;

  if (i < 0)
    return;
  const WaitAsked *a = table_at (&w->asked, i);
  const int64_t key[] = { a->window, a->owner };
  int64_t lock = table_find (&w->locks, key);
  if (lock < 0 || a->date < one->from)
    return;
  const WaitLock *l = table_at (&w->locks, lock);
  one->kind = WAIT_LOCK;
  one->from = a->date;
  if (l->holders == 0)
    one->to = MIN (one->to, l->released);
}

/* Before the end of the trace: what kind of wait a half is that the other one has not come to, where that is sure; of a
 * rendezvous both may be there.  False: it waits for nobody. */
static bool
kind_of_half (const Finding *f, const WaitHalf *h, WaitStuck *one)
{
  const WaitHalf *other;
  int64_t there;

  if (f->over)
    return true;
  if (h->is_receive && h->kind != WAIT_LATE_SENDER)
    one->kind = (WaitKind) h->kind;
  if (!h->meets || (there = waits_there (f->w, h)) < 0)
    return true;
  other = table_at (&f->w->halves, there);
  one->kind = h->is_receive ? WAIT_LATE_SENDER : WAIT_LATE_RECEIVER;
  one->to = MIN (one->to, other->enter);
  return one->from < one->to;
}

/* Of a call, and those around it: what is not answered in it.  False: nothing. */
static bool
asked_in (Finding *f, WaitStuck one, const WaitFrame *frame)
{
  const Waits *w = f->w;
  g_autoptr (GArray) on = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  bool found = false, all_are_there = false; /* nobody waits for them any more */
  uint32_t n_on = 0;                         /* those behind the first are only counted */
  int64_t n = 0;

  for (int64_t i = frame->halves; waits_halves_use (w, i) && n++ < MOST_LOOKED_AT;) {
    const WaitHalf *h = waits_halves_at (w, i);
    i = h->in_frame;
    if (h->leave != LASTS || h->lets < 0 || waits_halves_use (w, h->other) || (!h->is_receive && !h->kind)
        || (h->open && !f->over)) /* another call waits for it */
      continue;
    found = true;
    all_are_there |= !kind_of_half (f, h, &one);
    if (h->asked >= ASKED_GROUP) {
      const GArray *others = outside_of (f, h->asked - ASKED_GROUP);
      one.group = h->asked - ASKED_GROUP;
      one.n_there = there_of (f, one.group);
      int64_t missing = h->tag > 0 ? MAX (h->tag - one.n_there, 0) : others->len;
      all_are_there |= missing == 0;
      g_array_append_vals (on, others->data, MIN (others->len, MOST_NAMED));
      n_on += (uint32_t) missing;
    } else if (h->peer >= 0) {
      uint32_t task = (uint32_t) h->peer;
      one.under_way |= h->asked && stuck_is_under_way (f, task, h->task, h->tag);
      g_array_append_val (on, task);
      n_on++;
    }
  }
  if (found && !all_are_there)
    stuck_add (f, one, on, n_on);
  return found;
}

/* The operation of its group that a task is inside of: not all have come.  False: it is in none; then, or if all have,
 * *is_in tells which. */
static bool
member_of (Finding *f, WaitStuck one, const WaitFrame *frame, bool *is_in)
{
  const Waits *w = f->w;
  int64_t i = (int64_t) GPOINTER_TO_SIZE (g_hash_table_lookup (f->begun, stuck_key_of (one.task))) - 1;
  const WaitMember *m = waits_members_use (w, i) ? waits_members_at (w, i) : NULL;

  *is_in = m && m->arrived == frame->enter && waits_instances_use (w, m->instance);
  if (!*is_in)
    return false;
  one.together = true;
  const WaitInstance *n = waits_instances_at (w, m->instance);
  const GArray *missing = n->n_arrived < n->size ? missing_of (f, m->instance) : NULL;
  one.group = n->group;
  one.n_there = (uint32_t) MIN (n->n_arrived, UINT32_MAX);
  if (missing)
    stuck_add (f, one, missing, (uint32_t) MIN (n->size - n->n_arrived, UINT32_MAX));
  return missing != NULL;
}

/* A task inside of a call that has not ended, whoever it waits for. */
static WaitStuck
stuck_in (const Waits *w, const WaitTask *t, const WaitFrame *frame)
{
  return (WaitStuck){ .task = (uint32_t) t->task,
                      .thread = frame->thread,
                      .region = frame->region,
                      .from = MAX (frame->enter, frame->owned),
                      .to = MIN (waits_instant (w), t->died),
                      .kind = WAIT_UNDER_WAY,
                      .set_up = (waits_region_is (w, frame->region) & REGION_SETS_UP) != 0,
                      .alone = t->threads <= 0,
                      .circle = -1,
                      .group = -1 };
}

/* In a state that is work, as "Busy" is, a send has returned at once: nobody waits for its receive. */
static bool
is_at_work (const Waits *w, int64_t region)
{
  return region >= 0 && region < (int64_t) w->source->objects->len
         && trace_state_does (w->source, (uint32_t) region) == TRACE_WORKS;
}

/* Before the end of the trace: in a call that waits for an accelerator, which is not known to be done.  At the end,
 * where nothing tells for which, nobody knows whether it waited. */
static bool
waits_for_device (const Finding *f, const WaitFrame *frame)
{
  const Waits *w = f->w;
  int64_t n = 0;

  if (f->over || g_strcmp0 (trace_group_of (waits_region (w, frame->region)), TRACE_GROUP_DEVICE) != 0)
    return false;
  for (int64_t i = frame->halves; waits_halves_use (w, i) && n++ < MOST_LOOKED_AT; i = waits_halves_at (w, i)->in_frame)
    if (waits_halves_at (w, i)->is_receive) /* else it is a launch, as of what it copies */
      return false;
  return true;
}

/* The call that a task, or a thread of it, is inside of, and those around it as long as they communicate. */
static void
stuck_look_at (Finding *f, const WaitTask *t, int64_t top)
{
  const Waits *w = f->w;
  int64_t thread = waits_frames_at (w, top)->thread, n = 0;
  const WaitFrame *innermost = NULL;
  bool is_in = false;

  for (int64_t i = top; waits_frames_use (w, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *frame = waits_frames_at (w, i);
    i = frame->outer;
    if (frame->thread != thread)
      continue;
    if (!frame->communicates && (frame->halves < 0 || is_at_work (w, frame->region)))
      break;
    const WaitStuck one = stuck_in (w, t, frame);
    innermost = innermost ? innermost : frame;
    if (one.from <= one.to && (asked_in (f, one, frame) || member_of (f, one, frame, &is_in)))
      return;
    if (is_in)
      return;
  }
  if (!innermost)
    return;
  bool device = waits_for_device (f, innermost);
  if (!device && (innermost->halves >= 0 || innermost->members >= 0)) /* it has what it waited for */
    return;
  /* a task that rests or sleeps waits for nobody; nor does one that is gone from a state, which nothing else ends */
  if (!(device || waits_region_is (w, innermost->region) & REGION_ASKS)
      || (innermost->key == INT64_MIN && t->died != LASTS && t->died < w->count[WAITS_LAST]))
    return;
  WaitStuck one = stuck_in (w, t, innermost);
  asked_for_lock (f, &one);
  if (one.from <= one.to)
    stuck_add (f, one, NULL, 0);
}

/* Each thread that is inside of something. */
static void
look_at_task (Finding *f, const WaitTask *t)
{
  const Waits *w = f->w;
  g_autoptr (GHashTable) seen = NULL;
  int64_t n = 0;

  for (int64_t i = t->top; waits_frames_use (w, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *frame = waits_frames_at (w, i);
    if (frame->thread < 0) {
      stuck_look_at (f, t, i);
      return;
    }
    seen = seen ? seen : g_hash_table_new (NULL, NULL);
    if (g_hash_table_add (seen, stuck_key_of (frame->thread)))
      stuck_look_at (f, t, i);
    i = frame->outer;
  }
}

/* ---- circles ------------------------------------------------------------------------------------------------------------------------------ */

/* Another thread of a task may answer instead of one that waits. */
static bool
leads_on (const WaitStuck *s)
{
  return s->on != TRACE_NONE && !s->under_way && s->alone;
}

static int
stuck_by_task (const void *a, const void *b)
{
  const WaitStuck *x = a, *y = b;

  return x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                            : (x->thread > y->thread) - (x->thread < y->thread);
}

typedef struct Walk { /* a task on the way, and the row that is looked at */
  guint at;
} Walk;

/* The first row of a task; the number of rows: it is not stuck. */
static guint
stuck_rows_of (const GArray *all, uint32_t task)
{
  guint from = 0, to = all->len;

  while (from < to) {
    guint middle = from + (to - from) / 2;
    if (g_array_index (all, WaitStuck, middle).task < task)
      from = middle + 1;
    else
      to = middle;
  }
  return from < all->len && g_array_index (all, WaitStuck, from).task == task ? from : all->len;
}

/* Rows of the way from where it comes back to become a circle.  False: there is none, as one was gone before another
 * began to wait for it. */
static bool
close_circle (GArray *all, const GArray *way, uint32_t task, int64_t number)
{
  int64_t since = INT64_MIN, until = INT64_MAX;

  for (guint k = way->len; k-- > 0;) {
    const WaitStuck *s = &g_array_index (all, WaitStuck, g_array_index (way, Walk, k).at);
    since = MAX (since, s->from);
    until = MIN (until, s->to);
    if (s->task == task)
      break;
  }
  if (since > until)
    return false;
  for (guint k = way->len; k-- > 0;) {
    WaitStuck *s = &g_array_index (all, WaitStuck, g_array_index (way, Walk, k).at);
    s->circle = number;
    if (s->task == task)
      break;
  }
  return true;
}

/* Depth first, each task once: a way that comes back to a task on it is a circle, which is enough to know of it. */
static int64_t
find_circles (GArray *all)
{
  g_autofree uint8_t *state = g_new0 (uint8_t, MAX (all->len, 1)); /* by first row of a task: 1 on the way, 2 done */
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (Walk));
  int64_t n = 0;

  for (guint start = 0; start < all->len; start++) {
    uint32_t task = g_array_index (all, WaitStuck, start).task;
    if (stuck_rows_of (all, task) != start || state[start])
      continue;
    Walk w = { start };
    state[start] = 1;
    g_array_append_val (way, w);
    while (way->len > 0) {
      Walk *last = &g_array_index (way, Walk, way->len - 1);
      const WaitStuck *s = &g_array_index (all, WaitStuck, last->at);
      guint next = leads_on (s) ? stuck_rows_of (all, s->on) : all->len;
      if (next < all->len && state[next] == 1) {
        if (close_circle (all, way, s->on, n)) {
          n++;
          state[next] = 2; /* of circles that share a task one is told */
        }
      } else if (next < all->len && state[next] == 0) {
        state[next] = 1;
        w.at = next;
        g_array_append_val (way, w);
        continue;
      }
      for (; way->len > 0; g_array_set_size (way, way->len - 1)) { /* on to the next row of its task, or back */
        last = &g_array_index (way, Walk, way->len - 1);
        task = g_array_index (all, WaitStuck, last->at).task;
        bool in_circle = g_array_index (all, WaitStuck, last->at).circle >= 0;
        if (!in_circle && last->at + 1 < all->len && g_array_index (all, WaitStuck, last->at + 1).task == task) {
          last->at++;
          break;
        }
        state[stuck_rows_of (all, task)] = 2;
      }
    }
  }
  return n;
}

GArray *
waits_stuck (const Waits *w, int64_t *n_circles)
{
  Finding f = { .w = w,
                .over = waits_over (w),
                .all = g_array_new (FALSE, FALSE, sizeof (WaitStuck)),
                .locks = g_hash_table_new (NULL, NULL),
                .begun = g_hash_table_new (NULL, NULL),
                .missing = g_hash_table_new_full (NULL, NULL, NULL, unref_array),
                .in_group = g_hash_table_new_full (NULL, NULL, NULL, unref_set),
                .outside = g_hash_table_new_full (NULL, NULL, NULL, unref_array),
                .under_ways = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, unref_array) };

  *n_circles = 0;
  index_messages (&f);
  index_begun (&f);
  index_locks (&f);
  index_groups (&f);
  for (int64_t i = 0; i < w->tasks.n; i++)
    look_at_task (&f, waits_tasks_at (w, i));
  g_array_sort (f.all, stuck_by_task);
  if (f.over)
    *n_circles = find_circles (f.all);
  g_hash_table_unref (f.locks);
  g_hash_table_unref (f.begun);
  g_hash_table_unref (f.missing);
  g_hash_table_unref (f.in_group);
  g_hash_table_unref (f.outside);
  g_hash_table_unref (f.under_ways);
  return f.all;
}
