/* SPDX-License-Identifier: Apache-2.0 */
/* csv-sink.c - writes a table: numbers from several inputs, or the fields of trace events and state changes.
 *
 * Quoting is that of RFC 4180; lines end with a line feed alone, as tools on Unix expect. */
#include <glib.h>
#include "components/output.h"
#include "eve/words.h"
#include "statistics/graph.h"
#include "statistics/types.h"

#define N_COLUMNS 8

typedef struct CsvSink {
  EveBase base;
  char *columns;
  int64_t rows, mask; /* mask: inputs that have a column, bit 8 being `in`; fixed by the first line */
  bool begun, warned;
  Output output;
  GString *line, *name; /* name: of an owner, while a row is made */
  uint64_t wires;       /* when the graphs were looked up */
  GPtrArray *graphs;    /* which name nodes, links and values of their traces; NULL: not looked up yet */
} CsvSink;

static const EveInSpec ins[] = {
  { "1", &eve_type_double, .present = true, .doc = "A column of numbers." },
  { "2", &eve_type_double, .present = true, .doc = "The same." },
  { "3", &eve_type_double, .present = true, .doc = "The same." },
  { "4", &eve_type_double, .present = true, .doc = "The same." },
  { "5", &eve_type_double, .present = true, .doc = "The same." },
  { "6", &eve_type_double, .present = true, .doc = "The same." },
  { "7", &eve_type_double, .present = true, .doc = "The same." },
  { "8", &eve_type_double, .present = true, .doc = "The same." },
  { "in", NULL, .present = true,
    .doc = "Data of any type: a column of text, or of trace events, state changes and messages all fields." },
};
_Static_assert(EVE_N (ins) == N_COLUMNS + 1, "the numbers, and what has fields");
static const EveField settings[] = {
  { "file", EVE_F_STRING, offsetof (CsvSink, output.name), .path = true, .output = true,
    .doc = "File to write; empty: standard output." },
  { "columns", EVE_F_STRING, offsetof (CsvSink, columns),
    .doc = "Names of the columns 1 to 8, with commas between; one that is left out is called by its number." },
};
static const EveField state[] = {
  { "written", EVE_F_INT64, offsetof (CsvSink, output.written), EVE_COUNT },
  { "rows", EVE_F_INT64, offsetof (CsvSink, rows), EVE_COUNT },
  { "mask", EVE_F_INT64, offsetof (CsvSink, mask) },
  { "begun", EVE_F_BOOL, offsetof (CsvSink, begun) },
  { "warned", EVE_F_BOOL, offsetof (CsvSink, warned) },
};

static void
put_int (GString *to, int64_t n)
{
  g_string_append_printf (to, "%" G_GINT64_FORMAT, n);
}

static void
put_event_names (GString *to)
{
  g_string_append (to, "date [s],event,task,peer,object,tag,size [B],duration [s],result,number");
}

/* What an event does not have is an empty field. */
static void
csv_sink_put_event (GString *to, const TraceEvent *e)
{
  const TraceSource *s = trace_source (e->source);
  char buf[64];

  if (!s) { /* closed meanwhile: numbers are all there is */
    g_string_append_printf (to, "%" G_GINT64_FORMAT ",,%u,,,,,,,", e->date, e->task);
    put_int (to, (int64_t) e->number + 1);
    return;
  }
  trace_clock_print (&s->clock, e->date, buf, sizeof buf);
  g_string_append (to, buf);
  g_string_append_c (to, ',');
  stats_csv_text (to, trace_event_name (e));
  g_string_append_c (to, ',');
  stats_csv_text (to, trace_task_name (s, e->task));
  g_string_append_c (to, ',');
  if (e->peer != TRACE_NONE)
    stats_csv_text (to, trace_task_name (s, e->peer));
  g_string_append_c (to, ',');
  if (e->object != TRACE_NONE)
    stats_csv_text (to, trace_object_id (s, e->object));
  g_string_append_c (to, ',');
  if (e->tag != -1)
    put_int (to, e->tag);
  g_string_append_c (to, ',');
  if (e->flags & TRACE_REAL)
    stats_csv_number (to, e->real);
  else
    put_int (to, e->size);
  g_string_append_c (to, ',');
  if (TRACE_HAS_DURATION (e)) {
    trace_clock_print (&s->clock, e->duration, buf, sizeof buf);
    g_string_append (to, buf);
  }
  g_string_append_c (to, ',');
  put_int (to, e->result);
  g_string_append_c (to, ',');
  put_int (to, (int64_t) e->number + 1);
}

static void
put_change_names (GString *to)
{
  g_string_append (to, "date [s],of,object,attribute,old,new");
}

static void
csv_sink_put_value (GString *to, const StateModel *m, bool is_one, const StateChange *x, int64_t value)
{
  const StateAttribute *a = m && x->attribute < m->n_attributes ? &m->attributes[x->attribute] : NULL;

  if (a && a->kind == STATE_REAL)
    stats_csv_number (to, state_real (value));
  else if (!a || (a->kind != STATE_ENUM && (a->kind != STATE_VALUE || !is_one))) /* two may have learnt other values */
    put_int (to, value);
  else if (value >= 0 && value <= UINT32_MAX) /* else it was not there yet */
    stats_csv_text (to, state_value (m, x->attribute, (uint32_t) value)->name);
}

/* Of all: an empty field. */
static void
csv_sink_put_owner (GString *to, const CsvSink *self, const StatsDatum *d)
{
  if (d->owner == TRACE_NONE || d->owner_kind == STATS_OF_ALL)
    return;
  g_string_truncate (self->name, 0);
  stats_owner_name (d, stats_graph_of (self->graphs, d->source), self->name);
  stats_csv_text (to, self->name->str);
}

/* The object of a change of a task's state is the task of the trace. */
static void
csv_sink_put_object (GString *to, const CsvSink *self, const EveType *type, const StateChange *x)
{
  const StatsOwnerKind kind = type == &state_type_state ? STATS_OF_TASK
                              : x->scope == STATE_NODE  ? STATS_OF_NODE
                              : x->scope == STATE_EDGE  ? STATS_OF_LINK
                                                        : STATS_OF_ALL;

  csv_sink_put_owner (to, self, &(StatsDatum){ .owner = x->object, .owner_kind = (uint8_t) kind, .source = x->source });
}

static void
put_change (GString *to, const CsvSink *self, const EveType *type, const StateChange *x)
{
  static const char *const scopes[] = { "graph", "node", "link" };
  const TraceSource *s = trace_source (x->source);
  const StateModel *m = stats_model_of (self->graphs, x->source);
  bool is_one = stats_graph_of (self->graphs, x->source) != NULL;
  char buf[64];

  if (s)
    trace_clock_print (&s->clock, x->date, buf, sizeof buf);
  else
    g_snprintf (buf, sizeof buf, "%" G_GINT64_FORMAT, x->date);
  g_string_append_printf (to, "%s,%s,", buf, x->scope < G_N_ELEMENTS (scopes) ? scopes[x->scope] : "?");
  csv_sink_put_object (to, self, type, x);
  g_string_append_c (to, ',');
  if (m && x->attribute < m->n_attributes)
    stats_csv_text (to, m->attributes[x->attribute].name);
  else
    put_int (to, x->attribute);
  g_string_append_c (to, ',');
  csv_sink_put_value (to, m, is_one, x, x->old_value);
  g_string_append_c (to, ',');
  csv_sink_put_value (to, m, is_one, x, x->new_value);
}

static void
put_datum_names (GString *to)
{
  g_string_append (to, "date [s],owner,value,unit");
}

/* A number without a date or owner leaves their fields empty. */
static void
csv_sink_put_datum (GString *to, const CsvSink *self, const StatsDatum *d)
{
  const TraceSource *s = trace_source (d->source);
  char buf[64] = "";

  if (d->date != INT64_MIN && s)
    trace_clock_print (&s->clock, d->date, buf, sizeof buf);
  else if (d->date != INT64_MIN)
    g_snprintf (buf, sizeof buf, "%" G_GINT64_FORMAT, d->date);
  g_string_append_printf (to, "%s,", buf);
  csv_sink_put_owner (to, self, d);
  g_string_append_c (to, ',');
  if (d->is_whole)
    put_int (to, d->value.whole);
  else
    stats_csv_number (to, d->value.real);
  g_string_append_c (to, ',');
  stats_csv_text (to, d->unit);
}

static void
put_message_names (GString *to)
{
  g_string_append (to, "sent [s],received [s],from,to,tag,size [B]");
}

static void
csv_sink_put_message (GString *to, const StateMessage *m)
{
  const TraceSource *s = trace_source (m->source);
  const int64_t dates[] = { m->sent, m->received };
  const uint32_t tasks[] = { m->from, m->to };
  char buf[64];

  for (uint32_t i = 0; i < G_N_ELEMENTS (dates); i++) { /* when it was sent may not be known */
    if (s && dates[i] != INT64_MIN)
      trace_clock_print (&s->clock, dates[i], buf, sizeof buf);
    else
      g_snprintf (buf, sizeof buf, "%" G_GINT64_FORMAT, dates[i]);
    g_string_append_printf (to, "%s,", dates[i] != INT64_MIN ? buf : "");
  }
  for (uint32_t i = 0; i < G_N_ELEMENTS (tasks); i++) {
    if (s)
      stats_csv_text (to, trace_task_name (s, tasks[i]));
    else
      g_string_append_printf (to, "%u", tasks[i]);
    g_string_append_c (to, ',');
  }
  g_string_append_printf (to, "%d,%" G_GINT64_FORMAT, m->tag, m->size);
}

static void
put_any (GString *to, const CsvSink *self, const EveType *type, const void *datum)
{
  char buf[1024] = "";

  if (type == &trace_type_event)
    csv_sink_put_event (to, datum);
  else if (state_is_change (type))
    put_change (to, self, type, datum);
  else if (type == &stats_type_datum)
    csv_sink_put_datum (to, self, datum);
  else if (type == &state_type_message)
    csv_sink_put_message (to, datum);
  else if (type == &eve_type_double)
    stats_csv_number (to, *(const double *) datum);
  else if (type == &eve_type_text)
    stats_csv_text (to, *(char *const *) datum ? *(char *const *) datum : "");
  else if (type->print) {
    type->print (datum, buf, sizeof buf);
    stats_csv_text (to, buf);
  } else
    stats_csv_text (to, type->name);
}

static void
csv_sink_header (CsvSink *self)
{
  g_auto (GStrv) names = g_strsplit (self->columns, ",", -1);
  uint32_t n_names = g_strv_length (names);

  self->mask = 0;
  for (uint32_t i = 0; i <= N_COLUMNS; i++) {
    const EveType *type = eve_in_type (self->base.in[i]);

    if (!eve_in_connected (self->base.in[i]))
      continue;
    if (self->mask)
      g_string_append_c (self->line, ',');
    self->mask |= 1 << i;
    if (i < N_COLUMNS)
      stats_csv_text (self->line, i < n_names && *g_strstrip (names[i]) ? names[i] : ins[i].name);
    else if (type == &trace_type_event)
      put_event_names (self->line);
    else if (state_is_change (type))
      put_change_names (self->line);
    else if (type == &stats_type_datum)
      put_datum_names (self->line);
    else if (type == &state_type_message)
      put_message_names (self->line);
    else
      g_string_append (self->line, ins[i].name);
  }
  g_string_append_c (self->line, '\n');
}

static void
csv_sink_fire (EveComponent *c)
{
  CsvSink *self = (CsvSink *) c;
  bool comma = false;

  if (G_UNLIKELY (stats_wires_changed (&self->wires, c))) {
    g_clear_pointer (&self->graphs, g_ptr_array_unref);
    self->graphs = stats_graphs_above (c);
  }
  g_string_truncate (self->line, 0);
  if (!self->begun)
    csv_sink_header (self);
  for (uint32_t i = 0; i <= N_COLUMNS; i++) {
    EveIn *in = self->base.in[i];
    const void *datum = eve_take (in);

    if (datum && !(self->mask & 1 << i) && !self->warned) {
      self->warned = true;
      eve_warn (c, _ ("Input %s was connected after the table had begun, so it has no column; reset the program."),
                ins[i].name);
    }
    if (!(self->mask & 1 << i))
      continue;
    if (comma)
      g_string_append_c (self->line, ',');
    comma = true;
    if (datum)
      put_any (self->line, self, eve_in_type (in), datum);
  }
  g_string_append_c (self->line, '\n');
  if (output_bytes (&self->output, c, self->line->str, self->line->len)) {
    self->begun = true;
    self->rows++;
  }
}

static bool
csv_sink_init (EveComponent *c)
{
  ((CsvSink *) c)->line = g_string_sized_new (512);
  ((CsvSink *) c)->name = g_string_new (NULL);
  return true;
}

static void
csv_sink_finish (EveComponent *c)
{
  CsvSink *self = (CsvSink *) c;

  output_close (&self->output);
  if (self->line)
    g_string_free (self->line, TRUE);
  if (self->name)
    g_string_free (self->name, TRUE);
  g_clear_pointer (&self->graphs, g_ptr_array_unref);
}

static void
csv_sink_start (EveComponent *c)
{
  output_open (&((CsvSink *) c)->output, c);
}

static void
csv_sink_pause (EveComponent *c)
{
  CsvSink *self = (CsvSink *) c;

  output_flush (&self->output, c);
  output_status (&self->output, c, self->rows, "row", "rows");
}

static bool
csv_sink_at_end (EveComponent *c)
{
  CsvSink *self = (CsvSink *) c;

  if (!self->begun) { /* a table without rows still tells its columns */
    g_string_truncate (self->line, 0);
    csv_sink_header (self);
    self->begun = output_bytes (&self->output, c, self->line->str, self->line->len);
  }
  csv_sink_pause (c);
  return true;
}

static bool
csv_sink_at_rest (EveComponent *c, int64_t now)
{
  csv_sink_pause (c);
  return true;
}

static void
csv_sink_reset (EveComponent *c)
{
  output_reset (&((CsvSink *) c)->output, c);
}

static bool
csv_sink_changed (EveComponent *c, uint32_t setting)
{
  CsvSink *self = (CsvSink *) c;

  if (setting == 0) { /* the new file gets a first line of its own */
    output_renamed (&self->output);
    self->begun = false;
  }
  return true;
}

static const EveClass csv_sink = {
  EVE_CLASS_HEAD,
  .id = "scope.csv-sink",
  .label = "CSV Sink",
  .category = "Analysis",
  .version = 1,
  .doc = "Writes data as a table of comma-separated values.",
  .help =
      "A row is written when every connected input holds a datum. Numbers come in at `1` to `8`, a column each, "
      "named by *columns*. Anything else comes in at `in`: trace events, state changes, messages and dated numbers "
      "fill a "
      "column for each "
      "of their fields (dates and durations in seconds, tasks, links, attributes and states by name; what a datum does "
      "not have is left empty), other data "
      "one column with their text. The first line names the columns that were connected when it was written. "
      "Fields with commas, quotes or line ends are quoted as in RFC 4180; lines end with a line feed. Numbers "
      "have all the digits they need; NaN and infinities are written `nan`, `inf`, `-inf`.\n\n"
      "Only a simulator knows the names of its links: what two simulators of one trace send to one sink is told by "
      "number, as `link 3`.\n\n"
      "The file is below the output folder; it is begun anew when the program "
      "begins, and complete whenever the program stops.\n\n"
      "Example: *columns* `x,y`, with 1 2 at `1` and 1 4 at `2`, gives the lines `x,y` `1,1` `2,4`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (CsvSink),
  .init = csv_sink_init,
  .finish = csv_sink_finish,
  .start = csv_sink_start,
  .pause = csv_sink_pause,
  .reset = csv_sink_reset,
  .changed = csv_sink_changed,
  .fire = csv_sink_fire,
  .at_end = csv_sink_at_end,
  .at_rest = csv_sink_at_rest,
};
EVE_PLUGIN (&csv_sink);
