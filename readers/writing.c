/* SPDX-License-Identifier: Apache-2.0 */
/* writing.c - what happens in a trace, told to whoever writes it in another format. */
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/early.h"
#include "readers/name-table.h"
#include "readers/pair.h"
#include "readers/untold.h"
#include "readers/writing.h"

#define BATCH 1024

#define DECLARED UINT32_MAX    /* group of declared states */
#define ALONE (UINT32_MAX - 1) /* of one that was set, for writers that know only `enter` and `leave` */
#define MOST_AGAIN 256         /* that are left and entered again for one around them that ends */

typedef struct Frame { /* what a task is inside of */
  struct Frame *outer, *inner;
  struct Frame *alike; /* of one that is deep: the next one further out of its group that is deep, too */
  uint64_t record;     /* of the call; declared states have none */
  uint32_t state, group;
  bool over; /* it has ended, but not those inside of it */
} Frame;

/* All that a task is inside of.  Those that have MOST_AGAIN or more inside of them are deep: they stay until these are
 * left, and are found by what is kept of them, all others by looking at each. */
typedef struct Inside {
  Frame *innermost, *outermost, *deepest; /* the innermost of those that are deep; or NULL */
  guint n;
  GHashTable *calls;  /* record -> that of the call which is deep and not over; or NULL: none has been deep yet */
  GHashTable *groups; /* group -> the innermost of it that is deep; those that are over may be among them */
} Inside;

typedef struct Kind {
  uint16_t acts;
  uint32_t group; /* calls of one category end each other */
  uint32_t state; /* + 1; 0: not known yet */
  int word;       /* field that names a phase, or -1 */
  int text;       /* field that says what a mark is, or -1 */
  bool regions;   /* the object names the state */
  bool members;   /* it tells the members of its object */
  bool flows;     /* it tells what led to what: its task waits in calls of communication alone */
  bool awaited;   /* it notes for whom a call has waited */
} Kind;

typedef struct Writing {
  TraceWriting base;
  uint8_t *told; /* trace_types_told (); NULL: not asked yet */
  const TraceWriter *w;
  Kind *kinds;
  NameTable *names;   /* state -> number */
  GArray *of_objects; /* uint32_t, by object: its state + 1 */
  GArray *is_there;   /* uint8_t, by task: 0 not yet told, 1 there, 2 dead */
  GPtrArray *inside;  /* by task: Inside, or NULL */
  Frame *spare;       /* for new ones: the next is `outer` */
  TraceQueues queues;
  GHashTable *flights;    /* TraceQueue -> GQueue of numbers of messages that were sent, */
  GHashTable *early;      /* and of those that were received before */
  const GArray *early_of; /* which receives are early; NULL: none */
  GArray *early_found;    /* the same, where the source does not know */
  TraceEarlyFinder *finder;
  GHashTable *values;                        /* task and type, 64 bits -> double: of variables that grow */
  uint64_t n_messages, n_alone, n_outlasted; /* n_alone: messages that have one end */
  uint64_t n_aside;            /* sends and receives that tasks go on beside, written as if they did not last */
  uint64_t n_flows, n_awaited; /* written as messages, and as notes */
} Writing;

static guint
flight_hash (gconstpointer p)
{
  const TraceQueue *x = p;

  return (x->from * 31 + x->to) * 2654435761u ^ (guint) x->tag ^ (x->object << 16);
}

static gboolean
flight_equal (gconstpointer a, gconstpointer b)
{
  return trace_queue_is (a, b);
}

/* ---- tables ----------------------------------------------------------------------------------------------------------------- */

static void
writing_bind_kinds (Writing *x)
{
  const TraceSource *s = x->base.source;

  x->kinds = g_new0 (Kind, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    Kind *to = &x->kinds[i];
    to->acts = trace_acts (k);
    to->word = to->text = -1;
    for (uint32_t f = k->n_fields; f-- > 0;) {
      if (k->fields[f].role == TRACE_ROLE_WORD) {
        to->text = (int) f;
        to->word = to->acts & TRACE_ACT_PHASE ? (int) f : -1;
      }
      to->regions |= k->fields[f].role == TRACE_ROLE_REGION;
      to->flows |= k->fields[f].role == TRACE_ROLE_KEY && strcmp (k->fields[f].name, "flow") == 0;
      to->members |= k->fields[f].role == TRACE_ROLE_PEERS && strcmp (k->fields[f].name, "members") == 0;
    }
    to->awaited = to->acts & TRACE_ACT_MARK && strcmp (k->category, "wake") == 0 && k->n_fields > 0
                  && strcmp (k->fields[0].name, "from") == 0;
    while (strcmp (s->kinds[to->group].category, k->category) != 0)
      to->group++;
  }
}

static uint32_t
writing_state_called (Writing *x, const char *name, uint32_t type, TraceDoes does)
{
  uint32_t state = name_table_find (x->names, name, strlen (name));

  if (state == NAME_TABLE_NONE) {
    state = x->base.states->len;
    g_ptr_array_add (x->base.states, g_strdup (name));
    g_array_append_val (x->base.types, type);
    uint8_t its = (uint8_t) does;
    g_array_append_val (x->base.does, its);
    name_table_set (x->names, name, strlen (name), state);
  }
  return state;
}

static uint32_t
writing_state_of_object (Writing *x, uint32_t object)
{
  if (object >= x->of_objects->len)
    g_array_set_size (x->of_objects, object + 1);
  uint32_t *state = &g_array_index (x->of_objects, uint32_t, object);
  if (*state == 0) {
    const TraceObject *o = x->base.source->objects->pdata[object];
    if (!x->told)
      x->told = trace_types_told (x->base.source);
    *state = writing_state_called (x, trace_object_id (x->base.source, object), o->type,
                                   trace_state_told (x->base.source, x->told, object))
             + 1;
  }
  return *state - 1;
}

/* What a task is inside of during a call. */
static uint32_t
state_of_call (Writing *x, Kind *k, const TraceEvent *e)
{
  if (k->regions && e->object < x->base.source->objects->len)
    return writing_state_of_object (x, e->object);
  if (k->word >= 0) {
    TraceValue v = trace_value (e, (uint32_t) k->word);
    if (v.kind == TRACE_VALUE_TEXT && *v.text)
      return writing_state_called (x, v.text, TRACE_NONE, trace_region_does (v.text));
  }
  if (k->state == 0)
    k->state = writing_state_called (x, x->base.source->kinds[e->kind].name, TRACE_NONE,
                                     trace_call_does (&x->base.source->kinds[e->kind]))
               + 1;
  return k->state - 1;
}

static const TraceType *
type_of_object (const TraceSource *s, uint32_t object, uint32_t *type)
{
  const TraceObject *o = object < s->objects->len ? s->objects->pdata[object] : NULL;

  *type = o ? o->type : TRACE_NONE;
  return *type < s->types->len ? s->types->pdata[*type] : NULL;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------- */

static uint8_t *
presence (Writing *x, uint32_t task)
{
  if (task >= x->is_there->len)
    g_array_set_size (x->is_there, task + 1);
  return &g_array_index (x->is_there, uint8_t, task);
}

/* Those that it is inside of have lower numbers, so this ends. */
static void
be_there (Writing *x, int64_t date, uint32_t task, bool again)
{
  uint8_t was = *presence (x, task);

  if (was == 1 || (was == 2 && !again))
    return;
  const TraceTask *t = trace_task (x->base.source, task);
  if (t && t->parent < task)
    be_there (x, date, t->parent, true);
  *presence (x, task) = 1;
  if (x->w->task)
    x->w->task (&x->base, date, task);
}

static Inside *
writing_inside_of (Writing *x, uint32_t task)
{
  if (task >= x->inside->len)
    g_ptr_array_set_size (x->inside, (gint) task + 1);
  if (!x->inside->pdata[task])
    x->inside->pdata[task] = g_new0 (Inside, 1);
  return x->inside->pdata[task];
}

/* ---- states ------------------------------------------------------------------------------------------------------------------ */

static void
set_innermost_deep (Inside *in, uint32_t group, Frame *f)
{
  if (f)
    g_hash_table_insert (in->groups, GUINT_TO_POINTER (group), f);
  else
    g_hash_table_remove (in->groups, GUINT_TO_POINTER (group));
}

static void
forget_call (Inside *in, const Frame *f)
{
  void *record = GSIZE_TO_POINTER ((gsize) f->record);

  if (g_hash_table_lookup (in->calls, record) == f)
    g_hash_table_remove (in->calls, record);
}

/* The next one has as many inside of it. */
static void
one_more_is_deep (Inside *in)
{
  Frame *f = in->deepest ? in->deepest->inner : in->outermost;

  if (!in->calls) {
    in->calls = g_hash_table_new (NULL, NULL);
    in->groups = g_hash_table_new (NULL, NULL);
  }
  f->alike = g_hash_table_lookup (in->groups, GUINT_TO_POINTER (f->group));
  set_innermost_deep (in, f->group, f);
  if (f->group < ALONE && !f->over)
    g_hash_table_insert (in->calls, GSIZE_TO_POINTER ((gsize) f->record), f);
  in->deepest = f;
}

static void
one_less_is_deep (Inside *in)
{
  const Frame *f = in->deepest;

  if (g_hash_table_lookup (in->groups, GUINT_TO_POINTER (f->group)) == f)
    set_innermost_deep (in, f->group, f->alike);
  forget_call (in, f);
  in->deepest = f->outer;
}

static void
writing_enter (Writing *x, const TraceEvent *e, Frame what)
{
  Inside *in = writing_inside_of (x, e->task);
  Frame *f = x->spare ? x->spare : g_new (Frame, 1);

  x->spare = x->spare ? f->outer : NULL;
  *f = what;
  f->outer = in->innermost;
  *(in->innermost ? &in->innermost->inner : &in->outermost) = f;
  in->innermost = f;
  if (G_UNLIKELY (++in->n > MOST_AGAIN))
    one_more_is_deep (in);
  x->w->enter (&x->base, e->date, e->task, f->state);
}

/* One that is not deep. */
static void
writing_take_out (Writing *x, Inside *in, Frame *f)
{
  if (in->deepest)
    one_less_is_deep (in);
  *(f->inner ? &f->inner->outer : &in->innermost) = f->outer;
  *(f->outer ? &f->outer->inner : &in->outermost) = f->inner;
  in->n--;
  f->outer = x->spare;
  x->spare = f;
}

static void
take_out_all (Writing *x, Inside *in)
{
  while (in->innermost)
    writing_take_out (x, in, in->innermost);
}

static bool
is_deep (const Frame *f)
{
  guint n = 0;

  for (; f && n <= MOST_AGAIN; f = f->inner)
    n++;
  return n > MOST_AGAIN;
}

/* Leaves a frame; those inside of it are left for the moment.  Where these are very many, it is left with them: else
 * each end of many that all overlap would be written as so many. */
static void
writing_leave_frame (Writing *x, const TraceEvent *e, Frame *f)
{
  Inside *in = writing_inside_of (x, e->task);
  Frame *inner = f->inner;

  if (is_deep (f)) {
    f->over = true;
    forget_call (in, f);
    x->n_outlasted++;
    return;
  }
  for (const Frame *i = in->innermost; i != f; i = i->outer)
    x->w->leave (&x->base, e->date, e->task, i->state);
  x->w->leave (&x->base, e->date, e->task, f->state);
  writing_take_out (x, in, f);
  for (; inner; inner = inner->inner)
    x->w->enter (&x->base, e->date, e->task, inner->state);
  for (; in->innermost && in->innermost->over; writing_take_out (x, in, in->innermost))
    x->w->leave (&x->base, e->date, e->task, in->innermost->state);
}

/* The call that has a record; NULL: none has. */
static Frame *
find_call (const Inside *in, uint64_t record)
{
  for (Frame *f = in->innermost; f != in->deepest; f = f->outer)
    if (f->record == record && f->group < ALONE && !f->over)
      return f;
  return in->deepest ? g_hash_table_lookup (in->calls, GSIZE_TO_POINTER ((gsize) record)) : NULL;
}

/* The innermost of a group; NULL: there is none. */
static Frame *
writing_find_group (Inside *in, uint32_t group)
{
  Frame *first, *f;

  for (f = in->innermost; f != in->deepest; f = f->outer)
    if (f->group == group && !f->over)
      return f;
  f = first = in->deepest ? g_hash_table_lookup (in->groups, GUINT_TO_POINTER (group)) : NULL;
  while (f && f->over)
    f = f->alike;
  if (f != first)
    set_innermost_deep (in, group, f); /* those are not gone through again */
  return f;
}

/* The call that has this record; else the innermost of its group. */
static void
writing_leave (Writing *x, const TraceEvent *e, uint64_t record, uint32_t group)
{
  Inside *in = writing_inside_of (x, e->task);
  Frame *f = group != DECLARED ? find_call (in, record) : NULL;

  f = f ? f : writing_find_group (in, group);
  if (f)
    writing_leave_frame (x, e, f);
}

static void writing_set_state (Writing *x, const TraceEvent *e, bool none);

/* The innermost state that was entered, or else the one that was set, which is around all. */
static void
writing_leave_state (Writing *x, const TraceEvent *e)
{
  Frame *f = writing_inside_of (x, e->task)->innermost;

  if (f && !f->outer && f->group == ALONE)
    writing_leave_frame (x, e, f);
  else if (!f && x->w->set)
    writing_set_state (x, e, true);
  else
    writing_leave (x, e, 0, DECLARED);
}

static void
leave_all (Writing *x, const TraceEvent *e)
{
  const Inside *in = writing_inside_of (x, e->task);

  while (in->innermost)
    writing_leave_frame (x, e, in->innermost);
}

/* The state of an object, or, if that is a type of states, none. */
static void
writing_set_state (Writing *x, const TraceEvent *e, bool none)
{
  uint32_t state = none ? TRACE_NONE : writing_state_of_object (x, e->object);

  if (x->w->set) {
    take_out_all (x, writing_inside_of (x, e->task));
    x->w->set (&x->base, e->date, e->task, state);
    return;
  }
  leave_all (x, e);
  if (state != TRACE_NONE)
    writing_enter (x, e, (Frame){ .group = ALONE, .state = state });
}

static void
writing_set_variable (Writing *x, const TraceEvent *e, uint32_t type, bool more)
{
  gint64 key = (gint64) e->task << 32 | type;
  double value = e->flags & TRACE_REAL ? e->real : (double) e->size;
  double *before = g_hash_table_lookup (x->values, &key);

  value += more && before ? *before : 0;
  if (before)
    *before = value;
  else
    g_hash_table_insert (x->values, g_memdup2 (&key, sizeof key), g_memdup2 (&value, sizeof value));
  if (x->w->variable)
    x->w->variable (&x->base, e->date, e->task, type, value);
}

static void
writing_set_declared (Writing *x, const TraceEvent *e, bool more)
{
  uint32_t type;
  const TraceType *t = type_of_object (x->base.source, e->object, &type);

  if (t && t->kind == TRACE_VARIABLE)
    writing_set_variable (x, e, type, more);
  else if (t && t->kind == TRACE_STATES && !more)
    writing_set_state (x, e, t->object == e->object);
}

/* ---- messages ---------------------------------------------------------------------------------------------------------------- */

static void
keep_half (GHashTable *in, const TraceQueue *p, uint64_t number)
{
  GQueue *q = g_hash_table_lookup (in, p);

  if (!q)
    g_hash_table_insert (in, g_memdup2 (p, sizeof *p), q = g_queue_new ());
  g_queue_push_tail (q, GSIZE_TO_POINTER (number));
}

/* The first of those that wait for their other half; false: none does. */
static bool
writing_take_half (GHashTable *from, const TraceQueue *p, uint64_t *number)
{
  GQueue *q = g_hash_table_lookup (from, p);

  if (!q)
    return false;
  *number = GPOINTER_TO_SIZE (g_queue_pop_head (q));
  if (g_queue_is_empty (q))
    g_hash_table_remove (from, p);
  return true;
}

static uint64_t
number_of_send (Writing *x, const TraceQueue *p)
{
  uint64_t number;

  if (!writing_take_half (x->early, p, &number)) {
    number = x->n_messages++;
    keep_half (x->flights, p, number);
  }
  return number;
}

static uint64_t
number_of_receive (Writing *x, const TraceQueue *p, const TraceEvent *e)
{
  const TraceEarly *early = x->early_of ? trace_early_find (x->early_of, e->number) : NULL;
  uint64_t number;

  if ((early && early->sent == TRACE_NEVER_SENT) || !writing_take_half (x->flights, p, &number)) {
    number = x->n_messages++;
    if (early && early->sent != TRACE_NEVER_SENT)
      keep_half (x->early, p, number);
  }
  return number;
}

static void
writing_send (Writing *x, const TraceEvent *e, const Kind *k)
{
  bool multicast = k->acts & TRACE_ACT_MULTICAST;
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  x->n_alone += !multicast && e->peer == TRACE_NONE && e->result >= 0;
  for (uint32_t i = 0; i < n; i++)
    if (trace_reaches (e, multicast, to[i])) {
      const TraceQueue p = trace_queue (&x->queues, e, e->task, to[i]);
      be_there (x, e->date, to[i], false);
      if (x->w->send)
        x->w->send (&x->base, e, to[i], number_of_send (x, &p));
    }
}

static void
writing_receive (Writing *x, const TraceEvent *e)
{
  const TraceQueue p = trace_queue (&x->queues, e, e->peer, e->task);

  be_there (x, e->date, e->peer, false);
  if (x->w->receive)
    x->w->receive (&x->base, e, number_of_receive (x, &p, e));
}

/* A task goes on while it lasts: it is no call, and has an end of its own. */
static bool
writing_is_aside (const TraceEvent *e, const Kind *k)
{
  return k->acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE) && !(k->acts & (TRACE_ACT_CALL | TRACE_ACT_MULTICAST))
         && !(e->flags & TRACE_INSTANT);
}

/* Of a receive its end tells of whom it is, of a send both do.  False: it is told as any other message. */
static bool
writing_aside (Writing *x, const TraceEvent *e, const Kind *k, bool ends)
{
  bool sends = k->acts & TRACE_ACT_SEND;

  if (!writing_is_aside (e, k))
    return false;
  x->n_aside += !ends && !x->w->aside;
  if (!x->w->aside || (sends && e->peer == TRACE_NONE))
    return false;
  if (e->peer != TRACE_NONE)
    be_there (x, e->date, e->peer, false);
  if (!ends || !(e->flags & TRACE_UNFINISHED))
    x->w->aside (&x->base, e, sends, ends);
  return true;
}

/* Whether it tells what led to what, for a format that does not know such things. */
static bool
writing_is_flow (Writing *x, const TraceEvent *e, const Kind *k)
{
  if (!k->flows || x->w->knows_flows || !trace_reaches (e, false, e->peer))
    return false;
  const Frame *f = writing_inside_of (x, e->task)->innermost;
  return !f
         || (g_array_index (x->base.does, uint8_t, f->state) < TRACE_WAITS
             && trace_region_does (x->base.states->pdata[f->state]) < TRACE_WAITS);
}

/* The task is in a state of its own while it sends, which takes no time: else it would be taken for one that waits, in
 * what it is inside of, until somebody receives it. */
static void
writing_flow (Writing *x, const TraceEvent *e, const Kind *k)
{
  uint32_t state = writing_state_called (x, "flow", TRACE_NONE, TRACE_WORKS);

  x->n_flows++;
  x->w->enter (&x->base, e->date, e->task, state);
  writing_send (x, e, k);
  x->w->leave (&x->base, e->date, e->task, state);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------- */

static void
writing_note (Writing *x, const TraceEvent *e, const Kind *k)
{
  const char *text = "";

  x->n_awaited += k->awaited;
  if (!x->w->mark)
    return;
  if (k->text >= 0) {
    TraceValue v = trace_value (e, (uint32_t) k->text);
    text = v.kind == TRACE_VALUE_TEXT ? v.text : "";
  }
  x->w->mark (&x->base, e, text);
}

static void
tell_group (Writing *x, const TraceEvent *e)
{
  uint32_t n;
  const uint32_t *members = trace_list (e, &n);

  if (members && n > 0)
    x->w->group (&x->base, e, members, n);
}

/* Which of both ends it is, of one that is a single record the end alone. */
static void
tell_collective (Writing *x, const TraceEvent *e, bool begins, bool ends)
{
  if (begins && x->w->collective)
    x->w->collective (&x->base, e, false);
  if (ends && x->w->collective)
    x->w->collective (&x->base, e, true);
  if (ends && !x->w->collective)
    x->base.n_left++;
}

/* False: it is dead; only a birth makes it live again. */
static bool
is_alive (Writing *x, const TraceEvent *e, const Kind *k)
{
  be_there (x, e->date, e->task, k->acts & TRACE_ACT_BIRTH);
  return *presence (x, e->task) == 1;
}

/* Of a source that does not know which receives are early. */
static void
writing_find_early (Writing *x, const TraceEvent *e)
{
  trace_early_finder_event (x->finder, e, e->number);
}

static void
writing_write_event (Writing *x, const TraceEvent *e)
{
  Kind *k = &x->kinds[e->kind];
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);

  if (!is_alive (x, e, k))
    return;
  if (begins && k->acts & TRACE_ACT_CALL)
    writing_enter (x, e, (Frame){ .record = e->record, .group = k->group, .state = state_of_call (x, k, e) });
  if (k->acts & TRACE_ACT_LEAVE)
    writing_leave_state (x, e);
  if (k->acts & TRACE_ACT_ENTER && e->object < x->base.source->objects->len)
    writing_enter (x, e, (Frame){ .group = DECLARED, .state = writing_state_of_object (x, e->object) });
  if (k->acts & (TRACE_ACT_SET | TRACE_ACT_ADD))
    writing_set_declared (x, e, k->acts & TRACE_ACT_ADD);
  bool aside = writing_aside (x, e, k, e->flags & TRACE_END);
  if (begins && k->acts & TRACE_ACT_SEND && !aside)
    (writing_is_flow (x, e, k) ? writing_flow : writing_send) (x, e, k);
  if (ends && k->acts & TRACE_ACT_RECEIVE && trace_received (e) && !aside)
    writing_receive (x, e);
  else if (k->acts & TRACE_ACT_RECEIVE && e->flags & TRACE_INSTANT && e->peer == TRACE_NONE && e->result >= 0)
    x->n_alone++;
  if (ends && k->acts & TRACE_ACT_CALL)
    writing_leave (x, e, e->record, k->group);
  if (begins && k->members && x->w->group)
    tell_group (x, e);
  else if (begins && k->acts & TRACE_ACT_MARK)
    writing_note (x, e, k);
  if (k->acts & TRACE_ACT_COLLECTIVE)
    tell_collective (x, e, begins, ends);
  if (k->acts & TRACE_ACT_DEATH) {
    leave_all (x, e);
    *presence (x, e->task) = 2;
    if (x->w->death)
      x->w->death (&x->base, e->date, e->task);
  }
}

/* All events from where the source is, each by `take`. */
static bool
go_through (Writing *x, void (*take) (Writing *x, const TraceEvent *e), const TraceProgress *progress, const char *word,
            int64_t *last, GError **error)
{
  g_autofree TraceEvent *events = g_new (TraceEvent, BATCH);
  TraceSource *from = x->base.source;
  GError *why = NULL;
  uint64_t read = 0;
  bool ok = true;
  size_t n;

  while (ok && (n = trace_next (from, events, BATCH, &why)) > 0) {
    for (size_t i = 0; i < n; i++)
      take (x, &events[i]);
    read += n;
    if (last)
      *last = events[n - 1].date;
    ok = x->finder || !x->w->flush || x->w->flush (&x->base, &why);
    if (ok && progress && progress->report
        && !progress->report (progress->arg, word, (double) read / (double) MAX (from->n_events, 1))) {
      g_set_error (&why, TRACE_ERROR, TRACE_ERROR_CANCELLED, _ ("writing %s was cancelled"), from->name);
      ok = false;
    }
  }
  if (why)
    g_propagate_error (error, why);
  return ok && !why;
}

static bool
go_back (Writing *x, GBytes *place, GError **error)
{
  TraceSource *from = x->base.source;
  gsize n;
  const void *data = g_bytes_get_data (place, &n);
  bool ok = trace_go_to_place (from, data, n);

  if (!ok)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read a second time"), from->name);
  return ok;
}

/* So that it is known which receives are early; the source is where it was again. */
static bool
match_messages (Writing *x, const TraceProgress *progress, GError **error)
{
  TraceSource *from = x->base.source;
  uint16_t acts = 0;

  for (uint32_t i = 0; i < from->n_kinds; i++)
    acts |= x->kinds[i].acts;
  if (x->early_of || !(acts & TRACE_ACT_RECEIVE) || (!x->w->send && !x->w->receive))
    return true;
  g_autoptr (GBytes) place = trace_place (from);
  x->finder = trace_early_finder_new (from);
  bool ok = go_through (x, writing_find_early, progress, "matching messages", NULL, error) && go_back (x, place, error);
  if (trace_early_finder_again (x->finder) && ok)
    ok = go_through (x, writing_find_early, progress, "matching messages", NULL, error) && go_back (x, place, error);
  x->early_of = x->early_found = trace_early_finder_free (x->finder, NULL);
  x->finder = NULL;
  return ok;
}

static void
free_frames (Frame *f)
{
  for (Frame *outer; f; f = outer) {
    outer = f->outer;
    g_free (f);
  }
}

static void
free_inside (void *p)
{
  Inside *in = p;

  if (!in)
    return;
  free_frames (in->innermost);
  g_clear_pointer (&in->calls, g_hash_table_unref);
  g_clear_pointer (&in->groups, g_hash_table_unref);
  g_free (in);
}

static void
free_queue (void *q)
{
  g_queue_free (q);
}

static void
tell_what_is_not_written (const Writing *x)
{
  TraceSource *s = x->base.source;

  if (x->base.n_left > 0)
    trace_source_remark (
        s, s->name, 0, 0,
        P_ ("%" PRIu64 " operation of a group (barrier, broadcast ...) is not written: it is there as the call around "
            "it alone, so that who waits in it cannot be judged when it is read again",
            "%" PRIu64 " operations of groups (barriers, broadcasts ...) are not written: they are there as the calls "
            "around them alone, so that who waits in them cannot be judged when it is read again",
            x->base.n_left),
        x->base.n_left);
  if (x->n_alone > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%" PRIu64 " message is not written: of its two ends one alone is told",
                             "%" PRIu64 " messages are not written: of their two ends one alone is told", x->n_alone),
                         x->n_alone);
  if (x->n_aside > 0)
    trace_source_remark (
        s, s->name, 0, 0,
        P_ ("%" PRIu64 " send or receive that does not block is written as a message alone: how long it lasted is not "
            "kept, so that waits are judged otherwise when it is read again",
            "%" PRIu64 " sends and receives that do not block are written as messages alone: how long they lasted is "
            "not kept, so that waits are judged otherwise when they are read again",
            x->n_aside),
        x->n_aside);
  if (x->n_flows > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%" PRIu64 " flow, such as a launch, is written as a message, in a state \"flow\" that "
                             "takes no time: to what it led is not told when it is read again",
                             "%" PRIu64 " flows, such as launches, are written as messages, in states \"flow\" that "
                             "take no time: to what they led is not told when they are read again",
                             x->n_flows),
                         x->n_flows);
  if (x->n_awaited > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%" PRIu64 " wait for an accelerator is written as a note alone: it does not count as "
                             "waiting when it is read again",
                             "%" PRIu64 " waits for accelerators are written as notes alone: they do not count as "
                             "waiting when they are read again",
                             x->n_awaited),
                         x->n_awaited);
  if (x->n_outlasted > 0)
    trace_source_remark (s, s->name, 0, 0,
                         P_ ("%" PRIu64 " call or state ends while more than %d that began later go on inside of it: "
                             "it is written to end with these",
                             "%" PRIu64 " calls and states end while more than %d that began later go on inside of "
                             "them: they are written to end with these",
                             x->n_outlasted),
                         x->n_outlasted, MOST_AGAIN);
}

bool
trace_write (TraceSource *from, const TraceWriter *writer, void *to, const TraceProgress *progress, int64_t *last,
             GError **error)
{
  Writing x = { .base = { .source = from, .states = g_ptr_array_new_with_free_func (g_free), .to = to }, .w = writer };

  x.early_of = from->early;
  writing_bind_kinds (&x);
  x.base.types = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  x.base.does = g_array_new (FALSE, FALSE, sizeof (uint8_t));
  x.names = name_table_new ();
  x.of_objects = g_array_new (FALSE, TRUE, sizeof (uint32_t));
  x.is_there = g_array_new (FALSE, TRUE, sizeof (uint8_t));
  x.inside = g_ptr_array_new_with_free_func (free_inside);
  x.flights = g_hash_table_new_full (flight_hash, flight_equal, g_free, free_queue);
  x.early = g_hash_table_new_full (flight_hash, flight_equal, g_free, free_queue);
  x.values = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  trace_queues_bind (&x.queues, from);
  bool ok = match_messages (&x, progress, error)
            && go_through (&x, writing_write_event, progress, "writing", last, error);
  g_hash_table_unref (x.values);
  g_hash_table_unref (x.flights);
  g_hash_table_unref (x.early);
  trace_queues_clear (&x.queues);
  g_clear_pointer (&x.early_found, g_array_unref);
  g_ptr_array_unref (x.inside);
  free_frames (x.spare);
  g_array_unref (x.is_there);
  g_array_unref (x.of_objects);
  name_table_free (x.names);
  if (ok)
    tell_what_is_not_written (&x);
  g_ptr_array_unref (x.base.states);
  g_array_unref (x.base.types);
  g_array_unref (x.base.does);
  g_free (x.told);
  g_free (x.kinds);
  return ok;
}
