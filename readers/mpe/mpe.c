/* SPDX-License-Identifier: Apache-2.0 */
/* mpe.c - logs of events whose numbers begin and end states.  A state is given when it ends, with what both its records
 * tell; what never ends is given at the end of the log. */
#include <string.h>

#include "readers/mpe.h"
#include "eve/words.h"
#include "readers/pair.h"

#define MOST_DEFINITIONS 20000
#define MOST_TASKS 200000
#define MOST_OPEN 200000
#define MOST_WORDS 1000 /* bytes, of a state's */

typedef struct MpeState {
  uint32_t kind;
  uint32_t ended; /* those that one number ends have this in common */
  char *name;
  MpeForm form;
} MpeState;

typedef struct MpeEvent {
  uint32_t kind;
  MpeForm form;
} MpeEvent;

typedef struct Open {
  OpenCall call; /* the first */
  const MpeState *state;
  int64_t date;
  MpeDetail detail;
} Open;

static void
free_state (void *p)
{
  mpe_form_clear (&((MpeState *) p)->form);
  g_free (((MpeState *) p)->name);
  g_free (p);
}

static void
free_event (void *p)
{
  mpe_form_clear (&((MpeEvent *) p)->form);
  g_free (p);
}

static void
free_open (OpenCall *call)
{
  Open *o = (Open *) call;

  g_free ((char *) o->detail.text);
  g_free ((char *) o->detail.source);
  g_free (o);
}

static const TraceField of_send[] = { { "to", TRACE_ROLE_PEER, NULL },
                                      { "tag", TRACE_ROLE_TAG, NULL },
                                      { "bytes", TRACE_ROLE_SIZE, "B" } };
static const TraceField of_receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                         { "tag", TRACE_ROLE_TAG, NULL },
                                         { "bytes", TRACE_ROLE_SIZE, "B" } };

void
mpe_begin (Mpe *m, Converter *to, const char *file)
{
  *m = (Mpe){ .to = to, .source = converter_source (to), .file = file };
  m->starts = g_hash_table_new (NULL, NULL);
  m->ends = g_hash_table_new (NULL, NULL);
  m->events = g_hash_table_new (NULL, NULL);
  m->states = g_ptr_array_new_with_free_func (free_state);
  m->all_events = g_ptr_array_new_with_free_func (free_event);
  m->tasks = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  m->open = open_calls_new ();
  m->send = converter_kind (
      to, &(TraceKind){ "Send", NULL, "message", of_send, G_N_ELEMENTS (of_send), true, TRACE_ACT_SEND });
  m->receive = converter_kind (
      to, &(TraceKind){ "Receive", NULL, "message", of_receive, G_N_ELEMENTS (of_receive), true, TRACE_ACT_RECEIVE });
  together_begin (&m->together, to);
  m->source->clock = (TraceClock){ 1000000000, "s" };
}

void
mpe_free (Mpe *m)
{
  g_hash_table_unref (m->starts);
  g_hash_table_unref (m->ends);
  g_hash_table_unref (m->events);
  g_ptr_array_unref (m->states);
  g_ptr_array_unref (m->all_events);
  g_hash_table_unref (m->tasks);
  open_calls_free (m->open, free_open);
  together_end (&m->together);
}

void
mpe_damaged (Mpe *m, uint64_t line, uint64_t column, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (m->source, m->file, line, column, fmt, args);
  va_end (args);
}

uint32_t
mpe_task (Mpe *m, int64_t rank, int64_t thread)
{
  gint64 key = (gint64) ((guint64) rank << 32 ^ (guint64) (thread & UINT32_MAX));
  uint32_t task = GPOINTER_TO_UINT (g_hash_table_lookup (m->tasks, &key));

  if (G_LIKELY (task > 0))
    return task - 1;
  uint32_t process = thread != 0 ? mpe_task (m, rank, 0) : TRACE_NONE;
  if (m->source->tasks->len >= MOST_TASKS) {
    if (!m->crowded)
      mpe_damaged (m, 0, 0, _ ("more than %d processes; what the others did is shown as done by the first"),
                   MOST_TASKS);
    m->crowded = true;
    return 0;
  }
  g_autofree char *id = thread != 0 ? g_strdup_printf ("process %" PRId64 " thread %" PRId64, rank, thread)
                                    : g_strdup_printf ("process %" PRId64, rank);
  task = trace_source_add_task_in (m->source, id, thread != 0 ? thread : rank, TRACE_NONE, process);
  g_hash_table_insert (m->tasks, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (task + 1));
  return task;
}

uint32_t
mpe_partner (Mpe *m, int64_t rank)
{
  return rank >= 0 ? mpe_task (m, rank, 0) : TRACE_NONE;
}

/* ---- definitions ------------------------------------------------------------------------------------------------------------- */

static uint32_t
mpe_fields_of (const Mpe *m, const MpeForm *form, TraceField *fields)
{
  uint32_t n = 0;

  if (m->has_data) {
    fields[n++] = (TraceField){ "data", TRACE_ROLE_INT, NULL };
    fields[n++] = (TraceField){ "text", TRACE_ROLE_WORD, NULL };
  }
  if (m->has_source)
    fields[n++] = (TraceField){ "source", TRACE_ROLE_WORD, NULL };
  return n + mpe_form_fields (form, fields + n);
}

static bool
mpe_has_room (Mpe *m)
{
  return m->states->len + m->all_events->len < MOST_DEFINITIONS;
}

void
mpe_define_state (Mpe *m, int32_t start, int32_t end, const char *name, const char *colour, const char *form)
{
  uint32_t rgb;
  TraceField fields[MPE_MOST_VALUES + 4];

  if (!mpe_has_room (m) || g_hash_table_contains (m->starts, GINT_TO_POINTER (start)))
    return;
  MpeState *s = g_new0 (MpeState, 1);
  if (!m->has_data)
    mpe_form_parse (&s->form, form);
  uint32_t n = mpe_fields_of (m, &s->form, fields);
  g_autofree char *other = *name ? NULL : g_strdup_printf ("state %d", start);
  s->kind = converter_kind (
      m->to,
      &(TraceKind){
          .name = other ? other : name, .category = "state", .fields = fields, .n_fields = n, .acts = TRACE_ACT_CALL });
  s->name = g_strdup (name);
  if (colour && trace_colour_named (colour, &rgb))
    trace_source_set_colour (m->source, other ? other : name, rgb);
  const MpeState *alike = g_hash_table_lookup (m->ends, GINT_TO_POINTER (end));
  s->ended = alike ? alike->ended : m->states->len;
  g_ptr_array_add (m->states, s);
  g_hash_table_insert (m->starts, GINT_TO_POINTER (start), s);
  if (!alike)
    g_hash_table_insert (m->ends, GINT_TO_POINTER (end), s);
}

static MpeEvent *
add_event (Mpe *m, int32_t number, const char *name, const char *form)
{
  TraceField fields[MPE_MOST_VALUES + 4];
  MpeEvent *e = g_new0 (MpeEvent, 1);

  if (!m->has_data)
    mpe_form_parse (&e->form, form);
  uint32_t n = mpe_fields_of (m, &e->form, fields);
  e->kind = converter_kind (m->to, &(TraceKind){ .name = name,
                                                 .category = "event",
                                                 .fields = fields,
                                                 .n_fields = n,
                                                 .instant = true,
                                                 .acts = TRACE_ACT_MARK });
  g_ptr_array_add (m->all_events, e);
  g_hash_table_insert (m->events, GINT_TO_POINTER (number), e);
  return e;
}

void
mpe_define_event (Mpe *m, int32_t number, const char *name, const char *form)
{
  if (mpe_has_room (m) && !g_hash_table_contains (m->events, GINT_TO_POINTER (number)))
    add_event (m, number, *name ? name : "Event", form);
}

/* One that the log does not define is known by its number. */
static const MpeEvent *
mpe_event_of (Mpe *m, int32_t number)
{
  const MpeEvent *e = g_hash_table_lookup (m->events, GINT_TO_POINTER (number));

  if (e)
    return e;
  if (!mpe_has_room (m)) {
    e = g_hash_table_lookup (m->events, GINT_TO_POINTER (G_MININT));
    return e ? e : add_event (m, G_MININT, "Event", NULL);
  }
  g_autofree char *name = g_strdup_printf ("Event %d", number);
  return add_event (m, number, name, NULL);
}

/* ---- what happens -------------------------------------------------------------------------------------------------------------- */

static void
mpe_give_values (Mpe *m, const MpeForm *form, const MpeDetail *d)
{
  if (m->has_data) {
    if (d->has_data)
      converter_int (m->to, d->data);
    else
      converter_none (m->to);
    if (d->text && *d->text)
      converter_text (m->to, d->text, strlen (d->text));
    else
      converter_none (m->to);
  }
  if (m->has_source) {
    if (d->source)
      converter_text (m->to, d->source, strlen (d->source));
    else
      converter_none (m->to);
  }
  mpe_form_give (form, d->cargo, d->n_cargo, m->to);
}

static void
give_state (Mpe *m, uint32_t task, const Open *o, int64_t end, bool ended)
{
  mpe_give_values (m, &o->state->form, &o->detail);
  converter_nested (m->to,
                    &(TraceEvent){ .date = o->date,
                                   .task = task,
                                   .peer = TRACE_NONE,
                                   .object = TRACE_NONE,
                                   .tag = -1,
                                   .kind = (uint16_t) o->state->kind,
                                   .flags = ended ? 0 : TRACE_UNFINISHED },
                    end);
}

/* The operation of a group that a state is, inside of it. */
static void
give_together (Mpe *m, uint32_t task, const Open *o, int64_t end)
{
  uint32_t kind = o->detail.group > 0 && end > o->date ? together_kind (&m->together, o->state->name) : TOGETHER_NONE;

  if (kind == TOGETHER_NONE)
    return;
  converter_none (m->to);
  converter_nested (m->to,
                    &(TraceEvent){ .date = o->date,
                                   .task = task,
                                   .peer = TRACE_NONE,
                                   .object = o->detail.group - 1,
                                   .tag = -1,
                                   .kind = (uint16_t) kind },
                    end - 1);
}

static void
begin_state (Mpe *m, uint32_t task, int64_t date, const MpeState *state, const MpeDetail *d)
{
  Open o = { .state = state, .date = date, .detail = *d };

  if (open_calls_n (m->open) >= MOST_OPEN) {
    give_state (m, task, &o, date, false);
    return;
  }
  o.detail.text = d->text && *d->text ? g_strndup (d->text, MOST_WORDS) : NULL;
  o.detail.source = g_strdup (d->source);
  Open *open = g_memdup2 (&o, sizeof o);
  open_calls_begin (m->open, task, state->ended, &open->call);
}

/* The innermost one of this state, or of others that the same number ends. */
static bool
end_state (Mpe *m, uint32_t task, int64_t date, const MpeState *state, const MpeDetail *d)
{
  Open *o = (Open *) open_calls_end (m->open, task, state->ended);

  if (!o)
    return false;
  if (o->detail.n_cargo == 0) {
    memcpy (o->detail.cargo, d->cargo, d->n_cargo);
    o->detail.n_cargo = d->n_cargo;
  }
  if (!o->detail.text && d->text && *d->text)
    o->detail.text = g_strndup (d->text, MOST_WORDS);
  give_state (m, task, o, date, true);
  give_together (m, task, o, date);
  free_open (&o->call);
  return true;
}

void
mpe_event (Mpe *m, uint32_t task, int64_t date, int32_t number, const MpeDetail *d)
{
  const MpeState *starts = g_hash_table_lookup (m->starts, GINT_TO_POINTER (number)),
                 *ends = g_hash_table_lookup (m->ends, GINT_TO_POINTER (number));

  /* the steps of a program may follow on each other: the number that begins one ends the one before */
  bool over = ends && end_state (m, task, date, ends, d);
  if (starts && !(over && starts == ends))
    begin_state (m, task, date, starts, d);
  if (over || starts)
    return;
  m->alone += ends != NULL;
  const MpeEvent *e = mpe_event_of (m, number);
  mpe_give_values (m, &e->form, d);
  converter_event (m->to, &(TraceEvent){ .date = date,
                                         .task = task,
                                         .peer = TRACE_NONE,
                                         .object = TRACE_NONE,
                                         .tag = -1,
                                         .kind = (uint16_t) e->kind,
                                         .flags = TRACE_INSTANT });
}

void
mpe_message (Mpe *m, uint32_t task, int64_t date, bool sends, uint32_t partner, int32_t tag, int64_t bytes)
{
  converter_event (m->to, &(TraceEvent){ .date = date,
                                         .task = task,
                                         .peer = partner,
                                         .object = TRACE_NONE,
                                         .tag = tag,
                                         .size = bytes,
                                         .kind = (uint16_t) (sends ? m->send : m->receive),
                                         .flags = TRACE_INSTANT });
}

void
mpe_end (Mpe *m)
{
  for (uint32_t task = 0; task < open_calls_tasks (m->open); task++)
    for (OpenCall *c = open_calls_take_all (m->open, task), *inner; c; c = inner) {
      const Open *o = (const Open *) c;
      inner = c->inner;
      give_state (m, task, o, o->date, false);
      free_open (c);
    }
  if (m->alone > 0) {
    trace_source_remark (m->source, m->file, 0, 0,
                         P_ ("%" PRIu64 " state ended that had not begun; shown as events",
                             "%" PRIu64 " states ended that had not begun; shown as events", m->alone),
                         m->alone);
  }
  g_autofree int64_t *ranks = g_new (int64_t, (gsize) m->source->tasks->len + 1);
  for (guint i = 0; i < m->source->tasks->len; i++)
    ranks[i] = trace_task (m->source, i)->raw;
  converter_order_tasks (m->to, ranks); /* processes come as they begin */
}
