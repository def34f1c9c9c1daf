/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - what is not in a TraceEvent is read again from its record; sentences for people. */
#include "eve/disk.h"
#include "eve/number.h"
#include "eve/words.h"
#include "readers/words.h"
#include "readers/tape/tape.h"

#define FIRST_READ 512 /* bytes; few events are longer */

/* ---- the record -------------------------------------------------------------------------------------------------- */

/* Places come from run states too, which may say anything. */
static bool
is_of_kind (const TapeEvent *raw, const TraceEvent *e)
{
  const TapeKinds *kinds = tape_kinds ();
  bool end = kinds->types[raw->type].phase == TAPE_END;

  return e->kind < kinds->n_kinds && end == ((e->flags & TRACE_END) != 0)
         && (end ? kinds->end_type : kinds->begin_type)[e->kind] == raw->type;
}

/* The event at its place in the file, in the byte order of this machine; NULL: nothing of that kind is there. */
static const TapeEvent *
tape_record_of (TapeReader *r, const TraceEvent *e)
{
  const TapeKinds *kinds = tape_kinds ();
  TapeEvent *raw = (TapeEvent *) (void *) r->record;
  uint64_t at = e->record;

  if (at == r->record_at)
    return is_of_kind (raw, e) ? raw : NULL;
  r->record_at = UINT64_MAX;
  if (at % 8 != 0 || at >= r->size || r->size - at < sizeof *raw)
    return NULL;
  if (r->record == NULL)
    r->record = g_malloc ((r->record_room = FIRST_READ));
  raw = (TapeEvent *) (void *) r->record;
  uint32_t n = (uint32_t) MIN (r->record_room, r->size - at);
  if (disk_pread (r->fd, raw, n, at) != (ssize_t) n)
    return NULL;
  uint32_t length = tape_16 (raw->length, r->swap);
  const TapeTypeInfo *t = &kinds->types[raw->type];
  if (length < sizeof *raw + 8u * t->n_fields || length > r->size - at || !is_of_kind (raw, e))
    return NULL;
  if (length > n) {
    if (length > r->record_room) {
      r->record = g_realloc (r->record, length);
      r->record_room = length;
      raw = (TapeEvent *) (void *) r->record;
    }
    if (disk_pread (r->fd, raw, length, at) != (ssize_t) length)
      return NULL;
  }
  raw->length = (uint16_t) length;
  raw->thread = tape_16 (raw->thread, r->swap);
  raw->physical = tape_16 (raw->physical, r->swap);
  raw->virtual_processor = tape_16 (raw->virtual_processor, r->swap);
  uint32_t words = t->list >= 0 && t->role[t->list] == TAPE_WORD ? t->n_fields : (length - (uint32_t) sizeof *raw) / 8;
  for (uint32_t i = 0; i < words; i++)
    raw->field[i] = tape_64 (raw->field[i], r->swap);
  r->record_at = at;
  return raw;
}

static TraceValue
tape_record_number (int64_t v)
{
  return (TraceValue){ .kind = TRACE_VALUE_INT, .i = v };
}

static const TraceValue none = { .kind = TRACE_VALUE_NONE };

/* Items of the last field of the record, as many as fit. */
static uint32_t
tape_record_items (const TapeEvent *raw, const TapeTypeInfo *t, uint32_t size)
{
  uint32_t room = (raw->length - (uint32_t) sizeof *raw - 8u * t->n_fields) / size;

  return (uint32_t) CLAMP (raw->field[t->n_fields - 1], 0, (int64_t) room);
}

/* The links of an alternative, or the tasks that send on them. */
static TraceValue
links (TapeReader *r, const TapeEvent *raw, const TapeTypeInfo *t, bool tasks)
{
  uint32_t n = tape_record_items (raw, t, 8);

  if (r->list == NULL)
    r->list = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  g_array_set_size (r->list, 0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t number_ = (uint32_t) raw->field[t->n_fields + i];
    const TapeLink *link = tape_link (&r->topology, raw->field[t->n_fields + i]);
    if (link != NULL && link->from != TRACE_NONE)
      g_array_append_val (r->list, *(tasks ? &link->from : &number_));
  }
  return (TraceValue){ .kind = tasks ? TRACE_VALUE_TASKS : TRACE_VALUE_OBJECTS,
                       .tasks = (const uint32_t *) (void *) r->list->data,
                       .n_tasks = r->list->len };
}

static TraceValue
tape_record_word (TapeReader *r, const TapeEvent *raw, const TapeTypeInfo *t)
{
  uint32_t n = tape_record_items (raw, t, 1);
  const char *bytes = (const char *) &raw->field[t->n_fields];

  if (r->text == NULL)
    r->text = g_string_new (NULL);
  g_string_truncate (r->text, 0);
  g_string_append_len (r->text, bytes, (gssize) n);
  return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = r->text->str };
}

TraceValue
tape_value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  TapeReader *r = (TapeReader *) s;
  const TapeKinds *kinds = tape_kinds ();
  bool end = e->flags & TRACE_END;
  int8_t at;

  if (e->kind >= kinds->n_kinds || field >= kinds->kinds[e->kind].n_fields)
    return none;
  at = end ? kinds->at[e->kind][field].end : kinds->at[e->kind][field].begin;
  if (at < 0)
    return none;
  switch (kinds->kinds[e->kind].fields[field].role) {
  case TRACE_ROLE_PEER:
    return e->peer < s->tasks->len ? (TraceValue){ .kind = TRACE_VALUE_TASK, .i = e->peer } : none;
  case TRACE_ROLE_OBJECT:
    return e->object < s->objects->len
               ? (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = trace_object_id (s, e->object) }
               : none;
  case TRACE_ROLE_SIZE:
    return tape_record_number (e->size);
  case TRACE_ROLE_RESULT:
    return tape_record_number (e->result);
  default:
    break;
  }
  if (at == TAPE_AT_THREAD)
    return tape_record_number (e->tag);
  const TapeEvent *raw = tape_record_of (r, e);
  if (raw == NULL)
    return none;
  const TapeTypeInfo *t = &kinds->types[raw->type];
  if (at == TAPE_AT_PHYSICAL)
    return tape_record_number (raw->physical);
  if (at == TAPE_AT_VIRTUAL)
    return tape_record_number (raw->virtual_processor);
  switch (t->role[at]) {
  case TAPE_LINKS:
    return links (r, raw, t, kinds->kinds[e->kind].fields[field].role == TRACE_ROLE_PEERS);
  case TAPE_WORD:
    return tape_record_word (r, raw, t);
  default:
    return tape_record_number (raw->field[at]);
  }
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

static TraceValue
tape_record_value_called (TraceSource *s, const TraceEvent *e, const char *name)
{
  const TraceKind *k = &s->kinds[e->kind];

  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (k->fields[i].name, name) == 0)
      return tape_value (s, e, i);
  return none;
}

static int64_t
number_called (TraceSource *s, const TraceEvent *e, const char *name)
{
  TraceValue v = tape_record_value_called (s, e, name);

  return v.kind == TRACE_VALUE_INT ? v.i : -1;
}

static void
tape_record_put_name (TraceSource *s, const TraceEvent *e, GString *to)
{
  TraceValue v = tape_record_value_called (s, e, "name");

  g_autofree char *valid = v.kind == TRACE_VALUE_TEXT ? g_utf8_make_valid (v.text, -1) : NULL;

  if (valid != NULL && *valid != '\0')
    g_string_append_printf (to, " “%s”", valid);
}

static void
put_limit (TraceSource *s, const TraceEvent *e, GString *to)
{
  int64_t limit = number_called (s, e, "limit_ns");
  char span[64];

  trace_write_span ((double) limit * 1e-9, span, sizeof span);
  if (limit >= 0)
    g_string_append_printf (to, _ (", for %s at most"), span);
}

/* A thread beside the first is named: “worker2, thread 3”. */
static void
put_who (TraceSource *s, const TraceEvent *e, GString *to)
{
  TapeReader *r = (TapeReader *) s;
  gint64 key = (gint64) e->task << 16 | e->tag;
  const char *name;

  g_string_append (to, trace_task_name (s, e->task));
  if (e->tag <= 0)
    return;
  name = g_hash_table_lookup (r->topology.threads, &key);
  if (name != NULL)
    g_string_append_printf (to, _ (", thread %s,"), name);
  else
    g_string_append_printf (to, _ (", thread %d,"), e->tag);
}

static void
tape_record_put_bytes (GString *to, const char *before, int64_t size)
{
  g_string_append (to, before);
  words_add_counted (to, size, NP_ ("byte", "bytes"));
}

static void
tape_record_put_end (TraceSource *s, const TraceEvent *e, GString *to)
{
  const char *peer = trace_task_name (s, e->peer);
  uint8_t type = tape_kinds ()->end_type[e->kind];

  switch (type) {
  case TAPE_EndSend:
    tape_record_put_bytes (to, _ (" has sent "), e->size);
    g_string_append_printf (to, _ (" to %s"), peer);
    break;
  case TAPE_EndReceive:
    tape_record_put_bytes (to, _ (" has received "), e->size);
    g_string_append_printf (to, _ (" from %s"), peer);
    break;
  case TAPE_Timeout:
    g_string_append_printf (to, _ (" gives up: %s has not come in time"), peer);
    break;
  case TAPE_SemG:
    g_string_append_printf (to, _ (" has taken semaphore %" PRId64), number_called (s, e, "semaphore"));
    break;
  case TAPE_EndAlt:
    if (e->peer == TRACE_NONE)
      g_string_append (to, _ (" finds nobody who sends"));
    else
      g_string_append_printf (to, _ (" finds that %s sends"), peer);
    break;
  case TAPE_EndWait:
    g_string_append (to, _ (" wakes up"));
    break;
  default:
    g_string_append (to, _ (" ends the phase"));
    tape_record_put_name (s, e, to);
  }
  if (e->result == TAPE_RESULT_DEAD && e->peer != TRACE_NONE && type != TAPE_EndAlt)
    g_string_append_printf (to, _ (", which is dead"));
  else if (e->result == TAPE_RESULT_LONG && type != TAPE_EndAlt)
    g_string_append_printf (to, _ (", longer than the room for it"));
}

static void
put_begin (TraceSource *s, const TraceEvent *e, GString *to)
{
  const char *peer = trace_task_name (s, e->peer);
  TraceValue v;

  switch (tape_kinds ()->begin_type[e->kind]) {
  case TAPE_TskBth:
    g_string_append (to, _ (" is born"));
    break;
  case TAPE_TskDth:
    g_string_append_printf (to, e->result < 0 ? _ (" is killed by signal %d") : _ (" ends with status %d"),
                            ABS (e->result));
    break;
  case TAPE_ThdBth:
    g_string_append (to, _ (" is born"));
    tape_record_put_name (s, e, to);
    break;
  case TAPE_ThdDth:
    g_string_append (to, _ (" ends"));
    break;
  case TAPE_Run:
    g_string_append_printf (to, _ (" lets thread %" PRId64 " run"), number_called (s, e, "runs"));
    break;
  case TAPE_Stop:
    g_string_append (to, _ (" stops until somebody runs it"));
    break;
  case TAPE_Send:
  case TAPE_TSend:
    tape_record_put_bytes (to, _ (" sends "), e->size);
    g_string_append_printf (to, _ (" to %s"), peer);
    put_limit (s, e, to);
    break;
  case TAPE_Receive:
  case TAPE_TReceive:
    g_string_append_printf (to, _ (" receives from %s"), peer);
    put_limit (s, e, to);
    break;
  case TAPE_SemInit:
    g_string_append_printf (to, _ (" makes semaphore %" PRId64), number_called (s, e, "semaphore"));
    tape_record_put_name (s, e, to);
    g_string_append_printf (to, _ (" with value %" PRId64), number_called (s, e, "value"));
    break;
  case TAPE_SemP:
    g_string_append_printf (to, _ (" wants semaphore %" PRId64), number_called (s, e, "semaphore"));
    break;
  case TAPE_SemGOk:
    g_string_append_printf (to,
                            e->result > 0 ? _ (" takes semaphore %" PRId64) : _ (" finds semaphore %" PRId64 " taken"),
                            number_called (s, e, "semaphore"));
    break;
  case TAPE_SemV:
    g_string_append_printf (to, _ (" gives back semaphore %" PRId64), number_called (s, e, "semaphore"));
    break;
  case TAPE_Alt:
  case TAPE_NAlt:
    v = tape_record_value_called (s, e, "among");
    g_string_append_printf (to, tape_kinds ()->begin_type[e->kind] == TAPE_Alt ? _ (" waits for a sender among")
                                                                               : _ (" looks for a sender among"));
    for (uint32_t i = 0; i < v.n_tasks; i++)
      g_string_append_printf (to, "%s %s", i > 0 ? "," : "", trace_task_name (s, v.tasks[i]));
    break;
  case TAPE_Wait:
    g_string_append (to, _ (" sleeps"));
    put_limit (s, e, to);
    break;
  case TAPE_Phase:
    g_string_append (to, _ (" begins the phase"));
    tape_record_put_name (s, e, to);
    break;
  default:
    g_string_append (to, _ (" says"));
    tape_record_put_name (s, e, to);
    g_string_append_printf (to, " %" G_GINT64_FORMAT, number_called (s, e, "value"));
  }
}

char *
tape_sentence (TraceSource *s, const TraceEvent *e)
{
  GString *to = g_string_new (NULL);

  put_who (s, e, to);
  if (e->flags & TRACE_END)
    tape_record_put_end (s, e, to);
  else
    put_begin (s, e, to);
  if (e->flags & TRACE_UNFINISHED) {
    g_string_append (to, _ (", which never ends"));
  } else if (!(e->flags & TRACE_INSTANT)) {
    g_string_append (to, e->flags & TRACE_END ? _ (", after ") : _ ("; this takes "));
    words_add_duration (to, trace_clock_seconds (&s->clock, e->duration));
  }
  return g_string_free (to, FALSE);
}
