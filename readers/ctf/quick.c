/* SPDX-License-Identifier: Apache-2.0 */
/* quick.c - decodes the streams of a CTF trace by the layouts of its metadata (layout.h), several times as fast as the
 * library does, and gives the same (docs/decisions/ctf.md).
 *
 * The library has read the metadata too: what it knows of each class of events is compared with its layout, member by
 * member, before the first one is decoded.  Whatever is not as expected ends this for the whole trace, and the library
 * goes on behind what was given: it tells what is damaged, and where. */
#include <string.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/ctf/decode.h"

#define MOST_PACKET (32 * DISK_MIB)
#define FIRST_READ (64u << 10)
#define MOST_OPEN 500 /* files */
#define MOST_MEMORY (256 * DISK_MIB)
#define EXACT_EVENTS 50000 /* as graph.c */
#define SLACK 5000000      /* ns */
#define ASK_EVERY 512      /* turns: whether to go on */

typedef struct IndexEntry {
  uint64_t at, size; /* of a packet: byte and bits */
} IndexEntry;

typedef struct Flow {
  Place p;
  LayoutStream *is;
  int fd;
  uint64_t size;   /* of the file */
  uint64_t packet; /* where the one at hand begins, and the next one: bytes */
  uint64_t next;
  uint8_t *bytes;
  size_t room, n_bytes; /* read, from `packet` on */
  uint64_t guess;       /* how much to read at once */
  bool in_packet, is_first;
  LayoutEvent *event; /* whose header was read; NULL: none */
  int64_t date;       /* of it */
  Cell *cells;        /* of the context of the packet */
  const Cell *cpu;    /* one of them */
  uint64_t end_before, discarded_before, sequence_before, instance;
  const bt_clock_class *clock;
  bool in_ns; /* the clock counts ns */
  int64_t origin;
  IndexEntry *index; /* of the tracer; NULL: there is none */
  uint64_t n_index, at_index;
  uint64_t begin;     /* date of its first packet, as its clock has it; then of the one at hand */
  struct Flow *after; /* the next file of the stream, where a tracer has begun new ones; or NULL */
  bool is_part;       /* there are several */
} Flow;

typedef struct Quick {
  Ctf *c;
  Layout *layout;
  const char *folder;
  uint8_t uuid[16];
  bool has_uuid;
  Cell *cells[N_SCOPES];
  uint32_t room[N_SCOPES];
  uint64_t n_bytes; /* of packets in memory */
  uint32_t n_files;
} Quick;

/* ---- packets --------------------------------------------------------------------------------------------------------------- */

static bool
read_bytes (Quick *q, Flow *f, size_t n)
{
  n = (size_t) MIN (n, f->size - f->packet);
  if (n > f->room) {
    q->n_bytes += n - f->room;
    if (q->n_bytes > MOST_MEMORY)
      return false;
    f->room = n;
    f->bytes = g_realloc (f->bytes, f->room);
  }
  ssize_t got = disk_pread (f->fd, f->bytes, n, f->packet);
  f->n_bytes = got > 0 ? (size_t) got : 0;
  return f->n_bytes == n;
}

/* The header of a packet and its context, in what was read of it. */
static bool
take_head (const Quick *q, Flow *f, LayoutStream *is, Cell *cells)
{
  Node *header = q->layout->packet_header;
  uint64_t clock = f->p.clock;

  f->p = (Place){ .bytes = f->bytes, .end = (uint64_t) f->n_bytes * 8, .clock = clock };
  memset (f->p.means, 0xff, sizeof f->p.means);
  if (header && !place_align (&f->p, header->align))
    return false;
  for (uint32_t i = 0; header && i < header->n_members; i++) {
    Node *n = header->members[i].node;
    if (n->is_uuid && place_align (&f->p, 8))
      f->p.uuid = f->bytes + f->p.at / 8;
    if (!ctf_take_node (&f->p, n, NULL))
      return false;
  }
  return !is || ctf_take_scope (&f->p, is->packet, cells);
}

/* Nothing is asked of a packet but that it says what it is, of whom, and how large. */
static bool
quick_is_sound (const Quick *q, const Flow *f)
{
  const uint64_t *m = f->p.means;
  const bool has_id = m[MEANS_STREAM] != UNKNOWN;

  return (m[MEANS_MAGIC] == UNKNOWN || m[MEANS_MAGIC] == 0xc1fc1fc1)
         && (has_id ? m[MEANS_STREAM] == f->is->id : g_hash_table_size (q->layout->streams) == 1)
         && (f->is_first || m[MEANS_INSTANCE] == f->instance)
         && (!f->p.uuid || !q->has_uuid || memcmp (f->p.uuid, q->uuid, sizeof q->uuid) == 0)
         && m[MEANS_PACKET] != UNKNOWN && m[MEANS_CONTENT] != UNKNOWN && m[MEANS_CONTENT] <= m[MEANS_PACKET]
         && m[MEANS_PACKET] % 8 == 0 && m[MEANS_PACKET] / 8 <= f->size - f->packet && m[MEANS_PACKET] / 8 <= MOST_PACKET
         && f->p.at <= m[MEANS_CONTENT];
}

/* The library goes by the index that a tracer has left. */
static bool
is_indexed (Flow *f)
{
  if (!f->index)
    return true;
  const IndexEntry *e = f->at_index < f->n_index ? &f->index[f->at_index++] : NULL;
  return e && e->at == f->packet && e->size == f->p.means[MEANS_PACKET];
}

static int64_t
quick_date (Ctf *c, const Stream *s, uint64_t clock)
{
  const Flow *f = s->flow;
  int64_t ns = 0;
  bool is_known;

  if (f->in_ns) {
    is_known = clock < INT64_MAX && !__builtin_add_overflow (f->origin, (int64_t) clock, &ns);
  } else {
    is_known = bt_clock_class_cycles_to_ns_from_origin (f->clock, clock, &ns)
               == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK;
    if (!is_known)
      bt_current_thread_clear_error ();
  }
  return ctf_date (c, s, is_known, ns);
}

/* What was lost between the packet before and this one. */
static void
tell_lost (Ctf *c, Stream *s)
{
  const Flow *f = s->flow;
  const bt_stream_class *class = bt_stream_borrow_class_const (s->stream);
  const uint64_t *m = f->p.means, discarded = m[MEANS_DISCARDED], sequence = m[MEANS_SEQUENCE];
  const int64_t undated = s->date == INT64_MIN ? 0 : s->date;

  if (discarded != UNKNOWN && discarded != (f->discarded_before == UNKNOWN ? 0 : f->discarded_before)) {
    bool first = f->discarded_before == UNKNOWN;
    bool dated = bt_stream_class_discarded_events_have_default_clock_snapshots (class);
    int64_t date = dated ? quick_date (c, s, first ? m[MEANS_BEGIN] : f->end_before) : undated;
    ctf_lost (c, s, date, false, first ? 0 : discarded - f->discarded_before);
  }
  if (f->sequence_before != UNKNOWN && sequence - f->sequence_before > 1) {
    bool dated = bt_stream_class_discarded_packets_have_default_clock_snapshots (class);
    ctf_lost (c, s, dated ? quick_date (c, s, f->end_before) : undated, true, sequence - f->sequence_before - 1);
  }
}

typedef enum { WAITS, GAVE, ENDED, ODD } Turn;

static void
drop_bytes (Quick *q, Flow *f)
{
  g_clear_pointer (&f->bytes, g_free);
  q->n_bytes -= f->room;
  f->room = 0;
}

static void
free_flow (Quick *q, Flow *f)
{
  while (f) {
    Flow *after = f->after;
    if (f->fd >= 0)
      close (f->fd);
    drop_bytes (q, f);
    g_free (f->cells);
    g_free (f->index);
    g_free (f);
    f = after;
  }
}

/* What has to be known of the packet before goes over to the next file. */
static Turn
end_file (Quick *q, Stream *s)
{
  Flow *f = s->flow, *after = f->after;

  if ((f->index && f->at_index != f->n_index) || (after && after->begin < f->begin))
    return ODD;
  if (!after)
    return ENDED;
  after->p.clock = f->p.clock;
  after->end_before = f->end_before;
  after->discarded_before = f->discarded_before;
  after->sequence_before = f->sequence_before;
  after->instance = f->instance;
  after->is_first = false;
  after->is_part = true;
  f->after = NULL;
  s->flow = after;
  free_flow (q, f);
  return GAVE;
}

static Turn
begin_packet (Quick *q, Stream *s)
{
  Flow *f = s->flow;

  f->packet = f->next;
  if (f->packet == f->size)
    return end_file (q, s);
  if (!read_bytes (q, f, (size_t) f->guess) || !take_head (q, f, f->is, f->cells) || !quick_is_sound (q, f)
      || !is_indexed (f))
    return ODD;
  const uint64_t bytes = f->p.means[MEANS_PACKET] / 8;
  if (bytes > f->n_bytes) {
    const uint64_t clock = f->p.clock;
    if (!read_bytes (q, f, (size_t) bytes) || !take_head (q, f, f->is, f->cells) || !quick_is_sound (q, f))
      return ODD;
    f->p.clock = clock; /* the same was told twice */
  }
  f->guess = CLAMP (bytes, FIRST_READ, MOST_PACKET);
  f->next = f->packet + bytes;
  f->p.end = f->p.means[MEANS_CONTENT];
  f->instance = f->p.means[MEANS_INSTANCE];
  if (f->discarded_before != UNKNOWN && f->p.means[MEANS_DISCARDED] == UNKNOWN)
    return ODD;
  if (f->is_part && (f->p.means[MEANS_BEGIN] == UNKNOWN || f->p.means[MEANS_BEGIN] < f->begin))
    return ODD; /* the library takes the packets of all files by their dates */
  f->begin = f->p.means[MEANS_BEGIN];
  tell_lost (q->c, s);
  f->discarded_before = f->p.means[MEANS_DISCARDED];
  f->sequence_before = f->p.means[MEANS_SEQUENCE];
  f->end_before = f->p.means[MEANS_END];
  f->in_packet = true;
  f->is_first = false;
  s->packets++;
  ctf_packet_begins (q->c, s, f->cpu);
  return GAVE;
}

/* At its end the clock is what the packet says.  Where that is before its last event, as some versions of tracers have
 * it, the library knows which these are. */
static Turn
end_packet (Stream *s)
{
  Flow *f = s->flow;
  const uint64_t end = f->p.means[MEANS_END];

  f->in_packet = false;
  if (end != UNKNOWN && end < f->p.clock)
    return ODD;
  f->p.clock = end != UNKNOWN ? end : f->p.clock;
  s->whole_packets++;
  return GAVE;
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static void
quick_make_room (Quick *q, Scope scope, const Node *n)
{
  if (n && n->n_members >= q->room[scope]) {
    q->room[scope] = n->n_members + 16;
    g_free (q->cells[scope]);
    q->cells[scope] = g_new0 (Cell, q->room[scope]);
  }
}

/* Compared once, before the first of its class is decoded. */
static bool
settle_event (Quick *q, const Stream *s, LayoutEvent *e)
{
  if (!ctf_settle_event (q->layout, e, bt_stream_borrow_class_const (s->stream)))
    return false;
  quick_make_room (q, IN_COMMON, s->flow->is->context);
  quick_make_room (q, IN_SPECIFIC, e->context);
  quick_make_room (q, IN_PAYLOAD, e->fields);
  return true;
}

static inline LayoutEvent *
event_called (LayoutStream *s, uint64_t id)
{
  LayoutEvent **near = &s->near[id % LAYOUT_NEAR];

  if (G_UNLIKELY (!*near || (*near)->id != id))
    *near = g_hash_table_lookup (s->events, &id);
  return *near;
}

/* Its class and its date. */
static bool
take_header (Quick *q, Stream *s)
{
  Flow *f = s->flow;
  LayoutEvent *e = NULL;

  f->p.means[MEANS_EVENT] = UNKNOWN;
  if (ctf_take_node (&f->p, f->is->header, NULL) && f->p.means[MEANS_EVENT] != UNKNOWN)
    e = event_called (f->is, f->p.means[MEANS_EVENT]);
  if (!e || (!e->class && !settle_event (q, s, e)))
    return false;
  f->event = e;
  if (f->clock)
    f->date = quick_date (q->c, s, f->p.clock);
  return true;
}

static inline bool
take_scopes (Place *p, Node *n, Cell *cells, const Cell **to)
{
  *to = n && n->class ? cells : NULL;
  return !n || ctf_take_scope (p, n, cells);
}

static Turn
quick_give_event (Quick *q, Stream *s)
{
  Flow *f = s->flow;
  Ctf *c = q->c;
  LayoutEvent *e = f->event;
  const Cell *scopes[N_SCOPES] = { f->is->packet->class ? f->cells : NULL };

  f->event = NULL;
  if (!take_scopes (&f->p, f->is->context, q->cells[IN_COMMON], &scopes[IN_COMMON])
      || !take_scopes (&f->p, e->context, q->cells[IN_SPECIFIC], &scopes[IN_SPECIFIC])
      || !take_scopes (&f->p, e->fields, q->cells[IN_PAYLOAD], &scopes[IN_PAYLOAD]))
    return ODD;
  c->date = s->date = f->clock ? f->date : ctf_date_without_clock (c);
  c->some_clock = c->some_clock || f->clock;
  s->n_given++;
  ctf_event (c, s, ctf_class (c, e->class), scopes);
  return GAVE;
}

/* What comes next in a stream, unless it is an event after the limit. */
static inline Turn
quick_step (Quick *q, Stream *s, int64_t limit)
{
  Flow *f = s->flow;

  if (!f->in_packet)
    return begin_packet (q, s);
  if (!f->event) {
    if (f->p.at == f->p.end)
      return end_packet (s);
    if (!take_header (q, s))
      return ODD;
  }
  if (f->clock && f->date > limit) {
    s->next = f->date;
    return WAITS;
  }
  return quick_give_event (q, s);
}

/* The library believes any length: it wants memory for all of it, or writes beyond what it has.  So that ends the
 * stream here, and the others go on. */
static Turn
end_by_lie (Quick *q, Stream *s)
{
  g_autofree char *reason = g_strdup_printf (_ ("a list of %" PRIu64 " elements cannot be in its packet"),
                                             s->flow->p.lie);

  ctf_tell_stream (q->c, q->folder, s, reason);
  return ENDED;
}

/* As far as others have come. */
static Turn
quick_turn (Quick *q, Stream *s, int64_t limit)
{
  Turn turn = GAVE;

  for (int i = 0; i < ASK_EVERY && turn == GAVE; i++)
    turn = quick_step (q, s, limit);
  bool lied = turn == ODD && s->flow->p.lie > 0;
  if (lied)
    turn = end_by_lie (q, s);
  if (turn == ENDED) {
    s->done = true;
    s->ended += !lied; /* else its end is not whole */
    ctf_stream_ends (q->c, s);
  }
  return turn;
}

/* The two least dates that streams have come to, and whose the first one is. */
typedef struct Least {
  int64_t first, second;
  const Stream *of;
} Least;

static Least
least_of (const GPtrArray *streams)
{
  Least l = { INT64_MAX, INT64_MAX, NULL };

  for (guint i = 0; i < streams->len; i++) {
    const Stream *s = streams->pdata[i];
    if (s->done)
      continue;
    if (!l.of || s->next < l.first) {
      l.second = l.of ? l.first : INT64_MAX;
      l.first = s->next;
      l.of = s;
    } else if (s->next < l.second) {
      l.second = s->next;
    }
  }
  return l;
}

/* All streams in turn, each as far as the others have come, as graph.c has it. */
static void
quick_run (Quick *q, const GPtrArray *streams)
{
  Least least = least_of (streams);
  uint64_t n_turns = 0;
  bool goes_on = true;

  for (guint i = 0; least.of && goes_on; i = i + 1 < streams->len ? i + 1 : 0) {
    Stream *s = streams->pdata[i];
    int64_t limit = s == least.of ? least.second : least.first;
    if (limit < INT64_MAX && limit > INT64_MIN && q->c->source->n_events > EXACT_EVENTS && !q->c->exact)
      limit += SLACK;
    if (s->done || s->next > limit)
      continue;
    goes_on = quick_turn (q, s, limit) != ODD && (++n_turns % ASK_EVERY > 0 || ctf_goes_on (q->c));
    least = least_of (streams);
  }
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

/* The index that LTTng leaves beside a stream; false: it is none that is understood. */
static bool
quick_read_index (Flow *f, const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".idx", NULL), *path = g_build_filename (folder, "index", file, NULL);
  size_t n = 0;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return true;
  g_autofree char *bytes = disk_read (path, NULL, 64 * DISK_MIB, &n, NULL);
  uint32_t head[4];
  if (!bytes || n < sizeof head)
    return false;
  memcpy (head, bytes, sizeof head);
  const size_t length = GUINT32_FROM_BE (head[3]);
  if (GUINT32_FROM_BE (head[0]) != 0xc1f1dcc1 || length < 2 * sizeof (uint64_t) || (n - sizeof head) % length != 0)
    return false;
  f->n_index = (n - sizeof head) / length;
  f->index = g_new (IndexEntry, f->n_index + 1);
  for (uint64_t i = 0; i < f->n_index; i++) {
    uint64_t two[2];
    memcpy (two, bytes + sizeof head + i * length, sizeof two);
    f->index[i] = (IndexEntry){ GUINT64_FROM_BE (two[0]), GUINT64_FROM_BE (two[1]) };
  }
  return true;
}

/* Which stream a file is of: the library names streams by their numbers, or by their file where they have none. */
static Stream *
stream_of_file (const Ctf *c, const Flow *f, const char *path)
{
  const uint64_t instance = f->p.means[MEANS_INSTANCE], id = f->p.means[MEANS_STREAM];
  g_autofree char *last = instance != UNKNOWN ? g_strdup_printf (" | %" G_GUINT64_FORMAT, instance)
                                              : g_strconcat (" | ", path, NULL);
  Stream *found = NULL;

  for (guint i = 0; i < c->streams->len; i++) {
    Stream *s = c->streams->pdata[i];
    bool is = s->stream && g_str_has_suffix (s->name, last);
    if (is && id != UNKNOWN)
      is = bt_stream_class_get_id (bt_stream_borrow_class_const (s->stream)) == id;
    if (is && found)
      return NULL;
    found = is ? s : found;
  }
  return found;
}

static void
quick_find_clock (Flow *f, const bt_stream_class *class)
{
  f->clock = bt_stream_class_borrow_default_clock_class_const (class);
  f->in_ns = f->clock && bt_clock_class_get_frequency (f->clock) == UINT64_C (1000000000)
             && bt_clock_class_cycles_to_ns_from_origin (f->clock, 0, &f->origin)
                    == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK;
  if (f->clock && !f->in_ns)
    bt_current_thread_clear_error ();
}

/* Files of one stream by the dates that they begin at.  False: these do not tell in which order they come. */
static bool
add_file (Stream *s, Flow *f)
{
  Flow **at = &s->flow;

  while (*at && (*at)->begin < f->begin)
    at = &(*at)->after;
  if (s->flow)
    s->flow->is_part = f->is_part = true;
  if (f->is_part && (f->begin == UNKNOWN || (*at && (*at)->begin == f->begin)))
    return false;
  f->after = *at;
  *at = f;
  return true;
}

/* A stream that is read from this file; false: that cannot be. */
static bool
attach (Quick *q, Flow *f, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!read_bytes (q, f, FIRST_READ) || !take_head (q, f, NULL, NULL))
    return false;
  Stream *s = stream_of_file (q->c, f, path);
  const bt_stream_class *class = s ? bt_stream_borrow_class_const (s->stream) : NULL;
  uint64_t id = class ? bt_stream_class_get_id (class) : 0;
  f->is = class ? g_hash_table_lookup (q->layout->streams, &id) : NULL;
  if (!f->is || s->done || !ctf_settle_stream (q->layout, f->is, class) || !quick_read_index (f, folder, name))
    return false;
  quick_find_clock (f, class);
  f->cells = g_new0 (Cell, f->is->packet->n_members + 1);
  if (!take_head (q, f, f->is, f->cells))
    return false;
  f->begin = f->p.means[MEANS_BEGIN];
  f->p.clock = 0;
  drop_bytes (q, f);
  uint32_t at = 0;
  for (uint32_t i = 0; i < f->is->packet->n_members; i++) {
    const NodeMember *m = &f->is->packet->members[i];
    if (m->shown && strcmp (m->shown, "cpu_id") == 0)
      f->cpu = &f->cells[at];
    at += m->shown != NULL;
  }
  s->is_dated = f->clock != NULL;
  s->is_known = true;
  return add_file (s, f);
}

static bool
attach_file (Quick *q, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (*name == '.' || strcmp (name, "metadata") == 0 || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return true; /* the library passes over them too */
  Flow *f = g_new0 (Flow, 1);
  f->is_first = true;
  f->guess = FIRST_READ;
  f->discarded_before = f->sequence_before = f->end_before = f->instance = UNKNOWN;
  f->fd = disk_open (path, NULL, DISK_DATA, &f->size, NULL);
  bool ok = f->fd >= 0 && (f->size == 0 || attach (q, f, folder, name));
  if (!ok || f->size == 0)
    free_flow (q, f);
  return ok && ++q->n_files <= MOST_OPEN;
}

static bool
attach_all (Quick *q, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const GPtrArray *streams = q->c->streams;
  const char *name;
  bool ok = dir != NULL;

  while (ok && (name = g_dir_read_name (dir)))
    ok = attach_file (q, folder, name);
  for (guint i = 0; ok && i < streams->len; i++) {
    const Stream *s = streams->pdata[i];
    ok = s->done || s->flow;
  }
  return ok;
}

/* The number of the trace, which each packet has too. */
static void
find_uuid (Quick *q)
{
  for (guint i = 0; i < q->c->streams->len && !q->has_uuid; i++) {
    const Stream *s = q->c->streams->pdata[i];
    bt_uuid uuid = s->stream ? bt_trace_get_uuid (bt_stream_borrow_trace_const (s->stream)) : NULL;
    q->has_uuid = uuid != NULL;
    if (uuid)
      memcpy (q->uuid, uuid, sizeof q->uuid);
  }
}

void
ctf_read_quickly (Ctf *c, const char *folder)
{
  Quick q = { .c = c, .folder = folder, .layout = g_getenv ("SCOPE_CTF_LIBRARY") ? NULL : layout_read (folder) };

  if (!q.layout)
    return;
  find_uuid (&q);
  if (ctf_settle_header (q.layout, q.layout->packet_header) && attach_all (&q, folder))
    quick_run (&q, c->streams);
  for (guint i = 0; i < c->streams->len; i++) {
    Stream *s = c->streams->pdata[i];
    free_flow (&q, s->flow);
    s->flow = NULL;
    s->n_skip = s->n_quick = s->n_given;
    s->n_skip_told = s->n_told;
    if (!s->done) /* all of them come once more */
      s->packets = s->whole_packets = 0;
  }
  for (Scope scope = 0; scope < N_SCOPES; scope++)
    g_free (q.cells[scope]);
  layout_free (q.layout);
}
