/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.c - how many messages and bytes went from whom to whom. */
#include <glib.h>
#include "readers/counted.h"
#include "simulators/state.h"
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/moments.h"
#include "statistics/numbers.h"
#include "readers/pair.h"
#include "statistics/types.h"

#define MOST_PAIRS (1u << 18) /* kept apart; the others share one row of the table */
#define OTHERS UINT64_MAX
#define GRID 512 /* rows and columns of what is kept of the others, for the matrices */

typedef struct Pair {
  uint64_t key; /* from << 32 | to */
  uint64_t messages, bytes;
  StatsMoments transit; /* from the beginning of the send to the end of the receive, s */
} Pair;

typedef struct Cell {
  uint64_t messages, bytes;
} Cell;

typedef struct Traffic {
  EveBase base;
  int64_t every, most;
  GHashTable *place;               /* key -> index + 1 */
  GArray *pairs;                   /* of Pair */
  Pair *last_pair;                 /* most messages go where the one before went */
  Cell *grid;                      /* GRID x GRID, of 2^grid_shift tasks each; NULL: no pair is among the others */
  uint32_t grid_shift, grid_tasks; /* one more than the largest number in it */
  uint64_t seen, given;
  int64_t date;
  uint16_t source;
} Traffic;

static void traffic_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "messages", &state_type_message, .required = true, .doc = "Messages, when they are received, from a simulator." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, traffic_give, .doc = "Any datum: give everything now." },
};
static const EveOutSpec outs[] = {
  { "counts", &stats_type_matrix, .doc = "Messages, from the task of the row to that of the column." },
  { "volumes", &stats_type_matrix, .unit = "B", .doc = "Bytes, likewise." },
  { "table", &stats_type_table, .doc = "A row for each pair that exchanged messages." },
};
static const EveField settings[] = {
  { "every", EVE_F_INT64, offsetof (Traffic, every), .min = 0, .max = 1e15, .def = 4096,
    .doc = "Give them after so many messages, more often at first and, when there are many pairs, less often; 0: at "
           "the end only." },
  { "most", EVE_F_INT64, offsetof (Traffic, most), .min = 1, .max = 4096, .def = 256,
    .doc = "Rows and columns of the matrices at most; with more tasks a row stands for 2, 4, 8, ... that follow each "
           "other." },
};

static void
traffic_reset (EveComponent *c)
{
  Traffic *self = (Traffic *) c;

  g_hash_table_remove_all (self->place);
  g_array_set_size (self->pairs, 0);
  self->last_pair = NULL;
  g_clear_pointer (&self->grid, g_free);
  self->grid_shift = self->grid_tasks = 0;
  self->seen = self->given = 0;
  self->date = INT64_MIN;
  self->source = 0;
}

static bool
traffic_init (EveComponent *c)
{
  Traffic *self = (Traffic *) c;

  self->place = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  self->pairs = g_array_new (FALSE, TRUE, sizeof (Pair));
  traffic_reset (c);
  return true;
}

static void
traffic_finish (EveComponent *c)
{
  g_hash_table_unref (((Traffic *) c)->place);
  g_array_unref (((Traffic *) c)->pairs);
  g_free (((Traffic *) c)->grid);
}

static Pair *
traffic_pair_of (Traffic *self, uint64_t key)
{
  if (self->last_pair && self->last_pair->key == key)
    return self->last_pair;
  gint64 k = (gint64) key;
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (self->place, &k));
  if (!i) {
    if (self->pairs->len >= MOST_PAIRS && key != OTHERS)
      return traffic_pair_of (self, OTHERS);
    g_array_append_val (self->pairs, ((Pair){ .key = key }));
    i = self->pairs->len;
    g_hash_table_insert (self->place, g_memdup2 (&k, sizeof k), GUINT_TO_POINTER (i));
  }
  return self->last_pair = &g_array_index (self->pairs, Pair, i - 1);
}

/* A number of a task, from which rows can be counted. */
static bool
is_task (uint32_t task)
{
  return task < 1u << 31;
}

/* ---- pairs beyond the most: who is told by the row and the column of a grid ---------------------------------------- */

/* Four cells become one, until the task is in the grid. */
static void
grid_reach (Traffic *self, uint32_t task)
{
  self->grid_tasks = MAX (self->grid_tasks, task + 1);
  for (; task >> self->grid_shift >= GRID; self->grid_shift++)
    for (uint32_t i = 0; i < GRID * GRID; i++) {
      Cell cell = self->grid[i], *to = &self->grid[i / GRID / 2 * GRID + i % GRID / 2];
      self->grid[i] = (Cell){ 0 };
      to->messages += cell.messages;
      to->bytes += cell.bytes;
    }
}

static void
grid_add (Traffic *self, uint32_t from, uint32_t to, uint64_t bytes)
{
  if (!self->grid)
    self->grid = g_new0 (Cell, GRID * GRID);
  grid_reach (self, MAX (from, to));
  Cell *cell = &self->grid[(from >> self->grid_shift) * GRID + (to >> self->grid_shift)];
  cell->messages++;
  cell->bytes += bytes;
}

/* ---- what is given ------------------------------------------------------------------------------------------------ */

static const char *
traffic_name_of (const TraceSource *s, uint32_t task)
{
  return s && trace_task (s, task) ? trace_task_name (s, task) : "?";
}

static StatsMatrix *
matrix (Traffic *self, const TraceSource *s, uint32_t n, bool volumes)
{
  uint32_t shift = self->grid ? self->grid_shift : 0, rows;

  while ((n - 1) >> shift >= self->most)
    shift++;
  rows = ((n - 1) >> shift) + 1;
  StatsMatrix *m = stats_matrix_new (volumes ? "volume" : "messages", volumes ? "B" : NULL, rows, rows);

  m->date = self->date;
  m->source = self->source;
  m->whole = m->flows = true;
  stats_matrix_of_tasks (m, s, shift, n);
  for (guint i = 0; i < self->pairs->len; i++) {
    const Pair *p = &g_array_index (self->pairs, Pair, i);
    uint32_t from = (uint32_t) (p->key >> 32) >> shift, to = (uint32_t) p->key >> shift;
    if (p->key != OTHERS)
      m->values[(size_t) from * rows + to] += (double) (volumes ? p->bytes : p->messages);
  }
  for (uint32_t i = 0; self->grid && i < GRID * GRID; i++) {
    uint32_t from = i / GRID >> (shift - self->grid_shift), to = i % GRID >> (shift - self->grid_shift);
    if (self->grid[i].messages)
      m->values[(size_t) from * rows + to] += (double) (volumes ? self->grid[i].bytes : self->grid[i].messages);
  }
  return m;
}

static void
traffic_tell (Traffic *self)
{
  static const StatsColumn columns[] = {
    { "from", NULL, STATS_CELL_TEXT },        { "to", NULL, STATS_CELL_TEXT },
    { "messages", NULL, STATS_CELL_WHOLE },   { "volume", "B", STATS_CELL_WHOLE },
    { "mean size", "B", STATS_CELL_REAL },    { "min transit", "s", STATS_CELL_REAL },
    { "mean transit", "s", STATS_CELL_REAL }, { "max transit", "s", STATS_CELL_REAL },
  };
  const TraceSource *s = trace_source (self->source);
  uint32_t n = self->grid_tasks; /* of the messages alone: what the source knows hangs on how far it was read */

  for (guint i = 0; i < self->pairs->len; i++) {
    const Pair *p = &g_array_index (self->pairs, Pair, i);
    if (p->key != OTHERS)
      n = MAX (n, MAX ((uint32_t) (p->key >> 32), (uint32_t) p->key) + 1);
  }
  for (int k = 0; k < 2; k++)
    if (eve_out_connected (self->base.out[k])) {
      StatsMatrix *m = matrix (self, s, MAX (n, 1), k == 1);
      eve_emit_steal (self->base.out[k], &m);
    }
  if (!eve_out_connected (self->base.out[2]))
    return;
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, EVE_N (columns), self->pairs->len);
  t->date = self->date;
  t->source = self->source;
  for (guint i = 0; i < self->pairs->len; i++) {
    const Pair *p = &g_array_index (self->pairs, Pair, i);
    stats_table_set_text (t, i, 0, p->key == OTHERS ? "others" : traffic_name_of (s, (uint32_t) (p->key >> 32)));
    stats_table_set_text (t, i, 1, p->key == OTHERS ? "others" : traffic_name_of (s, (uint32_t) p->key));
    if (p->key != OTHERS)
      stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) (p->key >> 32)),
                             trace_ref_task (t->source, (uint32_t) p->key));
    stats_cell (t, i, 2)->whole = (int64_t) p->messages;
    stats_cell (t, i, 3)->whole = (int64_t) p->bytes;
    stats_cell (t, i, 4)->real = (double) p->bytes / (double) p->messages;
    stats_cell (t, i, 5)->real = stats_moments_min (&p->transit);
    stats_cell (t, i, 6)->real = stats_moments_mean (&p->transit);
    stats_cell (t, i, 7)->real = stats_moments_max (&p->transit);
  }
  eve_emit_steal (self->base.out[2], &t);
}

static void
traffic_give_now (Traffic *self)
{
  self->given = self->seen;
  traffic_tell (self);
}

static void
traffic_give (EveComponent *c, EveIn *in, const void *datum)
{
  traffic_give_now ((Traffic *) c);
}

static void
traffic_step (Traffic *self, const StateMessage *m)
{
  bool known = is_task (MAX (m->from, m->to));

  if (G_UNLIKELY (m->source != self->source) && !stats_same_trace ((EveComponent *) self, &self->source, m->source))
    return;
  Pair *p = traffic_pair_of (self, known ? (uint64_t) m->from << 32 | m->to : OTHERS);

  self->date = m->received;
  p->messages++;
  p->bytes += (uint64_t) MAX (m->size, 0);
  if (G_UNLIKELY (p->key == OTHERS && known))
    grid_add (self, m->from, m->to, (uint64_t) MAX (m->size, 0));
  if (m->sent != INT64_MIN) {
    const TraceSource *source = trace_source (m->source);
    if (source)
      stats_moments_add (&p->transit, trace_clock_seconds (&source->clock, m->received - m->sent));
  }
  if (number_table_is_due (++self->seen, self->every, self->pairs->len))
    traffic_give_now (self);
}

static void
traffic_fire (EveComponent *c)
{
  traffic_step ((Traffic *) c, eve_take (eve_base (c)->in[0]));
}

static void
traffic_fire_span (EveComponent *c, uint32_t n)
{
  const StateMessage *m = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    traffic_step ((Traffic *) c, &m[i]);
}

static void
traffic_status (Traffic *self)
{
  eve_status ((EveComponent *) self,
              P_ ("%llu messages between %u pair", "%llu messages between %u pairs", self->pairs->len),
              (unsigned long long) self->seen, self->pairs->len);
}

static bool
traffic_at_end (EveComponent *c)
{
  Traffic *self = (Traffic *) c;

  if (self->given != self->seen || self->seen == 0)
    traffic_give_now (self);
  traffic_status (self);
  return true;
}

static bool
traffic_at_rest (EveComponent *c, int64_t now)
{
  Traffic *self = (Traffic *) c;

  if (self->given != self->seen) {
    traffic_tell (self);
    traffic_status (self);
  }
  return true;
}

/* Of the cells those that hold something. */
static void
grid_save (const Traffic *self, EveBlob *to)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < GRID * GRID; i++)
    n += self->grid[i].messages > 0;
  eve_put_int (to, self->grid_shift);
  eve_put_int (to, self->grid_tasks);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < GRID * GRID; i++)
    if (self->grid[i].messages > 0) {
      eve_put_int (to, i);
      eve_put_int (to, (int64_t) self->grid[i].messages);
      eve_put_int (to, (int64_t) self->grid[i].bytes);
    }
}

static bool
grid_load (Traffic *self, EveBlobView *from)
{
  int64_t shift = eve_get_int (from), tasks = eve_get_int (from), n = eve_get_int (from);

  if (!eve_get_ok (from) || shift < 0 || shift > 22 || tasks < 1 || tasks > (int64_t) GRID << shift || n < 0
      || n > GRID * GRID)
    return false;
  self->grid = g_new0 (Cell, GRID * GRID);
  self->grid_shift = (uint32_t) shift;
  self->grid_tasks = (uint32_t) tasks;
  while (n-- > 0 && eve_get_ok (from)) {
    int64_t i = eve_get_int (from);
    if (i < 0 || i >= GRID * GRID || (MAX (i / GRID, i % GRID) << shift) >= tasks)
      return false;
    self->grid[i].messages = (uint64_t) eve_get_int (from);
    self->grid[i].bytes = (uint64_t) eve_get_int (from);
  }
  return eve_get_ok (from);
}

static void
traffic_save (EveComponent *c, EveBlob *to)
{
  const Traffic *self = (const Traffic *) c;

  eve_put_int (to, self->pairs->len);
  for (guint i = 0; i < self->pairs->len; i++) {
    const Pair *p = &g_array_index (self->pairs, Pair, i);
    eve_put_int (to, (int64_t) p->key);
    eve_put_int (to, (int64_t) p->messages);
    eve_put_int (to, (int64_t) p->bytes);
    stats_moments_save (&p->transit, to);
  }
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->grid != NULL);
  if (self->grid)
    grid_save (self, to);
}

static bool
traffic_load (EveComponent *c, EveBlobView *from)
{
  Traffic *self = (Traffic *) c;
  int64_t n = eve_get_int (from);

  traffic_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_PAIRS + 1)
    return false;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    uint64_t key = (uint64_t) eve_get_int (from);
    if (key != OTHERS && !is_task (MAX ((uint32_t) (key >> 32), (uint32_t) key)))
      return false;
    Pair *p = traffic_pair_of (self, key);
    if (self->pairs->len != i + 1)
      return false;
    p->messages = (uint64_t) eve_get_int (from);
    p->bytes = (uint64_t) eve_get_int (from);
    stats_moments_load (&p->transit, from);
  }
  self->last_pair = NULL;
  self->seen = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  if (eve_get_int (from) != 0 && !grid_load (self, from))
    return false;
  return eve_get_ok (from);
}

static const EveClass traffic = {
  EVE_CLASS_HEAD,
  .id = "scope.traffic",
  .label = "Traffic",
  .category = "Analysis",
  .version = 1,
  .doc = "Counts messages and bytes from each task to each other.",
  .help =
      "Connect the output `messages` of a simulator: a message counts when its receive ends, once for each receiver. "
      "`counts` and `volumes` are matrices with a row for each sender and a column for each receiver; `table` has a "
      "row for "
      "each pair, with the mean size and the transit time from the beginning of the send to the end of the receive. "
      "They are "
      "given after 1, 2, 4, ... messages, then after each *every*, at the end, and when a datum comes to `give`. "
      "Beyond 262,144 pairs the rest shares one row of the table, and is in the matrices with 2, 4, 8, ... tasks a "
      "row.\n\n"
      "Example: Traffic to a matrix shows who talks to whom.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Traffic),
  .init = traffic_init,
  .finish = traffic_finish,
  .reset = traffic_reset,
  .fire = traffic_fire,
  .fire_span = traffic_fire_span,
  .at_end = traffic_at_end,
  .at_rest = traffic_at_rest,
  .save = traffic_save,
  .load = traffic_load,
  .query = trace_counted_anew,
};
EVE_PLUGIN (&traffic);
