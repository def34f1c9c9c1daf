/* SPDX-License-Identifier: Apache-2.0 */
/* clog2.c - records of CLOG-2. */
#include <stdlib.h>
#include <string.h>

#include "readers/clog/clog.h"
#include "eve/words.h"
#include "readers/keys.h"

#define PREAMBLE 1024
#define CLOG2_HEAD 24
#define CLOG2_OLD_HEAD 16 /* before version 02.30: a date, a type, a rank in the world */
enum {
  CLOG2_END_LOG,
  CLOG2_END_BLOCK,
  CLOG2_STATE,
  CLOG2_EVENT,
  CLOG2_CONSTANT,
  CLOG2_BARE,
  CLOG2_CARGO,
  CLOG2_MESSAGE,
  CLOG2_COLLECTIVE,
  CLOG2_COMMUNICATOR,
  CLOG2_SOURCE,
  CLOG2_SHIFT,
  CLOG2_N_TYPES = CLOG2_SHIFT + 1
};
enum { CLOG2_SEND = -101, CLOG2_RECEIVE = -102 };
static const uint8_t clog2_bodies[16] = {
  [CLOG2_STATE] = 112,  [CLOG2_EVENT] = 104,     [CLOG2_CONSTANT] = 40,     [CLOG2_BARE] = 8,    [CLOG2_CARGO] = 40,
  [CLOG2_MESSAGE] = 24, [CLOG2_COLLECTIVE] = 16, [CLOG2_COMMUNICATOR] = 48, [CLOG2_SOURCE] = 48, [CLOG2_SHIFT] = 8
};

/* "TITLE=\0VALUE\0" in the preamble, whose end is 0. */
static const char *
preamble_value (const char *preamble, const char *title)
{
  for (const char *at = preamble; at < preamble + PREAMBLE;) {
    if (strcmp (at, title) == 0 && at + strlen (at) + 1 < preamble + PREAMBLE)
      return at + strlen (at) + 1;
    at += strlen (at) + 1;
  }
  return NULL;
}

bool
clog2_head (Clog *c, const char *path, GError **error)
{
  const uint8_t *at = mpe_take (&c->in, PREAMBLE);
  char preamble[PREAMBLE + 1];

  if (!at) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s ends inside of its preamble: nothing of it can be read"),
                 path);
    return false;
  }
  memcpy (preamble, at, PREAMBLE);
  preamble[PREAMBLE] = '\0';
  c->is_old = strncmp (preamble, "CLOG-02.30", 10) < 0;
  const char *big = preamble_value (preamble, "is_big_endian="), *size = preamble_value (preamble, "block_size="),
             *whole = preamble_value (preamble, "is_finalzed=");
  c->swaps = big && strncmp (big, "FALSE", 5) == 0;
  if (c->events && whole && strncmp (whole, "FALSE", 5) == 0)
    trace_source_remark (
        c->mpe.source, c->mpe.file, 0, 0,
        _ ("the program did not finish this log: it holds what one process has written, with the dates "
           "of its own clock, and not what the others have"));
  int64_t bytes = size ? g_ascii_strtoll (size, NULL, 10) : 65536;
  c->block = bytes >= 256 && bytes <= 1 << 28 ? (uint32_t) bytes : 65536;
  return true;
}

/* Numbers of machines that begin them with their lowest byte, as processes write them before logs are merged; what the
 * program has put into its own records is in the order of the network already. */
static void
clog2_turn (uint8_t *at, size_t n)
{
  for (size_t i = 0; i < n / 2; i++) {
    uint8_t other = at[n - 1 - i];
    at[n - 1 - i] = at[i];
    at[i] = other;
  }
}

static void
turn_body (int32_t type, uint8_t *body)
{
  static const uint8_t numbers[CLOG2_N_TYPES] = {
    [CLOG2_STATE] = 4,   [CLOG2_EVENT] = 2,      [CLOG2_CONSTANT] = 2,     [CLOG2_BARE] = 2,  [CLOG2_CARGO] = 2,
    [CLOG2_MESSAGE] = 6, [CLOG2_COLLECTIVE] = 4, [CLOG2_COMMUNICATOR] = 4, [CLOG2_SOURCE] = 2
  };

  for (unsigned i = 0; i < numbers[type]; i++)
    clog2_turn (body + 4 * i, 4);
}

static int64_t
world_rank (Clog *c, int32_t communicator, int32_t rank)
{
  gint64 key = (gint64) ((guint64) (uint32_t) communicator << 32 | (uint32_t) rank);
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (c->ranks, &key));

  return known > 0 ? (int64_t) known - 1 : rank;
}

static void
clog2_define (Clog *c, int32_t type, const uint8_t *body)
{
  g_autofree char *name = NULL, *form = NULL, *colour = NULL;

  switch (type) {
  case CLOG2_STATE:
    colour = mpe_words (body + 16, 24);
    name = mpe_words (body + 40, 32);
    form = mpe_words (body + 72, 40);
    mpe_define_state (&c->mpe, mpe_32 (body + 4), mpe_32 (body + 8), name, colour, form);
    break;
  case CLOG2_EVENT:
    name = mpe_words (body + 32, 32);
    form = mpe_words (body + 64, 40);
    mpe_define_event (&c->mpe, mpe_32 (body), name, form);
    break;
  case CLOG2_COMMUNICATOR:
    if (!c->is_old && g_hash_table_size (c->ranks) < 1000000 && mpe_32 (body + 8) >= 0 && mpe_32 (body + 12) >= 0) {
      gint64 key = (gint64) ((guint64) (uint32_t) mpe_32 (body + 4) << 32 | (uint32_t) mpe_32 (body + 8));
      g_hash_table_replace (c->ranks, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER ((guint) mpe_32 (body + 12) + 1));
    }
    break;
  default:
    break;
  }
}

/* The groups of all communicators that are told, with their members in the order of their ranks, at the first date. */
static void
give_groups (Clog *c, int64_t date)
{
  g_autoptr (GArray) keys = keys_sorted (c->ranks), members = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (guint i = 0; i < keys->len; i++) {
    gint64 at = g_array_index (keys, gint64, i);
    int32_t communicator = (int32_t) ((guint64) at >> 32);
    uint32_t rank = GPOINTER_TO_UINT (g_hash_table_lookup (c->ranks, &at)) - 1;
    uint32_t task = mpe_task (&c->mpe, rank, 0);
    g_array_append_val (members, task);
    if (i + 1 < keys->len && (int32_t) ((guint64) g_array_index (keys, gint64, i + 1) >> 32) == communicator)
      continue;
    g_autofree char *name = communicator == 0 ? g_strdup ("MPI_COMM_WORLD")
                                              : g_strdup_printf ("communicator %d", communicator);
    uint32_t object = together_group (&c->mpe.together, name, (const uint32_t *) (const void *) members->data,
                                      members->len, date);
    g_hash_table_insert (c->groups, GINT_TO_POINTER (communicator), GUINT_TO_POINTER (object + 1));
    g_array_set_size (members, 0);
  }
}

static void
clog2_happen (Clog *c, const uint8_t *head, int32_t type, const uint8_t *body)
{
  int64_t date;
  MpeDetail d = { .n_cargo = 0 };
  int32_t number = mpe_32 (body), communicator = mpe_32 (head + 8);

  if (type != CLOG2_BARE && type != CLOG2_CARGO && type != CLOG2_MESSAGE && type != CLOG2_COLLECTIVE)
    return;
  if (!mpe_date (mpe_double (head), &date)) {
    mpe_damaged (&c->mpe, 0, mpe_at (&c->in), _ ("no date can be so far; the record is left out"));
    return;
  }
  if (g_hash_table_size (c->groups) == 0 && g_hash_table_size (c->ranks) > 0)
    give_groups (c, date);
  uint32_t task = mpe_task (&c->mpe, world_rank (c, communicator, mpe_32 (head + 12)), mpe_32 (head + 16));
  d.group = GPOINTER_TO_UINT (g_hash_table_lookup (c->groups, GINT_TO_POINTER (communicator)));
  if (type == CLOG2_MESSAGE && c->is_old) {
    mpe_message (&c->mpe, task, date, number == CLOG2_SEND, mpe_partner (&c->mpe, mpe_32 (body + 8)), mpe_32 (body + 4),
                 mpe_32 (body + 16));
    return;
  }
  if (type == CLOG2_MESSAGE) {
    uint32_t partner = mpe_partner (&c->mpe, world_rank (c, mpe_32 (body + 4), mpe_32 (body + 8)));
    mpe_message (&c->mpe, task, date, number == CLOG2_SEND, partner, mpe_32 (body + 12), mpe_32 (body + 16));
    return;
  }
  if (type == CLOG2_CARGO) {
    d.n_cargo = 32;
    memcpy (d.cargo, body + 8, 32);
  }
  mpe_event (&c->mpe, task, date, number, &d);
}

/* The head of a record, as it is since version 02.30: date, communicator, rank in it, thread, type. */
static bool
clog2_take_head (Clog *c, uint8_t *head)
{
  const uint8_t *taken = mpe_take (&c->in, c->is_old ? CLOG2_OLD_HEAD : CLOG2_HEAD);

  if (taken && c->is_old) {
    memset (head, 0, CLOG2_HEAD);
    memcpy (head, taken, 8);
    memcpy (head + 12, taken + 12, 4);
    memcpy (head + 20, taken + 8, 4);
  } else if (taken) {
    memcpy (head, taken, CLOG2_HEAD);
  }
  if (taken && c->swaps) {
    clog2_turn (head, 8);
    for (int i = 8; i < CLOG2_HEAD; i += 4)
      clog2_turn (head + i, 4);
  }
  return taken != NULL;
}

bool
clog2_record (Clog *c)
{
  uint64_t at = mpe_at (&c->in), next = (at - PREAMBLE) / c->block * c->block + c->block + PREAMBLE;
  uint8_t head[CLOG2_HEAD];

  if (!clog2_take_head (c, head))
    return clog_ends_early (c);
  int32_t type = mpe_32 (head + 20);
  if (type == CLOG2_END_LOG)
    return false;
  if (type == CLOG2_END_BLOCK)
    return mpe_go (&c->in, next) || clog_ends_early (c);
  if (type < 0 || type >= CLOG2_N_TYPES) {
    if (c->events)
      mpe_damaged (&c->mpe, 0, at, _ ("there is no record of the type %d; what follows it in this block is left out"),
                   type);
    return mpe_go (&c->in, next) || clog_ends_early (c);
  }
  bool is_short = c->is_old && type == CLOG2_COMMUNICATOR;
  const uint8_t *body = mpe_take (&c->in, is_short ? 16 : clog2_bodies[type]);
  if (!body)
    return clog_ends_early (c);
  uint8_t turned[112];
  if (c->swaps) {
    memcpy (turned, body, is_short ? 16 : clog2_bodies[type]);
    turn_body (type, turned);
    body = turned;
  }
  if (c->events)
    clog2_happen (c, head, type, body);
  else
    clog2_define (c, type, body);
  return true;
}
