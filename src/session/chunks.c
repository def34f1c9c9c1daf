/* SPDX-License-Identifier: Apache-2.0 */
#include "session/chunks.h"
#include <string.h>
#include "eve/bytes.h"

#define LEAST 1024 /* bytes of a chunk, but the last */
#define MOST 8192
#define CUT_BITS 10 /* behind its least bytes a chunk ends at one place of 2^10 */
#define WINDOW 64   /* bytes that decide whether it ends */

#define HEAD 16   /* of a list: numbers of sources and of pieces, sum of the state */
#define SOURCE 16 /* offset, check */
#define PIECE 16  /* source, length, place in what the source holds of its own */

typedef struct Chunk {
  uint64_t hash;
  uint64_t at; /* in the state */
  uint64_t in; /* in what its source holds of its own */
  uint32_t length, source;
} Chunk;

struct Chunks {
  uint8_t *state;  /* the last one that was written */
  GArray *known;   /* of Chunk: of that state */
  GArray *now;     /* of the one at hand */
  uint32_t *index; /* of known, by hash: its number + 1; 0: free */
  uint32_t mask;
  ChunksSource source[CHUNKS_SOURCES];
  uint32_t n_sources;
  bool listed;        /* the one at hand is a list */
  uint64_t gear[256]; /* what a byte adds to the sum of those before it */
};

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

static inline uint64_t
chunks_mix (uint64_t h, uint64_t v)
{
  h = (h ^ v) * UINT64_C (0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

static uint64_t
sum_of_bytes (const uint8_t *at, size_t n)
{
  uint64_t h = n, last = 0;

  for (; n >= 8; n -= 8, at += 8)
    h = chunks_mix (h, bytes_get64 (at));
  for (size_t i = 0; i < n; i++)
    last |= (uint64_t) at[i] << 8 * i;
  return chunks_mix (chunks_mix (h, last), 1);
}

/* The last WINDOW bytes decide, whatever comes before them. */
static size_t
chunk_length (const Chunks *c, const uint8_t *at, size_t n)
{
  size_t most = MIN (n, MOST);
  uint64_t h = 0;

  if (n <= LEAST)
    return n;
  for (size_t i = LEAST - WINDOW; i < most; i++) {
    h = (h << 1) + c->gear[at[i]];
    if (i >= LEAST && h >> (64 - CUT_BITS) == 0)
      return i + 1;
  }
  return most;
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

Chunks *
chunks_new (void)
{
  Chunks *c = g_new0 (Chunks, 1);
  uint64_t seed = 0;

  c->known = g_array_new (FALSE, FALSE, sizeof (Chunk));
  c->now = g_array_new (FALSE, FALSE, sizeof (Chunk));
  for (int i = 0; i < 256; i++) { /* splitmix64 */
    uint64_t z = seed += UINT64_C (0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
    c->gear[i] = z ^ z >> 31;
  }
  return c;
}

void
chunks_forget (Chunks *c)
{
  g_clear_pointer (&c->state, g_free);
  g_clear_pointer (&c->index, g_free);
  g_array_set_size (c->known, 0);
  c->n_sources = 0;
}

void
chunks_free (Chunks *c)
{
  if (!c)
    return;
  chunks_forget (c);
  g_array_unref (c->known);
  g_array_unref (c->now);
  g_free (c);
}

static const Chunk *
find_known (const Chunks *c, const uint8_t *bytes, const Chunk *as)
{
  if (!c->index)
    return NULL;
  for (uint32_t i = (uint32_t) as->hash & c->mask; c->index[i]; i = (i + 1) & c->mask) {
    const Chunk *k = &g_array_index (c->known, Chunk, c->index[i] - 1);
    if (k->hash == as->hash && k->length == as->length && memcmp (c->state + k->at, bytes, k->length) == 0)
      return k;
  }
  return NULL;
}

static void
index_known (Chunks *c)
{
  uint32_t room = 64;

  while (room < c->known->len * 2)
    room *= 2;
  g_free (c->index);
  c->index = g_new0 (uint32_t, room);
  c->mask = room - 1;
  for (guint k = 0; k < c->known->len; k++) {
    uint32_t i = (uint32_t) g_array_index (c->known, Chunk, k).hash & c->mask;
    while (c->index[i])
      i = (i + 1) & c->mask;
    c->index[i] = k + 1;
  }
}

/* Chunks that follow each other in one source are one piece. */
static uint32_t
n_pieces (const Chunks *c)
{
  uint32_t n = 0;

  for (guint i = 0; i < c->now->len; i++) {
    const Chunk *one = &g_array_index (c->now, Chunk, i), *before = one - 1;
    n += i == 0 || one->source != before->source || one->in != before->in + before->length;
  }
  return n;
}

static uint8_t *
chunks_put_list (const Chunks *c, const uint8_t *state, size_t n, uint64_t own, size_t *n_bytes)
{
  uint32_t pieces = n_pieces (c);
  size_t head = HEAD + (size_t) SOURCE * c->n_sources + (size_t) PIECE * pieces;
  uint8_t *list = g_malloc (head + own), *to = list + HEAD;

  bytes_put32 (list, c->n_sources);
  bytes_put32 (list + 4, pieces);
  bytes_put64 (list + 8, sum_of_bytes (state, n));
  for (uint32_t i = 0; i < c->n_sources; i++, to += SOURCE) {
    bytes_put64 (to, c->source[i].offset);
    bytes_put64 (to + 8, c->source[i].check);
  }
  for (guint i = 0; i < c->now->len; to += PIECE) {
    const Chunk *first = &g_array_index (c->now, Chunk, i);
    uint64_t length = 0;
    for (const Chunk *one = first; i < c->now->len && one->source == first->source && one->in == first->in + length;
         one++, i++)
      length += one->length;
    bytes_put32 (to, first->source);
    bytes_put32 (to + 4, (uint32_t) length);
    bytes_put64 (to + 8, first->in);
  }
  for (guint i = 0; i < c->now->len; i++) {
    const Chunk *one = &g_array_index (c->now, Chunk, i);
    if (one->source == 0)
      memcpy (list + head + one->in, state + one->at, one->length);
  }
  *n_bytes = head + own;
  return list;
}

uint8_t *
chunks_changed (Chunks *c, const void *state, size_t n, size_t *n_bytes)
{
  const uint8_t *bytes = state;
  uint64_t own = 0;

  g_array_set_size (c->now, 0);
  if (n < CHUNKS_LEAST || n >= CHUNKS_MOST)
    return NULL;
  for (size_t at = 0; at < n;) {
    Chunk one = { .at = at, .length = (uint32_t) chunk_length (c, bytes + at, n - at), .in = own };
    one.hash = sum_of_bytes (bytes + at, one.length);
    const Chunk *k = find_known (c, bytes + at, &one);
    if (k) {
      one.source = k->source;
      one.in = k->in;
    } else {
      own += one.length;
    }
    g_array_append_val (c->now, one);
    at += one.length;
  }
  c->listed = c->state && c->n_sources < CHUNKS_SOURCES && own <= n - n / 4;
  if (c->listed)
    return chunks_put_list (c, bytes, n, own, n_bytes);
  for (guint i = 0; i < c->now->len; i++) { /* whole: each lies in it where it stands */
    Chunk *one = &g_array_index (c->now, Chunk, i);
    one->in = one->at;
    one->source = 0;
  }
  return NULL;
}

void
chunks_written (Chunks *c, const void *state, size_t n, uint64_t offset, uint64_t check)
{
  GArray *known = c->known;

  if (c->now->len == 0) { /* too small */
    chunks_forget (c);
    return;
  }
  if (!c->listed)
    c->n_sources = 0;
  c->source[c->n_sources++] = (ChunksSource){ offset, check };
  for (guint i = 0; i < c->now->len; i++) {
    Chunk *one = &g_array_index (c->now, Chunk, i);
    one->source = one->source == 0 ? c->n_sources : one->source;
  }
  c->known = c->now;
  c->now = known;
  g_array_set_size (c->now, 0);
  g_free (c->state);
  c->state = g_memdup2 (state, n);
  index_known (c);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

/* Where its own bytes begin; 0: it is no list. */
static size_t
own_at (const uint8_t *bytes, size_t n_bytes)
{
  if (n_bytes < HEAD)
    return 0;
  uint64_t sources = bytes_get32 (bytes), pieces = bytes_get32 (bytes + 4);
  uint64_t head = HEAD + SOURCE * sources + PIECE * pieces;
  return sources <= CHUNKS_SOURCES && head <= n_bytes ? (size_t) head : 0;
}

bool
chunks_sources (const uint8_t *bytes, size_t n_bytes, ChunksSource sources[CHUNKS_SOURCES], uint32_t *n)
{
  if (own_at (bytes, n_bytes) == 0)
    return false;
  *n = bytes_get32 (bytes);
  for (uint32_t i = 0; i < *n; i++) {
    sources[i].offset = bytes_get64 (bytes + HEAD + (size_t) SOURCE * i);
    sources[i].check = bytes_get64 (bytes + HEAD + (size_t) SOURCE * i + 8);
  }
  return true;
}

bool
chunks_copy (const uint8_t *bytes, size_t n_bytes, uint32_t source, const uint8_t *from, size_t n_from, bool is_list,
             uint8_t *state, size_t n_state)
{
  size_t skip = is_list ? own_at (from, n_from) : 0, at = 0;

  if (own_at (bytes, n_bytes) == 0 || (is_list && skip == 0))
    return false;
  from += skip;
  n_from -= skip;
  const uint8_t *piece = bytes + HEAD + (size_t) SOURCE * bytes_get32 (bytes);
  for (uint32_t i = 0, n = bytes_get32 (bytes + 4); i < n; i++, piece += PIECE) {
    uint32_t length = bytes_get32 (piece + 4);
    uint64_t in = bytes_get64 (piece + 8);
    if (length > n_state - at)
      return false;
    if (bytes_get32 (piece) == source) {
      if (in > n_from || length > n_from - in)
        return false;
      memcpy (state + at, from + in, length);
    }
    at += length;
  }
  return true;
}

bool
chunks_whole (const uint8_t *bytes, size_t n_bytes, const uint8_t *state, size_t n_state)
{
  size_t at = 0;

  if (own_at (bytes, n_bytes) == 0)
    return false;
  uint32_t n_sources = bytes_get32 (bytes);
  const uint8_t *piece = bytes + HEAD + (size_t) SOURCE * n_sources;
  for (uint32_t i = 0, n = bytes_get32 (bytes + 4); i < n; i++, piece += PIECE) {
    uint32_t length = bytes_get32 (piece + 4);
    if (bytes_get32 (piece) > n_sources || length > n_state - at)
      return false;
    at += length;
  }
  return at == n_state && sum_of_bytes (state, n_state) == bytes_get64 (bytes + 8);
}
