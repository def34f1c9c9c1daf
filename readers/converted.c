/* SPDX-License-Identifier: Apache-2.0 */
/* converted.c - reads what converter.c has written: any place of the trace, forward and backward. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "readers/converted-private.h"
#include "readers/counts.h"
#include "readers/early.h"
#include "readers/value-parts.h"

typedef struct Decoded {
  TraceEvent *events;
  uint32_t block; /* TRACE_NONE: none */
} Decoded;

typedef struct Converted {
  TraceSource source;
  char *folder; /* in the cache */
  int events;
  ValueParts values;
  Block *blocks;
  uint64_t *begins; /* by block: the number of its first event; one more behind the last */
  uint32_t n_blocks;
  uint64_t index_sum; /* as the file of blocks has it */
  uint32_t *order;    /* by the number that a task has in the files, the one that it has here; NULL: the same */
  uint64_t at;        /* the event that next() gives */
  Decoded here[2];    /* the block that was asked for last, and the one before */
  ZSTD_DCtx *zstd;
  uint8_t *packed, *columns;
  size_t n_packed;
  GByteArray *behind; /* the values of the event that was asked for last */
  uint64_t behind_of;
  GArray *list;
  char *text;
  const ConvertedFormat *format; /* as it was opened; NULL: it is not yet */
  char *given, *reference;
  TraceClocksBy clocks;
  bool renewed;
} Converted;

/* ---- blocks ------------------------------------------------------------------------------------------------------------------ */

/* The tables are taken away, so that nobody takes the rest for whole. */
static bool
converted_lost (Converted *s, GError **error)
{
  g_autofree char *tables = s->folder ? g_build_filename (s->folder, "tables", NULL) : NULL;

  if (tables)
    unlink (tables);
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
               _ ("%s: what the cache holds of its events is damaged; open it again, and it is read anew"),
               s->source.path);
  return false;
}

/* What the cache holds of its events is damaged: the trace itself is read once more.  Its blocks are the same then, and
 * so is all that is known of it.  False: they are not, or it cannot be read. */
static bool
converted_renew (Converted *s)
{
  static __thread int within; /* dates are corrected of what is kept as it is; should that be damaged too, no further */
  const TraceOptions options = { .clocks = s->clocks, .reference = s->reference };
  g_autofree char *tables = g_build_filename (s->folder, "tables", NULL);

  if (!s->format || s->renewed || within == 2)
    return false;
  s->renewed = true;
  within++;
  unlink (tables);
  Converted *anew = (Converted *) converted_open (s->format, s->source.path, s->given, &options, NULL);
  bool same = anew && anew->index_sum == s->index_sum && anew->n_blocks == s->n_blocks;
  if (same) {
    const Converted before = *s;
    s->events = anew->events;
    s->values = anew->values;
    anew->events = before.events;
    anew->values = before.values;
  }
  if (anew)
    converted_close (&anew->source);
  within--;
  return same;
}

/* What a stranger may have written says nothing that is not there. */
static bool
converted_is_sound (const Converted *s, const TraceEvent *e, uint32_t n)
{
  uint32_t n_tasks = s->source.tasks->len, n_objects = s->source.objects->len;

  bool damaged = false;

  for (uint32_t i = 0; i < n; i++) /* without a branch each */
    damaged |= (e[i].task >= n_tasks) | ((e[i].peer >= n_tasks) & (e[i].peer != TRACE_NONE))
               | ((e[i].object >= n_objects) & (e[i].object != TRACE_NONE)) | (e[i].kind >= s->source.n_kinds)
               | (i > 0 && e[i].date < e[i - 1].date);
  return !damaged;
}

/* Tasks as they stand, not as they came. */
static void
converted_renumber (TraceEvent *e, uint32_t n, const uint32_t *order)
{
  for (uint32_t i = 0; i < n; i++) {
    e[i].task = order[e[i].task];
    if (e[i].peer != TRACE_NONE)
      e[i].peer = order[e[i].peer];
  }
}

/* A block as the file has it; false: damaged. */
static bool
converted_read_block (Converted *s, uint32_t block, TraceEvent *e)
{
  const Block *b = &s->blocks[block];
  size_t bytes;
  const uint8_t *columns = disk_pread (s->events, s->packed, b->bytes, b->at) == (ssize_t) b->bytes
                               ? converted_unpack (s->zstd, s->packed, b->bytes, s->columns, &bytes)
                               : NULL;

  return columns && converted_get_columns (columns, bytes, b->n, e, s->begins[block], s->source.number)
         && e[0].date == b->first && e[b->n - 1].date == b->last && converted_is_sound (s, e, b->n);
}

/* The events of a block; NULL and an error. */
static const TraceEvent *
converted_events_of (Converted *s, uint32_t block, GError **error)
{
  const Block *b = &s->blocks[block];

  if (s->here[0].block == block)
    return s->here[0].events;
  Decoded swap = s->here[1];
  s->here[1] = s->here[0];
  s->here[0] = swap;
  if (swap.block == block)
    return swap.events;
  s->here[0].block = TRACE_NONE;
  if (b->bytes > s->n_packed) {
    s->n_packed = b->bytes;
    s->packed = g_realloc (s->packed, s->n_packed + 8); /* which are read with the last of them */
  }
  TraceEvent *e = s->here[0].events;
  if (!converted_read_block (s, block, e) && !(converted_renew (s) && converted_read_block (s, block, e))) {
    converted_lost (s, error);
    return NULL;
  }
  if (s->order)
    converted_renumber (e, b->n, s->order);
  s->here[0].block = block;
  return e;
}

/* The block that an event is in. */
static uint32_t
converted_block_of (const Converted *s, uint64_t number)
{
  uint32_t low = 0, high = s->n_blocks;

  while (low + 1 < high) {
    uint32_t middle = low + (high - low) / 2;
    *(s->begins[middle] <= number ? &low : &high) = middle;
  }
  return low;
}

size_t
converted_peek (TraceSource *source, const TraceEvent **events, GError **error)
{
  Converted *s = (Converted *) source;

  if (s->at >= source->n_events)
    return 0;
  uint32_t block = converted_block_of (s, s->at);
  const TraceEvent *e = converted_events_of (s, block, error);
  if (!e)
    return 0;
  *events = e + (s->at - s->begins[block]);
  return (size_t) (s->begins[block + 1] - s->at);
}

size_t
converted_next (TraceSource *source, TraceEvent *events, size_t max, GError **error)
{
  Converted *s = (Converted *) source;
  const TraceEvent *e;
  size_t n = converted_peek (source, &e, error);

  n = MIN (n, max);
  if (n > 0 && events)
    memcpy (events, e, n * sizeof *events);
  s->at += n;
  return n;
}

size_t
converted_previous (TraceSource *source, TraceEvent *events, size_t max, GError **error)
{
  Converted *s = (Converted *) source;
  size_t n = 0;

  while (n < max && s->at > 0) {
    uint32_t block = converted_block_of (s, s->at - 1);
    const TraceEvent *e = converted_events_of (s, block, error);
    if (!e)
      break;
    for (; n < max && s->at > s->begins[block]; s->at--)
      events[n++] = e[s->at - 1 - s->begins[block]];
  }
  return n;
}

bool
converted_seek (TraceSource *source, int64_t date, GError **error)
{
  Converted *s = (Converted *) source;
  uint32_t low = 0, high = s->n_blocks; /* the first block whose last date is not before */

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->blocks[middle].last < date)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == s->n_blocks) {
    s->at = source->n_events;
    return true;
  }
  const TraceEvent *e = converted_events_of (s, low, error);
  if (!e)
    return false;
  uint32_t from = 0, to = s->blocks[low].n;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (e[middle].date < date)
      from = middle + 1;
    else
      to = middle;
  }
  s->at = s->begins[low] + from;
  return true;
}

void
converted_rewind (TraceSource *source)
{
  ((Converted *) source)->at = 0;
}

void
converted_save (TraceSource *source, EveBlob *to)
{
  const Converted *s = (const Converted *) source;

  eve_put_int (to, (int64_t) source->n_events);
  eve_put_int (to, source->first);
  eve_put_int (to, source->last);
  eve_put_int (to, (int64_t) s->at);
}

bool
converted_load (TraceSource *source, EveBlobView *from)
{
  Converted *s = (Converted *) source;
  int64_t n = eve_get_int (from), first = eve_get_int (from), last = eve_get_int (from), at = eve_get_int (from);

  if (!eve_get_ok (from) || n != (int64_t) source->n_events || first != source->first || last != source->last || at < 0
      || at > n)
    return false;
  s->at = (uint64_t) at;
  return true;
}

/* ---- values behind events ------------------------------------------------------------------------------------------------------ */

static bool
converted_get_varint (const uint8_t **at, const uint8_t *end, uint64_t *v)
{
  *v = 0;
  for (int shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    *v |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

/* At least n bytes of what lies behind an event, or to the end of the file. */
static bool
read_behind (Converted *s, uint64_t record, size_t n)
{
  if (s->behind_of == record && s->behind->len >= n)
    return true;
  s->behind_of = record;
  g_byte_array_set_size (s->behind, (guint) n);
  ssize_t got = value_parts_read (&s->values, s->behind->data, n, record);
  if (G_UNLIKELY (got < 0) && (converted_renew (s) || converted_lost (s, NULL)))
    got = value_parts_read (&s->values, s->behind->data, n, record);
  g_byte_array_set_size (s->behind, got > 0 ? (guint) got : 0);
  return got > 0;
}

static bool
get_list (Converted *s, uint64_t n, const uint8_t **at, const uint8_t *end, uint32_t bound, const uint32_t *order)
{
  uint64_t v;

  g_array_set_size (s->list, 0);
  for (; n > 0; n--) {
    if (!converted_get_varint (at, end, &v))
      return false;
    if (v >= bound)
      continue;
    uint32_t index = order ? order[v] : (uint32_t) v;
    g_array_append_val (s->list, index);
  }
  return true;
}

/* The value at *at, which goes on behind it.  False: it is not all there. */
static bool
get_value (Converted *s, TraceRole role, const uint8_t **at, const uint8_t *end, TraceValue *value)
{
  uint8_t type = *at < end ? *(*at)++ : 0;
  bool tasks = role != TRACE_ROLE_OBJECTS;
  uint64_t v;

  *value = (TraceValue){ .kind = TRACE_VALUE_NONE };
  switch (type) {
  case '-':
    return true;
  case 'i':
    if (!converted_get_varint (at, end, &v))
      return false;
    *value = (TraceValue){ .kind = TRACE_VALUE_INT, .i = (int64_t) (v >> 1 ^ (0 - (v & 1))) };
    if (role == TRACE_ROLE_TASK) {
      value->kind = value->i >= 0 && value->i < s->source.tasks->len ? TRACE_VALUE_TASK : TRACE_VALUE_NONE;
      if (s->order && value->kind == TRACE_VALUE_TASK)
        value->i = s->order[value->i];
    }
    return true;
  case 'r':
    if (end - *at < 8)
      return false;
    v = bytes_get64 (*at);
    *at += 8;
    value->kind = TRACE_VALUE_REAL;
    memcpy (&value->real, &v, sizeof v);
    return true;
  case 't':
    if (!converted_get_varint (at, end, &v) || v > MOST_TEXT || (uint64_t) (end - *at) < v)
      return false;
    g_free (s->text);
    s->text = g_utf8_make_valid ((const char *) *at, (gssize) v);
    *at += v;
    *value = (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = s->text };
    return true;
  case 'l':
    if (!converted_get_varint (at, end, &v) || v > MOST_TEXT
        || !get_list (s, v, at, end, tasks ? s->source.tasks->len : s->source.objects->len, tasks ? s->order : NULL))
      return false;
    *value = (TraceValue){ .kind = tasks ? TRACE_VALUE_TASKS : TRACE_VALUE_OBJECTS,
                           .tasks = (const uint32_t *) (const void *) s->list->data,
                           .n_tasks = s->list->len };
    return true;
  default:
    return false;
  }
}

static TraceValue
value_behind (Converted *s, const TraceEvent *e, uint32_t field)
{
  const TraceKind *k = &s->source.kinds[e->kind];
  TraceValue v = { .kind = TRACE_VALUE_NONE };

  if (e->record & NO_VALUES)
    return v;
  for (size_t room = 512; room <= 4 * DISK_MIB; room *= 8) {
    if (!read_behind (s, e->record, room))
      return v;
    const uint8_t *at = s->behind->data, *end = at + s->behind->len;
    bool ok = true;
    for (uint32_t i = 0; i <= field && ok; i++)
      if (converted_is_behind (k->fields[i].role))
        ok = get_value (s, k->fields[i].role, &at, end, &v);
    if (ok)
      return v;
    if (s->behind->len < room)
      break;
  }
  return (TraceValue){ .kind = TRACE_VALUE_NONE };
}

static TraceValue
converted_whole (bool there, int64_t v)
{
  return (TraceValue){ .kind = there ? TRACE_VALUE_INT : TRACE_VALUE_NONE, .i = v };
}

TraceValue
converted_value (TraceSource *source, const TraceEvent *e, uint32_t field)
{
  Converted *s = (Converted *) source;

  switch (source->kinds[e->kind].fields[field].role) {
  case TRACE_ROLE_PEER:
    return (TraceValue){ .kind = e->peer != TRACE_NONE ? TRACE_VALUE_TASK : TRACE_VALUE_NONE, .i = e->peer };
  case TRACE_ROLE_TAG:
    return converted_whole (e->tag != -1, e->tag);
  case TRACE_ROLE_KEY:
    return converted_whole (true, e->tag);
  case TRACE_ROLE_SIZE:
    return converted_whole (!(e->flags & TRACE_REAL), e->size);
  case TRACE_ROLE_RESULT:
    return converted_whole (true, e->result);
  case TRACE_ROLE_VALUE:
    return e->flags & TRACE_REAL ? (TraceValue){ .kind = TRACE_VALUE_REAL, .real = e->real }
                                 : converted_whole (true, e->size);
  case TRACE_ROLE_OBJECT:
  case TRACE_ROLE_REGION:
    return (TraceValue){ .kind = e->object != TRACE_NONE ? TRACE_VALUE_TEXT : TRACE_VALUE_NONE,
                         .text = trace_object_id (source, e->object) };
  case TRACE_ROLE_INT:
  case TRACE_ROLE_WORD:
  case TRACE_ROLE_TASK:
  case TRACE_ROLE_TASKS:
  case TRACE_ROLE_PEERS:
  case TRACE_ROLE_OBJECTS:
    return value_behind (s, e, field);
  }
  return (TraceValue){ .kind = TRACE_VALUE_NONE };
}

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

bool
trace_counts (TraceSource *source, uint64_t *begun, uint64_t *ended, uint64_t *of_tasks)
{
  const Converted *s = source->format->next == converted_next ? (const Converted *) source : NULL;
  size_t n, n_kinds = source->n_kinds, n_tasks = source->tasks->len;
  g_autofree uint8_t *bytes = s && s->folder ? converted_read_small (s->folder, "counts", &n) : NULL;
  uint64_t all = 0;

  if (!bytes || n != 8 * (2 * n_kinds + n_tasks))
    return false;
  const uint8_t *at = bytes + 8;
  for (size_t i = 0; i < 2 * n_kinds; i++)
    all += bytes_get64 (at + 8 * i);
  if (all != source->n_events)
    return false;
  for (size_t i = 0; i < n_kinds; i++, at += 16) {
    begun[i] = bytes_get64 (at);
    ended[i] = bytes_get64 (at + 8);
  }
  for (size_t i = 0; i < n_tasks; i++, at += 8)
    of_tasks[i] = bytes_get64 (at);
  return true;
}

static bool
read_index (Converted *s, const char *folder, uint64_t events_bytes)
{
  size_t n;
  g_autofree uint8_t *bytes = converted_read_small (folder, "index", &n);

  if (!bytes || n % INDEX_BYTES != 0)
    return false;
  s->index_sum = bytes_get64 (bytes);
  s->n_blocks = (uint32_t) (n / INDEX_BYTES);
  s->blocks = g_new (Block, MAX (s->n_blocks, 1));
  s->begins = g_new0 (uint64_t, (gsize) s->n_blocks + 1);
  for (uint32_t i = 0; i < s->n_blocks; i++) {
    const uint8_t *at = bytes + 8 + (size_t) i * INDEX_BYTES;
    Block b = { bytes_get64 (at), bytes_get32 (at + 8), bytes_get32 (at + 12), (int64_t) bytes_get64 (at + 16),
                (int64_t) bytes_get64 (at + 24) };
    s->blocks[i] = b;
    s->begins[i + 1] = s->begins[i] + b.n;
    if (b.n == 0 || b.n > BLOCK_EVENTS || b.bytes > BLOCK_PACKED_BYTES || b.at > events_bytes
        || b.bytes > events_bytes - b.at || b.first > b.last || (i > 0 && b.first < s->blocks[i - 1].last))
      return false;
  }
  return s->begins[s->n_blocks] == s->source.n_events;
}

static bool
read_tables (Converted *s, const char *folder)
{
  size_t n;
  g_autofree uint8_t *bytes = converted_read_small (folder, "tables", &n);

  if (!bytes)
    return false;
  EveBlobView *view = eve_blob_view_new (bytes + 8, n);
  bool ok = converted_get_tables (&s->source, view);
  eve_blob_view_free (view);
  return ok;
}

/* False: it is damaged. */
static bool
read_order (Converted *s, const char *folder)
{
  size_t n;
  g_autofree uint8_t *bytes = converted_read_small (folder, "order", &n); /* of none: tasks stand as they came */

  if (!bytes || n < 8 || bytes_get64 (bytes + 8) != converted_owner (s->index_sum, folder))
    return false;
  s->order = converted_get_order (bytes + 16, n - 8, s->source.tasks->len);
  return s->order || n == 8;
}

/* Opens what is in the cache; `tables`: they must be read too. */
static bool
open_kept (Converted *s, const char *folder, bool tables)
{
  g_autofree char *events = g_build_filename (folder, "events", NULL);
  uint64_t bytes;

  s->folder = g_strdup (folder);
  s->events = disk_open (events, folder, DISK_DATA, &bytes, NULL);
  if (!value_parts_open (&s->values, folder) || s->events < 0 || (tables && !read_tables (s, folder))
      || !read_index (s, folder, bytes) || !read_order (s, folder))
    return false;
  if (s->n_blocks > 0) {
    s->source.first = s->blocks[0].first;
    s->source.last = s->blocks[s->n_blocks - 1].last;
  }
  g_autofree char *used = g_build_filename (folder, "tables", NULL);
  utimensat (AT_FDCWD, used, NULL, AT_SYMLINK_NOFOLLOW);
  return true;
}

/* ---- receives that are dated before their send (early.h) ---- */

#define EARLY_BYTES 16 /* of one: its number and the date of its send */
#define EARLY_HEAD 24  /* a sum of all behind it, whose it is, and of how many queues what is told (TraceMatched) */

static bool
read_early (Converted *s, const char *folder, TraceMatched *matched)
{
  size_t n;
  g_autofree uint8_t *bytes = converted_read_small (folder, "early", &n);
  uint64_t before = 0;

  if (!bytes || n < EARLY_HEAD - 8 || (n - (EARLY_HEAD - 8)) % EARLY_BYTES != 0
      || bytes_get64 (bytes + 8) != converted_owner (s->index_sum, folder))
    return false;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (TraceEarly));
  for (const uint8_t *at = bytes + EARLY_HEAD; at < bytes + 8 + n; at += EARLY_BYTES) {
    const TraceEarly e = { bytes_get64 (at), (int64_t) bytes_get64 (at + 8) };
    bool sent = e.sent >= s->source.first && e.sent <= s->source.last;
    if (e.number < before || e.number >= s->source.n_events || !(sent || e.sent == TRACE_NEVER_SENT))
      return false;
    before = e.number + 1;
    g_array_append_val (all, e);
  }
  s->source.early = g_steal_pointer (&all);
  *matched = (TraceMatched){ (uint32_t) (bytes_get64 (bytes + 16) >> 32), (uint32_t) bytes_get64 (bytes + 16) };
  return true;
}

/* Where that fails they are looked for again the next time. */
static void
keep_early (const Converted *s, const char *folder, const TraceMatched *matched)
{
  g_autofree char *path = g_build_filename (folder, "early", NULL);
  size_t n = (size_t) s->source.early->len * EARLY_BYTES + EARLY_HEAD - 8;
  g_autofree uint8_t *bytes = g_malloc (n + 8);
  unlink (path); /* one that was refused may be longer */
  int fd = disk_open_write (path, NULL);

  for (guint i = 0; i < s->source.early->len; i++) {
    const TraceEarly *e = &g_array_index (s->source.early, TraceEarly, i);
    bytes_put64 (bytes + EARLY_HEAD + (size_t) i * EARLY_BYTES, e->number);
    bytes_put64 (bytes + EARLY_HEAD + 8 + (size_t) i * EARLY_BYTES, (uint64_t) e->sent);
  }
  bytes_put64 (bytes + 16, (uint64_t) matched->cut << 32 | matched->untold);
  bytes_put64 (bytes + 8, converted_owner (s->index_sum, folder));
  bytes_put64 (bytes, bytes_fnv (bytes + 8, n));
  if (fd >= 0 && !disk_pwrite (fd, bytes, n + 8, 0))
    unlink (path);
  if (fd >= 0)
    close (fd);
}

/* Whether there are both sends and receives, without which nothing is early. */
static bool
has_messages (Converted *s)
{
  uint32_t n = s->source.n_kinds;
  g_autofree uint64_t *begun = g_new (uint64_t, MAX (n, 1)), *ended = g_new (uint64_t, MAX (n, 1)),
                      *tasks = g_new (uint64_t, MAX (s->source.tasks->len, 1));
  uint16_t there = 0;

  if (!trace_counts (&s->source, begun, ended, tasks))
    return true;
  for (uint32_t i = 0; i < n; i++)
    there |= begun[i] + ended[i] > 0 ? trace_acts (&s->source.kinds[i]) : 0;
  return there & TRACE_ACT_SEND && there & TRACE_ACT_RECEIVE;
}

static bool
look_for_early (Converted *s, TraceEarlyFinder *f, const TraceProgress *progress, GError **error)
{
  g_autofree char *doing = g_strconcat (_ ("Matching messages of "), s->source.name, NULL);
  GError *why = NULL;
  const TraceEvent *e;
  size_t n;

  s->at = 0;
  for (uint32_t k = 0; (n = converted_peek (&s->source, &e, &why)) > 0; k++) {
    for (size_t i = 0; i < n; i++)
      trace_early_finder_event (f, &e[i], e[i].number);
    s->at += n;
    if (k % 64 == 63 && progress && progress->report
        && !progress->report (progress->arg, doing, (double) s->at / (double) s->source.n_events)) {
      g_set_error (&why, TRACE_ERROR, TRACE_ERROR_CANCELLED, _ ("reading %s was cancelled"), s->source.path);
      break;
    }
  }
  s->at = 0;
  if (why)
    g_propagate_error (error, why);
  return !why;
}

/* False and an error: it was cancelled, or what is kept is damaged. */
static bool
converted_find_early (Converted *s, TraceMatched *matched, const TraceProgress *progress, GError **error)
{
  TraceEarlyFinder *f = trace_early_finder_new (&s->source);
  bool ok = !has_messages (s) || look_for_early (s, f, progress, error);

  if (trace_early_finder_again (f) && ok)
    ok = look_for_early (s, f, progress, error);
  s->source.early = trace_early_finder_free (f, matched);
  return ok;
}

/* Gives s, or NULL and an error, and it is closed then. */
static Converted *
with_early (Converted *s, TraceMatched *matched, const TraceOptions *options, GError **error)
{
  *matched = (TraceMatched){ 0 };
  if (!s || read_early (s, s->folder, matched))
    return s;
  /* they were found while it was converted, and nothing was to be judged, or are found now */
  if (s->source.early || converted_find_early (s, matched, options->progress, error)) {
    keep_early (s, s->folder, matched);
    return s;
  }
  converted_close (&s->source);
  return NULL;
}

static Converted *
new_source (const ConvertedFormat *f, const char *bundle, GError **error)
{
  Converted *s = g_new0 (Converted, 1);
  g_autoptr (GError) why = NULL;

  s->events = s->values.fd = -1;
  s->zstd = ZSTD_createDCtx ();
  s->columns = g_malloc (COLUMNS_BYTES);
  s->behind = g_byte_array_new ();
  s->behind_of = UINT64_MAX;
  s->list = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (int i = 0; i < 2; i++)
    s->here[i] = (Decoded){ g_new0 (TraceEvent, BLOCK_EVENTS), TRACE_NONE };
  s->source.abilities = TRACE_SORTED | TRACE_BACKWARD | TRACE_SEEK | TRACE_LENDS;
  s->source.clock = (TraceClock){ 1000000000, "s" };
  trace_source_setup (&s->source, &f->format, bundle, &why);
  if (why) {
    g_propagate_error (error, g_steal_pointer (&why));
    converted_close (&s->source);
    return NULL;
  }
  return s;
}

/* Strict: nothing may be damaged. */
static bool
is_good_enough (const Converted *s, const TraceOptions *options, GError **error)
{
  const TraceDamage *d = s->source.damage->len ? s->source.damage->pdata[0] : NULL;

  if (!options->strict || !d || s->source.n_damaged == 0)
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s, line %" PRIu64 ": %s"), d->file, d->line, d->reason);
  return false;
}

/* Reads the trace itself, and keeps it. */
static Converted *
open_anew (const ConvertedFormat *f, const char *bundle, const char *path, const char *folder,
           const TraceOptions *options, GError **error)
{
  Converted *s = new_source (f, bundle, error);
  g_autoptr (GError) why = NULL;

  converted_clean (folder);
  if (!s || (converted_make (f, &s->source, path, folder, options, &why) && open_kept (s, folder, false)))
    return s;
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  else
    converted_lost (s, error);
  converted_close (&s->source);
  return NULL;
}

/* Where the trace is with dates as `by` says; g_free. */
static char *
folder_by (const ConvertedFormat *f, const char *folder, TraceClocksBy by)
{
  static const char *const endings[N_TRACE_CLOCKS] = { "", "n", "l", "c" };

  return g_strconcat (folder, by != TRACE_CLOCKS_NONE || f->offsets ? endings[by] : "", NULL);
}

/* Opens what is kept, or makes it from the trace itself, with dates that need no second reading of it. */
static Converted *
converted_open_one (const ConvertedFormat *f, const char *bundle, const char *path, const char *folder,
                    const TraceOptions *options, GError **error)
{
  Converted *s = new_source (f, bundle, error);

  if (s && !open_kept (s, folder, true)) {
    converted_close (&s->source);
    converted_remove (folder); /* damaged, or of an older version: it may not stand in the way of what is made now */
    s = open_anew (f, bundle, path, folder, options, error);
  }
  return s;
}

static void
converted_opened_as (Converted *s, const ConvertedFormat *f, const char *given, TraceClocksBy clocks,
                     const char *reference)
{
  if (!s)
    return;
  s->format = f;
  s->given = g_strdup (given);
  s->reference = g_strdup (reference);
  s->clocks = clocks;
}

/* The same with clocks corrected. */
static Converted *
open_corrected (const ConvertedFormat *f, const char *bundle, const char *path, const char *folder,
                const TraceOptions *options, GError **error)
{
  g_autofree char *own = folder_by (f, folder, options->clocks);
  Converted *s = new_source (f, bundle, error), *plain;
  TraceMatched matched;

  if (!s || open_kept (s, own, true))
    return s;
  converted_close (&s->source);
  converted_remove (own);
  plain = converted_open_one (f, bundle, path, folder, options, error);
  converted_opened_as (plain, f, path, TRACE_CLOCKS_OFFSETS, NULL);
  plain = with_early (plain, &matched, options, error);
  if (!plain) /* whose receives are early is asked where messages are matched */
    return NULL;
  if (!value_parts_are_sound (&plain->values))
    converted_renew (plain);
  bool ok = converted_make_corrected (&plain->source, folder, plain->order, own, options, error);
  converted_close (&plain->source);
  if (!ok || !(s = new_source (f, bundle, error)) || open_kept (s, own, true))
    return ok ? s : NULL;
  converted_lost (s, error);
  converted_close (&s->source);
  return NULL;
}

TraceSource *
converted_open (const ConvertedFormat *f, const char *bundle, const char *given, const TraceOptions *options,
                GError **error)
{
  bool in_folder = !f->folder && g_file_test (given, G_FILE_TEST_IS_DIR);
  g_autofree char *path = in_folder ? converted_file_in (given, error) : g_strdup (given);
  g_autofree char *folder = path ? converted_folder (f, path, error) : NULL;
  Converted *s = NULL;
  TraceMatched matched;

  if (folder && f->references) {
    bool first = !options->reference || !*options->reference;
    g_autofree char *who = first ? NULL : g_compute_checksum_for_string (G_CHECKSUM_SHA256, options->reference, -1);
    g_autofree char *own = first ? g_strdup (folder) : g_strdup_printf ("%sr%.16s", folder, who);
    s = converted_open_one (f, bundle, path, own, options, error);
    if (s)
      s->source.clocks.by = MIN (options->clocks, TRACE_CLOCKS_NONE); /* there are none to be corrected */
  } else if (folder && options->clocks >= TRACE_CLOCKS_LINEAR) {
    s = open_corrected (f, bundle, path, folder, options, error);
  } else if (folder) {
    g_autofree char *own = folder_by (f, folder, options->clocks);
    s = converted_open_one (f, bundle, path, own, options, error);
    if (s)
      s->source.clocks.by = options->clocks;
  }
  converted_opened_as (s, f, given, options->clocks, options->reference);
  s = with_early (s, &matched, options, error);
  if (s)
    trace_matched_tell (&s->source, &matched);
  if (s && !is_good_enough (s, options, error)) {
    converted_close (&s->source);
    s = NULL;
  }
  return s ? &s->source : NULL;
}

void
converted_close (TraceSource *source)
{
  Converted *s = (Converted *) source;

  if (s->events >= 0)
    close (s->events);
  value_parts_close (&s->values);
  converted_free_kinds ((TraceKind *) source->kinds, source->n_kinds);
  ZSTD_freeDCtx (s->zstd);
  g_free (s->here[0].events);
  g_free (s->here[1].events);
  g_free (s->columns);
  g_free (s->packed);
  g_free (s->blocks);
  g_free (s->begins);
  g_free (s->order);
  g_free (s->text);
  g_free (s->given);
  g_free (s->reference);
  g_free (s->folder);
  g_byte_array_unref (s->behind);
  g_array_unref (s->list);
  trace_source_clear (source);
  g_free (s);
}
