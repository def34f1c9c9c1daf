/* SPDX-License-Identifier: Apache-2.0 */
/* later.c - lines of version 2, for traces that are read while they are written: `0 DATE` says that nothing earlier
 * will come, `0 DATE RECORD` that a call has ended whose line, without an end, stands above. */
#include "readers/tapepvm/scan.h"
#include "eve/words.h"

bool
tp_scan_later (const TpTable *t, const uint8_t *line, size_t n, TpRecord *r, int64_t *date, size_t *record, TpFault *f)
{
  TpText text = { line, n && line[n - 1] == '\r' ? n - 1 : n, 1 };

  if (!tp_read_number (&text, "the date", date, f))
    return false;
  if (*date < 0 || *date > TP_MAX_DATE)
    return tp_fault (f, 2, _ ("the date should be 0 to 2^62 - 1"));
  tp_skip_blanks (&text);
  *record = 0;
  if (text.at == text.n)
    return true;
  *record = text.at;
  if (!tp_scan (t, line + text.at, n - text.at, r, f)) {
    f->column += (uint32_t) text.at;
    return false;
  }
  if (t->kinds[r->kind].instant || r->duration < 0)
    return tp_fault (f, text.at, _ ("an instant, or a call without duration, has no end"));
  if (r->date + r->duration != *date)
    return tp_fault (f, 2, _ ("the date of an end should be the beginning and the duration together"));
  return true;
}

/* ---- the calls under way ---- */

typedef struct Call {
  int64_t kind, date, task;
  uint64_t record;
  struct Call *next; /* that began with the same numbers, after this one */
} Call;

struct TpLater {
  GHashTable *calls; /* of Call, by kind, date and task */
  uint32_t n;
};

static guint
hash_call (gconstpointer p)
{
  const Call *c = p;
  uint64_t h = ((uint64_t) c->date ^ (uint64_t) c->task << 40 ^ (uint64_t) c->kind << 20)
               * UINT64_C (0x9e3779b97f4a7c15);

  return (guint) (h >> 32);
}

static gboolean
same_call (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;

  return x->kind == y->kind && x->date == y->date && x->task == y->task;
}

static void
free_calls (gpointer p)
{
  for (Call *c = p, *next; c; c = next) {
    next = c->next;
    g_free (c);
  }
}

TpLater *
tp_later_new (void)
{
  TpLater *l = g_new0 (TpLater, 1);

  l->calls = g_hash_table_new_full (hash_call, same_call, NULL, free_calls);
  return l;
}

void
tp_later_free (TpLater *l)
{
  if (!l)
    return;
  g_hash_table_unref (l->calls);
  g_free (l);
}

uint32_t
tp_later_n (const TpLater *l)
{
  return l->n;
}

static Call
later_call_of (const TpTable *t, const TpRecord *r)
{
  return (Call){ .kind = r->kind, .date = r->date, .task = r->v[t->at[TP_TASK]] };
}

void
tp_later_add (TpLater *l, const TpTable *t, const TpRecord *r, uint64_t record)
{
  Call *c = g_new (Call, 1), *same;

  *c = later_call_of (t, r);
  c->record = record;
  l->n++;
  same = g_hash_table_lookup (l->calls, c);
  if (!same) {
    g_hash_table_add (l->calls, c);
    return;
  }
  while (same->next)
    same = same->next;
  same->next = c;
}

uint64_t
tp_later_take (TpLater *l, const TpTable *t, const TpRecord *r)
{
  Call key = later_call_of (t, r), *c = g_hash_table_lookup (l->calls, &key);

  if (!c)
    return UINT64_MAX;
  uint64_t record = c->record;
  g_hash_table_steal (l->calls, c);
  if (c->next)
    g_hash_table_add (l->calls, c->next);
  g_free (c);
  l->n--;
  return record;
}

void
tp_later_list (const TpLater *l, uint64_t *to)
{
  GHashTableIter iter;
  gpointer first;

  g_hash_table_iter_init (&iter, l->calls);
  while (g_hash_table_iter_next (&iter, &first, NULL))
    for (const Call *c = first; c; c = c->next)
      *to++ = c->record;
}

/* ---- the line of an end, found again ---- */

/* The line that begins at `at`: its length, and its date; -1: it has none. */
static const uint8_t *
later_line_at (TpReader *r, uint64_t at, size_t *n, int64_t *date, TpRecord *record, size_t *ends)
{
  const uint8_t *line = at < r->size ? tp_record_line (r, at, n) : NULL;
  TpFault fault;

  *date = -1;
  *ends = 0;
  if (!line)
    return NULL;
  if (tp_is_later (line, *n))
    *date = tp_scan_later (r->table, line, *n, record, date, ends, &fault) ? *date : -1;
  else if (!tp_is_blank (line, *n) && tp_scan (r->table, line, *n, record, &fault))
    *date = record->date;
  return line;
}

/* Dates of lines only grow, so half of what is left can be passed over each time.  They are those of the file, that of
 * the event is shown. */
uint64_t
tp_later_find (TpReader *r, const TraceEvent *e)
{
  uint64_t from = e->record, to = r->size;
  int64_t date, begun;
  g_autofree TpRecord *record = g_new (TpRecord, 1);
  size_t n, ends;

  tp_record_init (record);
  if (r->sorted_copy || !later_line_at (r, from, &n, &begun, record, &ends) || begun < 0)
    return UINT64_MAX;
  from += n + 1; /* a line begins at `from`; none before it is dated as the end */
  while (to - from > 4096) {
    uint64_t middle = from + (to - from) / 2, at = middle;
    if (!tp_record_line (r, at, &n))
      break;
    at += n + 1;
    while (at < to && later_line_at (r, at, &n, &date, record, &ends) && date < 0)
      at += n + 1;
    if (at < to && trace_date (&r->base, date) < e->date)
      from = at + n + 1;
    else
      to = middle; /* a line that begins behind it may be the first of that date: it is met below */
  }
  for (; later_line_at (r, from, &n, &date, record, &ends); from += n + 1) {
    if (date >= 0 && trace_date (&r->base, date) > e->date)
      break;
    if (date >= 0 && trace_date (&r->base, date) == e->date && ends && record->kind == e->kind && record->date == begun
        && record->v[r->table->at[TP_TASK]] == trace_task (&r->base, e->task)->raw)
      return from + ends;
  }
  return UINT64_MAX;
}
