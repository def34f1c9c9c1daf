/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - once a period: the items are looked at, then each client whose last batch is all gone gets a new one.  A
 * client that reads slowly misses values, and gets the latest; what is told once (names, groups, ends, the log) waits
 * for it. */
#include "inside.h"

#include <malloc.h>
#include <string.h>

#define KEEP_ROOM ((size_t) 1 << 20) /* what a client's buffer may keep while it is empty */

static Bytes etime, heap; /* messages */
static int64_t heap_next; /* when the heap is looked at again */
static uint64_t heap_stamp;

static bool
batch_is_due (Item *item, int64_t now, bool everything)
{
  if (item->dead || (viz.n_clients && item->stopped >= viz.n_clients))
    return false;
  if (!item->period)
    return true;
  if (!everything
      && (now < item->due || (item_is_given (item) && !__atomic_exchange_n (&item->touched, false, __ATOMIC_RELAXED))))
    return false;
  int64_t step = item->period * VIZ_MILLISECOND;
  item->due = item->due && now - item->due < step ? item->due + step : now + step;
  return true;
}

static void
look_at_heap (int64_t now)
{
  if (!viz.heap_set && now < heap_next && heap.size)
    return;
  heap_next = now + viz.heap_period;
  int64_t total = viz.heap[0], alive = viz.heap[1];
  if (!viz.heap_set) {
#ifdef __GLIBC__
    struct mallinfo2 info = mallinfo2 ();
    total = (int64_t) (info.arena + info.hblkhd);
    alive = (int64_t) (info.uordblks + info.hblkhd);
#endif
    if (heap.size && total == viz.heap[0] && alive == viz.heap[1])
      return;
    viz.heap[0] = total;
    viz.heap[1] = alive;
  }
  static int64_t told[2];
  if (heap.size && total == told[0] && alive == told[1])
    return;
  told[0] = total;
  told[1] = alive;
  heap_stamp = viz.batch;
  bytes_clear (&heap);
  for (unsigned tag = TAG_HEAP_TOTAL; tag <= TAG_HEAP_ALIVE; tag++) {
    size_t begun = bytes_begin (&heap);
    bytes_u8 (&heap, 1);
    bytes_u16 (&heap, tag);
    bytes_int (&heap, VALUE_INT64, told[tag]);
    bytes_end (&heap, begun);
  }
}

void
batch_look (bool calls, bool everything)
{
  static Bytes scratch;
  pthread_mutex_lock (&viz.lock);
  viz.batch++;
  int64_t now = viz_now (CLOCK_MONOTONIC);
  /* Functions run without the lock: items may be made meanwhile. */
  for (unsigned class = 0; class < N_CLASSES; class ++)
    for (size_t i = 0; i < viz.n_of[class]; i++)
      if (batch_is_due (viz.of[class][i], now, everything))
        item_look (viz.of[class][i], &scratch, calls);
  look_at_heap (now);
  bytes_clear (&etime);
  size_t begun = bytes_begin (&etime);
  bytes_u8 (&etime, 1);
  bytes_u16 (&etime, TAG_ETIME);
  bytes_float (&etime, scopeviz_elapsed ());
  bytes_end (&etime, begun);
  pthread_mutex_unlock (&viz.lock);
}

static bool
wants (const Client *client, const Item *item)
{
  unsigned tag = item->tags[0];
  return !client->stopped || !(client->stopped[tag / 8] >> (tag % 8) & 1);
}

/* Names, newest first, and groups that the client does not know. */
static void
batch_put_names (Client *client)
{
  static const struct {
    uint8_t tag, kind;
    const char *name;
  } own[] = { { TAG_ETIME, KIND_SPECIAL, "etime" },
              { TAG_LOG, KIND_LOG, "log" },
              { TAG_HEAP_ALIVE, KIND_SPECIAL, "heap_alive_size" },
              { TAG_HEAP_TOTAL, KIND_SPECIAL, "heap_total_size" } };
  for (unsigned tag = viz.next_tag; tag-- > client->declared;) {
    const Item *item = viz.by_tag[tag];
    VizKind kind = item->n_tags > 1 && item->tags[1] == tag ? KIND_COUNT : item->kind;
    item_declare (&client->out, tag, kind, item->name, item->name_length);
  }
  client->declared = viz.next_tag;
  if (client->fresh) {
    if (client->near)
      item_declare (&client->out, TAG_SCOPE, KIND_SPECIAL, "scope/1", 7);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
      item_declare (&client->out, own[i].tag, (VizKind) own[i].kind, own[i].name, strlen (own[i].name));
  }
  while (client->binds < viz.n_binds) {
    bytes_put (&client->out, viz.binds[client->binds].data, viz.binds[client->binds].size);
    client->binds++;
  }
}

/* The last value of what was killed since the client's last batch, and that it was. */
static void
put_ends (Client *client, VizClass class)
{
  for (size_t i = client->deaths; i < viz.n_dead; i++)
    if (viz.dead[i]->class == class) {
      bytes_put (&client->out, viz.dead[i]->sent.data, viz.dead[i]->sent.size);
      bytes_put (&client->out, viz.dead[i]->farewell.data, viz.dead[i]->farewell.size);
    }
}

static void
batch_put_class (Client *client, VizClass class)
{
  for (size_t i = 0; i < viz.n_of[class]; i++) {
    const Item *item = viz.of[class][i];
    if (!item->dead && (item->stamp > client->batch || client->fresh) && wants (client, item))
      bytes_put (&client->out, item->sent.data, item->sent.size);
  }
}

static void
batch_put_all (Client *client)
{
  /* The original sends the log of a first client before its name, and its clients then forget the lines: here they
   * come at the end of the batch. */
  if (client->first && client->fresh)
    log_put_none (&client->out);
  batch_put_names (client);
  if (client->fresh && !client->first) {
    for (unsigned class = 0; class < N_CLASSES; class ++)
      put_ends (client, (VizClass) class);
    client->deaths = viz.n_dead;
    log_put (&client->out, &client->log, true);
  }
  for (unsigned class = 0; class < N_CLASSES; class ++) {
    put_ends (client, (VizClass) class);
    batch_put_class (client, (VizClass) class);
    if (class == CLASS_POINTS)
      bytes_put (&client->out, etime.data, etime.size);
  }
  client->deaths = viz.n_dead;
  if (client->fresh || heap_stamp > client->batch)
    bytes_put (&client->out, heap.data, heap.size);
  log_put (&client->out, &client->log, false);
  client->fresh = false;
  client->batch = viz.batch;
}

void
batch_put (Client *client)
{
  Client before = *client;
  if (client->out.room > KEEP_ROOM)
    bytes_free (&client->out);
  bytes_clear (&client->out);
  client->out_at = 0;
  pthread_mutex_lock (&viz.lock);
  batch_put_all (client);
  pthread_mutex_unlock (&viz.lock);
  if (client->out.failed) /* memory is short: all of it again, with the next batch */
  {
    bytes_free (&client->out);
    before.out = (Bytes){ 0 };
    *client = before;
  }
}
