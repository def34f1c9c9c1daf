/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - the TAPE/PVM source: opens a data folder, hands out the parser's blocks, saves and finds its
 * place. README.md of this folder is the format. */
#include "readers/tapepvm/scan.h"
#include "eve/words.h"
#include "eve/eve-host.h"
#include "readers/file.h"
#include <fcntl.h>
#include <sys/stat.h>

#define RUN_STATE 3 /* layout of what tp_save() writes */

static TpReader *
tapepvm_reader (TraceSource *s)
{
  return (TpReader *) s;
}

/* ---- opening ---- */

static bool
read_table (TpReader *r, GError **error)
{
  size_t n;
  g_autofree char *path = g_build_filename (r->folder, "kinds", NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK)) {
    r->table = tp_table_builtin ();
    return true;
  }
  g_autoptr (GError) why = NULL;
  g_autofree char *text = disk_read (path, r->base.path, DISK_MIB, &n, &why);
  if (text)
    r->table = tp_table_parse (text, n, path, error);
  else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, "%s", why->message);
  return r->table != NULL;
}

/* A first line "#TAPE/PVM 1" or 2 names the version; without it, 1 is meant. */
bool
tp_check_version (TpReader *r, GError **error)
{
  char head[32] = "";
  ssize_t n = disk_pread (r->fd, head, sizeof head - 1, 0);
  if (n < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s/events cannot be read: %s"), r->folder, g_strerror (errno));
    return false;
  }
  bool told = g_str_has_prefix (head, "#TAPE/PVM");
  g_autofree char *shown = told ? g_utf8_make_valid (head, (gssize) strcspn (head, "\r\n")) : g_strdup ("");
  g_strchomp (shown);
  r->version = !told || g_str_equal (shown, "#TAPE/PVM 1") ? 1 : g_str_equal (shown, "#TAPE/PVM 2") ? 2 : 0;
  r->table->later = r->version == 2;
  if (!r->version)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s/events is of a version that this reader does not know: “%s”, expected “#TAPE/PVM 1” or 2"),
                 r->folder, shown);
  else if (r->version == 2 && r->table->header[0] != TP_TYPE)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s/kinds: in a trace of version 2 the header must begin with the type"), r->folder);
  else
    return true;
  return false;
}

static void
tapepvm_reader_stop (TpReader *r)
{
  g_clear_pointer (&r->parser, tp_parser_free);
  r->given = r->news_given = 0;
}

static void
tp_close (TraceSource *s)
{
  TpReader *r = tapepvm_reader (s);
  tapepvm_reader_stop (r);
  tp_record_clear (r);
  if (r->fd >= 0)
    close (r->fd);
  tp_intern_clear (&r->known);
  for (guint i = 0; s->tasks && i < s->tasks->len; i++)
    ((TraceTask *) s->tasks->pdata[i])->program = NULL; /* one of: */
  g_clear_pointer (&r->programs, g_ptr_array_unref);
  if (r->enrolled_at)
    g_array_unref (r->enrolled_at);
  tp_table_free (r->table);
  g_free (r->folder);
  trace_source_clear (s);
  g_free (s);
}

void
tp_note_check (TpReader *r)
{
  TraceSource *s = &r->base;
  const TpCheck *c = &r->check;
  s->n_records = c->n_records;
  s->n_events = c->n_events;
  s->first = c->n_records ? c->first : 0;
  s->last = s->ended ? c->last : c->n_records ? MAX (c->reached, c->first) : -1;
}

bool
tp_open_whole (TpReader *r, const TraceOptions *options, GError **error)
{
  TraceSource *s = &r->base;
  if (!tp_check_version (r, error) || !tp_check_once (r->table, r->fd, r->size, options->progress, &r->check, error))
    return false;
  if (!r->check.ordered) {
    int sorted = tp_sort (r->table, r->fd, r->size, options, &r->size, error);
    if (sorted < 0)
      return false;
    close (r->fd);
    r->fd = sorted;
    r->sorted_copy = true;
  }
  s->abilities = TRACE_LENDS | (r->check.ordered ? TRACE_SORTED : 0);
  tp_note_check (r);
  return true;
}

/* A raw file as the tracer wrote it; in a bundle it is opened with that. */
static int
tp_recognise (const char *path, const void *head, size_t n, char **whole)
{
  static const char first[] = "#TAPE/PVM ";

  return head && n >= strlen (first) && memcmp (head, first, strlen (first)) == 0 ? 95 : 0;
}

TraceSource *
tp_open (const char *bundle, const char *folder, const TraceOptions *options, GError **error)
{
  bool alone = g_file_test (folder, G_FILE_TEST_IS_REGULAR); /* a raw file, in no bundle */
  g_autofree char *events = alone ? g_strdup (folder) : g_build_filename (folder, "events", NULL);
  static const TraceOptions none;
  TpReader *r = g_new0 (TpReader, 1);
  TraceSource *s = &r->base;
  g_autoptr (GError) full = NULL;
  if (!options)
    options = &none;
  r->fd = -1;
  r->folder = g_strdup (folder);
  r->strict = options->strict;
  r->record_at = r->late_of = UINT64_MAX;
  tp_record_init (&r->record);
  r->enrolled_at = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  r->programs = g_ptr_array_new_with_free_func (g_free);
  tp_intern_init (&r->known);
  trace_source_setup (s, &tapepvm_format, bundle, &full);
  if (full) {
    g_propagate_error (error, g_steal_pointer (&full));
    goto failed;
  }
  if (!read_table (r, error))
    goto failed;
  r->fd = trace_source_open (&r->base, events, DISK_DATA, &r->original_size, error);
  if (r->fd < 0)
    goto failed;
  r->size = r->original_size;
  r->follows = options->follow;
  if (!(r->follows ? tp_follow (r, options, error) : tp_open_whole (r, options, error))) {
    g_prefix_error (error, "%s: ", folder);
    goto failed;
  }
  s->clock = (TraceClock){ .ticks_per_second = r->table->ticks_per_second, .units = "s" };
  s->kinds = r->table->kinds;
  s->n_kinds = r->table->n_kinds;
  return s;

failed:
  tp_close (s);
  return NULL;
}

/* ---- what the events tell ---- */

static void
learn_task (TpReader *r, uint32_t raw)
{
  if (r->n_tasks++ < r->base.tasks->len)
    return; /* from an earlier passage */
  char id[16];
  const uint64_t never = UINT64_MAX;
  g_snprintf (id, sizeof id, "t%x", raw);
  trace_source_add_task (&r->base, id, raw);
  tp_intern_add (&r->known, raw);
  g_array_append_val (r->enrolled_at, never);
  g_ptr_array_add (r->programs, NULL);
}

static void
learn_object (TpReader *r, const char *name)
{
  if (r->n_objects++ >= r->base.objects->len)
    trace_source_add_object (&r->base, name);
}

static void
learn_host (TpReader *r, const char *name, const char *arch, int64_t speed)
{
  if (r->n_hosts++ >= r->base.hosts->len)
    trace_source_add_host (&r->base, name, arch, speed);
}

static void
learn_enrolled (TpReader *r, uint32_t task, uint32_t host, const char *program, uint64_t number)
{
  TraceTask *t = trace_task (&r->base, task);
  uint64_t *at = &g_array_index (r->enrolled_at, uint64_t, task);
  char **kept = (char **) &r->programs->pdata[task];
  if (*at != UINT64_MAX)
    return;
  *at = number;
  t->host = host;
  if (!*kept && program && *program)
    *kept = g_strdup (program);
  t->program = *kept;
}

/* Where a task runs, and what, is known from its Enroll on, also after a travel back: as who comes there for the first
 * time sees it. */
static void
forget_enrolled (TpReader *r)
{
  for (guint i = 0; i < r->base.tasks->len; i++) {
    TraceTask *t = r->base.tasks->pdata[i];
    t->host = TRACE_NONE;
    t->program = NULL; /* it stays in `programs`: somebody may still read it */
    g_array_index (r->enrolled_at, uint64_t, i) = UINT64_MAX;
  }
}

/* The news of the block in hand that come with the events given so far. */
static void
learn (TpReader *r, const TpBlock *b)
{
  for (; r->news_given < b->news->len; r->news_given++) {
    const TpNews *news = &g_array_index (b->news, TpNews, r->news_given);
    if (news->at > r->given)
      return;
    switch (news->what) {
    case TP_NEW_TASK:
      learn_task (r, (uint32_t) news->a);
      break;
    case TP_NEW_OBJECT:
      learn_object (r, news->text);
      break;
    case TP_NEW_HOST:
      learn_host (r, news->text, news->more, (int64_t) news->count);
      break;
    case TP_ENROLLED:
      learn_enrolled (r, (uint32_t) news->a, (uint32_t) news->b, news->text, b->from.number + news->at);
      break;
    case TP_DAMAGED:
      if (news->text) {
        trace_source_damage (&r->base, "events", news->a, news->b, "%s", news->text);
        r->n_events_damaged++;
      }
      r->base.n_damaged += news->count;
      r->n_events_damaged += news->count;
      break;
    }
  }
}

static void
forget_damage (TpReader *r)
{
  GPtrArray *list = r->base.damage;
  for (guint i = list->len; i-- > 0;)
    if (g_str_equal (((TraceDamage *) list->pdata[i])->file, "events"))
      g_ptr_array_remove_index (list, i);
  r->base.n_damaged -= r->n_events_damaged;
  r->n_events_damaged = 0;
}

/* ---- reading ---- */

static bool
ready (TpReader *r, GError **error)
{
  static const TpStart beginning;
  if (!r->parser)
    r->parser = tp_parser_start (r, &beginning, error);
  return r->parser != NULL;
}

/* The block in hand is whole, or the thread waits for more of a file that grows: it may be looked at.  False: there is
 * no more than it holds. */
static bool
settled (TpReader *r)
{
  return __builtin_expect (!r->follows, 1) || tp_parser_settle (r->parser);
}

static size_t
nothing_left (const TpBlock *last, GError **error)
{
  if (last->error && error)
    *error = g_error_copy (last->error);
  return 0;
}

static size_t
tp_next (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  TpReader *r = tapepvm_reader (s);
  if (!max || !ready (r, error))
    return 0;
  for (;;) {
    const TpBlock *b = tp_parser_block (r->parser);
    bool whole = !b || settled (r);
    if (b && r->given < b->n) {
      size_t n = MIN (max, (size_t) (b->n - r->given));
      if (events)
        memcpy (events, b->events + r->given, n * sizeof *events);
      r->given += (uint32_t) n;
      learn (r, b);
      return n;
    }
    if (b && r->follows) /* what has come behind the event given last */
      learn (r, b);
    if (!whole)
      return 0;
    if (b && b->last)
      return nothing_left (b, error);
    b = tp_parser_next (r->parser);
    tp_parser_take (r->parser);
    r->given = r->news_given = 0;
    learn (r, b);
  }
}

static size_t
tp_peek (TraceSource *s, const TraceEvent **events, GError **error)
{
  TpReader *r = tapepvm_reader (s);
  if (!ready (r, error))
    return 0;
  const TpBlock *b = tp_parser_block (r->parser);
  uint32_t from = r->given;
  bool whole = !b || settled (r);
  if (b && from == b->n) {
    if (!whole)
      return 0;
    if (b->last)
      return nothing_left (b, error);
    b = NULL;
  }
  if (!b) {
    b = tp_parser_next (r->parser);
    from = 0;
  }
  *events = b->events + from;
  return b->n > from ? b->n - from : nothing_left (b, error);
}

static void
tp_rewind (TraceSource *s)
{
  TpReader *r = tapepvm_reader (s);
  tapepvm_reader_stop (r);
  forget_damage (r);
  forget_enrolled (r);
  r->n_tasks = r->n_objects = r->n_hosts = 0;
}

/* ---- place ----
 * What is written is the beginning of the block in hand, the calls under way there, everything learnt before,
 * how many events of the block were given, and the last of these: a function of the events given alone. */

#define KNOWN_BY 7 /* numbers by which an event is known again */

static void
tapepvm_reader_known_by (const TpReader *r, const TpBlock *b, int64_t to[KNOWN_BY])
{
  const TraceEvent *e = r->given ? &b->events[r->given - 1] : NULL;
  const int64_t numbers[KNOWN_BY] = { e ? e->date : 0,
                                      e ? e->duration : 0,
                                      e ? (int64_t) e->number : 0,
                                      e ? (int64_t) e->record : 0,
                                      e ? e->size : 0,
                                      e ? e->kind : 0,
                                      e ? trace_task (&r->base, e->task)->raw : 0 };
  memcpy (to, numbers, sizeof numbers);
}

/* Of a trace that grows, or has grown, all of these were others when an earlier place was saved: there it is the event
 * given last, and the calls under way, that tell. */
#define SAME_BY 4
static void
tapepvm_reader_identity (const TpReader *r, int64_t to[SAME_BY])
{
  const TraceSource *s = &r->base;
  bool grows = s->abilities & TRACE_LIVE || r->version == 2;
  const int64_t numbers[SAME_BY] = { (int64_t) r->original_size, (int64_t) s->n_records, s->first, s->last };
  for (unsigned i = 0; i < SAME_BY; i++)
    to[i] = grows ? -1 : numbers[i];
}

static void
tp_save (TraceSource *s, EveBlob *to)
{
  TpReader *r = tapepvm_reader (s);
  const TpBlock *b = r->parser ? tp_parser_block (r->parser) : NULL;
  int64_t same[SAME_BY];
  tapepvm_reader_identity (r, same);
  eve_put_int (to, RUN_STATE);
  eve_put_ints (to, same, SAME_BY);
  eve_put_int (to, b != NULL);
  if (!b)
    return;
  settled (r);
  const TpPlace *p = &b->from;
  const int64_t numbers[] = { (int64_t) p->offset, (int64_t) p->line, (int64_t) p->number,    p->date, p->n_tasks,
                              p->n_objects,        p->n_hosts,        (int64_t) p->n_damaged, r->given };
  eve_put_ints (to, numbers, EVE_N (numbers));
  int64_t last[KNOWN_BY];
  tapepvm_reader_known_by (r, b, last);
  eve_put_ints (to, last, KNOWN_BY);
  const GArray *open = tp_parser_open (r->parser);
  eve_put_int (to, open->len);
  eve_put_ints (to, (const int64_t *) (void *) open->data, open->len);

  g_autofree int64_t *tasks = g_new (int64_t, 2 * (gsize) p->n_tasks + 1);
  for (uint32_t i = 0; i < p->n_tasks; i++) {
    bool enrolled = g_array_index (r->enrolled_at, uint64_t, i) < p->number;
    tasks[2 * i] = trace_task (s, i)->raw;
    tasks[2 * i + 1] = enrolled ? (int64_t) g_array_index (r->enrolled_at, uint64_t, i) : -1;
  }
  eve_put_ints (to, tasks, 2 * (size_t) p->n_tasks);
  for (uint32_t i = 0; i < p->n_tasks; i++)
    if (tasks[2 * i + 1] >= 0) {
      eve_put_int (to, trace_task (s, i)->host);
      eve_put_text (to, trace_task (s, i)->program);
    }
  for (uint32_t i = 0; i < p->n_objects; i++)
    eve_put_text (to, trace_object_id (s, i));
  for (uint32_t i = 0; i < p->n_hosts; i++) {
    const TraceHost *h = s->hosts->pdata[i];
    eve_put_text (to, h->name);
    eve_put_int (to, h->arch != NULL);
    eve_put_text (to, h->arch);
    eve_put_int (to, h->speed);
  }
  for (uint32_t i = 0, left = (uint32_t) MIN (p->n_damaged, TP_DAMAGE_KEPT); i < s->damage->len && left; i++) {
    const TraceDamage *d = s->damage->pdata[i];
    if (!g_str_equal (d->file, "events"))
      continue;
    eve_put_int (to, (int64_t) d->line);
    eve_put_int (to, (int64_t) d->column);
    eve_put_text (to, d->reason);
    left--;
  }
}

/* Everything up to the block is learnt again from the saved lists; false: they are not of this trace. */
static bool
learn_saved (TpReader *r, EveBlobView *from, TpStart *start)
{
  TraceSource *s = &r->base;
  const TpPlace *p = &start->place;
  g_autofree int64_t *tasks = g_new (int64_t, 2 * (gsize) p->n_tasks + 1);
  if (eve_get_ints (from, tasks, 2 * (size_t) p->n_tasks) != 2 * (size_t) p->n_tasks || !eve_get_ok (from))
    return false;
  uint32_t *raw = g_new (uint32_t, p->n_tasks + 1);
  uint8_t *enrolled = g_new0 (uint8_t, p->n_tasks + 1);
  start->tasks = raw;
  start->enrolled = enrolled;
  for (uint32_t i = 0; i < p->n_tasks; i++) {
    int64_t id = tasks[2 * i];
    if (id < 0 || id > TP_MAX_ID)
      return false;
    uint32_t known = tp_intern_find (&r->known, (uint32_t) id);
    if (i < s->tasks->len ? known != i : known != TRACE_NONE)
      return false;
    raw[i] = (uint32_t) id;
    enrolled[i] = tasks[2 * i + 1] >= 0;
    learn_task (r, raw[i]);
  }
  for (uint32_t i = 0; i < p->n_tasks; i++)
    if (enrolled[i]) {
      int64_t host = eve_get_int (from);
      const char *program = eve_get_text (from);
      if (!eve_get_ok (from) || (host != TRACE_NONE && (host < 0 || host >= p->n_hosts)))
        return false;
      learn_enrolled (r, i, (uint32_t) host, program, (uint64_t) tasks[2 * i + 1]);
    }
  char **objects = g_new0 (char *, p->n_objects + 1), **hosts = g_new0 (char *, p->n_hosts + 1);
  start->objects = objects;
  start->hosts = hosts;
  for (uint32_t i = 0; i < p->n_objects; i++) {
    objects[i] = g_strdup (eve_get_text (from));
    if (!eve_get_ok (from) || (i < s->objects->len && !g_str_equal (objects[i], trace_object_id (s, i))))
      return false;
    learn_object (r, objects[i]);
  }
  for (uint32_t i = 0; i < p->n_hosts; i++) {
    hosts[i] = g_strdup (eve_get_text (from));
    bool has_arch = eve_get_int (from) != 0;
    g_autofree char *arch = g_strdup (eve_get_text (from));
    int64_t speed = eve_get_int (from);
    if (!eve_get_ok (from) || (i < s->hosts->len && !g_str_equal (hosts[i], ((TraceHost *) s->hosts->pdata[i])->name)))
      return false;
    learn_host (r, hosts[i], has_arch ? arch : NULL, speed);
  }
  for (uint64_t i = 0; i < MIN (p->n_damaged, TP_DAMAGE_KEPT); i++) {
    int64_t line = eve_get_int (from), column = eve_get_int (from);
    const char *reason = eve_get_text (from);
    if (!eve_get_ok (from))
      return false;
    trace_source_damage (s, "events", (uint64_t) line, (uint64_t) column, "%s", reason);
    r->n_events_damaged++;
  }
  r->base.n_damaged += p->n_damaged - r->n_events_damaged;
  r->n_events_damaged = p->n_damaged;
  return eve_get_ok (from);
}

static bool
load_place (TpReader *r, EveBlobView *from)
{
  TpStart start = { 0 };
  int64_t v[9], saved[KNOWN_BY], last[KNOWN_BY];
  if (eve_get_ints (from, v, EVE_N (v)) != EVE_N (v) || eve_get_ints (from, saved, KNOWN_BY) != KNOWN_BY
      || !eve_get_ok (from))
    return false;
  int64_t n_open = eve_get_int (from);
  if (v[0] < 0 || (uint64_t) v[0] > r->size || v[1] < 0 || v[2] < 0 || v[3] < 0 || v[3] > TP_MAX_DATE || v[4] < 0
      || v[4] > TP_MAX_TASKS || v[5] < 0 || v[5] > TP_MAX_OBJECTS || v[6] < 0 || v[6] > TP_MAX_HOSTS || v[7] < 0
      || v[8] < 0 || v[8] > TP_BLOCK || n_open < 0 || n_open > TP_MAX_OPEN || !eve_get_ok (from))
    return false;
  start.place = (TpPlace){ .offset = (uint64_t) v[0],
                           .line = (uint64_t) v[1],
                           .number = (uint64_t) v[2],
                           .date = v[3],
                           .n_tasks = (uint32_t) v[4],
                           .n_objects = (uint32_t) v[5],
                           .n_hosts = (uint32_t) v[6],
                           .n_damaged = (uint64_t) v[7] };
  start.open = g_array_sized_new (FALSE, FALSE, sizeof (uint64_t), (guint) n_open);
  g_array_set_size (start.open, (guint) n_open);
  bool fine = eve_get_ints (from, (int64_t *) (void *) start.open->data, (size_t) n_open) == (size_t) n_open
              && eve_get_ok (from);
  for (guint i = 0; i < start.open->len && fine; i++)
    fine = g_array_index (start.open, uint64_t, i) < start.place.offset;
  fine = fine && learn_saved (r, from, &start);
  if (fine) {
    r->parser = tp_parser_start (r, &start, NULL);
    fine = r->parser != NULL;
  }
  if (fine) {
    const TpBlock *b = tp_parser_next (r->parser);
    tp_parser_take (r->parser);
    settled (r);
    fine = b->n >= (uint32_t) v[8];
    r->given = fine ? (uint32_t) v[8] : 0;
    learn (r, b);
    tapepvm_reader_known_by (r, b, last);
    fine = fine && memcmp (last, saved, sizeof last) == 0; /* else it is of another trace */
  }
  g_array_unref (start.open);
  g_free ((void *) start.tasks);
  g_free ((void *) start.enrolled);
  for (uint32_t i = 0; start.objects && i < start.place.n_objects; i++)
    g_free (start.objects[i]);
  for (uint32_t i = 0; start.hosts && i < start.place.n_hosts; i++)
    g_free (start.hosts[i]);
  g_free ((void *) start.objects);
  g_free ((void *) start.hosts);
  return fine;
}

static bool
tp_load (TraceSource *s, EveBlobView *from)
{
  TpReader *r = tapepvm_reader (s);
  int64_t now[SAME_BY], then[SAME_BY];
  tp_rewind (s);
  tapepvm_reader_identity (r, now);
  if (eve_get_int (from) != RUN_STATE || eve_get_ints (from, then, SAME_BY) != SAME_BY
      || memcmp (now, then, sizeof now) != 0)
    return false; /* of another trace */
  bool begun = eve_get_int (from) != 0;
  if (!eve_get_ok (from))
    return false;
  if (begun && !load_place (r, from)) {
    tp_rewind (s);
    return false;
  }
  return true;
}

const TraceFormat tapepvm_format = {
  .name = "tapepvm",
  .label = "TAPE/PVM",
  .model = "PVM",
  .open = tp_open,
  .close = tp_close,
  .next = tp_next,
  .rewind = tp_rewind,
  .save = tp_save,
  .load = tp_load,
  .value = tp_value,
  .site = tp_site,
  .sentence = tp_sentence,
  .synth = tp_synth,
  .import = tp_import,
  .recognise = tp_recognise,
  .peek = tp_peek,
  .look = tp_look,
};

TRACE_READER_PLUGIN (
    tapepvm_format, "scope.tapepvm-reader", "TAPE/PVM reader", "reader:tapepvm",
    "Gives the events of a TAPE/PVM trace in the order of their dates, with the end of each call as an "
    "event of its own.");
