/* SPDX-License-Identifier: Apache-2.0 */
/* clog.c - reads CLOG, the binary logs of MPICH's MPE, and CLOG-2 of MPE2 (clog2.c): README.md. */
#include "readers/clog/clog.h"
#include "eve/words.h"

#include <math.h>
#include <string.h>
#include "readers/pair.h"

#define HEAD 24 /* bytes of a record before its body */
#define SMALL_BLOCK 1024
#define LARGE_BLOCK 65536
enum { END_LOG = -2, END_BLOCK, RAW = 1, MESSAGE, COLLECTIVE, COMMUNICATOR, EVENT, STATE, SOURCE, SHIFT, N_TYPES };
enum { SEND = -101, RECEIVE = -102 };
static const uint8_t bodies[N_TYPES] = { [RAW] = 32,   [MESSAGE] = 24, [COLLECTIVE] = 24, [COMMUNICATOR] = 16,
                                         [EVENT] = 24, [STATE] = 56,   [SOURCE] = 48,     [SHIFT] = 8 };

typedef struct Record {
  double seconds;
  int32_t type, length, process;
} Record;

static Record
record_at (const uint8_t *at)
{
  return (Record){ mpe_double (at), mpe_32 (at + 8), mpe_32 (at + 12), mpe_32 (at + 16) };
}

/* Lengths are told in words of 8 bytes. */
static bool
clog_is_record (const uint8_t *at)
{
  Record r = record_at (at);

  if (!(fabs (r.seconds) < 4e9) || r.process < 0)
    return false;
  return r.type == END_LOG || r.type == END_BLOCK
         || (r.type >= RAW && r.type < N_TYPES && r.length == (HEAD + bodies[r.type]) / 8);
}

bool
clog_ends_early (Clog *c)
{
  if (c->events && !c->in.why)
    mpe_damaged (&c->mpe, 0, mpe_at (&c->in), _ ("the file ends here, before the log does; what was read is kept"));
  return false;
}

/* Blocks are of 65536 bytes, of older logs of 1024, which the file does not tell: the next one begins where a record
 * does. */
static bool
clog_next_block (Clog *c)
{
  uint64_t at = mpe_at (&c->in), next = (at + SMALL_BLOCK - 1) / SMALL_BLOCK * SMALL_BLOCK;

  if (!mpe_go (&c->in, next))
    return clog_ends_early (c);
  const uint8_t *head = mpe_look (&c->in, HEAD);
  if (head && clog_is_record (head))
    return true;
  next = (at + LARGE_BLOCK - 1) / LARGE_BLOCK * LARGE_BLOCK;
  return mpe_go (&c->in, next) || clog_ends_early (c);
}

static const char *
clog_source_of (Clog *c, int32_t number)
{
  return g_hash_table_lookup (c->sources, GINT_TO_POINTER (number));
}

/* "TAG SIZE" in the text of an event. */
static void
clog_message (Clog *c, const Record *r, const uint8_t *body, int64_t date)
{
  g_autofree char *text = mpe_words (body + 16, 16);
  char *end;
  int64_t tag = g_ascii_strtoll (text, &end, 10), bytes = g_ascii_strtoll (end, NULL, 10);

  mpe_message (&c->mpe, mpe_task (&c->mpe, r->process, 0), date, mpe_32 (body) == SEND,
               mpe_partner (&c->mpe, mpe_32 (body + 4)), (int32_t) tag, bytes);
}

static void
clog_happen (Clog *c, const Record *r, const uint8_t *body)
{
  int64_t date;
  int32_t number = mpe_32 (body);
  uint32_t task;
  MpeDetail d = { .has_data = true, .data = mpe_32 (body + 4) };

  if (r->type != RAW && r->type != MESSAGE && r->type != COLLECTIVE)
    return;
  if (!mpe_date (r->seconds, &date)) {
    mpe_damaged (&c->mpe, 0, mpe_at (&c->in), _ ("no date can be so far; the record is left out"));
    return;
  }
  if (r->type == RAW && (number == SEND || number == RECEIVE)) {
    clog_message (c, r, body, date);
    return;
  }
  task = mpe_task (&c->mpe, r->process, 0);
  if (r->type == MESSAGE && (number == SEND || number == RECEIVE)) {
    mpe_message (&c->mpe, task, date, number == SEND, mpe_partner (&c->mpe, mpe_32 (body + 8)), mpe_32 (body + 4),
                 mpe_32 (body + 16));
    return;
  }
  g_autofree char *text = r->type == RAW ? mpe_words (body + 16, 16) : NULL;
  d.text = text;
  d.source = clog_source_of (c, mpe_32 (body + (r->type == RAW ? 8 : r->type == MESSAGE ? 20 : 16)));
  mpe_event (&c->mpe, task, date, number, &d);
}

static void
clog_define (Clog *c, const Record *r, const uint8_t *body)
{
  g_autofree char *name = NULL, *colour = NULL;

  switch (r->type) {
  case EVENT:
    name = mpe_words (body + 8, 16);
    mpe_define_event (&c->mpe, mpe_32 (body), name, NULL);
    break;
  case STATE:
    colour = mpe_words (body + 16, 24);
    name = mpe_words (body + 40, 16);
    mpe_define_state (&c->mpe, mpe_32 (body + 4), mpe_32 (body + 8), name, colour, NULL);
    break;
  case SOURCE:
    name = mpe_words (body + 8, 40);
    if (g_hash_table_size (c->sources) < 100000)
      g_hash_table_insert (c->sources, GINT_TO_POINTER (mpe_32 (body)),
                           g_strdup_printf ("%s:%d", name, mpe_32 (body + 4)));
    break;
  default:
    break;
  }
}

bool
clog_record (Clog *c)
{
  uint64_t at = mpe_at (&c->in);
  const uint8_t *head = mpe_take (&c->in, HEAD);

  if (!head)
    return clog_ends_early (c);
  Record r = record_at (head);
  if (r.type == END_LOG)
    return false;
  if (r.type == END_BLOCK)
    return clog_next_block (c);
  if (r.type < RAW || r.type >= N_TYPES) {
    if (c->events)
      mpe_damaged (&c->mpe, 0, at, _ ("there is no record of the type %d; what follows it in this block is left out"),
                   r.type);
    return clog_next_block (c);
  }
  const uint8_t *body = mpe_take (&c->in, bodies[r.type]);
  if (!body)
    return clog_ends_early (c);
  if (c->events)
    clog_happen (c, &r, body);
  else
    clog_define (c, &r, body);
  return true;
}

bool
clog_read (Clog *c, const char *path, bool (*record) (Clog *c), GError **error)
{
  for (int time = 0; time < 2; time++) {
    bool goes_on = true;
    c->events = time == 1;
    if (!mpe_bytes_open (&c->in, path, error))
      return false;
    if (record == clog2_record && !clog2_head (c, path, error)) {
      mpe_bytes_close (&c->in);
      return false;
    }
    for (uint64_t n = 0; goes_on && record (c); n++)
      if ((n & 0xfff) == 0)
        goes_on = converter_progress (c->mpe.to, 0.5 * time + 0.5 * input_share (c->in.in), error);
    if (c->in.why && c->events && c->mpe.source->n_events > 0) { /* what came before it is good */
      mpe_damaged (&c->mpe, 0, mpe_at (&c->in), "%s", c->in.why->message);
    } else if (c->in.why && c->events) {
      g_propagate_error (error, g_steal_pointer (&c->in.why));
      goes_on = false;
    }
    mpe_bytes_close (&c->in);
    if (!goes_on)
      return false;
  }
  return true;
}

#define VERSION "CLOG-0"

static bool
clog_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  char version[sizeof VERSION] = "";
  Clog c = { .sources = g_hash_table_new_full (NULL, NULL, NULL, g_free),
             .ranks = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL),
             .groups = g_hash_table_new (NULL, NULL) };

  mpe_begin (&c.mpe, to, file);
  input_head (path, version, sizeof version - 1);
  bool is_second = strcmp (version, VERSION) == 0;
  c.mpe.has_data = c.mpe.has_source = !is_second;
  bool ok = clog_read (&c, path, is_second ? clog2_record : clog_record, error);
  if (ok)
    mpe_end (&c.mpe);
  g_hash_table_unref (c.sources);
  g_hash_table_unref (c.ranks);
  g_hash_table_unref (c.groups);
  mpe_free (&c.mpe);
  return ok;
}

/* CLOG-2 says what it is; CLOG begins with a record whose length is right. */
static int
clog_recognise (const char *path, const void *head, size_t n, char **whole)
{
  if (!head || n < HEAD)
    return 0;
  if (memcmp (head, VERSION, sizeof VERSION - 1) == 0)
    return 95;
  const uint8_t *at = head;
  Record r = record_at (at);
  if (r.type < RAW || !clog_is_record (at))
    return 0;
  return n < (size_t) HEAD * 2 + bodies[r.type] || clog_is_record (at + HEAD + bodies[r.type]) ? 80 : 0;
}

static const ConvertedFormat clog_format;
CONVERTED_OPEN (clog_open, &clog_format)
static const ConvertedFormat clog_format = {
  .format = { .name = "clog",
              .label = "CLOG",
              .model = "MPI",
              .open = clog_open,
              .recognise = clog_recognise,
              CONVERTED_FUNCTIONS },
  .convert = clog_convert,
};

TRACE_READER_PLUGIN (clog_format.format, "scope.clog-reader", "CLOG reader", "reader:clog",
                     "Reads CLOG and CLOG-2, the logs of MPE and MPE2.");
