/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - an order of entries that are dated by vectors: who knows of another comes behind it.  Of the orders that
 * this allows it is that of a host of reference: what knows of more of its entries comes later.  Which messages there
 * were follows from the vectors too: somebody must have told what a host knows and did not know before. */
#include <stdlib.h>
#include <string.h>

#include "eve/words.h"
#include "readers/shiviz/shiviz.h"

#define TOLD 5u            /* of each kind of what cannot be */
#define MOST_VECTOR 60000u /* bytes; a value has 64 KiB */
#define MOST_KEPT 4194304u /* numbers that entries are taken to know still: 64 MiB */

typedef struct Message {
  uint32_t from, to; /* entries */
} Message;

typedef struct Order {
  Shiviz *s;
  ShivizEntry *entries; /* by host, then by number */
  uint32_t n, *first;   /* of each host; first[n_hosts] is n */
  uint32_t n_hosts, reference;
  int64_t *mine, *told; /* by host: of the entry at hand; of those that may have told it */
  GArray *came, *went;  /* of Message: by `to`, as entries are; by `from` */
  uint64_t n_unknown, n_impossible;
  uint32_t entry, send, receive; /* kinds */
} Order;

static int
by_host_and_number (gconstpointer a, gconstpointer b)
{
  const ShivizEntry *x = a, *y = b;

  if (x->host != y->host)
    return x->host < y->host ? -1 : 1;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

/* Two entries of one number: the first counts.  One that is missing is told, and an entry knows what its host has known
 * before. */
static void
shiviz_order_clean (Order *o)
{
  Shiviz *s = o->s;
  uint32_t n = 0, missing = 0;

  for (uint32_t i = 0; i < o->n; i++) {
    ShivizEntry *e = &o->entries[i], *last = n > 0 && o->entries[n - 1].host == e->host ? &o->entries[n - 1] : NULL;
    const char *host = trace_task_id (s->source, e->host);
    if (last && last->number == e->number) {
      trace_source_damage (s->source, s->file, e->line, 1,
                           _ ("entry %" PRId64 " of %s stands in line %" PRIu64 " already; left out"), e->number, host,
                           last->line);
      g_free (e->known);
      e->known = NULL;
      continue;
    }
    int64_t expected = last ? last->number + 1 : 1;
    if (e->number > expected && missing++ < TOLD)
      trace_source_remark (s->source, s->file, e->line, 1,
                           _ ("entries %" PRId64 " to %" PRId64 " of %s are missing before this one"), expected,
                           e->number - 1, host);
    const ShivizEntry kept = *e;
    e->known = NULL;
    o->entries[n++] = kept;
  }
  o->n = n;
}

/* What a line of a few bytes has forgotten may be much: where it is too much, such entries are left out. */
static void
learn_own (Order *o)
{
  Shiviz *s = o->s;
  uint32_t forgot = 0, n = 0;
  uint64_t kept = 0;

  for (uint32_t i = 0; i < o->n; i++) {
    ShivizEntry *e = &o->entries[i];
    const ShivizEntry *last = n > 0 && o->entries[n - 1].host == e->host ? &o->entries[n - 1] : NULL;
    bool lost = false;
    uint32_t n_mine = 0;
    memset (o->mine, 0, o->n_hosts * sizeof *o->mine);
    for (uint32_t k = 0; last && k < e->n_known; k++)
      o->mine[e->known[k].host] = e->known[k].n;
    for (uint32_t k = 0; last && k < last->n_known; k++)
      if (last->known[k].n > o->mine[last->known[k].host]) {
        o->mine[last->known[k].host] = last->known[k].n;
        lost = true;
      }
    if (lost && kept >= MOST_KEPT) {
      if (kept++ == MOST_KEPT)
        trace_source_damage (s->source, s->file, e->line, 1,
                             _ ("too much is forgotten in this log: such entries are left out from here on"));
      else
        s->source->n_damaged++;
      g_clear_pointer (&e->known, g_free);
      continue;
    }
    if (lost) {
      if (forgot++ < TOLD)
        trace_source_damage (s->source, s->file, e->line, 1,
                             _ ("%s knows less here than before; it is taken to know it still"),
                             trace_task_id (s->source, e->host));
      else
        s->source->n_damaged++;
      for (uint32_t h = 0; h < o->n_hosts; h++)
        n_mine += o->mine[h] > 0;
      g_free (e->known);
      e->known = g_new (ShivizKnown, n_mine);
      e->n_known = 0;
      for (uint32_t h = 0; h < o->n_hosts; h++)
        if (o->mine[h] > 0)
          e->known[e->n_known++] = (ShivizKnown){ h, o->mine[h] };
      kept = MIN (kept + n_mine, MOST_KEPT);
    }
    const ShivizEntry one = *e;
    e->known = NULL;
    o->entries[n++] = one;
  }
  o->n = n;
}

static uint32_t
shiviz_order_find (const Order *o, uint32_t host, int64_t number)
{
  uint32_t low = o->first[host], high = o->first[host + 1];

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (o->entries[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < o->first[host + 1] && o->entries[low].number == number ? low : TRACE_NONE;
}

/* Whether `from` may be before `to`, whose vector is in o->mine: it knows nothing that `to` does not, and not of it. */
static bool
shiviz_order_is_possible (const Order *o, const ShivizEntry *from, const ShivizEntry *to)
{
  for (uint32_t k = 0; k < from->n_known; k++)
    if (from->known[k].n > o->mine[from->known[k].host]
        || (from->known[k].host == to->host && from->known[k].n >= to->number))
      return false;
  return true;
}

static void
shiviz_order_tell_impossible (Order *o, const ShivizEntry *e, const ShivizEntry *from)
{
  Shiviz *s = o->s;

  if (o->n_impossible++ < TOLD)
    trace_source_damage (
        s->source, s->file, e->line, 1,
        _ ("impossible: entry %" PRId64 " of %s knows of entry %" PRId64 " of %s, but not of what that one knows"),
        e->number, trace_task_id (s->source, e->host), from->number, trace_task_id (s->source, from->host));
  else
    s->source->n_damaged++;
}

/* What it knows and its host did not know before, somebody has told: of those whose entries are new to it, whoever no
 * other one of them knows of. */
static void
find_messages (Order *o, uint32_t at)
{
  ShivizEntry *e = &o->entries[at];
  const ShivizEntry *last = at > 0 && e[-1].host == e->host ? e - 1 : NULL;
  uint32_t n = 0;
  g_autofree uint32_t *new = g_new (uint32_t, MAX (e->n_known, 1));

  e->first_came = o->came->len;
  memset (o->mine, 0, o->n_hosts * sizeof *o->mine);
  memset (o->told, 0, o->n_hosts * sizeof *o->told);
  for (uint32_t k = 0; k < e->n_known; k++)
    o->mine[e->known[k].host] = e->known[k].n;
  for (uint32_t k = 0, j = 0; k < e->n_known; k++) {
    uint32_t host = e->known[k].host;
    while (last && j < last->n_known && last->known[j].host < host)
      j++;
    int64_t knew = last && j < last->n_known && last->known[j].host == host ? last->known[j].n : 0;
    if (host == e->host || e->known[k].n <= knew)
      continue;
    uint32_t one = shiviz_order_find (o, host, e->known[k].n);
    if (one == TRACE_NONE) {
      o->n_unknown++;
      continue;
    }
    const ShivizEntry *f = &o->entries[one];
    if (!shiviz_order_is_possible (o, f, e)) {
      shiviz_order_tell_impossible (o, e, f);
      continue;
    }
    new[n++] = one;
    for (uint32_t i = 0; i < f->n_known; i++)
      if (f->known[i].host != f->host)
        o->told[f->known[i].host] = MAX (o->told[f->known[i].host], f->known[i].n);
  }
  for (uint32_t i = 0; i < n; i++) {
    const Message m = { new[i], at };
    if (o->told[o->entries[new[i]].host] < o->entries[new[i]].number)
      g_array_append_val (o->came, m);
  }
  e->n_came = o->came->len - e->first_came;
  e->sum = 0;
  for (uint32_t k = 0; k < e->n_known; k++)
    e->sum += e->known[k].n;
  e->of_reference = o->mine[o->reference];
}

/* ---- dates --------------------------------------------------------------------------------------------------------------- */

static int
shiviz_order_in_order (gconstpointer a, gconstpointer b, gpointer entries)
{
  const ShivizEntry *x = (const ShivizEntry *) entries + *(const uint32_t *) a,
                    *y = (const ShivizEntry *) entries + *(const uint32_t *) b;

  if (x->of_reference != y->of_reference)
    return x->of_reference < y->of_reference ? -1 : 1;
  if (x->sum != y->sum)
    return x->sum < y->sum ? -1 : 1;
  return x->host != y->host ? (x->host > y->host) - (x->host < y->host)
                            : (x->number > y->number) - (x->number < y->number);
}

/* One step behind all that it knows of, and behind all that knows of fewer entries of the reference. */
static void
shiviz_order_date (Order *o, const uint32_t *order)
{
  int64_t latest = 0, floor = 1;

  for (uint32_t i = 0; i < o->n; i++) {
    ShivizEntry *e = &o->entries[order[i]];
    if (i > 0 && o->entries[order[i - 1]].of_reference != e->of_reference)
      floor = latest + 1;
    e->date = floor;
    if (e > o->entries && e[-1].host == e->host)
      e->date = MAX (e->date, e[-1].date + 1);
    for (uint32_t k = 0; k < e->n_came; k++)
      e->date = MAX (e->date, o->entries[g_array_index (o->came, Message, e->first_came + k).from].date + 1);
    latest = MAX (latest, e->date);
  }
}

static int
shiviz_order_by_sender (gconstpointer a, gconstpointer b)
{
  const Message *x = a, *y = b;

  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* Of very long names [[TASK, NUMBER], ...], tasks counted from 0: a text that is cut would say that less is known. */
static void
write_vector (const Order *o, const ShivizEntry *e, GString *to)
{
  g_string_assign (to, "{");
  for (uint32_t k = 0; k < e->n_known; k++) {
    g_string_append_c (to, '"');
    for (const char *c = trace_task_id (o->s->source, e->known[k].host); *c; c++) {
      if (*c == '"' || *c == '\\')
        g_string_append_c (to, '\\');
      g_string_append_c (to, *c);
    }
    g_string_append_printf (to, "\":%" PRId64 "%s", e->known[k].n, k + 1 < e->n_known ? "," : "");
  }
  g_string_append_c (to, '}');
  if (to->len <= MOST_VECTOR)
    return;
  g_string_assign (to, "[");
  for (uint32_t k = 0; k < e->n_known; k++)
    g_string_append_printf (to, "[%u,%" PRId64 "]%s", e->known[k].host, e->known[k].n, k + 1 < e->n_known ? "," : "");
  g_string_append_c (to, ']');
}

static void
shiviz_order_give (Order *o, const ShivizEntry *e, uint32_t kind, uint32_t peer, int32_t key, uint64_t values)
{
  const TraceEvent event = { .date = e->date,
                             .task = e->host,
                             .peer = peer,
                             .object = TRACE_NONE,
                             .tag = key,
                             .kind = (uint16_t) kind,
                             .flags = TRACE_INSTANT };

  converter_event_with (o->s->to, &event, values);
}

/* Messages of an entry share its number and its vector, which may be long. */
static uint64_t
shiviz_order_values_of (Order *o, const ShivizEntry *e, const GString *vector, bool text)
{
  Converter *to = o->s->to;

  converter_int (to, e->number);
  converter_text (to, vector->str, vector->len);
  if (text)
    converter_text (to, e->text, strlen (e->text));
  return converter_values (to);
}

static void
make_kinds (Order *o)
{
  static const TraceField of_entry[] = { { "number", TRACE_ROLE_INT, NULL },
                                         { "vector", TRACE_ROLE_WORD, NULL },
                                         { "text", TRACE_ROLE_WORD, NULL } },
                          of_send[] = { { "to", TRACE_ROLE_PEER, NULL },
                                        { "message", TRACE_ROLE_KEY, NULL },
                                        { "number", TRACE_ROLE_INT, NULL },
                                        { "vector", TRACE_ROLE_WORD, NULL } },
                          of_receive[] = { { "from", TRACE_ROLE_PEER, NULL },
                                           { "message", TRACE_ROLE_KEY, NULL },
                                           { "number", TRACE_ROLE_INT, NULL },
                                           { "vector", TRACE_ROLE_WORD, NULL } };
  Converter *to = o->s->to;

  o->entry = converter_kind (
      to, &(TraceKind){ "Entry", NULL, "user", of_entry, G_N_ELEMENTS (of_entry), true, TRACE_ACT_MARK });
  o->send = converter_kind (
      to, &(TraceKind){ "Send", NULL, "message", of_send, G_N_ELEMENTS (of_send), true, TRACE_ACT_SEND });
  o->receive = converter_kind (
      to, &(TraceKind){ "Receive", NULL, "message", of_receive, G_N_ELEMENTS (of_receive), true, TRACE_ACT_RECEIVE });
}

/* What came to it, itself, and what went from it. */
static bool
shiviz_order_give_all (Order *o, const uint32_t *order, GError **error)
{
  g_autoptr (GString) vector = g_string_new (NULL);
  g_autofree uint32_t *first = g_new0 (uint32_t, o->n + 1);
  g_autofree uint32_t *key = g_new (uint32_t, MAX (o->came->len, 1));

  /* A message is known by its place among those by sender. */
  o->went = g_array_copy (o->came);
  g_array_sort (o->went, shiviz_order_by_sender);
  for (guint i = 0; i < o->went->len; i++)
    first[g_array_index (o->went, Message, i).from + 1]++;
  for (uint32_t i = 0; i < o->n; i++)
    first[i + 1] += first[i];
  for (guint i = 0; i < o->went->len; i++) {
    const Message *m = &g_array_index (o->went, Message, i);
    const ShivizEntry *to = &o->entries[m->to];
    for (uint32_t k = to->first_came; k < to->first_came + to->n_came; k++)
      if (g_array_index (o->came, Message, k).from == m->from)
        key[k] = i;
  }
  for (uint32_t i = 0; i < o->n; i++) {
    const ShivizEntry *e = &o->entries[order[i]];
    write_vector (o, e, vector);
    bool talks = e->n_came > 0 || first[order[i]] < first[order[i] + 1];
    uint64_t shared = talks ? shiviz_order_values_of (o, e, vector, false) : 0,
             values = shiviz_order_values_of (o, e, vector, true);
    for (uint32_t k = e->first_came; k < e->first_came + e->n_came; k++)
      shiviz_order_give (o, e, o->receive, o->entries[g_array_index (o->came, Message, k).from].host, (int32_t) key[k],
                         shared);
    shiviz_order_give (o, e, o->entry, TRACE_NONE, -1, values);
    for (uint32_t k = first[order[i]]; k < first[order[i] + 1]; k++)
      shiviz_order_give (o, e, o->send, o->entries[g_array_index (o->went, Message, k).to].host, (int32_t) k, shared);
    if ((i & 0x3ff) == 0 && !converter_progress (o->s->to, 0.5 + 0.5 * i / o->n, error))
      return false;
  }
  return true;
}

static uint32_t
reference_of (Shiviz *s)
{
  const char *asked = converter_reference (s->to);

  for (uint32_t i = 0; i < s->source->tasks->len; i++)
    if (strcmp (trace_task_id (s->source, i), asked) == 0 || strcmp (trace_task_name (s->source, i), asked) == 0)
      return i;
  return 0;
}

bool
shiviz_order (Shiviz *s, GError **error)
{
  Order o = { .s = s, .entries = (ShivizEntry *) s->entries->data, .n = s->entries->len };
  bool ok = true;

  o.n_hosts = s->source->tasks->len;
  make_kinds (&o);
  if (o.n == 0)
    return true;
  qsort (o.entries, o.n, sizeof *o.entries, by_host_and_number);
  shiviz_order_clean (&o);
  o.reference = reference_of (s);
  s->source->reference = g_strdup (trace_task_id (s->source, o.reference));
  o.mine = g_new0 (int64_t, o.n_hosts);
  o.told = g_new0 (int64_t, o.n_hosts);
  o.first = g_new0 (uint32_t, o.n_hosts + 1);
  learn_own (&o);
  for (uint32_t i = 0; i < o.n; i++)
    o.first[o.entries[i].host + 1]++;
  for (uint32_t h = 0; h < o.n_hosts; h++)
    o.first[h + 1] += o.first[h];
  o.came = g_array_new (FALSE, FALSE, sizeof (Message));
  for (uint32_t i = 0; ok && i < o.n; i++) {
    find_messages (&o, i);
    ok = (i & 0x3ff) != 0 || converter_progress (s->to, 0.5, error);
  }
  g_autofree uint32_t *order = g_new (uint32_t, o.n);
  for (uint32_t i = 0; i < o.n; i++)
    order[i] = i;
  if (ok) {
    g_qsort_with_data (order, (gint) o.n, sizeof *order, shiviz_order_in_order, o.entries);
    shiviz_order_date (&o, order);
    ok = shiviz_order_give_all (&o, order, error);
  }
  if (o.n_unknown > 0)
    trace_source_remark (s->source, s->file, 0, 0,
                         _ ("%" PRIu64 " times an entry is known of that is not in the log: no message shows how"),
                         o.n_unknown);
  s->source->n_records = o.n;
  if (o.went)
    g_array_unref (o.went);
  g_array_unref (o.came);
  g_free (o.first);
  g_free (o.told);
  g_free (o.mine);
  return ok;
}
