/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"
#include "eve/words.h"
#include "session/cut.h"
#include <string.h>
#include "eve/bytes.h"
#include "eve/disk.h"
#include "eve/nearest.h"
#include "readers/live.h"
#include "readers/selected.h"
#include "session/film-drive.h"
#include "session/exchange.h"
#include "session/generic.h"
#include "session/guard.h"
#include "session/marks.h"
#include "session/meant.h"
#include "session/places.h"
#include "session/plugins.h"

#define SLICE_NS (20 * 1000000) /* between two looks at progress and Ctrl-C */

static void
session_session_on_warn (void *arg, EveComponent *c, const char *sentence)
{
  Session *s = arg;

  if (s->options.warn)
    s->options.warn (s->options.arg, c ? eve_name (c) : "program", sentence);
}

/* ---- opening
 * ---------------------------------------------------------------------------------------------------- */

/* Which format of the bundle to open. */
static char *
session_choose_format (const TraceBundle *b, const char *format, GError **error)
{
  if (format ? g_ptr_array_find_with_equal_func (b->formats, format, g_str_equal, NULL) : b->formats->len == 1)
    return g_strdup (format ? format : b->formats->pdata[0]);
  g_ptr_array_add (b->formats, NULL);
  g_autofree char *there = g_strjoinv (", ", (char **) b->formats->pdata);
  g_ptr_array_remove_index (b->formats, b->formats->len - 1);
  if (format)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s has no data of format %s; it has %s"), b->path, format,
                 there);
  else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s has data of several formats (%s); say which with --format"), b->path, there);
  return NULL;
}

/* A trace is named as the one that is opened: relative to the current folder, if it is there. */
static bool
set_one (EveComponent *c, const char *setting, const char *value, GError **error)
{
  bool trace = *value && g_str_equal (setting, "trace") && eve_query (c, "trace-reader/1");
  g_autofree char *path = trace && g_file_test (value, G_FILE_TEST_IS_DIR) ? g_canonicalize_filename (value, NULL)
                                                                           : g_strdup (value);

  return eve_set (c, setting, path, error);
}

/* "Component.setting=value"; names of components may hold dots, so each is tried. */
static bool
apply_setting (EveProgram *p, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *left = equals ? g_strndup (text, (gsize) (equals - text)) : NULL;

  for (char *dot = left ? strchr (left, '.') : NULL; dot; dot = strchr (dot + 1, '.')) {
    *dot = 0;
    EveComponent *c = eve_find (p, left);
    if (c)
      return set_one (c, dot + 1, equals + 1, error);
    *dot = '.';
  }
  if (!left || !strchr (left, '.')) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("\"%s\" is not of the form COMPONENT.SETTING=VALUE"),
                 text);
    return false;
  }
  g_autoptr (GString) names = g_string_new (NULL);
  for (uint32_t i = 0; i < eve_n_components (p); ++i)
    g_string_append_printf (names, "%s%s", i ? ", " : "", eve_name (eve_component (p, i)));
  g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("%s: the program has no such component; it has %s"),
               left, names->str);
  return false;
}

static bool
reads_format (EveComponent *c, const char *format)
{
  g_autofree char *what = g_strconcat ("reader:", format, NULL);
  const EveClass *k = eve_is_ghost (c) ? NULL : eve_class (c);

  return k && k->provides && g_strv_contains (k->provides, what);
}

static const TraceReader *
reader_face (EveComponent *c)
{
  return eve_is_ghost (c) ? NULL : eve_query (c, "trace-reader/1");
}

static void
find_readers (Session *s)
{
  g_ptr_array_set_size (s->readers, 0);
  eve_program_allow (s->program, s->trace); /* the person opened it */
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (!reader_face (c))
      continue;
    g_ptr_array_add (s->readers, c);
    reader_face (c)->follow (c, s->options.follow);
    if (reads_format (c, s->format))
      reader_face (c)->open_with (c, s->trace);
  }
}

/* The path of the trace that a reader reads, which need not be there; g_free.  NULL: it has none. */
static char *
trace_of (const Session *s, EveComponent *c)
{
  g_autofree char *own = eve_get (c, "trace");

  if (!own || !*own)
    return reads_format (c, s->format) ? g_strdup (s->trace) : NULL;
  g_autofree char *folder = g_path_get_dirname (s->program_path), *base = g_canonicalize_filename (folder, NULL);
  return g_canonicalize_filename (own, base);
}

/* Whether a reader reads the trace that was opened: it was given no other, or the same. */
static bool
reads_opened (const Session *s, EveComponent *c)
{
  g_autofree char *is = reads_format (c, s->format) ? trace_of (s, c) : NULL;

  return g_strcmp0 (is, s->trace) == 0;
}

static EveComponent *
leading_reader (const Session *s)
{
  for (guint i = 0; i < s->readers->len; ++i)
    if (reads_opened (s, s->readers->pdata[i]))
      return s->readers->pdata[i];
  return NULL;
}

/* Each reader keeps the trace that the program gives it; the one that was opened goes to those that were given none. */
static bool
give_trace (Session *s, GError **error)
{
  g_autoptr (GString) own = g_string_new (NULL);
  EveComponent *taker = NULL;

  find_readers (s);
  if (leading_reader (s))
    return true;
  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    g_autofree char *trace = eve_get (c, "trace");
    if (!reads_format (c, s->format))
      continue;
    g_string_append_printf (own, "%s%s reads %s", own->len ? ", " : "", eve_name (c), trace);
    taker = taker ? taker : c;
  }
  if (taker)
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("%s: each of its readers has a trace of its own (%s), so nobody would read %s; empty the setting "
                    "“trace” of one, as with --set \"%s.trace=\""),
                 s->program_path, own->str, s->trace, eve_name (taker));
  else
    g_set_error (
        error, SESSION_ERROR, SESSION_ERROR_READER,
        _ ("%s: the program has no reader of %s traces%s%s; `scope info TRACE` lists the programs that have one"),
        s->program_path, s->format, s->problems->len ? ": " : "",
        s->problems->len ? (char *) s->problems->pdata[0] : "");
  return false;
}

/* A reader that was given no trace, other than `keeps`, which stays for the one that was opened. */
static EveComponent *
free_reader (Session *s, const char *format, const EveComponent *keeps)
{
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    g_autofree char *trace = reader_face (c) ? eve_get (c, "trace") : NULL;
    if (trace && !*trace && c != keeps && reads_format (c, format))
      return c;
  }
  return NULL;
}

/* Each further trace goes to a reader of its own, in the order in which they stand in the program. */
static bool
give_more (Session *s, GError **error)
{
  EveComponent *first = free_reader (s, s->format, NULL);

  for (const char *const *more = s->options.more; more && *more; ++more) {
    TraceBundle *b = trace_bundle_open (*more, error);
    if (!b)
      return false;
    char *format = session_choose_format (b, NULL, error);
    EveComponent *c = format ? free_reader (s, format, first) : NULL;
    bool ok = c && eve_set (c, "trace", b->path, error);
    if (ok)
      eve_program_allow (s->program, b->path); /* the person opened it */
    else if (format && !c)
      g_set_error (
          error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
          _ ("%s: no reader of %s traces is left for %s; the program needs a reader without a trace for each that is "
             "opened with it"),
          s->program_path, format, b->path);
    g_free (format);
    trace_bundle_free (b);
    if (!ok)
      return false;
  }
  return true;
}

/* "TRACE=start", "TRACE=@MARK": by what the traces have, which is known when they are open. */
static const char *
aligned_by (const char *text)
{
  const char *mark = strstr (text, "=@"), *equals = mark ? mark : strrchr (text, '=');

  return mark || (equals && g_str_equal (equals, "=start")) ? equals : NULL;
}

/* "TRACE=SECONDS": the readers of the trace get the offset. */
static bool
session_shift (Session *s, const char *text, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_autofree char *word = equals ? g_strndup (text, (gsize) (equals - text)) : NULL;
  g_autofree char *path = word ? meant_trace (s, word, error) : NULL;
  int64_t offset;

  if (!equals || (path && (!equals[1] || !trace_offset_parse (equals + 1, &offset)))) {
    g_set_error (
        error, SESSION_ERROR, SESSION_ERROR_SETTING,
        _ ("\"%s\" is not of the form TRACE=SECONDS, such as %s=-0.25; instead of seconds there may be start, or "
           "@MARK"),
        text,
        !word   ? text
        : *word ? word
                : "1");
    return false;
  }
  for (guint i = 0; path && i < s->readers->len; ++i) {
    g_autofree char *own = trace_of (s, s->readers->pdata[i]);
    if (g_strcmp0 (own, path) == 0 && !eve_set (s->readers->pdata[i], "offset", equals + 1, error))
      return false;
  }
  return path != NULL;
}

static bool
component_error (Session *s, GError **error)
{
  const char *why = eve_program_failure (s->program, NULL);

  g_set_error (error, SESSION_ERROR, SESSION_ERROR_COMPONENT, "%s", why ? why : _ ("a component failed"));
  return false;
}

#define LONG_AFTER (60 * TRACE_TICKS)

/* Where executions begin long after their clocks, as with those that count from the epoch or the start of a machine,
 * dates are shown from the first on: one of all traces, whose dates meet on one ruler.  It stays as they grow. */
static void
choose_zero (Session *s)
{
  int64_t zero = s->first <= s->last && s->first >= LONG_AFTER && s->first / 4 > s->last - s->first ? s->first : 0;

  if (s->source && s->source->clock.zero != 0 && s->source->clock.zero <= s->first)
    zero = s->source->clock.zero;
  for (guint i = 0; i < s->readers->len; ++i) {
    TraceSource *source = session_source_of (s->readers->pdata[i]);
    if (source)
      source->clock.zero = zero;
  }
  if (s->source)
    s->source->clock.zero = zero;
}

/* The extent of all traces. */
static void
session_measure (Session *s)
{
  s->first = s->source ? s->source->first : 0;
  s->last = s->source ? s->source->last : -1;
  s->n_events = s->source ? s->source->n_events : 0;
  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    if (!source || source == s->source || source->first > source->last)
      continue;
    bool empty = s->first > s->last;
    s->first = empty ? source->first : MIN (s->first, source->first);
    s->last = empty ? source->last : MAX (s->last, source->last);
    s->n_events = MAX (s->n_events, source->n_events);
  }
  choose_zero (s);
}

static void
find_parts (Session *s)
{
  const void *face = NULL;

  s->simulator = session_leading_simulator (s);
  s->graph = s->simulator ? eve_query (s->simulator, "state-graph/1") : NULL;
  s->controller = eve_find_query (s->program, "session/1", &face);
  s->controller_face = s->controller ? face : NULL;
  session_measure (s);
}

typedef struct Opening {
  const TraceProgress *progress;
  bool cancelled;
} Opening;

static bool
on_opening (void *arg, const char *doing, double share)
{
  Opening *o = arg;

  o->cancelled = o->progress && o->progress->report && !o->progress->report (o->progress->arg, doing, share);
  return !o->cancelled;
}

static bool
session_session_on_reading (void *opening, double share)
{
  return on_opening (opening, _ ("Reading the program"), share);
}

/* The trace of a reader is read through when it is opened, which takes a while if it is large. */
static TraceSource *
open_source (Session *s, EveComponent *c, GError **error)
{
  const TraceReader *reader = eve_query (c, "trace-reader/1");
  Opening opening = { .progress = s->options.progress };
  const TraceProgress progress = { on_opening, &opening };
  TraceSource *source = NULL;

  if (reader) {
    reader->watch (c, &progress);
    source = reader->source (c);
    reader->watch (c, NULL);
  }
  if (!source && opening.cancelled)
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
  else if (!source)
    component_error (s, error);
  return source;
}

/* Of a trace as it is shifted: its first event, or a mark, "@NAME". */
static bool
session_date_of (const TraceSource *source, const char *what, int64_t *date, GError **error)
{
  bool has = source->first <= source->last;

  *date = source->first;
  if (*what == '@') {
    Marks *m = marks_load (source->path, &source->clock, error);
    const Mark *mark = m ? marks_find (m, what + 1) : NULL;
    has = mark != NULL;
    *date = has ? mark->date : 0;
    marks_free (m);
  }
  if (!has && !(error && *error))
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("the trace %s has no %s%s"), source->name,
                 *what == '@' ? _ ("mark called ") : "event", *what == '@' ? what + 1 : "");
  return has;
}

char *
session_alignment (const Session *s, EveComponent *reader, const char *what, GError **error)
{
  const TraceSource *source = session_source_of (reader);
  int64_t here, there, offset;
  char seconds[64];

  if (!source || !s->source || !session_date_of (s->source, what, &there, error)
      || !session_date_of (source, what, &here, error))
    return NULL;
  if (__builtin_sub_overflow (there, here, &offset) || __builtin_add_overflow (offset, source->clock.offset, &offset)) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING, _ ("the trace %s cannot be shifted so far"),
                 source->name);
    return NULL;
  }
  trace_clock_print (&(TraceClock){ .ticks_per_second = TRACE_TICKS }, offset, seconds, sizeof seconds);
  return g_strdup (seconds);
}

/* The trace is shifted so that what it has comes at the date at which the leading one has the same. */
static bool
session_align (Session *s, const char *text, GError **error)
{
  const char *equals = aligned_by (text);
  g_autofree char *word = g_strndup (text, (gsize) (equals - text)), *path = meant_trace (s, word, error);

  for (guint i = 0; path && i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    g_autofree char *own = trace_of (s, c);
    if (g_strcmp0 (own, path) != 0 || session_source_of (c) == s->source)
      continue;
    g_autofree char *seconds = session_alignment (s, c, equals + 1, error);
    if (!seconds || !eve_set (c, "offset", seconds, error) || !open_source (s, c, error))
      return false;
  }
  return path != NULL;
}

static void
ask_to_read (Session *s)
{
  const SessionOptions *o = &s->options;
  g_autoptr (GPtrArray) asked = eve_program_asks_for (s->program);

  for (guint i = 0; o->may_read && i < asked->len; ++i)
    if (o->may_read (o->arg, s->program, asked->pdata[i]))
      eve_program_allow (s->program, asked->pdata[i]);
}

static void
tell_suspects (const Session *s)
{
  g_autofree char *suspects = plugins_boxes (s->program);

  guard_suspects (suspects);
}

/* Of traces whose clocks are not corrected as their readers are set to. */
static void
session_tell_clocks (const Session *s)
{
  for (guint i = 0; s->options.warn && i < s->readers->len; ++i) {
    EveComponent *reader = s->readers->pdata[i];
    const TraceSource *source = session_source_of (reader);
    g_autofree char *asked = eve_get (reader, "clocks");
    if (!asked || g_str_equal (asked, "none") || g_str_equal (asked, trace_clocks_names[source->clocks.by]))
      continue;
    g_autofree char *sentence = g_strdup_printf (_ ("the clocks of %s cannot be corrected: dates are as recorded"),
                                                 in_words (source->format->label));
    s->options.warn (s->options.arg, eve_name (reader), sentence);
  }
}

/* Adds to a sentence about a program that is not there what may be meant, beside it or among those on offer. */
static void
tell_nearest (const char *path, const char *format, GError **error)
{
  g_autofree char *elsewhere = places_program_elsewhere (format, path), *beside = places_nearest (path);
  g_autofree char *name = beside ? NULL : places_program_nearest (format, path);

  if (!error || !*error || (!elsewhere && !beside && !name) || g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  g_autofree char *nearest = eve_nearest_words (beside ? beside : name);
  char *told = elsewhere ? g_strconcat ((*error)->message, "; ", elsewhere, NULL)
                         : g_strconcat ((*error)->message, nearest, NULL);
  g_free ((*error)->message);
  (*error)->message = told;
}

/* The formats of all traces in their order, NULL-terminated; g_strfreev.  NULL and a sentence: one cannot be opened. */
static char **
formats_of (const Session *s, GError **error)
{
  g_autoptr (GStrvBuilder) formats = g_strv_builder_new ();

  g_strv_builder_add (formats, s->format);
  for (const char *const *more = s->options.more; more && *more; ++more) {
    TraceBundle *b = trace_bundle_open (*more, error);
    g_autofree char *format = b ? session_choose_format (b, NULL, error) : NULL;
    if (b)
      trace_bundle_free (b);
    if (!format || !trace_format_find (format, error))
      return NULL;
    g_strv_builder_add (formats, format);
  }
  return g_strv_builder_end (formats);
}

static bool
session_open_into (Session *s, GError **error)
{
  const SessionOptions *o = &s->options;
  TraceBundle *b = trace_bundle_open (o->trace, error);
  s->format = b ? session_choose_format (b, o->format, error) : NULL;
  s->trace = b ? g_strdup (b->path) : NULL;
  g_auto (GStrv) formats = s->format && trace_format_find (s->format, error) ? formats_of (s, error) : NULL;
  bool ok = formats != NULL;

  if (ok) {
    s->program_path = o->program ? places_program (s->format, o->program)
                      : o->more  ? generic_comparing ((const char *const *) formats)
                                 : places_offered (s->format, "default.eve");
    Opening opening = { .progress = o->progress };
    g_autofree char *shared = o->text ? NULL : generic_read (s->program_path);
    g_autofree char *text = shared ? generic_text (shared, s->program_path, (const char *const *) formats, error)
                                   : NULL;
    if (o->text || text)
      s->program = eve_program_parse_asking (o->text ? o->text : text, -1, s->program_path, s->problems,
                                             session_session_on_reading, &opening, error);
    else if (!shared)
      s->program = eve_program_load_asking (s->program_path, s->problems, session_session_on_reading, &opening, error);
    if (opening.cancelled && error && *error) { /* the caller knows our code */
      g_clear_error (error);
      g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
    }
    if (!s->program)
      tell_nearest (s->program_path, s->format, error);
    if (s->program)
      eve_program_set_file (s->program, s->program_path);
    ok = s->program != NULL;
  }
  if (ok) {
    eve_program_set_warn (s->program, session_session_on_warn, s);
    eve_program_set_output_folder (s->program, o->out);
    eve_program_set_prints (s->program, o->prints);
  }
  for (const char *const *set = o->set; ok && set && *set; ++set)
    ok = apply_setting (s->program, *set, error);
  ok = ok && give_more (s, error) && give_trace (s, error);
  for (const char *const *offset = o->offsets; ok && offset && *offset; ++offset)
    ok = aligned_by (*offset) || session_shift (s, *offset, error);
  for (guint i = 0; ok && o->clocks && i < s->readers->len; ++i)
    ok = eve_set (s->readers->pdata[i], "clocks", o->clocks, error);
  for (guint i = 0; ok && o->reference && i < s->readers->len; ++i)
    ok = eve_set (s->readers->pdata[i], "reference", o->reference, error);
  if (b)
    trace_bundle_free (b);
  if (!ok)
    return false;

  ask_to_read (s);
  for (guint i = 0; i < s->readers->len; ++i) {
    if (!open_source (s, s->readers->pdata[i], error))
      return false;
  }
  s->reader = leading_reader (s);
  s->source = session_source_of (s->reader);
  for (const char *const *offset = o->offsets; s->source && offset && *offset; ++offset)
    if (aligned_by (*offset) && !session_align (s, *offset, error))
      return false;
  find_parts (s);
  tell_suspects (s);
  session_tell_clocks (s);
  return true;
}

void
session_refresh (Session *s)
{
  TraceSource *spare = g_steal_pointer (&s->spare);

  find_readers (s);
  for (guint i = s->readers->len; i-- > 0;)
    if (!session_source_of (s->readers->pdata[i])) /* it has failed, and says so */
      g_ptr_array_remove_index (s->readers, i);
  s->reader = leading_reader (s);
  if (!s->reader && s->readers->len)
    s->reader = s->readers->pdata[0];
  s->source = s->reader ? session_source_of (s->reader) : NULL;
  if (!s->source)
    s->source = s->spare = spare ? g_steal_pointer (&spare) : trace_open (s->trace, s->format, NULL, NULL);
  if (spare)
    trace_close (spare);
  find_parts (s);
}

void
session_grown (Session *s)
{
  ask_to_read (s);
  session_refresh (s);
  tell_suspects (s);
}

Session *
session_open (const SessionOptions *options, GError **error)
{
  Session *s = g_new0 (Session, 1);

  s->options = *options;
  s->problems = g_ptr_array_new_with_free_func (g_free);
  s->readers = g_ptr_array_new ();
  g_autoptr (GError) why = NULL;
  if (session_open_into (s, &why))
    return s;
  Session *other = options->exchanges && !options->more && g_error_matches (why, SESSION_ERROR, SESSION_ERROR_READER)
                       ? exchange_open (s, error)
                       : NULL;
  session_free (s);
  if (!other && (!error || !*error))
    g_propagate_error (error, g_steal_pointer (&why));
  return other;
}

void
session_free (Session *s)
{
  if (!s)
    return;
  if (s->program)
    eve_program_free (s->program);
  if (s->spare)
    trace_close (s->spare);
  g_free (s->exchanged);
  g_free (s->program_path);
  g_free (s->trace);
  g_free (s->format);
  g_ptr_array_unref (s->problems);
  g_ptr_array_unref (s->readers);
  if (s->adding)
    g_array_unref (s->adding);
  g_free (s->all);
  g_clear_pointer (&s->refused, g_hash_table_unref);
  session_cut_free (s->cut);
  g_free (s);
}

/* ---- driving
 * ---------------------------------------------------------------------------------------------------- */

uint64_t
session_events_read (const Session *s)
{
  uint64_t n = 0;

  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    n += ((const TraceReader *) eve_query (c, "trace-reader/1"))->given (c);
  }
  return n;
}

static bool
session_replay (Session *s, GError **error)
{
  double all = (double) MAX (s->n_events, 1) * s->readers->len;
  int more;

  while ((more = drive_slice (s, SLICE_NS, error)) > 0) {
    guard_doing (_ (", near event %" PRIu64), session_events_read (s));
    if (!drive_report (s->options.progress, "replaying", (double) session_events_read (s) / all, error)) {
      eve_pause (s->program);
      return false;
    }
  }
  return more == 0;
}

/* Does the session controller drive this reader? */
static bool
is_controlled (const Session *s, const EveComponent *reader)
{
  for (uint32_t i = 0; s->controller && i < eve_n_flows (s->program); ++i) {
    EveWire w = eve_flow (s->program, i);
    if (w.from == s->controller && w.to == reader && !w.broken)
      return true;
  }
  return false;
}

static bool
session_go (Session *s, const TraceCommand *command, GError **error)
{
  bool controlled = false;

  for (guint i = 0; i < s->readers->len; ++i) {
    EveComponent *c = s->readers->pdata[i];
    if (is_controlled (s, c))
      controlled = true;
    else
      reader_face (c)->command (c, command);
  }
  if (controlled && !s->controller_face->command (s->controller, command)) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_STALLED,
                 _ ("%s: the readers have not heard the commands before this one"), eve_name (s->controller));
    return false;
  }
  return session_replay (s, error);
}

bool
session_go_until (Session *s, int64_t date, GError **error)
{
  return session_go (s, &(TraceCommand){ .verb = TRACE_GO_UNTIL, .date = date }, error);
}

bool
session_go_events (Session *s, uint64_t number, GError **error)
{
  return session_go (s, &(TraceCommand){ .verb = TRACE_GO_EVENTS, .number = number }, error);
}

bool
session_go_end (Session *s, GError **error)
{
  return session_go_events (s, UINT64_MAX, error);
}

void
session_stop (Session *s)
{
  eve_reset (s->program);
}

bool
session_look (Session *s)
{
  bool more = false;

  for (guint i = 0; i < s->readers->len; ++i)
    more |= reader_face (s->readers->pdata[i])->look (s->readers->pdata[i]);
  if (more)
    session_measure (s);
  return more;
}

bool
session_may_grow (const Session *s)
{
  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    if (source && trace_may_grow (source))
      return true;
  }
  return false;
}

int64_t
session_instant (const Session *s, int64_t until)
{
  return MIN (until, MAX (s->first, s->last));
}

void
session_watch (Session *s, const TraceProgress *progress)
{
  eve_program_set_progress (s->program, progress ? progress->report : NULL, progress ? progress->arg : NULL);
}

void
session_rest (Session *s, int64_t at)
{
  eve_rest (s->program, session_instant (s, at));
}

bool
session_select (Session *s, const TraceRefs *selection)
{
  bool other = false;

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    const TraceSelected *face = eve_is_ghost (c) ? NULL : eve_query (c, TRACE_SELECTED);
    other |= face && face->selected (c, selection);
  }
  return other;
}

bool
session_knows (Session *s, TraceRef what)
{
  bool known = false;

  for (uint32_t i = 0; i < eve_n_components (s->program) && !known; ++i) {
    EveComponent *c = eve_component (s->program, i);
    const TraceSelected *face = eve_is_ghost (c) ? NULL : eve_query (c, TRACE_SELECTED);
    known = face && face->knows && face->knows (c, what);
  }
  return known;
}

/* Whether what it holds hangs on how the session was driven, or on what is written where, and not on the instant alone.
 */
static bool
is_of_the_drive (const Session *s, EveComponent *c)
{
  const EveClass *k = eve_class (c);

  if (eve_is_ghost (c) || c == s->controller || eve_query (c, "trace-reader/1"))
    return true;
  for (uint32_t i = 0; i < k->n_settings; ++i)
    if (k->settings[i].output)
      return true;
  return false;
}

/* Of a program without a state graph: how far it is, and what its components hold. */
static uint64_t
computed_hash (Session *s)
{
  uint64_t hash = drive_given (s);

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (is_of_the_drive (s, c))
      continue;
    EveBlob *state = eve_blob_new ();
    eve_component_save_run (c, state);
    uint64_t both[] = { hash, eve_blob_hash (state) };
    hash = bytes_fnv (both, sizeof both);
    eve_blob_free (state);
  }
  return hash;
}

uint64_t
session_hash (Session *s, int64_t at)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  uint64_t hash = s->graph ? state_hash (s->graph, at) : computed_hash (s);

  for (guint i = 0; i < simulators->len; ++i)
    if (simulators->pdata[i] != s->simulator) {
      uint64_t both[] = { hash, state_hash (eve_query (simulators->pdata[i], "state-graph/1"), at) };
      hash = bytes_fnv (both, sizeof both);
    }
  return hash;
}

const View *
session_view (EveComponent *c)
{
  return view_get (c);
}
