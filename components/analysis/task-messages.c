/* SPDX-License-Identifier: Apache-2.0 */
/* task-messages.c - the messages of one task, one by one, and of all tasks in figures (ParaGraph's Node Data). */
#include <glib.h>
#include <string.h>
#include "readers/counted.h"
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/moments.h"
#include "statistics/numbers.h"
#include "statistics/types.h"

#define MOST_TASKS (1u << 20)
#define MOST_KEPT 100000

typedef struct Sums { /* of a task */
  int64_t sent, received, sent_bytes, received_bytes, largest;
  StatsMoments transit; /* of what it received, s */
} Sums;

typedef struct TaskMessages {
  EveBase base;
  char *task; /* settings */
  int64_t last;
  StateMessage *kept;          /* the last of the task, a ring of `last` */
  uint32_t ring, n_kept, next; /* ring: how many have room */
  Sums *sums;                  /* by task */
  uint32_t n_sums, room;
  uint64_t seen, given;
  uint32_t of;       /* the task; TRACE_NONE: nobody yet */
  uint32_t n_looked; /* tasks of the trace among which it was looked for; no run state */
  int64_t date;
  uint16_t source;
  bool warned;
} TaskMessages;

static const EveInSpec ins[] = {
  { "messages", &state_type_message, .required = true, .doc = "Messages, when they are received, from a simulator." },
};
enum { TABLE, SENT, RECEIVED, TASKS };
static const EveOutSpec outs[] = {
  [TABLE] = { "table", &stats_type_table, .doc = "The last messages of the task, the newest first." },
  [SENT] = { "sent", &stats_type_datum, .unit = "B",
             .doc = "Bytes of each message that it has sent; whose: who got it." },
  [RECEIVED] = { "received", &stats_type_datum, .unit = "B",
                 .doc = "Bytes of each message that it has received; whose: who sent it." },
  [TASKS] = { "tasks", &stats_type_table, .doc = "A row for each task: messages and bytes that it sent and received." },
};
enum { TASK, LAST };
static const EveField settings[] = {
  [TASK] = { "task", EVE_F_STRING, offsetof (TaskMessages, task),
             .doc = "The task, by id or nickname; empty: who has sent the first message." },
  [LAST] = { "last", EVE_F_INT64, offsetof (TaskMessages, last), .min = 1, .max = MOST_KEPT, .def = 100,
             .doc = "How many of its last messages are kept for the table." },
};

static void
task_messages_reset (EveComponent *c)
{
  TaskMessages *self = (TaskMessages *) c;

  g_clear_pointer (&self->kept, g_free);
  g_clear_pointer (&self->sums, g_free);
  self->ring = self->n_kept = self->next = self->n_sums = self->room = self->n_looked = 0;
  self->seen = self->given = 0;
  self->of = TRACE_NONE;
  self->date = INT64_MIN;
  self->source = 0;
  self->warned = false;
}

static bool
task_messages_init (EveComponent *c)
{
  task_messages_reset (c);
  return true;
}

/* A task may be named by the trace for the first time in its middle. */
static void
task_messages_own_task (TaskMessages *self)
{
  const TraceSource *s = trace_source (self->source);

  if (!s || !*self->task || self->of != TRACE_NONE || s->tasks->len == self->n_looked)
    return;
  self->n_looked = s->tasks->len;
  for (uint32_t i = 0; i < s->tasks->len && self->of == TRACE_NONE; i++)
    if (strcmp (trace_task_id (s, i), self->task) == 0 || strcmp (trace_task_name (s, i), self->task) == 0)
      self->of = i;
}

static Sums *
sums_of (TaskMessages *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return NULL;
  if (task >= self->room) {
    uint32_t room = MAX (task + 1, 2 * self->room + 16);
    self->sums = g_renew (Sums, self->sums, room);
    memset (self->sums + self->room, 0, (room - self->room) * sizeof *self->sums);
    self->room = room;
  }
  self->n_sums = MAX (self->n_sums, task + 1);
  return &self->sums[task];
}

/* The oldest is 0. */
static const StateMessage *
kept_at (const TaskMessages *self, uint32_t i)
{
  return &self->kept[(self->next + self->ring - self->n_kept + i) % self->ring];
}

/* ---- what is given ---------------------------------------------------------------------------------------------------------- */

static const char *
task_messages_name_of (const TraceSource *s, uint32_t task)
{
  return s && trace_task (s, task) ? trace_task_name (s, task) : "?";
}

static void
give_messages (TaskMessages *self, const TraceSource *s)
{
  static const StatsColumn columns[] = {
    { "received", "s", STATS_CELL_DATE },
    { "sent", "s", STATS_CELL_DATE },
    { "it", NULL, STATS_CELL_TEXT, STATS_WORDS },
    { "with", NULL, STATS_CELL_TEXT },
    { "tag", NULL, STATS_CELL_WHOLE },
    { "bytes", "B", STATS_CELL_WHOLE },
    { "transit", "s", STATS_CELL_REAL },
  };
  g_autofree char *title = g_strdup_printf (_ ("Messages of %s"),
                                            self->of == TRACE_NONE ? self->task : task_messages_name_of (s, self->of));
  StatsTable *t = stats_table_new (g_intern_string (title), columns, EVE_N (columns), self->n_kept);

  t->date = self->date;
  t->source = self->source;
  for (uint32_t i = 0; i < self->n_kept; i++) {
    const StateMessage *m = kept_at (self, self->n_kept - 1 - i);
    bool sent = m->from == self->of;
    uint32_t with = sent ? m->to : m->from;
    stats_cell (t, i, 0)->whole = m->received;
    stats_cell (t, i, 1)->whole = m->sent;
    stats_table_set_text (t, i, 2, sent ? N_ ("sent to") : N_ ("got from"));
    stats_table_set_text (t, i, 3, task_messages_name_of (s, with));
    stats_table_set_owner (t, i, trace_ref_task (self->source, m->from), trace_ref_task (self->source, m->to));
    stats_cell (t, i, 4)->whole = m->tag;
    stats_cell (t, i, 5)->whole = m->size;
    if (m->sent != INT64_MIN && s)
      stats_cell (t, i, 6)->real = trace_clock_seconds (&s->clock, m->received - m->sent);
  }
  eve_emit_steal (self->base.out[TABLE], &t);
}

static void
task_messages_give_tasks (TaskMessages *self, const TraceSource *s)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },           { "sent", NULL, STATS_CELL_WHOLE },
    { "received", NULL, STATS_CELL_WHOLE },      { "bytes sent", "B", STATS_CELL_WHOLE },
    { "bytes received", "B", STATS_CELL_WHOLE }, { "largest", "B", STATS_CELL_WHOLE },
    { "mean transit", "s", STATS_CELL_REAL },    { "max transit", "s", STATS_CELL_REAL },
  };
  uint32_t n = 0;

  for (uint32_t i = 0; i < self->n_sums; i++)
    n += self->sums[i].sent > 0 || self->sums[i].received > 0;
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, EVE_N (columns), n);
  t->date = self->date;
  t->source = self->source;
  n = 0;
  for (uint32_t i = 0; i < self->n_sums; i++) {
    const Sums *u = &self->sums[i];
    if (u->sent <= 0 && u->received <= 0)
      continue;
    stats_table_set_name (t, n, 0, task_messages_name_of (s, i));
    stats_table_set_owner (t, n, trace_ref_task (self->source, i), (TraceRef){ 0 });
    stats_cell (t, n, 1)->whole = u->sent;
    stats_cell (t, n, 2)->whole = u->received;
    stats_cell (t, n, 3)->whole = u->sent_bytes;
    stats_cell (t, n, 4)->whole = u->received_bytes;
    stats_cell (t, n, 5)->whole = u->largest;
    stats_cell (t, n, 6)->real = stats_moments_mean (&u->transit);
    stats_cell (t, n, 7)->real = stats_moments_max (&u->transit);
    n++;
  }
  eve_emit_steal (self->base.out[TASKS], &t);
}

static void
task_messages_tell (TaskMessages *self)
{
  const TraceSource *s = trace_source (self->source);

  if (eve_out_connected (self->base.out[TABLE]))
    give_messages (self, s);
  if (eve_out_connected (self->base.out[TASKS]))
    task_messages_give_tasks (self, s);
}

/* ---- what comes -------------------------------------------------------------------------------------------------------------- */

static void
task_messages_keep (TaskMessages *self, const StateMessage *m)
{
  if (!self->kept) {
    self->ring = (uint32_t) self->last;
    self->kept = g_new (StateMessage, self->ring);
  }
  self->kept[self->next] = *m;
  self->n_kept = MIN (self->n_kept + 1, self->ring);
  self->next = (self->next + 1) % self->ring;
}

static void
give_number (TaskMessages *self, int out, const StateMessage *m, uint32_t whose)
{
  StatsDatum d = { .date = m->received,
                   .value.whole = m->size,
                   .is_whole = 1,
                   .unit = g_intern_static_string ("B"),
                   .owner = whose,
                   .owner_kind = STATS_OF_TASK,
                   .source = self->source };

  eve_emit (self->base.out[out], &d);
}

static void
task_messages_add_up (TaskMessages *self, const StateMessage *m)
{
  const TraceSource *s = m->sent != INT64_MIN ? trace_source (m->source) : NULL;
  int64_t size = CLAMP (m->size, 0, INT64_C (1) << 40); /* so that no sum overflows */
  Sums *u;

  if ((u = sums_of (self, m->from))) {
    u->sent++;
    u->sent_bytes += size;
    u->largest = MAX (u->largest, size);
  }
  if ((u = sums_of (self, m->to))) {
    u->received++;
    u->received_bytes += size;
    u->largest = MAX (u->largest, size);
    if (s)
      stats_moments_add (&u->transit, trace_clock_seconds (&s->clock, m->received - m->sent));
  }
}

static void
task_messages_take (TaskMessages *self, const StateMessage *m)
{
  if (G_UNLIKELY (m->source != self->source) && !stats_same_trace ((EveComponent *) self, &self->source, m->source))
    return;
  if (G_UNLIKELY (self->of == TRACE_NONE)) {
    if (!*self->task)
      self->of = m->from;
    else
      task_messages_own_task (self);
  }
  self->date = m->received;
  task_messages_add_up (self, m);
  if (self->of != TRACE_NONE && (m->from == self->of || m->to == self->of)) {
    task_messages_keep (self, m);
    if (m->from == self->of)
      give_number (self, SENT, m, m->to);
    if (m->to == self->of)
      give_number (self, RECEIVED, m, m->from);
  }
  if (number_table_is_due (++self->seen, 4096, self->n_sums + self->n_kept)) {
    self->given = self->seen;
    task_messages_tell (self);
  }
}

static void
task_messages_fire (EveComponent *c)
{
  task_messages_take ((TaskMessages *) c, eve_take (eve_base (c)->in[0]));
}

static void
task_messages_tell_status (TaskMessages *self)
{
  eve_status ((EveComponent *) self, _ ("%llu messages; the last %u of %s"), (unsigned long long) self->seen,
              self->n_kept,
              self->of == TRACE_NONE ? "?" : task_messages_name_of (trace_source (self->source), self->of));
}

static bool
task_messages_at_rest (EveComponent *c, int64_t now)
{
  TaskMessages *self = (TaskMessages *) c;

  if (self->given != self->seen) {
    task_messages_tell (self);
    task_messages_tell_status (self);
  }
  return true;
}

static bool
task_messages_at_end (EveComponent *c)
{
  TaskMessages *self = (TaskMessages *) c;

  task_messages_own_task (self); /* who sends and gets nothing is there all the same */
  if (*self->task && self->of == TRACE_NONE && self->source != 0 && !self->warned) {
    self->warned = true;
    eve_warn_missing (c, _ ("No task is called “%s”."), self->task);
  }
  if (self->given != self->seen || self->seen == 0)
    task_messages_tell (self);
  self->given = self->seen;
  task_messages_tell_status (self);
  return true;
}

/* What was kept is of the task that was asked of then. */
static bool
task_messages_changed (EveComponent *c, uint32_t setting)
{
  TaskMessages *self = (TaskMessages *) c;
  uint32_t n = MIN (self->n_kept, (uint32_t) self->last);
  g_autofree StateMessage *newest = g_new (StateMessage, n + 1);

  for (uint32_t i = 0; i < n; i++)
    newest[i] = *kept_at (self, self->n_kept - n + i);
  g_clear_pointer (&self->kept, g_free);
  self->ring = self->n_kept = self->next = 0;
  if (setting == TASK) {
    self->of = TRACE_NONE;
    self->n_looked = 0;
    task_messages_own_task (self);
  } else {
    for (uint32_t i = 0; i < n; i++)
      task_messages_keep (self, &newest[i]);
  }
  return true;
}

/* ---- run state --------------------------------------------------------------------------------------------------------------- */

static void
task_messages_save (EveComponent *c, EveBlob *to)
{
  const TaskMessages *self = (const TaskMessages *) c;

  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->of == TRACE_NONE ? -1 : (int64_t) self->of);
  eve_put_int (to, self->date);
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->n_kept);
  for (uint32_t i = 0; i < self->n_kept; i++) { /* the oldest first */
    const StateMessage *m = kept_at (self, i);
    eve_put_int (to, m->sent);
    eve_put_int (to, m->received);
    eve_put_int (to, m->size);
    eve_put_int (to, m->from);
    eve_put_int (to, m->to);
    eve_put_int (to, m->tag);
  }
  eve_put_int (to, self->n_sums);
  for (uint32_t i = 0; i < self->n_sums; i++) {
    const Sums *u = &self->sums[i];
    eve_put_int (to, u->sent);
    eve_put_int (to, u->received);
    eve_put_int (to, u->sent_bytes);
    eve_put_int (to, u->received_bytes);
    eve_put_int (to, u->largest);
    stats_moments_save (&u->transit, to);
  }
}

/* No sum overflows that comes to it. */
static bool
is_count (int64_t n)
{
  return n >= 0 && n <= INT64_MAX / 4;
}

static bool
task_messages_load (EveComponent *c, EveBlobView *from)
{
  TaskMessages *self = (TaskMessages *) c;

  task_messages_reset (c);
  self->source = trace_get_source (eve_program (c), from);
  int64_t of = eve_get_int (from);
  self->of = of < 0 || of > UINT32_MAX ? TRACE_NONE : (uint32_t) of;
  self->date = eve_get_int (from);
  self->seen = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > self->last)
    return false;
  for (int64_t i = 0; i < n; i++) {
    StateMessage m = { .sent = eve_get_int (from), .source = self->source };
    m.received = eve_get_int (from);
    m.size = eve_get_int (from);
    m.from = (uint32_t) eve_get_int (from);
    m.to = (uint32_t) eve_get_int (from);
    m.tag = (int32_t) eve_get_int (from);
    if (!eve_get_ok (from))
      return false;
    task_messages_keep (self, &m);
  }
  n = eve_get_int (from);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    Sums *u = sums_of (self, (uint32_t) i);
    u->sent = eve_get_int (from);
    u->received = eve_get_int (from);
    u->sent_bytes = eve_get_int (from);
    u->received_bytes = eve_get_int (from);
    u->largest = eve_get_int (from);
    stats_moments_load (&u->transit, from);
    if (!eve_get_ok (from) || !is_count (u->sent) || !is_count (u->received) || !is_count (u->sent_bytes)
        || !is_count (u->received_bytes))
      return false;
  }
  return eve_get_ok (from);
}

static const EveClass task_messages = {
  EVE_CLASS_HEAD,
  .id = "scope.task-messages",
  .label = "Messages of a Task",
  .category = "Analysis",
  .version = 1,
  .doc = "The last messages of one task one by one, and how many each task has sent and received.",
  .help =
      "Connect the output `messages` of a simulator: a message counts when its receive ends. `table` has the last "
      "messages of *task*, with whom, when, tag, size, time under way; `sent` and `received` are their sizes as they "
      "come, for a curve with a colour for each partner; `tasks` has a row for each task of the trace. Tables are of "
      "the instant that is looked at.\n\n"
      "Example: Messages of a Task to a table and to a curve is ParaGraph's Node Data.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (TaskMessages),
  .init = task_messages_init,
  .finish = task_messages_reset,
  .reset = task_messages_reset,
  .changed = task_messages_changed,
  .fire = task_messages_fire,
  .at_rest = task_messages_at_rest,
  .at_end = task_messages_at_end,
  .save = task_messages_save,
  .load = task_messages_load,
  .query = trace_counted_anew,
};
EVE_PLUGIN (&task_messages);
