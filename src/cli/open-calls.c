/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open-calls.h"
#include "readers/pair.h"
#include "simulators/state.h"

struct OpenCalls {
  GHashTable *open;     /* record -> begin of a call that has not ended */
  GHashTable *within;   /* (task, category) -> GArray of the records of its calls, inner ones last */
  uint16_t *categories; /* kind -> the first one of the same category */
};

bool
open_calls_name_others (const TraceKind *k)
{
  return trace_kind_has (k, TRACE_ROLE_PEER) || trace_kind_has (k, TRACE_ROLE_OBJECT);
}

/* Who is inside of a function, or of a phase that the program has named, waits for nobody. */
bool
open_calls_may_wait (const TraceSource *s, const TraceEvent *e)
{
  const TraceKind *k = &s->kinds[e->kind];

  bool others = false;

  for (uint32_t i = 0; i < k->n_fields; ++i) {
    TraceRole role = k->fields[i].role;
    if (role == TRACE_ROLE_REGION)
      return trace_state_asks (s, e->object);
    others |= role == TRACE_ROLE_PEER || role == TRACE_ROLE_PEERS || role == TRACE_ROLE_OBJECT
              || role == TRACE_ROLE_OBJECTS;
  }
  return !(trace_acts (k) & TRACE_ACT_PHASE) && (others || trace_call_asks (k));
}

OpenCalls *
open_calls_new (const TraceSource *s)
{
  OpenCalls *o = g_new0 (OpenCalls, 1);

  o->categories = trace_categories (s);
  o->open = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  o->within = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  return o;
}

void
open_calls_free (OpenCalls *o)
{
  g_hash_table_unref (o->open);
  g_hash_table_unref (o->within);
  g_free (o->categories);
  g_free (o);
}

/* The innermost call of a task that has begun and not ended, or NULL. */
static TraceEvent *
cli_open_calls_innermost (const OpenCalls *o, GArray *within)
{
  for (; within->len > 0; g_array_set_size (within, within->len - 1)) {
    TraceEvent *begun = g_hash_table_lookup (o->open, &g_array_index (within, uint64_t, within->len - 1));
    if (begun)
      return begun;
  }
  return NULL;
}

/* The calls of a task that are of one category: only these end each other. */
static GArray *
calls_within (const OpenCalls *o, const TraceEvent *e, int64_t *key)
{
  *key = (int64_t) e->task << 16 | o->categories[e->kind];
  return g_hash_table_lookup (o->within, key);
}

void
open_calls_begin (OpenCalls *o, const TraceEvent *e)
{
  uint64_t record = e->record;
  int64_t key;
  GArray *within = calls_within (o, e, &key);

  if (!within) {
    within = g_array_new (FALSE, FALSE, sizeof record);
    g_hash_table_insert (o->within, g_memdup2 (&key, sizeof key), within);
  }
  cli_open_calls_innermost (o, within);
  g_array_append_val (within, record);
  g_hash_table_replace (o->open, g_memdup2 (&record, sizeof record), g_memdup2 (e, sizeof *e));
}

bool
open_calls_end (OpenCalls *o, const TraceEvent *e, TraceEvent *whole)
{
  uint64_t record = e->record;

  if (g_hash_table_size (o->open) == 0 || g_hash_table_remove (o->open, &record) || !(e->flags & TRACE_OPEN))
    return true;
  int64_t key;
  GArray *within = calls_within (o, e, &key);
  TraceEvent *begun = within ? cli_open_calls_innermost (o, within) : NULL;
  if (!begun)
    return true;
  *whole = *begun;
  whole->date = e->date;
  whole->duration = e->date - begun->date;
  whole->flags = TRACE_END;
  record = begun->record;
  g_hash_table_remove (o->open, &record);
  return false;
}

static int
open_calls_by_number (const void *a, const void *b)
{
  const TraceEvent *x = a, *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

GArray *
open_calls_left (OpenCalls *o)
{
  GArray *left = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  GHashTableIter iter;
  gpointer e;

  g_hash_table_iter_init (&iter, o->open);
  while (g_hash_table_iter_next (&iter, NULL, &e)) {
    ((TraceEvent *) e)->flags = TRACE_UNFINISHED;
    g_array_append_vals (left, e, 1);
  }
  g_array_sort (left, open_calls_by_number);
  return left;
}
