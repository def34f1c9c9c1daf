/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - a recording of values as a source of events, also while it grows.  All records have one size, so that any
 * date is found by halving, and backward is as easy as forward. */
#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/number.h"
#include "eve/words.h"
#include "readers/live.h"
#include "readers/values/private.h"

#define BLOCK 1024                       /* records read at once */
#define MOST_A_LOOK (UINT64_C (4) << 20) /* records taken in at once: a flood is taken in pieces */
#define MOST_SHOWN 65536                 /* bytes of a text as the value of a field */
#define MOST_DATE (INT64_C (1) << 61)
#define MOST_DAMAGE_FILE (UINT64_C (1) << 20)

typedef struct ValuesReader {
  TraceSource base;
  char *folder;
  bool temporary, strict, follows;
  int records, names, texts;
  uint64_t n, place; /* records known; number of the next event */
  uint64_t names_at; /* read of `names` */
  uint32_t n_programs;
  GArray *latest; /* of int64_t: the latest date up to the end of each block of BLOCK records */
  GArray *kinds;  /* of uint32_t, bits 1 << kind: what is in each block */
  uint64_t ahead_block;
  uint32_t ahead_n;
  TraceEvent ahead[BLOCK]; /* of that block, UINT64_MAX: none */
  uint8_t bytes[BLOCK * sizeof (ValueRecord)];
  uint64_t bytes_block; /* of this block, UINT64_MAX: none; */
  uint32_t bytes_n;     /* so many records */
  TraceWriter writer;
  int64_t damage_size;           /* bytes of the file of damage that were read, */
  guint n_damage;                /* and lines */
  GHashTable *listens, *stopped; /* sets of tasks: programs that take orders; what was told not to be sent */
  char *text;                    /* the value that was given last */
} ValuesReader;

static ValuesReader *
values_reader (const TraceSource *s)
{
  return (ValuesReader *) s;
}

/* ---- names ------------------------------------------------------------------------------------------------------------------ */

static bool
values_reader_read_name (ValuesReader *r, uint64_t size)
{
  TraceSource *s = &r->base;
  uint8_t head[VALUES_NAME_HEAD];
  char name[VALUES_MOST_NAME + 1];

  if (r->names_at + sizeof head > size
      || disk_pread (r->names, head, sizeof head, r->names_at) != (ssize_t) sizeof head)
    return false;
  uint32_t n = bytes_get32 (head), parent = bytes_get32 (head + 4), kind = bytes_get32 (head + 8);
  if (n > VALUES_MOST_NAME || r->names_at + sizeof head + n > size
      || disk_pread (r->names, name, n, r->names_at + sizeof head) != (ssize_t) n)
    return false;
  bool good = kind < N_VALUE_KINDS && (parent == TRACE_NONE || parent < s->tasks->len);
  if (!good)
    trace_source_damage (s, "names", 0, r->names_at, _ ("thing %u is of no kind, or inside of none"), s->tasks->len);
  g_autofree char *valid = g_utf8_make_valid (name, (gssize) n);
  trace_source_add_task_in (s, valid, (int64_t) bytes_get64 (head + 12), good ? kind : VALUE_SPECIAL,
                            good ? parent : TRACE_NONE);
  r->names_at += sizeof head + n;
  r->n_programs += parent == TRACE_NONE;
  return true;
}

static void
values_reader_read_names (ValuesReader *r)
{
  struct stat st;

  if (fstat (r->names, &st) == 0)
    while (r->base.tasks->len < VALUES_MOST_NAMES && values_reader_read_name (r, (uint64_t) st.st_size))
      ;
}

/* ---- records -------------------------------------------------------------------------------------------------------------- */

static bool
makes_sense (const TraceSource *s, const ValueRecord *v)
{
  return v->entity < s->tasks->len && v->type < N_VALUE_RECORDS && v->variable < N_VALUE_VARIABLES && v->date >= 0
         && v->date < MOST_DATE;
}

static ValueRecord
values_reader_get_record (const uint8_t *b)
{
  return (ValueRecord){ .date = (int64_t) bytes_get64 (b),
                        .value = (int64_t) bytes_get64 (b + 8),
                        .entity = bytes_get32 (b + 16),
                        .type = b[20],
                        .variable = b[21],
                        .real = b[22] != 0 };
}

/* What the event of a record is; `latest` is the date of what was before it. */
static void
values_reader_make_event (const ValuesReader *r, const uint8_t *b, uint64_t number, int64_t latest, TraceEvent *e)
{
  const TraceSource *s = &r->base;
  ValueRecord v = values_reader_get_record (b);
  bool good = makes_sense (s, &v);

  *e = (TraceEvent){ .date = good ? MAX (v.date, latest) : MAX (latest, 0),
                     .number = number,
                     .record = number,
                     .size = v.value,
                     .task = v.entity,
                     .peer = TRACE_NONE,
                     .object = TRACE_NONE,
                     .tag = -1,
                     .kind = v.type,
                     .flags = TRACE_INSTANT,
                     .source = s->number };
  if (!good) {
    e->kind = VALUE_DAMAGED;
    e->task = s->tasks->len > 0 ? 0 : TRACE_NONE;
    e->size = 0;
    return;
  }
  if (v.type == VALUE_IS) {
    e->object = ((const TraceType *) s->types->pdata[N_VALUE_KINDS + v.variable])->object;
    e->flags |= v.real ? TRACE_REAL : 0;
  }
  if (v.type == VALUE_IS || values_has_bytes (v.type))
    e->tag = v.variable;
}

static bool
values_reader_read_block (ValuesReader *r, uint64_t block, uint32_t n, GError **error)
{
  size_t want = (size_t) n * sizeof (ValueRecord);

  if (r->bytes_block == block && r->bytes_n >= n)
    return true;
  r->bytes_block = UINT64_MAX;
  if (disk_pread (r->records, r->bytes, want, VALUES_HEAD + block * sizeof r->bytes) == (ssize_t) want) {
    r->bytes_block = block;
    r->bytes_n = n;
    return true;
  }
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s/records became shorter while it was read"), r->folder);
  return false;
}

/* What a record says of what can be told to the program. */
static void
note_orders (ValuesReader *r, const ValueRecord *v)
{
  gpointer task = GUINT_TO_POINTER (v->entity);

  if (v->type == VALUE_LISTENS)
    g_hash_table_add (r->listens, task);
  else if (v->type == VALUE_ENDED)
    g_hash_table_remove (r->listens, task);
  else if (v->type == VALUE_STOPPED)
    g_hash_table_add (r->stopped, task);
  else if (v->type == VALUE_RESUMED || v->type == VALUE_KILLED || v->type == VALUE_COLLECTED)
    g_hash_table_remove (r->stopped, task);
}

/* Takes note of the records up to `to`, in order: their dates, and which make no sense. */
static bool
take_note (ValuesReader *r, uint64_t to, const TraceProgress *progress, GError **error)
{
  TraceSource *s = &r->base;
  uint64_t from = r->n;

  while (r->n < to) {
    uint64_t block = r->n / BLOCK;
    uint32_t n = (uint32_t) MIN (BLOCK, to - block * BLOCK), at = (uint32_t) (r->n % BLOCK);
    if (!values_reader_read_block (r, block, n, error))
      return false;
    g_array_set_size (r->latest, (guint) block + 1);
    g_array_set_size (r->kinds, (guint) block + 1);
    uint32_t *kinds = &g_array_index (r->kinds, uint32_t, block);
    if (progress && progress->report && block % 256 == 0
        && !progress->report (progress->arg, "reading", (double) (r->n - from) / (double) (to - from))) {
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
      return false;
    }
    for (uint32_t i = at; i < n; i++) {
      ValueRecord v = values_reader_get_record (r->bytes + i * sizeof v);
      if (!makes_sense (s, &v)) {
        trace_source_damage (s, "records", 0, VALUES_HEAD + (block * BLOCK + i) * sizeof v,
                             _ ("a record that speaks of what is not there; it is shown as damaged"));
        v.date = s->last;
        v.type = VALUE_DAMAGED;
      }
      *kinds |= UINT32_C (1) << v.type;
      s->first = s->first > s->last ? MAX (v.date, 0) : s->first;
      s->last = MAX (MAX (s->last, v.date), 0);
      if (v.type == VALUE_BREAK)
        s->halt = s->last;
      s->silent = v.type == VALUE_SILENT;
      if (G_UNLIKELY (v.type > VALUE_LOGGED))
        note_orders (r, &v);
    }
    g_array_index (r->latest, int64_t, block) = s->last;
    r->n = block * BLOCK + n;
  }
  s->n_events = s->n_records = r->n;
  r->ahead_block = UINT64_MAX;
  return true;
}

static uint32_t
block_size (const ValuesReader *r, uint64_t block)
{
  return (uint32_t) MIN (BLOCK, r->n - block * BLOCK);
}

/* The latest date of what lies before a block. */
static int64_t
latest_before (const ValuesReader *r, uint64_t block)
{
  return block > 0 ? g_array_index (r->latest, int64_t, block - 1) : 0;
}

static bool
values_reader_load_block (ValuesReader *r, uint64_t block, GError **error)
{
  if (block == r->ahead_block)
    return true;
  uint32_t n = block_size (r, block);
  int64_t latest = latest_before (r, block);
  if (!values_reader_read_block (r, block, n, error))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    values_reader_make_event (r, r->bytes + i * sizeof (ValueRecord), block * BLOCK + i, latest, &r->ahead[i]);
    latest = r->ahead[i].date;
  }
  r->ahead_block = block;
  r->ahead_n = n;
  return true;
}

/* ---- the contract ----------------------------------------------------------------------------------------------------------- */

size_t
values_peek (TraceSource *s, const TraceEvent **events, GError **error)
{
  ValuesReader *r = values_reader (s);

  if (r->place >= r->n || !values_reader_load_block (r, r->place / BLOCK, error))
    return 0;
  *events = &r->ahead[r->place % BLOCK];
  return r->ahead_n - r->place % BLOCK;
}

size_t
values_next (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  const TraceEvent *ahead;
  size_t n = MIN (values_peek (s, &ahead, error), max);

  if (n > 0)
    memcpy (events, ahead, n * sizeof *events);
  values_reader (s)->place += n;
  return n;
}

/* One event of a block of which no other is wanted. */
static bool
load_one (ValuesReader *r, uint64_t place, TraceEvent *e, GError **error)
{
  uint64_t block = place / BLOCK;
  int64_t latest = latest_before (r, block);
  const uint8_t *b = r->bytes;

  if (block == r->ahead_block) {
    *e = r->ahead[place % BLOCK];
    return true;
  }
  if (!values_reader_read_block (r, block, block_size (r, block), error))
    return false;
  for (const uint8_t *end = b + place % BLOCK * sizeof (ValueRecord); b < end; b += sizeof (ValueRecord)) {
    ValueRecord v = values_reader_get_record (b);
    if (makes_sense (&r->base, &v))
      latest = MAX (latest, v.date);
  }
  values_reader_make_event (r, b, place, latest, e);
  return true;
}

size_t
values_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  ValuesReader *r = values_reader (s);
  size_t n = 0;

  if (max == 1) {
    n = r->place > 0 && load_one (r, r->place - 1, events, error);
    r->place -= n;
    return n;
  }
  for (; n < max && r->place > 0 && (n == 0 || r->place % BLOCK != 0); n++) {
    if (!values_reader_load_block (r, (r->place - 1) / BLOCK, error))
      return 0;
    r->place--;
    events[n] = r->ahead[r->place % BLOCK];
  }
  return n;
}

/* Which kind a record of the bytes is of, as make_event() finds it. */
static bool
values_reader_is_wanted (const ValuesReader *r, uint32_t i, uint64_t kinds)
{
  ValueRecord v = values_reader_get_record (r->bytes + i * sizeof v);

  return kinds >> (makes_sense (&r->base, &v) ? v.type : VALUE_DAMAGED) & 1;
}

/* Of a block that has some, the place of the nearest; where it cannot be read, whoever reads on is told. */
static void
go_to_wanted (ValuesReader *r, uint64_t block, uint64_t kinds, bool backward)
{
  if (!values_reader_read_block (r, block, block_size (r, block), NULL))
    return;
  if (backward)
    while (r->place > block * BLOCK && !values_reader_is_wanted (r, (uint32_t) ((r->place - 1) % BLOCK), kinds))
      r->place--;
  else
    while (r->place < block * BLOCK + r->bytes_n && !values_reader_is_wanted (r, (uint32_t) (r->place % BLOCK), kinds))
      r->place++;
}

uint64_t
values_skip (TraceSource *s, uint64_t kinds, bool backward)
{
  ValuesReader *r = values_reader (s);

  while (backward ? r->place > 0 : r->place < r->n) {
    uint64_t block = (r->place - backward) / BLOCK, place = r->place;
    if (g_array_index (r->kinds, uint32_t, block) & kinds) {
      go_to_wanted (r, block, kinds, backward);
      if (backward ? r->place > block * BLOCK : r->place < MIN ((block + 1) * BLOCK, r->n))
        break;
    } else
      r->place = backward ? block * BLOCK : MIN ((block + 1) * BLOCK, r->n);
    if (r->place == place)
      break; /* it cannot be read */
  }
  return r->place;
}

bool
values_seek (TraceSource *s, int64_t date, GError **error)
{
  ValuesReader *r = values_reader (s);
  guint low = 0, high = r->latest->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (r->latest, int64_t, middle) < date)
      low = middle + 1;
    else
      high = middle;
  }
  r->place = MIN ((uint64_t) low * BLOCK, r->n);
  if (r->place >= r->n)
    return true;
  if (!values_reader_load_block (r, low, error))
    return false;
  for (uint32_t i = 0; i < r->ahead_n && r->ahead[i].date < date; i++)
    r->place++;
  return true;
}

void
values_rewind (TraceSource *s)
{
  values_reader (s)->place = 0;
}

static int64_t
date_before (ValuesReader *r, uint64_t place)
{
  TraceEvent e;

  return place > 0 && load_one (r, place - 1, &e, NULL) ? e.date : -1;
}

void
values_save (TraceSource *s, EveBlob *to)
{
  ValuesReader *r = values_reader (s);

  eve_put_int (to, (int64_t) r->place);
  eve_put_int (to, date_before (r, r->place));
}

bool
values_load (TraceSource *s, EveBlobView *from)
{
  ValuesReader *r = values_reader (s);
  int64_t place = eve_get_int (from), date = eve_get_int (from);

  if (!eve_get_ok (from) || place < 0 || (uint64_t) place > r->n || date_before (r, (uint64_t) place) != date)
    return false;
  r->place = (uint64_t) place;
  return true;
}

/* ---- what is behind an event -------------------------------------------------------------------------------------------------- */

void *
values_bytes_at (const TraceSource *s, int64_t ref, size_t *n)
{
  ValuesReader *r = values_reader (s);
  uint8_t length[4];
  struct stat st;

  *n = 0;
  if (s->format->next != values_next || ref < VALUES_HEAD || disk_pread (r->texts, length, 4, (uint64_t) ref) != 4)
    return NULL;
  size_t size = bytes_get32 (length);
  if (size > VALUES_MOST_TEXT + 8 || fstat (r->texts, &st) < 0 || (uint64_t) ref + 4 + size > (uint64_t) st.st_size)
    return NULL;
  uint8_t *bytes = g_malloc (size + 1);
  if (disk_pread (r->texts, bytes, size, (uint64_t) ref + 4) != (ssize_t) size) {
    g_free (bytes);
    return NULL;
  }
  bytes[size] = 0;
  *n = size;
  return bytes;
}

void *
values_bytes (const TraceEvent *e, size_t *n)
{
  const TraceSource *s = trace_source (e->source);

  *n = 0;
  return s && values_has_bytes ((uint8_t) e->kind) ? values_bytes_at (s, e->size, n) : NULL;
}

/* What it shows of a tree: root(child, child(...)), where one that was told before is #3. */
static char *
tree_text (const void *bytes, size_t n_bytes)
{
  uint32_t n;
  g_autofree ValueTreeNode *nodes = value_tree_nodes (bytes, n_bytes, &n);
  g_autofree uint8_t *told = g_malloc0 (n + 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (uint64_t)); /* node << 32 | next child */
  GString *to = g_string_new (NULL);
  uint64_t top = n > 0 ? (uint64_t) (n - 1) << 32 : 0;

  if (n > 0) {
    g_string_append_len (to, nodes[n - 1].label, nodes[n - 1].n_label);
    g_array_append_val (stack, top);
  }
  while (stack->len > 0 && to->len < MOST_SHOWN) {
    uint64_t *at = &g_array_index (stack, uint64_t, stack->len - 1);
    const ValueTreeNode *node = &nodes[*at >> 32];
    uint32_t i = (uint32_t) *at;
    if (i == node->n_children) {
      g_string_append (to, i > 0 ? ")" : "");
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    uint32_t child = value_tree_child (node, i);
    ++*at;
    g_string_append (to, i > 0 ? ", " : "(");
    g_string_append_len (to, nodes[child].label, MIN (nodes[child].n_label, 256));
    if (told[child] && nodes[child].n_children > 0) {
      g_string_append_printf (to, " #%u", child);
      continue;
    }
    told[child] = 1;
    uint64_t below = (uint64_t) child << 32;
    g_array_append_val (stack, below);
  }
  if (stack->len > 0)
    g_string_append (to, " …");
  return g_string_free (to, FALSE);
}

static TraceValue
values_reader_text_value (ValuesReader *r, const char *bytes, size_t n)
{
  g_free (r->text);
  r->text = g_utf8_make_valid (bytes, (gssize) MIN (n, MOST_SHOWN));
  return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = r->text };
}

static TraceValue
values_reader_behind (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  size_t n;
  g_autofree char *bytes = values_bytes_at (s, e->size, &n);

  if (!bytes)
    return (TraceValue){ .kind = TRACE_VALUE_NONE };
  if (e->kind == VALUE_TREE_IS) {
    g_autofree char *text = tree_text (bytes, n);
    return values_reader_text_value (values_reader (s), text, strlen (text));
  }
  if (e->kind == VALUE_TEXT_IS)
    return values_reader_text_value (values_reader (s), bytes, n);
  if (n < 8)
    return (TraceValue){ .kind = TRACE_VALUE_NONE };
  uint64_t bits = bytes_get64 ((const uint8_t *) bytes);
  TraceValue seconds = { .kind = TRACE_VALUE_REAL };
  memcpy (&seconds.real, &bits, 8);
  return field == 0 ? seconds : values_reader_text_value (values_reader (s), bytes + 8, n - 8);
}

TraceValue
values_value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  if (e->kind != VALUE_IS)
    return values_reader_behind (s, e, field);
  if (field == 0)
    return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = trace_object_id (s, e->object) };
  if (e->flags & TRACE_REAL)
    return (TraceValue){ .kind = TRACE_VALUE_REAL, .real = e->real };
  return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->size };
}

/* ---- sentences --------------------------------------------------------------------------------------------------------------- */

static const char *const notes[N_VALUE_RECORDS] = {
  [VALUE_DECLARED] = N_ ("is declared"),
  [VALUE_KILLED] = N_ ("is observed no more"),
  [VALUE_COLLECTED] = N_ ("is no more: it was collected"),
  [VALUE_CONNECTED] = N_ ("is connected"),
  [VALUE_SILENT] = N_ ("has sent no data for 3 s"),
  [VALUE_ENDED] = N_ ("has closed the connection"),
  [VALUE_BREAK] = N_ ("has reached a break point"),
  [VALUE_DAMAGED] = N_ ("a record that makes no sense"),
  [VALUE_LISTENS] = N_ ("takes orders"),
  [VALUE_STOPPED] = N_ ("is not sent, for somebody has said so"),
  [VALUE_RESUMED] = N_ ("is sent again"),
};

static void
values_reader_put_value (const TraceSource *s, const TraceEvent *e, GString *to)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  uint32_t variable = values_variable (e);
  const char *unit = variable < N_VALUE_VARIABLES ? value_variables[variable].unit : NULL;

  g_string_append_printf (to, _ (": %s is "), trace_object_id (s, e->object));
  if (e->flags & TRACE_REAL)
    g_string_append (to, number_local (g_ascii_formatd (number, sizeof number, "%.15g", e->real)));
  else if (variable == VAR_BOOLEAN)
    g_string_append (to, e->size ? _ ("true") : _ ("false"));
  else
    g_string_append_printf (to, "%" G_GINT64_FORMAT, e->size);
  if (unit)
    g_string_append_printf (to, " %s", unit);
}

/* A line of a log tells itself; all else says whose it is. */
char *
values_sentence (TraceSource *s, const TraceEvent *e)
{
  ValuesReader *r = values_reader (s);
  const TraceTask *task = e->task != TRACE_NONE ? trace_task (s, e->task) : NULL;
  uint32_t program = task && task->parent != TRACE_NONE ? task->parent : TRACE_NONE;
  GString *to = g_string_new (NULL);

  if (r->n_programs > 1 && program != TRACE_NONE)
    g_string_append_printf (to, _ ("%s: "), trace_task_name (s, program));
  if (e->kind != VALUE_LOGGED && task)
    g_string_append (to, trace_task_name (s, e->task));
  if (e->kind == VALUE_IS)
    values_reader_put_value (s, e, to);
  else if (values_has_bytes ((uint8_t) e->kind)) {
    TraceValue v = values_value (s, e, e->kind == VALUE_LOGGED ? 1 : 0);
    g_string_append_printf (to, e->kind == VALUE_LOGGED ? "%s" : _ (" is “%s”"),
                            v.kind == TRACE_VALUE_TEXT ? v.text : "");
  } else if (e->kind < N_VALUE_RECORDS && notes[e->kind])
    g_string_append_printf (to, " %s", in_words (notes[e->kind]));
  return g_string_free (to, FALSE);
}

/* ---- growing ------------------------------------------------------------------------------------------------------------------ */

static void
values_reader_end (ValuesReader *r, char *how)
{
  r->base.ended = true;
  g_free (r->base.left);
  r->base.left = how;
}

static char *
values_reader_gone (const ValuesReader *r)
{
  return g_strdup_printf (_ ("the program that recorded %s.trace is gone without having ended it; what it wrote is all "
                             "read: %" PRIu64 " records"),
                          r->base.name, r->n);
}

static void
read_damage (ValuesReader *r)
{
  g_autofree char *path = g_build_filename (r->folder, "damage", NULL);
  struct stat st;

  if (stat (path, &st) < 0 || st.st_size == r->damage_size)
    return;
  r->damage_size = st.st_size;
  g_autofree char *text = disk_read (path, r->folder, MOST_DAMAGE_FILE, NULL, NULL);
  g_auto (GStrv) lines = text ? g_strsplit (text, "\n", 2 * TRACE_DAMAGE_KEPT) : NULL;
  /* what has no end of line yet is being written */
  for (; lines && lines[r->n_damage] && lines[r->n_damage + 1]; r->n_damage++)
    if (*lines[r->n_damage])
      trace_source_damage (&r->base, "damage", (uint64_t) r->n_damage + 1, 1, _ ("when it was received: %s"),
                           lines[r->n_damage]);
}

/* Whole records in the file by now. */
static uint64_t
n_records (const ValuesReader *r)
{
  struct stat st;

  return fstat (r->records, &st) == 0 && st.st_size > VALUES_HEAD
             ? ((uint64_t) st.st_size - VALUES_HEAD) / sizeof (ValueRecord)
             : 0;
}

bool
values_look (TraceSource *s)
{
  ValuesReader *r = values_reader (s);
  TraceWriter writer = trace_writer (r->folder, NULL); /* before the size, which then is the last */
  uint64_t before = r->n, now = n_records (r), to = MIN (now, before + MOST_A_LOOK);
  g_autoptr (GError) error = NULL;

  if (writer == TRACE_WRITER_NONE && r->writer != TRACE_WRITER_NONE)
    writer = TRACE_WRITER_GONE;
  r->writer = writer;
  values_reader_read_names (r);
  read_damage (r);
  if (now < before)
    values_reader_end (
        r,
        g_strdup_printf (_ ("%s/records became shorter while it was followed; nothing more of it is read"), r->folder));
  else if (!take_note (r, to, NULL, &error))
    values_reader_end (r, g_strdup (error->message));
  else if (to == now && (writer == TRACE_WRITER_ENDED || writer == TRACE_WRITER_GONE)) {
    read_damage (r); /* what was told since */
    values_reader_end (r, writer == TRACE_WRITER_GONE ? values_reader_gone (r) : NULL);
  }
  return r->n > before || s->ended;
}

/* ---- orders: what `scope live --tell` takes ---------------------------------------------------------------------------------- */

/* With the place of the program, where there are several. */
static void
add_order (const ValuesReader *r, uint32_t program, GPtrArray *to, const char *label, const char *under,
           const char *order)
{
  bool several = r->n_programs > 1;

  trace_orders_add (to, label, under, "%s%s%s", several ? trace_task_id (&r->base, program) : "", several ? "\t" : "",
                    order);
}

GPtrArray *
values_orders (TraceSource *s, uint32_t task)
{
  static const struct {
    const char *label;
    uint32_t ms;
  } periods[] = { { "10 ms", 10 }, { "100 ms", 100 }, { "1 s", 1000 }, { "10 s", 10000 } };
  const ValuesReader *r = values_reader (s);
  const TraceTask *t = trace_task (s, task);
  bool all = t->parent == TRACE_NONE;
  uint32_t program = all ? task : t->parent;
  GPtrArray *to = g_ptr_array_new ();

  if (!g_hash_table_contains (r->listens, GUINT_TO_POINTER (program)))
    return to;
  if (all) {
    add_order (r, program, to, "Send It All No_w", NULL, "send now");
  } else {
    bool stopped = g_hash_table_contains (r->stopped, GUINT_TO_POINTER (task));
    g_autofree char *order = g_strdup_printf ("%s #%" G_GINT64_FORMAT, stopped ? "resume" : "stop", t->raw);
    add_order (r, program, to, stopped ? "Send It _Again" : "Stop Sendin_g It", NULL, order);
    g_autofree char *batch = g_strdup_printf ("period 0 #%" PRId64, t->raw);
    add_order (r, program, to, "Whenever Something Is Sent", "Send It _Every", batch);
  }
  for (guint i = 0; i < G_N_ELEMENTS (periods); i++) {
    g_autoptr (GString) order = g_string_new (NULL);
    g_string_printf (order, "period %u", periods[i].ms);
    if (!all)
      g_string_append_printf (order, " #%" G_GINT64_FORMAT, t->raw);
    add_order (r, program, to, periods[i].label, all ? "Send It All _Every" : "Send It _Every", order->str);
  }
  return to;
}

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

static int
open_part (ValuesReader *r, const char *name, const char *magic, GError **error)
{
  g_autofree char *path = g_build_filename (r->folder, name, NULL);
  uint8_t head[VALUES_HEAD];
  int fd = disk_open (path, r->temporary ? NULL : r->base.path, DISK_DATA, NULL, error);

  if (fd < 0)
    return fd;
  if (disk_pread (fd, head, sizeof head, 0) == VALUES_HEAD && memcmp (head, magic, 8) == 0
      && bytes_get32 (head + 8) == VALUES_VERSION)
    return fd;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s is no file of a recording of version %d"), path,
               VALUES_VERSION);
  close (fd);
  return -1;
}

static void
values_reader_add_types (TraceSource *s)
{
  for (int i = 0; i < N_VALUE_KINDS; i++)
    trace_source_add_own_type (s, TRACE_ENTITY, value_kind_names[i], NULL,
                               i == VALUE_PROGRAM ? TRACE_NONE : VALUE_PROGRAM);
  for (int i = 0; i < N_VALUE_VARIABLES; i++)
    trace_source_add_type (s, TRACE_VARIABLE, value_variables[i].name, value_variables[i].unit, TRACE_NONE);
}

static bool
values_reader_open_all (ValuesReader *r, const TraceOptions *options, GError **error)
{
  TraceSource *s = &r->base;

  if ((r->records = open_part (r, "records", VALUES_RECORDS_MAGIC, error)) < 0
      || (r->names = open_part (r, "names", VALUES_NAMES_MAGIC, error)) < 0
      || (r->texts = open_part (r, "texts", VALUES_TEXTS_MAGIC, error)) < 0)
    return false;
  values_reader_add_types (s);
  r->writer = trace_writer (r->folder, NULL);
  uint64_t now = n_records (r);
  values_reader_read_names (r);
  if (!take_note (r, now, options->progress, error))
    return false;
  s->ended = !options->follow || r->writer == TRACE_WRITER_ENDED || r->writer == TRACE_WRITER_GONE;
  read_damage (r);
  if (r->writer == TRACE_WRITER_GONE && !r->temporary)
    values_reader_end (r, values_reader_gone (r));
  const TraceDamage *d = s->damage->len > 0 ? s->damage->pdata[0] : NULL;
  if (options->strict && d) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s: %s", d->file, d->reason);
    return false;
  }
  return true;
}

void
values_remove_folder (const char *folder)
{
  static const char *const parts[] = { "records", "names", "texts", "damage", TRACE_LIVE_FILE };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *path = g_build_filename (folder, parts[i], NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
}

void
values_close (TraceSource *s)
{
  ValuesReader *r = values_reader (s);

  for (const int *const *fd = (const int *const[]){ &r->records, &r->names, &r->texts, NULL }; *fd; fd++)
    if (**fd >= 0)
      close (**fd);
  g_array_unref (r->latest);
  g_array_unref (r->kinds);
  g_hash_table_unref (r->listens);
  g_hash_table_unref (r->stopped);
  g_free (r->text);
  g_free (r->folder);
  trace_source_clear (s);
  g_free (r);
}

TraceSource *
values_open_folder (const TraceFormat *format, const char *bundle, const char *folder, bool temporary,
                    const TraceOptions *options, GError **error)
{
  ValuesReader *r = g_new0 (ValuesReader, 1);
  TraceSource *s = &r->base;
  g_autoptr (GError) why = NULL;

  r->records = r->names = r->texts = -1;
  r->names_at = VALUES_HEAD;
  r->temporary = temporary;
  r->folder = g_strdup (folder);
  r->latest = g_array_new (FALSE, FALSE, sizeof (int64_t));
  r->kinds = g_array_new (FALSE, TRUE, sizeof (uint32_t));
  r->listens = g_hash_table_new (NULL, NULL);
  r->stopped = g_hash_table_new (NULL, NULL);
  r->ahead_block = r->bytes_block = UINT64_MAX;
  trace_source_setup (s, format, bundle, &why);
  s->clock = (TraceClock){ .ticks_per_second = TRACE_TICKS, .units = "s" };
  s->kinds = values_kinds;
  s->n_kinds = N_VALUE_RECORDS;
  s->abilities = TRACE_SORTED | TRACE_BACKWARD | TRACE_SEEK | (options->follow ? TRACE_LIVE : 0);
  bool good = !why && values_reader_open_all (r, options, &why);
  if (temporary) /* what is open stays until it is closed, and no crash leaves it behind */
    values_remove_folder (folder);
  if (good)
    return s;
  g_propagate_error (error, g_steal_pointer (&why));
  values_close (s);
  return NULL;
}
