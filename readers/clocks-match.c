/* SPDX-License-Identifier: Apache-2.0 */
/* clocks-match.c - what belongs together: sends and receives, and who takes part in an operation of a group. */
#include <string.h>

#include "readers/clocks-private.h"

/* ---- what kinds of event do ------------------------------------------------------------------------------------------------- */

uint8_t
clocks_does (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);
  bool object = false, members = false;

  for (uint32_t f = 0; f < k->n_fields; f++) {
    object |= k->fields[f].role == TRACE_ROLE_OBJECT;
    members |= k->fields[f].role == TRACE_ROLE_PEERS && strcmp (k->fields[f].name, "members") == 0;
  }
  return (uint8_t) ((acts & TRACE_ACT_SEND && !(acts & TRACE_ACT_MULTICAST) ? DOES_SEND : 0)
                    | (acts & TRACE_ACT_RECEIVE ? DOES_RECEIVE : 0) | (acts & TRACE_ACT_COLLECTIVE ? DOES_TOGETHER : 0)
                    | (object && members && acts & TRACE_ACT_MARK ? DOES_TELL : 0));
}

/* ---- first reading: what belongs together ------------------------------------------------------------------------------------ */

static uint64_t
two (uint32_t a, uint32_t b)
{
  return (uint64_t) a << 32 | b;
}

static uint64_t *
clocks_match_number_at (GHashTable *t, uint64_t key)
{
  uint64_t *n = g_hash_table_lookup (t, &key);

  if (!n) {
    n = g_new0 (uint64_t, 2);
    n[0] = key;
    g_hash_table_insert (t, n, n + 1);
    return n + 1;
  }
  return n;
}

static void
clocks_match_take_part (Clocks *c, const TraceEvent *e)
{
  if (begins (e) && e->object != TRACE_NONE) {
    Part p = { .group = e->object,
               .task = e->task,
               .root = e->peer,
               .kind = e->kind,
               .k = (*clocks_match_number_at (c->counts, two (e->object, e->task)))++,
               .begin = e->number,
               .end = NEVER,
               .began = e->date };
    g_array_append_val (c->parts, p);
    *clocks_match_number_at (c->open, e->record) = c->parts->len;
  }
  if (ends (e)) {
    uint64_t record = e->record, *at = g_hash_table_lookup (c->open, &record);
    if (at && *at > 0) {
      Part *p = &g_array_index (c->parts, Part, *at - 1);
      p->end = e->number;
      p->ended = e->date;
      g_hash_table_remove (c->open, &record);
    }
  }
}

void
clocks_note (Clocks *c, const TraceEvent *e)
{
  uint8_t what = c->does[e->kind];
  Half h = { .number = e->number, .date = e->date };
  uint32_t n = 0;

  if (what & DOES_SEND && begins (e) && trace_reaches (e, false, e->peer)) {
    h.of = trace_queue (&c->queues, e, e->task, e->peer);
    g_array_append_val (c->sends, h);
  }
  if (what & DOES_RECEIVE && ends (e) && trace_received (e)) {
    h.of = trace_queue (&c->queues, e, e->peer, e->task);
    g_array_append_val (c->receives, h);
  }
  if (what & DOES_TOGETHER)
    clocks_match_take_part (c, e);
  if (what & DOES_TELL && trace_list (e, &n))
    *clocks_match_number_at (c->sizes, e->object) += n;
}

static int
by_queue (const void *a, const void *b)
{
  const Half *p = a, *q = b;
  const TraceQueue *x = &p->of, *y = &q->of;

  return x->from != y->from       ? (x->from > y->from) - (x->from < y->from)
         : x->to != y->to         ? (x->to > y->to) - (x->to < y->to)
         : x->object != y->object ? (x->object > y->object) - (x->object < y->object)
         : x->tag != y->tag       ? (x->tag > y->tag) - (x->tag < y->tag)
                                  : (p->number > q->number) - (p->number < q->number);
}

static int
clocks_match_by_number (const void *a, const void *b) /* of causes and effects, whose first member it is */
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

/* Where in an array sorted by_number() something is; the array's length: nowhere. */
guint
clocks_find_number (const GArray *all, uint64_t number)
{
  guint size = g_array_get_element_size ((GArray *) all), low = 0, high = all->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    uint64_t its;
    memcpy (&its, all->data + (size_t) middle * size, sizeof its);
    if (its < number)
      low = middle + 1;
    else if (its > number)
      high = middle;
    else
      return middle;
  }
  return all->len;
}

/* Which send is of which receive, as early.h says: a source that is corrected has been gone through. */
static void
match_queue (Clocks *c, const Half *sends, guint n_sends, const Half *receives, guint n_receives)
{
  const GArray *early = c->s->early;

  for (guint k = 0, i = 0; k < n_receives && i < n_sends; k++) {
    const Half *s = &sends[i], *r = &receives[k];
    const TraceEarly *e = early && early->len > 0 ? trace_early_find (early, r->number) : NULL;
    if (e ? e->sent == TRACE_NEVER_SENT : s->number > r->number)
      continue;
    g_array_append_val (c->causes, ((Cause){ s->number, s->date, TRACE_NONE, false }));
    g_array_append_val (c->effects, ((Effect){ r->number, s->number, r->date }));
    i++;
  }
}

/* How many halves, from one on, are of its queue. */
static guint
queue_length (const GArray *halves, guint from)
{
  guint end = from;

  while (end < halves->len
         && trace_queue_is (&g_array_index (halves, Half, end).of, &g_array_index (halves, Half, from).of))
    end++;
  return end - from;
}

static void
clocks_match_queues (Clocks *c)
{
  g_array_sort (c->sends, by_queue);
  g_array_sort (c->receives, by_queue);
  for (guint i = 0, k = 0; i < c->sends->len && k < c->receives->len;) {
    const Half *s = &g_array_index (c->sends, Half, i), *r = &g_array_index (c->receives, Half, k);
    guint n_sends = queue_length (c->sends, i), n_receives = queue_length (c->receives, k);
    bool same = trace_queue_is (&s->of, &r->of);
    int order = same ? 0 : by_queue (s, r);
    if (same)
      match_queue (c, s, n_sends, r, n_receives);
    i += order <= 0 ? n_sends : 0;
    k += order >= 0 ? n_receives : 0;
  }
  g_array_sort (c->causes, clocks_match_by_number);
  g_array_sort (c->effects, clocks_match_by_number);
  for (guint i = 0; i < c->effects->len; i++) {
    Effect *e = &g_array_index (c->effects, Effect, i);
    e->cause = clocks_find_number (c->causes, e->cause);
  }
  g_array_set_size (c->sends, 0);
  g_array_set_size (c->receives, 0);
}

static int
by_instance (const void *a, const void *b)
{
  const Part *x = a, *y = b;

  return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
         : x->k != y->k       ? (x->k > y->k) - (x->k < y->k)
                              : (x->task > y->task) - (x->task < y->task);
}

static int
by_begin (const void *a, const void *b, void *parts)
{
  uint64_t x = g_array_index ((GArray *) parts, Part, *(const uint32_t *) a).begin,
           y = g_array_index ((GArray *) parts, Part, *(const uint32_t *) b).begin;

  return (x > y) - (x < y);
}

static int
by_end (const void *a, const void *b, void *parts)
{
  uint64_t x = g_array_index ((GArray *) parts, Part, *(const uint32_t *) a).end,
           y = g_array_index ((GArray *) parts, Part, *(const uint32_t *) b).end;

  return (x > y) - (x < y);
}

/* How many tasks a group has, whose parts begin at `first`: as it is told, else as many as ever take part. */
static uint64_t
clocks_match_size_of (const Clocks *c, guint first)
{
  const Part *p = &g_array_index (c->parts, Part, first);
  uint64_t key = p->group, n = 0;
  const uint64_t *told = g_hash_table_lookup (c->sizes, &key);

  if (told && *told > 0)
    return *told;
  for (; first + n < c->parts->len && p[n].group == p->group && p[n].k == 0; n++)
    ;
  return n;
}

static void
find_instances (Clocks *c)
{
  uint64_t size = 0;

  g_array_sort (c->parts, by_instance);
  for (guint i = 0; i < c->parts->len;) {
    const Part *first = &g_array_index (c->parts, Part, i);
    Instance n = { .first = i, .class = c->classes[first->kind], .latest = INT64_MIN, .root_began = INT64_MIN };
    if (i == 0 || first[-1].group != first->group)
      size = clocks_match_size_of (c, i);
    for (; i < c->parts->len; i++, n.n++) {
      Part *p = &g_array_index (c->parts, Part, i);
      if (p->group != first->group || p->k != first->k)
        break;
      if (p->kind != first->kind || p->root != first->root)
        n.class = TRACE_COLLECTIVE_OTHER;
      p->instance = c->instances->len;
    }
    if (n.n < size || n.class == TRACE_COLLECTIVE_SCAN)
      n.class = TRACE_COLLECTIVE_OTHER;
    g_array_append_val (c->instances, n);
  }
  for (uint32_t i = 0; i < c->parts->len; i++) {
    g_array_append_val (c->begins, i);
    g_array_append_val (c->ends, i);
  }
  g_array_sort_with_data (c->begins, by_begin, c->parts);
  g_array_sort_with_data (c->ends, by_end, c->parts);
}

Part *
clocks_part_of (const Clocks *c, const GArray *order, uint64_t number, bool end)
{
  guint low = 0, high = order->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    Part *p = &g_array_index (c->parts, Part, g_array_index (order, uint32_t, middle));
    uint64_t its = end ? p->end : p->begin;
    if (its < number)
      low = middle + 1;
    else if (its > number)
      high = middle;
    else
      return p;
  }
  return NULL;
}

void
clocks_match (Clocks *c)
{
  clocks_match_queues (c);
  find_instances (c);
}
