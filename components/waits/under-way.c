/* SPDX-License-Identifier: Apache-2.0 */
/* under-way.c - what is under way, kept up with each event. */
#include <string.h>

#include "components/waits/under-way.h"
#include "readers/early.h"

/* Regions from here on are kinds of event: calls without a name of their own. */
#define KIND_REGION (INT64_C (1) << 40)
/* Groups of regions: types of states that the trace declares; then what names begin with; then categories of calls. */
#define PREFIX_GROUP (INT64_C (1) << 32)
#define OTHER_GROUP (INT64_C (1) << 33)
#define STATE_KEY (-1)       /* of what it is inside of that is no call: left by itself, */
#define SET_KEY (-2)         /* or around all others */
#define MOST (INT64_MAX / 4) /* no number of an execution is greater */

typedef struct UwKind {
  uint16_t acts;
  bool lasts, members, regions;
  uint32_t category; /* the first kind of the same */
  int received;      /* field that tells how much came, or -1 */
  bool notes;        /* what is done to a thing in one instant */
} UwKind;

/* ---- tables ------------------------------------------------------------------------------------------------------- */

static const struct {
  size_t bytes;
  uint32_t n_key;
} layouts[UW_N] = {
  [UW_TASKS] = { sizeof (UwTask), 1 },      [UW_FRAMES] = { sizeof (UwFrame), 2 },
  [UW_TIMES] = { sizeof (UwTime), 2 },      [UW_QUEUES] = { sizeof (UwQueue), 4 },
  [UW_GROUPS] = { sizeof (UwGroup), 1 },    [UW_COUNTS] = { sizeof (UwCount), 2 },
  [UW_OPEN] = { sizeof (UwOpen), 1 },       [UW_INSTANCES] = { sizeof (UwInstance), 2 },
  [UW_OBJECTS] = { sizeof (UwObject), 2 },  [UW_KEYS] = { sizeof (UwKey), 2 },
  [UW_BETWEEN] = { sizeof (UwBetween), 4 },
};

void
uw_init (UnderWay *u)
{
  for (int i = 0; i < UW_N; i++)
    table_init (&u->tables[i], layouts[i].bytes, layouts[i].n_key);
}

static void
unbind (UnderWay *u)
{
  g_clear_pointer (&u->kinds, g_free);
  trace_queues_clear (&u->queues);
  g_clear_pointer (&u->region_groups, g_free);
  u->n_kinds = u->n_regions = 0;
  u->source = NULL;
}

void
uw_clear (UnderWay *u)
{
  unbind (u);
  g_clear_pointer (&u->prefixes, g_strfreev);
  g_clear_pointer (&u->otherwise, g_free);
  for (int i = 0; i < UW_N; i++)
    table_clear (&u->tables[i]);
}

void
uw_reset (UnderWay *u)
{
  unbind (u);
  for (int i = 0; i < UW_N; i++)
    table_empty (&u->tables[i]);
  u->last = u->n_events = 0;
}

/* The row with this key, which is made if there is none. */
static void *
under_way_row (UnderWay *u, int table, const int64_t *key)
{
  Table *t = &u->tables[table];
  return table_at (t, table_find_or_add (t, key, NULL));
}

static void *
there (const UnderWay *u, int table, const int64_t *key)
{
  int64_t i = table_find (&u->tables[table], key);

  return i < 0 ? NULL : table_at (&u->tables[table], i);
}

static void
under_way_drop (UnderWay *u, int table, const int64_t *key)
{
  table_drop (&u->tables[table], table_find (&u->tables[table], key));
}

static UwTask *
under_way_task_of (UnderWay *u, uint32_t task)
{
  const int64_t key = task;

  return under_way_row (u, UW_TASKS, &key);
}

static int64_t
under_way_between (int64_t from, int64_t to)
{
  return (int64_t) ((uint64_t) to - (uint64_t) from);
}

/* Adds the time between two dates, whatever a damaged run state has left there. */
static void
under_way_add_time (int64_t *ticks, int64_t from, int64_t to)
{
  *ticks = trace_sum (*ticks, under_way_between (from, to));
}

/* ---- kinds and groups of regions ------------------------------------------------------------------------------------ */

void
uw_bind (UnderWay *u, const TraceSource *s)
{
  unbind (u);
  u->source = s;
  trace_queues_bind (&u->queues, s);
  u->n_kinds = s->n_kinds;
  u->kinds = g_new0 (UwKind, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    UwKind *to = &u->kinds[i];
    to->acts = trace_acts (k);
    to->lasts = !k->instant;
    to->received = -1;
    bool thing = false, value = false;
    while (strcmp (s->kinds[to->category].category, k->category) != 0)
      to->category++;
    for (uint32_t f = 0; f < k->n_fields; f++) {
      to->regions |= k->fields[f].role == TRACE_ROLE_REGION;
      to->members |= k->fields[f].role == TRACE_ROLE_PEERS && strcmp (k->fields[f].name, "members") == 0;
      if (k->fields[f].role == TRACE_ROLE_INT && strcmp (k->fields[f].name, "received") == 0)
        to->received = (int) f;
      thing |= k->fields[f].role == TRACE_ROLE_OBJECT;
      value |= k->fields[f].role == TRACE_ROLE_VALUE || k->fields[f].role == TRACE_ROLE_WORD;
    }
    to->notes = k->instant && to->acts == TRACE_ACT_MARK && thing && !value && !to->members;
  }
}

void
uw_groups (UnderWay *u, const char *text, const char *otherwise)
{
  g_auto (GStrv) parts = g_strsplit (text ? text : "", ";", -1);
  GPtrArray *pairs = g_ptr_array_new ();

  for (char **part = parts; *part; part++) {
    char *equals = strchr (*part, '=');
    if (!equals)
      continue;
    *equals = '\0';
    g_ptr_array_add (pairs, g_strdup (g_strstrip (*part)));
    g_ptr_array_add (pairs, g_strdup (g_strstrip (equals + 1)));
  }
  u->n_prefixes = pairs->len / 2;
  g_ptr_array_add (pairs, NULL);
  g_strfreev (u->prefixes);
  u->prefixes = (char **) g_ptr_array_free (pairs, FALSE);
  g_free (u->otherwise);
  u->otherwise = g_strdup (otherwise);
  g_clear_pointer (&u->region_groups, g_free);
  u->n_regions = 0;
}

/* Groups of one name are one: the first. */
static int64_t
group_called (const UnderWay *u, const char *name)
{
  for (uint32_t i = 0; i < u->source->types->len; i++) {
    const TraceType *t = u->source->types->pdata[i];
    if (t->kind == TRACE_STATES && strcmp (t->name, name) == 0)
      return i;
  }
  for (uint32_t i = 0; i < u->n_prefixes; i++)
    if (strcmp (u->prefixes[2 * i + 1], name) == 0)
      return PREFIX_GROUP + i;
  return OTHER_GROUP;
}

/* What the trace says of a region decides first; of one that it puts in no group, how its name begins: the longest. */
static int64_t
under_way_find_group (const UnderWay *u, uint32_t object)
{
  const TraceObject *o = u->source->objects->pdata[object];
  const TraceType *t = o->type < u->source->types->len ? u->source->types->pdata[o->type] : NULL;
  size_t most = 0;
  const char *best = NULL;

  if (t && t->kind == TRACE_STATES && strcmp (t->name, u->otherwise) != 0)
    return group_called (u, t->name);
  for (uint32_t i = 0; i < u->n_prefixes; i++)
    if (g_str_has_prefix (o->id, u->prefixes[2 * i]) && strlen (u->prefixes[2 * i]) >= MAX (most, 1)) {
      most = strlen (u->prefixes[2 * i]);
      best = u->prefixes[2 * i + 1];
    }
  return group_called (u, best ? best : u->otherwise);
}

int64_t
uw_group_of (UnderWay *u, int64_t region)
{
  if (region >= KIND_REGION && region - KIND_REGION < u->n_kinds)
    return OTHER_GROUP + 1 + u->kinds[region - KIND_REGION].category;
  if (region < 0 || region >= u->source->objects->len)
    return OTHER_GROUP;
  if (G_UNLIKELY (region >= u->n_regions)) {
    uint32_t n = u->source->objects->len;
    u->region_groups = g_renew (int64_t, u->region_groups, n);
    memset (u->region_groups + u->n_regions, 0, (n - u->n_regions) * sizeof *u->region_groups);
    u->n_regions = n;
  }
  if (u->region_groups[region] == 0)
    u->region_groups[region] = under_way_find_group (u, (uint32_t) region) + 1;
  return u->region_groups[region] - 1;
}

const char *
uw_group_name (const UnderWay *u, int64_t group)
{
  const TraceSource *s = u->source;

  if (group >= 0 && group < s->types->len)
    return ((const TraceType *) s->types->pdata[group])->name;
  if (group >= PREFIX_GROUP && group < PREFIX_GROUP + u->n_prefixes)
    return u->prefixes[2 * (group - PREFIX_GROUP) + 1];
  if (group > OTHER_GROUP && group - OTHER_GROUP - 1 < s->n_kinds)
    return s->kinds[group - OTHER_GROUP - 1].category;
  return u->otherwise;
}

const char *
uw_kind_name (const UnderWay *u, int64_t kind)
{
  return kind >= 0 && kind < u->source->n_kinds ? u->source->kinds[kind].name : "?";
}

const char *
uw_region_name (const UnderWay *u, int64_t region)
{
  if (region >= KIND_REGION)
    return uw_kind_name (u, region - KIND_REGION);
  return region >= 0 && region < u->source->objects->len ? trace_object_id (u->source, (uint32_t) region) : "";
}

/* ---- regions ----------------------------------------------------------------------------------------------------------- */

static UwFrame *
frame (const UnderWay *u, int64_t task, int64_t number)
{
  const int64_t key[] = { task, number };

  return number >= 0 ? there (u, UW_FRAMES, key) : NULL;
}

const UwFrame *
uw_innermost (const UnderWay *u, const UwTask *t)
{
  return t->depth > 0 ? frame (u, t->task, t->top) : NULL;
}

static UwTime *
time_in (UnderWay *u, int64_t task, int64_t region)
{
  const int64_t key[] = { task, uw_group_of (u, region) };

  return under_way_row (u, UW_TIMES, key);
}

/* What the task was in until now is counted. */
static void
under_way_spend (UnderWay *u, uint32_t task, int64_t date)
{
  UwTask *t = under_way_task_of (u, task);
  const UwFrame *f = uw_innermost (u, t);

  if (f)
    under_way_add_time (&time_in (u, task, f->region)->ticks, t->since, date);
  t->since = date;
}

static void
under_way_enter (UnderWay *u, const TraceEvent *e, int64_t region, int64_t key)
{
  under_way_spend (u, e->task, e->date);
  UwTask *t = under_way_task_of (u, e->task);
  const int64_t number = t->n_frames++, outer = t->depth++ > 0 ? t->top : -1;
  const int64_t at[] = { e->task, number }, by[] = { e->task, key };
  t->top = number;
  UwFrame *around = frame (u, e->task, outer);
  if (around)
    around->inner = number;
  bool is_first;
  UwKey *k = table_at (&u->tables[UW_KEYS], table_find_or_add (&u->tables[UW_KEYS], by, &is_first));
  UwFrame *f = under_way_row (u, UW_FRAMES, at);
  f->region = region;
  f->key = key;
  f->enter = e->date;
  f->outer = outer;
  f->inner = -1;
  f->same = is_first ? -1 : k->number;
  k->number = number;
  time_in (u, e->task, region)->visits++;
}

/* One that a task is inside of ends, by itself: what was begun in it goes on.  It is the innermost with its key. */
static void
take_out (UnderWay *u, UwTask *t, const UwFrame *f)
{
  const int64_t at[] = { f->task, f->number }, by[] = { f->task, f->key };
  UwFrame *outer = frame (u, f->task, f->outer), *inner = frame (u, f->task, f->inner);
  UwKey *k = there (u, UW_KEYS, by);

  if (inner)
    inner->outer = f->outer;
  else
    t->top = f->outer;
  if (outer)
    outer->inner = f->inner;
  if (k && f->same >= 0)
    k->number = f->same;
  else if (k)
    under_way_drop (u, UW_KEYS, by);
  under_way_drop (u, UW_FRAMES, at);
  if (--t->depth == 0)
    t->n_frames = 0;
}

/* All that it is inside of. */
static void
under_way_leave_all (UnderWay *u, const TraceEvent *e)
{
  const UwFrame *f;

  if (under_way_task_of (u, e->task)->depth <= 0)
    return;
  under_way_spend (u, e->task, e->date);
  UwTask *t = under_way_task_of (u, e->task);
  while ((f = uw_innermost (u, t)))
    take_out (u, t, f);
}

/* The innermost with this key: the call of a record, or a state. */
static void
under_way_leave (UnderWay *u, const TraceEvent *e, int64_t key)
{
  const UwFrame *top = uw_innermost (u, under_way_task_of (u, e->task));
  const int64_t by[] = { e->task, top && top->key == SET_KEY && key == STATE_KEY ? SET_KEY : key };
  const UwKey *k = there (u, UW_KEYS, by);

  if (!k || !frame (u, e->task, k->number))
    return;
  under_way_spend (u, e->task, e->date);
  take_out (u, under_way_task_of (u, e->task), frame (u, e->task, k->number));
}

static void
under_way_set_state (UnderWay *u, const TraceEvent *e)
{
  const TraceObject *o = e->object < u->source->objects->len ? u->source->objects->pdata[e->object] : NULL;
  const TraceType *type = o && o->type < u->source->types->len ? u->source->types->pdata[o->type] : NULL;

  if (!type || type->kind != TRACE_STATES)
    return;
  under_way_leave_all (u, e);
  if (type->object != e->object)
    under_way_enter (u, e, e->object, SET_KEY);
}

static void
regions (UnderWay *u, const TraceEvent *e, const UwKind *k, bool begins, bool ends)
{
  if (begins && k->acts & TRACE_ACT_CALL)
    under_way_enter (u, e, k->regions && e->object != TRACE_NONE ? e->object : KIND_REGION + e->kind,
                     (int64_t) e->record);
  if (ends && k->acts & TRACE_ACT_CALL)
    under_way_leave (u, e, (int64_t) e->record);
  if (k->acts & TRACE_ACT_ENTER)
    under_way_enter (u, e, e->object, STATE_KEY);
  if (k->acts & TRACE_ACT_LEAVE)
    under_way_leave (u, e, STATE_KEY);
  if (k->acts & TRACE_ACT_SET)
    under_way_set_state (u, e);
  if (k->acts & TRACE_ACT_DEATH)
    under_way_leave_all (u, e);
}

int64_t
uw_ticks (UnderWay *u, const UwTime *t)
{
  const UwTask *task = there (u, UW_TASKS, &t->task);
  const UwFrame *f = task ? uw_innermost (u, task) : NULL;

  return t->ticks + (f && uw_group_of (u, f->region) == t->group ? under_way_between (task->since, u->last) : 0);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

static void
on_way (UnderWay *u, const TraceEvent *e, uint32_t from, uint32_t to, int n)
{
  const TraceQueue of = trace_queue (&u->queues, e, from, to);
  const int64_t key[] = { of.from, of.to, of.object, of.tag };
  UwQueue *q = under_way_row (u, UW_QUEUES, key);

  if (q->n == 0)
    q->since = e->date;
  under_way_task_of (u, from)->on_way += MAX (q->n + n, 0) - MAX (q->n, 0);
  q->n += n;
  q->bytes += n * TRACE_SIZE (e);
  if (q->n == 0)
    under_way_drop (u, UW_QUEUES, key);
}

static UwBetween *
uw_messages_between (UnderWay *u, const TraceEvent *e, uint32_t from, uint32_t to)
{
  const TraceQueue of = trace_queue (&u->queues, e, from, to);
  const int64_t key[] = { of.from, of.to, of.object, of.tag }, others[] = { of.from, of.to, UW_OTHERS, UW_OTHERS };
  UwBetween *b = there (u, UW_BETWEEN, key);

  return b ? b : under_way_row (u, UW_BETWEEN, u->tables[UW_BETWEEN].n_used < UW_MOST_BETWEEN ? key : others);
}

static void
under_way_send (UnderWay *u, const TraceEvent *e, const UwKind *k)
{
  bool multicast = k->acts & TRACE_ACT_MULTICAST;
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  for (uint32_t i = 0; i < n; i++)
    if (trace_reaches (e, multicast, to[i])) {
      UwTask *t = under_way_task_of (u, e->task);
      t->sent++;
      t->bytes_sent += TRACE_SIZE (e);
      UwBetween *b = uw_messages_between (u, e, e->task, to[i]);
      b->sent++;
      b->bytes_sent += TRACE_SIZE (e);
      on_way (u, e, e->task, to[i], 1);
    }
}

static void
under_way_receive (UnderWay *u, const TraceEvent *e)
{
  const TraceQueue of = trace_queue (&u->queues, e, e->peer, e->task);
  const int64_t key[] = { of.from, of.to, of.object, of.tag };
  const TraceSource *s = trace_source (e->source);
  const UwQueue *q = there (u, UW_QUEUES, key);
  UwTask *t = under_way_task_of (u, e->task);

  t->received++;
  t->bytes_received += TRACE_SIZE (e);
  UwBetween *b = uw_messages_between (u, e, e->peer, e->task);
  b->received++;
  b->bytes_received += TRACE_SIZE (e);
  bool lost = s && trace_knows_early (s) && !trace_is_early (s, e, NULL)
              && (!q || q->n <= 0 || trace_has_no_send (s, e)); /* its send was */
  if (!lost)
    on_way (u, e, e->peer, e->task, -1);
}

/* ---- operations of groups ---------------------------------------------------------------------------------------------------- */

static UwGroup *
under_way_group_of (UnderWay *u, uint32_t object)
{
  const int64_t key = object;
  UwGroup *g = there (u, UW_GROUPS, &key);

  if (!g) {
    g = under_way_row (u, UW_GROUPS, &key);
    g->size = -1;
  }
  return g;
}

static void
under_way_members (UnderWay *u, const TraceEvent *e)
{
  UwGroup *g = under_way_group_of (u, e->object);
  uint32_t n = 0;

  trace_list (e, &n);
  g->size = MAX (g->size, 0) + n;
}

/* The k-th that each member begins is the same one; gives k. */
static int64_t
under_way_begin_together (UnderWay *u, const TraceEvent *e)
{
  const int64_t of[] = { e->object, e->task };
  UwCount *c = under_way_row (u, UW_COUNTS, of);
  const int64_t key[] = { e->object, c->n++ };
  UwGroup *g = under_way_group_of (u, e->object);

  g->inside++;
  under_way_task_of (u, e->task)->inside++;
  if (g->size < 0)
    return key[1];
  bool is_new = !there (u, UW_INSTANCES, key);
  UwInstance *i = under_way_row (u, UW_INSTANCES, key);
  if (is_new) {
    i->kind = e->kind;
    i->since = e->date;
    g->begun++;
  } else if (i->kind != e->kind && !i->mixed) {
    i->mixed = 1;
    g->mixed++;
  }
  i->n_begun++;
  return key[1];
}

static void
end_together (UnderWay *u, const TraceEvent *e, const UwKind *k, int64_t number)
{
  const int64_t key[] = { e->object, number };
  UwGroup *g = under_way_group_of (u, e->object);
  UwInstance *i = there (u, UW_INSTANCES, key);

  g->inside--;
  g->given += TRACE_SIZE (e);
  if (k->received >= 0)
    g->got += trace_value (e, (uint32_t) k->received).i;
  under_way_task_of (u, e->task)->inside--;
  if (!i || ++i->n_ended < g->size)
    return;
  g->done += !i->mixed;
  under_way_drop (u, UW_INSTANCES, key);
}

/* ---- what is asked for in one record and complete in another --------------------------------------------------------------------- */

static int64_t *
open_of (UnderWay *u, uint32_t task, const UwKind *k)
{
  UwTask *t = under_way_task_of (u, task);

  return k->acts & TRACE_ACT_SEND      ? &t->open_sends
         : k->acts & TRACE_ACT_RECEIVE ? &t->open_receives
                                       : &t->open_accesses;
}

static bool
is_access (const TraceEvent *e, const UwKind *k)
{
  return !(k->acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_COLLECTIVE)) && e->object != TRACE_NONE;
}

static void
action_begins (UnderWay *u, const TraceEvent *e, const UwKind *k)
{
  const int64_t key = (int64_t) e->record;
  int64_t number = k->acts & TRACE_ACT_COLLECTIVE ? under_way_begin_together (u, e) : 0;
  UwOpen *o = under_way_row (u, UW_OPEN, &key);

  *o = (UwOpen){ key,    e->task,        e->kind, e->object, e->peer == TRACE_NONE ? -1 : (int64_t) e->peer,
                 e->tag, TRACE_SIZE (e), e->date, number };
  if (k->acts & TRACE_ACT_COLLECTIVE)
    return;
  ++*open_of (u, e->task, k);
  if (is_access (e, k)) {
    const int64_t of[] = { e->object, e->kind };
    UwObject *x = under_way_row (u, UW_OBJECTS, of);
    x->n++;
    x->open++;
  }
}

static void
action_ends (UnderWay *u, const TraceEvent *e, const UwKind *k)
{
  const int64_t key = (int64_t) e->record;
  const UwOpen *there_is = there (u, UW_OPEN, &key);

  if (!there_is)
    return;
  UwOpen o = *there_is;
  under_way_drop (u, UW_OPEN, &key);
  if (k->acts & TRACE_ACT_COLLECTIVE) {
    end_together (u, e, k, o.number);
    return;
  }
  --*open_of (u, e->task, k);
  if (is_access (e, k)) {
    const int64_t of[] = { e->object, e->kind };
    UwObject *x = under_way_row (u, UW_OBJECTS, of);
    x->open--;
    x->bytes += TRACE_SIZE (e);
    under_way_add_time (&x->ticks, o.since, e->date);
  }
}

/* What is done to a thing in one instant: a file is opened, a lock is had, a task of a team begins. */
static void
noted (UnderWay *u, const TraceEvent *e)
{
  const TraceObject *o = e->object < u->source->objects->len ? u->source->objects->pdata[e->object] : NULL;
  const int64_t of[] = { e->object, e->kind };

  if (o && o->type == TRACE_NONE) /* else it is a state, or stands for a type */
    ((UwObject *) under_way_row (u, UW_OBJECTS, of))->n++;
}

void
uw_event (UnderWay *u, const TraceEvent *e)
{
  const UwKind *k = e->kind < u->n_kinds ? &u->kinds[e->kind] : NULL;
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);

  u->n_events++;
  u->last = e->date;
  if (G_UNLIKELY (!k))
    return;
  regions (u, e, k, begins, ends);
  if (begins && k->acts & TRACE_ACT_SEND)
    under_way_send (u, e, k);
  if (k->members && begins)
    under_way_members (u, e);
  bool is_action = k->lasts && !(e->flags & TRACE_INSTANT)
                   && (!(k->acts & TRACE_ACT_CALL) || k->acts & TRACE_ACT_COLLECTIVE);
  if (is_action && begins)
    action_begins (u, e, k);
  if (ends && k->acts & TRACE_ACT_RECEIVE && trace_received (e))
    under_way_receive (u, e);
  if (is_action && ends)
    action_ends (u, e, k);
  if (k->notes)
    noted (u, e);
}

/* ---- run state ---------------------------------------------------------------------------------------------------------------------- */

void
uw_save (const UnderWay *u, EveBlob *to)
{
  eve_put_int (to, u->last);
  eve_put_int (to, u->n_events);
  for (int i = 0; i < UW_N; i++)
    table_save (&u->tables[i], to);
}

/* Depths of tasks are those of their frames; else a saved state could say that a task is inside of what is not there.
 */
static bool
sound (const UnderWay *u)
{
  const Table *tasks = &u->tables[UW_TASKS];
  int64_t depths = 0;

  for (int64_t i = 0; i < tasks->n; i++) {
    const UwTask *t = table_at (tasks, i);
    if (!table_uses (tasks, i))
      continue;
    if (t->depth < 0 || t->depth > u->tables[UW_FRAMES].n || t->task < 0 || t->task > UINT32_MAX)
      return false;
    depths += t->depth;
  }
  return depths == u->tables[UW_FRAMES].n_used;
}

/* No execution has such numbers, and what is added to them might not fit. */
static bool
is_small (const Table *t)
{
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t *row = table_at (t, i);
    for (uint32_t k = 0; k < t->width; k++)
      if (row[k] < -MOST || row[k] > MOST)
        return false;
  }
  return true;
}

bool
uw_load (UnderWay *u, EveBlobView *from)
{
  u->last = eve_get_int (from);
  u->n_events = eve_get_int (from);
  for (int i = 0; i < UW_N; i++)
    if (!table_load (&u->tables[i], from) || !is_small (&u->tables[i]))
      return false;
  return eve_get_ok (from) && u->n_events >= 0 && u->n_events <= MOST && sound (u);
}
