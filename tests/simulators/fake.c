/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <string.h>

typedef struct Queued {
  TraceEvent event;
  int phase; /* at one date: 0 end, 1 begin, 2 end of what began now */
  size_t added;
} Queued;

struct Fake {
  TraceSource source;
  GArray *records, *queued, *events;
};

#define SENDS                                                                                                          \
  { "to", TRACE_ROLE_PEER, NULL }, { "tag", TRACE_ROLE_TAG, NULL },                                                    \
  {                                                                                                                    \
    "bytes", TRACE_ROLE_SIZE, "B"                                                                                      \
  }
#define RESULT                                                                                                         \
  {                                                                                                                    \
    "result", TRACE_ROLE_RESULT, NULL                                                                                  \
  }
static const TraceField result_fields[] = { RESULT };
static const TraceField send_fields[] = { SENDS, RESULT };
static const TraceField receive_fields[] = { { "asked_from", TRACE_ROLE_TASK, NULL }, SENDS, RESULT };
static const TraceField mcast_fields[] = { { "to", TRACE_ROLE_PEERS, NULL }, { "tag", TRACE_ROLE_TAG, NULL }, RESULT };
static const TraceField group_fields[] = { { "group", TRACE_ROLE_OBJECT, NULL }, RESULT };
static const TraceField phase_fields[] = { { "name", TRACE_ROLE_WORD, NULL } };

#define KIND(name, category, fields)                                                                                   \
  {                                                                                                                    \
    name, "End" name, category, fields, EVE_N (fields), false                                                          \
  }
static const TraceKind kinds[] = {
  { "Enroll", NULL, "task", NULL, 0, true },
  { "Exit", NULL, "task", result_fields, 1, true },
  { "User", NULL, "user", phase_fields, 1, true },
  KIND ("PkInt", "pack", result_fields),
  KIND ("UpkInt", "pack", result_fields),
  KIND ("JoinGroup", "group", group_fields),
  KIND ("LvGroup", "group", group_fields),
  KIND ("Barrier", "barrier", group_fields),
  KIND ("Send", "point", send_fields),
  KIND ("PSend", "point", send_fields),
  KIND ("Recv", "point", receive_fields),
  KIND ("PRecv", "point", receive_fields),
  KIND ("TRecv", "point", receive_fields),
  KIND ("NRecv", "point", receive_fields),
  KIND ("Mcast", "global", mcast_fields),
  KIND ("Bcast", "collective", group_fields),
  KIND ("Scatter", "collective", group_fields),
  KIND ("Gather", "collective", group_fields),
  KIND ("Reduce", "collective", group_fields),
  KIND ("Spawn", "function", result_fields),
  KIND ("Phase", "user", phase_fields),
};

static TraceValue
value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  const GArray *records = ((Fake *) s)->records;
  const FakeFields *r;

  if (e->record >= records->len) /* a run state may name any */
    return (TraceValue){ .kind = TRACE_VALUE_NONE };
  r = &g_array_index (records, FakeFields, e->record);
  switch (s->kinds[e->kind].fields[field].role) {
  case TRACE_ROLE_TASK:
    return r->asked > 0 ? (TraceValue){ .kind = TRACE_VALUE_TASK, .i = r->asked - 1 }
                        : (TraceValue){ .kind = TRACE_VALUE_NONE };
  case TRACE_ROLE_PEERS:
    return (TraceValue){ .kind = TRACE_VALUE_TASKS, .tasks = r->list, .n_tasks = r->n_list };
  case TRACE_ROLE_WORD:
    return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = r->word };
  default:
    return (TraceValue){ .kind = TRACE_VALUE_INT };
  }
}

static const TraceFormat format = { .name = "fake", .label = "Fake", .model = "PVM", .value = value };

Fake *
fake_new (uint32_t tasks, uint32_t groups)
{
  Fake *f = g_new0 (Fake, 1);

  trace_source_setup (&f->source, &format, "fake.trace", NULL);
  f->source.clock = (TraceClock){ 1000000000, "s" };
  f->source.kinds = kinds;
  f->source.n_kinds = EVE_N (kinds);
  for (uint32_t i = 0; i < tasks; i++) {
    g_autofree char *id = g_strdup_printf ("t%u", i);
    trace_source_add_task (&f->source, id, i);
  }
  for (uint32_t i = 0; i < groups; i++) {
    g_autofree char *id = g_strdup_printf ("g%u", i);
    trace_source_add_object (&f->source, id);
  }
  f->records = g_array_new (FALSE, TRUE, sizeof (FakeFields));
  f->queued = g_array_new (FALSE, TRUE, sizeof (Queued));
  f->events = g_array_new (FALSE, TRUE, sizeof (TraceEvent));
  return f;
}

void
fake_free (Fake *f)
{
  for (guint i = 0; i < f->records->len; i++)
    g_free ((gpointer) g_array_index (f->records, FakeFields, i).list);
  g_array_unref (f->records);
  g_array_unref (f->queued);
  g_array_unref (f->events);
  trace_source_clear (&f->source);
  g_free (f);
}

TraceSource *
fake_source (Fake *f)
{
  return &f->source;
}

uint16_t
fake_kind (const char *name)
{
  for (uint16_t i = 0; i < EVE_N (kinds); i++)
    if (strcmp (kinds[i].name, name) == 0)
      return i;
  g_error ("no kind %s", name);
}

void
fake_add (Fake *f, int64_t date, int64_t duration, const char *kind, uint32_t task, FakeFields x)
{
  uint16_t k = fake_kind (kind);
  Queued q = { .event = { .date = date,
                          .duration = MAX (duration, 0),
                          .record = f->records->len,
                          .size = x.size,
                          .task = task,
                          .peer = x.peer - 1,
                          .object = x.group - 1,
                          .tag = x.tag,
                          .result = x.result,
                          .kind = k,
                          .source = f->source.number },
               .phase = 1,
               .added = f->queued->len };

  x.list = x.n_list > 0 ? g_memdup2 (x.list, x.n_list * sizeof *x.list) : NULL;
  g_array_append_val (f->records, x);
  q.event.flags = kinds[k].instant ? TRACE_INSTANT : duration < 0 ? TRACE_UNFINISHED : x.late ? TRACE_OPEN : 0;
  Queued begun = q;
  if (x.late) {
    begun.event.duration = begun.event.result = 0;
    begun.event.size = strstr (kind, "Recv") ? 0 : x.size;
    begun.event.peer = strstr (kind, "Recv") ? TRACE_NONE : begun.event.peer;
  }
  g_array_append_val (f->queued, begun);
  if (q.event.flags != 0 && !x.late)
    return;
  q.phase = duration == 0 ? 2 : 0;
  q.event.date += duration;
  q.event.flags = x.late ? TRACE_END | TRACE_LATE : TRACE_END;
  g_array_append_val (f->queued, q);
}

static int
in_order (gconstpointer a, gconstpointer b)
{
  const Queued *x = a, *y = b;

  if (x->event.date != y->event.date)
    return x->event.date < y->event.date ? -1 : 1;
  if (x->phase != y->phase)
    return x->phase - y->phase;
  return (x->added > y->added) - (x->added < y->added);
}

const TraceEvent *
fake_events (Fake *f, size_t *n)
{
  g_array_sort (f->queued, in_order);
  g_array_set_size (f->events, f->queued->len);
  for (guint i = 0; i < f->queued->len; i++) {
    TraceEvent *e = &g_array_index (f->events, TraceEvent, i);
    *e = g_array_index (f->queued, Queued, i).event;
    e->number = i;
  }
  *n = f->events->len;
  return (const TraceEvent *) f->events->data;
}
