/* SPDX-License-Identifier: Apache-2.0 */
/* converted-columns.c - a block of events as columns, so that they pack well and fast.
 *
 * Of each column its least value is kept, and what each value is more than that, in as few bytes as the greatest wants:
 * none if all are the same.  Most columns of most blocks are so: numbers that go up by one, what a kind of event does
 * not have.  Dates, numbers and places of records are differences from the event before. */
#include <string.h>

#include "eve/bytes.h"
#include "readers/converted-private.h"

typedef enum { DATE, NUMBER, RECORD, DURATION, AMOUNT, TASK, PEER, OBJECT, TAG, RESULT, KIND, FLAGS, N_COLUMNS } Column;
#define STRETCH 256 /* events whose columns fit into the nearest cache */
#define TASKS 64    /* that are told apart, by the last bits of their numbers */

_Static_assert(COLUMNS_BYTES == 8 + 2 * (2 + TASKS * 8) + N_COLUMNS * (9 + (size_t) BLOCK_EVENTS * 8),
               "room for any block");

/* ---- to bytes ------------------------------------------------------------------------------------------------------------ */

static uint8_t *
put_column (uint8_t *to, const uint64_t *v, uint32_t n)
{
  int64_t least = (int64_t) v[0], most = least;
  uint64_t differs = 0;

  for (uint32_t i = 1; i < n; i++)
    differs |= v[i] ^ v[0];
  for (uint32_t i = 1; i < n && differs; i++) {
    least = MIN (least, (int64_t) v[i]);
    most = MAX (most, (int64_t) v[i]);
  }
  uint64_t base = (uint64_t) least, range = (uint64_t) most - base;
  uint8_t width = range == 0 ? 0 : range <= UINT8_MAX ? 1 : range <= UINT16_MAX ? 2 : range <= UINT32_MAX ? 4 : 8;
  *to = width;
  bytes_put64 (to + 1, base);
  to += 9;
  switch (width) {
  case 1:
    for (uint32_t i = 0; i < n; i++)
      to[i] = (uint8_t) (v[i] - base);
    break;
  case 2:
    for (uint32_t i = 0; i < n; i++)
      bytes_put16 (to + (size_t) i * 2, (uint16_t) (v[i] - base));
    break;
  case 4:
    for (uint32_t i = 0; i < n; i++)
      bytes_put32 (to + (size_t) i * 4, (uint32_t) (v[i] - base));
    break;
  case 8:
    for (uint32_t i = 0; i < n; i++)
      bytes_put64 (to + (size_t) i * 8, v[i] - base);
    break;
  default:
    break;
  }
  return to + (size_t) n * width;
}

/* The last value of each task, or of all together: `mask` parts them.  What the first one is told to be like stands
 * before the column, in the order in which tasks are met. */
typedef struct Lasts {
  uint64_t of[TASKS], met; /* met: a bit each */
  uint32_t mask;
} Lasts;

static inline bool
is_met (Lasts *l, uint32_t slot)
{
  bool met = l->met >> slot & 1;

  l->met |= UINT64_C (1) << slot;
  return met;
}

static inline uint64_t
value_of (const TraceEvent *e, Column which)
{
  return which == NUMBER ? e->number : e->record;
}

/* Whether each is as much more than the one before. */
static bool
is_regular (const TraceEvent *e, uint32_t n, Column which)
{
  for (uint32_t i = 2; i < n; i++)
    if (value_of (&e[i], which) - value_of (&e[i - 1], which) != value_of (&e[1], which) - value_of (&e[0], which))
      return false;
  return true;
}

static uint8_t *
put_by_task (uint8_t *to, const TraceEvent *e, uint32_t n, Column which, uint64_t *v)
{
  Lasts l = { .met = 0, .mask = is_regular (e, n, which) ? 0 : TASKS - 1 };
  uint64_t usual = n > 1 && l.mask == 0 ? value_of (&e[1], which) - value_of (&e[0], which) : 1;
  uint8_t *first = to + 2;

  to[0] = (uint8_t) l.mask;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = e[i].task & l.mask;
    uint64_t value = value_of (&e[i], which);
    if (G_UNLIKELY (!is_met (&l, slot))) {
      l.of[slot] = value - usual; /* so that it does not make the column wider */
      bytes_put64 (first, l.of[slot]);
      first += 8;
    }
    v[i] = value - l.of[slot];
    l.of[slot] = value;
  }
  to[1] = (uint8_t) ((first - to) / 8);
  return put_column (first, v, n);
}

size_t
converted_put_columns (const TraceEvent *e, uint32_t n, uint8_t *to)
{
  uint64_t v[BLOCK_EVENTS];
  uint8_t *at = to;

  bytes_put64 (at, (uint64_t) e[0].date);
  for (uint32_t i = 1; i < n; i++)
    v[i] = (uint64_t) e[i].date - (uint64_t) e[i - 1].date;
  v[0] = n > 1 ? v[1] : 0; /* so that it does not make the column wider */
  at = put_column (at + 8, v, n);
  at = put_by_task (at, e, n, NUMBER, v);
  at = put_by_task (at, e, n, RECORD, v);
#define PUT(field)                                                                                                     \
  for (uint32_t i = 0; i < n; i++)                                                                                     \
    v[i] = (uint64_t) e[i].field;                                                                                      \
  at = put_column (at, v, n);
  PUT (duration)
  PUT (size)
  PUT (task)
  PUT (peer)
  PUT (object)
  PUT (tag)
  PUT (result)
  PUT (kind)
  PUT (flags)
  return (size_t) (at - to);
}

/* ---- and back ------------------------------------------------------------------------------------------------------------ */

typedef struct Packed {
  const uint8_t *firsts, *end; /* of NUMBER and RECORD: what first ones of tasks are told to be like */
  uint32_t mask;
  const uint8_t *at;
  uint64_t base;
  uint8_t width;
} Packed;

/* n values from the one numbered `from` on. */
static void
get_column (const Packed *p, uint32_t from, uint32_t n, uint64_t *v)
{
  const uint8_t *at = p->at + (size_t) from * p->width;
  uint64_t base = p->base;

  switch (p->width) {
  case 1:
    for (uint32_t i = 0; i < n; i++)
      v[i] = base + at[i];
    break;
  case 2:
    for (uint32_t i = 0; i < n; i++)
      v[i] = base + bytes_get16 (at + (size_t) i * 2);
    break;
  case 4:
    for (uint32_t i = 0; i < n; i++)
      v[i] = base + bytes_get32 (at + (size_t) i * 4);
    break;
  case 8:
    for (uint32_t i = 0; i < n; i++)
      v[i] = base + bytes_get64 (at + (size_t) i * 8);
    break;
  default:
    for (uint32_t i = 0; i < n; i++)
      v[i] = base;
    break;
  }
}

/* Where each column is; false: the bytes are not what n events were made into. */
static bool
find_columns (const uint8_t *from, size_t bytes, uint32_t n, Packed *columns)
{
  for (int i = 0; i < N_COLUMNS; i++) {
    bool by_task = i == NUMBER || i == RECORD;
    size_t before = by_task && bytes > 2 ? 2 + (size_t) from[1] * 8 : 0;
    if (bytes < before + 9)
      return false;
    Packed p = { .firsts = from + 2,
                 .end = from + before,
                 .mask = before > 0 ? from[0] % TASKS : 0,
                 .at = from + before + 9,
                 .base = bytes_get64 (from + before + 1),
                 .width = from[before] };
    from += before;
    bytes -= before;
    if ((p.width > 2 && p.width != 4 && p.width != 8) || (bytes - 9) / n < p.width)
      return false;
    columns[i] = p;
    from += 9 + (size_t) n * p.width;
    bytes -= 9 + (size_t) n * p.width;
  }
  return bytes == 0;
}

static inline uint64_t
next_of (Lasts *l, Packed *p, uint32_t task, uint64_t difference)
{
  uint32_t slot = task & p->mask;
  uint64_t *last = &l->of[slot];

  if (G_UNLIKELY (!is_met (l, slot))) {
    *last = p->firsts < p->end ? bytes_get64 (p->firsts) : 0;
    p->firsts += p->firsts < p->end ? 8 : 0;
  }
  return *last += difference;
}

bool
converted_get_columns (const uint8_t *from, size_t bytes, uint32_t n, TraceEvent *e)
{
  Packed columns[N_COLUMNS];
  uint64_t v[N_COLUMNS][STRETCH];
  Lasts numbers = { .met = 0 }, records = { .met = 0 };

  if (n == 0 || bytes < 8 || !find_columns (from + 8, bytes - 8, n, columns))
    return false;
  uint64_t date = bytes_get64 (from);
  for (uint32_t at = 0; at < n; at += STRETCH) {
    uint32_t many = MIN (STRETCH, n - at);
    for (int i = 0; i < N_COLUMNS; i++)
      get_column (&columns[i], at, many, v[i]);
    if (at == 0)
      v[DATE][0] = 0;
    for (uint32_t i = 0; i < many; i++, e++) {
      e->date = (int64_t) (date += v[DATE][i]);
      e->duration = (int64_t) v[DURATION][i];
      uint32_t task = (uint32_t) v[TASK][i];
      e->number = next_of (&numbers, &columns[NUMBER], task, v[NUMBER][i]);
      e->record = TRACE_RECORD (next_of (&records, &columns[RECORD], task, v[RECORD][i]));
      e->source = 0;
      e->size = (int64_t) v[AMOUNT][i];
      e->task = task;
      e->peer = (uint32_t) v[PEER][i];
      e->object = (uint32_t) v[OBJECT][i];
      e->tag = (int32_t) v[TAG][i];
      e->result = (int32_t) v[RESULT][i];
      e->kind = (uint16_t) v[KIND][i];
      e->flags = (uint8_t) v[FLAGS][i];
      e->reserved = 0;
    }
  }
  return true;
}
