/* SPDX-License-Identifier: Apache-2.0 */
/* film-overview.c - the overview of a film: how long all tasks together were in each state, by bucket of dates.
 *
 * The file holds running sums at the boundaries of the buckets, read from the state graph just after the last event
 * before each: exact, a few microseconds a boundary, and no event is looked at for it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "session/film.h"
#include "eve/disk.h"

#define MAGIC "SCOPEOV\n"
#define VERSION 2
#define HEADER 512 /* bytes; the names of the states fill what the numbers leave */
#define STATES 16

struct FilmSums {
  int fd;
  char *path;
  uint32_t states[STATES];
  guint n_states;
  uint64_t bytes;
  /* Of a trace that grows: a bucket takes `each` ticks, and the n boundaries are kept to be thinned out. */
  int64_t first, each;
  guint n;
  int64_t (*kept)[3 + STATES];
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

/* The states that a model measures the time of: those that some percentage of nodes is about. */
static guint
find_states (const StateModel *m, uint32_t states[STATES])
{
  guint n = 0;
  for (uint32_t i = 0; i < m->n_attributes && n < STATES; ++i)
    if (m->attributes[i].scope == STATE_NODE && m->attributes[i].kind == STATE_PERCENT)
      states[n++] = m->attributes[i].of;
  return n;
}

static guint
record_bytes (guint n_states)
{
  return (3 + n_states) * 8; /* date, events, sums, checksum */
}

static bool
io_error (const char *path, const char *what, GError **error)
{
  g_set_error (error, FILM_ERROR, FILM_ERROR_IO, "%s cannot be %s: %s", path, what, g_strerror (errno));
  return false;
}

static bool
append (FilmSums *o, const void *from, size_t n, GError **error)
{
  if (!disk_pwrite (o->fd, from, n, o->bytes))
    return io_error (o->path, "written", error);
  o->bytes += n;
  return true;
}

static FilmSums *
open_sums (const char *folder, const Session *s, GError **error)
{
  FilmSums *o = g_new0 (FilmSums, 1);

  o->path = g_build_filename (folder, "overview", NULL);
  o->fd = disk_open_write (o->path, NULL);
  if (s->graph)
    o->n_states = find_states (s->graph->model, o->states);
  if (o->fd >= 0)
    return o;
  io_error (o->path, "written", error);
  film_sums_free (o);
  return NULL;
}

static GString *
make_head (const FilmSums *o, const Session *s, int64_t first, int64_t last)
{
  GString *head = g_string_new (MAGIC);
  int64_t numbers[] = { VERSION, FILM_BUCKETS, first, last, s->source->clock.ticks_per_second, o->n_states };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); ++i)
    numbers[i] = GINT64_TO_LE (numbers[i]);
  g_string_append_len (head, (const char *) numbers, sizeof numbers);
  for (guint i = 0; i < o->n_states; ++i)
    g_string_append_printf (
        head, "%.20s\n",
        state_value (s->graph->model, state_with_role (s->graph->model, STATE_NODE, STATE_ROLE_STATE), o->states[i])
            ->name);
  gsize used = head->len;
  g_string_set_size (head, HEADER);
  memset (head->str + used, 0, HEADER - used);
  bytes_put64 ((uint8_t *) head->str + HEADER - 8, bytes_fnv (head->str, HEADER - 8));
  return head;
}

FilmSums *
film_sums_new (const char *folder, const Session *s, uint64_t bytes, GError **error)
{
  FilmSums *o = open_sums (folder, s, error);

  if (!o)
    return NULL;
  o->bytes = bytes;
  g_autoptr (GString) head = make_head (o, s, s->first, s->last);
  bool ok = ftruncate (o->fd, (off_t) bytes) == 0 || io_error (o->path, "written", error);
  if (ok && (bytes || append (o, head->str, HEADER, error)))
    return o;
  film_sums_free (o);
  return NULL;
}

/* Records from the first on that are whole and sound. */
static guint
count_sound (const char *bytes, gsize n, guint n_states)
{
  guint size = record_bytes (n_states), k = 0;

  for (; k <= FILM_BUCKETS && HEADER + (gsize) (k + 1) * size <= n; ++k) {
    const char *record = bytes + HEADER + (gsize) k * size;
    if (bytes_get64 ((const uint8_t *) record + size - 8) != bytes_fnv (record, size - 8))
      break;
  }
  return k;
}

static bool
head_is_sound (const char *bytes, gsize n)
{
  return n >= HEADER && memcmp (bytes, MAGIC, 8) == 0
         && bytes_get64 ((const uint8_t *) bytes + HEADER - 8) == bytes_fnv (bytes, HEADER - 8);
}

static bool
understand (FilmOverview *o, const char *bytes, gsize n)
{
  int64_t numbers[6];

  if (!head_is_sound (bytes, n))
    return false;
  memcpy (numbers, bytes + 8, sizeof numbers);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); ++i)
    numbers[i] = GINT64_FROM_LE (numbers[i]);
  if (numbers[0] != VERSION || numbers[1] != FILM_BUCKETS || numbers[5] < 0 || numbers[5] > STATES)
    return false;
  o->first = numbers[2];
  o->last = numbers[3];
  o->n_states = (guint) numbers[5];
  g_autofree char *names = g_strndup (bytes + 8 + sizeof numbers, HEADER - 16 - sizeof numbers);
  o->states = g_strsplit (names, "\n", -1);
  if (g_strv_length (o->states) != o->n_states + 1) /* the last is empty */
    return false;
  g_clear_pointer (&o->states[o->n_states], g_free);

  guint size = record_bytes (o->n_states), n_records = count_sound (bytes, n, o->n_states);
  o->n = n_records ? n_records - 1 : 0;
  o->spent = g_new0 (int64_t, (gsize) o->n * o->n_states + 1);
  o->events = g_new0 (uint64_t, o->n + 1);
  for (guint k = 0; k < o->n; ++k) {
    int64_t from[3 + STATES], to[3 + STATES];
    memcpy (from, bytes + HEADER + (gsize) k * size, size);
    memcpy (to, bytes + HEADER + (gsize) (k + 1) * size, size);
    o->events[k] = (uint64_t) GINT64_FROM_LE (to[1]) - (uint64_t) GINT64_FROM_LE (from[1]);
    for (guint i = 0; i < o->n_states; ++i)
      o->spent[k * o->n_states + i] = (int64_t) ((uint64_t) GINT64_FROM_LE (to[2 + i])
                                                 - (uint64_t) GINT64_FROM_LE (from[2 + i]));
  }
  return true;
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
  guint size = record_bytes (o->n_states);
  g_autoptr (GString) all = make_head (o, s, o->first, o->first + o->each * FILM_BUCKETS);

  for (guint k = 0; k < o->n; ++k)
    g_string_append_len (all, (const char *) o->kept[k], size);
  o->bytes = 0;
  return (ftruncate (o->fd, 0) == 0 || io_error (o->path, "written", error)) && append (o, all->str, all->len, error);
}

FilmSums *
film_sums_new_growing (const char *folder, const Session *s, int64_t from, GError **error)
{
  FilmSums *o = open_sums (folder, s, error);

  if (!o)
    return NULL;
  o->kept = g_malloc ((FILM_BUCKETS + 1) * sizeof *o->kept);
  o->first = s->first;
  o->each = MAX (s->source->clock.ticks_per_second / 1000, 1);
  bool ok = true;
  if (from > INT64_MIN) {
    g_autofree char *bytes = NULL;
    gsize n = 0;
    FilmOverview known = { 0 };
    ok = (bytes = disk_read (o->path, NULL, DISK_MIB, &n, NULL)) && understand (&known, bytes, n)
         && known.first == o->first && known.n_states == o->n_states && known.n > 0 && known.last > known.first;
    o->each = ok ? (known.last - known.first) / FILM_BUCKETS : o->each;
    for (; ok && o->n <= known.n && film_sums_next (o) < from; ++o->n)
      memcpy (o->kept[o->n], bytes + HEADER + (gsize) o->n * record_bytes (o->n_states), record_bytes (o->n_states));
    ok = ok && film_sums_next (o) >= from;
    g_strfreev (known.states);
    g_free (known.spent);
    g_free (known.events);
  }
  if (ok && write_kept (o, s, error))
    return o;
  film_sums_free (o);
  return NULL;
}

/* A boundary more; where there is no room for it every other one goes. */
static bool
keep (FilmSums *o, const Session *s, const int64_t record[3 + STATES], GError **error)
{
  memcpy (o->kept[o->n++], record, sizeof *o->kept);
  if (o->n <= FILM_BUCKETS)
    return append (o, record, record_bytes (o->n_states), error);
  o->n = FILM_BUCKETS / 2 + 1;
  o->each *= 2;
  for (guint k = 1; k < o->n; ++k)
    memcpy (o->kept[k], o->kept[2 * k], sizeof *o->kept);
  return write_kept (o, s, error);
}

bool
film_sums_add (FilmSums *o, const Session *s, int64_t at, GError **error)
{
  const StateGraph *g = s->graph;
  int64_t record[3 + STATES] = { at, (int64_t) session_events_read (s) / MAX (s->readers->len, 1) };
  int64_t clock = g ? MAX (g->clock, at) : at;

  for (uint32_t node = 0; g && node < g->n_nodes; ++node)
    for (guint i = 0; i < o->n_states; ++i) {
      int64_t spent = 0, total;
      g->model->spent (g, STATE_NODE, node, o->states[i], clock, &spent, &total);
      record[2 + i] += spent;
    }
  for (guint i = 0; i < 2 + o->n_states; ++i)
    record[i] = GINT64_TO_LE (record[i]);
  bytes_put64 ((uint8_t *) &record[2 + o->n_states], bytes_fnv (record, record_bytes (o->n_states) - 8));
  return o->kept ? keep (o, s, record, error) : append (o, record, record_bytes (o->n_states), error);
}

uint64_t
film_sums_bytes (const FilmSums *o)
{
  return o->kept ? 0 : o->bytes; /* one that grows is written anew now and then */
}

guint
film_sums_n (const FilmSums *o)
{
  return o->bytes < HEADER ? 0 : (guint) ((o->bytes - HEADER) / record_bytes (o->n_states));
}

void
film_sums_free (FilmSums *o)
{
  if (!o)
    return;
  if (o->fd >= 0)
    close (o->fd);
  g_free (o->path);
  g_free (o->kept);
  g_free (o);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

uint64_t
film_overview_sound (const char *path, uint64_t *size)
{
  g_autofree char *bytes = NULL;
  gsize n = 0;

  *size = 0;
  if (!(bytes = disk_read (path, NULL, 256 * DISK_MIB, &n, NULL)))
    return 0;
  *size = n;
  uint64_t n_states = head_is_sound (bytes, n) ? bytes_get64 ((const uint8_t *) bytes + 8 + 5 * 8) : STATES + 1;
  return n_states > STATES
             ? 0
             : HEADER + (uint64_t) count_sound (bytes, n, (guint) n_states) * record_bytes ((guint) n_states);
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
  g_set_error (error, FILM_ERROR, FILM_ERROR_DAMAGED, "%s: damaged, or of another version of Scope", path);
  film_overview_free (o);
  return NULL;
}

void
film_overview_free (FilmOverview *o)
{
  if (!o)
    return;
  g_strfreev (o->states);
  g_free (o->spent);
  g_free (o->events);
  g_free (o);
}
