/* SPDX-License-Identifier: Apache-2.0 */
/* text-sink.c - writes data as text, one a line. */
#include "components/output.h"

typedef struct TextSink {
  EveBase base;
  char *before;
  int64_t lines;
  Output output;
} TextSink;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .present = true, .doc = "Data of any type." },
};
static const EveField settings[] = {
  { "file", EVE_F_STRING, offsetof (TextSink, output.name), .path = true, .output = true,
    .doc = "File to write; empty: standard output." },
  { "before", EVE_F_STRING, offsetof (TextSink, before), .doc = "Text that begins each line, such as \"x = \"." },
};
static const EveField state[] = {
  { "written", EVE_F_INT64, offsetof (TextSink, output.written), EVE_COUNT },
  { "lines", EVE_F_INT64, offsetof (TextSink, lines), EVE_COUNT },
};

static void
text_sink_line (TextSink *self, const EveType *type, const void *datum)
{
  EveComponent *c = (EveComponent *) self;
  char buf[1024] = "";
  const char *text = buf;

  if (type == &eve_type_text) /* whole, however long */
    text = *(char *const *) datum ? *(char *const *) datum : "";
  else if (type->print)
    type->print (datum, buf, sizeof buf);
  else
    text = type->name;
  if (output_bytes (&self->output, c, self->before, strlen (self->before))
      && output_bytes (&self->output, c, text, strlen (text)) && output_bytes (&self->output, c, "\n", 1))
    self->lines++;
}

static void
text_sink_fire (EveComponent *c)
{
  EveIn *in = eve_base (c)->in[0];

  text_sink_line ((TextSink *) c, eve_in_type (in), eve_take (in));
}

static void
text_sink_fire_span (EveComponent *c, uint32_t n)
{
  EveIn *in = eve_base (c)->in[0];
  const EveType *type = eve_in_type (in);
  const char *datum = eve_take_span (in, n);

  for (uint32_t i = 0; i < n; i++, datum += type->size)
    text_sink_line ((TextSink *) c, type, datum);
}

static void
text_sink_start (EveComponent *c)
{
  output_open (&((TextSink *) c)->output, c); /* a file that cannot be written is told of at once */
}

static void
text_sink_pause (EveComponent *c)
{
  TextSink *self = (TextSink *) c;

  output_flush (&self->output, c);
  output_status (&self->output, c, self->lines, "line", "lines");
}

static bool
text_sink_at_end (EveComponent *c)
{
  text_sink_pause (c);
  return true;
}

static bool
text_sink_at_rest (EveComponent *c, int64_t now)
{
  text_sink_pause (c);
  return true;
}

static void
text_sink_reset (EveComponent *c)
{
  output_reset (&((TextSink *) c)->output, c);
}

static void
text_sink_finish (EveComponent *c)
{
  output_close (&((TextSink *) c)->output);
}

static bool
text_sink_changed (EveComponent *c, uint32_t setting)
{
  if (setting == 0)
    output_renamed (&((TextSink *) c)->output);
  return true;
}

static const EveClass text_sink = {
  EVE_CLASS_HEAD,
  .id = "scope.text-sink",
  .label = "Text Sink",
  .category = "Analysis",
  .version = 1,
  .doc = "Writes data as text, one a line, to a file or to standard output.",
  .help = "Each datum becomes a line: *before*, then the text that its type makes of it. The file is below the output "
          "folder; it is begun anew when the program begins, and complete whenever "
          "the program stops. After travel to the past it is cut to what had been written by then.\n\n"
          "Example: with *before* `x = `, the numbers 1 and 2.5 become the lines `x = 1` and `x = 2.5`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (TextSink),
  .finish = text_sink_finish,
  .start = text_sink_start,
  .pause = text_sink_pause,
  .reset = text_sink_reset,
  .changed = text_sink_changed,
  .fire = text_sink_fire,
  .fire_span = text_sink_fire_span,
  .at_end = text_sink_at_end,
  .at_rest = text_sink_at_rest,
};
EVE_PLUGIN (&text_sink);
