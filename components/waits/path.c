/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the critical path: what, from the end back, the run time is made of, when everybody who waited is followed
 * to whom it waited for.
 *
 * It is not searched backward, which would need all of the trace, but kept forward: each task has the path that would
 * be critical if the run ended with it now.  Who has waited goes on from the path of who was waited for, as that was
 * when it came.  Paths are stretches, each behind another; stretches that only one other goes on from become one with
 * it, so that what is kept is as much as there are tasks, and messages under way. */
#include "components/waits/waits.h"

static WaitNode *
node_at (const Waits *w, int64_t i)
{
  return table_uses (&w->nodes, i) ? table_at (&w->nodes, i) : NULL;
}

/* ---- time by task and region ---------------------------------------------------------------------------------------------------------- */

static void
add_time (Waits *w, int64_t set, int64_t task, int64_t region, int64_t ticks)
{
  const int64_t key[] = { set, task, region };
  int64_t i = table_find (&w->entries, key);

  if (i < 0) {
    i = table_add (&w->entries, key);
    WaitSet *s = table_at (&w->sets, set);
    ((WaitEntry *) table_at (&w->entries, i))->next = s->first;
    s->first = i;
    s->n++;
  }
  ((WaitEntry *) table_at (&w->entries, i))->ticks += ticks;
}

static int64_t
new_set (Waits *w)
{
  int64_t i = table_add (&w->sets, NULL);

  ((WaitSet *) table_at (&w->sets, i))->first = -1;
  return i;
}

/* All of it goes to another, or nowhere: -1. */
static void
drop_set (Waits *w, int64_t set, int64_t to)
{
  if (!table_uses (&w->sets, set))
    return;
  int64_t next, n_rows = w->entries.n, n = 0;
  for (int64_t i = ((const WaitSet *) table_at (&w->sets, set))->first; table_uses (&w->entries, i) && n++ <= n_rows;
       i = next) {
    const WaitEntry e = *(const WaitEntry *) table_at (&w->entries, i);
    next = e.next;
    table_drop (&w->entries, i);
    if (to >= 0)
      add_time (w, to, e.task, e.region, e.ticks);
  }
  table_drop (&w->sets, set);
}

/* The smaller one goes into the other. */
static int64_t
join_sets (Waits *w, int64_t a, int64_t b)
{
  if (!table_uses (&w->sets, a) || !table_uses (&w->sets, b))
    return table_uses (&w->sets, a) ? a : b;
  bool a_is_more = ((const WaitSet *) table_at (&w->sets, a))->n >= ((const WaitSet *) table_at (&w->sets, b))->n;
  drop_set (w, a_is_more ? b : a, a_is_more ? a : b);
  return a_is_more ? a : b;
}

/* ---- stretches ------------------------------------------------------------------------------------------------------------------------- */

static int64_t
new_node (Waits *w, int64_t parent, int64_t task, int64_t date)
{
  int64_t i = table_add (&w->nodes, NULL), set = new_set (w);
  WaitNode *above = node_at (w, parent);

  *(WaitNode *) table_at (&w->nodes, i) = (WaitNode){ .parent = above ? parent : -1,
                                                      .first_task = task,
                                                      .last_task = task,
                                                      .from = date,
                                                      .to = date,
                                                      .stretches = 1,
                                                      .set = set,
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
  const WaitNode n = *(const WaitNode *) table_at (&w->nodes, i);
  WaitNode *child = node_at (w, n.child), *above = node_at (w, n.parent);

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
  int64_t set = join_sets (w, n.set, child->set);
  ((WaitNode *) table_at (&w->nodes, n.child))->set = set;
  table_drop (&w->nodes, i);
}

/* After somebody let go of it. */
static void
settle (Waits *w, int64_t i)
{
  for (WaitNode *n; (n = node_at (w, i)) && !n->is_head && n->holders <= 0;) {
    if (n->children > 0) {
      if (n->children == 1)
        become_one (w, i);
      return;
    }
    int64_t parent = n->parent;
    WaitNode *above = node_at (w, parent);
    drop_set (w, n->set, -1);
    table_drop (&w->nodes, i);
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
  WaitNode *n = node_at (w, node);

  if (n)
    n->holders++;
}

void
path_release (Waits *w, int64_t node)
{
  WaitNode *n = node_at (w, node);

  if (n)
    n->holders--;
  settle (w, node);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------------------ */

/* What it is inside of has lasted until now. */
void
path_spend (Waits *w, WaitTask *t, int64_t region, int64_t date)
{
  int64_t ticks = t->first > t->last ? 0 : waits_counted (w, t->path_since, date);
  const int64_t key[] = { t->task, region };

  t->path_since = date;
  causes_spend (w, t, waits_spent_row (w, region), date);
  if (ticks <= 0)
    return;
  int64_t i = table_find (&w->pending, key);
  if (i < 0) {
    i = table_add (&w->pending, key);
    ((WaitPending *) table_at (&w->pending, i))->next = t->pending;
    t->pending = i;
  }
  ((WaitPending *) table_at (&w->pending, i))->ticks += ticks;
  ((WaitRegion *) table_at (&w->regions_spent, waits_spent_row (w, region)))->ticks += ticks;
}

static void
take_pending (Waits *w, WaitTask *t, int64_t to)
{
  int64_t next, n_rows = w->pending.n, n = 0;

  for (int64_t i = t->pending; table_uses (&w->pending, i) && n++ <= n_rows; i = next) {
    const WaitPending p = *(const WaitPending *) table_at (&w->pending, i);
    next = p.next;
    table_drop (&w->pending, i);
    if (table_uses (&w->sets, to))
      add_time (w, to, t->task, p.region, p.ticks);
  }
  t->pending = -1;
}

/* A call of communication begins: all before it is put in the path, so that others may go on from here. */
void
path_reach (Waits *w, WaitTask *t, int64_t date)
{
  const WaitNode *n = node_at (w, t->node);

  causes_cut (w, t);
  if (!n) {
    t->node = new_node (w, -1, t->task, t->first);
  } else if (n->holders > 0 || n->children > 0) {
    int64_t before = t->node;
    t->node = new_node (w, before, t->task, n->to);
    ((WaitNode *) table_at (&w->nodes, before))->is_head = 0;
    ((WaitNode *) table_at (&w->nodes, before))->own_child = t->node;
    settle (w, before);
  }
  WaitNode *head = table_at (&w->nodes, t->node);
  head->to = date;
  take_pending (w, t, head->set);
}

/* The path of a task as it was when it began its call; -1: it is not known. */
int64_t
path_at (const Waits *w, const WaitTask *t, int64_t enter)
{
  const WaitNode *n = node_at (w, t->node);

  return n && n->to == enter && n->is_head ? t->node : -1;
}

/* It has waited, and goes on from there; all of its call since then is of the call. */
bool
path_jump (Waits *w, WaitTask *t, int64_t cause, int64_t date)
{
  const WaitNode *c = node_at (w, cause), *own = node_at (w, t->node);
  int64_t before = t->node;

  if (!c || c->to != date || cause == before || (own && own->to >= date))
    return false;
  t->node = new_node (w, cause, t->task, date);
  take_pending (w, t, -1);
  t->path_since = date;
  WaitNode *old = node_at (w, before);
  if (old) {
    old->is_head = 0;
    settle (w, before);
  }
  return true;
}

/* Time that was waited after all. */
static void
unspend (Waits *w, int64_t region, int64_t ticks)
{
  int64_t i = table_find (&w->regions_spent, &region);

  if (i >= 0)
    ((WaitRegion *) table_at (&w->regions_spent, i))->ticks -= ticks;
}

/* Whether a path leads through a stretch, which then must not go on from it. */
static bool
leads_through (const Waits *w, int64_t path, int64_t through)
{
  int64_t n = 0;

  for (const WaitNode *node = node_at (w, path); node; node = node_at (w, path)) {
    if (path == through || n++ > w->nodes.n)
      return true;
    path = node->parent;
  }
  return false;
}

bool
path_jump_late (Waits *w, WaitTask *t, int64_t node, int64_t region, int64_t cause, int64_t date)
{
  WaitNode *before = node_at (w, node), *c = node_at (w, cause);
  int64_t waited = before ? waits_counted (w, before->to, date) : 0;

  if (!before || !c || c->to != date || before->to >= date)
    return false;
  if (t->node == node) { /* nothing has begun since; its time is not in the path yet */
    const int64_t key[] = { t->task, region };
    int64_t i = table_find (&w->pending, key);
    if (waited > 0 && (i < 0 || ((const WaitPending *) table_at (&w->pending, i))->ticks < waited))
      return false;
    if (waited > 0)
      ((WaitPending *) table_at (&w->pending, i))->ticks -= waited;
    unspend (w, region, waited);
    t->node = new_node (w, cause, t->task, date);
    ((WaitNode *) table_at (&w->nodes, node))->is_head = 0;
    settle (w, node);
    return true;
  }
  int64_t next = before->own_child;
  WaitNode *n = node_at (w, next);
  if (!n || n->parent != node || n->first_task != t->task || leads_through (w, cause, next))
    return false;
  const int64_t key[] = { n->set, t->task, region };
  int64_t i = table_find (&w->entries, key);
  if (waited > 0 && (i < 0 || ((const WaitEntry *) table_at (&w->entries, i))->ticks < waited))
    return false;
  if (waited > 0)
    ((WaitEntry *) table_at (&w->entries, i))->ticks -= waited;
  unspend (w, region, waited);
  n->parent = cause;
  n->from = date;
  before->children--;
  before->child ^= next;
  before->own_child = -1;
  c->children++;
  c->child ^= next;
  settle (w, node);
  return true;
}

/* ---- the result ----------------------------------------------------------------------------------------------------------------------- */

static void
sum (GHashTable *to, int64_t task, int64_t region, int64_t ticks)
{
  PathPart key = { task, region, 0 }, *part = g_hash_table_lookup (to, &key);

  if (!part) {
    part = g_memdup2 (&key, sizeof key);
    g_hash_table_add (to, part);
  }
  part->ticks += ticks;
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

/* Of those that end last the one with the lowest number. */
static const WaitTask *
last_task (const Waits *w)
{
  const WaitTask *last = NULL;

  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = table_at (&w->tasks, i);
    if (t->first <= t->last && (!last || t->last > last->last || (t->last == last->last && t->task < last->task)))
      last = t;
  }
  return last;
}

static GArray *
parts_of (const Waits *w, int64_t *length, int64_t *stretches)
{
  const WaitTask *t = last_task (w);
  g_autoptr (GHashTable) parts = g_hash_table_new_full (part_hash, part_equal, g_free, NULL);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (PathPart));
  int64_t from = t ? t->first : 0, next_task = t ? t->task : -1, n = 0;
  GHashTableIter each;
  gpointer part;

  *stretches = t != NULL;
  for (int64_t i = t ? t->pending : -1; table_uses (&w->pending, i) && n++ <= w->pending.n;) {
    const WaitPending *p = table_at (&w->pending, i);
    sum (parts, t->task, p->region, p->ticks);
    i = p->next;
  }
  n = 0;
  for (const WaitNode *node = t ? node_at (w, t->node) : NULL; node && n++ <= w->nodes.n;
       node = node_at (w, node->parent)) {
    int64_t k = 0;
    for (int64_t i = table_uses (&w->sets, node->set) ? ((const WaitSet *) table_at (&w->sets, node->set))->first : -1;
         table_uses (&w->entries, i) && k++ <= w->entries.n;) {
      const WaitEntry *e = table_at (&w->entries, i);
      sum (parts, e->task, e->region, e->ticks);
      i = e->next;
    }
    *stretches += node->stretches - (node->last_task == next_task);
    next_task = node->first_task;
    from = node->from;
  }
  g_hash_table_iter_init (&each, parts);
  while (g_hash_table_iter_next (&each, &part, NULL))
    g_array_append_vals (all, part, 1);
  *length = t ? waits_counted (w, from, t->last) : 0;
  return all;
}

int64_t
path_end (const Waits *w, int64_t *from, int64_t *to)
{
  const WaitTask *t = last_task (w);
  int64_t n = 0;

  if (!t)
    return -1;
  *from = t->first;
  *to = t->last;
  for (const WaitNode *node = node_at (w, t->node); node && n++ <= w->nodes.n; node = node_at (w, node->parent))
    *from = node->from;
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
longest_first (const void *a, const void *b)
{
  const PathPart *x = a, *y = b;

  return x->ticks != y->ticks ? (x->ticks < y->ticks) - (x->ticks > y->ticks) : by_region (a, b);
}

/* Those that are alike become one. */
static GArray *
put_together (GArray *parts, int (*compare) (const void *, const void *))
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
  GArray *parts = put_together (parts_of (w, length, stretches), by_region);

  g_array_sort (parts, longest_first);
  return parts;
}

GArray *
path_by_task (const Waits *w)
{
  int64_t length, stretches;

  return put_together (parts_of (w, &length, &stretches), by_task);
}
