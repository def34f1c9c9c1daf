/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - the heap of an OCaml program, block by block as the sweeper sees it, into a file (docs/heap-format.md).
 *
 * A block's number is its rank in order of address: one bit for each word tells where blocks begin, and a count for
 * each 64 words makes the rank of an address a matter of two look-ups.  Static data of the program cannot be walked:
 * what is reached from elsewhere is numbered behind the heap's blocks as it is met. */
#include <errno.h>
#include <time.h>
#include <unistd.h>
#include "sites.h"

#define MOST_CHUNKS 65536
#define BLUE 2u
#define PIECE_BLOCKS 65536

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static int
chunk_of (Walk *w, uintptr_t at)
{
  const Chunk *c = &w->chunks[w->last_chunk];

  if (at >= (uintptr_t) c->begin && at < (uintptr_t) c->end)
    return (int) w->last_chunk;
  uint32_t low = 0, high = w->n_chunks;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if ((uintptr_t) w->chunks[middle].begin <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || at >= (uintptr_t) w->chunks[low - 1].end)
    return -1;
  w->last_chunk = low - 1;
  return (int) low - 1;
}

static uint32_t
walk_reach (Walk *w, Value v)
{
  if (w->n_reached == w->room)
    return UINT32_MAX;
  w->reached[w->n_reached] = v;
  return w->n_heap + w->n_reached++;
}

static bool
grow_far (Walk *w)
{
  uint32_t room = w->far_room > 0 ? 2 * w->far_room : 4096;
  Far *more = out_pages (room * sizeof *more);

  if (!more)
    return false;
  for (uint32_t i = 0; i < w->far_room; i++)
    if (w->far[i].at != 0) {
      uint32_t k = (uint32_t) (w->far[i].at * UINT64_C (0x9e3779b97f4a7c15) >> 32) & (room - 1);
      while (more[k].at != 0)
        k = (k + 1) & (room - 1);
      more[k] = w->far[i];
    }
  w->far = more;
  w->far_room = room;
  return true;
}

uint32_t
walk_number_far (Walk *w, Value v)
{
  if (2 * w->n_far >= w->far_room && !grow_far (w))
    return UINT32_MAX;
  uint32_t k = (uint32_t) ((uintptr_t) v * UINT64_C (0x9e3779b97f4a7c15) >> 32) & (w->far_room - 1);
  for (; w->far[k].at != 0; k = (k + 1) & (w->far_room - 1))
    if (w->far[k].at == (uintptr_t) v)
      return w->far[k].number;
  uint32_t number = walk_reach (w, v);
  if (number != UINT32_MAX) {
    w->far[k] = (Far){ (uintptr_t) v, number };
    w->n_far++;
  }
  return number;
}

uint32_t
walk_number (Walk *w, Value v, unsigned *nothing)
{
  uintptr_t at = (uintptr_t) v;

  *nothing = HEAP_OUTSIDE;
  if (at == 0 || at % HEAP_WORD != 0)
    return UINT32_MAX;
  int i = chunk_of (w, at);
  if (i >= 0) {
    const Chunk *c = &w->chunks[i];
    size_t word = (size_t) ((const uintptr_t *) at - c->begin);
    /* into the middle of closures that belong together */
    if (!(c->starts[word >> 6] >> (word & 63) & 1) && word > 0 && tag_in (header_of (v)) == HEAP_TAG_INFIX) {
      size_t back = words_in (header_of (v));
      word = back <= word ? word - back : word;
    }
    uint64_t bits = c->starts[word >> 6];
    if (!(bits >> (word & 63) & 1)) {
      *nothing = HEAP_DANGLING;
      return UINT32_MAX;
    }
    return c->rank[word >> 6] + (uint32_t) __builtin_popcountll (bits & ((UINT64_C (1) << (word & 63)) - 1));
  }
  for (uint32_t k = 0; k < w->n_statics; k++) {
    Static *d = &w->statics[k];
    if ((const char *) at < d->begin || (const char *) at >= d->end)
      continue;
    if ((const char *) at == d->begin)
      return UINT32_MAX;
    if (tag_in (header_of (v)) == HEAP_TAG_INFIX) {
      at -= words_in (header_of (v)) * HEAP_WORD;
      if ((const char *) at <= d->begin)
        return UINT32_MAX;
    }
    uint32_t *number = &d->number[((const char *) at - d->begin) / HEAP_WORD];
    if (*number == 0)
      *number = walk_reach (w, (Value) at) + 1;
    return *number - 1;
  }
  const Runtime *r = w->s->runtime;
  if (w->atom_table && (const char *) at > w->atom_table && (const char *) at <= w->atom_table + 256 * HEAP_WORD) {
    *nothing = HEAP_ATOM;
    return UINT32_MAX;
  }
  if (r->is_five ? five_is_data (w, at) : r->page_lookup && r->page_lookup ((void *) at) & 4) { /* of a plug-in */
    if (tag_in (header_of (v)) == HEAP_TAG_INFIX)
      at -= words_in (header_of (v)) * HEAP_WORD;
    return walk_number_far (w, (Value) at);
  }
  return UINT32_MAX;
}

bool
walk_is_static (const Walk *w, uintptr_t at)
{
  for (uint32_t k = 0; k < w->n_statics; k++)
    if ((const char *) at >= w->statics[k].begin && (const char *) at < w->statics[k].end)
      return true;
  return false;
}

/* ---- where blocks begin --------------------------------------------------------------------------------------------------- */

static bool
find_chunks (Walk *w)
{
  const Runtime *r = w->s->runtime;

  w->chunks = out_pages (MOST_CHUNKS * sizeof *w->chunks);
  for (const char *c = w->chunks ? *r->heap_start : NULL; c; c = chunk_next (r, c)) {
    if (w->n_chunks == MOST_CHUNKS)
      return false;
    uint32_t k = w->n_chunks++;
    for (; k > 0 && (const char *) w->chunks[k - 1].begin > c; k--)
      w->chunks[k] = w->chunks[k - 1];
    w->chunks[k] = (Chunk){ .begin = (const uintptr_t *) c,
                            .end = (const uintptr_t *) (c + chunk_bytes (r, c)),
                            .words = chunk_bytes (r, c) / HEAP_WORD };
  }
  return w->chunks != NULL;
}

static bool
walk_find_blocks (Walk *w)
{
  for (uint32_t i = 0; i < w->n_chunks; i++) {
    Chunk *c = &w->chunks[i];
    size_t words = (size_t) (c->end - c->begin), groups = words / 64 + 1;
    c->starts = out_pages (groups * sizeof *c->starts);
    c->rank = out_pages (groups * sizeof *c->rank);
    if (!c->starts || !c->rank)
      return false;
    for (const uintptr_t *at = c->begin; at < c->end;) {
      size_t size = words_in (*at);
      if (size >= (size_t) (c->end - at))
        break; /* no heap that is sound has this: what is behind it is left out */
      if ((*at >> 8 & 3) == BLUE) {
        c->free_words += size + 1;
        c->free_blocks++;
      } else if (size > 0) {
        size_t word = (size_t) (at + 1 - c->begin);
        c->starts[word >> 6] |= UINT64_C (1) << (word & 63);
      } else {
        c->free_words++; /* a fragment: a header alone */
      }
      at += size + 1;
    }
    for (size_t g = 0; g < groups; g++) {
      c->rank[g] = w->n_heap;
      w->n_heap += (uint32_t) __builtin_popcountll (c->starts[g]);
    }
    w->free_words += c->free_words;
    w->free_blocks += c->free_blocks;
    out_alive (&w->out);
  }
  return true;
}

static bool
find_statics (Walk *w)
{
  const struct DataSegment *d = w->s->runtime->data;
  size_t words = 0;

  for (; d[w->n_statics].begin; w->n_statics++)
    words += (size_t) (d[w->n_statics].end - d[w->n_statics].begin) / HEAP_WORD + 1;
  w->statics = out_pages ((w->n_statics + 1) * sizeof *w->statics);
  uint32_t *numbers = out_pages (words * sizeof *numbers);
  /* data of plug-ins come behind */
  w->room = (uint32_t) (words / 2 + 1000000);
  w->reached = out_pages (w->room * sizeof *w->reached);
  if (!w->statics || !numbers || !w->reached)
    return false;
  /* segments of modules that lie side by side are one: few look-ups */
  uint32_t n = 0;
  for (; d->begin; d++) {
    if (n > 0 && d->begin >= w->statics[n - 1].begin && d->begin - w->statics[n - 1].end < 4096
        && d->begin >= w->statics[n - 1].end) {
      w->statics[n - 1].end = d->end;
    } else {
      w->statics[n++] = (Static){ .begin = d->begin, .end = d->end };
    }
  }
  w->n_statics = n;
  size_t all = 0;
  for (uint32_t i = 0; i < n; i++)
    all += (size_t) (w->statics[i].end - w->statics[i].begin) / HEAP_WORD + 1;
  if (all > words && !(numbers = out_pages (all * sizeof *numbers)))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    w->statics[i].number = numbers;
    numbers += (size_t) (w->statics[i].end - w->statics[i].begin) / HEAP_WORD + 1;
  }
  return true;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------------- */

static void
begin_piece (Walk *w, uint64_t first)
{
  w->piece++;
  w->n_pairs = 0;
  w->first = first;
  w->count = 0;
  w->flags = 0;
}

static void
walk_end_piece (Walk *w, uint64_t next)
{
  if (w->out.n > 0)
    out_section (&w->out, HEAP_BLOCKS, w->flags, w->first, w->count);
  begin_piece (w, next);
}

/* Inside of a block, which goes on in the next section. */
static inline void
walk_make_room (Walk *w)
{
  if (w->out.n >= OUT_BYTES) {
    out_section (&w->out, HEAP_BLOCKS, w->flags, w->first, w->count);
    w->count = 0;
    w->flags = HEAP_CONTINUED;
  }
}

/* Tag and size as one number of the piece's dictionary; 0 and both, when it is a new one. */
static inline void
walk_put_pair (Walk *w, unsigned tag, uint64_t size)
{
  uint64_t key = size << 8 | tag;
  uint32_t k = (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 48) & (4 * HEAP_DICTIONARY - 1);

  for (; w->pairs[k].piece == w->piece; k = (k + 1) & (4 * HEAP_DICTIONARY - 1))
    if (w->pairs[k].key == key) {
      out_number (&w->out, w->pairs[k].code);
      return;
    }
  out_number (&w->out, 0);
  out_byte (&w->out, (uint8_t) tag);
  out_number (&w->out, size);
  if (w->n_pairs < HEAP_DICTIONARY) {
    w->pairs[k].key = key;
    w->pairs[k].code = ++w->n_pairs;
    w->pairs[k].piece = w->piece;
  }
}

static void
walk_put_fields (Walk *w, uint64_t id, Value v, size_t from, size_t n)
{
  const Value *fields = (const Value *) v;

  for (size_t i = from; i < n;) {
    walk_make_room (w);
    if (is_immediate (fields[i])) {
      size_t k = i + 1;
      while (k < n && is_immediate (fields[k]))
        k++;
      out_number (&w->out, k == n ? HEAP_IMMEDIATES : (uint64_t) (k - i) << 2 | HEAP_IMMEDIATES);
      i = k;
      continue;
    }
    unsigned nothing;
    uint32_t to = walk_number (w, fields[i++], &nothing);
    if (to == UINT32_MAX) {
      *(nothing == HEAP_ATOM ? &w->atoms : nothing == HEAP_DANGLING ? &w->dangling : &w->outside) += 1;
      out_number (&w->out, (uint64_t) nothing << 2 | HEAP_NOTHING);
      continue;
    }
    int64_t delta = (int64_t) to - (int64_t) id;
    out_number (&w->out, ((uint64_t) delta << 1 ^ (uint64_t) (delta >> 63)) << 2 | HEAP_BLOCK);
  }
}

static uint32_t
use_symbol (Walk *w, Symbol *symbol)
{
  if (!symbol)
    return 0;
  if (symbol->used == 0) {
    w->used[w->n_symbols++] = symbol;
    symbol->used = w->n_symbols;
  }
  return symbol->used;
}

static bool
is_text (const char *a, const char *b)
{
  for (; *a && *a == *b; a++, b++)
    ;
  return *a == *b;
}

static void
put_custom (Walk *w, Value v, size_t words)
{
  static const uint8_t element_bytes[] = { 4, 8, 1, 1, 2, 2, 4, 8, 8, 8, 8, 16, 1 };
  const uintptr_t *fields = (const uintptr_t *) v;
  const char *const *operations = (const char *const *) fields[0];
  uint64_t external = 0;
  uint32_t i = 0;

  while (i < w->n_custom && w->custom[i].operations != operations)
    i++;
  if (i == w->n_custom && i < MOST_CUSTOM)
    w->custom[w->n_custom++].operations = operations;
  if (operations && operations[0] && is_text (operations[0], "_bigarr02") && words >= 5) {
    uintptr_t dimensions = fields[2], kind = fields[3] & 255;
    external = kind < sizeof element_bytes && (fields[3] >> 9 & 3) != 0 ? element_bytes[kind] : 0;
    for (uintptr_t d = 0; d < dimensions && d + 5 < words; d++)
      external *= fields[5 + d];
  }
  out_number (&w->out, i < MOST_CUSTOM ? i + 1 : 0);
  out_number (&w->out, external);
}

static void
walk_put_block (Walk *w, uint64_t id, Value v)
{
  uintptr_t header = header_of (v);
  unsigned tag = tag_in (header);
  size_t words = words_in (header);

  if (w->count >= PIECE_BLOCKS || w->out.n >= OUT_BYTES || w->flags)
    walk_end_piece (w, id);
  w->count++;
  if (tag == HEAP_TAG_STRING) { /* its length in bytes */
    walk_put_pair (w, tag, words * HEAP_WORD - 1 - ((const uint8_t *) v)[words * HEAP_WORD - 1]);
    return;
  }
  walk_put_pair (w, tag, words);
  if (tag == HEAP_TAG_CLOSURE && words >= 2) {
    uintptr_t info = ((const uintptr_t *) v)[1];
    size_t env = (info << 8) >> 9;
    const uintptr_t *fields = (const uintptr_t *) v;
    uintptr_t code = info >> 56 == 0 || info >> 56 == 1 || words < 3 ? fields[0]
                                                                     : fields[2]; /* not that of caml_curry */
    Symbol *symbol = symbols_at (w->s->symbols, code, false);
    out_number (&w->out, use_symbol (w, symbol ? symbol : symbols_at (w->s->symbols, fields[0], false)));
    env = env < 2 || env > words ? words : env;
    out_number (&w->out, env);
    walk_put_fields (w, id, v, env, words);
  } else if (tag == HEAP_TAG_CUSTOM) {
    put_custom (w, v, words);
  } else if (tag < HEAP_TAG_ABSTRACT) {
    if (tag == HEAP_TAG_CONTINUATION && w->s->runtime->is_five)
      five_suspended (w, v);
    walk_put_fields (w, id, v, 0, words);
  }
}

static void
put_blocks (Walk *w)
{
  uint64_t id = 0;

  begin_piece (w, 0);
  for (uint32_t i = 0; i < w->n_chunks && !w->out.failed; i++) {
    const Chunk *c = &w->chunks[i];
    for (size_t g = 0; g < (size_t) (c->end - c->begin) / 64 + 1 && !w->out.failed; g++)
      for (uint64_t bits = c->starts[g]; bits != 0; bits &= bits - 1) {
        Value v = (Value) (c->begin + 64 * g + (size_t) __builtin_ctzll (bits));
        walk_put_block (w, id++, v);
        w->words += words_in (header_of (v)) + 1;
      }
  }
  walk_end_piece (w, w->n_heap);
}

static void
put_statics (Walk *w)
{
  for (uint32_t i = 0; i < w->n_reached && !w->out.failed; i++)
    walk_put_block (w, (uint64_t) w->n_heap + i, w->reached[i]);
  walk_end_piece (w, (uint64_t) w->n_heap + w->n_reached);
}

/* ---- roots ------------------------------------------------------------------------------------------------------------------ */

static Walk *scanning; /* actions of the runtime have no argument */
static unsigned scanning_as;

void
walk_root (Walk *w, unsigned category, uint32_t symbol, Value v)
{
  unsigned nothing;

  if (v == 0 || is_immediate (v))
    return;
  uint32_t id = walk_number (w, v, &nothing);
  if (id == UINT32_MAX)
    return;
  if (w->out.n >= OUT_BYTES) {
    out_section (&w->out, HEAP_ROOTS, 0, 0, w->n_roots);
    w->n_roots = 0;
  }
  out_byte (&w->out, (uint8_t) category);
  out_number (&w->out, symbol);
  out_number (&w->out, id);
  w->n_roots++;
}

static void
walk_on_root (Value v, Value *at)
{
  walk_root (scanning, scanning_as, 0, v);
}

/* What one scan of all finds, without what the scans of parts find: the stack and values of plug-ins.  Parts are
 * scanned in this order behind these two. */
static uint32_t n_parts, n_all;

static void
walk_count_part (Value v, Value *at)
{
  n_parts++;
}

static void
walk_count_all (Value v, Value *at)
{
  n_all++;
}

static void
on_first (Value v, Value *at)
{
  if (n_all > n_parts) {
    const char *p = (const char *) at;
    n_all--;
    bool stack = p >= scanning->s->stack_low && p < scanning->s->stack_high;
    walk_root (scanning, stack ? HEAP_ROOT_STACK : HEAP_ROOT_DYNAMIC, 0, v);
  }
}

static void
put_roots (Walk *w)
{
  const Runtime *r = w->s->runtime;

  for (Value **list = r->globals; *list; list++)
    for (Value *module = *list; *module != 0; module++) {
      Symbol *symbol = symbols_at (w->s->symbols, (uintptr_t) *module, false);
      walk_root (w, HEAP_ROOT_GLOBAL, use_symbol (w, symbol), *module);
    }
  if (r->is_five) {
    five_roots (w);
    out_section (&w->out, HEAP_ROOTS, 0, 0, w->n_roots);
    return;
  }
  void (*hook) (Scan) = *r->scan_hook;
  scanning = w;
  n_parts = n_all = 0;
  r->scan_c (walk_count_part);
  r->final_roots (walk_count_part);
  r->memprof_roots (walk_count_part);
  if (hook)
    hook (walk_count_part);
  r->do_roots (walk_count_all, 0);
  r->do_roots (on_first, 0);
  const struct {
    void (*scan) (Scan);
    unsigned as;
  } parts[] = { { r->scan_c, HEAP_ROOT_C },
                { r->final_roots, HEAP_ROOT_FINALISED },
                { r->memprof_roots, HEAP_ROOT_MEMPROF },
                { hook, HEAP_ROOT_HOOK } };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    scanning_as = parts[i].as;
    if (parts[i].scan)
      parts[i].scan (walk_on_root);
  }
  out_section (&w->out, HEAP_ROOTS, 0, 0, w->n_roots);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------------------- */

void
walk_weak (Walk *w, Ephemerons *e, Value block, const Value *fields, size_t n)
{
  const Value none = runtime_ephemeron_none (w->s->runtime);
  unsigned nothing;
  uint32_t id = walk_number (w, block, &nothing);

  if (id == UINT32_MAX || n == 0)
    return;
  if (w->out.n >= OUT_BYTES || e->flags) {
    out_section (&w->out, HEAP_WEAK, e->flags, 0, e->count);
    e->count = e->flags = 0;
  }
  out_number (&w->out, id);
  out_number (&w->out, n);
  e->count++;
  for (size_t i = 0; i < n; i++) {
    if (w->out.n >= OUT_BYTES) {
      out_section (&w->out, HEAP_WEAK, e->flags, 0, e->count);
      e->count = 0;
      e->flags = HEAP_CONTINUED;
    }
    bool empty = is_immediate (fields[i]) || fields[i] == none;
    uint32_t to = empty ? UINT32_MAX : walk_number (w, fields[i], &nothing);
    out_number (&w->out, to == UINT32_MAX ? 0 : (uint64_t) to + 1);
  }
}

void
walk_ephemerons (Walk *w, Ephemerons *all, Value list)
{
  for (; list != 0 && !is_immediate (list) && !w->out.failed; list = *(const Value *) list) {
    if (all->all++ == w->n_heap)
      break; /* more than there are blocks: a list that leads back into itself */
    walk_weak (w, all, list, (const Value *) list + 1, words_in (header_of (list)) - 1);
  }
}

/* Ephemerons, which the runtime links through their first field: a value, and keys that do not keep alive.  Weak arrays
 * are such too, and may be larger than a section. */
static void
put_weak (Walk *w)
{
  Ephemerons all = { 0 };

  if (w->s->runtime->is_five)
    five_weak (w, &all);
  else
    walk_ephemerons (w, &all, *w->s->runtime->ephemerons);
  out_section (&w->out, HEAP_WEAK, all.flags, 0, all.count);
}

static void
walk_put_name (Walk *w, uint32_t number, const char *name)
{
  size_t n = 0;

  while (name[n] && n < 1000)
    n++;
  out_number (&w->out, number);
  out_number (&w->out, n);
  for (size_t i = 0; i < n; i++)
    out_byte (&w->out, (uint8_t) name[i]);
}

static void
put_symbols (Walk *w)
{
  uint32_t count = 0;

  for (uint32_t i = 0; i < w->n_symbols + w->n_custom; i++) {
    if (w->out.n >= OUT_BYTES) {
      out_section (&w->out, HEAP_SYMBOLS, 0, 0, count);
      count = 0;
    }
    if (i < w->n_symbols) {
      walk_put_name (w, i + 1, w->used[i]->name);
    } else {
      const char *const *operations = w->custom[i - w->n_symbols].operations;
      walk_put_name (w, HEAP_CUSTOM_NAMES + i - w->n_symbols + 1, operations && operations[0] ? operations[0] : "?");
    }
    count++;
  }
  out_section (&w->out, HEAP_SYMBOLS, 0, 0, count);
}

static uint32_t
walk_hash_of (const uint8_t *bytes, size_t n)
{
  uint64_t h = n * UINT64_C (0x9e3779b97f4a7c15), word;

  for (; n >= 8; bytes += 8, n -= 8) {
    __builtin_memcpy (&word, bytes, 8);
    h = (h ^ word) * UINT64_C (0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  word = 0;
  __builtin_memcpy (&word, bytes, n);
  h = (h ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  return (uint32_t) (h >> 32);
}

static void
walk_put_string (Walk *w, uint64_t id, uint64_t *last, uint32_t *count, Value v)
{
  const uint8_t *bytes = (const uint8_t *) v;
  size_t all = words_in (header_of (v)) * HEAP_WORD, n = all - 1 - bytes[all - 1];
  uint32_t hash = walk_hash_of (bytes, n), keep = n < w->s->string_bytes ? (uint32_t) n : w->s->string_bytes;

  if (w->out.n >= OUT_BYTES) {
    out_section (&w->out, HEAP_STRINGS, 0, 0, *count);
    *count = 0;
    *last = 0;
  }
  out_number (&w->out, id - *last);
  out_number (&w->out, keep);
  for (int i = 0; i < 4; i++)
    out_byte (&w->out, (uint8_t) (hash >> 8 * i));
  for (uint32_t i = 0; i < keep; i++)
    out_byte (&w->out, bytes[i]);
  *last = id;
  ++*count;
}

static void
put_strings (Walk *w)
{
  uint64_t last = 0, id = 0;
  uint32_t count = 0;

  for (uint32_t i = 0; i < w->n_chunks && !w->out.failed; i++) {
    const Chunk *c = &w->chunks[i];
    for (size_t g = 0; g < (size_t) (c->end - c->begin) / 64 + 1; g++)
      for (uint64_t bits = c->starts[g]; bits != 0; bits &= bits - 1, id++) {
        Value v = (Value) (c->begin + 64 * g + (size_t) __builtin_ctzll (bits));
        if (tag_in (header_of (v)) == HEAP_TAG_STRING)
          walk_put_string (w, id, &last, &count, v);
      }
  }
  for (uint32_t i = 0; i < w->n_reached; i++)
    if (tag_in (header_of (w->reached[i])) == HEAP_TAG_STRING)
      walk_put_string (w, (uint64_t) w->n_heap + i, &last, &count, w->reached[i]);
  out_section (&w->out, HEAP_STRINGS, 0, 0, count);
}

/* What the runtime counts. */
static void
walk_put_counts (Walk *w)
{
  const uintptr_t *stats = *w->s->runtime->state + w->s->runtime->stats;
  const double *reals = (const double *) (const void *) stats;

  out_format (&w->out, "minor_words %lu\npromoted_words %lu\nmajor_words %lu\nminor_collections %lu\n",
              (unsigned long) reals[-5], (unsigned long) reals[-4], (unsigned long) reals[-3],
              (unsigned long) stats[-2]);
  out_format (&w->out, "major_collections %lu\nheap_words %lu\ntop_heap_words %lu\ncompactions %lu\nheap_chunks %lu\n",
              (unsigned long) stats[-1], (unsigned long) stats[0], (unsigned long) stats[1], (unsigned long) stats[2],
              (unsigned long) stats[4]);
}

static void
put_info (Walk *w)
{
  const Snapshot *s = w->s;

  out_format (&w->out, "program %s\npid %u\nnumber %u\ntrigger %s\nlabel %s\nocaml %s\nword %u\n", s->program, s->pid,
              s->number, s->trigger, s->label,
              s->runtime->version[0] ? s->runtime->version
              : s->runtime->is_five  ? "5.3"
                                     : "4.13 or 4.14",
              (unsigned) HEAP_WORD);
  out_format (&w->out, "date_ns %lu\nelapsed_ns %lu\ncpu_ns %lu\ncycles_seen %lu\nskipped %lu\nfailed %lu\n",
              (unsigned long) s->started, (unsigned long) (s->at - s->begun), (unsigned long) s->cpu,
              (unsigned long) s->cycles, (unsigned long) s->skipped, (unsigned long) s->failed);
  if (s->runtime->is_five)
    five_info (w);
  else
    walk_put_counts (w);
  if (sites_words () > 0)
    out_format (&w->out, "sample_words %u\n", sites_words ());
  out_format (&w->out, "heap_blocks %lu\nfree_blocks %lu\nfree_words %lu\n", (unsigned long) w->n_heap,
              (unsigned long) w->free_blocks, (unsigned long) w->free_words);
  out_section (&w->out, HEAP_INFO, 0, 0, 0);
}

static void
put_chunks (Walk *w)
{
  for (uint32_t i = 0; i < w->n_chunks; i++) {
    const Chunk *c = &w->chunks[i];
    if (w->out.n >= OUT_BYTES)
      out_section (&w->out, HEAP_CHUNKS, 0, 0, 0);
    out_format (&w->out, "%lx %lu %lu %lu\n", (unsigned long) (uintptr_t) c->begin, (unsigned long) c->words,
                (unsigned long) c->free_words, (unsigned long) c->free_blocks);
  }
  out_section (&w->out, HEAP_CHUNKS, 0, 0, 0);
}

static int
write_sections (Walk *w, const Snapshot *s, int fd)
{
  bool five = s->runtime->is_five;
  int64_t cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);

  w->pairs = out_pages (4 * HEAP_DICTIONARY * sizeof *w->pairs);
  w->used = out_pages ((s->symbols->n + 1) * sizeof *w->used);
  for (size_t i = 0; i < s->symbols->n; i++)
    s->symbols->all[i].used = 0;
  w->atom_table = runtime_atoms (s->runtime);
  if (!w->pairs || !w->used)
    return ENOMEM;
  if (!out_begin (&w->out, fd, s->beat, s->patience))
    return w->out.why;
  if (!find_statics (w) || (five ? !five_blocks (w) : !find_chunks (w) || !walk_find_blocks (w)))
    return ENOMEM;
  put_info (w);
  put_roots (w);
  put_blocks (w);
  put_weak (w);
  put_statics (w);
  put_symbols (w);
  put_chunks (w);
  sites_put (w);
  if (s->string_bytes > 0)
    put_strings (w);
  out_format (&w->out, "heap_block_words %lu\nstatic_blocks %lu\nend_ns %lu\nwriting_ns %lu\nwriting_cpu_ns %lu\n",
              (unsigned long) w->words, (unsigned long) w->n_reached, (unsigned long) now_ns (CLOCK_REALTIME),
              (unsigned long) (now_ns (CLOCK_MONOTONIC) - s->at),
              (unsigned long) (now_ns (CLOCK_THREAD_CPUTIME_ID) - cpu));
  out_format (&w->out, "outside %lu\natoms %lu\ndangling %lu\n", (unsigned long) w->outside, (unsigned long) w->atoms,
              (unsigned long) w->dangling);
  out_section (&w->out, HEAP_END, 0, 0, 0);
  return w->out.why;
}

int
snapshot_write (const Snapshot *s, int fd)
{
  static Walk w; /* of a process that writes one snapshot at a time */

  w = (Walk){ .s = s };
  int why = write_sections (&w, s, fd);
  out_pages_free ();
  return why;
}
