/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - the types that travel on wires, the open sources of the process, clocks and names. */
#include "readers/reader.h"
#include "eve/number.h"
#include "eve/words.h"
#include "eve/eve-host.h"
#include "eve/visible.h"
#include "eve/disk.h"
#include <pthread.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

#define NICKNAMES_MOST_BYTES (16 * DISK_MIB)
#define N_SOURCES 65536

/* Views and exporters look sources up from other threads, and charts of many owners one for each owner: so they read
 * without the lock, which only those take that add or remove a source. */
static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;
static TraceSource *sources[N_SOURCES];
static unsigned next_number; /* 0 is nobody's: data that came from no trace have it */
static unsigned most_number; /* no higher one was ever given */

GQuark
trace_error_quark (void)
{
  return g_quark_from_static_string ("trace-error");
}

TraceSource *
trace_source (uint16_t number)
{
  return g_atomic_pointer_get (&sources[number]);
}

TraceSource *
trace_source_after (uint16_t number)
{
  TraceSource *s = NULL;

  pthread_mutex_lock (&sources_lock);
  for (unsigned i = number + 1u; !s && i <= most_number; i++)
    s = sources[i];
  pthread_mutex_unlock (&sources_lock);
  return s;
}

/* ---- a source's common part ---- */

static void
event_free_task (void *p)
{
  TraceTask *t = p;
  g_free (t->id);
  g_free (t->nickname);
  g_free (t->program);
  g_free (t);
}

static void
free_object (void *p)
{
  TraceObject *o = p;
  g_free (o->id);
  g_free (o);
}

static void
free_host (void *p)
{
  TraceHost *h = p;
  g_free (h->name);
  g_free (h->arch);
  g_free (h);
}

static void
event_free_type (void *p)
{
  TraceType *t = p;
  g_free (t->name);
  g_free (t->unit);
  g_free (t);
}

static void
free_damage (void *p)
{
  TraceDamage *d = p;
  g_free (d->file);
  g_free (d->reason);
  g_free (d);
}

/* `nicknames` of the bundle: TASK NAME a line.  The file is a help for people, so what is wrong in it is told
 * and passed over. */
static void
read_nicknames (TraceSource *s)
{
  g_autofree char *file = g_build_filename (s->path, "nicknames", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  size_t length;
  if (!(text = disk_read (file, s->path, NICKNAMES_MOST_BYTES, &length, &error))) {
    if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      trace_source_damage (s, "nicknames", 0, 0, "%s", error->message);
    return;
  }
  unsigned line = 0, bad = 0;
  for (char *at = text, *end; at < text + length; at = end + 1) {
    end = memchr (at, '\n', (size_t) (text + length - at));
    if (!end)
      end = text + length;
    line++;
    bool clean = g_utf8_validate (at, end - at, NULL);
    g_autofree char *whole = clean ? g_strndup (at, (gsize) (end - at)) : NULL;
    char *task = whole ? g_strstrip (whole) : NULL;
    if (task && (!*task || *task == '#'))
      continue;
    char *name = task ? strpbrk (task, " \t") : NULL;
    if (!name) {
      if (bad++ < 5)
        trace_source_damage (s, "nicknames", line, 1,
                             clean ? _ ("expected a task and its name") : _ ("the line is not UTF-8"));
      else
        s->n_damaged++;
      continue;
    }
    *name++ = 0;
    g_hash_table_insert (s->nicknames, g_strdup (task), g_strdup (g_strstrip (name)));
  }
}

void
trace_source_setup (TraceSource *s, const TraceFormat *format, const char *bundle, GError **error)
{
  s->format = format;
  s->path = g_strdup (bundle);
  g_autofree char *base = g_path_get_basename (bundle);
  s->name = g_str_has_suffix (base, ".trace") ? g_strndup (base, strlen (base) - 6) : g_strdup (base);
  s->tasks = g_ptr_array_new_with_free_func (event_free_task);
  s->objects = g_ptr_array_new_with_free_func (free_object);
  s->hosts = g_ptr_array_new_with_free_func (free_host);
  s->types = g_ptr_array_new_with_free_func (event_free_type);
  s->damage = g_ptr_array_new_with_free_func (free_damage);
  s->parts = g_array_new (FALSE, FALSE, sizeof (TracePart));
  s->nicknames = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  s->first = 0;
  s->last = -1;
  s->ended = true;
  s->halt = INT64_MIN;

  bool found = false;
  pthread_mutex_lock (&sources_lock);
  for (unsigned i = 0; i < N_SOURCES && !found; i++) {
    unsigned number = (next_number + i) % N_SOURCES;
    if (number && !sources[number]) {
      g_atomic_pointer_set (&sources[number], s);
      s->number = (uint16_t) number;
      most_number = MAX (most_number, number);
      next_number = number + 1; /* an old event should rather meet nobody than somebody else */
      found = true;
    }
  }
  pthread_mutex_unlock (&sources_lock);
  if (!found)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%d traces are open already; close one first"), N_SOURCES - 1);
  else if (g_file_test (s->path, G_FILE_TEST_IS_DIR)) /* files of other programs have none */
    read_nicknames (s);
}

void
trace_source_same (TraceSource *s, const TraceSource *as)
{
  trace_source_hide (s);
  s->number = as->number;
}

TraceSource *
trace_source_stand_in (TraceSource *s)
{
  pthread_mutex_lock (&sources_lock);
  TraceSource *was = sources[s->number];
  g_atomic_pointer_set (&sources[s->number], s);
  pthread_mutex_unlock (&sources_lock);
  return was;
}

void
trace_source_hide (TraceSource *s)
{
  pthread_mutex_lock (&sources_lock);
  if (sources[s->number] == s)
    g_atomic_pointer_set (&sources[s->number], NULL);
  pthread_mutex_unlock (&sources_lock);
}

void
trace_source_clear (TraceSource *s)
{
  trace_source_hide (s);
  g_clear_pointer (&s->path, g_free);
  g_clear_pointer (&s->name, g_free);
  g_clear_pointer (&s->tasks, g_ptr_array_unref);
  g_clear_pointer (&s->objects, g_ptr_array_unref);
  g_clear_pointer (&s->hosts, g_ptr_array_unref);
  g_clear_pointer (&s->types, g_ptr_array_unref);
  g_clear_pointer (&s->damage, g_ptr_array_unref);
  g_clear_pointer (&s->parts, g_array_unref);
  g_clear_pointer (&s->nicknames, g_hash_table_unref);
  g_clear_pointer (&s->early, g_array_unref);
  g_clear_pointer (&s->colours, g_hash_table_unref);
  g_clear_pointer (&s->left, g_free);
  g_clear_pointer (&s->reference, g_free);
  if (s->free_moments)
    g_clear_pointer (&s->moments, s->free_moments);
}

/* On one line, whatever a trace calls something: it stands in tables, in titles, in lines of text. */
static char *
copy_of_name (const char *id)
{
  char *visible = id != NULL ? visible_line (id, strlen (id)) : NULL;

  return visible ? visible : g_strdup (id);
}

uint32_t
trace_source_add_task (TraceSource *s, const char *id, int64_t raw)
{
  return trace_source_add_task_in (s, id, raw, TRACE_NONE, TRACE_NONE);
}

uint32_t
trace_source_add_task_in (TraceSource *s, const char *id, int64_t raw, uint32_t type, uint32_t parent)
{
  TraceTask *t = g_new0 (TraceTask, 1);
  t->id = copy_of_name (id);
  t->nickname = g_strdup (g_hash_table_lookup (s->nicknames, t->id));
  t->host = TRACE_NONE;
  t->raw = raw;
  t->type = type;
  t->parent = parent;
  g_ptr_array_add (s->tasks, t);
  return s->tasks->len - 1;
}

uint32_t
trace_source_add_object (TraceSource *s, const char *id)
{
  TraceObject *o = g_new0 (TraceObject, 1);
  o->id = copy_of_name (id);
  o->from = o->to = o->type = TRACE_NONE;
  g_ptr_array_add (s->objects, o);
  return s->objects->len - 1;
}

uint32_t
trace_source_add_link (TraceSource *s, const char *id, uint32_t from, uint32_t to)
{
  uint32_t link = trace_source_add_object (s, id);
  TraceObject *o = s->objects->pdata[link];
  o->from = from;
  o->to = to;
  return link;
}

uint32_t
trace_source_add_value (TraceSource *s, uint32_t type, const char *id)
{
  uint32_t object = trace_source_add_object (s, id);

  TraceObject *o = s->objects->pdata[object];
  const TraceType *t = type < s->types->len ? s->types->pdata[type] : NULL;
  o->type = type;
  if (t && t->kind == TRACE_STATES && t->does == TRACE_DOES_ANYTHING)
    o->does = trace_region_does (id);
  return object;
}

void
trace_source_set_colour (TraceSource *s, const char *name, uint32_t rgb)
{
  if (!s->colours)
    s->colours = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_size (s->colours) < TRACE_COLOURS_KEPT && !g_hash_table_contains (s->colours, name))
    g_hash_table_insert (s->colours, copy_of_name (name), GUINT_TO_POINTER ((rgb & 0xffffff) + 1));
}

void
trace_source_judge_colours (TraceSource *s)
{
  GHashTableIter iter;
  gpointer rgb, first = NULL;
  bool differ = false;

  if (!s->colours || g_hash_table_size (s->colours) == 1)
    return;
  for (g_hash_table_iter_init (&iter, s->colours); !differ && g_hash_table_iter_next (&iter, NULL, &rgb); first = rgb)
    differ = first && rgb != first;
  if (!differ)
    g_clear_pointer (&s->colours, g_hash_table_unref);
}

uint32_t
trace_source_add_type (TraceSource *s, TraceTypeKind kind, const char *name, const char *unit, uint32_t parent)
{
  TraceType *t = g_new0 (TraceType, 1);

  t->name = g_strdup (name);
  t->unit = g_strdup (unit);
  t->kind = kind;
  t->parent = parent;
  t->object = trace_source_add_value (s, s->types->len, name);
  g_ptr_array_add (s->types, t);
  return s->types->len - 1;
}

uint32_t
trace_source_add_own_type (TraceSource *s, TraceTypeKind kind, const char *name, const char *unit, uint32_t parent)
{
  uint32_t type = trace_source_add_type (s, kind, name, unit, parent);

  ((TraceType *) s->types->pdata[type])->own = true;
  return type;
}

const char *
trace_type_word (const TraceType *t)
{
  return t->own ? in_words (t->name) : t->name;
}

bool
trace_is_thing (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);

  return t && t->type < s->types->len && ((const TraceType *) s->types->pdata[t->type])->does == TRACE_RESTS;
}

uint32_t
trace_n_things (const TraceSource *s)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < s->tasks->len; i++)
    n += trace_is_thing (s, i);
  return n;
}

uint32_t
trace_source_add_host (TraceSource *s, const char *name, const char *arch, int64_t speed)
{
  TraceHost *h = g_new0 (TraceHost, 1);
  h->name = g_strdup (name);
  h->arch = g_strdup (arch);
  h->speed = speed;
  g_ptr_array_add (s->hosts, h);
  return s->hosts->len - 1;
}

/* Takes `reason`. */
static void
keep_damage (TraceSource *s, const char *file, uint64_t line, uint64_t column, char *reason)
{
  TraceDamage *d = g_new0 (TraceDamage, 1);

  *d = (TraceDamage){ g_strdup (file), line, column, reason };
  g_ptr_array_add (s->damage, d);
}

void
trace_source_damage (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt, ...)
{
  va_list args;

  s->n_damaged++;
  if (s->damage->len >= TRACE_DAMAGE_KEPT)
    return;
  va_start (args, fmt);
  keep_damage (s, file, line, column, g_strdup_vprintf (fmt, args));
  va_end (args);
}

#define MOST_REASON 400 /* bytes */

/* A sentence that may hold words of the file, whatever bytes they are, and however long. */
static void
keep_words (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt, va_list args)
{
  if (s->damage->len >= TRACE_DAMAGE_KEPT)
    return;
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  keep_damage (s, file, line, column, g_utf8_make_valid (text, (gssize) MIN (strlen (text), MOST_REASON)));
}

void
trace_source_part (TraceSource *s, const char *name, uint64_t n, uint64_t whole)
{
  g_array_append_val (s->parts, ((TracePart){ g_intern_string (name), n, whole }));
}

void
trace_source_damage_list (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt,
                          va_list args)
{
  s->n_damaged++;
  keep_words (s, file, line, column, fmt, args);
}

void
trace_source_remark (TraceSource *s, const char *file, uint64_t line, uint64_t column, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  keep_words (s, file, line, column, fmt, args);
  va_end (args);
}

const char *
trace_task_id (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);
  return t ? t->id : "?";
}

const char *
trace_task_name (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);
  return !t ? "?" : t->nickname && *t->nickname ? t->nickname : t->id;
}

const char *
trace_object_id (const TraceSource *s, uint32_t object)
{
  return object < s->objects->len ? ((TraceObject *) s->objects->pdata[object])->id : "?";
}

/* ---- clock ---- */

/* Digits after the point with which every tick prints differently. */
static int
clock_digits (const TraceClock *clock)
{
  int digits = 0;
  for (int64_t unit = 1; unit < clock->ticks_per_second && digits < 18; unit *= 10)
    digits++;
  return digits;
}

static const int64_t power10[] = {
  1,
  10,
  100,
  1000,
  10000,
  100000,
  1000000,
  10000000,
  100000000,
  1000000000,
  10000000000,
  100000000000,
  1000000000000,
  10000000000000,
  100000000000000,
  1000000000000000,
  10000000000000000,
  100000000000000000,
  1000000000000000000,
};

void
trace_write_bytes (double bytes, char *buf, size_t n)
{
  static const char *const units[] = { N_ ("B"), N_ ("kB"), N_ ("MB"), N_ ("GB"), N_ ("TB"), N_ ("PB"), N_ ("EB") };
  size_t unit = 0;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  while (bytes >= 999.5 && unit + 1 < G_N_ELEMENTS (units)) {
    bytes /= 1000;
    unit++;
  }
  g_ascii_formatd (number, sizeof number, unit > 0 && bytes < 99.95 ? "%.1f" : "%.0f", bytes);
  snprintf (buf, n, "%s %s", number_local (number), in_words (units[unit]));
}

void
trace_write_span (double seconds, char *buf, size_t n)
{
  static const char *const units[] = { "ns", "µs", "ms", "s" };
  unsigned unit = 0;
  double x = seconds * 1e9;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  while (unit < 3 && fabs (x) >= 999.5) {
    x /= 1000;
    unit++;
  }
  if (x == 0)
    unit = 3;
  g_ascii_formatd (number, sizeof number, fabs (x) >= 999.5 ? "%.0f" : "%.3g", x); /* never "1.2e+03" */
  snprintf (buf, n, "%s\u2009%s", number_local (number), units[unit]);
}

void
trace_clock_print (const TraceClock *clock, int64_t date, char *buf, size_t n)
{
  int digits = clock_digits (clock);
  uint64_t ticks = date < 0 ? 0 - (uint64_t) date : (uint64_t) date, per = (uint64_t) clock->ticks_per_second;
  uint64_t whole = ticks / per;
  uint64_t part = (uint64_t) (((unsigned __int128) (ticks % per) * (uint64_t) power10[digits] + per / 2) / per);
  if (part == (uint64_t) power10[digits]) {
    whole++;
    part = 0;
  }
  for (; digits < 6; digits++)
    part *= 10;
  for (; digits > 6 && part % 10 == 0; digits--)
    part /= 10;
  snprintf (buf, n, "%s%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT, date < 0 ? "-" : "", whole, digits, part);
}

/* "e-05" behind a number of `*digits` decimal places, as JSON and C write small numbers: the number is another then.
 * False: it is too large. */
static bool
parse_exponent (const char **text, unsigned __int128 *whole, unsigned __int128 *part, int *digits, bool *beyond)
{
  char *end;

  if (g_ascii_tolower (**text) != 'e'
      || !(g_ascii_isdigit ((*text)[1]) || ((*text)[1] && g_ascii_isdigit ((*text)[2]))))
    return true;
  int64_t exponent = CLAMP (g_ascii_strtoll (*text + 1, &end, 10), -100, 100) - *digits;
  unsigned __int128 all = *whole * (unsigned __int128) power10[*digits] + *part;
  *text = end;
  for (; exponent > 0; exponent--)
    if ((all *= 10) > (unsigned __int128) 1 << 62)
      return false;
  for (; exponent < -18; exponent++) {
    *beyond |= all % 10 != 0;
    all /= 10;
  }
  *digits = (int) -exponent;
  *whole = all / (unsigned __int128) power10[*digits];
  *part = all % (unsigned __int128) power10[*digits];
  return true;
}

bool
trace_clock_parse (const TraceClock *clock, const char *text, int64_t *date)
{
  const unsigned __int128 limit = (unsigned __int128) 1 << 62;
  unsigned __int128 whole = 0, part = 0;
  int digits = 0, seen = 0;
  bool beyond = false; /* something after the 18th digit */
  while (g_ascii_isspace (*text))
    text++;
  bool negative = *text == '-', since = *text == '+';
  text += *text == '-' || *text == '+';
  for (; g_ascii_isdigit (*text); text++, seen++) {
    whole = whole * 10 + (unsigned) (*text - '0');
    if (whole > limit)
      return false;
  }
  if (*text == '.')
    for (text++; g_ascii_isdigit (*text); text++, seen++) {
      if (digits < 18) {
        part = part * 10 + (unsigned) (*text - '0');
        digits++;
      } else {
        beyond |= *text != '0';
      }
    }
  if (seen && !parse_exponent (&text, &whole, &part, &digits, &beyond))
    return false;
  while (g_ascii_isspace (*text))
    text++;
  if (*text || !seen)
    return false;
  unsigned __int128 unit = (unsigned __int128) power10[digits];
  unsigned __int128 scaled = part * (unsigned __int128) clock->ticks_per_second;
  unsigned __int128 ticks = scaled / unit, rest = scaled % unit;
  if (2 * rest > unit || (2 * rest == unit && (rest || beyond)))
    ticks++; /* to the nearest tick */
  ticks += whole * (unsigned __int128) clock->ticks_per_second;
  if (ticks > limit)
    return false;
  __int128 sum = negative ? -(__int128) ticks : (__int128) ticks + (since ? clock->zero : 0);
  if (sum > (__int128) limit)
    return false;
  *date = (int64_t) sum;
  return true;
}

double
trace_clock_seconds (const TraceClock *clock, int64_t date)
{
  return (double) date / (double) clock->ticks_per_second;
}

bool
trace_date_written (const TraceClock *clock, int64_t date, char *buf, size_t n)
{
  return clock->dates && clock->dates->write && clock->of && clock->dates->write (clock->of, date, buf, n);
}

TraceSequence
trace_compare (const TraceEvent *a, const TraceEvent *b)
{
  const TraceSource *s = a->source == b->source ? trace_source (a->source) : NULL;

  if (s && a->number == b->number)
    return TRACE_SAME;
  if (s && s->clock.dates && s->clock.dates->compare)
    return s->clock.dates->compare (a, b);
  return a->date < b->date ? TRACE_BEFORE : a->date > b->date ? TRACE_AFTER : TRACE_SAME;
}

/* ---- types ---- */

static void
event_print (const void *slot, char *buf, size_t n)
{
  TraceEvent e;
  memcpy (&e, slot, sizeof e);
  g_autofree char *text = trace_sentence (&e);
  g_strlcpy (buf, text, n);
}

static int64_t
event_date (const void *slot)
{
  int64_t date;
  memcpy (&date, (const char *) slot + offsetof (TraceEvent, date), sizeof date);
  return date;
}

static void
event_sample (void *slot, uint64_t n)
{
  TraceEvent e = { .date = (int64_t) (n >> 1 << 20),
                   .duration = 1000,
                   .number = n,
                   .record = n / 2 * 46,
                   .size = (int64_t) (n % 4096),
                   .task = (uint32_t) (n / 2 % 4),
                   .peer = (uint32_t) ((n / 2 + 1) % 4),
                   .object = TRACE_NONE,
                   .tag = (int32_t) (n % 7),
                   .flags = n & 1 ? TRACE_END : 0 };
  memcpy (slot, &e, sizeof e);
}

/* The name of the reader of `p` that has a source; "": none has. */
static const char *
event_reader_of (EveProgram *p, uint16_t number)
{
  const TraceSource *s = trace_source (number);
  for (uint32_t i = 0; s && p && i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    const TraceReader *reader = eve_query (c, "trace-reader/1");
    if (reader && reader->source (c) == s)
      return eve_name (c);
  }
  return "";
}

/* By what trace_put_source() wrote. */
static const TraceSource *
source_called (EveProgram *p, const char *name)
{
  EveComponent *c = p && *name ? eve_find (p, name) : NULL;
  const TraceReader *reader = c ? eve_query (c, "trace-reader/1") : NULL;
  const TraceSource *s = reader ? reader->source (c) : NULL;
  for (const TraceSource *other = NULL; *name && !s && (other = trace_source_after (other ? other->number : 0));)
    if (g_str_equal (other->name, name))
      s = other;
  return s;
}

void
trace_put_source (EveProgram *p, uint16_t number, EveBlob *to)
{
  const TraceSource *s = trace_source (number);
  const char *name = event_reader_of (p, number);
  eve_put_text (to, s && !*name ? s->name : name);
}

uint16_t
trace_get_source (EveProgram *p, EveBlobView *from)
{
  const TraceSource *s = source_called (p, eve_get_text (from));
  return s ? s->number : 0;
}

static void
event_save (EveProgram *p, const void *slot, EveBlob *to)
{
  TraceEvent e;
  memcpy (&e, slot, sizeof e);
  trace_put_source (p, e.source, to);
  const int64_t numbers[] = {
    e.date, e.duration, (int64_t) e.number, (int64_t) e.record, e.size, e.task, e.peer, e.object, e.tag, e.result,
    e.kind, e.flags
  };
  eve_put_ints (to, numbers, EVE_N (numbers));
}

static bool
event_load (EveProgram *p, void *slot, EveBlobView *from)
{
  const char *name = eve_get_text (from);
  const TraceSource *s = source_called (p, name);
  int64_t v[12];
  if (eve_get_ints (from, v, EVE_N (v)) != EVE_N (v) || !eve_get_ok (from) || (s && v[10] >= s->n_kinds))
    return false;
  if (*name && !s)
    return false;
  TraceEvent e = { .date = v[0],
                   .duration = v[1],
                   .number = (uint64_t) v[2],
                   .record = TRACE_RECORD ((uint64_t) v[3]),
                   .size = v[4],
                   .task = (uint32_t) v[5],
                   .peer = (uint32_t) v[6],
                   .object = (uint32_t) v[7],
                   .tag = (int32_t) v[8],
                   .result = (int32_t) v[9],
                   .kind = (uint16_t) v[10],
                   .flags = (uint8_t) v[11],
                   .source = s ? s->number : 0 };
  memcpy (slot, &e, sizeof e);
  return true;
}

const EveType trace_type_event = {
  .name = "trace event",
  .size = sizeof (TraceEvent),
  .align = _Alignof(TraceEvent),
  .colour = 0x8e4bb0,
  .print = event_print,
  .date = event_date,
  .sample = event_sample,
  .save = event_save,
  .load = event_load,
};

static const char *const verb_names[] = { "go", "go until", "pause", "stop", "mark", "save", "go to mark" };

static void
command_print (const void *slot, char *buf, size_t n)
{
  TraceCommand c;
  memcpy (&c, slot, sizeof c);
  const char *verb = c.verb < G_N_ELEMENTS (verb_names) ? verb_names[c.verb] : "?";
  if (c.verb == TRACE_GO_EVENTS && c.number == UINT64_MAX)
    snprintf (buf, n, "%s", verb);
  else if (c.verb == TRACE_GO_EVENTS)
    snprintf (buf, n, "%s: %" G_GUINT64_FORMAT " events", verb, c.number);
  else if (c.verb == TRACE_GO_UNTIL)
    snprintf (buf, n, "%s %" G_GINT64_FORMAT, verb, c.date);
  else if (c.verb == TRACE_PAUSE || c.verb == TRACE_STOP)
    snprintf (buf, n, "%s", verb);
  else
    snprintf (buf, n, "%s %.*s", verb, (int) sizeof c.name, c.name);
}

static void
command_sample (void *slot, uint64_t n)
{
  TraceCommand c = { .verb = (uint32_t) (n % G_N_ELEMENTS (verb_names)), .date = (int64_t) n * 1000, .number = n };
  snprintf (c.name, sizeof c.name, "mark %u", (unsigned) (n % 100));
  memcpy (slot, &c, sizeof c);
}

const EveType trace_type_command = {
  .name = "session command",
  .size = sizeof (TraceCommand),
  .align = _Alignof(TraceCommand),
  .colour = 0xd9640d,
  .print = command_print,
  .sample = command_sample,
};

/* ---- calls that never end ------------------------------------------------------------------------------------------------------------ */

/* What ends by itself when nothing comes is no wait without end: its kind tells a time. */
static bool
is_timed (const TraceKind *k)
{
  for (uint32_t i = 0; i < k->n_fields; ++i)
    if (k->fields[i].role == TRACE_ROLE_INT && g_str_has_suffix (k->fields[i].name, "_ns"))
      return true;
  return false;
}

uint32_t
trace_asked (const TraceKind *k, const TraceEvent *e, int32_t *tag)
{
  uint32_t on = e->peer;

  *tag = MAX (e->tag, -1);
  if (is_timed (k))
    return TRACE_NONE;
  for (uint32_t i = 0; i < k->n_fields; ++i) {
    const TraceField *f = &k->fields[i];
    TraceValue v;
    if (f->role == TRACE_ROLE_TASK && e->peer == TRACE_NONE && on == TRACE_NONE
        && (v = trace_value (e, i)).kind == TRACE_VALUE_TASK)
      on = (uint32_t) v.i;
    else if (f->role == TRACE_ROLE_INT && g_str_has_suffix (f->name, "tag")) {
      v = trace_value (e, i);
      *tag = v.kind == TRACE_VALUE_INT && v.i >= 0 && v.i <= INT32_MAX ? (int32_t) v.i : -1;
    }
  }
  return on;
}

guint8 *
trace_byte_of (GByteArray *all, uint32_t number)
{
  guint n = all->len;

  if (number >= n) {
    g_byte_array_set_size (all, number + 1);
    memset (all->data + n, 0, number + 1 - n);
  }
  return &all->data[number];
}
