/* SPDX-License-Identifier: Apache-2.0 */
#include "simulators/services/calls.h"

#include "readers/pair.h"

typedef struct List {
  uint32_t client, server; /* what it is of */
  int32_t tag;
  uint8_t list, stage;
  uint32_t first, last;
} List;

static guint
hash_list (gconstpointer of)
{
  const List *l = of;
  const uint64_t key[] = { (uint64_t) l->client << 32 | l->server,
                           (uint64_t) (uint32_t) l->tag << 32 | (uint32_t) (l->list << 8 | l->stage) };

  return pair_hash (&key[0]) * 31 + pair_hash (&key[1]);
}

static gboolean
same_list (gconstpointer a, gconstpointer b)
{
  const List *x = a, *y = b;

  return x->client == y->client && x->server == y->server && x->tag == y->tag && x->list == y->list
         && x->stage == y->stage;
}

static List *
services_calls_list_of (const Calls *calls, int list, uint32_t client, uint32_t server, CallStage stage, int32_t tag)
{
  const List key = { client,
                     list == OF_CLIENT ? NONE : server,
                     list == OF_TAG ? tag : 0,
                     (uint8_t) list,
                     list == OF_CLIENT ? 0 : (uint8_t) stage,
                     NONE,
                     NONE };
  List *known = g_hash_table_lookup (calls->lists, &key);

  if (!known) {
    known = calls->spare->len ? g_ptr_array_steal_index_fast (calls->spare, calls->spare->len - 1) : g_new (List, 1);
    *known = key;
  }
  return known;
}

/* Behind all that are older: they mostly come in this order. */
static void
link_call (Calls *calls, uint32_t at, int list)
{
  Call *c = call_at (calls, at);
  List *l = services_calls_list_of (calls, list, c->client, c->server, c->stage, c->tag);
  uint32_t before = l->last, after = NONE;

  if (before == NONE)
    g_hash_table_add (calls->lists, l);
  while (before != NONE && call_at (calls, before)->number > c->number) {
    after = before;
    before = call_at (calls, before)->last[list];
  }
  c->last[list] = before;
  c->next[list] = after;
  *(before == NONE ? &l->first : &call_at (calls, before)->next[list]) = at;
  *(after == NONE ? &l->last : &call_at (calls, after)->last[list]) = at;
}

static void
unlink_call (Calls *calls, uint32_t at, int list)
{
  Call *c = call_at (calls, at);
  List *l = services_calls_list_of (calls, list, c->client, c->server, c->stage, c->tag);

  *(c->last[list] == NONE ? &l->first : &call_at (calls, c->last[list])->next[list]) = c->next[list];
  *(c->next[list] == NONE ? &l->last : &call_at (calls, c->next[list])->last[list]) = c->last[list];
  if (l->first == NONE) { /* for the next one */
    g_hash_table_steal (calls->lists, l);
    g_ptr_array_add (calls->spare, l);
  }
}

static uint32_t
first_call (const Calls *calls, const List key)
{
  const List *l = g_hash_table_lookup (calls->lists, &key);

  return l ? l->first : NONE;
}

uint32_t
calls_find (const Calls *calls, uint32_t client, uint32_t server, CallStage stage, int32_t tag, bool only_tag)
{
  uint32_t same = first_call (calls, (List){ client, server, tag, OF_TAG, (uint8_t) stage, NONE, NONE });

  return same != NONE || only_tag
             ? same
             : first_call (calls, (List){ client, server, 0, OF_STAGE, (uint8_t) stage, NONE, NONE });
}

uint32_t
calls_of_client (const Calls *calls, uint32_t client)
{
  return first_call (calls, (List){ client, NONE, 0, OF_CLIENT, 0, NONE, NONE });
}

uint32_t
calls_add (Calls *calls, const Call *call)
{
  uint32_t at = calls->all->len;

  if (calls->free->len > 0) {
    at = g_array_index (calls->free, uint32_t, calls->free->len - 1);
    g_array_set_size (calls->free, calls->free->len - 1);
    *call_at (calls, at) = *call;
  } else {
    g_array_append_val (calls->all, *call);
  }
  for (int list = 0; list < N_LISTS; list++)
    link_call (calls, at, list);
  return at;
}

void
calls_set_stage (Calls *calls, uint32_t at, CallStage stage)
{
  for (int list = 0; list < OF_CLIENT; list++)
    unlink_call (calls, at, list);
  call_at (calls, at)->stage = (uint8_t) stage;
  for (int list = 0; list < OF_CLIENT; list++)
    link_call (calls, at, list);
}

void
calls_remove (Calls *calls, uint32_t at)
{
  for (int list = 0; list < N_LISTS; list++)
    unlink_call (calls, at, list);
  call_at (calls, at)->service = call_at (calls, at)->client = NONE;
  g_array_append_val (calls->free, at);
}

static int
services_calls_by_number (gconstpointer a, gconstpointer b)
{
  const Call *x = *(const Call *const *) a, *y = *(const Call *const *) b;

  return (x->number > y->number) - (x->number < y->number);
}

GPtrArray *
calls_in_order (const Calls *calls)
{
  GPtrArray *sorted = g_ptr_array_new ();

  for (guint i = 0; i < calls->all->len; i++)
    if (call_at (calls, i)->client != NONE)
      g_ptr_array_add (sorted, call_at (calls, i));
  g_ptr_array_sort (sorted, services_calls_by_number);
  return sorted;
}

void
calls_init (Calls *calls)
{
  calls->all = g_array_new (FALSE, FALSE, sizeof (Call));
  calls->free = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  calls->spare = g_ptr_array_new_with_free_func (g_free);
  calls->lists = g_hash_table_new_full (hash_list, same_list, g_free, NULL);
}

void
calls_reset (Calls *calls)
{
  g_array_set_size (calls->all, 0);
  g_array_set_size (calls->free, 0);
  g_hash_table_remove_all (calls->lists);
}

void
calls_clear (Calls *calls)
{
  g_array_unref (calls->all);
  g_array_unref (calls->free);
  g_hash_table_unref (calls->lists);
  g_ptr_array_unref (calls->spare);
}
