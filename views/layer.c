/* SPDX-License-Identifier: Apache-2.0 */
#include "views/layer.h"
#include "eve/words.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "eve/disk.h"
#include "readers/reader.h"
#include "statistics/stretch.h"
#include "statistics/types.h"
#include "views/chart.h"
#include "views/frame-rows.h"
#include "views/history-values.h"
#include "views/stretches.h"

typedef struct Kind {
  const EveType *type;
  const char *suffix;
  bool (*open) (Layer *l, const HistoryPlace *place, GError **error);
  void (*keep) (Layer *l, const void *data, uint32_t n);
  void *(*directly) (Layer *l);
  bool (*flush) (Layer *l, int64_t reach, GError **error);
  HistoryPlace (*place) (const Layer *l);
  void (*close) (Layer *l);
} Kind;

/* Which events came, of some that follow each other by number. */
typedef struct Came {
  uint64_t first;
  uint32_t span, n; /* numbers from the first to the last that came; how many of them did */
  int64_t from, to; /* dates */
  uint8_t bits[LAYER_CAME_MOST / 8];
} Came;

struct Layer {
  const Kind *kind;
  EveComponent *from; /* whose data they are */
  char *base;
  void *writer; /* of states, messages, values */
  HistoryOut out;
  uint64_t next;                 /* number of the event from which on a place is due */
  Came *came;                    /* events that something between the reader and the view lets pass; NULL: all do */
  StatsDatum *series;            /* VALUES_SERIES: who the values are of */
  uint32_t n_series, n_named;    /* how many there are, how many the file tells */
  uint64_t beyond, beyond_named; /* data of further owners */
  bool named;                    /* the file is written */
  FrameRows frames;
  uint32_t n_written;   /* rows, or kinds of stretches, that their file tells */
  GPtrArray *stretches; /* kinds of stretches: interned texts */
};

/* ---- states ---------------------------------------------------------------------------------------------------------- */

static bool
open_states (Layer *l, const HistoryPlace *place, GError **error)
{
  l->writer = place != NULL ? states_writer_restore (l->base, place, error) : states_writer_new (l->base, error);
  return l->writer != NULL;
}

static void
keep_states (Layer *l, const void *data, uint32_t n)
{
  states_writer_push_changes (l->writer, data, n);
}

static void *
states_directly (Layer *l)
{
  return states_writer_keeper (l->writer);
}

static bool
flush_states (Layer *l, int64_t reach, GError **error)
{
  return states_writer_flush (l->writer, reach, error);
}

static HistoryPlace
place_of_states (const Layer *l)
{
  return states_writer_place (l->writer);
}

static void
close_states (Layer *l)
{
  states_writer_free (l->writer);
}

/* ---- messages -------------------------------------------------------------------------------------------------------- */

static bool
layer_open_messages (Layer *l, const HistoryPlace *place, GError **error)
{
  l->writer = place != NULL ? messages_writer_restore (l->base, place, error) : messages_writer_new (l->base, error);
  return l->writer != NULL;
}

static void
keep_messages (Layer *l, const void *data, uint32_t n)
{
  const StateMessage *message = data;

  for (uint32_t i = 0; i < n; i++)
    messages_writer_push (l->writer, &message[i]);
}

static bool
flush_messages (Layer *l, int64_t reach, GError **error)
{
  return messages_writer_flush (l->writer, reach, error);
}

static HistoryPlace
place_of_messages (const Layer *l)
{
  return messages_writer_place (l->writer);
}

static void
close_messages (Layer *l)
{
  messages_writer_free (l->writer);
}

/* ---- places of a reader: where to go on reading, every so many events ------------------------------------------------ */

static void
put_came (Layer *l)
{
  Came *c = l->came;
  bool all = c->n == c->span;
  HistoryEntry e = {
    .level = LAYER_CAME, .from = c->from, .to = c->to, .aux = (int64_t) c->first, .count = c->span, .more = c->n
  };

  history_out_add (&l->out, &e, all ? NULL : c->bits, all ? 0 : (c->span + 7) / 8);
  *c = (Came){ 0 };
}

static void
keep_came (Layer *l, const TraceEvent *e)
{
  Came *c = l->came;

  if (c->span > 0 && (e->number < c->first || e->number - c->first >= LAYER_CAME_MOST))
    put_came (l);
  if (c->span == 0) {
    c->first = e->number;
    c->from = c->to = e->date;
  }
  uint32_t bit = (uint32_t) (e->number - c->first);
  uint8_t *byte = &c->bits[bit / 8], mask = (uint8_t) (1u << bit % 8);
  c->n += !(*byte & mask); /* it may come by several wires, and then not in order */
  *byte |= mask;
  c->span = MAX (c->span, bit + 1);
  c->to = MAX (c->to, e->date);
}

static bool
open_places (Layer *l, const HistoryPlace *place, GError **error)
{
  const EveClass *k = eve_class (l->from);

  if (k->query == NULL || k->query (l->from, "trace-reader/1") == NULL)
    l->came = g_new0 (Came, 1);
  if (!history_out_open (&l->out, l->base, LAYER_PLACES, 0, place, error))
    return false;
  if (l->came != NULL && place == NULL)
    put_came (l); /* says that only what is told came, also when nothing does */
  return true;
}

static void
layer_keep_places (Layer *l, const void *data, uint32_t n)
{
  const TraceEvent *last = (const TraceEvent *) data + n - 1;
  TraceEvent ahead;
  TraceSource *s;
  size_t size;

  for (uint32_t i = 0; l->came != NULL && i < n; i++)
    keep_came (l, (const TraceEvent *) data + i);
  if (last->number < l->next)
    return;
  s = trace_source (last->source);
  if (s == NULL || !trace_peek (s, &ahead, NULL))
    return;
  g_autoptr (GBytes) bytes = trace_place (s);
  gconstpointer place = g_bytes_get_data (bytes, &size);
  HistoryEntry e = { .from = ahead.date, .to = ahead.date, .aux = (int64_t) ahead.number, .count = 1 };
  history_out_add (&l->out, &e, place, (uint32_t) size);
  /* Of many tasks a place is large, and costs more than reading what lies between two. */
  l->next = ahead.number + MAX (LAYER_PLACES_EVERY, size / LAYER_PLACE_BYTES);
}

static bool
flush_places (Layer *l, int64_t reach, GError **error)
{
  if (l->came != NULL && l->came->span > 0)
    put_came (l);
  if (reach == INT64_MAX)
    history_out_add (&l->out, &(HistoryEntry){ .level = HISTORY_REACH, .to = reach }, NULL, 0);
  return history_out_flush (&l->out, error);
}

static HistoryPlace
place_of_places (const Layer *l)
{
  return history_out_place (&l->out, 0);
}

static void
close_places (Layer *l)
{
  history_out_close (&l->out);
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static bool
open_values (Layer *l, const HistoryPlace *place, GError **error)
{
  l->writer = curve_writer_new (l->base, place, error);
  return l->writer != NULL;
}

/* Which series; -1: one too many. */
static inline int
layer_series_of (Layer *l, const StatsDatum *d)
{
  for (uint32_t i = 0; i < l->n_series; i++)
    if (stats_same_series (&l->series[i], d))
      return (int) i;
  if (l->n_series == VALUES_SERIES)
    return -1;
  l->series[l->n_series] = *d;
  return (int) l->n_series++;
}

static void
keep_values (Layer *l, const void *data, uint32_t n)
{
  const StatsDatum *d = data;

  for (uint32_t i = 0; i < n; i++) {
    int s = layer_series_of (l, &d[i]);
    if (s < 0)
      l->beyond++;
    else if (d[i].date != INT64_MIN)
      curve_writer_push (l->writer, &(ValueSample){ d[i].date, stats_datum_number (&d[i]), (uint8_t) s });
  }
}

/* A line a series: its name, its unit, whose it is; then how many data are of no series.  It is there even without a
 * series: a history of values is whole with it only. */
static bool
write_names (Layer *l, GError **error)
{
  g_autofree char *file = layer_names_file (l->base);
  g_autoptr (GString) text = g_string_new (LAYER_SERIES_HEAD);

  if (l->named && l->n_named == l->n_series && l->beyond_named == l->beyond)
    return true;
  g_autoptr (GPtrArray) graphs = stats_graphs_above (l->from); /* links are named by their simulator */
  unsigned differ = 0;
  for (uint32_t i = 1; i < l->n_series; i++)
    differ |= stats_differ_in (&l->series[i], &l->series[0]);
  for (uint32_t i = 0; i < l->n_series; i++) {
    const StateGraph *graph = stats_graph_of (graphs, l->series[i].source);
    g_autoptr (GString) name = g_string_new (NULL), owner = g_string_new (NULL);
    stats_owner_name_among (&l->series[i], graph, differ, name);
    stats_owner_name_among (&l->series[i], graph, differ & STATS_OF_TRACES, owner);
    g_autofree char *safe = g_strescape (name->str, NULL), *of = g_strescape (owner->str, NULL),
                    *unit = g_strescape (l->series[i].unit != NULL ? l->series[i].unit : "", NULL);
    g_string_append_printf (text, "%s\t%s\t%s\n", safe, unit, of);
  }
  if (l->beyond > 0)
    g_string_append_printf (text, LAYER_SERIES_BEYOND " %" G_GUINT64_FORMAT "\n", l->beyond);
  l->named = true;
  l->n_named = l->n_series;
  l->beyond_named = l->beyond;
  return names_file_write (file, text, error);
}

static bool
layer_flush_values (Layer *l, int64_t reach, GError **error)
{
  return write_names (l, error) && curve_writer_flush (l->writer, reach, error);
}

static HistoryPlace
place_of_values (const Layer *l)
{
  return curve_writer_place (l->writer);
}

static void
close_values (Layer *l)
{
  curve_writer_free (l->writer);
}

/* ---- what tasks are inside of ---------------------------------------------------------------------------------------- */

static void
keep_frames (Layer *l, const void *data, uint32_t n)
{
  const StateChange *c = data;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t row = frame_rows_of (&l->frames, c[i].object, c[i].attribute);
    if (row != FRAME_NO_ROW)
      states_writer_push (l->writer, row, c[i].date, (uint32_t) c[i].new_value);
    else
      l->frames.beyond++;
  }
}

static bool
flush_frames (Layer *l, int64_t reach, GError **error)
{
  g_autofree char *file = layer_names_file (l->base);

  if ((!l->named || l->n_written != l->frames.rows->len || l->beyond_named != l->frames.beyond)
      && !frame_rows_write (&l->frames, file, error))
    return false;
  l->named = true;
  l->n_written = l->frames.rows->len;
  l->beyond_named = l->frames.beyond;
  return states_writer_flush (l->writer, reach, error);
}

/* ---- stretches of the time of tasks: a history of messages from their causes, see stretches.h --------------------------- */

/* Which kind; those that are too many become the last. */
static guint
kind_of_stretch (Layer *l, const char *kind)
{
  GPtrArray *kinds = l->stretches;

  for (guint i = 0; i < kinds->len; i++)
    if (kinds->pdata[i] == kind)
      return i;
  if (kinds->len < STATS_STRETCH_KINDS)
    g_ptr_array_add (kinds, (gpointer) kind);
  return kinds->len - 1;
}

static void
keep_stretches (Layer *l, const void *data, uint32_t n)
{
  const StatsStretch *s = data;

  for (uint32_t i = 0; i < n; i++) {
    guint kind = kind_of_stretch (l, s[i].kind);
    const StateMessage m = { .sent = s[i].from,
                             .received = s[i].date,
                             .size = s[i].to - s[i].from,
                             .from = s[i].cause,
                             .to = s[i].owner,
                             .tag = STRETCH_TAG (kind, s[i].leads),
                             .source = s[i].source };
    messages_writer_push (l->writer, &m);
  }
}

static bool
flush_stretches (Layer *l, int64_t reach, GError **error)
{
  if (!l->named || l->n_written != l->stretches->len) {
    g_autofree char *file = layer_names_file (l->base);
    g_autoptr (GString) text = g_string_new (STRETCH_NAMES_HEAD);
    for (guint i = 0; i < l->stretches->len; i++) {
      g_autofree char *safe = g_strescape (l->stretches->pdata[i], NULL);
      g_string_append_printf (text, "%s\n", safe);
    }
    if (!names_file_write (file, text, error))
      return false;
    l->named = true;
    l->n_written = l->stretches->len;
  }
  return messages_writer_flush (l->writer, reach, error);
}

/* ---- all of them ----------------------------------------------------------------------------------------------------- */

static const Kind kinds[] = {
  { &state_type_state, ".states", open_states, keep_states, states_directly, flush_states, place_of_states,
    close_states },
  { &state_type_message, ".messages", layer_open_messages, keep_messages, NULL, flush_messages, place_of_messages,
    close_messages },
  { &trace_type_event, ".places", open_places, layer_keep_places, NULL, flush_places, place_of_places, close_places },
  { &state_type_frame, ".calls", open_states, keep_frames, NULL, flush_frames, place_of_states, close_states },
  { &stats_type_datum, ".values", open_values, keep_values, NULL, layer_flush_values, place_of_values, close_values },
  { &stats_type_stretch, ".stretches", layer_open_messages, keep_stretches, NULL, flush_stretches, place_of_messages,
    close_messages },
};

static const Kind *
layer_kind_of (const EveType *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == type)
      return &kinds[i];
  return NULL;
}

const char *
layer_suffix (const EveType *type)
{
  const Kind *k = layer_kind_of (type);

  return k != NULL ? k->suffix : NULL;
}

char *
layer_base (uint64_t identity, const EveType *type, const char *folder)
{
  g_autofree char *name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x%s", identity, layer_suffix (type));

  return g_build_filename (folder, name, NULL);
}

char *
layer_of_input (EveIn *in, const char *folder)
{
  uint64_t identity = eve_in_identity (in);

  return identity != 0 ? layer_base (identity, eve_in_type (in), folder) : NULL;
}

char *
layer_names_file (const char *base)
{
  const char *dot = strrchr (base, '.');
  const char *ending = g_str_has_suffix (base, ".values")      ? "series"
                       : g_str_has_suffix (base, ".calls")     ? "rows"
                       : g_str_has_suffix (base, ".stretches") ? "kinds"
                                                               : NULL;

  return ending != NULL ? g_strdup_printf ("%.*s.%s", (int) (dot - base), base, ending) : NULL;
}

static bool
has_its_names (const char *base)
{
  g_autofree char *file = layer_names_file (base), *text = file != NULL ? names_file_read (file, NULL) : NULL;

  return file == NULL || text != NULL;
}

bool
layer_is_whole (const char *base)
{
  HistoryIn h;

  if (!history_in_open (&h, base, HISTORY_ANY, NULL))
    return false;
  bool whole = h.reach == INT64_MAX && history_in_problem (&h) == NULL && has_its_names (base);
  history_in_close (&h);
  return whole;
}

#define PIECE 65536 /* bytes that are read at once */

static bool
copy_bytes (int in, int out, uint64_t size)
{
  uint8_t piece[PIECE];
  uint64_t done = 0;
  ssize_t n;

  /* where the file systems can, no byte is moved */
  while (done < size && (n = copy_file_range (in, NULL, out, NULL, size - done, 0)) > 0)
    done += (uint64_t) n;
  for (; done < size; done += (uint64_t) n) /* where they cannot, or were interrupted */
    if ((n = disk_pread (in, piece, MIN (size - done, PIECE), done)) <= 0
        || !disk_pwrite (out, piece, (size_t) n, done))
      return false;
  return true;
}

/* Under another name first: whoever has the file that is there mapped goes on reading that one. */
bool
layer_copy_file (const char *from, const char *to)
{
  g_autofree char *making = g_strdup_printf ("%s.making-XXXXXX", to);
  uint64_t size;
  int in = disk_open (from, NULL, DISK_DATA, &size, NULL), out = in >= 0 ? g_mkstemp_full (making, O_RDWR, 0666) : -1;
  bool ok = out >= 0 && copy_bytes (in, out, size);

  if (in >= 0)
    close (in);
  if (out >= 0) {
    ok = close (out) == 0 && ok && g_rename (making, to) == 0;
    if (!ok)
      g_unlink (making);
  }
  return ok;
}

bool
layer_copy (const char *base, const char *folder)
{
  /* the index last: without it nothing is there */
  static const char *const endings[] = { ".records", ".sums", ".index" };
  g_autofree char *name = g_path_get_basename (base);
  g_autofree char *problem = NULL;
  bool ok = layer_is_whole (base) && history_look_through (base, true, false, NULL, &problem) && problem == NULL;

  g_autofree char *names = layer_names_file (base), *names_name = names != NULL ? g_path_get_basename (names) : NULL,
                  *names_to = names != NULL ? g_build_filename (folder, names_name, NULL) : NULL;
  if (ok && names != NULL)
    ok = layer_copy_file (names, names_to);
  for (guint i = 0; ok && i < G_N_ELEMENTS (endings); i++) {
    g_autofree char *from = g_strconcat (base, endings[i], NULL), *file = g_strconcat (name, endings[i], NULL),
                    *to = g_build_filename (folder, file, NULL);
    ok = layer_copy_file (from, to);
  }
  return ok;
}

/* What a run state says of it beside the place of its files. */
static bool
layer_load (Layer *l, HistoryPlace *place, EveBlobView *from)
{
  int64_t n;

  if (!history_place_load (place, from))
    return false;
  l->next = (uint64_t) eve_get_int (from);
  n = eve_get_int (from);
  if (n < 0 || n > VALUES_SERIES)
    return false;
  while (l->n_series < n)
    if (!stats_type_datum.load (eve_program (l->from), &l->series[l->n_series++], from))
      return false;
  l->beyond = (uint64_t) eve_get_int (from);
  if (l->kind->type == &stats_type_stretch)
    for (n = eve_get_int (from); n > 0; n--) {
      const char *kind = n <= STATS_STRETCH_KINDS ? eve_get_text (from) : NULL;
      if (kind == NULL || !eve_get_ok (from))
        return false;
      g_ptr_array_add (l->stretches, (gpointer) g_intern_string (kind));
    }
  return frame_rows_load (&l->frames, from);
}

Layer *
layer_new (EveComponent *from, const EveType *type, const char *base, EveBlobView *place, GError **error)
{
  Layer *l = g_new0 (Layer, 1);
  HistoryPlace at;

  l->kind = layer_kind_of (type);
  l->from = from;
  l->base = g_strdup (base);
  l->next = LAYER_PLACES_EVERY;
  l->series = g_new0 (StatsDatum, VALUES_SERIES);
  frame_rows_init (&l->frames);
  l->stretches = g_ptr_array_new ();
  if (place != NULL && !layer_load (l, &at, place))
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: its place is damaged"), base);
  else if (l->kind->open (l, place != NULL ? &at : NULL, error))
    return l;
  l->kind = NULL;
  layer_free (l);
  return NULL;
}

void
layer_keep (Layer *l, const void *data, uint32_t n)
{
  l->kind->keep (l, data, n);
}

void *
layer_directly (Layer *l)
{
  return l->kind->directly != NULL ? l->kind->directly (l) : NULL;
}

bool
layer_flush (Layer *l, int64_t reach, GError **error)
{
  return l->kind->flush (l, reach, error);
}

void
layer_save (const Layer *l, EveBlob *to)
{
  HistoryPlace at = l->kind->place (l);

  history_place_save (&at, to);
  eve_put_int (to, (int64_t) l->next);
  eve_put_int (to, l->n_series);
  for (uint32_t i = 0; i < l->n_series; i++)
    stats_type_datum.save (eve_program (l->from), &l->series[i], to);
  eve_put_int (to, (int64_t) l->beyond);
  if (l->kind->type == &stats_type_stretch) {
    eve_put_int (to, l->stretches->len);
    for (guint i = 0; i < l->stretches->len; i++)
      eve_put_text (to, l->stretches->pdata[i]);
  }
  frame_rows_save (&l->frames, to);
}

void
layer_free (Layer *l)
{
  if (l == NULL)
    return;
  if (l->kind != NULL)
    l->kind->close (l);
  frame_rows_clear (&l->frames);
  g_free (l->came);
  g_ptr_array_unref (l->stretches);
  g_free (l->series);
  g_free (l->base);
  g_free (l);
}
