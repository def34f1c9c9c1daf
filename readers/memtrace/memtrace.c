/* SPDX-License-Identifier: Apache-2.0 */
/* memtrace.c - reads what memtrace writes of OCaml programs: sampled allocations with their call stacks. */
#include <math.h>
#include <string.h>

#include "readers/memory-places.h"
#include "eve/words.h"
#include "readers/memtrace/memtrace.h"
#include "readers/pair.h"

#define MAGIC 0xc1fc1fc1u
#define HEAD 66 /* bytes of a packet's head; 2 more from version 3 on */
#define MOST_PACKET 32768
#define MOST_LIVE 20000000 /* objects that may still be collected */
enum { INFO, LOCATION, ALLOC, PROMOTE, COLLECT, SHORT_ALLOC = 101, LAST_SHORT_ALLOC = 116 };

typedef struct Packet {
  uint32_t bytes;
  uint64_t begin, end; /* microseconds since 1970 */
  unsigned version, domain, verify_ix, verify_predicted;
  uint64_t pid, verify_value, first_id, last_id;
} Packet;

typedef struct Live { /* an object */
  uint64_t number;
  int64_t bytes;
  uint64_t values; /* of its allocation, which its other events share */
} Live;

typedef struct Memtrace {
  Converter *to;
  TraceSource *source;
  const char *file;
  Stacks *stacks;
  uint64_t at;       /* byte of the file where the packet at hand begins */
  uint64_t pid;      /* of the program */
  int64_t first;     /* microseconds since 1970: date 0 */
  double bytes_each; /* what a sample stands for */
  unsigned word_bytes;
  uint64_t next_id;
  GHashTable *live; /* of Live, by number */
  uint32_t alloc, promote, collect, task, variable;
  bool begun, skipped, unsure;
} Memtrace;

static void memtrace_damaged (Memtrace *m, uint64_t byte, const char *fmt, ...) G_GNUC_PRINTF (3, 4);

static void
memtrace_damaged (Memtrace *m, uint64_t byte, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (m->source, m->file, 0, byte, fmt, args);
  va_end (args);
}

/* False: it is no head of a packet. */
static bool
memtrace_get_head (const uint8_t *head, size_t n, Packet *p)
{
  Bytes b = { .at = head, .end = head + n };

  if (memtrace_fixed (&b, 4) != MAGIC)
    return false;
  uint64_t bits = memtrace_fixed (&b, 4);
  p->begin = memtrace_fixed (&b, 8);
  p->end = memtrace_fixed (&b, 8);
  memtrace_fixed (&b, 4); /* how long it took to write */
  p->version = (unsigned) memtrace_fixed (&b, 2);
  p->pid = memtrace_fixed (&b, 8);
  p->domain = p->version >= 3 ? (unsigned) memtrace_fixed (&b, 2) : 0;
  p->verify_ix = (unsigned) memtrace_fixed (&b, 2);
  p->verify_predicted = (unsigned) memtrace_fixed (&b, 2);
  p->verify_value = memtrace_fixed (&b, 8);
  p->first_id = memtrace_fixed (&b, 8);
  p->last_id = memtrace_fixed (&b, 8);
  p->bytes = (uint32_t) (bits / 8);
  return !b.over && bits % 8 == 0 && p->version >= 1 && p->version <= 3 && p->bytes <= MOST_PACKET
         && p->bytes >= HEAD + (p->version >= 3 ? 2u : 0u) && p->begin <= p->end && p->end < (UINT64_C (1) << 52);
}

/* ---- events --------------------------------------------------------------------------------------------------------------- */

static void
put_kinds (Memtrace *m)
{
  static const TraceField fields[] = { { "bytes", TRACE_ROLE_VALUE, "B" },   { "memory", TRACE_ROLE_OBJECT, NULL },
                                       { "words", TRACE_ROLE_INT, "words" }, { "samples", TRACE_ROLE_INT, NULL },
                                       { "number", TRACE_ROLE_INT, NULL },   { "heap", TRACE_ROLE_WORD, NULL },
                                       { "stack", TRACE_ROLE_OBJECTS, NULL } };
  const uint16_t acts[] = { TRACE_ACT_ALLOC | TRACE_ACT_ADD, TRACE_ACT_MARK, TRACE_ACT_FREE | TRACE_ACT_ADD };
  const char *const names[] = { "Alloc", "Promote", "Collect" };
  uint32_t *const kinds[] = { &m->alloc, &m->promote, &m->collect };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    *kinds[i] = converter_kind (m->to, &(TraceKind){ .name = names[i],
                                                     .category = "memory",
                                                     .fields = fields,
                                                     .n_fields = G_N_ELEMENTS (fields),
                                                     .instant = true,
                                                     .acts = acts[i] });
}

/* The first event of the file. */
static bool
memtrace_get_info (Memtrace *m, Bytes *b, unsigned version)
{
  uint64_t rate_bits = memtrace_fixed (b, 8);
  unsigned word_bits = (unsigned) memtrace_fixed (b, 1);
  const char *exe = memtrace_string (b), *host = memtrace_string (b);
  double rate;

  memtrace_string (b); /* parameters of the runtime */
  m->pid = memtrace_fixed (b, 8);
  if (version >= 2)
    memtrace_string (b);
  memcpy (&rate, &rate_bits, sizeof rate);
  if (b->over || !(rate > 0 && rate <= 1) || (word_bits != 32 && word_bits != 64))
    return false;
  m->word_bytes = word_bits / 8;
  m->bytes_each = m->word_bytes / rate;
  g_autofree char *base = g_path_get_basename (exe), *name = g_strdup_printf ("%s %" G_GUINT64_FORMAT, base, m->pid),
                  *valid = g_utf8_make_valid (name, -1), *machine = g_utf8_make_valid (host, -1);
  m->task = trace_source_add_task (m->source, valid, (int64_t) m->pid);
  if (*machine)
    trace_task (m->source, m->task)->host = trace_source_add_host (m->source, machine, "OCaml", 0);
  m->variable = memory_variable (m->source, "live memory");
  put_kinds (m);
  m->begun = true;
  return true;
}

static void
memtrace_give (Memtrace *m, uint32_t kind, int64_t date, int64_t bytes, uint64_t values)
{
  converter_event_with (m->to,
                        &(TraceEvent){ .date = date,
                                       .task = m->task,
                                       .peer = TRACE_NONE,
                                       .object = m->variable,
                                       .tag = -1,
                                       .kind = (uint16_t) kind,
                                       .flags = TRACE_INSTANT,
                                       .size = bytes },
                        values);
}

/* What samples stand for; whole, so that what was allocated and collected adds up to nothing. */
static int64_t
memtrace_bytes_of (const Memtrace *m, uint64_t samples)
{
  return (int64_t) llround (MIN ((double) samples * m->bytes_each, 1e18));
}

static bool
get_alloc (Memtrace *m, Bytes *b, unsigned id, int64_t date)
{
  static const char *const heaps[] = { "minor", "major", "external" };
  bool is_short = id >= SHORT_ALLOC;
  uint64_t words = is_short ? id - (SHORT_ALLOC - 1) : memtrace_whole (b), samples = is_short ? 1 : memtrace_whole (b);
  unsigned heap = is_short ? 0 : (unsigned) memtrace_fixed (b, 1);
  uint64_t common = memtrace_whole (b);
  unsigned n = (unsigned) memtrace_fixed (b, is_short ? 1 : 2);
  const uint32_t *stack;
  uint32_t depth;

  if (!memtrace_stack (m->stacks, b, common, n, &stack, &depth) || heap >= G_N_ELEMENTS (heaps)
      || samples > (UINT64_C (1) << 40) || words > (UINT64_C (1) << 40))
    return false;
  uint64_t number = m->next_id++;
  converter_int (m->to, (int64_t) words);
  converter_int (m->to, (int64_t) samples);
  converter_int (m->to, (int64_t) number);
  converter_text (m->to, heaps[heap], strlen (heaps[heap]));
  converter_list (m->to, stack, depth);
  Live object = { number, memtrace_bytes_of (m, samples), converter_values (m->to) };
  memtrace_give (m, m->alloc, date, object.bytes, object.values);
  if (g_hash_table_size (m->live) < MOST_LIVE)
    g_hash_table_add (m->live, g_memdup2 (&object, sizeof object));
  return true;
}

/* Promoted, or collected: with the values of its allocation. */
static bool
get_end (Memtrace *m, Bytes *b, unsigned id, int64_t date)
{
  uint64_t delta = memtrace_whole (b), number = m->next_id - 1 - delta; /* of another domain it may lie ahead */

  if (b->over)
    return false;
  const Live *object = g_hash_table_lookup (m->live, &number);
  if (object == NULL) {
    memtrace_damaged (m, m->at, _ ("an object is %s that was not allocated before, or is no more"),
                      id == COLLECT ? "collected" : "promoted");
    return true;
  }
  if (id == COLLECT) {
    memtrace_give (m, m->collect, date, -object->bytes, object->values);
    g_hash_table_remove (m->live, &number);
  } else {
    memtrace_give (m, m->promote, date, object->bytes, object->values);
  }
  return true;
}

/* The date of an event: the low 25 bits of the packet's microseconds are replaced. */
static int64_t
memtrace_date_of (const Memtrace *m, const Packet *p, uint32_t head)
{
  const uint64_t mask = (UINT64_C (1) << 25) - 1;
  uint64_t low = head & mask, us = (p->begin & ~mask) | low;

  us += low < (p->begin & mask) ? mask + 1 : 0;
  return (int64_t) us - m->first;
}

static bool
get_event (Memtrace *m, Bytes *b, const Packet *p)
{
  uint32_t head = (uint32_t) memtrace_fixed (b, 4);
  unsigned id = head >> 25;
  int64_t date = memtrace_date_of (m, p, head);

  if (!m->begun)
    return id == INFO && memtrace_get_info (m, b, p->version);
  if (id == LOCATION)
    return memtrace_location (m->stacks, b);
  if (id == ALLOC || (id >= SHORT_ALLOC && id <= LAST_SHORT_ALLOC))
    return get_alloc (m, b, id, date);
  return (id == PROMOTE || id == COLLECT) && get_end (m, b, id, date);
}

static void
read_packet (Memtrace *m, const Packet *p, const uint8_t *bytes, size_t n)
{
  Bytes b = { .at = bytes, .end = bytes + n };

  if (m->begun && p->pid != m->pid) { /* of a process that it has forked */
    m->skipped = true;
    return;
  }
  if (!memtrace_domain (m->stacks, p->domain)) {
    memtrace_damaged (m, m->at, _ ("a packet of domain %u: more than are read; it is left out"), p->domain);
    return;
  }
  if (!memtrace_verify (m->stacks, p->verify_ix, p->verify_predicted, p->verify_value) && !m->unsure) {
    trace_source_remark (m->source, m->file, 0, m->at,
                         _ ("the call stacks from here on are perhaps others: some of what they build on is missing"));
    m->unsure = true;
  }
  m->next_id = p->first_id;
  while (b.at < b.end) {
    const uint8_t *before = b.at;
    if (!get_event (m, &b, p)) {
      memtrace_damaged (m, m->at + p->bytes - n + (uint64_t) (before - bytes),
                        _ ("the event here makes no sense; the rest of its packet is left out"));
      return;
    }
  }
  if (m->next_id != p->last_id)
    memtrace_damaged (m, m->at, _ ("the packet says that it ends with object %" PRIu64 ", and ends with %" PRIu64),
                      p->last_id, m->next_id);
}

/* All n bytes, unless the file ends before. */
static size_t
fill_from (Input *in, uint8_t *to, size_t n, GError **error)
{
  size_t had = 0;

  for (size_t got; had < n && (got = input_read (in, to + had, n - had, error)) > 0;)
    had += got;
  return had;
}

static bool
memtrace_read_packets (Memtrace *m, Input *in, GError **error)
{
  uint8_t bytes[MOST_PACKET];
  g_autoptr (GError) why = NULL;

  for (;;) {
    Packet p;
    size_t had = fill_from (in, bytes, HEAD + 2, &why);
    if (had == 0 && !why)
      return true;
    if (had < HEAD + 2 || !memtrace_get_head (bytes, had, &p)) {
      memtrace_damaged (m, m->at, _ ("%s; what was read before it is kept"),
                        why              ? why->message
                        : had < HEAD + 2 ? _ ("the file ends in the head of a packet")
                                         : _ ("no packet begins here"));
      return true;
    }
    size_t head = HEAD + (p.version >= 3 ? 2 : 0), want = p.bytes - MIN (p.bytes, HEAD + 2);
    if (m->first == 0)
      m->first = (int64_t) p.begin;
    size_t n = had + fill_from (in, bytes + had, want, &why);
    if (n < p.bytes) {
      memtrace_damaged (m, m->at, _ ("the file ends in a packet of %u bytes; what was read before it is kept"),
                        p.bytes);
      return true;
    }
    read_packet (m, &p, bytes + head, p.bytes - head);
    if (!m->begun)
      return true;
    m->at += p.bytes;
    if (!converter_progress (m->to, input_share (in), error))
      return false;
  }
}

static bool
memtrace_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Memtrace m = { .to = to, .source = converter_source (to), .file = file };
  Input *in = input_open (path, error);

  if (!in)
    return false;
  m.source->clock = (TraceClock){ 1000000, "s" };
  m.stacks = memtrace_stacks_new (m.source);
  m.live = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  bool ok = memtrace_read_packets (&m, in, error);
  if (ok && !m.begun) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s does not begin with what memtrace says of the program: its first packet is damaged"), path);
    ok = false;
  }
  if (m.skipped)
    trace_source_remark (m.source, m.file, 0, 0, _ ("packets of other processes are left out"));
  g_hash_table_unref (m.live);
  memtrace_stacks_free (m.stacks);
  input_close (in);
  return ok;
}

/* A packet of CTF begins with the same four bytes, but not with the event that tells of a program. */
static int
memtrace_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const uint8_t *at = head;
  Packet p;

  if (!at || n < HEAD + 8 || !memtrace_get_head (at, MIN (n, HEAD + 2), &p))
    return 0;
  at += HEAD + (p.version >= 3 ? 2 : 0);
  return at[3] >> 1 == INFO ? 90 : 0;
}

static const ConvertedFormat memtrace;
CONVERTED_OPEN (memtrace_open, &memtrace)
static const ConvertedFormat memtrace = {
  .format = { .name = "memtrace",
              .label = "memtrace",
              .model = "OCaml",
              .open = memtrace_open,
              .recognise = memtrace_recognise,
              CONVERTED_FUNCTIONS },
  .convert = memtrace_convert,
};

TRACE_READER_PLUGIN (memtrace.format, "scope.memtrace-reader", "memtrace reader", "reader:memtrace",
                     "Reads what memtrace samples of the memory of OCaml programs.");
