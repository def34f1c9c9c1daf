/* SPDX-License-Identifier: Apache-2.0 */
/* history-messages.c - messages in order of reception, exact, and a pyramid of bundles over them.
 *
 * A message is six numbers, the last three of which take two columns.  2048 of them make a block of sums: for each pair
 * of tasks how many messages, how many bytes, and the mean dates; four blocks make one of the next level.  A block
 * keeps the 384 heaviest pairs and one sum of the rest: more than that no picture shows. */
#include "views/history.h"
#include "eve/words.h"
#include <string.h>
#include "eve/bytes.h"
#include "readers/reader.h"
#include "views/history-queue.h"

#define KIND_MESSAGES 2
#define BLOCK 2048
#define BLOCK_MAX (BLOCK + 1024) /* messages of one date stay in one block */
#define PAIRS 384                /* kept of a block */
#define FAN 4
#define LEVELS 24
enum { FROM, TO, TAG, SIZE, AFTER = SIZE + 2, WAY = AFTER + 2, COLUMNS = WAY + 2 }; /* of a message */
#define RECORD (4 * COLUMNS)                                                        /* bytes */
#define PAIR_MAX 64

/* ---- numbers of variable length ------------------------------------------------------------------------ */

static inline uint8_t *
history_messages_put (uint8_t *to, uint64_t v)
{
  for (; v >= 128; v >>= 7)
    *to++ = (uint8_t) (v | 128);
  *to++ = (uint8_t) v;
  return to;
}

static inline uint64_t
history_messages_zigzag (int64_t v)
{
  return (uint64_t) v << 1 ^ (uint64_t) (v >> 63);
}

static inline int64_t
history_messages_unzigzag (uint64_t v)
{
  return (int64_t) (v >> 1) ^ -(int64_t) (v & 1);
}

typedef struct Bytes {
  const uint8_t *at, *end;
} Bytes;

static inline uint64_t
history_messages_get (Bytes *b)
{
  uint64_t v = 0;

  for (int shift = 0; b->at < b->end && shift < 64; shift += 7) {
    uint8_t byte = *b->at++;
    v |= (uint64_t) (byte & 127) << shift;
    if (byte < 128)
      break;
  }
  return v;
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

#define SLOTS 16384
typedef struct Pairs {
  uint32_t n;
  MessageBundle pair[BLOCK_MAX]; /* sent, received: sums of dates less the block's first */
  uint16_t slot[SLOTS];          /* index + 1 */
} Pairs;

static void
pairs_clear (Pairs *p)
{
  p->n = 0;
  memset (p->slot, 0, sizeof p->slot);
}

static MessageBundle *
pairs_get (Pairs *p, uint32_t from, uint32_t to)
{
  uint64_t key = (uint64_t) from << 32 | to;
  uint32_t at = (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 40) & (SLOTS - 1);

  for (; p->slot[at] != 0; at = (at + 1) & (SLOTS - 1)) {
    MessageBundle *b = &p->pair[p->slot[at] - 1];
    if (b->from == from && b->to == to)
      return b;
  }
  p->slot[at] = (uint16_t) ++p->n;
  p->pair[p->n - 1] = (MessageBundle){ .from = from, .to = to };
  return &p->pair[p->n - 1];
}

static void
pairs_add (Pairs *p, const MessageBundle *b, double shift)
{
  MessageBundle *to = pairs_get (p, b->from, b->to);

  to->count += b->count;
  to->bytes += b->bytes;
  to->sent += b->sent + shift * (double) b->count;
  to->received += b->received + shift * (double) b->count;
}

/* Who is kept: the heaviest, of equals who came first; never the rest, which has no name. */
#define WEIGHT_AT 16
_Static_assert(BLOCK_MAX < UINT16_MAX, "weights tell the pairs of a block apart");
static inline uint64_t
history_messages_weight_of (const MessageBundle *b, uint32_t i)
{
  uint64_t most = (UINT64_C (1) << (64 - WEIGHT_AT)) - 1;

  return b->from == TRACE_NONE ? 0 : MIN (b->bytes, most) << WEIGHT_AT | (UINT16_MAX - i);
}

/* The k-th largest, k from 1, of n different numbers, which change places (Hoare's selection). */
static uint64_t
kth_largest (uint64_t *v, uint32_t n, uint32_t k)
{
  int32_t low = 0, high = (int32_t) n - 1, at = (int32_t) k - 1;

  while (low < high) {
    uint64_t x = v[low], y = v[low + (high - low) / 2], z = v[high];
    uint64_t pivot = MAX (MIN (x, y), MIN (MAX (x, y), z)), swap;
    int32_t i = low - 1, j = high + 1;
    for (;;) {
      while (v[++i] > pivot)
        ;
      while (v[--j] < pivot)
        ;
      if (i >= j)
        break;
      swap = v[i];
      v[i] = v[j];
      v[j] = swap;
    }
    if (at <= j)
      high = j;
    else
      low = j + 1;
  }
  return v[at];
}

static uint8_t *
put_bundle (uint8_t *to, const MessageBundle *b)
{
  to = history_messages_put (to, (uint32_t) (b->from + 1));
  to = history_messages_put (to, (uint32_t) (b->to + 1));
  to = history_messages_put (to, b->count);
  to = history_messages_put (to, b->bytes);
  to = history_messages_put (to, history_messages_zigzag ((int64_t) (b->sent / (double) b->count)));
  return history_messages_put (to, history_messages_zigzag ((int64_t) (b->received / (double) b->count)));
}

static uint8_t *
pairs_encode (const Pairs *p, uint8_t *to, uint32_t *n)
{
  MessageBundle rest = { .from = TRACE_NONE, .to = TRACE_NONE };
  uint64_t weights[BLOCK_MAX], lightest = 1;

  if (p->n > PAIRS) {
    for (uint32_t i = 0; i < p->n; i++)
      weights[i] = history_messages_weight_of (&p->pair[i], i);
    lightest = kth_largest (weights, p->n, PAIRS);
  }
  *n = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    const MessageBundle *b = &p->pair[i];
    if (history_messages_weight_of (b, i) >= lightest) {
      to = put_bundle (to, b);
      ++*n;
    } else {
      rest.count += b->count;
      rest.bytes += b->bytes;
      rest.sent += b->sent;
      rest.received += b->received;
    }
  }
  if (rest.count == 0)
    return to;
  ++*n;
  return put_bundle (to, &rest);
}

/* Dates are sums less the first date of the block. */
static bool
pair_decode (Bytes *b, MessageBundle *to)
{
  to->from = (uint32_t) history_messages_get (b) - 1;
  to->to = (uint32_t) history_messages_get (b) - 1;
  to->count = history_messages_get (b);
  to->bytes = history_messages_get (b);
  to->sent = (double) history_messages_unzigzag (history_messages_get (b)) * (double) to->count;
  to->received = (double) history_messages_unzigzag (history_messages_get (b)) * (double) to->count;
  return to->count > 0;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

typedef struct Block {
  uint32_t n, written; /* of them in the files */
  StateMessage message[BLOCK_MAX];
} Block;
#define UNDER_WAY 24

struct MessagesWriter {
  Block *block; /* the open one */
  int64_t latest;
  HistoryQueue queue; /* of Block *; what follows belongs to its worker */
  HistoryOut out;
  struct {
    HistoryEntry child[FAN];
    uint32_t n;
  } pyramid[LEVELS + 1];
  Pairs pairs; /* of the block of sums that is made */
  uint8_t buffer[BLOCK_MAX * RECORD];
};
_Static_assert(BLOCK *RECORD >= (PAIRS + 1) * PAIR_MAX && BLOCK_MAX >= FAN * (PAIRS + 1), "one buffer for both");

static void history_messages_work (void *w, void *item);

static MessagesWriter *
history_messages_writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  MessagesWriter *w = g_new0 (MessagesWriter, 1);

  w->latest = INT64_MIN;
  if (!history_out_open (&w->out, base, KIND_MESSAGES, COLUMNS, place, error)) {
    g_free (w);
    return NULL;
  }
  w->block = g_new0 (Block, 1);
  history_queue_begin (&w->queue, sizeof (Block *), UNDER_WAY, history_messages_work, w);
  return w;
}

MessagesWriter *
messages_writer_new (const char *base, GError **error)
{
  return history_messages_writer_new (base, NULL, error);
}

static void
free_block (void *item)
{
  g_free (*(Block **) item);
}

void
messages_writer_free (MessagesWriter *w)
{
  if (w == NULL)
    return;
  history_queue_end (&w->queue, free_block);
  g_free (w->block);
  history_out_close (&w->out);
  g_free (w);
}

/* How long it was under way, from 1 on; below 0: so long before it was sent it was received, as its dates say; 0:
 * nobody knows. */
static uint64_t
history_messages_way_of (const StateMessage *m)
{
  return m->sent == INT64_MIN ? 0 : (uint64_t) m->received - (uint64_t) m->sent + (m->sent <= m->received);
}

/* How many bits the longest time has by which a message is dated before its send. */
static uint32_t
ahead_of (const StateMessage *m)
{
  return m->sent > m->received ? 64 - (uint32_t) __builtin_clzll ((uint64_t) m->sent - (uint64_t) m->received) : 0;
}

static void
history_messages_write_records (MessagesWriter *w, Block *b)
{
  HistoryEntry e = { .count = b->n - b->written };
  uint8_t *to = w->buffer;
  int64_t before;

  if (b->n == b->written)
    return;
  e.from = before = b->message[b->written].received;
  e.to = b->message[b->n - 1].received;
  e.aux = INT64_MAX;
  for (uint32_t i = b->written; i < b->n; i++, to += RECORD) {
    const StateMessage *m = &b->message[i];
    bytes_put32 (to + 4 * FROM, m->from);
    bytes_put32 (to + 4 * TO, m->to);
    bytes_put32 (to + 4 * TAG, (uint32_t) history_messages_zigzag (m->tag));
    bytes_put64 (to + 4 * SIZE, (uint64_t) m->size);
    bytes_put64 (to + 4 * AFTER, (uint64_t) (m->received - before));
    bytes_put64 (to + 4 * WAY, history_messages_way_of (m));
    e.aux = MIN (e.aux, m->sent == INT64_MIN ? m->received : MIN (m->sent, m->received));
    e.more = MAX (e.more, ahead_of (m));
    before = m->received;
  }
  history_out_add (&w->out, &e, w->buffer, (uint32_t) (to - w->buffer));
  b->written = b->n;
}

/* The pairs of the children into w->pairs; *all: their entry. */
static void
merge_children (MessagesWriter *w, const HistoryEntry *child, HistoryEntry *all)
{
  *all = (HistoryEntry){ .from = child[0].from, .to = child[FAN - 1].to, .aux = child[0].aux };
  pairs_clear (&w->pairs);
  for (uint32_t i = 0; i < FAN; i++) {
    Bytes b = { w->buffer, w->buffer + child[i].bytes };
    MessageBundle bundle;
    all->count += child[i].count;
    all->aux = MIN (all->aux, child[i].aux);
    if (!history_out_read (&w->out, &child[i], w->buffer))
      break;
    for (uint32_t k = 0; k < child[i].more && pair_decode (&b, &bundle); k++)
      pairs_add (&w->pairs, &bundle, (double) (child[i].from - all->from));
  }
}

/* Writes w->pairs as a block of sums, and the blocks above it that are complete with it. */
static void
history_messages_add_sums (MessagesWriter *w, HistoryEntry *e)
{
  for (e->level = 1;; e->level++) {
    uint8_t *end = pairs_encode (&w->pairs, w->buffer, &e->more);
    uint32_t level = e->level;
    if (!history_out_add (&w->out, e, w->buffer, (uint32_t) (end - w->buffer)))
      return;
    w->pyramid[level].child[w->pyramid[level].n++] = *e;
    if (w->pyramid[level].n < FAN)
      return;
    w->pyramid[level].n = 0;
    if (level == LEVELS)
      return;
    merge_children (w, w->pyramid[level].child, e);
    e->level = level;
  }
}

static void
history_messages_work (void *arg, void *item)
{
  MessagesWriter *w = arg;
  Block *block = *(Block **) item;
  HistoryEntry e = {
    .from = block->message[0].received, .to = block->message[block->n - 1].received, .count = block->n, .aux = INT64_MAX
  };

  history_messages_write_records (w, block);
  pairs_clear (&w->pairs);
  for (uint32_t i = 0; i < block->n; i++) {
    const StateMessage *m = &block->message[i];
    MessageBundle *b = pairs_get (&w->pairs, m->from, m->to);
    int64_t sent = m->sent == INT64_MIN ? m->received : m->sent;
    b->count++;
    b->bytes += (uint64_t) m->size;
    b->sent += (double) (sent - e.from);
    b->received += (double) (m->received - e.from);
    e.aux = MIN (e.aux, sent);
  }
  history_messages_add_sums (w, &e);
}

/* The open block is full: it goes to the worker, and one that is done with comes back. */
static void
history_messages_close_block (MessagesWriter *w)
{
  Block **next = history_queue_next (&w->queue), *spare = *next;

  *next = w->block;
  history_queue_put (&w->queue);
  w->block = spare != NULL ? spare : g_new (Block, 1);
  w->block->n = w->block->written = 0;
}

void
messages_writer_push (MessagesWriter *w, const StateMessage *m)
{
  StateMessage *to;

  if (G_UNLIKELY (w->block->n >= BLOCK) && (m->received > w->latest || w->block->n == BLOCK_MAX))
    history_messages_close_block (w);
  to = &w->block->message[w->block->n++];
  *to = *m;
  to->received = w->latest = MAX (m->received, w->latest);
  to->size = MAX (to->size, 0);
}

bool
messages_writer_flush (MessagesWriter *w, int64_t reach, GError **error)
{
  HistoryEntry e = { .level = HISTORY_REACH };

  history_queue_wait (&w->queue);
  e.to = MAX (reach, w->latest);
  history_messages_write_records (w, w->block);
  history_out_add (&w->out, &e, NULL, 0);
  return history_out_flush (&w->out, error);
}

HistoryPlace
messages_writer_place (const MessagesWriter *w)
{
  return history_out_place (&w->out, w->latest);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Right checksums do not make an entry right: whether its numbers can be those of a block, behind the one of its level
 * that ended at `end` (INT64_MIN: there is none).  What reads the data of an entry relies on it. */
static bool
entry_fits (const HistoryEntry *e, int64_t end)
{
  return e->level <= LEVELS && history_entry_follows (e, end)
         && (e->level == 0 ? e->count <= BLOCK_MAX && e->bytes == e->count * RECORD && e->more <= 64
                           : e->more <= PAIRS + 1 && e->bytes <= e->more * PAIR_MAX);
}

struct MessagesReader {
  HistoryIn in;
  GArray *level[LEVELS + 1]; /* of indices into the entries */
  uint32_t n_levels;
  uint64_t sorted;
  uint32_t ahead; /* as ahead_of(), of all messages */
};

static bool
decode_records (const HistoryEntry *e, const uint8_t *data, bool (*each) (void *arg, const StateMessage *m), void *arg)
{
  int64_t received = e->from;

  for (uint32_t i = 0; i < e->count; i++, data += RECORD) {
    StateMessage m = { .from = bytes_get32 (data + 4 * FROM), .to = bytes_get32 (data + 4 * TO) };
    uint64_t way = bytes_get64 (data + 4 * WAY);
    m.tag = (int32_t) history_messages_unzigzag (bytes_get32 (data + 4 * TAG));
    m.size = (int64_t) bytes_get64 (data + 4 * SIZE);
    m.received = received = (int64_t) ((uint64_t) received + bytes_get64 (data + 4 * AFTER));
    m.sent = way == 0 ? INT64_MIN : (int64_t) ((uint64_t) received - way + ((int64_t) way > 0));
    if (!each (arg, &m))
      return false;
  }
  return true;
}

static bool
history_messages_take_back (void *arg, const StateMessage *m)
{
  MessagesWriter *w = arg;

  if (w->block->n == BLOCK_MAX)
    return false;
  w->block->message[w->block->n++] = *m;
  return true;
}

/* Whether a block of sums is that of the messages, or of the children, that wait for it. */
static bool
is_parent (const MessagesWriter *w, const HistoryEntry *e)
{
  const Block *b = w->block;

  if (e->level == 1)
    return b->n > 0 && e->from == b->message[0].received && e->to == b->message[b->n - 1].received;
  return w->pyramid[e->level - 1].n == FAN && e->from == w->pyramid[e->level - 1].child[0].from
         && e->to == w->pyramid[e->level - 1].child[FAN - 1].to;
}

/* Takes up an entry of the index: what the writer had in memory after it.  `end` is by level. */
static bool
history_messages_replay (MessagesWriter *w, HistoryIn *in, HistoryEntry *e, int64_t *end)
{
  const uint8_t *data;

  if (e->level == HISTORY_REACH)
    return true;
  if (e->level > LEVELS || !entry_fits (e, end[e->level]))
    return false;
  end[e->level] = e->to;
  if (e->level == 0) {
    data = history_in_data (in, e);
    if (data == NULL || !decode_records (e, data, history_messages_take_back, w))
      return false;
    w->block->written = w->block->n;
    return true;
  }
  if (!is_parent (w, e) || w->pyramid[e->level].n == FAN)
    return false;
  if (e->level == 1)
    w->block->n = w->block->written = 0;
  else
    w->pyramid[e->level - 1].n = 0;
  w->pyramid[e->level].child[w->pyramid[e->level].n++] = *e;
  return true;
}

MessagesWriter *
messages_writer_restore (const char *base, const HistoryPlace *place, GError **error)
{
  HistoryIn in;
  bool ok = true;
  int64_t end[LEVELS + 1];
  MessagesWriter *w = history_messages_writer_new (base, place, error);

  if (w == NULL)
    return NULL;
  w->latest = place->n[3];
  if (!history_in_open (&in, base, KIND_MESSAGES, error)) {
    messages_writer_free (w);
    return NULL;
  }
  for (int i = 0; i <= LEVELS; i++)
    end[i] = INT64_MIN;
  for (guint i = 0; ok && i < in.entries->len; i++)
    ok = history_messages_replay (w, &in, &g_array_index (in.entries, HistoryEntry, i), end);
  ok = ok && in.entries->len == (uint64_t) place->n[0];
  history_in_close (&in);
  if (ok)
    return w;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s.index is damaged; shoot the film again"), base);
  messages_writer_free (w);
  return NULL;
}

MessagesReader *
messages_reader_open (const char *base, GError **error)
{
  MessagesReader *r = g_new0 (MessagesReader, 1);

  if (!history_in_open (&r->in, base, KIND_MESSAGES, error)) {
    g_free (r);
    return NULL;
  }
  for (int i = 0; i <= LEVELS; i++)
    r->level[i] = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  messages_reader_refresh (r);
  return r;
}

void
messages_reader_free (MessagesReader *r)
{
  if (r == NULL)
    return;
  history_in_close (&r->in);
  for (int i = 0; i <= LEVELS; i++)
    g_array_unref (r->level[i]);
  g_free (r);
}

static inline HistoryEntry *
history_messages_block (const MessagesReader *r, uint32_t level, guint i)
{
  return &g_array_index (r->in.entries, HistoryEntry, g_array_index (r->level[level], uint32_t, i));
}

/* Where the last block of a level ends that was taken. */
static int64_t
history_messages_end_of (const MessagesReader *r, uint32_t level)
{
  const GArray *blocks = level <= LEVELS ? r->level[level] : NULL;

  return blocks != NULL && blocks->len > 0 ? history_messages_block (r, level, blocks->len - 1)->to : INT64_MIN;
}

void
messages_reader_refresh (MessagesReader *r)
{
  if (!history_in_refresh (&r->in)) {
    for (int i = 0; i <= LEVELS; i++)
      g_array_set_size (r->level[i], 0);
    r->sorted = r->n_levels = r->ahead = 0;
  }
  for (; r->sorted < r->in.entries->len; r->sorted++) {
    uint32_t i = (uint32_t) r->sorted;
    const HistoryEntry *e = &g_array_index (r->in.entries, HistoryEntry, i);
    if (e->level == HISTORY_REACH)
      continue;
    if (!entry_fits (e, history_messages_end_of (r, e->level))) {
      history_in_refuse (&r->in, i);
      continue;
    }
    g_array_append_val (r->level[e->level], i);
    r->n_levels = MAX (r->n_levels, e->level);
    r->ahead = MAX (r->ahead, e->level == 0 ? e->more : 0);
  }
}

const char *
messages_reader_problem (const MessagesReader *r)
{
  return history_in_problem (&r->in);
}

bool
messages_reader_lost (const MessagesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg)
{
  return history_in_lost (&r->in, from, to, each, arg);
}

int64_t
messages_reader_reach (const MessagesReader *r, int64_t *latest)
{
  *latest = history_messages_end_of (r, 0);
  return r->in.reach;
}

/* The messages of a block; NULL: they are lost. */
static const uint8_t *
history_messages_records_of (MessagesReader *r, HistoryEntry *e)
{
  const uint8_t *data = history_in_data (&r->in, e);

  if (data == NULL)
    history_in_lose (&r->in, e, MIN (e->aux, e->from), e->to);
  return data;
}

/* The first block whose last reception is not before `date`. */
static guint
find_block (const MessagesReader *r, uint32_t level, int64_t date)
{
  guint low = 0, high = r->level[level]->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (history_messages_block (r, level, mid)->to < date)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

uint64_t
messages_reader_count (MessagesReader *r, int64_t from, int64_t to)
{
  double n = 0;

  for (guint i = find_block (r, 0, from); i < r->level[0]->len; i++) {
    const HistoryEntry *e = history_messages_block (r, 0, i);
    if (e->from >= to)
      break;
    double length = (double) e->to - (double) e->from, seen = (double) MIN (to, e->to) - (double) MAX (from, e->from);
    n += length <= 0 ? e->count : e->count * CLAMP (seen / length, 0, 1);
  }
  return (uint64_t) n;
}

typedef struct Window {
  int64_t from, to;
  bool (*each) (void *arg, const StateMessage *m);
  void *arg;
} Window;

static bool
in_window (void *arg, const StateMessage *m)
{
  const Window *w = arg;

  int64_t sent = m->sent == INT64_MIN ? m->received : m->sent;

  if (MAX (m->received, sent) < w->from || MIN (m->received, sent) >= w->to)
    return true;
  return w->each (w->arg, m);
}

void
messages_reader_each (MessagesReader *r, int64_t from, int64_t to, bool (*each) (void *arg, const StateMessage *m),
                      void *arg)
{
  Window w = { from, to, each, arg };

  __int128 first = r->ahead > 0 ? (__int128) from - ((__int128) 1 << r->ahead) : from;

  /* A message received later may have been under way: `aux` is the first date that anything in a block was sent.  One
   * received before may be dated before its send. */
  for (guint i = find_block (r, 0, (int64_t) MAX (first, INT64_MIN)); i < r->level[0]->len; i++) {
    HistoryEntry *e = history_messages_block (r, 0, i);
    const uint8_t *data = e->aux < to ? history_messages_records_of (r, e) : NULL;
    if (data != NULL && !decode_records (e, data, in_window, &w))
      return;
  }
}

typedef struct Bundles {
  MessagesReader *r;
  int64_t from, to, width;
  void (*each) (void *arg, const MessageBundle *b);
  void *arg;
} Bundles;

static bool
single (void *arg, const StateMessage *m)
{
  const Bundles *d = arg;
  MessageBundle b = {
    .from = m->from, .to = m->to, .count = 1, .bytes = (uint64_t) m->size, .received = (double) m->received
  };

  b.sent = m->sent == INT64_MIN ? b.received : (double) m->sent;
  if (m->received >= d->from && m->received < d->to)
    d->each (d->arg, &b);
  return true;
}

/* The messages that were received in [from, to), by blocks of at most this level that begin in it. */
static void
history_messages_cover (Bundles *d, uint32_t level, int64_t from, int64_t to)
{
  MessagesReader *r = d->r;

  for (guint i = find_block (r, level, from); i < r->level[level]->len && from < to; i++) {
    HistoryEntry *e = history_messages_block (r, level, i);
    const uint8_t *data;
    if (e->from >= to)
      break;
    if (level > 0 && e->from > from)
      history_messages_cover (d, level - 1, from, e->from);
    bool whole = e->from >= from && e->to < to && (double) e->to - (double) e->from <= (double) d->width;
    data = level == 0 ? history_messages_records_of (r, e) : whole ? history_in_data (&r->in, e) : NULL;
    if (level == 0) {
      Bundles part = *d;
      part.from = MAX (from, e->from);
      part.to = to;
      if (data != NULL)
        decode_records (e, data, single, &part);
      continue; /* the next may hold messages of the same date */
    }
    if (data == NULL) {
      history_messages_cover (d, level - 1, MAX (from, e->from), e->to < to ? e->to + 1 : to);
    } else {
      Bytes b = { data, data + e->bytes };
      MessageBundle bundle;
      for (uint32_t k = 0; k < e->more && pair_decode (&b, &bundle); k++) {
        bundle.sent = bundle.sent / (double) bundle.count + (double) e->from;
        bundle.received = bundle.received / (double) bundle.count + (double) e->from;
        d->each (d->arg, &bundle);
      }
    }
    if (e->to >= to)
      return;
    from = MAX (from, e->to + 1);
  }
  if (level > 0 && from < to)
    history_messages_cover (d, level - 1, from, to);
}

void
messages_reader_bundles (MessagesReader *r, int64_t from, int64_t to, int64_t width,
                         void (*each) (void *arg, const MessageBundle *b), void *arg)
{
  Bundles d = { r, from, to, width, each, arg };

  history_messages_cover (&d, r->n_levels, from, to);
}

typedef struct Wanted {
  uint32_t from, to;
  int64_t sent, received;
  StateMessage *message;
  bool found;
} Wanted;

static bool
history_messages_is_wanted (void *arg, const StateMessage *m)
{
  Wanted *w = arg;
  bool unknown = m->sent == INT64_MIN && (w->sent == INT64_MIN || w->sent == w->received);

  w->found = m->from == w->from && m->to == w->to && m->received == w->received && (m->sent == w->sent || unknown);
  if (w->found)
    *w->message = *m;
  return !w->found;
}

bool
messages_reader_find (MessagesReader *r, uint32_t from, uint32_t to, int64_t sent, int64_t received,
                      StateMessage *message)
{
  Wanted w = { from, to, sent, received, message, false };

  messages_reader_each (r, received, MIN (received, INT64_MAX - 1) + 1, history_messages_is_wanted, &w);
  return w.found;
}
