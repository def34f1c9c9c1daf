/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - blocks of events go from the parsing thread to the source.
 *
 * Blocks are cut at multiples of TP_BLOCK events, and everything that the source learns on the way (tasks,
 * damage) lies in the block with the number of events before it.  So what the source shows depends on the
 * events it has given, never on how far the thread ran ahead. */
#include "readers/tapepvm/parser.h"
#include "eve/words.h"
#include <stdlib.h>

/* Each in one cache line. */
static TraceEvent *
new_events (size_t n)
{
  void *events;
  if (posix_memalign (&events, sizeof (TraceEvent), n * sizeof (TraceEvent)) != 0)
    g_error ("no memory for %zu events", n);
  return events;
}

/* ---- for the thread ---- */

/* A call is under way at the beginning of a block if its line lies before, and its end is due in the batch or is still
 * in the heap.  It is noted for every block, as whoever saves a place must not have to stop the thread. */
static void
tapepvm_blocks_note_open (TpParser *p)
{
  TpBlock *b = p->block;
  uint64_t before = b->from.offset;
  g_array_set_size (b->open, p->n_keys - p->key + p->ends.n + (p->later ? tp_later_n (p->later) : 0));
  uint64_t *first = (uint64_t *) (void *) b->open->data, *to = first;
  for (uint32_t i = p->key; i < p->n_keys; i++) {
    *to = p->batch[p->keys[i] & ((1u << TP_KEY_BITS) - 1)].record;
    to += *to < before;
  }
  for (uint32_t i = 0; i < p->ends.n; i++) {
    *to = (uint64_t) p->ends.heap[i] >> 20;
    to += *to < before;
  }
  if (p->later && tp_later_n (p->later) > 0) {
    tp_later_list (p->later, to);
    to += tp_later_n (p->later);
  }
  g_array_set_size (b->open, (guint) (to - first));
}

bool
tp_begin_block (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  p->full = p->head - p->tail == TP_BLOCKS;
  while (!p->stop && p->full)
    pthread_cond_wait (&p->changed, &p->lock);
  bool go = !p->stop;
  p->block = &p->blocks[p->head % TP_BLOCKS];
  pthread_mutex_unlock (&p->lock);
  if (!p->block->events) /* a small trace never needs them all */
    p->block->events = new_events (TP_BLOCK);
  p->block->from = p->place;
  p->block->n = 0;
  p->block->last = false;
  tapepvm_blocks_note_open (p);
  return go;
}

void
tp_end_block (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  p->head++;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
}

bool
tp_more (TpParser *p, uint64_t *size)
{
  pthread_mutex_lock (&p->lock);
  p->at_end = p->grows && p->size == *size;
  if (p->at_end)
    pthread_cond_broadcast (&p->changed);
  while (!p->stop && p->at_end)
    pthread_cond_wait (&p->changed, &p->lock);
  bool more = !p->stop && p->size > *size;
  *size = p->size;
  pthread_mutex_unlock (&p->lock);
  return more;
}

static void *
parse_blocks (void *arg)
{
  TpParser *p = arg;
  pthread_setname_np (pthread_self (), "reader");
  if (tp_begin_block (p)) {
    tp_parse_all (p);
    p->block->last = true;
    tp_end_block (p);
  }
  return NULL;
}

/* ---- for the source ---- */

static void
clear_news (GArray *news)
{
  for (guint i = 0; i < news->len; i++) {
    g_free (g_array_index (news, TpNews, i).text);
    g_free (g_array_index (news, TpNews, i).more);
  }
  g_array_set_size (news, 0);
}

TpParser *
tp_parser_start (TpReader *r, const TpStart *start, GError **error)
{
  TpParser *p = g_new0 (TpParser, 1);
  p->reader = r;
  p->table = r->table;
  p->place = start->place;
  p->grows = trace_may_grow (&r->base);
  p->size = r->size;
  p->later = r->version == 1 ? NULL : tp_later_new ();
  pthread_mutex_init (&p->lock, NULL);
  pthread_cond_init (&p->changed, NULL);
  for (unsigned i = 0; i < TP_BLOCKS; i++) {
    p->blocks[i].news = g_array_new (FALSE, FALSE, sizeof (TpNews));
    p->blocks[i].open = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  }
  tp_record_init (&p->record);
  tp_ends_grow (&p->ends);
  p->ahead = 4;
  p->batch = new_events (TP_DUE + TP_BATCH);
  p->keys = g_new (uint64_t, TP_DUE + TP_BATCH + 1);
  p->spare = g_new (uint64_t, TP_DUE + TP_BATCH + 1);
  p->begins = g_new (uint64_t, TP_BATCH);
  tp_intern_init (&p->tasks);
  p->enrolled = g_byte_array_new ();
  p->objects = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (uint32_t i = 0; i < start->place.n_tasks; i++)
    tp_intern_add (&p->tasks, start->tasks[i]);
  g_byte_array_append (p->enrolled, start->enrolled, start->place.n_tasks);
  for (uint32_t i = 0; i < start->place.n_objects; i++)
    g_hash_table_insert (p->objects, g_strdup (start->objects[i]), GUINT_TO_POINTER (i));
  for (uint32_t i = 0; i < start->place.n_hosts; i++)
    g_hash_table_insert (p->hosts, g_strdup (start->hosts[i]), GUINT_TO_POINTER (i));

  p->block = &p->blocks[0]; /* make_event() may report to it */
  bool fine = true;
  for (guint i = 0; start->open && i < start->open->len && fine; i++)
    fine = tp_resume_record (p, g_array_index (start->open, uint64_t, i));
  clear_news (p->blocks[0].news);
  fine = fine && tp_ends_first (&p->ends) >= start->place.date;
  if (!fine) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("the calls under way at the saved place are not in the file"));
  } else {
    int failed = pthread_create (&p->thread, NULL, parse_blocks, p);
    p->running = !failed;
    if (failed)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("no thread can be started: %s"), g_strerror (failed));
  }
  if (!p->running)
    g_clear_pointer (&p, tp_parser_free);
  return p;
}

void
tp_parser_free (TpParser *p)
{
  if (p->running) {
    pthread_mutex_lock (&p->lock);
    p->stop = true;
    pthread_cond_broadcast (&p->changed);
    pthread_mutex_unlock (&p->lock);
    pthread_join (p->thread, NULL);
  }
  for (unsigned i = 0; i < TP_BLOCKS; i++) {
    clear_news (p->blocks[i].news);
    g_array_unref (p->blocks[i].news);
    g_array_unref (p->blocks[i].open);
    free (p->blocks[i].events);
    g_clear_error (&p->blocks[i].error);
  }
  free (p->batch);
  g_free (p->keys);
  g_free (p->spare);
  g_free (p->begins);
  tp_ends_clear (&p->ends);
  tp_intern_clear (&p->tasks);
  tp_later_free (p->later);
  g_byte_array_unref (p->enrolled);
  g_hash_table_unref (p->objects);
  g_hash_table_unref (p->hosts);
  pthread_mutex_destroy (&p->lock);
  pthread_cond_destroy (&p->changed);
  g_free (p);
}

TpBlock *
tp_parser_block (TpParser *p)
{
  return p->in_hand ? &p->blocks[p->tail % TP_BLOCKS] : NULL;
}

TpBlock *
tp_parser_next (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  uint64_t next = p->tail + p->in_hand;
  while (p->head <= next && !p->at_end)
    pthread_cond_wait (&p->changed, &p->lock);
  pthread_mutex_unlock (&p->lock);
  return &p->blocks[next % TP_BLOCKS];
}

void
tp_parser_grow (TpParser *p, uint64_t size, bool final)
{
  pthread_mutex_lock (&p->lock);
  p->size = size;
  p->grows = !final;
  p->at_end = false;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
}

bool
tp_parser_settle (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  while (p->head == p->tail && !p->at_end)
    pthread_cond_wait (&p->changed, &p->lock);
  bool whole = p->head > p->tail;
  pthread_mutex_unlock (&p->lock);
  return whole;
}

void
tp_parser_take (TpParser *p)
{
  if (!p->in_hand) {
    p->in_hand = true;
    return;
  }
  clear_news (p->blocks[p->tail % TP_BLOCKS].news);
  pthread_mutex_lock (&p->lock);
  p->tail++;
  if (p->full
      && p->head - p->tail
             <= TP_BLOCKS / 2) { /* waking costs as much as a good part of a block: it is done for several */
    p->full = false;
    pthread_cond_broadcast (&p->changed);
  }
  pthread_mutex_unlock (&p->lock);
}

static int
tapepvm_blocks_by_place (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

GArray *
tp_parser_open (TpParser *p)
{
  GArray *open = tp_parser_block (p)->open;
  g_array_sort (open, tapepvm_blocks_by_place);
  return open;
}
