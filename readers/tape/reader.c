/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - the TAPE source (thesis, section 2.3.2): a block reader a task, and queues that put their events in order.
 *
 * The thesis keeps two queues, of the future and of the past, and turns an event over from one to the other each time.
 * Here the block readers remember the past by their place, so one queue is enough: it is made anew when reading turns,
 * and as long as it goes on one way, an event costs one pass through a tournament of tasks. */
#include <unistd.h>
#include "eve/eve-host.h"
#include "readers/tape/tape.h"

#define RUN_STATE 2 /* layout of what tape_save() writes */
#define NOTHING UINT64_MAX

static TapeReader *
tape_reader (TraceSource *s)
{
  return (TapeReader *) s;
}

/* ---- the blocks of one task -------------------------------------------------------------------------------------- */

static TapeBlockRef *
tape_reader_block (const TapeReader *r, const TapeTask *t, uint32_t number)
{
  return &g_array_index (r->blocks, TapeBlockRef, t->first_block + number - 1);
}

/* Loads block `number` of the task, from 1.  False: r->failed tells why not. */
static bool
tape_reader_load_block (TapeReader *r, TapeTask *t, uint32_t number)
{
  size_t n;

  t->n = t->at = 0;
  t->loaded = number;
  if (r->failed != NULL)
    return false;
  n = tape_block_load (r, tape_reader_block (r, t, number), &t->events, &t->room, &r->failed);
  if (n == (size_t) -1)
    return false;
  t->n = (uint32_t) n;
  return true;
}

/* There is an event behind the place; else it is the end, or reading has failed. */
static bool
tape_reader_advance (TapeReader *r, TapeTask *t)
{
  while (t->at == t->n) {
    if (t->loaded >= t->n_blocks || !tape_reader_load_block (r, t, t->loaded + 1))
      return false;
  }
  return true;
}

/* There is one before it. */
static bool
retreat (TapeReader *r, TapeTask *t)
{
  while (t->at == 0) {
    if (t->loaded <= 1 || !tape_reader_load_block (r, t, t->loaded - 1))
      return false;
    t->at = t->n;
  }
  return true;
}

/* To before the first event dated >= date (`after`: > date).  Reads the one block that holds that place. */
static void
tape_reader_place (TapeReader *r, TapeTask *t, int64_t date, bool after)
{
  uint32_t low = 1, high = t->n_blocks + 1;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int64_t last = tape_reader_block (r, t, middle)->last;
    if (last > date || (last == date && !after))
      high = middle;
    else
      low = middle + 1;
  }
  if (low > t->n_blocks) {
    t->n = t->at = 0;
    t->loaded = low;
    return;
  }
  if (!tape_reader_load_block (r, t, low))
    return;
  uint32_t from = 0, to = t->n;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    int64_t d = t->events[middle].date;
    if (d > date || (d == date && !after))
      to = middle;
    else
      from = middle + 1;
  }
  t->at = from;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

/* At one date tasks come by number, or against it when reading backward. */
static inline TapeTask *
task_at (TapeReader *r, uint32_t leaf, bool forward)
{
  return &r->tasks[forward ? leaf : r->n_tasks - 1 - leaf];
}

static inline uint64_t
tape_reader_next_date (TapeReader *r, TapeTask *t, bool forward)
{
  if (forward)
    return t->at < t->n || tape_reader_advance (r, t) ? (uint64_t) t->events[t->at].date : NOTHING;
  return t->at > 0 || retreat (r, t) ? (uint64_t) (TAPE_MAX_DATE - t->events[t->at - 1].date) : NOTHING;
}

static inline bool
tape_reader_comes_before (TapeMatch a, TapeMatch b)
{
  return ((unsigned __int128) a.date << 64 | a.leaf) < ((unsigned __int128) b.date << 64 | b.leaf);
}

/* Leaf `m.leaf` has another date now: it goes up from there.  Who wins a match is as good as random, so nothing is
 * jumped over: winner and loser change places by masks. */
static inline void
tape_reader_play (TapeReader *r, TapeMatch m)
{
  TapeMatch *queue = r->queue;

  for (uint32_t i = (uint32_t) (m.leaf + r->n_leaves) / 2; i > 0; i /= 2) {
    TapeMatch other = queue[i];
    uint64_t mask = 0 - (uint64_t) tape_reader_comes_before (other, m);
    uint64_t date = (other.date ^ m.date) & mask, leaf = (other.leaf ^ m.leaf) & mask;
    queue[i] = (TapeMatch){ other.date ^ date, other.leaf ^ leaf };
    m = (TapeMatch){ m.date ^ date, m.leaf ^ leaf };
  }
  queue[0] = m;
}

/* Winner of the matches below a node; losers stay at their nodes. */
static TapeMatch
tournament (TapeReader *r, uint32_t node, bool forward)
{
  if (node >= r->n_leaves) {
    uint32_t leaf = node - r->n_leaves;
    uint64_t date = leaf < r->n_tasks ? tape_reader_next_date (r, task_at (r, leaf, forward), forward) : NOTHING;
    return (TapeMatch){ date, leaf };
  }
  TapeMatch a = tournament (r, 2 * node, forward), b = tournament (r, 2 * node + 1, forward);
  bool first = tape_reader_comes_before (a, b);
  r->queue[node] = first ? b : a;
  return first ? a : b;
}

static void
tape_reader_turn (TapeReader *r, int direction)
{
  if (r->direction == direction)
    return;
  r->queue[0] = tournament (r, 1, direction > 0);
  r->direction = direction;
}

static inline __attribute__ ((always_inline)) size_t
tape_reader_merge (TapeReader *r, TraceEvent *to, size_t max, const bool forward)
{
  size_t n = 0;

  while (n < max && r->queue[0].date != NOTHING && G_LIKELY (r->failed == NULL)) {
    TapeMatch m = r->queue[0];
    TapeTask *t = task_at (r, m.leaf, forward);
    to[n] = t->events[forward ? t->at++ : --t->at];
    to[n++].number = forward ? r->number++ : --r->number;
    m.date = tape_reader_next_date (r, t, forward);
    __builtin_prefetch (
        &t->events[forward ? t->at + 1 : MAX (t->at, 2) - 2]); /* for when it is this task's turn again */
    tape_reader_play (r, m);
  }
  return n;
}

/* What was taken ahead of the person goes back. */
static void
tape_reader_put_back (TapeReader *r)
{
  while (r->n_ahead > r->ahead_at) {
    TapeTask *t = &r->tasks[r->ahead[--r->n_ahead].task];
    r->number--;
    if (retreat (r, t))
      t->at--;
    r->direction = 0;
  }
  r->n_ahead = r->ahead_at = 0;
}

static size_t
nothing_more (const TapeReader *r, GError **error)
{
  if (r->failed != NULL && error != NULL)
    *error = g_error_copy (r->failed);
  return 0;
}

static size_t
tape_peek (TraceSource *s, const TraceEvent **events, GError **error)
{
  TapeReader *r = tape_reader (s);

  if (r->ahead_at == r->n_ahead) {
    tape_reader_turn (r, 1);
    r->ahead_at = 0;
    r->n_ahead = (uint32_t) tape_reader_merge (r, r->ahead, TAPE_AHEAD, true);
  }
  *events = r->ahead + r->ahead_at;
  return r->n_ahead > r->ahead_at ? r->n_ahead - r->ahead_at : nothing_more (r, error);
}

static size_t
tape_next (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  TapeReader *r = tape_reader (s);
  size_t n = MIN (max, r->n_ahead - r->ahead_at);

  if (n > 0) {
    memcpy (events, r->ahead + r->ahead_at, n * sizeof *events);
    r->ahead_at += (uint32_t) n;
    return n;
  }
  tape_reader_turn (r, 1);
  n = tape_reader_merge (r, events, max, true);
  return n > 0 || max == 0 ? n : nothing_more (r, error);
}

static size_t
tape_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  TapeReader *r = tape_reader (s);
  size_t n;

  tape_reader_put_back (r);
  tape_reader_turn (r, -1);
  n = tape_reader_merge (r, events, max, false);
  return n > 0 || max == 0 ? n : nothing_more (r, error);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void
tape_rewind (TraceSource *s)
{
  TapeReader *r = tape_reader (s);

  for (uint32_t i = 0; i < r->n_tasks; i++)
    r->tasks[i].n = r->tasks[i].at = r->tasks[i].loaded = 0;
  g_clear_error (&r->failed);
  r->number = 0;
  r->direction = 0;
  r->n_ahead = r->ahead_at = 0;
}

/* Events of the task before its place, as its blocks tell. */
static uint64_t
passed (const TapeReader *r, const TapeTask *t)
{
  const TapeBlockRef *last;

  if (t->n_blocks == 0 || t->loaded == 0)
    return 0;
  if (t->loaded <= t->n_blocks)
    return tape_reader_block (r, t, t->loaded)->before + t->at;
  last = tape_reader_block (r, t, t->n_blocks);
  return last->before + last->count;
}

static bool
tape_seek (TraceSource *s, int64_t date, GError **error)
{
  TapeReader *r = tape_reader (s);

  tape_rewind (s);
  for (uint32_t i = 0; i < r->n_tasks; i++) {
    tape_reader_place (r, &r->tasks[i], date, false);
    r->number += passed (r, &r->tasks[i]);
  }
  if (r->failed != NULL)
    nothing_more (r, error);
  return r->failed == NULL;
}

/* What is written is the next event: order is total, so it tells where each task stands. */
static void
tape_save (TraceSource *s, EveBlob *to)
{
  TapeReader *r = tape_reader (s);
  const TraceEvent *next = NULL;

  if (r->ahead_at < r->n_ahead) {
    next = &r->ahead[r->ahead_at];
  } else {
    tape_reader_turn (r, 1);
    if (r->queue[0].date != NOTHING) {
      const TapeTask *t = &r->tasks[r->queue[0].leaf];
      next = &t->events[t->at];
    }
  }
  eve_put_int (to, RUN_STATE);
  eve_put_int (to, (int64_t) r->size);
  eve_put_int (to, (int64_t) r->run);
  eve_put_int (to, (int64_t) s->n_records);
  eve_put_int (to, (int64_t) (r->number - (r->n_ahead - r->ahead_at)));
  eve_put_int (to, next != NULL);
  if (next == NULL)
    return;
  eve_put_int (to, next->date);
  eve_put_int (to, next->task);
  eve_put_int (to, (int64_t) next->record);
}

/* Each task goes to its side of the event that comes next. */
static bool
tape_reader_go_to (TapeReader *r, int64_t date, uint32_t task, uint64_t record)
{
  TapeTask *t;

  for (uint32_t i = 0; i < r->n_tasks; i++)
    tape_reader_place (r, &r->tasks[i], date, i < task);
  t = &r->tasks[task];
  while (r->failed == NULL && tape_reader_advance (r, t) && t->events[t->at].date == date) {
    if (t->events[t->at].record == record)
      return true;
    t->at++;
  }
  return false;
}

static bool
tape_load (TraceSource *s, EveBlobView *from)
{
  TapeReader *r = tape_reader (s);

  tape_rewind (s);
  if (eve_get_int (from) != RUN_STATE || (uint64_t) eve_get_int (from) != r->size
      || (uint64_t) eve_get_int (from) != r->run || (uint64_t) eve_get_int (from) != s->n_records)
    return false; /* of another trace */
  int64_t number = eve_get_int (from);
  bool more = eve_get_int (from) != 0;
  if (!eve_get_ok (from) || number < 0 || (uint64_t) number > s->n_events)
    return false;
  if (more) {
    int64_t date = eve_get_int (from), task = eve_get_int (from), record = eve_get_int (from);
    if (!eve_get_ok (from) || task < 0 || task >= r->n_tasks
        || !tape_reader_go_to (r, date, (uint32_t) task, (uint64_t) record)) {
      tape_rewind (s);
      return false;
    }
  } else {
    for (uint32_t i = 0; i < r->n_tasks; i++)
      tape_reader_place (r, &r->tasks[i], TAPE_MAX_DATE, true);
  }
  r->number = (uint64_t) number;
  return true;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void
tape_close (TraceSource *s)
{
  TapeReader *r = tape_reader (s);

  for (uint32_t i = 0; r->tasks != NULL && i < r->n_tasks; i++)
    g_free (r->tasks[i].events);
  g_free (r->tasks);
  g_free (r->queue);
  g_free (r->ahead);
  g_free (r->buffer);
  g_free (r->record);
  g_clear_error (&r->failed);
  if (r->blocks != NULL)
    g_array_unref (r->blocks);
  if (r->text != NULL)
    g_string_free (r->text, TRUE);
  if (r->list != NULL)
    g_array_unref (r->list);
  if (r->fd >= 0)
    close (r->fd);
  tape_topology_clear (&r->topology);
  trace_source_clear (s);
  g_free (s);
}

/* Tasks, each with its blocks. */
static void
make_tasks (TapeReader *r)
{
  TraceSource *s = &r->base;

  r->tasks = g_new0 (TapeTask, MAX (r->n_tasks, 1));
  for (uint32_t i = 0; i < r->blocks->len; i++) {
    const TapeBlockRef *ref = &g_array_index (r->blocks, TapeBlockRef, i);
    TapeTask *t = &r->tasks[ref->task];
    if (t->n_blocks++ == 0)
      t->first_block = i;
    s->first = s->n_records > 0 ? MIN (s->first, ref->first) : ref->first;
    s->last = s->n_records > 0 ? MAX (s->last, ref->last) : ref->last;
    s->n_records += ref->count;
  }
  s->n_events = s->n_records;
  r->n_leaves = 1;
  while (r->n_leaves < r->n_tasks)
    r->n_leaves *= 2;
  r->queue = g_new0 (TapeMatch, r->n_leaves);
  r->ahead = g_new (TraceEvent, TAPE_AHEAD);
}

static bool
tape_reader_open_into (TapeReader *r, const char *bundle, const char *folder, GError **error)
{
  TraceSource *s = &r->base;
  const TapeKinds *kinds = tape_kinds ();
  g_autoptr (GError) full = NULL;

  trace_source_setup (s, &tape_format, bundle, &full);
  if (full != NULL) {
    g_propagate_error (error, g_steal_pointer (&full));
    return false;
  }
  s->kinds = kinds->kinds;
  s->n_kinds = kinds->n_kinds;
  s->abilities = TRACE_SORTED | TRACE_BACKWARD | TRACE_SEEK;
  uint64_t beside = s->n_damaged; /* nicknames are a help, no part of the trace */
  guint first = s->damage->len;
  if (!tape_topology_read (s, &r->topology, folder, error))
    return false;
  r->n_tasks = s->tasks->len;
  if (!tape_index_read (r, folder, error))
    return false;
  make_tasks (r);
  if (!r->strict || s->n_damaged == beside)
    return true;
  const TraceDamage *d = s->damage->pdata[MIN (first, s->damage->len - 1)];
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s/%s: %s %" G_GUINT64_FORMAT ": %s", folder, d->file,
               d->line > 0 ? "line" : "offset", d->line > 0 ? d->line : d->column, d->reason);
  return false;
}

static TraceSource *
tape_open (const char *bundle, const char *folder, const TraceOptions *options, GError **error)
{
  TapeReader *r = g_new0 (TapeReader, 1);

  r->fd = -1;
  r->strict = options != NULL && options->strict;
  r->record_at = UINT64_MAX;
  r->topology.links = g_array_new (FALSE, FALSE, sizeof (TapeLink));
  r->topology.virtuals = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  r->topology.threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  if (tape_reader_open_into (r, bundle, folder, error))
    return &r->base;
  tape_close (&r->base);
  return NULL;
}

const TraceFormat tape_format = {
  .name = "tape",
  .label = "TAPE",
  .model = "OUF",
  .open = tape_open,
  .close = tape_close,
  .next = tape_next,
  .previous = tape_previous,
  .seek = tape_seek,
  .rewind = tape_rewind,
  .save = tape_save,
  .load = tape_load,
  .value = tape_value,
  .sentence = tape_sentence,
  .synth = tape_synth,
  .peek = tape_peek,
};

TRACE_READER_PLUGIN (tape_format, "scope.tape-reader", "TAPE reader", "reader:tape",
                     "Gives the events of a TAPE trace in the order of their dates.");
