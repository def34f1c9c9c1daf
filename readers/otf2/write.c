/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - any execution as an OTF2 archive.  A task that does something is a process with one location, whose number
 * is the task's; one that others are inside of is a node of the system tree.  Groups whose members are known are
 * communicators; what is noted becomes markers. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/another.h"
#include "readers/otf2/otf2.h"
#include "readers/writing.h"

#define CHUNK_BYTES (256 * 1024)
#define MOST_LOCATIONS 4096 /* each has a buffer and a file of its own */
#define MOST_MARKS 1000000  /* libotf2 keeps them all until the end */

typedef struct Mark {
  uint64_t time, duration;
  uint32_t task, kind;
  char *text;
} Mark;

typedef struct Archive {
  OTF2_Archive *archive;
  GArray *locations;   /* of OTF2_EvtWriter *, by task; NULL: it has done nothing */
  GArray *n_events;    /* uint64_t, by task */
  GHashTable *metrics; /* types of variables that had a value -> number + 1, */
  GArray *measured;    /* and these types by number: peers want numbers without gaps */
  uint32_t n_locations;
  int64_t origin;    /* the date that is 0 in the archive */
  GPtrArray *states; /* of char *: a copy, as they are wanted at the end, */
  GArray *does;      /* and uint8_t: what tasks do in each */
  Otf2Groups *groups;
  GArray *marks; /* of Mark, in order of date */
  uint64_t n_unmarked;
  GError *error;    /* the first */
  const char *path; /* where it is to be, as the person said */
  OTF2_GlobalDefWriter *to;
  uint32_t n_strings;
} Archive;

static OTF2_FlushType
otf2_write_pre_flush (void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  return OTF2_FLUSH;
}

static OTF2_TimeStamp
otf2_write_post_flush (void *user, OTF2_FileType type, OTF2_LocationRef location)
{
  return 0;
}

/* The library says nothing itself.  What the system refused it is known here alone, where that happens: its functions
 * then give that something went wrong. */
static OTF2_ErrorCode
otf2_write_heard (void *archive, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                  const char *fmt, va_list args)
{
  Archive *a = archive;

  if (code > OTF2_SUCCESS && code < OTF2_ERROR_END_OF_FUNCTION && !a->error)
    g_set_error (&a->error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), a->path,
                 OTF2_Error_GetDescription (code));
  return code;
}

/* Keeps what went wrong first. */
static void
otf2_write_check (Archive *a, OTF2_ErrorCode code)
{
  if (code != OTF2_SUCCESS && !a->error)
    g_set_error (&a->error, TRACE_ERROR, TRACE_ERROR_IO, _ ("libotf2 cannot write it: %s"),
                 OTF2_Error_GetDescription (code));
}

/* ---- events ------------------------------------------------------------------------------------------------------------------- */

/* NULL: there are too many. */
static OTF2_EvtWriter *
location_of (Archive *a, uint32_t task)
{
  if (task >= a->locations->len) {
    g_array_set_size (a->locations, task + 1);
    g_array_set_size (a->n_events, task + 1);
  }
  OTF2_EvtWriter **w = &g_array_index (a->locations, OTF2_EvtWriter *, task);
  if (!*w && a->n_locations == MOST_LOCATIONS && !a->error)
    g_set_error (&a->error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("more than %d tasks do something; each would have a file of its own: export it as paje"),
                 MOST_LOCATIONS);
  if (!*w && !a->error) {
    *w = OTF2_Archive_GetEvtWriter (a->archive, task);
    a->n_locations++;
    if (!*w)
      otf2_write_check (a, OTF2_ERROR_MEM_ALLOC_FAILED);
  }
  return *w;
}

static uint64_t
otf2_write_time_of (const Archive *a, int64_t date)
{
  return (uint64_t) (date - a->origin);
}

static void
write_enter (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, task);

  for (; a->states->len <= state; g_ptr_array_add (a->states, g_strdup (w->states->pdata[a->states->len])))
    g_array_append_val (a->does, g_array_index (w->does, uint8_t, a->states->len));
  if (to)
    otf2_write_check (a, OTF2_EvtWriter_Enter (to, NULL, otf2_write_time_of (a, date), state));
}

static void
write_leave (TraceWriting *w, int64_t date, uint32_t task, uint32_t state)
{
  OTF2_EvtWriter *to = location_of (w->to, task);

  if (to)
    otf2_write_check (w->to, OTF2_EvtWriter_Leave (to, NULL, otf2_write_time_of (w->to, date), state));
}

static void
write_variable (TraceWriting *w, int64_t date, uint32_t task, uint32_t type, double value)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, task);
  const OTF2_Type real = OTF2_TYPE_DOUBLE;
  const OTF2_MetricValue its = { .floating_point = value };

  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (a->metrics, GUINT_TO_POINTER (type)));

  if (number == 0) {
    g_array_append_val (a->measured, type);
    number = a->measured->len;
    g_hash_table_insert (a->metrics, GUINT_TO_POINTER (type), GUINT_TO_POINTER (number));
  }
  if (to)
    otf2_write_check (a, OTF2_EvtWriter_Metric (to, NULL, otf2_write_time_of (a, date), number - 1, 1, &real, &its));
}

/* The tag must be a whole number from 0. */
static uint32_t
otf2_write_tag_of (const TraceEvent *e)
{
  return e->tag >= 0 ? (uint32_t) e->tag : 0;
}

static void
write_send (TraceWriting *w, const TraceEvent *e, uint32_t peer, uint64_t number)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, e->task);
  uint32_t rank, comm = otf2_groups_comm (a->groups, e->object, e->task, peer, &rank);

  if (to)
    otf2_write_check (a, OTF2_EvtWriter_MpiSend (to, NULL, otf2_write_time_of (a, e->date), rank, comm,
                                                 otf2_write_tag_of (e), (uint64_t) MAX (TRACE_SIZE (e), 0)));
}

static void
write_receive (TraceWriting *w, const TraceEvent *e, uint64_t number)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, e->task);
  uint32_t rank, comm = otf2_groups_comm (a->groups, e->object, e->task, e->peer, &rank);

  if (to)
    otf2_write_check (a, OTF2_EvtWriter_MpiRecv (to, NULL, otf2_write_time_of (a, e->date), rank, comm,
                                                 otf2_write_tag_of (e), (uint64_t) MAX (TRACE_SIZE (e), 0)));
}

/* Its number is that of its record, which no other one has. */
static void
write_aside (TraceWriting *w, const TraceEvent *e, bool sends, bool ends)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, e->task);
  uint64_t at = otf2_write_time_of (a, e->date), size = (uint64_t) MAX (TRACE_SIZE (e), 0);
  uint32_t rank = 0, comm = 0;
  OTF2_ErrorCode code = OTF2_SUCCESS;

  if (!to)
    return;
  if (e->peer != TRACE_NONE)
    comm = otf2_groups_comm (a->groups, e->object, e->task, e->peer, &rank);
  if (ends && e->result < 0)
    code = OTF2_EvtWriter_MpiRequestCancelled (to, NULL, at, e->record);
  else if (sends && ends)
    code = OTF2_EvtWriter_MpiIsendComplete (to, NULL, at, e->record);
  else if (sends)
    code = OTF2_EvtWriter_MpiIsend (to, NULL, at, rank, comm, otf2_write_tag_of (e), size, e->record);
  else if (!ends)
    code = OTF2_EvtWriter_MpiIrecvRequest (to, NULL, at, e->record);
  else if (e->peer != TRACE_NONE)
    code = OTF2_EvtWriter_MpiIrecv (to, NULL, at, rank, comm, otf2_write_tag_of (e), size, e->record);
  otf2_write_check (a, code);
}

static void
write_group (TraceWriting *w, const TraceEvent *e, const uint32_t *members, uint32_t n)
{
  otf2_groups_add (((Archive *) w->to)->groups, e->object, members, n);
}

static void
write_collective (TraceWriting *w, const TraceEvent *e, bool ends)
{
  Archive *a = w->to;
  OTF2_EvtWriter *to = location_of (a, e->task);
  OTF2_ErrorCode code = OTF2_SUCCESS;

  if (to && !otf2_groups_operation (a->groups, to, otf2_write_time_of (a, e->date), e, ends, &code) && ends)
    w->n_left++;
  otf2_write_check (a, code);
}

/* Markers stand in a file of their own. */
static void
write_mark (TraceWriting *w, const TraceEvent *e, const char *text)
{
  Archive *a = w->to;
  int64_t lasts = TRACE_HAS_DURATION (e) ? MAX (e->duration, 0) : 0;

  if (!location_of (a, e->task))
    return;
  if (a->marks->len == MOST_MARKS) {
    a->n_unmarked++;
    return;
  }
  Mark m = { otf2_write_time_of (a, e->date), (uint64_t) lasts, e->task, e->kind,
             g_strdup (*text || e->object == TRACE_NONE ? text : trace_object_id (w->source, e->object)) };
  g_array_append_val (a->marks, m);
}

static bool
write_flush (TraceWriting *w, GError **error)
{
  Archive *a = w->to;

  if (a->error && error)
    *error = g_error_copy (a->error);
  return !a->error;
}

/* ---- definitions -------------------------------------------------------------------------------------------------------------- */

static uint32_t
otf2_write_string (Archive *a, const char *text)
{
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteString (a->to, a->n_strings, text));
  return a->n_strings++;
}

static bool
does_something (const Archive *a, uint32_t task)
{
  return task < a->locations->len && g_array_index (a->locations, OTF2_EvtWriter *, task) != NULL;
}

/* What is told of a task that is another one once more has that one's process as its creator: so it is known again. */
static bool
is_once_more (const Archive *a, const TraceSource *s, uint32_t task)
{
  return trace_task_is_named_after (s, task) && does_something (a, trace_task (s, task)->parent);
}

/* Node 0 is the whole; those of tasks have the next numbers, without gaps. */
static void
otf2_write_tree (Archive *a, const TraceSource *s)
{
  g_autofree bool *around = g_new0 (bool, s->tasks->len + 1);
  g_autofree uint32_t *groups = g_new0 (uint32_t, s->tasks->len + 1);
  g_autofree uint32_t *nodes = g_new0 (uint32_t, s->tasks->len + 1);
  uint32_t machine = otf2_write_string (a, "machine"), thread = otf2_write_string (a, "master thread"), n = 0,
           n_nodes = 0;

  for (uint32_t i = 0; i < s->tasks->len; i++)
    if (trace_task (s, i)->parent < i && !is_once_more (a, s, i))
      around[trace_task (s, i)->parent] = true;
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteSystemTreeNode (a->to, 0, otf2_write_string (a, s->name), machine,
                                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (uint32_t i = 0; i < s->tasks->len; i++) {
    const TraceTask *t = trace_task (s, i);
    uint32_t above = t->parent < i ? nodes[t->parent] : 0, name = otf2_write_string (a, trace_task_name (s, i));
    nodes[i] = around[i] ? ++n_nodes : above;
    if (around[i]) {
      const char *type = t->type < s->types->len ? ((const TraceType *) s->types->pdata[t->type])->name : "machine";
      otf2_write_check (
          a, OTF2_GlobalDefWriter_WriteSystemTreeNode (a->to, nodes[i], name, otf2_write_string (a, type), above));
    }
    if (!does_something (a, i))
      continue;
    otf2_write_check (a,
                      OTF2_GlobalDefWriter_WriteLocationGroup (
                          a->to, n, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, nodes[i],
                          t->parent < i && is_once_more (a, s, i) ? groups[t->parent] : OTF2_UNDEFINED_LOCATION_GROUP));
    groups[i] = n;
    otf2_write_check (a, OTF2_GlobalDefWriter_WriteLocation (a->to, i, thread, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                             g_array_index (a->n_events, uint64_t, i), n));
    n++;
  }
}

static void
otf2_write_regions (Archive *a)
{
  uint32_t none = otf2_write_string (a, "");

  for (uint32_t i = 0; i < a->states->len; i++) {
    const char *name = a->states->pdata[i];
    bool mpi = g_str_has_prefix (name, "MPI_");
    uint32_t its = otf2_write_string (a, name);
    const char *word = mpi ? NULL : trace_does_word ((TraceDoes) g_array_index (a->does, uint8_t, i));
    g_autofree char *does = word ? g_strconcat (OTF2_SCOPE_DOES, word, NULL) : NULL;
    uint32_t description = does ? otf2_write_string (a, does) : none;
    otf2_write_check (a, OTF2_GlobalDefWriter_WriteRegion (a->to, i, its, its, description, OTF2_REGION_ROLE_FUNCTION,
                                                           mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                                           OTF2_REGION_FLAG_NONE, none, 0, 0));
  }
}

/* Ranks are numbers of tasks, so that a record says who it is; those that did nothing are ranks too. */
static void
write_communicator (Archive *a, const TraceSource *s)
{
  uint32_t n = s->tasks->len;
  g_autofree uint64_t *members = g_new (uint64_t, MAX (n, 1));

  for (uint32_t i = 0; i < n; i++)
    members[i] = i;
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteGroup (a->to, 0, otf2_write_string (a, "all tasks"),
                                                        OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                        OTF2_GROUP_FLAG_NONE, n, members));
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteGroup (a->to, 1, otf2_write_string (a, ""), OTF2_GROUP_TYPE_COMM_GROUP,
                                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, members));
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteComm (a->to, 0, otf2_write_string (a, "all tasks"), 1,
                                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static uint32_t
group_string (void *archive, const char *text)
{
  return otf2_write_string (archive, text);
}

static void
group_check (void *archive, OTF2_ErrorCode code)
{
  otf2_write_check (archive, code);
}

static void
otf2_write_marks (Archive *a, const TraceSource *s)
{
  OTF2_MarkerWriter *to = a->marks->len > 0 ? OTF2_Archive_GetMarkerWriter (a->archive) : NULL;
  g_autofree bool *defined = g_new0 (bool, MAX (s->n_kinds, 1));

  for (guint i = 0; to && i < a->marks->len && !a->error; i++) {
    const Mark *m = &g_array_index (a->marks, Mark, i);
    if (!defined[m->kind])
      otf2_write_check (a, OTF2_MarkerWriter_WriteDefMarker (to, m->kind, s->kinds[m->kind].category,
                                                             s->kinds[m->kind].name, OTF2_SEVERITY_NONE));
    defined[m->kind] = true;
    otf2_write_check (a, OTF2_MarkerWriter_WriteMarker (to, m->time, m->duration, m->kind, OTF2_MARKER_SCOPE_LOCATION,
                                                        m->task, m->text));
  }
  if (to)
    otf2_write_check (a, OTF2_Archive_CloseMarkerWriter (a->archive, to));
}

static void
write_metrics (Archive *a, const TraceSource *s)
{
  uint32_t none = otf2_write_string (a, "");

  for (uint32_t i = 0; i < a->measured->len; i++) { /* a value is so until the next one */
    const TraceType *t = s->types->pdata[g_array_index (a->measured, uint32_t, i)];
    otf2_write_check (a, OTF2_GlobalDefWriter_WriteMetricMember (a->to, i, otf2_write_string (a, t->name), none,
                                                                 OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT,
                                                                 OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
                                                                 otf2_write_string (a, t->unit ? t->unit : "")));
    otf2_write_check (
        a, OTF2_GlobalDefWriter_WriteMetricClass (a->to, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
  }
}

static void
write_definitions (Archive *a, const TraceSource *s, int64_t last)
{
  otf2_write_check (a, OTF2_Archive_OpenDefFiles (a->archive));
  for (uint32_t i = 0; i < a->locations->len && !a->error; i++) {
    OTF2_DefWriter *w = does_something (a, i) ? OTF2_Archive_GetDefWriter (a->archive, i) : NULL;
    if (w)
      otf2_write_check (a, OTF2_Archive_CloseDefWriter (a->archive, w));
  }
  otf2_write_check (a, OTF2_Archive_CloseDefFiles (a->archive));
  a->to = OTF2_Archive_GetGlobalDefWriter (a->archive);
  if (!a->to) {
    otf2_write_check (a, OTF2_ERROR_MEM_ALLOC_FAILED);
    return;
  }
  otf2_write_check (a, OTF2_GlobalDefWriter_WriteClockProperties (a->to, TRACE_TICKS, 0,
                                                                  otf2_write_time_of (a, MAX (last, a->origin)),
                                                                  OTF2_UNDEFINED_TIMESTAMP));
  otf2_write_tree (a, s);
  otf2_write_regions (a);
  write_communicator (a, s);
  otf2_groups_write (a->groups, a->to, s, 2, group_string, group_check, a);
  write_metrics (a, s);
  otf2_write_check (a, OTF2_Archive_CloseGlobalDefWriter (a->archive, a->to));
  otf2_write_marks (a, s);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

/* Takes away a folder of which only `folders` levels below can be folders too. */
static void
remove_folder (const char *path, int folders)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *one = g_build_filename (path, name, NULL);
    if (folders > 0 && g_file_test (one, G_FILE_TEST_IS_DIR) && !g_file_test (one, G_FILE_TEST_IS_SYMLINK))
      remove_folder (one, folders - 1);
    else
      g_unlink (one);
  }
  g_rmdir (path);
}

static bool
write_archive (Archive *a, TraceSource *from, const char *folder, const TraceProgress *progress, GError **error)
{
  static const TraceWriter writer = {
    .enter = write_enter,
    .leave = write_leave,
    .variable = write_variable,
    .send = write_send,
    .receive = write_receive,
    .aside = write_aside,
    .group = write_group,
    .collective = write_collective,
    .mark = write_mark,
    .flush = write_flush,
  };
  static OTF2_FlushCallbacks flush = { otf2_write_pre_flush, otf2_write_post_flush };
  int64_t last = INT64_MIN;

  a->archive = OTF2_Archive_Open (folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, 16 * CHUNK_BYTES,
                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!a->archive) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("libotf2 cannot make an archive in %s"), folder);
    return false;
  }
  otf2_write_check (a, OTF2_Archive_SetFlushCallbacks (a->archive, &flush, NULL));
  otf2_write_check (a, OTF2_Archive_SetSerialCollectiveCallbacks (a->archive));
  otf2_write_check (a, OTF2_Archive_SetCreator (a->archive, "Scope"));
  otf2_write_check (a, OTF2_Archive_OpenEvtFiles (a->archive));
  bool ok = trace_write (from, &writer, a, progress, &last, error);
  if (ok && a->n_locations == 0 && from->tasks->len > 0)
    location_of (a, 0); /* an archive without a location is none */
  for (uint32_t i = 0; i < a->locations->len; i++)
    if (does_something (a, i)) {
      OTF2_EvtWriter *w = g_array_index (a->locations, OTF2_EvtWriter *, i);
      otf2_write_check (a, OTF2_EvtWriter_GetNumberOfEvents (w, &g_array_index (a->n_events, uint64_t, i)));
      otf2_write_check (a, OTF2_Archive_CloseEvtWriter (a->archive, w));
    }
  otf2_write_check (a, OTF2_Archive_CloseEvtFiles (a->archive));
  if (ok)
    write_definitions (a, from, last);
  if (ok && a->n_unmarked > 0)
    trace_source_remark (from, from->name, 0, 0,
                         _ ("%" PRIu64 " notes are not written: an archive is given %d of them"), a->n_unmarked,
                         MOST_MARKS);
  otf2_write_check (a, OTF2_Archive_Close (a->archive));
  if (ok && a->error)
    *error = g_error_copy (a->error);
  return ok && !a->error;
}

static void
clear_mark (void *mark)
{
  g_free (((Mark *) mark)->text);
}

bool
otf2_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error)
{
  Archive a = { .origin = MIN (from->first, 0), .path = path };
  g_autofree char *making = g_strconcat (path, ".making-XXXXXX", NULL);
  GError *why = NULL;

  if (!trace_write_may (path, error))
    return false;
  if (!g_mkdtemp_full (making, 0777)) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
    return false;
  }
  OTF2_ErrorCallback before = OTF2_Error_RegisterCallback (otf2_write_heard, &a);
  a.locations = g_array_new (FALSE, TRUE, sizeof (OTF2_EvtWriter *));
  a.n_events = g_array_new (FALSE, TRUE, sizeof (uint64_t));
  a.metrics = g_hash_table_new (NULL, NULL);
  a.measured = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  a.states = g_ptr_array_new_with_free_func (g_free);
  a.does = g_array_new (FALSE, FALSE, sizeof (uint8_t));
  a.groups = otf2_groups_new ();
  a.marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  g_array_set_clear_func (a.marks, clear_mark);
  bool ok = write_archive (&a, from, making, progress, &why);
  if (ok && g_rename (making, path) != 0) {
    g_set_error (&why, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
    ok = false;
  }
  if (!ok)
    remove_folder (making, 1);
  OTF2_Error_RegisterCallback (before, NULL);
  g_ptr_array_unref (a.states);
  g_array_unref (a.does);
  g_array_unref (a.marks);
  otf2_groups_free (a.groups);
  g_hash_table_unref (a.metrics);
  g_array_unref (a.measured);
  g_array_unref (a.n_events);
  g_array_unref (a.locations);
  g_clear_error (&a.error);
  if (why)
    g_propagate_error (error, why);
  return ok;
}
