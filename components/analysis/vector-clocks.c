/* SPDX-License-Identifier: Apache-2.0 */
/* vector-clocks.c - dates by vectors (Fidge, Mattern): of each task's events how many each other task can know of, as
 * messages tell, and barriers, and who bore whom; what that says of one site of reference, whatever the clocks of the
 * machines show; and receives of "any" for which another message could have come. */
#include "eve/words.h"
#include "components/analysis/vector-clocks.h"

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of any trace, in order of date." },
};
static const EveOutSpec outs[] = {
  [OUT_TABLE] = { "table", &stats_type_table,
                  .doc =
                      "A row for each task: how many of its events came before the instant of the site of reference, "
                      "after it, or neither." },
  [OUT_ORDER] = { "order", &stats_type_datum, .capacity = 4096,
                  .doc = "Of each event, how many events of the site of reference came before it: its date as that "
                         "site has it." },
  [OUT_CONCURRENT] = { "concurrent", &stats_type_stretch, .capacity = 4 * MOST_TASKS, .per_fire = MOST_TASKS,
                       .doc =
                           "Of each other task, the stretch that is neither before nor after the instant of the site "
                           "of reference." },
  [OUT_RACES] = { "races", &stats_type_table,
                  .doc = "Receives of any sender that could have got another message than they got." },
  [OUT_IMPOSSIBLE] = { "impossible", &stats_type_table,
                       .doc = "Messages that were received before they were sent, and tasks that began before they "
                              "were born, as the clocks have it: these cannot be right." },
};
enum { REFERENCE, INSTANT };
static const EveField settings[] = {
  [REFERENCE] = { "reference", EVE_F_STRING, offsetof (VectorClocks, reference),
                  .doc = "The task whose order it is, by id or nickname; empty: the first one." },
  [INSTANT] = { "instant", EVE_F_STRING, offsetof (VectorClocks, instant_text), .unit = "s",
                .doc = "What is asked of is the last event of that task until this date; empty: until the present." },
};

/* ---- whom it is of --------------------------------------------------------------------------------------------------- */

static void
find_reference (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  self->n_looked = s ? s->tasks->len : 0;
  self->of = s && !*self->reference && s->tasks->len > 0 ? 0 : TRACE_NONE;
  for (uint32_t i = 0; s && *self->reference && i < s->tasks->len && self->of == TRACE_NONE; i++)
    if (strcmp (trace_task_id (s, i), self->reference) == 0 || strcmp (trace_task_name (s, i), self->reference) == 0)
      self->of = i;
}

/* A task may be named by the trace for the first time in its middle. */
static void
look_again (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  if (s && s->tasks->len != self->n_looked)
    find_reference (self);
}

static void
warn_of_reference (VectorClocks *self)
{
  if (self->warned || (self->of < MOST_TASKS && self->of != TRACE_NONE))
    return;
  self->warned = true;
  if (self->of == TRACE_NONE)
    eve_warn ((EveComponent *) self, _ ("No task is called “%s”."), self->reference);
  else
    eve_warn ((EveComponent *) self, _ ("Only the first %u tasks are kept apart; “%s” is none of them."), MOST_TASKS,
              trace_task_name (trace_source (self->source), self->of));
}

static uint32_t
vector_clocks_field_of (const TraceKind *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (k->fields[i].name, name) == 0)
      return i;
  return NO_FIELD;
}

void
vectors_bind (VectorClocks *self)
{
  const TraceSource *s = trace_source (self->source);

  g_clear_pointer (&self->kinds, g_free);
  trace_queues_clear (&self->queued);
  if (s)
    trace_queues_bind (&self->queued, s);
  self->n_kinds = s ? s->n_kinds : 0;
  self->kinds = g_new (KindOf, MAX (self->n_kinds, 1));
  self->asks = false;
  for (uint32_t i = 0; i < self->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    bool blocks;
    TraceCollective c = trace_collective (k, &blocks);
    uint16_t acts = trace_acts (k);
    uint32_t bears = vector_clocks_field_of (k, "spawned"), root = vector_clocks_field_of (k, "root");
    if (bears != NO_FIELD && (k->fields[bears].role != TRACE_ROLE_PEERS || acts & TRACE_ACT_SEND))
      bears = NO_FIELD;
    self->kinds[i] = (KindOf){ .acts = acts,
                               .meets = blocks && (c == TRACE_COLLECTIVE_BARRIER || c == TRACE_COLLECTIVE_ALL),
                               /* without a root the kind tells what one does by itself, as a broadcast of PVM: all
                                  others take part by receives */
                               .rooted = blocks && root != NO_FIELD && k->fields[root].role == TRACE_ROLE_PEER
                                                 && (c == TRACE_COLLECTIVE_FROM_ROOT || c == TRACE_COLLECTIVE_TO_ROOT)
                                             ? c
                                             : TRACE_COLLECTIVE_OTHER,
                               .rendezvous = (acts & TRACE_ACT_CALL) && (acts & TRACE_ACT_MEET),
                               .meeting = vector_clocks_field_of (k, "meeting"),
                               .asked_from = vector_clocks_field_of (k, "asked_from"),
                               .asked_tag = vector_clocks_field_of (k, "asked_tag"),
                               .bears = bears,
                               .expects = c == TRACE_COLLECTIVE_BARRIER ? vector_clocks_field_of (k, "count")
                                                                        : NO_FIELD };
    self->asks |= self->kinds[i].acts & TRACE_ACT_RECEIVE && self->kinds[i].asked_from != NO_FIELD;
  }
  self->instant = INT64_MIN;
  if (s && *self->instant_text && !trace_clock_typed (&s->clock, self->instant_text, &self->instant))
    eve_warn ((EveComponent *) self, _ ("“%s” is no date in seconds; the present is taken"), self->instant_text);
  find_reference (self);
}

/* ---- messages ---------------------------------------------------------------------------------------------------------- */

static guint
hash_flying (gconstpointer at)
{
  const Flying *f = at;

  return pair_hash_of ((uint64_t) f->from << 32 | f->to) ^ (guint) f->tag * 40503u ^ f->object << 20;
}

static gboolean
same_flying (gconstpointer a, gconstpointer b)
{
  const Flying *x = a, *y = b;

  return x->from == y->from && x->to == y->to && x->object == y->object && x->tag == y->tag;
}

static void
free_flying (Flying *f)
{
  g_free (f->known);
  g_free (f);
}

static void
free_chain (gpointer first)
{
  for (Flying *f = first, *next; f; f = next) {
    next = f->next;
    free_flying (f);
  }
}

static void
vector_clocks_let_go (VectorClocks *self, Flying *f)
{
  f->next = self->spare;
  self->spare = f;
}

static Flying *
take_flying (VectorClocks *self, uint32_t n)
{
  Flying *f = self->spare;

  if (f)
    self->spare = f->next;
  else
    f = g_new0 (Flying, 1);
  if (f->room < n) {
    g_free (f->known);
    f->room = MAX (n, 16);
    f->known = g_new (Known, f->room);
  }
  return f;
}

void
vectors_push (VectorClocks *self, Flying *f)
{
  Flying *first = g_hash_table_lookup (self->flying, f);

  f->next = NULL;
  f->last = f;
  self->n_flying++;
  if (!first) {
    g_hash_table_insert (self->flying, f, f);
    return;
  }
  first->last->next = f;
  first->last = f;
}

/* The oldest of a queue; NULL: there is none. */
static Flying *
pop (VectorClocks *self, const TraceQueue *q)
{
  const Flying key = { .from = q->from, .to = q->to, .object = q->object, .tag = q->tag };
  Flying *first = g_hash_table_lookup (self->flying, &key);

  if (!first)
    return NULL;
  g_hash_table_steal (self->flying, &key);
  if (first->next) {
    first->next->last = first->last;
    g_hash_table_insert (self->flying, first->next, first->next);
  }
  self->n_flying--;
  return first;
}

/* ---- what cannot be ------------------------------------------------------------------------------------------------ */

static void
note_impossible (VectorClocks *self, const Impossible *i)
{
  self->n_impossible++;
  if (self->impossible->len < MOST_IMPOSSIBLE)
    g_array_append_val (self->impossible, *i);
}

/* Whether a message that is sent now was received before. */
static bool
was_received (VectorClocks *self, const TraceEvent *e, const TraceQueue *q)
{
  for (guint i = 0; i < self->early->len; i++) {
    const Early *r = &g_array_index (self->early, Early, i);
    if (!trace_queue_is (&(TraceQueue){ r->from, r->to, r->object, r->tag }, q))
      continue;
    if (r->date < e->date)
      note_impossible (self, &(Impossible){ e->date, r->date, q->from, q->to, e->tag, false });
    g_array_remove_index (self->early, i);
    self->unsent--;
    return true;
  }
  return false;
}

static void
vector_clocks_send (VectorClocks *self, const TraceEvent *e, bool multicast)
{
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  for (uint32_t i = 0; i < n; i++) {
    if (!trace_reaches (e, multicast, to[i]) || to[i] >= MOST_TASKS)
      continue;
    const TraceQueue q = trace_queue (&self->queued, e, e->task, to[i]);
    if (G_UNLIKELY (self->early->len > 0) && was_received (self, e, &q))
      continue;
    if (self->n_flying >= MOST_FLYING) {
      self->lost++;
      continue;
    }
    Flying *f = take_flying (self, self->n_tasks);
    f->from = q.from;
    f->to = q.to;
    f->object = q.object;
    f->tag = q.tag;
    f->thread = -1;
    f->met = 0;
    f->n = self->n_tasks;
    memcpy (f->known, self->tasks[e->task].known, f->n * sizeof *f->known);
    vectors_push (self, f);
  }
}

/* ---- races --------------------------------------------------------------------------------------------------------------- */

/* A message that was sent without knowing of an earlier receive could have been what that one got, unless it was the
 * next of the same sender. */
void
vectors_look_for_races (const VectorClocks *self, const Flying *f, GArray *to, guint most)
{
  const Task *t = &self->tasks[f->to];
  int64_t knew = f->to < f->n ? f->known[f->to].events : 0;

  for (uint32_t i = t->n_open > MOST_OPEN ? t->n_open - MOST_OPEN : 0; i < t->n_open; i++) {
    const Open *o = &t->open[i % MOST_OPEN];
    if (knew >= o->event || o->from == f->from || (o->tag != -1 && o->tag != f->tag) || to->len >= most)
      continue;
    const Race r = { o->date, f->known[f->from].date, f->to, o->from, f->from, f->tag };
    g_array_append_val (to, r);
  }
}

/* -1 of a tag is any, and no task is any task. */
static void
vector_clocks_note_open (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  Task *t = &self->tasks[e->task];
  Open o = { t->known[e->task].events, e->date, e->peer, -1 };

  if (k->asked_from == NO_FIELD)
    return;
  TraceValue asked = trace_value (e, k->asked_from);
  if (asked.kind == TRACE_VALUE_TASK && asked.i != TRACE_NONE)
    return;
  TraceValue tag = k->asked_tag != NO_FIELD ? trace_value (e, k->asked_tag) : (TraceValue){ 0 };
  if (tag.kind == TRACE_VALUE_INT)
    o.tag = (int32_t) tag.i;
  t->open[t->n_open++ % MOST_OPEN] = o;
}

/* What one task can know of others, but of itself. */
void
vectors_learn (Known *mine, const Known *other, uint32_t n, uint32_t me)
{
  for (uint32_t i = 0; i < n; i++)
    if (i != me && other[i].events > mine[i].events)
      mine[i] = other[i];
}

static void
vector_clocks_receive (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  Known *mine = self->tasks[e->task].known;
  const TraceQueue q = trace_queue (&self->queued, e, e->peer, e->task);
  const TraceSource *s = trace_source (e->source);
  Flying *f = trace_has_no_send (s, e) ? NULL : pop (self, &q);

  if (!f) {
    const Early early = { q.from, q.to, q.object, q.tag, e->date };
    self->unsent++;
    if (s && trace_knows_early (s) && !trace_is_early (s, e, NULL)) /* its send was lost */
      return;
    if (self->early->len >= MOST_EARLY) /* those whose send nobody has recorded would be looked at for ever */
      g_array_remove_index (self->early, 0);
    g_array_append_val (self->early, early);
    return;
  }
  vectors_learn (mine, f->known, f->n, e->task);
  vectors_look_for_races (self, f, self->races, MOST_RACES);
  vector_clocks_note_open (self, e, k);
  vector_clocks_let_go (self, f);
}

/* ---- a rendezvous ------------------------------------------------------------------------------------------------------------ */

/* Who comes to one waits under a tag that no message has. */
static int32_t
tag_of_side (const TraceEvent *e, bool receives)
{
  return -2 - (int32_t) (2 * (e->object & 0x3fffffff) + receives);
}

/* Those of one side: the one with a number, the one of a thread that is not over, or the oldest that is not; NULL. */
static Flying *
of_side (const VectorClocks *self, uint32_t from, uint32_t to, int32_t tag, int64_t met, const int32_t *thread)
{
  const Flying key = { .from = from, .to = to, .object = TRACE_NONE, .tag = tag };

  for (Flying *f = g_hash_table_lookup (self->flying, &key); f; f = f->next)
    if (f->met == met && (!thread || f->thread == *thread))
      return f;
  return NULL;
}

static void
vector_clocks_take_away (VectorClocks *self, Flying *one)
{
  Flying *before = g_hash_table_lookup (self->flying, one);

  if (one == before) {
    const TraceQueue q = { one->from, one->to, one->object, one->tag };
    vector_clocks_let_go (self, pop (self, &q));
    return;
  }
  Flying *first = before;
  while (before->next != one)
    before = before->next;
  before->next = one->next;
  if (first->last == one)
    first->last = before;
  self->n_flying--;
  vector_clocks_let_go (self, one);
}

/* A thread comes to one at a time: what it still waited for over the same object it has given up. */
static void
comes_to (VectorClocks *self, const TraceEvent *e, bool receives)
{
  const int32_t tag = tag_of_side (e, receives), thread = e->tag;
  Flying *f = of_side (self, e->task, e->peer, tag, 0, &thread);

  if (f)
    vector_clocks_take_away (self, f);
  if (self->n_flying >= MOST_FLYING) {
    self->lost++;
    return;
  }
  f = take_flying (self, self->n_tasks);
  f->from = e->task;
  f->to = e->peer;
  f->object = TRACE_NONE;
  f->tag = tag;
  f->thread = thread;
  f->met = 0;
  f->n = self->n_tasks;
  memcpy (f->known, self->tasks[e->task].known, f->n * sizeof *f->known);
  vectors_push (self, f);
}

/* Both have come when one of them ends: it knows what the other knew when it came.  The second to end finds the other
 * by the number that both tell; the first finds who is there, and where several threads of the other are, the one that
 * came first: at least that much it knows. */
static void
vector_clocks_leaves (VectorClocks *self, const TraceEvent *e, const KindOf *k, bool receives)
{
  TraceValue n = k->meeting != NO_FIELD ? trace_value (e, k->meeting) : (TraceValue){ .kind = TRACE_VALUE_NONE };
  const int32_t thread = e->tag, other_side = tag_of_side (e, !receives);
  Flying *own = of_side (self, e->task, e->peer, tag_of_side (e, receives), 0, &thread), *other = NULL;
  bool met = !(e->flags & TRACE_UNFINISHED) && n.kind == TRACE_VALUE_INT && n.i > 0;

  if (met && (other = of_side (self, e->peer, e->task, other_side, n.i, NULL))) {
    vectors_learn (self->tasks[e->task].known, other->known, other->n, e->task);
    vector_clocks_take_away (self, other);
  } else if (met && (other = of_side (self, e->peer, e->task, other_side, 0, NULL))) {
    vectors_learn (self->tasks[e->task].known, other->known, other->n, e->task);
    if (own)
      own->met = n.i;
    return;
  }
  if (own)
    vector_clocks_take_away (self, own);
}

/* A call that looks for who would send knows of the one whom it finds. */
static void
finds (VectorClocks *self, const TraceEvent *e)
{
  const Flying *f = of_side (self, e->peer, e->task, tag_of_side (e, false), 0, NULL);

  if (f && e->result >= 0)
    vectors_learn (self->tasks[e->task].known, f->known, f->n, e->task);
}

static void
rendezvous (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  bool receives = k->acts & TRACE_ACT_RECEIVE, ends = e->flags & (TRACE_END | TRACE_INSTANT);

  if (e->peer >= MOST_TASKS || e->peer == e->task || e->object == TRACE_NONE)
    return;
  if (!(k->acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE))) {
    if (ends)
      finds (self, e);
    return;
  }
  if (!(e->flags & TRACE_END))
    comes_to (self, e, receives);
  if (ends)
    vector_clocks_leaves (self, e, k, receives);
}

/* ---- births and barriers --------------------------------------------------------------------------------------------------- */

/* Those that are born know what was known when they were asked for. */
static void
bear (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  TraceValue v = trace_value (e, k->bears);
  const Known *mine = self->tasks[e->task].known;

  for (uint32_t i = 0; v.kind == TRACE_VALUE_TASKS && i < v.n_tasks; i++) {
    uint32_t child = v.tasks[i];
    if (child >= MOST_TASKS || child == e->task || self->tasks[child].born)
      continue;
    if (self->tasks[child].known) {
      if (self->tasks[child].begun < e->date)
        note_impossible (self, &(Impossible){ e->date, self->tasks[child].begun, e->task, child, -1, true });
      continue;
    }
    self->tasks[child].born = g_memdup2 (mine, MOST_TASKS * sizeof *mine);
  }
}

static void
vector_clocks_free_group (gpointer at)
{
  Group *g = at;

  if (!g)
    return;
  g_free (g->all);
  g_free (g->parted);
  g_free (g->nth);
  for (uint32_t i = 0; i < MOST_ROOTED; i++)
    g_free (g->rooted[i].known);
  g_free (g);
}

Group *
vectors_group (VectorClocks *self, uint32_t object)
{
  if (object >= MOST_GROUPS)
    return NULL;
  if (object >= self->groups->len)
    g_ptr_array_set_size (self->groups, (gint) object + 1);
  if (!self->groups->pdata[object])
    self->groups->pdata[object] = g_new0 (Group, 1);
  return self->groups->pdata[object];
}

static void
come (VectorClocks *self, const TraceEvent *e, const KindOf *k)
{
  Task *t = &self->tasks[e->task];
  Group *g = vectors_group (self, e->object);
  TraceValue n = k->expects != NO_FIELD ? trace_value (e, k->expects) : (TraceValue){ 0 };

  if (!g)
    return;
  if (!g->all)
    g->all = g_new0 (Known, MOST_TASKS);
  vectors_learn (g->all, t->known, self->n_tasks, TRACE_NONE);
  g->come++;
  g->expected = n.kind == TRACE_VALUE_INT ? n.i : 0;
  t->meets = e->object + 1;
  t->meeting = g->meeting;
}

static void
vector_clocks_part (VectorClocks *self, const TraceEvent *e)
{
  Task *t = &self->tasks[e->task];
  Group *g = t->meets == e->object + 1 ? vectors_group (self, e->object) : NULL;

  t->meets = 0;
  if (!g || e->result < 0)
    return;
  if (t->meeting == g->meeting) {
    /* Where others meet than all, as their number tells, nothing is certain. */
    g_free (g->parted);
    g->parted = g_steal_pointer (&g->all);
    if (g->expected > 0 && g->expected != g->come)
      g_clear_pointer (&g->parted, g_free);
    g->come = 0;
    g->meeting++;
  }
  if (t->meeting == g->meeting - 1 && g->parted)
    vectors_learn (t->known, g->parted, self->n_tasks, e->task);
}

/* ---- the instant ----------------------------------------------------------------------------------------------------------- */

static void
give_stretch (VectorClocks *self, uint32_t task, int64_t to, int64_t date)
{
  Task *t = &self->tasks[task];
  int64_t from = self->then && self->then[task].events > 0 ? self->then[task].date : t->begun;

  if (task != self->of && t->known && !t->told && from < to) {
    StatsStretch out = { .from = from,
                         .to = to,
                         .date = MAX (date, to),
                         .kind = g_intern_static_string ("Concurrent"),
                         .owner = task,
                         .cause = self->of,
                         .source = self->source };
    eve_emit (self->base.out[OUT_CONCURRENT], &out);
  }
  t->told = true;
}

static void
take_instant (VectorClocks *self)
{
  g_free (self->then);
  self->then = g_memdup2 (self->tasks[self->of].known, MOST_TASKS * sizeof *self->then);
  for (uint32_t i = 0; i < self->n_tasks; i++)
    self->tasks[i].after = 0;
}

/* What was after it before it was known to be the last of its task until the instant. */
static void
pass_instant (VectorClocks *self)
{
  self->passed = true;
  for (uint32_t i = 0; i < self->n_tasks && self->then; i++)
    if (self->tasks[i].after > 0)
      give_stretch (self, i, self->tasks[i].after_at, self->date);
}

static void
follow_instant (VectorClocks *self, const TraceEvent *e)
{
  Task *t = &self->tasks[e->task];

  if (e->task == self->of && e->date <= self->instant) {
    take_instant (self);
    return;
  }
  if (!self->then || e->task == self->of || t->after > 0 || t->known[self->of].events < self->then[self->of].events)
    return;
  t->after = t->known[e->task].events;
  t->after_at = e->date;
  if (self->passed)
    give_stretch (self, e->task, e->date, e->date);
}

static void
give_order (VectorClocks *self, const TraceEvent *e)
{
  StatsDatum d = { .date = e->date,
                   .value.whole = self->of < MOST_TASKS ? self->tasks[e->task].known[self->of].events : 0,
                   .owner = e->task,
                   .owner_kind = STATS_OF_TASK,
                   .source = self->source,
                   .is_whole = 1 };

  eve_emit (self->base.out[OUT_ORDER], &d);
}

static void
vector_clocks_step (VectorClocks *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->source || !self->kinds)) {
    if (!stats_follow_trace ((EveComponent *) self, &self->source, e->source))
      return;
    vectors_bind (self);
  }
  self->date = e->date;
  self->n_events++;
  if (self->then && !self->passed && self->instant != INT64_MIN && e->date > self->instant)
    pass_instant (self);
  if (e->task >= MOST_TASKS || e->kind >= self->n_kinds) {
    self->beyond++;
    return;
  }
  Task *t = &self->tasks[e->task];
  const KindOf *k = &self->kinds[e->kind];
  if (!t->known) {
    t->known = t->born ? g_steal_pointer (&t->born) : g_new0 (Known, MOST_TASKS);
    t->begun = e->date;
  }
  self->n_tasks = MAX (self->n_tasks, e->task + 1);
  t->known[e->task].events++;
  t->known[e->task].date = e->date;
  if (G_UNLIKELY (k->rendezvous))
    rendezvous (self, e, k);
  else if (k->acts & TRACE_ACT_RECEIVE && e->flags & (TRACE_END | TRACE_INSTANT) && trace_received (e)
           && e->peer < MOST_TASKS)
    vector_clocks_receive (self, e, k);
  if (k->acts & TRACE_ACT_SEND && !(e->flags & TRACE_END) && !k->rendezvous)
    vector_clocks_send (self, e, k->acts & TRACE_ACT_MULTICAST);
  if (G_UNLIKELY (k->bears != NO_FIELD) && !(e->flags & TRACE_END))
    bear (self, e, k);
  if (k->meets && e->object != TRACE_NONE) {
    if (e->flags & TRACE_END)
      vector_clocks_part (self, e);
    else
      come (self, e, k);
  }
  if (k->rooted != TRACE_COLLECTIVE_OTHER && e->object != TRACE_NONE) {
    if (e->flags & TRACE_END)
      vectors_took_part (self, e, k->rooted);
    else
      vectors_take_part (self, e, k->rooted);
  }
  if (G_UNLIKELY (self->of == TRACE_NONE))
    look_again (self);
  if (self->instant != INT64_MIN && self->of < MOST_TASKS)
    follow_instant (self, e);
  if (eve_out_connected (self->base.out[OUT_ORDER]))
    give_order (self, e);
}

static void
vector_clocks_fire (EveComponent *c)
{
  vector_clocks_step ((VectorClocks *) c, eve_take (eve_base (c)->in[0]));
}

static bool
vector_clocks_at_rest (EveComponent *c, int64_t now)
{
  VectorClocks *self = (VectorClocks *) c;

  vectors_give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
vector_clocks_at_end (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;
  const TraceSource *s = trace_source (self->source);
  int64_t date = s ? MAX (self->date, s->last) : self->date;

  for (uint32_t i = 0; self->then && i < self->n_tasks; i++)
    if (self->tasks[i].known && !self->tasks[i].told)
      give_stretch (self, i, self->tasks[i].after > 0 ? self->tasks[i].after_at : date, date);
  if (self->source != 0)
    warn_of_reference (self);
  vectors_give (self, date);
  return true;
}

/* ---- the component --------------------------------------------------------------------------------------------------------------- */

void
vectors_reset (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  for (uint32_t i = 0; i < MOST_TASKS; i++) {
    g_free (self->tasks[i].known);
    g_free (self->tasks[i].born);
  }
  memset (self->tasks, 0, sizeof self->tasks);
  g_hash_table_remove_all (self->flying);
  free_chain (g_steal_pointer (&self->spare));
  g_ptr_array_set_size (self->groups, 0);
  g_array_set_size (self->races, 0);
  g_array_set_size (self->early, 0);
  g_array_set_size (self->impossible, 0);
  self->n_impossible = self->n_events = 0;
  g_clear_pointer (&self->known_races, g_array_unref);
  g_clear_pointer (&self->then, g_free);
  trace_queues_clear (&self->queued);
  g_clear_pointer (&self->kinds, g_free);
  self->n_kinds = self->n_tasks = self->n_flying = 0;
  self->lost = self->beyond = self->unsent = 0;
  self->of = TRACE_NONE;
  self->passed = self->asks = self->warned = false;
  self->n_looked = 0;
  self->instant = self->date = INT64_MIN;
  self->source = 0;
}

static bool
vector_clocks_init (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  self->flying = g_hash_table_new_full (hash_flying, same_flying, NULL, free_chain);
  self->races = g_array_new (FALSE, FALSE, sizeof (Race));
  self->early = g_array_new (FALSE, FALSE, sizeof (Early));
  self->impossible = g_array_new (FALSE, FALSE, sizeof (Impossible));
  self->groups = g_ptr_array_new_with_free_func (vector_clocks_free_group);
  vectors_reset (c);
  return true;
}

static void
vector_clocks_finish (EveComponent *c)
{
  VectorClocks *self = (VectorClocks *) c;

  vectors_reset (c);
  g_hash_table_unref (self->flying);
  g_array_unref (self->races);
  g_array_unref (self->early);
  g_array_unref (self->impossible);
  g_ptr_array_unref (self->groups);
}

/* Another reference is answered at once where it is asked of the present; an instant is looked for from the beginning.
 */
static bool
vector_clocks_changed (EveComponent *c, uint32_t setting)
{
  VectorClocks *self = (VectorClocks *) c;

  if (self->source != 0 && setting == REFERENCE)
    find_reference (self);
  return true;
}

static const EveClass vector_clocks = {
  EVE_CLASS_HEAD,
  .id = "scope.vector-clocks",
  .label = "Vector Clocks",
  .category = "Analysis",
  .version = 4, /* 2: barriers and births are saved; 3: what has a root, what is impossible; 4: groups of messages */
  .doc = "Dates by vectors: what came before, after, or neither, as one task of reference has it by messages, barriers "
         "and "
         "births, not by clocks; and races for a message.",
  .help =
      "Clocks of several machines may differ; what tasks tell each other does not.  Each event has a vector for its "
      "date: of "
      "how many events of each task it can know.  `table` says of each task how many of its events came before the "
      "last event of the task *reference* (until *instant*), after it, or *concurrent*: neither, whatever their "
      "dates are; `concurrent` to the input `waits` of Space-time shows these stretches.  `order` to a Curve is the "
      "date of each event as the reference has it.  `races` are receives of any sender for which another message "
      "was on its way as well: in another run they may get that one.\n\n"
      "`impossible` are messages that were received before they were sent, and tasks that began before they were born: "
      "there the clocks of two machines cannot both be right.\n\n"
      "What counts is what tasks can know of each other: by messages, by barriers and other operations in which all of "
      "a group wait for all, by what a root gives to its group (broadcast, scatter) or gets of it (gather, reduce), "
      "and "
      "as those that are born know what was before; at a rendezvous both know, when it is over, what the other knew "
      "when it came.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (VectorClocks),
  .init = vector_clocks_init,
  .finish = vector_clocks_finish,
  .reset = vectors_reset,
  .changed = vector_clocks_changed,
  .fire = vector_clocks_fire,
  .at_end = vector_clocks_at_end,
  .at_rest = vector_clocks_at_rest,
  .save = vectors_save,
  .load = vectors_load,
  .query = vectors_query,
};
EVE_PLUGIN (&vector_clocks);
