/* SPDX-License-Identifier: Apache-2.0 */
/* paraver.c - reads Paraver traces, as Extrae and others write them: README.md.
 *
 * What runs and how long is in the header; the records follow, one a line.  What their numbers mean is in two files
 * beside the trace, which may be missing. */
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/paraver/paraver.h"
#include "readers/pair.h"

#define MOST_HEADER (64 * DISK_MIB)
#define ASKED_EACH 1000 /* lines: whether to go on */

void
paraver_damaged (Paraver *p, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (p->source, p->file, paraver_line (p), 1, fmt, args);
  va_end (args);
}

/* ---- files --------------------------------------------------------------------------------------------------------------- */

static const char *const packings[] = { "", ".gz", ".xz", ".zst" };

/* The file of the same name with another ending, packed or not; NULL: there is none. */
static char *
sibling (const char *path, const char *ending)
{
  g_autofree char *stem = g_strdup (path);

  for (size_t i = 1; i < G_N_ELEMENTS (packings); i++)
    if (g_str_has_suffix (stem, packings[i]))
      stem[strlen (stem) - strlen (packings[i])] = '\0';
  char *dot = strrchr (stem, '.');
  if (dot && !strchr (dot, '/'))
    *dot = '\0';
  for (size_t i = 0; i < G_N_ELEMENTS (packings); i++) {
    g_autofree char *file = g_strconcat (stem, ending, packings[i], NULL);
    if (g_file_test (file, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer (&file);
  }
  return NULL;
}

/* The line of the header; NULL: it is none. */
static const char *
header_in (const char *head, size_t n)
{
  static const char old[] = "new format", begin[] = "#Paraver (", mark[] = "\xef\xbb\xbf";

  if (n >= sizeof mark - 1 && memcmp (head, mark, sizeof mark - 1) == 0) { /* of UTF-8, which some editors put there */
    head += sizeof mark - 1;
    n -= sizeof mark - 1;
  }
  if (n >= sizeof old && memcmp (head, old, sizeof old - 1) == 0) {
    const size_t line = sizeof old - 1 + (head[sizeof old - 1] == '\r'); /* as other systems end it */
    if (n > line && head[line] == '\n') {
      head += line + 1;
      n -= line + 1;
    }
  }
  return n >= sizeof begin - 1 && g_ascii_strncasecmp (head, begin, sizeof begin - 1) == 0 ? head : NULL;
}

static bool
is_companion (const char *head, size_t n)
{
  static const char *const begins[] = { "DEFAULT_OPTIONS",    "LEVEL CPU SIZE ",  "LEVEL NODE SIZE ",
                                        "LEVEL THREAD SIZE ", "LEVEL TASK SIZE ", "LEVEL APPL SIZE " };

  for (size_t i = 0; i < G_N_ELEMENTS (begins); i++)
    if (n >= strlen (begins[i]) && memcmp (head, begins[i], strlen (begins[i])) == 0)
      return true;
  return false;
}

/* The trace that lies in a folder; *n tells how many do. */
static char *
trace_in_folder (const char *folder, int *n)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *found = NULL;
  const char *name;

  *n = 0;
  while (dir && (name = g_dir_read_name (dir))) {
    bool is = false;
    for (size_t i = 0; i < G_N_ELEMENTS (packings) && !is; i++) {
      g_autofree char *ending = g_strconcat (".prv", packings[i], NULL);
      is = g_str_has_suffix (name, ending);
    }
    g_autofree char *path = is ? g_build_filename (folder, name, NULL) : NULL;
    char head[64];
    size_t had = path ? input_head (path, head, sizeof head) : 0;
    if (header_in (head, had)) {
      ++*n;
      g_free (found);
      found = g_steal_pointer (&path);
    }
  }
  return g_steal_pointer (&found);
}

static int
paraver_recognise (const char *path, const void *head, size_t n, char **whole)
{
  if (!head) {
    int n_traces;
    g_autofree char *trace = trace_in_folder (path, &n_traces);
    if (n_traces == 1)
      *whole = g_steal_pointer (&trace);
    return n_traces > 0 ? 90 : 0;
  }
  if (header_in (head, n))
    return 95;
  if (!is_companion (head, n))
    return 0;
  *whole = sibling (path, ".prv");
  return 90;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------- */

static void
paraver_read_names (Paraver *p, const char *path)
{
  g_autofree char *pcf = sibling (path, ".pcf"), *row = sibling (path, ".row");

  p->names = paraver_names_new ();
  if (pcf)
    paraver_read_pcf (p->names, p->source, pcf);
  if (row)
    paraver_read_row (p->names, p->source, row);
}

static void
paraver_declare (Paraver *p)
{
  TraceSource *s = p->source;

  p->type_application = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Application"), NULL, TRACE_NONE);
  p->type_task = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Task"), NULL, p->type_application);
  p->type_thread = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Thread"), NULL, p->type_task);
  p->type_calls = trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Calls"), NULL, p->type_thread);
  ((TraceType *) s->types->pdata[p->type_calls])->does = TRACE_WORKS; /* readers/another.h */
  p->states = trace_source_add_type (s, TRACE_STATES, "State", NULL, p->type_thread);
  uint32_t cpu = trace_source_add_type (s, TRACE_VARIABLE, "Processor", NULL, p->type_thread);
  p->cpu_variable = ((const TraceType *) s->types->pdata[cpu])->object;
}

static bool
paraver_read_lines (Paraver *p, GError **error)
{
  g_autoptr (GError) why = NULL;
  char *line;
  size_t n;
  bool cut, goes_on = true;

  for (uint64_t asked = 0; goes_on;) {
    paraver_quick (p);
    if (input_line_number (p->in) - asked >= ASKED_EACH) {
      asked = input_line_number (p->in);
      goes_on = converter_progress (p->to, input_share (p->in), error);
    }
    if (!(line = input_line (p->in, &n, &cut, &why)))
      break;
    if (cut)
      paraver_damaged (p, _ ("the line is longer than 1 MiB"));
    else if (strlen (line) != n)
      paraver_damaged (p, _ ("the line has a byte 0"));
    else if (*line != '#' && *line != '\0')
      paraver_record (p, line);
  }
  if (why && p->source->n_events > 0) { /* what came before it is good */
    paraver_damaged (p, "%s", why->message);
    g_clear_error (&why);
  }
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  return goes_on && !(error && *error);
}

/* A header that is longer than lines may be: of some hundred thousand tasks.  Without its end: NULL. */
static char *
long_header (const char *path)
{
  Input *in = input_open (path, NULL);
  GByteArray *all = g_byte_array_new ();
  guint8 piece[65536];
  const guint8 *end = NULL;
  guint begin = 0;

  for (size_t got; in && !end && all->len < MOST_HEADER && (got = input_read (in, piece, sizeof piece, NULL)) > 0;) {
    guint from = all->len;
    g_byte_array_append (all, piece, (guint) got);
    if (from == 0 && all->data[0] == 'n') { /* "new format" */
      const guint8 *first = memchr (all->data, '\n', all->len);
      from = begin = first ? (guint) (first + 1 - all->data) : all->len;
    }
    end = memchr (all->data + from, '\n', all->len - from);
  }
  input_close (in);
  char *header = end ? g_strndup ((const char *) all->data + begin, (gsize) (end - all->data) - begin) : NULL;
  g_byte_array_unref (all);
  return header;
}

static bool
paraver_read_header (Paraver *p, const char *path, GError **error)
{
  size_t n;
  bool cut;
  char *line = input_line (p->in, &n, &cut, error);

  if (line && strcmp (line, "new format") == 0)
    line = input_line (p->in, &n, &cut, error);
  bool is_header = line && header_in (line, n);
  g_autofree char *whole = is_header && cut ? long_header (path) : NULL;
  if (is_header && (whole || !cut)) {
    paraver_header (p, whole ? whole : line);
    return true;
  }
  if (is_header) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: its header does not end within 64 MiB"), path);
    return false;
  }
  if (error && *error)
    return false;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
               line && is_companion (line, n)
                   ? _ ("%s goes with a Paraver trace, but no .prv of its name is beside it")
                   : _ ("%s is no Paraver trace: its first line is not “#Paraver (...):...”"),
               path);
  return false;
}

/* What is odd of records that are kept. */
static void
remark (Paraver *p, uint64_t n, uint64_t line, const char *what)
{
  if (n == 0)
    return;
  trace_source_remark (
      p->source, p->file, line, 1,
      P_ ("%" PRIu64 " record, the first here, is %s", "%" PRIu64 " records, the first here, are %s", n), n, what);
}

/* The trace ends when its header says so, and what is told only once is told. */
static void
end_of_trace (Paraver *p)
{
  if (p->end >= 0 && p->threads->len > 0)
    converter_event (p->to, &(TraceEvent){ .date = p->end,
                                           .task = g_array_index (p->threads, Thread, 0).task,
                                           .peer = TRACE_NONE,
                                           .object = TRACE_NONE,
                                           .tag = -1,
                                           .kind = (uint16_t) p->end_kind,
                                           .flags = TRACE_INSTANT });
  remark (p, p->n_late, p->first_late, _ ("after the end that the header tells"));
  remark (p, p->n_back, p->first_back,
          _ ("dated before others of their thread that come before them: calls may have lost their ends there"));
  remark (p, p->n_strange, p->first_strange,
          _ ("of communicators with tasks that the header does not tell: what these do together is not known"));
  if (p->first_beyond > 0)
    trace_source_remark (
        p->source, p->file, p->first_beyond, 1,
        _ ("there are more than %u types of events: those that come from here on are told as one, “%s”"), MOST_TYPES,
        paraver_type (p->names, 0)->label);
  if (p->first_unnamed > 0)
    trace_source_remark (p->source, p->file, p->first_unnamed, 1,
                         _ ("there are more than %u states and named values: those that come from here on are told by "
                            "their type alone"),
                         MOST_NAMED);
  if (p->n_globals > 0) { /* of no call that another record tells */
    trace_source_damage (p->source, p->file, 1, 1,
                         P_ ("%" PRIu64 " global operation (4:) is left out",
                             "%" PRIu64 " global operations (4:) are left out", (gulong) p->n_globals),
                         p->n_globals);
    p->source->n_damaged += p->n_globals - 1;
  }
}

static void
paraver_clear (Paraver *p)
{
  for (guint i = 0; p->threads && i < p->threads->len; i++)
    g_free (g_array_index (p->threads, Thread, i).open);
  g_clear_pointer (&p->threads, g_array_unref);
  g_clear_pointer (&p->names, paraver_names_free);
  g_clear_pointer (&p->ids, unlike_free);
  g_clear_pointer (&p->others, g_hash_table_unref);
  g_clear_pointer (&p->state_objects, g_hash_table_unref);
  g_clear_pointer (&p->groups, g_hash_table_unref);
  together_end (&p->together);
  g_free (p->first_task);
  g_free (p->first_thread);
  g_free (p->task_of_task);
  g_free (p->task_of_application);
  input_close (p->in);
}

static bool
paraver_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Paraver p = { .to = to, .source = converter_source (to), .file = file, .in = input_open (path, error) };

  if (!p.in)
    return false;
  p.unit = 1000;
  p.end = -1;
  p.source->clock = (TraceClock){ 1000000, "s" };
  p.ids = unlike_new ();
  p.others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p.state_objects = g_hash_table_new (NULL, NULL);
  p.groups = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  together_begin (&p.together, to);
  p.threads = g_array_new (FALSE, FALSE, sizeof (Thread));
  paraver_read_names (&p, path);
  bool calls = paraver_has_calls (p.names), states = paraver_scan (&p, path);
  p.calls_apart = states && (calls || paraver_has_calls (p.names));
  paraver_declare (&p);
  bool ok = paraver_read_header (&p, path, error);
  if (ok)
    paraver_kinds (&p);
  ok = ok && paraver_read_lines (&p, error);
  if (ok)
    end_of_trace (&p);
  paraver_clear (&p);
  return ok;
}

static const ConvertedFormat paraver;

static TraceSource *
paraver_open (const char *bundle, const char *path, const TraceOptions *options, GError **error)
{
  int n = 0;
  g_autofree char *trace = g_file_test (path, G_FILE_TEST_IS_DIR) ? trace_in_folder (path, &n) : NULL;

  if (n > 1) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s has %d Paraver traces: name one of them, as %s"), path,
                 n, trace);
    return NULL;
  }
  return converted_open (&paraver, bundle, trace ? trace : path, options, error);
}

static const ConvertedFormat paraver = {
  .format = { .name = "paraver",
              .label = "Paraver",
              .model = "Paraver",
              .open = paraver_open,
              .recognise = paraver_recognise,
              CONVERTED_FUNCTIONS },
  .convert = paraver_convert,
};

TRACE_READER_PLUGIN (paraver.format, "scope.paraver-reader", "Paraver reader", "reader:paraver",
                     "Reads Paraver traces, as Extrae and others write them.");
