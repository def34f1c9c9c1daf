/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - what tasks are inside of, and how long they compute; counts of waits; run state. */
#include <string.h>

#include "components/waits/hybrid.h"
#include "components/waits/waits.h"
#include "eve/words.h"
#include "readers/untold.h"

/* Regions from here on are kinds of event: calls without a name of their own. */
#define KIND_REGION (INT64_C (1) << 40)
#define PHASE_REGION (INT64_C (1) << 41)
#define MOST_PHASES 65536 /* that are told apart; further ones are what their kind is */

const char *const wait_names[N_WAITS] = {
  [WAIT_LATE_SENDER] = N_ ("Late sender"),
  [WAIT_LATE_RECEIVER] = N_ ("Late receiver"),
  [WAIT_BARRIER] = N_ ("Wait at barrier"),
  [WAIT_ALL] = N_ ("Wait at N x N"),
  [WAIT_LATE_ROOT] = N_ ("Late root"),
  [WAIT_EARLY_ROOT] = N_ ("Early root"),
  [WAIT_SCAN] = N_ ("Early scan"),
  [WAIT_LATE_RECEIVER_DONE] = N_ ("Late receiver of what was sent aside"),
  [WAIT_FENCE] = N_ ("Wait at fence"),
  [WAIT_LATE_POST] = N_ ("Late post"),
  [WAIT_EARLY_WAIT] = N_ ("Early wait for access"),
  [WAIT_LOCK] = N_ ("Lock of a window held"),
  [WAIT_NEVER] = N_ ("Never answered"),
  [WAIT_TEAM] = N_ ("Wait at barrier of threads"),
  [WAIT_HELD] = N_ ("Lock held by another"),
  [WAIT_SIGNAL] = N_ ("Condition not signalled"),
  [WAIT_SEMAPHORE] = N_ ("Semaphore not posted"),
  [WAIT_END] = N_ ("Thread not ended"),
  [WAIT_NEVER_MET] = N_ ("Partner that never came"),
  [WAIT_DEVICE] = N_ ("Accelerator not done"),
  [WAIT_UNDER_WAY] = N_ ("Under way"),
};

/* ---- binding ----------------------------------------------------------------------------------------------------------------------- */

static WaitNote
waits_note_of (const char *name)
{
  static const struct {
    const char *name;
    WaitNote note;
  } notes[] = { { "ThreadTeamBegin", NOTE_TEAM_BEGINS },
                { "ThreadTeamEnd", NOTE_TEAM_ENDS },
                { "ThreadFork", NOTE_FORK },
                { "ThreadJoin", NOTE_JOIN },
                { "RmaGroupSync", NOTE_GROUP },
                { "RmaRequestLock", NOTE_LOCK_ASKED },
                { "RmaAcquireLock", NOTE_LOCKED },
                { "RmaReleaseLock", NOTE_UNLOCKED },
                { "JoinGroup", NOTE_JOINS },
                { "LvGroup", NOTE_LEAVES },
                { "ThdBth", NOTE_THREAD_BORN },
                { "ThdDth", NOTE_THREAD_DEAD },
                { "Run", NOTE_THREAD_RUN },
                { "Stop", NOTE_THREAD_STOPS } };

  for (size_t i = 0; i < G_N_ELEMENTS (notes); i++)
    if (strcmp (name, notes[i].name) == 0)
      return notes[i].note;
  return NOTE_NOTHING;
}

/* What it is to wait for an event of the category "wake", by its name; anything else that is sent is late. */
static WaitKind
lets_go_on (const TraceKind *k)
{
  static const struct {
    const char *name;
    WaitKind kind;
  } wakes[] = { { "Unlock", WAIT_HELD }, { "Signal", WAIT_SIGNAL }, { "Post", WAIT_SEMAPHORE },
                { "Arrive", WAIT_TEAM }, { "Exit", WAIT_END },      { "Done", WAIT_DEVICE } };

  for (size_t i = 0; k->category && strcmp (k->category, "wake") == 0 && i < G_N_ELEMENTS (wakes); i++)
    if (strcmp (k->name, wakes[i].name) == 0)
      return wakes[i].kind;
  return WAIT_LATE_SENDER;
}

static KindOnly
only_does (const WaitsKind *k)
{
  unsigned acts = k->acts
                  & (TRACE_ACT_ENTER | TRACE_ACT_LEAVE | TRACE_ACT_CALL | TRACE_ACT_SEND | TRACE_ACT_RECEIVE
                     | TRACE_ACT_COLLECTIVE);

  return !k->plain || k->meets     ? ONLY_MORE
         : acts == 0               ? ONLY_NOTHING
         : acts == TRACE_ACT_ENTER ? ONLY_ENTERS
         : acts == TRACE_ACT_LEAVE ? ONLY_LEAVES
                                   : ONLY_MORE;
}

void
waits_bind_kind (WaitsKind *to, const TraceKind *k)
{
  *to = (WaitsKind){ .acts = trace_acts (k), .word = -1, .meeting = -1, .lets_run = -1, .parent = -1 };
  to->class = (uint8_t) trace_collective (k, &to->blocks);
  bool has_object = false, has_members = false, tags = false, has_group = false;
  for (uint32_t f = 0; f < k->n_fields; f++) {
    to->regions |= k->fields[f].role == TRACE_ROLE_REGION;
    if (to->word < 0 && k->fields[f].role == TRACE_ROLE_WORD && to->acts & TRACE_ACT_PHASE)
      to->word = (int16_t) f;
    tags |= k->fields[f].role == TRACE_ROLE_TAG || k->fields[f].role == TRACE_ROLE_KEY;
    to->flows |= k->fields[f].role == TRACE_ROLE_KEY && strcmp (k->fields[f].name, "flow") == 0;
    if (strcmp (k->fields[f].name, "meeting") == 0)
      to->meeting = (int16_t) f;
    to->spawns |= strcmp (k->fields[f].name, "spawned") == 0 && to->acts & TRACE_ACT_CALL;
    if (to->acts & TRACE_ACT_BIRTH && strcmp (k->fields[f].name, "parent") == 0)
      to->parent = (int16_t) f;
    to->threads |= strcmp (k->fields[f].name, "thread") == 0;
    if (strcmp (k->fields[f].name, "runs") == 0)
      to->lets_run = (int16_t) f;
    has_object |= k->fields[f].role == TRACE_ROLE_OBJECT;
    has_group |= k->fields[f].role == TRACE_ROLE_OBJECT && strcmp (k->fields[f].name, "group") == 0;
    has_members |= k->fields[f].role == TRACE_ROLE_PEERS && strcmp (k->fields[f].name, "members") == 0;
  }
  to->window = g_str_has_prefix (k->name, "Rma");
  if (to->window && to->acts & TRACE_ACT_COLLECTIVE) {
    const TraceKind plain = { .name = k->name + strlen ("Rma") };
    to->class = trace_collective (&plain, NULL) == TRACE_COLLECTIVE_BARRIER ? TRACE_COLLECTIVE_BARRIER
                                                                            : TRACE_COLLECTIVE_OTHER;
  }
  bool of_threads = to->threads && to->acts == 0;
  to->notes = to->acts & TRACE_ACT_MARK || has_group || of_threads ? (uint8_t) waits_note_of (k->name) : NOTE_NOTHING;
  if (k->category && strcmp (k->category, "wake") == 0 && to->acts & TRACE_ACT_MARK)
    to->notes = strcmp (k->name, "Done") == 0      ? NOTE_DONE
                : strcmp (k->name, "Awaited") == 0 ? NOTE_AWAITED
                                                   : NOTE_NOTHING;
  to->asks = to->acts & TRACE_ACT_MARK && strcmp (k->name, "Asked") == 0;
  to->gathers = has_group && to->acts == TRACE_ACT_CALL && to->class == TRACE_COLLECTIVE_BARRIER;
  to->lets = (uint8_t) lets_go_on (k);
  to->tells = has_object && has_members && to->acts & TRACE_ACT_MARK;
  to->meets = to->acts & TRACE_ACT_CALL && to->acts & TRACE_ACT_MEET;
  to->threads = to->threads && !tags;
  to->apart = to->threads && k->category;
  to->talks = to->acts & TRACE_ACT_CALL
              && to->acts
                     & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_MULTICAST | TRACE_ACT_COLLECTIVE
                        | TRACE_ACT_MEET);
  to->plain = !(to->spawns || to->asks || to->parent >= 0 || to->acts & (TRACE_ACT_DEATH | TRACE_ACT_SET) || to->meets
                || to->tells || to->notes != NOTE_NOTHING);
  to->only = (uint8_t) only_does (to);
}

void
waits_bind (Waits *w, const TraceSource *s)
{
  g_free (w->kinds);
  g_clear_pointer (&w->regions, g_free);
  g_clear_pointer (&w->types_run, g_free);
  g_clear_pointer (&w->not_first, g_free);
  w->n_not_first = 0;
  w->n_regions = w->n_types_run = 0;
  w->source = s;
  trace_queues_clear (&w->queued);
  trace_queues_bind (&w->queued, s);
  w->n_kinds = s->n_kinds;
  w->tells_operations = false;
  w->kinds = g_new (WaitsKind, MAX (s->n_kinds, 1));
  g_autofree uint16_t *categories = trace_categories (s);
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    waits_bind_kind (&w->kinds[i], &s->kinds[i]);
    w->tells_operations |= (w->kinds[i].acts & TRACE_ACT_COLLECTIVE) != 0;
    w->kinds[i].category = s->kinds[i].category ? categories[i] : -1;
  }
  w->part_lasts = s->last > s->first ? waits_between (s->first, s->last) / WAIT_PARTS + 1 : 0;
}

/* Calls that begin and end communication itself: nobody waits there for what the program does. */
static bool
sets_up (const char *name)
{
  static const char *const names[] = { "MPI_Init",  "MPI_Init_thread",  "MPI_Finalize",
                                       "PMPI_Init", "PMPI_Init_thread", "PMPI_Finalize",
                                       NULL };

  return trace_is_one_of (name, names);
}

static bool
ends_all (const char *name)
{
  return g_str_has_suffix (name, "MPI_Finalize");
}

static bool
is_team_barrier (const TraceSource *s, const TraceObject *o)
{
  const TraceType *t = o->type < s->types->len ? s->types->pdata[o->type] : NULL;

  return t && t->kind == TRACE_STATES && strcmp (t->name, TRACE_GROUP_TEAM) == 0 && strstr (o->id, "barrier") != NULL;
}

/* What each type says of when tasks run. */
static const uint8_t *
types_that_run (Waits *w)
{
  const TraceSource *s = w->source;

  if (G_LIKELY (w->n_types_run >= s->types->len && w->types_run))
    return w->types_run;
  g_free (w->types_run);
  w->n_types_run = s->types->len;
  w->types_run = trace_types_told (s);
  return w->types_run;
}

static unsigned
runs (Waits *w, uint32_t object)
{
  const TraceObject *o = w->source->objects->pdata[object];
  TraceDoes does = trace_state_does (w->source, object);

  if (o->type >= w->source->types->len || ((const TraceType *) w->source->types->pdata[o->type])->kind != TRACE_STATES
      || !(types_that_run (w)[o->type] & TRACE_TYPE_TELLS))
    return 0;
  return REGION_OF_RUNS
         | (does >= TRACE_WAITS                              ? REGION_COMMUNICATES
            : types_that_run (w)[o->type] & TRACE_TYPE_KNOWN ? REGION_RUNS
                                                             : 0);
}

static bool
has_told_states (Waits *w, uint32_t task)
{
  const TraceTask *t = w->source ? trace_task (w->source, task) : NULL;

  return t && t->type < w->source->types->len && types_that_run (w)[t->type] & TRACE_TYPE_TELLS;
}

/* As a program may call what it does itself "reduce", those alone that are communication. */
static uint16_t
is_together (unsigned is, const char *name)
{
  const TraceKind named = { .name = name };

  return is & REGION_COMMUNICATES && trace_collective (&named, NULL) != TRACE_COLLECTIVE_OTHER ? REGION_TOGETHER : 0;
}

/* What tasks are inside of by this name; -1: there are too many. */
static int64_t
phase_called (Waits *w, const char *name)
{
  if (!w->phases) {
    w->phases = g_ptr_array_new ();
    w->phase_places = g_hash_table_new (g_str_hash, g_str_equal);
  }
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (w->phase_places, name));
  if (place == 0 && w->phases->len < MOST_PHASES) {
    WaitPhase *phase = g_new0 (WaitPhase, 1);
    phase->name = g_strdup (name);
    phase->is = (uint16_t) (1 | (trace_region_does (name) >= TRACE_WAITS ? REGION_COMMUNICATES | REGION_ASKS : 0));
    phase->is |= is_together (phase->is, name);
    g_ptr_array_add (w->phases, phase);
    place = w->phases->len;
    g_hash_table_insert (w->phase_places, phase->name, GUINT_TO_POINTER (place));
  }
  return place > 0 ? PHASE_REGION + place - 1 : -1;
}

static void
forget_phases (Waits *w)
{
  for (guint i = 0; w->phases && i < w->phases->len; i++) {
    WaitPhase *phase = w->phases->pdata[i];
    g_free (phase->name);
    g_free (phase);
  }
  g_clear_pointer (&w->phases, g_ptr_array_unref);
  g_clear_pointer (&w->phase_places, g_hash_table_unref);
}

/* NULL: the region is no phase. */
static WaitPhase *
phase_of (const Waits *w, int64_t region)
{
  return region >= PHASE_REGION && w->phases && region - PHASE_REGION < w->phases->len
             ? w->phases->pdata[region - PHASE_REGION]
             : NULL;
}

/* What a task is inside of during this call.  A phase has the name that the program gave it. */
int64_t
waits_region_of_call (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  if (k->regions && e->object != TRACE_NONE)
    return e->object;
  if (G_UNLIKELY (k->word >= 0)) {
    TraceValue v = trace_value (e, (uint32_t) k->word);
    int64_t phase = v.kind == TRACE_VALUE_TEXT && v.text && *v.text ? phase_called (w, v.text) : -1;
    if (phase >= 0)
      return phase;
  }
  return KIND_REGION + e->kind;
}

unsigned
waits_find_region (const Waits *w, int64_t region)
{
  Waits *own = (Waits *) w;
  const WaitPhase *phase = phase_of (w, region);

  if (phase)
    return phase->is;
  if (region >= KIND_REGION && region - KIND_REGION < w->n_kinds) {
    WaitsKind *k = &w->kinds[region - KIND_REGION];
    const char *name = w->source->kinds[region - KIND_REGION].name;
    if (k->is == 0) {
      k->is = (uint16_t) (1
                          | (trace_call_does (&w->source->kinds[region - KIND_REGION]) >= TRACE_WAITS
                                 ? REGION_COMMUNICATES
                                 : 0)
                          | (trace_call_asks (&w->source->kinds[region - KIND_REGION]) ? REGION_ASKS : 0)
                          | (sets_up (name) ? REGION_SETS_UP | REGION_COMMUNICATES : 0)
                          | (sets_up (name) && ends_all (name) ? REGION_ENDS : 0));
      k->is |= is_together (k->is, name);
    }
    return k->is;
  }
  if (region < 0 || region >= w->source->objects->len)
    return 0;
  if (G_UNLIKELY (region >= w->n_regions)) {
    uint32_t n = w->source->objects->len;
    own->regions = g_renew (uint16_t, own->regions, n);
    memset (own->regions + own->n_regions, 0, (n - own->n_regions) * sizeof *own->regions);
    own->n_regions = n;
  }
  if (w->regions[region] == 0) {
    const TraceObject *o = w->source->objects->pdata[region];
    own->regions[region] =
        (uint16_t) (1 | (trace_state_does (w->source, (uint32_t) region) >= TRACE_WAITS ? REGION_COMMUNICATES : 0)
                    | (trace_state_asks (w->source, (uint32_t) region) ? REGION_ASKS : 0)
                    | (sets_up (o->id) ? REGION_SETS_UP : 0) | (sets_up (o->id) && ends_all (o->id) ? REGION_ENDS : 0)
                    | runs (own, (uint32_t) region) | (is_team_barrier (w->source, o) ? REGION_TEAM_BARRIER : 0));
    own->regions[region] |= is_together (own->regions[region], o->id);
  }
  return w->regions[region];
}

const char *
waits_region (const Waits *w, int64_t region)
{
  const WaitPhase *phase = phase_of (w, region);

  if (phase)
    return phase->name;
  if (region >= KIND_REGION && region - KIND_REGION < w->source->n_kinds)
    return w->source->kinds[region - KIND_REGION].name;
  return region >= 0 && region < w->source->objects->len ? trace_object_id (w->source, (uint32_t) region)
         : region == REGION_BEFORE                       ? N_ ("(before its first call)")
                                                         : N_ ("(outside)");
}

/* Where the row of a region is kept, once it is known; NULL: nowhere. */
static uint32_t *
spent_row_of (Waits *w, int64_t region)
{
  uint32_t n = w->source->objects->len;
  WaitPhase *phase = phase_of (w, region);

  if (region == -1)
    return &w->outside_row;
  if (phase)
    return &phase->spent_row;
  if (region >= KIND_REGION)
    return region - KIND_REGION < w->n_kinds ? &w->kinds[region - KIND_REGION].spent_row : NULL;
  if (region < 0 || region >= n)
    return NULL;
  if (region >= w->n_spent_rows) {
    w->spent_rows = g_renew (uint32_t, w->spent_rows, n);
    memset (w->spent_rows + w->n_spent_rows, 0, (n - w->n_spent_rows) * sizeof *w->spent_rows);
    w->n_spent_rows = n;
  }
  return &w->spent_rows[region];
}

int64_t
waits_find_spent_row (Waits *w, int64_t region)
{
  uint32_t *known = spent_row_of (w, region);

  if (G_LIKELY (known && *known > 0))
    return *known - 1;
  int64_t i = table_find_or_add (&w->regions_spent, &region, NULL);
  if (known)
    *known = (uint32_t) i + 1;
  return i;
}

static void
waits_forget_rows (Waits *w)
{
  g_clear_pointer (&w->task_rows, g_free);
  g_clear_pointer (&w->spent_rows, g_free);
  w->n_task_rows = w->n_spent_rows = w->outside_row = 0;
  for (uint32_t i = 0; w->kinds && i < w->n_kinds; i++)
    w->kinds[i].spent_row = 0;
  for (guint i = 0; w->phases && i < w->phases->len; i++)
    ((WaitPhase *) w->phases->pdata[i])->spent_row = 0;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------------- */

/* It is in states, but does nothing: others have it, or use it. */
static bool
waits_is_thing (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);
  const TraceType *type = t && t->type < s->types->len ? s->types->pdata[t->type] : NULL;

  return type && type->does == TRACE_RESTS;
}

WaitTask *
waits_find_task (Waits *w, uint32_t task)
{
  int64_t key = task, i = table_find (&w->tasks, &key);
  if (G_UNLIKELY (i < 0)) {
    i = table_add (&w->tasks, &key);
    WaitTask *t = waits_tasks_at (w, i);
    t->top = t->node = t->team = t->teams = t->late = t->spawn_node = t->born_node = -1;
    t->forked_at = t->open = INT64_MIN;
    t->close = t->died = t->led_at = INT64_MAX;
    t->first = INT64_MAX;
    t->last = INT64_MIN;
    t->told = has_told_states (w, task);
    t->thing = w->source && waits_is_thing (w->source, task);
  }
  if (w->source && task < w->source->tasks->len) {
    if (task >= w->n_task_rows) {
      uint32_t n = w->source->tasks->len;
      w->task_rows = g_renew (uint32_t, w->task_rows, n);
      memset (w->task_rows + w->n_task_rows, 0, (n - w->n_task_rows) * sizeof *w->task_rows);
      w->n_task_rows = n;
    }
    w->task_rows[task] = (uint32_t) i + 1;
  }
  return waits_tasks_at (w, i);
}

/* Until when what it does last counts: a state that tells when it runs lasts as long as there is a task, or a trace;
 * else until its last event, and, before the trace is over, until now, but of who is known to have ended. */
int64_t
waits_lasts_until (const Waits *w, const WaitTask *t)
{
  bool goes_on = t->told ? t->top >= 0 : !waits_over (w) && (t->top >= 0 || t->close == INT64_MAX);

  return goes_on ? MAX (t->last, MIN (t->died, waits_instant (w))) : t->last;
}

int64_t
waits_useful (const Waits *w, const WaitTask *t)
{
  return t->useful
         + (t->first <= t->last ? waits_computed (t, waits_counted (w, t->since, waits_lasts_until (w, t))) : 0);
}

int64_t
waits_life (const Waits *w, const WaitTask *t)
{
  return t->first > t->last ? 0 : waits_counted (w, t->first, MIN (t->died, waits_instant (w)));
}

int64_t
waits_untold (const Waits *w, const WaitTask *t)
{
  if (!t->told || t->first > t->last)
    return 0;
  return waits_life (w, t) - waits_useful (w, t) - t->held
         - (t->communicates > 0 ? waits_counted (w, t->since, waits_lasts_until (w, t)) : 0);
}

/* The task is in this state alone, or in none. */
static void
waits_set_state (Waits *w, const TraceEvent *e)
{
  const TraceObject *o = e->object < w->source->objects->len ? w->source->objects->pdata[e->object] : NULL;
  const TraceType *type = o && o->type < w->source->types->len ? w->source->types->pdata[o->type] : NULL;

  if (!type || type->kind != TRACE_STATES || waits_task (w, e->task)->thing)
    return;
  for (int64_t n = 0, n_rows = w->frames.n; waits_task (w, e->task)->top >= 0 && n <= n_rows; n++)
    waits_leave_innermost (w, waits_task (w, e->task), e->date);
  if (type->object != e->object)
    waits_enter_set (w, e);
  else
    waits_change (waits_task (w, e->task), e->date);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------- */

/* Of a receive that is under way the call in which it was posted is kept until it is done. */
static void
receive_begins (Waits *w, const TraceEvent *e)
{
  const WaitTask *t = waits_task (w, e->task);
  int64_t record = (int64_t) e->record;
  bool is_new;
  WaitBegun *b = waits_begun_at (w, table_find_or_add (&w->begun, &record, &is_new));
  const WaitFrame *f = waits_call (w, t);

  int64_t before = is_new ? -1 : b->node;
  b->enter = f ? f->enter : e->date;
  b->member = b->half = -1;
  b->node = path_at (w, t, b->enter);
  path_hold (w, b->node);
  path_release (w, before);
}

static void
receive_ends (Waits *w, const TraceEvent *e)
{
  int64_t record = (int64_t) e->record;
  int64_t i = e->flags & TRACE_INSTANT ? -1 : table_find (&w->begun, &record);
  const WaitBegun begun = i >= 0 ? *waits_begun_at (w, i) : (WaitBegun){ .node = -1 };

  table_drop (&w->begun, i);
  if (trace_received (e))
    waits_receive (w, e, i >= 0 ? &begun : NULL);
  else
    path_release (w, begun.node);
}

/* A multicast is a message to each task that it names. */
static void
sends_to_all (Waits *w, const TraceEvent *e)
{
  TraceEvent one = *e;
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, true, &n);

  for (uint32_t i = 0; i < n; i++)
    if (trace_reaches (e, true, to[i])) {
      one.peer = to[i];
      waits_send (w, &one);
    }
}

static void
messages (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);
  bool is_action = k->acts & TRACE_ACT_RECEIVE && !(k->acts & TRACE_ACT_CALL);

  if (begins && k->acts & TRACE_ACT_MULTICAST)
    sends_to_all (w, e);
  else if (begins && k->acts & TRACE_ACT_SEND && trace_reaches (e, false, e->peer))
    waits_send (w, e);
  else if (ends && k->acts & TRACE_ACT_SEND && !(k->acts & (TRACE_ACT_MULTICAST | TRACE_ACT_CALL)))
    waits_sent (w, e);
  if (begins && !ends && is_action)
    receive_begins (w, e);
  if (ends && k->acts & TRACE_ACT_RECEIVE)
    receive_ends (w, e);
  if (k->acts & TRACE_ACT_COLLECTIVE)
    waits_collective (w, e);
}

/* Of a rendezvous all is known when one of both ends, and that is before its call is left. */
static void
meetings (Waits *w, const TraceEvent *e, const WaitsKind *k, bool begins, bool ends)
{
  bool comes = k->acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE);

  if (begins && comes && e->peer != TRACE_NONE && e->task != e->peer)
    waits_meet (w, e);
  if (!ends)
    return;
  int64_t i = waits_call_of_end (w, e, k);
  if (i < 0)
    return;
  if (comes)
    waits_met (w, e, waits_frames_at (w, i));
  else if (e->peer != TRACE_NONE && e->result >= 0)
    waits_listened (w, e, waits_frames_at (w, i));
}

/* A state lasts until nobody is in it; of what was begun in it and is not over, it is told that it never ended. */
static void
task_dies (Waits *w, const TraceEvent *e)
{
  WaitTask *t = waits_task (w, e->task);

  t->died = e->date;
  for (int64_t n = 0, n_rows = w->frames.n; t->told && n <= n_rows; n++) {
    const WaitFrame *f = waits_call (w, t);
    if (!f || f->key != INT64_MIN || f->halves >= 0 || f->members >= 0)
      return;
    waits_leave_innermost (w, t, e->date);
    t = waits_task (w, e->task);
  }
}

/* What a kind does before and behind its calls, messages and operations. */
static void
waits_before_calls (Waits *w, const TraceEvent *e, const WaitsKind *k, bool begins, bool ends)
{
  if (k->spawns) {
    if (begins)
      path_spawn (w, e);
    if (ends)
      path_spawned (w, e);
  }
  if (k->asks)
    waits_ask (w, e, e->peer, e->tag, e->object != TRACE_NONE ? ASKED_GROUP + (int64_t) e->object : ASKED_TASK);
  if (k->parent >= 0 && begins)
    path_born (w, e, k);
  if (k->acts & TRACE_ACT_DEATH && begins)
    task_dies (w, e);
}

static void
waits_behind_calls (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  if (k->acts & TRACE_ACT_SET && e->object != TRACE_NONE)
    waits_set_state (w, e);
  if (k->tells)
    waits_members (w, e);
  if (k->notes)
    waits_note (w, e, (WaitNote) k->notes);
}

static void
waits_event (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);
  unsigned acts = k->acts;

  if (acts & TRACE_ACT_ENTER && acts & TRACE_ACT_SET)
    waits_enter_set (w, e);
  else if (acts & TRACE_ACT_ENTER)
    waits_enter (w, e);
  else if (begins && acts & TRACE_ACT_CALL) {
    waits_enter_call (w, e, waits_region_of_call (w, e, k));
    if (G_UNLIKELY (e->flags & TRACE_UNFINISHED))
      waits_ask_of_call (w, e, k);
  }
  if (G_UNLIKELY (!k->plain))
    waits_before_calls (w, e, k, begins, ends);
  if (acts & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_COLLECTIVE))
    k->meets ? meetings (w, e, k, begins, ends) : messages (w, e, k);
  else if (G_UNLIKELY (k->meets))
    meetings (w, e, k, begins, ends);
  if (acts & TRACE_ACT_LEAVE)
    waits_leave_state (w, e);
  else if (ends && acts & TRACE_ACT_CALL)
    waits_leave_call (w, e, k);
  if (G_UNLIKELY (!k->plain))
    waits_behind_calls (w, e, k);
}

uint32_t
waits_events (Waits *w, const TraceEvent *events, uint32_t n)
{
  const uint16_t source = events->source;
  uint32_t i = 0;

  if (G_UNLIKELY (w->settled || w->now != INT64_MIN)) {
    waits_unsettle (w);
    w->now = INT64_MIN;
  }
  if (G_UNLIKELY (w->count[WAITS_EVENTS] == 0))
    w->count[WAITS_FIRST] = events->date;
  w->told = false;
  do {
    const TraceEvent *e = &events[i++];
    w->count[WAITS_EVENTS]++;
    w->count[WAITS_LAST] = e->date;
    if (G_UNLIKELY (e->kind >= w->n_kinds))
      continue;
    const WaitsKind *k = &w->kinds[e->kind];
    switch (k->only) {
    case ONLY_ENTERS:
      waits_enter (w, e);
      break;
    case ONLY_LEAVES:
      waits_leave_state (w, e);
      break;
    case ONLY_MORE:
      waits_event (w, e, k);
      break;
    default:
      break;
    }
  } while (i < n && !w->told && events[i].source == source);
  return i;
}

/* ---- run state -------------------------------------------------------------------------------------------------------------------- */

#define N_TABLES 24
static void
tables_of (const Waits *w, Table *to[N_TABLES])
{
  Waits *own = (Waits *) w;
  Table *const all[N_TABLES] = { &own->tasks,     &own->frames,        &own->halves,  &own->queues,  &own->members,
                                 &own->instances, &own->begun,         &own->counts,  &own->groups,  &own->cells,
                                 &own->nodes,     &own->regions_spent, &own->late,    &own->locks,   &own->asked,
                                 &own->shares,    &own->messages,      &own->causes,  &own->belongs, &own->pairs,
                                 &own->ordered,   &own->flows,         &own->threads, &own->teams };

  memcpy (to, all, sizeof all);
}

void
waits_init (Waits *w)
{
  table_init (&w->tasks, sizeof (WaitTask), 1);
  table_init (&w->frames, sizeof (WaitFrame), 0);
  table_init (&w->halves, sizeof (WaitHalf), 0);
  table_init (&w->queues, sizeof (WaitQueue), 4);
  table_init (&w->members, sizeof (WaitMember), 0);
  table_init (&w->instances, sizeof (WaitInstance), 2);
  table_init (&w->begun, sizeof (WaitBegun), 1);
  table_init (&w->counts, sizeof (WaitCount), 2);
  table_init (&w->groups, sizeof (WaitGroup), 1);
  table_init (&w->cells, sizeof (WaitCell), 3);
  table_init (&w->nodes, sizeof (WaitNode), 0);
  table_init (&w->regions_spent, sizeof (WaitRegion), 1);
  table_init (&w->late, sizeof (WaitLate), 0);
  table_init (&w->locks, sizeof (WaitLock), 2);
  table_init (&w->asked, sizeof (WaitAsked), 3);
  table_init (&w->shares, sizeof (WaitShare), 0);
  table_init (&w->messages, sizeof (WaitMessage), 0);
  table_init (&w->causes, sizeof (WaitCause), 2);
  table_init (&w->belongs, sizeof (WaitBelongs), 2);
  table_init (&w->pairs, sizeof (WaitPair), 4);
  table_init (&w->ordered, sizeof (WaitOrdered), 1);
  table_init (&w->flows, sizeof (WaitFlow), 2);
  table_init (&w->threads, sizeof (WaitThread), 2);
  table_init (&w->teams, sizeof (WaitTeam), 0);
  w->from = INT64_MIN;
  w->to = INT64_MAX;
  w->now = INT64_MIN;
}

void
waits_clear (Waits *w)
{
  Table *all[N_TABLES];

  waits_unsettle (w);
  w->now = INT64_MIN;
  tables_of (w, all);
  for (int i = 0; i < N_TABLES; i++)
    table_clear (all[i]);
  waits_forget_rows (w);
  forget_phases (w);
  g_clear_pointer (&w->kinds, g_free);
  g_clear_pointer (&w->types_run, g_free);
  g_clear_pointer (&w->not_first, g_free);
  w->n_not_first = 0;
  g_clear_pointer (&w->regions, g_free);
  causes_clear (w);
  path_clear (w);
  trace_queues_clear (&w->queued);
  w->n_kinds = w->n_regions = 0;
  w->source = NULL;
}

void
waits_reset (Waits *w)
{
  waits_clear (w);
  memset (w->count, 0, sizeof w->count);
  memset (w->parts, 0, sizeof w->parts);
  w->part_lasts = 0;
}

void
waits_save (const Waits *w, EveBlob *to)
{
  Table *all[N_TABLES];

  tables_of (w, all);
  for (int i = 0; i < N_TABLES; i++)
    table_save (all[i], to);
  eve_put_ints (to, w->count, N_COUNTS);
  eve_put_ints (to, &w->parts[0][0], sizeof w->parts / sizeof (int64_t));
  causes_save (w, to);
  path_save (w, to);
  eve_put_int (to, w->phases ? w->phases->len : 0);
  for (guint i = 0; w->phases && i < w->phases->len; i++)
    eve_put_text (to, ((WaitPhase *) w->phases->pdata[i])->name);
}

/* Every reference leads somewhere; what it leads to may be anything. */
static bool
refers (const Waits *w)
{
#define REFERS(table, type, member, to) table_refers (&w->table, offsetof (type, member), &w->to)
  return REFERS (tasks, WaitTask, top, frames) && REFERS (frames, WaitFrame, outer, frames)
         && REFERS (frames, WaitFrame, halves, halves) && REFERS (frames, WaitFrame, members, members)
         && REFERS (halves, WaitHalf, frame, frames) && REFERS (halves, WaitHalf, other, halves)
         && REFERS (halves, WaitHalf, next, halves) && REFERS (halves, WaitHalf, in_frame, halves)
         && REFERS (queues, WaitQueue, head, halves) && REFERS (queues, WaitQueue, tail, halves)
         && REFERS (members, WaitMember, instance, instances) && REFERS (members, WaitMember, frame, frames)
         && REFERS (members, WaitMember, next, members) && REFERS (members, WaitMember, in_frame, members)
         && REFERS (instances, WaitInstance, members, members) && REFERS (begun, WaitBegun, member, members)
         && REFERS (tasks, WaitTask, node, nodes) && REFERS (halves, WaitHalf, node, nodes)
         && REFERS (instances, WaitInstance, node, nodes) && REFERS (nodes, WaitNode, parent, nodes)
         && REFERS (begun, WaitBegun, node, nodes) && REFERS (nodes, WaitNode, own_child, nodes)
         && REFERS (begun, WaitBegun, half, halves) && REFERS (halves, WaitHalf, done_node, nodes)
         && REFERS (tasks, WaitTask, late, late) && REFERS (late, WaitLate, next, late)
         && REFERS (halves, WaitHalf, done, shares) && REFERS (halves, WaitHalf, share, shares)
         && REFERS (members, WaitMember, share, shares) && REFERS (shares, WaitShare, node, nodes)
         && REFERS (tasks, WaitTask, spawn_node, nodes) && REFERS (tasks, WaitTask, born_node, nodes)
         && REFERS (tasks, WaitTask, teams, teams) && REFERS (teams, WaitTeam, next, teams)
         && REFERS (groups, WaitGroup, members, belongs) && REFERS (belongs, WaitBelongs, next, belongs);
#undef REFERS
}

/* In their order, which is what regions are known by. */
static bool
load_phases (Waits *w, EveBlobView *from)
{
  forget_phases (w);
  for (int64_t i = 0, n = eve_get_int (from); i < n; i++) {
    const char *name = eve_get_text (from);
    if (!eve_get_ok (from) || phase_called (w, name) != PHASE_REGION + i)
      return false;
  }
  return eve_get_ok (from);
}

bool
waits_load (Waits *w, EveBlobView *from)
{
  Table *all[N_TABLES];

  waits_unsettle (w);
  waits_forget_rows (w);
  tables_of (w, all);
  for (int i = 0; i < N_TABLES; i++)
    if (!table_load (all[i], from))
      return false;
  return eve_get_ints (from, w->count, N_COUNTS) == N_COUNTS
         && eve_get_ints (from, &w->parts[0][0], sizeof w->parts / sizeof (int64_t))
                == sizeof w->parts / sizeof (int64_t)
         && causes_load (w, from) && path_load (w, from) && load_phases (w, from) && eve_get_ok (from) && refers (w);
}
