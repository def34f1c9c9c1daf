/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - what is done with libbabeltrace2: a source of its own for each trace, and a sink for each of its streams.
 *
 * There is no muxer: what is converted is put in order anyway.  The stream whose last event is the earliest is read
 * next, so that little is left to sort.  A stream that is damaged ends the whole graph: then another one is made for
 * the others, which pass over what they have given.
 *
 * The library ends the process when something in a trace is not as it has thought (abort, division by zero), or when a
 * trace says that it has more in it than there is memory for.  So that it costs that trace alone, the memory that it
 * may take is bounded and the signal is caught while the library is at work; its graph is left as it is. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/disk.h"
#include "eve/memory.h"
#include "eve/words.h"
#include "readers/ctf/ctf.h"

#define BATCHES 16 /* of messages of one stream before another one is looked at */
/* At first streams are read exactly in the order of their dates, since one may have the names of what is in the others;
 * then so far apart, which is quicker. */
#define EXACT_EVENTS 50000
#define SLACK 5000000 /* ns */

/* ---- giving up ---------------------------------------------------------------------------------------------------------- */

#define MOST_MEMORY (1024 * DISK_MIB) /* of the library, beside what the process has */

static _Thread_local sigjmp_buf *way_out;
static const int signals[] = { SIGABRT, SIGTRAP, SIGFPE }; /* GLib says by the second one that there is no memory */
static struct sigaction before[G_N_ELEMENTS (signals)];

static void
ctf_graph_on_end (int signal)
{
  const struct sigaction *old = &before[signal == SIGABRT ? 0 : signal == SIGTRAP ? 1 : 2];

  if (way_out)
    siglongjmp (*way_out, 1);
  if (signal == SIGFPE) { /* of another thread, which divides again when this returns */
    sigaction (signal, old, NULL);
    return;
  }
  if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN && !(old->sa_flags & SA_SIGINFO))
    old->sa_handler (signal);
}

/* What GLib complains of in the library ends its work, and a sentence is told for it: nobody wants GLib's own. */
static void
on_complaint (const char *domain, GLogLevelFlags level, const char *message, void *arg)
{
  if (!way_out)
    g_log_default_handler (domain, level, message, arg);
}

/* False: the library gave up in it. */
static bool
carefully (void (*work) (void *), void *arg)
{
  static GMutex one; /* a signal has one handler */
  const struct sigaction mine = { .sa_handler = ctf_graph_on_end };
  struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };
  sigjmp_buf here;
  volatile bool whole = false;

  g_mutex_lock (&one);
  for (size_t i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &mine, &before[i]);
  memory_bound (MOST_MEMORY, &memory);
  /* what GLib complains of the library goes on with, to where no memory is */
  GLogLevelFlags fatal = g_log_set_fatal_mask ("GLib", G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  guint complaints = g_log_set_handler ("GLib", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL, on_complaint, NULL);
  bt_current_thread_clear_error (); /* of another trace, it would be in the way of all that is asked of this one */
  if (sigsetjmp (here, 1) == 0) {
    way_out = &here;
    work (arg);
    whole = true;
  }
  way_out = NULL;
  g_log_remove_handler ("GLib", complaints);
  g_log_set_fatal_mask ("GLib", fatal);
  setrlimit (RLIMIT_DATA, &memory);
  for (size_t i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &before[i], NULL);
  g_mutex_unlock (&one);
  return whole;
}

/* ---- sentences ----------------------------------------------------------------------------------------------------------- */

/* Addresses in its memory say nothing to anybody. */
static char *
without_addresses (char *reason)
{
  char *at = strstr (reason, "-addr=");

  while (at && at > reason && !(at[0] == ':' && at[1] == ' '))
    at--;
  if (at && at > reason)
    *at = '\0';
  return reason;
}

/* What the library says went wrong: its first cause is the nearest to it. */
static char *
take_reason (void)
{
  const bt_error *error = bt_current_thread_take_error ();
  char *reason = NULL;

  if (error) {
    if (bt_error_get_cause_count (error) > 0)
      reason = g_strdup (bt_error_cause_get_message (bt_error_borrow_cause_by_index (error, 0)));
    bt_error_release (error);
  }
  return reason ? without_addresses (reason) : g_strdup ("the library does not say why");
}

/* The first error that the library has logged: "... E PLUGIN/CTF... function@file:line [component] sentence". */
static char *
first_logged (const char *log)
{
  const char *line = strstr (log, " E PLUGIN"), *at = line ? strchr (line, '@') : NULL;

  at = at ? strchr (at, ' ') : NULL;
  if (at && at[1] == '[')
    at = strchr (at, ']') ? strchr (at, ']') + 1 : at;
  return at ? without_addresses (g_strndup (at + 1, strcspn (at + 1, "\n"))) : NULL;
}

static void
ctf_graph_tell (Ctf *c, const char *folder, const char *stream, const char *reason)
{
  g_autofree char *valid = g_utf8_make_valid (reason, -1);
  const char *below = g_str_has_prefix (folder, c->top) ? folder + strlen (c->top) : folder;
  g_autofree char *file = g_build_filename (*below ? below + (*below == '/') : ".", stream, NULL);

  if (!c->why)
    c->why = g_strdup (valid);
  c->n_failed++;
  trace_source_damage (c->source, file, 0, 0, "%.600s", valid);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------- */

int64_t
ctf_date (Ctf *c, const Stream *s, bool is_known, int64_t ns)
{
  if (is_known && ns > -(INT64_C (1) << 61) && ns < (INT64_C (1) << 61))
    return ns;
  c->n_undated++;
  return s->date == INT64_MIN ? 0 : s->date;
}

static int64_t
ctf_graph_date_of (Ctf *c, const Stream *s, const bt_clock_snapshot *clock)
{
  int64_t ns = 0;
  bool is_known = bt_clock_snapshot_get_ns_from_origin (clock, &ns) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK;

  if (!is_known)
    bt_current_thread_clear_error ();
  return ctf_date (c, s, is_known, ns);
}

/* Without a clock events are in their order, a second apart; beside streams with clocks they have the date at hand. */
int64_t
ctf_date_without_clock (Ctf *c)
{
  int64_t date = c->some_clock ? c->date : (int64_t) c->n_without_date * 1000000000;

  c->n_without_date++;
  return date;
}

static void
ctf_graph_lost (Ctf *c, Stream *s, const bt_message *m, bool packets)
{
  const bt_stream *stream = packets ? bt_message_discarded_packets_borrow_stream_const (m)
                                    : bt_message_discarded_events_borrow_stream_const (m);
  const bt_stream_class *class = bt_stream_borrow_class_const (stream);
  bool dated = packets ? bt_stream_class_discarded_packets_have_default_clock_snapshots (class)
                       : bt_stream_class_discarded_events_have_default_clock_snapshots (class);
  uint64_t n = 0;

  if ((packets ? bt_message_discarded_packets_get_count (m, &n) : bt_message_discarded_events_get_count (m, &n))
      != BT_PROPERTY_AVAILABILITY_AVAILABLE)
    n = 0;
  if (s->n_skip_told > 0) {
    s->n_skip_told--;
    return;
  }
  int64_t date = s->date == INT64_MIN ? 0 : s->date;
  if (dated)
    date = ctf_graph_date_of (c, s,
                              packets ? bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const (m)
                                      : bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const (m));
  ctf_lost (c, s, date, packets, n);
}

static void
ctf_graph_packet (Ctf *c, Stream *s, const bt_packet *packet)
{
  const bt_field *context = bt_packet_borrow_context_field_const (packet);
  const bt_field *cpu = context && bt_field_get_class_type (context) == BT_FIELD_CLASS_TYPE_STRUCTURE
                            ? bt_field_structure_borrow_member_field_by_name_const (context, "cpu_id")
                            : NULL;
  Cell cell;

  s->packet = packet;
  if (cpu)
    ctf_take_cell (cpu, bt_field_get_class_type (cpu), &cell);
  ctf_packet_begins (c, s, cpu ? &cell : NULL);
}

static void
ctf_graph_message (Ctf *c, Stream *s, const bt_message *m)
{
  switch (bt_message_get_type (m)) {
  case BT_MESSAGE_TYPE_STREAM_BEGINNING:
    s->begun++;
    ctf_stream_begins (c, s, bt_message_stream_beginning_borrow_stream_const (m));
    break;
  case BT_MESSAGE_TYPE_PACKET_BEGINNING:
    s->packets++;
    ctf_graph_packet (c, s, bt_message_packet_beginning_borrow_packet_const (m));
    break;
  case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
    ctf_graph_lost (c, s, m, false);
    break;
  case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
    ctf_graph_lost (c, s, m, true);
    break;
  case BT_MESSAGE_TYPE_PACKET_END:
    s->whole_packets++;
    break;
  case BT_MESSAGE_TYPE_STREAM_END:
    s->ended++;
    ctf_stream_ends (c, s);
    break;
  case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
    c->n_silent++;
    break;
  default:
    break;
  }
}

/* ---- sinks ------------------------------------------------------------------------------------------------------------------ */

typedef bt_graph_simple_sink_component_consume_func_status Consumed;

/* The date that no other stream has come to. */
static int64_t
date_of_others (const Ctf *c, const Stream *s)
{
  int64_t least = INT64_MAX;

  for (guint i = 0; i < c->streams->len; i++) {
    const Stream *other = c->streams->pdata[i];
    if (other != s && !other->done)
      least = MIN (least, other->next);
  }
  return least;
}

bool
ctf_goes_on (Ctf *c)
{
  double read = (double) c->source->n_events * 30 / (double) MAX (c->total_bytes, 1);

  c->stopped = c->stopped || !converter_progress (c->to, MIN (read, 0.99), NULL);
  return !c->stopped;
}

static void
ctf_graph_give (Ctf *c, Stream *s, const bt_message *m)
{
  const bt_event *event = bt_message_event_borrow_event_const (m);
  const Class *k = ctf_class (c, bt_event_borrow_class_const (event));
  const bt_field *const fields[N_SCOPES] = {
    s->packet ? bt_packet_borrow_context_field_const (s->packet) : NULL,
    bt_event_borrow_common_context_field_const (event),
    bt_event_borrow_specific_context_field_const (event),
    bt_event_borrow_payload_field_const (event),
  };
  const Cell *scopes[N_SCOPES];

  ctf_take_cells (c, k, fields, scopes);
  ctf_event (c, s, k, scopes);
}

/* An event; false: it is later than what other streams have come to, and waits. */
static bool
ctf_graph_event (Ctf *c, Stream *s, const bt_message *m, int64_t limit)
{
  if (s->n_skip > 0) {
    s->n_skip--;
    return true;
  }
  if (G_UNLIKELY (!s->is_known)) {
    s->is_dated = bt_message_event_borrow_stream_class_default_clock_class_const (m) != NULL;
    s->is_known = true;
  }
  const bool dated = s->is_dated;
  int64_t date = dated ? ctf_graph_date_of (c, s, bt_message_event_borrow_default_clock_snapshot_const (m))
                       : ctf_date_without_clock (c);
  if (dated && date > limit) {
    s->next = date;
    return false;
  }
  c->some_clock = c->some_clock || dated;
  c->date = s->date = date;
  s->n_given++;
  ctf_graph_give (c, s, m);
  return true;
}

/* False: it waits. */
static bool
message_until (Ctf *c, Stream *s, const bt_message *m, int64_t limit)
{
  if (bt_message_get_type (m) == BT_MESSAGE_TYPE_EVENT)
    return ctf_graph_event (c, s, m, limit);
  ctf_graph_message (c, s, m);
  return true;
}

/* The next messages; false: there are none, and *why. */
static bool
ctf_graph_more (bt_message_iterator *iterator, Stream *s, Consumed *why)
{
  bt_message_iterator_next_status got = bt_message_iterator_next (iterator, &s->messages, &s->n);

  s->at = 0;
  if (got == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
    return true;
  s->n = 0;
  s->done = got != BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN;
  s->failed = s->done && got != BT_MESSAGE_ITERATOR_NEXT_STATUS_END;
  *why = s->failed ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
         : s->done ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
                   : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
  return false;
}

/* A stream begins, and no more. */
static Consumed
ctf_graph_look (bt_message_iterator *iterator, Stream *s)
{
  Consumed why;

  if (s->stream)
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
  if (s->at == s->n && !ctf_graph_more (iterator, s, &why))
    return why;
  if (bt_message_get_type (s->messages[s->at]) == BT_MESSAGE_TYPE_STREAM_BEGINNING) {
    ctf_graph_message (s->ctf, s, s->messages[s->at]);
    bt_message_put_ref (s->messages[s->at++]);
  }
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static Consumed
consume (bt_message_iterator *iterator, void *data)
{
  Stream *s = data;
  Ctf *c = s->ctf;
  Consumed why;

  if (s->done)
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
  if (c->looks)
    return ctf_graph_look (iterator, s);
  int64_t limit = date_of_others (c, s);
  if (limit < INT64_MAX && limit > INT64_MIN && c->source->n_events > EXACT_EVENTS && !c->exact)
    limit += SLACK;
  if (s->next > limit)
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
  for (int i = 0; i < BATCHES; i++) {
    if (s->at == s->n && !ctf_graph_more (iterator, s, &why))
      return why;
    for (; s->at < s->n; s->at++) {
      if (!message_until (c, s, s->messages[s->at], limit))
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
      bt_message_put_ref (s->messages[s->at]);
    }
  }
  return ctf_goes_on (c) ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
                         : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
}

/* The graph ends: what waits was not taken from it. */
static void
drop_messages (Ctf *c)
{
  for (guint i = 0; i < c->streams->len; i++) {
    Stream *s = c->streams->pdata[i];
    for (; s->at < s->n; s->at++)
      bt_message_put_ref (s->messages[s->at]);
    s->at = s->n = 0;
    s->next = INT64_MIN;
  }
}

/* ---- graphs ----------------------------------------------------------------------------------------------------------------- */

typedef struct Attempt {
  Ctf *c;
  GPtrArray *folders;
  const bt_component_class_source *class;
  bt_graph *graph;
  bool made;    /* the source is */
  bool whole;   /* all streams were read */
  char *reason; /* g_free */
} Attempt;

static bt_value *
parameters (const GPtrArray *folders)
{
  bt_value *map = bt_value_map_create (), *inputs = NULL;

  bt_value_map_insert_empty_array_entry (map, "inputs", &inputs);
  for (guint i = 0; i < folders->len; i++)
    bt_value_array_append_string_element (inputs, folders->pdata[i]);
  return map;
}

static Stream *
stream_called (Ctf *c, const char *name)
{
  for (guint i = 0; i < c->streams->len; i++)
    if (strcmp (((Stream *) c->streams->pdata[i])->name, name) == 0)
      return c->streams->pdata[i];
  Stream *s = g_new0 (Stream, 1);
  s->ctf = c;
  s->name = g_strdup (name);
  s->date = s->next = INT64_MIN;
  s->cpu = s->process = -1;
  s->host = s->task = s->cpu_task = NONE;
  g_ptr_array_add (c->streams, s);
  return s;
}

/* A sink for each stream that is not done; *n: how many. */
static bool
ctf_graph_connect (Attempt *a, const bt_component_source *source, uint32_t *n_sinks)
{
  uint64_t n = bt_component_source_get_output_port_count (source);

  for (uint64_t i = 0; i < n; i++) {
    const bt_port_output *out = bt_component_source_borrow_output_port_by_index_const (source, i);
    Stream *s = stream_called (a->c, bt_port_get_name (bt_port_output_as_port_const (out)));
    const bt_component_sink *sink;
    if (s->done)
      continue;
    g_autofree char *name = g_strdup_printf ("sink %" PRIu64, i);
    s->n_skip = s->n_given;
    s->n_skip_told = s->n_told;
    s->stream = NULL;
    s->begun = s->ended = s->packets = s->whole_packets = 0;
    if (bt_graph_add_simple_sink_component (a->graph, name, NULL, consume, NULL, s, &sink)
            != BT_GRAPH_ADD_COMPONENT_STATUS_OK
        || bt_graph_connect_ports (a->graph, out, bt_component_sink_borrow_input_port_by_index_const (sink, 0), NULL)
               != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
      return false;
    ++*n_sinks;
  }
  return true;
}

static const bt_component_source *
add_source (Attempt *a, bt_logging_level level)
{
  const bt_component_source *source = NULL;
  bt_value *params = parameters (a->folders);

  a->graph = bt_graph_create (0);
  if (a->graph
      && bt_graph_add_source_component (a->graph, a->class, "trace", params, level, &source)
             != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
    source = NULL;
  bt_value_put_ref (params);
  return source;
}

static bool
ctf_graph_goes (bt_graph_run_once_status status)
{
  return status == BT_GRAPH_RUN_ONCE_STATUS_OK || status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN;
}

static bt_graph_run_once_status
ctf_graph_once (const Attempt *a)
{
  bt_current_thread_clear_error (); /* what was left behind although it goes on would end the process */
  return bt_graph_run_once (a->graph);
}

static bool
have_begun (const Ctf *c)
{
  for (guint i = 0; i < c->streams->len; i++) {
    const Stream *s = c->streams->pdata[i];
    if (!s->stream && !s->done)
      return false;
  }
  return true;
}

static bool
all_done (const Ctf *c)
{
  for (guint i = 0; i < c->streams->len; i++)
    if (!((const Stream *) c->streams->pdata[i])->done)
      return false;
  return true;
}

static void
ctf_graph_work (void *arg)
{
  Attempt *a = arg;
  const bt_component_source *source = add_source (a, BT_LOGGING_LEVEL_NONE);
  uint32_t n = 0;

  a->made = source != NULL;
  if (!source || !ctf_graph_connect (a, source, &n)) {
    a->reason = take_reason ();
    return;
  }
  bt_graph_run_once_status status = n > 0 ? BT_GRAPH_RUN_ONCE_STATUS_OK : BT_GRAPH_RUN_ONCE_STATUS_END;
  if (a->folders->len == 1 && !a->c->was_quick) {
    a->c->looks = true;
    while (ctf_graph_goes (status) && !have_begun (a->c))
      status = ctf_graph_once (a);
    a->c->looks = false;
    a->c->was_quick = ctf_graph_goes (status);
    if (a->c->was_quick)
      ctf_read_quickly (a->c, a->folders->pdata[0]);
  }
  while (ctf_graph_goes (status) && !a->c->stopped && !all_done (a->c))
    status = ctf_graph_once (a);
  a->whole = status == BT_GRAPH_RUN_ONCE_STATUS_END || (ctf_graph_goes (status) && all_done (a->c));
  if (!a->whole)
    a->reason = take_reason ();
}

static void
fail_once_more (void *arg)
{
  add_source (arg, BT_LOGGING_LEVEL_ERROR);
}

/* Where metadata are wrong the library only logs, to the standard error; so that is looked at in a second attempt.
 * g_free. */
static char *
reason_in_log (const Attempt *failed)
{
  Attempt a = { .c = failed->c, .folders = failed->folders, .class = failed->class };
  int log = memfd_create ("log", MFD_CLOEXEC), saved = dup (STDERR_FILENO);
  char *text = NULL, *reason = NULL;

  if (log >= 0 && saved >= 0) {
    fflush (stderr);
    dup2 (log, STDERR_FILENO);
    bool alive = carefully (fail_once_more, &a);
    fflush (stderr);
    dup2 (saved, STDERR_FILENO);
    text = g_malloc0 (16385);
    if (pread (log, text, 16384, 0) > 0)
      reason = first_logged (text);
    if (alive)
      bt_graph_put_ref (a.graph);
  }
  if (log >= 0)
    close (log);
  if (saved >= 0)
    close (saved);
  g_free (text);
  bt_current_thread_clear_error ();
  return reason;
}

static void
forget_classes (Ctf *c)
{
  memset (c->near, 0, sizeof c->near);
  g_hash_table_remove_all (c->classes);
  g_hash_table_remove_all (c->names);
}

void
ctf_tell_stream (Ctf *c, const char *folder, const Stream *s, const char *reason)
{
  const char *at = strstr (s->name, " | ");

  while (at && strstr (at + 3, " | "))
    at = strstr (at + 3, " | ");
  g_autofree char *base = g_path_get_basename (at ? at + 3 : s->name);
  g_autofree char *kept = g_strdup_printf (_ ("%s; the %" PRIu64 " events before that are kept"), reason, s->n_given);
  ctf_graph_tell (c, folder, base, kept);
}

/* Tells of the stream that failed, or of the trace. */
static void
tell_of (Ctf *c, const Attempt *a, bool alive)
{
  const char *folder = a->folders->pdata[0];
  g_autofree char *logged = a->made || !alive ? NULL : reason_in_log (a);
  const char *reason = alive ? a->reason
                             : _ ("libbabeltrace2 gives up on it: an assertion of its own fails, it divides by zero, "
                                  "or it wants more than 1 GiB of memory");
  bool told = false;

  for (guint i = 0; i < c->streams->len; i++) {
    Stream *s = c->streams->pdata[i];
    if (s->failed) {
      s->failed = false;
      ctf_tell_stream (c, folder, s, reason);
      told = true;
    }
  }
  if (!told)
    ctf_graph_tell (c, folder, "metadata", alive && logged ? logged : reason);
}

static void
free_stream (void *p)
{
  Stream *s = p;

  g_free (s->name);
  g_free (s->process_name);
  g_free (s);
}

/* For tests.  Not where the library gave up: out of a message of GLib nothing may be told by GLib any more. */
static void
tell_decoded (const Ctf *c)
{
  for (guint i = 0; i < c->streams->len; i++) {
    const Stream *s = c->streams->pdata[i];
    g_debug ("ctf: stream %s: %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " of them without the library", s->name,
             s->n_given, s->n_quick);
  }
}

/* False: the source cannot be made of these folders. */
static bool
read_once (Ctf *c, const bt_component_class_source *class, GPtrArray *folders, bool tells)
{
  bool made = false, again = true;

  c->streams = g_ptr_array_new_with_free_func (free_stream);
  while (again) {
    Attempt a = { .c = c, .folders = folders, .class = class };
    bool alive = carefully (ctf_graph_work, &a);
    made = made || a.made;
    again = !a.whole && alive && a.made && !c->stopped;
    bool failed = false;
    for (guint i = 0; i < c->streams->len; i++)
      failed = failed || ((Stream *) c->streams->pdata[i])->failed;
    again = again && failed; /* else nothing would be another way */
    if (!a.whole && !c->stopped && (made || tells))
      tell_of (c, &a, alive);
    forget_classes (c);
    if (alive)
      drop_messages (c);
    if (alive)
      bt_graph_put_ref (a.graph); /* else it may be in any state */
    if (alive && !again)
      tell_decoded (c);
    g_free (a.reason);
    bt_current_thread_clear_error ();
    if (!alive)
      break;
  }
  for (guint i = 0; i < c->streams->len; i++) {
    const Stream *s = c->streams->pdata[i];
    c->begun += s->begun;
    c->ended += s->ended;
    c->packets += s->packets;
    c->whole_packets += s->whole_packets;
  }
  g_clear_pointer (&c->streams, g_ptr_array_unref);
  g_hash_table_remove_all (c->processors);
  c->exact = c->was_quick = false;
  return made;
}

/* Metadata in packets that do not lie one behind the other would keep the library busy for ever, and types of very many
 * members for hours.  False, and told. */
static bool
is_readable (Ctf *c, const char *folder)
{
  uint64_t at, most;
  g_autofree char *reason = NULL;

  if (!ctf_has_sound_packets (folder, &at))
    reason = g_strdup_printf (_ ("the packet of metadata at byte %" PRIu64 " has a size that cannot be"), at);
  else if (layout_is_light (folder, &most))
    return true;
  else
    reason = g_strdup_printf (_ ("types have too many members or labels, one of them %" PRIu64
                                 ": libbabeltrace2 compares each with all before it, which would take too long"),
                              most);
  ctf_graph_tell (c, folder, "metadata", reason);
  return false;
}

/* The library passes over what is no file of data.  A pipe or a device in the place of a stream, or an index whose
 * stream is gone, is told here: else the trace would look whole without it. */
static void
graph_tell_missing (Ctf *c, const char *folder)
{
  static const char *const places[] = { ".", "index" };

  for (int i = 0; i < 2; i++) {
    g_autofree char *place = g_build_filename (folder, places[i], NULL);
    g_autoptr (GDir) dir = g_dir_open (place, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name (dir))) {
      bool index = i == 1;
      if (*name == '.' || (index && !g_str_has_suffix (name, ".idx")))
        continue;
      g_autofree char *stream = g_strndup (name, strlen (name) - (index ? strlen (".idx") : 0));
      g_autofree char *path = g_build_filename (folder, stream, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (path, G_FILE_TEST_IS_DIR))
        continue;
      struct stat is;
      bool there = lstat (path, &is) == 0;
      if (index && there)
        continue; /* told among the others */
      ctf_graph_tell (c, folder, stream,
                      there
                          ? _ ("this is no file of data (a pipe, a device, or a link to none): its stream is not read")
                          : _ ("this stream has an index, but is missing itself: bring its file back"));
    }
  }
}

void
ctf_read (Ctf *c, GPtrArray *all)
{
  const bt_plugin *plugin = NULL;
  g_autoptr (GPtrArray) sound = g_ptr_array_new ();

  for (guint i = 0; i < all->len; i++)
    if (is_readable (c, all->pdata[i])) {
      g_ptr_array_add (sound, all->pdata[i]);
      graph_tell_missing (c, all->pdata[i]);
    }
  GPtrArray *folders = sound;
  if (sound->len == 0)
    return;
  if (bt_plugin_find ("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) != BT_PLUGIN_FIND_STATUS_OK) {
    g_free (take_reason ()); /* the library keeps the reason until somebody takes it */
    ctf_graph_tell (c, folders->pdata[0], "metadata",
                    _ ("libbabeltrace2 lacks its plugin “ctf”: the package libbabeltrace2-0 has it"));
    return;
  }
  const bt_component_class_source *class = bt_plugin_borrow_source_component_class_by_name_const (plugin, "fs");
  c->n_traces++;
  if (class && !read_once (c, class, folders, folders->len == 1) && folders->len > 1)
    for (guint i = 0; i < folders->len && !c->stopped; i++) { /* they are of one name, but not of one trace */
      g_autoptr (GPtrArray) one = g_ptr_array_new ();
      g_ptr_array_add (one, folders->pdata[i]);
      c->n_traces++;
      read_once (c, class, one, true);
    }
  bt_plugin_put_ref (plugin);
}
