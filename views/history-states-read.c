/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-read.c - states out of the files that history-states.c writes: their blocks, exact intervals,
 * and very many owners side by side. */
#include "views/history-states-reader.h"
#include <string.h>
#include "readers/reader.h"

static void
line_clear (gpointer p)
{
  Line *l = p;

  for (int i = 0; l->several != NULL && i <= LEVELS; i++)
    if (l->several->level[i] != NULL)
      g_array_unref (l->several->level[i]);
  g_free (l->several);
}

static void
history_states_read_add_block (Line *l, uint32_t level, uint32_t i)
{
  if (l->several == NULL && l->n_only == 0 && level == 0) {
    l->only = i;
    l->n_only = 1;
    return;
  }
  if (l->several == NULL) {
    uint32_t had = l->n_only;
    l->several = g_new0 (Levels, 1);
    l->n_only = 0;
    if (had > 0)
      history_states_read_add_block (l, 0, l->only);
  }
  GArray **of = &l->several->level[level];
  if (*of == NULL)
    *of = g_array_new (FALSE, FALSE, sizeof i);
  g_array_append_val (*of, i);
  l->n_levels = MAX (l->n_levels, level);
}

StatesReader *
states_reader_open (const char *base, GError **error)
{
  StatesReader *r = g_new0 (StatesReader, 1);

  if (!history_in_open (&r->in, base, KIND_STATES, error)) {
    g_free (r);
    return NULL;
  }
  r->lines = g_array_new (FALSE, TRUE, sizeof (Line));
  g_array_set_clear_func (r->lines, line_clear);
  r->end = INT64_MAX;
  states_reader_refresh (r);
  return r;
}

void
states_reader_free (StatesReader *r)
{
  if (r == NULL)
    return;
  history_in_close (&r->in);
  states_flat_unref (r->flat);
  states_kept_unref (r->kept);
  g_array_unref (r->lines);
  g_free (r);
}

/* Where the last block of an owner and level ends that was taken. */
static int64_t
history_states_read_end_of (const StatesReader *r, uint32_t owner, uint32_t level)
{
  const Line *l = line_of (r, owner);
  Blocks blocks = l != NULL ? blocks_of (l, level) : (Blocks){ NULL, 0 };

  return blocks.n > 0 ? entry (r, blocks.index[blocks.n - 1])->to : INT64_MIN;
}

void
states_reader_refresh (StatesReader *r)
{
  if (!history_in_refresh (&r->in)) {
    g_array_set_size (r->lines, 0);
    r->sorted = 0;
  }
  if (r->sorted < r->in.entries->len) {
    g_clear_pointer (&r->flat, states_flat_unref);
    g_clear_pointer (&r->kept, states_kept_unref);
    r->not_flat = r->not_kept = false;
  }
  for (; r->sorted < r->in.entries->len; r->sorted++) {
    uint32_t i = (uint32_t) r->sorted;
    const HistoryEntry *e = entry (r, i);
    if (e->level == HISTORY_REACH)
      continue;
    if (!states_entry_fits (e, history_states_read_end_of (r, e->owner, e->level))) {
      history_in_refuse (&r->in, i);
      continue;
    }
    if (e->owner >= r->lines->len)
      g_array_set_size (r->lines, e->owner + 1);
    history_states_read_add_block (line_of (r, e->owner), e->level, i);
  }
}

uint32_t
states_reader_highest (const StatesReader *r)
{
  return r->in.highest;
}

uint32_t
states_reader_owners (const StatesReader *r)
{
  return r->lines->len;
}

int64_t
states_reader_reach (const StatesReader *r)
{
  return r->in.reach;
}

void
states_reader_set_end (StatesReader *r, int64_t end)
{
  if (r->end != end)
    g_clear_pointer (&r->kept, states_kept_unref);
  r->end = end;
}

const char *
states_reader_problem (const StatesReader *r)
{
  return history_in_problem (&r->in);
}

bool
states_reader_lost (const StatesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg)
{
  return history_in_lost (&r->in, from, to, each, arg);
}

void
states_reader_each (StatesReader *r, uint32_t owner, int64_t from, int64_t to, Each each, void *arg)
{
  if (owner < r->lines->len)
    each_record (r, line_of (r, owner), from, to, each, arg);
}

uint64_t
states_reader_count (StatesReader *r, uint32_t owner, int64_t from, int64_t to)
{
  const Line *l = line_of (r, owner);
  Blocks blocks = l != NULL ? blocks_of (l, 0) : (Blocks){ NULL, 0 };
  double n = 0;

  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    const HistoryEntry *e = entry (r, blocks.index[i]);
    if (e->from >= to)
      break;
    double length = (double) e->to - (double) e->from, seen = (double) MIN (to, e->to) - (double) MAX (from, e->from);
    n += length <= 0 ? 1 : 1 + e->count * CLAMP (seen / length, 0, 1);
  }
  return (uint64_t) n;
}

/* ---- owners side by side ------------------------------------------------------------------------------- */

typedef struct Flattening {
  StatesFlat *flat;
  uint64_t n, most;
  int64_t end; /* of the interval before */
  bool fits;   /* one follows the other, and there is room */
} Flattening;

static bool
add_flat (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Flattening *f = arg;

  f->fits = f->n + 1 < f->most && state <= UINT16_MAX && (f->end == INT64_MIN || f->end == from);
  if (!f->fits)
    return false;
  f->flat->at[f->n] = from;
  f->flat->state[f->n++] = (uint16_t) state;
  f->end = to;
  return true;
}

/* Records of owners that have no sums, and a place for the end of each; 0: they are not for this. */
static uint64_t
count_flat (const StatesReader *r)
{
  uint64_t n = 0;

  if (r->lines->len < FLAT_OWNERS || r->in.reach != INT64_MAX || states_reader_lost (r, 0, 0, NULL, NULL))
    return 0;
  for (uint32_t owner = 0; owner < r->lines->len && n <= FLAT_RECORDS; owner++) {
    const Line *l = line_of (r, owner);
    Blocks blocks = blocks_of (l, 0);
    for (guint i = 0; l->n_levels == 0 && i < blocks.n; i++)
      n += entry (r, blocks.index[i])->count;
    n += 2;
  }
  return n <= FLAT_RECORDS ? n : 0;
}

void
states_reader_together (StatesReader *r)
{
  if (r->flat != NULL || r->not_flat)
    return;
  uint64_t most = count_flat (r);
  r->flat = most > 0 ? states_flat_find (r->in.base, r->in.generation, r->in.entries->len) : NULL;
  r->not_flat = r->flat == NULL && most == 0;
  if (r->flat != NULL || r->not_flat)
    return;
  StatesFlat *flat = states_flat_new (r->in.base, r->in.generation, r->in.entries->len, r->lines->len, most);
  Flattening f = { .flat = flat, .most = most, .fits = true };
  for (uint32_t owner = 0; owner < r->lines->len && f.fits; owner++) {
    const Line *l = line_of (r, owner);
    flat->first[owner] = (uint32_t) f.n;
    f.end = INT64_MIN;
    if (l->n_levels == 0)
      each_record (r, l, INT64_MIN, INT64_MAX, add_flat, &f);
    if (f.n > flat->first[owner]) {
      flat->at[f.n] = INT64_MAX;
      flat->state[f.n++] = UINT16_MAX;
    }
  }
  flat->first[flat->n_owners] = (uint32_t) f.n;
  if (f.fits && !states_reader_lost (r, 0, 0, NULL, NULL)) {
    states_flat_share (flat);
    r->flat = flat;
    return;
  }
  r->not_flat = true;
  states_flat_unref (flat);
}

/* When the first of all intervals begins, and the last ends; false: nobody knows yet. */
static bool
find_limits (const StatesReader *r, int64_t *from, int64_t *to)
{
  *from = INT64_MAX;
  *to = MIN (r->in.reach, r->end);
  for (uint32_t owner = 0; owner < r->lines->len; owner++) {
    Blocks blocks = blocks_of (line_of (r, owner), 0);
    if (blocks.n > 0)
      *from = MIN (*from, entry (r, blocks.index[0])->from);
  }
  return r->in.reach == INT64_MAX && *to < INT64_MAX && *from < *to && *from >= -(INT64_MAX / 2)
         && *to <= INT64_MAX / 2;
}

void
states_reader_keep_sums (StatesReader *r)
{
  int64_t from, to;

  if (r->kept == NULL && !r->not_kept) {
    r->not_kept = r->in.highest >= KEPT_SLOTS_MOST || r->in.entries->len == 0 || !find_limits (r, &from, &to);
    if (!r->not_kept)
      r->kept = states_kept_find (r->in.base, r->in.generation, r->in.entries->len, from, to);
  }
  if (r->kept != NULL)
    states_kept_picture (r->kept);
}
