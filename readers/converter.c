/* SPDX-License-Identifier: Apache-2.0 */
/* converter.c - what a trace of another program holds, on its way to the cache: events go through the sorter, values
 * that have no room in them into a file beside, tables and the index at the end. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "readers/another.h"
#include "readers/counts.h"
#include "readers/clocks.h"
#include "readers/early.h"
#include "readers/sorter.h"
#include "readers/value-parts.h"

#define WRITE_BYTES (1u << 20)

struct Converter {
  TraceSource *source;
  const TraceOptions *options;
  char *folder, *becomes; /* what it is renamed to when it is whole */
  uint64_t index_sum;
  GError *error; /* the first thing that went wrong */
  GArray *kinds; /* of TraceKind */
  Sorter *sorter;
  TraceEarlyFinder *early; /* sees messages in order as they are written; or NULL */
  int values;              /* file of values behind events */
  uint64_t values_at;
  GByteArray *value_sums;         /* of its parts (value-parts.h) */
  uint8_t *behind;                /* what is not written yet, and last that of the next event */
  size_t n_behind, n_given_of_it; /* bytes of it; those that belong to events that were given */
  size_t room_behind;             /* bytes it has room for */
  uint64_t n_actions;             /* numbers for events that have no values */
  uint64_t n_given;               /* events, and places that were taken */
  TraceEvent *ends;               /* of nested actions, that wait */
  uint32_t n_ends;
  uint64_t *of_kinds, *of_tasks; /* how many events were given: of a kind those that begin and, behind it, that end */
  uint32_t n_of_kinds, n_of_tasks;
  uint8_t tells[UINT16_MAX + 1]; /* by kind: TELLS_ what of a task its events tell; */
  uint8_t *told;                 /* and what was told of which task, of n_of_tasks */
  uint32_t *given_order;         /* the other way round, of events that are given again */
  uint32_t *order;               /* by the number that a task is given in events, the one that it has; NULL: the same */
  gint64 asked_us;               /* whether the person goes on waiting */
};

static bool
converter_refuse (Converter *c, const char *what)
{
  int why = errno; /* before anything else is called */

  if (!c->error)
    g_set_error (&c->error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("%s: %s cannot be written to the cache, %s: %s (XDG_CACHE_HOME says where the cache is)"),
                 c->source->path, what, c->folder, g_strerror (why));
  return false;
}

/* Closing may fail too, and the first reason is the one to tell. */
static void
shut (int fd)
{
  int why = errno;

  if (fd >= 0)
    close (fd);
  errno = why;
}

/* ---- what `convert` gives --------------------------------------------------------------------------------------------------- */

TraceSource *
converter_source (Converter *c)
{
  return c->source;
}

bool
converter_uses_offsets (const Converter *c)
{
  return c->options->clocks != TRACE_CLOCKS_NONE;
}

const char *
converter_reference (const Converter *c)
{
  return c->options->reference ? c->options->reference : "";
}

enum { TELLS_STATES = 1, TELLS_DOING = 2 };

static uint8_t
converter_tells (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);
  bool states = acts & (TRACE_ACT_CALL | TRACE_ACT_ENTER)
                || (acts & TRACE_ACT_SET && !trace_kind_has (k, TRACE_ROLE_VALUE));

  return (uint8_t) ((states ? TELLS_STATES : 0) | (trace_count_of_kind (k) ? TELLS_DOING : 0));
}

uint32_t
converter_kind (Converter *c, const TraceKind *k)
{
  TraceKind copy;

  if (c->kinds->len >= UINT16_MAX)
    return UINT32_MAX;
  copy = converted_copy_kind (k);
  g_array_append_val (c->kinds, copy);
  if (c->early)
    trace_early_finder_kind (c->early, c->kinds->len - 1, &copy);
  c->source->kinds = (const TraceKind *) (const void *) c->kinds->data;
  c->source->n_kinds = c->kinds->len;
  c->tells[c->kinds->len - 1] = converter_tells (&copy);
  return c->kinds->len - 1;
}

bool
converter_progress (Converter *c, double share, GError **error)
{
  const TraceProgress *p = c->options->progress;
  gint64 now = c->error || !p || !p->report ? 0 : g_get_monotonic_time ();

  if (now - c->asked_us >= 50000) {
    g_autofree char *doing = g_strconcat (share < 0 ? _ ("Sorting ") : _ ("Reading "), c->source->name, NULL);
    c->asked_us = now;
    if (!p->report (p->arg, doing, share < 0 ? 1 : share))
      g_set_error (&c->error, TRACE_ERROR, TRACE_ERROR_CANCELLED, _ ("reading %s was cancelled"), c->source->path);
  }
  if (c->error && error && !*error)
    *error = g_error_copy (c->error);
  return !c->error;
}

/* Where so many bytes may be written, which are then counted by n_behind. */
static inline uint8_t *
converter_behind (Converter *c, size_t n)
{
  if (G_UNLIKELY (c->room_behind - c->n_behind < n)) {
    c->room_behind = MAX (2 * c->room_behind, c->n_behind + n + WRITE_BYTES / 4);
    c->behind = g_realloc (c->behind, c->room_behind);
  }
  return c->behind + c->n_behind;
}

#define VARINT_BYTES 10

static inline uint8_t *
put_varint (uint8_t *to, uint64_t v)
{
  for (; v >= 0x80; v >>= 7)
    *to++ = (uint8_t) (v | 0x80);
  *to++ = (uint8_t) v;
  return to;
}

static inline void
put_typed (Converter *c, char type, uint64_t v)
{
  uint8_t *to = converter_behind (c, 1 + VARINT_BYTES);

  *to = (uint8_t) type;
  c->n_behind = (size_t) (put_varint (to + 1, v) - c->behind);
}

void
converter_int (Converter *c, int64_t v)
{
  put_typed (c, 'i', (uint64_t) v << 1 ^ (uint64_t) (v >> 63));
}

void
converter_real (Converter *c, double v)
{
  uint8_t *to = converter_behind (c, 9);
  uint64_t bits;

  memcpy (&bits, &v, sizeof bits);
  *to = 'r';
  bytes_put64 (to + 1, bits);
  c->n_behind += 9;
}

void
converter_text (Converter *c, const char *v, size_t n)
{
  n = MIN (n, MOST_TEXT);
  put_typed (c, 't', n);
  if (n > 0)
    memcpy (converter_behind (c, n), v, n);
  c->n_behind += n;
}

void
converter_list (Converter *c, const uint32_t *v, uint32_t n)
{
  n = MIN (n, MOST_TEXT);
  put_typed (c, 'l', n);
  uint8_t *to = converter_behind (c, (size_t) n * VARINT_BYTES);
  for (uint32_t i = 0; i < n; i++)
    to = put_varint (to, v[i]);
  c->n_behind = (size_t) (to - c->behind);
}

void
converter_none (Converter *c)
{
  *converter_behind (c, 1) = '-';
  c->n_behind++;
}

/* Parts that are whole; `all`: the last one too. */
static bool
flush_values (Converter *c, bool all)
{
  size_t n = all ? c->n_given_of_it : c->n_given_of_it - c->n_given_of_it % VALUE_PART;

  if (n == 0 || c->error)
    return !c->error;
  if (!disk_pwrite (c->values, c->behind, n, c->values_at))
    return converter_refuse (c, _ ("a value"));
  for (size_t at = 0; at < n; at += VALUE_PART) {
    uint8_t sum[8];
    bytes_put64 (sum, converted_sum (c->behind + at, MIN (n - at, VALUE_PART)));
    g_byte_array_append (c->value_sums, sum, sizeof sum);
  }
  c->values_at += n;
  c->n_behind -= n;
  memmove (c->behind, c->behind + n, c->n_behind);
  c->n_given_of_it -= n;
  return true;
}

/* Where the values of the next event are, or a number that is like no other. */
static uint64_t
converter_take_record (Converter *c)
{
  if (c->n_behind == c->n_given_of_it)
    return NO_VALUES | c->n_actions++;
  uint64_t record = c->values_at + c->n_given_of_it;
  c->n_given_of_it = c->n_behind;
  if (c->n_given_of_it >= WRITE_BYTES)
    flush_values (c, false);
  return record;
}

TraceEvent *
converter_room (Converter *c)
{
  return sorter_room (c->sorter);
}

/* As many numbers as are asked for, the new ones 0. */
static void
converter_grow (uint64_t **numbers, uint32_t *n, uint32_t least)
{
  uint32_t more = MAX (least, MIN (*n, UINT32_MAX / 2) * 2);

  *numbers = g_renew (uint64_t, *numbers, more);
  memset (*numbers + *n, 0, (size_t) (more - *n) * sizeof **numbers);
  *n = more;
}

static inline void
converter_count (Converter *c, const TraceEvent *e)
{
  uint32_t kind = 2 * (uint32_t) e->kind + !!(e->flags & TRACE_END);

  if (G_UNLIKELY (kind >= c->n_of_kinds))
    converter_grow (&c->of_kinds, &c->n_of_kinds, kind + 1);
  if (G_UNLIKELY (e->task >= c->n_of_tasks && e->task < c->source->tasks->len)) {
    uint32_t before = c->n_of_tasks;
    converter_grow (&c->of_tasks, &c->n_of_tasks, e->task + 1);
    c->told = g_renew (uint8_t, c->told, c->n_of_tasks);
    memset (c->told + before, 0, c->n_of_tasks - before);
  }
  c->of_kinds[kind]++;
  if (G_LIKELY (e->task < c->n_of_tasks)) {
    c->of_tasks[e->task]++;
    c->told[e->task] |= c->tells[e->kind];
  }
}

/* An event into its place, where it is changed: what is written in parts, copied at once and changed again costs more
 * than all else of it. */
static inline TraceEvent *
copied (Converter *c, const TraceEvent *e)
{
  TraceEvent *to = sorter_room (c->sorter);

  if (to != e)
    *to = *e;
  return to;
}

static inline bool
converter_put_event (Converter *c, TraceEvent *in_place, uint64_t record, uint64_t order)
{
  in_place->record = TRACE_RECORD (record);
  in_place->number = order;
  c->source->n_events++;
  c->source->n_records += !(in_place->flags & TRACE_END);
  converter_count (c, in_place);
  return sorter_put (c->sorter, in_place->date, order) || converter_refuse (c, _ ("an event"));
}

bool
converter_event (Converter *c, const TraceEvent *e)
{
  uint64_t order = c->n_given++;

  return !c->error && converter_put_event (c, copied (c, e), converter_take_record (c), order);
}

TraceEvent *
converter_rooms (Converter *c, uint32_t *n)
{
  TraceEvent *room = sorter_room (c->sorter);

  *n = MIN (*n, sorter_rooms (c->sorter));
  return room;
}

bool
converter_events (Converter *c, uint32_t n)
{
  bool ok = !c->error;

  for (uint32_t i = 0; i < n && ok; i++)
    ok = converter_put_event (c, sorter_room (c->sorter), NO_VALUES | c->n_actions++, c->n_given++);
  return ok;
}

/* Places count from here; what comes first of its date has one before. */
#define FIRST_PLACE (UINT64_C (1) << 35)

bool
converter_event_first (Converter *c, const TraceEvent *e)
{
  uint64_t order = c->n_given++ - FIRST_PLACE;

  return !c->error && converter_put_event (c, copied (c, e), converter_take_record (c), order);
}

uint64_t
converter_place (Converter *c)
{
  return c->n_given++;
}

bool
converter_event_at (Converter *c, const TraceEvent *e, uint64_t place)
{
  return !c->error && converter_put_event (c, copied (c, e), converter_take_record (c), place);
}

uint64_t
converter_values (Converter *c)
{
  return converter_take_record (c);
}

bool
converter_event_with (Converter *c, const TraceEvent *e, uint64_t values)
{
  return !c->error && converter_put_event (c, copied (c, e), values, c->n_given++);
}

uint64_t
converter_begin (Converter *c, const TraceEvent *e)
{
  uint64_t record = converter_take_record (c);

  if (c->error)
    return record;
  TraceEvent *begin = copied (c, e);
  begin->duration = 0;
  begin->flags |= TRACE_OPEN;
  converter_put_event (c, begin, record, c->n_given++);
  return record;
}

/* The end of an action whose events have `flags`. */
static bool
converter_put_end (Converter *c, const TraceEvent *e, uint64_t begun, int64_t begin, int64_t end, uint8_t flags)
{
  if (c->error)
    return false;
  TraceEvent *last = copied (c, e);
  last->date = end;
  last->duration = end >= begin ? end - begin : 0;
  last->flags = flags | TRACE_END;
  return converter_put_event (c, last, begun, c->n_given++);
}

bool
converter_end (Converter *c, const TraceEvent *e, uint64_t begun, int64_t begin, int64_t end)
{
  return converter_put_end (c, e, begun, begin, end, e->flags);
}

bool
converter_action (Converter *c, const TraceEvent *e, int64_t end)
{
  uint64_t record = converter_take_record (c);

  end = MAX (end, e->date);
  if (c->error)
    return false;
  TraceEvent *begin = copied (c, e);
  begin->duration = end - begin->date;
  int64_t date = begin->date;
  const uint8_t flags = begin->flags;
  return converter_put_event (c, begin, record, c->n_given++) && converter_put_end (c, e, record, date, end, flags);
}

#define MOST_ENDS 4096
/* Behind every place: of what begins together first what has no end, then the longer ones.  Of what is as long the
 * sorter keeps the order in which it comes, as of all that is alike. */
#define NESTED_UNFINISHED (UINT64_C (1) << 62)
#define NESTED_LONGEST (UINT64_C (1) << 63)

static uint64_t
nested_order (int64_t duration)
{
  return NESTED_LONGEST + (uint64_t) (INT64_MAX - duration);
}

static inline bool
ends_before (int64_t date, uint64_t number, const TraceEvent *b)
{
  return date < b->date || (date == b->date && number < b->number);
}

/* Ends wait, the earliest first, as a heap, until nothing earlier is likely to come: so nearly nothing is left to sort.
 * Gives where the next one is to be written. */
static TraceEvent *
room_for_end (Converter *c, int64_t date, uint64_t number)
{
  uint32_t at = c->n_ends++;

  if (!c->ends)
    c->ends = g_new (TraceEvent, MOST_ENDS);
  for (; at > 0 && ends_before (date, number, &c->ends[(at - 1) / 2]); at = (at - 1) / 2)
    c->ends[at] = c->ends[(at - 1) / 2];
  return &c->ends[at];
}

/* Gives those that are not after a date, and so many that no more than `most` are left. */
static bool
converter_give_ends (Converter *c, int64_t date, uint32_t most)
{
  bool ok = !c->error;

  while (ok && c->n_ends > 0 && (c->ends[0].date <= date || c->n_ends > most)) {
    TraceEvent *first = copied (c, &c->ends[0]);
    const TraceEvent *last = &c->ends[--c->n_ends];
    uint32_t at = 0, least;
    for (; (least = 2 * at + 1) < c->n_ends; at = least) {
      least += least + 1 < c->n_ends
               && ends_before (c->ends[least + 1].date, c->ends[least + 1].number, &c->ends[least]);
      if (!ends_before (c->ends[least].date, c->ends[least].number, last))
        break;
      c->ends[at] = c->ends[least];
    }
    c->ends[at] = *last;
    ok = converter_put_event (c, first, first->record, first->number);
  }
  return ok;
}

bool
converter_nested (Converter *c, const TraceEvent *e, int64_t end)
{
  uint64_t record = converter_take_record (c);
  bool ends = !(e->flags & TRACE_UNFINISHED);
  int64_t duration = 0;

  if (ends && end > e->date && __builtin_sub_overflow (end, e->date, &duration))
    duration = INT64_MAX;
  uint64_t order = ends ? nested_order (duration) : NESTED_UNFINISHED;

  end = MAX (end, e->date);
  if (!converter_give_ends (c, e->date, MOST_ENDS - 1))
    return false;
  TraceEvent *begin = copied (c, e);
  begin->duration = duration;
  if (!converter_put_event (c, begin, record, order))
    return false;
  uint64_t number = end > e->date ? c->n_given++ : order; /* what lasts no time ends behind its begin */
  if (ends) {
    TraceEvent *last = room_for_end (c, end, number);
    *last = *e;
    last->date = end;
    last->duration = duration;
    last->flags |= TRACE_END;
    last->record = TRACE_RECORD (record);
    last->number = number;
  }
  return true;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool
write_small (Converter *c, const char *name, const void *bytes, size_t n)
{
  g_autofree char *path = g_build_filename (c->folder, name, NULL);
  uint8_t sum[8];
  int fd = disk_open_write (path, NULL);

  bytes_put64 (sum, bytes_fnv (bytes, n));
  bool ok = fd >= 0 && disk_pwrite (fd, sum, sizeof sum, 0) && disk_pwrite (fd, bytes, n, sizeof sum);
  shut (fd);
  return ok || converter_refuse (c, name);
}

static bool
converter_write_index (Converter *c)
{
  const GArray *blocks = sorter_blocks (c->sorter);
  guint n = blocks ? blocks->len : 0;
  g_autofree uint8_t *bytes = g_malloc ((gsize) n * INDEX_BYTES + 1);

  for (guint i = 0; i < n; i++) {
    const Block *b = &g_array_index (blocks, Block, i);
    uint8_t *at = bytes + (gsize) i * INDEX_BYTES;
    bytes_put64 (at, b->at);
    bytes_put32 (at + 8, b->bytes);
    bytes_put32 (at + 12, b->n);
    bytes_put64 (at + 16, (uint64_t) b->first);
    bytes_put64 (at + 24, (uint64_t) b->last);
  }
  if (n > 0) {
    c->source->first = g_array_index (blocks, Block, 0).first;
    c->source->last = g_array_index (blocks, Block, n - 1).last;
  }
  c->index_sum = bytes_fnv (bytes, (gsize) n * INDEX_BYTES);
  return write_small (c, "index", bytes, (gsize) n * INDEX_BYTES);
}

static bool
write_tables (Converter *c)
{
  EveBlob *blob = eve_blob_new ();
  size_t n;

  converted_put_tables (c->source, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  bool ok = write_small (c, "tables", bytes, n);
  eve_blob_free (blob);
  return ok;
}

/* Of a task, as counts.h has it. */
static uint64_t
counted_of_task (const Converter *c, uint32_t task)
{
  return task < c->n_of_tasks ? c->of_tasks[task] | (c->told[task] & TELLS_DOING ? TRACE_COUNT_DOES : 0) : 0;
}

/* How many events are of each kind, and of each task: who asks for no more need not read them. */
static bool
write_counts (Converter *c)
{
  uint32_t n_kinds = 2 * c->source->n_kinds, n_tasks = c->source->tasks->len;
  g_autofree uint8_t *bytes = g_malloc (((size_t) n_kinds + n_tasks) * 8 + 1);
  uint8_t *at = bytes;

  for (uint32_t i = 0; i < n_kinds; i++, at += 8)
    bytes_put64 (at, i < c->n_of_kinds ? c->of_kinds[i] : 0);
  for (uint32_t i = 0; i < n_tasks; i++)
    bytes_put64 (at + 8 * (size_t) (c->order ? c->order[i] : i), counted_of_task (c, i));
  at += 8 * (size_t) n_tasks;
  return write_small (c, "counts", bytes, (size_t) (at - bytes));
}

/* Tasks that are told of once more (another.h).  What is set already stays: with other dates it is the same. */
static bool
find_once_more (Converter *c)
{
  const TraceSource *s = c->source;
  g_autofree bool *acts = g_new0 (bool, (gsize) s->tasks->len + 1), *inside = g_new0 (bool, (gsize) s->tasks->len + 1);

  for (uint32_t i = 0; i < MIN (c->n_of_tasks, s->tasks->len); i++)
    acts[c->order ? c->order[i] : i] = c->told[i] & TELLS_STATES;
  for (uint32_t i = 0; i < s->tasks->len; i++) {
    TraceTask *t = trace_task (s, i);
    t->once_more |= trace_task_is_named_after (s, i) && acts[t->parent];
    if (t->parent < i && acts[i] && !trace_task_is_under_way (s, i))
      inside[t->parent] = true;
  }
  for (uint32_t i = 0; i < s->tasks->len; i++) {
    TraceTask *t = trace_task (s, i);
    t->once_more |= t->parent < i && inside[t->parent] && trace_task_is_under_way (s, i);
  }
  return true;
}

void
converter_order_tasks (Converter *c, const int64_t *wanted)
{
  c->order = converted_order (c->source, wanted);
  if (c->order)
    converted_reorder (c->source, c->order);
}

static bool
converter_write_order (Converter *c)
{
  size_t n = c->order ? (size_t) c->source->tasks->len * 4 : 0;
  g_autofree uint8_t *order = converted_put_order (c->order, (uint32_t) (n / 4)), *bytes = g_malloc (n + 8);

  bytes_put64 (bytes, converted_owner (c->index_sum, c->becomes));
  memcpy (bytes + 8, order, n);
  return write_small (c, "order", bytes, n + 8);
}

static bool
converter_goes_on (void *c)
{
  return converter_progress (c, -1, NULL);
}

/* ---- receives that are dated before their send (early.h) ---- */

static void
see_message (void *early, const TraceEvent *e, uint64_t number)
{
  trace_early_finder_event (early, e, number);
}

static void
watch_messages (Converter *c)
{
  c->early = trace_early_finder_growing ();
  sorter_watch (c->sorter, (Watch){ trace_early_finder_wants (c->early), see_message, c->early });
}

/* Ends the sorter, and with it the threads that see messages.  Where not all were seen, the source does not know which
 * are early, and they are looked for in what was written. */
static void
end_sorting (Converter *c, bool ok)
{
  bool all = ok && c->early && sorter_watched (c->sorter) && trace_early_finder_holds (c->early, c->source);

  sorter_free (c->sorter);
  GArray *early = c->early ? trace_early_finder_free (c->early, NULL) : NULL;
  if (all)
    c->source->early = g_steal_pointer (&early);
  g_clear_pointer (&early, g_array_unref);
}

/* What is left of them, and their sums.  With other dates they are those that are there. */
static bool
write_values (Converter *c)
{
  return !c->value_sums || (flush_values (c, true) && write_small (c, "sums", c->value_sums->data, c->value_sums->len));
}

static bool
converter_finish (Converter *c)
{
  return converter_give_ends (c, INT64_MAX, 0) && find_once_more (c)
         && (sorter_finish (c->sorter, converter_goes_on, c) || c->error || converter_refuse (c, _ ("an event")))
         && !c->error && write_values (c) && converter_write_index (c) && write_counts (c) && converter_write_order (c)
         && write_tables (c);
}

bool
converted_make (const ConvertedFormat *f, TraceSource *s, const char *path, const char *folder,
                const TraceOptions *options, GError **error)
{
  Converter c = { .source = s, .options = options, .values = -1, .n_given = FIRST_PLACE };
  g_autoptr (GError) why = NULL;

  c.becomes = g_strdup (folder);
  c.folder = g_strdup_printf ("%s.new-%ld", folder, (long) getpid ());
  converted_remove (c.folder);
  if (g_mkdir_with_parents (c.folder, 0700) != 0)
    converter_refuse (&c, _ ("a folder"));
  c.kinds = g_array_new (FALSE, FALSE, sizeof (TraceKind));
  g_autofree char *values = g_build_filename (c.folder, "values", NULL);
  c.values = disk_open_write (values, NULL);
  c.value_sums = g_byte_array_new ();
  if (c.values < 0 && !c.error)
    converter_refuse (&c, "anything");
  c.sorter = sorter_new (c.folder);
  watch_messages (&c);
  bool ok = !c.error && f->convert (&c, path, &why) && !c.error;
  if (ok) {
    trace_source_judge_colours (s);
    ok = converter_finish (&c);
    if (ok && g_rename (c.folder, folder) != 0 && errno != ENOTEMPTY && errno != EEXIST)
      ok = converter_refuse (&c, _ ("a folder")); /* else another process was quicker, and what it has is the same */
  }
  if (!ok)
    g_propagate_error (error, c.error ? g_steal_pointer (&c.error) : g_steal_pointer (&why));
  converted_remove (c.folder);
  /* the kinds are the source's from now on */
  s->n_kinds = c.kinds->len;
  s->kinds = (TraceKind *) (void *) g_array_free (c.kinds, FALSE);
  if (c.values >= 0)
    close (c.values);
  g_byte_array_unref (c.value_sums);
  g_clear_error (&c.error);
  end_sorting (&c, ok);
  g_free (c.behind);
  g_free (c.ends);
  g_free (c.of_kinds);
  g_free (c.of_tasks);
  g_free (c.told);
  g_free (c.order);
  g_free (c.given_order);
  g_free (c.becomes);
  g_free (c.folder);
  return ok;
}

/* ---- the same trace with other dates ------------------------------------------------------------------------------------- */

static bool
put_corrected (void *to, const TraceEvent *e)
{
  Converter *c = to;
  TraceEvent *in_place = copied (c, e);

  if (c->given_order) { /* as values behind events have them, which stay where they are */
    in_place->task = c->given_order[e->task];
    in_place->peer = e->peer != TRACE_NONE ? c->given_order[e->peer] : TRACE_NONE;
  }
  converter_count (c, in_place);
  return !c->error && (sorter_put (c->sorter, e->date, e->number) || converter_refuse (c, _ ("an event")));
}

/* Tasks are in the order that they had; NULL: in which they came. */
static void
take_order (Converter *c, const uint32_t *order)
{
  uint32_t n = c->source->tasks->len;

  c->order = order ? g_memdup2 (order, n * sizeof *order) : NULL;
  c->given_order = order ? g_new (uint32_t, (gsize) n + 1) : NULL;
  for (uint32_t i = 0; order && i < n; i++)
    c->given_order[order[i]] = i;
}

/* Values behind events are the same, at the same places, and so are their sums. */
static bool
copy_values (Converter *c, const char *from, const char *name)
{
  g_autofree char *old = g_build_filename (from, name, NULL), *new = g_build_filename (c->folder, name, NULL);
  g_autofree uint8_t *bytes = g_malloc (WRITE_BYTES);
  uint64_t at = 0;
  ssize_t n;

  if (link (old, new) == 0)
    return true;
  int in = disk_open (old, from, DISK_DATA, NULL, NULL), out = disk_open_write (new, NULL);
  bool ok = in >= 0 && out >= 0;
  for (; ok && (n = disk_pread (in, bytes, WRITE_BYTES, at)) != 0; at += (uint64_t) n)
    ok = n > 0 && disk_pwrite (out, bytes, (size_t) n, at);
  shut (in);
  shut (out);
  return ok || converter_refuse (c, name);
}

bool
converted_make_corrected (TraceSource *s, const char *from, const uint32_t *order, const char *folder,
                          const TraceOptions *options, GError **error)
{
  Converter c = { .source = s, .options = options, .values = -1 };
  g_autoptr (GError) why = NULL;

  c.becomes = g_strdup (folder);
  c.folder = g_strdup_printf ("%s.new-%ld", folder, (long) getpid ());
  converted_remove (c.folder);
  if (g_mkdir_with_parents (c.folder, 0700) != 0)
    converter_refuse (&c, _ ("a folder"));
  c.sorter = sorter_new (c.folder);
  take_order (&c, order);
  bool ok = !c.error && copy_values (&c, from, "values") && copy_values (&c, from, "sums")
            && clocks_correct (s, options->clocks, put_corrected, converter_goes_on, &c, &why) && converter_finish (&c);
  if (ok && g_rename (c.folder, folder) != 0 && errno != ENOTEMPTY && errno != EEXIST)
    ok = converter_refuse (&c, _ ("a folder"));
  if (!ok)
    g_propagate_error (error, c.error ? g_steal_pointer (&c.error) : g_steal_pointer (&why));
  converted_remove (c.folder);
  g_clear_error (&c.error);
  end_sorting (&c, ok);
  g_free (c.behind);
  g_free (c.of_kinds);
  g_free (c.of_tasks);
  g_free (c.told);
  g_free (c.order);
  g_free (c.given_order);
  g_free (c.becomes);
  g_free (c.folder);
  return ok;
}
