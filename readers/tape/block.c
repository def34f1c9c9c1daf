/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - one block of one task -> events.  It is read whole, every event in it is checked, and what is damaged is
 * left out: one event if its chain holds, else what lies between the place where the chain from the head breaks and the
 * place where the chain from the tail does. */
#include <errno.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/tape/tape.h"

typedef struct Load {
  TapeReader *r;
  TapeBlockRef *ref;
  const TapeKinds *kinds;
  const uint8_t *bytes; /* of the block */
  TraceEvent *to;
  uint32_t n, lost, most; /* room for most */
  int64_t date;           /* of the event before, or the least there may be */
} Load;

/* Told once for each block, however often it is read. */
static void __attribute__ ((format (printf, 3, 4))) block_damage (Load *l, uint64_t offset, const char *fmt, ...)
{
  va_list args;

  l->lost++;
  if (l->ref->told)
    return;
  va_start (args, fmt);
  g_autofree char *reason = g_strdup_vprintf (fmt, args);
  va_end (args);
  trace_source_damage (&l->r->base, "events", 0, l->ref->at + offset, "%s", reason);
}

/* The task at the other end of a link; false: this task does not use it. */
static inline bool
link_fits (const TapeReader *r, const TapeTypeInfo *t, uint32_t task, int64_t number, TraceEvent *e)
{
  if (G_UNLIKELY (number < 0 || number >= r->topology.links->len))
    return number == -1 && t->to && t->phase == TAPE_END; /* an EndAlt that found none */
  const TapeLink *link = &((const TapeLink *) (void *) r->topology.links->data)[number];
  bool sends = link->from == task;
  if (G_UNLIKELY (!(sends ? !t->to : !t->from && link->to == task) || link->from == TRACE_NONE))
    return false;
  e->object = (uint32_t) number;
  e->peer = sends ? link->to : link->from;
  return true;
}

/* What is wrong with an event whose place and length are right; NULL: it is now at l->to[l->n]. */
static inline __attribute__ ((always_inline)) const char *
block_decode (Load *l, uint32_t at, uint32_t length, const bool swap)
{
  const TapeEvent *raw = (const TapeEvent *) (const void *) (l->bytes + at);
  const TapeTypeInfo *t = &l->kinds->types[raw->type], *of = t;
  TraceEvent *e = &l->to[l->n];
  int64_t date = tape_64 (raw->date, swap), duration = tape_64 (raw->duration, swap);
  uint32_t task = l->ref->task;

  if (G_UNLIKELY (t->phase == TAPE_UNKNOWN))
    return _ ("the event is of a type that is not known");
  if (G_UNLIKELY (tape_32 (raw->task, swap) != task))
    return _ ("the event is of another task than its block");
  if (G_UNLIKELY (date < l->date || date > l->ref->last))
    return date < l->date ? _ ("the event is dated before the one before it")
                          : _ ("the event is dated after the end of its block");
  if (G_UNLIKELY (length < sizeof *raw + 8u * t->n_fields))
    return _ ("the event is too short for its fields");
  if (t->phase == TAPE_END && t->kind == 255) {
    of = &l->kinds->types[raw->begin];
    if (G_UNLIKELY (of->phase != TAPE_BEGIN || l->kinds->end_type[of->kind] != raw->type))
      return _ ("the event ends an action of a type that does not end so");
  }
  if (G_UNLIKELY (duration < -(int64_t) (t->phase == TAPE_BEGIN) || duration > TAPE_MAX_DATE))
    return _ ("the duration of the event is none");
  e->date = date;
  e->duration = duration < 0 ? 0 : duration;
  e->number = 0;
  e->record = TRACE_RECORD (l->ref->at + at);
  e->size = t->size >= 0 ? tape_64 (raw->field[t->size], swap) : 0;
  e->task = task;
  e->peer = e->object = TRACE_NONE;
  e->tag = tape_16 (raw->thread, swap);
  e->result = 0;
  e->kind = of->kind;
  e->flags = t->phase == TAPE_END       ? TRACE_END
             : t->phase == TAPE_INSTANT ? TRACE_INSTANT
             : duration < 0             ? TRACE_UNFINISHED
                                        : 0;
  e->source = l->r->base.number;
  if (G_UNLIKELY (e->size < 0))
    return _ ("the size of the message is below 0");
  if (t->result >= 0) {
    int64_t result = tape_64 (raw->field[t->result], swap);
    if (G_UNLIKELY (result < INT32_MIN || result > INT32_MAX))
      return _ ("the result of the event is out of range");
    e->result = (int32_t) result;
  }
  if (t->link >= 0 && G_UNLIKELY (!link_fits (l->r, t, task, tape_64 (raw->field[t->link], swap), e)))
    return _ ("the event names a link that this task does not have");
  if (t->list >= 0) {
    uint64_t items = (uint64_t) tape_64 (raw->field[t->list], swap);
    uint64_t most = t->role[t->list] == TAPE_WORD ? length - sizeof *raw - 8u * t->n_fields
                                                  : (length - sizeof *raw - 8u * t->n_fields) / 8;
    if (G_UNLIKELY (items > most))
      return _ ("the list in the event is longer than the event");
  }
  return NULL;
}

static inline __attribute__ ((always_inline)) void
block_take (Load *l, uint32_t at, uint32_t length, const bool swap)
{
  const char *wrong = block_decode (l, at, length, swap);

  if (G_LIKELY (wrong == NULL)) {
    l->date = l->to[l->n].date;
    l->n++;
  } else {
    block_damage (l, at, _ ("%s; it is left out"), wrong);
  }
}

/* Events that are whole: their length is in the block, and the chain back agrees.  Gives where that ends; *before is
 * the length of the last one. */
static inline __attribute__ ((always_inline)) uint32_t
block_forward (Load *l, uint32_t length, uint32_t *before, const bool swap)
{
  uint32_t at = sizeof (TapeBlock), previous = 0;

  while (at + sizeof (TapeEvent) <= length) {
    const TapeEvent *raw = (const TapeEvent *) (const void *) (l->bytes + at);
    uint32_t n = tape_16 (raw->length, swap);
    if (G_UNLIKELY (n < sizeof *raw || n % 8 != 0 || n > length - at || tape_16 (raw->previous, swap) != previous
                    || l->n == l->most))
      break;
    block_take (l, at, n, swap);
    previous = n;
    at += n;
  }
  *before = previous;
  return at;
}

static const char *
why_broken (Load *l, uint32_t at, uint32_t length, uint32_t before)
{
  const TapeEvent *raw = (const TapeEvent *) (const void *) (l->bytes + at);
  uint32_t n = at + sizeof *raw <= length ? tape_16 (raw->length, l->r->swap) : 0;

  if (at + sizeof *raw > length)
    return _ ("the block ends inside the head of an event");
  if (n < sizeof *raw || n % 8 != 0)
    return _ ("the length of the event is none");
  if (n > length - at)
    return _ ("the event reaches beyond its block");
  return tape_16 (raw->previous, l->r->swap) != before ? _ ("the chain back does not lead to the event before")
                                                       : _ ("there are more events than the head of the block tells");
}

/* The chain from the tail back to `end`, where the one from the head broke; what it reaches comes behind the rest. */
static uint32_t
block_backward (Load *l, uint32_t end, uint32_t tail, uint32_t length)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  bool swap = l->r->swap;
  uint32_t at = l->n < l->most ? tail : 0, next = length;

  while (at >= end && at + sizeof (TapeEvent) <= next && at % 8 == 0) {
    const TapeEvent *raw = (const TapeEvent *) (const void *) (l->bytes + at);
    uint32_t previous = tape_16 (raw->previous, swap);
    if (tape_16 (raw->length, swap) != next - at)
      break;
    g_array_append_val (places, at);
    next = at;
    if (previous == 0 || previous > at)
      break;
    at -= previous;
  }
  for (guint i = places->len; i-- > 0 && l->n < l->most;) {
    uint32_t place = g_array_index (places, uint32_t, i);
    block_take (l, place, (i > 0 ? g_array_index (places, uint32_t, i - 1) : length) - place, swap);
  }
  return next;
}

/* The head says what the index said. */
static bool
head_fits (Load *l, const TapeBlock *b, uint32_t *tail)
{
  bool swap = l->r->swap;
  const TapeBlockRef *ref = l->ref;

  *tail = tape_32 (b->tail, swap);
  if (tape_32 (b->magic, swap) != TAPE_BLOCK_MAGIC) {
    block_damage (l, 0, _ ("no block begins here, where the index says so"));
    return false;
  }
  if (tape_32 (b->task, swap) != ref->task || tape_32 (b->capacity, swap) < ref->length
      || (!ref->open
          && (tape_32 (b->length, swap) != ref->length || tape_32 (b->count, swap) != ref->count
              || tape_64 (b->first, swap) != ref->first || tape_64 (b->last, swap) != ref->last))) {
    block_damage (l, 0, _ ("the head of the block contradicts the index; the block is left out"));
    return false;
  }
  return true;
}

/* The next event of a block that was never closed is not there yet, or the file was cut inside it. */
static bool
is_unfinished (const Load *l, uint32_t at, uint32_t length)
{
  const TapeEvent *raw = (const TapeEvent *) (const void *) (l->bytes + at);

  return at + sizeof *raw > length || raw->length == 0
         || (l->ref->at + length == l->r->size && tape_16 (raw->length, l->r->swap) > length - at);
}

static void
block_load (Load *l, uint32_t length, uint32_t tail)
{
  const TapeBlockRef *ref = l->ref;
  uint32_t before, end;

  end = l->r->swap ? block_forward (l, length, &before, true) : block_forward (l, length, &before, false);
  if (end < length && !(ref->open && is_unfinished (l, end, length))) {
    const char *why = why_broken (l, end, length, before);
    uint32_t again = ref->open ? length : block_backward (l, end, tail, length);
    block_damage (l, end, _ ("%s; %u bytes are left out"), why, again - end);
  }
}

/* With all that its head says there is, so that what is lost is counted. */
static void
load_counted (Load *l, uint32_t length)
{
  const TapeBlockRef *ref = l->ref;
  uint32_t tail;

  if (head_fits (l, (const TapeBlock *) (const void *) l->bytes, &tail))
    block_load (l, length, tail);
  if (ref->open || l->n + l->lost >= ref->count)
    return;
  if (l->lost == 0)
    block_damage (l, 0, _ ("the head of the block tells %u events, there are %u"), ref->count, l->n);
  l->lost = ref->count - l->n;
}

size_t
tape_block_load (TapeReader *r, TapeBlockRef *ref, TraceEvent **events, uint32_t *room, GError **error)
{
  Load l = { .r = r, .ref = ref, .kinds = tape_kinds (), .date = ref->first };
  uint64_t told = r->base.n_damaged;
  guint first = r->base.damage->len;

  if (ref->length > r->buffer_room) {
    g_free (r->buffer);
    r->buffer_room = ref->length;
    r->buffer = g_malloc (r->buffer_room);
  }
  ssize_t n = disk_pread (r->fd, r->buffer, ref->length, ref->at);
  if (n < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s: events cannot be read at offset %" PRIu64 ": %s"),
                 r->base.path, ref->at, g_strerror (errno));
    return (size_t) -1;
  }
  l.most = ref->open ? ref->length / sizeof (TapeEvent) : ref->count;
  if (l.most >= *room) { /* one more: an event is made before it is found damaged */
    g_free (*events);
    *room = l.most + 1;
    *events = g_new (TraceEvent, *room);
  }
  l.bytes = r->buffer;
  l.to = *events;
  if ((size_t) n < ref->length)
    block_damage (&l, (uint64_t) n, _ ("the file has become shorter while it was read"));
  else
    load_counted (&l, ref->length);
  if (l.lost > 0 && !ref->told) /* one by one they were told above */
    r->base.n_damaged += l.lost - MIN (l.lost, r->base.n_damaged - told);
  if (l.lost > 0)
    ref->told = true;
  if (l.lost > 0 && r->strict) {
    const TraceDamage *d = first < r->base.damage->len ? r->base.damage->pdata[first] : NULL;
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: events: offset %" PRIu64 ": %s"), r->base.path,
                 d != NULL ? d->column : ref->at, d != NULL ? d->reason : _ ("the block is damaged"));
    return (size_t) -1;
  }
  return l.n;
}
