/* SPDX-License-Identifier: Apache-2.0 */
/* scope report: a trace told to a person: a text, a page, pictures. */
#include "cli/report.h"
#include "eve/words.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "cli/open-calls.h"
#include "cli/text.h"
#include "session/extend.h"
#include "session/places.h"
#include "simulators/mirror.h"
#include "eve/disk.h"
#include "eve/visible.h"

#define BLOCK 1024
#define EVENTS_TOLD 100000 /* in events.txt */
#define PICTURE_MOST_BYTES (256 * DISK_MIB)

/* ---- gathering: the program
 * --------------------------------------------------------------------------------------- */

/* Without a folder only the text is made, which is printed. */
static bool
write_file (const Report *r, const char *name, const GString *text, GError **error)
{
  if (!r->out)
    return true;
  g_autofree char *path = g_build_filename (r->out, name, NULL);

  /* pages have escapes of their own; texts are looked at in terminals */
  bool text_file = g_str_has_suffix (name, ".txt") || g_str_has_suffix (name, ".dot");
  g_autofree char *shown = text_file ? visible_text (text->str, text->len) : NULL;
  return g_file_set_contents (path, shown ? shown : text->str, shown ? -1 : (gssize) text->len, error);
}

/* Has Graphviz draw a .dot file, elsewhere first, so that nothing stands here that is half a picture.  When it cannot,
 * the .dot stays and the person is told once.  False: a picture cannot be written. */
static bool
report_draw (const Report *r, const char *name, const char *scratch, GError **error)
{
  static bool told;
  static const char *const types[][2] = { { "svg", "-Gdpi=72" }, { "png", "-Gdpi=144" } };

  for (size_t i = 0; i < G_N_ELEMENTS (types); ++i) {
    g_autofree char *from = g_strdup_printf ("%s/%s.dot", r->out, name);
    g_autofree char *to = g_strdup_printf ("%s/%s.%s", r->out, name, types[i][0]);
    g_autofree char *drawn = g_strdup_printf ("%s/picture", scratch), *type = g_strconcat ("-T", types[i][0], NULL);
    const char *const argv[] = { "dot", type, types[i][1], "-o", drawn, from, NULL };
    g_autofree char *complaint = NULL, *picture = NULL;
    g_autoptr (GError) why = NULL;
    int wait_status = 0;
    size_t n = 0;
    bool ok = g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                            NULL, &complaint, &wait_status, &why)
              && g_spawn_check_wait_status (wait_status, &why)
              && (picture = disk_read (drawn, NULL, PICTURE_MOST_BYTES, &n, &why));
    if (!ok && !told)
      cli_note (to, _ ("Graphviz could not draw it: %s"),
                complaint && *complaint ? g_strchomp (complaint) : why->message);
    told |= !ok;
    if (ok && !g_file_set_contents (to, picture, (gssize) n, error))
      return false;
  }
  return true;
}

/* Those of an earlier report into the same folder, perhaps of another trace: they may not be drawn anew. */
static void
forget_pictures (const Report *r, const char *name)
{
  static const char *const endings[] = { ".svg", ".png" };

  for (size_t i = 0; i < G_N_ELEMENTS (endings); ++i) {
    g_autofree char *file = g_strconcat (name, endings[i], NULL);
    disk_remove_below (r->out, file);
  }
}

#define MOST_DRAWN 300 /* tasks: Graphviz takes minutes for thousands, and nobody can tell them apart */

/* JSON, dot and pictures of the state graph where the session stands. */
static bool
keep_instant (Report *r, int i, int64_t at, GError **error)
{
  g_autofree char *name = g_strdup_printf ("state-%d", 100 * (i + 1) / (REPORT_INSTANTS + 1));
  g_autofree char *json_name = g_strconcat (name, ".json", NULL), *dot_name = g_strconcat (name, ".dot", NULL);
  g_autoptr (GString) json = g_string_new (NULL), dot = g_string_new (NULL);

  r->instants[i] = at;
  if (!r->out)
    return true;
  forget_pictures (r, name);
  state_json (r->graph, at, json);
  g_string_append_c (json, '\n');
  state_dot (r->graph, at, dot);
  if (!write_file (r, json_name, json, error) || !write_file (r, dot_name, dot, error))
    return false;
  if (r->graph->n_nodes > MOST_DRAWN || r->graph->n_edges > 10 * MOST_DRAWN) {
    if (i == 0)
      cli_note (
          name,
          _ ("a state graph of %u tasks and %u links is not drawn; `scope draw` puts them together, its file is here"),
          r->graph->n_nodes, r->graph->n_edges);
    return true;
  }
  char *scratch = places_scratch (NULL, "scope-report");
  if (!scratch)
    cli_note (name, _ ("it is not drawn, as no folder can be made for that: %s"), g_strerror (errno));
  bool ok = !scratch || report_draw (r, name, scratch, error);
  places_scratch_end (scratch);
  return ok;
}

/* Plays the execution slice by slice: what is spent in a slice are differences of what was spent until its ends.
 * *again: the program has added a part to itself, and all is to be gathered once more. */
static bool
report_play (Report *r, bool *again, GError **error)
{
  Session *s = r->session;
  const TraceSource *source = r->source;
  double span = report_span (source->first, source->last);
  bool ok = true;

  *again = false;
  report_watch_begin (r);
  for (int slice = 0; slice < REPORT_SLICES && ok && !*again; ++slice) {
    int64_t at = slice + 1 == REPORT_SLICES ? source->last
                                            : source->first + (int64_t) (span * (slice + 1) / REPORT_SLICES);
    ok = extend_go (s, at, cli_tell_part, NULL, again, error);
    if (*again)
      break;
    report_watch (r, slice, at);
    for (int i = 0; i < REPORT_INSTANTS && ok; ++i)
      if ((slice + 1) * (REPORT_INSTANTS + 1) == REPORT_SLICES * (i + 1))
        ok = keep_instant (r, i, at, error);
  }
  if (ok && !*again)
    ok = extend_go (s, INT64_MAX, cli_tell_part, NULL, again, error);
  if (!ok || *again)
    session_stop (s);
  else
    report_watch_end (r);
  return ok;
}

static int
by_bytes (gconstpointer a, gconstpointer b)
{
  const ReportLink *p = a, *q = b;

  return (p->bytes < q->bytes) - (p->bytes > q->bytes);
}

static void
find_links (Report *r)
{
  const StateGraph *g = r->graph;
  int total = state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC);

  g_autofree uint32_t *edges = state_sorted (g, STATE_EDGE);
  for (uint32_t i = 0; total >= 0 && i < g->n_edges; ++i) {
    uint32_t e = edges[i];
    double bytes = state_number (g, (uint32_t) total, e, g->clock);
    if (!(bytes > 0))
      continue;
    ReportLink link = { e, bytes };
    g_array_append_val (r->links, link);
  }
  g_array_sort (r->links, by_bytes);
}

/* ---- gathering: the events
 * ------------------------------------------------------------------------------------------ */

#define TOLD_AT_MOST 4 /* so often is one call told (tell_longest_once) */

static void
keep_call (GArray *to, const TraceEvent *e, bool sorted)
{
  ReportCall call = { .date = e->date - (e->flags & TRACE_END ? e->duration : 0), .duration = e->duration };
  guint i = to->len, most = sorted ? REPORT_TOP * TOLD_AT_MOST : REPORT_TOP;

  while (sorted && i > 0 && g_array_index (to, ReportCall, i - 1).duration < call.duration)
    --i;
  if (i >= most)
    return;
  const TraceSource *s = trace_source (e->source);
  const TraceTask *t = trace_task (s, e->task);
  call.task = t && t->once_more && t->parent != TRACE_NONE ? t->parent : e->task;
  call.names_other = open_calls_name_others (&s->kinds[e->kind]);
  call.told_beside = trace_kind_has (&s->kinds[e->kind], TRACE_ROLE_REGION)
                     || trace_acts (&s->kinds[e->kind]) & TRACE_ACT_COLLECTIVE;
  call.sentence = text_clean (trace_sentence (e));
  g_array_insert_val (to, i, call);
  if (to->len > most) {
    g_free (g_array_index (to, ReportCall, most).sentence);
    g_array_set_size (to, most);
  }
}

/* One call may be told as such, as an operation of a group and as a state of its task, of which one lies within the
 * other.  The longer one stays, unless the other is about as long and it alone names others.  Two that name others are
 * two calls. */
static void
tell_longest_once (GArray *longest)
{
  const ReportCall *calls = (const ReportCall *) (void *) longest->data;
  bool left_out[REPORT_TOP * TOLD_AT_MOST] = { false };
  guint kept = 0;

  for (guint i = 0; i < longest->len; ++i) {
    const ReportCall *c = &calls[i];
    for (int pass = 0; pass < 2 && !left_out[i]; ++pass)
      for (guint k = i + 1; k < longest->len && !left_out[i]; ++k) {
        const ReportCall *in = &calls[k];
        bool within = in->task == c->task && (in->told_beside || c->told_beside) && !(in->names_other && c->names_other)
                      && in->date >= c->date && in->date + in->duration <= c->date + c->duration;
        if (pass == 0)
          left_out[i] = within && in->names_other && !c->names_other && in->duration >= c->duration / 10 * 9;
        else
          left_out[k] |= within;
      }
  }
  for (guint i = 0; i < longest->len; ++i) {
    if (left_out[i] || kept == REPORT_TOP)
      g_free (calls[i].sentence);
    else
      g_array_index (longest, ReportCall, kept++) = calls[i];
  }
  g_array_set_size (longest, kept);
}

/* Whether others take part in a call of such a length that it may be one of the longest. */
static bool
involves_others (Report *r, const TraceSource *s, const TraceEvent *e)
{
  const TraceKind *k = &s->kinds[e->kind];

  if (open_calls_name_others (k))
    return true;
  if (!trace_kind_has (k, TRACE_ROLE_REGION))
    return r->calls_ask[e->kind];
  if (e->object >= s->objects->len)
    return false;
  if (e->object >= r->asks->len) {
    guint before = r->asks->len;
    g_byte_array_set_size (r->asks, s->objects->len);
    memset (r->asks->data + before, 0, r->asks->len - before);
  }
  uint8_t *asks = &r->asks->data[e->object];
  if (*asks == 0)
    *asks = (uint8_t) (1 + trace_state_asks (s, e->object));
  return *asks == 2;
}

/* Of other kinds the whole number is the value of a variable, or nothing. */
static bool
is_sized (const TraceKind *k)
{
  return trace_kind_has (k, TRACE_ROLE_SIZE);
}

bool
report_tells_sizes (const Report *r)
{
  const TraceSource *s = r->source;
  StateTotals t = state_totals (r->graph);

  for (uint32_t i = 0; i < s->n_kinds; ++i)
    if (trace_acts (&s->kinds[i]) & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE) && is_sized (&s->kinds[i]))
      return true;
  return t.sent_bytes > 0 || t.received_bytes > 0;
}

/* A send or receive of which the trace does not tell the other side counts as an event, and is no message. */
static void
count_one_sided (Report *r, const TraceEvent *e)
{
  const uint16_t acts = r->acts[e->kind];
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);

  if (e->peer != TRACE_NONE || e->result < 0 || acts & (TRACE_ACT_CALL | TRACE_ACT_MULTICAST))
    return;
  r->n_sends += begins && acts & TRACE_ACT_SEND;
  r->n_receives += ends && acts & TRACE_ACT_RECEIVE;
}

static void
count_call (Report *r, const TraceSource *s, const TraceEvent *e)
{
  TraceEvent whole;

  if (e->flags & TRACE_UNFINISHED) {
    ReportCalls *never = &r->kinds[e->kind];
    ++never->calls;
    ++never->unfinished;
    if (!open_calls_may_wait (s, e)) {
      ++r->n_open;
      return;
    }
    ++r->n_unfinished;
    keep_call (r->unfinished, e, false);
    return;
  }
  if (e->flags & TRACE_OPEN && !(e->flags & TRACE_END))
    open_calls_begin (r->open, e);
  else if (e->flags & TRACE_END && !open_calls_end (r->open, e, &whole))
    e = &whole;
  if (!(e->flags & (TRACE_END | TRACE_INSTANT)))
    return; /* told at its end */
  const TraceKind *k = &s->kinds[e->kind];
  ReportCalls *c = &r->kinds[e->kind];
  ++c->calls;
  c->bytes += is_sized (k) ? (double) TRACE_SIZE (e) : 0;
  c->total_s += trace_clock_seconds (&s->clock, e->duration);
  c->longest = MAX (c->longest, e->duration);
  if (e->duration > 0 && involves_others (r, s, e))
    keep_call (r->longest, e, true);
}

/* Those that began as open ones, and had not ended when nothing more came. */
static void
count_open (Report *r, const TraceSource *s)
{
  g_autoptr (GArray) left = open_calls_left (r->open);

  for (guint i = 0; i < left->len; ++i)
    count_call (r, s, &g_array_index (left, TraceEvent, i));
}

static void
tell_event (const TraceSource *s, const TraceEvent *e, GString *to)
{
  g_autofree char *sentence = text_clean (trace_sentence (e));
  char date[64];

  trace_clock_print (&s->clock, e->date, date, sizeof date);
  g_string_append_printf (to, "%s  %s\n", date, sentence);
}

static bool
report_read_events (Report *r, GError **error)
{
  TraceOptions options = { .progress = cli_progress (),
                           .offset = r->source->clock.offset,
                           .clocks = r->source->clocks.by,
                           .reference = r->source->reference };
  TraceSource *s = trace_open (r->source->path, r->source->format->name, &options, error);
  g_autofree TraceEvent *events = g_new (TraceEvent, BLOCK);
  g_autoptr (GString) told = g_string_new (NULL);
  GError *failed = NULL;
  uint64_t read = 0;
  size_t n;

  if (!s)
    return false;
  r->kinds = g_new0 (ReportCalls, s->n_kinds);
  r->acts = g_new (uint16_t, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; ++i)
    r->acts[i] = trace_acts (&s->kinds[i]);
  r->calls_ask = g_new (bool, MAX (s->n_kinds, 1));
  for (uint32_t i = 0; i < s->n_kinds; ++i)
    r->calls_ask[i] = !(r->acts[i] & TRACE_ACT_PHASE) && trace_call_asks (&s->kinds[i]);
  r->open = open_calls_new (s);
  while ((n = trace_next (s, events, BLOCK, &failed)) > 0) {
    for (size_t i = 0; i < n; ++i) {
      count_call (r, s, &events[i]);
      count_one_sided (r, &events[i]);
      report_variable (r, s, &events[i]);
      if (r->out && read + i < EVENTS_TOLD)
        tell_event (s, &events[i], told);
    }
    read += n;
    if (!options.progress->report (options.progress->arg, "reading", (double) read / (double) MAX (s->n_events, 1))) {
      g_set_error (&failed, TRACE_ERROR, TRACE_ERROR_CANCELLED, "interrupted");
      break;
    }
  }
  if (read > EVENTS_TOLD)
    g_string_append_printf (told, _ ("and %" PRIu64 " more: `scope events` prints all of them\n"), read - EVENTS_TOLD);
  count_open (r, s);
  tell_longest_once (r->longest);
  report_variables_end (r, s);
  g_clear_pointer (&r->open, open_calls_free);
  trace_close (s);
  if (failed) {
    g_propagate_error (error, failed);
    return false;
  }
  return write_file (r, "events.txt", told, error);
}

/* ---- the command
 * ----------------------------------------------------------------------------------------------------- */

static void
call_clear (gpointer call)
{
  g_free (((ReportCall *) call)->sentence);
}

/* Finds what the report is about, also after the program has added a part to itself: of several executions the n-th,
 * else that of the leading simulator, or of the one that was asked for.  False: there is none. */
static bool
take_execution (Report *r, GError **error)
{
  Session *s = r->session;
  g_autoptr (GArray) all = session_executions (s);
  SessionExecution *e = r->several && r->n < all->len ? &g_array_index (all, SessionExecution, r->n) : NULL;

  if (!e && r->chosen && !session_choose_simulator (s, r->chosen, error))
    return false;
  EveComponent *simulator = e ? e->simulator : s->simulator, *reader = session_reader_above (simulator);
  r->source = e ? e->source : reader ? session_source_of (reader) : s->source;
  r->graph = eve_query (simulator, "state-graph/1");
  return true;
}

static bool
report_make (Report *r, GString *text, GError **error)
{
  g_autoptr (GString) html = g_string_new (NULL), timeline = g_string_new (NULL), json = g_string_new (NULL);

  for (bool again = true; again;) {
    if (!report_play (r, &again, error) || (again && !take_execution (r, error)))
      return false;
  }
  g_free (r->simulator);
  r->simulator = r->several ? NULL : session_simulator_told (r->session);
  if (!report_read_events (r, error))
    return false;
  find_links (r);
  report_text (r, text);
  if (!r->out)
    return true;
  report_timeline (r, timeline);
  report_html (r, html);
  report_json (r, json);
  return write_file (r, "report.json", json, error) && write_file (r, "report.txt", text, error)
         && write_file (r, "timeline.svg", timeline, error) && write_file (r, "index.html", html, error);
}

static void
report_on_warn (void *arg, const char *component, const char *sentence)
{
}

/* It may be one that a part brings, which the program adds to itself on the way. */
static bool
find_simulator (Session *s, const char *name, GError **error)
{
  if (s->graph && (!name || session_choose_simulator (s, name, NULL)))
    return true;
  if (!extend_go (s, INT64_MAX, cli_tell_part, NULL, NULL, error))
    return false;
  session_stop (s);
  if (s->graph)
    return !name || session_choose_simulator (s, name, error);
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
               _ ("the program has no simulator, so there is no state graph"));
  return false;
}

static void
report_clear (Report *r)
{
  for (guint i = 0; i < r->longest->len; ++i)
    call_clear (&g_array_index (r->longest, ReportCall, i));
  g_array_unref (r->longest);
  g_array_unref (r->unfinished);
  g_array_unref (r->links);
  report_watch_clear (r);
  report_variables_clear (r);
  g_free (r->kinds);
  g_free (r->acts);
  g_free (r->calls_ask);
  g_byte_array_unref (r->asks);
  g_free (r->spent);
  g_free (r->rows);
  g_free (r->doc);
  g_free (r->simulator);
}

/* The report of one execution, into its folder; a status. */
static int
cli_report_write (Report *r, GString *text)
{
  GError *error = NULL;
  int status = CLI_OK;

  r->longest = g_array_new (FALSE, TRUE, sizeof (ReportCall));
  r->unfinished = g_array_new (FALSE, TRUE, sizeof (ReportCall));
  r->asks = g_byte_array_new ();
  r->links = g_array_new (FALSE, TRUE, sizeof (ReportLink));
  g_array_set_clear_func (r->unfinished, call_clear);
  if (!take_execution (r, &error))
    return cli_fail_error (r->session->program_path, error);
  TraceBundle *bundle = trace_bundle_open (r->source->path, NULL);
  r->doc = g_strdup (bundle ? bundle->doc : NULL);
  trace_bundle_free (bundle);
  if (!r->source->n_events)
    status = cli_fail (r->source->path, _ ("there is no event to report"));
  else if (r->out && g_mkdir_with_parents (r->out, 0777) != 0)
    status = cli_fail (r->out, _ ("the folder cannot be made: %s"), g_strerror (errno));
  else if (!report_make (r, text, &error))
    status = cli_fail_error (r->source->path, error);
  return status;
}

static int
one (Session *s, const char *out, const char *simulator, GString *text)
{
  Report r = { .session = s, .out = out, .chosen = simulator };
  int status = cli_report_write (&r, text);

  report_clear (&r);
  return status;
}

/* Of several executions, for the page that lays them side by side: one ruler, if some date is in all of them, else
 * rulers that are equally long. */
static void
take_ruler (Report *r, const GArray *executions)
{
  int64_t first = r->source->first, last = r->source->last, begun = first, ended = last;
  double longest = 0;

  for (guint i = 0; i < executions->len; i++) {
    const TraceSource *s = g_array_index (executions, SessionExecution, i).source;
    if (s->n_events == 0)
      continue;
    first = MIN (first, s->first);
    last = MAX (last, s->last);
    begun = MAX (begun, s->first);
    ended = MIN (ended, s->last);
    longest = MAX (longest, report_span (s->first, s->last));
  }
  bool one = begun <= ended;
  r->ruler_first = one ? first : r->source->first;
  r->ruler_last = one ? last : trace_sum (r->source->first, (int64_t) MIN (longest, 0x1p62));
}

/* A folder of its own for each execution, and a page and a text that lay them side by side. */
static int
report_each (Session *s, const char *out, GPtrArray *rows, GString *text)
{
  g_autoptr (GString) all = g_string_new (NULL), html = g_string_new (NULL), runs = g_string_new (NULL);
  GError *error = NULL;
  int status = CLI_OK;

  for (guint i = 0; !status; ++i) {
    g_autoptr (GArray) executions = session_executions (s);
    if (i >= executions->len)
      break;
    const SessionExecution *e = &g_array_index (executions, SessionExecution, i);
    if (!e->simulator || !e->source->n_events) {
      cli_note (e->source->path, e->simulator ? _ ("there is no event to report")
                                              : _ ("the program has no simulator of it, so it is left out"));
      continue;
    }
    g_autofree char *name = g_strdup (e->name), *folder = g_strdelimit (g_strdup (name), "/", '_');
    if (*folder == '.')
      *folder = '_';
    g_autofree char *path = out ? g_build_filename (out, folder, NULL) : NULL;
    g_autoptr (GString) own = g_string_new (NULL);
    Report r = { .session = s, .out = path, .n = i, .several = true };
    if (i > 0)
      session_stop (s);
    status = cli_report_write (&r, own);
    if (!status) {
      take_ruler (&r, executions);
      g_ptr_array_add (rows, report_row (&r, name, out ? folder : NULL));
      g_string_append_printf (all, "\n\n%s", own->str);
    }
    report_clear (&r);
  }
  if (status)
    return status;
  report_several_text (rows, text);
  if (out) {
    report_several_html (rows, html);
    report_runs (rows, runs);
  }
  Report r = { .out = out };
  if (!write_file (&r, "report.txt", text, &error) || !write_file (&r, "executions.svg", runs, &error)
      || !write_file (&r, "index.html", html, &error))
    return cli_fail_error (out, error);
  g_string_append (text, all->str);
  return CLI_OK;
}

static int
report_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *out = NULL, *format = NULL, *program = NULL, *simulator = NULL, *from = NULL, *to = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
      _ ("Folder for the report as a page, its pictures and figures; made if need be.  Otherwise its text is printed"),
      "DIR" },
    { "program", 0, 0, G_OPTION_ARG_FILENAME, &program, _ ("The program that rebuilds the state"), "FILE" },
    { "simulator", 0, 0, G_OPTION_ARG_STRING, &simulator,
      _ ("Whose states, of a program with several simulators: its name; otherwise the first that gets the whole trace"),
      "NAME" },
    { "from", 0, 0, G_OPTION_ARG_STRING, &from,
      _ ("What limits it is told of a window of time alone, which begins here; the states are of the whole execution"),
      "T" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, _ ("Where that window ends"), "T" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  GError *error = NULL;
  int status = CLI_OK;

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    return CLI_USAGE;
  cli_load_components (); /* what is a trace is known by the formats */
  if (out && !places_may_hold_files (out, &error))
    return cli_fail_error (out, error);
  SessionOptions options = { .trace = argv[1],
                             .more = cli_more (argc, argv),
                             .format = format,
                             .program = program,
                             .warn = report_on_warn,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };
  Session *s = session_open (&options, &error);
  if (!s)
    return cli_fail_error (argv[1], error);
  cli_note_program (s);
  report_analyse (s);
  GPtrArray *rows = g_ptr_array_new_with_free_func (report_row_free);
  g_autoptr (GString) text = g_string_new (NULL);
  if (!report_window (s, from, to, &error))
    status = cli_fail_error (argv[1], error);
  else if (!find_simulator (s, simulator, &error))
    status = cli_fail_error (s->graph ? argv[1] : s->program_path, error);
  g_autoptr (GArray) all = session_executions (s);
  if (status || simulator || all->len < 2)
    status = status ? status : one (s, out, simulator, text);
  else
    status = report_each (s, out, rows, text);
  if (!status)
    cli_out (text);
  if (!status)
    status = cli_missing (s->program, s->problems);
  g_ptr_array_unref (rows);
  session_free (s);
  return status;
}

const CliCommand cli_report = {
  "report",
  "TRACE [TRACE...]",
  N_ ("Writes a report for a person: a text, a page, pictures of the state graph, the timeline; of several traces one "
      "each, "
      "and a page that lays them side by side."),
  "  scope report traces/ring.trace\n  scope report traces/ring.trace -o out\n  scope report traces/fft2d-s4.trace "
  "traces/fft2d-s16.trace -o out\n",
  report_command,
};
