/* SPDX-License-Identifier: Apache-2.0 */
/* film-overview.c - the overview of a film: how long all tasks together were in each state, by bucket of dates.
 *
 * The file holds running sums at the boundaries of the buckets, read from the state graph just after the last event
 * before each: exact, a few microseconds a boundary, and no event is looked at for it.  A model that nests states keeps
 * sums over all nodes; where some are not to be counted, and when a state is met first, all nodes are asked.  Of a
 * program with several executions the sums of each stand beside each other: the names of the states of the second one
 * begin with "1" and a tab, and so on. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "eve/words.h"
#include "session/film.h"
#include "eve/disk.h"

#define MAGIC "SCOPEOV\n"
#define VERSION 4
#define HEADER 64      /* bytes */
#define STATES 64      /* that are kept apart; when there are more, the last is all others */
#define RECORD_HEAD 32 /* bytes: length, date, events, number of sums */
#define MOST_RECORD 65536
#define MOST_NAME 500

/* What all tasks have spent in each state by a date. */
typedef struct Boundary {
  int64_t date, events;
  guint n; /* the states beyond are 0 */
  int64_t spent[STATES];
} Boundary;

/* One of the executions. */
typedef struct Share {
  guint nth;       /* 0: the leading one */
  GArray *slots;   /* by value of the state: place among the names + 1; 0: not looked up yet */
  GArray *counts;  /* by node: 0 not looked up yet, else a Counts */
  bool some_apart; /* COUNTS_NOT, some */
} Share;

struct FilmSums {
  int fd;
  char *path;
  GPtrArray *names; /* of char *: of the states, in the order of their sums */
  guint n_written;  /* names that the file has */
  Share told[FILM_EXECUTIONS];
  guint n_told;  /* of them that there are; at least 1 */
  GArray *times; /* of StateTime, for a moment */
  uint64_t bytes;
  guint n; /* boundaries there are */
  /* Of a trace that grows: a bucket takes `each` ticks, and the n boundaries are kept to be thinned out. */
  int64_t first, each;
  Boundary *kept;
};

int64_t
film_bucket (int64_t first, int64_t last, guint k)
{
  if (first > last)
    return 0;
  /* in two parts: the whole would not fit 64 bits for long traces of fine clocks */
  uint64_t length = (uint64_t) last - (uint64_t) first, each = length / FILM_BUCKETS, rest = length % FILM_BUCKETS;

  return (int64_t) ((uint64_t) first + each * k + rest * k / FILM_BUCKETS);
}

static bool
io_error (const char *path, GError **error)
{
  g_set_error (error, FILM_ERROR, FILM_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
  return false;
}

static bool
film_overview_append (FilmSums *o, const void *from, size_t n, GError **error)
{
  if (!disk_pwrite (o->fd, from, n, o->bytes))
    return io_error (o->path, error);
  o->bytes += n;
  return true;
}

/* ---- states, by name ------------------------------------------------------------------------------------------------ */

/* As the file has it. */
static char *
name_in_file (const Share *of, const char *name)
{
  g_autofree char *cut = g_strndup (name, MOST_NAME), *valid = g_utf8_make_valid (cut, -1);

  g_strdelimit (valid, "\t", ' ');
  return of->nth > 0 ? g_strdup_printf ("%u\t%s", of->nth, valid) : g_steal_pointer (&valid);
}

/* -1: it has none yet. */
static int
slot_there (const FilmSums *o, const Share *of, const char *name)
{
  g_autofree char *in_file = name_in_file (of, name);

  for (guint i = 0; i < o->names->len; ++i)
    if (strcmp (o->names->pdata[i], in_file) == 0)
      return (int) i;
  return -1;
}

/* Where the sum of a state is. */
static guint
slot_called (FilmSums *o, const Share *of, const char *name)
{
  int there = slot_there (o, of, name);

  if (there >= 0)
    return (guint) there;
  if (o->names->len >= STATES - o->n_told && strcmp (name, FILM_OTHERS) != 0)
    return slot_called (o, of, FILM_OTHERS);
  if (o->names->len >= STATES) /* only where what is gone on with kept no place for the others of each execution */
    return STATES - 1;
  g_ptr_array_add (o->names, name_in_file (of, name));
  return o->names->len - 1;
}

static guint
film_overview_slot_of (FilmSums *o, Share *of, const StateModel *m, uint32_t value)
{
  int attribute = state_with_role (m, STATE_NODE, STATE_ROLE_STATE);

  if (value == STATE_OTHERS)
    return slot_called (o, of, FILM_OTHERS);
  if (value >= of->slots->len)
    g_array_set_size (of->slots, value + 1);
  uint8_t *slot = &g_array_index (of->slots, uint8_t, value);
  if (*slot == 0)
    *slot = (uint8_t) (slot_called (o, of, state_value (m, attribute, value)->name) + 1);
  return *slot - 1u;
}

/* A model that nests states tells the time of all; else of those that some percentage of nodes is about. */
static bool
measures (const StateModel *m, uint32_t attribute)
{
  return m->attributes[attribute].scope == STATE_NODE && m->attributes[attribute].kind == STATE_PERCENT;
}

static void
film_overview_add_times (FilmSums *o, Share *of, const StateGraph *g, uint32_t node, int64_t at, Boundary *b)
{
  g_array_set_size (o->times, 0);
  state_times (g, node, at, o->times);
  for (guint i = 0; i < o->times->len; ++i) {
    const StateTime *t = &g_array_index (o->times, StateTime, i);
    if (t->spent > 0)
      b->spent[film_overview_slot_of (o, of, g->model, t->value)] += t->spent;
  }
}

enum { COUNTS = 1, COUNTS_NOT };

static bool
film_overview_has_states (const TraceSource *s, uint32_t type)
{
  for (guint i = 0; i < s->types->len; ++i) {
    const TraceType *t = s->types->pdata[i];
    if (t->kind == TRACE_STATES && t->parent == type)
      return true;
  }
  return false;
}

/* Whether tasks of that type tell once more of the time of those around them: as the calls of a thread whose states the
 * trace has too. */
static bool
tells_again (const TraceSource *s, uint32_t type)
{
  const TraceType *t = type < s->types->len ? s->types->pdata[type] : NULL;

  return t && t->kind == TRACE_ENTITY && t->parent != TRACE_NONE && film_overview_has_states (s, t->parent)
         && !film_overview_has_states (s, type);
}

/* Looks up the nodes that are new; of most traces none has to be. */
static void
look_up_nodes (Share *of, const StateGraph *g)
{
  const TraceSource *s = trace_source (g->source);
  guint n = of->counts->len;
  bool any = false;

  if (n >= g->n_nodes)
    return;
  g_array_set_size (of->counts, g->n_nodes);
  g_autofree bool *again = g_new0 (bool, s ? s->types->len + 1 : 1);
  for (uint32_t i = 0; s && i < s->types->len; ++i)
    any |= again[i] = tells_again (s, i);
  memset (of->counts->data + n, COUNTS, g->n_nodes - n);
  if (!any)
    return;
  g_autoptr (GHashTable) apart = g_hash_table_new (g_str_hash, g_str_equal);
  for (uint32_t i = 0; i < s->tasks->len; ++i) {
    const TraceTask *t = trace_task (s, i);
    if (t->type < s->types->len && again[t->type] && t->parent != TRACE_NONE)
      g_hash_table_add (apart, t->id);
  }
  for (guint node = n; node < g->n_nodes; ++node)
    if (g_hash_table_contains (apart, g->node_id (g, node))) {
      of->counts->data[node] = COUNTS_NOT;
      of->some_apart = true;
    }
}

static bool
film_overview_counts (const Share *of, uint32_t node)
{
  return of->counts->data[node] != COUNTS_NOT;
}

/* Whether the place of a state's sum is known.  Places are given in the order of the nodes that are first in one. */
static bool
has_slot (const FilmSums *o, const Share *of, uint32_t value)
{
  if (value != STATE_OTHERS)
    return value < of->slots->len && g_array_index (of->slots, uint8_t, value) != 0;
  return slot_there (o, of, FILM_OTHERS) >= 0;
}

/* False: the model keeps no sums, or they are of no use here. */
static bool
take_sums (FilmSums *o, Share *of, const StateGraph *g, int64_t at, Boundary *b)
{
  if (!g->model->sums || !g->model->times || of->some_apart)
    return false;
  g_array_set_size (o->times, 0);
  g->model->sums (g, at, o->times);
  for (guint i = 0; i < o->times->len; ++i) {
    const StateTime *t = &g_array_index (o->times, StateTime, i);
    if (t->spent != 0 && !has_slot (o, of, t->value))
      return false;
  }
  for (guint i = 0; i < o->times->len; ++i) {
    const StateTime *t = &g_array_index (o->times, StateTime, i);
    if (t->spent != 0)
      b->spent[film_overview_slot_of (o, of, g->model, t->value)] += t->spent;
  }
  return true;
}

/* How long all nodes that count were in a state, of a model without `times`; o->times: its sums, or nothing. */
static int64_t
spent_by_all (const FilmSums *o, const Share *of, const StateGraph *g, uint32_t value, int64_t at)
{
  int64_t all = 0;

  for (guint i = 0; i < o->times->len; ++i)
    if (g_array_index (o->times, StateTime, i).value == value)
      return g_array_index (o->times, StateTime, i).spent;
  for (uint32_t node = 0; o->times->len == 0 && node < g->n_nodes; ++node) {
    int64_t spent = 0, total;
    if (!film_overview_counts (of, node))
      continue;
    g->model->spent (g, STATE_NODE, node, value, at, &spent, &total);
    all += spent;
  }
  return all;
}

static void
film_overview_sum_up (FilmSums *o, Share *of, const StateGraph *g, int64_t at, Boundary *b)
{
  look_up_nodes (of, g);
  if (take_sums (o, of, g, at, b)) {
    b->n = o->names->len;
    return;
  }
  g_array_set_size (o->times, 0);
  if (!g->model->times && g->model->sums && !of->some_apart)
    g->model->sums (g, at, o->times);
  for (uint32_t a = 0; !g->model->times && a < g->model->n_attributes; ++a)
    if (measures (g->model, a)) {
      uint32_t value = g->model->attributes[a].of;
      b->spent[film_overview_slot_of (o, of, g->model, value)] += spent_by_all (o, of, g, value, at);
    }
  for (uint32_t node = 0; g->model->times && node < g->n_nodes; ++node)
    if (film_overview_counts (of, node))
      film_overview_add_times (o, of, g, node, at, b);
  b->n = o->names->len;
}

/* ---- records -------------------------------------------------------------------------------------------------------- */

static void
film_overview_put_number (GString *to, uint64_t n)
{
  uint8_t bytes[8];

  bytes_put64 (bytes, n);
  g_string_append_len (to, (const char *) bytes, sizeof bytes);
}

/* With the names that the file does not have yet. */
static void
film_overview_put_record (FilmSums *o, const Boundary *b, GString *to)
{
  gsize begin = to->len;

  film_overview_put_number (to, 0); /* the length, which is known at the end */
  film_overview_put_number (to, (uint64_t) b->date);
  film_overview_put_number (to, (uint64_t) b->events);
  film_overview_put_number (to, b->n);
  for (guint i = 0; i < b->n; ++i)
    film_overview_put_number (to, (uint64_t) b->spent[i]);
  for (; o->n_written < o->names->len; ++o->n_written) {
    const char *name = o->names->pdata[o->n_written];
    g_string_append_len (to, name, (gssize) strlen (name) + 1);
  }
  while ((to->len - begin) % 8)
    g_string_append_c (to, '\0');
  bytes_put64 ((uint8_t *) to->str + begin, to->len - begin + 8);
  film_overview_put_number (to, bytes_fnv (to->str + begin, to->len - begin));
}

/* The record at *at of n bytes, and the names in it; false: there is none that is whole and sound. */
static bool
film_overview_get_record (const char *bytes, gsize n, gsize *at, Boundary *b, GPtrArray *names)
{
  const uint8_t *record = (const uint8_t *) bytes + *at;
  uint64_t left = n - *at, length = left >= 8 ? bytes_get64 (record) : 0, n_sums;

  if (length < RECORD_HEAD + 8 || length > left || length > MOST_RECORD || length % 8
      || bytes_get64 (record + length - 8) != bytes_fnv (record, length - 8))
    return false;
  n_sums = bytes_get64 (record + 24);
  if (n_sums > STATES || RECORD_HEAD + 8 * n_sums + 8 > length)
    return false;
  *b = (Boundary){ .date = (int64_t) bytes_get64 (record + 8),
                   .events = (int64_t) bytes_get64 (record + 16),
                   .n = (guint) n_sums };
  for (guint i = 0; i < b->n; ++i)
    b->spent[i] = (int64_t) bytes_get64 (record + RECORD_HEAD + 8 * i);
  const char *text = (const char *) record + RECORD_HEAD + 8 * n_sums, *end = (const char *) record + length - 8;
  for (const char *name = text; name < end && *name; name += strlen (name) + 1) {
    if (!memchr (name, '\0', (gsize) (end - name)) || !g_utf8_validate (name, -1, NULL) || names->len == STATES)
      return false;
    g_ptr_array_add (names, g_strdup (name));
  }
  *at += length;
  return b->n <= names->len;
}

static void
film_overview_put_head (GString *to, int64_t first, int64_t last, int64_t ticks)
{
  const int64_t numbers[] = { VERSION, FILM_BUCKETS, first, last, ticks, 0 };
  gsize begin = to->len;

  g_string_append (to, MAGIC);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); ++i)
    film_overview_put_number (to, (uint64_t) numbers[i]);
  film_overview_put_number (to, bytes_fnv (to->str + begin, HEADER - 8));
}

static bool
film_overview_get_head (const char *bytes, gsize n, int64_t numbers[5])
{
  if (n < HEADER || memcmp (bytes, MAGIC, 8) != 0
      || bytes_get64 ((const uint8_t *) bytes + HEADER - 8) != bytes_fnv (bytes, HEADER - 8))
    return false;
  for (guint i = 0; i < 5; ++i)
    numbers[i] = (int64_t) bytes_get64 ((const uint8_t *) bytes + 8 + 8 * i);
  return numbers[0] == VERSION && numbers[1] == FILM_BUCKETS;
}

/* ---- the file ------------------------------------------------------------------------------------------------------- */

static guint
count_told (const Session *s)
{
  g_autoptr (GArray) all = session_executions (s);

  return CLAMP (all->len, 1, FILM_EXECUTIONS);
}

static FilmSums *
open_sums (const char *folder, const Session *s, GError **error)
{
  FilmSums *o = g_new0 (FilmSums, 1);

  o->path = g_build_filename (folder, "overview", NULL);
  o->names = g_ptr_array_new_with_free_func (g_free);
  o->times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  o->n_told = count_told (s); /* a place is kept for the others of each, whose names come last */
  for (guint i = 0; i < FILM_EXECUTIONS; ++i)
    o->told[i] = (Share){ i, g_array_new (FALSE, TRUE, sizeof (uint8_t)), g_array_new (FALSE, TRUE, sizeof (uint8_t)),
                          false };
  o->fd = disk_open_write (o->path, NULL);
  if (o->fd >= 0)
    return o;
  io_error (o->path, error);
  film_sums_free (o);
  return NULL;
}

/* The names and the number of the boundaries that the first bytes of the file tell; false: they are damaged. */
static bool
go_on_at (FilmSums *o, uint64_t bytes)
{
  g_autofree char *text = NULL;
  gsize n = 0, at = HEADER;
  int64_t numbers[5];
  Boundary b;

  if (!(text = disk_read (o->path, NULL, 256 * DISK_MIB, &n, NULL)) || n < bytes
      || !film_overview_get_head (text, n, numbers))
    return false;
  while (at < bytes && film_overview_get_record (text, bytes, &at, &b, o->names))
    ++o->n;
  o->n_written = o->names->len;
  o->bytes = bytes;
  return at == bytes;
}

FilmSums *
film_sums_new (const char *folder, const Session *s, uint64_t bytes, GError **error)
{
  FilmSums *o = open_sums (folder, s, error);

  if (!o)
    return NULL;
  bool ok = bytes == 0 || go_on_at (o, bytes);
  if (ok && ftruncate (o->fd, (off_t) bytes) != 0)
    ok = io_error (o->path, error);
  if (ok && bytes == 0) {
    g_autoptr (GString) head = g_string_new (NULL);
    film_overview_put_head (head, s->first, s->last, s->source->clock.ticks_per_second);
    ok = film_overview_append (o, head->str, head->len, error);
  }
  if (ok)
    return o;
  film_sums_free (o);
  return NULL;
}

/* ---- of a trace that grows -------------------------------------------------------------------------------------------- */

int64_t
film_sums_next (const FilmSums *o)
{
  return o->first + o->each * (int64_t) o->n;
}

/* All of the file at once. */
static bool
write_kept (FilmSums *o, const Session *s, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);

  film_overview_put_head (all, o->first, o->first + o->each * FILM_BUCKETS, s->source->clock.ticks_per_second);
  o->n_written = 0;
  for (guint k = 0; k < o->n; ++k)
    film_overview_put_record (o, &o->kept[k], all);
  o->bytes = 0;
  return (ftruncate (o->fd, 0) == 0 || io_error (o->path, error))
         && film_overview_append (o, all->str, all->len, error);
}

/* The boundaries of the file that lie before `from`; false: some of these are not there. */
static bool
read_kept (FilmSums *o, int64_t from)
{
  g_autofree char *text = NULL;
  gsize n = 0, at = HEADER;
  int64_t numbers[5];
  Boundary b;

  if (!(text = disk_read (o->path, NULL, 256 * DISK_MIB, &n, NULL)) || !film_overview_get_head (text, n, numbers)
      || numbers[2] != o->first || numbers[3] - numbers[2] < FILM_BUCKETS)
    return false;
  o->each = (numbers[3] - numbers[2]) / FILM_BUCKETS;
  while (o->n <= FILM_BUCKETS && film_sums_next (o) < from && film_overview_get_record (text, n, &at, &b, o->names))
    o->kept[o->n++] = b;
  return o->n > 0 && film_sums_next (o) >= from;
}

FilmSums *
film_sums_new_growing (const char *folder, const Session *s, int64_t from, GError **error)
{
  FilmSums *o = open_sums (folder, s, error);

  if (!o)
    return NULL;
  o->kept = g_new (Boundary, FILM_BUCKETS + 1);
  o->first = s->first;
  o->each = MAX (s->source->clock.ticks_per_second / 1000, 1);
  if ((from == INT64_MIN || read_kept (o, from)) && write_kept (o, s, error))
    return o;
  film_sums_free (o);
  return NULL;
}

/* A boundary more; where there is no room for it every other one goes. */
static bool
film_overview_keep (FilmSums *o, const Session *s, const Boundary *b, GError **error)
{
  o->kept[o->n++] = *b;
  if (o->n <= FILM_BUCKETS) {
    g_autoptr (GString) record = g_string_new (NULL);
    film_overview_put_record (o, b, record);
    return film_overview_append (o, record->str, record->len, error);
  }
  o->n = FILM_BUCKETS / 2 + 1;
  o->each *= 2;
  for (guint k = 1; k < o->n; ++k)
    o->kept[k] = o->kept[2 * k];
  return write_kept (o, s, error);
}

/* Of several executions those that are over do nothing any more. */
static int64_t
until_its_end (const StateGraph *g, int64_t at)
{
  const TraceSource *s = trace_source (g->source);

  return s && s->ended && s->first <= s->last ? MIN (at, s->last) : at;
}

static void
sum_up_others (FilmSums *o, const Session *s, int64_t at, Boundary *b)
{
  g_autoptr (GArray) all = session_executions (s);

  for (guint i = 1; i < MIN (o->n_told, all->len); ++i) {
    const SessionExecution *one = &g_array_index (all, SessionExecution, i);
    const StateGraph *g = one->simulator ? eve_query (one->simulator, "state-graph/1") : NULL;
    if (g)
      film_overview_sum_up (o, &o->told[i], g, MAX (g->clock, until_its_end (g, at)), b);
  }
}

bool
film_sums_add (FilmSums *o, const Session *s, int64_t at, GError **error)
{
  Boundary b = { .date = at, .events = (int64_t) session_events_read (s) / MAX (s->readers->len, 1) };

  if (s->graph)
    film_overview_sum_up (o, &o->told[0], s->graph, MAX (s->graph->clock, until_its_end (s->graph, at)), &b);
  if (s->readers->len > 1)
    sum_up_others (o, s, at, &b);
  if (o->kept)
    return film_overview_keep (o, s, &b, error);
  g_autoptr (GString) record = g_string_new (NULL);
  film_overview_put_record (o, &b, record);
  ++o->n;
  return film_overview_append (o, record->str, record->len, error);
}

uint64_t
film_sums_bytes (const FilmSums *o)
{
  return o->kept ? 0 : o->bytes; /* one that grows is written anew now and then */
}

guint
film_sums_n (const FilmSums *o)
{
  return o->n;
}

void
film_sums_free (FilmSums *o)
{
  if (!o)
    return;
  if (o->fd >= 0)
    close (o->fd);
  g_ptr_array_unref (o->names);
  for (guint i = 0; i < FILM_EXECUTIONS; ++i) {
    g_array_unref (o->told[i].slots);
    g_array_unref (o->told[i].counts);
  }
  g_array_unref (o->times);
  g_free (o->path);
  g_free (o->kept);
  g_free (o);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

uint64_t
film_overview_sound (const char *path, uint64_t *size)
{
  g_autofree char *bytes = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gsize n = 0, at = HEADER;
  int64_t numbers[5];
  Boundary b;

  *size = 0;
  if (!(bytes = disk_read (path, NULL, 256 * DISK_MIB, &n, NULL)))
    return 0;
  *size = n;
  if (!film_overview_get_head (bytes, n, numbers))
    return 0;
  while (film_overview_get_record (bytes, n, &at, &b, names))
    ;
  return at;
}

/* The execution that a state is of, and its name without that. */
static void
split_name (char *name, guint *of, guint *n_executions)
{
  char *tab = strchr (name, '\t');
  guint64 nth = 0;

  if (!tab)
    return;
  *tab = '\0';
  if (g_ascii_string_to_unsigned (name, 10, 0, FILM_EXECUTIONS - 1, &nth, NULL))
    *of = (guint) nth;
  *n_executions = MAX (*n_executions, *of + 1);
  memmove (name, tab + 1, strlen (tab + 1) + 1);
}

static bool
understand (FilmOverview *o, const char *bytes, gsize n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree Boundary *all = g_new (Boundary, FILM_BUCKETS + 1);
  gsize at = HEADER;
  int64_t numbers[5];
  guint n_records = 0;

  if (!film_overview_get_head (bytes, n, numbers))
    return false;
  while (n_records <= FILM_BUCKETS && film_overview_get_record (bytes, n, &at, &all[n_records], names))
    ++n_records;
  o->first = numbers[2];
  o->last = numbers[3];
  o->n_states = names->len;
  o->of = g_new0 (guint, o->n_states + 1);
  o->n_executions = 1;
  for (guint i = 0; i < o->n_states; ++i)
    split_name (names->pdata[i], &o->of[i], &o->n_executions);
  g_ptr_array_add (names, NULL);
  o->states = (char **) g_ptr_array_steal (names, NULL);
  o->n = n_records ? n_records - 1 : 0;
  o->spent = g_new0 (int64_t, (gsize) o->n * o->n_states + 1);
  o->events = g_new0 (uint64_t, o->n + 1);
  for (guint k = 0; k < o->n; ++k) {
    o->events[k] = (uint64_t) all[k + 1].events - (uint64_t) all[k].events;
    for (guint i = 0; i < o->n_states; ++i)
      o->spent[k * o->n_states + i] = (int64_t) ((uint64_t) all[k + 1].spent[i] - (uint64_t) all[k].spent[i]);
  }
  return true;
}

FilmOverview *
film_overview_read (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "overview", NULL);
  g_autofree char *bytes = NULL;
  gsize n;

  if (!(bytes = disk_read (path, NULL, 256 * DISK_MIB, &n, error)))
    return NULL;
  FilmOverview *o = g_new0 (FilmOverview, 1);
  if (understand (o, bytes, n))
    return o;
  g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, _ ("%s: damaged, or of another version of Scope"), path);
  film_overview_free (o);
  return NULL;
}

void
film_overview_free (FilmOverview *o)
{
  if (!o)
    return;
  g_strfreev (o->states);
  g_free (o->of);
  g_free (o->spent);
  g_free (o->events);
  g_free (o);
}
