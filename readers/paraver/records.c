/* SPDX-License-Identifier: Apache-2.0 */
/* records.c - the body of a Paraver trace: states, events, messages. */
#include <math.h>
#include <string.h>

#include "readers/paraver/paraver.h"
#include "eve/words.h"
#include "readers/digits.h"
#include "readers/pair.h"
#include "readers/vectors.h"

#define MOST_NUMBERS 64 /* of a record that is read at once */
#define MOST_PAIRS (MOST_NUMBERS / 2)
#define MOST_DEPTH 4000 /* calls of a thread that are open at once */

/* ---- kinds -------------------------------------------------------------------------------------------------------------- */

static const char *
unit_of_dates (const Paraver *p)
{
  return p->unit == 1 ? "ns" : p->unit == 1000 ? "us" : p->unit == 1000000 ? "ms" : "s";
}

void
paraver_kinds (Paraver *p)
{
  const TraceField state[] = { { "state", TRACE_ROLE_REGION, NULL } };
  const TraceField send[] = { { "to", TRACE_ROLE_PEER, NULL },
                              { "key", TRACE_ROLE_KEY, NULL },
                              { "bytes", TRACE_ROLE_SIZE, "B" },
                              { "message_tag", TRACE_ROLE_INT, NULL },
                              { "physical", TRACE_ROLE_INT, unit_of_dates (p) } };
  const TraceField receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                 { "key", TRACE_ROLE_KEY, NULL },
                                 { "bytes", TRACE_ROLE_SIZE, "B" },
                                 { "message_tag", TRACE_ROLE_INT, NULL },
                                 { "logical", TRACE_ROLE_INT, unit_of_dates (p) } };
  const TraceField of[] = { { "type", TRACE_ROLE_OBJECT, NULL } };
  const TraceField variable[] = { { "value", TRACE_ROLE_VALUE, NULL } };
#define KIND(name_, end_, category_, fields_, n_, instant_, acts_)                                                     \
  converter_kind (p->to, &(TraceKind){ .name = name_,                                                                  \
                                       .end_name = end_,                                                               \
                                       .category = category_,                                                          \
                                       .fields = fields_,                                                              \
                                       .n_fields = n_,                                                                 \
                                       .instant = instant_,                                                            \
                                       .acts = acts_ })
  p->state_kind = KIND ("State", "EndState", "state", state, 1, false, TRACE_ACT_CALL);
  p->send_kind = KIND ("Send", NULL, "message", send, 5, true, TRACE_ACT_SEND);
  p->receive_kind = KIND ("Receive", NULL, "message", receive, 5, true, TRACE_ACT_RECEIVE);
  p->lone_kind = KIND ("EndAlone", NULL, "event", of, 1, true, TRACE_ACT_MARK);
  p->cpu_kind = KIND ("Processor", NULL, "variable", variable, 1, true, TRACE_ACT_SET);
  p->end_kind = KIND ("EndOfTrace", NULL, "trace", NULL, 0, true, TRACE_ACT_MARK);
}

/* Kinds of one name would be one for whoever counts them. */
static char *
records_kind_name (const Paraver *p, const ParaverType *t)
{
  for (uint32_t i = 0; i < p->source->n_kinds; i++)
    if (strcmp (p->source->kinds[i].name, t->label) == 0)
      return g_strdup_printf ("%s (%u)", t->label, t->number);
  return g_strdup (t->label);
}

/* The kind of the events of a type, from its first event on.  Beyond a bound there is none: they are noted alone. */
static void
records_add_kind (Paraver *p, ParaverType *t)
{
  static const TraceTypeKind declared[] = {
    [PARAVER_VARIABLE] = TRACE_VARIABLE, [PARAVER_CALL] = TRACE_STATES, [PARAVER_MARK] = TRACE_MARKS
  };
  static const TraceField fields[] = { [PARAVER_VARIABLE] = { "value", TRACE_ROLE_VALUE, NULL },
                                       [PARAVER_CALL] = { "call", TRACE_ROLE_REGION, NULL },
                                       [PARAVER_MARK] = { "value", TRACE_ROLE_OBJECT, NULL } };

  t->type = trace_source_add_type (p->source, declared[t->meaning], t->label, NULL, p->type_thread);
  TraceType *type = p->source->types->pdata[t->type];
  t->object = type->object;
  if (paraver_is_mpi (t->number))
    type->does = TRACE_WAITS;
  g_autofree char *name = records_kind_name (p, t), *end = g_strdup_printf ("End of %s", name);
  t->kind = converter_kind (p->to, &(TraceKind){ .name = name,
                                                 .end_name = t->meaning == PARAVER_CALL ? end : NULL,
                                                 .category = t->meaning == PARAVER_VARIABLE ? "variable"
                                                             : t->meaning == PARAVER_CALL   ? "call"
                                                                                            : "event",
                                                 .fields = &fields[t->meaning],
                                                 .n_fields = 1,
                                                 .instant = t->meaning != PARAVER_CALL,
                                                 .acts = t->meaning == PARAVER_VARIABLE ? TRACE_ACT_SET
                                                         : t->meaning == PARAVER_CALL   ? TRACE_ACT_CALL
                                                                                        : TRACE_ACT_MARK });
}

static ParaverType *
records_type_of (Paraver *p, int64_t number)
{
  ParaverType **near = &p->near[(uint32_t) number & 1023];

  if (G_LIKELY (*near && (*near)->number == number))
    return *near;
  ParaverType *t = paraver_type (p->names, (uint32_t) number);
  if (t->kind == TRACE_NONE && p->source->n_kinds >= MOST_TYPES)
    t = paraver_type (p->names, 0); /* all beyond are one */
  if (t->number != number && p->first_beyond == 0)
    p->first_beyond = paraver_line (p);
  if (t->kind == TRACE_NONE)
    records_add_kind (p, t);
  if (t->number == number)
    *near = t;
  return t;
}

/* ---- objects ------------------------------------------------------------------------------------------------------------- */

static uint32_t
records_add_value (Paraver *p, uint32_t type, const char *name, bool words)
{
  if (p->n_named++ < MOST_NAMED)
    return words ? trace_source_add_state (p->source, type, name) : trace_source_add_value (p->source, type, name);
  p->n_named--;
  if (p->first_unnamed == 0)
    p->first_unnamed = paraver_line (p);
  return ((const TraceType *) p->source->types->pdata[type])->object; /* it is known by its type alone */
}

static uint32_t
find_state (Paraver *p, int64_t number)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (p->state_objects, GINT_TO_POINTER ((gint) number)));

  if (known > 0)
    return known - 1;
  const char *name = g_hash_table_lookup (p->names->states, GINT_TO_POINTER ((gint) number));
  g_autofree char *usual = g_strdup_printf ("State %" PRId64, number);
  uint32_t object = records_add_value (p, p->states, name ? name : usual, true);
  TraceObject *o = p->source->objects->pdata[object];
  guint colour = GPOINTER_TO_UINT (g_hash_table_lookup (p->names->colours, GINT_TO_POINTER ((gint) number)));
  if (colour > 0)
    trace_source_set_colour (p->source, o->id, colour - 1);
  if (paraver_is_running (p->names, number))
    o->does = TRACE_WORKS;
  else if (!o->does && paraver_is_running (p->names, 1)) /* what nobody else knows is not what Extrae calls work */
    o->does = TRACE_WAITS;
  g_hash_table_insert (p->state_objects, GINT_TO_POINTER ((gint) number), GUINT_TO_POINTER (object + 1));
  return object;
}

static inline uint32_t
object_of_state (Paraver *p, int64_t number)
{
  if (G_UNLIKELY (number >= (int64_t) G_N_ELEMENTS (p->near_states)))
    return find_state (p, number);
  if (G_UNLIKELY (p->near_states[number] == 0))
    p->near_states[number] = find_state (p, number) + 1;
  return p->near_states[number] - 1;
}

/* "Begin" of what is but begun and ended says less than the type; the one call of a type says more. */
static bool
records_is_plain (const ParaverType *t, const char *name)
{
  static const char *const begins[] = { "begin", "start", "enter", "entry", "open", "on", NULL };
  const int64_t end = 0;

  if (t->meaning != PARAVER_CALL || g_hash_table_size (t->values) > (g_hash_table_contains (t->values, &end) ? 2u : 1u))
    return false;
  for (const char *const *word = begins; *word; word++)
    if (g_ascii_strcasecmp (name, *word) == 0)
      return true;
  return false;
}

static uint32_t
object_of_value (Paraver *p, ParaverType *t, int64_t value)
{
  if (G_LIKELY (t->last > 0 && t->last_value == value))
    return t->last - 1;
  if (!t->objects)
    t->objects = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (t->objects, &value));
  if (known == 0) {
    const char *name = t->values ? g_hash_table_lookup (t->values, &value) : NULL;
    g_autofree char *usual = paraver_usual_call (t, value);
    name = !name || !*name ? usual : records_is_plain (t, name) ? t->label : name;
    known = records_add_value (p, t->type, name, paraver_is_runtime (t->number)) + 1;
    if (p->n_named < MOST_NAMED)
      g_hash_table_insert (t->objects, g_memdup2 (&value, sizeof value), GUINT_TO_POINTER (known));
  }
  t->last_value = value;
  t->last = known;
  return known - 1;
}

/* ---- fields of a record ------------------------------------------------------------------------------------------------------ */

static bool
is_date (const Paraver *p, int64_t date)
{
  return date >= 0 && date <= MOST_DATE / p->unit;
}

/* The thread, if the header tells it. */
static inline Thread *
find_thread (const Paraver *p, int64_t a, int64_t t, int64_t n)
{
  if (G_UNLIKELY (a < 1 || t < 1 || n < 1 || a > p->n_applications))
    return NULL;
  uint32_t task = p->first_task[a - 1];
  if (G_UNLIKELY (t > p->first_task[a] - task))
    return NULL;
  uint32_t first = p->first_thread[task + t - 1];
  return G_LIKELY (n <= p->first_thread[task + t] - first) ? &g_array_index (p->threads, Thread, first + n - 1) : NULL;
}

/* "cpu:appl:task:thread", behind a ":".  NULL, and told: there is none. */
static Thread *
read_thread (Paraver *p, const char **at, int64_t *cpu, int64_t *application)
{
  int64_t a, t, n;

  if (G_UNLIKELY (!paraver_next (at, cpu) || !paraver_next (at, &a) || !paraver_next (at, &t)
                  || !paraver_next (at, &n))) {
    paraver_damaged (p, _ ("the record ends, or has no number, where it tells who it is of"));
    return NULL;
  }
  if (G_UNLIKELY (a < 1 || t < 1 || n < 1)) {
    paraver_damaged (p, _ ("applications, tasks and threads have numbers from 1"));
    return NULL;
  }
  *application = a;
  Thread *known = find_thread (p, a, t, n);
  if (known)
    return known;
  Thread *other = paraver_other_thread (p, a, t, n);
  if (!other)
    paraver_damaged (p, _ ("there are more than %u threads; this record is left out"), MOST_TASKS);
  return other;
}

/* It is later than what the header says is the end. */
static void
look_at_date (Paraver *p, int64_t date)
{
  if (G_UNLIKELY (date > p->end && p->end >= 0) && p->n_late++ == 0)
    p->first_late = paraver_line (p);
}

static void
tell_cpu (Paraver *p, Thread *t, int64_t cpu, int64_t date)
{
  if (G_LIKELY (t->cpu == (uint32_t) cpu) || cpu <= 0)
    return;
  t->cpu = (uint32_t) cpu;
  converter_event (p->to, &(TraceEvent){ .date = date,
                                         .task = t->task,
                                         .peer = TRACE_NONE,
                                         .object = p->cpu_variable,
                                         .size = cpu,
                                         .tag = -1,
                                         .kind = (uint16_t) p->cpu_kind,
                                         .flags = TRACE_INSTANT });
}

/* ---- states --------------------------------------------------------------------------------------------------------------------- */

/* Written where it stays: half of all events are these. */
static inline void
put_state_event (Paraver *p, const Thread *t, int64_t date, int64_t duration, uint32_t object, uint8_t flags,
                 uint64_t values)
{
  TraceEvent *e = converter_room (p->to);

  *e = (TraceEvent){ .date = date,
                     .duration = duration,
                     .task = t->task,
                     .peer = TRACE_NONE,
                     .object = object,
                     .tag = -1,
                     .kind = (uint16_t) p->state_kind,
                     .flags = flags };
  converter_event_with (p->to, e, values);
}

/* False: no state can be so. */
static inline bool
records_put_state (Paraver *p, Thread *t, int64_t cpu, int64_t begin, int64_t end, int64_t state)
{
  bool open = end == -1;

  if (G_UNLIKELY (!is_date (p, begin) || (!open && !is_date (p, end)) || (!open && end < begin) || state < 0
                  || state > INT32_MAX))
    return false;
  look_at_date (p, end);
  tell_cpu (p, t, cpu, begin);
  const uint32_t object = object_of_state (p, state);
  const uint64_t values = converter_values (p->to);
  put_state_event (p, t, begin, open ? 0 : end - begin, object, open ? TRACE_UNFINISHED : 0, values);
  if (!open)
    put_state_event (p, t, end, end - begin, object, TRACE_END, values);
  return true;
}

static void
read_state (Paraver *p, const char *at)
{
  int64_t cpu, begin, end, state, application;
  Thread *t = read_thread (p, &at, &cpu, &application);

  if (!t)
    return;
  if (!paraver_next_date (&at, &begin) || !paraver_next_date (&at, &end) || !paraver_next (&at, &state)) {
    paraver_damaged (p, _ ("a state has a begin, an end and a number"));
    return;
  }
  if (!records_put_state (p, t, cpu, begin, end, state))
    paraver_damaged (p, _ ("no state can be from %" PRId64 " to %" PRId64), begin, end);
  else if (*at != '\0')
    paraver_damaged (p, _ ("behind the state is “%.40s”, which is left out"), at);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------ */

/* The place among the open calls of the innermost one of a type that had begun by then, + 1; 0: none is open. */
static uint32_t
find_open (const Thread *t, const ParaverType *type, int64_t date)
{
  uint32_t i = t->n_open;

  while (i > 0 && (t->open[i - 1].type != type || t->open[i - 1].begin > date))
    i--;
  return i;
}

static void
end_open (Paraver *p, Thread *t, uint32_t i, TraceEvent *e)
{
  Open o = t->open[i - 1];

  memmove (&t->open[i - 1], &t->open[i], (t->n_open - i) * sizeof *t->open);
  t->n_open--;
  if (o.together != TOGETHER_NONE)
    paraver_end_together (p, t, &o, e->date);
  e->task = t->calls;
  e->object = o.object;
  e->flags = 0;
  converter_end (p->to, e, o.begun, o.begin, e->date);
}

static void
records_begin_call (Paraver *p, Thread *t, ParaverType *type, TraceEvent *e, int64_t value)
{
  uint32_t before = type->replaces ? find_open (t, type, e->date) : 0;

  if (before > 0)
    end_open (p, t, before, e);
  if (t->n_open >= MOST_DEPTH) {
    if (p->n_deep++ == 0)
      paraver_damaged (p, _ ("a thread is inside of %d calls that have not ended; calls inside of these are left out"),
                       MOST_DEPTH);
    return;
  }
  if (t->n_open == t->room) {
    t->room = MAX (4, 2 * t->room);
    t->open = g_renew (Open, t->open, t->room);
  }
  e->task = t->calls;
  e->object = object_of_value (p, type, value);
  e->flags = 0;
  t->open[t->n_open++] = (Open){
    .type = type, .object = e->object, .begun = converter_begin (p->to, e), .begin = e->date, .together = TOGETHER_NONE
  };
  p->now.begins = type->number == PARAVER_TOGETHER;
}

/* 0 ends the innermost call of its type. */
static void
records_end_call (Paraver *p, Thread *t, ParaverType *type, TraceEvent *e)
{
  uint32_t i = find_open (t, type, e->date);

  if (i > 0) {
    end_open (p, t, i, e);
    return;
  }
  e->kind = (uint16_t) p->lone_kind; /* it begins before the trace does, or is just said to be over */
  e->object = type->object;
  converter_event (p->to, e);
}

static inline void
give_event (Paraver *p, Thread *t, ParaverType *type, int64_t date, int64_t value)
{
  TraceEvent e = {
    .date = date, .task = t->task, .peer = TRACE_NONE, .tag = -1, .kind = (uint16_t) type->kind, .flags = TRACE_INSTANT
  };

  switch (type->meaning) {
  case PARAVER_VARIABLE: {
    TraceEvent *in_place = converter_room (p->to);
    *in_place = e;
    in_place->object = type->object;
    in_place->size = value;
    converter_event (p->to, in_place);
    break;
  }
  case PARAVER_MARK:
    e.object = object_of_value (p, type, value);
    converter_event (p->to, &e);
    break;
  case PARAVER_CALL:
    if (value != 0)
      records_begin_call (p, t, type, &e, value);
    else
      records_end_call (p, t, type, &e);
    break;
  }
}

/* Values that are no whole number of 64 bits, as counters without a sign and those of power meters are: the nearest
 * real one is kept. */
static bool
give_real (Paraver *p, const Thread *t, const ParaverType *type, int64_t date, const char **at)
{
  char *end = NULL;
  bool number = **at == ':' && g_ascii_isdigit ((*at)[(*at)[1] == '-' ? 2 : 1]);
  double value = number ? g_ascii_strtod (*at + 1, &end) : 0;

  if (!end || (*end != ':' && *end != '\0') || end != *at + 1 + strspn (*at + 1, "+-.0123456789Ee") || !isfinite (value)
      || type->meaning != PARAVER_VARIABLE)
    return false;
  *at = end;
  return converter_event (p->to, &(TraceEvent){ .date = date,
                                                .task = t->task,
                                                .peer = TRACE_NONE,
                                                .object = type->object,
                                                .tag = -1,
                                                .real = value,
                                                .kind = (uint16_t) type->kind,
                                                .flags = TRACE_INSTANT | TRACE_REAL });
}

static inline void
begin_events (Paraver *p, Thread *t, int64_t cpu, int64_t date)
{
  look_at_date (p, date);
  tell_cpu (p, t, cpu, date);
  if (G_UNLIKELY (date < t->last) && p->n_back++ == 0)
    p->first_back = paraver_line (p);
  t->last = date;
  p->now = (ParaverNow){ .begins = false };
}

static inline void
records_put_pair (Paraver *p, Thread *t, int64_t date, int64_t type, int64_t value)
{
  give_event (p, t, records_type_of (p, type), date, value);
  if (G_UNLIKELY (type >= PARAVER_SENT && type <= PARAVER_COMMUNICATOR))
    paraver_note_together (p, type, value);
}

/* Pairs of types and values, n of them, n <= MOST_PAIRS.  Where all are variables, as most are of records with many,
 * they are given together. */
static inline void
put_pairs (Paraver *p, Thread *t, int64_t date, const int64_t *v, unsigned n)
{
  const ParaverType *types[MOST_PAIRS];
  bool together = n > 1;

  for (unsigned i = 0; i < n && together; i++) {
    types[i] = records_type_of (p, v[2 * i]);
    together = types[i]->meaning == PARAVER_VARIABLE && !(v[2 * i] >= PARAVER_SENT && v[2 * i] <= PARAVER_COMMUNICATOR);
  }
  for (unsigned i = 0; i < n && !together; i++)
    records_put_pair (p, t, date, v[2 * i], v[2 * i + 1]);
  for (unsigned i = 0; i < n && together;) {
    uint32_t many = n - i;
    TraceEvent *e = converter_rooms (p->to, &many);
    for (const TraceEvent *end = e + many; e < end; e++, i++)
      *e = (TraceEvent){ .date = date,
                         .task = t->task,
                         .peer = TRACE_NONE,
                         .object = types[i]->object,
                         .size = v[2 * i + 1],
                         .tag = -1,
                         .kind = (uint16_t) types[i]->kind,
                         .flags = TRACE_INSTANT };
    if (!converter_events (p->to, many))
      return;
  }
}

static inline void
end_events (Paraver *p, Thread *t, int64_t application, int64_t date)
{
  if (G_UNLIKELY (p->now.communicator > 0 && p->now.begins))
    paraver_begin_together (p, t, application, date);
}

static void
records_read_events (Paraver *p, const char *at)
{
  int64_t cpu, date, type, value, application;
  Thread *t = read_thread (p, &at, &cpu, &application);

  if (!t)
    return;
  if (!paraver_next_date (&at, &date) || !is_date (p, date)) {
    paraver_damaged (p, _ ("the events have no date that can be"));
    return;
  }
  begin_events (p, t, cpu, date);
  if (*at == '\0')
    paraver_damaged (p, _ ("the record has no event"));
  while (*at == ':') {
    const char *from = at;
    bool good = paraver_next (&at, &type) && type >= 0 && type <= UINT32_MAX && *at == ':';
    const char *behind = at;
    if (good && paraver_next (&behind, &value) && (*behind == ':' || *behind == '\0')) {
      records_put_pair (p, t, date, type, value);
      at = behind;
    } else if (!good || !give_real (p, t, records_type_of (p, type), date, &at)) {
      at = from;
      break;
    }
  }
  end_events (p, t, application, date);
  if (*at != '\0')
    paraver_damaged (p, _ ("“%.40s” is no type with a value; what is before it is kept"), at);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------------------ */

static void
records_give_message (Paraver *p, uint32_t from, uint32_t to, const int64_t *dates, int64_t size, int64_t tag)
{
  TraceEvent e = { .date = dates[0],
                   .task = from,
                   .peer = to,
                   .object = TRACE_NONE,
                   .size = size,
                   .tag = (int32_t) (p->n_messages++ & INT32_MAX),
                   .kind = (uint16_t) p->send_kind,
                   .flags = TRACE_INSTANT };

  converter_int (p->to, tag);
  converter_int (p->to, dates[1]);
  converter_event (p->to, &e);
  e.date = dates[3];
  e.task = to;
  e.peer = from;
  e.kind = (uint16_t) p->receive_kind;
  converter_int (p->to, tag);
  converter_int (p->to, dates[2]);
  /* A message that was waited for has come when the call of its receive ends, and is told behind the state that it ends
   * with: it is of that one, not of the next. */
  if (dates[2] < dates[3] && dates[0] < dates[3])
    converter_event_first (p->to, &e);
  else
    converter_event (p->to, &e);
}

/* Threads may move while the other one is looked for: only what they are is kept. */
static void
read_message (Paraver *p, const char *at)
{
  int64_t cpu, dates[4], size, tag, application;
  Thread *t = read_thread (p, &at, &cpu, &application);
  uint32_t from = t ? t->task : 0;

  if (!t)
    return;
  bool good = paraver_next_date (&at, &dates[0]) && paraver_next_date (&at, &dates[1]);
  t = good ? read_thread (p, &at, &cpu, &application) : NULL;
  if (good && !t)
    return;
  good = good && paraver_next_date (&at, &dates[2]) && paraver_next_date (&at, &dates[3]) && paraver_next (&at, &size)
         && paraver_next (&at, &tag);
  if (!good) {
    paraver_damaged (p, _ ("a message has two dates of who sends it, two of who gets it, a size and a tag"));
    return;
  }
  for (int i = 0; i < 4; i++)
    if (!is_date (p, dates[i])) {
      paraver_damaged (p, _ ("%" PRId64 " is no date of a message"), dates[i]);
      return;
    }
  if (size < 0) {
    paraver_damaged (p, _ ("a message has %" PRId64 " bytes"), size);
    return;
  }
  if (*at != '\0')
    paraver_damaged (p, _ ("behind the message is “%.40s”, which is left out"), at);
  look_at_date (p, dates[3]);
  records_give_message (p, from, t->task, dates, size, tag);
}

/* A global operation, as tools wrote it until about 2005: which group the call is of that the events of the same date
 * have begun. */
static void
read_global (Paraver *p, const char *at)
{
  int64_t cpu, application, date, group, sent, received, operation, root;
  Thread *t = read_thread (p, &at, &cpu, &application);

  if (!t)
    return;
  bool good = paraver_next (&at, &date) && paraver_next (&at, &group) && paraver_next (&at, &sent)
              && paraver_next (&at, &received) && paraver_next (&at, &operation) && paraver_next (&at, &root);
  const Open *o = good && t->n_open > 0 ? &t->open[t->n_open - 1] : NULL;
  if (!o || o->type->number != PARAVER_TOGETHER || o->begin != date || o->together != TOGETHER_NONE) {
    p->n_globals++;
    return;
  }
  p->now = (ParaverNow){
    .begins = true, .is_root = root == 1, .communicator = group, .sent = sent, .received = received
  };
  paraver_begin_together (p, t, application, date);
}

/* ---- whole lines ------------------------------------------------------------------------------------------------- */

/* A record that is nothing but numbers, and in which all is as it should be; else false, and nothing has come of it. */
static inline bool
quick_record (Paraver *p, const int64_t *v, unsigned n)
{
  Thread *t = n >= 8 ? find_thread (p, v[2], v[3], v[4]) : NULL, *other;
  int64_t types = 0;

  if (G_UNLIKELY (!t))
    return false;
  switch (v[0]) {
  case 1:
    return n == 8 && records_put_state (p, t, v[1], v[5], v[6], v[7]);
  case 2:
    for (unsigned i = 6; i < n; i += 2)
      types |= v[i];
    if (G_UNLIKELY (n % 2 > 0 || types > UINT32_MAX || !is_date (p, v[5])))
      return false;
    begin_events (p, t, v[1], v[5]);
    put_pairs (p, t, v[5], v + 6, (n - 6) / 2);
    end_events (p, t, v[2], v[5]);
    return true;
  case 3:
    other = n == 15 ? find_thread (p, v[8], v[9], v[10]) : NULL;
    if (!other || !is_date (p, v[5]) || !is_date (p, v[6]) || !is_date (p, v[11]) || !is_date (p, v[12]))
      return false;
    look_at_date (p, v[12]);
    records_give_message (p, t->task, other->task, (const int64_t[]){ v[5], v[6], v[11], v[12] }, v[13], v[14]);
    return true;
  default:
    return false;
  }
}

/* Blanks and colons behind a record mean nothing. */
static void
strip (char *line)
{
  size_t kept = strlen (line);

  while (kept > 0 && (g_ascii_isspace (line[kept - 1]) || line[kept - 1] == ':'))
    kept--;
  line[kept] = '\0';
}

static inline __attribute__ ((always_inline)) const char *
records_quick_lines (Paraver *p, const char *at, const char *end, bool wide)
{
  int64_t v[MOST_NUMBERS];
  const char *stop;

  while (at < end) {
    unsigned n = digits_list (at, ':', v, G_N_ELEMENTS (v), &stop, wide);
    p->n_ahead++;
    stop += G_UNLIKELY (*stop == '\r');
    if (G_UNLIKELY (*stop != '\n' || !quick_record (p, v, n))) {
      p->n_ahead--;
      break;
    }
    at = stop + 1;
  }
  return at;
}

/* The same with shifts and searches for bits in one step. */
static WIDE const char *
records_quick_lines_wide (Paraver *p, const char *at, const char *end)
{
  return records_quick_lines (p, at, end, true);
}

static const char *
records_quick_lines_plain (Paraver *p, const char *at, const char *end)
{
  return records_quick_lines (p, at, end, false);
}

void
paraver_quick (Paraver *p)
{
  char *end;
  const char *at = input_ahead (p->in, &end);

  at = (has_vectors () ? records_quick_lines_wide : records_quick_lines_plain) (p, at, end);
  input_skip (p->in, at, p->n_ahead);
  p->n_ahead = 0;
}

/* A line, with what may be read behind it, that is nothing but numbers, and in order; else nothing has come of it. */
static bool
records_quick_line (Paraver *p, const char *line, size_t length)
{
  int64_t v[MOST_NUMBERS];
  const char *end;
  unsigned n = digits_list (line, ':', v, G_N_ELEMENTS (v), &end, false);

  return end == line + length && quick_record (p, v, n);
}

void
paraver_record (Paraver *p, char *line)
{
  strip (line);
  if (records_quick_line (p, line, strlen (line)))
    return;
  if (line[1] != ':' && line[0] != '\0') {
    paraver_damaged (p, _ ("“%.40s” is no record: these begin with 1:, 2: or 3:"), line);
    return;
  }
  switch (line[0]) {
  case '1':
    read_state (p, line + 1);
    break;
  case '2':
    records_read_events (p, line + 1);
    break;
  case '3':
    read_message (p, line + 1);
    break;
  case '4':
    read_global (p, line + 1);
    break;
  case 'c':
  case 'C':
    paraver_communicator (p, line + 1);
    break;
  case 'i':
  case 'I': /* between two communicators: no record names one */
    break;
  default:
    paraver_damaged (p, _ ("“%.40s” is no record: these begin with 1:, 2: or 3:"), line);
    break;
  }
}
