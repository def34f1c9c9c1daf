/* SPDX-License-Identifier: Apache-2.0 */
/* async.c - what has two ends that are told far from each other: flows, which are messages between threads, and
 * asynchronous slices.  Halves find each other by their keys, whichever of them comes first in the file. */
#include <string.h>

#include "readers/chrome/chrome.h"
#include "eve/words.h"
#include "readers/pair.h"

/* How many of one key are looked at for the other half, from the last one on: a file that begins a hundred thousand
 * of one key and ends as many others would else take the square of that. */
#define MOST_OF_KEY 1000

typedef struct Half Half;
struct Half {        /* of a flow */
  uint64_t key, any; /* any: the key of this id whatever its name; 0: of slices that are bound */
  Half *next;        /* of the same key, that came before it */
  TraceEvent event;
  uint64_t place, at;
  bool starts, taken; /* at the end of the file: which half it is, and whether it has the other */
  bool once;          /* no other message has its id: clocks may differ, so that it ends before it begins */
  bool step; /* what starts at a step, which may as well be the last one of its flow; as Kineto has them, what starts at
                a numbered call, which may lead to nothing, and what ends in a lane aside, of which no start may be
                told: alone, they are left out */
};

typedef struct Open Open;
struct Open { /* an asynchronous slice that has begun, or that has ended before it began */
  Open *next; /* the one around it */
  uint64_t record, at;
  int64_t date;
  uint32_t object;
  uint16_t kind;
};

typedef struct Async { /* those of one key, inside of each other */
  uint64_t key, any;   /* any: the key of this id in any process */
  uint32_t lane;
  Open *innermost;
} Async;

static void
free_half (void *p)
{
  for (Half *h = p, *next; h; h = next) {
    next = h->next;
    g_free (h);
  }
}

static void
free_async (void *p)
{
  Async *a = p;

  for (Open *o = a->innermost, *next; o; o = next) {
    next = o->next;
    g_free (o);
  }
  g_free (a);
}

void
chrome_open_halves (Chrome *c)
{
  c->starts = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, free_half);
  c->ends = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, free_half);
  c->open = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, free_async);
  c->early = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, free_async);
  c->last_of_id = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
}

void
chrome_free_halves (Chrome *c)
{
  g_hash_table_unref (c->starts);
  g_hash_table_unref (c->ends);
  g_hash_table_unref (c->open);
  g_hash_table_unref (c->early);
  g_hash_table_unref (c->last_of_id);
}

static void
async_is_alone (Chrome *c, uint64_t at)
{
  c->first_alone = c->alone == 0 ? at : MIN (c->first_alone, at);
  c->alone++;
}

static void
add_to_key (Chrome *c, const JsonValue *v)
{
  if (v->type)
    g_string_append_len (c->key, v->at, (gssize) MIN (v->n, MOST_NAME));
  g_string_append_c (c->key, '\0');
}

static bool
is_flow (const Record *r)
{
  return r->phase == 's' || r->phase == 't' || r->phase == 'f';
}

/* By which the halves of a record are known; of one process, where others may use the same id. */
static uint64_t
async_key_of (Chrome *c, const Record *r, bool by_name, bool of_process)
{
  const JsonValue *id = chrome_id (r);

  g_string_truncate (c->key, 0);
  add_to_key (c, &r->category);
  add_to_key (c, by_name ? &r->name : &r->scope);
  if (by_name && is_flow (r)) /* the same id in another scope is another one */
    add_to_key (c, &r->scope);
  add_to_key (c, id);
  if (id == &r->local || of_process)
    add_to_key (c, &r->pid);
  return name_table_hash (c->key->str, c->key->len);
}

/* ---- flows ------------------------------------------------------------------------------------------------------------------ */

static void
give_flow (Chrome *c, Half *start, Half *end)
{
  int32_t tag = (int32_t) (c->n_links++ & INT32_MAX);

  start->event.peer = end->event.task;
  end->event.peer = start->event.task;
  start->event.tag = end->event.tag = tag;
  if (start->event.date == end->event.date && start->place > end->place) { /* nothing comes before it was sent */
    uint64_t place = start->place;
    start->place = end->place;
    end->place = place;
  }
  converter_event_at (c->to, &start->event, start->place);
  converter_event_at (c->to, &end->event, end->place);
  chrome_tied (c, &start->event, &end->event);
}

static void
give_alone (Chrome *c, const Half *h)
{
  if (h->step)
    return;
  if (chrome_is_tied (c, h->event.task, h->event.date)) /* by its number of correlation */
    return;
  converter_event_at (c->to, &h->event, h->place);
  async_is_alone (c, h->at);
}

static Half
half_of (Chrome *c, const Record *r, uint64_t key, Act act, int64_t date)
{
  Half h = { .key = key,
             .any = is_flow (r) ? async_key_of (c, r, false, false) : 0,
             .at = chrome_offset (c, r),
             .once = r->scope.n == 4 && memcmp (r->scope.at, "once", 4) == 0 };

  h.event = (TraceEvent){
    .date = date, .task = chrome_flow_task (c, r, date), .peer = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT
  };
  h.step = h.event.task != chrome_thread (c, r);
  chrome_values (c, r, act == SEND ? "FlowStart" : "FlowEnd", act, &h.event);
  h.place = converter_place (c->to);
  return h;
}

/* Of those of a key that wait, the first that may be the other half of this one: an end that is not before its date, or
 * a start that is not after it, and of another record: a step is the end of one and the start of the next.  NULL: none
 * may. */
static Half *
async_take_half (Chrome *c, GHashTable *in, const Half *of)
{
  const uint64_t key = of->key;
  const int64_t date = of->event.date;
  Half *first = g_hash_table_lookup (in, &key), *before = NULL;
  unsigned left = MOST_OF_KEY;

  for (Half *h = first; h && left-- > 0; before = h, h = h->next) {
    if (h->at == of->at || (!h->once && (in == c->ends ? h->event.date < date : h->event.date > date)))
      continue;
    if (before) {
      before->next = h->next;
    } else {
      g_hash_table_steal (in, &key);
      if (h->next)
        g_hash_table_insert (in, &h->next->key, h->next);
    }
    c->n_halves--;
    return h;
  }
  return NULL;
}

/* The one that comes last is the first to be taken: keys are used again, and a start that got lost does not draw all
 * later ones after it. */
static void
let_wait (Chrome *c, GHashTable *in, const Half *half)
{
  if (c->n_halves >= MOST_HALVES) {
    give_alone (c, half);
    return;
  }
  Half *h = g_memdup2 (half, sizeof *half);
  h->next = g_hash_table_lookup (in, &h->key);
  g_hash_table_steal (in, &h->key);
  g_hash_table_insert (in, &h->key, h);
  c->n_halves++;
}

static void
end_flow (Chrome *c, const Record *r, uint64_t key, int64_t date)
{
  Half end = half_of (c, r, key, RECEIVE, date);
  g_autofree Half *start = async_take_half (c, c->starts, &end);

  if (start)
    give_flow (c, start, &end);
  else
    let_wait (c, c->ends, &end);
}

static void
start_flow (Chrome *c, const Record *r, uint64_t key, int64_t date, bool step)
{
  Half start = half_of (c, r, key, SEND, date);
  start.step = step || chrome_is_last_call (c, start.event.task, date);
  g_autofree Half *end = async_take_half (c, c->ends, &start);

  if (end)
    give_flow (c, &start, end);
  else
    let_wait (c, c->starts, &start);
}

int64_t
chrome_size_of_flow (const Record *r)
{
  bool tells = r->n_args > 0 && (r->phase == 's' || r->phase == 't' || r->phase == 'f');
  const JsonValue *v = tells ? chrome_argument (r, "bytes") : NULL;
  int64_t size;

  return v && v->type == '0' && json_decimal (v->at, v->n, 1, &size) && size >= 0 ? size : -1;
}

void
chrome_flow (Chrome *c, const Record *r, int64_t date)
{
  uint64_t key = async_key_of (c, r, true, false);
  const TraceEvent e = { .date = date, .task = chrome_thread (c, r) };

  if (r->phase == 'f' && chrome_is_last_call (c, e.task, date)) /* as Kineto has of calls that launch nothing */
    return;
  if (r->phase != 's')
    end_flow (c, r, key, date);
  if (r->phase != 'f')
    start_flow (c, r, key, date, r->phase == 't');
  if (r->n_args != 1 || chrome_size_of_flow (r) < 0) /* a size is the message's own */
    chrome_note (c, r, "Flow", &e);
}

static bool
is_true (const JsonValue *v)
{
  return v->type && !(v->n == 5 && memcmp (v->at, "false", 5) == 0);
}

void
chrome_bound (Chrome *c, const Record *r, int64_t date)
{
  g_string_truncate (c->key, 0);
  add_to_key (c, &r->bind);
  uint64_t key = name_table_hash (c->key->str, c->key->len);
  if (is_true (&r->flow_in))
    end_flow (c, r, key, date);
  if (is_true (&r->flow_out))
    start_flow (c, r, key, date, is_true (&r->flow_in));
}

/* ---- asynchronous slices ----------------------------------------------------------------------------------------------------- */

static Async *
slices_of (GHashTable *in, uint64_t key)
{
  Async *a = g_hash_table_lookup (in, &key);

  if (!a) {
    a = g_new0 (Async, 1);
    a->key = key;
    g_hash_table_insert (in, &a->key, a);
  }
  return a;
}

/* The innermost of this name, or of any where that has none, that may have this end, or this begin. */
static Open *
async_take (Async *a, uint32_t object, int64_t date, bool ends)
{
  unsigned left = MOST_OF_KEY;

  for (Open **at = a ? &a->innermost : NULL; at && *at && left-- > 0; at = &(*at)->next) {
    Open *o = *at;
    bool may = object == TRACE_NONE || o->object == TRACE_NONE || o->object == object;
    if (may && (ends ? o->date <= date : o->date >= date)) {
      *at = o->next;
      return o;
    }
  }
  return NULL;
}

static void
async_forget (Chrome *c, GHashTable *in, Async *a)
{
  if (a->innermost)
    return;
  if (in == c->open)
    g_array_index (c->lanes, Lane, a->lane).busy = false;
  const uint64_t *last = g_hash_table_lookup (c->last_of_id, &a->any);
  if (last && *last == a->key)
    g_hash_table_remove (c->last_of_id, &a->any);
  g_hash_table_remove (in, &a->key);
}

static void
remember_id (Chrome *c, const Record *r, bool by_name, Async *a)
{
  a->any = async_key_of (c, r, by_name, false);
  g_hash_table_replace (c->last_of_id, g_memdup2 (&a->any, sizeof a->any), g_memdup2 (&a->key, sizeof a->key));
}

/* Ids are those of a process, as a rule, though no record says so; but a slice may begin in one process and end in
 * another.  So the other half is looked for in the process of this one first, then in that of the last record of its
 * id in which one waits. */
static uint64_t
key_among (Chrome *c, GHashTable *in, const Record *r, bool by_name)
{
  uint64_t own = async_key_of (c, r, by_name, true), any;

  if (g_hash_table_contains (in, &own))
    return own;
  any = async_key_of (c, r, by_name, false);
  const uint64_t *last = g_hash_table_lookup (c->last_of_id, &any);
  return last && g_hash_table_contains (in, last) ? *last : own;
}

static void
begin_slice (Chrome *c, const Record *r, bool by_name, int64_t date)
{
  uint64_t key = async_key_of (c, r, by_name, true), early_key = key_among (c, c->early, r, by_name);
  Async *early = g_hash_table_lookup (c->early, &early_key), *a = g_hash_table_lookup (c->open, &key);
  uint32_t lane = a ? a->lane : chrome_lane (c, r, date);
  TraceEvent e = { .date = date, .task = g_array_index (c->lanes, Lane, lane).task, .peer = TRACE_NONE, .tag = -1 };

  chrome_values (c, r, "Async", ASYNC, &e);
  uint64_t record = converter_begin (c->to, &e);
  g_autofree Open *end = async_take (early, e.object, date, false);
  if (end) {
    Lane *l = &g_array_index (c->lanes, Lane, lane);
    converter_end (c->to, &e, record, date, end->date);
    l->from = MAX (l->from, end->date);
    async_forget (c, c->early, early);
    c->n_halves--;
    return;
  }
  if (c->n_halves >= MOST_HALVES) {
    async_is_alone (c, chrome_offset (c, r));
    return;
  }
  if (!a) {
    a = slices_of (c->open, key);
    remember_id (c, r, by_name, a);
    a->lane = lane;
    g_array_index (c->lanes, Lane, lane).busy = true;
  }
  Open *o = g_new (Open, 1);
  *o = (Open){ a->innermost, record, chrome_offset (c, r), date, e.object, e.kind };
  a->innermost = o;
  c->n_halves++;
}

static void
end_slice (Chrome *c, const Record *r, bool by_name, int64_t date)
{
  uint64_t key = key_among (c, c->open, r, by_name);
  Async *a = g_hash_table_lookup (c->open, &key);
  uint32_t object = r->name.type ? chrome_named (c, ASYNC, &r->name) : TRACE_NONE;
  g_autofree Open *o = async_take (a, object, date, true);
  TraceEvent e = { .date = date, .peer = TRACE_NONE, .tag = -1 };

  if (o) {
    Lane *lane = &g_array_index (c->lanes, Lane, a->lane);
    e.task = lane->task;
    e.object = o->object;
    e.kind = o->kind;
    converter_end (c->to, &e, o->record, o->date, date);
    lane->from = MAX (lane->from, date);
    c->n_halves--;
    async_forget (c, c->open, a);
  } else {
    e.task = chrome_thread (c, r);
    if (c->n_halves < MOST_HALVES) {
      Open *early = g_new (Open, 1);
      uint64_t own = async_key_of (c, r, by_name, true);
      Async *of = slices_of (c->early, own);
      remember_id (c, r, by_name, of);
      *early = (Open){ of->innermost, 0, chrome_offset (c, r), date, object, 0 };
      of->innermost = early;
      c->n_halves++;
    } else {
      async_is_alone (c, chrome_offset (c, r));
    }
  }
  chrome_note (c, r, "AsyncEnd", &e);
}

void
chrome_async (Chrome *c, const Record *r, int64_t date)
{
  bool old = strchr ("STpF", r->phase) != NULL;
  const Async *a;
  uint64_t key;
  TraceEvent e;

  switch (r->phase) {
  case 'b':
  case 'S':
    begin_slice (c, r, old, date);
    break;
  case 'e':
  case 'F':
    end_slice (c, r, old, date);
    break;
  default:
    key = key_among (c, c->open, r, old);
    a = g_hash_table_lookup (c->open, &key);
    e = (TraceEvent){ .date = date, .peer = TRACE_NONE, .tag = -1, .flags = TRACE_INSTANT };
    e.task = a ? g_array_index (c->lanes, Lane, a->lane).task : chrome_thread (c, r);
    chrome_values (c, r, r->phase == 'n' ? "AsyncInstant" : "AsyncStep", MARK, &e);
    converter_event (c->to, &e);
  }
}

/* ---- at the end of the file --------------------------------------------------------------------------------------------------- */

static gint
async_by_place (gconstpointer a, gconstpointer b)
{
  const Half *x = *(const Half *const *) a, *y = *(const Half *const *) b;

  return (x->place > y->place) - (x->place < y->place);
}

static gint
async_by_date (gconstpointer a, gconstpointer b)
{
  const Half *x = *(const Half *const *) a, *y = *(const Half *const *) b;

  return x->event.date != y->event.date ? (x->event.date > y->event.date) - (x->event.date < y->event.date)
                                        : async_by_place (a, b);
}

/* Some writers call each end of a flow by the slice that it is in: of the halves that are alone, an end takes the last
 * start of its id, whatever both are called. */
static void
match_by_id (Chrome *c, GPtrArray *halves)
{
  g_autoptr (GHashTable)
      starts = g_hash_table_new_full (pair_hash, g_int64_equal, NULL, (GDestroyNotify) g_ptr_array_unref);

  g_ptr_array_sort (halves, async_by_date);
  for (guint i = 0; i < halves->len; i++) {
    Half *h = halves->pdata[i];
    GPtrArray *of = g_hash_table_lookup (starts, &h->any);
    if (!of)
      g_hash_table_insert (starts, &h->any, of = g_ptr_array_new ());
    if (h->starts) {
      g_ptr_array_add (of, h);
    } else if (h->any != 0 && of->len > 0) {
      Half *start = g_ptr_array_steal_index (of, of->len - 1);
      give_flow (c, start, h);
      start->taken = h->taken = true;
    }
  }
}

/* Keys stand in the tables by chance; what is given is in the order of the file, so that it is the same each time. */
void
chrome_end_halves (Chrome *c)
{
  g_autoptr (GPtrArray) halves = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;

  for (int side = 0; side < 2; side++) {
    g_hash_table_iter_init (&iter, side == 0 ? c->starts : c->ends);
    while (g_hash_table_iter_next (&iter, NULL, &value))
      for (Half *h = value; h; h = h->next) {
        h->starts = side == 0;
        g_ptr_array_add (halves, h);
      }
  }
  match_by_id (c, halves);
  g_ptr_array_sort (halves, async_by_place);
  for (guint i = 0; i < halves->len; i++)
    if (!((const Half *) halves->pdata[i])->taken)
      give_alone (c, halves->pdata[i]);
  g_hash_table_iter_init (&iter, c->early);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    for (const Open *o = ((const Async *) value)->innermost; o; o = o->next)
      async_is_alone (c, o->at);
  if (c->alone == 0)
    return;
  trace_source_remark (c->source, c->file, 0, c->first_alone,
                       P_ ("%" PRIu64 " flow or asynchronous slice began or ended alone, the first here",
                           "%" PRIu64 " flows or asynchronous slices began or ended alone, the first here", c->alone),
                       c->alone);
}
