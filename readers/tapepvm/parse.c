/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - lines become events in the order of their dates, the ends of calls among them.
 *
 * As long as lines bring nothing new, many are taken at once: a batch.  The ends that fall due within it are sorted
 * together and merged with the beginnings, which costs less than a heap; ends that are due later wait in the heap.  A
 * line that brings something (a task, a name, damage) is taken alone.  Both ways give the same. */
#include "readers/tapepvm/parser.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/visible.h"

/* Room for one more event. */
static inline bool
ensure_room (TpParser *p)
{
  if (__builtin_expect (p->block->n < TP_BLOCK, 1))
    return true;
  tp_end_block (p);
  return tp_begin_block (p);
}

static inline bool
parse_give_ends (TpParser *p, int64_t until)
{
  while (tp_ends_first (&p->ends) <= until) {
    if (!ensure_room (p))
      return false;
    TraceEvent *e = &p->block->events[p->block->n++];
    *e = *tp_ends_pop (&p->ends);
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
  *news = (TpNews){ .at = p->block->n, .what = what };
  return news;
}

/* False: the reader is strict, and stops here. */
static bool
parse_damaged (TpParser *p, uint64_t line, const TpFault *fault)
{
  GArray *list = p->block->news;
  TpNews *before = list->len ? &g_array_index (list, TpNews, list->len - 1) : NULL;
  if (p->reader->strict) {
    g_set_error (&p->block->error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("events: line %" PRIu64 ", column %u: %s"), line,
                 fault->column, fault->reason);
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
  if (raw < 0 || raw > TP_MAX_ID) { /* any or none; or a daemon, which is no task */
    *task = TRACE_NONE;
    return true;
  }
  *task = tp_intern_find (&p->tasks, (uint32_t) raw);
  if (__builtin_expect (*task != TRACE_NONE, 1))
    return true;
  if (p->only_known)
    return false;
  if (p->tasks.n == TP_MAX_TASKS)
    return tp_fault (f, 0, _ ("a trace may have %u tasks, and t%x is one more"), TP_MAX_TASKS, (unsigned) raw);
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
  /* as the source will call it: run states have it so */
  g_autofree char *visible = visible_line (name, strlen (name));
  const char *called = visible ? visible : name;
  if (g_hash_table_lookup_extended (p->objects, called, NULL, &index)) {
    *object = GPOINTER_TO_UINT (index);
    return true;
  }
  if (p->only_known)
    return false;
  if (p->place.n_objects == TP_MAX_OBJECTS)
    return tp_fault (f, at, _ ("a trace may have %u groups, and “%s” is one more"), TP_MAX_OBJECTS, called);
  *object = p->place.n_objects++;
  g_hash_table_insert (p->objects, g_strdup (called), GUINT_TO_POINTER (*object));
  add_news (p, TP_NEW_OBJECT)->text = g_strdup (called);
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
  if (p->only_known)
    return false;
  if (d->host_at != TP_V_NONE) {
    gpointer index;
    tp_unescape (line + r->at[d->host_at], r->len[d->host_at], name);
    if (g_hash_table_lookup_extended (p->hosts, name, NULL, &index)) {
      host = GPOINTER_TO_UINT (index);
    } else if (p->place.n_hosts == TP_MAX_HOSTS) {
      return tp_fault (f, r->at[d->host_at], _ ("a trace may have %u hosts, and “%s” is one more"), TP_MAX_HOSTS, name);
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

/* What p->record says, as an event; false: a bound is passed, or it is new and nothing new is wanted. */
static inline bool
parse_make_event (TpParser *p, const uint8_t *line, uint64_t record, TraceEvent *e, TpFault *f)
{
  const TpRecord *r = &p->record;
  const TpKind *d = &p->table->details[r->kind];
  uint32_t other;
  *e = (TraceEvent){ .date = r->date,
                     .duration = r->duration < 0 ? 0 : r->duration,
                     .number = p->place.number,
                     .record = TRACE_RECORD (record),
                     .size = r->v[d->size_at],
                     .object = TRACE_NONE,
                     .tag = (int32_t) r->v[d->tag_at],
                     .result = (int32_t) r->v[d->result_at],
                     .kind = (uint16_t) r->kind,
                     .flags = d->instant         ? TRACE_INSTANT
                              : r->duration >= 0 ? 0
                              : p->table->later  ? TRACE_OPEN
                                                 : TRACE_UNFINISHED,
                     .source = p->reader->base.number };
  if (!intern_task (p, r->v[p->table->at[TP_TASK]], &e->task, f) || !intern_task (p, r->v[d->peer_at], &e->peer, f))
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
  if (d->group_at != TP_V_NONE && !intern_object (p, line, r->at[d->group_at], r->len[d->group_at], &e->object, f))
    return false;
  return !d->enroll || enroll (p, line, e->task, d, f);
}

static bool
too_late (TpParser *p, uint64_t number)
{
  TpFault fault;
  tp_fault (&fault, 0, _ ("the date is before that of the line above, %s"),
            p->reader->follows ? _ ("and what comes later has been given already")
                               : _ ("which was not so when the file was opened"));
  return parse_damaged (p, number, &fault);
}

/* The line is read into p->record: gives the ends before it and its beginning. */
static inline bool
give_record (TpParser *p, const uint8_t *line, uint64_t record, uint64_t number)
{
  TpFault fault;
  if (__builtin_expect (p->record.date < p->place.date, 0))
    return too_late (p, number);
  if (!parse_give_ends (p, p->record.date) || !ensure_room (p))
    return false;
  bool ends = p->record.duration >= 0 && !p->table->details[p->record.kind].instant;
  bool open = !ends && p->table->later && p->record.duration < 0 && tp_later_n (p->later) == TP_MAX_OPEN;
  if (__builtin_expect ((ends && p->ends.n == TP_MAX_OPEN) || open, 0)) {
    tp_fault (&fault, 0, _ ("more than %u calls are under way at once"), TP_MAX_OPEN);
    return parse_damaged (p, number, &fault);
  }
  TraceEvent *e = &p->block->events[p->block->n];
  if (!parse_make_event (p, line, record, e, &fault))
    return parse_damaged (p, number, &fault);
  p->block->n++;
  p->place.number++;
  p->place.date = p->record.date;
  if (ends)
    tp_ends_push (&p->ends, e);
  else if (e->flags & TRACE_OPEN)
    tp_later_add (p->later, p->table, &p->record, record);
  return true;
}

/* A line of version 2, n bytes that lie at `offset`.  The end of a call that nobody has begun is given all the same. */
static bool
later_line (TpParser *p, const uint8_t *line, size_t n, uint64_t offset, uint64_t number)
{
  TpFault fault;
  int64_t date;
  size_t at;
  if (!tp_scan_later (p->table, line, n, &p->record, &date, &at, &fault))
    return parse_damaged (p, number, &fault);
  if (date < p->place.date)
    return too_late (p, number);
  if (!parse_give_ends (p, date) || (at && !ensure_room (p)))
    return false;
  p->place.date = date;
  if (!at)
    return true;
  TraceEvent *e = &p->block->events[p->block->n];
  if (!parse_make_event (p, line + at, offset + at, e, &fault))
    return parse_damaged (p, number, &fault);
  uint64_t begun = tp_later_take (p->later, p->table, &p->record);
  e->record = begun != UINT64_MAX ? begun : e->record;
  e->date = date;
  e->flags |= TRACE_END | TRACE_LATE;
  p->block->n++;
  p->place.number++;
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
parse_one_line (TpParser *p, TpLines *lines, size_t n, TpLinesState state)
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
    tp_fault (&fault, TP_MAX_LINE, _ ("the line is longer than 1 MiB"));
    return parse_damaged (p, number, &fault);
  }
  if (tp_is_blank (line, n))
    return true;
  if (cut) {
    tp_fault (&fault, n, _ ("the file ends inside this line, which may have lost a part of it"));
    return parse_damaged (p, number, &fault);
  }
  if (p->table->later && tp_is_later (line, n))
    return later_line (p, line, n, record, number);
  if (!tp_scan (p->table, line, n, &p->record, &fault))
    return parse_damaged (p, number, &fault);
  return give_record (p, line, record, number);
}

/* ---- batches ---- */

/* The raw task of a quick event becomes its index. */
static inline bool
parse_known_task (const TpParser *p, uint32_t *task)
{
  if (*task != TRACE_NONE)
    return (*task = tp_intern_find (&p->tasks, *task)) != TRACE_NONE;
  return true;
}

static inline bool
known_event (const TpParser *p, TraceEvent *e)
{
  bool known = parse_known_task (p, &e->task) && parse_known_task (p, &e->peer) && parse_known_task (p, &e->object);
  e->object = TRACE_NONE;
  e->source = p->reader->base.number;
  return known;
}

/* Lines that bring nothing new, at most TP_BATCH of them, as events without their ends; `number` is how many lines came
 * before.  Gives how many there are; *line: how many lines came before the cursor then. */
static uint32_t
parse_collect (TpParser *p, TpLines *lines, uint64_t *line)
{
  TraceEvent *events = p->batch + TP_DUE;
  int64_t date = p->place.date;
  uint32_t n = 0;
  bool go = true;
  while (go && n < TP_BATCH && lines->cursor < lines->full) {
    const uint8_t *text = lines->text + lines->cursor;
    uint64_t place = lines->base + lines->cursor;
    size_t used;
    uint32_t k = tp_scan_lines (p->table, text, lines->full - lines->cursor, place, &p->record, events + n,
                                MIN (TP_BATCH - n, p->ahead), &used),
             i;
    for (i = 0; i < k; i++) {
      TraceEvent *e = &events[n + i];
      if (__builtin_expect (e->date < date || !known_event (p, e), 0)) {
        used = (size_t) (e->record - place);
        go = false;
        break;
      }
      date = e->date;
      e->number = *line + i;
    }
    lines->cursor += used;
    *line += i;
    n += i;
    p->ahead = go ? MIN (2 * p->ahead, TP_BATCH) : 4;
    if (!go || n == TP_BATCH || lines->cursor == lines->full)
      break;

    /* A line with a name or a list, an empty one, or one that is longer or written otherwise. */
    TpFault fault;
    text = lines->text + lines->cursor;
    size_t length = tp_scan_plain (p->table, text, &p->record);
    if (!length) {
      length = (size_t) ((const uint8_t *) memchr (text, '\n', lines->full - lines->cursor) - text) + 1;
      bool blank = tp_is_blank (text, length - 1);
      go = length - 1 <= TP_MAX_LINE && (blank || tp_scan (p->table, text, length - 1, &p->record, &fault));
      if (go && blank) {
        lines->cursor += length;
        ++*line;
        continue;
      }
    }
    p->only_known = true;
    go = go && p->record.date >= date && parse_make_event (p, text, lines->base + lines->cursor, &events[n], &fault);
    p->only_known = false;
    if (go) {
      date = p->record.date;
      events[n++].number = (*line)++;
      lines->cursor += length;
    }
  }
  return n;
}

static inline bool
has_end (const TraceEvent *e)
{
  return !(e->flags & (TRACE_INSTANT | TRACE_UNFINISHED));
}

/* Sorts n keys, which stand in the order of their places, by their dates; the largest is at most `most`.  The result
 * lies in p->keys. */
static inline __attribute__ ((always_inline)) void
sort_keys (TpParser *p, uint32_t n, uint64_t most)
{
  if (n < 48) {
    for (uint32_t i = 1; i < n; i++) {
      uint64_t key = p->keys[i];
      uint32_t at = i;
      for (; at && p->keys[at - 1] > key; at--)
        p->keys[at] = p->keys[at - 1];
      p->keys[at] = key;
    }
    return;
  }
  /* Few rounds of many digits where there are many keys. */
  unsigned bits = 64 - (unsigned) __builtin_clzll (most) - TP_KEY_BITS, widest = n < 1024 ? 8 : 12;
  unsigned rounds = (bits + widest - 1) / widest, width = rounds ? (bits + rounds - 1) / rounds : 0;
  for (unsigned shift = TP_KEY_BITS; rounds--; shift += width) {
    uint16_t start[1 << 12], sum = 0; /* no batch has 2^16 */
    uint32_t digits = 1u << width, mask = digits - 1;
    const uint64_t *keys = p->keys;
    uint64_t *to = p->spare;
    memset (start, 0, digits * sizeof *start);
    for (uint32_t i = 0; i < n; i++)
      start[keys[i] >> shift & mask]++;
    for (uint32_t d = 0; d < digits; d++) {
      uint16_t count = start[d];
      start[d] = sum;
      sum = (uint16_t) (sum + count);
    }
    for (uint32_t i = 0; i < n; i++)
      to[start[keys[i] >> shift & mask]++] = keys[i];
    p->spare = p->keys;
    p->keys = to;
  }
}

static bool
give_one_by_one (TpParser *p, const TraceEvent *events, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const TraceEvent *e = &events[i];
    p->place.offset = e->record;
    p->place.line = e->number;
    if (!parse_give_ends (p, e->date) || !ensure_room (p))
      return false;
    TraceEvent *to = &p->block->events[p->block->n++];
    *to = *e;
    to->number = p->place.number++;
    p->place.date = e->date;
    if (has_end (e))
      tp_ends_push (&p->ends, e);
  }
  return true;
}

/* Gives the beginnings of a batch and all ends that fall due before the last of them; false: the reader goes away. */
static bool
give_batch (TpParser *p, uint32_t n)
{
  const uint64_t place_mask = (1u << TP_KEY_BITS) - 1;
  TraceEvent *all = p->batch, *events = p->batch + TP_DUE;
  int64_t base = MIN (tp_ends_first (&p->ends), events[0].date), until = events[n - 1].date;
  uint64_t most = (uint64_t) (until - base) << TP_KEY_BITS | place_mask;
  if (n < 8 || p->ends.n > TP_DUE || (uint64_t) (until - base) >> (63 - TP_KEY_BITS))
    return give_one_by_one (p, events, n);

  uint32_t due = 0, n_keys = 0;
  while (tp_ends_first (&p->ends) <= until) {
    all[due] = *tp_ends_pop (&p->ends);
    p->keys[n_keys++] = (uint64_t) (all[due].date + all[due].duration - base) << TP_KEY_BITS | due;
    due++;
  }
  for (uint32_t i = 0; i < n; i++) {
    const TraceEvent *e = &events[i];
    p->begins[i] = (uint64_t) (e->date - base) << TP_KEY_BITS | (TP_DUE + i);
    if (!has_end (e))
      continue;
    int64_t end = e->date + e->duration;
    if (end <= until)
      p->keys[n_keys++] = (uint64_t) (end - base) << TP_KEY_BITS | (TP_DUE + i);
    else
      tp_ends_push (&p->ends, e);
  }
  sort_keys (p, n_keys, most);
  p->keys[n_keys] = UINT64_MAX;
  p->key = 0;
  p->n_keys = n_keys;

  /* An end comes before a beginning of the same date, but not before its own: places decide. */
  for (uint32_t i = 0, key = 0; i < n;) {
    p->place.offset = events[i].record;
    p->place.line = events[i].number;
    p->key = key;
    if (!ensure_room (p))
      return false;
    TpBlock *b = p->block;
    TraceEvent *to = b->events + b->n, *stop = b->events + TP_BLOCK;
    uint64_t number = p->place.number;
    const uint64_t *keys = p->keys, *begins = p->begins;
    for (; to < stop && i < n; to++) {
      __builtin_prefetch (to + 16, 1); /* its lines are with the core that read them last */
      uint64_t next = keys[key], begin = begins[i];
      /* Whether an end or a beginning comes next cannot be predicted by the processor: the address is computed without
       * a branch, which compilers would make of a conditional expression. */
      bool end = next < begin;
      const TraceEvent *from = &all[(begin ^ ((begin ^ next) & -(uint64_t) end)) & place_mask];
      *to = *from;
      to->date = from->date + (from->duration & -(int64_t) end);
      to->flags = (uint8_t) (from->flags | end * TRACE_END);
      to->number = number++;
      key += end;
      i += !end;
    }
    b->n = (uint32_t) (to - b->events);
    p->place.number = number;
    p->key = key;
    if (i)
      p->place.date = events[i - 1].date;
  }
  for (; p->key < n_keys; p->key++)
    tp_ends_push (&p->ends, &all[p->keys[p->key] & place_mask]);
  return true;
}

/* The whole lines that lie in memory; false: the reader goes away, or stops. */
static bool
parse_lines (TpParser *p, TpLines *lines)
{
  bool go = true, sorted = p->reader->sorted_copy, single = sorted || p->table->later;
  while (go && lines->cursor < lines->full) {
    uint64_t n_lines = p->place.line;
    uint32_t n_events = single ? 0 : parse_collect (p, lines, &n_lines);
    go = !n_events || give_batch (p, n_events);
    p->place.offset = lines->base + lines->cursor;
    p->place.line = n_lines;
    if (!go || lines->cursor == lines->full)
      break;
    const uint8_t *line = lines->text + lines->cursor;
    uint64_t number = p->place.line + 1;
    bool cut = false;
    size_t prefix = sorted ? read_prefix (line, &number, &cut) : 0;
    size_t n = cut ? 0 : tp_scan_plain (p->table, line + prefix, &p->record);
    if (__builtin_expect (n > 0, 1)) {
      n += prefix;
      go = give_record (p, line + prefix, p->place.offset + prefix, number);
    } else {
      n = (size_t) ((const uint8_t *) memchr (line, '\n', lines->full - lines->cursor) - line) + 1;
      go = parse_one_line (p, lines, n - 1, TP_LINES_MORE);
    }
    lines->cursor += n;
    p->place.offset += n;
    p->place.line++;
  }
  return go;
}

void
tp_parse_all (TpParser *p)
{
  TpLines lines;
  TpLinesState state;
  bool go = true;
  tp_lines_init (&lines, p->reader->fd, p->place.offset, p->grows ? DISK_DATA : p->size);
  lines.size = p->size;
  do {
    while (go && (state = tp_lines_fill (&lines, &p->block->error)) != TP_LINES_END) {
      if (state == TP_LINES_ERROR) {
        go = false;
        break;
      }
      p->place.offset = lines.base; /* the rest of a line that was too long has been passed over */
      if (state == TP_LINES_MORE) {
        go = parse_lines (p, &lines);
      } else {
        go = parse_one_line (p, &lines, lines.full, state);
        lines.cursor = lines.full;
        p->place.line++;
      }
    }
  } while (go && tp_more (p, &lines.size));
  if (go) {
    p->place.offset = lines.size;
    parse_give_ends (p, INT64_MAX - 1);
  }
  tp_lines_clear (&lines);
}

bool
tp_resume_record (TpParser *p, uint64_t record)
{
  size_t n;
  const uint8_t *line = tp_record_line (p->reader, record, &n);
  TraceEvent e;
  TpFault fault;
  const TpPlace before = p->place;
  if (!line || !tp_scan (p->table, line, n, &p->record, &fault))
    return false;
  bool unfinished = p->record.duration < 0;
  if (p->table->details[p->record.kind].instant || (unfinished && !p->table->later) || p->ends.n == TP_MAX_OPEN)
    return false;
  if (!parse_make_event (p, line, record, &e, &fault) || memcmp (&before, &p->place, sizeof before) != 0)
    return false; /* all its names were known by then */
  if (unfinished)
    tp_later_add (p->later, p->table, &p->record, record);
  else
    tp_ends_push (&p->ends, &e);
  return true;
}
