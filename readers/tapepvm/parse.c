/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - the thread that turns lines into blocks of events.
 *
 * Blocks are cut at multiples of TP_BLOCK events, and everything that the source learns on the way (tasks,
 * damage) lies in the block with the number of events before it.  So what the source shows depends on the
 * events it has given, never on how far this thread ran ahead. */
#include "readers/tapepvm/scan.h"

struct TpParser {
  TpReader *reader;
  const TpTable *table;
  pthread_t thread;
  bool running;                                 /* the thread was made */

  /* Shared, under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t head, tail;                          /* blocks [tail, head) are full; the parser fills head */
  bool in_hand;                                 /* tail is the block in hand */
  bool stop, hold, held, done;
  TpBlock blocks[TP_BLOCKS];

  /* The thread's own; others look while it is held. */
  TpBlock *block;
  TpPlace place;                                /* before the line being read */
  TpEnds ends;
  TpIntern tasks;
  GByteArray *enrolled;
  GHashTable *objects, *hosts;                  /* name -> index */
  TpRecord record;
};

/* ---- ends: the heap is worked on here, in the loop's own file, so that it is compiled into it ---- */

static inline TpEndKey
end_key (int64_t date, uint64_t record, uint32_t slot)
{
  return (TpEndKey) (uint64_t) date << 64 | record << 20 | slot;
}

static inline void
ends_push (TpEnds *q, const TraceEvent *begin)
{
  if (q->n == q->room)
    tp_ends_grow (q);
  uint32_t slot = q->free[q->n], i = q->n++;
  TpEndKey key = end_key (begin->date + begin->duration, begin->record, slot);
  q->events[slot] = *begin;
  for (uint32_t up; i && q->heap[up = (i - 1) / 2] > key; i = up)
    q->heap[i] = q->heap[up];
  q->heap[i] = key;
}

static inline const TraceEvent *
ends_pop (TpEnds *q)
{
  uint32_t slot = (uint32_t) q->heap[0] & (TP_MAX_OPEN - 1), n = --q->n, i = 0;
  TpEndKey last = q->heap[n];
  q->free[n] = slot;
  for (uint32_t down; (down = 2 * i + 1) < n; i = down) {       /* the hole sinks to the bottom ... */
    down += down + 1 < n && q->heap[down + 1] < q->heap[down];
    q->heap[i] = q->heap[down];
  }
  for (uint32_t up; i && q->heap[up = (i - 1) / 2] > last;
       i = up) /* ... and `last`, late as a rule, rises little */
    q->heap[i] = q->heap[up];
  q->heap[i] = last;
  return &q->events[slot];
}

/* ---- blocks ---- */

/* Waits for an empty block and begins it; false: the reader goes away. */
static bool
begin_block (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  while (!p->stop && (p->hold || p->head - p->tail == TP_BLOCKS)) {
    p->held = true;
    pthread_cond_broadcast (&p->changed);
    pthread_cond_wait (&p->changed, &p->lock);
  }
  p->held = false;
  bool go = !p->stop;
  p->block = &p->blocks[p->head % TP_BLOCKS];
  pthread_mutex_unlock (&p->lock);
  if (!p->block->events)                        /* a small trace never needs them all */
    p->block->events = g_new (TraceEvent, TP_BLOCK);
  p->block->from = p->place;
  p->block->n = 0;
  p->block->last = false;
  return go;
}

static void
end_block (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  p->head++;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
}

/* Room for one more event. */
static inline bool
ensure_room (TpParser *p)
{
  if (__builtin_expect (p->block->n < TP_BLOCK, 1))
    return true;
  end_block (p);
  return begin_block (p);
}

static inline bool
give_ends (TpParser *p, int64_t until)
{
  while (tp_ends_first (&p->ends) <= until) {
    if (!ensure_room (p))
      return false;
    TraceEvent *e = &p->block->events[p->block->n++];
    *e = *ends_pop (&p->ends);
    e->date += e->duration;
    e->flags |= TRACE_END;
    e->number = p->place.number++;
  }
  return true;
}

static TpNews *
add_news (TpParser *p, TpNewsKind what)
{
  g_array_set_size (p->block->news, p->block->news->len + 1);
  TpNews *news = &g_array_index (p->block->news, TpNews, p->block->news->len - 1);
  *news = (TpNews) { .at = p->block->n, .what = what };
  return news;
}

/* False: the reader is strict, and stops here. */
static bool
damaged (TpParser *p, uint64_t line, const TpFault *fault)
{
  GArray *list = p->block->news;
  TpNews *before = list->len ? &g_array_index (list, TpNews, list->len - 1) : NULL;
  if (p->reader->strict) {
    g_set_error (&p->block->error, TRACE_ERROR, TRACE_ERROR_DATA,
                 "events: line %" G_GUINT64_FORMAT ", column %u: %s", line, fault->column, fault->reason);
    return false;
  }
  if (p->place.n_damaged++ < TP_DAMAGE_KEPT) {
    TpNews *news = add_news (p, TP_DAMAGED);
    news->a = line;
    news->b = fault->column;
    news->text = g_strdup (fault->reason);
  } else if (before && before->what == TP_DAMAGED && before->at == p->block->n) {
    before->count++;
  } else {
    add_news (p, TP_DAMAGED)->count = 1;
  }
  return true;
}

/* ---- names ---- */

static inline bool
intern_task (TpParser *p, int64_t raw, uint32_t *task, TpFault *f)
{
  if (raw < 0 || raw > TP_MAX_ID) {             /* any or none; or a daemon, which is no task */
    *task = TRACE_NONE;
    return true;
  }
  *task = tp_intern_find (&p->tasks, (uint32_t) raw);
  if (__builtin_expect (*task != TRACE_NONE, 1))
    return true;
  if (p->tasks.n == TP_MAX_TASKS)
    return tp_fault (f, 0, "a trace may have %u tasks, and t%x is one more", TP_MAX_TASKS, (unsigned) raw);
  *task = p->tasks.n;
  tp_intern_add (&p->tasks, (uint32_t) raw);
  g_byte_array_set_size (p->enrolled, p->tasks.n);
  p->enrolled->data[*task] = 0;
  p->place.n_tasks++;
  add_news (p, TP_NEW_TASK)->a = (uint64_t) raw;
  return true;
}

static bool
intern_object (TpParser *p, const uint8_t *line, uint32_t at, uint32_t len, uint32_t *object, TpFault *f)
{
  char name[TP_MAX_NAME + 1];
  gpointer index;
  tp_unescape (line + at, len, name);
  if (g_hash_table_lookup_extended (p->objects, name, NULL, &index)) {
    *object = GPOINTER_TO_UINT (index);
    return true;
  }
  if (p->place.n_objects == TP_MAX_OBJECTS)
    return tp_fault (f, at, "a trace may have %u groups, and “%s” is one more", TP_MAX_OBJECTS, name);
  *object = p->place.n_objects++;
  g_hash_table_insert (p->objects, g_strdup (name), GUINT_TO_POINTER (*object));
  add_news (p, TP_NEW_OBJECT)->text = g_strdup (name);
  return true;
}

/* The first Enroll of a task tells its host and program; a later one would change what was said of the past. */
static bool
enroll (TpParser *p, const uint8_t *line, uint32_t task, const TpKind *d, TpFault *f)
{
  const TpRecord *r = &p->record;
  char name[TP_MAX_NAME + 1];
  uint32_t host = TRACE_NONE;
  if (p->enrolled->data[task])
    return true;
  if (d->host_at != TP_V_NONE) {
    gpointer index;
    tp_unescape (line + r->at[d->host_at], r->len[d->host_at], name);
    if (g_hash_table_lookup_extended (p->hosts, name, NULL, &index)) {
      host = GPOINTER_TO_UINT (index);
    } else if (p->place.n_hosts == TP_MAX_HOSTS) {
      return tp_fault (f, r->at[d->host_at], "a trace may have %u hosts, and “%s” is one more", TP_MAX_HOSTS,
                       name);
    } else {
      host = p->place.n_hosts++;
      g_hash_table_insert (p->hosts, g_strdup (name), GUINT_TO_POINTER (host));
      TpNews *news = add_news (p, TP_NEW_HOST);
      news->text = g_strdup (name);
      if (d->arch_at != TP_V_NONE) {
        tp_unescape (line + r->at[d->arch_at], r->len[d->arch_at], name);
        news->more = g_strdup (name);
      }
      news->count = d->speed_at != TP_V_NONE ? (uint64_t) r->v[d->speed_at] : 0;
    }
  }
  p->enrolled->data[task] = 1;
  TpNews *news = add_news (p, TP_ENROLLED);
  news->a = task;
  news->b = host;
  if (d->program_at != TP_V_NONE) {
    tp_unescape (line + r->at[d->program_at], r->len[d->program_at], name);
    news->text = g_strdup (name);
  }
  return true;
}

/* ---- lines ---- */

/* What p->record says, as an event; false: a bound is passed. */
static inline bool
make_event (TpParser *p, const uint8_t *line, uint64_t record, TraceEvent *e, TpFault *f)
{
  const TpRecord *r = &p->record;
  const TpKind *d = &p->table->details[r->kind];
  uint32_t other;
  *e = (TraceEvent) { .date = r->date, .duration = r->duration < 0 ? 0 : r->duration,
                      .number = p->place.number, .record = record,
                      .size = r->v[d->size_at], .object = TRACE_NONE, .tag = (int32_t) r->v[d->tag_at],
                      .result = (int32_t) r->v[d->result_at], .kind = (uint16_t) r->kind,
                      .flags = d->instant ? TRACE_INSTANT : r->duration < 0 ? TRACE_UNFINISHED : 0,
                      .source = p->reader->base.number };
  if (!intern_task (p, r->v[p->table->at[TP_TASK]], &e->task, f)
      || !intern_task (p, r->v[d->peer_at], &e->peer, f))
    return false;
  if (!intern_task (p, r->v[d->task_at[0]], &other, f))
    return false;
  if (__builtin_expect (d->n_tasks <= 1 && d->plain && !d->text, 1))
    return true;
  for (unsigned i = 1; i < d->n_tasks; i++)
    if (!intern_task (p, r->v[d->task_at[i]], &other, f))
      return false;
  for (unsigned i = 0; i < d->n_lists; i++) {
    unsigned k = d->list_at[i];
    uint32_t at = r->at[k];
    for (int64_t left = r->v[k]; left > 0; left--)
      if (!intern_task (p, tp_list_next (line, &at), &other, f))
        return false;
  }
  if (d->group_at != TP_V_NONE
      && !intern_object (p, line, r->at[d->group_at], r->len[d->group_at], &e->object, f))
    return false;
  return !d->enroll || enroll (p, line, e->task, d, f);
}

/* The line is read into p->record: gives the ends before it and its beginning. */
static inline bool
give_record (TpParser *p, const uint8_t *line, uint64_t record, uint64_t number)
{
  TpFault fault;
  if (__builtin_expect (p->record.date < p->place.date, 0)) {
    tp_fault (&fault, 0,
              "the date is before that of the line above, which was not so when the file was opened");
    return damaged (p, number, &fault);
  }
  if (!give_ends (p, p->record.date) || !ensure_room (p))
    return false;
  bool ends = p->record.duration >= 0 && !p->table->details[p->record.kind].instant;
  if (__builtin_expect (ends && p->ends.n == TP_MAX_OPEN, 0)) {
    tp_fault (&fault, 0, "more than %u calls are under way at once", TP_MAX_OPEN);
    return damaged (p, number, &fault);
  }
  TraceEvent *e = &p->block->events[p->block->n];
  if (!make_event (p, line, record, e, &fault))
    return damaged (p, number, &fault);
  p->block->n++;
  p->place.number++;
  p->place.date = p->record.date;
  if (ends)
    ends_push (&p->ends, e);
  return true;
}

/* A sorted file has the number of each line before it. */
static size_t
read_prefix (const uint8_t *line, uint64_t *number, bool *cut)
{
  size_t i = 0;
  for (*number = 0; (uint8_t) (line[i] - '0') < 10; i++)
    *number = *number * 10 + (line[i] - '0');
  *cut = line[i] == '!';
  return i + 1;
}

static bool
one_line (TpParser *p, TpLines *lines, size_t n, TpLinesState state)
{
  const uint8_t *line = lines->text + lines->cursor;
  uint64_t number = p->place.line + 1;
  TpFault fault;
  bool cut = state == TP_LINES_CUT;
  size_t prefix = p->reader->sorted_copy ? read_prefix (line, &number, &cut) : 0;
  uint64_t record = lines->base + lines->cursor + prefix;
  line += prefix;
  n -= prefix;
  if (state == TP_LINES_LONG || n > TP_MAX_LINE) {
    tp_fault (&fault, TP_MAX_LINE, "the line is longer than 1 MiB");
    return damaged (p, number, &fault);
  }
  if (tp_is_blank (line, n))
    return true;
  if (cut) {
    tp_fault (&fault, n, "the file ends inside this line, which may have lost a part of it");
    return damaged (p, number, &fault);
  }
  if (!tp_scan (p->table, line, n, &p->record, &fault))
    return damaged (p, number, &fault);
  return give_record (p, line, record, number);
}

static void
parse_all (TpParser *p)
{
  TpLines lines;
  TpLinesState state;
  bool go = true, sorted = p->reader->sorted_copy;
  tp_lines_init (&lines, p->reader->fd, p->place.offset, p->reader->size);
  while (go && (state = tp_lines_fill (&lines, &p->block->error)) != TP_LINES_END) {
    if (state == TP_LINES_ERROR) {
      go = false;
      break;
    }
    p->place.offset = lines.base;               /* the rest of a line that was too long has been passed over */
    if (state == TP_LINES_MORE)
      while (go && lines.cursor < lines.full) {
        const uint8_t *line = lines.text + lines.cursor;
        uint64_t number = p->place.line + 1;
        bool cut = false;
        size_t prefix = sorted ? read_prefix (line, &number, &cut) : 0;
        size_t n = cut ? 0 : tp_scan_plain (p->table, line + prefix, &p->record);
        if (__builtin_expect (n > 0, 1)) {
          n += prefix;
          go = give_record (p, line + prefix, p->place.offset + prefix, number);
        } else {
          n = (size_t) ((const uint8_t *) memchr (line, '\n', lines.full - lines.cursor) - line) + 1;
          go = one_line (p, &lines, n - 1, state);
        }
        lines.cursor += n;
        p->place.offset += n;
        p->place.line++;
      }
    else {
      go = one_line (p, &lines, lines.full, state);
      lines.cursor = lines.full;
      p->place.line++;
    }
  }
  if (go) {
    p->place.offset = lines.size;
    give_ends (p, INT64_MAX - 1);
  }
  tp_lines_clear (&lines);
}

static void *
run (void *arg)
{
  TpParser *p = arg;
  if (begin_block (p)) {
    parse_all (p);
    p->block->last = true;
    end_block (p);
  }
  pthread_mutex_lock (&p->lock);
  p->done = true;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
  return NULL;
}

/* ---- for the source ---- */

static void
clear_news (GArray *news)
{
  for (guint i = 0; i < news->len; i++) {
    g_free (g_array_index (news, TpNews, i).text);
    g_free (g_array_index (news, TpNews, i).more);
  }
  g_array_set_size (news, 0);
}

/* The record under way at an offset, into the heap. */
static bool
resume_record (TpParser *p, uint64_t record)
{
  size_t n;
  const uint8_t *line = tp_record_line (p->reader, record, &n);
  TraceEvent e;
  TpFault fault;
  const TpPlace before = p->place;
  if (!line || !tp_scan (p->table, line, n, &p->record, &fault))
    return false;
  if (p->table->details[p->record.kind].instant || p->record.duration < 0 || p->ends.n == TP_MAX_OPEN)
    return false;
  if (!make_event (p, line, record, &e, &fault) || memcmp (&before, &p->place, sizeof before) != 0)
    return false;                               /* all its names were known by then */
  ends_push (&p->ends, &e);
  return true;
}

TpParser *
tp_parser_start (TpReader *r, const TpStart *start, GError **error)
{
  TpParser *p = g_new0 (TpParser, 1);
  p->reader = r;
  p->table = r->table;
  p->place = start->place;
  pthread_mutex_init (&p->lock, NULL);
  pthread_cond_init (&p->changed, NULL);
  for (unsigned i = 0; i < TP_BLOCKS; i++)
    p->blocks[i].news = g_array_new (FALSE, FALSE, sizeof (TpNews));
  tp_record_init (&p->record);
  tp_ends_grow (&p->ends);
  tp_intern_init (&p->tasks);
  p->enrolled = g_byte_array_new ();
  p->objects = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (uint32_t i = 0; i < start->place.n_tasks; i++)
    tp_intern_add (&p->tasks, start->tasks[i]);
  g_byte_array_append (p->enrolled, start->enrolled, start->place.n_tasks);
  for (uint32_t i = 0; i < start->place.n_objects; i++)
    g_hash_table_insert (p->objects, g_strdup (start->objects[i]), GUINT_TO_POINTER (i));
  for (uint32_t i = 0; i < start->place.n_hosts; i++)
    g_hash_table_insert (p->hosts, g_strdup (start->hosts[i]), GUINT_TO_POINTER (i));

  p->block = &p->blocks[0];                     /* make_event() may report to it */
  bool fine = true;
  for (guint i = 0; start->open && i < start->open->len && fine; i++)
    fine = resume_record (p, g_array_index (start->open, uint64_t, i));
  clear_news (p->blocks[0].news);
  fine = fine && tp_ends_first (&p->ends) >= start->place.date;
  if (!fine) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 "the calls under way at the saved place are not in the file");
  } else {
    int failed = pthread_create (&p->thread, NULL, run, p);
    p->running = !failed;
    if (failed)
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "no thread can be started: %s", g_strerror (failed));
  }
  if (!p->running)
    g_clear_pointer (&p, tp_parser_free);
  return p;
}

void
tp_parser_free (TpParser *p)
{
  if (p->running) {
    pthread_mutex_lock (&p->lock);
    p->stop = true;
    pthread_cond_broadcast (&p->changed);
    pthread_mutex_unlock (&p->lock);
    pthread_join (p->thread, NULL);
  }
  for (unsigned i = 0; i < TP_BLOCKS; i++) {
    clear_news (p->blocks[i].news);
    g_array_unref (p->blocks[i].news);
    g_free (p->blocks[i].events);
    g_clear_error (&p->blocks[i].error);
  }
  tp_ends_clear (&p->ends);
  tp_intern_clear (&p->tasks);
  g_byte_array_unref (p->enrolled);
  g_hash_table_unref (p->objects);
  g_hash_table_unref (p->hosts);
  pthread_mutex_destroy (&p->lock);
  pthread_cond_destroy (&p->changed);
  g_free (p);
}

TpBlock *
tp_parser_block (TpParser *p)
{
  return p->in_hand ? &p->blocks[p->tail % TP_BLOCKS] : NULL;
}

TpBlock *
tp_parser_next (TpParser *p)
{
  pthread_mutex_lock (&p->lock);
  uint64_t next = p->tail + p->in_hand;
  while (p->head <= next)
    pthread_cond_wait (&p->changed, &p->lock);
  pthread_mutex_unlock (&p->lock);
  return &p->blocks[next % TP_BLOCKS];
}

void
tp_parser_take (TpParser *p)
{
  if (!p->in_hand) {
    p->in_hand = true;
    return;
  }
  clear_news (p->blocks[p->tail % TP_BLOCKS].news);
  pthread_mutex_lock (&p->lock);
  p->tail++;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x > y) - (x < y);
}

/* A call is under way at the beginning of the block in hand if its line lies before, and its end lies in a
 * block that is waiting or is still in the heap. */
GArray *
tp_parser_open (TpParser *p)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  pthread_mutex_lock (&p->lock);
  p->hold = true;
  while (!p->held && !p->done)
    pthread_cond_wait (&p->changed, &p->lock);
  uint64_t before = p->blocks[p->tail % TP_BLOCKS].from.offset;
  for (uint64_t i = p->tail; i < p->head; i++) {
    const TpBlock *b = &p->blocks[i % TP_BLOCKS];
    for (uint32_t k = 0; k < b->n; k++)
      if (b->events[k].flags & TRACE_END && b->events[k].record < before)
        g_array_append_val (list, b->events[k].record);
  }
  for (uint32_t i = 0; i < p->ends.n; i++) {
    uint64_t record = (uint64_t) p->ends.heap[i] >> 20;
    if (record < before)
      g_array_append_val (list, record);
  }
  p->hold = false;
  pthread_cond_broadcast (&p->changed);
  pthread_mutex_unlock (&p->lock);
  g_array_sort (list, by_place);
  return list;
}
