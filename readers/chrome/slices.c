/* SPDX-License-Identifier: Apache-2.0 */
/* slices.c - slices whose duration is told, and what ties those of a program to those of its accelerators: the call
 * that launches something, what a stream does because of it, and the call that waits until it is done.
 *
 * Profilers of accelerators (PyTorch's Kineto, rocprof, XLA) number each call, and what comes of it has that number
 * too: `correlation`.  Numbers are those of a process, so of calls that share one it is the one with the same `External
 * id`, else the last that began before.  Some tell the same by flows: what a flow has tied is left to it. */
#include <string.h>

#include "eve/words.h"
#include "readers/chrome/chrome.h"

#define MOST_LOOKED_AT 1000 /* of what ended during a call, to tell whether one stream alone has done something */

typedef enum {
  CALL_LAUNCHES,
  CALL_RECORDS, /* an event, behind what was launched before */
  CALL_WAITS_FOR_ALL,
  CALL_WAITS_FOR_STREAM,
  CALL_WAITS_FOR_OWN,
  CALL_WAITS_FOR_EVENT
} CallWhat;

typedef struct Call { /* of a program, with a number */
  uint64_t key, external;
  int64_t begin, end;
  uint32_t task;
  uint32_t what;
} Call;

typedef struct Doing { /* of a stream */
  uint64_t key, external;
  int64_t begin, end;
  int64_t launched;
  uint32_t task, by; /* who launched it; TRACE_NONE: nobody is known */
  bool flows;        /* that is told by a flow */
} Doing;

typedef struct Waited { /* what a call with this number waits for: a stream, TRACE_NONE: all of them */
  uint64_t key, external;
  int64_t date;
  uint32_t stream;
} Waited;

typedef struct Flow {
  int64_t start, end;
  uint32_t from, to;
  bool found; /* where it leads */
} Flow;

typedef struct Led { /* of a task */
  bool is_stream;    /* so far */
  uint32_t n_left;   /* flows that led to it and are not kept */
} Led;

struct Slices {
  GArray *calls, *doings, *waited, *flows;
  GArray *led;            /* by task */
  bool flows_are_crowded; /* most of those that are kept lead to streams */
  uint32_t last_task;     /* of the last call */
  int64_t last_date;
  uint64_t n_left, first_left; /* beyond MOST_TIES */
  uint32_t aside, lane;        /* the thread that the last slice in a lane was told of, and that lane */
  int64_t aside_date;
  uint32_t kinds[4]; /* + 1 */
  GByteArray *does;  /* by name of slices: 0: not asked, else 1 + CallWhat */
  bool ended;
};

static Slices *
slices_ties (Chrome *c)
{
  Slices *s = c->ties;

  if (!s) {
    s = c->ties = g_new0 (Slices, 1);
    s->calls = g_array_new (FALSE, FALSE, sizeof (Call));
    s->doings = g_array_new (FALSE, FALSE, sizeof (Doing));
    s->waited = g_array_new (FALSE, FALSE, sizeof (Waited));
    s->flows = g_array_new (FALSE, FALSE, sizeof (Flow));
    s->led = g_array_new (FALSE, TRUE, sizeof (Led));
    s->does = g_byte_array_new ();
    s->last_task = s->aside = TRACE_NONE;
  }
  return s;
}

void
chrome_free_slices (Chrome *c)
{
  Slices *s = c->ties;

  if (!s)
    return;
  g_array_unref (s->calls);
  g_array_unref (s->doings);
  g_array_unref (s->waited);
  g_array_unref (s->flows);
  g_array_unref (s->led);
  g_byte_array_unref (s->does);
  g_free (s);
}

static bool
slices_has_room (Chrome *c, const GArray *in, uint64_t at)
{
  if (in->len < MOST_TIES)
    return true;
  if (c->ties->n_left++ == 0)
    c->ties->first_left = at;
  return false;
}

/* ---- as they are read --------------------------------------------------------------------------------------------------- */

static bool
slices_category_is (const Record *r, const char *name)
{
  return r->category.type && r->category.n == strlen (name) && memcmp (r->category.at, name, r->category.n) == 0;
}

/* The sum of a number; 0 where none is told, or 0 is, which stands for none. */
static uint64_t
slices_number (const JsonValue *v)
{
  bool is_none = !v || !v->type || v->n == 0 || (v->n == 1 && *v->at == '0');

  return !is_none ? name_table_hash (v->at, v->n) : 0;
}

typedef struct SliceArguments { /* arguments of a slice; NULL: it has no such one */
  const JsonValue *correlation, *external, *stream, *on;
} SliceArguments;

static SliceArguments
slices_told (const Record *r)
{
  SliceArguments t = { NULL, NULL, NULL, NULL };

  for (uint32_t i = 0; i < r->n_fields; i++) {
    const Field *f = &r->fields[i];
#define IS(word) (f->n == sizeof (word) - 1 && memcmp (f->key, word, sizeof (word) - 1) == 0)
    if (!f->argument)
      continue;
    switch (f->n) {
    case 6:
      t.stream = IS ("stream") ? &f->value : t.stream;
      break;
    case 8:
    case 9:
      t.stream = IS ("queue-id") || IS ("stream-id") ? &f->value : t.stream;
      break;
    case 11:
      t.external = IS ("External id") ? &f->value : t.external;
      t.correlation = IS ("correlation") ? &f->value : t.correlation;
      break;
    case 13:
    case 14:
      t.correlation = IS ("correlationId") || IS ("correlation_id") ? &f->value : t.correlation;
      t.on = IS ("wait_on_stream") ? &f->value : t.on;
      break;
    default:
      break;
    }
#undef IS
  }
  return t;
}

/* Told of a stream, but not done by it: that somebody waits for it, and how a program calls what lasts there. */
static bool
slices_is_aside (const Record *r)
{
  return slices_category_is (r, "cuda_sync") || slices_category_is (r, "gpu_user_annotation");
}

static bool
slices_category_has (const Record *r, const char *part)
{
  return r->category.type && memmem (r->category.at, r->category.n, part, strlen (part));
}

static bool
slices_is_of_stream (const Record *r, const SliceArguments *t)
{
  if (t->stream) /* a call may tell its stream too */
    return !slices_category_has (r, "runtime") && !slices_category_has (r, "driver") && !slices_category_has (r, "api");
  return t->correlation
         && (slices_category_is (r, "kernel") || slices_category_is (r, "gpu_memcpy")
             || slices_category_is (r, "gpu_memset"));
}

static CallWhat
slices_call_does (const char *name)
{
  switch (trace_region_awaits (name)) {
  case TRACE_AWAITS_ALL:
    return CALL_WAITS_FOR_ALL;
  case TRACE_AWAITS_STREAM:
    return CALL_WAITS_FOR_STREAM;
  case TRACE_AWAITS_COPY:
    return CALL_WAITS_FOR_OWN;
  case TRACE_AWAITS_EVENT:
    return CALL_WAITS_FOR_EVENT;
  case TRACE_AWAITS_NOTHING:
    break;
  }
  return strstr (name, "EventRecord") ? CALL_RECORDS : CALL_LAUNCHES;
}

/* The same of a name of slices, which is looked at once. */
static CallWhat
slices_name_does (Chrome *c, uint32_t object)
{
  guint8 *does = trace_byte_of (slices_ties (c)->does, object);

  if (*does == 0)
    *does = (guint8) (1 + slices_call_does (trace_object_id (c->source, object)));
  return (CallWhat) (*does - 1);
}

static bool
slices_is_number (const JsonValue *v)
{
  return v && v->n > 0 && *v->at != '-';
}

static void
slices_add_waited (Chrome *c, const Record *r, const SliceArguments *t, int64_t date)
{
  bool some = slices_is_number (t->on) || slices_is_number (t->stream);
  bool event = r->name.n > 5 && memcmp (r->name.at, "Event", 5) == 0;
  const Waited w = { slices_number (t->correlation), slices_number (t->external), date,
                     some ? chrome_thread (c, r) : TRACE_NONE };

  /* Of an event that does not tell its stream nothing is known. */
  if (w.key != 0 && (some || !event) && slices_has_room (c, slices_ties (c)->waited, chrome_offset (c, r)))
    g_array_append_val (c->ties->waited, w);
}

static Led *
slices_led (Slices *s, uint32_t task)
{
  if (task >= s->led->len)
    g_array_set_size (s->led, task + 1);
  return &g_array_index (s->led, Led, task);
}

static void
slices_note (Chrome *c, const Record *r, const SliceArguments *t, const TraceEvent *e, int64_t end)
{
  uint64_t key = slices_number (t->correlation), at = chrome_offset (c, r);

  if (slices_is_of_stream (r, t)) {
    const Doing d = { key, slices_number (t->external), e->date, end, .task = e->task, .by = TRACE_NONE };
    slices_led (slices_ties (c), e->task)->is_stream = true;
    if (slices_has_room (c, c->ties->doings, at))
      g_array_append_val (c->ties->doings, d);
    return;
  }
  CallWhat what = slices_name_does (c, e->object);
  const Call call = { key, slices_number (t->external), e->date, end, e->task, what };
  if (key == 0 && what == CALL_LAUNCHES)
    return;
  if (slices_has_room (c, slices_ties (c)->calls, at))
    g_array_append_val (c->ties->calls, call);
  c->ties->last_task = key != 0 ? e->task : TRACE_NONE;
  c->ties->last_date = e->date;
}

/* In a lane of the process. */
static void
slices_give_aside (Chrome *c, const Record *r, int64_t date, int64_t end)
{
  uint32_t at = chrome_lane (c, r, date);
  Lane *lane = &g_array_index (c->lanes, Lane, at);
  TraceEvent e = { .date = date, .task = lane->task, .peer = TRACE_NONE, .tag = -1 };

  lane->from = MAX (lane->from, end);
  chrome_values (c, r, "Async", ASYNC, &e);
  uint64_t record = converter_begin (c->to, &e);
  converter_end (c->to, &e, record, date, end);
  Slices *s = slices_ties (c);
  s->aside = chrome_thread (c, r);
  s->aside_date = date;
  s->lane = e.task;
}

uint32_t
chrome_flow_task (Chrome *c, const Record *r, int64_t date)
{
  uint32_t task = chrome_thread (c, r);

  return c->ties && c->ties->aside == task && c->ties->aside_date == date ? c->ties->lane : task;
}

void
chrome_slice (Chrome *c, const Record *r, int64_t date)
{
  TraceEvent e = { .date = date, .peer = TRACE_NONE, .tag = -1 };
  int64_t duration = 0;
  bool good = r->duration.type && json_decimal (r->duration.at, r->duration.n, c->scale, &duration);

  if (!r->duration.type || (good && duration == -c->scale)) {
    e.flags = TRACE_UNFINISHED; /* the trace ended before it did; some write -1 then */
    duration = 0;
  } else if (!good || duration < 0) {
    chrome_damaged (c, chrome_offset (c, r), _ ("“%.*s” is no duration; it is taken as 0"),
                    (int) MIN (r->duration.n, 40), r->duration.at);
    duration = 0;
  }
  if (G_UNLIKELY (e.flags == 0 && slices_is_aside (r))) {
    const SliceArguments t = slices_told (r);
    slices_add_waited (c, r, &t, date);
    slices_give_aside (c, r, date, date + duration);
    return;
  }
  e.task = chrome_thread (c, r);
  chrome_values (c, r, "Slice", SLICE, &e);
  if (r->n_args > 0 && e.flags == 0) {
    const SliceArguments t = slices_told (r);
    slices_note (c, r, &t, &e, date + duration);
  }
  converter_nested (c->to, &e, date + duration);
}

bool
chrome_is_last_call (const Chrome *c, uint32_t task, int64_t date)
{
  return c->ties && c->ties->last_task == task && c->ties->last_date == date;
}

/* Keeps the flows that lead to streams, of which some may not be known yet. */
static void
slices_keep_flows (Slices *s)
{
  guint n = 0;

  for (guint i = 0; i < s->flows->len; i++) {
    const Flow f = g_array_index (s->flows, Flow, i);
    Led *led = slices_led (s, f.to);
    if (led->is_stream)
      g_array_index (s->flows, Flow, n++) = f;
    else
      led->n_left++;
  }
  g_array_set_size (s->flows, n);
  s->flows_are_crowded = n > MOST_TIES / 2;
}

void
chrome_tied (Chrome *c, const TraceEvent *start, const TraceEvent *end)
{
  const Flow f = { start->date, end->date, start->task, end->task };
  Slices *s = slices_ties (c);

  if (s->flows->len == MOST_TIES && !s->flows_are_crowded)
    slices_keep_flows (s);
  if (s->flows->len < MOST_TIES)
    g_array_append_val (s->flows, f);
  else
    slices_led (s, f.to)->n_left++;
}

/* ---- at the end: what is of which call ------------------------------------------------------------------------------------ */

static int
slices_by_key (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;

  return x->key != y->key       ? (x->key > y->key) - (x->key < y->key)
         : x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->task > y->task) - (x->task < y->task);
}

static int
slices_by_number (gconstpointer a, gconstpointer b)
{
  const Waited *x = a, *y = b;

  return x->key != y->key     ? (x->key > y->key) - (x->key < y->key)
         : x->date != y->date ? (x->date > y->date) - (x->date < y->date)
                              : (x->stream > y->stream) - (x->stream < y->stream);
}

/* By where they begin, and of those by who launched them: nobody last. */
static int
slices_by_place (gconstpointer a, gconstpointer b)
{
  const Doing *x = a, *y = b;

  return x->task != y->task           ? (x->task > y->task) - (x->task < y->task)
         : x->begin != y->begin       ? (x->begin > y->begin) - (x->begin < y->begin)
         : x->by != y->by             ? (x->by > y->by) - (x->by < y->by)
         : x->launched != y->launched ? (x->launched > y->launched) - (x->launched < y->launched)
                                      : (x->end > y->end) - (x->end < y->end);
}

/* The same of flows, by where they lead. */
static int
slices_by_flow (gconstpointer a, gconstpointer b)
{
  const Flow *x = a, *y = b;

  return x->to != y->to       ? (x->to > y->to) - (x->to < y->to)
         : x->end != y->end   ? (x->end > y->end) - (x->end < y->end)
         : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->start > y->start) - (x->start < y->start);
}

/* The first of what a stream began at a date, which has been launched if any of that has; NULL: it began nothing then.
 */
static const Doing *
slices_begun (const Slices *s, uint32_t task, int64_t date)
{
  guint from = 0, to = s->doings->len;
  const Doing *all = (const Doing *) (void *) s->doings->data;

  while (from < to) {
    guint middle = from + (to - from) / 2;
    bool before = all[middle].task != task ? all[middle].task < task : all[middle].begin < date;
    *(before ? &from : &to) = middle + !!before;
  }
  return from < s->doings->len && all[from].task == task && all[from].begin == date ? &all[from] : NULL;
}

static bool
slices_may_launch (const Call *call)
{
  return call->what == CALL_LAUNCHES || call->what == CALL_RECORDS || call->what == CALL_WAITS_FOR_OWN;
}

/* Of the calls with the number of what a stream did the one with the same external id, the last that began before it.
 */
static const Call *
slices_call_of (const Slices *s, const Doing *d)
{
  guint from = 0, to = s->calls->len;
  const Call *all = (const Call *) (void *) s->calls->data, *best = NULL;

  while (from < to) { /* behind the last that may be it */
    guint middle = from + (to - from) / 2;
    bool before = all[middle].key != d->key ? all[middle].key < d->key : all[middle].begin <= d->begin;
    *(before ? &from : &to) = middle + !!before;
  }
  for (guint left = MOST_LOOKED_AT; from-- > 0 && all[from].key == d->key && left-- > 0;) {
    if (!slices_may_launch (&all[from]))
      continue;
    best = best ? best : &all[from];
    if (all[from].external == d->external)
      return &all[from];
  }
  return best;
}

/* ---- two events, the one because of the other -------------------------------------------------------------------------------- */

enum { LAUNCH, LAUNCHED, DONE, AWAITED };

static uint16_t
slices_kind (Chrome *c, int which)
{
  static const TraceField fields[][2] = {
    [LAUNCH] = { { "to", TRACE_ROLE_PEER, NULL }, { "flow", TRACE_ROLE_KEY, NULL } },
    [LAUNCHED] = { { "from", TRACE_ROLE_PEER, NULL }, { "flow", TRACE_ROLE_KEY, NULL } },
    [DONE] = { { "to", TRACE_ROLE_PEER, NULL } },
    [AWAITED] = { { "from", TRACE_ROLE_PEER, NULL } },
  };
  static const char *const names[] = { "Launch", "Launched", "Done", "Awaited" };
  Slices *s = c->ties;

  if (s->kinds[which] == 0)
    s->kinds[which] = 1
                      + converter_kind (c->to, &(TraceKind){ .name = names[which],
                                                             .category = which < DONE ? "accelerator" : "wake",
                                                             .fields = fields[which],
                                                             .n_fields = which < DONE ? 2 : 1,
                                                             .instant = true,
                                                             .acts = which == LAUNCH     ? TRACE_ACT_SEND
                                                                     : which == LAUNCHED ? TRACE_ACT_RECEIVE
                                                                                         : TRACE_ACT_MARK });
  return (uint16_t) (s->kinds[which] - 1);
}

static void
slices_give_tie (Chrome *c, int first, uint32_t from, int64_t sent, uint32_t to, int64_t got)
{
  int32_t tag = first == LAUNCH ? (int32_t) (c->n_links++ & INT32_MAX) : -1;
  TraceEvent send = { .date = sent, .task = from, .peer = to, .tag = tag, .flags = TRACE_INSTANT },
             receive = { .date = got, .task = to, .peer = from, .tag = tag, .flags = TRACE_INSTANT };

  send.object = receive.object = TRACE_NONE;
  send.kind = slices_kind (c, first);
  receive.kind = slices_kind (c, first + 1);
  if (first == DONE) { /* the call that waits may end at that very date */
    converter_event_first (c->to, &send);
    converter_event_first (c->to, &receive);
  } else {
    converter_event (c->to, &send);
    converter_event (c->to, &receive);
  }
}

/* ---- who waits for what ----------------------------------------------------------------------------------------------------- */

static uint32_t
slices_process (const Chrome *c, uint32_t task)
{
  return task < c->source->tasks->len ? ((const TraceTask *) c->source->tasks->pdata[task])->parent : TRACE_NONE;
}

typedef struct Order {          /* what was launched, in an order of its own */
  uint32_t process, stream, at; /* of who launched it; of all: TRACE_NONE; in doings */
  int64_t date;
} Order;

static int
slices_by_order (gconstpointer a, gconstpointer b)
{
  const Order *x = a, *y = b;

  return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
         : x->stream != y->stream ? (x->stream > y->stream) - (x->stream < y->stream)
         : x->date != y->date     ? (x->date > y->date) - (x->date < y->date)
                                  : (x->at > y->at) - (x->at < y->at);
}

/* The index behind the last of a process and stream that is not after a date. */
static guint
slices_behind (const GArray *orders, uint32_t process, uint32_t stream, int64_t date)
{
  guint from = 0, to = orders->len;
  const Order key = { process, stream, UINT32_MAX, date };

  while (from < to) {
    guint middle = from + (to - from) / 2;
    bool before = slices_by_order (&g_array_index (orders, Order, middle), &key) <= 0;
    *(before ? &from : &to) = middle + !!before;
  }
  return from;
}

static bool
slices_order_is (const GArray *orders, guint i, uint32_t process, uint32_t stream)
{
  return i > 0 && g_array_index (orders, Order, i - 1).process == process
         && g_array_index (orders, Order, i - 1).stream == stream;
}

typedef struct Orders {
  GArray *of_stream, *of_all, *by_end;    /* by launch, of each stream and of all; by their ends, of all */
  GArray *records;                        /* of events, of each process */
  uint32_t *last_of_stream, *last_of_all; /* beside them: which of those up to there ends last */
} Orders;

/* Of each of an order that of those of its process and stream up to it which ends last. */
static uint32_t *
slices_last_ends (const GArray *orders, const Doing *all)
{
  uint32_t *last = g_new (uint32_t, orders->len + 1);

  for (guint i = 0; i < orders->len; i++) {
    const Order *o = &g_array_index (orders, Order, i);
    bool goes_on = slices_order_is (orders, i, o->process, o->stream);
    last[i] = goes_on && all[last[i - 1]].end > all[o->at].end ? last[i - 1] : o->at;
  }
  return last;
}

/* What a call waits for was launched before this date: before the call, or, if that waits for an event, before the last
 * one that its process has recorded by then. */
static int64_t
slices_launched_by (const GArray *records, const Call *call, uint32_t process)
{
  guint i = slices_behind (records, process, TRACE_NONE, call->begin);

  return call->what == CALL_WAITS_FOR_EVENT && slices_order_is (records, i, process, TRACE_NONE)
             ? g_array_index (records, Order, i - 1).date
             : call->begin;
}

/* What ended last while a call lasted, launched before it by its process; of one stream, or of all if no other one's
 * did; or what has its number.  NULL: it is not known. */
static const Doing *
slices_ended_last (const Slices *s, const Orders *o, const Call *call, uint32_t process, uint32_t stream)
{
  const Doing *all = (const Doing *) (void *) s->doings->data, *last = NULL;
  const GArray *by_end = o->by_end;
  bool own = call->what == CALL_WAITS_FOR_OWN;
  int64_t by = slices_launched_by (o->records, call, process);
  guint left = MOST_LOOKED_AT;

  for (guint i = slices_behind (by_end, process, TRACE_NONE, call->end);
       slices_order_is (by_end, i, process, TRACE_NONE); i--) {
    const Doing *d = &all[g_array_index (by_end, Order, i - 1).at];
    if (d->end <= call->begin)
      break;
    if (left-- == 0)
      return NULL;
    if (own && (call->key != 0 ? d->key == call->key : d->launched >= call->begin && d->launched <= call->end))
      return d;
    if (own || d->launched >= by || (stream != TRACE_NONE && d->task != stream))
      continue;
    if (last && last->task != d->task)
      return NULL;
    last = last ? last : d;
  }
  return last;
}

/* What is told of whom a call waits for; NULL: nothing. */
static const Waited *
slices_waited (const Slices *s, const Call *call)
{
  const Waited key = { .key = call->key, .date = call->begin }, *all = (const Waited *) (void *) s->waited->data,
               *best = NULL;
  guint from = 0, to = s->waited->len;

  while (from < to && call->key != 0) {
    guint middle = from + (to - from) / 2;
    bool before = slices_by_number (&all[middle], &key) < 0;
    *(before ? &from : &to) = middle + !!before;
  }
  for (guint n = 0; from < s->waited->len && all[from].key == call->key && all[from].date <= call->end && call->key != 0
                    && n < MOST_LOOKED_AT;
       n++, from++)
    if (!best || all[from].external == call->external)
      best = &all[from];
  return best;
}

static void
slices_give_wait (Chrome *c, const Orders *o, const Call *call)
{
  const Slices *s = c->ties;
  const Doing *all = (const Doing *) (void *) s->doings->data, *d = NULL;
  const Waited *waited = slices_waited (s, call);
  uint32_t process = slices_process (c, call->task);

  if (call->what == CALL_WAITS_FOR_ALL || (waited && call->what == CALL_WAITS_FOR_STREAM)) {
    bool of_all = call->what == CALL_WAITS_FOR_ALL || waited->stream == TRACE_NONE;
    uint32_t stream = of_all ? TRACE_NONE : waited->stream;
    const GArray *orders = of_all ? o->of_all : o->of_stream;
    guint i = slices_behind (orders, process, stream, MAX (call->begin, INT64_MIN + 1) - 1); /* launched before it */
    if (slices_order_is (orders, i, process, stream))
      d = &all[(of_all ? o->last_of_all : o->last_of_stream)[i - 1]];
  } else {
    d = slices_ended_last (s, o, call, process, waited ? waited->stream : TRACE_NONE);
  }
  if (d && d->end > call->begin)
    slices_give_tie (c, DONE, d->task, MIN (d->end, call->end), call->task, MIN (d->end, call->end));
}

static int
slices_by_date (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;

  return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                              : (x->task > y->task) - (x->task < y->task);
}

static void
slices_give_waits (Chrome *c)
{
  Slices *s = c->ties;
  const Doing *all = (const Doing *) (void *) s->doings->data;
  GArray *orders[4]; /* as Orders has them */

  for (size_t k = 0; k < G_N_ELEMENTS (orders); k++)
    orders[k] = g_array_new (FALSE, FALSE, sizeof (Order));

  for (guint i = 0; i < s->doings->len; i++)
    for (size_t k = 0; k < 3 && all[i].by != TRACE_NONE; k++) {
      const Order one = { slices_process (c, all[i].by), k == 0 ? all[i].task : TRACE_NONE, i,
                          k == 2 ? all[i].end : all[i].launched };
      g_array_append_val (orders[k], one);
    }
  for (guint i = 0; i < s->calls->len; i++) {
    const Call *call = &g_array_index (s->calls, Call, i);
    const Order one = { slices_process (c, call->task), TRACE_NONE, i, call->begin };
    if (call->what == CALL_RECORDS)
      g_array_append_val (orders[3], one);
  }
  for (size_t k = 0; k < G_N_ELEMENTS (orders); k++)
    g_array_sort (orders[k], slices_by_order);
  const Orders o = {
    orders[0], orders[1], orders[2], orders[3], slices_last_ends (orders[0], all), slices_last_ends (orders[1], all)
  };
  g_array_sort (s->waited, slices_by_number);
  g_array_sort (s->calls,
                slices_by_date); /* the order in which they are told is that of dates, whatever their numbers */
  for (guint i = 0; i < s->calls->len; i++)
    if (g_array_index (s->calls, Call, i).what >= CALL_WAITS_FOR_ALL)
      slices_give_wait (c, &o, &g_array_index (s->calls, Call, i));
  for (size_t k = 0; k < G_N_ELEMENTS (orders); k++)
    g_array_unref (orders[k]);
  g_free (o.last_of_stream);
  g_free (o.last_of_all);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------------- */

static void
slices_is_led_to (Doing *d, Flow *f)
{
  f->found = d->flows = true;
  d->by = f->from;
  d->launched = f->start;
}

/* Flows that lead to what numbers tie to the call where the flow begins. */
static void
slices_follow_numbered (Slices *s)
{
  for (guint i = 0, k = 0; i < s->flows->len && k < s->doings->len;) {
    Flow *f = &g_array_index (s->flows, Flow, i);
    Doing *d = &g_array_index (s->doings, Doing, k);
    const Doing place = { .task = f->to, .begin = f->end, .by = f->from, .launched = f->start, .end = d->end };
    int differs = slices_by_place (&place, d);
    if (differs == 0)
      slices_is_led_to (d, f);
    i += differs <= 0;
    k += differs >= 0;
  }
}

/* Those that are left lead to what else begins at the same date: first to what has no number, which stands last. */
static void
slices_follow_others (Slices *s)
{
  for (guint i = s->flows->len, k = s->doings->len; i > 0 && k > 0;) {
    Flow *f = &g_array_index (s->flows, Flow, i - 1);
    Doing *d = &g_array_index (s->doings, Doing, k - 1);
    int differs = f->to != d->task ? (f->to > d->task) - (f->to < d->task) : (f->end > d->begin) - (f->end < d->begin);
    if (differs == 0 && !f->found && !d->flows)
      slices_is_led_to (d, f);
    i -= differs > 0 || (differs == 0 && f->found);
    k -= differs < 0 || (differs == 0 && d->flows);
  }
}

/* Those to streams that are not kept. */
static void
slices_tell_flows (Chrome *c)
{
  const Slices *s = c->ties;
  uint64_t n = 0;

  for (guint i = 0; i < s->led->len; i++) {
    const Led *led = &g_array_index (s->led, Led, i);
    n += led->is_stream ? led->n_left : 0;
  }
  if (n > 0)
    trace_source_remark (c->source, c->file, 0, json_offset (&c->json),
                         _ ("more than %u flows lead to accelerators; where %" PRIu64
                            " others lead, launches are told by flows alone, and not by numbers of correlation"),
                         MOST_TIES, n);
}

void
chrome_end_slices (Chrome *c)
{
  Slices *s = c->ties;

  if (!s || s->doings->len == 0)
    return;
  g_array_sort (s->calls, slices_by_key);
  for (guint i = 0; i < s->doings->len; i++) {
    Doing *d = &g_array_index (s->doings, Doing, i);
    const Call *call = d->key != 0 ? slices_call_of (s, d) : NULL;
    if (!call || call->task == d->task)
      continue;
    d->by = call->task;
    d->launched = call->begin;
  }
  g_array_sort (s->doings, slices_by_place);
  g_array_sort (s->flows, slices_by_flow);
  slices_follow_numbered (s);
  slices_follow_others (s);
  g_array_sort (s->doings, slices_by_place); /* once more, as flows may say otherwise than numbers */
  s->ended = true;
  for (guint i = 0; i < s->doings->len; i++) {
    const Doing *d = &g_array_index (s->doings, Doing, i);
    bool told = d->flows || slices_led (s, d->task)->n_left > 0; /* by a flow, perhaps one that is not kept */
    if (d->by != TRACE_NONE && !told)
      slices_give_tie (c, LAUNCH, d->by, d->launched, d->task, d->begin);
  }
  slices_give_waits (c);
  slices_tell_flows (c);
  if (s->n_left > 0)
    trace_source_remark (c->source, c->file, 0, s->first_left,
                         _ ("more than %u calls to accelerators, or things that these do; what launched %" PRIu64
                            " of them, and who waits for it, is not told from here on"),
                         MOST_TIES, s->n_left);
}

bool
chrome_is_tied (const Chrome *c, uint32_t task, int64_t date)
{
  const Doing *d = c->ties && c->ties->ended ? slices_begun (c->ties, task, date) : NULL;

  return d && d->by != TRACE_NONE;
}
