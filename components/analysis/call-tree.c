/* SPDX-License-Identifier: Apache-2.0 */
/* call-tree.c - how long tasks were in each call, for each way in which they got there: a tree of calls inside of
 * calls.
 *
 * Of each path only what was spent in it alone is counted as events come; with what is inside of it is a sum over the
 * paths below, made when the tree is given.
 *
 * Where one task is told of by two (another.h), its time counts once: as that of its calls, and outside of these as
 * that of the states it is in meanwhile.  Of further ones nothing counts that is not asked for by name. */
#include <string.h>
#include "readers/another.h"
#include "readers/counted.h"
#include "components/analysis/call-tree.h"
#include "eve/words.h"
#include "statistics/dates.h"
#include "statistics/list.h"

#define MOST_TASKS (1u << 20)
#define MOST_PATHS (1u << 16)
#define MOST_DEPTH 4096
#define MOST_GROUPS (1u << 16)

enum { OF_ALL, OF_TYPES, OF_HOSTS, OF_TASKS };
static const char *const trees_of[] = { "all tasks", "types", "hosts", "tasks", NULL };

static const EveInSpec ins[] = {
  { "calls", &state_type_frame, .required = true,
    .doc = "What tasks are inside of, from a simulator's output of that name." },
};
static const EveOutSpec outs[] = {
  { "tree", &stats_type_table,
    .doc = "A row for each path, each above those that are inside of it; `depth` tells how deep it is." },
  { "regions", &stats_type_table, .doc = "A row for each call, whatever it was called from, longest first." },
};
enum { BY, TASKS, FROM, TO, MOST };
static const EveField settings[] = {
  [BY] = { "trees of", EVE_F_CHOICE, offsetof (CallTree, by), .choices = trees_of,
           .doc =
               "One tree of all tasks together, or one for those of each type (or program), of each host, or for each "
               "task." },
  [TASKS] = { "tasks", EVE_F_STRING, offsetof (CallTree, tasks),
              .doc = "Only these, by id, nickname or type, with commas between; empty: all." },
  [FROM] = { "from", EVE_F_STRING, offsetof (CallTree, from_text), .unit = "s",
             .doc = "Only the time from this date on; empty: from the beginning." },
  [TO] = { "to", EVE_F_STRING, offsetof (CallTree, to_text), .unit = "s",
           .doc = "Only the time until this date; empty: until the end." },
  [MOST] = { "paths", EVE_F_INT64, offsetof (CallTree, most), .min = 16, .max = MOST_PATHS, .def = 16384,
             .doc = "So many paths are kept apart; calls on further ones are counted as others where they happen." },
};

/* ---- paths ------------------------------------------------------------------------------------------------------------ */

static uint32_t
add_path (CallTree *self, uint32_t parent, uint32_t state)
{
  g_array_append_val (self->counts, ((Counts){ 0 }));
  self->n_calls += parent != NONE && state != OTHERS;
  return stats_paths_add (&self->paths, parent, state);
}

/* What is inside of "others" is one of them. */
static uint32_t
call_tree_path_inside (CallTree *self, uint32_t parent, uint32_t state)
{
  uint32_t path = parent;

  if (path_at (self, parent)->parent == NONE || path_at (self, parent)->label != OTHERS)
    path = stats_paths_find (&self->paths, parent, state);
  if (path == NONE && self->n_calls >= (uint64_t) self->most) {
    state = OTHERS;
    path = stats_paths_find (&self->paths, parent, state);
  }
  if (path == NONE)
    path = add_path (self, parent, state);
  self->beyond += path_at (self, path)->label == OTHERS && path_at (self, path)->parent != NONE;
  return path;
}

static uint32_t
call_tree_add_group (CallTree *self, const char *name)
{
  uint32_t path = add_path (self, NONE, self->groups->len);
  char *own = g_strdup (name);

  g_ptr_array_add (self->groups, own);
  g_hash_table_insert (self->group_of, own, GUINT_TO_POINTER (path + 1));
  return path;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------ */

static void
call_tree_offer_tasks (void *arg, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = arg;

  for (uint32_t i = 0; i < s->tasks->len; i++) {
    const char *type = stats_task_type (s, i);
    add (to, trace_task_id (s, i));
    add (to, trace_task_name (s, i));
    if (type != NULL)
      add (to, type);
  }
}

static bool
call_tree_is_named (const CallTree *self, const TraceSource *s, uint32_t task)
{
  return stats_list_has (self->tasks, trace_task_id (s, task))
         || stats_list_has (self->tasks, trace_task_name (s, task))
         || stats_list_has (self->tasks, stats_task_type (s, task));
}

/* Whether it tells of the one around once more; what is under way in a process is not what the process does. */
static bool
call_tree_tells_of (const TraceSource *s, uint32_t task)
{
  return trace_task_is_another (s, task) && !trace_task_is_under_way (s, task);
}

static bool
call_tree_is_left_out (const CallTree *self, const TraceSource *s, const Stack *t, uint32_t task)
{
  if (s == NULL || (*self->tasks && call_tree_is_named (self, s, task)))
    return false;
  if (!call_tree_tells_of (s, task))
    return *self->tasks;
  return (t->by == NONE && t->over == NONE) /* a third one */
         || (*self->tasks && !call_tree_is_named (self, s, trace_task (s, task)->parent));
}

static const char *
call_tree_group_of (const CallTree *self, const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s != NULL ? trace_task (s, task) : NULL;
  const char *name = NULL;

  if (self->by == OF_ALL)
    return N_ ("all tasks"); /* data are the same in every language: who shows it puts it into words */
  if (self->by == OF_TASKS)
    return t != NULL ? trace_task_name (s, task) : "?";
  if (self->by == OF_TYPES)
    name = stats_task_type (s, task);
  else if (t != NULL && t->host != TRACE_NONE && t->host < s->hosts->len)
    name = ((const TraceHost *) s->hosts->pdata[t->host])->name;
  return name != NULL ? name : self->by == OF_TYPES ? "no type" : "no host";
}

/* Each task is of the group that it is of when it comes first.  Of tasks each has its own, whatever they are called. */
static uint32_t
call_tree_root_of (CallTree *self, uint32_t task)
{
  const TraceSource *s = trace_source (self->source);

  if (call_tree_tells_of (s, task)) {
    task = trace_task (s, task)->parent;
    if (self->stacks[task].root != NONE)
      return self->stacks[task].root;
  }
  bool last = self->groups->len + 1 >= MOST_GROUPS;
  const char *name = last ? "others" : call_tree_group_of (self, s, task);
  gpointer found = self->by == OF_TASKS && !last ? NULL : g_hash_table_lookup (self->group_of, name);

  return found != NULL ? GPOINTER_TO_UINT (found) - 1 : call_tree_add_group (self, name);
}

static Stack *
call_tree_place_of (CallTree *self, uint32_t task)
{
  if (task >= self->n_stacks) {
    uint32_t more = MAX (task + 1, 2 * self->n_stacks + 16);
    self->stacks = g_renew (Stack, self->stacks, more);
    for (; self->n_stacks < more; self->n_stacks++)
      self->stacks[self->n_stacks] = (Stack){ .root = NONE, .by = NONE, .over = NONE };
  }
  return &self->stacks[task];
}

/* Who tells of whom once more: calls count before the states of who is in them, states of one type before those of
 * another.  The first one that tells calls is taken, or else the first. */
static void
call_tree_pair (CallTree *self, const TraceSource *s)
{
  self->paired = self->source;
  for (uint32_t task = 0; task < MIN (s->tasks->len, MOST_TASKS); task++) {
    if (!call_tree_tells_of (s, task))
      continue;
    uint32_t around = trace_task (s, task)->parent;
    Stack *one = call_tree_place_of (self, task), *other = &self->stacks[around];
    if (trace_task_tells_calls (s, task) && other->by == NONE) {
      if (other->over != NONE)
        self->stacks[other->over].by = NONE;
      other->over = NONE;
      other->by = task;
      one->over = around;
    } else if (other->by == NONE && other->over == NONE) {
      other->over = task;
      one->by = around;
    }
  }
  for (uint32_t task = 0; task < self->n_stacks; task++) /* they may come of a run state */
    self->stacks[task].covered = self->stacks[task].by != NONE && self->stacks[self->stacks[task].by].n > 0;
}

static Stack *
call_tree_stack_of (CallTree *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return NULL;
  Stack *t = call_tree_place_of (self, task);
  if (G_UNLIKELY (t->root == NONE) && !t->left_out) {
    t->left_out = call_tree_is_left_out (self, trace_source (self->source), t, task);
    if (!t->left_out)
      t->root = call_tree_root_of (self, task);
  }
  self->n_seen = MAX (self->n_seen, task + 1);
  return t;
}

/* ---- time ------------------------------------------------------------------------------------------------------------- */

static void
call_tree_bind (CallTree *self)
{
  const TraceSource *s = trace_source (self->source);

  if (s != NULL && self->paired != self->source)
    call_tree_pair (self, s);
  self->graph = stats_graph_above ((EveComponent *) self);
  self->attribute = self->graph ? state_with_role (self->graph->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  g_byte_array_set_size (self->senses, 0);
  stats_dates ((EveComponent *) self, s, (char *const[]){ self->from_text, self->to_text }, &self->told_outside,
               &self->from, &self->to);
}

static inline void
call_tree_need_bound (CallTree *self)
{
  if (G_UNLIKELY (stats_wires_changed (&self->wires, (EveComponent *) self)))
    call_tree_bind (self);
}

static StateSense
call_tree_sense_of (CallTree *self, uint32_t state)
{
  if (G_UNLIKELY (state >= self->senses->len) && state <= UINT16_MAX) {
    guint n = self->senses->len;
    g_byte_array_set_size (self->senses, MAX (state + 1, 2 * n));
    memset (self->senses->data + n, 0, self->senses->len - n);
  }
  uint8_t *sense = state < self->senses->len ? &self->senses->data[state] : NULL;
  if (sense != NULL && G_UNLIKELY (*sense == 0))
    *sense = (uint8_t) (1
                        + (self->attribute >= 0 ? state_value (self->graph->model, self->attribute, state)->sense
                                                : STATE_SENSE_NONE));
  return sense != NULL ? (StateSense) (*sense - 1) : STATE_SENSE_NONE;
}

/* Who rests, or is no more, is inside of nothing. */
static uint32_t
state_or_nothing (CallTree *self, int64_t value)
{
  if (value < 0 || value >= OTHERS)
    return NOTHING;
  StateSense sense = call_tree_sense_of (self, (uint32_t) value);
  return sense == STATE_SENSE_REST || sense == STATE_SENSE_GONE ? NOTHING : (uint32_t) value;
}

static inline void
call_tree_spend (CallTree *self, Stack *t, int64_t date)
{
  Counts *n = counts_of (self, path_of (t));
  int64_t time = open_time (self, t, date);

  n->spent = trace_sum (n->spent, time);
  t->since = date;
  if (t->by == NONE || time == 0)
    return;
  for (uint32_t depth = 0; depth < t->n; depth++) {
    counts_of (self, t->levels[depth].path)->visits += t->levels[depth].due;
    t->levels[depth].due = false;
  }
}

/* A visit that begins.  Where the task around or inside may count meanwhile it counts once there is time in it. */
static void
call_tree_visit (CallTree *self, Stack *t, uint32_t depth)
{
  if (t->by != NONE)
    t->levels[depth].due = true;
  else
    counts_of (self, t->levels[depth].path)->visits++;
}

/* From a date on the task that tells of this one once more is inside of something and counts in its place, or no
 * longer. */
static void
call_tree_cover (CallTree *self, uint32_t task, bool covered, int64_t date)
{
  Stack *t = &self->stacks[task];

  if (t->root != NONE && !t->left_out)
    call_tree_spend (self, t, date);
  t->covered = covered;
}

/* ---- what comes ------------------------------------------------------------------------------------------------------- */

/* Whose path calls of a depth go on from.  What a task computes outside of all calls stands beside these: in a call it
 * does what the call does. */
static uint32_t
path_around (CallTree *self, const Stack *t, uint32_t depth)
{
  uint32_t outside = depth == 1 ? t->levels[0].state : NOTHING;

  return depth == 0 || (outside != NOTHING && call_tree_sense_of (self, outside) == STATE_SENSE_WORKS)
             ? t->root
             : t->levels[depth - 1].path;
}

static void
make_room (Stack *t, uint32_t n)
{
  if (n > t->room) {
    t->room = MAX (n, 2 * t->room);
    t->levels = g_renew (Level, t->levels, t->room);
  }
}

static void
deepen (CallTree *self, Stack *t, uint32_t n)
{
  make_room (t, n);
  for (; t->n < n; t->n++)
    t->levels[t->n] = (Level){ NOTHING, path_around (self, t, t->n), false };
}

/* Paths of a stack from a depth on. */
static void
call_tree_follow (CallTree *self, Stack *t, uint32_t depth)
{
  for (; depth < t->n; depth++) {
    uint32_t above = path_around (self, t, depth), state = t->levels[depth].state;
    t->levels[depth].path = state == NOTHING ? above : call_tree_path_inside (self, above, state);
  }
}

/* A call is entered where nothing was; where another was, those inside of it have moved outwards, as it has ended
 * before them.  Only what a task is in outside of all takes the place of what was there. */
static void
call_tree_step (CallTree *self, const StateChange *c)
{
  Stack *t;

  self->date = c->date;
  if (G_UNLIKELY (c->source != self->source)) {
    if (!stats_same_trace ((EveComponent *) self, &self->source, c->source))
      return;
    call_tree_bind (self);
  }
  if (c->attribute > MOST_DEPTH || !(t = call_tree_stack_of (self, c->object)) || t->left_out)
    return;
  uint32_t state = state_or_nothing (self, c->new_value), depth = c->attribute;
  if (state == NOTHING && depth >= t->n)
    return;
  call_tree_spend (self, t, c->date);
  bool was_inside = t->n > 0;
  bool enters = depth == 0 ? t->n == 0 || t->levels[0].state != state
                           : depth >= t->n || t->levels[depth].state == NOTHING;
  deepen (self, t, depth + 1);
  t->levels[depth].state = state;
  t->levels[depth].due = false;
  while (t->n > 0 && t->levels[t->n - 1].state == NOTHING)
    t->n--;
  call_tree_follow (self, t, depth);
  if (enters && state != NOTHING && c->date >= self->from && (c->date < self->to || self->to == INT64_MAX))
    call_tree_visit (self, t, depth);
  if (t->over != NONE && was_inside != (t->n > 0))
    call_tree_cover (self, t->over, t->n > 0, c->date);
}

static void
call_tree_fire (EveComponent *c)
{
  call_tree_need_bound ((CallTree *) c);
  call_tree_step ((CallTree *) c, eve_take (eve_base (c)->in[0]));
}

static void
call_tree_fire_span (EveComponent *c, uint32_t n)
{
  const StateChange *change = eve_take_span (eve_base (c)->in[0], n);

  call_tree_need_bound ((CallTree *) c);
  for (uint32_t i = 0; i < n; i++)
    call_tree_step ((CallTree *) c, &change[i]);
}

static void
analysis_call_tree_give (CallTree *self, int64_t date)
{
  call_tree_need_bound (self);
  if (self->n_seen > 0)
    call_tree_give (self, date);
}

static bool
call_tree_at_rest (EveComponent *c, int64_t now)
{
  CallTree *self = (CallTree *) c;

  analysis_call_tree_give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
call_tree_at_end (EveComponent *c)
{
  CallTree *self = (CallTree *) c;
  const TraceSource *s = trace_source (self->source);

  if (s != NULL) {
    g_auto (GStrv) names = stats_list_split (self->tasks);
    stats_tell_unknown (c, &self->told, "task or type", names, call_tree_offer_tasks, (void *) s);
    call_tree_bind (self);
  }
  if (self->beyond > 0 && !self->told_tasks) {
    self->told_tasks = true;
    eve_warn (c,
              _ ("%" PRIu64 " calls came in more ways than the %" PRId64
                 " that are kept apart, and are counted as others; set *paths* for more."),
              self->beyond, self->most);
  }
  analysis_call_tree_give (self, self->n_seen > 0 && s != NULL ? MAX (self->date, s->last) : self->date);
  return true;
}

/* ---- the component ---------------------------------------------------------------------------------------------------- */

static void
call_tree_reset (EveComponent *c)
{
  CallTree *self = (CallTree *) c;

  for (uint32_t i = 0; i < self->n_stacks; i++)
    g_free (self->stacks[i].levels);
  g_clear_pointer (&self->stacks, g_free);
  stats_paths_clear (&self->paths);
  self->n_stacks = self->n_seen = self->n_calls = 0;
  g_array_set_size (self->counts, 0);
  g_hash_table_remove_all (self->group_of);
  g_ptr_array_set_size (self->groups, 0);
  g_byte_array_set_size (self->senses, 0);
  self->beyond = 0;
  self->date = INT64_MIN;
  self->source = self->paired = 0;
  self->wires = 0;
  self->told_tasks = false;
}

static bool
call_tree_init (EveComponent *c)
{
  CallTree *self = (CallTree *) c;

  self->counts = g_array_new (FALSE, FALSE, sizeof (Counts));
  self->groups = g_ptr_array_new_with_free_func (g_free);
  self->group_of = g_hash_table_new (g_str_hash, g_str_equal);
  self->senses = g_byte_array_new ();
  call_tree_reset (c);
  return true;
}

static void
call_tree_finish (EveComponent *c)
{
  CallTree *self = (CallTree *) c;

  call_tree_reset (c);
  g_array_unref (self->counts);
  g_hash_table_unref (self->group_of);
  g_ptr_array_unref (self->groups);
  g_byte_array_unref (self->senses);
  g_clear_pointer (&self->told, g_hash_table_unref);
}

static bool
call_tree_changed (EveComponent *c, uint32_t setting)
{
  CallTree *self = (CallTree *) c;

  g_clear_pointer (&self->told, g_hash_table_unref);
  self->told_outside = false;
  self->wires = 0;
  return (setting != FROM && setting != TO) || stats_dates_check (c, self->from_text, self->to_text);
}

static void
call_tree_save (EveComponent *c, EveBlob *to)
{
  const CallTree *self = (const CallTree *) c;

  eve_put_int (to, self->paths.n);
  for (uint32_t i = 0; i < self->paths.n; i++) {
    const StatsPath *p = path_at (self, i);
    eve_put_int (to, p->parent == NONE ? -1 : (int64_t) p->parent);
    eve_put_int (to, p->parent != NONE && p->label == OTHERS ? -1 : (int64_t) p->label);
    eve_put_int (to, counts_of (self, i)->spent);
    eve_put_int (to, counts_of (self, i)->visits);
    if (p->parent == NONE)
      eve_put_text (to, self->groups->pdata[p->label]);
  }
  eve_put_int (to, self->n_seen);
  for (uint32_t i = 0; i < self->n_seen; i++) {
    const Stack *t = &self->stacks[i];
    eve_put_int (to, t->left_out ? -2 : t->root == NONE ? -1 : (int64_t) t->root);
    eve_put_int (to, t->n);
    eve_put_int (to, t->since);
    for (uint32_t k = 0; k < t->n; k++) {
      eve_put_int (to, t->levels[k].state == NOTHING ? -1 : (int64_t) t->levels[k].state);
      eve_put_int (to, t->levels[k].path);
      eve_put_int (to, t->levels[k].due);
    }
  }
  eve_put_int (to, (int64_t) self->beyond);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
load_paths (CallTree *self, EveBlobView *from)
{
  int64_t n = eve_get_int (from);

  if (!eve_get_ok (from) || n < 0 || n > 2 * (int64_t) MOST_PATHS + MOST_GROUPS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t parent = eve_get_int (from), state = eve_get_int (from), spent = eve_get_int (from),
            visits = eve_get_int (from);
    if (!eve_get_ok (from) || parent < -1 || parent >= i || state < -1 || state > UINT16_MAX
        || (parent < 0 && state != self->groups->len))
      return false;
    uint32_t path = parent < 0 ? call_tree_add_group (self, eve_get_text (from))
                               : add_path (self, (uint32_t) parent, state < 0 ? OTHERS : (uint32_t) state);
    *counts_of (self, path) = (Counts){ spent, visits };
  }
  return true;
}

static bool
call_tree_load_stack (CallTree *self, Stack *t, EveBlobView *from)
{
  int64_t root = eve_get_int (from), n = eve_get_int (from);

  t->since = eve_get_int (from);
  if (!eve_get_ok (from) || root < -2 || root >= self->paths.n || n < 0 || n > MOST_DEPTH + 1 || (root < 0 && n > 0))
    return false;
  t->left_out = root == -2;
  t->root = root < 0 ? NONE : (uint32_t) root;
  for (int64_t k = 0; k < n; k++) {
    int64_t state = eve_get_int (from), path = eve_get_int (from), due = eve_get_int (from);
    if (!eve_get_ok (from) || state < -1 || state > UINT16_MAX || path < 0 || path >= self->paths.n)
      return false;
    make_room (t, (uint32_t) k + 1);
    t->n = (uint32_t) k + 1;
    t->levels[k] = (Level){ state < 0 ? NOTHING : (uint32_t) state, (uint32_t) path, due != 0 };
  }
  return true;
}

static bool
call_tree_load (EveComponent *c, EveBlobView *from)
{
  CallTree *self = (CallTree *) c;

  call_tree_reset (c);
  if (!load_paths (self, from))
    return false;
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  if (n > 0)
    call_tree_place_of (self, (uint32_t) n - 1);
  self->n_seen = (uint32_t) n;
  for (uint32_t i = 0; i < self->n_seen; i++)
    if (!call_tree_load_stack (self, &self->stacks[i], from))
      return false;
  self->beyond = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

/* Of a range, whose ends its settings say: a visit that is under way there is one of it. */
static void
call_tree_begin (EveComponent *c, int64_t date)
{
  CallTree *self = (CallTree *) c;

  call_tree_need_bound (self);
  if (date < self->from) /* it was to count later */
    return;
  for (uint32_t i = 0; i < self->n_stacks; i++) {
    Stack *t = &self->stacks[i];
    for (uint32_t depth = 0; !t->left_out && depth < t->n; depth++)
      if (t->levels[depth].state != NOTHING)
        call_tree_visit (self, t, depth);
  }
}

static const void *
call_tree_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { call_tree_begin, .by_settings = true };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass call_tree = {
  EVE_CLASS_HEAD,
  .id = "scope.call-tree",
  .label = "Call Tree",
  .category = "Analysis",
  .version = 2, /* 2: visits that count once there is time in them are saved */
  .doc = "How long tasks were in each call, for each way in which they got there: calls inside of calls.",
  .help =
      "Connect the output `calls` of a simulator whose states nest, and `tree` to a Tree (a flame graph, or a table "
      "that "
      "can be opened), a Table or a Data File.\n\n"
      "A row is a path: a call, inside of those above it.  *inclusive* is the time in it and in all that is inside of "
      "it, "
      "*exclusive* without that; *visits*, how often it was entered on this path, and *mean visit* the inclusive time "
      "of one.  A call that is inside of itself is a path of its own; in `regions`, which has a row for each call "
      "whatever it was called from, only the outermost counts as inclusive.  What a task is in outside of all calls is "
      "a row too, unless it rests there or is no more.  Of a task that two rows of the trace tell of, the calls of a "
      "thread "
      "beside its states, the time counts once: as that of its calls, and outside of these as that of its states.  "
      "*trees of* makes a tree for each type, host or task; *from* "
      "and "
      "*to* bound the time that counts, and a call as far as it lies between them, a visit where it begins there.\n\n"
      "It is of the instant at which time stands still, or of the end.  Calls that last count as far as they have "
      "come. "
      "Of more than *paths* ways the rest is called `others`, where it happens.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (CallTree),
  .init = call_tree_init,
  .finish = call_tree_finish,
  .reset = call_tree_reset,
  .changed = call_tree_changed,
  .fire = call_tree_fire,
  .fire_span = call_tree_fire_span,
  .at_end = call_tree_at_end,
  .at_rest = call_tree_at_rest,
  .save = call_tree_save,
  .load = call_tree_load,
  .query = call_tree_query,
};
EVE_PLUGIN (&call_tree);
