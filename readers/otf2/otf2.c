/* SPDX-License-Identifier: Apache-2.0 */
/* otf2.c - reads OTF2 archives with libotf2: README.md.
 *
 * All definitions first; then the events, of each location with a reader of its own: what cannot be read of one costs
 * only that one.  The library says what is wrong through its error callback, which is told as damage. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "readers/otf2/otf2.h"
#include "readers/otf2/recognise.h"
#include "readers/pair.h"

#define MOST_OPEN 1024                   /* locations that are read together */
#define MOST_BYTES_OPEN (256 * DISK_MIB) /* of the library's, for these */
#define MOST_SECONDS 4000000000.0
#define MOST_ANCHOR DISK_MIB /* bytes of an anchor file */
#define ANCHOR_TEXTS 46      /* where its texts begin */
#define ANCHOR_REST 12       /* what is at least behind them */

void
otf2_damaged (Otf2 *o, const char *file, const char *fmt, ...)
{
  va_list args;
  g_autofree char *own = file ? NULL : g_strconcat (o->name, ".def", NULL);

  va_start (args, fmt);
  trace_source_damage_list (o->source, file ? file : own, 0, 0, fmt, args);
  va_end (args);
}

/* In the place of the library's own, which writes on standard error. */
static OTF2_ErrorCode
otf2_be_silent (void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code, const char *fmt,
                va_list args)
{
  return code;
}

static const char *
otf2_why_not (OTF2_ErrorCode code)
{
  const char *text = OTF2_Error_GetDescription (code);

  return text ? text : _ ("unknown error");
}

/* ---- files: the library opens by name; so that it never meets a pipe or a device, they are looked at before ------------------- */

typedef enum { FILE_THERE, FILE_MISSING, FILE_REFUSED } Found;

static Found
otf2_look_at (Otf2 *o, const char *path, uint64_t *bytes, GError **error)
{
  g_autoptr (GError) why = NULL;
  int fd = disk_open (path, o->folder, DISK_DATA, bytes, &why);

  if (fd >= 0) {
    close (fd);
    return FILE_THERE;
  }
  bool missing = g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_propagate_error (error, g_steal_pointer (&why));
  return missing ? FILE_MISSING : FILE_REFUSED;
}

static char *
otf2_file_of (const Otf2 *o, const Location *l, const char *ending)
{
  return g_strdup_printf ("%s/%s/%" G_GUINT64_FORMAT ".%s", o->folder, o->name, l->id, ending);
}

/* ---- definitions ----------------------------------------------------------------------------------------------------------------- */

static bool
read_definitions (Otf2 *o, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.def", o->folder, o->name);
  uint64_t n = 0;

  if (otf2_look_at (o, path, NULL, error) != FILE_THERE) {
    g_prefix_error (error, _ ("the archive has no definitions: "));
    return false;
  }
  OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader (o->reader);
  if (!reader) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: its definitions cannot be read"), path);
    return false;
  }
  OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New ();
  otf2_set_definition_callbacks (c);
  OTF2_Reader_RegisterGlobalDefCallbacks (o->reader, reader, c, o);
  OTF2_GlobalDefReaderCallbacks_Delete (c);
  OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions (o->reader, reader, &n);
  if (code != OTF2_SUCCESS)
    otf2_damaged (o, NULL, _ ("the definitions end after %" PRIu64 ", in what cannot be read: %s"), n,
                  otf2_why_not (code));
  OTF2_Reader_CloseGlobalDefReader (o->reader, reader);
  if (o->all_locations->len == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s defines no location: there are no events to read"), path);
    return false;
  }
  return true;
}

static void
use_clock (Otf2 *o)
{
  if (o->resolution == 0 || o->resolution > INT64_MAX / 4) {
    otf2_damaged (o, NULL, _ ("the clock has %" PRIu64 " ticks a second, which cannot be; taken for nanoseconds"),
                  o->resolution);
    o->resolution = TRACE_TICKS;
  }
  o->most_ticks = (uint64_t) MIN (MOST_SECONDS * (double) o->resolution, (double) (INT64_MAX / 4));
  o->source->clock = (TraceClock){ (int64_t) o->resolution, "s" };
  o->first = INT64_MAX;
}

/* Who is in a communicator is told by an event of the earliest date, which is known at the end: its place is kept. */
static void
keep_places (Otf2 *o)
{
  for (guint i = 0; i < o->all_comms->len; i++) {
    Comm *c = map_get (&o->comms, GPOINTER_TO_UINT (o->all_comms->pdata[i]));
    if (c)
      c->place = converter_place (o->to);
  }
}

/* Not of what the tracer itself counts with. */
static bool
is_of_the_program (const Otf2 *o, const Comm *c)
{
  const Group *g = map_get (&o->groups, c->group);

  return g && g->paradigm != OTF2_PARADIGM_MEASUREMENT_SYSTEM && g->type != OTF2_GROUP_TYPE_COMM_SELF;
}

static void
otf2_give_groups (Otf2 *o)
{
  for (guint i = 0; i < o->all_comms->len && o->first < INT64_MAX; i++) {
    uint32_t comm = GPOINTER_TO_UINT (o->all_comms->pdata[i]);
    const Comm *c = map_get (&o->comms, comm);
    if (c && is_of_the_program (o, c))
      otf2_comm_object (o, comm);
    for (int second = 0; second < 2 && c; second++) {
      uint32_t n;
      const uint32_t *tasks = otf2_members (o, comm, second, &n);
      together_members (o->to, &o->kinds[KIND_GROUP], c->object, tasks, n, o->first, c->place);
    }
  }
  for (guint i = 0; i < o->all_windows->len && o->first < INT64_MAX; i++) {
    const Window *w = map_get (&o->windows, GPOINTER_TO_UINT (o->all_windows->pdata[i]));
    const Comm *c = w ? map_get (&o->comms, w->comm) : NULL;
    uint32_t n;
    const uint32_t *tasks = c ? otf2_members (o, w->comm, false, &n) : NULL;
    if (tasks)
      together_members (o->to, &o->kinds[KIND_GROUP],
                        otf2_window_object (o, GPOINTER_TO_UINT (o->all_windows->pdata[i])), tasks, n, o->first,
                        c->place);
  }
  otf2_give_told (o);
}

/* ---- events ---------------------------------------------------------------------------------------------------------------------- */

typedef struct LocalDefinitions {
  OwnDefinitions *own;
  bool differs; /* its clock does */
} LocalDefinitions;

static OTF2_CallbackCode
on_clock_offset (void *user, OTF2_TimeStamp date, int64_t offset, double deviation)
{
  LocalDefinitions *d = user;

  d->differs |= offset != 0;
  otf2_own_offset (d->own, date, offset);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_mapping_table (void *user, OTF2_MappingType type, const OTF2_IdMap *map)
{
  otf2_own_map (((LocalDefinitions *) user)->own, type, map);
  return OTF2_CALLBACK_SUCCESS;
}

/* Whether its head alone is in a file of definitions, and then its end: the library would clear megabytes to see it. */
static bool
defines_nothing (const Otf2 *o, const char *path)
{
  uint8_t head[PIECE_HEAD + 1] = { 0 };
  int fd = disk_open (path, o->folder, DISK_DATA, NULL, NULL);
  bool nothing = fd >= 0 && disk_pread (fd, head, sizeof head, 0) == sizeof head && head[0] == PIECE
                 && (head[1] == LITTLE_ENDIAN_BYTE || head[1] == BIG_ENDIAN_BYTE) && head[PIECE_HEAD] == END_OF_FILE;

  if (fd >= 0)
    close (fd);
  return nothing;
}

/* What its own definitions change in it: numbers, and its clock. */
static void
read_local_definitions (Otf2 *o, OTF2_Reader *of, Location *l)
{
  g_autofree char *path = otf2_file_of (o, l, "def"), *name = g_path_get_basename (path);
  g_autoptr (GError) why = NULL;
  uint64_t n = 0;
  Found found = otf2_look_at (o, path, NULL, &why);

  if (found == FILE_REFUSED)
    otf2_damaged (o, name, "%s", why->message);
  if (found != FILE_THERE || defines_nothing (o, path))
    return;
  OTF2_DefReader *reader = OTF2_Reader_GetDefReader (of, l->id);
  if (!reader)
    return;
  OTF2_DefReaderCallbacks *c = OTF2_DefReaderCallbacks_New ();
  LocalDefinitions local = { .own = otf2_own_new () };
  l->own = local.own;
  OTF2_DefReaderCallbacks_SetClockOffsetCallback (c, on_clock_offset);
  OTF2_DefReaderCallbacks_SetMappingTableCallback (c, on_mapping_table);
  OTF2_Reader_RegisterDefCallbacks (of, reader, c, &local);
  OTF2_DefReaderCallbacks_Delete (c);
  OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions (of, reader, &n);
  if (code != OTF2_SUCCESS) {
    otf2_damaged (o, name, _ ("its definitions end after %" PRIu64 ", in what cannot be read: %s"), n,
                  otf2_why_not (code));
    otf2_own_refuse (l->own);
  }
  OTF2_Reader_CloseDefReader (of, reader);
  o->source->clocks.n_offsets += local.differs;
}

#define MOST_LOST (UINT64_C (1) << 62) /* in all; archives may declare any number of events */

/* Each record that is lost counts as damaged. */
static void
count_lost (Otf2 *o, uint64_t lost)
{
  uint64_t *n = &o->source->n_damaged;

  *n += MIN (lost > 1 ? lost - 1 : 0, MOST_LOST - MIN (*n, MOST_LOST)); /* one was counted when it was told */
}

/* Which locations have events, and how much there is to read. */
static bool
look_at_files (Otf2 *o, GArray *sizes, uint64_t *all, GError **error)
{
  *all = 0;
  for (guint i = 0; i < o->all_locations->len; i++) {
    if ((i & 0x3ff) == 0 && !converter_progress (o->to, 0, error))
      return false;
    const Location *l = o->all_locations->pdata[i];
    g_autofree char *path = otf2_file_of (o, l, "evt"), *name = g_path_get_basename (path);
    g_autoptr (GError) why = NULL;
    uint64_t bytes = 0;
    Found found = otf2_look_at (o, path, &bytes, &why);
    if (found == FILE_REFUSED) {
      otf2_damaged (o, name, "%s", why->message);
      count_lost (o, l->n_events);
    } else if (found == FILE_MISSING && l->n_events > 0) {
      otf2_damaged (o, name,
                    _ ("the file is not there: the events of %s are missing, %" PRIu64 " as the archive declares"),
                    trace_task_id (o->source, l->task), l->n_events);
      count_lost (o, l->n_events);
    }
    bytes = found == FILE_THERE ? MAX (bytes, 1) : 0;
    g_array_append_val (sizes, bytes);
    *all += bytes;
  }
  return true;
}

/* ---- several locations at once, so that what they give is nearly in order of date and little is left to sort ------------------ */

typedef struct Open {
  Lane *lane;
  Ahead *ahead;
  char *file;
  uint64_t n_read;
  double size, told; /* bytes of its file; how much of them is counted as read */
} Open;

typedef struct Round {
  OTF2_EvtReaderCallbacks *callbacks;
  QuickCalls quick;
  Open *open;
  Open **heap; /* the first is the one that has come least far, and each less far than those at 2i + 1 and 2i + 2 */
  guint n, n_heap;
  double done, all; /* bytes */
} Round;

static void
otf2_sink (Round *r, guint i)
{
  for (;;) {
    guint least = i;
    for (guint k = 2 * i + 1; k <= 2 * i + 2 && k < r->n_heap; k++)
      if (r->heap[k]->lane->last < r->heap[least]->lane->last)
        least = k;
    if (least == i)
      return;
    Open *o = r->heap[i];
    r->heap[i] = r->heap[least];
    r->heap[least] = o;
    i = least;
  }
}

static void
open_location (Otf2 *o, Round *r, guint i, uint64_t bytes)
{
  const Location *at = o->all_locations->pdata[i];
  g_autofree char *path = otf2_file_of (o, at, "evt");
  Open *open = &r->open[r->n];

  *open = (Open){ .file = g_path_get_basename (path), .size = (double) bytes };
  open->ahead = otf2_ahead_new (o, i, at, r->callbacks, &r->quick);
  if (!open->ahead) {
    otf2_damaged (o, open->file, _ ("its events cannot be read: the events of %s are missing"),
                  trace_task_id (o->source, at->task));
    g_free (open->file);
    r->done += open->size;
    return;
  }
  open->lane = otf2_lane_new (o);
  otf2_lane_begin (open->lane, at, open->file);
  r->heap[r->n_heap++] = open;
  r->n++;
}

/* What was read of a location is all that there is; it is told where that is less than what the archive declares.
 * Nobody knows what the location did next, so that what it was inside of ends with its last record. */
static void
otf2_tell_end (Otf2 *o, const Open *open, OTF2_ErrorCode code)
{
  const Location *at = open->lane->at;
  uint64_t lost = at->n_events > open->n_read ? at->n_events - open->n_read : 0;
  g_autofree char *how_many = lost ? g_strdup_printf (
                                  _ ("%" PRIu64 " of the %" PRIu64 " events that the archive declares are lost"), lost,
                                  at->n_events)
                                   : g_strdup ("how many events are lost is not known");

  if (code == OTF2_SUCCESS && lost == 0)
    return;
  otf2_damaged (o, open->file,
                _ ("after %" PRIu64 " events of %s %s%s; %s, and what the location was inside of is taken to end "
                   "with its last event"),
                open->n_read, trace_task_id (o->source, at->task),
                code == OTF2_SUCCESS ? _ ("the file ends") : _ ("comes what cannot be read, or the file ends: "),
                code == OTF2_SUCCESS ? "" : otf2_why_not (code), how_many);
  count_lost (o, lost);
  otf2_lane_cut (open->lane);
}

/* Some more events of it.  False: there are no more. */
static bool
otf2_read_some (Otf2 *o, Round *r, Open *open)
{
  const Location *at = open->lane->at;
  Batch *b = otf2_ahead_take (open->ahead);
  OTF2_ErrorCode code = b->code;
  bool more = !b->is_last;

  for (size_t i = 0; i < b->n && !open->lane->failed;) {
    const Later *record = (const Later *) (const void *) (b->bytes + i);
    record->now (open->lane, record->time, record + 1);
    i += record->bytes;
  }
  open->n_read += b->n_events;
  otf2_ahead_back (open->ahead, b);
  double part = at->n_events > 0 ? MIN ((double) open->n_read / (double) at->n_events, 1) : 0;
  r->done += more ? MAX (open->size * part - open->told, 0) : open->size - open->told;
  open->told = more ? MAX (open->size * part, open->told) : open->size;
  if (!more && !open->lane->failed)
    otf2_tell_end (o, open, code);
  return more;
}

/* Once the first events of all locations are there, `then` is called.  False: cancelled, or the disk is full. */
static bool
read_round (Otf2 *o, Round *r, void (*then) (Otf2 *o), GError **error)
{
  guint unread = r->n_heap;
  bool ok = true;

  for (guint i = 0; i < r->n; i++)
    otf2_ahead_start (r->open[i].ahead);

  while (r->n_heap > 0 && ok) {
    Open *first = r->heap[0];
    bool begins = first->n_read == 0, more = otf2_read_some (o, r, first);
    ok = !first->lane->failed && converter_progress (o->to, r->done / r->all, error);
    if (!more) {
      otf2_lane_end (first->lane);
      r->heap[0] = r->heap[--r->n_heap];
    }
    otf2_sink (r, 0);
    unread -= begins;
    if (begins && unread == 0 && then)
      then (o);
  }
  return ok;
}

static void
close_locations (Otf2 *o, Round *r)
{
  otf2_crew_rest (o);
  for (guint i = 0; i < r->n; i++) {
    otf2_ahead_free (r->open[i].ahead);
    otf2_lane_free (r->open[i].lane);
    g_free (r->open[i].file);
  }
  r->n = r->n_heap = 0;
}

/* How many locations are open together: the library has a piece of the file in memory for each. */
static guint
most_open (Otf2 *o)
{
  uint64_t piece = 0, definitions = 0;

  if (OTF2_Reader_GetChunkSize (o->reader, &piece, &definitions) != OTF2_SUCCESS)
    return 1;
  return (guint) CLAMP (MOST_BYTES_OPEN / MAX (piece, 1), 1, MOST_OPEN);
}

static bool
read_all_events (Otf2 *o, const GArray *sizes, double all, GError **error)
{
  guint n = sizes->len, most = most_open (o), n_there = 0;
  Round r = { .callbacks = OTF2_EvtReaderCallbacks_New (), .all = all };
  bool ok = true;

  for (guint i = 0; i < n; i++)
    n_there += g_array_index (sizes, uint64_t, i) > 0;
  most = MIN (most, MAX (n_there, 1));
  r.open = g_new (Open, most);
  r.heap = g_new (Open *, most);
  otf2_set_event_callbacks (r.callbacks, &r.quick);
  otf2_set_message_callbacks (r.callbacks, &r.quick);
  for (guint i = 0; i < n && ok;) {
    for (; i < n && r.n < most; i++)
      if (g_array_index (sizes, uint64_t, i) > 0)
        open_location (o, &r, i, g_array_index (sizes, uint64_t, i));
    ok = read_round (o, &r, n_there <= most ? otf2_give_groups : NULL, error);
    close_locations (o, &r);
  }
  if (n_there > most && ok)
    otf2_give_groups (o);
  g_free (r.open);
  g_free (r.heap);
  OTF2_EvtReaderCallbacks_Delete (r.callbacks);
  return ok;
}

static bool
read_locations (Otf2 *o, const char *anchor, GError **error)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  uint64_t all;
  bool ok = look_at_files (o, sizes, &all, error);

  if (!ok || !otf2_find_cancelled (o, anchor, sizes, error))
    return false;

  otf2_crew_new (o, anchor, all);
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index (sizes, uint64_t, i) > 0)
      OTF2_Reader_SelectLocation (otf2_crew_reader (o, i), ((const Location *) o->all_locations->pdata[i])->id);
  bool has_definitions = true;
  for (guint k = 0; k < otf2_crew_n_readers (o); k++)
    has_definitions = OTF2_Reader_OpenDefFiles (otf2_crew_reader (o, k)) == OTF2_SUCCESS && has_definitions;
  for (guint i = 0; i < sizes->len && ok; i++) {
    if (has_definitions && g_array_index (sizes, uint64_t, i) > 0)
      read_local_definitions (o, otf2_crew_reader (o, i), o->all_locations->pdata[i]);
    ok = converter_progress (o->to, 0, error);
  }
  for (guint k = 0; k < otf2_crew_n_readers (o); k++)
    OTF2_Reader_CloseDefFiles (otf2_crew_reader (o, k));
  if (!ok)
    return false;
  OTF2_ErrorCode code = OTF2_SUCCESS;
  for (guint k = 0; k < otf2_crew_n_readers (o) && code == OTF2_SUCCESS; k++)
    code = OTF2_Reader_OpenEvtFiles (otf2_crew_reader (o, k));
  if (code != OTF2_SUCCESS) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s/%s: its events cannot be read: %s"), o->folder, o->name,
                 otf2_why_not (code));
    return false;
  }
  ok = read_all_events (o, sizes, (double) all, error);
  for (guint k = 0; k < otf2_crew_n_readers (o); k++)
    OTF2_Reader_CloseEvtFiles (otf2_crew_reader (o, k));
  return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------------- */

/* Names and values that an anchor holds stand one after the other, each with a byte 0 behind it, and a number before
 * them tells how many there are.  The library believes that number, and would look for so many beyond the end. */
static bool
is_whole_anchor (const uint8_t *b, size_t n)
{
  size_t at = ANCHOR_TEXTS;

  if (n < ANCHOR_TEXTS || b[7] != 3 || b[8] != 2) /* laid out otherwise: the library's to judge */
    return true;
  for (uint64_t texts = 3, is_counted = 0; texts > 0; texts--) {
    const uint8_t *end = memchr (b + at, 0, n - at);
    if (!end || texts > n)
      return false;
    at = (size_t) (end - b) + 1;
    if (texts > 1 || is_counted)
      continue;
    if (n - at < 4)
      return false;
    uint64_t pairs = b[1] == 0x42 ? bytes_get32 (b + at) : GUINT32_SWAP_LE_BE (bytes_get32 (b + at));
    at += 4;
    is_counted = 1;
    texts += 2 * pairs;
  }
  return n - at >= ANCHOR_REST;
}

static bool
check_anchor (const char *anchor, GError **error)
{
  size_t n;
  g_autofree char *bytes = disk_read (anchor, NULL, MOST_ANCHOR, &n, error);

  if (bytes && !is_whole_anchor ((const uint8_t *) bytes, n))
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_DATA,
        _ ("%s is damaged: the texts in this anchor file do not end where they should; copy it again from where "
           "the archive was written"),
        anchor);
  return bytes && !(error && *error);
}

static bool
read_archive (Otf2 *o, const char *anchor, GError **error)
{
  OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_POSIX;

  if (!check_anchor (anchor, error) || !converter_progress (o->to, 0, error))
    return false;
  o->reader = OTF2_Reader_Open (anchor);
  if (!o->reader) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_DATA,
        _ ("%s cannot be opened as an OTF2 archive: it is damaged, or of a version that libotf2 does not know"),
        anchor);
    return false;
  }
  OTF2_Reader_SetSerialCollectiveCallbacks (o->reader);
  OTF2_Reader_GetFileSubstrate (o->reader, &substrate);
  if (substrate != OTF2_SUBSTRATE_POSIX) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_FORMAT,
        _ ("%s keeps its events in SION files, which cannot be read here: write it again with plain files (POSIX)"),
        anchor);
    return false;
  }
  if (!read_definitions (o, error))
    return false;
  use_clock (o);
  otf2_make_tasks (o);
  keep_places (o);
  g_autofree char *markers = g_strdup_printf ("%s/%s.marker", o->folder, o->name);
  if (otf2_look_at (o, markers, NULL, NULL) == FILE_THERE)
    otf2_read_markers (o);
  bool ok = read_locations (o, anchor, error);
  if (ok)
    otf2_end_devices (o);
  otf2_crew_free (o);
  return ok;
}

static bool
otf2_convert (Converter *to, const char *path, GError **error)
{
  bool is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  unsigned n;
  g_autofree char *anchor = is_folder ? otf2_anchor_in (path, &n) : g_strdup (path);
  Otf2 o = { .to = to, .source = converter_source (to) };

  if (!anchor) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s holds no anchor file (NAME.otf2) of an OTF2 archive"),
                 path);
    return false;
  }
  o.folder = g_path_get_dirname (anchor);
  o.name = g_path_get_basename (anchor);
  if (g_str_has_suffix (o.name, ".otf2"))
    o.name[strlen (o.name) - 5] = '\0';
  o.ids = unlike_new ();
  o.states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  o.state_types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  o.entity_types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  o.objects = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  o.selves = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  otf2_start_definitions (&o);
  OTF2_ErrorCallback before = OTF2_Error_RegisterCallback (otf2_be_silent, NULL);
  bool ok = read_archive (&o, anchor, error);
  if (o.reader)
    OTF2_Reader_Close (o.reader);
  OTF2_Error_RegisterCallback (before, NULL);
  otf2_free_devices (&o);
  otf2_free_definitions (&o);
  unlike_free (o.ids);
  g_hash_table_unref (o.states);
  g_hash_table_unref (o.state_types);
  g_hash_table_unref (o.entity_types);
  g_hash_table_unref (o.objects);
  g_hash_table_unref (o.selves);
  g_free (o.folder);
  g_free (o.name);
  return ok;
}

static const ConvertedFormat otf2;
CONVERTED_OPEN (otf2_open, &otf2)
static const ConvertedFormat otf2 = {
  .format = { .name = "otf2",
              .label = "OTF2",
              .model = "parallel",
              .open = otf2_open,
              .recognise = otf2_recognise,
              .write = otf2_write,
              .site = converted_site,
              CONVERTED_FUNCTIONS },
  .folder = true,
  .offsets = true,
  .convert = otf2_convert,
};

TRACE_READER_PLUGIN (otf2.format, "scope.otf2-reader", "OTF2 reader", "reader:otf2",
                     "Reads OTF2 archives, as Score-P, EZTrace and others write them.");
