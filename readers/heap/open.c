/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - reads the sections of a snapshot, and blocks into arrays: docs/heap-format.md.  Nothing in the file is
 * believed. */
#include <string.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/heap/private.h"

#define MOST_SECTION (UINT64_C (64) << 20)
#define MOST_TEXT (UINT64_C (1) << 20)
#define MOST_SYMBOLS (1u << 24)
#define MOST_DAMAGE 20

typedef struct Reading {
  HeapGraph *h;
  int fd;
  uint64_t size, at;
  uint64_t to_room; /* of the array of references */
  uint16_t *field;  /* by reference: which field of its block; NULL: no types are looked for */
  HeapClasses *classes;
  GHashTable *strings; /* of blocks that are asked for by heap_classes_end(): number -> text */
  GHashTable *customs; /* number -> name */
  GByteArray *piece;   /* blocks that go on over sections */
  uint32_t piece_count;
  uint32_t n_done;      /* blocks that are in the arrays */
  bool piece_bad, full; /* full: there is no memory for more references */
  GByteArray *weak;     /* ephemerons that go on over sections */
  uint32_t weak_count;
  bool weak_bad;
  struct Pair {
    uint64_t size;
    uint32_t class;
    unsigned tag;
  } pairs[HEAP_DICTIONARY + 1];
  const TraceProgress *progress;
} Reading;

bool
heap_is_cancelled (const TraceProgress *progress, const char *doing, double share, GError **error)
{
  if (!progress || progress->report (progress->arg, doing, share))
    return false;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "cancelled");
  return true;
}

void
heap_damaged (HeapGraph *h, const char *fmt, ...)
{
  va_list args;

  if (h->n_damage++ >= MOST_DAMAGE)
    return;
  va_start (args, fmt);
  g_ptr_array_add (h->damage, g_strdup_vprintf (fmt, args));
  va_end (args);
}

void
heap_behind (HeapGraph *h, const Bytes *b, const char *what)
{
  if (!b->over && b->at < b->end)
    heap_damaged (h, _ ("a section of %s has more bytes than it says that there are %s"), _ (what), _ (what));
}

bool
heap_room (void *to, uint64_t n, size_t each, GError **error)
{
  void *room = n < SIZE_MAX / 2 / each ? g_try_malloc0_n (MAX (n, 1), each) : NULL;

  if (!room)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("there is not enough memory for %" PRIu64 " x %zu bytes"), n,
                 each);
  *(void **) to = room;
  return room != NULL;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

static bool
open_add_edge (Reading *r, uint64_t to, uint64_t field)
{
  HeapGraph *h = r->h;

  if (to >= h->n_blocks) {
    h->beyond++;
    return true;
  }
  if (h->n_edges == r->to_room) {
    uint64_t more = MIN ((uint64_t) UINT32_MAX, r->to_room + r->to_room / 2 + 4096);
    uint32_t *room = more > r->to_room ? g_try_realloc_n (h->to, more, sizeof *room) : NULL;
    r->full = room == NULL;
    if (r->full)
      return false;
    h->to = room;
    uint16_t *fields = r->field ? g_try_realloc_n (r->field, more, sizeof *fields) : NULL;
    r->full = r->field && !fields;
    if (r->full)
      return false;
    r->field = fields;
    r->to_room = more;
  }
  if (r->field)
    r->field[h->n_edges] = (uint16_t) MIN (field, UINT16_MAX);
  h->to[h->n_edges++] = (uint32_t) to;
  return true;
}

/* The fields of a block, n of them. */
static bool
open_get_fields (Reading *r, Bytes *b, uint32_t id, uint64_t n)
{
  uint64_t all = n;

  while (n > 0 && !b->over) {
    uint64_t token = heap_get_number (b), rest = token >> 2;
    switch (token & 3) {
    case HEAP_IMMEDIATES:
      if (rest > n)
        return false;
      n = rest == 0 ? 0 : n - rest;
      break;
    case HEAP_BLOCK:
      if (!open_add_edge (r, (uint64_t) ((int64_t) id + (int64_t) (rest >> 1 ^ -(rest & 1))), all - n))
        return false;
      n--;
      break;
    case HEAP_NOTHING:
      n--;
      if (rest < N_HEAP_NOTHINGS)
        r->h->nothing[rest]++;
      break;
    default:
      return false;
    }
  }
  return !b->over;
}

/* Tag, and size as the file has it: words, of strings bytes. */
static const struct Pair *
get_pair (Reading *r, Bytes *b, uint32_t *n_pairs, struct Pair *own)
{
  uint64_t code = heap_get_number (b);

  if (code > *n_pairs || b->over || (code == 0 && b->at == b->end))
    return NULL;
  if (code > 0)
    return &r->pairs[code];
  own->tag = *b->at++;
  own->size = heap_get_number (b);
  own->class = heap_class_for (r->classes, r->h, own->tag, own->tag == HEAP_TAG_STRING ? 0 : own->size);
  if (*n_pairs < HEAP_DICTIONARY) {
    r->pairs[++*n_pairs] = *own;
    return &r->pairs[*n_pairs];
  }
  return own;
}

static bool
get_block (Reading *r, Bytes *b, uint32_t id, uint32_t *n_pairs)
{
  HeapGraph *h = r->h;
  struct Pair own;
  const struct Pair *p = get_pair (r, b, n_pairs, &own);

  if (!p)
    return false;
  uint64_t words = p->tag == HEAP_TAG_STRING ? p->size / 8 + 1 : p->size;
  h->tag[id] = (uint8_t) p->tag;
  h->words[id] = (uint32_t) MIN (words + 1, UINT32_MAX);
  h->class_of[id] = p->class;
  if (words >= UINT64_C (1) << 54)
    return false;
  if (p->tag == HEAP_TAG_CLOSURE && words >= 2) {
    uint64_t symbol = heap_get_number (b), env = heap_get_number (b);
    h->class_of[id] = heap_class_for (r->classes, h, p->tag, symbol < MOST_SYMBOLS ? symbol : 0);
    return env <= words && open_get_fields (r, b, id, words - env);
  }
  if (p->tag == HEAP_TAG_CUSTOM) {
    uint64_t name = heap_get_number (b);
    heap_get_number (b); /* bytes elsewhere */
    h->class_of[id] = heap_class_for (r->classes, h, p->tag, name < 4096 ? name : 0);
    return !b->over;
  }
  return p->tag >= HEAP_TAG_ABSTRACT || open_get_fields (r, b, id, words);
}

/* A piece is whole: its blocks, or blocks of which nothing is known where it is damaged. */
static bool
open_end_piece (Reading *r, GError **error)
{
  HeapGraph *h = r->h;
  const uint8_t *bytes = r->piece->len > 0 ? r->piece->data : (const uint8_t *) "";
  Bytes b = { .at = bytes, .end = bytes + r->piece->len };
  uint32_t n_pairs = 0, from = r->n_done, n = MIN (r->piece_count, h->n_blocks - from), damaged = 0;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t id = from + i, edges = h->n_edges;
    h->first[id] = h->n_edges;
    if (!r->piece_bad && !get_block (r, &b, id, &n_pairs)) {
      if (r->full) {
        g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("it has more references than there is memory for"));
        return false;
      }
      h->n_edges = edges;
      r->piece_bad = true;
    }
    if (r->piece_bad) {
      h->tag[id] = HEAP_TAG_ABSTRACT;
      h->class_of[id] = heap_class_for (r->classes, h, 256, 0);
      h->words[id] = 1;
      damaged++;
    }
  }
  if (damaged > 0)
    heap_damaged (h, _ ("of blocks %u to %u nothing is known: their bytes are damaged"), from + n - damaged,
                  from + n - 1);
  else if (b.at < b.end && n > 0)
    heap_damaged (h, _ ("behind block %u are bytes that belong to none"), from + n - 1);
  r->n_done += n;
  g_byte_array_set_size (r->piece, 0);
  r->piece_count = 0;
  r->piece_bad = false;
  return true;
}

/* ---- other sections ----------------------------------------------------------------------------------------------------- */

static void
open_get_info (GHashTable *info, const uint8_t *bytes, size_t n)
{
  g_autofree char *text = g_strndup ((const char *) bytes, n);
  g_auto (GStrv) lines = g_strsplit (text, "\n", 1000);

  for (char **line = lines; *line; line++) {
    char *blank = strchr (*line, ' ');
    if (blank && blank > *line)
      g_hash_table_replace (info, g_strndup (*line, (gsize) (blank - *line)), g_utf8_make_valid (blank + 1, -1));
  }
}

static bool
get_roots (Reading *r, Bytes b, uint32_t count, GError **error)
{
  HeapGraph *h = r->h;

  if (count > (uint64_t) (b.end - b.at) / 3) {
    heap_damaged (h, _ ("a section of roots says that it has %u, more than its bytes can hold"), count);
    count = (uint32_t) ((b.end - b.at) / 3);
  }
  HeapRoot *more = g_try_realloc_n (h->roots, (gsize) h->n_roots + count + 1, sizeof *more);
  if (!more)
    return heap_room (&(void *){ NULL }, UINT64_MAX, 1, error);
  h->roots = more;
  uint32_t i = 0;
  for (; i < count && b.at < b.end; i++) {
    unsigned category = *b.at++;
    uint64_t symbol = heap_get_number (&b), block = heap_get_number (&b);
    if (b.over || category >= N_HEAP_ROOTS || symbol >= MOST_SYMBOLS) {
      heap_damaged (h, _ ("root %u makes no sense; those behind it are left out"), h->n_roots);
      return true;
    }
    if (block < h->n_blocks)
      h->roots[h->n_roots++] = (HeapRoot){ category, (uint32_t) symbol, (uint32_t) block };
    else
      h->beyond++;
  }
  if (i < count)
    heap_damaged (h, _ ("a section of roots says that it has %u, and has %u"), count, i);
  heap_behind (h, &b, N_ ("roots"));
  return true;
}

static void
get_symbols (Reading *r, Bytes b, uint32_t count)
{
  HeapGraph *h = r->h;

  for (uint32_t i = 0; i < count; i++) {
    uint64_t number = heap_get_number (&b), n = heap_get_number (&b);
    if (b.over || n > (uint64_t) (b.end - b.at)) {
      heap_damaged (h, _ ("a section of names ends inside of one"));
      return;
    }
    g_autofree char *text = g_strndup ((const char *) b.at, n);
    char *valid = g_utf8_make_valid (text, -1);
    b.at += n;
    if (number >= HEAP_CUSTOM_NAMES && number < HEAP_CUSTOM_NAMES + 4096) {
      g_hash_table_replace (r->customs, GUINT_TO_POINTER ((guint) (number - HEAP_CUSTOM_NAMES)), valid);
    } else if (number > 0 && number < MOST_SYMBOLS && number <= h->symbols->len + (uint64_t) 65536) {
      if (number >= h->symbols->len)
        g_ptr_array_set_size (h->symbols, (gint) number + 1);
      g_free (h->symbols->pdata[number]);
      h->symbols->pdata[number] = valid;
    } else {
      g_free (valid);
    }
  }
  heap_behind (h, &b, N_ ("names"));
}

/* Ephemerons are whole: those of the sections that went on, one after the other. */
static bool
end_weak (Reading *r, GError **error)
{
  HeapGraph *h = r->h;
  const uint8_t *bytes = r->weak->len > 0 ? r->weak->data : (const uint8_t *) "";
  Bytes b = { .at = bytes, .end = bytes + r->weak->len };
  uint32_t count = r->weak_count;

  if (r->weak_bad)
    heap_damaged (
        h, _ ("%u weak blocks are in damaged sections, and left out: what they keep alive is told as garbage"), count);
  if (count == 0 || r->weak_bad) {
    g_byte_array_set_size (r->weak, 0);
    r->weak_count = 0;
    r->weak_bad = false;
    return true;
  }
  size_t room = h->n_weak + 2 * (size_t) (b.end - b.at) + 2;

  uint32_t *more = g_try_realloc_n (h->weak, room, sizeof *more);
  if (!more)
    return heap_room (&(void *){ NULL }, UINT64_MAX, 1, error);
  h->weak = more;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t block = heap_get_number (&b), n = heap_get_number (&b);
    if (b.over || block >= h->n_blocks || n > (uint64_t) (b.end - b.at)) {
      heap_damaged (h, _ ("weak block %u makes no sense; those behind it are left out"), i);
      break;
    }
    h->weak[h->n_weak++] = (uint32_t) block;
    h->weak[h->n_weak++] = (uint32_t) n;
    for (uint64_t k = 0; k < n; k++) {
      uint64_t to = heap_get_number (&b);
      h->weak[h->n_weak++] = to <= h->n_blocks ? (uint32_t) to : 0;
    }
    if (i + 1 == count)
      heap_behind (h, &b, N_ ("weak blocks"));
  }
  g_byte_array_set_size (r->weak, 0);
  r->weak_count = 0;
  return true;
}

/* Texts are kept for names of exceptions, which are static data: few. */
static void
get_strings (Reading *r, Bytes b, uint32_t count)
{
  uint64_t id = 0;

  for (uint32_t i = 0; i < count; i++) {
    id += heap_get_number (&b);
    uint64_t n = heap_get_number (&b);
    uint64_t left = (uint64_t) (b.end - b.at);
    if (b.over || left < 4 || n > left - 4) {
      heap_damaged (r->h, _ ("a section of strings ends inside of one"));
      return;
    }
    b.at += 4;
    if (id >= r->h->n_heap && id < r->h->n_blocks && g_hash_table_size (r->strings) < 1000000)
      g_hash_table_replace (r->strings, GUINT_TO_POINTER ((guint) id), g_strndup ((const char *) b.at, n));
    b.at += n;
  }
  heap_behind (r->h, &b, N_ ("strings"));
}

/* ---- the file -------------------------------------------------------------------------------------------------------------- */

/* The next head; false: the end, or what is behind makes no sense, and why. */
static bool
next_head (int fd, uint64_t at, uint64_t size, HeapSection *s, const char **why)
{
  *why = NULL;
  if (at >= size)
    return false;
  if (size - at < sizeof *s || disk_pread (fd, s, sizeof *s, at) != sizeof *s)
    *why = _ ("the file ends in the head of a section");
  else if (s->kind < HEAP_INFO || s->kind >= HEAP_KINDS || s->bytes > MOST_SECTION)
    *why = _ ("no section begins there");
  else if (s->bytes > size - at - sizeof *s)
    *why = _ ("the file ends inside of a section");
  return *why == NULL;
}

/* How many blocks there are, by the heads alone: each has a byte at least. */
static bool
count_blocks (Reading *r, GError **error)
{
  HeapSection s;
  const char *why;
  uint64_t n = 0;

  for (uint64_t at = HEAP_MAGIC_BYTES; next_head (r->fd, at, r->size, &s, &why); at += sizeof s + s.bytes) {
    if (s.kind != HEAP_BLOCKS)
      continue;
    if (s.count > s.bytes || (!(s.flags & HEAP_CONTINUED) && s.first != n)) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                   _ ("at byte %" PRIu64 " it says that %u blocks follow block %" PRIu64
                      ", which cannot be: the file is damaged"),
                   at, s.count, s.first);
      return false;
    }
    n += s.count;
  }
  if (n >= UINT32_MAX - 1000000) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("it has more blocks than can be numbered"));
    return false;
  }
  r->h->n_blocks = r->h->n_heap = (uint32_t) n;
  return true;
}

static bool
get_section (Reading *r, const HeapSection *s, const uint8_t *bytes, GError **error)
{
  Bytes b = { .at = bytes, .end = bytes + s->bytes };
  bool good = heap_check (bytes, s->bytes) == s->check;

  if (s->kind == HEAP_BLOCKS) {
    if (!(s->flags & HEAP_CONTINUED) && !open_end_piece (r, error))
      return false;
    r->piece_count += s->count;
    r->piece_bad = r->piece_bad || !good || r->piece->len + s->bytes > G_MAXUINT / 2;
    if (!r->piece_bad)
      g_byte_array_append (r->piece, bytes, (guint) s->bytes);
    return true;
  }
  if (s->kind == HEAP_WEAK) {
    if (!(s->flags & HEAP_CONTINUED) && !end_weak (r, error))
      return false;
    r->weak_count += s->count;
    r->weak_bad = r->weak_bad || !good || r->weak->len + s->bytes > G_MAXUINT / 2;
    if (!r->weak_bad)
      g_byte_array_append (r->weak, bytes, (guint) s->bytes);
    return true;
  }
  if (!good) {
    heap_damaged (r->h, _ ("the section at byte %" PRIu64 " is damaged, and left out"), r->at);
    return true;
  }
  switch (s->kind) {
  case HEAP_INFO:
  case HEAP_END:
    open_get_info (r->h->info, bytes, MIN (s->bytes, MOST_TEXT));
    r->h->complete = r->h->complete || s->kind == HEAP_END;
    break;
  case HEAP_ROOTS:
    return get_roots (r, b, s->count, error);
  case HEAP_SYMBOLS:
    get_symbols (r, b, s->count);
    break;
  case HEAP_FRAMES:
  case HEAP_STACKS:
  case HEAP_SITES:
    heap_sites_section (r->h, s->kind, b, s->count);
    break;
  default:
    break; /* strings come when it is known which are static; chunks are for heap_chunks() */
  }
  return true;
}

static bool
get_sections (Reading *r, bool strings, GError **error)
{
  g_autofree uint8_t *bytes = NULL;
  uint64_t room = 0;
  HeapSection s;
  const char *why;

  for (r->at = HEAP_MAGIC_BYTES; next_head (r->fd, r->at, r->size, &s, &why); r->at += sizeof s + s.bytes) {
    if ((s.kind == HEAP_STRINGS) != strings)
      continue;
    if (s.bytes + 8 > room) {
      g_free (bytes);
      room = 2 * s.bytes + 8;
      if (!heap_room (&bytes, room, 1, error))
        return false;
    }
    if (disk_pread (r->fd, bytes, s.bytes, r->at + sizeof s) != (ssize_t) s.bytes) {
      why = _ ("the file has become shorter");
      break;
    }
    if (strings && heap_check (bytes, s.bytes) == s.check)
      get_strings (r, (Bytes){ .at = bytes, .end = bytes + s.bytes }, s.count);
    else if (!strings && !get_section (r, &s, bytes, error))
      return false;
    if (heap_is_cancelled (r->progress, "reading", (double) r->at / (double) r->size, error))
      return false;
  }
  if (why && !strings)
    heap_damaged (r->h, _ ("at byte %" PRIu64 " %s: what is before it is kept"), r->at, why);
  return strings || (open_end_piece (r, error) && end_weak (r, error));
}

static int
heap_open_file (const char *path, uint64_t *size, GError **error)
{
  char magic[HEAP_MAGIC_BYTES];
  int fd = disk_open (path, NULL, DISK_DATA, size, error);

  if (fd < 0)
    return -1;
  if (disk_pread (fd, magic, sizeof magic, 0) == sizeof magic && memcmp (magic, HEAP_MAGIC, sizeof magic) == 0)
    return fd;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is no heap snapshot: it does not begin with %s"), path,
               HEAP_MAGIC);
  close (fd);
  return -1;
}

static HeapGraph *
graph_new (void)
{
  HeapGraph *h = g_new0 (HeapGraph, 1);

  h->info = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  h->classes = g_array_new (FALSE, TRUE, sizeof (HeapClass));
  h->symbols = g_ptr_array_new_with_free_func (g_free);
  h->damage = g_ptr_array_new_with_free_func (g_free);
  return h;
}

static bool
open_read_all (Reading *r, GError **error)
{
  HeapGraph *h = r->h;

  if (!count_blocks (r, error))
    return false;
  uint64_t n = h->n_blocks;
  if (!heap_room (&h->tag, n, 1, error) || !heap_room (&h->words, n, 4, error) || !heap_room (&h->class_of, n, 4, error)
      || !heap_room (&h->first, n + 1, 4, error) || !get_sections (r, false, error))
    return false;
  for (; r->n_done < n; r->n_done++) { /* the file became shorter meanwhile */
    h->first[r->n_done] = h->n_edges;
    h->class_of[r->n_done] = heap_class_for (r->classes, h, 256, 0);
  }
  h->first[n] = h->n_edges;
  h->n_heap = (uint32_t) MIN (heap_number (h->info, "heap_blocks", n), n);
  if (!get_sections (r, true, error))
    return false;
  if (!h->complete)
    heap_damaged (h,
                  _ ("it has no end: whoever wrote it was stopped, or the disk was full; what was written is shown"));
  if (h->beyond > 0)
    heap_damaged (h, _ ("%" PRIu64 " references to blocks that are not in the file are left out"), h->beyond);
  return true;
}

HeapGraph *
heap_open (const char *path, const TraceProgress *progress, GError **error)
{
  g_autofree Reading *r = g_new0 (Reading, 1);

  r->fd = heap_open_file (path, &r->size, error);
  if (r->fd < 0)
    return NULL;
  r->h = graph_new ();
  r->h->path = g_strdup (path);
  r->progress = progress;
  r->classes = heap_classes_new ();
  r->strings = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->customs = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  r->piece = g_byte_array_new ();
  r->weak = g_byte_array_new ();
  g_autofree char *folder = g_path_get_dirname (path), *types = g_build_filename (folder, HEAP_TYPES, NULL);
  bool typed = g_file_test (types, G_FILE_TEST_EXISTS);
  r->field = typed ? g_new (uint16_t, 1) : NULL;
  bool ok = open_read_all (r, error);
  heap_classes_free (r->classes);
  if (ok)
    heap_classes_end (r->h, r->strings, r->customs);
  if (ok && typed)
    ok = heap_types_apply (r->h, types, r->field, progress, error);
  g_free (r->field);
  g_hash_table_unref (r->strings);
  g_hash_table_unref (r->customs);
  g_byte_array_unref (r->piece);
  g_byte_array_unref (r->weak);
  close (r->fd);
  if (!ok)
    g_clear_pointer (&r->h, heap_free);
  return r->h;
}

bool
heap_each_section (const char *path, uint32_t kind, HeapSectionRead read, void *arg, GError **error)
{
  uint64_t size, room = 0;
  int fd = heap_open_file (path, &size, error);
  g_autofree uint8_t *bytes = NULL;
  HeapSection s;
  const char *why;
  bool ok = fd >= 0;

  for (uint64_t at = HEAP_MAGIC_BYTES; ok && next_head (fd, at, size, &s, &why); at += sizeof s + s.bytes) {
    if (s.kind != kind)
      continue;
    if (s.bytes + 8 > room) {
      g_free (bytes);
      room = 2 * s.bytes + 8;
      ok = heap_room (&bytes, room, 1, error);
    }
    if (ok && disk_pread (fd, bytes, s.bytes, at + sizeof s) == (ssize_t) s.bytes
        && heap_check (bytes, s.bytes) == s.check)
      read (arg, (Bytes){ .at = bytes, .end = bytes + s.bytes }, s.count);
  }
  if (fd >= 0)
    close (fd);
  return ok;
}

GHashTable *
heap_open_info (const char *path, GError **error)
{
  uint64_t size;
  int fd = heap_open_file (path, &size, error);
  GHashTable *info = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  HeapSection s;
  const char *why = NULL;

  if (fd >= 0 && next_head (fd, HEAP_MAGIC_BYTES, size, &s, &why) && s.kind == HEAP_INFO && s.bytes <= MOST_TEXT) {
    g_autofree uint8_t *bytes = g_malloc (s.bytes + 1);
    if (disk_pread (fd, bytes, s.bytes, HEAP_MAGIC_BYTES + sizeof s) == (ssize_t) s.bytes
        && heap_check (bytes, s.bytes) == s.check)
      open_get_info (info, bytes, s.bytes);
  } else if (fd >= 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s does not tell of its program: %s"), path,
                 why ? why : _ ("it was cut, or is damaged"));
  }
  if (fd >= 0)
    close (fd);
  if (g_hash_table_size (info) > 0)
    return info;
  if (error && !*error)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s does not tell of its program: it was cut, or is damaged"), path);
  g_hash_table_unref (info);
  return NULL;
}

bool
heap_is_whole (const char *path)
{
  uint64_t size, at = HEAP_MAGIC_BYTES;
  int fd = heap_open_file (path, &size, NULL);
  HeapSection s;
  const char *why;
  bool whole = false;

  for (; fd >= 0 && !whole && next_head (fd, at, size, &s, &why); at += sizeof s + s.bytes)
    whole = s.kind == HEAP_END;
  if (fd >= 0)
    close (fd);
  return whole;
}

static int
open_by_number (gconstpointer a, gconstpointer b)
{
  const char *x = *(char *const *) a, *y = *(char *const *) b;
  guint64 m = g_ascii_strtoull (x, NULL, 10), n = g_ascii_strtoull (y, NULL, 10);

  return m != n ? (m < n ? -1 : 1) : strcmp (x, y);
}

GPtrArray *
heap_list (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  const char *name;

  if (!dir)
    return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".heap") && g_ascii_isdigit (*name))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, open_by_number);
  return names;
}

char *
heap_folder (const char *bundle)
{
  g_autoptr (GDir) dir = g_dir_open (bundle, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".heap")) {
      g_autofree char *inner = g_build_filename (bundle, name, NULL);
      if (disk_is_below (inner, bundle)) /* a link may lead anywhere */
        return g_steal_pointer (&inner);
    }
  return NULL;
}

uint64_t
heap_number (GHashTable *info, const char *key, uint64_t none)
{
  const char *text = g_hash_table_lookup (info, key);
  uint64_t v;

  return text && g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &v, NULL) ? v : none;
}

static void
clear_class (HeapClass *c)
{
  g_free (c->name);
}

void
heap_free (HeapGraph *h)
{
  if (!h)
    return;
  void *const arrays[] = { h->tag,  h->words, h->class_of,  h->first,    h->to,          h->roots,    h->weak,
                           h->live, h->node,  h->dominator, h->retained, h->above_first, h->above_to, h->place };
  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_free (arrays[i]);
  for (guint i = 0; i < h->classes->len; i++)
    clear_class (&g_array_index (h->classes, HeapClass, i));
  for (guint i = 0; h->tops && i < h->tops->len; i++)
    g_free (g_array_index (h->tops, HeapTop, i).name);
  g_array_unref (h->classes);
  if (h->tops)
    g_array_unref (h->tops);
  heap_sites_free (h->sites);
  g_free (h->path);
  g_free (h->not_used);
  g_hash_table_unref (h->info);
  g_ptr_array_unref (h->symbols);
  g_ptr_array_unref (h->damage);
  g_free (h);
}
